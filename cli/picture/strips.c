/*
 * An image that is turned by the angle t, after a reflection of its rows, has at (x, y), from the middle, the
 * value that the image has at (x cos t + y sin t, (y cos t - x sin t) s), s = -1 with the reflection and 1
 * without.
 */
#include "picture/strips.h"
#include "base/command.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SIDE = 96 }; /* pixels of a picture; of larger ones means of squares are drawn */

/* A stack, as rows of a file or whole in memory. */
typedef struct {
  io_rows rows;
  io_array whole;
  bool streamed;
  int64_t count, height, width;
} images_t;

static void stack_close(images_t *s) {
  if (s->streamed) io_rows_close(&s->rows);
  io_array_free(&s->whole);
}

static int stack_open(const char *path, images_t *s, lavdm_error *error) {
  *s = (images_t){0};
  int status = io_rows_open(path, &s->rows, error);
  if (status < 0) return status;
  s->streamed = status > 0;
  if (s->streamed) {
    s->count = s->rows.count, s->height = s->rows.lines;
    if (s->height > 0) s->width = s->rows.width / s->height;
  } else {
    status = io_read(path, &s->whole, error);
    if (status < 0) return status;
    bool images = s->whole.rank == 3 && s->whole.type == IO_REAL;
    if (images) s->count = s->whole.shape[0], s->height = s->whole.shape[1], s->width = s->whole.shape[2];
  }
  if (s->height > 1 && s->width > 1) return LAVDM_OK;
  stack_close(s);
  return refuse(error, LAVDM_ERROR_DATA, "--data %.200s: not a stack of images, count x height x width",
                path);
}

static int stack_image(const images_t *s, int64_t i, double *out, lavdm_error *error) {
  int64_t pixels = s->height * s->width;
  if (!s->streamed) {
    memcpy(out, (const double *)s->whole.data + i * pixels, (size_t)pixels * sizeof *out);
    return LAVDM_OK;
  }
  int status = io_rows_read(&s->rows, i, 1, out, error);
  if (s->rows.type == IO_SINGLE) /* from the last, since they share the room */
    for (int64_t k = pixels; status >= 0 && k-- > 0;) {
      float x;
      memcpy(&x, (const char *)out + (size_t)k * sizeof x, sizeof x);
      out[k] = (double)x;
    }
  return status;
}

int strips_shape(const char *path, int64_t shape[2], int64_t *count, lavdm_error *error) {
  images_t s;
  int status = stack_open(path, &s, error);
  if (status < 0) return status;
  shape[0] = s.height, shape[1] = s.width, *count = s.count;
  stack_close(&s);
  return LAVDM_OK;
}

/* ------------------------------------------------------------------ pixels */

static double pixel(const double *image, int64_t h, int64_t w, double x, double y) {
  double x0 = floor(x), y0 = floor(y), sum = 0;
  for (int k = 0; k < 4; k++) {
    double cx = x0 + (k & 1), cy = y0 + (k >> 1), weight = (1 - fabs(x - cx)) * (1 - fabs(y - cy));
    if (weight > 0 && cx >= 0 && cy >= 0 && cx < (double)w && cy < (double)h)
      sum += weight * image[(int64_t)cy * w + (int64_t)cx];
  }
  return sum;
}

static void turn(const double *image, int64_t h, int64_t w, double angle, bool reflected, double *out) {
  double c = cos(angle), s = sin(angle), mx = (double)(w - 1) / 2, my = (double)(h - 1) / 2;
  for (int64_t i = 0; i < h; i++)
    for (int64_t j = 0; j < w; j++) {
      double x = (double)j - mx, y = (double)i - my, back = y * c - x * s;
      out[i * w + j] = pixel(image, h, w, mx + x * c + y * s, my + (reflected ? -back : back));
    }
}

/* To its place, by squares of `step` pixels, the least black and the greatest white. */
static void place(const strips_t *to, int64_t top, int64_t left, const double *image, int64_t h, int64_t w,
                  int64_t step) {
  double low = image[0], high = image[0];
  for (int64_t k = 0; k < h * w; k++) low = fmin(low, image[k]), high = fmax(high, image[k]);
  for (int64_t i = 0; i < h / step; i++)
    for (int64_t j = 0; j < w / step; j++) {
      double sum = 0;
      for (int64_t k = 0; k < step * step; k++) sum += image[(i * step + k / step) * w + j * step + k % step];
      double x = high > low ? (sum / (double)(step * step) - low) / (high - low) : 0;
      to->grey[(top + i) * to->width + left + j] = isfinite(x) ? x : 0;
    }
}

/* ------------------------------------------------------------------ strips */

/* One strip; space: three images. */
static int make_row(const images_t *s, const members_t *m, int64_t g, int nearest, int64_t step, int64_t top,
                    const strips_t *out, double *space, lavdm_error *error) {
  int64_t pixels = s->height * s->width, gap = out->first - 2 * out->tile_wide;
  double *image = space, *turned = space + pixels, *sum = space + 2 * pixels;
  int status = stack_image(s, m->image[g], sum, error);
  if (status < 0) return status;
  place(out, top, out->tile_wide + gap / 2, sum, s->height, s->width, step);
  for (int64_t k = 0; k < m->k && status >= 0; k++) {
    int64_t at = g * m->k + k, other = m->neighbour[at];
    if (other < 0 || other >= s->count) continue;
    status = stack_image(s, other, image, error);
    if (status < 0) break;
    turn(image, s->height, s->width, m->angle[at], m->reflected && m->reflected[at], turned);
    for (int64_t i = 0; i < pixels; i++) sum[i] += turned[i];
    if (k < nearest) place(out, top, out->first + k * out->tile_wide, turned, s->height, s->width, step);
  }
  if (status >= 0) place(out, top, 0, sum, s->height, s->width, step);
  return status;
}

int strips_make(const char *path, const members_t *m, const int64_t *which, int rows, int nearest,
                strips_t *out, lavdm_error *error) {
  images_t s;
  int status = stack_open(path, &s, error);
  *out = (strips_t){0};
  if (status < 0) return status;
  int64_t side = s.height > s.width ? s.height : s.width, step = (side + MOST_SIDE - 1) / MOST_SIDE;
  int64_t high = s.height / step, wide = s.width / step, gap = wide / 16 + 1;
  out->tile_high = high + gap, out->tile_wide = wide + gap;
  out->first = 2 * out->tile_wide + 4 * gap;
  out->height = rows * out->tile_high - gap, out->width = out->first + nearest * out->tile_wide - gap;
  out->grey = malloc((size_t)(out->height * out->width) * sizeof *out->grey);
  double *space = malloc((size_t)(3 * s.height * s.width) * sizeof *space);
  if (!out->grey || !space) status = refuse(error, LAVDM_ERROR_MEMORY, "out of memory for the strips");
  for (int64_t k = 0; status >= 0 && k < out->height * out->width; k++) out->grey[k] = 1;
  for (int k = 0; k < rows && status >= 0; k++)
    status = make_row(&s, m, which[k], nearest, step, k * out->tile_high, out, space, error);
  free(space);
  stack_close(&s);
  return status;
}

void strips_free(strips_t *s) {
  free(s->grey);
  *s = (strips_t){0};
}
