/* lavdm_stack_* at their doors: principal components, strides and single numbers; what is refused. */
#include "oracle.h"
#include "lavdm/images.h"

#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { N = 80, LENGTH = 12 };

static double signals[N * LENGTH];

static int setup(void **state) {
  (void)state;
  fill_normal(signals, N * LENGTH, 7);
  return 0;
}

static lavdm_data data_of(const double *x) {
  return (lavdm_data){.points = x, .n = N, .p = LENGTH};
}

static lavdm_options shifts(void) {
  lavdm_options o;
  lavdm_options_default(&o);
  o.bundle = LAVDM_BUNDLE_SHIFT, o.noise = 0, o.threads = 1;
  return o;
}

static lavdm_stack *make(const lavdm_data *data, const lavdm_options *o) {
  lavdm_stack *stack;
  lavdm_error error;
  if (lavdm_stack_new(data, o, &stack, &error) < 0) fail_msg("%s", error.message);
  return stack;
}

static void distances(const lavdm_data *data, const lavdm_options *o, double out[N]) {
  int64_t i[N], j[N];
  for (int e = 0; e < N; e++) i[e] = e, j[e] = (e * 7 + 1) % N;
  lavdm_stack *stack = make(data, o);
  assert_int_equal(lavdm_stack_pairs(stack, i, j, N, out, NULL, NULL, NULL), LAVDM_OK);
  lavdm_stack_free(stack);
}

/* The same numbers by columns give the same distances; all components keep them, fewer make them shorter. */
static void strides_and_components(void **state) {
  (void)state;
  static double columns[LENGTH * N];
  for (int e = 0; e < N * LENGTH; e++) columns[e % LENGTH * N + e / LENGTH] = signals[e];
  double rows[N], other[N];
  lavdm_data data = data_of(signals), turned = data_of(columns);
  turned.row_stride = 1, turned.col_stride = N;
  lavdm_options o = shifts();
  distances(&data, &o, rows), distances(&turned, &o, other);
  assert_memory_equal(rows, other, sizeof rows);
  lavdm_stack *stack = make(&data, &o);
  int64_t all = lavdm_stack_info(stack)->coefficients;
  assert_int_equal(lavdm_stack_info(stack)->compared, all);
  lavdm_stack_free(stack);
  o.pca = all, distances(&data, &o, other);
  for (int e = 0; e < N; e++) assert_true(fabs(other[e] - rows[e]) < 1e-9);
  o.pca = 2, stack = make(&data, &o);
  assert_int_equal(lavdm_stack_info(stack)->compared, 2);
  lavdm_stack_free(stack);
  distances(&data, &o, other);
  for (int e = 0; e < N; e++) assert_true(other[e] < rows[e] || rows[e] == 0);
}

/* Only what is asked for is written. */
static void parts_of_an_answer(void **state) {
  (void)state;
  lavdm_data data = data_of(signals);
  lavdm_options o = shifts();
  lavdm_stack *stack = make(&data, &o);
  int64_t index[2][N * 3], none = 0;
  double distance[N * 3], angle[N * 3];
  assert_int_equal(lavdm_stack_neighbours(stack, NULL, 0, NULL, 0, 3, index[0], distance, angle, NULL, NULL),
                   0);
  assert_int_equal(lavdm_stack_neighbours(stack, NULL, 0, NULL, 0, 3, index[1], NULL, NULL, NULL, NULL), 0);
  assert_memory_equal(index[0], index[1], sizeof index[0]);
  assert_int_equal(lavdm_stack_neighbours(stack, &none, 0, NULL, 0, 3, index[1], NULL, NULL, NULL, NULL), 0);
  assert_int_equal(lavdm_stack_average(stack, NULL, 0, NULL, NULL, NULL, NULL, NULL, NULL), 0);
  /* weights of nothing, and entries before the first group, which count for nothing */
  int64_t first[] = {1, 3, 3}, objects[] = {5, 6, 7};
  double zero[3] = {0}, weight[] = {9, 2, 0}, out[2 * LENGTH], alone[LENGTH];
  assert_int_equal(lavdm_stack_average(stack, first, 2, objects, zero, NULL, weight, out, NULL), 0);
  assert_int_equal(lavdm_stack_turn(stack, objects + 1, zero, NULL, 1, alone, NULL), 0);
  for (int s = 0; s < LENGTH; s++) assert_true(fabs(out[s] - alone[s]) < 1e-12 && out[LENGTH + s] == 0);
  lavdm_stack_free(stack);
  assert_null(lavdm_stack_info(NULL));
}

static void refused(const lavdm_data *data, const lavdm_options *o, int status, const char *words) {
  lavdm_error error;
  lavdm_stack *stack = (lavdm_stack *)&error;
  assert_int_equal(lavdm_stack_new(data, o, &stack, &error), status);
  assert_null(stack);
  if (!strstr(error.message, words)) fail_msg("no \"%s\" in: %s", words, error.message);
}

static void refused_data(void **state) {
  (void)state;
  lavdm_data good = data_of(signals), data = good;
  lavdm_options o = shifts();
  refused(NULL, &o, LAVDM_ERROR_ARGUMENT, "data or options are missing");
  refused(&good, NULL, LAVDM_ERROR_ARGUMENT, "data or options are missing");
  data.p = 0, refused(&data, &o, LAVDM_ERROR_DATA, "80 objects of 0 numbers");
  data.p = (int64_t)INT_MAX, refused(&data, &o, LAVDM_ERROR_DATA, "too large");
  data = good, data.type = LAVDM_I64, refused(&data, &o, LAVDM_ERROR_ARGUMENT, "LAVDM_F64 or LAVDM_F32");
  o.bundle = LAVDM_BUNDLE_ROTATION;
  const int64_t odd[][2] = {{-3, -4}, {3, -4}, {0, 12}, {3, 0}, {3, 5}, {5, 2}};
  for (int k = 0; k < 6; k++) {
    data = good, data.height = odd[k][0], data.width = odd[k][1];
    refused(&data, &o, LAVDM_ERROR_ARGUMENT, "height");
  }
  /* of several numbers that cannot be used the first is named, wherever they are */
  o.bundle = LAVDM_BUNDLE_SHIFT;
  double kept[2] = {signals[70 * LENGTH + 3], signals[72 * LENGTH]};
  signals[70 * LENGTH + 3] = -INFINITY, signals[72 * LENGTH] = NAN;
  refused(&good, &o, LAVDM_ERROR_DATA, "signal 71, sample 4 is -inf");
  signals[70 * LENGTH + 3] = kept[0];
  refused(&good, &o, LAVDM_ERROR_DATA, "signal 73, sample 1 is");
  signals[72 * LENGTH] = kept[1];
}

/* Enough signals that one reader sees several batches of them. */
static void the_first_of_many(void **state) {
  (void)state;
  enum { MANY = 20000 };
  double *x = numbers(MANY * 3);
  fill_normal(x, MANY * 3, 5);
  for (int i = 301; i < MANY; i += 40) x[i * 3 + 2] = NAN;
  lavdm_data data = {.points = x, .n = MANY, .p = 3};
  lavdm_options o = shifts();
  refused(&data, &o, LAVDM_ERROR_DATA, "signal 302, sample 3 is");
  free(x);
}

static void missing(int status, const lavdm_error *error) {
  assert_int_equal(status, LAVDM_ERROR_ARGUMENT);
  assert_string_equal(error->message, "an argument is missing (NULL)");
}

static void refused_calls(void **state) {
  (void)state;
  lavdm_data data = data_of(signals);
  lavdm_options o = shifts();
  lavdm_stack *stack = make(&data, &o);
  int64_t objects[] = {0, 1}, first[] = {0, 1, 2}, index[2];
  double angle[] = {0, 0}, out[2 * LENGTH], weight[] = {1, INFINITY};
  lavdm_error error;
  missing(lavdm_stack_pairs(NULL, objects, objects, 2, out, NULL, NULL, &error), &error);
  missing(lavdm_stack_pairs(stack, objects, NULL, 2, out, NULL, NULL, &error), &error);
  missing(lavdm_stack_neighbours(NULL, NULL, 1, NULL, 0, 1, index, NULL, NULL, NULL, &error), &error);
  missing(lavdm_stack_turn(stack, NULL, angle, NULL, 1, out, &error), &error);
  missing(lavdm_stack_turn(stack, objects, NULL, NULL, 1, out, &error), &error);
  missing(lavdm_stack_turn(stack, objects, angle, NULL, 1, NULL, &error), &error);
  missing(lavdm_stack_average(stack, NULL, 2, objects, angle, NULL, NULL, out, &error), &error);
  missing(lavdm_stack_average(stack, first, 2, objects, angle, NULL, NULL, NULL, &error), &error);
  missing(lavdm_stack_average(stack, first, 2, NULL, angle, NULL, NULL, out, &error), &error);
  missing(lavdm_stack_average(stack, first, 2, objects, NULL, NULL, NULL, out, &error), &error);
  const int64_t empty[] = {2, 2};
  missing(lavdm_stack_average(stack, empty, 1, NULL, NULL, NULL, NULL, out, &error), &error);
  assert_int_equal(lavdm_stack_neighbours(stack, objects, 1, objects, -1, 1, index, NULL, NULL, NULL, &error),
                   LAVDM_ERROR_ARGUMENT);
  assert_string_equal(error.message, "-1 is not a number of references");
  assert_int_equal(lavdm_stack_average(stack, first, 2, objects, angle, NULL, weight, out, &error),
                   LAVDM_ERROR_ARGUMENT);
  assert_string_equal(error.message, "entry 1: its weight is not a finite number");
  first[0] = -1;
  assert_int_equal(lavdm_stack_average(stack, first, 2, objects, angle, NULL, NULL, out, &error),
                   LAVDM_ERROR_ARGUMENT);
  assert_non_null(strstr(error.message, "group 0 is made of the entries -1 to 0"));
  lavdm_stack_free(stack);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(strides_and_components), cmocka_unit_test(parts_of_an_answer),
      cmocka_unit_test(refused_data),           cmocka_unit_test(the_first_of_many),
      cmocka_unit_test(refused_calls),
  };
  return cmocka_run_group_tests(tests, setup, NULL);
}
