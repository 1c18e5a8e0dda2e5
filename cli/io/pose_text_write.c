/* Poses and rotations, a line each: KITTI, TUM, COLMAP's global rotations (image qw qx qy qz), 1DSfM (i
 * R(9)). The last two have the coordinates of the camera from those of the world, the others the reverse. */
#define _POSIX_C_SOURCE 200809L
#include "io/pose_formats.h"
#include "io/pose_lines.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBERS = 12 };

/* A pose of the plane is one of space about the third axis. */
static void in_space(const pose_result *r, int64_t i, double rotation[4], double position[3]) {
  memset(position, 0, 3 * sizeof *position);
  if (r->position) memcpy(position, r->position + i * r->dim, (size_t)r->dim * sizeof *position);
  if (r->dim == 3)
    memcpy(rotation, r->rotation + 4 * i, 4 * sizeof *rotation);
  else
    memcpy(rotation, (double[]){cos(r->rotation[i] / 2), 0, 0, sin(r->rotation[i] / 2)},
           4 * sizeof *rotation);
}

/* The numbers of a line after its name, and how many. */
static int numbers_of(const pose_result *r, pose_format format, int64_t i, double out[NUMBERS]) {
  double x[4], p[3], m[9];
  in_space(r, i, x, p);
  if (format == POSES_TUM) {
    memcpy(out, (double[]){p[0], p[1], p[2], x[1], x[2], x[3], x[0]}, 7 * sizeof *out);
    return 7;
  }
  if (format == POSES_COLMAP) {
    memcpy(out, (double[]){x[0], 0 - x[1], 0 - x[2], 0 - x[3]}, 4 * sizeof *out);
    return 4;
  }
  pose_matrix(3, x, format == POSES_1DSFM, m);
  if (format == POSES_1DSFM) {
    memcpy(out, m, sizeof m);
    return 9;
  }
  for (int a = 0; a < 3; a++) {
    memcpy(out + 4 * a, m + 3 * a, 3 * sizeof *out);
    out[4 * a + 3] = p[a];
  }
  return 12;
}

static int write_line(output_file *file, pose_format format, const pose_result *r, int64_t i) {
  double x[NUMBERS];
  char text[DECIMAL_SIZE + 1], name[POSE_NAME];
  int64_t bytes;
  int status = LAVDM_OK, count = numbers_of(r, format, i, x);
  bool named = format != POSES_KITTI;
  const char *word = pose_name(r->graph, r->node[i], name, &bytes);
  if (named) status = output_write(file, word, (size_t)bytes);
  for (int k = 0; k < count && status >= 0; k++) {
    int length = decimal_print(x[k], text + 1);
    text[0] = ' ';
    bool first = !named && k == 0;
    status = output_write(file, first ? text + 1 : text, (size_t)length + !first);
  }
  return status >= 0 ? output_write(file, "\n", 1) : status;
}

int pose_text_write(const char *path, pose_format format, const pose_result *result, lavdm_error *error) {
  output_file *file = malloc(sizeof *file);
  locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  if (!file || !plain) {
    free(file);
    if (plain) freelocale(plain);
    return io_memory(error, path, 0);
  }
  locale_t before = uselocale(plain);
  int status = output_begin(file, path, error);
  if (status >= 0) {
    for (int64_t i = 0; i < result->n && status >= 0; i++) status = write_line(file, format, result, i);
    status = output_end(file, status);
  }
  uselocale(before);
  freelocale(plain);
  free(file);
  return status;
}
