#include "pipeline/stages.h"

#include "base/memory.h"

#include <stdio.h>
#include <string.h>

static const store_type REAL = REAL_TYPE == LAVDM_F32 ? STORE_SINGLE : STORE_REAL;

enum { TIMING_NAMES = 16 * MAX_TIMINGS, WARNINGS = MAX_WARNINGS * WARNING_SIZE };

bool stage_saved(const fit_t *f, checkpoint_stage stage) {
  return f->checkpoint && f->checkpoint->store && f->checkpoint->saved >= stage;
}

int stage_kept(const fit_t *f) {
  return f->checkpoint ? (int)checkpoint_whole(f->checkpoint, "kept", -1) : -1;
}

int stages_start(fit_t *f) {
  if (!stage_saved(f, STAGE_LANDMARKS)) return LAVDM_OK;
  if (f->run->large.files) checkpoint_trim(f->checkpoint);
  const store_item *item = store_find(f->checkpoint->store, "chosen");
  double noise = f->run->options.noise; /* is estimated again, to the same bits */
  if (!item || item->type != STORE_TEXT || identity_restore(item->data, &f->run->options, NULL) < 0)
    return checkpoint_unfit(f->run, f->checkpoint);
  f->run->options.noise = noise;
  return LAVDM_OK;
}

/* ------------------------------------------------------------------ saving */

/* The items of a file, and the texts and numbers among them. */
typedef struct {
  store_item item[48];
  int count;
  char chosen[IDENTITY_SIZE], warnings[WARNINGS], timing_names[TIMING_NAMES];
  double timing[MAX_TIMINGS];
  int64_t kept, blocks, joined, far;
  int64_t *columns, *references,
      *far_rows; /* of the sparse matrix and the edges, as wide as the file has them */
} list_t;

static void add(list_t *list, const char *name, store_type type, int64_t count, const void *data) {
  if (!data || count < 1) return;
  list->item[list->count++] =
      (store_item){.name = name, .type = type, .rank = 1, .shape = {count}, .data = data};
}

static void add_number(list_t *list, const char *name, store_type type, const void *data) {
  list->item[list->count++] = (store_item){.name = name, .type = type, .rank = 0, .data = data};
}

static void add_text(list_t *list, const char *name, const char *text) {
  add(list, name, STORE_TEXT, (int64_t)strlen(text), text);
}

/* What every file has. */
static void add_facts(list_t *list, const fit_t *f, checkpoint_stage stage) {
  const run_t *run = f->run;
  size_t lines = 0, names = 0;
  for (int i = 0; i < run->warnings; i++)
    lines +=
        (size_t)snprintf(list->warnings + lines, WARNINGS - lines, "%s%s", i ? "\n" : "", run->warning[i]);
  for (int i = 0; i < run->timings && names < TIMING_NAMES; i++) {
    names += (size_t)snprintf(list->timing_names + names, TIMING_NAMES - names, "%s%s", i ? " " : "",
                              run->timing[i].stage);
    list->timing[i] = run->timing[i].seconds;
  }
  identity_options(&run->options, list->chosen, 0);
  add_text(list, "kind", "lavdm checkpoint");
  add_text(list, "stage", checkpoint_name(stage));
  add_text(list, "run", f->checkpoint->identity);
  add_text(list, "chosen", list->chosen);
  add_text(list, "warnings", list->warnings);
  add_text(list, "timing_stages", list->timing_names);
  add(list, "timings", STORE_REAL, run->timings, list->timing);
  add_number(list, "memory_needed", STORE_INTEGER, &f->model->info.memory_needed);
  list->kept = f->kept.w != NULL;
  if (stage >= STAGE_DEGREES && f->with_landmarks) add_number(list, "kept", STORE_INTEGER, &list->kept);
}

static void add_frames(list_t *list, const fit_t *f) {
  const frames_t *own = &f->landmark_frames;
  add(list, "frames", REAL, f->frames.n * f->frames.d * f->frames.p, f->frames.b);
  if (!f->landmark_place) add(list, "landmark_frames", REAL, own->n * own->d * own->p, own->b);
  add_number(list, "radius", STORE_REAL, &f->hood.radius);
  add_number(list, "degenerate_frames", STORE_INTEGER, &f->frames.degenerate);
}

static void add_components(list_t *list, const fit_t *f, const components_t *components) {
  add(list, "component", STORE_INTEGER, f->n, components->label);
  add_number(list, "components", STORE_INTEGER, &components->count);
}

static void add_scaling(list_t *list, const fit_t *f) {
  const scaling_t *s = &f->scaling;
  add(list, "row", STORE_REAL, f->n, s->row);
  add(list, "column", STORE_REAL, f->m, s->column);
  add(list, "degree", STORE_REAL, f->n, s->degree);
  add(list, "mass", STORE_REAL, f->m, s->mass);
  add(list, "inflow", STORE_REAL, f->m, s->inflow);
  add_number(list, "edges", STORE_INTEGER, &s->edges);
  add_number(list, "reached", STORE_INTEGER, &s->reached);
  add_number(list, "far", STORE_INTEGER, &s->far);
  add_components(list, f, &s->components);
}

static void add_square(list_t *list, const fit_t *f) {
  add(list, "reach2", STORE_REAL, f->n, f->reach2);
  add(list, "degree", STORE_REAL, f->n, f->degree);
  add(list, "densities", STORE_REAL, f->n, f->densities);
  add_number(list, "edges", STORE_INTEGER, &f->edges);
  add_components(list, f, &f->components);
}

/* The columns of a stored matrix, which the caller owns. */
static int64_t *wide_columns(const bsr_t *a, int64_t *count) {
  *count = a->start[a->rows];
  int64_t *columns = NEW(int64_t, *count);
  for (int64_t e = 0; columns && e < *count; e++) columns[e] = a->col[e];
  return columns;
}

/* The edges of objects that turn, and which of these are beyond every cut-off. */
static int add_edges(list_t *list, const fit_t *f) {
  const bsr_t *g = &f->given.graph;
  list->references = wide_columns(g, &list->joined);
  list->far_rows = NEW(int64_t, f->n);
  if (!list->references || !list->far_rows) return LAVDM_ERROR_MEMORY;
  for (int64_t i = 0; i < f->n; i++)
    if (f->alone[i]) list->far_rows[list->far++] = i;
  add_number(list, "far_count", STORE_INTEGER, &list->far);
  add(list, "far_rows", STORE_INTEGER, list->far, list->far_rows);
  add_number(list, "joined", STORE_INTEGER, &list->joined);
  add(list, "edge_start", STORE_INTEGER, f->n + 1, g->start);
  add(list, "edge_column", STORE_INTEGER, list->joined, list->references);
  add(list, "edge_weight", STORE_REAL, list->joined, g->weight);
  add(list, "edge_block", STORE_REAL, list->joined * f->q * f->q, g->block);
  return LAVDM_OK;
}

static int add_matrix(list_t *list, const fit_t *f) {
  const symmetric_t *a = &f->matrix;
  add(list, "dense", STORE_REAL, a->size * a->size, a->dense);
  if (a->dense) return LAVDM_OK;
  list->columns = wide_columns(&a->sparse, &list->blocks);
  if (!list->columns) return LAVDM_ERROR_MEMORY;
  add_number(list, "blocks", STORE_INTEGER, &list->blocks);
  add(list, "block_start", STORE_INTEGER, a->sparse.rows + 1, a->sparse.start);
  add(list, "block_column", STORE_INTEGER, list->blocks, list->columns);
  add(list, "block", STORE_REAL, list->blocks * f->q * f->q, a->sparse.block);
  return LAVDM_OK;
}

static int add_all(list_t *list, const fit_t *f, checkpoint_stage stage) {
  int64_t r = f->run->options.components;
  add_facts(list, f, stage);
  add(list, "landmark_place", STORE_INTEGER, f->m, f->landmark_place);
  if (stage >= STAGE_FRAMES) add_frames(list, f);
  if (stage >= STAGE_DEGREES && f->with_landmarks) add_scaling(list, f);
  if (stage >= STAGE_OPERATOR && !f->with_landmarks) add_square(list, f);
  if (stage >= STAGE_OPERATOR) add_number(list, "ill_aligned", STORE_INTEGER, &f->ill);
  if (stage >= STAGE_SPECTRUM) {
    add(list, "eigenvalues", STORE_REAL, r, f->values);
    add(list, "residuals", STORE_REAL, r, f->residuals);
    add(list, "vectors", STORE_REAL, f->matrix.size * r, f->vectors);
  }
  if (stage >= STAGE_EIGENVECTORS) add(list, "eigenvectors", REAL, f->n * f->q * r, f->fields);
  if (stage >= STAGE_GRAPH && f->alone && add_edges(list, f) < 0) return LAVDM_ERROR_MEMORY;
  return stage == STAGE_OPERATOR ? add_matrix(list, f) : LAVDM_OK;
}

static void trim(const void *run) {
  large_trim_all(&((run_t *)run)->large);
}

int stage_save(fit_t *f, checkpoint_stage stage) {
  run_t *run = f->run;
  int status = run_status(run);
  if (status < 0 || !f->checkpoint) return status;
  const char *before = run->stage;
  run_stage(run, "checkpoint");
  lavdm_error error = {0};
  const store_trim give_back = {trim, run};
  list_t *list = NEW(list_t, 1);
  status = list ? add_all(list, f, stage) : LAVDM_ERROR_MEMORY;
  if (status < 0) snprintf(error.message, sizeof error.message, "out of memory");
  if (!status)
    status = store_write(f->checkpoint->path, list->item, list->count, run->large.files ? &give_back : NULL,
                         &error);
  if (status < 0 && !f->checkpoint->failed) {
    f->checkpoint->failed = true;
    run_warn(run, "no checkpoint was saved after the stage %s: %.200s", checkpoint_name(stage),
             error.message);
  }
  if (list) mem_free(list->columns), mem_free(list->references), mem_free(list->far_rows);
  mem_free(list);
  run_stage(run, before);
  return run_status(run);
}

/* ------------------------------------------------------------------ taking */

static int take(fit_t *f, const char *name, store_type type, int64_t count, void *to) {
  return checkpoint_copy(f->run, f->checkpoint, name, type, count, to);
}

static int take_number(fit_t *f, const char *name, int64_t *to) {
  return take(f, name, STORE_INTEGER, 1, to);
}

/* Every number of an array from `low` to `high`? */
static int check_range(fit_t *f, const int64_t *index, int64_t count, int64_t low, int64_t high) {
  for (int64_t i = 0; i < count; i++)
    if (index[i] < low || index[i] > high) return checkpoint_unfit(f->run, f->checkpoint);
  return LAVDM_OK;
}

static int take_landmarks(fit_t *f) {
  int status = take(f, "landmark_place", STORE_INTEGER, f->m, f->landmark_place);
  return status < 0 ? status : check_range(f, f->landmark_place, f->m, 0, f->n - 1);
}

static int take_places(fit_t *f, const char *name, int64_t n, frames_t *out) {
  int64_t p = f->points.p, d = f->run->options.dim;
  *out = (frames_t){.n = n, .p = p, .d = d, .b = LARGE(&f->run->large, real_t, n * p * d)};
  if (!out->b) return fail_memory(f->run->error, "the frames");
  return take(f, name, REAL, n * p * d, out->b);
}

static int take_frames(fit_t *f) {
  int status = take_places(f, "frames", f->n, &f->frames);
  if (!status) status = take(f, "radius", STORE_REAL, 1, &f->hood.radius);
  if (!status) status = take_number(f, "degenerate_frames", &f->frames.degenerate);
  if (!status && f->with_landmarks && !f->landmark_place)
    status = take_places(f, "landmark_frames", f->m, &f->landmark_frames);
  return status;
}

static int take_components(fit_t *f, components_t *out) {
  out->label = LARGE(&f->run->large, int64_t, f->n);
  if (!out->label) return fail_memory(f->run->error, "the components of the graph");
  int status = take_number(f, "components", &out->count);
  if (!status) status = take(f, "component", STORE_INTEGER, f->n, out->label);
  if (!status) status = check_range(f, out->label, f->n, -1, out->count - 1);
  if (status < 0) return status;
  for (int64_t i = 0; i < f->n; i++) out->isolated += out->label[i] < 0;
  out->isolated_index = NEW(int64_t, out->isolated);
  if (!out->isolated_index) return fail_memory(f->run->error, "the components of the graph");
  for (int64_t i = 0, at = 0; i < f->n; i++)
    if (out->label[i] < 0) out->isolated_index[at++] = i;
  return LAVDM_OK;
}

static int take_scaling(fit_t *f) {
  scaling_t *s = &f->scaling;
  s->row = LARGE(&f->run->large, double, f->n);
  s->degree = LARGE(&f->run->large, double, f->n);
  s->column = NEW(double, f->m);
  s->mass = NEW(double, f->m);
  s->inflow = NEW(double, f->m);
  if (!s->row || !s->degree || !s->column || !s->mass || !s->inflow)
    return fail_memory(f->run->error, "the degrees");
  int status = take(f, "row", STORE_REAL, f->n, s->row);
  if (!status) status = take(f, "column", STORE_REAL, f->m, s->column);
  if (!status) status = take(f, "degree", STORE_REAL, f->n, s->degree);
  if (!status) status = take(f, "mass", STORE_REAL, f->m, s->mass);
  if (!status) status = take(f, "inflow", STORE_REAL, f->m, s->inflow);
  if (!status) status = take_number(f, "edges", &s->edges);
  if (!status) status = take_number(f, "reached", &s->reached);
  if (!status) status = take_number(f, "far", &s->far);
  return status < 0 ? status : take_components(f, &s->components);
}

static int take_square(fit_t *f) {
  f->degree = NEW(double, f->n);
  if (!f->degree) return fail_memory(f->run->error, "the degrees");
  int status = take(f, "degree", STORE_REAL, f->n, f->degree);
  if (!status) status = take(f, "densities", STORE_REAL, f->n, f->densities);
  if (!status) status = take_number(f, "edges", &f->edges);
  return status < 0 ? status : take_components(f, &f->components);
}

static int take_dense(fit_t *f) {
  int64_t size = f->matrix.size;
  f->matrix.dense = NEW(double, size *size);
  if (!f->matrix.dense) return fail_memory(f->run->error, "the Gram matrix");
  return take(f, "dense", STORE_REAL, size * size, f->matrix.dense);
}

/* A stored matrix of rows x m blocks, `names` being those of its starts, columns, weights (or NULL) and
 * blocks. */
static int take_blocks(fit_t *f, const char *const names[4], int64_t rows, int64_t blocks, bsr_t *a) {
  int64_t q = f->q;
  const int64_t *column = checkpoint_find(f->checkpoint, names[1], STORE_INTEGER, blocks);
  if (blocks < 0 || (blocks && !column)) return checkpoint_unfit(f->run, f->checkpoint);
  int status = check_range(f, column, blocks, 0, f->m - 1);
  if (!status) status = bsr_new(f->run, rows, f->m, q, blocks, names[2] != NULL, a);
  if (!status) status = take(f, names[0], STORE_INTEGER, rows + 1, a->start);
  if (!status && names[2]) status = take(f, names[2], STORE_REAL, blocks, a->weight);
  if (!status) status = take(f, names[3], STORE_REAL, blocks * q * q, a->block);
  if (status < 0) return status;
  for (int64_t e = 0; e < blocks; e++) a->col[e] = (int32_t)column[e];
  if (a->start[0] || a->start[rows] != blocks) return checkpoint_unfit(f->run, f->checkpoint);
  for (int64_t i = 0; i < rows; i++)
    if (a->start[i] > a->start[i + 1]) return checkpoint_unfit(f->run, f->checkpoint);
  return LAVDM_OK;
}

static int take_sparse(fit_t *f, int64_t blocks) {
  static const char *const names[] = {"block_start", "block_column", NULL, "block"};
  return take_blocks(f, names, f->m, blocks, &f->matrix.sparse);
}

static int take_edges(fit_t *f) {
  static const char *const names[] = {"edge_start", "edge_column", "edge_weight", "edge_block"};
  int64_t far = checkpoint_whole(f->checkpoint, "far_count", -1);
  const int64_t *rows = checkpoint_find(f->checkpoint, "far_rows", STORE_INTEGER, far);
  f->alone = LARGE(&f->run->large, char, f->n);
  if (!f->alone) return fail_memory(f->run->error, "the graph");
  if (far < 0 || (far && !rows)) return checkpoint_unfit(f->run, f->checkpoint);
  int status = check_range(f, rows, far, 0, f->n - 1);
  for (int64_t i = 0; i < far && !status; i++) f->alone[rows[i]] = 1;
  return status < 0
             ? status
             : take_blocks(f, names, f->n, checkpoint_whole(f->checkpoint, "joined", -1), &f->given.graph);
}

/* The matrix itself has no use any more once the spectrum is known. */
static int take_operator(fit_t *f) {
  int status = f->with_landmarks ? LAVDM_OK : take_square(f);
  if (!status && f->reach2) status = take(f, "reach2", STORE_REAL, f->n, f->reach2);
  if (!status) status = take_number(f, "ill_aligned", &f->ill);
  f->matrix.size = f->m * f->q;
  if (status < 0 || stage_saved(f, STAGE_SPECTRUM)) return status;
  int64_t blocks = checkpoint_whole(f->checkpoint, "blocks", -1);
  return blocks < 0 ? take_dense(f) : take_sparse(f, blocks);
}

static int take_spectrum(fit_t *f) {
  int64_t r = f->run->options.components;
  int status = take(f, "eigenvalues", STORE_REAL, r, f->values);
  if (!status) status = take(f, "residuals", STORE_REAL, r, f->residuals);
  return status < 0 ? status : take(f, "vectors", STORE_REAL, f->matrix.size * r, f->vectors);
}

/* Warnings, one a line. */
static void take_warnings(fit_t *f) {
  run_t *run = f->run;
  const store_item *item = store_find(f->checkpoint->store, "warnings");
  const char *at = item && item->type == STORE_TEXT ? item->data : "";
  run->warnings = 0;
  while (*at) {
    int length = (int)strcspn(at, "\n");
    run_warn(run, "%.*s", length, at);
    at += length;
    at += *at == '\n';
  }
}

/* The times of the stages that were taken, and "resume": what it took to get here. */
static void take_timings(fit_t *f) {
  run_t *run = f->run;
  double now = run_clock(), spent = now - run->stage_began;
  for (int i = 0; i < run->timings; i++) spent += run->timing[i].seconds;
  const store_item *item = store_find(f->checkpoint->store, "timing_stages");
  const store_item *seconds = store_find(f->checkpoint->store, "timings");
  const char *at = item && item->type == STORE_TEXT ? item->data : "";
  run->timings = 0;
  for (int64_t i = 0; *at && seconds && seconds->type == STORE_REAL && i < seconds->shape[0]; i++) {
    size_t length = strcspn(at, " ");
    const char *stage = checkpoint_literal(at, length);
    if (stage) run_time(run, stage, ((const double *)seconds->data)[i]);
    at += length;
    at += *at == ' ';
  }
  run_time(run, "resume", spent);
  run->stage_began = now;
}

static int take_stage(fit_t *f, checkpoint_stage stage) {
  switch (stage) {
  case STAGE_LANDMARKS:
    return take_landmarks(f);
  case STAGE_FRAMES:
    return take_frames(f);
  case STAGE_GRAPH:
    return take_edges(f);
  case STAGE_DEGREES:
    return take_scaling(f);
  case STAGE_OPERATOR:
    return take_operator(f);
  case STAGE_SPECTRUM:
    return take_spectrum(f);
  case STAGE_EIGENVECTORS:
    return take(f, "eigenvectors", REAL, f->n * f->q * f->run->options.components, f->fields);
  default:
    return LAVDM_OK;
  }
}

int stage_take(fit_t *f, checkpoint_stage stage) {
  int status = take_stage(f, stage);
  if (status < 0 || stage != f->checkpoint->saved) return status;
  take_warnings(f);
  take_timings(f);
  f->model->info.memory_needed =
      checkpoint_whole(f->checkpoint, "memory_needed", f->model->info.memory_needed);
  f->model->info.resumed = checkpoint_name(stage);
  checkpoint_close(f->checkpoint);
  return run_status(f->run);
}
