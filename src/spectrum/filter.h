/*
 * A polynomial p(A) that makes the top of the spectrum stand out: of odd
 * degree, between -p(edge) and p(edge) on [low, edge], and growing beyond the
 * edge as fast as a polynomial can. Below `low` it is negative, so nothing
 * there can be taken for the top. Of degree 1 it is A itself.
 */
#ifndef LAVDM_SPECTRUM_FILTER_H
#define LAVDM_SPECTRUM_FILTER_H

#include "spectrum/solver.h"

typedef struct {
  int64_t degree;        /* odd */
  double low, edge, top; /* p(top) = 1; unused for degree 1 */
} filter_t;

/* p(value), for a value of the spectrum. */
double filter_value(const filter_t *filter, double value);

/* The value outside of (low, edge) with p(value) = image; `edge` if there is none. */
double filter_inverse(const filter_t *filter, double image);

/* The least (p(value) - p(t)) / (value - t) over t in [low, value), for a value
 * above the edge: a residual of p(A) divided by it bounds that of A. */
double filter_contrast(const filter_t *filter, double value);

/* Growth per degree: p(value) ~ p(edge) exp(degree * rate) / 2, for value >= edge. */
double filter_rate(double low, double edge, double value);

/*
 * block[0] (N x count) holds X on entry and p(A) X on return; the three blocks
 * are exchanged at will. done/total is the progress reported meanwhile.
 */
int filter_apply(run_t *run, const operator_t *op, const filter_t *filter, double *block[3], int64_t count,
                 int64_t done, int64_t total);

#endif
