/* What later functions of a model go by: threads, and whom they report to. */
#include "model/model.h"

#include <omp.h>

void lavdm_set_threads(lavdm_model *model, int64_t threads) {
  model->chosen.threads = threads > 0 ? threads : omp_get_max_threads();
}

void lavdm_set_progress(lavdm_model *model, lavdm_progress_function progress, void *user) {
  model->progress = progress;
  model->progress_user = user;
}
