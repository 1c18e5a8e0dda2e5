/* Texts of the rows that are shown: ids as they are, labels as numbers of the different ones. */
#include "report/page.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_LEVELS = 4096 };

typedef struct {
  const char *text;
  int64_t bytes, row;
} line;

/* The lines of the rows shown; NULL, with the failure set or not, if there are none. */
static line *take_lines(report_page *p, const char *name, int64_t n) {
  const lavdm_item *item = report_find(p, name);
  int64_t bytes, found = 1, next = 0;
  if (!item || item->type != LAVDM_ITEM_TEXT || p->status < 0) return NULL;
  const char *text = report_string(item, &bytes), *end = text + bytes;
  if (bytes && end[-1] == '\n') end--; /* a line that is ended */
  for (const char *c = text; c < end; c++) found += *c == '\n';
  if (found != n) {
    report_fail(p, LAVDM_ERROR_DATA, "%s has %lld lines, and the result %lld rows", name, (long long)found,
                (long long)n);
    return NULL;
  }
  int64_t shown = n == p->n ? p->rows : n;
  line *lines = calloc((size_t)shown + 1, sizeof *lines);
  if (!lines) {
    report_no_memory(p, name);
    return NULL;
  }
  for (int64_t i = 0; i < n && next < shown; i++) {
    const char *stop = memchr(text, '\n', (size_t)(end - text));
    int64_t length = (stop ? stop : end) - text;
    if (n != p->n || report_row(p, next) == i) lines[next] = (line){text, length, next}, next++;
    text += length + (stop ? 1 : 0);
  }
  return lines;
}

/* Texts as one block, a line each; the array is begun and ended. */
static void put_lines(report_page *p, const char *name, const line *lines, int64_t count) {
  report_text all = {0};
  for (int64_t i = 0; i < count; i++) {
    if (i) report_text_put(&all, "\n");
    report_text_plain(&all, lines[i].text, lines[i].bytes);
  }
  if (all.failed) report_no_memory(p, name);
  int block = report_block(p, all.data ? all.data : "", all.used);
  report_text_free(&all);
  if (block < 0) return;
  report_begin(p, name, 1, &count);
  report_text_put(&p->arrays, ",\"type\":\"text\",\"blocks\":[");
  report_text_whole(&p->arrays, block);
  report_text_put(&p->arrays, "]");
  report_end(p);
}

static int by_text(const void *a, const void *b) {
  const line *x = a, *y = b;
  int order = memcmp(x->text, y->text, (size_t)(x->bytes < y->bytes ? x->bytes : y->bytes));
  if (!order) order = (x->bytes > y->bytes) - (x->bytes < y->bytes);
  return order ? order : (x->row > y->row) - (x->row < y->row);
}

static double code_entry(const void *source, int64_t i, int64_t column) {
  (void)column;
  return ((const int32_t *)source)[i];
}

/* Sorted lines become the different ones, in front; their number. An empty text is missing: -1. */
static int64_t number_levels(line *sorted, int64_t count, int32_t *code) {
  int64_t levels = 0;
  for (int64_t i = 0; i < count; i++) {
    line one = sorted[i];
    bool same = levels && sorted[levels - 1].bytes == one.bytes &&
                !memcmp(sorted[levels - 1].text, one.text, (size_t)one.bytes);
    if (one.bytes && !same) sorted[levels++] = one;
    code[one.row] = one.bytes ? (int32_t)(levels - 1) : -1;
  }
  return levels;
}

static void put_labels(report_page *p, line *lines) {
  int32_t *code = malloc((size_t)p->rows * sizeof *code + 1);
  if (!code) {
    report_no_memory(p, "labels");
    return;
  }
  qsort(lines, (size_t)p->rows, sizeof *lines, by_text);
  int64_t levels = number_levels(lines, p->rows, code);
  report_table t = {
      .name = "labels", .rank = 1, .shape = {p->rows}, .whole = true, .entry = code_entry, .source = code};
  report_columns(p, &t);
  free(code);
  if (p->arrays.failed) report_no_memory(p, "labels");
  if (p->status < 0) return;
  if (levels > MOST_LEVELS) {
    put_lines(p, "label_levels", lines, levels);
    return;
  }
  p->arrays.used--; /* the brace of the labels */
  report_text_put(&p->arrays, ",\"levels\":[");
  for (int64_t i = 0; i < levels; i++) {
    report_text_put(&p->arrays, i ? "," : "");
    report_text_string(&p->arrays, lines[i].text, lines[i].bytes);
  }
  report_text_put(&p->arrays, "]");
  report_end(p);
}

/* Ids of averages are those of the stack. */
static int64_t lines_of(const report_page *p) {
  const lavdm_item *item = report_find(p, "ids");
  int64_t bytes, found = 1;
  if (strcmp(p->kind, "average") || !item || item->type != LAVDM_ITEM_TEXT) return p->n;
  const char *text = report_string(item, &bytes);
  for (int64_t i = 0; i + 1 < bytes; i++) found += text[i] == '\n';
  return found;
}

void report_texts(report_page *p) {
  int64_t n = lines_of(p);
  line *ids = take_lines(p, "ids", n);
  if (ids) put_lines(p, "ids", ids, n == p->n ? p->rows : n);
  free(ids);
  line *labels = take_lines(p, "labels", p->n);
  if (labels) put_labels(p, labels);
  free(labels);
}
