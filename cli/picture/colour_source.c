#include "picture/colours.h"
#include "base/command.h"
#include "input/row_values.h"
#include "picture/sheet.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { GREY = COLOUR_GROUPS - 1 }; /* all others */

typedef struct {
  const char *text;
  int64_t bytes, count;
} group;

void colours_free(colours_t *c) {
  free(c->value);
  *c = (colours_t){0};
}

static int no_memory(lavdm_error *error) {
  return refuse(error, LAVDM_ERROR_MEMORY, "out of memory for the colours of the picture");
}

/* The values are in: their range. */
static void set_ramp(colours_t *c, int64_t n) {
  c->ramp = true;
  c->low = INFINITY, c->high = -INFINITY;
  for (int64_t i = 0; i < n; i++)
    if (isfinite(c->value[i])) c->low = fmin(c->low, c->value[i]), c->high = fmax(c->high, c->value[i]);
  if (!(c->low <= c->high)) c->low = c->high = 0;
}

/* ---------------------------------------------------------------- groups */

static int by_text(const void *a, const void *b) {
  const group *x = a, *y = b;
  int order = memcmp(x->text, y->text, (size_t)(x->bytes < y->bytes ? x->bytes : y->bytes));
  return order ? order : (x->bytes > y->bytes) - (x->bytes < y->bytes);
}

static int by_count(const void *a, const void *b) {
  const group *x = a, *y = b;
  return x->count != y->count ? (x->count < y->count) - (x->count > y->count) : by_text(a, b);
}

/* The texts that differ, and how often each comes; their number, or -1 without memory. */
static int64_t find_groups(const io_texts *t, group **out) {
  group *all = calloc((size_t)t->count + 1, sizeof *all);
  const char *at = t->text;
  int64_t found = 0;
  *out = all;
  if (!all) return -1;
  for (int64_t i = 0; i < t->count; i++) all[i].text = io_texts_next(&at, &all[i].bytes);
  qsort(all, (size_t)t->count, sizeof *all, by_text);
  for (int64_t i = 0; i < t->count; i++) {
    if (found && !by_text(&all[found - 1], &all[i])) {
      all[found - 1].count++;
    } else {
      all[found] = all[i];
      all[found++].count = 1;
    }
  }
  return found;
}

/* All of them as numbers, which they may be. */
static bool as_numbers(const io_texts *t, double *value) {
  const char *at = t->text;
  for (int64_t i = 0; i < t->count; i++) {
    int64_t bytes;
    char *end;
    const char *text = io_texts_next(&at, &bytes);
    value[i] = bytes ? strtod(text, &end) : NAN;
    if (bytes && end != text + bytes) return false;
  }
  return true;
}

static void name_groups(const group *found, int64_t count, colours_t *out) {
  out->groups = (int)(count < COLOUR_GROUPS ? count : COLOUR_GROUPS);
  for (int g = 0; g < out->groups; g++) {
    char text[COLOUR_NAME];
    snprintf(text, sizeof text, "%.*s", found[g].bytes < 40 ? (int)found[g].bytes : 40, found[g].text);
    drawing_plain(found[g].bytes ? text : "(none)", out->name[g], COLOUR_NAME);
  }
  if (count > COLOUR_GROUPS)
    snprintf(out->name[GREY], COLOUR_NAME, "%" PRId64 " others", count - COLOUR_GROUPS + 1);
}

/* A few groups, or numbers if there are more than can be told apart. */
static int from_texts(const io_texts *t, colours_t *out, lavdm_error *error) {
  group *found;
  int64_t count = find_groups(t, &found);
  out->value = malloc((size_t)t->count * sizeof *out->value + 1);
  if (count < 0 || !out->value) {
    free(found);
    return no_memory(error);
  }
  if (count > COLOUR_GROUPS && as_numbers(t, out->value)) {
    set_ramp(out, t->count);
  } else {
    qsort(found, (size_t)count, sizeof *found, by_count);
    qsort(found, (size_t)(count > COLOUR_GROUPS ? GREY : count), sizeof *found, by_text);
    name_groups(found, count, out);
    const char *at = t->text;
    for (int64_t i = 0; i < t->count; i++) {
      group key = {0};
      int g = 0;
      key.text = io_texts_next(&at, &key.bytes);
      while (g < out->groups - 1 && by_text(&key, &found[g])) g++;
      out->value[i] = g;
    }
  }
  free(found);
  return LAVDM_OK;
}

/* ---------------------------------------------------------------- source */

int colours_ramp(const double *value, int64_t n, int64_t stride, const char *title, colours_t *out,
                 lavdm_error *error) {
  *out = (colours_t){0};
  out->value = malloc((size_t)n * sizeof *out->value + 1);
  if (!out->value) return no_memory(error);
  for (int64_t i = 0; i < n; i++) out->value[i] = value[i * stride];
  set_ramp(out, n);
  snprintf(out->title, COLOUR_NAME, "%s", title);
  return LAVDM_OK;
}

/* Texts are groups, or a ramp if they are many numbers; numbers are a ramp. */
static int from_values(const row_values *v, int64_t n, colours_t *out, lavdm_error *error) {
  if (v->texts.text) return from_texts(&v->texts, out, error);
  char title[COLOUR_NAME];
  snprintf(title, sizeof title, "%s", out->title);
  return colours_ramp(v->values, n, 1, title, out, error);
}

static int from_array(const io_array *a, const char *what, int64_t n, colours_t *out, lavdm_error *error) {
  row_values v;
  int status = row_values_of(a, what, n, &v, error);
  if (status >= 0) status = from_values(&v, n, out, error);
  row_values_free(&v);
  return status;
}

static int from_file(const char *asked, int64_t n, colours_t *out, lavdm_error *error) {
  row_values v;
  int status = row_values_read(asked, n, &v, error);
  drawing_plain(v.name, out->title, COLOUR_NAME);
  if (status >= 0) status = from_values(&v, n, out, error);
  row_values_free(&v);
  return status;
}

/* A coordinate of the points by its name in the table that they are from; 1 if there is one. */
static int from_column(const char *name, const io_array *all, int count, int64_t n, colours_t *out,
                       lavdm_error *error) {
  const io_array *columns = NULL, *points = NULL;
  for (int i = 0; i < count; i++) {
    if (all[i].name && !strcmp(all[i].name, "columns") && all[i].type == IO_TEXT) columns = &all[i];
    if (all[i].name && !strcmp(all[i].name, "points") && all[i].type == IO_REAL && all[i].rank == 2)
      points = &all[i];
  }
  if (!columns || !points || points->shape[0] != n) return 0;
  int64_t width = points->shape[1], found = -1, k = 0;
  for (const char *at = columns->data; at; k++) {
    size_t length = strcspn(at, "\n");
    if (length == strlen(name) && !memcmp(at, name, length)) found = k;
    at = at[length] ? at + length + 1 : NULL;
  }
  if (found < 0 || k != width) return 0; /* principal coordinates are not those of the table */
  int status = colours_ramp((const double *)points->data + found, n, width, name, out, error);
  return status < 0 ? status : 1;
}

int colours_find(const char *asked, const io_array *all, int count, int64_t n, colours_t *out,
                 lavdm_error *error) {
  *out = (colours_t){0};
  if (asked && !strcmp(asked, "none")) return LAVDM_OK;
  const char *name = asked ? asked : "labels";
  drawing_plain(name, out->title, COLOUR_NAME);
  for (int i = 0; i < count && !strcmp(name, "labels"); i++)
    if (all[i].name && !strcmp(all[i].name, "label_name") && all[i].type == IO_TEXT)
      drawing_plain(all[i].data, out->title, COLOUR_NAME);
  for (int i = 0; i < count; i++)
    if (all[i].name && !strcmp(all[i].name, name)) return from_array(&all[i], name, n, out, error);
  if (!asked) return LAVDM_OK;
  if (!strcmp(asked, "labels"))
    return refuse(
        error, STATUS_USAGE,
        "--colour labels: the result has none; embed with --labels COLUMN, or give a file of labels");
  int column = access(asked, R_OK) ? from_column(asked, all, count, n, out, error) : 0;
  if (column) return column < 0 ? column : LAVDM_OK;
  if (!strchr(asked, '.'))
    return refuse(error, STATUS_USAGE,
                  "--colour %.100s: the result has no array of that name and no column, and it is no file",
                  asked);
  return from_file(asked, n, out, error);
}
