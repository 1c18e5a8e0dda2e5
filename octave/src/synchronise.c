/* s = sync(E, ...): elements of a group from those of edges. */
#include "bridge.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { USUAL_ROUNDS = 10, MOST_ROUNDS = 1000, MOST_SIZE = 100000 };

typedef struct {
  lavdm_sync_options options;
  lavdm_options common; /* seed and threads, by the library's table */
  watch_t watch;
  char group[32];
  int64_t size;        /* q of the group; 0: left to the elements */
  bool robust, rounds; /* were given */
} job_t;

static const char *const robust_words[] = {"no", "auto", "weights", "cycles", "gradual", NULL};

static void bad_group(const char *text) {
  trouble(LAVDM_ERROR_ARGUMENT,
          "the group is '%.60s': it must be auto, z2, c4 or another ck, u1, so, so3 or another soq, o or "
          "oq",
          text);
}

/* "so3": the family, and q or the order, 0 if it is left out. */
static void read_group(job_t *j, const char *text) {
  static const struct {
    const char *prefix;
    lavdm_group group;
  } families[] = {{"so", LAVDM_GROUP_SO}, {"o", LAVDM_GROUP_O}, {"c", LAVDM_GROUP_CYCLIC}};
  j->options.group = LAVDM_GROUP_AUTO;
  j->size = 0;
  snprintf(j->group, sizeof j->group, "%s", text);
  if (!strcmp(text, "auto")) return;
  if (!strcmp(text, "z2")) {
    j->options.group = LAVDM_GROUP_Z2;
    j->size = 1;
    return;
  }
  if (!strcmp(text, "u1")) text = "so2";
  for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
    size_t length = strlen(families[i].prefix);
    if (strncmp(text, families[i].prefix, length)) continue;
    char *end;
    bool sized = text[length] >= '0' && text[length] <= '9';
    long long size = strtoll(text + length, &end, 10);
    bool bare = !text[length] && families[i].group != LAVDM_GROUP_CYCLIC;
    if (!bare && (!sized || *end || size < 1 || size > MOST_SIZE)) bad_group(text);
    j->options.group = families[i].group;
    j->size = bare ? 0 : size;
    return;
  }
  bad_group(text);
}

/* One of the words (NULL at the end), or true and false for those of the places `yes` and `no`. */
static int take_word(const mxArray *value, const char *name, const char *const *words, int yes, int no) {
  if (!mxIsChar(value)) return take_flag(value, name) ? yes : no;
  const char *text = take_text(value, name);
  for (int i = 0; words[i]; i++)
    if (!strcmp(words[i], text)) return i;
  char all[100] = "true, false";
  for (int i = 0; words[i]; i++) snprintf(all + strlen(all), sizeof all - strlen(all), ", %s", words[i]);
  trouble(LAVDM_ERROR_ARGUMENT, "%s is '%.60s': it must be %s", name, text, all);
  return no;
}

static bool set(void *user, const char *name, const mxArray *value) {
  static const char *const proofs[] = {"auto", "no", "yes", NULL};
  job_t *j = user;
  if (!strcmp(name, "group")) {
    read_group(j, take_text(value, name));
  } else if (!strcmp(name, "robust")) {
    j->options.robust =
        (lavdm_robust)take_word(value, name, robust_words, LAVDM_ROBUST_AUTO, LAVDM_ROBUST_NO);
    j->robust = true;
  } else if (!strcmp(name, "rounds")) {
    j->options.rounds = take_whole(value, name, 0, MOST_ROUNDS);
    j->rounds = true;
  } else if (!strcmp(name, "certify")) {
    j->options.certify = (lavdm_certify)take_word(value, name, proofs, LAVDM_CERTIFY_YES, LAVDM_CERTIFY_NO);
  } else if (!strcmp(name, "covariance")) {
    j->options.covariance = take_flag(value, name);
  } else if (!strcmp(name, "refine")) {
    j->options.refine = take_flag(value, name);
  } else if (!strcmp(name, "nodes")) {
    j->options.nodes = take_indices(value, name, 0);
    j->options.node_count = take_count(value);
  } else if (!strcmp(name, "progress")) {
    j->watch.show = take_flag(value, name);
  } else if (!strcmp(name, "seed") || !strcmp(name, "threads")) {
    return settings_option(&j->common, name, value);
  } else if (lavdm_option_find(name)) {
    trouble(LAVDM_ERROR_ARGUMENT, "%s is an option of lavdm_embed, not of lavdm_sync", name);
  } else {
    return false;
  }
  return true;
}

/* Rounds belong to the re-weighting: alone they ask for it. */
static void settle_robust(job_t *j) {
  lavdm_sync_options *o = &j->options;
  if (j->rounds && !j->robust) o->robust = o->rounds ? LAVDM_ROBUST_WEIGHTS : LAVDM_ROBUST_NO;
  bool counts = o->robust == LAVDM_ROBUST_AUTO || o->robust == LAVDM_ROBUST_WEIGHTS;
  if (counts && !j->rounds) o->rounds = USUAL_ROUNDS;
  if (j->rounds && o->rounds && !counts)
    trouble(LAVDM_ERROR_ARGUMENT, "rounds are of re-weighting: they go with robust 'weights' or 'auto'");
}

/* What one number on an edge is, where the group says so. */
static const char *implied(const job_t *j) {
  if (j->options.group == LAVDM_GROUP_Z2) return "sign";
  bool plane = j->options.group == LAVDM_GROUP_SO && j->size == 2;
  return plane || j->options.group == LAVDM_GROUP_CYCLIC ? "angle" : NULL;
}

static void check_group(const job_t *j, const lavdm_edges *edges) {
  const int64_t q[] = {1, 1, 2, edges->q, 3};
  bool sized = j->size && (j->options.group == LAVDM_GROUP_SO || j->options.group == LAVDM_GROUP_O);
  if (edges->kind == LAVDM_ELEMENT_NONE)
    trouble(LAVDM_ERROR_DATA, "the edges have no elements: without any there is nothing to synchronise");
  if (sized && q[edges->kind] != j->size)
    trouble(LAVDM_ERROR_DATA, "the elements are of size %" PRId64 ", and the group %s needs %" PRId64,
            q[edges->kind], j->group, j->size);
}

static void give_group(mxArray *s, const lavdm_sync_t *sync) {
  char name[32] = "Z2";
  if (sync->group == LAVDM_GROUP_CYCLIC) snprintf(name, sizeof name, "C%" PRId64, sync->order);
  if (sync->group == LAVDM_GROUP_SO || sync->group == LAVDM_GROUP_O)
    snprintf(name, sizeof name, "%s(%" PRId64 ")", sync->group == LAVDM_GROUP_O ? "O" : "SO", sync->q);
  give_text(s, "group", name);
}

/* What the connected components have: eigenvalues (values x components), gap, nodes of each. */
static void give_parts(mxArray *s, const lavdm_sync_t *sync) {
  int64_t parts = sync->components, values = sync->values;
  double *eigenvalue = SCRATCH(double, parts *values), *gap = SCRATCH(double, parts);
  for (int64_t c = 0; c < parts; c++) {
    for (int64_t l = 0; l < values; l++) eigenvalue[l * parts + c] = sync->part[c]->eigenvalues[l];
    gap[c] = sync->part[c]->gap;
  }
  give(s, "eigenvalues", give_reals(eigenvalue, values, parts, 1));
  give(s, "gap", give_reals(gap, parts, 1, 1));
}

/* What is proved, and how it was found. */
static void give_outcome(mxArray *s, const lavdm_sync_t *sync) {
  int64_t parts = sync->components, d = sync->q + sync->q * (sync->q - 1) / 2;
  const char **said = SCRATCH(const char *, parts);
  for (int64_t c = 0; c < parts; c++) said[c] = sync->part[c]->verdict ? sync->part[c]->verdict : "";
  give_number(s, "cost", sync->cost);
  give_number(s, "bound", sync->bound);
  give_number(s, "certified", sync->certified);
  give_number(s, "converged", sync->converged);
  give_lines(s, "verdict", said, (int)parts);
  give_text(s, "robust", robust_words[sync->robust]);
  give_text(s, "robust_reason", sync->robust_reason ? sync->robust_reason : "");
  if (sync->covariance) give(s, "covariance", give_matrices(sync->covariance, sync->n, d));
}

void synchronise(int nlhs, mxArray *plhs[], int nrhs, const mxArray *prhs[]) {
  (void)nlhs;
  if (nrhs < 1) trouble(LAVDM_ERROR_ARGUMENT, "there are no edges: lavdm_sync(E, 'name', value, ...)");
  job_t j = {.group = "auto"};
  graph_t graph;
  lavdm_error error;
  lavdm_sync_default(&j.options);
  lavdm_options_default(&j.common);
  settings_each(nrhs - 1, prhs + 1,
                "group|robust|rounds|certify|covariance|refine|nodes|progress|seed|threads", set, &j);
  settle_robust(&j);
  take_graph(prhs[0], implied(&j), j.options.group == LAVDM_GROUP_CYCLIC ? j.size : 0, true, &graph);
  check_group(&j, &graph.edges);
  j.options.order = j.options.group == LAVDM_GROUP_CYCLIC ? j.size : 0;
  j.options.shift = graph.shift;
  j.options.shift_weight = graph.shift_weight;
  j.options.seed = j.common.seed;
  j.options.threads = j.common.threads;
  j.options.progress = watch;
  j.options.progress_user = &j.watch;
  check(lavdm_sync(&graph.edges, &j.options, &held.sync, &error), &error);

  const lavdm_sync_t *sync = held.sync;
  mxArray *s = give_struct();
  give_group(s, sync);
  give(s, "node", give_indices(sync->node, sync->n));
  give(s, "element", give_matrices(sync->element, sync->n, sync->q));
  give(s, "component", give_indices(sync->component, sync->n));
  give(s, "position", give_reals(sync->position, sync->n, sync->q, 1));
  give(s, "residual", give_reals(sync->residual, sync->edges, 1, 1));
  give(s, "trust", give_reals(sync->trust, sync->edges, 1, 1));
  give_parts(s, sync);
  give_outcome(s, sync);
  give_number(s, "median", sync->median);
  give_number(s, "most", sync->most);
  give_lines(s, "warnings", sync->warning, sync->warnings);
  give_number(s, "seconds", sync->seconds);
  plhs[0] = s;
}
