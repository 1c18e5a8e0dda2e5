#include "base/random.h"

#include <math.h>

static uint64_t splitmix(uint64_t *x) {
  uint64_t z = (*x += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

random_t random_start(uint64_t seed, uint64_t stream) {
  uint64_t a = seed, b = ~stream;
  uint64_t x = splitmix(&a) ^ (splitmix(&b) << 1);
  random_t r;
  for (int i = 0; i < 4; i++) r.state[i] = splitmix(&x);
  return r;
}

static uint64_t rotate(uint64_t x, int k) {
  return (x << k) | (x >> (64 - k));
}

uint64_t random_bits(random_t *r) {
  uint64_t *s = r->state, result = rotate(s[0] + s[3], 23) + s[0], t = s[1] << 17;
  s[2] ^= s[0];
  s[3] ^= s[1];
  s[1] ^= s[2];
  s[0] ^= s[3];
  s[2] ^= t;
  s[3] = rotate(s[3], 45);
  return result;
}

double random_uniform(random_t *r) {
  return (double)(random_bits(r) >> 11) * 0x1p-53;
}

double random_normal(random_t *r) {
  /* Box-Muller; 1-u keeps the logarithm away from 0 */
  double u = 1 - random_uniform(r), v = random_uniform(r);
  return sqrt(-2 * log(u)) * cos(6.283185307179586476925 * v);
}

int64_t random_below(random_t *r, int64_t bound) {
  uint64_t n = (uint64_t)bound, limit = UINT64_MAX - UINT64_MAX % n, x;
  do x = random_bits(r);
  while (x >= limit);
  return (int64_t)(x % n);
}

void lavdm_random_start(lavdm_random *random, uint64_t seed, uint64_t stream) {
  *random = random_start(seed, stream);
}

double lavdm_random_uniform(lavdm_random *random) {
  return random_uniform(random);
}

double lavdm_random_normal(lavdm_random *random) {
  return random_normal(random);
}

int64_t lavdm_random_below(lavdm_random *random, int64_t bound) {
  return random_below(random, bound);
}
