/*
 * .off: "OFF", the numbers of vertices, faces and edges, then a line for each vertex, x y z first, and each
 * face. STOFF, COFF and NOFF have texture, colours and normals behind the coordinates.
 */
#include "io/vertices.h"

#include <string.h>

typedef struct {
  text_lines in;
  vertex_list list;
  bool texture, colour, normal;
} off_file;

static int fail_line(const off_file *f, const char *what) {
  return io_fail(f->in.error, LAVDM_ERROR_DATA, f->in.path, "line %lld: %s", (long long)f->in.line, what);
}

/* The next line with a word in it, without its comment. */
static bool next_row(text_lines *in, const char **at) {
  const char *from, *to;
  while (lines_next(in)) {
    const char *comment = memchr(in->start, '#', (size_t)(in->stop - in->start));
    if (comment) in->stop = comment;
    *at = in->start;
    if (next_word(at, in->stop, &from, &to)) {
      *at = from;
      return true;
    }
  }
  return false;
}

static bool take(const char **at, const char *stop, const char *prefix) {
  size_t length = strlen(prefix);
  if ((size_t)(stop - *at) < length || memcmp(*at, prefix, length)) return false;
  *at += length;
  return true;
}

/* "OFF" with what may stand before it; some programs write the numbers right behind it. */
static int read_keyword(off_file *f, const char **at) {
  const char *from, *to;
  if (!next_row(&f->in, at))
    return io_fail(f->in.error, LAVDM_ERROR_DATA, f->in.path, "is not an OFF file: it is empty");
  f->texture = take(at, f->in.stop, "ST");
  f->colour = take(at, f->in.stop, "C");
  f->normal = take(at, f->in.stop, "N");
  bool more = take(at, f->in.stop, "4") || take(at, f->in.stop, "n");
  if (!take(at, f->in.stop, "OFF"))
    return io_fail(f->in.error, LAVDM_ERROR_DATA, f->in.path,
                   "is not an OFF file: its first line has no word OFF");
  if (more) return fail_line(f, "points of more than three coordinates are not read; save them as .csv");
  const char *rest = *at;
  if (next_word(&rest, f->in.stop, &from, &to) && word_is(from, to, "BINARY"))
    return fail_line(f, "a binary OFF file is not read; save it as text, or as .ply");
  return LAVDM_OK;
}

static int read_counts(off_file *f, const char *at, int64_t counts[2]) {
  const char *from, *to, *rest = at;
  double real;
  if (!next_word(&rest, f->in.stop, &from, &to) && !next_row(&f->in, &at))
    return io_fail(f->in.error, LAVDM_ERROR_DATA, f->in.path,
                   "ends before the numbers of vertices and faces");
  for (int k = 0; k < 2; k++)
    if (!next_word(&at, f->in.stop, &from, &to) ||
        decimal_parse(from, to, &counts[k], &real) != CELL_INTEGER || counts[k] < 0)
      return fail_line(f, "the numbers of vertices, faces and edges are expected: '8 6 12'");
  return LAVDM_OK;
}

static int read_vertex(off_file *f, const char *at, bool *more) {
  double xyz[3];
  const char *from, *to;
  for (int a = 0; a < 3; a++) {
    if (!next_word(&at, f->in.stop, &from, &to))
      return io_fail(f->in.error, LAVDM_ERROR_DATA, f->in.path,
                     "line %lld: vertex %lld has %d numbers where 3 or more are expected",
                     (long long)f->in.line, (long long)f->list.count + 1, a);
    int status = lines_number(&f->in, from, to, &xyz[a]);
    if (status < 0) return status;
  }
  *more |= next_word(&at, f->in.stop, &from, &to);
  return vertex_add(&f->list, xyz, f->in.path, f->in.end - f->in.text, f->in.error);
}

static int fail_early(const off_file *f, int64_t count, const char *what, int64_t found) {
  return io_fail(f->in.error, LAVDM_ERROR_DATA, f->in.path,
                 "ends too early: its header promises %lld %s, and %lld are there", (long long)count, what,
                 (long long)found);
}

static int read_rows(off_file *f) {
  const char *at = NULL;
  int64_t counts[2] = {0};
  bool more = false;
  int status = read_keyword(f, &at);
  if (status >= 0) status = read_counts(f, at, counts);
  for (int64_t i = 0; i < counts[0] && status >= 0; i++)
    status = next_row(&f->in, &at) ? read_vertex(f, at, &more) : fail_early(f, counts[0], "vertices", i);
  for (int64_t i = 0; i < counts[1] && status >= 0; i++)
    if (!next_row(&f->in, &at)) status = fail_early(f, counts[1], "faces", i);
  if (status >= 0 && !counts[0])
    status = io_fail(f->in.error, LAVDM_ERROR_DATA, f->in.path, "holds no vertices");
  if (status < 0) return status;
  io_note(f->in.path, "its vertices are the points; faces%s%s%s%s are left out", f->normal ? ", normals" : "",
          f->colour ? ", colours" : "", f->texture ? ", texture" : "",
          more && !f->normal && !f->colour && !f->texture ? " and numbers behind x y z" : "");
  return LAVDM_OK;
}

int off_read(const char *path, io_array *out, lavdm_error *error) {
  off_file f = {0};
  int status = lines_open(path, &f.in, error);
  if (status >= 0) status = read_rows(&f);
  lines_close(&f.in);
  return vertices_end(&f.list, status, out);
}
