/*
 * Eigenspaces of the two samples, compared at common points: the values of each sample's
 * eigenvectors there are means over its nearest points, weighed by a Gaussian and carried over
 * by B_x' B_j (the sign of its determinant for the orientation bundle).
 */
#include "base/memory.h"
#include "base/options.h"
#include "base/sort.h"
#include "frames/polar.h"
#include "trust/parts.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

enum { NEAREST = 8 };

static double real_at(const void *data, lavdm_type type, int64_t i) {
  return type == LAVDM_F32 ? (double)((const float *)data)[i] : ((const double *)data)[i];
}

/* joint (q x q) takes a vector at point j of `from` to one at point i of the common ones. `space`: 2 d x d.
 */
static void carry(const trust_t *t, int64_t i, const some_t *from, int64_t j, double *joint, double *space) {
  int64_t p = t->p, d = t->d;
  joint[0] = 1;
  if (!t->frames) return;
  lavdm_type type = t->frames->type;
  bool tangent = t->q == d && t->run->options.bundle == LAVDM_BUNDLE_TANGENT;
  double *out = tangent ? joint : space;
  memset(out, 0, (size_t)(d * d) * sizeof *out);
  for (int64_t k = 0; k < p; k++)
    for (int64_t a = 0; a < d; a++)
      for (int64_t b = 0; b < d; b++)
        out[a * d + b] += real_at(t->common.frames, type, (i * p + k) * d + a) *
                          real_at(from->frames, type, (j * p + k) * d + b);
  if (!tangent) joint[0] = REAL(determinant)(d, space, space + d * d) < 0 ? -1 : 1;
}

/* out: the leading eigenvectors of a sample at the common points, one after the other (common q numbers
 * each). */
static int place(const trust_t *t, int h, int64_t width, double *out) {
  const some_t *half = &t->half[h];
  const lavdm_array *u = lavdm_get(t->fitted[h], "eigenvectors");
  int64_t n = half->n, q = t->q, r = u->shape[2], size = t->d > q ? t->d : q;
  double *d2 = NEW(double, 2 * n), *joint = NEW(double, 3 * size * size), *row = NEW(double, q *width);
  int status = d2 && joint && row ? LAVDM_OK : fail_memory(t->run->error, "a sample");
  for (int64_t i = 0; i < t->common.n && !status; i++) {
    memset(row, 0, (size_t)(q * width) * sizeof *row);
    for (int64_t j = 0; j < n; j++) d2[j] = some_distance(t, t->common.x + i * t->p, half->x + j * t->p);
    memcpy(d2 + n, d2, (size_t)n * sizeof *d2);
    double far = smallest_real(d2 + n, n, NEAREST < n ? NEAREST : n - 1), sum = 0;
    for (int64_t j = 0; j < n; j++) {
      if (d2[j] > far) continue;
      double w = far > 0 ? exp(-d2[j] / far) : 1;
      sum += w;
      carry(t, i, half, j, joint, joint + size * size);
      for (int64_t a = 0; a < q; a++)
        for (int64_t b = 0; b < q; b++)
          for (int64_t l = 0; l < width; l++)
            row[a * width + l] += w * joint[a * q + b] * real_at(u->data, u->type, (j * q + b) * r + l);
    }
    for (int64_t a = 0; a < q; a++)
      for (int64_t l = 0; l < width; l++) {
        double value = row[a * width + l] / sum;
        out[l * t->common.n * q + i * q + a] = isfinite(value) ? value : 0;
      }
  }
  mem_free(d2);
  mem_free(joint);
  mem_free(row);
  return status;
}

/* Columns one after the other, orthonormalised twice; zero where nothing is left of one. */
static void orthonormalise(double *a, int64_t rows, int64_t width) {
  int n = (int)rows;
  for (int64_t c = 0; c < width; c++) {
    double *column = a + c * rows, before = cblas_dnrm2(n, column, 1);
    for (int64_t b = 0; b < 2 * c; b++) {
      const double *other = a + b % c * rows;
      cblas_daxpy(n, -cblas_ddot(n, other, 1, column, 1), other, 1, column, 1);
    }
    double length = cblas_dnrm2(n, column, 1);
    cblas_dscal(n, length > 1e-10 * before && before > 0 ? 1 / length : 0, column, 1);
  }
}

double angles_between(double *a, double *b, int64_t rows, int64_t width, double *mean) {
  int k = (int)width, n = (int)rows;
  double dots[MOST_PAIRS * MOST_PAIRS], square[MOST_PAIRS * MOST_PAIRS], value[MOST_PAIRS],
      work[8 * MOST_PAIRS];
  orthonormalise(a, rows, width);
  orthonormalise(b, rows, width);
  cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, k, k, n, 1, a, n, b, n, 0, dots, k);
  cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, k, k, k, 1, dots, k, dots, k, 0, square, k);
  *mean = 0;
  for (int i = 0; i < k; i++) *mean += square[i * k + i] / k;
  if (LAPACKE_dsyev_work(LAPACK_COL_MAJOR, 'N', 'U', k, square, k, value, work, 8 * MOST_PAIRS)) return NAN;
  return acos(sqrt(fmin(fmax(value[0], 0), 1))) * 180 / 3.14159265358979323846;
}

/* Eigenvectors of both halves and of the run at the common points, and room for those of a group. */
typedef struct {
  int64_t rows, width;
  double *field[3], *some[2];
} fields_t;

enum { RUN = 2 };

/* The largest angle between the spans of eigenvectors from .. to-1 of two of them. */
static double compare_two(const fields_t *f, int a, int b, int64_t from, int64_t to, double *mean) {
  size_t size = (size_t)((to - from) * f->rows) * sizeof(double);
  memcpy(f->some[0], f->field[a] + from * f->rows, size);
  memcpy(f->some[1], f->field[b] + from * f->rows, size);
  return angles_between(f->some[0], f->some[1], f->rows, to - from, mean);
}

static double compare(const fields_t *f, int64_t from, int64_t to, double *mean) {
  return compare_two(f, 0, 1, from, to, mean);
}

/* What g and the next group gain by becoming one: the agreement of the whole above the mean of the parts. */
static double gain(const trust_t *t, const fields_t *f, int64_t g) {
  double whole,
      sizes[2] = {(double)(t->first[g + 1] - t->first[g]), (double)(t->first[g + 2] - t->first[g + 1])};
  const double *agreement = t->table[TRUST_AGREEMENT] + g;
  if (t->first[g + 2] > f->width) return 0;
  compare(f, t->first[g], t->first[g + 2], &whole);
  return whole - (sizes[0] * agreement[0] + sizes[1] * agreement[1]) / (sizes[0] + sizes[1]);
}

/*
 * Eigenvalues of one eigenspace that scatter look like groups with a gap; the halves then mix
 * their eigenvectors in different ways, and agree on their span alone. The last group, which may go on
 * beyond what was computed, is left out.
 */
static void unite(trust_t *t, const fields_t *f) {
  const double enough = 0.15;
  double gains[MOST_PAIRS] = {0};
  for (int64_t g = 0; g + 2 < t->groups; g++) gains[g] = gain(t, f, g);
  for (;;) {
    int64_t best = 0;
    for (int64_t g = 1; g + 2 < t->groups; g++)
      if (gains[g] > gains[best]) best = g;
    if (t->groups < 3 || !(gains[best] > enough)) return;
    t->table[TRUST_ANGLE][best] =
        compare(f, t->first[best], t->first[best + 2], &t->table[TRUST_AGREEMENT][best]);
    t->groups--;
    for (int64_t g = best + 1; g <= t->groups; g++) t->first[g] = t->first[g + 1];
    for (int64_t g = best + 1; g < t->groups; g++) {
      t->table[TRUST_ANGLE][g] = t->table[TRUST_ANGLE][g + 1];
      t->table[TRUST_AGREEMENT][g] = t->table[TRUST_AGREEMENT][g + 1];
      gains[g] = gains[g + 1];
    }
    for (int64_t g = best > 0 ? best - 1 : 0; g <= best && g + 2 < t->groups; g++) gains[g] = gain(t, f, g);
  }
}

/* What is lost to chance of a group of the run itself: if it and the samples err independently, the squared
 * sine between run and sample is the sum of both errors, and that between the samples twice the one of a
 * sample. */
static double lost(const trust_t *t, const fields_t *f, int64_t g) {
  double mean[2];
  for (int h = 0; h < 2; h++) compare_two(f, h, RUN, t->first[g], t->first[g + 1], &mean[h]);
  return 1 - (mean[0] + mean[1]) / 2 - (1 - t->table[TRUST_AGREEMENT][g]) / 2;
}

static void judge(trust_t *t, const fields_t *f) {
  int before = blas_threads(1);
  for (int64_t g = 0; g + 1 < t->groups && t->first[g + 1] <= f->width; g++)
    t->table[TRUST_ANGLE][g] = compare(f, t->first[g], t->first[g + 1], &t->table[TRUST_AGREEMENT][g]);
  unite(t, f);
  for (int64_t g = 0; g + 1 < t->groups && t->first[g + 1] <= f->width; g++) t->lost[g] = lost(t, f, g);
  blas_threads(before);
}

/* The run's own eigenvectors, as `place` has those of a sample. */
static int place_run(const trust_t *t, int64_t width, double *out) {
  int64_t q = t->q, rows = t->common.n * q;
  double *space = NEW(double, q * t->r);
  if (!space) return fail_memory(t->run->error, "a sample");
  for (int64_t i = 0; i < t->common.n; i++) {
    const double *u = model_row(t->vectors, t->common.row[i], q * t->r, space);
    for (int64_t a = 0; a < q; a++)
      for (int64_t l = 0; l < width; l++)
        out[l * rows + i * q + a] = isfinite(u[a * t->r + l]) ? u[a * t->r + l] : 0;
  }
  mem_free(space);
  return LAVDM_OK;
}

int angles_find(trust_t *t) {
  fields_t f = {.rows = t->common.n * t->q, .width = t->first[t->groups]};
  int status = LAVDM_OK;
  for (int64_t g = 0; g < t->groups; g++) t->table[TRUST_ANGLE][g] = t->table[TRUST_AGREEMENT][g] = NAN;
  if (!t->fitted[0] || !t->fitted[1]) return status;
  for (int h = 0; h < 2; h++) {
    int64_t have = t->fitted[h]->info.chosen->components;
    f.width = f.width < have ? f.width : have;
    f.some[h] = NEW(double, f.rows *f.width);
    if (!f.some[h]) status = fail_memory(t->run->error, "a sample");
  }
  for (int h = 0; h < 3 && !status; h++) {
    f.field[h] = NEW(double, f.rows *f.width);
    status = !f.field[h] ? fail_memory(t->run->error, "a sample")
             : h == RUN  ? place_run(t, f.width, f.field[h])
                         : place(t, h, f.width, f.field[h]);
  }
  if (!status) judge(t, &f);
  for (int h = 0; h < 3; h++) mem_free(f.field[h]);
  mem_free(f.some[0]);
  mem_free(f.some[1]);
  return status;
}
