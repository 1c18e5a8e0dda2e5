#include "certify/staircase.h"

#include "base/memory.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

enum { MOST_R = 64 + MOST_CLIMB, MOST_HALVINGS = 30 };

/* A bound of the solution that is further below it than this, by the cost, is so by rounding. */
static const double solved_share = 1e-3;

void stairs_free(stairs_t *s) {
  descent_free(&s->descent);
  mem_free(s->x);
  mem_free(s->other);
  mem_free(s->v);
}

int stairs_new(run_t *run, proof_t *proof, double bytes, double patience, stairs_t *out) {
  const relaxation_t *t = proof->t;
  int64_t size = t->n * t->rows * (t->q + MOST_CLIMB);
  *out = (stairs_t){.t = t,
                    .proof = proof,
                    .rank = t->q,
                    .x = NEW(double, size),
                    .other = NEW(double, size),
                    .v = NEW(double, t->n * t->rows),
                    .bound = NAN};
  out->descent = (descent_t){.proof = proof, .bytes = bytes, .patience = patience};
  return out->x && out->other && out->v ? LAVDM_OK : fail_memory(run->error, "the staircase");
}

static void keep_bound(stairs_t *s, double bound) {
  if (isnan(bound) || bound <= s->bound) return;
  s->bound = bound;
  s->rounding = s->proof->rounding;
}

int stairs_prove(run_t *run, stairs_t *s) {
  double bound = NAN;
  s->solved = s->fresh = false;
  s->short_of = !proof_affords(s->proof, proof_work(s->proof->factor));
  if (s->short_of) return LAVDM_OK;
  int status = proof_bound(run, s->proof, s->rank, s->x, s->f, &bound, &s->solved);
  s->short_of = !status && isnan(bound) && !proof_affords(s->proof, proof_work(s->proof->factor));
  s->solved = s->solved && s->f - bound <= solved_share * s->f;
  s->fresh = !status && !isnan(bound);
  keep_bound(s, bound);
  return status;
}

int stairs_descend(run_t *run, stairs_t *s, double floor) {
  descent_t *d = &s->descent;
  int status = d->gradient ? LAVDM_OK : descent_new(run, s->proof, d->bytes, d->patience, d);
  d->floor = floor;
  if (!status) status = descend(run, d, s->rank, s->x, &s->f);
  bool cut = d->cut;
  if (!status) status = stairs_prove(run, s);
  s->short_of = s->short_of || cut;
  return status;
}

/* x with a column of zeros. */
static void widen(stairs_t *s) {
  int64_t rows = s->t->n * s->t->rows, r = s->rank++;
  for (int64_t i = rows - 1; i >= 0; i--) {
    memmove(s->x + i * (r + 1), s->x + i * r, (size_t)r * sizeof *s->x);
    s->x[i * (r + 1) + r] = 0;
  }
}

/* From x, whose last column is zero, along v in that column to a lower point. *lower: there is one. */
static void leave(run_t *run, stairs_t *s, descent_t *d, const double *v, bool *lower) {
  int64_t rows = s->t->n * s->t->rows, r = s->rank;
  double best = s->f;
  memset(d->step, 0, (size_t)(rows * r) * sizeof *d->step);
  for (int64_t i = 0; i < rows; i++) d->step[i * r + r - 1] = v[i];
  double length = 1;
  *lower = false;
  for (int half = 0; half < MOST_HALVINGS; half++, length /= 2) {
    relaxation_move(run, s->t, r, s->x, d->step, length, d->next);
    double f = relaxation_cost(run, s->t, r, d->next);
    if (*lower && f >= best) break;
    if (f < best) {
      memcpy(s->other, d->next, (size_t)(rows * r) * sizeof *s->other);
      best = f;
      *lower = true;
    }
  }
  if (*lower) {
    memcpy(s->x, s->other, (size_t)(rows * r) * sizeof *s->x);
    s->f = best;
  }
}

/* The bound at x with its least curvature, after which the factor is no longer that of x. */
static int tighten(run_t *run, stairs_t *s, double curve) {
  double bound = s->bound;
  s->fresh = false;
  int status = proof_tighten(run, s->proof, s->rank, s->x, curve, &bound);
  if (!status) keep_bound(s, bound);
  return status;
}

int stairs_up(run_t *run, stairs_t *s, double floor, bool *moved) {
  double curve = 0, before = s->f;
  *moved = false;
  s->short_of = s->short_of || !proof_affords(s->proof, direction_work(s->proof));
  if (s->short_of || s->rank >= s->t->q + MOST_CLIMB || !s->fresh) return LAVDM_OK;
  int status = proof_direction(run, s->proof, s->v, &curve);
  if (status < 0 || !(curve < 0)) return status;
  status = tighten(run, s, curve);
  if (status < 0) return status;
  widen(s);
  leave(run, s, &s->descent, s->v, moved);
  if (*moved) status = stairs_descend(run, s, floor);
  s->fell = before - s->f;
  return status;
}

int stairs_tighten(run_t *run, stairs_t *s) {
  double curve = 0;
  if (s->solved || !s->fresh || !proof_affords(s->proof, direction_work(s->proof))) return LAVDM_OK;
  int status = proof_direction(run, s->proof, s->v, &curve);
  return !status && curve < 0 ? tighten(run, s, curve) : status;
}

/* turn (r x q): the directions in which the rows of rotations are longest, from the longest. */
static int principal(run_t *run, const stairs_t *s, double *turn) {
  const relaxation_t *t = s->t;
  int64_t r = s->rank, q = t->q;
  double gram[MOST_R * MOST_R] = {0}, values[MOST_R];
  for (int64_t i = 0; i < t->n * t->rows; i++)
    for (int64_t k = 0; k < r * r && i % t->rows < q; k++)
      gram[k] += s->x[i * r + k / r] * s->x[i * r + k % r];
  if (LAPACKE_dsyev(LAPACK_COL_MAJOR, 'V', 'L', (int)r, gram, (int)r, values))
    return fail(run->error, LAVDM_ERROR_NUMERICS, "the eigenvalues of a small matrix did not converge");
  for (int64_t l = 0; l < r; l++)
    for (int64_t c = 0; c < q; c++) turn[l * q + c] = gram[(r - 1 - c) * r + l];
  return LAVDM_OK;
}

/* Elements from the rotations' rows of `other` (rank q), back into it. */
static int to_group(run_t *run, stairs_t *s, const group_t *group, double *r) {
  const relaxation_t *t = s->t;
  int64_t q = t->q, changed = 0;
  leading_t leading = {.count = q, .vectors = NEW(double, t->n *q *q)};
  if (!leading.vectors) return fail_memory(run->error, "the staircase");
  for (int64_t i = 0; i < t->n; i++)
    memcpy(leading.vectors + i * q * q, s->other + i * t->rows * q, (size_t)(q * q) * sizeof(double));
  double sum = 0;
  for (int64_t i = 0; i < t->n * q * q; i++) sum += fabs(leading.vectors[i]);
  int status = sum > 0 ? round_vectors(run, group, t->problem->part, &leading, r) : LAVDM_OK;
  if (!status && group->group == LAVDM_GROUP_Z2)
    status = vote_elements(run, group, t->problem->part, false, r, &changed);
  for (int64_t i = 0; i < t->n && !status; i++)
    memcpy(s->other + i * t->rows * q, r + i * q * q, (size_t)(q * q) * sizeof(double));
  mem_free(leading.vectors);
  return status;
}

int stairs_round(run_t *run, stairs_t *s, const group_t *group, double *r, double *p, double *cost) {
  const relaxation_t *t = s->t;
  int64_t q = t->q, rank = s->rank;
  double turn[MOST_R * MOST_R];
  int status = principal(run, s, turn);
  for (int64_t i = 0; i < t->n * t->rows * q && !status; i++) {
    s->other[i] = 0;
    for (int64_t l = 0; l < rank; l++) s->other[i] += s->x[i / q * rank + l] * turn[l * q + i % q];
  }
  if (!status) status = to_group(run, s, group, r);
  s->descent.floor = -INFINITY;
  if (!status) status = descend(run, &s->descent, q, s->other, cost);
  if (!status) relaxation_give(t, s->other, r, p);
  return status;
}
