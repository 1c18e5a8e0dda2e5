#include "graph/links.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

int links_shares(const run_t *run, const int64_t *start, int64_t rows, int64_t bound[MOST_SHARES + 1]) {
  int shares = run->threads < MOST_SHARES ? run->threads : MOST_SHARES;
  bound[0] = 0, bound[shares] = rows;
  for (int s = 1; s < shares; s++) {
    int64_t wanted = start[rows] / shares * s, low = bound[s - 1], high = rows;
    while (low < high) {
      int64_t middle = low + (high - low) / 2;
      if (start[middle] < wanted)
        low = middle + 1;
      else
        high = middle;
    }
    bound[s] = low;
  }
  return shares;
}

/* Where edge e goes; false if its column has no place. */
static inline bool place_edge(const lavdm_edges *edges, const nodes_t *rows, const nodes_t *cols, int64_t e,
                              int64_t *i, link_t *link) {
  int64_t from = nodes_place(rows, edges->row[e]), to = nodes_place(cols ? cols : rows, edges->col[e]);
  bool back = !cols && from > to;
  *i = back ? to : from;
  *link = (link_t){e, (int32_t)(back ? from : to), back};
  return to >= 0;
}

static void count_rows(const run_t *run, const lavdm_edges *edges, const nodes_t *rows, const nodes_t *cols,
                       int64_t *start) {
#pragma omp parallel for num_threads(run->threads) schedule(static)
  for (int64_t e = 0; e < edges->count; e++) {
    int64_t i;
    link_t link;
    if (!place_edge(edges, rows, cols, e, &i, &link)) continue;
#pragma omp atomic
    start[i + 1]++;
  }
}

/* start[i] moves on to the end of row i. */
static void fill_rows(run_t *run, const lavdm_edges *edges, const nodes_t *rows, const nodes_t *cols,
                      links_t *out) {
  enum { TICK = 1 << 20 };
  int64_t bound[MOST_SHARES + 1];
  int shares = links_shares(run, out->start, out->rows, bound);
#pragma omp parallel for num_threads(run->threads) schedule(static, 1)
  for (int s = 0; s < shares; s++)
    for (int64_t e = 0; e < edges->count; e++) {
      int64_t i;
      link_t link;
      if (e % TICK == 0 && run_stopped(run, e, 2 * edges->count)) break;
      if (place_edge(edges, rows, cols, e, &i, &link) && i >= bound[s] && i < bound[s + 1])
        out->link[out->start[i]++] = link;
    }
}

static int by_place(const void *a, const void *b) {
  const link_t *x = a, *y = b;
  if (x->k != y->k) return x->k < y->k ? -1 : 1;
  if (x->back != y->back) return x->back ? 1 : -1;
  return (x->edge > y->edge) - (x->edge < y->edge);
}

/* Rows come in the order of the edges: short ones, and those that are nearly in order, by insertion. */
static void sort_row(link_t *link, int64_t count) {
  enum { FEW = 48 };
  if (count > FEW) {
    qsort(link, (size_t)count, sizeof *link, by_place);
    return;
  }
  for (int64_t e = 1; e < count; e++) {
    link_t moved = link[e];
    int64_t to = e;
    for (; to > 0 && by_place(&moved, &link[to - 1]) < 0; to--) link[to] = link[to - 1];
    link[to] = moved;
  }
}

int links_sort(run_t *run, const lavdm_edges *edges, const nodes_t *rows, const nodes_t *cols, links_t *out) {
  int64_t n = rows->count;
  *out = (links_t){.rows = n, .start = NEW(int64_t, n + 1)};
  if (!out->start) return fail_memory(run->error, "the graph");
  count_rows(run, edges, rows, cols, out->start);
  for (int64_t i = 0; i < n; i++) out->start[i + 1] += out->start[i];
  out->link = NEW(link_t, out->start[n]);
  if (!out->link) {
    links_free(out);
    return fail_memory(run->error, "the graph");
  }
  fill_rows(run, edges, rows, cols, out);
  memmove(out->start + 1, out->start, (size_t)n * sizeof *out->start);
  out->start[0] = 0;
  int status = run_status(run);
#pragma omp parallel for num_threads(run->threads) schedule(dynamic, 1024)
  for (int64_t i = 0; i < n; i++)
    if (!status) sort_row(out->link + out->start[i], out->start[i + 1] - out->start[i]);
  if (status < 0) links_free(out);
  return status;
}

void links_free(links_t *links) {
  mem_free(links->start);
  mem_free(links->link);
  *links = (links_t){0};
}
