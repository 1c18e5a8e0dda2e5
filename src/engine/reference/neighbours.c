/*
 * Distances between all pairs, sorted: Euclidean ones,
 *
 *     d_ik^2 = sum_j (x_ij - y_kj)^2,
 *
 * or those of another metric; x and y of cosine, correlation and haversine are points of the unit sphere
 * (reduce/sphere.h), where 1 - cos = |x - y|^2 / 2 and the angle is 2 asin(|x - y| / 2);
 *
 * and what the pipeline chooses from them: bandwidths and sizes from a sample of rows; landmarks.
 */
#include "base/random.h"
#include "base/sort.h"
#include "engine/reference/reference.h"

#include "graph/walk.h"

#include <stdlib.h>
#include <string.h>

static double squares(const double *x, const double *y, int64_t p) {
  double sum = 0;
  for (int64_t j = 0; j < p; j++) sum += (x[j] - y[j]) * (x[j] - y[j]);
  return sum;
}

static double distance(const metric_t *metric, const double *x, const double *y, int64_t p) {
  double sum = 0, most = 0, differ = 0, used = 0;
  for (int64_t j = 0; j < p; j++) {
    sum += fabs(x[j] - y[j]);
    most = fmax(most, fabs(x[j] - y[j]));
    differ += x[j] != y[j];
    used += x[j] != 0 || y[j] != 0;
  }
  switch (metric->kind) {
  case LAVDM_METRIC_COSINE:
  case LAVDM_METRIC_CORRELATION:
    return squares(x, y, p) / 2;
  case LAVDM_METRIC_HAVERSINE:
    return 2 * asin(fmin(sqrt(squares(x, y, p)) / 2, 1));
  case LAVDM_METRIC_MANHATTAN:
    return sum;
  case LAVDM_METRIC_CHEBYSHEV:
    return most;
  case LAVDM_METRIC_HAMMING:
    return differ / (double)p;
  case LAVDM_METRIC_JACCARD:
    return used > 0 ? differ / used : 0;
  default:
    return metric_given(metric, (int64_t)x[0], (int64_t)y[0]);
  }
}

double reference_distance2(const reference_rows *x, int64_t i, const reference_rows *y, int64_t k) {
  int64_t p = x->base.p;
  const double *a = x->x + i * p, *b = y->x + k * p;
  if (x->metric.kind == LAVDM_METRIC_EUCLIDEAN) return squares(a, b, p);
  double d = distance(&x->metric, a, b, p);
  return d * d;
}

static int nearer(const void *a, const void *b) {
  const reference_near *x = a, *y = b;
  if (x->d2 != y->d2) return x->d2 < y->d2 ? -1 : 1;
  return (x->index > y->index) - (x->index < y->index);
}

void reference_order(const reference_rows *rows, int64_t i, const reference_rows *among,
                     reference_near *near) {
  int64_t m = among->base.n;
  for (int64_t k = 0; k < m; k++) near[k] = (reference_near){reference_distance2(rows, i, among, k), k};
  qsort(near, (size_t)m, sizeof *near, nearer);
}

/* ----------------------------------------------------------------- samples */

/* The s-th of `count` rows evenly spread over n. */
static int64_t spread(int64_t s, int64_t count, int64_t n) {
  return (int64_t)((double)s * (double)n / (double)count);
}

int reference_sample(engine_t *engine, const rows_t *rows, int64_t count, double *x) {
  int64_t p = rows->p;
  const double *from = ((const reference_rows *)rows)->x;
  for (int64_t s = 0; s < count; s++)
    memcpy(x + s * p, from + spread(s, count, rows->n) * p, (size_t)p * sizeof *x);
  return run_status(engine->run);
}

int reference_nearest(engine_t *engine, const rows_t *rows, int64_t count, const rows_t *among, int64_t k,
                      double *d2) {
  run_t *run = engine->run;
  reference_near *near = NEW(reference_near, among->n);
  if (!near) return fail_memory(run->error, "the neighbours");
  if (rows == among) k++; /* a row is the nearest to itself */
  if (k > among->n) k = among->n;
  for (int64_t s = 0; s < count && !run_stopped(run, s, count); s++) {
    reference_order((const reference_rows *)rows, spread(s, count, rows->n), (const reference_rows *)among,
                    near);
    d2[s] = near[k - 1].d2;
  }
  mem_free(near);
  return run_status(run);
}

int reference_within(engine_t *engine, const rows_t *rows, int64_t count, const rows_t *among, double radius,
                     double *reach) {
  int64_t found = 0;
  for (int64_t s = 0; s < count && !run_stopped(engine->run, s, count); s++)
    for (int64_t k = 0; k < among->n; k++)
      found += reference_distance2((const reference_rows *)rows, spread(s, count, rows->n),
                                   (const reference_rows *)among, k) <= radius * radius;
  *reach = (double)found / (double)count;
  return run_status(engine->run);
}

/* Rows that one before them equals. */
int reference_copies(engine_t *engine, const rows_t *rows, int64_t *count) {
  const reference_rows *own = (const reference_rows *)rows;
  *count = 0;
  for (int64_t i = 0; i < rows->n && !run_stopped(engine->run, i, rows->n); i++) {
    bool copy = false;
    for (int64_t k = 0; k < i && !copy; k++) copy = reference_distance2(own, i, own, k) == 0;
    *count += copy;
  }
  return run_status(engine->run);
}

/* --------------------------------------------------------------- landmarks */

enum { STREAM_SUBSET = 201, STREAM_SEEDS }; /* of random numbers */
enum { LLOYD_STEPS = 100 };

/* m of the rows, every subset as likely as any other: the first of a shuffled list. */
static void random_subset(random_t *random, int64_t n, int64_t m, int64_t *list, int64_t *index) {
  for (int64_t i = 0; i < n; i++) list[i] = i;
  for (int64_t k = 0; k < m; k++) {
    int64_t other = k + random_below(random, n - k), taken = list[other];
    list[other] = list[k];
    index[k] = list[k] = taken;
  }
}

/* d2_i = min(d2_i, |x_i - x_k|^2) */
static void bring_near(const reference_rows *rows, int64_t k, double *d2) {
  for (int64_t i = 0; i < rows->base.n; i++) d2[i] = fmin(d2[i], reference_distance2(rows, i, rows, k));
}

/* How far row i is from the middle: from the mean, or, where there is none, from some rows on average. */
static double eccentricity(const reference_rows *rows, int64_t i, const reference_rows *mean) {
  enum { SAMPLE = 1000 };
  int64_t n = rows->base.n, count = n < SAMPLE ? n : SAMPLE;
  double sum = 0;
  if (metric_squares(&rows->metric)) return reference_distance2(rows, i, mean, 0);
  for (int64_t s = 0; s < count; s++) sum += sqrt(reference_distance2(rows, i, rows, spread(s, count, n)));
  return sum;
}

/* The row in the middle, and then each time the row farthest from those before. */
static void farthest(const reference_rows *rows, const reference_rows *mean, int64_t m, double *d2,
                     int64_t *index) {
  int64_t n = rows->base.n;
  for (int64_t i = 0; i < n; i++) d2[i] = -eccentricity(rows, i, mean);
  for (int64_t k = 0; k < m; k++) {
    int64_t best = 0;
    for (int64_t i = 1; i < n; i++)
      if (d2[i] > d2[best]) best = i;
    index[k] = best;
    for (int64_t i = 0; i < n && !k; i++) d2[i] = INFINITY;
    bring_near(rows, best, d2);
    d2[best] = -1; /* taken, even where it has copies */
  }
}

/* k-means++: each seed is drawn in proportion to the squared distance from those before. */
static void draw_seeds(random_t *random, const reference_rows *rows, int64_t m, double *d2,
                       reference_rows *centre) {
  int64_t n = rows->base.n, p = rows->base.p;
  for (int64_t i = 0; i < n; i++) d2[i] = INFINITY;
  int64_t seed = random_below(random, n);
  for (int64_t k = 0; k < m; k++) {
    memcpy(centre->x + k * p, rows->x + seed * p, (size_t)p * sizeof(double));
    bring_near(rows, seed, d2);
    double total = 0, at;
    for (int64_t i = 0; i < n; i++) total += d2[i];
    at = random_uniform(random) * total;
    seed = 0;
    while (seed + 1 < n && at >= d2[seed]) at -= d2[seed++];
  }
}

static int64_t nearest_centre(const reference_rows *rows, int64_t i, const reference_rows *centre) {
  int64_t best = 0;
  for (int64_t k = 1; k < centre->base.n; k++)
    if (reference_distance2(rows, i, centre, k) < reference_distance2(rows, i, centre, best)) best = k;
  return best;
}

/* Every centre to the mean of the rows that are nearest to it; whether a row has another centre than before.
 * A centre without rows stays. */
static bool lloyd_step(const reference_rows *rows, reference_rows *centre, int64_t *cell) {
  int64_t n = rows->base.n, p = rows->base.p;
  bool moved = false;
  for (int64_t i = 0; i < n; i++) {
    int64_t now = nearest_centre(rows, i, centre);
    moved |= now != cell[i];
    cell[i] = now;
  }
  for (int64_t k = 0; k < centre->base.n; k++) {
    int64_t members = 0;
    for (int64_t i = 0; i < n; i++) members += cell[i] == k;
    for (int64_t j = 0; members && j < p; j++) {
      double sum = 0;
      for (int64_t i = 0; i < n; i++) sum += cell[i] == k ? rows->x[i * p + j] : 0;
      centre->x[k * p + j] = sum / (double)members;
    }
  }
  return moved;
}

/* Every centre to the nearest row that none before it took. */
static void snap(const reference_rows *rows, const reference_rows *centre, char *taken, int64_t *index) {
  for (int64_t k = 0; k < centre->base.n; k++) {
    int64_t best = -1;
    for (int64_t i = 0; i < rows->base.n; i++)
      if (!taken[i] &&
          (best < 0 || reference_distance2(rows, i, centre, k) < reference_distance2(rows, best, centre, k)))
        best = i;
    index[k] = best;
    taken[best] = 1;
  }
}

/* On a graph, among places whose distances are those of diffusion. */
static int graph_landmarks(engine_t *engine, const reference_rows *rows, lavdm_design design, int64_t m,
                           int64_t *index) {
  reference_rows places = {.base = {.n = rows->base.n, .p = WALK_COORDINATES},
                           .x = NEW(double, rows->base.n *WALK_COORDINATES)};
  int status = places.x ? walk_coordinates(engine->run, &rows->given.graph, places.x)
                        : fail_memory(engine->run->error, "choosing landmarks");
  if (!status) status = reference_landmarks(engine, &places.base, design, m, index);
  mem_free(places.x);
  return status;
}

int reference_landmarks(engine_t *engine, const rows_t *given, lavdm_design design, int64_t m,
                        int64_t *index) {
  run_t *run = engine->run;
  const reference_rows *rows = (const reference_rows *)given;
  if (rows->given.row_node) return graph_landmarks(engine, rows, design, m, index);
  reference_rows plain = *rows; /* k-means goes by coordinates */
  plain.metric = (metric_t){0};
  int64_t n = given->n, p = given->p;
  reference_rows centre = {.base = {.n = m, .p = p}, .x = NEW(double, m *p)};
  double *d2 = NEW(double, n);
  int64_t *list = NEW(int64_t, n);
  char *taken = NEW(char, n);
  int status = centre.x && d2 && list && taken ? LAVDM_OK : fail_memory(run->error, "choosing landmarks");
  if (!status && design == LAVDM_DESIGN_FARTHEST) {
    for (int64_t i = 0; i < n; i++)
      for (int64_t j = 0; j < p; j++) centre.x[j] += rows->x[i * p + j] / (double)n;
    farthest(rows, &centre, m, d2, index);
  } else if (!status && design == LAVDM_DESIGN_KMEANS) {
    random_t random = random_start(run->options.seed, STREAM_SEEDS);
    draw_seeds(&random, &plain, m, d2, &centre);
    for (int64_t i = 0; i < n; i++) list[i] = -1;
    for (int step = 0; step < LLOYD_STEPS && !run_stopped(run, step, LLOYD_STEPS); step++)
      if (!lloyd_step(&plain, &centre, list)) break;
    snap(&plain, &centre, taken, index);
  } else if (!status) {
    random_t random = random_start(run->options.seed, STREAM_SUBSET);
    random_subset(&random, n, m, list, index);
  }
  if (!status) sort_integers(index, m);
  mem_free(centre.x);
  mem_free(d2);
  mem_free(list);
  mem_free(taken);
  return status < 0 ? status : run_status(run);
}
