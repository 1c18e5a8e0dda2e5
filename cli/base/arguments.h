/* The one parser of every subcommand. */
#ifndef LAVDM_CLI_ARGUMENTS_H
#define LAVDM_CLI_ARGUMENTS_H

#include "lavdm.h"

#include <stdbool.h>
#include <stddef.h>

struct command;

enum { MAX_FLAGS = 32, MAX_OPTIONS = 64, ANY_NUMBER = 1 << 30, OPTION_NAME_SIZE = 48, CHOICES_SIZE = 128 };

/* A command line, taken apart. Text points into argv. ANY_NUMBER of operands is no limit. */
typedef struct {
  const struct command *command;
  const char *program;     /* as it was called */
  char *line;              /* owned: the command line, quoted for a shell; or NULL */
  lavdm_options options;   /* the library's, checked one by one */
  bool given[MAX_OPTIONS]; /* which of them the user named */
  const char *design_file; /* --design FILE, or NULL */
  const char
      *flag[MAX_FLAGS]; /* the command's own, in its order; a switch, or one without its value, is "" */
  int operands;
  const char *const *operand; /* the front of argv, where they were moved */
  bool help;
  char *text[3]; /* owned: values that came from files point into these */
  int texts;
} arguments;

/*
 * Reads argv[0..argc-1], what follows the subcommand's name. Accepts
 * --name=value, --name value, -x value, -xvalue; '_' and '-' are the same in a
 * name; of a repeated option the last counts; "--" ends the options. What --config and --like
 * name comes after.
 */
int arguments_parse(const struct command *command, int argc, char **argv, arguments *out, lavdm_error *error);
void arguments_free(arguments *a); /* accepts a zeroed one */

/* "lavdm NAME word ...", of the words that follow the name of the subcommand, each quoted where a shell would
 * take it apart; owned by the caller, NULL without memory. Before arguments_parse, which moves them. */
char *arguments_line(const struct command *command, int argc, char *const *argv);

/* Whether the command has a flag or option of this name; '_' and '-' are the same in it. */
bool arguments_has(const arguments *a, const char *name);

/* Sets a flag or option, unless the user did: 1, or 0 if so. A switch is true or false, and so may be one
 * whose value is optional. */
int arguments_offer(arguments *a, const char *name, const char *value, lavdm_error *error);

/* -o - and --format, of a command that has both: whether they go together; from then on the standard output
 * is for the result alone. */
int arguments_pipe(const arguments *a, lavdm_error *error);

/* Whether the command has a flag of this name; the value of it, NULL if not given. */
bool arguments_takes(const arguments *a, const char *name);
const char *arguments_value(const arguments *a, const char *name);

/* True if the user named this option of the library. */
bool arguments_given(const arguments *a, const char *option);

/* "max_memory" as "max-memory". */
const char *option_flag(const char *option, char name[OPTION_NAME_SIZE]);

/* The choices of an option as the command takes them: without those that only
 * a program can use, and with FILE where a file may stand instead. */
const char *option_choices(const lavdm_option *option, char text[CHOICES_SIZE]);

/* The one of `names` (NULL at the end) that is nearest to `word`, or NULL if
 * none is near. */
const char *nearest_name(const char *word, const char *const *names);

#endif
