/* Random numbers that depend on the seed alone: xoshiro256++, seeded by splitmix64. */
#ifndef LAVDM_BASE_RANDOM_H
#define LAVDM_BASE_RANDOM_H

#include "lavdm/sample.h"

typedef lavdm_random random_t;

/* `stream` separates independent uses of one seed. */
random_t random_start(uint64_t seed, uint64_t stream);
uint64_t random_bits(random_t *r);
double random_uniform(random_t *r);               /* [0,1) */
double random_normal(random_t *r);                /* mean 0, variance 1 */
int64_t random_below(random_t *r, int64_t bound); /* 0..bound-1, unbiased */

#endif
