/*
 * The k nearest references of every object: references in chunks, objects in tiles, and
 * for each object a heap of the best so far, the worst of them on top. Pairs that
 * cannot be better than it are left out early.
 */
#include "steer/stack.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

enum { TILE = 32, CHUNK = 512 };

/* The heap of object t of the query: entries t k .. t k + count[t] - 1 of its arrays. */
typedef struct {
  int64_t index;
  double distance2, angle;
  signed char reflected;
} entry_t;

static bool worse(const entry_t *a, const entry_t *b) {
  return a->distance2 > b->distance2 || (a->distance2 == b->distance2 && a->index > b->index);
}

static void sink(entry_t *heap, int64_t count, entry_t entry) {
  int64_t at = 0;
  for (int64_t child; (child = 2 * at + 1) < count; at = child) {
    if (child + 1 < count && worse(&heap[child + 1], &heap[child])) child++;
    if (!worse(&heap[child], &entry)) break;
    heap[at] = heap[child];
  }
  heap[at] = entry;
}

static void offer(entry_t *heap, int64_t *count, int64_t k, entry_t entry) {
  if (*count == k) {
    if (worse(&heap[0], &entry)) sink(heap, k, entry);
    return;
  }
  int64_t at = (*count)++;
  for (; at && worse(&entry, &heap[(at - 1) / 2]); at = (at - 1) / 2) heap[at] = heap[(at - 1) / 2];
  heap[at] = entry;
}

typedef struct {
  const steer_stack *stack;
  const stack_query *query;
  bool reflections;
  entry_t *heap;  /* count x k */
  int64_t *count; /* of the heaps */
} search_t;

/* Buffers of one thread. */
typedef struct {
  steer_work *work;
  real_t *distance2, *angle;
  signed char *reflected;
} room_t;

static bool room_new(room_t *room, const steer_bands *bands) {
  room->work = REAL(steer_work_new)(bands, TILE, 0);
  room->distance2 = NEW(real_t, TILE * CHUNK);
  room->angle = NEW(real_t, TILE * CHUNK);
  room->reflected = NEW(signed char, TILE *CHUNK);
  return room->work && room->distance2 && room->angle && room->reflected;
}

static void room_free(room_t *room) {
  REAL(steer_work_free)(room->work);
  mem_free(room->distance2);
  mem_free(room->angle);
  mem_free(room->reflected);
}

static int64_t object_of(const stack_query *query, int64_t t) {
  return query->objects ? query->objects[t] : t;
}

/* Objects from .. from+rows-1 of the query, whose rows of the stack follow each other, against a chunk. */
static void search_tile(search_t *s, room_t *room, int64_t from, int64_t rows, const steer_packed *packed,
                        const int64_t *reference, int64_t count) {
  double limit2[TILE];
  int64_t k = s->query->k;
  for (int64_t r = 0; r < rows; r++)
    limit2[r] = s->count[from + r] == k ? s->heap[(from + r) * k].distance2 : INFINITY;
  REAL(steer_match_packed)
  (s->stack, object_of(s->query, from), rows, packed, limit2, room->work, room->distance2, room->angle,
   s->reflections ? room->reflected : NULL);
  for (int64_t r = 0; r < rows; r++)
    for (int64_t j = 0; j < count; j++) {
      int64_t at = r * count + j, t = from + r;
      if (reference[j] == object_of(s->query, t) || !((double)room->distance2[at] <= limit2[r])) continue;
      if (!(room->distance2[at] < (real_t)INFINITY)) continue;
      entry_t entry = {reference[j], (double)room->distance2[at], (double)room->angle[at],
                       s->reflections ? room->reflected[at] : 0};
      offer(s->heap + t * k, &s->count[t], k, entry);
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
    room_t room = {0};
    bool ready = room_new(&room, s->stack->bands) && packed;
#pragma omp for schedule(dynamic, 1)
    for (int64_t tile = 0; tile < tiles; tile++) {
      if (!ready || run_stopped(run, tile, tiles)) continue;
      int64_t end = (tile + 1) * TILE < query->count ? (tile + 1) * TILE : query->count;
      for (int64_t from = tile * TILE, rows; from < end; from += rows) {
        rows = run_length(query, from, end);
        search_tile(s, &room, from, rows, packed, reference, count);
      }
    }
    made = made && ready;
    room_free(&room);
  }
  REAL(steer_packed_free)(packed);
  return made;
}

/* Heaps to sorted rows of the user's arrays. */
static void hand_over(search_t *s) {
  const stack_query *query = s->query;
  int64_t k = query->k;
  for (int64_t t = 0; t < query->count; t++) {
    entry_t *heap = s->heap + t * k;
    int64_t found = s->count[t];
    for (int64_t left = found; left > 1; left--) { /* the worst goes to the end */
      entry_t last = heap[left - 1], top = heap[0];
      sink(heap, left - 1, last);
      heap[left - 1] = top;
    }
    for (int64_t i = 0; i < k; i++) {
      bool there = i < found;
      query->index[t * k + i] = there ? heap[i].index : -1;
      if (query->distance) query->distance[t * k + i] = there ? sqrt(heap[i].distance2) : NAN;
      if (query->angle) query->angle[t * k + i] = there ? heap[i].angle : NAN;
      if (query->reflected) query->reflected[t * k + i] = there ? heap[i].reflected : 0;
    }
  }
}

int REAL(stack_nearest)(run_t *run, const lavdm_stack *stack, const stack_query *query) {
  const stack_body *body = stack->body;
  int64_t all = query->references ? query->reference_count : stack->info.n, reference[CHUNK];
  search_t s = {.stack = body->compared,
                .query = query,
                .reflections = stack->options.reflections == LAVDM_REFLECTIONS_YES,
                .heap = NEW(entry_t, query->count * query->k),
                .count = NEW(int64_t, query->count)};
  bool made = s.heap && s.count;
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
  mem_free(s.count);
  return status;
}
