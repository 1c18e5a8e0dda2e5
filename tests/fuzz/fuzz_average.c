/* Class averages of a few images of a few pixels, with any options: finite values, or an error. */
#include "fuzz.h"
#include "problem.h"
#include "lavdm/average.h"

#include <math.h>
#include <string.h>

enum { IMAGES = 40, SIDE = 9 };

static void check(const lavdm_average_t *a) {
  int64_t pixels = a->height * a->width;
  for (int64_t i = 0; i < a->count; i++) {
    PROMISE(a->centre[i] >= 0 && a->centre[i] < a->n, "an average is about an image");
    for (int64_t k = 0; k < a->k; k++) {
      int64_t j = a->index[i * a->k + k];
      PROMISE(j >= -1 && j < a->n, "a neighbour is an image, or none");
      PROMISE(j < 0 || !isnan(a->distance[i * a->k + k]), "a distance is a number");
      PROMISE(j < 0 || isfinite(a->angle[i * a->k + k]), "an angle is a number");
    }
    for (int64_t l = 0; l < pixels; l++) PROMISE(isfinite(a->average[i * pixels + l]), "a pixel is finite");
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static double x[IMAGES * SIDE * SIDE];
  bytes_t b = {data, size};
  lavdm_average_options o;
  lavdm_options how;
  lavdm_average_t *average = NULL;
  lavdm_error error = {0};
  lavdm_average_default(&o);
  o.method = (lavdm_average_method)bytes_below(&b, 5);
  o.neighbours = bytes_below(&b, 12) - 2;
  o.edges = bytes_below(&b, 12) - 2;
  o.members = bytes_below(&b, 12) - 2;
  o.rounds = bytes_below(&b, 5) - 1;
  o.classes = bytes_below(&b, 3) ? 0 : bytes_below(&b, 64) - 1;
  problem_options(&b, &how);
  if (bytes_below(&b, 4)) o.how = &how;
  int64_t side = 1 + bytes_below(&b, SIDE), n = bytes_below(&b, IMAGES + 1);
  double scale = bytes_below(&b, 4) ? 1 : bytes_number(&b);
  for (int64_t i = 0; i < n * side * side; i++)
    x[i] = scale * (b.left ? bytes_number(&b) : sin((double)(i * i % 101)));
  lavdm_data images = {.points = x, .n = n, .p = side * side, .height = side, .width = side};
  int status = lavdm_average(&images, &o, &average, &error);
  fuzz_check_error(status, &error);
  PROMISE((status >= 0) == (average != NULL), "there are averages or an error");
  if (average) check(average);
  lavdm_average_free(average);
  return 0;
}
