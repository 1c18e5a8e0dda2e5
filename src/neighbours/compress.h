/*
 * Leaving out numbers, LANES at a time: a mask has a bit for each of them, and
 * compressing stores those whose bit is set next to each other. One instruction
 * each with AVX-512, loops elsewhere. What follows the numbers stored, up to
 * LANES in all, is overwritten.
 */
#ifndef LAVDM_NEIGHBOURS_COMPRESS_H
#define LAVDM_NEIGHBOURS_COMPRESS_H

#include "base/real.h"

#ifdef __AVX512F__
#include <immintrin.h>
#endif

/* Which of x[0..LANES) are <= bound? Never NaN. */
static inline unsigned mask_upto(const real_t *x, real_t bound) {
#if defined __AVX512F__ && defined LAVDM_SINGLE
  return _mm512_cmp_ps_mask(_mm512_loadu_ps(x), _mm512_set1_ps(bound), _CMP_LE_OQ);
#elif defined __AVX512F__
  return _mm512_cmp_pd_mask(_mm512_loadu_pd(x), _mm512_set1_pd(bound), _CMP_LE_OQ);
#else
  unsigned mask = 0;
  for (int l = 0; l < LANES; l++) mask |= (unsigned)(x[l] <= bound) << l;
  return mask;
#endif
}

/* Which are < bound? */
static inline unsigned mask_below(const real_t *x, real_t bound) {
#if defined __AVX512F__ && defined LAVDM_SINGLE
  return _mm512_cmp_ps_mask(_mm512_loadu_ps(x), _mm512_set1_ps(bound), _CMP_LT_OQ);
#elif defined __AVX512F__
  return _mm512_cmp_pd_mask(_mm512_loadu_pd(x), _mm512_set1_pd(bound), _CMP_LT_OQ);
#else
  unsigned mask = 0;
  for (int l = 0; l < LANES; l++) mask |= (unsigned)(x[l] < bound) << l;
  return mask;
#endif
}

/* The first `count` lanes. */
static inline unsigned mask_first(int64_t count) {
  return count >= LANES ? (1u << LANES) - 1 : (1u << count) - 1;
}

/* All return how many they stored. */
static inline int compress_reals(unsigned mask, const real_t *x, real_t *out) {
#if defined __AVX512F__ && defined LAVDM_SINGLE
  _mm512_storeu_ps(out, _mm512_maskz_compress_ps((__mmask16)mask, _mm512_loadu_ps(x)));
  return __builtin_popcount(mask);
#elif defined __AVX512F__
  _mm512_storeu_pd(out, _mm512_maskz_compress_pd((__mmask8)mask, _mm512_loadu_pd(x)));
  return __builtin_popcount(mask);
#else
  int have = 0;
  for (int l = 0; l < LANES; l++, mask >>= 1) {
    out[have] = x[l];
    have += (int)(mask & 1);
  }
  return have;
#endif
}

/* LANES numbers of 32 bits. */
static inline int compress_numbers(unsigned mask, const uint32_t *x, uint32_t *out) {
#if defined __AVX512F__ && defined LAVDM_SINGLE
  _mm512_storeu_si512(out, _mm512_maskz_compress_epi32((__mmask16)mask, _mm512_loadu_si512(x)));
  return __builtin_popcount(mask);
#elif defined __AVX512VL__
  _mm256_storeu_si256((__m256i *)out,
                      _mm256_maskz_compress_epi32((__mmask8)mask, _mm256_loadu_si256((const __m256i *)x)));
  return __builtin_popcount(mask);
#else
  int have = 0;
  for (int l = 0; l < LANES; l++, mask >>= 1) {
    out[have] = x[l];
    have += (int)(mask & 1);
  }
  return have;
#endif
}

static inline int compress_indices(unsigned mask, const int64_t *x, int64_t *out) {
  int have = 0;
#ifdef __AVX512F__
  for (int first = 0; first < LANES; first += 8, mask >>= 8) {
    _mm512_storeu_si512(out + have,
                        _mm512_maskz_compress_epi64((__mmask8)mask, _mm512_loadu_si512(x + first)));
    have += __builtin_popcount(mask & 0xff);
  }
#else
  for (int l = 0; l < LANES; l++, mask >>= 1) {
    out[have] = x[l];
    have += (int)(mask & 1);
  }
#endif
  return have;
}

#endif
