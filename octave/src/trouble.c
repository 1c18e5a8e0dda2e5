/* Errors, what is to be freed with them, and how a run is watched and stopped. */
#include "bridge.h"

#ifdef HAVE_OCTAVE
#include <octave/quit.h>
#endif
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

held_t held;

/* Memory and, before it, the memory that was asked for before. */
typedef struct piece {
  struct piece *before;
  _Alignas(16) char memory[];
} piece_t;

void *scratch(int64_t count, size_t size) {
  size_t wanted = count > 0 ? (size_t)count : 1;
  piece_t *piece = wanted < SIZE_MAX / 2 / size ? calloc(1, sizeof *piece + wanted * size) : NULL;
  if (!piece) trouble(LAVDM_ERROR_MEMORY, "out of memory for %.3g numbers", (double)count);
  piece->before = held.scratch;
  held.scratch = piece;
  return piece->memory;
}

void scratch_drop(void) {
  piece_t *piece = held.scratch;
  held.scratch = piece->before;
  free(piece);
}

void held_release(void) {
  while (held.scratch) scratch_drop();
  lavdm_free(held.extension);
  lavdm_free(held.model);
  lavdm_sync_free(held.sync);
  if (held.stream) fclose(held.stream);
  if (held.file) unlink(held.file);
  free(held.file);
  held = (held_t){0};
}

static const char *identifier(int status) {
  switch (status) {
  case LAVDM_ERROR_DATA:
    return "lavdm:data";
  case LAVDM_ERROR_MEMORY:
    return "lavdm:memory";
  case LAVDM_ERROR_INTERRUPTED:
    return "lavdm:interrupted";
  case LAVDM_ERROR_NUMERICS:
    return "lavdm:numerics";
  case LAVDM_ERROR_FILE:
    return "lavdm:file";
  default:
    return "lavdm:argument";
  }
}

void trouble(int status, const char *format, ...) {
  static char message[2 * LAVDM_MESSAGE_SIZE]; /* nothing on a stack that is jumped out of */
  va_list list;
  va_start(list, format);
  vsnprintf(message, sizeof message, format, list);
  va_end(list);
  held_release();
  mexErrMsgIdAndTxt(identifier(status), "%s", message);
  abort(); /* not reached */
}

void check(int status, const lavdm_error *error) {
  if (status < 0) trouble(status, "%s", error->message);
}

/* Ctrl-C, which Octave notes here. MATLAB has no public way to ask. */
static bool interrupted(void) {
#ifdef HAVE_OCTAVE
  return octave_interrupt_state > 0;
#else
  return false;
#endif
}

/* At once, where the caller would see it after the run only: Octave collects its output. */
static void show(const char *stage) {
#ifdef HAVE_OCTAVE
  fprintf(stderr, "lavdm: %s\n", stage);
#else
  mexPrintf("lavdm: %s\n", stage);
  mexEvalString("drawnow('nocallbacks')");
#endif
}

int watch(const char *stage, double fraction, void *user) {
  watch_t *w = user;
  (void)fraction;
  if (w->show && stage && strncmp(stage, w->stage, sizeof w->stage - 1)) {
    snprintf(w->stage, sizeof w->stage, "%s", stage);
    show(stage);
  }
  return interrupted();
}
