/* The double cover that --cover asks for: made after the fit, written and told with it. */
#ifndef LAVDM_CLI_COVER_H
#define LAVDM_CLI_COVER_H

#include "lavdm.h"

typedef struct {
  int64_t points, rank;              /* 2n, and the components of the model */
  double *coordinates, *eigenvalues; /* (points,rank), (rank) */
  int64_t *parity;                   /* (rank): 1 even, -1 odd */
  char warning[LAVDM_MESSAGE_SIZE];  /* or "" */
} cover_t;

/* Threads, memory and progress as in `options`. */
int cover_make(const lavdm_data *data, const lavdm_model *model, const lavdm_options *options, cover_t *out,
               lavdm_error *error);

/* Accepts a zeroed or half-built one. */
void cover_free(cover_t *cover);

#endif
