/* A table as points: coordinates alone, missing values, scales. */
#include "input/table.h"
#include "base/command.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A table on its way to points: rows x width in `value`, the table's own memory. */
typedef struct {
  io_table *table;
  const table_terms *terms;
  const table_model *model;
  column_choice choice;
  double *value;
  int64_t rows, width;
  table_facts *facts;
  lavdm_error *error;
} work;

static int no_memory(const work *w) {
  return refuse(w->error, LAVDM_ERROR_MEMORY, "%.200s: out of memory for its columns", w->table->path);
}

/* ------------------------------------------------------------- ids, labels */

static int take_names(const work *w) {
  io_texts *names = &w->facts->names;
  const io_table *t = w->table;
  size_t bytes = 1;
  for (int64_t k = 0; k < w->width; k++) {
    const char *name = t->column[w->choice.coordinate[k]].name;
    if (!name || !*name || column_named(t, name, (int)strlen(name)) < 0) return LAVDM_OK;
    bytes += strlen(name) + 1;
  }
  if (!(names->text = calloc(bytes, 1))) return no_memory(w);
  for (int64_t k = 0; k < w->width; k++) {
    const char *name = t->column[w->choice.coordinate[k]].name;
    if (k) names->text[names->bytes++] = '\n';
    memcpy(names->text + names->bytes, name, strlen(name));
    names->bytes += (int64_t)strlen(name);
  }
  names->count = w->width;
  return LAVDM_OK;
}

static int take_texts(const work *w) {
  table_facts *f = w->facts;
  const column_choice *c = &w->choice;
  int status = LAVDM_OK;
  if (c->ids >= 0) status = io_table_texts(w->table, c->ids, &f->ids, w->error);
  if (status >= 0 && c->labels >= 0) {
    char text[COLUMN_TEXT];
    const char *name = w->table->column[c->labels].name;
    status = io_table_texts(w->table, c->labels, &f->labels, w->error);
    if (!name || !*name) name = column_text(w->table, c->labels, text);
    if (!(f->label_name = strdup(name))) status = no_memory(w);
  }
  return status < 0 ? status : take_names(w);
}

/* --------------------------------------------------------------- missing */

static int fail_missing(const work *w, int64_t row, int64_t k) {
  io_table *t = w->table;
  char text[COLUMN_TEXT], line[40] = "";
  if (t->source) snprintf(line, sizeof line, " (line %" PRId64 ")", io_table_line(t, row));
  return refuse(w->error, LAVDM_ERROR_DATA,
                "%.200s: row %" PRId64 ", %s%s has no value; --missing drop leaves such rows out, --missing "
                "median fills them in",
                t->path, row + 1, column_text(t, w->choice.coordinate[k], text), line);
}

static int by_value(const void *a, const void *b) {
  const double *x = a, *y = b;
  return (*x > *y) - (*x < *y);
}

/* The median of the values of a coordinate that are there; `scratch` has room for all rows. */
static int find_median(const work *w, int64_t k, double *scratch, double *out) {
  int64_t count = 0;
  for (int64_t i = 0; i < w->rows; i++)
    if (!isnan(w->value[i * w->width + k])) scratch[count++] = w->value[i * w->width + k];
  char text[COLUMN_TEXT];
  if (!count)
    return refuse(w->error, LAVDM_ERROR_DATA, "%.200s: %s has no value at all, and so no median",
                  w->table->path, column_text(w->table, w->choice.coordinate[k], text));
  qsort(scratch, (size_t)count, sizeof *scratch, by_value);
  *out = count % 2 ? scratch[count / 2] : (scratch[count / 2 - 1] + scratch[count / 2]) / 2;
  return LAVDM_OK;
}

/* Those of the model, where there is one. */
static int find_medians(work *w) {
  double *scratch = malloc((size_t)w->rows * sizeof *scratch + 1);
  w->facts->median = calloc((size_t)w->width, sizeof *w->facts->median);
  int status = scratch && w->facts->median ? LAVDM_OK : no_memory(w);
  if (status >= 0 && w->model && !w->model->median)
    status = refuse(w->error, LAVDM_ERROR_ARGUMENT,
                    "--missing median: the model keeps no medians; embed its data with --missing median");
  for (int64_t k = 0; k < w->width && status >= 0; k++)
    if (w->model)
      w->facts->median[k] = w->model->median[k];
    else
      status = find_median(w, k, scratch, &w->facts->median[k]);
  free(scratch);
  return status;
}

static int fill_in(work *w) {
  int64_t filled = 0;
  int status = find_medians(w);
  if (status < 0) return status;
  for (int64_t i = 0; i < w->rows * w->width; i++)
    if (isnan(w->value[i])) {
      w->value[i] = w->facts->median[i % w->width];
      filled++;
    }
  if (filled)
    note(&w->facts->told, "%" PRId64 " missing value%s replaced by the median of the column%s", filled,
         filled == 1 ? "" : "s", w->model ? " in the data of the model" : "");
  return LAVDM_OK;
}

/* Numbers of the rows in the table, from 0, where they have no ids. */
static int number_rows(const work *w) {
  io_texts *ids = &w->facts->ids;
  if (ids->text) return LAVDM_OK;
  if (!(ids->text = malloc((size_t)w->rows * 21 + 1))) return no_memory(w);
  ids->count = w->rows;
  for (int64_t i = 0; i < w->rows; i++)
    ids->bytes += sprintf(ids->text + ids->bytes, "%s%" PRId64, i ? "\n" : "", i);
  return LAVDM_OK;
}

static int drop_rows(work *w) {
  bool *keep = calloc((size_t)w->rows + 1, sizeof *keep);
  int64_t kept = 0, first = -1, before = w->rows;
  if (!keep) return no_memory(w);
  for (int64_t i = 0; i < w->rows; i++) {
    keep[i] = true;
    for (int64_t k = 0; k < w->width; k++) keep[i] &= !isnan(w->value[i * w->width + k]);
    if (!keep[i] && first < 0) first = i;
  }
  int status = first < 0 ? LAVDM_OK : number_rows(w);
  for (int64_t i = 0; i < w->rows && status >= 0; i++)
    if (keep[i])
      memmove(w->value + kept++ * w->width, w->value + i * w->width, (size_t)w->width * sizeof *w->value);
  if (status >= 0 && first >= 0) {
    io_texts_keep(&w->facts->ids, keep);
    io_texts_keep(&w->facts->labels, keep);
    w->facts->dropped = before - kept;
    w->rows = kept;
    note(&w->facts->told,
         "%" PRId64 " of %" PRId64 " rows have missing values and are left out; the first is row %" PRId64,
         before - kept, before, first + 1);
    if (!kept)
      status =
          refuse(w->error, LAVDM_ERROR_DATA,
                 "%.200s: every row has a missing value, and --missing drop leaves none", w->table->path);
  }
  free(keep);
  return status;
}

static int settle_missing(work *w) {
  if (w->terms->missing == MISSING_DROP) return drop_rows(w);
  if (w->terms->missing == MISSING_MEDIAN) return fill_in(w);
  for (int64_t i = 0; i < w->rows * w->width; i++)
    if (isnan(w->value[i])) return fail_missing(w, i / w->width, i % w->width);
  return LAVDM_OK;
}

/* ---------------------------------------------------------------- scales */

void table_scale(double *points, int64_t rows, int64_t width, const double *mean, const double *scale) {
  for (int64_t i = 0; i < rows; i++)
    for (int64_t k = 0; k < width; k++) points[i * width + k] = (points[i * width + k] - mean[k]) / scale[k];
}

/* Mean and standard deviation, over n; 1 for a constant. */
static void find_scale(const work *w, int64_t k, double *mean, double *scale) {
  double sum = 0, square = 0, n = (double)w->rows;
  const double *x = w->value + k;
  for (int64_t i = 0; i < w->rows; i++) sum += x[i * w->width] / n;
  for (int64_t i = 0; i < w->rows; i++) square += (x[i * w->width] - sum) * (x[i * w->width] - sum) / n;
  char text[COLUMN_TEXT];
  bool constant = !(sqrt(square) > 1e-14 * fabs(sum));
  *mean = sum;
  *scale = constant ? 1 : sqrt(square);
  if (constant)
    note(&w->facts->told, "%s is constant, and 0 after --standardise",
         column_text(w->table, w->choice.coordinate[k], text));
}

static int standardise(work *w) {
  table_facts *f = w->facts;
  f->mean = calloc((size_t)w->width, sizeof *f->mean);
  f->scale = calloc((size_t)w->width, sizeof *f->scale);
  if (!f->mean || !f->scale) return no_memory(w);
  for (int64_t k = 0; k < w->width; k++) {
    if (w->model)
      f->mean[k] = w->model->mean[k], f->scale[k] = w->model->scale[k];
    else
      find_scale(w, k, &f->mean[k], &f->scale[k]);
    if (!isfinite(f->mean[k]) || !isfinite(f->scale[k])) /* of an infinite value, which is refused later */
      f->mean[k] = 0, f->scale[k] = 1;
  }
  table_scale(w->value, w->rows, w->width, f->mean, f->scale);
  if (w->model)
    note(&f->told, "coordinates are brought to the means and deviations of the data of the model");
  return LAVDM_OK;
}

/* ---------------------------------------------------------------- points */

/* The coordinates alone, in their order, in the place of the table. */
static int compact(work *w) {
  io_table *t = w->table;
  double *row = malloc((size_t)w->width * sizeof *row);
  if (!row) return no_memory(w);
  for (int64_t i = 0; i < t->rows; i++) {
    for (int64_t k = 0; k < w->width; k++) row[k] = t->value[i * t->columns + w->choice.coordinate[k]];
    memcpy(t->value + i * w->width, row, (size_t)w->width * sizeof *row);
  }
  free(row);
  w->value = t->value;
  w->rows = t->rows;
  return LAVDM_OK;
}

static void tell_reading(const io_table *t, table_facts *f) {
  if (t->counted)
    note(&f->told, "the numbers of the first line go up by one, as names of pandas do: taken as a header");
  if (t->perhaps)
    note(&f->doubts,
         "the numbers of the first line go up by one, as names of pandas do: taken as a row all the "
         "same; if they are names, write others (DataFrame.columns)");
  if (t->commas) note(&f->told, "decimals have a comma, which was taken for a point");
}

static int check_model(const work *w) {
  if (!w->model || w->width == w->model->width || !w->model->width) return LAVDM_OK;
  return refuse(w->error, LAVDM_ERROR_DATA,
                "%.200s has %" PRId64 " column%s of coordinates, but the model was fitted to %" PRId64
                "; --columns names those to take",
                w->table->path, w->width, w->width == 1 ? "" : "s", w->model->width);
}

int table_points(io_table *t, const table_terms *terms, const table_model *model, io_array *points,
                 table_facts *facts, lavdm_error *error) {
  work w = {.table = t, .terms = terms, .model = model, .facts = facts, .error = error};
  tell_reading(t, facts);
  int status = columns_choose(t, &terms->columns, model ? &model->names : NULL, &w.choice, &facts->told,
                              &facts->doubts, error);
  w.width = facts->width = w.choice.count;
  if (status >= 0) status = check_model(&w);
  if (status >= 0) status = take_texts(&w);
  if (status >= 0) status = compact(&w);
  if (status >= 0) status = settle_missing(&w);
  if (status >= 0 && (model ? model->mean && model->scale : terms->standardise)) status = standardise(&w);
  if (status >= 0 && (facts->told.failed || facts->doubts.failed)) status = no_memory(&w);
  if (status >= 0) {
    *points = (io_array){.type = IO_REAL, .rank = 2, .shape = {w.rows, w.width}, .data = t->value};
    t->value = NULL;
  }
  free(w.choice.coordinate);
  return status;
}
