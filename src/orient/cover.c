/*
 * The orientable double cover. Over the point i lie (i,+) and (i,-), one for each
 * orientation of its tangent space, + for that of its own frame. An edge of sign
 * +1 joins equal sheets, one of sign -1 opposite sheets; degrees are those of the
 * points. Diffusion on these 2n nodes keeps even functions, f(i,+) = f(i,-), even
 * and odd ones, f(i,+) = -f(i,-), odd: it is that of the trivial bundle on the
 * former and that of the orientation bundle on the latter. Its eigenvectors are
 *     [ v;  v ] / sqrt 2     for v of the trivial bundle,
 *     [ w; -w ] / sqrt 2     for w of the orientation bundle,
 * of length 1 in the degrees if v and w are, as those of a fit.
 */
#include "base/door.h"
#include "base/memory.h"
#include "base/status.h"
#include "model/model.h"
#include "orient/twin.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

/* The reflection that makes the first even eigenvector constant: where a graph
 * falls apart, constants are mixed with the other eigenvectors of eigenvalue 1. */
typedef struct {
  int64_t size; /* leading eigenvectors that it mixes; 0: nothing to do */
  double *axis; /* its normal, of length sqrt(2) */
} mirror_t;

typedef struct {
  const lavdm_model *even, *odd;
  int64_t rank;
  int64_t *column; /* rank: l >= 0 stands for even eigenvector l, -1 - l for odd l */
  double *factor;  /* rank: lambda^t / sqrt 2 */
  double *row;     /* space for a row of both */
  mirror_t mirror;
} cover_t;

static void release(cover_t *c) {
  mem_free(c->column);
  mem_free(c->factor);
  mem_free(c->row);
  mem_free(c->mirror.axis);
}

static int64_t pairs(const lavdm_model *model) {
  return lavdm_info(model)->chosen->components;
}

static double value_of(const cover_t *c, int64_t column) {
  return column >= 0 ? lavdm_info(c->even)->eigenvalues[column]
                     : lavdm_info(c->odd)->eigenvalues[-1 - column];
}

/*
 * Merges the eigenvalues of both kinds, descending, without the constant. Returns
 * how many are sure, rank at most: what follows the last one that was computed of
 * a kind is unknown, unless it is the last there is.
 */
static int64_t merge(cover_t *c) {
  int64_t even = 1, odd = 0, evens = pairs(c->even), odds = pairs(c->odd), most = most_pairs(c->odd);
  for (int64_t l = 0; l < c->rank; l++) {
    bool no_even = even == evens, no_odd = odd == odds;
    if ((no_even && evens < most) || (no_odd && odds < most) || (no_even && no_odd)) return l;
    bool takes_even = no_odd || (!no_even && value_of(c, even) >= value_of(c, -1 - odd));
    c->column[l] = takes_even ? even++ : -1 - odd++;
  }
  return c->rank;
}

/* Gives back what reading the arrays of streamed models mapped. */
static void let_go(const cover_t *c, int64_t i) {
  enum { TICK = 1 << 14 };
  if (i % TICK == 0) lavdm_trim(c->even), lavdm_trim(c->odd);
}

/* The normal is x + sign(x_1) e_1 for the unit vector x of the constant's
 * coefficients sum_i D_i v_l[i], l < size. */
static int find_mirror(cover_t *c, lavdm_error *error) {
  const lavdm_info_t *info = lavdm_info(c->even);
  int64_t width = pairs(c->even);
  if (info->graph_components < 2) return LAVDM_OK;
  int64_t size = info->graph_components < width ? info->graph_components : width;
  double *x = c->mirror.axis = NEW(double, size), norm = 0;
  if (!x) return fail_memory(error, "the double cover");
  const double *degree = model_data(c->even, "degrees");
  for (int64_t i = 0; i < info->n; i++) {
    const double *v = model_row(lavdm_get(c->even, "eigenvectors"), i, width, c->row);
    for (int64_t l = 0; l < size; l++) x[l] += degree[i] * v[l];
    let_go(c, i);
  }
  for (int64_t l = 0; l < size; l++) norm += x[l] * x[l];
  if (!(norm > 0)) return LAVDM_OK;
  for (int64_t l = 0; l < size; l++) x[l] /= sqrt(norm);
  double half = sqrt(1 + fabs(x[0])); /* |x + sign e_1|^2 = 2 (1 + |x_1|) */
  x[0] += x[0] < 0 ? -1 : 1;
  for (int64_t l = 0; l < size; l++) x[l] /= half;
  c->mirror.size = size;
  return LAVDM_OK;
}

static void reflect(const mirror_t *m, double *v) {
  double dot = 0;
  for (int64_t l = 0; l < m->size; l++) dot += m->axis[l] * v[l];
  for (int64_t l = 0; l < m->size; l++) v[l] -= dot * m->axis[l];
}

static void write_rows(cover_t *c, double *out) {
  const lavdm_array *v = lavdm_get(c->even, "eigenvectors"), *w = lavdm_get(c->odd, "eigenvectors");
  int64_t n = lavdm_info(c->odd)->n, evens = pairs(c->even), odds = pairs(c->odd), rank = c->rank;
  double *even = c->row, *space = c->row + evens;
  for (int64_t i = 0; i < n; i++) {
    const double *row = model_row(v, i, evens, even), *odd = model_row(w, i, odds, space);
    if (row != even) memcpy(even, row, (size_t)evens * sizeof *even);
    reflect(&c->mirror, even);
    for (int64_t l = 0; l < rank; l++) {
      int64_t at = c->column[l];
      double x = c->factor[l] * (at >= 0 ? even[at] : odd[-1 - at]);
      out[i * rank + l] = x;
      out[(n + i) * rank + l] = at >= 0 ? x : -x;
    }
    let_go(c, i);
  }
}

static int arrange(cover_t *c, double t, lavdm_error *error) {
  c->column = NEW(int64_t, c->rank);
  c->factor = NEW(double, c->rank);
  c->row = NEW(double, pairs(c->even) + pairs(c->odd));
  if (!c->column || !c->factor || !c->row) return fail_memory(error, "the double cover");
  int64_t sure = merge(c);
  if (sure < c->rank)
    return fail(error, LAVDM_ERROR_ARGUMENT,
                "rank is %" PRId64 ", but the %" PRId64 " components of the model reach only to %" PRId64
                " of the double cover: fit it with more components, or ask for fewer",
                c->rank, pairs(c->odd), sure);
  for (int64_t l = 0; l < c->rank; l++) c->factor[l] = M_SQRT1_2 * pow(fmax(value_of(c, c->column[l]), 0), t);
  return find_mirror(c, error);
}

/* A warning, if even eigenpairs that were used are less sure than asked for; the
 * model has said so of the odd ones. */
static int tell_residuals(const cover_t *c, lavdm_error *error) {
  const lavdm_info_t *info = lavdm_info(c->even);
  int64_t unsure = 0;
  double worst = 0;
  for (int64_t l = 0; l < c->rank; l++) {
    if (c->column[l] < 0) continue;
    double residual = info->residuals[c->column[l]];
    unsure += !(residual <= info->chosen->tolerance);
    worst = fmax(worst, residual);
  }
  if (!unsure) return LAVDM_OK;
  return fail(error, LAVDM_WARNING,
              "%" PRId64
              " even eigenpairs of the double cover have a residual above %g (the largest is %.2g)",
              unsure, info->chosen->tolerance, worst);
}

static int check(const lavdm_data *data, const lavdm_model *model, double t, int64_t rank,
                 lavdm_error *error) {
  const lavdm_info_t *info = lavdm_info(model);
  const lavdm_array *basis = lavdm_get(model, "pca_basis");
  int64_t p = basis ? basis->shape[0] : info->p, most = 2 * most_pairs(model) - 1;
  if (info->chosen->bundle != LAVDM_BUNDLE_ORIENTATION)
    return fail(error, LAVDM_ERROR_ARGUMENT,
                "the double cover is made from a model with the orientation bundle");
  if (data->edges || data->n != info->n || data->p != p)
    return fail(error, LAVDM_ERROR_ARGUMENT,
                "the double cover needs the data of the model, %" PRId64 " points with %" PRId64
                " coordinates",
                info->n, p);
  if (rank < 1 || rank > most)
    return fail(error, LAVDM_ERROR_ARGUMENT, "rank is %" PRId64 ": it must be from 1 to %" PRId64, rank,
                most);
  if (!(t >= 0 && t < INFINITY))
    return fail(error, LAVDM_ERROR_ARGUMENT, "time is %g: it must be 0 or more", t);
  return LAVDM_OK;
}

int lavdm_cover(const lavdm_data *data, const lavdm_model *orientation, const lavdm_options *how, double t,
                int64_t rank, double *coordinates, double *eigenvalues, int *parity, lavdm_error *error) {
  if (error) *error = (lavdm_error){0};
  if (!data || !orientation || !coordinates)
    return fail(error, LAVDM_ERROR_ARGUMENT, "data, model or coordinates are missing (NULL)");
  door_t door;
  int status = door_open(&door, data, how, error);
  if (status >= 0) status = door_dense(&door, "lavdm_cover", error);
  if (status < 0) return status;
  data = &door.data, how = how ? &door.options : NULL;
  status = check(data, orientation, t, rank, error);
  if (status < 0) return status;
  lavdm_model *twin;
  status = fit_twin(data, orientation, how, rank + 1, &twin, error);
  if (status < 0) return status;
  cover_t c = {.even = twin, .odd = orientation, .rank = rank};
  status = arrange(&c, t, error);
  if (!status) {
    for (int64_t l = 0; l < rank; l++) {
      if (eigenvalues) eigenvalues[l] = value_of(&c, c.column[l]);
      if (parity) parity[l] = c.column[l] >= 0 ? 1 : -1;
    }
    write_rows(&c, coordinates);
    status = tell_residuals(&c, error);
  }
  release(&c);
  lavdm_free(twin);
  return status;
}
