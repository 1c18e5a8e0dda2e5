#include "choose/judge.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

/* Where planes are compared: places, and fewer where coordinates are many and planes take their time. */
enum { PLACES = 1500, FEW_PLACES = 500, MANY_COORDINATES = 12 };

/* Neighbours of a frame, among all points, and eigenvectors that are tried: every second, then those next
 * to the best. */
static const int64_t try_k[] = {12, 17, 25, 35, 50, 70, 100, 140, 200, 280, 400};
static const int64_t try_r[] = {4, 6, 10, 16, 25, 40, LOWPASS_MOST};
enum { TRY_K = sizeof try_k / sizeof *try_k, TRY_R = sizeof try_r / sizeof *try_r };

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

int judge_witness(judge_t *j) {
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

void judge_end(judge_t *j) {
  mem_free(j->witness);
  mem_free(j->planes);
  mem_free(j->best);
  mem_free(j->other);
}

/* j->other and the score: planes at `places` from k/2 neighbours among `around`. */
static int judge_planes(judge_t *j, const lavdm_data *places, const double *centre, const rows_t *around,
                        int64_t k, double *score) {
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

int judge_local(judge_t *j, int64_t given, verdict_t *out) {
  rows_t *rows = NULL;
  int status = j->ops->load(j->engine, &j->a, j->centre, ROLE_POINTS, 0, &rows), best = 0;
  *out = (verdict_t){0};
  for (int s = 0, centre = 0; s < (j->free_k ? 2 + (TRY_K + 1) / 2 : 1) && !status; s++) {
    if (s <= (TRY_K + 1) / 2) centre = best;
    int at = search_step(s, TRY_K, centre);
    int64_t k = !j->free_k ? given : at < 0 ? 0 : try_k[at];
    double score;
    if (k < 1 || (j->free_k && out->k && (k < 2 * j->d + 2 || k > j->a.n))) continue;
    status = judge_planes(j, &j->places, j->centre, rows, k, &score);
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
    status = judge_planes(j, &places, NULL, rows, k, &score);
    if (status || (out->k && score <= out->score)) continue;
    double error = fmax(uncertainty(j->other, j->best, j->places.n), 1e-12);
    *out = (verdict_t){r, k, score, (score - local->score) / error};
  }
  j->ops->unload(j->engine, rows);
  return status;
}

int judge_lowpass(judge_t *j, const verdict_t *local, verdict_t *out) {
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

judge_t judge_start(engine_t *engine, const lavdm_data *data, const double *centre, double radius,
                    bool free_k) {
  judge_t j = {.engine = engine,
               .ops = engine->ops,
               .centre = centre,
               .p = data->p,
               .d = engine->run->options.dim,
               .radius = radius,
               .free_k = free_k && !(radius > 0),
               .a = part(data, 0, 2),
               .b = part(data, 1, 2)};
  int64_t places = data->p <= MANY_COORDINATES ? PLACES : FEW_PLACES;
  j.step = (j.a.n + places - 1) / places;
  j.places = part(&j.a, 0, j.step);
  return j;
}

int64_t judge_neighbours(const judge_t *j, int64_t k) {
  int64_t more = (int64_t)lround(pow(2, 6 / (double)(j->d + 6) - 1) * (double)k);
  return more < 2 * j->d + 2 ? 2 * j->d + 2 : more;
}
