/*
 * What a result's points are drawn by. Coordinates are lambda_l^t u_l; the embedding is (lambda_l lambda_s)^t
 * <u_l, u_s>, seen along its principal axes.
 */
#ifndef LAVDM_CLI_CLOUDS_H
#define LAVDM_CLI_CLOUDS_H

#include "picture/request.h"

enum { CLOUD_NAME = 48, CLOUD_PIECES = 3, CLOUD_COLUMNS = 64 };

typedef struct {
  const double *lambda, *u; /* r; n x q x r */
  int64_t n, q, r;
  const int64_t *list, *label; /* coordinate_index and graph_component, or NULL */
  int64_t listed;
  double t;
} spectral_t;

/* One panel of points. */
typedef struct {
  double *x;    /* count x axes, owned */
  int64_t *row; /* owned */
  int64_t count, column[MOST_AXES];
  int axes, columns;
  char heading[80], name[MOST_AXES][CLOUD_NAME];
} cloud_t;

/* The result has eigenvalues (r) and eigenvectors (n x q x r). */
spectral_t spectral_of(const result_t *result, double t);
double spectral_coordinate(const spectral_t *s, int64_t row, int64_t l);

/* column (CLOUD_COLUMNS): the coordinates that the result names, then others that are not constant; how many.
 */
int spectral_columns(const spectral_t *s, int64_t *column);

/* size (CLOUD_PIECES): of the pieces that are large enough for a panel, largest first; their number, 0 if
 * one. */
int spectral_pieces(const spectral_t *s, int64_t *size);

/* The first two columns of a list that vary on a piece; how many there are. */
int piece_columns(const spectral_t *s, int64_t piece, const int64_t *list, int listed, int64_t column[2]);

/* The points of a piece, or of all (-1), by these eigenvectors; or by principal axes, from 1. At most
 * DRAWING_POINTS, evenly taken. */
int cloud_by_columns(const spectral_t *s, int64_t piece, int axes, const int64_t *column, cloud_t *c,
                     lavdm_error *error);
int cloud_by_axes(const spectral_t *s, int axes, const int64_t *axis, cloud_t *c, lavdm_error *error);
void cloud_free(cloud_t *c); /* accepts a zeroed one */

int no_room(lavdm_error *error); /* out of memory for the picture */

#endif
