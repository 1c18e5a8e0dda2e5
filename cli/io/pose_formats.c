#include "io/pose_formats.h"
#include "io/g2o.h"
#include "io/pose_lines.h"

#include <math.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

static const char *const names[] = {NULL, "g2o", "TORO", "KITTI", "TUM", "COLMAP", "1DSfM", "BAL"};
enum { FORMATS = sizeof names / sizeof *names };

const char *pose_format_name(pose_format format) {
  return names[format];
}

pose_format pose_format_named(const char *word) {
  for (int i = 1; i < FORMATS; i++)
    if (!strcasecmp(word, names[i])) return (pose_format)i;
  return strcasecmp(word, "glomap") ? POSES_NONE : POSES_COLMAP;
}

static bool is_text(const char *path) {
  size_t length = strlen(path);
  return length > 4 && !strcasecmp(path + length - 4, ".txt");
}

/* ------------------------------------------------------- the first lines */

enum { LOOK = 1 << 16, WORDS = 15, FIRST = 3, ROWS = 10 };

/* Words of a line: how many, and which number each is, or NAN. */
typedef struct {
  int words;
  double number[WORDS];
} look_line;

/* The next line with words, comments aside. */
static bool look_next(const char **at, const char *end, look_line *l) {
  while (*at < end) {
    const char *stop = *at, *from, *to;
    while (stop < end && *stop != '\n' && *stop != '\r') stop++;
    const char *word = *at;
    *at = stop < end ? stop + 1 : end;
    for (l->words = 0; next_word(&word, stop, &from, &to) && *from != '#'; l->words++) {
      int64_t whole;
      double number;
      cell_kind kind = decimal_parse(from, to, &whole, &number);
      if (l->words < WORDS) l->number[l->words] = kind == CELL_INTEGER || kind == CELL_REAL ? number : NAN;
    }
    if (l->words) return true;
  }
  return false;
}

static bool is_whole(double x) {
  return x >= 0 && x <= 9007199254740992.0 && x == floor(x);
}

static pose_format kind_of_line(const look_line *l) {
  const double *x = l->number;
  const double pose[9] = {x[0], x[1], x[2], x[4], x[5], x[6], x[8], x[9], x[10]};
  if (l->words == 12 && pose_is_rotation(pose)) return POSES_KITTI;
  if (l->words == 14 && is_whole(x[0]) && is_whole(x[1]) && pose_is_rotation(x + 2)) return POSES_1DSFM;
  if (l->words == 8 && pose_is_unit(x + 4) && isfinite(x[0])) return POSES_TUM;
  if (l->words == 9 && pose_is_unit(x + 2)) return POSES_COLMAP;
  return POSES_NONE;
}

/* Three whole numbers, then rows of four: no table has that. */
static bool starts_as_bal(const look_line *first, const look_line *second) {
  bool header = first->words == 3 && second->words == 4;
  for (int k = 0; k < 3 && header; k++) header = is_whole(first->number[k]) && first->number[k] >= 1;
  return header && second->number[0] < first->number[0] && second->number[1] < first->number[1] &&
         is_whole(second->number[0]) && is_whole(second->number[1]);
}

/* A square table that is symmetric, to rounding, without negative numbers is a matrix of weights. */
static bool could_be_weights(const char *text, const char *end) {
  look_line l[WORDS];
  int rows = 0;
  while (rows < WORDS && look_next(&text, end, &l[rows])) rows++;
  for (int i = 0; i < rows; i++) {
    if (l[i].words != rows || rows == WORDS) return false;
    for (int k = 0; k <= i; k++) {
      double x = l[i].number[k], y = l[k].number[i];
      if (!(x >= 0 && y >= 0 && fabs(x - y) <= 1e-9 * fmax(x, y))) return false;
    }
  }
  return true;
}

/* What the first lines are if they agree, or what most of more lines are: then some are wrong, and the reader
 * will name them. */
static pose_format kind_of_lines(const look_line *l, int count) {
  int times[FORMATS] = {0}, agree = 1, most = POSES_G2O;
  pose_format kind = kind_of_line(&l[0]);
  while (agree < count && agree < FIRST && kind_of_line(&l[agree]) == kind) agree++;
  if (agree == count || agree == FIRST) return kind;
  for (int i = 0; i < count; i++) times[kind_of_line(&l[i])]++;
  for (int i = POSES_G2O; i < FORMATS; i++)
    if (times[i] > times[most]) most = i;
  return times[most] >= 2 && 3 * times[most] >= 2 * count ? (pose_format)most : POSES_NONE;
}

static pose_format look(const char *text, const char *end, bool cut) {
  look_line l[ROWS];
  const char *at = text;
  int found = 0;
  while (found < ROWS && look_next(&at, end, &l[found])) found++;
  if (found > 1 && starts_as_bal(&l[0], &l[1])) return POSES_BAL;
  if (cut && at == end) found--; /* of its last line */
  pose_format kind = found > 0 ? kind_of_lines(l, found) : POSES_NONE;
  return kind && could_be_weights(text, end) ? POSES_NONE : kind;
}

pose_format pose_format_of(const char *path) {
  char text[LOOK + 1];
  int64_t length, got = 0, part;
  lavdm_error unused;
  source s = {.label = path, .pull = file_pull, .error = &unused};
  if (g2o_is(path)) return POSES_G2O;
  if (toro_is(path)) return POSES_TORO;
  if (!is_text(path) || file_open(path, &s.fd, &length, &unused) < 0) return POSES_NONE;
  while (got < LOOK && (part = file_pull(&s, text + got, LOOK - got)) > 0) got += part;
  close(s.fd);
  text[got] = 0;
  return look(text, text + got, got == LOOK);
}

/* --------------------------------------------------- reading and writing */

int poses_read(const char *path, pose_format format, int64_t threads, pose_graph *out, lavdm_error *error) {
  static poses_reader *const readers[] = {[POSES_KITTI] = kitti_read,
                                          [POSES_TUM] = tum_read,
                                          [POSES_COLMAP] = colmap_read,
                                          [POSES_1DSFM] = sfm_read,
                                          [POSES_BAL] = bal_read};
  if (format == POSES_G2O || format == POSES_TORO) return g2o_read(path, threads, out, error);
  *out = (pose_graph){0};
  int status = readers[format](path, out, error);
  out->format = names[format];
  if (status < 0) pose_graph_free(out);
  return status;
}

pose_format pose_format_written(const char *path, const char *word, pose_format input) {
  if (g2o_is(path)) return POSES_G2O;
  if (toro_is(path)) return POSES_TORO;
  if (!is_text(path)) return POSES_NONE;
  if (word) return pose_format_named(word);
  if (input == POSES_G2O || input == POSES_TORO) return POSES_KITTI;
  return input == POSES_BAL ? POSES_COLMAP : input;
}

int poses_write(const char *path, pose_format format, const pose_result *result, const char *input,
                lavdm_error *error) {
  const char *was = result->graph ? result->graph->format : NULL;
  bool same = was && !strcmp(was, names[format]);
  if (format == POSES_G2O || format == POSES_TORO) return g2o_write(path, result, same ? input : NULL, error);
  return pose_text_write(path, format, result, error);
}
