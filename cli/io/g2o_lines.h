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
  int64_t id;
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

/* FIX, priors, sightings: into out->survey; what of them has no place in it goes to out->left_out. */
int g2o_survey(g2o_reader *r, pose_graph *out);

#endif
