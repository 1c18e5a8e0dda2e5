#include "certify/proof.h"

#include "base/memory.h"

#include <math.h>

/* e tr D by the cost, from the first to the last that counts as solved, and between two; the same by tr D,
 * for costs that rounding makes. */
static const double first_gap = 1e-7, last_gap = 3e-4, gap_step = 30, first_rounding = 1e-14,
                    last_rounding = 1e-11, safety = 10;

/* Large factors are made at several times the speed that counts, small ones take longer than their
 * operations. */
static const double operation_work = 0.25, entry_work = 40;

/* What the least curvature is taken times, one after the other, for e. */
static const double above_curve[] = {1.02, 1.5, 4};

void proof_free(proof_t *proof) {
  factor_free(proof->factor);
  mem_free(proof->shifted.value);
  mem_free(proof->lambda);
  mem_free(proof->value);
  mem_free(proof->column);
}

int proof_new(run_t *run, const relaxation_t *t, double bytes, double operations, proof_t *out) {
  int64_t entries = t->m.start[t->m.n], most = t->q + MOST_CLIMB;
  *out = (proof_t){.t = t,
                   .shifted = {t->m.n, t->m.start, t->m.row, NEW(double, entries)},
                   .lambda = NEW(double, t->n * t->q * t->q),
                   .value = NEW(double, t->n * t->rows * most),
                   .column = NEW(double, t->n * t->rows),
                   .most = operations};
  if (!out->shifted.value || !out->lambda || !out->value || !out->column)
    return fail_memory(run->error, "the proof");
  return factor_analyse(run, &t->m, t->first, t->n, bytes, &out->factor);
}

/* Rounding of the factor, from what it is on the columns of x; value is (M - Lambda) x. */
static double rounding_of(const proof_t *proof, int64_t r, const double *x) {
  const relaxation_t *t = proof->t;
  int64_t b = t->rows;
  double most = 0, e = proof->gap / t->total;
  for (int64_t l = 0; l < r; l++) {
    double exact = 0;
    for (int64_t i = 0; i < t->n * b; i++) {
      double z = proof->column[i] = x[i * r + l];
      exact += z * proof->value[i * r + l] + (i % b < t->q ? e * t->scale[i / b] * z * z : 0);
    }
    most = fmax(most, fabs(factor_form(proof->factor, proof->column) - exact));
  }
  return safety * (double)r * most + bound_rounding * t->total;
}

double proof_work(const factor_t *factor) {
  return operation_work * factor_operations(factor) + entry_work * factor_entries(factor);
}

bool proof_affords(const proof_t *proof, double operations) {
  return proof->spent + operations <= proof->most;
}

/* The factor for e tr D = gap. *positive: there is one. */
static int factor_at(run_t *run, proof_t *proof, double gap, bool *positive) {
  proof->gap = gap;
  relaxation_shifted(proof->t, proof->lambda, gap, proof->shifted.value);
  proof->spent += proof_work(proof->factor);
  return factor_compute(run, proof->factor, &proof->shifted, positive);
}

/* Lambda, its trace, and value = (M - Lambda) x. */
static void multiply(const run_t *run, proof_t *proof, int64_t r, const double *x) {
  const relaxation_t *t = proof->t;
  int64_t step = t->rows * r, q = t->q;
  relaxation_product(run, t, r, x, proof->value);
  proof->trace = relaxation_multipliers(t, r, x, proof->value, proof->lambda);
  for (int64_t i = 0; i < t->n; i++)
    for (int64_t a = 0; a < q; a++)
      for (int64_t c = 0; c < q; c++)
        for (int64_t l = 0; l < r; l++)
          proof->value[i * step + a * r + l] -= proof->lambda[(i * q + a) * q + c] * x[i * step + c * r + l];
}

static double bound_here(proof_t *proof, int64_t r, const double *x) {
  proof->rounding = rounding_of(proof, r, x);
  return proof->trace - proof->gap - proof->rounding;
}

int proof_bound(run_t *run, proof_t *proof, int64_t r, const double *x, double f, double *bound,
                bool *solved) {
  const relaxation_t *t = proof->t;
  bool positive = false;
  double gap = fmax(first_gap * f, first_rounding * t->total);
  multiply(run, proof, r, x);
  int status = factor_at(run, proof, gap, &positive);
  while (!status && !positive && gap < 1e3 * t->total && proof_affords(proof, proof_work(proof->factor))) {
    if (run_stopped(run, 0, 1)) status = run_status(run);
    if (!status) status = factor_at(run, proof, gap *= gap_step, &positive);
  }
  *solved = positive && gap <= fmax(last_gap * f, last_rounding * t->total);
  *bound = !status && positive ? bound_here(proof, r, x) : NAN;
  return status;
}

int proof_tighten(run_t *run, proof_t *proof, int64_t r, const double *x, double curve, double *bound) {
  double before = proof->gap, rounding = proof->rounding;
  bool positive = false;
  int status = LAVDM_OK;
  for (size_t k = 0; k < sizeof above_curve / sizeof *above_curve && !status && !positive; k++) {
    double gap = -above_curve[k] * curve + first_rounding * proof->t->total;
    if (!(gap < before) || !proof_affords(proof, proof_work(proof->factor))) break;
    status = factor_at(run, proof, gap, &positive);
  }
  double now = !status && positive ? bound_here(proof, r, x) : NAN;
  if (now > *bound)
    *bound = now;
  else
    proof->rounding = rounding;
  return status;
}
