#include "graph/kept.h"

#include "base/memory.h"
#include "neighbours/neighbours.h"

#include <cblas.h>

enum {
  MANY_COORDINATES = 32, /* from which reading is faster than making */
  SAMPLE = 50            /* tiles that are asked what they reach */
};

/* Each tile is made four times or five if nothing is kept. */
static const double SHARE = 0.25;

int REAL(kept_pays)(const tiles_t *points, const tiles_t *landmarks, double radius) {
  int64_t p = points->p, sample = points->tiles < SAMPLE ? points->tiles : SAMPLE, reached = 0, count = 0;
  if (p < MANY_COORDINATES) return 0;
  neighbour_work *work = REAL(neighbour_work_new)();
  for (int64_t s = 0; work && s < sample && count >= 0; s++) {
    int64_t node = points->tiles - 1 + s * points->tiles / sample;
    const int64_t *index;
    count =
        REAL(near_box)(landmarks, points->lower + node * p, points->upper + node * p, radius, work, &index);
    reached += count;
  }
  bool failed = !work || count < 0;
  REAL(neighbour_work_free)(work);
  if (failed) return LAVDM_ERROR_MEMORY;
  return (double)reached >= SHARE * (double)sample * (double)landmarks->n;
}

bool REAL(kept_expected)(int64_t p, int64_t m, double reach) {
  return p >= MANY_COORDINATES && reach >= SHARE * (double)m;
}

double REAL(kept_bytes)(int64_t n, int64_t p, int64_t m) {
  return sizeof(real_t) * (double)m * (double)(n + p);
}

int REAL(kept_new)(run_t *run, const tiles_t *points, const tiles_t *landmarks, kept_t *out) {
  int64_t m = landmarks->n, p = landmarks->p;
  *out = (kept_t){.m = m,
                  .w = NEW(real_t, points->n * m),
                  .far = NEW(int64_t, points->tiles),
                  .cols = NEW(int64_t, m),
                  .centre = NEW(real_t, p),
                  .a = NEW(real_t, m * p),
                  .norm = NEW(real_t, m)};
  if (!out->w || !out->far || !out->cols || !out->centre || !out->a || !out->norm) {
    REAL(kept_free)(out);
    return fail_memory(run->error, "the weights");
  }
  for (int64_t t = 0; t < points->tiles; t++) out->far[t] = -1;
  for (int64_t k = 0; k < m; k++)
    for (int64_t j = 0; j < p; j++) out->centre[j] += landmarks->x[k * p + j] / (real_t)m;
  for (int64_t k = 0; k < m; k++) {
    real_t *a = out->a + k * p;
    for (int64_t j = 0; j < p; j++) a[j] = landmarks->x[k * p + j] - out->centre[j];
    out->norm[k] = BLAS(dot)((int)p, a, 1, a, 1);
    out->cols[k] = k;
  }
  return LAVDM_OK;
}

void REAL(kept_free)(kept_t *kept) {
  mem_free(kept->w);
  mem_free(kept->far);
  mem_free(kept->cols);
  mem_free(kept->centre);
  mem_free(kept->a);
  mem_free(kept->norm);
  *kept = (kept_t){0};
}
