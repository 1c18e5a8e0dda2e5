/* Files to lavdm_data: which of those that the arguments name holds what. */
#include "input/input.h"
#include "base/command.h"
#include "base/progress.h"
#include "input/load.h"
#include "input/pictures.h"
#include "io/sentence.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void input_free(input *in) {
  io_array_free(&in->points);
  io_sparse_free(&in->sparse);
  io_rows_close(&in->rows);
  io_array_free(&in->landmarks);
  free(in->landmark_index);
  edge_file_free(&in->graph);
  table_facts_free(&in->table);
  free(in->title);
  distance_file_free(&in->distances);
  *in = (input){0};
}

int input_explain(const input *in, const lavdm_options *options, int status, lavdm_error *error) {
  if (status < 0 && in->failure.status < 0) {
    *error = in->failure;
    return error->status;
  }
  if (status != LAVDM_ERROR_DATA || !in->name) return status;
  prefix_error(error, in->name);
  size_t used = strlen(error->message);
  bool landmarks = options->method != LAVDM_METHOD_DM && options->method != LAVDM_METHOD_VDM;
  bool open = in->data.edges && in->data.edges->ends == LAVDM_ENDS_AUTO && options->landmarks == LAVDM_AUTO &&
              options->design == LAVDM_DESIGN_KMEANS;
  if (open && landmarks)
    snprintf(
        error->message + used, sizeof error->message - used,
        " (the second number of an edge is a landmark; a square graph needs --method vdm, or --landmarks "
        "M)");
  return status;
}

int input_unchanged(const input *in, lavdm_error *error) {
  return io_rows_check(&in->rows, error);
}

int input_check_picture(const input *in, const lavdm_options *options, lavdm_error *error) {
  bool rows = options->bundle != LAVDM_BUNDLE_AUTO && options->bundle != LAVDM_BUNDLE_ROTATION;
  if (!in->picture || rows) return LAVDM_OK;
  return refuse(
      error, LAVDM_ERROR_DATA,
      "%.150s is one picture, and not points: to clean it, lavdm denoise %.100s; to embed many, put them in "
      "a folder, lavdm embed FOLDER --bundle rotation; if its rows are the points, --method dm --bundle "
      "trivial",
      in->name, in->name);
}

void input_tell(const arguments *a) {
  if (arguments_value(a, "quiet") || arguments_value(a, "json")) return;
  progress_clear();
  for (int i = 0; io_note_at(i); i++) fprintf(stderr, "  %-12s %s\n", "note", io_note_at(i));
}

static int check_shape(const char *spec, input *in, lavdm_error *error) {
  in->name = in->title ? in->title : io_is_pipe(spec) ? "standard input" : spec;
  if (in->data.n < 1 || in->data.p < 1)
    return refuse(error, LAVDM_ERROR_DATA,
                  "%.200s has %" PRId64 " rows and %" PRId64 " columns: there are no points in it", spec,
                  in->data.n, in->data.p);
  return LAVDM_OK;
}

/* Whether the points may stay in their file: not where they are taken to a sphere first. */
static bool may_stay(const lavdm_options *options) {
  return options->metric != LAVDM_METRIC_COSINE && options->metric != LAVDM_METRIC_CORRELATION &&
         options->metric != LAVDM_METRIC_HAVERSINE;
}

static int take_distances(const char *spec, input *in, lavdm_error *error) {
  int status = distance_file_read(spec, &in->distances, error);
  in->name = spec;
  in->data = (lavdm_data){
      .size = sizeof in->data, .n = in->distances.distances.rows, .distances = &in->distances.distances};
  return status;
}

static int read_points(const arguments *a, bool graph, lavdm_options *options, input *in,
                       lavdm_error *error) {
  const char *spec = a->operand[0];
  if (options->metric == LAVDM_METRIC_PRECOMPUTED && !graph) {
    int none = table_terms_none(a, error);
    return none < 0 ? none : take_distances(spec, in, error);
  }
  bool stays = !graph && !pictures_meant(a->operand, a->operands) &&
               (may_stay(options) || options->stream == LAVDM_STREAM_YES);
  table_terms terms;
  int status = table_terms_read(a, &terms, error);
  terms.dense = options->pca == 0;
  if (status >= 0 && stays) status = load_leave(spec, &terms, options, in, error);
  if (status == 0) status = load_points(a->operand, a->operands, &terms, NULL, in, error);
  if (status >= 0) table_tell(&in->table, arguments_value(a, "quiet") || arguments_value(a, "json"));
  if (status >= 0) status = check_shape(spec, in, error);
  return status < 0 ? status : input_check_picture(in, options, error);
}

int input_points(const char *spec, bool leave, const table_terms *terms, const table_model *model, input *in,
                 lavdm_error *error) {
  double began = seconds_now();
  progress_enter(PHASE_READ, "reading", spec);
  bool changed = terms->given || (model && model->mean);
  int status = leave ? load_open_rows(spec, in, error) : 0;
  if (status > 0 && changed) status = load_changed_rows(false, in, error);
  if (status == 0) status = load_points(&spec, 1, terms, model, in, error);
  in->seconds = seconds_now() - began;
  return status < 0 ? status : check_shape(spec, in, error);
}

int input_distances(const char *spec, input *in, lavdm_error *error) {
  double began = seconds_now();
  progress_enter(PHASE_READ, "reading", spec);
  int status = take_distances(spec, in, error);
  in->seconds = seconds_now() - began;
  return status;
}

static int read_graph(const arguments *a, const char *spec, const lavdm_options *options, input *in,
                      lavdm_error *error) {
  edge_terms terms = {arguments_value(a, "element"), arguments_value(a, "form"), arguments_value(a, "ends"),
                      a->options.threads};
  int status = edge_file_read(spec, &terms, &in->graph, error);
  if (status < 0) return status;
  if (!in->name) in->name = spec;
  if (in->graph.note[0]) {
    progress_clear();
    fprintf(stderr, "lavdm: warning: %s: %s\n", shown(spec), in->graph.note);
  }
  in->data.edges = &in->graph.edges;
  if (!in->data.points) in->data.n = in->graph.nodes;
  bool square = options->method == LAVDM_METHOD_DM || options->method == LAVDM_METHOD_VDM;
  return in->data.points ? edge_file_fits(&in->graph, spec, in->data.n, square, error) : LAVDM_OK;
}

int input_graph(const arguments *a, const char *spec, input *in, lavdm_error *error) {
  double began = seconds_now();
  progress_enter(PHASE_READ, "reading", spec);
  lavdm_options options;
  lavdm_options_default(&options);
  int status = read_graph(a, spec, &options, in, error);
  in->seconds = seconds_now() - began;
  return status;
}

/* Which of INPUT and --graph holds what; fills the two names. */
static int sort_files(const arguments *a, lavdm_options *options, const char **points, const char **graph,
                      lavdm_error *error) {
  *points = a->operands ? a->operand[0] : NULL;
  *graph = arguments_value(a, "graph");
  if (*graph && options->bundle == LAVDM_BUNDLE_AUTO) options->bundle = LAVDM_BUNDLE_GIVEN;
  if (*graph && options->bundle != LAVDM_BUNDLE_GIVEN)
    return refuse(error, STATUS_USAGE,
                  "--graph goes with --bundle given (--element none keeps the weights alone)");
  if (!*graph && options->bundle == LAVDM_BUNDLE_GIVEN) {
    *graph = *points;
    *points = NULL;
  }
  if (a->operands > 1 && *graph)
    return refuse(error, STATUS_USAGE, "a graph is one file, and '%.100s' is one word too many",
                  a->operand[1]);
  if (!*points && !*graph)
    return refuse(error, STATUS_USAGE, "INPUT is missing: lavdm %s %s", a->command->name, a->command->usage);
  static const char *const of_graphs[] = {"element", "form", "ends"};
  for (int i = 0; i < 3 && !*graph; i++)
    if (arguments_value(a, of_graphs[i]))
      return refuse(error, STATUS_USAGE, "--%s goes with --graph or --bundle given", of_graphs[i]);
  return LAVDM_OK;
}

int input_read(const arguments *a, lavdm_options *options, input *in, lavdm_error *error) {
  const char *points, *graph;
  double began = seconds_now();
  int status = sort_files(a, options, &points, &graph, error);
  if (status < 0) return status;
  progress_enter(PHASE_READ, "reading", points ? points : graph);
  if (points)
    status = read_points(a, graph != NULL, options, in, error);
  else
    status = table_terms_none(a, error);
  if (status >= 0 && graph) status = read_graph(a, graph, options, in, error);
  if (status >= 0 && a->design_file) {
    status = load_landmarks(a->design_file, in, error);
    options->design = LAVDM_DESIGN_GIVEN;
  }
  in->seconds = seconds_now() - began;
  return status;
}
