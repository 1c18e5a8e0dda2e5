/* Numbers of nodes, which may have gaps, as places 0 .. count-1 in ascending order. */
#ifndef LAVDM_GRAPH_NODES_H
#define LAVDM_GRAPH_NODES_H

#include "base/run.h"

typedef struct {
  int64_t count;
  int64_t *node;  /* count, ascending; NULL if they are 0 .. count-1 */
  int32_t *table; /* span: the place of each number, -1 where there is none; NULL: by bisection */
  int64_t span;
} nodes_t;

/* The distinct numbers, none negative, among a and b (b may be NULL), `length` each. */
int nodes_find(run_t *run, const int64_t *a, const int64_t *b, int64_t length, nodes_t *out);

/* Those of a list that ascends, which is copied. */
int nodes_take(run_t *run, const int64_t *node, int64_t count, nodes_t *out);

/* The place of a number; -1 if it is none of them. */
int64_t nodes_place(const nodes_t *nodes, int64_t number);

/* The numbers as a list that the caller owns; NULL: no memory. */
int64_t *nodes_list(const nodes_t *nodes);
void nodes_free(nodes_t *nodes); /* accepts a zeroed one */

#endif
