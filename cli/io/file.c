/* Files as sources of bytes. */
#define _POSIX_C_SOURCE 200809L
#include "io/formats.h"
#include "io/pipe.h"
#include "io/room.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void file_label(char label[IO_LABEL], const char *path, const char *name) {
  size_t length = strlen(path), cut = length > 120 ? length - 120 : 0;
  while (cut && cut < length && ((unsigned char)path[cut] & 0xC0) == 0x80) cut++;
  snprintf(label, IO_LABEL, "%s%s:%.*s", cut ? "..." : "", path + cut, text_cut(name, 60), name);
}

static io_stamp stamp_from(const struct stat *info) {
  return (io_stamp){(int64_t)info->st_dev, (int64_t)info->st_ino, (int64_t)info->st_size,
                    (int64_t)info->st_mtim.tv_sec, (int64_t)info->st_mtim.tv_nsec};
}

io_stamp io_stamp_of(const char *path) {
  struct stat info;
  return stat(path, &info) ? (io_stamp){0} : stamp_from(&info);
}

io_stamp file_stamp(int fd) {
  struct stat info;
  return fstat(fd, &info) ? (io_stamp){0} : stamp_from(&info);
}

int stamp_compare(const char *path, const io_stamp *then, const io_stamp *now, lavdm_error *error) {
  if (!then->inode || !now->inode || !memcmp(then, now, sizeof *now)) return LAVDM_OK;
  bool other = then->device != now->device || then->inode != now->inode;
  return io_fail(error, LAVDM_ERROR_DATA, path,
                 "was %s while it was read: the result would be of no one file; run it again",
                 other ? "replaced by another file" : "changed");
}

int io_stamp_check(const char *path, const io_stamp *stamp, lavdm_error *error) {
  io_stamp now = io_stamp_of(path);
  return stamp_compare(path, stamp, &now, error);
}

int file_open(const char *path, int *fd, int64_t *length, lavdm_error *error) {
  /* O_NONBLOCK: a pipe without a writer must not hang before it is refused */
  struct stat info;
  if (io_is_pipe(path)) return pipe_open(fd, length, error);
  *fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (*fd < 0 || fstat(*fd, &info)) {
    int reason = errno;
    if (*fd >= 0) close(*fd);
    *fd = -1;
    if (reason == ENOENT) return io_fail(error, LAVDM_ERROR_ARGUMENT, path, "no such file");
    return io_fail(error, LAVDM_ERROR_ARGUMENT, path, "cannot be opened: %s", strerror(reason));
  }
  if (!S_ISREG(info.st_mode)) {
    close(*fd);
    *fd = -1;
    return io_fail(error, LAVDM_ERROR_ARGUMENT, path,
                   S_ISDIR(info.st_mode) ? "is a folder, not a file" : "is not a regular file");
  }
  *length = (int64_t)info.st_size;
  return LAVDM_OK;
}

int64_t file_pull(source *s, void *buffer, int64_t most) {
  ssize_t got;
  do got = read(s->fd, buffer, (size_t)most);
  while (got < 0 && errno == EINTR);
  return (int64_t)got;
}

int source_read(source *s, void *buffer, int64_t bytes) {
  char *at = buffer;
  if (bytes > s->left) return io_fail(s->error, LAVDM_ERROR_DATA, s->label, "ends too early");
  while (bytes > 0) {
    int64_t got = s->pull(s, at, bytes < SOURCE_MOST ? bytes : SOURCE_MOST);
    if (got < 0) return io_fail(s->error, LAVDM_ERROR_DATA, s->label, "cannot be read (damaged?)");
    if (got == 0) return io_fail(s->error, LAVDM_ERROR_DATA, s->label, "ends too early");
    at += got;
    bytes -= got;
    s->left -= got;
  }
  return LAVDM_OK;
}

int source_skip(source *s, int64_t bytes) {
  char block[4096];
  while (bytes > 0) {
    int64_t part = bytes < (int64_t)sizeof block ? bytes : (int64_t)sizeof block;
    int status = source_read(s, block, part);
    if (status < 0) return status;
    bytes -= part;
  }
  return LAVDM_OK;
}

int file_load(const char *path, char **data, int64_t *length, lavdm_error *error) {
  source s = {.label = path, .pull = file_pull, .error = error};
  *data = NULL;
  int status = file_open(path, &s.fd, length, error);
  if (status < 0) return status;
  s.left = *length;
  status = room_check(path, NULL, 0, *length, error);
  if (status >= 0 && !(*data = malloc((size_t)*length + 1))) status = io_memory(error, path, *length);
  if (status >= 0) status = source_read(&s, *data, *length);
  close(s.fd);
  if (status >= 0) {
    (*data)[*length] = 0;
  } else {
    free(*data);
    *data = NULL;
  }
  return status;
}
