/*
 * Section 4.2: LA-VDM against VDM on the Klein bottle as the number of landmarks grows.
 * n = 3500, epsilon = 0.2, alpha = 0; random landmarks with beta = 1/2 as in the paper,
 * and k-means landmarks with beta from the design.
 */
#include "landmark_size/landmark_size.h"
#include "common/statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DESIGNS = 2, METRICS = 3, COMPARISONS = 18 };

const int64_t landmark_shown[SHOWN] = {1, 3, 5};
static const char *const design_names[DESIGNS] = {"random", "kmeans"};
static const char *const metric_names[METRICS] = {"error", "angle", "magnitude"};
static const double significance = 0.05;

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
  double *x = room(n, sizeof *x), *y = room(n, sizeof *y);
  memcpy(x, metric, (size_t)n * sizeof *x);
  int64_t count = numbers(x, x, n);
  text_add(rows, ",%.6g,%.6g", median(x, count), deviation(x, count));
  double p = NAN;
  if (before) {
    memcpy(x, metric, (size_t)n * sizeof *x);
    memcpy(y, before, (size_t)n * sizeof *y);
    count = numbers(x, y, n);
    p = wilcoxon(x, y, count);
  }
  text_add(rows, ",%.3g", p);
  free(x), free(y);
}

static void add_rows(const char *head, const fields_t *fit, const fields_t *reference, int tabled,
                     previous_t *previous, text_t *rows) {
  for (int s = 0; s < SHOWN; s++) {
    int64_t l = landmark_shown[s] - 1, n = fit->n;
    double *metric[METRICS];
    for (int k = 0; k < METRICS; k++) metric[k] = room(n, sizeof **metric);
    pointwise(fit, reference, l, metric[0], metric[1], metric[2]);
    text_add(rows, "%s,%lld,%.4g,%.4g,%.6g,%.6g,%.6g,%.6g,%.6g", head, (long long)l + 1, fit->seconds,
             reference->seconds, value_difference(fit, reference, l, 1),
             value_difference(fit, reference, l, 2), fields_cosine(fit, reference, l),
             fields_difference(fit, reference, l), eigenspace_cosine(fit, reference, l));
    for (int k = 0; k < METRICS; k++) {
      add_metric(metric[k], tabled ? previous->metric[s][k] : NULL, n, rows);
      double *old = tabled ? previous->metric[s][k] : metric[k];
      if (tabled) previous->metric[s][k] = metric[k];
      free(old);
    }
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
    say(head, "%d,%llu,%s,%lld", repetition, (unsigned long long)seed, design_names[design],
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
      "gap=15%%",
      (long long)sizes.n);
  series_t series = {
      .name = "landmark_size",
      .columns = "repetition,seed,design,m,l,seconds,vdm_seconds,eigenvalue,step,cosine,difference,space,"
                 "error,error_spread,error_p,angle,angle_spread,angle_p,"
                 "magnitude,magnitude_spread,magnitude_p",
      .settings = settings,
      .rows = DESIGNS * SHOWN * sizes.count,
      .one = one};
  int status = repeat(session, &series);
  if (status >= 0) summarise(session, "landmark_size", "design,m,l");
  return status < 0 ? status : write_maps(session);
}

/* Ours matches or beats the paper's median: to the digits that the paper gives. */
static int matched(int metric, double ours, double theirs) {
  return metric == 1 ? ours >= theirs - 0.0005 : ours <= theirs + 0.0005;
}

static double paper_median(const table_t *paper, int metric, int64_t l, int64_t m) {
  char where[128];
  return table_at(paper, "median",
                  say(where, "experiment=landmark_size metric=%s l=%lld m=%lld", metric_names[metric],
                      (long long)l, (long long)m));
}

static void row(const session_t *session, FILE *page) {
  table_t summary = read_summary(session, "landmark_size"), paper = read_paper();
  sizes_t sizes = landmark_sizes(session);
  for (int d = 0; d < DESIGNS; d++) {
    int good = 0, all = 0;
    for (int c = 0; c < METRICS * SHOWN * TABLE; c++) {
      char where[128];
      int metric = c % METRICS;
      int64_t l = landmark_shown[c / METRICS % SHOWN], m = sizes.table[c / METRICS / SHOWN];
      double theirs = paper_median(&paper, metric, l, m);
      say(where, "design=%s m=%lld l=%lld", design_names[d], (long long)m, (long long)l);
      if (isnan(theirs)) continue;
      all++;
      good += matched(metric, table_at(&summary, metric_names[metric], where), theirs);
    }
    fprintf(page,
            "| [landmark size](#42-landmark-size), %s | medians of the paper's table matched or beaten | %d "
            "| of %d | %s |\n",
            design_names[d], good, all, good == all ? "matched or better" : "see the section");
  }
  table_free(&summary), table_free(&paper);
}

/* One cell of the table: median ± MAD over the points, a star where the step to this m is
 * significant, and the paper's median. */
static void cell(FILE *to, const table_t *summary, const char *design, int metric, int64_t l, int64_t m) {
  char where[128], column[64];
  const char *name = metric_names[metric];
  say(where, "design=%s m=%lld l=%lld", design, (long long)m, (long long)l);
  double middle = table_at(summary, name, where);
  snprintf(column, sizeof column, "%s_spread", name);
  double spread = table_at(summary, column, where);
  snprintf(column, sizeof column, "%s_p", name);
  double p = table_at(summary, column, where);
  fprintf(to, " %.3f ± %.3f%s |", middle, spread, p < significance / COMPARISONS ? "\\*" : "");
}

static void metric_table(FILE *to, const table_t *summary, const table_t *paper, const sizes_t *sizes) {
  static const char *const titles[METRICS] = {"relative L² error", "cosine", "relative magnitude"};
  fprintf(to,
          "| eigenvector | metric | m | paper | random | | k-means | |\n|---|---|---|---|---|---|---|---|\n");
  for (int c = 0; c < METRICS * SHOWN * TABLE; c++) {
    int metric = c / TABLE % METRICS;
    int64_t m = sizes->table[c % TABLE], l = landmark_shown[c / TABLE / METRICS];
    double theirs = paper_median(paper, metric, l, m);
    fprintf(to, "| %lld | %s | %lld |", (long long)l, titles[metric], (long long)m);
    if (isnan(theirs))
      fprintf(to, " - |");
    else
      fprintf(to, " %.3f |", theirs);
    for (int d = 0; d < DESIGNS; d++) {
      char where[128];
      say(where, "design=%s m=%lld l=%lld", design_names[d], (long long)m, (long long)l);
      double ours = table_at(summary, metric_names[metric], where);
      cell(to, summary, design_names[d], metric, l, m);
      fprintf(to, " %s |", isnan(theirs) ? "" : matched(metric, ours, theirs) ? "✓" : "✗");
    }
    fprintf(to, "\n");
  }
}

static void space_table(FILE *to, const table_t *summary, const sizes_t *sizes) {
  fprintf(
      to,
      "\n| m | eigenvector | cosine, random | eigenspace | cosine, k-means | eigenspace | seconds, random | "
      "k-means | VDM |\n|---|---|---|---|---|---|---|---|---|\n");
  for (int c = 0; c < sizes->count * SHOWN; c++) {
    int64_t m = sizes->m[c / SHOWN], l = landmark_shown[c % SHOWN];
    char random[128], kmeans[128], a[64], b[64], d[64], e[64];
    say(random, "design=random m=%lld l=%lld", (long long)m, (long long)l);
    say(kmeans, "design=kmeans m=%lld l=%lld", (long long)m, (long long)l);
    fprintf(to, "| %lld | %lld | %s | %s | %s | %s | %.2f | %.2f | %.2f |\n", (long long)m, (long long)l,
            plus_minus(a, summary, "cosine", random), plus_minus(b, summary, "space", random),
            plus_minus(d, summary, "cosine", kmeans), plus_minus(e, summary, "space", kmeans),
            table_at(summary, "seconds", random), table_at(summary, "seconds", kmeans),
            table_at(summary, "vdm_seconds", random));
  }
  fprintf(to, "\n");
}

static void page(const session_t *session, FILE *to) {
  table_t summary = read_summary(session, "landmark_size"), paper = read_paper();
  table_t raw = read_raw(session, "landmark_size");
  sizes_t sizes = landmark_sizes(session);
  fprintf(to, "%.0f repetitions (%s); times on %s, the paper's on 36 cores.\n\n",
          table_at(&summary, "repetitions", ""), raw.remark[0], raw.remark[1]);
  fprintf(
      to,
      "The table gives the median ± MAD over the points, as the paper's does, each the median over the "
      "repetitions. \\*: the Wilcoxon signed-rank test over the points, against the m before, has median p < "
      "%g/%d. ✓: matches or beats the paper's median to the digits it gives, ✗: does not.\n\n",
      significance, COMPARISONS);
  metric_table(to, &summary, &paper, &sizes);
  space_table(to, &summary, &sizes);
  show_figure(
      session, to, "landmark_size",
      "Time, eigenvalue difference, cosine of eigenvectors and of eigenspaces for eigenvectors 1, 3, 5; "
      "median, and median absolute deviation. Filled: random landmarks; open: k-means.");
  show_figure(
      session, to, "landmark_size_fields",
      "Eigenvector fields 1, 3, 5 (rows) pulled back to (u,v), first repetition, random landmarks; last "
      "column: VDM.");
  show_figure(session, to, "landmark_size_error",
              "Relative L² error on (u,v); each cell shows its nearest point.");
  show_figure(session, to, "landmark_size_angle", "Cosine on (u,v).");
  show_figure(session, to, "landmark_size_magnitude", "Relative magnitude difference on (u,v).");
  table_free(&summary), table_free(&paper), table_free(&raw);
}

static const char *const figures[] = {"landmark_size",       "landmark_size_fields",    "landmark_size_error",
                                      "landmark_size_angle", "landmark_size_magnitude", NULL};

const experiment landmark_size_experiment = {"landmark_size", "4.2 Landmark size", figures, run, row, page};
