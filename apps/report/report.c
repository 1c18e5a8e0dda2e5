/* The page from end to end: what kind of result it is, which rows are shown, and its parts in order. */
#include "common/door.h"
#include "report/graph.h"

#include <inttypes.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

static const char marker[] = "<!-- data -->";

static const app_sizes sizes = {SIZE_TO(lavdm_report_options, progress_user), sizeof(lavdm_report_options)};

enum { MOST_POINTS = 1000000, VECTOR_BYTES = 48000000 };

static lavdm_report_options usual(void) {
  return (lavdm_report_options){.size = sizeof(lavdm_report_options),
                                .points = LAVDM_AUTO,
                                .vector_bytes = LAVDM_AUTO,
                                .seed = 1,
                                .threads = LAVDM_AUTO};
}

void lavdm_report_init(lavdm_report_options *options, size_t size) {
  lavdm_report_options own = usual();
  app_fill(&sizes, &own, options, size);
}

/* An item that no reader would make: refused before anything is looked up. */
static void check_items(report_page *p) {
  for (int i = 0; i < p->count && p->status >= 0; i++) {
    const lavdm_item *item = &p->items[i];
    int64_t count = 1;
    bool good = item->name && item->name[0] && item->rank >= 0 && item->rank <= LAVDM_ITEM_RANK &&
                (unsigned)item->type <= LAVDM_ITEM_SINGLE;
    for (int k = 0; good && k < item->rank; k++)
      good =
          item->shape[k] >= 0 && !__builtin_mul_overflow(count, item->shape[k] ? item->shape[k] : 1, &count);
    good = good && count < INT64_MAX / 64 && (item->data || !report_count(item));
    if (!good)
      report_fail(p, LAVDM_ERROR_ARGUMENT, "item %d has no name, a shape that is none, or no data", i);
  }
}

/* What it is, by the arrays that are there; and how many rows it has. */
static void find_kind(report_page *p) {
  static const struct {
    const char *array, *kind;
    int rank;
  } all[] = {{"neighbours", "average", 2}, {"elements", "sync", 3}, {"eigenvectors", "embed", 3}};
  lavdm_item any;
  for (int k = 0; k < 3 && !p->kind && p->status >= 0; k++) {
    if (k == 0 && !report_find(p, "angles")) continue;
    if (k == 1 && !report_find(p, "nodes")) continue;
    const lavdm_item *array = report_array(p, all[k].array, all[k].rank, -1, &any);
    if (array) p->kind = all[k].kind, p->n = array->shape[0];
  }
  if (p->status < 0) return;
  if (!p->kind)
    report_fail(
        p, LAVDM_ERROR_DATA,
        "it has no eigenvectors of points, no elements of nodes and no neighbours of images: it is no "
        "result of lavdm, or one of --compact, which leaves them out");
  else if (p->n < 1)
    report_fail(p, LAVDM_ERROR_DATA, "it has no points");
  else if (!strcmp(p->kind, "embed") && (report_find(p, "signs") || report_find(p, "verdict")))
    p->kind = "orient";
  else if (!strcmp(p->kind, "embed") && report_find(p, "model"))
    p->kind = "extend";
}

/* A fair sample without replacement, by one pass: row i is taken with the share of those still wanted. */
static void choose_rows(report_page *p) {
  int64_t most = p->options.points, taken = 0;
  p->rows = p->n;
  if (p->n <= most || p->status < 0) return;
  p->row = malloc((size_t)most * sizeof *p->row);
  if (!p->row) {
    report_no_memory(p, "the sample of points");
    return;
  }
  lavdm_random random;
  lavdm_random_start(&random, p->options.seed, REPORT_STREAM);
  for (int64_t i = 0; i < p->n && taken < most; i++)
    if (lavdm_random_uniform(&random) * (double)(p->n - i) < (double)(most - taken)) p->row[taken++] = i;
  p->rows = taken;
  report_note(p, "%lld of %lld points are shown, drawn at random", (long long)p->rows, (long long)p->n);
}

static double row_entry(const void *source, int64_t i, int64_t column) {
  (void)column;
  return (double)((const int64_t *)source)[i];
}

static void put_arrays(report_page *p) {
  report_table rows = {
      .name = "row", .rank = 1, .shape = {p->rows}, .whole = true, .entry = row_entry, .source = p->row};
  if (p->row) report_columns(p, &rows);
  report_texts(p);
  if (!strcmp(p->kind, "sync")) {
    report_graph(p);
  } else if (!strcmp(p->kind, "average")) {
    report_averages(p);
    report_images(p);
  } else {
    report_data(p);
    report_spectrum(p);
    report_cover(p);
    report_colours(p);
    report_images(p);
  }
}

/* Sentences of the program's own, a line each. */
static void put_notes(report_page *p) {
  const lavdm_item *item = report_find(p, "page_notes");
  int64_t bytes;
  if (!item || item->type != LAVDM_ITEM_TEXT) return;
  const char *text = report_string(item, &bytes);
  for (int64_t from = 0; from < bytes;) {
    const char *end = memchr(text + from, '\n', (size_t)(bytes - from));
    int64_t length = end ? end - (text + from) : bytes - from;
    report_text_comma(&p->notes);
    report_text_string(&p->notes, text + from, length);
    from += length + 1;
  }
}

/* The block that says what is in the others. */
static void put_page(report_page *p) {
  report_text page = {0};
  const char *title = p->options.title ? p->options.title : "lavdm";
  report_text_put(&page, "<script type=\"application/json\" id=\"page\">{\"format\":1,\"kind\":\"");
  report_text_put(&page, p->kind);
  report_text_put(&page, "\",\"title\":");
  report_text_string(&page, title, (int64_t)strlen(title));
  report_text_put(&page, ",\"facts\":");
  report_facts(p, &page);
  report_text_put(&page, ",\"notes\":[");
  report_text_add(&page, p->notes.data, p->notes.used);
  report_text_put(&page, "],\"rows\":");
  report_text_whole(&page, p->rows);
  report_text_put(&page, ",\"of\":");
  report_text_whole(&page, p->n);
  report_text_put(&page, ",\"arrays\":{");
  report_text_add(&page, p->arrays.data, p->arrays.used);
  report_text_put(&page, "}}</script>\n");
  if (page.failed || p->notes.failed || p->arrays.failed) report_no_memory(p, "the facts");
  if (p->status >= 0) p->status = lavdm_file_write(p->file, page.data, page.used);
  report_text_free(&page);
}

static void write_page(report_page *p, const char *path) {
  const unsigned char *at = NULL;
  size_t length = sizeof marker - 1;
  for (size_t i = 0; i + length <= report_template_bytes && !at; i++)
    if (!memcmp(report_template + i, marker, length)) at = report_template + i;
  if (!at) report_fail(p, LAVDM_ERROR_ARGUMENT, "the template of the page has no place for data");
  if (p->status < 0) return;
  p->status = lavdm_file_open(path, &p->file, p->error);
  size_t before = (size_t)(at - report_template);
  if (p->status >= 0) p->status = lavdm_file_write(p->file, report_template, before);
  if (p->status >= 0) put_arrays(p);
  put_notes(p);
  if (p->status >= 0) put_page(p);
  if (p->status >= 0)
    p->status = lavdm_file_write(p->file, at + length, report_template_bytes - before - length);
  p->status = lavdm_file_close(p->file, p->status);
}

/* AUTO or a number from 1 on. */
static void check_number(report_page *p, const char *name, int64_t usual_value, int64_t *value) {
  if (*value == LAVDM_AUTO) *value = usual_value;
  if (*value < 1)
    report_fail(p, LAVDM_ERROR_ARGUMENT, "%s is %" PRId64 ": it must be 1 or more, or AUTO", name, *value);
}

/* Numbers are written and read with points, whatever the locale of the program is. */
static void write_plainly(report_page *p, const char *path) {
  locale_t plain = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
  if (!plain) {
    report_no_memory(p, "the numbers");
    return;
  }
  locale_t before = uselocale(plain);
  write_page(p, path);
  uselocale(before);
  freelocale(plain);
}

int lavdm_report_write(const char *path, const lavdm_item *items, int count,
                       const lavdm_report_options *options, lavdm_error *error) {
  lavdm_error own = {0};
  report_page p = {.items = items, .count = count, .options = usual(), .error = error ? error : &own};
  p.error->status = LAVDM_OK, p.error->message[0] = 0;
  if (options) p.status = app_options(&sizes, options, &p.options, p.error);
  if (p.status >= 0 && (!path || count < 0 || (count && !items)))
    report_fail(&p, LAVDM_ERROR_ARGUMENT, "a page needs a path and the items of a result");
  check_number(&p, "points", MOST_POINTS, &p.options.points);
  check_number(&p, "vector_bytes", VECTOR_BYTES, &p.options.vector_bytes);
  if (p.status >= 0)
    p.threads = lavdm_threads(p.options.threads, p.error), p.status = p.threads < 0 ? p.threads : 0;
  if (p.status >= 0) check_items(&p);
  if (p.status >= 0) find_kind(&p);
  choose_rows(&p);
  if (p.status >= 0) write_plainly(&p, path);
  free(p.row);
  report_text_free(&p.arrays);
  report_text_free(&p.notes);
  return p.status;
}
