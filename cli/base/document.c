/*
 * docs/options.md and docs/lavdm.1, from the same tables as the parser and
 * --help. A test compares the committed pages with what this prints.
 */
#include "base/help.h"

#include <ctype.h>
#include <string.h>

/* ------------------------------------------------------------- Markdown */

static void markdown_range(FILE *out, const lavdm_option *option) {
  char choices[CHOICES_SIZE];
  if (option->choices) {
    fprintf(out, "One of `%s`", option_choices(option, choices));
    if (!strcmp(option->name, "kernel")) fprintf(out, ", and `callback` from C");
  } else {
    const char *kind = option->type == LAVDM_TYPE_REAL      ? "A number"
                       : option->type == LAVDM_TYPE_INTEGER ? "A whole number"
                                                            : "A size in bytes";
    fprintf(out, "%s from %g", kind, option->least);
    if (option->most < 1e18) fprintf(out, " to %g", option->most);
    if (!strcmp(option->initial, "auto")) fprintf(out, ", or `auto`");
  }
  fprintf(out, "; default `%s`.", option->initial);
}

static void markdown_option(FILE *out, const lavdm_option *option) {
  char left[HELP_LINE_SIZE];
  help_option_left(option, left);
  fprintf(out, "### `%s`\n\n", left);
  fprintf(out, "%c%s. ", toupper((unsigned char)option->help[0]), option->help + 1);
  markdown_range(out, option);
  if (strchr(option->name, '_')) fprintf(out, " In C: `%s`.", option->name);
  fprintf(out, "\n");
  if (option->more[0]) fprintf(out, "\n%s\n", option->more);
  fprintf(out, "\n");
}

/* Text inside a table. */
static void markdown_cell(FILE *out, const char *text) {
  for (; *text; text++) {
    if (*text == '|') fputc('\\', out);
    fputc(*text, out);
  }
}

void document_markdown(FILE *out) {
  fprintf(out,
          "# Options\n\n"
          "Made by `lavdm options --markdown` from the table in `src/base/options.c` and the flags of the "
          "commands; not to be edited.\n\n"
          "The options of the library have the same names in C (`lavdm_options`), in `lavdm_option_set` "
          "and, with `-` for `_`, on the command line. `auto` is chosen from the data; the value chosen "
          "is printed, and stored in the result.\n\n");
  for (int g = 0; g < HELP_GROUPS; g++) {
    fprintf(out, "## %s\n\n", help_group_title(g));
    for (int i = 0; i < lavdm_option_count(); i++)
      if (help_group_has(g, lavdm_option_at(i)->name)) markdown_option(out, lavdm_option_at(i));
  }
  fprintf(out, "## Flags of the commands\n");
  const command *c;
  for (int i = 0; (c = command_at(i)); i++) {
    if (c->hidden || !c->flags) continue;
    fprintf(out, "\n### `lavdm %s %s`\n\n%s\n\n| flag | meaning |\n|---|---|\n", c->name, c->usage, c->about);
    for (const flag *f = c->flags; f->name; f++) {
      char left[HELP_LINE_SIZE];
      help_flag_left(f, left);
      fputs("| `", out);
      markdown_cell(out, left);
      fputs("` | ", out);
      markdown_cell(out, f->help);
      fputs(" |\n", out);
    }
    if (c->takes && c->takes("epsilon")) {
      fprintf(out, "\nand the options above");
      bool first = true;
      char name[OPTION_NAME_SIZE];
      for (int o = 0; o < lavdm_option_count(); o++) {
        if (c->takes(lavdm_option_at(o)->name)) continue;
        fprintf(out, "%s `--%s`", first ? ", but for" : " and", option_flag(lavdm_option_at(o)->name, name));
        first = false;
      }
      fprintf(out, ".\n");
    }
  }
}

/* ------------------------------------------------------------ man (troff) */

/* Text with troff's own characters escaped; `x` becomes bold x. */
static void man_text(FILE *out, const char *text) {
  bool bold = false, fresh = true;
  for (const char *c = text; *c; c++) {
    if (fresh && (*c == '.' || *c == '\'')) fputs("\\&", out);
    fresh = *c == '\n';
    if (*c == '\\')
      fputs("\\e", out);
    else if (*c == '-')
      fputs("\\-", out);
    else if (*c == '^')
      fputs("\\(ha", out);
    else if (*c == '~')
      fputs("\\(ti", out);
    else if (*c == '`')
      fputs((bold = !bold) ? "\\fB" : "\\fR", out);
    else
      fputc(*c, out);
  }
}

static void man_row(FILE *out, const char *left, const char *right, const char *more) {
  fputs(".TP\n.B ", out);
  man_text(out, left);
  fputc('\n', out);
  man_text(out, right);
  fputc('\n', out);
  if (more && *more) {
    man_text(out, more);
    fputc('\n', out);
  }
}

static void man_command(FILE *out, const command *c) {
  char left[HELP_LINE_SIZE];
  fputs(".SS lavdm ", out);
  man_text(out, c->name);
  fputc(' ', out);
  man_text(out, c->usage);
  fputc('\n', out);
  for (const char *paragraph = c->about; *paragraph;) {
    const char *end = strstr(paragraph, "\n\n");
    char text[2048];
    size_t length = end ? (size_t)(end - paragraph) : strlen(paragraph);
    snprintf(text, sizeof text, "%.*s", (int)length, paragraph);
    fputs(".PP\n", out);
    man_text(out, text);
    fputc('\n', out);
    paragraph += length + (end ? 2 : 0);
  }
  for (const flag *f = c->flags; f && f->name; f++) {
    help_flag_left(f, left);
    man_row(out, left, f->help, NULL);
  }
}

static void man_options(FILE *out) {
  char left[HELP_LINE_SIZE], right[HELP_LINE_SIZE];
  fputs(".SH OPTIONS\nThe options of\n.BR embed ,\nand those of\n.B orient\nthat its help lists. The default "
        "is "
        "in brackets.\n",
        out);
  for (int g = 0; g < HELP_GROUPS; g++) {
    fprintf(out, ".SS %s\n", help_group_title(g));
    for (int i = 0; i < lavdm_option_count(); i++) {
      const lavdm_option *option = lavdm_option_at(i);
      if (!help_group_has(g, option->name)) continue;
      help_option_left(option, left);
      help_option_right(option, right);
      size_t used = strlen(right);
      if (used + 1 < sizeof right && option->more[0]) memcpy(right + used, ".", 2);
      man_row(out, left, right, option->more);
    }
  }
}

static void man_examples(FILE *out) {
  fputs(".SH EXAMPLES\n", out);
  const command *c;
  for (int i = 0; (c = command_at(i)); i++) {
    if (c->hidden || !c->example || c == &help_command) continue;
    fputs(".PP\n.nf\n", out);
    for (const char *t = c->example; *t; t++) {
      char one[2] = {*t, 0};
      man_text(out, *t == '@' ? "lavdm" : one);
    }
    fputs("\n.fi\n", out);
  }
}

void document_man(FILE *out) {
  fprintf(out,
          ".\\\" Made by lavdm help --man; not to be edited.\n"
          ".TH LAVDM 1 \"\" \"lavdm %s\" \"User Commands\"\n"
          ".SH NAME\nlavdm \\- diffusion maps, vector diffusion maps, ROSELAND and LA-VDM\n"
          ".SH SYNOPSIS\n",
          lavdm_version());
  const command *c;
  for (int i = 0; (c = command_at(i)); i++) {
    if (c->hidden) continue;
    fprintf(out, ".B lavdm %s\n", c->name);
    man_text(out, c->usage);
    fputs("\n.br\n", out);
  }
  fputs(
      ".B lavdm \\-\\-version\n"
      ".SH DESCRIPTION\n"
      "Diffusion maps and vector diffusion maps of a cloud of points or of a graph of your own, between the "
      "points themselves\n.RB ( dm \", \" vdm )\nor through landmarks\n.RB ( roseland \", \" lavdm ).\n"
      ".SH COMMANDS\n",
      out);
  for (int i = 0; (c = command_at(i)); i++)
    if (!c->hidden) man_command(out, c);
  man_options(out);
  man_examples(out);
  fputs(".SH EXIT STATUS\n"
        ".TP\n.B 0\ndone, perhaps with warnings\n"
        ".TP\n.B 1\nbad use or bad input\n"
        ".TP\n.B 2\nout of memory, or the result could not be written\n"
        ".TP\n.B 3\ninterrupted\n"
        ".SH SEE ALSO\ndocs/options.md and docs/manual.md of the source\n",
        out);
}
