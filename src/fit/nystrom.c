/*
 * The method nystrom: the diffusion map, or the vector diffusion map, of the
 * landmarks alone, and its eigenvectors at all points by the Nystrom extension,
 *     W_Z v = lambda v among the landmarks,   u[x] = lambda^-1 sum_k P(x,k) O_xk u[k],
 * where P is the row of x, normalised as those of the landmarks were. What the
 * landmarks keep is written so that new points are extended as through landmarks
 * (operator/extension.h): mass 1, inflow and column D_X^-alpha, vectors u / sqrt(lambda); balanced, mass,
 * inflow and column are d = 1/D_X.
 */
#include "base/memory.h"
#include "fit/fit.h"
#include "operator/scaling.h"

#include <math.h>
#include <string.h>

int nystrom_operator(fit_t *f) {
  run_t *run = f->run;
  const lavdm_options *o = &run->options;
  graph_spec among = f->spec;
  among.square = true, among.edges = LAVDM_EDGES_BALL;
  f->scaling = (landmark_scaling){NEW(double, f->m), NEW(double, f->m), NEW(double, f->m)};
  double *density = NEW(double, f->m);
  int status = f->scaling.column && f->scaling.mass && f->scaling.inflow && density
                   ? LAVDM_OK
                   : fail_memory(run->error, "the degrees");
  run_stage(run, "graph");
  if (!status) status = f->ops->graph(f->engine, f->marks, f->marks, &among, &f->found);
  run_stage(run, "operator");
  if (!status) status = f->ops->scale(f->engine, f->marks, o->alpha, 0, NULL, &f->found);
  if (!status) status = tell_balance(f);
  if (!status) status = f->ops->fetch(f->engine, f->marks, ROWS_DENSITIES, NULL, 0, f->m, density);
  for (int64_t k = 0; k < f->m && !status; k++) { /* in the engine's order */
    f->scaling.column[k] = f->scaling.inflow[k] =
        inverse_power(density[f->landmark_order[k]], extension_power(o));
    f->scaling.mass[k] = f->spec.balanced ? f->scaling.column[k] : 1;
  }
  mem_free(density);
  return status;
}

/* From the eigenvectors v of the normalised graph (in the order of the landmarks) to u / sqrt(lambda) in
 * f->vectors, and field = D_X^-alpha u / lambda, in the engine's order; eigenvalues that are not positive
 * leave zeros. */
static void landmark_fields(fit_t *f, const double *v, const double *degree, double *field) {
  int64_t r = f->run->options.components, width = f->q * r;
  for (int64_t k = 0; k < f->m; k++)
    for (int64_t j = 0; j < width; j++) {
      int64_t from = f->landmark_order[k];
      double value = f->values[j % r], d = degree[from], *u = &f->vectors[k * width + j];
      *u = value > 0 && d > 0 ? v[from * width + j] / sqrt(d * value) : 0;
      field[k * width + j] = value > 0 ? f->scaling.column[k] * *u / sqrt(value) : 0;
    }
}

/* Points that the weights of every landmark underflow at: zero, not NaN. */
static void settle_isolated(fit_t *f, void *u, const double *degrees) {
  size_t real = f->real == LAVDM_F32 ? sizeof(float) : sizeof(double);
  size_t width = (size_t)(f->q * f->run->options.components) * real;
  for (int64_t i = 0; i < f->n; i++)
    if (!(degrees[i] > 0)) memset((char *)u + (size_t)i * width, 0, width);
}

int nystrom_eigenvectors(fit_t *f) {
  run_t *run = f->run;
  const lavdm_options *o = &run->options;
  int64_t r = o->components, width = f->q * r;
  run_stage(run, "eigenvectors");
  void *u = fit_array(f, "eigenvectors", f->real, 3, f->n, f->q, r);
  double *degrees = fit_array(f, "degrees", LAVDM_F64, 1, f->n, 0, 0);
  double *field = NEW(double, f->m *width), *v = NEW(double, f->m *width), *degree = NEW(double, f->m);
  f->vectors = NEW(double, f->m *width);
  bool whole = u && degrees && field && v && degree && f->vectors;
  int status = whole ? f->ops->fetch(f->engine, f->marks, ROWS_VECTORS, NULL, 0, f->m, v)
                     : fail_memory(run->error, "the eigenvectors");
  if (!status) status = f->ops->fetch(f->engine, f->marks, ROWS_DEGREES, NULL, 0, f->m, degree);
  status = team_agree(run->team, status);
  if (!status) status = team_share_first(run->team, v, f->m * width);
  if (!status) {
    landmark_fields(f, v, degree, field);
    status = team_agree(run->team, f->ops->graph(f->engine, f->rows, f->marks, &f->spec, &f->found));
  }
  fields_spec spec = {.r = r,
                      .alpha = extension_power(o),
                      .mass = f->scaling.mass,
                      .inflow = f->scaling.inflow,
                      .field = field,
                      .take_far = true};
  if (!status) status = f->ops->extend(f->engine, f->rows, &spec, u, degrees, &f->found);
  mem_free(field);
  mem_free(v);
  mem_free(degree);
  if (status < 0) return status;
  tell_far(f);
  tell_alignment(f);
  settle_isolated(f, u, degrees);
  return tell_components(f, degrees);
}
