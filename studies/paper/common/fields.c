#include "common/fields.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

lavdm_options paper_options(session_t *session, lavdm_method method, double epsilon, double alpha,
                            uint64_t seed) {
  lavdm_options options;
  lavdm_options_default(&options);
  options.method = method;
  options.design = LAVDM_DESIGN_RANDOM;
  options.dim = 2;
  options.epsilon = epsilon;
  options.alpha = alpha;
  options.beta = 0.5;
  options.cutoff = 4;
  options.edges = LAVDM_EDGES_BALL;
  options.components = 12;
  options.seed = seed;
  options.progress = progress_report;
  options.progress_user = &session->progress;
  return options;
}

/* Eigenvectors (n,q,r) turned to r rows of unit length. */
static void take_vectors(const lavdm_array *from, fields_t *to) {
  const double *u = from->data;
  const float *single = from->data;
  int64_t size = to->n * to->q;
  for (int64_t l = 0; l < to->r; l++) {
    double *w = to->vectors + l * size;
    for (int64_t i = 0; i < size; i++)
      w[i] = from->type == LAVDM_F32 ? single[i * to->r + l] : u[i * to->r + l];
    cblas_dscal((int)size, 1 / cblas_dnrm2((int)size, w, 1), w, 1);
  }
}

int fields_fit(session_t *session, const lavdm_data *data, lavdm_options options, int ambient,
               fields_t *fields) {
  lavdm_model *model;
  lavdm_error error;
  (void)session;
  *fields = (fields_t){0};
  double began = seconds_now();
  int status = lavdm_fit(data, &options, &model, &error);
  if (status == LAVDM_ERROR_INTERRUPTED) return status;
  if (status < 0) give_up("%s", error.message);
  const lavdm_info_t *info = lavdm_info(model);
  *fields = (fields_t){.n = info->n, .q = info->q, .r = info->chosen->components};
  fields->seconds = seconds_now() - began;
  fields->values = room(fields->r, sizeof *fields->values);
  fields->vectors = room(fields->r * fields->n * fields->q, sizeof *fields->vectors);
  memcpy(fields->values, info->eigenvalues, (size_t)fields->r * sizeof *fields->values);
  take_vectors(lavdm_get(model, "eigenvectors"), fields);
  if (ambient) {
    fields->ambient = room(fields->n * info->p * fields->r, sizeof *fields->ambient);
    if (lavdm_ambient(model, fields->ambient, &error) < 0) give_up("%s", error.message);
  }
  lavdm_free(model);
  return 0;
}

void fields_free(fields_t *fields) {
  free(fields->values);
  free(fields->vectors);
  free(fields->ambient);
  *fields = (fields_t){0};
}

static double inner(const fields_t *a, const fields_t *b, int64_t l) {
  int64_t size = a->n * a->q;
  return cblas_ddot((int)size, a->vectors + l * size, 1, b->vectors + l * size, 1);
}

double fields_cosine(const fields_t *a, const fields_t *b, int64_t l) {
  return fabs(inner(a, b, l));
}

double fields_difference(const fields_t *a, const fields_t *b, int64_t l) {
  return sqrt(fmax(0, 2 - 2 * fields_cosine(a, b, l)));
}

double value_difference(const fields_t *a, const fields_t *reference, int64_t l, int steps) {
  double value = steps == 2 ? sqrt(fmax(a->values[l], 0)) : a->values[l];
  return fabs(value - reference->values[l]) / fabs(reference->values[l]);
}

/* The jump of -log from eigenvalue k-1 to k, relative to that of k. */
static double jump(const fields_t *f, int64_t k) {
  double above = -log(fmax(f->values[k - 1], 1e-300)), below = -log(fmax(f->values[k], 1e-300));
  return (below - above) / below;
}

void eigenspace(const fields_t *reference, int64_t l, int64_t *first, int64_t *last) {
  for (*first = l; *first > 0 && jump(reference, *first) <= 0.15;) --*first;
  for (*last = l + 1; *last < reference->r && jump(reference, *last) <= 0.15;) ++*last;
  if (*last < reference->r) return;
  for (int64_t k = l + 1; k < reference->r; k++)
    if (*last == reference->r || jump(reference, k) > jump(reference, *last)) *last = k;
}

/* An orthonormal basis of the span of vectors first .. first+k-1: columns of (n q) x k. */
static double *basis_of(const fields_t *f, int64_t first, int64_t k) {
  int64_t size = f->n * f->q;
  double *basis = room(size * k, sizeof *basis), *tau = room(k, sizeof *tau);
  memcpy(basis, f->vectors + first * size, (size_t)(size * k) * sizeof *basis);
  if (LAPACKE_dgeqrf(LAPACK_COL_MAJOR, (int)size, (int)k, basis, (int)size, tau) ||
      LAPACKE_dorgqr(LAPACK_COL_MAJOR, (int)size, (int)k, (int)k, basis, (int)size, tau))
    give_up("LAPACK could not make a basis");
  free(tau);
  return basis;
}

double worst_cosine(const fields_t *a, const fields_t *b, int64_t first, int64_t last) {
  int64_t k = last - first, size = a->n * a->q;
  double *x = basis_of(a, first, k), *y = basis_of(b, first, k);
  double *product = room(k * k, sizeof *product), *cosine = room(k, sizeof *cosine),
         *work = room(k, sizeof *work);
  cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, (int)k, (int)k, (int)size, 1, x, (int)size, y,
              (int)size, 0, product, (int)k);
  if (LAPACKE_dgesvd(LAPACK_COL_MAJOR, 'N', 'N', (int)k, (int)k, product, (int)k, cosine, NULL, 1, NULL, 1,
                     work))
    give_up("LAPACK could not find the principal angles");
  double worst = fmin(cosine[k - 1], 1);
  free(x), free(y), free(product), free(cosine), free(work);
  return worst;
}

double eigenspace_cosine(const fields_t *a, const fields_t *reference, int64_t l) {
  int64_t first, last;
  eigenspace(reference, l, &first, &last);
  return worst_cosine(a, reference, first, last);
}

const double *field(const fields_t *f, int64_t l) {
  return f->vectors + l * f->n * f->q;
}

void eigenspace_nearest(const fields_t *a, const fields_t *reference, int64_t l, double *out) {
  int64_t first, last, size = a->n * a->q;
  eigenspace(reference, l, &first, &last);
  int k = (int)(last - first);
  double *basis = basis_of(a, first, k), *weight = room(k, sizeof *weight);
  cblas_dgemv(CblasColMajor, CblasTrans, (int)size, k, 1, basis, (int)size, field(reference, l), 1, 0, weight,
              1);
  cblas_dgemv(CblasColMajor, CblasNoTrans, (int)size, k, 1, basis, (int)size, weight, 1, 0, out, 1);
  cblas_dscal((int)size, 1 / cblas_dnrm2((int)size, out, 1), out, 1);
  free(basis), free(weight);
}

int64_t nearest_vector(const fields_t *a, const fields_t *reference, int64_t l) {
  int64_t best = 0;
  double most = -1;
  for (int64_t k = 0; k < a->r; k++) {
    double here = fabs(cblas_ddot((int)(a->n * a->q), field(a, k), 1, field(reference, l), 1));
    if (here > most) most = here, best = k;
  }
  return best;
}

double spectral_gap(const fields_t *f, int64_t l) {
  double here = -log(f->values[l]), gap = INFINITY;
  if (l > 0) gap = here + log(f->values[l - 1]);
  if (l + 1 < f->r) gap = fmin(gap, -log(f->values[l + 1]) - here);
  return gap / here;
}

void pointwise(const double *w, const double *v, int64_t n, int64_t q, double *error, double *cosine,
               double *magnitude) {
  double sign = cblas_ddot((int)(n * q), w, 1, v, 1) < 0 ? -1 : 1;
  for (int64_t i = 0; i < n; i++) {
    double dot = 0, ww = 0, vv = 0;
    for (int64_t c = 0; c < q; c++) {
      double here = sign * w[i * q + c], there = v[i * q + c];
      dot += here * there, ww += here * here, vv += there * there;
    }
    int small = sqrt(vv) < 1e-7;
    if (error) error[i] = small ? NAN : sqrt(fmax(0, ww + vv - 2 * dot) / vv);
    if (cosine) cosine[i] = small || !(ww > 0) ? NAN : dot / sqrt(ww * vv);
    if (magnitude) magnitude[i] = small ? NAN : fabs(sqrt(vv) - sqrt(ww)) / sqrt(vv);
  }
}
