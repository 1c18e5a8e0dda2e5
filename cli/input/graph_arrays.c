#include "input/graph_arrays.h"
#include "base/command.h"
#include "io/io.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* The array `name` of the file. */
static int read_array(const char *path, const char *name, io_array *out, lavdm_error *error) {
  size_t size = strlen(path) + strlen(name) + 2;
  char *spec = malloc(size);
  if (!spec) return refuse(error, LAVDM_ERROR_MEMORY, "out of memory for the edges of %.200s", path);
  snprintf(spec, size, "%s:%s", path, name);
  int status = io_read(spec, out, error);
  free(spec);
  return status;
}

/* A list, or a table of one row or column. */
static bool is_list(const io_array *a) {
  return a->rank == 1 || (a->rank == 2 && (a->shape[0] == 1 || a->shape[1] == 1));
}

static int64_t *take_whole(const char *path, const char *name, io_array *a, lavdm_error *error) {
  double *real = a->data;
  int64_t *whole = a->data, count = io_array_count(a);
  if (!is_list(a)) {
    refuse(error, LAVDM_ERROR_DATA, "%.200s: '%s' is not a list", path, name);
    return NULL;
  }
  for (int64_t e = 0; a->type == IO_INTEGER && e < count; e++) {
    if (whole[e] < 9007199254740992) continue; /* as in text, where larger ones would be rounded */
    refuse(error, LAVDM_ERROR_DATA,
           "%.200s: entry %" PRId64 " of '%s' is %" PRId64 ", and may be 9007199254740991 at most", path,
           e + 1, name, whole[e]);
    return NULL;
  }
  for (int64_t e = 0; a->type != IO_INTEGER && e < count; e++) { /* MATLAB has doubles */
    if (!(fabs(real[e]) < 9e15 && real[e] == floor(real[e]))) {
      refuse(error, LAVDM_ERROR_DATA, "%.200s: entry %" PRId64 " of '%s' is no whole number: %g", path, e + 1,
             name, real[e]);
      return NULL;
    }
    int64_t number = (int64_t)real[e];
    memcpy(whole + e, &number, sizeof number);
  }
  a->data = NULL;
  return whole;
}

static double *take_reals(io_array *a) {
  int64_t count = io_array_count(a);
  char *bytes = a->data;
  for (int64_t e = 0; a->type == IO_INTEGER && e < count; e++) {
    int64_t whole;
    memcpy(&whole, bytes + 8 * e, 8);
    double real = (double)whole;
    memcpy(bytes + 8 * e, &real, 8);
  }
  double *data = a->data;
  a->data = NULL;
  return data;
}

static int64_t square_root(int64_t count) {
  int64_t q = (int64_t)(sqrt((double)count) + 0.5);
  return q * q == count ? q : 0;
}

/* The kind of the elements by their shape and type, or as it is asked for. */
static int settle_kind(const char *path, const io_array *a, const char *asked, lavdm_edges *edges,
                       lavdm_error *error) {
  int64_t count = edges->count, width = a->shape[0] == count && count ? io_array_count(a) / count : 0;
  bool free_kind = !asked || !strcasecmp(asked, "auto");
  const char *kind = !free_kind                            ? asked
                     : a->rank == 3                        ? "matrix"
                     : width == 4                          ? "quaternion"
                     : width == 1 && a->type == IO_INTEGER ? "sign"
                     : width == 1                          ? "angle"
                                                           : "matrix";
  static const char *const kinds[] = {"none", "sign", "angle", "matrix", "quaternion"};
  int found = 0;
  while (found < 5 && strcasecmp(kinds[found], kind)) found++;
  edges->kind = (lavdm_element)found;
  edges->q = found == LAVDM_ELEMENT_MATRIX ? square_root(width) : 0;
  bool fits = found == LAVDM_ELEMENT_NONE         ? true
              : found == LAVDM_ELEMENT_MATRIX     ? edges->q > 0
              : found == LAVDM_ELEMENT_QUATERNION ? width == 4
                                                  : width == 1;
  if (fits) return LAVDM_OK;
  return refuse(error, LAVDM_ERROR_DATA,
                "%.200s: 'element' has %" PRId64 " numbers for %" PRId64
                " edges, which is not what kind %s has",
                path, io_array_count(a), count, kind);
}

static int same_length(const char *path, const char *name, const io_array *a, int64_t count,
                       lavdm_error *error) {
  if (io_array_count(a) == count) return LAVDM_OK;
  return refuse(error, LAVDM_ERROR_DATA, "%.200s: 'row' has %" PRId64 " entries, and '%s' %" PRId64, path,
                count, name, io_array_count(a));
}

static int read_ends(const char *path, edge_file *out, lavdm_error *error) {
  io_array row = {0}, col = {0};
  int status = read_array(path, "row", &row, error);
  if (status >= 0) status = read_array(path, "col", &col, error);
  if (status >= 0) out->edges = (lavdm_edges){.size = sizeof out->edges, .count = io_array_count(&row)};
  if (status >= 0) status = same_length(path, "col", &col, out->edges.count, error);
  if (status >= 0 && !(out->row = take_whole(path, "row", &row, error))) status = error->status;
  if (status >= 0 && !(out->col = take_whole(path, "col", &col, error))) status = error->status;
  io_array_free(&row);
  io_array_free(&col);
  out->edges.row = out->row, out->edges.col = out->col;
  return status;
}

static int read_weights(const char *path, edge_file *out, lavdm_error *error) {
  io_array weight = {0};
  int status = io_has(path, "weight", error);
  if (status <= 0) return status;
  status = read_array(path, "weight", &weight, error);
  if (status >= 0) status = same_length(path, "weight", &weight, out->edges.count, error);
  if (status >= 0) out->edges.weight = out->weight = take_reals(&weight);
  io_array_free(&weight);
  return status;
}

static int read_elements(const char *path, const char *kind, edge_file *out, lavdm_error *error) {
  io_array element = {0};
  int status = io_has(path, "element", error);
  if (status <= 0) return status;
  status = read_array(path, "element", &element, error);
  if (status >= 0) status = settle_kind(path, &element, kind, &out->edges, error);
  if (status >= 0) out->element = take_reals(&element);
  if (status >= 0 && out->edges.kind != LAVDM_ELEMENT_NONE) out->edges.element = out->element;
  io_array_free(&element);
  return status;
}

int edge_arrays_read(const char *spec, const char *kind, edge_file *out, lavdm_error *error) {
  const char *name;
  char *path = io_split(spec, &name);
  if (!path) return refuse(error, LAVDM_ERROR_MEMORY, "out of memory for the edges of %.200s", spec);
  int status = name ? 0 : io_has(path, "row", error);
  if (status == 1) status = io_has(path, "col", error);
  if (status == 1) {
    status = read_ends(path, out, error);
    if (status >= 0) status = read_weights(path, out, error);
    if (status >= 0) status = read_elements(path, kind, out, error);
    if (status >= 0 && out->edges.count < 1)
      status = refuse(error, LAVDM_ERROR_DATA, "%.200s has no edges", path);
    if (status >= 0) status = 1;
  }
  free(path);
  return status;
}
