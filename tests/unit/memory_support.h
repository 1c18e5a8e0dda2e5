/*
 * Allocations that fail in turn, for one test program each: malloc, calloc and realloc are wrapped at
 * link time (tests/CMakeLists.txt). A job that fell short must say so, leave no result and nothing behind.
 */
#ifndef LAVDM_TESTS_MEMORY_SUPPORT_H
#define LAVDM_TESTS_MEMORY_SUPPORT_H

#include "oracle.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

static atomic_bool armed, lasting, fired;
static atomic_long left;

static bool fails(void) {
  if (!atomic_load(&armed)) return false;
  long before = atomic_fetch_sub(&left, 1);
  bool now = before == 0 || (before < 0 && atomic_load(&lasting));
  if (now) atomic_store(&fired, true);
  return now;
}

#include "memory_wrapped.h"

typedef int (*job_t)(const void *context, lavdm_error *error);

/* The job with its `skip`-th allocation failing; false if it made no more than that many. */
static bool run_short(job_t job, const void *context, long skip, bool on) {
  lavdm_error error = {0};
  atomic_store(&fired, false);
  atomic_store(&lasting, on);
  atomic_store(&left, skip);
  int64_t before = live_count();
  atomic_store(&armed, true);
  int status = job(context, &error);
  atomic_store(&armed, false);
  assert_int_equal(live_count(), before);
  if (!atomic_load(&fired)) {
    if (status < 0) fail_msg("%s", error.message);
    return false;
  }
  assert_int_equal(status, LAVDM_ERROR_MEMORY);
  assert_int_equal(error.status, LAVDM_ERROR_MEMORY);
  assert_true(strlen(error.message) > 0);
  return true;
}

/* All allocations of the job in turn, or every `stride`-th; each third of them
 * with all that follow. Returns how many runs fell short. */
static long in_turn(job_t job, const void *context, long stride) {
  long made = 0;
  for (int on = 0; on <= 1; on++)
    for (long skip = 0; run_short(job, context, skip, on); skip += on ? 3 * stride : stride) made++;
  assert_true(made > 0);
  return made;
}

#endif
