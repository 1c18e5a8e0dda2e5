/* A fit under way: what its steps hand to each other, released in one place. */
#ifndef LAVDM_PIPELINE_FIT_H
#define LAVDM_PIPELINE_FIT_H

#include "base/options.h"
#include "graph/given.h"
#include "graph/turned.h"
#include "model/model.h"
#include "pipeline/checkpoint.h"
#include "pipeline/engine.h"
#include "pipeline/objects.h"

/* The operator, in the order of the data (lavdm_operator); large arrays. */
typedef struct {
  int64_t count;
  int64_t *start; /* n + 1 */
  int32_t *col;   /* count */
  double *block;  /* count x q x q */
} blocks_t;

typedef struct {
  run_t *run;
  lavdm_data data;
  const engine_t *engine;
  bool with_landmarks;
  lavdm_model *model;
  checkpoint_t *checkpoint; /* or NULL */
  blocks_t *blocks;         /* where the operator goes, in place of its spectrum; or NULL */

  int64_t n, m, q;
  tiles_t points, landmarks;
  int64_t *landmark_place; /* m: the stored point that each landmark is; NULL if they are not points */
  double *centre;          /* p: the origin of single precision, NULL in double */
  hood_t hood;
  frames_t frames, landmark_frames;
  given_t given; /* the user's edges, or those of objects that turn */
  int64_t *rows; /* 0 .. n, for graphs without tiles */
  const int64_t *order;

  /* images and signals */
  objects_t objects;
  steer_stack stack, around; /* coefficients of the points, and of the landmarks */
  char *alone;               /* n: beyond the cut-off of every landmark; or NULL */
  double *reach2;            /* n, of the model: distances to the knn-th neighbours; or NULL */

  source_t source;
  kernel_t kernel;
  kept_t kept;
  graph_t graph;
  scaling_t scaling;
  components_t components; /* of the square graph */
  symmetric_t matrix;
  double *degree;
  double *vectors;
  int64_t edges, ill;
  double *values, *residuals, *densities; /* of the model, as are */
  real_t *fields;                         /* the eigenvectors */
} fit_t;

/* Checks data and options, runs the pipeline in its precision, and hands out the model. `blocks`: NULL, or
 * where the operator goes, and then the model has no spectrum. */
int fit_checked(const lavdm_data *data, const lavdm_options *options, blocks_t *blocks, lavdm_model **model,
                lavdm_error *error);

/* Runs the pipeline on checked data and fills the model, or `blocks`. */
int fit_run(run_t *run, const lavdm_data *data, checkpoint_t *checkpoint, blocks_t *blocks,
            lavdm_model *model);

/* Whether the method diffuses through landmarks, and the bundle is made from frames. */
static inline bool has_landmarks(const lavdm_options *o) {
  return method_has_landmarks(o->method);
}

static inline bool has_frames(const lavdm_options *o) {
  return o->bundle == LAVDM_BUNDLE_TANGENT || o->bundle == LAVDM_BUNDLE_ORIENTATION;
}

/* Points in a tile of landmarks. */
enum { LANDMARK_LEAF = 8 };

/* The kernel that the options, all chosen, describe. */
kernel_t chosen_kernel(const lavdm_options *o, bool with_landmarks);

/* From the points to everything that the graph needs: tile order, landmarks,
 * frames, bandwidth; and the memory that the rest will take. */
int prepare_points(fit_t *f);

/* The same for images and signals, up to the stored graph. */
int prepare_objects(fit_t *f);

/* Which references an object is joined to, and how. */
turned_rule chosen_rule(const lavdm_options *o, kernel_t kernel, int64_t q);

/* The method nystrom, after prepare_points: the normalised graph of the landmarks in f->matrix; and, after
 * its spectrum, the eigenvectors at all points, whose degrees are left in f->scaling. */
int nystrom_operator(fit_t *f);
int nystrom_eigenvectors(fit_t *f);

/* Points that nothing reaches, and how many pieces the rest falls into (label: NULL if it is not known). */
int tell_components(fit_t *f, const components_t *found, int64_t edges);
void tell_far(fit_t *f, int64_t far);
void tell_alignment(fit_t *f, int64_t edges);

/* After the degrees: the operator in f->blocks. */
int make_blocks(fit_t *f);

/* After the eigenvectors: everything else that the model keeps. Points, frames and
 * scaling of the fit are lost. */
int keep_all(fit_t *f);
int keep_objects(fit_t *f);

/* The frames of the points, and of the landmarks; those of the fit are lost. */
int keep_every_frame(fit_t *f);

/* What the landmarks have become, the far points aside. */
int keep_landmarks(fit_t *f);

#endif
