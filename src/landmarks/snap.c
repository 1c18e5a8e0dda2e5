/*
 * Centres to data points. Each takes its nearest point, in turn; one that comes
 * late looks at its next nearest, and if those are gone as well, as with many
 * equal points, takes the next free one in stored order.
 */
#include "base/memory.h"
#include "landmarks/designs.h"
#include "neighbours/neighbours.h"

#include <string.h>

enum { CENTRE_TILE = 16, MORE = 16 };

typedef struct {
  run_t *run;
  const tiles_t *tiles;
  real_t *centre; /* those that have no point yet */
  int64_t count;  /* of them */
  int64_t *want;  /* the nearest point of each, though taken */
  int64_t *after; /* n + 1: a point that is free (itself), or one that it leads to */
  int64_t *out, have;
} snap_t;

static void take(snap_t *snap, int64_t point) {
  snap->out[snap->have++] = point;
  snap->after[point] = point + 1;
}

/* The first free point from i on, n if there is none; shortens the way for the next. */
static int64_t first_free(int64_t *after, int64_t i) {
  int64_t end = i;
  while (after[end] != end) end = after[end];
  while (after[i] != end) {
    int64_t next = after[i];
    after[i] = end;
    i = next;
  }
  return end;
}

/* Every centre left takes the first of its k nearest points that is free. */
static int take_nearest(snap_t *snap, int64_t k) {
  int64_t p = snap->tiles->p, left = 0, count = snap->count;
  int64_t *index = NEW(int64_t, count * k);
  real_t *d2 = NEW(real_t, count * k);
  int status = LAVDM_OK;
  if (!index || !d2)
    status = fail_memory(snap->run->error, "choosing landmarks");
  else
    status = REAL(nearest_all)(snap->run, snap->tiles, snap->centre, count, k, index, d2);
  for (int64_t c = 0; status == LAVDM_OK && c < count; c++) {
    const int64_t *near = index + c * k;
    int64_t rank = 0;
    while (rank < k && snap->after[near[rank]] != near[rank]) rank++;
    if (rank < k) {
      take(snap, near[rank]);
      continue;
    }
    snap->want[left] = near[0];
    memmove(snap->centre + left * p, snap->centre + c * p, (size_t)p * sizeof(real_t));
    left++;
  }
  snap->count = left;
  mem_free(index);
  mem_free(d2);
  return status;
}

int REAL(snap_centres)(run_t *run, const tiles_t *tiles, int64_t m, const real_t *centre, int64_t *out) {
  tiles_t tree;
  lavdm_data data = {.points = centre, .n = m, .p = tiles->p, .type = REAL_TYPE};
  int status = REAL(tiles_build)(run, &data, NULL, CENTRE_TILE, &tree);
  if (status < 0) return status;
  snap_t snap = {.run = run, .tiles = tiles, .centre = tree.x, .count = m, .out = out};
  snap.want = NEW(int64_t, m);
  snap.after = LARGE(&run->large, int64_t, tiles->n + 1);
  if (!snap.want || !snap.after) {
    status = fail_memory(run->error, "choosing landmarks");
    goto done;
  }
  for (int64_t i = 0; i <= tiles->n; i++) snap.after[i] = i;
  status = take_nearest(&snap, 1);
  if (status == LAVDM_OK && snap.count > 0) status = take_nearest(&snap, tiles->n < MORE ? tiles->n : MORE);
  for (int64_t c = 0; status == LAVDM_OK && c < snap.count; c++) {
    int64_t point = first_free(snap.after, snap.want[c]);
    take(&snap, point < tiles->n ? point : first_free(snap.after, 0));
  }
done:
  mem_free(snap.want);
  large_free(snap.after);
  REAL(tiles_free)(&tree);
  return status;
}
