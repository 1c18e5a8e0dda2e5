/* lavdm average: class averages of a stack of images. */
#include "lavdm/average.h"
#include "base/command.h"
#include "input/estimate.h"
#include "input/input.h"
#include "input/pictures.h"
#include "io/io.h"
#include "picture/montage.h"
#include "base/progress.h"
#include "output/collect.h"
#include "output/page.h"
#include "output/result.h"
#include "output/whole.h"
#include "io/sentence.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  const arguments *a;
  const char *stack, *output, *table, *montage, *report;
  io_array images; /* n x height x width, doubles or floats */
  char *ids;       /* names of pictures, one a line, or NULL */
  lavdm_data data;
  lavdm_options how;
  lavdm_average_options options;
  lavdm_average_t *result;
  double began, read_seconds;
} job;

static void job_free(job *j) {
  io_array_free(&j->images);
  free(j->ids);
  lavdm_average_free(j->result);
}

static int read_method(const char *text, lavdm_average_method *out, lavdm_error *error) {
  const char *const *names = lavdm_average_methods();
  for (int k = 0; names[k]; k++)
    if (!strcmp(text, names[k])) return *out = (lavdm_average_method)k, LAVDM_OK;
  const char *near = nearest_name(text, names);
  if (near) return refuse(error, STATUS_USAGE, "--method is '%s'; did you mean '%s'?", text, near);
  return refuse(error, STATUS_USAGE, "--method is '%s': it must be auto, rid, vdm or lavdm", text);
}

static int read_number(const arguments *a, const char *name, int64_t *out, lavdm_error *error) {
  const char *text = arguments_value(a, name);
  char shown[64];
  snprintf(shown, sizeof shown, "--%s", name);
  return text ? whole_parse(shown, text, out, error) : LAVDM_OK;
}

static int check_outputs(const job *j, lavdm_error *error) {
  if (!j->output && !j->table && !j->montage && !j->report)
    return refuse(error, STATUS_USAGE, "where to? Give -o FILE, say -o averages.mrcs");
  if (j->output && !io_can_write(j->output, false, error)) return LAVDM_ERROR_ARGUMENT;
  if (j->table && !io_can_write(j->table, true, error)) return LAVDM_ERROR_ARGUMENT;
  picture_t grey = {.channels = 1, .bits = 8};
  if (j->montage && !picture_can_write(j->montage, &grey, error)) return LAVDM_ERROR_ARGUMENT;
  return page_check(j->a, error);
}

static int read_arguments(const arguments *a, job *j, lavdm_error *error) {
  lavdm_average_options *o = &j->options;
  const char *method = arguments_value(a, "method");
  lavdm_average_default(o);
  j->how = a->options;
  o->how = &j->how;
  if (!arguments_given(a, "precision")) j->how.precision = LAVDM_PRECISION_SINGLE;
  j->stack = a->operand[0];
  j->output = arguments_value(a, "output");
  j->table = arguments_value(a, "table");
  j->montage = arguments_value(a, "montage");
  j->report = arguments_value(a, "report");
  int status = method ? read_method(method, &o->method, error) : LAVDM_OK;
  if (status >= 0) status = read_number(a, "neighbours", &o->neighbours, error);
  if (status >= 0) status = read_number(a, "edges", &o->edges, error);
  if (status >= 0) status = read_number(a, "rounds", &o->rounds, error);
  if (status >= 0) status = read_number(a, "classes", &o->classes, error);
  if (status >= 0) status = check_outputs(j, error);
  return status;
}

static int read_stack(job *j, lavdm_error *error) {
  progress_enter(PHASE_READ, "reading", j->stack);
  bool several = pictures_meant(j->a->operand, j->a->operands);
  int status = several ? pictures_read(j->a->operand, j->a->operands, &j->images, &j->ids, error)
                       : io_read_points(j->stack, &j->images, error);
  if (status < 0) return status;
  io_array *x = &j->images;
  if (x->picture)
    return refuse(error, LAVDM_ERROR_DATA,
                  "%.200s is one picture; many are averaged: lavdm average FOLDER, or a list of pictures",
                  j->stack);
  if (x->rank != 3)
    return refuse(error, LAVDM_ERROR_DATA, "%.200s: a stack is images x rows x columns, and this has %d %s",
                  j->stack, x->rank, x->rank == 1 ? "axis" : "axes");
  input_tell(j->a);
  if (x->type == IO_INTEGER) {
    double *real = malloc((size_t)io_array_count(x) * sizeof *real);
    if (!real) return refuse(error, LAVDM_ERROR_MEMORY, "out of memory for the images");
    for (int64_t k = 0; k < io_array_count(x); k++) real[k] = (double)((const int64_t *)x->data)[k];
    free(x->data);
    x->data = real, x->type = IO_REAL;
  }
  j->data = (lavdm_data){.points = x->data,
                         .n = x->shape[0],
                         .p = x->shape[1] * x->shape[2],
                         .type = x->type == IO_SINGLE ? LAVDM_F32 : LAVDM_F64,
                         .height = x->shape[1],
                         .width = x->shape[2]};
  return LAVDM_OK;
}

static const char *const method_names[] = {"rotation-invariant distance", "vector diffusion",
                                           "landmark vector diffusion"};

/* What was done, as facts. */
static void put_facts(json_builder *b, const job *j) {
  const lavdm_average_t *r = j->result;
  json_put_text(b, "method", lavdm_average_methods()[r->method]);
  json_put_text(b, "bundle", "rotation");
  json_put_whole(b, "n", r->n);
  json_put_whole(b, "height", r->height);
  json_put_whole(b, "width", r->width);
  json_put_real(b, "noise", r->noise);
  json_put_whole(b, "compared", r->compared);
  json_put_text(b, "reflections", r->reflected ? "yes" : "no");
  json_put_whole(b, "number_of_landmarks", r->landmarks);
  json_put_whole(b, "number_of_edges", r->edges);
  json_put_whole(b, "components", r->components);
  json_put_whole(b, "seed", (int64_t)j->how.seed);
  json_put_text(b, "warnings", r->warning);
  json_put_text(b, "input", j->a->operands == 1 ? j->stack : NULL);
  json_put_text(b, "version", lavdm_version());
  json_put_text(b, "command", j->a->line);
  json_builder times = {0};
  json_start(&times);
  json_put_real(&times, "read", j->read_seconds);
  json_put_real(&times, "expansion", r->expand_seconds);
  json_put_real(&times, "distances", r->compare_seconds);
  json_put_real(&times, "diffusion", r->diffuse_seconds);
  json_put_real(&times, "averages", r->sum_seconds);
  json_put_real(&times, "total", seconds_now() - j->began);
  if (times.failed) b->failed = true;
  json_put(b, "seconds", times.object);
}

/* What averages are made of: arrays of one entry for each average, or each neighbour of each. */
static int collect_table_of(const job *j, collection *c, int64_t *reflected, json_builder *facts,
                            lavdm_error *error) {
  const lavdm_average_t *r = j->result;
  const int64_t pairs[] = {r->count, r->k};
  for (int64_t k = 0; k < r->count * r->k && r->reflected; k++) reflected[k] = r->reflected[k];
  collect_add(c, "images", IO_INTEGER, 1, &r->count, r->centre);
  collect_add(c, "neighbours", IO_INTEGER, 2, pairs, r->index);
  collect_add(c, "angles", IO_REAL, 2, pairs, r->angle);
  collect_add(c, "reflected", IO_INTEGER, 2, pairs, reflected);
  collect_add(c, "distances", IO_REAL, 2, pairs, r->distance);
  if (j->ids) collect_add(c, "ids", IO_TEXT, 2, (int64_t[]){r->n, (int64_t)strlen(j->ids)}, j->ids);
  put_facts(facts, j);
  int status = json_status(facts, error);
  if (status >= 0) collect_facts(c, facts);
  return status < 0 ? status : collect_status(c, error);
}

static int write_page(const job *j, collection *c, lavdm_error *error) {
  const lavdm_average_t *r = j->result;
  lavdm_report_options options;
  lavdm_report_default(&options);
  options.title = page_title(j->stack);
  options.images = &j->data;
  options.seed = j->how.seed, options.threads = j->how.threads;
  collect_add(c, "averages", IO_REAL, 3, (int64_t[]){r->count, r->height, r->width}, r->average);
  return page_write(j->report, collect_items(c), c->count, &options, error);
}

/* The table and the page. */
static int write_table(const job *j, lavdm_error *error) {
  int64_t *reflected = calloc((size_t)(j->result->count * j->result->k) + 1, sizeof *reflected);
  collection *c = collect_new(error);
  json_builder facts = {0};
  int status = LAVDM_OK;
  json_start(&facts);
  if (!reflected) status = refuse(error, LAVDM_ERROR_MEMORY, "out of memory for the table");
  if (!c) status = LAVDM_ERROR_MEMORY;
  if (status >= 0) status = collect_table_of(j, c, reflected, &facts, error);
  if (status >= 0 && j->table) status = io_write(j->table, collect_items(c), c->count, error);
  if (status >= 0 && j->report) status = write_page(j, c, error);
  collect_free(c);
  json_free(&facts);
  free(reflected);
  return status;
}

static int write_files(const job *j, lavdm_error *error) {
  const lavdm_average_t *r = j->result;
  io_item item = {.name = "averages",
                  .type = IO_REAL,
                  .rank = 3,
                  .shape = {r->count, r->height, r->width},
                  .data = r->average};
  int status = LAVDM_OK;
  if (j->table || j->report) status = write_table(j, error);
  if (status >= 0 && j->montage) status = montage_write(j->montage, &j->data, r, error);
  if (status >= 0 && j->output) status = io_write(j->output, &item, 1, error);
  return status >= 0 || status == LAVDM_ERROR_MEMORY || status == LAVDM_ERROR_ARGUMENT ? status
                                                                                       : STATUS_WRITE;
}

static void report(const job *j, double seconds) {
  const lavdm_average_t *r = j->result;
  fprintf(stderr, "%lld images of %lld x %lld pixels; noise %.4g; %lld steerable components compared\n",
          (long long)r->n, (long long)r->height, (long long)r->width, r->noise, (long long)r->compared);
  fprintf(stderr, "neighbours by %s", method_names[r->method]);
  if (r->components)
    fprintf(stderr, ": %lld edges, %lld components", (long long)r->edges, (long long)r->components);
  if (r->landmarks) fprintf(stderr, ", %lld landmarks", (long long)r->landmarks);
  fprintf(stderr,
          "\n%lld averages of %lld images each%s; %.1f s (expansion %.1f, distances %.1f, diffusion %.1f, "
          "averages %.1f)\n",
          (long long)r->count, (long long)r->k + 1, r->reflected ? ", mirror images included" : "", seconds,
          r->expand_seconds, r->compare_seconds, r->diffuse_seconds, r->sum_seconds);
  if (r->warning[0]) fprintf(stderr, "lavdm: warning: %s\n", shown(r->warning));
  if (j->output) fprintf(stderr, "wrote %s\n", shown(j->output));
  if (j->table) fprintf(stderr, "wrote %s\n", shown(j->table));
  if (j->montage) fprintf(stderr, "wrote %s\n", shown(j->montage));
  if (j->report) fprintf(stderr, "wrote %s\n", shown(j->report));
}

static int run_average(const arguments *a, lavdm_error *error) {
  job j = {.a = a, .began = seconds_now()};
  bool quiet = arguments_value(a, "quiet");
  int status = read_arguments(a, &j, error);
  if (!quiet) progress_show();
  if (status >= 0) status = read_stack(&j, error);
  j.read_seconds = seconds_now() - j.began;
  j.how.progress = progress_report;
  progress_enter(PHASE_RUN, NULL, NULL);
  if (status >= 0) {
    status = lavdm_average(&j.data, &j.options, &j.result, error);
    if (status == LAVDM_ERROR_DATA) prefix_error(error, j.stack);
  }
  progress_enter(PHASE_WRITE, NULL, NULL);
  if (status >= 0) status = write_files(&j, error);
  progress_clear();
  if (status >= 0 && !quiet) report(&j, seconds_now() - j.began);
  job_free(&j);
  return status < 0 ? status : LAVDM_OK;
}

static bool takes_option(const char *option) {
  static const char *const taken[] = {"reflections", "noise", "landmarks", "components", "time",
                                      "precision",   "seed",  "threads",   "max_memory"};
  for (size_t k = 0; k < sizeof taken / sizeof *taken; k++)
    if (!strcmp(option, taken[k])) return true;
  return false;
}

static const flag flags[] = {
    {"output", 'o', "FILE", "averages, one image each: .mrcs .mrc .npy and others"},
    {"method", 0, "NAME",
     "how neighbours are chosen: rid, vdm or lavdm; auto: vdm up to 20000 images, then lavdm [auto]"},
    {"neighbours", 'k', "K", "images that are averaged with each [a fiftieth of all, 6 to 50]"},
    {"classes", 0, "N", "number of averages, about images drawn from the seed [one about each image]"},
    {"edges", 0, "E",
     "images (vdm) or landmarks (lavdm) that an image is joined to [a fiftieth, 6 to 50, 20]"},
    {"rounds", 0, "R",
     "vdm: fits, each weighed by the one before [1]; lavdm: times that landmarks are made [2]"},
    {"table", 0, "FILE",
     "what each average is made of: images, neighbours, angles, reflected, distances: .npz .h5 .mat"},
    {"montage", 0, "FILE", "a picture of the first averages below their images: .png .tif .pgm"},
    REPORT_FLAG,
    CONFIG_FLAG,
    {"quiet", 'q', NULL, "do not say what was done"},
    {0},
};

const command average_command = {
    .name = "average",
    .usage = "STACK... -o FILE [options]",
    .summary = "class averages of images of one object from many directions",
    .about =
        "Averages every image of a stack (.mrcs, .npy, a folder of pictures, a list of these) with its "
        "neighbours, the images from almost the "
        "same direction, each turned to match. Distances are between steerable principal components, shrunk "
        "as the noise asks, at the best turn. With --reflections yes mirror images count too: an image from "
        "the opposite direction is one.\n\n"
        "rid takes the nearest by that distance. vdm joins every image to its nearest and re-selects those "
        "on "
        "which the top eigenvectors of that graph and its turns agree most, which is vector diffusion "
        "distance between rows of unit length; the turns are theirs too. lavdm does so with landmarks, "
        "averages of images drawn at random with their nearest, and compares images with landmarks only.\n\n"
        "The table holds for each average the number of its image (from 0), its neighbours, the angle "
        "(radians, from columns to rows) that each was turned by, after a reflection of its rows where "
        "reflected is 1, and distances. The run is in single precision unless told otherwise.",
    .example = "@ sample projections -n 500 --size 32 --snr 1/2 --rotations true.npy -o stack.mrcs\n"
               "@ average stack.mrcs -o averages.mrcs --table averages.npz --montage averages.png",
    .flags = flags,
    .takes = takes_option,
    .least = 1,
    .most = ANY_NUMBER,
    .run = run_average,
};
