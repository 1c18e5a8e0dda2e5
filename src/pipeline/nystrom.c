/*
 * The method nystrom: the diffusion map, or the vector diffusion map, of the
 * landmarks alone, and its eigenvectors at all points by the Nystrom extension,
 *     W_Z v = lambda v among the landmarks,   u[x] = lambda^-1 sum_k P(x,k) O_xk u[k],
 * where P is the row of x, normalised as those of the landmarks were. What the
 * landmarks keep is written so that new points are extended as through landmarks
 * (operator/extension.h): mass 1, inflow and column D_X^-alpha, vectors u / sqrt(lambda).
 */
#include "base/arrange.h"
#include "base/memory.h"
#include "operator/extension.h"
#include "pipeline/fit.h"

#include <math.h>

/* Arrays of the scaling that keep_all and the extension read. */
static int new_scaling(fit_t *f) {
  scaling_t *s = &f->scaling;
  s->degree = LARGE(&f->run->large, double, f->n);
  s->column = NEW(double, f->m);
  s->mass = NEW(double, f->m);
  s->inflow = NEW(double, f->m);
  f->degree = NEW(double, f->m);
  bool all = s->degree && s->column && s->mass && s->inflow && f->degree;
  return all ? LAVDM_OK : fail_memory(f->run->error, "the degrees");
}

int nystrom_operator(fit_t *f) {
  run_t *run = f->run;
  const lavdm_options *o = &run->options;
  bsr_t *graph = &f->matrix.sparse;
  const frames_t *frames = &f->landmark_frames;
  source_t source = !has_frames(o)                      ? source_trivial()
                    : o->bundle == LAVDM_BUNDLE_TANGENT ? source_tangent(frames, frames)
                                                        : source_orientation(frames, frames);
  run_stage(run, "graph");
  int status = new_scaling(f);
  if (!status)
    status =
        f->engine->square(run, &f->landmarks, &source, &f->kernel, LAVDM_EDGES_BALL, o->knn, graph, &f->ill);
  f->matrix.size = f->m * f->q;
  if (!status) status = components_of_graph(run, graph, &f->components);
  if (status < 0) return status;
  run_stage(run, "operator");
  for (int64_t k = 0; k < f->m; k++) {
    double density = 0;
    for (int64_t e = graph->start[k]; e < graph->start[k + 1]; e++) density += graph->weight[e];
    f->scaling.mass[k] = 1;
    f->scaling.column[k] = f->scaling.inflow[k] = inverse_power(density, o->alpha);
  }
  return f->engine->normalise(run, graph, &f->components, o->alpha, f->degree);
}

/* From the eigenvectors v of the normalised graph to u / sqrt(lambda) at the landmarks, in f->vectors, and
 * D_X^-alpha u / lambda; eigenvalues that are not positive leave zeros. */
static void landmark_fields(fit_t *f, real_t *field) {
  int64_t r = f->run->options.components, width = f->q * r;
  for (int64_t k = 0; k < f->m; k++)
    for (int64_t j = 0; j < width; j++) {
      double value = f->values[j % r], degree = f->degree[k], *v = &f->vectors[k * width + j];
      *v = value > 0 && degree > 0 ? *v / sqrt(degree * value) : 0;
      field[k * width + j] = value > 0 ? (real_t)(f->scaling.column[k] * *v / sqrt(value)) : 0;
    }
}

/* Points that the weights of every landmark underflow at: named, and zero. */
static int settle_isolated(fit_t *f, real_t *u, int64_t edges) {
  int64_t isolated = 0, width = f->q * f->run->options.components;
  for (int64_t i = 0; i < f->n; i++) isolated += !(f->scaling.degree[i] > 0);
  components_t found = {
      .count = f->components.count, .isolated = isolated, .isolated_index = NEW(int64_t, isolated)};
  if (!found.isolated_index) return fail_memory(f->run->error, "the isolated points");
  for (int64_t i = 0, at = 0; i < f->n; i++) {
    if (f->scaling.degree[i] > 0) continue;
    found.isolated_index[at++] = i;
    for (int64_t j = 0; j < width; j++) u[f->order[i] * width + j] = 0;
  }
  int status = tell_components(f, &found, edges);
  components_free(&found);
  return status;
}

int nystrom_eigenvectors(fit_t *f) {
  run_t *run = f->run;
  const lavdm_options *o = &run->options;
  int64_t r = o->components, width = f->q * r;
  run_stage(run, "eigenvectors");
  real_t *u = model_array(f->model, &run->large, "eigenvectors", REAL_TYPE, 3, f->n, f->q, r);
  double *degrees = model_array(f->model, &run->large, "degrees", LAVDM_F64, 1, f->n, 0, 0);
  real_t *made = LARGE(&run->large, real_t, f->n * width);
  extension_t extension = {.r = r,
                           .alpha = o->alpha,
                           .mass = f->scaling.mass,
                           .inflow = f->scaling.inflow,
                           .field = NEW(real_t, f->m * width),
                           .take_far = true};
  extension_seen seen = {0};
  int status =
      u && degrees && made && extension.field ? LAVDM_OK : fail_memory(run->error, "the eigenvectors");
  if (!status) {
    landmark_fields(f, extension.field);
    f->graph = graph_by_distance(&f->points, &f->landmarks, f->source, f->kernel);
    status = extension_fields(run, &f->graph, &extension, NULL, made, f->scaling.degree, &seen);
  }
  if (!status) status = arrange_rows(run, f->order, f->n, (size_t)width * sizeof *u, made, u);
  if (!status) status = arrange_rows(run, f->order, f->n, sizeof *degrees, f->scaling.degree, degrees);
  large_free(made);
  mem_free(extension.field);
  if (status < 0) return status;
  f->ill += seen.ill;
  f->scaling.far = seen.far;
  tell_far(f, seen.far);
  tell_alignment(f, seen.edges);
  return settle_isolated(f, u, seen.edges);
}
