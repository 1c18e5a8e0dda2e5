/* What a reader in a child process cannot do, how long it may do nothing, and what becomes of its words. */
#include "io_containers.h"
#include "picture_support.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>

static const isolate_terms plain = {.label = "file",
                                    .verdict = "is damaged",
                                    .status = LAVDM_ERROR_DATA,
                                    .memory = 64 << 20,
                                    .path = "/dev/null"};

/* ------------------------------------------------------------- the cage */

static char here[200], other[200]; /* the file to read, and one beside it */
static int inherited;

typedef long attempt(void);

static long make_socket(void) {
  return socket(AF_INET, SOCK_STREAM, 0);
}
static long make_local_socket(void) {
  return socket(AF_UNIX, SOCK_STREAM, 0);
}
static long make_file(void) {
  return open(in("new"), O_WRONLY | O_CREAT, 0600);
}
static long make_file_to_read(void) {
  return open(in("new"), O_RDONLY | O_CREAT, 0600);
}
static long write_to_file(void) {
  return open(here, O_WRONLY);
}
static long empty_file(void) {
  return truncate(here, 0);
}
static long remove_file(void) {
  return unlink(here);
}
static long rename_file(void) {
  return rename(here, in("new"));
}
static long make_a_folder(void) {
  return mkdir(in("new"), 0700);
}
static long run_program(void) {
  return execl("/bin/true", "true", (char *)NULL);
}
static long start_process(void) {
  long pid = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
  if (pid == 0) _exit(0);
  return pid;
}
static long signal_parent(void) {
  return kill(getppid(), 0);
}
static long signal_group(void) {
  return kill(0, 0);
}
static long trace_parent(void) {
  return ptrace(PTRACE_ATTACH, getppid(), NULL, NULL);
}
static long limit_parent(void) {
  struct rlimit most = {RLIM_INFINITY, RLIM_INFINITY};
  return syscall(SYS_prlimit64, getppid(), RLIMIT_CPU, NULL, &most);
}
static long map_code(void) {
  return mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) ==
                 MAP_FAILED
             ? -1
             : 0;
}
static long put_off_the_alarm(void) {
  return setitimer(ITIMER_REAL, &(struct itimerval){0}, NULL);
}
static long leave_the_filter(void) {
  return prctl(PR_SET_DUMPABLE, 1);
}

static attempt *const attempts[] = {
    make_socket,  make_local_socket, make_file,     make_file_to_read, write_to_file,     empty_file,
    remove_file,  rename_file,       make_a_folder, run_program,       start_process,     signal_parent,
    signal_group, trace_parent,      limit_parent,  map_code,          put_off_the_alarm, leave_the_filter};
enum { ATTEMPTS = sizeof attempts / sizeof *attempts };

static int try_all(sender *to, void *user, lavdm_error *error) {
  int64_t reason[ATTEMPTS];
  (void)user, (void)error;
  for (int i = 0; i < ATTEMPTS; i++) {
    errno = 0;
    reason[i] = attempts[i]() < 0 ? errno : 0;
  }
  io_array array = {.name = "x", .type = IO_INTEGER, .rank = 1, .shape = {ATTEMPTS}};
  send_array(to, &array, false, true);
  send_bytes(to, reason, sizeof reason);
  return LAVDM_OK;
}

static void nothing_but_reading(void **state) {
  (void)state;
  if (prctl(PR_GET_SECCOMP) < 0) skip(); /* a kernel without filters */
  io_list list = {0};
  lavdm_error error = {0};
  isolate_terms terms = plain;
  terms.path = here;
  if (isolate(&terms, try_all, NULL, &list, &error) < 0) fail_msg("%s", error.message);
  assert_int_equal(list.count, 1);
  for (int i = 0; i < ATTEMPTS; i++)
    if (((int64_t *)list.array[0].data)[i] != EPERM)
      fail_msg("attempt %d: %d", i, (int)((int64_t *)list.array[0].data)[i]);
  list_free(&list);
  assert_int_equal(access(here, R_OK), 0);
  assert_int_equal(count_files("new"), 0);
}

/* Whatever the kernel has: a second file cannot be opened, and what the parent has open is closed. */
static int open_files(sender *to, void *user, lavdm_error *error) {
  char byte;
  (void)to, (void)user;
  if (read(inherited, &byte, 1) >= 0 || errno != EBADF) return io_fail(error, LAVDM_ERROR_DATA, "child", "1");
  if (open(here, O_RDONLY) < 0) return io_fail(error, LAVDM_ERROR_DATA, "child", "2");
  if (open(other, O_RDONLY) >= 0 || open(here, O_RDONLY) >= 0)
    return io_fail(error, LAVDM_ERROR_DATA, "child", "3");
  return LAVDM_OK;
}

static void one_file(void **state) {
  (void)state;
  lavdm_error error = {0};
  isolate_terms terms = plain;
  terms.path = here;
  inherited = open(other, O_RDONLY);
  assert_true(inherited >= 0);
  if (isolate(&terms, open_files, NULL, NULL, &error) < 0) fail_msg("%s", error.message);
  close(inherited);
}

/* -------------------------------------------------------------- hanging */

static int hang(sender *to, void *user, lavdm_error *error) {
  (void)to, (void)user, (void)error;
  while (nanosleep(&(struct timespec){.tv_sec = 3600}, NULL) <= 0) continue;
  return LAVDM_OK;
}

/* It does nothing for less than the patience, and computes for more. */
static int dawdle(sender *to, void *user, lavdm_error *error) {
  (void)to, (void)user, (void)error;
  nanosleep(&(struct timespec){.tv_nsec = 500000000}, NULL);
  for (volatile int go = 1; go;) go = clock() < 3 * CLOCKS_PER_SEC;
  return LAVDM_OK;
}

static int loop(sender *to, void *user, lavdm_error *error) {
  (void)user, (void)error;
  sender_allow(to, -150000000); /* of its 16 seconds one is left */
  for (volatile int go = 1; go;) continue;
  return LAVDM_OK;
}

static void a_child_that_hangs_is_ended(void **state) {
  (void)state;
  isolate_terms terms = plain;
  lavdm_error error = {0};
  terms.patience = 2;
  assert_int_equal(isolate(&terms, hang, NULL, NULL, &error), LAVDM_ERROR_DATA);
  assert_non_null(strstr(error.message, "file: nothing came of it for 2 s"));
  assert_int_equal(isolate(&terms, dawdle, NULL, NULL, &error), LAVDM_OK);
  assert_int_equal(isolate(&terms, loop, NULL, NULL, &error), LAVDM_ERROR_DATA);
  assert_string_equal(error.message, "file: takes too long to read (damaged?)");
}

/* ------------------------------------------------------------ its words */

/* Half of an array, then a reason; `user` says how the reason is kept back. */
static int give_up(sender *to, void *user, lavdm_error *error) {
  io_array array = {.name = "x", .type = IO_REAL, .rank = 2, .shape = {10, 6}};
  send_array(to, &array, *(bool *)user, true);
  send_bytes(to, real, 30 * sizeof *real);
  return io_fail(error, LAVDM_ERROR_DATA, "file", "the half of it: \x1b[31m");
}

static int forget(sender *to, void *user, lavdm_error *error) {
  io_array array = {.name = "x", .type = IO_REAL, .rank = 1, .shape = {10}};
  (void)user, (void)error;
  send_array(to, &array, false, true);
  return LAVDM_OK;
}

static int send_more(sender *to, void *user, lavdm_error *error) {
  io_array array = {.name = "x", .type = IO_REAL, .rank = 1, .shape = {10}};
  (void)user, (void)error;
  send_array(to, &array, false, true);
  for (int i = 0; i < 3; i++) send_bytes(to, real, 7 * sizeof *real);
  return LAVDM_OK;
}

static void reasons_come_through(void **state) {
  (void)state;
  for (int inside = 0; inside < 2; inside++) {
    lavdm_error error = {0};
    io_list list = {0};
    isolate_inside = inside;
    for (int columns = 0; columns < 2; columns++) {
      assert_int_equal(isolate(&plain, give_up, &(bool){columns}, &list, &error), LAVDM_ERROR_DATA);
      assert_string_equal(error.message, "file: the half of it: \\x1b[31m");
    }
    assert_int_equal(isolate(&plain, forget, NULL, &list, &error), LAVDM_ERROR_DATA);
    assert_string_equal(error.message, "file: is damaged");
    list_free(&list);
    assert_int_equal(isolate(&plain, send_more, NULL, &list, &error), LAVDM_OK);
    assert_int_equal(list.count, 1);
    assert_memory_equal(list.array[0].data, real, 7 * sizeof *real);
    list_free(&list);
  }
  isolate_inside = false;
}

/* ------------------------------------------------------------ both ways */

static void the_same_with_and_without_a_child(void **state) {
  (void)state;
  const char *const names[] = {"r.npz", "r.mat", "r.h5"};
  for (int k = 0; k < 3; k++) {
    io_array *all[2];
    int count[2];
    lavdm_error error = {0};
    assert_int_equal(io_write(in(names[k]), result, RESULTS, NULL), LAVDM_OK);
    for (int inside = 0; inside < 2; inside++) {
      isolate_inside = inside;
      if (io_read_all(in(names[k]), &all[inside], &count[inside], &error) < 0) fail_msg("%s", error.message);
    }
    isolate_inside = false;
    assert_int_equal(count[0], RESULTS);
    assert_int_equal(count[1], RESULTS);
    for (int i = 0; i < RESULTS; i++) {
      const io_array *a = &all[0][i], *b = &all[1][i];
      assert_string_equal(a->name, b->name);
      assert_int_equal(a->type, b->type);
      assert_int_equal(a->rank, b->rank);
      assert_memory_equal(a->shape, b->shape, sizeof a->shape);
      assert_memory_equal(a->data, b->data, (size_t)(io_array_count(a) * (a->type == IO_TEXT ? 1 : 8)));
    }
    free_all(all[0], count[0]);
    free_all(all[1], count[1]);
  }
  const char *const pictures[] = {"p.png", "p.tif"};
  for (int k = 0; k < 2; k++) {
    picture_t p = make_picture(9, 7, 3, 16, false);
    assert_int_equal(picture_write(in(pictures[k]), &p, NULL), LAVDM_OK);
    for (int inside = 0; inside < 2; inside++) {
      isolate_inside = inside;
      picture_t got = take_picture(in(pictures[k]));
      same_picture(&got, &p);
      picture_free(&got);
    }
    isolate_inside = false;
    picture_free(&p);
  }
}

static int prepare(void **state) {
  if (fill_result(state)) return -1;
  snprintf(here, sizeof here, "%s/here", folder);
  snprintf(other, sizeof other, "%s/other", folder);
  save(here, "1", 1);
  save(other, "2", 1);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nothing_but_reading),
      cmocka_unit_test(one_file),
      cmocka_unit_test(a_child_that_hangs_is_ended),
      cmocka_unit_test(reasons_come_through),
      cmocka_unit_test(the_same_with_and_without_a_child),
  };
  return cmocka_run_group_tests(tests, prepare, remove_folder);
}
