/* What `sync` found, for people and as JSON. */
#include "output/sync_result.h"
#include "io/sentence.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LISTED = 100, SHOWN = 8 };

static void put_graph(json_builder *b, const sync_facts *facts) {
  const lavdm_sync_t *sync = facts->sync;
  char group[32];
  sync_group_name(sync, group);
  json_put_text(b, "input", facts->input);
  json_put_text(b, "format", facts->file->graph.format);
  json_put_text(b, "output", facts->output);
  json_put_text(b, "group", group);
  json_put_whole(b, "q", sync->q);
  json_put_whole(b, "nodes", sync->n);
  json_put_whole(b, "edges", sync->edges);
  json_put_whole(b, "components", sync->components);
  json_put_whole(b, "isolated", sync->isolated);
  json_put_whole(b, "loops", sync->loops);
  json_put_whole(b, "points", sync->points);
}

int sync_json(const sync_facts *facts, lavdm_error *error) {
  const lavdm_sync_t *sync = facts->sync;
  json_builder b = {0};
  json_start(&b);
  put_graph(&b, facts);
  sync_put_outcome(&b, sync);
  json_put_whole(&b, "rounds", facts->rounds);
  json_put_whole(&b, "doubted", sync_doubted(sync));
  json_put_real(&b, "spectral_gap", sync->components ? sync->part[0]->gap : NAN);
  json_put_text(&b, "residual_unit", sync_unit(sync));
  json_put_real(&b, "median_residual", sync->median);
  json_put_real(&b, "residual_95", sync->most);
  if (sync->group == LAVDM_GROUP_Z2 || sync->group == LAVDM_GROUP_CYCLIC)
    json_put_whole(&b, "flips", sync->flips);
  json_t *list = json_array(), *times = json_object();
  for (int64_t c = 0; c < sync->components && c < LISTED; c++)
    json_array_append_new(list, sync_part_json(sync, c));
  json_put(&b, "parts", list);
  sync_put_warnings(&b, facts);
  json_object_set_new(times, "read", json_number(facts->read_seconds));
  for (int i = 0; i < sync->timings; i++)
    json_object_set_new(times, sync->timing[i].stage, json_number(sync->timing[i].seconds));
  json_object_set_new(times, "write", json_number(facts->write_seconds));
  json_object_set_new(times, "total", json_number(facts->total_seconds));
  json_put(&b, "seconds", times);
  int status = json_print(&b, error);
  json_free(&b);
  return status;
}

static void print_residuals(const sync_facts *facts, double median, double most) {
  const lavdm_sync_t *sync = facts->sync;
  if (sync->loops == sync->edges) {
    printf("none: every edge is from a node to itself\n");
    return;
  }
  if (sync->q > 1) {
    printf("median %.4g, 95 %% below %.4g (%s)\n", median, most, sync_unit(sync));
    return;
  }
  double wrong = 0;
  for (int64_t e = 0; e < sync->edges; e++) wrong += sync->residual[e];
  printf("%.0f of %" PRId64 " edges disagree\n", wrong, sync->edges);
}

static void print_parts(const sync_facts *facts) {
  const lavdm_sync_t *sync = facts->sync;
  printf("  components   %" PRId64 "%s\n", sync->components, sync->isolated ? " and isolated nodes" : "");
  if (sync->components < 2) return;
  printf("  %12s %10s %10s %10s %10s %12s %12s  %s\n", "", "nodes", "edges", "first", "gap", "median", "cost",
         "certified");
  for (int64_t c = 0; c < sync->components && c < SHOWN; c++) {
    const lavdm_sync_component *p = sync->part[c];
    printf("  %12" PRId64 " %10" PRId64 " %10" PRId64 " %10" PRId64 " %10.3g %12.4g %12.6g  %s\n", c,
           p->nodes, p->edges, p->first, p->gap, p->median, p->cost, p->certified ? "yes" : "no");
  }
  if (sync->components > SHOWN) printf("  %12s\n", "...");
}

static void print_eigenvalues(const lavdm_sync_t *sync) {
  if (!sync->components) return;
  const lavdm_sync_component *p = sync->part[0];
  if (!isfinite(p->eigenvalues[0])) {
    printf("  eigenvalues  not found: the fit began without them (--spectral finds them)\n");
    return;
  }
  printf("  eigenvalues ");
  for (int64_t l = 0; l < sync->values && l < SHOWN && isfinite(p->eigenvalues[l]); l++)
    printf(" %.6g", p->eigenvalues[l]);
  if (isfinite(p->gap))
    printf("\n  gap          %.3g after the first %" PRId64 "\n", p->gap, sync->q);
  else
    printf("\n  gap          not known\n");
}

/* Cost, bound and what is proved by them. */
static void print_optimum(const lavdm_sync_t *sync) {
  if (!sync->components) return;
  int64_t iterations = 0, rank = 0;
  for (int64_t c = 0; c < sync->components; c++) {
    iterations += sync->part[c]->iterations;
    rank = sync->part[c]->rank > rank ? sync->part[c]->rank : rank;
  }
  if (isfinite(sync->cost)) {
    printf("  cost         %.10g", sync->cost);
    if (sync->bound > 0) printf(", no less than %.10g is possible", sync->bound);
    printf(" (%" PRId64 " iteration%s%s", iterations, iterations == 1 ? "" : "s",
           sync->converged ? "" : ", not converged");
    if (rank > 0) printf(", rank %" PRId64, rank);
    printf(")\n");
  }
  printf("  optimum      %s\n", sync->verdict);
}

static void print_robust(const sync_facts *facts) {
  const lavdm_sync_t *sync = facts->sync;
  const char *why = sync->robust_reason;
  if (sync->robust == LAVDM_ROBUST_NO && !why && !facts->rounds) return;
  int64_t doubted = sync_doubted(sync);
  const char *way = sync_robust_words[sync->robust];
  bool named = why && !strncmp(why, way, strlen(way));
  const char *whose = sync->components > 1 ? "in the largest component: " : "";
  printf("  robust       %s%s%s%s\n", whose, named ? "" : way, why && !named ? ": " : "",
         why ? shown(why) : "");
  printf("  trust        %" PRId64 " of %" PRId64
         " edges (%.1f %%) have less than a quarter of their weight\n",
         doubted, sync->edges, 100 * (double)doubted / (double)sync->edges);
}

void sync_print(const sync_facts *facts) {
  const lavdm_sync_t *sync = facts->sync;
  char group[32];
  sync_group_name(sync, group);
  const char *format = facts->file->graph.format;
  printf("  graph        %" PRId64 " nodes, %" PRId64 " edges (%s%s%s)\n", sync->n, sync->edges,
         shown(facts->input), format ? ", read as " : "", format ? format : "");
  printf("  group        %s%s\n", group, sync->position ? ", rotations of poses" : "");
  if (sync->points) printf("  points       %" PRId64 " sighted\n", sync->points);
  print_parts(facts);
  print_eigenvalues(sync);
  printf("  residuals    ");
  print_residuals(facts, sync->median, sync->most);
  print_optimum(sync);
  if (isfinite(sync->chi2))
    printf("  chi2         %.10g, of all errors%s\n", sync->chi2,
           sync_trusts(sync) ? ", those of edges as these are trusted" : "");
  print_robust(facts);
  if (facts->output) printf("  written      %s\n", shown(facts->output));
  printf("  time         %.2f s (reading %.2f, solving %.2f, writing %.2f)\n", facts->total_seconds,
         facts->read_seconds, sync->seconds, facts->write_seconds);
}

void sync_warn(const sync_facts *facts) {
  for (int i = 0; i < facts->sync->warnings; i++)
    fprintf(stderr, "lavdm: warning: %s\n", shown(facts->sync->warning[i]));
  char text[SYNC_NOTE_SIZE];
  const char *file;
  for (int i = 0; (file = sync_note(facts, i, text)); i++)
    fprintf(stderr, "lavdm: warning: %s: %s\n", shown(file), shown(text));
}
