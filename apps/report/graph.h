/* What the parts about graphs share. */
#ifndef LAVDM_REPORT_GRAPH_H
#define LAVDM_REPORT_GRAPH_H

#include "lavdm/sample.h"
#include "report/page.h"

#define REPORT_STREAM 0x7265706f7274u /* of random numbers */

typedef struct {
  double number;
  int64_t row;
} report_node;

/* "layout": three diffusion coordinates of the graph. `end` has both rows of every edge. */
void report_layout(report_page *p, const int64_t *end, int64_t count);

#endif
