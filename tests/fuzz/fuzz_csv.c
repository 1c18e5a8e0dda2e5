/*
 * Tables of text: commas, semicolons, tabs, blanks, headers, quotes. They are read as numbers alone, and as
 * tables whose columns are recognised; the same bytes in a gzip file of one stored block give the same table.
 */
#include "fuzz.h"
#include "input/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static void check_numbers(const uint8_t *data, size_t size) {
  io_array array = {0};
  lavdm_error error = {0};
  int status = csv_read(fuzz_file(".csv", data, size), &array, &error);
  fuzz_check_error(status, &error);
  if (status >= 0) {
    fuzz_check_array(&array);
    PROMISE(array.rank == 2 && io_array_count(&array) > 0, "a table has rows and columns");
    PROMISE(array.type == IO_INTEGER || array.type == IO_REAL, "a table holds numbers");
  }
  io_array_free(&array);
}

static void check_columns(io_table *t) {
  for (int64_t j = 0; j < t->columns; j++) {
    io_texts texts = {0};
    lavdm_error error = {0};
    const io_column *c = &t->column[j];
    PROMISE(c->numbers + c->texts + c->missing == t->rows, "a cell is a number, a text or missing");
    int status = io_table_texts(t, j, &texts, &error);
    fuzz_check_error(status, &error);
    PROMISE(texts.count == t->rows && (int64_t)strlen(texts.text) == texts.bytes,
            "there is a text for each row");
    const char *at = texts.text;
    int64_t bytes;
    for (int64_t i = 0; i < texts.count; i++) io_texts_next(&at, &bytes);
    PROMISE(!*at, "there are as many texts as rows");
    int64_t found = io_texts_distinct(&texts);
    PROMISE(found >= 1 && found <= t->rows, "texts differ from none to all");
    io_texts_free(&texts);
  }
  PROMISE(io_table_line(t, t->rows - 1) >= t->rows, "a row has a line of its own");
}

/* As points, by one of the rules for missing values. */
static void check_points(io_table *t, missing_rule rule) {
  table_terms terms = {.missing = rule, .standardise = rule == MISSING_MEDIAN};
  table_facts facts = {0};
  io_array points = {0};
  lavdm_error error = {0};
  int64_t rows = t->rows;
  int status = table_points(t, &terms, NULL, &points, &facts, &error);
  fuzz_check_error(status, &error);
  if (status >= 0) {
    fuzz_check_array(&points);
    PROMISE(points.shape[0] + facts.dropped == rows && points.shape[1] == facts.width,
            "rows are kept or dropped");
    PROMISE(!facts.ids.text || facts.ids.count == points.shape[0], "each row has its id");
    PROMISE(!facts.labels.text || facts.labels.count == points.shape[0], "each row has its label");
    for (int64_t i = 0; i < io_array_count(&points) && rule != MISSING_MEDIAN; i++)
      PROMISE(!isnan(((double *)points.data)[i]), "no value is missing");
  }
  io_array_free(&points);
  table_facts_free(&facts);
}

/* The bytes in a gzip file, stored. */
static size_t pack(const uint8_t *data, size_t size, uint8_t **out) {
  z_stream z = {0};
  size_t room = size + 256;
  *out = malloc(room);
  if (!*out || deflateInit2(&z, 0, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY) != Z_OK) abort();
  z.next_in = (Bytef *)(uintptr_t)data;
  z.avail_in = (uInt)size;
  z.next_out = *out;
  z.avail_out = (uInt)room;
  PROMISE(deflate(&z, Z_FINISH) == Z_STREAM_END, "stored bytes fit");
  deflateEnd(&z);
  return room - z.avail_out;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  lavdm_error error = {0};
  io_table t = {0}, unpacked = {0};
  uint8_t *packed;
  check_numbers(data, size);
  int status = io_table_read(fuzz_file(".csv", data, size), &t, &error);
  fuzz_check_error(status, &error);
  if (status >= 0) check_columns(&t);
  size_t length = pack(data, size, &packed);
  int again = io_table_read(fuzz_file(".csv.gz", packed, length), &unpacked, &error);
  PROMISE(again == status, "a packed table is the same");
  PROMISE(status < 0 || (t.rows == unpacked.rows && t.columns == unpacked.columns),
          "a packed table is as large");
  io_table_free(&unpacked);
  free(packed);
  if (status >= 0) check_points(&t, (missing_rule)(size % 3));
  io_table_free(&t);
  status = io_table_read(fuzz_file(".csv.gz", data, size), &t, &error); /* which it is not, mostly */
  fuzz_check_error(status, &error);
  io_table_free(&t);
  return 0;
}
