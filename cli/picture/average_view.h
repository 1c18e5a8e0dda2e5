/* The picture of a table of average: averages beside the images that they are made of, turned to match; or,
 * without the images, by how much these were turned and how far they are. */
#ifndef LAVDM_CLI_AVERAGE_VIEW_H
#define LAVDM_CLI_AVERAGE_VIEW_H

#include "picture/request.h"

bool average_view_is(const result_t *result);
int average_view_draw(const result_t *result, const request_t *request, lavdm_error *error);

#endif
