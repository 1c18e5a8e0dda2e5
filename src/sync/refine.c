/*
 * Best fit of rotations: minimises f = sum w |O - R_i R_k'|^2 / 2 = sum w (q - tr M) with
 * M = R_i' O R_k, by steps R_i -> R_i exp(x_i), x_i skew. To first order M becomes
 * M - x_i + x_k, so that x solves, in least squares with weights w kappa,
 *     x_i - x_k = skew(M) / kappa,   kappa = sin(theta) / theta,
 * a Laplacian of the graph for each of the q(q-1)/2 entries of x. A step that does not
 * lower f is halved.
 */
#include "sync/plain.h"

#include "base/memory.h"
#include "frames/polar.h"
#include "graph/given.h"

#include <math.h>
#include <string.h>

enum { HALVINGS = 4 };

static const double solve_tolerance = 1e-3, least_kappa = 0.05, small_step = 1e-10, small_change = 1e-7;

typedef struct {
  int64_t dims;     /* q(q-1)/2 */
  double *skew;     /* m x dims: w skew(M) */
  double *distance; /* m: q - tr M */
  double *kappa;    /* m: w kappa */
  double *side, *step, *before, *scratch;
} refine_t;

static void refine_free(refine_t *f) {
  double *all[] = {f->skew, f->distance, f->kappa, f->side, f->step, f->before, f->scratch};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) mem_free(all[i]);
}

static int refine_new(run_t *run, const part_t *part, refine_t *f) {
  int64_t q = part->q, d = q * (q - 1) / 2, n = part->n;
  *f = (refine_t){d,
                  NEW(double, part->m *d),
                  NEW(double, part->m),
                  NEW(double, part->m),
                  NEW(double, n *d),
                  NEW(double, n *d),
                  NEW(double, n *q *q),
                  NEW(double, panel_inner_scratch(part->m, 1, 1))};
  bool whole = f->skew && f->distance && f->kappa && f->side && f->step && f->before && f->scratch;
  return whole ? LAVDM_OK : fail_memory(run->error, "the refinement");
}

/* sin(theta)/theta of a rotation with this trace, theta being its only angle (q <= 3) or a mean. */
static double sinc_of(int64_t q, double trace) {
  double c = q <= 3 ? (trace - (double)q + 2) / 2 : trace / (double)q;
  c = fmin(fmax(c, -1), 1);
  double theta = acos(c);
  return theta > 1e-6 ? fmax(sin(theta) / theta, least_kappa) : 1;
}

/* f, and what a step needs of each edge. */
static double measure(const run_t *run, const part_t *part, const double *r, refine_t *f) {
  int64_t q = part->q, m = part->m;
#pragma omp parallel for num_threads(m > 2000 ? run->threads : 1) schedule(static)
  for (int64_t e = 0; e < m; e++) {
    double d[GIVEN_MOST_Q * GIVEN_MOST_Q], trace = 0, w = part->weight[e], *to = f->skew + e * f->dims;
    part_defect(part, r, e, d);
    double square = 0; /* |M - 1|^2 = 2 (q - tr M) */
    for (int64_t a = 0; a < q; a++) {
      trace += d[a * q + a];
      square += (d[a * q + a] - 1) * (d[a * q + a] - 1);
      for (int64_t b = a + 1; b < q; b++) {
        *to++ = w * (d[a * q + b] - d[b * q + a]) / 2;
        square += d[a * q + b] * d[a * q + b] + d[b * q + a] * d[b * q + a];
      }
    }
    f->distance[e] = square / 2;
    f->kappa[e] = w * sinc_of(q, trace);
  }
  double sum;
  panel_dots(run->threads, (panel_t){part->weight, m, 1, 1}, (panel_t){f->distance, m, 1, 1}, &sum,
             f->scratch);
  return sum;
}

/* side = the sum of w skew(M) over the edges of a node, less those into it. */
static void sum_sides(const run_t *run, const part_t *part, refine_t *f) {
  int64_t d = f->dims;
#pragma omp parallel for num_threads(part->m > 5000 ? run->threads : 1) schedule(static)
  for (int64_t i = 0; i < part->n; i++)
    for (int64_t l = 0; l < d; l++) {
      double sum = 0;
      for (int64_t at = part->start[i]; at < part->start[i + 1]; at++)
        sum += (part->link[at] & 1 ? -1 : 1) * f->skew[part->link[at] / 2 * d + l];
      f->side[i * d + l] = sum;
    }
}

/* The same where there are more columns than the plain multigrid takes. */
static int find_wide_step(run_t *run, const part_t *part, refine_t *f) {
  laplacian_t matrix = {0};
  multigrid_t *grid = NULL;
  int64_t n = part->n, d = f->dims;
  int status = laplacian_new(run, part, true, f->kappa, &matrix);
  if (!status) status = multigrid_new(run, &matrix, d, NULL, &grid);
  for (int64_t i = 0; i < n * d && !status; i++) f->side[i] /= matrix.size[i / d];
  if (!status)
    status = multigrid_solve(run, &matrix, grid, (panel_t){f->side, n, d, d}, (panel_t){f->step, n, d, d},
                             solve_tolerance);
  for (int64_t i = 0; i < n * d && !status; i++) f->step[i] /= matrix.size[i / d];
  multigrid_free(grid);
  laplacian_free(&matrix);
  return status;
}

/* step: the solution of the Laplacian with weights kappa, to a tolerance that the next step makes up for. */
static int find_step(run_t *run, const part_t *part, refine_t *f) {
  plain_t *grid = NULL;
  bool solved;
  sum_sides(run, part, f);
  if (f->dims > PLAIN_COLUMNS) return find_wide_step(run, part, f);
  int status = plain_new(run, part, f->kappa, NULL, f->dims, &grid);
  if (!status) status = plain_solve(run, grid, f->dims, f->side, f->step, solve_tolerance, &solved, NULL);
  plain_free(grid);
  return status;
}

/* to = from exp(factor x), to second order and then to the nearest orthogonal matrix; in the
 * plane exactly. */
static void move_one(int64_t q, const double *from, const double *x, double factor, double *to) {
  double move[GIVEN_MOST_Q * GIVEN_MOST_Q], sum[GIVEN_MOST_Q * GIVEN_MOST_Q],
      scratch[POLAR_SCRATCH(GIVEN_MOST_Q)];
  if (q == 2) {
    double c = cos(factor * x[0]), s = -sin(factor * x[0]);
    to[0] = from[0] * c + from[1] * s, to[1] = -from[0] * s + from[1] * c;
    to[2] = from[2] * c + from[3] * s, to[3] = -from[2] * s + from[3] * c;
    return;
  }
  for (int64_t a = 0; a < q; a++) {
    move[a * q + a] = 0;
    for (int64_t b = a + 1; b < q; b++) move[a * q + b] = factor * *x++, move[b * q + a] = -move[a * q + b];
  }
  for (int64_t a = 0; a < q; a++)
    for (int64_t b = 0; b < q; b++) {
      double square = 0;
      for (int64_t k = 0; k < q; k++) square += move[a * q + k] * move[k * q + b];
      sum[a * q + b] = (a == b) + move[a * q + b] + square / 2;
    }
  for (int64_t a = 0; a < q; a++)
    for (int64_t b = 0; b < q; b++) {
      move[a * q + b] = 0;
      for (int64_t k = 0; k < q; k++) move[a * q + b] += from[a * q + k] * sum[k * q + b];
    }
  REAL(polar_factor)(q, move, to, scratch);
}

static void move_all(const run_t *run, const part_t *part, const refine_t *f, double factor, double *r) {
  int64_t q = part->q;
#pragma omp parallel for num_threads(part->n > 500 ? run->threads : 1) schedule(static)
  for (int64_t i = 0; i < part->n; i++)
    move_one(q, f->before + i * q * q, f->step + i * f->dims, factor, r + i * q * q);
}

static double step_length(const refine_t *f, int64_t n) {
  double sum = 0;
  for (int64_t i = 0; i < n * f->dims; i++) sum += f->step[i] * f->step[i];
  return sqrt(sum / (double)n);
}

static int descend(run_t *run, const part_t *part, int64_t steps, refine_t *f, double *r) {
  size_t bytes = (size_t)(part->n * part->q * part->q) * sizeof *r;
  double now = measure(run, part, r, f);
  for (int64_t step = 0; step < steps; step++) {
    double last = now, factor = 1;
    int status = find_step(run, part, f);
    if (status < 0) return status;
    memcpy(f->before, r, bytes);
    for (int half = 0; half < HALVINGS; half++, factor /= 2) {
      move_all(run, part, f, factor, r);
      now = measure(run, part, r, f);
      if (now <= last) break;
    }
    if (now > last) {
      memcpy(r, f->before, bytes);
      return LAVDM_OK;
    }
    if (step_length(f, part->n) < small_step || last - now <= small_change * last) return LAVDM_OK;
  }
  return LAVDM_OK;
}

int refine_rotations(run_t *run, const part_t *part, int64_t steps, double *r) {
  refine_t f = {0};
  int status = refine_new(run, part, &f);
  int before = blas_threads(1);
  if (!status) status = descend(run, part, steps, &f, r);
  blas_threads(before);
  refine_free(&f);
  return status;
}
