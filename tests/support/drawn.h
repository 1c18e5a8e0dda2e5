/* Problems of poses that are drawn: elements, positions, and edges that are said of them with noise. */
#ifndef LAVDM_TESTS_DRAWN_H
#define LAVDM_TESTS_DRAWN_H

#include "poses/likelihood.h"

typedef enum { DRAWN_COMPLETE, DRAWN_RING, DRAWN_GRID, DRAWN_RANDOM } drawn_shape;

typedef struct {
  int64_t n, q;
  drawn_shape shape; /* GRID: n is a square; RANDOM: a path and as many edges again */
  bool shifts, reflections;
  double noise;  /* of rotations (about radians) and of shifts */
  double spread; /* weights are from 1 to this */
  uint64_t seed;
} drawn_kind;

typedef struct {
  likelihood_t problem;
  part_t part;
  group_t group;
  double *r, *p; /* the truth; p is NULL without shifts */
  int32_t *row, *col;
  double *o, *shift, *tau;
} drawn_t;

drawn_t *drawn_new(const drawn_kind *kind);
void drawn_free(drawn_t *d);

/* A matrix of the group near the identity (noise small) or anywhere (noise above 10); q x q. */
void drawn_element(void *random, int64_t q, double noise, bool reflections, double *o);

#endif
