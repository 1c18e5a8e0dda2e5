#include "base/door.h"

#include <string.h>

static const door_kind kind_options = {"the options", OPTIONS_0_2, sizeof(lavdm_options)};
static const door_kind kind_distances = {"the distances", DISTANCES_0_2, sizeof(lavdm_distances)};
static const door_kind kind_data = {"the data", DATA_0_2, sizeof(lavdm_data)};
static const door_kind kind_sparse = {"the sparse points", SPARSE_0_2, sizeof(lavdm_sparse)};
const door_kind door_edges = {"the edges", EDGES_0_2, sizeof(lavdm_edges)};
const door_kind door_plan = {"the plan", PLAN_0_2, sizeof(lavdm_plan_t)};
const door_kind door_orientation = {"the verdict", ORIENTATION_0_2, sizeof(lavdm_orientation)};

static size_t size_of(const void *given) {
  size_t size;
  memcpy(&size, given, sizeof size);
  return size;
}

static size_t known_size(const door_kind *kind, const void *given) {
  size_t size = size_of(given);
  return size ? size : kind->first;
}

int door_check(const door_kind *kind, const void *given, lavdm_error *error) {
  size_t size = known_size(kind, given);
  if (size > kind->full)
    return fail(
        error, LAVDM_ERROR_ARGUMENT,
        "the size of %s is %zu bytes, and lavdm %s knows %zu: the program was made for a newer lavdm, "
        "or never set that size",
        kind->name, size, lavdm_version(), kind->full);
  if (size < kind->first)
    return fail(error, LAVDM_ERROR_ARGUMENT,
                "the size of %s is %zu bytes, less than the %zu of any lavdm: it was never set", kind->name,
                size, kind->first);
  return LAVDM_OK;
}

int door_take(const door_kind *kind, const void *given, void *own, lavdm_error *error) {
  int status = door_check(kind, given, error);
  if (status < 0) return status;
  memcpy(own, given, known_size(kind, given));
  memcpy(own, &kind->full, sizeof kind->full);
  return LAVDM_OK;
}

int door_options(const door_kind *kind, const void *given, void *own, lavdm_error *error) {
  if (!size_of(given))
    return fail(error, LAVDM_ERROR_ARGUMENT,
                "%s were never set: fill them with their defaults before anything else", kind->name);
  return door_take(kind, given, own, error);
}

void door_fill(const void *own, size_t full, void *given, size_t size) {
  if (size < sizeof size) return;
  memset(given, 0, size);
  memcpy(given, own, size < full ? size : full);
  memcpy(given, &size, sizeof size);
}

void door_give(const door_kind *kind, const void *own, void *given) {
  enum { SIZE = sizeof(size_t) };
  memcpy((char *)given + SIZE, (const char *)own + SIZE, known_size(kind, given) - SIZE);
}

/* The data, and what it leads to. */
static int take_data(const lavdm_data *given, door_t *door, lavdm_error *error) {
  lavdm_data *data = &door->data;
  *data = (lavdm_data){0};
  door->edges = (lavdm_edges){0};
  door->sparse = (lavdm_sparse){0};
  door->distances = (lavdm_distances){0};
  int status = door_take(&kind_data, given, data, error);
  if (status >= 0 && data->edges) status = door_take(&door_edges, data->edges, &door->edges, error);
  if (status >= 0 && data->sparse) status = door_take(&kind_sparse, data->sparse, &door->sparse, error);
  if (status >= 0 && data->distances)
    status = door_take(&kind_distances, data->distances, &door->distances, error);
  if (data->edges) data->edges = &door->edges;
  if (data->distances) data->distances = &door->distances;
  if (!door->distances.row_stride) door->distances.row_stride = door->distances.cols;
  if (data->sparse) {
    data->sparse = &door->sparse;
    data->n = door->sparse.rows, data->p = door->sparse.cols;
  }
  return status;
}

int door_dense(const door_t *door, const char *who, lavdm_error *error) {
  return door->data.sparse
             ? fail(error, LAVDM_ERROR_ARGUMENT, "%s takes no sparse points: make them dense first", who)
             : LAVDM_OK;
}

int door_open(door_t *door, const lavdm_data *data, const lavdm_options *options, lavdm_error *error) {
  lavdm_options_default(&door->options);
  int status = options ? door_options(&kind_options, options, &door->options, error) : LAVDM_OK;
  return status < 0 ? status : take_data(data, door, error);
}

int lavdm_options_take(lavdm_options *to, size_t size, const lavdm_options *from, lavdm_error *error) {
  lavdm_options own;
  lavdm_options_default(&own);
  int status = from ? door_options(&kind_options, from, &own, error) : LAVDM_OK;
  door_fill(&own, sizeof own, to, size);
  return status;
}
