/* Connected components by union-find. */
#ifndef LAVDM_GRAPH_COMPONENTS_H
#define LAVDM_GRAPH_COMPONENTS_H

#include "base/run.h"
#include "graph/bsr.h"

/* parent[i] is another member of i's set; the root is its own parent. */
void sets_start(int64_t *parent, int64_t count);
int64_t sets_root(int64_t *parent, int64_t i);
void sets_join(int64_t *parent, int64_t i, int64_t k);

/* Joins what any rank has joined; nothing without a team. */
int sets_share(run_t *run, const team_t *team, int64_t *parent, int64_t count);

/*
 * Components of the points. Those of one point alone are isolated: they would
 * each claim the eigenvalue 1. Components are numbered by size, largest first;
 * `weight` (n) says how many points a row stands for, NULL: one.
 */
typedef struct {
  int64_t count;  /* without the isolated ones */
  int64_t *label; /* n: 0 .. count-1, or -1 if isolated */
  int64_t isolated;
  int64_t *isolated_index; /* ascending, as positions in label */
} components_t;

/* set[i]: any number that names the component of point i, below `names`; -1 if
 * the point has no edge at all. With a team (or NULL) names are the same on all ranks. */
int components_label(run_t *run, const team_t *team, const int64_t *set, const double *weight, int64_t n,
                     int64_t names, components_t *out);

/* The same for a square stored graph; with a team its rows from `first` on, in the columns of all ranks. */
int components_of_graph(run_t *run, const team_t *team, int64_t first, const bsr_t *graph,
                        const double *weight, components_t *out);

void components_free(components_t *components);

#endif
