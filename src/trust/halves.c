/*
 * Two disjoint samples, fitted with what the run chose, and the first once more with a kernel
 * of twice the epsilon and the same landmarks. Frames are those of the run. A sample has fewer
 * points and landmarks than the run: epsilon is raised where otherwise too few would be within
 * reach.
 */
#include "base/memory.h"
#include "base/options.h"
#include "base/sort.h"
#include "trust/parts.h"

#include <math.h>
#include <string.h>

/* Sizes at which the test costs less than half of a run (studies/real/trust.py --time). */
enum {
  MOST_POINTS = 1500,   /* of a sample with landmarks: a third of the points, or so many */
  THIRD = 400,          /* without: a third of the points, up to here ... */
  MOST_SQUARE = 700,    /* ... or an eighth, up to here */
  MOST_LANDMARKS = 150, /* of a sample */
  FEWEST_REACHED = 8,   /* points within sqrt(epsilon) of a typical one, without landmarks */
  ASKED = 100,          /* rows that say what is typical */
};

static int64_t lesser(int64_t a, int64_t b) {
  return a < b ? a : b;
}

static int follow(const char *stage, double fraction, void *user) {
  (void)stage;
  run_t *run = user;
  return run_stopped(run, (int64_t)(1000 * fraction), 1000);
}

/* ------------------------------------------------------------------ epsilon */

/* The median (or, with `most`, nearly the largest) over some rows of the squared distance to the k-th
 * nearest (from 0) of `count` points. */
static int typical(const trust_t *t, const some_t *rows, const double *x, int64_t count, int64_t k, bool most,
                   double *out) {
  int64_t asked = rows->n < ASKED ? rows->n : ASKED;
  double *d2 = NEW(double, count), *found = NEW(double, asked);
  int status = d2 && found ? LAVDM_OK : fail_memory(t->run->error, "a sample");
  for (int64_t i = 0; i < asked && !status; i++) {
    for (int64_t j = 0; j < count; j++) d2[j] = some_distance(t, rows->x + i * t->p, x + j * t->p);
    found[i] = smallest_real(d2, count, k < count ? k : count - 1);
  }
  if (!status) *out = smallest_real(found, asked, most ? asked - 1 - asked / 100 : asked / 2);
  mem_free(d2);
  mem_free(found);
  return status;
}

/* How much further the landmarks of a sample are: (m / 2 of a sample)^(2/d), in squares, as some of the
 * run's own landmarks show. */
static int thinner(trust_t *t, double *factor) {
  enum { NEAR = 3 };
  const double *z = model_data(t->model, "landmarks");
  int64_t kept = 2 * t->landmarks;
  *factor = 1;
  if (!z || kept >= t->m) return LAVDM_OK;
  double *some = NEW(double, kept * t->p), all = 0, fewer = 0;
  if (!some) return fail_memory(t->run->error, "a sample");
  for (int64_t k = 0; k < kept; k++)
    memcpy(some + k * t->p, z + (k * t->m / kept) * t->p, (size_t)t->p * sizeof *some);
  int status = typical(t, &t->common, z, t->m, NEAR, false, &all);
  if (!status) status = typical(t, &t->common, some, kept, NEAR, false, &fewer);
  if (!status && all > 0) *factor = fmax(1, fewer / all);
  mem_free(some);
  return status;
}

static int set_kernel(trust_t *t, lavdm_options *o) {
  const some_t *a = &t->half[0];
  double reached = 0, factor = 1;
  int status;
  if (t->landmarks) {
    status = thinner(t, &factor);
    o->epsilon *= factor;
    return status;
  }
  bool knn = o->edges == LAVDM_EDGES_KNN;
  if (knn) o->knn = (int64_t)fmax(FEWEST_REACHED, (double)o->knn * (double)a->n / (double)t->n);
  status = typical(t, a, a->x, a->n, knn ? o->knn : FEWEST_REACHED, knn, &reached);
  o->epsilon = fmax(o->epsilon, reached);
  return status;
}

/* --------------------------------------------------------------------- fits */

/* A fit that cannot be had is no error, unless memory is short or the run is to stop. */
static int one_fit(trust_t *t, const some_t *some, const lavdm_options *o, const lavdm_array *marks,
                   lavdm_model **out) {
  lavdm_error error = {0};
  lavdm_data data = {.points = some->x, .n = some->n, .p = t->p, .distances = t->data->distances};
  lavdm_options own = *o;
  if (marks) {
    data.landmark_index = marks->data;
    data.landmark_count = marks->shape[0];
    own.design = LAVDM_DESIGN_GIVEN;
  }
  int status = t->fit(&data, &own, some->frames, some->weight, out, &error);
  if (status == LAVDM_ERROR_MEMORY) return fail_memory(t->run->error, "the fit of a sample");
  int stopped = run_status(t->run);
  return stopped < 0 ? stopped : status < 0 ? 1 : LAVDM_OK;
}

static void sizes(trust_t *t, int64_t *count) {
  int64_t third = lesser(t->n / 3, THIRD), eighth = lesser(t->n / 8, MOST_SQUARE);
  *count = third > eighth ? third : eighth;
  if (!has_landmarks(&t->run->options)) return;
  *count = lesser(t->n / 3, MOST_POINTS);
  t->landmarks = lesser(t->m / 2, MOST_LANDMARKS);
  t->landmarks = lesser(t->landmarks > 2 ? t->landmarks : 2, *count);
}

int halves_fit(trust_t *t) {
  lavdm_options o = t->run->options;
  int64_t count;
  sizes(t, &count);
  int status = LAVDM_OK;
  for (int h = 0; h < 2 && !status; h++) status = some_take(t, count, &t->half[h]);
  some_forget(t);
  if (!status) status = some_take(t, COMMON, &t->common);
  if (!status && (10 * t->half[1].n < 9 * count || !t->common.n)) status = 1;
  if (status) return status;
  o.trust = LAVDM_TRUST_NO;
  o.pca = 0;
  o.stream = LAVDM_STREAM_NO;
  o.components = t->pairs;
  if (o.progress) o.progress = follow, o.progress_user = t->run;
  if (t->landmarks) {
    o.landmarks = t->landmarks;
    if (o.design == LAVDM_DESIGN_GIVEN) o.design = LAVDM_DESIGN_KMEANS;
    if (o.components > t->landmarks * t->q) o.components = t->landmarks * t->q;
  }
  status = set_kernel(t, &o);
  for (int h = 0; h < 2 && !status; h++) status = one_fit(t, &t->half[h], &o, NULL, &t->fitted[h]);
  if (status) return status;
  o.epsilon *= 2;
  if (!t->landmarks && o.edges == LAVDM_EDGES_KNN) o.knn = 2 * o.knn < count ? 2 * o.knn : count - 1;
  return one_fit(t, &t->half[0], &o, lavdm_get(t->fitted[0], "landmark_index"), &t->wide);
}
