/*
 * Turned patches like a given one, from the whole picture, through landmark patches.
 *
 * The patches of the grid that have structure are the points (flat ones are served by their
 * window); a random share of them are the landmarks; points are compared with landmarks by
 * rotation-invariant distance d and the angle that attains it.
 *
 * rid:    candidates are the points that have one of their nearest landmarks in common; those with the
 *         least d to the point itself are offered.
 * lavdm:  the graph of points and landmarks, weights exp(-d^2/eps) and the angles as connection; the
 *         nearest points by vector diffusion distance are offered.
 *
 * A large picture is worked on in blocks.
 */
#include "denoise/turned.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 512, LEAST = 64 };

/* Whether the patch at (y,x) has more contrast than what the noise of the guide and a flat patch make. */
static bool structured(const plane *p, const patch_shape *shape, int64_t at, double limit) {
  double sum = 0, square = 0;
  for (int t = 0; t < shape->size; t++) {
    const double v = p->value[at + shape->offset[t]];
    sum += v;
    square += v * v;
  }
  const double mean = sum / shape->size;
  return square / shape->size - mean * mean > limit;
}

/* The points of the block of grid rows r0 .. r1-1 and columns c0 .. c1-1. */
static bool collect(const job *j, const plane *guide, const grid *g, double noise, int64_t r0, int64_t r1,
                    int64_t c0, int64_t c1, points *b) {
  patch_shape shape;
  const double sigma2 = j->sigma * j->sigma, limit = 1.2 * noise * noise + 0.1 * sigma2;
  const int64_t room = (r1 - r0) * (c1 - c0);
  patch_make(&shape, j->o.patch / 2, guide->stride);
  b->n = 0;
  b->y = take(room, sizeof *b->y);
  b->x = take(room, sizeof *b->x);
  b->place = take(room, sizeof *b->place);
  if (!b->y || !b->x || !b->place) return false;
  for (int64_t r = r0; r < r1; r++)
    for (int64_t c = c0; c < c1; c++) {
      const int64_t y = grid_y(g, r), x = grid_x(g, c);
      if (!structured(guide, &shape, plane_at(guide, y, x), limit)) continue;
      b->y[b->n] = (int32_t)y;
      b->x[b->n] = (int32_t)x;
      b->place[b->n++] = r * g->columns + c;
    }
  return true;
}

static void points_free(points *b) {
  free(b->y);
  free(b->x);
  free(b->place);
  free(b->landmark);
  free(b->near);
  free(b->distance);
  free(b->angle);
  lavdm_stack_free(b->stack);
}

/* Patches as rows, for the library. */
static int read_patches(void *user, int64_t first, int64_t count, void *rows) {
  const points *b = user;
  float *to = rows;
  for (int64_t k = first; k < first + count; k++)
    for (int64_t v = -b->radius; v <= b->radius; v++, to += 2 * b->radius + 1)
      memcpy(to, b->guide->value + plane_at(b->guide, b->y[k] + v, b->x[k] - b->radius),
             (size_t)(2 * b->radius + 1) * sizeof *to);
  return LAVDM_OK;
}

static uint64_t random_next(uint64_t *state) {
  uint64_t z = *state += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/* m of the n points at random, one from each of m runs of neighbouring ones. */
static bool choose_landmarks(const job *j, points *b) {
  uint64_t state = j->o.seed;
  b->m = j->o.landmarks < b->n / 4 ? j->o.landmarks : b->n / 4;
  b->landmark = take(b->m, sizeof *b->landmark);
  if (!b->landmark) return false;
  for (int64_t k = 0; k < b->m; k++) {
    const int64_t from = k * b->n / b->m, to = (k + 1) * b->n / b->m;
    b->landmark[k] = from + (int64_t)(random_next(&state) % (uint64_t)(to - from));
  }
  return true;
}

/* The stack, the landmarks, and the nearest landmarks of every point. */
static int prepare(const job *j, double noise, points *b, lavdm_error *error) {
  const int64_t side = 2 * b->radius + 1;
  lavdm_data data = {.n = b->n,
                     .p = side * side,
                     .type = LAVDM_F32,
                     .read = read_patches,
                     .read_user = b,
                     .height = side,
                     .width = side};
  lavdm_options how;
  lavdm_options_default(&how);
  how.bundle = LAVDM_BUNDLE_ROTATION;
  how.precision = LAVDM_PRECISION_SINGLE;
  how.noise = noise;
  how.threads = j->threads;
  how.seed = j->o.seed;
  int status = lavdm_stack_new(&data, &how, &b->stack, error);
  if (status < 0) return status;
  b->k = b->m < NEAR ? b->m : NEAR;
  if (!choose_landmarks(j, b)) return say_memory(error, "the landmarks");
  b->k = b->m - 1 < NEAR ? b->m - 1 : NEAR;
  b->near = take(b->n * b->k, sizeof *b->near);
  b->distance = take(b->n * b->k, sizeof *b->distance);
  b->angle = take(b->n * b->k, sizeof *b->angle);
  if (!b->near || !b->distance || !b->angle) return say_memory(error, "the nearest landmarks");
  return lavdm_stack_neighbours(b->stack, NULL, b->n, b->landmark, b->m, b->k, b->near, b->distance, b->angle,
                                NULL, error);
}

/* Appends the chosen points of b (n x most, -1: none) to the offers. */
static int append(const points *b, const int64_t *chosen, const double *angle, int64_t most, offers *o,
                  lavdm_error *error) {
  const int64_t room = o->entries + b->n * most;
  int32_t *y = realloc(o->y, (size_t)room * sizeof *y);
  if (y) o->y = y;
  int32_t *x = realloc(o->x, (size_t)room * sizeof *x);
  if (x) o->x = x;
  float *a = realloc(o->angle, (size_t)room * sizeof *a);
  if (a) o->angle = a;
  if (!y || !x || !a) return say_memory(error, "the turned patches");
  for (int64_t i = 0; i < b->n; i++) {
    o->first[b->place[i]] = o->entries;
    for (int64_t e = i * most; e < (i + 1) * most; e++) {
      if (chosen[e] < 0) continue;
      o->y[o->entries] = b->y[chosen[e]];
      o->x[o->entries] = b->x[chosen[e]];
      o->angle[o->entries++] = (float)angle[e];
    }
    o->count[b->place[i]] = (int32_t)(o->entries - o->first[b->place[i]]);
  }
  return LAVDM_OK;
}

/* One block, from its points to its offers. */
static int block_run(const job *j, double noise, points *b, offers *out, lavdm_error *error) {
  const int64_t most = j->o.turned;
  int status = prepare(j, noise, b, error);
  if (status < 0) return status;
  int64_t *chosen = take(b->n * most, sizeof *chosen);
  double *angle = take(b->n * most, sizeof *angle);
  if (!chosen || !angle)
    status = say_memory(error, "the turned patches");
  else if (j->o.method == LAVDM_DENOISE_RID)
    status = choose_rid(j, b, most, chosen, angle, error);
  else
    status = choose_diffusion(j, b, most, chosen, angle, error);
  if (status >= 0) status = append(b, chosen, angle, most, out, error);
  free(chosen);
  free(angle);
  return status;
}

int turned_find(const job *j, const plane *guide, const grid *g, double noise, offers *out,
                lavdm_error *error) {
  const int64_t down = (g->height + BLOCK - 1) / BLOCK, across = (g->width + BLOCK - 1) / BLOCK;
  int status = LAVDM_OK;
  *out = (offers){.first = take(g->rows * g->columns, sizeof(int64_t)),
                  .count = take(g->rows * g->columns, sizeof(int32_t))};
  if (!out->first || !out->count) status = say_memory(error, "the turned patches");
  for (int64_t k = 0; k < down * across && status >= 0; k++) {
    const int64_t row = k / across, column = k % across;
    points b = {.guide = guide, .radius = j->radius};
    if (job_report(j, "comparing", (double)k / (double)(down * across)))
      status = denoise_say(error, LAVDM_ERROR_INTERRUPTED, "interrupted");
    else if (!collect(j, guide, g, noise, row * g->rows / down, (row + 1) * g->rows / down,
                      column * g->columns / across, (column + 1) * g->columns / across, &b))
      status = say_memory(error, "the patches of a block");
    else if (b.n >= LEAST)
      status = block_run(j, noise, &b, out, error);
    points_free(&b);
  }
  return status < 0 ? status : LAVDM_OK;
}
