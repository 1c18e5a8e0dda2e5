#include "match_rate.h"

#include "base/memory.h"
#include "steer/grid.h"
#include "stack/stack.h"

#include <omp.h>

#ifndef LAVDM_SINGLE
int64_t match_grid(const lavdm_stack *stack) {
  steer_grid grid;
  int64_t size = REAL(steer_grid_start)(&grid, stack->info.bands) ? grid.size : 0;
  REAL(steer_grid_free)(&grid);
  return size;
}
#endif

enum { TILE = 32 };

double REAL(match_seconds)(const lavdm_stack *stack, int64_t n, int64_t m) {
  const steer_stack *x = ((const stack_body *)stack->body)->compared;
  int64_t *landmark = NEW(int64_t, m);
  for (int64_t k = 0; landmark && k < m; k++) landmark[k] = n + k;
  double began = omp_get_wtime();
  steer_packed *packed = landmark ? REAL(steer_pack)(x, landmark, m) : NULL;
  int made = packed != NULL;
#pragma omp parallel reduction(&& : made)
  {
    steer_work *work = REAL(steer_work_new)(x->bands, TILE, 0);
    real_t *distance2 = NEW(real_t, TILE * m), *angle = NEW(real_t, TILE * m);
    made = made && work && distance2 && angle;
#pragma omp for schedule(dynamic, 1)
    for (int64_t i = 0; i < n; i += TILE)
      if (made) REAL(steer_match_packed)
    (x, i, n - i < TILE ? n - i : TILE, packed, NULL, work, distance2, angle, NULL);
    REAL(steer_work_free)(work);
    mem_free(distance2);
    mem_free(angle);
  }
  double seconds = omp_get_wtime() - began;
  REAL(steer_packed_free)(packed);
  mem_free(landmark);
  return made ? seconds : -1;
}
