#include "checkpoint/checkpoint.h"

#include "base/memory.h"
#include "file/atomic.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { COPIED = 16 << 20 }; /* bytes at a time */

static const char *const NAMES[STAGES] = {"nothing", "landmarks", "frames",   "graph",
                                          "degrees", "operator",  "spectrum", "eigenvectors"};

/* What else takes time in a run. */
static const char *const OTHERS[] = {"check",     "pca",        "order", "expansion",
                                     "bandwidth", "checkpoint", "resume"};

const char *checkpoint_name(checkpoint_stage stage) {
  return NAMES[stage];
}

static bool same(const char *name, const char *text, size_t length) {
  return strlen(name) == length && !strncmp(name, text, length);
}

const char *checkpoint_literal(const char *name, size_t length) {
  for (int s = 0; s < STAGES; s++)
    if (same(NAMES[s], name, length)) return NAMES[s];
  for (size_t s = 0; s < sizeof OTHERS / sizeof *OTHERS; s++)
    if (same(OTHERS[s], name, length)) return OTHERS[s];
  return NULL;
}

/* Hours of work may lie before the first save: is there a folder that takes it? */
static int check_folder(run_t *run, const char *path) {
  char folder[4096];
  const char *slash = strrchr(path, '/');
  size_t length = slash ? (size_t)(slash - path) + 1 : 0;
  if (!*path || length + 2 > sizeof folder)
    return fail(run->error, LAVDM_ERROR_ARGUMENT, "the checkpoint has no name, or too long a one");
  memcpy(folder, path, length);
  memcpy(folder + length, ".", 2);
  if (!access(folder, W_OK | X_OK)) return LAVDM_OK;
  return fail(run->error, LAVDM_ERROR_FILE, "the checkpoint %.200s cannot be written: %s", path,
              strerror(errno));
}

static const char *text_item(const checkpoint_t *c, const char *name) {
  const store_item *item = store_find(c->store, name);
  return item && item->type == STORE_TEXT ? item->data : NULL;
}

/* What is there is not a checkpoint, or no longer one; it may be dear to someone. */
static int explain(run_t *run, int status) {
  if (!run->error) return status;
  char *message = run->error->message;
  size_t used = strlen(message);
  snprintf(message + used, sizeof run->error->message - used,
           " (it was to be a checkpoint, and is left as it is: remove it, or give another name)");
  return status;
}

static int read_file(run_t *run, checkpoint_t *c) {
  int64_t memory = run->options.max_memory > 0 ? run->options.max_memory : mem_available();
  int status = store_open_within(c->path, memory / 8, &c->store, run->error);
  if (status == LAVDM_ERROR_FILE) return explain(run, status);
  if (status < 0) return status;
  const char *kind = text_item(c, "kind"), *stage = text_item(c, "stage"), *identity = text_item(c, "run");
  if (!kind || strcmp(kind, "lavdm checkpoint"))
    return fail(run->error, LAVDM_ERROR_FILE,
                "%.200s is not a checkpoint, and is left as it is: give another name", c->path);
  for (int s = STAGE_LANDMARKS; stage && s < STAGES; s++)
    if (!strcmp(stage, NAMES[s])) c->saved = (checkpoint_stage)s;
  if (!identity || c->saved == STAGE_NONE) return checkpoint_unfit(run, c);
  return identity_compare(identity, c->identity, c->path, run->error);
}

int checkpoint_open(run_t *run, const lavdm_data *data, const char *path, checkpoint_t *out) {
  struct stat there;
  memset(out, 0, sizeof *out);
  out->path = path;
  int status = check_folder(run, path);
  if (!status) status = identity_of(run, data, out->identity);
  if (status < 0) return status;
  if (!lstat(path, &there)) {
    status = read_file(run, out);
    if (!status) atomic_clean(path);
    return status;
  }
  if (errno == ENOENT) return LAVDM_OK;
  return fail(run->error, LAVDM_ERROR_FILE, "the checkpoint %.200s cannot be read: %s", path,
              strerror(errno));
}

void checkpoint_close(checkpoint_t *checkpoint) {
  store_close(checkpoint->store);
  checkpoint->store = NULL;
}

/* ------------------------------------------------------------------- items */

static int64_t entries(const store_item *item) {
  int64_t count = 1;
  for (int a = 0; a < item->rank; a++) count *= item->shape[a];
  return count;
}

static size_t size_of(store_type type) {
  return type == STORE_SINGLE ? sizeof(float) : sizeof(double);
}

const void *checkpoint_find(const checkpoint_t *checkpoint, const char *name, store_type type,
                            int64_t count) {
  const store_item *item = checkpoint->store ? store_find(checkpoint->store, name) : NULL;
  return item && item->type == type && entries(item) == count ? item->data : NULL;
}

int checkpoint_unfit(run_t *run, const checkpoint_t *checkpoint) {
  return fail(run->error, LAVDM_ERROR_FILE,
              "the checkpoint %.200s lacks a part of the run: remove it to start anew", checkpoint->path);
}

void checkpoint_trim(const checkpoint_t *checkpoint) {
  if (checkpoint->store) store_let_go(checkpoint->store);
}

int checkpoint_copy(run_t *run, const checkpoint_t *checkpoint, const char *name, store_type type,
                    int64_t count, void *to) {

  size_t bytes = (size_t)count * size_of(type);
  const char *from = checkpoint_find(checkpoint, name, type, count);
  if (!from) return count ? checkpoint_unfit(run, checkpoint) : LAVDM_OK;
  for (size_t at = 0; at < bytes; at += COPIED) {
    size_t part = bytes - at < COPIED ? bytes - at : COPIED;
    memcpy((char *)to + at, from + at, part);
    if (!run->large.files) continue;
    store_let_go(checkpoint->store);
    large_trim_all(&run->large);
  }
  return LAVDM_OK;
}

int checkpoint_range(run_t *run, const checkpoint_t *checkpoint, const int64_t *index, int64_t count,
                     int64_t low, int64_t high) {
  for (int64_t i = 0; i < count; i++)
    if (index[i] < low || index[i] > high) return checkpoint_unfit(run, checkpoint);
  return LAVDM_OK;
}

int64_t checkpoint_whole(const checkpoint_t *checkpoint, const char *name, int64_t otherwise) {
  int64_t value = otherwise;
  const void *found = checkpoint_find(checkpoint, name, STORE_INTEGER, 1);
  if (found) memcpy(&value, found, sizeof value);
  return value;
}
