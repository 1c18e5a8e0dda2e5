#include "io/pose_graph.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void survey_free(pose_survey *s) {
  void *all[] = {s->fixed_node,    s->fixed_element,  s->fixed_position,     s->prior_node,
                 s->prior_element, s->prior_position, s->prior_information,  s->sighted_node,
                 s->sighted_point, s->sighted,        s->sighted_information};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
}

void pose_graph_free(pose_graph *g) {
  void *all[] = {g->from,        g->to,     g->rotation,        g->turn_weight,     g->shift, g->shift_weight,
                 g->information, g->vertex, g->vertex_rotation, g->vertex_position, g->names, g->name_at};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
  survey_free(&g->survey);
  *g = (pose_graph){0};
}

void pose_graph_tell(pose_graph *g, const char *format, ...) {
  size_t used = strlen(g->left_out), size = sizeof g->left_out;
  va_list list;
  if (used) used += (size_t)snprintf(g->left_out + used, size - used, "; ");
  if (used >= size) return;
  va_start(list, format);
  vsnprintf(g->left_out + used, size - used, format, list);
  va_end(list);
}

int pose_width(int dim) {
  return dim == 2 ? 1 : 4;
}

int pose_information(int dim) {
  return dim == 2 ? 6 : 21;
}

bool pose_graph_edges(pose_graph *g, int dim, int64_t edges, bool alone) {
  size_t count = (size_t)edges;
  g->dim = dim;
  g->from = calloc(count, sizeof *g->from);
  g->to = calloc(count, sizeof *g->to);
  g->rotation = calloc(count * (size_t)pose_width(dim), sizeof *g->rotation);
  g->turn_weight = calloc(count, sizeof *g->turn_weight);
  if (!g->from || !g->to || !g->rotation || !g->turn_weight) return false;
  g->edges = edges;
  if (alone) return true;
  g->shift = calloc(count * (size_t)dim, sizeof *g->shift);
  g->shift_weight = calloc(count, sizeof *g->shift_weight);
  return g->shift && g->shift_weight;
}

const char *pose_name(const pose_graph *g, int64_t node, char text[POSE_NAME], int64_t *bytes) {
  if (g && g->names && node >= 0 && node < g->named) {
    *bytes = g->name_at[node + 1] - g->name_at[node] - 1;
    return g->names + g->name_at[node];
  }
  *bytes = snprintf(text, POSE_NAME, "%" PRId64, node);
  return text;
}
