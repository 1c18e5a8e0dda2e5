/* Items by name, their shapes as files may have left them, and small arrays in the JSON. */
#include "report/page.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int report_fail(report_page *p, int status, const char *format, ...) {
  if (p->status < 0) return p->status;
  p->status = p->error->status = status;
  va_list list;
  va_start(list, format);
  vsnprintf(p->error->message, sizeof p->error->message, format, list);
  va_end(list);
  return status;
}

int report_no_memory(report_page *p, const char *what) {
  return report_fail(p, LAVDM_ERROR_MEMORY, "out of memory for %.60s of the page", what);
}

void report_note(report_page *p, const char *format, ...) {
  char text[LAVDM_MESSAGE_SIZE];
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  report_text_comma(&p->notes);
  report_text_string(&p->notes, text, (int64_t)strlen(text));
}

bool report_goes_on(report_page *p, const char *stage, double fraction) {
  if (p->status < 0) return false;
  if (p->options.progress && p->options.progress(stage, fraction, p->options.progress_user))
    report_fail(p, LAVDM_ERROR_INTERRUPTED, "stopped while %.60s was written, as asked", stage);
  return p->status >= 0;
}

const lavdm_item *report_find(const report_page *p, const char *name) {
  for (int i = 0; i < p->count; i++)
    if (!strcmp(p->items[i].name, name)) return &p->items[i];
  return NULL;
}

int64_t report_count(const lavdm_item *item) {
  int64_t count = 1;
  for (int k = 0; k < item->rank; k++) count *= item->shape[k];
  return count;
}

double report_value(const lavdm_item *item, int64_t i) {
  switch (item->type) {
  case LAVDM_ITEM_REAL:
    return ((const double *)item->data)[i];
  case LAVDM_ITEM_SINGLE:
    return (double)((const float *)item->data)[i];
  case LAVDM_ITEM_INTEGER:
    return (double)((const int64_t *)item->data)[i];
  default:
    return NAN;
  }
}

const char *report_string(const lavdm_item *item, int64_t *bytes) {
  size_t most = item->rank > 0 ? (size_t)item->shape[item->rank - 1] : 0;
  *bytes = (int64_t)(item->data ? strnlen(item->data, most) : 0);
  return item->data ? item->data : "";
}

bool report_is_number(const lavdm_item *item) {
  return item->type != LAVDM_ITEM_TEXT && item->rank <= 2 && report_count(item) == 1;
}

/* "3 x 4", for sentences. */
static void shape_text(const lavdm_item *item, char *text, size_t size) {
  size_t used = 0;
  snprintf(text, size, "one number");
  for (int k = 0; k < item->rank && used < size; k++)
    used += (size_t)snprintf(text + used, size - used, "%s%lld", k ? " x " : "", (long long)item->shape[k]);
}

/* Axes of 1 at the end are added; of a list they are taken away, wherever they are. */
static bool as_rank(const lavdm_item *item, int rank, lavdm_item *out) {
  *out = *item;
  if (rank == 1) {
    int64_t length = 1;
    for (int k = 0; k < item->rank; k++) {
      if (item->shape[k] != 1 && length != 1) return false;
      if (item->shape[k] != 1) length = item->shape[k];
    }
    out->shape[0] = length;
  }
  if (item->rank > rank && rank > 1) return false;
  for (int k = item->rank; k < rank && rank > 1; k++) out->shape[k] = 1;
  out->rank = rank;
  return true;
}

const lavdm_item *report_array(report_page *p, const char *name, int rank, int64_t rows, lavdm_item *out) {
  const lavdm_item *item = report_find(p, name);
  char shape[96];
  if (!item || p->status < 0) return NULL;
  if (item->type != LAVDM_ITEM_TEXT && as_rank(item, rank, out) && (rows < 0 || out->shape[0] == rows))
    return out;
  shape_text(item, shape, sizeof shape);
  if (item->type == LAVDM_ITEM_TEXT)
    report_fail(p, LAVDM_ERROR_DATA,
                "%.60s is a text, and not an array of numbers: this is no result of lavdm", name);
  else if (rows < 0)
    report_fail(p, LAVDM_ERROR_DATA, "%.60s is %s, and should have %d axes: this is no result of lavdm", name,
                shape, rank);
  else
    report_fail(p, LAVDM_ERROR_DATA,
                "%.60s is %s, and should have %d axes with %lld rows, as the others have", name, shape, rank,
                (long long)rows);
  return NULL;
}

/* ------------------------------------------------------------------ arrays */

void report_begin(report_page *p, const char *name, int rank, const int64_t *shape) {
  report_text_comma(&p->arrays);
  report_text_string(&p->arrays, name, (int64_t)strlen(name));
  report_text_put(&p->arrays, ":{\"shape\":[");
  for (int k = 0; k < rank; k++) {
    report_text_put(&p->arrays, k ? "," : "");
    report_text_whole(&p->arrays, shape[k]);
  }
  report_text_put(&p->arrays, "]");
}

void report_end(report_page *p) {
  report_text_put(&p->arrays, "}");
}

typedef struct {
  const report_page *page;
  const lavdm_item *item;
  int64_t columns;
  bool all; /* rows of the item, and not those shown */
} item_source;

static double item_entry(const void *source, int64_t i, int64_t column) {
  const item_source *s = source;
  return report_value(s->item, (s->all ? i : report_row(s->page, i)) * s->columns + column);
}

static void item_columns(report_page *p, const lavdm_item *item, bool all) {
  item_source source = {p, item, 1, all};
  report_table t = {.name = item->name,
                    .rank = item->rank,
                    .whole = item->type == LAVDM_ITEM_INTEGER,
                    .entry = item_entry,
                    .source = &source};
  for (int k = 1; k < item->rank; k++) source.columns *= item->shape[k];
  memcpy(t.shape, item->shape, sizeof t.shape);
  if (!all) t.shape[0] = p->rows;
  report_columns(p, &t);
}

void report_values(report_page *p, const lavdm_item *item) {
  int64_t count = report_count(item);
  if (p->status < 0) return;
  if (count > REPORT_VALUES) {
    item_columns(p, item, true);
    return;
  }
  report_begin(p, item->name, item->rank, item->shape);
  report_text_put(&p->arrays, ",\"values\":[");
  for (int64_t i = 0; i < count; i++) {
    report_text_put(&p->arrays, i ? "," : "");
    report_text_number(&p->arrays, report_value(item, i));
  }
  report_text_put(&p->arrays, "]");
  report_end(p);
}

void report_points(report_page *p, const lavdm_item *item) {
  item_columns(p, item, false);
}
