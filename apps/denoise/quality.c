/*
 * PSNR = 10 log10(peak^2 / mean squared difference), and the mean over all windows of 7 x 7 pixels of
 *     SSIM = (2 m_a m_b + c1) (2 s_ab + c2) / ((m_a^2 + m_b^2 + c1) (s_a^2 + s_b^2 + c2)),
 * m the means, s the (co)variances with n - 1, c1 = (0.01 peak)^2, c2 = (0.03 peak)^2.
 */
#include "lavdm/denoise.h"

#include <math.h>

enum { SIDE = 7 };

static double window_ssim(const double *a, const double *b, int64_t row, int64_t step, double peak) {
  const double n = SIDE * SIDE, c1 = 1e-4 * peak * peak, c2 = 9e-4 * peak * peak;
  double ma = 0, mb = 0, aa = 0, bb = 0, ab = 0;
  for (int y = 0; y < SIDE; y++)
    for (int x = 0; x < SIDE; x++) {
      ma += a[y * row + x * step] / n;
      mb += b[y * row + x * step] / n;
    }
  for (int y = 0; y < SIDE; y++)
    for (int x = 0; x < SIDE; x++) {
      const double u = a[y * row + x * step] - ma, v = b[y * row + x * step] - mb;
      aa += u * u / (n - 1);
      bb += v * v / (n - 1);
      ab += u * v / (n - 1);
    }
  return (2 * ma * mb + c1) * (2 * ab + c2) / ((ma * ma + mb * mb + c1) * (aa + bb + c2));
}

void lavdm_denoise_quality(const double *a, const double *b, int64_t height, int64_t width, int64_t channels,
                           double peak, double *psnr, double *ssim) {
  const int64_t colours = channels > 2 ? 3 : 1, row = width * channels;
  double error = 0, sum = 0;
  for (int64_t k = 0; k < height * width; k++)
    for (int64_t c = 0; c < colours; c++) {
      const double e = a[k * channels + c] - b[k * channels + c];
      error += e * e;
    }
  *psnr = 10 * log10(peak * peak * (double)(height * width * colours) / error);
  *ssim = NAN;
  if (height < SIDE || width < SIDE) return;
  int threads = lavdm_threads(LAVDM_AUTO, NULL);
  if (threads < 1) threads = 1;
#pragma omp parallel for num_threads(threads) reduction(+ : sum)
  for (int64_t y = 0; y <= height - SIDE; y++)
    for (int64_t x = 0; x <= width - SIDE; x++)
      for (int64_t c = 0; c < colours; c++) {
        const int64_t at = y * row + x * channels + c;
        sum += window_ssim(a + at, b + at, row, channels, peak);
      }
  *ssim = sum / (double)((height - SIDE + 1) * (width - SIDE + 1) * colours);
}
