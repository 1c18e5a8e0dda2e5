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

/* Hoare's selection. */
double smallest_real(double *x, int64_t count, int64_t k) {
  int64_t low = 0, high = count - 1;
  while (low < high) {
    double pivot = x[low + (high - low) / 2];
    int64_t i = low, j = high;
    while (i <= j) {
      while (x[i] < pivot) i++;
      while (x[j] > pivot) j--;
      if (i > j) break;
      double swap = x[i];
      x[i++] = x[j];
      x[j--] = swap;
    }
    if (k <= j)
      high = j;
    else if (k >= i)
      low = i;
    else
      break;
  }
  return x[k];
}
