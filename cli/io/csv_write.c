/* Tables as text, written: numbers alone, or with names of columns, ids and labels of rows. */
#define _POSIX_C_SOURCE 200809L
#include "io/csv.h"
#include "io/table.h"

#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static int print_cell(const io_item *item, int64_t i, char text[DECIMAL_SIZE]) {
  if (item->type == IO_REAL) return decimal_print(((const double *)item->data)[i], text);
  if (item->type == IO_SINGLE) return decimal_print_single(((const float *)item->data)[i], text);
  return snprintf(text, DECIMAL_SIZE, "%lld", (long long)((const int64_t *)item->data)[i]);
}

static int write_cells(output_file *file, const io_item *item, char separator) {
  int64_t count = item_count(item), columns = item->rank == 2 ? item->shape[1] : 1;
  const int64_t slice = OUTPUT_SLICE / type_size(item->type);
  int status = LAVDM_OK;
  for (int64_t i = 0; i < count && status >= 0; i++) {
    char text[DECIMAL_SIZE + 1];
    int length = print_cell(item, i, text);
    text[length++] = (i + 1) % columns == 0 ? '\n' : separator;
    status = output_write(file, text, (size_t)length);
    if ((i + 1) % slice == 0) output_trim(file);
  }
  return status;
}

/* A text as a cell: in quotes if it could be taken for anything else. */
static int write_text(output_file *file, const char *text, int64_t bytes, char separator) {
  bool plain = bytes > 0 && text[0] != '#' && text[0] != ' ' && text[bytes - 1] != ' ';
  for (int64_t i = 0; i < bytes; i++) plain &= text[i] != separator && !strchr("\"\t\r,;", text[i]);
  if (plain || !bytes) return output_write(file, text, (size_t)bytes);
  int status = output_write(file, "\"", 1);
  for (int64_t i = 0; i < bytes && status >= 0; i++)
    status = output_write(file, text[i] == '"' ? "\"\"" : text + i, text[i] == '"' ? 2 : 1);
  return status < 0 ? status : output_write(file, "\"", 1);
}

/* The next text of a list, or the number of the row, and what stands behind it. */
static int write_next(output_file *file, const char **at, int64_t row, char separator) {
  int64_t bytes;
  char number[24];
  int status;
  if (*at) {
    const char *text = io_texts_next(at, &bytes);
    status = write_text(file, text, bytes, separator);
  } else {
    status = output_write(file, number, (size_t)snprintf(number, sizeof number, "%lld", (long long)row));
  }
  return status < 0 ? status : output_write(file, &separator, 1);
}

static int write_header(output_file *file, const io_rows_table *t, char separator) {
  const char *at = t->names.text, *end = "\n";
  int status = output_write(file, "id", 2);
  if (status >= 0 && t->labels) status = output_write(file, &separator, 1);
  if (status >= 0 && t->labels) status = output_write(file, "label", 5);
  for (int64_t k = 0; k < t->names.count && status >= 0; k++) {
    int64_t bytes;
    const char *name = io_texts_next(&at, &bytes);
    status = output_write(file, &separator, 1);
    if (status >= 0) status = write_text(file, name, bytes, separator);
  }
  return status < 0 ? status : output_write(file, end, 1);
}

static int write_rows(output_file *file, const io_rows_table *t, char separator) {
  const char *id = t->ids ? t->ids->text : NULL, *label = t->labels ? t->labels->text : NULL;
  int64_t rows = t->values.shape[0], columns = t->values.shape[1];
  const int64_t slice = OUTPUT_SLICE / type_size(t->values.type) / (columns + 1) + 1;
  int status = write_header(file, t, separator);
  for (int64_t i = 0; i < rows && status >= 0; i++) {
    status = write_next(file, &id, t->numbers ? t->numbers[i] : i, separator);
    if (status >= 0 && label) status = write_next(file, &label, i, separator);
    for (int64_t k = 0; k < columns && status >= 0; k++) {
      char text[DECIMAL_SIZE + 1];
      int length = print_cell(&t->values, i * columns + k, text);
      text[length++] = k + 1 == columns ? '\n' : separator;
      status = output_write(file, text, (size_t)length);
    }
    if ((i + 1) % slice == 0) output_trim(file);
  }
  return status;
}

/* Enters the locale C; what it was, to be left by leave_plain, or 0 without memory. */
static locale_t enter_plain(locale_t *plain) {
  *plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  return *plain ? uselocale(*plain) : (locale_t)0;
}

static void leave_plain(locale_t plain, locale_t before) {
  uselocale(before);
  freelocale(plain);
}

int csv_write(output_file *file, const io_item *item, char separator) {
  locale_t plain, before = enter_plain(&plain);
  if (!before) return io_memory(file->error, file->path, 0);
  int status = write_cells(file, item, separator);
  leave_plain(plain, before);
  return status;
}

static int write_table(output_file *file, const io_rows_table *t, char separator) {
  locale_t plain, before = enter_plain(&plain);
  if (!before) return io_memory(file->error, file->path, 0);
  int status = write_rows(file, t, separator);
  leave_plain(plain, before);
  return status;
}

int io_write_rows(const char *path, const io_rows_table *t, const io_trim *trim, lavdm_error *error) {
  output_file file;
  size_t length = strlen(path);
  int status = output_begin(&file, path, error);
  if (status < 0) return io_written(status, error);
  file.trim = trim;
  status = write_table(&file, t, length > 4 && !strcasecmp(path + length - 4, ".tsv") ? '\t' : ',');
  return io_written(output_end(&file, status), error);
}
