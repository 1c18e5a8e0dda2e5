/* What the parts about points share. */
#ifndef LAVDM_REPORT_DATA_H
#define LAVDM_REPORT_DATA_H

#include "report/rows.h"

/* Floats by column. */
typedef struct {
  const float *values;
  int64_t rows;
} report_floats;

/* With `columns` 0 an array of one axis. */
void report_put_floats(report_page *p, const char *name, const report_floats *f, int64_t columns,
                       const report_text *names);

/* The points that the result kept, in the coordinates of landmarks and frames; false if there are none. */
bool report_kept_points(report_page *p, report_rows *out);

/* How well frames agree with those around; `data` are the points, of any coordinates. */
void report_alignment(report_page *p, const report_rows *data);

#endif
