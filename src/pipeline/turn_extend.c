#include "pipeline/turn_extend.h"

#include "base/memory.h"

#include <string.h>

static int lacks(run_t *run, const char *name) {
  return fail(run->error, LAVDM_ERROR_DATA,
              "the model lacks the array %s, without which it cannot be applied", name);
}

static int open_landmarks(run_t *run, const lavdm_model *model, turned_t *out) {
  const double *list = model_data(model, "landmarks");
  if (!list) return lacks(run, "landmarks");
  lavdm_data data = {.points = list, .n = model->info.m, .p = model->info.p};
  return objects_expand(run, &out->objects, &data, &out->references);
}

/* The points of the model, and how far their own neighbours are. */
static int open_points(run_t *run, const lavdm_model *model, turned_t *out) {
  const lavdm_array *values = lavdm_get(model, "coefficients");
  const double *reach = model_data(model, "knn_distances");
  int64_t size = out->objects.bands->size, n = model->info.n;
  if (!values || values->type != REAL_TYPE || values->shape[1] != size) return lacks(run, "coefficients");
  int status = stack_new(run, out->objects.bands, n, &out->references);
  if (status < 0) return status;
  memcpy(out->references.value, values->data, (size_t)(2 * n * size) * sizeof(real_t));
  stack_norms(run, &out->references);
  if (run->options.edges != LAVDM_EDGES_KNN) return LAVDM_OK;
  if (!reach) return lacks(run, "knn_distances");
  out->reach2 = NEW(double, n);
  if (!out->reach2) return fail_memory(run->error, "the neighbours");
  for (int64_t i = 0; i < n; i++) out->reach2[i] = reach[i] * reach[i];
  out->rule.reach2 = out->reach2;
  out->rule.k++; /* a point of the model finds itself */
  return LAVDM_OK;
}

int turned_open(run_t *run, const lavdm_model *model, turned_t *out) {
  const lavdm_options *o = &run->options;
  bool landmarks = has_landmarks(o);
  out->rule = chosen_rule(o, chosen_kernel(o, landmarks), model->info.q);
  int status = objects_restore(run, model, &out->objects);
  if (status < 0) return status;
  return landmarks ? open_landmarks(run, model, out) : open_points(run, model, out);
}

void turned_free(turned_t *turned) {
  stack_free(&turned->references);
  objects_free(&turned->objects);
  mem_free(turned->reach2);
  *turned = (turned_t){0};
}

int turned_fields(run_t *run, const turned_t *turned, const lavdm_data *data, const extension_t *extension,
                  real_t *u, double *degree) {
  int64_t n = data->n, p = data->p, *rows = NEW(int64_t, n + 1);
  real_t *pixels = NEW(real_t, n * p);
  char *alone = NEW(char, n);
  steer_stack stack = {0};
  bsr_t edges = {0};
  int status = rows && pixels && alone ? LAVDM_OK : fail_memory(run->error, "the new points");
  for (int64_t i = 0; i <= n && !status; i++) rows[i] = i;
  if (!status) status = objects_pixels(run, &turned->objects, data, 0, n, pixels);
  if (!status) status = objects_batch(run, &turned->objects, pixels, n, &stack);
  if (!status) status = turned_build(run, &stack, &turned->references, &turned->rule, &edges, alone);
  if (!status) {
    for (int64_t i = 0; i < n; i++)
      if (alone[i] && extension_knows(extension, pixels + i * p, p)) alone[i] = 0;
    graph_t graph = graph_of_edges(&edges, rows);
    graph.alone = alone;
    status = extension_fields(run, &graph, extension, rows, u, degree, NULL);
  }
  bsr_free(&edges);
  stack_free(&stack);
  mem_free(rows);
  mem_free(pixels);
  mem_free(alone);
  return status;
}
