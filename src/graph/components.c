#include "graph/components.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

void sets_start(int64_t *parent, int64_t count) {
  for (int64_t i = 0; i < count; i++) parent[i] = i;
}

int64_t sets_root(int64_t *parent, int64_t i) {
  while (parent[i] != i) {
    parent[i] = parent[parent[i]];
    i = parent[i];
  }
  return i;
}

void sets_join(int64_t *parent, int64_t i, int64_t k) {
  i = sets_root(parent, i);
  k = sets_root(parent, k);
  if (i < k)
    parent[k] = i;
  else
    parent[i] = k;
}

int sets_share(run_t *run, const team_t *team, int64_t *parent, int64_t count) {
  if (!team) return LAVDM_OK;
  int64_t first, total, *all = team_rows(team, parent, count, sizeof *parent, &first, &total);
  if (!all) return fail_memory(run->error, "the components of the graph");
  for (int64_t e = 0; e < total; e++) sets_join(parent, e % count, all[e]);
  mem_free(all);
  return LAVDM_OK;
}

enum { TICK = 1 << 16 }; /* points between two looks at the memory */

typedef struct {
  int64_t size, name;
} group;

static int larger_first(const void *a, const void *b) {
  const group *x = a, *y = b;
  if (x->size != y->size) return x->size < y->size ? 1 : -1;
  return (x->name > y->name) - (x->name < y->name);
}

/* The sizes of the groups on all ranks. */
static int share_sizes(const team_t *team, group *groups, int64_t *number, int64_t names) {
  for (int64_t k = 0; k < names; k++) number[k] = groups[k].size;
  int status = team_count(team, number, names);
  for (int64_t k = 0; k < names; k++) groups[k].size = number[k];
  return status;
}

int components_label(run_t *run, const team_t *team, const int64_t *set, const double *weight, int64_t n,
                     int64_t names, components_t *out) {
  memset(out, 0, sizeof *out);
  out->label = LARGE(&run->large, int64_t, n);
  group *groups = NEW(group, names);
  int64_t *number = NEW(int64_t, names);
  if (team_agree(team, out->label && groups && number ? LAVDM_OK : LAVDM_ERROR_MEMORY) < 0) goto memory;
  for (int64_t k = 0; k < names; k++) groups[k].name = k;
  for (int64_t i = 0; i < n; i++) {
    if (i % TICK == 0) run_stopped(run, i, n);
    if (set[i] >= 0) groups[set[i]].size += weight ? (int64_t)weight[i] : 1;
  }
  if (team && share_sizes(team, groups, number, names) < 0) goto memory;
  qsort(groups, (size_t)names, sizeof *groups, larger_first);
  for (int64_t k = 0; k < names; k++) {
    out->count += groups[k].size > 1;
    number[groups[k].name] = groups[k].size > 1 ? k : -1;
  }
  for (int64_t i = 0; i < n; i++) {
    if (i % TICK == 0) run_stopped(run, i, n);
    out->label[i] = set[i] >= 0 ? number[set[i]] : -1;
    out->isolated += out->label[i] < 0;
  }
  out->isolated_index = NEW(int64_t, out->isolated);
  if (!out->isolated_index) goto memory;
  for (int64_t i = 0, at = 0; i < n; i++)
    if (out->label[i] < 0) out->isolated_index[at++] = i;
  mem_free(groups);
  mem_free(number);
  return LAVDM_OK;
memory:
  mem_free(groups);
  mem_free(number);
  components_free(out);
  return fail_memory(run->error, "the components of the graph");
}

int components_of_graph(run_t *run, const team_t *team, int64_t first, const bsr_t *graph,
                        const double *weight, components_t *out) {
  memset(out, 0, sizeof *out);
  int64_t n = graph->rows, total = graph->cols;
  int64_t *parent = NEW(int64_t, total);
  int status = team_agree(team, parent ? LAVDM_OK : fail_memory(run->error, "the components of the graph"));
  if (!status) {
    sets_start(parent, total);
    for (int64_t i = 0; i < n; i++)
      for (int64_t e = graph->start[i]; e < graph->start[i + 1]; e++)
        sets_join(parent, first + i, graph->col[e]);
    status = team_agree(team, sets_share(run, team, parent, total));
  }
  if (!status) {
    for (int64_t i = 0; i < total; i++) parent[i] = sets_root(parent, i);
    status = team_agree(team, components_label(run, team, parent + first, weight, n, total, out));
  }
  mem_free(parent);
  return status;
}

void components_free(components_t *components) {
  large_free(components->label);
  mem_free(components->isolated_index);
  memset(components, 0, sizeof *components);
}
