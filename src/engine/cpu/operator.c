/* Normalisation, Gram matrix, spectrum and eigenvectors. */
#include "engine/cpu/cpu.h"
#include "operator/local.h"
#include "operator/square.h"
#include "spectrum/spectrum.h"

#include <math.h>
#include <string.h>

static int scale_landmarks(run_t *run, cpu_rows *rows, double alpha, double beta, landmark_scaling *landmarks,
                           graph_info *info) {
  scaling_t *s = &rows->scaling;
  int status = REAL(scaling_compute)(run, &rows->graph, rows->weights, alpha, beta, s);
  if (status < 0) return status;
  size_t bytes = (size_t)rows->graph.m * sizeof(double);
  memcpy(landmarks->column, s->column, bytes);
  memcpy(landmarks->mass, s->mass, bytes);
  memcpy(landmarks->inflow, s->inflow, bytes);
  info->edges = s->edges, info->far = s->far;
  info->components = s->components.count, info->isolated = s->components.isolated;
  return LAVDM_OK;
}

static int balance_square(run_t *run, cpu_rows *rows, graph_info *info) {
  const team_t *team = rows->matrix.team;
  balance_t reached;
  int status = square_balance(run, team, &rows->matrix.sparse, &rows->components, rows->densities,
                              rows->degree, &reached);
  info->unbalanced = reached.worst;
  info->unbalanced_row = reached.row < 0 ? -1 : (team ? run->first : 0) + rows->order[reached.row];
  return status;
}

static int scale_square(run_t *run, cpu_rows *rows, double alpha, graph_info *info) {
  bsr_t *graph = &rows->matrix.sparse;
  const team_t *team = rows->matrix.team;
  int64_t n = graph->rows;
  rows->matrix.size = n * graph->q;
  if (rows->spec.balanced) square_hollow(graph, team ? run->first : 0);
  int status = components_of_graph(run, team, team ? run->first : 0, graph, rows->weights, &rows->components);
  info->edges = graph->start[n];
  if (!status) status = team_count(team, &info->edges, 1);
  if (status < 0) return status;
  info->components = rows->components.count, info->isolated = rows->components.isolated;
  rows->degree = NEW(double, n);
  rows->densities = NEW(double, n);
  status = rows->degree && rows->densities ? LAVDM_OK : fail_memory(run->error, "the degrees");
  if ((status = team_agree(team, status)) < 0) return status;
  if (rows->spec.balanced) return balance_square(run, rows, info);
  if (rows->spec.local.rho)
    return square_localise(run, graph, &rows->components, alpha, &rows->spec.local, rows->weights,
                           rows->densities, rows->degree);
  return square_normalise(run, team, graph, &rows->components, rows->weights, alpha, rows->densities,
                          rows->degree);
}

int REAL(cpu_scale)(engine_t *engine, rows_t *rows, double alpha, double beta, landmark_scaling *landmarks,
                    graph_info *info) {
  if (landmarks) return scale_landmarks(engine->run, (cpu_rows *)rows, alpha, beta, landmarks, info);
  return scale_square(engine->run, (cpu_rows *)rows, alpha, info);
}

int REAL(cpu_gram)(engine_t *engine, rows_t *rows, symmetric_t *out, graph_info *info) {
  cpu_rows *own = (cpu_rows *)rows;
  return REAL(gram_compute)(engine->run, &own->graph, &own->scaling, out, &info->ill);
}

int REAL(cpu_apply)(engine_t *engine, const rows_t *rows, const double *x, double *y, int64_t count) {
  operator_t op = symmetric_operator(&((const cpu_rows *)rows)->matrix);
  return op.apply(engine->run, op.context, x, y, count);
}

int REAL(cpu_spectrum)(engine_t *engine, rows_t *rows, const symmetric_t *gram, int64_t r, double *values,
                       double *vectors, double *residuals) {
  cpu_rows *own = (cpu_rows *)rows;
  if (gram) return spectrum_top(engine->run, gram, r, values, vectors, residuals);
  own->r = r;
  own->vectors = NEW(double, own->matrix.size *r);
  int status = own->vectors ? LAVDM_OK : fail_memory(engine->run->error, "the eigenvectors");
  if ((status = team_agree(own->matrix.team, status)) < 0) return status;
  return spectrum_top(engine->run, &own->matrix, r, values, own->vectors, residuals);
}

/* ------------------------------------------------------------ eigenvectors */

int REAL(cpu_fields)(engine_t *engine, rows_t *rows, const double *v, const double *values, int64_t r) {
  cpu_rows *own = (cpu_rows *)rows;
  own->v = v, own->values = values, own->r = r;
  return run_status(engine->run);
}

/* As reals, which the caller owns; NULL: no memory. */
static real_t *reals(const double *from, int64_t count) {
  real_t *made = NEW(real_t, count);
  for (int64_t i = 0; made && i < count; i++) made[i] = (real_t)from[i];
  return made;
}

/* New images and signals that the fit knew are not beyond its reach. */
static int know_stack(cpu_t *cpu, cpu_rows *rows, const extension_t *extension) {
  int64_t p = rows->data.p;
  real_t *pixels = NEW(real_t, p);
  int status = pixels ? LAVDM_OK : fail_memory(cpu->base.run->error, "the new points");
  for (int64_t i = 0; i < rows->base.n && !status; i++) {
    if (!rows->alone[i]) continue;
    status = REAL(objects_pixels)(cpu->base.run, &cpu->objects, &rows->data, i, 1, pixels);
    if (!status && REAL(extension_knows)(extension, pixels, p)) rows->alone[i] = 0;
  }
  mem_free(pixels);
  return status;
}

int REAL(cpu_extend)(engine_t *engine, rows_t *rows, const fields_spec *spec, void *fields, double *degrees,
                     graph_info *info) {
  run_t *run = engine->run;
  cpu_rows *own = (cpu_rows *)rows;
  int64_t m = own->graph.m, width = own->graph.q * spec->r, p = cpu_is_stack(own) ? own->data.p : rows->p;
  /* rows in files are made as they are stored, and then brought into order; those of a batch lie together */
  bool apart = run->large.files && own->role == ROLE_POINTS;
  real_t *u = apart ? LARGE(&run->large, real_t, rows->n * width) : fields;
  double *degree = apart ? LARGE(&run->large, double, rows->n) : degrees;
  extension_t extension = {.r = spec->r,
                           .alpha = spec->alpha,
                           .mass = (double *)spec->mass,
                           .inflow = (double *)spec->inflow,
                           .values = own->spec.local.rho ? spec->values : NULL,
                           .local = &own->spec.local,
                           .field = reals(spec->field, m * width),
                           .known = NEW(real_t, spec->known_count * p),
                           .known_count = spec->known_count,
                           .take_far = spec->take_far};
  extension_seen seen = {0};
  int status = u && degree && extension.field && extension.known
                   ? LAVDM_OK
                   : fail_memory(run->error, "the eigenvectors");
  if (!status) {
    if (spec->known_count)
      memcpy(extension.known, spec->known, (size_t)(spec->known_count * p) * sizeof(real_t));
    REAL(extension_sort)(&extension, p);
    if (cpu_is_stack(own)) status = know_stack((cpu_t *)engine, own, &extension);
  }
  if (!status)
    status = REAL(extension_fields)(run, &own->graph, &extension, apart ? NULL : own->order, u, degree,
                                    info ? &seen : NULL);
  if (!status && apart) status = REAL(cpu_arrange)(run, own, (size_t)width * sizeof *u, u, fields);
  if (!status && apart) status = REAL(cpu_arrange)(run, own, sizeof *degree, degree, degrees);
  int64_t counts[2] = {seen.edges, seen.ill};
  status = team_agree(run->team, status);
  if (!status && info) status = team_count(run->team, counts, 2);
  seen.edges = counts[0], seen.ill = counts[1];
  if (info) info->edges = seen.edges, info->far = seen.far, info->ill += seen.ill;
  if (apart) large_free(u), large_free(degree);
  mem_free(extension.field);
  mem_free(extension.known);
  return status;
}
