#include "survey/survey.h"

#include "base/memory.h"
#include "survey/problem.h"

#include <inttypes.h>
#include <math.h>

void survey_free(survey_t *s) {
  void *all[] = {s->point, s->point_position, s->point_covariance, s->covariance};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) mem_free(all[i]);
  s->point = NULL;
  s->point_position = s->point_covariance = s->covariance = NULL;
}

/* Frames that hold a component, as against those of nodes alone; all that fixed nodes and priors put into the
 * world count as one. A node without edges is lone if its frame has no other node and is not in the world. */
static int count_frames(run_t *run, const arranged_t *a, const lavdm_survey *given, const problem_t *problem,
                        survey_t *out) {
  int64_t all = problem->nodes + problem->points, *size = NEW(int64_t, all);
  bool *seen = NEW(bool, all), *world = NEW(bool, all), any = false, whole = size && seen && world;
  out->frames = out->lone = 0;
  for (int64_t k = 0; given && whole && k < given->fixed; k++)
    world[problem->frame[node_place(a, given->fixed_node[k])]] = true;
  for (int64_t k = 0; given && whole && k < given->priors; k++)
    world[problem->frame[node_place(a, given->prior_node[k])]] = true;
  for (int64_t i = 0; i < a->n && whole; i++) size[problem->frame[i]]++;
  for (int64_t i = 0; i < a->n && whole; i++) {
    int64_t f = problem->frame[i];
    out->lone += a->components.label[i] < 0 && !world[f] && size[f] == 1;
    if (a->components.label[i] < 0 || seen[f]) continue;
    seen[f] = true;
    out->frames += !(world[f] && any);
    any = any || world[f];
  }
  mem_free(size);
  mem_free(seen);
  mem_free(world);
  return whole ? LAVDM_OK : fail_memory(run->error, "the frames");
}

/* Parts: the components, then nodes alone. All go to where they start. */
static int start(run_t *run, const arranged_t *a, const lavdm_sync_options *options, problem_t *problem) {
  int64_t parts = a->components.count, *label = NEW(int64_t, a->n);
  bool *placed = NEW(bool, a->n);
  int status = label && placed ? LAVDM_OK : fail_memory(run->error, "the start");
  for (int64_t i = 0; i < a->n && !status; i++)
    label[i] = a->components.label[i] >= 0 ? a->components.label[i] : parts++;
  if (!status) status = start_parts(run, a, options, problem, label, parts, placed);
  if (!status) status = start_points(run, problem, label, parts, placed);
  mem_free(label);
  mem_free(placed);
  return status;
}

/* Whether the poses are not those of the edges alone: then they are fitted. One fixed node in a frame is a
 * choice of coordinates only. */
static int need_fit(run_t *run, const arranged_t *a, const lavdm_sync_options *options,
                    const problem_t *problem, bool *need) {
  const lavdm_survey *given = options->survey;
  *need = options->full || (given && (given->priors || given->sightings));
  if (*need || !given) return LAVDM_OK;
  bool *seen = NEW(bool, problem->nodes);
  if (!seen) return fail_memory(run->error, "the fixed nodes");
  for (int64_t k = 0; k < given->fixed; k++) {
    int64_t f = problem->frame[node_place(a, given->fixed_node[k])];
    if (seen[f]) *need = true;
    seen[f] = true;
  }
  mem_free(seen);
  return LAVDM_OK;
}

static int analyse(run_t *run, const normal_t *normal, factor_t **factor) {
  double most = (double)mem_available() / 2;
  if (!normal->h.n) return LAVDM_OK;
  int status = factor_analyse(run, &normal->h, normal->first, normal->blocks, most, factor);
  if (!status && !*factor)
    return fail(run->error, LAVDM_ERROR_MEMORY,
                "least squares of %" PRId64
                " unknowns would need a factor of more than half of the memory there is; isotropic weights "
                "without survey and covariance do with less",
                normal->h.n);
  return status;
}

/* Beyond this, what rounding leaves of the heaviest is more than the lightest say. */
static const double most_spread = 1e15;

static void warn_fit(run_t *run, const lavdm_sync_options *options, const survey_t *out) {
  if (!out->fitted) return;
  if (out->spread > most_spread)
    run_warn(
        run,
        "some information is %.0e times as large as other: beyond %.0e rounding hides what the least of it "
        "says, and chi2 (%g) may not be the least",
        out->spread, most_spread, out->chi2);
  else if (!out->converged)
    run_warn(run,
             "least squares did not converge in %" PRId64
             " steps: chi2 is %g, and could be lower%s; the measurements may contradict each other",
             out->steps, out->chi2, options->covariance ? ", and covariances are those where it ended" : "");
}

int survey_solve(run_t *run, const arranged_t *a, const lavdm_sync_options *options, survey_t *out) {
  problem_t problem = {0};
  normal_t normal = {0};
  factor_t *factor = NULL;
  bool known = true;
  out->chi2 = NAN;
  int status = problem_new(run, a, options, out, &problem);
  if (!status) status = count_frames(run, a, options->survey, &problem, out);
  if (!status) status = start(run, a, options, &problem);
  if (!status) status = need_fit(run, a, options, &problem, &out->fitted);
  if (!status && (out->fitted || options->covariance)) {
    run_stage(run, "least squares");
    status = problem_hold(run, options, a, &problem);
    if (!status) status = normal_new(run, &problem, &normal);
    if (!status) status = analyse(run, &normal, &factor);
    if (!status && out->fitted) status = survey_descend(run, &problem, &normal, factor, out);
    run_stage(run, "covariances");
    if (!status && options->covariance) status = survey_spread(run, &problem, &normal, factor, &known, out);
  }
  out->converged = out->converged && !(out->spread > most_spread);
  if (!status) warn_fit(run, options, out);
  if (!status && !known)
    run_warn(run, "there are no covariances: the information leaves some pose undetermined");
  factor_free(factor);
  normal_free(&normal);
  problem_free(&problem);
  return status;
}
