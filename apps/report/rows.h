/* Rows of points that are in memory, sparse, or read when they are wanted. */
#ifndef LAVDM_REPORT_ROWS_H
#define LAVDM_REPORT_ROWS_H

#include "report/page.h"

typedef struct {
  lavdm_data data;
  const lavdm_sparse *sparse;
  lavdm_item centre; /* added to every row; without data: nothing is */
  const char *name;  /* for sentences */
} report_rows;

/* What the options or the items have: false, and a failure or none, if there is nothing to take. Of n rows
 * (-1: any). */
bool report_rows_of(report_page *p, const lavdm_data *data, const char *name, int64_t n, report_rows *out);

/* Those of an array of the result: all axes but the first are its columns. */
bool report_rows_in(report_page *p, const lavdm_item *array, report_rows *out);

/*
 * Calls `take` for some rows, whose numbers ascend: row k of them as p doubles. With `row` NULL they are
 * 0 .. count-1.
 */
typedef void (*report_take)(void *user, int64_t k, const double *x);
void report_rows_each(report_page *p, const report_rows *from, const int64_t *row, int64_t count,
                      report_take take, void *user);

/* The leading axes of some rows: their mean (p) and 3 axes (3,p), orthonormal, by descending variance. */
bool report_axes(report_page *p, const report_rows *from, double *mean, double *axes);

#endif
