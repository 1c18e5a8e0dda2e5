/* Distances in .npz files: a matrix, lists of neighbours, sparse matrices; and a fit of them, if they are
 * few. */
#include "containers.h"
#include "fuzz.h"
#include "input/distance_file.h"

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed) {
  return zip_mutate(data, size, most, seed);
}

/* Numbers that lists lead to are there. */
static void check_lists(const distance_file *file) {
  const lavdm_distances *g = &file->distances;
  int64_t size = file->sparse.start ? file->sparse.count : io_array_count(&file->value);
  if (!file->sparse.start) {
    PROMISE(io_array_count(&file->index) == size, "every distance has an index");
    PROMISE(io_array_count(&file->start) == g->rows + 1, "every row has a list");
  }
  for (int64_t i = 0; i < g->rows; i++)
    PROMISE(g->start[i] >= 0 && g->start[i] <= g->start[i + 1] && g->start[i + 1] <= size,
            "lists are in the file");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  enum { FEW = 60 };
  distance_file file = {0};
  lavdm_error error = {0};
  int status = distance_file_read(fuzz_file(".npz", data, size), &file, &error);
  fuzz_check_error(status, &error);
  const lavdm_distances *g = &file.distances;
  PROMISE(status < 0 || g->value, "there are distances");
  if (status >= 0 && g->index) check_lists(&file);
  if (status >= 0 && !g->index)
    PROMISE(io_array_count(&file.value) == g->rows * g->cols, "a matrix has all its numbers");
  if (status >= 0 && g->rows <= FEW) {
    lavdm_options options;
    lavdm_options_default(&options);
    options.method = LAVDM_METHOD_DM, options.metric = LAVDM_METRIC_PRECOMPUTED, options.threads = 1;
    lavdm_data given = {.size = sizeof given, .distances = g};
    lavdm_model *model;
    status = lavdm_fit(&given, &options, &model, &error);
    fuzz_check_error(status, &error);
    lavdm_free(model);
  }
  distance_file_free(&file);
  return 0;
}
