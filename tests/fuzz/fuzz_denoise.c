/* Denoising of pictures of a few pixels, with any options: finite values, or an error. */
#include "fuzz.h"
#include "bytes.h"
#include "lavdm/denoise.h"

#include <math.h>
#include <string.h>

enum { SIDE = 14, CHANNELS = 4 }; /* larger ones take seconds */

static void take_options(bytes_t *b, lavdm_denoise_options *o) {
  lavdm_denoise_default(o);
  o->method = (lavdm_denoise_method)bytes_below(b, 5);
  o->average = (lavdm_denoise_average)bytes_below(b, 4);
  o->sigma = bytes_below(b, 4) ? 20 : bytes_number(b);
  o->passes = bytes_below(b, 3);
  o->patch = bytes_below(b, 3) ? 3 + 2 * bytes_below(b, 3) : bytes_below(b, 32) - 2;
  o->window = bytes_below(b, 3) ? 5 + 2 * bytes_below(b, 3) : bytes_below(b, 32) - 2;
  o->neighbours = bytes_below(b, 12);
  o->step = bytes_below(b, 6) - 1;
  o->turned = bytes_below(b, 9) - 1;
  o->landmarks = 3 + bytes_below(b, 10);
  o->bandwidth = bytes_below(b, 4) ? 0 : bytes_number(b);
  o->threads = 1;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static double picture[SIDE * SIDE * CHANNELS], out[SIDE * SIDE * CHANNELS];
  bytes_t b = {data, size};
  lavdm_denoise_options options;
  lavdm_denoise_info info = {0};
  lavdm_error error = {0};
  take_options(&b, &options);
  int64_t height = bytes_below(&b, SIDE + 1), width = bytes_below(&b, SIDE + 1),
          channels = bytes_below(&b, 6), count = height * width * channels;
  if (channels > CHANNELS) count = 0;
  double scale = bytes_below(&b, 4) ? 16 : bytes_number(&b);
  for (int64_t i = 0; i < count; i++) picture[i] = scale * (b.left ? bytes_number(&b) : (double)(i * 7 % 13));
  int status = lavdm_denoise(picture, height, width, channels, &options, out, &info, &error);
  fuzz_check_error(status, &error);
  for (int64_t i = 0; i < count && status >= 0; i++) PROMISE(isfinite(out[i]), "a pixel is finite");
  double sigma = 0;
  status = lavdm_denoise_sigma(picture, height, width, channels, &sigma, &error);
  fuzz_check_error(status, &error);
  PROMISE(status < 0 || (isfinite(sigma) && sigma >= 0), "noise is not negative");
  return 0;
}
