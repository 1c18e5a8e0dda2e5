#include "graph/nodes.h"

#include "base/memory.h"
#include "base/sort.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A table of all numbers up to the largest costs less than sorting, up to so many times their number. */
enum { DENSE = 8, SMALL = 1 << 16 };

static int64_t largest(const run_t *run, const int64_t *x, int64_t length) {
  int64_t most = -1;
#pragma omp parallel for num_threads(run->threads) schedule(static) reduction(max : most)
  for (int64_t e = 0; e < length; e++) most = x[e] > most ? x[e] : most;
  return most;
}

static void mark(const run_t *run, const int64_t *x, int64_t length, int32_t *table) {
#pragma omp parallel for num_threads(run->threads) schedule(static)
  for (int64_t e = 0; e < length; e++) {
    int32_t seen;
#pragma omp atomic read
    seen = table[x[e]];
    if (seen) continue;
#pragma omp atomic write
    table[x[e]] = 1;
  }
}

/* Places by a table of `span` numbers. */
static int by_table(const run_t *run, const int64_t *a, const int64_t *b, int64_t length, int64_t span,
                    nodes_t *out) {
  out->span = span;
  out->table = NEW(int32_t, span);
  if (!out->table) return LAVDM_ERROR_MEMORY;
  mark(run, a, length, out->table);
  if (b) mark(run, b, length, out->table);
  for (int64_t v = 0; v < span; v++) out->count += out->table[v];
  if (out->count == span) { /* no gaps */
    mem_free(out->table);
    out->table = NULL;
    return LAVDM_OK;
  }
  out->node = NEW(int64_t, out->count);
  if (!out->node) return LAVDM_ERROR_MEMORY;
  int32_t at = 0;
  for (int64_t v = 0; v < span; v++) {
    bool there = out->table[v];
    if (there) out->node[at] = v;
    out->table[v] = there ? at++ : -1;
  }
  return LAVDM_OK;
}

static int by_sorting(const int64_t *a, const int64_t *b, int64_t length, nodes_t *out) {
  int64_t total = b ? 2 * length : length, kept = 0, *all = NEW(int64_t, total);
  if (!all) return LAVDM_ERROR_MEMORY;
  memcpy(all, a, (size_t)length * sizeof *a);
  if (b) memcpy(all + length, b, (size_t)length * sizeof *b);
  sort_integers(all, total);
  for (int64_t i = 0; i < total; i++)
    if (!kept || all[i] != all[kept - 1]) all[kept++] = all[i];
  out->node = all;
  out->count = kept;
  return LAVDM_OK;
}

int nodes_find(run_t *run, const int64_t *a, const int64_t *b, int64_t length, nodes_t *out) {
  *out = (nodes_t){0};
  int64_t most = largest(run, a, length), other = b ? largest(run, b, length) : -1;
  most = other > most ? other : most;
  bool table = most < INT32_MAX && (most < SMALL || most / DENSE < length);
  int status = table ? by_table(run, a, b, length, most + 1, out) : by_sorting(a, b, length, out);
  if (status < 0) nodes_free(out);
  return status < 0 ? fail_memory(run->error, "the graph") : LAVDM_OK;
}

int nodes_take(run_t *run, const int64_t *node, int64_t count, nodes_t *out) {
  *out = (nodes_t){.count = count, .node = NEW(int64_t, count)};
  if (!out->node) return fail_memory(run->error, "the graph");
  if (count) memcpy(out->node, node, (size_t)count * sizeof *node);
  return LAVDM_OK;
}

int64_t nodes_place(const nodes_t *nodes, int64_t number) {
  if (!nodes->node) return number >= 0 && number < nodes->count ? number : -1;
  if (nodes->table) return number >= 0 && number < nodes->span ? nodes->table[number] : -1;
  const int64_t *at = bsearch(&number, nodes->node, (size_t)nodes->count, sizeof number, compare_integers);
  return at ? at - nodes->node : -1;
}

int64_t *nodes_list(const nodes_t *nodes) {
  int64_t *list = NEW(int64_t, nodes->count);
  for (int64_t i = 0; list && i < nodes->count; i++) list[i] = nodes->node ? nodes->node[i] : i;
  return list;
}

void nodes_free(nodes_t *nodes) {
  mem_free(nodes->node);
  mem_free(nodes->table);
  *nodes = (nodes_t){0};
}
