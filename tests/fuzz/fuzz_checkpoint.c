/*
 * A fit that goes on from a damaged checkpoint: the first byte says which fit. It is
 * refused, or a model comes out that can be asked everything; what was the
 * checkpoint of the fit gives the model of the fit.
 */
#include "fuzz.h"
#include "mutate.h"
#include "use.h"

#include <math.h>

enum { POINTS = 24 };

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed) {
  if (size < 2) return LLVMFuzzerMutate(data, size, most);
  return 1 + hdf5_mutate(data + 1, size - 1, most - 1, seed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const lavdm_method methods[] = {LAVDM_METHOD_LAVDM, LAVDM_METHOD_VDM, LAVDM_METHOD_ROSELAND,
                                         LAVDM_METHOD_DM};
  static double x[2 * POINTS];
  lavdm_options options;
  lavdm_model *model = NULL;
  lavdm_error error = {0};
  if (size < 1) return 0;
  for (int i = 0; i < POINTS; i++) x[2 * i] = cos(i), x[2 * i + 1] = sin(i);
  lavdm_data points = {.points = x, .n = POINTS, .p = 2};
  lavdm_options_default(&options);
  options.threads = 1, options.dim = 1, options.components = 3, options.knn = 5, options.landmarks = 8;
  options.method = methods[data[0] % 4];
  options.precision = data[0] & 4 ? LAVDM_PRECISION_SINGLE : LAVDM_PRECISION_DOUBLE;
  options.checkpoint = fuzz_disk("c.h5", data + 1, size - 1);
  int status = lavdm_fit(&points, &options, &model, &error);
  fuzz_check_error(status, &error);
  PROMISE((status >= 0) == (model != NULL), "there is a model or an error");
  if (model) use_model(model, 1);
  lavdm_free(model);
  return 0;
}
