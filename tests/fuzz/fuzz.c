/* Files on the disk, and the promises that every reader keeps. */
#define _POSIX_C_SOURCE 200809L
#include "fuzz.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *__asan_default_options(void);
__attribute__((weak)) const char *__asan_default_options(void) {
  return FUZZ_ASAN;
}

_Noreturn void fuzz_broken(const char *words) {
  fprintf(stderr, "broken promise: %s\n", words);
  abort();
}

/* ---------------------------------------------------------------- files */

enum { FILES = 8, PATH_SIZE = 256 };

static struct {
  char folder[PATH_SIZE - 32];
  int count;
  struct {
    char path[PATH_SIZE];
    int fd;
  } file[FILES];
} made;

static void remove_files(void) {
  for (int i = 0; i < made.count; i++) unlink(made.file[i].path);
  if (made.folder[0]) rmdir(made.folder);
}

static void make_folder(void) {
  const char *base = getenv("TMPDIR");
  int length =
      snprintf(made.folder, sizeof made.folder, "%s/lavdm-fuzz-XXXXXX", base && *base ? base : "/tmp");
  if (length >= (int)sizeof made.folder || !mkdtemp(made.folder))
    fuzz_broken("no folder for files in TMPDIR");
  atexit(remove_files);
}

static int file_number(const char *ending) {
  char path[PATH_SIZE];
  if (!made.folder[0]) make_folder();
  snprintf(path, sizeof path, "%s/x%.8s", made.folder, ending);
  for (int i = 0; i < made.count; i++)
    if (!strcmp(made.file[i].path, path)) return i;
  int i = made.count++;
  PROMISE(i < FILES, "few kinds of file");
  memcpy(made.file[i].path, path, sizeof path);
  made.file[i].fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  PROMISE(made.file[i].fd >= 0, "a file can be made");
  return i;
}

const char *fuzz_disk(const char *ending, const uint8_t *data, size_t size) {
  int i = file_number(ending), fd = made.file[i].fd;
  bool written = pwrite(fd, data, size, 0) == (ssize_t)size && ftruncate(fd, (off_t)size) == 0;
  PROMISE(written, "a file can be written");
  return made.file[i].path;
}

/* ------------------------------------------------------------- promises */

void fuzz_check_error(int status, const lavdm_error *error) {
  if (status >= 0) return;
  PROMISE(error->message[0], "an error has a sentence");
  PROMISE(memchr(error->message, 0, sizeof error->message), "a sentence ends");
  for (const char *c = error->message; *c; c++)
    PROMISE((unsigned char)*c >= ' ' && *c != 127, "a sentence can be printed");
}

void fuzz_check_array(const io_array *array) {
  static volatile unsigned char sum;
  int64_t count = io_array_count(array);
  PROMISE(count >= 0, "a shape is possible");
  PROMISE(array->data, "an array has data");
  const unsigned char *bytes = array->data;
  int64_t length = count * type_size(array->type);
  for (int64_t i = 0; i < length; i++) sum = (unsigned char)(sum + bytes[i]);
  if (array->type != IO_TEXT) return;
  PROMISE(array->rank == 1, "text has one dimension");
  PROMISE(bytes[count] == 0, "text ends in a zero");
}

void fuzz_check_list(int status, io_list *list, const lavdm_error *error) {
  if (status != IO_NOT_FOUND) fuzz_check_error(status, error);
  for (int i = 0; i < list->count && status >= 0; i++) {
    PROMISE(list->array[i].name, "an array of a container has a name");
    fuzz_check_array(&list->array[i]);
  }
  list_free(list);
}

void fuzz_check_shape(shape_reader *read, const char *path, int64_t most) {
  io_array array = {0};
  lavdm_error error = {0};
  int status = read(path, &array, &error);
  fuzz_check_error(status, &error);
  if (status >= 0) {
    fuzz_check_array(&array);
    PROMISE(array.type == IO_REAL && array.rank == 2 && array.shape[1] == 3, "a point has three coordinates");
    PROMISE(array.shape[0] <= most, "a point takes some bytes");
  }
  io_notes_clear();
  io_array_free(&array);
}

void fuzz_check_picture(picture_reader *read, const char *path) {
  picture_t p = {0};
  lavdm_error error = {0};
  int status = read(path, &p, &error);
  fuzz_check_error(status, &error);
  if (status >= 0) {
    int64_t count = picture_count(&p);
    PROMISE(p.height > 0 && p.width > 0 && count > 0, "a picture has pixels");
    PROMISE(p.channels >= 1 && p.channels <= 4, "a picture has 1 to 4 channels");
    PROMISE(p.bits == 0 || p.bits == 8 || p.bits == 16, "a picture has 8 or 16 bits or real numbers");
    double top = p.bits == 16 ? 65535 : 255;
    for (int64_t i = 0; i < count; i++)
      PROMISE(!p.bits || (p.value[i] >= 0 && p.value[i] <= top && p.value[i] == (int)p.value[i]),
              "values are whole and of their scale");
  }
  picture_free(&p);
}
