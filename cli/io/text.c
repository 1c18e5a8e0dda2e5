/* Text between UTF-8, as arrays hold it, and the UTF-16 and UTF-32 of files. */
#include "io/formats.h"

#include <stdlib.h>
#include <string.h>

enum { REPLACEMENT = 0xFFFD };

static uint32_t unit_at(const char *units, int size, int64_t i) {
  if (size == 1) return (unsigned char)units[i];
  if (size == 2) {
    uint16_t x;
    memcpy(&x, units + 2 * i, 2);
    return x;
  }
  uint32_t x;
  memcpy(&x, units + 4 * i, 4);
  return x;
}

static int64_t put_utf8(uint32_t c, char *out) {
  if (c > 0x10FFFF || (c >= 0xD800 && c < 0xE000)) c = REPLACEMENT;
  if (c < 0x80) {
    out[0] = (char)c;
    return 1;
  }
  int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
  const unsigned lead[] = {0, 0xC0, 0xE0, 0xF0};
  out[0] = (char)(lead[more] | c >> (6 * more));
  for (int i = 1; i <= more; i++) out[i] = (char)(0x80 | (c >> (6 * (more - i)) & 0x3F));
  return more + 1;
}

char *text_from_units(const void *units, int size, int64_t count, int64_t *bytes) {
  while (count > 0 && unit_at(units, size, count - 1) == 0) count--;
  if (count < 0 || count > INT64_MAX / 8) return NULL;
  char *text = malloc(4 * (size_t)count + 8);
  if (!text) return NULL;
  *bytes = 0;
  if (size == 1) {
    if (count) memcpy(text, units, (size_t)count);
    *bytes = count;
  }
  for (int64_t i = 0; size > 1 && i < count; i++) {
    uint32_t c = unit_at(units, size, i);
    if (size == 2 && c >= 0xD800 && c < 0xDC00 && i + 1 < count) {
      uint32_t low = unit_at(units, size, i + 1);
      if (low >= 0xDC00 && low < 0xE000) {
        c = 0x10000 + ((c - 0xD800) << 10) + (low - 0xDC00);
        i++;
      }
    }
    *bytes += put_utf8(c, text + *bytes);
  }
  text[*bytes] = 0;
  return text;
}

static uint32_t next_utf8(const unsigned char **at) {
  static const uint32_t least[] = {0, 0x80, 0x800, 0x10000};
  uint32_t c = *(*at)++;
  if (c < 0x80) return c;
  int more = c >= 0xF8 ? 0 : c >= 0xF0 ? 3 : c >= 0xE0 ? 2 : c >= 0xC0 ? 1 : 0;
  if (!more) return REPLACEMENT;
  c &= 0x3Fu >> more;
  for (int i = 0; i < more; i++) {
    if ((**at & 0xC0) != 0x80) return REPLACEMENT;
    c = c << 6 | (*(*at)++ & 0x3F);
  }
  return c < least[more] || c > 0x10FFFF || (c >= 0xD800 && c < 0xE000) ? REPLACEMENT : c;
}

void *text_to_units(const char *text, int size, int64_t *count) {
  const unsigned char *at = (const unsigned char *)text;
  char *units = malloc(strlen(text) * (size_t)size + 8);
  if (!units) return NULL;
  *count = 0;
  while (*at) {
    uint32_t c = next_utf8(&at);
    if (size == 4) {
      memcpy(units + 4 * (*count)++, &c, 4);
      continue;
    }
    uint16_t pair[2] = {(uint16_t)c, 0};
    int n = c >= 0x10000 ? 2 : 1;
    if (n == 2) {
      pair[0] = (uint16_t)(0xD800 + ((c - 0x10000) >> 10));
      pair[1] = (uint16_t)(0xDC00 + ((c - 0x10000) & 0x3FF));
    }
    memcpy(units + 2 * *count, pair, 2 * (size_t)n);
    *count += n;
  }
  return units;
}
