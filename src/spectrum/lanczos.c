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

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

/* |B| is about 1: a column of R below NOTHING is rounding. Directions of a
 * Gram matrix with unit diagonal are not told apart from 0 below FLAT. */
static const double NOTHING = 1e-14, FLAT = 1e-15;

enum { MOST_PASSES = 6, LINE = 8 }; /* doubles in a cache line */

static int64_t most(int64_t a, int64_t b) {
  return a > b ? a : b;
}

/* The first address from x on that begins a cache line: the rows of a block that
 * is as wide as a line do not straddle two, which products notice. */
static double *next_line(double *x) {
  uintptr_t past = (uintptr_t)x / sizeof *x % LINE;
  return past ? x + (LINE - past) : x;
}

int lanczos_new(lanczos_t *l, run_t *run, const operator_t *op, int64_t limit, int64_t widest) {
  int64_t rows = op->size;
  *l = (lanczos_t){
      .run = run, .team = op->team, .total = operator_total(op), .limit = limit, .widest = widest};
  l->basis = (panel_t){NEW(double, rows *limit), rows, 0, limit};
  int64_t length = (rows * widest + LINE - 1) / LINE * LINE;
  l->blocks = NEW(double, 3 * length + LINE);
  for (int i = 0; i < 3 && l->blocks; i++) l->block[i] = next_line(l->blocks) + i * length;
  l->h = NEW(double, limit *limit);
  l->tail = NEW(double, widest *widest);
  l->mu = NEW(double, limit);
  l->ritz = NEW(double, limit *limit);
  l->residual = NEW(double, limit);
  l->inner = NEW(double, limit *limit);
  l->turn = NEW(double, limit *limit);
  l->frozen = NEW(bool, limit);
  l->gram = NEW(double, widest *widest);
  l->scale = NEW(double, 2 * widest);
  l->scratch =
      NEW(double, most(panel_inner_scratch(rows, limit, widest), panel_rotate_scratch(limit, run->threads)));
  l->work_size = 1 + 6 * limit + 2 * limit * limit; /* as dsyevd wants */
  l->iwork_size = 3 + 5 * limit;
  l->work = NEW(double, l->work_size);
  l->iwork = NEW(int, l->iwork_size);
  if (l->basis.data && l->blocks && l->h && l->tail && l->mu && l->ritz && l->residual && l->inner &&
      l->turn && l->frozen && l->gram && l->scale && l->scratch && l->work && l->iwork)
    return LAVDM_OK;
  return fail_memory(run->error, "the basis of the eigenvectors");
}

void lanczos_free(lanczos_t *l) {
  double *arrays[] = {l->basis.data, l->blocks, l->h,    l->tail,  l->mu,      l->ritz, l->residual,
                      l->inner,      l->turn,   l->gram, l->scale, l->scratch, l->work};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) mem_free(arrays[i]);
  mem_free(l->iwork);
  mem_free(l->frozen);
  *l = (lanczos_t){0};
}

static panel_t block_panel(const lanczos_t *l) {
  return (panel_t){l->block[0], l->basis.rows, l->width, l->width};
}

static int no_eigenvalues(lanczos_t *l) {
  return fail(l->run->error, LAVDM_ERROR_NUMERICS, "the eigenvalues of a small matrix did not converge");
}

static int not_finite(lanczos_t *l) {
  return fail(l->run->error, LAVDM_ERROR_NUMERICS, "the operator gave a NaN or an infinity");
}

/* Eigenvalues (ascending) and eigenvectors (row j of a) of a symmetric matrix:
 * by QR iteration, which never fails, or by the faster divide and conquer,
 * which may. */
static bool small_eigen(lanczos_t *l, bool conquer, int64_t size, double *a, double *values) {
  int n = (int)size, lwork = (int)l->work_size;
  if (conquer)
    return LAPACKE_dsyevd_work(LAPACK_COL_MAJOR, 'V', 'U', n, a, n, values, l->work, lwork, l->iwork,
                               (int)l->iwork_size) == 0;
  return LAPACKE_dsyev_work(LAPACK_COL_MAJOR, 'V', 'U', n, a, n, values, l->work, lwork) == 0;
}

static bool all_finite(const double *a, int64_t length) {
  for (int64_t i = 0; i < length; i++)
    if (!isfinite(a[i])) return false;
  return true;
}

/* c = X' Y over the rows of all ranks. */
static int inner_products(lanczos_t *l, panel_t x, panel_t y, double *c) {
  if (l->lost < 0) return l->lost;
  panel_inner(l->run->threads, x, y, c, l->scratch);
  return team_sum(l->team, c, x.columns * y.columns);
}

int lanczos_absorb(lanczos_t *l) {
  int64_t n = l->basis.columns, b = l->width, old = n - b;
  int threads = l->run->threads;
  panel_t r = block_panel(l);
  int status = inner_products(l, l->basis, r, l->inner);
  if (status < 0) return status;
  for (int64_t i = 0; i < n; i++)
    for (int64_t j = old; j < n; j++) {
      double value = l->inner[i * b + j - old];
      if (i >= old) value = (value + l->inner[j * b + i - old]) / 2;
      l->h[i * l->limit + j] = l->h[j * l->limit + i] = l->frozen[i] ? 0 : value;
    }
  l->ready = n;
  panel_combine(threads, -1, l->basis, l->inner, 1, r);
  return inner_products(l, r, r, l->tail);
}

/* The product of the residuals of Ritz pairs i and j. */
static double residual_product(const lanczos_t *l, int64_t i, int64_t j) {
  int64_t n = l->ready, b = l->width;
  const double *x = l->ritz + i * n + n - b, *y = l->ritz + j * n + n - b;
  double sum = 0;
  for (int64_t a = 0; a < b; a++)
    for (int64_t c = 0; c < b; c++) sum += x[a] * l->tail[a * b + c] * y[c];
  return sum;
}

/*
 * Rotates `count` Ritz vectors with nearly the same mu so that their residuals
 * are orthogonal, ascending. The residual of a combination y of them is
 * y' E y + the variance of mu over y, with E the products of their residuals.
 */
static bool sort_copies(lanczos_t *l, int64_t first, int64_t count) {
  int64_t n = l->ready;
  double *e = l->turn, *squares = l->residual + first, *rows = l->ritz + first * n, *mu = l->mu + first;
  for (int64_t i = 0; i < count; i++)
    for (int64_t j = 0; j < count; j++) e[i * count + j] = residual_product(l, first + i, first + j);
  if (!small_eigen(l, false, count, e, squares)) return false;
  memcpy(l->inner, rows, (size_t)(count * n) * sizeof *rows);
  memset(rows, 0, (size_t)(count * n) * sizeof *rows);
  for (int64_t i = 0; i < count; i++) {
    double mean = 0, square = 0;
    for (int64_t j = 0; j < count; j++) {
      double y = e[i * count + j];
      mean += y * y * (mu[j] - mu[0]);
      square += y * y * (mu[j] - mu[0]) * (mu[j] - mu[0]);
      for (int64_t c = 0; c < n; c++) rows[i * n + c] += y * l->inner[j * n + c];
    }
    squares[i] = sqrt(fmax(squares[i], 0) + fmax(square - mean * mean, 0));
  }
  return true;
}

static int find_pairs(lanczos_t *l) {
  int64_t n = l->ready;
  bool done = false;
  for (int attempt = 0; attempt < 2 && !done; attempt++) {
    for (int64_t i = 0; i < n; i++) /* -H: its order is the one wanted */
      for (int64_t j = 0; j < n; j++) l->ritz[i * n + j] = -l->h[i * l->limit + j];
    if (!all_finite(l->ritz, n * n)) return not_finite(l);
    done = small_eigen(l, attempt == 0, n, l->ritz, l->mu);
  }
  if (!done) return no_eigenvalues(l);

  for (int64_t j = 0; j < n; j++) {
    l->mu[j] = -l->mu[j];
    l->residual[j] = sqrt(fmax(residual_product(l, j, j), 0));
  }
  for (int64_t first = 0, end; first < n; first = end) {
    for (end = first + 1; end < n && l->mu[first] - l->mu[end] <= l->same;) end++;
    if (end - first > 1 && !sort_copies(l, first, end - first)) return no_eigenvalues(l);
  }
  return LAVDM_OK;
}

/* One matrix may be decomposed into other bits elsewhere: ranks take what the first found. */
int lanczos_ritz(lanczos_t *l) {
  int64_t n = l->ready;
  int status = team_agree(l->team, find_pairs(l));
  if (!status) status = team_share_first(l->team, l->mu, n);
  if (!status) status = team_share_first(l->team, l->ritz, n * n);
  return status < 0 ? status : team_share_first(l->team, l->residual, n);
}

/*
 * Block Lanczos from b random vectors is a Gauss quadrature for the density of
 * the eigenvalues: b successive Ritz values make up one node, and a Ritz vector
 * with the share w of the start block stands for N w / b eigenvalues. Half of
 * those of a node lie above its centre; between centres the number is linear.
 */
double lanczos_quantile(const lanczos_t *l, double count, double top) {
  int64_t n = l->ready, b = l->widest;
  double above = 0, number = 0, value = top; /* `number` lie above `value` */
  for (int64_t first = 0; first < n; first += b) {
    int64_t end = first + b < n ? first + b : n;
    double share = 0, centre = 0;
    for (int64_t j = first; j < end; j++) {
      share += cblas_ddot((int)b, l->ritz + j * n, 1, l->ritz + j * n, 1);
      centre += l->mu[j] / (double)(end - first);
    }
    double node = (double)l->total * share / (double)b, next = above + node / 2;
    if (next >= count) return value - (value - centre) * (count - number) / (next - number);
    above += node;
    number = next;
    value = centre;
  }
  return value;
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

/*
 * The rows of S H S' for the leading `count` Ritz vectors go to `turn`. It is
 * diag(mu) but for vectors that were rotated because mu is nearly the same;
 * frozen ones stand alone.
 */
static void project(lanczos_t *l, int64_t count) {
  int64_t n = l->ready;
  double *image = l->work;
  for (int64_t i = 0; i < count; i++) {
    const double *x = l->ritz + i * n;
    for (int64_t a = 0; a < n; a++) image[a] = cblas_ddot((int)n, l->h + a * l->limit, 1, x, 1);
    for (int64_t j = 0; j < count; j++) {
      bool apart = fabs(l->mu[i] - l->mu[j]) > l->same || (i != j && (l->frozen[i] || l->frozen[j]));
      l->turn[i * count + j] = apart ? 0 : cblas_ddot((int)n, image, 1, l->ritz + j * n, 1);
    }
  }
}

void lanczos_shrink(lanczos_t *l, int64_t count) {
  project(l, count);
  l->lost = team_share_first(l->team, l->turn, count * count);
  for (int64_t i = 0; i < count; i++)
    for (int64_t j = 0; j < count; j++)
      l->h[i * l->limit + j] = (l->turn[i * count + j] + l->turn[j * count + i]) / 2;
  coefficients(l, 0, count);
  panel_rotate(l->run->threads, panel_columns(l->basis, 0, l->ready), l->inner, count, l->scratch);
  for (int64_t i = count; i < l->limit; i++) l->frozen[i] = false;
  l->ready = l->basis.columns = count;
}

void lanczos_freeze(lanczos_t *l, const double *values) {
  for (int64_t i = 0; i < l->ready; i++) {
    l->frozen[i] = true;
    for (int64_t j = 0; j < l->ready; j++) l->h[i * l->limit + j] = i == j ? values[i] : 0;
  }
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
  int status = inner_products(l, r, r, l->gram);
  if (status < 0) return status;
  double *unit = l->scale, *values = l->scale + l->widest;
  for (int64_t i = 0; i < b; i++) {
    double length = sqrt(l->gram[i * b + i]);
    unit[i] = length > NOTHING ? 1 / length : 0;
    kept += length > NOTHING;
  }
  for (int64_t i = 0; i < b; i++)
    for (int64_t j = 0; j < b; j++) l->gram[i * b + j] *= unit[i] * unit[j];
  if (!all_finite(l->gram, b * b)) return not_finite(l);
  status = team_agree(l->team, small_eigen(l, false, b, l->gram, values) ? LAVDM_OK : no_eigenvalues(l));
  if (!status) status = team_share_first(l->team, l->gram, b * b);
  if (!status) status = team_share_first(l->team, values, b);
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
    int status = LAVDM_OK;
    if (flattest < 1e-3) {
      status = inner_products(l, l->basis, block_panel(l), l->inner);
      if (status < 0) return status;
      panel_combine(threads, -1, l->basis, l->inner, 1, block_panel(l));
    }
    status = principal_axes(l, &flattest);
    if (status < 0) return status;
  }
  panel_t joined = panel_columns(l->basis, l->basis.columns, l->width);
  panel_copy(threads, block_panel(l), joined);
  l->basis.columns += l->width;
  return LAVDM_OK;
}
