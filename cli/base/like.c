/*
 * --like FILE: the options of an earlier run, from its result (.npz, .h5, .mat) or from what
 * --json printed. They are taken as they were used there, so that what was chosen automatically
 * is now fixed, unless the method or bundle is another. --like-given takes only those that were
 * given there.
 */
#include "base/config.h"
#include "base/command.h"
#include "io/formats.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef struct {
  char *options; /* lines `name = value`, owned */
  char *given;   /* names between blanks, owned; or NULL */
} like_file;

static int fail_none(const char *path, lavdm_error *error) {
  return io_fail(
      error, LAVDM_ERROR_DATA, path,
      "holds no options of a run; give a result of lavdm embed (.npz, .h5, .mat) of version 0.2.0 or later, "
      "or what its --json printed");
}

/* ---------------------------------------------------------------- files */

/* Room for one more word and `more` bytes around it. */
static bool append(char **text, size_t *used, const char *a, const char *between, const char *b,
                   const char *end) {
  size_t need = *used + strlen(a) + strlen(between) + strlen(b) + strlen(end) + 1;
  char *grown = realloc(*text, need);
  if (!grown) return false;
  *text = grown;
  *used += (size_t)snprintf(grown + *used, need - *used, "%s%s%s%s", a, between, b, end);
  return true;
}

static int read_json(const char *path, like_file *f, lavdm_error *error) {
  char *text;
  int64_t length;
  int status = file_load(path, &text, &length, error);
  if (status < 0) return status;
  json_t *root = json_loadb(text, (size_t)length, 0, NULL), *value;
  const json_t *options = json_object_get(root, "options"), *given = json_object_get(root, "given");
  const char *name;
  size_t used = 0, words = 0, i;
  bool failed = false;
  free(text);
  json_object_foreach((json_t *)options, name, value) if (json_is_string(value)) failed |=
      !append(&f->options, &used, name, " = \"", json_string_value(value), "\"\n");
  json_array_foreach(given, i, value) if (json_is_string(value)) failed |=
      !append(&f->given, &words, json_string_value(value), " ", "", "");
  json_decref(root);
  if (failed) return refuse(error, LAVDM_ERROR_MEMORY, "out of memory for the options of %.200s", path);
  return f->options ? LAVDM_OK : fail_none(path, error);
}

static int read_file(const char *path, like_file *f, lavdm_error *error) {
  const char *end = strrchr(path, '.');
  if (end && !strcasecmp(end, ".json")) return read_json(path, f, error);
  int status = io_read_text(path, "options", &f->options, error);
  if (status >= 0 && f->options) status = io_read_text(path, "given", &f->given, error);
  return status < 0 ? status : f->options ? LAVDM_OK : fail_none(path, error);
}

/* --------------------------------------------------------------- options */

static bool listed(const char *words, const char *name) {
  size_t length = strlen(name);
  for (const char *at = words; at && (at = strstr(at, name)); at += length)
    if ((at == words || at[-1] == ' ') && (!at[length] || at[length] == ' ')) return true;
  return false;
}

static void add_word(char *text, size_t size, const char *word) {
  size_t used = strlen(text);
  snprintf(text + used, size - used, "%s%s", used ? ", " : "", word);
}

/* Whether the command line names another method or bundle, for which nothing was chosen there. 1, 0 or an
 * error. */
static int is_other(const arguments *a, const char *path, const like_file *f, lavdm_error *error) {
  size_t size = strlen(f->options) + 1;
  char *copy = malloc(size), *at = copy, now[64];
  setting s = {.section = ""};
  int status = LAVDM_OK, other = 0;
  if (!copy) return refuse(error, LAVDM_ERROR_MEMORY, "out of memory for the options of %.200s", path);
  memcpy(copy, f->options, size);
  while (!other && (status = setting_next(path, &at, &s, error)) > 0)
    other = (!strcmp(s.key, "method") || !strcmp(s.key, "bundle")) && arguments_given(a, s.key) &&
            lavdm_option_text(&a->options, s.key, now, sizeof now) >= 0 && strcmp(now, s.value);
  free(copy);
  return status < 0 ? status : other;
}

static int apply(arguments *a, const char *path, like_file *f, bool only_given, lavdm_error *error) {
  char given[200] = "", chosen[250] = "", *at = f->options;
  setting s = {.section = ""};
  int status = is_other(a, path, f, error);
  bool other = status > 0;
  only_given |= other;
  while (status >= 0 && (status = setting_next(path, &at, &s, error)) > 0) {
    bool was_given = listed(f->given, s.key);
    if (!strcmp(s.value, "auto") || (only_given && !was_given)) continue;
    const lavdm_option *option = lavdm_option_find(s.key);
    if (!option) /* of the command, as --output is: a file of others says nothing of files here */
      return io_fail(error, LAVDM_ERROR_DATA, path, "there is no option --%.40s to be taken from another run",
                     s.key);
    if (!strcmp(s.value, option->initial)) continue;
    if (!arguments_has(a, s.key)) continue; /* not of this command */
    if (!strcmp(s.key, "design") && !strcmp(s.value, "given")) {
      if (arguments_given(a, "design")) continue;
      return io_fail(error, LAVDM_ERROR_ARGUMENT, path,
                     "its landmarks came from a file of their own; name that again: --design FILE");
    }
    status = arguments_offer(a, s.key, s.value, error);
    if (status < 0) {
      prefix_error(error, path);
      return status;
    }
    if (status > 0) add_word(was_given ? given : chosen, was_given ? sizeof given : sizeof chosen, s.key);
  }
  if (status >= 0)
    io_note(path, "taken from it, given there: %s; chosen there: %s", *given ? given : "none",
            other        ? "left to be chosen again, as the method or bundle is another"
            : only_given ? "left to be chosen again"
            : *chosen    ? chosen
                         : "none");
  return status;
}

int like_apply(arguments *a, lavdm_error *error) {
  const char *used = arguments_value(a, "like"), *given = arguments_value(a, "like-given");
  const char *path = used ? used : given;
  like_file f = {0};
  if (used && given) return refuse(error, STATUS_USAGE, "--like and --like-given are two ways: give one");
  if (!path) return LAVDM_OK;
  int status = read_file(path, &f, error);
  if (status >= 0) status = apply(a, path, &f, given != NULL, error);
  free(f.given);
  if (f.options) a->text[a->texts++] = f.options; /* values point into it */
  return io_settled(status, error);
}
