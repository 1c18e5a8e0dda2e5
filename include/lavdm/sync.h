/* Group synchronisation. */
#ifndef LAVDM_SYNC_H
#define LAVDM_SYNC_H

#include "../lavdm.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Group synchronisation: an element R_i of a group for every node of a graph, from
 * edges that each say what R_i R_k' is, with noise, and some of them wrong. It is
 * found up to one element of the group on the right for each connected component,
 * which is chosen so that the node of the smallest number has the identity.
 */
typedef enum {
  LAVDM_GROUP_AUTO,   /* Z2 for signs, SO for rotations, O if some matrix is a reflection */
  LAVDM_GROUP_Z2,     /* +1 and -1; elements are signs */
  LAVDM_GROUP_CYCLIC, /* turns of the plane by 2 pi s/order, s = 0 .. order-1; elements are angles */
  LAVDM_GROUP_SO,     /* rotations of q dimensions; SO(2) is U(1) */
  LAVDM_GROUP_O       /* with reflections */
} lavdm_group;

/* lavdm_sync_default fills them. */
typedef struct {
  size_t size; /* as lavdm_sync_default sets it */
  lavdm_group group;
  int64_t order;  /* of LAVDM_GROUP_CYCLIC: 2 or more */
  int refine;     /* the rounded eigenvectors are a start only: go on to the nearest best fit */
  int64_t rounds; /* of re-weighting edges by how well they fit, against wrong ones; 0: none */

  const int64_t *nodes; /* more nodes than the edges name; or NULL */
  int64_t node_count;

  /* Pose graphs: edge e saw its col at shift[e] (q numbers) in the coordinates of its
   * row, that is p_col - p_row = R_row' shift; or NULL. Positions p are the least
   * squares solution for the rotations found, with shift_weight (or ones). */
  const double *shift, *shift_weight;

  uint64_t seed;
  int64_t threads; /* AUTO = all that are available */
  lavdm_progress_function progress;
  void *progress_user;
} lavdm_sync_options;

/* Fills the first `size` bytes with defaults. */
LAVDM_API void lavdm_sync_init(lavdm_sync_options *options, size_t size);
#define lavdm_sync_default(options) lavdm_sync_init((options), sizeof(lavdm_sync_options))

/* A connected component, from the largest to the smallest. */
typedef struct {
  int64_t nodes, edges;
  int64_t first;             /* the node whose element is the identity */
  const double *eigenvalues; /* lavdm_sync_t.values, of the connection matrix D^-1/2 S D^-1/2,
                                descending; NaN beyond their number */
  double gap;                /* eigenvalue q less eigenvalue q+1: small if the answer is unsure; NaN
                                if there are no more */
  double median, most;       /* of the residuals of its edges: 50 % and 95 % are no larger */
  int64_t steps;             /* that the eigenvectors took; 0: from the dense matrix */
} lavdm_sync_component;

typedef struct {
  lavdm_group group;
  int64_t order, q;
  int64_t n, edges;         /* nodes; edges as given */
  const int64_t *node;      /* n: their numbers, ascending */
  const double *element;    /* (n,q,q): R */
  const int64_t *component; /* n: from 0; -1 for a node that no edge joins to another */
  const double *position;   /* (n,q), the first node of a component at the origin; or NULL */
  const double *residual;   /* (edges): how far O is from R_i R_k'. SO(2), SO(3) and cyclic: radians;
                               Z2: 0 if they agree, 1 if not; others: Frobenius norm */
  const double *trust;      /* (edges): what the re-weighting made of an edge, 0 to 1; 1 without */
  int64_t components, isolated, loops;
  const lavdm_sync_component *const *part; /* components of them */
  int64_t values;                          /* eigenvalues of each */
  double median, most;                     /* of the residuals of all edges but loops */
  int64_t flips;                           /* nodes that the refinement of Z2 and cyclic changed */
  int warnings;
  const char *const *warning;
  int timings;
  const lavdm_timing *timing;
  double seconds;
} lavdm_sync_t;

/*
 * Solves every component: the leading q eigenvectors of its connection matrix, in
 * degree-normalised form, each block of q x q numbers taken to the nearest element of
 * the group. Every edge counts as a measurement of its own, in whichever direction it
 * is listed, so that edges listed twice count twice. An edge from a node to itself
 * says nothing about R and is left out. On a negative status *sync is NULL.
 */
LAVDM_API int lavdm_sync(const lavdm_edges *edges, const lavdm_sync_options *options, lavdm_sync_t **sync,
                         lavdm_error *error);
LAVDM_API void lavdm_sync_free(lavdm_sync_t *sync); /* accepts NULL */

#ifdef __cplusplus
}
#endif
#endif
