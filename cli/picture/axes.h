/* Two axes with ticks: as many as have room for their numbers. */
#ifndef LAVDM_CLI_AXES_H
#define LAVDM_CLI_AXES_H

#include "picture/sheet.h"

enum { TICKS = 8, TICK_TEXT = 24 };

typedef struct {
  int count;
  double value[TICKS];
  char text[TICKS][TICK_TEXT];
} ticks_t;

/* Round numbers from low to high along a length, such that the texts, side by side or one above the other
 * (`stacked`), keep apart; `whole`: whole numbers alone. */
ticks_t ticks_choose(double low, double high, double length, double em, bool stacked, bool whole);
double ticks_width(const ticks_t *ticks, double em);

typedef struct {
  const char *heading, *name[2]; /* of the panel and of the axes; NULL: none */
  double low[2], high[2];
  bool equal;    /* both axes have one unit */
  bool whole[2]; /* ticks at whole numbers alone */
  bool powers;   /* the second axis has the logarithms to base 10 of what it says */
  bool bare;     /* neither lines nor ticks */
} axes_t;

/* Draws them in a cell; the data goes to the returned box, with the ranges that are then in `axes`. */
rect_t axes_draw(sheet_t *sheet, rect_t cell, axes_t *axes);

/* The range of some numbers, the finite ones, with room around them. */
void axes_range(const double *x, int64_t count, int64_t stride, double *low, double *high);

#endif
