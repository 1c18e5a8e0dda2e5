/* lavdm distance: vector diffusion distances, neighbours and alignments from a model. */
#include "output/answer.h"
#include "base/command.h"
#include "input/estimate.h"
#include "base/progress.h"
#include "output/result.h"
#include "output/whole.h"
#include "io/io.h"
#include "io/sentence.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { USUAL_K = 10, MOST_PRINTED = 1000000 };

static int no_memory(lavdm_error *error) {
  return refuse(error, LAVDM_ERROR_MEMORY, "out of memory for the distances");
}

/* What goes together, and whether the output can be written. */
static int check_arguments(const arguments *a, lavdm_error *error) {
  const char *pairs = arguments_value(a, "pairs"), *from = arguments_value(a, "from"),
             *output = arguments_value(a, "output");
  if (pairs && from) return refuse(error, STATUS_USAGE, "--pairs and --from are two questions: ask one");
  if (pairs && arguments_value(a, "neighbours"))
    return refuse(error, STATUS_USAGE, "-k goes with --from, or with neither; --pairs names both points");
  if (arguments_value(a, "rank") && arguments_given(a, "delta"))
    return refuse(error, STATUS_USAGE, "--rank and --delta both say how many components: give one");
  const char *inputs[] = {a->operand[0], pairs, from};
  for (int i = 0; i < 3 && output; i++) {
    int status = inputs[i] || i == 0 ? result_check(output, inputs[i], true, error) : LAVDM_OK;
    if (status < 0) return status;
  }
  return LAVDM_OK;
}

/* Time, and rank by --rank, or --delta, or as the model has them. */
static int choose_rank(const arguments *a, const lavdm_model *model, answer *out, lavdm_error *error) {
  const lavdm_options *chosen = lavdm_info(model)->chosen;
  const char *rank = arguments_value(a, "rank");
  out->time = arguments_given(a, "time") ? a->options.time : chosen->time;
  double delta = arguments_given(a, "delta") ? a->options.delta : chosen->delta;
  out->rank = lavdm_embedding_rank(model, out->time, delta);
  int status = rank ? whole_parse("--rank", rank, &out->rank, error) : LAVDM_OK;
  if (status >= 0 && out->rank > chosen->components)
    status =
        refuse(error, LAVDM_ERROR_ARGUMENT, "--rank is %" PRId64 ", but the model has %" PRId64 " components",
               out->rank, chosen->components);
  return status;
}

/* Every number names a point of the model. */
static int check_points(const whole_table *table, const char *option, const char *name, int64_t n,
                        lavdm_error *error) {
  for (int64_t i = 0; i < table->rows * table->columns; i++)
    if (table->values[i] < 0 || table->values[i] >= n)
      return refuse(error, LAVDM_ERROR_DATA,
                    "--%s %.200s: there is no point %" PRId64 " (row %" PRId64 "); the %" PRId64
                    " points of the model are numbered from 0",
                    option, name, table->values[i], i / table->columns + 1, n);
  return LAVDM_OK;
}

/* Reads the pairs or the points that are asked about; all points if there are none. */
static int read_points(const arguments *a, answer *out, lavdm_error *error) {
  const char *pairs = arguments_value(a, "pairs"), *from = arguments_value(a, "from");
  whole_table table = {0};
  int status = pairs ? whole_read(pairs, 2, &table, error) : LAVDM_OK;
  if (from) status = whole_list(from, &table, error);
  if (!pairs && !from) {
    table = (whole_table){out->n, 1, calloc((size_t)out->n, sizeof *table.values)};
    if (!table.values) status = no_memory(error);
    for (int64_t i = 0; i < out->n && status >= 0; i++) table.values[i] = i;
  }
  if (status >= 0 && pairs) status = check_points(&table, "pairs", pairs, out->n, error);
  if (status >= 0 && from) status = check_points(&table, "from", from, out->n, error);
  out->points = table.values;
  out->count = table.rows;
  return status;
}

/* The question: its kind, k, and whether the answer fits. */
static int read_question(const arguments *a, answer *out, lavdm_error *error) {
  const char *k = arguments_value(a, "neighbours");
  out->kind = arguments_value(a, "pairs")        ? ANSWER_PAIRS
              : arguments_value(a, "from") && !k ? ANSWER_TO_ALL
                                                 : ANSWER_NEIGHBOURS;
  out->k = out->kind == ANSWER_PAIRS ? 1 : out->n;
  if (out->kind == ANSWER_NEIGHBOURS) out->k = USUAL_K < out->n ? USUAL_K : out->n - 1;
  int status = k ? whole_parse("-k", k, &out->k, error) : LAVDM_OK;
  if (status >= 0 && out->kind == ANSWER_NEIGHBOURS && (out->k < 1 || out->k >= out->n))
    status = refuse(error, LAVDM_ERROR_ARGUMENT,
                    "-k is %" PRId64 ", but of %" PRId64 " points each has %" PRId64 " others", out->k,
                    out->n, out->n - 1);
  if (status >= 0) status = read_points(a, out, error);
  if (status < 0) return status;
  double allowed = memory_allowed(&a->options), needed = answer_bytes(out);
  if (allowed >= 0 && needed > allowed)
    return refuse(error, LAVDM_ERROR_MEMORY,
                  "the answer takes %.2f GB and %.2f GB are allowed; ask about fewer points%s", needed / 1e9,
                  allowed / 1e9, out->kind == ANSWER_TO_ALL ? ", or for neighbours with -k" : "");
  if (arguments_value(a, "json") && !out->output && needed / 8 > MOST_PRINTED)
    return refuse(error, STATUS_USAGE, "%.0f numbers are too many to print as JSON; give -o OUTPUT",
                  needed / 8);
  return LAVDM_OK;
}

/* Room for the answer. */
static int make_room(answer *out, lavdm_error *error) {
  size_t lines = (size_t)answer_lines(out), q2 = (size_t)(out->q * out->q);
  out->distance = calloc(lines, sizeof *out->distance);
  if (out->kind == ANSWER_NEIGHBOURS) out->index = calloc(lines, sizeof *out->index);
  if (out->kind != ANSWER_TO_ALL) out->alignment = calloc(lines * q2, sizeof *out->alignment);
  bool whole = out->distance && (out->index || out->kind != ANSWER_NEIGHBOURS) &&
               (out->alignment || out->kind == ANSWER_TO_ALL);
  return whole ? LAVDM_OK : no_memory(error);
}

/* By the distance that was asked for. */
static int (*pairs_function(const answer *out))(const lavdm_model *, double, int64_t, const int64_t *,
                                                const int64_t *, int64_t, double *, double *, lavdm_error *) {
  return out->diffusion ? lavdm_diffusion_pairs : lavdm_pairs;
}

static int answer_pairs(const lavdm_model *model, answer *out, lavdm_error *error) {
  int64_t *sides = calloc(2 * (size_t)out->count, sizeof *sides);
  if (!sides) return no_memory(error);
  for (int64_t e = 0; e < 2 * out->count; e++) sides[e % 2 * out->count + e / 2] = out->points[e];
  int status = pairs_function(out)(model, out->time, out->rank, sides, sides + out->count, out->count,
                                   out->distance, out->alignment, error);
  free(sides);
  return status;
}

static int answer_to_all(const lavdm_model *model, answer *out, lavdm_error *error) {
  int64_t n = out->n, *one = calloc(2 * (size_t)n, sizeof *one);
  if (!one) return no_memory(error);
  int status = LAVDM_OK;
  for (int64_t j = 0; j < n; j++) one[n + j] = j;
  for (int64_t i = 0; i < out->count && status >= 0; i++) {
    for (int64_t j = 0; j < n; j++) one[j] = out->points[i];
    status =
        pairs_function(out)(model, out->time, out->rank, one, one + n, n, out->distance + i * n, NULL, error);
  }
  free(one);
  return status;
}

static int compute(const lavdm_model *model, answer *out, lavdm_error *error) {
  int status = make_room(out, error);
  if (status < 0) return status;
  if (out->kind == ANSWER_PAIRS) return answer_pairs(model, out, error);
  if (out->kind == ANSWER_TO_ALL) return answer_to_all(model, out, error);
  return (out->diffusion ? lavdm_diffusion_neighbours
                         : lavdm_neighbours)(model, out->time, out->rank, out->points, out->count, out->k,
                                             out->index, out->distance, out->alignment, error);
}

static int run_distance(const arguments *a, lavdm_error *error) {
  answer found = {.model = a->operand[0],
                  .output = arguments_value(a, "output"),
                  .diffusion = arguments_value(a, "diffusion") != NULL};
  lavdm_model *model = NULL;
  double began = seconds_now();
  int status = check_arguments(a, error);
  if (status < 0) return status;
  if (!arguments_value(a, "quiet")) progress_show();
  /* nothing is written before all is known: an interrupt may end the program at once */
  progress_enter(PHASE_READ, "reading", found.model);
  io_stamp stamp = io_stamp_of(found.model);
  status = lavdm_load(found.model, &model, error);
  if (status >= 0) {
    lavdm_set_threads(model, a->options.threads);
    found.n = lavdm_info(model)->n;
    found.q = lavdm_info(model)->q;
    if (!lavdm_get(model, "eigenvectors"))
      status = refuse(error, LAVDM_ERROR_DATA,
                      "%.200s is compact: it holds no results of its own points; write it without --compact",
                      found.model);
    else if (found.diffusion && found.q != 1)
      status = refuse(error, LAVDM_ERROR_ARGUMENT,
                      "--diffusion compares numbers, but this model has vectors of %" PRId64
                      ": leave it out, or embed with dm or roseland",
                      found.q);
    if (status >= 0) status = choose_rank(a, model, &found, error);
  }
  if (status >= 0) status = read_question(a, &found, error);
  if (status >= 0) {
    progress_enter(PHASE_READ, "comparing the points of", found.model);
    lavdm_set_progress(model, progress_report, NULL);
    status = compute(model, &found, error);
  }
  if (status >= 0) status = io_stamp_check(found.model, &stamp, error);
  if (status >= 0 && found.output) {
    progress_enter(PHASE_WRITE, "writing", found.output);
    status = answer_write(&found, error);
  }
  progress_clear();
  if (status >= 0 && arguments_value(a, "json"))
    status = answer_json(&found, seconds_now() - began, error);
  else if (status >= 0 && !found.output)
    answer_print(&found);
  else if (status >= 0 && !arguments_value(a, "quiet"))
    printf("%s: %" PRId64 " distances at time %g, rank %" PRId64 ", in %.2f s\n", shown(found.output),
           answer_lines(&found), found.time, found.rank, seconds_now() - began);
  answer_free(&found);
  lavdm_free(model);
  return status;
}

static bool takes_option(const char *option) {
  return !strcmp(option, "time") || !strcmp(option, "delta") || !strcmp(option, "threads") ||
         !strcmp(option, "max_memory");
}

static const flag flags[] = {
    {"output", 'o', "OUTPUT",
     "all of it: .h5, .npz or .mat, by name; or a table in .npy, .csv or .tsv. Without, the first lines are "
     "printed"},
    {"format", 0, "csv|npy", "of -o -, the standard output [csv]"},
    {"pairs", 0, "FILE", "two points a row, numbered from 0: their distances and alignments"},
    {"from", 0, "POINTS", "a point, a list 0,5,17 or a file: their distances to all points, or with -k"},
    {"neighbours", 'k', "K", "the K nearest of each point of --from, or of all points [10]"},
    {"diffusion", 0, NULL, "diffusion distance, that between `coordinates`; for dm and roseland"},
    {"rank", 0, "R", "over the first R components [those that delta keeps]"},
    {"json", 0, NULL, "print one JSON object on the standard output, and nothing else"},
    CONFIG_FLAG,
    {"quiet", 'q', NULL, "say nothing where OUTPUT holds it all"},
    {0},
};

const command distance_command = {
    .name = "distance",
    .usage = "MODEL [--pairs FILE | --from POINTS] [-k K] [-o OUTPUT] [options]",
    .summary = "distances, nearest neighbours and alignments of points of a model",
    .about =
        "Reads a model that `embed` wrote (.h5) and computes vector diffusion distances of its points (with "
        "--diffusion, for dm and roseland, diffusion distances), exactly and without a matrix of all pairs: "
        "of "
        "the pairs in a file, from some points to all, or to the K nearest neighbours of some or of all. "
        "Each pair i, j comes with the orthogonal matrix that takes a vector at j to one at i, the one "
        "nearest to the sum over l of lambda_l^(2T) u_l[i] u_l[j]'.\n\n"
        "OUTPUT holds `pairs` (count, 2), `distance` (count), `alignment` (count, q, q); or `points`, "
        "`distance` (count, n); or `points`, `index` (count, K), `distance` (count, K), `alignment` "
        "(count, K, q, q). As a table it has a row for each pair: the two points, the distance, the "
        "alignment row by row; of distances to all it has a row for each point. A point without "
        "eigenvectors has index -1 and distance NaN.\n\n"
        "Takes `--time`, `--delta`, `--threads` and `--max-memory` as well; time and delta are those of the "
        "model unless they are given.",
    .example = "@ sample klein -n 2000 -o klein.npy && @ embed klein.npy -o klein.h5\n"
               "@ distance klein.h5 --from 0,5 -k 4\n"
               "@ distance klein.h5 -k 10 -o neighbours.npz",
    .flags = flags,
    .takes = takes_option,
    .least = 1,
    .most = 1,
    .run = run_distance,
};
