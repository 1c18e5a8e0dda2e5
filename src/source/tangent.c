/*
 * The tangent bundle: O_ik is the orthogonal polar factor of B_i' B_k.
 *
 * All products B_i' B_k of a tile are one matrix product, laid out as the block
 * matrix that the next stage wants; the polar factors are then taken in place.
 */
#include "source/source.h"

#include "frames/polar.h"

#include <cblas.h>
#include <tgmath.h>
#include <string.h>

void REAL(frame_products)(const source_t *source, int64_t first, int64_t rows, const int64_t *cols,
                          int64_t count, real_t *m, real_t *gathered) {
  int64_t d = source->d, p = source->p, frame = d * p;
  for (int64_t c = 0; c < count; c++)
    memcpy(gathered + c * frame, source->reference_frames + cols[c] * frame, (size_t)frame * sizeof(real_t));
  BLAS(gemm)
  (CblasRowMajor, CblasNoTrans, CblasTrans, (int)(rows * d), (int)(count * d), (int)p, 1,
   source->point_frames + first * frame, (int)p, gathered, (int)p, 0, m, (int)(count * d));
}

/* d = 2: rows x and y of the products of one point, over all its references. */
static int64_t align_two(int64_t count, const real_t *restrict w, real_t *restrict x, real_t *restrict y) {
  const real_t t2 = ILL_COSINE * ILL_COSINE;
  int64_t ill = 0;
  for (int64_t c = 0; c < count; c++) {
    real_t m00 = x[2 * c], m01 = x[2 * c + 1], m10 = y[2 * c], m11 = y[2 * c + 1];
    real_t det = m00 * m11 - m01 * m10;
    real_t square = m00 * m00 + m01 * m01 + m10 * m10 + m11 * m11; /* s1^2 + s2^2 */
    real_t sign = det < 0 ? -1 : 1;
    /* O = [a, -sign b; b, sign a], (a,b) along (m00 + sign m11, m10 - sign m01) */
    real_t a = m00 + sign * m11, b = m10 - sign * m01;
    real_t norm = a * a + b * b, scale = norm > 0 ? w[c] / sqrt(norm) : 0;
    a = norm > 0 ? a * scale : w[c];
    b = norm > 0 ? b * scale : 0;
    x[2 * c] = a, x[2 * c + 1] = -sign * b;
    y[2 * c] = b, y[2 * c + 1] = sign * a;
    /* the smaller root of z^2 - (s1^2+s2^2) z + det^2 is below t2 */
    ill += w[c] > ILL_WEIGHT && (t2 * t2 - square * t2 + det * det < 0 || square < 2 * t2);
  }
  return ill;
}

/* d = 3: the same, POLAR_LANES references at a time; lanes without an edge are skipped. */
static int64_t align_three(int64_t count, const real_t *w, real_t *s) {
  int64_t ill = 0, stride = 3 * count;
  for (int64_t first = 0; first < count; first += POLAR_LANES) {
    real_t m[9][POLAR_LANES] = {{0}}, o[9][POLAR_LANES];
    int bad[POLAR_LANES], lanes = count - first < POLAR_LANES ? (int)(count - first) : POLAR_LANES;
    for (int i = 0; i < 9; i++)
      for (int l = 0; l < POLAR_LANES; l++)
        m[i][l] = l < lanes && w[first + l] > 0 ? s[i / 3 * stride + 3 * (first + l) + i % 3] : i % 4 == 0;
    REAL(polar_lanes)(m, o, bad);
    for (int i = 0; i < 9; i++)
      for (int l = 0; l < lanes; l++) s[i / 3 * stride + 3 * (first + l) + i % 3] = w[first + l] * o[i][l];
    for (int l = 0; l < lanes; l++) ill += w[first + l] > ILL_WEIGHT && bad[l];
  }
  return ill;
}

static int64_t align_many(int64_t d, int64_t count, const real_t *w, real_t *s, real_t *scratch) {
  real_t *m = scratch, *o = m + d * d, *rest = o + d * d;
  int64_t ill = 0, stride = count * d;
  for (int64_t c = 0; c < count; c++) {
    real_t least = 1;
    if (w[c] > 0) {
      for (int64_t a = 0; a < d; a++) memcpy(m + a * d, s + a * stride + c * d, (size_t)d * sizeof *m);
      least = REAL(polar_factor)(d, m, o, rest);
    }
    for (int64_t a = 0; a < d; a++)
      for (int64_t b = 0; b < d; b++) s[a * stride + c * d + b] = w[c] > 0 ? w[c] * o[a * d + b] : 0;
    ill += w[c] > ILL_WEIGHT && least < ILL_COSINE;
  }
  return ill;
}

/* 3 < d <= POLAR_MANY: the same, LANES references at a time; lanes without an edge
 * hold the identity. */
static int64_t align_lanes(int64_t d, int64_t count, const real_t *w, real_t *s) {
  int64_t ill = 0, stride = count * d;
  for (int64_t first = 0; first < count; first += LANES) {
    lanes_t m[POLAR_MANY * POLAR_MANY], o[POLAR_MANY * POLAR_MANY];
    int bad[LANES], lanes = count - first < LANES ? (int)(count - first) : LANES;
    for (int64_t i = 0; i < d * d; i++)
      for (int l = 0; l < LANES; l++)
        m[i][l] = l < lanes && w[first + l] > 0 ? s[i / d * stride + (first + l) * d + i % d]
                                                : (real_t)(i % (d + 1) == 0);
    REAL(polar_schulz)(d, m, o, bad);
    for (int64_t i = 0; i < d * d; i++)
      for (int l = 0; l < lanes; l++) s[i / d * stride + (first + l) * d + i % d] = w[first + l] * o[i][l];
    for (int l = 0; l < lanes; l++) ill += w[first + l] > ILL_WEIGHT && bad[l];
  }
  return ill;
}

static int64_t elements(const source_t *source, int64_t first, int64_t rows, const int64_t *cols,
                        int64_t count, const real_t *w, real_t *s, real_t *scratch) {
  int64_t d = source->d, ill = 0;
  REAL(frame_products)(source, first, rows, cols, count, s, scratch);
  for (int64_t i = 0; i < rows; i++) {
    real_t *x = s + i * d * count * d;
    if (d == 2)
      ill += align_two(count, w + i * count, x, x + count * d);
    else if (d == 3)
      ill += align_three(count, w + i * count, x);
    else if (d > 3 && d <= POLAR_MANY)
      ill += align_lanes(d, count, w + i * count, x);
    else
      ill += align_many(d, count, w + i * count, x, scratch);
  }
  return ill;
}

static int64_t scratch(const source_t *source, int64_t rows, int64_t count) {
  (void)rows;
  int64_t d = source->d, gathered = count * d * source->p, polar = 2 * d * d + POLAR_SCRATCH(d);
  return gathered > polar ? gathered : polar;
}

source_t REAL(source_tangent)(const frames_t *points, const frames_t *references) {
  return (source_t){.q = points->d,
                    .p = points->p,
                    .d = points->d,
                    .point_frames = points->b,
                    .reference_frames = references->b,
                    .elements = elements,
                    .scratch = scratch};
}
