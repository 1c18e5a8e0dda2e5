#include "output/cells.h"
#include "base/command.h"
#include "output/result.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int cells_check(const arguments *a, const char *output, lavdm_error *error) {
  static const char *const others[] = {"ambient", "embedding", "cover", "compact"};
  const char *input = a->operands ? a->operand[0] : NULL, *missing = arguments_value(a, "missing");
  const lavdm_options *o = &a->options;
  bool functions =
      o->method == LAVDM_METHOD_DM || o->method == LAVDM_METHOD_ROSELAND || o->bundle == LAVDM_BUNDLE_TRIVIAL;
  if (!input || !io_is_cells(input))
    return refuse(error, STATUS_USAGE,
                  "%.200s is a copy of an .h5ad INPUT with the result in it; other results go to .h5, .npz, "
                  ".mat or .csv",
                  output);
  for (int i = 0; i < 4; i++)
    if (arguments_value(a, others[i]))
      return refuse(error, STATUS_USAGE,
                    "%.200s gets X_diffmap and diffmap_evals alone; --%s needs a file .h5, .npz or .mat",
                    output, others[i]);
  if (missing && !strcmp(missing, "drop"))
    return refuse(error, STATUS_USAGE, "--missing drop leaves rows out, and %.200s has one for each cell",
                  output);
  if (!functions)
    return refuse(error, STATUS_USAGE,
                  "%.120s holds functions of the cells (X_diffmap), and this method gives fields of vectors: "
                  "lavdm embed %.120s -o %.120s --method dm (or, for many cells, --method roseland)",
                  output, input, output);
  if (result_same(output, input))
    return refuse(error, LAVDM_ERROR_ARGUMENT, "%.200s is the input; the output would overwrite it", output);
  return folder_check(output, error);
}

static double number(const lavdm_array *a, int64_t i) {
  return a->type == LAVDM_F32 ? (double)((const float *)a->data)[i] : ((const double *)a->data)[i];
}

int cells_write(const char *path, const char *input, const lavdm_model *model, lavdm_error *error) {
  const lavdm_info_t *info = lavdm_info(model);
  const lavdm_array *u = lavdm_get(model, "eigenvectors"), *degree = lavdm_get(model, "degrees");
  if (!u || !degree || u->shape[1] != 1)
    return refuse(error, LAVDM_ERROR_ARGUMENT, "%.200s holds functions of the cells, and q is %lld", path,
                  (long long)info->q);
  int64_t n = u->shape[0], r = u->shape[2];
  double *z = malloc((size_t)(n * r) * sizeof *z + 1);
  if (!z) return refuse(error, LAVDM_ERROR_MEMORY, "out of memory for the table of the result");
  for (int64_t i = 0; i < n; i++)
    for (int64_t l = 0; l < r; l++) z[i * r + l] = sqrt(number(degree, i)) * number(u, i * r + l);
  io_diffmap map = {.rows = n, .rank = r, .vectors = z, .values = info->eigenvalues};
  int status = io_cells_write(path, input, &map, error);
  free(z);
  return status;
}
