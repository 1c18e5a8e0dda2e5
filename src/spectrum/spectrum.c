#include "spectrum/spectrum.h"

#include "base/memory.h"

#include <math.h>

enum {
  SMALL = 1000,     /* below this size a full decomposition is as fast as any */
  SERIAL = 4000000, /* a product with fewer entries is over before threads have met */
};

static int64_t entries(const symmetric_t *matrix) {
  if (matrix->dense) return matrix->size * matrix->size;
  return matrix->sparse.start[matrix->sparse.rows] * matrix->sparse.q * matrix->sparse.q;
}

int spectrum_top(run_t *run, const symmetric_t *matrix, int64_t r, double *values, double *vectors,
                 double *residuals) {
  operator_t op = symmetric_operator(matrix);
  if (matrix->size > SMALL && r < matrix->size / 5) {
    /* below what is warned about, so that eigenvectors are good across small gaps;
     * further below where it costs little */
    bool little = entries(matrix) < SERIAL;
    double goal = fmax((little ? 1e-4 : 1e-2) * run->options.tolerance, 1e-13);
    int threads = run->threads;
    if (little) run->threads = 1;
    int status = solve_iterative(run, &op, r, goal, values, vectors, residuals);
    run->threads = threads;
    return status;
  }
  double *dense = symmetric_dense(matrix);
  if (!dense) return fail_memory(run->error, "the eigenvalue problem");
  int status = solve_dense(run, dense, matrix->size, r, values, vectors);
  mem_free(dense);
  return status < 0 ? status : solve_residuals(run, &op, r, values, vectors, residuals);
}
