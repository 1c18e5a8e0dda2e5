/* What was found in the graph, as the model has it and as warnings. */
#include "base/memory.h"
#include "fit/fit.h"
#include "graph/graph.h"

#include <inttypes.h>
#include <stdio.h>

static bool is_isolated(const int64_t *label, const double *degrees, int64_t i) {
  return label ? label[i] < 0 : degrees && !(degrees[i] > 0);
}

/* Rows whose label is -1, or, without labels, that have no degree. */
static int list_isolated(fit_t *f, const int64_t *label, const double *degrees) {
  int64_t count = 0;
  for (int64_t i = 0; i < f->n; i++) count += is_isolated(label, degrees, i);
  f->model->isolated = NEW(int64_t, count);
  if (!f->model->isolated) return fail_memory(f->run->error, "the isolated points");
  for (int64_t i = 0, at = 0; i < f->n; i++)
    if (is_isolated(label, degrees, i)) f->model->isolated[at++] = i;
  f->model->info.isolated = count;
  return LAVDM_OK;
}

int tell_components(fit_t *f, const double *degrees) {
  const graph_info *found = &f->found;
  lavdm_info_t *info = &f->model->info;
  run_t *run = f->run;
  info->edges = found->edges;
  info->graph_components = found->components;
  if (!found->components)
    return fail(run->error, LAVDM_ERROR_DATA,
                f->data.edges ? "no two nodes of the graph are joined"
                              : "no point reaches another: epsilon (%g) is too small for these distances",
                run->options.epsilon);
  int status = LAVDM_OK;
  const lavdm_array *label = NULL;
  if (!degrees && (found->components > 1 || found->isolated)) {
    status = fit_fetch(f, f->rows, ROWS_COMPONENTS, "graph_component", LAVDM_I64, 1, 0, 0);
    label = lavdm_get(f->model, "graph_component");
  }
  if (!status && (label || degrees)) status = list_isolated(f, label ? label->data : NULL, degrees);
  if (status < 0) return status;
  if (info->isolated)
    run_warn(run,
             "%" PRId64 " isolated point%s, the first of them in row %" PRId64
             ": nothing reaches %s, and the eigenvectors are zero there",
             info->isolated, info->isolated == 1 ? "" : "s", run_row(run, f->model->isolated[0]) + 1,
             info->isolated == 1 ? "it" : "them");
  if (found->components > 1)
    run_warn(run, "the graph falls into %" PRId64 " components: leading eigenvectors tell them apart",
             found->components);
  return LAVDM_OK;
}

/* Row sums this far from 1 are still taken, with a warning; and are told of no more. */
static const double HARDLY = 1e-4, WELL = 1e-10;

int tell_balance(fit_t *f) {
  const graph_info *found = &f->found;
  char row[48] = "";
  if (!f->spec.balanced || found->unbalanced <= WELL) return LAVDM_OK;
  if (found->unbalanced_row >= 0)
    snprintf(row, sizeof row, " (row %" PRId64 " of the data)", found->unbalanced_row + 1);
  if (!(found->unbalanced <= HARDLY))
    return fail(f->run->error, LAVDM_ERROR_DATA,
                "the graph cannot be balanced: some %s hang on to too few others, and sums of weights stay "
                "%.2g away from 1%s: %s, or normalise by degree",
                f->data.edges ? "nodes" : "points", found->unbalanced, row,
                f->data.edges ? "give them more edges"
                              : "take edges complete, or a larger knn, epsilon or cutoff");
  run_warn(f->run, "the diffusion is balanced to %.2g only%s: sums of weights are that far from 1",
           found->unbalanced, row);
  return LAVDM_OK;
}

void tell_alignment(fit_t *f) {
  f->model->info.ill_aligned = f->found.ill;
  if (f->found.ill * 100 > f->found.edges)
    run_warn(f->run,
             "%.3g%% of the edges join nearly perpendicular tangent planes: dim, knn or epsilon may be unfit",
             100 * (double)f->found.ill / (double)f->found.edges);
}

void tell_far(fit_t *f) {
  int64_t far = f->found.far;
  f->model->info.far_points = far;
  if (far && f->data.edges)
    run_warn(f->run,
             "%" PRId64 " nodes of %" PRId64
             " are joined to no landmark: they were joined to those of their neighbours",
             far, f->n);
  else if (far)
    run_warn(f->run,
             "%" PRId64
             " points are beyond the cut-off of every landmark: they were joined to their %d nearest",
             far, FAR_LANDMARKS);
}
