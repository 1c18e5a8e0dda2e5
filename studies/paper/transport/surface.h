/* The distorted sphere of the paper as a function of (u,v), and its geodesics. */
#ifndef LAVDM_EXPERIMENTS_SURFACE_H
#define LAVDM_EXPERIMENTS_SURFACE_H

#include "common/alignment.h"

enum { GEODESIC_STEPS = 400 };

/* x = phi(u,v) and, if not NULL, an orthonormal frame of its tangent plane. */
void surface_point(double u, double v, double x[3], double frame[6]);

/* The geodesic between two points, and what becomes of a tangent vector that is carried
 * along it. */
typedef struct {
  double path[GEODESIC_STEPS + 1][3];
  double length;
  double miss; /* how far from its end the geodesic ends, in (u,v) */
} geodesic_t;

/* The geodesic from `from` to `to`, both (u,v), by shooting; x (3), tangent at `from`, is
 * carried along it to out (3). */
void geodesic_transport(const double from[2], const double to[2], const double x[3], double out[3],
                        geodesic_t *geodesic);

#endif
