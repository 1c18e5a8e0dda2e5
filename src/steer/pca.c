/* Second moments of the bands, and coefficients to components (spike.c chooses them). */
#include "steer/steer.h"

#include "base/memory.h"

#include <cblas.h>
#include <string.h>

enum { BATCH = 256 };

static int64_t width_of(const steer_bands *bands, int64_t k) {
  return bands->first[k + 1] - bands->first[k];
}

/* moment (s x s) = mean of re re' + im im' over the objects, half of it for k > 0. False: no memory. */
static bool band_moment(const steer_stack *stack, int64_t k, double *moment) {
  int64_t size = stack->bands->size, first = stack->bands->first[k], s = width_of(stack->bands, k);
  real_t *rows = NEW(real_t, 2 * BATCH * s), *sum = NEW(real_t, s * s);
  bool made = rows && sum;
  for (int64_t i = 0; made && s > 0 && i < stack->n; i += BATCH) { /* a band may have no functions */
    int64_t count = stack->n - i < BATCH ? stack->n - i : BATCH;
    for (int64_t j = 0; j < count; j++)
      for (int64_t c = 0; c < s; c++) {
        const real_t *a = stack->value + 2 * ((i + j) * size + first + c);
        rows[2 * j * s + c] = a[0], rows[(2 * j + 1) * s + c] = a[1];
      }
    BLAS(syrk)
    (CblasRowMajor, CblasLower, CblasTrans, (int)s, (int)(2 * count), 1, rows, (int)s, 0, sum, (int)s);
    for (int64_t c = 0; c < s * s; c++) moment[c] += (double)sum[c];
  }
  double share = 1 / ((k ? 2 : 1) * (double)stack->n);
  for (int64_t a = 0; made && a < s; a++)
    for (int64_t b = 0; b <= a; b++) moment[b * s + a] = moment[a * s + b] = share * moment[a * s + b];
  mem_free(rows);
  mem_free(sum);
  return made;
}

static bool moments_of(const steer_stack *stack, run_t *run, double **moment) {
  int64_t bands = stack->bands->bands;
  bool made = true;
  for (int64_t k = 0; k < bands && made; k++) {
    int64_t s = width_of(stack->bands, k);
    made = (moment[k] = NEW(double, s *s));
  }
  if (!made) return false;
  int before = blas_threads(1);
#pragma omp parallel for num_threads(run->threads) schedule(dynamic, 1) reduction(&& : made)
  for (int64_t k = 0; k < bands; k++)
    if (!run_stopped(run, k, bands)) made = band_moment(stack, k, moment[k]) && made;
  blas_threads(before);
  return made;
}

steer_pca *REAL(steer_pca_fit)(const steer_stack *stack, double noise, int64_t keep, run_t *run) {
  int64_t bands = stack->bands->bands;
  steer_pca *pca = NEW(steer_pca, 1);
  double **moment = NEW(double *, bands);
  bool made = pca && moment && (pca->from.first = NEW(int64_t, bands + 1)) &&
              (pca->to.first = NEW(int64_t, bands + 1)) && (pca->matrix = NEW(double *, bands));
  if (made) {
    pca->from.bands = pca->to.bands = bands;
    pca->from.size = stack->bands->size;
    memcpy(pca->from.first, stack->bands->first, (size_t)(bands + 1) * sizeof(int64_t));
    made = moments_of(stack, run, moment) && pca_choose(pca, moment, stack->white, stack->n, noise, keep);
  }
  for (int64_t k = 0; moment && k < bands; k++) mem_free(moment[k]);
  mem_free(moment);
  if (made) return pca;
  REAL(steer_pca_free)(pca);
  return NULL;
}

void REAL(steer_pca_free)(steer_pca *pca) {
  if (!pca) return;
  for (int64_t k = 0; pca->matrix && k < pca->from.bands; k++) mem_free(pca->matrix[k]);
  mem_free(pca->matrix);
  mem_free(pca->from.first);
  mem_free(pca->to.first);
  mem_free(pca);
}

/* The matrix of a band on real and imaginary parts that alternate: 2 to x 2 from. */
static real_t *twofold(const steer_pca *pca, int64_t k) {
  int64_t r = width_of(&pca->to, k), s = width_of(&pca->from, k);
  real_t *out = NEW(real_t, 4 * r * s);
  for (int64_t a = 0; out && a < r; a++)
    for (int64_t b = 0; b < s; b++)
      out[2 * a * 2 * s + 2 * b] = out[(2 * a + 1) * 2 * s + 2 * b + 1] = (real_t)pca->matrix[k][a * s + b];
  return out;
}

int REAL(steer_pca_apply)(const steer_pca *pca, const real_t *value, int64_t count, int threads,
                          real_t *out) {
  const steer_bands *from = &pca->from, *to = &pca->to;
  bool made = true;
  int before = blas_threads(1);
  for (int64_t k = 0; k < to->bands && made; k++) {
    int r = (int)(2 * width_of(to, k)), s = (int)(2 * width_of(from, k));
    if (!r) continue;
    real_t *matrix = twofold(pca, k);
    made = matrix != NULL;
#pragma omp parallel for num_threads(threads) schedule(static) if (threads > 1)
    for (int64_t i = 0; i < count; i += BATCH)
      if (matrix) BLAS(gemm)
    (CblasRowMajor, CblasNoTrans, CblasTrans, (int)(count - i < BATCH ? count - i : BATCH), r, s, 1,
     value + 2 * (i * from->size + from->first[k]), (int)(2 * from->size), matrix, s, 0,
     out + 2 * (i * to->size + to->first[k]), (int)(2 * to->size));
    mem_free(matrix);
  }
  blas_threads(before);
  return made ? LAVDM_OK : LAVDM_ERROR_MEMORY;
}
