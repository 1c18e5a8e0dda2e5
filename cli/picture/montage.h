/* A picture of averages to look at. */
#ifndef LAVDM_CLI_MONTAGE_H
#define LAVDM_CLI_MONTAGE_H

#include "lavdm/average.h"
#include "io/picture.h"

/* Rows of images, each row with the averages about them below it; every tile with its own scale. */
int montage_write(const char *path, const lavdm_data *images, const lavdm_average_t *result,
                  lavdm_error *error);

#endif
