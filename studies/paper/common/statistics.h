/* Medians, and the Wilcoxon signed-rank test. */
#ifndef LAVDM_EXPERIMENTS_STATISTICS_H
#define LAVDM_EXPERIMENTS_STATISTICS_H

#include <stdint.h>

/* NaN of nothing; the mean of the middle two of an even number. */
double median(const double *x, int64_t count);

/* Median absolute deviation from the median, unscaled. */
double deviation(const double *x, int64_t count);

/*
 * Two-sided p-value that x - y is symmetric about 0. Pairs without a difference are
 * left out and ties share their mean rank. Exact up to 50 pairs without ties, else by
 * the normal approximation with the variance corrected for ties. 1 without pairs.
 */
double wilcoxon(const double *x, const double *y, int64_t count);

#endif
