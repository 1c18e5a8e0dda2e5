#include "base/json.h"
#include "base/command.h"
#include "io/sentence.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void json_start(json_builder *b) {
  b->object = json_object();
  b->failed = !b->object;
}

void json_free(json_builder *b) {
  json_decref(b->object);
  *b = (json_builder){0};
}

void json_put(json_builder *b, const char *name, json_t *value) {
  if (!b->object || !value) {
    json_decref(value);
    b->failed = true;
    return;
  }
  /* a name that is not UTF-8 is shown as text is */
  if (json_object_set(b->object, name, value) && json_object_set(b->object, shown(name), value))
    b->failed = true;
  json_decref(value);
}

json_t *json_text(const char *text) {
  errno = 0;
  json_t *value = json_string(text);
  if (value || errno == ENOMEM) return value; /* else it is not UTF-8, and is shown as text is */
  size_t size = 4 * strlen(text) + 1;
  char *plain = malloc(size);
  if (!plain) return NULL;
  text_show(plain, size, text);
  value = json_string(plain);
  free(plain);
  return value;
}

json_t *json_number(double value) {
  return isfinite(value) ? json_real(value) : json_null();
}

void json_put_text(json_builder *b, const char *name, const char *text) {
  json_put(b, name, text ? json_text(text) : json_null());
}

void json_put_whole(json_builder *b, const char *name, int64_t value) {
  json_put(b, name, json_integer(value));
}

void json_put_real(json_builder *b, const char *name, double value) {
  json_put(b, name, json_number(value));
}

void json_put_reals(json_builder *b, const char *name, const double *values, int64_t count) {
  json_t *list = json_array();
  for (int64_t i = 0; list && values && i < count; i++)
    if (json_array_append_new(list, json_number(values[i]))) b->failed = true;
  json_put(b, name, list);
}

int json_status(const json_builder *b, lavdm_error *error) {
  return b->failed ? refuse(error, LAVDM_ERROR_MEMORY, "out of memory for the summary") : LAVDM_OK;
}

int json_print(const json_builder *b, lavdm_error *error) {
  int status = json_status(b, error);
  if (status < 0) return status;
  char *text = json_dumps(b->object, JSON_INDENT(2) | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(17));
  if (!text) return refuse(error, LAVDM_ERROR_MEMORY, "out of memory for the summary");
  if (puts(text) < 0) status = refuse(error, STATUS_WRITE, "could not write to the standard output");
  free(text);
  return status;
}
