/* Blocks of the operator from what an engine on this machine has of it; see blocks.h. */
#ifndef LAVDM_OPERATOR_BLOCKS_MAKE_H
#define LAVDM_OPERATOR_BLOCKS_MAKE_H

#include "operator/blocks.h"
#include "operator/scaling.h"

/* Of the normalised square graph, whose weights are lost. */
int REAL(blocks_of_square)(run_t *run, bsr_t *graph, const double *degree, const int64_t *order,
                           blocks_t *out);

/* Of the graph to landmarks, whose order is `columns` (NULL: they are in order). *ill as in gram.h. */
int REAL(blocks_of_landmarks)(run_t *run, const graph_t *graph, const scaling_t *scaling,
                              const int64_t *order, const int64_t *columns, blocks_t *out, int64_t *ill);

#endif
