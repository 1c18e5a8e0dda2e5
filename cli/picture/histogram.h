/* How often numbers come; on a logarithmic scale, if most come in few bars. */
#ifndef LAVDM_CLI_HISTOGRAM_H
#define LAVDM_CLI_HISTOGRAM_H

#include "picture/axes.h"

typedef struct {
  const double *value;
  int64_t count;
  double low,
      high; /* what bars are between; low == high: the range of the values, from 0 if they are positive */
  const char *heading, *name, *unit; /* of the panel, the lower axis and what is counted */
  const double *marked; /* a share of each bar in another colour where this is below one half; or NULL */
} histogram_t;

void histogram_draw(sheet_t *sheet, rect_t cell, const histogram_t *histogram);

#endif
