/* Options from files: lines `name = value`, or those of an earlier run. The command line wins. */
#ifndef LAVDM_CLI_CONFIG_H
#define LAVDM_CLI_CONFIG_H

#include "base/arguments.h"

/* One line of such a text, which is taken apart in place. */
typedef struct {
  const char *section; /* "" before the first */
  const char *key, *value;
  int line; /* from 1 */
} setting;

/*
 * The next setting at *at; 1, or 0 at the end, or an error with the line. Values stand in "..." with \" and
 * \\, in '...', or bare; # begins a comment; [name] a section. `out` keeps the line and section for the next
 * call.
 */
int setting_next(const char *path, char **at, setting *out, lavdm_error *error);

/* --config FILE and --like FILE, after the command line was read. */
int config_apply(arguments *a, lavdm_error *error);
int like_apply(arguments *a, lavdm_error *error);

#endif
