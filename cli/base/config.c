/*
 * --config FILE. Lines before a section are for any command; those under [embed] for embed alone, and win
 * there.
 */
#include "base/config.h"
#include "base/command.h"
#include "io/formats.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_KEYS = 128, MOST_BYTES = 1 << 20 };

static int fail_line(const char *path, int line, lavdm_error *error, const char *what) {
  return io_fail(error, LAVDM_ERROR_ARGUMENT, path, "line %d: %s", line, what);
}

static bool blank(char c) {
  return c == ' ' || c == '\t';
}

/* ---------------------------------------------------------------- lines */

/* The line at *at, ended by a zero; NULL after the last. */
static char *next_line(char **at) {
  char *line = *at;
  if (!*line) return NULL;
  size_t length = strcspn(line, "\r\n");
  *at = line + length + (line[length] == '\r' && line[length + 1] == '\n') + (line[length] != 0);
  line[length] = 0;
  while (blank(*line)) line++;
  return line;
}

/* Only blanks and a comment may follow. */
static bool ends(const char *at) {
  while (blank(*at)) at++;
  return !*at || *at == '#';
}

/* The value at `at`, in place; NULL if its quotes do not end, or more follows. */
static char *take_value(char *at) {
  char quote = *at == '"' || *at == '\'' ? *at : 0, *start = at + (quote != 0), *to = start;
  if (!quote) {
    size_t length = strcspn(at, "#");
    while (length && blank(at[length - 1])) length--;
    at[length] = 0;
    return at;
  }
  for (at = start; *at && *at != quote; *to++ = *at++)
    if (quote == '"' && *at == '\\' && (at[1] == '"' || at[1] == '\\')) at++;
  if (*at != quote || !ends(at + 1)) return NULL;
  *to = 0;
  return start;
}

static int take_section(const char *path, char *line, setting *out, lavdm_error *error) {
  char *end = strchr(line, ']');
  if (!end || !ends(end + 1))
    return fail_line(path, out->line, error, "a section is [embed], alone on its line");
  *end = 0;
  if (!command_find(line + 1))
    return io_fail(error, LAVDM_ERROR_ARGUMENT, path,
                   "line %d: [%.40s] is no command; a section is for one, as [embed] is", out->line,
                   line + 1);
  out->section = line + 1;
  return LAVDM_OK;
}

int setting_next(const char *path, char **at, setting *out, lavdm_error *error) {
  for (char *line; (line = next_line(at));) {
    out->line++;
    if (ends(line)) continue;
    if (*line == '[') {
      int status = take_section(path, line, out, error);
      if (status < 0) return status;
      continue;
    }
    size_t length = strcspn(line, " \t=#");
    char *equals = line + length + strspn(line + length, " \t");
    if (!length || *equals != '=') return fail_line(path, out->line, error, "a line is 'name = value'");
    char *value = equals + 1 + strspn(equals + 1, " \t");
    line[length] = 0;
    out->key = line;
    out->value = take_value(value);
    if (!out->value)
      return fail_line(path, out->line, error, "the quotes of a value do not end where it does");
    if (!*out->value && *value != '"' && *value != '\'')
      return fail_line(path, out->line, error, "there is no value behind '='");
    return 1;
  }
  return 0;
}

/* ----------------------------------------------------------- --config */

/* A name that this command has not, but another has. */
static const char *other_command(const arguments *a, const char *key) {
  for (int i = 0; command_at(i); i++) {
    const arguments other = {.command = command_at(i)};
    if (command_at(i) != a->command && arguments_has(&other, key)) return command_at(i)->name;
  }
  return NULL;
}

static int offer(arguments *a, const char *path, const setting *s, lavdm_error *error) {
  if (!strcmp(s->key, "config") || !strncmp(s->key, "like", 4))
    return fail_line(path, s->line, error, "a file of options names no other file of options");
  const char *other = arguments_has(a, s->key) ? NULL : other_command(a, s->key);
  if (other)
    return io_fail(error, LAVDM_ERROR_ARGUMENT, path,
                   "line %d: %s has no option '%.40s'; below a line [%s] it is for %s alone", s->line,
                   a->command->name, s->key, other, other);
  int status = arguments_offer(a, s->key, s->value, error);
  if (status >= 0) return LAVDM_OK;
  char message[LAVDM_MESSAGE_SIZE];
  memcpy(message, error->message, sizeof message);
  return io_fail(error, LAVDM_ERROR_ARGUMENT, path, "line %d: %s", s->line, message);
}

/* The lines of one section, "" for those before any. */
static int apply_section(arguments *a, const char *path, const char *text, const char *section,
                         lavdm_error *error) {
  const char *seen[MOST_KEYS];
  int count = 0, status, offered = 0;
  setting s = {.section = ""};
  char *copy = malloc(strlen(text) + 1), *at = copy;
  if (!copy) return refuse(error, LAVDM_ERROR_MEMORY, "out of memory for %.200s", path);
  memcpy(copy, text, strlen(text) + 1);
  a->text[a->texts++] = copy;
  while ((status = setting_next(path, &at, &s, error)) > 0 && offered >= 0) {
    if (strcmp(s.section, section)) continue;
    for (int i = 0; i < count; i++)
      if (!strcmp(seen[i], s.key)) return fail_line(path, s.line, error, "this name was set before");
    if (count == MOST_KEYS) return fail_line(path, s.line, error, "there are too many lines");
    seen[count++] = s.key;
    offered = offer(a, path, &s, error);
  }
  return offered < 0 ? offered : status;
}

int config_apply(arguments *a, lavdm_error *error) {
  const char *path = arguments_value(a, "config");
  char *text;
  int64_t length;
  if (!path) return LAVDM_OK;
  if (io_stamp_of(path).size > MOST_BYTES)
    return io_fail(error, LAVDM_ERROR_ARGUMENT, path,
                   "is too long for options: lines 'name = value' of 1 MiB at most are read");
  int status = file_load(path, &text, &length, error);
  if (status < 0) return io_settled(status, error);
  const char *start = length >= 3 && !memcmp(text, "\xEF\xBB\xBF", 3) ? text + 3 : text;
  if (strlen(text) != (size_t)length)
    status = io_fail(error, LAVDM_ERROR_ARGUMENT, path, "is no text: lines 'name = value' are needed");
  if (status >= 0) status = apply_section(a, path, start, a->command->name, error);
  if (status >= 0) status = apply_section(a, path, start, "", error);
  free(text);
  return status;
}
