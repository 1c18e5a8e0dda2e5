#include "engine/engine.h"

extern const engine_ops double_engine_cpu, single_engine_cpu;

/* Given edges have no coordinates: they are in double precision. */
lavdm_type engine_real(const run_t *run) {
  const lavdm_options *o = &run->options;
  bool single = o->precision == LAVDM_PRECISION_SINGLE && o->bundle != LAVDM_BUNDLE_GIVEN;
  return single ? LAVDM_F32 : LAVDM_F64;
}

const engine_ops *engine_find(const run_t *run) {
  return engine_real(run) == LAVDM_F32 ? &single_engine_cpu : &double_engine_cpu;
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
