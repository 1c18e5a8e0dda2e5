/*
 * The points: their first 32 coordinates, and where there are more than three those along the principal axes
 * A (3 x p), A(x - mean). Landmarks z and frames B may be in principal coordinates of the run, where a point
 * is mean_0 + P z: they are then seen as A(P z + mean_0 - mean) and A P B.
 */
#include "report/data.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { AXES = 3, MOST_COLUMNS = 32, MOST_FRAME = 8 };

typedef struct {
  report_rows from;
  int64_t p, shown, rows;   /* coordinates; those that are columns; rows */
  double *mean, *axes;      /* p; 3 x p, NULL: three coordinates or fewer */
  float *columns, *along;   /* shown x rows; 3 x rows */
  lavdm_item basis, origin; /* of the run: p x inner, p; inner = 0: there is none */
  int64_t inner;            /* coordinates that landmarks and frames are in */
} view;

static void take_row(void *user, int64_t k, const double *x) {
  view *v = user;
  for (int64_t j = 0; j < v->shown; j++) v->columns[j * v->rows + k] = (float)x[j];
  for (int64_t a = 0; a < AXES && v->axes; a++) {
    double sum = 0;
    for (int64_t j = 0; j < v->p; j++) sum += v->axes[a * v->p + j] * (x[j] - v->mean[j]);
    v->along[a * v->rows + k] = (float)sum;
  }
}

static double float_entry(const void *source, int64_t i, int64_t column) {
  const report_floats *f = source;
  return (double)f->values[column * f->rows + i];
}

void report_put_floats(report_page *p, const char *name, const report_floats *f, int64_t columns,
                       const report_text *names) {
  report_table t = {.name = name,
                    .rank = columns > 0 ? 2 : 1,
                    .shape = {f->rows, columns},
                    .entry = float_entry,
                    .source = f,
                    .names = names};
  report_columns(p, &t);
}

/* Names of the coordinates, from the text "columns", if there are as many. */
static void name_columns(const report_page *p, const view *v, report_text *names) {
  const lavdm_item *item = report_find(p, "columns");
  int64_t bytes, found = 1, from = 0;
  if (!item || item->type != LAVDM_ITEM_TEXT) return;
  const char *text = report_string(item, &bytes);
  if (bytes && text[bytes - 1] == '\n') bytes--;
  for (int64_t i = 0; i < bytes; i++) found += text[i] == '\n';
  if (found != v->p) return;
  for (int64_t j = 0; j < v->shown; j++) {
    const char *end = memchr(text + from, '\n', (size_t)(bytes - from));
    int64_t length = end ? end - (text + from) : bytes - from;
    report_text_comma(names);
    report_text_string(names, text + from, length);
    from += length + 1;
  }
}

/* How the coordinates of landmarks and frames, which have the same, lead to those of the points. */
static void find_inner(report_page *p, view *v) {
  lavdm_item a, b;
  const lavdm_item *marks = report_array(p, "landmarks", 2, -1, &a);
  const lavdm_item *frames = report_array(p, "frames", 3, p->n, &b);
  v->inner = marks ? marks->shape[1] : frames ? frames->shape[1] : 0;
  if (marks && frames && frames->shape[1] != v->inner)
    report_fail(p, LAVDM_ERROR_DATA,
                "landmarks have %lld coordinates and frames %lld: this is no result of lavdm",
                (long long)v->inner, (long long)frames->shape[1]);
  if (!v->inner || v->inner == v->p) return;
  const lavdm_item *basis = report_array(p, "pca_basis", 2, -1, &v->basis);
  const lavdm_item *origin = report_array(p, "pca_mean", 1, -1, &v->origin);
  if (basis && origin && basis->shape[0] == v->p && basis->shape[1] == v->inner && origin->shape[0] == v->p)
    return;
  report_note(p, "landmarks and frames have %lld coordinates and the points %lld: they are left out",
              (long long)v->inner, (long long)v->p);
  v->inner = 0;
}

/* Coordinate j of a point of the run, z (inner). */
static double outer(const view *v, const lavdm_item *z, int64_t at, int64_t j) {
  if (v->inner == v->p) return report_value(z, at + j);
  double sum = report_value(&v->origin, j);
  for (int64_t k = 0; k < v->inner; k++)
    sum += report_value(&v->basis, j * v->inner + k) * report_value(z, at + k);
  return sum;
}

static void put_landmarks(report_page *p, const view *v) {
  lavdm_item any;
  const lavdm_item *marks = v->inner ? report_array(p, "landmarks", 2, -1, &any) : NULL;
  if (!marks || marks->shape[0] < 1) return;
  int64_t m = marks->shape[0];
  float *columns = malloc((size_t)(m * v->shown) * sizeof *columns),
        *along = calloc((size_t)(m * AXES), sizeof *along);
  if (!columns || !along) report_no_memory(p, "landmarks");
  for (int64_t i = 0; i < m && p->status >= 0; i++)
    for (int64_t j = 0; j < (v->axes ? v->p : v->shown); j++) {
      double x = outer(v, marks, i * v->inner, j);
      if (j < v->shown) columns[j * m + i] = (float)x;
      for (int64_t a = 0; a < AXES && v->axes; a++)
        along[a * m + i] += (float)(v->axes[a * v->p + j] * (x - v->mean[j]));
    }
  if (p->status >= 0) report_put_floats(p, "landmarks", &(report_floats){columns, m}, v->shown, NULL);
  if (p->status >= 0 && v->axes)
    report_put_floats(p, "landmarks_principal", &(report_floats){along, m}, AXES, NULL);
  free(columns);
  free(along);
}

/* Frames along the axes: (A P) B, or A B. */
typedef struct {
  const report_page *page;
  const lavdm_item *frames; /* n x inner x d */
  const double *axes;       /* 3 x inner */
} frame_source;

static double frame_entry(const void *source, int64_t i, int64_t column) {
  const frame_source *s = source;
  int64_t inner = s->frames->shape[1], d = s->frames->shape[2], a = column / d, c = column % d;
  int64_t at = report_row(s->page, i) * inner * d + c;
  double sum = 0;
  for (int64_t k = 0; k < inner; k++) sum += s->axes[a * inner + k] * report_value(s->frames, at + k * d);
  return sum;
}

static void put_frames(report_page *p, const view *v) {
  lavdm_item any;
  const lavdm_item *frames = v->inner ? report_array(p, "frames", 3, p->n, &any) : NULL;
  if (!frames || frames->shape[2] < 1) return;
  if (v->inner == v->p && v->p <= MOST_FRAME) report_points(p, frames);
  if (!v->axes) return;
  double *axes = calloc((size_t)(AXES * v->inner), sizeof *axes);
  if (!axes) {
    report_no_memory(p, "frames");
    return;
  }
  for (int64_t a = 0; a < AXES; a++)
    for (int64_t k = 0; k < v->inner; k++)
      for (int64_t j = v->inner == v->p ? k : 0; j < (v->inner == v->p ? k + 1 : v->p); j++)
        axes[a * v->inner + k] +=
            v->axes[a * v->p + j] * (v->inner == v->p ? 1 : report_value(&v->basis, j * v->inner + k));
  frame_source source = {p, frames, axes};
  report_table t = {.name = "principal_frames",
                    .rank = 3,
                    .shape = {p->rows, AXES, frames->shape[2]},
                    .entry = frame_entry,
                    .source = &source};
  report_columns(p, &t);
  free(axes);
}

bool report_kept_points(report_page *p, report_rows *out) {
  lavdm_item points, centre;
  if (!report_array(p, "points", 2, p->n, &points) || !report_rows_in(p, &points, out)) return false;
  if (points.type == LAVDM_ITEM_SINGLE && report_array(p, "centre", 1, -1, &centre) &&
      centre.shape[0] == out->data.p)
    out->centre = centre;
  return p->status >= 0;
}

/* The points of the options, or those that the result kept. */
static bool find_points(report_page *p, report_rows *out) {
  if (p->options.data) return report_rows_of(p, p->options.data, "the data", p->n, out);
  return report_kept_points(p, out);
}

void report_data(report_page *p) {
  report_text names = {0};
  view v = {.rows = p->rows};
  if (!find_points(p, &v.from)) return;
  v.p = v.from.data.p;
  v.shown = v.p < MOST_COLUMNS ? v.p : MOST_COLUMNS;
  v.mean = calloc((size_t)v.p, sizeof *v.mean);
  v.axes = v.p > AXES ? calloc((size_t)(AXES * v.p), sizeof *v.axes) : NULL;
  v.columns = malloc((size_t)(v.shown * v.rows) * sizeof *v.columns);
  v.along = v.p > AXES ? malloc((size_t)(AXES * v.rows) * sizeof *v.along) : NULL;
  if (!v.mean || !v.columns || (v.p > AXES && (!v.axes || !v.along))) report_no_memory(p, "the points");
  if (p->status >= 0 && v.axes) report_axes(p, &v.from, v.mean, v.axes);
  report_rows_each(p, &v.from, p->row, p->rows, take_row, &v);
  if (p->status >= 0) {
    name_columns(p, &v, &names);
    if (v.shown < v.p)
      report_note(p, "the first %lld of %lld columns of the points are in the page", (long long)v.shown,
                  (long long)v.p);
    report_put_floats(p, "data", &(report_floats){v.columns, v.rows}, v.shown, &names);
  }
  if (p->status >= 0 && v.axes)
    report_put_floats(p, "principal", &(report_floats){v.along, v.rows}, AXES, NULL);
  free(v.columns);
  free(v.along);
  if (p->status >= 0) find_inner(p, &v);
  if (p->status >= 0) put_landmarks(p, &v);
  if (p->status >= 0) put_frames(p, &v);
  if (p->status >= 0) report_alignment(p, &v.from);
  report_text_free(&names);
  free(v.mean);
  free(v.axes);
}
