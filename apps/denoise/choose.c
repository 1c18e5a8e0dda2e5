/*
 * Which points are near a point, among those that it shares a landmark with: points are listed by their
 * nearest landmarks, and the candidates of a point are taken evenly from the lists it is in itself.
 */
#include "denoise/turned.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 512, PER_LIST = 128 };

int64_t landmark_number(const points *b, int64_t point) {
  int64_t low = 0, high = b->m;
  while (high - low > 1) {
    const int64_t middle = (low + high) / 2;
    if (b->landmark[middle] <= point)
      low = middle;
    else
      high = middle;
  }
  return low;
}

/* Points by landmark: list[first[l]] .. list[first[l+1]-1] have l among their `use` nearest. */
typedef struct {
  int64_t use, *first, *list;
} lists;

static bool lists_make(const points *b, lists *s) {
  const int64_t use = s->use;
  s->first = take(b->m + 2, sizeof *s->first);
  s->list = take(b->n * use, sizeof *s->list);
  if (!s->first || !s->list) return false;
  int64_t *end = s->first + 1;
  for (int pass = 0; pass < 2; pass++) {
    for (int64_t i = 0; i < b->n; i++)
      for (int64_t e = 0; e < use; e++) {
        const int64_t near = b->near[i * b->k + e];
        if (near < 0) continue;
        const int64_t l = landmark_number(b, near);
        if (pass)
          s->list[end[l]++] = i;
        else
          end[l + 1]++;
      }
    if (!pass)
      for (int64_t l = 0; l < b->m; l++) end[l + 1] += end[l];
  }
  return true;
}

/* Up to PER_LIST points from each list that i is in. */
static int64_t gather(const points *b, const lists *s, int64_t i, int64_t *out) {
  int64_t count = 0;
  for (int64_t e = 0; e < s->use; e++) {
    const int64_t near = b->near[i * b->k + e];
    if (near < 0) continue;
    const int64_t l = landmark_number(b, near), from = s->first[l], length = s->first[l + 1] - from;
    const int64_t taken = length < PER_LIST ? length : PER_LIST;
    for (int64_t t = 0; t < taken; t++) {
      const int64_t p = s->list[from + (t * length + i % length) / taken % length];
      if (p != i) out[count++] = p;
    }
  }
  return count;
}

void nearest_of(const int64_t *candidate, const double *distance, const double *turn, int64_t count,
                int64_t most, int64_t *chosen, double *angle, double *best) {
  int64_t kept = 0;
  for (int64_t t = 0; t < count; t++) {
    int64_t at = kept < most ? kept : most;
    if (kept == most && distance[t] >= best[most - 1]) continue;
    bool twice = false;
    for (int64_t e = 0; e < kept; e++) twice = twice || chosen[e] == candidate[t];
    if (twice) continue;
    if (kept < most)
      kept++;
    else
      at = most - 1;
    for (; at > 0 && best[at - 1] > distance[t]; at--) {
      best[at] = best[at - 1];
      chosen[at] = chosen[at - 1];
      angle[at] = angle[at - 1];
    }
    best[at] = distance[t];
    chosen[at] = candidate[t];
    angle[at] = turn[t];
  }
  for (int64_t e = kept; e < most; e++) chosen[e] = -1;
}

/* Pairs of CHUNK points at a time, with room for the answers. */
typedef struct {
  int64_t *i, *j, first[CHUNK + 1];
  double *distance, *angle, *best;
} batch;

static bool batch_make(batch *s, int64_t lists_used, int64_t most) {
  const int64_t room = CHUNK * PER_LIST * lists_used;
  s->i = take(room, sizeof *s->i);
  s->j = take(room, sizeof *s->j);
  s->distance = take(room, sizeof *s->distance);
  s->angle = take(room, sizeof *s->angle);
  s->best = take(most, sizeof *s->best);
  return s->i && s->j && s->distance && s->angle && s->best;
}

static void batch_free(batch *s) {
  free(s->i);
  free(s->j);
  free(s->distance);
  free(s->angle);
  free(s->best);
}

int choose_nearest(const job *j, const points *b, int64_t lists_used, measure *m, const void *user,
                   int64_t most, int64_t *chosen, double *angle, lavdm_error *error) {
  lists s = {.use = b->k < lists_used ? b->k : lists_used};
  batch pairs = {0};
  int status =
      lists_make(b, &s) && batch_make(&pairs, s.use, most) ? LAVDM_OK : say_memory(error, "the candidates");
  for (int64_t start = 0; start < b->n && status >= 0; start += CHUNK) {
    const int64_t end = start + CHUNK < b->n ? start + CHUNK : b->n;
    int64_t count = 0;
    for (int64_t i = start; i < end; i++) {
      pairs.first[i - start] = count;
      const int64_t found = gather(b, &s, i, pairs.j + count);
      for (int64_t e = 0; e < found; e++) pairs.i[count++] = i;
    }
    pairs.first[end - start] = count;
    status = m(b, user, pairs.i, pairs.j, count, pairs.distance, pairs.angle, error);
    for (int64_t i = start; i < end && status >= 0; i++) {
      const int64_t f = pairs.first[i - start], found = pairs.first[i - start + 1] - f;
      nearest_of(pairs.j + f, pairs.distance + f, pairs.angle + f, found, most, chosen + i * most,
                 angle + i * most, pairs.best);
    }
    if (status >= 0 && job_report(j, "comparing", (double)end / (double)b->n))
      status = denoise_say(error, LAVDM_ERROR_INTERRUPTED, "interrupted");
  }
  free(s.first);
  free(s.list);
  batch_free(&pairs);
  return status;
}

static int by_turning(const points *b, const void *user, const int64_t *i, const int64_t *j, int64_t count,
                      double *distance, double *angle, lavdm_error *error) {
  (void)user;
  return lavdm_stack_pairs(b->stack, i, j, count, distance, angle, NULL, error);
}

int choose_rid(const job *j, const points *b, int64_t most, int64_t *chosen, double *angle,
               lavdm_error *error) {
  return choose_nearest(j, b, 2, by_turning, NULL, most, chosen, angle, error);
}
