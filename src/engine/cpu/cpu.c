#include "engine/cpu/cpu.h"

static int cpu_open(run_t *run, engine_t **out) {
  *out = (engine_t *)NEW(cpu_t, 1);
  return *out ? LAVDM_OK : fail_memory(run->error, "the engine");
}

static void cpu_close(engine_t *engine) {
  if (engine) REAL(objects_free)(&((cpu_t *)engine)->objects);
  mem_free(engine);
}

static int keep_basis(engine_t *engine, lavdm_model *model) {
  return REAL(objects_keep)(engine->run, &((cpu_t *)engine)->objects, model);
}

static int take_basis(engine_t *engine, const lavdm_model *model) {
  return REAL(objects_restore)(engine->run, model, &((cpu_t *)engine)->objects);
}

const engine_ops REAL(engine_cpu) = {
    .name = "cpu",
    .open = cpu_open,
    .close = cpu_close,
    .need = REAL(cpu_need),
    /* in double precision an offset costs no digits that matter */
    .centre = REAL_TYPE == LAVDM_F32 ? REAL(cpu_centre) : NULL,
    .load = REAL(cpu_load),
    .unload = REAL(cpu_unload),
    .drop = REAL(cpu_drop),
    .keep_basis = keep_basis,
    .take_basis = take_basis,
    .sample = REAL(cpu_sample),
    .nearest = REAL(cpu_nearest),
    .within = REAL(cpu_within),
    .copies = REAL(cpu_copies),
    .spectra = REAL(cpu_spectra),
    .landmarks = REAL(cpu_landmarks),
    .frames = REAL(cpu_frames),
    .graph = REAL(cpu_graph),
    .scale = REAL(cpu_scale),
    .gram = REAL(cpu_gram),
    .apply = REAL(cpu_apply),
    .spectrum = REAL(cpu_spectrum),
    .fields = REAL(cpu_fields),
    .extend = REAL(cpu_extend),
    .blocks = REAL(cpu_blocks),
    .fetch = REAL(cpu_fetch),
    .put = REAL(cpu_put),
    .save = REAL(cpu_save),
    .resume = REAL(cpu_resume),
};
