/* Levels of the multigrid of plain.h, the finest first. */
#ifndef LAVDM_SYNC_PLAIN_LEVEL_H
#define LAVDM_SYNC_PLAIN_LEVEL_H

#include "sync/plain.h"

enum { PLAIN_LEVELS = 32 };

/*
 * Rows are cut into chunks of `chunk` rows, which sweeps take one by one, in parallel, as if nothing joined
 * them. The entries of a row come in three parts: those of its chunk before it (start .. lower), those of
 * other chunks (lower .. upper), those of its chunk after it (upper .. start of the next).
 */
typedef struct {
  int64_t n, chunk;
  int64_t *start;         /* n + 1 */
  int64_t *lower, *upper; /* n */
  int32_t *col;
  double *weight;             /* of the entries: minus the matrix */
  double *diagonal, *inverse; /* n: sums of weights and masses, and 1 over those */

  int64_t groups;  /* 0: this is the last level */
  int32_t *group;  /* n: rows of the next level */
  int64_t *first;  /* groups + 1 */
  int32_t *member; /* n: rows by group */
  bool twice;      /* the next level is visited twice */

  double *dense;       /* of the last level, if it is small: the inverse */
  double *r, *z, *y;   /* n x columns */
  double *left, *more; /* for second visits */
} plain_level;

struct plain {
  int levels;
  int64_t columns;
  plain_level level[PLAIN_LEVELS];
};

#endif
