/*
 * Edge lists: a table of rows
 *
 *     i  k  [weight  [element ...]]
 *
 * or the arrays row, col, weight and element of a container,
 * where the element is +1 or -1 (q = 1), an angle (q = 2), a unit quaternion
 * w x y z (q = 3), or q*q numbers of an orthogonal matrix, row by row.
 */
#include "input/graph_file.h"
#include "base/command.h"
#include "input/graph_arrays.h"
#include "input/graph_matrix.h"
#include "input/pose_file.h"
#include "io/io.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const double close_enough = 1e-6;

/* The file as a table of doubles. */
typedef struct {
  const char *spec;
  io_array array;
  int64_t rows, columns;
} table;

void edge_file_free(edge_file *file) {
  if (file->poses) {
    pose_graph_free(&file->graph);
  } else {
    free(file->row);
    free(file->col);
    free(file->weight);
    free(file->element);
  }
  *file = (edge_file){0};
}

static double at(const table *t, int64_t i, int64_t j) {
  int64_t place = i * t->columns + j;
  if (t->array.type == IO_INTEGER) return (double)((const int64_t *)t->array.data)[place];
  return ((const double *)t->array.data)[place];
}

static int bad_row(const table *t, int64_t i, lavdm_error *error, const char *what, double value) {
  return refuse(error, LAVDM_ERROR_DATA, "%.200s: row %" PRId64 ": %s %g", t->spec, i + 1, what, value);
}

/* The kinds of element, in the order of lavdm_element. */
static const char *const kinds[] = {"none", "sign", "angle", "matrix", "quaternion", "auto", NULL};

enum { KIND_AUTO = POSE_ANY };

static int find_kind(const char *name, int *kind, lavdm_error *error) {
  for (*kind = 0; name && kinds[*kind]; ++*kind)
    if (!strcasecmp(kinds[*kind], name)) return LAVDM_OK;
  *kind = KIND_AUTO;
  if (!name) return LAVDM_OK;
  return refuse(error, STATUS_USAGE,
                "--element is '%.100s': it must be one of auto|none|sign|angle|matrix|quaternion", name);
}

/* The whole q with q*q = count, or 0. */
static int64_t square_root(int64_t count) {
  int64_t q = (int64_t)(sqrt((double)count) + 0.5);
  return q * q == count ? q : 0;
}

static double row_norm(const table *t, int64_t i) {
  double sum = 0;
  for (int64_t j = 3; j < t->columns; j++) sum += at(t, i, j) * at(t, i, j);
  return sqrt(sum);
}

/* One number: signs if all are exactly +1 or -1, else angles. */
static int guess_one(const table *t) {
  for (int64_t i = 0; i < t->rows; i++)
    if (fabs(at(t, i, 3)) != 1) return LAVDM_ELEMENT_ANGLE;
  return LAVDM_ELEMENT_SIGN;
}

/* Four numbers: length 1 is a quaternion, length sqrt(2) a 2 x 2 matrix. */
static int guess_four(const table *t, int *kind, lavdm_error *error) {
  *kind = KIND_AUTO;
  for (int64_t i = 0; i < t->rows; i++) {
    double norm = row_norm(t, i);
    int here = fabs(norm - 1) <= close_enough         ? LAVDM_ELEMENT_QUATERNION
               : fabs(norm - sqrt(2)) <= close_enough ? LAVDM_ELEMENT_MATRIX
                                                      : KIND_AUTO;
    if (here == KIND_AUTO)
      return bad_row(t, i, error,
                     "the element is neither a unit quaternion nor an orthogonal 2 x 2 matrix; its length is",
                     norm);
    if (*kind != KIND_AUTO && here != *kind)
      return refuse(error, LAVDM_ERROR_DATA,
                    "%.200s: row %" PRId64 ": the element is a %s, but those before it are of kind %s "
                    "(--element says which is meant)",
                    t->spec, i + 1, kinds[here], kinds[*kind]);
    *kind = here;
  }
  return LAVDM_OK;
}

/* Settles the kind of the elements and how many numbers each has. */
static int choose_kind(const table *t, int *kind, int64_t *width, lavdm_error *error) {
  int64_t extra = t->columns > 3 ? t->columns - 3 : 0;
  if (*kind == KIND_AUTO) {
    if (extra == 0) {
      *kind = LAVDM_ELEMENT_NONE;
    } else if (extra == 1) {
      *kind = guess_one(t);
    } else if (extra == 4) {
      int status = guess_four(t, kind, error);
      if (status < 0) return status;
    } else {
      *kind = LAVDM_ELEMENT_MATRIX;
    }
  }
  *width = *kind == LAVDM_ELEMENT_NONE ? 0 : extra;
  bool fits = *kind == LAVDM_ELEMENT_NONE         ? true
              : *kind == LAVDM_ELEMENT_MATRIX     ? extra > 0 && square_root(extra) > 0
              : *kind == LAVDM_ELEMENT_QUATERNION ? extra == 4
                                                  : extra == 1;
  if (fits) return LAVDM_OK;
  return refuse(error, LAVDM_ERROR_DATA,
                "%.200s has %" PRId64 " columns: elements of kind %s take 3 columns (i k weight) and %s more",
                t->spec, t->columns, kinds[*kind],
                *kind == LAVDM_ELEMENT_MATRIX       ? "1, 4, 9, ... q*q"
                : *kind == LAVDM_ELEMENT_QUATERNION ? "4"
                                                    : "1");
}

/* The largest entry of |O O' - 1| for the q x q numbers of O. */
static double orthogonality_error(const double *o, int64_t q) {
  double worst = 0;
  for (int64_t a = 0; a < q; a++)
    for (int64_t b = a; b < q; b++) {
      double sum = a == b ? -1 : 0;
      for (int64_t j = 0; j < q; j++) sum += o[a * q + j] * o[b * q + j];
      if (fabs(sum) > worst) worst = fabs(sum);
    }
  return worst;
}

static int check_element(const table *t, int64_t i, const lavdm_edges *e, const double *o, int64_t width,
                         lavdm_error *error) {
  for (int64_t j = 0; j < width; j++)
    if (!isfinite(o[j])) return bad_row(t, i, error, "the element is", o[j]);
  switch (e->kind) {
  case LAVDM_ELEMENT_SIGN:
    return fabs(o[0]) == 1 ? LAVDM_OK : bad_row(t, i, error, "the sign must be 1 or -1, and is", o[0]);
  case LAVDM_ELEMENT_QUATERNION: {
    double norm = row_norm(t, i);
    return fabs(norm - 1) <= close_enough
               ? LAVDM_OK
               : bad_row(t, i, error, "the quaternion must have length 1, and has", norm);
  }
  case LAVDM_ELEMENT_MATRIX: {
    double worst = orthogonality_error(o, e->q);
    return worst <= close_enough
               ? LAVDM_OK
               : bad_row(t, i, error, "the matrix is not orthogonal: O O' differs from the identity by",
                         worst);
  }
  default:
    return LAVDM_OK;
  }
}

static int read_node(const table *t, int64_t i, int64_t j, int64_t *node, lavdm_error *error) {
  const double end = 9007199254740992.0; /* two whole numbers may be read as this one, none as one below */
  double value = at(t, i, j);
  if (!(value >= 0 && value < end && value == floor(value)))
    return bad_row(t, i, error, "a node must be a whole number from 0 to 9007199254740991, and is", value);
  *node = (int64_t)value;
  return LAVDM_OK;
}

static int fill(const table *t, int64_t width, edge_file *out, lavdm_error *error) {
  for (int64_t i = 0; i < t->rows; i++) {
    int status = read_node(t, i, 0, &out->row[i], error);
    if (status >= 0) status = read_node(t, i, 1, &out->col[i], error);
    if (status < 0) return status;
    out->weight[i] = t->columns > 2 ? at(t, i, 2) : 1;
    if (!(out->weight[i] > 0) || !isfinite(out->weight[i]))
      return bad_row(t, i, error, "a weight must be a finite number above 0, and is", out->weight[i]);
    for (int64_t j = 0; j < width; j++) out->element[i * width + j] = at(t, i, 3 + j);
    if (width) status = check_element(t, i, &out->edges, out->element + i * width, width, error);
    if (status < 0) return status;
  }
  return LAVDM_OK;
}

static int check_table(const char *spec, table *t, lavdm_error *error) {
  t->spec = spec;
  const io_array *a = &t->array;
  if (a->type == IO_TEXT || a->rank != 2)
    return refuse(error, LAVDM_ERROR_DATA, "%.200s is not a table of edges: rows `i k weight element...`",
                  spec);
  t->rows = a->shape[0];
  t->columns = a->shape[1];
  if (t->rows < 1) return refuse(error, LAVDM_ERROR_DATA, "%.200s has no edges", spec);
  if (t->columns < 2)
    return refuse(error, LAVDM_ERROR_DATA,
                  "%.200s has %" PRId64 " column: an edge is a row `i k`, `i k weight` or "
                  "`i k weight element...`",
                  spec, t->columns);
  return LAVDM_OK;
}

/* A table of edges. */
static int read_edges(const char *spec, table *t, int kind, edge_file *out, lavdm_error *error) {
  int64_t width = 0;
  int status = check_table(spec, t, error);
  if (status >= 0) status = choose_kind(t, &kind, &width, error);
  if (status < 0) return status;
  size_t rows = (size_t)t->rows;
  out->row = calloc(rows, sizeof *out->row);
  out->col = calloc(rows, sizeof *out->col);
  out->weight = calloc(rows, sizeof *out->weight);
  out->element = calloc(rows * (size_t)(width ? width : 1), sizeof *out->element);
  if (!out->row || !out->col || !out->weight || !out->element)
    return refuse(error, LAVDM_ERROR_MEMORY, "out of memory for the edges of %.200s", spec);
  out->edges = (lavdm_edges){.size = sizeof out->edges,
                             .count = t->rows,
                             .row = out->row,
                             .col = out->col,
                             .weight = out->weight,
                             .element = width ? out->element : NULL,
                             .kind = (lavdm_element)kind,
                             .q = kind == LAVDM_ELEMENT_MATRIX ? square_root(width) : 0};
  return fill(t, width, out, error);
}

/* A table: edges, or a dense matrix of weights. */
static int read_table(const char *spec, const edge_terms *terms, int kind, edge_file *out,
                      lavdm_error *error) {
  table t = {0};
  int status = io_read(spec, &t.array, error), dense = 0;
  if (status >= 0) status = dense = matrix_is_dense(spec, &t.array, terms->form, error);
  if (status >= 0)
    status = dense ? matrix_of_dense(spec, &t.array, out, error) : read_edges(spec, &t, kind, out, error);
  io_array_free(&t.array);
  return status;
}

/* What --ends says, where the file leaves it open or agrees. */
static int settle_ends(const char *spec, const char *name, edge_file *out, lavdm_error *error) {
  static const char *const names[] = {"auto", "nodes", "landmarks", NULL};
  int ends = 0;
  while (name && names[ends] && strcasecmp(names[ends], name)) ends++;
  if (!names[ends])
    return refuse(error, STATUS_USAGE, "--ends is '%.100s': it must be one of auto|nodes|landmarks", name);
  if (!ends) return LAVDM_OK;
  if (ends == LAVDM_ENDS_NODES && out->edges.ends == LAVDM_ENDS_LANDMARKS)
    return refuse(error, LAVDM_ERROR_DATA,
                  "%.200s is no square matrix: its columns are landmarks, and not nodes as --ends says",
                  spec);
  out->edges.size = sizeof out->edges;
  out->edges.ends = (lavdm_ends)ends;
  return LAVDM_OK;
}

int edge_file_read(const char *spec, const edge_terms *terms, edge_file *out, lavdm_error *error) {
  int kind, status = find_kind(terms->element, &kind, error), found = 0;
  int poses = status >= 0 ? pose_file_read(spec, terms, kind, out, error) : 0;
  if (poses < 0) status = poses;
  if (status >= 0 && !poses) {
    status = found = matrix_file_read(spec, out, error);
    if (status == 0) status = found = edge_arrays_read(spec, terms->element, out, error);
    if (status == 0) status = read_table(spec, terms, kind, out, error);
    if (status >= 0 && found && terms->form)
      status = refuse(error, STATUS_USAGE, "--form is for tables: %.200s says itself what it is", spec);
  }
  if (status >= 0) status = settle_ends(spec, terms->ends, out, error);
  if (status < 0) edge_file_free(out);
  return status < 0 ? status : LAVDM_OK;
}

int edge_file_fits(const edge_file *file, const char *spec, int64_t n, int square, lavdm_error *error) {
  for (int64_t e = 0; e < file->edges.count; e++) {
    int64_t node = file->row[e] >= n ? file->row[e] : square && file->col[e] >= n ? file->col[e] : -1;
    if (node >= 0)
      return refuse(error, LAVDM_ERROR_DATA,
                    "%.200s: row %" PRId64 ": there is no point %" PRId64 ", as the %" PRId64
                    " points are numbered from 0",
                    spec, e + 1, node, n);
  }
  return LAVDM_OK;
}
