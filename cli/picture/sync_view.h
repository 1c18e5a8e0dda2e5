/* The picture of a result of sync: its trajectory, or its graph, with the edges by trust; and the residuals.
 */
#ifndef LAVDM_CLI_SYNC_VIEW_H
#define LAVDM_CLI_SYNC_VIEW_H

#include "picture/request.h"

bool sync_view_is(const result_t *result);
int sync_view_draw(const result_t *result, const request_t *request, lavdm_error *error);

#endif
