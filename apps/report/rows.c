#include "report/rows.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK_BYTES = 1 << 22 };

bool report_rows_of(report_page *p, const lavdm_data *data, const char *name, int64_t n, report_rows *out) {
  *out = (report_rows){.name = name};
  if (p->status < 0 || !data) return false;
  size_t size = data->size ? data->size : offsetof(lavdm_data, sparse);
  memcpy(&out->data, data, size < sizeof out->data ? size : sizeof out->data);
  if (out->data.distances) return false;
  out->sparse = out->data.sparse;
  if (out->sparse) out->data.n = out->sparse->rows, out->data.p = out->sparse->cols;
  if (!out->sparse && !out->data.points && !out->data.read) return false;
  if (n >= 0 && out->data.n != n)
    report_fail(p, LAVDM_ERROR_DATA, "%s has %lld rows, and the result %lld points", name,
                (long long)out->data.n, (long long)n);
  else if (out->data.p < 1)
    report_fail(p, LAVDM_ERROR_DATA, "%s has no columns", name);
  return p->status >= 0;
}

bool report_rows_in(report_page *p, const lavdm_item *array, report_rows *out) {
  lavdm_data data = {.points = array->data,
                     .n = array->shape[0],
                     .p = 1,
                     .type = array->type == LAVDM_ITEM_SINGLE    ? LAVDM_F32
                             : array->type == LAVDM_ITEM_INTEGER ? LAVDM_I64
                                                                 : LAVDM_F64};
  for (int k = 1; k < array->rank; k++) data.p *= array->shape[k];
  return report_rows_of(p, &data, array->name, p->n, out);
}

static void sparse_row(const lavdm_sparse *s, int64_t i, double *x) {
  memset(x, 0, (size_t)s->cols * sizeof *x);
  for (int64_t e = s->start[i]; e < s->start[i + 1]; e++)
    if (s->index[e] >= 0 && s->index[e] < s->cols) x[s->index[e]] = s->value[e];
}

/* Row i of an array in memory, with its strides. */
static void memory_row(const lavdm_data *d, const void *points, int64_t i, int64_t row_stride,
                       int64_t col_stride, double *x) {
  for (int64_t j = 0; j < d->p; j++) {
    int64_t at = i * row_stride + j * col_stride;
    x[j] = d->type == LAVDM_F32   ? (double)((const float *)points)[at]
           : d->type == LAVDM_I64 ? (double)((const int64_t *)points)[at]
                                  : ((const double *)points)[at];
  }
}

/* Rows in parts of a file, each of which is read once. */
static void each_read(report_page *p, const report_rows *from, const int64_t *row, int64_t count, double *x,
                      report_take take, void *user) {
  const lavdm_data *d = &from->data;
  size_t width = (size_t)d->p * (d->type == LAVDM_F32 ? 4 : 8);
  int64_t part = (int64_t)(CHUNK_BYTES / width) + 1, first = -1, have = 0;
  char *buffer = malloc((size_t)part * width);
  if (!buffer) report_no_memory(p, from->name);
  for (int64_t k = 0; k < count && p->status >= 0; k++) {
    int64_t i = row ? row[k] : k;
    if (first < 0 || i >= first + have) {
      first = i, have = d->n - i < part ? d->n - i : part;
      int status = d->read(d->read_user, first, have, buffer);
      if (status < 0) report_fail(p, status, "%s: rows could not be read", from->name);
      if (status < 0) break;
    }
    memory_row(d, buffer, i - first, d->p, 1, x);
    for (int64_t j = 0; from->centre.data && j < d->p; j++) x[j] += report_value(&from->centre, j);
    take(user, k, x);
  }
  free(buffer);
}

void report_rows_each(report_page *p, const report_rows *from, const int64_t *row, int64_t count,
                      report_take take, void *user) {
  const lavdm_data *d = &from->data;
  int64_t row_stride = d->row_stride || d->col_stride ? d->row_stride : d->p;
  int64_t col_stride = d->row_stride || d->col_stride ? d->col_stride : 1;
  if (p->status < 0) return;
  double *x = malloc((size_t)d->p * sizeof *x);
  if (!x) {
    report_no_memory(p, from->name);
    return;
  }
  if (!from->sparse && !d->points)
    each_read(p, from, row, count, x, take, user);
  else
    for (int64_t k = 0; k < count; k++) {
      int64_t i = row ? row[k] : k;
      if (from->sparse)
        sparse_row(from->sparse, i, x);
      else
        memory_row(d, d->points, i, row_stride, col_stride, x);
      for (int64_t j = 0; from->centre.data && j < d->p; j++) x[j] += report_value(&from->centre, j);
      take(user, k, x);
    }
  free(x);
}
