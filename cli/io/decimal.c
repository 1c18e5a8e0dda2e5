/*
 * Decimal text and doubles, both ways exact. A number m 10^e with m <= 2^53 and
 * |e| <= 22 is one correctly rounded product or quotient of two exact doubles;
 * with m < 2^64 and -19 <= e < 0 it is a quotient of integers, of which 64 bits
 * and whether there are more decide the rounding; any other goes to strtod.
 */
#include "io/formats.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double ten_to[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

typedef struct {
  uint64_t m; /* the digits, as far as they fit */
  int e;      /* power of ten that the point gives */
  int digits; /* in the text; significant ones that m lacks make it inexact */
  bool exact;
} decimal;

static const char *take_digits(const char *s, const char *end, bool fraction, decimal *d) {
  for (; s < end && *s >= '0' && *s <= '9'; s++) {
    d->digits = 1;
    if (d->m <= (UINT64_MAX - 9) / 10) {
      d->m = d->m * 10 + (uint64_t)(*s - '0');
      if (d->e > INT32_MIN / 2) d->e -= fraction;
    } else {
      d->exact = false;
    }
  }
  return s;
}

/* "nan", "inf", "infinity", in any case. */
static bool parse_word(const char *s, const char *end, double *value) {
  static const char *const word[] = {"nan", "inf", "infinity"};
  for (int w = 0; w < 3; w++) {
    size_t length = strlen(word[w]), i = 0;
    if ((size_t)(end - s) != length) continue;
    while (i < length && (s[i] | 32) == word[w][i]) i++;
    if (i < length) continue;
    *value = w ? INFINITY : NAN;
    return true;
  }
  return false;
}

__extension__ typedef unsigned __int128 uint128;

/* m / 10^k for 0 < m < 2^64, 0 < k <= 19. With both shifted up to 64 bits the
 * quotient q has 64 bits too, 11 more than a double; the remainder only matters
 * as being there, so it goes into the last bit. */
static double quotient(uint64_t m, int k) {
  uint64_t d = 1;
  for (int i = 0; i < k; i++) d *= 10;
  int up_m = __builtin_clzll(m), up_d = __builtin_clzll(d);
  m <<= up_m;
  d <<= up_d;
  int shift = m >= d ? 63 : 64;
  uint128 high = (uint128)m << shift;
  uint64_t q = (uint64_t)(high / d);
  if ((uint128)q * d != high) q |= 1;
  return ldexp((double)q, up_d - up_m - shift);
}

static double decimal_value(const decimal *d, int e, const char *text, bool negative) {
  double x;
  if (d->exact && d->m <= (uint64_t)1 << 53 && e >= -22 && e <= 22)
    x = e < 0 ? (double)d->m / ten_to[-e] : (double)d->m * ten_to[e];
  else if (d->exact && d->m > 0 && e >= -19 && e < 0)
    x = quotient(d->m, -e);
  else
    return strtod(text, NULL);
  return negative ? -x : x;
}

cell_kind decimal_parse(const char *s, const char *end, int64_t *integer, double *real) {
  const char *begin = s;
  decimal d = {.exact = true};
  *real = NAN;
  if (s == end) return CELL_EMPTY;
  bool negative = *s == '-', whole = true;
  if (negative || *s == '+') s++;
  if (s<end && * s> '9' && parse_word(s, end, real)) {
    if (negative) *real = -*real;
    return CELL_REAL;
  }
  s = take_digits(s, end, false, &d);
  if (s < end && *s == '.') {
    whole = false;
    s = take_digits(s + 1, end, true, &d);
  }
  if (!d.digits) return CELL_TEXT;
  int e = 0;
  if (s < end && (*s | 32) == 'e') {
    whole = false;
    bool down = ++s < end && *s == '-';
    if (s < end && (*s == '-' || *s == '+')) s++;
    if (s == end) return CELL_TEXT;
    for (; s < end && *s >= '0' && *s <= '9'; s++)
      if (e < 100000) e = e * 10 + (*s - '0');
    e = down ? -e : e;
  }
  if (s != end) return CELL_TEXT;
  *real = decimal_value(&d, e + d.e, begin, negative);
  if (!whole || !d.exact || d.m > INT64_MAX) return CELL_REAL;
  *integer = negative ? -(int64_t)d.m : (int64_t)d.m;
  return CELL_INTEGER;
}

int decimal_print(double x, char text[DECIMAL_SIZE]) {
  if (isnan(x)) return snprintf(text, DECIMAL_SIZE, "nan");
  if (x == floor(x) && fabs(x) < 1e15 && (x != 0 || !signbit(x)))
    return snprintf(text, DECIMAL_SIZE, "%lld", (long long)x);
  int length = 0;
  for (int digits = 15; digits <= 17; digits++) {
    length = snprintf(text, DECIMAL_SIZE, "%.*g", digits, x);
    int64_t whole;
    double back;
    if (isinf(x) || digits == 17) break;
    decimal_parse(text, text + length, &whole, &back);
    if (back == x) break;
  }
  return length;
}

int decimal_print_single(float x, char text[DECIMAL_SIZE]) {
  if (isnan(x)) return snprintf(text, DECIMAL_SIZE, "nan");
  if (x == floorf(x) && fabsf(x) < 0x1p24f && (x != 0 || !signbit(x)))
    return snprintf(text, DECIMAL_SIZE, "%d", (int)x);
  int length = 0;
  for (int digits = 6; digits <= 9; digits++) {
    length = snprintf(text, DECIMAL_SIZE, "%.*g", digits, (double)x);
    /* by readers of floats, and by those of doubles that round once more */
    if (isinf(x) || (strtof(text, NULL) == x && (float)strtod(text, NULL) == x)) break;
  }
  return length;
}
