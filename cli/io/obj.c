/*
 * .obj: the vertices of a mesh, lines "v x y z" with perhaps a weight or colours
 * after them. Other lines are passed over. A line that ends in \ goes on in the
 * next one; what follows # is a comment.
 */
#include "io/formats.h"
#include "io/room.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
  text_lines in;
  double *xyz;
  int64_t count, room;
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

static int add_vertex(obj_file *f, const double *xyz) {
  if (f->count == f->room) {
    int64_t room = f->room ? 2 * f->room : 1024;
    int status = room_check(f->in.path, NULL, f->in.end - f->in.text, 24 * room, f->in.error);
    if (status < 0) return status;
    double *grown = realloc(f->xyz, (size_t)(3 * room) * sizeof *grown);
    if (!grown) return io_memory(f->in.error, f->in.path, 24 * room);
    f->xyz = grown;
    f->room = room;
  }
  memcpy(f->xyz + 3 * f->count++, xyz, 3 * sizeof *xyz);
  return LAVDM_OK;
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
                   (long long)line, (long long)f->count + 1, count, count == MOST ? " or more" : "",
                   count == 1 ? "" : "s");
  return add_vertex(f, value);
}

static int read_lines(obj_file *f) {
  int status = LAVDM_OK;
  while (status >= 0 && lines_next(&f->in)) {
    const char *from, *to;
    bool more = trim(&f->in);
    const char *at = f->in.start;
    bool found = directive_word(&f->in, &at, &more, &from, &to);
    if (found && word_is(from, to, "v")) status = read_vertex(f, &at, &more);
    while (status >= 0 && more && lines_next(&f->in)) more = trim(&f->in);
  }
  if (status >= 0 && !f->count)
    status = io_fail(f->in.error, LAVDM_ERROR_DATA, f->in.path, "holds no vertices: lines 'v x y z'");
  return status;
}

int obj_read(const char *path, io_array *out, lavdm_error *error) {
  obj_file f = {0};
  int status = lines_open(path, &f.in, error);
  if (status >= 0) status = read_lines(&f);
  lines_close(&f.in);
  if (status < 0) {
    free(f.xyz);
    return status;
  }
  double *fit = realloc(f.xyz, (size_t)(3 * f.count) * sizeof *fit);
  if (fit) f.xyz = fit;
  *out = (io_array){.type = IO_REAL, .rank = 2, .shape = {f.count, 3}, .data = f.xyz};
  return LAVDM_OK;
}
