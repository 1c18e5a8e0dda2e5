/* Frames, and the graph between rows and references. */
#include "engine/cpu/cpu.h"
#include "graph/shared.h"
#include "graph/square.h"

#include <math.h>

int REAL(cpu_frames)(engine_t *engine, rows_t *rows, const rows_t *around, int64_t d, int64_t knn,
                     double radius, int64_t *degenerate) {
  cpu_rows *own = (cpu_rows *)rows;
  const real_t *places = rows == around ? NULL : own->tiles.x;
  hood_t hood = {.k = knn, .radius = radius};
  int status = REAL(frames_estimate)(engine->run, &((const cpu_rows *)around)->tiles, places, rows->n, d,
                                     hood, &own->frames);
  *degenerate = own->frames.degenerate;
  const team_t *team = own->role == ROLE_POINTS ? engine->run->team : NULL;
  status = team_agree(team, status);
  return status < 0 ? status : team_count(team, degenerate, 1);
}

static source_t source_of(const cpu_rows *rows, const cpu_rows *references) {
  if (rows->spec.bundle == LAVDM_BUNDLE_TANGENT)
    return REAL(source_tangent)(&rows->frames, &references->frames);
  if (rows->spec.bundle == LAVDM_BUNDLE_ORIENTATION)
    return REAL(source_orientation)(&rows->frames, &references->frames);
  return REAL(source_trivial)();
}

/* The weights are kept if there is room for them and it pays. */
static int keep_weights(run_t *run, cpu_rows *rows, const cpu_rows *references) {
  const graph_spec *spec = &rows->spec;
  int keep = spec->kept;
  if (keep < 0 && REAL(kept_bytes)(rows->base.n, rows->base.p, references->base.n) > spec->spare)
    return LAVDM_OK;
  if (keep < 0) keep = REAL(kept_pays)(&rows->tiles, &references->tiles, spec->kernel.radius);
  if (keep < 0) return fail_memory(run->error, "the weights");
  return keep ? REAL(kept_new)(run, &rows->tiles, &references->tiles, &rows->kept) : LAVDM_OK;
}

/* New points among those of a model: the k-NN rule asks how far the neighbours of each of these are. */
static int join_by_rule(run_t *run, cpu_rows *rows, cpu_rows *references) {
  int64_t k = rows->spec.knn + 1 < references->base.n ? rows->spec.knn + 1 : references->base.n;
  int status = references->rule.k
                   ? LAVDM_OK
                   : REAL(rule_new)(run, &references->tiles, k, references->reach2, &references->rule);
  rows->graph.rule = &references->rule;
  return status;
}

/* The rows here of the graph between the points of all ranks, which are the references. */
static int shared_graph(run_t *run, cpu_rows *rows, const cpu_rows *all, graph_info *info) {
  const graph_spec *spec = &rows->spec;
  symmetric_t *matrix = &rows->matrix;
  source_t source = source_of(rows, all);
  source.point_frames = source.reference_frames;
  matrix->team = run->team;
  matrix->before = run->first * spec->q;
  matrix->after = (run->total - run->first - rows->base.n) * spec->q;
  return REAL(shared_build)(run, &rows->tiles, &all->tiles, &source, &spec->kernel, spec->edges, spec->knn,
                            &matrix->sparse, &info->ill);
}

static int point_graph(run_t *run, cpu_rows *rows, cpu_rows *references, graph_info *info) {
  const graph_spec *spec = &rows->spec;
  source_t source = source_of(rows, references);
  const widths_t *local = spec->local.rho ? &spec->local : NULL;
  if (rows == references)
    return REAL(square_build)(run, &rows->tiles, &source, &spec->kernel, local, spec->edges, spec->knn,
                              &rows->matrix.sparse, &info->ill);
  if (spec->square && run->team && references->role == ROLE_POINTS)
    return shared_graph(run, rows, references, info);
  rows->graph = REAL(graph_by_distance)(&rows->tiles, &references->tiles, source, spec->kernel);
  rows->graph.hollow = spec->balanced;
  rows->graph.local = local;
  if (spec->square) return spec->edges == LAVDM_EDGES_KNN ? join_by_rule(run, rows, references) : LAVDM_OK;
  int status = keep_weights(run, rows, references);
  if (rows->kept.w) rows->graph.kept = &rows->kept;
  return status;
}

int REAL(cpu_graph)(engine_t *engine, rows_t *given_rows, const rows_t *given_references,
                    const graph_spec *spec, graph_info *info) {
  cpu_rows *rows = (cpu_rows *)given_rows, *references = (cpu_rows *)given_references;
  run_t *run = engine->run;
  rows->spec = *spec;
  int status = LAVDM_OK;
  bool itself = rows == references && spec->square;
  if (spec->resumed && (cpu_is_stack(rows) || itself)) return LAVDM_OK;
  if (cpu_is_stack(rows))
    status = REAL(cpu_stack_graph)((cpu_t *)engine, rows, references);
  else if (!cpu_is_given(rows))
    return point_graph(run, rows, references, info);
  if (status < 0) return status;
  if (itself) {
    if (!cpu_is_given(rows)) return LAVDM_OK;
    rows->matrix.sparse = rows->given.graph;
    rows->given.graph = (bsr_t){0};
    return LAVDM_OK;
  }
  rows->graph = REAL(graph_of_edges)(&rows->given.graph, rows->numbers);
  rows->graph.alone = rows->alone ? rows->alone : rows->given.far;
  return LAVDM_OK;
}
