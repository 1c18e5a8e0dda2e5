/* .csv, .tsv and .txt: what is read, what is refused and where, what is written. */
#include "io_support.h"

#include <locale.h>
#include <math.h>

static io_array read_text(const char *text) {
  save(in("a.csv"), text, strlen(text));
  return take(in("a.csv"));
}

/* Text that must be this table of reals (NaN equals NaN). */
static void reads(const char *text, int64_t rows, int64_t columns, const double *want) {
  io_array a = read_text(text);
  assert_int_equal(a.rank, 2);
  assert_int_equal(a.shape[0], rows);
  assert_int_equal(a.shape[1], columns);
  for (int64_t i = 0; i < rows * columns; i++) {
    double got = a.type == IO_REAL ? ((double *)a.data)[i] : (double)((int64_t *)a.data)[i];
    if (!(got == want[i] || (isnan(got) && isnan(want[i]))))
      fail_msg("%s: %d is %g, not %g", text, (int)i, got, want[i]);
  }
  io_array_free(&a);
}

static void refuses(const char *text, const char *words) {
  save(in("a.csv"), text, strlen(text));
  refused(in("a.csv"), LAVDM_ERROR_DATA, words);
}

static void every_separator(void **state) {
  (void)state;
  const double want[] = {1, 2.5, -3, 4e2, 5, 6};
  const char *const text[] = {
      "1,2.5,-3\n400,5,6\n",           "1;2.5;-3\n4e2;5;6",           "1\t2.5\t-3\n4E+2\t5\t6\n",
      "1 2.5 -3\n4e2 5 6\n",           "  1   2.5\t -3  \n4e2 5 6\n", "1, 2.5, -3\n 400 ,5 , 6\n",
      "1,\t2.5,\t-3\n4e2,\t5,\t6",     "1 \t2.5 \t-3\n4e2\t 5\t 6\n", "1 2.5\t-3\n4e2 5\t6\n",
      "\"1\",\"2.5\",\"-3\"\n400,5,6", "+1,2.5,-3.\r\n4.0e2,5,6\r\n", "1,2.5,-3\r400,5,6\r",
      "\" 1 \" \"2.5\" -3\n4e2 5 06",  ".1e1,25e-1,-3\n4e02,5,6\n",
  };
  for (size_t i = 0; i < sizeof text / sizeof *text; i++) reads(text[i], 2, 3, want);
  const double one[] = {7, 8, 9};
  reads("7\n8\n9\n", 3, 1, one);
  reads("7 8 9", 1, 3, one);
  reads("7,8,9", 1, 3, one);
}

static void what_does_not_count(void **state) {
  (void)state;
  const double want[] = {1, 2, 3, 4};
  const char *const text[] = {
      "x,y\n1,2\n3,4\n",
      "\xEF\xBB\xBF\"x\",\"y\"\r\n1,2\r\n3,4",
      "\n\n# a comment\nx y\n\n1 2\n  # another\n\t\n3 4\n\n\n",
      "\xEF\xBB\xBF \"1\",2\n3,4",
      "\"height, cm\",\"weight; kg\"\n1,2\n3,4\n",
      "height cm\tweight kg\n1\t2\n3\t4\n",
      ",y\n1,2\n3,4\n",
      "#1,2\n1,2\n3,4\n",
  };
  for (size_t i = 0; i < sizeof text / sizeof *text; i++) reads(text[i], 2, 2, want);
}

/* Separators and ends of lines in quotes, and quotes in them. */
static void quotes_hide(void **state) {
  (void)state;
  const double want[] = {1, 2, 3, 4};
  const char *const text[] = {
      "\"x\nand\r\nmore\",\"y\"\"z\"\n1,2\n3,4\n",
      "\"a,b\";c\n1;2\n3;4\n",
      "\"a \"\"b, c\"\"\",d\n\"1\",2\n3,\"4\"\n",
      "a, b\tc\n1\t2\n3\t4\n",
  };
  for (size_t i = 0; i < sizeof text / sizeof *text; i++) reads(text[i], 2, 2, want);
  refuses("\"x\ny\",z\n1,2\n3,q\n", "line 4, column 2: 'q'");
  refuses("x,y\n1,2\n\"3,4\n5,6\n", "line 3");
}

static void missing_and_infinite(void **state) {
  (void)state;
  const double want[] = {1, NAN, NAN, INFINITY, -INFINITY, NAN};
  reads("1,,nan\ninf,-Infinity,\n", 2, 3, want);
  reads("1\t\tNaN\nINF\t-inf\t+nan\n", 2, 3, want);
  reads("1;\"\"; \n+inf;-inf;-NAN\n", 2, 3, want);
  reads("1 nan nan\ninf -inf nan\n", 2, 3, want);
  const double big[] = {INFINITY, 0, 5e-324, 1.7976931348623157e308};
  reads("1e999,1e-999,4.9e-324,17976931348623157e292", 1, 4, big);
}

static void whole_numbers_are_integers(void **state) {
  (void)state;
  io_array a = read_text("index\n0\n-5\n9223372036854775807\n+12\n");
  assert_int_equal(a.type, IO_INTEGER);
  assert_int_equal(a.shape[0], 4);
  const int64_t want[] = {0, -5, INT64_MAX, 12};
  assert_memory_equal(a.data, want, sizeof want);
  io_array_free(&a);
  const char *const real[] = {
      "1,2.0", "1,1e3", "1,", "1,nan", "1,9223372036854775808", "3\n2.", "9007199254740993,0.5"};
  for (int i = 0; i < 7; i++) {
    a = read_text(real[i]);
    assert_int_equal(a.type, IO_REAL);
    io_array_free(&a);
  }
  const double rounded[] = {9007199254740992, 0.5};
  reads("9007199254740993,0.5", 1, 2, rounded);
}

static void errors_say_where(void **state) {
  (void)state;
  refuses("", "holds no numbers");
  refuses("\n# only\n\n", "holds no numbers");
  refuses("x,y\n", "holds no numbers");
  refuses("x,y\n1,2\n3\n", "line 3, column 2: the row has 1 cell where the lines before it have 2");
  refuses("1,2\n\n#c\n3,4,5\n", "line 4, column 3: the row has 3 cells");
  refuses("1 2\n3 4\n5\n", "line 3, column 2");
  refuses("a b c\n1 2\n", "line 2, column 3: the row has 2 cells where the lines before it have 3");
  refuses("V1 V2\n\"1\" 0.5 0.25\n", "line 2, column 3");
  refuses("x,y\n1,abc\n", "line 2, column 2: 'abc' is not a number");
  refuses("1,2\r\n3,4x\r\n", "line 2, column 2: '4x'");
  refuses("1,two\n3,4\n", "line 1, column 2: 'two'");
  refuses("x;y\n1,5;2,5\n", "'1,5' is not a number (decimals need a point, not a comma)");
  refuses("1,0x10\n", "'0x10'");
  refuses("1,1e\n", "'1e'");
  refuses("1,1e+\n", "'1e+'");
  refuses("1,-\n", "'-'");
  refuses("1,.\n", "'.'");
  refuses("1,1.2.3\n", "'1.2.3'");
  refuses("1,--1\n", "'--1'");
  refuses("1,1 2\n", "'1 2'");
  refuses("1,nano\n", "'nano'");
  refuses("1,\"2\n", "'\"2'");
  refuses("1,\x01\x02\n", "'\\x01\\x02' is not a number");
  refuses("1,abcdefghijklmnopqrstuvwxyz0123456789\n", "'abcdefghijklmnopqrstuvwx...' is not a number");
  refuses("1,abcdefghijklmnopqrstuvw\xC3\xA9\xC3\xA9\n", "'abcdefghijklmnopqrstuvw...'");
  refuses("\xFF\xFE"
          "1\0,\0",
          "UTF-16");
  refuses("\xEF\xBB\xBF", "holds no numbers");
  save(in("zero.csv"), "1,2\n3,\0004\n", 9);
  refused(in("zero.csv"), LAVDM_ERROR_DATA, "line 2, column 2");
}

static void long_paths_leave_room_for_the_reason(void **state) {
  (void)state;
  char path[900];
  memset(path, 'a', sizeof path);
  strcpy(path + 890, ".csv");
  refused(path, LAVDM_ERROR_ARGUMENT, "aaa.csv: cannot be opened: ");
}

/* ------------------------------------------------------------- round trips */

static void doubles_come_back_to_the_bit(void **state) {
  (void)state;
  enum { COUNT = 40000 };
  double *x = malloc(COUNT * sizeof *x);
  assert_non_null(x);
  random_t r = random_start(3, 1);
  for (int i = 0; i < COUNT; i++) {
    uint64_t bits = random_bits(&r);
    if (i % 4 == 0) memcpy(&x[i], &bits, 8);
    if (i % 4 == 1) x[i] = random_normal(&r);
    if (i % 4 == 2) x[i] = (double)(random_below(&r, 200001) - 100000) / 1000;
    if (i % 4 == 3) x[i] = (double)random_below(&r, 1000000);
    if (isnan(x[i])) x[i] = 0.1;
  }
  x[0] = INFINITY, x[1] = -INFINITY, x[2] = -0.0, x[3] = 5e-324, x[4] = 0.5;
  const char *const names[] = {"r.csv", "r.tsv"};
  for (int k = 0; k < 2; k++) {
    io_item item = {.name = "x", .type = IO_REAL, .rank = 2, .shape = {COUNT / 4, 4}, .data = x};
    assert_int_equal(io_write(in(names[k]), &item, 1, NULL), LAVDM_OK);
    io_array a = take(in(names[k]));
    same(&a, &item);
    io_array_free(&a);
  }
  free(x);
}

static void the_text_is_short(void **state) {
  (void)state;
  const double x[] = {0.1, 1, -2.5, 1e100, 1.0 / 3, 123456789012, 0, 100000};
  io_item item = {.name = "x", .type = IO_REAL, .rank = 2, .shape = {2, 4}, .data = x};
  assert_int_equal(io_write(in("s.csv"), &item, 1, NULL), LAVDM_OK);
  bytes_t b = load(in("s.csv"));
  add(&b, "", 1);
  assert_string_equal((char *)b.data, "0.1,1,-2.5,1e+100\n0.3333333333333333,123456789012,0,100000\n");
  drop(&b);
}

static void shapes_and_refusals(void **state) {
  (void)state;
  const int64_t integer[] = {1, -2, INT64_MIN + 1, 4, 5, 6};
  io_item item = {.name = "x", .type = IO_INTEGER, .rank = 1, .shape = {6}, .data = integer}, two[2];
  assert_int_equal(io_write(in("i.tsv"), &item, 1, NULL), LAVDM_OK);
  io_array a = take(in("i.tsv"));
  assert_int_equal(a.type, IO_INTEGER);
  assert_int_equal(a.shape[0], 6);
  assert_int_equal(a.shape[1], 1);
  assert_memory_equal(a.data, integer, sizeof integer);
  io_array_free(&a);
  item.rank = 0;
  assert_int_equal(io_write(in("i.tsv"), &item, 1, NULL), LAVDM_OK);
  a = take(in("i.tsv"));
  assert_int_equal(io_array_count(&a), 1);
  io_array_free(&a);
  item.rank = 3;
  item.shape[1] = item.shape[2] = 1;
  lavdm_error error;
  assert_int_equal(io_write(in("no.csv"), &item, 1, &error), LAVDM_ERROR_ARGUMENT);
  assert_non_null(strstr(error.message, "3 dimensions"));
  two[0] = two[1] = item;
  assert_int_equal(io_write(in("no.csv"), two, 2, &error), LAVDM_ERROR_ARGUMENT);
  item.type = IO_TEXT;
  item.data = "text";
  assert_int_equal(io_write(in("no.csv"), &item, 1, &error), LAVDM_ERROR_ARGUMENT);
  assert_int_equal(io_write(in("no.npy"), &item, 1, &error), LAVDM_ERROR_ARGUMENT);
  assert_int_equal(io_write(in("no.txt"), &item, 1, &error), LAVDM_ERROR_ARGUMENT);
  assert_int_equal(count_files("no."), 0);
  assert_true(io_can_write("x.csv", false, NULL));
  assert_false(io_can_write("x.csv", true, &error));
  assert_non_null(strstr(error.message, ".h5, .npz or .mat"));
}

static void locales_do_not_matter(void **state) {
  (void)state;
  const char *const comma[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE.utf8", "nl_NL.UTF-8"};
  bool found = false;
  for (int i = 0; i < 4 && !found; i++) found = setlocale(LC_ALL, comma[i]) != NULL;
  const double want[] = {1.5, 0.12345678901234567, 1e30};
  reads("1.5,0.12345678901234567,1e30", 1, 3, want);
  io_item item = {.name = "x", .type = IO_REAL, .rank = 1, .shape = {3}, .data = want};
  assert_int_equal(io_write(in("l.csv"), &item, 1, NULL), LAVDM_OK);
  io_array a = take(in("l.csv"));
  assert_memory_equal(a.data, want, sizeof want);
  io_array_free(&a);
  setlocale(LC_ALL, "C");
}

static void decimals_are_rounded_as_strtod_does(void **state) {
  (void)state;
  enum { COUNT = 20000 };
  random_t r = random_start(11, 2);
  bytes_t b = {0};
  double *want = malloc(COUNT * sizeof *want);
  assert_non_null(want);
  for (int i = 0; i < COUNT; i++) {
    char text[64], digits[32];
    snprintf(digits, sizeof digits, "%020llu", (unsigned long long)random_bits(&r));
    int point = (int)random_below(&r, 20), first = (int)random_below(&r, point + 1);
    snprintf(text, sizeof text, "%.*s.%s", point - first, digits + first, digits + point);
    if (i % 3 == 0) snprintf(text, sizeof text, "%.15se%d", digits, (int)random_below(&r, 80) - 40);
    want[i] = strtod(text, NULL);
    add(&b, text, strlen(text));
    add(&b, "\n", 1);
  }
  save(in("d.csv"), b.data, b.size);
  io_array a = take(in("d.csv"));
  assert_int_equal(a.shape[0], COUNT);
  assert_memory_equal(a.data, want, COUNT * sizeof *want);
  io_array_free(&a);
  drop(&b);
  free(want);
}

static void damage_at_random(void **state) {
  (void)state;
  const char text[] = "# made up\nx,y,z\n1,2.5,-3e4\n\"4\",5,6\n7,,9\nnan,inf,0.12345678901234567\n";
  save(in("v.csv"), text, strlen(text));
  mutate(in("v.csv"), NULL, 4000);
  save(in("v.txt"), text + 10, strlen(text) - 10);
  mutate(in("v.txt"), NULL, 1000);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_separator),
      cmocka_unit_test(what_does_not_count),
      cmocka_unit_test(quotes_hide),
      cmocka_unit_test(missing_and_infinite),
      cmocka_unit_test(whole_numbers_are_integers),
      cmocka_unit_test(errors_say_where),
      cmocka_unit_test(long_paths_leave_room_for_the_reason),
      cmocka_unit_test(doubles_come_back_to_the_bit),
      cmocka_unit_test(the_text_is_short),
      cmocka_unit_test(shapes_and_refusals),
      cmocka_unit_test(locales_do_not_matter),
      cmocka_unit_test(decimals_are_rounded_as_strtod_does),
      cmocka_unit_test(damage_at_random),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
