/* The door of group synchronisation: checks, then solves the components one by one. */
#include "base/door.h"
#include "base/memory.h"
#include "frames/polar.h"
#include "graph/given.h"
#include "sync/arrange.h"
#include "solve/solve.h"
#include "survey/survey.h"

#include <float.h>
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
  char *verdict;                  /* VERDICT_SIZE of each component, */
  char whole[SOLVE_VERDICT_SIZE]; /* and of all */
  const lavdm_sync_component **part_at;
  survey_t survey;
  lavdm_timing timing[MAX_TIMINGS];
  char warning[MAX_WARNINGS][WARNING_SIZE];
  const char *warning_text[MAX_WARNINGS];
  robust_choice robust; /* of the largest component */
} sync_t;

enum { SYNC_0_2 = SIZE_TO(lavdm_sync_options, survey) };
static const door_kind kind = {"the options", SYNC_0_2, sizeof(lavdm_sync_options)};
static const lavdm_sync_options initial = {.refine = 1, .threads = LAVDM_AUTO};

void lavdm_sync_init(lavdm_sync_options *options, size_t size) {
  door_fill(&initial, sizeof initial, options, size);
}

void lavdm_sync_free(lavdm_sync_t *sync) {
  sync_t *own = (sync_t *)sync;
  if (!own) return;
  void *all[] = {own->node,  own->component, own->element, own->position, own->residual,
                 own->trust, own->values,    own->part,    own->verdict,  (void *)own->part_at};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) mem_free(all[i]);
  survey_free(&own->survey);
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

/* Choices that are numbers are of those there are. */
static int check_choices(run_t *run, const lavdm_sync_options *options) {
  if ((unsigned)options->group > LAVDM_GROUP_O)
    return fail(run->error, LAVDM_ERROR_ARGUMENT, "there is no group %d", (int)options->group);
  if ((unsigned)options->robust > LAVDM_ROBUST_GRADUAL)
    return fail(run->error, LAVDM_ERROR_ARGUMENT, "there is no robust way %d", (int)options->robust);
  if ((unsigned)options->certify > LAVDM_CERTIFY_YES)
    return fail(run->error, LAVDM_ERROR_ARGUMENT, "certify is %d: it must be automatic, no or yes",
                (int)options->certify);
  if (options->rounds < 0 || options->rounds > MOST_ROUNDS)
    return fail(run->error, LAVDM_ERROR_ARGUMENT, "rounds is %" PRId64 ": it must be from 0 to %d",
                options->rounds, MOST_ROUNDS);
  if (options->rounds && (options->robust == LAVDM_ROBUST_CYCLES || options->robust == LAVDM_ROBUST_GRADUAL))
    return fail(run->error, LAVDM_ERROR_ARGUMENT,
                "rounds are of re-weighting: they have no use with truncated least squares or cycles");
  if (!options->refine && options->certify == LAVDM_CERTIFY_YES)
    return fail(run->error, LAVDM_ERROR_ARGUMENT,
                "without refinement the result is the rounded eigenvectors, which are no optimum: there is "
                "nothing to prove");
  return LAVDM_OK;
}

/* The group, from the elements if it is left to them, and whether they are of it. */
static int choose_group(run_t *run, const lavdm_edges *edges, const lavdm_sync_options *options,
                        group_t *out) {
  int64_t q = given_fibre(edges), reflection;
  *out = (group_t){options->group, options->order, q};
  bool orthogonal =
      out->group == LAVDM_GROUP_AUTO || out->group == LAVDM_GROUP_SO || out->group == LAVDM_GROUP_O;
  if (orthogonal && q == 1 && out->group != LAVDM_GROUP_SO) out->group = LAVDM_GROUP_Z2;
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
    if (!(fabs(options->shift[i]) <= 1e100))
      return fail(run->error, LAVDM_ERROR_DATA,
                  "edge %" PRId64 " has a shift of %g: it must be at most 1e100", i / q + 1,
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
  out->verdict = NEW(char, c *VERDICT_SIZE);
  if (!out->component || !out->element || (shifts && !out->position) || !out->residual || !out->trust ||
      !out->values || !out->part || !out->part_at || !out->verdict)
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
  double *weight, *trust, *r, *residual;
  double *shift, *shift_weight, *tau, *position; /* NULL without shifts */
} room_t;

static void room_free(room_t *room) {
  double *all[] = {room->weight, room->trust,        room->r,   room->residual,
                   room->shift,  room->shift_weight, room->tau, room->position};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) mem_free(all[i]);
}

static int room_new(run_t *run, const arranged_t *a, bool shifts, room_t *room) {
  int64_t nodes = 0, edges = 0, q = a->q; /* the largest in nodes need not have the most edges */
  for (int64_t c = 0; c < a->components.count; c++) {
    int64_t n = a->node_first[c + 1] - a->node_first[c], m = a->edge_first[c + 1] - a->edge_first[c];
    nodes = n > nodes ? n : nodes, edges = m > edges ? m : edges;
  }
  *room = (room_t){.weight = NEW(double, edges),
                   .trust = NEW(double, edges),
                   .r = NEW(double, nodes *q *q),
                   .residual = NEW(double, a->m)};
  if (shifts) {
    room->shift = NEW(double, edges *q);
    room->shift_weight = NEW(double, edges);
    room->tau = NEW(double, edges);
    room->position = NEW(double, nodes *q);
  }
  bool whole = room->weight && room->trust && room->r && room->residual &&
               (!shifts || (room->shift && room->shift_weight && room->tau && room->position));
  return whole ? LAVDM_OK : fail_memory(run->error, "the components");
}

/* Shifts of a component and their weights. */
static void take_shifts(const arranged_t *a, int64_t c, const lavdm_sync_options *options, room_t *room) {
  int64_t q = a->q, first = a->edge_first[c], m = a->edge_first[c + 1] - first;
  for (int64_t p = 0; p < m && room->shift; p++) {
    int64_t e = a->edge_at[first + p];
    room->shift_weight[p] = options->shift_weight ? options->shift_weight[e] : 1;
    for (int64_t b = 0; b < q; b++) room->shift[p * q + b] = options->shift[e * q + b];
  }
}

/* What was found of a component, to its nodes and edges. */
static void give_out(const run_t *run, const arranged_t *a, int64_t c, const group_t *group,
                     const part_t *part, room_t *room, sync_t *out) {
  int64_t q = a->q, first = a->edge_first[c];
#pragma omp parallel for num_threads(part->m > 5000 ? run->threads : 1) schedule(static)
  for (int64_t p = 0; p < part->m; p++) {
    double x = residual_of(group, part, room->r, p);
    out->residual[a->edge_at[first + p]] = room->residual[p] = x;
    out->trust[a->edge_at[first + p]] = room->trust[p];
  }
  for (int64_t i = 0; i < part->n; i++) {
    int64_t node = a->node_at[a->node_first[c] + i];
    memcpy(out->element + node * q * q, room->r + i * q * q, (size_t)(q * q) * sizeof *room->r);
    if (room->position)
      memcpy(out->position + node * q, room->position + i * q, (size_t)q * sizeof *room->position);
  }
  out->part[c].median = residual_quantile(room->residual, part->m, 0.5);
  out->part[c].most = residual_quantile(room->residual, part->m, 0.95);
}

static int solve_component(run_t *run, const arranged_t *a, int64_t c, const group_t *group,
                           const lavdm_sync_options *options, room_t *room, sync_t *out) {
  int64_t first = a->edge_first[c], values = out->shown.values;
  part_t part = part_of(a, c, room->weight);
  lavdm_sync_component *shown = &out->part[c];
  *shown = (lavdm_sync_component){.nodes = part.n,
                                  .edges = part.m,
                                  .first = a->node[a->node_at[a->node_first[c]]],
                                  .eigenvalues = out->values + c * values};
  memcpy(part.weight, a->weight + first, (size_t)part.m * sizeof *part.weight);
  for (int64_t p = 0; p < part.m; p++) room->trust[p] = 1;
  take_shifts(a, c, options, room);
  solve_t to = {.weight = a->weight + first,
                .shift = room->shift,
                .shift_weight = room->shift_weight,
                .trust = room->trust,
                .tau = room->tau,
                .r = room->r,
                .p = room->position,
                .values = out->values + c * values,
                .count = values,
                .flips = &out->shown.flips,
                .shown = shown,
                .verdict = out->verdict + c * VERDICT_SIZE,
                .choice = {.used = LAVDM_ROBUST_NO}};
  int status = part_links(run, &part);
  if (!status) status = solve_part(run, group, options, &part, &to);
  if (!c) out->robust = to.choice;
  shown->robust = to.choice.used;
  run_stage(run, "residuals");
  if (!status) give_out(run, a, c, group, &part, room, out);
  part_free(&part);
  return status;
}

/* Full information, priors, fixed nodes, sightings, covariances: where they are asked for. */
static int survey_all(run_t *run, const arranged_t *a, const group_t *group,
                      const lavdm_sync_options *options, sync_t *out) {
  survey_t *s = &out->survey;
  *s = (survey_t){.element = out->element,
                  .position = out->position,
                  .trust = out->trust,
                  .frames = a->components.count,
                  .lone = a->components.isolated,
                  .chi2 = NAN};
  if (!survey_asked(options)) return LAVDM_OK;
  if (options->covariance && options->information && !options->full)
    run_warn(run,
             "covariances are those of isotropic weights, not of the information matrices (weights full)");
  int status = survey_solve(run, a, options, s);
  if (!status) status = survey_tell(run, a, group, options, s, out->residual, out->part);
  out->shown.covariance = s->covariance;
  out->shown.points = s->points, out->shown.point = s->point;
  out->shown.point_position = s->point_position, out->shown.point_covariance = s->point_covariance;
  return status;
}

/* Costs and proofs of all components. */
static void sum_up(const arranged_t *a, sync_t *out) {
  lavdm_sync_t *s = &out->shown;
  s->cost = s->bound = 0;
  s->certified = a->components.count > 0;
  s->converged = !out->survey.fitted || out->survey.converged;
  s->chi2 = out->survey.chi2;
  for (int64_t c = 0; c < a->components.count; c++) {
    s->cost += out->part[c].cost, s->bound += out->part[c].bound;
    s->certified = s->certified && out->part[c].certified;
    s->converged = s->converged && out->part[c].converged;
  }
  solve_verdict(out->part, a->components.count, out->whole);
  s->verdict = out->whole;
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

/* Eigenvalues as far apart as rounding puts equal ones. */
static const double same_values = 1e-12;

static void warn_equal(run_t *run, const arranged_t *a, const sync_t *out) {
  for (int64_t c = 0; c < a->components.count; c++) {
    if (!(out->part[c].gap < same_values) || out->part[c].nodes < 2) continue;
    run_warn(run,
             "component %" PRId64 " has no gap after its first %" PRId64
             " eigenvalues: other choices may fit its "
             "edges as well",
             c, a->q);
    return;
  }
}

/* Positions so far from the origin that rounding leaves fewer than six digits of the shifts. */
static void warn_far(run_t *run, int64_t edges, const double *shift, const sync_t *out, int64_t n,
                     int64_t q) {
  double far = 0, mean = 0;
  for (int64_t i = 0; i < n * q; i++) far = fmax(far, fabs(out->position[i]));
  for (int64_t e = 0; e < edges; e++) {
    double square = 0;
    for (int64_t a = 0; a < q; a++) square += shift[e * q + a] * shift[e * q + a];
    mean += sqrt(square) / (double)edges;
  }
  if (far * DBL_EPSILON > 1e-6 * mean && mean > 0)
    run_warn(run,
             "positions of up to %.2g leave fewer than six digits of shifts of about %.2g: fixed poses or "
             "priors are "
             "far from the origin",
             far, mean);
}

static void warn(run_t *run, const arranged_t *a, const sync_t *out) {
  warn_equal(run, a, out);
  if (out->shown.loops)
    run_warn(run, "%" PRId64 " edge%s from a node to itself %s left out: nothing follows from it",
             out->shown.loops, out->shown.loops == 1 ? "" : "s", out->shown.loops == 1 ? "was" : "were");
  if (out->survey.lone)
    run_warn(run, "%" PRId64 " node%s joined to no other%s; such nodes have the identity", out->survey.lone,
             out->survey.lone == 1 ? " is" : "s are",
             out->survey.lone < a->components.isolated ? " and placed by nothing else" : "");
  if (out->survey.frames > 1)
    run_warn(run,
             "the graph has %" PRId64 " components: nothing relates the elements of one to those of another",
             out->survey.frames);
  if (!out->shown.converged && !out->survey.fitted)
    run_warn(run, "the poses did not converge: the fit ended before its cost stopped falling, so that better "
                  "ones exist near by");
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
  s->robust = out->robust.used, s->robust_reason = *out->robust.reason ? out->robust.reason : NULL;
  s->timings = run->timings, s->timing = out->timing;
  s->warnings = run->warnings, s->warning = out->warning_text;
}

static int synchronise(run_t *run, const lavdm_edges *edges, const lavdm_sync_options *options, sync_t *out) {
  arranged_t a = {0};
  group_t group;
  room_t room = {0};
  run_stage(run, "check");
  int status = given_check(run, edges, -1);
  if (!status) status = check_choices(run, options);
  if (!status) status = choose_group(run, edges, options, &group);
  if (!status) status = check_shifts(run, edges, options, given_fibre(edges));
  run_stage(run, "graph");
  if (!status)
    status = arrange_edges(run, edges, options->nodes, options->nodes ? options->node_count : 0, &a);
  if (!status) status = survey_check(run, &a, &group, options);
  if (!status) status = make_room(run, edges, &a, options->shift != NULL, out);
  if (!status) status = room_new(run, &a, options->shift != NULL, &room);
  for (int64_t c = 0; c < a.components.count && !status; c++) {
    status = solve_component(run, &a, c, &group, options, &room, out);
    if (!status && run_stopped(run, c, a.components.count)) status = run_status(run);
  }
  if (!status) status = survey_all(run, &a, &group, options, out);
  if (!status) finish(edges, &a, &group, &room, out);
  if (!status) sum_up(&a, out);
  run_stage(run, NULL);
  if (!status) warn(run, &a, out);
  if (!status && options->shift) warn_far(run, edges->count, options->shift, out, a.n, a.q);
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
