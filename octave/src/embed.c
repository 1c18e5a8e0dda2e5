/* r = embed(X, ...): a fit. */
#define _DEFAULT_SOURCE
#include "bridge.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

typedef struct {
  lavdm_options options;
  wanted_t wanted;
  watch_t watch;
  const mxArray *edges, *landmark_points, *landmark_index;
  int64_t height, width;
} job_t;

static const char own[] =
    "landmark_points|landmark_index|height|width|embedding|ambient|model|compact|progress";

static bool set(void *user, const char *name, const mxArray *value) {
  job_t *j = user;
  if (!strcmp(name, "edges") && mxIsStruct(value)) /* a graph; a word is the rule by which one is made */
    j->edges = value;
  else if (!strcmp(name, "landmark_points"))
    j->landmark_points = value;
  else if (!strcmp(name, "landmark_index"))
    j->landmark_index = value;
  else if (!strcmp(name, "height"))
    j->height = take_whole(value, name, 1, INT32_MAX);
  else if (!strcmp(name, "width"))
    j->width = take_whole(value, name, 1, INT32_MAX);
  else if (!strcmp(name, "embedding"))
    j->wanted.embedding = take_flag(value, name);
  else if (!strcmp(name, "ambient"))
    j->wanted.ambient = take_flag(value, name);
  else if (!strcmp(name, "model"))
    j->wanted.model = take_flag(value, name);
  else if (!strcmp(name, "compact"))
    j->wanted.compact = take_flag(value, name);
  else if (!strcmp(name, "progress"))
    j->watch.show = take_flag(value, name);
  else
    return settings_option(&j->options, name, value);
  return true;
}

static void take_landmarks(const job_t *j, bool turned, lavdm_data *data) {
  if (j->landmark_points && j->landmark_index)
    trouble(LAVDM_ERROR_ARGUMENT, "landmarks are given twice: as landmark_points and as landmark_index");
  if (j->landmark_index) {
    data->landmark_count = take_count(j->landmark_index);
    data->landmark_index = take_indices(j->landmark_index, "landmark_index", data->n);
  }
  if (!j->landmark_points) return;
  /* plain rows of doubles, whatever they came as */
  lavdm_data given = {0};
  take_points(j->landmark_points, "landmark_points", turned, &given);
  if (given.p != data->p)
    trouble(LAVDM_ERROR_DATA, "landmark_points have %" PRId64 " coordinates, and the points have %" PRId64,
            given.p, data->p);
  if (!given.row_stride && !given.col_stride) given.row_stride = given.p, given.col_stride = 1;
  double *rows = SCRATCH(double, given.n *given.p);
  for (int64_t k = 0; k < given.n; k++)
    for (int64_t c = 0; c < given.p; c++) {
      int64_t at = k * given.row_stride + c * given.col_stride;
      rows[k * given.p + c] = given.type == LAVDM_F32 ? (double)((const float *)given.points)[at]
                                                      : ((const double *)given.points)[at];
    }
  data->landmark_points = rows;
  data->landmark_count = given.n;
}

/* The numbers of nodes that are points, with a sentence that counts from 1. */
static void check_graph(const job_t *j, const lavdm_edges *edges, int64_t n) {
  bool square = j->options.method == LAVDM_METHOD_DM || j->options.method == LAVDM_METHOD_VDM;
  for (int64_t e = 0; e < edges->count; e++) {
    int64_t node = edges->row[e] >= n ? edges->row[e] : square && edges->col[e] >= n ? edges->col[e] : -1;
    if (node >= 0)
      trouble(LAVDM_ERROR_DATA, "edge %" PRId64 " names point %" PRId64 ", but there are %" PRId64, e + 1,
              node + 1, n);
  }
}

/* The embedding and its copy in MATLAB's order are made after the run: too late to find that there is
 * no room for them. */
static void check_room(const job_t *j, int64_t n) {
  enum { USUAL = 20 }; /* components */
  double c = j->options.components == LAVDM_AUTO ? USUAL : (double)j->options.components;
  double needed = 8 * (double)n * c * (c + 1);
  double allowed = j->options.max_memory == LAVDM_AUTO
                       ? (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE)
                       : (double)j->options.max_memory;
  if (j->wanted.embedding && needed > allowed)
    trouble(LAVDM_ERROR_MEMORY,
            "the embedding takes %.3g GB and %.3g GB may be used: ask for fewer components, or do without it "
            "('embedding', false)",
            needed / 1e9, allowed / 1e9);
}

void embed(int nlhs, mxArray *plhs[], int nrhs, const mxArray *prhs[]) {
  (void)nlhs;
  if (nrhs < 1) trouble(LAVDM_ERROR_ARGUMENT, "there are no points: lavdm_embed(X, 'name', value, ...)");
  job_t j = {.wanted = {.embedding = true, .model = true}};
  lavdm_data data = {0};
  graph_t graph;
  lavdm_error error;
  lavdm_options_default(&j.options);
  settings_each(nrhs - 1, prhs + 1, own, set, &j);
  bool turned = j.options.bundle == LAVDM_BUNDLE_ROTATION;
  bool none = j.edges && take_count(prhs[0]) == 0;
  if (!none) take_points(prhs[0], "X", turned, &data);
  if (j.height) data.height = j.height;
  if (j.width) data.width = j.width;
  check_room(&j, data.n);
  take_landmarks(&j, turned, &data);
  if (j.edges) {
    take_graph(j.edges, NULL, 0, false, &graph);
    if (!none) check_graph(&j, &graph.edges, data.n);
    data.edges = &graph.edges;
  }
  j.options.progress = watch;
  j.options.progress_user = &j.watch;
  check(lavdm_fit(&data, &j.options, &held.model, &error), &error);
  plhs[0] = give_model(held.model, j.wanted);
}
