/* Eigenvalues, as many eigenvectors as there is room for, the double cover, and numbers of points. */
#include "report/page.h"

#include <stdio.h>
#include <string.h>

enum { LEAST_VECTORS = 4, COVER = 6, DRAWN = 3 };

/* Columns of an item, some of them, in some order. */
typedef struct {
  const report_page *page;
  const lavdm_item *item;
  int64_t columns;       /* of the item */
  int64_t taken, spread; /* eigenvectors: column (a, l) of `taken` a row is (a, l) of `spread` */
  int64_t index[COVER];  /* cover: which columns */
} chosen;

static double vector_entry(const void *source, int64_t i, int64_t column) {
  const chosen *c = source;
  int64_t from = column / c->taken * c->spread + column % c->taken;
  return report_value(c->item, report_row(c->page, i) * c->columns + from);
}

/* Rows i and n + i of the result are rows i and N + i. */
static double cover_entry(const void *source, int64_t i, int64_t column) {
  const chosen *c = source;
  const report_page *p = c->page;
  int64_t row = i < p->rows ? report_row(p, i) : p->n + report_row(p, i - p->rows);
  return report_value(c->item, row * c->columns + c->index[column]);
}

static void put_vectors(report_page *p, const lavdm_item *u) {
  int64_t q = u->shape[1], r = u->shape[2];
  double one = (double)p->rows * (double)q * (p->rows > REPORT_LARGE ? 2 : 4) * 4 / 3;
  double most = (double)p->options.vector_bytes / one;
  int64_t taken = most < (double)r ? (int64_t)most : r;
  if (taken < LEAST_VECTORS) taken = r < LEAST_VECTORS ? r : LEAST_VECTORS;
  if (taken < r)
    report_note(p, "the first %lld of %lld eigenvectors are in the page: the others would make it too large",
                (long long)taken, (long long)r);
  chosen source = {.page = p, .item = u, .columns = q * r, .taken = taken, .spread = r};
  report_table t = {.name = "eigenvectors",
                    .rank = 3,
                    .shape = {p->rows, q, taken},
                    .entry = vector_entry,
                    .source = &source};
  report_columns(p, &t);
}

void report_spectrum(report_page *p) {
  static const char *const lists[] = {
      "residuals",    "coordinate_index", "coordinate_lead",      "coordinate_residuals", "trust_groups",
      "trust_facts",  "isolated_points",  "component_orientable", "component_confidence", "cover_eigenvalues",
      "cover_parity", "landmark_index",   "landmark_nodes",       "image_shape",          NULL};
  lavdm_item any;
  const lavdm_item *values = report_array(p, "eigenvalues", 1, -1, &any);
  int64_t known = values ? values->shape[0] : 0;
  if (values) report_values(p, values);
  const lavdm_item *u = report_array(p, "eigenvectors", 3, p->n, &any);
  if (u && (u->shape[2] != known || u->shape[1] < 1 || u->shape[2] < 1)) {
    report_fail(
        p, LAVDM_ERROR_DATA,
        "there are %lld eigenvalues for %lld eigenvectors of %lld entries: this is no result of lavdm",
        (long long)known, (long long)u->shape[2], (long long)u->shape[1]);
    return;
  }
  if (u) put_vectors(p, u);
  for (int k = 0; lists[k]; k++) {
    const lavdm_item *list = report_array(p, lists[k], 1, -1, &any);
    if (list) report_values(p, list);
  }
  const lavdm_item *table = report_array(p, "trust_table", 2, -1, &any);
  if (table) report_values(p, table);
}

/* Number l of an item that may be missing or shorter. */
static double number_at(const lavdm_item *item, int64_t l, double otherwise) {
  return item && l < item->shape[0] ? report_value(item, l) : otherwise;
}

static bool is_taken(const chosen *c, int64_t count, int64_t l) {
  for (int64_t k = 0; k < count; k++)
    if (c->index[k] == l) return true;
  return false;
}

/*
 * Coordinates of the cover that are shown: those of `index` first, then the next, until three can be drawn,
 * one of which is odd, as even ones are equal at the two points over a point. Eigenvalues that are 1 belong
 * to coordinates that only tell pieces apart; they are shown if there are no others.
 */
static int64_t choose_cover(chosen *c, const lavdm_item *index, const lavdm_item *values,
                            const lavdm_item *parity) {
  int64_t count = 0, given = index ? index->shape[0] : 0;
  bool odd = false;
  for (int pass = 0; pass < 2 && !count; pass++)
    for (int64_t k = 0; k < given + c->columns && count < COVER - 1; k++) {
      int64_t l = k < given ? (int64_t)report_value(index, k) : k - given;
      if ((k >= given && count >= DRAWN) || is_taken(c, count, l)) continue;
      if (pass == 0 && number_at(values, l, 0) > 1 - 1e-9) continue;
      odd |= number_at(parity, l, 1) < 0;
      c->index[count++] = l;
    }
  for (int64_t l = 0; l < c->columns && !odd; l++)
    if (number_at(parity, l, 1) < 0 && !(number_at(values, l, 0) > 1 - 1e-9)) {
      c->index[count++] = l;
      odd = true;
    }
  return count;
}

void report_cover(report_page *p) {
  lavdm_item any[4];
  const lavdm_item *cover = report_array(p, "cover", 2, 2 * p->n, &any[0]);
  const lavdm_item *index = report_array(p, "cover_index", 1, -1, &any[1]);
  const lavdm_item *values = report_array(p, "cover_eigenvalues", 1, -1, &any[2]);
  const lavdm_item *parity = report_array(p, "cover_parity", 1, -1, &any[3]);
  if (!cover || cover->shape[1] < 1) return;
  for (int64_t k = 0; index && k < index->shape[0]; k++) {
    double at = report_value(index, k);
    if (!(at >= 0 && at < (double)cover->shape[1])) {
      report_fail(p, LAVDM_ERROR_DATA, "cover_index names a coordinate that the cover has not");
      return;
    }
  }
  chosen source = {.page = p, .item = cover, .columns = cover->shape[1]};
  int64_t count = choose_cover(&source, index, values, parity);
  if (!count) return;
  report_text names = {0};
  for (int64_t k = 0; k < count; k++) {
    report_text_put(&names, k ? ",\"cover " : "\"cover ");
    report_text_whole(&names, source.index[k]);
    report_text_put(&names, "\"");
  }
  report_table t = {.name = "cover",
                    .rank = 2,
                    .shape = {2 * p->rows, count},
                    .entry = cover_entry,
                    .source = &source,
                    .names = &names};
  report_columns(p, &t);
  report_text_free(&names);
}

/* Arrays that are lists of something else than points, even where they are as long. */
static bool is_other(const char *name) {
  static const char *const names[] = {"eigenvalues",  "residuals", "pca_mean", "centre", "isolated_points",
                                      "image_shape",  "edges",     "images",   "points", "frames",
                                      "eigenvectors", "averages",  NULL};
  static const char *const begin[] = {"landmark", "coordinate_", "cover",   "trust", "component_",
                                      "column_",  "band_",       "option_", NULL};
  for (int k = 0; names[k]; k++)
    if (!strcmp(name, names[k])) return true;
  for (int k = 0; begin[k]; k++)
    if (!strncmp(name, begin[k], strlen(begin[k]))) return true;
  return false;
}

/* Names under which the page keeps its own arrays. */
static bool is_own(const char *name) {
  static const char *const names[] = {
      "row",    "ids",    "labels", "label_levels", "data", "principal", "principal_frames", "alignment",
      "thumbs", "layout", NULL};
  for (int k = 0; names[k]; k++)
    if (!strcmp(name, names[k])) return true;
  return false;
}

/* An array of a name that is the page's own is shown under another one. */
static void put_colour(report_page *p, lavdm_item *list) {
  char name[64];
  snprintf(name, sizeof name, "%.40s of the result", list->name);
  if (is_own(list->name)) list->name = name;
  report_points(p, list);
}

void report_colours(report_page *p) {
  for (int i = 0; i < p->count && p->status >= 0; i++) {
    const lavdm_item *item = &p->items[i];
    lavdm_item list;
    if (item->type == LAVDM_ITEM_TEXT || item->rank < 1 || item->rank > 2 || is_other(item->name)) continue;
    if (report_count(item) != p->n || report_find(p, item->name) != item || (p->n == 1 && item->rank != 1))
      continue;
    if (item->rank == 2 && item->shape[0] != 1 && item->shape[1] != 1) continue;
    if (report_array(p, item->name, 1, p->n, &list)) put_colour(p, &list);
  }
}
