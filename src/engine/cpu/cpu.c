#include "engine/cpu/cpu.h"

static int cpu_open(run_t *run, engine_t **out) {
  *out = (engine_t *)NEW(cpu_t, 1);
  return *out ? LAVDM_OK : fail_memory(run->error, "the engine");
}

static void cpu_close(engine_t *engine) {
  if (engine) objects_free(&((cpu_t *)engine)->objects);
  mem_free(engine);
}

static int keep_basis(engine_t *engine, lavdm_model *model) {
  return objects_keep(engine->run, &((cpu_t *)engine)->objects, model);
}

static int take_basis(engine_t *engine, const lavdm_model *model) {
  return objects_restore(engine->run, model, &((cpu_t *)engine)->objects);
}

const engine_ops engine_cpu = {
    .name = "cpu",
    .open = cpu_open,
    .close = cpu_close,
    .need = cpu_need,
    /* in double precision an offset costs no digits that matter */
    .centre = REAL_TYPE == LAVDM_F32 ? cpu_centre : NULL,
    .load = cpu_load,
    .unload = cpu_unload,
    .drop = cpu_drop,
    .keep_basis = keep_basis,
    .take_basis = take_basis,
    .sample = cpu_sample,
    .nearest = cpu_nearest,
    .within = cpu_within,
    .copies = cpu_copies,
    .dimension = cpu_dimension,
    .landmarks = cpu_landmarks,
    .frames = cpu_frames,
    .graph = cpu_graph,
    .scale = cpu_scale,
    .gram = cpu_gram,
    .apply = cpu_apply,
    .spectrum = cpu_spectrum,
    .fields = cpu_fields,
    .extend = cpu_extend,
    .blocks = cpu_blocks,
    .fetch = cpu_fetch,
    .put = cpu_put,
    .save = cpu_save,
    .resume = cpu_resume,
};
