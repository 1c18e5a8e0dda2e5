#include "picture/montage.h"
#include "base/command.h"

#include <stdlib.h>

enum { ACROSS = 10, ROWS = 3, GAP = 2, WHITE = 255 };

static double pixel(const lavdm_data *images, int64_t at) {
  return images->type == LAVDM_F32 ? (double)((const float *)images->points)[at]
                                   : ((const double *)images->points)[at];
}

/* Copies values (or, without, an image) to their place, the least black and the greatest white. */
static void place(picture_t *out, int64_t top, int64_t left, int64_t height, int64_t width,
                  const lavdm_data *images, int64_t first, const double *value) {
  double low = 0, high = 0;
  for (int64_t k = 0; k < height * width; k++) {
    double x = value ? value[k] : pixel(images, first + k);
    if (k == 0 || x < low) low = x;
    if (k == 0 || x > high) high = x;
  }
  for (int64_t k = 0; k < height * width; k++) {
    double x = value ? value[k] : pixel(images, first + k);
    int64_t at = (top + k / width) * out->width + left + k % width;
    out->value[at] = high > low ? WHITE * (x - low) / (high - low) : 0;
  }
}

int montage_write(const char *path, const lavdm_data *images, const lavdm_average_t *r, lavdm_error *error) {
  int64_t shown = r->count < ACROSS * ROWS ? r->count : ACROSS * ROWS;
  int64_t across = shown < ACROSS ? shown : ACROSS, rows = 2 * ((shown + ACROSS - 1) / ACROSS);
  int64_t height = r->height, width = r->width, pixels = height * width;
  picture_t out = {
      .height = rows * (height + GAP) - GAP, .width = across * (width + GAP) - GAP, .channels = 1, .bits = 8};
  out.value = malloc((size_t)(out.height * out.width) * sizeof *out.value);
  if (!out.value) return refuse(error, LAVDM_ERROR_MEMORY, "out of memory for the montage");
  for (int64_t k = 0; k < out.height * out.width; k++) out.value[k] = WHITE;
  for (int64_t g = 0; g < shown; g++) {
    int64_t top = 2 * (g / ACROSS) * (height + GAP), left = g % ACROSS * (width + GAP);
    place(&out, top, left, height, width, images, r->centre[g] * pixels, NULL);
    place(&out, top + height + GAP, left, height, width, images, 0, r->average + g * pixels);
  }
  int status = picture_write(path, &out, error);
  picture_free(&out);
  return status;
}
