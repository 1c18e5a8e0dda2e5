/*
 * What frames are made from: the points (local), or the points without what varies fast along the data
 * (lowpass, lowpass/lowpass.h), of how many eigenvectors r; and from how many neighbours, k.
 *
 * By the evidence of two halves of the points (choose/judge.h):
 *
 *   auto      local, if the spectra of neighbourhoods say that noise can turn its planes by little (below),
 *             or if no low-pass is better by three standard errors; k anew, unless it was given
 *   lowpass   the best r and k
 */
#include "base/memory.h"
#include "base/options.h"
#include "choose/choose.h"
#include "choose/judge.h"

#include <inttypes.h>
#include <math.h>

enum {
  SPECTRA = 500,      /* neighbourhoods whose spectra are looked at */
  FEWEST_ROWS = 40,   /* fewer are not divided */
  MANY_ROWS = 200,    /* fewer are not by auto */
  MOST_ROWS = 100000, /* up to here auto looks at lowpass too */
};

/* The sine of the angle by which noise may turn planes before lowpass is looked at. */
static const double STEADY = 0.05;

/* Neighbours above which they are chosen anew: spectra ask for so many where there is noise, and for up to
 * three times as many as are best (a helicoid in R^12, noise .05: 200, planes err by .064; 100, by .049).
 * Where they ask for fewer there is little noise, and halves of the points have too few neighbours to tell:
 * without noise a saddle bent into R^60 has planes that err by .096 with 12, and by .129 with the 29 that
 * halves chose. */
enum { WIDE = 25 };

/* Standard errors that lowpass must be better by. With 2, halves of one Klein bottle in 50 coordinates took
 * it where it was worse with all points; its planes also gain from more points less than local ones. */
static const double SURE = 3;

/*
 * The sine of the angle by which noise turns the planes of local PCA, to first order: k neighbours with the
 * variance l along and s across turn every direction by ((p - d) l s / k)^1/2 / (l - s). Curvature
 * counts as noise.
 */
static int local_turn(engine_t *engine, const rows_t *rows, double *out) {
  const lavdm_options *o = &engine->run->options;
  int64_t d = o->dim, k = frame_neighbours(o), count = rows->n < SPECTRA ? rows->n : SPECTRA;
  double *l = NEW(double, count *(d + 1)), across = (double)(rows->p - d), sum = 0;
  int status = l ? engine->ops->spectra(engine, rows, count, k, d, l)
                 : fail_memory(engine->run->error, "the neighbours");
  for (int64_t i = 0; i < count && !status; i++) {
    const double *one = l + i * (d + 1);
    double rest = one[d];
    for (int64_t a = 0; a < d; a++) rest -= one[a];
    double s = across > 0 ? fmax(rest, 0) / across : 0, gap = one[d - 1] - s;
    sum += gap > 0 ? fmin(1, across * one[d - 1] * s / ((double)k * gap * gap)) : 1;
  }
  *out = sqrt(sum / (double)count);
  mem_free(l);
  return status;
}

/* Why lowpass cannot be; or NULL. */
static const char *refusal(const run_t *run, const lavdm_data *data) {
  if (run->team) return "by several ranks that share the points";
  if (!data->points || run->large.files) return "of points that are streamed";
  if (data->n < FEWEST_ROWS) return "of fewer than 40 points";
  if (lowpass_bytes(data->n, data->p) > (double)run->options.max_memory)
    return "in the memory that max_memory allows";
  return NULL;
}

/* Both halves are asked, and the result is said. */
static int weigh(judge_t *j, bool smooth, int64_t *r) {
  run_t *run = j->engine->run;
  lavdm_options *o = &run->options;
  verdict_t local = {0}, low = {0};
  int status = judge_witness(j);
  if (!status) status = judge_local(j, frame_neighbours(o), &local);
  if (!status && smooth) status = judge_lowpass(j, &local, &low);
  judge_end(j);
  if (status < 0) return status;
  if (o->frames == LAVDM_FRAMES_AUTO)
    o->frames = low.margin > SURE ? LAVDM_FRAMES_LOWPASS : LAVDM_FRAMES_LOCAL;
  *r = o->frames == LAVDM_FRAMES_LOWPASS ? low.r : 0;
  if (j->free_k) {
    o->frame_knn = judge_neighbours(j, *r ? low.k : local.k);
    run_reason(run, "frame_knn",
               "%" PRId64 ": planes of one half of the points then agree best with those of the other",
               o->frame_knn);
  }
  if (smooth)
    run_reason(run, "frames",
               "%s: planes of one half of the points agree with those of the other to %.4f by local, to %.4f "
               "by lowpass of %" PRId64 " eigenvectors",
               *r ? "lowpass" : "local", local.score, low.score, low.r);
  return LAVDM_OK;
}

int choose_frames(engine_t *engine, const rows_t *rows, const lavdm_data *data, const double *centre,
                  bool free_k, int64_t *r) {
  run_t *run = engine->run;
  lavdm_options *o = &run->options;
  const char *why = refusal(run, data);
  bool given = o->frames != LAVDM_FRAMES_AUTO, wanted = o->frames == LAVDM_FRAMES_LOWPASS;
  double turn = 0, radius = 0;
  int64_t k = frame_neighbours(o);
  int status = LAVDM_OK;
  *r = 0;
  if (wanted && why)
    return fail(run->error, LAVDM_ERROR_ARGUMENT, "frames=lowpass cannot be made %s: use local", why);
  if (!given || data->p <= o->dim) o->frames = LAVDM_FRAMES_LOCAL; /* the only plane is all of space */
  if (why || data->p <= o->dim || (!wanted && data->n < MANY_ROWS) || (given && !wanted && !free_k))
    return LAVDM_OK;
  if (o->hood == LAVDM_HOOD_RADIUS) status = choose_radius(engine, rows, &radius);
  if (!status && !wanted) status = local_turn(engine, rows, &turn);
  if (status < 0) return status;
  judge_t j = judge_start(engine, data, centre, radius, free_k);
  if (wanted) return weigh(&j, true, r);
  bool noisy = turn > STEADY, few = data->n <= MOST_ROWS;
  bool smooth = !given && few && noisy && (!j.free_k || k > WIDE);
  if (smooth) o->frames = LAVDM_FRAMES_AUTO;
  if (smooth || (j.free_k && k > WIDE && (few || noisy))) status = weigh(&j, smooth, r);
  if (!status && !given && !smooth)
    run_reason(run, "frames", "local: noise turns the planes of %" PRId64 " neighbours by %.2g at most", k,
               turn);
  return status;
}
