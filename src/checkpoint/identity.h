/*
 * What a run is, as lines of text: all that decides its bits. The version of the
 * library, the options as they were asked for, and a checksum of the data.
 */
#ifndef LAVDM_CHECKPOINT_IDENTITY_H
#define LAVDM_CHECKPOINT_IDENTITY_H

#include "base/run.h"

enum { IDENTITY_SIZE = 4096 };

/* True if another value of the option gives other bits. */
bool identity_counts(const char *option);

/* "name value" lines of the options that count, from text + used on; returns the
 * new length. */
size_t identity_options(const lavdm_options *options, char text[IDENTITY_SIZE], size_t used);

/* Of checked data, and options with threads resolved. */
int identity_of(run_t *run, const lavdm_data *data, char text[IDENTITY_SIZE]);

/* Zero if both are the same; otherwise an error that says what differs: `saved` is
 * that of the file `path`. */
int identity_compare(const char *saved, const char *now, const char *path, lavdm_error *error);

/* Sets the options from such lines. */
int identity_restore(const char *text, lavdm_options *options, lavdm_error *error);

#endif
