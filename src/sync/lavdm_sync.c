/* The door of group synchronisation: checks, then solves the components one by one. */
#include "base/door.h"
#include "base/memory.h"
#include "frames/polar.h"
#include "graph/given.h"
#include "sync/arrange.h"
#include "sync/solve.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { MOST_ORDER = 100000, MOST_ROUNDS = 1000, LEAST_VALUES = 3 };

/* What the public struct points into. */
typedef struct {
  lavdm_sync_t shown; /* first */
  int64_t *node, *component;
  double *element, *position, *residual, *trust, *values;
  lavdm_sync_component *part;
  const lavdm_sync_component **part_at;
  lavdm_timing timing[MAX_TIMINGS];
  char warning[MAX_WARNINGS][WARNING_SIZE];
  const char *warning_text[MAX_WARNINGS];
} sync_t;

enum { SYNC_0_2 = SIZE_TO(lavdm_sync_options, progress_user) };
static const door_kind kind = {"the options", SYNC_0_2, sizeof(lavdm_sync_options)};
static const lavdm_sync_options initial = {.refine = 1, .threads = LAVDM_AUTO};

void lavdm_sync_init(lavdm_sync_options *options, size_t size) {
  door_fill(&initial, sizeof initial, options, size);
}

void lavdm_sync_free(lavdm_sync_t *sync) {
  sync_t *own = (sync_t *)sync;
  if (!own) return;
  void *all[] = {own->node,  own->component, own->element, own->position,       own->residual,
                 own->trust, own->values,    own->part,    (void *)own->part_at};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) mem_free(all[i]);
  mem_free(own);
}

/* The first edge whose element is a reflection, or -1. */
static int64_t first_reflection(const lavdm_edges *edges, int64_t q) {
  double o[GIVEN_MOST_Q * GIVEN_MOST_Q], scratch[POLAR_SCRATCH(GIVEN_MOST_Q)];
  if (edges->kind == LAVDM_ELEMENT_ANGLE || edges->kind == LAVDM_ELEMENT_QUATERNION ||
      edges->kind == LAVDM_ELEMENT_NONE)
    return -1;
  for (int64_t e = 0; e < edges->count; e++)
    if (given_element(edges, e, q, o) && REAL(determinant)(q, o, scratch) < 0) return e;
  return -1;
}

/* The group, from the elements if it is left to them, and whether they are of it. */
static int choose_group(run_t *run, const lavdm_edges *edges, const lavdm_sync_options *options,
                        group_t *out) {
  int64_t q = given_fibre(edges), reflection;
  *out = (group_t){options->group, options->order, q};
  bool orthogonal =
      out->group == LAVDM_GROUP_AUTO || out->group == LAVDM_GROUP_SO || out->group == LAVDM_GROUP_O;
  if (orthogonal && q == 1 && out->group != LAVDM_GROUP_SO) out->group = LAVDM_GROUP_Z2;
  if ((unsigned)options->group > LAVDM_GROUP_O)
    return fail(run->error, LAVDM_ERROR_ARGUMENT, "there is no group %d", (int)options->group);
  if (options->rounds > MOST_ROUNDS)
    return fail(run->error, LAVDM_ERROR_ARGUMENT, "rounds is %" PRId64 ": it must be %d at most",
                options->rounds, MOST_ROUNDS);
  if (out->group == LAVDM_GROUP_Z2 && q != 1)
    return fail(run->error, LAVDM_ERROR_ARGUMENT,
                "the group Z2 needs signs, and the elements have size %" PRId64, q);
  if (out->group == LAVDM_GROUP_CYCLIC && edges->kind != LAVDM_ELEMENT_ANGLE)
    return fail(run->error, LAVDM_ERROR_ARGUMENT, "a cyclic group needs elements that are angles");
  if (out->group == LAVDM_GROUP_CYCLIC && (out->order < 2 || out->order > MOST_ORDER))
    return fail(run->error, LAVDM_ERROR_ARGUMENT,
                "the order of the cyclic group is %" PRId64 ": it must be from 2 to %d", out->order,
                MOST_ORDER);
  if (out->group != LAVDM_GROUP_AUTO && out->group != LAVDM_GROUP_SO) return LAVDM_OK;
  reflection = first_reflection(edges, q);
  if (out->group == LAVDM_GROUP_SO && reflection >= 0)
    return fail(run->error, LAVDM_ERROR_DATA,
                "edge %" PRId64
                " is a reflection (its determinant is -1), and the group is that of rotations; O(%" PRId64
                ") has both",
                reflection + 1, q);
  out->group = reflection >= 0 ? LAVDM_GROUP_O : LAVDM_GROUP_SO;
  return LAVDM_OK;
}

static int check_shifts(run_t *run, const lavdm_edges *edges, const lavdm_sync_options *options, int64_t q) {
  for (int64_t i = 0; options->shift && i < edges->count * q; i++)
    if (!isfinite(options->shift[i]))
      return fail(run->error, LAVDM_ERROR_DATA, "edge %" PRId64 " has a shift of %g", i / q + 1,
                  options->shift[i]);
  for (int64_t e = 0; options->shift && options->shift_weight && e < edges->count; e++)
    if (!(options->shift_weight[e] > 0 && options->shift_weight[e] <= 1e100))
      return fail(run->error, LAVDM_ERROR_DATA,
                  "edge %" PRId64 " has a shift of weight %g: it must be above 0 and at most 1e100", e + 1,
                  options->shift_weight[e]);
  return LAVDM_OK;
}

static int make_room(run_t *run, const lavdm_edges *edges, arranged_t *a, bool shifts, sync_t *out) {
  int64_t n = a->n, q = a->q, c = a->components.count;
  out->shown.values = 2 * q > LEAST_VALUES ? 2 * q : LEAST_VALUES;
  out->component = NEW(int64_t, n);
  out->element = NEW(double, n *q *q);
  out->position = shifts ? NEW(double, n *q) : NULL;
  out->residual = NEW(double, edges->count);
  out->trust = NEW(double, edges->count);
  out->values = NEW(double, c * out->shown.values);
  out->part = NEW(lavdm_sync_component, c);
  out->part_at = NEW(const lavdm_sync_component *, c);
  if (!out->component || !out->element || (shifts && !out->position) || !out->residual || !out->trust ||
      !out->values || !out->part || !out->part_at)
    return fail_memory(run->error, "the result");
  for (int64_t i = 0; i < n; i++) {
    out->component[i] = a->components.label[i];
    for (int64_t k = 0; k < q; k++) out->element[i * q * q + k * (q + 1)] = 1;
  }
  for (int64_t k = 0; k < c; k++) out->part_at[k] = &out->part[k];
  for (int64_t e = 0; e < edges->count; e++) out->trust[e] = 1;
  return LAVDM_OK;
}

/* Edges and nodes of component c as a part. */
static part_t part_of(const arranged_t *a, int64_t c, double *weight) {
  int64_t first = a->edge_first[c];
  return (part_t){.n = a->node_first[c + 1] - a->node_first[c],
                  .m = a->edge_first[c + 1] - first,
                  .q = a->q,
                  .row = a->row + first,
                  .col = a->col + first,
                  .o = a->o + first * a->q * a->q,
                  .weight = weight};
}

/* Arrays of the size of a component. */
typedef struct {
  double *weight, *trust, *r, *shift, *position, *residual;
} room_t;

static void room_free(room_t *room) {
  double *all[] = {room->weight, room->trust, room->r, room->shift, room->position, room->residual};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) mem_free(all[i]);
}

static int room_new(run_t *run, const arranged_t *a, bool shifts, room_t *room) {
  int64_t nodes = 0, edges = 0, q = a->q; /* the largest in nodes need not have the most edges */
  for (int64_t c = 0; c < a->components.count; c++) {
    int64_t n = a->node_first[c + 1] - a->node_first[c], m = a->edge_first[c + 1] - a->edge_first[c];
    nodes = n > nodes ? n : nodes, edges = m > edges ? m : edges;
  }
  *room = (room_t){NEW(double, edges),
                   NEW(double, edges),
                   NEW(double, nodes *q *q),
                   shifts ? NEW(double, edges *(q + 1)) : NULL,
                   shifts ? NEW(double, nodes *q) : NULL,
                   NEW(double, a->m)};
  bool whole = room->weight && room->trust && room->r && room->residual &&
               (!shifts || (room->shift && room->position));
  return whole ? LAVDM_OK : fail_memory(run->error, "the components");
}

static int place_part(run_t *run, const arranged_t *a, int64_t c, const lavdm_sync_options *options,
                      const part_t *part, room_t *room, sync_t *out) {
  if (!room->shift || !room->position) return LAVDM_OK; /* no shifts, no positions */
  int64_t q = a->q, first = a->edge_first[c];
  double *weight = room->shift + part->m * q;
  run_stage(run, "positions");
  for (int64_t p = 0; p < part->m; p++) {
    int64_t e = a->edge_at[first + p];
    weight[p] = room->trust[p] * (options->shift_weight ? options->shift_weight[e] : 1);
    for (int64_t b = 0; b < q; b++) room->shift[p * q + b] = options->shift[e * q + b];
  }
  int status = place_nodes(run, part, room->r, room->shift, weight, room->position);
  for (int64_t i = 0; i < part->n * q && !status; i++)
    out->position[a->node_at[a->node_first[c] + i / q] * q + i % q] = room->position[i];
  return status;
}

static int solve_component(run_t *run, const arranged_t *a, int64_t c, const group_t *group,
                           const lavdm_sync_options *options, room_t *room, sync_t *out) {
  int64_t q2 = a->q * a->q, first = a->edge_first[c], values = out->shown.values;
  part_t part = part_of(a, c, room->weight);
  lavdm_sync_component *shown = &out->part[c];
  *shown = (lavdm_sync_component){.nodes = part.n,
                                  .edges = part.m,
                                  .first = a->node[a->node_at[a->node_first[c]]],
                                  .eigenvalues = out->values + c * values};
  memcpy(part.weight, a->weight + first, (size_t)part.m * sizeof *part.weight);
  for (int64_t p = 0; p < part.m; p++) room->trust[p] = 1;
  int status = part_links(run, &part);
  if (!status)
    status = solve_part(run, group, options, &part, a->weight + first, room->trust, room->r,
                        out->values + c * values, values, shown, &out->shown.flips);
  if (!status && options->shift) status = place_part(run, a, c, options, &part, room, out);
  run_stage(run, "residuals");
#pragma omp parallel for num_threads(part.m > 5000 ? run->threads : 1) schedule(static)
  for (int64_t p = 0; p < (status ? 0 : part.m); p++) {
    double x = residual_of(group, &part, room->r, p);
    out->residual[a->edge_at[first + p]] = room->residual[p] = x;
    out->trust[a->edge_at[first + p]] = room->trust[p];
  }
  for (int64_t i = 0; i < part.n && !status; i++)
    memcpy(out->element + a->node_at[a->node_first[c] + i] * q2, room->r + i * q2,
           (size_t)q2 * sizeof *room->r);
  shown->median = residual_quantile(room->residual, part.m, 0.5);
  shown->most = residual_quantile(room->residual, part.m, 0.95);
  part_free(&part);
  return status;
}

/* Residuals of loops, and the quantiles of all the others. */
static void finish(const lavdm_edges *edges, const arranged_t *a, const group_t *group, room_t *room,
                   sync_t *out) {
  double o[GIVEN_MOST_Q * GIVEN_MOST_Q], one[GIVEN_MOST_Q * GIVEN_MOST_Q];
  const int32_t zero = 0;
  part_t loop = {.n = 1, .m = 1, .q = a->q, .row = &zero, .col = &zero, .o = o};
  int64_t kept = 0;
  for (int64_t i = 0; i < a->q * a->q; i++) one[i] = i % (a->q + 1) ? 0 : 1;
  for (int64_t e = 0; e < edges->count; e++) {
    if (edges->row[e] != edges->col[e]) {
      room->residual[kept++] = out->residual[e];
      continue;
    }
    out->shown.loops++;
    given_element(edges, e, a->q, o);
    out->residual[e] = residual_of(group, &loop, one, 0);
  }
  out->shown.median = residual_quantile(room->residual, kept, 0.5);
  out->shown.most = residual_quantile(room->residual, kept, 0.95);
}

static void warn(run_t *run, const arranged_t *a, const group_t *group, const lavdm_sync_options *options,
                 const sync_t *out) {
  if (out->shown.loops)
    run_warn(run, "%" PRId64 " edge%s from a node to itself %s left out: nothing follows from it",
             out->shown.loops, out->shown.loops == 1 ? "" : "s", out->shown.loops == 1 ? "was" : "were");
  if (a->components.isolated)
    run_warn(run, "%" PRId64 " node%s joined to no other; such nodes have the identity",
             a->components.isolated, a->components.isolated == 1 ? " is" : "s are");
  if (a->components.count > 1)
    run_warn(run,
             "the graph has %" PRId64 " components: nothing relates the elements of one to those of another",
             a->components.count);
  if (options->rounds > 0 && group->group == LAVDM_GROUP_Z2)
    run_warn(run, "signs agree or not, so that re-weighting makes no difference; it was left out");
}

static void show(const run_t *run, const lavdm_edges *edges, arranged_t *a, const group_t *group,
                 sync_t *out) {
  lavdm_sync_t *s = &out->shown;
  out->node = a->node;
  a->node = NULL;
  s->group = group->group, s->order = group->group == LAVDM_GROUP_CYCLIC ? group->order : 0, s->q = group->q;
  s->n = a->n, s->edges = edges->count;
  s->node = out->node, s->element = out->element, s->component = out->component, s->position = out->position;
  s->residual = out->residual, s->trust = out->trust, s->part = out->part_at;
  s->components = a->components.count, s->isolated = a->components.isolated;
  memcpy(out->timing, run->timing, sizeof out->timing);
  memcpy(out->warning, run->warning, sizeof out->warning);
  for (int i = 0; i < run->warnings; i++) out->warning_text[i] = out->warning[i];
  s->timings = run->timings, s->timing = out->timing;
  s->warnings = run->warnings, s->warning = out->warning_text;
}

static int synchronise(run_t *run, const lavdm_edges *edges, const lavdm_sync_options *options, sync_t *out) {
  arranged_t a = {0};
  group_t group;
  room_t room = {0};
  run_stage(run, "check");
  int status = given_check(run, edges, -1);
  if (!status) status = choose_group(run, edges, options, &group);
  if (!status) status = check_shifts(run, edges, options, given_fibre(edges));
  run_stage(run, "graph");
  if (!status)
    status = arrange_edges(run, edges, options->nodes, options->nodes ? options->node_count : 0, &a);
  if (!status) status = make_room(run, edges, &a, options->shift != NULL, out);
  if (!status) status = room_new(run, &a, options->shift != NULL, &room);
  for (int64_t c = 0; c < a.components.count && !status; c++) {
    status = solve_component(run, &a, c, &group, options, &room, out);
    if (!status && run_stopped(run, c, a.components.count)) status = run_status(run);
  }
  if (!status) finish(edges, &a, &group, &room, out);
  run_stage(run, NULL);
  if (!status) warn(run, &a, &group, options, out);
  if (!status) show(run, edges, &a, &group, out);
  room_free(&room);
  arranged_free(&a);
  return status;
}

int lavdm_sync(const lavdm_edges *edges, const lavdm_sync_options *options, lavdm_sync_t **sync,
               lavdm_error *error) {
  if (error) *error = (lavdm_error){0};
  if (!sync) return fail(error, LAVDM_ERROR_ARGUMENT, "there is no place for the result (NULL)");
  *sync = NULL;
  if (!edges || !options) return fail(error, LAVDM_ERROR_ARGUMENT, "edges or options are missing (NULL)");
  lavdm_edges whole = {0};
  lavdm_sync_options asked = initial;
  int status = door_take(&door_edges, edges, &whole, error);
  if (status >= 0) status = door_options(&kind, options, &asked, error);
  if (status < 0) return status;
  edges = &whole, options = &asked;
  run_t *run = NEW(run_t, 1);
  sync_t *out = NEW(sync_t, 1);
  if (!run || !out) status = fail_memory(error, "the result");
  double began = run_clock();
  if (!status) {
    lavdm_options_default(&run->options);
    run->options.progress = options->progress, run->options.progress_user = options->progress_user;
    run->error = error;
    large_start(&run->large, false);
    status = run_threads(run, options->threads);
    if (!status) status = synchronise(run, edges, options, out);
    large_end(&run->large);
    out->shown.seconds = run_clock() - began;
  }
  if (!status && run->warnings) status = LAVDM_WARNING;
  if (status < 0)
    lavdm_sync_free((lavdm_sync_t *)out);
  else
    *sync = &out->shown;
  mem_free(run);
  return status;
}
