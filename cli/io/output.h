/* A file under way, which replaces its target at the end or leaves no trace (lavdm/file.h). */
#ifndef LAVDM_CLI_IO_OUTPUT_H
#define LAVDM_CLI_IO_OUTPUT_H

#include "io/io.h"

typedef struct {
  const char *path;    /* as the caller named it */
  const char *temp;    /* what it is called meanwhile */
  lavdm_file *file;    /* NULL: the standard output */
  const io_trim *trim; /* or NULL */
  lavdm_error *error;
} output_file;

int output_begin(output_file *file, const char *path, lavdm_error *error);
int output_write(output_file *file, const void *data, size_t bytes);

/* Data of any size, a slice at a time; between slices they may be dropped. */
enum { OUTPUT_SLICE = 1 << 22 };
int output_write_slices(output_file *file, const void *data, int64_t bytes);
void output_trim(const output_file *file);

/* Puts the file in its place if status >= 0, else removes it. */
int output_end(output_file *file, int status);

#endif
