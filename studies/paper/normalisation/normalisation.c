/*
 * Sections 4.3 and 4.4: LA-VDM with random landmarks on the distorted sphere, points
 * angular central Gaussian, against VDM, as beta (at alpha = 0) or alpha (at beta = 1/2,
 * against VDM with alpha = 1) runs from 0 to 1.
 */
#include "common/fields.h"
#include "lavdm/sample.h"

#include <math.h>
#include <stdlib.h>

enum { VALUES = 7, SHOWN = 3 };

static const int64_t shown[SHOWN] = {2, 4, 6};
static const char columns_beta[] = "repetition,seed,beta,l,eigenvalue,step,cosine,difference,space";
static const char columns_alpha[] = "repetition,seed,alpha,l,eigenvalue,step,cosine,difference,space";

typedef struct {
  const char *name;
  int alpha; /* which of the two runs */
  int64_t m; /* landmarks of the full problem */
  double value[VALUES];
} sweep_t;

static const sweep_t beta_sweep = {"beta", 0, 2200, {0, 0.2, 0.4, 0.5, 0.6, 0.8, 1}};
static const sweep_t alpha_sweep = {"alpha", 1, 2500, {0, 0.2, 0.4, 0.6, 0.8, 0.9, 1}};
static const double epsilon = 0.17;

static int64_t points(const session_t *session) {
  return session->quick ? 1000 : 3500;
}

static int64_t landmarks(const session_t *session, const sweep_t *sweep) {
  return sweep->m * points(session) / 3500;
}

static void add_rows(double value, int repetition, uint64_t seed, const fields_t *a,
                     const fields_t *reference, text_t *rows) {
  for (int s = 0; s < SHOWN; s++) {
    int64_t l = shown[s] - 1;
    text_add(rows, "%d,%llu,%g,%lld,%.6g,%.6g,%.6g,%.6g,%.6g\n", repetition, (unsigned long long)seed, value,
             (long long)shown[s], value_difference(a, reference, l, 1), value_difference(a, reference, l, 2),
             fields_cosine(a, reference, l), fields_difference(a, reference, l),
             eigenspace_cosine(a, reference, l));
  }
}

static int one(session_t *session, int repetition, uint64_t seed, text_t *rows, void *user) {
  const sweep_t *sweep = user;
  int64_t n = points(session);
  double *x = room(n * 3, sizeof *x);
  lavdm_error error;
  if (lavdm_sample("distorted-sphere", n, 0, "acg", 0, seed, x, NULL, NULL, &error) < 0)
    give_up("%s", error.message);
  lavdm_data data = {.points = x, .n = n, .p = 3};
  fields_t reference, fit;
  lavdm_options options = paper_options(session, LAVDM_METHOD_VDM, epsilon, sweep->alpha, seed);
  int status = fields_fit(session, &data, options, 0, &reference);
  options.method = LAVDM_METHOD_LAVDM;
  options.landmarks = landmarks(session, sweep);
  for (int v = 0; v < VALUES && status >= 0; v++) {
    *(sweep->alpha ? &options.alpha : &options.beta) = sweep->value[v];
    status = fields_fit(session, &data, options, 0, &fit);
    if (status >= 0) add_rows(sweep->value[v], repetition, seed, &fit, &reference, rows);
    fields_free(&fit);
  }
  fields_free(&reference);
  free(x);
  return status;
}

static int run(session_t *session, const sweep_t *sweep) {
  char settings[128];
  say(settings,
      "distorted-sphere acg n=%lld m=%lld random epsilon=%g VDM alpha=%d %s of LA-VDM from 0 to 1 cutoff=4 "
      "gap=15%%",
      (long long)points(session), (long long)landmarks(session, sweep), epsilon, sweep->alpha, sweep->name);
  series_t series = {.name = sweep->name,
                     .columns = sweep->alpha ? columns_alpha : columns_beta,
                     .settings = settings,
                     .rows = VALUES * SHOWN,
                     .one = one,
                     .user = (void *)sweep};
  int status = repeat(session, &series);
  char keys[128];
  if (status >= 0) summarise(session, sweep->name, say(keys, "%s,l", sweep->name));
  return status;
}

/* A column of the summary at a value, summed over the eigenvectors shown (l = 0) or of l. */
static double sum_at(const sweep_t *sweep, const table_t *summary, const char *column, double value,
                     int64_t l) {
  double sum = 0;
  for (int s = 0; s < SHOWN; s++) {
    char where[128];
    say(where, "%s=%g l=%d", sweep->name, value, (int)shown[s]);
    if (!l || l == shown[s]) sum += table_at(summary, column, where);
  }
  return sum;
}

/* The value at which `sign` times that sum is least. */
static double best(const sweep_t *sweep, const table_t *summary, const char *column, int sign, int64_t l) {
  double least = INFINITY, at = NAN;
  for (int v = 0; v < VALUES; v++) {
    double sum = sign * sum_at(sweep, summary, column, sweep->value[v], l);
    if (sum < least) least = sum, at = sweep->value[v];
  }
  return at;
}

/* Does our best value agree with the paper's, or is theirs as good to within the MAD? */
static const char *verdict(const sweep_t *sweep, const table_t *summary, double ours, double theirs) {
  double excess =
      sum_at(sweep, summary, "difference", theirs, 0) - sum_at(sweep, summary, "difference", ours, 0);
  if (fabs(ours - theirs) < 1e-9) return "same";
  return excess <= sum_at(sweep, summary, "difference_mad", theirs, 0) ? "same within the spread" : "differs";
}

static void row(const session_t *session, FILE *page, const sweep_t *sweep) {
  table_t summary = read_summary(session, sweep->name), paper = read_paper();
  char where[128];
  double theirs = table_at(&paper, "median", say(where, "experiment=%s metric=best", sweep->name));
  double ours = best(sweep, &summary, "difference", 1, 0);
  fprintf(page,
          "| [%s](#%s) | best %s by the L² difference of eigenvectors 2, 4, 6, summed (each); by the cosine "
          "of their "
          "eigenspaces | %g (",
          sweep->name, sweep->alpha ? "44-α-normalisation" : "43-β-normalisation", sweep->alpha ? "α" : "β",
          ours);
  for (int s = 0; s < SHOWN; s++)
    fprintf(page, "%g%s", best(sweep, &summary, "difference", 1, shown[s]), s + 1 < SHOWN ? ", " : "");
  fprintf(page, "); %g | %g | %s |\n", best(sweep, &summary, "space", -1, 0), theirs,
          verdict(sweep, &summary, ours, theirs));
  table_free(&summary), table_free(&paper);
}

static void page(const session_t *session, FILE *to, const sweep_t *sweep) {
  table_t summary = read_summary(session, sweep->name), raw = read_raw(session, sweep->name);
  fprintf(to, "%.0f repetitions (%s).\n\n", table_at(&summary, "repetitions", ""), raw.remark[0]);
  fprintf(
      to,
      "| %s | L² difference, eigenvector 2 | 4 | 6 | cosine, eigenvector 2 | 4 | 6 | eigenspace cosine, 6 |\n"
      "|---|---|---|---|---|---|---|---|\n",
      sweep->alpha ? "α" : "β");
  for (int v = 0; v < VALUES; v++) {
    char where[128], text[64];
    fprintf(to, "| %g |", sweep->value[v]);
    for (int c = 0; c < 2 * SHOWN; c++) {
      say(where, "%s=%g l=%d", sweep->name, sweep->value[v], (int)shown[c % SHOWN]);
      fprintf(to, " %s |", plus_minus(text, &summary, c < SHOWN ? "difference" : "cosine", where));
    }
    fprintf(to, " %.4f |\n", table_at(&summary, "space", where));
  }
  fprintf(to, "\n");
  show_figure(session, to, sweep->name,
              sweep->alpha
                  ? "LA-VDM with β = 1/2 against VDM with α = 1; median, and median absolute deviation."
                  : "LA-VDM with α = 0 against VDM with α = 0; median, and median absolute deviation.");
  table_free(&summary), table_free(&raw);
}

static int run_beta(session_t *session) {
  return run(session, &beta_sweep);
}
static int run_alpha(session_t *session) {
  return run(session, &alpha_sweep);
}
static void row_beta(const session_t *session, FILE *to) {
  row(session, to, &beta_sweep);
}
static void row_alpha(const session_t *session, FILE *to) {
  row(session, to, &alpha_sweep);
}
static void page_beta(const session_t *session, FILE *to) {
  page(session, to, &beta_sweep);
}
static void page_alpha(const session_t *session, FILE *to) {
  page(session, to, &alpha_sweep);
}

static const char *const beta_figures[] = {"beta", NULL}, *const alpha_figures[] = {"alpha", NULL};

const experiment beta_experiment = {"beta",   "4.3 β-normalisation", beta_figures, run_beta, row_beta,
                                    page_beta};
const experiment alpha_experiment = {"alpha",   "4.4 α-normalisation", alpha_figures, run_alpha, row_alpha,
                                     page_alpha};
