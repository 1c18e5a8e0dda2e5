#include "certify/tangent.h"

#include "base/memory.h"
#include "graph/given.h"

#include <math.h>
#include <string.h>

enum { MANY = 500 };

void tangent_free(tangent_t *h) {
  factor_free(h->factor);
  triangle_free(&h->h);
  mem_free(h->basis);
  mem_free(h->unknowns);
  mem_free(h->first);
  *h = (tangent_t){0};
}

/* Blocks that M has in the column of node i: itself and those after it. */
static int64_t blocks_of(const relaxation_t *t, int64_t i) {
  const int64_t *start = t->m.start + i * t->rows;
  return (start[1] - start[0]) / t->rows;
}

static int pattern(run_t *run, const relaxation_t *t, tangent_t *h) {
  int64_t b = t->rows, c = h->size, n = t->n, entries = 0, at = 0;
  for (int64_t i = 0; i < n; i++) entries += c * (c + 1) / 2 + (blocks_of(t, i) - 1) * c * c;
  h->h = (triangle_t){n * c, NEW(int64_t, n * c + 1), NEW(int64_t, entries), NEW(double, entries)};
  if (!h->h.start || !h->h.row || !h->h.value) return fail_memory(run->error, "the staircase");
  for (int64_t i = 0; i <= n; i++) h->first[i] = i * c;
  for (int64_t i = 0; i < n; i++)
    for (int64_t l = 0; l < c; l++) {
      for (int64_t k = 0; k < blocks_of(t, i); k++) {
        int64_t node = t->m.row[t->m.start[i * b] + k * b] / b;
        for (int64_t a = k ? 0 : l; a < c; a++) h->h.row[at++] = node * c + a;
      }
      h->h.start[i * c + l + 1] = at;
    }
  return LAVDM_OK;
}

static int64_t size_of(const relaxation_t *t, int64_t r) {
  int64_t q = t->q, moves = t->rows - q;
  return q * (q - 1) / 2 + q * (r - q) + moves * r;
}

/* Blocks in all columns. */
static double all_blocks(const relaxation_t *t) {
  return (double)(t->m.start[t->m.n] + t->n * t->rows * (t->rows - 1) / 2) / (double)(t->rows * t->rows);
}

double tangent_fill_work(const relaxation_t *t, int64_t r) {
  double b = (double)t->rows, c = (double)size_of(t, r);
  return 4 * all_blocks(t) * (b * b * (double)r * c + b * (double)r * c * c);
}

/* Of the basis and the matrix. */
static double bytes_of(const relaxation_t *t, int64_t r) {
  double c = (double)size_of(t, r);
  return (double)(t->n * t->rows * r) * c * sizeof(double) +
         all_blocks(t) * c * c * (sizeof(double) + sizeof(int64_t));
}

int tangent_new(run_t *run, const relaxation_t *t, int64_t r, double bytes, tangent_t *h) {
  *h = (tangent_t){.r = r, .size = size_of(t, r)};
  if (h->size == 0 || bytes_of(t, r) > bytes) return LAVDM_OK; /* signs at rank 1 have no tangents */
  h->basis = NEW(double, t->n * t->rows * r * h->size);
  h->unknowns = NEW(double, t->n * h->size);
  h->first = NEW(int64_t, t->n + 1);
  if (!h->basis || !h->unknowns || !h->first) return fail_memory(run->error, "the staircase");
  int status = pattern(run, t, h);
  return status < 0 ? status : factor_analyse(run, &h->h, h->first, t->n, bytes, &h->factor);
}

/* more ((r - q) x r): orthonormal rows beside the q of x. */
static void complete(int64_t q, int64_t r, const double *x, double *more) {
  for (int64_t k = 0; k < r - q; k++) {
    double best = -1, row[GIVEN_MOST_Q + MOST_CLIMB];
    for (int64_t unit = 0; unit < r; unit++) {
      double norm = 0;
      for (int64_t l = 0; l < r; l++) row[l] = l == unit;
      for (int64_t pass = 0; pass < 2; pass++)
        for (int64_t a = 0; a < q + k; a++) {
          const double *other = a < q ? x + a * r : more + (a - q) * r;
          double dot = 0;
          for (int64_t l = 0; l < r; l++) dot += row[l] * other[l];
          for (int64_t l = 0; l < r; l++) row[l] -= dot * other[l];
        }
      for (int64_t l = 0; l < r; l++) norm += row[l] * row[l];
      if (norm <= best) continue;
      best = norm;
      for (int64_t l = 0; l < r; l++) more[k * r + l] = row[l] / sqrt(norm);
    }
  }
}

/* The basis of a node, columns side by side. */
static void fill_basis(int64_t q, int64_t rows, int64_t r, int64_t size, const double *x, double *basis) {
  double more[MOST_CLIMB * (GIVEN_MOST_Q + MOST_CLIMB)];
  int64_t at = 0;
  memset(basis, 0, (size_t)(rows * r * size) * sizeof *basis);
  complete(q, r, x, more);
  for (int64_t a = 0; a < q; a++)
    for (int64_t c = a + 1; c < q; c++, at++)
      for (int64_t l = 0; l < r; l++) {
        basis[(a * r + l) * size + at] = x[c * r + l] * M_SQRT1_2;
        basis[(c * r + l) * size + at] = -x[a * r + l] * M_SQRT1_2;
      }
  for (int64_t a = 0; a < q; a++)
    for (int64_t k = 0; k < r - q; k++, at++)
      for (int64_t l = 0; l < r; l++) basis[(a * r + l) * size + at] = more[k * r + l];
  for (int64_t l = 0; l < r && rows > q; l++, at++) basis[(q * r + l) * size + at] = 1;
}

/* Entry (a, c) of block k in the column of node i, of M - Lambda + e D as `value` has it. */
static double entry(const relaxation_t *t, const double *value, int64_t i, int64_t k, int64_t a, int64_t c) {
  int64_t b = t->rows;
  if (!k) { /* the lower half alone is there */
    int64_t low = a > c ? c : a, high = a > c ? a : c;
    return value[t->m.start[i * b + low] + high - low];
  }
  return value[t->m.start[i * b + c] + (b - c) + (k - 1) * b + a];
}

/* Block k of the columns of node i: T_other' (value (x) 1) T_i. */
static void fill_block(const relaxation_t *t, const tangent_t *h, const double *value, int64_t i, int64_t k,
                       double *work) {
  int64_t b = t->rows, r = h->r, c = h->size;
  int64_t other = t->m.row[t->m.start[i * b] + k * b] / b;
  const double *from = h->basis + i * b * r * c, *to = h->basis + other * b * r * c;
  memset(work, 0, (size_t)(b * r * c) * sizeof *work);
  for (int64_t a = 0; a < b; a++)
    for (int64_t d = 0; d < b; d++) {
      double m = entry(t, value, i, k, a, d);
      for (int64_t l = 0; l < r * c && m != 0; l++) work[a * r * c + l] += m * from[d * r * c + l];
    }
  for (int64_t y = 0; y < c; y++) {
    double *column = h->h.value + h->h.start[i * c + y] + (k ? (c - y) + (k - 1) * c : -y);
    for (int64_t x = k ? 0 : y; x < c; x++) {
      double sum = 0;
      for (int64_t l = 0; l < b * r; l++) sum += to[l * c + x] * work[l * c + y];
      column[x] = sum;
    }
  }
}

static int fill(run_t *run, const relaxation_t *t, tangent_t *h, const double *value) {
  int64_t size = t->rows * h->r * h->size;
  double *work = NEW(double, size * run->threads);
  if (!work) return fail_memory(run->error, "the staircase");
#pragma omp parallel for num_threads(t->n > MANY ? run->threads : 1) schedule(static)
  for (int64_t part = 0; part < run->threads; part++)
    for (int64_t i = t->n * part / run->threads; i < t->n * (part + 1) / run->threads; i++)
      for (int64_t k = 0; k < blocks_of(t, i); k++) fill_block(t, h, value, i, k, work + part * size);
  mem_free(work);
  return LAVDM_OK;
}

void tangent_at(const run_t *run, const relaxation_t *t, tangent_t *h, const double *x) {
  int64_t step = t->rows * h->r;
#pragma omp parallel for num_threads(t->n > MANY ? run->threads : 1) schedule(static)
  for (int64_t i = 0; i < t->n; i++)
    fill_basis(t->q, t->rows, h->r, h->size, x + i * step, h->basis + i * step * h->size);
}

double tangent_work(const relaxation_t *t, const tangent_t *h) {
  return proof_work(h->factor) + tangent_fill_work(t, h->r);
}

int tangent_factor(run_t *run, proof_t *proof, tangent_t *h, const double *lambda, double e, bool *positive) {
  const relaxation_t *t = proof->t;
  relaxation_shifted(t, lambda, e * t->total, proof->shifted.value);
  int status = fill(run, t, h, proof->shifted.value);
  proof->spent += tangent_work(t, h);
  return status < 0 ? status : factor_compute(run, h->factor, &h->h, positive);
}

int tangent_solve(run_t *run, proof_t *proof, tangent_t *h, const double *y, double *z) {
  const relaxation_t *t = proof->t;
  int64_t step = t->rows * h->r, c = h->size;
  for (int64_t i = 0; i < t->n; i++)
    for (int64_t k = 0; k < c; k++) {
      double sum = 0;
      for (int64_t l = 0; l < step; l++) sum += h->basis[(i * step + l) * c + k] * y[i * step + l];
      h->unknowns[i * c + k] = sum;
    }
  proof->spent += 8 * factor_entries(h->factor);
  int status = factor_solve(run, h->factor, 1, h->unknowns);
  for (int64_t i = 0; i < t->n * step; i++) {
    z[i] = 0;
    for (int64_t k = 0; k < c; k++) z[i] += h->basis[i * c + k] * h->unknowns[i / step * c + k];
  }
  return status;
}
