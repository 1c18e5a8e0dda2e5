#define _POSIX_C_SOURCE 200809L
#include "io/mtx.h"
#include "io/formats.h"
#include "io/room.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { SHORTEST = 2 }; /* bytes that an entry has in the file, its end included */

typedef struct {
  text_lines text;
  bool coordinate, pattern;
  mtx_file *out;
  int64_t room;
} reader;

int mtx_is(const char *path) {
  size_t length = strlen(path);
  return length > 4 && !strcasecmp(path + length - 4, ".mtx");
}

void mtx_free(mtx_file *file) {
  free(file->row);
  free(file->col);
  free(file->value);
  *file = (mtx_file){0};
}

static int bad_line(const reader *r, const char *what) {
  return io_fail(r->text.error, LAVDM_ERROR_DATA, r->text.path, "line %" PRId64 ": %s", r->text.line, what);
}

/* ------------------------------------------------------------------ header */

/* The words of the header, in lower case. */
static int split(const reader *r, char word[5][24]) {
  const char *at = r->text.start, *from, *to;
  for (int k = 0; k < 5; k++) {
    if (!next_word(&at, r->text.stop, &from, &to) || to - from > 23)
      return bad_line(r, "the header is not `%%MatrixMarket matrix coordinate|array FIELD SYMMETRY`");
    for (int64_t i = 0; i < to - from; i++) word[k][i] = (char)tolower((unsigned char)from[i]);
    word[k][to - from] = 0;
  }
  return LAVDM_OK;
}

static int read_header(reader *r) {
  char word[5][24];
  if (!lines_next(&r->text))
    return io_fail(r->text.error, LAVDM_ERROR_DATA, r->text.path, "is empty: no Matrix Market file");
  int status = split(r, word);
  if (status < 0) return status;
  if (strcmp(word[0], "%%matrixmarket") || strcmp(word[1], "matrix"))
    return bad_line(r, "the header does not begin with `%%MatrixMarket matrix`");
  r->coordinate = !strcmp(word[2], "coordinate");
  if (!r->coordinate && strcmp(word[2], "array")) return bad_line(r, "the format is not coordinate or array");
  r->pattern = !strcmp(word[3], "pattern");
  if (!strcmp(word[3], "complex")) return bad_line(r, "complex numbers are not read: weights are real");
  if (strcmp(word[3], "real") && strcmp(word[3], "integer") && strcmp(word[3], "double") && !r->pattern)
    return bad_line(r, "the field is not real, integer or pattern");
  if (r->pattern && !r->coordinate) return bad_line(r, "an array cannot be a pattern");
  r->out->symmetric = !strcmp(word[4], "symmetric");
  if (!strcmp(word[4], "hermitian") || !strcmp(word[4], "skew-symmetric"))
    return bad_line(r, "the matrix is hermitian or skew-symmetric: weights are general or symmetric");
  if (!r->out->symmetric && strcmp(word[4], "general"))
    return bad_line(r, "the symmetry is not general or symmetric");
  return LAVDM_OK;
}

/* The next line that says something; false at the end. */
static bool next_entry(reader *r) {
  const char *from, *to, *at;
  while (lines_next(&r->text)) {
    at = r->text.start;
    if (next_word(&at, r->text.stop, &from, &to) && *from != '%') return true;
  }
  return false;
}

/* `count` numbers, and nothing behind them. */
static int read_numbers_of_line(const reader *r, int count, double *number) {
  const char *at = r->text.start, *from, *to;
  for (int k = 0; k < count; k++) {
    if (!next_word(&at, r->text.stop, &from, &to)) return bad_line(r, "there are too few numbers");
    int status = lines_number(&r->text, from, to, &number[k]);
    if (status < 0) return status;
  }
  return next_word(&at, r->text.stop, &from, &to) ? bad_line(r, "there are too many numbers") : LAVDM_OK;
}

static bool is_size(double x, double least) {
  return x >= least && x <= 1e15 && x == floor(x);
}

/* Rows, columns and entries; these cannot be more than the rest of the file has room for. */
static int read_sizes(reader *r, int64_t *entries) {
  double size[3] = {0};
  if (!next_entry(r)) return bad_line(r, "the file ends before the sizes of the matrix");
  int status = read_numbers_of_line(r, r->coordinate ? 3 : 2, size);
  if (status < 0) return status;
  if (!is_size(size[0], 1) || !is_size(size[1], 1) || !is_size(size[2], 0))
    return bad_line(r, "the sizes are not whole numbers");
  r->out->rows = (int64_t)size[0], r->out->cols = (int64_t)size[1], *entries = (int64_t)size[2];
  if (r->out->symmetric && r->out->rows != r->out->cols)
    return bad_line(r, "the matrix is symmetric, but not square");
  int64_t n = r->out->rows, all = checked_product(n, r->out->cols);
  if (!r->coordinate) *entries = all < 0 ? INT64_MAX : r->out->symmetric ? all / 2 + (n + 1) / 2 : all;
  if (*entries > (r->text.end - r->text.at) / SHORTEST + 1)
    return bad_line(r, "the file is too short for so many entries (cut short?)");
  return LAVDM_OK;
}

/* ----------------------------------------------------------------- entries */

static int allocate(reader *r, int64_t entries) {
  mtx_file *out = r->out;
  int status = room_check(r->text.path, NULL, r->text.end - r->text.text, 24 * entries, r->text.error);
  if (status < 0) return status;
  size_t room = (size_t)(entries > 0 ? entries : 1);
  out->row = malloc(room * sizeof *out->row);
  out->col = malloc(room * sizeof *out->col);
  out->value = malloc(room * sizeof *out->value);
  return out->row && out->col && out->value ? LAVDM_OK : io_memory(r->text.error, r->text.path, 24 * entries);
}

static void put(mtx_file *out, int64_t row, int64_t col, double value) {
  out->row[out->count] = row, out->col[out->count] = col, out->value[out->count++] = value;
}

static int read_coordinates(reader *r, int64_t entries) {
  mtx_file *out = r->out;
  for (int64_t e = 0; e < entries; e++) {
    double n[3] = {0, 0, 1};
    if (!next_entry(r)) return bad_line(r, "the file ends before its last entry (cut short?)");
    int status = read_numbers_of_line(r, r->pattern ? 2 : 3, n);
    if (status < 0) return status;
    if (!is_size(n[0], 1) || !is_size(n[1], 1) || n[0] > (double)out->rows || n[1] > (double)out->cols)
      return bad_line(r, "the row or column is not one of the matrix, whose are counted from 1");
    if (out->symmetric && n[1] > n[0])
      return bad_line(r, "the matrix is symmetric, and this entry is above the diagonal");
    put(out, (int64_t)n[0] - 1, (int64_t)n[1] - 1, n[2]);
  }
  return LAVDM_OK;
}

/* Column after column; of a symmetric matrix from the diagonal down. */
static int read_array(reader *r) {
  mtx_file *out = r->out;
  for (int64_t k = 0; k < out->cols; k++)
    for (int64_t i = out->symmetric ? k : 0; i < out->rows; i++) {
      double value;
      if (!next_entry(r)) return bad_line(r, "the file ends before its last entry (cut short?)");
      int status = read_numbers_of_line(r, 1, &value);
      if (status < 0) return status;
      if (value != 0) put(out, i, k, value);
    }
  return LAVDM_OK;
}

int mtx_read(const char *path, mtx_file *out, lavdm_error *error) {
  reader r = {.out = out};
  int64_t entries = 0;
  *out = (mtx_file){0};
  io_stamp stamp = io_stamp_of(path);
  int status = lines_open(path, &r.text, error);
  if (status >= 0) status = read_header(&r);
  if (status >= 0) status = read_sizes(&r, &entries);
  if (status >= 0) status = allocate(&r, entries);
  if (status >= 0) status = r.coordinate ? read_coordinates(&r, entries) : read_array(&r);
  if (status >= 0 && next_entry(&r)) status = bad_line(&r, "there are more entries than the header says");
  lines_close(&r.text);
  if (status >= 0) status = io_stamp_check(path, &stamp, error);
  if (status < 0) mtx_free(out);
  return io_settled(status, error);
}
