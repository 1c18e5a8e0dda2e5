/*
 * Three passes over the data.
 *
 *   1  A sample: the points whose coordinates hash to a small number, so that it
 *      does not depend on how they are listed. Its tree (tiles.h) gives planes.
 *   2  Each point goes down the planes to its part; parts are counted, stripe by
 *      stripe.
 *   3  Rows are copied to where the counts say.
 *
 * Where the parts come out uneven, as with many equal points, there is one part.
 */
#include "neighbours/parts.h"

#include "base/memory.h"
#include "neighbours/rows.h"
#include "neighbours/tiles.h"

#include <string.h>

enum {
  PART = 8192,      /* points of a part, at least */
  MOST_LEVELS = 12, /* so that all parts can be written side by side */
  PER_PART = 600,   /* points of the sample for each: parts differ by some 4 percent */
  HASHED = 16       /* coordinates that decide about the sample */
};

typedef struct {
  int64_t p;
  int levels;
  int64_t count;

  /* the sample: room rows for each stripe */
  uint64_t below; /* hashes that belong to it */
  int64_t room, found[STRIPES];
  real_t *sample;

  /* planes: below or not below `at` in coordinate `side` */
  int64_t *side;
  real_t *at;

  uint16_t *part; /* n */
  int64_t *next;  /* STRIPES x count: how many, and then where the next one goes */
  real_t *x;
  int64_t *order;
} split_t;

static uint64_t hash_row(const real_t *row, int64_t p) {
  uint64_t hash = 0x9e3779b97f4a7c15u;
  for (int64_t j = 0; j < p && j < HASHED; j++) {
    double value = (double)row[j];
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    hash = (hash ^ bits) * 0xbf58476d1ce4e5b9u;
    hash ^= hash >> 29;
  }
  return hash * 0x94d049bb133111ebu;
}

static void copy_row(const strided_t *rows, int64_t i, int64_t p, real_t *out) {
  for (int64_t j = 0; j < p; j++) out[j] = rows_value(rows, i, j);
}

static void take_sample(void *context, int stripe, const strided_t *rows, int64_t first, int64_t count) {
  (void)first;
  split_t *s = context;
  int64_t p = s->p, hashed = p < HASHED ? p : HASHED;
  real_t own[HASHED];
  for (int64_t i = 0; i < count; i++) {
    copy_row(rows, i, hashed, own);
    if (hash_row(own, p) >= s->below) continue;
    if (s->found[stripe] < s->room)
      copy_row(rows, i, p, s->sample + (stripe * s->room + s->found[stripe]) * p);
    s->found[stripe]++;
  }
}

/* The part that row i belongs to. */
static inline int64_t go_down(const split_t *s, const strided_t *rows, int64_t i) {
  int64_t node = 0;
  for (int l = 0; l < s->levels; l++)
    node = 2 * node + 1 + (rows_value(rows, i, s->side[node]) >= s->at[node]);
  return node - (s->count - 1);
}

static void count_parts(void *context, int stripe, const strided_t *rows, int64_t first, int64_t count) {
  split_t *s = context;
  for (int64_t i = 0; i < count; i++) {
    int64_t part = go_down(s, rows, i);
    s->part[first + i] = (uint16_t)part;
    s->next[stripe * s->count + part]++;
  }
}

static void copy_rows(void *context, int stripe, const strided_t *rows, int64_t first, int64_t count) {
  split_t *s = context;
  int64_t p = s->p, *next = s->next + stripe * s->count;
  bool plain = rows->type == REAL_TYPE && rows->col == 1 && !rows->centre;
  for (int64_t i = 0; i < count; i++) {
    int64_t to = next[s->part ? s->part[first + i] : 0]++;
    if (plain)
      memcpy(s->x + to * p, (const real_t *)rows->points + i * rows->row, (size_t)p * sizeof(real_t));
    else
      copy_row(rows, i, p, s->x + to * p);
    s->order[to] = first + i;
  }
}

/* Closes the gaps between the stripes of the sample; false if it is too small or too large. */
static bool join_sample(split_t *s, int64_t wanted, int64_t *size) {
  int64_t have = 0;
  for (int stripe = 0; stripe < STRIPES; stripe++) {
    if (s->found[stripe] > s->room) return false;
    memmove(s->sample + have * s->p, s->sample + stripe * s->room * s->p,
            (size_t)(s->found[stripe] * s->p) * sizeof(real_t));
    have += s->found[stripe];
  }
  *size = have;
  return have > wanted / 2;
}

/* Planes from the sample's tree: the side of a node, and where its second half
 * begins. */
static int find_planes(run_t *run, split_t *s, int64_t size) {
  lavdm_data data = {.points = s->sample, .n = size, .p = s->p, .type = REAL_TYPE};
  tiles_t tree;
  int status = REAL(tiles_whole)(run, &data, (size + s->count - 1) / s->count, &tree);
  if (status < 0) return status;
  for (int64_t v = 0; v < s->count - 1; v++) {
    s->side[v] = tree.side[v];
    s->at[v] = tree.lower[(2 * v + 2) * s->p + s->side[v]];
  }
  REAL(tiles_free)(&tree);
  return LAVDM_OK;
}

/* Counts to places, and the bounds of the parts; false if they are uneven. */
static bool place_parts(split_t *s, int64_t n, parts_t *out) {
  int64_t at = 0, most = n / s->count * 5 / 4, least = n / s->count / 2;
  out->largest = 0;
  for (int64_t part = 0; part < s->count; part++) {
    out->first[part] = at;
    for (int stripe = 0; stripe < STRIPES; stripe++) {
      int64_t count = s->next[stripe * s->count + part];
      s->next[stripe * s->count + part] = at;
      at += count;
    }
    int64_t size = at - out->first[part];
    if (size > out->largest) out->largest = size;
    if (size > most || size < least) return s->count == 1;
  }
  out->first[s->count] = n;
  return true;
}

/* Passes 1 and 2; *even tells whether the parts are. */
static int divide(run_t *run, const lavdm_data *data, const double *centre, split_t *s, parts_t *out,
                  bool *even) {
  int64_t n = data->n, wanted = PER_PART * s->count, size;
  double share = (double)wanted / (double)n;
  s->below = (uint64_t)(share * 18446744073709551615.0);
  s->room = (int64_t)(2 * share * (double)(n / STRIPES + 1)) + 256;
  s->sample = NEW(real_t, STRIPES * s->room * s->p);
  s->side = NEW(int64_t, s->count);
  s->at = NEW(real_t, s->count);
  s->part = LARGE(&run->large, uint16_t, n);
  s->next = NEW(int64_t, STRIPES * s->count);
  out->first = NEW(int64_t, s->count + 1);
  if (!s->sample || !s->side || !s->at || !s->part || !s->next || !out->first)
    return fail_memory(run->error, "the points in tile order");
  int status = REAL(rows_pass)(run, data, centre, take_sample, s);
  *even = !status && join_sample(s, wanted, &size);
  if (*even) status = find_planes(run, s, size);
  if (*even && !status) status = REAL(rows_pass)(run, data, centre, count_parts, s);
  if (*even && !status) *even = place_parts(s, n, out);
  return status;
}

static void split_free(split_t *s) {
  mem_free(s->sample);
  mem_free(s->side);
  mem_free(s->at);
  large_free(s->part);
  mem_free(s->next);
}

/* One part: rows as they are listed. */
static int all_in_one(run_t *run, int64_t n, split_t *s, parts_t *out) {
  split_free(s);
  mem_free(out->first);
  *s = (split_t){.p = s->p, .count = 1, .x = s->x, .order = s->order, .next = NEW(int64_t, STRIPES)};
  out->first = NEW(int64_t, 2);
  if (!s->next || !out->first) return fail_memory(run->error, "the points in tile order");
  for (int stripe = 0; stripe < STRIPES; stripe++) s->next[stripe] = n * stripe / STRIPES;
  out->first[1] = out->largest = n;
  return LAVDM_OK;
}

int REAL(parts_copy)(run_t *run, const lavdm_data *data, const double *centre, bool whole, real_t *x,
                     int64_t *order, parts_t *out) {
  memset(out, 0, sizeof *out);
  split_t s = {.p = data->p, .count = 1, .x = x, .order = order};
  bool even = false;
  int status = LAVDM_OK;
  while (!whole && s.levels < MOST_LEVELS && data->n / (2 * s.count) >= PART) s.levels++, s.count *= 2;
  if (s.count > 2) status = divide(run, data, centre, &s, out, &even);
  if (!status && !even) status = all_in_one(run, data->n, &s, out);
  if (!status) status = REAL(rows_pass)(run, data, centre, copy_rows, &s);
  out->levels = s.levels;
  out->count = s.count;
  split_free(&s);
  if (status < 0) REAL(parts_free)(out);
  return status;
}

void REAL(parts_free)(parts_t *parts) {
  mem_free(parts->first);
  *parts = (parts_t){0};
}
