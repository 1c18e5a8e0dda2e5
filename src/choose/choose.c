#include "choose/choose.h"

#include "base/options.h"

#include <inttypes.h>
#include <math.h>

enum {
  MOST_DIM = 10, /* the largest d that is chosen without being asked */
  COMPONENTS = 20
};

/* Of the local variance, that d dimensions must explain. */
static const double EXPLAINED = 0.9;

static int64_t clamp(int64_t x, int64_t low, int64_t high) {
  return x < low ? low : x > high ? high : x;
}

int64_t usual_neighbours(int64_t n) {
  return clamp(n / 100, 12, 50);
}

int64_t usual_landmarks(int64_t n) {
  return clamp((int64_t)lround(2 * sqrt((double)n)), 1, n);
}

int64_t usual_joined(int64_t m) {
  return clamp(m / 25, 8, 50);
}

int64_t usual_components(int64_t most) {
  return COMPONENTS < most ? COMPONENTS : most;
}

void choose_neighbours(run_t *run, int64_t n) {
  lavdm_options *o = &run->options;
  if (o->knn != LAVDM_AUTO) return;
  bool joined = has_turns(o) && has_landmarks(o);
  int64_t k = joined ? usual_joined(o->landmarks) : usual_neighbours(n);
  if (!joined && o->dim != LAVDM_AUTO && k < 2 * o->dim + 2) k = 2 * o->dim + 2;
  o->knn = clamp(k, 1, n - 1);
}

void choose_landmarks(run_t *run, int64_t n) {
  lavdm_options *o = &run->options;
  if (o->landmarks == LAVDM_AUTO) o->landmarks = usual_landmarks(n);
}

int choose_dimension(engine_t *engine, const rows_t *rows) {
  run_t *run = engine->run;
  lavdm_options *o = &run->options;
  bool beta = o->method == LAVDM_METHOD_LAVDM && o->beta == LAVDM_AUTO && o->design == LAVDM_DESIGN_KMEANS;
  if (o->dim != LAVDM_AUTO || (!has_frames(o) && !beta && o->bandwidth != LAVDM_BANDWIDTH_LOCAL))
    return LAVDM_OK;
  int64_t d;
  int status = engine->ops->dimension(engine, rows, o->knn, EXPLAINED, &d);
  if (status < 0) return status;
  o->dim = clamp(d, 1, clamp(rows->p, 1, MOST_DIM));
  if (d > MOST_DIM && has_frames(o))
    run_warn(run, "the data looks %" PRId64 "-dimensional; dim was set to %d: give dim to decide", d,
             MOST_DIM);
  return LAVDM_OK;
}

void choose_normalisation(run_t *run, int64_t n) {
  lavdm_options *o = &run->options;
  bool plain = o->method == LAVDM_METHOD_ROSELAND,
       one_step = !has_landmarks(o) || o->method == LAVDM_METHOD_NYSTROM;
  double d = o->dim > 0 ? (double)o->dim : 1;
  if (o->alpha == LAVDM_AUTO) o->alpha = plain ? 0 : 1;
  if (o->beta != LAVDM_AUTO) return;
  /* landmarks that the user gave, or that are all the points, were not designed */
  bool designed = o->bundle != LAVDM_BUNDLE_GIVEN && o->landmarks < n;
  bool unknown = has_turns(o) && o->dim == LAVDM_AUTO; /* no d is looked for: as if it were large */
  if (plain || one_step || (designed && o->design == LAVDM_DESIGN_FARTHEST))
    o->beta = 0;
  else
    o->beta = designed && o->design == LAVDM_DESIGN_KMEANS && !unknown ? d / (2 * d + 2) : 0.5;
}

void choose_edges(run_t *run, int64_t n) {
  lavdm_options *o = &run->options;
  bool turned = has_turns(o); /* with noise all distances are much the same, and no radius is right */
  if (o->edges == LAVDM_EDGES_AUTO)
    o->edges = n <= BALL_POINTS && !turned ? LAVDM_EDGES_BALL : LAVDM_EDGES_KNN;
  if (o->cutoff != LAVDM_AUTO) return;
  bool complete = (turned || !has_landmarks(o)) && o->edges != LAVDM_EDGES_BALL;
  if (o->kernel == LAVDM_KERNEL_EPANECHNIKOV || o->kernel == LAVDM_KERNEL_BALL)
    o->cutoff = 1;
  else if (complete)
    o->cutoff = 1e6;
  else /* what lies beyond has less than a thousandth of the mass of a Gaussian in d dimensions */
    o->cutoff = o->dim > 0 ? fmax(3, 2 + sqrt((double)o->dim / 2)) : has_landmarks(o) ? 5 : 3;
}

kernel_t chosen_kernel(const lavdm_options *o) {
  double radius = o->cutoff * sqrt(o->epsilon);
  bool by_edges = !has_landmarks(o) || has_turns(o);
  if (by_edges && o->edges != LAVDM_EDGES_BALL && o->cutoff >= 1e6) radius = INFINITY;
  return (kernel_t){o->kernel, o->epsilon, radius, o->kernel_function, o->kernel_user};
}

int choose_components(run_t *run, int64_t most) {
  lavdm_options *o = &run->options;
  if (o->components == LAVDM_AUTO) o->components = usual_components(most);
  if (o->components > most)
    return fail(run->error, LAVDM_ERROR_ARGUMENT, "components is %" PRId64 ", but only %" PRId64 " exist",
                o->components, most);
  return LAVDM_OK;
}
