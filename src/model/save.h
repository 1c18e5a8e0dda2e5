/* A model as a file: how it is laid out, for the writer, the reader and the command. */
#ifndef LAVDM_MODEL_SAVE_H
#define LAVDM_MODEL_SAVE_H

#include "file/store.h"
#include "model/model.h"

#include <stdbool.h>

#define MODEL_FORMAT LAVDM_MODEL_FORMAT
enum { MODEL_MAJOR = 1, MODEL_MINOR = 0 };

/* Options are texts with this before their names. */
#define MODEL_OPTION "option_"

/* The numbers of lavdm_info_t: what they are called in a file, and where they are. */
typedef struct {
  const char *name;
  bool real; /* double; else int64_t, or int if `small` */
  bool small;
  size_t offset; /* in lavdm_info_t */
  double least, most;
} info_number;

const info_number *model_number(int i); /* NULL behind the last */

/*
 * Checks the arrays of a model against its sizes and options: types and shapes
 * of all that are known, indices within their ranges, numbers finite, and that
 * those are there which every model has.
 */
int model_check(const lavdm_model *model, const char *path, bool compact, lavdm_error *error);

#endif
