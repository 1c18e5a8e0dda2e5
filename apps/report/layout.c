/*
 * Where the nodes of a graph are drawn that has no positions: for each of its largest components the first
 * three diffusion coordinates lambda u, of mean square 1 and times the root of its nodes, one component
 * beside the other. Smaller ones are left out (NaN).
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

/* Ends of the edges of one component, numbered from 0; local has the number of a row. */
static int64_t gather(const int64_t *end, int64_t count, int64_t *parent, int64_t root, const int64_t *local,
                      int64_t *row, int64_t *col) {
  int64_t found = 0;
  for (int64_t e = 0; e < count; e++) {
    int64_t a = end[2 * e], b = end[2 * e + 1];
    if (a == b || root_of(parent, a) != root) continue;
    row[found] = local[a], col[found++] = local[b];
  }
  return found;
}

/* x (3 x nodes) receives the coordinates; what cannot be found stays as it is. */
static void embed(report_page *p, const lavdm_edges *edges, int64_t nodes, double *x) {
  lavdm_options options;
  lavdm_model *model = NULL;
  lavdm_error error;
  int64_t rank = nodes < AXES + 1 ? nodes : AXES + 1;
  lavdm_options_default(&options);
  options.method = LAVDM_METHOD_DM, options.bundle = LAVDM_BUNDLE_GIVEN;
  options.components = rank, options.trust = LAVDM_TRUST_NO, options.threads = p->threads;
  options.seed = p->options.seed;
  options.progress = p->options.progress, options.progress_user = p->options.progress_user;
  lavdm_data data = {.n = nodes, .edges = edges};
  double *u = malloc((size_t)(nodes * rank) * sizeof *u + 1);
  int status = u ? lavdm_fit(&data, &options, &model, &error) : LAVDM_ERROR_MEMORY;
  if (status >= 0) status = lavdm_coordinates(model, 1, rank, u, &error);
  for (int64_t a = 0; a + 1 < rank && status >= 0; a++) {
    double square = 0;
    for (int64_t i = 0; i < nodes; i++) square += u[i * rank + a + 1] * u[i * rank + a + 1];
    double scale = square > 0 ? (double)nodes / sqrt(square) : 0;
    for (int64_t i = 0; i < nodes; i++) x[a * nodes + i] = scale * u[i * rank + a + 1];
  }
  if (!u)
    report_no_memory(p, "the layout");
  else if (status == LAVDM_ERROR_MEMORY || status == LAVDM_ERROR_INTERRUPTED)
    report_fail(p, status, "%s", error.message);
  else if (status < 0)
    report_note(p, "a component of %lld nodes could not be laid out: %s", (long long)nodes, error.message);
  lavdm_free(model);
  free(u);
}

/* One component, drawn to the right of `from`; how far it reaches. */
static double place(report_page *p, const part *c, const int64_t *end, int64_t count, int64_t *parent,
                    int64_t *local, float *out, double from) {
  int64_t nodes = 0;
  double low = INFINITY, high = -INFINITY;
  for (int64_t i = 0; i < p->n; i++)
    if (root_of(parent, i) == c->root) local[i] = nodes++;
  int64_t *row = malloc((size_t)count * sizeof *row + 1), *col = malloc((size_t)count * sizeof *col + 1);
  double *x = calloc((size_t)(AXES * nodes), sizeof *x);
  if (!row || !col || !x) report_no_memory(p, "the layout");
  if (p->status >= 0) {
    lavdm_edges edges = {.size = sizeof edges, .row = row, .col = col, .kind = LAVDM_ELEMENT_NONE};
    edges.count = gather(end, count, parent, c->root, local, row, col);
    embed(p, &edges, nodes, x);
    for (int64_t i = 0; i < nodes; i++) low = fmin(low, x[i]), high = fmax(high, x[i]);
    for (int64_t i = 0; i < p->rows; i++) {
      int64_t r = report_row(p, i);
      if (root_of(parent, r) != c->root) continue;
      for (int64_t a = 0; a < AXES; a++)
        out[a * p->rows + i] = (float)(x[a * nodes + local[r]] + (a ? 0 : from - low));
    }
  }
  free(row);
  free(col);
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
