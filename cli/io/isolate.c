/* The parent of a reader (isolate.h): starts the child, takes what it sends, waits no longer than it must. */
#define _GNU_SOURCE
#include "io/isolate.h"
#include "io/room.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { NAME_MOST = 1 << 16, PATIENCE = 60 }; /* bytes; seconds in which nothing happens */

/* What comes from a child. */
typedef struct {
  int pipe;
  int patience;    /* seconds, or 0: without end */
  clockid_t clock; /* of the processor's time that the child has taken */
  double spent;
  bool late;     /* nothing came, and nothing was done */
  int64_t part;  /* bytes to come before the next length */
  bool gave_up;  /* it said that there will be no more of the array */
  io_list *list; /* or NULL */
  const char *label;
  lavdm_error *error;
} channel;

/* -------------------------------------------------------------- receiving */

/* Whether the child has worked since it was last looked at. */
static bool has_worked(channel *c) {
  struct timespec now;
  if (clock_gettime(c->clock, &now)) return false;
  double spent = (double)now.tv_sec + 1e-9 * (double)now.tv_nsec, before = c->spent;
  c->spent = spent;
  return spent - before > 1e-3;
}

/* Waits for bytes. A second counts only if it went by here: when both processes
 * were stopped, it did not. */
static bool wait_for(channel *c) {
  struct pollfd in = {.fd = c->pipe, .events = POLLIN};
  for (int idle = 0; !c->patience || idle < c->patience; idle++) {
    int ready = poll(&in, 1, 1000);
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return false;
    if (ready < 0)
      idle--;
    else if (has_worked(c))
      idle = -1;
  }
  c->late = true;
  return false;
}

static bool receive(channel *c, void *data, int64_t bytes) {
  char *at = data;
  while (bytes > 0) {
    ssize_t got = read(c->pipe, at, bytes < 1 << 30 ? (size_t)bytes : (size_t)1 << 30);
    if (got < 0 && (errno == EINTR || (errno == EAGAIN && wait_for(c)))) continue;
    if (got <= 0) return false;
    at += got;
    bytes -= got;
  }
  return true;
}

/* Elements of an array, in as many parts as the child likes. */
static bool receive_parts(channel *c, void *data, int64_t bytes) {
  char *at = data;
  while (bytes > 0) {
    if (c->part == 0) {
      if (!receive(c, &c->part, sizeof c->part)) return false;
      c->gave_up = c->part == BROKEN_OFF;
      if (c->part <= 0) return false;
    }
    int64_t here = bytes < c->part ? bytes : c->part;
    if (!receive(c, at, here)) return false;
    at += here;
    bytes -= here;
    c->part -= here;
  }
  return true;
}

static bool receive_columns(channel *c, io_array *array) {
  char block[1 << 15];
  column_walk walk = column_start(array->type, array->rank, array->shape);
  for (int64_t left = io_array_count(array); left > 0;) {
    int64_t count = left < (int64_t)sizeof block / 8 ? left : (int64_t)sizeof block / 8;
    if (!receive_parts(c, block, 8 * count)) return false;
    column_put(&walk, array->data, block, count);
    left -= count;
  }
  return true;
}

/* -------------------------------------------------------------- records */

static bool sane(const record *r) {
  bool text = r->type == IO_TEXT;
  return r->rank >= 0 && r->rank <= IO_RANK && r->type >= IO_REAL && r->type <= IO_TEXT && r->name >= 0 &&
         r->name < NAME_MOST && (!text || !r->data || (r->rank == 1 && !r->columns)) &&
         shape_count(r->rank, r->shape) >= 0;
}

/* The elements that were announced: 1, 0 if the child broke off, < 0 without memory. */
static int receive_data(channel *c, const record *r, io_array *array) {
  char label[IO_LABEL];
  file_label(label, c->label, array->name);
  int64_t bytes = io_array_count(array) * type_size(array->type);
  int status = array_allocate(array, array->name[0] ? label : c->label, c->list->held, c->error);
  if (status < 0) return status;
  c->list->held += bytes;
  c->part = 0;
  bool whole = r->columns ? receive_columns(c, array) : receive_parts(c, array->data, bytes);
  return whole && c->part == 0;
}

/* One array into the list, likewise. */
static int receive_array(channel *c, const record *r) {
  io_array array = {0}, *slot;
  if (!sane(r) || !c->list) return 0;
  char *name = calloc((size_t)r->name + 1, 1);
  if (!name) return io_memory(c->error, c->label, 0);
  int status = receive(c, name, r->name) ? 1 : 0;
  if (status == 1 && !array_describe(&array, name, (io_type)r->type, r->rank, r->shape))
    status = io_memory(c->error, c->label, 0);
  free(name);
  if (status == 1 && r->data) status = receive_data(c, r, &array);
  if (status == 1 && !(slot = list_add(c->list))) status = io_memory(c->error, c->label, 0);
  if (status == 1)
    *slot = array;
  else
    io_array_free(&array);
  return status;
}

/* The end: the child's own status, or 1 if it makes no sense. */
static int receive_end(channel *c, const record *r) {
  char message[LAVDM_MESSAGE_SIZE] = "";
  if (r->status > 0 || r->name < 0 || r->name >= LAVDM_MESSAGE_SIZE || !receive(c, message, r->name))
    return 1;
  bool silent = r->status < 0 && r->status != IO_NOT_FOUND && !message[0];
  if (silent || (c->gave_up && r->status >= 0)) return 1;
  if (r->status < 0 && c->error) {
    c->error->status = r->status;
    text_show(c->error->message, sizeof c->error->message, message);
  }
  return r->status;
}

/* What came of the child: its own status, < 0 without memory, or 1 if it broke off. */
static int converse(channel *c) {
  record r;
  while (receive(c, &r, sizeof r)) {
    if (r.kind == RECORD_END) return receive_end(c, &r);
    if (r.kind != RECORD_ARRAY || c->gave_up) return 1;
    int status = receive_array(c, &r);
    if (status < 0) return status;
    if (status == 0 && !c->gave_up) return 1;
  }
  return 1;
}

/* ------------------------------------------------------------- the work */

bool isolate_inside;

/* Without a child: nothing is survived, and the work can be watched. */
static int work_inside(const isolate_terms *terms, isolated_work work, void *user, io_list *list,
                       lavdm_error *error) {
  sender to = {.pipe = -1, .list = list, .label = terms->label, .error = error};
  lavdm_error own = {0};
  int status = work(&to, user, &own);
  if (to.failed < 0) return to.failed;
  if (status >= 0 && to.owed) return io_fail(error, terms->status, terms->label, "%s", terms->verdict);
  if (status < 0 && error) *error = own;
  return status;
}

/* Why there is no answer. */
static int fail_child(const isolate_terms *terms, const channel *c, int end, lavdm_error *error) {
  int death = WIFSIGNALED(end) ? WTERMSIG(end) : 0;
  if (c->late)
    return io_fail(error, terms->status, terms->label,
                   "nothing came of it for %d s, and it was given up (does the disk or network answer?)",
                   c->patience);
  if (death == SIGINT || death == SIGTERM)
    return io_fail(error, LAVDM_ERROR_INTERRUPTED, terms->label, "interrupted");
  if (death == SIGXCPU || death == SIGALRM)
    return io_fail(error, terms->status, terms->label, "takes too long to read (damaged?)");
  return io_fail(error, terms->status, terms->label, "%s", terms->verdict);
}

int isolate(const isolate_terms *terms, isolated_work work, void *user, io_list *list, lavdm_error *error) {
  int ends[2];
  if (isolate_inside) return work_inside(terms, work, user, list, error);
  if (pipe2(ends, O_CLOEXEC))
    return io_fail(error, LAVDM_ERROR_MEMORY, terms->label, "no pipe: %s", strerror(errno));
  pid_t pid = fork();
  if (pid == 0) {
    close(ends[0]);
    isolated_child(ends[1], terms, work, user);
  }
  int reason = errno;
  close(ends[1]);
  if (pid < 0) {
    close(ends[0]);
    return io_fail(error, LAVDM_ERROR_MEMORY, terms->label, "no helper process: %s", strerror(reason));
  }
  fcntl(ends[0], F_SETPIPE_SZ, 1 << 20);
  fcntl(ends[0], F_SETFL, O_NONBLOCK); /* the parent's end alone */
  channel c = {.pipe = ends[0], .list = list, .label = terms->label, .error = error};
  if (terms->memory >= 0) c.patience = terms->patience ? terms->patience : PATIENCE;
  if (clock_getcpuclockid(pid, &c.clock)) c.clock = (clockid_t)-1;
  int status = converse(&c), end = 0;
  close(ends[0]);
  if (status != 0) kill(pid, SIGKILL); /* done with it, whatever it still does */
  while (waitpid(pid, &end, 0) < 0 && errno == EINTR) continue;
  return status == 1 ? fail_child(terms, &c, end, error) : status;
}

int isolate_file(const char *path, const char *verdict, isolated_work work, void *user, io_list *list,
                 lavdm_error *error) {
  int fd;
  int64_t length;
  int status = file_open(path, &fd, &length, error);
  if (status < 0) return status;
  close(fd);
  const int64_t base = 256 << 20, most = INT64_MAX / 16;
  isolate_terms terms = {.label = path,
                         .verdict = verdict,
                         .status = LAVDM_ERROR_DATA,
                         .memory = base + 2 * (length < most ? length : most),
                         .path = path};
  return isolate(&terms, work, user, list, error);
}
