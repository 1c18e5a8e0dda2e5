#include "graph/given.h"

#include "base/memory.h"
#include "base/sort.h"
#include "frames/polar.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_Q = GIVEN_MOST_Q };

/* Weights beyond these would under- or overflow where two are multiplied. */
#define LEAST_WEIGHT 1e-100
#define MOST_WEIGHT  1e100

int64_t given_fibre(const lavdm_edges *edges) {
  switch (edges->kind) {
  case LAVDM_ELEMENT_ANGLE:
    return 2;
  case LAVDM_ELEMENT_QUATERNION:
    return 3;
  case LAVDM_ELEMENT_MATRIX:
    return edges->q;
  default:
    return 1;
  }
}

bool given_element(const lavdm_edges *edges, int64_t e, int64_t q, double *o) {
  double scratch[POLAR_SCRATCH(MOST_Q)];
  const double *x = edges->element;
  switch (edges->kind) {
  case LAVDM_ELEMENT_NONE:
    o[0] = 1;
    return true;
  case LAVDM_ELEMENT_SIGN:
    o[0] = x[e] < 0 ? -1 : 1;
    return fabs(x[e]) == 1;
  case LAVDM_ELEMENT_ANGLE:
    o[0] = o[3] = cos(x[e]);
    o[2] = sin(x[e]);
    o[1] = -o[2];
    return isfinite(x[e]);
  case LAVDM_ELEMENT_QUATERNION: {
    double w = x[4 * e], i = x[4 * e + 1], j = x[4 * e + 2], k = x[4 * e + 3];
    double norm = sqrt(w * w + i * i + j * j + k * k);
    if (!(fabs(norm - 1) <= 1e-6)) return false;
    w /= norm, i /= norm, j /= norm, k /= norm;
    const double r[9] = {1 - 2 * (j * j + k * k), 2 * (i * j - w * k),     2 * (i * k + w * j),
                         2 * (i * j + w * k),     1 - 2 * (i * i + k * k), 2 * (j * k - w * i),
                         2 * (i * k - w * j),     2 * (j * k + w * i),     1 - 2 * (i * i + j * j)};
    memcpy(o, r, sizeof r);
    return true;
  }
  case LAVDM_ELEMENT_MATRIX:
    for (int64_t i = 0; i < q * q; i++)
      if (!isfinite(x[e * q * q + i])) return false;
    REAL(polar_factor)(q, x + e * q * q, o, scratch);
    for (int64_t i = 0; i < q * q; i++)
      if (fabs(o[i] - x[e * q * q + i]) > 1e-6) return false;
    return true;
  }
  return false;
}

int given_check(run_t *run, const lavdm_edges *edges, int64_t points) {
  int64_t q = given_fibre(edges);
  double o[MOST_Q * MOST_Q];
  if (edges->count < 1) return fail(run->error, LAVDM_ERROR_DATA, "the graph has no edges");
  if (!edges->row || !edges->col || (edges->kind != LAVDM_ELEMENT_NONE && !edges->element))
    return fail(run->error, LAVDM_ERROR_ARGUMENT, "the edges lack their rows, columns or elements");
  if (q < 1 || q > MOST_Q)
    return fail(run->error, LAVDM_ERROR_ARGUMENT, "elements of size %" PRId64 ": it must be from 1 to %d", q,
                MOST_Q);
  for (int64_t e = 0; e < edges->count; e++) {
    if (edges->row[e] < 0 || edges->col[e] < 0)
      return fail(run->error, LAVDM_ERROR_DATA, "edge %" PRId64 " names a negative node", e + 1);
    if (points >= 0 && edges->row[e] >= points)
      return fail(run->error, LAVDM_ERROR_DATA,
                  "edge %" PRId64 " names point %" PRId64 ", but there are %" PRId64 " (counted from 0)",
                  e + 1, edges->row[e], points);
    if (edges->weight && !(edges->weight[e] >= LEAST_WEIGHT && edges->weight[e] <= MOST_WEIGHT))
      return fail(run->error, LAVDM_ERROR_DATA,
                  "edge %" PRId64 " has weight %g: it must be positive, from %g to %g", e + 1,
                  edges->weight[e], LEAST_WEIGHT, MOST_WEIGHT);
    if (!given_element(edges, e, q, o))
      return fail(run->error, LAVDM_ERROR_DATA, "edge %" PRId64 " has an element that is not orthogonal",
                  e + 1);
  }
  return LAVDM_OK;
}

/* The distinct numbers among a and b (b may be NULL), ascending. */
static int64_t *distinct(const int64_t *a, const int64_t *b, int64_t count, int64_t *found) {
  int64_t total = b ? 2 * count : count, kept = 0;
  int64_t *all = NEW(int64_t, total);
  if (!all) return NULL;
  memcpy(all, a, (size_t)count * sizeof *a);
  if (b) memcpy(all + count, b, (size_t)count * sizeof *b);
  sort_integers(all, total);
  for (int64_t i = 0; i < total; i++)
    if (!kept || all[i] != all[kept - 1]) all[kept++] = all[i];
  *found = kept;
  return all;
}

static int64_t place(const int64_t *nodes, int64_t count, int64_t node) {
  const int64_t *at = bsearch(&node, nodes, (size_t)count, sizeof node, compare_integers);
  return at - nodes;
}

/* An edge by its place: square graphs have i <= k, `back` if it was (k,i). */
typedef struct {
  int64_t i, k, edge;
  bool back;
} link_t;

static int by_place(const void *a, const void *b) {
  const link_t *x = a, *y = b;
  if (x->i != y->i) return x->i < y->i ? -1 : 1;
  if (x->k != y->k) return x->k < y->k ? -1 : 1;
  if (x->back != y->back) return x->back ? 1 : -1;
  return (x->edge > y->edge) - (x->edge < y->edge);
}

static bool same_place(const link_t *a, const link_t *b) {
  return a->i == b->i && a->k == b->k;
}

/* w and block (q x q) of the links first .. last-1, which share a place: each
 * direction adds up, and two directions are averaged. */
static void combine(const lavdm_edges *edges, const link_t *first, const link_t *last, int64_t q, double *w,
                    double *block) {
  double o[MOST_Q * MOST_Q];
  double share = first->i != first->k && first->back != last[-1].back ? 0.5 : 1;
  *w = 0;
  memset(block, 0, (size_t)(q * q) * sizeof *block);
  for (const link_t *l = first; l < last; l++) {
    double weight = share * (edges->weight ? edges->weight[l->edge] : 1);
    given_element(edges, l->edge, q, o);
    *w += weight;
    for (int64_t a = 0; a < q; a++)
      for (int64_t b = 0; b < q; b++) block[a * q + b] += weight * (l->back ? o[b * q + a] : o[a * q + b]);
  }
}

static void put(bsr_t *g, int64_t i, int64_t k, double w, const double *block, bool turned) {
  int64_t at = g->start[i]++, q = g->q;
  g->col[at] = (int32_t)k;
  g->weight[at] = w;
  for (int64_t a = 0; a < q; a++)
    for (int64_t b = 0; b < q; b++)
      g->block[(at * q + a) * q + b] = turned ? block[b * q + a] : block[a * q + b];
}

/* Distinct places in order fill every row in ascending columns: row i receives
 * (k,i), k < i, while k is the smaller number, and (i,k), k >= i, after that. */
static int fill(run_t *run, const lavdm_edges *edges, const link_t *links, bool square, int64_t rows,
                int64_t cols, bsr_t *g) {
  int64_t q = given_fibre(edges), count = edges->count, total = 0;
  double w, block[MOST_Q * MOST_Q];
  for (int64_t e = 0; e < count; e++)
    if (!e || !same_place(&links[e], &links[e - 1])) total += square && links[e].i != links[e].k ? 2 : 1;
  int status = bsr_new(run, rows, cols, q, total, true, g);
  if (status < 0) return status;
  for (int64_t e = 0; e < count; e++)
    if (!e || !same_place(&links[e], &links[e - 1])) {
      g->start[links[e].i + 1]++;
      if (square && links[e].i != links[e].k) g->start[links[e].k + 1]++;
    }
  for (int64_t i = 0; i < rows; i++) g->start[i + 1] += g->start[i];
  for (int64_t e = 0, end; e < count; e = end) {
    for (end = e + 1; end < count && same_place(&links[e], &links[end]); end++) {
    }
    combine(edges, links + e, links + end, q, &w, block);
    if (square && links[e].i == links[e].k) /* a loop acts by its symmetric part */
      for (int64_t a = 0; a < q; a++)
        for (int64_t b = 0; b <= a; b++)
          block[a * q + b] = block[b * q + a] = (block[a * q + b] + block[b * q + a]) / 2;
    put(g, links[e].i, links[e].k, w, block, false);
    if (square && links[e].i != links[e].k) put(g, links[e].k, links[e].i, w, block, true);
  }
  memmove(g->start + 1, g->start, (size_t)rows * sizeof *g->start);
  g->start[0] = 0;
  return LAVDM_OK;
}

int given_build(run_t *run, const lavdm_edges *edges, bool square, int64_t points, given_t *out) {
  memset(out, 0, sizeof *out);
  int status = given_check(run, edges, points);
  if (status < 0) return status;
  int64_t rows = points, cols = 0, count = edges->count;
  link_t *links = NEW(link_t, count);
  if (points >= 0) {
    out->row_node = NEW(int64_t, points);
    for (int64_t i = 0; out->row_node && i < points; i++) out->row_node[i] = i;
  } else {
    out->row_node = distinct(edges->row, square ? edges->col : NULL, count, &rows);
  }
  if (square)
    cols = rows;
  else
    out->col_node = distinct(edges->col, NULL, count, &cols);
  if (!links || !out->row_node || (!square && !out->col_node)) {
    status = fail_memory(run->error, "the graph");
  } else {
    const int64_t *nodes = square ? out->row_node : out->col_node;
    for (int64_t e = 0; e < count && !status; e++) {
      if (square && points >= 0 && edges->col[e] >= points)
        status = fail(run->error, LAVDM_ERROR_DATA,
                      "edge %" PRId64 " names point %" PRId64 ", but there are %" PRId64 " (counted from 0)",
                      e + 1, edges->col[e], points);
      else
        links[e] =
            (link_t){place(out->row_node, rows, edges->row[e]), place(nodes, cols, edges->col[e]), e, false};
      if (square && links[e].i > links[e].k) links[e] = (link_t){links[e].k, links[e].i, e, true};
    }
    if (!status) {
      qsort(links, (size_t)count, sizeof *links, by_place);
      status = fill(run, edges, links, square, rows, cols, &out->graph);
    }
  }
  mem_free(links);
  if (status < 0) given_free(out);
  return status;
}

void given_free(given_t *given) {
  bsr_free(&given->graph);
  mem_free(given->row_node);
  mem_free(given->col_node);
  memset(given, 0, sizeof *given);
}
