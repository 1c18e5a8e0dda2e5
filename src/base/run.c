#define _POSIX_C_SOURCE 200809L
#include "base/run.h"

#include "base/memory.h"
#include "base/options.h"

#include <omp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

double run_clock(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void run_time(run_t *run, const char *stage, double seconds) {
  int i = 0;
  while (i < run->timings && strcmp(run->timing[i].stage, stage)) i++;
  if (i < run->timings)
    run->timing[i].seconds += seconds;
  else if (i < MAX_TIMINGS)
    run->timing[run->timings++] = (lavdm_timing){stage, seconds};
}

void run_stage(run_t *run, const char *stage) {
  double now = run_clock();
  if (run->stage) run_time(run, run->stage, now - run->stage_began);
  run->stage = stage;
  run->stage_began = now;
  run_part(run, 0, 1);
  if (stage) run_stopped(run, 0, 1);
}

void run_part(run_t *run, double begin, double share) {
  run->part_begin = begin;
  run->part_share = share;
}

/* Keeps a streamed run within its memory: mapped files count until they are trimmed. */
static void keep_small(run_t *run, double now) {
  if (now - run->last_trim < 0.02) return;
  run->last_trim = now;
  if ((double)memory_resident() > 0.5 * (double)run->options.max_memory) large_trim_all(&run->large);
}

bool run_stopped(run_t *run, int64_t done, int64_t total) {
  if (atomic_load_explicit(&run->stop, memory_order_relaxed)) return true;
  if ((run->options.progress || run->large.files) && omp_get_thread_num() == 0) {
    double now = run_clock();
    if (run->large.files) keep_small(run, now);
    if (run->options.progress && now - run->last_report > 0.1) {
      run->last_report = now;
      double fraction = run->part_begin + run->part_share * (total > 0 ? (double)done / (double)total : 1);
      if (run->options.progress(run->stage, fraction, run->options.progress_user))
        atomic_store(&run->stop, true);
    }
  }
  return atomic_load_explicit(&run->stop, memory_order_relaxed);
}

int run_status(run_t *run) {
  if (!atomic_load(&run->stop)) return LAVDM_OK;
  return fail(run->error, LAVDM_ERROR_INTERRUPTED, "interrupted during %s",
              run->stage ? run->stage : "the run");
}

int run_threads(run_t *run, int64_t asked) {
  int64_t count = asked > 0 ? asked : omp_get_max_threads();
  int found = threads_find(asked, run->error);
  run->threads = found > 0 ? found : 1;
  if (found > 0 && found < count)
    run_reason(run, "threads", "the limits of this process leave room for %d of %lld", found,
               (long long)count);
  return found > 0 ? LAVDM_OK : found;
}

int run_room(run_t *run, double bytes) {
  lavdm_options *o = &run->options;
  if (o->max_memory == LAVDM_AUTO) o->max_memory = mem_available();
  if (bytes <= (double)o->max_memory) return LAVDM_OK;
  double gb = 1e9;
  return fail(
      run->error, LAVDM_ERROR_MEMORY,
      "about %.3g GB of memory are needed and %.3g GB may be used: take fewer landmarks, components or "
      "neighbours, %sraise max_memory",
      bytes / gb, (double)o->max_memory / gb,
      has_landmarks(o) && !run->large.files ? "use stream or single precision, or " : "or ");
}

void run_warn(run_t *run, const char *format, ...) {
  if (run->warnings == MAX_WARNINGS) return;
  va_list list;
  va_start(list, format);
  vsnprintf(run->warning[run->warnings++], WARNING_SIZE, format, list);
  va_end(list);
}

void run_reason(run_t *run, const char *option, const char *format, ...) {
  size_t name = strlen(option);
  int i = 0;
  while (i < run->reasons && (strncmp(run->reason[i], option, name) || run->reason[i][name] != ':')) i++;
  if (i == MAX_REASONS) return;
  if (i == run->reasons) run->reasons++;
  int used = snprintf(run->reason[i], WARNING_SIZE, "%s: ", option);
  va_list list;
  va_start(list, format);
  vsnprintf(run->reason[i] + used, WARNING_SIZE - (size_t)used, format, list);
  va_end(list);
}
