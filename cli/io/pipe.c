/*
 * "-": the standard input, told apart by its first bytes and kept in a file without a name, so that readers
 * can go back in it; and the standard output, which then has nothing else on it.
 */
#define _POSIX_C_SOURCE 200809L
#include "io/pipe.h"
#include "io/formats.h"
#include "io/room.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { START = 4096, TEXT_STEP = 1 << 28 }; /* bytes that tell what it is; after which memory is looked at */

static int spool = -1; /* what came in */
static int64_t spool_length;
static const char *came = ""; /* ".npy" or ".csv" */
static const char *goes = ""; /* what is written; "" before pipe_start */
static FILE *out;

bool io_is_pipe(const char *path) {
  return path && !strcmp(path, "-");
}

/* --------------------------------------------------------------- reading */

/* A file in TMPDIR that is gone when the program is. */
static int open_spool(lavdm_error *error) {
  const char *folder = getenv("TMPDIR");
  char name[4096];
  int length = snprintf(name, sizeof name, "%s/lavdm-XXXXXX", folder && *folder ? folder : "/tmp");
  spool = length > 0 && (size_t)length < sizeof name ? mkstemp(name) : -1;
  if (spool < 0)
    return io_fail(error, IO_ERROR_WRITE, "-", "cannot be kept in a file of TMPDIR or /tmp: %s",
                   strerror(errno));
  unlink(name);
  return LAVDM_OK;
}

static bool write_whole(int fd, const char *data, ssize_t left) {
  while (left > 0) {
    ssize_t done = write(fd, data, (size_t)left);
    if (done < 0 && errno != EINTR) return false;
    if (done > 0) data += done, left -= done;
  }
  return true;
}

static bool begins(const char *start, ssize_t length, const char *with, size_t bytes) {
  return length >= (ssize_t)bytes && !memcmp(start, with, bytes);
}

/* .npy by its magic; text by holding no zero byte. */
static int tell_apart(lavdm_error *error) {
  char start[START];
  ssize_t length = pread(spool, start, sizeof start, 0);
  if (length < 1) return io_fail(error, LAVDM_ERROR_DATA, "-", "is empty");
  came = begins(start, length, "\x93NUMPY", 6) ? ".npy" : ".csv";
  if (begins(start, length, "\x1f\x8b", 2))
    return io_fail(error, LAVDM_ERROR_DATA, "-",
                   "is compressed; pass it through gunzip first: gunzip -c FILE | lavdm");
  bool text = *came && strcmp(came, ".npy") && !memchr(start, 0, (size_t)length) &&
              !begins(start, length, "PK\3\4", 4);
  if (text || !strcmp(came, ".npy")) return LAVDM_OK;
  return io_fail(error, LAVDM_ERROR_DATA, "-", "is neither .npy nor text; give other formats as files");
}

/* What will not do is refused before the disk is full of it: after its first bytes, or, of text, when it is
 * more than there is memory for. */
static int check_spool(int64_t before, lavdm_error *error) {
  if (before < START) return spool_length < START ? LAVDM_OK : tell_apart(error);
  bool grown = before / TEXT_STEP < spool_length / TEXT_STEP;
  return grown && !strcmp(came, ".csv") ? room_check("-", NULL, 0, spool_length, error) : LAVDM_OK;
}

static int fill_spool(lavdm_error *error) {
  char block[1 << 16];
  ssize_t got;
  int status = LAVDM_OK;
  while (status >= 0 && (got = read(STDIN_FILENO, block, sizeof block)) != 0) {
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return io_fail(error, LAVDM_ERROR_DATA, "-", "cannot be read: %s", strerror(errno));
    if (!write_whole(spool, block, got))
      return io_fail(error, IO_ERROR_WRITE, "-", "cannot be kept in a file of TMPDIR or /tmp: %s",
                     strerror(errno));
    spool_length += got;
    status = check_spool(spool_length - got, error);
  }
  return status < 0 || spool_length >= START ? status : tell_apart(error);
}

int pipe_read(const char **end, lavdm_error *error) {
  static lavdm_error failure; /* what is wrong with it stays so */
  if (spool < 0 && failure.status >= 0) {
    int status = open_spool(&failure);
    if (status >= 0) fill_spool(&failure);
  }
  *end = came;
  if (failure.status < 0 && error) *error = failure;
  return failure.status;
}

int pipe_open(int *fd, int64_t *length, lavdm_error *error) {
  const char *end;
  int status = pipe_read(&end, error);
  *fd = status < 0 ? -1 : dup(spool);
  *length = spool_length;
  if (status < 0 || (*fd >= 0 && lseek(*fd, 0, SEEK_SET) == 0)) return status;
  return io_fail(error, LAVDM_ERROR_FILE, "-", "cannot be read: %s", strerror(errno));
}

/* --------------------------------------------------------------- writing */

int pipe_start(const char *end, lavdm_error *error) {
  goes = end;
  if (out) return LAVDM_OK;
  int fd = dup(STDOUT_FILENO);
  out = fd < 0 ? NULL : fdopen(fd, "wb");
  if (!out || dup2(STDERR_FILENO, STDOUT_FILENO) < 0) return io_unwritten(error, PIPE_OUTPUT, errno);
  return LAVDM_OK;
}

const char *pipe_written(void) {
  return goes;
}

int pipe_write(const void *data, size_t bytes, lavdm_error *error) {
  errno = 0;
  return fwrite(data, 1, bytes, out) == bytes ? LAVDM_OK : io_unwritten(error, PIPE_OUTPUT, errno);
}

int pipe_end(int status, lavdm_error *error) {
  errno = 0;
  return status >= 0 && fflush(out) ? io_unwritten(error, PIPE_OUTPUT, errno) : status;
}
