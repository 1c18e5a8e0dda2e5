/*
 * The contract between the pipeline and an engine, on one page.
 *
 * An engine does the heavy work of each stage; the pipeline (fit.c) decides
 * what is done and in which order, and knows nothing of where it runs. All
 * pointers are to memory of the host; an engine that works elsewhere copies in
 * and out. Every function returns 0 or a negative status with run->error
 * written, checks run_stopped() now and then, and gives the same result to
 * rounding as engine_cpu. A new engine is one folder and one engine_t.
 */
#ifndef LAVDM_PIPELINE_ENGINE_H
#define LAVDM_PIPELINE_ENGINE_H

#include "operator/gram.h"
#include "operator/square.h"
#include "spectrum/spectrum.h"

typedef struct {
  const char *name;

  /* Points into tile order (neighbours/tiles.h). */
  int (*order)(run_t *run, const lavdm_data *data, const double *centre, int64_t leaf, tiles_t *out);
  /* m distinct points of the design (neighbours/landmarks.h). */
  int (*landmarks)(run_t *run, const tiles_t *points, lavdm_design design, int64_t m, int64_t *out);
  /* Tangent frames at places, or at all points (frames/frames.h). */
  int (*frames)(run_t *run, const tiles_t *points, const real_t *places, int64_t count, int64_t d,
                hood_t hood, frames_t *out);

  /* With landmarks: degrees, G = A'A, and u = D^-1/2 A v / sigma. */
  int (*scaling)(run_t *run, const graph_t *graph, double alpha, double beta, scaling_t *out);
  int (*gram)(run_t *run, const graph_t *graph, const scaling_t *scaling, symmetric_t *out, int64_t *ill);
  int (*fields)(run_t *run, const graph_t *graph, const scaling_t *scaling, const double *v,
                const double *values, int64_t r, const int64_t *order, real_t *u);

  /* Without: the stored graph and its normalisation. */
  int (*square)(run_t *run, const tiles_t *points, const source_t *source, const kernel_t *kernel,
                lavdm_edge_rule rule, int64_t k, bsr_t *out, int64_t *ill);
  int (*normalise)(run_t *run, bsr_t *graph, const components_t *components, double alpha, double *degree);

  /* Top eigenpairs of G or of the normalised graph. */
  int (*spectrum)(run_t *run, const symmetric_t *matrix, int64_t r, double *values, double *vectors,
                  double *residuals);
} engine_t;

/* Threads and BLAS on this machine: the functions of the stages themselves. */
extern const engine_t engine_cpu;

#endif
