/* Lists of neighbours with their turns, and the connection graphs made of them. */
#ifndef LAVDM_AVERAGE_NEAREST_H
#define LAVDM_AVERAGE_NEAREST_H

#include "lavdm/images.h"

#include <stdbool.h>

typedef struct {
  int64_t count, k;
  int64_t *index; /* count x k; -1: none */
  double *distance, *angle;
  signed char *reflected; /* NULL without reflections */
} nearest_t;

int nearest_new(int64_t count, int64_t k, bool reflections, nearest_t *out, lavdm_error *error);
void nearest_free(nearest_t *nearest); /* accepts a zeroed one */

/*
 * The model of the graph that joins row i to index[i][..] - first: points (vdm), or landmarks 0 .. m-1
 * (lavdm, m > 0), with weights (count x k; NULL: ones) and `rank` components.
 */
int nearest_fit(const nearest_t *nearest, int64_t first, int64_t m, const double *weight, int64_t rank,
                const lavdm_options *how, lavdm_model **model, lavdm_error *error);

/* Averages of `centre` (count) and its neighbours in the stack: out (count, pixels). */
int nearest_average(const lavdm_stack *stack, const int64_t *centre, const nearest_t *nearest, double *out,
                    lavdm_error *error);

#endif
