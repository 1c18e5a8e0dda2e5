/*
 * The least curvature: the greatest eigenvalue of B = D^1/2 (M - Lambda + e D)^-1 D^1/2 on the rows of
 * rotations, by Lanczos' iteration with the factor; y of B gives v = (M - Lambda + e D)^-1 D^1/2 y.
 */
#include "base/memory.h"
#include "base/random.h"
#include "certify/proof.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

enum { STEPS = 30, SEED = 19 };

static const double solve_work = 8; /* operations for an entry of the factor, at the speed of factoring */

typedef struct {
  proof_t *proof;
  int64_t n, size;     /* n q, and as many rows as M has */
  double *basis;       /* (STEPS + 1) x n q */
  double *full, *root; /* size; n q: sqrt(D) */
  double diagonal[STEPS], beside[STEPS], vectors[STEPS * STEPS];
} lanczos_t;

double direction_work(const proof_t *proof) {
  double n = (double)(proof->t->n * proof->t->q);
  return STEPS * (solve_work * factor_entries(proof->factor) + STEPS * 8 * n);
}

/* full = (M - Lambda + e D)^-1 D^1/2 y. */
static int apply(run_t *run, lanczos_t *s, const double *y) {
  const relaxation_t *t = s->proof->t;
  memset(s->full, 0, (size_t)s->size * sizeof *s->full);
  for (int64_t i = 0; i < s->n; i++) s->full[i / t->q * t->rows + i % t->q] = s->root[i] * y[i];
  s->proof->spent += solve_work * factor_entries(s->proof->factor) + STEPS * 8 * (double)s->n;
  return factor_solve(run, s->proof->factor, 1, s->full);
}

static double dot(int64_t n, const double *x, const double *y) {
  double sum = 0;
  for (int64_t i = 0; i < n; i++) sum += x[i] * y[i];
  return sum;
}

/* Takes the vectors before out of vector k, twice, and makes it of length 1; its length before. */
static double settle(lanczos_t *s, int k) {
  double *v = s->basis + k * s->n;
  for (int pass = 0; pass < 2; pass++)
    for (int j = 0; j < k; j++) {
      double c = dot(s->n, v, s->basis + j * s->n);
      for (int64_t i = 0; i < s->n; i++) v[i] -= c * s->basis[j * s->n + i];
    }
  double length = sqrt(dot(s->n, v, v));
  for (int64_t i = 0; i < s->n && length > 0; i++) v[i] /= length;
  return length;
}

/* Fills the basis; *count: vectors in it. */
static int iterate(run_t *run, lanczos_t *s, int *count) {
  const relaxation_t *t = s->proof->t;
  /* Never the same start: what the last one had of a space of descent is flat by now, and the rest of that
   * space may be orthogonal to it. */
  random_t random = random_start(SEED, (uint64_t)s->proof->directions++);
  for (int64_t i = 0; i < s->n; i++) s->basis[i] = random_normal(&random);
  settle(s, 0);
  int status = LAVDM_OK;
  for (*count = 0; *count < STEPS && *count < s->n && !status;) {
    int k = (*count)++;
    double *now = s->basis + k * s->n, *next = now + s->n;
    status = apply(run, s, now);
    if (status < 0) break;
    for (int64_t i = 0; i < s->n; i++) next[i] = s->root[i] * s->full[i / t->q * t->rows + i % t->q];
    s->diagonal[k] = dot(s->n, now, next);
    s->beside[k] = settle(s, k + 1);
    if (s->beside[k] <= 1e-12 * fabs(s->diagonal[0])) break;
    if (run_stopped(run, k, STEPS)) status = run_status(run);
  }
  return status;
}

/* The combination of the basis that belongs to the greatest value, in its first vector. */
static int combine(run_t *run, lanczos_t *s, int count) {
  if (LAPACKE_dstev(LAPACK_COL_MAJOR, 'V', count, s->diagonal, s->beside, s->vectors, count))
    return fail(run->error, LAVDM_ERROR_NUMERICS, "the eigenvalues of a small matrix did not converge");
  const double *best = s->vectors + (count - 1) * count;
  for (int64_t i = 0; i < s->n; i++) {
    double sum = 0;
    for (int k = 0; k < count; k++) sum += best[k] * s->basis[k * s->n + i];
    s->basis[i] = sum;
  }
  return LAVDM_OK;
}

/* v at length sqrt(tr D), and its curvature. */
static void measure(run_t *run, const lanczos_t *s, double *v, double *curve) {
  const relaxation_t *t = s->proof->t;
  double sum = 0;
  for (int64_t i = 0; i < s->n; i++) {
    double z = s->root[i] * s->full[i / t->q * t->rows + i % t->q];
    sum += z * z;
  }
  for (int64_t i = 0; i < s->size; i++) v[i] = sum > 0 ? s->full[i] * sqrt(t->total / sum) : 0;
  relaxation_curve(run, t, 1, s->proof->lambda, v, s->full);
  *curve = dot(s->size, v, s->full);
}

int proof_direction(run_t *run, proof_t *proof, double *v, double *curve) {
  const relaxation_t *t = proof->t;
  lanczos_t *s = NEW(lanczos_t, 1);
  if (!s) return fail_memory(run->error, "the proof");
  int64_t n = t->n * t->q;
  int count = 0;
  *s = (lanczos_t){.proof = proof, .n = n, .size = t->n * t->rows};
  s->basis = NEW(double, n *(STEPS + 1));
  s->full = NEW(double, s->size);
  s->root = NEW(double, n);
  int status = s->basis && s->full && s->root ? LAVDM_OK : fail_memory(run->error, "the proof");
  for (int64_t i = 0; i < n && !status; i++) s->root[i] = sqrt(t->scale[i / t->q]);
  if (!status) status = iterate(run, s, &count);
  if (!status) status = combine(run, s, count);
  if (!status) status = apply(run, s, s->basis);
  if (!status) measure(run, s, v, curve);
  mem_free(s->basis);
  mem_free(s->full);
  mem_free(s->root);
  mem_free(s);
  return status;
}
