#include "orient/evidence.h"

#include "base/memory.h"
#include "base/random.h"
#include "model/model.h"
#include "orient/parity.h"
#include "reduce/reduce.h"

#include <math.h>
#include <string.h>

enum {
  MOST_POINTS = 6000,    /* that are looked at, drawn at random */
  MOST_COORDINATES = 32, /* principal ones, if there are more */
  HALVED = 80,           /* fewer points are not halved */
  LOOKS = 5
};

/* Rows of the data in random order, in the coordinates of the model. */
static void copy_row(const lavdm_data *data, const lavdm_model *model, int64_t i, double *room, double *out) {
  const lavdm_array *basis = lavdm_get(model, "pca_basis"), *mean = lavdm_get(model, "pca_mean");
  int64_t p = data->p, rs = data->row_stride, cs = data->col_stride;
  if (!rs && !cs) rs = p, cs = 1;
  double *x = basis ? room : out;
  for (int64_t j = 0; j < p; j++)
    x[j] = data->type == LAVDM_F32 ? (double)((const float *)data->points)[i * rs + j * cs]
                                   : ((const double *)data->points)[i * rs + j * cs];
  if (!basis) return;
  int64_t k = basis->shape[1];
  const double *v = basis->data, *centre = mean->data;
  memset(out, 0, (size_t)k * sizeof *out);
  for (int64_t j = 0; j < p; j++)
    for (int64_t a = 0; a < k; a++) out[a] += v[j * k + a] * (x[j] - centre[j]);
}

static int draw(run_t *run, const lavdm_data *data, const lavdm_model *model, lavdm_data *out) {
  int64_t n = data->n, count = n < MOST_POINTS ? n : MOST_POINTS, p = model->info.p;
  int64_t *order = NEW(int64_t, n);
  double *x = NEW(double, count *p), *room = NEW(double, data->p);
  int status = order && x && room ? LAVDM_OK : fail_memory(run->error, "the points that are looked at");
  random_t random = random_start(run->options.seed, 0x0d1e);
  for (int64_t i = 0; i < n && !status; i++) order[i] = i;
  for (int64_t i = 0; i < count && !status; i++) {
    int64_t j = i + random_below(&random, n - i), at = order[j];
    order[j] = order[i], order[i] = at;
    copy_row(data, model, at, room, x + i * p);
  }
  mem_free(order);
  mem_free(room);
  *out = (lavdm_data){.points = x, .n = count, .p = p};
  return status;
}

/* The points in their leading principal coordinates, if they have many. */
static int narrow(run_t *run, lavdm_data *data) {
  if (data->p <= MOST_COORDINATES) return LAVDM_OK;
  reduce_t reduce = {0};
  double *y = NEW(double, data->n *MOST_COORDINATES);
  int status = y ? reduce_fit(run, data, data->n, MOST_COORDINATES, &reduce)
                 : fail_memory(run->error, "the principal coordinates");
  if (!status) status = reduce_apply(run, &reduce, data, y);
  reduce_free(&reduce);
  mem_free((void *)(uintptr_t)data->points);
  data->points = y;
  data->p = MOST_COORDINATES;
  return status;
}

static int look_at_whole(run_t *run, const lavdm_data *data, int64_t d, int64_t k, double odd[3],
                         evidence_t *out) {
  planes_t planes;
  parity_t parity[3];
  int status = planes_find(run, data, d, k, &planes);
  for (int s = 0; s < 3 && !status; s++) {
    status = parity_find(run, &planes, s - 1, parity + s);
    odd[s] = parity[s].odd;
  }
  if (!status) {
    out->frustrated = parity[1].frustrated;
    out->turn = parity[1].light;
    out->gap = planes_gap(&planes);
    out->margin = planes_margin(&planes);
    out->growth = planes_growth(&planes);
    out->neighbours = planes_typical(&planes);
  }
  planes_free(&planes);
  return status;
}

static int look_at_half(run_t *run, const lavdm_data *data, int64_t d, int64_t k, double *odd) {
  planes_t planes;
  parity_t parity = {0};
  int status = planes_find(run, data, d, k, &planes);
  if (!status) status = parity_find(run, &planes, 0, &parity);
  if (!status) *odd = parity.odd;
  planes_free(&planes);
  return status;
}

static int look(run_t *run, const lavdm_data *all, int64_t d, int64_t k, evidence_t *out) {
  double odd[LOOKS] = {0};
  int looks = all->n < HALVED ? 3 : LOOKS;
  int64_t half = all->n / 2;
  lavdm_data a = {.points = all->points, .n = half, .p = all->p}, b = a;
  b.points = (const double *)all->points + half * all->p;
  b.n = all->n - half;
  int status = look_at_whole(run, all, d, k, odd, out);
  if (!status && looks > 3) status = look_at_half(run, &a, d, k, odd + 3);
  if (!status && looks > 3) status = look_at_half(run, &b, d, k, odd + 4);
  if (status < 0) return status;
  double least = odd[0], most = odd[0];
  for (int s = 0; s < looks; s++) {
    out->odd += odd[s] / looks;
    least = fmin(least, odd[s]), most = fmax(most, odd[s]);
  }
  out->spread = most - least;
  return LAVDM_OK;
}

int evidence_find(const lavdm_data *data, const lavdm_model *model, const lavdm_options *how, int64_t d,
                  int64_t k, evidence_t *out, lavdm_error *error) {
  *out = (evidence_t){0};
  run_t *run = NEW(run_t, 1);
  if (!run) return fail_memory(error, "the evidence");
  run->options = *how;
  run->error = error;
  run->total = data->n;
  large_start(&run->large, false);
  run_stage(run, "signs");
  lavdm_data drawn = {0};
  int status = run_threads(run, how->threads);
  if (!status) status = draw(run, data, model, &drawn);
  if (!status) status = narrow(run, &drawn);
  double share = (double)data->n / (double)(drawn.n > 0 ? drawn.n : 1);
  k = k > 0 ? (int64_t)fmax((double)k / share, (double)d + 1) : 0;
  if (!status) status = look(run, &drawn, d, k, out);
  out->neighbours = (int64_t)((double)out->neighbours * share);
  out->looked = drawn.n;
  mem_free((void *)(uintptr_t)drawn.points);
  run_stage(run, NULL);
  large_end(&run->large);
  mem_free(run);
  return status;
}

/*
 * Found by `studies/real/orient.py --fit` on the shapes that it tunes on; what it says of others is in
 * docs/orient.md. Odd cycles begin to count against orientability at `turning`; signs that disagree around
 * triangles take from that, as chance makes cycles odd as well; looks that differ take from the contrary.
 * More than 99 in 100 is more than the cases that were tried can tell.
 */
static const double turning = 0.85, for_it = 6.5, against = 5.8, by_triangles = 65, by_spread = 0.09,
                    most = 4.6;

double evidence_odds(const evidence_t *e) {
  double odds = e->odd < turning
                    ? for_it * (1 - e->odd / turning) / (1 + by_spread * e->spread)
                    : against * (turning - e->odd) / (1 - turning) / (1 + by_triangles * e->frustrated);
  return fmin(fmax(odds, -most), most);
}
