/*
 * Work that a damaged file may bring down, in a child process with limits on
 * memory and time. The child speaks through a pipe: records that announce an
 * array, each followed by its name and its bytes, and one record that ends.
 */
#define _GNU_SOURCE
#include "io/formats.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

struct sender {
  int pipe;
  int64_t memory;  /* address space in all, or -1 */
  int64_t seconds; /* of work, in all */
};

typedef enum { RECORD_ARRAY = 0x4c41, RECORD_END } record_kind;

typedef struct {
  int32_t kind, status; /* status: of the end */
  int32_t type, rank, columns, data;
  int64_t shape[IO_RANK];
  int64_t name; /* bytes that follow, of a name or a message */
} record;

enum { NAME_MOST = 1 << 16, SECONDS = 10, BYTES_A_SECOND = 10000000 };

/* ---------------------------------------------------------- the child */

void send_bytes(sender *to, const void *data, int64_t bytes) {
  const char *at = data;
  while (bytes > 0) {
    ssize_t done = write(to->pipe, at, bytes < 1 << 30 ? (size_t)bytes : (size_t)1 << 30);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) _exit(1);
    at += done;
    bytes -= done;
  }
}

void send_array(sender *to, const io_array *array, bool columns, bool data) {
  record r = {.kind = RECORD_ARRAY,
              .type = (int32_t)array->type,
              .rank = array->rank,
              .columns = columns,
              .data = data,
              .name = (int64_t)strlen(array->name)};
  memcpy(r.shape, array->shape, sizeof r.shape);
  send_bytes(to, &r, sizeof r);
  send_bytes(to, array->name, r.name);
}

static void set_limit(unsigned what, int64_t value) {
  struct rlimit limit;
  if (getrlimit(what, &limit)) return;
  limit.rlim_cur = (rlim_t)value < limit.rlim_max ? (rlim_t)value : limit.rlim_max;
  setrlimit(what, &limit);
}

void sender_allow(sender *to, int64_t bytes) {
  if (to->memory < 0) return;
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

/* Signals as a fresh program has them, no output, no core file. */
static void settle_child(void) {
  const int usual[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGALRM, SIGSEGV, SIGBUS, SIGFPE, SIGABRT};
  for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) signal(usual[i], SIG_DFL);
  signal(SIGXFSZ, SIG_IGN);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  prctl(PR_SET_DUMPABLE, 0);
  set_limit(RLIMIT_CORE, 0);
  int null = open("/dev/null", O_WRONLY);
  if (null >= 0) {
    dup2(null, 1);
    dup2(null, 2);
  }
}

static void child(int pipe, const isolate_terms *terms, isolated_work work, void *user) {
  sender to = {.pipe = pipe, .memory = -1, .seconds = SECONDS};
  settle_child();
  if (terms->memory >= 0) {
    to.memory = address_space();
    sender_allow(&to, terms->memory);
  }
  lavdm_error error = {0};
  record end = {.kind = RECORD_END};
  end.status = work(&to, user, &error);
  end.name = (int64_t)strlen(error.message);
  send_bytes(&to, &end, sizeof end);
  send_bytes(&to, error.message, end.name);
  _exit(0);
}

/* --------------------------------------------------------- the parent */

static bool receive(int pipe, void *data, int64_t bytes) {
  char *at = data;
  while (bytes > 0) {
    ssize_t got = read(pipe, at, bytes < 1 << 30 ? (size_t)bytes : (size_t)1 << 30);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    at += got;
    bytes -= got;
  }
  return true;
}

static bool receive_columns(int pipe, io_array *array) {
  char block[1 << 16];
  column_walk walk = column_start(array->type, array->rank, array->shape);
  for (int64_t left = io_array_count(array); left > 0;) {
    int64_t count = left < (int64_t)sizeof block / 8 ? left : (int64_t)sizeof block / 8;
    if (!receive(pipe, block, 8 * count)) return false;
    column_put(&walk, array->data, block, count);
    left -= count;
  }
  return true;
}

/* One array into the list: 1, 0 if the child broke off, < 0 without memory. */
static int receive_array(int pipe, const record *r, io_list *list) {
  io_array array = {0}, *slot;
  bool text = r->type == IO_TEXT;
  bool sane = r->rank >= 0 && r->rank <= IO_RANK && r->type >= IO_REAL && r->type <= IO_TEXT &&
              r->name >= 0 && r->name < NAME_MOST && (!text || !r->data || (r->rank == 1 && !r->columns));
  if (!sane || shape_count(r->rank, r->shape) < 0 || !list) return 0;
  char *name = calloc((size_t)r->name + 1, 1);
  if (!name) return LAVDM_ERROR_MEMORY;
  if (!receive(pipe, name, r->name)) {
    free(name);
    return 0;
  }
  bool described = array_describe(&array, name, (io_type)r->type, r->rank, r->shape);
  free(name);
  if (!described) return LAVDM_ERROR_MEMORY;
  if (r->data && !array_allocate(&array)) return LAVDM_ERROR_MEMORY;
  int64_t bytes = io_array_count(&array) * (text ? 1 : 8);
  bool whole = !r->data || (r->columns ? receive_columns(pipe, &array) : receive(pipe, array.data, bytes));
  if (whole && (slot = list_add(list))) {
    *slot = array;
    return 1;
  }
  io_array_free(&array);
  return whole ? LAVDM_ERROR_MEMORY : 0;
}

/* What came of the child: its own status, or 1 if it broke off. */
static int converse(int pipe, io_list *list, const char *label, lavdm_error *error) {
  record r;
  while (receive(pipe, &r, sizeof r)) {
    if (r.kind == RECORD_END) {
      char message[LAVDM_MESSAGE_SIZE] = "";
      if (r.status > 0 || r.name < 0 || r.name >= LAVDM_MESSAGE_SIZE || !receive(pipe, message, r.name))
        return 1;
      if (r.status < 0 && error) {
        error->status = r.status;
        memcpy(error->message, message, sizeof message);
      }
      return r.status;
    }
    int status = r.kind == RECORD_ARRAY ? receive_array(pipe, &r, list) : 0;
    if (status == 0) return 1;
    if (status < 0) return io_memory(error, label, 8 * shape_count(r.rank, r.shape));
  }
  return 1;
}

int isolate(const isolate_terms *terms, isolated_work work, void *user, io_list *list, lavdm_error *error) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC))
    return io_fail(error, LAVDM_ERROR_MEMORY, terms->label, "no pipe: %s", strerror(errno));
  pid_t pid = fork();
  if (pid == 0) {
    close(ends[0]);
    child(ends[1], terms, work, user);
  }
  int reason = errno;
  close(ends[1]);
  if (pid < 0) {
    close(ends[0]);
    return io_fail(error, LAVDM_ERROR_MEMORY, terms->label, "no helper process: %s", strerror(reason));
  }
  fcntl(ends[0], F_SETPIPE_SZ, 1 << 20);
  int status = converse(ends[0], list, terms->label, error), end = 0;
  close(ends[0]);
  if (status != 0) kill(pid, SIGKILL); /* done with it, whatever it still does */
  while (waitpid(pid, &end, 0) < 0 && errno == EINTR) continue;
  if (status != 1) return status;
  if (WIFSIGNALED(end) && (WTERMSIG(end) == SIGINT || WTERMSIG(end) == SIGTERM))
    return io_fail(error, LAVDM_ERROR_INTERRUPTED, terms->label, "interrupted");
  return io_fail(error, terms->status, terms->label, "%s", terms->verdict);
}
