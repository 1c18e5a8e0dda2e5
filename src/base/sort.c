#include "base/sort.h"

#include <stdlib.h>

int compare_integers(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

static int compare_reals(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

void sort_integers(int64_t *x, int64_t count) {
  qsort(x, (size_t)count, sizeof *x, compare_integers);
}

void sort_reals(double *x, int64_t count) {
  qsort(x, (size_t)count, sizeof *x, compare_reals);
}
