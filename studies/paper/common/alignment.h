/* Transport between tangent planes by the alignment of their frames, as in the library. */
#ifndef LAVDM_EXPERIMENTS_ALIGNMENT_H
#define LAVDM_EXPERIMENTS_ALIGNMENT_H

/* Two tangent vectors of R^3 as columns, row-major. */
typedef double frame_t[6];

/* The orthogonal polar factor O (row-major) of B_to' B_from: coordinates v in the frame
 * `from` are O v in the frame `to`. */
void align(const frame_t to, const frame_t from, double o[4]);

/*
 * The sum over `count` landmarks a_k of w_k O_yk O_xk', w_k = exp(-(|x-a_k|^2 + |y-a_k|^2)
 * / epsilon): the effective transport of LA-VDM from x to y (alpha = beta = 0), divided by
 * the sum of the w_k.
 */
void effective_transport(const double *x, const frame_t frame_x, const double *y, const frame_t frame_y,
                         const double *landmarks, const frame_t *frames, int count, double epsilon,
                         double o[4]);

/* out = B_to O B_from' u */
void carry(const frame_t to, const double o[4], const frame_t from, const double u[3], double out[3]);

#endif
