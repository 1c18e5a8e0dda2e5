#include "average/average.h"
#include "average/landmarks.h"
#include "average/nearest.h"
#include "average/select.h"
#include "average/support.h"
#include "common/door.h"
#include "lavdm/images.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
  FEW = 6,
  NEIGHBOURS = 50,
  EDGES = 50,
  LANDMARK_EDGES = 20,
  MEMBERS = 30,
  ROUNDS = 2,
  MOST_LANDMARKS = 1000,
  MOST_ROUNDS = 1000,
  HARMONICS = 63,
  ALL_PAIRS = 20000
};

static const double faint = 1e-3;

static const app_sizes sizes = {SIZE_TO(lavdm_average_options, how), sizeof(lavdm_average_options)};
static const lavdm_average_options initial = {.method = LAVDM_AVERAGE_AUTO,
                                              .neighbours = LAVDM_AUTO,
                                              .edges = LAVDM_AUTO,
                                              .members = LAVDM_AUTO,
                                              .rounds = LAVDM_AUTO};

const char *const *lavdm_average_methods(void) {
  static const char *const names[] = {"rid", "vdm", "lavdm", "auto", NULL};
  return names;
}

void lavdm_average_init(lavdm_average_options *options, size_t size) {
  app_fill(&sizes, &initial, options, size);
}

void lavdm_average_free(lavdm_average_t *average) {
  average_result *r = (average_result *)average;
  if (!r) return;
  free(r->centre), free(r->index), free(r->distance), free(r->angle), free(r->reflected), free(r->average);
  free(r);
}

static double seconds_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int64_t least(int64_t a, int64_t b) {
  return a < b ? a : b;
}

/* A fiftieth of all, so that they come from near directions; at most `most`, and a few in any case. */
static int64_t usual(int64_t all, int64_t most) {
  return all / 50 < FEW ? FEW : least(all / 50, most);
}

/* Every AUTO but the noise replaced, and what cannot be met brought down to what there is. */
static int choose(const lavdm_data *images, const lavdm_average_options *asked, average_options *o,
                  lavdm_error *error) {
  int64_t n = images->n, m;
  *o = (average_options){.method = asked->method,
                         .neighbours = asked->neighbours,
                         .edges = asked->edges,
                         .members = asked->members,
                         .rounds = asked->rounds,
                         .classes = asked->classes};
  int status = lavdm_options_copy(&o->how, asked->how, error);
  if (status < 0) return status;
  o->how.bundle = LAVDM_BUNDLE_ROTATION;
  status = lavdm_threads(o->how.threads, error);
  if (status < 0) return status;
  if (o->how.threads == LAVDM_AUTO || o->how.threads > status) o->how.threads = status;
  if (o->method == LAVDM_AVERAGE_AUTO) o->method = n > ALL_PAIRS ? LAVDM_AVERAGE_LAVDM : LAVDM_AVERAGE_VDM;
  if (n < 3) return average_fail(error, LAVDM_ERROR_DATA, "%lld images are too few to average", (long long)n);
  bool lavdm = o->method == LAVDM_AVERAGE_LAVDM, mirrors = o->how.reflections == LAVDM_REFLECTIONS_YES;
  m = o->how.landmarks == LAVDM_AUTO ? least(n / 10, MOST_LANDMARKS) : o->how.landmarks;
  o->how.landmarks = lavdm ? (m < 2 ? 2 : least(m, n)) : LAVDM_AUTO;
  if (o->neighbours == LAVDM_AUTO) o->neighbours = usual(n, NEIGHBOURS);
  if (o->edges == LAVDM_AUTO) o->edges = lavdm ? usual(o->how.landmarks, LANDMARK_EDGES) : usual(n, EDGES);
  if (o->members == LAVDM_AUTO) o->members = usual(n, MEMBERS);
  if (o->rounds == LAVDM_AUTO) o->rounds = lavdm ? ROUNDS : 1;
  o->neighbours = least(o->neighbours, n - 1);
  o->members = least(o->members, n - 1);
  o->edges = least(o->edges, lavdm ? o->how.landmarks : n - 1);
  if (o->classes <= 0 || o->classes > n) o->classes = n;
  int64_t rank = o->how.components == LAVDM_AUTO ? (mirrors ? HARMONICS : 2 * HARMONICS) : o->how.components;
  o->how.components = least(rank, (lavdm ? 2 * o->how.landmarks : 2 * n) / 4 + 1);
  if (o->neighbours < 1 || o->edges < 1 || o->members < 1 || o->rounds < 1)
    return average_fail(error, LAVDM_ERROR_ARGUMENT,
                        "neighbours, edges, members and rounds must be 1 or more");
  if (o->rounds > MOST_ROUNDS)
    return average_fail(error, LAVDM_ERROR_ARGUMENT, "rounds is %lld: it must be %d at most",
                        (long long)o->rounds, MOST_ROUNDS);
  return LAVDM_OK;
}

/* The lists of the result, and the images that averages are about: all, or as many as asked, drawn. */
static int result_new(const lavdm_data *images, const average_options *o, average_result *r, nearest_t *list,
                      lavdm_error *error) {
  r->shown.method = o->method;
  r->shown.n = images->n, r->shown.count = o->classes, r->shown.k = o->neighbours;
  r->centre = malloc((size_t)r->shown.count * sizeof *r->centre);
  int status =
      nearest_new(r->shown.count, r->shown.k, o->how.reflections == LAVDM_REFLECTIONS_YES, list, error);
  if (status < 0) return status;
  r->index = list->index, r->distance = list->distance, r->angle = list->angle,
  r->reflected = list->reflected;
  if (!r->centre) return average_fail(error, LAVDM_ERROR_MEMORY, "out of memory for the averages");
  return average_draw(r->shown.n, r->shown.count, o->how.seed, r->centre, error);
}

/* distance = sqrt(2 - 2 affinity) */
static void distances_of(nearest_t *list) {
  for (int64_t k = 0; k < list->count * list->k; k++)
    list->distance[k] = sqrt(fmax(0, 2 - 2 * list->distance[k]));
}

/* The diffusion time: a step between landmarks is two. */
static double step(const average_options *o) {
  return o->method == LAVDM_AVERAGE_LAVDM ? o->how.time / 2 : o->how.time;
}

/* The neighbours of the centres by the eigenvectors of a model. */
static int reselect(const lavdm_model *model, const average_options *o, const int64_t *centre,
                    nearest_t *list, lavdm_error *error) {
  select_space space = {0};
  int64_t rank = lavdm_info(model)->chosen->components;
  int status = select_space_new(model, step(o), 0, rank, &space, error);
  if (status >= 0)
    status = select_nearest(&space, centre, list->count, list->k, &o->how, list->index, list->distance,
                            list->angle, list->reflected, error);
  if (status >= 0) distances_of(list);
  select_space_free(&space);
  return status;
}

static void keep_warning(const lavdm_model *model, average_result *r) {
  const lavdm_info_t *info = lavdm_info(model);
  r->shown.components = info->chosen->components;
  r->shown.edges = info->edges;
  if (info->warnings) snprintf(r->warning, sizeof r->warning, "%s", info->warning[0]);
}

/* Weights max(0, agreement)^2 of the edges, and a little for each, so that no image is left alone. */
static int reweight(const lavdm_model *model, const average_options *o, const nearest_t *edges,
                    double *weight, lavdm_error *error) {
  int64_t count = edges->count * edges->k;
  select_space space = {0};
  int64_t *row = malloc((size_t)count * sizeof *row);
  int status = row ? select_space_new(model, step(o), 0, lavdm_info(model)->chosen->components, &space, error)
                   : average_fail(error, LAVDM_ERROR_MEMORY, "out of memory for the weights of the graph");
  for (int64_t e = 0; e < count && status >= 0; e++) row[e] = e / edges->k;
  if (status >= 0) select_agreement(&space, row, edges->index, edges->angle, edges->reflected, count, weight);
  for (int64_t e = 0; e < count && status >= 0; e++)
    weight[e] = faint + (weight[e] > 0 ? weight[e] * weight[e] : 0);
  select_space_free(&space);
  free(row);
  return status;
}

/* The graph of the images, fitted in rounds, each time weighed by how far the one before agrees. */
static int fit_images(const nearest_t *edges, const average_options *o, lavdm_model **model,
                      lavdm_error *error) {
  double *weight = malloc((size_t)(edges->count * edges->k) * sizeof *weight);
  int status = weight ? LAVDM_OK : average_fail(error, LAVDM_ERROR_MEMORY, "out of memory for the graph");
  for (int64_t round = 0; round < o->rounds && status >= 0; round++) {
    if (round) status = reweight(*model, o, edges, weight, error);
    lavdm_free(*model);
    *model = NULL;
    if (status >= 0)
      status = nearest_fit(edges, 0, 0, round ? weight : NULL, o->how.components, &o->how, model, error);
  }
  free(weight);
  return status;
}

/* The graph of images and landmarks, with weights exp(-(d^2 - d_0^2) / 2 noise^2), d_0 the least
 * distance of an image: how likely each landmark is to be what the image shows, as the noise is. */
static int fit_landmarks(const nearest_t *edges, int64_t m, double noise, const average_options *o,
                         lavdm_model **model, lavdm_error *error) {
  int64_t count = edges->count * edges->k;
  double *weight = malloc((size_t)count * sizeof *weight);
  if (!weight) return average_fail(error, LAVDM_ERROR_MEMORY, "out of memory for the graph");
  for (int64_t e = 0; e < count; e++) {
    double d = edges->distance[e], nearest = edges->distance[e / edges->k * edges->k];
    weight[e] = noise > 0 ? faint + exp(-(d * d - nearest * nearest) / (2 * noise * noise)) : 1;
  }
  lavdm_free(*model);
  *model = NULL;
  int status = nearest_fit(edges, edges->count, m, weight, o->how.components, &o->how, model, error);
  free(weight);
  return status;
}

static int choose_vdm(const lavdm_stack *stack, const average_options *o, nearest_t *list, average_result *r,
                      lavdm_error *error) {
  nearest_t all = {0};
  lavdm_model *model = NULL;
  double began = seconds_now();
  int status = nearest_new(r->shown.n, o->edges, r->reflected != NULL, &all, error);
  if (status >= 0)
    status = lavdm_stack_neighbours(stack, NULL, r->shown.n, NULL, 0, o->edges, all.index, all.distance,
                                    all.angle, all.reflected, error);
  r->shown.compare_seconds = seconds_now() - began;
  began = seconds_now();
  if (status >= 0) status = fit_images(&all, o, &model, error);
  nearest_free(&all);
  if (status >= 0) keep_warning(model, r);
  if (status >= 0) status = reselect(model, o, r->centre, list, error);
  lavdm_free(model);
  r->shown.diffuse_seconds = seconds_now() - began;
  return status;
}

/* Rounds of: landmarks as averages, images joined to them, neighbours of landmarks and centres. */
static int choose_lavdm(const lavdm_data *images, const lavdm_stack *stack, const average_options *o,
                        nearest_t *list, average_result *r, lavdm_error *error) {
  int64_t m = o->how.landmarks;
  nearest_t members = {0}, joined = {0};
  lavdm_model *model = NULL;
  int64_t *drawn = malloc((size_t)m * sizeof *drawn);
  int status = drawn ? average_draw(r->shown.n, m, o->how.seed + 1, drawn, error)
                     : average_fail(error, LAVDM_ERROR_MEMORY, "out of memory for the landmarks");
  double began = seconds_now();
  if (status >= 0) status = nearest_new(m, o->members, r->reflected != NULL, &members, error);
  if (status >= 0) status = nearest_new(r->shown.n, o->edges, r->reflected != NULL, &joined, error);
  if (status >= 0)
    status = lavdm_stack_neighbours(stack, drawn, m, NULL, 0, o->members, members.index, members.distance,
                                    members.angle, members.reflected, error);
  r->shown.compare_seconds += seconds_now() - began;
  for (int64_t round = 0; round < o->rounds && status >= 0; round++) {
    began = seconds_now();
    status = landmarks_join(images, stack, drawn, &members, &o->how, &joined, error);
    r->shown.compare_seconds += seconds_now() - began;
    began = seconds_now();
    if (status >= 0) status = fit_landmarks(&joined, m, r->shown.noise, o, &model, error);
    if (status >= 0) keep_warning(model, r);
    bool last = round + 1 == o->rounds;
    if (status >= 0) status = reselect(model, o, last ? r->centre : drawn, last ? list : &members, error);
    r->shown.diffuse_seconds += seconds_now() - began;
  }
  r->shown.landmarks = m;
  lavdm_free(model);
  nearest_free(&members);
  nearest_free(&joined);
  free(drawn);
  return status;
}

static int choose_neighbours(const lavdm_data *images, const lavdm_stack *stack, const average_options *o,
                             nearest_t *list, average_result *r, lavdm_error *error) {
  if (o->method == LAVDM_AVERAGE_VDM) return choose_vdm(stack, o, list, r, error);
  if (o->method == LAVDM_AVERAGE_LAVDM) return choose_lavdm(images, stack, o, list, r, error);
  double began = seconds_now();
  int status = lavdm_stack_neighbours(stack, r->centre, r->shown.count, NULL, 0, r->shown.k, list->index,
                                      list->distance, list->angle, list->reflected, error);
  r->shown.compare_seconds = seconds_now() - began;
  return status;
}

/* What the program sees of the result. */
static void show(average_result *r) {
  lavdm_average_t *s = &r->shown;
  s->centre = r->centre, s->index = r->index, s->distance = r->distance, s->angle = r->angle;
  s->reflected = r->reflected, s->average = r->average, s->warning = r->warning;
}

static int run(const lavdm_data *images, const average_options *o, average_result *r, lavdm_error *error) {
  nearest_t list = {0}; /* its arrays are those of the result */
  lavdm_stack *stack = NULL;
  double began = seconds_now();
  int status = result_new(images, o, r, &list, error);
  if (status >= 0) status = lavdm_stack_new(images, &o->how, &stack, error);
  r->shown.expand_seconds = seconds_now() - began;
  if (status >= 0) {
    const lavdm_stack_info_t *info = lavdm_stack_info(stack);
    r->shown.height = info->height, r->shown.width = info->width;
    r->shown.noise = info->noise, r->shown.compared = info->compared;
    status = choose_neighbours(images, stack, o, &list, r, error);
  }
  began = seconds_now();
  if (status >= 0) {
    size_t pixels = (size_t)(r->shown.height * r->shown.width);
    r->average = malloc((size_t)r->shown.count * pixels * sizeof *r->average);
    status = r->average ? nearest_average(stack, r->centre, &list, r->average, error)
                        : average_fail(error, LAVDM_ERROR_MEMORY, "out of memory for the averages");
  }
  r->shown.sum_seconds = seconds_now() - began;
  lavdm_stack_free(stack);
  return status;
}

int lavdm_average(const lavdm_data *images, const lavdm_average_options *options, lavdm_average_t **average,
                  lavdm_error *error) {
  if (error) *error = (lavdm_error){0};
  if (!average) return average_fail(error, LAVDM_ERROR_ARGUMENT, "there is no place for the averages (NULL)");
  *average = NULL;
  if (!images || !options)
    return average_fail(error, LAVDM_ERROR_ARGUMENT, "images or options are missing (NULL)");
  lavdm_average_options asked = initial;
  average_options o;
  int status = app_options(&sizes, options, &asked, error);
  if (status >= 0) status = choose(images, &asked, &o, error);
  if (status < 0) return status;
  average_result *r = calloc(1, sizeof *r);
  status = r ? run(images, &o, r, error)
             : average_fail(error, LAVDM_ERROR_MEMORY, "out of memory for the averages");
  if (status < 0) {
    lavdm_average_free((lavdm_average_t *)r);
    return status;
  }
  show(r);
  *average = &r->shown;
  return status;
}
