/*
 * Points of the embedding laid out for a search, without the embedding itself:
 * their leading principal coordinates, in tile order. An orthogonal projection
 * shortens distances, so what is far apart here is as far in the embedding.
 */
#ifndef LAVDM_EMBEDDING_SPACE_H
#define LAVDM_EMBEDDING_SPACE_H

#include "embedding/view.h"
#include "neighbours/neighbours.h"

typedef struct {
  const view_t *view;
  int64_t count;   /* points that have a place: those without NaN */
  int64_t *row;    /* count: which rows of the data they are */
  int64_t *stored; /* n: where a row of the data is stored; -1 if nowhere */
  tiles_t tiles;   /* of the principal coordinates */
  double slack;    /* distances of these may be larger by as much, from rounding */
} space_t;

/* Coordinates that are kept at most. */
enum { SPACE_COORDINATES = 16 };

/* Bytes that space_new takes at its peak, but for a fixed amount. */
double space_bytes(const view_t *view);

int space_new(run_t *run, const view_t *view, space_t *out);
void space_free(space_t *space); /* accepts a half-built or zeroed one */

/* The row of the data that is stored at a place. */
static inline int64_t space_row(const space_t *space, int64_t place) {
  return space->row[space->tiles.order[place]];
}

/* A squared distance here beyond which no point is nearer than `distance` in the embedding: its root. */
static inline double space_reach(const space_t *space, double distance) {
  return distance * (1 + 1e-10) + space->slack;
}

#endif
