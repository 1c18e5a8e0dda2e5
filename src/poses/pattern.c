/* Matrices of blocks, with the pattern of the graph. */
#include "base/memory.h"
#include "poses/system.h"

#include <stdlib.h>
#include <string.h>

void pattern_free(pattern_t *s) {
  mem_free(s->block);
  mem_free(s->rank);
  triangle_free(&s->matrix);
}

static int ascending(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

/* The nodes above j that links lead to, ascending and once each; their number. */
static int64_t nodes_above(const part_t *part, int64_t j, int64_t *to) {
  int64_t count = 0, kept = 0;
  for (int64_t at = part->start[j]; at < part->start[j + 1]; at++) {
    int64_t other = link_node(part, part->link[at]);
    if (other > j) to[count++] = other;
  }
  qsort(to, (size_t)count, sizeof *to, ascending);
  for (int64_t k = 0; k < count; k++)
    if (!k || to[k] != to[k - 1]) to[kept++] = to[k];
  return kept;
}

static void rank_links(const part_t *part, int64_t j, const int64_t *above, int64_t count, int32_t *rank) {
  for (int64_t at = part->start[j]; at < part->start[j + 1]; at++) {
    int64_t other = link_node(part, part->link[at]);
    const int64_t *found = other > j ? bsearch(&other, above, (size_t)count, sizeof *above, ascending) : NULL;
    rank[at] = found ? (int32_t)(found - above) : -1;
  }
}

/* Columns of node j, whose rows begin with those of its own block. */
static int64_t list_columns(triangle_t *h, int64_t size, int64_t j, const int64_t *above, int64_t count,
                            int64_t at) {
  int64_t base = (j - 1) * size;
  for (int64_t c = 0; c < size; c++) {
    for (int64_t a = c; a < size; a++) h->row[at++] = base + a;
    for (int64_t k = 0; k < count; k++)
      for (int64_t a = 0; a < size; a++) h->row[at++] = (above[k] - 1) * size + a;
    h->start[base + c + 1] = at;
  }
  return at;
}

int pattern_new(run_t *run, const part_t *part, int64_t size, pattern_t *s) {
  int64_t n = part->n, at = 0, most = n * size * (size + 1) / 2;
  int64_t *above = NEW(int64_t, 2 * part->m), *begin = NEW(int64_t, n + 1);
  triangle_t *h = &s->matrix;
  h->n = (n - 1) * size;
  h->start = NEW(int64_t, h->n + 1);
  s->block = NEW(int64_t, n);
  s->rank = NEW(int32_t, 2 * part->m);
  bool whole = above && begin && h->start && s->block && s->rank;
  for (int64_t j = 1; j < n && whole; j++) {
    int64_t *to = above + begin[j], count = nodes_above(part, j, to);
    rank_links(part, j, to, count, s->rank);
    begin[j + 1] = begin[j] + count;
    s->block[j] = j * size;
  }
  if (whole) {
    most += begin[n] * size * size;
    h->row = NEW(int64_t, most);
    h->value = NEW(double, most);
  }
  whole = whole && h->row && h->value;
  for (int64_t j = 1; j < n && whole; j++)
    at = list_columns(h, size, j, above + begin[j], begin[j + 1] - begin[j], at);
  mem_free(above);
  mem_free(begin);
  return whole ? LAVDM_OK : fail_memory(run->error, "the matrix of the fit");
}

void pattern_clear(pattern_t *s, int64_t size, int64_t j) {
  const int64_t *start = s->matrix.start + (j - 1) * size;
  memset(s->matrix.value + start[0], 0, (size_t)(start[size] - start[0]) * sizeof(double));
}

void pattern_add(pattern_t *s, int64_t size, int64_t j, int64_t at, const double *block) {
  const int64_t *start = s->matrix.start + (j - 1) * size;
  for (int64_t c = 0; c < size; c++) {
    double *to = s->matrix.value + start[c] + size - c + s->rank[at] * size;
    for (int64_t a = 0; a < size; a++) to[a] += block[c * size + a];
  }
}

void pattern_add_own(pattern_t *s, int64_t size, int64_t j, const double *block) {
  const int64_t *start = s->matrix.start + (j - 1) * size;
  for (int64_t c = 0; c < size; c++)
    for (int64_t a = c; a < size; a++) s->matrix.value[start[c] + a - c] += block[c * size + a];
}
