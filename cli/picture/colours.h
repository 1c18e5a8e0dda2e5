/* Colours of the points of a picture: by labels, with a legend, or by a number, as a ramp. */
#ifndef LAVDM_CLI_COLOURS_H
#define LAVDM_CLI_COLOURS_H

#include "io/table.h"

#include <stdio.h>

enum { COLOUR_GROUPS = 12, COLOUR_NAME = 48 };

typedef struct {
  char title[COLOUR_NAME]; /* what the colours stand for */
  double *value;           /* one a point, owned: a number, or a group; NULL: no colours were asked for */
  bool ramp;
  int groups; /* the largest, and in the last place all others if there are more */
  char name[COLOUR_GROUPS][COLOUR_NAME];
} colours_t;

/*
 * asked: "labels", the name of an array of the result with n numbers, "none", or FILE or FILE:COLUMN
 * with a row for each point; NULL: the labels, if the result has some. `all` are the arrays of the result.
 */
int colours_find(const char *asked, const io_array *all, int count, int64_t n, colours_t *out,
                 lavdm_error *error);
void colours_free(colours_t *c); /* accepts a zeroed one */

/* For gnuplot: the third column of a point, and what draws the block $points with a legend. */
void colours_put(const colours_t *c, int64_t point, double other, FILE *to);
void colours_plot(const colours_t *c, double size, FILE *to);

#endif
