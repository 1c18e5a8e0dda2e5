/*
 * Edges to blocks. A place (i,k) has all edges that are listed for it: each direction adds up, and two
 * directions are averaged. A square graph is made from the places with i <= k, row by row; then row k
 * receives the blocks (i,k)' with i < k in the order of i, so that its columns ascend.
 */
#include "graph/given.h"

#include "base/memory.h"
#include "graph/links.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MOST_Q = GIVEN_MOST_Q };

/* Weights whose difference is no more of their sum than this are the same but for rounding. */
static const double SAME = 1e-9;

/* What the places of a graph have: */
typedef struct {
  int64_t pairs, loops; /* different ends; the same */
  int64_t once;         /* pairs that are listed in one direction */
  int64_t uneven;       /* whose directions have different weights */
  int64_t repeated;     /* places that are listed more than once in a direction */
} facts_t;

static double weight_of(const lavdm_edges *edges, int64_t e) {
  return edges->weight ? edges->weight[e] : 1;
}

/* w and block (q x q) of the links first .. last-1, which share a place. */
static void combine(const lavdm_edges *edges, int64_t i, const link_t *first, const link_t *last, int64_t q,
                    double *w, double *block) {
  double o[MOST_Q * MOST_Q] = {1};
  double share = first->k != i && first->back != last[-1].back ? 0.5 : 1;
  *w = 0;
  memset(block, 0, (size_t)(q * q) * sizeof *block);
  for (const link_t *l = first; l < last; l++) {
    double weight = share * weight_of(edges, l->edge);
    if (edges->kind != LAVDM_ELEMENT_NONE) given_element(edges, l->edge, q, o);
    *w += weight;
    for (int64_t a = 0; a < q; a++)
      for (int64_t b = 0; b < q; b++) block[a * q + b] += weight * (l->back ? o[b * q + a] : o[a * q + b]);
  }
}

static void note(const lavdm_edges *edges, int64_t i, const link_t *first, const link_t *last,
                 facts_t *facts) {
  double sum[2] = {0, 0};
  int64_t times[2] = {0, 0};
  for (const link_t *l = first; l < last; l++) sum[l->back] += weight_of(edges, l->edge), times[l->back]++;
  bool loop = first->k == i, both = times[0] && times[1];
  facts->loops += loop, facts->pairs += !loop;
  facts->once += !loop && !both;
  facts->uneven += both && fabs(sum[0] - sum[1]) > SAME * (sum[0] + sum[1]);
  facts->repeated += times[0] > 1 || times[1] > 1;
}

/* start[i+1]: blocks of row i; low[i]: those of them whose column is below i. */
static facts_t count_blocks(const run_t *run, const lavdm_edges *edges, const links_t *links, bool square,
                            int64_t *start, int64_t *low) {
  int64_t pairs = 0, loops = 0, once = 0, uneven = 0, repeated = 0;
#pragma omp parallel for num_threads(run->threads) schedule(dynamic, 1024)                                   \
    reduction(+ : pairs, loops, once, uneven, repeated)
  for (int64_t i = 0; i < links->rows; i++) {
    facts_t here = {0};
    int64_t found = 0;
    for (int64_t e = links->start[i], end; e < links->start[i + 1]; e = end, found++) {
      int64_t k = links->link[e].k;
      end = links_end(links, i, e);
      note(edges, square ? i : -1, links->link + e, links->link + end, &here);
      if (square && k != i) {
#pragma omp atomic
        low[k]++;
      }
    }
    start[i + 1] = found;
    pairs += here.pairs, loops += here.loops, once += here.once, uneven += here.uneven;
    repeated += here.repeated;
  }
  for (int64_t i = 0; i < links->rows; i++) start[i + 1] += start[i] + (square ? low[i] : 0);
  return (facts_t){pairs, loops, once, uneven, repeated};
}

static void put(bsr_t *g, int64_t at, int64_t k, double w, const double *block, bool turned) {
  int64_t q = g->q;
  g->col[at] = (int32_t)k;
  g->weight[at] = w;
  for (int64_t a = 0; a < q; a++)
    for (int64_t b = 0; b < q; b++)
      g->block[(at * q + a) * q + b] = turned ? block[b * q + a] : block[a * q + b];
}

/* A loop acts by its symmetric part. */
static void make_symmetric(int64_t q, double *block) {
  for (int64_t a = 0; a < q; a++)
    for (int64_t b = 0; b <= a; b++)
      block[a * q + b] = block[b * q + a] = (block[a * q + b] + block[b * q + a]) / 2;
}

/* The blocks that the links are, behind low[i] others. */
static void fill_listed(const run_t *run, const lavdm_edges *edges, const links_t *links, const int64_t *low,
                        bsr_t *g) {
#pragma omp parallel for num_threads(run->threads) schedule(dynamic, 1024)
  for (int64_t i = 0; i < links->rows; i++) {
    double w, block[MOST_Q * MOST_Q];
    int64_t at = g->start[i] + (low ? low[i] : 0);
    for (int64_t e = links->start[i], end; e < links->start[i + 1]; e = end) {
      end = links_end(links, i, e);
      combine(edges, low ? i : -1, links->link + e, links->link + end, g->q, &w, block);
      if (low && links->link[e].k == i) make_symmetric(g->q, block);
      put(g, at++, links->link[e].k, w, block, false);
    }
  }
}

/* And the others: row k has (i,k)', i < k. done (rows): zeros. */
static void fill_turned(run_t *run, bsr_t *g, const int64_t *low, int64_t *done) {
  int64_t bound[MOST_SHARES + 1], q2 = g->q * g->q;
  int shares = links_shares(run, g->start, g->rows, bound);
#pragma omp parallel for num_threads(run->threads) schedule(static, 1)
  for (int s = 0; s < shares; s++)
    for (int64_t i = 0; i < bound[s + 1]; i++)
      for (int64_t e = g->start[i] + low[i]; e < g->start[i + 1] && g->col[e] < bound[s + 1]; e++) {
        int64_t k = g->col[e];
        if (k >= bound[s] && k != i)
          put(g, g->start[k] + done[k]++, i, g->weight[e], g->block + e * q2, true);
      }
}

/* ------------------------------------------------------------------- build */

static void add_words(char text[WARNING_SIZE], const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add_words(char text[WARNING_SIZE], const char *format, ...) {
  size_t used = strlen(text);
  va_list list;
  va_start(list, format);
  vsnprintf(text + used, WARNING_SIZE - used, format, list);
  va_end(list);
}

/* One sentence on what the edges were taken for. */
static void tell(run_t *run, const facts_t *f, bool square, int64_t rows, int64_t cols) {
  char text[WARNING_SIZE] = "";
  add_words(text, "%" PRId64 " nodes, ", rows);
  if (!square) add_words(text, "%" PRId64 " landmarks, which the second numbers name, ", cols);
  add_words(text, "%" PRId64 " edges, ", f->pairs);
  if (square && !f->uneven && !f->once) add_words(text, "symmetric, ");
  if (square && f->once && f->once == f->pairs) add_words(text, "each listed once, for both directions, ");
  if (square && f->once && f->once < f->pairs)
    add_words(text, "%" PRId64 " of them in one direction only and taken for both, ", f->once);
  if (f->uneven)
    add_words(text, "%" PRId64 " with other weights in the two directions, averaged, ", f->uneven);
  if (f->repeated) add_words(text, "%" PRId64 " listed several times, added up, ", f->repeated);
  if (square && f->loops) add_words(text, "%" PRId64 " on the diagonal", f->loops);
  if (square && !f->loops) add_words(text, "diagonal none");
  size_t used = strlen(text);
  if (used > 2 && text[used - 2] == ',') text[used - 2] = 0;
  run_reason(run, "graph", "%s", text);
}

static int fill(run_t *run, const lavdm_edges *edges, links_t *links, bool square, int64_t cols, bool told,
                bsr_t *g) {
  int64_t rows = links->rows, q = given_fibre(edges);
  int64_t *start = NEW(int64_t, rows + 1), *low = NEW(int64_t, square ? rows : 0),
          *done = NEW(int64_t, square ? rows : 0);
  int status = start && low && done ? LAVDM_OK : fail_memory(run->error, "the graph");
  facts_t facts = {0};
  if (!status) facts = count_blocks(run, edges, links, square, start, low);
  /* where all elements are 1, weights and blocks are the same numbers */
  bool plain = edges->kind == LAVDM_ELEMENT_NONE;
  if (!status) status = bsr_new(run, rows, cols, q, start[rows], !plain, g);
  if (!status) {
    if (plain) g->weight = g->block;
    memcpy(g->start, start, (size_t)(rows + 1) * sizeof *start);
    fill_listed(run, edges, links, square ? low : NULL, g);
    links_free(links); /* makes room */
    if (square) fill_turned(run, g, low, done);
    if (told) tell(run, &facts, square, rows, cols);
  }
  mem_free(start);
  mem_free(low);
  mem_free(done);
  return status;
}

static int check_columns(run_t *run, const lavdm_edges *edges, const nodes_t *rows) {
  int64_t bad = INT64_MAX;
#pragma omp parallel for num_threads(run->threads) schedule(static) reduction(min : bad)
  for (int64_t e = 0; e < edges->count; e++)
    if (e < bad && edges->col[e] >= rows->count) bad = e;
  if (bad == INT64_MAX) return LAVDM_OK;
  return fail(run->error, LAVDM_ERROR_DATA,
              "edge %" PRId64 " names point %" PRId64 ", but there are %" PRId64 " (counted from 0)", bad + 1,
              edges->col[bad], rows->count);
}

/* Rows are the points, or the nodes that occur. */
static int find_rows(run_t *run, const lavdm_edges *edges, bool square, int64_t points, nodes_t *rows) {
  *rows = (nodes_t){.count = points};
  if (points >= 0) return square ? check_columns(run, edges, rows) : LAVDM_OK;
  return nodes_find(run, edges->row, square ? edges->col : NULL, edges->count, rows);
}

/* Bytes while it is built: links; rows of them; blocks, twice as many in a square graph. */
static int check_room(run_t *run, const lavdm_edges *edges, bool square) {
  int64_t q = given_fibre(edges);
  double block = bsr_block_bytes(q) - (edges->kind == LAVDM_ELEMENT_NONE ? 8 : 0);
  return run_room(run, (double)edges->count * (sizeof(link_t) + (square ? 2 : 1) * block));
}

static int build(run_t *run, const lavdm_edges *edges, const nodes_t *rows, const nodes_t *cols, bool told,
                 given_t *out) {
  links_t links = {0};
  if ((cols ? cols : rows)->count > INT32_MAX)
    return fail(run->error, LAVDM_ERROR_ARGUMENT, "more than %d references are not supported", INT32_MAX);
  out->row_node = nodes_list(rows);
  out->col_node = cols ? nodes_list(cols) : NULL;
  int status = out->row_node && (out->col_node || !cols) ? links_sort(run, edges, rows, cols, &links)
                                                         : fail_memory(run->error, "the graph");
  if (!status) status = fill(run, edges, &links, !cols, (cols ? cols : rows)->count, told, &out->graph);
  links_free(&links);
  return status;
}

int given_build(run_t *run, const lavdm_edges *edges, bool square, int64_t points, given_t *out) {
  memset(out, 0, sizeof *out);
  nodes_t rows = {0}, cols = {0};
  int status = given_check(run, edges, points);
  if (!status) status = check_room(run, edges, square);
  if (!status) status = find_rows(run, edges, square, points, &rows);
  if (!status && !square) status = nodes_find(run, edges->col, NULL, edges->count, &cols);
  if (!status) status = build(run, edges, &rows, square ? NULL : &cols, true, out);
  nodes_free(&rows);
  nodes_free(&cols);
  if (status < 0) given_free(out);
  return status;
}

int given_join(run_t *run, const lavdm_edges *edges, int64_t points, const int64_t *node, int64_t m,
               given_t *out) {
  memset(out, 0, sizeof *out);
  nodes_t rows = {0}, cols = {0};
  int status = given_check(run, edges, points);
  if (!status) status = check_room(run, edges, false);
  if (!status) status = nodes_take(run, node, m, &cols);
  if (!status) status = find_rows(run, edges, false, points, &rows);
  if (!status) status = build(run, edges, &rows, &cols, false, out);
  nodes_free(&rows);
  nodes_free(&cols);
  if (status < 0) given_free(out);
  return status;
}

int64_t given_columns(run_t *run, const lavdm_edges *edges) {
  nodes_t cols;
  int status = nodes_find(run, edges->col, NULL, edges->count, &cols);
  int64_t count = cols.count;
  if (!status) nodes_free(&cols);
  return status < 0 ? status : count;
}
