/* Floats written and read, large arrays in slices, rows read on demand. */
#include "io_support.h"
#include "io/formats.h"

#include <float.h>
#include <math.h>
#include <sys/mman.h>

enum { N = 7 * 3 * 5 };
static float values[N];

static void fill(void) {
  random_t r = random_start(3, 1);
  const float odd[] = {0.1f, 1.0f / 3, FLT_MAX, FLT_MIN, FLT_TRUE_MIN, -0.0f, 16777216, 16777218, 1e10f, -5};
  for (int i = 0; i < N; i++) {
    uint32_t bits = (uint32_t)(random_uniform(&r) * 0x1p32);
    memcpy(&values[i], &bits, 4);
    if (!isfinite(values[i])) values[i] = (float)i / 7;
  }
  memcpy(values, odd, sizeof odd);
}

static void same_floats(const io_array *got, int rank) {
  assert_int_equal(got->rank, rank);
  assert_int_equal(io_array_count(got), N);
  for (int i = 0; i < N; i++) {
    double x = got->type == IO_REAL ? ((double *)got->data)[i] : (double)((float *)got->data)[i];
    float back = (float)x;
    assert_memory_equal(&back, &values[i], 4);
  }
}

static void every_format_round_trip(void **state) {
  (void)state;
  fill();
  const io_item items[] = {{"u", IO_SINGLE, 3, {7, 3, 5}, values}, {"odd", IO_SINGLE, 1, {3}, values}};
  const char *const names[] = {"a.npz", "a.h5", "a.mat", "73.mat"};
  for (int i = 0; i < 4; i++) {
    const char *path = in(names[i]);
    char spec[260];
    if (i < 3) {
      assert_int_equal(io_write(path, items, 2, NULL), LAVDM_OK);
    } else {
      output_file file;
      assert_int_equal(output_begin(&file, path, NULL), LAVDM_OK);
      assert_int_equal(output_end(&file, mat_write(&file, items, 2, 10)), LAVDM_OK);
    }
    snprintf(spec, sizeof spec, "%s:u", path);
    io_array got = take(spec);
    assert_int_equal(got.type, IO_REAL);
    same_floats(&got, 3);
    io_array_free(&got);
    snprintf(spec, sizeof spec, "%s:odd", path);
    got = take(spec);
    assert_true(io_array_count(&got) == 3 && (float)((double *)got.data)[1] == values[1]);
    io_array_free(&got);
  }
}

static void single_files(void **state) {
  (void)state;
  fill();
  const io_item item = {"u", IO_SINGLE, 2, {21, 5}, values};
  const char *const names[] = {"a.npy", "a.csv", "a.tsv"};
  for (int i = 0; i < 3; i++) {
    assert_int_equal(io_write(in(names[i]), &item, 1, NULL), LAVDM_OK);
    io_array got = take(in(names[i]));
    same_floats(&got, 2);
    io_array_free(&got);
  }
  io_array got;
  assert_int_equal(io_read_points(in("a.npy"), &got, NULL), LAVDM_OK);
  assert_int_equal(got.type, IO_SINGLE);
  same_floats(&got, 2);
  io_array_free(&got);
  assert_int_equal(io_read_points(in("a.csv"), &got, NULL), LAVDM_OK);
  assert_int_equal(got.type, IO_REAL);
  io_array_free(&got);
}

/* The shortest text: what a person would write for it. */
static void short_text(void **state) {
  (void)state;
  static const struct {
    float x;
    const char *text;
  } cases[] = {{0.1f, "0.1"},    {-2.5f, "-2.5"},
               {3, "3"},         {16777215, "16777215"},
               {0, "0"},         {1e-20f, "1e-20"},
               {-0.0f, "-0"},    {INFINITY, "inf"},
               {1e10f, "1e+10"}, {0.333333343f, "0.33333334"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[DECIMAL_SIZE];
    int length = decimal_print_single(cases[i].x, text);
    assert_string_equal(text, cases[i].text);
    assert_int_equal(length, strlen(text));
  }
}

/* ----------------------------------------------------------------- slices */

static int *trims; /* shared with the child that writes HDF5 */

static void count_trim(const void *user) {
  assert_ptr_equal(user, values);
  ++*trims;
}

static void large_arrays_go_in_slices(void **state) {
  (void)state;
  const io_trim trim = {count_trim, values};
  const int64_t rows = 3 * (int64_t)OUTPUT_SLICE / 4 / 8 + 5;
  trims = mmap(NULL, sizeof *trims, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  assert_true(trims != MAP_FAILED);
  float *large = malloc((size_t)rows * 8 * sizeof *large);
  assert_non_null(large);
  for (int64_t i = 0; i < rows * 8; i++) large[i] = (float)(i % 1000);
  const io_item item = {"u", IO_SINGLE, 3, {rows, 2, 4}, large};
  const char *const names[] = {"b.npy", "b.npz", "b.h5", "b.mat", "b73.mat"};
  for (int i = 0; i < 5; i++) {
    *trims = 0;
    if (i < 4) {
      assert_int_equal(io_write_trimmed(in(names[i]), &item, 1, &trim, NULL), LAVDM_OK);
    } else {
      output_file file;
      assert_int_equal(output_begin(&file, in(names[i]), NULL), LAVDM_OK);
      file.trim = &trim;
      assert_int_equal(output_end(&file, mat_write(&file, &item, 1, 10)), LAVDM_OK);
    }
    assert_in_range(*trims, 4, 1000);
    io_array got = take(in(names[i]));
    assert_int_equal(io_array_count(&got), rows * 8);
    for (int64_t j = 0; j < rows * 8; j++)
      if (((double *)got.data)[j] != (double)large[j]) fail_msg("%s: element %ld", names[i], (long)j);
    io_array_free(&got);
    unlink(in(names[i]));
  }
  const io_item table = {"u", IO_SINGLE, 2, {rows / 2, 8}, large};
  *trims = 0;
  assert_int_equal(io_write_trimmed(in("b.csv"), &table, 1, &trim, NULL), LAVDM_OK);
  assert_in_range(*trims, 1, 100);
  free(large);
}

/* ------------------------------------------------------------------- rows */

static void rows_on_demand(void **state) {
  (void)state;
  fill();
  const io_item item = {"u", IO_SINGLE, 3, {7, 3, 5}, values};
  float out[N];
  io_rows rows;
  lavdm_error error = {0};
  const char *path = in("rows.npy");
  assert_int_equal(io_write(path, &item, 1, NULL), LAVDM_OK);
  assert_int_equal(io_rows_open(path, &rows, &error), 1);
  assert_true(rows.count == 7 && rows.width == 15 && rows.type == IO_SINGLE);
  for (int first = 0; first < 7; first++) {
    int count = first % 3 + 1 < 7 - first ? first % 3 + 1 : 7 - first;
    assert_int_equal(io_rows_read(&rows, first, count, out, &error), LAVDM_OK);
    assert_memory_equal(out, values + 15 * first, (size_t)count * 15 * sizeof *out);
  }
  bytes_t whole = load(path);
  assert_int_equal(truncate(path, (off_t)whole.size - 59), 0);
  assert_int_equal(io_rows_read(&rows, 5, 1, out, &error), LAVDM_OK);
  assert_int_equal(io_rows_read(&rows, 5, 2, out, &error), LAVDM_ERROR_DATA);
  assert_non_null(strstr(error.message, "rows.npy"));
  assert_non_null(strstr(error.message, "shorter"));
  io_rows_close(&rows);
  assert_int_equal(io_rows_open(path, &rows, &error), LAVDM_ERROR_DATA);
  assert_non_null(strstr(error.message, "cut short"));
  io_rows_close(&rows);
  drop(&whole);
}

static void rows_of_other_kinds(void **state) {
  (void)state;
  static const struct {
    const char *dictionary;
    size_t bytes;
    int answer;
  } cases[] = {
      {"{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2), }", 48, 1},
      {"{'descr': '<f8', 'fortran_order': True, 'shape': (6,), }", 48, 1},
      {"{'descr': '<f8', 'fortran_order': True, 'shape': (3, 2), }", 48, 0},
      {"{'descr': '>f8', 'fortran_order': False, 'shape': (3, 2), }", 48, 0},
      {"{'descr': '<f2', 'fortran_order': False, 'shape': (3, 2), }", 12, 0},
      {"{'descr': '<i8', 'fortran_order': False, 'shape': (3, 2), }", 48, 0},
      {"{'descr': '<c16', 'fortran_order': False, 'shape': (3, 2), }", 96, 0},
      {"{'descr': '<f8', 'fortran_order': False, 'shape': (), }", 8, 0},
  };
  io_rows rows;
  lavdm_error error = {0};
  if (machine_is_big()) skip();
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    bytes_t b = {0};
    const char zero[96] = {0};
    unsigned char head[10] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, (unsigned char)strlen(cases[i].dictionary),
                              0};
    add(&b, head, sizeof head);
    add(&b, cases[i].dictionary, strlen(cases[i].dictionary));
    add(&b, zero, cases[i].bytes);
    save(in("kind.npy"), b.data, b.size);
    assert_int_equal(io_rows_open(in("kind.npy"), &rows, &error), cases[i].answer);
    io_rows_close(&rows);
    drop(&b);
  }
  save(in("kind.csv"), "1,2\n", 4);
  assert_int_equal(io_rows_open(in("kind.csv"), &rows, &error), 0);
  assert_int_equal(io_rows_open(in("none.npy"), &rows, &error), LAVDM_ERROR_ARGUMENT);
  assert_int_equal(io_rows_open(folder, &rows, &error), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_format_round_trip),
                                     cmocka_unit_test(single_files),
                                     cmocka_unit_test(short_text),
                                     cmocka_unit_test(large_arrays_go_in_slices),
                                     cmocka_unit_test(rows_on_demand),
                                     cmocka_unit_test(rows_of_other_kinds)};
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
