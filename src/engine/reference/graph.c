/*
 * The graph between rows i and references k:
 *
 *     w_ik = K(d_ik / sqrt(epsilon)), 0 beyond the cut-off;   S_ik = w_ik O_ik
 *
 * (with local bandwidths d_ik / sqrt(rho_i rho_k) in place of d_ik, for the cut-off too)
 *
 * and on the k-NN graph only if d_ik <= max(r_i, r_k), where r is the distance to the (k+1)-th nearest
 * reference, itself one of them: one is among the k nearest of the other. A row that no reference's cut-off
 * reaches is joined to the FAR nearest, as if there were none. O_ik (q x q) is
 *
 *     tangent      U V' where B_i' B_k = U diag(s) V': the orthogonal matrix nearest to it
 *     orientation  the sign of det(B_i' B_k)
 *     trivial      1
 *
 * Between points O_ki = O_ik' and O_ii = 1. Given edges are what the user says they are. In a graph that is
 * to be balanced nothing is joined to itself.
 */
#include "engine/reference/reference.h"

#include "frames/polar.h"

#include <lapacke.h>
#include <string.h>

enum { FAR = 4 };

/* Below these a weight counts as 0: products of such could not be normalised. */
#define LEAST_WEIGHT  1e-290
#define MOST_EXPONENT 667.0 /* exp(-667) = 1e-290 */

static double kernel(const kernel_t *kernel, bool far, double d2) {
  double t2 = d2 / kernel->epsilon, w;
  if (!far && d2 > kernel->radius * kernel->radius) return 0;
  switch (kernel->kind) {
  case LAVDM_KERNEL_GAUSSIAN:
    return t2 < MOST_EXPONENT ? exp(-t2) : 0;
  case LAVDM_KERNEL_EPANECHNIKOV:
    return t2 < 1 ? 1 - t2 : 0;
  case LAVDM_KERNEL_BALL:
    return t2 <= 1 ? 1 : 0;
  default:
    w = kernel->function(sqrt(t2), kernel->user);
    return w > LEAST_WEIGHT && w < INFINITY ? w : 0;
  }
}

/* ----------------------------------------------------------------- weights */

/* r2 (n): squared distance from each row to the k-th nearest reference. */
static void reaches(const reference_rows *rows, const reference_rows *references, int64_t k,
                    reference_near *near, double *r2) {
  for (int64_t i = 0; i < rows->base.n; i++) {
    reference_order(rows, i, references, near);
    r2[i] = near[k - 1].d2;
  }
}

/* Takes away the weights of pairs that are not on the k-NN graph. */
static int keep_nearest(run_t *run, reference_rows *rows, const reference_rows *references, int64_t knn) {
  int64_t n = rows->base.n, m = references->base.n, k = knn + 1 < m ? knn + 1 : m;
  double *own = NEW(double, n), *theirs = NEW(double, m);
  reference_near *near = NEW(reference_near, m);
  int status = own && theirs && near ? LAVDM_OK : fail_memory(run->error, "the neighbours");
  if (!status) {
    reaches(rows, references, k, near, own);
    if (!references->reach) reaches(references, references, k, near, theirs);
    for (int64_t c = 0; c < m && references->reach; c++)
      theirs[c] = references->reach[c] * references->reach[c];
    for (int64_t i = 0; i < n; i++)
      for (int64_t c = 0; c < m; c++)
        if (reference_distance2(rows, i, references, c) > fmax(own[i], theirs[c])) rows->w[i * m + c] = 0;
  }
  mem_free(own);
  mem_free(theirs);
  mem_free(near);
  return status;
}

/* d_ik^2 in units of the bandwidths of both ends. */
static double scaled2(const reference_rows *rows, int64_t i, int64_t k, double d2) {
  return rows->local.rho ? d2 / (rows->local.rho[i] * rows->local.references[k]) : d2;
}

/* Joins rows without an edge to the nearest references, and marks them. */
static int reach_out(run_t *run, reference_rows *rows, const reference_rows *references,
                     const kernel_t *shape) {
  int64_t m = references->base.n;
  reference_near *near = NEW(reference_near, m);
  if (!near) return fail_memory(run->error, "the neighbours");
  for (int64_t i = 0; i < rows->base.n; i++) {
    double *w = rows->w + i * m, sum = 0;
    for (int64_t c = 0; c < m; c++) sum += w[c];
    rows->far[i] = !(sum > 0);
    if (!rows->far[i]) continue;
    reference_order(rows, i, references, near);
    for (int64_t c = 0; c < FAR && c < m; c++)
      w[near[c].index] = kernel(shape, true, scaled2(rows, i, near[c].index, near[c].d2));
  }
  mem_free(near);
  return LAVDM_OK;
}

/* Takes away the weight that joins a row to itself: to one of the references at no distance. */
static void take_itself(reference_rows *rows, const reference_rows *references) {
  for (int64_t i = 0; i < rows->base.n; i++) {
    int64_t c = rows->itself ? i : 0;
    while (c < rows->m && reference_distance2(rows, i, references, c) > 0) c++;
    if (c < rows->m) rows->w[i * rows->m + c] = 0;
  }
}

static int weights(run_t *run, reference_rows *rows, const reference_rows *references,
                   const graph_spec *spec) {
  int64_t n = rows->base.n, m = references->base.n;
  int status = LAVDM_OK;
  for (int64_t i = 0; i < n && !run_stopped(run, i, n); i++)
    for (int64_t c = 0; c < m; c++)
      rows->w[i * m + c] =
          kernel(&spec->kernel, false, scaled2(rows, i, c, reference_distance2(rows, i, references, c)));
  if (spec->square && spec->edges == LAVDM_EDGES_KNN) status = keep_nearest(run, rows, references, spec->knn);
  if (!status && spec->balanced) take_itself(rows, references);
  return status < 0 || rows->itself ? status : reach_out(run, rows, references, &spec->kernel);
}

/* --------------------------------------------------------------- alignment */

/* What the alignment of a pair takes: d x d each, but for values (d) and work. */
typedef struct {
  double *product, *u, *v, *values, *work, *o;
  lapack_int *pivot;
} align_t;

static int align_new(run_t *run, int64_t d, align_t *out) {
  *out = (align_t){NEW(double, d *d),      NEW(double, d *d), NEW(double, d *d), NEW(double, d),
                   NEW(double, 5 * d + 1), NEW(double, d *d), NEW(lapack_int, d)};
  bool whole = out->product && out->u && out->v && out->values && out->work && out->o && out->pivot;
  return whole ? LAVDM_OK : fail_memory(run->error, "the connection graph");
}

static void align_free(align_t *a) {
  double *arrays[] = {a->product, a->u, a->v, a->values, a->work, a->o};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) mem_free(arrays[i]);
  mem_free(a->pivot);
}

/* B_i' B_k */
static void multiply_frames(const reference_rows *rows, int64_t i, const reference_rows *references,
                            int64_t k, double *product) {
  int64_t p = rows->base.p, d = rows->d;
  const double *b = rows->frames + i * p * d, *c = references->frames + k * p * d;
  for (int64_t e = 0; e < d * d; e++) product[e] = 0;
  for (int64_t j = 0; j < p; j++)
    for (int64_t s = 0; s < d; s++)
      for (int64_t t = 0; t < d; t++) product[s * d + t] += b[j * d + s] * c[j * d + t];
}

/* o = U V' of M = U diag(s) V'; *least: the smallest s. LAPACK reads columns where we have rows, so it sees
 * M' = V diag(s) U', and its product of factors, read as rows again, is U V'. */
static int polar(run_t *run, int64_t size, align_t *a, double *least) {
  lapack_int d = (lapack_int)size;
  if (LAPACKE_dgesvd_work(LAPACK_COL_MAJOR, 'A', 'A', d, d, a->product, d, a->values, a->u, d, a->v, d,
                          a->work, 5 * d + 1))
    return fail(run->error, LAVDM_ERROR_NUMERICS, "the singular values of an alignment did not converge");
  for (int64_t s = 0; s < size; s++)
    for (int64_t t = 0; t < size; t++) {
      double sum = 0;
      for (int64_t l = 0; l < size; l++) sum += a->u[l * size + t] * a->v[s * size + l];
      a->o[s * size + t] = sum;
    }
  *least = a->values[size - 1];
  return LAVDM_OK;
}

/* det M from its triangular factors. */
static double determinant_of(int64_t size, align_t *a) {
  lapack_int d = (lapack_int)size;
  double det = 1;
  LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, d, d, a->product, d, a->pivot);
  for (int64_t s = 0; s < size; s++) det *= a->product[s * size + s] * (a->pivot[s] == s + 1 ? 1 : -1);
  return det;
}

/* a->o = O_ik, and whether the two planes are nearly perpendicular. */
static int align(run_t *run, const reference_rows *rows, int64_t i, const reference_rows *references,
                 int64_t k, lavdm_bundle bundle, align_t *a, bool *ill) {
  int64_t d = rows->d;
  double least = 1, det = 1;
  int status = LAVDM_OK;
  *ill = false;
  a->o[0] = 1;
  if (bundle == LAVDM_BUNDLE_TANGENT) {
    multiply_frames(rows, i, references, k, a->product);
    status = polar(run, d, a, &least);
    *ill = least < ILL_COSINE;
  } else if (bundle == LAVDM_BUNDLE_ORIENTATION) {
    multiply_frames(rows, i, references, k, a->product);
    det = determinant_of(d, a);
    a->o[0] = det < 0 ? -1 : 1;
    *ill = fabs(det) < pow(ILL_COSINE, (double)d);
  }
  return status;
}

/* S_ik = w O, and between points S_ki = w O'. */
static void put_block(reference_rows *rows, int64_t i, int64_t k, const double *o) {
  int64_t q = rows->q, width = rows->m * q;
  double w = rows->w[i * rows->m + k];
  for (int64_t s = 0; s < q; s++)
    for (int64_t t = 0; t < q; t++) {
      double value = rows->itself && i == k ? w * (s == t) : w * o[s * q + t];
      rows->s[(i * q + s) * width + k * q + t] = value;
      if (rows->itself) rows->s[(k * q + t) * width + i * q + s] = value;
    }
}

static int blocks(run_t *run, reference_rows *rows, const reference_rows *references, lavdm_bundle bundle) {
  int64_t n = rows->base.n, m = rows->m;
  align_t a;
  bool ill;
  int status = align_new(run, rows->d > 0 ? rows->d : 1, &a), before = blas_threads(1);
  for (int64_t i = 0; i < n && !status && !run_stopped(run, i, n); i++)
    for (int64_t k = rows->itself ? i : 0; k < m && !status; k++) {
      if (!(rows->w[i * m + k] > 0)) continue;
      status = align(run, rows, i, references, k, bundle, &a, &ill);
      rows->ill += ill && rows->w[i * m + k] > ILL_WEIGHT;
      put_block(rows, i, k, a.o);
    }
  blas_threads(before);
  align_free(&a);
  return status;
}

/* ------------------------------------------------------------------- graph */

/* The user's edges, written out. */
static void given_blocks(reference_rows *rows) {
  const bsr_t *g = &rows->given.graph;
  int64_t q = g->q, width = g->cols * q;
  for (int64_t i = 0; i < g->rows; i++)
    for (int64_t e = g->start[i]; e < g->start[i + 1]; e++) {
      rows->w[i * g->cols + g->col[e]] = g->weight[e];
      for (int64_t s = 0; s < q; s++)
        for (int64_t t = 0; t < q; t++)
          rows->s[(i * q + s) * width + g->col[e] * q + t] = g->block[(e * q + s) * q + t];
    }
}

/* A balanced graph has no loops. */
static void clear_loops(reference_rows *rows) {
  int64_t q = rows->q, width = rows->m * q;
  for (int64_t i = 0; i < rows->base.n; i++) {
    rows->w[i * rows->m + i] = 0;
    for (int64_t s = 0; s < q; s++)
      for (int64_t t = 0; t < q; t++) rows->s[(i * q + s) * width + i * q + t] = 0;
  }
}

int reference_graph(engine_t *engine, rows_t *given_rows, const rows_t *given_references,
                    const graph_spec *spec, graph_info *info) {
  run_t *run = engine->run;
  reference_rows *rows = (reference_rows *)given_rows;
  const reference_rows *references = (const reference_rows *)given_references;
  bool edges = rows->given.row_node != NULL;
  rows->itself = spec->square && rows == references;
  rows->balanced = spec->balanced;
  rows->local = spec->local;
  int64_t n = rows->base.n, m = edges ? rows->given.graph.cols : references->base.n;
  mem_free(rows->w);
  mem_free(rows->s);
  mem_free(rows->far);
  rows->m = m, rows->q = edges ? rows->given.graph.q : spec->q, rows->ill = 0;
  rows->w = NEW(double, n *m);
  rows->s = NEW(double, n *m * rows->q * rows->q);
  rows->far = NEW(bool, n);
  if (!rows->w || !rows->s || !rows->far) return fail_memory(run->error, "the connection graph");
  if (edges) {
    given_blocks(rows);
    for (int64_t i = 0; i < n && rows->given.far; i++) rows->far[i] = rows->given.far[i];
    if (spec->balanced) clear_loops(rows);
    return LAVDM_OK;
  }
  int status = weights(run, rows, references, spec);
  if (!status) status = blocks(run, rows, references, spec->bundle);
  if (rows->itself) info->ill = rows->ill;
  return status < 0 ? status : run_status(run);
}
