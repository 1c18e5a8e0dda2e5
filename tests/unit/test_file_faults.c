/*
 * Every system call by which a file is written fails in turn: the call says so and why, the old file stays,
 * and nothing is left beside it. A write that is interrupted or comes short is taken up again.
 */
#include "file/store.h"

#include "io_support.h"

#include <errno.h>

enum call { OPEN, WRITE, CLOSE, FSYNC, FCHMOD, RENAME, LSEEK, CALLS };
static const char *const call_name[CALLS] = {"open", "write", "close", "fsync", "fchmod", "rename", "lseek"};

/* The `left`-th call of this kind from now fails with `reason`; 0: it writes nothing, or only half. */
static enum call weak = CALLS;
static int left = -1, reason;

static bool fails(enum call call) {
  return call == weak && left >= 0 && left-- == 0;
}

#define FAILING(call)                                                                                        \
  if (fails(call)) {                                                                                         \
    errno = reason;                                                                                          \
    return -1;                                                                                               \
  }

int __real_open(const char *path, int flags, ...);
ssize_t __real_write(int fd, const void *data, size_t bytes);
int __real_close(int fd);
int __real_fsync(int fd);
int __real_fchmod(int fd, mode_t mode);
int __real_rename(const char *from, const char *to);
off_t __real_lseek(int fd, off_t offset, int whence);
int __wrap_open(const char *path, int flags, ...);
ssize_t __wrap_write(int fd, const void *data, size_t bytes);
int __wrap_close(int fd);
int __wrap_fsync(int fd);
int __wrap_fchmod(int fd, mode_t mode);
int __wrap_rename(const char *from, const char *to);
off_t __wrap_lseek(int fd, off_t offset, int whence);

int __wrap_open(const char *path, int flags, ...) {
  FAILING(OPEN)
  va_list list;
  va_start(list, flags);
  mode_t mode = flags & O_CREAT ? va_arg(list, mode_t) : 0;
  va_end(list);
  return __real_open(path, flags, mode);
}

ssize_t __wrap_write(int fd, const void *data, size_t bytes) {
  if (fails(WRITE)) {
    if (reason == EAGAIN) return __real_write(fd, data, bytes / 2); /* short, and no failure */
    errno = reason;
    return reason ? -1 : 0;
  }
  return __real_write(fd, data, bytes);
}

int __wrap_close(int fd) {
  if (fails(CLOSE)) { /* the descriptor is gone all the same */
    __real_close(fd);
    errno = reason;
    return -1;
  }
  return __real_close(fd);
}

int __wrap_fsync(int fd) {
  FAILING(FSYNC)
  return __real_fsync(fd);
}

int __wrap_fchmod(int fd, mode_t mode) {
  FAILING(FCHMOD)
  return __real_fchmod(fd, mode);
}

int __wrap_rename(const char *from, const char *to) {
  FAILING(RENAME)
  return __real_rename(from, to);
}

off_t __wrap_lseek(int fd, off_t offset, int whence) {
  FAILING(LSEEK)
  return __real_lseek(fd, offset, whence);
}

/* -------------------------------------------------------------------- jobs */

enum { MANY = 300000 };
static double numbers_of[MANY];

/* Bytes of any kind, some of them more than a buffer holds. */
static int bytes_file(const char *path, lavdm_error *error) {
  lavdm_file *file;
  int status = lavdm_file_open(path, &file, error);
  if (status < 0) return status;
  status = lavdm_file_write(file, "head", 4);
  if (status >= 0) status = lavdm_file_write(file, numbers_of, sizeof numbers_of);
  return lavdm_file_close(file, status);
}

static int arrays_file(const char *path, lavdm_error *error) {
  const lavdm_item items[] = {{"x", LAVDM_ITEM_REAL, 1, {MANY}, numbers_of},
                              {"words", LAVDM_ITEM_TEXT, 1, {4}, "some"}};
  return lavdm_write(path, items, 2, NULL, NULL, error);
}

typedef int (*job_t)(const char *path, lavdm_error *error);

/* The job with its k-th call of the kind failing; false if it made no more than that many. */
static bool run_short(job_t job, const bytes_t *whole, enum call call, int k, int why) {
  const char *path = in("file.h5");
  save(path, "old", 3);
  lavdm_error error = {0};
  weak = call, left = k, reason = why;
  int status = job(path, &error);
  bool fell = left < 0;
  left = -1;
  bytes_t now = load(path);
  bool new = now.size == whole->size && !memcmp(now.data, whole->data, now.size);
  bool old = now.size == 3 && !memcmp(now.data, "old", 3);
  if (!fell || why == EINTR || why == EAGAIN) {
    if (status < 0 || !new) fail_msg("%s %d: %d %s", call_name[call], k, status, error.message);
  } else if (status >= 0) { /* the folder could not be synced: some file systems cannot */
    assert_true(new && (call == FSYNC || call == OPEN || call == CLOSE));
  } else {
    assert_int_equal(status, LAVDM_ERROR_FILE);
    assert_true(old);
    if (!strstr(error.message, strerror(why ? why : EIO)))
      fail_msg("%s %d: '%s' does not say why", call_name[call], k, error.message);
  }
  assert_int_equal(count_files(".lavdm-"), 0);
  drop(&now);
  return fell;
}

static void in_turn(job_t job, unsigned expected) {
  bytes_t whole;
  assert_int_equal(job(in("file.h5"), NULL), LAVDM_OK);
  whole = load(in("file.h5"));
  for (int call = 0; call < CALLS; call++) {
    int made = 0;
    while (run_short(job, &whole, (enum call)call, made, ENOSPC)) made++;
    if ((made > 0) != (expected >> call & 1)) fail_msg("%s: %d calls", call_name[call], made);
  }
  const int odd[] = {0, EINTR, EAGAIN, EIO};
  for (int i = 0; i < 4; i++)
    for (int k = 0; run_short(job, &whole, WRITE, k, odd[i]); k++) continue;
  drop(&whole);
}

static void files_of_bytes(void **state) {
  (void)state;
  in_turn(bytes_file, (1u << CALLS) - 1 - (1u << LSEEK));
}

static void files_of_arrays(void **state) {
  (void)state;
  in_turn(arrays_file, (1u << CALLS) - 1);
}

static void without_memory(void **state) {
  (void)state;
  lavdm_error error;
  save(in("file.h5"), "old", 3);
  weak = OPEN, left = 0, reason = ENOMEM;
  assert_int_equal(bytes_file(in("file.h5"), &error), LAVDM_ERROR_MEMORY);
  assert_non_null(strstr(error.message, "file.h5: out of memory"));
  left = -1;
}

/* What bears the name of a dead process's file, and is none. */
static void names_that_are_like(void **state) {
  (void)state;
  const char *const tails[] = {"", "x-1-1.tmp", "0-1-1.tmp", "99999999999-1-1.tmp", "7-1-1.tmpx", "7-1"};
  lavdm_file *file;
  char kept[6][300], prefix[200];
  assert_int_equal(lavdm_file_open(in("like.bin"), &file, NULL), LAVDM_OK);
  const char *name = lavdm_file_name(file);
  char *end = strchr(strrchr(name, '/') + 8, '-'); /* after ".lavdm-WHOSE" */
  assert_non_null(end);
  snprintf(prefix, sizeof prefix, "%.*s", (int)(end + 1 - name), name);
  assert_int_equal(lavdm_file_close(file, LAVDM_OK), LAVDM_OK);
  for (int i = 0; i < 6; i++) {
    snprintf(kept[i], sizeof kept[i], "%s%s", prefix, tails[i]);
    save(kept[i], "x", 1);
  }
  assert_int_equal(lavdm_file_open(in("like.bin"), &file, NULL), LAVDM_OK);
  assert_int_equal(lavdm_file_close(file, LAVDM_OK), LAVDM_OK);
  for (int i = 0; i < 6; i++)
    if (unlink(kept[i])) fail_msg("%s is gone", tails[i]);
}

static void nothing_given(void **state) {
  (void)state;
  lavdm_file *file;
  lavdm_error error;
  const lavdm_item item = {"x", LAVDM_ITEM_REAL, 1, {1}, numbers_of};
  assert_int_equal(lavdm_file_open("x", NULL, &error), LAVDM_ERROR_ARGUMENT);
  assert_non_null(strstr(error.message, "no place"));
  assert_int_equal(lavdm_file_open(NULL, &file, &error), LAVDM_ERROR_ARGUMENT);
  assert_non_null(strstr(error.message, "name of the file"));
  assert_int_equal(lavdm_file_close(NULL, LAVDM_ERROR_DATA), LAVDM_ERROR_DATA);
  assert_int_equal(lavdm_write(NULL, &item, 1, NULL, NULL, &error), LAVDM_ERROR_ARGUMENT);
  assert_int_equal(lavdm_write(in("x.h5"), NULL, 1, NULL, NULL, &error), LAVDM_ERROR_ARGUMENT);
  assert_int_equal(lavdm_write(in("x.h5"), &item, 0, NULL, NULL, &error), LAVDM_ERROR_ARGUMENT);
  assert_int_equal(lavdm_write(in("x.h5"), &item, 1 << 20, NULL, NULL, &error), LAVDM_ERROR_ARGUMENT);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(files_of_bytes), cmocka_unit_test(files_of_arrays),
      cmocka_unit_test(without_memory), cmocka_unit_test(names_that_are_like),
      cmocka_unit_test(nothing_given),
  };
  for (int i = 0; i < MANY; i++) numbers_of[i] = i;
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
