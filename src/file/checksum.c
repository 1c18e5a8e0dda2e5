#include "file/checksum.h"

#include <string.h>

/* ---------------------------------------------- lookup3, of Bob Jenkins */

static uint32_t turned(uint32_t x, int bits) {
  return x << bits | x >> (32 - bits);
}

/* One round: x loses y and is mixed with it turned; y gains z. */
static void stir(uint32_t *x, uint32_t *y, uint32_t z, int bits) {
  *x -= *y;
  *x ^= turned(*y, bits);
  *y += z;
}

static void close_up(uint32_t *x, uint32_t y, int bits) {
  *x ^= y;
  *x -= turned(y, bits);
}

uint32_t lookup3(const void *data, size_t bytes) {
  const unsigned char *at = data;
  uint32_t start = 0xdeadbeefu + (uint32_t)bytes, w[3] = {start, start, start};
  uint32_t *a = &w[0], *b = &w[1], *c = &w[2];
  if (!bytes) return start;
  for (;; at += 12, bytes -= 12) {
    size_t part = bytes < 12 ? bytes : 12;
    for (size_t i = 0; i < part; i++) w[i / 4] += (uint32_t)at[i] << 8 * (i % 4);
    if (bytes <= 12) break;
    stir(a, c, *b, 4), stir(b, a, *c, 6), stir(c, b, *a, 8);
    stir(a, c, *b, 16), stir(b, a, *c, 19), stir(c, b, *a, 4);
  }
  close_up(c, *b, 14), close_up(a, *c, 11), close_up(b, *a, 25), close_up(c, *b, 16);
  close_up(a, *c, 4), close_up(b, *a, 14), close_up(c, *b, 24);
  return *c;
}

/* ------------------------------------------------------------ CRC-64/XZ */

static const uint64_t polynomial = 0xC96C5795D7870F42u;

void crc64_start(crc64_t *crc) {
  for (int b = 0; b < 256; b++) {
    uint64_t rest = (uint64_t)b;
    for (int bit = 0; bit < 8; bit++) rest = rest >> 1 ^ (rest & 1 ? polynomial : 0);
    crc->table[0][b] = rest;
  }
  for (int k = 1; k < CRC_STEP; k++)
    for (int b = 0; b < 256; b++) {
      uint64_t before = crc->table[k - 1][b];
      crc->table[k][b] = before >> 8 ^ crc->table[0][before & 255];
    }
}

uint64_t crc64(const crc64_t *crc, uint64_t sum, const void *data, size_t bytes) {
  const unsigned char *at = data;
  uint64_t rest = ~sum;
  for (; bytes >= CRC_STEP; at += CRC_STEP, bytes -= CRC_STEP) {
    uint64_t low, high, next = 0;
    memcpy(&low, at, 8); /* the lowest byte first: little-endian */
    memcpy(&high, at + 8, 8);
    low ^= rest;
    for (int k = 0; k < 8; k++)
      next ^= crc->table[15 - k][low >> 8 * k & 255] ^ crc->table[7 - k][high >> 8 * k & 255];
    rest = next;
  }
  for (; bytes; at++, bytes--) rest = rest >> 8 ^ crc->table[0][(rest ^ *at) & 255];
  return ~rest;
}
