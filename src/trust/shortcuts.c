/*
 * Short cuts: pairs of points that the kernel joins and that are far from each other along the
 * data, which is the length g of the shortest path over the nearest neighbours in a sample. On a
 * smooth manifold that is sampled well enough a path is hardly longer than the straight line d,
 * and never more than pi/2 times on a sphere or a tube, however wide the kernel. What a pair adds to the
 * rate of a slow mode is its weight times g^2: the share of short cuts in the sum of that.
 */
#include "base/memory.h"
#include "base/options.h"
#include "trust/parts.h"

#include <math.h>
#include <string.h>

enum { NEAREST = 12, SOURCES = 30, ROOM = 64 };

static const double FAR = 3; /* a path so many times as long as the straight line is a detour */

/* Above this share slow modes run over them: on the shapes "tune" of studies/real/shapes.py without noise it
 * is less than 0.001 wherever the first ratios are right, and 0.047 and more on the roll wherever they are
 * not. */
static const double MATTERS = 0.02;

bool shortcuts_matter(const trust_t *t) {
  return t->facts[FACT_SHORTCUTS] > MATTERS;
}

/* The graph of a sample: i and j are joined if either is among the nearest of the other, the neighbours of i
 * being joined[i ROOM ..]; whoever has more than ROOM of them does without the others. */
typedef struct {
  int64_t n;
  double *d2;      /* n x n */
  int32_t *joined; /* n x ROOM */
  int32_t *count;  /* n */
  double *path;    /* n: from a source */
  int32_t *state;  /* n: 0 not seen, 1 seen, 2 done */
  int32_t *open;   /* n: those that are seen */
} paths_t;

static void add(paths_t *g, int64_t i, int64_t j) {
  int32_t *list = g->joined + i * ROOM;
  for (int32_t l = 0; l < g->count[i]; l++)
    if (list[l] == j) return;
  if (g->count[i] < ROOM) list[g->count[i]++] = (int32_t)j;
}

static void join(paths_t *g) {
  int64_t n = g->n;
  for (int64_t i = 0; i < n; i++) {
    const double *d2 = g->d2 + i * n;
    int64_t near[NEAREST], found = 0;
    for (int64_t j = 0; j < n; j++) {
      if (j == i || (found == NEAREST && !(d2[j] < d2[near[NEAREST - 1]]))) continue;
      int64_t at = found < NEAREST ? found++ : NEAREST - 1;
      for (; at > 0 && d2[j] < d2[near[at - 1]]; at--) near[at] = near[at - 1];
      near[at] = j;
    }
    for (int64_t l = 0; l < found; l++) {
      add(g, i, near[l]);
      add(g, near[l], i);
    }
  }
}

/* Dijkstra: the lengths of shortest paths from the source, infinite where none leads. */
static void walk(paths_t *g, int64_t source) {
  int64_t n = g->n;
  int32_t open = 1;
  for (int64_t i = 0; i < n; i++) g->path[i] = INFINITY, g->state[i] = 0;
  g->path[source] = 0;
  g->open[0] = (int32_t)source;
  while (open) {
    int32_t best = 0;
    for (int32_t k = 1; k < open; k++)
      if (g->path[g->open[k]] < g->path[g->open[best]]) best = k;
    int32_t at = g->open[best];
    g->open[best] = g->open[--open];
    g->state[at] = 2;
    for (int32_t l = 0; l < g->count[at]; l++) {
      int32_t i = g->joined[at * ROOM + l];
      if (g->state[i] == 2) continue;
      if (!g->state[i]) g->open[open++] = i, g->state[i] = 1;
      g->path[i] = fmin(g->path[i], g->path[at] + sqrt(g->d2[at * n + i]));
    }
  }
}

/* The weight of a pair, of two steps if there are landmarks. */
static double weight(const lavdm_options *o, double d2) {
  double t2 = d2 / (has_landmarks(o) ? 2 * o->epsilon : o->epsilon);
  if (t2 > o->cutoff * o->cutoff) return 0;
  return o->kernel == LAVDM_KERNEL_GAUSSIAN ? exp(-t2) : 1;
}

/* The share of short cuts, and a point of the one that adds most. The source with most of them is left out:
 * it may lie in a clump of the sample that has hardly a way out. */
static void judge(trust_t *t, const some_t *some, paths_t *g) {
  int64_t n = g->n;
  double worst = 0, all = 0, cuts = 0, most = 0;
  for (int64_t s = 0; s < SOURCES && !run_stopped(t->run, s, SOURCES); s++) {
    int64_t i = s * n / SOURCES;
    double own = 0;
    walk(g, i);
    for (int64_t j = 0; j < n; j++) {
      double d2 = g->d2[i * n + j], length = g->path[j];
      if (j == i || !isfinite(length)) continue;
      double adds = weight(&t->run->options, d2) * length * length;
      all += adds;
      if (length * length > FAR * FAR * d2) own += adds;
    }
    cuts += own;
    most = fmax(most, own);
    if (own > worst) worst = own, t->facts[FACT_SHORTCUT_ROW] = (double)run_row(t->run, some->row[i]);
  }
  if (all > 0) t->facts[FACT_SHORTCUTS] = fmax(cuts - most, 0) / all;
  if (!(cuts > most)) t->facts[FACT_SHORTCUT_ROW] = -1;
}

static int measure(trust_t *t, const some_t *some, paths_t *g) {
  int64_t n = some->n;
  *g = (paths_t){n,
                 NEW(double, n *n),
                 NEW(int32_t, n * ROOM),
                 NEW(int32_t, n),
                 NEW(double, n),
                 NEW(int32_t, n),
                 NEW(int32_t, n)};
  if (!g->d2 || !g->joined || !g->count || !g->path || !g->state || !g->open)
    return fail_memory(t->run->error, "a sample");
  for (int64_t i = 0; i < n; i++)
    for (int64_t j = 0; j <= i; j++)
      g->d2[i * n + j] = g->d2[j * n + i] = some_distance(t, some->x + i * t->p, some->x + j * t->p);
  join(g);
  judge(t, some, g);
  return LAVDM_OK;
}

int shortcuts_find(trust_t *t) {
  const lavdm_options *o = &t->run->options;
  some_t some = {0};
  paths_t g = {0};
  some_forget(t);
  int status = some_take(t, t->n < PATHS ? t->n : PATHS, &some);
  bool knn =
      !has_landmarks(o) && o->edges == LAVDM_EDGES_KNN; /* the kernel does not say how far edges reach */
  if (!status && t->d) t->facts[FACT_NOISE] = noise_of(t, &some);
  if (!status && !knn && some.n > 4 * NEAREST) status = measure(t, &some, &g);
  mem_free(g.d2);
  mem_free(g.joined);
  mem_free(g.count);
  mem_free(g.path);
  mem_free(g.state);
  mem_free(g.open);
  some_free(&some);
  return status < 0 ? status : run_status(t->run);
}
