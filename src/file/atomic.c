/*
 * A file that appears whole or not at all: written under a name of its own
 * beside the target, synced, renamed over it, and the folder synced.
 *
 * The name is ".lavdm-WHOSE-PID-SERIAL.tmp", where WHOSE stands for the target
 * and this machine: what a process that was killed has left of an earlier try
 * is found by it, and removed by the next one; also what a library that wrote
 * to it has left under its name and a further ending (libzip does).
 */
#define _GNU_SOURCE
#include "file/atomic.h"

#include "base/memory.h"
#include "file/checksum.h"
#include "file/sentence.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

int write_fail(lavdm_error *error, const char *path, int reason) {
  if (reason == ENOMEM) return file_memory(error, path, 0);
  return file_fail(error, LAVDM_ERROR_FILE, path, "could not be written%s%s", reason ? ": " : "",
                   reason ? strerror(reason) : "");
}

/* "folder of path" + name, owned by the caller. */
static char *beside(const char *path, const char *name) {
  const char *slash = strrchr(path, '/');
  size_t folder = slash ? (size_t)(slash - path) + 1 : 0, length = strlen(name);
  char *full = NEW(char, (int64_t)(folder + length + 1));
  if (!full) return NULL;
  memcpy(full, path, folder);
  memcpy(full + folder, name, length + 1);
  return full;
}

/* The folder of a path, which ends in a slash or is "."; false if it is too long to be opened. */
static bool folder_of(const char *path, char folder[PATH_MAX]) {
  const char *slash = strrchr(path, '/');
  size_t length = slash ? (size_t)(slash - path) + 1 : 0;
  if (length >= PATH_MAX) return false;
  memcpy(folder, path, length);
  strcpy(folder + length, length ? "" : ".");
  return true;
}

static char *copy(const char *text) {
  int64_t size = (int64_t)strlen(text) + 1;
  char *own = NEW(char, size);
  return own ? memcpy(own, text, (size_t)size) : NULL;
}

/* The file that `path` leads to through links, existing or not. */
static char *follow_links(const char *path) {
  char *at = copy(path);
  if (!at) errno = ENOMEM;
  for (int step = 0; at; step++) {
    char link[PATH_MAX];
    ssize_t length = readlink(at, link, sizeof link - 1);
    if (length < 0) return at;
    link[length] = 0;
    char *next = step > 40 ? NULL : link[0] == '/' ? copy(link) : beside(at, link);
    if (!next) errno = step > 40 ? ELOOP : ENOMEM;
    mem_free(at);
    at = next;
  }
  return NULL;
}

static int check_target(atomic_file *file) {
  struct stat info;
  if (stat(file->target, &info)) return LAVDM_OK;
  if (S_ISDIR(info.st_mode))
    return file_fail(file->error, LAVDM_ERROR_FILE, file->path, "is a folder; give the name of a file");
  if (!S_ISREG(info.st_mode))
    return file_fail(file->error, LAVDM_ERROR_FILE, file->path, "is not a regular file");
  if (faccessat(AT_FDCWD, file->target, W_OK, AT_EACCESS)) return write_fail(file->error, file->path, errno);
  file->mode = info.st_mode & 07777;
  return LAVDM_OK;
}

/* ".lavdm-WHOSE-": what the names of all temporary files for a target begin with here. */
enum { PREFIX = 32 };

static void temp_prefix(const char *target, char prefix[PREFIX]) {
  const char *slash = strrchr(target, '/'), *name = slash ? slash + 1 : target;
  char machine[HOST_NAME_MAX + 1] = "";
  gethostname(machine, sizeof machine - 1);
  snprintf(prefix, PREFIX, ".lavdm-%08x%08x-", (unsigned)lookup3(name, strlen(name)),
           (unsigned)lookup3(machine, strlen(machine)));
}

/* Removes what dead processes have left of this target. */
static void remove_leftovers(const char *target) {
  char prefix[PREFIX], folder[PATH_MAX];
  DIR *list = folder_of(target, folder) ? opendir(folder) : NULL;
  temp_prefix(target, prefix);
  for (struct dirent *e; list && (e = readdir(list));) {
    size_t length = strlen(prefix);
    long pid;
    int end = 0;
    if (strncmp(e->d_name, prefix, length)) continue;
    if (sscanf(e->d_name + length, "%ld-%*x-%*d.tmp%n", &pid, &end) != 1 || !end) continue;
    char next = e->d_name[length + (size_t)end];
    if (next && next != '.') continue;
    if (pid < 1 || pid > INT_MAX || !kill((pid_t)pid, 0) || errno != ESRCH) continue;
    unlinkat(dirfd(list), e->d_name, 0);
  }
  if (list) closedir(list);
}

void atomic_clean(const char *path) {
  char *target = follow_links(path);
  if (target) remove_leftovers(target);
  mem_free(target);
}

/* Files that are open: a program that ends meanwhile, as libgomp ends it without memory, leaves none of them.
 */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static atomic_file *all_open;

static void remove_open(void) {
  pthread_mutex_lock(&lock);
  for (const atomic_file *f = all_open; f; f = f->next)
    if (f->temp && f->process == getpid()) unlink(f->temp);
  pthread_mutex_unlock(&lock);
}

static void at_exit(void) {
  atexit(remove_open);
}

static void list_add(atomic_file *file) {
  pthread_once(&once, at_exit);
  pthread_mutex_lock(&lock);
  file->process = getpid();
  file->next = all_open;
  all_open = file;
  pthread_mutex_unlock(&lock);
}

static void list_remove(const atomic_file *file) {
  pthread_mutex_lock(&lock);
  for (atomic_file **at = &all_open; *at; at = &(*at)->next)
    if (*at == file) {
      *at = file->next;
      break;
    }
  pthread_mutex_unlock(&lock);
}

static int create_temp(atomic_file *file) {
  struct stat info;
  char prefix[PREFIX];
  temp_prefix(file->target, prefix);
  for (int attempt = 0; attempt < 100; attempt++) {
    struct timespec now;
    char name[PREFIX + 64];
    clock_gettime(CLOCK_REALTIME, &now);
    snprintf(name, sizeof name, "%s%ld-%lx-%d.tmp", prefix, (long)getpid(), (unsigned long)now.tv_nsec,
             attempt);
    file->temp = beside(file->target, name);
    if (!file->temp) return file_memory(file->error, file->path, 0);
    file->fd = open(file->temp, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file->fd >= 0) break;
    int reason = errno;
    mem_free(file->temp);
    file->temp = NULL;
    if (reason != EEXIST) return write_fail(file->error, file->path, reason);
  }
  if (file->fd < 0) return write_fail(file->error, file->path, EEXIST);
  if (!file->mode && fstat(file->fd, &info) == 0) file->mode = info.st_mode & 07777;
  return LAVDM_OK;
}

int atomic_begin(atomic_file *file, const char *path, lavdm_error *error) {
  file->path = path;
  file->temp = NULL;
  file->fd = -1;
  file->mode = 0;
  file->used = 0;
  file->trim = NULL;
  file->error = error;
  file->target = follow_links(path);
  int status = file->target ? check_target(file) : write_fail(error, path, errno);
  if (status >= 0) {
    remove_leftovers(file->target);
    status = create_temp(file);
  }
  if (status >= 0) list_add(file);
  return status < 0 ? atomic_end(file, status) : status;
}

static int write_out(atomic_file *file, const char *data, size_t bytes) {
  while (bytes > 0) {
    size_t part = bytes < 1u << 30 ? bytes : 1u << 30;
    ssize_t done = write(file->fd, data, part);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return write_fail(file->error, file->path, done < 0 ? errno : EIO);
    data += done;
    bytes -= (size_t)done;
  }
  return LAVDM_OK;
}

int atomic_write(atomic_file *file, const void *data, size_t bytes) {
  if (file->used + bytes > sizeof file->buffer) {
    int status = write_out(file, file->buffer, file->used);
    if (status < 0) return status;
    file->used = 0;
  }
  if (bytes > sizeof file->buffer) return write_out(file, data, bytes);
  if (bytes) memcpy(file->buffer + file->used, data, bytes);
  file->used += bytes;
  return LAVDM_OK;
}

void atomic_trim(const atomic_file *file) {
  if (file->trim) file->trim->call(file->trim->user);
}

int atomic_write_slices(atomic_file *file, const void *data, int64_t bytes) {
  int status = LAVDM_OK;
  for (int64_t at = 0; at < bytes && status >= 0; at += SLICE) {
    int64_t part = bytes - at < SLICE ? bytes - at : SLICE;
    status = atomic_write(file, (const char *)data + at, (size_t)part);
    atomic_trim(file);
  }
  return status;
}

int atomic_patch(atomic_file *file, const void *data, size_t bytes) {
  int status = write_out(file, file->buffer, file->used);
  if (status < 0) return status;
  file->used = 0;
  if (lseek(file->fd, 0, SEEK_SET)) return write_fail(file->error, file->path, errno);
  status = write_out(file, data, bytes);
  if (status >= 0 && lseek(file->fd, 0, SEEK_END) < 0) status = write_fail(file->error, file->path, errno);
  return status;
}

/* Flushes what is at the temporary name, which a library may have replaced. */
static int sync_temp(atomic_file *file) {
  int fd = open(file->temp, O_RDONLY | O_CLOEXEC), status = LAVDM_OK;
  if (fd < 0 || fchmod(fd, file->mode) || fsync(fd)) status = write_fail(file->error, file->path, errno);
  if (fd >= 0) close(fd);
  return status;
}

static void sync_folder(const char *path) {
  char folder[PATH_MAX];
  int fd = folder_of(path, folder) ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
  if (fd >= 0) {
    fsync(fd); /* some file systems cannot; the rename has happened all the same */
    close(fd);
  }
}

int atomic_end(atomic_file *file, int status) {
  if (status >= 0) status = write_out(file, file->buffer, file->used);
  if (file->fd >= 0 && close(file->fd) && status >= 0) status = write_fail(file->error, file->path, errno);
  if (status >= 0) status = sync_temp(file);
  if (status >= 0 && rename(file->temp, file->target)) status = write_fail(file->error, file->path, errno);
  if (status >= 0)
    sync_folder(file->target);
  else if (file->temp)
    unlink(file->temp);
  list_remove(file);
  mem_free(file->temp);
  mem_free(file->target);
  file->temp = file->target = NULL;
  file->fd = -1;
  return status;
}
