/* MRC: every mode, both byte orders, extended headers; by rows as in whole;
 * files that lie; round trips. */
#include "io_support.h"

#include <math.h>

enum { COLUMNS = 5, ROWS = 3, SECTIONS = 4, COUNT = COLUMNS * ROWS * SECTIONS };

typedef struct {
  int mode;
  bool big, unstamped, imod_unsigned;
  int extended; /* bytes of the extended header */
} mrc_kind;

static void put(unsigned char *to, uint32_t x, int size, bool big) {
  for (int i = 0; i < size; i++) to[big ? size - 1 - i : i] = (unsigned char)(x >> (8 * i));
}

static int number_size(int mode) {
  return mode == 0 ? 1 : mode == 2 ? 4 : 2;
}

static double value_of(const mrc_kind *k, int i) {
  if (k->mode == 0) return k->imod_unsigned ? i * 4 : i * 4 - 120;
  if (k->mode == 1) return i * 1000 - 30000;
  if (k->mode == 6) return i * 1000;
  return k->mode == 12 ? i - 30 : i / 8.0 - 3; /* halves hold whole numbers to 2048 */
}

/* A whole number below 2048 as IEEE binary16. */
static uint32_t half_of(double x) {
  int exponent;
  double fraction = frexp(fabs(x), &exponent);
  uint32_t sign = x < 0 ? 0x8000 : 0;
  return x == 0 ? 0 : sign | (uint32_t)(exponent + 14) << 10 | (uint32_t)(fraction * 2048 - 1024);
}

static bytes_t make_mrc(const mrc_kind *k) {
  bytes_t b = {0};
  unsigned char head[1024] = {0}, number[4];
  put(head, COLUMNS, 4, k->big);
  put(head + 4, ROWS, 4, k->big);
  put(head + 8, SECTIONS, 4, k->big);
  put(head + 12, (uint32_t)k->mode, 4, k->big);
  put(head + 92, (uint32_t)k->extended, 4, k->big);
  if (k->imod_unsigned) put(head + 152, 1146047817, 4, k->big);
  memcpy(head + 208, "MAP ", 4);
  if (!k->unstamped) memset(head + 212, k->big ? 0x11 : 0x44, 2);
  add(&b, head, sizeof head);
  for (int i = 0; i < k->extended; i++) add(&b, "x", 1);
  for (int i = 0; i < COUNT; i++) {
    double x = value_of(k, i);
    float single = (float)x;
    uint32_t word = (uint32_t)(int32_t)x;
    if (k->mode == 2) memcpy(&word, &single, 4);
    if (k->mode == 12) word = half_of(x);
    put(number, word, number_size(k->mode), k->big);
    add(&b, number, (size_t)number_size(k->mode));
  }
  return b;
}

static void check_whole(const mrc_kind *k, const char *path) {
  io_array a = take(path), points;
  bool whole = k->mode == 0 || k->mode == 1 || k->mode == 6;
  assert_int_equal(a.type, whole ? IO_INTEGER : IO_REAL);
  assert_int_equal(a.rank, 3);
  assert_int_equal(a.shape[0], SECTIONS);
  assert_int_equal(a.shape[1], ROWS);
  assert_int_equal(a.shape[2], COLUMNS);
  for (int i = 0; i < COUNT; i++)
    assert_true((whole ? (double)((int64_t *)a.data)[i] : ((double *)a.data)[i]) == value_of(k, i));
  io_array_free(&a);
  assert_int_equal(io_read_points(path, &points, NULL), LAVDM_OK);
  assert_int_equal(points.type, IO_SINGLE);
  for (int i = 0; i < COUNT; i++) assert_true(((float *)points.data)[i] == (float)value_of(k, i));
  io_array_free(&points);
}

static void check_rows(const mrc_kind *k, const char *path) {
  io_rows rows;
  float out[2 * ROWS * COLUMNS];
  assert_int_equal(io_rows_open(path, &rows, NULL), 1);
  assert_int_equal(rows.type, IO_SINGLE);
  assert_int_equal(rows.count, SECTIONS);
  assert_int_equal(rows.width, ROWS * COLUMNS);
  assert_int_equal(io_rows_read(&rows, 1, 2, out, NULL), LAVDM_OK);
  for (int i = 0; i < 2 * ROWS * COLUMNS; i++) assert_true(out[i] == (float)value_of(k, i + ROWS * COLUMNS));
  io_rows_close(&rows);
}

static void every_mode_and_order(void **state) {
  (void)state;
  const int modes[] = {0, 1, 2, 6, 12};
  for (int m = 0; m < 5; m++)
    for (int variant = 0; variant < 8; variant++) {
      mrc_kind k = {modes[m], variant & 1, variant & 2, modes[m] == 0 && variant & 4, variant & 4 ? 37 : 0};
      bytes_t b = make_mrc(&k);
      const char *const names[] = {"a.mrc", "a.MRCS", "a.map"};
      const char *path = in(names[variant % 3]);
      save(path, b.data, b.size);
      check_whole(&k, path);
      check_rows(&k, path);
      if (modes[m] > 0) { /* less than a section may follow */
        add(&b, "0123456", 7);
        save(path, b.data, b.size);
        check_whole(&k, path);
        check_rows(&k, path);
      }
      drop(&b);
    }
}

static void lie(size_t at, uint32_t value, size_t size, const char *words) {
  mrc_kind k = {.mode = 1};
  bytes_t b = make_mrc(&k);
  put(b.data + at, value, 4, false);
  save(in("a.mrc"), b.data, size ? size : b.size);
  refused(in("a.mrc"), LAVDM_ERROR_DATA, words);
  drop(&b);
}

static void headers_that_lie_are_refused(void **state) {
  (void)state;
  lie(0, COLUMNS, 1000, "too short");
  lie(0, 0, 0, "its header is damaged");
  lie(0, 0x80000005, 0, "its header is damaged");
  lie(8, 0x7FFFFFFF, 0, "promises more data");
  lie(0, 0x7FFFFFFF, 0, "promises more data");
  lie(8, SECTIONS - 1, 0, "bytes beyond the sections");
  lie(12, 4, 0, "mode 4 (complex numbers)");
  lie(12, 16, 0, "mode 16 (colours)");
  lie(12, 7, 0, "mode 7,");
  lie(92, 1 << 20, 0, "extended header");
  lie(92, 0x80000000, 0, "extended header");
  lie(92, 1, 0, "promises more data");
}

static void damage_is_refused_or_read(void **state) {
  (void)state;
  mrc_kind k = {.mode = 2, .extended = 20};
  bytes_t b = make_mrc(&k);
  for (size_t size = 0; size < b.size; size += 1 + size / 200) {
    save(in("a.mrc"), b.data, size);
    refused(in("a.mrc"), LAVDM_ERROR_DATA, "a.mrc: ");
  }
  save(in("a.mrc"), b.data, b.size);
  drop(&b);
  mutate(in("a.mrc"), NULL, 500);
}

static float float_at(const bytes_t *b, size_t at) {
  float x;
  memcpy(&x, b->data + at, 4);
  return x;
}

static void what_is_written_is_read(void **state) {
  (void)state;
  double real[24];
  float single[24];
  int64_t whole[24];
  for (int i = 0; i < 24; i++) whole[i] = i * i - 50, real[i] = i * i - 50, single[i] = (float)i / 3;
  const io_item items[] = {{"x", IO_REAL, 3, {2, 3, 4}, real},
                           {"x", IO_SINGLE, 3, {4, 2, 3}, single},
                           {"x", IO_INTEGER, 2, {4, 6}, whole}};
  for (int t = 0; t < 3; t++) {
    const io_item *item = &items[t];
    assert_int_equal(io_write(in("w.mrc"), item, 1, NULL), LAVDM_OK);
    io_array a = take(in("w.mrc"));
    assert_int_equal(a.rank, 3);
    for (int i = 0; i < 3; i++)
      assert_int_equal(a.shape[i], item->rank == 3 ? item->shape[i] : i ? item->shape[i - 1] : 1);
    double sum = 0, squares = 0;
    for (int i = 0; i < 24; i++) {
      double x = ((double *)a.data)[i];
      assert_true(x == (t == 0 ? real[i] : t == 1 ? (double)single[i] : (double)whole[i]));
      sum += x, squares += x * x;
    }
    bytes_t b = load(in("w.mrc"));
    assert_int_equal(b.size, 1024 + 24 * 4);
    assert_memory_equal(b.data + 208, "MAP ", 4);
    assert_true(float_at(&b, 40) == (float)a.shape[2] && float_at(&b, 44) == (float)a.shape[1]);
    assert_true(float_at(&b, 76) == (t == 1 ? 0.f : -50.f));
    assert_true(float_at(&b, 80) == (t == 1 ? 23.f / 3 : 479.f));
    assert_true(fabs(float_at(&b, 84) - sum / 24) < 1e-4);
    assert_true(fabs(float_at(&b, 216) - sqrt(squares / 24 - sum / 24 * sum / 24)) < 1e-3);
    io_array_free(&a);
    drop(&b);
  }
  assert_int_equal(count_files(".lavdm-"), 0);
}

static void what_does_not_fit_is_refused(void **state) {
  (void)state;
  double real[4] = {0, 1e40, NAN, -INFINITY};
  lavdm_error error = {0};
  io_item item = {"x", IO_REAL, 1, {4}, real};
  assert_int_equal(io_write(in("n.mrc"), &item, 1, &error), LAVDM_ERROR_ARGUMENT);
  assert_non_null(strstr(error.message, "a stack of them"));
  item = (io_item){"x", IO_REAL, 2, {2, 2}, real};
  assert_int_equal(io_write(in("n.mrc"), &item, 1, &error), LAVDM_ERROR_ARGUMENT);
  assert_non_null(strstr(error.message, "cannot hold 1e+40"));
  assert_int_equal(io_write(in("n.mrc"), (io_item[]){item, item}, 2, &error), LAVDM_ERROR_ARGUMENT);
  item.shape[0] = 0;
  assert_int_equal(io_write(in("n.mrc"), &item, 1, &error), LAVDM_ERROR_ARGUMENT);
  assert_int_equal(count_files("n.mrc"), 0);
  real[1] = 2; /* what is not finite is kept, and does not count */
  item.shape[0] = 2;
  assert_int_equal(io_write(in("n.mrc"), &item, 1, &error), LAVDM_OK);
  io_array a = take(in("n.mrc"));
  assert_true(isnan(((double *)a.data)[2]) && ((double *)a.data)[3] == -INFINITY);
  bytes_t b = load(in("n.mrc"));
  assert_true(float_at(&b, 76) == 0 && float_at(&b, 80) == 2 && float_at(&b, 84) == 1);
  io_array_free(&a);
  drop(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_mode_and_order),         cmocka_unit_test(headers_that_lie_are_refused),
      cmocka_unit_test(damage_is_refused_or_read),    cmocka_unit_test(what_is_written_is_read),
      cmocka_unit_test(what_does_not_fit_is_refused),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
