/*
 * .obj: the vertices of a mesh, lines "v x y z" with perhaps a weight or colours
 * after them. Other lines are passed over. A line that ends in \ goes on in the
 * next one; what follows # is a comment.
 */
#include "io/vertices.h"

#include <string.h>

typedef struct {
  text_lines in;
  vertex_list list;
  bool others; /* there is more than vertices */
} obj_file;

/* Ends the line under way before a comment, or before the \ it ends in; true if
 * it goes on. */
static bool trim(text_lines *in) {
  const char *comment = memchr(in->start, '#', (size_t)(in->stop - in->start));
  if (comment) {
    in->stop = comment;
    return false;
  }
  while (in->stop > in->start && strchr(" \t", in->stop[-1])) in->stop--;
  if (in->stop == in->start || in->stop[-1] != '\\') return false;
  in->stop--;
  return true;
}

/* The next word of the directive, on this line or those that continue it. */
static bool directive_word(text_lines *in, const char **at, bool *more, const char **from, const char **to) {
  while (!next_word(at, in->stop, from, to)) {
    if (!*more || !lines_next(in)) return false;
    *more = trim(in);
    *at = in->start;
  }
  return true;
}

/* x y z, and up to four numbers more: a weight, or colours and opacity. */
static int read_vertex(obj_file *f, const char **at, bool *more) {
  enum { MOST = 8 };
  double value[MOST];
  const char *from, *to;
  int64_t line = f->in.line;
  int count = 0;
  for (; count < MOST && directive_word(&f->in, at, more, &from, &to); count++) {
    int status = lines_number(&f->in, from, to, &value[count]);
    if (status < 0) return status;
  }
  if (count < 3 || count == MOST)
    return io_fail(f->in.error, LAVDM_ERROR_DATA, f->in.path,
                   "line %lld: vertex %lld has %d%s number%s where 3 to 7 are expected (x, y, z first)",
                   (long long)line, (long long)f->list.count + 1, count, count == MOST ? " or more" : "",
                   count == 1 ? "" : "s");
  return vertex_add(&f->list, value, f->in.path, f->in.end - f->in.text, f->in.error);
}

static int read_lines(obj_file *f) {
  int status = LAVDM_OK;
  while (status >= 0 && lines_next(&f->in)) {
    const char *from, *to;
    bool more = trim(&f->in);
    const char *at = f->in.start;
    bool found = directive_word(&f->in, &at, &more, &from, &to);
    f->others |= found && !word_is(from, to, "v");
    if (found && word_is(from, to, "v")) status = read_vertex(f, &at, &more);
    while (status >= 0 && more && lines_next(&f->in)) more = trim(&f->in);
  }
  if (status >= 0 && !f->list.count)
    status = io_fail(f->in.error, LAVDM_ERROR_DATA, f->in.path, "holds no vertices: lines 'v x y z'");
  return status;
}

int obj_read(const char *path, io_array *out, lavdm_error *error) {
  obj_file f = {0};
  int status = lines_open(path, &f.in, error);
  if (status >= 0) status = read_lines(&f);
  lines_close(&f.in);
  if (status >= 0 && f.others)
    io_note(path, "its vertices are the points; faces, normals and all else are left out");
  return vertices_end(&f.list, status, out);
}
