/*
 * T threads that call BLAS side by side take T of its buffers; while it works with T threads itself,
 * T - 1 of them have one each, for good: 2 T - 1. A buffer stays mapped once it is, so that what T
 * threads once had, T threads have from then on.
 */
#define _GNU_SOURCE
#include "base/threads.h"

#include "base/address.h"

#include <omp.h>
#include <pthread.h>

enum { MOST = 1024 }; /* threads that are tried; more are taken at their word */

static const double BUFFER = 128 << 20; /* of OpenBLAS, for each thread; less on small processors */
static const double STACK = 256 << 10;  /* that a thread needs, BLAS included */
static const double SPARE = 32 << 20;   /* what a run of one thread has beside it, at the least */

/* What is known of this process, whatever runs in it. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int started = 1; /* threads that ran side by side once: OpenMP keeps them */
static int granted;     /* threads whose buffers are mapped */

/* OpenBLAS's own switches; absent from other BLAS libraries. */
extern void openblas_set_num_threads(int count) __attribute__((weak));
extern int openblas_get_num_threads(void) __attribute__((weak));
extern void *blas_memory_alloc(int place) __attribute__((weak));
extern void blas_memory_free(void *buffer) __attribute__((weak));

int blas_threads(int count) {
  int before = openblas_get_num_threads ? openblas_get_num_threads() : 1;
  if (openblas_set_num_threads && before != count) openblas_set_num_threads(count);
  return before;
}

static double stack_bytes(void) {
  pthread_attr_t usual;
  size_t size = 8 << 20;
  if (!pthread_getattr_default_np(&usual)) {
    pthread_attr_getstacksize(&usual, &size);
    pthread_attr_destroy(&usual);
  }
  return (double)size;
}

static int buffers_of(int threads) {
  return blas_memory_alloc ? 2 * threads - 1 : 0;
}

double threads_bytes(int threads) {
  return BUFFER * buffers_of(threads) + 2 * (threads - 1) * stack_bytes();
}

/* -------------------------------------------------------------- threads */

static void *wait_at(void *gate) {
  pthread_mutex_lock(gate);
  pthread_mutex_unlock(gate);
  return NULL;
}

/* How many of `count` threads, this one among them, run side by side. */
static int start_all(int count) {
  static pthread_t thread[MOST];
  pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
  int others = 0;
  pthread_mutex_lock(&gate);
  while (others < count - 1 && !pthread_create(&thread[others], NULL, wait_at, &gate)) others++;
  pthread_mutex_unlock(&gate);
  for (int t = 0; t < others; t++) pthread_join(thread[t], NULL);
  return others + 1;
}

/* Twice, since BLAS starts as many again. */
static int find_started(int count) {
  if (count <= started || count > MOST / 2) return count;
  if (stack_bytes() < STACK) return started; /* ulimit -s */
  int found = (start_all(2 * count - 1) + 1) / 2;
  if (found > started) started = found;
  return found < count ? started : count;
}

static int wanted(int64_t asked) {
  int64_t count = asked > 0 ? asked : omp_get_max_threads();
  return count < INT32_MAX ? (int)count : INT32_MAX;
}

int threads_startable(int64_t asked) {
  pthread_mutex_lock(&lock);
  int found = find_started(wanted(asked));
  pthread_mutex_unlock(&lock);
  return found;
}

/* Maps the buffers of `count` threads, for which there is room. */
static void map_buffers(int count) {
  static void *buffer[2 * MOST];
  int buffers = buffers_of(count);
  for (int b = 0; b < buffers; b++) buffer[b] = blas_memory_alloc(0);
  for (int b = 0; b < buffers; b++) blas_memory_free(buffer[b]);
}

/* One thread takes what there is; more take half of it, and leave the rest to the work. */
static int find_room(int count, lavdm_error *error) {
  if (count <= granted || count > MOST || !blas_memory_alloc || !address_limited()) return count;
  double mapped = granted ? BUFFER * buffers_of(granted) : 0;
  while (count > 1 && count > granted && !address_free(2 * threads_bytes(count) - mapped, false)) count--;
  if (count <= granted) return count;
  if (count == 1 && !address_free(threads_bytes(1) + SPARE, false))
    return fail(error, LAVDM_ERROR_MEMORY,
                "BLAS needs %.0f MB of address space and the limit of this process leaves %.0f MB: raise it "
                "(ulimit -v)",
                (BUFFER + SPARE) / 1e6, address_left() / 1e6);
  map_buffers(count);
  granted = count;
  /* a thread that BLAS started before, and that found no room, waits for ever: nobody may wait for it */
  if (openblas_get_num_threads() > count) openblas_set_num_threads(count);
  return count;
}

int threads_find(int64_t asked, lavdm_error *error) {
  pthread_mutex_lock(&lock);
  int found = find_room(find_started(wanted(asked)), error);
  pthread_mutex_unlock(&lock);
  return found;
}

int lavdm_threads(int64_t asked, lavdm_error *error) {
  if (error) *error = (lavdm_error){0};
  return threads_find(asked, error);
}
