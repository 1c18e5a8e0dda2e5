/* See distance_file.h. Sizes and indices that lie are refused here or by the library, before they are used.
 */
#include "input/distance_file.h"
#include "base/command.h"
#include "io/formats.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void distance_file_free(distance_file *file) {
  io_array_free(&file->value);
  io_array_free(&file->index);
  io_array_free(&file->start);
  io_sparse_free(&file->sparse);
  *file = (distance_file){0};
}

/* ---------------------------------------------------------------- numbers */

static int64_t whole_at(const io_array *a, int64_t i) {
  int64_t whole;
  memcpy(&whole, (const char *)a->data + 8 * i, 8);
  return whole;
}

/* Whole numbers as doubles, in place. */
static int as_reals(io_array *a, const char *spec, const char *name, lavdm_error *error) {
  if (a->type == IO_TEXT)
    return refuse(error, LAVDM_ERROR_DATA, "%.200s: %s holds text, not numbers", spec, name);
  for (int64_t i = 0; a->type == IO_INTEGER && i < io_array_count(a); i++) {
    double real = (double)whole_at(a, i);
    memcpy((char *)a->data + 8 * i, &real, 8);
  }
  if (a->type == IO_INTEGER) a->type = IO_REAL;
  return LAVDM_OK;
}

/* Doubles that are whole numbers, as some tools write indices, become such in place. */
static int as_indices(io_array *a, const char *spec, const char *name, lavdm_error *error) {
  for (int64_t i = 0; a->type == IO_REAL && i < io_array_count(a); i++) {
    double real;
    memcpy(&real, (const char *)a->data + 8 * i, 8);
    int64_t whole = real > -1e15 && real < 1e15 ? (int64_t)real : 0;
    if ((double)whole != real)
      return refuse(error, LAVDM_ERROR_DATA, "%.200s: %s holds %g, which is no whole number", spec, name,
                    real);
    memcpy((char *)a->data + 8 * i, &whole, 8);
  }
  if (a->type == IO_REAL) a->type = IO_INTEGER;
  return a->type == IO_INTEGER
             ? LAVDM_OK
             : refuse(error, LAVDM_ERROR_DATA, "%.200s: %s must hold whole numbers", spec, name);
}

/* ----------------------------------------------------------------- matrix */

static int use_matrix(const char *spec, distance_file *out, lavdm_error *error) {
  io_array *a = &out->value;
  int status = as_reals(a, spec, "the matrix", error);
  if (status < 0) return status;
  if (a->rank != 2)
    return refuse(error, LAVDM_ERROR_DATA,
                  "%.200s has %d ax%s, where --metric precomputed takes a matrix of distances", spec, a->rank,
                  a->rank == 1 ? "is" : "es");
  out->distances = (lavdm_distances){.size = sizeof out->distances,
                                     .rows = a->shape[0],
                                     .cols = a->shape[1],
                                     .value = a->data,
                                     .type = a->type == IO_SINGLE ? LAVDM_F32 : LAVDM_F64};
  return LAVDM_OK;
}

/* ------------------------------------------------------------------ lists */

static io_array *find(io_array *arrays, int count, const char *name) {
  for (int i = 0; i < count; i++)
    if (arrays[i].name && !strcmp(arrays[i].name, name)) return &arrays[i];
  return NULL;
}

static void move(io_array *from, io_array *to) {
  *to = *from;
  *from = (io_array){0};
}

/* n x k indices and distances. */
static int use_pairs(const char *spec, io_array *index, io_array *value, distance_file *out,
                     lavdm_error *error) {
  move(index, &out->index);
  move(value, &out->value);
  const io_array *i = &out->index, *d = &out->value;
  int status = as_indices(&out->index, spec, "indices", error);
  if (status >= 0) status = as_reals(&out->value, spec, "distances", error);
  if (status < 0) return status;
  if (i->rank != 2 || d->rank != 2 || i->shape[0] != d->shape[0] || i->shape[1] != d->shape[1])
    return refuse(error, LAVDM_ERROR_DATA,
                  "%.200s: indices and distances must both be n x k, the neighbours of each row", spec);
  int64_t n = i->shape[0], k = i->shape[1], size = n + 1;
  if (!array_describe(&out->start, "start", IO_INTEGER, 1, &size)) return io_memory(error, spec, 0);
  status = array_allocate(&out->start, spec, 0, error);
  for (int64_t r = 0; r <= n && status >= 0; r++) ((int64_t *)out->start.data)[r] = r * k;
  out->distances = (lavdm_distances){.size = sizeof out->distances,
                                     .rows = n,
                                     .cols = n,
                                     .value = out->value.data,
                                     .type = out->value.type == IO_SINGLE ? LAVDM_F32 : LAVDM_F64,
                                     .start = out->start.data,
                                     .index = out->index.data};
  return status;
}

/* 1 if the arrays of a container are lists, or one matrix; 0: it is another kind of file. */
static int use_arrays(const char *spec, io_array *arrays, int count, distance_file *out, lavdm_error *error) {
  io_array *index = find(arrays, count, "indices"), *value = find(arrays, count, "distances");
  int status = 0;
  if (index && value)
    status = use_pairs(spec, index, value, out, error);
  else if (count == 1) {
    move(&arrays[0], &out->value);
    status = use_matrix(spec, out, error);
  } else
    return 0;
  return status < 0 ? status : 1;
}

/* Whether the name ends as those of files with several arrays do; FILE:NAME does not. */
static bool is_container(const char *spec) {
  static const char *const ends[] = {".npz", ".mat", ".h5", ".hdf5"};
  size_t length = strlen(spec);
  for (size_t k = 0; k < sizeof ends / sizeof *ends; k++)
    if (length > strlen(ends[k]) && !strcmp(spec + length - strlen(ends[k]), ends[k])) return true;
  return false;
}

/* What scipy.sparse.save_npz wrote: 1; 0: it is another kind of file. */
static int use_sparse(const char *spec, distance_file *out, lavdm_error *error) {
  int status = scipy_is(spec, error);
  if (status <= 0) return status;
  io_sparse *s = &out->sparse;
  status = scipy_read(spec, s, error);
  out->distances = (lavdm_distances){.size = sizeof out->distances,
                                     .rows = s->rows,
                                     .cols = s->cols,
                                     .value = s->value,
                                     .start = s->start,
                                     .index = s->index};
  return status < 0 ? status : 1;
}

int distance_file_read(const char *spec, distance_file *out, lavdm_error *error) {
  int status = use_sparse(spec, out, error);
  if (status == 0 && is_container(spec)) {
    io_array *arrays = NULL;
    int count = 0;
    status = io_read_all(spec, &arrays, &count, error);
    if (status >= 0) status = use_arrays(spec, arrays, count, out, error);
    for (int i = 0; i < count; i++) io_array_free(&arrays[i]);
    free(arrays);
  }
  if (status == 0) {
    status = io_read_points(spec, &out->value, error);
    if (status >= 0) status = use_matrix(spec, out, error);
  }
  return status < 0 ? status : LAVDM_OK;
}
