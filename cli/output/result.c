/* Writes a result file: what collect.h has of a run, or its eigenvectors alone. */
#define _XOPEN_SOURCE 700
#include "output/result.h"
#include "base/command.h"
#include "base/progress.h"
#include "lavdm/file.h"
#include "input/estimate.h"
#include "output/cells.h"
#include "output/collect.h"
#include "output/rows.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static io_type type_of(const lavdm_array *a) {
  return a->type == LAVDM_I64 ? IO_INTEGER : a->type == LAVDM_F32 ? IO_SINGLE : IO_REAL;
}

static void trim_model(const void *model) {
  lavdm_trim(model);
}

static int write_status(int status) {
  bool other = status != LAVDM_ERROR_MEMORY && status != LAVDM_ERROR_INTERRUPTED;
  return status < 0 && other ? STATUS_WRITE : status;
}

/* Arrays that live in files leave memory again as they are written. */
static int write_items(const char *path, const lavdm_model *model, const io_item *items, int count,
                       lavdm_error *error) {
  const io_trim trim = {trim_model, model};
  return write_status(
      io_write_trimmed(path, items, count, lavdm_info(model)->streamed ? &trim : NULL, error));
}

/* (n,q,r) in .npy; elsewhere a table. */
static int write_alone(const char *path, const lavdm_model *model, const result_extras *extras,
                       lavdm_error *error) {
  if (io_writes_table(path)) return write_status(rows_write(path, model, extras, error));
  const lavdm_array *a = lavdm_get(model, "eigenvectors");
  io_item item = {.name = a->name, .type = type_of(a), .rank = a->rank, .data = a->data};
  memcpy(item.shape, a->shape, sizeof a->shape);
  return write_items(path, model, &item, 1, error);
}

int result_write(const char *path, const lavdm_model *model, const result_extras *extras,
                 const json_builder *facts, lavdm_error *error) {
  if (io_is_cells(path)) return write_status(cells_write(path, extras->cells, model, error));
  if (result_alone(path)) return write_alone(path, model, extras, error);
  bool kept = io_is_h5(path); /* the model brings its own arrays */
  collection *c = collect_new(error);
  int status = c ? collect_result(c, model, extras, facts, !kept, error) : LAVDM_ERROR_MEMORY;
  if (status >= 0 && kept)
    status = write_status(lavdm_save_with(model, path, extras->compact, collect_items(c), c->count, error));
  else if (status >= 0)
    status = write_items(path, model, collect_items(c), c->count, error);
  collect_free(c);
  return status;
}

bool result_same(const char *path, const char *spec) {
  struct stat a, b;
  if (!spec || stat(path, &a)) return false;
  if (stat(spec, &b)) {
    char *file = strdup(spec), *colon = file ? strrchr(file, ':') : NULL;
    if (colon) *colon = 0;
    int missing = !colon || stat(file, &b);
    free(file);
    if (missing) return false;
  }
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

bool result_alone(const char *path) {
  return io_can_write(path, false, NULL) && !io_can_write(path, true, NULL);
}

int folder_check(const char *path, lavdm_error *error) {
  struct stat there;
  if (!stat(path, &there) && S_ISDIR(there.st_mode))
    return refuse(error, STATUS_WRITE, "cannot write %.200s: it is a folder", path);
  lavdm_file *probe;
  progress_enter(PHASE_WRITE, NULL, NULL); /* no interrupt leaves a file behind */
  int status = lavdm_file_open(path, &probe, error);
  if (status >= 0) lavdm_file_close(probe, LAVDM_ERROR_FILE);
  progress_enter(PHASE_READ, NULL, NULL);
  return status < 0 && status != LAVDM_ERROR_MEMORY ? STATUS_WRITE : status;
}

int result_check(const char *path, const char *input, bool alone, lavdm_error *error) {
  if (!io_can_write(path, !alone, error)) return LAVDM_ERROR_ARGUMENT;
  if (io_is_pipe(path)) return LAVDM_OK;
  if (result_same(path, input))
    return refuse(error, LAVDM_ERROR_ARGUMENT, "%.200s is the input; the output would overwrite it", path);
  return folder_check(path, error);
}

int result_fits(const lavdm_data *data, const lavdm_options *options, const result_extras *extras,
                lavdm_error *error) {
  const double usual = 20; /* components, if left to the library */
  double n = (double)data->n, p = (double)data->p;
  double r = options->components > 0 ? (double)options->components : usual;
  double needed = 8 * n *
                  ((extras->ambient ? p * r : 0) + (extras->embedding ? r * (r + 1) / 2 : 0) +
                   (extras->cover ? 2 * r : 0));
  double allowed = memory_allowed(options);
  if (allowed < 0 || needed <= allowed) return LAVDM_OK;
  return refuse(error, LAVDM_ERROR_MEMORY,
                "the %s alone takes %.2f GB and %.2f GB are allowed; ask for fewer --components%s",
                extras->ambient && extras->embedding ? "embedding with the ambient vectors"
                : extras->cover && extras->embedding ? "embedding with the double cover"
                : extras->ambient                    ? "array of ambient vectors"
                : extras->cover                      ? "double cover"
                                                     : "embedding",
                needed / 1e9, allowed / 1e9,
                extras->embedding ? ", or do without --embedding"
                : extras->cover   ? ", or do without --cover"
                                  : ", or do without --ambient");
}
