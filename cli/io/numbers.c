/* Numbers of any width and byte order into double, int64_t or float. */
#include "io/formats.h"

#include <math.h>
#include <string.h>

bool machine_is_big(void) {
  const uint16_t one = 1;
  unsigned char first;
  memcpy(&first, &one, 1);
  return first == 0;
}

void swap_bytes(void *values, int size, int64_t count) {
  unsigned char *at = values;
  for (int64_t i = 0; i < count; i++, at += size)
    for (int a = 0, b = size - 1; a < b; a++, b--) {
      unsigned char t = at[a];
      at[a] = at[b];
      at[b] = t;
    }
}

bool number_known(number_format f) {
  bool power = f.size == 1 || f.size == 2 || f.size == 4 || f.size == 8;
  switch (f.kind) {
  case 'f':
    return power && f.size > 1;
  case 'i':
  case 'u':
    return power;
  case 'b':
    return f.size == 1;
  default:
    return false;
  }
}

io_type number_type(number_format f) {
  return f.kind == 'f' ? IO_REAL : IO_INTEGER;
}

/* IEEE binary16: sign 1, exponent 5, fraction 10 bits. */
static double half_value(uint16_t h) {
  int exponent = h >> 10 & 31;
  double fraction = h & 1023, x;
  if (exponent == 31)
    x = fraction > 0 ? NAN : INFINITY;
  else
    x = exponent ? ldexp(fraction + 1024, exponent - 25) : ldexp(fraction, -24);
  return h >> 15 ? -x : x;
}

#define CONVERT(from, to, value)                                                                             \
  for (int64_t i = 0; i < count; i++) {                                                                      \
    from x;                                                                                                  \
    memcpy(&x, raw + i * (int64_t)sizeof x, sizeof x);                                                       \
    to y = value;                                                                                            \
    memcpy(out + 8 * i, &y, 8);                                                                              \
  }

/* False if an unsigned number passes INT64_MAX. `raw` and `out` are apart. */
static bool convert(number_format f, char *raw, int64_t count, char *out) {
  if (f.swapped) swap_bytes(raw, f.size, count);
  uint64_t all = 0;
  switch (f.kind == 'f' ? f.size + 16 : f.kind == 'i' ? f.size : f.size + 32) {
  case 16 + 2:
    CONVERT(uint16_t, double, half_value(x));
    break;
  case 16 + 4:
    CONVERT(float, double, (double)x);
    break;
  case 16 + 8:
    CONVERT(double, double, x);
    break;
  case 1:
    CONVERT(int8_t, int64_t, x);
    break;
  case 2:
    CONVERT(int16_t, int64_t, x);
    break;
  case 4:
    CONVERT(int32_t, int64_t, x);
    break;
  case 8:
    CONVERT(int64_t, int64_t, x);
    break;
  case 32 + 1:
    CONVERT(uint8_t, int64_t, x);
    break;
  case 32 + 2:
    CONVERT(uint16_t, int64_t, x);
    break;
  case 32 + 4:
    CONVERT(uint32_t, int64_t, x);
    break;
  case 32 + 8:
    CONVERT(uint64_t, uint64_t, (all |= x, x));
    break;
  }
  return all <= INT64_MAX;
}

/* Integers that a file keeps for an array of reals (as MAT does, to be short). */
static void widen(char *values, int64_t count) {
  for (int64_t i = 0; i < count; i++) {
    int64_t x;
    memcpy(&x, values + 8 * i, 8);
    double y = (double)x;
    memcpy(values + 8 * i, &y, 8);
  }
}

bool numbers_real(number_format f, void *raw, int64_t count, double *out) {
  if (!convert(f, raw, count, (char *)out)) return false;
  if (number_type(f) == IO_INTEGER) widen((char *)out, count);
  return true;
}

bool number_fits_single(number_format f) {
  return f.kind == 'f' ? f.size <= 4 : f.size <= 2;
}

enum { BLOCK = 4096 };

void numbers_single(number_format f, void *raw, int64_t count, float *out) {
  double block[BLOCK];
  char *at = raw;
  if (f.kind == 'f' && f.size == 4) { /* as they are, to the bit */
    memcpy(out, raw, (size_t)count * sizeof *out);
    if (f.swapped) swap_bytes(out, f.size, count);
    return;
  }
  for (int64_t i = 0; i < count; i += BLOCK, at += (int64_t)f.size * BLOCK) {
    int64_t part = count - i < BLOCK ? count - i : BLOCK;
    numbers_real(f, at, part, block);
    for (int64_t j = 0; j < part; j++) out[i + j] = (float)block[j];
  }
}

double number_real(number_format f, const void *raw) {
  char copy[8];
  double real = 0;
  memcpy(copy, raw, (size_t)f.size);
  numbers_real(f, copy, 1, &real);
  return real;
}

/* Numbers of a file on their way into an array of a type. */
typedef struct {
  number_format f;
  io_type type;
  _Alignas(8) char raw[8 * BLOCK], values[8 * BLOCK];
} number_block;

/* Whether the file has them as the array is to have them. */
static bool plain(number_format f, io_type type) {
  if (f.swapped) return false;
  if (type == IO_SINGLE) return f.kind == 'f' && f.size == 4;
  return f.size == 8 && f.kind != 'u' && number_type(f) == type;
}

/* The next `count`, BLOCK at most, in b->values. */
static int read_block(source *s, number_block *b, int64_t count) {
  number_format f = b->f;
  bool as_it_is = plain(f, b->type);
  int status = source_read(s, as_it_is ? b->values : b->raw, count * f.size);
  if (status < 0 || as_it_is) return status;
  if (b->type == IO_SINGLE) {
    numbers_single(f, b->raw, count, (float *)(void *)b->values);
    return LAVDM_OK;
  }
  if (!convert(f, b->raw, count, b->values))
    return io_fail(s->error, LAVDM_ERROR_DATA, s->label, "holds an integer above %lld", (long long)INT64_MAX);
  if (b->type == IO_REAL && number_type(f) == IO_INTEGER) widen(b->values, count);
  return LAVDM_OK;
}

int read_numbers(source *s, number_format f, bool columns, io_array *array) {
  number_block b;
  b.f = f;
  b.type = array->type;
  char *out = array->data;
  column_walk walk = column_start(array->type, array->rank, array->shape);
  columns = columns && array->rank > 1;
  int64_t left = io_array_count(array);
  if (plain(f, array->type) && !columns) return source_read(s, out, walk.size * left);
  while (left > 0) {
    int64_t count = left < BLOCK ? left : BLOCK;
    int status = read_block(s, &b, count);
    if (status < 0) return status;
    if (columns)
      column_put(&walk, array->data, b.values, count);
    else
      memcpy(out, b.values, (size_t)(walk.size * count));
    out += walk.size * count;
    left -= count;
  }
  return LAVDM_OK;
}

/* Bytes that are sent as they are. */
static int send_plain(source *s, int64_t left, sender *to) {
  static char part[1 << 18];
  int status = LAVDM_OK;
  for (; left > 0 && status >= 0; left -= (int64_t)sizeof part) {
    int64_t bytes = left < (int64_t)sizeof part ? left : (int64_t)sizeof part;
    status = source_read(s, part, bytes);
    if (status >= 0) send_bytes(to, part, bytes);
  }
  return status;
}

int send_numbers(source *s, number_format f, bool columns, const io_array *array, sender *to) {
  number_block b;
  b.f = f;
  b.type = array->type;
  int status = LAVDM_OK;
  send_array(to, array, columns && array->rank > 1, true);
  if (plain(f, array->type)) return send_plain(s, type_size(array->type) * io_array_count(array), to);
  for (int64_t left = io_array_count(array); left > 0 && status >= 0; left -= BLOCK) {
    int64_t count = left < BLOCK ? left : BLOCK;
    status = read_block(s, &b, count);
    if (status >= 0) send_bytes(to, b.values, count * type_size(array->type));
  }
  return status;
}
