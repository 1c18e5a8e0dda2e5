#include "oracle.h"

#include "base/random.h"

#include <lapacke.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

double *numbers(int64_t count) {
  double *x = calloc((size_t)(count > 0 ? count : 1), sizeof *x);
  if (!x) abort();
  return x;
}

void fill_normal(double *x, int64_t count, uint64_t seed) {
  random_t r = random_start(seed, 77);
  for (int64_t i = 0; i < count; i++) x[i] = random_normal(&r);
}

double oracle_kernel(lavdm_kernel kernel, double epsilon, double radius, double d2) {
  double t = sqrt(d2 / epsilon);
  if (sqrt(d2) > radius) return 0;
  switch (kernel) {
  case LAVDM_KERNEL_GAUSSIAN:
    return exp(-t * t);
  case LAVDM_KERNEL_EPANECHNIKOV:
    return t < 1 ? 1 - t * t : 0;
  default:
    return t <= 1 ? 1 : 0;
  }
}

void oracle_element(lavdm_bundle bundle, int64_t p, int64_t d, const double *b, const double *c, double *o) {
  if (bundle == LAVDM_BUNDLE_TRIVIAL) {
    o[0] = 1;
    return;
  }
  double *m = numbers(d * d), *u = numbers(d * d), *vt = numbers(d * d), *s = numbers(d), *work = numbers(d);
  for (int64_t i = 0; i < d; i++)
    for (int64_t j = 0; j < d; j++)
      for (int64_t k = 0; k < p; k++) m[i * d + j] += b[k * d + i] * c[k * d + j];
  lapack_int n = (lapack_int)d;
  LAPACKE_dgesvd(LAPACK_ROW_MAJOR, 'A', 'A', n, n, m, n, s, u, n, vt, n, work);
  double *polar = numbers(d * d);
  for (int64_t i = 0; i < d; i++)
    for (int64_t j = 0; j < d; j++)
      for (int64_t k = 0; k < d; k++) polar[i * d + j] += u[i * d + k] * vt[k * d + j];
  if (bundle == LAVDM_BUNDLE_TANGENT) {
    memcpy(o, polar, (size_t)(d * d) * sizeof *o);
  } else { /* the sign of the determinant, by the number of eigenvalues -1: LU of an orthogonal matrix */
    lapack_int pivot[64];
    LAPACKE_dgetrf(LAPACK_ROW_MAJOR, n, n, polar, n, pivot);
    double det = 1;
    for (int64_t i = 0; i < d; i++) det *= polar[i * d + i] * (pivot[i] == i + 1 ? 1 : -1);
    o[0] = det < 0 ? -1 : 1;
  }
  free(m), free(u), free(vt), free(s), free(work), free(polar);
}

void oracle_eigen(int64_t size, double *a, double *values) {
  LAPACKE_dsyevd(LAPACK_ROW_MAJOR, 'V', 'U', (lapack_int)size, a, (lapack_int)size, values);
  for (int64_t l = 0; l < size / 2; l++) { /* ascending to descending */
    double t = values[l];
    values[l] = values[size - 1 - l], values[size - 1 - l] = t;
    for (int64_t i = 0; i < size; i++) {
      t = a[i * size + l];
      a[i * size + l] = a[i * size + size - 1 - l], a[i * size + size - 1 - l] = t;
    }
  }
}

static double squared(int64_t p, const double *x, const double *y) {
  double sum = 0;
  for (int64_t j = 0; j < p; j++) sum += (x[j] - y[j]) * (x[j] - y[j]);
  return sum;
}

/* w (n x m) and s (n q x m q). */
static void dense_graph(const oracle_problem *o, double *w, double *s) {
  int64_t q = o->q, p = o->p, d = o->d;
  double *e = numbers(q * q);
  for (int64_t i = 0; i < o->n; i++)
    for (int64_t k = 0; k < o->m; k++) {
      if (o->linked && !o->linked[i * o->m + k]) continue;
      double weight = oracle_kernel(o->kernel, o->epsilon, o->radius, squared(p, o->x + i * p, o->z + k * p));
      if (!(weight > 0)) continue;
      oracle_element(o->bundle, p, d, o->frames ? o->frames + i * p * d : NULL,
                     o->zframes ? o->zframes + k * p * d : NULL, e);
      w[i * o->m + k] = weight;
      for (int64_t a = 0; a < q; a++)
        for (int64_t b = 0; b < q; b++) s[(i * q + a) * o->m * q + k * q + b] = weight * e[a * q + b];
    }
  free(e);
}

/* values and vectors of D^-1/2 a D^-1/2, where D is the row sums of w (n x n). */
static oracle_result decompose(int64_t n, int64_t q, const double *w, double *a) {
  oracle_result r = {.size = n * q, .degree = numbers(n), .values = numbers(n * q), .vectors = a};
  for (int64_t i = 0; i < n; i++)
    for (int64_t j = 0; j < n; j++) r.degree[i] += w[i * n + j];
  for (int64_t i = 0; i < n * q; i++)
    for (int64_t j = 0; j < n * q; j++) {
      double scale = r.degree[i / q] * r.degree[j / q];
      a[i * n * q + j] = scale > 0 ? a[i * n * q + j] / sqrt(scale) : 0;
    }
  oracle_eigen(n * q, a, r.values);
  return r;
}

/* w[i,j] *= (x_i x_j)^-alpha with x the row sums of w, and the same for blocks of a. */
static void alpha_normalise(int64_t n, int64_t q, double alpha, double *w, double *a) {
  double *x = numbers(n);
  for (int64_t i = 0; i < n; i++)
    for (int64_t j = 0; j < n; j++) x[i] += w[i * n + j];
  for (int64_t i = 0; i < n; i++)
    for (int64_t j = 0; j < n; j++)
      w[i * n + j] *= x[i] * x[j] > 0 ? pow(x[i], -alpha) * pow(x[j], -alpha) : 0;
  for (int64_t i = 0; i < n; i++) x[i] = x[i] > 0 ? pow(x[i], -alpha) : 0;
  for (int64_t i = 0; i < n * q; i++)
    for (int64_t j = 0; j < n * q; j++) a[i * n * q + j] *= x[i / q] * x[j / q];
  free(x);
}

/* s diag(dz) s' for s (n q x m q), where dz (m) holds for a whole block. */
static double *through(int64_t n, int64_t m, int64_t q, const double *s, const double *dz) {
  int64_t rows = n * q, cols = m * q;
  double *turned = numbers(cols * rows), *out = numbers(rows * rows);
  for (int64_t i = 0; i < rows; i++)
    for (int64_t k = 0; k < cols; k++) turned[k * rows + i] = s[i * cols + k];
  for (int64_t i = 0; i < rows; i++)
    for (int64_t k = 0; k < cols; k++) {
      double factor = s[i * cols + k] * dz[k / q];
      if (factor == 0) continue;
      for (int64_t j = 0; j < rows; j++) out[i * rows + j] += factor * turned[k * rows + j];
    }
  free(turned);
  return out;
}

oracle_result oracle_landmarks(const oracle_problem *o) {
  int64_t n = o->n, m = o->m, q = o->q;
  double *w = numbers(n * m), *s = numbers(n * q * m * q), *dz = numbers(m);
  dense_graph(o, w, s);
  for (int64_t i = 0; i < n; i++) { /* D_Z = W'W1 */
    double sum = 0;
    for (int64_t l = 0; l < m; l++) sum += w[i * m + l];
    for (int64_t k = 0; k < m; k++) dz[k] += w[i * m + k] * sum;
  }
  for (int64_t k = 0; k < m; k++) dz[k] = dz[k] > 0 ? pow(dz[k], -o->beta) : 0;
  double *wb = through(n, m, 1, w, dz), *sb = through(n, m, q, s, dz);
  alpha_normalise(n, q, o->alpha, wb, sb);
  oracle_result result = decompose(n, q, wb, sb);
  free(w), free(s), free(dz), free(wb);
  return result;
}

oracle_result oracle_square(const oracle_problem *o) {
  int64_t n = o->n, q = o->q;
  double *w = numbers(n * n), *s = numbers(n * q * n * q);
  dense_graph(o, w, s);
  alpha_normalise(n, q, o->alpha, w, s);
  oracle_result result = decompose(n, q, w, s);
  free(w);
  return result;
}

void oracle_free(oracle_result *result) {
  free(result->degree);
  free(result->values);
  free(result->vectors);
}

double projector_distance(int64_t size, int64_t k, const double *u, int64_t ru, const double *v, int64_t rv) {
  double *columns = numbers(2 * k * size), *row = numbers(size), sum = 0;
  for (int64_t l = 0; l < k; l++)
    for (int64_t i = 0; i < size; i++) {
      columns[l * size + i] = u[i * ru + l];
      columns[(k + l) * size + i] = v[i * rv + l];
    }
  for (int64_t i = 0; i < size; i++) { /* row i of P - Q */
    memset(row, 0, (size_t)size * sizeof *row);
    for (int64_t l = 0; l < 2 * k; l++) {
      double factor = l < k ? columns[l * size + i] : -columns[l * size + i];
      for (int64_t j = 0; j < size; j++) row[j] += factor * columns[l * size + j];
    }
    for (int64_t j = 0; j < size; j++) sum += row[j] * row[j];
  }
  free(columns), free(row);
  return sqrt(sum);
}

double *model_doubles(const lavdm_model *model, const char *name) {
  const lavdm_array *array = lavdm_get(model, name);
  if (!array) return NULL;
  int64_t count = array->shape[0] * array->shape[1] * array->shape[2];
  double *out = numbers(count);
  for (int64_t i = 0; i < count; i++)
    out[i] =
        array->type == LAVDM_F32 ? (double)((const float *)array->data)[i] : ((const double *)array->data)[i];
  return out;
}

double *model_orthonormal(const lavdm_model *model) {
  const lavdm_info_t *info = lavdm_info(model);
  const double *degree = lavdm_get(model, "degrees")->data;
  int64_t width = info->q * info->chosen->components;
  double *u = model_doubles(model, "eigenvectors");
  for (int64_t i = 0; i < info->n; i++)
    for (int64_t j = 0; j < width; j++) u[i * width + j] *= sqrt(degree[i]);
  return u;
}

lavdm_model *fit_or_fail(const lavdm_data *data, const lavdm_options *options) {
  lavdm_model *model = NULL;
  lavdm_error error;
  if (lavdm_fit(data, options, &model, &error) < 0) {
    fprintf(stderr, "lavdm_fit: %s\n", error.message);
    abort();
  }
  return model;
}

double model_distance(const lavdm_model *model, int64_t i, int64_t j, double t, int64_t rank) {
  double distance;
  return lavdm_distance(model, i, j, t, rank, &distance, NULL) < 0 ? NAN : distance;
}
