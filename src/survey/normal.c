/*
 * H = sum of J' I J and g = sum of J' I e, by blocks: those of every unknown, and of every two that an error
 * joins. Errors are worked out side by side, and added up in their order.
 */
#include "survey/problem.h"

#include "base/memory.h"
#include "base/sort.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
  BATCH = 1024,
  SQUARE = MOST_D * MOST_D,
  ROOM = 3 * SQUARE + 2 * MOST_D + 1 /* H of from, of to, of both, g of from and to, chi2 */
};

void normal_free(normal_t *n) {
  void *all[] = {n->first, n->block, n->key, n->rise, n->place, n->diagonal, n->g, n->work, n->hold};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) mem_free(all[i]);
  triangle_free(&n->h);
  *n = (normal_t){0};
}

/* Blocks of what is not held; points last. */
static int number_blocks(run_t *run, const problem_t *problem, normal_t *n) {
  int64_t all = problem->nodes + problem->points;
  n->first = NEW(int64_t, all + 1), n->block = NEW(int64_t, all);
  if (!n->first || !n->block) return fail_memory(run->error, "the normal equations");
  for (int64_t i = 0; i < all; i++) {
    bool point = i >= problem->nodes;
    n->block[i] = !point && problem->held[i] ? -1 : n->blocks++;
    if (n->block[i] >= 0) n->first[n->blocks] = n->first[n->blocks - 1] + (point ? problem->q : problem->d);
  }
  return LAVDM_OK;
}

/* The blocks that an error joins as a key, or -1 if one of them is held. */
static int64_t key_of(const normal_t *n, const error_t *e) {
  int64_t a = e->from < 0 ? -1 : n->block[e->from], b = n->block[e->to];
  if (a < 0 || b < 0) return -1;
  return (a < b ? a : b) * n->blocks + (a < b ? b : a);
}

static int list_pairs(run_t *run, const problem_t *problem, normal_t *n) {
  n->key = NEW(int64_t, problem->count + n->blocks), n->place = NEW(int64_t, problem->count);
  if (!n->key || !n->place) return fail_memory(run->error, "the normal equations");
  int64_t count = 0;
  for (int64_t b = 0; b < n->blocks; b++) n->key[count++] = b * n->blocks + b;
  for (int64_t e = 0; e < problem->count; e++) {
    int64_t key = key_of(n, &problem->error[e]);
    if (key >= 0) n->key[count++] = key;
  }
  sort_integers(n->key, count);
  for (int64_t k = 0; k < count; k++)
    if (!k || n->key[k] != n->key[n->pairs - 1]) n->key[n->pairs++] = n->key[k];
  for (int64_t e = 0; e < problem->count; e++) {
    int64_t key = key_of(n, &problem->error[e]);
    const int64_t *at =
        key < 0 ? NULL : bsearch(&key, n->key, (size_t)n->pairs, sizeof key, compare_integers);
    n->place[e] = at ? at - n->key : -1;
  }
  return LAVDM_OK;
}

static int64_t block_size(const normal_t *n, int64_t b) {
  return n->first[b + 1] - n->first[b];
}

/* rise and the columns of the triangle, whose first entries are on the diagonal. */
static int lay_out(run_t *run, normal_t *n) {
  triangle_t *h = &n->h;
  h->n = n->first[n->blocks];
  n->diagonal = NEW(int64_t, n->blocks);
  n->rise = NEW(int64_t, n->pairs), h->start = NEW(int64_t, h->n + 1), n->g = NEW(double, h->n);
  if (!n->diagonal || !n->rise || !h->start || !n->g) return fail_memory(run->error, "the normal equations");
  for (int64_t k = 0, high = 0; k < n->pairs; k++) {
    int64_t col = n->key[k] / n->blocks, row = n->key[k] % n->blocks;
    if (row == col) n->diagonal[col] = k, high = 0;
    n->rise[k] = high;
    high += block_size(n, row);
    for (int64_t c = n->first[col]; c < n->first[col + 1]; c++)
      h->start[c + 1] = high - (c - n->first[col]); /* lengths as yet */
  }
  for (int64_t c = 0; c < h->n; c++) h->start[c + 1] += h->start[c];
  h->row = NEW(int64_t, h->start[h->n]), h->value = NEW(double, h->start[h->n]);
  if (!h->row || !h->value) return fail_memory(run->error, "the normal equations");
  for (int64_t k = 0; k < n->pairs; k++) {
    int64_t col = n->key[k] / n->blocks, row = n->key[k] % n->blocks;
    for (int64_t c = 0; c < block_size(n, col); c++)
      for (int64_t r = row == col ? c : 0; r < block_size(n, row); r++)
        h->row[h->start[n->first[col] + c] + n->rise[k] + r - c] = n->first[row] + r;
  }
  return LAVDM_OK;
}

int normal_new(run_t *run, const problem_t *problem, normal_t *n) {
  *n = (normal_t){.work = NEW(double, BATCH *ROOM),
                  .hold = NEW(double, problem->loose * problem->d * problem->d)};
  int status =
      n->work && n->hold ? number_blocks(run, problem, n) : fail_memory(run->error, "the normal equations");
  if (!status) status = list_pairs(run, problem, n);
  if (!status) status = lay_out(run, n);
  return status;
}

/* out (p x q) = a' b, a having k rows of p numbers, b k rows of q. */
static void cross(int64_t k, int64_t p, int64_t q, const double *a, const double *b, double *out) {
  for (int64_t i = 0; i < p; i++)
    for (int64_t j = 0; j < q; j++) {
      double sum = 0;
      for (int64_t l = 0; l < k; l++) sum += a[l * p + i] * b[l * q + j];
      out[i * q + j] = sum;
    }
}

/* What one error adds: see ROOM. That of both is d rows of `from` by those of `to`. */
static void work_out(const problem_t *problem, const error_t *error, double *to) {
  double e[MOST_D], a[SQUARE], b[SQUARE], info[SQUARE], ia[SQUARE], ib[SQUARE], ie[MOST_D];
  int64_t size = error_size(problem, error), d = problem->d, other = error->kind == SIGHTING ? size : d;
  error_of(problem, error, e, a, b);
  error_information(problem, error, info);
  cross(size, size, 1, info, e, ie);
  cross(size, size, other, info, b, ib);
  cross(size, other, other, b, ib, to + SQUARE);
  cross(size, other, 1, b, ie, to + 3 * SQUARE + MOST_D);
  cross(size, 1, 1, e, ie, to + ROOM - 1);
  if (error->from < 0) return;
  cross(size, size, d, info, a, ia);
  cross(size, d, d, a, ia, to);
  cross(size, d, other, a, ib, to + 2 * SQUARE);
  cross(size, d, 1, a, ie, to + 3 * SQUARE);
}

/* Adds a block (rows x columns of it by row) to the one at place k; flip: its transpose. */
static void add_block(normal_t *n, int64_t k, const double *block, bool flip) {
  int64_t col = n->key[k] / n->blocks, row = n->key[k] % n->blocks;
  int64_t rows = block_size(n, row), cols = block_size(n, col);
  for (int64_t c = 0; c < cols; c++) {
    double *to = n->h.value + n->h.start[n->first[col] + c] + n->rise[k] - c;
    for (int64_t r = row == col ? c : 0; r < rows; r++)
      to[r] += flip ? block[c * rows + r] : block[r * cols + c];
  }
}

static void add_error(const problem_t *problem, normal_t *n, int64_t e, const double *add) {
  const error_t *error = &problem->error[e];
  int64_t from = error->from < 0 ? -1 : n->block[error->from], to = n->block[error->to];
  for (int side = 0; side < 2; side++) {
    int64_t b = side ? to : from;
    if (b < 0) continue;
    add_block(n, n->diagonal[b], add + side * SQUARE, false);
    for (int64_t k = 0; k < block_size(n, b); k++)
      n->g[n->first[b] + k] += add[3 * SQUARE + side * MOST_D + k];
  }
  if (n->place[e] >= 0) add_block(n, n->place[e], add + 2 * SQUARE, from < to);
}

int normal_fill(run_t *run, const problem_t *problem, normal_t *n, double *chi2) {
  memset(n->h.value, 0, (size_t)n->h.start[n->h.n] * sizeof *n->h.value);
  memset(n->g, 0, (size_t)n->h.n * sizeof *n->g);
  *chi2 = 0;
  for (int64_t first = 0; first < problem->count; first += BATCH) {
    int64_t count = problem->count - first < BATCH ? problem->count - first : BATCH;
#pragma omp parallel for num_threads(count > 100 ? run->threads : 1) schedule(static)
    for (int64_t k = 0; k < count; k++) work_out(problem, &problem->error[first + k], n->work + k * ROOM);
    for (int64_t k = 0; k < count; k++) {
      add_error(problem, n, first + k, n->work + k * ROOM);
      *chi2 += n->work[k * ROOM + ROOM - 1];
    }
    if (run_stopped(run, first, problem->count)) return run_status(run);
  }
  return LAVDM_OK;
}

/* Sizes of the unknowns of a node, from the diagonal of H: no smaller than 1e-6 of the largest of a kind. */
static void unknown_sizes(const problem_t *problem, const normal_t *n, int64_t b, double *size) {
  double most[2] = {0};
  for (int64_t k = 0; k < problem->d; k++) {
    size[k] = n->h.value[n->h.start[n->first[b] + k]];
    most[k >= problem->q] = fmax(most[k >= problem->q], size[k]);
  }
  for (int64_t k = 0; k < problem->d; k++) {
    double largest = most[k >= problem->q] > 0 ? most[k >= problem->q] : 1;
    size[k] = sqrt(fmax(size[k], 1e-6 * largest));
  }
}

void normal_hold(const problem_t *problem, normal_t *n) {
  int64_t d = problem->d;
  for (int64_t f = 0; f < problem->loose; f++) {
    int64_t b = n->block[problem->loose_node[f]];
    double add[SQUARE] = {0}, size[MOST_D], *hold = n->hold + f * d * d;
    unknown_sizes(problem, n, b, size);
    for (int64_t i = 0; i < d * d; i++) hold[i] = size[i / d] * problem->loose_basis[f * d * d + i];
    for (int64_t i = 0; i < d; i++)
      for (int64_t k = 0; k < d; k++)
        for (int64_t c = 0; c < problem->loose_count[f]; c++)
          add[i * d + k] += hold[i * d + c] * hold[k * d + c];
    add_block(n, n->diagonal[b], add, false);
  }
}

double survey_chi2(const run_t *run, const problem_t *problem, double *scratch) {
  double sum = 0;
  for (int64_t first = 0; first < problem->count; first += BATCH) {
    int64_t count = problem->count - first < BATCH ? problem->count - first : BATCH;
#pragma omp parallel for num_threads(count > 100 ? run->threads : 1) schedule(static)
    for (int64_t k = 0; k < count; k++) {
      const error_t *error = &problem->error[first + k];
      double e[MOST_D], info[SQUARE], ie[MOST_D];
      int64_t size = error_size(problem, error);
      error_of(problem, error, e, NULL, NULL);
      error_information(problem, error, info);
      cross(size, size, 1, info, e, ie);
      cross(size, 1, 1, e, ie, scratch + k);
    }
    for (int64_t k = 0; k < count; k++) sum += scratch[k];
  }
  return sum;
}
