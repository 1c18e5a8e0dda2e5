/* "-" as a file: the standard input, and the standard output. */
#ifndef LAVDM_CLI_IO_PIPE_H
#define LAVDM_CLI_IO_PIPE_H

#include "io/io.h"

#define PIPE_OUTPUT "standard output"

/* Reads all of the standard input, once; *end is what it turned out to be: ".npy" or ".csv". */
int pipe_read(const char **end, lavdm_error *error);

/* What was read as an open file, at its start. */
int pipe_open(int *fd, int64_t *length, lavdm_error *error);

/* From now on "-" can be written, as `end` says: ".npy" or ".csv", which stays. What is printed on the
 * standard output goes to stderr instead. */
int pipe_start(const char *end, lavdm_error *error);
const char *pipe_written(void); /* that end, or "" */

int pipe_write(const void *data, size_t bytes, lavdm_error *error);
int pipe_end(int status, lavdm_error *error);

#endif
