/* lavdm sync: an element of a group for every node, from the edges of a graph. */
#include "base/command.h"
#include "input/graph_file.h"
#include "io/pose_formats.h"
#include "base/progress.h"
#include "output/page.h"
#include "output/result.h"
#include "output/sync_result.h"
#include "output/whole.h"
#include "lavdm/sync.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { USUAL_ROUNDS = 10, MOST_ROUNDS = 1000 };

/* --group, taken apart. */
typedef struct {
  lavdm_group group;
  int64_t size; /* q, or the order of a cyclic group; 0: left to the file */
} wanted;

static int bad_group(const char *text, lavdm_error *error) {
  return refuse(error, STATUS_USAGE,
                "--group is '%.60s': it must be z2, c4 (or another ck), u1, so2, so3 or another soq, o2 or "
                "another oq, se2 or se3",
                text);
}

static int read_group(const char *text, wanted *out, lavdm_error *error) {
  static const struct {
    const char *prefix;
    lavdm_group group;
  } families[] = {
      {"so", LAVDM_GROUP_SO}, {"se", LAVDM_GROUP_SO}, {"o", LAVDM_GROUP_O}, {"c", LAVDM_GROUP_CYCLIC}};
  *out = (wanted){LAVDM_GROUP_AUTO, 0};
  if (!text || !strcasecmp(text, "auto")) return LAVDM_OK;
  if (!strcasecmp(text, "z2")) {
    *out = (wanted){LAVDM_GROUP_Z2, 1};
    return LAVDM_OK;
  }
  if (!strcasecmp(text, "u1")) text = "so2";
  for (int i = 0; i < 4; i++) {
    size_t length = strlen(families[i].prefix);
    char *end;
    if (strncasecmp(text, families[i].prefix, length)) continue;
    long long size = strtoll(text + length, &end, 10);
    if (end == text + length || *end || size < 1 || size > 100000) return bad_group(text, error);
    if (!strncasecmp(text, "se", 2) && size != 2 && size != 3) return bad_group(text, error);
    *out = (wanted){families[i].group, size};
    return LAVDM_OK;
  }
  return bad_group(text, error);
}

/* What the columns hold, where the group says it and the user does not. */
static const char *implied_element(const wanted *w, const char *asked) {
  bool left = !asked || !strcasecmp(asked, "auto");
  if (!left || !w->group) return asked;
  if (w->group == LAVDM_GROUP_Z2) return "sign";
  if (w->group == LAVDM_GROUP_CYCLIC) return "angle";
  return asked;
}

/* One number is an angle for the plane, even if every one is +1 or -1. */
static int read_edges(const char *spec, const wanted *w, const char *asked, int64_t threads, edge_file *file,
                      lavdm_error *error) {
  edge_terms terms = {.element = implied_element(w, asked), .threads = threads};
  int status = edge_file_read(spec, &terms, file, error);
  bool planar = w->group == LAVDM_GROUP_SO && w->size == 2;
  bool signs = status >= 0 && file->edges.kind == LAVDM_ELEMENT_SIGN;
  if (status >= 0 && planar && signs && !asked) file->edges.kind = LAVDM_ELEMENT_ANGLE;
  return status;
}

static int64_t fibre(const lavdm_edges *edges) {
  const int64_t q[] = {1, 1, 2, edges->q, 3};
  return q[edges->kind];
}

/* Whole numbers are steps of a cyclic group, others radians; some of each are neither. */
static int steps_to_angles(const char *spec, const wanted *w, const char *asked, edge_file *file,
                           lavdm_error *error) {
  int64_t count = file->edges.count, steps = 0, part = -1;
  if (w->group != LAVDM_GROUP_CYCLIC || file->poses || (asked && !strcasecmp(asked, "angle")))
    return LAVDM_OK;
  for (int64_t e = 0; e < count; e++) {
    bool whole = file->element[e] == floor(file->element[e]);
    steps += whole && file->element[e] != 0;
    if (!whole && part < 0) part = e;
  }
  if (part >= 0 && steps)
    return refuse(error, LAVDM_ERROR_DATA,
                  "%.200s: row %" PRId64 ": %.17g is no whole number of turns by 2 pi/%" PRId64
                  ", and %" PRId64 " other rows have one; if all are radians, say --element angle",
                  spec, part + 1, file->element[part], w->size, steps);
  for (int64_t e = 0; e < count && part < 0; e++)
    file->element[e] = 2 * M_PI * fmod(file->element[e], (double)w->size) / (double)w->size;
  return LAVDM_OK;
}

static int check_group(const char *spec, const char *group, const wanted *w, const edge_file *file,
                       lavdm_error *error) {
  int64_t q = fibre(&file->edges);
  bool sized = w->group == LAVDM_GROUP_SO || w->group == LAVDM_GROUP_O;
  if (sized && q != w->size)
    return refuse(error, LAVDM_ERROR_DATA,
                  "%.200s: the elements are of size %" PRId64 ", and --group %.20s needs %" PRId64, spec, q,
                  group, w->size);
  if (group && !strncasecmp(group, "se", 2) && !file->shift)
    return refuse(error, LAVDM_ERROR_DATA,
                  "%.200s has no shifts: --group %.20s is of pose graphs, such as a file .g2o; so%" PRId64
                  " is that of its rotations alone",
                  spec, group, w->size);
  if (file->edges.kind == LAVDM_ELEMENT_NONE)
    return refuse(error, LAVDM_ERROR_DATA,
                  "%.200s has no elements: an edge is a row `i k weight element...`; without any there is "
                  "nothing to synchronise",
                  spec);
  return LAVDM_OK;
}

/* The place of a word in a list, which ends with NULL; of "" `bare`; the word is one of them. */
static int choice(const char *word, const char *const *words, int bare) {
  if (!*word) return bare;
  for (int i = 0; words[i]; i++)
    if (!strcasecmp(words[i], word)) return i;
  return bare;
}

/* Rounds belong to the re-weighting: alone they ask for it. */
static int read_robust(const arguments *a, lavdm_sync_options *options, lavdm_error *error) {
  static const char *const words[] = {"no", "auto", "weights", "cycles", "gradual", NULL};
  const char *robust = arguments_value(a, "robust"), *rounds = arguments_value(a, "rounds");
  if (robust) options->robust = (lavdm_robust)choice(robust, words, LAVDM_ROBUST_AUTO);
  if (rounds && !robust) options->robust = LAVDM_ROBUST_WEIGHTS;
  bool counts = options->robust == LAVDM_ROBUST_AUTO || options->robust == LAVDM_ROBUST_WEIGHTS;
  if (counts) options->rounds = USUAL_ROUNDS;
  if (!rounds) return LAVDM_OK;
  if (!counts)
    return refuse(error, STATUS_USAGE,
                  "--rounds counts rounds of re-weighting: it goes with --robust weights or auto, not with "
                  "--robust %s",
                  words[options->robust]);
  int status = whole_parse("--rounds", rounds, &options->rounds, error);
  if (status >= 0 && options->rounds > MOST_ROUNDS)
    return refuse(error, STATUS_USAGE, "--rounds is %s: at most %d", rounds, MOST_ROUNDS);
  if (status >= 0 && !options->rounds) options->robust = LAVDM_ROBUST_NO;
  return status;
}

static int read_options(const arguments *a, lavdm_sync_options *options, lavdm_error *error) {
  static const char *const proofs[] = {"auto", "no", "yes", NULL};
  const char *certify = arguments_value(a, "certify"), *weights = arguments_value(a, "weights");
  lavdm_sync_default(options);
  options->seed = a->options.seed;
  options->threads = a->options.threads;
  options->progress = progress_report;
  options->refine = !arguments_value(a, "spectral");
  options->covariance = arguments_value(a, "covariance") != NULL;
  if (certify) options->certify = (lavdm_certify)choice(certify, proofs, LAVDM_CERTIFY_YES);
  if (options->certify == LAVDM_CERTIFY_YES && !options->refine)
    return refuse(
        error, STATUS_USAGE,
        "--spectral leaves the rounded eigenvectors, which are no optimum: --certify has nothing to "
        "prove");
  options->full = weights && !strcasecmp(weights, "full");
  if (weights && !options->full && strcasecmp(weights, "isotropic"))
    return refuse(error, STATUS_USAGE, "--weights is '%.40s': it must be isotropic or full", weights);
  return read_robust(a, options, error);
}

/* What is asked for beside the elements, of files that have what it needs. */
static int check_poses(const char *spec, const char *group, bool shifts, const lavdm_sync_options *options,
                       lavdm_error *error) {
  if (shifts && !options->shift && (options->full || options->covariance)) /* a cyclic group */
    return refuse(error, STATUS_USAGE,
                  "--group %.20s finds rotations alone: --weights full and --covariance are of poses", group);
  if (options->full && !options->information)
    return refuse(
        error, LAVDM_ERROR_DATA,
        "%.200s has no information matrices: --weights full needs a pose graph with them, such as a "
        "file .g2o",
        spec);
  if (options->covariance && !options->shift)
    return refuse(error, LAVDM_ERROR_DATA,
                  "%.200s is no pose graph: --covariance is that of poses, such as a file .g2o holds", spec);
  return LAVDM_OK;
}

/* Reads the graph and completes the options that follow from it. */
static int read_input(const arguments *a, edge_file *file, lavdm_sync_options *options, lavdm_error *error) {
  const char *spec = a->operand[0], *group = arguments_value(a, "group"),
             *element = arguments_value(a, "element");
  wanted w;
  int status = read_group(group, &w, error);
  if (status < 0) return status;
  progress_enter(PHASE_READ, "reading", spec);
  status = read_edges(spec, &w, element, options->threads, file, error);
  if (status >= 0) status = check_group(spec, group, &w, file, error);
  if (status >= 0) status = steps_to_angles(spec, &w, element, file, error);
  if (status < 0) return status;
  options->group = w.group;
  options->order = w.group == LAVDM_GROUP_CYCLIC ? w.size : 0;
  options->nodes = file->vertex, options->node_count = file->vertices;
  if (file->poses && w.group != LAVDM_GROUP_CYCLIC)
    options->shift = file->shift, options->shift_weight = file->shift_weight;
  if (file->surveyed && !options->shift)
    return refuse(
        error, STATUS_USAGE,
        "--group %.20s finds rotations alone, and the fixed nodes, priors or sightings of %.200s are of "
        "poses: leave out the option, or those lines",
        group, spec);
  if (options->shift) {
    options->information = file->information;
    options->survey = file->surveyed ? &file->survey : NULL;
  }
  return check_poses(spec, group, file->shift != NULL, options, error);
}

static int deliver_sync(const arguments *a, sync_facts *facts, double began, lavdm_error *error) {
  int status = LAVDM_OK;
  double now = seconds_now();
  if (facts->output) {
    progress_enter(PHASE_WRITE, "writing", facts->output);
    status = sync_write(facts, error);
    progress_clear();
  }
  facts->write_seconds = seconds_now() - now;
  if (status >= 0) status = sync_page(a, facts, error);
  facts->total_seconds = seconds_now() - began;
  if (status < 0) return status;
  if (arguments_value(a, "json")) return sync_json(facts, error);
  if (!arguments_value(a, "quiet")) {
    sync_print(facts);
    page_tell(a);
    fflush(stdout);
  }
  sync_warn(facts);
  return LAVDM_OK;
}

/* Where what is asked for goes, before the work. */
static int check_output(const arguments *a, sync_facts *facts, lavdm_error *error) {
  const char *format = arguments_value(a, "pose-format");
  if (format && !facts->output)
    return refuse(error, STATUS_USAGE, "--pose-format says what a result .txt is: name one with -o");
  if (!facts->output) return LAVDM_OK;
  facts->poses = (int)pose_format_written(facts->output, format, pose_format_of(facts->input));
  return sync_check_output(facts, format, error);
}

/* Only results of several arrays hold covariances, and the page draws them. */
static int check_covariance(const arguments *a, const sync_facts *facts, lavdm_error *error) {
  bool room = facts->output && !facts->poses && !result_alone(facts->output);
  if (!arguments_value(a, "covariance") || room || arguments_value(a, "report")) return LAVDM_OK;
  return refuse(error, STATUS_USAGE,
                "--covariance has nowhere to go: name a result .npz, .h5 or .mat with -o, or a --report");
}

static int run_sync(const arguments *a, lavdm_error *error) {
  edge_file file = {0};
  lavdm_sync_options options;
  lavdm_sync_t *sync = NULL;
  sync_facts facts = {
      .input = a->operand[0], .output = arguments_value(a, "output"), .command = a->line, .file = &file};
  double began = seconds_now();
  int status = read_options(a, &options, error);
  if (status >= 0) status = check_output(a, &facts, error);
  if (status >= 0) status = check_covariance(a, &facts, error);
  if (status >= 0) status = page_check(a, error);
  if (status < 0) return status;
  if (!arguments_value(a, "quiet")) progress_show();
  status = read_input(a, &file, &options, error);
  facts.read_seconds = seconds_now() - began;
  facts.rounds = options.rounds;
  if (status >= 0) {
    progress_enter(PHASE_RUN, "starting", NULL);
    status = lavdm_sync(&file.edges, &options, &sync, error);
    if (status < 0 && status != LAVDM_ERROR_INTERRUPTED) prefix_error(error, facts.input);
  }
  if (status >= 0 && progress_interrupted()) status = LAVDM_ERROR_INTERRUPTED;
  progress_clear();
  facts.sync = sync;
  if (status >= 0) status = deliver_sync(a, &facts, began, error);
  lavdm_sync_free(sync);
  edge_file_free(&file);
  return status;
}

static bool takes_option(const char *option) {
  return !strcmp(option, "seed") || !strcmp(option, "threads");
}

static const flag flags[] = {
    {"output", 'o', "OUTPUT",
     "the result: .h5, .npz or .mat; .csv, .tsv or .npy for a table of the nodes; .g2o, .graph or .txt for "
     "poses"},
    {"pose-format", 0, "FORMAT",
     "what a result .txt is: kitti|tum|colmap|1dsfm [that of the graph; kitti for poses]"},
    {"group", 0, "GROUP", "z2, c4 (any ck), u1 or so2, so3 (any soq), o2 (any oq), se2, se3 [from the file]"},
    {"element", 0, "KIND",
     "what an edge carries: auto|sign|angle|matrix|quaternion [auto: from the columns]"},
    {"robust", 0, "[no|auto|weights|cycles|gradual]",
     "against wrong edges: what predicts edges best that were held back (auto, or no value); re-weighting in "
     "rounds; cycles that close first; or truncated least squares"},
    {"rounds", 0, "N", "so many rounds of re-weighting [10]"},
    {"certify", 0, "[yes|no|auto]",
     "prove that no other choice fits better, whatever it takes (yes, or no value) [auto: where it takes "
     "little time]"},
    {"weights", 0, "isotropic|full",
     "how poses are weighed: by two numbers for each edge, or by its information matrix [isotropic]"},
    {"covariance", 0, NULL, "the covariance of every pose, and of points"},
    {"spectral", 0, NULL, "leave the rounded eigenvectors as they are, without refinement"},
    {"json", 0, NULL, "print one JSON object on the standard output, and nothing else"},
    CONFIG_FLAG,
    REPORT_FLAG,
    {"quiet", 'q', NULL, "no summary and no progress; warnings stay"},
    {0},
};

const command sync_command = {
    .name = "sync",
    .usage = "GRAPH [-o OUTPUT] [options]",
    .summary = "group synchronisation: an element for each node from the edges between them",
    .about =
        "Finds an element R of a group for every node of a graph from edges that each say what R_i R_k' is, "
        "with noise, and some of them wrong: the leading eigenvectors of the connection matrix, each block "
        "taken to the nearest element, then refined to the best fit, the choice of greatest likelihood. "
        "Every "
        "connected component is solved by itself; its node of the smallest number gets the identity.\n\n"
        "Where it can be proved that no other choice fits better, `optimum` says so, with the cost and a "
        "bound that no choice can be below; else it says that it is not certified, and why. --certify takes "
        "the time that the proof needs.\n\n"
        "GRAPH is a table of rows `i k weight element...`, as for `embed --graph`: signs (Z2), angles "
        "(SO(2)), quaternions w x y z (SO(3)) or matrices (SO(q), or O(q) if one is a reflection); with "
        "--group c4 whole numbers s that stand for turns by 2 pi s/4. Or it is a pose graph, 2-D or 3-D, "
        "of g2o (.g2o) or TORO (.graph), or a file .txt of poses or relative rotations of KITTI, TUM, "
        "COLMAP, "
        "1DSfM or BAL, "
        "where `elements` are the rotations of the poses, world from body. Its information matrices are "
        "taken "
        "as isotropic, by the rule of SE-Sync, and rotations and positions are of greatest likelihood "
        "together; --weights full goes on from there with the matrices as they are. --covariance adds the "
        "covariance of each pose, against the first of its component or what the file fixes.\n\n"
        "OUTPUT holds nodes, elements, component, residuals (one for each edge, in the order of the file; "
        "unit in residual_unit), trust (how far each edge is believed, 0 to 1), eigenvalues and gaps (of "
        "each "
        "component), cost, bound and verdict; covariances (position, then rotation, in the world), points "
        "and "
        "point_positions where there are any. A table has rows of node, component, element and, for poses, "
        "position.",
    .example = "@ sample graph --group so3 -n 1000 --degree 10 --noise 0.1 --outliers 0.2 -o edges.csv\n"
               "@ sync edges.csv --robust -o rotations.npz\n"
               "@ sample graph --group se2 --layout grid -n 400 --noise 0.02 -o poses.g2o && "
               "@ sync poses.g2o --certify -o solved.g2o",
    .flags = flags,
    .takes = takes_option,
    .least = 1,
    .most = 1,
    .run = run_sync,
};
