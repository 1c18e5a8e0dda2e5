/* What the tests of cli/io share: a folder of their own, files made of bytes,
 * and damage done to them at random. */
#ifndef LAVDM_TESTS_IO_SUPPORT_H
#define LAVDM_TESTS_IO_SUPPORT_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "base/random.h"
#include "io/io.h"

#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[64];

__attribute__((unused)) static int make_folder(void **state) {
  (void)state;
  strcpy(folder, "/tmp/lavdm-io-XXXXXX");
  return mkdtemp(folder) ? 0 : -1;
}

/* Files in the folder whose name begins so. */
__attribute__((unused)) static int count_files(const char *prefix) {
  DIR *d = opendir(folder);
  int count = 0;
  assert_non_null(d);
  for (struct dirent *e; (e = readdir(d));)
    count += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0 &&
             strncmp(e->d_name, prefix, strlen(prefix)) == 0;
  closedir(d);
  return count;
}

__attribute__((unused)) static int remove_folder(void **state) {
  (void)state;
  char path[400];
  DIR *d = opendir(folder);
  if (!d) return -1;
  for (struct dirent *e; (e = readdir(d));) {
    snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
    if (unlink(path)) rmdir(path);
  }
  closedir(d);
  return rmdir(folder);
}

/* The path of a file in the folder; four may be in use at a time. */
__attribute__((unused)) static const char *in(const char *name) {
  static char path[4][200];
  static int turn;
  turn = (turn + 1) % 4;
  snprintf(path[turn], sizeof path[turn], "%s/%s", folder, name);
  return path[turn];
}

typedef struct {
  unsigned char *data;
  size_t size, room;
} bytes_t;

__attribute__((unused)) static void add(bytes_t *b, const void *data, size_t size) {
  if (b->size + size >= b->room) {
    b->room = 2 * (b->size + size) + 64;
    b->data = realloc(b->data, b->room);
    assert_non_null(b->data);
  }
  if (size) memcpy(b->data + b->size, data, size);
  b->size += size;
}

__attribute__((unused)) static void drop(bytes_t *b) {
  free(b->data);
  memset(b, 0, sizeof *b);
}

__attribute__((unused)) static void save(const char *path, const void *data, size_t size) {
  unlink(path); /* a new file is not flushed when it is closed, as one cut short may be */
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(data, 1, size, file), size);
  assert_int_equal(fclose(file), 0);
}

__attribute__((unused)) static bytes_t load(const char *path) {
  bytes_t b = {0};
  char part[4096];
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  for (size_t got; (got = fread(part, 1, sizeof part, file)) > 0;) add(&b, part, got);
  fclose(file);
  return b;
}

/* The array of a specification that must be readable. */
__attribute__((unused)) static io_array take(const char *spec) {
  io_array array;
  lavdm_error error = {0};
  if (io_read(spec, &array, &error) < 0) fail_msg("%s", error.message);
  return array;
}

/* A specification that must not be readable, with this status and words. */
__attribute__((unused)) static void refused(const char *spec, int status, const char *words) {
  io_array array;
  lavdm_error error = {0};
  int got = io_read(spec, &array, &error);
  if (got >= 0) fail_msg("%s was read", spec);
  if (!strstr(error.message, words)) fail_msg("'%s' does not say '%s'", error.message, words);
  assert_int_equal(got, status);
  assert_int_equal(error.status, status);
  assert_null(array.data);
  assert_int_equal(io_read(spec, &array, NULL), status);
}

/* An item written from an array, and an array that must equal an item. */
__attribute__((unused)) static void same(const io_array *got, const io_item *want) {
  assert_int_equal(got->type, want->type);
  if (want->type == IO_TEXT) {
    assert_string_equal(got->data, want->data);
    assert_int_equal(got->shape[0], strlen(want->data));
    return;
  }
  assert_int_equal(got->rank, want->rank);
  int64_t count = 1;
  for (int i = 0; i < want->rank; i++) {
    assert_int_equal(got->shape[i], want->shape[i]);
    count *= want->shape[i];
  }
  assert_int_equal(io_array_count(got), count);
  if (count) assert_memory_equal(got->data, want->data, 8 * (size_t)count);
}

/*
 * Reads a valid file `times` with a few bytes changed, cut out, doubled or cut
 * off at the end, as a whole and by name. Nothing is asserted but that it
 * returns, with a sentence when it fails.
 */
__attribute__((unused)) static void mutate(const char *path, const char *name, int times) {
  bytes_t whole = load(path), part = {0};
  const char *end = strrchr(path, '.');
  char file[200], spec[260];
  int refusals = 0;
  snprintf(file, sizeof file, "%s/mutant%s", folder, end);
  snprintf(spec, sizeof spec, "%s%s%s", file, name ? ":" : "", name ? name : "");
  random_t r = random_start(7, (uint64_t)whole.size);
  for (int t = 0; t < times; t++) {
    part.size = 0;
    add(&part, whole.data, whole.size);
    int64_t size = (int64_t)part.size;
    if (t % 8 == 0) part.size = (size_t)random_below(&r, size);
    for (int64_t k = random_below(&r, 6); k >= 0 && part.size > 0; k--) {
      /* headers are where the danger is: half of the damage is done there */
      int64_t reach = (int64_t)part.size;
      if (random_below(&r, 2) && reach > 512) reach = 512;
      unsigned char *at = part.data + random_below(&r, reach);
      switch (random_below(&r, 4)) {
      case 0:
        *at = (unsigned char)random_below(&r, 256);
        break;
      case 1:
        *at ^= (unsigned char)(1 << random_below(&r, 8));
        break;
      case 2:
        *at = random_below(&r, 2) ? 0xFF : 0;
        break;
      default:
        *at = part.data[random_below(&r, (int64_t)part.size)];
        break;
      }
    }
    save(file, part.data, part.size);
    io_array one, *all;
    int count;
    lavdm_error error = {0};
    if (t % 4 == 3) {
      int status = io_read_all(file, &all, &count, &error);
      for (int i = 0; status >= 0 && i < count; i++) io_array_free(&all[i]);
      if (status >= 0) free(all);
      if (status < 0) assert_true(error.message[0] && error.status == status);
    } else if (io_read(spec, &one, &error) < 0) {
      assert_true(error.message[0] && error.status < 0 && error.status >= -5);
      refusals++;
    } else {
      io_array_free(&one);
    }
  }
  assert_true(refusals > times / 20);
  unlink(file);
  drop(&whole);
  drop(&part);
}

#endif
