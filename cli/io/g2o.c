#define _POSIX_C_SOURCE 200809L
#include "io/g2o.h"
#include "io/formats.h"
#include "io/room.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Numbers after the tag: an edge has two nodes, a pose and the information. */
enum { EDGE2 = 2 + 3 + 6, EDGE3 = 2 + 7 + 21, VERTEX2 = 1 + 3, VERTEX3 = 1 + 7, MOST = EDGE3, SHOWN = 24 };

typedef struct {
  const char *path;
  char *text;
  const char *at, *end;
  const char *start, *stop; /* the line under way */
  int64_t line;
  double value[MOST];
  int64_t room, vertex_room;
  lavdm_error *error;
} reader;

int g2o_is(const char *path) {
  size_t length = strlen(path);
  return length > 4 && !strcasecmp(path + length - 4, ".g2o");
}

void g2o_free(g2o_file *file) {
  free(file->from);
  free(file->to);
  free(file->rotation);
  free(file->shift);
  free(file->turn_weight);
  free(file->shift_weight);
  free(file->vertex);
  *file = (g2o_file){0};
}

/* ----------------------------------------------------------------- lines */

static int load(reader *r) {
  int64_t length;
  int status = file_load(r->path, &r->text, &length, r->error);
  if (status < 0) return status;
  r->at = r->text;
  r->end = r->text + length;
  return LAVDM_OK;
}

static bool next_line(reader *r) {
  if (r->at >= r->end) return false;
  r->start = r->at;
  while (r->at < r->end && *r->at != '\n' && *r->at != '\r') r->at++;
  r->stop = r->at;
  if (r->at < r->end) r->at += r->at + 1 < r->end && r->at[0] == '\r' && r->at[1] == '\n' ? 2 : 1;
  r->line++;
  return true;
}

/* The next word of the line from *at on; false at its end. */
static bool line_word(const reader *r, const char **at, const char **from, const char **to) {
  const char *s = *at;
  while (s < r->stop && (*s == ' ' || *s == '\t')) s++;
  *from = s;
  while (s < r->stop && *s != ' ' && *s != '\t') s++;
  *at = *to = s;
  return *to > *from;
}

static bool is_word(const char *from, const char *to, const char *word) {
  return (size_t)(to - from) == strlen(word) && !memcmp(from, word, (size_t)(to - from));
}

static void copy_word(const char *from, const char *to, char *out, size_t size) {
  size_t length = 0;
  for (; from < to && length + 1 < size; from++) out[length++] = *from;
  out[length] = 0;
}

static int fail_line(const reader *r, const char *what, double value) {
  return io_fail(r->error, LAVDM_ERROR_DATA, r->path, "line %lld: %s %g", (long long)r->line, what, value);
}

/* Exactly so many numbers after the tag. */
static int read_values(reader *r, const char *at, int count, const char *tag) {
  const char *from, *to;
  int64_t whole;
  char word[SHOWN];
  int found = 0;
  while (line_word(r, &at, &from, &to)) {
    if (*from == '#') break;
    if (found < count) {
      cell_kind kind = decimal_parse(from, to, &whole, &r->value[found]);
      if (kind == CELL_TEXT || kind == CELL_EMPTY || !isfinite(r->value[found])) {
        copy_word(from, to, word, sizeof word);
        return io_fail(r->error, LAVDM_ERROR_DATA, r->path, "line %lld: '%s' is not a finite number",
                       (long long)r->line, word);
      }
    }
    found++;
  }
  if (found == count) return LAVDM_OK;
  return io_fail(r->error, LAVDM_ERROR_DATA, r->path, "line %lld: %s takes %d numbers, and there are %d",
                 (long long)r->line, tag, count, found);
}

static int take_node(const reader *r, double value, int64_t *node) {
  if (!(value >= 0 && value <= 9007199254740992.0 && value == floor(value)))
    return fail_line(r, "a node must be a whole number from 0, and is", value);
  *node = (int64_t)value;
  return LAVDM_OK;
}

static int same_dim(const reader *r, int dim, g2o_file *out) {
  if (out->dim && out->dim != dim)
    return io_fail(r->error, LAVDM_ERROR_DATA, r->path,
                   "line %lld is of a graph in %d dimensions, and the lines before it of one in %d",
                   (long long)r->line, dim, out->dim);
  out->dim = dim;
  return LAVDM_OK;
}

/* ----------------------------------------------------------------- edges */

static bool grow(double **array, int64_t room, int64_t width) {
  double *grown = realloc(*array, (size_t)(room * width) * sizeof **array);
  if (grown) *array = grown;
  return grown != NULL;
}

static bool grow_whole(int64_t **array, int64_t room) {
  int64_t *grown = realloc(*array, (size_t)room * sizeof **array);
  if (grown) *array = grown;
  return grown != NULL;
}

static int make_room(reader *r, g2o_file *out) {
  if (out->edges < r->room) return LAVDM_OK;
  int64_t room = r->room ? 2 * r->room : 64, turn = out->dim == 2 ? 1 : 4;
  int64_t bytes = room * 8 * (4 + out->dim + turn);
  int status = room_check(r->path, NULL, r->end - r->text, bytes, r->error);
  if (status < 0) return status;
  if (!grow_whole(&out->from, room) || !grow_whole(&out->to, room) || !grow(&out->rotation, room, turn) ||
      !grow(&out->shift, room, out->dim) || !grow(&out->turn_weight, room, 1) ||
      !grow(&out->shift_weight, room, 1))
    return io_memory(r->error, r->path, bytes);
  r->room = room;
  return LAVDM_OK;
}

/* Means of the diagonal of the information matrix (d rows, the first `shift` of them those of
 * the translation), of which the upper half is given. */
static int take_weights(const reader *r, const double *information, int d, int shift, g2o_file *out) {
  double sum[2] = {0};
  for (int i = 0, at = 0; i < d; at += d - i, i++) sum[i >= shift] += information[at];
  double turn = sum[1] / (d - shift), move = sum[0] / shift;
  if (!(turn > 0 && turn <= 1e100))
    return fail_line(r, "the information about the rotation must be above 0 and at most 1e100, and is", turn);
  if (!(move > 0 && move <= 1e100))
    return fail_line(r, "the information about the translation must be above 0 and at most 1e100, and is",
                     move);
  out->turn_weight[out->edges] = turn;
  out->shift_weight[out->edges] = move;
  return LAVDM_OK;
}

/* x y z w in the file, w x y z here. */
static int take_quaternion(const reader *r, const double *x, double *out) {
  double norm = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + x[3] * x[3]);
  if (!(fabs(norm - 1) <= 1e-2)) return fail_line(r, "the quaternion must have length 1, and has", norm);
  out[0] = x[3] / norm;
  for (int k = 0; k < 3; k++) out[k + 1] = x[k] / norm;
  return LAVDM_OK;
}

static int take_edge(reader *r, const char *at, int dim, g2o_file *out) {
  int status = same_dim(r, dim, out);
  if (status >= 0)
    status = dim == 2 ? read_values(r, at, EDGE2, "EDGE_SE2") : read_values(r, at, EDGE3, "EDGE_SE3:QUAT");
  if (status >= 0) status = make_room(r, out);
  int64_t e = out->edges;
  if (status >= 0) status = take_node(r, r->value[0], &out->from[e]);
  if (status >= 0) status = take_node(r, r->value[1], &out->to[e]);
  if (status < 0) return status;
  memcpy(out->shift + e * dim, r->value + 2, (size_t)dim * sizeof *out->shift);
  if (dim == 2)
    out->rotation[e] = r->value[4];
  else
    status = take_quaternion(r, r->value + 5, out->rotation + 4 * e);
  if (status >= 0) status = take_weights(r, r->value + (dim == 2 ? 5 : 9), dim == 2 ? 3 : 6, dim, out);
  if (status >= 0) out->edges++;
  return status;
}

static int take_vertex(reader *r, const char *at, int dim, g2o_file *out) {
  int status = same_dim(r, dim, out);
  if (status >= 0)
    status =
        dim == 2 ? read_values(r, at, VERTEX2, "VERTEX_SE2") : read_values(r, at, VERTEX3, "VERTEX_SE3:QUAT");
  if (status >= 0 && out->vertices == r->vertex_room) {
    int64_t room = r->vertex_room ? 2 * r->vertex_room : 64;
    if (!grow_whole(&out->vertex, room)) return io_memory(r->error, r->path, 8 * room);
    r->vertex_room = room;
  }
  if (status >= 0) status = take_node(r, r->value[0], &out->vertex[out->vertices]);
  if (status >= 0) out->vertices++;
  return status;
}

static int take_line(reader *r, g2o_file *out) {
  const char *at = r->start, *from, *to;
  if (!line_word(r, &at, &from, &to) || *from == '#') return LAVDM_OK;
  if (is_word(from, to, "EDGE_SE2")) return take_edge(r, at, 2, out);
  if (is_word(from, to, "EDGE_SE3:QUAT")) return take_edge(r, at, 3, out);
  if (is_word(from, to, "VERTEX_SE2")) return take_vertex(r, at, 2, out);
  if (is_word(from, to, "VERTEX_SE3:QUAT")) return take_vertex(r, at, 3, out);
  if (!out->ignored++) copy_word(from, to, out->ignored_tag, sizeof out->ignored_tag);
  return LAVDM_OK;
}

int g2o_read(const char *path, g2o_file *out, lavdm_error *error) {
  reader r = {.path = path, .error = error};
  locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  *out = (g2o_file){0};
  if (!plain) return io_memory(error, path, 0);
  locale_t before = uselocale(plain);
  int status = load(&r);
  while (status >= 0 && next_line(&r)) status = take_line(&r, out);
  uselocale(before);
  freelocale(plain);
  free(r.text);
  if (status >= 0 && !out->edges) {
    if (out->ignored)
      status = io_fail(error, LAVDM_ERROR_DATA, path,
                       "has no lines EDGE_SE2 or EDGE_SE3:QUAT, but others, such as '%s'", out->ignored_tag);
    else
      status = io_fail(error, LAVDM_ERROR_DATA, path, "has no lines EDGE_SE2 or EDGE_SE3:QUAT");
  }
  if (status < 0) g2o_free(out);
  return status;
}

/* --------------------------------------------------------------- writing */

static int write_number(output_file *file, double x) {
  char text[DECIMAL_SIZE + 1];
  int length = decimal_print(x, text + 1) + 1;
  text[0] = ' ';
  return output_write(file, text, (size_t)length);
}

static int write_pose(output_file *file, int dim, int64_t node, const double *rotation,
                      const double *position) {
  char text[64];
  int length =
      snprintf(text, sizeof text, "%s %lld", dim == 2 ? "VERTEX_SE2" : "VERTEX_SE3:QUAT", (long long)node);
  int status = output_write(file, text, (size_t)length);
  for (int k = 0; k < dim && status >= 0; k++) status = write_number(file, position ? position[k] : 0);
  for (int k = 0; k < (dim == 2 ? 1 : 4) && status >= 0; k++)
    status = write_number(file, dim == 2 ? rotation[0] : rotation[(k + 1) % 4]);
  return status >= 0 ? output_write(file, "\n", 1) : status;
}

/* The edges of a file, line by line. */
static int copy_edges(output_file *file, const char *path, lavdm_error *error) {
  reader r = {.path = path, .error = error};
  int status = load(&r);
  while (status >= 0 && next_line(&r)) {
    const char *at = r.start, *from, *to;
    if (!line_word(&r, &at, &from, &to) || strncmp(from, "EDGE_SE", 7)) continue;
    status = output_write(file, from, (size_t)(r.stop - from));
    if (status >= 0) status = output_write(file, "\n", 1);
  }
  free(r.text);
  return status;
}

int g2o_write(const char *path, int dim, int64_t n, const int64_t *node, const double *rotation,
              const double *position, const char *edges_of, lavdm_error *error) {
  output_file *file = malloc(sizeof *file);
  locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  if (!file || !plain) {
    free(file);
    if (plain) freelocale(plain);
    return io_memory(error, path, 0);
  }
  locale_t before = uselocale(plain);
  int status = output_begin(file, path, error), width = dim == 2 ? 1 : 4;
  if (status >= 0) {
    for (int64_t i = 0; i < n && status >= 0; i++)
      status = write_pose(file, dim, node[i], rotation + width * i, position ? position + dim * i : NULL);
    if (status >= 0 && edges_of) status = copy_edges(file, edges_of, error);
    status = output_end(file, status);
  }
  uselocale(before);
  freelocale(plain);
  free(file);
  return status;
}
