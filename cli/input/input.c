/*
 * Files to lavdm_data. Points of any rank become n x p: a list is n x 1, and
 * what lies beyond the first axis is one row. Landmarks are indices if the
 * file holds one row or column of whole numbers, points otherwise.
 */
#include "input/input.h"
#include "base/command.h"
#include "input/estimate.h"
#include "input/pictures.h"
#include "base/progress.h"
#include "io/sentence.h"

#include <inttypes.h>
#include <math.h>
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

/* Makes an array n x p, and of whole numbers doubles. */
static int as_points(io_array *a, const char *spec, lavdm_error *error) {
  if (a->type == IO_TEXT) return refuse(error, LAVDM_ERROR_DATA, "%.200s holds text, not numbers", spec);
  int64_t count = io_array_count(a), rows = a->rank > 0 ? a->shape[0] : 1, columns = 1;
  for (int k = 1; k < a->rank; k++) columns *= a->shape[k];
  if (a->type == IO_INTEGER) {
    char *bytes = a->data;
    for (int64_t i = 0; i < count; i++) {
      int64_t whole;
      memcpy(&whole, bytes + 8 * i, 8);
      double real = (double)whole;
      memcpy(bytes + 8 * i, &real, 8);
    }
    a->type = IO_REAL;
  }
  a->rank = 2;
  a->shape[0] = rows;
  a->shape[1] = columns;
  return LAVDM_OK;
}

/* lavdm_data.read: rows of the file. */
static int read_rows(void *user, int64_t first, int64_t count, void *rows) {
  input *in = user;
  return io_rows_read(&in->rows, first, count, rows, &in->failure);
}

/* Leaves the points in their file, if it is one of plain rows. 1 if so, else 0. */
static int open_rows(const char *spec, input *in, lavdm_error *error) {
  int status = io_rows_open(spec, &in->rows, error);
  if (status <= 0) return status;
  in->data.n = in->rows.count;
  in->data.p = in->rows.width;
  in->data.type = in->rows.type == IO_SINGLE ? LAVDM_F32 : LAVDM_F64;
  in->data.height = in->rows.lines;
  in->data.width = in->rows.lines > 0 ? in->rows.width / in->rows.lines : 0;
  in->data.read = read_rows;
  in->data.read_user = in;
  return 1;
}

/* Points that are to be changed do not stay in their file. */
static int changed_rows(bool asked, input *in, lavdm_error *error) {
  io_rows_close(&in->rows);
  in->data = (lavdm_data){0};
  if (!asked) return 0;
  return refuse(error, STATUS_USAGE,
                "--stream yes leaves the points in their file as they are; it does not go with --columns, "
                "--drop, --labels, --ids, --missing and --standardise");
}

/*
 * The same, if memory for all of them may be lacking: streaming is asked for, or
 * the library plans it, or the file and what the run takes are too much together.
 */
static int leave_points(const char *spec, const table_terms *terms, lavdm_options *options, input *in,
                        lavdm_error *error) {
  bool landmarks = options->method != LAVDM_METHOD_DM && options->method != LAVDM_METHOD_VDM;
  if (!landmarks || options->stream == LAVDM_STREAM_NO) return 0;
  int status = open_rows(spec, in, error);
  if (status > 0 && terms->given) return changed_rows(options->stream == LAVDM_STREAM_YES, in, error);
  if (status <= 0 || options->stream == LAVDM_STREAM_YES) return status;

  lavdm_plan_t plan = estimate(&in->data, options);
  double file = (double)in->data.n * (double)in->data.p * (in->data.type == LAVDM_F32 ? 4 : 8);
  double allowed = memory_allowed(options);
  bool crowded = plan.memory > 0 && allowed >= 0 && file + (double)plan.memory > allowed;
  if (plan.stream || crowded) {
    options->stream = LAVDM_STREAM_YES;
    return 1;
  }
  io_rows_close(&in->rows);
  in->data = (lavdm_data){0};
  return 0;
}

/* The array as a table without names; a stack of images is none after that. */
static int as_table(const char *spec, input *in, io_table *t, lavdm_error *error) {
  io_array *a = &in->points;
  in->data.height = in->data.width = 0;
  if (a->type != IO_SINGLE) return io_table_take(spec, a, t, error);
  int64_t count = io_array_count(a);
  double *value = malloc((size_t)count * sizeof *value + 1);
  if (!value) return refuse(error, LAVDM_ERROR_MEMORY, "out of memory for the points of %.200s", spec);
  for (int64_t i = 0; i < count; i++) value[i] = (double)((const float *)a->data)[i];
  free(a->data);
  a->data = value;
  a->type = IO_REAL;
  return io_table_take(spec, a, t, error);
}

static int use_sparse(input *in) {
  const io_sparse *s = &in->sparse;
  in->entries = (lavdm_sparse){
      .rows = s->rows, .cols = s->cols, .start = s->start, .index = s->index, .value = s->value};
  in->data.size = sizeof in->data;
  in->data.sparse = &in->entries;
  in->data.n = s->rows, in->data.p = s->cols;
  return 1;
}

/* A sparse matrix that SciPy wrote. 1 if it is one, else 0. */
static int load_sparse(const char *spec, bool changed, input *in, lavdm_error *error) {
  int status = scipy_is(spec, error);
  if (status <= 0) return status;
  if (changed)
    return refuse(error, STATUS_USAGE,
                  "%.200s is a sparse matrix, whose columns are taken as they are: it does not go with "
                  "--columns, --drop, --labels, --ids, --missing and --standardise",
                  spec);
  status = scipy_read(spec, &in->sparse, error);
  return status < 0 ? status : use_sparse(in);
}

/* "a.png and 11 more" */
static int make_title(const char *first, int count, input *in, lavdm_error *error) {
  size_t size = strlen(first) + 32;
  in->title = malloc(size);
  if (!in->title) return refuse(error, LAVDM_ERROR_MEMORY, "out of memory for the names of pictures");
  snprintf(in->title, size, "%s and %d more", first, count - 1);
  return LAVDM_OK;
}

static int use_points(input *in) {
  in->data.points = in->points.data;
  in->data.n = in->points.shape[0];
  in->data.p = in->points.shape[1];
  in->data.type = in->points.type == IO_SINGLE ? LAVDM_F32 : LAVDM_F64;
  return LAVDM_OK;
}

static int load_cells(const char *spec, const table_terms *terms, const table_model *model, input *in,
                      lavdm_error *error) {
  io_table t = {0};
  int status = cells_table(spec, terms, model, &t, &in->sparse, &in->table, error);
  if (status > 0) return use_sparse(in);
  table_terms rest = *terms;
  rest.columns.labels = rest.columns.ids = NULL; /* of obs, and already there */
  if (status >= 0) status = table_points(&t, &rest, model, &in->points, &in->table, error);
  io_table_free(&t);
  return status < 0 ? status : use_points(in);
}

static int load_pictures(const char *const *specs, int count, input *in, lavdm_error *error) {
  io_texts *ids = &in->table.ids;
  int status = pictures_read(specs, count, &in->points, &ids->text, error);
  if (status < 0) return status;
  ids->count = in->points.shape[0];
  ids->bytes = (int64_t)strlen(ids->text);
  return count > 1 ? make_title(specs[0], count, in, error) : LAVDM_OK;
}

/* Points of a file, of a folder of pictures, or of a list of these. */
static int load_points(const char *const *specs, int count, const table_terms *terms,
                       const table_model *model, input *in, lavdm_error *error) {
  const char *spec = specs[0];
  io_table t = {0};
  bool several = pictures_meant(specs, count), table = !several && io_is_table(spec),
       scaled = model && model->mean;
  if (!several && io_is_cells(spec)) return load_cells(spec, terms, model, in, error);
  int status = several || table ? 0 : load_sparse(spec, terms->given || scaled, in, error);
  if (status) return status < 0 ? status : LAVDM_OK;
  status = several ? load_pictures(specs, count, in, error)
           : table ? io_table_read(spec, &t, error)
                   : io_read_points(spec, &in->points, error);
  if (table && io_is_pipe(spec)) t.path = "standard input";
  in->picture = status >= 0 && in->points.picture;
  if (status >= 0 && !table && in->points.rank == 3 && !in->picture) /* a stack of images */
    in->data.height = in->points.shape[1], in->data.width = in->points.shape[2];
  if (status >= 0 && !table) status = as_points(&in->points, spec, error);
  if (status >= 0 && !table && (terms->given || scaled)) {
    status = as_table(spec, in, &t, error);
    table = true;
  }
  if (status >= 0 && table) status = table_points(&t, terms, model, &in->points, &in->table, error);
  io_table_free(&t);
  return status < 0 ? status : use_points(in);
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
  if (status >= 0 && stays) status = leave_points(spec, &terms, options, in, error);
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
  int status = leave ? open_rows(spec, in, error) : 0;
  if (status > 0 && changed) status = changed_rows(false, in, error);
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
  edge_terms terms = {arguments_value(a, "element"), arguments_value(a, "form"), arguments_value(a, "ends")};
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

/* One row or one column, or a list. */
static bool is_vector(const io_array *a) {
  return a->rank == 1 || (a->rank == 2 && (a->shape[0] == 1 || a->shape[1] == 1));
}

static bool all_whole(const io_array *a) {
  const double *values = a->data;
  if (a->type == IO_INTEGER) return true;
  for (int64_t i = 0; i < io_array_count(a); i++)
    if (!(fabs(values[i]) < 1e15 && values[i] == floor(values[i]))) return false;
  return true;
}

static int use_indices(const char *spec, input *in, lavdm_error *error) {
  const io_array *a = &in->landmarks;
  int64_t count = io_array_count(a);
  in->landmark_index = calloc(count > 0 ? (size_t)count : 1, sizeof *in->landmark_index);
  if (!in->landmark_index)
    return refuse(error, LAVDM_ERROR_MEMORY, "out of memory for the landmarks of %.200s", spec);
  for (int64_t i = 0; i < count; i++) {
    int64_t index =
        a->type == IO_INTEGER ? ((const int64_t *)a->data)[i] : (int64_t)((const double *)a->data)[i];
    if (index < 0 || (index >= in->data.n && !in->data.edges))
      return refuse(error, LAVDM_ERROR_DATA,
                    "%.200s: landmark %" PRId64 " is point %" PRId64 ", but the %" PRId64
                    " points are numbered from 0",
                    spec, i + 1, index, in->data.n);
    in->landmark_index[i] = index;
  }
  in->data.landmark_index = in->landmark_index;
  in->data.landmark_count = count;
  return LAVDM_OK;
}

static int use_landmark_points(const char *spec, input *in, lavdm_error *error) {
  io_array *a = &in->landmarks;
  int status = as_points(a, spec, error);
  if (status < 0) return status;
  if (a->shape[1] != in->data.p)
    return refuse(error, LAVDM_ERROR_DATA,
                  "%.200s: the landmarks have %" PRId64 " columns, but the points have %" PRId64, spec,
                  a->shape[1], in->data.p);
  const double *values = a->data;
  for (int64_t i = 0; i < io_array_count(a); i++)
    if (!isfinite(values[i]))
      return refuse(error, LAVDM_ERROR_DATA, "%.200s: row %" PRId64 ", column %" PRId64 " is %g", spec,
                    i / a->shape[1] + 1, i % a->shape[1] + 1, values[i]);
  if (in->table.mean) table_scale(a->data, a->shape[0], a->shape[1], in->table.mean, in->table.scale);
  in->data.landmark_points = values;
  in->data.landmark_count = a->shape[0];
  return LAVDM_OK;
}

static int read_landmarks(const char *spec, input *in, lavdm_error *error) {
  if (in->data.n < 1 && !in->data.edges)
    return refuse(error, STATUS_USAGE, "--design %.200s needs points, and there are none", spec);
  int status = io_read(spec, &in->landmarks, error);
  if (status < 0) {
    char message[LAVDM_MESSAGE_SIZE];
    memcpy(message, error->message, sizeof message);
    refuse(error, status, "--design is neither kmeans, farthest, random nor a file of landmarks: %.400s",
           message);
    return status;
  }
  const io_array *a = &in->landmarks;
  if (a->type == IO_TEXT) return refuse(error, LAVDM_ERROR_DATA, "%.200s holds text, not numbers", spec);
  if (io_array_count(a) < 1) return refuse(error, LAVDM_ERROR_DATA, "%.200s holds no landmarks", spec);
  /* doubles are indices only where they cannot be points */
  bool could_be_points = a->rank == 2 && a->shape[1] == in->data.p && !in->data.edges;
  if (in->data.edges && !(is_vector(a) && all_whole(a)))
    return refuse(error, LAVDM_ERROR_DATA, "%.200s: landmarks on a graph are a list of numbers of nodes",
                  spec);
  bool indices = is_vector(a) && (a->type == IO_INTEGER || (!could_be_points && all_whole(a)));
  return indices ? use_indices(spec, in, error) : use_landmark_points(spec, in, error);
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
    status = read_landmarks(a->design_file, in, error);
    options->design = LAVDM_DESIGN_GIVEN;
  }
  in->seconds = seconds_now() - began;
  return status;
}
