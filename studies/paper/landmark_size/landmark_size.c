/*
 * Section 4.2: LA-VDM against VDM on the Klein bottle as the number of landmarks grows.
 * n = 3500, epsilon = 0.2, alpha = 0; random landmarks with beta = 1/2 as in the paper,
 * and k-means landmarks with beta from the design.
 */
#include "landmark_size/landmark_size.h"
#include "common/statistics.h"
#include "lavdm/sample.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const int64_t landmark_shown[SHOWN] = {1, 3, 5};
const char *const landmark_designs[DESIGNS] = {"random", "kmeans"};

sizes_t landmark_sizes(const session_t *session) {
  static const sizes_t full = {
      3500, 11, {45, 64, 90, 128, 181, 256, 362, 512, 724, 1024, 2048}, {128, 512, 2048}, {256, 1024, 2048}};
  static const sizes_t quick = {1000, 4, {64, 128, 256, 512}, {64, 128, 512}, {64, 256, 512}};
  return session->quick ? quick : full;
}

void klein_points(int64_t n, uint64_t seed, double **x, double **uv) {
  lavdm_error error;
  *x = room(n * 4, sizeof **x);
  *uv = room(n * 2, sizeof **uv);
  if (lavdm_sample("klein", n, 0, "parameter", 0, seed, *x, NULL, *uv, &error) < 0)
    give_up("%s", error.message);
}

lavdm_options klein_options(session_t *session, lavdm_method method, int64_t m, uint64_t seed) {
  lavdm_options options = paper_options(session, method, 0.2, 0, seed);
  if (m) options.landmarks = m;
  return options;
}

/* The metrics at all points of the last size in the table, to test the next one against. */
typedef struct {
  double *metric[SHOWN][METRICS];
} previous_t;

static void previous_free(previous_t *previous) {
  for (int s = 0; s < SHOWN; s++)
    for (int k = 0; k < METRICS; k++) free(previous->metric[s][k]);
}

/* Pairs where both are numbers, moved to the front of both. */
static int64_t numbers(double *x, double *y, int64_t count) {
  int64_t used = 0;
  for (int64_t i = 0; i < count; i++)
    if (!isnan(x[i]) && !isnan(y[i])) x[used] = x[i], y[used++] = y[i];
  return used;
}

/* Median and MAD over the points; p of the signed-rank test against `before`, or NaN. */
static void add_metric(const double *metric, const double *before, int64_t n, text_t *rows) {
  double *x = room(n, sizeof *x), *y = room(n, sizeof *y), p = NAN;
  memcpy(x, metric, (size_t)n * sizeof *x);
  int64_t count = numbers(x, x, n);
  text_add(rows, ",%.4g,%.3g", median(x, count), deviation(x, count));
  if (before) {
    memcpy(x, metric, (size_t)n * sizeof *x);
    memcpy(y, before, (size_t)n * sizeof *y);
    count = numbers(x, y, n);
    p = wilcoxon(x, y, count);
  }
  text_add(rows, ",%.2g", p);
  free(x), free(y);
}

/* The same metrics of the nearest vector in the eigenspace: medians over the points. */
static void add_eigenspace(const fields_t *fit, const fields_t *reference, int64_t l, text_t *rows) {
  int64_t n = fit->n;
  double *nearest = room(n * fit->q, sizeof *nearest), *metric[METRICS];
  for (int k = 0; k < METRICS; k++) metric[k] = room(n, sizeof **metric);
  eigenspace_nearest(fit, reference, l, nearest);
  pointwise(nearest, field(reference, l), n, fit->q, metric[0], metric[1], metric[2]);
  for (int k = 0; k < METRICS; k++) {
    text_add(rows, ",%.4g", median(metric[k], numbers(metric[k], metric[k], n)));
    free(metric[k]);
  }
  free(nearest);
}

/* The rows of one fit. Of sizes in the table the metrics at all points are kept, for the
 * test of the next size against them. */
static void add_rows(const char *head, const fields_t *fit, const fields_t *reference, int tabled,
                     previous_t *previous, text_t *rows) {
  for (int s = 0; s < SHOWN; s++) {
    int64_t l = landmark_shown[s] - 1, n = fit->n;
    double *metric[METRICS];
    for (int k = 0; k < METRICS; k++) metric[k] = room(n, sizeof **metric);
    pointwise(field(fit, l), field(reference, l), n, fit->q, metric[0], metric[1], metric[2]);
    text_add(rows, "%s,%lld,%.3g,%.3g,%.3g,%.3g,%.4g,%.4g,%.4g,%.2g,%lld", head, (long long)l + 1,
             fit->seconds, reference->seconds, value_difference(fit, reference, l, 1),
             value_difference(fit, reference, l, 2), fields_cosine(fit, reference, l),
             fields_difference(fit, reference, l), eigenspace_cosine(fit, reference, l),
             spectral_gap(reference, l), (long long)nearest_vector(fit, reference, l) + 1);
    for (int k = 0; k < METRICS; k++) {
      double **old = &previous->metric[s][k];
      add_metric(metric[k], tabled ? *old : NULL, n, rows);
      free(tabled ? *old : metric[k]);
      if (tabled) *old = metric[k];
    }
    add_eigenspace(fit, reference, l, rows);
    text_add(rows, "\n");
  }
}

static int is_tabled(const sizes_t *sizes, int64_t m) {
  for (int k = 0; k < TABLE; k++)
    if (sizes->table[k] == m) return 1;
  return 0;
}

/* All sizes with one design. */
static int grow(session_t *session, int design, int repetition, uint64_t seed, const lavdm_data *data,
                const fields_t *reference, text_t *rows) {
  sizes_t sizes = landmark_sizes(session);
  previous_t previous = {0};
  int status = 0;
  for (int k = 0; k < sizes.count && status >= 0; k++) {
    lavdm_options options = klein_options(session, LAVDM_METHOD_LAVDM, sizes.m[k], seed);
    if (design == 1) options.design = LAVDM_DESIGN_KMEANS, options.beta = LAVDM_AUTO;
    fields_t fit;
    char head[128];
    status = fields_fit(session, data, options, 0, &fit);
    say(head, "%d,%llu,%s,%lld", repetition, (unsigned long long)seed, landmark_designs[design],
        (long long)sizes.m[k]);
    if (status >= 0) add_rows(head, &fit, reference, is_tabled(&sizes, sizes.m[k]), &previous, rows);
    fields_free(&fit);
  }
  previous_free(&previous);
  return status;
}

static int one(session_t *session, int repetition, uint64_t seed, text_t *rows, void *user) {
  double *x, *uv;
  fields_t reference;
  sizes_t sizes = landmark_sizes(session);
  (void)user;
  klein_points(sizes.n, seed, &x, &uv);
  lavdm_data data = {.points = x, .n = sizes.n, .p = 4};
  int status = fields_fit(session, &data, klein_options(session, LAVDM_METHOD_VDM, 0, seed), 0, &reference);
  for (int d = 0; d < DESIGNS && status >= 0; d++)
    status = grow(session, d, repetition, seed, &data, &reference, rows);
  fields_free(&reference);
  free(x), free(uv);
  return status;
}

static int run(session_t *session) {
  sizes_t sizes = landmark_sizes(session);
  char settings[128];
  say(settings,
      "klein uniform in (u,v) n=%lld epsilon=0.2 alpha=0 beta=1/2 (k-means: from the design) cutoff=4 "
      "gap=15%% or largest",
      (long long)sizes.n);
  series_t series = {.name = "landmark_size",
                     .columns =
                         "repetition,seed,design,m,l,seconds,vdm_seconds,eigenvalue,step,cosine,difference,"
                         "space,gap,nearest,"
                         "error,error_spread,error_p,angle,angle_spread,angle_p,"
                         "magnitude,magnitude_spread,magnitude_p,space_error,space_angle,space_magnitude",
                     .settings = settings,
                     .rows = DESIGNS * SHOWN * sizes.count,
                     .one = one};
  int status = repeat(session, &series);
  if (status >= 0) summarise(session, "landmark_size", "design,m,l");
  return status < 0 ? status : write_maps(session);
}

static const char *const figures[] = {"landmark_size",       "landmark_size_fields",    "landmark_size_error",
                                      "landmark_size_angle", "landmark_size_magnitude", NULL};

const experiment landmark_size_experiment = {"landmark_size",   "4.2 Landmark size", figures, run,
                                             landmark_size_row, landmark_size_page};
