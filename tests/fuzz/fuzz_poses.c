/* Files of poses of other programs: the first byte says which reader gets the rest. */
#include "fuzz.h"
#include "io/pose_formats.h"

#include <math.h>

static void check_rotations(const double *x, int64_t count, int dim) {
  for (int64_t i = 0; i < count; i++) {
    const double *q = x + i * pose_width(dim);
    double square = dim == 2 ? 1 : q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    PROMISE(isfinite(q[0]) && fabs(square - 1) < 1e-6, "rotations have length 1");
  }
}

static void check_finite(const double *x, int64_t count) {
  for (int64_t i = 0; i < count; i++) PROMISE(isfinite(x[i]), "numbers are finite");
}

static void check_survey(const pose_survey *s, int dim) {
  for (int64_t i = 0; i < s->fixed; i++) PROMISE(s->fixed_node[i] >= 0, "nodes are numbered from 0");
  for (int64_t i = 0; i < s->priors; i++) PROMISE(s->prior_node[i] >= 0, "nodes are numbered from 0");
  for (int64_t i = 0; i < s->sightings; i++)
    PROMISE(s->sighted_node[i] >= 0 && s->sighted_point[i] >= 0, "nodes are numbered from 0");
  check_finite(s->fixed_element, s->fixed * dim * dim);
  check_finite(s->prior_element, s->priors * dim * dim);
}

static void check_graph(const pose_graph *g) {
  PROMISE(g->edges > 0 && (g->dim == 2 || g->dim == 3) && g->format, "a graph has edges");
  for (int64_t e = 0; e < g->edges; e++) {
    PROMISE(g->from[e] >= 0 && g->to[e] >= 0, "nodes are numbered from 0");
    PROMISE(g->turn_weight[e] > 0 && isfinite(g->turn_weight[e]), "weights are above zero");
    PROMISE(!g->shift_weight || (g->shift_weight[e] > 0 && isfinite(g->shift_weight[e])),
            "weights are above zero");
  }
  check_rotations(g->rotation, g->edges, g->dim);
  if (g->information) check_finite(g->information, g->edges * pose_information(g->dim));
  PROMISE(g->posed >= 0 && g->posed <= g->vertices, "poses are those of vertices");
  if (g->vertex_rotation) check_rotations(g->vertex_rotation, g->posed, g->dim);
  for (int64_t i = 0; i < g->vertices; i++) PROMISE(g->vertex[i] >= 0, "nodes are numbered from 0");
  for (int64_t i = 0; i < g->named; i++) {
    char text[POSE_NAME];
    int64_t bytes;
    const char *name = pose_name(g, i, text, &bytes);
    PROMISE(bytes > 0, "names have letters");
    for (int64_t k = 0; k < bytes; k++) PROMISE(name[k] != ' ' && name[k] != '\n', "names are words");
  }
  check_survey(&g->survey, g->dim);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const char *const ends[] = {".g2o", ".graph", ".txt"};
  pose_graph graph;
  lavdm_error error = {0};
  if (!size) return 0;
  int format = POSES_G2O + data[0] % (POSES_BAL - POSES_G2O + 1);
  const char *path = fuzz_file(ends[format > POSES_TORO ? 2 : format - POSES_G2O], data + 1, size - 1);
  pose_format_of(path);
  int status = poses_read(path, (pose_format)format, 1, &graph, &error);
  fuzz_check_error(status, &error);
  if (status >= 0) check_graph(&graph);
  pose_graph_free(&graph);
  return 0;
}
