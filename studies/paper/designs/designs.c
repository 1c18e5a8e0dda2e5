/*
 * Landmark designs: LA-VDM against VDM on the Klein bottle and the distorted sphere, with
 * m landmarks chosen at random, by farthest points and by k-means, beta from the design.
 * Measured on the leading eigenspace: the first FEWEST to LARGEST vectors, cut where
 * -log of the eigenvalues of VDM grows by the largest factor.
 */
#include "common/fields.h"
#include "lavdm/sample.h"

#include <math.h>
#include <stdlib.h>

enum { SHAPES = 2, DESIGNS = 3, MOST = 7, FEWEST = 5, LARGEST = 10 };

static const char *const shapes[SHAPES] = {"klein", "distorted-sphere"};
static const char *const densities[SHAPES] = {"parameter", "uniform"};
static const int64_t widths[SHAPES] = {4, 3};
static const double epsilons[SHAPES] = {0.2, 0.17};
static const char *const design_names[DESIGNS] = {"random", "farthest", "kmeans"};
static const lavdm_design designs[DESIGNS] = {LAVDM_DESIGN_RANDOM, LAVDM_DESIGN_FARTHEST,
                                              LAVDM_DESIGN_KMEANS};
static const int64_t sizes[MOST] = {32, 64, 128, 256, 512, 1024, 2048};

/* The sizes from 32 on of a shape; random ones run up to the last, designed ones up to
 * the one before the last but one. */
static int sizes_of(const session_t *session, int design) {
  return (session->quick ? 5 : MOST) - (design ? 2 : 0);
}

/* Quick: fewer points of the Klein bottle, so they must reach further. */
static double epsilon(const session_t *session, int shape) {
  return session->quick && !shape ? 0.4 : epsilons[shape];
}

static int64_t points(const session_t *session) {
  return session->quick ? 1200 : 3500;
}

/* The dimension of the leading eigenspace. */
static int64_t leading(const fields_t *f) {
  int64_t best = FEWEST;
  double widest = 0;
  for (int64_t k = FEWEST; k <= LARGEST; k++) {
    double gap = log(f->values[k]) / log(f->values[k - 1]);
    if (gap > widest) widest = gap, best = k;
  }
  return best;
}

static void add_row(const char *head, const fields_t *fit, const fields_t *reference, text_t *rows) {
  int64_t last = leading(reference);
  double mean = 0, value = 0;
  for (int64_t l = 0; l < last; l++) {
    mean += fields_cosine(fit, reference, l) / (double)last;
    value += value_difference(fit, reference, l, 2) / (double)last;
  }
  text_add(rows, "%s,%lld,%.6g,%.6g,%.6g,%.4g\n", head, (long long)last,
           worst_cosine(fit, reference, 0, last), mean, value, fit->seconds);
}

static int one_shape(session_t *session, int shape, int repetition, uint64_t seed, text_t *rows) {
  int64_t n = points(session);
  double *x = room(n * widths[shape], sizeof *x);
  lavdm_error error;
  if (lavdm_sample(shapes[shape], n, 0, densities[shape], 0, seed, x, NULL, NULL, &error) < 0)
    give_up("%s", error.message);
  lavdm_data data = {.points = x, .n = n, .p = widths[shape]};
  lavdm_options options = paper_options(session, LAVDM_METHOD_VDM, epsilon(session, shape), 0, seed);
  options.components = 16;
  fields_t reference, fit;
  int status = fields_fit(session, &data, options, 0, &reference);
  options.method = LAVDM_METHOD_LAVDM;
  options.beta = LAVDM_AUTO;
  for (int d = 0; d < DESIGNS; d++)
    for (int k = 0; k < sizes_of(session, d) && status >= 0; k++) {
      char head[128];
      options.design = designs[d], options.landmarks = sizes[k];
      status = fields_fit(session, &data, options, 0, &fit);
      say(head, "%d,%llu,%s,%s,%lld", repetition, (unsigned long long)seed, shapes[shape], design_names[d],
          (long long)sizes[k]);
      if (status >= 0) add_row(head, &fit, &reference, rows);
      fields_free(&fit);
    }
  fields_free(&reference);
  free(x);
  return status;
}

static int one(session_t *session, int repetition, uint64_t seed, text_t *rows, void *user) {
  int status = 0;
  (void)user;
  for (int shape = 0; shape < SHAPES && status >= 0; shape++)
    status = one_shape(session, shape, repetition, seed, rows);
  return status;
}

/*
 * How many random landmarks reach `cosine`: log m interpolated in log(1 - cosine) between
 * the sizes where the medians first reach it; NaN if none does, the least m if all do.
 */
static double random_worth(const session_t *session, const table_t *summary, const char *shape,
                           double cosine) {
  double before = NAN;
  for (int k = 0; k < sizes_of(session, 0); k++) {
    char where[128];
    say(where, "shape=%s design=random m=%lld", shape, (long long)sizes[k]);
    double here = table_at(summary, "space", where);
    if (here >= cosine) {
      if (!k) return (double)sizes[0];
      double part = log((1 - before) / (1 - cosine)) / log((1 - before) / (1 - here));
      return (double)sizes[k - 1] * pow((double)sizes[k] / (double)sizes[k - 1], part);
    }
    before = here;
  }
  return NAN;
}

/* Random landmarks that one designed landmark is worth; `bound` is set if more than the
 * largest number tried. */
static double worth(const session_t *session, const table_t *summary, int shape, int design, int64_t m,
                    int *bound) {
  char where[128];
  say(where, "shape=%s design=%s m=%lld", shapes[shape], design_names[design], (long long)m);
  double same = random_worth(session, summary, shapes[shape], table_at(summary, "space", where));
  *bound = isnan(same);
  return (*bound ? (double)sizes[sizes_of(session, 0) - 1] : same) / (double)m;
}

/* designs_worth.csv, for the figure and the page. */
static void write_worth(const session_t *session) {
  table_t summary = read_summary(session, "designs");
  text_t text = {0};
  char path[4096];
  text_add(&text, "shape,design,m,worth,at_least\n");
  for (int shape = 0; shape < SHAPES; shape++)
    for (int d = 1; d < DESIGNS; d++)
      for (int k = 0; k < sizes_of(session, d); k++) {
        char where[128];
        int bound;
        say(where, "shape=%s design=%s m=%lld", shapes[shape], design_names[d], (long long)sizes[k]);
        if (table_at(&summary, "space", where) < 0.5) continue; /* not recovered at all */
        double value = worth(session, &summary, shape, d, sizes[k], &bound);
        text_add(&text, "%s,%s,%lld,%.3f,%d\n", shapes[shape], design_names[d], (long long)sizes[k], value,
                 bound);
      }
  snprintf(path, sizeof path, "%s/designs_worth.csv", session->folder);
  write_whole(path, text.data, text.size);
  text_free(&text);
  table_free(&summary);
}

static int run(session_t *session) {
  char settings[128];
  int rows = 0;
  for (int d = 0; d < DESIGNS; d++) rows += SHAPES * sizes_of(session, d);
  say(settings,
      "klein parameter epsilon=%g, distorted-sphere uniform epsilon=%g, n=%lld alpha=0 beta from the design "
      "cutoff=4",
      epsilon(session, 0), epsilon(session, 1), (long long)points(session));
  series_t series = {.name = "designs",
                     .columns = "repetition,seed,shape,design,m,size,space,cosine,step,seconds",
                     .settings = settings,
                     .rows = rows,
                     .one = one};
  int status = repeat(session, &series);
  if (status < 0) return status;
  summarise(session, "designs", "shape,design,m");
  write_worth(session);
  return 0;
}

/* "4.5", "> 4.5" or "-". */
static const char *worth_text(char text[128], const table_t *worths, const char *where) {
  double value = table_at(worths, "worth", where);
  if (isnan(value)) return "-";
  return say(text, "%s%.1f", table_at(worths, "at_least", where) > 0 ? "> " : "", value);
}

static void row(const session_t *session, FILE *to) {
  table_t worths = read_raw(session, "designs_worth");
  for (int shape = 0; shape < SHAPES; shape++) {
    char kmeans[128], farthest[128], a[128], b[128];
    int m = session->quick ? 128 : 256;
    say(kmeans, "shape=%s design=kmeans m=%d", shapes[shape], m);
    say(farthest, "shape=%s design=farthest m=%d", shapes[shape], m);
    fprintf(
        to,
        "| [designs](#ours-landmark-designs), %s | random landmarks that one of %d by k-means (by farthest "
        "points) is worth | %s (%s) | not in the paper | |\n",
        shapes[shape], m, worth_text(a, &worths, kmeans), worth_text(b, &worths, farthest));
  }
  table_free(&worths);
}

static void page_table(const session_t *session, FILE *to, int shape, const table_t *summary,
                       const table_t *worths) {
  char where[128];
  say(where, "shape=%s", shapes[shape]);
  fprintf(to,
          "%s, the leading eigenspace (its dimension, in the median: %.0f):\n\n| m | random | farthest | "
          "k-means | mean cosine "
          "of vectors: random | farthest | k-means | worth: farthest | k-means |\n"
          "|---|---|---|---|---|---|---|---|---|\n",
          shape ? "Distorted sphere" : "Klein bottle", table_at(summary, "size", where));
  for (int k = 0; k < sizes_of(session, 0); k++) {
    fprintf(to, "| %lld |", (long long)sizes[k]);
    for (int column = 0; column < 2; column++)
      for (int d = 0; d < DESIGNS; d++) {
        char a[64];
        say(where, "shape=%s design=%s m=%lld", shapes[shape], design_names[d], (long long)sizes[k]);
        fprintf(to, " %s |", plus_minus(a, summary, column ? "cosine" : "space", where));
      }
    for (int d = 1; d < DESIGNS; d++) {
      char text[128];
      say(where, "shape=%s design=%s m=%lld", shapes[shape], design_names[d], (long long)sizes[k]);
      fprintf(to, " %s |", worth_text(text, worths, where));
    }
    fprintf(to, "\n");
  }
  fprintf(to, "\n");
}

static void page(const session_t *session, FILE *to) {
  table_t summary = read_summary(session, "designs"), raw = read_raw(session, "designs"),
          worths = read_raw(session, "designs_worth");
  fprintf(to,
          "%.0f repetitions (%s). The cosine is that of the largest principal angle between the leading "
          "eigenspaces of LA-VDM and VDM, "
          "cut at the widest gap; *worth* is how many random landmarks reach the same "
          "median cosine, divided by m (interpolated, where the cosine is at least 0.5; > where the largest "
          "number tried does not).\n\n",
          table_at(&summary, "repetitions", ""), raw.remark[0]);
  for (int shape = 0; shape < SHAPES; shape++) page_table(session, to, shape, &summary, &worths);
  show_figure(session, to, "designs",
              "1 − cosine against the number of landmarks; median, and median absolute deviation.");
  table_free(&summary), table_free(&raw), table_free(&worths);
}

static const char *const figures[] = {"designs", NULL};

const experiment designs_experiment = {"designs", "Ours: landmark designs", figures, run, row, page};
