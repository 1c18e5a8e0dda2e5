/*
 * Neighbours that are given as lists. A point is the number of its row, and all points are there: it is
 * stored where it stands in the data. A point is in its own list, at no distance, whether it was or not.
 */
#include "neighbours/work.h"

#include <math.h>
#include <stdlib.h>

typedef struct {
  int64_t index;
  double d;
} listed_t;

static int by_distance(const void *a, const void *b) {
  const listed_t *x = a, *y = b;
  if (x->d != y->d) return x->d < y->d ? -1 : 1;
  return (x->index > y->index) - (x->index < y->index);
}

static int by_index(const void *a, const void *b) {
  const listed_t *x = a, *y = b;
  return (x->index > y->index) - (x->index < y->index);
}

/* The list of a row, itself first; how many, or a status. */
static int64_t take_list(const metric_t *metric, int64_t row, neighbour_work *work, listed_t **out) {
  const lavdm_distances *given = metric->given;
  int64_t begin = given->start[row], count = given->start[row + 1] - begin, have = 0;
  listed_t *list = ROOM(listed_t, &work->list_index, count + 1);
  if (!list) return LAVDM_ERROR_MEMORY;
  list[have++] = (listed_t){row, 0};
  for (int64_t e = begin; e < begin + count; e++) {
    if (given->index[e] != row) list[have++] = (listed_t){given->index[e], metric_value(given, e)};
  }
  *out = list;
  return have;
}

int REAL(listed_nearest)(const tiles_t *tiles, const real_t *query, int64_t count, int64_t k, bool ordered,
                         neighbour_work *work, int64_t *index, real_t *d2) {
  for (int64_t i = 0; i < count; i++) {
    listed_t *list;
    int64_t have = take_list(&tiles->metric, (int64_t)query[i], work, &list);
    if (have < 0) return LAVDM_ERROR_MEMORY;
    qsort(list, (size_t)have, sizeof *list, by_distance);
    if (!ordered) qsort(list, (size_t)(have < k ? have : k), sizeof *list, by_index);
    for (int64_t s = 0; s < k; s++) { /* a list that is too short goes on with itself, out of reach */
      index[i * k + s] = s < have ? list[s].index : list[0].index;
      d2[i * k + s] = s < have ? (real_t)(list[s].d * list[s].d) : (real_t)INFINITY;
    }
  }
  return LAVDM_OK;
}

int REAL(listed_within)(const tiles_t *tiles, const real_t *query, int64_t count, double radius,
                        neighbour_work *work, int64_t *start, const int64_t **index, const real_t **d2) {
  int64_t have = 0;
  start[0] = 0;
  for (int64_t i = 0; i < count; i++) {
    listed_t *list;
    int64_t found = take_list(&tiles->metric, (int64_t)query[i], work, &list);
    int64_t *to = found < 0 ? NULL : GROW(int64_t, &work->out_index, have + found);
    real_t *own = found < 0 ? NULL : GROW(real_t, &work->out_d2, have + found);
    if (!to || !own) return LAVDM_ERROR_MEMORY;
    qsort(list, (size_t)found, sizeof *list, by_index);
    for (int64_t s = 0; s < found; s++) {
      to[have] = list[s].index;
      own[have] = (real_t)(list[s].d * list[s].d);
      have += own[have] <= (real_t)(radius * radius);
    }
    start[i + 1] = have;
  }
  *index = AS(int64_t, work->out_index);
  *d2 = AS(real_t, work->out_d2);
  return LAVDM_OK;
}
