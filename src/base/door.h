/*
 * The door: structs that a program allocated, of whatever size it knows them, become whole
 * ones. A struct begins with its size; 0 stands for the fields of version 0.2.
 *
 * No struct has padding at its end, so that a field that comes later never lies within the
 * size of those before it.
 */
#ifndef LAVDM_BASE_DOOR_H
#define LAVDM_BASE_DOOR_H

#include "base/status.h"

/* Bytes of a struct up to and including a member. */
#define SIZE_TO(type, last) (offsetof(type, last) + sizeof(((type *)0)->last))

/* Sizes of version 0.2: they never change once it is published. */
enum {
  OPTIONS_0_2 = SIZE_TO(lavdm_options, checkpoint),
  DATA_0_2 = SIZE_TO(lavdm_data, width),
  EDGES_0_2 = SIZE_TO(lavdm_edges, q),
  SPARSE_0_2 = SIZE_TO(lavdm_sparse, value),
  DISTANCES_0_2 = SIZE_TO(lavdm_distances, index),
  PLAN_0_2 = SIZE_TO(lavdm_plan_t, stream),
  ORIENTATION_0_2 = SIZE_TO(lavdm_orientation, doubt)
};

/* What a struct is called in sentences, and its sizes. */
typedef struct {
  const char *name;
  size_t first, full;
} door_kind;

/* Checks the size of `given` and copies what it has over the defaults in `own`, whose size
 * becomes the full one. */
int door_take(const door_kind *kind, const void *given, void *own, lavdm_error *error);

/* The same for a struct of options, which has no size if nobody filled it. */
int door_options(const door_kind *kind, const void *given, void *own, lavdm_error *error);

/* Fills `given`, of which the program knows `size` bytes, with the defaults in `own`. */
void door_fill(const void *own, size_t full, void *given, size_t size);

/* Whether results can be given; then gives them: what the program knows of `own`. */
int door_check(const door_kind *kind, const void *given, lavdm_error *error);
void door_give(const door_kind *kind, const void *own, void *given);

/* What most functions are given, whole. */
typedef struct {
  lavdm_data data;
  lavdm_edges edges;         /* data.edges leads here */
  lavdm_sparse sparse;       /* and data.sparse here; data.n and data.p are its own */
  lavdm_distances distances; /* and data.distances here */
  lavdm_options options;
} door_t;

/* Takes data (not NULL) and options (or NULL: defaults). */
int door_open(door_t *door, const lavdm_data *data, const lavdm_options *options, lavdm_error *error);

/* An error if the data is sparse, which `who` does not take. */
int door_dense(const door_t *door, const char *who, lavdm_error *error);

extern const door_kind door_edges, door_plan, door_orientation;

#endif
