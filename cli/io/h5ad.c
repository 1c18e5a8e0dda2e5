/* Cells of an .h5ad file: what the child sent, checked; a sparse matrix may be made dense. */
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

static int fail_parts(const char *path, lavdm_error *error) {
  return io_fail(error, LAVDM_ERROR_DATA, path, "its matrix lacks a part (damaged?)");
}

static int take_points(const char *path, const io_list *list, io_cells *out, lavdm_error *error) {
  io_array *dense = find(list, "points"), *shape = find(list, "shape"), *data = find(list, "data");
  io_array *index = find(list, "indices"), *start = find(list, "indptr");
  if (dense && (dense->type == IO_REAL || dense->type == IO_INTEGER) && dense->rank == 2) {
    out->points = *dense;
    *dense = (io_array){0};
    return LAVDM_OK;
  }
  if (!shape || !data || !index || !start || shape->type != IO_INTEGER || io_array_count(shape) != 3)
    return fail_parts(path, error);
  const int64_t *size = shape->data;
  return sparse_make(path, size[2] ? "csr" : "csc", size[0], size[1], data, index, start, &out->sparse,
                     error);
}

int io_cells_dense(const char *path, io_cells *c, lavdm_error *error) {
  io_sparse *s = &c->sparse;
  int64_t shape[] = {s->rows, s->cols};
  if (!s->start) return LAVDM_OK;
  if (!array_describe(&c->points, NULL, IO_REAL, 2, shape)) return io_memory(error, path, 0);
  int status = array_allocate(&c->points, path, 16 * s->count, error);
  if (status < 0) return status;
  double *value = c->points.data;
  memset(value, 0, (size_t)(s->rows * s->cols) * sizeof *value);
  for (int64_t i = 0; i < s->rows; i++)
    for (int64_t e = s->start[i]; e < s->start[i + 1]; e++) value[i * s->cols + s->index[e]] = s->value[e];
  io_sparse_free(s);
  return LAVDM_OK;
}

static int check_counts(const char *path, const io_cells *c, lavdm_error *error) {
  int64_t n = c->sparse.start ? c->sparse.rows : c->points.shape[0];
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
    if (out->names.count != (out->sparse.start ? out->sparse.cols : out->points.shape[1]))
      io_texts_free(&out->names);
    status = out->part ? check_counts(path, out, error) : fail_parts(path, error);
  }
  if (status >= 0) status = io_stamp_check(path, &stamp, error);
  list_free(&list);
  free(path);
  return io_settled(status, error);
}

void io_cells_free(io_cells *c) {
  io_array_free(&c->points);
  io_sparse_free(&c->sparse);
  io_texts_free(&c->ids);
  io_texts_free(&c->labels);
  io_texts_free(&c->names);
  free(c->part);
  free(c->columns);
  *c = (io_cells){0};
}
