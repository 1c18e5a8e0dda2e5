/*
 * The header of an .npy file: magic, version, length, then a Python dictionary
 * {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), } padded by blanks.
 */
#include "io/formats.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HEADER_MOST = 1 << 16 };

static void skip_blanks(const char **at) {
  while (**at == ' ' || **at == '\t' || **at == '\n') (*at)++;
}

static bool take(const char **at, char c) {
  skip_blanks(at);
  if (**at != c) return false;
  (*at)++;
  return true;
}

static bool take_word(const char **at, const char *word) {
  skip_blanks(at);
  size_t length = strlen(word);
  if (strncmp(*at, word, length) != 0) return false;
  *at += length;
  return true;
}

/* A quoted string without escapes, cut to 23 characters. */
static bool take_string(const char **at, char out[24]) {
  skip_blanks(at);
  char quote = **at;
  if (quote != '\'' && quote != '"') return false;
  const char *end = strchr(++*at, quote);
  if (!end) return false;
  size_t length = (size_t)(end - *at);
  if (length > 23) length = 23;
  memcpy(out, *at, length);
  out[length] = 0;
  *at = end + 1;
  return true;
}

/* A number of digits alone, with the L that old Pythons wrote; -1 if none. */
static int64_t take_size(const char **at) {
  int64_t x = -1;
  skip_blanks(at);
  while (**at >= '0' && **at <= '9') {
    if (x > INT64_MAX / 16) return -1;
    x = (x < 0 ? 0 : x) * 10 + (*(*at)++ - '0');
  }
  if (x >= 0 && **at == 'L') (*at)++;
  return x;
}

/* A tuple; a rank beyond IO_RANK is counted but not kept. */
static bool take_shape(const char **at, npy_header *header) {
  if (!take(at, '(')) return false;
  header->rank = 0;
  while (!take(at, ')')) {
    int64_t size = take_size(at);
    if (size < 0) return false;
    if (header->rank < IO_RANK) header->shape[header->rank] = size;
    header->rank++;
    if (!take(at, ',')) return take(at, ')');
  }
  return true;
}

/* Reads `text` into a type and a header; false if it is no such dictionary. */
static bool parse_dictionary(const char *text, char type[24], npy_header *header) {
  const char *at = text;
  char key[24];
  int seen = 0;
  if (!take(&at, '{')) return false;
  while (!take(&at, '}')) {
    if (!take_string(&at, key) || !take(&at, ':')) return false;
    if (strcmp(key, "descr") == 0) {
      seen |= 1;
      if (take(&at, '[')) { /* a list of fields: nothing further matters */
        strcpy(type, "[");
        header->rank = 0;
        return true;
      }
      if (!take_string(&at, type)) return false;
    } else if (strcmp(key, "fortran_order") == 0) {
      seen |= 2;
      header->columns = take_word(&at, "True");
      if (!header->columns && !take_word(&at, "False")) return false;
    } else if (strcmp(key, "shape") == 0) {
      seen |= 4;
      if (!take_shape(&at, header)) return false;
    } else {
      return false;
    }
    if (!take(&at, ',')) {
      if (!take(&at, '}')) return false;
      break;
    }
  }
  skip_blanks(&at);
  return seen == 7 && *at == 0;
}

/* Byte order, kind and size of "<f8" and the like. */
static int parse_type(source *s, const char *type, npy_header *header) {
  const char *at = type;
  char order = strchr("<>=|", *at) && *at ? *at++ : '=';
  header->kind = *at ? *at++ : '?';
  int64_t size = take_size(&at);
  number_format *f = &header->number;
  *f = (number_format){header->kind, size > 0 && size < 1 << 30 ? (int)size : 0, false};
  f->swapped = (order == '>' && !machine_is_big()) || (order == '<' && machine_is_big());
  bool whole = *at == 0;
  if (whole && number_known(*f)) return LAVDM_OK;
  bool string = header->kind == 'U' || header->kind == 'S';
  if (whole && string && size >= 0 && size < 1 << 28) {
    f->size = (int)size * (header->kind == 'U' ? 4 : 1);
    if (header->rank < 2) return LAVDM_OK;
  }
  const char *what = header->kind == 'c'   ? "complex numbers"
                     : header->kind == 'O' ? "Python objects"
                     : string              ? "strings"
                     : type[0] == '['      ? "records with fields"
                                           : NULL;
  if (what) return io_fail(s->error, IO_UNSUPPORTED, s->label, "holds %s; real numbers are needed", what);
  return io_fail(s->error, IO_UNSUPPORTED, s->label, "holds numbers of type '%s', which is not read", type);
}

static int check_length(source *s, const npy_header *header) {
  int64_t bytes = checked_product(shape_count(header->rank, header->shape), header->number.size);
  if (bytes < 0 || bytes > s->left)
    return io_fail(s->error, LAVDM_ERROR_DATA, s->label,
                   "its header promises more data than the file holds (cut short?)");
  if (bytes < s->left)
    return io_fail(s->error, LAVDM_ERROR_DATA, s->label, "has %lld bytes beyond the array of its header",
                   (long long)(s->left - bytes));
  return LAVDM_OK;
}

int npy_read_header(source *s, npy_header *header) {
  unsigned char start[12] = {0};
  char type[24], *text = NULL;
  memset(header, 0, sizeof *header);
  if (s->left < 10) return io_fail(s->error, LAVDM_ERROR_DATA, s->label, "is not an .npy file (too short)");
  int status = source_read(s, start, 8);
  if (status < 0) return status;
  if (memcmp(start, "\x93NUMPY", 6) != 0)
    return io_fail(s->error, LAVDM_ERROR_DATA, s->label, "is not an .npy file");
  if (start[6] < 1 || start[6] > 3)
    return io_fail(s->error, LAVDM_ERROR_DATA, s->label, "is an .npy file of unknown version %d", start[6]);
  status = source_read(s, start + 8, start[6] == 1 ? 2 : 4);
  if (status < 0) return status;
  uint32_t length =
      start[8] | (uint32_t)start[9] << 8 | (uint32_t)start[10] << 16 | (uint32_t)start[11] << 24;
  if (length > s->left || length > HEADER_MOST)
    return io_fail(s->error, LAVDM_ERROR_DATA, s->label, "its header is longer than it can be (damaged?)");
  text = calloc((size_t)length + 1, 1);
  if (!text) return io_memory(s->error, s->label, length);
  status = source_read(s, text, length);
  bool valid = strlen(text) == length && parse_dictionary(text, type, header);
  free(text);
  if (status < 0) return status;
  if (!valid)
    return io_fail(s->error, LAVDM_ERROR_DATA, s->label, "its .npy header cannot be understood (damaged?)");
  if (header->rank > IO_RANK)
    return io_fail(s->error, IO_UNSUPPORTED, s->label, "has %d dimensions; at most %d are read", header->rank,
                   IO_RANK);
  status = parse_type(s, type, header);
  return status < 0 ? status : check_length(s, header);
}

int npy_print_typed(const char *type, int rank, const int64_t *shape, char text[NPY_HEADER_SIZE]) {
  char sizes[IO_RANK * 24] = "";
  int used = 0;
  for (int i = 0; i < rank; i++)
    used += snprintf(sizes + used, sizeof sizes - (size_t)used, "%s%lld%s", i ? ", " : "",
                     (long long)shape[i], rank == 1 ? "," : "");
  memset(text, ' ', NPY_HEADER_SIZE);
  int length = 10 + snprintf(text + 10, NPY_HEADER_SIZE - 10,
                             "{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", type, sizes);
  text[length] = ' ';
  /* the data begin at a multiple of 64 bytes */
  int total = (length + 1 + 63) / 64 * 64;
  text[total - 1] = '\n';
  memcpy(text, "\x93NUMPY\x01\x00", 8);
  text[8] = (char)((total - 10) & 255);
  text[9] = (char)((total - 10) >> 8);
  return total;
}

int npy_print_header(const io_item *item, int64_t units, char text[NPY_HEADER_SIZE]) {
  char type[32], order = machine_is_big() ? '>' : '<';
  if (item->type == IO_TEXT)
    snprintf(type, sizeof type, "%cU%lld", order, (long long)(units ? units : 1));
  else
    snprintf(type, sizeof type, "%c%s", order,
             item->type == IO_REAL     ? "f8"
             : item->type == IO_SINGLE ? "f4"
                                       : "i8");
  return npy_print_typed(type, item->type == IO_TEXT ? item->rank - 1 : item->rank, item->shape, text);
}
