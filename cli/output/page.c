#define _XOPEN_SOURCE 700
#include "output/page.h"
#include "base/command.h"
#include "base/progress.h"
#include "io/sentence.h"
#include "output/collect.h"
#include "output/novel.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

const char *page_title(const char *path) {
  const char *slash = path ? strrchr(path, '/') : NULL;
  return slash && slash[1] ? slash + 1 : path;
}

static bool is_page(const char *path) {
  size_t length = strlen(path);
  return (length > 5 && !strcasecmp(path + length - 5, ".html")) ||
         (length > 4 && !strcasecmp(path + length - 4, ".htm"));
}

int page_name_check(const char *path, const char *option, const char *const *others, int count,
                    lavdm_error *error) {
  if (!is_page(path))
    return refuse(error, STATUS_USAGE, "%s must name the page: a file that ends in .html, and not '%.200s'",
                  option, path);
  for (int i = 0; i < count; i++)
    if (others[i] && (result_same(path, others[i]) || !strcmp(path, others[i])))
      return refuse(error, LAVDM_ERROR_ARGUMENT,
                    "%.200s is another file of this run; the page would overwrite it", path);
  return folder_check(path, error);
}

int page_check(const arguments *a, lavdm_error *error) {
  static const char *const files[] = {"output", "graph",   "reference", "checkpoint", "plot",
                                      "table",  "montage", "config",    "like",       "like-given"};
  enum { FILES = sizeof files / sizeof *files };
  const char *path = arguments_value(a, "report"), *others[FILES + 1];
  if (!path) return LAVDM_OK;
  for (int i = 0; i < FILES; i++)
    others[i] = arguments_takes(a, files[i]) ? arguments_value(a, files[i]) : NULL;
  others[FILES] = a->design_file;
  int status = page_name_check(path, "--report", others, FILES + 1, error);
  return status < 0 ? status : page_name_check(path, "--report", a->operand, a->operands, error);
}

bool page_images(const lavdm_data *data, lavdm_bundle bundle, lavdm_data *out, bool *turned) {
  *turned = bundle == LAVDM_BUNDLE_ROTATION || bundle == LAVDM_BUNDLE_SHIFT;
  *out = *data;
  if (!data->points && !data->read) return false;
  if (bundle == LAVDM_BUNDLE_SHIFT) out->height = 1, out->width = data->p;
  int64_t side = 1;
  while (bundle == LAVDM_BUNDLE_ROTATION && !data->height && side * side < data->p) side++;
  if (bundle == LAVDM_BUNDLE_ROTATION && !data->height) out->height = out->width = side;
  return out->height > 0 && out->width > 0;
}

int page_write(const char *path, const io_item *items, int count, lavdm_report_options *options,
               lavdm_error *error) {
  progress_enter(PHASE_WRITE, "writing", path);
  options->progress = progress_report;
  int status = lavdm_report_write(path, items, count, options, error);
  progress_clear();
  return status == LAVDM_ERROR_FILE ? STATUS_WRITE : status;
}

int page_cover(const double *cover, int64_t points, int64_t rank, int64_t index[4]) {
  return novel_columns(cover, points, rank, 4, index);
}

static int add_cover_index(collection *c, const cover_t *cover, int64_t index[4], lavdm_error *error) {
  int count = cover && cover->rank ? page_cover(cover->coordinates, cover->points, cover->rank, index) : 0;
  if (count < 0) return refuse(error, LAVDM_ERROR_MEMORY, "out of memory for the double cover");
  if (count > 0) collect_add(c, "cover_index", IO_INTEGER, 1, &(int64_t){count}, index);
  return LAVDM_OK;
}

int page_of_run(const arguments *a, const run_facts *facts, const result_extras *extras,
                const json_builder *object, lavdm_error *error) {
  const char *path = arguments_value(a, "report");
  const lavdm_options *chosen = lavdm_info(facts->model)->chosen;
  lavdm_report_options options;
  lavdm_data images;
  bool turned;
  int64_t index[4];
  if (!path) return LAVDM_OK;
  result_extras shown_extras = *extras; /* the page makes its embedding itself */
  shown_extras.embedding = shown_extras.ambient = false;
  if (facts->shown_cover) shown_extras.cover = facts->shown_cover;
  collection *c = collect_new(error);
  int status = c ? collect_result(c, facts->model, &shown_extras, object, true, error) : LAVDM_ERROR_MEMORY;
  lavdm_report_default(&options);
  options.title = page_title(facts->input);
  options.seed = chosen->seed, options.threads = a->options.threads;
  if (page_images(facts->data, chosen->bundle, &images, &turned)) options.images = &images;
  bool points = facts->data->points || facts->data->read || facts->data->sparse;
  if (points && !turned) options.data = facts->data;
  if (status >= 0) status = add_cover_index(c, shown_extras.cover, index, error);
  if (status >= 0) status = page_write(path, collect_items(c), c->count, &options, error);
  collect_free(c);
  return status;
}

void page_tell(const arguments *a) {
  const char *path = arguments_value(a, "report");
  if (path) printf("  %-12s %s\n", "page", shown(path));
}
