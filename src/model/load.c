/*
 * Reads a model: opens its file as a store, and checks everything that later
 * code relies on before the model is handed out. Its arrays stay in the store.
 */
#define _GNU_SOURCE
#include "model/save.h"

#include "base/memory.h"
#include "base/options.h"
#include "file/sentence.h"
#include "model/trust.h"

#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  const char *path;
  lavdm_error *error;
  lavdm_model *model;
} loading_t;

static int unusable(const loading_t *l, const char *what, const char *name) {
  return file_fail(l->error, LAVDM_ERROR_FILE, l->path, "cannot be used: %s '%s'", what, name);
}

static const store_item *item_of(const loading_t *l, const char *name, store_type type) {
  const store_item *item = store_find(l->model->store, name);
  bool right = item && item->type == type && (type == STORE_TEXT || item->rank == 0);
  return right ? item : NULL;
}

static const char *text_of(const loading_t *l, const char *name) {
  const store_item *item = item_of(l, name, STORE_TEXT);
  return item ? item->data : NULL;
}

/* ------------------------------------------------------ facts and options */

static int check_format(const loading_t *l) {
  const char *format = text_of(l, "format"), *version = text_of(l, "format_version");
  const char *writer = text_of(l, "version");
  if (!format || strcmp(format, MODEL_FORMAT))
    return file_fail(l->error, LAVDM_ERROR_FILE, l->path,
                     "is HDF5 but not a lavdm model; lavdm embed DATA -o FILE.h5 and lavdm_save write one");
  int major, minor;
  char more;
  if (!version || sscanf(version, "%6d.%6d%c", &major, &minor, &more) != 2 || major < 1 || minor < 0)
    return unusable(l, "it does not say its", "format_version");
  if (major > MODEL_MAJOR)
    return file_fail(
        l->error, LAVDM_ERROR_FILE, l->path,
        "was written by a newer lavdm (%.20s): its format is %d.%d, and this one (%s) reads up to %d; "
        "install the newer one",
        writer ? writer : "?", major, minor, lavdm_version(), MODEL_MAJOR);
  return LAVDM_OK;
}

static int read_numbers(const loading_t *l) {
  const info_number *number;
  for (int i = 0; (number = model_number(i)); i++) {
    const store_item *item = item_of(l, number->name, number->real ? STORE_REAL : STORE_INTEGER);
    char *field = (char *)&l->model->info + number->offset;
    if (!item) return unusable(l, "there is no number", number->name);
    double value = number->real ? *(const double *)item->data : (double)*(const int64_t *)item->data;
    if (!(value >= number->least && value <= number->most))
      return unusable(l, "it has an impossible value of", number->name);
    int small = number->small ? (int)value : 0;
    if (number->small)
      memcpy(field, &small, sizeof small);
    else
      memcpy(field, item->data, 8);
  }
  return LAVDM_OK;
}

/* Options that the file does not have keep their defaults; those that are not known here are passed over. */
static int read_options(const loading_t *l) {
  lavdm_options *chosen = &l->model->chosen;
  l->model->info.chosen = chosen;
  lavdm_options_default(chosen);
  for (int i = 0; i < lavdm_option_count(); i++) {
    char name[64];
    lavdm_error error = {0};
    snprintf(name, sizeof name, MODEL_OPTION "%s", lavdm_option_at(i)->name);
    const char *text = text_of(l, name);
    if (!text) continue;
    if (strlen(text) > 63 || lavdm_option_set(chosen, lavdm_option_at(i)->name, text, &error) < 0)
      return unusable(l, "it has an impossible value of", name);
  }
  /* a model may come from a machine with more of them */
  int64_t have = omp_get_max_threads();
  if (chosen->threads == LAVDM_AUTO || chosen->threads > have) chosen->threads = have;
  return LAVDM_OK;
}

/* Sizes and options that cannot be those of one fit. */
static int check_sizes(const loading_t *l) {
  const lavdm_info_t *info = &l->model->info;
  const lavdm_options *o = info->chosen;
  bool tangent = o->bundle == LAVDM_BUNDLE_TANGENT, orientation = o->bundle == LAVDM_BUNDLE_ORIENTATION;
  bool given = o->bundle == LAVDM_BUNDLE_GIVEN, landmarks = model_has_landmarks(l->model);
  /* an extension has no more of the model's eigenvectors than their values at its points */
  bool extension = !store_find(l->model->store, landmarks ? "landmark_vectors" : "densities");
  double most = (double)(extension || info->m < info->n ? info->m : info->n) * (double)info->q;
  if (o->bundle == LAVDM_BUNDLE_AUTO) return unusable(l, "it leaves open the option", "bundle");
  bool plain = o->method == LAVDM_METHOD_DM || o->method == LAVDM_METHOD_ROSELAND;
  if (plain && (tangent || orientation)) return unusable(l, "it has an impossible value of", "option_bundle");
  if (o->components == LAVDM_AUTO) return unusable(l, "it leaves open the option", "components");
  if ((double)o->components > most) return unusable(l, "there are too many", "components");
  if (!landmarks && !extension && info->m != info->n)
    return unusable(l, "it has an impossible value of", "m");
  if ((tangent || orientation) && (o->dim == LAVDM_AUTO || o->dim > info->p))
    return unusable(l, "it has an impossible value of", "option_dim");
  if (!given && info->q != model_fibre(o)) return unusable(l, "it has an impossible value of", "q");
  if (!given && (info->p < 1 || o->epsilon == LAVDM_AUTO || o->cutoff == LAVDM_AUTO))
    return unusable(l, "it leaves open the option", "epsilon or cutoff");
  bool points = o->bundle == LAVDM_BUNDLE_TRIVIAL;
  if (o->metric != LAVDM_METRIC_EUCLIDEAN && !points)
    return unusable(l, "it has an impossible value of", "option_metric");
  if ((o->metric == LAVDM_METRIC_PRECOMPUTED && info->p != 1) ||
      (o->metric == LAVDM_METRIC_HAVERSINE && info->p != 3))
    return unusable(l, "it has an impossible value of", "p");
  if (o->alpha == LAVDM_AUTO || (landmarks && o->beta == LAVDM_AUTO))
    return unusable(l, "it leaves open the option", "alpha or beta");
  if (info->isolated > info->n || info->graph_components > info->n)
    return unusable(l, "it has an impossible value of", "isolated or graph_components");
  return LAVDM_OK;
}

/* ------------------------------------------------------------------ lines */

/* Ends the line that begins here, in the store; the next one, or NULL. */
static char *end_line(char *line) {
  char *end = strchr(line, '\n');
  if (end) *end = 0;
  return end ? end + 1 : NULL;
}

/* The lines of a text, `most` of them; how many there are. */
static int read_sentences(const loading_t *l, const char *name, int most, char (*own)[WARNING_SIZE],
                          const char **text) {
  char *line = (char *)(uintptr_t)text_of(l, name);
  int count = 0;
  while (line && *line && count < most) {
    char *next = end_line(line);
    snprintf(own[count], WARNING_SIZE, "%s", line);
    text[count] = own[count];
    count++;
    line = next;
  }
  return count;
}

static void read_lines(const loading_t *l) {
  lavdm_model *model = l->model;
  lavdm_info_t *info = &model->info;
  info->warnings = read_sentences(l, "warnings", MAX_WARNINGS, model->warning, model->warning_text);
  info->warning = model->warning_text;
  info->reasons = read_sentences(l, "reasons", MAX_REASONS, model->reason, model->reason_text);
  info->reason = model->reason_text;
}

static void read_timings(const loading_t *l) {
  lavdm_model *model = l->model;
  char *line = (char *)(uintptr_t)text_of(l, "timings");
  while (line && *line && model->info.timings < MAX_TIMINGS) {
    char *next = end_line(line), *space = strrchr(line, ' ');
    double seconds = space ? strtod(space + 1, NULL) : NAN;
    if (space && seconds >= 0 && seconds < INFINITY) {
      *space = 0;
      model->timing[model->info.timings++] = (lavdm_timing){line, seconds};
    }
    line = next;
  }
  model->info.timing = model->timing;
}

/* ----------------------------------------------------------------- arrays */

/* Those that are known first; of the others as many as there is room for. */
static void take_arrays(const loading_t *l) {
  lavdm_model *model = l->model;
  for (int others = 0; others < 2; others++)
    for (int i = 0; i < store_count(model->store); i++) {
      const store_item *item = store_at(model->store, i);
      if (item->rank < 1 || item->rank > 3 || item->type == STORE_TEXT || model->arrays == MAX_ARRAYS)
        continue;
      if (model_is_known(item->name) == others || !strcmp(item->name, "isolated_points")) continue;
      lavdm_array *a = &model->array[model->arrays++];
      lavdm_type type = item->type == STORE_INTEGER  ? LAVDM_I64
                        : item->type == STORE_SINGLE ? LAVDM_F32
                                                     : LAVDM_F64;
      *a = (lavdm_array){.name = item->name, .type = type, .rank = item->rank, .data = item->data};
      for (int k = 0; k < 3; k++) a->shape[k] = k < item->rank ? item->shape[k] : 1;
    }
}

/* With landmarks, and without what the points themselves got. */
static bool can_be_compact(const lavdm_model *model) {
  bool pointwise = false;
  for (int i = 0; i < model->arrays; i++) pointwise |= model_is_pointwise(model->array[i].name);
  return model_has_landmarks(model) && !pointwise;
}

static int read_isolated(const loading_t *l) {
  lavdm_model *model = l->model;
  const store_item *item = store_find(model->store, "isolated_points");
  int64_t count = model->info.isolated;
  bool fits = item ? item->type == STORE_INTEGER && item->rank == 1 && item->shape[0] == count : !count;
  const int64_t *index = item && fits ? item->data : NULL;
  for (int64_t i = 0; i < count && fits; i++)
    fits = index[i] >= 0 && index[i] < model->info.n && (i == 0 || index[i] > index[i - 1]);
  if (!fits) return unusable(l, "it has indices out of range in", "isolated_points");
  model->isolated = NEW(int64_t, count);
  if (!model->isolated) return file_memory(l->error, l->path, 0);
  if (count) memcpy(model->isolated, index, (size_t)count * sizeof *index);
  model->info.isolated_index = model->isolated;
  return LAVDM_OK;
}

static int read_model(const loading_t *l) {
  lavdm_model *model = l->model;
  int status = check_format(l);
  if (status >= 0) status = read_numbers(l);
  if (status >= 0) status = read_options(l);
  if (status >= 0) status = check_sizes(l);
  if (status < 0) return status;
  const store_item *compact = item_of(l, "compact", STORE_INTEGER);
  if (!compact) return unusable(l, "there is no number", "compact");
  model->compact = *(const int64_t *)compact->data != 0;
  read_lines(l);
  read_timings(l);
  take_arrays(l);
  if (model->compact && !can_be_compact(model))
    return unusable(l, "it has an impossible value of", "compact");
  status = model_check(model, l->path, model->compact, l->error);
  if (status >= 0) status = read_isolated(l);
  model->info.eigenvalues = model_data(model, "eigenvalues");
  model->info.residuals = model_data(model, "residuals");
  if (status >= 0 && !model_trust(model)) return unusable(l, "it has impossible values of", "trust_table");
  return status;
}

int lavdm_load(const char *path, lavdm_model **model, lavdm_error *error) {
  if (error) *error = (lavdm_error){0};
  if (!path || !model)
    return fail(error, LAVDM_ERROR_ARGUMENT, "the name of a file or the place for a model is missing (NULL)");
  *model = NULL;
  loading_t l = {.path = path, .error = error, .model = NEW(lavdm_model, 1)};
  if (!l.model) return file_memory(error, path, 0);
  int status = store_open(path, &l.model->store, error);
  if (status >= 0) {
    /* numbers are written with a point, wherever we are */
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0), before = uselocale(plain);
    status = read_model(&l);
    uselocale(before);
    if (plain) freelocale(plain);
  }
  if (status < 0)
    lavdm_free(l.model);
  else
    *model = l.model;
  return status;
}
