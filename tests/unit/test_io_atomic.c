/* The child process, and files that appear whole or not at all. */
#include "io_containers.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/resource.h>

/* -------------------------------------------------------------- the child */

static int crash(sender *to, void *user, lavdm_error *error) {
  (void)to, (void)error;
  raise(*(int *)user);
  return LAVDM_OK;
}

static int break_off(sender *to, void *user, lavdm_error *error) {
  io_array array = {.name = "x", .type = IO_REAL, .rank = 1, .shape = {1000}};
  (void)user, (void)error;
  send_array(to, &array, false, true);
  send_bytes(to, real, sizeof real);
  _exit(0);
}

/* A text by columns, which there cannot be. */
static int confuse(sender *to, void *user, lavdm_error *error) {
  io_array array = {.name = "x", .type = IO_TEXT, .rank = 2, .shape = {2, 2}};
  (void)user, (void)error;
  send_array(to, &array, true, true);
  send_bytes(to, real, sizeof real);
  return LAVDM_OK;
}

static int devour(sender *to, void *user, lavdm_error *error) {
  (void)to, (void)user;
  void *space = mmap(NULL, 1 << 30, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return space == MAP_FAILED ? io_fail(error, LAVDM_ERROR_MEMORY, "child", "no space") : LAVDM_OK;
}

static void children_may_die(void **state) {
  (void)state;
  const isolate_terms terms = {
      .label = "file", .verdict = "is damaged", .status = LAVDM_ERROR_DATA, .memory = 64 << 20};
  const int deaths[] = {SIGSEGV, SIGABRT, SIGKILL, SIGXCPU};
  io_list list = {0};
  lavdm_error error;
  for (int i = 0; i < 4; i++) {
    assert_int_equal(isolate(&terms, crash, (void *)(uintptr_t)&deaths[i], &list, &error), LAVDM_ERROR_DATA);
    assert_string_equal(error.message,
                        i < 3 ? "file: is damaged" : "file: takes too long to read (damaged?)");
  }
  int stop = SIGINT;
  assert_int_equal(isolate(&terms, crash, &stop, &list, &error), LAVDM_ERROR_INTERRUPTED);
  assert_int_equal(isolate(&terms, break_off, NULL, &list, &error), LAVDM_ERROR_DATA);
  assert_int_equal(isolate(&terms, confuse, NULL, &list, &error), LAVDM_ERROR_DATA);
  assert_int_equal(isolate(&terms, devour, NULL, &list, &error), LAVDM_ERROR_MEMORY);
  assert_string_equal(error.message, "child: no space");
  assert_int_equal(list.count, 0);
  list_free(&list);
}

/* ---------------------------------------------------------- whole or not */

static const char *const every_kind[] = {"w.npy", "w.npz", "w.csv", "w.tsv", "w.mat", "w.h5"};
enum { KINDS = sizeof every_kind / sizeof *every_kind };

static void fails_to_write(const char *path, const char *words) {
  lavdm_error error = {0};
  int status = io_write(path, result, 1, &error);
  if (!strstr(error.message, words)) fail_msg("%s: '%s' does not say '%s'", path, error.message, words);
  assert_int_equal(status, IO_ERROR_WRITE);
  assert_int_equal(error.status, IO_ERROR_WRITE);
  assert_int_equal(io_write(path, result, 1, NULL), IO_ERROR_WRITE);
  assert_int_equal(count_files(".lavdm-"), 0);
}

static void a_full_disk_leaves_the_old_file(void **state) {
  (void)state;
  struct rlimit before, small;
  signal(SIGXFSZ, SIG_IGN);
  for (int i = 0; i < KINDS; i++) save(in(every_kind[i]), "old", 3);
  int files = count_files("");
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlim_t limits[] = {0, 100, 400};
  for (int k = 0; k < 3; k++) {
    small = before;
    small.rlim_cur = limits[k];
    for (int i = 0; i < KINDS; i++) {
      assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
      lavdm_error error = {0};
      int status = io_write(in(every_kind[i]), result, 1, &error);
      assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
      if (status != IO_ERROR_WRITE || !strstr(error.message, "could not be written: File too large"))
        fail_msg("%s: %d '%s'", every_kind[i], status, error.message);
      bytes_t b = load(in(every_kind[i]));
      assert_int_equal(b.size, 3);
      drop(&b);
    }
  }
  assert_int_equal(count_files(""), files);
}

static void targets_that_cannot_be(void **state) {
  (void)state;
  assert_int_equal(mkdir(in("folder.h5"), 0777), 0);
  fails_to_write(in("folder.h5"), "is a folder");
  fails_to_write("/nowhere/at/all/x.npy", "No such file or directory");
  assert_int_equal(mkfifo(in("pipe.csv"), 0666), 0);
  fails_to_write(in("pipe.csv"), "not a regular file");
  assert_int_equal(symlink("/dev/full", in("full.npz")), 0);
  fails_to_write(in("full.npz"), "not a regular file");
  assert_int_equal(symlink("loop.mat", in("loop.mat")), 0);
  fails_to_write(in("loop.mat"), "could not be written");
  save(in("fixed.npy"), "old", 3);
  assert_int_equal(chmod(in("fixed.npy"), 0444), 0);
  assert_int_equal(chmod(folder, 0555), 0);
  bool root = geteuid() == 0;
  if (root) assert_int_equal(seteuid(65534), 0);
  for (int i = 0; i < KINDS; i++) fails_to_write(in(every_kind[i]), "Permission denied");
  fails_to_write(in("new.h5"), "Permission denied");
  if (root) assert_int_equal(seteuid(0), 0);
  assert_int_equal(chmod(folder, 0777), 0);
  if (root) assert_int_equal(seteuid(65534), 0);
  fails_to_write(in("fixed.npy"), "Permission denied");
  if (root) assert_int_equal(seteuid(0), 0);
}

static void links_are_written_through(void **state) {
  (void)state;
  struct stat info;
  assert_int_equal(mkdir(in("sub"), 0777), 0);
  for (int i = 0; i < KINDS; i++) {
    char link[200], there[200], target[64];
    snprintf(target, sizeof target, "sub/%s", every_kind[i]);
    snprintf(link, sizeof link, "%s/link-%s", folder, every_kind[i]);
    snprintf(there, sizeof there, "%s/%s", folder, target);
    assert_int_equal(symlink(target, link), 0);
    for (int twice = 0; twice < 2; twice++) { /* first it leads nowhere */
      assert_int_equal(io_write(link, result, 1, NULL), LAVDM_OK);
      assert_int_equal(lstat(link, &info), 0);
      assert_true(S_ISLNK(info.st_mode));
      io_array a = take(there);
      same(&a, &result[0]);
      io_array_free(&a);
    }
    unlink(there);
  }
}

static void modes_are_kept(void **state) {
  (void)state;
  struct stat info;
  mode_t mask = umask(022);
  for (int i = 0; i < KINDS; i++) {
    unlink(in(every_kind[i]));
    assert_int_equal(io_write(in(every_kind[i]), result, 1, NULL), LAVDM_OK);
    assert_int_equal(stat(in(every_kind[i]), &info), 0);
    assert_int_equal(info.st_mode & 07777, 0644);
    assert_int_equal(chmod(in(every_kind[i]), 0600), 0);
    assert_int_equal(io_write(in(every_kind[i]), result, 1, NULL), LAVDM_OK);
    assert_int_equal(stat(in(every_kind[i]), &info), 0);
    assert_int_equal(info.st_mode & 07777, 0600);
  }
  umask(mask);
}

static void wrong_items(void **state) {
  (void)state;
  io_item twice[] = {result[0], result[0]}, nameless = result[0], odd = result[0];
  lavdm_error error;
  assert_int_equal(io_write(in("no.h5"), twice, 2, &error), LAVDM_ERROR_ARGUMENT);
  assert_non_null(strstr(error.message, "two arrays are called 'points'"));
  nameless.name = NULL;
  assert_int_equal(io_write(in("no.h5"), &nameless, 1, &error), LAVDM_ERROR_ARGUMENT);
  odd.shape[0] = -1;
  assert_int_equal(io_write(in("no.h5"), &odd, 1, &error), LAVDM_ERROR_ARGUMENT);
  assert_int_equal(io_write(in("no.h5"), result, 0, &error), LAVDM_ERROR_ARGUMENT);
  assert_int_equal(io_write(in("no.npy"), result, 2, &error), LAVDM_ERROR_ARGUMENT);
  assert_int_equal(io_write(in("no.png"), result, 1, &error), LAVDM_ERROR_ARGUMENT);
  assert_non_null(strstr(error.message, "must end in .h5, .npz or .mat, or for a single array"));
  assert_int_equal(count_files("no."), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(children_may_die),       cmocka_unit_test(a_full_disk_leaves_the_old_file),
      cmocka_unit_test(targets_that_cannot_be), cmocka_unit_test(links_are_written_through),
      cmocka_unit_test(modes_are_kept),         cmocka_unit_test(wrong_items),
  };
  return cmocka_run_group_tests(tests, fill_result, remove_folder);
}
