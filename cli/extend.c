/* lavdm extend: a model applied to new points. */
#include "base/command.h"
#include "input/estimate.h"
#include "input/input.h"
#include "base/progress.h"
#include "output/page.h"
#include "output/result.h"
#include "output/summary.h"
#include "io/sentence.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Points of a file larger than this share of the memory stay in it. */
static const double SHARE = 0.25;

typedef struct {
  const arguments *a;
  const char *output;
  input points, reference;
  lavdm_model *model, *extension;
  table_terms terms;
  table_model table; /* of the model */
  io_stamp stamp;    /* of the file of the model, which is mapped */
  lavdm_options how;
  result_extras extras;
  double began;
} job;

static void job_free(job *j) {
  lavdm_free(j->extension);
  lavdm_free(j->model);
  input_free(&j->points);
  input_free(&j->reference);
  io_texts_free(&j->table.names);
}

/* What the model keeps of the table that it was fitted to. */
static int read_table(job *j, lavdm_error *error) {
  const lavdm_array *mean = lavdm_get(j->model, "column_mean"), *scale = lavdm_get(j->model, "column_scale");
  const lavdm_array *median = lavdm_get(j->model, "column_median");
  const lavdm_array *all[] = {mean, scale, median};
  for (int i = 0; i < 3; i++) {
    if (!all[i]) continue;
    bool fits = all[i]->type == LAVDM_F64 && all[i]->rank == 1 &&
                (!j->table.width || j->table.width == all[i]->shape[0]);
    if (!fits)
      return refuse(error, LAVDM_ERROR_DATA,
                    "%.200s: its columns have means, deviations or medians that do not fit",
                    j->a->operand[0]);
    j->table.width = all[i]->shape[0];
  }
  if (mean && scale) j->table.mean = mean->data, j->table.scale = scale->data;
  if (median) j->table.median = median->data;
  int status = io_read_texts(j->a->operand[0], "columns", &j->table.names, error);
  if (j->table.names.text && !j->table.width) j->table.width = j->table.names.count;
  return status;
}

static int check_arguments(const job *j, lavdm_error *error) {
  const char *graph = arguments_value(j->a, "graph");
  if (!graph == (j->a->operands < 2))
    return refuse(error, STATUS_USAGE, "%s: lavdm %s %s",
                  graph ? "NEW and --graph are two, and one is needed" : "NEW, or --graph FILE, is missing",
                  j->a->command->name, j->a->command->usage);
  static const char *const of_graphs[] = {"element", "form"};
  for (int i = 0; i < 2 && !graph; i++)
    if (arguments_value(j->a, of_graphs[i]))
      return refuse(error, STATUS_USAGE, "--%s goes with --graph", of_graphs[i]);
  if (!j->output && !arguments_value(j->a, "json") && !arguments_value(j->a, "report"))
    return refuse(
        error, STATUS_USAGE,
        "where to? Give -o OUTPUT (.h5, .npz, .mat, .npy or .csv), --report FILE.html for a page to "
        "look at, or --json to print alone");
  int status = page_check(j->a, error);
  if (!j->output || status < 0) return status;
  if (result_alone(j->output) && arguments_value(j->a, "ambient"))
    return refuse(error, STATUS_USAGE,
                  "%.200s holds the eigenvectors alone; --ambient needs .h5, .npz or .mat", j->output);
  const char *inputs[] = {j->a->operand[0], j->a->operands > 1 ? j->a->operand[1] : NULL,
                          arguments_value(j->a, "reference"), graph};
  for (int i = 0; i < 4 && status >= 0; i++)
    if (inputs[i]) status = result_check(j->output, inputs[i], true, error);
  return status;
}

/* The model's options, and the few that may be others. */
static void settle_options(job *j) {
  const lavdm_options *given = &j->a->options;
  lavdm_options_copy(&j->how, lavdm_info(j->model)->chosen, NULL);
  if (arguments_given(j->a, "time")) j->how.time = given->time;
  if (arguments_given(j->a, "delta")) j->how.delta = given->delta;
  j->how.threads = given->threads;
  j->how.max_memory = given->max_memory;
  j->how.stream = given->stream;
  j->how.progress = progress_report;
}

/* Whether points are to stay in their file. */
static bool leaves(const job *j, const char *spec) {
  if (j->how.stream != LAVDM_STREAM_AUTO) return j->how.stream == LAVDM_STREAM_YES;
  io_rows rows = {0};
  lavdm_error ignored;
  double allowed = memory_allowed(&j->how), bytes = 0;
  if (io_rows_open(spec, &rows, &ignored) == 1)
    bytes = (double)rows.count * (double)rows.width * (rows.type == IO_SINGLE ? 4 : 8);
  io_rows_close(&rows);
  return allowed >= 0 && bytes > SHARE * allowed;
}

static int read_all(job *j, lavdm_error *error) {
  const char *points = j->a->operands > 1 ? j->a->operand[1] : NULL,
             *reference = arguments_value(j->a, "reference"), *graph = arguments_value(j->a, "graph");
  progress_enter(PHASE_READ, "reading", j->a->operand[0]);
  j->stamp = io_stamp_of(j->a->operand[0]);
  int status = lavdm_load(j->a->operand[0], &j->model, error);
  if (status < 0) return status;
  settle_options(j);
  bool distances = lavdm_info(j->model)->chosen->metric == LAVDM_METRIC_PRECOMPUTED;
  status = graph || distances ? table_terms_none(j->a, error) : table_terms_read(j->a, &j->terms, error);
  j->terms.dense = !lavdm_get(j->model, "pca_basis");
  if (status >= 0) status = read_table(j, error);
  if (status >= 0)
    status = graph       ? input_graph(j->a, graph, &j->points, error)
             : distances ? input_distances(points, &j->points, error)
                         : input_points(points, leaves(j, points), &j->terms, &j->table, &j->points, error);
  if (status >= 0 && graph) status = edge_file_towards(&j->points.graph, graph, j->model, error);
  if (status >= 0) status = input_check_picture(&j->points, &j->how, error);
  if (status >= 0)
    table_tell(&j->points.table, arguments_value(j->a, "quiet") || arguments_value(j->a, "json"));
  if (status >= 0 && reference)
    status = input_points(reference, leaves(j, reference), &j->terms, &j->table, &j->reference, error);
  if (status >= 0) input_tell(j->a);
  return status;
}

/* The embedding goes into the file, unless it is not wanted or there is no room. */
static void settle_extras(job *j) {
  lavdm_error ignored;
  j->extras.table = &j->points.table;
  j->extras.ambient = arguments_value(j->a, "ambient") != NULL;
  j->extras.embedding = j->output && !result_alone(j->output) && !arguments_value(j->a, "no-embedding");
  if (!j->extras.embedding || result_fits(&j->points.data, &j->how, &j->extras, &ignored) >= 0) return;
  j->extras.embedding = false;
  progress_clear();
  fprintf(stderr, "lavdm: warning: the embedding does not fit in memory and is left out; lavdm_embedding or "
                  "fewer points at a time give it\n");
}

static int work(job *j, lavdm_error *error) {
  bool other = j->reference.name != NULL;
  progress_enter(PHASE_RUN, "starting", NULL);
  int status = lavdm_extend(j->model, &j->points.data, other ? &j->reference.data : NULL, &j->how,
                            &j->extension, error);
  if (other && j->reference.failure.status < 0) status = input_explain(&j->reference, &j->how, status, error);
  bool about_reference = other && strstr(error->message, "reference");
  status = input_explain(about_reference ? &j->reference : &j->points, &j->how, status, error);
  if (status >= 0) status = input_unchanged(&j->points, error);
  if (status >= 0) status = input_unchanged(&j->reference, error);
  if (status >= 0) status = io_stamp_check(j->a->operand[0], &j->stamp, error);
  return status >= 0 && progress_interrupted() ? LAVDM_ERROR_INTERRUPTED : status;
}

static double rate(const job *j) {
  const lavdm_info_t *info = lavdm_info(j->extension);
  return info->seconds > 0 ? (double)info->n / info->seconds : 0;
}

static void print_summary(const job *j, const run_facts *facts) {
  const lavdm_info_t *info = lavdm_info(j->extension), *fitted = lavdm_info(j->model);
  char method[32];
  lavdm_option_text(info->chosen, "method", method, sizeof method);
  printf("%s\n", shown(j->points.name));
  printf("  %-12s %" PRId64 " new %s applied to a model of %" PRId64 " (%s, %" PRId64 " components)\n",
         "data", info->n, j->points.data.edges ? "nodes" : "points", fitted->n, method,
         info->chosen->components);
  if (lavdm_get(j->extension, "frames"))
    printf("  %-12s from the neighbours of each among %s\n", "frames",
           j->reference.name ? shown(j->reference.name) : "the points that the model keeps");
  if (info->isolated) printf("  %-12s %" PRId64 " of them: NaN\n", "out of reach", info->isolated);
  printf("  %-12s %.3g points a second\n", "rate", rate(j));
  summary_print_cost(facts);
  page_tell(j->a);
  fflush(stdout);
}

static int deliver_extension(job *j, lavdm_error *error) {
  bool json = arguments_value(j->a, "json"), quiet = arguments_value(j->a, "quiet");
  run_facts facts = {.asked = lavdm_info(j->model)->chosen,
                     .model = j->extension,
                     .table = &j->points.table,
                     .data = &j->points.data,
                     .input = j->points.name,
                     .output = j->output,
                     .began = j->began,
                     .read_seconds = j->points.seconds + j->reference.seconds};
  json_builder object = {0};
  json_start(&object);
  facts_put(&object, &facts);
  json_put_text(&object, "command", j->a->line);
  json_put_text(&object, "model", j->a->operand[0]);
  json_put_text(&object, "reference", j->reference.name);
  json_put_real(&object, "points_per_second", rate(j));
  int status = LAVDM_OK;
  if (j->output) {
    double began = seconds_now();
    facts.total_seconds = began - j->began;
    facts_put_times(&object, &facts);
    progress_enter(PHASE_WRITE, "writing", j->output);
    status = result_write(j->output, j->extension, &j->extras, &object, error);
    facts.write_seconds = seconds_now() - began;
    progress_clear();
  }
  facts.total_seconds = seconds_now() - j->began;
  facts_put_times(&object, &facts);
  if (status >= 0) status = page_of_run(j->a, &facts, &j->extras, &object, error);
  if (status >= 0 && json) {
    status = json_print(&object, error);
  } else if (status >= 0) {
    if (!quiet) print_summary(j, &facts);
    summary_warn(&facts);
  }
  json_free(&object);
  return status;
}

static int run_extend(const arguments *a, lavdm_error *error) {
  job j = {.a = a, .output = arguments_value(a, "output"), .began = seconds_now()};
  int status = check_arguments(&j, error);
  if (status < 0) return status;
  if (!arguments_value(a, "quiet")) progress_show();
  status = read_all(&j, error);
  if (status >= 0) {
    settle_extras(&j);
    status = work(&j, error);
  }
  progress_clear();
  if (status >= 0) status = deliver_extension(&j, error);
  job_free(&j);
  return status;
}

static bool takes_option(const char *option) {
  static const char *const taken[] = {"time", "delta", "threads", "max_memory", "stream", "engine"};
  for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
    if (!strcmp(option, taken[i])) return true;
  return false;
}

static const flag flags[] = {
    {"output", 'o', "OUTPUT",
     "the result: .h5, .npz or .mat; .npy, .csv or .tsv for the eigenvectors alone; may be left out with "
     "--json"},
    TABLE_FLAGS,
    {"format", 0, "csv|npy", "of -o -, the standard output [csv]; with NEW - alone, what that must be"},
    {"graph", 0, "FILE", "edges from new nodes to those of a model of edges, in place of NEW"},
    {"element", 0, "KIND",
     "what an edge carries: auto|none|sign|angle|matrix|quaternion [auto: from the columns]"},
    {"form", 0, "FORM", "what a table is: edges|affinity [told apart, and asked for where both could be]"},
    {"reference", 0, "FILE",
     "points from which tangent frames of the new ones are estimated [those in MODEL]"},
    {"no-embedding", 0, NULL, "leave out `embedding` (n, r(r+1)/2) and, if q = 1, `coordinates` (n, r)"},
    {"ambient", 0, NULL, "write `ambient` (n, p, r): the fields as vectors in the space of the points"},
    {"json", 0, NULL, "print one JSON object on the standard output, and nothing else"},
    CONFIG_FLAG,
    REPORT_FLAG,
    {"quiet", 'q', NULL, "no summary and no progress; warnings stay"},
    {0},
};

const command extend_command = {
    .name = "extend",
    .usage = "MODEL [NEW] -o OUTPUT [options]",
    .summary = "apply a model to new points",
    .about =
        "Eigenvectors and embedding of points that were not in the data of a model, without a new fit: each "
        "new "
        "point is joined to the landmarks (for dm and vdm: to the points of the model) as the old ones were, "
        "and "
        "normalised by what the model keeps. Points of the data itself come back as they were. MODEL is what "
        "`lavdm embed data.npy -o model.h5` wrote.\n\n"
        "A model of edges takes --graph in place of NEW: edges whose first numbers are new nodes and whose "
        "second "
        "ones are nodes of the model, or a matrix with a row for each new node.\n\n"
        "A new point too far from every landmark is not guessed: its rows are NaN, `isolated_points` names "
        "it, and "
        "there is a warning.\n\n"
        "With the tangent or orientation bundle a new point needs a frame, which is estimated from the "
        "points "
        "around it: those that MODEL keeps, or those of --reference. A model written with --compact keeps "
        "none, and "
        "needs the data that it was fitted to as reference; a larger sample of the same manifold, if there "
        "is one, "
        "gives better frames. New points are never among those around, so the answer for one does not depend "
        "on the "
        "others.\n\n"
        "Of a model that was made from distances (--metric precomputed) NEW is a matrix: a row for each new "
        "point, with its distances to all points of the model.\n\n"
        "New points are worked on in batches. With --stream yes, or if they are many, those of an .npy file "
        "in C order or of an .mrc file stay in it and are read as they are needed, and large results live in "
        "temporary files.",
    .example = "@ sample klein -n 3000 -o old.npy && @ embed old.npy -o model.h5 --quiet\n"
               "@ sample klein -n 500 --seed 2 -o new.npy && @ extend model.h5 new.npy -o new.npz",
    .flags = flags,
    .takes = takes_option,
    .least = 1,
    .most = 2,
    .run = run_extend,
};
