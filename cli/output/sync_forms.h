/* The elements of the nodes in the form of the input. */
#ifndef LAVDM_CLI_SYNC_FORMS_H
#define LAVDM_CLI_SYNC_FORMS_H

#include "output/sync_result.h"

/* Whole numbers, or `width` reals. */
typedef struct {
  int64_t width;
  int64_t *whole; /* n, or NULL */
  double *real;   /* n x width, or NULL */
} forms;

int forms_new(const sync_facts *facts, lavdm_error *error, forms *f);
void forms_free(forms *f); /* accepts a zeroed one */

#endif
