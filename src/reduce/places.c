#include "reduce/places.h"

#include "base/memory.h"
#include "neighbours/rows.h"

#include <string.h>

/* Two numbers that equal rows share, and others as good as never. */
typedef struct {
  uint64_t a, b;
} print_t;

/* A number as its bits, -0 as 0. */
static uint64_t bits_of(const strided_t *rows, int64_t i, int64_t j) {
  double x = rows_value(rows, i, j) + 0.0;
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

/* Every bit of h changes half of the bits that come out. */
static uint64_t mix(uint64_t h) {
  h = (h ^ h >> 32) * 0xd6e8feb86659fd93u;
  h = (h ^ h >> 32) * 0xd6e8feb86659fd93u;
  return h ^ h >> 32;
}

typedef struct {
  int64_t p;
  print_t *print; /* n */
} printing_t;

static void print_rows(void *context, int stripe, const strided_t *rows, int64_t first, int64_t count) {
  (void)stripe;
  const printing_t *c = context;
  for (int64_t i = 0; i < count; i++) {
    print_t h = {0, 1};
    for (int64_t j = 0; j < c->p; j++) {
      uint64_t bits = bits_of(rows, i, j);
      h.a = mix(h.a + bits);
      h.b = mix(h.b * 3 ^ bits);
    }
    c->print[first + i] = h;
  }
}

/* place (n) in the order of their first points; table (a power of two, all -1): places by their print. */
static int64_t find_places(const print_t *print, int64_t n, int64_t *table, int64_t size, int64_t *place,
                           int64_t *first) {
  int64_t count = 0;
  for (int64_t i = 0; i < n; i++) {
    int64_t at = (int64_t)(print[i].a & (uint64_t)(size - 1));
    while (table[at] >= 0 &&
           (print[first[table[at]]].a != print[i].a || print[first[table[at]]].b != print[i].b))
      at = (at + 1) & (size - 1);
    if (table[at] < 0) {
      table[at] = count;
      first[count++] = i;
    }
    place[i] = table[at];
  }
  return count;
}

int places_find(run_t *run, const lavdm_data *data, places_t *out) {
  int64_t n = data->n, size = 2;
  while (size < 2 * n) size *= 2;
  printing_t printing = {data->p, NEW(print_t, n)};
  int64_t *table = NEW(int64_t, size);
  *out = (places_t){.n = n, .count = n, .place = NEW(int64_t, n), .first = NEW(int64_t, n)};
  int status = printing.print && table && out->place && out->first
                   ? REAL(rows_pass)(run, data, NULL, print_rows, &printing)
                   : fail_memory(run->error, "the points");
  if (!status) {
    for (int64_t i = 0; i < size; i++) table[i] = -1;
    out->count = find_places(printing.print, n, table, size, out->place, out->first);
  }
  mem_free(printing.print);
  mem_free(table);
  if (!status && out->count < n) {
    out->weight = NEW(double, out->count);
    if (!out->weight) status = fail_memory(run->error, "the points");
    for (int64_t i = 0; i < n && !status; i++) out->weight[out->place[i]]++;
  }
  if (status < 0 || out->count == n) {
    int64_t count = out->count;
    places_free(out);
    *out = (places_t){.n = n, .count = count};
  }
  return status;
}

void places_free(places_t *places) {
  mem_free(places->place);
  mem_free(places->first);
  mem_free(places->weight);
  *places = (places_t){0};
}

typedef struct {
  const places_t *places;
  int64_t p;
  double *out;
} gathering_t;

static void gather_rows(void *context, int stripe, const strided_t *rows, int64_t first, int64_t count) {
  (void)stripe;
  const gathering_t *g = context;
  for (int64_t i = 0; i < count; i++) {
    int64_t k = g->places->place[first + i];
    if (g->places->first[k] != first + i) continue;
    for (int64_t j = 0; j < g->p; j++) g->out[k * g->p + j] = rows_value(rows, i, j);
  }
}

int places_points(run_t *run, const places_t *places, const lavdm_data *data, double *out) {
  gathering_t g = {places, data->p, out};
  return REAL(rows_pass)(run, data, NULL, gather_rows, &g);
}
