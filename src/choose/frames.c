/*
 * What frames are made from: the points (local), or the points without what varies fast along the
 * data (lowpass, lowpass/lowpass.h), and from how many eigenvectors r.
 *
 * Planes are judged by planes that know nothing of their noise. The rows of the data are dealt out to two
 * halves, A and B. Every candidate makes planes P at some points of A from A alone, and a witness makes
 * planes Q at the same places from B alone, by local PCA at the same scale. The errors of Q are as likely
 * to one side as to the other, so that among all candidates the one nearest to the true planes is the one
 * with the largest mean of |P'Q|^2: neither noise that a plane follows nor curvature that it blurs is
 * rewarded.
 *
 *   auto      local, if the spectra of neighbourhoods say that noise can turn its planes by little (below),
 *             or if no low-pass is better by more than its standard error twice over
 *   lowpass   the best r
 */
#include "base/memory.h"
#include "base/options.h"
#include "choose/choose.h"
#include "lowpass/lowpass.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum {
  PLACES = 1000,     /* where planes are compared */
  SPECTRA = 500,     /* neighbourhoods whose spectra are looked at */
  FEWEST_ROWS = 200, /* less are not divided */
};

/* The sine of the angle by which noise may turn planes before anything but local PCA is looked at. */
static const double STEADY = 0.05;

/* The numbers of eigenvectors that are tried. */
static const int64_t ladder[] = {4, 6, 8, 10, 14, 20, 28, 40, 56, LOWPASS_MOST};
enum { STEPS = sizeof ladder / sizeof *ladder };

typedef struct {
  engine_t *engine;
  const engine_ops *ops;
  const double *centre;
  int64_t p, d, k;
  double radius;
  lavdm_data a, b, places; /* of the data: even rows, odd rows, and the rows of A that are looked at */
  int64_t step;            /* every step-th row of A is a place */
  rows_t *row_b;
  void *witness, *planes; /* places x p x d reals */
  double *local, *other;  /* places: |P'Q|^2 / d, of local frames and of a candidate */
} judge_t;

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

/* Planes at `places` from their neighbours among `around`. */
static int planes_at(judge_t *j, const lavdm_data *places, const double *centre, const rows_t *around,
                     void *out) {
  rows_t *rows = NULL;
  int64_t degenerate;
  int status = j->ops->load(j->engine, places, centre, ROLE_NEW, around->n, &rows);
  if (!status) status = j->ops->frames(j->engine, rows, around, j->d, j->k, j->radius, &degenerate);
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

/* The witness, and local frames. */
static int judge_open(judge_t *j) {
  run_t *run = j->engine->run;
  size_t real = engine_real(run) == LAVDM_F32 ? sizeof(float) : sizeof(double);
  rows_t *row_a = NULL;
  j->witness = mem_new(j->places.n * j->p * j->d, real);
  j->planes = mem_new(j->places.n * j->p * j->d, real);
  j->local = NEW(double, j->places.n);
  j->other = NEW(double, j->places.n);
  bool whole = j->witness && j->planes && j->local && j->other;
  int status = whole ? j->ops->load(j->engine, &j->b, j->centre, ROLE_POINTS, 0, &j->row_b)
                     : fail_memory(run->error, "the frames");
  if (!status) status = planes_at(j, &j->places, j->centre, j->row_b, j->witness);
  if (!status) status = j->ops->load(j->engine, &j->a, j->centre, ROLE_POINTS, 0, &row_a);
  if (!status) status = planes_at(j, &j->places, j->centre, row_a, j->planes);
  if (!status) compare(j, j->local);
  j->ops->unload(j->engine, row_a);
  return status;
}

static void judge_close(judge_t *j) {
  j->ops->unload(j->engine, j->row_b);
  mem_free(j->witness);
  mem_free(j->planes);
  mem_free(j->local);
  mem_free(j->other);
}

/* The planes of x^ with r eigenvectors: j->other. */
static int try_lowpass(judge_t *j, const lowpass_t *lowpass, int64_t r, double *x) {
  int status = lowpass_points(j->engine->run, lowpass, r, x);
  lavdm_data smooth = {.points = x, .n = j->a.n, .p = j->p, .row_stride = j->p, .col_stride = 1};
  lavdm_data places = part(&smooth, 0, j->step);
  rows_t *rows = NULL;
  if (!status) status = j->ops->load(j->engine, &smooth, NULL, ROLE_POINTS, 0, &rows);
  if (!status) status = planes_at(j, &places, NULL, rows, j->planes);
  if (!status) compare(j, j->other);
  j->ops->unload(j->engine, rows);
  return status;
}

typedef struct {
  int64_t r;     /* the best, 0 before the first */
  double score;  /* its mean of |P'Q|^2 / d */
  double margin; /* over local frames, in standard errors */
} verdict_t;

static int judge_all(judge_t *j, verdict_t *out) {
  lowpass_t lowpass = {0};
  double *x = NEW(double, j->a.n * j->p);
  int status = x ? lowpass_open(j->engine, &j->a, j->centre, LOWPASS_MOST, &lowpass)
                 : fail_memory(j->engine->run->error, "the points");
  *out = (verdict_t){0};
  for (int s = 0; s < STEPS && !status; s++) {
    if (ladder[s] > lowpass.r && out->r) break;
    int64_t r = ladder[s] < lowpass.r ? ladder[s] : lowpass.r;
    status = try_lowpass(j, &lowpass, r, x);
    double score = status ? 0 : mean(j->other, j->places.n);
    if (!status && (!out->r || score > out->score))
      *out = (verdict_t){.r = r,
                         .score = score,
                         .margin = (score - mean(j->local, j->places.n)) /
                                   fmax(uncertainty(j->other, j->local, j->places.n), 1e-12)};
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
  if (data->n < FEWEST_ROWS) return "of fewer than 200 points";
  if (lowpass_bytes(data->n, data->p) > (double)run->options.max_memory)
    return "in the memory that max_memory allows";
  return NULL;
}

/* Both halves are asked, and the result is said. */
static int weigh(engine_t *engine, const lavdm_data *data, const double *centre, double radius, int64_t *r) {
  run_t *run = engine->run;
  lavdm_options *o = &run->options;
  judge_t j = {
      .engine = engine, .ops = engine->ops, .centre = centre, .p = data->p, .d = o->dim, .radius = radius};
  verdict_t found = {0};
  int64_t k = frame_neighbours(o) / 2; /* of half of the points: the same scale */
  j.a = part(data, 0, 2);
  j.b = part(data, 1, 2);
  j.k = k < o->dim + 1 ? o->dim + 1 : k;
  if (j.k > j.b.n) j.k = j.b.n;
  j.step = j.a.n / PLACES > 1 ? j.a.n / PLACES : 1;
  j.places = part(&j.a, 0, j.step);
  bool wanted = o->frames == LAVDM_FRAMES_LOWPASS;
  int status = judge_open(&j);
  if (!status) status = judge_all(&j, &found);
  double local = status ? 0 : mean(j.local, j.places.n);
  judge_close(&j);
  if (status < 0) return status;
  if (!wanted) o->frames = found.margin > 2 ? LAVDM_FRAMES_LOWPASS : LAVDM_FRAMES_LOCAL;
  *r = o->frames == LAVDM_FRAMES_LOWPASS ? found.r : 0;
  run_reason(run, "frames",
             "%s: planes of one half of the points agree with those of the other to %.4f by local, to %.4f "
             "by lowpass with %" PRId64 " eigenvectors",
             *r ? "lowpass" : "local", local, found.score, found.r);
  return LAVDM_OK;
}

int choose_frames(engine_t *engine, const rows_t *rows, const lavdm_data *data, const double *centre,
                  double radius, int64_t *r) {
  run_t *run = engine->run;
  lavdm_options *o = &run->options;
  const char *why = refusal(run, data);
  double turn = 0;
  *r = 0;
  if (o->frames == LAVDM_FRAMES_LOCAL) return LAVDM_OK;
  if (o->frames == LAVDM_FRAMES_LOWPASS)
    return why ? fail(run->error, LAVDM_ERROR_ARGUMENT, "frames=lowpass cannot be made %s: use local", why)
               : weigh(engine, data, centre, radius, r);
  o->frames = LAVDM_FRAMES_LOCAL;
  int status = why || data->p <= o->dim ? LAVDM_OK : local_turn(engine, rows, &turn);
  if (status < 0 || why) return status;
  if (turn > STEADY) {
    o->frames = LAVDM_FRAMES_AUTO;
    return weigh(engine, data, centre, radius, r);
  }
  run_reason(run, "frames", "local: noise turns the planes of %" PRId64 " neighbours by %.2g at most",
             frame_neighbours(o), turn);
  return LAVDM_OK;
}
