/* A model of images or signals, applied to new ones. */
#ifndef LAVDM_PIPELINE_TURN_EXTEND_H
#define LAVDM_PIPELINE_TURN_EXTEND_H

#include "operator/extension.h"
#include "pipeline/fit.h"

typedef struct {
  objects_t objects;
  steer_stack references; /* landmarks, or the points of the model */
  turned_rule rule;
  double *reach2; /* of the references, or NULL */
} turned_t;

/* From the arrays of a model. */
int turned_open(run_t *run, const lavdm_model *model, turned_t *out);
void turned_free(turned_t *turned); /* accepts a zeroed one */

/* u (n x q x r) and degree (n) of all rows of the data; see operator/extension.h. */
int turned_fields(run_t *run, const turned_t *turned, const lavdm_data *data, const extension_t *extension,
                  real_t *u, double *degree);

#endif
