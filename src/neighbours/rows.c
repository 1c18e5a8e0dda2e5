#include "neighbours/rows.h"

#include "base/memory.h"

/* Bytes that are read at a time. */
enum { BLOCK = 4 << 20 };

static size_t size_of(lavdm_type type) {
  return type == LAVDM_F32 ? sizeof(float) : sizeof(double);
}

static int read_failed(run_t *run, int status) {
  if (run->error && run->error->message[0]) return status; /* the reader has said why */
  return fail(run->error, status, "the points could not be read");
}

/* The stripe [first, end), a block at a time. */
static int one_stripe(run_t *run, const lavdm_data *data, const double *centre, int stripe, rows_step step,
                      void *context) {
  int64_t first = data->n * stripe / STRIPES, end = data->n * (stripe + 1) / STRIPES, p = data->p;
  int64_t row = data->row_stride ? data->row_stride : p, col = data->col_stride ? data->col_stride : 1;
  size_t size = size_of(data->type);
  int64_t block = BLOCK / ((int64_t)size * p);
  if (block > end - first) block = end - first;
  if (block < 1) block = 1;
  char *buffer = data->points ? NULL : mem_new(block * p, size);
  int status = data->points || buffer ? LAVDM_OK : LAVDM_ERROR_MEMORY;
  strided_t rows = {
      .type = data->type, .row = data->points ? row : p, .col = data->points ? col : 1, .centre = centre};
  for (int64_t i = first; i < end && status >= 0 && !run_stopped(run, i - first, end - first); i += block) {
    int64_t count = end - i < block ? end - i : block;
    rows.points = data->points ? (const char *)data->points + i * row * (int64_t)size : buffer;
    if (!data->points) {
#pragma omp critical(lavdm_rows_read)
      status = data->read(data->read_user, i, count, buffer);
    }
    if (status >= 0) step(context, stripe, &rows, i, count);
  }
  mem_free(buffer);
  return status;
}

int REAL(rows_pass)(run_t *run, const lavdm_data *data, const double *centre, rows_step step, void *context) {
  int status = LAVDM_OK;
#pragma omp parallel for num_threads(run->threads) schedule(dynamic, 1)                                      \
    reduction(min                                                                                            \
              : status) if (data->n * data->p > 50000)
  for (int stripe = 0; stripe < STRIPES; stripe++) {
    int made = status < 0 ? status : one_stripe(run, data, centre, stripe, step, context);
    if (made < status) status = made;
  }
  if (status == LAVDM_ERROR_MEMORY) return fail_memory(run->error, "the points");
  return status < 0 ? read_failed(run, status) : run_status(run);
}

int REAL(rows_one)(run_t *run, const lavdm_data *data, int64_t i, double *out) {
  int64_t p = data->p, row = data->row_stride ? data->row_stride : p,
          col = data->col_stride ? data->col_stride : 1;
  strided_t rows = {.points = data->points, .type = data->type, .row = row, .col = col};
  void *buffer = NULL;
  if (!data->points) {
    buffer = mem_new(p, size_of(data->type));
    if (!buffer) return fail_memory(run->error, "a point");
    int status = data->read(data->read_user, i, 1, buffer);
    if (status < 0) {
      mem_free(buffer);
      return read_failed(run, status);
    }
    rows = (strided_t){.points = buffer, .type = data->type, .row = p, .col = 1};
    i = 0;
  }
  for (int64_t j = 0; j < p; j++) {
    int64_t at = i * rows.row + j * rows.col;
    out[j] = data->type == LAVDM_F32 ? (double)((const float *)rows.points)[at]
                                     : ((const double *)rows.points)[at];
  }
  mem_free(buffer);
  return LAVDM_OK;
}
