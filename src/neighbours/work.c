/* Scratch memory, and the search for tiles by distance from a box. */
#include "neighbours/work.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

enum { BOUNDARY = 64 };

neighbour_work *REAL(neighbour_work_new)(void) {
  return NEW(neighbour_work, 1);
}

void REAL(neighbour_work_free)(neighbour_work *work) {
  if (!work) return;
  room_t *rooms[] = {
      &work->heap,       &work->within_reach, &work->lower,      &work->upper,       &work->found,
      &work->bound,      &work->active,       &work->tiles,      &work->begin,       &work->tile_lower,
      &work->tile_upper, &work->at,           &work->x,          &work->centre,      &work->query32,
      &work->query_norm, &work->x32,          &work->norm,       &work->dots,        &work->spans,
      &work->row,        &work->d2,           &work->index,      &work->sorted_d2,   &work->sorted_index,
      &work->out_index,  &work->out_d2,       &work->runs,       &work->spare_index, &work->spare_d2,
      &work->sums,       &work->groups,       &work->list_index, &work->list_d2};
  for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++) mem_free(rooms[i]->block);
  mem_free(work);
}

void *REAL(room_for)(room_t *room, int64_t count, size_t size, bool keep) {
  if (count > (INT64_MAX / 4) / (int64_t)size) return NULL;
  int64_t bytes = count * (int64_t)size;
  if (bytes <= room->bytes && room->data) return room->data;
  int64_t more = bytes + bytes / 2;
  void *block = mem_new(more + BOUNDARY, 1);
  if (!block) return NULL;
  void *data = (void *)(((uintptr_t)block + BOUNDARY - 1) / BOUNDARY * BOUNDARY);
  if (keep && room->data) memcpy(data, room->data, (size_t)room->bytes);
  mem_free(room->block);
  *room = (room_t){.block = block, .data = data, .bytes = more};
  return data;
}

double REAL(beyond)(int64_t p, double d2) {
  return d2 * (1 + 4 * (real_t)(p + 4) * REAL_EPSILON) + (real_t)p * REAL_LEAST;
}

int REAL(batch_box)(neighbour_work *work, int64_t p, const real_t *query, int64_t count) {
  real_t *lower = ROOM(real_t, &work->lower, p), *upper = ROOM(real_t, &work->upper, p);
  if (!lower || !upper) return LAVDM_ERROR_MEMORY;
  for (int64_t j = 0; j < p; j++) lower[j] = upper[j] = query[j];
  for (int64_t i = 1; i < count; i++)
    for (int64_t j = 0; j < p; j++) {
      real_t x = query[i * p + j];
      lower[j] = x < lower[j] ? x : lower[j];
      upper[j] = x > upper[j] ? x : upper[j];
    }
  return LAVDM_OK;
}

/* Nearer first; the smaller node between equals, so that the order is fixed. */
static inline bool sooner(visit_t a, visit_t b) {
  return a.d2 < b.d2 || (a.d2 == b.d2 && a.node < b.node);
}

static void heap_push(neighbour_work *work, visit_t visit) {
  visit_t *heap = AS(visit_t, work->heap);
  int64_t i = work->waiting++;
  for (; i > 0 && sooner(visit, heap[(i - 1) / 2]); i = (i - 1) / 2) heap[i] = heap[(i - 1) / 2];
  heap[i] = visit;
}

static visit_t heap_pop(neighbour_work *work) {
  visit_t *heap = AS(visit_t, work->heap), top = heap[0], last = heap[--work->waiting];
  int64_t i = 0, n = work->waiting;
  for (int64_t child = 1; child < n; child = 2 * i + 1) {
    if (child + 1 < n && sooner(heap[child + 1], heap[child])) child++;
    if (!sooner(heap[child], last)) break;
    heap[i] = heap[child];
    i = child;
  }
  heap[i] = last;
  return top;
}

static visit_t visit_of(const neighbour_work *work, const tiles_t *tiles, int64_t node) {
  int64_t p = tiles->p;
  return (visit_t){REAL(metric_box)(&tiles->metric, p, AS(real_t, work->lower), AS(real_t, work->upper),
                                    tiles->lower + node * p, tiles->upper + node * p),
                   node};
}

int REAL(search_start)(neighbour_work *work, const tiles_t *tiles) {
  if (!ROOM(visit_t, &work->heap, tiles->tiles + 1)) return LAVDM_ERROR_MEMORY;
  work->waiting = 0;
  heap_push(work, visit_of(work, tiles, 0));
  return LAVDM_OK;
}

double REAL(search_distance)(const neighbour_work *work) {
  return work->waiting ? AS(visit_t, work->heap)[0].d2 : INFINITY;
}

bool REAL(search_next)(neighbour_work *work, const tiles_t *tiles, double limit, visit_t *tile) {
  if (!work->waiting || AS(visit_t, work->heap)[0].d2 > limit) return false;
  visit_t visit = heap_pop(work);
  while (visit.node < tiles->tiles - 1) {
    visit_t left = visit_of(work, tiles, 2 * visit.node + 1);
    visit_t right = visit_of(work, tiles, 2 * visit.node + 2);
    bool first = sooner(left, right);
    heap_push(work, first ? right : left);
    visit = first ? left : right;
    if (sooner(AS(visit_t, work->heap)[0], visit)) {
      heap_push(work, visit);
      visit = heap_pop(work);
    }
  }
  if (visit.d2 > limit) {
    heap_push(work, visit);
    return false;
  }
  *tile = (visit_t){visit.d2, visit.node - (tiles->tiles - 1)};
  return true;
}

int64_t REAL(search_all)(neighbour_work *work, const tiles_t *tiles, const real_t *lower, const real_t *upper,
                         double limit) {
  int64_t p = tiles->p, have = 0, waiting = 1;
  int64_t *stack = ROOM(int64_t, &work->heap, tiles->levels + 2);
  visit_t *found = ROOM(visit_t, &work->within_reach, tiles->tiles);
  if (!stack || !found) return LAVDM_ERROR_MEMORY;
  for (stack[0] = 0; waiting > 0;) {
    int64_t node = stack[--waiting];
    double d2 =
        REAL(metric_box)(&tiles->metric, p, lower, upper, tiles->lower + node * p, tiles->upper + node * p);
    if (d2 > limit) continue;
    if (node < tiles->tiles - 1) {
      stack[waiting++] = 2 * node + 2;
      stack[waiting++] = 2 * node + 1;
    } else {
      found[have++] = (visit_t){d2, node - (tiles->tiles - 1)};
    }
  }
  return have;
}

int64_t REAL(near_box)(const tiles_t *tiles, const real_t *lower, const real_t *upper, double radius,
                       neighbour_work *work, const int64_t **index) {
  int64_t p = tiles->p, have = 0, points = 0;
  double limit = REAL(beyond)(p, REAL(metric_reach)(&tiles->metric, radius));
  int64_t count = REAL(search_all)(work, tiles, lower, upper, limit);
  const visit_t *found = AS(visit_t, work->within_reach);
  for (int64_t t = 0; t < count; t++) points += tiles->first[found[t].node + 1] - tiles->first[found[t].node];
  int64_t *out = ROOM(int64_t, &work->out_index, points + 1);
  if (count < 0 || !out) return LAVDM_ERROR_MEMORY;
  for (int64_t t = 0; t < count; t++)
    for (int64_t i = tiles->first[found[t].node]; i < tiles->first[found[t].node + 1]; i++) {
      out[have] = i;
      have += REAL(metric_box)(&tiles->metric, p, lower, upper, tiles->x + i * p, tiles->x + i * p) <= limit;
    }
  *index = out;
  return have;
}
