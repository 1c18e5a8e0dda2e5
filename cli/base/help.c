/*
 * --help: usage, the command's own flags, the library's options by group, and
 * an example that works as pasted, since it names the program as it was called.
 */
#include "base/help.h"

#include <string.h>

static const struct {
  const char *title, *options;
} groups[HELP_GROUPS] = {
    {"Method", "|method|bundle|pca|dim|reflections|signals|noise|"},
    {"Landmarks", "|landmarks|design|"},
    {"Graph", "|epsilon|alpha|beta|kernel|cutoff|edges|knn|hood|"},
    {"Spectrum and embedding", "|components|time|delta|tolerance|"},
    {"Run", NULL},
};

const char *help_group_title(int group) {
  return groups[group].title;
}

bool help_group_has(int group, const char *option) {
  char key[OPTION_NAME_SIZE + 2];
  snprintf(key, sizeof key, "|%.*s|", OPTION_NAME_SIZE - 1, option);
  if (groups[group].options) return strstr(groups[group].options, key) != NULL;
  for (int g = 0; g < HELP_GROUPS; g++)
    if (groups[g].options && strstr(groups[g].options, key)) return false;
  return true;
}

void help_option_left(const lavdm_option *option, char text[HELP_LINE_SIZE]) {
  char name[OPTION_NAME_SIZE];
  snprintf(text, HELP_LINE_SIZE, "--%s %s", option_flag(option->name, name), option->metavar);
}

void help_option_right(const lavdm_option *option, char text[HELP_LINE_SIZE]) {
  char choices[CHOICES_SIZE];
  if (option->choices)
    snprintf(text, HELP_LINE_SIZE, "%s: %s [%s]", option->help, option_choices(option, choices),
             option->initial);
  else
    snprintf(text, HELP_LINE_SIZE, "%s [%s]", option->help, option->initial);
}

void help_flag_left(const flag *f, char text[HELP_LINE_SIZE]) {
  char letter[8] = "";
  if (f->letter) snprintf(letter, sizeof letter, "-%c, ", f->letter);
  snprintf(text, HELP_LINE_SIZE, "%s--%s%s%s", letter, f->name, f->metavar ? " " : "",
           f->metavar ? f->metavar : "");
}

/* Words of `text` from column `at`, broken before column 80 and indented. */
static void print_wrapped(FILE *out, const char *text, int at, int indent) {
  enum { WIDTH = 80 };
  while (*text) {
    int length = (int)strcspn(text, " \n");
    if (at > indent && at + 1 + length > WIDTH) {
      fprintf(out, "\n%*s", indent, "");
      at = indent;
    } else if (at > indent) {
      fputc(' ', out);
      at++;
    }
    fprintf(out, "%.*s", length, text);
    at += length;
    text += length;
    text += *text != 0;
  }
  fputc('\n', out);
}

static void print_row(FILE *out, const char *left, const char *right) {
  enum { COLUMN = 24 };
  int used = fprintf(out, "  %s", left);
  if (used + 2 > COLUMN) {
    fputc('\n', out);
    used = 0;
  }
  fprintf(out, "%*s", COLUMN - used, "");
  print_wrapped(out, right, COLUMN, COLUMN);
}

void help_example(FILE *out, const char *example, const char *program, const char *indent) {
  bool fresh = true;
  for (const char *c = example; *c; c++) {
    if (fresh) fputs(indent, out);
    fresh = *c == '\n';
    if (*c == '@')
      fputs(program, out);
    else
      fputc(*c, out);
  }
  fputc('\n', out);
}

static void print_options(FILE *out, const command *c) {
  char left[HELP_LINE_SIZE], right[HELP_LINE_SIZE];
  for (int g = 0; c->takes && g < HELP_GROUPS; g++) {
    bool titled = false;
    for (int i = 0; i < lavdm_option_count(); i++) {
      const lavdm_option *option = lavdm_option_at(i);
      if (!help_group_has(g, option->name) || !c->takes(option->name)) continue;
      if (!titled) fprintf(out, "\n%s:\n", help_group_title(g));
      titled = true;
      help_option_left(option, left);
      help_option_right(option, right);
      print_row(out, left, right);
    }
  }
}

void help_command_text(FILE *out, const command *c, const char *program) {
  char left[HELP_LINE_SIZE];
  fprintf(out, "usage: %s %s %s\n\n", program, c->name, c->usage);
  for (const char *paragraph = c->about; paragraph && *paragraph;) {
    const char *end = strstr(paragraph, "\n\n");
    char text[2048];
    size_t length = end ? (size_t)(end - paragraph) : strlen(paragraph);
    snprintf(text, sizeof text, "%.*s", (int)length, paragraph);
    print_wrapped(out, text, 0, 0);
    fputc('\n', out);
    paragraph += length + (end ? 2 : 0);
  }
  fprintf(out, "Options:\n");
  for (const flag *f = c->flags; f && f->name; f++) {
    help_flag_left(f, left);
    print_row(out, left, f->help);
  }
  print_row(out, "-h, --help", "this text");
  print_options(out, c);
  if (c->takes && c->takes("epsilon"))
    fprintf(out, "\nThe default is in brackets. auto is chosen from the data, and the value\n"
                 "chosen is printed and stored.\n");
  if (c->example) {
    fprintf(out, "\nExample:\n");
    help_example(out, c->example, program, "  ");
  }
}

void help_overview(FILE *out, const char *program) {
  fprintf(out,
          "lavdm %s: diffusion maps, vector diffusion maps, ROSELAND and LA-VDM\n\n"
          "usage: %s COMMAND ...\n\n",
          lavdm_version(), program);
  const command *c;
  for (int i = 0; (c = command_at(i)); i++)
    if (!c->hidden) fprintf(out, "  %-10s %s\n", c->name, c->summary);
  fprintf(out,
          "\nYour own data: %s embed mine.csv -o mine.npz\n"
          "(or .npy .h5 .mat .ply .stl .las ..., or a folder of pictures)\n\n"
          "Try it: 2000 points of the Klein bottle, their embedding, and whether they are orientable:\n"
          "  %s sample klein -n 2000 -o klein.npy && %s embed klein.npy -o klein.npz\n"
          "  %s sample mobius -n 2000 -o mobius.npy && %s orient mobius.npy\n\n"
          "%s COMMAND --help explains each; %s --version says which this is.\n",
          program, program, program, program, program, program, program);
}

static int run_help(const arguments *a, lavdm_error *error) {
  if (arguments_value(a, "man")) {
    document_man(stdout);
    return LAVDM_OK;
  }
  if (!a->operands) {
    help_overview(stdout, a->program);
    return LAVDM_OK;
  }
  const command *c = command_find(a->operand[0]);
  if (c) {
    help_command_text(stdout, c, a->program);
    return LAVDM_OK;
  }
  const char *names[16];
  int count = 0;
  for (int i = 0; command_at(i) && count < 15; i++) names[count++] = command_at(i)->name;
  names[count] = NULL;
  const char *near = nearest_name(a->operand[0], names);
  return refuse(error, STATUS_USAGE, "there is no command '%s'%s%s%s", a->operand[0],
                near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

static int run_options(const arguments *a, lavdm_error *error) {
  (void)a;
  (void)error;
  document_markdown(stdout);
  return LAVDM_OK;
}

static const flag help_flags[] = {
    {"man", 0, NULL, "print the man page instead"},
    {0},
};

const command help_command = {
    .name = "help",
    .usage = "[COMMAND]",
    .summary = "what a command does and takes",
    .about = "Explains a command, or lists them all.",
    .flags = help_flags,
    .example = "@ help embed",
    .most = 1,
    .run = run_help,
};

static const flag options_flags[] = {
    {"markdown", 0, NULL, "as Markdown, the form of docs/options.md (and the only one)"},
    {0},
};

const command options_command = {
    .name = "options",
    .usage = "[--markdown]",
    .summary = "the reference page of every option",
    .about = "Prints the reference page of every option, made from the table in the library.",
    .flags = options_flags,
    .example = "@ options --markdown",
    .hidden = true,
    .run = run_options,
};
