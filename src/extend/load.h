/* Points of a model as rows: each place once, as in the fit (reduce/places.h). */
#ifndef LAVDM_EXTEND_LOAD_H
#define LAVDM_EXTEND_LOAD_H

#include "engine/engine.h"
#include "reduce/places.h"

/* `places` receives those of the rows, with arrays of NULL if they are the points themselves. Copies stay
 * where the graph is balanced, as in the fit. */
int load_places(engine_t *engine, const lavdm_data *data, const double *centre, places_t *places,
                rows_t **out);

#endif
