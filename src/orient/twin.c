#include "orient/twin.h"

#include <stdbool.h>

int64_t most_pairs(const lavdm_model *model) {
  const lavdm_info_t *info = lavdm_info(model);
  return info->n < info->m ? info->n : info->m;
}

/* The landmarks of the model as given ones. Those that are points of the data go
 * by their rows; others are the user's, stored in principal coordinates if pca. */
static void same_landmarks(const lavdm_model *model, lavdm_data *data) {
  const lavdm_array *index = lavdm_get(model, "landmark_index"), *points = lavdm_get(model, "landmarks");
  data->landmark_index = index ? index->data : NULL;
  if (index || !points)
    data->landmark_points = NULL;
  else if (!lavdm_get(model, "pca_basis"))
    data->landmark_points = points->data;
  data->landmark_count = points ? points->shape[0] : 0;
}

int fit_twin(const lavdm_data *data, const lavdm_model *model, const lavdm_options *how, int64_t components,
             lavdm_model **twin, lavdm_error *error) {
  lavdm_options o = *lavdm_info(model)->chosen;
  lavdm_data own = *data;
  same_landmarks(model, &own);
  bool landmarks = own.landmark_index || own.landmark_points;
  if (!landmarks && o.design == LAVDM_DESIGN_GIVEN) o.design = LAVDM_DESIGN_KMEANS; /* of no use here */
  o.trust = LAVDM_TRUST_NO;
  o.bundle = LAVDM_BUNDLE_TRIVIAL;
  o.components = components < most_pairs(model) ? components : most_pairs(model);
  if (how) o.threads = how->threads;
  o.max_memory = how ? how->max_memory : LAVDM_AUTO;
  o.progress = how ? how->progress : NULL;
  o.progress_user = how ? how->progress_user : NULL;
  return lavdm_fit(&own, &o, twin, error);
}
