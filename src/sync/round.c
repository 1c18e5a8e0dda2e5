/*
 * Eigenvectors to elements of the group. The first q eigenvectors are U = R Q, up to noise
 * and lengths, with one orthogonal Q for all nodes; so R_i is the orthogonal matrix nearest
 * to block i of U, up to Q. Rotations need det Q = 1, which the sum of the determinants
 * decides, and a block whose nearest orthogonal matrix is a reflection all the same goes
 * to the nearest rotation: the least singular direction v is turned round, O (1 - 2 v v').
 */
#include "sync/sync.h"

#include "base/memory.h"
#include "frames/polar.h"
#include "graph/given.h"

#include <lapacke.h>
#include <math.h>
#include <omp.h>
#include <string.h>

enum { FEW = 1000 };

typedef struct {
  double polar[POLAR_SCRATCH(GIVEN_MOST_Q)], block[GIVEN_MOST_Q * GIVEN_MOST_Q];
  double small[GIVEN_MOST_Q * GIVEN_MOST_Q], values[GIVEN_MOST_Q], work[3 * GIVEN_MOST_Q];
} round_work;

/* Block i of the first q vectors, the last column with a sign. */
static void take_block(const leading_t *leading, int64_t q, int64_t i, double last, double *block) {
  for (int64_t a = 0; a < q; a++)
    for (int64_t l = 0; l < q; l++)
      block[a * q + l] = leading->vectors[(i * q + a) * leading->count + l] * (l == q - 1 ? last : 1);
}

/* The nearest rotation instead of the reflection o. */
static void make_rotation(int64_t q, round_work *w, double *o) {
  if (q == 2) { /* the rotation part of the block */
    double c = w->block[0] + w->block[3], s = w->block[2] - w->block[1], norm = hypot(c, s);
    if (norm > 0) c /= norm, s /= norm;
    o[0] = o[3] = norm > 0 ? c : 1, o[2] = norm > 0 ? s : 0, o[1] = -o[2];
    return;
  }
  for (int64_t a = 0; a < q; a++) /* O' block is symmetric, its least eigenvector is v */
    for (int64_t b = 0; b < q; b++) {
      double sum = 0;
      for (int64_t k = 0; k < q; k++) sum += o[k * q + a] * w->block[k * q + b];
      w->small[a * q + b] = sum;
    }
  int n = (int)q;
  if (LAPACKE_dsyev_work(LAPACK_COL_MAJOR, 'V', 'L', n, w->small, n, w->values, w->work, 3 * n))
    for (int64_t a = 0; a < q; a++) w->small[a] = a == 0;
  for (int64_t a = 0; a < q; a++) {
    double dot = 0;
    for (int64_t k = 0; k < q; k++) dot += o[a * q + k] * w->small[k];
    for (int64_t k = 0; k < q; k++) o[a * q + k] -= 2 * dot * w->small[k];
  }
}

static int64_t step_of(const double *r, int64_t order) {
  int64_t s = (int64_t)lround(atan2(r[2], r[0]) * (double)order / (2 * M_PI));
  return (s % order + order) % order;
}

static void turn_by(int64_t s, int64_t order, double *r) {
  double angle = 2 * M_PI * (double)s / (double)order;
  r[0] = r[3] = cos(angle), r[2] = sin(angle), r[1] = -r[2];
}

int64_t element_step(const group_t *group, const double *r) {
  if (group->group == LAVDM_GROUP_Z2) return r[0] < 0;
  return step_of(r, group->order);
}

void element_of_step(const group_t *group, int64_t s, double *r) {
  if (group->group == LAVDM_GROUP_Z2)
    r[0] = s ? -1 : 1;
  else
    turn_by(s, group->order, r);
}

void round_cyclic(const group_t *group, int64_t n, double *r) {
  double c = 0, s = 0, k = (double)group->order;
  for (int64_t i = 0; i < n; i++) {
    double angle = k * atan2(r[4 * i + 2], r[4 * i]);
    c += cos(angle), s += sin(angle);
  }
  double common = atan2(s, c) / k;
  for (int64_t i = 0; i < n; i++) {
    double angle = atan2(r[4 * i + 2], r[4 * i]) - common, turned[4];
    turned[0] = cos(angle), turned[2] = sin(angle);
    turn_by(step_of(turned, group->order), group->order, r + 4 * i);
  }
}

/* r_i, nearest to block i, and det(r_i) by how well it is determined. */
static double round_block(const leading_t *leading, int64_t q, int64_t i, round_work *w, double *r) {
  take_block(leading, q, i, 1, w->block);
  double least = REAL(polar_factor)(q, w->block, r, w->polar);
  return q > 1 ? least * REAL(determinant)(q, r, w->polar) : 0;
}

/* The last column with its sign, and the nearest rotation. */
static void finish_block(const leading_t *leading, int64_t q, int64_t i, double last, round_work *w,
                         double *r) {
  for (int64_t a = 0; a < q; a++) r[a * q + q - 1] *= last;
  if (REAL(determinant)(q, r, w->polar) > 0) return;
  take_block(leading, q, i, last, w->block);
  make_rotation(q, w, r);
}

int round_vectors(run_t *run, const group_t *group, const part_t *part, const leading_t *leading, double *r) {
  int64_t q = part->q, n = part->n;
  bool rotations = group->group != LAVDM_GROUP_O && q > 1;
  int threads = n > FEW ? run->threads : 1;
  round_work *work = NEW(round_work, threads);
  double *sure = NEW(double, n), sum = 0;
  int status = work && sure ? LAVDM_OK : fail_memory(run->error, "rounding");
#pragma omp parallel for num_threads(threads) schedule(static)
  for (int64_t i = 0; i < (status ? 0 : n); i++)
    sure[i] = round_block(leading, q, i, &work[omp_get_thread_num()], r + i * q * q);
  for (int64_t i = 0; i < n && !status; i++) sum += sure[i];
  double last = rotations && sum < 0 ? -1 : 1;
#pragma omp parallel for num_threads(threads) schedule(static)
  for (int64_t i = 0; i < (status || !rotations ? 0 : n); i++)
    finish_block(leading, q, i, last, &work[omp_get_thread_num()], r + i * q * q);
  mem_free(work);
  mem_free(sure);
  return status;
}

void round_gauge(const group_t *group, int64_t n, double *r) {
  int64_t q = group->q;
  double first[GIVEN_MOST_Q * GIVEN_MOST_Q], row[GIVEN_MOST_Q];
  bool discrete = group->group == LAVDM_GROUP_Z2 || group->group == LAVDM_GROUP_CYCLIC;
  memcpy(first, r, (size_t)(q * q) * sizeof *r);
  for (int64_t i = 0; i < n * q; i++) { /* row of R_i R_0' */
    memcpy(row, r + i * q, (size_t)q * sizeof *row);
    for (int64_t b = 0; b < q; b++) {
      double sum = 0;
      for (int64_t k = 0; k < q; k++) sum += row[k] * first[b * q + k];
      r[i * q + b] = sum;
    }
  }
  for (int64_t i = 0; i < n && discrete; i++)
    element_of_step(group, element_step(group, r + i * q * q), r + i * q * q);
  for (int64_t a = 0; a < q * q; a++) r[a] = a % (q + 1) ? 0 : 1;
}
