/*
 * Multigrid for L x = r. On each level a step of damped block Jacobi, the correction from
 * the coarse level P (P' L P)^-1 P' (twice where that is cheap: a W-cycle), and the step
 * once more, so that the whole is symmetric and serves in conjugate gradients and
 * eigensolvers. The coarsest level is inverted if it is small. A graph whose coarse graphs
 * are no smaller than itself needs none: it mixes in a few steps.
 */
#include "sync/sync.h"

#include "base/memory.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

enum { MOST_LEVELS = 24, SMALL = 400, SWEEPS = 6 };

static const double damping = 0.65, cheap = 0.4;

typedef struct {
  laplacian_t *matrix;
  laplacian_t own; /* if it is not the finest */
  groups_t groups; /* to the next level */
  bool twice;      /* the next level is visited twice */
  double *dense;   /* of the last: the inverse, or NULL */
  double *r, *z, *t;
} level_t;

struct multigrid {
  int levels;
  int64_t columns;
  level_t level[MOST_LEVELS];
};

void multigrid_free(multigrid_t *grid) {
  if (!grid) return;
  for (int l = 0; l < MOST_LEVELS; l++) {
    level_t *level = &grid->level[l];
    laplacian_free(&level->own);
    groups_free(&level->groups);
    mem_free(level->dense);
    mem_free(level->r);
    mem_free(level->z);
    mem_free(level->t);
  }
  mem_free(grid);
}

/* a (N x N) = L, with a little on the diagonal. */
static void write_out(const laplacian_t *m, double *a) {
  const bsr_t *b = &m->beside;
  int64_t n = b->rows, q = b->q, size = n * q;
  double trace = 0;
  for (int64_t i = 0; i < n; i++)
    for (int64_t x = 0; x < q; x++) {
      for (int64_t y = 0; y < q; y++)
        a[(i * q + x) * size + i * q + y] = m->diagonal ? m->diagonal[(i * q + x) * q + y] : x == y;
      a[(i * q + x) * (size + 1)] -= m->shift;
      trace += fabs(a[(i * q + x) * (size + 1)]);
      for (int64_t at = b->start[i]; at < b->start[i + 1]; at++)
        for (int64_t y = 0; y < q; y++)
          a[(i * q + x) * size + b->col[at] * q + y] -= b->block[(at * q + x) * q + y];
    }
  for (int64_t i = 0; i < size; i++) a[i * (size + 1)] += 1e-9 * trace / (double)size + 1e-14;
}

/* The inverse of the last level, if it is small enough and positive. */
static int invert_last(run_t *run, level_t *last) {
  int64_t size = last->matrix->beside.rows * last->matrix->beside.q;
  if (size > SMALL) return LAVDM_OK;
  double *a = NEW(double, size *size);
  if (!a) return fail_memory(run->error, "the coarse graph");
  write_out(last->matrix, a);
  int n = (int)size;
  int bad = LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', n, a, n);
  if (!bad) bad = LAPACKE_dpotri_work(LAPACK_COL_MAJOR, 'L', n, a, n);
  if (bad) {
    mem_free(a);
    return LAVDM_OK;
  }
  for (int64_t i = 0; i < size; i++)
    for (int64_t j = i + 1; j < size; j++) a[j * size + i] = a[i * size + j];
  last->dense = a;
  return LAVDM_OK;
}

/* candidate (or NULL) is that of the last level, and then of the new one. */
static int add_level(run_t *run, multigrid_t *grid, double *candidate, bool *added) {
  level_t *fine = &grid->level[grid->levels - 1], *coarse = fine + 1;
  *added = false;
  int64_t rows = fine->matrix->beside.rows;
  if (grid->levels == MOST_LEVELS || rows * fine->matrix->beside.q <= SMALL) return LAVDM_OK;
  int64_t size = rows * fine->matrix->beside.q * fine->matrix->beside.q;
  double *next = candidate ? NEW(double, size) : NULL;
  if (candidate && !next) return fail_memory(run->error, "the coarse graphs");
  int status = groups_new(run, fine->matrix, candidate, next, &fine->groups);
  if (candidate && !status) memcpy(candidate, next, (size_t)size * sizeof *next);
  mem_free(next);
  if (!status) status = laplacian_coarse(run, fine->matrix, &fine->groups, &coarse->own);
  if (status < 0 || coarse->own.beside.rows == 0) {
    groups_free(&fine->groups);
    return status;
  }
  coarse->matrix = &coarse->own;
  const bsr_t *b = &fine->matrix->beside, *c = &coarse->own.beside;
  fine->twice = (double)c->start[c->rows] < cheap * (double)b->start[rows];
  grid->levels++;
  *added = true;
  return LAVDM_OK;
}

int multigrid_new(run_t *run, laplacian_t *fine, int64_t columns, const double *candidate,
                  multigrid_t **out) {
  multigrid_t *grid = NEW(multigrid_t, 1);
  int64_t size = fine->beside.rows * fine->beside.q * fine->beside.q;
  double *held = candidate ? NEW(double, size) : NULL;
  *out = NULL;
  if (!grid || (candidate && !held)) {
    mem_free(grid);
    mem_free(held);
    return fail_memory(run->error, "the coarse graphs");
  }
  if (candidate) memcpy(held, candidate, (size_t)size * sizeof *held);
  grid->levels = 1;
  grid->columns = columns;
  grid->level[0].matrix = fine;
  int status = LAVDM_OK;
  for (bool added = true; added && !status;) status = add_level(run, grid, held, &added);
  mem_free(held);
  if (!status) status = invert_last(run, &grid->level[grid->levels - 1]);
  for (int l = 0; l < grid->levels && !status; l++) {
    int64_t count = grid->level[l].matrix->beside.rows * fine->beside.q * columns;
    level_t *level = &grid->level[l];
    level->t = NEW(double, count);
    if (l > 0) level->r = NEW(double, 2 * count), level->z = NEW(double, 2 * count);
    if (!level->t || (l > 0 && (!level->r || !level->z)))
      status = fail_memory(run->error, "vectors of the coarse graphs");
  }
  if (status < 0)
    multigrid_free(grid);
  else
    *out = grid;
  return status;
}

static void set_zero(panel_t x) {
  for (int64_t i = 0; i < x.rows; i++) memset(x.data + i * x.stride, 0, (size_t)x.columns * sizeof *x.data);
}

/* r = P' (r of the fine level less t). */
static void restrict_to(const groups_t *groups, int64_t n, int64_t q, panel_t fine, panel_t less,
                        panel_t coarse) {
  set_zero(coarse);
  for (int64_t i = 0; i < n; i++)
    for (int64_t a = 0; a < q; a++) {
      const double *x = fine.data + (i * q + a) * fine.stride, *y = less.data + (i * q + a) * less.stride;
      for (int64_t k = 0; k < q; k++) {
        double f = groups->carry[(i * q + a) * q + k],
               *to = coarse.data + (groups->group[i] * q + k) * coarse.stride;
        for (int64_t l = 0; l < fine.columns; l++) to[l] += f * (x[l] - y[l]);
      }
    }
}

/* z of the fine level += P z. */
static void prolong(const run_t *run, const groups_t *groups, int64_t n, int64_t q, panel_t coarse,
                    panel_t fine) {
#pragma omp parallel for num_threads(n > 20000 ? run->threads : 1) schedule(static)
  for (int64_t i = 0; i < n; i++)
    for (int64_t a = 0; a < q; a++)
      for (int64_t k = 0; k < q; k++) {
        double f = groups->carry[(i * q + a) * q + k], *to = fine.data + (i * q + a) * fine.stride;
        const double *x = coarse.data + (groups->group[i] * q + k) * coarse.stride;
        for (int64_t l = 0; l < fine.columns; l++) to[l] += f * x[l];
      }
}

static panel_t packed(double *data, int64_t rows, int64_t columns) {
  return (panel_t){data, rows, columns, columns};
}

static void cycle(const run_t *run, multigrid_t *grid, int l, panel_t r, panel_t z);

/* z += P (coarse solution of P' (r - t)). */
static void correct(const run_t *run, multigrid_t *grid, int l, panel_t r, panel_t t, panel_t z) {
  level_t *fine = &grid->level[l], *coarse = fine + 1;
  int64_t n = fine->matrix->beside.rows, q = fine->matrix->beside.q, c = r.columns;
  int64_t rows = coarse->matrix->beside.rows * q, half = rows * c;
  panel_t below = packed(coarse->r, rows, c), answer = packed(coarse->z, rows, c);
  restrict_to(&fine->groups, n, q, r, t, below);
  cycle(run, grid, l + 1, below, answer);
  if (fine->twice && !coarse->dense) {
    panel_t left = packed(coarse->r + half, rows, c), more = packed(coarse->z + half, rows, c);
    laplacian_product(run, coarse->matrix, WHOLE, answer, left);
    for (int64_t i = 0; i < half; i++) left.data[i] = below.data[i] - left.data[i];
    /* a visit uses the first halves of this level's neighbours below alone */
    cycle(run, grid, l + 1, left, more);
    for (int64_t i = 0; i < half; i++) answer.data[i] += more.data[i];
  }
  prolong(run, &fine->groups, n, q, answer, z);
}

static void cycle(const run_t *run, multigrid_t *grid, int l, panel_t r, panel_t z) {
  level_t *level = &grid->level[l];
  const laplacian_t *m = level->matrix;
  panel_t t = packed(level->t, r.rows, r.columns), none = {0};
  set_zero(z);
  if (level->dense) {
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)r.rows, (int)r.columns, (int)r.rows, 1,
                level->dense, (int)r.rows, r.data, (int)r.stride, 0, z.data, (int)z.stride);
    return;
  }
  laplacian_relax(run, m, damping, r, none, z);
  bool last = l + 1 == grid->levels;
  for (int sweep = 1; last && l > 0 && sweep < SWEEPS; sweep++) {
    laplacian_product(run, m, WHOLE, z, t);
    laplacian_relax(run, m, damping, r, t, z);
  }
  if (last) return;
  laplacian_product(run, m, WHOLE, z, t);
  correct(run, grid, l, r, t, z);
  laplacian_product(run, m, WHOLE, z, t);
  laplacian_relax(run, m, damping, r, t, z);
}

void multigrid_apply(const run_t *run, multigrid_t *grid, int level, panel_t r, panel_t z) {
  cycle(run, grid, level, r, z);
}

int multigrid_levels(const multigrid_t *grid) {
  return grid->levels;
}

const laplacian_t *multigrid_matrix(const multigrid_t *grid, int level) {
  return grid->level[level].matrix;
}

void multigrid_prolong(const run_t *run, const multigrid_t *grid, int level, panel_t coarse, panel_t fine) {
  const bsr_t *b = &grid->level[level].matrix->beside;
  set_zero(fine);
  prolong(run, &grid->level[level].groups, b->rows, b->q, coarse, fine);
}

int multigrid_shift(run_t *run, multigrid_t *grid, double shift) {
  for (int l = 0; l < grid->levels; l++) {
    grid->level[l].matrix->shift = shift;
    laplacian_invert(run, grid->level[l].matrix);
  }
  level_t *last = &grid->level[grid->levels - 1];
  if (!last->dense) return LAVDM_OK;
  mem_free(last->dense);
  last->dense = NULL;
  return invert_last(run, last);
}

/* Vectors of the conjugate gradients, and their numbers. */
typedef struct {
  double *z, *p, *lp, *scratch, *numbers;
} gradients_t;

static void gradients_free(gradients_t *g) {
  double *all[] = {g->z, g->p, g->lp, g->scratch, g->numbers};
  for (int i = 0; i < 5; i++) mem_free(all[i]);
}

/* y_l += factor f_l x_l. */
static void add_columns(const run_t *run, double factor, const double *f, panel_t x, panel_t y) {
#pragma omp parallel for num_threads(x.rows > 50000 ? run->threads : 1) schedule(static)
  for (int64_t i = 0; i < x.rows; i++)
    for (int64_t l = 0; l < x.columns; l++)
      y.data[i * y.stride + l] += factor * f[l] * x.data[i * x.stride + l];
}

static double quotient(double a, double b) {
  return b > 0 ? a / b : 0;
}

static void descend(run_t *run, const laplacian_t *matrix, multigrid_t *grid, panel_t r, panel_t x,
                    double tolerance, gradients_t *g) {
  enum { MOST_STEPS = 400 };
  int64_t c = r.columns;
  int threads = run->threads;
  panel_t z = packed(g->z, r.rows, c), p = packed(g->p, r.rows, c), lp = packed(g->lp, r.rows, c);
  double *rz = g->numbers, *rr = rz + c, *first = rr + c, *f = first + c, *d = f + c;
  set_zero(x);
  panel_dots(threads, r, r, first, g->scratch);
  for (int step = 0; step < MOST_STEPS && !run_stopped(run, step, MOST_STEPS); step++) {
    multigrid_apply(run, grid, 0, r, z);
    panel_dots(threads, r, z, d, g->scratch);
    for (int64_t l = 0; l < c; l++) f[l] = step ? quotient(d[l], rz[l]) : 0, rz[l] = d[l];
    for (int64_t i = 0; i < r.rows * c; i++) p.data[i] = z.data[i] + f[i % c] * p.data[i];
    laplacian_product(run, matrix, WHOLE, p, lp);
    panel_dots(threads, p, lp, d, g->scratch);
    for (int64_t l = 0; l < c; l++) f[l] = quotient(rz[l], d[l]);
    add_columns(run, 1, f, p, x);
    add_columns(run, -1, f, lp, r);
    panel_dots(threads, r, r, rr, g->scratch);
    bool done = true;
    for (int64_t l = 0; l < c; l++) done = done && rr[l] <= tolerance * tolerance * first[l];
    if (done) return;
  }
}

int multigrid_solve(run_t *run, const laplacian_t *matrix, multigrid_t *grid, panel_t r, panel_t x,
                    double tolerance) {
  int64_t count = r.rows * r.columns;
  gradients_t g = {NEW(double, count), NEW(double, count), NEW(double, count),
                   NEW(double, panel_inner_scratch(r.rows, 1, r.columns)), NEW(double, 5 * r.columns)};
  int status = LAVDM_OK;
  if (!g.z || !g.p || !g.lp || !g.scratch || !g.numbers)
    status = fail_memory(run->error, "the conjugate gradients");
  int before = blas_threads(1);
  if (!status) descend(run, matrix, grid, r, x, tolerance, &g);
  blas_threads(before);
  gradients_free(&g);
  return status ? status : run_status(run);
}
