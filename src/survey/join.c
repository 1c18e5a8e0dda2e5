/* Parts that saw the same points: where they start, and where the points do. */
#include "survey/problem.h"

#include "base/memory.h"

#include <string.h>

static const double least_known = 1e-3; /* of the motion of a part: see motion_find */

typedef struct {
  double *place, *weight; /* of points by the parts that are placed: sums */
  motion_t *motion;       /* of parts that are not, from the points */
  int64_t *seen;          /* such points */
} join_t;

static void join_free(join_t *join) {
  mem_free(join->place);
  mem_free(join->weight);
  mem_free(join->motion);
  mem_free(join->seen);
}

/* The point of a sighting in the world, and how much it counts. */
static double seen_at(const problem_t *problem, const error_t *error, double *at) {
  int64_t q = problem->q, i = error->from;
  double information[MOST_D * MOST_D], weight = 0;
  error_information(problem, error, information);
  for (int64_t k = 0; k < q; k++) {
    weight += information[k * (q + 1)];
    at[k] = problem->p[i * q + k];
    for (int64_t l = 0; l < q; l++) at[k] += problem->r[(i * q + l) * q + k] * error->shift[l];
  }
  return weight > 0 ? weight : 1e-300;
}

/* Places of points by all parts that are placed. */
static void place_points(const problem_t *problem, const int64_t *label, const bool *placed, join_t *join) {
  int64_t q = problem->q;
  memset(join->place, 0, (size_t)(problem->points * q) * sizeof(double));
  memset(join->weight, 0, (size_t)problem->points * sizeof(double));
  for (int64_t e = 0; e < problem->count; e++) {
    const error_t *error = &problem->error[e];
    double at[MOST_Q];
    if (error->kind != SIGHTING || !placed[label[error->from]]) continue;
    double weight = seen_at(problem, error, at);
    int64_t l = error->to - problem->nodes;
    join->weight[l] += weight;
    for (int64_t k = 0; k < q; k++) join->place[l * q + k] += weight * at[k];
  }
  for (int64_t l = 0; l < problem->points; l++)
    for (int64_t k = 0; k < q && join->weight[l] > 0; k++) join->place[l * q + k] /= join->weight[l];
}

/* Sums for the parts that are not placed. */
static void match_points(const problem_t *problem, const int64_t *label, int64_t parts, const bool *placed,
                         join_t *join) {
  int64_t q = problem->q;
  memset(join->motion, 0, (size_t)parts * sizeof *join->motion);
  memset(join->seen, 0, (size_t)parts * sizeof *join->seen);
  for (int64_t e = 0; e < problem->count; e++) {
    const error_t *error = &problem->error[e];
    double at[MOST_Q];
    if (error->kind != SIGHTING || placed[label[error->from]]) continue;
    int64_t l = error->to - problem->nodes;
    if (!(join->weight[l] > 0)) continue;
    double weight = seen_at(problem, error, at);
    motion_place(q, weight, at, join->place + l * q, &join->motion[label[error->from]]);
    join->seen[label[error->from]]++;
  }
}

/* Moves parts by what they saw: all that are known well, or the one that saw most; returns whether any. */
static bool move_parts(problem_t *problem, const int64_t *label, int64_t parts, bool *placed, join_t *join) {
  int64_t q = problem->q, best = -1, well = 0;
  for (int64_t c = 0; c < parts; c++) {
    if (!join->seen[c]) continue;
    if (best < 0 || join->seen[c] > join->seen[best]) best = c;
    bool known = motion_find(q, &join->motion[c]) >= least_known && join->seen[c] >= q;
    well += known;
    if (!known) join->seen[c] = -join->seen[c]; /* not now */
  }
  if (best < 0) return false;
  if (!well) join->seen[best] = -join->seen[best];
  for (int64_t i = 0; i < problem->nodes; i++) {
    const motion_t *motion = &join->motion[label[i]];
    if (join->seen[label[i]] > 0) motion_apply(q, motion, problem->r + i * q * q, problem->p + i * q);
  }
  for (int64_t c = 0; c < parts; c++)
    if (join->seen[c] > 0) placed[c] = true;
  return true;
}

/* Of a frame in which no part is placed the first one is. */
static int place_firsts(run_t *run, const problem_t *problem, const int64_t *label, bool *placed) {
  bool *known = NEW(bool, problem->nodes + problem->points);
  if (!known) return fail_memory(run->error, "the frames");
  for (int64_t i = 0; i < problem->nodes; i++)
    if (placed[label[i]]) known[problem->frame[i]] = true;
  for (int64_t i = 0; i < problem->nodes; i++)
    if (!known[problem->frame[i]]) known[problem->frame[i]] = placed[label[i]] = true;
  mem_free(known);
  return LAVDM_OK;
}

int start_points(run_t *run, problem_t *problem, const int64_t *label, int64_t parts, bool *placed) {
  int64_t q = problem->q;
  join_t join = {NEW(double, problem->points *q), NEW(double, problem->points), NEW(motion_t, parts),
                 NEW(int64_t, parts)};
  int status = join.place && join.weight && join.motion && join.seen ? LAVDM_OK
                                                                     : fail_memory(run->error, "the points");
  if (!status) status = place_firsts(run, problem, label, placed);
  while (!status) {
    place_points(problem, label, placed, &join);
    match_points(problem, label, parts, placed, &join);
    if (!move_parts(problem, label, parts, placed, &join)) break;
  }
  if (!status && problem->points)
    memcpy(problem->l, join.place, (size_t)(problem->points * q) * sizeof(double));
  join_free(&join);
  return status;
}
