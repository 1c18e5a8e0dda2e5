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

/* w = K(sqrt(d2 / epsilon)), 0 beyond the radius unless `far`. Weights too
 * small for products of them to be normalised count as 0. */
void REAL(kernel_weights)(const kernel_t *kernel, bool far, const real_t *d2, int64_t count, real_t *w);

#endif
