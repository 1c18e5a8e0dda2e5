/*
 * The large arrays only, in doubles:
 *     points in tile order n p, frames (twice at the end, in both orders) n p d,
 *     eigenvectors n q r, four vectors of length n;
 *     with landmarks   G and the solver's copies: N = m q, dense up to 2048,
 *                      a fifth full beyond
 *     without          blocks q q, weights and columns of each pair, twice while
 *                      the graph is made symmetric; 4 r + 64 vectors of length N
 */
#include "pipeline/memory.h"

#include "base/memory.h"

int64_t memory_estimate(const run_t *run, int64_t n, int64_t p, int64_t q, int64_t d, int64_t m,
                        int64_t edges) {
  double dn = (double)n, dq = (double)q,
         r = (double)(run->options.components > 0 ? run->options.components : 20);
  double size = (double)m * dq;
  double doubles = dn * (double)p + 2 * dn * (double)p * (double)d + dn * dq * r + 6 * dn;
  double fill = size <= 2048 ? 2 : 0.2;
  if (edges)
    doubles += (double)edges * (dq * dq + 3.5) + (4 * r + 64) * size;
  else
    doubles += fill * size * size + (4 * r + 64) * size;
  doubles *= 8;
  return doubles < 9e18 ? (int64_t)doubles : INT64_MAX;
}

int memory_check(run_t *run, int64_t needed) {
  lavdm_options *o = &run->options;
  if (o->max_memory == LAVDM_AUTO) o->max_memory = mem_available();
  if (needed <= o->max_memory) return LAVDM_OK;
  double gb = 1 << 30;
  return fail(
      run->error, LAVDM_ERROR_MEMORY,
      "about %.3g GB of memory are needed and %.3g GB may be used: take fewer landmarks, components or "
      "neighbours, or raise max_memory",
      (double)needed / gb, (double)o->max_memory / gb);
}
