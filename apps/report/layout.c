/*
 * Where the nodes of a graph are drawn that has no positions: for each of its largest components the first
 * three eigenvectors u of its diffusion, over the roots of their rates -log lambda, so that a strip is as
 * long as it is, and times the root of the number of nodes; one component beside the other. Smaller ones are
 * left out (NaN). Nodes at loose ends, on which u is large, are drawn in: x = 3 s tanh(u/3s), s the usual
 * size of u.
 */
#include "report/data.h"
#include "report/graph.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { AXES = 3, MOST_PARTS = 12, LEAST_NODES = 4, MOST_LINKS = 3000000 };

/* Components by union of their ends. */
static int64_t root_of(int64_t *parent, int64_t i) {
  while (parent[i] != i) i = parent[i] = parent[parent[i]];
  return i;
}

typedef struct {
  int64_t root, nodes;
} part;

static int by_size(const void *a, const void *b) {
  const part *x = a, *y = b;
  return x->nodes != y->nodes ? (x->nodes < y->nodes) - (x->nodes > y->nodes)
                              : (x->root > y->root) - (x->root < y->root);
}

/* Edges of one component, its nodes numbered from 0 (local). */
typedef struct {
  int64_t *row, *col, count;
} links;

static void gather(const int64_t *end, int64_t count, int64_t *parent, const part *c, const int64_t *local,
                   links *l) {
  for (int64_t e = 0; e < count; e++) {
    int64_t a = end[2 * e], b = end[2 * e + 1];
    if (a == b || root_of(parent, a) != c->root) continue;
    l->row[l->count] = local[a], l->col[l->count++] = local[b];
  }
}

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Column `a` of u (nodes x rank) to x (nodes), of the size that is asked for; `sorted` is room for it. */
static void draw_in(const double *u, int64_t nodes, int64_t rank, int64_t a, double size, double *sorted,
                    double *x) {
  for (int64_t i = 0; i < nodes; i++) sorted[i] = fabs(u[i * rank + a]);
  qsort(sorted, (size_t)nodes, sizeof *sorted, by_value);
  double usual = sorted[4 * nodes / 5] / 1.2816; /* its deviation, if it is normal */
  if (!(usual > 0)) usual = sorted[nodes - 1] > 0 ? sorted[nodes - 1] : 1;
  for (int64_t i = 0; i < nodes; i++) x[i] = size * 3 * tanh(u[i * rank + a] / (3 * usual));
}

static double rate_of(double eigenvalue) {
  return eigenvalue > 0 && eigenvalue < 1 ? -log(eigenvalue) : 1;
}

/* x (3 x nodes) receives the coordinates; what cannot be found stays as it is. */
static void embed(report_page *p, const links *l, int64_t nodes, double *x) {
  lavdm_edges edges = {
      .size = sizeof edges, .count = l->count, .row = l->row, .col = l->col, .kind = LAVDM_ELEMENT_NONE};
  lavdm_options options;
  lavdm_model *model = NULL;
  lavdm_error error = {0};
  int64_t rank = nodes < AXES + 1 ? nodes : AXES + 1;
  lavdm_options_default(&options);
  options.method = LAVDM_METHOD_DM, options.bundle = LAVDM_BUNDLE_GIVEN;
  options.alpha = 0, options.components = rank, options.trust = LAVDM_TRUST_NO;
  options.threads = p->threads, options.seed = p->options.seed;
  options.progress = p->options.progress, options.progress_user = p->options.progress_user;
  lavdm_data data = {.n = nodes, .edges = &edges};
  double *u = malloc((size_t)(nodes * rank) * sizeof *u), *sorted = malloc((size_t)nodes * sizeof *sorted);
  if (!u || !sorted) report_no_memory(p, "the layout");
  int status = u && sorted ? lavdm_fit(&data, &options, &model, &error) : LAVDM_ERROR_MEMORY;
  if (status >= 0) status = lavdm_coordinates(model, 0, rank, u, &error);
  for (int64_t a = 1; a < rank && status >= 0; a++) {
    const double *lambda = lavdm_info(model)->eigenvalues;
    double size = sqrt((double)nodes * rate_of(lambda[1]) / rate_of(lambda[a]));
    draw_in(u, nodes, rank, a, size, sorted, x + (a - 1) * nodes);
  }
  if (status == LAVDM_ERROR_MEMORY || status == LAVDM_ERROR_INTERRUPTED)
    report_fail(p, status, "%s", error.message);
  else if (status < 0)
    report_note(p, "a component of %lld nodes could not be laid out: %s", (long long)nodes, error.message);
  lavdm_free(model);
  free(u);
  free(sorted);
}

/* One component, drawn to the right of `from`; how far it reaches. */
static double place(report_page *p, const part *c, const int64_t *end, int64_t count, int64_t *parent,
                    int64_t *local, float *out, double from) {
  int64_t nodes = 0;
  double low = INFINITY, high = -INFINITY;
  for (int64_t i = 0; i < p->n; i++)
    if (root_of(parent, i) == c->root) local[i] = nodes++;
  links l = {malloc((size_t)count * sizeof *l.row), malloc((size_t)count * sizeof *l.col), 0};
  double *x = calloc((size_t)(AXES * nodes), sizeof *x);
  if (!l.row || !l.col || !x) report_no_memory(p, "the layout");
  if (p->status >= 0) {
    gather(end, count, parent, c, local, &l);
    embed(p, &l, nodes, x);
    for (int64_t i = 0; i < nodes; i++) low = fmin(low, x[i]), high = fmax(high, x[i]);
    for (int64_t i = 0; i < p->rows; i++) {
      int64_t r = report_row(p, i);
      if (root_of(parent, r) != c->root) continue;
      for (int64_t a = 0; a < AXES; a++)
        out[a * p->rows + i] = (float)(x[a * nodes + local[r]] + (a ? 0 : from - low));
    }
  }
  free(l.row);
  free(l.col);
  free(x);
  return from + 1.2 * (high - low);
}

void report_layout(report_page *p, const int64_t *end, int64_t count) {
  if (p->status < 0 || count < 1) return;
  if (count > MOST_LINKS) {
    report_note(p, "the graph is not drawn: it has no positions, and more than %d edges", MOST_LINKS);
    return;
  }
  int64_t *parent = malloc((size_t)p->n * sizeof *parent), *local = calloc((size_t)p->n, sizeof *local),
          parts = 0;
  part *all = calloc((size_t)p->n, sizeof *all);
  float *out = malloc((size_t)(AXES * p->rows) * sizeof *out);
  if (!parent || !local || !all || !out) report_no_memory(p, "the layout");
  if (p->status >= 0) {
    for (int64_t i = 0; i < p->n; i++) parent[i] = i;
    for (int64_t e = 0; e < count; e++) parent[root_of(parent, end[2 * e])] = root_of(parent, end[2 * e + 1]);
    for (int64_t i = 0; i < p->n; i++) all[root_of(parent, i)].nodes++;
    for (int64_t i = 0; i < p->n; i++)
      if (all[i].nodes >= LEAST_NODES) all[parts++] = (part){i, all[i].nodes};
    qsort(all, (size_t)parts, sizeof *all, by_size);
    for (int64_t i = 0; i < AXES * p->rows; i++) out[i] = NAN;
  }
  double from = 0;
  for (int64_t c = 0; c < parts && c < MOST_PARTS && p->status >= 0; c++)
    from = place(p, &all[c], end, count, parent, local, out, from);
  if (parts > MOST_PARTS)
    report_note(p, "the %d largest of %lld components are drawn", MOST_PARTS, (long long)parts);
  if (p->status >= 0 && parts) report_put_floats(p, "layout", &(report_floats){out, p->rows}, AXES, NULL);
  free(parent);
  free(local);
  free(all);
  free(out);
}
