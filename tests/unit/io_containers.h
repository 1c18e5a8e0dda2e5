/* What the tests of .h5 and .mat share: work in a child, and a made-up result. */
#ifndef LAVDM_TESTS_IO_CONTAINERS_H
#define LAVDM_TESTS_IO_CONTAINERS_H

#include "io_support.h"
#include "io/formats.h"

#include <hdf5.h>
#include <math.h>

/* The libraries run in children too: they leak, and print when they fail. */
#define CHECK(condition)                                                                                     \
  do                                                                                                         \
    if (!(condition)) _exit(__LINE__ % 255 + 1);                                                             \
  while (0)

__attribute__((unused)) static void in_child(void (*work)(const char *path), const char *path) {
  int end;
  pid_t pid = fork();
  if (pid == 0) {
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    work(path);
    H5close(); /* what was left open is written now */
    _exit(0);
  }
  assert_true(pid > 0);
  assert_int_equal(waitpid(pid, &end, 0), pid);
  if (!WIFEXITED(end) || WEXITSTATUS(end))
    fail_msg("the child ended with %d (line modulo 255, plus 1)", WEXITSTATUS(end));
}

__attribute__((unused)) static io_array *find(io_array *all, int count, const char *name) {
  for (int i = 0; i < count; i++)
    if (strcmp(all[i].name, name) == 0) return &all[i];
  fail_msg("there is no '%s'", name);
  return NULL;
}

__attribute__((unused)) static void free_all(io_array *all, int count) {
  for (int i = 0; i < count; i++) io_array_free(&all[i]);
  free(all);
}

__attribute__((unused)) static double value(const io_array *a, int64_t i) {
  return a->type == IO_REAL ? ((double *)a->data)[i] : (double)((int64_t *)a->data)[i];
}

static double real[60];
static int64_t integer[60];

__attribute__((unused)) static const io_item result[] = {
    {"points", IO_REAL, 2, {20, 3}, real},          {"index", IO_INTEGER, 1, {60}, integer},
    {"vectors", IO_REAL, 3, {5, 3, 4}, real},       {"four", IO_INTEGER, 4, {2, 3, 2, 5}, integer},
    {"none", IO_INTEGER, 1, {0}, integer},          {"nothing", IO_REAL, 3, {0, 2, 2}, real},
    {"epsilon", IO_REAL, 0, {0}, real + 7},         {"seed", IO_INTEGER, 0, {0}, integer + 7},
    {"command", IO_TEXT, 1, {0}, "lavdm \xC3\xBC"}, {"blank", IO_TEXT, 1, {0}, ""},
};
enum { RESULTS = sizeof result / sizeof *result };

__attribute__((unused)) static int fill_result(void **state) {
  for (int i = 0; i < 60; i++) {
    real[i] = sin(i) * pow(10, i % 7);
    integer[i] = (int64_t)(i - 30) * INT64_C(200000000000000000);
  }
  return make_folder(state);
}

#endif
