/* Pictures: a script for gnuplot, which draws a .pdf, .svg or .png that appears whole or not at all. */
#ifndef LAVDM_CLI_DRAWING_H
#define LAVDM_CLI_DRAWING_H

#include "lavdm.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { DRAWING_TITLE = 200, DRAWING_POINTS = 20000 /* that are drawn at most */ };

/* The sheet that is drawn on. */
typedef struct {
  double width, height; /* inches */
  double dots;          /* an inch, of a .png */
  char font[64];
  double points; /* size of the font */
} paper_t;

typedef struct {
  FILE *script; /* what follows goes here */
  const char *path;
  double font, line, dot; /* for gnuplot: a font of one point, a line 1 point wide, a dot of radius 1 point */
} drawing;

/* Before the work: can such a picture be made? `option` names it, and it is not the input. */
int drawing_check(const char *path, const char *option, const char *input, lavdm_error *error);

/* Begins the script. */
int drawing_begin(drawing *p, const char *path, const paper_t *paper, lavdm_error *error);

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
