#include "bytes.h"

#include <math.h>
#include <string.h>

int bytes_below(bytes_t *b, int count) {
  if (!b->left) return 0;
  b->left--;
  return *b->at++ % count;
}

double bytes_number(bytes_t *b) {
  static const double odd[] = {0, -0.0, 1e-320, 1e-160, 1e-30, 1e30, 1e38, 1e40, 1e160, 1e308, INFINITY, NAN};
  int kind = bytes_below(b, 256);
  double x = 0;
  if (kind < (int)(sizeof odd / sizeof *odd)) return odd[kind];
  if (kind == 255 && b->left >= sizeof x) {
    memcpy(&x, b->at, sizeof x);
    b->at += sizeof x, b->left -= sizeof x;
    return x;
  }
  return (kind - 128) / 16.0;
}
