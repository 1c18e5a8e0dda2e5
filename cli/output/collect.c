/*
 * Collects what goes into a result file: every array of the model, what was
 * asked for besides (ambient, embedding, coordinates, signs, cover), and the facts of
 * the run, numbers as scalars and the rest as text.
 */
#define _XOPEN_SOURCE 700
#include "output/collect.h"
#include "base/command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static collected *add(collection *c, const char *name, io_type type, int rank, const int64_t *shape,
                      const void *data) {
  if (c->count == COLLECTED) {
    c->failed = true;
    return NULL;
  }
  collected *s = &c->slots[c->count++];
  s->item = (io_item){.name = name, .type = type, .rank = rank, .data = data};
  for (int k = 0; k < rank; k++) s->item.shape[k] = shape[k];
  return s;
}

static bool has(const collection *c, const char *name) {
  for (int i = 0; i < c->count; i++)
    if (!strcmp(c->slots[i].item.name, name)) return true;
  return false;
}

static int out_of_memory(const char *what, lavdm_error *error) {
  return refuse(error, LAVDM_ERROR_MEMORY, "out of memory for %s in the result file", what);
}

/* A new array of doubles of this shape; NULL with the error set. */
static double *add_reals(collection *c, const char *name, int rank, const int64_t *shape,
                         lavdm_error *error) {
  size_t count = 1;
  for (int k = 0; k < rank; k++)
    if (__builtin_mul_overflow(count, (size_t)shape[k], &count)) count = SIZE_MAX / 16;
  double *values = calloc(count ? count : 1, sizeof *values);
  collected *s = values ? add(c, name, IO_REAL, rank, shape, values) : NULL;
  if (s) {
    s->owned = values;
    return values;
  }
  free(values);
  out_of_memory(name, error);
  return NULL;
}

static io_type type_of(const lavdm_array *a) {
  return a->type == LAVDM_I64 ? IO_INTEGER : a->type == LAVDM_F32 ? IO_SINGLE : IO_REAL;
}

static void add_arrays(collection *c, const lavdm_model *model) {
  for (int i = 0; i < lavdm_array_count(model); i++) {
    const lavdm_array *a = lavdm_array_at(model, i);
    add(c, a->name, type_of(a), a->rank, a->shape, a->data);
  }
}

static void add_cover(collection *c, const cover_t *cover) {
  add(c, "cover", IO_REAL, 2, (int64_t[]){cover->points, cover->rank}, cover->coordinates);
  add(c, "cover_eigenvalues", IO_REAL, 1, &cover->rank, cover->eigenvalues);
  add(c, "cover_parity", IO_INTEGER, 1, &cover->rank, cover->parity);
}

static int add_extras(collection *c, const lavdm_model *model, const result_extras *extras,
                      lavdm_error *error) {
  const lavdm_info_t *info = lavdm_info(model);
  const lavdm_options *chosen = info->chosen;
  int64_t n = info->n;
  if (extras->signs) add(c, "signs", IO_REAL, 1, &n, extras->signs);
  if (info->isolated > 0) add(c, "isolated_points", IO_INTEGER, 1, &info->isolated, info->isolated_index);
  if (extras->cover) add_cover(c, extras->cover);
  if (extras->ambient) {
    double *values = add_reals(c, "ambient", 3, (int64_t[]){n, info->p, chosen->components}, error);
    int status = values ? lavdm_ambient(model, values, error) : LAVDM_ERROR_MEMORY;
    if (status < 0) return status;
  }
  if (extras->embedding) {
    int64_t rank = lavdm_embedding_rank(model, chosen->time, chosen->delta);
    double *values = add_reals(c, "embedding", 2, (int64_t[]){n, rank * (rank + 1) / 2}, error);
    int status = values ? lavdm_embedding(model, chosen->time, rank, values, error) : LAVDM_ERROR_MEMORY;
    if (status < 0 || info->q != 1) return status;
    values = add_reals(c, "coordinates", 2, (int64_t[]){n, rank}, error);
    return values ? lavdm_coordinates(model, chosen->time, rank, values, error) : LAVDM_ERROR_MEMORY;
  }
  return LAVDM_OK;
}

/* One text a row, or a column: an array of texts where the format has such, else lines. */
static void add_texts(collection *c, const char *name, const io_texts *t) {
  if (t->text) add(c, name, IO_TEXT, 2, (int64_t[]){t->count, t->bytes}, t->text);
}

/* What is known of the rows and columns of the points. */
static void add_table(collection *c, const table_facts *t) {
  if (!t) return;
  add_texts(c, "ids", &t->ids);
  add_texts(c, "labels", &t->labels);
  add_texts(c, "columns", &t->names);
  int64_t length = t->label_name ? (int64_t)strlen(t->label_name) : 0;
  if (length) add(c, "label_name", IO_TEXT, 1, &length, t->label_name);
  const struct {
    const char *name;
    const double *values;
  } all[] = {{"column_mean", t->mean}, {"column_scale", t->scale}, {"column_median", t->median}};
  for (int i = 0; i < 3; i++)
    if (all[i].values) add(c, all[i].name, IO_REAL, 1, &t->width, all[i].values);
}

/* The strings of a list, with a separator between; NULL if there are none or
 * no memory. */
static char *joined(const json_t *list, char separator, bool *failed) {
  size_t size = 1, used = 0, i;
  json_t *value;
  json_array_foreach(list, i, value) {
    if (!json_is_string(value)) return NULL;
    size += json_string_length(value) + 1;
  }
  char *text = size > 1 ? calloc(size, 1) : NULL;
  if (!text) {
    *failed |= size > 1;
    return NULL;
  }
  json_array_foreach(list, i, value) {
    if (used) text[used++] = separator;
    memcpy(text + used, json_string_value(value), json_string_length(value));
    used += json_string_length(value);
  }
  return text;
}

/* "name = value", one a line; NULL without memory. */
static char *as_lines(const json_t *object) {
  const char *name;
  json_t *value;
  size_t size = 1, used = 0;
  json_object_foreach((json_t *)object, name, value) size += strlen(name) + json_string_length(value) + 4;
  char *text = calloc(size, 1);
  json_object_foreach((json_t *)object, name, value) if (text) used +=
      (size_t)snprintf(text + used, size - used, "%s = %s\n", name, json_string_value(value));
  return text;
}

static bool of_sentences(const char *name) {
  return !strcmp(name, "warnings") || !strcmp(name, "reasons") || !strcmp(name, "notes");
}

/* "stage seconds", one a line, without the total and what is not over yet; NULL without memory. */
static char *as_times(const json_t *object) {
  const char *name;
  json_t *value;
  size_t size = 1, used = 0;
  json_object_foreach((json_t *)object, name, value) size += strlen(name) + 32;
  char *text = calloc(size, 1);
  json_object_foreach((json_t *)object, name, value) {
    double seconds = json_number_value(value);
    bool stage = strcmp(name, "total") && (strcmp(name, "write") || seconds > 0);
    if (text && stage)
      used += (size_t)snprintf(text + used, size - used, "%s%s %.6g", used ? "\n" : "", name, seconds);
  }
  return text;
}

static void add_owned(collection *c, const char *name, char *text) {
  int64_t length = text ? (int64_t)strlen(text) : 0;
  collected *s = text ? add(c, name, IO_TEXT, 1, &length, text) : NULL;
  if (s)
    s->owned = text;
  else
    free(text);
}

/* A number as a scalar, a string as text, a list of strings as words (sentences
 * as lines), the object of times as its total and as `timings`. */
static void add_fact(collection *c, const char *name, const json_t *value) {
  bool lines = !strcmp(name, "options");
  if (!strcmp(name, "seconds") && json_is_object(value)) {
    char *times = as_times(value);
    if (!times) c->failed = true;
    add_owned(c, "timings", times);
  }
  if (json_is_object(value) && !lines) value = json_object_get(value, "total");
  if (json_is_integer(value) || json_is_boolean(value)) {
    collected *s = add(c, name, IO_INTEGER, 0, NULL, NULL);
    if (!s) return;
    s->whole = json_is_boolean(value) ? json_is_true(value) : json_integer_value(value);
    s->item.data = &s->whole;
  } else if (json_is_real(value)) {
    collected *s = add(c, name, IO_REAL, 0, NULL, NULL);
    if (!s) return;
    s->real = json_real_value(value);
    s->item.data = &s->real;
  } else if (json_is_string(value) && json_string_length(value) > 0) {
    int64_t length = (int64_t)json_string_length(value);
    add(c, name, IO_TEXT, 1, &length, json_string_value(value));
  } else if (json_is_array(value) || lines) {
    add_owned(c, name, lines ? as_lines(value) : joined(value, of_sentences(name) ? '\n' : ' ', &c->failed));
  }
}

static void add_facts(collection *c, const json_builder *facts) {
  const char *name;
  json_t *value;
  json_object_foreach(facts->object, name, value) {
    /* the array of this name takes its place; their number is m */
    if (!has(c, name) && strcmp(name, "landmarks")) add_fact(c, name, value);
  }
}

void collect_add(collection *c, const char *name, io_type type, int rank, const int64_t *shape,
                 const void *data) {
  add(c, name, type, rank, shape, data);
}

void collect_table(collection *c, const table_facts *table) {
  add_table(c, table);
}

void collect_facts(collection *c, const json_builder *facts) {
  add_facts(c, facts);
}

const io_item *collect_items(collection *c) {
  for (int i = 0; i < c->count; i++) c->items[i] = c->slots[i].item;
  return c->items;
}

int collect_status(const collection *c, lavdm_error *error) {
  return c->failed ? out_of_memory("the facts of the run", error) : LAVDM_OK;
}

collection *collect_new(lavdm_error *error) {
  collection *c = calloc(1, sizeof *c);
  if (!c) out_of_memory("its contents", error);
  return c;
}

int collect_result(collection *c, const lavdm_model *model, const result_extras *extras,
                   const json_builder *facts, bool arrays, lavdm_error *error) {
  int status = json_status(facts, error);
  if (arrays) add_arrays(c, model);
  if (status >= 0) status = add_extras(c, model, extras, error);
  if (status < 0) return status;
  add_table(c, extras->table);
  add_facts(c, facts);
  return collect_status(c, error);
}

void collect_free(collection *c) {
  for (int i = 0; c && i < c->count; i++) free(c->slots[i].owned);
  free(c);
}
