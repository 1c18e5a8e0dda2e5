/*
 * Kept models: what loads can be asked everything, and kept and loaded again.
 * Mutations get their checksums repaired.
 */
#include "fuzz.h"
#include "mutate.h"
#include "use.h"
#include "file/checksum.h"

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed) {
  return hdf5_mutate(data, size, most, seed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  lavdm_model *model = NULL;
  lavdm_error error = {0};
  int status = lavdm_load(fuzz_file(".h5", data, size), &model, &error);
  fuzz_check_error(status, &error);
  PROMISE((status >= 0) == (model != NULL), "there is a model or an error");
  if (!model) return 0;
  use_model(model, lookup3(data, size));
  lavdm_free(model);
  return 0;
}
