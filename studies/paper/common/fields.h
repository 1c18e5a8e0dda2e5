/*
 * Eigenvector fields of two fits of the same points, compared.
 *
 * As the paper does: vector l of one with vector l of the other, each of unit length,
 * the sign chosen so that their inner product is not negative. And for eigenspaces:
 * the spectrum of the reference is split at its gaps, and the principal angles are
 * taken between the spaces that the vectors of a part span, because vectors of nearly
 * equal eigenvalues are no more than one basis of that space among others.
 *
 * Frames are estimated from the same points by the same options in both fits and are
 * the same numbers, so blocks of eigenvectors can be compared as they are.
 */
#ifndef LAVDM_EXPERIMENTS_FIELDS_H
#define LAVDM_EXPERIMENTS_FIELDS_H

#include "common/experiment.h"

typedef struct {
  int64_t n, q, r;
  double *values;  /* r eigenvalues */
  double *vectors; /* r x (n q), each of unit length */
  double *ambient; /* n x p x r, where asked for */
  double seconds;
} fields_t;

/* Fits and keeps what is compared. Negative: interrupted (other failures end the program). */
int fields_fit(session_t *session, const lavdm_data *data, lavdm_options options, int ambient,
               fields_t *fields);
void fields_free(fields_t *fields);

/* The options that all experiments share: dimension 2, double precision, and weights
 * down to exp(-16): the paper's graphs are complete. */
lavdm_options paper_options(session_t *session, lavdm_method method, double epsilon, double alpha,
                            uint64_t seed);

/* Vector l (from 0) of both: |cosine|, and sqrt(sum |w[i] - s v[i]|^2) with the best sign s. */
double fields_cosine(const fields_t *a, const fields_t *b, int64_t l);
double fields_difference(const fields_t *a, const fields_t *b, int64_t l);

/* |lambda_l - mu_l| / mu_l; `steps` 2 compares sqrt(lambda_l), one step of the two that
 * LA-VDM takes. */
double value_difference(const fields_t *a, const fields_t *reference, int64_t l, int steps);

/* The eigenspace of l: first .. last-1, split where -log of the eigenvalues of the
 * reference jumps by more than 15% of itself; if it does so nowhere after l, at the
 * largest jump after l. */
void eigenspace(const fields_t *reference, int64_t l, int64_t *first, int64_t *last);

/* The cosine of the largest principal angle between the spans of vectors
 * first .. last-1 of both. */
double worst_cosine(const fields_t *a, const fields_t *b, int64_t first, int64_t last);

/* The same for the eigenspace of l. */
double eigenspace_cosine(const fields_t *a, const fields_t *reference, int64_t l);

/* The vector of the eigenspace of l of `a` that is nearest to vector l of the reference:
 * its orthogonal projection, made a unit vector. out: n q. */
void eigenspace_nearest(const fields_t *a, const fields_t *reference, int64_t l, double *out);

/* Which vector of `a` (from 0) has the largest cosine with vector l of the reference. */
int64_t nearest_vector(const fields_t *a, const fields_t *reference, int64_t l);

/* How far -log of eigenvalue l is from its nearest neighbour, relative to itself. */
double spectral_gap(const fields_t *f, int64_t l);

/*
 * The paper's pointwise metrics of fields w and v, (n,q), signs aligned, for all i:
 * |w-v|/|v|, w.v/(|w||v|), ||v|-|w||/|v|; NaN where |v| < 1e-7. Each may be NULL.
 */
void pointwise(const double *w, const double *v, int64_t n, int64_t q, double *error, double *cosine,
               double *magnitude);

/* Vector l of a fit. */
const double *field(const fields_t *f, int64_t l);

#endif
