/* Options from text, lines of name=value, and back to the same text. */
#include "fuzz.h"
#include "base/options.h"

#include <stdlib.h>
#include <string.h>

enum { LINES = 64 };

/* What an option prints reads back to what prints the same. */
static void check_text(const lavdm_options *options, const char *const *name, int count) {
  lavdm_options copy;
  lavdm_error error = {0};
  lavdm_options_default(&copy);
  for (int i = 0; i < count; i++) {
    char text[64], again[64];
    PROMISE(lavdm_option_text(options, name[i], text, sizeof text) >= 0, "an option has a text");
    PROMISE(lavdm_option_set(&copy, name[i], text, &error) >= 0, "the text of an option is accepted");
    lavdm_option_text(&copy, name[i], again, sizeof again);
    PROMISE(strcmp(text, again) == 0, "the text of an option means the same");
  }
  PROMISE(memcmp(options, &copy, sizeof copy) == 0, "options are what their texts say");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static lavdm_options options;
  const char *set[LINES]; /* the options that took a value */
  int count = 0;
  lavdm_error error = {0};
  lavdm_options_default(&options);
  char *text = malloc(size + 1), *next;
  if (!text) return 0;
  memcpy(text, data, size);
  text[size] = 0;
  for (char *line = text; line && count < LINES; line = next) {
    if ((next = strchr(line, '\n'))) *next++ = 0;
    char *value = strchr(line, '=');
    if (value) *value++ = 0;
    int status = lavdm_option_set(&options, line, value, &error);
    PROMISE(status >= 0 || error.message[0], "an error has a sentence");
    if (status >= 0) set[count++] = lavdm_option_find(line)->name;
  }
  PROMISE(options_check(&options, &error) >= 0, "what is accepted is within its bounds");
  check_text(&options, set, count);
  free(text);
  return 0;
}
