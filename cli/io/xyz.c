/*
 * .xyz and .asc: points as text, x y z and perhaps more on each line, between blanks, commas or semicolons;
 * or a molecule: the number of its atoms, a comment, and a line "symbol x y z" for each. Lines that begin
 * with # or // are passed over.
 */
#define _POSIX_C_SOURCE 200809L
#include "io/vertices.h"

#include <string.h>
#include <strings.h>

typedef struct {
  text_lines in;
  vertex_list list;
  int64_t columns; /* of the first row of points, 0 before it */
} xyz_file;

static int64_t bytes_held(const xyz_file *f) {
  return f->in.end - f->in.text;
}

static bool between(char c) {
  return c == ' ' || c == '\t' || c == ',' || c == ';';
}

static bool next_cell(const char **at, const char *stop, const char **from, const char **to) {
  while (*at < stop && between(**at)) ++*at;
  *from = *at;
  while (*at < stop && !between(**at)) ++*at;
  *to = *at;
  return *from < *to;
}

static int64_t count_cells(const text_lines *in) {
  const char *at = in->start, *from, *to;
  int64_t count = 0;
  while (next_cell(&at, in->stop, &from, &to)) count++;
  return count;
}

/* The next line that is neither blank nor a comment. */
static bool next_row(text_lines *in) {
  const char *from, *to;
  while (lines_next(in)) {
    const char *at = in->start;
    bool any = next_cell(&at, in->stop, &from, &to);
    if (any && *from != '#' && !(to - from >= 2 && from[0] == '/' && from[1] == '/')) return true;
  }
  return false;
}

static bool is_number(const char *from, const char *to) {
  int64_t integer;
  double real;
  cell_kind kind = decimal_parse(from, to, &integer, &real);
  return kind == CELL_INTEGER || kind == CELL_REAL;
}

/* ------------------------------------------------------------- molecules */

static int read_atom(xyz_file *f) {
  const char *at = f->in.start, *from, *to;
  double xyz[3];
  next_word(&at, f->in.stop, &from, &to);
  for (int a = 0; a < 3; a++) {
    if (!next_word(&at, f->in.stop, &from, &to))
      return io_fail(f->in.error, LAVDM_ERROR_DATA, f->in.path,
                     "line %lld: an atom is 'symbol x y z'; line 1 is the number of atoms, line 2 a comment",
                     (long long)f->in.line);
    int status = lines_number(&f->in, from, to, &xyz[a]);
    if (status < 0) return status;
  }
  return vertex_add(&f->list, xyz, f->in.path, bytes_held(f), f->in.error);
}

static int read_molecule(xyz_file *f, int64_t atoms) {
  const char *from, *to;
  lines_next(&f->in); /* the comment */
  for (int64_t i = 0; i < atoms; i++) {
    const char *at = lines_next(&f->in) ? f->in.start : f->in.stop;
    if (at == f->in.stop || !next_word(&at, f->in.stop, &from, &to))
      return io_fail(f->in.error, LAVDM_ERROR_DATA, f->in.path,
                     "ends too early: its first line promises %lld atoms, and %lld are there",
                     (long long)atoms, (long long)i);
    int status = read_atom(f);
    if (status < 0) return status;
  }
  if (next_row(&f->in))
    return io_fail(f->in.error, LAVDM_ERROR_DATA, f->in.path,
                   "line %lld: there is more than the %lld atoms of its first line; of several frames each "
                   "needs a file of its own: split -l %lld FILE",
                   (long long)f->in.line, (long long)atoms, (long long)atoms + 2);
  io_note(f->in.path, "a molecule of %lld atoms, whose symbols are left out", (long long)atoms);
  return LAVDM_OK;
}

/* ---------------------------------------------------------------- points */

/* A first line without numbers: the names of the columns. x, y, z must come first if they are there. */
static int check_header(const xyz_file *f) {
  static const char *const axes[] = {"x", "y", "z"};
  const char *at = f->in.start, *from, *to;
  for (int64_t c = 0; next_cell(&at, f->in.stop, &from, &to); c++)
    for (int a = 0; a < 3; a++)
      if (to - from == 1 && !strncasecmp(from, axes[a], 1) && c != a)
        return io_fail(f->in.error, LAVDM_ERROR_DATA, f->in.path,
                       "line %lld: %s is column %lld; x y z must be the first three (or save it as .csv)",
                       (long long)f->in.line, axes[a], (long long)c + 1);
  return LAVDM_OK;
}

static int read_point(xyz_file *f) {
  const char *at = f->in.start, *from, *to;
  int64_t cells = count_cells(&f->in);
  double xyz[3], other;
  if (!f->columns) f->columns = cells;
  if (cells != f->columns)
    return io_fail(f->in.error, LAVDM_ERROR_DATA, f->in.path,
                   "line %lld: the row has %lld numbers where the lines before it have %lld",
                   (long long)f->in.line, (long long)cells, (long long)f->columns);
  if (cells < 3)
    return io_fail(
        f->in.error, LAVDM_ERROR_DATA, f->in.path,
        "line %lld: x y z are needed, and there %s %lld number%s; as .csv points may have any number",
        (long long)f->in.line, cells == 1 ? "is" : "are", (long long)cells, cells == 1 ? "" : "s");
  for (int64_t c = 0; c < cells; c++) {
    next_cell(&at, f->in.stop, &from, &to);
    int status = lines_number(&f->in, from, to, c < 3 ? &xyz[c] : &other);
    if (status < 0) return status;
  }
  return vertex_add(&f->list, xyz, f->in.path, bytes_held(f), f->in.error);
}

static int read_points(xyz_file *f) {
  int status = LAVDM_OK;
  bool more = true;
  const char *at = f->in.start, *from, *to;
  next_cell(&at, f->in.stop, &from, &to);
  if (!is_number(from, to)) {
    if (to - from == 5 && !strncasecmp(from, "ncols", 5))
      return io_fail(f->in.error, LAVDM_ERROR_DATA, f->in.path,
                     "is an ESRI ASCII grid: heights on a raster, not points; convert it: gdal_translate -of "
                     "XYZ IN.asc OUT.xyz");
    status = check_header(f);
    more = next_row(&f->in);
  }
  for (; more && status >= 0; more = next_row(&f->in)) status = read_point(f);
  if (status >= 0 && !f->list.count)
    status = io_fail(f->in.error, LAVDM_ERROR_DATA, f->in.path, "holds no points: lines 'x y z'");
  if (status >= 0 && f->columns > 3)
    io_note(f->in.path, "x, y, z are the first 3 of %lld columns; the others are left out",
            (long long)f->columns);
  return status;
}

static int read_file(xyz_file *f) {
  const char *at, *from, *to;
  int64_t atoms;
  double real;
  if (!next_row(&f->in))
    return io_fail(f->in.error, LAVDM_ERROR_DATA, f->in.path, "holds no points: lines 'x y z'");
  at = f->in.start;
  next_cell(&at, f->in.stop, &from, &to);
  if (count_cells(&f->in) == 1 && decimal_parse(from, to, &atoms, &real) == CELL_INTEGER && atoms > 0)
    return read_molecule(f, atoms);
  return read_points(f);
}

int xyz_read(const char *path, io_array *out, lavdm_error *error) {
  xyz_file f = {0};
  int status = lines_open(path, &f.in, error);
  if (status >= 0) status = read_file(&f);
  lines_close(&f.in);
  return vertices_end(&f.list, status, out);
}
