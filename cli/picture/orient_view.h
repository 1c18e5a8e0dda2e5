/* The picture of a result of orient: its leading eigenvector, two spikes if orientable, and the double cover;
 * or, without one, the points, by how far v is from changing its sign there. */
#ifndef LAVDM_CLI_ORIENT_VIEW_H
#define LAVDM_CLI_ORIENT_VIEW_H

#include "picture/request.h"

bool orient_view_is(const result_t *result);
int orient_view_draw(const result_t *result, const request_t *request, lavdm_error *error);

#endif
