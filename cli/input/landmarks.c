/* Landmarks of a file: indices if it holds one row or column of whole numbers, points otherwise. */
#include "base/command.h"
#include "input/load.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One row or one column, or a list. */
static bool is_vector(const io_array *a) {
  return a->rank == 1 || (a->rank == 2 && (a->shape[0] == 1 || a->shape[1] == 1));
}

static bool all_whole(const io_array *a) {
  const double *values = a->data;
  if (a->type == IO_INTEGER) return true;
  for (int64_t i = 0; i < io_array_count(a); i++)
    if (!(fabs(values[i]) < 1e15 && values[i] == floor(values[i]))) return false;
  return true;
}

static int use_indices(const char *spec, input *in, lavdm_error *error) {
  const io_array *a = &in->landmarks;
  int64_t count = io_array_count(a);
  in->landmark_index = calloc(count > 0 ? (size_t)count : 1, sizeof *in->landmark_index);
  if (!in->landmark_index)
    return refuse(error, LAVDM_ERROR_MEMORY, "out of memory for the landmarks of %.200s", spec);
  for (int64_t i = 0; i < count; i++) {
    int64_t index =
        a->type == IO_INTEGER ? ((const int64_t *)a->data)[i] : (int64_t)((const double *)a->data)[i];
    if (index < 0 || (index >= in->data.n && !in->data.edges))
      return refuse(error, LAVDM_ERROR_DATA,
                    "%.200s: landmark %" PRId64 " is point %" PRId64 ", but the %" PRId64
                    " points are numbered from 0",
                    spec, i + 1, index, in->data.n);
    in->landmark_index[i] = index;
  }
  in->data.landmark_index = in->landmark_index;
  in->data.landmark_count = count;
  return LAVDM_OK;
}

static int use_landmark_points(const char *spec, input *in, lavdm_error *error) {
  io_array *a = &in->landmarks;
  int status = load_as_points(a, spec, error);
  if (status < 0) return status;
  if (a->shape[1] != in->data.p)
    return refuse(error, LAVDM_ERROR_DATA,
                  "%.200s: the landmarks have %" PRId64 " columns, but the points have %" PRId64, spec,
                  a->shape[1], in->data.p);
  const double *values = a->data;
  for (int64_t i = 0; i < io_array_count(a); i++)
    if (!isfinite(values[i]))
      return refuse(error, LAVDM_ERROR_DATA, "%.200s: row %" PRId64 ", column %" PRId64 " is %g", spec,
                    i / a->shape[1] + 1, i % a->shape[1] + 1, values[i]);
  if (in->table.mean) table_scale(a->data, a->shape[0], a->shape[1], in->table.mean, in->table.scale);
  in->data.landmark_points = values;
  in->data.landmark_count = a->shape[0];
  return LAVDM_OK;
}

int load_landmarks(const char *spec, input *in, lavdm_error *error) {
  if (in->data.n < 1 && !in->data.edges)
    return refuse(error, STATUS_USAGE, "--design %.200s needs points, and there are none", spec);
  int status = io_read(spec, &in->landmarks, error);
  if (status < 0) {
    char message[LAVDM_MESSAGE_SIZE];
    memcpy(message, error->message, sizeof message);
    refuse(error, status, "--design is neither kmeans, farthest, random nor a file of landmarks: %.400s",
           message);
    return status;
  }
  const io_array *a = &in->landmarks;
  if (a->type == IO_TEXT) return refuse(error, LAVDM_ERROR_DATA, "%.200s holds text, not numbers", spec);
  if (io_array_count(a) < 1) return refuse(error, LAVDM_ERROR_DATA, "%.200s holds no landmarks", spec);
  /* doubles are indices only where they cannot be points */
  bool could_be_points = a->rank == 2 && a->shape[1] == in->data.p && !in->data.edges;
  if (in->data.edges && !(is_vector(a) && all_whole(a)))
    return refuse(error, LAVDM_ERROR_DATA, "%.200s: landmarks on a graph are a list of numbers of nodes",
                  spec);
  bool indices = is_vector(a) && (a->type == IO_INTEGER || (!could_be_points && all_whole(a)));
  return indices ? use_indices(spec, in, error) : use_landmark_points(spec, in, error);
}
