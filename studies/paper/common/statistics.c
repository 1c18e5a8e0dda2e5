#include "common/statistics.h"
#include "common/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { EXACT = 50 };

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

double median(const double *x, int64_t count) {
  if (count < 1) return NAN;
  double *sorted = room(count, sizeof *sorted);
  memcpy(sorted, x, (size_t)count * sizeof *x);
  qsort(sorted, (size_t)count, sizeof *sorted, ascending);
  double middle = (sorted[(count - 1) / 2] + sorted[count / 2]) / 2;
  free(sorted);
  return middle;
}

double deviation(const double *x, int64_t count) {
  double centre = median(x, count), *from = room(count, sizeof *from);
  for (int64_t i = 0; i < count; i++) from[i] = fabs(x[i] - centre);
  double middle = median(from, count);
  free(from);
  return middle;
}

static int by_size(const void *a, const void *b) {
  double x = fabs(*(const double *)a), y = fabs(*(const double *)b);
  return (x > y) - (x < y);
}

/* P(T <= t) for the rank sum T of n pairs, where each rank 1..n is in with chance 1/2. */
static double exact_tail(int64_t n, int64_t t) {
  int64_t most = n * (n + 1) / 2;
  double *chance = room(most + 1, sizeof *chance), sum = 0;
  chance[0] = 1;
  for (int64_t rank = 1; rank <= n; rank++)
    for (int64_t s = most; s >= 0; s--) chance[s] = (chance[s] + (s >= rank ? chance[s - rank] : 0)) / 2;
  for (int64_t s = 0; s <= t && s <= most; s++) sum += chance[s];
  free(chance);
  return sum;
}

double wilcoxon(const double *x, const double *y, int64_t count) {
  double *d = room(count, sizeof *d), plus = 0, ties = 0;
  int64_t n = 0;
  for (int64_t i = 0; i < count; i++)
    if (x[i] != y[i]) d[n++] = x[i] - y[i];
  qsort(d, (size_t)n, sizeof *d, by_size);
  for (int64_t first = 0, last; first < n; first = last) {
    for (last = first; last < n && fabs(d[last]) <= fabs(d[first]);) last++;
    double size = (double)(last - first), rank = (double)(first + last + 1) / 2;
    ties += size * size * size - size;
    for (int64_t i = first; i < last; i++) plus += d[i] > 0 ? rank : 0;
  }
  free(d);
  if (n < 1) return 1;
  double all = (double)n * (double)(n + 1) / 2, least = fmin(plus, all - plus);
  if (n <= EXACT && !(ties > 0)) return fmin(1, 2 * exact_tail(n, (int64_t)(least + 0.25)));
  double variance = all * (double)(2 * n + 1) / 12 - ties / 48;
  return variance > 0 ? erfc((all / 2 - least) / sqrt(2 * variance)) : 1;
}
