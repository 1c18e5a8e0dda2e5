/* Cells of an .h5ad file: what the child sent, checked, and a sparse matrix made dense. */
#include "io/h5ad.h"
#include "io/room.h"
#include "io/table.h"

#include <stdlib.h>
#include <string.h>

static io_array *find(const io_list *list, const char *name) {
  for (int i = 0; i < list->count; i++)
    if (list->array[i].name && !strcmp(list->array[i].name, name)) return &list->array[i];
  return NULL;
}

static void take_texts(const io_list *list, const char *name, io_texts *out) {
  io_array *a = find(list, name);
  if (!a || a->type != IO_TEXT || !a->data) return;
  *out = (io_texts){.count = 1, .bytes = a->shape[0], .text = a->data};
  a->data = NULL;
  for (const char *at = out->text; (at = strchr(at, '\n')); at++) out->count++;
}

static int fail_sparse(const char *path, const char *what, lavdm_error *error) {
  return io_fail(error, LAVDM_ERROR_DATA, path, "its sparse matrix is damaged: %s", what);
}

/* A sparse matrix as it came. */
typedef struct {
  int64_t rows, columns, lines, width, stored; /* lines are rows (CSR) or columns (CSC) */
  bool by_row;
  const int64_t *start, *index;
  const io_array *data;
} sparse_matrix;

static int check_sparse(const char *path, const io_list *list, sparse_matrix *m, lavdm_error *error) {
  const io_array *shape = find(list, "shape"), *index = find(list, "indices"), *start = find(list, "indptr");
  m->data = find(list, "data");
  if (!shape || !index || !start || !m->data || shape->type != IO_INTEGER || index->type != IO_INTEGER ||
      start->type != IO_INTEGER || m->data->type == IO_TEXT || io_array_count(shape) != 3)
    return fail_sparse(path, "a part is missing", error);
  const int64_t *size = shape->data;
  *m = (sparse_matrix){.rows = size[0], .columns = size[1], .by_row = size[2] != 0, .data = m->data};
  m->lines = m->by_row ? m->rows : m->columns;
  m->width = m->by_row ? m->columns : m->rows;
  m->stored = io_array_count(m->data);
  m->start = start->data;
  m->index = index->data;
  if (m->rows < 0 || m->columns < 0 || checked_product(m->rows, m->columns) < 0 ||
      io_array_count(start) != m->lines + 1 || io_array_count(index) != m->stored)
    return fail_sparse(path, "its parts do not fit together", error);
  if (m->start[0] != 0 || m->start[m->lines] != m->stored) return fail_sparse(path, "indptr is wrong", error);
  for (int64_t i = 0; i < m->lines; i++)
    if (m->start[i] > m->start[i + 1]) return fail_sparse(path, "indptr goes down", error);
  for (int64_t k = 0; k < m->stored; k++)
    if (m->index[k] < 0 || m->index[k] >= m->width)
      return fail_sparse(path, "an index is out of range", error);
  return LAVDM_OK;
}

/* Every row whole, if memory allows; rows that stay sparse would begin here. */
static int make_dense(const char *path, const sparse_matrix *m, io_array *out, lavdm_error *error) {
  int64_t shape[] = {m->rows, m->columns};
  if (!array_describe(out, NULL, IO_REAL, 2, shape)) return io_memory(error, path, 0);
  int status = array_allocate(out, path, 24 * m->stored, error);
  if (status < 0) return status;
  double *value = out->data;
  memset(value, 0, (size_t)(m->rows * m->columns) * sizeof *value);
  bool whole = m->data->type == IO_INTEGER;
  for (int64_t i = 0; i < m->lines; i++)
    for (int64_t k = m->start[i]; k < m->start[i + 1]; k++) {
      int64_t at = m->by_row ? i * m->columns + m->index[k] : m->index[k] * m->columns + i;
      value[at] += whole ? (double)((const int64_t *)m->data->data)[k] : ((const double *)m->data->data)[k];
    }
  return LAVDM_OK;
}

static int take_points(const char *path, const io_list *list, io_cells *out, lavdm_error *error) {
  io_array *dense = find(list, "points");
  sparse_matrix m = {0};
  out->stored = -1;
  if (dense && (dense->type == IO_REAL || dense->type == IO_INTEGER) && dense->rank == 2) {
    out->points = *dense;
    *dense = (io_array){0};
    return LAVDM_OK;
  }
  int status = check_sparse(path, list, &m, error);
  if (status >= 0) status = make_dense(path, &m, &out->points, error);
  out->stored = m.stored;
  return status;
}

static int check_counts(const char *path, const io_cells *c, lavdm_error *error) {
  int64_t n = c->points.shape[0];
  if ((c->ids.text && c->ids.count != n) || (c->labels.text && c->labels.count != n))
    return io_fail(error, LAVDM_ERROR_DATA, path, "obs and %s have different numbers of rows", c->part);
  return LAVDM_OK;
}

int io_cells_read(const char *spec, const char *labels, const char *ids, io_cells *out, lavdm_error *error) {
  io_list list = {0};
  *out = (io_cells){0};
  size_t length = io_file_part(spec);
  char *path = strndup(spec, length);
  if (!path) return io_memory(error, spec, 0);
  io_stamp stamp = io_stamp_of(path);
  h5ad_question q = {path, spec[length] ? spec + length + 1 : NULL, labels, ids};
  int status = h5ad_ask(&q, &list, error);
  if (status >= 0) status = take_points(path, &list, out, error);
  if (status >= 0) {
    io_texts part = {0}, columns = {0};
    take_texts(&list, "part", &part);
    take_texts(&list, "columns", &columns);
    out->part = part.text;
    out->columns = columns.text;
    take_texts(&list, "ids", &out->ids);
    take_texts(&list, "labels", &out->labels);
    take_texts(&list, "names", &out->names);
    if (out->names.count != out->points.shape[1]) io_texts_free(&out->names);
    status = out->part ? check_counts(path, out, error) : fail_sparse(path, "it has no name", error);
  }
  if (status >= 0) status = io_stamp_check(path, &stamp, error);
  list_free(&list);
  free(path);
  return io_settled(status, error);
}

void io_cells_free(io_cells *c) {
  io_array_free(&c->points);
  io_texts_free(&c->ids);
  io_texts_free(&c->labels);
  io_texts_free(&c->names);
  free(c->part);
  free(c->columns);
  *c = (io_cells){0};
}
