/* The picture of `lavdm orient --plot`. */
#ifndef LAVDM_CLI_ORIENT_PICTURE_H
#define LAVDM_CLI_ORIENT_PICTURE_H

#include "output/cover.h"

/* Draws the histogram of the leading eigenvector, the points by the side that faces the
 * viewer, and the double cover unless it is NULL. `name` is that of the input. */
int orient_picture(const char *path, const char *name, const lavdm_data *data, const lavdm_model *model,
                   const lavdm_orientation *verdict, const cover_t *cover, lavdm_error *error);

#endif
