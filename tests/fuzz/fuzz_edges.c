/* Edges as arrays of an .npz file, and sparse and dense matrices there: what is read can be fitted. */
#include "containers.h"
#include "input/graph_file.h"

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed) {
  return zip_mutate(data, size, most, seed);
}

/* Whatever the library says of it: the reader leaves the values of arrays to it. */
static void fit(const edge_file *file) {
  lavdm_data data = {.edges = &file->edges, .n = file->nodes};
  lavdm_options options;
  lavdm_model *model;
  lavdm_error error = {0};
  lavdm_options_default(&options);
  options.method = file->edges.ends == LAVDM_ENDS_LANDMARKS ? LAVDM_METHOD_ROSELAND : LAVDM_METHOD_VDM;
  options.threads = 1;
  int status = lavdm_fit(&data, &options, &model, &error);
  fuzz_check_error(status, &error);
  lavdm_free(model);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  edge_file file = {0};
  edge_terms terms = {0};
  lavdm_error error = {0};
  int status = edge_file_read(fuzz_file(".npz", data, size), &terms, &file, &error);
  fuzz_check_error(status, &error);
  PROMISE(status < 0 || file.edges.count > 0, "a graph has edges");
  PROMISE(status < 0 || file.edges.kind != LAVDM_ELEMENT_MATRIX || file.edges.q > 0, "a matrix has a size");
  if (status >= 0 && file.edges.count < 100 && file.nodes < 100) fit(&file);
  edge_file_free(&file);
  return 0;
}
