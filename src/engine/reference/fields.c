/*
 * Eigenpairs of G = A'A (through landmarks) or N (between points), and from them the eigenvectors of the
 * diffusion at the rows. With A = U diag(sigma) V' and lambda = sigma^2,
 *
 *     u = D^-1/2 U = D^-1/2 A V / sigma      or      u = D^-1/2 v,  N v = lambda v.
 *
 * At a row x that was not in the fit, from what the references have become (engine.h, fields_spec):
 *
 *     D_X = sum_k w_xk mass_k,   D = D_X^-alpha sum_k w_xk inflow_k,
 *     u[x] = D^-1 D_X^-alpha sum_k w_xk O_xk field_k;
 *
 * with local bandwidths as operator/local.h has it.
 */
#include "engine/reference/reference.h"

#include "operator/local.h"

#include <lapacke.h>
#include <string.h>

/* LAPACK leaves eigenvectors in columns as it counts them, which are rows here. */
int reference_eigen(run_t *run, int64_t size, double *a, double *values) {
  lapack_int n = (lapack_int)size, whole = 0;
  double room = 0;
  LAPACKE_dsyevd_work(LAPACK_COL_MAJOR, 'V', 'L', n, a, n, values, &room, -1, &whole, -1);
  double *work = NEW(double, (int64_t)room);
  lapack_int *integers = NEW(lapack_int, whole);
  int status = work && integers ? LAVDM_OK : fail_memory(run->error, "the eigenvectors of a dense matrix");
  int before = blas_threads(1);
  if (!status && LAPACKE_dsyevd_work(LAPACK_COL_MAJOR, 'V', 'L', n, a, n, values, work, (lapack_int)room,
                                     integers, whole))
    status = fail(run->error, LAVDM_ERROR_NUMERICS, "the eigenvalues of a matrix did not converge");
  blas_threads(before);
  mem_free(work);
  mem_free(integers);
  return status;
}

/* ---------------------------------------------------------------- spectrum */

/* 1, or -1 if that makes the largest entry positive: the first of those within 1e-6 of it, relatively. */
static double sign_of(const double *v, int64_t size) {
  double largest = 0;
  for (int64_t i = 0; i < size; i++) largest = fmax(largest, fabs(v[i]));
  for (int64_t i = 0; i < size; i++)
    if (fabs(v[i]) >= largest * (1 - 1e-6)) return v[i] < 0 ? -1 : 1;
  return 1;
}

/* |A v - lambda v| */
static double residual(const double *a, const double *v, int64_t size, double value) {
  double square = 0;
  for (int64_t i = 0; i < size; i++) {
    double sum = -value * v[i];
    for (int64_t k = 0; k < size; k++) sum += a[i * size + k] * v[k];
    square += sum * sum;
  }
  return sqrt(square);
}

/* The r largest of all eigenpairs of a. */
static int top(run_t *run, const double *a, int64_t size, int64_t r, double *values, double *vectors,
               double *residuals) {
  double *all = NEW(double, size *size), *found = NEW(double, size);
  int status = all && found ? LAVDM_OK : fail_memory(run->error, "the eigenvalue problem");
  if (!status) {
    memcpy(all, a, (size_t)(size * size) * sizeof *all);
    status = reference_eigen(run, size, all, found);
  }
  for (int64_t l = 0; l < r && !status; l++) {
    const double *v = all + (size - 1 - l) * size;
    double sign = sign_of(v, size);
    values[l] = found[size - 1 - l];
    residuals[l] = residual(a, v, size, values[l]);
    for (int64_t i = 0; i < size; i++) vectors[i * r + l] = sign * v[i];
  }
  mem_free(all);
  mem_free(found);
  return status < 0 ? status : run_status(run);
}

int reference_spectrum(engine_t *engine, rows_t *given, const symmetric_t *gram, int64_t r, double *values,
                       double *vectors, double *residuals) {
  run_t *run = engine->run;
  reference_rows *rows = (reference_rows *)given;
  int64_t size = given->n * rows->q;
  if (gram) {
    double *dense = symmetric_dense(gram);
    if (!dense) return fail_memory(run->error, "the eigenvalue problem");
    int status = top(run, dense, gram->size, r, values, vectors, residuals);
    mem_free(dense);
    return status;
  }
  rows->r = r;
  mem_free(rows->vectors);
  rows->vectors = NEW(double, size *r);
  if (!rows->vectors) return fail_memory(run->error, "the eigenvectors");
  return top(run, rows->s, size, r, values, rows->vectors, residuals);
}

/* ------------------------------------------------------------------ fields */

int reference_fields(engine_t *engine, rows_t *given, const double *v, const double *values, int64_t r) {
  run_t *run = engine->run;
  reference_rows *rows = (reference_rows *)given;
  int64_t q = rows->q, height = given->n * q, width = rows->m * q;
  rows->r = r;
  mem_free(rows->fields);
  rows->fields = NEW(double, height *r);
  if (!rows->fields) return fail_memory(run->error, "the eigenvectors");
  for (int64_t i = 0; i < height && !run_stopped(run, i, height); i++)
    for (int64_t l = 0; l < r; l++) {
      double sum = v ? 0 : rows->vectors[i * r + l];
      for (int64_t k = 0; v && values[l] > 0 && k < width; k++)
        sum += rows->s[i * width + k] * v[k * r + l] / sqrt(values[l]);
      rows->fields[i * r + l] = sum * reference_inverse(rows->degree[i / q], 0.5);
    }
  return run_status(run);
}

/* --------------------------------------------------------------- extension */

/* Whether row i is one of those beyond every cut-off that the fit took in. */
static bool is_known(const reference_rows *rows, int64_t i, const fields_spec *spec) {
  int64_t p = rows->base.p;
  for (int64_t k = 0; k < spec->known_count; k++)
    if (!memcmp(rows->x + i * p, (const double *)spec->known + k * p, (size_t)p * sizeof(double)))
      return true;
  return false;
}

/* D and u[x] (q x r) of one row; where nothing reaches it, 0 and NaN. */
static double extend_row(const reference_rows *rows, int64_t i, bool reached, const fields_spec *spec,
                         double *u) {
  int64_t m = rows->m, q = rows->q, r = spec->r, width = m * q;
  const double *w = rows->w + i * m;
  double x = 0, inflow = 0;
  for (int64_t k = 0; k < m; k++) x += w[k] * spec->mass[k], inflow += w[k] * spec->inflow[k];
  const widths_t *local = rows->local.rho ? &rows->local : NULL;
  double rho = local ? local->rho[i] : 1, volume = local ? pow(rho, -0.5 * (double)local->d) : 1;
  double power = reference_inverse(volume * x, spec->alpha);
  double degree = local ? volume * rho * power * inflow : spec->alpha > 0 ? power * inflow : x;
  reached = reached && x > 0 && degree > 0;
  for (int64_t s = 0; s < q; s++)
    for (int64_t l = 0; l < r; l++) {
      double sum = 0;
      for (int64_t k = 0; k < width; k++) sum += rows->s[(i * q + s) * width + k] * spec->field[k * r + l];
      if (local) sum *= local_gain(spec->values[l], rho, local->step);
      u[s * r + l] = !reached ? NAN : local ? sum / inflow : sum * power / degree;
    }
  return reached ? degree : 0;
}

int reference_extend(engine_t *engine, rows_t *given, const fields_spec *spec, void *fields, double *degrees,
                     graph_info *info) {
  run_t *run = engine->run;
  const reference_rows *rows = (const reference_rows *)given;
  int64_t n = given->n, edges = 0, far = 0;
  for (int64_t i = 0; i < n && !run_stopped(run, i, n); i++) {
    bool taken = rows->far[i] && (spec->take_far || is_known(rows, i, spec));
    far += taken;
    degrees[i] = extend_row(rows, i, taken || !rows->far[i], spec, (double *)fields + i * rows->q * spec->r);
    for (int64_t k = 0; k < rows->m; k++) edges += rows->w[i * rows->m + k] > 0;
  }
  if (info) info->edges = edges, info->far = far, info->ill += rows->ill;
  return run_status(run);
}
