#include "orient/parity.h"

#include "base/memory.h"
#include "base/sort.h"
#include "frames/polar.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Odd edges that count as one: noise makes single ones. */
enum { FEW = 3, IN = 5000 };

/* Vertices that make a graph connected. */
static const double most_vertices = 0.9;

typedef struct {
  int64_t from, to;
  double g, c, w;
} edge_t;

typedef struct {
  int64_t n, count;
  edge_t *edge;   /* from < to, in that order, then by falling weight */
  int64_t *first; /* n + 1: edges of a vertex to later ones, before they are sorted by weight */
} graph_t;

static int compare_ends(const void *a, const void *b) {
  const edge_t *x = a, *y = b;
  return x->from != y->from ? (x->from > y->from) - (x->from < y->from) : (x->to > y->to) - (x->to < y->to);
}

static int compare_weights(const void *a, const void *b) {
  const edge_t *x = a, *y = b;
  return x->w != y->w ? (x->w < y->w) - (x->w > y->w) : compare_ends(a, b);
}

/* The edges to 4d + 2 neighbours, each once. */
static int join(run_t *run, const planes_t *planes, graph_t *graph) {
  int64_t n = planes->n, joined = 4 * planes->d + 2, count = 0, kept = 0;
  if (joined > planes->reach - 1) joined = planes->reach - 1;
  graph->n = n;
  graph->edge = NEW(edge_t, n * joined);
  graph->first = NEW(int64_t, n + 1);
  if (!graph->edge || !graph->first) return fail_memory(run->error, "the signs");
  for (int64_t i = 0; i < n; i++)
    for (int64_t j = 0; j < joined; j++) {
      int64_t k = planes->near[i * planes->reach + 1 + j];
      if (k != i) graph->edge[count++] = (edge_t){.from = i < k ? i : k, .to = i < k ? k : i};
    }
  qsort(graph->edge, (size_t)count, sizeof *graph->edge, compare_ends);
  for (int64_t e = 0; e < count; e++)
    if (!kept || compare_ends(graph->edge + kept - 1, graph->edge + e)) graph->edge[kept++] = graph->edge[e];
  graph->count = kept;
  for (int64_t e = 0; e < kept; e++) graph->first[graph->edge[e].from + 1]++;
  for (int64_t i = 0; i < n; i++) graph->first[i + 1] += graph->first[i];
  return LAVDM_OK;
}

/* |B x|^2 for a frame of d rows. */
static double along(int64_t d, int64_t p, const double *frame, const double *x) {
  double square = 0;
  for (int64_t a = 0; a < d; a++) {
    double dot = 0;
    for (int64_t j = 0; j < p; j++) dot += frame[a * p + j] * x[j];
    square += dot * dot;
  }
  return square;
}

static int weigh(run_t *run, const planes_t *planes, int shift, graph_t *graph) {
  int64_t d = planes->d, p = planes->p;
  double *room = NEW(double, 2 * d * d + p), *sorted = NEW(double, graph->count);
  if (!room || !sorted) {
    mem_free(room);
    mem_free(sorted);
    return fail_memory(run->error, "the signs");
  }
  double *m = room, *rest = room + d * d, *x = rest + d * d;
  for (int64_t e = 0; e < graph->count; e++) {
    edge_t *edge = graph->edge + e;
    const double *a = planes_frame(planes, edge->from, shift), *b = planes_frame(planes, edge->to, shift);
    double far = 0;
    for (int64_t j = 0; j < p; j++) {
      x[j] = planes->points.x[edge->to * p + j] - planes->points.x[edge->from * p + j];
      far += x[j] * x[j];
    }
    for (int64_t s = 0; s < d; s++)
      for (int64_t t = 0; t < d; t++) {
        m[s * d + t] = 0;
        for (int64_t j = 0; j < p; j++) m[s * d + t] += a[s * p + j] * b[t * p + j];
      }
    edge->g = REAL(determinant)(d, m, rest);
    edge->c = sorted[e] = far > 0 ? sqrt((along(d, p, a, x) + along(d, p, b, x)) / (2 * far)) : 1;
  }
  sort_reals(sorted, graph->count);
  double usual = graph->count ? sorted[graph->count / 2] : 1;
  for (int64_t e = 0; e < graph->count; e++) {
    edge_t *edge = graph->edge + e;
    edge->w = fabs(edge->g) * (usual > 0 ? fmin(1, edge->c / usual) : 1);
  }
  mem_free(room);
  mem_free(sorted);
  return LAVDM_OK;
}

/* The edge between two vertices, or NULL. */
static const edge_t *between(const graph_t *graph, int64_t from, int64_t to) {
  int64_t low = graph->first[from], high = graph->first[from + 1];
  while (low < high) {
    int64_t middle = (low + high) / 2;
    if (graph->edge[middle].to == to) return graph->edge + middle;
    if (graph->edge[middle].to < to)
      low = middle + 1;
    else
      high = middle;
  }
  return NULL;
}

/* The share of triangles whose signs have the product -1. */
static double frustrated(const graph_t *graph) {
  int64_t all = 0, bad = 0;
  for (int64_t i = 0; i < graph->n; i++)
    for (int64_t e = graph->first[i]; e < graph->first[i + 1]; e++)
      for (int64_t f = e + 1; f < graph->first[i + 1]; f++) {
        const edge_t *third = between(graph, graph->edge[e].to, graph->edge[f].to);
        if (!third) continue;
        all++;
        bad += ((graph->edge[e].g < 0) + (graph->edge[f].g < 0) + (third->g < 0)) % 2;
      }
  return all ? (double)bad / (double)all : 0;
}

/* Sets of vertices, each with the sign that leads to the root of its set. */
typedef struct {
  int64_t *up, *size;
  int *sign;
} forest_t;

static int64_t root(forest_t *f, int64_t v, int *sign) {
  int64_t top = v;
  int total = 1;
  while (f->up[top] != top) total *= f->sign[top], top = f->up[top];
  *sign = total;
  while (f->up[v] != top && v != top) { /* the way becomes short */
    int64_t next = f->up[v];
    int own = f->sign[v];
    f->up[v] = top, f->sign[v] = total;
    total *= own, v = next;
  }
  return top;
}

/* Takes the edge in; true if it is odd. */
static bool take(forest_t *f, const edge_t *edge) {
  int a, b, sign = edge->g < 0 ? -1 : 1;
  int64_t x = root(f, edge->from, &a), y = root(f, edge->to, &b);
  if (x == y) return a * b * sign < 0;
  if (f->size[x] < f->size[y]) {
    int64_t z = x;
    x = y, y = z;
  }
  f->up[y] = x, f->sign[y] = a * b * sign;
  f->size[x] += f->size[y];
  return false;
}

/* The weights of the edge that connects the graph, and of the odd edge that counts. */
static void grow(forest_t *f, const graph_t *graph, double *connects, double *odd) {
  int64_t last = 1, few = graph->count / IN > FEW ? graph->count / IN : FEW, seen = 0;
  for (int pass = 0; pass < 2; pass++) { /* how large the largest set becomes; then when it is nearly that */
    double enough = most_vertices * (double)last;
    bool whole = false;
    for (int64_t i = 0; i < graph->n; i++) f->up[i] = i, f->size[i] = 1, f->sign[i] = 1;
    for (int64_t e = 0; e < graph->count; e++) {
      bool closes = take(f, graph->edge + e);
      int s;
      int64_t size = f->size[root(f, graph->edge[e].from, &s)];
      if (!pass) last = size > last ? size : last;
      if (pass && !whole && (double)size >= enough) whole = true, *connects = graph->edge[e].w;
      if (pass && closes && ++seen == few) *odd = graph->edge[e].w;
    }
  }
}

int parity_find(run_t *run, const planes_t *planes, int shift, parity_t *out) {
  graph_t graph = {0};
  int64_t n = planes->n;
  forest_t f = {NEW(int64_t, n), NEW(int64_t, n), NEW(int, n)};
  *out = (parity_t){0};
  int status = f.up && f.size && f.sign ? LAVDM_OK : fail_memory(run->error, "the signs");
  if (!status) status = join(run, planes, &graph);
  if (!status) status = weigh(run, planes, shift, &graph);
  if (!status) {
    double connects = 0, odd = 0, light = 0;
    out->frustrated = frustrated(&graph);
    qsort(graph.edge, (size_t)graph.count, sizeof *graph.edge, compare_weights);
    grow(&f, &graph, &connects, &odd);
    for (int64_t e = 0; e < graph.count; e++) light += 1 - fabs(graph.edge[e].g);
    out->light = graph.count ? light / (double)graph.count : 0;
    out->odd = connects > 0 ? fmin(odd / connects, 1) : 1;
  }
  mem_free(graph.edge);
  mem_free(graph.first);
  mem_free(f.up);
  mem_free(f.size);
  mem_free(f.sign);
  return status;
}
