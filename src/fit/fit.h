/* A fit under way: what its steps hand to each other, released in one place. */
#ifndef LAVDM_FIT_FIT_H
#define LAVDM_FIT_FIT_H

#include "base/options.h"
#include "choose/choose.h"
#include "engine/engine.h"
#include "model/model.h"

typedef struct {
  run_t *run;
  lavdm_data data;
  engine_t *engine;
  const engine_ops *ops;
  lavdm_type real; /* of the engine */
  bool with_landmarks;
  lavdm_edges edges; /* of the user's own: data.edges leads here, and it is settled what they name */
  bool among;        /* landmarks are among the nodes of these */
  int64_t asked;     /* landmarks, where the edges leave open whether they lead to them; or AUTO */
  lavdm_model *model;
  checkpoint_t *checkpoint; /* or NULL */
  blocks_t *blocks;         /* where the operator goes, in place of its spectrum; or NULL */

  int64_t n, m, q;
  double *centre; /* p: the origin of the engine's coordinates, or NULL */
  rows_t *rows;   /* the points */
  rows_t *around; /* what their neighbours are among: the rows, and with a team those of all ranks */
  rows_t *marks;  /* the landmarks, or NULL */

  int64_t *landmark_index; /* m: the row of the data that each landmark is; NULL if they are not points */
  int64_t *landmark_order; /* m: which landmark is the k-th in the engine's order */
  double radius;           /* of local PCA; 0 if over the knn nearest */
  int64_t degenerate;
  int64_t lowpass; /* eigenvectors that frames are made of; 0: local frames */

  double *rho; /* n: bandwidths of the rows in the engine's order; or NULL */

  graph_spec spec;
  graph_info found;
  landmark_scaling scaling;
  symmetric_t gram;
  double *vectors;            /* m q x r: of G */
  double *values, *residuals; /* of the model, as are */
  void *fields;               /* the eigenvectors */
} fit_t;

/* Checks data and options, runs the pipeline, and hands out the model. `team`: those who share the rows, or
 * NULL; `blocks`: NULL, or where the operator goes, and then the model has no spectrum. */
int fit_checked(const lavdm_data *data, const lavdm_options *options, const team_t *team, blocks_t *blocks,
                lavdm_model **model, lavdm_error *error);

/* Runs the pipeline on checked data and fills the model, or `blocks`. */
int fit_run(run_t *run, const lavdm_data *data, checkpoint_t *checkpoint, blocks_t *blocks,
            lavdm_model *model);

/* From the data to everything that the graph needs: rows, landmarks, frames, bandwidth; and the memory that
 * the rest will take. */
int prepare(fit_t *f);

/* The references of the points: landmarks, or the points themselves, those of all ranks. */
static inline rows_t *references(const fit_t *f) {
  return f->marks ? f->marks : f->around;
}

/* An array of the model, and its rows of the engine. */
void *fit_array(fit_t *f, const char *name, lavdm_type type, int rank, int64_t a, int64_t b, int64_t c);
int fit_fetch(fit_t *f, const rows_t *rows, rows_what what, const char *name, lavdm_type type, int rank,
              int64_t b, int64_t c);

/* The method nystrom, after prepare: the normalised graph of the landmarks; and, after its spectrum, the
 * eigenvectors at all points. */
int nystrom_operator(fit_t *f);
int nystrom_eigenvectors(fit_t *f);

/* Frames of points and landmarks from x^ with r eigenvectors (lowpass/lowpass.h), which the model keeps. */
int lowpass_frames(fit_t *f, int64_t r);
void lowpass_save(const fit_t *f, checkpoint_list *list); /* nothing, if frames are local */
int lowpass_take(fit_t *f);

/* Landmarks that are points have their frames. */
int copy_frames(fit_t *f);

/* What was found in the graph, for the user: points that nothing reaches (by their components, or, if given,
 * their degrees), and how many pieces the rest falls into; points beyond the reach of landmarks; edges
 * between planes that hardly agree. */
int tell_components(fit_t *f, const double *degrees);
void tell_far(fit_t *f);
void tell_alignment(fit_t *f);
/* Row sums that are not 1, where they should be; an error if they are far from it. */
int tell_balance(fit_t *f);

/* After the eigenvectors: everything else that the model keeps. */
int keep_all(fit_t *f);

/* The frames of the points, and of the landmarks. */
int keep_every_frame(fit_t *f);

#endif
