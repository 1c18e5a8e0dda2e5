/* An eigenvector of the tangent bundle as arrows at the points, evenly spread. */
#ifndef LAVDM_CLI_FIELD_VIEW_H
#define LAVDM_CLI_FIELD_VIEW_H

#include "picture/request.h"

typedef struct {
  double *x, *v;   /* count x dims, owned: places, and vectors */
  int64_t *row;    /* count, owned: which points they are */
  int64_t *chosen; /* count, owned: where arrows are, farthest first */
  int64_t count;
  int dims; /* 2 or 3 */
  char heading[80], name[3][48];
  view_t view;
} field_t;

/* From frames, eigenvectors and points, of the result or of request->data; more than three coordinates are
 * drawn along the principal axes of the points. */
int field_read(const result_t *result, const request_t *request, field_t *out, lavdm_error *error);

/* The points are as their colours say, or grey. False without memory. */
bool field_draw(sheet_t *sheet, rect_t cell, field_t *field, const colours_t *colours);
void field_free(field_t *field); /* accepts a zeroed one */

#endif
