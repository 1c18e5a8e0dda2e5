/*
 * Principal coordinates: y = V'(x - mean), where the columns of V are the
 * leading eigenvectors of the covariance of the points. No linear map to R^k
 * changes squared distances by less in total.
 */
#ifndef LAVDM_REDUCE_REDUCE_H
#define LAVDM_REDUCE_REDUCE_H

#include "base/run.h"

typedef struct {
  int64_t p, k;
  double *mean;  /* p */
  double *basis; /* p x k; orthonormal columns, by decreasing variance; zero beyond the rank of the data */
} reduce_t;

/*
 * Mean and basis of `count` rows (1 .. data->n), evenly spaced; 1 <= k <= p.
 * Up to ONE_THREAD rows or coordinates the result does not depend on the
 * number of threads.
 */
enum { ONE_THREAD = 1000 };
int reduce_fit(run_t *run, const lavdm_data *data, int64_t count, int64_t k, reduce_t *out);

/* l (p): the eigenvalues, descending, of the covariance of `count` rows, evenly spaced. */
int reduce_spectrum(run_t *run, const lavdm_data *data, int64_t count, double *l);

/* out (n x k): the principal coordinates of all rows. */
int reduce_apply(run_t *run, const reduce_t *reduce, const lavdm_data *data, double *out);

/* Bytes that reduce_fit needs besides its result. */
double reduce_bytes(int64_t count, int64_t p);

/* Accepts a half-built or zeroed struct. */
void reduce_free(reduce_t *reduce);

#endif
