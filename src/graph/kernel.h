/* Kernels: weights from squared distances. */
#ifndef LAVDM_GRAPH_KERNEL_H
#define LAVDM_GRAPH_KERNEL_H

#include "base/real.h"

#include <stdbool.h>

typedef struct {
  lavdm_kernel kind;
  double epsilon;
  double radius; /* no weight beyond this distance; INFINITY for none */
  lavdm_kernel_function function;
  void *user;
} kernel_t;

/*
 * A bandwidth of each point's own: w = K(|x - y| / sqrt(epsilon rho_x rho_y)). operator/local.h has what is
 * then made of the weights.
 */
typedef struct {
  const double *rho;        /* n: of the rows, as they are stored; NULL: one bandwidth for all */
  const double *references; /* m: of the references */
  int64_t d;                /* dimension of the manifold, by which density and volume are told from rho */
  double step;              /* the least rho^2 of the references */
  double most;              /* their largest rho */
} widths_t;

/* w = K(sqrt(d2 / epsilon)), 0 beyond the radius unless `far`. Weights too
 * small for products of them to be normalised count as 0. */
void REAL(kernel_weights)(const kernel_t *kernel, bool far, const real_t *d2, int64_t count, real_t *w);

#endif
