/*
 * Long runs survive. After each expensive stage all that the later ones need is
 * written to one file (file/store.h), which is replaced as a whole; a run of the
 * same data and options takes from it what it holds, makes the cheap rest again,
 * and goes on to the same bits.
 */
#ifndef LAVDM_CHECKPOINT_CHECKPOINT_H
#define LAVDM_CHECKPOINT_CHECKPOINT_H

#include "checkpoint/identity.h"
#include "checkpoint/list.h"

/* In the order of the pipeline; not every run has all of them. */
typedef enum {
  STAGE_NONE,
  STAGE_LANDMARKS,    /* which points they are */
  STAGE_FRAMES,       /* and dimension, radius */
  STAGE_GRAPH,        /* edges of images and signals to their landmarks */
  STAGE_DEGREES,      /* scaling of the landmark graph; and every choice but the components */
  STAGE_OPERATOR,     /* G, or the normalised graph with its degrees */
  STAGE_SPECTRUM,     /* in place of the operator */
  STAGE_EIGENVECTORS, /* with landmarks only */
  STAGES
} checkpoint_stage;

typedef struct {
  const char *path; /* NULL: no checkpoint is wanted */
  char identity[IDENTITY_SIZE];
  store_t *store;         /* what an earlier run left, until all is taken; or NULL */
  checkpoint_stage saved; /* the last stage in it */
  bool failed;            /* a save did, and has been warned about */
} checkpoint_t;

/* "frames". */
const char *checkpoint_name(checkpoint_stage stage);

/* The stage of the same name, as timings have it: a literal; NULL if it is none. */
const char *checkpoint_literal(const char *name, size_t length);

/* Reads the file, if there is one, and checks that it is of this run. */
int checkpoint_open(run_t *run, const lavdm_data *data, const char *path, checkpoint_t *out);
void checkpoint_close(checkpoint_t *checkpoint); /* accepts a zeroed one */

/* The item of that name, type and number of entries; NULL if there is none. */
const void *checkpoint_find(const checkpoint_t *checkpoint, const char *name, store_type type, int64_t count);

/* Copies it to `to`; an error if there is none. Entries may be none at all. */
int checkpoint_copy(run_t *run, const checkpoint_t *checkpoint, const char *name, store_type type,
                    int64_t count, void *to);

/* Gives back the memory that reading the file took. */
void checkpoint_trim(const checkpoint_t *checkpoint);

/* An error unless every one of the numbers is from `low` to `high`. */
int checkpoint_range(run_t *run, const checkpoint_t *checkpoint, const int64_t *index, int64_t count,
                     int64_t low, int64_t high);

/* A whole number of the file, or `otherwise`. */
int64_t checkpoint_whole(const checkpoint_t *checkpoint, const char *name, int64_t otherwise);

/* The error for a file that is whole, but lacks what it should have. */
int checkpoint_unfit(run_t *run, const checkpoint_t *checkpoint);

#endif
