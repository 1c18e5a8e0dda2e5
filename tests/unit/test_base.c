/* src/base: sizes that cannot be, arrays in files, lists that are full, and numbers drawn below a bound. */
#define _GNU_SOURCE
#include "base/large.h"
#include "base/memory.h"
#include "base/options.h"
#include "base/random.h"
#include "base/run.h"
#include "file/sentence.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static void sizes_that_cannot_be(void **state) {
  (void)state;
  assert_null(mem_new(-1, 8));
  assert_null(mem_new(INT64_MAX, 8));
  assert_null(mem_new(INT64_MAX / 8 + 1, 8));
  void *block[] = {mem_new(0, 8), mem_new(3, 0), mem_resize(NULL, 0, 8)};
  for (int i = 0; i < 3; i++) {
    assert_non_null(block[i]);
    mem_free(block[i]);
  }
  double *old = NEW(double, 2);
  old[1] = 5;
  assert_null(mem_resize(old, -1, 8));
  assert_null(mem_resize(old, INT64_MAX, 8));
  assert_true(old[1] == 5);
  old = RESIZE(double, old, 300);
  assert_true(old[1] == 5);
  mem_free(old);
}

static void buffers(void **state) {
  (void)state;
  buffer_t buffer = {0};
  double *first = BUFFER(double, &buffer, 10);
  assert_non_null(first);
  assert_ptr_equal(BUFFER(double, &buffer, 4), first);
  assert_int_equal(buffer.count, 10);
  double *more = BUFFER(double, &buffer, 1000);
  for (int i = 0; i < 1000; i++) assert_true(more[i] == 0);
  assert_null(BUFFER(double, &buffer, INT64_MAX));
  assert_int_equal(buffer.count, 0);
  assert_non_null(BUFFER(double, &buffer, 0));
  mem_free(buffer.data);
}

enum { MANY = 1 << 20 }; /* doubles: 8 MiB, which go to a file */

/* With TMPDIR as it is given, or without one. */
static double *in_a_file(large_t *large, const char *folder) {
  if (folder)
    setenv("TMPDIR", folder, 1);
  else
    unsetenv("TMPDIR");
  return large_new(large, MANY, sizeof(double));
}

static void arrays_in_files(void **state) {
  (void)state;
  const char *before = getenv("TMPDIR");
  char *kept = before ? strdup(before) : NULL, longest[5000];
  large_t large;
  large_start(&large, true);
  assert_null(large_new(&large, -1, 8));
  assert_null(large_new(&large, INT64_MAX, 8));
  double *empty = large_new(&large, 7, 0), *small = large_new(&large, 2, 8);
  double *a = in_a_file(&large, NULL), *b = in_a_file(&large, "");
  assert_true(empty && small && a && b);
  assert_string_equal(large_folder(), "/tmp");
  assert_true(large_free_space() > 0);
  small[1] = 3;
  for (int i = 0; i < MANY; i += 1000) a[i] = i, b[i] = -i;
  large_trim(small), large_trim(NULL), large_trim(a);
  large_trim_all(&large);
  assert_true(small[1] == 3 && a[1001] == 0);
  for (int i = 0; i < MANY; i += 1000) assert_true(a[i] == i && b[i] == -i);
  large_free(a), large_free(NULL);
  large_end(&large); /* b is the caller's now */
  assert_ptr_equal(large.ring.next, &large.ring);
  assert_true(b[5000] == -5000);
  large_free(b), large_free(small), large_free(empty);
  memset(longest, 'x', sizeof longest - 1), longest[0] = '/', longest[sizeof longest - 1] = 0;
  assert_null(in_a_file(&large, "/nowhere/at/all"));
  assert_int_equal(large_free_space(), 0);
  assert_null(in_a_file(&large, longest));
  if (kept)
    setenv("TMPDIR", kept, 1);
  else
    unsetenv("TMPDIR");
  free(kept);
}

static void full_lists(void **state) {
  (void)state;
  run_t *run = calloc(1, sizeof *run);
  char name[40][16];
  for (int i = 0; i < 40; i++) {
    snprintf(name[i], sizeof name[i], "name%d", i);
    run_warn(run, "warning %d", i);
    run_reason(run, name[i], "reason %d", i);
    run_time(run, name[i], i);
  }
  run_reason(run, "name3", "another");
  run_time(run, "name3", 10);
  run_time(run, "name30", 10);
  assert_int_equal(run->warnings, MAX_WARNINGS);
  assert_int_equal(run->reasons, MAX_REASONS);
  assert_int_equal(run->timings, MAX_TIMINGS);
  assert_string_equal(run->warning[MAX_WARNINGS - 1], "warning 15");
  assert_string_equal(run->reason[1], "name1: reason 1"); /* which name10 begins with */
  assert_string_equal(run->reason[10], "name10: reason 10");
  assert_string_equal(run->reason[3], "name3: another");
  for (int i = 0; i < MAX_TIMINGS; i++) assert_true(run->timing[i].seconds == (i == 3 ? 13 : i));
  free(run);
}

/* What is said to whoever needs more memory depends on what could help. */
static void room(void **state) {
  (void)state;
  lavdm_error error;
  run_t *run = calloc(1, sizeof *run);
  run->error = &error;
  lavdm_options_default(&run->options);
  assert_int_equal(run_room(run, 1), LAVDM_OK);
  assert_true(run->options.max_memory > 1);
  run->options.max_memory = 1000000000;
  assert_int_equal(run_room(run, 1e9), LAVDM_OK);
  assert_int_equal(run_room(run, 2e9), LAVDM_ERROR_MEMORY);
  assert_non_null(strstr(error.message, "about 2 GB of memory are needed and 1 GB may be used"));
  assert_non_null(strstr(error.message, "use stream or single precision, or raise"));
  run->large.files = true;
  assert_int_equal(run_room(run, 2e9), LAVDM_ERROR_MEMORY);
  assert_non_null(strstr(error.message, "neighbours, or raise"));
  run->large.files = false, run->options.method = LAVDM_METHOD_DM;
  assert_int_equal(run_room(run, 2e9), LAVDM_ERROR_MEMORY);
  assert_non_null(strstr(error.message, "neighbours, or raise"));
  assert_int_equal(run_status(run), LAVDM_OK);
  atomic_store(&run->stop, true);
  assert_int_equal(run_status(run), LAVDM_ERROR_INTERRUPTED);
  assert_string_equal(error.message, "interrupted during the run");
  free(run);
}

/* Of 2^64 numbers two and two thirds times the bound: what is left over must not favour the small ones. */
static void below_a_bound(void **state) {
  (void)state;
  enum { TIMES = 40000 };
  const int64_t bound = ((int64_t)1 << 62) + ((int64_t)1 << 61);
  random_t r = random_start(3, 4);
  int low = 0;
  for (int i = 0; i < TIMES; i++) {
    int64_t x = random_below(&r, bound);
    assert_true(x >= 0 && x < bound);
    low += x < bound / 2;
  }
  assert_in_range(low, TIMES * 49 / 100, TIMES * 51 / 100);
}

static void sentences(void **state) {
  (void)state;
  lavdm_error error;
  char label[1000];
  memset(label, 'a', sizeof label - 1);
  strcpy(label + sizeof label - 6, "b.npy");
  file_fail(&error, LAVDM_ERROR_FILE, label, "is %s", "\033[2Jbad\177\n");
  assert_int_equal(strlen(error.message), 3 + FILE_LABEL + strlen(": is ?[2Jbad??"));
  assert_memory_equal(error.message, "...a", 4);
  assert_non_null(strstr(error.message, "ab.npy: is ?[2Jbad??"));
  file_memory(&error, "f", 3 << 20);
  assert_string_equal(error.message, "f: out of memory: it needs 0.00293 GiB");
  file_memory(&error, "f", 3);
  assert_string_equal(error.message, "f: out of memory");
  assert_int_equal(file_fail(NULL, LAVDM_ERROR_FILE, "f", "x"), LAVDM_ERROR_FILE);
}

/* A struct too small for its own size is left alone. */
static void smallest_struct(void **state) {
  (void)state;
  lavdm_options o, before;
  memset(&o, 0x5a, sizeof o);
  before = o;
  lavdm_options_init(&o, sizeof o.size - 1);
  assert_memory_equal(&o, &before, sizeof o);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sizes_that_cannot_be),
      cmocka_unit_test(buffers),
      cmocka_unit_test(arrays_in_files),
      cmocka_unit_test(full_lists),
      cmocka_unit_test(room),
      cmocka_unit_test(below_a_bound),
      cmocka_unit_test(sentences),
      cmocka_unit_test(smallest_struct),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
