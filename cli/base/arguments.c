/*
 * The command line against two tables: the library's options, and the few
 * flags of the subcommand's own. The last value of an option counts.
 */
#include "base/arguments.h"
#include "base/command.h"
#include "base/config.h"

#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* Where the command differs from the library in the values that it takes. */
static const struct {
  const char *option, *dropped, *instead;
} differences[] = {
    {"design", "given", "FILE"},
    {"kernel", "callback", NULL},
};

enum { DIFFERENCES = sizeof differences / sizeof *differences };

/* The row of `differences` for this option, or -1. */
static int difference(const char *option) {
  for (int i = 0; i < DIFFERENCES; i++)
    if (!strcmp(differences[i].option, option)) return i;
  return -1;
}

const char *option_flag(const char *option, char name[OPTION_NAME_SIZE]) {
  size_t i = 0;
  for (; option[i] && i + 1 < OPTION_NAME_SIZE; i++) name[i] = option[i] == '_' ? '-' : option[i];
  name[i] = 0;
  return name;
}

const char *option_choices(const lavdm_option *option, char text[CHOICES_SIZE]) {
  int row = difference(option->name);
  size_t used = 0;
  text[0] = 0;
  for (const char *c = option->choices; c && *c;) {
    size_t size = strcspn(c, "|");
    bool dropped =
        row >= 0 && strlen(differences[row].dropped) == size && !strncmp(c, differences[row].dropped, size);
    if (!dropped && used + size + 2 < CHOICES_SIZE) {
      if (used) text[used++] = '|';
      memcpy(text + used, c, size);
      used += size;
      text[used] = 0;
    }
    c += size + (c[size] == '|');
  }
  const char *instead = row >= 0 ? differences[row].instead : NULL;
  if (instead && used + strlen(instead) + 2 < CHOICES_SIZE) {
    text[used++] = '|';
    memcpy(text + used, instead, strlen(instead) + 1);
  }
  return text;
}

/* Edit distance, a swap of neighbours counting once; words of up to 40 letters. */
static int edit_distance(const char *a, const char *b) {
  enum { MOST = 40 };
  int d[MOST + 1][MOST + 1];
  int n = (int)strlen(a), m = (int)strlen(b);
  if (n > MOST || m > MOST) return MOST;
  for (int i = 0; i <= n; i++) d[i][0] = i;
  for (int j = 0; j <= m; j++) d[0][j] = j;
  for (int i = 1; i <= n; i++)
    for (int j = 1; j <= m; j++) {
      int best = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
      if (d[i - 1][j] + 1 < best) best = d[i - 1][j] + 1;
      if (d[i][j - 1] + 1 < best) best = d[i][j - 1] + 1;
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && d[i - 2][j - 2] + 1 < best)
        best = d[i - 2][j - 2] + 1;
      d[i][j] = best;
    }
  return d[n][m];
}

const char *nearest_name(const char *word, const char *const *names) {
  const char *found = NULL;
  size_t length = strlen(word);
  int best = length < 4 ? 1 : length < 9 ? 2 : 3;
  for (; *names; names++) {
    int distance = edit_distance(word, *names);
    bool begins = length >= 3 && !strncmp(word, *names, length);
    if (begins) distance = 0;
    if (distance < best || (distance == best && !found)) {
      best = distance;
      found = *names;
    }
  }
  return found;
}

static bool takes(const command *c, const lavdm_option *option) {
  return c->takes && c->takes(option->name);
}

bool flag_names(const flag *f, const char *word) {
  size_t size = strlen(word);
  for (const char *at = f->metavar + strspn(f->metavar, "["); *at; at += strcspn(at, "|]"), at += *at != 0)
    if (strcspn(at, "|]") == size && !strncasecmp(at, word, size)) return true;
  return false;
}

/* The place of a flag by its name or, if `letter` is not 0, by its letter; -1 if there is none. */
static int find_flag(const command *c, const char *name, char letter) {
  for (int i = 0; c->flags && c->flags[i].name; i++)
    if (letter ? c->flags[i].letter == letter : name && !strcmp(c->flags[i].name, name)) return i;
  return -1;
}

/* The place of an option of the library that the command takes, or -1. */
static int find_option(const command *c, const char *name) {
  for (int i = 0; i < lavdm_option_count() && i < MAX_OPTIONS; i++) {
    char flag_name[OPTION_NAME_SIZE];
    if (takes(c, lavdm_option_at(i)) && !strcmp(option_flag(lavdm_option_at(i)->name, flag_name), name))
      return i;
  }
  return -1;
}

static int unknown_option(const command *c, const char *name, lavdm_error *error) {
  const char *names[MAX_FLAGS + MAX_OPTIONS + 2];
  char flags[MAX_OPTIONS][OPTION_NAME_SIZE];
  int count = 0;
  for (int i = 0; c->flags && c->flags[i].name; i++) names[count++] = c->flags[i].name;
  for (int i = 0; i < lavdm_option_count() && i < MAX_OPTIONS; i++)
    if (takes(c, lavdm_option_at(i))) names[count++] = option_flag(lavdm_option_at(i)->name, flags[i]);
  names[count++] = "help";
  names[count] = NULL;
  const char *near = nearest_name(name, names);
  if (near)
    return refuse(error, STATUS_USAGE, "%s has no option --%s; did you mean --%s?", c->name, name, near);
  return refuse(error, STATUS_USAGE, "%s has no option --%s", c->name, name);
}

/* One option of the library from its text. */
static int set_option(arguments *out, int index, const char *value, lavdm_error *error) {
  const lavdm_option *option = lavdm_option_at(index);
  char name[OPTION_NAME_SIZE], choices[CHOICES_SIZE];
  int row = difference(option->name);
  bool dropped = row >= 0 && !strcasecmp(value, differences[row].dropped);
  const char *instead = row >= 0 ? differences[row].instead : NULL;
  out->given[index] = true;
  if (dropped)
    return refuse(error, STATUS_USAGE, "--%s is '%s': it must be one of %s", option_flag(option->name, name),
                  value, option_choices(option, choices));
  if (instead) out->design_file = NULL;
  int status = lavdm_option_set(&out->options, option->name, value, error);
  if (status >= 0) return LAVDM_OK;
  if (instead) {
    out->design_file = value;
    return LAVDM_OK;
  }
  if (option->type == LAVDM_TYPE_CHOICE)
    return refuse(error, STATUS_USAGE, "--%s is '%s': it must be one of %s", option_flag(option->name, name),
                  value, option_choices(option, choices));
  return status;
}

/* True for what can only be a value: not an option, or a negative number. */
static bool is_value(const char *text) {
  if (text[0] != '-' || !text[1]) return true;
  char *end;
  strtod(text, &end);
  return !*end;
}

/* The words not yet read. */
typedef struct {
  int at, count;
  char **words;
} reader;

/* The value of an option: after '=', or the next word; NULL with the error set. */
static const char *option_value(reader *r, const char *shown, const char *attached, lavdm_error *error) {
  if (attached) return attached;
  if (r->at >= r->count) {
    refuse(error, STATUS_USAGE, "%s needs a value", shown);
    return NULL;
  }
  const char *next = r->words[r->at];
  if (!is_value(next)) {
    refuse(error, STATUS_USAGE, "%s needs a value, and %s is an option", shown, next);
    return NULL;
  }
  r->at++;
  return next;
}

/* "" without a value: a word that follows is the value if it is one that the flag names. */
static int optional_value(reader *r, const flag *f, const char *attached, const char **value,
                          lavdm_error *error) {
  const char *next = r->at < r->count ? r->words[r->at] : NULL;
  *value = attached ? attached : "";
  if (attached && !flag_names(f, attached))
    return refuse(error, STATUS_USAGE, "--%s is '%.40s': it must be one of %s, or have no value", f->name,
                  attached, f->metavar);
  if (!attached && next && flag_names(f, next)) *value = r->words[r->at++];
  return LAVDM_OK;
}

static int parse_long(const command *c, reader *r, const char *word, arguments *out, lavdm_error *error) {
  const char *equals = strchr(word, '=');
  char name[OPTION_NAME_SIZE], shown[OPTION_NAME_SIZE + 4], other[OPTION_NAME_SIZE];
  size_t length = equals ? (size_t)(equals - word) : strlen(word);
  if (length + 1 > sizeof name) return refuse(error, STATUS_USAGE, "%s has no option %s", c->name, word);
  memcpy(name, word, length);
  name[length] = 0;
  memcpy(shown, "--", 3);
  option_flag(name + 2, other);
  memcpy(shown + 2, other, strlen(other) + 1);

  int index = find_flag(c, other, 0);
  if (index >= 0) {
    if (!c->flags[index].metavar) {
      if (equals) return refuse(error, STATUS_USAGE, "%s takes no value", shown);
      out->flag[index] = "";
      return LAVDM_OK;
    }
    if (flag_optional(&c->flags[index]))
      return optional_value(r, &c->flags[index], equals ? equals + 1 : NULL, &out->flag[index], error);
    out->flag[index] = option_value(r, shown, equals ? equals + 1 : NULL, error);
    return out->flag[index] ? LAVDM_OK : STATUS_USAGE;
  }
  index = find_option(c, other);
  if (index < 0) return unknown_option(c, other, error);
  const char *value = option_value(r, shown, equals ? equals + 1 : NULL, error);
  return value ? set_option(out, index, value, error) : STATUS_USAGE;
}

/* -x, -xvalue, -x value; switches may share a dash. */
static int parse_short(const command *c, reader *r, const char *word, arguments *out, lavdm_error *error) {
  for (const char *at = word + 1; *at; at++) {
    int index = find_flag(c, NULL, *at);
    char shown[3] = {'-', *at, 0};
    if (index < 0) return refuse(error, STATUS_USAGE, "%s has no option %s", c->name, shown);
    if (!c->flags[index].metavar) {
      out->flag[index] = "";
      continue;
    }
    const char *rest = at[1] == '=' ? at + 2 : at + 1;
    out->flag[index] = option_value(r, shown, at[1] ? rest : NULL, error);
    return out->flag[index] ? LAVDM_OK : STATUS_USAGE;
  }
  return LAVDM_OK;
}

static bool asks_for_help(int argc, char **argv) {
  for (int i = 0; i < argc && strcmp(argv[i], "--"); i++)
    if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")) return true;
  return false;
}

int arguments_parse(const command *c, int argc, char **argv, arguments *out, lavdm_error *error) {
  out->command = c;
  lavdm_options_default(&out->options);
  out->help = asks_for_help(argc, argv);
  if (out->help) return LAVDM_OK;

  out->operand = (const char *const *)argv;
  reader r = {0, argc, argv};
  bool ended = false;
  while (r.at < argc) {
    const char *word = argv[r.at++];
    int status = LAVDM_OK;
    if (!ended && !strcmp(word, "--")) {
      ended = true;
    } else if (!ended && !strncmp(word, "--", 2)) {
      status = parse_long(c, &r, word, out, error);
    } else if (!ended && word[0] == '-' && word[1] && !is_value(word)) {
      status = parse_short(c, &r, word, out, error);
    } else {
      if (out->operands == c->most)
        return refuse(error, STATUS_USAGE, "'%s' is one word too many: lavdm %s %s", word, c->name, c->usage);
      argv[out->operands++] = argv[r.at - 1]; /* that word was read before */
    }
    if (status < 0) return status;
  }
  if (out->operands < c->least)
    return refuse(error, STATUS_USAGE, "something is missing: lavdm %s %s", c->name, c->usage);
  int status = config_apply(out, error);
  return status < 0 ? status : like_apply(out, error);
}

/* Between single quotes, each of which in it becomes '\\''; words without special characters stay. */
static size_t quoted(const char *word, char *to) {
  static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:,=+@%";
  size_t used = 0;
  if (*word && !word[strspn(word, plain)]) return (size_t)sprintf(to, "%s", word);
  to[used++] = '\'';
  for (; *word; word++) {
    if (*word == '\'') used += (size_t)sprintf(to + used, "'\\'");
    to[used++] = *word;
  }
  to[used++] = '\'';
  to[used] = 0;
  return used;
}

char *arguments_line(const command *c, int argc, char *const *argv) {
  size_t size = strlen(c->name) + 8, used;
  for (int i = 0; i < argc; i++) size += 4 * strlen(argv[i]) + 4;
  char *line = malloc(size);
  if (!line) return NULL;
  used = (size_t)sprintf(line, "lavdm %s", c->name);
  for (int i = 0; i < argc; i++) {
    line[used++] = ' ';
    used += quoted(argv[i], line + used);
  }
  return line;
}

void arguments_free(arguments *a) {
  for (int i = 0; i < a->texts; i++) free(a->text[i]);
  free(a->line);
  a->line = NULL;
  a->texts = 0;
}

bool arguments_has(const arguments *a, const char *name) {
  char dashed[OPTION_NAME_SIZE];
  option_flag(name, dashed);
  return find_flag(a->command, dashed, 0) >= 0 || find_option(a->command, dashed) >= 0;
}

/* A switch of a file: true or false; NULL for any other word. */
static const char *switch_value(const char *value) {
  static const char *const on[] = {"true", "yes", "on"}, *const off[] = {"false", "no", "off"};
  for (int i = 0; i < 3; i++) {
    if (!strcasecmp(value, on[i])) return on[0];
    if (!strcasecmp(value, off[i])) return off[0];
  }
  return NULL;
}

int arguments_offer(arguments *a, const char *name, const char *value, lavdm_error *error) {
  char dashed[OPTION_NAME_SIZE];
  int index = find_flag(a->command, option_flag(name, dashed), 0);
  if (index < 0) {
    index = find_option(a->command, dashed);
    if (index < 0) return unknown_option(a->command, dashed, error);
    if (a->given[index]) return 0;
    int status = set_option(a, index, value, error);
    return status < 0 ? status : 1;
  }
  const flag *f = &a->command->flags[index];
  if (a->flag[index]) return 0;
  if (f->metavar && (!flag_optional(f) || flag_names(f, value))) {
    a->flag[index] = value;
    return 1;
  }
  const char *wanted = switch_value(value);
  if (!wanted)
    return refuse(error, STATUS_USAGE, "--%s is '%.40s': it must be true or false%s%s", dashed, value,
                  f->metavar ? ", or one of " : "", f->metavar ? f->metavar : "");
  if (!strcmp(wanted, "true")) a->flag[index] = "";
  return 1;
}

bool arguments_takes(const arguments *a, const char *name) {
  return find_flag(a->command, name, 0) >= 0;
}

const char *arguments_value(const arguments *a, const char *name) {
  int index = find_flag(a->command, name, 0);
  return index >= 0 ? a->flag[index] : NULL;
}

bool arguments_given(const arguments *a, const char *option) {
  for (int i = 0; i < lavdm_option_count() && i < MAX_OPTIONS; i++)
    if (!strcmp(lavdm_option_at(i)->name, option)) return a->given[i];
  return false;
}
