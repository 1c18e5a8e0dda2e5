/*
 * scipy.sparse.save_npz: the members `format`, `shape`, `data` and
 *
 *     csr   indices (columns) and indptr (where each row begins)
 *     csc   indices (rows) and indptr (where each column begins)
 *     coo   row and col
 *
 * All become rows with ascending columns. The transpose of a matrix by rows has
 * ascending columns whatever the order within the rows was: a matrix by columns
 * takes one transpose, one whose rows are in disorder two.
 */
#include "io/scipy.h"
#include "io/formats.h"
#include "io/room.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

void io_sparse_free(io_sparse *sparse) {
  free(sparse->start);
  free(sparse->index);
  free(sparse->value);
  *sparse = (io_sparse){0};
}

/* ------------------------------------------------------------- transposes */

/* Rows that no entry stands for, of which a file may speak at no cost: so many, and a thousand for each
 * entry. */
enum { MOST_EMPTY = 1 << 24 };

static int allocate(const char *label, io_sparse *s, lavdm_error *error) {
  if (s->rows > MOST_EMPTY && (s->rows - MOST_EMPTY) / 1000 > s->count)
    return io_fail(error, LAVDM_ERROR_DATA, label,
                   "its shape cannot be right: %" PRId64 " rows or columns, and %" PRId64 " entries", s->rows,
                   s->count);
  int64_t bytes = checked_product(s->rows + 1, 8), entries = checked_product(s->count, 16);
  if (bytes < 0 || entries < 0) return io_memory(error, label, INT64_MAX);
  int status = room_check(label, NULL, entries, bytes + entries, error);
  if (status < 0) return status;
  s->start = calloc((size_t)s->rows + 1, 8);
  s->index = malloc((size_t)s->count * 8 + 8);
  s->value = malloc((size_t)s->count * 8 + 8);
  if (!s->start || !s->index || !s->value) return io_memory(error, label, bytes + entries);
  return LAVDM_OK;
}

/* start[i+1] holds how many entries row i has: where each begins, one row too far. */
static void begin_rows(io_sparse *s) {
  int64_t sum = 0;
  for (int64_t i = 1; i <= s->rows; i++) {
    int64_t here = s->start[i];
    s->start[i] = sum;
    sum += here;
  }
}

/* Puts an entry behind those that its row has. After the last, start is what it says. */
static void put(io_sparse *s, int64_t row, int64_t col, double value) {
  int64_t at = s->start[row + 1]++;
  s->index[at] = col;
  s->value[at] = value;
}

/* *s becomes its transpose. */
static int transpose(const char *label, io_sparse *s, lavdm_error *error) {
  io_sparse t = {.rows = s->cols, .cols = s->rows, .count = s->count};
  int status = allocate(label, &t, error);
  if (status >= 0) {
    for (int64_t e = 0; e < s->count; e++) t.start[s->index[e] + 1]++;
    begin_rows(&t);
    for (int64_t i = 0; i < s->rows; i++)
      for (int64_t e = s->start[i]; e < s->start[i + 1]; e++) put(&t, s->index[e], i, s->value[e]);
  }
  io_sparse_free(s);
  *s = t;
  return status;
}

static bool ascends(const io_sparse *s) {
  for (int64_t i = 0; i < s->rows; i++)
    for (int64_t e = s->start[i] + 1; e < s->start[i + 1]; e++)
      if (s->index[e] < s->index[e - 1]) return false;
  return true;
}

/* Entries of one place, which stand side by side, become their sum. */
static void add_up(io_sparse *s) {
  int64_t to = 0;
  for (int64_t i = 0, e = 0; i < s->rows; i++) {
    int64_t first = to;
    for (; e < s->start[i + 1]; e++) {
      if (to > first && s->index[to - 1] == s->index[e]) {
        s->value[to - 1] += s->value[e];
      } else {
        s->index[to] = s->index[e];
        s->value[to++] = s->value[e];
      }
    }
    s->start[i + 1] = to;
  }
  s->count = to;
}

static int tidy(const char *label, io_sparse *s, lavdm_error *error) {
  int status = LAVDM_OK;
  for (int turn = 0; turn < 2 && status >= 0 && (turn || !ascends(s)); turn++)
    status = transpose(label, s, error);
  if (status >= 0) add_up(s);
  return status;
}

/* ----------------------------------------------------------------- checks */

static int check_list(const char *label, const char *name, const io_array *a, lavdm_error *error) {
  if (a->type == IO_INTEGER && a->rank == 1) return LAVDM_OK;
  return io_fail(error, LAVDM_ERROR_DATA, label, "'%s' is not a list of whole numbers", name);
}

/* Every number of the list is one of 0 .. most-1. */
static int check_range(const char *label, const char *name, const io_array *a, int64_t count, int64_t most,
                       lavdm_error *error) {
  const int64_t *number = a->data;
  for (int64_t e = 0; e < count; e++)
    if (number[e] < 0 || number[e] >= most)
      return io_fail(error, LAVDM_ERROR_DATA, label,
                     "entry %" PRId64 " of '%s' is %" PRId64 "; they are numbered 0 to %" PRId64, e + 1, name,
                     number[e], most - 1);
  return LAVDM_OK;
}

/* Where rows begin: from 0 on, never back, no further than there are entries. */
static int check_start(const char *label, const io_array *a, int64_t rows, int64_t entries,
                       lavdm_error *error) {
  const int64_t *start = a->data;
  if (a->shape[0] - 1 != rows)
    return io_fail(error, LAVDM_ERROR_DATA, label,
                   "'indptr' has %" PRId64 " entries; %" PRId64 ", one more than the shape says, are needed",
                   a->shape[0], rows + 1);
  if (start[0] != 0)
    return io_fail(error, LAVDM_ERROR_DATA, label, "'indptr' begins with %" PRId64 ", not 0", start[0]);
  for (int64_t i = 0; i < rows; i++)
    if (start[i + 1] < start[i])
      return io_fail(error, LAVDM_ERROR_DATA, label, "'indptr' falls at entry %" PRId64, i + 2);
  if (start[rows] > entries)
    return io_fail(error, LAVDM_ERROR_DATA, label,
                   "'indptr' counts %" PRId64 " entries, and there are %" PRId64, start[rows], entries);
  return LAVDM_OK;
}

/* The values as doubles. */
static int check_values(const char *label, io_array *a, lavdm_error *error) {
  if ((a->type != IO_REAL && a->type != IO_INTEGER) || a->rank != 1)
    return io_fail(error, LAVDM_ERROR_DATA, label, "'data' is not a list of numbers");
  char *bytes = a->data;
  for (int64_t e = 0; a->type == IO_INTEGER && e < a->shape[0]; e++) {
    int64_t whole;
    memcpy(&whole, bytes + 8 * e, 8);
    double real = (double)whole;
    memcpy(bytes + 8 * e, &real, 8);
  }
  a->type = IO_REAL;
  return LAVDM_OK;
}

/* Whether as many rows, and one more, may begin somewhere. */
static bool countable(int64_t rows) {
  return rows >= 0 && rows < INT64_MAX / 8;
}

static void *taken(io_array *a) {
  void *data = a->data;
  a->data = NULL;
  return data;
}

/* By rows, or by columns if these are called rows. */
static int make_compressed(const char *label, io_array *value, io_array *index, io_array *start,
                           io_sparse *out, lavdm_error *error) {
  int status = check_start(label, start, out->rows, index->shape[0], error);
  if (status < 0) return status;
  out->count = ((const int64_t *)start->data)[out->rows];
  status = check_range(label, "indices", index, out->count, out->cols, error);
  if (status < 0) return status;
  out->start = taken(start);
  out->index = taken(index);
  out->value = taken(value);
  return LAVDM_OK;
}

static int make_entries(const char *label, const io_array *value, const io_array *col, const io_array *row,
                        io_sparse *out, lavdm_error *error) {
  const int64_t *rows = row->data, *cols = col->data;
  const double *values = value->data;
  int64_t count = value->shape[0];
  if (row->shape[0] != count)
    return io_fail(error, LAVDM_ERROR_DATA, label, "'row' has %" PRId64 " entries, and 'data' %" PRId64,
                   row->shape[0], count);
  int status = check_range(label, "row", row, count, out->rows, error);
  if (status >= 0) status = check_range(label, "col", col, count, out->cols, error);
  out->count = count;
  if (status >= 0) status = allocate(label, out, error);
  if (status < 0) return status;
  for (int64_t e = 0; e < count; e++) out->start[rows[e] + 1]++;
  begin_rows(out);
  for (int64_t e = 0; e < count; e++) put(out, rows[e], cols[e], values[e]);
  return LAVDM_OK;
}

int sparse_make(const char *label, const char *format, int64_t rows, int64_t cols, io_array *value,
                io_array *index, io_array *start, io_sparse *out, lavdm_error *error) {
  bool entries = strcmp(format, "coo") == 0, columns = strcmp(format, "csc") == 0;
  *out = (io_sparse){.rows = columns ? cols : rows, .cols = columns ? rows : cols};
  int status = LAVDM_OK;
  if (!countable(rows) || !countable(cols))
    status = io_fail(error, LAVDM_ERROR_DATA, label, "its shape cannot be right (damaged?)");
  if (status >= 0) status = check_values(label, value, error);
  if (status >= 0) status = check_list(label, entries ? "col" : "indices", index, error);
  if (status >= 0) status = check_list(label, entries ? "row" : "indptr", start, error);
  if (status >= 0 && index->shape[0] != value->shape[0])
    status =
        io_fail(error, LAVDM_ERROR_DATA, label, "'data' and '%s' have %" PRId64 " and %" PRId64 " entries",
                entries ? "col" : "indices", value->shape[0], index->shape[0]);
  if (status >= 0)
    status = entries ? make_entries(label, value, index, start, out, error)
                     : make_compressed(label, value, index, start, out, error);
  io_array_free(value);
  io_array_free(index);
  io_array_free(start);
  if (status >= 0 && columns) status = transpose(label, out, error);
  if (status >= 0) status = tidy(label, out, error);
  if (status < 0)
    io_sparse_free(out);
  else
    memcpy(out->format, format, strlen(format) + 1);
  return status;
}

/* ------------------------------------------------------------------- .npz */

int scipy_is(const char *path, lavdm_error *error) {
  size_t length = strlen(path);
  if (length < 5 || strcasecmp(path + length - 4, ".npz") != 0) return 0;
  io_list list = {0};
  int status = npz_read(path, NULL, false, &list, error), found = 0;
  for (int i = 0; i < list.count && status >= 0; i++) {
    const io_array *a = &list.array[i];
    if (a->type == IO_TEXT && strcmp(a->name, "format") == 0) found |= 1;
    if (a->type == IO_INTEGER && strcmp(a->name, "shape") == 0) found |= 2;
  }
  list_free(&list);
  return status < 0 ? io_settled(status, error) : found == 3;
}

static int read_member(const char *path, const char *name, io_array *out, lavdm_error *error) {
  io_list list = {0};
  int status = npz_read(path, name, true, &list, error);
  if (status >= 0 && list.count == 1) {
    *out = list.array[0];
    list.count = 0;
  } else if (status >= 0 || status == IO_NOT_FOUND) {
    status = io_fail(error, LAVDM_ERROR_DATA, path,
                     "has no '%s': it is no sparse matrix that scipy.sparse.save_npz wrote", name);
  }
  list_free(&list);
  return status;
}

/* "csr", "csc" or "coo". */
static int read_format(const char *path, char format[8], lavdm_error *error) {
  io_array a = {0};
  int status = read_member(path, "format", &a, error);
  if (status < 0) return status;
  const char *text = a.type == IO_TEXT ? a.data : "";
  if (strcmp(text, "csr") == 0 || strcmp(text, "csc") == 0 || strcmp(text, "coo") == 0)
    memcpy(format, text, 4);
  else
    status = io_fail(error, LAVDM_ERROR_DATA, path,
                     "is a sparse matrix of format '%.20s'; csr, csc and coo are read: "
                     "scipy.sparse.save_npz(FILE, matrix.tocsr())",
                     shown(text));
  io_array_free(&a);
  return status;
}

static int read_shape(const char *path, int64_t shape[2], lavdm_error *error) {
  io_array a = {0};
  int status = read_member(path, "shape", &a, error);
  if (status < 0) return status;
  if (a.type == IO_INTEGER && a.rank == 1 && a.shape[0] == 2)
    memcpy(shape, a.data, 16);
  else
    status = io_fail(error, LAVDM_ERROR_DATA, path, "'shape' is not two whole numbers: it is no matrix");
  io_array_free(&a);
  return status;
}

int scipy_read(const char *path, io_sparse *out, lavdm_error *error) {
  char format[8] = "";
  int64_t shape[2] = {0};
  io_array value = {0}, index = {0}, start = {0};
  io_stamp stamp = io_stamp_of(path);
  *out = (io_sparse){0};
  int status = read_format(path, format, error);
  bool entries = strcmp(format, "coo") == 0;
  if (status >= 0) status = read_shape(path, shape, error);
  if (status >= 0) status = read_member(path, "data", &value, error);
  if (status >= 0) status = read_member(path, entries ? "col" : "indices", &index, error);
  if (status >= 0) status = read_member(path, entries ? "row" : "indptr", &start, error);
  if (status >= 0) status = sparse_make(path, format, shape[0], shape[1], &value, &index, &start, out, error);
  io_array_free(&value);
  io_array_free(&index);
  io_array_free(&start);
  if (status >= 0 && (status = io_stamp_check(path, &stamp, error)) < 0) io_sparse_free(out);
  return io_settled(status, error);
}
