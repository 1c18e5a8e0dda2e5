/*
 * In ascending order of the rates, eigenvector l is regressed on those before it, and is a coordinate if the
 * residual is large. Of those that are no coordinates and not much slower, the fits stand in for themselves:
 * functions of coordinates, and no more. What scatter has mixed into one of them of a coordinate to come, if
 * only a little, would give that away.
 */
#include "coordinates/coordinates.h"

#include "base/memory.h"
#include "spectrum/rates.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
  SAMPLE = 400, /* rows, evenly spaced, that regressions are made at */
  LEAST = 50,   /* rows that say something */
  JUDGED = 40,  /* leading eigenvectors that are looked at */
};

/*
 * A residual above INDEPENDENT is that of a coordinate, and one above MEMBER in a group that has one; a rate
 * below MIXED of another is much slower. So chosen that nothing is lost, and little taken that is not needed,
 * on the shapes TUNE of studies/coordinates/shapes.py (docs/coordinates.md has those held out as well).
 */
static const double INDEPENDENT = 0.35, MEMBER = 0.23, MIXED = 0.5;

/* Components of the graph with this share of the points are pieces to be told apart; smaller ones, outliers
 * and their neighbours, would take the first coordinates for themselves. */
static const double PIECE = 0.05;

/* Rates of harmonics of one direction grow by 4 at most, from the first to the second. */
static const double STANDS_OUT = 6;

typedef struct {
  run_t *run;
  lavdm_model *model;
  const double *values;
  int64_t r, zero; /* eigenpairs, and those of constants: one for each component of the graph */
  int64_t pieces;  /* of these those that tell pieces apart: from 1 on */
  int64_t lead;    /* eigenpairs before the gap, or 0 */
  double factor;
  int64_t count, judged; /* rows of the sample, eigenvectors that are looked at */
  double *column;        /* judged x count: eigenvectors at the sample, with mean square 1, or zero */
  double residual[JUDGED];
  int64_t group[JUDGED]; /* of eigenvalues without a gap between them */
  bool is_coordinate[JUDGED];
} choice_t;

int64_t leading_values(const double *values, int64_t count, int64_t zero, double *factor) {
  int64_t lead = 0;
  *factor = 1;
  for (int64_t l = zero; l + 1 < count; l++) {
    double rate = rate_of(values[l]), next = rate_of(values[l + 1]);
    if (!isfinite(next)) break;
    bool stands = next > STANDS_OUT * rate;
    if (stands ? true : !lead && next > *factor * rate) *factor = next / rate;
    if (stands) lead = l + 1;
  }
  return lead;
}

/* ----------------------------------------------------------------- sample */

/* Rows that have eigenvectors: isolated ones have none. */
static int64_t connected(const double *degrees, int64_t n) {
  int64_t count = 0;
  for (int64_t i = 0; i < n; i++) count += degrees[i] > 0;
  return count;
}

/* Makes the mean square of a column 1; one that is zero stays zero. */
static void normalise(double *column, int64_t count) {
  double sum = 0;
  for (int64_t i = 0; i < count; i++) sum += column[i] * column[i];
  double scale = sum > 0 && isfinite(sum) ? sqrt((double)count / sum) : 0;
  for (int64_t i = 0; i < count; i++) column[i] = scale > 0 ? column[i] * scale : 0;
}

static int take_sample(choice_t *c) {
  const lavdm_array *vectors = lavdm_get(c->model, "eigenvectors");
  const double *degrees = model_data(c->model, "degrees");
  int64_t n = vectors->shape[0], have = connected(degrees, n), seen = 0, at = 0;
  c->count = have < SAMPLE ? have : SAMPLE;
  c->column = NEW(double, c->judged * c->count);
  double *space = NEW(double, c->r);
  for (int64_t i = 0; i < n && c->column && space; i++) {
    if (!(degrees[i] > 0)) continue;
    if (seen++ != at * have / c->count || at == c->count) continue;
    const double *row = model_row(vectors, i, c->r, space);
    for (int64_t l = 0; l < c->judged; l++) c->column[l * c->count + at] = row[l];
    at++;
  }
  bool room = c->column && space;
  mem_free(space);
  for (int64_t l = 0; l < c->judged && room; l++) normalise(c->column + l * c->count, c->count);
  return room ? LAVDM_OK : fail_memory(c->run->error, "the choice of coordinates");
}

/* ----------------------------------------------------------------- choice */

static bool is_zero(const choice_t *c, int64_t l) {
  const double *column = c->column + l * c->count;
  for (int64_t i = 0; i < c->count; i++)
    if (column[i] != 0) return false;
  return true;
}

/* fit (judged x count): of each eigenvector. */
static int judge(choice_t *c, double *fit) {
  const double *x[JUDGED];
  int status = LAVDM_OK;
  for (int64_t l = c->zero; l < c->judged && !status && !run_stopped(c->run, l, c->judged); l++) {
    double rate = rate_of(c->values[l]);
    int64_t width = 0, m = c->count;
    if (!isfinite(rate) || is_zero(c, l)) continue;
    for (int64_t k = c->zero; k < l; k++) {
      bool own = c->is_coordinate[k] || rate_of(c->values[k]) < MIXED * rate;
      x[width++] = (own ? c->column : fit) + k * m;
    }
    status = regression_residual(c->run, x, width, c->column + l * m, m, fit + l * m, &c->residual[l]);
    c->is_coordinate[l] = c->residual[l] > INDEPENDENT;
  }
  return status < 0 ? status : run_status(c->run);
}

/* Where a group has a coordinate, the others of it are needed to tell which function it is. */
static void complete_groups(choice_t *c) {
  int64_t first[JUDGED + 1], groups = rates_groups(c->values, c->judged, first);
  for (int64_t g = 0; g < groups; g++) {
    bool any = false;
    for (int64_t l = first[g]; l < first[g + 1]; l++) any |= c->is_coordinate[l], c->group[l] = g;
    for (int64_t l = first[g]; l < first[g + 1] && any; l++) c->is_coordinate[l] |= c->residual[l] > MEMBER;
  }
}

/* Puts l behind `count` others of the list, but for those that are there only because they share its group.
 */
static void insert(const choice_t *c, int64_t *list, int64_t count, int64_t l) {
  for (; count > 0 && c->residual[l] > INDEPENDENT; count--) {
    int64_t other = list[count - 1];
    if (c->group[other] != c->group[l] || c->residual[other] > INDEPENDENT) break;
    list[count] = other;
  }
  list[count] = l;
}

static int keep(choice_t *c) {
  large_t *large = &c->run->large;
  int64_t count = 0, lead = 0, gap = c->lead ? c->lead : c->pieces ? c->zero : c->judged;
  for (int64_t l = 0; l < c->judged; l++) count += c->is_coordinate[l];
  for (int64_t l = 0; l < gap && l < c->judged; l++) lead += c->is_coordinate[l];
  int64_t *list = model_array(c->model, large, "coordinate_index", LAVDM_I64, 1, count, 0, 0);
  int64_t *leading = model_array(c->model, large, "coordinate_lead", LAVDM_I64, 1, 1, 0, 0);
  double *residuals = model_array(c->model, large, "coordinate_residuals", LAVDM_F64, 1, c->r, 0, 0);
  if (!list || !leading || !residuals) return fail_memory(c->run->error, "the coordinates");
  *leading = lead;
  for (int64_t l = 0, at = 0; l < c->r; l++) {
    if (l < c->judged && c->is_coordinate[l]) insert(c, list, at++, l);
    residuals[l] = l < c->judged ? c->residual[l] : NAN;
  }
  return LAVDM_OK;
}

/* Those before the gap are coordinates whatever they are functions of: they tell apart pieces of the data,
 * and are nearly constant on each. With too few rows to say more all of them are. */
static int choose(choice_t *c) {
  for (int64_t l = 0; l < c->judged; l++) c->residual[l] = NAN;
  int64_t large;
  int status = pieces_turn(c->run, c->model, PIECE, &large);
  if (large > 1) c->pieces = large - 1;
  if (!status) status = take_sample(c);
  bool tell = c->count >= LEAST;
  double *fit = NEW(double, c->judged * c->count);
  if (!status && !fit) status = fail_memory(c->run->error, "the choice of coordinates");
  if (!status && tell) status = judge(c, fit);
  mem_free(fit);
  if (!status) complete_groups(c);
  for (int64_t l = c->zero; l < c->judged && !status; l++)
    if (!is_zero(c, l)) c->is_coordinate[l] |= l < c->lead || !tell;
  for (int64_t l = 1; l <= c->pieces; l++) c->is_coordinate[l] = true;
  return status < 0 ? status : keep(c);
}

/* ---------------------------------------------------------------- reasons */

/* " 1, 5 and 7", of the first few. */
static void list_words(const choice_t *c, int64_t count, char *text, size_t size) {
  enum { SHOWN = 8 };
  size_t used = 0;
  text[0] = 0;
  for (int64_t l = 0, at = 0; l < c->judged && at < SHOWN && used < size; l++)
    if (c->is_coordinate[l]) {
      used += (size_t)snprintf(text + used, size - used, "%s%" PRId64,
                               !at               ? ""
                               : at + 1 == count ? " and "
                                                 : ", ",
                               l);
      at++;
    }
  if (count > SHOWN && used < size) snprintf(text + used, size - used, ", ...");
}

static void tell_gap(const choice_t *c) {
  int64_t l = c->lead;
  if (l)
    run_reason(c->run, "components",
               "%" PRId64 ", of which %" PRId64 " lead: after them, from eigenvalue %.4g to %.4g, rates -log "
               "lambda grow %.3g-fold, those of harmonics 4-fold at most",
               c->r, l, c->values[l - 1], c->values[l], c->factor);
  else
    run_reason(c->run, "components",
               "%" PRId64
               ": no gap stands out, as rates -log lambda grow %.3g-fold at most from one to the next",
               c->r, c->factor);
}

static void tell_coordinates(const choice_t *c) {
  int64_t count = 0;
  double rest = 0;
  char list[120], pieces[80] = "";
  if (c->pieces)
    snprintf(pieces, sizeof pieces, "%s%" PRId64 " telling pieces of the graph apart, the others ",
             c->pieces > 1 ? "1 to " : "", c->pieces);
  for (int64_t l = 0; l < c->judged; l++) {
    count += c->is_coordinate[l];
    if (!c->is_coordinate[l] && c->residual[l] > rest) rest = c->residual[l];
  }
  list_words(c, count, list, sizeof list);
  if (c->count < LEAST)
    run_reason(c->run, "coordinates",
               "all %" PRId64 ", as %" PRId64 " points are too few to tell which follow from others", count,
               c->count);
  else
    run_reason(c->run, "coordinates",
               "eigenvector%s %s (from 0) of %" PRId64
               ", %s%sno functions of slower ones; residuals of the others "
               "are %.2g at most",
               count == 1 ? "" : "s", list, c->judged, pieces, c->lead ? "before the gap or " : "", rest);
}

int coordinates_choose(run_t *run, bool scalar, lavdm_model *model) {
  const double *values = model_data(model, "eigenvalues");
  if (run->team || !values || !lavdm_get(model, "eigenvectors") || !model_data(model, "degrees"))
    return LAVDM_OK;
  run_stage(run, "coordinates");
  choice_t *c = NEW(choice_t, 1);
  if (!c) return fail_memory(run->error, "the choice of coordinates");
  c->run = run, c->model = model, c->values = values, c->r = run->options.components;
  while (c->zero < c->r && !(rate_of(values[c->zero]) > 0)) c->zero++;
  if (scalar && c->zero < model->info.graph_components) c->zero = model->info.graph_components;
  if (c->zero > c->r) c->zero = c->r;
  c->judged = c->r < JUDGED ? c->r : JUDGED;
  c->lead = leading_values(values, c->r, c->zero, &c->factor);
  tell_gap(c);
  int status = scalar ? choose(c) : LAVDM_OK;
  if (!status) status = run_status(run); /* asked to stop as this began */
  if (!status && scalar && c->zero < c->r) tell_coordinates(c);
  mem_free(c->column);
  mem_free(c);
  return status;
}
