#include "poses/bodies.h"

#include "base/memory.h"
#include "poses/system.h"

#include <string.h>

/* In the plane nothing bends: a grid of 125,000 poses takes 41 cycles without this and 32 with it, and 2.4
 * and 2.8 seconds of one thread. */
enum { LEAST_Q = 3, MOST_Q = SYSTEM_MOST_Q, MOST_SIZE = SYSTEM_MOST, FEW_NODES = 3000, FEW_GROUPS = 50 };

/* Cycles and seconds (all of lavdm sync, one thread) on a grid of 125,000 poses of space (lavdm sample graph
 * --group se3 --layout grid --noise 0.02), a factor made in each of three steps: 108 and 5.9 without this;
 * with 335 nodes in a group 71 and 5.5, with 52 50 and 4.8, with 6 26 and 8.4. */
static const double least_group = 20; /* nodes in a group, on average */
static const double most_links = 8;   /* of a group to others, on average: more fill up */
/* Of the factor, by edge. The grid of a million edges takes 3,800 and 11, that of 125,000 poses 1,600 and 9.
 */
static const double most_operations = 1e4, most_entries = 40;

#define INLINE static inline __attribute__((always_inline))

struct bodies {
  const likelihood_t *problem;
  int64_t groups, q, d, size; /* size: d + q */
  int32_t *group;             /* n */
  int64_t *first;             /* groups + 1 */
  int32_t *member;            /* n: nodes by group */
  part_t graph;               /* of the edges between groups, */
  int32_t *row, *col, *edge;  /* and which those are */
  pattern_t pattern;
  factor_t *factor;
  bool ready;   /* the factor has numbers */
  double *arm;  /* n x q: p_i - c_g */
  double *side; /* groups x size */
};

void bodies_free(bodies_t *b) {
  if (!b) return;
  part_free(&b->graph);
  pattern_free(&b->pattern);
  factor_free(b->factor);
  void *all[] = {b->group, b->first, b->member, b->row, b->col, b->edge, b->arm, b->side};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) mem_free(all[i]);
  mem_free(b);
}

/* ------------------------------------------------------------ the groups */

static int list_members(run_t *run, bodies_t *b) {
  int64_t n = b->problem->part->n;
  b->first = NEW(int64_t, b->groups + 1);
  b->member = NEW(int32_t, n);
  b->side = NEW(double, b->groups * b->size);
  if (!b->first || !b->member || !b->side) return fail_memory(run->error, "the fit");
  for (int64_t i = 0; i < n; i++) b->first[b->group[i] + 1]++;
  for (int64_t g = 0; g < b->groups; g++) b->first[g + 1] += b->first[g];
  for (int64_t i = 0; i < n; i++) b->member[b->first[b->group[i]]++] = (int32_t)i;
  memmove(b->first + 1, b->first, (size_t)b->groups * sizeof *b->first);
  b->first[0] = 0;
  return LAVDM_OK;
}

static int list_edges(run_t *run, bodies_t *b) {
  const part_t *part = b->problem->part;
  int64_t count = 0;
  for (int64_t e = 0; e < part->m; e++) {
    int32_t g = b->group[part->row[e]], h = b->group[part->col[e]];
    if (g == h) continue;
    b->row[count] = g, b->col[count] = h;
    b->edge[count++] = (int32_t)e;
  }
  b->graph = (part_t){.n = b->groups, .m = count, .q = b->q, .row = b->row, .col = b->col};
  return part_links(run, &b->graph);
}

/* Pairs of groups that edges join, each counted from both sides; last: scratch, groups. */
static int64_t count_links(const part_t *graph, int64_t *last) {
  int64_t count = 0;
  for (int64_t g = 0; g < graph->n; g++) last[g] = -1;
  for (int64_t g = 0; g < graph->n; g++)
    for (int64_t at = graph->start[g]; at < graph->start[g + 1]; at++) {
      int64_t h = link_node(graph, graph->link[at]);
      count += last[h] != g;
      last[h] = g;
    }
  return count;
}

static void clear(bodies_t *b) {
  part_free(&b->graph);
  pattern_free(&b->pattern);
  factor_free(b->factor);
  mem_free(b->first);
  mem_free(b->member);
  mem_free(b->side);
  b->pattern = (pattern_t){0};
  b->factor = NULL, b->first = NULL, b->member = NULL, b->side = NULL;
}

/* A factor for the groups as they are; none if it takes too long. */
static int try_groups(run_t *run, bodies_t *b) {
  int64_t *last = NEW(int64_t, b->groups);
  int status = last ? list_members(run, b) : fail_memory(run->error, "the fit");
  if (!status) status = list_edges(run, b);
  bool few = !status && (double)count_links(&b->graph, last) <= most_links * (double)b->groups;
  mem_free(last);
  if (status < 0 || !few) return status;
  double m = (double)b->problem->part->m;
  status = pattern_new(run, &b->graph, b->size, &b->pattern);
  if (!status)
    status = factor_analyse(run, &b->pattern.matrix, b->pattern.block, b->groups - 1,
                            most_entries * m * (double)sizeof(double), &b->factor);
  if (status < 0 || !b->factor || factor_operations(b->factor) <= most_operations * m) return status;
  factor_free(b->factor);
  b->factor = NULL;
  return status;
}

int bodies_new(run_t *run, const likelihood_t *problem, const plain_t *grid, bodies_t **out) {
  int64_t n = problem->part->n, m = problem->part->m, q = problem->part->q, d = q * (q - 1) / 2;
  *out = NULL;
  if (n < FEW_NODES || q < LEAST_Q || q > MOST_Q) return LAVDM_OK;
  bodies_t *b = NEW(bodies_t, 1);
  if (!b) return fail_memory(run->error, "the fit");
  *b = (bodies_t){.problem = problem, .q = q, .d = d, .size = d + q};
  b->group = NEW(int32_t, n), b->arm = NEW(double, n *q);
  b->row = NEW(int32_t, m), b->col = NEW(int32_t, m), b->edge = NEW(int32_t, m);
  bool whole = b->group && b->arm && b->row && b->col && b->edge;
  int status = whole ? LAVDM_OK : fail_memory(run->error, "the fit");
  for (int level = 1; !status && !b->factor; level++) {
    b->groups = plain_groups(grid, level, b->group);
    if (b->groups < FEW_GROUPS) break;
    if ((double)b->groups * least_group > (double)n) continue;
    clear(b);
    status = try_groups(run, b);
  }
  if (!status && b->factor)
    *out = b;
  else
    bodies_free(b);
  return status;
}

/* ------------------------------------------------------------ the matrix */

static void find_arms(const run_t *run, bodies_t *b, const double *p) {
  int64_t q = b->q;
#pragma omp parallel for num_threads(run->threads) schedule(static)
  for (int64_t g = 0; g < b->groups; g++)
    for (int64_t a = 0; a < q; a++) {
      double mean = 0;
      for (int64_t at = b->first[g]; at < b->first[g + 1]; at++) mean += p[b->member[at] * q + a];
      mean /= (double)(b->first[g + 1] - b->first[g]);
      for (int64_t at = b->first[g]; at < b->first[g + 1]; at++)
        b->arm[b->member[at] * q + a] = p[b->member[at] * q + a] - mean;
    }
}

/* j (q x size) = sign [V, -1], with x v = V x. */
static void motion(int64_t q, double sign, const double *v, double *j) {
  int64_t d = q * (q - 1) / 2, size = d + q, l = 0;
  memset(j, 0, (size_t)(q * size) * sizeof *j);
  for (int64_t a = 0; a < q; a++) {
    for (int64_t b = a + 1; b < q; b++, l++) j[a * size + l] = sign * v[b], j[b * size + l] = -sign * v[a];
    j[a * size + d + a] = -sign;
  }
}

/* block (by columns) = near on rotations, and tau one'other. */
static void form(int64_t q, double near, double tau, const double *one, const double *other, double *block) {
  int64_t d = q * (q - 1) / 2, size = d + q;
  for (int64_t c = 0; c < size; c++)
    for (int64_t r = 0; r < size; r++) {
      double sum = 0;
      for (int64_t a = 0; a < q; a++) sum += one[a * size + r] * other[a * size + c];
      block[c * size + r] = tau * sum + (r == c && c < d ? near : 0);
    }
}

/* Link `at` of group j: its edge changes by from (w_g, t_g) + to (w_h, t_h). */
static void add_link(bodies_t *b, int64_t j, int64_t at, const double *curvature, const double *reach) {
  const part_t *part = b->problem->part;
  int64_t q = b->q, e = b->edge[b->graph.link[at] / 2];
  bool col = b->graph.link[at] & 1;
  double v[MOST_Q], from[MOST_Q * MOST_SIZE], to[MOST_Q * MOST_SIZE], block[MOST_SIZE * MOST_SIZE],
      tau = b->problem->tau[e];
  for (int64_t a = 0; a < q; a++) v[a] = b->arm[part->row[e] * q + a] + reach[e * q + a];
  motion(q, 1, v, from);
  motion(q, -1, b->arm + part->col[e] * q, to);
  const double *own = col ? to : from, *other = col ? from : to;
  form(q, curvature[e], tau, own, own, block);
  pattern_add_own(&b->pattern, b->size, j, block);
  if (b->pattern.rank[at] < 0) return;
  form(q, -curvature[e], tau, other, own, block);
  pattern_add(&b->pattern, b->size, j, at, block);
}

int bodies_measure(run_t *run, bodies_t *b, const double *curvature, const double *reach, const double *p) {
  find_arms(run, b, p);
#pragma omp parallel for num_threads(run->threads) schedule(static)
  for (int64_t j = 1; j < b->groups; j++) {
    pattern_clear(&b->pattern, b->size, j);
    for (int64_t at = b->graph.start[j]; at < b->graph.start[j + 1]; at++)
      add_link(b, j, at, curvature, reach);
  }
  return factor_compute(run, b->factor, &b->pattern.matrix, &b->ready);
}

/* ---------------------------------------------------------- the correction */

/* side of group g = P' (rx, ry). */
INLINE void gather(const bodies_t *b, int64_t q, int64_t g, const double *rx, const double *ry,
                   double *side) {
  int64_t d = q * (q - 1) / 2;
  double sum[MOST_SIZE] = {0};
  for (int64_t at = b->first[g]; at < b->first[g + 1]; at++) {
    int64_t i = b->member[at], l = 0;
    const double *v = b->arm + i * q, *y = ry + i * q;
    for (int64_t a = 0; a < q; a++) {
      for (int64_t c = a + 1; c < q; c++, l++) sum[l] += rx[i * d + l] - v[c] * y[a] + v[a] * y[c];
      sum[d + a] += y[a];
    }
  }
  for (int64_t k = 0; k < d + q; k++) side[k] = sum[k];
}

/* zx, zy += P side at node i. */
INLINE void scatter(const bodies_t *b, int64_t q, int64_t i, const double *side, double *zx, double *zy) {
  int64_t d = q * (q - 1) / 2, l = 0;
  const double *w = side + b->group[i] * (d + q), *v = b->arm + i * q;
  double *y = zy + i * q;
  for (int64_t a = 0; a < q; a++) {
    y[a] += w[d + a];
    for (int64_t c = a + 1; c < q; c++, l++) {
      zx[i * d + l] += w[l];
      y[a] -= w[l] * v[c], y[c] += w[l] * v[a];
    }
  }
}

/* A loop with a size that the compiler knows for space. */
#define BY_SIZE(count, call)                                                                                 \
  _Pragma("omp parallel for num_threads(run->threads) schedule(static)") for (int64_t i = 0; i < (count);    \
                                                                              i++) {                         \
    if (b->q == 3) {                                                                                         \
      enum { Q = 3 };                                                                                        \
      call;                                                                                                  \
    } else {                                                                                                 \
      const int64_t Q = b->q;                                                                                \
      call;                                                                                                  \
    }                                                                                                        \
  }

int bodies_add(run_t *run, bodies_t *b, const double *rx, const double *ry, double *zx, double *zy) {
  if (!b->ready) return LAVDM_OK;
  BY_SIZE(b->groups, gather(b, Q, i, rx, ry, b->side + i * b->size))
  memset(b->side, 0, (size_t)b->size * sizeof *b->side);
  int status = factor_solve(run, b->factor, 1, b->side + b->size);
  if (status < 0) return status;
  BY_SIZE(b->problem->part->n, scatter(b, Q, i, b->side, zx, zy))
  return LAVDM_OK;
}
