#include "survey/problem.h"

#include "base/memory.h"
#include "base/sort.h"

#include <stdlib.h>

void problem_free(problem_t *p) {
  void *all[] = {p->error, p->frame, p->held, p->loose_node, p->loose_count, p->loose_basis};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) mem_free(all[i]);
  *p = (problem_t){0};
}

static int64_t place_in(const int64_t *list, int64_t count, int64_t number) {
  const int64_t *at = bsearch(&number, list, (size_t)count, sizeof number, compare_integers);
  return at ? at - list : -1;
}

int64_t node_place(const arranged_t *a, int64_t node) {
  return place_in(a->node, a->n, node);
}

int64_t point_place(const survey_t *survey, int64_t point) {
  return place_in(survey->point, survey->points, point);
}

/* The numbers of the points, ascending, and room for their places. */
static int list_points(run_t *run, const lavdm_survey *given, int64_t q, survey_t *survey) {
  int64_t count = given ? given->sightings : 0;
  if (!count) return LAVDM_OK;
  survey->point = NEW(int64_t, count);
  if (!survey->point) return fail_memory(run->error, "the points");
  for (int64_t s = 0; s < count; s++) survey->point[s] = given->sighted_point[s];
  sort_integers(survey->point, count);
  for (int64_t s = 0; s < count; s++)
    if (!s || survey->point[s] != survey->point[survey->points - 1])
      survey->point[survey->points++] = survey->point[s];
  survey->point_position = NEW(double, survey->points *q);
  return survey->point_position ? LAVDM_OK : fail_memory(run->error, "the points");
}

static void edge_errors(const arranged_t *a, const lavdm_sync_options *options, const survey_t *survey,
                        problem_t *p) {
  int64_t q = p->q, half = p->d * (p->d + 1) / 2;
  for (int64_t c = 0; c < a->components.count; c++)
    for (int64_t k = a->edge_first[c]; k < a->edge_first[c + 1]; k++) {
      int64_t e = a->edge_at[k];
      const int64_t *node = a->node_at + a->node_first[c];
      p->error[p->count++] = (error_t){.kind = options->full ? EDGE : CHORDAL,
                                       .from = node[a->row[k]],
                                       .to = node[a->col[k]],
                                       .turn = a->o + k * q * q,
                                       .shift = options->shift + e * q,
                                       .information = options->full ? options->information + e * half : NULL,
                                       .kappa = a->weight[k],
                                       .tau = options->shift_weight ? options->shift_weight[e] : 1,
                                       .trust = survey->trust[e]};
    }
}

static void other_errors(const arranged_t *a, const lavdm_survey *given, const survey_t *survey,
                         problem_t *p) {
  int64_t q = p->q, half = p->d * (p->d + 1) / 2, small = q * (q + 1) / 2;
  for (int64_t k = 0; k < given->priors; k++)
    p->error[p->count++] = (error_t){.kind = PRIOR,
                                     .from = -1,
                                     .to = node_place(a, given->prior_node[k]),
                                     .turn = given->prior_element + k * q * q,
                                     .shift = given->prior_position + k * q,
                                     .information = given->prior_information + k * half,
                                     .trust = 1};
  for (int64_t s = 0; s < given->sightings; s++)
    p->error[p->count++] = (error_t){.kind = SIGHTING,
                                     .from = node_place(a, given->sighted_node[s]),
                                     .to = p->nodes + point_place(survey, given->sighted_point[s]),
                                     .shift = given->sighted + s * q,
                                     .information = given->sighted_information + s * small,
                                     .trust = 1};
}

int problem_new(run_t *run, const arranged_t *a, const lavdm_sync_options *options, survey_t *survey,
                problem_t *p) {
  const lavdm_survey *given = options->survey;
  int status = list_points(run, given, a->q, survey);
  int64_t count = a->m + (given ? given->priors + given->sightings : 0);
  *p = (problem_t){.q = a->q,
                   .d = a->q == 2 ? 3 : 6,
                   .nodes = a->n,
                   .points = survey->points,
                   .r = survey->element,
                   .p = survey->position,
                   .l = survey->point_position};
  p->error = NEW(error_t, count);
  p->frame = NEW(int64_t, a->n + survey->points);
  p->held = NEW(bool, a->n);
  if (!status && (!p->error || !p->frame || !p->held)) status = fail_memory(run->error, "the survey");
  if (status < 0) return status;
  edge_errors(a, options, survey, p);
  if (given) other_errors(a, given, survey, p);
  sets_start(p->frame, a->n + survey->points);
  for (int64_t e = 0; e < p->count; e++)
    if (p->error[e].from >= 0) sets_join(p->frame, p->error[e].from, p->error[e].to);
  for (int64_t i = 0; i < a->n + survey->points; i++) p->frame[i] = sets_root(p->frame, i);
  return LAVDM_OK;
}
