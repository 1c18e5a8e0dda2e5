/* What the colours stand for: names beside their dots, or a bar with numbers; outside the axes. */
#ifndef LAVDM_CLI_LEGEND_H
#define LAVDM_CLI_LEGEND_H

#include "picture/colours.h"
#include "picture/sheet.h"

/* Draws it at the right of a cell, or below if that is too narrow; what is left of the cell is for the axes.
 */
rect_t legend_draw(sheet_t *sheet, rect_t cell, const colours_t *colours);

/* The same for a few names of one's own. */
typedef struct {
  const char *name;
  int rgb, shape; /* 0: a line */
} mark_t;
rect_t legend_marks(sheet_t *sheet, rect_t cell, const char *title, const mark_t *mark, int count);

#endif
