/* Options by name: those of the library's table, and those that a function has besides. */
#include "bridge.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

enum { NAME_SIZE = 64 };

/* How many letters are to be changed, put in or left out to make b of a. */
static int edits(const char *a, const char *b) {
  int row[NAME_SIZE + 1], columns = (int)strlen(b);
  for (int j = 0; j <= columns; j++) row[j] = j;
  for (int i = 1; a[i - 1]; i++) {
    int corner = row[0];
    row[0] = i;
    for (int j = 1; j <= columns; j++) {
      int changed = corner + (a[i - 1] != b[j - 1]);
      int other = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;
      corner = row[j];
      row[j] = changed < other ? changed : other;
    }
  }
  return row[columns];
}

static void consider(const char *name, const char *candidate, int *least, char best[NAME_SIZE]) {
  int distance = edits(name, candidate);
  if (distance >= *least) return;
  *least = distance;
  snprintf(best, NAME_SIZE, "%s", candidate);
}

static void unknown(const char *name, const char *own) {
  char best[NAME_SIZE] = "", word[NAME_SIZE];
  int least = 3; /* letters, and more would be another word */
  for (int i = 0; i < lavdm_option_count(); i++) consider(name, lavdm_option_at(i)->name, &least, best);
  for (const char *at = own; *at; at += strspn(at, "|")) {
    size_t length = strcspn(at, "|");
    snprintf(word, sizeof word, "%.*s", (int)length, at);
    consider(name, word, &least, best);
    at += length;
  }
  if (*best) trouble(LAVDM_ERROR_ARGUMENT, "there is no option '%s': did you mean '%s'?", name, best);
  trouble(LAVDM_ERROR_ARGUMENT, "there is no option '%s': the help text and docs/options.md list them", name);
}

static void set_one(const char *given, const mxArray *value, const char *own, setting_function set,
                    void *user) {
  char name[NAME_SIZE];
  snprintf(name, sizeof name, "%.*s", NAME_SIZE - 1, given);
  for (char *c = name; *c; c++) *c = (char)tolower((unsigned char)*c);
  if (!set(user, name, value)) unknown(name, own);
}

void settings_each(int count, const mxArray *arguments[], const char *own, setting_function set, void *user) {
  for (int i = 0; i < count; i++) {
    const mxArray *a = arguments[i];
    if (mxIsStruct(a)) {
      if (take_count(a) != 1)
        trouble(LAVDM_ERROR_ARGUMENT, "a struct of options must be 1 x 1, and has %" PRId64 " elements",
                take_count(a));
      for (int k = 0; k < mxGetNumberOfFields(a); k++)
        set_one(mxGetFieldNameByNumber(a, k), mxGetFieldByNumber(a, 0, k), own, set, user);
      continue;
    }
    if (!mxIsChar(a))
      trouble(LAVDM_ERROR_ARGUMENT,
              "options are pairs 'name', value, and where a name should be is an array of class %.40s",
              mxGetClassName(a));
    const char *name = take_text(a, "the name of an option");
    if (++i == count) trouble(LAVDM_ERROR_ARGUMENT, "the option '%.60s' has no value", name);
    set_one(name, arguments[i], own, set, user);
  }
}

/* The value as text that lavdm_option_set reads to the same number. */
static void as_text(const lavdm_option *option, const mxArray *value, char *text, size_t size) {
  if (mxIsChar(value)) {
    snprintf(text, size, "%s", take_text(value, option->name));
    return;
  }
  double x = take_number(value, option->name);
  if (option->type == LAVDM_TYPE_CHOICE && mxIsLogical(value))
    snprintf(text, size, "%s", x != 0 ? "yes" : "no");
  else if (mxGetClassID(value) == mxINT64_CLASS || mxGetClassID(value) == mxUINT64_CLASS)
    snprintf(text, size, "%" PRId64, *(const int64_t *)mxGetData(value));
  else
    snprintf(text, size, "%.17g", x);
}

bool settings_option(lavdm_options *options, const char *name, const mxArray *value) {
  const lavdm_option *option = lavdm_option_find(name);
  char text[128];
  lavdm_error error;
  if (!option) return false;
  as_text(option, value, text, sizeof text);
  check(lavdm_option_set(options, name, text, &error), &error);
  return true;
}
