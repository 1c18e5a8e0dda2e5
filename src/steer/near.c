#include "steer/near.h"

#include "base/memory.h"

#include <math.h>

static bool further(const near_t *a, const near_t *b) {
  return a->d2 != b->d2 ? a->d2 > b->d2 : a->index > b->index;
}

/* `found` takes the place at the top of a heap of `count` and sinks from there. */
static void sink(near_t *heap, int64_t count, near_t found) {
  int64_t at = 0;
  for (int64_t child; (child = 2 * at + 1) < count; at = child) {
    if (child + 1 < count && further(&heap[child + 1], &heap[child])) child++;
    if (!further(&heap[child], &found)) break;
    heap[at] = heap[child];
  }
  heap[at] = found;
}

void REAL(near_offer)(near_list *list, near_t found) {
  near_t *heap = list->near;
  if (list->count == list->size) {
    if (further(&heap[0], &found)) sink(heap, list->count, found);
    return;
  }
  int64_t at = list->count++;
  for (; at && further(&found, &heap[(at - 1) / 2]); at = (at - 1) / 2) heap[at] = heap[(at - 1) / 2];
  heap[at] = found;
}

void REAL(near_drop)(near_list *list) {
  list->count--;
  if (list->count) sink(list->near, list->count, list->near[list->count]);
}

void REAL(near_sort)(near_list *list) {
  for (int64_t left = list->count; left > 1; left--) { /* the farthest goes to the end */
    near_t last = list->near[left - 1], top = list->near[0];
    sink(list->near, left - 1, last);
    list->near[left - 1] = top;
  }
}

double REAL(near_limit)(const near_list *list) {
  return list->count < list->size ? INFINITY : (double)list->near[0].d2;
}

bool REAL(near_work_new)(near_work *work, const steer_bands *bands, int64_t rows, int64_t cols,
                         bool reflections) {
  *work = (near_work){.reflections = reflections,
                      .work = REAL(steer_work_new)(bands, rows, 0),
                      .d2 = NEW(real_t, rows * cols),
                      .angle = NEW(real_t, rows * cols),
                      .reflected = NEW(signed char, rows *cols)};
  return work->work && work->d2 && work->angle && work->reflected;
}

void REAL(near_work_free)(near_work *work) {
  REAL(steer_work_free)(work->work);
  mem_free(work->d2);
  mem_free(work->angle);
  mem_free(work->reflected);
  *work = (near_work){0};
}

void REAL(near_match)(const steer_stack *x, int64_t first, int64_t rows, const steer_packed *references,
                      const double *limit2, near_work *work) {
  signed char *reflected = work->reflections ? work->reflected : NULL;
  REAL(steer_match_packed)(x, first, rows, references, limit2, work->work, work->d2, work->angle, reflected);
}

near_t REAL(near_pair)(const near_work *work, int64_t at, int64_t index) {
  real_t d2 = work->d2[at] > 0 ? work->d2[at] : 0;
  return (near_t){index, d2, work->angle[at], work->reflections ? work->reflected[at] : 0};
}
