/* How much memory a run needs, told before it is asked for. */
#ifndef LAVDM_PIPELINE_MEMORY_H
#define LAVDM_PIPELINE_MEMORY_H

#include "base/run.h"

/* What the need depends on. */
typedef struct {
  int64_t n, p, q, m, r;
  int64_t pca;  /* principal coordinates that the points are replaced by; 0: none */
  int64_t d;    /* dimension of the frames; 0 if there are none */
  double pairs; /* of the square graph; with landmarks, how many a point reaches */
  bool square;  /* the references are the points themselves */
  bool stored;  /* with landmarks: edges are kept, those of objects that turn */
  int64_t raw;  /* numbers that are held while the objects are expanded */
  bool files;   /* large arrays in files */
  size_t real;  /* bytes of a coordinate */
  int threads;
  int64_t limit; /* max_memory; what is mapped of files is kept to half of it */
} sizes_t;

typedef struct {
  int64_t memory; /* bytes at the peak, without the data */
  int64_t disk;   /* bytes of temporary files */
} need_t;

need_t memory_need(const sizes_t *sizes);

/* Bytes, in memory, while `blocks` blocks of the operator are handed out (lavdm_operator): of the sizes
 * neither r nor pairs matter. */
int64_t memory_blocks(const sizes_t *sizes, int64_t blocks);

/* Bytes of the functions that images of height x width pixels are expanded in. */
double memory_basis(int64_t height, int64_t width);

/* The sizes as far as data and options tell; the rest is guessed. */
sizes_t memory_guess(const run_t *run, const lavdm_data *data);

/* Decides whether the run streams (run->large), and refuses one that cannot fit. */
int memory_start(run_t *run, const lavdm_data *data, need_t *need);

/* An error that says how much is needed, if it is more than is allowed. */
int memory_check(run_t *run, int64_t needed);

#endif
