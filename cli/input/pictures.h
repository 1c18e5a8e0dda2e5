/* A stack of pictures, one in each file: those of a folder, or those that are listed. */
#ifndef LAVDM_CLI_PICTURES_H
#define LAVDM_CLI_PICTURES_H

#include "io/io.h"

/* True if the operands are a folder, or more than one. */
bool pictures_meant(const char *const *operand, int operands);

/*
 * Reads them into `out`, n x height x width, in the order of their names, numbers in these by their value;
 * `ids`, owned by the caller, are the names, one a line. Pictures must be alike; colours become grey.
 */
int pictures_read(const char *const *operand, int operands, io_array *out, char **ids, lavdm_error *error);

#endif
