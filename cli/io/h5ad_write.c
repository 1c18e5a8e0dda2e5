/*
 * A copy of an .h5ad file with a diffusion map in it, as scanpy leaves one: obsm/X_diffmap and
 * uns/diffmap_evals. Written in a child: the file is another's, and the library may crash on it.
 */
#define _POSIX_C_SOURCE 200809L
#include "io/h5.h"
#include "io/table.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
  const char *input;
  const output_file *to;
  const io_diffmap *map;
} h5ad_writing;

/* ----------------------------------------------------------------- copy */

static bool write_all(int fd, const char *data, ssize_t bytes) {
  while (bytes > 0) {
    ssize_t done = write(fd, data, (size_t)bytes);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    data += done;
    bytes -= done;
  }
  return true;
}

static int copy_file(const h5ad_writing *w, lavdm_error *error) {
  enum { PART = 1 << 20 };
  int from, to = open(w->to->temp, O_WRONLY | O_TRUNC | O_CLOEXEC);
  int64_t length;
  char *part = malloc(PART);
  int status = file_open(w->input, &from, &length, error);
  if (status < 0) from = -1;
  if (status >= 0 && to < 0) status = io_unwritten(error, w->to->path, errno);
  if (status >= 0 && !part) status = io_memory(error, w->input, PART);
  for (source s = {.fd = from}; status >= 0;) {
    int64_t got = file_pull(&s, part, PART);
    if (got == 0) break;
    if (got < 0) status = io_fail(error, LAVDM_ERROR_DATA, w->input, "cannot be read: %s", strerror(errno));
    if (status >= 0 && !write_all(to, part, (ssize_t)got)) status = io_unwritten(error, w->to->path, errno);
  }
  free(part);
  if (from >= 0) close(from);
  if (to >= 0 && close(to) && status >= 0) status = io_unwritten(error, w->to->path, errno);
  return status;
}

/* ------------------------------------------------------------ additions */

static herr_t put_text(hid_t at, const char *name, const char *text) {
  hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
  H5Tset_size(type, H5T_VARIABLE);
  H5Tset_cset(type, H5T_CSET_UTF8);
  hid_t id = H5Acreate2(at, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
  herr_t result = id < 0 ? -1 : H5Awrite(id, type, &text);
  if (id >= 0 && H5Aclose(id) < 0) result = -1;
  H5Sclose(space);
  H5Tclose(type);
  return result;
}

static herr_t put_encoding(hid_t at, const char *kind, const char *version) {
  herr_t result = put_text(at, "encoding-type", kind);
  return result < 0 ? result : put_text(at, "encoding-version", version);
}

/* Whether the root has a group of this name, or room for one; a link that leads elsewhere is not followed. */
static bool has_place(hid_t file, const char *name) {
  H5L_info_t link;
  if (H5Lexists(file, name, H5P_DEFAULT) <= 0) return true;
  if (H5Lget_info(file, name, &link, H5P_DEFAULT) < 0 || link.type != H5L_TYPE_HARD) return false;
  hid_t id = H5Oopen(file, name, H5P_DEFAULT);
  bool group = id >= 0 && H5Iget_type(id) == H5I_GROUP;
  if (id >= 0) H5Oclose(id);
  return group;
}

static hid_t open_group(hid_t file, const char *name) {
  if (H5Lexists(file, name, H5P_DEFAULT) > 0) return H5Gopen2(file, name, H5P_DEFAULT);
  hid_t id = H5Gcreate2(file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  return id >= 0 && put_encoding(id, "dict", "0.1.0") < 0 ? -1 : id;
}

static herr_t put_array(hid_t file, const char *group, const char *name, int rank, const int64_t *shape,
                        const double *values) {
  hsize_t size[2] = {(hsize_t)shape[0], rank > 1 ? (hsize_t)shape[1] : 1};
  hid_t at = open_group(file, group);
  herr_t result = at < 0 ? -1 : 0;
  if (result >= 0 && H5Lexists(at, name, H5P_DEFAULT) > 0) result = H5Ldelete(at, name, H5P_DEFAULT);
  hid_t space = H5Screate_simple(rank, size, NULL), timeless = H5Pcreate(H5P_DATASET_CREATE);
  if (H5Pset_obj_track_times(timeless, false) < 0) result = -1; /* the same run, the same bytes */
  hid_t id =
      result < 0 ? -1 : H5Dcreate2(at, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, timeless, H5P_DEFAULT);
  result = id < 0 ? -1 : H5Dwrite(id, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
  if (result >= 0) result = put_encoding(id, "array", "0.2.0");
  if (id >= 0 && H5Dclose(id) < 0) result = -1;
  H5Pclose(timeless);
  H5Sclose(space);
  if (at >= 0 && H5Gclose(at) < 0) result = -1;
  return result;
}

static int write_in_child(sender *to, void *user, lavdm_error *error) {
  const h5ad_writing *w = user;
  const io_diffmap *map = w->map;
  (void)to;
  int status = copy_file(w, error);
  if (status < 0) return status;
  setenv("HDF5_USE_FILE_LOCKING", "FALSE", 0); /* nobody else knows the file yet */
  H5PLset_loading_state(0);
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  errno = 0;
  hid_t file = H5Fopen(w->to->temp, H5F_ACC_RDWR, H5P_DEFAULT);
  if (file < 0) return io_fail(error, LAVDM_ERROR_DATA, w->input, "cannot be added to (damaged?)");
  const char *taken = has_place(file, "obsm") ? has_place(file, "uns") ? NULL : "uns" : "obsm";
  if (taken) {
    H5Fclose(file);
    return io_fail(
        error, LAVDM_ERROR_DATA, w->input,
        "its '%s' is a link or an array, no group that a result could be put into; give -o FILE.npz", taken);
  }
  herr_t result = put_array(file, "obsm", "X_diffmap", 2, (int64_t[]){map->rows, map->rank}, map->vectors);
  if (result >= 0) result = put_array(file, "uns", "diffmap_evals", 1, &map->rank, map->values);
  if (H5Fclose(file) < 0) result = -1;
  return result < 0 ? io_unwritten(error, w->to->path, errno) : LAVDM_OK;
}

int io_cells_write(const char *path, const char *spec, const io_diffmap *map, lavdm_error *error) {
  output_file file;
  char *input = strndup(spec, io_file_part(spec));
  if (!input) return io_memory(error, spec, 0);
  io_stamp stamp = io_stamp_of(input);
  int status = output_begin(&file, path, error);
  if (status >= 0) {
    h5ad_writing w = {.input = input, .to = &file, .map = map};
    isolate_terms terms = {
        .label = path, .verdict = "could not be written", .status = IO_ERROR_WRITE, .memory = -1};
    status = isolate(&terms, write_in_child, &w, NULL, error);
    if (status >= 0) status = io_stamp_check(input, &stamp, error);
    status = output_end(&file, status);
  }
  free(input);
  return io_written(status, error);
}
