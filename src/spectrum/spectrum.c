#include "spectrum/spectrum.h"

#include "base/memory.h"
#include "spectrum/search.h"

#include <math.h>

enum {
  SMALL = 1000,      /* below this size a full decomposition is as fast as any */
  LITTLE = 4000000,  /* a product with fewer entries may be over before threads have met, */
  SERIAL = 100000,   /* and one with fewer than this is */
  FIRST_PAUSE = 4,   /* products before the other way is tried, times 4 whenever it was slower */
  LAST_PAUSE = 1024, /* and how far */
};

/*
 * Little products by one thread or by all, whichever is faster: on a machine
 * that others use too, threads that meet every fraction of a millisecond wait
 * for one another most of the time. Nothing else depends on the choice, as the
 * products are the same bits; but not those of a dense matrix, which BLAS makes in parts.
 */
typedef struct {
  operator_t product;
  int threads;
  bool all;            /* the way taken now */
  double seconds[2];   /* per column, when last taken: by one, by all */
  int64_t left, pause; /* products until the other way is tried */
} pace_t;

static int pace_apply(run_t *run, const void *context, const double *x, double *y, int64_t count) {
  pace_t *pace = (pace_t *)context;
  bool trial = --pace->left < 0, all = pace->all != trial;
  double began = run_clock();
  run->threads = all ? pace->threads : 1;
  int status = pace->product.apply(run, pace->product.context, x, y, count);
  run->threads = 1;
  pace->seconds[all] = (run_clock() - began) / (double)count;

  bool slower = pace->seconds[pace->all] > 1.1 * pace->seconds[!pace->all];
  if (slower) pace->all = !pace->all;
  if (slower || trial) {
    if (trial != slower && pace->pause < LAST_PAUSE) pace->pause *= 4;
    pace->left = pace->pause;
  }
  return status;
}

static int64_t entries(const symmetric_t *matrix) {
  if (matrix->dense) return matrix->size * matrix->size;
  return matrix->sparse.start[matrix->sparse.rows] * matrix->sparse.q * matrix->sparse.q;
}

static int solve_little(run_t *run, const symmetric_t *matrix, int64_t r, double goal, double *values,
                        double *vectors, double *residuals) {
  int threads = run->threads;
  pace_t pace = {symmetric_operator(matrix), threads, false, {0, INFINITY}, FIRST_PAUSE, FIRST_PAUSE};
  bool one = threads == 1 || entries(matrix) < SERIAL;
  operator_t op = pace.product;
  if (matrix->dense)
    return solve_iterative(run, &op, r, goal, values, vectors, residuals); /* bits of its own */
  if (!one) op.apply = pace_apply, op.context = &pace;
  run->threads = 1;
  int status = solve_iterative(run, &op, r, goal, values, vectors, residuals);
  run->threads = threads;
  return status;
}

static bool is_iterative(int64_t size, int64_t r) {
  return size > SMALL && r < size / 5;
}

/* What residuals are to reach: below what is warned about, so that eigenvectors are good across small gaps;
 * further below where it costs little. */
static double goal_of(const run_t *run, bool little) {
  return fmax((little ? 1e-3 : 1e-2) * run->options.tolerance, 1e-13);
}

int spectrum_of(run_t *run, const operator_t *op, int64_t r, double *values, double *vectors,
                double *residuals) {
  return solve_iterative(run, op, r, goal_of(run, false), values, vectors, residuals);
}

int spectrum_top(run_t *run, const symmetric_t *matrix, int64_t r, double *values, double *vectors,
                 double *residuals) {
  operator_t op = symmetric_operator(matrix);
  if (is_iterative(operator_total(&op), r)) {
    int64_t count = entries(matrix);
    if (team_count(op.team, &count, 1) < 0) return fail_memory(run->error, "the eigenvalue problem");
    if (count >= LITTLE) return spectrum_of(run, &op, r, values, vectors, residuals);
    return solve_little(run, matrix, r, goal_of(run, true), values, vectors, residuals);
  }
  double *dense = symmetric_dense(matrix);
  int status = team_agree(op.team, dense ? LAVDM_OK : fail_memory(run->error, "the eigenvalue problem"));
  if (!status) status = solve_rows(run, &op, dense, r, values, vectors);
  mem_free(dense);
  return status < 0 ? status : solve_residuals(run, &op, r, values, vectors, residuals);
}

double spectrum_bytes(int64_t size, int64_t total, int64_t r) {
  double n = (double)size, all = (double)total, gathered = total > size ? (double)search_width() : 0;
  return is_iterative(total, r) ? 8 * (n * (double)search_vectors(total, r) + all * gathered)
                                : 16 * all * all;
}
