/*
 * What frames are made from: the points (local), or the points without what varies fast along the data
 * (lowpass, lowpass/lowpass.h), of how many eigenvectors r; and from how many neighbours, k.
 *
 * Planes are judged by planes that know nothing of their noise. The rows of the data are dealt out to two
 * halves, A and B. Every candidate makes planes P at some points of A from A alone, and a witness makes
 * planes Q at the same places from B alone, by local PCA of so few neighbours that curvature hardly turns
 * them. The errors of Q are large, but as likely to one side as to the other: the candidate that is
 * nearest to the true planes is the one with the largest mean of |P'Q|^2, and neither noise that a plane
 * follows nor curvature that it blurs is rewarded. k neighbours among half of the points are 2k among all,
 * and n points want n^(6/(d+6)) of them: planes over the distance h err by noise / (k^1/2 h) and by h^2.
 *
 *   auto      local, if the spectra of neighbourhoods say that noise can turn its planes by little (below),
 *             or if no low-pass is better by three standard errors; k anew, unless it was given
 *   lowpass   the best r and k
 */
#include "base/memory.h"
#include "base/options.h"
#include "choose/choose.h"
#include "lowpass/lowpass.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum {
  PLACES = 500,       /* where planes are compared */
  SPECTRA = 500,      /* neighbourhoods whose spectra are looked at */
  FEWEST_ROWS = 40,   /* fewer are not divided */
  MANY_ROWS = 200,    /* fewer are not by auto */
  MOST_ROWS = 100000, /* up to here auto looks at lowpass too */
};

/* The sine of the angle by which noise may turn planes before lowpass is looked at. */
static const double STEADY = 0.05;

/* Neighbours above which they are chosen anew: spectra ask for so many where there is noise, and for up to
 * three times as many as are best (a helicoid in R^12, noise .05: 200, planes err by .064; 100, by .049). */
enum { WIDE = 25 };

/* Standard errors that lowpass must be better by. With 2, halves of one Klein bottle in 50 coordinates took
 * it where it was worse with all points; its planes also gain from more points less than local ones. */
static const double SURE = 3;

/* Neighbours of a frame, among all points, and eigenvectors that are tried: every second, then those next
 * to the best. */
static const int64_t try_k[] = {12, 17, 25, 35, 50, 70, 100, 140, 200, 280, 400};
static const int64_t try_r[] = {4, 6, 10, 16, 25, 40, LOWPASS_MOST};
enum { TRY_K = sizeof try_k / sizeof *try_k, TRY_R = sizeof try_r / sizeof *try_r };

typedef struct {
  engine_t *engine;
  const engine_ops *ops;
  const double *centre;
  int64_t p, d;
  double radius;
  bool free_k;
  lavdm_data a, b, places; /* of the data: even rows, odd rows, and the rows of A that are looked at */
  int64_t step;            /* every step-th row of A is a place */
  void *witness, *planes;  /* places x p x d reals */
  double *best, *other;    /* places: |P'Q|^2 / d, of the best local frames and of a candidate */
} judge_t;

/* A candidate, and what came of it. */
typedef struct {
  int64_t r, k;  /* eigenvectors, 0: local; neighbours among all points */
  double score;  /* the mean of |P'Q|^2 / d */
  double margin; /* of lowpass over local, in standard errors */
} verdict_t;

/* Every step-th row from `first` on. */
static lavdm_data part(const lavdm_data *data, int64_t first, int64_t step) {
  size_t size = data->type == LAVDM_F32 ? sizeof(float) : sizeof(double);
  int64_t row = data->row_stride ? data->row_stride : data->p;
  return (lavdm_data){.points = (const char *)data->points + first * row * (int64_t)size,
                      .type = data->type,
                      .n = (data->n - first + step - 1) / step,
                      .p = data->p,
                      .row_stride = step * row,
                      .col_stride = data->col_stride ? data->col_stride : 1};
}

/* Planes at `places` from k neighbours among `around`, or, if given, those within the radius. */
static int planes_at(judge_t *j, const lavdm_data *places, const double *centre, const rows_t *around,
                     int64_t k, double radius, void *out) {
  rows_t *rows = NULL;
  int64_t degenerate;
  if (k > around->n) k = around->n;
  int status = j->ops->load(j->engine, places, centre, ROLE_NEW, around->n, &rows);
  if (!status) status = j->ops->frames(j->engine, rows, around, j->d, k, radius, &degenerate);
  if (!status) status = j->ops->fetch(j->engine, rows, ROWS_FRAMES, NULL, 0, places->n, out);
  j->ops->unload(j->engine, rows);
  return status;
}

/* out (places) = |P'Q|^2 / d. */
static void compare(const judge_t *j, double *out) {
  bool single = engine_real(j->engine->run) == LAVDM_F32;
  int64_t p = j->p, d = j->d;
  for (int64_t i = 0; i < j->places.n; i++) {
    double sum = 0;
    for (int64_t a = 0; a < d; a++)
      for (int64_t b = 0; b < d; b++) {
        double dot = 0;
        for (int64_t c = 0; c < p; c++) {
          int64_t x = (i * p + c) * d + a, y = (i * p + c) * d + b;
          dot += single ? (double)((float *)j->planes)[x] * (double)((float *)j->witness)[y]
                        : ((double *)j->planes)[x] * ((double *)j->witness)[y];
        }
        sum += dot * dot;
      }
    out[i] = sum / (double)d;
  }
}

static double mean(const double *x, int64_t count) {
  double sum = 0;
  for (int64_t i = 0; i < count; i++) sum += x[i];
  return sum / (double)count;
}

/* The standard error of the mean of x - y. */
static double uncertainty(const double *x, const double *y, int64_t count) {
  double sum = 0, centre = mean(x, count) - mean(y, count);
  for (int64_t i = 0; i < count; i++) sum += (x[i] - y[i] - centre) * (x[i] - y[i] - centre);
  return sqrt(sum / (double)count / (double)count);
}

/* The witness. */
static int judge_open(judge_t *j) {
  run_t *run = j->engine->run;
  size_t real = engine_real(run) == LAVDM_F32 ? sizeof(float) : sizeof(double);
  rows_t *rows = NULL;
  j->witness = mem_new(j->places.n * j->p * j->d, real);
  j->planes = mem_new(j->places.n * j->p * j->d, real);
  j->best = NEW(double, j->places.n);
  j->other = NEW(double, j->places.n);
  bool whole = j->witness && j->planes && j->best && j->other;
  int status = whole ? j->ops->load(j->engine, &j->b, j->centre, ROLE_POINTS, 0, &rows)
                     : fail_memory(run->error, "the frames");
  if (!status) status = planes_at(j, &j->places, j->centre, rows, 4 * j->d + 2, 0, j->witness);
  j->ops->unload(j->engine, rows);
  return status;
}

static void judge_close(judge_t *j) {
  mem_free(j->witness);
  mem_free(j->planes);
  mem_free(j->best);
  mem_free(j->other);
}

/* j->other and the score: planes at `places` from k/2 neighbours among `around`. */
static int judge(judge_t *j, const lavdm_data *places, const double *centre, const rows_t *around, int64_t k,
                 double *score) {
  int64_t half = k / 2 > j->d + 1 ? k / 2 : j->d + 1;
  int status = planes_at(j, places, centre, around, half, j->radius, j->planes);
  if (!status) compare(j, j->other);
  *score = status ? 0 : mean(j->other, j->places.n);
  return status;
}

/* The s-th step through `count` values, s < 2 + (count + 1)/2: every second, then those about the best; -1:
 * none. */
static int search_step(int s, int count, int best) {
  int coarse = (count + 1) / 2, at = s < coarse ? 2 * s : s == coarse ? best - 1 : best + 1;
  return at < count ? at : -1;
}

/* The best k of local frames. */
static int judge_local(judge_t *j, int64_t given, verdict_t *out) {
  rows_t *rows = NULL;
  int status = j->ops->load(j->engine, &j->a, j->centre, ROLE_POINTS, 0, &rows), best = 0;
  *out = (verdict_t){0};
  for (int s = 0, centre = 0; s < (j->free_k ? 2 + (TRY_K + 1) / 2 : 1) && !status; s++) {
    if (s <= (TRY_K + 1) / 2) centre = best;
    int at = search_step(s, TRY_K, centre);
    int64_t k = !j->free_k ? given : at < 0 ? 0 : try_k[at];
    double score;
    if (k < 1 || (j->free_k && out->k && (k < 2 * j->d + 2 || k > j->a.n))) continue;
    status = judge(j, &j->places, j->centre, rows, k, &score);
    if (status || (out->k && score <= out->score)) continue;
    best = at;
    *out = (verdict_t){.k = k, .score = score};
    memcpy(j->best, j->other, (size_t)j->places.n * sizeof *j->best);
  }
  j->ops->unload(j->engine, rows);
  return status;
}

/* x^ with r eigenvectors, and as many neighbours as the best local frames have, or, as noise is less, half.
 */
static int judge_smooth(judge_t *j, const lowpass_t *lowpass, int64_t r, const verdict_t *local, double *x,
                        verdict_t *out) {
  int status = lowpass_points(j->engine->run, lowpass, r, x);
  lavdm_data smooth = {.points = x, .n = j->a.n, .p = j->p, .row_stride = j->p, .col_stride = 1};
  lavdm_data places = part(&smooth, 0, j->step);
  rows_t *rows = NULL;
  if (!status) status = j->ops->load(j->engine, &smooth, NULL, ROLE_POINTS, 0, &rows);
  for (int64_t i = 1; i <= (j->free_k ? 2 : 1) && !status; i++) {
    double score;
    int64_t k = local->k / i;
    if (k < 2 * j->d + 2 && i > 1) break;
    status = judge(j, &places, NULL, rows, k, &score);
    if (status || (out->k && score <= out->score)) continue;
    double error = fmax(uncertainty(j->other, j->best, j->places.n), 1e-12);
    *out = (verdict_t){r, k, score, (score - local->score) / error};
  }
  j->ops->unload(j->engine, rows);
  return status;
}

/* The best r and k. */
static int judge_lowpass(judge_t *j, const verdict_t *local, verdict_t *out) {
  lowpass_t lowpass = {0};
  double *x = NEW(double, j->a.n * j->p);
  int status = x ? lowpass_open(j->engine, &j->a, j->centre, LOWPASS_MOST, &lowpass)
                 : fail_memory(j->engine->run->error, "the points");
  for (int s = 0, best = 0, centre = 0; s < 2 + (TRY_R + 1) / 2 && !status; s++) {
    if (s <= (TRY_R + 1) / 2) centre = best;
    int at = search_step(s, TRY_R, centre);
    if (at < 0 || (out->k && try_r[at] > lowpass.r)) continue;
    double before = out->score;
    status = judge_smooth(j, &lowpass, try_r[at] < lowpass.r ? try_r[at] : lowpass.r, local, x, out);
    if (out->score > before) best = at;
  }
  lowpass_close(j->engine, &lowpass);
  mem_free(x);
  return status;
}

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

static judge_t new_judge(engine_t *engine, const lavdm_data *data, const double *centre, double radius) {
  judge_t j = {.engine = engine,
               .ops = engine->ops,
               .centre = centre,
               .p = data->p,
               .d = engine->run->options.dim,
               .radius = radius,
               .a = part(data, 0, 2),
               .b = part(data, 1, 2)};
  j.step = (j.a.n + PLACES - 1) / PLACES;
  j.places = part(&j.a, 0, j.step);
  return j;
}

/* Both halves are asked, and the result is said. */
static int weigh(judge_t *j, bool smooth, int64_t *r) {
  run_t *run = j->engine->run;
  lavdm_options *o = &run->options;
  verdict_t local = {0}, low = {0};
  int status = judge_open(j);
  if (!status) status = judge_local(j, frame_neighbours(o), &local);
  if (!status && smooth) status = judge_lowpass(j, &local, &low);
  judge_close(j);
  if (status < 0) return status;
  if (o->frames == LAVDM_FRAMES_AUTO)
    o->frames = low.margin > SURE ? LAVDM_FRAMES_LOWPASS : LAVDM_FRAMES_LOCAL;
  *r = o->frames == LAVDM_FRAMES_LOWPASS ? low.r : 0;
  if (j->free_k) {
    double more = pow(2, 6 / (double)(j->d + 6) - 1); /* the scale shrinks as points are twice as many */
    int64_t k = (int64_t)lround(more * (double)(*r ? low.k : local.k));
    o->frame_knn = k < 2 * j->d + 2 ? 2 * j->d + 2 : k;
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
                  double radius, bool free_k, int64_t *r) {
  run_t *run = engine->run;
  lavdm_options *o = &run->options;
  const char *why = refusal(run, data);
  bool given = o->frames != LAVDM_FRAMES_AUTO, wanted = o->frames == LAVDM_FRAMES_LOWPASS;
  double turn = 0;
  int64_t k = frame_neighbours(o);
  int status = LAVDM_OK;
  *r = 0;
  if (wanted && why)
    return fail(run->error, LAVDM_ERROR_ARGUMENT, "frames=lowpass cannot be made %s: use local", why);
  if (!given || data->p <= o->dim) o->frames = LAVDM_FRAMES_LOCAL; /* the only plane is all of space */
  if (why || data->p <= o->dim || (!wanted && data->n < MANY_ROWS) || (given && !wanted && !free_k))
    return LAVDM_OK;
  if (!wanted) status = local_turn(engine, rows, &turn);
  if (status < 0) return status;
  judge_t j = new_judge(engine, data, centre, radius);
  j.free_k = free_k && !(radius > 0);
  if (wanted) return weigh(&j, true, r);
  bool few = data->n <= MOST_ROWS, smooth = !given && few && turn > STEADY;
  if (smooth) o->frames = LAVDM_FRAMES_AUTO;
  bool wide = turn > STEADY || (few && k > WIDE);
  if (wide && (smooth || j.free_k)) status = weigh(&j, smooth, r);
  if (!status && !given && !smooth)
    run_reason(run, "frames", "local: noise turns the planes of %" PRId64 " neighbours by %.2g at most", k,
               turn);
  return status;
}
