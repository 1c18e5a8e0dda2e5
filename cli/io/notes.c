#include "io/io.h"
#include "io/sentence.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MOST_NOTES = 16 };

static char notes[MOST_NOTES][LAVDM_MESSAGE_SIZE];
static int kept;

void io_note(const char *label, const char *format, ...) {
  lavdm_error sentence = {0};
  char text[LAVDM_MESSAGE_SIZE];
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  (void)io_fail(&sentence, LAVDM_OK, label, "%s", text);
  for (int i = 0; i < kept; i++)
    if (!strcmp(notes[i], sentence.message)) return;
  if (kept < MOST_NOTES) memcpy(notes[kept++], sentence.message, sizeof *notes);
}

const char *io_note_at(int i) {
  return i >= 0 && i < kept ? notes[i] : NULL;
}

void io_notes_clear(void) {
  kept = 0;
}
