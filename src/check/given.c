/* What goes with a graph of the user's own, and what has no use there. */
#include "base/options.h"
#include "check/check.h"
#include "graph/given.h"

#include <inttypes.h>
#include <string.h>

/* Options that say how points become a graph, and a value besides the default that asks for nothing. */
static const struct {
  const char *name, *idle;
} OF_POINTS[] = {{"pca", "0"},     {"dim", ""},       {"epsilon", ""}, {"kernel", ""},
                 {"cutoff", ""},   {"edges", ""},     {"knn", ""},     {"hood", ""},
                 {"stream", "no"}, {"noise", "0"},    {"signals", ""}, {"reflections", ""},
                 {"frames", ""},   {"frame_knn", ""}, {"metric", ""},  {"bandwidth", "global"}};

static int check_idle(run_t *run) {
  for (size_t i = 0; i < sizeof OF_POINTS / sizeof *OF_POINTS; i++) {
    char text[64];
    const lavdm_option *row = lavdm_option_find(OF_POINTS[i].name);
    if (!row || lavdm_option_text(&run->options, row->name, text, sizeof text) < 0) continue;
    if (!strcmp(text, row->initial) || !strcmp(text, OF_POINTS[i].idle)) continue;
    return fail(run->error, LAVDM_ERROR_ARGUMENT,
                "%s is %s, which says how points become a graph: with a graph of your own it has no use, "
                "leave it out",
                row->name, text);
  }
  return LAVDM_OK;
}

static int check_named(run_t *run, const lavdm_data *data) {
  lavdm_options *o = &run->options;
  if (data->landmark_points)
    return fail(run->error, LAVDM_ERROR_ARGUMENT,
                "landmark_points go with points: landmarks on a graph are nodes, which landmark_index names");
  if (data->landmark_index && data->landmark_count < 1)
    return fail(run->error, LAVDM_ERROR_ARGUMENT, "design is given, but there are no landmarks");
  if (data->landmark_index) o->design = LAVDM_DESIGN_GIVEN;
  if (o->design == LAVDM_DESIGN_GIVEN && !data->landmark_index)
    return fail(run->error, LAVDM_ERROR_ARGUMENT,
                "design is given, but there are no landmarks: landmark_index names nodes of the graph");
  if (data->landmark_index && o->landmarks != LAVDM_AUTO && o->landmarks != data->landmark_count)
    return fail(run->error, LAVDM_ERROR_ARGUMENT, "landmarks is %" PRId64 ", but %" PRId64 " are given",
                o->landmarks, data->landmark_count);
  return LAVDM_OK;
}

int check_given(run_t *run, const lavdm_data *data) {
  const lavdm_options *o = &run->options;
  const lavdm_edges *edges = data->edges;
  bool asked = o->landmarks != LAVDM_AUTO || o->design != LAVDM_DESIGN_KMEANS || data->landmark_index;
  if (edges->ends < LAVDM_ENDS_AUTO || edges->ends > LAVDM_ENDS_LANDMARKS)
    return fail(run->error, LAVDM_ERROR_ARGUMENT, "ends of the edges is %d: there is no such value",
                (int)edges->ends);
  if (!has_landmarks(o) && (asked || edges->ends == LAVDM_ENDS_LANDMARKS))
    return fail(run->error, LAVDM_ERROR_ARGUMENT,
                "%s has no landmarks: on a graph of your own these go with roseland and lavdm",
                o->method == LAVDM_METHOD_DM ? "dm" : "vdm");
  if (edges->ends == LAVDM_ENDS_LANDMARKS && (data->landmark_index || o->design != LAVDM_DESIGN_KMEANS))
    return fail(run->error, LAVDM_ERROR_ARGUMENT,
                "the second numbers of the edges name the landmarks: none are left to be chosen");
  int status = check_idle(run);
  return status < 0 ? status : check_named(run, data);
}
