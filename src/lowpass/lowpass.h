/*
 * Points without what varies fast along the data. Eigenvectors u_l of a scalar diffusion on the
 * points (trivial bundle, landmarks of its own), slow ones first, are orthonormal with its degrees D:
 *
 *     x^ = sum_{l <= r} u_l (u_l' D x).
 *
 * Noise is spread evenly over all n of them, and the shape lies in the first few. x^ is a function of
 * the place as the eigenvectors are (operator/extension.h), at new points too: with c = U' D x
 *
 *     x^[x] = D^-1 D_X^-alpha sum_k w_xk value_k,   value_k = sum_{l <= r} D_Zk^-beta/2 v_kl c_l / sigma_l.
 */
#ifndef LAVDM_LOWPASS_LOWPASS_H
#define LAVDM_LOWPASS_LOWPASS_H

#include "engine/engine.h"

/* The function x^ itself: what a model keeps of it. Landmarks are in the order that they were chosen in. */
typedef struct {
  int64_t m, p;
  double epsilon;
  const double *landmarks; /* m x p, in the engine's coordinates */
  const double *values;    /* m x p */
  const double *weights;   /* m x 2: mass and inflow */
} lowpass_field;

/* The diffusion. */
typedef struct {
  int64_t n, p, m, r;
  lavdm_type real; /* of the engine */
  rows_t *rows, *marks;
  int64_t *order; /* m: which landmark is the k-th in the engine's order */
  double *landmarks;
  double epsilon;
  landmark_scaling scaling;
  double *eigenvalues, *vectors; /* r; m x r, in the engine's order */
  void *fields;                  /* n x r reals: u, in the order of the data */
  double *coefficients;          /* r x p: U' D x */
} lowpass_t;

/* Diffuses on the points of `data` (strided points in memory), with up to `most` eigenvectors. */
int lowpass_open(engine_t *engine, const lavdm_data *data, const double *centre, int64_t most,
                 lowpass_t *out);
void lowpass_close(engine_t *engine, lowpass_t *lowpass); /* accepts a zeroed one */

/* out (n x p): x^ at the points, from r <= lowpass->r eigenvectors. */
int lowpass_points(run_t *run, const lowpass_t *lowpass, int64_t r, double *out);

/* values (m x p) and weights (m x 2) of the function x^. */
void lowpass_describe(const lowpass_t *lowpass, int64_t r, double *values, double *weights);

/* out (n x p reals): x^ at the points of `data`; where nothing reaches one, the point itself. */
int lowpass_apply(engine_t *engine, const lavdm_data *data, const double *centre, const lowpass_field *field,
                  void *out);

/* Bytes of the diffusion on n points, and of x^. */
double lowpass_bytes(int64_t n, int64_t p);

/* The most eigenvectors that are looked at. */
enum { LOWPASS_MOST = 80 };

#endif
