/*
 * Blocks: bytes as a zlib stream in base64. Columns are made, shuffled and packed side by side, and written
 * in their order. Reals are floats, or where there are many rows 16 bits, code = round(65534 (x - low)/(high
 * - low)), 65535 for what is no finite number; whole numbers are those of 32 bits, or if one does not fit
 * doubles.
 */
#include "report/page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <zlib.h>

enum { SIDE_BY_SIDE = 16, LEVEL = 6, NO_NUMBER = 65535 };

/* One column on its way. */
typedef struct {
  double low, high;
  char *text; /* base64, or NULL without memory */
  size_t length;
} packed;

static char *base64(const unsigned char *from, size_t count, size_t *length) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  *length = (count + 2) / 3 * 4;
  char *text = malloc(*length + 1), *to = text;
  for (size_t i = 0; text && i < count; i += 3) {
    size_t left = count - i;
    unsigned bits = (unsigned)from[i] << 16 | (left > 1 ? (unsigned)from[i + 1] << 8 : 0) |
                    (left > 2 ? (unsigned)from[i + 2] : 0);
    *to++ = digits[bits >> 18];
    *to++ = digits[bits >> 12 & 63];
    *to++ = left > 1 ? digits[bits >> 6 & 63] : '=';
    *to++ = left > 2 ? digits[bits & 63] : '=';
  }
  return text;
}

/* A zlib stream of the bytes, in base64; NULL without memory. */
static char *pack(const void *bytes, size_t count, size_t *length) {
  uLongf room = compressBound((uLong)count);
  unsigned char *stream = malloc(room);
  char *text = NULL;
  if (stream && compress2(stream, &room, bytes, (uLong)count, LEVEL) == Z_OK)
    text = base64(stream, room, length);
  free(stream);
  return text;
}

static void write_block(report_page *p, const char *text, size_t length) {
  char head[64];
  int bytes = snprintf(head, sizeof head, "<script type=\"text/plain\" id=\"b%d\">", p->blocks);
  if (p->status >= 0) p->status = lavdm_file_write(p->file, head, (size_t)bytes);
  if (p->status >= 0) p->status = lavdm_file_write(p->file, text, length);
  if (p->status >= 0) p->status = lavdm_file_write(p->file, "</script>\n", 10);
  p->blocks++;
}

int report_block(report_page *p, const void *bytes, size_t count) {
  size_t length;
  if (p->status < 0) return -1;
  char *text = pack(bytes, count, &length);
  if (!text) return report_no_memory(p, "a block"), -1;
  write_block(p, text, length);
  free(text);
  return p->status < 0 ? -1 : p->blocks - 1;
}

/* Numbers of four bytes each: all first bytes, all second ones, ..., the lowest first. */
static void shuffle(const uint32_t *words, int64_t count, unsigned char *out) {
  for (int64_t i = 0; i < count; i++)
    for (int k = 0; k < 4; k++) out[k * count + i] = (unsigned char)(words[i] >> (8 * k));
}

static void put_float(double x, uint32_t *word) {
  float value = (float)x;
  if (!isfinite(value)) value = NAN;
  memcpy(word, &value, sizeof *word);
}

static void pack_four(const report_table *t, int64_t column, packed *out) {
  int64_t rows = t->shape[0];
  uint32_t *words = malloc((size_t)rows * sizeof *words + 1);
  unsigned char *bytes = malloc((size_t)rows * sizeof *words + 1);
  for (int64_t i = 0; words && i < rows; i++) {
    double x = t->entry(t->source, i, column);
    if (t->whole)
      words[i] = (uint32_t)(int32_t)x;
    else
      put_float(x, &words[i]);
  }
  if (words && bytes) {
    shuffle(words, rows, bytes);
    out->text = pack(bytes, (size_t)rows * sizeof *words, &out->length);
  }
  free(words);
  free(bytes);
}

/* Doubles, the lowest byte first. */
static void pack_eight(const report_table *t, int64_t column, packed *out) {
  int64_t rows = t->shape[0];
  unsigned char *bytes = malloc(8 * (size_t)rows + 1);
  for (int64_t i = 0; bytes && i < rows; i++) {
    double x = t->entry(t->source, i, column);
    uint64_t word;
    memcpy(&word, &x, sizeof word);
    for (int k = 0; k < 8; k++) bytes[8 * i + k] = (unsigned char)(word >> (8 * k));
  }
  if (bytes) out->text = pack(bytes, 8 * (size_t)rows, &out->length);
  free(bytes);
}

static void pack_two(const report_table *t, int64_t column, packed *out) {
  int64_t rows = t->shape[0];
  unsigned char *bytes = malloc(2 * (size_t)rows + 1);
  out->low = INFINITY, out->high = -INFINITY;
  for (int64_t i = 0; bytes && i < rows; i++) {
    double x = t->entry(t->source, i, column);
    if (!isfinite(x)) continue;
    if (x < out->low) out->low = x;
    if (x > out->high) out->high = x;
  }
  if (out->low > out->high) out->low = out->high = 0;
  double width = out->high / 2 - out->low / 2; /* halves, which cannot overflow */
  for (int64_t i = 0; bytes && i < rows; i++) {
    double x = t->entry(t->source, i, column);
    double share = width > 0 ? (x / 2 - out->low / 2) / width : 0;
    unsigned code = isfinite(x) ? (unsigned)lround(65534 * share) : NO_NUMBER;
    bytes[2 * i] = (unsigned char)code, bytes[2 * i + 1] = (unsigned char)(code >> 8);
  }
  if (bytes) out->text = pack(bytes, 2 * (size_t)rows, &out->length);
  free(bytes);
}

/* Whether every entry is a whole number of 32 bits. */
static bool fits_whole(const report_table *t, int64_t columns) {
  for (int64_t c = 0; c < columns; c++)
    for (int64_t i = 0; i < t->shape[0]; i++) {
      double x = t->entry(t->source, i, c);
      if (!(fabs(x) < 2147483648.0)) return false;
    }
  return true;
}

static void numbers(report_page *p, const char *name, const report_text *list) {
  report_text_put(&p->arrays, name);
  report_text_add(&p->arrays, list->data, list->used);
  report_text_put(&p->arrays, "]");
}

void report_columns(report_page *p, const report_table *given) {
  report_table t = *given;
  report_text blocks = {0}, low = {0}, high = {0};
  int64_t columns = 1, most = p->threads < SIDE_BY_SIDE ? p->threads : SIDE_BY_SIDE;
  for (int k = 1; k < t.rank; k++) columns *= t.shape[k];
  if (p->status < 0 || columns < 1) return;
  bool eight = t.whole && !fits_whole(&t, columns);
  bool two = !t.whole && t.shape[0] > REPORT_LARGE;
  for (int64_t first = 0; first < columns && report_goes_on(p, t.name, (double)first / (double)columns);
       first += most) {
    packed slot[SIDE_BY_SIDE] = {{0}};
    int64_t count = columns - first < most ? columns - first : most;
#pragma omp parallel for num_threads((int)most) schedule(static, 1) if (t.shape[0] > 1000)
    for (int64_t k = 0; k < count; k++) {
      if (eight)
        pack_eight(&t, first + k, &slot[k]);
      else if (two)
        pack_two(&t, first + k, &slot[k]);
      else
        pack_four(&t, first + k, &slot[k]);
    }
    for (int64_t k = 0; k < count; k++) {
      if (!slot[k].text) report_no_memory(p, t.name);
      report_text_put(&blocks, blocks.used ? "," : "");
      report_text_whole(&blocks, p->blocks);
      report_text_put(&low, low.used ? "," : "");
      report_text_number(&low, slot[k].low);
      report_text_put(&high, high.used ? "," : "");
      report_text_number(&high, slot[k].high);
      if (p->status >= 0) write_block(p, slot[k].text, slot[k].length);
      free(slot[k].text);
    }
  }
  if (p->status >= 0) {
    report_begin(p, t.name, t.rank, t.shape);
    report_text_put(&p->arrays, eight     ? ",\"type\":\"f64\""
                                : two     ? ",\"type\":\"u16\""
                                : t.whole ? ",\"type\":\"i32\",\"shuffle\":true"
                                          : ",\"type\":\"f32\",\"shuffle\":true");
    numbers(p, ",\"blocks\":[", &blocks);
    if (two) numbers(p, ",\"low\":[", &low), numbers(p, ",\"high\":[", &high);
    if (t.names && t.names->used) numbers(p, ",\"names\":[", t.names);
    report_end(p);
  }
  if (blocks.failed || low.failed || high.failed || (t.names && t.names->failed)) report_no_memory(p, t.name);
  report_text_free(&blocks);
  report_text_free(&low);
  report_text_free(&high);
}
