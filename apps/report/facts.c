/* The facts of a run: its numbers and texts as one object, lists of sentences and names as lists. */
#include "report/page.h"

#include <stdlib.h>
#include <string.h>

static bool is_one_of(const char *name, const char *const *names) {
  for (int k = 0; names[k]; k++)
    if (!strcmp(name, names[k])) return true;
  return false;
}

/* "a\nb" or "a b" as ["a","b"]. */
static void put_list(report_text *to, const char *text, int64_t bytes, char separator) {
  bool any = false;
  report_text_put(to, "[");
  for (int64_t from = 0; from < bytes;) {
    const char *end = memchr(text + from, separator, (size_t)(bytes - from));
    int64_t length = end ? end - (text + from) : bytes - from;
    if (length) {
      report_text_put(to, any ? "," : "");
      report_text_string(to, text + from, length);
      any = true;
    }
    from += length + 1;
  }
  report_text_put(to, "]");
}

/* A value of timings is a number. */
static void put_value(report_text *to, const char *text, int64_t bytes, bool number) {
  char copy[64];
  char *end = copy;
  if (number && bytes < (int64_t)sizeof copy) {
    memcpy(copy, text, (size_t)bytes);
    copy[bytes] = 0;
    double value = strtod(copy, &end);
    if (end != copy && !*end) {
      report_text_number(to, value);
      return;
    }
  }
  report_text_string(to, text, bytes);
}

/* Lines "name = value", or "name seconds" whose last word is the number, as an object. */
static void put_object(report_text *to, const char *text, int64_t bytes, bool times) {
  bool any = false;
  report_text_put(to, "{");
  for (int64_t from = 0; from < bytes;) {
    const char *line = text + from, *end = memchr(line, '\n', (size_t)(bytes - from));
    int64_t length = end ? end - line : bytes - from, name = 0, value;
    from += length + 1;
    if (times) {
      for (name = length; name > 0 && line[name - 1] != ' ';) name--;
      value = name--;
    } else {
      while (name + 3 <= length && memcmp(line + name, " = ", 3) != 0) name++;
      value = name + 3;
    }
    if (name < 1 || value > length) continue;
    report_text_put(to, any ? "," : "");
    report_text_string(to, line, name);
    report_text_put(to, ":");
    put_value(to, line + value, length - value, times);
    any = true;
  }
  report_text_put(to, "}");
}

static void put_text(report_text *to, const lavdm_item *item) {
  static const char *const sentences[] = {"warnings", "reasons", "notes", NULL};
  static const char *const words[] = {"given", "auto", NULL};
  int64_t bytes;
  const char *text = report_string(item, &bytes);
  if (is_one_of(item->name, sentences))
    put_list(to, text, bytes, '\n');
  else if (is_one_of(item->name, words))
    put_list(to, text, bytes, ' ');
  else if (!strcmp(item->name, "options") || !strcmp(item->name, "timings"))
    put_object(to, text, bytes, !strcmp(item->name, "timings"));
  else
    report_text_string(to, text, bytes);
}

static bool is_fact(const lavdm_item *item) {
  static const char *const arrays[] = {"ids",
                                       "labels",
                                       "columns",
                                       "eigenvalues",
                                       "residuals",
                                       "eigenvectors",
                                       "nodes",
                                       "elements",
                                       "component",
                                       "degrees",
                                       "signs",
                                       "leading",
                                       "trust",
                                       "trust_groups",
                                       "trust_table",
                                       "isolated_points",
                                       "images",
                                       "neighbours",
                                       "angles",
                                       "reflected",
                                       "distances",
                                       "densities",
                                       "graph_component",
                                       "landmark_index",
                                       "gaps",
                                       "component_median",
                                       "component_95",
                                       "component_nodes",
                                       "component_edges",
                                       "component_first",
                                       "component_cost",
                                       "component_bound",
                                       "component_rank",
                                       "component_certified",
                                       "points",
                                       "checksum",
                                       "page_notes",
                                       NULL};
  return !is_one_of(item->name, arrays) && (item->type == LAVDM_ITEM_TEXT || report_is_number(item));
}

/* Options that a model keeps one by one: option_NAME. */
static void put_kept_options(report_page *p, report_text *to) {
  bool any = false;
  report_text_put(to, "{");
  for (int i = 0; i < p->count; i++) {
    const lavdm_item *item = &p->items[i];
    int64_t bytes;
    if (strncmp(item->name, "option_", 7) != 0 || item->type != LAVDM_ITEM_TEXT) continue;
    const char *text = report_string(item, &bytes);
    report_text_put(to, any ? "," : "");
    report_text_string(to, item->name + 7, (int64_t)strlen(item->name + 7));
    report_text_put(to, ":");
    report_text_string(to, text, bytes);
    any = true;
  }
  report_text_put(to, "}");
}

void report_facts(report_page *p, report_text *to) {
  bool any = false, options = report_find(p, "options") != NULL;
  report_text_put(to, "{");
  for (int i = 0; i < p->count; i++) {
    const lavdm_item *item = &p->items[i];
    if (!is_fact(item) || !strncmp(item->name, "option_", 7) || report_find(p, item->name) != item) continue;
    report_text_put(to, any ? "," : "");
    report_text_string(to, item->name, (int64_t)strlen(item->name));
    report_text_put(to, ":");
    if (item->type == LAVDM_ITEM_TEXT)
      put_text(to, item);
    else
      report_text_number(to, report_value(item, 0));
    any = true;
  }
  if (!options) {
    report_text_put(to, any ? ",\"options\":" : "\"options\":");
    put_kept_options(p, to);
  }
  report_text_put(to, "}");
}
