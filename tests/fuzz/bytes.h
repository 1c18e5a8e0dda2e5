/* Bytes as choices and numbers; where they end, the first choice and 0. */
#ifndef LAVDM_FUZZ_BYTES_H
#define LAVDM_FUZZ_BYTES_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
  const uint8_t *at;
  size_t left;
} bytes_t;

/* 0 .. count-1, count at most 256 */
int bytes_below(bytes_t *b, int count);

/* Mostly a small number, now and then any double, huge, tiny or not finite. */
double bytes_number(bytes_t *b);

#endif
