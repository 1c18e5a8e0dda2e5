/*
 * The whole command: lines are its words, run in a folder of its own that has small
 * files of every kind. It ends with 0 to 3, with a sentence where it fails and with
 * JSON that can be read where that was asked for; gnuplot draws nothing (in_gnuplot.c).
 */
#define _GNU_SOURCE
#include "fuzz.h"
#include "in_command.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WORDS = 24, LARGEST = 250 };

int command_main(int argc, char **argv);

/* No word leads out of the folder, and no number asks for hours. */
static bool harmless(const char *word) {
  if (strchr(word, '/') || strlen(word) > 200) return false;
  for (const char *c = word; *c; c++) {
    char *end;
    bool start = c == word || !strchr("0123456789.eE", c[-1]);
    if (!start || *c < '0' || *c > '9') continue;
    double x = strtod(c, &end);
    if (x > LARGEST || (*end && strchr("kKmMgGtT", *end))) return false;
  }
  return true;
}

static void check_sentence(const char *said) {
  for (const char *c = said; *c; c++)
    PROMISE(*c == '\n' || ((unsigned char)*c >= ' ' && *c != 127), "what is said can be printed");
}

static void run(int argc, char **argv) {
  bool json = false;
  for (int i = 1; i < argc; i++) json |= !strcmp(argv[i], "--json");
  command_begin();
  int code = command_main(argc, argv);
  const char *said, *printed = command_end(&said);
  PROMISE(code >= 0 && code <= 3, "an exit code is 0 to 3");
  PROMISE(!code || strstr(said, "lavdm: "), "a failure has a sentence");
  PROMISE(code || (strncmp(said, "lavdm: error: ", 14) && !strstr(said, "\nlavdm: error: ")),
          "what is done is no failure");
  PROMISE(strcmp(said, "lavdm: error: something went wrong, and nothing said what\n"),
          "a failure has a reason");
  check_sentence(said);
  if (code || !json || *printed != '{') return;
  json_t *value = json_loads(printed, 0, NULL);
  PROMISE(value, "JSON can be read");
  json_decref(value);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static char text[4096], *words[WORDS + 2];
  if (size >= sizeof text || memchr(data, 0, size)) return 0;
  memcpy(text, data, size);
  text[size] = 0;
  int count = 0;
  words[count++] = (char *)(uintptr_t) "lavdm";
  for (char *word = text, *next; word && count <= WORDS; word = next) {
    if ((next = strchr(word, '\n'))) *next++ = 0;
    if (!harmless(word)) return 0;
    words[count++] = word;
  }
  words[count] = NULL;
  run(count, words);
  return 0;
}
