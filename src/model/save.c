/*
 * Writes a model: its arrays, the options as texts that lavdm_option_set reads,
 * the numbers of lavdm_info_t, warnings and timings as lines of text.
 */
#define _GNU_SOURCE
#include "model/save.h"

#include "base/memory.h"
#include "file/sentence.h"

#include <locale.h>
#include <stdio.h>
#include <string.h>

#define AT(field) offsetof(lavdm_info_t, field)

#define MANY 0x1p40 /* more points than there will be */

static const info_number numbers[] = {
    {"n", false, false, AT(n), 1, MANY},
    {"p", false, false, AT(p), 0, 0x1p31},
    {"m", false, false, AT(m), 1, MANY},
    {"q", false, false, AT(q), 1, 0x1p31},
    {"edges", false, false, AT(edges), 0, 9e18},
    {"isolated", false, false, AT(isolated), 0, MANY},
    {"graph_components", false, false, AT(graph_components), 0, MANY},
    {"number_of_far_points", false, false, AT(far_points), 0, MANY},
    {"radius", true, false, AT(radius), 0, 1e300},
    {"degenerate_frames", false, false, AT(degenerate_frames), 0, 9e18},
    {"ill_aligned", false, false, AT(ill_aligned), 0, 9e18},
    {"fit_seconds", true, false, AT(seconds), 0, 1e300},
    {"memory_needed", false, false, AT(memory_needed), -9e18, 9e18},
    {"streamed", false, true, AT(streamed), 0, 1},
};
enum { NUMBERS = sizeof numbers / sizeof *numbers };

const info_number *model_number(int i) {
  return i >= 0 && i < NUMBERS ? &numbers[i] : NULL;
}

/* ------------------------------------------------------------ the items */

enum { MOST_OPTIONS = 64, OPTION_NAME = 64, OPTION_TEXT = 64 };
/* of warnings, and of reasons */
enum { SENTENCES = MAX_WARNINGS > MAX_REASONS ? MAX_WARNINGS : MAX_REASONS };
enum { LINES = SENTENCES * (WARNING_SIZE + 1), TIMING_LINE = 128 };
enum { MOST = MAX_ARRAYS + MOST_OPTIONS + NUMBERS + 16 };

typedef struct {
  store_item item[MOST];
  int count;
  int64_t whole[NUMBERS], compact;
  char version[16];
  char option[MOST_OPTIONS][OPTION_NAME], value[MOST_OPTIONS][OPTION_TEXT];
  char warnings[LINES], reasons[LINES], timings[MAX_TIMINGS * TIMING_LINE];
} items_t;

static store_item *add(items_t *items, const char *name, store_type type, int rank, const void *data) {
  store_item *item = &items->item[items->count++];
  *item = (store_item){.name = name, .type = type, .rank = rank, .data = data};
  return item;
}

static void add_text(items_t *items, const char *name, const char *text) {
  add(items, name, STORE_TEXT, 1, text)->shape[0] = (int64_t)strlen(text);
}

static void add_arrays(items_t *items, const lavdm_model *model, bool compact) {
  for (int i = 0; i < model->arrays; i++) {
    const lavdm_array *a = &model->array[i];
    if (compact && model_is_pointwise(a->name)) continue;
    store_type type = a->type == LAVDM_I64 ? STORE_INTEGER : a->type == LAVDM_F32 ? STORE_SINGLE : STORE_REAL;
    store_item *item = add(items, a->name, type, a->rank, a->data);
    memcpy(item->shape, a->shape, sizeof a->shape);
  }
  if (!model->info.isolated) return;
  add(items, "isolated_points", STORE_INTEGER, 1, model->info.isolated_index)->shape[0] =
      model->info.isolated;
}

static void add_numbers(items_t *items, const lavdm_info_t *info) {
  for (int i = 0; i < NUMBERS; i++) {
    const char *field = (const char *)info + numbers[i].offset;
    int value = 0;
    if (numbers[i].small) memcpy(&value, field, sizeof value);
    items->whole[i] = value;
    add(items, numbers[i].name, numbers[i].real ? STORE_REAL : STORE_INTEGER, 0,
        numbers[i].small ? (const void *)&items->whole[i] : field);
  }
}

static void add_options(items_t *items, const lavdm_options *chosen) {
  for (int i = 0; i < lavdm_option_count() && i < MOST_OPTIONS; i++) {
    const char *name = lavdm_option_at(i)->name;
    snprintf(items->option[i], OPTION_NAME, MODEL_OPTION "%s", name);
    lavdm_option_text(chosen, name, items->value[i], OPTION_TEXT);
    add_text(items, items->option[i], items->value[i]);
  }
}

static void add_sentences(items_t *items, const char *name, const char *const *sentence, int count,
                          char text[LINES]) {
  size_t used = 0;
  for (int i = 0; i < count; i++)
    used += (size_t)snprintf(text + used, LINES - used, "%s%s", i ? "\n" : "", sentence[i]);
  if (used) add_text(items, name, text);
}

static void add_lines(items_t *items, const lavdm_info_t *info) {
  add_sentences(items, "warnings", info->warning, info->warnings, items->warnings);
  add_sentences(items, "reasons", info->reason, info->reasons, items->reasons);
  size_t used = 0;
  for (int i = 0; i < info->timings; i++)
    used += (size_t)snprintf(items->timings + used, sizeof items->timings - used, "%s%.64s %.17g",
                             i ? "\n" : "", info->timing[i].stage, info->timing[i].seconds);
  add_text(items, "timings", items->timings);
}

static bool has(const items_t *items, const char *name) {
  for (int i = 0; i < items->count; i++)
    if (!strcmp(items->item[i].name, name)) return true;
  return false;
}

static void trim_model(const void *model) {
  const lavdm_model *m = model;
  for (int i = 0; i < m->arrays; i++) large_trim(m->owned[i]);
}

static void collect(items_t *items, const lavdm_model *model, bool compact) {
  bool extension = model->chosen.bundle != LAVDM_BUNDLE_GIVEN && !lavdm_get(model, "landmark_vectors");
  bool landmarks = model_has_landmarks(model) && !extension;
  items->compact = (compact && landmarks) || model->compact;
  snprintf(items->version, sizeof items->version, "%d.%d", MODEL_MAJOR, MODEL_MINOR);
  add_text(items, "format", MODEL_FORMAT);
  add_text(items, "format_version", items->version);
  add_text(items, "version", lavdm_version());
  add(items, "compact", STORE_INTEGER, 0, &items->compact);
  add_numbers(items, &model->info);
  add_options(items, &model->chosen);
  add_lines(items, &model->info);
  add_arrays(items, model, items->compact);
}

static int model_save(const lavdm_model *model, const char *path, bool compact, const store_item *more,
                      int count, lavdm_error *error) {
  items_t *items = NEW(items_t, 1);
  store_item *all = NEW(store_item, MOST + (int64_t)count);
  int status = items && all ? LAVDM_OK : file_memory(error, path, 0);
  if (!status) {
    /* numbers are written with a point, wherever we are */
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0), before = uselocale(plain);
    collect(items, model, compact);
    uselocale(before);
    if (plain) freelocale(plain);
    int used = items->count;
    memcpy(all, items->item, (size_t)used * sizeof *all);
    for (int i = 0; i < count; i++)
      if (!has(items, more[i].name)) all[used++] = more[i];
    const store_trim trim = {trim_model, model};
    status = store_write(path, all, used, model->info.streamed ? &trim : NULL, error);
  }
  mem_free(all);
  mem_free(items);
  return status;
}

int lavdm_save_with(const lavdm_model *model, const char *path, int compact, const lavdm_item *items,
                    int count, lavdm_error *error) {
  if (error) *error = (lavdm_error){0};
  if (!model || !path)
    return fail(error, LAVDM_ERROR_ARGUMENT, "the model or the name of its file is missing (NULL)");
  if (count < 0 || count > STORE_ITEMS || (count && !items))
    return fail(error, LAVDM_ERROR_ARGUMENT, "%d further items cannot be saved", count);
  return model_save(model, path, compact != 0, items, count, error);
}

int lavdm_save(const lavdm_model *model, const char *path, int compact, lavdm_error *error) {
  return lavdm_save_with(model, path, compact, NULL, 0, error);
}
