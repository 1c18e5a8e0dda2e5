/*
 * Coarse spaces for a connection Laplacian. A group is a node with its heavy neighbours. Where
 * vectors near the wanted ones are known, groups hold exactly those. Where not, a vector x of the group is
 * carried to node i as (s_i / s) G_i x, where G_i is the polar factor of the block that leads from the
 * group's middle to i, s_i the size of constant vectors at i, and s^2 the sum of s_i^2 over the group. So P'
 * P = 1, and what the edges inside of groups carry without change is in the range of P.
 */
#include "sync/sync.h"

#include "base/memory.h"
#include "frames/polar.h"
#include "graph/given.h"

#include <math.h>
#include <omp.h>
#include <string.h>

static const double heavy = 0.25; /* of the heaviest block of a row */

/* A coarse matrix with more of the fine one's blocks than this is of no use. */
static const double worthwhile = 0.4;

void groups_free(groups_t *groups) {
  mem_free(groups->group);
  mem_free(groups->carry);
  *groups = (groups_t){0};
}

/* Squared norms of the blocks. */
static void block_norms(const run_t *run, const bsr_t *b, double *norm) {
  int64_t count = b->start[b->rows], q2 = b->q * b->q;
#pragma omp parallel for num_threads(run->threads) schedule(static)
  for (int64_t at = 0; at < count; at++) {
    double sum = 0;
    for (int64_t j = 0; j < q2; j++) sum += b->block[at * q2 + j] * b->block[at * q2 + j];
    norm[at] = sum;
  }
}

static double heaviest(const bsr_t *b, const double *norm, int64_t i) {
  double most = 0;
  for (int64_t at = b->start[i]; at < b->start[i + 1]; at++)
    if (b->col[at] != i && norm[at] > most) most = norm[at];
  return most;
}

/* to = O from, O being the polar factor of block `at`, or its transpose. */
static void carry_over(const bsr_t *b, int64_t at, bool transposed, const double *from, double *to) {
  int64_t q = b->q;
  double o[GIVEN_MOST_Q * GIVEN_MOST_Q], scratch[POLAR_SCRATCH(GIVEN_MOST_Q)];
  REAL(polar_factor)(q, b->block + at * q * q, o, scratch);
  for (int64_t x = 0; x < q; x++)
    for (int64_t y = 0; y < q; y++) {
      double sum = 0;
      for (int64_t k = 0; k < q; k++) sum += (transposed ? o[k * q + x] : o[x * q + k]) * from[k * q + y];
      to[x * q + y] = sum;
    }
}

/* A new group of i and its free heavy neighbours; with `whole` only if all of them are free. */
static bool group_around(const bsr_t *b, const double *norm, int64_t i, bool whole, bool carry,
                         groups_t *out) {
  int64_t q = b->q;
  double least = heavy * heavy * heaviest(b, norm, i);
  for (int64_t at = b->start[i]; at < b->start[i + 1] && whole; at++)
    if (norm[at] >= least && out->group[b->col[at]] >= 0) return false;
  int64_t number = out->groups++;
  double *own = out->carry + i * q * q;
  out->group[i] = (int32_t)number;
  for (int64_t a = 0; a < q; a++) own[a * q + a] = 1;
  for (int64_t at = b->start[i]; at < b->start[i + 1]; at++) {
    int64_t k = b->col[at];
    if (norm[at] < least || out->group[k] >= 0) continue;
    out->group[k] = (int32_t)number;
    if (carry) carry_over(b, at, true, own, out->carry + k * q * q);
  }
  return true;
}

/* A free node goes to the group of its heaviest neighbour among those that have one in `known`. */
static void join_heaviest(const bsr_t *b, const double *norm, int64_t i, const int32_t *known, bool carry,
                          groups_t *out) {
  int64_t best = -1, q = b->q;
  for (int64_t at = b->start[i]; at < b->start[i + 1]; at++)
    if (known[b->col[at]] >= 0 && (best < 0 || norm[at] > norm[best])) best = at;
  if (best < 0) return;
  int64_t k = b->col[best];
  out->group[i] = known[k];
  if (carry) carry_over(b, best, false, out->carry + k * q * q, out->carry + i * q * q);
}

/* carry_i *= s_i / s. */
static int scale_carries(run_t *run, const laplacian_t *fine, groups_t *out) {
  int64_t n = fine->beside.rows, q2 = fine->beside.q * fine->beside.q;
  double *total = NEW(double, out->groups);
  if (!total) return fail_memory(run->error, "the coarse graph");
  for (int64_t i = 0; i < n; i++) total[out->group[i]] += fine->size[i] * fine->size[i];
  for (int64_t i = 0; i < n; i++) {
    double s = sqrt(total[out->group[i]]), f = s > 0 ? fine->size[i] / s : 0;
    for (int64_t j = 0; j < q2; j++) out->carry[i * q2 + j] *= f;
  }
  mem_free(total);
  return LAVDM_OK;
}

/* c (upper triangle, q x q): k = c' c. What is next to nothing beside the trace counts as that. */
static void factor(int64_t q, const double *k, double *c) {
  double trace = 0;
  for (int64_t i = 0; i < q; i++) trace += k[i * (q + 1)];
  for (int64_t i = 0; i < q * q; i++) c[i] = 0;
  for (int64_t i = 0; i < q; i++)
    for (int64_t j = i; j < q; j++) {
      double sum = k[i * q + j];
      for (int64_t l = 0; l < i; l++) sum -= c[l * q + i] * c[l * q + j];
      c[i * q + j] = i == j ? sqrt(fmax(sum, 1e-8 * trace + 1e-300)) : sum / c[i * (q + 1)];
    }
}

/* carry_i = candidate_i C^-1, with C' C the sum of candidate' candidate over the group. */
static int hold_candidate(run_t *run, const laplacian_t *fine, const double *candidate, double *coarse,
                          groups_t *out) {
  int64_t n = fine->beside.rows, q = fine->beside.q, q2 = q * q;
  double *sum = NEW(double, out->groups *q2);
  if (!sum) return fail_memory(run->error, "the coarse graph");
  for (int64_t i = 0; i < n; i++)
    for (int64_t x = 0; x < q2; x++)
      for (int64_t k = 0; k < q; k++)
        sum[out->group[i] * q2 + x] += candidate[i * q2 + k * q + x / q] * candidate[i * q2 + k * q + x % q];
  for (int64_t g = 0; g < out->groups; g++) factor(q, sum + g * q2, coarse + g * q2);
  for (int64_t i = 0; i < n; i++) {
    const double *c = coarse + out->group[i] * q2;
    for (int64_t a = 0; a < q; a++)
      for (int64_t j = 0; j < q; j++) { /* row a: y C = x */
        double y = candidate[i * q2 + a * q + j];
        for (int64_t l = 0; l < j; l++) y -= out->carry[i * q2 + a * q + l] * c[l * q + j];
        out->carry[i * q2 + a * q + j] = y / c[j * (q + 1)];
      }
  }
  mem_free(sum);
  return LAVDM_OK;
}

int groups_new(run_t *run, const laplacian_t *fine, const double *candidate, double *coarse, groups_t *out) {
  const bsr_t *b = &fine->beside;
  int64_t n = b->rows, q = b->q;
  *out = (groups_t){0, NEW(int32_t, n), NEW(double, n *q *q)};
  int32_t *known = NEW(int32_t, n);
  double *norm = NEW(double, b->start[n]);
  int status = LAVDM_OK;
  if (!out->group || !out->carry || !known || !norm) status = fail_memory(run->error, "the coarse graph");
  if (!status) {
    block_norms(run, b, norm);
    for (int64_t i = 0; i < n; i++) out->group[i] = -1;
    for (int64_t i = 0; i < n; i++)
      if (out->group[i] < 0) group_around(b, norm, i, true, !candidate, out);
    memcpy(known, out->group, (size_t)n * sizeof *known);
    for (int64_t i = 0; i < n; i++)
      if (out->group[i] < 0) join_heaviest(b, norm, i, known, !candidate, out);
    for (int64_t i = 0; i < n; i++)
      if (out->group[i] < 0) group_around(b, norm, i, false, !candidate, out);
    status = candidate ? hold_candidate(run, fine, candidate, coarse, out) : scale_carries(run, fine, out);
  }
  mem_free(known);
  mem_free(norm);
  if (status < 0) groups_free(out);
  return status;
}

/* The nodes of each group: order[first[g]] .. order[first[g+1]-1]. */
typedef struct {
  int64_t *first, *order;
} members_t;

static int members_new(run_t *run, const groups_t *groups, int64_t n, members_t *out) {
  out->first = NEW(int64_t, groups->groups + 1);
  out->order = NEW(int64_t, n);
  if (!out->first || !out->order) return fail_memory(run->error, "the coarse graph");
  for (int64_t i = 0; i < n; i++) out->first[groups->group[i] + 1]++;
  for (int64_t g = 0; g < groups->groups; g++) out->first[g + 1] += out->first[g];
  for (int64_t i = 0; i < n; i++) out->order[out->first[groups->group[i]]++] = i;
  memmove(out->first + 1, out->first, (size_t)groups->groups * sizeof *out->first);
  out->first[0] = 0;
  return LAVDM_OK;
}

/* c += sign A' B C for q x q matrices. */
static void add_sandwich(int64_t q, double sign, const double *a, const double *b, const double *c,
                         double *to) {
  double row[GIVEN_MOST_Q];
  for (int64_t x = 0; x < q; x++) {
    for (int64_t y = 0; y < q; y++) {
      double sum = 0;
      for (int64_t k = 0; k < q; k++) sum += a[k * q + x] * b[k * q + y];
      row[y] = sum;
    }
    for (int64_t y = 0; y < q; y++) {
      double sum = 0;
      for (int64_t k = 0; k < q; k++) sum += row[k] * c[k * q + y];
      to[x * q + y] += sign * sum;
    }
  }
}

/* Row g of the coarse matrix; place[h] is where block (g,h) stands, if from `begin` on. With
 * `count` that is all that is done. Returns where the row ends. */
static int64_t coarse_row(const laplacian_t *fine, const groups_t *groups, const members_t *members,
                          int64_t g, int64_t begin, int64_t *place, bool count, laplacian_t *out) {
  const bsr_t *b = &fine->beside;
  int64_t q = b->q, q2 = q * q, end = begin;
  for (int64_t x = 0; x < q && !count && !fine->diagonal; x++)
    out->diagonal[g * q2 + x * (q + 1)] = 1; /* P' P */
  for (int64_t m = members->first[g]; m < members->first[g + 1]; m++) {
    int64_t i = members->order[m];
    const double *p = groups->carry + i * q2;
    if (!count && fine->diagonal) add_sandwich(q, 1, p, fine->diagonal + i * q2, p, out->diagonal + g * q2);
    for (int64_t at = b->start[i]; at < b->start[i + 1]; at++) {
      int64_t k = b->col[at], h = groups->group[k];
      if (h == g) {
        if (!count)
          add_sandwich(q, -1, p, b->block + at * q2, groups->carry + k * q2, out->diagonal + g * q2);
        continue;
      }
      if (place[h] < begin) {
        place[h] = end;
        if (!count) out->beside.col[end] = (int32_t)h;
        end++;
      }
      if (!count)
        add_sandwich(q, 1, p, b->block + at * q2, groups->carry + k * q2, out->beside.block + place[h] * q2);
    }
  }
  return end;
}

/* All rows: counted, or filled in where start says. The places that one row marks lie
 * below those of the next of the same thread. */
static int coarse_rows(run_t *run, const laplacian_t *fine, const groups_t *groups, const members_t *members,
                       bool count, int64_t *start, laplacian_t *out) {
  int64_t rows = groups->groups;
  int status = LAVDM_OK;
#pragma omp parallel num_threads(run->threads) reduction(min : status)
  {
    int64_t *place = NEW(int64_t, rows), used = 0;
    if (!place) status = LAVDM_ERROR_MEMORY;
    for (int64_t h = 0; h < rows && place; h++) place[h] = -1;
#pragma omp for schedule(static)
    for (int64_t g = 0; g < rows; g++) {
      if (!place) continue;
      int64_t begin = count ? used : start[g];
      used = coarse_row(fine, groups, members, g, begin, place, count, out);
      if (count) start[g + 1] = used - begin;
    }
    mem_free(place);
  }
  return status < 0 ? fail_memory(run->error, "the coarse graph") : LAVDM_OK;
}

static void finish(const run_t *run, const laplacian_t *fine, const groups_t *groups, laplacian_t *out) {
  for (int64_t i = 0; i < fine->beside.rows; i++)
    out->size[groups->group[i]] += fine->size[i] * fine->size[i];
  for (int64_t g = 0; g < groups->groups; g++) out->size[g] = sqrt(out->size[g]);
  laplacian_invert(run, out);
}

int laplacian_coarse(run_t *run, const laplacian_t *fine, const groups_t *groups, laplacian_t *out) {
  int64_t n = groups->groups, q = fine->beside.q, blocks = fine->beside.start[fine->beside.rows];
  members_t members = {0};
  int64_t *start = NEW(int64_t, n + 1);
  memset(out, 0, sizeof *out);
  int status = start ? members_new(run, groups, fine->beside.rows, &members)
                     : fail_memory(run->error, "the coarse graph");
  if (!status) status = coarse_rows(run, fine, groups, &members, true, start, out);
  for (int64_t g = 0; g < n && !status; g++) start[g + 1] += start[g];
  bool useful = !status && (double)start[n] <= worthwhile * (double)blocks;
  if (useful) status = bsr_new(run, n, n, q, start[n], false, &out->beside);
  if (useful && !status) {
    memcpy(out->beside.start, start, (size_t)(n + 1) * sizeof *start);
    out->diagonal = NEW(double, n *q *q);
    out->inverse = NEW(double, n *q *q);
    out->size = NEW(double, n);
    if (!out->diagonal || !out->inverse || !out->size) status = fail_memory(run->error, "the coarse graph");
    if (!status) status = coarse_rows(run, fine, groups, &members, false, start, out);
    if (!status) finish(run, fine, groups, out);
  }
  mem_free(start);
  mem_free(members.first);
  mem_free(members.order);
  if (status < 0) laplacian_free(out);
  return status;
}
