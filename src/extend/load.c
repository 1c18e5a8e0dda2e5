#include "extend/load.h"

#include "base/memory.h"

int load_places(engine_t *engine, const lavdm_data *data, const double *centre, places_t *places,
                rows_t **out) {
  run_t *run = engine->run;
  *places = (places_t){.n = data->n, .count = data->n};
  bool stay = run->options.normalise == LAVDM_NORMALISE_SINKHORN;
  int status = stay ? LAVDM_OK : places_find(run, data, places);
  if (status < 0 || !places->weight)
    return status < 0 ? status : engine->ops->load(engine, data, centre, ROLE_POINTS, 0, out);
  double *points = LARGE(&run->large, double, places->count * data->p);
  if (!points) return fail_memory(run->error, "the points of the model");
  lavdm_data own = {.points = points, .n = places->count, .p = data->p};
  status = places_points(run, places, data, points);
  if (!status) status = engine->ops->load(engine, &own, centre, ROLE_POINTS, 0, out);
  large_free(points);
  return status;
}
