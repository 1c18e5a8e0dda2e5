#include "io/ply.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_WORDS = 6 };

/* A line of the header, in words. */
typedef struct {
  const char *from[MOST_WORDS], *to[MOST_WORDS];
  int count; /* MOST_WORDS: that many or more */
} words_t;

static words_t split(const text_lines *in) {
  words_t w = {0};
  const char *at = in->start;
  while (w.count < MOST_WORDS && next_word(&at, in->stop, &w.from[w.count], &w.to[w.count])) w.count++;
  return w;
}

static bool is(const words_t *w, int i, const char *word) {
  return i < w->count && word_is(w->from[i], w->to[i], word);
}

static int fail_line(const ply_file *f, const char *what) {
  return io_fail(f->in.error, LAVDM_ERROR_DATA, f->in.path, "line %lld: %s", (long long)f->in.line, what);
}

static int fail_word(const ply_file *f, const words_t *w, int i, const char *what) {
  char text[SHOWN_WORD];
  shown_word(w->from[i], w->to[i], text);
  return io_fail(f->in.error, LAVDM_ERROR_DATA, f->in.path, "line %lld: '%s' %s", (long long)f->in.line, text,
                 what);
}

/* A list with room for one more; NULL without memory. */
static void *grown(void *list, int count, int *room, size_t size) {
  if (count < *room) return list;
  int more = *room ? 2 * *room : 16;
  void *larger = realloc(list, (size_t)more * size);
  if (larger) *room = more;
  return larger;
}

static int take_format(ply_file *f, const words_t *w, bool *found) {
  bool little = is(w, 1, "binary_little_endian"), big = is(w, 1, "binary_big_endian");
  f->text = is(w, 1, "ascii");
  if (w->count != 3 || !(f->text || little || big))
    return fail_line(f, "the format must be ascii, binary_little_endian or binary_big_endian, and 1.0");
  if (!is(w, 2, "1.0")) return fail_word(f, w, 2, "is a version that is not known; 1.0 is");
  f->swapped = !f->text && big != machine_is_big();
  *found = true;
  return LAVDM_OK;
}

static int take_element(ply_file *f, const words_t *w) {
  int64_t count = 0;
  double real;
  if (w->count != 3) return fail_line(f, "an element needs a name and a number: 'element vertex 100'");
  if (decimal_parse(w->from[2], w->to[2], &count, &real) != CELL_INTEGER || count < 0)
    return fail_word(f, w, 2, "is no number of rows");
  ply_element *element = grown(f->element, f->elements, &f->element_room, sizeof *element);
  if (!element) return io_memory(f->in.error, f->in.path, 0);
  f->element = element;
  if (is(w, 1, "vertex")) {
    if (f->vertex >= 0) return fail_line(f, "there is a second element 'vertex'");
    f->vertex = f->elements;
  }
  f->element[f->elements++] =
      (ply_element){.from = w->from[1], .to = w->to[1], .count = count, .first = f->properties};
  return LAVDM_OK;
}

static bool number_named(const ply_file *f, const words_t *w, int i, number_format *out) {
  static const struct {
    const char *name, *other;
    char kind;
    int size;
  } known[] = {
      {"char", "int8", 'i', 1},     {"uchar", "uint8", 'u', 1},    {"short", "int16", 'i', 2},
      {"ushort", "uint16", 'u', 2}, {"int", "int32", 'i', 4},      {"uint", "uint32", 'u', 4},
      {"float", "float32", 'f', 4}, {"double", "float64", 'f', 8},
  };
  for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
    if (!is(w, i, known[k].name) && !is(w, i, known[k].other)) continue;
    *out = (number_format){known[k].kind, known[k].size, f->swapped};
    return true;
  }
  return false;
}

/* Which coordinate of a vertex it is; an error if there is another already. */
static int find_axis(const ply_file *f, const words_t *w, int name, ply_property *p) {
  const ply_element *e = &f->element[f->elements - 1];
  static const char *const axes[] = {"x", "y", "z"};
  p->axis = -1;
  for (int a = 0; a < 3 && f->vertex == f->elements - 1; a++)
    if (is(w, name, axes[a])) p->axis = a;
  if (p->axis < 0) return LAVDM_OK;
  if (p->length.size) return fail_word(f, w, name, "of a vertex cannot be a list");
  for (int i = e->first; i < f->properties; i++)
    if (f->property[i].axis == p->axis) return fail_word(f, w, name, "is there twice");
  return LAVDM_OK;
}

static int take_property(ply_file *f, const words_t *w) {
  bool list = is(w, 1, "list");
  int type = list ? 3 : 1, name = type + 1;
  ply_property p = {0};
  if (!f->elements) return fail_line(f, "a property comes before any element");
  if (w->count != name + 1)
    return fail_line(f, "a property is 'property TYPE NAME' or 'property list TYPE TYPE NAME'");
  for (int i = list ? 2 : 1; i <= type; i++)
    if (!number_named(f, w, i, i < type ? &p.length : &p.number))
      return fail_word(f, w, i,
                       "is no type; known are char, uchar, short, ushort, int, uint, float and double");
  if (p.length.kind == 'f') return fail_word(f, w, 2, "cannot be the type of a length");
  p.from = w->from[name];
  p.to = w->to[name];
  int status = find_axis(f, w, name, &p);
  if (status < 0) return status;
  ply_property *property = grown(f->property, f->properties, &f->property_room, sizeof *property);
  if (!property) return io_memory(f->in.error, f->in.path, 0);
  f->property = property;
  ply_element *e = &f->element[f->elements - 1];
  f->property[f->properties++] = p;
  e->properties++;
  e->lists |= list;
  e->width += list ? p.length.size : p.number.size;
  return LAVDM_OK;
}

static int check_vertex(const ply_file *f) {
  bool found[3] = {false};
  if (f->vertex < 0)
    return io_fail(f->in.error, LAVDM_ERROR_DATA, f->in.path, "its header names no element 'vertex'");
  const ply_element *e = &f->element[f->vertex];
  for (int i = e->first; i < e->first + e->properties; i++)
    if (f->property[i].axis >= 0) found[f->property[i].axis] = true;
  for (int a = 0; a < 3; a++)
    if (!found[a])
      return io_fail(f->in.error, LAVDM_ERROR_DATA, f->in.path, "its vertices have no property '%c'",
                     "xyz"[a]);
  return LAVDM_OK;
}

/* Lines up to end_header. Where lines end in \r alone, a \n after the last is data. */
int ply_read_header(ply_file *f) {
  bool format = false;
  int status = LAVDM_OK;
  f->vertex = -1;
  if (!lines_next(&f->in) || !word_is(f->in.start, f->in.stop, "ply"))
    return io_fail(f->in.error, LAVDM_ERROR_DATA, f->in.path,
                   "is not a PLY file: its first line is not 'ply'");
  bool alone = f->in.at - f->in.stop == 1 && *f->in.stop == '\r';
  while (status >= 0 && lines_next(&f->in)) {
    words_t w = split(&f->in);
    if (is(&w, 0, "end_header")) {
      if (alone && f->in.at - f->in.stop == 2) f->in.at--;
      return format ? check_vertex(f) : fail_line(f, "the header ends without a line 'format'");
    }
    if (!w.count || is(&w, 0, "comment") || is(&w, 0, "obj_info"))
      continue;
    else if (is(&w, 0, "format"))
      status = f->elements ? fail_line(f, "the format must come before the elements")
                           : take_format(f, &w, &format);
    else if (is(&w, 0, "element"))
      status = take_element(f, &w);
    else if (is(&w, 0, "property"))
      status = take_property(f, &w);
    else
      status = fail_word(f, &w, 0, "is not known in the header of a PLY file");
  }
  if (status < 0) return status;
  return io_fail(f->in.error, LAVDM_ERROR_DATA, f->in.path, "ends within its header: no line 'end_header'");
}
