/*
 * Non-local means: x(p) = sum over q in the window of w(p,q) y(q) / sum of w(p,q), with
 *     w = exp(-max(d^2 - 2 sigma^2, 0)/(b sigma)^2),
 * d^2 the mean squared difference of the patches around p and q. For one offset q - p the sums over
 * patches are running sums over the picture, so that the width of a patch costs nothing.
 */
#include "denoise/plane.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

enum { STRIP = 16 }; /* rows that one thread works on */

typedef struct {
  float *column; /* sums over the rows of a patch */
  float *sum, *weight, *heaviest;
} strip;

/* Adds the pixels at one offset to the rows y0 .. y1-1. */
static void add_offset(const job *j, const plane *g, const plane *channel, int channels, int64_t y0,
                       int64_t y1, int64_t ey, int64_t ex, strip *s) {
  const int64_t r = j->o.patch / 2, w = g->width, shift = ey * g->stride + ex;
  const float area = (float)(j->o.patch * j->o.patch), two = (float)(2 * j->sigma * j->sigma);
  const float h2 = (float)(j->o.bandwidth * j->o.bandwidth * j->sigma * j->sigma);
  for (int64_t y = y0; y < y1; y++) {
    float *column = s->column;
    memset(column, 0, (size_t)(w + 2 * r) * sizeof *column);
    for (int64_t t = -r; t <= r; t++) {
      const float *a = g->value + plane_at(g, y + t, -r), *b = a + shift;
#pragma omp simd
      for (int64_t x = 0; x < w + 2 * r; x++) column[x] += (a[x] - b[x]) * (a[x] - b[x]);
    }
    float *weight = s->weight + (y - y0) * w, *top = s->heaviest + (y - y0) * w, *sum = s->sum;
    float running = 0;
    for (int64_t x = 0; x < 2 * r; x++) running += column[x];
    float *now = s->column + w + 2 * r;
    for (int64_t x = 0; x < w; x++) {
      running += column[x + 2 * r];
      now[x] = running / area;
      running -= column[x];
    }
#pragma omp simd
    for (int64_t x = 0; x < w; x++) now[x] = expf(-fmaxf(now[x] - two, 0) / h2);
    for (int64_t x = 0; x < w; x++) {
      weight[x] += now[x];
      top[x] = fmaxf(top[x], now[x]);
    }
    for (int c = 0; c < channels; c++) {
      const float *value = channel[c].value + plane_at(&channel[c], y, 0) + shift;
      float *to = sum + ((int64_t)c * STRIP + y - y0) * w;
      for (int64_t x = 0; x < w; x++) to[x] += now[x] * value[x];
    }
  }
}

/* A pixel itself has the weight of the most similar other. */
static void finish(const plane *channel, int channels, int64_t y0, int64_t y1, const strip *s,
                   float *const *out) {
  const int64_t w = channel->width;
  for (int c = 0; c < channels; c++)
    for (int64_t y = y0; y < y1; y++)
      for (int64_t x = 0; x < w; x++) {
        const float own = channel[c].value[plane_at(&channel[c], y, x)];
        const float top = fmaxf(s->heaviest[(y - y0) * w + x], 1e-6f);
        out[c][y * w + x] =
            (s->sum[((int64_t)c * STRIP + y - y0) * w + x] + top * own) / (s->weight[(y - y0) * w + x] + top);
      }
}

static bool strip_make(strip *s, int64_t width, int64_t patch, int channels) {
  *s = (strip){.column = take(2 * (width + patch), sizeof(float)),
               .sum = take(channels * STRIP * width, sizeof(float)),
               .weight = take(STRIP * width, sizeof(float)),
               .heaviest = take(STRIP * width, sizeof(float))};
  return s->column && s->sum && s->weight && s->heaviest;
}

static void strip_run(const job *j, const plane *guide, const plane *channel, int channels, int64_t y0,
                      strip *s, float *const *out) {
  const int64_t reach = j->o.window / 2, w = guide->width;
  const int64_t y1 = y0 + STRIP < guide->height ? y0 + STRIP : guide->height;
  memset(s->sum, 0, (size_t)(channels * STRIP * w) * sizeof(float));
  memset(s->weight, 0, (size_t)(STRIP * w) * sizeof(float));
  memset(s->heaviest, 0, (size_t)(STRIP * w) * sizeof(float));
  for (int64_t ey = -reach; ey <= reach; ey++)
    for (int64_t ex = -reach; ex <= reach; ex++)
      if (ey || ex) add_offset(j, guide, channel, channels, y0, y1, ey, ex, s);
  finish(channel, channels, y0, y1, s, out);
}

int nlm_run(const job *j, const plane *guide, const plane *channel, int channels, float *const *out,
            lavdm_error *error) {
  const int64_t strips = (guide->height + STRIP - 1) / STRIP;
  int64_t done = 0;
  bool memory = true, stop = false;
#pragma omp parallel num_threads(j->threads)
  {
    strip s;
    bool ready = strip_make(&s, guide->width, j->o.patch, channels);
#pragma omp for schedule(dynamic)
    for (int64_t k = 0; k < strips; k++) {
      bool stopped;
#pragma omp atomic read
      stopped = stop;
      if (stopped || !ready) continue;
      strip_run(j, guide, channel, channels, k * STRIP, &s, out);
      int64_t now;
#pragma omp atomic capture
      now = ++done;
      if (omp_get_thread_num() || !job_report(j, "averaging", (double)now / (double)strips)) continue;
#pragma omp atomic write
      stop = true;
    }
    if (!ready) {
#pragma omp atomic write
      memory = false;
    }
    free(s.column);
    free(s.sum);
    free(s.weight);
    free(s.heaviest);
  }
  if (!memory) return say_memory(error, "the sums of a strip");
  return stop ? denoise_say(error, LAVDM_ERROR_INTERRUPTED, "interrupted") : LAVDM_OK;
}
