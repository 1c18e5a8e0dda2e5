/* TIFF: byte orders, strips, tiles, planes, compression, kinds of numbers,
 * pages; files that lie. */
#include "picture_support.h"

#include <zlib.h>

enum { WIDTH = 7, HEIGHT = 5, PIXELS = WIDTH * HEIGHT };

/* What a page is like. The samples are those of make_picture. */
typedef struct {
  bool big, planes;
  char kind; /* 'u', 'i', 'f' or 'c' (complex) */
  int bits, channels, photometric;
  int rows;          /* of a strip, or 0: all */
  int tile;          /* its sides, or 0: strips */
  int compression;   /* 1 or 8 (deflate) */
  int thumbnail;     /* 1: a smaller picture of another page */
  int height, width; /* 0: HEIGHT, WIDTH */
} page_kind;

static void put(bytes_t *b, const page_kind *k, uint64_t x, int size) {
  unsigned char raw[8];
  for (int i = 0; i < size; i++) raw[k->big ? size - 1 - i : i] = (unsigned char)(x >> (8 * i));
  add(b, raw, (size_t)size);
}

static void patch(bytes_t *b, const page_kind *k, size_t at, uint32_t x) {
  bytes_t word = {0};
  put(&word, k, x, 4);
  memcpy(b->data + at, word.data, 4);
  drop(&word);
}

static void put_sample(bytes_t *b, const page_kind *k, double x) {
  float single = (float)x;
  uint64_t word = 0;
  if (k->kind == 'f' && k->bits == 64)
    memcpy(&word, &x, 8);
  else if (k->kind == 'f') {
    uint32_t half;
    memcpy(&half, &single, 4);
    word = half;
  } else {
    word = (uint64_t)(int64_t)x;
  }
  put(b, k, word, k->bits < 8 ? 1 : k->bits / 8);
}

/* Rows y0..y1, columns x0..x1 (beyond the page: zeros) of one plane, or of all channels. */
static bytes_t block_of(const page_kind *k, const picture_t *p, int y0, int y1, int x0, int x1, int plane) {
  bytes_t raw = {0};
  for (int y = y0; y < y1; y++)
    for (int x = x0; x < x1; x++)
      for (int c = k->planes ? plane : 0; c < (k->planes ? plane + 1 : k->channels); c++) {
        bool inside = y < p->height && x < p->width;
        put_sample(&raw, k, inside ? p->value[(y * p->width + x) * k->channels + c] : 0);
      }
  if (k->compression == 8) {
    unsigned char packed[8192];
    uLongf length = sizeof packed;
    assert_int_equal(compress(packed, &length, raw.data, (uLong)raw.size), Z_OK);
    raw.size = 0;
    add(&raw, packed, length);
  }
  return raw;
}

typedef struct {
  int count;
  uint32_t at[64], bytes[64];
} blocks;

static void add_blocks(bytes_t *b, const page_kind *k, const picture_t *p, blocks *list) {
  int rows = k->tile ? k->tile : k->rows ? k->rows : (int)p->height;
  int columns = k->tile ? k->tile : (int)p->width;
  for (int plane = 0; plane < (k->planes ? k->channels : 1); plane++)
    for (int y = 0; y < p->height; y += rows)
      for (int x = 0; x < p->width; x += columns) {
        int end = k->tile || y + rows < p->height ? y + rows : (int)p->height;
        bytes_t raw = block_of(k, p, y, end, x, x + columns, plane);
        list->at[list->count] = (uint32_t)b->size;
        list->bytes[list->count++] = (uint32_t)raw.size;
        add(b, raw.data, raw.size);
        drop(&raw);
      }
}

/* An entry of `count` numbers of 2 or 4 bytes, which stand in it or behind all
 * that there is. */
static void add_entry(bytes_t *b, bytes_t *entries, const page_kind *k, unsigned tag, int size, int count,
                      const uint32_t *value) {
  bool inside = count * size <= 4;
  put(entries, k, tag, 2);
  put(entries, k, size == 2 ? 3 : 4, 2);
  put(entries, k, (uint64_t)count, 4);
  if (!inside) put(entries, k, b->size, 4);
  for (int i = 0; i < count; i++) put(inside ? entries : b, k, value[i], size);
  while (entries->size % 12) add(entries, "", 1);
  if (b->size % 2) add(b, "", 1);
}

static void add_number(bytes_t *b, bytes_t *entries, const page_kind *k, unsigned tag, int64_t x) {
  add_entry(b, entries, k, tag, 4, 1, (uint32_t[]){(uint32_t)x});
}

/* One page, whose place is written at `link`; returns where that of the next is to be. */
static size_t add_page(bytes_t *b, const page_kind *k, const picture_t *p, size_t link) {
  blocks list = {0};
  bytes_t e = {0};
  uint32_t bits[4], format[4];
  for (int i = 0; i < 4; i++) {
    bits[i] = (uint32_t)k->bits;
    format[i] = k->kind == 'u' ? 1 : k->kind == 'i' ? 2 : k->kind == 'f' ? 3 : 6;
  }
  add_blocks(b, k, p, &list);
  if (b->size % 2) add(b, "", 1);
  add_number(b, &e, k, 254, k->thumbnail);
  add_number(b, &e, k, 256, p->width);
  add_number(b, &e, k, 257, p->height);
  add_entry(b, &e, k, 258, 2, k->channels, bits);
  add_number(b, &e, k, 259, k->compression);
  add_number(b, &e, k, 262, k->photometric);
  if (!k->tile) add_entry(b, &e, k, 273, 4, list.count, list.at);
  add_number(b, &e, k, 277, k->channels);
  if (!k->tile) add_number(b, &e, k, 278, k->rows ? k->rows : p->height);
  if (!k->tile) add_entry(b, &e, k, 279, 4, list.count, list.bytes);
  add_number(b, &e, k, 284, k->planes ? 2 : 1);
  if (k->photometric == 3) add_entry(b, &e, k, 320, 2, 3 * 256, (uint32_t[3 * 256]){0});
  if (k->tile) add_number(b, &e, k, 322, k->tile);
  if (k->tile) add_number(b, &e, k, 323, k->tile);
  if (k->tile) add_entry(b, &e, k, 324, 4, list.count, list.at);
  if (k->tile) add_entry(b, &e, k, 325, 4, list.count, list.bytes);
  add_entry(b, &e, k, 339, 2, k->channels, format);
  patch(b, k, link, (uint32_t)b->size);
  put(b, k, e.size / 12, 2);
  add(b, e.data, e.size);
  drop(&e);
  put(b, k, 0, 4);
  return b->size - 4;
}

static picture_t picture_of(const page_kind *k) {
  int bits = k->kind == 'u' && k->bits <= 16 ? k->bits : 0;
  picture_t p = make_picture(k->height ? k->height : HEIGHT, k->width ? k->width : WIDTH, k->channels,
                             k->kind == 'f' ? 0
                             : k->bits == 8 ? 8
                                            : 16,
                             k->kind == 'f' && k->bits == 32);
  p.bits = bits;
  for (int64_t i = 0; k->kind == 'i' && i < p.height * p.width * p.channels; i++)
    p.value[i] = k->bits == 8 ? p.value[i] - 128 : p.value[i] - 32768;
  return p;
}

static bytes_t begin(const page_kind *k) {
  bytes_t b = {0};
  add(&b, k->big ? "MM" : "II", 2);
  put(&b, k, 42, 2);
  put(&b, k, 0, 4);
  return b;
}

/* A file of one page, whose values are *p. */
static bytes_t make_tiff(const page_kind *k, picture_t *p) {
  bytes_t b = begin(k);
  *p = picture_of(k);
  add_page(&b, k, p, 4);
  return b;
}

static void read_back(const page_kind *k) {
  picture_t want, got;
  bytes_t b = make_tiff(k, &want);
  save(in("a.tif"), b.data, b.size);
  lavdm_error error = {0};
  if (picture_read(in("a.tif"), &got, &error) < 0)
    fail_msg("%c%d, %d channels, %s%s, rows %d, tile %d, method %d: %s", k->kind, k->bits, k->channels,
             k->big ? "big-endian" : "little-endian", k->planes ? ", planes" : "", k->rows, k->tile,
             k->compression, error.message);
  same_picture(&got, &want);
  picture_free(&got);
  picture_free(&want);
  drop(&b);
}

static void every_kind(void **state) {
  (void)state;
  const struct {
    char kind;
    int bits;
  } numbers[] = {{'u', 8}, {'u', 16}, {'u', 32}, {'i', 8}, {'i', 16}, {'i', 32}, {'f', 32}, {'f', 64}};
  for (int n = 0; n < 8; n++)
    for (int channels = 1; channels <= 4; channels++) {
      page_kind k = {
          .kind = numbers[n].kind, .bits = numbers[n].bits, .channels = channels, .compression = 1};
      k.photometric = channels < 3 ? 1 : 2;
      k.big = (n + channels) % 2;
      k.rows = n % 3;
      read_back(&k);
    }
}

static void every_layout(void **state) {
  (void)state;
  for (int layout = 0; layout < 2 * 2 * 2 * 3; layout++) {
    page_kind k = {.kind = 'u', .bits = 16, .channels = 3, .photometric = 2};
    k.big = layout & 1;
    k.planes = layout & 2;
    k.compression = layout & 4 ? 8 : 1;
    k.rows = layout / 8 == 1 ? 2 : 0;
    k.tile = layout / 8 == 2 ? 16 : 0;
    read_back(&k);
    k.width = 37; /* several tiles across and down */
    k.height = 20;
    read_back(&k);
  }
}

static void white_may_be_the_least_value(void **state) {
  (void)state;
  for (int bits = 8; bits <= 16; bits += 8) {
    page_kind k = {.kind = 'u', .bits = bits, .channels = 1, .photometric = 0, .compression = 1};
    picture_t want;
    bytes_t b = make_tiff(&k, &want);
    picture_t got = take_bytes(in("a.tif"), &b);
    for (int i = 0; i < PIXELS; i++) assert_true(got.value[i] == (bits == 8 ? 255 : 65535) - want.value[i]);
    picture_free(&got);
    picture_free(&want);
    drop(&b);
  }
}

static void refused_kind(const page_kind *k, const char *words) {
  picture_t p;
  bytes_t b = make_tiff(k, &p);
  save(in("a.tif"), b.data, b.size);
  refused_picture(in("a.tif"), LAVDM_ERROR_DATA, words);
  picture_free(&p);
  drop(&b);
}

static void what_is_not_read_is_said(void **state) {
  (void)state;
  const page_kind plain = {.kind = 'u', .bits = 8, .channels = 1, .photometric = 1, .compression = 1};
  page_kind k = plain;
  k.photometric = 3;
  refused_kind(&k, "has a palette");
  k.photometric = 5;
  refused_kind(&k, "colours of a kind that is not read");
  k = plain;
  k.bits = 4;
  refused_kind(&k, "samples of 4 bits");
  k = plain;
  k.kind = 'c';
  k.bits = 64;
  refused_kind(&k, "not real numbers");
  k = plain;
  k.kind = 'f';
  k.bits = 32;
  k.photometric = 0;
  refused_kind(&k, "white as its least value");
  k = plain;
  k.compression = 60000;
  refused_kind(&k, "compressed by method 60000");
}

/* As many pages as there are kinds, each with the values of its kind. */
static bytes_t make_pages(const page_kind *k, int pages) {
  bytes_t b = begin(k);
  size_t link = 4;
  for (int i = 0; i < pages; i++) {
    picture_t p = picture_of(&k[i]);
    for (int64_t j = 0; j < p.height * p.width * p.channels; j++) p.value[j] = (double)((i + j) % 256);
    link = add_page(&b, &k[i], &p, link);
    picture_free(&p);
  }
  return b;
}

static void pages_are_a_stack(void **state) {
  (void)state;
  page_kind k[4];
  for (int i = 0; i < 4; i++)
    k[i] = (page_kind){.kind = 'u', .bits = 8, .channels = 1, .photometric = 1, .compression = i % 2 ? 8 : 1};
  k[2].thumbnail = 1;
  k[2].height = 2;
  bytes_t b = make_pages(k, 4);
  save(in("s.tif"), b.data, b.size);
  io_array a = take(in("s.tif"));
  assert_int_equal(a.rank, 3);
  assert_int_equal(a.type, IO_INTEGER);
  assert_int_equal(a.shape[0], 3);
  assert_int_equal(a.shape[1], HEIGHT);
  assert_int_equal(a.shape[2], WIDTH);
  const int page[] = {0, 1, 3};
  for (int i = 0; i < 3 * PIXELS; i++)
    assert_int_equal(((int64_t *)a.data)[i], (page[i / PIXELS] + i % PIXELS) % 256);
  io_array_free(&a);
  picture_t first = take_picture(in("s.tif"));
  assert_true(first.height == HEIGHT && first.value[1] == 1);
  picture_free(&first);
  /* a directory that leads back to itself, and pages that differ */
  bytes_t loop = make_pages(k, 1);
  uint32_t at;
  memcpy(&at, loop.data + 4, 4);
  memcpy(loop.data + loop.size - 4, &at, 4);
  save(in("s.tif"), loop.data, loop.size);
  refused(in("s.tif"), LAVDM_ERROR_DATA, "is not a readable TIFF file");
  save(in("s.tif"), b.data, b.size / 2); /* the first two pages are whole */
  refused(in("s.tif"), LAVDM_ERROR_DATA, "is not a readable TIFF file");
  k[2].thumbnail = 0;
  drop(&b);
  b = make_pages(k, 4);
  save(in("s.tif"), b.data, b.size);
  refused(in("s.tif"), LAVDM_ERROR_DATA, "pages of different kinds: 2 x 7 x 1 behind 5 x 7 x 1");
  drop(&b);
  drop(&loop);
}

/* Entries are found by tag and given another value. */
static void lie(unsigned tag, uint32_t value, const char *words) {
  page_kind k = {.kind = 'u', .bits = 16, .channels = 1, .photometric = 1, .compression = 1, .rows = 2};
  picture_t p;
  bytes_t b = make_tiff(&k, &p);
  uint32_t at;
  memcpy(&at, b.data + 4, 4);
  for (unsigned char *e = b.data + at + 2; e < b.data + b.size - 4; e += 12)
    if ((unsigned)(e[0] | e[1] << 8) == tag) memcpy(e + 8, &value, 4);
  save(in("a.tif"), b.data, b.size);
  refused_picture(in("a.tif"), LAVDM_ERROR_DATA, words);
  picture_free(&p);
  drop(&b);
}

static void headers_that_lie_are_refused(void **state) {
  (void)state;
  lie(256, 0, "a.tif: ");
  lie(256, 100000, "promises more data");
  lie(256, UINT32_MAX, "a.tif: ");
  lie(257, 100000, "promises more data");
  lie(257, UINT32_MAX, "a.tif: ");
  lie(277, 65535, "a.tif: ");
  lie(277, 5, "a.tif: ");
  lie(273, 1 << 30, "a.tif: ");
  lie(278, 0, "a.tif: ");
}

static void damage_is_refused_or_read(void **state) {
  (void)state;
  page_kind k = {.kind = 'u', .bits = 8, .channels = 1, .photometric = 1, .compression = 8, .rows = 3};
  picture_t p;
  bytes_t b = make_tiff(&k, &p);
  for (size_t size = 0; size < b.size; size += 1 + size / 8) {
    save(in("a.tif"), b.data, size);
    refused_picture(in("a.tif"), LAVDM_ERROR_DATA, "a.tif: ");
  }
  save(in("a.tif"), b.data, b.size);
  assert_true(mutate_picture(in("a.tif"), 150) > 10);
  picture_free(&p);
  drop(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_kind),
      cmocka_unit_test(every_layout),
      cmocka_unit_test(white_may_be_the_least_value),
      cmocka_unit_test(what_is_not_read_is_said),
      cmocka_unit_test(pages_are_a_stack),
      cmocka_unit_test(headers_that_lie_are_refused),
      cmocka_unit_test(damage_is_refused_or_read),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
