/*
 * LZF: a byte c < 32 says that c + 1 bytes follow as they are; any other that some bytes come once more, from
 * 1 + 256 (c mod 32) + (last byte) before: c / 32 + 2 of them, or 9 and as many as the byte between says.
 */
#include "io/pcd.h"

#include <string.h>

bool lzf_expand(const unsigned char *from, int64_t length, unsigned char *to, int64_t room) {
  const unsigned char *end = from + length, *first = to, *last = to + room;
  while (from < end) {
    int64_t c = *from++, count;
    if (c < 32) {
      count = c + 1;
      if (count > end - from || count > last - to) return false;
      memcpy(to, from, (size_t)count);
      from += count;
      to += count;
      continue;
    }
    count = (c >> 5) + 2;
    if (count == 9 && from < end) count += *from++;
    if (from >= end) return false;
    int64_t back = 1 + ((c & 31) << 8) + *from++;
    if (back > to - first || count > last - to) return false;
    for (; count > 0; count--, to++) *to = to[-back]; /* they may overlap */
  }
  return to == last;
}
