/* What is given of a survey, once. */
#include "survey/problem.h"

#include "base/memory.h"

#include <inttypes.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

static const double least_share = -1e-9; /* of the largest eigenvalue of an information matrix */
static const double skewed = 1e-6;       /* of a rotation, as that of edges */

bool survey_asked(const lavdm_sync_options *options) {
  const lavdm_survey *given = options->survey;
  bool some = given && (given->fixed || given->priors || given->sightings);
  return options->full || options->covariance || some;
}

/* Whether a symmetric matrix (upper half, row by row) is positive definite, by its Cholesky factor. */
static bool positive(int64_t size, const double *half) {
  double l[MOST_D][MOST_D];
  for (int64_t j = 0, at = 0; j < size; j++)
    for (int64_t i = j; i < size; i++, at++) {
      double sum = half[at];
      for (int64_t k = 0; k < j; k++) sum -= l[i][k] * l[j][k];
      if (i == j && !(sum > 0)) return false;
      l[i][j] = i == j ? sqrt(sum) : sum / l[j][j];
    }
  return true;
}

/* Checks one information matrix: `what` it is of, as the number-th, from 0. */
static int check_information(run_t *run, int64_t size, const double *half, const char *what, int64_t number) {
  double whole[MOST_D * MOST_D], value[MOST_D], work[8 * MOST_D];
  for (int64_t i = 0; i < size * (size + 1) / 2; i++)
    if (!isfinite(half[i]))
      return fail(run->error, LAVDM_ERROR_DATA, "the information of %s %" PRId64 " has the entry %g", what,
                  number + 1, half[i]);
  if (positive(size, half)) return LAVDM_OK;
  for (int64_t i = 0, at = 0; i < size; i++)
    for (int64_t k = i; k < size; k++, at++) whole[i * size + k] = whole[k * size + i] = half[at];
  int n = (int)size;
  if (LAPACKE_dsyev_work(LAPACK_COL_MAJOR, 'N', 'L', n, whole, n, value, work, 8 * n))
    return fail(run->error, LAVDM_ERROR_NUMERICS, "the information of %s %" PRId64 " has no eigenvalues",
                what, number + 1);
  if (value[0] < least_share * fabs(value[size - 1]) || value[size - 1] < 0)
    return fail(
        run->error, LAVDM_ERROR_DATA,
        "the information of %s %" PRId64
        " has the eigenvalue %g: an inverse covariance has none below 0; correct the entry or leave it "
        "out",
        what, number + 1, value[0]);
  return LAVDM_OK;
}

/* Checks a pose: a rotation and finite numbers. */
static int check_pose(run_t *run, int64_t q, const double *r, const double *p, const char *what,
                      int64_t node) {
  double off = 0;
  for (int64_t i = 0; i < q; i++)
    for (int64_t k = 0; k < q; k++) {
      double dot = 0;
      for (int64_t l = 0; l < q; l++) dot += r[i * q + l] * r[k * q + l];
      off = fmax(off, fabs(dot - (i == k)));
      if (!isfinite(dot)) off = INFINITY;
    }
  double det = q == 2 ? r[0] * r[3] - r[1] * r[2]
                      : r[0] * (r[4] * r[8] - r[5] * r[7]) - r[1] * (r[3] * r[8] - r[5] * r[6]) +
                            r[2] * (r[3] * r[7] - r[4] * r[6]);
  if (!(off <= skewed) || !(det > 0))
    return fail(run->error, LAVDM_ERROR_DATA,
                "the %s of node %" PRId64 " has an element that is not a rotation", what, node);
  for (int64_t k = 0; k < q; k++)
    if (!isfinite(p[k]))
      return fail(run->error, LAVDM_ERROR_DATA, "the %s of node %" PRId64 " has the position %g", what, node,
                  p[k]);
  return LAVDM_OK;
}

static int check_node(run_t *run, const arranged_t *a, int64_t node, const char *what) {
  if (node_place(a, node) >= 0) return LAVDM_OK;
  return fail(run->error, LAVDM_ERROR_DATA,
              "there is a %s for node %" PRId64
              ", which no edge has; name it among the nodes, or leave it out",
              what, node);
}

static int check_fixed(run_t *run, const arranged_t *a, const lavdm_survey *given) {
  int64_t q = a->q;
  bool *seen = NEW(bool, a->n);
  int status = seen ? LAVDM_OK : fail_memory(run->error, "the fixed nodes");
  for (int64_t k = 0; k < given->fixed && !status; k++) {
    int64_t node = given->fixed_node[k];
    status = check_node(run, a, node, "fixed pose");
    if (!status)
      status = check_pose(run, q, given->fixed_element + k * q * q, given->fixed_position + k * q,
                          "fixed pose", node);
    if (status) break;
    int64_t i = node_place(a, node);
    if (seen[i]) status = fail(run->error, LAVDM_ERROR_DATA, "node %" PRId64 " is fixed twice", node);
    seen[i] = true;
  }
  mem_free(seen);
  return status;
}

static int check_priors(run_t *run, const arranged_t *a, const lavdm_survey *given) {
  int64_t q = a->q, d = q == 2 ? 3 : 6, half = d * (d + 1) / 2;
  int status = LAVDM_OK;
  for (int64_t k = 0; k < given->priors && !status; k++) {
    int64_t node = given->prior_node[k];
    status = check_node(run, a, node, "prior");
    if (!status)
      status =
          check_pose(run, q, given->prior_element + k * q * q, given->prior_position + k * q, "prior", node);
    if (!status) status = check_information(run, d, given->prior_information + k * half, "prior", k);
  }
  return status;
}

static int check_sightings(run_t *run, const arranged_t *a, const lavdm_survey *given) {
  int64_t q = a->q, half = q * (q + 1) / 2;
  int status = LAVDM_OK;
  for (int64_t s = 0; s < given->sightings && !status; s++) {
    status = check_node(run, a, given->sighted_node[s], "sighting");
    if (!status && given->sighted_point[s] < 0)
      status = fail(run->error, LAVDM_ERROR_DATA,
                    "sighting %" PRId64 " is of the point %" PRId64 ": they are numbered from 0", s + 1,
                    given->sighted_point[s]);
    for (int64_t k = 0; k < q && !status; k++)
      if (!isfinite(given->sighted[s * q + k]))
        status = fail(run->error, LAVDM_ERROR_DATA, "sighting %" PRId64 " has the coordinate %g", s + 1,
                      given->sighted[s * q + k]);
    if (!status) status = check_information(run, q, given->sighted_information + s * half, "sighting", s);
    if (!status && !positive(q, given->sighted_information + s * half))
      status =
          fail(run->error, LAVDM_ERROR_DATA,
               "the information of sighting %" PRId64 " is singular: it must tell all of the point", s + 1);
  }
  return status;
}

/* Arrays that should be there. */
static int check_whole(run_t *run, const lavdm_survey *g) {
  const char *without = NULL;
  if (g->fixed && (!g->fixed_node || !g->fixed_element || !g->fixed_position)) without = "fixed nodes";
  if (g->priors && (!g->prior_node || !g->prior_element || !g->prior_position || !g->prior_information))
    without = "priors";
  if (g->sightings && (!g->sighted_node || !g->sighted_point || !g->sighted || !g->sighted_information))
    without = "sightings";
  if (g->fixed < 0 || g->priors < 0 || g->sightings < 0)
    return fail(run->error, LAVDM_ERROR_ARGUMENT, "a survey has numbers below 0");
  if (without)
    return fail(run->error, LAVDM_ERROR_ARGUMENT, "the survey has %s, but an array of theirs is NULL",
                without);
  return LAVDM_OK;
}

int survey_check(run_t *run, const arranged_t *a, const group_t *group, const lavdm_sync_options *options) {
  const lavdm_survey *given = options->survey;
  int64_t d = a->q == 2 ? 3 : 6, half = d * (d + 1) / 2;
  if (!survey_asked(options)) return LAVDM_OK;
  if (group->group != LAVDM_GROUP_SO || (a->q != 2 && a->q != 3) || !options->shift)
    return fail(run->error, LAVDM_ERROR_ARGUMENT,
                "full information, covariances, fixed nodes, priors and sightings need rotations in 2 or 3 "
                "dimensions with shifts");
  if (options->full && !options->information)
    return fail(run->error, LAVDM_ERROR_ARGUMENT,
                "full needs information matrices, and there are none (NULL)");
  int status = given ? check_whole(run, given) : LAVDM_OK;
  for (int64_t p = 0; p < a->m && options->full && !status; p++)
    status = check_information(run, d, options->information + a->edge_at[p] * half, "edge", a->edge_at[p]);
  if (given && !status) status = check_fixed(run, a, given);
  if (given && !status) status = check_priors(run, a, given);
  if (given && !status) status = check_sightings(run, a, given);
  return status;
}
