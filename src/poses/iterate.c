/*
 * A step of Newton's method, nearly: x, y minimise over all edges from i to k, with M = R_i' O R_k,
 * v = R_i' shift, u = p_k - p_i - v, the sum of
 *
 *     a |x_i - x_k - s|^2 / 2 + tau |u + y_k - y_i + x_i v|^2 + tau (x_i v)'(x_i u),
 *
 * a = 4 kappa c, a s = 4 kappa skew(M), c = tr(M) / q. In the plane these are the derivatives. In space the
 * first term has their mean over all directions, and the last is left out: it is not positive. Half of the
 * second derivatives is H = [A + V'TV, V'TB; B'TV, B'TB]: B are differences along edges and V x the x_i v of
 * all edges. V'TV is nearly a mass at each node, so that with multigrids X for A + mass and Y for B'TB, and
 * D the diagonal of A + mass, the preconditioner is
 *
 *     [1 -H_xy/D; 0 1] [X 0; 0 Y] [1 0; -H_yx/D 1].
 *
 * With X in place of 1/D it would be the inverse but for what X leaves out of the positions' Schur
 * complement; that takes as many cycles, each with one more multigrid. Motions that are smooth over many
 * nodes are added to it by bodies.h.
 */
#include "poses/iterate.h"

#include "base/memory.h"
#include "graph/given.h"
#include "poses/bodies.h"
#include "sync/plain.h"

#include <math.h>
#include <string.h>

enum { MOST_Q = ITERATE_MOST_Q, MOST_D = MOST_Q * (MOST_Q - 1) / 2, FEW = 2000, RECENT = 4, SLAB = 4096 };

/* A step of more cycles has the factor of the bodies made again. On the grid of 125,000 poses of space steps
 * take 15, 23 and 12 cycles, with the factor of the first as with their own, which take 4.6 seconds in place
 * of 4.0. */
enum { MANY_CYCLES = 25 };

static const double least_curvature = 0.1, most_rate = 0.95;

#define INLINE static inline __attribute__((always_inline))

struct iterate {
  const likelihood_t *problem;
  int64_t n, m, q, d;
  bool places;              /* there are positions */
  double *turn, *curvature; /* m x d, m: a s / 2 and a / 2 */
  double *reach, *miss;     /* m x q: v and u */
  double *lean; /* n x d x d: what u adds to half of the second derivatives; none but in the plane */
  double *near, *far, *lever; /* by links, 2 m: a / 2, tau, v (q) */
  int32_t *other;             /* 2 m: the node at the other end, or -1 less that if it is the row */
  plain_t *turns, *moves;     /* X and Y */
  bodies_t *bodies;           /* or NULL; */
  bool stale;                 /* those are to be measured anew */
  double *rx, *ry, *zx, *zy, *px, *py, *hx, *hy, *scratch;
};

void iterate_free(iterate_t *it) {
  if (!it) return;
  double *all[] = {it->lean, it->turn,  it->curvature, it->reach, it->miss,   it->near,
                   it->far,  it->lever, it->rx,        it->ry,    it->zx,     it->zy,
                   it->px,   it->py,    it->hx,        it->hy,    it->scratch};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) mem_free(all[i]);
  mem_free(it->other);
  bodies_free(it->bodies);
  plain_free(it->turns);
  plain_free(it->moves);
  mem_free(it);
}

static int make_room(run_t *run, iterate_t *it) {
  int64_t n = it->n, m = it->m, d = it->d, q = it->places ? it->q : 0;
  struct {
    double **to;
    int64_t count;
  } all[] = {{&it->lean, q == 2 ? n * d * d : 0},
             {&it->turn, m * d},
             {&it->curvature, m},
             {&it->reach, m * q},
             {&it->miss, m * q},
             {&it->near, 2 * m},
             {&it->far, 2 * m},
             {&it->lever, 2 * m * q},
             {&it->rx, n * d},
             {&it->ry, n * q},
             {&it->zx, n * d},
             {&it->zy, n * q},
             {&it->px, n * d},
             {&it->py, n * q},
             {&it->hx, n * d},
             {&it->hy, n * q},
             {&it->scratch, n * (d > q ? d : q) / SLAB + 1}};
  bool whole = true;
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    *all[i].to = NEW(double, all[i].count);
    whole = whole && *all[i].to;
  }
  it->other = NEW(int32_t, 2 * m);
  return whole && it->other ? LAVDM_OK : fail_memory(run->error, "the fit");
}

/* X and Y: mass is what V'TV has on the diagonal, on average over rotations. */
static int make_grids(run_t *run, iterate_t *it) {
  const part_t *part = it->problem->part;
  double *weight = NEW(double, it->m), *mass = NEW(double, it->n);
  int status = weight && mass ? LAVDM_OK : fail_memory(run->error, "the fit");
  for (int64_t e = 0; e < it->m && !status; e++) {
    weight[e] = 2 * part->weight[e];
    const double *s = it->places ? it->problem->shift + e * it->q : NULL;
    for (int64_t a = 0; a < it->q && s; a++)
      mass[part->row[e]] += it->problem->tau[e] * s[a] * s[a] * 2 / (double)it->q;
  }
  if (!status) status = plain_new(run, part, weight, it->places ? mass : NULL, it->d, &it->turns);
  if (!status && it->places) status = plain_new(run, part, it->problem->tau, NULL, it->q, &it->moves);
  if (!status && it->places) status = bodies_new(run, it->problem, it->moves, &it->bodies);
  mem_free(weight);
  mem_free(mass);
  return status;
}

int iterate_new(run_t *run, const likelihood_t *problem, iterate_t **out) {
  const part_t *part = problem->part;
  iterate_t *it = NEW(iterate_t, 1);
  *out = NULL;
  if (!it) return fail_memory(run->error, "the fit");
  it->problem = problem;
  it->n = part->n, it->m = part->m, it->q = part->q, it->d = part->q * (part->q - 1) / 2;
  it->places = problem->shift != NULL;
  it->stale = true;
  int status = make_room(run, it);
  if (!status) status = make_grids(run, it);
  for (int64_t i = 0; i < it->n && !status; i++)
    for (int64_t at = part->start[i]; at < part->start[i + 1]; at++) {
      int64_t link = part->link[at];
      it->other[at] = link & 1 ? -1 - part->row[link / 2] : part->col[link / 2];
      if (it->places) it->far[at] = problem->tau[link / 2];
    }
  if (status < 0)
    iterate_free(it);
  else
    *out = it;
  return status;
}

/* -------------------------------------------------- what is measured */

static void measure_edge(iterate_t *it, const double *r, const double *p, int64_t e) {
  const part_t *part = it->problem->part;
  int64_t q = it->q, i = part->row[e], k = part->col[e];
  double m[MOST_Q * MOST_Q], trace = 0, kappa = part->weight[e], *to = it->turn + e * it->d;
  part_defect(part, r, e, m);
  for (int64_t a = 0; a < q; a++) {
    trace += m[a * q + a];
    for (int64_t b = a + 1; b < q; b++) *to++ = kappa * (m[a * q + b] - m[b * q + a]);
  }
  it->curvature[e] = 2 * kappa * fmax(trace / (double)q, least_curvature);
  for (int64_t b = 0; b < q && it->places; b++) {
    double v = 0;
    for (int64_t a = 0; a < q; a++) v += r[(i * q + a) * q + b] * it->problem->shift[e * q + a];
    it->reach[e * q + b] = v;
    it->miss[e * q + b] = p[k * q + b] - p[i * q + b] - v;
  }
}

/* to (d) += factor V'e: with the upper triangle of x row by row, (x v)_a = sum over b of x_ab v_b. */
INLINE void add_lever(int64_t q, double factor, const double *v, const double *e, double *to) {
  for (int64_t a = 0; a < q; a++)
    for (int64_t b = a + 1; b < q; b++) *to++ += factor * (v[b] * e[a] - v[a] * e[b]);
}

/* e (q) = x v. */
INLINE void lever(int64_t q, const double *x, const double *v, double *e) {
  for (int64_t a = 0; a < q; a++) e[a] = 0;
  for (int64_t a = 0; a < q; a++)
    for (int64_t b = a + 1; b < q; b++, x++) {
      e[a] += *x * v[b];
      e[b] -= *x * v[a];
    }
}

/* lean (d x d) += half of tau ((x v)'(z u) + (x u)'(z v)), as a form in x and z. */
static void add_lean(int64_t q, double tau, const double *v, const double *u, double *lean) {
  int64_t d = q * (q - 1) / 2;
  double one[MOST_D] = {0}, e[MOST_Q];
  for (int64_t l = 0; l < d; l++) {
    one[l] = 1;
    lever(q, one, u, e);
    add_lever(q, tau / 2, v, e, lean + l * d);
    lever(q, one, v, e);
    add_lever(q, tau / 2, u, e, lean + l * d);
    one[l] = 0;
  }
}

/* Node i: its links, and its part of minus half of the gradient. */
static void measure_node(iterate_t *it, int64_t i) {
  const part_t *part = it->problem->part;
  int64_t q = it->q, d = it->d;
  double *rx = it->rx + i * d, *ry = it->ry + i * q;
  for (int64_t l = 0; l < d; l++) rx[l] = 0;
  for (int64_t b = 0; b < q && it->places; b++) ry[b] = 0;
  for (int64_t l = 0; l < d * d && it->places && q == 2; l++) it->lean[i * d * d + l] = 0;
  for (int64_t at = part->start[i]; at < part->start[i + 1]; at++) {
    int64_t e = part->link[at] / 2;
    double sign = part->link[at] & 1 ? -1 : 1;
    it->near[at] = it->curvature[e];
    for (int64_t l = 0; l < d; l++) rx[l] += sign * it->turn[e * d + l];
    if (!it->places) continue;
    memcpy(it->lever + at * q, it->reach + e * q, (size_t)q * sizeof *it->lever);
    for (int64_t b = 0; b < q; b++) ry[b] += sign * it->far[at] * it->miss[e * q + b];
    if (sign < 0) continue;
    add_lever(q, -it->far[at], it->reach + e * q, it->miss + e * q, rx);
    if (q == 2) add_lean(q, it->far[at], it->reach + e * q, it->miss + e * q, it->lean + i * d * d);
  }
}

static void measure(const run_t *run, iterate_t *it, const double *r, const double *p) {
  int threads = it->m > FEW ? run->threads : 1;
#pragma omp parallel for num_threads(threads) schedule(static)
  for (int64_t e = 0; e < it->m; e++) measure_edge(it, r, p, e);
#pragma omp parallel for num_threads(threads) schedule(static)
  for (int64_t i = 0; i < it->n; i++) measure_node(it, i);
}

/* ---------------------------------------------------------- products */

/* hx, hy = H (x, y) at node i. */
INLINE void product_node(const iterate_t *it, int64_t q, int64_t i, const double *x, const double *y,
                         double *hx, double *hy) {
  const int64_t *start = it->problem->part->start;
  int64_t d = q * (q - 1) / 2;
  double turn[MOST_D] = {0}, move[MOST_Q] = {0}, e[MOST_Q];
  for (int64_t at = start[i]; at < start[i + 1]; at++) {
    bool out = it->other[at] >= 0;
    int64_t k = out ? it->other[at] : -1 - it->other[at];
    for (int64_t l = 0; l < d; l++) turn[l] += it->near[at] * (x[i * d + l] - x[k * d + l]);
    if (!y) continue;
    const double *v = it->lever + at * q;
    double sign = out ? 1 : -1, tau = it->far[at];
    lever(q, x + (out ? i : k) * d, v, e);
    for (int64_t b = 0; b < q; b++) {
      e[b] += sign * (y[k * q + b] - y[i * q + b]);
      move[b] -= sign * tau * e[b];
    }
    if (out) add_lever(q, tau, v, e, turn);
  }
  for (int64_t l = 0; l < d; l++) {
    for (int64_t k = 0; k < d && y && q == 2; k++) turn[l] += it->lean[(i * d + l) * d + k] * x[i * d + k];
    hx[i * d + l] = turn[l];
  }
  for (int64_t b = 0; b < q && y; b++) hy[i * q + b] = move[b];
}

/* hy = ry - H_yx rx/D at node i; over: 1/D. */
INLINE void less_moves(const iterate_t *it, int64_t q, int64_t i, const double *over, double *hy) {
  const int64_t *start = it->problem->part->start;
  int64_t d = q * (q - 1) / 2;
  double sum[MOST_Q] = {0}, e[MOST_Q];
  for (int64_t at = start[i]; at < start[i + 1]; at++) {
    bool out = it->other[at] >= 0;
    int64_t row = out ? i : -1 - it->other[at];
    double factor = (out ? it->far[at] : -it->far[at]) * over[row];
    lever(q, it->rx + row * d, it->lever + at * q, e);
    for (int64_t b = 0; b < q; b++) sum[b] += factor * e[b];
  }
  for (int64_t b = 0; b < q; b++) hy[i * q + b] = it->ry[i * q + b] + sum[b];
}

/* zx -= H_xy zy/D at node i. */
INLINE void less_turns(const iterate_t *it, int64_t q, int64_t i, const double *over, double *zx) {
  const int64_t *start = it->problem->part->start;
  int64_t d = q * (q - 1) / 2;
  double sum[MOST_D] = {0}, e[MOST_Q];
  for (int64_t at = start[i]; at < start[i + 1]; at++) {
    int64_t k = it->other[at];
    if (k < 0) continue;
    for (int64_t b = 0; b < q; b++) e[b] = it->zy[k * q + b] - it->zy[i * q + b];
    add_lever(q, it->far[at], it->lever + at * q, e, sum);
  }
  for (int64_t l = 0; l < d; l++) zx[i * d + l] -= over[i] * sum[l];
}

/* A loop over the nodes, with a size that the compiler knows for the plane and space. */
#define OVER_NODES(call)                                                                                     \
  do {                                                                                                       \
    int64_t n = it->n;                                                                                       \
    int threads = it->m > FEW ? run->threads : 1;                                                            \
    if (it->q == 2) {                                                                                        \
      enum { Q = 2 };                                                                                        \
      _Pragma("omp parallel for num_threads(threads) schedule(static)") for (int64_t i = 0; i < n; i++)      \
          call;                                                                                              \
    } else if (it->q == 3) {                                                                                 \
      enum { Q = 3 };                                                                                        \
      _Pragma("omp parallel for num_threads(threads) schedule(static)") for (int64_t i = 0; i < n; i++)      \
          call;                                                                                              \
    } else {                                                                                                 \
      int64_t Q = it->q;                                                                                     \
      _Pragma("omp parallel for num_threads(threads) schedule(static)") for (int64_t i = 0; i < n; i++)      \
          call;                                                                                              \
    }                                                                                                        \
  } while (0)

static void product(const run_t *run, iterate_t *it, const double *x, const double *y, double *hx,
                    double *hy) {
  OVER_NODES(product_node(it, Q, i, x, y, hx, hy));
}

/* y = factor y + other x. */
static void combine(const run_t *run, int64_t count, double factor, double *y, double other,
                    const double *x) {
#pragma omp parallel for num_threads(count > FEW ? run->threads : 1) schedule(static)
  for (int64_t i = 0; i < count; i++) y[i] = factor * y[i] + other * x[i];
}

/* zx, zy = the preconditioner times rx, ry; hy is scratch. */
static int precondition(run_t *run, iterate_t *it) {
  const double *over = plain_inverse(it->turns);
  plain_apply(run, it->turns, it->d, it->rx, it->zx);
  if (!it->places) return LAVDM_OK;
  OVER_NODES(less_moves(it, Q, i, over, it->hy));
  plain_apply(run, it->moves, it->q, it->hy, it->zy);
  OVER_NODES(less_turns(it, Q, i, over, it->zx));
  return it->bodies ? bodies_add(run, it->bodies, it->rx, it->ry, it->zx, it->zy) : LAVDM_OK;
}

/* Slabs are summed one by one, so that no result depends on the threads. */
static double dot_of(const run_t *run, int64_t count, const double *a, const double *b, double *slab) {
  int64_t slabs = (count + SLAB - 1) / SLAB;
  double sum = 0;
#pragma omp parallel for num_threads(count > FEW ? run->threads : 1) schedule(static)
  for (int64_t s = 0; s < slabs; s++) {
    int64_t end = (s + 1) * SLAB < count ? (s + 1) * SLAB : count;
    double part = 0;
#pragma omp simd reduction(+ : part)
    for (int64_t i = s * SLAB; i < end; i++) part += a[i] * b[i];
    slab[s] = part;
  }
  for (int64_t s = 0; s < slabs; s++) sum += slab[s];
  return sum;
}

static double dot(const run_t *run, const iterate_t *it, const double *ax, const double *ay, const double *bx,
                  const double *by) {
  double turns = dot_of(run, it->n * it->d, ax, bx, it->scratch);
  return turns + (it->places ? dot_of(run, it->n * it->q, ay, by, it->scratch) : 0);
}

/* What cycles to come would lower the cost by: falls go on as over the last few. falls: those before each of
 * the last 2 RECENT cycles; `share` is that of the residual, which is all that is known at first. */
static double left_of(const double *falls, double share, const step_t *step) {
  if (step->cycles < 2 * RECENT) return share > 0 ? share * step->fall : 0;
  double start = falls[step->cycles % (2 * RECENT)], middle = falls[(step->cycles + RECENT) % (2 * RECENT)];
  double rate = fmin((step->fall - middle) / (middle - start), most_rate);
  return fmax(share * step->fall, (step->fall - middle) * rate / (1 - rate));
}

static int descend(run_t *run, iterate_t *it, effort_t effort, double *x, double *y, step_t *out) {
  int64_t turns = it->n * it->d, moves = it->places ? it->n * it->q : 0;
  double first = 0, last = 0, falls[2 * RECENT] = {0};
  *out = (step_t){0};
  for (; out->cycles < effort.most; out->cycles++) {
    int status = precondition(run, it);
    if (status < 0) return status;
    double rz = dot(run, it, it->rx, it->ry, it->zx, it->zy);
    if (out->cycles == 0) first = rz;
    out->left = left_of(falls, rz / first, out);
    out->solved = rz <= effort.tolerance * effort.tolerance * first || /* never if it is not a number */
                  (out->cycles >= 2 * RECENT && out->left <= effort.enough);
    if (out->solved || run_stopped(run, out->cycles, effort.most)) break;
    falls[out->cycles % (2 * RECENT)] = out->fall;
    double beta = out->cycles ? rz / last : 0;
    last = rz;
    combine(run, turns, beta, it->px, 1, it->zx);
    combine(run, moves, beta, it->py, 1, it->zy);
    product(run, it, it->px, it->places ? it->py : NULL, it->hx, it->hy);
    double curve = dot(run, it, it->px, it->py, it->hx, it->hy);
    if (!(curve > 0)) break;
    double alpha = rz / curve;
    out->fall += alpha * rz;
    combine(run, turns, 1, x, alpha, it->px);
    combine(run, moves, 1, y, alpha, it->py);
    combine(run, turns, 1, it->rx, -alpha, it->hx);
    combine(run, moves, 1, it->ry, -alpha, it->hy);
  }
  return run_status(run);
}

static void clear_step(iterate_t *it, double *x, double *y) {
  size_t turns = (size_t)(it->n * it->d) * sizeof *x, moves = (size_t)(it->n * it->q) * sizeof *x;
  memset(x, 0, turns);
  memset(it->px, 0, turns);
  if (it->places) memset(y, 0, moves);
  if (it->places) memset(it->py, 0, moves);
}

int iterate_step(run_t *run, iterate_t *it, const double *r, const double *p, effort_t effort, double *x,
                 double *y, step_t *out) {
  int before = blas_threads(1), status = LAVDM_OK;
  *out = (step_t){0};
  bool plane = it->places && it->q == 2;
  measure(run, it, r, p);
  if (it->bodies && it->stale) status = bodies_measure(run, it->bodies, it->curvature, it->reach, p);
  /* in the plane without `lean` where that is not positive */
  for (int lean = plane; lean >= 0 && !out->solved && !status; lean--) {
    clear_step(it, x, y);
    if (lean < plane) measure(run, it, r, p); /* the residuals are gone */
    if (!lean && plane) memset(it->lean, 0, (size_t)(it->n * it->d * it->d) * sizeof *x);
    status = descend(run, it, effort, x, y, out);
    if (out->cycles == effort.most) break;
  }
  it->stale = out->cycles > MANY_CYCLES;
  blas_threads(before);
  return status;
}

int iterate_place(run_t *run, iterate_t *it, const double *r, double *p, double tolerance) {
  bool solved;
  if (!it->places) return LAVDM_OK;
  measure(run, it, r, p);
  int status = plain_solve(run, it->moves, it->q, it->ry, it->zy, tolerance, &solved, NULL);
  if (!status) combine(run, it->n * it->q, 1, p, 1, it->zy);
  return status;
}
