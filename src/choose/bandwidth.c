/* epsilon, the radius of local PCA, and knn among copies: from distances of a sample. */
#include "base/memory.h"
#include "base/options.h"
#include "base/sort.h"
#include "choose/choose.h"

#include <float.h>
#include <math.h>

enum {
  SAMPLE = 1000,         /* points that epsilon is taken from */
  TURNED_SAMPLE = 200,   /* images and signals */
  MOST_KNN = 400,        /* neighbours that are tried to get past copies of a point */
  MANY_COORDINATES = 64, /* from which a part of the points is asked first */
  SHAPE_SAMPLE = 200,
  FEWEST = 4,  /* points within the cut-off, times d squared, at least */
  ENOUGH = 40, /* points within the cut-off, below which more are taken where the data bends little ... */
  ENOUGH_PART = 12, /* ... up to this part of all */
};

static int64_t clamp(int64_t x, int64_t low, int64_t high) {
  return x < low ? low : x > high ? high : x;
}

/* Rows that are looked at. */
static int64_t sample_size(const engine_t *engine, const rows_t *rows) {
  int64_t most = has_turns(&engine->run->options) ? TURNED_SAMPLE
                 : rows->p < MANY_COORDINATES     ? SAMPLE
                                                  : SAMPLE / 4;
  return rows->n < most ? rows->n : most;
}

/* The quantiles low and high over a sample of rows of the squared distance to the k-th of `others`. */
static int distance_quantiles(engine_t *engine, const rows_t *rows, const rows_t *others, int64_t k,
                              double low, double high, double *at_low, double *at_high) {
  int64_t count = sample_size(engine, rows);
  double *d2 = NEW(double, count);
  int status = d2 ? engine->ops->nearest(engine, rows, count, others, k, d2)
                  : fail_memory(engine->run->error, "the neighbours");
  if (!status) {
    sort_reals(d2, count);
    *at_low = d2[(int64_t)(low * (double)(count - 1))];
    *at_high = d2[(int64_t)(high * (double)(count - 1))];
  }
  mem_free(d2);
  return status;
}

int choose_past_copies(engine_t *engine, const rows_t *rows) {
  lavdm_options *o = &engine->run->options;
  int64_t n = rows->n, copies;
  int status = engine->ops->copies(engine, rows, &copies);
  if (status < 0) return status;
  while (4 * copies > n && o->knn < n - 1) {
    double typical = 0, most = 0;
    status = distance_quantiles(engine, rows, rows, o->knn, 0.5, 1, &typical, &most);
    if (status < 0 || typical > 0) return status;
    o->knn = clamp(2 * o->knn, 1, n - 1);
    if (o->knn > MOST_KNN) return LAVDM_OK; /* one place holds them all: that many would not help */
  }
  return LAVDM_OK;
}

int choose_radius(engine_t *engine, const rows_t *rows, double *radius) {
  double typical = 0, most = 0;
  int status = distance_quantiles(engine, rows, rows, frame_neighbours(&engine->run->options), 0.5, 1,
                                  &typical, &most);
  if (!status && !(typical > 0)) typical = most;
  if (!status && !(typical > 0))
    return fail(engine->run->error, LAVDM_ERROR_DATA, "all the points that were looked at are equal");
  *radius = sqrt(typical);
  return status;
}

/* -------------------------------------------------------------- bandwidth */

/* On the k-NN graph epsilon does not decide how far edges reach, only how even
 * their weights are. Where it suits a typical point, outlying ones hang on to the
 * rest by next to nothing and leading eigenvectors live on them alone. */
static bool on_knn_graph(const run_t *run, int64_t n) {
  const lavdm_options *o = &run->options;
  return !has_landmarks(o) && o->bandwidth != LAVDM_BANDWIDTH_LOCAL && knn_edges(o, n);
}

/* Some of the points, evenly spread, as rows of their own. */
static int take_part(engine_t *engine, const rows_t *rows, int64_t count, rows_t **out) {
  double *x = NEW(double, count * rows->p);
  int status = x ? engine->ops->sample(engine, rows, count, x)
                 : fail_memory(engine->run->error, "a sample of the points");
  lavdm_data data = {.points = x, .n = count, .p = rows->p};
  if (!status) status = engine->ops->load(engine, &data, NULL, ROLE_POINTS, 0, out);
  mem_free(x);
  return status;
}

/*
 * epsilon = max(epsilon, the squared distance to the knn-th neighbour of a
 * typical point; of nearly every point on the k-NN graph). Among a part of the points the neighbour is
 * further away, and much sooner found if there are many coordinates: if it is still within epsilon, that is
 * all there is to know.
 */
static int at_least_knn(engine_t *engine, const rows_t *rows, int64_t landmarks, double *epsilon) {
  run_t *run = engine->run;
  int64_t n = rows->n, k = clamp(run->options.knn + 1, 1, n), part = k * landmarks / 4;
  double typical = INFINITY, most = 0, share = on_knn_graph(run, n) ? 0.99 : 0.5;
  int status = LAVDM_OK;
  if (rows->p >= MANY_COORDINATES && *epsilon > 0 && part >= k && part < n / 4) {
    rows_t *some = NULL;
    status = take_part(engine, rows, part, &some);
    if (!status) status = distance_quantiles(engine, rows, some, k, share, 1, &typical, &most);
    engine->ops->unload(engine, some);
    if (status < 0 || typical <= *epsilon) return status;
  }
  status = distance_quantiles(engine, rows, rows, run->options.knn, share, 1, &typical, &most);
  if (status < 0) return status;
  if (!(typical > 0)) typical = most; /* half of the points are copies of each other */
  *epsilon = fmax(*epsilon, typical);
  if (has_local(&run->options) || on_knn_graph(run, n)) return LAVDM_OK;
  status =
      distance_quantiles(engine, rows, rows, clamp(run->options.knn / 2, 1, n), share, 0.95, &typical, &most);
  if (status < 0) return status;
  *epsilon = fmax(*epsilon, most);
  return LAVDM_OK;
}

/* The median squared distance between a point and a landmark, over a sample of pairs. */
static int typical_pair(engine_t *engine, const rows_t *rows, const rows_t *landmarks, double *d2) {
  int64_t p = rows->p, m = landmarks->n;
  double *found = NEW(double, SAMPLE), *x = NEW(double, SAMPLE *p), *a = NEW(double, m *p), at = 0;
  int status = found && x && a ? engine->ops->sample(engine, rows, SAMPLE, x)
                               : fail_memory(engine->run->error, "a sample of the points");
  if (!status) status = engine->ops->sample(engine, landmarks, m, a);
  for (int64_t s = 0; s < SAMPLE && !status; s++) {
    at += 0.6180339887498949; /* shares of the landmarks, evenly spread */
    at -= floor(at);
    const double *b = a + (int64_t)(at * (double)m) * p;
    for (int64_t j = 0; j < p; j++) found[s] += (x[s * p + j] - b[j]) * (x[s * p + j] - b[j]);
  }
  if (!status) {
    sort_reals(found, SAMPLE);
    *d2 = found[SAMPLE / 2];
  }
  mem_free(found);
  mem_free(x);
  mem_free(a);
  return status;
}

/*
 * Distances concentrate in many dimensions: the eighth landmark is hardly
 * further than the second, 4^(2/d) times in squares, and these hardly nearer
 * than any. No kernel is local there, and a narrow one singles out the outlying
 * points: epsilon is then the typical squared distance between any two.
 */
static int at_least_typical(engine_t *engine, const rows_t *rows, const rows_t *landmarks, double second,
                            double *epsilon) {
  const double near = 2, share = 0.2; /* 2 in four dimensions */
  double eighth = 0, most = 0, pair = 0;
  if (landmarks->n < 8) return LAVDM_OK;
  int status = distance_quantiles(engine, rows, landmarks, 8, 0.5, 1, &eighth, &most);
  if (status < 0 || eighth > near * second) return status;
  status = typical_pair(engine, rows, landmarks, &pair);
  if (*epsilon > share * pair) *epsilon = fmax(*epsilon, pair);
  return status;
}

/* The same for landmarks: a typical point has two within sqrt(epsilon), nearly every point one. */
static int at_least_landmarks(engine_t *engine, const rows_t *rows, const rows_t *landmarks,
                              double *epsilon) {
  const lavdm_options *o = &engine->run->options;
  double typical = 0, most = 0;
  /* a share of the squared distance such that half of that many landmarks lie within sqrt(epsilon) */
  double share = o->dim > 0 ? pow(0.5, 2 / (double)o->dim) : 1;
  int status =
      distance_quantiles(engine, rows, landmarks, clamp(4, 1, landmarks->n), 0.5, 1, &typical, &most);
  if (status < 0) return status;
  *epsilon = fmax(*epsilon, share * typical);
  status = distance_quantiles(engine, rows, landmarks, clamp(2, 1, landmarks->n), 0.5, 0.95, &typical, &most);
  if (status < 0) return status;
  *epsilon = fmax(*epsilon, share * most);
  return o->dim > 0 ? LAVDM_OK : at_least_typical(engine, rows, landmarks, typical, epsilon);
}

/* The least epsilon whose cut-off holds another point, and a landmark if there are any, for 99 of 100 points,
 * and for all of fewer than 100: below, points are cut off in the fit, and new ones from the same place have
 * no eigenvectors at all. */
static int least_reach(engine_t *engine, const rows_t *rows, const rows_t *landmarks, double *epsilon) {
  double cutoff = chosen_cutoff(&engine->run->options), share = rows->n < 100 ? 1 : 0.99, point = 0, mark = 0,
         most = 0;
  int status = distance_quantiles(engine, rows, rows, 1, share, 1, &point, &most);
  if (!status && landmarks) status = distance_quantiles(engine, rows, landmarks, 1, share, 1, &mark, &most);
  *epsilon = fmax(point, mark) / (cutoff * cutoff) * (1 + 1e-9);
  return status;
}

/*
 * A smaller epsilon where the data bends too much within the cut-off, down to what keeps FEWEST d^2
 * points there; and a larger one where these are few, and the data bends little.
 */
static int fit_to_shape(engine_t *engine, const rows_t *rows, double *epsilon) {
  enum { LOOKS = 5 };
  const lavdm_options *o = &engine->run->options;
  double cutoff = chosen_cutoff(o), before = *epsilon, bend = 0, reach = 0, d = (double)o->dim,
         straight = most_bend(o->dim), enough = fmin(ENOUGH, (double)rows->n / ENOUGH_PART);
  int64_t count = sample_size(engine, rows);
  if (o->dim == LAVDM_AUTO || o->kernel == LAVDM_KERNEL_CALLBACK || o->metric != LAVDM_METRIC_EUCLIDEAN)
    return LAVDM_OK;
  if (count > SHAPE_SAMPLE) count = SHAPE_SAMPLE;
  for (int look = 0; look < LOOKS; look++) {
    int status = engine->ops->within(engine, rows, count, rows, cutoff * sqrt(*epsilon), &reach);
    if (!status) status = choose_bend(engine, rows, clamp((int64_t)reach, 1, rows->n - 1), &bend);
    if (status < 0) return status;
    double least = pow(fmax(FEWEST * d * d, 2 * FEWEST) / reach, 2 / d), most = pow(enough / reach, 2 / d);
    if (bend > straight)
      *epsilon *= fmax(fmax(straight / bend, fmin(least, 1)), 0.5);
    else if (bend < 0.8 * LITTLE_BEND && most > 1.05)
      *epsilon *= fmin(fmin(LITTLE_BEND / fmax(bend, 1e-9), most), 1.5);
    else
      break;
  }
  if (has_local(o))
    *epsilon = fmax(*epsilon, 0.5 * before); /* of the knn neighbours half stay within reach */
  /* noise changes squared distances by this at random; a narrower kernel would see noise alone */
  double noise = o->noise > 0 ? 2 * o->noise * o->noise * sqrt(2 * (double)rows->p) : 0;
  if (noise > *epsilon) {
    *epsilon = noise;
    run_reason(engine->run, "epsilon", "%.3g: a kernel that is narrower sees the noise of deviation %.3g",
               noise, o->noise);
    return LAVDM_OK;
  }
  if (*epsilon < before)
    run_reason(engine->run, "epsilon", "%.3g, not %.3g: the data bends within so wide a reach", *epsilon,
               before);
  if (*epsilon > before)
    run_reason(engine->run, "epsilon", "%.3g, not %.3g: that reaches few points, and the data bends little",
               *epsilon, before);
  return LAVDM_OK;
}

/* Within what the kernel can be evaluated at. */
static double usable(double epsilon) {
  return fmin(fmax(epsilon, 1e-280), 1e280);
}

int choose_bandwidth(engine_t *engine, const rows_t *rows, const rows_t *landmarks) {
  lavdm_options *o = &engine->run->options;
  if (o->epsilon != LAVDM_AUTO) return LAVDM_OK;
  double epsilon = 0;
  int status = landmarks ? at_least_landmarks(engine, rows, landmarks, &epsilon) : LAVDM_OK;
  if (!status) status = at_least_knn(engine, rows, landmarks ? landmarks->n : 0, &epsilon);
  if (!status && !on_knn_graph(engine->run, rows->n)) {
    double least = 0;
    status = fit_to_shape(engine, rows, &epsilon);
    if (!status) status = least_reach(engine, rows, landmarks, &least);
    if (!status && least > epsilon) {
      epsilon = least;
      run_reason(engine->run, "epsilon", "%.3g: with less more than one point in 100 would reach no %s",
                 least, landmarks ? "landmark" : "other");
    }
  }
  if (status < 0) return status;
  if (!(epsilon > 0))
    return fail(engine->run->error, LAVDM_ERROR_DATA,
                "all the points that were looked at are equal: there is nothing to embed");
  o->epsilon = usable(epsilon);
  return LAVDM_OK;
}

/* ------------------------------------------------------ images and signals */

static int turned_neighbours(engine_t *engine, const rows_t *rows, double *epsilon) {
  const lavdm_options *o = &engine->run->options;
  bool spread = !has_landmarks(o) && o->edges == LAVDM_EDGES_KNN;
  double typical = 0, most = 0;
  int status = distance_quantiles(engine, rows, rows, o->knn, spread ? 0.99 : 0.5, 1, &typical, &most);
  if (!status && !(typical > 0)) typical = most; /* half of them are copies of each other */
  if (!status && !(typical > 0) && rows->n > 1) {
    status = distance_quantiles(engine, rows, rows, rows->n, 0.5, 1, &typical, &most);
    typical = most;
  }
  if (!status) *epsilon = fmax(*epsilon, typical);
  return status;
}

static int turned_landmarks(engine_t *engine, const rows_t *rows, const rows_t *landmarks, double *epsilon) {
  double typical = 0, most = 0;
  int status = distance_quantiles(engine, rows, landmarks, 4, 0.5, 1, &typical, &most);
  if (status < 0) return status;
  *epsilon = fmax(*epsilon, typical);
  status = distance_quantiles(engine, rows, landmarks, 2, 0.5, 0.95, &typical, &most);
  if (!status) *epsilon = fmax(*epsilon, most);
  return status;
}

/* What is left of the squared distance of copies. */
static int rounding(engine_t *engine, const rows_t *rows, double *out) {
  double *x = NEW(double, rows->p), unit = DBL_EPSILON;
  if (engine->run->options.precision == LAVDM_PRECISION_SINGLE) unit = FLT_EPSILON;
  int status = x ? engine->ops->sample(engine, rows, 1, x) : fail_memory(engine->run->error, "the images");
  *out = 0;
  for (int64_t c = 0; c < rows->p && !status; c++) *out += x[c] * x[c];
  *out *= 16 * unit;
  mem_free(x);
  return status;
}

int choose_turned_bandwidth(engine_t *engine, const rows_t *rows, const rows_t *landmarks) {
  lavdm_options *o = &engine->run->options;
  if (o->epsilon != LAVDM_AUTO) return LAVDM_OK;
  double epsilon = 0, least = 0;
  int status = landmarks ? turned_landmarks(engine, rows, landmarks, &epsilon) : LAVDM_OK;
  if (!status) status = turned_neighbours(engine, rows, &epsilon);
  if (!status) status = rounding(engine, rows, &least);
  if (status < 0) return status;
  epsilon = fmax(epsilon, least);
  if (!(epsilon > 0))
    return fail(engine->run->error, LAVDM_ERROR_DATA,
                o->noise > 0 ? "nothing stands out of the noise (%g): give a smaller noise, or 0"
                             : "all the objects that were looked at are equal: there is nothing to embed",
                o->noise);
  o->epsilon = usable(epsilon);
  return LAVDM_OK;
}
