/* A model as the bytes of its file, so that it can be kept, copied and saved as any other array. */
#define _POSIX_C_SOURCE 200809L
#include "bridge.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* An empty temporary file, which held_release removes. */
static int new_file(void) {
  const char *folder = getenv("TMPDIR"), name[] = "/lavdm-XXXXXX";
  if (!folder || !*folder) folder = "/tmp";
  held.file = malloc(strlen(folder) + sizeof name);
  if (!held.file) trouble(LAVDM_ERROR_MEMORY, "out of memory for the name of a file");
  strcpy(held.file, folder);
  strcat(held.file, name);
  int file = mkstemp(held.file);
  if (file >= 0) return file;
  int reason = errno;
  free(held.file);
  held.file = NULL;
  trouble(LAVDM_ERROR_FILE,
          "a temporary file cannot be made in %.200s (%s): set TMPDIR to a folder that can be written",
          folder, strerror(reason));
}

static void remove_file(void) {
  unlink(held.file);
  free(held.file);
  held.file = NULL;
}

mxArray *model_bytes(const lavdm_model *model, bool compact) {
  lavdm_error error;
  close(new_file());
  check(lavdm_save(model, held.file, compact, &error), &error);
  held.stream = fopen(held.file, "rb");
  remove_file(); /* it lives until it is closed */
  long size = held.stream && !fseek(held.stream, 0, SEEK_END) ? ftell(held.stream) : -1;
  if (size < 0) trouble(LAVDM_ERROR_FILE, "the model cannot be read back from its temporary file");
  rewind(held.stream);
  mxArray *out = mxCreateNumericMatrix((mwSize)size, 1, mxUINT8_CLASS, mxREAL);
  if (fread(mxGetData(out), 1, (size_t)size, held.stream) != (size_t)size)
    trouble(LAVDM_ERROR_FILE, "the model cannot be read back from its temporary file");
  fclose(held.stream);
  held.stream = NULL;
  return out;
}

static void load(const char *path) {
  lavdm_error error;
  check(lavdm_load(path, &held.model, &error), &error);
}

const lavdm_model *model_open(const mxArray *a) {
  if (mxIsChar(a)) {
    load(take_text(a, "the name of the model's file"));
    return held.model;
  }
  if (mxIsStruct(a) && take_count(a) == 1) a = mxGetField(a, 0, "model");
  if (!a || mxGetClassID(a) != mxUINT8_CLASS || take_count(a) < 1)
    trouble(LAVDM_ERROR_ARGUMENT,
            "there is no model: give what lavdm_embed returned (with 'model', true), or the name "
            "of a file");
  size_t size = (size_t)take_count(a);
  const char *bytes = mxGetData(a);
  int file = new_file();
  while (size > 0) {
    ssize_t put = write(file, bytes, size);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) break;
    bytes += put, size -= (size_t)put;
  }
  int reason = errno;
  close(file);
  if (size > 0)
    trouble(LAVDM_ERROR_FILE, "the model cannot be written to %.200s: %s", held.file, strerror(reason));
  load(held.file);
  remove_file(); /* it stays mapped */
  return held.model;
}
