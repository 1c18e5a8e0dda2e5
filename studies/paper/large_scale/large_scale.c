/*
 * Section 4.6: LA-VDM on the Klein bottle and the distorted sphere at 500,000 and
 * 1,000,000 points with the paper's epsilon and numbers of landmarks, in single precision
 * as in the paper; and VDM at 500,000 points of the Klein bottle, on the k-NN graph.
 *
 * The paper cuts weights off "beyond 5.0 epsilon", which as a distance would leave most
 * points without a landmark; here it is 4 sqrt(epsilon).
 */
#include "common/fields.h"
#include "lavdm/sample.h"

#include <math.h>
#include <stdlib.h>

enum { SHAPES = 2, SIZES = 2, DESIGNS = 2, REPETITIONS = 3, PAIRS = 20 };

static const char *const shapes[SHAPES] = {"klein", "distorted-sphere"};
static const char *const densities[SHAPES] = {"parameter", "uniform"};
static const int64_t widths[SHAPES] = {4, 3};
static const char *const design_names[DESIGNS] = {"random", "kmeans"};
static const lavdm_design designs[DESIGNS] = {LAVDM_DESIGN_RANDOM, LAVDM_DESIGN_KMEANS};

typedef struct {
  int64_t n, m;
  double epsilon[SHAPES];
} size_case;

/* Quick: epsilon grows as the distance of landmarks does. */
static size_case size_of(const session_t *session, int k) {
  static const size_case full[SIZES] = {{500000, 706, {0.03, 0.014}}, {1000000, 1000, {0.025, 0.012}}};
  static const size_case quick[SIZES] = {{20000, 141, {0.15, 0.07}}, {50000, 223, {0.112, 0.0538}}};
  return session->quick ? quick[k] : full[k];
}

static double *draw(int shape, int64_t n, uint64_t seed) {
  lavdm_error error;
  double *x = room(n * widths[shape], sizeof *x);
  if (lavdm_sample(shapes[shape], n, 0, densities[shape], 0, seed, x, NULL, NULL, &error) < 0)
    give_up("%s", error.message);
  return x;
}

static lavdm_options options_for(session_t *session, const size_case *size, int shape, int design,
                                 uint64_t seed) {
  lavdm_options options = paper_options(session, LAVDM_METHOD_LAVDM, size->epsilon[shape], 0, seed);
  options.precision = LAVDM_PRECISION_SINGLE;
  options.landmarks = size->m;
  options.design = designs[design];
  options.beta = design ? LAVDM_AUTO : 0.5;
  options.components = PAIRS;
  return options;
}

/* One timed fit. */
static int time_fit(const lavdm_options *options, const char *head, const double *x, int64_t n, int64_t p,
                    text_t *rows) {
  lavdm_data data = {.points = x, .n = n, .p = p};
  lavdm_model *model;
  lavdm_error error;
  double began = seconds_now();
  int status = lavdm_fit(&data, options, &model, &error);
  if (status == LAVDM_ERROR_INTERRUPTED) return status;
  if (status < 0) give_up("%s", error.message);
  const lavdm_info_t *info = lavdm_info(model);
  text_add(rows, "%s,%.4g,%lld,%.4g,%lld,%.4g\n", head, seconds_now() - began,
           (long long)info->chosen->threads, (double)info->edges / (double)n, (long long)info->far_points,
           (double)info->memory_needed / 1e6);
  lavdm_free(model);
  return 0;
}

static int one(session_t *session, int repetition, uint64_t seed, text_t *rows, void *user) {
  int status = 0;
  (void)user;
  for (int k = 0; k < SIZES; k++)
    for (int shape = 0; shape < SHAPES && status >= 0; shape++) {
      size_case size = size_of(session, k);
      double *x = draw(shape, size.n, seed);
      for (int d = 0; d < DESIGNS && status >= 0; d++) {
        lavdm_options options = options_for(session, &size, shape, d, seed);
        char head[128];
        say(head, "%d,%llu,%s,%lld,%lld,%g,%s", repetition, (unsigned long long)seed, shapes[shape],
            (long long)size.n, (long long)size.m, size.epsilon[shape], design_names[d]);
        status = time_fit(&options, head, x, size.n, widths[shape], rows);
      }
      free(x);
    }
  return status;
}

/* VDM of the Klein bottle. */
static int one_vdm(session_t *session, int repetition, uint64_t seed, text_t *rows, void *user) {
  size_case size = size_of(session, 0);
  double *x = draw(0, size.n, seed);
  lavdm_options options = options_for(session, &size, 0, 0, seed);
  char head[128];
  (void)user;
  options.method = LAVDM_METHOD_VDM, options.edges = LAVDM_EDGES_KNN;
  say(head, "%d,%llu,%lld", repetition, (unsigned long long)seed, (long long)size.n);
  int status = time_fit(&options, head, x, size.n, widths[0], rows);
  free(x);
  return status;
}

static int run(session_t *session) {
  char settings[128];
  size_case a = size_of(session, 0), b = size_of(session, 1);
  say(settings,
      "n=%lld and %lld m=%lld and %lld single precision alpha=0 beta=1/2 (k-means: from the design) cutoff=4",
      (long long)a.n, (long long)b.n, (long long)a.m, (long long)b.m);
  series_t series = {.name = "large_scale",
                     .columns =
                         "repetition,seed,shape,n,m,epsilon,design,seconds,threads,edges,far,megabytes",
                     .settings = settings,
                     .rows = SIZES * SHAPES * DESIGNS,
                     .repetitions = REPETITIONS,
                     .one = one};
  int status = repeat(session, &series);
  if (status < 0) return status;
  summarise(session, "large_scale", "shape,n,m,epsilon,design");
  say(settings, "klein parameter n=%lld VDM on the k-NN graph epsilon=%g, single precision", (long long)a.n,
      a.epsilon[0]);
  series_t vdm = {.name = "large_scale_vdm",
                  .columns = "repetition,seed,n,seconds,threads,edges,far,megabytes",
                  .settings = settings,
                  .rows = 1,
                  .repetitions = 1,
                  .one = one_vdm};
  status = repeat(session, &vdm);
  if (status >= 0) summarise(session, "large_scale_vdm", "n");
  return status;
}

/* The paper's seconds; NaN when quick. */
static double theirs(const table_t *paper, const char *metric, int64_t m) {
  char where[128];
  return table_at(paper, "median",
                  say(where, "experiment=large_scale metric=%s m=%lld", metric, (long long)m));
}

static void row(const session_t *session, FILE *to) {
  table_t summary = read_summary(session, "large_scale"), vdm = read_summary(session, "large_scale_vdm"),
          paper = read_paper();
  for (int shape = 0; shape < SHAPES; shape++)
    for (int k = 0; k < SIZES; k++) {
      size_case size = size_of(session, k);
      char where[128];
      double seconds = theirs(&paper, shapes[shape], size.m);
      say(where, "shape=%s n=%lld design=random", shapes[shape], (long long)size.n);
      double ours = table_at(&summary, "seconds", where);
      fprintf(to, "| [large scale](#46-large-scale), %s, n = %lld | seconds | %.2f | ", shapes[shape],
              (long long)size.n, ours);
      if (seconds == seconds)
        fprintf(to, "%.1f | %.0f times faster, on another machine |\n", seconds, seconds / ours);
      else
        fprintf(to, "- | |\n");
    }
  double seconds = theirs(&paper, "vdm", size_of(session, 0).m), ours = table_at(&vdm, "seconds", "");
  fprintf(to, "| [large scale](#46-large-scale), VDM, n = %lld | seconds | %.1f | ",
          (long long)size_of(session, 0).n, ours);
  if (seconds == seconds)
    fprintf(to, "%.0f (eigenvectors alone) | on a sparser graph |\n", seconds);
  else
    fprintf(to, "- | |\n");
  table_free(&summary), table_free(&vdm), table_free(&paper);
}

static void page_times(const session_t *session, FILE *to, const table_t *summary, const table_t *paper) {
  fprintf(to, "| shape | n | ε | m | seconds, random | seconds, k-means | the paper's seconds | landmarks in "
              "reach | points "
              "with none | megabytes |\n|---|---|---|---|---|---|---|---|---|---|\n");
  for (int shape = 0; shape < SHAPES; shape++)
    for (int k = 0; k < SIZES; k++) {
      size_case size = size_of(session, k);
      char random[128], kmeans[128], a[64], b[64], text[128];
      double seconds = theirs(paper, shapes[shape], size.m);
      say(random, "shape=%s n=%lld design=random", shapes[shape], (long long)size.n);
      say(kmeans, "shape=%s n=%lld design=kmeans", shapes[shape], (long long)size.n);
      fprintf(to, "| %s | %lld | %g | %lld | %s | %s | %s | %.1f | %.0f | %.0f |\n", shapes[shape],
              (long long)size.n, size.epsilon[shape], (long long)size.m,
              plus_minus(a, summary, "seconds", random), plus_minus(b, summary, "seconds", kmeans),
              seconds == seconds ? say(text, "%.1f", seconds) : "-", table_at(summary, "edges", random),
              table_at(summary, "far", random), table_at(summary, "megabytes", random));
    }
}

static void page_vdm(const session_t *session, FILE *to, const table_t *paper) {
  table_t vdm = read_summary(session, "large_scale_vdm"), raw = read_raw(session, "large_scale_vdm");
  double n = table_at(&vdm, "n", "");
  fprintf(
      to,
      "\nVDM (%s) took %.1f s and about %.0f MB, with %.3f%% of the pairs. The paper made its graph sparse "
      "by "
      "leaving out distances above ε, which left it %g%% of the pairs, and took %.0f s for the eigenvectors "
      "alone at 500,000 points. The two times are therefore not of the same problem. Nor are the fields of a "
      "k-NN "
      "graph those of LA-VDM: nearest neighbours weigh the density of points in another way.\n\n",
      raw.remark[0], table_at(&vdm, "seconds", ""), table_at(&vdm, "megabytes", ""),
      100 * table_at(&vdm, "edges", "") / n,
      table_at(paper, "median", "experiment=large_scale metric=vdm_percent"),
      table_at(paper, "median", "experiment=large_scale metric=vdm"));
  table_free(&vdm), table_free(&raw);
}

static void page(const session_t *session, FILE *to) {
  table_t summary = read_summary(session, "large_scale"), raw = read_raw(session, "large_scale"),
          paper = read_paper();
  fprintf(to,
          "%.0f repetitions (%s). Ours: %s, %.0f threads. The paper's: a %.0f-core CPU with %.0f GB, Python "
          "3.10 and "
          "NumPy 1.26.4. Times are of whole fits, without the drawing of the points. The paper truncates "
          "\"beyond "
          "5.0ε\"; as a distance this would leave most points without any landmark, so weights here reach "
          "4√ε. A point that "
          "even so has no landmark in reach is joined to its nearest ones.\n\n",
          table_at(&summary, "repetitions", ""), raw.remark[0], raw.remark[1],
          table_at(&summary, "threads", ""),
          table_at(&paper, "median", "experiment=large_scale metric=cores"),
          table_at(&paper, "median", "experiment=large_scale metric=gigabytes"));
  page_times(session, to, &summary, &paper);
  page_vdm(session, to, &paper);
  show_figure(session, to, "large_scale", "Seconds of a whole fit, ours and the paper's.");
  table_free(&summary), table_free(&raw), table_free(&paper);
}

static const char *const figures[] = {"large_scale", NULL};

const experiment large_scale_experiment = {"large_scale", "4.6 Large scale", figures, run, row, page};
