/* Command lines: the first byte chooses the subcommand, lines are its words. */
#include "fuzz.h"
#include "base/options.h"
#include "base/command.h"

#include <stdlib.h>
#include <string.h>

enum { WORDS = 32 };

static void parse(const command *c, int count, char **words) {
  arguments a = {.program = "lavdm"};
  lavdm_error error = {0};
  int status = arguments_parse(c, count, words, &a, &error);
  PROMISE(status >= 0 || error.message[0], "an error has a sentence");
  if (status < 0 || a.help) {
    arguments_free(&a);
    return;
  }
  PROMISE(a.operands >= c->least && a.operands <= c->most, "operands are as many as there may be");
  for (int i = 0; i < a.operands; i++) PROMISE(strlen(a.operand[i]) < 1 << 20, "an operand is a word");
  PROMISE(options_check(&a.options, &error) >= 0, "what is accepted is within its bounds");
  for (int i = 0; c->flags && c->flags[i].name; i++) {
    const char *value = arguments_value(&a, c->flags[i].name);
    PROMISE(!value || c->flags[i].metavar || !*value, "a switch has no value");
  }
  arguments_free(&a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  int commands = 0, count = 0;
  char *words[WORDS], *next;
  while (command_at(commands)) commands++;
  if (size < 1) return 0;
  char *text = malloc(size);
  if (!text) return 0;
  memcpy(text, data + 1, size - 1);
  text[size - 1] = 0;
  for (char *word = text; word && count < WORDS; word = next) {
    if ((next = strchr(word, '\n'))) *next++ = 0;
    words[count++] = word;
  }
  parse(command_at(data[0] % commands), size > 1 ? count : 0, words);
  free(text);
  return 0;
}
