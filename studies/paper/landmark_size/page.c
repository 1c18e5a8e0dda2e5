/* Section 4.2 on the page: the paper's table beside ours, eigenspaces, times, figures. */
#include "landmark_size/landmark_size.h"

#include <math.h>
#include <stdlib.h>

enum { COMPARISONS = 18, CELLS = METRICS * SHOWN * TABLE };

static const char *const metric_names[METRICS] = {"error", "angle", "magnitude"};
static const char *const metric_titles[METRICS] = {"relative L² error", "cosine", "relative magnitude"};
static const double significance = 0.05;

/* One cell of the paper's table. */
typedef struct {
  int metric;
  int64_t l, m;
  double theirs; /* NaN if the paper has no such size */
} cell_t;

static cell_t cell_at(const sizes_t *sizes, const table_t *paper, int c) {
  char where[128];
  cell_t cell = {c / TABLE % METRICS, landmark_shown[c / TABLE / METRICS], sizes->table[c % TABLE], NAN};
  say(where, "experiment=landmark_size metric=%s l=%d m=%d", metric_names[cell.metric], (int)cell.l,
      (int)cell.m);
  cell.theirs = table_at(paper, "median", where);
  return cell;
}

static const char *where_of(char text[128], const cell_t *cell, int design) {
  return say(text, "design=%s m=%d l=%d", landmark_designs[design], (int)cell->m, (int)cell->l);
}

/* The column PREFIXmetricSUFFIX of the summary. */
static double value_of(const table_t *summary, const cell_t *cell, int design, const char *prefix,
                       const char *suffix) {
  char column[128], where[128];
  say(column, "%s%s%s", prefix, metric_names[cell->metric], suffix);
  return table_at(summary, column, where_of(where, cell, design));
}

/* Ours matches or beats the paper's median, to the digits that the paper gives. */
static int matched(const cell_t *cell, double ours) {
  return cell->metric == 1 ? ours >= cell->theirs - 0.0005 : ours <= cell->theirs + 0.0005;
}

/* A median that misses the paper's by less than it varies between repetitions. */
static int close_by(const table_t *summary, const cell_t *cell, int design) {
  double ours = value_of(summary, cell, design, "", "");
  return fabs(ours - cell->theirs) <= value_of(summary, cell, design, "", "_mad");
}

void landmark_size_row(const session_t *session, FILE *page) {
  table_t summary = read_summary(session, "landmark_size"), paper = read_paper();
  sizes_t sizes = landmark_sizes(session);
  for (int d = 0; d < DESIGNS; d++) {
    int good = 0, near = 0, all = 0;
    for (int c = 0; c < CELLS; c++) {
      cell_t cell = cell_at(&sizes, &paper, c);
      if (isnan(cell.theirs)) continue;
      all++;
      int match = matched(&cell, value_of(&summary, &cell, d, "", ""));
      good += match;
      near += !match && close_by(&summary, &cell, d);
    }
    fprintf(page,
            "| [landmark size](#42-landmark-size), %s landmarks | medians of the paper's table matched or "
            "beaten | %d; "
            "%d more within the spread of repetitions | %d | %s |\n",
            landmark_designs[d], good, near, all,
            good == all          ? "matched or better"
            : good + near == all ? "matched within the spread"
                                 : "falls short, see there");
  }
  table_free(&summary), table_free(&paper);
}

static void metric_table(FILE *to, const table_t *summary, const table_t *paper, const sizes_t *sizes) {
  fprintf(to, "| eigenvector | metric | m | paper | random | | eigenspace | k-means | | eigenspace |\n"
              "|---|---|---|---|---|---|---|---|---|---|\n");
  for (int c = 0; c < CELLS; c++) {
    cell_t cell = cell_at(sizes, paper, c);
    fprintf(to, "| %d | %s | %d |", (int)cell.l, metric_titles[cell.metric], (int)cell.m);
    fprintf(to, isnan(cell.theirs) ? " - |" : " %.3f |", cell.theirs);
    for (int d = 0; d < DESIGNS; d++) {
      double ours = value_of(summary, &cell, d, "", ""), p = value_of(summary, &cell, d, "", "_p");
      fprintf(to, " %.3f ± %.3f%s | %s | %.3f |", ours, value_of(summary, &cell, d, "", "_spread"),
              p < significance / COMPARISONS ? "\\*" : "",
              isnan(cell.theirs)            ? ""
              : matched(&cell, ours)        ? "✓"
              : close_by(summary, &cell, d) ? "≈"
                                            : "✗",
              value_of(summary, &cell, d, "space_", ""));
    }
    fprintf(to, "\n");
  }
  fprintf(to, "\n");
}

/* In how many repetitions the vector of LA-VDM nearest to eigenvector l is another one. */
static int exchanged(const table_t *raw, const char *where, int64_t l) {
  double *nearest = room(raw->rows, sizeof *nearest);
  int64_t count = table_select(raw, "nearest", where, nearest);
  int others = 0;
  for (int64_t i = 0; i < count; i++) others += (int64_t)nearest[i] != l;
  free(nearest);
  return others;
}

static void space_table(FILE *to, const table_t *summary, const table_t *raw, const sizes_t *sizes) {
  fprintf(
      to,
      "| m | eigenvector | its gap | random: exchanged | cosine | eigenspace | k-means: exchanged | cosine | "
      "eigenspace | seconds, random | k-means | VDM |\n|---|---|---|---|---|---|---|---|---|---|---|---|\n");
  for (int c = 0; c < TABLE * SHOWN; c++) {
    cell_t cell = {0, landmark_shown[c % SHOWN], sizes->table[c / SHOWN], NAN};
    char where[128], a[64], b[64];
    fprintf(to, "| %d | %d | %.0f%% |", (int)cell.m, (int)cell.l,
            100 * table_at(summary, "gap", where_of(where, &cell, 0)));
    for (int d = 0; d < DESIGNS; d++) {
      where_of(where, &cell, d);
      fprintf(to, " %d of %.0f | %s | %s |", exchanged(raw, where, cell.l),
              table_at(summary, "repetitions", where), plus_minus(a, summary, "cosine", where),
              plus_minus(b, summary, "space", where));
    }
    for (int d = 0; d < DESIGNS; d++)
      fprintf(to, " %.2f |", table_at(summary, "seconds", where_of(where, &cell, d)));
    fprintf(to, " %.2f |\n", table_at(summary, "vdm_seconds", where));
  }
  fprintf(to, "\n");
}

static const char explanation[] = "*Eigenspace*: the same metric for the vector of LA-VDM's eigenspace that "
                                  "is nearest to the eigenvector of VDM. "
                                  "*Gap*: how far −log of the eigenvalue is from its nearest neighbour, in "
                                  "parts of itself. *Exchanged*: in how many "
                                  "repetitions another vector of LA-VDM is nearer to that of VDM than the "
                                  "one of the same number, so that the metric "
                                  "compares two different fields. Where a median misses the paper's, these "
                                  "columns tell an exchange, which a few "
                                  "per cent of sampling error in the eigenvalues bring about and which "
                                  "differs from sample to sample, from a field "
                                  "that was not recovered.\n\n";

void landmark_size_page(const session_t *session, FILE *to) {
  table_t summary = read_summary(session, "landmark_size"), paper = read_paper();
  table_t raw = read_raw(session, "landmark_size");
  sizes_t sizes = landmark_sizes(session);
  fprintf(to,
          "%.0f repetitions (%s); times on %s, which the paper gives in a figure alone, for 36 cores.\n\n",
          table_at(&summary, "repetitions", ""), raw.remark[0], raw.remark[1]);
  fprintf(to,
          "Medians ± MAD over the points, as in the paper's table, each the median over the repetitions. "
          "\\*: the "
          "Wilcoxon signed-rank test over the points, against the m before, has a median p < %g/%d. ✓: "
          "matches or "
          "beats the paper's median to the digits it gives; ≈: misses it "
          "by less than the MAD of our median between repetitions; ✗: by more.\n\n",
          significance, COMPARISONS);
  metric_table(to, &summary, &paper, &sizes);
  fputs(explanation, to);
  space_table(to, &summary, &raw, &sizes);
  show_figure(
      session, to, "landmark_size",
      "Time, eigenvalue difference, cosine of eigenvectors and of eigenspaces for eigenvectors 1, 3, 5; "
      "median, and median absolute deviation. Filled: random landmarks; open: k-means.");
  show_figure(
      session, to, "landmark_size_fields",
      "Eigenvector fields 1, 3, 5 (rows) pulled back to (u,v), first repetition, random landmarks; last "
      "column: VDM.");
  show_figure(
      session, to, "landmark_size_error",
      "Relative L² error on (u,v), first repetition, random landmarks; each cell shows its nearest point.");
  show_figure(session, to, "landmark_size_angle", "Cosine on (u,v).");
  show_figure(session, to, "landmark_size_magnitude", "Relative magnitude difference on (u,v).");
  table_free(&summary), table_free(&paper), table_free(&raw);
}
