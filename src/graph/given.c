#include "graph/given.h"

#include "base/memory.h"
#include "frames/polar.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { MOST_Q = GIVEN_MOST_Q };

/* Weights beyond these would under- or overflow where two are multiplied. */
#define LEAST_WEIGHT 1e-100
#define MOST_WEIGHT  1e100

int64_t given_fibre(const lavdm_edges *edges) {
  switch (edges->kind) {
  case LAVDM_ELEMENT_ANGLE:
    return 2;
  case LAVDM_ELEMENT_QUATERNION:
    return 3;
  case LAVDM_ELEMENT_MATRIX:
    return edges->q;
  default:
    return 1;
  }
}

bool given_element(const lavdm_edges *edges, int64_t e, int64_t q, double *o) {
  double scratch[POLAR_SCRATCH(MOST_Q)];
  const double *x = edges->element;
  switch (edges->kind) {
  case LAVDM_ELEMENT_NONE:
    o[0] = 1;
    return true;
  case LAVDM_ELEMENT_SIGN:
    o[0] = x[e] < 0 ? -1 : 1;
    return fabs(x[e]) == 1;
  case LAVDM_ELEMENT_ANGLE:
    o[0] = o[3] = cos(x[e]);
    o[2] = sin(x[e]);
    o[1] = -o[2];
    return isfinite(x[e]);
  case LAVDM_ELEMENT_QUATERNION: {
    double w = x[4 * e], i = x[4 * e + 1], j = x[4 * e + 2], k = x[4 * e + 3];
    double norm = sqrt(w * w + i * i + j * j + k * k);
    if (!(fabs(norm - 1) <= 1e-6)) return false;
    w /= norm, i /= norm, j /= norm, k /= norm;
    const double r[9] = {1 - 2 * (j * j + k * k), 2 * (i * j - w * k),     2 * (i * k + w * j),
                         2 * (i * j + w * k),     1 - 2 * (i * i + k * k), 2 * (j * k - w * i),
                         2 * (i * k - w * j),     2 * (j * k + w * i),     1 - 2 * (i * i + j * j)};
    memcpy(o, r, sizeof r);
    return true;
  }
  case LAVDM_ELEMENT_MATRIX:
    for (int64_t i = 0; i < q * q; i++)
      if (!isfinite(x[e * q * q + i])) return false;
    REAL(polar_factor)(q, x + e * q * q, o, scratch);
    for (int64_t i = 0; i < q * q; i++)
      if (fabs(o[i] - x[e * q * q + i]) > 1e-6) return false;
    return true;
  }
  return false;
}

/* What is wrong with edge e; NULL: nothing. */
typedef enum { FINE, NEGATIVE, BEYOND, WEIGHT, ELEMENT } fault_t;

static fault_t fault_of(const lavdm_edges *edges, int64_t e, int64_t q, int64_t points) {
  double o[MOST_Q * MOST_Q];
  if (edges->row[e] < 0 || edges->col[e] < 0) return NEGATIVE;
  if (points >= 0 && edges->row[e] >= points) return BEYOND;
  if (edges->weight && !(edges->weight[e] >= LEAST_WEIGHT && edges->weight[e] <= MOST_WEIGHT)) return WEIGHT;
  return edges->kind == LAVDM_ELEMENT_NONE || given_element(edges, e, q, o) ? FINE : ELEMENT;
}

static int tell_fault(run_t *run, const lavdm_edges *edges, int64_t e, fault_t fault, int64_t points) {
  switch (fault) {
  case NEGATIVE:
    return fail(run->error, LAVDM_ERROR_DATA, "edge %" PRId64 " names a negative node", e + 1);
  case BEYOND:
    return fail(run->error, LAVDM_ERROR_DATA,
                "edge %" PRId64 " names point %" PRId64 ", but there are %" PRId64 " (counted from 0)", e + 1,
                edges->row[e], points);
  case WEIGHT:
    return fail(run->error, LAVDM_ERROR_DATA,
                "edge %" PRId64 " has weight %g (from %" PRId64 " to %" PRId64
                "): it must be positive, from %g to %g",
                e + 1, edges->weight[e], edges->row[e], edges->col[e], LEAST_WEIGHT, MOST_WEIGHT);
  default:
    return fail(run->error, LAVDM_ERROR_DATA, "edge %" PRId64 " has an element that is not orthogonal",
                e + 1);
  }
}

int given_check(run_t *run, const lavdm_edges *edges, int64_t points) {
  int64_t q = given_fibre(edges), bad = INT64_MAX;
  if (edges->count < 1) return fail(run->error, LAVDM_ERROR_DATA, "the graph has no edges");
  if (!edges->row || !edges->col || (edges->kind != LAVDM_ELEMENT_NONE && !edges->element))
    return fail(run->error, LAVDM_ERROR_ARGUMENT, "the edges lack their rows, columns or elements");
  if (q < 1 || q > MOST_Q)
    return fail(run->error, LAVDM_ERROR_ARGUMENT, "elements of size %" PRId64 ": it must be from 1 to %d", q,
                MOST_Q);
#pragma omp parallel for num_threads(run->threads) schedule(static) reduction(min : bad)
  for (int64_t e = 0; e < edges->count; e++)
    if (e < bad && fault_of(edges, e, q, points) != FINE) bad = e;
  return bad == INT64_MAX ? LAVDM_OK : tell_fault(run, edges, bad, fault_of(edges, bad, q, points), points);
}

void given_free(given_t *given) {
  bsr_free(&given->graph);
  mem_free(given->row_node);
  mem_free(given->col_node);
  mem_free(given->far);
  memset(given, 0, sizeof *given);
}
