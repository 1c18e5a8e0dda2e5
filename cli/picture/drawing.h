/* Pictures: a script for gnuplot, which draws a .png or .svg that appears whole or not at all. */
#ifndef LAVDM_CLI_DRAWING_H
#define LAVDM_CLI_DRAWING_H

#include "lavdm.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { DRAWING_TITLE = 200, DRAWING_POINTS = 20000 /* that are drawn at most */ };

typedef struct {
  FILE *script; /* what follows goes here */
  const char *path;
} drawing;

/* Before the work: can such a picture be made? `option` names it, and it is not the input. */
int drawing_check(const char *path, const char *option, const char *input, lavdm_error *error);

/* Begins the script; the size is that of a .svg, and two thirds of that of a .png. */
int drawing_begin(drawing *p, const char *path, int width, int height, lavdm_error *error);

/* Draws, if `status` is no error; always frees. */
int drawing_end(drawing *p, int status, lavdm_error *error);

/* Text with nothing in it that gnuplot would read as markup; `to` has room for `size`. */
void drawing_plain(const char *text, char *to, size_t size);

/* The name of a file with nothing in it that gnuplot would read as markup. */
void drawing_title(const char *name, char title[DRAWING_TITLE]);

/* Centres x (n x width); axis (count x width) receives its leading principal directions, as precise as a
 * picture needs, and zeros where the points do not spread. False without memory. */
bool principal_axes(double *x, int64_t n, int64_t width, int count, double *axis);

#endif
