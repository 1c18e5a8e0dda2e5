/* An extension under way, and its first part: what new points are joined to. */
#ifndef LAVDM_EXTEND_REFERENCES_H
#define LAVDM_EXTEND_REFERENCES_H

#include "choose/choose.h"
#include "engine/engine.h"
#include "lowpass/lowpass.h"
#include "reduce/places.h"
#include "reduce/reduce.h"

typedef struct {
  run_t *run;
  engine_t *engine;
  const engine_ops *ops;
  lavdm_type real;
  const lavdm_model *model;
  const reduce_t *reduce; /* or NULL */
  lavdm_model *out;
  bool with_landmarks, with_frames, with_turns;
  const lavdm_edges *edges;      /* from new nodes to those of the model; or NULL */
  rows_t *nodes;                 /* the new nodes */
  bool smooth;                   /* frames are those of low-passed points: */
  lowpass_field field_of_points; /* x^ as a function of the place */
  int64_t n, m, p, q, r, d;

  const double *centre; /* or NULL */
  rows_t *references, *own;
  places_t places; /* of references that are points */
  rows_t *around;  /* what frames are estimated from: `own`, or the references */
  int64_t *order;  /* m: which reference, or point of the model, is the k-th in the engine's order */
  graph_spec spec;
  bandwidths_t bandwidths;
  double *rho;                   /* m: bandwidths of the references, in the engine's order; or NULL */
  double *mass, *inflow, *field; /* of the references, in the engine's order */
  const lavdm_array *far;        /* points beyond every cut-off that the fit took in, or NULL */

  /* what becomes of the new points */
  char *u, *b;
  double *degree;
} extend_t;

/* Bytes of a number of the engine. */
static inline size_t real_size(const extend_t *e) {
  return e->real == LAVDM_F32 ? sizeof(float) : sizeof(double);
}

/* An error: the model lacks that array. */
int extend_incomplete(const extend_t *e, const char *name);

/* Opens the references on e->engine, with all that the model keeps of them. `reference`: points that frames
 * are estimated from in place of the model's, or NULL. */
int extend_prepare(extend_t *e, const lavdm_data *reference);

#endif
