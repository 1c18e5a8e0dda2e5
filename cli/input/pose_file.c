#include "input/pose_file.h"
#include "base/command.h"
#include "io/pose_formats.h"

#include <inttypes.h>
#include <stdio.h>

static void point_survey(const pose_survey *from, lavdm_survey *to) {
  *to = (lavdm_survey){.fixed = from->fixed,
                       .fixed_node = from->fixed_node,
                       .fixed_element = from->fixed_element,
                       .fixed_position = from->fixed_position,
                       .priors = from->priors,
                       .prior_node = from->prior_node,
                       .prior_element = from->prior_element,
                       .prior_position = from->prior_position,
                       .prior_information = from->prior_information,
                       .sightings = from->sightings,
                       .sighted_node = from->sighted_node,
                       .sighted_point = from->sighted_point,
                       .sighted = from->sighted,
                       .sighted_information = from->sighted_information};
}

static void tell_left_out(const pose_graph *g, edge_file *out) {
  int used = 0;
  if (g->ignored)
    used = snprintf(out->note, sizeof out->note, "%" PRId64 " line%s of other kinds left out, such as %s",
                    g->ignored, g->ignored == 1 ? "" : "s", g->ignored_tag);
  if (g->left_out[0])
    snprintf(out->note + used, sizeof out->note - (size_t)used, "%s%s", used ? "; " : "", g->left_out);
}

/* The arrays of a pose graph become those of the edges. */
static void take_graph(pose_graph *g, int kind, edge_file *out) {
  *out = (edge_file){.row = g->from,
                     .col = g->to,
                     .weight = g->turn_weight,
                     .element = g->rotation,
                     .poses = true,
                     .shift = g->shift,
                     .shift_weight = g->shift_weight,
                     .information = g->information,
                     .vertex = g->vertex,
                     .vertices = g->vertices,
                     .graph = *g};
  out->edges = (lavdm_edges){.size = sizeof out->edges,
                             .count = g->edges,
                             .row = out->row,
                             .col = out->col,
                             .weight = out->weight,
                             .element = out->element,
                             .kind = (lavdm_element)kind};
  point_survey(&g->survey, &out->survey);
  out->surveyed = g->survey.fixed || g->survey.priors || g->survey.sightings;
  tell_left_out(g, out);
}

int pose_file_read(const char *path, const edge_terms *terms, int kind, edge_file *out, lavdm_error *error) {
  static const char *const names[] = {"none", "sign", "angle", "matrix", "quaternion"};
  pose_graph graph = {0};
  pose_format format = terms->form ? POSES_NONE : pose_format_of(path);
  if (!format) return 0;
  int status = poses_read(path, format, terms->threads, &graph, error);
  if (status < 0) return status;
  int found = graph.dim == 2 ? LAVDM_ELEMENT_ANGLE : LAVDM_ELEMENT_QUATERNION;
  if (kind != POSE_ANY && kind != LAVDM_ELEMENT_NONE && kind != found) {
    pose_graph_free(&graph);
    return refuse(error, STATUS_USAGE,
                  "the edges of %.200s are of kind %s, and --element or --group asks for kind %s", path,
                  names[found], names[kind]);
  }
  take_graph(&graph, kind == POSE_ANY ? found : kind, out);
  return 1;
}
