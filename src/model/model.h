/* A fitted model: the arrays that lavdm_get hands out, and what was found. */
#ifndef LAVDM_MODEL_MODEL_H
#define LAVDM_MODEL_MODEL_H

#include "base/run.h"
#include "file/store.h"

enum { MAX_ARRAYS = 32 };

struct lavdm_model {
  lavdm_info_t info; /* its pointers lead into the members below */
  lavdm_options chosen;
  lavdm_timing timing[MAX_TIMINGS];
  char warning[MAX_WARNINGS][WARNING_SIZE];
  const char *warning_text[MAX_WARNINGS];
  char reason[MAX_REASONS][WARNING_SIZE];
  const char *reason_text[MAX_REASONS];
  int64_t *isolated;
  int arrays;
  lavdm_array array[MAX_ARRAYS];
  void *owned[MAX_ARRAYS];          /* the same data, to free: large_free; NULL if they lie in the store */
  store_t *store;                   /* the file of a model that was loaded, or NULL */
  lavdm_progress_function progress; /* of functions that ask the model, or NULL */
  void *progress_user;
  lavdm_trust_t trust;
  bool compact; /* saved without the results of the points themselves */
};

/* Adds a zeroed array and returns its data, or NULL if out of memory. */
void *model_array(lavdm_model *model, large_t *large, const char *name, lavdm_type type, int rank, int64_t a,
                  int64_t b, int64_t c);

/* Row i (`width` numbers) of an array of reals, which are copied to `space` if
 * the array is in single precision. */
const double *model_row(const lavdm_array *array, int64_t i, int64_t width, double *space);

/* Data of the double array `name`, or NULL. */
const double *model_data(const lavdm_model *model, const char *name);

/* The array `name`, or NULL with the error that a compact model has none. */
const lavdm_array *model_need(const lavdm_model *model, const char *name, lavdm_error *error);

/* Whether the references are landmarks, not the points themselves. */
bool model_has_landmarks(const lavdm_model *model);

/* The fibre q that the options, all chosen, ask for; 0 if the user's edges have it. */
int64_t model_fibre(const lavdm_options *chosen);

/* Whether an array is in the table of model/check.c, and whether it holds results
 * of the points themselves, which a compact file leaves out. */
bool model_is_known(const char *name);
bool model_is_pointwise(const char *name);

/* Whether the arrays of the table that must be finite are, and within their ranges, before a result is handed
 * out; model->chosen is set. */
int model_check_results(const lavdm_model *model, lavdm_error *error);

/* Copies timings, warnings and reasons and settles the pointers of info. */
void model_finish(lavdm_model *model, const run_t *run);

#endif
