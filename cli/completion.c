/*
 * lavdm completion: what a shell offers when Tab is pressed, from the tables of commands, flags and options.
 * Words where there is a choice; files where there is none, or a file may stand instead.
 */
#include "base/command.h"
#include "lavdm/sample.h"

#include <stdio.h>
#include <string.h>

/* A flag or option, as all three shells need it. */
typedef struct {
  char name[OPTION_NAME_SIZE];
  char letter;              /* or 0 */
  const char *metavar;      /* NULL: a switch */
  bool optional;            /* the value may be left out */
  char words[CHOICES_SIZE]; /* that may follow, between blanks */
  bool files;               /* a file may follow */
  const char *help;
} entry;

/* "dm|vdm|FILE" as "dm vdm"; words of capitals stand for something else. */
static void split_choices(const char *choices, entry *e) {
  size_t used = 0;
  if (choices && *choices == '[') choices++;
  for (const char *c = choices; c && *c; c += strcspn(c, "|]"), c += *c != 0) {
    size_t size = strcspn(c, "|]");
    bool capital = *c >= 'A' && *c <= 'Z';
    e->files |= capital && !strncmp(c, "FILE", size);
    if (capital || used + size + 2 > sizeof e->words) continue;
    if (used) e->words[used++] = ' ';
    memcpy(e->words + used, c, size);
    used += size;
    e->words[used] = 0;
  }
}

static bool names_file(const char *metavar) {
  static const char *const files[] = {"FILE", "OUTPUT", "PICTURE", "MODEL", "POINTS"};
  for (size_t k = 0; k < sizeof files / sizeof *files; k++)
    if (!strcmp(metavar, files[k])) return true;
  return false;
}

/* The i-th of a command: --help, its own flags, then the library's options; false after the last. */
static bool entry_at(const command *c, int i, entry *e) {
  *e = (entry){.letter = 'h', .help = "what it does and takes", .name = "help"};
  if (i-- == 0) return true;
  int flags = 0;
  while (c->flags && c->flags[flags].name) flags++;
  if (i < flags) {
    const flag *f = &c->flags[i];
    *e = (entry){.letter = f->letter, .metavar = f->metavar, .optional = flag_optional(f), .help = f->help};
    snprintf(e->name, sizeof e->name, "%s", f->name);
    if (f->metavar && strchr(f->metavar, '|')) split_choices(f->metavar, e);
    if (f->metavar && names_file(f->metavar)) e->files = true;
    return true;
  }
  i -= flags;
  for (int k = 0; c->takes && k < lavdm_option_count(); k++) {
    const lavdm_option *option = lavdm_option_at(k);
    char choices[CHOICES_SIZE];
    if (!c->takes(option->name) || i-- > 0) continue;
    *e = (entry){.metavar = option->metavar, .help = option->help};
    option_flag(option->name, e->name);
    split_choices(option->choices                   ? option_choices(option, choices)
                  : strcmp(option->initial, "auto") ? ""
                                                    : "auto",
                  e);
    return true;
  }
  return false;
}

/* Whether an operand is a word of a list; else it is a file. */
static bool offers_words(const command *c) {
  return !strcmp(c->name, "completion") || !strcmp(c->name, "sample") || !strcmp(c->name, "help");
}

static void operand_words(const command *c, FILE *out) {
  if (!strcmp(c->name, "completion")) fputs("bash zsh fish", out);
  if (!strcmp(c->name, "sample")) {
    for (int i = 0; i < lavdm_shape_count(); i++) fprintf(out, "%s ", lavdm_shape_at(i)->name);
    fputs("graph projections", out);
  }
  for (int i = 0; command_at(i) && !strcmp(c->name, "help"); i++)
    if (!command_at(i)->hidden) fprintf(out, "%s%s", i ? " " : "", command_at(i)->name);
}

/* Text between single quotes, shortened to its first clause; a backslash before each of `special`. */
static void print_help(FILE *out, const char *text, const char *special) {
  size_t length = strcspn(text, ";");
  for (size_t i = 0; i < length; i++) {
    if (text[i] == '\'') continue;
    if (strchr(special, text[i])) fputc('\\', out);
    fputc(text[i], out);
  }
}

/* ------------------------------------------------------------------ bash */

static void bash_command(FILE *out, const command *c) {
  entry e;
  fprintf(out, "    %s)\n      case $prev in\n", c->name);
  for (int i = 0; entry_at(c, i, &e); i++) {
    if (!e.metavar) continue;
    char letter[8] = "";
    if (e.letter) snprintf(letter, sizeof letter, "-%c | ", e.letter);
    fprintf(out, "        %s--%s) COMPREPLY=($(compgen -W '%s' -- \"$cur\")); return ;;\n", letter, e.name,
            e.words);
  }
  fprintf(out, "      esac\n      words='");
  operand_words(c, out);
  fprintf(out, "'\n      options='");
  for (int i = 0; entry_at(c, i, &e); i++) fprintf(out, "%s--%s", i ? " " : "", e.name);
  fprintf(out, "' ;;\n");
}

/* Where nothing matches, the shell offers files (-o default). A word after '=' is a value. */
static void bash(FILE *out) {
  fprintf(out, "# bash completion of lavdm, from its tables: source <(lavdm completion bash)\n"
               "_lavdm() {\n"
               "  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} words= options=\n"
               "  [ \"$cur\" = = ] && cur=\n"
               "  [ \"$prev\" = = ] && prev=${COMP_WORDS[COMP_CWORD-2]}\n"
               "  COMPREPLY=()\n"
               "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
               "    COMPREPLY=($(compgen -W '");
  for (int i = 0; command_at(i); i++)
    if (!command_at(i)->hidden) fprintf(out, "%s ", command_at(i)->name);
  fprintf(out, "--help --version' -- \"$cur\"))\n    return\n  fi\n  case ${COMP_WORDS[1]} in\n");
  for (int i = 0; command_at(i); i++)
    if (!command_at(i)->hidden) bash_command(out, command_at(i));
  fprintf(out, "  esac\n"
               "  case $cur in\n"
               "    -*) COMPREPLY=($(compgen -W \"$options\" -- \"$cur\")) ;;\n"
               "    *) COMPREPLY=($(compgen -W \"$words\" -- \"$cur\")) ;;\n"
               "  esac\n"
               "}\n"
               "complete -o default -F _lavdm lavdm\n");
}

/* ------------------------------------------------------------------- zsh */

static void zsh_entry(FILE *out, const entry *e) {
  fputs("        ", out);
  if (e->letter)
    fprintf(out, "'(-%c --%s)'{-%c,--%s}'[", e->letter, e->name, e->letter, e->name);
  else
    fprintf(out, "'--%s[", e->name);
  print_help(out, e->help, "[]:\\");
  fputc(']', out);
  if (e->metavar && e->words[0])
    fprintf(out, "%s:value:(%s)", e->optional ? ":" : "", e->words);
  else if (e->metavar)
    fprintf(out, ":value:%s", e->files ? "_files" : "");
  fputs("' \\\n", out);
}

static void zsh(FILE *out) {
  fprintf(
      out,
      "#compdef lavdm\n# zsh completion of lavdm, from its tables: lavdm completion zsh > _lavdm in a folder "
      "of $fpath\n_lavdm() {\n  local -a commands\n  commands=(\n");
  for (int i = 0; command_at(i); i++) {
    if (command_at(i)->hidden) continue;
    fprintf(out, "    '%s:", command_at(i)->name);
    print_help(out, command_at(i)->summary, ":\\");
    fputs("'\n", out);
  }
  fprintf(out, "  )\n  if (( CURRENT == 2 )); then\n    _describe command commands\n    return\n  fi\n"
               "  local name=$words[2]\n  shift words\n  (( CURRENT-- ))\n  case $name in\n");
  for (int i = 0; command_at(i); i++) {
    const command *c = command_at(i);
    entry e;
    if (c->hidden) continue;
    fprintf(out, "    %s)\n      _arguments -s -S \\\n", c->name);
    for (int k = 0; entry_at(c, k, &e); k++) zsh_entry(out, &e);
    fputs("        '*:word:", out);
    if (offers_words(c)) {
      fputc('(', out);
      operand_words(c, out);
      fputc(')', out);
    } else {
      fputs("_files", out);
    }
    fputs("' ;;\n", out);
  }
  fprintf(
      out,
      "  esac\n}\nif [ \"$funcstack[1]\" = _lavdm ]; then _lavdm \"$@\"; else compdef _lavdm lavdm; fi\n");
}

/* ------------------------------------------------------------------ fish */

static void fish(FILE *out) {
  fprintf(out, "# fish completion of lavdm, from its tables: lavdm completion fish | source\n");
  for (int i = 0; command_at(i); i++) {
    const command *c = command_at(i);
    entry e;
    if (c->hidden) continue;
    fprintf(out, "complete -c lavdm -n __fish_use_subcommand -x -a %s -d '", c->name);
    print_help(out, c->summary, "\\");
    fputs("'\n", out);
    for (int k = 0; entry_at(c, k, &e); k++) {
      fprintf(out, "complete -c lavdm -n '__fish_seen_subcommand_from %s' -l %s", c->name, e.name);
      if (e.letter) fprintf(out, " -s %c", e.letter);
      if (e.metavar && !e.optional) fputs(e.files ? " -r -F" : " -x", out);
      if (e.words[0] && !e.optional) fprintf(out, " -a '%s'", e.words);
      fputs(" -d '", out);
      print_help(out, e.help, "\\");
      fputs("'\n", out);
    }
    if (offers_words(c)) {
      fprintf(out, "complete -c lavdm -n '__fish_seen_subcommand_from %s' -f -a '", c->name);
      operand_words(c, out);
      fputs("'\n", out);
    }
  }
}

/* --------------------------------------------------------------- command */

static int run_completion(const arguments *a, lavdm_error *error) {
  static const struct {
    const char *name;
    void (*print)(FILE *out);
  } shells[] = {{"bash", bash}, {"zsh", zsh}, {"fish", fish}};
  for (size_t i = 0; i < sizeof shells / sizeof *shells; i++)
    if (!strcmp(a->operand[0], shells[i].name)) return shells[i].print(stdout), LAVDM_OK;
  return refuse(error, STATUS_USAGE, "'%.60s' is no shell that is known: bash, zsh or fish", a->operand[0]);
}

static const flag flags[] = {{0}};

const command completion_command = {
    .name = "completion",
    .usage = "bash|zsh|fish",
    .summary = "what a shell offers when Tab is pressed",
    .about =
        "Prints the completion of commands, options and their choices for a shell. For bash, put `source "
        "<(lavdm completion bash)` into ~/.bashrc; for fish, `lavdm completion fish | source` into its "
        "config.fish; for zsh, write it to a file _lavdm in a folder of $fpath.",
    .example = "@ completion bash > lavdm.bash",
    .flags = flags,
    .least = 1,
    .most = 1,
    .run = run_completion,
};
