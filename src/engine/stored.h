/* A stored matrix of blocks, to a checkpoint and back. */
#ifndef LAVDM_ENGINE_STORED_H
#define LAVDM_ENGINE_STORED_H

#include "checkpoint/checkpoint.h"
#include "graph/bsr.h"

/* What its parts are called there. */
typedef struct {
  const char *count, *start, *column, *weight, *block; /* weight NULL: there are none */
} stored_names;

int stored_save(const bsr_t *matrix, const stored_names *names, checkpoint_list *list);

/* Whether there is one. */
bool stored_there(const checkpoint_t *from, const stored_names *names);

/* rows x cols blocks of q x q numbers, every index of which was checked. */
int stored_take(run_t *run, const checkpoint_t *from, const stored_names *names, int64_t rows, int64_t cols,
                int64_t q, bsr_t *out);

#endif
