/* .ply: the vertices of a mesh or cloud of points, as text or bytes; what else is in it is passed over. */
#include "io/ply.h"
#include "io/vertices.h"

#include <stdlib.h>
#include <string.h>

static int fail_early(const ply_file *f, const ply_element *e, int64_t whole) {
  char name[SHOWN_WORD];
  shown_word(e->from, e->to, name);
  return io_fail(f->in.error, LAVDM_ERROR_DATA, f->in.path,
                 "ends too early: its header promises %lld rows of '%s', and %lld are whole",
                 (long long)e->count, name, (long long)whole);
}

/* ----------------------------------------------------------------- text */

static int fail_row(const ply_file *f, const ply_element *e, int64_t i, const char *what) {
  char name[SHOWN_WORD];
  shown_word(e->from, e->to, name);
  return io_fail(f->in.error, LAVDM_ERROR_DATA, f->in.path,
                 "line %lld: %s %lld has %s numbers than the header promises", (long long)f->in.line, name,
                 (long long)i + 1, what);
}

/* The coordinates of one row; numbers that are neither coordinates nor lengths only have to be there. */
static int read_line(const ply_file *f, const ply_element *e, int64_t i, double *xyz) {
  const char *at = f->in.start, *from, *to;
  for (int k = e->first; k < e->first + e->properties; k++) {
    const ply_property *p = &f->property[k];
    double length = 0;
    int status = LAVDM_OK;
    if (!next_word(&at, f->in.stop, &from, &to)) return fail_row(f, e, i, "fewer");
    if (p->axis >= 0) status = lines_number(&f->in, from, to, &xyz[p->axis]);
    if (p->length.size) status = lines_number(&f->in, from, to, &length);
    if (status < 0) return status;
    for (; length >= 1; length--)
      if (!next_word(&at, f->in.stop, &from, &to)) return fail_row(f, e, i, "fewer");
  }
  return next_word(&at, f->in.stop, &from, &to) ? fail_row(f, e, i, "more") : LAVDM_OK;
}

static int read_text(ply_file *f, const ply_element *e, double *xyz) {
  for (int64_t i = 0; i < e->count && e->properties; i++) {
    if (!lines_next_row(&f->in)) return fail_early(f, e, i);
    double row[3]; /* there may be no room for one that is cut off */
    int status = read_line(f, e, i, row);
    if (status < 0) return status;
    if (xyz) memcpy(xyz + 3 * i, row, sizeof row);
  }
  return LAVDM_OK;
}

/* ---------------------------------------------------------------- bytes */

enum { CUT_OFF = -1, NEGATIVE = -2 };

/* The bytes of one row; CUT_OFF if it does not end within the file, NEGATIVE if a length is. */
static int64_t row_width(const ply_file *f, const ply_element *e, const char *row) {
  int64_t left = f->in.end - row, width = 0;
  if (!e->lists) return e->width <= left ? e->width : CUT_OFF;
  for (int k = e->first; k < e->first + e->properties; k++) {
    const ply_property *p = &f->property[k];
    int64_t items = 1;
    if (p->length.size) {
      if (left - width < p->length.size) return CUT_OFF;
      items = (int64_t)number_real(p->length, row + width);
      width += p->length.size;
    }
    if (items < 0) return NEGATIVE;
    if (items > (left - width) / p->number.size) return CUT_OFF;
    width += items * p->number.size;
  }
  return width;
}

/* Of a row that is whole. */
static void read_bytes_row(const ply_file *f, const ply_element *e, const char *row, double *xyz) {
  for (int k = e->first; k < e->first + e->properties; k++) {
    const ply_property *p = &f->property[k];
    int64_t items = p->length.size ? (int64_t)number_real(p->length, row) : 1;
    if (p->axis >= 0) xyz[p->axis] = number_real(p->number, row);
    row += p->length.size + items * p->number.size;
  }
}

static int fail_length(const ply_file *f, const ply_element *e, int64_t i) {
  char name[SHOWN_WORD];
  shown_word(e->from, e->to, name);
  return io_fail(f->in.error, LAVDM_ERROR_DATA, f->in.path,
                 "%s %lld has a list of negative length (damaged?)", name, (long long)i + 1);
}

static int read_bytes(ply_file *f, const ply_element *e, double *xyz) {
  for (int64_t i = 0; i < e->count && e->properties; i++) {
    int64_t width = row_width(f, e, f->in.at);
    if (width == NEGATIVE) return fail_length(f, e, i);
    if (width < 0) return fail_early(f, e, i);
    if (xyz) read_bytes_row(f, e, f->in.at, xyz + 3 * i);
    f->in.at += width;
  }
  return LAVDM_OK;
}

/* -------------------------------------------------------------- the file */

/* What is left may be blank, as some programs end a file. */
static int check_end(ply_file *f) {
  if (f->text) {
    if (!lines_next_row(&f->in)) return LAVDM_OK;
    return io_fail(f->in.error, LAVDM_ERROR_DATA, f->in.path,
                   "line %lld: there are more rows than the header promises", (long long)f->in.line);
  }
  int64_t left = f->in.end - f->in.at;
  for (const char *s = f->in.at; s < f->in.end; s++)
    if (*s && !strchr(" \t\r\n", *s))
      return io_fail(f->in.error, LAVDM_ERROR_DATA, f->in.path,
                     "has %lld bytes more than the rows that its header promises", (long long)left);
  return LAVDM_OK;
}

/* Room for the rows that the file can hold, at most: a number in text has a digit
 * and a separator, but for the last. Reading fails where there are fewer. */
static int make_room(const ply_file *f, const ply_element *e, io_array *out) {
  int64_t left = f->in.end - f->in.at;
  int64_t most = f->text ? (left + 1) / (2 * (int64_t)e->properties) : left / e->width;
  int64_t shape[2] = {e->count < most ? e->count : most, 3};
  array_describe(out, NULL, IO_REAL, 2, shape);
  return array_allocate(out, f->in.path, f->in.end - f->in.text, f->in.error);
}

static int read_elements(ply_file *f, io_array *out) {
  int status = LAVDM_OK;
  for (int k = 0; k < f->elements && status >= 0; k++) {
    const ply_element *e = &f->element[k];
    if (k == f->vertex) status = make_room(f, e, out);
    double *xyz = k == f->vertex ? out->data : NULL;
    if (status >= 0) status = f->text ? read_text(f, e, xyz) : read_bytes(f, e, xyz);
  }
  return status < 0 ? status : check_end(f);
}

/* Properties of the vertices, and other elements. */
static void tell(const ply_file *f) {
  const ply_element *v = &f->element[f->vertex];
  char names[NAMES_SIZE] = "";
  for (int k = v->first; k < v->first + v->properties; k++)
    if (f->property[k].axis < 0) names_add(names, f->property[k].from, f->property[k].to);
  for (int k = 0; k < f->elements; k++)
    if (k != f->vertex) names_add(names, f->element[k].from, f->element[k].to);
  if (*names) io_note(f->in.path, "x, y, z of its vertices are the points; left out: %s", names);
}

int ply_read(const char *path, io_array *out, lavdm_error *error) {
  ply_file f = {0};
  int status = lines_open(path, &f.in, error);
  if (status >= 0) status = ply_read_header(&f);
  if (status >= 0) status = read_elements(&f, out);
  if (status >= 0) tell(&f);
  if (status < 0) io_array_free(out);
  lines_close(&f.in);
  free(f.element);
  free(f.property);
  return status;
}
