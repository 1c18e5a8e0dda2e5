/* Points in a plane, or in space as seen from somewhere: near ones over far ones, which are paler. */
#ifndef LAVDM_CLI_SCATTER_H
#define LAVDM_CLI_SCATTER_H

#include "picture/axes.h"
#include "picture/legend.h"

typedef struct {
  double azimuth, elevation; /* degrees */
} view_t;

typedef struct {
  const double *x;    /* count x axes; a row that is not finite is not drawn */
  const int64_t *row; /* the point that each is, for its colour; NULL: itself */
  int64_t count;
  int axes; /* 2 or 3 */
  const char *heading, *name[3];
  const colours_t *colours;
  bool legend;
  view_t view;
} scatter_t;

/* False without memory. */
bool scatter_draw(sheet_t *sheet, rect_t cell, const scatter_t *scatter);

/* Places x (3) as seen: right, up and towards the viewer. */
void view_see(view_t view, const double *x, double *seen);

/* The axes of a box around low .. high in space, its far edges and the names of its directions. The plot that
 * follows is in the first two of what view_see gives. */
typedef struct {
  double low[3], high[3];
} box_t;
rect_t space_axes(sheet_t *sheet, rect_t cell, view_t view, const box_t *box, const char *heading,
                  const char *const name[3]);

/* The radius of so many dots in a box of this size, in points. */
double dot_radius(rect_t box, int64_t count);

#endif
