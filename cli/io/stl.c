/*
 * .stl: triangles as text, "vertex x y z" three to a loop, or as bytes: a header of 80, their number, and 50
 * each: normal and three corners as floats, and two bytes more. Corners that are equal are one vertex.
 */
#define _POSIX_C_SOURCE 200809L
#include "io/vertices.h"

#include <string.h>
#include <strings.h>

enum { HEAD = 84, RECORD = 50 };

typedef struct {
  text_lines in;
  vertex_list list;
} stl_file;

static int64_t bytes_held(const stl_file *f) {
  return f->in.end - f->in.text;
}

static bool keyword(const char *from, const char *to, const char *word) {
  return (size_t)(to - from) == strlen(word) && !strncasecmp(from, word, strlen(word));
}

/* ------------------------------------------------------------------ text */

static int fail_line(const stl_file *f, const char *what) {
  return io_fail(f->in.error, LAVDM_ERROR_DATA, f->in.path, "line %lld: %s", (long long)f->in.line, what);
}

static int read_vertex(stl_file *f, const char *at) {
  double xyz[3];
  const char *from, *to;
  for (int a = 0; a < 3; a++) {
    if (!next_word(&at, f->in.stop, &from, &to)) return fail_line(f, "a vertex is 'vertex x y z'");
    int status = lines_number(&f->in, from, to, &xyz[a]);
    if (status < 0) return status;
  }
  if (next_word(&at, f->in.stop, &from, &to)) return fail_line(f, "a vertex is 'vertex x y z', and no more");
  return vertex_add(&f->list, xyz, f->in.path, bytes_held(f), f->in.error);
}

static int fail_word(const stl_file *f, const char *from, const char *to) {
  char text[SHOWN_WORD];
  shown_word(from, to, text);
  return io_fail(f->in.error, LAVDM_ERROR_DATA, f->in.path, "line %lld: '%s' is not known in an STL file",
                 (long long)f->in.line, text);
}

static int read_text(stl_file *f) {
  static const char *const passed[] = {"solid", "facet", "outer"};
  const char *from, *to;
  int64_t first = 0; /* vertex of the loop under way */
  bool open = true;
  int status = LAVDM_OK;
  while (status >= 0 && lines_next(&f->in)) {
    const char *at = f->in.start;
    if (!next_word(&at, f->in.stop, &from, &to)) continue;
    bool known = keyword(from, to, "endfacet");
    for (int k = 0; k < 3; k++) known |= keyword(from, to, passed[k]);
    if (keyword(from, to, "vertex")) {
      status = read_vertex(f, at);
    } else if (keyword(from, to, "endloop")) {
      if (f->list.count != first + 3) return fail_line(f, "a triangle needs three vertices");
      first = f->list.count;
    } else if (keyword(from, to, "endsolid")) {
      open = false;
    } else if (!known) {
      return fail_word(f, from, to);
    }
    if (keyword(from, to, "solid")) open = true;
  }
  if (status >= 0 && (open || f->list.count != first))
    return io_fail(f->in.error, LAVDM_ERROR_DATA, f->in.path, "ends too early: no line 'endsolid'");
  return status;
}

/* ----------------------------------------------------------------- bytes */

static int read_bytes(stl_file *f, int64_t triangles) {
  const number_format real = {'f', 4, machine_is_big()};
  int status = LAVDM_OK;
  for (int64_t t = 0; t < triangles && status >= 0; t++)
    for (int c = 0; c < 3 && status >= 0; c++) {
      const char *corner = f->in.text + HEAD + RECORD * t + 12 * (c + 1);
      double xyz[3];
      for (int a = 0; a < 3; a++) xyz[a] = number_real(real, corner + 4 * a);
      status = vertex_add(&f->list, xyz, f->in.path, bytes_held(f), f->in.error);
    }
  return status;
}

/* What begins with "solid" is text, unless it is just as long as its number of triangles says. */
static int read_triangles(stl_file *f) {
  int64_t length = bytes_held(f), promised = -1;
  const char *at = f->in.at, *from, *to;
  if (length >= HEAD)
    promised = (int64_t)number_real((number_format){'u', 4, machine_is_big()}, f->in.text + HEAD - 4);
  if (promised >= 0 && length == HEAD + RECORD * promised) return read_bytes(f, promised);
  while (at < f->in.end && memchr(" \t\r\n", *at, 4)) at++;
  if (next_word(&at, f->in.end, &from, &to) && to - from >= 5 && !strncasecmp(from, "solid", 5))
    return read_text(f);
  if (promised < 0)
    return io_fail(f->in.error, LAVDM_ERROR_DATA, f->in.path,
                   "is not an STL file: it neither begins with 'solid' nor has a header of 84 bytes");
  return io_fail(f->in.error, LAVDM_ERROR_DATA, f->in.path,
                 "is damaged: its header promises %lld triangles, %lld bytes, and %lld are there",
                 (long long)promised, (long long)(HEAD + RECORD * promised), (long long)length);
}

int stl_read(const char *path, io_array *out, lavdm_error *error) {
  stl_file f = {0};
  int status = lines_open(path, &f.in, error);
  if (status >= 0) status = read_triangles(&f);
  int64_t corners = f.list.count;
  if (status >= 0 && !corners) status = io_fail(error, LAVDM_ERROR_DATA, path, "holds no triangles");
  if (status >= 0) status = vertices_merge(&f.list, path, bytes_held(&f), error);
  lines_close(&f.in);
  if (status >= 0)
    io_note(path,
            "the %lld corners of %lld triangles are %lld vertices, equal ones as one; normals are left out",
            (long long)corners, (long long)corners / 3, (long long)f.list.count);
  return vertices_end(&f.list, status, out);
}
