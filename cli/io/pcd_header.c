#include "io/pcd.h"

#include <string.h>

static int fail_line(const pcd_file *f, const char *what) {
  return io_fail(f->in.error, LAVDM_ERROR_DATA, f->in.path, "line %lld: %s", (long long)f->in.line, what);
}

static int fail_word(const pcd_file *f, const char *from, const char *to, const char *what) {
  char text[SHOWN_WORD];
  shown_word(from, to, text);
  return io_fail(f->in.error, LAVDM_ERROR_DATA, f->in.path, "line %lld: '%s' %s", (long long)f->in.line, text,
                 what);
}

static int take_fields(pcd_file *f, const char *at) {
  const char *from, *to;
  for (f->fields = 0; next_word(&at, f->in.stop, &from, &to); f->fields++) {
    if (f->fields == PCD_FIELDS) return fail_line(f, "there are more than 64 fields");
    f->field[f->fields] =
        (pcd_field){.from = from, .to = to, .number = {'f', 4, machine_is_big()}, .count = 1};
  }
  return f->fields ? LAVDM_OK : fail_line(f, "FIELDS names no field");
}

static int whole_word(const pcd_file *f, const char *from, const char *to, int64_t *out) {
  double real;
  if (decimal_parse(from, to, out, &real) == CELL_INTEGER && *out >= 0) return LAVDM_OK;
  return fail_word(f, from, to, "is no number of points, bytes or columns");
}

/* SIZE, TYPE and COUNT have a word for each field. */
static int take_each(pcd_file *f, const char *at, char what) {
  const char *from, *to;
  int k = 0;
  for (; next_word(&at, f->in.stop, &from, &to); k++) {
    int64_t value = 0;
    if (k == f->fields) return fail_line(f, "there are more words than FIELDS has");
    int status = what == 'T' ? LAVDM_OK : whole_word(f, from, to, &value);
    if (status < 0) return status;
    if (what == 'T' && !(to - from == 1 && memchr("IUF", *from, 3)))
      return fail_word(f, from, to, "is no type; known are I, U and F");
    if (what == 'T') f->field[k].number.kind = *from == 'F' ? 'f' : *from == 'I' ? 'i' : 'u';
    if (what == 'S' && value != 1 && value != 2 && value != 4 && value != 8)
      return fail_word(f, from, to, "is no size; known are 1, 2, 4 and 8");
    if (what == 'S') f->field[k].number.size = (int)value;
    if (what == 'C' && value > 1 << 20) return fail_word(f, from, to, "is too large a number of columns");
    if (what == 'C') f->field[k].count = value;
  }
  return k == f->fields ? LAVDM_OK : fail_line(f, "there are fewer words than FIELDS has");
}

static int take_form(pcd_file *f, const char *from, const char *to) {
  static const char *const forms[] = {"ascii", "binary", "binary_compressed"};
  for (int k = 0; k < 3; k++)
    if (word_is(from, to, forms[k])) return f->form = (pcd_form)k, LAVDM_OK;
  return fail_word(f, from, to, "is no form of data; known are ascii, binary and binary_compressed");
}

/* Where fields begin, and which are x, y, z. */
static int settle(pcd_file *f) {
  static const char *const axes[] = {"x", "y", "z"};
  for (int a = 0; a < 3; a++) f->axis[a] = -1;
  for (int k = 0; k < f->fields; k++) {
    pcd_field *field = &f->field[k];
    if (!number_known(field->number)) return fail_line(f, "a field of type F has a size of 4 or 8");
    field->column = f->columns;
    field->offset = f->width;
    f->columns += field->count;
    f->width += field->count * field->number.size;
    for (int a = 0; a < 3; a++) {
      if (!word_is(field->from, field->to, axes[a])) continue;
      if (f->axis[a] >= 0 || field->count != 1) return fail_line(f, "x, y and z must be one number each");
      f->axis[a] = k;
    }
  }
  for (int a = 0; a < 3; a++)
    if (f->axis[a] < 0)
      return io_fail(f->in.error, LAVDM_ERROR_DATA, f->in.path, "its points have no field '%s'", axes[a]);
  return LAVDM_OK;
}

/* Lines up to DATA. POINTS may be missing: WIDTH x HEIGHT. */
int pcd_read_header(pcd_file *f) {
  static const char *const words[] = {"VERSION", "FIELDS", "COLUMNS", "SIZE",   "TYPE",
                                      "COUNT",   "WIDTH",  "HEIGHT",  "POINTS", "VIEWPOINT"};
  int64_t size[3] = {1, 1, -1};
  int status = LAVDM_OK;
  while (status >= 0 && lines_next(&f->in)) {
    const char *at = f->in.start, *from, *to;
    int word = 0;
    if (!next_word(&at, f->in.stop, &from, &to) || *from == '#') continue;
    if (word_is(from, to, "DATA")) {
      if (!f->fields) return fail_line(f, "the header ends without a line FIELDS");
      if (!next_word(&at, f->in.stop, &from, &to))
        return fail_line(f, "DATA ascii, binary or binary_compressed?");
      status = take_form(f, from, to);
      f->points = size[2] >= 0 ? size[2] : checked_product(size[0], size[1]);
      if (status >= 0 && f->points < 0) return fail_line(f, "WIDTH x HEIGHT is too large");
      return status < 0 ? status : settle(f);
    }
    while (word < 10 && !word_is(from, to, words[word])) word++;
    if (word == 10)
      return fail_word(f, from, to,
                       f->fields ? "is not known in the header of a PCD file"
                                 : "is not how a PCD file begins");
    if (word == 1 || word == 2) status = take_fields(f, at);
    if (word >= 3 && word <= 5) status = take_each(f, at, *words[word]);
    if (word >= 6 && word <= 8)
      status = next_word(&at, f->in.stop, &from, &to) ? whole_word(f, from, to, &size[word - 6])
                                                      : fail_line(f, "a number is missing");
  }
  if (status < 0) return status;
  return io_fail(f->in.error, LAVDM_ERROR_DATA, f->in.path,
                 f->fields ? "ends within its header: no line DATA"
                           : "is not a PCD file: it has no line FIELDS");
}
