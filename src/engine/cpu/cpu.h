/*
 * The engine of threads and BLAS on this machine: the functions of the stages
 * (neighbours/ to spectrum/) behind the contract of engine/engine.h. Compiled
 * for both precisions.
 */
#ifndef LAVDM_ENGINE_CPU_CPU_H
#define LAVDM_ENGINE_CPU_CPU_H

#include "base/memory.h"
#include "base/options.h"
#include "engine/engine.h"
#include "frames/frames.h"
#include "graph/given.h"
#include "graph/graph.h"
#include "graph/turned.h"
#include "operator/extension.h"
#include "operator/gram.h"
#include "steer/objects.h"

typedef struct {
  engine_t base;
  objects_t objects; /* images and signals: what they are expanded in; zeroed before the first are loaded */
} cpu_t;

typedef struct {
  rows_t base;

  /* Points in tile order, or images and signals, or given edges, in the order of the data. */
  tiles_t tiles;
  steer_stack stack;
  given_t given;        /* edges; also those of images and signals to their landmarks */
  lavdm_data data;      /* images and signals as the user has them; they outlive the rows */
  int64_t *numbers;     /* 0 .. n, where there are no tiles */
  const int64_t *order; /* n: the rows of the data that they are */
  rows_role role;
  double *weights; /* n: how many points each stands for; NULL: one */
  frames_t frames;

  /* The graph. */
  graph_spec spec;
  graph_t graph; /* to landmarks */
  kept_t kept;
  rule_t rule;    /* of references that new rows are joined to by the k-NN rule */
  char *alone;    /* n: images and signals beyond the cut-off of every landmark; or NULL */
  double *reach2; /* n: squared distance to the knn-th neighbour, of images and signals, and where the
                     distances between references are not there any more; or NULL */

  /* Its normalisation: with landmarks; and square, where the operator is `matrix`. */
  scaling_t scaling;
  components_t components;
  symmetric_t matrix;
  double *degree, *densities, *vectors;

  /* The eigenvectors are made when they are fetched. */
  const double *v, *values; /* v NULL: those of the square graph, in `vectors` */
  int64_t r;
  real_t *fields; /* in stored order, if only some of them were fetched */
} cpu_rows;

/* Which of these three rows are. */
static inline bool cpu_is_stack(const cpu_rows *rows) {
  return rows->stack.value != NULL;
}

static inline bool cpu_is_given(const cpu_rows *rows) {
  return rows->given.row_node != NULL;
}

int REAL(cpu_centre)(engine_t *engine, const lavdm_data *data, double *out);
int REAL(cpu_load)(engine_t *engine, const lavdm_data *data, const double *centre, rows_role role,
                   int64_t among, rows_t **out);
void REAL(cpu_unload)(engine_t *engine, rows_t *rows);
void REAL(cpu_drop)(engine_t *engine, rows_t *rows, rows_what what);

int REAL(cpu_sample)(engine_t *engine, const rows_t *rows, int64_t count, double *x);
int REAL(cpu_nearest)(engine_t *engine, const rows_t *rows, int64_t count, const rows_t *among, int64_t k,
                      double *d2);
int REAL(cpu_within)(engine_t *engine, const rows_t *rows, int64_t count, const rows_t *among, double radius,
                     double *reach);
int REAL(cpu_copies)(engine_t *engine, const rows_t *rows, int64_t *count);
int REAL(cpu_spectra)(engine_t *engine, const rows_t *rows, int64_t count, int64_t k, int64_t most,
                      double *values);
int REAL(cpu_landmarks)(engine_t *engine, const rows_t *rows, lavdm_design design, int64_t m, int64_t *index);

/* The same for images and signals (stacks.c). */
int REAL(cpu_load_stack)(cpu_t *cpu, const lavdm_data *data, cpu_rows *rows);
int REAL(cpu_stack_nearest)(cpu_t *cpu, const cpu_rows *rows, int64_t count, const cpu_rows *among, int64_t k,
                            double *d2);
int REAL(cpu_stack_within)(cpu_t *cpu, const cpu_rows *rows, int64_t count, const cpu_rows *among,
                           double radius, double *reach);
int REAL(cpu_stack_landmarks)(cpu_t *cpu, const cpu_rows *rows, lavdm_design design, int64_t m,
                              int64_t *index);
int REAL(cpu_stack_graph)(cpu_t *cpu, cpu_rows *rows, const cpu_rows *references);
int REAL(cpu_stack_far)(cpu_t *cpu, const cpu_rows *rows, int64_t first, int64_t count, real_t *out);

int REAL(cpu_frames)(engine_t *engine, rows_t *rows, const rows_t *around, int64_t d, int64_t knn,
                     double radius, int64_t *degenerate);
int REAL(cpu_graph)(engine_t *engine, rows_t *rows, const rows_t *references, const graph_spec *spec,
                    graph_info *info);
int REAL(cpu_scale)(engine_t *engine, rows_t *rows, double alpha, double beta, landmark_scaling *landmarks,
                    graph_info *info);
int REAL(cpu_gram)(engine_t *engine, rows_t *rows, symmetric_t *out, graph_info *info);
int REAL(cpu_apply)(engine_t *engine, const rows_t *rows, const double *x, double *y, int64_t count);
int REAL(cpu_spectrum)(engine_t *engine, rows_t *rows, const symmetric_t *gram, int64_t r, double *values,
                       double *vectors, double *residuals);
int REAL(cpu_fields)(engine_t *engine, rows_t *rows, const double *v, const double *values, int64_t r);
int REAL(cpu_extend)(engine_t *engine, rows_t *rows, const fields_spec *spec, void *fields, double *degrees,
                     graph_info *info);
int REAL(cpu_blocks)(engine_t *engine, rows_t *rows, blocks_t *out, graph_info *info);

/* `made` (n rows of `width` bytes, in stored order) to `out` in the order of the data. */
int REAL(cpu_arrange)(run_t *run, const cpu_rows *rows, size_t width, const void *made, void *out);

int REAL(cpu_fetch)(engine_t *engine, const rows_t *rows, rows_what what, const int64_t *index, int64_t first,
                    int64_t count, void *out);
int REAL(cpu_put)(engine_t *engine, rows_t *rows, rows_what what, const void *from);

int REAL(cpu_save)(engine_t *engine, const rows_t *rows, const rows_t *references, checkpoint_stage stage,
                   checkpoint_list *list);
int REAL(cpu_resume)(engine_t *engine, rows_t *rows, rows_t *references, checkpoint_stage stage,
                     const checkpoint_t *from, graph_info *info);

need_t REAL(cpu_need)(const sizes_t *sizes);

/* Bytes of the rows, and of what the stages leave there, while `blocks` blocks of the operator are made. */
double REAL(cpu_rows_bytes)(const run_t *run, const cpu_rows *rows, int64_t blocks);

#endif
