/*
 * Which file of poses or rotations is which, and how it is read and written:
 *
 *     .g2o            g2o (g2o.h)
 *     .graph, .toro   TORO (g2o.h)
 *     .txt            by what its lines hold:
 *       KITTI         12 numbers: the first three rows of a pose as a 4 x 4 matrix, line by line a trajectory
 *       TUM           time tx ty tz qx qy qz qw: a trajectory too
 *       COLMAP        image1 image2 qw qx qy qz tx ty tz: coordinates of image 2 from those of image 1
 *       1DSfM         i j R(9) t(3) (EGs.txt): coordinates of i from those of j
 *       BAL           cameras points observations; camera point x y ...; cameras of 9 numbers; points
 *
 * A trajectory becomes a chain, each pose from the one before it. Translations between images have no scale
 * and are left out. Of BAL, two cameras that share points are joined by the rotation between the file's own
 * estimates, with the number of these points as the weight.
 */
#ifndef LAVDM_CLI_IO_POSE_FORMATS_H
#define LAVDM_CLI_IO_POSE_FORMATS_H

#include "io/pose_graph.h"

typedef enum {
  POSES_NONE,
  POSES_G2O,
  POSES_TORO,
  POSES_KITTI,
  POSES_TUM,
  POSES_COLMAP,
  POSES_1DSFM,
  POSES_BAL
} pose_format;

/* "KITTI", ...; and which a word is, in any case: POSES_NONE if it is none. */
const char *pose_format_name(pose_format format);
pose_format pose_format_named(const char *word);

/* What a file is, by its name and, for .txt, its first lines: POSES_NONE for tables and all else. */
pose_format pose_format_of(const char *path);

int poses_read(const char *path, pose_format format, int64_t threads, pose_graph *out, lavdm_error *error);
typedef int poses_reader(const char *path, pose_graph *out, lavdm_error *error);
poses_reader kitti_read, tum_read, colmap_read, sfm_read, bal_read;

/* What the result of a file of the format `input` is written as: by the name, and for .txt the word that the
 * user gives, or the format of the input; POSES_NONE if it is no file of poses. */
pose_format pose_format_written(const char *path, const char *word, pose_format input);

/* Whole or not at all; `input` is the file that the graph was read from. */
int poses_write(const char *path, pose_format format, const pose_result *result, const char *input,
                lavdm_error *error);
int pose_text_write(const char *path, pose_format format, const pose_result *result, lavdm_error *error);

#endif
