/*
 * The k nearest references of every object: references in chunks, objects in tiles, and
 * for each object its nearest so far (near.h).
 */
#include "stack/stack.h"

#include "base/memory.h"
#include "steer/near.h"

#include <math.h>
#include <string.h>

enum { TILE = 32, CHUNK = 512 };

typedef struct {
  const steer_stack *stack;
  const stack_query *query;
  bool reflections;
  near_t *heap;    /* count x k */
  near_list *list; /* count */
} search_t;

static int64_t object_of(const stack_query *query, int64_t t) {
  return query->objects ? query->objects[t] : t;
}

/* Objects from .. from+rows-1 of the query, whose rows of the stack follow each other, against a chunk. */
static void search_tile(search_t *s, near_work *work, int64_t from, int64_t rows, const steer_packed *packed,
                        const int64_t *reference, int64_t count) {
  double limit2[TILE];
  for (int64_t r = 0; r < rows; r++) limit2[r] = REAL(near_limit)(&s->list[from + r]);
  REAL(near_match)(s->stack, object_of(s->query, from), rows, packed, limit2, work);
  for (int64_t r = 0; r < rows; r++)
    for (int64_t j = 0; j < count; j++) {
      near_t found = REAL(near_pair)(work, r * count + j, reference[j]);
      if (reference[j] == object_of(s->query, from + r) || !((double)found.d2 <= limit2[r])) continue;
      if (found.d2 < (real_t)INFINITY) REAL(near_offer)(&s->list[from + r], found);
    }
}

/* How many objects from `from` on are rows of the stack that follow each other, TILE at most. */
static int64_t run_length(const stack_query *query, int64_t from, int64_t end) {
  int64_t rows = 1;
  while (rows < TILE && from + rows < end && object_of(query, from + rows) == object_of(query, from) + rows)
    rows++;
  return rows;
}

static bool search_chunk(run_t *run, search_t *s, const int64_t *reference, int64_t count, double share,
                         double begin) {
  const stack_query *query = s->query;
  steer_packed *packed = REAL(steer_pack)(s->stack, reference, count);
  bool made = packed != NULL;
  int64_t tiles = (query->count + TILE - 1) / TILE;
  run_part(run, begin, share);
#pragma omp parallel num_threads(run->threads) reduction(&& : made)
  {
    near_work work;
    bool ready = REAL(near_work_new)(&work, s->stack->bands, TILE, CHUNK, s->reflections) && packed;
#pragma omp for schedule(dynamic, 1)
    for (int64_t tile = 0; tile < tiles; tile++) {
      if (!ready || run_stopped(run, tile, tiles)) continue;
      int64_t end = (tile + 1) * TILE < query->count ? (tile + 1) * TILE : query->count;
      for (int64_t from = tile * TILE, rows; from < end; from += rows) {
        rows = run_length(query, from, end);
        search_tile(s, &work, from, rows, packed, reference, count);
      }
    }
    made = made && ready;
    REAL(near_work_free)(&work);
  }
  REAL(steer_packed_free)(packed);
  return made;
}

/* Heaps to sorted rows of the user's arrays. */
static void hand_over(search_t *s) {
  const stack_query *query = s->query;
  int64_t k = query->k;
  for (int64_t t = 0; t < query->count; t++) {
    near_list *list = &s->list[t];
    REAL(near_sort)(list);
    for (int64_t i = 0; i < k; i++) {
      bool there = i < list->count;
      query->index[t * k + i] = there ? list->near[i].index : -1;
      if (query->distance) query->distance[t * k + i] = there ? sqrt((double)list->near[i].d2) : NAN;
      if (query->angle) query->angle[t * k + i] = there ? (double)list->near[i].angle : NAN;
      if (query->reflected) query->reflected[t * k + i] = there ? list->near[i].reflected : 0;
    }
  }
}

int REAL(stack_nearest)(run_t *run, const lavdm_stack *stack, const stack_query *query) {
  const stack_body *body = stack->body;
  int64_t all = query->references ? query->reference_count : stack->info.n, reference[CHUNK];
  search_t s = {.stack = body->compared,
                .query = query,
                .reflections = stack->options.reflections == LAVDM_REFLECTIONS_YES,
                .heap = NEW(near_t, query->count * query->k),
                .list = NEW(near_list, query->count)};
  bool made = s.heap && s.list;
  for (int64_t t = 0; made && t < query->count; t++)
    s.list[t] = (near_list){.near = s.heap + t * query->k, .size = query->k};
  run_stage(run, "neighbours");
  for (int64_t from = 0; made && from < all && !run->stop; from += CHUNK) {
    int64_t count = all - from < CHUNK ? all - from : CHUNK;
    for (int64_t j = 0; j < count; j++)
      reference[j] = query->references ? query->references[from + j] : from + j;
    made = search_chunk(run, &s, reference, count, (double)count / (double)all, (double)from / (double)all);
  }
  int status = made ? run_status(run) : fail_memory(run->error, "the neighbours");
  if (status >= 0) hand_over(&s);
  mem_free(s.heap);
  mem_free(s.list);
  return status;
}
