/*
 * In files: the rows of `to` are cut into ranges. Each row is first appended to
 * its range, which receives exactly as many as it holds, and its place in there
 * is noted; then each range, which fits in memory, is put in order.
 */
#include "base/arrange.h"

#include "base/memory.h"

#include <string.h>

enum {
  RANGE_BYTES = 32 << 20,
  TICK = 1 << 16 /* rows between two looks at the memory */
};

static void directly(run_t *run, const int64_t *order, int64_t n, size_t width, const char *from, char *to) {
#pragma omp parallel for num_threads(run->threads) schedule(static)
  for (int64_t i = 0; i < n; i++) memcpy(to + (size_t)order[i] * width, from + (size_t)i * width, width);
}

/* Every row to the end of its range so far. */
static void append_rows(run_t *run, const int64_t *order, int64_t n, size_t width, const char *from, char *to,
                        int64_t range, int64_t *next, uint32_t *place) {
  for (int64_t i = 0; i < n; i++) {
    if (i % TICK == 0 && run_stopped(run, i, 2 * n)) return;
    int64_t which = order[i] / range, at = which * range + next[which]++;
    memcpy(to + (size_t)at * width, from + (size_t)i * width, width);
    place[at] = (uint32_t)(order[i] - which * range);
  }
}

/* Rows first .. first+count-1, as `place` says; false if out of memory. */
static bool order_range(int64_t first, int64_t count, size_t width, const uint32_t *place, char *to) {
  char *copy = mem_new(count, width), *rows = to + (size_t)first * width;
  if (!copy) return false;
  memcpy(copy, rows, (size_t)count * width);
  for (int64_t i = 0; i < count; i++)
    memcpy(rows + place[first + i] * width, copy + (size_t)i * width, width);
  mem_free(copy);
  return true;
}

static int in_ranges(run_t *run, const int64_t *order, int64_t n, size_t width, const char *from, char *to) {
  int64_t range = RANGE_BYTES / (int64_t)width, failed = 0;
  if (range < 1) range = 1;
  int64_t ranges = (n + range - 1) / range;
  int64_t *next = NEW(int64_t, ranges);
  uint32_t *place = LARGE(&run->large, uint32_t, n);
  if (next && place) {
    append_rows(run, order, n, width, from, to, range, next, place);
#pragma omp parallel for num_threads(run->threads) schedule(dynamic, 1) reduction(+ : failed)
    for (int64_t which = 0; which < ranges; which++) {
      int64_t first = which * range, count = n - first < range ? n - first : range;
      if (!run_stopped(run, ranges + which, 2 * ranges))
        failed += !order_range(first, count, width, place, to);
    }
  }
  bool made = next && place && !failed;
  mem_free(next);
  large_free(place);
  return made ? run_status(run) : fail_memory(run->error, "the order of the data");
}

int arrange_rows(run_t *run, const int64_t *order, int64_t n, size_t width, const void *from, void *to) {
  if (run->large.files) return in_ranges(run, order, n, width, from, to);
  directly(run, order, n, width, from, to);
  return run_status(run);
}
