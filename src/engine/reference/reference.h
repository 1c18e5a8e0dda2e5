/*
 * The engine of the formulas as they read: dense matrices, double precision, one thread, rows in the order
 * of the data. Slow and obvious: what other engines are compared with, stage by stage. To read the method,
 * read the files in this order:
 *
 *   neighbours.c  distances between all pairs, and what is chosen from them: samples, landmarks
 *   frames.c      tangent frames by local PCA
 *   graph.c       weights W and blocks S = w O between rows and references
 *   operator.c    the normalisation of S: A through landmarks, N between points; G = A'A
 *   fields.c      eigenpairs, eigenvectors at the rows and at new ones
 *
 * reference.c is the engine's table, and rows in and out.
 */
#ifndef LAVDM_ENGINE_REFERENCE_REFERENCE_H
#define LAVDM_ENGINE_REFERENCE_REFERENCE_H

#include "base/memory.h"
#include "engine/engine.h"
#include "graph/given.h"
#include "neighbours/metric.h"

#include <math.h>

/* Matrices are row-major; NULL until the stage that makes them. */
typedef struct {
  rows_t base;
  double *x; /* n x p */
  metric_t metric;
  double *reach;  /* n: distance to the knn-th neighbour, where it is put; or NULL */
  double *weight; /* n: w, how many points each row stands for; NULL: 1 */
  given_t given;  /* or the user's edges */
  int64_t d;      /* dimension of ... */
  double *frames; /* n x p x d: B_i, whose columns are orthonormal */

  /* The graph to m references with fibre q. */
  bool itself; /* the references are these rows */
  bool balanced;
  widths_t local;
  int64_t m, q;
  double *w;   /* n x m */
  double *s;   /* n q x m q: S, and once it is normalised A or N */
  bool *far;   /* n: the cut-off of no reference reaches the row */
  int64_t ill; /* heavy edges whose alignment is nearly singular */

  /* Its normalisation. */
  double *left, *right; /* n, m: block (i,k) of A is left_i S_ik right_k; N likewise */
  double *density;      /* n: W 1, of a square graph */
  double *degree;       /* n: D */
  int64_t *component;   /* n */

  int64_t r;
  double *vectors; /* n q x r: eigenvectors of N */
  double *fields;  /* n q x r: of the diffusion */
} reference_rows;

/* w_i */
static inline double reference_weight(const reference_rows *rows, int64_t i) {
  return rows->weight ? rows->weight[i] : 1;
}

/* ------------------------------------------------------------ neighbours.c */

/* d_ik^2, by the metric of x */
double reference_distance2(const reference_rows *x, int64_t i, const reference_rows *y, int64_t k);

/* A row, and how far away it is. */
typedef struct {
  double d2;
  int64_t index;
} reference_near;

/* near (m): the m rows of `among`, the nearest to row i first; itself among them if it is one. */
void reference_order(const reference_rows *rows, int64_t i, const reference_rows *among,
                     reference_near *near);

int reference_sample(engine_t *engine, const rows_t *rows, int64_t count, double *x);
int reference_nearest(engine_t *engine, const rows_t *rows, int64_t count, const rows_t *among, int64_t k,
                      double *d2);
int reference_within(engine_t *engine, const rows_t *rows, int64_t count, const rows_t *among, double radius,
                     double *reach);
int reference_copies(engine_t *engine, const rows_t *rows, int64_t *count);
int reference_landmarks(engine_t *engine, const rows_t *rows, lavdm_design design, int64_t m, int64_t *index);

/* ---------------------------------------------------------------- frames.c */

int reference_spectra(engine_t *engine, const rows_t *rows, int64_t count, int64_t k, int64_t most,
                      double *values);
int reference_frames(engine_t *engine, rows_t *rows, const rows_t *around, int64_t d, int64_t knn,
                     double radius, int64_t *degenerate);

/* ----------------------------------------------------------------- graph.c */

int reference_graph(engine_t *engine, rows_t *rows, const rows_t *references, const graph_spec *spec,
                    graph_info *info);

/* -------------------------------------------------------------- operator.c */

/* x^-power, 0 for 0. */
static inline double reference_inverse(double x, double power) {
  return x > 0 ? pow(x, -power) : 0;
}

int reference_scale(engine_t *engine, rows_t *rows, double alpha, double beta, landmark_scaling *landmarks,
                    graph_info *info);
int reference_gram(engine_t *engine, rows_t *rows, symmetric_t *out, graph_info *info);
int reference_apply(engine_t *engine, const rows_t *rows, const double *x, double *y, int64_t count);
int reference_blocks(engine_t *engine, rows_t *rows, blocks_t *out, graph_info *info);

/* ---------------------------------------------------------------- fields.c */

/* All eigenpairs of the symmetric a (size x size): values ascending, and column l of a becomes row l of it,
 * the l-th eigenvector. */
int reference_eigen(run_t *run, int64_t size, double *a, double *values);

int reference_spectrum(engine_t *engine, rows_t *rows, const symmetric_t *gram, int64_t r, double *values,
                       double *vectors, double *residuals);
int reference_fields(engine_t *engine, rows_t *rows, const double *v, const double *values, int64_t r);
int reference_extend(engine_t *engine, rows_t *rows, const fields_spec *spec, void *fields, double *degrees,
                     graph_info *info);

#endif
