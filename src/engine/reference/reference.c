/* The reference engine's table; rows in, in the order of the data, and out. */
#include "engine/reference/reference.h"

#include "base/options.h"
#include "neighbours/rows.h"

#include <inttypes.h>
#include <string.h>

enum { MOST_ROWS = 5000 }; /* a matrix of n x n numbers then has 200 MB, and q^2 times as many with fibres */

/* What it cannot do, as the end of a sentence; or NULL. */
static const char *refused(const run_t *run) {
  const lavdm_options *o = &run->options;
  if (has_turns(o)) return "has no images and signals (the bundles rotation and shift)";
  if (engine_real(run) == LAVDM_F32) return "computes in double precision alone (precision is single)";
  if (run->large.files) return "keeps all arrays in memory (stream is yes, or the run would not fit)";
  if (run->team) return "has one rank alone, and no team";
  return NULL;
}

static int reference_open(run_t *run, engine_t **out) {
  const char *why = refused(run);
  *out = NULL;
  if (why) return fail(run->error, LAVDM_ERROR_ARGUMENT, "the engine reference %s: use engine cpu", why);
  *out = NEW(engine_t, 1);
  return *out ? LAVDM_OK : fail_memory(run->error, "the engine");
}

static void reference_close(engine_t *engine) {
  mem_free(engine);
}

/* Points and frames, W, S (where N is made too), eigenvectors; G twice; all eigenvectors of G or N, and twice
 * as much for LAPACK. */
static need_t reference_need(const sizes_t *s) {
  double n = (double)s->n, m = (double)s->m, q = (double)s->q, size = s->square ? n * q : m * q;
  double rows = n * (double)(s->p + s->p * s->d + 2 * s->q * s->r), graph = n * m * (1 + q * q);
  return (need_t){need_bytes(8 * (rows + graph + (s->square ? 3 : 5) * size * size)), 0};
}

/* -------------------------------------------------------------------- rows */

static int load_points(run_t *run, const lavdm_data *data, const double *centre, reference_rows *rows) {
  int64_t n = data->n, p = data->p;
  rows->base = (rows_t){.n = n, .p = p};
  rows->metric = metric_of(run);
  rows->x = NEW(double, n *p);
  if (!rows->x) return fail_memory(run->error, "the points");
  int status = LAVDM_OK;
  for (int64_t i = 0; i < n && !status && !run_stopped(run, i, n); i++) {
    status = REAL(rows_one)(run, data, i, rows->x + i * p);
    for (int64_t j = 0; centre && j < p; j++) rows->x[i * p + j] -= centre[j];
  }
  return status < 0 ? status : run_status(run);
}

/* dm and roseland see the weights of edges alone. */
static int load_edges(run_t *run, const lavdm_data *data, rows_role role, reference_rows *rows) {
  const lavdm_options *o = &run->options;
  lavdm_edges edges = *data->edges;
  int64_t points = data->n > 0 ? data->n : -1;
  if (o->method == LAVDM_METHOD_DM || o->method == LAVDM_METHOD_ROSELAND) edges.kind = LAVDM_ELEMENT_NONE;
  int status =
      role == ROLE_NEW
          ? given_join(run, &edges, points, data->landmark_index, data->landmark_count, &rows->given)
          : given_build(run, &edges, given_is_square(data, o), data->n > 0 ? data->n : -1, &rows->given);
  const bsr_t *g = &rows->given.graph;
  if (!status) rows->base = (rows_t){g->rows, 0, g->cols, g->q};
  return status;
}

static int reference_load(engine_t *engine, const lavdm_data *data, const double *centre, rows_role role,
                          int64_t among, rows_t **out) {
  (void)among;
  run_t *run = engine->run;
  reference_rows *rows = NEW(reference_rows, 1);
  *out = (rows_t *)rows;
  if (!rows) return fail_memory(run->error, "the points");
  int status = LAVDM_OK;
  if (data->edges) status = load_edges(run, data, role, rows);
  int64_t n = data->edges ? rows->base.n : data->n;
  if (!status && n > MOST_ROWS)
    return fail(
        run->error, LAVDM_ERROR_ARGUMENT,
        "the engine reference takes %d rows at most, since its matrices are dense, and there are %" PRId64
        ": use engine cpu",
        MOST_ROWS, n);
  return status < 0 || data->edges ? status : load_points(run, data, centre, rows);
}

static void reference_unload(engine_t *engine, rows_t *given) {
  (void)engine;
  reference_rows *rows = (reference_rows *)given;
  if (!rows) return;
  double *arrays[] = {rows->x,     rows->weight,  rows->frames, rows->w,       rows->s,      rows->left,
                      rows->right, rows->density, rows->degree, rows->vectors, rows->fields, rows->reach};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) mem_free(arrays[i]);
  given_free(&rows->given);
  mem_free(rows->far);
  mem_free(rows->component);
  mem_free(rows);
}

/* There is room. */
static void reference_drop(engine_t *engine, rows_t *rows, rows_what what) {
  (void)engine, (void)rows, (void)what;
}

/* ------------------------------------------------------------ in and out */

/* Where rows lie, and the bytes of each; NULL if there are none. */
static const void *array_of(const reference_rows *rows, rows_what what, size_t *bytes) {
  size_t p = (size_t)rows->base.p, field = (size_t)(rows->q * rows->r);
  *bytes = 8; /* doubles and int64_t */
  switch (what) {
  case ROWS_POINTS:
    *bytes *= p;
    return rows->x;
  case ROWS_FRAMES:
    *bytes *= p * (size_t)rows->d;
    return rows->frames;
  case ROWS_DENSITIES:
    return rows->density;
  case ROWS_DEGREES:
    return rows->degree;
  case ROWS_COMPONENTS:
    return rows->component;
  case ROWS_VECTORS:
    *bytes *= field;
    return rows->vectors;
  case ROWS_FIELDS:
    *bytes *= field;
    return rows->fields;
  case ROWS_NODES:
    return rows->given.row_node;
  case ROWS_REFERENCES:
    return rows->given.col_node;
  default:
    return NULL;
  }
}

/* Rows beyond every cut-off that are joined all the same. */
static void fetch_far(const reference_rows *rows, int64_t first, int64_t count, double *out) {
  int64_t p = rows->base.p, found = 0;
  for (int64_t i = 0; i < rows->base.n; i++) {
    double sum = 0;
    for (int64_t k = 0; k < rows->m; k++) sum += rows->w[i * rows->m + k];
    if (!rows->far[i] || !(sum > 0)) continue;
    if (found >= first && found < first + count)
      memcpy(out + (found - first) * p, rows->x + i * p, (size_t)p * sizeof *out);
    found++;
  }
}

static int reference_fetch(engine_t *engine, const rows_t *given, rows_what what, const int64_t *index,
                           int64_t first, int64_t count, void *out) {
  const reference_rows *rows = (const reference_rows *)given;
  size_t bytes;
  const char *from = array_of(rows, what, &bytes);
  if (what == ROWS_ORDER) {
    for (int64_t i = 0; i < count; i++) ((int64_t *)out)[i] = index ? index[i] : first + i;
    return LAVDM_OK;
  }
  if (what == ROWS_FAR && rows->far) {
    fetch_far(rows, first, count, out);
    return LAVDM_OK;
  }
  if (!from) return fail(engine->run->error, LAVDM_ERROR_ARGUMENT, "rows lack what was asked for");
  for (int64_t i = 0; i < count; i++)
    memcpy((char *)out + (size_t)i * bytes, from + (size_t)(index ? index[i] : first + i) * bytes, bytes);
  return LAVDM_OK;
}

static int reference_put(engine_t *engine, rows_t *given, rows_what what, const void *from) {
  run_t *run = engine->run;
  reference_rows *rows = (reference_rows *)given;
  if (what == ROWS_REFERENCES) {
    int status = given_through(run, &rows->given, from, run->options.landmarks);
    given->m = rows->given.graph.cols;
    return status;
  }
  double **to = what == ROWS_FRAMES    ? &rows->frames
                : what == ROWS_WEIGHTS ? &rows->weight
                : what == ROWS_REACH   ? &rows->reach
                                       : &rows->vectors;
  if (what == ROWS_FRAMES)
    rows->d = run->options.dim;
  else if (what == ROWS_VECTORS)
    rows->r = run->options.components;
  else if (what != ROWS_WEIGHTS && what != ROWS_REACH)
    return fail(run->error, LAVDM_ERROR_ARGUMENT, "rows do not take what was given");
  int64_t count = given->n * (what == ROWS_FRAMES    ? given->p * rows->d
                              : what == ROWS_VECTORS ? rows->q * rows->r
                                                     : 1);
  mem_free(*to);
  *to = NEW(double, count);
  if (!*to) return fail_memory(run->error, "what rows were given");
  memcpy(*to, from, (size_t)count * sizeof(double));
  return LAVDM_OK;
}

/* It keeps no checkpoints. */
const engine_ops engine_reference = {
    .name = "reference",
    .open = reference_open,
    .close = reference_close,
    .need = reference_need,
    .load = reference_load,
    .unload = reference_unload,
    .drop = reference_drop,
    .sample = reference_sample,
    .nearest = reference_nearest,
    .within = reference_within,
    .copies = reference_copies,
    .spectra = reference_spectra,
    .landmarks = reference_landmarks,
    .frames = reference_frames,
    .graph = reference_graph,
    .scale = reference_scale,
    .gram = reference_gram,
    .apply = reference_apply,
    .spectrum = reference_spectrum,
    .fields = reference_fields,
    .extend = reference_extend,
    .blocks = reference_blocks,
    .fetch = reference_fetch,
    .put = reference_put,
};
