/* What limits leave: threads, address space, and the memory of a control group (as files that stand for it).
 */
#include "base/address.h"
#include "base/cgroup.h"
#include "base/memory.h"
#include "base/threads.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cblas.h>
#include <cmocka.h>

/* The sanitizers' own memory is beyond any limit. */
#if defined __SANITIZE_ADDRESS__
enum { SANITIZED = 1 };
#elif defined __has_feature
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
enum { SANITIZED = 1 };
#else
enum { SANITIZED = 0 };
#endif
#else
enum { SANITIZED = 0 };
#endif

static char root[64];

static void put(const char *name, const char *text) {
  char path[256];
  snprintf(path, sizeof path, "%s/%s", root, name);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs(text, file);
  assert_int_equal(fclose(file), 0);
}

static void folder(const char *name) {
  char path[256];
  snprintf(path, sizeof path, "%s/%s", root, name);
  assert_int_equal(mkdir(path, 0700), 0);
}

static int64_t left(void) {
  char list[256];
  snprintf(list, sizeof list, "%s/list", root);
  return cgroup_free(list, root);
}

/* The group and those above it; the least counts, and files that are not in use are free. */
static void test_group_of_today(void **state) {
  (void)state;
  put("list", "0::/user/job\n");
  assert_true(left() == INT64_MAX);
  folder("user");
  folder("user/job");
  put("user/job/memory.max", "max\n");
  put("user/job/memory.current", "1000\n");
  assert_true(left() == INT64_MAX);
  put("user/job/memory.max", "5000\n");
  assert_int_equal(left(), 4000);
  put("user/job/memory.stat", "anon 200\nfile 800\ninactive_file 700\n");
  assert_int_equal(left(), 4700);
  put("user/memory.max", "2500\n");
  put("user/memory.current", "2000\n");
  assert_int_equal(left(), 500);
  put("user/memory.current", "3000\n");
  assert_int_equal(left(), 0);
}

static void test_group_of_old(void **state) {
  (void)state;
  put("list", "5:cpu,cpuacct:/job\n4:memory:/job\n0::/\n");
  folder("memory");
  folder("memory/job");
  put("memory/job/memory.limit_in_bytes", "9000\n");
  put("memory/job/memory.usage_in_bytes", "4000\n");
  put("memory/job/memory.stat", "inactive_file 1\ntotal_inactive_file 500\n");
  assert_int_equal(left(), 5500);
}

static void test_no_group(void **state) {
  (void)state;
  assert_true(cgroup_free("/nonexistent/list", root) == INT64_MAX);
  put("list", "nothing of the kind\n");
  assert_true(left() == INT64_MAX);
}

/* Exit code of a child with this limit of address space: what `look` says of it. */
static int child(double bytes, int (*look)(void)) {
  pid_t pid = fork();
  if (!pid) {
    struct rlimit limit = {(rlim_t)bytes, (rlim_t)bytes};
    _exit(setrlimit(RLIMIT_AS, &limit) ? 99 : look());
  }
  int end = 0;
  assert_true(pid > 0 && waitpid(pid, &end, 0) == pid && WIFEXITED(end));
  return WEXITSTATUS(end);
}

static int look_at_space(void) {
  double some = address_left();
  if (!address_limited()) return 1;
  if (!address_free(0.9 * some, false) || !address_free(0.9 * some, true)) return 2;
  if (address_free(1.1 * some + 1e6, false) || address_free(1.1 * some + 1e6, true)) return 3;
  return (double)mem_available() <= 1.01 * some + 1e6 ? 0 : 4;
}

static void test_address_space(void **state) {
  (void)state;
  if (SANITIZED) skip();
  assert_true(address_free(1e6, false) && !address_free(1e18, false) && !address_free(NAN, false));
  assert_int_equal(child(1e9, look_at_space), 0);
  assert_int_equal(child(20e9, look_at_space), 0);
}

/* C = A A of 300 rows: large enough for the buffers and the threads of BLAS. */
static void multiply(void) {
  enum { N = 300 };
  double *a = NEW(double, 2 * N * N);
  if (!a) _exit(60);
  for (int i = 0; i < N * N; i++) a[i] = i % 7;
  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, N, N, N, 1, a, N, a, N, 0, a + N * N, N);
  mem_free(a);
}

/* As many as are given, and BLAS works with them: in a loop of ours, and by itself. */
static int look_at_threads(void) {
  lavdm_error error;
  alarm(300);
  int first = lavdm_threads(8, &error), second = lavdm_threads(8, &error), one = lavdm_threads(1, &error);
  blas_threads(1);
#pragma omp parallel for num_threads(first > 0 ? first : 1) schedule(static)
  for (int i = 0; i < 64; i++) multiply();
  blas_threads(first);
  multiply();
  return first >= 1 && first <= 8 && second == first && one == 1 ? first : 50;
}

static int look_at_refusal(void) {
  lavdm_error error;
  return lavdm_threads(2, &error) == LAVDM_ERROR_MEMORY && strstr(error.message, "address space") ? 0 : 1;
}

static void test_threads(void **state) {
  (void)state;
  if (SANITIZED) skip();
  int tight = child(1e9, look_at_threads), wide = child(60e9, look_at_threads);
  assert_true(tight >= 1 && tight < 8);
  assert_int_equal(wide, 8);
  assert_int_equal(child(120e6, look_at_refusal), 0);
  assert_int_equal(lavdm_threads(3, NULL), 3);
  assert_int_equal(threads_startable(2), 2);
}

static int start(void **state) {
  (void)state;
  strcpy(root, "/tmp/lavdm-limits-XXXXXX");
  return mkdtemp(root) ? 0 : -1;
}

static int end(void **state) {
  char command[128];
  (void)state;
  snprintf(command, sizeof command, "rm -rf '%s'", root);
  return system(command);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_group_of_today, start, end),
      cmocka_unit_test_setup_teardown(test_group_of_old, start, end),
      cmocka_unit_test_setup_teardown(test_no_group, start, end),
      cmocka_unit_test(test_address_space),
      cmocka_unit_test(test_threads),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
