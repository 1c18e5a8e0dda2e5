/*
 * One cycle on a level, for A x = r: a sweep of Gauss and Seidel forward, from zero; the correction from the
 * next level, P (P' A P)^-1 P' (r - A x) times `stretch`; a sweep backward. The two sweeps are each
 * other's transpose, so that the whole is symmetric. Constant vectors on groups overestimate the energy of
 * what they stand for, hence the stretch.
 */
#include "sync/plain_level.h"

#include "base/memory.h"

#include <cblas.h>
#include <string.h>

enum { SERIAL = 4000 };

static const double stretch = 1.6;

#define INLINE static inline __attribute__((always_inline))

static int workers(const run_t *run, int64_t n) {
  return n < SERIAL ? 1 : run->threads;
}

/* sum += over entries begin .. end of w x. */
INLINE void gather(const plain_level *l, int64_t begin, int64_t end, const double *x, int c, double *sum) {
  for (int64_t at = begin; at < end; at++) {
    const double *from = x + (int64_t)l->col[at] * c;
    double w = l->weight[at];
    for (int k = 0; k < c; k++) sum[k] += w * from[k];
  }
}

/* z = (D - L)^-1 r for the rows of a chunk, L being the entries of chunks below the diagonal. */
INLINE void forward(const plain_level *l, int c, int64_t begin, int64_t end, const double *r, double *z) {
  for (int64_t i = begin; i < end; i++) {
    double sum[PLAIN_COLUMNS];
    for (int k = 0; k < c; k++) sum[k] = r[i * c + k];
    gather(l, l->start[i], l->lower[i], z, c, sum);
    for (int k = 0; k < c; k++) z[i * c + k] = sum[k] * l->inverse[i];
  }
}

/* z = y + (D - U)^-1 (r - A y) for the rows of a chunk. */
INLINE void backward(const plain_level *l, int c, int64_t begin, int64_t end, const double *r,
                     const double *y, double *z) {
  for (int64_t i = end - 1; i >= begin; i--) {
    double sum[PLAIN_COLUMNS];
    for (int k = 0; k < c; k++) sum[k] = r[i * c + k];
    gather(l, l->start[i], l->upper[i], y, c, sum);
    gather(l, l->upper[i], l->start[i + 1], z, c, sum);
    for (int k = 0; k < c; k++) z[i * c + k] = sum[k] * l->inverse[i];
  }
}

/* below = P' (r - A z) for groups begin .. end after the sweep forward, which leaves of it what is not in L.
 */
INLINE void restrict_left(const plain_level *l, int c, int64_t begin, int64_t end, const double *z,
                          double *below) {
  for (int64_t g = begin; g < end; g++) {
    double sum[PLAIN_COLUMNS] = {0};
    for (int64_t m = l->first[g]; m < l->first[g + 1]; m++) {
      int64_t i = l->member[m];
      gather(l, l->lower[i], l->start[i + 1], z, c, sum);
    }
    for (int k = 0; k < c; k++) below[g * c + k] = sum[k];
  }
}

/* y = z + stretch P x. */
INLINE void prolong(const plain_level *l, int c, int64_t begin, int64_t end, const double *x, const double *z,
                    double *y) {
  for (int64_t i = begin; i < end; i++)
    for (int k = 0; k < c; k++) y[i * c + k] = z[i * c + k] + stretch * x[(int64_t)l->group[i] * c + k];
}

/* y = A x, or b - A x with a right side b. */
INLINE void product(const plain_level *l, int c, int64_t begin, int64_t end, const double *b, const double *x,
                    double *y) {
  for (int64_t i = begin; i < end; i++) {
    double sum[PLAIN_COLUMNS] = {0};
    gather(l, l->start[i], l->start[i + 1], x, c, sum);
    for (int k = 0; k < c; k++) {
      double ax = l->diagonal[i] * x[i * c + k] - sum[k];
      y[i * c + k] = b ? b[i * c + k] - ax : ax;
    }
  }
}

/* The call for begin .. end of every chunk of `count` rows, in parallel, with columns C that the compiler
 * knows. The loop stands in each case: a parallel region is a function of its own, and what is handed to it
 * is no constant. */
#define CHUNKS(call)                                                                                         \
  _Pragma("omp parallel for num_threads(threads) schedule(static)") for (int64_t begin = 0; begin < rows;    \
                                                                         begin += chunk) {                   \
    int64_t end = begin + chunk < rows ? begin + chunk : rows;                                               \
    call;                                                                                                    \
  }
#define WITH_COLUMNS(c, call)                                                                                \
  case c: {                                                                                                  \
    enum { C = c };                                                                                          \
    CHUNKS(call)                                                                                             \
    break;                                                                                                   \
  }
#define BY_COLUMNS(c, count, by, call)                                                                       \
  do {                                                                                                       \
    const int64_t rows = count, chunk = by;                                                                  \
    const int threads = workers(run, rows);                                                                  \
    switch (c) {                                                                                             \
      WITH_COLUMNS(1, call)                                                                                  \
      WITH_COLUMNS(2, call)                                                                                  \
      WITH_COLUMNS(3, call)                                                                                  \
      WITH_COLUMNS(8, call)                                                                                  \
      WITH_COLUMNS(18, call)                                                                                 \
    default: {                                                                                               \
      const int C = c;                                                                                       \
      CHUNKS(call)                                                                                           \
    }                                                                                                        \
    }                                                                                                        \
  } while (0)

/* y += x. */
static void add(const run_t *run, int64_t count, const double *x, double *y) {
#pragma omp parallel for num_threads(workers(run, count)) schedule(static)
  for (int64_t i = 0; i < count; i++) y[i] += x[i];
}

static void cycle(const run_t *run, plain_t *grid, int at, int c, const double *r, double *z);

/* The next level's x for its right side, by one cycle or two. */
static void solve_below(const run_t *run, plain_t *grid, int at, int c) {
  plain_level *next = &grid->level[at + 1];
  cycle(run, grid, at + 1, c, next->r, next->z);
  if (!grid->level[at].twice || next->dense) return;
  BY_COLUMNS(c, next->n, next->chunk, product(next, C, begin, end, next->r, next->z, next->left));
  cycle(run, grid, at + 1, c, next->left, next->more);
  add(run, next->n * c, next->more, next->z);
}

static void cycle(const run_t *run, plain_t *grid, int at, int c, const double *r, double *z) {
  plain_level *l = &grid->level[at];
  if (l->dense) {
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)l->n, c, (int)l->n, 1, l->dense, (int)l->n, r,
                c, 0, z, c);
    return;
  }
  BY_COLUMNS(c, l->n, l->chunk, forward(l, C, begin, end, r, z));
  if (at + 1 < grid->levels) {
    BY_COLUMNS(c, l->groups, l[1].chunk, restrict_left(l, C, begin, end, z, l[1].r));
    solve_below(run, grid, at, c);
    BY_COLUMNS(c, l->n, l->chunk, prolong(l, C, begin, end, l[1].z, z, l->y));
  } else
    memcpy(l->y, z, (size_t)(l->n * c) * sizeof *z);
  BY_COLUMNS(c, l->n, l->chunk, backward(l, C, begin, end, r, l->y, z));
}

void plain_apply(const run_t *run, plain_t *grid, int64_t columns, const double *r, double *z) {
  cycle(run, grid, 0, (int)columns, r, z);
}

void plain_apply_twice(const run_t *run, plain_t *grid, int64_t columns, double *r, double *z) {
  plain_level *l = &grid->level[0];
  int c = (int)columns;
  plain_apply(run, grid, columns, r, z);
  BY_COLUMNS(c, l->n, l->chunk, product(l, C, begin, end, r, z, r));
  if (!l->more) return;
  plain_apply(run, grid, columns, r, l->more);
  add(run, l->n * c, l->more, z);
}

const double *plain_inverse(const plain_t *grid) {
  return grid->level[0].inverse;
}

void plain_product(const run_t *run, const plain_t *grid, int64_t columns, const double *x, double *y) {
  int c = (int)columns;
  const plain_level *l = &grid->level[0];
  BY_COLUMNS(c, l->n, l->chunk, product(l, C, begin, end, NULL, x, y));
}

/* Vectors of the conjugate gradients, and their numbers. */
typedef struct {
  double *z, *p, *ap, *scratch, *numbers;
} gradients_t;

/* p = z + f p, column by column. */
static void turn(const run_t *run, int64_t n, int64_t c, const double *f, const double *z, double *p) {
#pragma omp parallel for num_threads(workers(run, n)) schedule(static)
  for (int64_t i = 0; i < n; i++)
    for (int64_t k = 0; k < c; k++) p[i * c + k] = z[i * c + k] + f[k] * p[i * c + k];
}

/* x += f p, r -= f ap. */
static void advance(const run_t *run, int64_t n, int64_t c, const double *f, const gradients_t *g, double *x,
                    double *r) {
#pragma omp parallel for num_threads(workers(run, n)) schedule(static)
  for (int64_t i = 0; i < n; i++)
    for (int64_t k = 0; k < c; k++) {
      x[i * c + k] += f[k] * g->p[i * c + k];
      r[i * c + k] -= f[k] * g->ap[i * c + k];
    }
}

static double quotient(double a, double b) {
  return b > 0 ? a / b : 0;
}

static bool all_small(int64_t c, const double *rr, const double *first, double tolerance) {
  for (int64_t k = 0; k < c; k++)
    if (rr[k] > tolerance * tolerance * first[k]) return false;
  return true;
}

static int64_t descend(run_t *run, plain_t *grid, int64_t c, double *r, double *x, double tolerance,
                       gradients_t *g, bool *solved) {
  enum { MOST_STEPS = 400 };
  int64_t n = grid->level[0].n, step = 0;
  double *rz = g->numbers, *rr = rz + c, *first = rr + c, *f = first + c, *d = f + c;
  panel_t pr = {r, n, c, c}, pz = {g->z, n, c, c}, pp = {g->p, n, c, c}, pap = {g->ap, n, c, c};
  memset(x, 0, (size_t)(n * c) * sizeof *x);
  panel_dots(run->threads, pr, pr, first, g->scratch);
  *solved = all_small(c, first, first, 0);
  for (; step < MOST_STEPS && !*solved && !run_stopped(run, step, MOST_STEPS); step++) {
    plain_apply(run, grid, c, r, g->z);
    panel_dots(run->threads, pr, pz, d, g->scratch);
    for (int64_t k = 0; k < c; k++) f[k] = step ? quotient(d[k], rz[k]) : 0, rz[k] = d[k];
    turn(run, n, c, f, g->z, g->p);
    plain_product(run, grid, c, g->p, g->ap);
    panel_dots(run->threads, pp, pap, d, g->scratch);
    for (int64_t k = 0; k < c; k++) f[k] = quotient(rz[k], d[k]);
    advance(run, n, c, f, g, x, r);
    panel_dots(run->threads, pr, pr, rr, g->scratch);
    *solved = all_small(c, rr, first, tolerance);
  }
  return step;
}

int plain_solve(run_t *run, plain_t *grid, int64_t columns, double *r, double *x, double tolerance,
                bool *solved, int64_t *steps) {
  int64_t count = grid->level[0].n * columns;
  gradients_t g = {NEW(double, count), NEW(double, count), NEW(double, count),
                   NEW(double, panel_inner_scratch(grid->level[0].n, 1, columns)), NEW(double, 5 * columns)};
  bool whole = g.z && g.p && g.ap && g.scratch && g.numbers;
  int status = whole ? LAVDM_OK : fail_memory(run->error, "the conjugate gradients");
  int before = blas_threads(1);
  int64_t taken = whole ? descend(run, grid, columns, r, x, tolerance, &g, solved) : 0;
  if (steps) *steps = taken;
  blas_threads(before);
  double *all[] = {g.z, g.p, g.ap, g.scratch, g.numbers};
  for (int i = 0; i < 5; i++) mem_free(all[i]);
  return status ? status : run_status(run);
}

int64_t plain_groups(const plain_t *grid, int level, int32_t *group) {
  if (level >= grid->levels) return 0;
  for (int64_t i = 0; i < grid->level[0].n; i++) {
    group[i] = (int32_t)i;
    for (int l = 0; l < level; l++) group[i] = grid->level[l].group[group[i]];
  }
  return grid->level[level].n;
}
