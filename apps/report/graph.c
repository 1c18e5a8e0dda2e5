/* Synchronisation: nodes and edges, and where they have no positions a layout by diffusion. */
#include "report/graph.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_EDGES = 2000000 };

static int by_number(const void *a, const void *b) {
  const report_node *x = a, *y = b;
  return (x->number > y->number) - (x->number < y->number);
}

/* Rows of nodes by their numbers, sorted. */
static report_node *sort_nodes(report_page *p, const lavdm_item *nodes) {
  report_node *all = malloc((size_t)p->n * sizeof *all + 1);
  if (!all) report_no_memory(p, "nodes");
  for (int64_t i = 0; i < p->n && all; i++) {
    all[i] = (report_node){report_value(nodes, i), i};
    if (isnan(all[i].number)) report_fail(p, LAVDM_ERROR_DATA, "node %lld has no number", (long long)i);
  }
  if (all && p->status >= 0) qsort(all, (size_t)p->n, sizeof *all, by_number);
  for (int64_t i = 1; i < p->n && all && p->status >= 0; i++)
    if (all[i].number == all[i - 1].number)
      report_fail(p, LAVDM_ERROR_DATA, "node %.17g is twice among the nodes", all[i].number);
  return all;
}

/* Both ends of every edge as rows of the result. */
static int64_t *find_ends(report_page *p, const report_node *nodes, const lavdm_item *edges) {
  int64_t count = edges->shape[0];
  int64_t *end = malloc(2 * (size_t)count * sizeof *end + 1);
  if (!end) report_no_memory(p, "edges");
  for (int64_t e = 0; e < 2 * count && end && p->status >= 0; e++) {
    report_node key = {report_value(edges, e), 0};
    const report_node *found = bsearch(&key, nodes, (size_t)p->n, sizeof key, by_number);
    if (!found || found->number != key.number) { /* NaN is equal to any other to a search */
      report_fail(p, LAVDM_ERROR_DATA, "edge %lld names node %.17g, which is not among the nodes",
                  (long long)(e / 2), key.number);
      break;
    }
    end[e] = found->row;
  }
  return end;
}

/* The edges that are shown, and which of the result they are. */
typedef struct {
  const lavdm_item *item; /* residuals or trust */
  int64_t *edge, count;
  int32_t *ends; /* count x 2: rows shown */
} links;

static double end_entry(const void *source, int64_t i, int64_t column) {
  return ((const links *)source)->ends[2 * i + column];
}

static double link_entry(const void *source, int64_t i, int64_t column) {
  const links *l = source;
  (void)column;
  return report_value(l->item, l->edge[i]);
}

/* Covariances, of which the page has those of positions. */
typedef struct {
  const report_page *page;
  const lavdm_item *item;
  int64_t q;
} spread;

/* Edges between rows that are shown; if they are too many, a fair sample of them. */
static void choose_links(report_page *p, const int64_t *end, int64_t count, links *l) {
  int32_t *shown = malloc((size_t)p->n * sizeof *shown + 1);
  if (!shown) {
    report_no_memory(p, "edges");
    return;
  }
  memset(shown, 0xff, (size_t)p->n * sizeof *shown);
  for (int64_t i = 0; i < p->rows; i++) shown[report_row(p, i)] = (int32_t)i;
  int64_t between = 0, seen = 0;
  for (int64_t e = 0; e < count; e++) between += shown[end[2 * e]] >= 0 && shown[end[2 * e + 1]] >= 0;
  int64_t wanted = between < MOST_EDGES ? between : MOST_EDGES;
  lavdm_random random;
  lavdm_random_start(&random, p->options.seed, REPORT_STREAM + 1);
  l->edge = malloc((size_t)wanted * sizeof *l->edge + 1);
  l->ends = malloc(2 * (size_t)wanted * sizeof *l->ends + 1);
  if (!l->edge || !l->ends) report_no_memory(p, "edges");
  for (int64_t e = 0; e < count && p->status >= 0; e++) {
    int32_t a = shown[end[2 * e]], b = shown[end[2 * e + 1]];
    if (a < 0 || b < 0) continue;
    if (lavdm_random_uniform(&random) * (double)(between - seen++) >= (double)(wanted - l->count)) continue;
    l->edge[l->count] = e;
    l->ends[2 * l->count] = a, l->ends[2 * l->count + 1] = b;
    l->count++;
  }
  free(shown);
  if (wanted < between)
    report_note(p, "%lld of %lld edges are shown, drawn at random", (long long)wanted, (long long)between);
}

static void put_links(report_page *p, const int64_t *end, int64_t count) {
  static const char *const names[] = {"residuals", "trust"};
  links l = {0};
  lavdm_item any;
  choose_links(p, end, count, &l);
  report_table t = {
      .name = "edges", .rank = 2, .shape = {l.count, 2}, .whole = true, .entry = end_entry, .source = &l};
  report_columns(p, &t);
  for (int k = 0; k < 2; k++) {
    l.item = report_array(p, names[k], 1, count, &any);
    report_table column = {
        .name = names[k], .rank = 1, .shape = {l.count}, .entry = link_entry, .source = &l};
    if (l.item) report_columns(p, &column);
  }
  free(l.edge);
  free(l.ends);
}

static void put_nodes(report_page *p) {
  static const struct {
    const char *name;
    int rank;
  } all[] = {{"nodes", 1}, {"component", 1}, {"positions", 2}};
  lavdm_item any;
  for (int k = 0; k < 3; k++) {
    const lavdm_item *item = report_array(p, all[k].name, all[k].rank, p->n, &any);
    if (item && k == 2 && (item->shape[1] < 2 || item->shape[1] > 3))
      report_fail(p, LAVDM_ERROR_DATA, "positions have %lld columns, and 2 or 3 are a place",
                  (long long)item->shape[1]);
    if (item) report_points(p, item);
  }
  const lavdm_item *elements = report_find(p, "elements");
  lavdm_item table = {.name = "elements"};
  if (!elements || !report_array(p, "elements", 3, p->n, &table)) return;
  table.shape[1] *= table.shape[2];
  table.rank = 2;
  report_points(p, &table);
}

/* The covariance of positions, of covariances of whole poses: its upper half, row by row. */
static double spread_entry(const void *source, int64_t i, int64_t column) {
  const spread *s = source;
  int64_t a = 0, b = column, d = s->item->shape[1];
  while (b >= s->q - a) b -= s->q - a++;
  return report_value(s->item, report_row(s->page, i) * d * d + a * d + a + b);
}

static void put_spread(report_page *p) {
  lavdm_item any;
  if (!report_find(p, "covariances") || !report_find(p, "positions")) return;
  const lavdm_item *item = report_array(p, "covariances", 3, p->n, &any);
  if (!item) return;
  spread s = {p, item, item->shape[1] == 3 ? 2 : 3};
  if (item->shape[1] != item->shape[2] || (item->shape[1] != 3 && item->shape[1] != 6)) {
    report_fail(p, LAVDM_ERROR_DATA,
                "covariances are of %lld by %lld numbers, and those of poses of 3 by 3 or 6 by 6",
                (long long)item->shape[1], (long long)item->shape[2]);
    return;
  }
  report_table t = {.name = "spread",
                    .rank = 2,
                    .shape = {p->rows, s.q * (s.q + 1) / 2},
                    .entry = spread_entry,
                    .source = &s};
  report_columns(p, &t);
}

static double place_entry(const void *source, int64_t i, int64_t column) {
  const lavdm_item *item = source;
  return report_value(item, i * item->shape[1] + column);
}

/* Points that were sighted. */
static void put_sighted(report_page *p) {
  lavdm_item any;
  if (!report_find(p, "point_positions")) return;
  const lavdm_item *item = report_array(p, "point_positions", 2, -1, &any);
  if (!item) return;
  report_table t = {.name = "point_positions",
                    .rank = 2,
                    .shape = {item->shape[0], item->shape[1]},
                    .entry = place_entry,
                    .source = item};
  report_columns(p, &t);
}

void report_graph(report_page *p) {
  static const char *const lists[] = {"gaps",
                                      "component_median",
                                      "component_95",
                                      "component_nodes",
                                      "component_edges",
                                      "component_first",
                                      "component_cost",
                                      "component_bound",
                                      "component_rank",
                                      "component_certified",
                                      NULL};
  lavdm_item numbers, pairs, any;
  const lavdm_item *nodes = report_array(p, "nodes", 1, p->n, &numbers);
  const lavdm_item *edges = report_array(p, "edges", 2, -1, &pairs);
  put_nodes(p);
  put_spread(p);
  put_sighted(p);
  if (edges && edges->shape[1] != 2)
    report_fail(p, LAVDM_ERROR_DATA, "edges have %lld columns, and two nodes are an edge",
                (long long)edges->shape[1]);
  if (nodes && edges && p->status >= 0) {
    report_node *sorted = sort_nodes(p, nodes);
    int64_t *end = p->status >= 0 ? find_ends(p, sorted, edges) : NULL;
    if (p->status >= 0) put_links(p, end, edges->shape[0]);
    if (p->status >= 0 && !report_find(p, "positions")) report_layout(p, end, edges->shape[0]);
    free(sorted);
    free(end);
  }
  const lavdm_item *values = report_array(p, "eigenvalues", 2, -1, &any);
  if (values) report_values(p, values);
  for (int k = 0; lists[k]; k++) {
    const lavdm_item *list = report_array(p, lists[k], 1, -1, &any);
    if (list) report_values(p, list);
  }
}
