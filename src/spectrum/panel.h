/*
 * Products of tall row-major panels (N rows, few columns) with small matrices.
 *
 * The rows are cut the same way whatever the number of threads, and partial
 * sums are added in that order, so results do not depend on it. BLAS is called
 * from several threads at once: hold blas_threads at 1 around these.
 */
#ifndef LAVDM_SPECTRUM_PANEL_H
#define LAVDM_SPECTRUM_PANEL_H

#include "base/team.h"

#include <stdint.h>

/* A view of `columns` columns; row i begins at data + i * stride. */
typedef struct {
  double *data;
  int64_t rows, columns, stride;
} panel_t;

/* Columns first .. first+count-1 of a panel. */
panel_t panel_columns(panel_t x, int64_t first, int64_t count);

/* Doubles of scratch that panel_inner (a x b) and panel_rotate (a columns) need. */
int64_t panel_inner_scratch(int64_t rows, int64_t a, int64_t b);
int64_t panel_rotate_scratch(int64_t a, int threads);

/* c (x.columns x y.columns, row-major, packed) = X' Y. */
void panel_inner(int threads, panel_t x, panel_t y, double *c, double *scratch);

/* Y = beta Y + alpha X S, with S (x.columns x y.columns, row-major, packed). */
void panel_combine(int threads, double alpha, panel_t x, const double *s, double beta, panel_t y);

/* The first `count` columns of X = X S in place, S (x.columns x count). */
void panel_rotate(int threads, panel_t x, const double *s, int64_t count, double *scratch);

/* Y = X. */
void panel_copy(int threads, panel_t x, panel_t y);

/* dots[l] = X_l' Y_l. The scratch is that of panel_inner (1 x x.columns). */
void panel_dots(int threads, panel_t x, panel_t y, double *dots, double *scratch);

/* distances[l] = |Y_l - values[l] X_l|, with the same scratch. */
void panel_distances(int threads, const double *values, panel_t x, panel_t y, double *distances,
                     double *scratch);

/* Makes the first entry of each column that is within 1e-6 of its largest in
 * magnitude, relatively, positive. */
void panel_fix_signs(int threads, panel_t x);

/* The same for the rows of all ranks; two doubles of scratch for each column. */
int panel_fix_shared_signs(const team_t *team, panel_t x, double *scratch);

#endif
