#include "output/info_table.h"
#include "base/command.h"
#include "io/sentence.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* What a column holds. */
typedef struct {
  double least, most; /* of the numbers; NaN without any */
  int64_t distinct;   /* cells that differ, where there are texts; else 0 */
  char odd[64];       /* the first text, cut */
} content;

static int content_of(io_table *t, int64_t j, content *out, lavdm_error *error) {
  *out = (content){.least = NAN, .most = NAN};
  for (int64_t i = 0; i < t->rows; i++) {
    double value = t->value[i * t->columns + j];
    if (!isnan(value) && !(out->least <= value)) out->least = value;
    if (!isnan(value) && !(out->most >= value)) out->most = value;
  }
  if (!t->column[j].texts) return LAVDM_OK;
  io_texts texts = {0};
  int status = io_table_texts(t, j, &texts, error);
  if (status >= 0 && (out->distinct = io_texts_distinct(&texts)) < 0)
    status = refuse(error, LAVDM_ERROR_MEMORY, "out of memory for the texts of a column");
  const char *at = texts.text, *text = "";
  int64_t bytes = 0;
  for (int64_t i = 0; status >= 0 && i <= t->column[j].odd; i++) text = io_texts_next(&at, &bytes);
  snprintf(out->odd, sizeof out->odd, "%.*s", (int)(bytes < 60 ? bytes : 60), text);
  out->odd[text_cut(out->odd, 40)] = 0;
  io_texts_free(&texts);
  return status;
}

static const char *type_of(const io_column *c) {
  return c->texts ? (c->numbers ? "mixed" : "text") : c->whole && c->numbers ? "integer" : "real";
}

int info_table_print(io_table *t, lavdm_error *error) {
  printf("%s\n  a table of %" PRId64 " rows and %" PRId64 " columns\n", shown(t->path), t->rows, t->columns);
  for (int64_t j = 0; j < t->columns; j++) {
    const io_column *c = &t->column[j];
    content found;
    int status = content_of(t, j, &found, error);
    if (status < 0) return status;
    printf("  %4" PRId64 " %-20s %-8s", j + 1, c->name ? shown(c->name) : "", type_of(c));
    if (c->numbers) printf(" from %.6g to %.6g", found.least, found.most);
    if (c->texts && c->numbers)
      printf(", %" PRId64 " text%s, the first '%s' in line %" PRId64, c->texts, c->texts > 1 ? "s" : "",
             shown(found.odd), io_table_line(t, c->odd));
    else if (c->texts)
      printf(" %" PRId64 " different", found.distinct);
    if (c->missing) printf(", %" PRId64 " missing", c->missing);
    putchar('\n');
  }
  return LAVDM_OK;
}

int info_table_put(io_table *t, json_builder *object, lavdm_error *error) {
  json_t *list = json_array();
  int status = LAVDM_OK;
  for (int64_t j = 0; j < t->columns && status >= 0; j++) {
    const io_column *c = &t->column[j];
    content found;
    status = content_of(t, j, &found, error);
    json_builder one = {0};
    json_start(&one);
    json_put_text(&one, "name", c->name);
    json_put_text(&one, "type", type_of(c));
    json_put_real(&one, "min", found.least);
    json_put_real(&one, "max", found.most);
    json_put_whole(&one, "different", found.distinct);
    json_put_whole(&one, "missing", c->missing);
    if (one.failed || json_array_append(list, one.object)) object->failed = true;
    json_free(&one);
  }
  json_put_text(object, "file", t->path);
  json_put_whole(object, "rows", t->rows);
  json_put(object, "columns", list);
  return status;
}
