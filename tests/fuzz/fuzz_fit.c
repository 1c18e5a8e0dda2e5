/*
 * Whole fits of small data with any options: a model that can be asked everything
 * and whose eigenvalues and eigenvectors are finite, or an error with its sentence.
 */
#include "fuzz.h"
#include "problem.h"
#include "use.h"
#include "file/checksum.h"

#include <math.h>
#include <string.h>

static void check_finite(const lavdm_model *model) {
  const lavdm_info_t *info = lavdm_info(model);
  for (int64_t i = 0; i < info->chosen->components; i++)
    PROMISE(isfinite(info->eigenvalues[i]), "an eigenvalue is finite");
  for (int k = 0; k < lavdm_array_count(model); k++) {
    const lavdm_array *a = lavdm_array_at(model, k);
    if (!strcmp(a->name, "coordinate_residuals")) continue; /* NaN where none was found */
    int64_t count = a->shape[0] * (a->rank > 1 ? a->shape[1] : 1) * (a->rank > 2 ? a->shape[2] : 1);
    for (int64_t i = 0; i < count && a->type == LAVDM_F64; i++)
      PROMISE(!isnan(((const double *)a->data)[i]), "no number of a model is NaN");
    for (int64_t i = 0; i < count && a->type == LAVDM_F32; i++)
      PROMISE(!isnan(((const float *)a->data)[i]), "no number of a model is NaN");
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static problem_t p;
  bytes_t b = {data, size};
  lavdm_model *model = NULL;
  lavdm_error error = {0};
  problem_take(&b, &p);
  int status = lavdm_fit(&p.data, &p.options, &model, &error);
  fuzz_check_error(status, &error);
  PROMISE((status >= 0) == (model != NULL), "there is a model or an error");
  if (!model) return 0;
  check_finite(model);
  use_model(model, lookup3(data, size));
  lavdm_free(model);
  return 0;
}
