/* What the rows have become, to a checkpoint and back: arrays as they lie, in stored order. */
#include "engine/cpu/cpu.h"
#include "engine/stored.h"

static const store_type REALS = REAL_TYPE == LAVDM_F32 ? STORE_SINGLE : STORE_REAL;

/* ------------------------------------------------------------------ saving */

static void save_frames(const cpu_rows *rows, const cpu_rows *references, checkpoint_list *list) {
  const frames_t *own = &rows->frames;
  checkpoint_add(list, "frames", REALS, own->n * own->d * own->p, own->b);
  if (references != rows)
    checkpoint_add(list, "landmark_frames", REALS, references->frames.n * own->d * own->p,
                   references->frames.b);
}

static void save_components(const components_t *components, int64_t n, checkpoint_list *list) {
  checkpoint_add(list, "component", STORE_INTEGER, n, components->label);
  checkpoint_integer(list, "components", components->count);
}

static void save_scaling(const cpu_rows *rows, checkpoint_list *list) {
  const scaling_t *s = &rows->scaling;
  int64_t n = rows->base.n, m = rows->graph.m;
  checkpoint_add(list, "row", STORE_REAL, n, s->row);
  checkpoint_add(list, "column", STORE_REAL, m, s->column);
  checkpoint_add(list, "degree", STORE_REAL, n, s->degree);
  checkpoint_add(list, "mass", STORE_REAL, m, s->mass);
  checkpoint_add(list, "inflow", STORE_REAL, m, s->inflow);
  checkpoint_integer(list, "edges", s->edges);
  checkpoint_integer(list, "reached", s->reached);
  checkpoint_integer(list, "far", s->far);
  checkpoint_integer(list, "kept", rows->kept.w != NULL);
  save_components(&s->components, n, list);
}

static const stored_names EDGES = {"joined", "edge_start", "edge_column", "edge_weight", "edge_block"};
static const stored_names BLOCKS = {"row_blocks", "row_block_start", "row_block_column", NULL, "row_block"};

/* The edges of images and signals to landmarks, and which of these are beyond every cut-off. */
static int save_edges(const cpu_rows *rows, checkpoint_list *list) {
  int64_t n = rows->base.n, far = 0;
  for (int64_t i = 0; i < n; i++) far += rows->alone[i];
  int64_t *far_rows = checkpoint_integers(list, "far_rows", far);
  if (!far_rows) return LAVDM_ERROR_MEMORY;
  for (int64_t i = 0, at = 0; i < n; i++)
    if (rows->alone[i]) far_rows[at++] = i;
  checkpoint_integer(list, "far_count", far);
  return stored_save(&rows->given.graph, &EDGES, list);
}

static void save_square(const cpu_rows *rows, checkpoint_list *list) {
  int64_t n = rows->base.n;
  checkpoint_add(list, "reach2", STORE_REAL, n, rows->reach2);
  checkpoint_add(list, "degree", STORE_REAL, n, rows->degree);
  checkpoint_add(list, "densities", STORE_REAL, n, rows->densities);
  save_components(&rows->components, n, list);
}

int REAL(cpu_save)(engine_t *engine, const rows_t *given, const rows_t *given_references,
                   checkpoint_stage stage, checkpoint_list *list) {
  (void)engine;
  const cpu_rows *rows = (const cpu_rows *)given, *references = (const cpu_rows *)given_references;
  bool square = rows->components.label != NULL;
  if (stage >= STAGE_FRAMES) save_frames(rows, references, list);
  if (stage >= STAGE_GRAPH && rows->alone && save_edges(rows, list) < 0) return LAVDM_ERROR_MEMORY;
  if (stage >= STAGE_DEGREES && rows->scaling.row) save_scaling(rows, list);
  if (stage >= STAGE_OPERATOR && square) save_square(rows, list);
  if (stage == STAGE_OPERATOR && square) return stored_save(&rows->matrix.sparse, &BLOCKS, list);
  if (stage >= STAGE_SPECTRUM && rows->vectors)
    checkpoint_add(list, "row_vectors", STORE_REAL, rows->matrix.size * rows->r, rows->vectors);
  return LAVDM_OK;
}

/* ------------------------------------------------------------------ taking */

static int take_frames(run_t *run, const checkpoint_t *from, const char *name, cpu_rows *rows) {
  int64_t n = rows->base.n, p = rows->base.p, d = run->options.dim;
  rows->frames = (frames_t){.n = n, .p = p, .d = d, .b = LARGE(&run->large, real_t, n * p * d)};
  if (!rows->frames.b) return fail_memory(run->error, "the frames");
  return checkpoint_copy(run, from, name, REALS, n * p * d, rows->frames.b);
}

static int take_every_frame(run_t *run, const checkpoint_t *from, cpu_rows *rows, cpu_rows *references) {
  int status = take_frames(run, from, "frames", rows);
  return status || references == rows ? status : take_frames(run, from, "landmark_frames", references);
}

static int take_components(run_t *run, const checkpoint_t *from, int64_t n, components_t *out) {
  out->label = LARGE(&run->large, int64_t, n);
  if (!out->label) return fail_memory(run->error, "the components of the graph");
  out->count = checkpoint_whole(from, "components", -1);
  int status = checkpoint_copy(run, from, "component", STORE_INTEGER, n, out->label);
  if (!status) status = checkpoint_range(run, from, out->label, n, -1, out->count - 1);
  if (status < 0) return status;
  for (int64_t i = 0; i < n; i++) out->isolated += out->label[i] < 0;
  out->isolated_index = NEW(int64_t, out->isolated);
  if (!out->isolated_index) return fail_memory(run->error, "the components of the graph");
  for (int64_t i = 0, at = 0; i < n; i++)
    if (out->label[i] < 0) out->isolated_index[at++] = i;
  return LAVDM_OK;
}

static int take_scaling(run_t *run, const checkpoint_t *from, cpu_rows *rows, graph_info *info) {
  scaling_t *s = &rows->scaling;
  int64_t n = rows->base.n, m = rows->graph.m;
  s->row = LARGE(&run->large, double, n);
  s->degree = LARGE(&run->large, double, n);
  s->column = NEW(double, m);
  s->mass = NEW(double, m);
  s->inflow = NEW(double, m);
  if (!s->row || !s->degree || !s->column || !s->mass || !s->inflow)
    return fail_memory(run->error, "the degrees");
  int status = checkpoint_copy(run, from, "row", STORE_REAL, n, s->row);
  if (!status) status = checkpoint_copy(run, from, "column", STORE_REAL, m, s->column);
  if (!status) status = checkpoint_copy(run, from, "degree", STORE_REAL, n, s->degree);
  if (!status) status = checkpoint_copy(run, from, "mass", STORE_REAL, m, s->mass);
  if (!status) status = checkpoint_copy(run, from, "inflow", STORE_REAL, m, s->inflow);
  if (!status) status = take_components(run, from, n, &s->components);
  s->edges = checkpoint_whole(from, "edges", -1);
  s->reached = checkpoint_whole(from, "reached", -1);
  s->far = checkpoint_whole(from, "far", -1);
  if (!status && (s->edges < 0 || s->reached < 0 || s->far < 0)) status = checkpoint_unfit(run, from);
  info->edges = s->edges, info->far = s->far;
  info->components = s->components.count, info->isolated = s->components.isolated;
  return status;
}

static int take_edges(run_t *run, const checkpoint_t *from, cpu_rows *rows, const cpu_rows *references) {
  int64_t n = rows->base.n, far = checkpoint_whole(from, "far_count", -1);
  const int64_t *far_rows = checkpoint_find(from, "far_rows", STORE_INTEGER, far);
  rows->alone = LARGE(&run->large, char, n);
  if (!rows->alone) return fail_memory(run->error, "the graph");
  if (far < 0 || (far && !far_rows)) return checkpoint_unfit(run, from);
  int status = checkpoint_range(run, from, far_rows, far, 0, n - 1);
  for (int64_t i = 0; i < far && !status; i++) rows->alone[far_rows[i]] = 1;
  if (!status)
    status = stored_take(run, from, &EDGES, n, references->base.n, rows->spec.q, &rows->given.graph);
  rows->graph = REAL(graph_of_edges)(&rows->given.graph, rows->numbers);
  rows->graph.alone = rows->alone;
  return status;
}

/* The matrix itself has no use any more once the spectrum is known. */
static int take_square(run_t *run, const checkpoint_t *from, cpu_rows *rows, graph_info *info) {
  int64_t n = rows->base.n, q = rows->spec.q;
  bool reach = cpu_is_stack(rows) && rows->spec.edges == LAVDM_EDGES_KNN;
  rows->degree = NEW(double, n);
  rows->densities = NEW(double, n);
  rows->reach2 = reach ? NEW(double, n) : NULL;
  if (!rows->degree || !rows->densities || (reach && !rows->reach2))
    return fail_memory(run->error, "the degrees");
  int status = checkpoint_copy(run, from, "degree", STORE_REAL, n, rows->degree);
  if (!status) status = checkpoint_copy(run, from, "densities", STORE_REAL, n, rows->densities);
  if (!status && reach) status = checkpoint_copy(run, from, "reach2", STORE_REAL, n, rows->reach2);
  if (!status) status = take_components(run, from, n, &rows->components);
  if (status < 0) return status;
  rows->matrix.size = n * q;
  rows->matrix.sparse.q = q;
  info->components = rows->components.count, info->isolated = rows->components.isolated;
  return from->saved >= STAGE_SPECTRUM ? LAVDM_OK
                                       : stored_take(run, from, &BLOCKS, n, n, q, &rows->matrix.sparse);
}

static int take_vectors(run_t *run, const checkpoint_t *from, cpu_rows *rows) {
  rows->r = run->options.components;
  rows->vectors = NEW(double, rows->matrix.size * rows->r);
  if (!rows->vectors) return fail_memory(run->error, "the eigenvectors");
  return checkpoint_copy(run, from, "row_vectors", STORE_REAL, rows->matrix.size * rows->r, rows->vectors);
}

int REAL(cpu_resume)(engine_t *engine, rows_t *given, rows_t *given_references, checkpoint_stage stage,
                     const checkpoint_t *from, graph_info *info) {
  run_t *run = engine->run;
  cpu_rows *rows = (cpu_rows *)given, *references = (cpu_rows *)given_references;
  switch (stage) {
  case STAGE_FRAMES:
    return take_every_frame(run, from, rows, references);
  case STAGE_GRAPH:
    return take_edges(run, from, rows, references);
  case STAGE_DEGREES:
    return take_scaling(run, from, rows, info);
  case STAGE_OPERATOR:
    return rows->spec.square ? take_square(run, from, rows, info) : LAVDM_OK;
  case STAGE_SPECTRUM:
    return rows->spec.square ? take_vectors(run, from, rows) : LAVDM_OK;
  default:
    return LAVDM_OK;
  }
}
