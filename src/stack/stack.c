/* What the public calls on a stack do, in one precision. */
#include "stack/stack.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

enum { BATCH = 64 };

static void stack_free(void *held) {
  stack_body *body = held;
  if (!body) return;
  REAL(steer_basis_free)(body->basis);
  REAL(steer_pca_free)(body->pca);
  large_free(body->full.value);
  mem_free(body->full.norm2);
  large_free(body->reduced.value);
  mem_free(body->reduced.norm2);
  mem_free(body);
}

static int stack_pairs(run_t *run, const lavdm_stack *stack, const int64_t *i, const int64_t *j,
                       int64_t count, double *distance, double *angle, signed char *reflected) {
  const steer_stack *compared = ((const stack_body *)stack->body)->compared;
  bool made = true, mirror = stack->options.reflections == LAVDM_REFLECTIONS_YES;
  run_stage(run, "pairs");
#pragma omp parallel num_threads(run->threads) reduction(&& : made) if (count > BATCH)
  {
    real_t d2[BATCH], theta[BATCH];
    signed char flip[BATCH] = {0};
    steer_work *work = REAL(steer_work_new)(compared->bands, 0, STEER_PAIRS);
#pragma omp for schedule(dynamic, 1)
    for (int64_t from = 0; from < count; from += BATCH) {
      int64_t some = count - from < BATCH ? count - from : BATCH;
      if (!work || run_stopped(run, from, count)) continue;
      REAL(steer_match_pairs)(compared, i + from, j + from, some, work, d2, theta, mirror ? flip : NULL);
      for (int64_t e = 0; e < some; e++) {
        if (distance) distance[from + e] = sqrt((double)d2[e]);
        if (angle) angle[from + e] = (double)theta[e];
        if (reflected) reflected[from + e] = flip[e];
      }
    }
    made = made && work;
    REAL(steer_work_free)(work);
  }
  return made ? run_status(run) : fail_memory(run->error, "the pairs");
}

/* sum += weight times the coefficients a, reflected, then turned by theta. */
static void add_turned(const steer_bands *bands, const real_t *a, double theta, bool reflected, double weight,
                       double *sum) {
  double sign = reflected ? -1 : 1;
  for (int64_t k = 0; k < bands->bands; k++) {
    double cosine = weight * cos((double)k * theta), sine = -weight * sin((double)k * theta);
    for (int64_t c = bands->first[k]; c < bands->first[k + 1]; c++) {
      double re = (double)a[2 * c], im = sign * (double)a[2 * c + 1];
      sum[2 * c] += re * cosine - im * sine;
      sum[2 * c + 1] += re * sine + im * cosine;
    }
  }
}

/* Buffers of one thread. */
typedef struct {
  double *sum;
  real_t *value, *pixels;
} room_t;

/* The average of group g: coefficients. */
static void average_one(const steer_stack *full, const stack_groups *groups, int64_t g, double *sum,
                        real_t *value) {
  int64_t width = 2 * full->bands->size, first = groups->first ? groups->first[g] : g;
  int64_t end = groups->first ? groups->first[g + 1] : g + 1;
  double all = 0;
  memset(sum, 0, (size_t)width * sizeof *sum);
  for (int64_t e = first; e < end; e++) {
    double weight = groups->weight ? groups->weight[e] : 1;
    all += weight;
    if (weight != 0)
      add_turned(full->bands, full->value + groups->objects[e] * width, groups->angle ? groups->angle[e] : 0,
                 groups->reflected && groups->reflected[e], weight, sum);
  }
  for (int64_t c = 0; c < width; c++) value[c] = all != 0 ? (real_t)(sum[c] / all) : 0;
}

static int stack_average(run_t *run, const lavdm_stack *stack, const stack_groups *groups, double *out) {
  const stack_body *body = stack->body;
  int64_t width = 2 * body->full.bands->size, p = stack->info.height * stack->info.width;
  bool made = true;
  int before = blas_threads(1);
  run_stage(run, "averages");
#pragma omp parallel num_threads(run->threads) reduction(&& : made) if (groups->count > 1)
  {
    room_t room = {NEW(double, width), NEW(real_t, BATCH * width), NEW(real_t, BATCH * p)};
    bool ready = room.sum && room.value && room.pixels;
#pragma omp for schedule(dynamic, 1)
    for (int64_t from = 0; from < groups->count; from += BATCH) {
      int64_t some = groups->count - from < BATCH ? groups->count - from : BATCH;
      if (!ready || run_stopped(run, from, groups->count)) continue;
      for (int64_t g = 0; g < some; g++)
        average_one(&body->full, groups, from + g, room.sum, room.value + g * width);
      if (REAL(steer_synthesise)(body->basis, room.value, some, 1, room.pixels) < 0) ready = false;
      for (int64_t c = 0; c < some * p; c++) out[from * p + c] = (double)room.pixels[c];
    }
    made = made && ready;
    mem_free(room.sum);
    mem_free(room.value);
    mem_free(room.pixels);
  }
  blas_threads(before);
  return made ? run_status(run) : fail_memory(run->error, "the averages");
}

const stack_calls_t REAL(stack_calls) = {REAL(stack_build), stack_free, stack_pairs, REAL(stack_nearest),
                                         stack_average};
