/* Decimal text to double and back: the same as strtod, and exact. */
#include "fuzz.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 400 };

static bool same(double a, double b) {
  return isnan(a) ? isnan(b) : a == b && signbit(a) == signbit(b);
}

static void check_printed(double x) {
  char text[DECIMAL_SIZE];
  int64_t integer;
  double back;
  int length = decimal_print(x, text);
  PROMISE(length > 0 && length < DECIMAL_SIZE, "a printed number fits");
  cell_kind kind = decimal_parse(text, text + length, &integer, &back);
  PROMISE(kind == CELL_INTEGER || kind == CELL_REAL, "a printed number is a number");
  PROMISE(same(x, back), "a printed number reads back the same");
  float single = fabs(x) < 3e38 ? (float)x : 1;
  length = decimal_print_single(single, text);
  PROMISE(length > 0 && length < DECIMAL_SIZE && (isnan(single) || strtof(text, NULL) == single),
          "a printed float reads back the same");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char text[MOST + 1];
  int64_t integer = 0;
  double real = 0;
  if (size > MOST) return 0;
  memcpy(text, data, size);
  text[size] = 0;
  if (memchr(text, 0, size) || strpbrk(text, " \t\n\v\f\r")) return 0;
  cell_kind kind = decimal_parse(text, text + size, &integer, &real);
  if (kind == CELL_INTEGER || kind == CELL_REAL) {
    char *end;
    double expected = strtod(text, &end);
    PROMISE(end == text + size, "a number is one for strtod too");
    PROMISE(same(real, expected), "a number is what strtod makes of it");
    PROMISE(kind == CELL_REAL || (double)integer == real, "an integer is the number");
    check_printed(real);
  }
  if (size == sizeof real) {
    memcpy(&real, data, sizeof real);
    check_printed(real);
  }
  return 0;
}
