/*
 * MAT files of version 7.3, by the HDF5 library: everything a dataset,
 * dimensions in reverse, MATLAB's class in an attribute, and a MATLAB header in
 * front. Written in a child: after a full disk the library cannot close in peace.
 */
#define _POSIX_C_SOURCE 200809L
#include "io/h5.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
  const output_file *to;
  const io_item *items;
  int count;
  hid_t file, plain; /* plain: contiguous, no dates, nothing written twice */
} h5_writing;

static hid_t stored_type(io_type type) {
  return type == IO_REAL ? H5T_IEEE_F64LE : type == IO_SINGLE ? H5T_IEEE_F32LE : H5T_STD_I64LE;
}

static hid_t memory_type(io_type type) {
  return type == IO_REAL ? H5T_NATIVE_DOUBLE : type == IO_SINGLE ? H5T_NATIVE_FLOAT : H5T_NATIVE_INT64;
}

/* Closes the identifiers and passes the result on. */
static herr_t closed(hid_t id, hid_t space, herr_t result) {
  if (space >= 0 && H5Sclose(space) < 0) result = -1;
  if (id < 0) return -1;
  return (H5Iget_type(id) == H5I_ATTR ? H5Aclose(id) : H5Dclose(id)) < 0 ? -1 : result;
}

static herr_t write_attribute(hid_t at, const char *name, hid_t stored, hid_t memory, const void *data) {
  hid_t space = H5Screate(H5S_SCALAR);
  hid_t id = H5Acreate2(at, name, stored, space, H5P_DEFAULT, H5P_DEFAULT);
  return closed(id, space, id < 0 ? -1 : H5Awrite(id, memory, data));
}

/*
 * The values of an array, some rows at a time. MATLAB's order is that of the
 * reversed dimensions: the rows are transposed, and lie in the file at `first`
 * of the last axis.
 */
static herr_t write_rows(const h5_writing *w, hid_t id, hid_t space, const io_item *item) {
  hsize_t start[IO_RANK] = {0}, count[IO_RANK], flat;
  int axis = H5Sget_simple_extent_dims(space, count, NULL) - 1;
  int64_t shape[IO_RANK], rows = item->rank ? item->shape[0] : 1, width = item_count(item) / rows;
  int64_t most = width < H5_PART ? H5_PART / width : 1, size = type_size(item->type);
  void *part = malloc((size_t)(size * width * (most < rows ? most : rows)));
  herr_t result = part ? 0 : -1;
  memcpy(shape, item->shape, sizeof shape);
  for (int64_t first = 0; first < rows && result >= 0; first += most) {
    shape[0] = rows - first < most ? rows - first : most;
    const void *values = (const char *)item->data + size * width * first;
    flat = (hsize_t)(shape[0] * width);
    column_walk walk = column_start(item->type, item->rank, shape);
    column_get(&walk, values, part, (int64_t)flat);
    start[axis] = (hsize_t)first;
    count[axis] = (hsize_t)shape[0];
    hid_t memory = H5Screate_simple(1, &flat, NULL);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL);
    result = H5Dwrite(id, memory_type(item->type), memory, space, H5P_DEFAULT, part);
    H5Sclose(memory);
    output_trim(w->to);
  }
  free(part);
  return result;
}

static herr_t write_class(hid_t id, const char *class, bool empty) {
  hid_t type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, strlen(class));
  herr_t result = write_attribute(id, "MATLAB_class", type, type, class);
  H5Tclose(type);
  const int32_t code = 2;
  const uint8_t yes = 1;
  if (result >= 0 && strcmp(class, "char") == 0)
    result = write_attribute(id, "MATLAB_int_decode", H5T_STD_I32LE, H5T_NATIVE_INT32, &code);
  if (result >= 0 && empty)
    result = write_attribute(id, "MATLAB_empty", H5T_STD_U8LE, H5T_NATIVE_UINT8, &yes);
  return result;
}

/* A dataset that only lists the dimensions of an array without elements. */
static herr_t write_empty(const h5_writing *w, const io_item *item, const char *class, int rank,
                          const hsize_t *size) {
  hsize_t length = (hsize_t)rank;
  uint64_t shape[IO_RANK];
  for (int i = 0; i < rank; i++) shape[i] = size[rank - 1 - i];
  hid_t space = H5Screate_simple(1, &length, NULL);
  hid_t id = H5Dcreate2(w->file, item->name, H5T_STD_U64LE, space, H5P_DEFAULT, w->plain, H5P_DEFAULT);
  herr_t result = id < 0 ? -1 : H5Dwrite(id, H5T_NATIVE_UINT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, shape);
  if (result >= 0) result = write_class(id, class, true);
  return closed(id, space, result);
}

static const char *matlab_class(io_type type) {
  if (type == IO_TEXT) return "char";
  return type == IO_REAL ? "double" : type == IO_SINGLE ? "single" : "int64";
}

static herr_t write_item(const h5_writing *w, const io_item *item) {
  bool text = item->type == IO_TEXT;
  const char *class = matlab_class(item->type);
  int rank = text || item->rank < 2 ? 2 : item->rank;
  int64_t units = 0;
  hsize_t size[IO_RANK] = {1, 1};
  void *utf16 = text ? text_to_units(item->data, 2, &units) : NULL;
  if (text && !utf16) return -1;
  if (text) {
    size[0] = (hsize_t)units;
    size[1] = units ? 1 : 0;
  } else {
    for (int i = 0; i < item->rank; i++) size[rank - 1 - i] = (hsize_t)item->shape[i];
  }
  herr_t result;
  if (text ? units == 0 : item_count(item) == 0) {
    result = write_empty(w, item, class, rank, size);
  } else {
    hid_t space = H5Screate_simple(rank, size, NULL), stored = text ? H5T_STD_U16LE : stored_type(item->type);
    hid_t id = H5Dcreate2(w->file, item->name, stored, space, H5P_DEFAULT, w->plain, H5P_DEFAULT);
    result = id < 0 ? -1 : write_class(id, class, false);
    if (result >= 0 && text) result = H5Dwrite(id, H5T_NATIVE_UINT16, H5S_ALL, H5S_ALL, H5P_DEFAULT, utf16);
    if (result >= 0 && !text) result = write_rows(w, id, space, item);
    result = closed(id, space, result);
  }
  free(utf16);
  return result;
}

/* The first 512 bytes, which HDF5 leaves to us. */
static herr_t write_header(const char *path) {
  char block[512] = "MATLAB 7.3 MAT-file, by lavdm. HDF5 schema 1.00 .";
  memset(block + strlen(block), ' ', 116 - strlen(block));
  const uint16_t end[] = {0x0200, 0x4D49};
  memset(block + 116, 0, 8);
  memcpy(block + 124, end, 4);
  int fd = open(path, O_WRONLY | O_CLOEXEC);
  bool done = fd >= 0 && pwrite(fd, block, sizeof block, 0) == (ssize_t)sizeof block;
  if (fd >= 0 && close(fd)) done = false;
  return done ? 0 : -1;
}

/* ------------------------------------------------------------ the file */

static int write_in_child(sender *to, void *user, lavdm_error *error) {
  h5_writing *w = user;
  (void)to;
  setenv("HDF5_USE_FILE_LOCKING", "FALSE", 0); /* nobody else knows the file yet */
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  hid_t creation = H5Pcreate(H5P_FILE_CREATE);
  H5Pset_userblock(creation, 512);
  w->plain = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_obj_track_times(w->plain, 0);
  H5Pset_fill_time(w->plain, H5D_FILL_TIME_NEVER);
  errno = 0;
  w->file = H5Fcreate(w->to->temp, H5F_ACC_TRUNC, creation, H5P_DEFAULT);
  herr_t result = w->file < 0 ? -1 : 0;
  for (int i = 0; i < w->count && result >= 0; i++) result = write_item(w, &w->items[i]);
  if (result >= 0) result = H5Fclose(w->file);
  if (result >= 0) result = write_header(w->to->temp);
  return result < 0 ? io_unwritten(error, w->to->path, errno) : LAVDM_OK;
}

int mat73_write(output_file *file, const io_item *items, int count) {
  h5_writing w = {.to = file, .items = items, .count = count};
  isolate_terms terms = {
      .label = file->path, .verdict = "could not be written", .status = IO_ERROR_WRITE, .memory = -1};
  output_trim(file); /* what the parent holds would count twice */
  return isolate(&terms, write_in_child, &w, NULL, file->error);
}
