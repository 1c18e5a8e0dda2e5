/* Building one JSON object: a failure anywhere is remembered until the end. */
#ifndef LAVDM_CLI_JSON_H
#define LAVDM_CLI_JSON_H

#include "lavdm.h"

#include <jansson.h>
#include <stdbool.h>

typedef struct {
  json_t *object;
  bool failed; /* out of memory somewhere */
} json_builder;

void json_start(json_builder *b);
void json_free(json_builder *b); /* accepts a zeroed one */

/* Adds a value, which is taken over; NULL counts as a failure. */
void json_put(json_builder *b, const char *name, json_t *value);
void json_put_text(json_builder *b, const char *name, const char *text); /* null if NULL */
void json_put_whole(json_builder *b, const char *name, int64_t value);
void json_put_real(json_builder *b, const char *name, double value); /* null if not finite */
void json_put_reals(json_builder *b, const char *name, const double *values, int64_t count);

/* A string; what is not UTF-8 is shown as text_show does. */
json_t *json_text(const char *text);
json_t *json_number(double value);

/* Zero, or the status of a builder that ran out of memory. */
int json_status(const json_builder *b, lavdm_error *error);

/* The object on stdout, and a newline. */
int json_print(const json_builder *b, lavdm_error *error);

#endif
