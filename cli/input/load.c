/* See load.h. */
#include "input/load.h"
#include "base/command.h"
#include "input/estimate.h"
#include "input/pictures.h"
#include "io/sentence.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int load_as_points(io_array *a, const char *spec, lavdm_error *error) {
  if (a->type == IO_TEXT) return refuse(error, LAVDM_ERROR_DATA, "%.200s holds text, not numbers", spec);
  int64_t count = io_array_count(a), rows = a->rank > 0 ? a->shape[0] : 1, columns = 1;
  for (int k = 1; k < a->rank; k++) columns *= a->shape[k];
  if (a->type == IO_INTEGER) {
    char *bytes = a->data;
    for (int64_t i = 0; i < count; i++) {
      int64_t whole;
      memcpy(&whole, bytes + 8 * i, 8);
      double real = (double)whole;
      memcpy(bytes + 8 * i, &real, 8);
    }
    a->type = IO_REAL;
  }
  a->rank = 2;
  a->shape[0] = rows;
  a->shape[1] = columns;
  return LAVDM_OK;
}

/* lavdm_data.read: rows of the file. */
static int read_rows(void *user, int64_t first, int64_t count, void *rows) {
  input *in = user;
  return io_rows_read(&in->rows, first, count, rows, &in->failure);
}

int load_open_rows(const char *spec, input *in, lavdm_error *error) {
  int status = io_rows_open(spec, &in->rows, error);
  if (status <= 0) return status;
  in->data.n = in->rows.count;
  in->data.p = in->rows.width;
  in->data.type = in->rows.type == IO_SINGLE ? LAVDM_F32 : LAVDM_F64;
  in->data.height = in->rows.lines;
  in->data.width = in->rows.lines > 0 ? in->rows.width / in->rows.lines : 0;
  in->data.read = read_rows;
  in->data.read_user = in;
  return 1;
}

int load_changed_rows(bool asked, input *in, lavdm_error *error) {
  io_rows_close(&in->rows);
  in->data = (lavdm_data){0};
  if (!asked) return 0;
  return refuse(error, STATUS_USAGE,
                "--stream yes leaves the points in their file as they are; it does not go with --columns, "
                "--drop, --labels, --ids, --missing and --standardise");
}

int load_leave(const char *spec, const table_terms *terms, lavdm_options *options, input *in,
               lavdm_error *error) {
  bool landmarks = options->method != LAVDM_METHOD_DM && options->method != LAVDM_METHOD_VDM;
  if (!landmarks || options->stream == LAVDM_STREAM_NO) return 0;
  int status = load_open_rows(spec, in, error);
  if (status > 0 && terms->given) return load_changed_rows(options->stream == LAVDM_STREAM_YES, in, error);
  if (status <= 0 || options->stream == LAVDM_STREAM_YES) return status;

  lavdm_plan_t plan = estimate(&in->data, options);
  double file = (double)in->data.n * (double)in->data.p * (in->data.type == LAVDM_F32 ? 4 : 8);
  double allowed = memory_allowed(options);
  bool crowded = plan.memory > 0 && allowed >= 0 && file + (double)plan.memory > allowed;
  if (plan.stream || crowded) {
    options->stream = LAVDM_STREAM_YES;
    return 1;
  }
  io_rows_close(&in->rows);
  in->data = (lavdm_data){0};
  return 0;
}

/* The array as a table without names; a stack of images is none after that. */
static int as_table(const char *spec, input *in, io_table *t, lavdm_error *error) {
  io_array *a = &in->points;
  in->data.height = in->data.width = 0;
  if (a->type != IO_SINGLE) return io_table_take(spec, a, t, error);
  int64_t count = io_array_count(a);
  double *value = malloc((size_t)count * sizeof *value + 1);
  if (!value) return refuse(error, LAVDM_ERROR_MEMORY, "out of memory for the points of %.200s", spec);
  for (int64_t i = 0; i < count; i++) value[i] = (double)((const float *)a->data)[i];
  free(a->data);
  a->data = value;
  a->type = IO_REAL;
  return io_table_take(spec, a, t, error);
}

static int use_sparse(input *in) {
  const io_sparse *s = &in->sparse;
  in->entries = (lavdm_sparse){
      .rows = s->rows, .cols = s->cols, .start = s->start, .index = s->index, .value = s->value};
  in->data.size = sizeof in->data;
  in->data.sparse = &in->entries;
  in->data.n = s->rows, in->data.p = s->cols;
  return 1;
}

/* A sparse matrix that SciPy wrote. 1 if it is one, else 0. */
static int load_sparse(const char *spec, bool changed, input *in, lavdm_error *error) {
  int status = scipy_is(spec, error);
  if (status <= 0) return status;
  if (changed)
    return refuse(error, STATUS_USAGE,
                  "%.200s is a sparse matrix, whose columns are taken as they are: it does not go with "
                  "--columns, --drop, --labels, --ids, --missing and --standardise",
                  spec);
  status = scipy_read(spec, &in->sparse, error);
  return status < 0 ? status : use_sparse(in);
}

/* "a.png and 11 more" */
static int make_title(const char *first, int count, input *in, lavdm_error *error) {
  size_t size = strlen(first) + 32;
  in->title = malloc(size);
  if (!in->title) return refuse(error, LAVDM_ERROR_MEMORY, "out of memory for the names of pictures");
  snprintf(in->title, size, "%s and %d more", first, count - 1);
  return LAVDM_OK;
}

static int use_points(input *in) {
  in->data.points = in->points.data;
  in->data.n = in->points.shape[0];
  in->data.p = in->points.shape[1];
  in->data.type = in->points.type == IO_SINGLE ? LAVDM_F32 : LAVDM_F64;
  return LAVDM_OK;
}

static int load_cells(const char *spec, const table_terms *terms, const table_model *model, input *in,
                      lavdm_error *error) {
  io_table t = {0};
  int status = cells_table(spec, terms, model, &t, &in->sparse, &in->table, error);
  if (status > 0) return use_sparse(in);
  table_terms rest = *terms;
  rest.columns.labels = rest.columns.ids = NULL; /* of obs, and already there */
  if (status >= 0) status = table_points(&t, &rest, model, &in->points, &in->table, error);
  io_table_free(&t);
  return status < 0 ? status : use_points(in);
}

static int load_pictures(const char *const *specs, int count, input *in, lavdm_error *error) {
  io_texts *ids = &in->table.ids;
  int status = pictures_read(specs, count, &in->points, &ids->text, error);
  if (status < 0) return status;
  ids->count = in->points.shape[0];
  ids->bytes = (int64_t)strlen(ids->text);
  return count > 1 ? make_title(specs[0], count, in, error) : LAVDM_OK;
}

int load_points(const char *const *specs, int count, const table_terms *terms, const table_model *model,
                input *in, lavdm_error *error) {
  const char *spec = specs[0];
  io_table t = {0};
  bool several = pictures_meant(specs, count), table = !several && io_is_table(spec),
       scaled = model && model->mean;
  if (!several && io_is_cells(spec)) return load_cells(spec, terms, model, in, error);
  int status = several || table ? 0 : load_sparse(spec, terms->given || scaled, in, error);
  if (status) return status < 0 ? status : LAVDM_OK;
  status = several ? load_pictures(specs, count, in, error)
           : table ? io_table_read(spec, &t, error)
                   : io_read_points(spec, &in->points, error);
  if (table && io_is_pipe(spec)) t.path = "standard input";
  in->picture = status >= 0 && in->points.picture;
  if (status >= 0 && !table && in->points.rank == 3 && !in->picture) /* a stack of images */
    in->data.height = in->points.shape[1], in->data.width = in->points.shape[2];
  if (status >= 0 && !table) status = load_as_points(&in->points, spec, error);
  if (status >= 0 && !table && (terms->given || scaled)) {
    status = as_table(spec, in, &t, error);
    table = true;
  }
  if (status >= 0 && table) status = table_points(&t, terms, model, &in->points, &in->table, error);
  io_table_free(&t);
  return status < 0 ? status : use_points(in);
}
