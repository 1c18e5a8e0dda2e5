#include "input/graph_matrix.h"
#include "base/command.h"
#include "io/mtx.h"
#include "io/scipy.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* The library takes no weights below this: tails of a Gaussian, say, which join nothing. */
#define LEAST_WEIGHT 1e-100

/* Takes row, col and weight over; entries that are zero go, and those that are next to it, which is noted. */
static int take_entries(const char *spec, int64_t rows, int64_t cols, int64_t count, edge_file *out,
                        lavdm_error *error) {
  int64_t kept = 0, faint = 0;
  for (int64_t e = 0; e < count; e++) {
    double w = out->weight[e];
    faint += w > 0 && w < LEAST_WEIGHT;
    if (w >= 0 && w < LEAST_WEIGHT) continue;
    if (!(w > 0) || !isfinite(w))
      return refuse(error, LAVDM_ERROR_DATA,
                    "%.200s: row %" PRId64 ", column %" PRId64
                    ": a weight must be a finite number above 0, or 0 for no edge, and is %g",
                    spec, out->row[e] + 1, out->col[e] + 1, w);
    out->row[kept] = out->row[e], out->col[kept] = out->col[e], out->weight[kept++] = w;
  }
  if (!kept)
    return refuse(error, LAVDM_ERROR_DATA, "%.200s has no edges: all weights are zero, or below %g", spec,
                  LEAST_WEIGHT);
  if (faint)
    snprintf(out->note, sizeof out->note, "%" PRId64 " weights below %g were taken for no edge", faint,
             LEAST_WEIGHT);
  out->nodes = rows, out->columns = cols;
  out->edges = (lavdm_edges){.size = sizeof out->edges,
                             .count = kept,
                             .row = out->row,
                             .col = out->col,
                             .weight = out->weight,
                             .kind = LAVDM_ELEMENT_NONE,
                             .ends = rows == cols ? LAVDM_ENDS_NODES : LAVDM_ENDS_LANDMARKS};
  return LAVDM_OK;
}

/* ------------------------------------------------------------------ sparse */

/* Rows as entries; the lists of columns and values go over as they are. */
static int of_sparse(const char *spec, io_sparse *s, edge_file *out, lavdm_error *error) {
  out->row = calloc((size_t)(s->count > 0 ? s->count : 1), sizeof *out->row);
  if (!out->row) return refuse(error, LAVDM_ERROR_MEMORY, "out of memory for the edges of %.200s", spec);
  for (int64_t i = 0; i < s->rows; i++)
    for (int64_t e = s->start[i]; e < s->start[i + 1]; e++) out->row[e] = i;
  out->col = s->index, out->weight = s->value;
  s->index = NULL, s->value = NULL;
  return take_entries(spec, s->rows, s->cols, s->count, out, error);
}

static int of_mtx(const char *spec, mtx_file *m, edge_file *out, lavdm_error *error) {
  out->row = m->row, out->col = m->col, out->weight = m->value;
  m->row = m->col = NULL, m->value = NULL;
  return take_entries(spec, m->rows, m->cols, m->count, out, error);
}

static bool ends_in(const char *path, const char *end) {
  size_t length = strlen(path), tail = strlen(end);
  return length > tail && !strcasecmp(path + length - tail, end);
}

/* 1 and the matrix, or 0. */
static int read_sparse(const char *spec, io_sparse *s, lavdm_error *error) {
  const char *name;
  char *path = io_split(spec, &name);
  if (!path) return refuse(error, LAVDM_ERROR_MEMORY, "out of memory for the edges of %.200s", spec);
  int status = 0;
  if (ends_in(path, ".mat")) {
    status = mat_read_sparse(path, name, s, error);
  } else if (ends_in(path, ".npz") && !name) {
    status = scipy_is(path, error);
    if (status == 1) status = scipy_read(path, s, error);
    status = status < 0 ? status : s->start != NULL;
  }
  free(path);
  return status;
}

int matrix_file_read(const char *spec, edge_file *out, lavdm_error *error) {
  io_sparse sparse = {0};
  mtx_file market = {0};
  bool mtx = mtx_is(spec);
  int status = mtx ? mtx_read(spec, &market, error) : read_sparse(spec, &sparse, error);
  if (mtx && status >= 0) status = of_mtx(spec, &market, out, error) < 0 ? error->status : 1;
  if (!mtx && status == 1) status = of_sparse(spec, &sparse, out, error) < 0 ? error->status : 1;
  io_sparse_free(&sparse);
  mtx_free(&market);
  if (status < 0) edge_file_free(out);
  return status;
}

/* ------------------------------------------------------------------- dense */

static double at(const io_array *t, int64_t i, int64_t k) {
  int64_t place = i * t->shape[1] + k;
  return t->type == IO_INTEGER ? (double)((const int64_t *)t->data)[place] : ((const double *)t->data)[place];
}

static bool is_node(double x) {
  return x >= 0 && x < 9e15 && x == floor(x);
}

/* Two numbers of nodes, a weight, and an element of 1, 4, 9, ... numbers. */
static bool could_be_edges(const io_array *t) {
  int64_t columns = t->shape[1], extra = columns > 3 ? columns - 3 : 0,
          q = (int64_t)(sqrt((double)extra) + 0.5);
  if (columns < 2 || q * q != extra) return false;
  for (int64_t i = 0; i < t->shape[0]; i++)
    if (!is_node(at(t, i, 0)) || !is_node(at(t, i, 1)) || (columns > 2 && !(at(t, i, 2) > 0))) return false;
  return true;
}

static bool could_be_weights(const io_array *t) {
  for (int64_t i = 0; i < t->shape[0]; i++)
    for (int64_t k = 0; k <= i; k++)
      if (!(at(t, i, k) >= 0) || !(fabs(at(t, i, k) - at(t, k, i)) <= 1e-9 * at(t, i, k))) return false;
  return true;
}

int matrix_is_dense(const char *spec, const io_array *t, const char *form, lavdm_error *error) {
  if (form && strcmp(form, "edges") && strcmp(form, "affinity"))
    return refuse(error, STATUS_USAGE, "--form is '%.100s': it must be edges or affinity", form);
  if (form) return !strcmp(form, "affinity");
  if (t->type == IO_TEXT || t->rank != 2 || t->shape[0] != t->shape[1] || t->shape[0] < 2) return 0;
  if (!could_be_edges(t)) return 1;
  if (!could_be_weights(t)) return 0;
  return refuse(error, LAVDM_ERROR_DATA,
                "%.200s is %" PRId64 " x %" PRId64
                ": a list of edges, or a matrix of weights? Say which: --form edges or --form affinity",
                spec, t->shape[0], t->shape[1]);
}

int matrix_of_dense(const char *spec, const io_array *t, edge_file *out, lavdm_error *error) {
  if (t->type == IO_TEXT || t->rank != 2)
    return refuse(error, LAVDM_ERROR_DATA, "%.200s is not a matrix of weights", spec);
  int64_t rows = t->shape[0], cols = t->shape[1], count = 0, found = 0;
  for (int64_t i = 0; i < rows; i++)
    for (int64_t k = 0; k < cols; k++) count += at(t, i, k) != 0;
  size_t room = (size_t)(count > 0 ? count : 1);
  out->row = malloc(room * sizeof *out->row);
  out->col = malloc(room * sizeof *out->col);
  out->weight = malloc(room * sizeof *out->weight);
  if (!out->row || !out->col || !out->weight)
    return refuse(error, LAVDM_ERROR_MEMORY, "out of memory for the edges of %.200s", spec);
  for (int64_t i = 0; i < rows; i++)
    for (int64_t k = 0; k < cols; k++) {
      double w = at(t, i, k);
      if (w == 0) continue;
      out->row[found] = i, out->col[found] = k, out->weight[found++] = w;
    }
  return take_entries(spec, rows, cols, count, out, error);
}

/* --------------------------------------------------------------- new nodes */

int edge_file_towards(edge_file *file, const char *spec, const lavdm_model *model, lavdm_error *error) {
  const lavdm_array *nodes = lavdm_get(model, "nodes"), *marks = lavdm_get(model, "landmark_nodes");
  bool among = marks && lavdm_get(model, "landmark_index"); /* landmarks are nodes */
  if (!file->columns || (!nodes && !marks)) return LAVDM_OK;
  const lavdm_array *numbers = marks && marks->shape[0] == file->columns                        ? marks
                               : nodes && (among || !marks) && nodes->shape[0] == file->columns ? nodes
                                                                                                : NULL;
  if (!numbers)
    return refuse(error, LAVDM_ERROR_DATA,
                  "%.200s is a matrix of %" PRId64 " columns, and the model has %" PRId64 " nodes%s%.0" PRId64
                  "%s",
                  spec, file->columns, lavdm_info(model)->n, marks ? " and " : "",
                  marks ? marks->shape[0] : 0, marks ? " landmarks" : "");
  const int64_t *number = numbers->data;
  for (int64_t e = 0; e < file->edges.count; e++) file->col[e] = number[file->col[e]];
  return LAVDM_OK;
}
