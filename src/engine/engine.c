#include "engine/engine.h"

extern const engine_ops double_engine_cpu, single_engine_cpu, engine_reference;

/* Every engine, in double and single precision; one that has the former alone says so when it is opened. */
static const struct {
  lavdm_engine engine;
  const engine_ops *in_double, *in_single;
} ENGINES[] = {
    {LAVDM_ENGINE_CPU, &double_engine_cpu, &single_engine_cpu}, /* first: what AUTO is */
    {LAVDM_ENGINE_REFERENCE, &engine_reference, &engine_reference},
};
enum { COUNT = sizeof ENGINES / sizeof *ENGINES };

/* Given edges have no coordinates: they are in double precision. */
lavdm_type engine_real(const run_t *run) {
  const lavdm_options *o = &run->options;
  bool single = o->precision == LAVDM_PRECISION_SINGLE && o->bundle != LAVDM_BUNDLE_GIVEN;
  return single ? LAVDM_F32 : LAVDM_F64;
}

void engine_choose(lavdm_options *options) {
  if (options->engine == LAVDM_ENGINE_AUTO) options->engine = ENGINES[0].engine;
}

const engine_ops *engine_find(const run_t *run) {
  int found = 0;
  for (int e = 0; e < COUNT; e++)
    if (ENGINES[e].engine == run->options.engine) found = e;
  return engine_real(run) == LAVDM_F32 ? ENGINES[found].in_single : ENGINES[found].in_double;
}

int engine_open(run_t *run, engine_t **out) {
  const engine_ops *ops = engine_find(run);
  int status = ops->open(run, out);
  if (status < 0) return status;
  (*out)->ops = ops;
  (*out)->run = run;
  return LAVDM_OK;
}

void engine_close(engine_t *engine) {
  if (engine) engine->ops->close(engine);
}
