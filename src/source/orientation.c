/* The orientation bundle: q = 1, O_ik = sign det(B_i' B_k). */
#include "source/source.h"

#include "frames/polar.h"

#include <tgmath.h>
#include <string.h>

static int64_t elements(const source_t *source, int64_t first, int64_t rows, const int64_t *cols,
                        int64_t count, const real_t *w, real_t *s, real_t *scratch) {
  int64_t d = source->d, stride = count * d, ill = 0;
  real_t *products = scratch, *m = products + rows * d * stride, *rest = m + d * d;
  REAL(frame_products)(source, first, rows, cols, count, products, m);
  /* every singular value is at most 1, so |det| bounds the smallest from below;
   * an edge is ill when even the geometric mean of them is small */
  real_t bound = pow(ILL_COSINE, (real_t)d);
  for (int64_t i = 0; i < rows; i++)
    for (int64_t c = 0; c < count; c++) {
      real_t weight = w[i * count + c], det = 1;
      if (weight > 0) {
        for (int64_t a = 0; a < d; a++)
          memcpy(m + a * d, products + (i * d + a) * stride + c * d, (size_t)d * sizeof *m);
        det = REAL(determinant)(d, m, rest);
      }
      s[i * count + c] = det < 0 ? -weight : weight;
      ill += weight > ILL_WEIGHT && fabs(det) < bound;
    }
  return ill;
}

static int64_t scratch(const source_t *source, int64_t rows, int64_t count) {
  int64_t d = source->d, gathered = count * d * source->p, small = 2 * d * d;
  return rows * d * count * d + (gathered > small ? gathered : small);
}

source_t REAL(source_orientation)(const frames_t *points, const frames_t *references) {
  return (source_t){.q = 1,
                    .p = points->p,
                    .d = points->d,
                    .point_frames = points->b,
                    .reference_frames = references->b,
                    .elements = elements,
                    .scratch = scratch};
}
