#include "pipeline/choose.h"

#include "base/memory.h"
#include "base/options.h"
#include "base/sort.h"
#include "frames/frames.h"
#include "neighbours/neighbours.h"
#include "pipeline/objects.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum {
  SAMPLE = 1000, /* points that epsilon is taken from */
  MOST_DIM = 10, /* the largest d that is chosen without being asked */
  COMPONENTS = 20,
  MOST_KNN = 400,       /* neighbours that are tried to get past copies of a point */
  TICK = 1 << 16,       /* points between two looks at the memory */
  MANY_COORDINATES = 64 /* from which a part of the points is asked first */
};

static int64_t clamp(int64_t x, int64_t low, int64_t high) {
  return x < low ? low : x > high ? high : x;
}

static bool has_landmarks(const run_t *run) {
  return method_has_landmarks(run->options.method);
}

void choose_neighbours(run_t *run, int64_t n) {
  lavdm_options *o = &run->options;
  if (o->knn != LAVDM_AUTO) return;
  int64_t k = clamp(n / 100, 12, 50);
  if (o->dim != LAVDM_AUTO && k < 2 * o->dim + 2) k = 2 * o->dim + 2;
  o->knn = clamp(k, 1, n - 1);
}

void choose_landmarks(run_t *run, int64_t n) {
  lavdm_options *o = &run->options;
  if (o->landmarks == LAVDM_AUTO) o->landmarks = clamp((int64_t)lround(2 * sqrt((double)n)), 1, n);
}

int choose_dimension(run_t *run, const tiles_t *points) {
  lavdm_options *o = &run->options;
  bool frames = o->bundle == LAVDM_BUNDLE_TANGENT || o->bundle == LAVDM_BUNDLE_ORIENTATION;
  bool beta = o->method == LAVDM_METHOD_LAVDM && o->beta == LAVDM_AUTO && o->design == LAVDM_DESIGN_KMEANS;
  if (o->dim != LAVDM_AUTO || (!frames && !beta)) return LAVDM_OK;
  int64_t d;
  int status = frames_dimension(run, points, o->knn, 0.9, &d);
  if (status < 0) return status;
  o->dim = clamp(d, 1, clamp(points->p, 1, MOST_DIM));
  if (d > MOST_DIM && frames)
    run_warn(run, "the data looks %" PRId64 "-dimensional; dim was set to %d: give dim to decide", d,
             MOST_DIM);
  return LAVDM_OK;
}

void choose_normalisation(run_t *run, int64_t n) {
  lavdm_options *o = &run->options;
  bool plain = o->method == LAVDM_METHOD_ROSELAND,
       one_step = !has_landmarks(run) || o->method == LAVDM_METHOD_NYSTROM;
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

/* The quantiles low and high over a sample of points of the squared distance
 * to the k-th of `others`, which counts the point itself if it is one of them. */
static int distance_quantiles(run_t *run, const tiles_t *points, const tiles_t *others, int64_t k, double low,
                              double high, double *at_low, double *at_high) {
  int64_t p = points->p, most = p < MANY_COORDINATES ? SAMPLE : SAMPLE / 4;
  int64_t count = points->n < most ? points->n : most;
  int64_t *index = NEW(int64_t, count * k);
  real_t *d2 = NEW(real_t, count * k), *x = NEW(real_t, count * p);
  double *sorted = NEW(double, count);
  int status = index && d2 && x && sorted ? 0 : fail_memory(run->error, "the neighbours");
  for (int64_t s = 0; !status && s < count; s++) {
    int64_t from = (int64_t)((double)s * (double)points->n / (double)count);
    memcpy(x + s * p, points->x + from * p, (size_t)p * sizeof *x);
  }
  if (!status) status = nearest_all(run, others, x, count, k, index, d2);
  if (!status) {
    for (int64_t s = 0; s < count; s++) sorted[s] = d2[s * k + k - 1];
    sort_reals(sorted, count);
    *at_low = sorted[(int64_t)(low * (double)(count - 1))];
    *at_high = sorted[(int64_t)(high * (double)(count - 1))];
  }
  mem_free(index);
  mem_free(d2);
  mem_free(x);
  mem_free(sorted);
  return status < 0 ? status : run_status(run);
}

int choose_past_copies(run_t *run, const tiles_t *points) {
  lavdm_options *o = &run->options;
  int64_t n = points->n, p = points->p, copies = 0;
  for (int64_t i = 1; i < n; i++) { /* tile order puts copies side by side */
    if (i % TICK == 0 && run_stopped(run, i, n)) return run_status(run);
    copies += !memcmp(points->x + i * p, points->x + (i - 1) * p, (size_t)p * sizeof(real_t));
  }
  while (4 * copies > n && o->knn < n - 1) {
    double typical, most;
    int status = distance_quantiles(run, points, points, o->knn + 1, 0.5, 1, &typical, &most);
    if (status < 0 || typical > 0) return status;
    o->knn = clamp(2 * o->knn, 1, n - 1);
    if (o->knn > MOST_KNN) return LAVDM_OK; /* one place holds them all: that many would not help */
  }
  return LAVDM_OK;
}

int choose_radius(run_t *run, const tiles_t *points, double *radius) {
  double typical, most;
  int64_t k = clamp(run->options.knn + 1, 1, points->n);
  int status = distance_quantiles(run, points, points, k, 0.5, 1, &typical, &most);
  if (!status && !(typical > 0)) typical = most;
  if (!status && !(typical > 0))
    return fail(run->error, LAVDM_ERROR_DATA, "all the points that were looked at are equal");
  *radius = sqrt(typical);
  return status;
}

/* Every (n / count)-th point. */
static int take_part(run_t *run, const tiles_t *points, int64_t count, tiles_t *out) {
  int64_t p = points->p;
  real_t *x = NEW(real_t, count * p);
  if (!x) return fail_memory(run->error, "a sample of the points");
  for (int64_t s = 0; s < count; s++) {
    int64_t from = (int64_t)((double)s * (double)points->n / (double)count);
    memcpy(x + s * p, points->x + from * p, (size_t)p * sizeof *x);
  }
  lavdm_data data = {.points = x, .n = count, .p = p, .type = REAL_TYPE};
  int status = tiles_build(run, &data, NULL, TILE_POINTS, out);
  mem_free(x);
  return status;
}

/* On the k-NN graph epsilon does not decide how far edges reach, only how even
 * their weights are. Where it suits a typical point, outlying ones hang on to the
 * rest by next to nothing and leading eigenvectors live on them alone. */
static bool on_knn_graph(const run_t *run, int64_t n) {
  lavdm_edge_rule rule = run->options.edges;
  return !has_landmarks(run) && (rule == LAVDM_EDGES_KNN || (rule == LAVDM_EDGES_AUTO && n > BALL_POINTS));
}

/*
 * epsilon = max(epsilon, the squared distance to the knn-th neighbour of a
 * typical point; of nearly every point on the k-NN graph). Among a part of the points the neighbour is
 * further away, and much sooner found if there are many coordinates: if it is still within epsilon, that is
 * all there is to know.
 */
static int at_least_knn(run_t *run, const tiles_t *points, int64_t landmarks, double *epsilon) {
  int64_t n = points->n, k = clamp(run->options.knn + 1, 1, n), part = k * landmarks / 4;
  double typical = INFINITY, most = 0, share = on_knn_graph(run, n) ? 0.99 : 0.5;
  int status = LAVDM_OK;
  if (points->p >= MANY_COORDINATES && *epsilon > 0 && part >= k && part < n / 4) {
    tiles_t some;
    status = take_part(run, points, part, &some);
    if (status < 0) return status;
    status = distance_quantiles(run, points, &some, k, share, 1, &typical, &most);
    tiles_free(&some);
    if (status < 0 || typical <= *epsilon) return status;
  }
  status = distance_quantiles(run, points, points, k, share, 1, &typical, &most);
  if (status < 0) return status;
  if (!(typical > 0)) typical = most; /* half of the points are copies of each other */
  *epsilon = fmax(*epsilon, typical);
  return LAVDM_OK;
}

/* The median squared distance between a point and a landmark, over a sample of pairs. */
static int typical_pair(run_t *run, const tiles_t *points, const tiles_t *landmarks, double *d2) {
  double found[SAMPLE], at = 0;
  for (int64_t s = 0; s < SAMPLE; s++) {
    at += 0.6180339887498949; /* shares of the landmarks, evenly spread */
    at -= floor(at);
    const real_t *x = points->x + (int64_t)((double)s * (double)points->n / SAMPLE) * points->p;
    const real_t *a = landmarks->x + (int64_t)(at * (double)landmarks->n) * points->p;
    found[s] = 0;
    for (int64_t j = 0; j < points->p; j++) found[s] += ((double)x[j] - a[j]) * ((double)x[j] - a[j]);
  }
  sort_reals(found, SAMPLE);
  *d2 = found[SAMPLE / 2];
  return run_status(run);
}

/*
 * Distances concentrate in many dimensions: the eighth landmark is hardly
 * further than the second, 4^(2/d) times in squares, and these hardly nearer
 * than any. No kernel is local there, and a narrow one singles out the outlying
 * points: epsilon is then the typical squared distance between any two.
 */
static int at_least_typical(run_t *run, const tiles_t *points, const tiles_t *landmarks, double second,
                            double *epsilon) {
  const double near = 2, share = 0.2; /* 2 in four dimensions */
  double eighth = 0, most = 0, pair = 0;
  if (landmarks->n < 8) return LAVDM_OK;
  int status = distance_quantiles(run, points, landmarks, 8, 0.5, 1, &eighth, &most);
  if (status < 0 || eighth > near * second) return status;
  status = typical_pair(run, points, landmarks, &pair);
  if (*epsilon > share * pair) *epsilon = fmax(*epsilon, pair);
  return status;
}

/* The same for landmarks: a typical point has two within sqrt(epsilon), nearly every point one. */
static int at_least_landmarks(run_t *run, const tiles_t *points, const tiles_t *landmarks, double *epsilon) {
  const lavdm_options *o = &run->options;
  double typical = 0, most = 0;
  /* a share of the squared distance such that half of that many landmarks lie within sqrt(epsilon) */
  double share = o->dim > 0 ? pow(0.5, 2 / (double)o->dim) : 1;
  int status = distance_quantiles(run, points, landmarks, clamp(4, 1, landmarks->n), 0.5, 1, &typical, &most);
  if (status < 0) return status;
  *epsilon = fmax(*epsilon, share * typical);
  status = distance_quantiles(run, points, landmarks, clamp(2, 1, landmarks->n), 0.5, 0.95, &typical, &most);
  if (status < 0) return status;
  *epsilon = fmax(*epsilon, share * most);
  return o->dim > 0 ? LAVDM_OK : at_least_typical(run, points, landmarks, typical, epsilon);
}

int choose_bandwidth(run_t *run, const tiles_t *points, const tiles_t *landmarks) {
  lavdm_options *o = &run->options;
  if (o->epsilon != LAVDM_AUTO) return LAVDM_OK;
  double epsilon = 0;
  int status = landmarks ? at_least_landmarks(run, points, landmarks, &epsilon) : LAVDM_OK;
  if (!status) status = at_least_knn(run, points, landmarks ? landmarks->n : 0, &epsilon);
  if (status < 0) return status;
  if (!(epsilon > 0))
    return fail(run->error, LAVDM_ERROR_DATA,
                "all the points that were looked at are equal: there is nothing to embed");
  o->epsilon = fmin(fmax(epsilon, 1e-280), 1e280);
  return LAVDM_OK;
}

void choose_edges(run_t *run, int64_t n) {
  lavdm_options *o = &run->options;
  bool turned = has_turns(o); /* with noise all distances are much the same, and no radius is right */
  if (o->edges == LAVDM_EDGES_AUTO)
    o->edges = n <= BALL_POINTS && !turned ? LAVDM_EDGES_BALL : LAVDM_EDGES_KNN;
  if (o->cutoff != LAVDM_AUTO) return;
  bool complete = (turned || !has_landmarks(run)) && o->edges != LAVDM_EDGES_BALL;
  if (o->kernel == LAVDM_KERNEL_EPANECHNIKOV || o->kernel == LAVDM_KERNEL_BALL)
    o->cutoff = 1;
  else if (complete)
    o->cutoff = 1e6;
  else /* what lies beyond has less than a thousandth of the mass of a Gaussian in d dimensions */
    o->cutoff = o->dim > 0 ? fmax(3, 2 + sqrt((double)o->dim / 2)) : has_landmarks(run) ? 5 : 3;
}

int choose_components(run_t *run, int64_t most) {
  lavdm_options *o = &run->options;
  if (o->components == LAVDM_AUTO) o->components = COMPONENTS < most ? COMPONENTS : most;
  if (o->components > most)
    return fail(run->error, LAVDM_ERROR_ARGUMENT, "components is %" PRId64 ", but only %" PRId64 " exist",
                o->components, most);
  return LAVDM_OK;
}
