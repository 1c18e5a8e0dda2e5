/*
 * Through landmarks:                                        Between points:
 *
 *     D_Z = W' W 1                                              D_X = W 1
 *     D_X = W D_Z^-beta W' 1                                    D   = D_X^-alpha W D_X^-alpha 1
 *     D   = D_X^-alpha W D_Z^-beta W' D_X^-alpha 1              N   = D^-1/2 D_X^-alpha S D_X^-alpha D^-1/2
 *     A   = D^-1/2 D_X^-alpha S D_Z^-beta/2,   G = A'A
 *
 * or balanced, W_ii = 0:   d_i sum_k W_ik d_k = 1,   D_X = 1/d,   D = 1,   N = d S d,
 *
 * each scalar acting on a whole block. Where rows stand for w points each, 1 on the right of a W or W' that
 * adds up rows is w, and D_X^-alpha is w D_X^-alpha; D is that of all w together. A row that is a component
 * by itself is isolated: it has D = 0, and its blocks vanish.
 */
#include "engine/reference/reference.h"

#include "operator/square.h"

#include <stdlib.h>

/* -------------------------------------------------------------- components */

/* Gives `name` to every row that can be reached from row i, by way of landmarks or from point to point;
 * seen (m): landmarks that were there before. Returns how many points it is. */
static int64_t flood(const reference_rows *rows, int64_t i, int64_t name, int64_t *set, char *seen,
                     int64_t *stack) {
  int64_t n = rows->base.n, m = rows->m, height = 0, size = 0;
  stack[height++] = i;
  set[i] = name;
  while (height) {
    int64_t at = stack[--height];
    size += (int64_t)reference_weight(rows, at);
    for (int64_t k = 0; k < m; k++) {
      if (!(rows->w[at * m + k] > 0) || seen[k]) continue;
      seen[k] = 1;
      for (int64_t j = 0; j < n; j++)
        if (set[j] < 0 && (rows->itself ? j == k : rows->w[j * m + k] > 0)) {
          set[j] = name;
          stack[height++] = j;
        }
    }
  }
  return size;
}

/* Larger components have smaller numbers; those of one row alone, and rows without an edge, have -1. */
static int find_components(run_t *run, reference_rows *rows, graph_info *info) {
  int64_t n = rows->base.n, count = 0;
  int64_t *set = NEW(int64_t, n), *size = NEW(int64_t, n), *stack = NEW(int64_t, n);
  char *seen = NEW(char, rows->m);
  rows->component = NEW(int64_t, n);
  int status = set && size && stack && seen && rows->component
                   ? LAVDM_OK
                   : fail_memory(run->error, "the components of the graph");
  for (int64_t i = 0; i < n && !status; i++) set[i] = -1;
  for (int64_t i = 0; i < n && !status; i++)
    if (set[i] < 0) size[count] = flood(rows, i, count, set, seen, stack), count++;
  info->components = info->isolated = 0;
  for (int64_t c = 0; c < count && !status; c++) info->components += size[c] > 1;
  for (int64_t i = 0; i < n && !status; i++) {
    int64_t larger = 0;
    for (int64_t c = 0; c < count; c++)
      larger += size[c] > size[set[i]] || (c < set[i] && size[c] == size[set[i]]);
    rows->component[i] = size[set[i]] > 1 ? larger : -1;
    info->isolated += rows->component[i] < 0;
  }
  mem_free(set);
  mem_free(size);
  mem_free(stack);
  mem_free(seen);
  return status;
}

/* ----------------------------------------------------------- normalisation */

/* y (n) = W x and y (m) = W' x. */
static void from_references(const reference_rows *rows, const double *x, double *y) {
  for (int64_t i = 0; i < rows->base.n; i++) {
    y[i] = 0;
    for (int64_t k = 0; k < rows->m; k++) y[i] += rows->w[i * rows->m + k] * x[k];
  }
}

static void to_references(const reference_rows *rows, const double *x, double *y) {
  for (int64_t k = 0; k < rows->m; k++) {
    y[k] = 0;
    for (int64_t i = 0; i < rows->base.n; i++) y[k] += rows->w[i * rows->m + k] * x[i];
  }
}

/* x_i = 0 where row i is isolated. */
static void leave_out(const reference_rows *rows, double *x) {
  for (int64_t i = 0; i < rows->base.n; i++)
    if (rows->component[i] < 0) x[i] = 0;
}

/* S becomes diag(left) S diag(right), with left = D^-1/2 D_X^-alpha; power (n) is D_X^-alpha. */
static void normalise(reference_rows *rows, const double *power) {
  int64_t n = rows->base.n, q = rows->q, width = rows->m * q;
  for (int64_t i = 0; i < n; i++) rows->left[i] = power[i] * reference_inverse(rows->degree[i], 0.5);
  for (int64_t i = 0; rows->itself && i < n; i++) rows->right[i] = rows->left[i];
  for (int64_t i = 0; i < n * q; i++)
    for (int64_t k = 0; k < width; k++) rows->s[i * width + k] *= rows->left[i / q] * rows->right[k / q];
}

static void scale_landmarks(reference_rows *rows, double alpha, double beta, landmark_scaling *out, double *x,
                            double *z, double *power) {
  int64_t n = rows->base.n, m = rows->m;
  double *d_z = z, *again = z + m; /* D_Z, and D_Z^-beta times a vector */
  for (int64_t k = 0; k < m; k++) again[k] = 1;
  from_references(rows, again, x);
  for (int64_t i = 0; i < n; i++) x[i] *= reference_weight(rows, i);
  to_references(rows, x, d_z);
  for (int64_t i = 0; i < n; i++) x[i] = reference_weight(rows, i);
  to_references(rows, x, out->mass);
  for (int64_t k = 0; k < m; k++) out->mass[k] *= reference_inverse(d_z[k], beta);
  from_references(rows, out->mass, x); /* D_X */
  leave_out(rows, x);
  for (int64_t i = 0; i < n; i++) power[i] = reference_inverse(x[i], alpha) * reference_weight(rows, i);
  to_references(rows, power, out->inflow);
  for (int64_t k = 0; k < m; k++) out->inflow[k] *= reference_inverse(d_z[k], beta);
  from_references(rows, out->inflow, rows->degree);
  for (int64_t i = 0; i < n; i++) rows->degree[i] *= power[i];
  for (int64_t k = 0; k < m; k++) out->column[k] = rows->right[k] = reference_inverse(d_z[k], beta / 2);
  normalise(rows, power);
}

static void scale_square(reference_rows *rows, double alpha, double *x, double *power) {
  int64_t n = rows->base.n;
  for (int64_t i = 0; i < n; i++) x[i] = reference_weight(rows, i);
  from_references(rows, x, rows->density); /* D_X */
  for (int64_t i = 0; i < n; i++)
    power[i] = reference_inverse(rows->density[i], alpha) * reference_weight(rows, i);
  leave_out(rows, power);
  from_references(rows, power, rows->degree);
  for (int64_t i = 0; i < n; i++) rows->degree[i] *= power[i];
  normalise(rows, power);
}

/* operator/local.h: N = D^1/2 T D^-1/2, T = 1 - c rho^-2 (1 - D'^-1 s W s). */
static int localise_square(run_t *run, reference_rows *rows, double alpha, double *x, double *s) {
  int64_t n = rows->base.n, q = rows->q, width = n * q;
  const double *rho = rows->local.rho, c = rows->local.step;
  for (int64_t i = 0; i < n; i++) s[i] = pow(rho[i], -0.5 * (double)rows->local.d);
  leave_out(rows, s);
  for (int64_t i = 0; i < n; i++) s[i] *= reference_weight(rows, i);
  from_references(rows, s, x);
  for (int64_t i = 0; i < n; i++) {
    if (rows->component[i] >= 0 && !(rows->w[i * n + i] > 0))
      return fail(run->error, LAVDM_ERROR_ARGUMENT,
                  "bandwidth is local, but the kernel is not positive at distance 0");
    rows->density[i] = s[i] / reference_weight(rows, i) * x[i];
    s[i] *= reference_inverse(rows->density[i], alpha) / rho[i];
  }
  from_references(rows, s, x);
  for (int64_t i = 0; i < n; i++) rows->degree[i] = s[i] * x[i];
  normalise(rows, s); /* D'^-1/2 s W s D'^-1/2 */
  for (int64_t i = 0; i < width; i++)
    for (int64_t k = 0; k < width; k++)
      rows->s[i * width + k] = rows->s[i * width + k] * c / (rho[i / q] * rho[k / q]) +
                               (i == k && rows->degree[i / q] > 0 ? 1 - c / (rho[i / q] * rho[i / q]) : 0);
  for (int64_t i = 0; i < n; i++) rows->degree[i] *= rho[i] * rho[i];
  return LAVDM_OK;
}

/* d <- sqrt(d / W d), from 1 on, until every d_i (W d)_i is 1. */
static void balance_square(reference_rows *rows, double *x, double *d, graph_info *info) {
  int64_t n = rows->base.n;
  for (int64_t i = 0; i < n; i++) d[i] = rows->component[i] >= 0;
  for (int step = 0;; step++) {
    from_references(rows, d, x);
    info->unbalanced = 0, info->unbalanced_row = -1;
    for (int64_t i = 0; i < n; i++)
      if (d[i] > 0 && !(fabs(d[i] * x[i] - 1) <= info->unbalanced))
        info->unbalanced = fabs(d[i] * x[i] - 1), info->unbalanced_row = i;
    if (info->unbalanced <= BALANCED || step == BALANCE_STEPS || !isfinite(info->unbalanced)) break;
    for (int64_t i = 0; i < n; i++)
      if (d[i] > 0) d[i] = sqrt(d[i] / x[i]);
  }
  for (int64_t i = 0; i < n; i++) {
    rows->density[i] = reference_inverse(d[i], 1);
    rows->degree[i] = d[i] > 0;
  }
  normalise(rows, d);
}

/* Edges, and rows beyond every cut-off that are joined all the same. */
static void count_edges(const reference_rows *rows, graph_info *info) {
  info->edges = info->far = 0;
  for (int64_t i = 0; i < rows->base.n; i++) {
    int64_t own = 0;
    for (int64_t k = 0; k < rows->m; k++) own += rows->w[i * rows->m + k] > 0;
    info->edges += own;
    info->far += rows->far[i] && own > 0;
  }
}

int reference_scale(engine_t *engine, rows_t *given, double alpha, double beta, landmark_scaling *landmarks,
                    graph_info *info) {
  run_t *run = engine->run;
  reference_rows *rows = (reference_rows *)given;
  int64_t n = given->n, m = rows->m;
  double *x = NEW(double, n), *z = NEW(double, 2 * m), *power = NEW(double, n);
  rows->left = NEW(double, n);
  rows->right = NEW(double, m);
  rows->degree = NEW(double, n);
  rows->density = landmarks ? NULL : NEW(double, n);
  bool whole = x && z && power && rows->left && rows->right && rows->degree && (landmarks || rows->density);
  int status = whole ? find_components(run, rows, info) : fail_memory(run->error, "the degrees");
  if (!status) {
    count_edges(rows, info);
    if (landmarks)
      scale_landmarks(rows, alpha, beta, landmarks, x, z, power);
    else if (rows->balanced)
      balance_square(rows, x, power, info);
    else if (rows->local.rho)
      status = localise_square(run, rows, alpha, x, power);
    else
      scale_square(rows, alpha, x, power);
  }
  mem_free(x);
  mem_free(z);
  mem_free(power);
  return status < 0 ? status : run_status(run);
}

/* ---------------------------------------------------------------- matrices */

/* G = A'A */
int reference_gram(engine_t *engine, rows_t *given, symmetric_t *out, graph_info *info) {
  run_t *run = engine->run;
  const reference_rows *rows = (const reference_rows *)given;
  int64_t height = given->n * rows->q, width = rows->m * rows->q;
  *out = (symmetric_t){.size = width, .dense = NEW(double, width *width)};
  if (!out->dense) return fail_memory(run->error, "the Gram matrix");
  for (int64_t i = 0; i < height && !run_stopped(run, i, height); i++) {
    const double *a = rows->s + i * width;
    for (int64_t k = 0; k < width; k++)
      for (int64_t l = 0; l < width; l++) out->dense[k * width + l] += a[k] * a[l];
  }
  info->ill = rows->ill;
  return run_status(run);
}

/* y = N x */
int reference_apply(engine_t *engine, const rows_t *given, const double *x, double *y, int64_t count) {
  const reference_rows *rows = (const reference_rows *)given;
  int64_t size = given->n * rows->q;
  for (int64_t i = 0; i < size; i++)
    for (int64_t c = 0; c < count; c++) {
      double sum = 0;
      for (int64_t k = 0; k < size; k++) sum += rows->s[i * size + k] * x[k * count + c];
      y[i * count + c] = sum;
    }
  return run_status(engine->run);
}

static bool has_block(const reference_rows *rows, int64_t i, int64_t k) {
  return rows->w[i * rows->m + k] > 0 && rows->left[i] > 0 && rows->right[k] > 0;
}

/* The blocks of A or N that are not zero, row by row. */
int reference_blocks(engine_t *engine, rows_t *given, blocks_t *out, graph_info *info) {
  run_t *run = engine->run;
  const reference_rows *rows = (const reference_rows *)given;
  int64_t n = given->n, m = rows->m, q = rows->q, at = 0;
  for (int64_t i = 0; i < n; i++)
    for (int64_t k = 0; k < m; k++) out->count += has_block(rows, i, k);
  out->start = LARGE(&run->large, int64_t, n + 1);
  out->col = LARGE(&run->large, int32_t, out->count);
  out->block = LARGE(&run->large, double, out->count *q *q);
  if (!out->start || !out->col || !out->block) return fail_memory(run->error, "the operator");
  for (int64_t i = 0; i < n; i++) {
    for (int64_t k = 0; k < m; k++) {
      if (!has_block(rows, i, k)) continue;
      out->col[at] = (int32_t)k;
      for (int64_t s = 0; s < q; s++)
        for (int64_t t = 0; t < q; t++)
          out->block[(at * q + s) * q + t] = rows->s[(i * q + s) * m * q + k * q + t];
      at++;
    }
    out->start[i + 1] = at;
  }
  info->ill = rows->ill;
  return run_status(run);
}
