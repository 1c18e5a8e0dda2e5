#include "choose/choose.h"

#include "base/options.h"

#include <inttypes.h>
#include <math.h>

enum {
  COMPONENTS = 20,
  FEWEST_LANDMARKS = 500, /* below, every point is one */
  GRAM_SIDE = 2400,       /* up to which more landmarks than 2 sqrt(n) are taken at small n */
  MANY_PER_ROOT = 8,      /* landmarks by sqrt(n) ... */
  MANY_LANDMARKS = 2000   /* ... up to here, beyond 2 sqrt(n) if that is more */
};

/* Of a Gaussian whose epsilon is chosen. Of 14 shapes with 1000 and 3000 points and three noise levels 73 of
 * 84 hold with it, 64 with 2 and 52 with 3. */
static const double SHORT_CUTOFF = 1.75;

static int64_t clamp(int64_t x, int64_t low, int64_t high) {
  return x < low ? low : x > high ? high : x;
}

int64_t usual_neighbours(int64_t n) {
  return clamp(lround(0.4 * sqrt((double)n)), clamp(n / 40, 4, 8), 50);
}

int64_t usual_turned_neighbours(int64_t n) {
  return clamp(n / 100, 12, 50);
}

int64_t usual_landmarks(int64_t n) {
  double root = sqrt((double)n), many = fmin(MANY_PER_ROOT * root, MANY_LANDMARKS);
  return clamp((int64_t)lround(fmax(fmax(2 * root, many), FEWEST_LANDMARKS)), 1, n);
}

int64_t usual_joined(int64_t m) {
  return clamp(m / 25, 8, 50);
}

int64_t usual_components(int64_t most) {
  return COMPONENTS < most ? COMPONENTS : most;
}

void choose_neighbours(run_t *run, int64_t n) {
  lavdm_options *o = &run->options;
  if (o->knn != LAVDM_AUTO && o->frame_knn == LAVDM_AUTO && has_frames(o))
    o->frame_knn = o->knn; /* both, if one is said */
  if (o->knn != LAVDM_AUTO) return;
  bool joined = has_turns(o) && has_landmarks(o);
  int64_t k = joined         ? usual_joined(o->landmarks)
              : has_turns(o) ? usual_turned_neighbours(n)
                             : usual_neighbours(n);
  if (!joined && o->dim != LAVDM_AUTO && k < 2 * o->dim + 2) k = 2 * o->dim + 2;
  o->knn = clamp(k, 1, n - 1);
}

/* The points among which 2 of m landmarks lie, within what the kernel reaches. */
static int64_t points_in_reach(int64_t n, int64_t m, int64_t d) {
  double reach = 2 * (double)n / (double)m * pow(SHORT_CUTOFF, (double)d);
  return (int64_t)fmin(fmax(reach, 2), (double)n / 4);
}

void choose_turned_landmarks(run_t *run, int64_t n) {
  lavdm_options *o = &run->options;
  if (o->landmarks == LAVDM_AUTO) o->landmarks = clamp((int64_t)lround(2 * sqrt((double)n)), 1, n);
}

int choose_landmarks(engine_t *engine, const rows_t *rows, int64_t n) {
  lavdm_options *o = &engine->run->options;
  if (o->landmarks != LAVDM_AUTO || o->design == LAVDM_DESIGN_GIVEN) return LAVDM_OK;
  /* what the Gram matrix, whose side is m q, can carry */
  double side = o->bundle == LAVDM_BUNDLE_TANGENT ? (double)o->dim : 1;
  int64_t afford = clamp((int64_t)fmax(2 * sqrt((double)n), GRAM_SIDE / side), 1, n);
  int64_t usual = o->landmarks = clamp(usual_landmarks(n), 1, afford),
          most = clamp((int64_t)lround(MANY_PER_ROOT * sqrt((double)n)), 1, n);
  if (o->dim == LAVDM_AUTO || usual >= most) return LAVDM_OK;
  double bend = 0, d = (double)o->dim;
  int64_t k = points_in_reach(rows->n, usual, o->dim);
  int status = choose_bend(engine, rows, k, &bend);
  if (status < 0 || bend <= most_bend(o->dim)) return status;
  o->landmarks = clamp((int64_t)lround((double)usual * pow(bend / most_bend(o->dim), d / 2)), usual, most);
  run_reason(engine->run, "landmarks",
             "%" PRId64 ", not %" PRId64 ": between so few the data would bend by %.2g of its width",
             o->landmarks, usual, sqrt(bend));
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

double chosen_cutoff(const lavdm_options *o) {
  if (o->cutoff != LAVDM_AUTO) return o->cutoff;
  return o->kernel != LAVDM_KERNEL_GAUSSIAN ? 1 : has_local(o) ? 3 : SHORT_CUTOFF;
}

void choose_edges(run_t *run, int64_t n, bool chosen) {
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
  /* tails reach across to other sheets, and what they add is error where the data bends */
  else if (chosen && o->kernel == LAVDM_KERNEL_GAUSSIAN)
    o->cutoff = chosen_cutoff(o);
  else /* what lies beyond has less than a thousandth of the mass of a Gaussian in d dimensions */
    o->cutoff = o->method == LAVDM_METHOD_ROSELAND ? 5
                : o->dim > 0                       ? fmax(3, 2 + sqrt((double)o->dim / 2))
                : has_landmarks(o)                 ? 5
                                                   : 3;
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
