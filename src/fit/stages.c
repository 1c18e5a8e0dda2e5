#include "fit/stages.h"

#include "base/memory.h"
#include "base/options.h"
#include "engine/stored.h"

#include <stdio.h>
#include <string.h>

enum {
  TIMING_NAMES = 16 * MAX_TIMINGS,
  WARNINGS = MAX_WARNINGS * WARNING_SIZE,
  REASONS = MAX_REASONS * WARNING_SIZE
};

bool stage_saved(const fit_t *f, checkpoint_stage stage) {
  return f->checkpoint && f->checkpoint->store && f->checkpoint->saved >= stage;
}

int stage_kept(const fit_t *f) {
  return f->checkpoint ? (int)checkpoint_whole(f->checkpoint, "kept", -1) : -1;
}

int stages_start(fit_t *f) {
  if (f->checkpoint && !f->ops->save)
    return fail(f->run->error, LAVDM_ERROR_ARGUMENT, "the engine %s keeps no checkpoints", f->ops->name);
  if (!stage_saved(f, STAGE_LANDMARKS)) return LAVDM_OK;
  if (f->run->large.files) checkpoint_trim(f->checkpoint);
  const store_item *item = store_find(f->checkpoint->store, "chosen");
  double noise = f->run->options.noise; /* of images, is estimated again, to the same bits */
  if (!item || item->type != STORE_TEXT || identity_restore(item->data, &f->run->options, NULL) < 0)
    return checkpoint_unfit(f->run, f->checkpoint);
  if (has_turns(&f->run->options)) f->run->options.noise = noise;
  f->lowpass = checkpoint_whole(f->checkpoint, "lowpass", -1);
  if (f->lowpass < 0) return checkpoint_unfit(f->run, f->checkpoint);
  return LAVDM_OK;
}

/* ------------------------------------------------------------------ saving */

/* The texts of a file, and its items. */
typedef struct {
  char chosen[IDENTITY_SIZE], warnings[WARNINGS], reasons[REASONS], timing_names[TIMING_NAMES];
  double timing[MAX_TIMINGS];
  checkpoint_list *list;
} text_t;

/* One a line. */
static void join(const char sentence[][WARNING_SIZE], int count, char *text, size_t size) {
  size_t used = 0;
  for (int i = 0; i < count; i++)
    used += (size_t)snprintf(text + used, size - used, "%s%s", i ? "\n" : "", sentence[i]);
}

/* What every file has. */
static void add_facts(text_t *text, const fit_t *f, checkpoint_stage stage) {
  const run_t *run = f->run;
  checkpoint_list *list = text->list;
  size_t names = 0;
  join(run->warning, run->warnings, text->warnings, WARNINGS);
  join(run->reason, run->reasons, text->reasons, REASONS);
  for (int i = 0; i < run->timings && names < TIMING_NAMES; i++) {
    names += (size_t)snprintf(text->timing_names + names, TIMING_NAMES - names, "%s%s", i ? " " : "",
                              run->timing[i].stage);
    text->timing[i] = run->timing[i].seconds;
  }
  identity_options(&run->options, text->chosen, 0);
  checkpoint_text(list, "kind", "lavdm checkpoint");
  checkpoint_text(list, "stage", checkpoint_name(stage));
  checkpoint_text(list, "run", f->checkpoint->identity);
  checkpoint_text(list, "chosen", text->chosen);
  checkpoint_text(list, "warnings", text->warnings);
  checkpoint_text(list, "reasons", text->reasons);
  checkpoint_text(list, "timing_stages", text->timing_names);
  checkpoint_add(list, "timings", STORE_REAL, run->timings, text->timing);
  checkpoint_integer(list, "memory_needed", f->model->info.memory_needed);
}

static const stored_names GRAM = {"blocks", "block_start", "block_column", NULL, "block"};

static int add_gram(checkpoint_list *list, const symmetric_t *a) {
  checkpoint_add(list, "dense", STORE_REAL, a->size * a->size, a->dense);
  return a->dense || !a->sparse.start ? LAVDM_OK : stored_save(&a->sparse, &GRAM, list);
}

/* What the pipeline itself has, and then the engine of its rows. */
static int add_all(text_t *text, const fit_t *f, checkpoint_stage stage) {
  checkpoint_list *list = text->list;
  int64_t r = f->run->options.components, size = f->m * f->q;
  add_facts(text, f, stage);
  checkpoint_add(list, "landmark_index", STORE_INTEGER, f->m, f->landmark_index);
  checkpoint_integer(list, "lowpass", f->lowpass);
  if (stage >= STAGE_FRAMES) {
    checkpoint_real(list, "radius", f->radius);
    checkpoint_integer(list, "degenerate", f->degenerate);
    lowpass_save(f, list);
  }
  if (stage >= STAGE_OPERATOR) {
    checkpoint_integer(list, "ill_aligned", f->found.ill);
    checkpoint_integer(list, "graph_edges", f->found.edges);
  }
  if (stage >= STAGE_SPECTRUM) {
    checkpoint_add(list, "eigenvalues", STORE_REAL, r, f->values);
    checkpoint_add(list, "residuals", STORE_REAL, r, f->residuals);
    checkpoint_add(list, "vectors", STORE_REAL, size * r, f->vectors);
  }
  if (stage >= STAGE_EIGENVECTORS) {
    store_type real = f->real == LAVDM_F32 ? STORE_SINGLE : STORE_REAL;
    checkpoint_add(list, "eigenvectors", real, f->n * f->q * r, f->fields);
  }
  if (stage == STAGE_OPERATOR && add_gram(list, &f->gram) < 0) return LAVDM_ERROR_MEMORY;
  return f->ops->save(f->engine, f->rows, references(f), stage, list);
}

static void trim(const void *run) {
  large_trim_all(&((run_t *)run)->large);
}

int stage_save(fit_t *f, checkpoint_stage stage) {
  run_t *run = f->run;
  int status = run_status(run);
  if (status < 0 || !f->checkpoint) return status;
  const char *before = run->stage;
  run_stage(run, "checkpoint");
  lavdm_error error = {0};
  const store_trim give_back = {trim, run};
  text_t *text = NEW(text_t, 1);
  if (text) text->list = NEW(checkpoint_list, 1);
  status = text && text->list ? add_all(text, f, stage) : LAVDM_ERROR_MEMORY;
  if (status < 0) snprintf(error.message, sizeof error.message, "out of memory");
  if (!status)
    status = store_write(f->checkpoint->path, text->list->item, text->list->count,
                         run->large.files ? &give_back : NULL, &error);
  if (status < 0 && !f->checkpoint->failed) {
    f->checkpoint->failed = true;
    run_warn(run, "no checkpoint was saved after the stage %s: %.200s", checkpoint_name(stage),
             error.message);
  }
  if (text) checkpoint_free(text->list);
  mem_free(text);
  run_stage(run, before);
  return run_status(run);
}

/* ------------------------------------------------------------------ taking */

static int take(fit_t *f, const char *name, store_type type, int64_t count, void *to) {
  return checkpoint_copy(f->run, f->checkpoint, name, type, count, to);
}

static int take_landmarks(fit_t *f) {
  int status = take(f, "landmark_index", STORE_INTEGER, f->m, f->landmark_index);
  return status < 0 ? status
                    : checkpoint_range(f->run, f->checkpoint, f->landmark_index, f->m, 0, f->run->total - 1);
}

static int take_frames(fit_t *f) {
  f->degenerate = checkpoint_whole(f->checkpoint, "degenerate", -1);
  if (f->degenerate < 0) return checkpoint_unfit(f->run, f->checkpoint);
  int status = take(f, "radius", STORE_REAL, 1, &f->radius);
  return status < 0 ? status : lowpass_take(f);
}

static int take_degrees(fit_t *f) {
  int status = take(f, "column", STORE_REAL, f->m, f->scaling.column);
  if (!status) status = take(f, "mass", STORE_REAL, f->m, f->scaling.mass);
  return status < 0 ? status : take(f, "inflow", STORE_REAL, f->m, f->scaling.inflow);
}

static int take_dense(fit_t *f) {
  int64_t size = f->gram.size;
  f->gram.dense = NEW(double, size *size);
  if (!f->gram.dense) return fail_memory(f->run->error, "the Gram matrix");
  return take(f, "dense", STORE_REAL, size * size, f->gram.dense);
}

/* G itself has no use any more once the spectrum is known. */
static int take_operator(fit_t *f) {
  f->found.ill = checkpoint_whole(f->checkpoint, "ill_aligned", -1);
  f->found.edges = checkpoint_whole(f->checkpoint, "graph_edges", -1);
  if (f->found.ill < 0 || f->found.edges < 0) return checkpoint_unfit(f->run, f->checkpoint);
  if (!f->with_landmarks || stage_saved(f, STAGE_SPECTRUM)) return LAVDM_OK;
  f->gram.size = f->m * f->q;
  if (!stored_there(f->checkpoint, &GRAM)) return take_dense(f);
  return stored_take(f->run, f->checkpoint, &GRAM, f->m, f->m, f->q, &f->gram.sparse);
}

static int take_spectrum(fit_t *f) {
  int64_t r = f->run->options.components;
  int status = take(f, "eigenvalues", STORE_REAL, r, f->values);
  if (!status) status = take(f, "residuals", STORE_REAL, r, f->residuals);
  return status < 0 || !f->vectors ? status : take(f, "vectors", STORE_REAL, f->m * f->q * r, f->vectors);
}

static int take_eigenvectors(fit_t *f) {
  store_type real = f->real == LAVDM_F32 ? STORE_SINGLE : STORE_REAL;
  return take(f, "eigenvectors", real, f->n * f->q * f->run->options.components, f->fields);
}

/* Sentences, one a line, at most `most` of them; returns how many there are. */
static int take_sentences(const fit_t *f, const char *name, char sentence[][WARNING_SIZE], int most) {
  const store_item *item = store_find(f->checkpoint->store, name);
  const char *at = item && item->type == STORE_TEXT ? item->data : "";
  int count = 0;
  while (*at && count < most) {
    int length = (int)strcspn(at, "\n");
    snprintf(sentence[count++], WARNING_SIZE, "%.*s", length, at);
    at += length;
    at += *at == '\n';
  }
  return count;
}

/* The times of the stages that were taken, and "resume": what it took to get here. */
static void take_timings(fit_t *f) {
  run_t *run = f->run;
  double now = run_clock(), spent = now - run->stage_began;
  for (int i = 0; i < run->timings; i++) spent += run->timing[i].seconds;
  const store_item *item = store_find(f->checkpoint->store, "timing_stages");
  const store_item *seconds = store_find(f->checkpoint->store, "timings");
  const char *at = item && item->type == STORE_TEXT ? item->data : "";
  run->timings = 0;
  for (int64_t i = 0; *at && seconds && seconds->type == STORE_REAL && i < seconds->shape[0]; i++) {
    size_t length = strcspn(at, " ");
    const char *stage = checkpoint_literal(at, length);
    if (stage) run_time(run, stage, ((const double *)seconds->data)[i]);
    at += length;
    at += *at == ' ';
  }
  run_time(run, "resume", spent);
  run->stage_began = now;
}

static int take_stage(fit_t *f, checkpoint_stage stage) {
  switch (stage) {
  case STAGE_LANDMARKS:
    return take_landmarks(f);
  case STAGE_FRAMES:
    return take_frames(f);
  case STAGE_DEGREES:
    return take_degrees(f);
  case STAGE_OPERATOR:
    return take_operator(f);
  case STAGE_SPECTRUM:
    return take_spectrum(f);
  case STAGE_EIGENVECTORS:
    return take_eigenvectors(f);
  default:
    return LAVDM_OK;
  }
}

int stage_take(fit_t *f, checkpoint_stage stage) {
  int status = take_stage(f, stage);
  if (!status) status = f->ops->resume(f->engine, f->rows, references(f), stage, f->checkpoint, &f->found);
  if (status < 0 || stage != f->checkpoint->saved) return status;
  f->run->warnings = take_sentences(f, "warnings", f->run->warning, MAX_WARNINGS);
  f->run->reasons = take_sentences(f, "reasons", f->run->reason, MAX_REASONS);
  take_timings(f);
  f->model->info.memory_needed =
      checkpoint_whole(f->checkpoint, "memory_needed", f->model->info.memory_needed);
  f->model->info.resumed = checkpoint_name(stage);
  checkpoint_close(f->checkpoint);
  return run_status(f->run);
}
