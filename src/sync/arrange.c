#include "sync/arrange.h"

#include "base/memory.h"
#include "base/sort.h"
#include "graph/given.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void arranged_free(arranged_t *a) {
  components_free(&a->components);
  void *all[] = {a->node, a->node_first, a->edge_first, a->node_at, a->edge_at,
                 a->row,  a->col,        a->o,          a->weight};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) mem_free(all[i]);
  memset(a, 0, sizeof *a);
}

/* The distinct numbers, ascending. */
static int list_nodes(run_t *run, const lavdm_edges *edges, const int64_t *more, int64_t count,
                      arranged_t *a) {
  int64_t total = 2 * edges->count + count, kept = 0;
  int64_t *all = a->node = NEW(int64_t, total);
  if (!all) return fail_memory(run->error, "the nodes");
  memcpy(all, edges->row, (size_t)edges->count * sizeof *all);
  memcpy(all + edges->count, edges->col, (size_t)edges->count * sizeof *all);
  if (count) memcpy(all + 2 * edges->count, more, (size_t)count * sizeof *all);
  int64_t largest = 0;
  for (int64_t i = 0; i < total; i++) {
    if (all[i] < 0)
      return fail(run->error, LAVDM_ERROR_DATA, "there is a node %" PRId64 ": they are numbered from 0",
                  all[i]);
    if (all[i] > largest) largest = all[i];
  }
  if (largest < 8 * total) { /* there is no need to sort */
    char *seen = NEW(char, largest + 1);
    if (!seen) return fail_memory(run->error, "the nodes");
    for (int64_t i = 0; i < total; i++) seen[all[i]] = 1;
    for (int64_t i = 0; i <= largest; i++)
      if (seen[i]) all[kept++] = i;
    mem_free(seen);
  } else {
    sort_integers(all, total);
    for (int64_t i = 0; i < total; i++)
      if (!kept || all[i] != all[kept - 1]) all[kept++] = all[i];
  }
  a->n = kept;
  if (kept > INT32_MAX)
    return fail(run->error, LAVDM_ERROR_ARGUMENT, "more than %d nodes are not supported", INT32_MAX);
  return LAVDM_OK;
}

static int64_t place_of(const arranged_t *a, int64_t node) {
  if (a->node[a->n - 1] == a->n - 1) return node; /* no gaps */
  const int64_t *at = bsearch(&node, a->node, (size_t)a->n, sizeof node, compare_integers);
  return at - a->node;
}

/* Labels of the components; from and to (edges) are the places of the ends. */
static int label(run_t *run, const lavdm_edges *edges, const int64_t *from, const int64_t *to,
                 arranged_t *a) {
  int64_t *set = NEW(int64_t, a->n);
  if (!set) return fail_memory(run->error, "the components");
  sets_start(set, a->n);
  for (int64_t e = 0; e < edges->count; e++) {
    sets_join(set, from[e], to[e]);
    a->m += from[e] != to[e];
  }
  for (int64_t i = 0; i < a->n; i++) set[i] = sets_root(set, i);
  int status = components_label(run, NULL, set, NULL, a->n, a->n, &a->components);
  mem_free(set);
  return status;
}

/* Sorts places by label, stably, those below 0 left out: first (labels + 1, zeros) and at. order: how they
 * stand before; NULL: ascending. */
static void by_label(const int64_t *label_of, const int64_t *order, int64_t count, int64_t labels,
                     int64_t *first, int64_t *at) {
  for (int64_t i = 0; i < count; i++)
    if (label_of[i] >= 0) first[label_of[i] + 1]++;
  for (int64_t c = 0; c < labels; c++) first[c + 1] += first[c];
  for (int64_t k = 0; k < count; k++) {
    int64_t i = order ? order[k] : k;
    if (label_of[i] >= 0) at[first[label_of[i]]++] = i;
  }
  memmove(first + 1, first, (size_t)labels * sizeof *first);
  first[0] = 0;
}

/* Edges by their pairs of nodes, so that nothing depends on the order in which they are given. */
static int by_pair(run_t *run, const int64_t *from, const int64_t *to, int64_t count, int64_t nodes,
                   int64_t *order) {
  int64_t *end = NEW(int64_t, count), *first = NEW(int64_t, nodes + 1), *once = NEW(int64_t, count);
  int status = end && first && once ? LAVDM_OK : fail_memory(run->error, "the edges");
  for (int64_t e = 0; e < count && !status; e++) end[e] = from[e] > to[e] ? from[e] : to[e];
  if (!status) by_label(end, NULL, count, nodes, first, once);
  for (int64_t e = 0; e < count && !status; e++) end[e] = from[e] < to[e] ? from[e] : to[e];
  if (!status) memset(first, 0, (size_t)(nodes + 1) * sizeof *first);
  if (!status) by_label(end, once, count, nodes, first, order);
  mem_free(end);
  mem_free(first);
  mem_free(once);
  return status;
}

static int fill(run_t *run, const lavdm_edges *edges, const int64_t *from, const int64_t *to, arranged_t *a) {
  int64_t c = a->components.count, q = a->q, *own = NEW(int64_t, a->n),
          *edge_label = NEW(int64_t, edges->count), *order = NEW(int64_t, edges->count);
  a->node_first = NEW(int64_t, c + 1), a->edge_first = NEW(int64_t, c + 1);
  a->node_at = NEW(int64_t, a->n), a->edge_at = NEW(int64_t, a->m);
  a->row = NEW(int32_t, a->m), a->col = NEW(int32_t, a->m);
  a->o = NEW(double, a->m *q *q), a->weight = NEW(double, a->m);
  int status = LAVDM_OK;
  if (!own || !edge_label || !order || !a->node_first || !a->edge_first || !a->node_at || !a->edge_at ||
      !a->row || !a->col || !a->o || !a->weight)
    status = fail_memory(run->error, "the edges");
  if (!status) status = by_pair(run, from, to, edges->count, a->n, order);
  if (!status) {
    by_label(a->components.label, NULL, a->n, c, a->node_first, a->node_at);
    for (int64_t p = 0; p < a->node_first[c]; p++)
      own[a->node_at[p]] = p - a->node_first[a->components.label[a->node_at[p]]];
    for (int64_t e = 0; e < edges->count; e++)
      edge_label[e] = from[e] == to[e] ? -1 : a->components.label[from[e]];
    by_label(edge_label, order, edges->count, c, a->edge_first, a->edge_at);
#pragma omp parallel for num_threads(run->threads) schedule(static)
    for (int64_t p = 0; p < a->m; p++) {
      int64_t e = a->edge_at[p];
      a->row[p] = (int32_t)own[from[e]], a->col[p] = (int32_t)own[to[e]];
      a->weight[p] = edges->weight ? edges->weight[e] : 1;
      given_element(edges, e, q, a->o + p * q * q);
    }
  }
  mem_free(own);
  mem_free(edge_label);
  mem_free(order);
  return status;
}

int arrange_edges(run_t *run, const lavdm_edges *edges, const int64_t *more, int64_t count, arranged_t *a) {
  memset(a, 0, sizeof *a);
  a->q = given_fibre(edges);
  int64_t *from = NEW(int64_t, edges->count), *to = NEW(int64_t, edges->count);
  int status = from && to ? list_nodes(run, edges, more, count, a) : fail_memory(run->error, "the edges");
  for (int64_t e = 0; e < edges->count && !status; e++)
    from[e] = place_of(a, edges->row[e]), to[e] = place_of(a, edges->col[e]);
  if (!status) status = label(run, edges, from, to, a);
  if (!status) status = fill(run, edges, from, to, a);
  mem_free(from);
  mem_free(to);
  if (status < 0) arranged_free(a);
  return status;
}
