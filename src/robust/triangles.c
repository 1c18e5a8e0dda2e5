#include "robust/robust.h"

#include "base/memory.h"
#include "graph/given.h"

#include <math.h>
#include <stdlib.h>

/* Pairs in all, and of one edge: 4e7 of 12 bytes are less than the eigenvectors of a graph with that many. */
enum { MOST_PAIRS = 20000000, FEW_PAIRS = 16, MANY_PAIRS = 400 };

/* A link of a node and where it leads, in the order of that. */
typedef struct {
  int32_t node, edge;
} way_t;

static int compare_ways(const void *a, const void *b) {
  const way_t *x = a, *y = b;
  if (x->node != y->node) return x->node < y->node ? -1 : 1;
  return (x->edge > y->edge) - (x->edge < y->edge);
}

int64_t triangles_most(int64_t m) {
  int64_t most = MOST_PAIRS / (m > 1 ? m : 1);
  return most < FEW_PAIRS ? FEW_PAIRS : most > MANY_PAIRS ? MANY_PAIRS : most;
}

void triangles_free(triangles_t *t) {
  mem_free(t->start);
  mem_free(t->beside);
  mem_free(t->distance);
  *t = (triangles_t){0};
}

/* Walks the common neighbours of the ends of e; those that fall on multiples of total/kept go to `out`, if
 * there is one. Returns how many there are. */
static int64_t common(const part_t *part, const way_t *way, int64_t e, int64_t total, int64_t kept,
                      int32_t *out) {
  int64_t i = part->row[e], k = part->col[e], a = part->start[i], b = part->start[k], found = 0, taken = 0;
  while (a < part->start[i + 1] && b < part->start[k + 1]) {
    if (way[a].node < way[b].node) {
      a++;
    } else if (way[a].node > way[b].node) {
      b++;
    } else { /* edges listed twice: the first of either */
      if (out && taken < kept && found * kept >= taken * total)
        out[2 * taken] = way[a].edge, out[2 * taken++ + 1] = way[b].edge;
      found++;
      int32_t node = way[a].node;
      while (a < part->start[i + 1] && way[a].node == node) a++;
      while (b < part->start[k + 1] && way[b].node == node) b++;
    }
  }
  return found;
}

/* c = a o, or a o' where the edge is walked against its direction. */
static void walk(const part_t *part, int64_t from, int64_t e, const double *a, double *c) {
  int64_t q = part->q;
  const double *o = part->o + e * q * q;
  bool back = part->row[e] != from;
  for (int64_t i = 0; i < q; i++)
    for (int64_t j = 0; j < q; j++) {
      double sum = 0;
      for (int64_t k = 0; k < q; k++) sum += a[i * q + k] * (back ? o[j * q + k] : o[k * q + j]);
      c[i * q + j] = sum;
    }
}

/* How far from the identity: angle / pi for rotations of the plane and of space, else a share of the greatest
 * |M - 1|. */
static double distance_of(int64_t q, const double *m) {
  double sum = 0;
  for (int64_t i = 0; i < q * q; i++) sum += (m[i] - (i % (q + 1) ? 0 : 1)) * (m[i] - (i % (q + 1) ? 0 : 1));
  if (q == 2 || q == 3) return 2 / M_PI * asin(fmin(sqrt(sum / 8), 1));
  return fmin(sqrt(sum / (4 * (double)q)), 1);
}

static double closing(const part_t *part, int64_t e, const int32_t *beside) {
  double one[GIVEN_MOST_Q * GIVEN_MOST_Q], two[GIVEN_MOST_Q * GIVEN_MOST_Q];
  int64_t q = part->q,
          third = part->row[beside[1]] == part->col[e] ? part->col[beside[1]] : part->row[beside[1]];
  walk(part, part->col[e], beside[1], part->o + e * q * q, one);
  walk(part, third, beside[0], one, two);
  return distance_of(q, two);
}

static int find_ways(run_t *run, const part_t *part, way_t **out) {
  way_t *way = *out = NEW(way_t, 2 * part->m);
  if (!way) return fail_memory(run->error, "the triangles");
#pragma omp parallel for num_threads(part->m > 5000 ? run->threads : 1) schedule(dynamic, 256)
  for (int64_t i = 0; i < part->n; i++) {
    for (int64_t at = part->start[i]; at < part->start[i + 1]; at++)
      way[at] = (way_t){(int32_t)link_node(part, part->link[at]), (int32_t)(part->link[at] / 2)};
    qsort(way + part->start[i], (size_t)(part->start[i + 1] - part->start[i]), sizeof *way, compare_ways);
  }
  return LAVDM_OK;
}

/* total (m): common neighbours of each edge; start from the least of them and `most`. */
static int count_all(run_t *run, const part_t *part, const way_t *way, int64_t most, int64_t *total,
                     triangles_t *out) {
#pragma omp parallel for num_threads(part->m > 5000 ? run->threads : 1) schedule(dynamic, 256)
  for (int64_t e = 0; e < part->m; e++) total[e] = common(part, way, e, 0, 0, NULL);
  for (int64_t e = 0; e < part->m; e++) {
    out->start[e + 1] = out->start[e] + (total[e] < most ? total[e] : most);
    out->lone += !total[e];
  }
  out->beside = NEW(int32_t, 2 * out->start[part->m]);
  out->distance = NEW(float, out->start[part->m]);
  return out->beside && out->distance ? LAVDM_OK : fail_memory(run->error, "the triangles");
}

int triangles_find(run_t *run, const part_t *part, int64_t most, triangles_t *out) {
  way_t *way = NULL;
  int64_t *total = NEW(int64_t, part->m);
  *out = (triangles_t){.start = NEW(int64_t, part->m + 1)};
  int status = total && out->start ? LAVDM_OK : fail_memory(run->error, "the triangles");
  if (!status) status = find_ways(run, part, &way);
  if (!status) status = count_all(run, part, way, most, total, out);
#pragma omp parallel for num_threads(part->m > 5000 ? run->threads : 1) schedule(dynamic, 256)
  for (int64_t e = 0; e < (status ? 0 : part->m); e++) {
    int64_t kept = out->start[e + 1] - out->start[e];
    int32_t *beside = out->beside + 2 * out->start[e];
    common(part, way, e, total[e], kept, beside);
    for (int64_t t = 0; t < kept; t++)
      out->distance[out->start[e] + t] = (float)closing(part, e, beside + 2 * t);
  }
  mem_free(way);
  mem_free(total);
  if (status) triangles_free(out);
  return status;
}
