/*
 * A fit that can be stopped in any stage, with a checkpoint in a folder of its own,
 * and what one that was taken up again must have.
 */
#ifndef LAVDM_TEST_CHECKPOINT_SUPPORT_H
#define LAVDM_TEST_CHECKPOINT_SUPPORT_H

#include "oracle.h"

#include "file/store.h"
#include "checkpoint/checkpoint.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

/* Reports come ten times a second: here every look at the clock is a second later. */
int clock_gettime(clockid_t id, struct timespec *now) {
  static _Atomic long seconds = 1000;
  (void)id;
  *now = (struct timespec){.tv_sec = seconds++};
  return 0;
}

enum { N = 260, P = 3 };

static char folder[] = "checkpoint-XXXXXX", path[64];
static double points[N * P];

/* A sphere, a small one far from it, and a point far from both. */
static int setup(void **state) {
  (void)state;
  if (!mkdtemp(folder)) return -1;
  snprintf(path, sizeof path, "%s/run.h5", folder);
  if (lavdm_sample("sphere", N, 0, NULL, 0, 3, points, NULL, NULL, NULL) < 0) return -1;
  for (int64_t i = 200; i < N - 1; i++)
    for (int64_t j = 0; j < P; j++) points[i * P + j] = 50 + 0.5 * points[i * P + j];
  for (int64_t j = 0; j < P; j++) points[(N - 1) * P + j] = -900;
  return 0;
}

static int teardown(void **state) {
  (void)state;
  unlink(path);
  return rmdir(folder);
}

static lavdm_options defaults(lavdm_method method) {
  lavdm_options o;
  lavdm_options_default(&o);
  o.method = method;
  o.components = 6;
  o.threads = 1;
  o.trust = LAVDM_TRUST_NO;
  o.epsilon = 0.3;
  if (method == LAVDM_METHOD_LAVDM || method == LAVDM_METHOD_VDM) o.dim = 2;
  return o;
}

static int stop_in(const char *stage, double fraction, void *user) {
  (void)fraction;
  return !strcmp(stage, user);
}

static size_t bytes_of(const lavdm_array *a) {
  return (size_t)(a->shape[0] * a->shape[1] * a->shape[2]) *
         (a->type == LAVDM_F32 ? sizeof(float) : sizeof(double));
}

static void same_model(const lavdm_model *a, const lavdm_model *b) {
  const lavdm_info_t *x = lavdm_info(a), *y = lavdm_info(b);
  assert_int_equal(lavdm_array_count(a), lavdm_array_count(b));
  for (int i = 0; i < lavdm_array_count(a); i++) {
    const lavdm_array *u = lavdm_array_at(a, i), *v = lavdm_array_at(b, i);
    assert_string_equal(u->name, v->name);
    assert_int_equal(u->type, v->type);
    assert_memory_equal(u->shape, v->shape, sizeof u->shape);
    assert_memory_equal(u->data, v->data, bytes_of(u));
  }
  for (int i = 0; i < lavdm_option_count(); i++) {
    char s[64], t[64];
    const char *name = lavdm_option_at(i)->name;
    if (!identity_counts(name)) continue;
    lavdm_option_text(x->chosen, name, s, sizeof s);
    lavdm_option_text(y->chosen, name, t, sizeof t);
    assert_string_equal(s, t);
  }
  assert_true(x->n == y->n && x->p == y->p && x->m == y->m && x->q == y->q);
  assert_true(x->edges == y->edges && x->isolated == y->isolated && x->far_points == y->far_points);
  assert_true(x->graph_components == y->graph_components && x->ill_aligned == y->ill_aligned);
  assert_true(x->degenerate_frames == y->degenerate_frames && x->radius == y->radius);
  assert_memory_equal(x->isolated_index, y->isolated_index, (size_t)x->isolated * sizeof(int64_t));
  assert_int_equal(x->warnings, y->warnings);
  for (int i = 0; i < x->warnings; i++) assert_string_equal(x->warning[i], y->warning[i]);
}

static bool has_timing(const lavdm_model *model, const char *stage) {
  const lavdm_info_t *info = lavdm_info(model);
  int found = 0;
  for (int i = 0; i < info->timings; i++) found += !strcmp(info->timing[i].stage, stage);
  assert_true(found <= 1);
  return found == 1;
}

/* True if the fit came to this stage and was stopped there. */
static bool stopped(const lavdm_data *data, lavdm_options o, const char *stage) {
  lavdm_model *model;
  lavdm_error error;
  o.checkpoint = path;
  o.progress = stop_in, o.progress_user = (void *)stage;
  int status = lavdm_fit(data, &o, &model, &error);
  if (status < 0 && status != LAVDM_ERROR_INTERRUPTED) fail_msg("%s: %s", stage, error.message);
  lavdm_free(model);
  return status < 0;
}

static void finish(const lavdm_data *data, lavdm_options o, const lavdm_model *whole, const char *resumed) {
  o.checkpoint = path;
  lavdm_model *model = fit_or_fail(data, &o);
  same_model(whole, model);
  assert_null(lavdm_info(model)->chosen->checkpoint);
  const char *found = lavdm_info(model)->resumed;
  assert_int_equal(found == NULL, resumed == NULL);
  if (resumed) {
    assert_string_equal(found, resumed);
    assert_true(has_timing(model, resumed) && has_timing(model, "resume"));
  }
  bool turned = o.bundle == LAVDM_BUNDLE_ROTATION || o.bundle == LAVDM_BUNDLE_SHIFT;
  assert_true(has_timing(model, turned ? "expansion" : "order") || data->edges);
  lavdm_free(model);
}

/* Nothing is left of a test that failed. */
static int fresh(void **state) {
  (void)state;
  unlink(path);
  return 0;
}

#endif
