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

/* What is done against edges that are wrong. */
typedef enum {
  LAVDM_ROBUST_NO,
  LAVDM_ROBUST_AUTO,    /* what predicts edges best that were held back, NO among them */
  LAVDM_ROBUST_WEIGHTS, /* rounds of re-weighting by how well edges fit, from the eigenvectors on */
  LAVDM_ROBUST_CYCLES,  /* weights from the consistency of triangles first; then as GRADUAL */
  LAVDM_ROBUST_GRADUAL  /* truncated least squares, reached by graduated non-convexity */
} lavdm_robust;

typedef enum {
  LAVDM_CERTIFY_AUTO, /* where it takes little time beside the rest */
  LAVDM_CERTIFY_NO,
  LAVDM_CERTIFY_YES
} lavdm_certify;

/*
 * What is known of single nodes, besides the edges: for rotations in 2 or 3 dimensions, with shifts. Poses
 * and points are then found by least squares, from the optimum of the edges on; errors are those of the g2o
 * format, and their information is an inverse covariance as it stands. Without `full` an edge counts by
 * weight and shift_weight as in the likelihood below, which is an information of 8 weight for the vector part
 * of the quaternion (q = 3) and of 2 weight for the angle (q = 2). Components that saw the same points are
 * solved as one, in the frame of their first node; those with fixed nodes or priors are in that of the world,
 * and where priors leave a part of it open (a heading, say), the first node stays in that part. One fixed
 * node alone chooses coordinates, and changes nothing else.
 */
typedef struct {
  int64_t fixed; /* nodes that stay at a pose */
  const int64_t *fixed_node;
  const double *fixed_element, *fixed_position; /* (fixed,q,q), (fixed,q) */

  int64_t priors; /* measurements of a pose; information as that of edges, semi-definite at least */
  const int64_t *prior_node;
  const double *prior_element, *prior_position, *prior_information;

  /* Points that nodes saw: point sighted_point[s], numbered apart from the nodes, at sighted[s] (q
   * numbers) in the coordinates of its node; information is the upper half of q x q, row by row. */
  int64_t sightings;
  const int64_t *sighted_node, *sighted_point;
  const double *sighted, *sighted_information;
} lavdm_survey;

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

  lavdm_robust robust;   /* NO with rounds > 0 stands for WEIGHTS */
  lavdm_certify certify; /* whether the optimum is proved to be one, where the group has a proof */
  int full;              /* use `information` as it is, by least squares from the isotropic optimum on */
  int covariance;        /* give the covariance of every pose */

  /* Upper half of the information matrix of each edge, row by row, shift first: of 3 x 3 numbers (q = 2:
   * x, y, angle) or 6 x 6 (q = 3: x, y, z and the vector part of the quaternion of the error); or NULL. */
  const double *information;
  const lavdm_survey *survey; /* or NULL */
} lavdm_sync_options;

/*
 * The weights that an information matrix stands for where noise is taken as isotropic: kappa for the
 * rotation (edges.weight), tau for the shift (shift_weight). tau is q over the trace of the inverse of its
 * block; kappa the same for q = 2, and for q = 3 a half of it. LAVDM_ERROR_DATA if a block is not positive
 * definite.
 */
LAVDM_API int lavdm_pose_weights(int64_t q, const double *information, double *kappa, double *tau);

/* Fills the first `size` bytes with defaults. */
LAVDM_API void lavdm_sync_init(lavdm_sync_options *options, size_t size);
#define lavdm_sync_default(options) lavdm_sync_init((options), sizeof(lavdm_sync_options))

/* A connected component, from the largest to the smallest. */
typedef struct {
  int64_t nodes, edges;
  int64_t first;             /* the node whose element is the identity */
  const double *eigenvalues; /* lavdm_sync_t.values, of the connection matrix D^-1/2 S D^-1/2,
                                descending; NaN beyond their number */
  double gap;                /* eigenvalue q less eigenvalue q+1, to a few per cent where a fit follows:
                                small if the answer is unsure; NaN if there are no more, or where it
                                takes too long to find */
  double median, most;       /* of the residuals of its edges: 50 % and 95 % are no larger */
  int64_t steps;             /* that the eigenvectors took; 0: from the dense matrix */

  /* The likelihood: sum of kappa |O - R_i R_k'|^2 + tau |p_k - p_i - R_i' shift|^2 over its edges, with
   * kappa = weight * trust and tau = shift_weight * trust. NaN for cyclic groups. */
  double cost, bound;  /* of what was found, and what no choice can be below; bound is NaN if unknown */
  int64_t rank;        /* of the relaxation whose solution proves it; q if it was not needed */
  int64_t iterations;  /* of Newton */
  int converged;       /* whether these came to an end by themselves; 1 without any (refine = 0) */
  int certified;       /* cost and bound agree to 1e-3 of the cost, or to rounding */
  const char *verdict; /* a sentence: what is proved, or why it is not */
  lavdm_robust robust; /* as used: each component chooses for itself */
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

  double cost, bound;        /* sums over the components */
  int certified;             /* all components, and there is one */
  int converged;             /* all of them, and least squares */
  const char *verdict;       /* of all components, in a sentence */
  lavdm_robust robust;       /* as used in the largest component */
  const char *robust_reason; /* why, or NULL */
  double chi2; /* with full information, priors and sightings: the sum of e' I e over all errors e, times
                  trust for those of edges; NaN without */
  const double *covariance; /* (n,d,d), d = 3 or 6: position in the world, then rotation (radians, about the
                               axes of the world), of node against the first of its component or what is
                               fixed, by Gauss-Newton's matrix, not scaled by chi2; or NULL */
  int64_t points;           /* that were sighted */
  const int64_t *point;     /* their numbers, ascending */
  const double *point_position;   /* (points,q) */
  const double *point_covariance; /* (points,q,q) or NULL */
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
