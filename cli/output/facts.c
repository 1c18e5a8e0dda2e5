/*
 * The facts of a run as one JSON object. The same object gives the scalars and
 * texts of the result file, so the two never disagree.
 */
#define _XOPEN_SOURCE 700
#include "output/summary.h"
#include "output/trust.h"
#include "io/io.h"

#include <math.h>
#include <string.h>
#include <sys/resource.h>

enum { MOST_ISOLATED = 1000, TEXT_SIZE = 64 };

bool facts_auto(const run_facts *facts, const char *option) {
  char text[TEXT_SIZE];
  return lavdm_option_text(facts->asked, option, text, sizeof text) == LAVDM_OK && !strcmp(text, "auto");
}

bool facts_landmarks(const run_facts *facts) {
  lavdm_method method = lavdm_info(facts->model)->chosen->method;
  return method != LAVDM_METHOD_DM && method != LAVDM_METHOD_VDM;
}

bool facts_dim(const run_facts *facts) {
  const lavdm_options *chosen = lavdm_info(facts->model)->chosen;
  bool frames = chosen->bundle == LAVDM_BUNDLE_TANGENT || chosen->bundle == LAVDM_BUNDLE_ORIENTATION;
  return chosen->dim > 0 && (frames || facts_auto(facts, "dim"));
}

bool facts_turned(const run_facts *facts, turned_facts *out) {
  const lavdm_array *shape = lavdm_get(facts->model, "image_shape"),
                    *bands = lavdm_get(facts->model, "band_components");
  if (!shape || !bands) return false;
  const int64_t *size = shape->data, *components = bands->data;
  double middle[2] = {(double)(size[0] - 1) / 2, (double)(size[1] - 1) / 2};
  *out = (turned_facts){.height = size[0], .width = size[1], .bands = bands->shape[0]};
  out->radius = (double)(size[0] < size[1] ? size[0] : size[1]) / 2;
  for (int64_t k = 0; k < out->bands; k++) out->compared += components[k];
  for (int64_t i = 0; i < size[0]; i++)
    for (int64_t j = 0; j < size[1]; j++)
      out->pixels += size[0] == 1 || hypot((double)i - middle[0], (double)j - middle[1]) <= out->radius;
  return true;
}

bool facts_cutoff(const run_facts *facts) {
  const lavdm_options *chosen = lavdm_info(facts->model)->chosen;
  return chosen->bundle != LAVDM_BUNDLE_GIVEN && chosen->cutoff > 0 &&
         chosen->cutoff < lavdm_option_find("cutoff")->most;
}

int64_t facts_peak_memory(void) {
  struct rusage usage;
  return getrusage(RUSAGE_SELF, &usage) ? 0 : (int64_t)usage.ru_maxrss * 1024;
}

static void put_choice(json_builder *b, const char *name, const lavdm_options *chosen, const char *option) {
  char text[TEXT_SIZE];
  lavdm_option_text(chosen, option, text, sizeof text);
  json_put_text(b, name, text);
}

/* A value that may not apply: null. */
static void put_if(json_builder *b, bool applies, const char *name, int64_t value) {
  json_put(b, name, applies ? json_integer(value) : json_null());
}

static void put_choices(json_builder *b, const run_facts *facts) {
  const lavdm_info_t *info = lavdm_info(facts->model);
  const lavdm_options *chosen = info->chosen;
  bool landmarks = facts_landmarks(facts), given = chosen->bundle == LAVDM_BUNDLE_GIVEN;
  put_choice(b, "method", chosen, "method");
  put_choice(b, "bundle", chosen, "bundle");
  if (given)
    json_put(b, "metric", json_null());
  else
    put_choice(b, "metric", chosen, "metric");
  json_put(b, "epsilon", given ? json_null() : json_number(chosen->epsilon));
  json_put_real(b, "alpha", chosen->alpha);
  json_put(b, "beta", landmarks ? json_number(chosen->beta) : json_null());
  put_if(b, chosen->pca > 0 && !given, "pca", chosen->pca);
  put_if(b, facts_dim(facts), "dim", chosen->dim);
  json_put_whole(b, "components", chosen->components);
  put_if(b, landmarks, "landmarks", info->m);
  if (landmarks && !given)
    put_choice(b, "design", chosen, "design");
  else
    json_put(b, "design", json_null());
  if (given)
    json_put(b, "kernel", json_null());
  else
    put_choice(b, "kernel", chosen, "kernel");
  json_put(b, "cutoff", facts_cutoff(facts) ? json_number(chosen->cutoff) : json_null());
  put_if(b, !given && chosen->knn > 0, "knn", chosen->knn);
  json_put(b, "radius", info->radius > 0 ? json_number(info->radius) : json_null());
  turned_facts turned;
  bool turns = facts_turned(facts, &turned);
  if ((landmarks && !turns) || given)
    json_put(b, "edges_rule", json_null());
  else
    put_choice(b, "edges_rule", chosen, "edges");
  if (turns) {
    json_put_whole(b, "height", turned.height);
    json_put_whole(b, "width", turned.width);
    json_put_whole(b, "pixels", turned.pixels);
    json_put_whole(b, "bands", turned.bands);
    json_put_whole(b, "compared", turned.compared);
    json_put_real(b, "noise", chosen->noise);
    put_choice(b, "reflections", chosen, "reflections");
  }
  json_put_real(b, "time", chosen->time);
  json_put_real(b, "delta", chosen->delta);
  json_put_real(b, "tolerance", chosen->tolerance);
  json_put_whole(b, "seed", (int64_t)chosen->seed);
  json_put_whole(b, "threads", chosen->threads);
  put_choice(b, "precision", chosen, "precision");
  json_put(b, "streamed", json_boolean(info->streamed));
  json_put_whole(b, "memory_needed", info->memory_needed);
}

/* The names of the options that were left to the library. */
static void put_automatic(json_builder *b, const run_facts *facts) {
  json_t *list = json_array();
  for (int i = 0; list && i < lavdm_option_count(); i++) {
    const char *name = lavdm_option_at(i)->name;
    if (facts_auto(facts, name) && json_array_append_new(list, json_text(name))) b->failed = true;
  }
  json_put(b, "auto", list);
}

static bool of_machine(const char *name) {
  return !strcmp(name, "threads") || !strcmp(name, "max_memory") || !strcmp(name, "stream");
}

/* Every option as it was used, but those of the machine as they were asked for; and the names of
 * those that are not what they are by default. */
static void put_options(json_builder *b, const run_facts *facts) {
  const lavdm_options *chosen = lavdm_info(facts->model)->chosen;
  lavdm_options initial;
  json_t *used = json_object(), *given = json_array();
  lavdm_options_default(&initial);
  for (int i = 0; used && given && i < lavdm_option_count(); i++) {
    const char *name = lavdm_option_at(i)->name;
    char text[TEXT_SIZE], asked[TEXT_SIZE], usual[TEXT_SIZE];
    if (lavdm_option_text(of_machine(name) ? facts->asked : chosen, name, text, sizeof text) < 0 ||
        lavdm_option_text(facts->asked, name, asked, sizeof asked) < 0 ||
        lavdm_option_text(&initial, name, usual, sizeof usual) < 0)
      continue;
    if (json_object_set_new(used, name, json_text(text))) b->failed = true;
    if (strcmp(asked, usual) && json_array_append_new(given, json_text(name))) b->failed = true;
  }
  json_put(b, "options", used);
  json_put(b, "given", given);
}

/* Which eigenvectors are coordinates, from 0: the first `lead` of them come before a gap. */
static void put_coordinates(json_builder *b, const lavdm_model *model) {
  const lavdm_array *list = lavdm_get(model, "coordinate_index"), *lead = lavdm_get(model, "coordinate_lead"),
                    *residuals = lavdm_get(model, "coordinate_residuals");
  if (!list || !lead || !residuals) return;
  json_t *numbers = json_array();
  for (int64_t k = 0; numbers && k < list->shape[0]; k++)
    if (json_array_append_new(numbers, json_integer(((const int64_t *)list->data)[k]))) b->failed = true;
  json_put(b, "coordinate_index", numbers);
  json_put_whole(b, "coordinate_lead", *(const int64_t *)lead->data);
  json_put_reals(b, "coordinate_residuals", residuals->data, residuals->shape[0]);
}

static void put_findings(json_builder *b, const run_facts *facts) {
  const lavdm_info_t *info = lavdm_info(facts->model);
  json_put_reals(b, "eigenvalues", info->eigenvalues, info->chosen->components);
  json_put_reals(b, "residuals", info->residuals, info->chosen->components);
  put_coordinates(b, facts->model);
  json_put_whole(b, "edges", info->edges);
  json_put_whole(b, "isolated", info->isolated);
  json_t *list = json_array();
  for (int64_t i = 0; list && info->isolated_index && i < info->isolated && i < MOST_ISOLATED; i++)
    if (json_array_append_new(list, json_integer(info->isolated_index[i]))) b->failed = true;
  json_put(b, "isolated_points", list);
  json_put_whole(b, "components_of_graph",
                 facts->verdict ? facts->verdict->graph_components : info->graph_components);
  json_put_whole(b, "far_points", info->far_points);
  json_put_whole(b, "degenerate_frames", info->degenerate_frames);
  json_put_whole(b, "ill_aligned", info->ill_aligned);
  list = json_array();
  for (int i = 0; list && i < info->reasons; i++)
    if (json_array_append_new(list, json_text(info->reason[i]))) b->failed = true;
  json_put(b, "reasons", list);
  list = json_array();
  for (int i = 0; list && i < info->warnings; i++)
    if (json_array_append_new(list, json_text(info->warning[i]))) b->failed = true;
  if (list && facts->cover && *facts->cover->warning)
    if (json_array_append_new(list, json_text(facts->cover->warning))) b->failed = true;
  json_put(b, "warnings", list);
  list = json_array();
  for (int i = 0; list && io_note_at(i); i++)
    if (json_array_append_new(list, json_text(io_note_at(i)))) b->failed = true;
  json_put(b, "notes", list);
  trust_put(b, info->trust);
}

static void put_cover(json_builder *b, const cover_t *cover) {
  json_put_reals(b, "cover_eigenvalues", cover->eigenvalues, cover->rank);
  json_t *list = json_array();
  for (int64_t l = 0; list && l < cover->rank; l++)
    if (json_array_append_new(list, json_integer(cover->parity[l]))) b->failed = true;
  json_put(b, "cover_parity", list);
}

/* null for a component that was not judged, or cannot be. */
static void put_pieces(json_builder *b, const lavdm_model *model) {
  const lavdm_array *orientable = lavdm_get(model, "component_orientable");
  const lavdm_array *confidence = lavdm_get(model, "component_confidence");
  json_t *verdicts = json_array(), *numbers = json_array();
  for (int64_t c = 0; verdicts && numbers && c < orientable->shape[0]; c++) {
    int64_t verdict = ((const int64_t *)orientable->data)[c];
    double sure = ((const double *)confidence->data)[c];
    if (json_array_append_new(verdicts, verdict < 0 ? json_null() : json_boolean(verdict)) ||
        json_array_append_new(numbers, sure > 0 ? json_number(sure) : json_null()))
      b->failed = true;
  }
  json_put(b, "component_orientable", verdicts);
  json_put(b, "component_confidence", numbers);
}

static void put_verdict(json_builder *b, const run_facts *facts) {
  const lavdm_orientation *v = facts->verdict;
  json_put_text(b, "verdict", verdict_word(v->verdict));
  json_put(b, "orientable", json_boolean(v->orientable));
  json_put_real(b, "confidence", v->confidence);
  json_put_real(b, "eigenvalue", v->eigenvalue);
  json_put_real(b, "trivial_eigenvalue", v->trivial_eigenvalue);
  json_put_real(b, "ratio", v->ratio);
  json_put_real(b, "mean_magnitude", v->mean_magnitude);
  json_put_real(b, "doubt", v->doubt);
  json_put_real(b, "odd", v->odd);
  json_put_real(b, "spread", v->spread);
  json_put_real(b, "frustrated", v->frustrated);
  json_put_real(b, "turn", v->turn);
  json_put_real(b, "gap", v->gap);
  json_put_real(b, "margin", v->margin);
  json_put_real(b, "growth", v->growth);
  put_pieces(b, facts->model);
}

static json_t *lines_of(json_builder *b, const char *text) {
  json_t *list = json_array();
  for (const char *at = text; list && at && *at;) {
    int64_t bytes;
    const char *begin = io_texts_next(&at, &bytes);
    char *line = strndup(begin, (size_t)bytes);
    if (!line || json_array_append_new(list, json_text(line))) b->failed = true;
    free(line);
  }
  return list;
}

/* What was recognised in a table. */
static void put_table(json_builder *b, const table_facts *t) {
  json_builder table;
  json_start(&table);
  json_put(&table, "columns", lines_of(b, t->names.text));
  json_put_text(&table, "labels", t->label_name);
  json_put(&table, "ids", json_boolean(t->ids.text != NULL));
  json_put_whole(&table, "dropped", t->dropped);
  json_put(&table, "standardised", json_boolean(t->mean != NULL));
  json_put(&table, "told", lines_of(b, t->told.text));
  json_put(&table, "doubts", lines_of(b, t->doubts.text));
  if (table.failed) b->failed = true;
  json_put(b, "table", table.object);
}

void facts_put(json_builder *b, const run_facts *facts) {
  const lavdm_info_t *info = lavdm_info(facts->model);
  if (facts->verdict) put_verdict(b, facts);
  json_put_whole(b, "n", info->n);
  json_put_whole(b, "p", info->p);
  json_put_whole(b, "m", info->m);
  json_put_whole(b, "q", info->q);
  put_choices(b, facts);
  put_automatic(b, facts);
  put_options(b, facts);
  put_findings(b, facts);
  if (facts->cover) put_cover(b, facts->cover);
  if (facts->table && facts->table->width > 0) put_table(b, facts->table);
  json_put_text(b, "input", facts->input);
  json_put_text(b, "output", facts->output);
  json_put_text(b, "version", lavdm_version());
  json_put_text(b, "resumed", info->resumed);
}

void facts_put_times(json_builder *b, const run_facts *facts) {
  const lavdm_info_t *info = lavdm_info(facts->model);
  json_builder seconds;
  json_start(&seconds);
  json_put_real(&seconds, "read", facts->read_seconds);
  for (int i = 0; i < info->timings; i++) {
    /* a stage may run more than once */
    const char *stage = info->timing[i].stage;
    double before = json_real_value(json_object_get(seconds.object, stage));
    json_put_real(&seconds, stage, before + info->timing[i].seconds);
  }
  if (facts->output) json_put_real(&seconds, "write", facts->write_seconds);
  json_put_real(&seconds, "total", facts->total_seconds);
  if (seconds.failed) b->failed = true;
  json_put(b, "seconds", seconds.object ? seconds.object : NULL);
  json_put_whole(b, "peak_memory_bytes", facts_peak_memory());
}
