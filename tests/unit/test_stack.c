/* lavdm_stack_*: neighbours against all pairs, turning and averaging against drawn images, what is refused.
 */
#include "oracle.h"
#include "lavdm/images.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { H = 20, W = 22, P = H * W, N = 70 };

/* A smooth image: three Gaussians from a seed, reflected, then turned. */
static void draw(uint64_t seed, double theta, int reflected, double *out) {
  double z[9];
  fill_normal(z, 9, seed);
  for (int i = 0; i < H; i++)
    for (int j = 0; j < W; j++) {
      double y = i - 0.5 * (H - 1), x = j - 0.5 * (W - 1), sum = 0;
      for (int k = 0; k < 3; k++) {
        double bx = 3 * tanh(z[3 * k]), by = (reflected ? -3 : 3) * tanh(z[3 * k + 1]);
        double cx = bx * cos(theta) - by * sin(theta), cy = bx * sin(theta) + by * cos(theta);
        sum += (1.5 + tanh(z[3 * k + 2])) * exp(-((x - cx) * (x - cx) + (y - cy) * (y - cy)) / 5);
      }
      out[i * W + j] = sum;
    }
}

static double *images(void) {
  double *x = numbers(N * P);
  for (int i = 0; i < N; i++) draw((uint64_t)(i / 3 + 1), 0.9 * i, i % 3 == 2, x + i * P);
  return x;
}

static lavdm_options how(lavdm_precision precision, lavdm_reflections reflections) {
  lavdm_options o;
  lavdm_options_default(&o);
  o.bundle = LAVDM_BUNDLE_ROTATION, o.precision = precision, o.reflections = reflections;
  o.noise = 0, o.threads = 2;
  return o;
}

static lavdm_stack *make(const lavdm_data *data, const lavdm_options *o) {
  lavdm_stack *stack;
  lavdm_error error;
  if (lavdm_stack_new(data, o, &stack, &error) < 0) fail_msg("%s", error.message);
  return stack;
}

static double on_disk(const double *a, const double *b) {
  double sum = 0;
  for (int i = 0; i < H; i++)
    for (int j = 0; j < W; j++) {
      double y = i - 0.5 * (H - 1), x = j - 0.5 * (W - 1), gap = a[i * W + j] - b[i * W + j];
      if (x * x + y * y <= 0.25 * H * H) sum += gap * gap;
    }
  return sqrt(sum);
}

static int read_rows(void *user, int64_t first, int64_t count, void *rows) {
  memcpy(rows, (const double *)user + first * P, (size_t)(count * P) * sizeof(double));
  return 0;
}

/* All pairs, by lavdm_stack_pairs. */
static void all_pairs(const lavdm_stack *stack, double *distance, double *angle, signed char *reflected) {
  int64_t *i = (int64_t *)numbers(2 * N * N), *j = i + N * N;
  for (int64_t e = 0; e < N * N; e++) i[e] = e / N, j[e] = e % N;
  assert_int_equal(lavdm_stack_pairs(stack, i, j, N * N, distance, angle, reflected, NULL), 0);
  free(i);
}

static void test_neighbours(void **state) {
  (void)state;
  double *x = images(), *distance = numbers(N * N), *angle = numbers(N * N), *in_double = numbers(N * N);
  signed char *reflected = (signed char *)numbers(N * N);
  lavdm_data memory = {.points = x, .n = N, .p = P, .height = H, .width = W};
  lavdm_data stream = {.read = read_rows, .read_user = x, .n = N, .p = P, .height = H, .width = W};
  for (int variant = 0; variant < 8; variant++) {
    lavdm_options o = how(variant & 1 ? LAVDM_PRECISION_SINGLE : LAVDM_PRECISION_DOUBLE,
                          variant & 2 ? LAVDM_REFLECTIONS_YES : LAVDM_REFLECTIONS_NO);
    lavdm_stack *stack = make(variant & 4 ? &stream : &memory, &o);
    double within = variant & 1 ? 2e-5 : 1e-11;
    all_pairs(stack, distance, angle, reflected);
    for (int e = 0; e < N * N; e++) { /* the variant before was this one in double precision */
      if (variant & 1)
        assert_true(fabs(distance[e] - in_double[e]) < 2e-5);
      else
        in_double[e] = distance[e];
    }
    for (int i = 0; i < N; i++) {
      assert_true(distance[i * N + i] <= within && fabs(angle[i * N + i]) <= within);
      for (int j = 0; j < N; j++) {
        double back = reflected[i * N + j] ? angle[j * N + i] : -angle[j * N + i];
        assert_true(fabs(distance[i * N + j] - distance[j * N + i]) <= within);
        if (distance[i * N + j] < 0.1) /* others may have several best turns */
          assert_true(fabs(remainder(angle[i * N + j] - back, 2 * M_PI)) < 1e-3);
        if (i / 3 == j / 3 && (variant & 2 || (i % 3 == 2) == (j % 3 == 2))) {
          double theta = 0.9 * i - 0.9 * j;
          if ((i % 3 == 2) != (j % 3 == 2)) theta = 0.9 * i + 0.9 * j; /* a reflection turns turns around */
          assert_true(distance[i * N + j] < 0.02);
          assert_true(fabs(remainder(angle[i * N + j] - theta, 2 * M_PI)) < 0.02);
          assert_int_equal(reflected[i * N + j], (i % 3 == 2) != (j % 3 == 2));
        }
      }
    }
    int64_t objects[] = {5, 6, 7, 69, 0, 0, 33}, references[] = {9, 69, 3, 4, 5, 6, 7, 8, 40, 41, 42},
            index[7 * 4];
    double near[7 * 4], turn[7 * 4];
    signed char flip[7 * 4];
    assert_int_equal(
        lavdm_stack_neighbours(stack, objects, 7, references, 11, 4, index, near, turn, flip, NULL), 0);
    for (int t = 0; t < 7; t++) {
      bool used[N] = {false};
      for (int k = 0; k < 4; k++) {
        double best = INFINITY;
        int which = -1;
        for (int r = 0; r < 11; r++)
          if (references[r] != objects[t] && !used[references[r]] &&
              distance[objects[t] * N + references[r]] < best - 2 * within)
            best = distance[objects[t] * N + references[r]], which = (int)references[r];
        assert_true(fabs(near[t * 4 + k] - best) <= 3 * within);
        used[index[t * 4 + k]] = true;
        assert_true(index[t * 4 + k] != objects[t] && which >= 0);
        assert_true(fabs(near[t * 4 + k] - distance[objects[t] * N + index[t * 4 + k]]) <= within);
      }
    }
    int64_t *every = (int64_t *)numbers(N * N);
    double *far = numbers(N * N);
    assert_int_equal(lavdm_stack_neighbours(stack, NULL, 0, NULL, 0, N, every, far, NULL, NULL, NULL), 0);
    for (int t = 0; t < N; t++) {
      for (int k = 1; k < N - 1; k++) assert_true(far[t * N + k] >= far[t * N + k - 1]);
      assert_true(every[t * N + N - 1] == -1 && isnan(far[t * N + N - 1]));
    }
    free(every), free(far);
    lavdm_stack_free(stack);
  }
  free(x), free(distance), free(angle), free(reflected), free(in_double);
}

static void test_turn_and_average(void **state) {
  (void)state;
  double *x = images(), *out = numbers(4 * P), drawn[P], nothing[P] = {0};
  lavdm_data data = {.points = x, .n = N, .p = P, .height = H, .width = W};
  for (int single = 0; single <= 1; single++) {
    lavdm_options o = how(single ? LAVDM_PRECISION_SINGLE : LAVDM_PRECISION_DOUBLE, LAVDM_REFLECTIONS_YES);
    lavdm_stack *stack = make(&data, &o);
    int64_t objects[] = {0, 3, 3, 6};
    double angle[] = {0.3, 1.2, -2, 0};
    signed char reflected[] = {0, 1, 0, 0};
    assert_int_equal(lavdm_stack_turn(stack, objects, angle, reflected, 4, out, NULL), 0);
    for (int t = 0; t < 4; t++) {
      double own = 0.9 * (double)objects[t];
      draw((uint64_t)(objects[t] / 3 + 1), reflected[t] ? angle[t] - own : angle[t] + own, reflected[t],
           drawn);
      assert_true(on_disk(out + t * P, drawn) < 5e-3 * on_disk(drawn, nothing));
      assert_true(out[t * P] == 0);
    }
    /* three copies of image 12, aligned to it; nothing; one alone with weight 2 */
    int64_t first[] = {0, 3, 3, 4}, entries[] = {12, 13, 14, 30};
    double back[] = {0, -0.9, 0.9 * 12 + 0.9 * 14, 0}, weight[] = {1, 3, 2, 2};
    signed char mirror[] = {0, 0, 1, 0};
    assert_int_equal(lavdm_stack_average(stack, first, 3, entries, back, mirror, weight, out, NULL), 0);
    assert_true(on_disk(out, x + 12 * P) < 5e-3 * on_disk(x + 12 * P, nothing));
    assert_true(on_disk(out + P, nothing) == 0);
    assert_true(on_disk(out + 2 * P, x + 30 * P) < 5e-3 * on_disk(x + 30 * P, nothing));
    lavdm_stack_free(stack);
  }
  free(x), free(out);
}

/* Signals: a delayed copy, and one backwards. */
static void test_signals(void **state) {
  (void)state;
  enum { LENGTH = 30 };
  double x[3 * LENGTH], distance[3], angle[3], turned[LENGTH];
  signed char reflected[3];
  fill_normal(x, LENGTH, 3);
  for (int s = 0; s < LENGTH; s++) {
    x[LENGTH + (s + 7) % LENGTH] = x[s];
    x[2 * LENGTH + (2 * LENGTH - s + 4) % LENGTH] = x[s];
  }
  lavdm_data data = {.points = x, .n = 3, .p = LENGTH};
  lavdm_options o = how(LAVDM_PRECISION_DOUBLE, LAVDM_REFLECTIONS_YES);
  o.bundle = LAVDM_BUNDLE_SHIFT;
  lavdm_stack *stack = make(&data, &o);
  assert_int_equal(lavdm_stack_info(stack)->height, 1);
  assert_int_equal(lavdm_stack_info(stack)->pixels, LENGTH);
  int64_t i[] = {1, 2, 0}, j[] = {0, 0, 1};
  assert_int_equal(lavdm_stack_pairs(stack, i, j, 3, distance, angle, reflected, NULL), 0);
  const double shift[] = {7, 4, -7};
  for (int e = 0; e < 3; e++) {
    assert_true(distance[e] < 1e-7);
    assert_true(fabs(angle[e] - 2 * M_PI * shift[e] / LENGTH) < 1e-8);
    assert_int_equal(reflected[e], e == 1);
  }
  assert_int_equal(lavdm_stack_turn(stack, j, angle + 1, reflected + 1, 1, turned, NULL), 0);
  for (int s = 0; s < LENGTH; s++) assert_true(fabs(turned[s] - x[2 * LENGTH + s]) < 1e-7);
  lavdm_stack_free(stack);
}

static int stop_at_once(const char *stage, double fraction, void *user) {
  (void)stage, (void)fraction, (void)user;
  return 1;
}

static int refuse_to_read(void *user, int64_t first, int64_t count, void *rows) {
  (void)user, (void)first, (void)count, (void)rows;
  return LAVDM_ERROR_FILE;
}

static void refused(const lavdm_data *data, const lavdm_options *o, int status, const char *word) {
  lavdm_error error;
  lavdm_stack *stack = (lavdm_stack *)&error;
  assert_int_equal(lavdm_stack_new(data, o, &stack, &error), status);
  assert_null(stack);
  if (!strstr(error.message, word)) fail_msg("no \"%s\" in: %s", word, error.message);
}

static void test_refused(void **state) {
  (void)state;
  double *x = images();
  lavdm_data good = {.points = x, .n = N, .p = P, .height = H, .width = W}, data = good;
  lavdm_options o = how(LAVDM_PRECISION_DOUBLE, LAVDM_REFLECTIONS_NO), other = o;
  lavdm_error error;
  data.height = H + 1, refused(&data, &o, LAVDM_ERROR_ARGUMENT, "height");
  data.height = 0, refused(&data, &o, LAVDM_ERROR_ARGUMENT, "height");
  data.width = 0, refused(&data, &o, LAVDM_ERROR_ARGUMENT, "square");
  data = good, data.n = 0, refused(&data, &o, LAVDM_ERROR_DATA, "0 objects");
  data = good, data.points = NULL, refused(&data, &o, LAVDM_ERROR_DATA, "no points");
  data.read = refuse_to_read, refused(&data, &o, LAVDM_ERROR_FILE, "read");
  other.bundle = LAVDM_BUNDLE_TANGENT, refused(&good, &other, LAVDM_ERROR_ARGUMENT, "bundle");
  other = o, other.pca = 5000, refused(&good, &other, LAVDM_ERROR_ARGUMENT, "pca");
  other = o, other.max_memory = 100000, refused(&good, &other, LAVDM_ERROR_MEMORY, "max_memory");
  other = o, other.progress = stop_at_once, refused(&good, &other, LAVDM_ERROR_INTERRUPTED, "interrupted");
  x[7 * P + 3 * W + 4] = NAN;
  refused(&good, &o, LAVDM_ERROR_DATA, "image 8, row 4, column 5");
  x[7 * P + 3 * W + 4] = 1e20;
  other = o, other.precision = LAVDM_PRECISION_SINGLE, refused(&good, &other, LAVDM_ERROR_DATA, "image 8");
  x[7 * P + 3 * W + 4] = 1;
  assert_int_equal(lavdm_stack_new(NULL, &o, NULL, &error), LAVDM_ERROR_ARGUMENT);
  lavdm_stack *stack = make(&good, &o);
  int64_t i[] = {0, N}, j[] = {0, -1}, index[2];
  double d[2];
  assert_int_equal(lavdm_stack_pairs(stack, i, i, 2, d, NULL, NULL, &error), LAVDM_ERROR_ARGUMENT);
  assert_non_null(strstr(error.message, "70"));
  assert_int_equal(lavdm_stack_pairs(stack, j, j, 2, d, NULL, NULL, NULL), LAVDM_ERROR_ARGUMENT);
  assert_int_equal(lavdm_stack_pairs(stack, NULL, j, 2, d, NULL, NULL, NULL), LAVDM_ERROR_ARGUMENT);
  assert_int_equal(lavdm_stack_pairs(stack, i, j, -1, d, NULL, NULL, NULL), LAVDM_ERROR_ARGUMENT);
  assert_int_equal(lavdm_stack_pairs(stack, NULL, NULL, 0, NULL, NULL, NULL, NULL), 0);
  assert_int_equal(lavdm_stack_neighbours(stack, i, 1, NULL, 0, 0, index, d, NULL, NULL, NULL),
                   LAVDM_ERROR_ARGUMENT);
  assert_int_equal(lavdm_stack_neighbours(stack, i, 1, j, 2, 1, index, d, NULL, NULL, NULL),
                   LAVDM_ERROR_ARGUMENT);
  assert_int_equal(lavdm_stack_neighbours(stack, i, 1, j, 0, 1, index, d, NULL, NULL, NULL), 0);
  assert_true(index[0] == -1 && isnan(d[0]));
  double angle[] = {NAN, 0}, out[2 * P];
  assert_int_equal(lavdm_stack_turn(stack, j, angle, NULL, 1, out, &error), LAVDM_ERROR_ARGUMENT);
  int64_t first[] = {0, 2, 1};
  assert_int_equal(lavdm_stack_average(stack, first, 2, j, angle, NULL, NULL, out, &error),
                   LAVDM_ERROR_ARGUMENT);
  lavdm_stack_free(stack);
  lavdm_stack_free(NULL);
  free(x);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_neighbours),
      cmocka_unit_test(test_turn_and_average),
      cmocka_unit_test(test_signals),
      cmocka_unit_test(test_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
