/* Nearest points of many queries: batches over the threads. */
#include "base/memory.h"
#include "neighbours/work.h"

#include <omp.h>

int REAL(nearest_all)(run_t *run, const tiles_t *tiles, const real_t *query, int64_t count, int64_t k,
                      int64_t *index, real_t *d2) {
  int64_t p = tiles->p, batch = may_be_wide(tiles) ? 256 : 64;
  if (!may_be_wide(tiles) && 8 * count < tiles->n) batch = 1; /* too few to lie close together */
  int64_t batches = (count + batch - 1) / batch;
  int status = LAVDM_OK;
  neighbour_work **work = NEW(neighbour_work *, run->threads);
  for (int t = 0; work && t < run->threads; t++) {
    work[t] = REAL(neighbour_work_new)();
    if (!work[t]) status = LAVDM_ERROR_MEMORY;
  }
  if (!work) status = LAVDM_ERROR_MEMORY;
  if (status == LAVDM_OK) {
    int blas = blas_threads(1);
#pragma omp parallel for schedule(static, 4) num_threads(run->threads)                                       \
    reduction(min                                                                                            \
              : status) if (batches > 8 || p > 100)
    for (int64_t b = 0; b < batches; b++) {
      if (status < 0 || run_stopped(run, b, batches)) continue;
      int64_t i = b * batch, size = count - i < batch ? count - i : batch;
      int result =
          REAL(nearest)(tiles, query + i * p, size, k, work[omp_get_thread_num()], index + i * k, d2 + i * k);
      if (result < status) status = result;
    }
    blas_threads(blas);
  }
  for (int t = 0; work && t < run->threads; t++) REAL(neighbour_work_free)(work[t]);
  mem_free(work);
  if (status < 0) return fail_memory(run->error, "a search for neighbours");
  return run_status(run);
}
