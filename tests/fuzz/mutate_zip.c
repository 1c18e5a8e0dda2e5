/*
 * Members of a zip file: a local header, its name, the content; all members again in
 * the directory, which the last record points to. Everything that says a length, a
 * place or a checksum is written anew from where the headers stand.
 */
#include "mutate.h"
#include "fuzz.h"

#include <string.h>
#include <zlib.h>

enum { LOCAL = 30, ENTRY = 46, END = 22, MEMBERS = 32, NONE = -1 };

typedef struct {
  size_t local[MEMBERS], entry[MEMBERS], end; /* end: of the directory, or the size */
  int locals, entries;
} parts_t;

static uint32_t get(const uint8_t *at, int bytes) {
  uint32_t x = 0;
  for (int i = bytes - 1; i >= 0; i--) x = x << 8 | at[i];
  return x;
}

static void put(uint8_t *at, int bytes, size_t x) {
  for (int i = 0; i < bytes; i++) at[i] = (uint8_t)(x >> (8 * i));
}

static parts_t find(const uint8_t *data, size_t size) {
  parts_t p = {.end = size};
  for (size_t at = 0; at + 4 <= size; at++) {
    if (data[at] != 'P' || data[at + 1] != 'K') continue;
    unsigned kind = get(data + at + 2, 2);
    if (kind == 0x0403 && p.locals < MEMBERS && at + LOCAL <= size) p.local[p.locals++] = at;
    if (kind == 0x0201 && p.entries < MEMBERS && at + ENTRY <= size) p.entry[p.entries++] = at;
    if (kind == 0x0605 && at + END <= size) p.end = at;
  }
  return p;
}

/* The content of member i: [start, stop). */
static bool content(const uint8_t *data, const parts_t *p, int i, size_t *start, size_t *stop) {
  *start = p->local[i] + LOCAL + get(data + p->local[i] + 26, 2) + get(data + p->local[i] + 28, 2);
  *stop = i + 1 < p->locals ? p->local[i + 1] : p->entries ? p->entry[0] : p->end;
  return *start <= *stop;
}

static void repair(uint8_t *data, size_t size) {
  parts_t p = find(data, size);
  size_t start, stop;
  for (int i = 0; i < p.locals && i < p.entries; i++) {
    uint8_t *local = data + p.local[i], *entry = data + p.entry[i];
    put(entry + 42, 4, p.local[i]);
    if (!content(data, &p, i, &start, &stop)) continue;
    put(local + 18, 4, stop - start);
    put(entry + 20, 4, stop - start);
    if (get(entry + 10, 2) != 0) continue; /* deflated: its length and sum stay as they are */
    put(local + 22, 4, stop - start);
    put(entry + 24, 4, stop - start);
    size_t sum = crc32(0, data + start, (uInt)(stop - start));
    put(local + 14, 4, sum);
    put(entry + 16, 4, sum);
  }
  if (p.end + END > size || !p.entries) return;
  put(data + p.end + 8, 2, (size_t)p.entries);
  put(data + p.end + 10, 2, (size_t)p.entries);
  put(data + p.end + 12, 4, p.end - p.entry[0]);
  put(data + p.end + 16, 4, p.entry[0]);
}

size_t zip_mutate(uint8_t *data, size_t size, size_t most, unsigned seed) {
  parts_t p = find(data, size);
  size_t start, stop, now;
  if (stays_plain(seed) || !p.locals || !p.entries) return LLVMFuzzerMutate(data, size, most);
  int i = (int)((seed >> 4) % (unsigned)p.locals), k = (int)((seed >> 4) % (unsigned)p.entries);
  bool known = content(data, &p, i, &start, &stop);
  switch ((seed >> 20) % 8) {
  case 0: /* a header of the directory */
    LLVMFuzzerMutate(data + p.entry[k] + 4, ENTRY - 4, ENTRY - 4);
    break;
  case 1: /* a local one */
    LLVMFuzzerMutate(data + p.local[i] + 4, LOCAL - 4, LOCAL - 4);
    break;
  case 2: /* the name, in both */
    if (known && start - p.local[i] > LOCAL)
      LLVMFuzzerMutate(data + p.local[i] + LOCAL, start - p.local[i] - LOCAL, start - p.local[i] - LOCAL);
    break;
  case 3:
    size = LLVMFuzzerMutate(data, size, most);
    break;
  case 4: /* a member and its entry less */
    if (known && k == i && p.entries > 1) {
      size_t after = k + 1 < p.entries ? p.entry[k + 1] : p.end;
      size = drop_part(data, size, p.entry[k], after - p.entry[k]);
      size = drop_part(data, size, p.local[i], stop - p.local[i]);
    }
    break;
  default:
    if (known) size = mutate_part(data, size, most, start, stop - start, &now);
  }
  repair(data, size);
  return size;
}
