/*
 * A preconditioner for eigenvectors where edges nearly agree: with rotations G_i that the edges nearly carry
 * into each other, and s_i^2 the weights at i, 1 - D^-1/2 S D^-1/2 is nearly G s^-1 L s^-1 G' for the plain
 * Laplacian L of the weights, but for a small multiple of one that shifts take away: T = G s L^-1 s G'.
 */
#include "sync/gauge.h"

#include "base/memory.h"
#include "sync/plain.h"

struct gauge {
  int64_t n, q, columns;
  const double *frame; /* n x q x q: s_i G_i */
  plain_t *grid;
  double *from, *to; /* n x (q columns) */
};

void gauge_free(gauge_t *gauge) {
  if (!gauge) return;
  plain_free(gauge->grid);
  mem_free(gauge->from);
  mem_free(gauge->to);
  mem_free(gauge);
}

int gauge_new(run_t *run, const part_t *part, const double *frame, int64_t columns, gauge_t **out) {
  int64_t count = part->n * part->q * columns;
  gauge_t *gauge = NEW(gauge_t, 1);
  *out = NULL;
  if (!gauge) return fail_memory(run->error, "the eigenvectors");
  *gauge = (gauge_t){part->n, part->q, columns, frame, NULL, NEW(double, count), NEW(double, count)};
  int status = gauge->from && gauge->to ? LAVDM_OK : fail_memory(run->error, "the eigenvectors");
  if (!status) status = plain_new(run, part, part->weight, NULL, part->q * columns, &gauge->grid);
  if (status < 0)
    gauge_free(gauge);
  else
    *out = gauge;
  return status;
}

/* y = F'x or F x at a node: q x c each, rows apart by their strides. */
static inline __attribute__((always_inline)) void carry(int64_t q, int64_t c, bool back, const double *f,
                                                        const double *x, int64_t x_stride, double *y,
                                                        int64_t y_stride) {
  for (int64_t a = 0; a < q; a++)
    for (int64_t l = 0; l < c; l++) {
      double sum = 0;
      for (int64_t k = 0; k < q; k++) sum += (back ? f[a * q + k] : f[k * q + a]) * x[k * x_stride + l];
      y[a * y_stride + l] = sum;
    }
}

static inline __attribute__((always_inline)) void carry_node(int64_t q, int64_t c, bool back, const double *f,
                                                             const double *x, int64_t x_stride, double *y,
                                                             int64_t y_stride) {
  if (q == 2 && c == 4)
    carry(2, 4, back, f, x, x_stride, y, y_stride);
  else if (q == 3 && c == 6)
    carry(3, 6, back, f, x, x_stride, y, y_stride);
  else
    carry(q, c, back, f, x, x_stride, y, y_stride);
}

void gauge_apply(const run_t *run, gauge_t *g, panel_t r, panel_t z) {
  int64_t n = g->n, q = g->q, c = g->columns;
#pragma omp parallel for num_threads(run->threads) schedule(static)
  for (int64_t i = 0; i < n; i++)
    carry_node(q, c, false, g->frame + i * q * q, r.data + i * q * r.stride, r.stride, g->from + i * q * c,
               c);
  plain_apply_twice(run, g->grid, q * c, g->from, g->to);
#pragma omp parallel for num_threads(run->threads) schedule(static)
  for (int64_t i = 0; i < n; i++)
    carry_node(q, c, true, g->frame + i * q * q, g->to + i * q * c, c, z.data + i * q * z.stride, z.stride);
}
