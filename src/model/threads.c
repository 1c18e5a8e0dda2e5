#include "model/model.h"

#include <omp.h>

void lavdm_set_threads(lavdm_model *model, int64_t threads) {
  model->info.chosen.threads = threads > 0 ? threads : omp_get_max_threads();
}
