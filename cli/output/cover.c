#include "output/cover.h"
#include "base/command.h"

#include <stdlib.h>
#include <string.h>

void cover_free(cover_t *cover) {
  free(cover->coordinates);
  free(cover->eigenvalues);
  free(cover->parity);
  *cover = (cover_t){0};
}

int cover_make(const lavdm_data *data, const lavdm_model *model, const lavdm_options *options, cover_t *out,
               lavdm_error *error) {
  const lavdm_info_t *info = lavdm_info(model);
  size_t rank = (size_t)info->chosen->components;
  out->points = 2 * info->n;
  out->rank = info->chosen->components;
  out->coordinates = calloc((size_t)out->points, rank * sizeof *out->coordinates);
  out->eigenvalues = calloc(rank, sizeof *out->eigenvalues);
  out->parity = calloc(rank, sizeof *out->parity);
  int *parity = calloc(rank, sizeof *parity), status;
  if (out->coordinates && out->eigenvalues && out->parity && parity)
    status = lavdm_cover(data, model, options, info->chosen->time, out->rank, out->coordinates,
                         out->eigenvalues, parity, error);
  else
    status = refuse(error, LAVDM_ERROR_MEMORY, "out of memory for the double cover");
  for (size_t l = 0; l < rank && status >= 0; l++) out->parity[l] = parity[l];
  if (status > 0 && error) memcpy(out->warning, error->message, sizeof out->warning);
  free(parity);
  return status;
}
