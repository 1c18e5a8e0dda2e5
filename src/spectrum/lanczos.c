/*
 *   C = V' B Q,   H = [H C],   R = B Q - V C
 * A Ritz pair (mu, s) has the residual R s_last, with s_last the coefficients
 * of the last block, because B V = V H + R E_last'.
 *
 * R is made orthonormal through its Gram matrix, R'R = Z L Z', R <- R Z L^(-1/2),
 * after V is projected out, as often as it takes for both to hold to rounding.
 */
#include "spectrum/lanczos.h"

#include "base/memory.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

/* |B| is about 1: a column of R below NOTHING is rounding. Directions of a
 * Gram matrix with unit diagonal are not told apart from 0 below FLAT. */
static const double NOTHING = 1e-14, FLAT = 1e-15;

enum { MOST_PASSES = 6 };

static int64_t most(int64_t a, int64_t b) {
  return a > b ? a : b;
}

int lanczos_new(lanczos_t *l, run_t *run, int64_t rows, int64_t limit, int64_t widest) {
  *l = (lanczos_t){.run = run, .limit = limit, .widest = widest};
  l->basis = (panel_t){NEW(double, rows *limit), rows, 0, limit};
  for (int i = 0; i < 3; i++) l->block[i] = NEW(double, rows *widest);
  l->h = NEW(double, limit *limit);
  l->tail = NEW(double, widest *widest);
  l->mu = NEW(double, limit);
  l->ritz = NEW(double, limit *limit);
  l->residual = NEW(double, limit);
  l->inner = NEW(double, limit *limit);
  l->gram = NEW(double, widest *widest);
  l->scale = NEW(double, 2 * widest);
  l->scratch =
      NEW(double, most(panel_inner_scratch(rows, limit, widest), panel_rotate_scratch(limit, run->threads)));
  l->work_size = 1 + 6 * limit + 2 * limit * limit; /* as dsyevd wants */
  l->iwork_size = 3 + 5 * limit;
  l->work = NEW(double, l->work_size);
  l->iwork = NEW(int, l->iwork_size);
  if (l->basis.data && l->block[0] && l->block[1] && l->block[2] && l->h && l->tail && l->mu && l->ritz &&
      l->residual && l->inner && l->gram && l->scale && l->scratch && l->work && l->iwork)
    return LAVDM_OK;
  return fail_memory(run->error, "the basis of the eigenvectors");
}

void lanczos_free(lanczos_t *l) {
  double *arrays[] = {l->basis.data, l->block[0], l->block[1], l->block[2], l->h,     l->tail,    l->mu,
                      l->ritz,       l->residual, l->inner,    l->gram,     l->scale, l->scratch, l->work};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) mem_free(arrays[i]);
  mem_free(l->iwork);
  *l = (lanczos_t){0};
}

static panel_t block_panel(const lanczos_t *l) {
  return (panel_t){l->block[0], l->basis.rows, l->width, l->width};
}

/* Eigenvalues (ascending) and eigenvectors (row j of a) of a small matrix. */
static int small_eigen(lanczos_t *l, int64_t size, double *a, double *values) {
  for (int64_t i = 0; i < size * size; i++)
    if (!isfinite(a[i]))
      return fail(l->run->error, LAVDM_ERROR_NUMERICS, "the operator gave a NaN or an infinity");
  int n = (int)size;
  if (LAPACKE_dsyevd_work(LAPACK_COL_MAJOR, 'V', 'U', n, a, n, values, l->work, (int)l->work_size, l->iwork,
                          (int)l->iwork_size))
    return fail(l->run->error, LAVDM_ERROR_NUMERICS, "the eigenvalues of a small matrix did not converge");
  return LAVDM_OK;
}

void lanczos_absorb(lanczos_t *l) {
  int64_t n = l->basis.columns, b = l->width, old = n - b;
  int threads = l->run->threads;
  panel_t r = block_panel(l);
  panel_inner(threads, l->basis, r, l->inner, l->scratch);
  for (int64_t i = 0; i < n; i++)
    for (int64_t j = old; j < n; j++) {
      double value = l->inner[i * b + j - old];
      if (i >= old) value = (value + l->inner[j * b + i - old]) / 2;
      l->h[i * l->limit + j] = l->h[j * l->limit + i] = value;
    }
  l->ready = n;
  panel_combine(threads, -1, l->basis, l->inner, 1, r);
  panel_inner(threads, r, r, l->tail, l->scratch);
}

int lanczos_ritz(lanczos_t *l) {
  int64_t n = l->ready, b = l->width;
  for (int64_t i = 0; i < n; i++) /* -H, for descending order */
    for (int64_t j = 0; j < n; j++) l->ritz[i * n + j] = -l->h[i * l->limit + j];
  int status = small_eigen(l, n, l->ritz, l->mu);
  if (status < 0) return status;
  for (int64_t j = 0; j < n; j++) {
    const double *last = l->ritz + j * n + n - b;
    double square = 0;
    for (int64_t a = 0; a < b; a++)
      for (int64_t c = 0; c < b; c++) square += last[a] * l->tail[a * b + c] * last[c];
    l->mu[j] = -l->mu[j];
    l->residual[j] = sqrt(fmax(square, 0));
  }
  return LAVDM_OK;
}

/* The coefficients of Ritz vectors as a matrix (ready x count) in `inner`. */
static void coefficients(lanczos_t *l, int64_t first, int64_t count) {
  for (int64_t i = 0; i < l->ready; i++)
    for (int64_t j = 0; j < count; j++) l->inner[i * count + j] = l->ritz[(first + j) * l->ready + i];
}

void lanczos_vectors(lanczos_t *l, int64_t first, panel_t x) {
  coefficients(l, first, x.columns);
  panel_combine(l->run->threads, 1, panel_columns(l->basis, 0, l->ready), l->inner, 0, x);
}

void lanczos_mix(lanczos_t *l, int64_t first, int64_t count, const double *weights) {
  int64_t n = l->ready, b = l->widest;
  memset(l->inner, 0, (size_t)(n * b) * sizeof *l->inner);
  for (int64_t j = 0; j < count; j++)
    for (int64_t i = 0; i < n; i++)
      for (int64_t a = 0; a < b; a++)
        l->inner[i * b + a] += l->ritz[(first + j) * n + i] * weights[j * b + a];
  l->width = b;
  panel_combine(l->run->threads, 1, panel_columns(l->basis, 0, n), l->inner, 0, block_panel(l));
}

void lanczos_shrink(lanczos_t *l, int64_t count) {
  coefficients(l, 0, count);
  panel_rotate(l->run->threads, panel_columns(l->basis, 0, l->ready), l->inner, count, l->scratch);
  l->ready = l->basis.columns = count;
  for (int64_t i = 0; i < count; i++)
    for (int64_t j = 0; j < count; j++) l->h[i * l->limit + j] = i == j ? l->mu[i] : 0;
}

/*
 * Rotates R to the principal axes of its Gram matrix (unit diagonal) and scales
 * it. Columns shorter than NOTHING vanish. `flattest` becomes the smallest
 * eigenvalue of that matrix: 1 if R was orthogonal before.
 */
static int principal_axes(lanczos_t *l, double *flattest) {
  int threads = l->run->threads;
  int64_t b = l->width, kept = 0;
  panel_t r = block_panel(l);
  panel_inner(threads, r, r, l->gram, l->scratch);
  double *unit = l->scale, *values = l->scale + l->widest;
  for (int64_t i = 0; i < b; i++) {
    double length = sqrt(l->gram[i * b + i]);
    unit[i] = length > NOTHING ? 1 / length : 0;
    kept += length > NOTHING;
  }
  for (int64_t i = 0; i < b; i++)
    for (int64_t j = 0; j < b; j++) l->gram[i * b + j] *= unit[i] * unit[j];
  int status = small_eigen(l, b, l->gram, values);
  if (status < 0) return status;

  *flattest = kept ? values[b - kept] : 1;
  for (int64_t i = 0; i < b; i++)
    for (int64_t j = 0; j < kept; j++)
      l->inner[i * kept + j] = unit[i] * l->gram[(b - 1 - j) * b + i] / sqrt(fmax(values[b - 1 - j], FLAT));
  if (kept) panel_rotate(threads, r, l->inner, kept, l->scratch);
  for (int64_t i = 1; kept < b && i < r.rows; i++)
    memmove(r.data + i * kept, r.data + i * b, (size_t)kept * sizeof *r.data);
  l->width = kept;
  return LAVDM_OK;
}

int lanczos_append(lanczos_t *l) {
  int threads = l->run->threads;
  double flattest = 0;
  for (int pass = 0; pass < MOST_PASSES && l->width && flattest < 0.99; pass++) {
    if (flattest < 1e-3) {
      panel_inner(threads, l->basis, block_panel(l), l->inner, l->scratch);
      panel_combine(threads, -1, l->basis, l->inner, 1, block_panel(l));
    }
    int status = principal_axes(l, &flattest);
    if (status < 0) return status;
  }
  panel_t joined = panel_columns(l->basis, l->basis.columns, l->width);
  panel_copy(threads, block_panel(l), joined);
  l->basis.columns += l->width;
  return LAVDM_OK;
}
