/*
 * Which way, by evidence: some edges are held back, every way is tried without them, and what counts is how
 * well it then predicts them: the log density of edges that were held back (score.c), for signs the share
 * that agrees. A median would say nothing where most edges are wrong. Then all edges are used.
 */
#include "robust/robust.h"

#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { WAYS = 4, FEW_EDGES = 30000, LEAST_HELD = 20, HELD = 1500, FEW_FOLDS = 2, MANY_FOLDS = 10 };
enum { NOTHING = 0, USUAL = 1 }; /* of the ways */
enum { LAST_STEPS = 12 };

/* A way is left for another one if that gains more than `sure` times what chance makes of it; gains that
 * differ by less than `alike` of an edge are the same. `clean`: share of edges that are right where none is
 * taken to be wrong. */
static const double hold_share = 0.1, sure = 2, alike = 1e-3, clean = 0.97, vague = 0.7;
static const lavdm_robust ways[WAYS] = {LAVDM_ROBUST_NO, LAVDM_ROBUST_WEIGHTS, LAVDM_ROBUST_GRADUAL,
                                        LAVDM_ROBUST_CYCLES};
static const char *const names[WAYS] = {"none", "weights", "gradual", "cycles"};

/* What was seen of each way: edges that were held back, those of all folds. */
typedef struct {
  double *square[WAYS], *residual[WAYS], *weight; /* of each; square becomes the log density */
  bool tried[WAYS];
  int64_t held;
  int folds;
  double share[WAYS], scale[WAYS]; /* edges that are predicted, and to what */
  double least;                    /* deviation that counts */
} evidence_t;

/* Room for one fold; r of every way. */
typedef struct {
  leading_t leading;
  double *start, *r[WAYS], *trust;
} trial_t;

static void trial_free(trial_t *t) {
  leading_free(&t->leading);
  mem_free(t->start);
  mem_free(t->trust);
  for (int way = 0; way < WAYS; way++) mem_free(t->r[way]);
}

static int trial_new(run_t *run, const part_t *part, const leading_t *from, trial_t *t) {
  int64_t size = part->n * part->q * from->count, own = part->n * part->q * part->q;
  *t = (trial_t){.start = NEW(double, own), .trust = NEW(double, part->m)};
  t->leading =
      (leading_t){.count = from->count, .values = NEW(double, from->count), .vectors = NEW(double, size)};
  bool whole = t->start && t->trust && t->leading.values && t->leading.vectors;
  for (int way = 0; way < WAYS; way++) whole = (t->r[way] = NEW(double, own)) && whole;
  return whole ? LAVDM_OK : fail_memory(run->error, "the edges that are held back");
}

static void evidence_free(evidence_t *seen) {
  for (int way = 0; way < WAYS; way++) mem_free(seen->square[way]), mem_free(seen->residual[way]);
  mem_free(seen->weight);
}

/* No edge is held back twice. */
static int evidence_new(run_t *run, const part_t *part, evidence_t *seen) {
  *seen = (evidence_t){.weight = NEW(double, part->m)};
  bool whole = seen->weight;
  for (int way = 0; way < WAYS; way++) {
    seen->square[way] = NEW(double, part->m), seen->residual[way] = NEW(double, part->m);
    whole = whole && seen->square[way] && seen->residual[way];
  }
  return whole ? LAVDM_OK : fail_memory(run->error, "the edges that are held back");
}

/* How far r is from each edge that was held back. */
static void predict(const robust_t *problem, const hold_t *hold, const double *r, int way, evidence_t *seen) {
  for (int64_t h = 0; h < hold->held; h++) {
    int64_t e = hold->edge[h], at = seen->held + h;
    seen->residual[way][at] = residual_of(problem->group, problem->part, r, e);
    seen->square[way][at] = mixture_square(problem, r, e);
    seen->weight[at] = problem->given[e];
  }
}

static bool is_large(const part_t *part) {
  return part->m >= FEW_EDGES;
}

/* So many that HELD edges are seen, if there are. */
static int folds_of(const part_t *part) {
  if (is_large(part)) return 1;
  int64_t folds = (int64_t)(HELD / (hold_share * (double)part->m)) + 1;
  return (int)(folds < FEW_FOLDS ? FEW_FOLDS : folds > MANY_FOLDS ? MANY_FOLDS : folds);
}

/* The spectral start of a fold. */
static int start_fold(run_t *run, const robust_t *held, const leading_t *from, trial_t *t) {
  const part_t *kept = held->part;
  memcpy(kept->weight, held->given, (size_t)kept->m * sizeof *kept->weight);
  memcpy(t->leading.values, from->values, (size_t)from->count * sizeof *from->values);
  memcpy(t->leading.vectors, from->vectors,
         (size_t)(kept->n * kept->q * from->count) * sizeof *from->vectors);
  return robust_spectrum(run, held, &t->leading, t->start);
}

/* One way, without the edges that are held back. In large graphs the gradual one goes on from the weights. */
static int try_way(run_t *run, const robust_t *problem, const hold_t *hold, const robust_t *held, int way,
                   trial_t *t, evidence_t *seen) {
  part_t *kept = held->part;
  lavdm_robust used = ways[way];
  double *r = t->r[way];
  bool goes_on = ways[way] == LAVDM_ROBUST_GRADUAL && is_large(problem->part);
  int64_t changed = 0;
  memcpy(r, goes_on ? t->r[way - 1] : t->start, (size_t)(kept->n * kept->q * kept->q) * sizeof *r);
  memcpy(kept->weight, held->given, (size_t)kept->m * sizeof *kept->weight);
  int status = goes_on ? robust_sharpen(run, held, r, t->trust)
                       : robust_by(run, held, ways[way], &t->leading, r, t->trust, &used);
  if (used != ways[way]) seen->tried[way] = false; /* in another fold it may have been */
  if (status || used != ways[way]) return status;
  if (kept->q > 1 && problem->options->refine) status = refine_rotations(run, kept, LAST_STEPS, r);
  if (kept->q == 1) status = vote_elements(run, problem->group, kept, false, r, &changed);
  if (status) return status;
  seen->tried[way] = true;
  predict(problem, hold, r, way, seen);
  return status;
}

static int try_fold(run_t *run, const robust_t *problem, const leading_t *leading, int fold, trial_t *t,
                    evidence_t *seen) {
  hold_t hold;
  int status = hold_new(run, problem, hold_share, fold, &hold);
  if (status || !hold.held) return status;
  const robust_t held = {problem->group, problem->options, &hold.kept, hold.given};
  status = start_fold(run, &held, leading, t);
  for (int way = 0; way < WAYS && !status; way++)
    if ((problem->part->q > 1 || ways[way] != LAVDM_ROBUST_GRADUAL) && (!seen->folds || seen->tried[way]))
      status = try_way(run, problem, &hold, &held, way, t, seen);
  seen->folds++, seen->held += hold.held;
  hold_free(&hold);
  return status;
}

/* What a way foretells, and how well. scratch: held. */
static void rate(const group_t *group, int way, double *scratch, evidence_t *seen) {
  double *square = seen->square[way], *residual = seen->residual[way], right = 0, sum = 0;
  mixture_t x = {0};
  bool signs = group->q == 1;
  if (!signs) x = mixture_fit(group, square, seen->weight, seen->held, 1);
  for (int64_t h = 0; h < seen->held; h++) {
    double p = signs ? !(residual[h] > 0) : mixture_right(&x, square[h], seen->weight[h]);
    right += p, sum += p * residual[h] * residual[h];
    if (signs) square[h] = p;
  }
  seen->share[way] = right / (double)seen->held;
  seen->scale[way] = sqrt(sum / fmax(right, 1e-300));
  if (!signs) seen->least = fmin(seen->least, score_least(square, seen->held, scratch));
}

static int judge(run_t *run, const group_t *group, evidence_t *seen) {
  double *scratch = NEW(double, seen->held);
  int status = scratch ? LAVDM_OK : fail_memory(run->error, "the edges that are held back");
  seen->least = INFINITY;
  for (int way = 0; way < WAYS && !status; way++)
    if (seen->tried[way]) rate(group, way, scratch, seen);
  for (int way = 0; way < WAYS && group->q > 1 && !status; way++)
    if (seen->tried[way])
      status = score_edges(run, group, seen->least, seen->weight, seen->held, seen->square[way]);
  mem_free(scratch);
  return status;
}

/* Of `way` over another, summed; *chance: the deviation of that. */
static double gain_of(const evidence_t *seen, int way, int other, double *chance) {
  double sum = 0, square = 0, count = (double)seen->held;
  for (int64_t h = 0; h < seen->held; h++) {
    double gain = seen->square[way][h] - seen->square[other][h];
    sum += gain, square += gain * gain;
  }
  *chance = sqrt(fmax(square - sum * sum / count, 0));
  return sum;
}

/* Whether a way takes for noise what is as wide as the group: what it predicts is no evidence then. */
static bool is_vague(const part_t *part, const evidence_t *seen, int way) {
  return part->q > 1 && seen->scale[way] > vague * sqrt((double)(part->q * (part->q - 1)) / 2);
}

/* Whether none of the robust ways sees wrong edges. Noise of radians looks like them. */
static bool is_clean(const part_t *part, const evidence_t *seen) {
  if (is_vague(part, seen, USUAL)) return false;
  return fmin(seen->share[USUAL], seen->tried[USUAL + 1] ? seen->share[USUAL + 1] : 1) >= clean;
}

/* What is done unless another way is surely better: re-weighting; nothing if no edge seems wrong and
 * re-weighting gains nothing, and for signs. */
static int stay_at(const part_t *part, const evidence_t *seen) {
  double chance, same = alike * (double)seen->held;
  if (part->q == 1) return NOTHING;
  double gain = gain_of(seen, NOTHING, USUAL, &chance);
  return is_clean(part, seen) && gain >= -same ? NOTHING : USUAL;
}

/* The way that predicts best, if it is surely better than the one to stay at; the first of those that are
 * alike. */
static int best_of(const part_t *part, const evidence_t *seen) {
  int stay = stay_at(part, seen), best = stay;
  double gain[WAYS] = {0}, chance[WAYS] = {0}, same = alike * (double)seen->held;
  for (int way = 0; way < WAYS; way++) {
    if (seen->tried[way] && !is_vague(part, seen, way)) gain[way] = gain_of(seen, way, stay, &chance[way]);
    if (way == NOTHING) chance[way] *= 2; /* wrong edges that agree are predicted by what fits them */
    if (gain[way] > gain[best] && gain[way] > sure * chance[way]) best = way;
  }
  if (gain[best] <= same) return stay;
  for (int way = 0; way < best; way++)
    if (way != stay && seen->tried[way] && gain[way] >= gain[best] - same) return way;
  return best;
}

static void explain(const robust_t *problem, const evidence_t *seen, int best, robust_choice *out) {
  bool signs = problem->part->q == 1, angle = problem->part->q <= 3 && problem->group->group != LAVDM_GROUP_O;
  double unit = angle ? 180 / M_PI : 1, chance;
  const char *of = angle ? " degrees" : "";
  size_t room = sizeof out->reason;
  int at = snprintf(out->reason, room, "%s: predicts %.3g %% of %lld edges that were held back", names[best],
                    100 * seen->share[best], (long long)seen->held);
  if (!signs)
    at += snprintf(out->reason + at, room - (size_t)at, ", to %.3g%s", unit * seen->scale[best], of);
  for (int way = 0; way < WAYS; way++) {
    if (!seen->tried[way] || way == best || at < 0 || (size_t)at >= room) continue;
    double gain = gain_of(seen, way, best, &chance) / (double)seen->held;
    at += snprintf(out->reason + at, room - (size_t)at, "; %s %.3g %%", names[way], 100 * seen->share[way]);
    if (!signs && (size_t)at < room)
      at += snprintf(out->reason + at, room - (size_t)at, " to %.3g (log likelihood %+.2g)",
                     unit * seen->scale[way], gain);
  }
}

/* What was chosen, with all edges: anew, or in large graphs from where it came without some. */
static int use_all(run_t *run, const robust_t *problem, const trial_t *t, int best, leading_t *leading,
                   double *r, double *trust, robust_choice *out) {
  const part_t *part = problem->part;
  bool goes_on = is_large(part) && (best == 2 || best == 3) && part->q > 1;
  out->used = ways[best];
  if (!goes_on) return robust_by(run, problem, ways[best], leading, r, trust, &out->used);
  memcpy(r, t->r[best], (size_t)(part->n * part->q * part->q) * sizeof *r);
  for (int64_t e = 0; e < part->m; e++) trust[e] = 1;
  return robust_settle(run, problem, r, trust);
}

int robust_choose(run_t *run, const robust_t *problem, leading_t *leading, double *r, double *trust,
                  robust_choice *out) {
  const part_t *part = problem->part;
  evidence_t seen;
  trial_t t = {0};
  int best = 0, folds = folds_of(part), status = evidence_new(run, part, &seen);
  if (!status) status = trial_new(run, part, leading, &t);
  for (int fold = 0; fold < folds && !status; fold++)
    status = try_fold(run, problem, leading, fold, &t, &seen);
  if (!status && seen.held >= LEAST_HELD) status = judge(run, problem->group, &seen);
  if (!status && seen.held >= LEAST_HELD) {
    best = best_of(part, &seen);
    explain(problem, &seen, best, out);
  } else {
    best = part->q == 1 ? NOTHING : USUAL;
    snprintf(out->reason, sizeof out->reason, "%s: too few edges could be held back to compare", names[best]);
  }
  if (!status) status = use_all(run, problem, &t, best, leading, r, trust, out);
  evidence_free(&seen);
  trial_free(&t);
  return status;
}
