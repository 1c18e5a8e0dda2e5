#include "picture/colours.h"
#include "picture/sheet.h"

#include <math.h>

/* Told apart by eyes of every kind: the colours of Okabe and Ito first; the second six
 * have another shape besides. The last stands for all others. */
static const int palette[COLOUR_GROUPS] = {0x0072b2, 0xe69f00, 0x009e73, 0xcc79a7, 0x56b4e9, 0xd55e00,
                                           0x332288, 0xb8a800, 0x117733, 0x882255, 0x44aa99, 0x999999};
enum { CIRCLES = 6, GREY = COLOUR_GROUPS - 1 };

/* viridis, which grows lighter throughout: at 0, 0.1, ... 1. */
static const int viridis[] = {0x440154, 0x482475, 0x414487, 0x355f8d, 0x2a788e, 0x21918c,
                              0x22a884, 0x44bf70, 0x7ad151, 0xbddf26, 0xfde725};

int mix_rgb(int one, int other, double share) {
  int rgb = 0;
  for (int k = 16; k >= 0; k -= 8) {
    double a = one >> k & 0xff, b = other >> k & 0xff;
    rgb |= (int)lround(b + share * (a - b)) << k;
  }
  return rgb;
}

int ramp_rgb(double at) {
  enum { PARTS = sizeof viridis / sizeof *viridis - 1 };
  double place = PARTS * fmin(fmax(at, 0), 1);
  int k = (int)fmin(floor(place), PARTS - 1);
  return mix_rgb(viridis[k + 1], viridis[k], place - k);
}

int group_rgb(int g) {
  return palette[g];
}

int group_shape(int g) {
  return g < CIRCLES ? CIRCLE : TRIANGLE;
}

int colours_rgb(const colours_t *c, int64_t point) {
  if (!c->value) return BLUE;
  if (!c->ramp) return palette[(int)c->value[point]];
  if (!isfinite(c->value[point])) return palette[GREY];
  return ramp_rgb(c->high > c->low ? (c->value[point] - c->low) / (c->high - c->low) : 0.5);
}

int colours_shape(const colours_t *c, int64_t point) {
  return c->value && !c->ramp ? group_shape((int)c->value[point]) : CIRCLE;
}
