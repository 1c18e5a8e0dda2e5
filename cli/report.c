/* lavdm report: a page to look at a result with. */
#define _XOPEN_SOURCE 700
#include "base/command.h"
#include "base/progress.h"
#include "input/input.h"
#include "input/row_values.h"
#include "io/sentence.h"
#include "output/page.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { EXTRAS = 8, NOTES = 1024 };

typedef struct {
  const arguments *a;
  const char *name, *output;
  io_array *all; /* of the result */
  int count;
  input data, images;
  io_array averages;
  row_values colour;
  int64_t cover_index[4];
  io_item *items;
  int used;
  char notes[NOTES]; /* about the page, a line each */
} job;

static void job_free(job *j) {
  for (int i = 0; i < j->count; i++) io_array_free(&j->all[i]);
  free(j->all);
  free(j->items);
  input_free(&j->data);
  input_free(&j->images);
  io_array_free(&j->averages);
  row_values_free(&j->colour);
}

static const io_array *find(const job *j, const char *name) {
  for (int i = 0; i < j->count; i++)
    if (j->all[i].name && !strcmp(j->all[i].name, name)) return &j->all[i];
  return NULL;
}

static const char *text_of(const job *j, const char *name) {
  const io_array *a = find(j, name);
  return a && a->type == IO_TEXT ? a->data : NULL;
}

static bool text_is(const job *j, const char *name, const char *value) {
  const char *text = text_of(j, name);
  return text && !strcmp(text, value);
}

/* For the page and for people. */
static void tell(job *j, const char *format, const char *name) {
  size_t used = strlen(j->notes);
  char line[LAVDM_MESSAGE_SIZE];
  snprintf(line, sizeof line, format, shown(name));
  snprintf(j->notes + used, sizeof j->notes - used, "%s%s", used ? "\n" : "", line);
  progress_clear();
  if (!arguments_value(j->a, "quiet")) printf("  %-12s %s\n", "note", line);
}

/* How many rows the result has; -1 if it has none that are points. */
static int64_t rows_of(const job *j) {
  const io_array *u = find(j, "eigenvectors");
  return u && u->rank > 0 && u->type != IO_TEXT ? u->shape[0] : -1;
}

/* Columns of a table are those of the fit, scaled as they were there. */
static table_model columns_of_result(const job *j) {
  const io_array *names = find(j, "columns"), *mean = find(j, "column_mean"),
                 *scale = find(j, "column_scale"), *median = find(j, "column_median");
  table_model m = {0};
  if (names && names->type == IO_TEXT) {
    m.names = (io_texts){.count = 1, .bytes = names->shape[0], .text = names->data};
    for (const char *c = m.names.text; (c = strchr(c, '\n')); c++) m.names.count++;
    m.width = m.names.count;
  }
  bool scaled = mean && scale && mean->type == IO_REAL && scale->type == IO_REAL &&
                io_array_count(mean) == io_array_count(scale) &&
                (!m.width || io_array_count(mean) == m.width);
  if (scaled) m.mean = mean->data, m.scale = scale->data, m.width = io_array_count(mean);
  if (median && median->type == IO_REAL && (!m.width || io_array_count(median) == m.width))
    m.median = median->data, m.width = io_array_count(median);
  return m;
}

static int read_points(const job *j, const char *spec, bool plain, input *in, lavdm_error *error) {
  table_terms terms = {0};
  table_model model = columns_of_result(j);
  int status = input_points(spec, false, &terms, plain || !model.width ? NULL : &model, in, error);
  progress_clear();
  return status;
}

/* A file of the user's has as many rows as the result, or is refused. */
static int check_rows(const char *option, const char *spec, const input *in, int64_t n, lavdm_error *error) {
  if (n < 0 || in->data.n == n) return LAVDM_OK;
  return refuse(error, LAVDM_ERROR_DATA,
                "%s: %.200s has %" PRId64 " rows, but the result has %" PRId64 " points", option, spec,
                in->data.n, n);
}

/* Whether the file that the result names holds points: not a graph, and not distances. */
static const char *named_input(const job *j) {
  struct stat there;
  const char *name = text_of(j, "input");
  if (!name || text_is(j, "bundle", "given") || text_is(j, "metric", "precomputed")) return NULL;
  char *file = io_split(name, &(const char *){NULL});
  bool missing = !file || (stat(name, &there) && stat(file, &there));
  free(file);
  return missing ? NULL : name;
}

/* The page must not take the place of what the result was made of. */
static int check_input(const job *j, lavdm_error *error) {
  const char *name = named_input(j);
  if (!name || !result_same(j->output, name)) return LAVDM_OK;
  return refuse(error, LAVDM_ERROR_ARGUMENT,
                "%.200s is the input that the result names; the page would overwrite it", j->output);
}

/* The points that the result was made of, if they are where it says: what is wrong with them is told, and
 * they are left out. */
static void read_named(job *j, int64_t n, bool needed) {
  const char *name = named_input(j);
  lavdm_error error = {0};
  if (!name) {
    if (needed) tell(j, "%s: the result has no points; --data FILE brings them", j->name);
    return;
  }
  int status = read_points(j, name, false, &j->data, &error);
  if (status >= 0) status = check_rows("input", name, &j->data, n, &error);
  if (status >= 0) {
    tell(j, "the points are those of %s, which the result names as its input", name);
    return;
  }
  input_free(&j->data);
  if (needed) tell(j, "no points are shown: %s", error.message);
}

/* Points: of --data, else of the result, else of its input. Of images the input is what is looked at. */
static int read_data(job *j, lavdm_error *error) {
  const char *spec = arguments_value(j->a, "data"), *images = arguments_value(j->a, "images");
  int64_t n = rows_of(j);
  bool stack = find(j, "image_shape") != NULL || find(j, "neighbours") != NULL;
  int status = LAVDM_OK;
  if (spec && n < 0)
    return refuse(error, STATUS_USAGE, "--data is for results with points, and %.200s has none", j->name);
  if (spec) {
    status = read_points(j, spec, false, &j->data, error);
    if (status >= 0) status = check_rows("--data", spec, &j->data, n, error);
  } else if (!find(j, "elements") && (stack ? !images : !find(j, "points"))) {
    read_named(j, stack && n < 0 ? -1 : n, n >= 0 || stack);
  }
  if (status >= 0 && images) {
    status = read_points(j, images, true, &j->images, error);
    if (status >= 0) status = check_rows("--images", images, &j->images, n, error);
    if (status >= 0 && !(j->images.data.height > 0 && j->images.data.width > 0) &&
        !text_is(j, "bundle", "shift"))
      status =
          refuse(error, LAVDM_ERROR_DATA,
                 "--images: %.200s is no stack of images: n x height x width, .mrcs, or a folder of pictures",
                 images);
  }
  return status;
}

static int read_averages(job *j, lavdm_error *error) {
  const char *spec = arguments_value(j->a, "averages");
  const io_array *table = find(j, "neighbours");
  if (!spec) return LAVDM_OK;
  if (!table || table->rank < 1)
    return refuse(error, STATUS_USAGE, "--averages goes with a table of `lavdm average`, and %.200s is none",
                  j->name);
  int status = io_read_points(spec, &j->averages, error);
  if (status >= 0 && (j->averages.rank != 3 || j->averages.shape[0] != table->shape[0]))
    return refuse(error, LAVDM_ERROR_DATA, "--averages: %.200s is no stack of %" PRId64 " images", spec,
                  table->shape[0]);
  return status;
}

static int read_colour(job *j, lavdm_error *error) {
  const char *asked = arguments_value(j->a, "colour");
  if (!asked) return LAVDM_OK;
  if (rows_of(j) < 0)
    return refuse(error, STATUS_USAGE, "--colour is for results with points, and %.200s has none", j->name);
  return row_values_read(asked, rows_of(j), &j->colour, error);
}

static void add(job *j, const char *name, io_type type, int rank, const int64_t *shape, const void *data) {
  io_item *item = &j->items[j->used++];
  *item = (io_item){.name = name, .type = type, .rank = rank, .data = data};
  for (int k = 0; k < rank; k++) item->shape[k] = shape[k];
}

static void add_text(job *j, const char *name, const char *text) {
  add(j, name, IO_TEXT, 1, &(int64_t){(int64_t)strlen(text)}, text);
}

/* Which coordinates of the cover are drawn. */
static int add_cover(job *j, lavdm_error *error) {
  const io_array *cover = find(j, "cover");
  int64_t n = rows_of(j);
  if (!cover || cover->type != IO_REAL || cover->rank != 2 || n < 1 || cover->shape[0] != 2 * n ||
      cover->shape[1] < 1)
    return LAVDM_OK;
  int count = page_cover(cover->data, cover->shape[0], cover->shape[1], j->cover_index);
  if (count < 0) return refuse(error, LAVDM_ERROR_MEMORY, "out of memory for the double cover");
  if (count > 0) add(j, "cover_index", IO_INTEGER, 1, &(int64_t){count}, j->cover_index);
  return LAVDM_OK;
}

/* What the command adds comes first: of items of one name the first counts. */
static int make_items(job *j, lavdm_error *error) {
  j->items = calloc((size_t)(j->count + EXTRAS), sizeof *j->items);
  if (!j->items) return refuse(error, LAVDM_ERROR_MEMORY, "out of memory for the page");
  const row_values *c = &j->colour;
  if (c->values) {
    add(j, "colour", IO_REAL, 1, &(int64_t){rows_of(j)}, c->values);
    add_text(j, "colour_name", c->name);
  } else if (c->texts.text) {
    add(j, "labels", IO_TEXT, 1, &c->texts.bytes, c->texts.text);
    add_text(j, "label_name", c->name);
  }
  if (j->averages.data) add(j, "averages", j->averages.type, 3, j->averages.shape, j->averages.data);
  if (j->notes[0]) add_text(j, "page_notes", j->notes);
  for (int i = 0; i < j->count; i++)
    if (j->all[i].name)
      add(j, j->all[i].name, j->all[i].type, j->all[i].rank, j->all[i].shape, j->all[i].data);
  return add_cover(j, error);
}

static lavdm_bundle bundle_of(const job *j) {
  return text_is(j, "bundle", "shift") ? LAVDM_BUNDLE_SHIFT
         : find(j, "image_shape")      ? LAVDM_BUNDLE_ROTATION
                                       : LAVDM_BUNDLE_AUTO;
}

static int write_page(job *j, lavdm_error *error) {
  lavdm_report_options options;
  lavdm_data images;
  bool turned;
  const input *stack = j->images.data.n ? &j->images : &j->data;
  const io_array *seed = find(j, "seed");
  lavdm_report_default(&options);
  options.title = page_title(j->name);
  options.threads = j->a->options.threads;
  if (seed && seed->type == IO_INTEGER && io_array_count(seed) == 1)
    options.seed = (uint64_t)((const int64_t *)seed->data)[0];
  if (page_images(&stack->data, bundle_of(j), &images, &turned)) options.images = &images;
  if (j->data.data.n && !turned && !find(j, "neighbours")) options.data = &j->data.data;
  int status = page_write(j->output, j->items, j->used, &options, error);
  if (status == LAVDM_ERROR_DATA) prefix_error(error, j->name);
  return status;
}

static int check_arguments(const job *j, lavdm_error *error) {
  const char *colour = arguments_value(j->a, "colour");
  const char *others[] = {j->name, arguments_value(j->a, "data"), arguments_value(j->a, "images"),
                          arguments_value(j->a, "averages"), colour};
  if (!j->output) return refuse(error, STATUS_USAGE, "where to? Give -o FILE.html");
  return page_name_check(j->output, "-o", others, 5, error);
}

static int run_report(const arguments *a, lavdm_error *error) {
  job j = {.a = a, .name = a->operand[0], .output = arguments_value(a, "output")};
  int status = check_arguments(&j, error);
  if (status < 0) return status;
  if (!arguments_value(a, "quiet")) progress_show();
  progress_enter(PHASE_READ, "reading", j.name);
  status = io_read_all(j.name, &j.all, &j.count, error);
  if (status >= 0) status = check_input(&j, error);
  if (status >= 0) status = read_data(&j, error);
  if (status >= 0) status = read_averages(&j, error);
  if (status >= 0) status = read_colour(&j, error);
  if (status >= 0) status = make_items(&j, error);
  if (status >= 0) status = write_page(&j, error);
  progress_clear();
  if (status >= 0 && !arguments_value(a, "quiet")) printf("  %-12s %s\n", "page", shown(j.output));
  job_free(&j);
  return status;
}

static bool takes_option(const char *option) {
  return !strcmp(option, "threads");
}

static const flag flags[] = {
    {"output", 'o', "FILE.html", "the page to write"},
    {"data", 0, "FILE",
     "the points that the result is of [those in it, or in the file that it names as its input]"},
    {"colour", 0, "FILE[:COLUMN]", "labels or numbers to colour the points by, one for each"},
    {"images", 0, "FILE", "images or signals to show, one for each point [the input, if it was such]"},
    {"averages", 0, "FILE", "the averages that a table of `lavdm average` is about"},
    {"quiet", 'q', NULL, "print nothing"},
    {0},
};

const command report_command = {
    .name = "report",
    .usage = "RESULT -o FILE.html",
    .summary = "a page to look at a result with, in a browser",
    .about = "Writes one HTML file that shows a result of embed, orient, extend, sync or average (its "
             "--table): points "
             "and embedding side by side, the spectrum, fields, sides, images, graphs, and what was run. It "
             "holds all "
             "that it shows, asks no network for anything, and opens by a double click in Firefox and "
             "Chromium. RESULT "
             "is .npz, .h5 or .mat. `--report FILE` of these commands writes the page at once.\n\n"
             "Points come from --data, from the result, or from the file that the result names as its input, "
             "if that "
             "is there and has as many rows; which, is said. Of more than 1,000,000 points a fair sample is "
             "shown, and "
             "of large results the first eigenvectors: the page says so.",
    .example = "@ sample klein -n 2000 -o klein.npy && @ embed klein.npy -o klein.npz\n"
               "@ report klein.npz -o klein.html",
    .flags = flags,
    .takes = takes_option,
    .least = 1,
    .most = 1,
    .run = run_report,
};
