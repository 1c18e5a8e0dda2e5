/* The lines of a file of g2o or TORO, sorted by what they are for. */
#ifndef LAVDM_CLI_IO_G2O_LINES_H
#define LAVDM_CLI_IO_G2O_LINES_H

#include "io/pose_graph.h"
#include "io/pose_lines.h"

typedef enum {
  LIST_OFFSET,
  LIST_VERTEX,
  LIST_POINT,
  LIST_EDGE,
  LIST_PRIOR,
  LIST_SIGHTING,
  LIST_FIX,
  LISTS
} g2o_list;

/* How the numbers of a line stand. */
typedef enum {
  FORM_G2O,    /* as the library has them */
  FORM_TORO,   /* Euler angles; information of 2-D in an order of its own */
  FORM_PLACE,  /* a prior of the position alone */
  FORM_OFFSET, /* through the offset of a sensor */
  FORM_NONE
} g2o_form;

typedef struct {
  const char *word;
  int dim; /* 0: either */
  g2o_list list;
  g2o_form form;
  int numbers; /* after the tag; 0: any */
} g2o_tag;

/* The tag that a word is, or NULL. */
const g2o_tag *g2o_tag_of(const char *from, const char *to);

typedef struct {
  const g2o_tag *tag;
  const char *at, *stop; /* what follows the tag, and the end */
  int64_t line;
} g2o_line;

typedef struct {
  g2o_line *line;
  int64_t count, room;
} g2o_lines;

/* An offset of a sensor: of the pose, where the sensor is. */
typedef struct {
  int64_t id, line;
  double rotation[4], position[3];
} g2o_offset;

typedef struct {
  const char *path;
  text_lines text;
  g2o_lines list[LISTS];
  g2o_offset *offset; /* of LIST_OFFSET, by id */
  int threads;
  lavdm_error *error;
} g2o_reader;

/* A line as checks want it, with or without a place for the sentence. */
pose_line g2o_pose_line(const g2o_reader *r, const g2o_line *line, lavdm_error *error);

/* Calls `take` for every line of a list, in parallel; the first that fails, fails again with its sentence. */
typedef int g2o_take(const g2o_reader *r, const g2o_line *line, int64_t i, pose_graph *out,
                     lavdm_error *error);
int g2o_each(const g2o_reader *r, g2o_list list, g2o_take *take, pose_graph *out);

/* The rotation and then the translation of a pose whose numbers, shift first, are at x; how many these are.
 */
int g2o_pose(const pose_line *l, const g2o_tag *tag, const double *x, double *rotation, double *shift);
int g2o_pose_numbers(const g2o_tag *tag);

/* A number and where it stands among others. */
typedef struct {
  int64_t id, at;
} g2o_place;

/* All in ascending order, equal ones as they stand; to be freed, NULL: no memory. Then the first with a
 * number, or NULL. */
g2o_place *g2o_places(const int64_t *id, int64_t count);
const g2o_place *g2o_find(const g2o_place *all, int64_t count, int64_t id);

/* Numbers that are said of two things: refuses a point with the number of a pose, and tells in out->left_out
 * which of VERTEX and of PARAMS lines that differ count. After g2o_survey. */
int g2o_numbers(const g2o_reader *r, pose_graph *out);

/* FIX, priors, sightings: into out->survey; what of them has no place in it goes to out->left_out. */
int g2o_survey(g2o_reader *r, pose_graph *out);

#endif
