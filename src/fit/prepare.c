/* data -> rows -> landmarks -> frames -> bandwidth. See fit.h. */
#include "base/memory.h"
#include "base/sort.h"
#include "fit/fit.h"
#include "fit/stages.h"
#include "graph/given.h"
#include "neighbours/rows.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------- rows */

/* The points of all ranks, in double precision. */
static int gather_points(fit_t *f, rows_t **out) {
  run_t *run = f->run;
  int64_t p = f->data.p, first, total;
  double *mine = NEW(double, f->n *p);
  int status = mine ? LAVDM_OK : fail_memory(run->error, "the points");
  for (int64_t i = 0; i < f->n && !status; i++) status = REAL(rows_one)(run, &f->data, i, mine + i * p);
  status = team_agree(run->team, status);
  double *all =
      status < 0 ? NULL : team_rows(run->team, mine, f->n, (size_t)p * sizeof *mine, &first, &total);
  mem_free(mine);
  if (!status && !all) status = fail_memory(run->error, "the points of all ranks");
  lavdm_data data = {.points = all, .n = f->run->total, .p = p, .row_stride = p, .col_stride = 1};
  if (!status) status = f->ops->load(f->engine, &data, f->centre, ROLE_POINTS, 0, out);
  mem_free(all);
  return status;
}

static int load_rows(fit_t *f) {
  run_t *run = f->run;
  bool turns = has_turns(&run->options), automatic = run->options.knn == LAVDM_AUTO && !turns;
  run_stage(run, turns ? "expansion" : "order");
  f->n = f->data.n;
  int status = LAVDM_OK;
  if (turns && f->with_landmarks) choose_turned_landmarks(run, f->run->total);
  if (!turns) choose_neighbours(run, f->run->total);
  bool moves = run->options.metric == LAVDM_METRIC_EUCLIDEAN ||
               run->options.metric == LAVDM_METRIC_MANHATTAN || run->options.metric == LAVDM_METRIC_CHEBYSHEV;
  if (f->ops->centre && !turns && moves) {
    f->centre = NEW(double, f->data.p);
    status =
        f->centre ? f->ops->centre(f->engine, &f->data, f->centre) : fail_memory(run->error, "the points");
  }
  if (!status) status = f->ops->load(f->engine, &f->data, f->centre, ROLE_POINTS, 0, &f->rows);
  if (!status && run->weights) status = f->ops->put(f->engine, f->rows, ROWS_WEIGHTS, run->weights);
  f->around = f->rows;
  status = team_agree(run->team, status);
  if (!status && run->team) status = gather_points(f, &f->around);
  return !status && automatic ? choose_past_copies(f->engine, f->around) : status;
}

/* What the shape of the data decides: d, noise, what frames are made from, how many landmarks. */
static int look_at_shape(fit_t *f) {
  run_t *run = f->run;
  run_stage(run, "shape");
  int status = LAVDM_OK;
  bool free_k = run->options.frame_knn == LAVDM_AUTO, known = run->frames || stage_saved(f, STAGE_LANDMARKS);
  if (!has_turns(&run->options)) {
    status = choose_dimension(f->engine, f->around);
    if (!status) status = choose_frame_neighbours(f->engine, f->around);
    if (!status && has_frames(&run->options) && !known)
      status = choose_frames(f->engine, f->around, &f->data, f->centre, free_k, &f->lowpass);
  }
  return !status && f->with_landmarks ? choose_landmarks(f->engine, f->around, run->total) : status;
}

/* ------------------------------------------------------------------- edges */

/* landmark_index by the numbers of nodes that the user names. */
static int name_landmarks(fit_t *f, const int64_t *nodes) {
  const lavdm_data *data = &f->data;
  for (int64_t k = 0; k < f->m; k++) {
    const int64_t *at =
        bsearch(&data->landmark_index[k], nodes, (size_t)f->n, sizeof *nodes, compare_integers);
    if (!at)
      return fail(f->run->error, LAVDM_ERROR_DATA,
                  "landmark %" PRId64 " is node %" PRId64 ", which the graph does not have", k + 1,
                  data->landmark_index[k]);
    f->landmark_index[k] = at - nodes;
  }
  sort_integers(f->landmark_index, f->m);
  for (int64_t k = 1; k < f->m; k++)
    if (f->landmark_index[k] == f->landmark_index[k - 1])
      return fail(f->run->error, LAVDM_ERROR_DATA, "node %" PRId64 " is named twice as a landmark",
                  nodes[f->landmark_index[k]]);
  return LAVDM_OK;
}

/* A number of landmarks goes with a square graph; is it perhaps the number of columns of another? */
static int check_columns(fit_t *f) {
  if (f->asked == LAVDM_AUTO || f->asked == f->n) return LAVDM_OK;
  int64_t columns = given_columns(f->run, f->data.edges);
  if (columns < 0) return LAVDM_ERROR_MEMORY;
  if (columns != f->asked) return LAVDM_OK;
  return fail(f->run->error, LAVDM_ERROR_ARGUMENT,
              "landmarks is %" PRId64 ", and so many different second numbers do the edges have: say whether "
              "these are landmarks or nodes (ends: --ends landmarks or --ends nodes)",
              f->asked);
}

/* Landmarks among the nodes of a square graph, which becomes the graph between nodes and landmarks. */
static int choose_nodes(fit_t *f, const int64_t *nodes) {
  lavdm_options *o = &f->run->options;
  int status = check_columns(f);
  if (status < 0) return status;
  bool given = f->data.landmark_index != NULL;
  if (o->landmarks == LAVDM_AUTO) o->landmarks = given ? f->data.landmark_count : usual_landmarks(f->n);
  f->m = o->landmarks;
  if (f->m > f->n)
    return fail(f->run->error, LAVDM_ERROR_ARGUMENT,
                "landmarks is %" PRId64 ", but the graph has only %" PRId64 " nodes", f->m, f->n);
  f->landmark_index = NEW(int64_t, f->m);
  int64_t *kept = fit_array(f, "landmark_index", LAVDM_I64, 1, f->m, 0, 0);
  if (!f->landmark_index || !kept) return fail_memory(f->run->error, "the landmarks");
  run_stage(f->run, "landmarks");
  status = given ? name_landmarks(f, nodes)
                 : f->ops->landmarks(f->engine, f->rows, o->design, f->m, f->landmark_index);
  if (status < 0) return status;
  memcpy(kept, f->landmark_index, (size_t)f->m * sizeof *kept);
  return f->ops->put(f->engine, f->rows, ROWS_REFERENCES, f->landmark_index);
}

/* The user's edges instead of points, landmarks, frames and kernel. */
static int load_edges(fit_t *f) {
  run_t *run = f->run;
  run_stage(run, "graph");
  int status = f->ops->load(f->engine, &f->data, NULL, ROLE_POINTS, 0, &f->rows);
  if (status < 0) return status;
  f->around = f->rows;
  f->n = run->total = f->rows->n;
  f->m = f->rows->m;
  f->q = f->rows->q;
  status = fit_fetch(f, f->rows, ROWS_NODES, "nodes", LAVDM_I64, 1, 0, 0);
  if (!status && f->among) status = choose_nodes(f, lavdm_get(f->model, "nodes")->data);
  if (!status && f->with_landmarks && run->options.landmarks != LAVDM_AUTO && run->options.landmarks != f->m)
    status = fail(run->error, LAVDM_ERROR_ARGUMENT,
                  "landmarks is %" PRId64 ", but the edges lead to %" PRId64 " landmarks",
                  run->options.landmarks, f->m);
  if (!status && f->with_landmarks) {
    int64_t *landmarks = fit_array(f, "landmark_nodes", LAVDM_I64, 1, f->m, 0, 0);
    status = landmarks ? f->ops->fetch(f->engine, f->rows, ROWS_REFERENCES, NULL, 0, f->m, landmarks)
                       : fail_memory(run->error, "the graph");
  }
  run->options.landmarks = f->m;
  choose_normalisation(run, f->n);
  return status;
}

/* -------------------------------------------------------------- landmarks */

/* Looking at single rows of arrays in files maps many others with them. */
static void let_go(fit_t *f, int64_t k) {
  if (k % 256 == 0 && f->run->large.files) large_trim_all(&f->run->large);
}

/* list (m x p): the rows of the data that are landmarks, from the ranks that have them. */
static int read_landmarks(fit_t *f, double *list) {
  int64_t p = f->data.p;
  int status = LAVDM_OK;
  for (int64_t k = 0; k < f->m && !status; k++) {
    let_go(f, k);
    int64_t row = f->landmark_index[k] - f->run->first;
    if (row >= 0 && row < f->n) status = REAL(rows_one)(f->run, &f->data, row, list + k * p);
  }
  status = team_agree(f->run->team, status);
  return status < 0 ? status : team_sum(f->run->team, list, f->m * p);
}

/* The model's landmark arrays, and the landmarks as rows. */
static int list_landmarks(fit_t *f) {
  int64_t p = f->data.p, *index = f->landmark_index;
  double *list = fit_array(f, "landmarks", LAVDM_F64, 2, f->m, p, 0);
  int64_t *kept = index ? fit_array(f, "landmark_index", LAVDM_I64, 1, f->m, 0, 0) : NULL;
  f->landmark_order = NEW(int64_t, f->m);
  int status =
      list && (kept || !index) && f->landmark_order ? LAVDM_OK : fail_memory(f->run->error, "the landmarks");
  if ((status = team_agree(f->run->team, status)) < 0) return status;
  if (index) {
    memcpy(kept, index, (size_t)f->m * sizeof *index);
    status = read_landmarks(f, list);
  } else {
    memcpy(list, f->data.landmark_points, (size_t)(f->m * p) * sizeof *list);
  }
  lavdm_data data = {.points = list,
                     .n = f->m,
                     .p = p,
                     .row_stride = p,
                     .col_stride = 1,
                     .height = f->data.height,
                     .width = f->data.width};
  if (!status) status = f->ops->load(f->engine, &data, f->centre, ROLE_LANDMARKS, 0, &f->marks);
  return status < 0 ? status
                    : f->ops->fetch(f->engine, f->marks, ROWS_ORDER, NULL, 0, f->m, f->landmark_order);
}

/* landmark_index by a design. */
static int design_landmarks(fit_t *f) {
  if (stage_saved(f, STAGE_LANDMARKS)) return stage_take(f, STAGE_LANDMARKS);
  int status = f->ops->landmarks(f->engine, f->around, f->run->options.design, f->m, f->landmark_index);
  return status < 0 ? status : stage_save(f, STAGE_LANDMARKS);
}

static int choose_references(fit_t *f) {
  run_t *run = f->run;
  lavdm_options *o = &run->options;
  if (!f->with_landmarks) {
    f->m = o->landmarks = run->total;
    return LAVDM_OK;
  }
  run_stage(run, "landmarks");
  bool given = o->design == LAVDM_DESIGN_GIVEN;
  f->m = o->landmarks = given ? f->data.landmark_count : o->landmarks;
  int status = LAVDM_OK;
  if (!given || f->data.landmark_index) {
    f->landmark_index = NEW(int64_t, f->m);
    if (!f->landmark_index)
      status = fail_memory(run->error, "the landmarks");
    else if (given)
      memcpy(f->landmark_index, f->data.landmark_index, (size_t)f->m * sizeof *f->landmark_index);
    else
      status = design_landmarks(f);
  }
  status = team_agree(run->team, status);
  return status < 0 ? status : list_landmarks(f);
}

/* ----------------------------------------------------------------- frames */

int copy_frames(fit_t *f) {
  size_t real = f->real == LAVDM_F32 ? sizeof(float) : sizeof(double);
  void *frames = mem_new(f->m * f->rows->p * f->run->options.dim, real);
  int status = frames ? f->ops->fetch(f->engine, f->rows, ROWS_FRAMES, f->landmark_index, 0, f->m, frames)
                      : fail_memory(f->run->error, "the frames");
  if (!status) status = f->ops->put(f->engine, f->marks, ROWS_FRAMES, frames);
  mem_free(frames);
  return status;
}

/* Points that are references have the frames that their ranks have estimated. */
static int share_frames(fit_t *f) {
  run_t *run = f->run;
  size_t size =
      (size_t)(f->rows->p * run->options.dim) * (f->real == LAVDM_F32 ? sizeof(float) : sizeof(double));
  int64_t first, total;
  void *mine = mem_new(f->n, size), *all = NULL;
  int status = mine ? f->ops->fetch(f->engine, f->rows, ROWS_FRAMES, NULL, 0, f->n, mine)
                    : fail_memory(run->error, "the frames");
  status = team_agree(run->team, status);
  if (!status) all = team_rows(run->team, mine, f->n, size, &first, &total);
  if (!status)
    status = all ? f->ops->put(f->engine, f->around, ROWS_FRAMES, all)
                 : fail_memory(run->error, "the frames of all ranks");
  mem_free(mine);
  mem_free(all);
  return status;
}

/* Frames that are known already: landmarks are points then. */
static int take_known_frames(fit_t *f) {
  int status = f->ops->put(f->engine, f->rows, ROWS_FRAMES, f->run->frames);
  return status < 0 || !f->marks ? status : copy_frames(f);
}

static int make_frames(fit_t *f) {
  run_t *run = f->run;
  const lavdm_options *o = &run->options;
  int status = LAVDM_OK;
  if (run->frames) return take_known_frames(f);
  if (stage_saved(f, STAGE_FRAMES)) return stage_take(f, STAGE_FRAMES);
  if (o->hood == LAVDM_HOOD_RADIUS) status = choose_radius(f->engine, f->around, &f->radius);
  status = team_agree(run->team, status);
  if (!status && f->lowpass > 0) status = lowpass_frames(f, f->lowpass);
  if (status < 0 || f->lowpass > 0) return status < 0 ? status : stage_save(f, STAGE_FRAMES);
  if (!status)
    status =
        f->ops->frames(f->engine, f->rows, f->around, o->dim, frame_neighbours(o), f->radius, &f->degenerate);
  if (!status && run->team && !f->with_landmarks) status = share_frames(f);
  int64_t other;
  if (!status && f->marks)
    status = f->landmark_index && !run->team ? copy_frames(f)
                                             : f->ops->frames(f->engine, f->marks, f->around, o->dim,
                                                              frame_neighbours(o), f->radius, &other);
  return status < 0 ? status : stage_save(f, STAGE_FRAMES);
}

static int estimate_frames(fit_t *f) {
  run_t *run = f->run;
  lavdm_options *o = &run->options;
  run_stage(run, "frames");
  choose_normalisation(run, f->run->total);
  f->q = o->bundle == LAVDM_BUNDLE_TANGENT ? o->dim : 1;
  if (!has_frames(o)) return LAVDM_OK;
  int status = make_frames(f);
  if (status < 0) return status;
  f->model->info.radius = f->radius;
  f->model->info.degenerate_frames = f->degenerate;
  if (f->degenerate)
    run_warn(run,
             "the neighbours of %" PRId64 " points span fewer than %" PRId64
             " dimensions; their frames are partly arbitrary",
             f->degenerate, o->dim);
  return LAVDM_OK;
}

/* ------------------------------------------------------------------ graph */

static int choose_kernel(fit_t *f) {
  run_t *run = f->run;
  run_stage(run, "bandwidth");
  bool chosen = run->options.epsilon == LAVDM_AUTO;
  if (!has_turns(&run->options)) {
    int status = choose_bandwidth(f->engine, f->around, f->marks);
    if (!status) choose_edges(run, f->run->total, chosen);
    return status;
  }
  choose_neighbours(run, f->run->total);
  choose_edges(run, f->run->total, chosen);
  choose_normalisation(run, f->run->total);
  return choose_turned_bandwidth(f->engine, f->rows, f->marks);
}

/* How many pairs the graph will have; with landmarks, how many a point reaches: from a sample. */
static int expected_pairs(fit_t *f, double *pairs) {
  enum { SAMPLE = 200 };
  const lavdm_options *o = &f->run->options;
  bool turns = has_turns(o), knn = o->edges == LAVDM_EDGES_KNN && (turns || !f->marks);
  double reach = (double)f->run->total;
  int status = LAVDM_OK;
  if (knn)
    reach = f->marks ? (double)(o->knn < f->m ? o->knn : f->m) : (turns ? 1.5 : 1.15) * (double)(o->knn + 1);
  else if (f->marks || turns || o->edges == LAVDM_EDGES_BALL) {
    int64_t count = f->around->n < SAMPLE ? f->around->n : SAMPLE;
    status = f->ops->within(f->engine, f->around, count, references(f), o->cutoff * sqrt(o->epsilon), &reach);
    reach += 1;
  }
  *pairs = f->marks ? reach : (double)f->n * reach;
  return status;
}

static int need_memory(fit_t *f) {
  run_t *run = f->run;
  sizes_t sizes = choose_sizes(run, &f->data);
  int status = LAVDM_OK;
  if (f->data.edges) {
    sizes = (sizes_t){.n = f->n,
                      .r = run->options.components > 0 ? run->options.components : usual_components(f->m),
                      .square = !f->with_landmarks,
                      .threads = run->threads};
    sizes.pairs = (double)f->data.edges->count * (f->with_landmarks ? 1 / (double)f->n : 2);
  } else {
    status = expected_pairs(f, &sizes.pairs);
    sizes.d = has_frames(&run->options) ? run->options.dim : 0;
    sizes.p = f->rows->p;
  }
  if (status < 0) return status;
  sizes.q = f->q;
  sizes.m = f->m;
  f->model->info.memory_needed = f->ops->need(&sizes).memory;
  return run_room(run, (double)f->model->info.memory_needed);
}

/* Weights are kept in a modest share of the memory left, where they are asked for twice and more. */
static double spare_memory(const fit_t *f) {
  const double share = 0.25;
  const lavdm_options *o = &f->run->options;
  bool again = f->marks && o->method != LAVDM_METHOD_NYSTROM && o->stream != LAVDM_STREAM_YES;
  return again ? share * (double)(o->max_memory - f->model->info.memory_needed) : -1;
}

/* Whether new points need to know how far the knn-th neighbour of each point is: for bandwidths, and, of
 * distances that the model does not keep, for the k-NN rule. */
static bool keeps_reach(const fit_t *f) {
  const lavdm_options *o = &f->run->options;
  return has_local(o) || (f->data.distances && !f->marks && o->edges == LAVDM_EDGES_KNN);
}

/* The distances to the knn-th neighbours, which the model keeps, and bandwidths from them. */
static int make_bandwidths(fit_t *f) {
  run_t *run = f->run;
  int64_t n = f->n;
  double *reach = fit_array(f, "knn_distances", LAVDM_F64, 1, n, 0, 0);
  double *stored = NEW(double, n), *rho = NEW(double, n);
  int64_t *order = NEW(int64_t, n);
  bandwidths_t found = {0};
  int status = reach && stored && rho && order ? LAVDM_OK : fail_memory(run->error, "the bandwidths");
  if (!status) status = f->ops->fetch(f->engine, f->rows, ROWS_ORDER, NULL, 0, n, order);
  if (!status) status = f->ops->nearest(f->engine, f->rows, n, f->rows, run->options.knn, stored);
  for (int64_t i = 0; i < n && !status; i++) reach[order[i]] = sqrt(stored[i]);
  bool local = has_local(&run->options);
  if (!status && local) status = choose_bandwidths(run, reach, n, rho, &found);
  for (int64_t i = 0; i < n && !status && local; i++) stored[i] = rho[order[i]];
  f->rho = stored;
  if (local)
    f->spec.local = (widths_t){
        .rho = stored, .references = stored, .d = run->options.dim, .step = found.step, .most = found.most};
  mem_free(rho);
  mem_free(order);
  return status;
}

static void describe_graph(fit_t *f) {
  const lavdm_options *o = &f->run->options;
  f->spec = (graph_spec){.bundle = o->bundle,
                         .q = f->q,
                         .d = has_frames(o) ? o->dim : 0,
                         .kernel = chosen_kernel(o),
                         .edges = o->edges,
                         .knn = o->knn,
                         .square = !f->with_landmarks,
                         .balanced = o->normalise == LAVDM_NORMALISE_SINKHORN,
                         .reflections = o->reflections == LAVDM_REFLECTIONS_YES,
                         .spare = spare_memory(f),
                         .kept = f->marks && o->method != LAVDM_METHOD_NYSTROM ? stage_kept(f) : -1};
}

int prepare(fit_t *f) {
  const team_t *team = f->run->team;
  int status;
  if (f->data.edges) {
    if ((status = load_edges(f)) < 0) return status;
  } else {
    if ((status = team_agree(team, load_rows(f))) < 0) return status;
    if ((status = team_agree(team, look_at_shape(f))) < 0) return status;
    if ((status = team_agree(team, choose_references(f))) < 0) return status;
    f->q = model_fibre(&f->run->options);
    if (!has_turns(&f->run->options)) status = team_agree(team, estimate_frames(f));
    if (status < 0) return status;
    if ((status = team_agree(team, choose_kernel(f))) < 0) return status;
  }
  if ((status = team_agree(team, need_memory(f))) < 0) return status;
  describe_graph(f);
  return keeps_reach(f) ? make_bandwidths(f) : LAVDM_OK;
}
