/*
 * What a subcommand of `lavdm` is: one row of text and flags and one function.
 * The parser, --help, the man page and the reference page all read these rows,
 * together with the library's own table of options.
 */
#ifndef LAVDM_CLI_COMMAND_H
#define LAVDM_CLI_COMMAND_H

#include "base/arguments.h"
#include "lavdm.h"

#include <stdbool.h>

/* A flag of the command's own, besides the library's options. */
typedef struct {
  const char *name;    /* without dashes; NULL ends a list */
  char letter;         /* short form, or 0 */
  const char *metavar; /* what --help calls the value; NULL: a switch; "[a|b]": one of these or none */
  const char *help;
} flag;

/* Whether a flag may stand alone, though it has values; whether a word is one of those that it names. */
static inline bool flag_optional(const flag *f) {
  return f->metavar && f->metavar[0] == '[';
}
bool flag_names(const flag *f, const char *word);

/* Rows that several commands have. */
#define CONFIG_FLAG                                                                                          \
  { "config", 0, "FILE", "options from a file, lines `name = value`; [NAME] begins those of one command" }
#define LIKE_FLAGS                                                                                           \
  {"like", 0, "FILE",                                                                                        \
   "options as an earlier run used them: its result (.npz, .h5, .mat) or what --json printed"},              \
  {                                                                                                          \
    "like-given", 0, "FILE", "those alone that were given to that run; the others are chosen again"          \
  }

#define REPORT_FLAG                                                                                          \
  { "report", 0, "FILE.html", "a page to look at the result with, in a browser: see `lavdm report`" }

typedef struct command {
  const char *name;
  const char *usage;                 /* what follows "lavdm NAME" */
  const char *summary;               /* one line */
  const char *about;                 /* paragraphs, separated by "\n\n" */
  const char *example;               /* lines; '@' stands for the program as it was called */
  const flag *flags;                 /* ends with a NULL name */
  bool (*takes)(const char *option); /* which of the library's options; NULL: none */
  int least, most;                   /* number of operands */
  bool hidden;                       /* not in the overview */

  /* Zero, or a negative status with the sentence in error. */
  int (*run)(const arguments *a, lavdm_error *error);
} command;

/* Statuses of the command's own, below those of the library. */
enum {
  STATUS_USAGE = -50, /* bad use: the sentence is followed by a hint to --help */
  STATUS_WRITE = -100 /* could not write: IO_ERROR_WRITE */
};

enum { EXIT_DONE = 0, EXIT_BAD = 1, EXIT_RESOURCE = 2, EXIT_INTERRUPTED = 3 };

extern const command sample_command, embed_command, orient_command, extend_command, distance_command,
    info_command, report_command, plot_command, sync_command, average_command, denoise_command, help_command,
    options_command, completion_command;

/* Every subcommand in the order of the overview; NULL outside. */
const command *command_at(int i);
const command *command_find(const char *name); /* NULL if there is none */

/* Writes the sentence, as text_show shows it, into error and returns status. */
int refuse(lavdm_error *error, int status, const char *format, ...) __attribute__((format(printf, 3, 4)));
#ifdef LAVDM_ANALYSE
#define refuse(error, status, ...) (refuse(error, status, __VA_ARGS__), (status))
#endif

/* The sentence of an error so far, with "where: " before it. */
void prefix_error(lavdm_error *error, const char *where);

#endif
