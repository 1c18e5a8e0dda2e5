/*
 * One pass over a picture: every patch of the grid gets a group, the nearest in the guide among
 * the patches of its window and the turned ones it is offered; the group an estimate; and the
 * picture is the mean of the estimates that overlap.
 *
 * Weights in a group: exp(-max(d^2/size - excess, 0)/(soft sigma^2)), with excess = 2 sigma^2 if the
 * guide is noisy. The shrinkage serves every member that is not turned, not only the patch that
 * the group was made for.
 *
 * Rows of the grid are worked on in strips, first the even ones, then the odd ones: two of one kind
 * never reach the same pixel, so that the sums do not depend on the threads.
 */
#include "denoise/plane.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  const job *j;
  const plane *guide, *channel, *pilot;
  int channels;
  const grid *g;
  const offers *turned;
  patch_shape shape;
  int64_t reach;
  double *sum[MAX_CHANNELS], *times; /* of the estimates at each pixel of a plane with its border */
  int64_t places, done;
  bool stop, memory;
} pass;

/* Of one thread. */
typedef struct {
  group group;
  member *list; /* a heap: the furthest first */
  float *row;   /* distances of one row of the window */
  float patch[MAX_PATCH], estimate[MAX_PATCH];
  int count;
} scratch;

/* Offers a member to the heap of the `most` nearest. */
static void offer(scratch *s, int most, member m) {
  member *list = s->list;
  int i;
  if (s->count < most) {
    for (i = s->count++; i && list[(i - 1) / 2].distance2 < m.distance2; i = (i - 1) / 2)
      list[i] = list[(i - 1) / 2];
    list[i] = m;
    return;
  }
  if (m.distance2 >= list[0].distance2) return;
  for (i = 0;;) {
    int below = 2 * i + 1;
    if (below >= most) break;
    if (below + 1 < most && list[below + 1].distance2 > list[below].distance2) below++;
    if (list[below].distance2 <= m.distance2) break;
    list[i] = list[below];
    i = below;
  }
  list[i] = m;
}

/* The patches around (y,x), as they are. */
static void search_window(const pass *p, int64_t y, int64_t x, scratch *s) {
  const plane *g = p->guide;
  const int64_t y0 = y > p->reach ? y - p->reach : 0, x0 = x > p->reach ? x - p->reach : 0;
  const int64_t y1 = y + p->reach < g->height ? y + p->reach : g->height - 1;
  const int64_t x1 = x + p->reach < g->width ? x + p->reach : g->width - 1, width = x1 - x0 + 1;
  for (int64_t v = y0; v <= y1; v++) {
    float *row = s->row;
    const float *from = g->value + plane_at(g, v, x0);
    memset(row, 0, (size_t)width * sizeof *row);
    for (int t = 0; t < p->shape.size; t++) {
      const float *q = from + p->shape.offset[t], own = s->patch[t];
#pragma omp simd
      for (int64_t u = 0; u < width; u++) row[u] += (q[u] - own) * (q[u] - own);
    }
    if (v == y) row[x - x0] = INFINITY;
    for (int64_t u = 0; u < width; u++)
      if (row[u] < INFINITY && (s->count < p->j->o.neighbours || row[u] < s->list[0].distance2))
        offer(s, (int)p->j->o.neighbours, (member){.distance2 = row[u], .at = plane_at(g, v, x0 + u)});
  }
}

/* The turned patches that are offered to grid point k at (y,x), but for those of the window that are
 * not really turned. */
static void search_turned(const pass *p, int64_t k, int64_t y, int64_t x, scratch *s) {
  const offers *o = p->turned;
  if (!o->first) return;
  for (int64_t e = o->first[k]; e < o->first[k] + o->count[k]; e++) {
    if (llabs(o->y[e] - y) <= p->reach && llabs(o->x[e] - x) <= p->reach && fabsf(o->angle[e]) < 0.1f)
      continue;
    member m = {.at = plane_at(p->guide, o->y[e], o->x[e]), .angle = o->angle[e], .turned = true};
    patch_turned(p->guide, &p->shape, m.at, m.angle, s->estimate);
    for (int t = 0; t < p->shape.size; t++)
      m.distance2 += (s->patch[t] - s->estimate[t]) * (s->patch[t] - s->estimate[t]);
    offer(s, (int)p->j->o.neighbours, m);
  }
}

static void copy_member(const plane *from, const patch_shape *shape, const member *m, float *to) {
  if (m->turned)
    patch_turned(from, shape, m->at, m->angle, to);
  else
    for (int t = 0; t < shape->size; t++) to[t] = from->value[m->at + shape->offset[t]];
}

static void weigh(const pass *p, scratch *s) {
  const double sigma2 = p->j->sigma * p->j->sigma, excess = p->pilot ? 0 : 2 * sigma2;
  const double soft = p->j->soft * sigma2, size = p->shape.size;
  const bool even = !p->pilot && p->j->o.average == LAVDM_DENOISE_SHRINK;
  for (int k = 0; k < s->count; k++) {
    const double d = even ? 0 : s->list[k].distance2 / size - excess;
    s->group.weight[k] = (float)fmax(exp(-fmax(d, 0) / soft), 1e-6);
  }
}

/* An estimate of the patch at `at` joins the sums with a weight. */
static void add(pass *p, int c, int64_t at, float weight, const float *estimate) {
  for (int t = 0; t < p->shape.size; t++) {
    p->sum[c][at + p->shape.offset[t]] += weight * estimate[t];
    if (!c) p->times[at + p->shape.offset[t]] += weight;
  }
}

/* The estimates of channel c from the group in s, the patch itself being at `at`. */
static void estimate(pass *p, int c, int64_t at, scratch *s) {
  group *g = &s->group;
  const int size = p->shape.size;
  const double sigma2 = p->j->sigma * p->j->sigma;
  for (int k = 0; k < s->count; k++) {
    copy_member(&p->channel[c], &p->shape, &s->list[k], g->noisy + (int64_t)k * size);
    if (p->pilot) copy_member(&p->pilot[c], &p->shape, &s->list[k], g->clean + (int64_t)k * size);
  }
  if (p->j->o.average == LAVDM_DENOISE_MEDIAN)
    group_median(g, s->count, size);
  else
    group_mean(g, s->count, size);
  if (p->j->o.average != LAVDM_DENOISE_SHRINK) {
    add(p, c, at, 1, g->mean);
    return;
  }
  if (!p->pilot) memcpy(g->clean, g->noisy, (size_t)s->count * (size_t)size * sizeof(float));
  bool shrinks = group_covariance(g, s->count, size, sigma2, p->pilot != NULL);
  for (int k = 0; k < s->count; k++) {
    if (s->list[k].turned) continue;
    if (shrinks) group_shrink(g, g->noisy + (int64_t)k * size, size, sigma2, s->estimate);
    add(p, c, s->list[k].at, g->weight[k], shrinks ? s->estimate : g->mean);
  }
}

static int64_t patch_run(pass *p, int64_t row, int64_t column, scratch *s) {
  const int64_t y = grid_y(p->g, row), x = grid_x(p->g, column), at = plane_at(p->guide, y, x);
  int64_t places = 0;
  for (int t = 0; t < p->shape.size; t++) s->patch[t] = p->guide->value[at + p->shape.offset[t]];
  s->count = 0;
  offer(s, (int)p->j->o.neighbours, (member){.distance2 = -1, .at = at}); /* itself: always in its group */
  search_window(p, y, x, s);
  search_turned(p, row * p->g->columns + column, y, x, s);
  weigh(p, s);
  for (int c = 0; c < p->channels; c++) estimate(p, c, at, s);
  for (int k = 0; k < s->count; k++) places += s->list[k].turned;
  return places;
}

/* The strips of one kind. */
static void phase(pass *p, int64_t rows, int64_t odd) {
  const int64_t strips = (p->g->rows + rows - 1) / rows;
  const int64_t members = p->j->o.neighbours;
#pragma omp parallel num_threads(p->j->threads)
  {
    scratch s = {.list = take(members + 1, sizeof(member)), .row = take(2 * p->reach + 1, sizeof(float))};
    const bool ready = group_make(&s.group, members, p->shape.size) && s.list && s.row;
    int64_t places = 0;
#pragma omp for schedule(dynamic)
    for (int64_t k = odd; k < strips; k += 2)
      for (int64_t row = k * rows; row < (k + 1) * rows && row < p->g->rows; row++) {
        bool stop;
#pragma omp atomic read
        stop = p->stop;
        if (stop || !ready) break;
        for (int64_t column = 0; column < p->g->columns; column++) places += patch_run(p, row, column, &s);
        int64_t done;
#pragma omp atomic capture
        done = ++p->done;
        if (omp_get_thread_num() || !job_report(p->j, "averaging", (double)done / (double)p->g->rows))
          continue;
#pragma omp atomic write
        p->stop = true;
      }
#pragma omp atomic
    p->places += places;
    if (!ready) {
#pragma omp atomic write
      p->memory = false;
    }
    group_free(&s.group);
    free(s.list);
    free(s.row);
  }
}

static void write_out(const pass *p, float *const *out) {
  const plane *g = p->guide;
  for (int c = 0; c < p->channels; c++)
    for (int64_t y = 0; y < g->height; y++)
      for (int64_t x = 0; x < g->width; x++) {
        const int64_t at = plane_at(g, y, x);
        out[c][y * g->width + x] = (float)(p->sum[c][at] / p->times[at]);
      }
}

int pass_run(const job *j, const plane *guide, const plane *channel, const plane *pilot, int channels,
             const grid *g, const offers *turned, float *const *out, int64_t *places, lavdm_error *error) {
  pass p = {.j = j, .guide = guide, .channel = channel, .pilot = pilot, .channels = channels, .g = g};
  const int64_t count = (guide->height + 2 * guide->border) * guide->stride;
  p.turned = turned;
  p.reach = j->o.window / 2;
  p.memory = true;
  patch_make(&p.shape, j->o.patch / 2, guide->stride);
  p.times = take(count, sizeof(double));
  for (int c = 0; c < channels; c++) p.memory = (p.sum[c] = take(count, sizeof(double))) && p.memory;
  if (p.memory && p.times) {
    /* pixels above and below that estimates reach */
    const int64_t apart = 2 * (p.reach + j->o.patch / 2) + 1, rows = (apart + g->step - 1) / g->step + 1;
    for (int64_t odd = 0; odd < 2; odd++) phase(&p, rows, odd);
    if (p.memory && !p.stop) write_out(&p, out);
  }
  *places = p.places;
  int status = LAVDM_OK;
  if (!p.memory || !p.times)
    status = say_memory(error, "the sums of the estimates");
  else if (p.stop)
    status = denoise_say(error, LAVDM_ERROR_INTERRUPTED, "interrupted");
  for (int c = 0; c < channels; c++) free(p.sum[c]);
  free(p.times);
  return status;
}
