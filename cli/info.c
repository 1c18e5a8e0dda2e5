/* lavdm info: what is in a file. */
#include "base/command.h"
#include "io/io.h"
#include "base/json.h"
#include "output/info_table.h"
#include "output/trust.h"
#include "io/sentence.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Smallest, largest and number of those that are no number; all over the
 * finite or infinite ones. */
typedef struct {
  double least, most;
  int64_t nan, count;
} extent;

static double value_at(const io_array *a, int64_t i) {
  return a->type == IO_INTEGER ? (double)((const int64_t *)a->data)[i] : ((const double *)a->data)[i];
}

static extent extent_of(const io_array *a) {
  extent e = {NAN, NAN, 0, io_array_count(a)};
  for (int64_t i = 0; i < e.count; i++) {
    double value = value_at(a, i);
    if (isnan(value)) {
      e.nan++;
      continue;
    }
    if (!(e.least <= value)) e.least = value;
    if (!(e.most >= value)) e.most = value;
  }
  return e;
}

static const char *type_name(const io_array *a) {
  return a->type == IO_REAL ? "real" : a->type == IO_INTEGER ? "integer" : "text";
}

/* One number, or text: shown by its value. MAT files keep scalars as 1 x 1. */
static bool is_value(const io_array *a) {
  return a->type == IO_TEXT || a->rank == 0 || (io_array_count(a) == 1 && a->rank <= 2);
}

static const char *shown_name(const io_array *a) {
  return a->name ? a->name : "(array)";
}

/* "2000 x 2 x 20". */
static void shape_text(const io_array *a, char *text, size_t size) {
  size_t used = 0;
  text[0] = 0;
  for (int k = 0; k < a->rank && used < size; k++)
    used += (size_t)snprintf(text + used, size - used, "%s%" PRId64, k ? " x " : "", a->shape[k]);
}

static void print_array(const io_array *a) {
  char shape[128];
  shape_text(a, shape, sizeof shape);
  extent e = extent_of(a);
  printf("  %-16s %-8s %-18s", shown(shown_name(a)), type_name(a), shape);
  if (e.count == 0)
    printf(" empty");
  else if (e.nan < e.count)
    printf(" from %.6g to %.6g", e.least, e.most);
  if (e.nan) printf(", %" PRId64 " NaN", e.nan);
  putchar('\n');
  if (a->name && !strcmp(a->name, "coordinate_index") && a->type == IO_INTEGER) {
    printf("  %-16s", "");
    for (int64_t i = 0; i < e.count && i < 20; i++) printf(" %" PRId64, ((const int64_t *)a->data)[i]);
    printf("%s\n", e.count > 20 ? " ..." : "");
  }
  if (a->name && !strcmp(a->name, "eigenvalues") && a->type == IO_REAL) {
    printf("  %-16s", "");
    for (int64_t i = 0; i < e.count && i < 8; i++) printf(" %.6f", value_at(a, i));
    printf("%s\n", e.count > 8 ? " ..." : "");
  }
}

/* Text of any length, whose lines stand below each other. */
static void print_text(const char *text) {
  enum { PART = 200, LINES = 40 };
  for (int lines = 0; *text;) {
    char part[PART + 1] = "", safe[4 * PART + 1];
    size_t line = strcspn(text, "\n");
    int length = line < PART ? (int)line : text_cut(text, PART);
    memcpy(part, text, (size_t)length);
    text_show(safe, sizeof safe, part);
    fputs(safe, stdout);
    text += length;
    if (*text == '\n' && ++lines == LINES) {
      int64_t more = 0;
      for (; *text; text++) more += *text == '\n';
      printf("\n  %-20s ... and %" PRId64 " more lines", "", more);
    } else if (*text == '\n') {
      printf("\n  %-20s ", "");
      text++;
    }
  }
  putchar('\n');
}

static void print_value(const io_array *a) {
  printf("  %-20s ", shown(shown_name(a)));
  if (a->type == IO_INTEGER) {
    printf("%" PRId64 "\n", ((const int64_t *)a->data)[0]);
  } else if (a->type == IO_REAL) {
    printf("%.10g\n", ((const double *)a->data)[0]);
  } else {
    print_text(a->data);
  }
}

static void print_all(const char *path, const io_array *arrays, int count) {
  bool any = false;
  printf("%s\n", shown(path));
  for (int i = 0; i < count; i++)
    if (!is_value(&arrays[i])) print_array(&arrays[i]);
  for (int i = 0; i < count; i++) {
    if (!is_value(&arrays[i])) continue;
    if (!any) putchar('\n');
    any = true;
    print_value(&arrays[i]);
  }
  lavdm_trust_t trust;
  if (trust_of(arrays, count, &trust)) {
    putchar('\n');
    trust_print(&trust);
  }
  if (!count) printf("  nothing: no array of numbers and no text\n");
}

/* The same as one object: `arrays`, a list, and `values`, by name. */
static int print_json(const char *path, const io_array *arrays, int count, lavdm_error *error) {
  json_builder object = {0}, values = {0};
  json_start(&object);
  json_start(&values);
  json_t *list = json_array();
  for (int i = 0; i < count; i++) {
    const io_array *a = &arrays[i];
    if (a->type == IO_TEXT) {
      json_put_text(&values, shown_name(a), a->data);
    } else if (is_value(a) && a->type == IO_INTEGER) {
      json_put_whole(&values, shown_name(a), ((const int64_t *)a->data)[0]);
    } else if (is_value(a)) {
      json_put_real(&values, shown_name(a), ((const double *)a->data)[0]);
    } else {
      json_builder one = {0};
      json_start(&one);
      extent e = extent_of(a);
      json_t *shape = json_array();
      for (int k = 0; k < a->rank; k++)
        if (json_array_append_new(shape, json_integer(a->shape[k]))) object.failed = true;
      json_put_text(&one, "name", a->name);
      json_put_text(&one, "type", type_name(a));
      json_put(&one, "shape", shape);
      json_put_real(&one, "min", e.least);
      json_put_real(&one, "max", e.most);
      json_put_whole(&one, "nan", e.nan);
      if (a->name && !strcmp(a->name, "eigenvalues") && a->type == IO_REAL)
        json_put_reals(&one, "leading", a->data, e.count < 20 ? e.count : 20);
      if (one.failed || json_array_append(list, one.object)) object.failed = true;
      json_free(&one);
    }
  }
  json_put_text(&object, "file", path);
  json_put(&object, "arrays", list);
  if (values.failed) object.failed = true;
  json_put(&object, "values", values.object);
  lavdm_trust_t trust;
  if (trust_of(arrays, count, &trust)) trust_put(&object, &trust);
  int status = json_print(&object, error);
  json_free(&object);
  return status;
}

/* A file that says it is a model must be one that can be opened, and whole. */
static int check_model(const char *path, const io_array *arrays, int count, lavdm_error *error) {
  bool model = false;
  for (int i = 0; i < count; i++)
    model |= arrays[i].type == IO_TEXT && arrays[i].name && !strcmp(arrays[i].name, "format") &&
             !strcmp(arrays[i].data, LAVDM_MODEL_FORMAT);
  if (!model || !io_is_h5(path)) return LAVDM_OK;
  lavdm_model *opened;
  int status = lavdm_load(path, &opened, error);
  lavdm_free(opened);
  return status;
}

/* True for a table with names or text, whose columns are told instead of one array. */
static bool has_columns(const io_table *t) {
  for (int64_t j = 0; j < t->columns; j++)
    if (t->column[j].name || t->column[j].texts) return true;
  return false;
}

static int table_info(io_table *t, bool json, lavdm_error *error) {
  if (!json) return info_table_print(t, error);
  json_builder object = {0};
  json_start(&object);
  int status = info_table_put(t, &object, error);
  if (status >= 0) status = json_print(&object, error);
  json_free(&object);
  return status;
}

static int run_info(const arguments *a, lavdm_error *error) {
  if (io_is_table(a->operand[0])) {
    io_table t = {0};
    int status = io_table_read(a->operand[0], &t, error);
    bool columns = status >= 0 && has_columns(&t);
    if (columns) status = table_info(&t, arguments_value(a, "json") != NULL, error);
    io_table_free(&t);
    if (columns || status < 0) return status;
  }
  io_array *arrays = NULL;
  int count = 0;
  int status = io_read_all(a->operand[0], &arrays, &count, error);
  if (status >= 0) status = check_model(a->operand[0], arrays, count, error);
  if (status >= 0 && arguments_value(a, "json"))
    status = print_json(a->operand[0], arrays, count, error);
  else if (status >= 0)
    print_all(a->operand[0], arrays, count);
  for (int i = 0; i < count; i++) io_array_free(&arrays[i]);
  free(arrays);
  return status;
}

static const flag flags[] = {
    {"json", 0, NULL, "print one JSON object on the standard output, and nothing else"},
    {0},
};

const command info_command = {
    .name = "info",
    .usage = "FILE",
    .summary = "what is in a result file",
    .about =
        "Lists the arrays of a file (name, type, shape, least and largest value, number of NaN), then its "
        "single values and texts: for a result the options as they were used and what was found. A model "
        "(.h5) is opened as well, which verifies its checksums. Of a table "
        "with names or text each column is told. Reads what embed reads, and pictures.",
    .example = "@ sample klein -n 2000 -o klein.npy && @ embed klein.npy -o klein.npz --quiet\n"
               "@ info klein.npz",
    .flags = flags,
    .least = 1,
    .most = 1,
    .run = run_info,
};
