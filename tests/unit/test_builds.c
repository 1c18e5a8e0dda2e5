/*
 * Files written by one build, read by another: tests/data/kept-*.h5 were written once
 *
 *     lavdm sample sphere -n 80 -o s80.npy
 *     lavdm embed s80.npy --dim 2 --landmarks 20 --components 4 --precision double|single -o kept-....h5
 *
 * by two threads of an optimised build. Whatever compiler, precision, threads and
 * sanitizers this program has, it must open them, give the points back as they were,
 * and save the same again.
 */
#include "oracle.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static lavdm_model *open_model(const char *path) {
  lavdm_model *model;
  lavdm_error error;
  if (lavdm_load(path, &model, &error) < 0) fail_msg("%s", error.message);
  return model;
}

static void check_file(const char *name, double close) {
  char path[4096], copy[] = "test_builds_copy.h5";
  snprintf(path, sizeof path, "%s/%s", TEST_DATA, name);
  lavdm_model *model = open_model(path), *extension;
  assert_int_equal(lavdm_info(model)->n, 80);
  assert_int_equal(lavdm_info(model)->chosen->threads, 2);
  double x[80][3];
  assert_int_equal(lavdm_sample("sphere", 80, 2, NULL, 0, 1, &x[0][0], NULL, NULL, NULL), 0);
  lavdm_data data = {.points = x, .n = 80, .p = 3};
  lavdm_error error;
  lavdm_options how;
  lavdm_options_default(&how);
  for (how.threads = 1; how.threads <= 3; how.threads++) {
    if (lavdm_extend(model, &data, NULL, &how, &extension, &error) < 0) fail_msg("%s", error.message);
    double *u = model_doubles(model, "eigenvectors"), *v = model_doubles(extension, "eigenvectors");
    /* a compiler may turn frames: compare what does not depend on them */
    for (int64_t i = 0; i < 80; i++)
      for (int l = 0; l < 4; l++)
        for (int s = 0; s < 4; s++) {
          double a = 0, b = 0;
          for (int c = 0; c < 2; c++) {
            a += u[(i * 2 + c) * 4 + l] * u[(i * 2 + c) * 4 + s];
            b += v[(i * 2 + c) * 4 + l] * v[(i * 2 + c) * 4 + s];
          }
          assert_true(fabs(a - b) < close);
        }
    free(u), free(v);
    lavdm_free(extension);
  }
  if (lavdm_save(model, copy, 0, &error) < 0) fail_msg("%s", error.message);
  lavdm_model *again = open_model(copy);
  for (int i = 0; i < lavdm_array_count(model); i++) {
    const lavdm_array *a = lavdm_array_at(model, i), *b = lavdm_get(again, a->name);
    assert_non_null(b);
    size_t bytes = a->type == LAVDM_F32 ? 4 : 8;
    for (int k = 0; k < a->rank; k++) bytes *= (size_t)a->shape[k];
    assert_memory_equal(a->data, b->data, bytes);
  }
  remove(copy);
  lavdm_free(again);
  lavdm_free(model);
}

static void files_of_another_build(void **state) {
  (void)state;
  check_file("kept-double.h5", 1e-12);
  check_file("kept-single.h5", 1e-5);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(files_of_another_build)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
