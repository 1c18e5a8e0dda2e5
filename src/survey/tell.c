#include "survey/survey.h"

#include "base/memory.h"
#include "poses/likelihood.h"

#include <math.h>
#include <string.h>

/* A component as the others see one: nodes r and p, edges with the weights that they have by trust. */
typedef struct {
  double *r, *p, *weight, *shift, *tau, *scratch;
} room_t;

static void room_free(room_t *room) {
  double *all[] = {room->r, room->p, room->weight, room->shift, room->tau, room->scratch};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) mem_free(all[i]);
}

static int room_new(run_t *run, const arranged_t *a, room_t *room) {
  int64_t q = a->q;
  *room = (room_t){NEW(double, a->n *q *q), NEW(double, a->n *q), NEW(double, a->m),
                   NEW(double, a->m *q),    NEW(double, a->m),    NEW(double, a->m)};
  bool whole = room->r && room->p && room->weight && room->shift && room->tau && room->scratch;
  return whole ? LAVDM_OK : fail_memory(run->error, "the residuals");
}

static part_t take(const arranged_t *a, int64_t c, const lavdm_sync_options *options, const survey_t *survey,
                   room_t *room) {
  int64_t q = a->q, q2 = q * q, first = a->edge_first[c];
  part_t part = {.n = a->node_first[c + 1] - a->node_first[c],
                 .m = a->edge_first[c + 1] - first,
                 .q = q,
                 .row = a->row + first,
                 .col = a->col + first,
                 .o = a->o + first * q2,
                 .weight = room->weight};
  for (int64_t i = 0; i < part.n; i++) {
    int64_t node = a->node_at[a->node_first[c] + i];
    memcpy(room->r + i * q2, survey->element + node * q2, (size_t)q2 * sizeof *room->r);
    memcpy(room->p + i * q, survey->position + node * q, (size_t)q * sizeof *room->p);
  }
  for (int64_t k = 0; k < part.m; k++) {
    int64_t e = a->edge_at[first + k];
    room->weight[k] = a->weight[first + k] * survey->trust[e];
    room->tau[k] = (options->shift_weight ? options->shift_weight[e] : 1) * survey->trust[e];
    memcpy(room->shift + k * q, options->shift + e * q, (size_t)q * sizeof *room->shift);
  }
  return part;
}

/* Residuals of a component, their quantiles, and what the poses cost by isotropic weights. */
static void measure(const run_t *run, const arranged_t *a, int64_t c, const group_t *group,
                    const part_t *part, const room_t *room, double *residual, lavdm_sync_component *shown) {
  const likelihood_t problem = {part, room->shift, room->tau};
#pragma omp parallel for num_threads(part->m > 5000 ? run->threads : 1) schedule(static)
  for (int64_t k = 0; k < part->m; k++)
    residual[a->edge_at[a->edge_first[c] + k]] = room->scratch[k] = residual_of(group, part, room->r, k);
  shown->median = residual_quantile(room->scratch, part->m, 0.5);
  shown->most = residual_quantile(room->scratch, part->m, 0.95);
  shown->cost = likelihood_cost(run, &problem, room->r, room->p);
}

int survey_tell(run_t *run, const arranged_t *a, const group_t *group, const lavdm_sync_options *options,
                const survey_t *survey, double *residual, lavdm_sync_component *part) {
  room_t room = {0};
  if (!survey->fitted) return LAVDM_OK;
  int status = room_new(run, a, &room);
  for (int64_t c = 0; c < a->components.count && !status; c++) {
    part_t own = take(a, c, options, survey, &room);
    measure(run, a, c, group, &own, &room, residual, &part[c]);
    part[c].verdict =
        part[c].certified
            ? "not certified: least squares from the optimum of the edges by isotropic weights, which is "
              "proved; another minimum may be lower"
            : "not certified: least squares from a start that is not certified either";
    part[c].certified = 0;
    part[c].converged = survey->converged;
  }
  room_free(&room);
  return status;
}
