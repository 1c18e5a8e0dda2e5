/*
 * The leading eigenvectors X of A = D^-1/2 S D^-1/2 by locally optimal block conjugate
 * gradients: in each step the Rayleigh-Ritz vectors of span [X, P, W], where
 *     W = T (A X - X Lambda),  T = multigrid for 1 - A, shifted as far as it stays positive,
 * and P is what the last step added to X. The start is the same on the coarse levels of the
 * multigrid, one after the other. Small graphs go to the dense solver.
 *
 * It ends when the residuals of the first q vectors are a small share of the gap to
 * eigenvalue q+1, by which their error is divided.
 */
#include "sync/sync.h"

#include "base/memory.h"
#include "base/random.h"
#include "frames/polar.h"
#include "graph/given.h"
#include "spectrum/solver.h"
#include "sync/gauge.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

enum {
  DENSE = 300,
  MOST_STEPS = 400,
  ROUGH_STEPS = 5,
  CALM_STEPS = 3,
  START_STEPS = 2,
  PATIENCE = 8,
  SWEEPS = 3,
  LONELY_STEPS = 24, /* without coarse levels */
  START_MOST = 40,   /* steps for a start: what is no better then has a gap that takes hundreds */
  LARGE = 300000     /* numbers in a vector, from which on a start may be that of a coarse level */
};

static const double close_when_coarse = 0.1, next_share = 0.2, stand_still = 3e-3, least_residual = 1e-10;
/* For starts: changes and residuals by gap. On grids of a million edges the gap is 5% (plane) and 1% (space)
 * too large then, after 4 and 5 steps instead of 8 and 11; the fits that follow take as many cycles. */
static const double start_still = 1e-2, start_share = 1e-2;
static const double most_rate = 0.95; /* of what the sum of eigenvalues rises by, step by step */
static const double most_shift = 0.3;
static const double progress = 0.25;  /* residuals fall by this in PATIENCE steps, or a gauge is of no use */
static const double agreement = 0.02; /* 1 less eigenvalue q, below which edges nearly agree */

typedef struct {
  int64_t size, block;                 /* N = n q, and b vectors */
  panel_t s, as;                       /* N x 3b: X, P, W, and A times those */
  double *data[2];                     /* of s and as */
  double *gram, *image, *basis, *work; /* 3b x 3b each; work: several */
  double *values, *residuals;          /* b */
  double *inner, *rotate;              /* scratch of panels */
  double last[2], rise; /* a step before: the sum of the first q eigenvalues, number q+1; how the
                           sum rose */
  int calm, still;      /* for how many steps number q+1 stood still, and for how many both */
  bool done;            /* it got as close as was wanted */
} search_t;

static void search_free(search_t *s) {
  double *all[] = {s->data[0], s->data[1], s->gram,      s->image, s->basis,
                   s->work,    s->values,  s->residuals, s->inner, s->rotate};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) mem_free(all[i]);
}

static int search_new(run_t *run, int64_t size, int64_t block, search_t *s) {
  int64_t wide = 3 * block;
  *s = (search_t){.size = size, .block = block};
  s->data[0] = NEW(double, size *wide);
  s->data[1] = NEW(double, size *wide);
  s->gram = NEW(double, wide *wide);
  s->image = NEW(double, wide *wide);
  s->basis = NEW(double, wide *wide);
  s->work = NEW(double, 4 * wide * wide + 2 * wide);
  s->values = NEW(double, block);
  s->residuals = NEW(double, block);
  s->inner = NEW(double, panel_inner_scratch(size, wide, wide));
  s->rotate = NEW(double, panel_rotate_scratch(wide, run->threads));
  s->s = (panel_t){s->data[0], size, wide, wide};
  s->as = (panel_t){s->data[1], size, wide, wide};
  bool whole = s->data[0] && s->data[1] && s->gram && s->image && s->basis && s->work && s->values &&
               s->residuals && s->inner && s->rotate;
  return whole ? LAVDM_OK : fail_memory(run->error, "the eigenvectors");
}

/* a (c x c, symmetric) = V diag(w) V', w ascending, V in columns of the row-major result. */
static int eigen_small(int64_t c, double *a, double *w, double *work) {
  int n = (int)c;
  return LAPACKE_dsyev_work(LAPACK_COL_MAJOR, 'V', 'L', n, a, n, w, work, 3 * n);
}

/* basis (c x b): combinations of the first c columns of S whose images are the leading Ritz
 * vectors. Columns are scaled to length one, and directions that are nearly combinations
 * of others are left out. Returns how many came out. */
static int64_t ritz(search_t *s, int64_t c, double *ritz_values) {
  double *v = s->work, *h = v + c * c, *t = h + c * c, *w = t + c * c, *scratch = w + c;
  int64_t kept = 0, b = s->block;
  for (int64_t i = 0; i < c * c; i++) {
    double norm = sqrt(s->gram[i / c * (c + 1)] * s->gram[i % c * (c + 1)]);
    v[i] = norm > 0 ? (s->gram[i] + s->gram[i % c * c + i / c]) / (2 * norm) : 0;
  }
  if (eigen_small(c, v, w, scratch)) return 0;
  /* t (c x kept): orthonormal combinations; eigenvector j is row j of v */
  for (int64_t j = 0; j < c; j++) {
    if (w[j] < 1e-11 * w[c - 1]) continue;
    for (int64_t i = 0; i < c; i++) {
      double length = sqrt(s->gram[i * (c + 1)]);
      t[kept * c + i] = length > 0 ? v[j * c + i] / (length * sqrt(w[j])) : 0;
    }
    kept++;
  }
  for (int64_t x = 0; x < kept; x++) /* h = t H t' */
    for (int64_t i = 0; i < c; i++) {
      double sum = 0;
      for (int64_t k = 0; k < c; k++) sum += t[x * c + k] * (s->image[k * c + i] + s->image[i * c + k]) / 2;
      v[x * c + i] = sum;
    }
  for (int64_t x = 0; x < kept; x++)
    for (int64_t y = 0; y < kept; y++) {
      double sum = 0;
      for (int64_t k = 0; k < c; k++) sum += v[x * c + k] * t[y * c + k];
      h[x * kept + y] = sum;
    }
  if (eigen_small(kept, h, w, scratch)) return 0;
  int64_t found = kept < b ? kept : b;
  for (int64_t l = 0; l < found; l++) {
    const double *y = h + (kept - 1 - l) * kept;
    ritz_values[l] = w[kept - 1 - l];
    for (int64_t i = 0; i < c; i++) {
      double sum = 0;
      for (int64_t k = 0; k < kept; k++) sum += t[k * c + i] * y[k];
      s->basis[i * b + l] = sum;
    }
  }
  return found;
}

/* X and, from the second step on, P out of the first c columns. */
static int recombine(run_t *run, search_t *s, int64_t c) {
  int64_t b = s->block;
  panel_t part = panel_columns(s->s, 0, c), image = panel_columns(s->as, 0, c);
  panel_inner(run->threads, part, part, s->gram, s->inner);
  panel_inner(run->threads, part, image, s->image, s->inner);
  if (ritz(s, c, s->values) < b)
    return fail(run->error, LAVDM_ERROR_NUMERICS, "the eigenvectors did not converge");
  int64_t width = c > b ? 2 * b : b;
  double *both = s->work; /* c x width: X, and the same without the old X: P */
  for (int64_t i = 0; i < c; i++)
    for (int64_t l = 0; l < width; l++) both[i * width + l] = l < b || i >= b ? s->basis[i * b + l % b] : 0;
  panel_rotate(run->threads, part, both, width, s->rotate);
  panel_rotate(run->threads, image, both, width, s->rotate);
  return LAVDM_OK;
}

/* The matrix, and what T is: a level of a multigrid, or a gauge. */
typedef struct {
  const laplacian_t *matrix;
  multigrid_t *grid;
  int level;
  gauge_t *gauge;
} helper_t;

/* W = T (A X - X Lambda), and A W, in the b columns from `first` on. */
static void next_directions(const run_t *run, const helper_t *by, search_t *s, int64_t first,
                            panel_t residual) {
  int64_t b = s->block;
  panel_t x = panel_columns(s->s, 0, b), ax = panel_columns(s->as, 0, b), w = panel_columns(s->s, first, b);
#pragma omp parallel for num_threads(s->size > 50000 ? run->threads : 1) schedule(static)
  for (int64_t i = 0; i < s->size; i++)
    for (int64_t l = 0; l < b; l++)
      residual.data[i * b + l] = ax.data[i * ax.stride + l] - s->values[l] * x.data[i * x.stride + l];
  if (by->gauge)
    gauge_apply(run, by->gauge, residual, w);
  else
    multigrid_apply(run, by->grid, by->level, residual, w);
  laplacian_product(run, by->matrix, COMPLEMENT, w, panel_columns(s->as, first, b));
}

static double largest_residual(const search_t *s, int64_t q) {
  double most = 0;
  for (int64_t l = 0; l < q; l++) most = fmax(most, s->residuals[l]);
  return most;
}

/* Eigenvalue q+1 need not be as good: its residual is small beside 1 less it, or it has stood
 * still for a few steps (`calm`) on the scale of the gap. Where any share will do (INFINITY), eigenvalues
 * that stand still are enough: the squares of errors are what they still change by, over the gap. */
static bool close_enough(search_t *s, int64_t q, double share) {
  double gap = fmax(s->values[q - 1] - s->values[q], 0), sum = 0, change;
  for (int64_t l = 0; l < q; l++) sum += s->values[l];
  change = fabs(s->values[q] - s->last[1]);
  s->calm = change <= stand_still * gap ? s->calm + 1 : 0;
  double scale = start_still * fmin(gap, fmax(1 - s->values[q - 1], 0));
  double rise = sum - s->last[0], rate = rise < most_rate * s->rise ? rise / s->rise : most_rate;
  bool still = change <= scale && fabs(rise) / (1 - rate) <= 4 * scale * (double)q;
  s->still = still ? s->still + 1 : 0;
  s->rise = rise;
  s->last[0] = sum, s->last[1] = s->values[q];
  if (isinf(share) && s->still >= START_STEPS) return true;
  return largest_residual(s, q) <= fmax((isinf(share) ? start_share : share) * gap, least_residual) &&
         (s->calm >= CALM_STEPS || s->residuals[q] <= fmax(next_share * (1 - s->values[q]), 1e-7));
}

/* A shift of 1 - A to just below its least eigenvalue, once that is known well enough, and
 * again when it is known much better. */
static int follow_shift(run_t *run, multigrid_t *grid, const search_t *s, int64_t q, double *shift) {
  double least = 1 - s->values[0], safe = least - 2 * largest_residual(s, q);
  double next = fmin(0.97 * safe, most_shift);
  if (multigrid_levels(grid) < 2 || safe < 0.3 * least || least - next > 0.5 * (least - *shift))
    return LAVDM_OK;
  *shift = next;
  return multigrid_shift(run, grid, next);
}

/* Whether residuals hardly fell over the last few steps. */
static bool stalls(const search_t *s, int64_t q, int64_t step, double *mark) {
  if (step % PATIENCE) return false;
  double now = largest_residual(s, q), before = *mark;
  *mark = now;
  return now > progress * before;
}

/* On one level, from the vectors in X, until the residuals are `share` of the gap. */
static int iterate(run_t *run, const helper_t *by, int64_t q, double share, int64_t most, search_t *s,
                   int64_t *steps) {
  int64_t b = s->block;
  double *data = NEW(double, s->size *b), shift = 0, mark = INFINITY;
  if (!data) return fail_memory(run->error, "the eigenvectors");
  panel_t residual = {data, s->size, b, b};
  laplacian_product(run, by->matrix, COMPLEMENT, panel_columns(s->s, 0, b), panel_columns(s->as, 0, b));
  int status = recombine(run, s, b);
  for (*steps = 0; *steps < most && !status; ++*steps) {
    panel_distances(run->threads, s->values, panel_columns(s->s, 0, b), panel_columns(s->as, 0, b),
                    s->residuals, s->inner);
    s->done = close_enough(s, q, share);
    if (s->done || run_stopped(run, *steps, 100)) break;
    if (by->gauge && stalls(s, q, *steps, &mark)) break;
    int64_t first = *steps ? 2 * b : b;
    if (by->grid) status = follow_shift(run, by->grid, s, q, &shift);
    if (!status) next_directions(run, by, s, first, residual);
    if (!status) status = recombine(run, s, first + b);
  }
  mem_free(data);
  if (!status && shift > 0) status = multigrid_shift(run, by->grid, 0);
  return status ? status : run_status(run);
}

static void start_at_random(uint64_t seed, const laplacian_t *matrix, search_t *s) {
  random_t random = random_start(seed, 71);
  int64_t q = matrix->beside.q;
  for (int64_t i = 0; i < s->size; i++)
    for (int64_t l = 0; l < s->block; l++)
      s->s.data[i * s->s.stride + l] = matrix->size[i / q] * random_normal(&random);
}

/* X = (X + A X) / 2, a few times: what groups leave between each other goes away. */
static void smooth(const run_t *run, const laplacian_t *matrix, panel_t x, panel_t ax) {
  for (int sweep = 0; sweep < SWEEPS; sweep++) {
    laplacian_product(run, matrix, COMPLEMENT, x, ax);
#pragma omp parallel for num_threads(x.rows > 50000 ? run->threads : 1) schedule(static)
    for (int64_t i = 0; i < x.rows; i++)
      for (int64_t l = 0; l < x.columns; l++)
        x.data[i * x.stride + l] = (x.data[i * x.stride + l] + ax.data[i * ax.stride + l]) / 2;
  }
}

/* From the coarsest level that has room for the vectors to the finest, where they are only made smooth if
 * there are coarse ones. *s holds the result; a start of a large graph whose edges nearly agree stops
 * at level 1, *short_of_finest. */
static int climb(run_t *run, multigrid_t *grid, int64_t q, int64_t count, double share, uint64_t seed,
                 search_t *s, int64_t *steps, bool *short_of_finest) {
  int level = multigrid_levels(grid) - 1, status = LAVDM_OK;
  int64_t most = level > 0 ? ROUGH_STEPS : LONELY_STEPS;
  bool start = isinf(share) && multigrid_matrix(grid, 0)->beside.rows * q > LARGE;
  if (level > 0) share = close_when_coarse;
  while (level > 0 && multigrid_matrix(grid, level)->beside.rows * q < 8 * count) level--;
  int64_t last = level > 0 ? 0 : most;
  for (bool first = true; level >= 0 && !status; level--, first = false) {
    *short_of_finest = start && level == 0 && !first && 1 - s->values[q - 1] < agreement;
    if (*short_of_finest) break;
    const laplacian_t *matrix = multigrid_matrix(grid, level);
    search_t next = {0};
    status = search_new(run, matrix->beside.rows * q, count, &next);
    if (!status && first) start_at_random(seed, matrix, &next);
    if (!status && !first)
      multigrid_prolong(run, grid, level, panel_columns(s->s, 0, count), panel_columns(next.s, 0, count));
    search_free(s);
    *s = next;
    helper_t by = {matrix, grid, level, NULL};
    if (!status && !first && level == 0)
      smooth(run, matrix, panel_columns(s->s, 0, count), panel_columns(s->as, 0, count));
    if (!status) status = iterate(run, &by, q, share, level > 0 ? most : last, s, steps);
  }
  return status;
}

/* On the finest level, with coarse ones made for the vectors in *s. */
static int finish(run_t *run, const part_t *part, laplacian_t *matrix, int64_t count, double share,
                  search_t *s, int64_t *steps) {
  helper_t by = {.matrix = matrix};
  int64_t more = 0, q = part->q, most = isinf(share) ? START_MOST : MOST_STEPS;
  double *candidate = NEW(double, s->size *q);
  if (!candidate) return fail_memory(run->error, "the eigenvectors");
  for (int64_t i = 0; i < s->size / q; i++) { /* turns alone: other vectors are large elsewhere */
    double block[GIVEN_MOST_Q * GIVEN_MOST_Q], scratch[POLAR_SCRATCH(GIVEN_MOST_Q)],
        *to = candidate + i * q * q;
    for (int64_t k = 0; k < q * q; k++) block[k] = s->s.data[(i * q + k / q) * s->s.stride + k % q];
    REAL(polar_factor)(q, block, to, scratch);
    for (int64_t k = 0; k < q * q; k++) to[k] *= matrix->size[i];
  }
  bool agree = 1 - s->values[q - 1] < agreement && q * count <= PLAIN_COLUMNS;
  int status = agree ? gauge_new(run, part, candidate, count, &by.gauge) : LAVDM_OK;
  if (!status && agree) {
    status = iterate(run, &by, q, share, most, s, &more);
    *steps += more;
    gauge_free(by.gauge);
    by.gauge = NULL;
    agree = s->done;
  }
  if (!status && !agree) {
    status = multigrid_new(run, matrix, count, candidate, &by.grid);
    if (!status) status = iterate(run, &by, q, share, most, s, &more);
    *steps += more;
    multigrid_free(by.grid);
  }
  mem_free(candidate);
  return status;
}

/* The first q vectors of level 1 on the finest, made smooth; nobody knows their eigenvalues. */
static int start_from_coarse(run_t *run, multigrid_t *grid, int64_t q, const search_t *s, leading_t *out) {
  const laplacian_t *matrix = multigrid_matrix(grid, 0);
  int64_t size = matrix->beside.rows * q;
  double *image = NEW(double, size *q);
  out->vectors = NEW(double, size *q);
  int status = image && out->vectors ? LAVDM_OK : fail_memory(run->error, "the eigenvectors");
  if (!status) {
    panel_t x = {out->vectors, size, q, q};
    multigrid_prolong(run, grid, 0, panel_columns(s->s, 0, q), x);
    smooth(run, matrix, x, (panel_t){image, size, q, q});
  }
  for (int64_t l = 0; l < out->count; l++) out->values[l] = NAN;
  out->count = q;
  out->gap = NAN;
  mem_free(image);
  return status;
}

static int find_iteratively(run_t *run, const part_t *part, int64_t count, double share, uint64_t seed,
                            leading_t *out) {
  laplacian_t matrix = {0};
  multigrid_t *grid = NULL;
  search_t s = {0};
  int64_t q = part->q, size = part->n * q;
  int before = blas_threads(1), status = laplacian_new(run, part, false, part->weight, &matrix);
  bool rough = true, whole = true;
  out->steps = 0;
  if (!status && out->vectors) {
    status = search_new(run, size, count, &s);
    if (!status)
      panel_copy(run->threads, (panel_t){out->vectors, size, count, count}, panel_columns(s.s, 0, count));
  } else if (!status) {
    bool short_of_finest = false;
    status = multigrid_new(run, &matrix, count, NULL, &grid);
    if (!status) status = climb(run, grid, q, count, share, seed, &s, &out->steps, &short_of_finest);
    if (!status && short_of_finest) status = start_from_coarse(run, grid, q, &s, out);
    whole = !short_of_finest;
    rough = !status && whole && (multigrid_levels(grid) > 1 || !s.done);
    multigrid_free(grid);
  }
  if (!status && rough) status = finish(run, part, &matrix, count, share, &s, &out->steps);
  if (!status && !out->vectors) out->vectors = NEW(double, size *count);
  if (!status && !out->vectors) status = fail_memory(run->error, "the eigenvectors");
  if (!status && whole && s.values) {
    panel_copy(run->threads, panel_columns(s.s, 0, count), (panel_t){out->vectors, size, count, count});
    memcpy(out->values, s.values, (size_t)count * sizeof *s.values);
    if (isinf(share) && !s.done) out->gap = NAN; /* that start was given up: nobody knows */
  }
  search_free(&s);
  laplacian_free(&matrix);
  blas_threads(before);
  return status;
}

static int find_densely(run_t *run, const part_t *part, int64_t count, leading_t *out) {
  laplacian_t matrix = {0};
  int64_t q = part->q, size = part->n * q;
  double *a = NEW(double, size *size);
  int status =
      a ? laplacian_new(run, part, false, part->weight, &matrix) : fail_memory(run->error, "a matrix");
  const bsr_t *b = &matrix.beside;
  for (int64_t i = 0; i < part->n && !status; i++)
    for (int64_t at = b->start[i]; at < b->start[i + 1]; at++)
      for (int64_t x = 0; x < q; x++)
        for (int64_t y = 0; y < q; y++)
          a[(i * q + x) * size + b->col[at] * q + y] += b->block[(at * q + x) * q + y];
  if (!status && !out->vectors) out->vectors = NEW(double, size *count);
  if (!status && !out->vectors) status = fail_memory(run->error, "the eigenvectors");
  if (!status) status = solve_dense(run, a, size, count, out->values, out->vectors);
  out->steps = 0;
  laplacian_free(&matrix);
  mem_free(a);
  return status;
}

int leading_find(run_t *run, const part_t *part, int64_t count, double share, uint64_t seed, leading_t *out) {
  int64_t size = part->n * part->q;
  if (count > size) count = size;
  if (!out->values) out->values = NEW(double, count);
  if (!out->values) return fail_memory(run->error, "the eigenvalues");
  out->count = count;
  out->gap = count > part->q ? 0 : NAN;
  int status = size <= DENSE || size < 4 * count ? find_densely(run, part, count, out)
                                                 : find_iteratively(run, part, count, share, seed, out);
  if (!status && !isnan(out->gap)) out->gap = out->values[part->q - 1] - out->values[part->q];
  return status;
}

void leading_free(leading_t *leading) {
  mem_free(leading->values);
  mem_free(leading->vectors);
  *leading = (leading_t){0};
}
