/*
 * The whole pipeline against the oracle: in both precisions, by one thread and by
 * two. Frames and landmarks are arbitrary, so the oracle takes the library's.
 */
#ifndef LAVDM_TESTS_COMPARE_H
#define LAVDM_TESTS_COMPARE_H

#include "oracle.h"

/* n points around a curved d-dimensional sheet in R^p, smooth and generic. */
double *sheet(int64_t n, int64_t p, int64_t d, uint64_t seed);

/* The defaults of a method with six components. */
lavdm_options oracle_options(lavdm_method method);

/* Fits x (n x p), with `count` landmarks of its own unless landmarks is NULL, and
 * fails the test unless eigenvalues, degrees and the projectors on leading
 * eigenspaces are those of the oracle. */
void check_oracle(const lavdm_options *options, const double *x, int64_t n, int64_t p,
                  const double *landmarks, int64_t count);

#endif
