/*
 * Matched bandwidth: two steps of epsilon/2 through landmarks act like one step of
 * epsilon. LA-VDM at epsilon, as the paper compares, and at epsilon/2, against VDM at
 * epsilon, the latter with as many landmarks and with twice as many, so that as many are
 * in reach, and VDM at epsilon/2 for comparison; with k-means landmarks on the Klein bottle and the distorted
 * sphere.
 */
#include "common/fields.h"
#include "lavdm/sample.h"

#include <math.h>
#include <stdlib.h>

enum { SHAPES = 2, MATCHES = 4, PAIRS = 12, MARGIN = 6 };

static const char *const shapes[SHAPES] = {"klein", "distorted-sphere"};
static const char *const densities[SHAPES] = {"parameter", "uniform"};
static const int64_t widths[SHAPES] = {4, 3};
static const double epsilons[SHAPES] = {0.2, 0.17};
static const char *const match_names[MATCHES] = {"equal", "matched", "doubled", "vdm"};

/* Quick: fewer points of the Klein bottle, so they must reach further. */
static double epsilon(const session_t *session, int shape) {
  return session->quick && !shape ? 0.4 : epsilons[shape];
}

static int64_t points(const session_t *session) {
  return session->quick ? 1500 : 3500;
}

static int64_t landmarks(const session_t *session) {
  return session->quick ? 300 : 700;
}

static int one_shape(session_t *session, int shape, int repetition, uint64_t seed, text_t *rows) {
  int64_t n = points(session);
  double *x = room(n * widths[shape], sizeof *x);
  lavdm_error error;
  if (lavdm_sample(shapes[shape], n, 0, densities[shape], 0, seed, x, NULL, NULL, &error) < 0)
    give_up("%s", error.message);
  lavdm_data data = {.points = x, .n = n, .p = widths[shape]};
  lavdm_options options = paper_options(session, LAVDM_METHOD_VDM, epsilon(session, shape), 0, seed);
  options.components = PAIRS + MARGIN;
  fields_t reference, fit;
  int status = fields_fit(session, &data, options, 0, &reference);
  options.design = LAVDM_DESIGN_KMEANS;
  options.beta = LAVDM_AUTO;
  for (int k = 0; k < MATCHES && status >= 0; k++) {
    options.epsilon = epsilon(session, shape) / (k ? 2 : 1);
    options.landmarks = landmarks(session) * (k == 2 ? 2 : 1);
    options.method = k == 3 ? LAVDM_METHOD_VDM : LAVDM_METHOD_LAVDM;
    status = fields_fit(session, &data, options, 0, &fit);
    for (int64_t l = 0; l < PAIRS && status >= 0; l++)
      text_add(rows, "%d,%llu,%s,%s,%lld,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g\n", repetition,
               (unsigned long long)seed, shapes[shape], match_names[k], (long long)l + 1, reference.values[l],
               fit.values[l], value_difference(&fit, &reference, l, 1), fields_cosine(&fit, &reference, l),
               fields_difference(&fit, &reference, l), eigenspace_cosine(&fit, &reference, l));
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

static int run(session_t *session) {
  char settings[128];
  say(settings,
      "VDM epsilon=%g (klein parameter), %g (distorted-sphere uniform), n=%lld m=%lld k-means alpha=0 "
      "cutoff=4 gap=15%%",
      epsilon(session, 0), epsilon(session, 1), (long long)points(session), (long long)landmarks(session));
  series_t series = {.name = "bandwidth",
                     .columns =
                         "repetition,seed,shape,bandwidth,l,mu,lambda,eigenvalue,cosine,difference,space",
                     .settings = settings,
                     .rows = SHAPES * MATCHES * PAIRS,
                     .one = one};
  int status = repeat(session, &series);
  if (status >= 0) summarise(session, "bandwidth", "shape,bandwidth,l");
  return status;
}

/* The mean over l of the medians of a column. */
static double mean(const table_t *summary, int shape, int match, const char *column) {
  double sum = 0;
  for (int l = 1; l <= PAIRS; l++) {
    char where[128];
    say(where, "shape=%s bandwidth=%s l=%d", shapes[shape], match_names[match], l);
    sum += table_at(summary, column, where) / PAIRS;
  }
  return sum;
}

static void row(const session_t *session, FILE *to) {
  table_t summary = read_summary(session, "bandwidth");
  for (int shape = 0; shape < SHAPES; shape++)
    fprintf(to,
            "| [bandwidth](#ours-matched-bandwidth), %s | mean eigenvalue difference of %d pairs: LA-VDM at "
            "ε/2 (at ε) | %.4f (%.4f) | not in the paper | |\n",
            shapes[shape], PAIRS, mean(&summary, shape, 1, "eigenvalue"),
            mean(&summary, shape, 0, "eigenvalue"));
  table_free(&summary);
}

static void page(const session_t *session, FILE *to) {
  static const char *const columns[] = {"eigenvalue", "cosine", "difference", "space"};
  static const char *const labels[MATCHES] = {"LA-VDM at ε", "LA-VDM at ε/2", "LA-VDM at ε/2, 2m landmarks",
                                              "VDM at ε/2"};
  table_t summary = read_summary(session, "bandwidth"), raw = read_raw(session, "bandwidth");
  fprintf(to,
          "%.0f repetitions (%s). Means over the first %d eigenpairs of the medians over repetitions:\n\n"
          "| shape | | eigenvalue difference | cosine | L² difference | eigenspace cosine "
          "|\n|---|---|---|---|---|---|\n",
          table_at(&summary, "repetitions", ""), raw.remark[0], PAIRS);
  for (int shape = 0; shape < SHAPES; shape++)
    for (int k = 0; k < MATCHES; k++) {
      fprintf(to, "| %s | %s |", shapes[shape], labels[k]);
      for (int c = 0; c < 4; c++) fprintf(to, " %.4f |", mean(&summary, shape, k, columns[c]));
      fprintf(to, "\n");
    }
  fprintf(to, "\n");
  fprintf(
      to,
      "Half the bandwidth brings the eigenvalues together. Eigenspaces then are those of VDM at ε/2, which "
      "need "
      "not be those of VDM at ε: where the two differ, neither is "
      "near the limit yet, and more landmarks do not help.\n\n");
  show_figure(session, to, "bandwidth",
              "Eigenvalue difference from VDM at ε, and cosine of eigenspaces, of LA-VDM at equal ε and at "
              "ε/2; median, and median absolute deviation.");
  table_free(&summary), table_free(&raw);
}

static const char *const figures[] = {"bandwidth", NULL};

const experiment bandwidth_experiment = {"bandwidth", "Ours: matched bandwidth", figures, run, row, page};
