/* Text of the help, made from the tables of commands and options. */
#ifndef LAVDM_CLI_HELP_H
#define LAVDM_CLI_HELP_H

#include "base/command.h"

#include <stdio.h>

enum { HELP_GROUPS = 5, HELP_LINE_SIZE = 512 };

/* What `lavdm` alone prints. */
void help_overview(FILE *out, const char *program);

/* What `lavdm NAME --help` prints. */
void help_command_text(FILE *out, const command *c, const char *program);

/* The groups that the library's options are shown in: title, and whether an
 * option belongs. The last group holds what no other names. */
const char *help_group_title(int group);
bool help_group_has(int group, const char *option);

/* "--epsilon E" and "bandwidth ... [auto]". */
void help_option_left(const lavdm_option *option, char text[HELP_LINE_SIZE]);
void help_option_right(const lavdm_option *option, char text[HELP_LINE_SIZE]);

/* "-o, --output FILE". */
void help_flag_left(const flag *f, char text[HELP_LINE_SIZE]);

/* An example, the program's name in place of every '@', each line indented. */
void help_example(FILE *out, const char *example, const char *program, const char *indent);

/* The reference page (docs/options.md) and the man page (docs/lavdm.1). */
void document_markdown(FILE *out);
void document_man(FILE *out);

#endif
