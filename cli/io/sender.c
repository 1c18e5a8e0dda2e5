/* The half of a reader's conversation that runs in the child (isolate.h); or, without one, in this process.
 */
#define _GNU_SOURCE
#include "io/isolate.h"
#include "io/room.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/uio.h>
#include <unistd.h>

/* Of work, and what is allowed beside it for each array; the clock on the wall may run so much longer. */
enum { SECONDS = 10, BYTES_A_SECOND = 10000000, WALL_SECONDS = 60, WALL_FACTOR = 10 };

/* -------------------------------------------------------------- sending */

static void put(sender *to, const void *data, int64_t bytes) {
  const char *at = data;
  while (bytes > 0) {
    ssize_t done = write(to->pipe, at, bytes < 1 << 30 ? (size_t)bytes : (size_t)1 << 30);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) _exit(1);
    at += done;
    bytes -= done;
  }
}

/* A length and so many bytes. */
static void put_part(sender *to, const void *data, int64_t bytes) {
  struct iovec part[] = {{&bytes, sizeof bytes}, {(void *)(uintptr_t)data, (size_t)bytes}};
  ssize_t done = writev(to->pipe, part, 2);
  if (done < (ssize_t)sizeof bytes) { /* broken off before the first byte, if anywhere */
    if (done > 0 || (done < 0 && errno != EINTR)) _exit(1);
    put(to, &bytes, sizeof bytes);
    done = sizeof bytes;
  }
  done -= (ssize_t)sizeof bytes;
  put(to, (const char *)data + done, bytes - done);
}

/* The same in this process: an array of the list, and bytes into it. */
static void keep_array(sender *to, const io_array *array, bool columns, bool data) {
  if (to->failed < 0) return;
  if (io_array_count(array) < 0) {
    to->failed = io_fail(to->error, LAVDM_ERROR_DATA, to->label, "has an impossible shape (damaged?)");
    return;
  }
  io_array *slot = list_add(to->list);
  if (!slot || !array_describe(slot, array->name, array->type, array->rank, array->shape)) {
    to->failed = io_memory(to->error, to->label, 0);
    return;
  }
  to->columns = columns;
  to->walk = column_start(array->type, array->rank, array->shape);
  if (data) to->failed = array_allocate(slot, to->label, 0, to->error);
}

static void keep_bytes(sender *to, const void *data, int64_t bytes) {
  if (to->failed < 0) return;
  io_array *array = &to->list->array[to->list->count - 1];
  int64_t size = type_size(array->type), whole = io_array_count(array) * size;
  if (to->columns)
    column_put(&to->walk, array->data, data, bytes / size);
  else if (bytes > 0)
    memcpy((char *)array->data + (whole - to->owed), data, (size_t)bytes);
}

void send_array(sender *to, const io_array *array, bool columns, bool data) {
  record r = {.kind = RECORD_ARRAY,
              .type = (int32_t)array->type,
              .rank = array->rank,
              .columns = columns,
              .data = data,
              .name = (int64_t)strlen(array->name)};
  memcpy(r.shape, array->shape, sizeof r.shape);
  to->owed = data ? io_array_count(array) * type_size(array->type) : 0;
  if (to->pipe < 0) return keep_array(to, array, columns, data);
  put(to, &r, sizeof r);
  put(to, array->name, r.name);
}

void send_bytes(sender *to, const void *data, int64_t bytes) {
  if (bytes > to->owed) bytes = to->owed;
  if (bytes <= 0) return;
  if (to->pipe < 0)
    keep_bytes(to, data, bytes);
  else
    put_part(to, data, bytes);
  to->owed -= bytes;
}

/* ------------------------------------------------------------ the child */

static void set_limit(unsigned what, int64_t value) {
  struct rlimit limit;
  if (getrlimit(what, &limit)) return;
  limit.rlim_cur = (rlim_t)value < limit.rlim_max ? (rlim_t)value : limit.rlim_max;
  setrlimit(what, &limit);
}

void sender_allow(sender *to, int64_t bytes) {
  if (to->pipe < 0 || to->memory < 0) return;
  to->memory += bytes;
  to->seconds += bytes / BYTES_A_SECOND;
  set_limit(RLIMIT_AS, to->memory);
  set_limit(RLIMIT_CPU, to->seconds);
}

static int64_t address_space(void) {
  long long pages = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (file) {
    if (fscanf(file, "%lld", &pages) != 1) pages = 0;
    fclose(file);
  }
  return (int64_t)pages * (int64_t)sysconf(_SC_PAGESIZE);
}

/* The hard limits: what sender_allow may come to for arrays that there is room
 * for, of which a child holds three at most. */
static void set_ends(const sender *to, int64_t memory) {
  struct rlimit limit;
  int64_t room = room_most();
  int64_t more = memory + 3 * room, seconds = to->seconds + more / BYTES_A_SECOND + 5;
  const struct {
    unsigned what;
    int64_t most;
  } ends[] = {{RLIMIT_AS, to->memory + more}, {RLIMIT_CPU, seconds}};
  for (int i = 0; i < 2; i++)
    if (!getrlimit(ends[i].what, &limit) && (rlim_t)ends[i].most < limit.rlim_max) {
      limit.rlim_max = (rlim_t)ends[i].most;
      if (limit.rlim_cur > limit.rlim_max) limit.rlim_cur = limit.rlim_max;
      setrlimit(ends[i].what, &limit);
    }
  int64_t wall = WALL_SECONDS + WALL_FACTOR * seconds;
  alarm(wall < 1 << 30 ? (unsigned)wall : 1u << 30);
}

/* Signals as a fresh program has them, no input or output, no core file. */
static void settle(void) {
  const int usual[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGALRM, SIGSEGV, SIGBUS, SIGFPE, SIGABRT};
  for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) signal(usual[i], SIG_DFL);
  signal(SIGXFSZ, SIG_IGN);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  prctl(PR_SET_DUMPABLE, 0);
  set_limit(RLIMIT_CORE, 0);
  int null = open("/dev/null", O_RDWR);
  for (int fd = 0; fd < 3 && null >= 0; fd++) dup2(null, fd);
  if (null > 2) close(null);
}

void isolated_child(int pipe, const isolate_terms *terms, isolated_work work, void *user) {
  sender to = {.pipe = fcntl(pipe, F_DUPFD_CLOEXEC, 3), .memory = -1, .seconds = SECONDS};
  close(pipe);
  if (to.pipe < 0) _exit(1);
  settle();
  if (terms->memory >= 0) {
    to.memory = address_space();
    set_ends(&to, terms->memory);
    room_leave_to_parent();
    sandbox_enter(terms->path, to.pipe);
    sender_allow(&to, terms->memory);
  }
  lavdm_error error = {0};
  record end = {.kind = RECORD_END};
  end.status = work(&to, user, &error);
  if (to.owed && end.status >= 0) _exit(1);
  int64_t broken = BROKEN_OFF;
  if (to.owed) put(&to, &broken, sizeof broken);
  end.name = (int64_t)strlen(error.message);
  put(&to, &end, sizeof end);
  put(&to, error.message, end.name);
  _exit(0);
}
