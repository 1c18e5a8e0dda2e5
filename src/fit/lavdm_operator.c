/* The matrix whose eigenpairs lavdm_fit finds: the same pipeline, which stops before the spectrum. */
#include "base/door.h"
#include "base/memory.h"
#include "fit/fit.h"

/* What lavdm_operator_t points to. */
typedef struct {
  lavdm_operator_t shown; /* first: the one that is handed out */
  blocks_t blocks;
  lavdm_model *model; /* without a spectrum: degrees, frames, landmarks, nodes, and what was chosen */
} made_t;

void lavdm_operator_free(lavdm_operator_t *op) {
  made_t *made = (made_t *)op;
  if (!made) return;
  large_free(made->blocks.start);
  large_free(made->blocks.col);
  large_free(made->blocks.block);
  lavdm_free(made->model);
  mem_free(made);
}

static const int64_t *integers(const lavdm_model *model, const char *name) {
  const lavdm_array *array = lavdm_get(model, name);
  return array ? array->data : NULL;
}

static void show(made_t *made) {
  const lavdm_model *model = made->model;
  const lavdm_info_t *info = lavdm_info(model);
  made->shown = (lavdm_operator_t){.n = info->n,
                                   .m = info->m,
                                   .q = info->q,
                                   .blocks = made->blocks.count,
                                   .start = made->blocks.start,
                                   .col = made->blocks.col,
                                   .block = made->blocks.block,
                                   .degree = model_data(model, "degrees"),
                                   .node = integers(model, "nodes"),
                                   .landmark_node = integers(model, "landmark_nodes"),
                                   .landmarks = lavdm_get(model, "landmarks"),
                                   .landmark_index = lavdm_get(model, "landmark_index"),
                                   .frames = lavdm_get(model, "frames"),
                                   .landmark_frames = lavdm_get(model, "landmark_frames"),
                                   .chosen = info->chosen,
                                   .info = info};
}

int lavdm_operator(const lavdm_data *data, const lavdm_options *options, lavdm_operator_t **op,
                   lavdm_error *error) {
  if (error) *error = (lavdm_error){0};
  if (!op) return fail(error, LAVDM_ERROR_ARGUMENT, "there is no place for the operator (NULL)");
  *op = NULL;
  if (!data || !options) return fail(error, LAVDM_ERROR_ARGUMENT, "data or options are missing (NULL)");
  door_t door;
  int status = door_open(&door, data, options, error);
  if (status < 0) return status;
  if (door.options.method == LAVDM_METHOD_NYSTROM)
    return fail(error, LAVDM_ERROR_ARGUMENT,
                "nystrom has no operator of all points: its eigenvectors are those of the landmarks alone, "
                "extended; use dm, vdm, roseland or lavdm");
  made_t *made = NEW(made_t, 1);
  if (!made) return fail_memory(error, "the operator");
  status = fit_checked(&door.data, &door.options, NULL, &made->blocks, &made->model, error);
  if (status < 0) {
    lavdm_operator_free(&made->shown);
    return status;
  }
  show(made);
  *op = &made->shown;
  return status;
}
