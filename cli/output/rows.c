#include "output/rows.h"
#include "base/command.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { NAME_MOST = 64 };

static int no_memory(lavdm_error *error) {
  return refuse(error, LAVDM_ERROR_MEMORY, "out of memory for the table of the result");
}

/* One name, or "name_other" if there is a second number (not -1). */
static void add_name(io_texts *names, const char *word, int64_t one, int64_t other) {
  names->bytes += sprintf(names->text + names->bytes, "%s%s%" PRId64, names->count++ ? "\n" : "", word, one);
  if (other >= 0) names->bytes += sprintf(names->text + names->bytes, "_%" PRId64, other);
}

/* Names of so many columns; the caller adds them. */
static bool make_names(io_texts *names, int64_t count) {
  *names = (io_texts){.text = calloc((size_t)count + 1, NAME_MOST)};
  return names->text != NULL;
}

static int take_eigenvectors(const lavdm_model *model, io_rows_table *t, lavdm_error *error) {
  const lavdm_array *a = lavdm_get(model, "eigenvectors");
  int64_t q = a->shape[1], r = a->shape[2];
  t->values = (io_item){.type = a->type == LAVDM_F32 ? IO_SINGLE : IO_REAL,
                        .rank = 2,
                        .shape = {a->shape[0], q * r},
                        .data = a->data};
  if (!make_names(&t->names, q * r)) return no_memory(error);
  for (int64_t c = 0; c < q; c++)
    for (int64_t l = 0; l < r; l++) add_name(&t->names, "psi", l, q > 1 ? c : -1);
  return LAVDM_OK;
}

/* *owned receives the values. */
static int take_embedding(const lavdm_model *model, io_rows_table *t, double **owned, lavdm_error *error) {
  const lavdm_info_t *info = lavdm_info(model);
  double time = info->chosen->time;
  int64_t rank = lavdm_embedding_rank(model, time, info->chosen->delta), n = info->n;
  int64_t width = info->q == 1 ? rank : rank * (rank + 1) / 2;
  *owned = calloc((size_t)(n * width) + 1, sizeof **owned);
  if (!*owned || !make_names(&t->names, width)) return no_memory(error);
  t->values = (io_item){.type = IO_REAL, .rank = 2, .shape = {n, width}, .data = *owned};
  for (int64_t l = 0; l < rank; l++) {
    if (info->q == 1) add_name(&t->names, "coordinate", l, -1);
    for (int64_t s = l; s < rank && info->q > 1; s++) add_name(&t->names, "embedding", l, s);
  }
  return info->q == 1 ? lavdm_coordinates(model, time, rank, *owned, error)
                      : lavdm_embedding(model, time, rank, *owned, error);
}

static void trim_model(const void *model) {
  lavdm_trim(model);
}

int rows_write(const char *path, const lavdm_model *model, const result_extras *extras, lavdm_error *error) {
  const io_trim trim = {trim_model, model};
  double *owned = NULL;
  io_rows_table t = {0};
  if (extras->table && extras->table->ids.text) t.ids = &extras->table->ids;
  const lavdm_array *nodes = lavdm_get(model, "nodes");
  if (nodes && nodes->type == LAVDM_I64 && nodes->rank == 1 && nodes->shape[0] == lavdm_info(model)->n)
    t.numbers = nodes->data;
  if (extras->table && extras->table->labels.text) t.labels = &extras->table->labels;
  int status =
      extras->embedding ? take_embedding(model, &t, &owned, error) : take_eigenvectors(model, &t, error);
  if (status >= 0) status = io_write_rows(path, &t, lavdm_info(model)->streamed ? &trim : NULL, error);
  io_texts_free(&t.names);
  free(owned);
  return status;
}
