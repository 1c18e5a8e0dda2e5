/* The summary for people: one fact a line, "(auto)" after what was chosen. */
#include "output/summary.h"
#include "output/trust.h"
#include "io/sentence.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { TEXT_SIZE = 64, EIGENVALUES_SHOWN = 8, PIECES_SHOWN = 8 };

static void label(const char *name) {
  printf("  %-12s ", name);
}

/* "0.25" or "0.25 (auto)". */
static void print_value(const run_facts *facts, const char *option) {
  char text[TEXT_SIZE];
  double number;
  lavdm_option_text(lavdm_info(facts->model)->chosen, option, text, sizeof text);
  if (lavdm_option_find(option)->type == LAVDM_TYPE_REAL && sscanf(text, "%lf", &number) == 1)
    snprintf(text, sizeof text, "%.6g", number);
  printf("%s%s", text, facts_auto(facts, option) ? " (auto)" : "");
}

static void print_named(const run_facts *facts, const char *option) {
  printf(", %s ", option);
  print_value(facts, option);
}

static void line(const run_facts *facts, const char *option) {
  label(option);
  print_value(facts, option);
  putchar('\n');
}

static const char *plural(int64_t count) {
  return count == 1 ? "" : "s";
}

/* What distances are made of. */
static void print_turned(const run_facts *facts, const turned_facts *turned) {
  label("distances");
  if (turned->height > 1)
    printf("of %" PRId64 " pixels in a disk of radius %g, by ", turned->pixels, turned->radius);
  printf("%" PRId64 " coefficients in %" PRId64 " bands", turned->compared, turned->bands);
  print_named(facts, "noise");
  print_named(facts, "reflections");
  putchar('\n');
}

static void print_data(const run_facts *facts) {
  const lavdm_info_t *info = lavdm_info(facts->model);
  const lavdm_array *basis = lavdm_get(facts->model, "pca_basis");
  lavdm_metric metric = info->chosen->metric;
  int64_t p = basis ? basis->shape[0] : metric == LAVDM_METRIC_HAVERSINE ? 2 : info->p;
  turned_facts turned;
  bool turns = facts_turned(facts, &turned);
  label("data");
  if (turns && turned.height > 1)
    printf("%" PRId64 " images of %" PRId64 " x %" PRId64 " pixels", info->n, turned.height, turned.width);
  else if (turns)
    printf("%" PRId64 " signals of %" PRId64 " samples", info->n, turned.width);
  else if (metric == LAVDM_METRIC_PRECOMPUTED)
    printf("distances of %" PRId64 " point%s", info->n, plural(info->n));
  else if (p > 0)
    printf("%" PRId64 " point%s with %" PRId64 " coordinate%s", info->n, plural(info->n), p, plural(p));
  else
    printf("%" PRId64 " node%s", info->n, plural(info->n));
  printf(" (%s)\n", shown(facts->input));
  if (turns) print_turned(facts, &turned);
  if (metric != LAVDM_METRIC_EUCLIDEAN) line(facts, "metric");
  if (!basis) return;
  label("pca");
  printf("%" PRId64 " principal coordinate%s\n", info->p, plural(info->p));
}

static void print_choices(const run_facts *facts) {
  const lavdm_options *chosen = lavdm_info(facts->model)->chosen;
  bool given = chosen->bundle == LAVDM_BUNDLE_GIVEN;
  label("method");
  print_value(facts, "method");
  printf(", bundle ");
  print_value(facts, "bundle");
  printf(" (q = %" PRId64 ")", lavdm_info(facts->model)->q);
  if (chosen->precision == LAVDM_PRECISION_SINGLE) print_named(facts, "precision");
  if (chosen->engine == LAVDM_ENGINE_REFERENCE) print_named(facts, "engine");
  putchar('\n');
  if (facts_dim(facts)) line(facts, "dim");
  if (facts_landmarks(facts)) {
    label("landmarks");
    bool chose = !given || lavdm_get(facts->model, "landmark_index");
    printf("%" PRId64 "%s", lavdm_info(facts->model)->m,
           chose && chosen->design != LAVDM_DESIGN_GIVEN && facts_auto(facts, "landmarks") ? " (auto)" : "");
    if (chose) print_named(facts, "design");
    putchar('\n');
  }
  if (!given) {
    label("kernel");
    print_value(facts, "kernel");
    print_named(facts, "epsilon");
    if (facts_cutoff(facts)) print_named(facts, "cutoff");
    putchar('\n');
  }
  label("density");
  printf("alpha ");
  print_value(facts, "alpha");
  if (facts_landmarks(facts)) print_named(facts, "beta");
  putchar('\n');
  if (!given && chosen->knn > 0) line(facts, "knn");
  if (lavdm_info(facts->model)->radius > 0) {
    label("frames");
    printf("over all points within %g (hood radius)\n", lavdm_info(facts->model)->radius);
  }
}

static void print_graph(const run_facts *facts) {
  const lavdm_info_t *info = lavdm_info(facts->model);
  bool turns = info->chosen->bundle == LAVDM_BUNDLE_ROTATION || info->chosen->bundle == LAVDM_BUNDLE_SHIFT;
  bool rule = (turns || !facts_landmarks(facts)) && info->chosen->bundle != LAVDM_BUNDLE_GIVEN;
  label("graph");
  printf("%" PRId64 " edge%s", info->edges, plural(info->edges));
  if (rule) {
    printf(" by ");
    print_value(facts, "edges");
  }
  printf(", %" PRId64 " component%s", info->graph_components, plural(info->graph_components));
  if (info->isolated) printf(", %" PRId64 " isolated point%s", info->isolated, plural(info->isolated));
  putchar('\n');
}

static void print_spectrum(const run_facts *facts) {
  const lavdm_info_t *info = lavdm_info(facts->model);
  int64_t r = info->chosen->components;
  double worst = 0;
  for (int64_t l = 0; l < r; l++)
    if (!(info->residuals[l] <= worst)) worst = info->residuals[l];
  label("eigenvalues");
  for (int64_t l = 0; l < r && l < EIGENVALUES_SHOWN; l++)
    printf("%s%.6f", l ? " " : "", info->eigenvalues[l]);
  if (r > EIGENVALUES_SHOWN) printf(" ... %.6f (%" PRId64 " of them)", info->eigenvalues[r - 1], r);
  printf("\n");
  label("residual");
  printf("at most %.1e\n", worst);
}

static void print_cover(const cover_t *cover) {
  int64_t odd = 0, r = cover->rank;
  for (int64_t l = 0; l < r; l++) odd += cover->parity[l] < 0;
  label("cover");
  printf("%" PRId64 " points of the double cover, %" PRId64 " coordinate%s (%" PRId64 " even, %" PRId64
         " odd)\n",
         cover->points, r, plural(r), r - odd, odd);
  label("");
  for (int64_t l = 0; l < r && l < EIGENVALUES_SHOWN; l++)
    printf("%s%.6f%c", l ? " " : "", cover->eigenvalues[l], cover->parity[l] < 0 ? '-' : '+');
  printf("%s (+ even, - odd)\n", r > EIGENVALUES_SHOWN ? " ..." : "");
}

const char *verdict_word(int64_t verdict) {
  return verdict < 0 ? "cannot tell" : verdict ? "orientable" : "not orientable";
}

void verdict_text(int64_t verdict, double confidence, char text[VERDICT_SIZE]) {
  const char *sure = verdict < 0 || confidence > 0.95 ? "" : "probably ";
  snprintf(text, VERDICT_SIZE, "%s%s (confidence %.2f)", sure, verdict_word(verdict), confidence);
}

/* "  components   900 points: orientable (confidence 1.00)", the first ones. */
static void print_pieces(const lavdm_model *model) {
  const int64_t *piece = lavdm_get(model, "graph_component")->data;
  const int64_t *verdict = lavdm_get(model, "component_orientable")->data;
  const double *confidence = lavdm_get(model, "component_confidence")->data;
  int64_t pieces = lavdm_info(model)->graph_components, n = lavdm_info(model)->n;
  for (int64_t c = 0; c < pieces && c < PIECES_SHOWN; c++) {
    char text[VERDICT_SIZE] = "too few to be judged";
    int64_t count = 0;
    for (int64_t i = 0; i < n; i++) count += piece[i] == c;
    if (confidence[c] > 0) verdict_text(verdict[c], confidence[c], text);
    label(c ? "" : "components");
    printf("%" PRId64 " point%s: %s\n", count, plural(count), text);
  }
  if (pieces > PIECES_SHOWN) printf("  %-12s and %" PRId64 " more\n", "", pieces - PIECES_SHOWN);
}

static void print_verdict(const run_facts *facts) {
  const lavdm_orientation *v = facts->verdict;
  char text[VERDICT_SIZE];
  verdict_text(v->verdict, v->confidence, text);
  printf("%s\n", text);
  if (v->verdict < 0) printf("  %-12s %s\n", "guess", verdict_word(v->orientable));
  if (v->graph_components > 1) {
    print_pieces(facts->model);
    printf("  The numbers below are those of the component with the least evidence.\n");
  }
  printf("  %-12s %.6f with the orientation bundle (1 if orientable),\n", "eigenvalue", v->eigenvalue);
  printf("  %-12s %.6f for the second one with the trivial bundle\n", "", v->trivial_eigenvalue);
  printf("  %-12s %.4f of their logarithms (0 if orientable)\n", "ratio", v->ratio);
  printf("  %-12s %.4f is the mean of |v| sqrt(n) (1 if orientable)\n", "magnitude", v->mean_magnitude);
  if (v->doubt > 0.05)
    printf(
        "  %-12s %.2f, where 0 is agreement of neighbouring planes and 1 is chance: noise, or few points\n",
        "doubt", v->doubt);
  int64_t p = lavdm_info(facts->model)->p;
  if (p > 1 && lavdm_info(facts->model)->chosen->dim == p)
    printf("  %-12s planes of as many dimensions as coordinates tell nothing; is it a set of --dim %" PRId64
           "?\n",
           "note", p - 1);
}

/* Why choices are what they are: "  epsilon      ...". */
static void print_reasons(const lavdm_info_t *info) {
  for (int i = 0; i < info->reasons; i++) {
    label(i ? "" : "why");
    printf("%s\n", info->reason[i]);
  }
}

void summary_print(const run_facts *facts) {
  if (facts->verdict) print_verdict(facts);
  print_data(facts);
  print_choices(facts);
  print_reasons(lavdm_info(facts->model));
  print_graph(facts);
  print_spectrum(facts);
  trust_print(lavdm_info(facts->model)->trust);
  if (facts->cover) print_cover(facts->cover);
}

void summary_print_cost(const run_facts *facts) {
  const lavdm_info_t *info = lavdm_info(facts->model);
  label("time");
  printf("%.2f s", facts->total_seconds);
  bool any = false;
  for (int i = 0; i < info->timings; i++)
    if (info->timing[i].seconds >= 0.05 * facts->total_seconds && info->timing[i].seconds >= 0.005) {
      printf("%s%s %.2f", any ? ", " : " (", info->timing[i].stage, info->timing[i].seconds);
      any = true;
    }
  printf("%s, %" PRId64 " thread%s\n", any ? ")" : "", info->chosen->threads, plural(info->chosen->threads));
  if (info->resumed) {
    label("resumed");
    printf("after the stage %s (saved %s); times up to there are those of then\n", info->resumed,
           facts->saved && *facts->saved ? facts->saved : "before");
  }
  label("memory");
  printf("%.0f MB at most%s\n", (double)facts_peak_memory() / 1048576,
         info->streamed ? ", large arrays in files" : "");
  if (facts->output) {
    label("written");
    printf("%s\n", shown(facts->output));
  }
}

void summary_warn(const run_facts *facts) {
  const lavdm_info_t *info = lavdm_info(facts->model);
  for (int i = 0; i < info->warnings; i++) fprintf(stderr, "lavdm: warning: %s\n", shown(info->warning[i]));
  if (facts->cover && *facts->cover->warning)
    fprintf(stderr, "lavdm: warning: %s\n", shown(facts->cover->warning));
}
