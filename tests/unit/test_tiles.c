/* Tiles: a permutation of the points, balanced, in tight boxes, in an order that
 * depends on the points alone. */
#include "base/memory.h"
#include "base/random.h"
#include "neighbours/parts.h"
#include "neighbours/rank.h"
#include "neighbours/tiles.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static run_t a_run(int threads) {
  run_t run = {.threads = threads};
  return run;
}

typedef enum { UNIFORM, LATTICE, EQUAL, FEW, SORTED, KINDS } kind_t;

/* n x p points: spread, on a lattice with many ties, all equal, few distinct, in order */
static double *points_of(kind_t kind, int64_t n, int64_t p, uint64_t seed) {
  double *x = calloc((size_t)(n * p), sizeof *x);
  random_t random = random_start(seed, 7);
  assert_non_null(x);
  for (int64_t i = 0; i < n; i++)
    for (int64_t j = 0; j < p; j++) {
      double *at = x + i * p + j;
      if (kind == UNIFORM) *at = random_uniform(&random) - 0.5;
      if (kind == LATTICE) *at = (double)random_below(&random, 4);
      if (kind == EQUAL) *at = 3.25;
      if (kind == FEW) *at = (double)(i % 3 == 0 ? random_below(&random, 2) : 5);
      if (kind == SORTED) *at = (double)(i + j);
    }
  return x;
}

static void check_order(const tiles_t *tiles, const lavdm_data *data, const double *x) {
  char *seen = calloc((size_t)tiles->n, 1);
  for (int64_t i = 0; i < tiles->n; i++) {
    int64_t at = tiles->order[i];
    assert_in_range(at, 0, (uintmax_t)(data->n - 1));
    assert_false(seen[at]);
    seen[at] = 1;
    assert_memory_equal(tiles->x + i * tiles->p, x + at * tiles->p, (size_t)tiles->p * sizeof *x);
  }
  free(seen);
}

/* Points of node v: those of the tiles under it. */
static void node_points(const tiles_t *tiles, int64_t node, int64_t *begin, int64_t *end) {
  int64_t left = node, right = node;
  while (left < tiles->tiles - 1) {
    left = 2 * left + 1;
    right = 2 * right + 2;
  }
  *begin = tiles->first[left - (tiles->tiles - 1)];
  *end = tiles->first[right - (tiles->tiles - 1) + 1];
}

static void check_boxes(const tiles_t *tiles) {
  int64_t p = tiles->p;
  for (int64_t node = 0; node < 2 * tiles->tiles - 1; node++) {
    int64_t begin, end;
    node_points(tiles, node, &begin, &end);
    for (int64_t j = 0; j < p; j++) {
      double lower = INFINITY, upper = -INFINITY;
      for (int64_t i = begin; i < end; i++) {
        lower = fmin(lower, tiles->x[i * p + j]);
        upper = fmax(upper, tiles->x[i * p + j]);
      }
      assert_true(tiles->lower[node * p + j] == lower);
      assert_true(tiles->upper[node * p + j] == upper);
    }
  }
}

/* Children differ by one point at most and do not overlap along the side that is
 * named: the widest, if there are not many coordinates. */
static void check_splits(const tiles_t *tiles) {
  int64_t p = tiles->p;
  for (int64_t node = 0; node < tiles->tiles - 1; node++) {
    int64_t begin, middle, end, side = 0;
    node_points(tiles, 2 * node + 1, &begin, &middle);
    node_points(tiles, 2 * node + 2, &middle, &end);
    assert_true(llabs((end - middle) - (middle - begin)) <= 1);
    const double *lower = tiles->lower + node * p, *upper = tiles->upper + node * p;
    for (int64_t j = 1; j < p; j++)
      if (upper[j] - lower[j] > upper[side] - lower[side]) side = j;
    if (p < 128) assert_int_equal(tiles->side[node], side);
    side = tiles->side[node];
    assert_true(tiles->upper[(2 * node + 1) * p + side] <= tiles->lower[(2 * node + 2) * p + side]);
  }
}

static void check_tiles(const tiles_t *tiles, int64_t leaf) {
  assert_int_equal(tiles->tiles, (int64_t)1 << tiles->levels);
  assert_int_equal(tiles->first[0], 0);
  assert_int_equal(tiles->first[tiles->tiles], tiles->n);
  for (int64_t t = 0; t < tiles->tiles; t++) {
    int64_t count = tiles->first[t + 1] - tiles->first[t];
    assert_true(count >= 0 && count <= leaf);
    assert_true(llabs(count - tiles->n / tiles->tiles) <= 1);
  }
  check_boxes(tiles);
  check_splits(tiles);
}

static void test_build(void **state) {
  (void)state;
  int64_t sizes[] = {1, 2, 3, 7, 63, 64, 65, 300, 3000}, sides[] = {1, 2, 3, 4, 7, 16, 33};
  int64_t leaves[] = {1, 5, 64};
  for (size_t a = 0; a < sizeof sizes / sizeof *sizes; a++)
    for (size_t b = 0; b < sizeof sides / sizeof *sides; b++)
      for (size_t c = 0; c < sizeof leaves / sizeof *leaves; c++) {
        int64_t n = sizes[a], p = sides[b];
        double *x = points_of((kind_t)((a + b + c) % KINDS), n, p, a + b);
        lavdm_data data = {.points = x, .n = n, .p = p};
        run_t run = a_run(1);
        tiles_t tiles;
        assert_int_equal(REAL(tiles_build)(&run, &data, NULL, leaves[c], &tiles), 0);
        check_order(&tiles, &data, x);
        check_tiles(&tiles, leaves[c]);
        REAL(tiles_free)(&tiles);
        free(x);
      }
}

static void test_many_coordinates(void **state) {
  (void)state;
  for (kind_t kind = 0; kind < KINDS; kind++) {
    double *x = points_of(kind, 40, 5000, 1);
    lavdm_data data = {.points = x, .n = 40, .p = 5000};
    run_t run = a_run(2);
    tiles_t tiles;
    assert_int_equal(REAL(tiles_build)(&run, &data, NULL, 6, &tiles), 0);
    check_order(&tiles, &data, x);
    check_tiles(&tiles, 6);
    REAL(tiles_free)(&tiles);
    free(x);
  }
}

static void same_tiles(const tiles_t *a, const tiles_t *b, bool same_order) {
  assert_int_equal(a->tiles, b->tiles);
  assert_memory_equal(a->x, b->x, (size_t)(a->n * a->p) * sizeof *a->x);
  assert_memory_equal(a->first, b->first, (size_t)(a->tiles + 1) * sizeof *a->first);
  if (same_order) assert_memory_equal(a->order, b->order, (size_t)a->n * sizeof *a->order);
  size_t boxes = (size_t)((2 * a->tiles - 1) * a->p) * sizeof *a->lower;
  assert_memory_equal(a->lower, b->lower, boxes);
  assert_memory_equal(a->upper, b->upper, boxes);
}

static void test_threads(void **state) {
  (void)state;
  for (kind_t kind = 0; kind < KINDS; kind++) {
    int64_t n = 30011, p = 3;
    double *x = points_of(kind, n, p, 5);
    lavdm_data data = {.points = x, .n = n, .p = p};
    run_t one = a_run(1), two = a_run(2);
    tiles_t a, b;
    assert_int_equal(REAL(tiles_build)(&one, &data, NULL, 50, &a), 0);
    assert_int_equal(REAL(tiles_build)(&two, &data, NULL, 50, &b), 0);
    check_order(&a, &data, x);
    same_tiles(&a, &b, true);
    REAL(tiles_free)(&a);
    REAL(tiles_free)(&b);
    free(x);
  }
}

static void test_listing(void **state) {
  (void)state;
  for (kind_t kind = 0; kind < KINDS; kind++) {
    int64_t n = 12000, p = 4;
    double *x = points_of(kind, n, p, 9), *y = calloc((size_t)(n * p), sizeof *y);
    random_t random = random_start(3, 3);
    int64_t *turn = calloc((size_t)n, sizeof *turn);
    for (int64_t i = 0; i < n; i++) {
      int64_t j = random_below(&random, i + 1);
      turn[i] = turn[j];
      turn[j] = i;
    }
    for (int64_t i = 0; i < n; i++) memcpy(y + i * p, x + turn[i] * p, (size_t)p * sizeof *x);
    lavdm_data data = {.points = x, .n = n, .p = p}, turned = {.points = y, .n = n, .p = p};
    run_t run = a_run(2);
    tiles_t a, b;
    assert_int_equal(REAL(tiles_build)(&run, &data, NULL, 40, &a), 0);
    assert_int_equal(REAL(tiles_build)(&run, &turned, NULL, 40, &b), 0);
    same_tiles(&a, &b, false);
    REAL(tiles_free)(&a);
    REAL(tiles_free)(&b);
    free(x);
    free(y);
    free(turn);
  }
}

/* Parts (parts.h): from 4 * 8192 points on, unless copies make them uneven. */
static void test_parts(void **state) {
  (void)state;
  const int64_t sizes[] = {32767, 32768, 40000, 70001}, sides[] = {3, 48, 3, 3};
  for (size_t a = 0; a < sizeof sizes / sizeof *sizes; a++)
    for (kind_t kind = 0; kind < KINDS; kind++) {
      if (a != 2 && kind != UNIFORM) continue;
      int64_t n = sizes[a], p = sides[a];
      double *x = points_of(kind, n, p, 5), *y = calloc((size_t)(n * p), sizeof *y);
      for (int64_t i = 0; i < n; i++) memcpy(y + (i * 11 + 3) % n * p, x + i * p, (size_t)p * sizeof *x);
      lavdm_data data = {.points = x, .n = n, .p = p}, turned = {.points = y, .n = n, .p = p};
      run_t one = a_run(1), two = a_run(2);
      tiles_t tiles, other;
      assert_int_equal(REAL(tiles_build)(&one, &data, NULL, TILE_POINTS, &tiles), 0);
      check_order(&tiles, &data, x);
      check_boxes(&tiles);
      assert_int_equal(tiles.first[0], 0);
      assert_int_equal(tiles.first[tiles.tiles], n);
      for (int64_t t = 0; t < tiles.tiles; t++) {
        int64_t count = tiles.first[t + 1] - tiles.first[t];
        assert_true(count > 0 && count <= TILE_POINTS + TILE_POINTS / 8);
      }
      assert_int_equal(REAL(tiles_build)(&two, &turned, NULL, TILE_POINTS, &other), 0);
      same_tiles(&tiles, &other, false);
      REAL(tiles_free)(&tiles);
      REAL(tiles_free)(&other);
      free(x);
      free(y);
    }
}

/* Points without copies do go into parts, which are even and lie apart; those of few distinct places do not.
 */
static void test_division(void **state) {
  (void)state;
  int64_t n = 40000, p = 20, *order = calloc((size_t)n, sizeof *order);
  double *x = points_of(UNIFORM, n, p, 5), *y = calloc((size_t)(n * p), sizeof *y);
  for (kind_t kind = UNIFORM; kind <= EQUAL; kind += EQUAL) {
    if (kind == EQUAL) memset(x, 0, (size_t)(n * p) * sizeof *x);
    lavdm_data data = {.points = x, .n = n, .p = p};
    run_t run = a_run(2);
    parts_t parts;
    assert_int_equal(REAL(parts_copy)(&run, &data, NULL, false, y, order, &parts), 0);
    assert_int_equal(parts.count, kind == EQUAL ? 1 : 4);
    assert_int_equal(parts.first[0], 0);
    assert_int_equal(parts.first[parts.count], n);
    int64_t largest = 0;
    for (int64_t k = 0; k < parts.count; k++) {
      int64_t size = parts.first[k + 1] - parts.first[k];
      largest = size > largest ? size : largest;
      assert_in_range(size, n / parts.count / 2, n / parts.count * 5 / 4);
    }
    assert_int_equal(parts.largest, largest);
    for (int64_t i = 0; i < n; i++) assert_memory_equal(y + i * p, x + order[i] * p, (size_t)p * sizeof *x);
    REAL(parts_free)(&parts);
  }
  free(x), free(y), free(order);
}

static void test_layouts(void **state) {
  (void)state;
  int64_t n = 10000, p = 5;
  double *x = points_of(UNIFORM, n, p, 2), *apart = calloc((size_t)(n * 12), sizeof *apart);
  double *by_column = calloc((size_t)(n * p), sizeof *by_column);
  float *single = calloc((size_t)(n * p), sizeof *single);
  for (int64_t i = 0; i < n * p; i++) {
    single[i] = (float)x[i];
    x[i] = (double)single[i];
  }
  for (int64_t i = 0; i < n; i++)
    for (int64_t j = 0; j < p; j++) {
      apart[i * 12 + j * 2] = x[i * p + j];
      by_column[j * n + i] = x[i * p + j];
    }
  lavdm_data layouts[] = {
      {.points = x, .n = n, .p = p},
      {.points = single, .n = n, .p = p, .type = LAVDM_F32},
      {.points = apart, .n = n, .p = p, .row_stride = 12, .col_stride = 2},
      {.points = by_column, .n = n, .p = p, .row_stride = 1, .col_stride = n},
      {.points = x + (n - 1) * p, .n = n, .p = p, .row_stride = -p, .col_stride = 1},
  };
  run_t run = a_run(2);
  tiles_t plain, other;
  assert_int_equal(REAL(tiles_build)(&run, &layouts[0], NULL, 64, &plain), 0);
  for (int l = 1; l < 5; l++) {
    assert_int_equal(REAL(tiles_build)(&run, &layouts[l], NULL, 64, &other), 0);
    same_tiles(&plain, &other, l < 4);
    REAL(tiles_free)(&other);
  }
  REAL(tiles_free)(&plain);
  free(x);
  free(apart);
  free(by_column);
  free(single);
}

static int stop_now(const char *stage, double fraction, void *user) {
  (void)stage, (void)fraction, (void)user;
  return 1;
}

static void test_stop(void **state) {
  (void)state;
  double *x = points_of(UNIFORM, 5000, 2, 1);
  lavdm_data data = {.points = x, .n = 5000, .p = 2};
  lavdm_error error = {0};
  run_t run = a_run(2);
  run.error = &error;
  run.options.progress = stop_now;
  tiles_t tiles;
  assert_int_equal(REAL(tiles_build)(&run, &data, NULL, 10, &tiles), LAVDM_ERROR_INTERRUPTED);
  assert_null(tiles.x);
  assert_int_equal(error.status, LAVDM_ERROR_INTERRUPTED);
  REAL(tiles_free)(&tiles);
  free(x);
}

static void test_box_distance(void **state) {
  (void)state;
  double a[] = {0, 0}, b[] = {1, 1}, c[] = {4, 5}, d[] = {6, 7}, inside[] = {0.5, 0.5};
  assert_true(REAL(box_distance2)(2, a, b, c, d) == 9 + 16);
  assert_true(REAL(box_distance2)(2, c, d, a, b) == 9 + 16);
  assert_true(REAL(box_distance2)(2, a, b, inside, inside) == 0);
  assert_true(REAL(box_distance2)(2, a, c, b, d) == 0);
  assert_true(REAL(box_distance2)(1, a, a, c, c) == 16);
}

static void test_rank_select(void **state) {
  (void)state;
  random_t random = random_start(1, 1);
  for (int trial = 0; trial < 300; trial++) {
    int64_t n = 1 + random_below(&random, trial < 290 ? 2000 : 40000), cut = random_below(&random, n);
    int64_t values = 1 + random_below(&random, trial % 3 ? 2 * n : 5), begin, end, below = 0, upto = 0;
    items_t items = REAL(items_new)(n), space = REAL(items_new)(n + LANES);
    double *keys = calloc((size_t)n, sizeof *keys);
    for (int64_t i = 0; i < n; i++) {
      items.key[i] = keys[i] = (double)random_below(&random, values);
      items.at[i] = (uint32_t)i;
    }
    REAL(rank_select)(items, n, cut, space, &begin, &end);
    double v = items.key[cut];
    for (int64_t i = 0; i < n; i++) {
      below += items.key[i] < v;
      upto += items.key[i] <= v;
      assert_true(items.key[i] == keys[items.at[i]]);
      keys[items.at[i]] = -1; /* every item once */
      assert_true(i < begin ? items.key[i] < v : i < end ? items.key[i] == v : items.key[i] > v);
    }
    assert_true(begin == below && end == upto && begin <= cut && cut < end);
    REAL(items_free)(items);
    REAL(items_free)(space);
    free(keys);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rank_select), cmocka_unit_test(test_box_distance),
      cmocka_unit_test(test_build),       cmocka_unit_test(test_many_coordinates),
      cmocka_unit_test(test_threads),     cmocka_unit_test(test_listing),
      cmocka_unit_test(test_parts),       cmocka_unit_test(test_division),
      cmocka_unit_test(test_layouts),     cmocka_unit_test(test_stop),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
