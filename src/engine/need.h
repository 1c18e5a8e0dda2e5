/* How much memory a run needs, told before it is asked for. */
#ifndef LAVDM_ENGINE_NEED_H
#define LAVDM_ENGINE_NEED_H

#include "base/run.h"

/* What the need depends on. m: the landmarks, or, without, the points of all ranks. */
typedef struct {
  int64_t n, p, q, m, r;
  int64_t pca;  /* principal coordinates that the points are replaced by; 0: none */
  int64_t d;    /* dimension of the frames; 0 if there are none */
  double pairs; /* of the square graph; with landmarks, how many a point reaches */
  bool square;  /* the references are the points themselves */
  bool stored;  /* with landmarks: edges are kept, those of images and signals */
  bool files;   /* large arrays in files */
  /* images and signals: pixels, and whether principal components are made from a sample of them */
  int64_t height, width;
  bool sampled;
  int threads;
  int64_t limit; /* max_memory; what is mapped of files is kept to half of it */
} sizes_t;

typedef struct {
  int64_t memory; /* bytes at the peak, without the data */
  int64_t disk;   /* bytes of temporary files */
} need_t;

/* Bytes as a whole number, as large as there are. */
static inline int64_t need_bytes(double bytes) {
  return bytes < 9e18 ? (int64_t)bytes : INT64_MAX;
}

#endif
