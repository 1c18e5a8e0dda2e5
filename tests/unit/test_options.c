/*
 * The table of options: defaults, text to value and back, bounds, and text and
 * structs that are refused with a sentence that names the option.
 */
#include "base/options.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static lavdm_options defaults(void) {
  lavdm_options o;
  memset(&o, 0x5a, sizeof o);
  lavdm_options_default(&o);
  return o;
}

static void expect_text(const lavdm_options *o, const char *name, const char *expected) {
  char text[64];
  assert_int_equal(lavdm_option_text(o, name, text, sizeof text), 0);
  assert_string_equal(text, expected);
}

/* Accepted, and written back as `expected`. */
static void accept(const char *name, const char *value, const char *expected) {
  lavdm_options o = defaults();
  lavdm_error error = {0};
  assert_int_equal(lavdm_option_set(&o, name, value, &error), 0);
  expect_text(&o, name, expected);
  assert_int_equal(options_check(&o, &error), 0);
}

/* Refused with a sentence about it, and nothing changed. */
static void refuse(const char *name, const char *value) {
  lavdm_options o = defaults(), before = o;
  lavdm_error error = {0};
  assert_int_equal(lavdm_option_set(&o, name, value, &error), LAVDM_ERROR_ARGUMENT);
  assert_int_equal(error.status, LAVDM_ERROR_ARGUMENT);
  assert_non_null(strstr(error.message, name));
  assert_memory_equal(&o, &before, sizeof o);
  assert_int_equal(lavdm_option_set(&o, name, value, NULL), LAVDM_ERROR_ARGUMENT);
}

static void test_defaults(void **state) {
  (void)state;
  lavdm_options o = defaults();
  assert_int_equal(o.method, LAVDM_METHOD_LAVDM);
  assert_int_equal(o.bundle, LAVDM_BUNDLE_AUTO);
  assert_int_equal(o.dim, LAVDM_AUTO);
  assert_int_equal(o.landmarks, LAVDM_AUTO);
  assert_int_equal(o.design, LAVDM_DESIGN_KMEANS);
  assert_true(o.epsilon == LAVDM_AUTO);
  assert_true(o.alpha == LAVDM_AUTO);
  assert_true(o.beta == LAVDM_AUTO);
  assert_int_equal(o.kernel, LAVDM_KERNEL_GAUSSIAN);
  assert_true(o.cutoff == LAVDM_AUTO);
  assert_int_equal(o.pca, LAVDM_AUTO);
  assert_int_equal(o.frame_knn, LAVDM_AUTO);
  assert_int_equal(o.frames, LAVDM_FRAMES_AUTO);
  assert_int_equal(o.bandwidth, LAVDM_BANDWIDTH_AUTO);
  assert_int_equal(o.normalise, LAVDM_NORMALISE_AUTO);
  assert_int_equal(o.trust, LAVDM_TRUST_YES);
  assert_int_equal(o.edges, LAVDM_EDGES_AUTO);
  assert_int_equal(o.knn, LAVDM_AUTO);
  assert_int_equal(o.components, LAVDM_AUTO);
  assert_true(o.time == 1);
  assert_true(o.delta == 0);
  assert_true(o.tolerance == 1e-8);
  assert_int_equal(o.seed, 1);
  assert_int_equal(o.threads, LAVDM_AUTO);
  assert_int_equal(o.max_memory, LAVDM_AUTO);
  assert_int_equal(o.precision, LAVDM_PRECISION_DOUBLE);
  assert_int_equal(o.stream, LAVDM_STREAM_AUTO);
  assert_true(!o.kernel_function && !o.kernel_user && !o.progress && !o.progress_user);
  assert_int_equal(options_check(&o, NULL), 0);
}

/* Every row is complete, found by its name, and its default reads as itself. */
static void test_table(void **state) {
  (void)state;
  lavdm_options o = defaults();
  assert_int_equal(lavdm_option_count(), 33);
  for (int i = 0; i < lavdm_option_count(); i++) {
    const lavdm_option *row = lavdm_option_at(i);
    assert_ptr_equal(lavdm_option_find(row->name), row);
    assert_int_equal(row->type == LAVDM_TYPE_CHOICE, row->choices != NULL);
    assert_true(*row->help && row->more && *row->metavar);
    assert_true(row->type == LAVDM_TYPE_CHOICE || row->least < row->most);
    expect_text(&o, row->name, strcmp(row->initial, "1e-8") ? row->initial : "1e-08");
  }
  assert_null(lavdm_option_at(-1));
  assert_null(lavdm_option_at(lavdm_option_count()));
  assert_null(lavdm_option_find("no-such"));
  assert_null(lavdm_option_find(""));
  assert_null(lavdm_option_find(NULL));
}

/* Each choice sets the value of the enum that has its place. */
static void test_choices(void **state) {
  (void)state;
  const struct {
    const char *name;
    size_t offset;
    int count;
  } choices[] = {
      {"method", offsetof(lavdm_options, method), 5}, {"bundle", offsetof(lavdm_options, bundle), 7},
      {"design", offsetof(lavdm_options, design), 4}, {"kernel", offsetof(lavdm_options, kernel), 4},
      {"edges", offsetof(lavdm_options, edges), 4},   {"engine", offsetof(lavdm_options, engine), 3}};
  for (int i = 0; i < 6; i++) {
    for (int value = 0; value < choices[i].count; value++) {
      char text[32], upper[32];
      int stored;
      lavdm_options o = defaults();
      option_choice(choices[i].name, value, text, sizeof text);
      assert_true(strlen(text) > 1);
      accept(choices[i].name, text, text);
      strcpy(upper, text);
      upper[0] = (char)(upper[0] - 'a' + 'A');
      assert_int_equal(lavdm_option_set(&o, choices[i].name, upper, NULL), 0);
      memcpy(&stored, (char *)&o + choices[i].offset, sizeof stored);
      assert_int_equal(stored, value);
    }
    const char *bad[] = {"", "l", "dm|vdm", "|", "kmean", "kmeans ", " ball", "2", "none"};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) refuse(choices[i].name, bad[k]);
    const int outside[] = {-1, choices[i].count, 1000000};
    for (int k = 0; k < 3; k++) {
      lavdm_options o = defaults();
      lavdm_error error;
      memcpy((char *)&o + choices[i].offset, &outside[k], sizeof(int));
      assert_int_equal(options_check(&o, &error), LAVDM_ERROR_ARGUMENT);
      assert_non_null(strstr(error.message, choices[i].name));
    }
  }
  accept("method", "vdm", "vdm");
  accept("bundle", "given", "given");
}

static void test_integers(void **state) {
  (void)state;
  const char *bad[] = {"",
                       " ",
                       "x",
                       "1x",
                       "1 ",
                       "1.5",
                       "1e",
                       "e3",
                       "nan",
                       "inf",
                       "-inf",
                       "1e30",
                       "0x10",
                       "1e400",
                       "--1",
                       "-1e3",
                       "1,000",
                       "1e-3",
                       "99999999999999999999"};
  const char *names[] = {"dim", "landmarks", "knn", "components", "seed", "threads"};
  for (int i = 0; i < 6; i++) {
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) refuse(names[i], bad[k]);
    accept(names[i], "7", "7");
    accept(names[i], "+7", "7");
    accept(names[i], "1e3", "1000");
    accept(names[i], "2.5E2", "250");
    accept(names[i], "12.0", "12");
    refuse(names[i], "-1"); /* what AUTO is inside is not what it is called */
    if (strcmp(names[i], "seed")) refuse(names[i], "0");
  }
  accept("landmarks", "1e6", "1000000");
  accept("landmarks", "9000000000000000000", "9000000000000000000");
  accept("landmarks", "9e18", "9000000000000000000");
  refuse("landmarks", "9000000000000010000");
  accept("seed", "0", "0");
  accept("seed", "4611686018427387905", "4611686018427387905"); /* beyond the whole numbers of a double */
  refuse("seed", "auto");
  accept("dim", "auto", "auto");
  accept("dim", "AUTO", "auto");
  accept("dim", "1000000", "1000000");
  refuse("dim", "1000001");
  accept("threads", "4096", "4096");
  refuse("threads", "4097");
}

static void test_reals(void **state) {
  (void)state;
  const char *bad[] = {"", " ", "x", "0.5x", "0.5 ", "nan", "inf", "-inf", "1e400", "--1", "0,5", "-0.5"};
  const char *names[] = {"epsilon", "alpha", "beta", "cutoff", "time", "delta", "tolerance"};
  for (int i = 0; i < 7; i++) {
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) refuse(names[i], bad[k]);
    accept(names[i], "0.5", "0.5");
    accept(names[i], "5e-1", "0.5");
    accept(names[i], "0.1", "0.1");
    accept(names[i], "0.30000000000000004", "0.30000000000000004");
    refuse(names[i], "-1");
    if (strcmp(lavdm_option_find(names[i])->initial, "auto"))
      refuse(names[i], "auto");
    else
      accept(names[i], "auto", "auto");
  }
  accept("epsilon", "1e-280", "1e-280");
  refuse("epsilon", "1e-281");
  refuse("epsilon", "0");
  accept("alpha", "0", "0");
  accept("alpha", "1", "1");
  refuse("alpha", "1.0000001");
  refuse("tolerance", "0");
}

/* Any real reads back from its text to the last bit. */
static void test_round_trip(void **state) {
  (void)state;
  char text[64];
  for (int i = 0; i < 2000; i++) {
    lavdm_options o = defaults(), back = o;
    o.epsilon = ldexp(1 + sin((double)i) / 3, i % 1000 - 500);
    o.seed = (uint64_t)i * 4500000000000001u;
    assert_int_equal(lavdm_option_text(&o, "epsilon", text, sizeof text), 0);
    assert_int_equal(lavdm_option_set(&back, "epsilon", text, NULL), 0);
    assert_int_equal(lavdm_option_text(&o, "seed", text, sizeof text), 0);
    assert_int_equal(lavdm_option_set(&back, "seed", text, NULL), 0);
    assert_memory_equal(&o, &back, sizeof o);
  }
}

static void test_bytes(void **state) {
  (void)state;
  const char *names = "max_memory";
  accept(names, "1", "1");
  accept(names, "4096", "4096");
  accept(names, "4K", "4096");
  accept(names, "4k", "4096");
  accept(names, "4KB", "4096");
  accept(names, "4KiB", "4096");
  accept(names, "3M", "3145728");
  accept(names, "1.5G", "1610612736");
  accept(names, "2t", "2199023255552");
  accept(names, "1e9", "1000000000");
  accept(names, "100B", "100");
  accept(names, "auto", "auto");
  const char *bad[] = {"",   " ",   "0",   "-1",  "-4G",  "G",     "4X", "4 ",  "4 G", "4GG",  "4i",
                       "4P", "nan", "inf", "4KK", "1e30", "9e18K", "4@", "4\n", "0.5", "auto4"};
  for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) refuse(names, bad[k]);
}

static void test_unknown(void **state) {
  (void)state;
  lavdm_options o = defaults(), before = o;
  char text[8] = "";
  lavdm_error error;
  const char *unknown[] = {"", "Method", "epsilon ", "kernel_function", "progress", "max-memory"};
  for (size_t k = 0; k < sizeof unknown / sizeof *unknown; k++) {
    assert_int_equal(lavdm_option_set(&o, unknown[k], "1", &error), LAVDM_ERROR_ARGUMENT);
    assert_non_null(strstr(error.message, "no option"));
    assert_int_equal(lavdm_option_text(&o, unknown[k], text, sizeof text), LAVDM_ERROR_ARGUMENT);
  }
  assert_int_equal(lavdm_option_set(&o, NULL, "1", &error), LAVDM_ERROR_ARGUMENT);
  assert_int_equal(lavdm_option_set(&o, "time", NULL, &error), LAVDM_ERROR_ARGUMENT);
  assert_non_null(strstr(error.message, "time"));
  assert_memory_equal(&o, &before, sizeof o);
  assert_int_equal(lavdm_option_text(&o, "method", text, 3), 0); /* cut off, and still a string */
  assert_string_equal(text, "la");
}

/* What a program may have written into the struct. */
static void test_check(void **state) {
  (void)state;
  lavdm_error error;
#define BAD(field, value)                                                                                    \
  do {                                                                                                       \
    lavdm_options o = defaults();                                                                            \
    o.field = value;                                                                                         \
    assert_int_equal(options_check(&o, &error), LAVDM_ERROR_ARGUMENT);                                       \
    assert_non_null(strstr(error.message, #field));                                                          \
    assert_int_equal(options_check(&o, NULL), LAVDM_ERROR_ARGUMENT);                                         \
  } while (0)
  const double reals[] = {NAN, INFINITY, -INFINITY, -2, -1e-300, -0.999};
  for (int k = 0; k < 6; k++) {
    BAD(epsilon, reals[k]);
    BAD(alpha, reals[k]);
    BAD(beta, reals[k]);
    BAD(cutoff, reals[k]);
    BAD(time, reals[k]);
    BAD(delta, reals[k]);
    BAD(tolerance, reals[k]);
  }
  const int64_t integers[] = {0, -2, INT64_MIN};
  for (int k = 0; k < 3; k++) {
    BAD(dim, integers[k]);
    BAD(landmarks, integers[k]);
    BAD(knn, integers[k]);
    BAD(components, integers[k]);
    BAD(threads, integers[k]);
    BAD(max_memory, integers[k]);
  }
  BAD(epsilon, 0);
  BAD(time, LAVDM_AUTO);
  BAD(delta, 1.5);
  BAD(tolerance, 2);
  BAD(seed, UINT64_MAX);
  BAD(threads, 4097);
  BAD(dim, INT64_MAX);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_defaults), cmocka_unit_test(test_table),   cmocka_unit_test(test_choices),
      cmocka_unit_test(test_integers), cmocka_unit_test(test_reals),   cmocka_unit_test(test_round_trip),
      cmocka_unit_test(test_bytes),    cmocka_unit_test(test_unknown), cmocka_unit_test(test_check),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
