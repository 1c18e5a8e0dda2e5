#include "certify/relaxation.h"

#include "base/memory.h"
#include "graph/given.h"

#include <math.h>
#include <string.h>

enum { MANY = 500, MOST_R = GIVEN_MOST_Q + MOST_CLIMB }; /* nodes that threads are worth; ranks */

void relaxation_free(relaxation_t *t) {
  mem_free(t->ground);
  mem_free(t->root);
  mem_free(t->scale);
  mem_free(t->share);
  mem_free(t->first);
  triangle_free(&t->m);
}

static void weigh(relaxation_t *t) {
  const part_t *part = t->problem->part;
  double sum = 0;
  for (int64_t e = 0; e < part->m; e++) {
    const double *s = t->problem->shift ? t->problem->shift + e * t->q : NULL;
    t->scale[part->row[e]] += part->weight[e];
    t->scale[part->col[e]] += part->weight[e];
    for (int64_t a = 0; a < t->q && s; a++)
      t->scale[part->row[e]] += t->problem->tau[e] * s[a] * s[a] / (double)t->q;
  }
  for (int64_t i = 0; i < t->n; i++) sum += t->scale[i];
  for (int64_t i = 0; i < t->n; i++) t->scale[i] = (t->scale[i] + sum / (double)t->n) / 2;
  t->total = sum * (double)t->q;
}

int relaxation_new(run_t *run, const likelihood_t *problem, relaxation_t *t) {
  const part_t *part = problem->part;
  bool moves = problem->shift != NULL;
  *t = (relaxation_t){.problem = problem,
                      .n = part->n,
                      .q = part->q,
                      .rows = part->q + moves,
                      .ground = NEW(bool, part->n),
                      .root = moves ? NEW(int64_t, part->n) : NULL,
                      .scale = NEW(double, part->n),
                      .share = NEW(double, part->n)};
  if (!t->ground || (moves && !t->root) || !t->scale || !t->share)
    return fail_memory(run->error, "the proof");
  weigh(t);
  int status = moves ? relaxation_ground(run, t) : LAVDM_OK;
  if (!status) status = relaxation_assemble(run, t);
  return status;
}

/* d = p_k - p_i - R_i' shift of edge e from i. */
static inline void miss(const relaxation_t *t, int64_t r, const double *x, int64_t e, double *d) {
  int64_t q = t->q, b = t->rows;
  const part_t *part = t->problem->part;
  const double *s = t->problem->shift + e * q, *xi = x + part->row[e] * b * r,
               *pk = x + (part->col[e] * b + q) * r;
  for (int64_t l = 0; l < r; l++) {
    double sum = pk[l] - xi[q * r + l];
    for (int64_t a = 0; a < q; a++) sum -= s[a] * xi[a * r + l];
    d[l] = sum;
  }
}

/* Row a of X_i - O X_k for a link of node i; O' for one whose col it is. */
static inline double twist(const part_t *part, int64_t q, int64_t b, int64_t r, const double *x, int64_t i,
                           int64_t link, int64_t a, int64_t l) {
  const double *o = part->o + link / 2 * q * q, *xk = x + link_node(part, link) * b * r;
  int64_t along = link & 1 ? q : 1, from = link & 1 ? a : a * q;
  double sum = x[(i * b + a) * r + l];
  for (int64_t c = 0; c < q; c++) sum -= o[from + c * along] * xk[c * r + l];
  return sum;
}

/* Adds the turns of node i, once q is known where this is compiled. */
static inline __attribute__((always_inline)) void
node_turns(const part_t *part, int64_t q, int64_t b, int64_t r, const double *x, int64_t i, double *yi) {
  for (int64_t at = part->start[i]; at < part->start[i + 1]; at++) {
    int64_t link = part->link[at];
    double w = part->weight[link / 2];
    for (int64_t a = 0; a < q; a++)
      for (int64_t l = 0; l < r; l++) yi[a * r + l] += w * twist(part, q, b, r, x, i, link, a, l);
  }
}

static void node_moves(const relaxation_t *t, int64_t r, const double *x, int64_t i, double *yi) {
  const part_t *part = t->problem->part;
  int64_t q = t->q;
  for (int64_t at = part->start[i]; at < part->start[i + 1]; at++) {
    int64_t link = part->link[at], e = link / 2;
    const double *s = t->problem->shift + e * q;
    double d[MOST_R], tau = link & 1 ? t->problem->tau[e] : -t->problem->tau[e];
    miss(t, r, x, e, d);
    for (int64_t l = 0; l < r; l++) yi[q * r + l] += tau * d[l];
    for (int64_t a = 0; a < q && !(link & 1); a++)
      for (int64_t l = 0; l < r; l++) yi[a * r + l] += tau * s[a] * d[l];
  }
  for (int64_t l = 0; l < r && t->ground[i]; l++) yi[q * r + l] = 0;
}

void relaxation_product(const run_t *run, const relaxation_t *t, int64_t r, const double *x, double *y) {
  const part_t *part = t->problem->part;
  int64_t q = t->q, b = t->rows;
#pragma omp parallel for num_threads(t->n > MANY ? run->threads : 1) schedule(static)
  for (int64_t i = 0; i < t->n; i++) {
    double *yi = y + i * b * r;
    memset(yi, 0, (size_t)(b * r) * sizeof *yi);
    if (q == 2)
      node_turns(part, 2, b, r, x, i, yi);
    else if (q == 3)
      node_turns(part, 3, b, r, x, i, yi);
    else
      node_turns(part, q, b, r, x, i, yi);
    if (b > q) node_moves(t, r, x, i, yi);
  }
}

double relaxation_cost(const run_t *run, const relaxation_t *t, int64_t r, const double *x) {
  const part_t *part = t->problem->part;
  int64_t q = t->q, b = t->rows;
#pragma omp parallel for num_threads(t->n > MANY ? run->threads : 1) schedule(static)
  for (int64_t i = 0; i < t->n; i++) {
    double sum = 0, d[MOST_R];
    for (int64_t at = part->start[i]; at < part->start[i + 1]; at++) {
      int64_t link = part->link[at], e = link / 2;
      if (link & 1) continue;
      double turn = 0, move = 0;
      for (int64_t a = 0; a < q * r; a++) {
        double z = twist(part, q, b, r, x, i, link, a / r, a % r);
        turn += z * z;
      }
      if (b > q) miss(t, r, x, e, d);
      for (int64_t l = 0; l < r && b > q; l++) move += d[l] * d[l];
      sum += part->weight[e] * turn + (b > q ? t->problem->tau[e] * move : 0);
    }
    t->share[i] = sum;
  }
  double sum = 0;
  for (int64_t i = 0; i < t->n; i++) sum += t->share[i];
  return sum;
}

/* small (q x q) = sym(v x'). */
static void symmetric(int64_t q, int64_t r, const double *v, const double *x, double *small) {
  for (int64_t a = 0; a < q; a++)
    for (int64_t c = 0; c <= a; c++) {
      double sum = 0;
      for (int64_t l = 0; l < r; l++) sum += v[a * r + l] * x[c * r + l] + v[c * r + l] * x[a * r + l];
      small[a * q + c] = small[c * q + a] = sum / 2;
    }
}

/* y = y - small x. */
static void take_off(int64_t q, int64_t r, const double *small, const double *x, double *y) {
  for (int64_t a = 0; a < q; a++)
    for (int64_t c = 0; c < q; c++)
      for (int64_t l = 0; l < r; l++) y[a * r + l] -= small[a * q + c] * x[c * r + l];
}

double relaxation_multipliers(const relaxation_t *t, int64_t r, const double *x, const double *y,
                              double *lambda) {
  int64_t q = t->q, step = t->rows * r;
  double trace = 0;
  for (int64_t i = 0; i < t->n; i++) {
    symmetric(q, r, y + i * step, x + i * step, lambda + i * q * q);
    for (int64_t a = 0; a < q; a++) trace += lambda[(i * q + a) * q + a];
  }
  return trace;
}

void relaxation_curve(const run_t *run, const relaxation_t *t, int64_t r, const double *lambda,
                      const double *v, double *y) {
  int64_t q = t->q, step = t->rows * r;
  relaxation_product(run, t, r, v, y);
#pragma omp parallel for num_threads(t->n > MANY ? run->threads : 1) schedule(static)
  for (int64_t i = 0; i < t->n; i++) take_off(q, r, lambda + i * q * q, v + i * step, y + i * step);
}

void relaxation_project(const run_t *run, const relaxation_t *t, int64_t r, const double *x, double *v) {
  int64_t q = t->q, step = t->rows * r;
#pragma omp parallel for num_threads(t->n > MANY ? run->threads : 1) schedule(static)
  for (int64_t i = 0; i < t->n; i++) {
    double small[GIVEN_MOST_Q * GIVEN_MOST_Q];
    symmetric(q, r, v + i * step, x + i * step, small);
    take_off(q, r, small, x + i * step, v + i * step);
  }
}

/* Gram-Schmidt, twice, on q rows of r numbers. */
static void orthonormal(int64_t q, int64_t r, double *x) {
  for (int64_t a = 0; a < q; a++)
    for (int pass = 0; pass < 2; pass++) {
      double *row = x + a * r, norm = 0;
      for (int64_t c = 0; c < a; c++) {
        double dot = 0;
        for (int64_t l = 0; l < r; l++) dot += row[l] * x[c * r + l];
        for (int64_t l = 0; l < r; l++) row[l] -= dot * x[c * r + l];
      }
      for (int64_t l = 0; l < r; l++) norm += row[l] * row[l];
      norm = sqrt(norm);
      for (int64_t l = 0; l < r && norm > 0; l++) row[l] /= norm;
    }
}

/* turn (r x r): X' V - V' X - X' (V X') X, the skew matrix that has X turn = V for a V of the tangent space.
 * The same turn of all nodes changes no residual, which sums X + V made orthonormal do. */
static void turn_of(int64_t q, int64_t r, const double *x, const double *v, double factor, double *turn) {
  for (int64_t k = 0; k < r; k++)
    for (int64_t l = 0; l < r; l++) {
      turn[k * r + l] = 0;
      for (int64_t a = 0; a < q; a++)
        turn[k * r + l] += factor * (x[a * r + k] * v[a * r + l] - v[a * r + k] * x[a * r + l]);
    }
  for (int64_t a = 0; a < q; a++)
    for (int64_t c = 0; c < q; c++) {
      double across = 0;
      for (int64_t l = 0; l < r; l++) across += v[a * r + l] * x[c * r + l] - v[c * r + l] * x[a * r + l];
      for (int64_t k = 0; k < r * r; k++)
        turn[k] -= factor / 2 * across * x[a * r + k / r] * x[c * r + k % r];
    }
}

/* x = x (1 + turn/2) (1 - turn/2)^-1, a rotation (Cayley's), by elimination without pivots: the symmetric
 * part of 1 - turn/2 is the identity, and stays positive. turn is lost. */
static void rotate(int64_t q, int64_t r, double *turn, double *x) {
  double row[MOST_R];
  for (int64_t a = 0; a < q; a++) {
    for (int64_t l = 0; l < r; l++) {
      row[l] = x[a * r + l];
      for (int64_t k = 0; k < r; k++) row[l] += x[a * r + k] * turn[k * r + l] / 2;
    }
    memcpy(x + a * r, row, (size_t)r * sizeof *x);
  }
  for (int64_t k = 0; k < r * r; k++) turn[k] = (k / r == k % r) - turn[k] / 2;
  for (int64_t k = 0; k < r; k++) /* columns: x turn^-1 */
    for (int64_t l = k + 1; l < r; l++) {
      double c = turn[k * r + l] / turn[k * r + k];
      for (int64_t m = k; m < r; m++) turn[m * r + l] -= c * turn[m * r + k];
      for (int64_t a = 0; a < q; a++) x[a * r + l] -= c * x[a * r + k];
    }
  for (int64_t l = r - 1; l >= 0; l--)
    for (int64_t a = 0; a < q; a++) {
      for (int64_t m = l + 1; m < r; m++) x[a * r + l] -= x[a * r + m] * turn[m * r + l];
      x[a * r + l] /= turn[l * r + l];
    }
}

void relaxation_move(const run_t *run, const relaxation_t *t, int64_t r, const double *x, const double *v,
                     double factor, double *out) {
  int64_t step = t->rows * r;
#pragma omp parallel for num_threads(t->n > MANY ? run->threads : 1) schedule(static)
  for (int64_t i = 0; i < t->n; i++) {
    double turn[MOST_R * MOST_R];
    const double *xi = x + i * step, *vi = v + i * step;
    turn_of(t->q, r, xi, vi, factor, turn);
    for (int64_t k = 0; k < step; k++) out[i * step + k] = xi[k] + (k < t->q * r ? 0 : factor * vi[k]);
    rotate(t->q, r, turn, out + i * step);
    orthonormal(t->q, r, out + i * step); /* of rounding */
  }
}

double relaxation_dot(const relaxation_t *t, int64_t r, const double *x, const double *y) {
  double sum = 0;
  for (int64_t i = 0; i < t->n * t->rows * r; i++) sum += x[i] * y[i];
  return sum;
}

void relaxation_take(const relaxation_t *t, const double *r, const double *p, double *x) {
  int64_t q = t->q, b = t->rows;
  for (int64_t i = 0; i < t->n; i++) {
    memcpy(x + i * b * q, r + i * q * q, (size_t)(q * q) * sizeof *x);
    for (int64_t l = 0; l < q && p && b > q; l++)
      x[(i * b + q) * q + l] = p[i * q + l] - p[t->root[i] * q + l];
  }
}

void relaxation_give(const relaxation_t *t, const double *x, double *r, double *p) {
  int64_t q = t->q, b = t->rows;
  for (int64_t i = 0; i < t->n; i++) {
    memcpy(r + i * q * q, x + i * b * q, (size_t)(q * q) * sizeof *x);
    for (int64_t l = 0; l < q && p && b > q; l++) p[i * q + l] = x[(i * b + q) * q + l] - x[q * q + l];
  }
}
