#include "reduce/places.h"

#include "base/memory.h"
#include "neighbours/rows.h"

#include <math.h>
#include <string.h>

static strided_t strided(const lavdm_data *data) {
  return (strided_t){.points = data->points,
                     .type = data->type,
                     .row = data->row_stride ? data->row_stride : data->p,
                     .col = data->col_stride ? data->col_stride : 1};
}

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

static bool equal(const strided_t *rows, int64_t p, int64_t i, int64_t k) {
  for (int64_t j = 0; j < p; j++)
    if (bits_of(rows, i, j) != bits_of(rows, k, j)) return false;
  return true;
}

static void hash_rows(const run_t *run, const strided_t *rows, int64_t n, int64_t p, uint64_t *hash) {
#pragma omp parallel for num_threads(run->threads) schedule(static)
  for (int64_t i = 0; i < n; i++) {
    uint64_t h = 0;
    for (int64_t j = 0; j < p; j++) h = mix(h * 3 + bits_of(rows, i, j));
    hash[i] = h;
  }
}

/* place (n) in the order of their first points; table (a power of two, all -1): places by their hash. */
static int64_t find_places(const strided_t *rows, int64_t n, int64_t p, const uint64_t *hash, int64_t *table,
                           int64_t size, int64_t *place, int64_t *first) {
  int64_t count = 0;
  for (int64_t i = 0; i < n; i++) {
    int64_t at = (int64_t)(hash[i] & (uint64_t)(size - 1));
    while (table[at] >= 0 && (hash[first[table[at]]] != hash[i] || !equal(rows, p, first[table[at]], i)))
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
  strided_t rows = strided(data);
  uint64_t *hash = NEW(uint64_t, n);
  int64_t *table = NEW(int64_t, size);
  *out = (places_t){.n = n, .count = n, .place = NEW(int64_t, n), .first = NEW(int64_t, n)};
  int status = hash && table && out->place && out->first ? LAVDM_OK : fail_memory(run->error, "the points");
  if (!status) {
    hash_rows(run, &rows, n, data->p, hash);
    for (int64_t i = 0; i < size; i++) table[i] = -1;
    out->count = find_places(&rows, n, data->p, hash, table, size, out->place, out->first);
  }
  mem_free(hash);
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

void places_points(const places_t *places, const lavdm_data *data, double *out) {
  strided_t rows = strided(data);
  for (int64_t k = 0; k < places->count; k++)
    for (int64_t j = 0; j < data->p; j++) out[k * data->p + j] = rows_value(&rows, places->first[k], j);
}
