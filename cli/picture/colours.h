/* Colours of the points of a picture: by labels, with a legend, or by a number, as a ramp. */
#ifndef LAVDM_CLI_COLOURS_H
#define LAVDM_CLI_COLOURS_H

#include "io/table.h"

enum { COLOUR_GROUPS = 12, COLOUR_NAME = 64 };

typedef struct {
  char title[COLOUR_NAME]; /* what the colours stand for */
  double *value;           /* one a point, owned: a number, or a group; NULL: no colours were asked for */
  bool ramp;
  double low, high; /* of a ramp */
  int groups;       /* the largest, and in the last place all others if there are more */
  char name[COLOUR_GROUPS][COLOUR_NAME];
} colours_t;

/*
 * asked: "labels", the name of an array of the result with n numbers, "none", or FILE or FILE:COLUMN
 * with a row for each point; NULL: the labels, if the result has some. `all` are the arrays of the result.
 */
int colours_find(const char *asked, const io_array *all, int count, int64_t n, colours_t *out,
                 lavdm_error *error);
void colours_free(colours_t *c); /* accepts a zeroed one */

/* A ramp of n numbers that lie `stride` apart. */
int colours_ramp(const double *value, int64_t n, int64_t stride, const char *title, colours_t *out,
                 lavdm_error *error);

/* The colour of a point and its shape in gnuplot; grey, if it has no number. */
int colours_rgb(const colours_t *c, int64_t point);
int colours_shape(const colours_t *c, int64_t point);

/* Of a group, and of a place on the ramp from 0 to 1. */
int group_rgb(int group);
int group_shape(int group);
int ramp_rgb(double at);

/* `share` of the one, the rest of the other. */
int mix_rgb(int one, int other, double share);

#endif
