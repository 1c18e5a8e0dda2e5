/* What the parts of class averaging share: the options with every choice made, and the result. */
#ifndef LAVDM_APPS_AVERAGE_H
#define LAVDM_APPS_AVERAGE_H

#include "lavdm/average.h"

/* As lavdm_average_options, with options of its own. */
typedef struct {
  lavdm_average_method method;
  int64_t neighbours, edges, members, rounds, classes;
  lavdm_options how;
} average_options;

/* What lavdm_average_t points into. */
typedef struct {
  lavdm_average_t shown; /* first */
  int64_t *centre, *index;
  double *distance, *angle, *average;
  signed char *reflected;
  char warning[LAVDM_MESSAGE_SIZE];
} average_result;

#endif
