/*
 * HDF5 files, and with them MAT files of version 7.3: HDF5 whose dimensions
 * come in reverse and whose attributes give MATLAB's class. All of it runs in
 * an isolated child, as the library may crash on a damaged file.
 */
#define _POSIX_C_SOURCE 200809L
#include "io/h5.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LINKS_MOST = 100000, CHECKSUM = 24 }; /* bytes of "crc64xz:0123456789abcdef" */

/* -------------------------------------------------------------- MATLAB */

/* MATLAB_class of a dataset; "" if it has none. */
static void matlab_class(hid_t id, char class[32]) {
  memset(class, 0, 32);
  hid_t attribute = H5Aexists(id, "MATLAB_class") > 0 ? H5Aopen(id, "MATLAB_class", H5P_DEFAULT) : -1;
  hid_t type = attribute >= 0 ? H5Aget_type(attribute) : -1;
  if (type >= 0 && H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0 &&
      H5Tget_size(type) < 32)
    H5Aread(attribute, type, class);
  if (type >= 0) H5Tclose(type);
  if (attribute >= 0) H5Aclose(attribute);
}

/* An array without elements is kept as a list of its dimensions. */
static int empty_shape(h5_reading *r, h5_entry *e) {
  uint64_t size[IO_RANK];
  if (e->array.type != IO_INTEGER || e->count < 2 || e->count > IO_RANK ||
      h5_fetch(e, H5T_NATIVE_UINT64, size) < 0)
    return h5_damaged(r);
  e->array.rank = (int)e->count;
  for (int i = 0; i < e->array.rank; i++) e->array.shape[i] = size[i] > INT64_MAX ? -1 : (int64_t)size[i];
  if (shape_count(e->array.rank, e->array.shape) != 0) return h5_damaged(r);
  return LAVDM_OK;
}

static int send_char(h5_reading *r, h5_entry *e) {
  uint16_t *units = malloc(2 * (size_t)e->count + 2);
  char *text = NULL;
  int64_t bytes = 0;
  if (units && e->count && h5_fetch(e, H5T_NATIVE_UINT16, units) < 0) {
    free(units);
    return h5_damaged(r);
  }
  if (units) text = text_from_units(units, 2, e->count, &bytes);
  if (!text) {
    free(units);
    return h5_memory(r, 2 * e->count);
  }
  e->array.rank = 1;
  e->array.shape[0] = bytes;
  send_array(r->to, &e->array, false, true);
  send_bytes(r->to, text, bytes);
  free(text);
  free(units);
  return LAVDM_OK;
}

/* Settles type and shape by MATLAB's attributes; `done` if nothing is left to send. */
static int adapt_matlab(h5_reading *r, h5_entry *e, bool *done) {
  char class[32];
  matlab_class(e->id, class);
  bool text = strcmp(class, "char") == 0, empty = H5Aexists(e->id, "MATLAB_empty") > 0;
  bool real = strcmp(class, "double") == 0 || strcmp(class, "single") == 0;
  if (strcmp(class, "cell") == 0 || strcmp(class, "struct") == 0)
    return h5_refuse(r, "a cell array or struct");
  int status = empty ? empty_shape(r, e) : LAVDM_OK;
  if (status < 0) return status;
  if (empty) {
    e->array.type = text ? IO_TEXT : real ? IO_REAL : IO_INTEGER;
    if (text) e->array.rank = 1, e->array.shape[0] = 0;
    send_array(r->to, &e->array, false, r->data);
    *done = true;
  } else if (text) {
    if (e->array.type != IO_INTEGER || e->array.rank > 2 || (e->array.rank == 2 && e->array.shape[0] > 1))
      return h5_refuse(r, "text in several rows");
    e->array.type = IO_TEXT;
    if (!r->data) return LAVDM_OK;
    *done = true;
    return send_char(r, e);
  }
  return LAVDM_OK;
}

/* ------------------------------------------------------------ the file */

static int send_entry(h5_reading *r, h5_entry *e, const char *name) {
  bool done = false;
  file_label(r->label, r->path, name);
  e->array.name = (char *)(uintptr_t)name;
  e->type = e->space = -1;
  int status = h5_describe(r, e);
  if (status >= 0 && r->matlab) status = adapt_matlab(r, e, &done);
  if (status >= 0 && !done) {
    if (r->data)
      status = h5_send(r, e);
    else
      send_array(r->to, &e->array, false, false);
  }
  h5_close(e);
  return status;
}

static herr_t stay_inside(const char *group, const char *name, const char *file, const char *object,
                          unsigned *flags, hid_t access, void *user) {
  (void)group, (void)name, (void)file, (void)object, (void)flags, (void)access, (void)user;
  return -1;
}

/* Opens a dataset, but none that lives in another file. */
static hid_t open_dataset(h5_reading *r, const char *name) {
  hid_t access = H5Pcreate(H5P_DATASET_ACCESS);
  H5Pset_elink_cb(access, stay_inside, NULL);
  hid_t id = H5Dopen2(r->file, name, access);
  H5Pclose(access);
  return id;
}

static int send_named(h5_reading *r) {
  h5_entry e = {.id = open_dataset(r, r->name)};
  const char *slash = strrchr(r->name, '/');
  if (e.id >= 0) return send_entry(r, &e, slash ? slash + 1 : r->name);
  file_label(r->label, r->path, r->name);
  hid_t group = H5Gopen2(r->file, r->name, H5P_DEFAULT);
  if (group >= 0 && r->matlab) return h5_refuse(r, "a struct or sparse matrix");
  if (group >= 0) return io_fail(r->error, IO_UNSUPPORTED, r->label, "is a group; name a dataset inside it");
  if (H5Lexists(r->file, r->name, H5P_DEFAULT) <= 0) return IO_NOT_FOUND;
  return io_fail(r->error, IO_UNSUPPORTED, r->label, "cannot be opened (damaged, or a link to elsewhere)");
}

/* The checksum of the texts in a file of our own, which is nobody's value. */
static bool is_checksum(hid_t attribute, const char *name) {
  hid_t type = strcmp(name, "checksum") ? -1 : H5Aget_type(attribute);
  bool found = type >= 0 && H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0 &&
               H5Tget_size(type) == CHECKSUM;
  if (type >= 0) H5Tclose(type);
  return found;
}

static int send_every(h5_reading *r) {
  char name[H5_NAME];
  int status = LAVDM_OK;
  for (hsize_t i = 0; i < LINKS_MOST && status >= 0; i++) {
    if (H5Lget_name_by_idx(r->file, "/", H5_INDEX_NAME, H5_ITER_INC, i, name, sizeof name, H5P_DEFAULT) < 0)
      break;
    h5_entry e = {.id = open_dataset(r, name)};
    if (e.id >= 0) status = send_entry(r, &e, name);
    if (status == IO_UNSUPPORTED) status = LAVDM_OK;
  }
  for (hsize_t i = 0; i < LINKS_MOST && status >= 0 && r->data && !r->matlab; i++) {
    h5_entry e = {.id = H5Aopen_by_idx(r->file, "/", H5_INDEX_NAME, H5_ITER_INC, i, H5P_DEFAULT, H5P_DEFAULT),
                  .attribute = true};
    if (e.id < 0) break;
    if (H5Aget_name(e.id, sizeof name, name) < 0) return h5_damaged(r);
    if (is_checksum(e.id, name)) {
      H5Aclose(e.id);
      continue;
    }
    status = send_entry(r, &e, name);
    if (status == IO_UNSUPPORTED) status = LAVDM_OK;
  }
  return status;
}

static int read_in_child(sender *to, void *user, lavdm_error *error) {
  h5_reading *r = user;
  r->to = to;
  r->error = error;
  setenv("HDF5_USE_FILE_LOCKING", "FALSE", 0); /* only read; some file systems have no locks */
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  r->file = H5Fopen(r->path, H5F_ACC_RDONLY, H5P_DEFAULT);
  if (r->file < 0)
    return io_fail(error, LAVDM_ERROR_DATA, r->path, "is not a readable %s file (damaged?)",
                   r->matlab ? "MAT" : "HDF5");
  return r->name ? send_named(r) : send_every(r);
}

static int read_file(h5_reading *r, io_list *list, lavdm_error *error) {
  int fd, status = file_open(r->path, &fd, &r->length, error);
  if (status < 0) return status;
  close(fd);
  const int64_t base = 256 << 20;
  isolate_terms terms = {
      .label = r->path, .status = LAVDM_ERROR_DATA, .memory = base + (r->length < base ? r->length : base)};
  terms.verdict =
      r->matlab ? "is not a readable MAT file (damaged?)" : "is not a readable HDF5 file (damaged?)";
  return isolate(&terms, read_in_child, r, list, error);
}

int h5_read(const char *path, const char *name, bool data, io_list *list, lavdm_error *error) {
  h5_reading r = {.path = path, .name = name, .data = data};
  return read_file(&r, list, error);
}

int mat73_read(const char *path, const char *name, bool data, io_list *list, lavdm_error *error) {
  h5_reading r = {.path = path, .name = name, .data = data, .matlab = true};
  return read_file(&r, list, error);
}
