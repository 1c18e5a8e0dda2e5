/* Ascending order of plain numbers. */
#ifndef LAVDM_BASE_SORT_H
#define LAVDM_BASE_SORT_H

#include <stdint.h>

int compare_integers(const void *a, const void *b); /* int64_t, for qsort and bsearch */
void sort_integers(int64_t *x, int64_t count);
void sort_reals(double *x, int64_t count);

/* The k-th smallest, from 0; x is rearranged. */
double smallest_real(double *x, int64_t count, int64_t k);

#endif
