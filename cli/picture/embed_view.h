/* The picture of a result of embed, extend or orient: its spectrum, and its points by coordinates, along
 * principal axes of the embedding, piece by piece, or with a field of arrows. */
#ifndef LAVDM_CLI_EMBED_VIEW_H
#define LAVDM_CLI_EMBED_VIEW_H

#include "picture/request.h"

/* Whether a result has what is drawn here; then draws it. */
bool embed_view_is(const result_t *result);
int embed_view_draw(const result_t *result, const request_t *request, lavdm_error *error);

#endif
