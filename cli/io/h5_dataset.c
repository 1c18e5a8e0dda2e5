/*
 * One dataset or attribute of an HDF5 file: what it is, whether the file's
 * length allows for it, and its values sent to the parent process. Contiguous
 * data go part by part, so that the child never holds them all.
 */
#include "io/h5.h"
#include "io/room.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int h5_damaged(h5_reading *r) {
  return io_fail(r->error, LAVDM_ERROR_DATA, r->label, "cannot be read (damaged?)");
}

int h5_refuse(h5_reading *r, const char *what) {
  return io_fail(r->error, IO_UNSUPPORTED, r->label, "holds %s; real numbers are needed", what);
}

int h5_memory(h5_reading *r, int64_t bytes) {
  return io_memory(r->error, r->label, bytes);
}

/* --------------------------------------------------------- description */

static int describe_type(h5_reading *r, h5_entry *e) {
  e->size = H5Tget_size(e->type);
  e->as = H5T_NATIVE_INT64;
  e->array.type = IO_INTEGER;
  switch (H5Tget_class(e->type)) {
  case H5T_INTEGER:
    if (e->size > 8) return h5_refuse(r, "integers of more than 8 bytes");
    e->check = e->size == 8 && H5Tget_sign(e->type) == H5T_SGN_NONE;
    if (e->check) e->as = H5T_NATIVE_UINT64;
    return LAVDM_OK;
  case H5T_ENUM:
    return e->size > 8 ? h5_refuse(r, "integers of more than 8 bytes") : LAVDM_OK;
  case H5T_FLOAT:
    e->as = H5T_NATIVE_DOUBLE;
    e->array.type = IO_REAL;
    return e->size > 16 ? h5_refuse(r, "numbers of more than 16 bytes") : LAVDM_OK;
  case H5T_STRING:
    e->array.type = IO_TEXT;
    return LAVDM_OK;
  case H5T_COMPOUND:
    return h5_refuse(r, "complex numbers or records");
  case H5T_REFERENCE:
    return h5_refuse(r, "a cell array or references");
  case H5T_NO_CLASS:
    return h5_damaged(r);
  default:
    return h5_refuse(r, "values of an unusual type");
  }
}

static int describe_space(h5_reading *r, h5_entry *e) {
  hsize_t size[H5S_MAX_RANK];
  int rank = H5Sget_simple_extent_ndims(e->space);
  if (rank < 0) return h5_damaged(r);
  if (H5Sget_simple_extent_type(e->space) == H5S_NULL) return h5_refuse(r, "nothing");
  if (rank > IO_RANK)
    return io_fail(r->error, IO_UNSUPPORTED, r->label, "has %d dimensions; at most %d are read", rank,
                   IO_RANK);
  H5Sget_simple_extent_dims(e->space, size, NULL);
  e->array.rank = rank;
  for (int i = 0; i < rank; i++)
    e->array.shape[r->matlab ? rank - 1 - i : i] = size[i] > INT64_MAX ? -1 : (int64_t)size[i];
  e->count = shape_count(rank, e->array.shape);
  if (e->count < 0) return h5_damaged(r);
  if (e->array.type == IO_TEXT && e->count != 1 && !r->texts) return h5_refuse(r, "several strings");
  return LAVDM_OK;
}

/* Data that were packed by a filter which this machine has not. */
static bool packed_otherwise(hid_t creation) {
  for (int i = 0; i < H5Pget_nfilters(creation); i++) {
    unsigned flags;
    size_t values = 0;
    H5Z_filter_t filter = H5Pget_filter2(creation, (unsigned)i, &flags, &values, NULL, 0, NULL, NULL);
    if (filter < 0 || H5Zfilter_avail(filter) <= 0) return true;
  }
  return false;
}

/* How a dataset is kept, which is asked first: of one that is made of other files
 * even the shape may be looked for there. */
static int describe_layout(h5_reading *r, h5_entry *e) {
  hid_t list = e->attribute ? -1 : H5Dget_create_plist(e->id);
  e->chunked = false;
  if (e->attribute) return LAVDM_OK;
  if (list < 0) return h5_damaged(r);
  H5D_layout_t layout = H5Pget_layout(list);
  int status = layout < 0 ? h5_damaged(r) : LAVDM_OK;
  if (layout == H5D_VIRTUAL || (layout == H5D_CONTIGUOUS && H5Pget_external_count(list) != 0))
    status = io_fail(r->error, IO_UNSUPPORTED, r->label,
                     "is made of other files (%s), which are not opened; copy the dataset into one file",
                     layout == H5D_VIRTUAL ? "a virtual dataset" : "external storage");
  else if (packed_otherwise(list) && r->data)
    status = io_fail(r->error, IO_UNSUPPORTED, r->label,
                     "is compressed in a way that is not read; write it with gzip, or without compression");
  hsize_t chunk[H5S_MAX_RANK] = {1};
  e->chunked = layout == H5D_CHUNKED;
  if (e->chunked && H5Pget_chunk(list, H5S_MAX_RANK, chunk) < 1) status = h5_damaged(r);
  e->chunk = chunk[0] > 0 ? chunk[0] : 1;
  H5Pclose(list);
  return status;
}

/* Sizes that the file's length makes possible. */
static int check_size(h5_reading *r, h5_entry *e) {
  int64_t bytes = checked_product(e->count, (int64_t)e->size), room = r->length;
  if (bytes < 0) return h5_damaged(r);
  if (!e->attribute && bytes > 0) {
    hsize_t stored = H5Dget_storage_size(e->id);
    H5D_space_status_t space;
    if (stored == 0 && (H5Dget_space_status(e->id, &space) < 0 || space != H5D_SPACE_STATUS_NOT_ALLOCATED))
      return h5_damaged(r); /* 0 also says that it could not be found out */
    if (stored == 0) return io_fail(r->error, IO_UNSUPPORTED, r->label, "was never filled with values");
    if (stored > (hsize_t)r->length) return h5_damaged(r);
    room = e->chunked ? checked_product(INFLATION, (int64_t)stored) : (int64_t)stored;
  }
  return bytes > room ? h5_damaged(r) : LAVDM_OK;
}

int h5_describe(h5_reading *r, h5_entry *e) {
  int status = describe_layout(r, e);
  if (status < 0) return status;
  e->type = e->attribute ? H5Aget_type(e->id) : H5Dget_type(e->id);
  e->space = e->attribute ? H5Aget_space(e->id) : H5Dget_space(e->id);
  if (e->type < 0 || e->space < 0) return h5_damaged(r);
  status = describe_type(r, e);
  if (status >= 0) status = describe_space(r, e);
  return status < 0 || !r->data ? status : check_size(r, e);
}

void h5_close(h5_entry *e) {
  if (e->type >= 0) H5Tclose(e->type);
  if (e->space >= 0) H5Sclose(e->space);
  if (e->id >= 0) e->attribute ? H5Aclose(e->id) : H5Dclose(e->id);
}

/* ---------------------------------------------------------------- data */

herr_t h5_fetch(const h5_entry *e, hid_t as, void *out) {
  return e->attribute ? H5Aread(e->id, as, out) : H5Dread(e->id, as, H5S_ALL, H5S_ALL, H5P_DEFAULT, out);
}

static int send_string(h5_reading *r, h5_entry *e) {
  char *text = NULL;
  hid_t as = H5Tcopy(H5T_C_S1);
  bool variable = H5Tis_variable_str(e->type) > 0;
  H5Tset_size(as, variable ? H5T_VARIABLE : e->size + 1);
  H5Tset_cset(as, H5Tget_cset(e->type));
  if (!variable && !(text = calloc(e->size + 2, 1))) return h5_memory(r, 0);
  herr_t fetched = h5_fetch(e, as, variable ? (void *)&text : text);
  H5Tclose(as);
  if (fetched < 0) {
    free(text);
    return h5_damaged(r);
  }
  e->array.rank = 1;
  e->array.shape[0] = text ? (int64_t)strlen(text) : 0;
  send_array(r->to, &e->array, false, true);
  send_bytes(r->to, text, e->array.shape[0]);
  free(text);
  return LAVDM_OK;
}

static bool in_range(const h5_entry *e, const void *values, int64_t count) {
  const uint64_t *x = values;
  for (int64_t i = 0; e->check && i < count; i++)
    if (x[i] > INT64_MAX) return false;
  return true;
}

static int too_big(h5_reading *r) {
  return io_fail(r->error, LAVDM_ERROR_DATA, r->label, "holds an integer above %lld", (long long)INT64_MAX);
}

/* At once: attributes and scalars. */
static int send_whole(h5_reading *r, h5_entry *e) {
  int status = room_check(r->label, &e->array, 8 * e->count, 8 * e->count, r->error);
  if (status < 0) return status;
  sender_allow(r->to, 3 * 8 * e->count);
  void *values = malloc(8 * (size_t)e->count + 8);
  if (!values) return h5_memory(r, 8 * e->count);
  if (e->count > 0 && h5_fetch(e, e->as, values) < 0)
    status = h5_damaged(r);
  else if (!in_range(e, values, e->count))
    status = too_big(r);
  if (status >= 0) {
    send_array(r->to, &e->array, r->matlab, true);
    send_bytes(r->to, values, 8 * e->count);
  }
  free(values);
  return status;
}

int64_t h5_next_box(int rank, const hsize_t *size, hsize_t *start, hsize_t *count) {
  int axis = rank - 1;
  hsize_t inner = 1;
  while (axis > 0 && start[axis] == 0 && inner * size[axis] <= H5_PART) inner *= size[axis--];
  for (int i = 0; i < rank; i++) count[i] = i > axis ? size[i] : 1;
  count[axis] = H5_PART / inner > 0 ? H5_PART / inner : 1;
  if (count[axis] > size[axis] - start[axis]) count[axis] = size[axis] - start[axis];
  return (int64_t)(inner * count[axis]);
}

void h5_pass_box(int rank, const hsize_t *size, hsize_t *start, const hsize_t *count) {
  int axis = rank - 1;
  while (axis > 0 && start[axis] == 0 && count[axis] == size[axis]) axis--;
  start[axis] += count[axis];
  for (; axis > 0 && start[axis] == size[axis]; axis--) {
    start[axis] = 0;
    start[axis - 1]++;
  }
}

/* Every part in turn. */
static int send_parts(h5_reading *r, h5_entry *e, void *part) {
  hsize_t size[IO_RANK], start[IO_RANK] = {0}, count[IO_RANK], flat;
  int rank = H5Sget_simple_extent_dims(e->space, size, NULL), status = LAVDM_OK;
  send_array(r->to, &e->array, r->matlab, true);
  for (int64_t done = 0; done < e->count && status >= 0; done += (int64_t)flat) {
    flat = (hsize_t)h5_next_box(rank, size, start, count);
    hid_t memory = H5Screate_simple(1, &flat, NULL);
    H5Sselect_hyperslab(e->space, H5S_SELECT_SET, start, NULL, count, NULL);
    if (H5Dread(e->id, e->as, memory, e->space, H5P_DEFAULT, part) < 0) status = h5_damaged(r);
    H5Sclose(memory);
    if (status >= 0 && !in_range(e, part, (int64_t)flat)) status = too_big(r);
    if (status >= 0) send_bytes(r->to, part, 8 * (int64_t)flat);
    h5_pass_box(rank, size, start, count);
  }
  return status;
}

/* Data in chunks, a few rows of chunks at a time, so that each is unpacked once. */
static int send_slabs(h5_reading *r, h5_entry *e) {
  hsize_t size[IO_RANK], start[IO_RANK] = {0}, count[IO_RANK];
  int rank = H5Sget_simple_extent_dims(e->space, size, NULL);
  hsize_t row = (hsize_t)e->count / size[0], chunk = e->chunk < size[0] ? e->chunk : size[0];
  hsize_t rows = chunk * (H5_PART / (chunk * row) > 0 ? H5_PART / (chunk * row) : 1);
  if (rows > size[0]) rows = size[0];
  int64_t bytes = 8 * (int64_t)(rows * row);
  int status = room_check(r->label, &e->array, bytes, 8 * e->count, r->error);
  if (status < 0) return status;
  sender_allow(r->to, 2 * 8 * e->count + bytes);
  void *part = malloc((size_t)bytes + 8);
  if (!part) return h5_memory(r, bytes);
  send_array(r->to, &e->array, r->matlab, true);
  for (memcpy(count, size, sizeof count); start[0] < size[0] && status >= 0; start[0] += count[0]) {
    count[0] = rows < size[0] - start[0] ? rows : size[0] - start[0];
    hsize_t flat = count[0] * row;
    hid_t memory = H5Screate_simple(1, &flat, NULL);
    H5Sselect_hyperslab(e->space, H5S_SELECT_SET, start, NULL, count, NULL);
    if (rank < 1 || H5Dread(e->id, e->as, memory, e->space, H5P_DEFAULT, part) < 0) status = h5_damaged(r);
    H5Sclose(memory);
    if (status >= 0 && !in_range(e, part, (int64_t)flat)) status = too_big(r);
    if (status >= 0) send_bytes(r->to, part, 8 * (int64_t)flat);
  }
  free(part);
  return status;
}

static int send_contiguous(h5_reading *r, h5_entry *e) {
  sender_allow(r->to, 2 * 8 * e->count);
  void *part = malloc(8 * (size_t)H5_PART);
  if (!part) return h5_memory(r, 0);
  int status = send_parts(r, e, part);
  free(part);
  return status;
}

int h5_send(h5_reading *r, h5_entry *e) {
  if (e->array.type == IO_TEXT) return send_string(r, e);
  if (e->attribute || e->array.rank == 0 || e->count == 0) return send_whole(r, e);
  return e->chunked ? send_slabs(r, e) : send_contiguous(r, e);
}
