/*
 * A stack behind the public API: what it holds in either precision, and the calls of
 * that precision.
 */
#ifndef LAVDM_STACK_STACK_H
#define LAVDM_STACK_STACK_H

#include "lavdm/images.h"

#include "steer/steer.h"

/* Entries of the public calls, as the user gave them. */
typedef struct {
  const int64_t *first; /* count+1, or NULL: every group is one entry */
  int64_t count;        /* groups */
  const int64_t *objects;
  const double *angle;
  const signed char *reflected; /* or NULL */
  const double *weight;         /* or NULL */
} stack_groups;

typedef struct {
  const int64_t *objects, *references; /* NULL: all */
  int64_t count, reference_count, k;
  int64_t *index;
  double *distance, *angle;
  signed char *reflected; /* or NULL */
} stack_query;

typedef struct {
  int (*build)(run_t *run, const lavdm_data *data, lavdm_stack *stack);
  void (*free)(void *body);
  int (*pairs)(run_t *run, const lavdm_stack *stack, const int64_t *i, const int64_t *j, int64_t count,
               double *distance, double *angle, signed char *reflected);
  int (*nearest)(run_t *run, const lavdm_stack *stack, const stack_query *query);
  int (*average)(run_t *run, const lavdm_stack *stack, const stack_groups *groups, double *out);
} stack_calls_t;

extern const stack_calls_t REAL(stack_calls);

struct lavdm_stack {
  lavdm_stack_info_t info;
  lavdm_options options; /* threads are resolved */
  const stack_calls_t *calls;
  void *body; /* stack_body */
};

/* The part that depends on the precision. */
typedef struct {
  steer_basis *basis;
  steer_pca *pca; /* or NULL */
  steer_stack full, reduced;
  const steer_stack *compared; /* one of the two */
} stack_body;

int REAL(stack_build)(run_t *run, const lavdm_data *data, lavdm_stack *stack);
int REAL(stack_nearest)(run_t *run, const lavdm_stack *stack, const stack_query *query);

#endif
