#include "average/landmarks.h"
#include "average/support.h"

#include <stdlib.h>

static uint64_t next_bits(uint64_t *state) { /* splitmix64 */
  uint64_t z = (*state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/* Each number in turn is taken with the chance that as many as are missing are among those left. */
int average_draw(int64_t n, int64_t count, uint64_t seed, int64_t *out, lavdm_error *error) {
  if (count > n)
    return average_fail(error, LAVDM_ERROR_ARGUMENT, "%lld of %lld images cannot be drawn", (long long)count,
                        (long long)n);
  uint64_t state = seed * 0x9e3779b97f4a7c15u + 1;
  int64_t taken = 0;
  for (int64_t i = 0; i < n && taken < count; i++)
    if ((double)(next_bits(&state) >> 11) * 0x1p-53 * (double)(n - i) < (double)(count - taken))
      out[taken++] = i;
  return LAVDM_OK;
}

/* Row i of the images, as floats. */
static void copy_row(const lavdm_data *images, int64_t i, float *out) {
  int64_t across = images->col_stride ? images->col_stride : 1;
  int64_t down = images->row_stride ? images->row_stride : images->p;
  for (int64_t k = 0; k < images->p; k++) {
    int64_t at = i * down + k * across;
    out[k] = images->type == LAVDM_F32 ? ((const float *)images->points)[at]
                                       : (float)((const double *)images->points)[at];
  }
}

/* The images, then the averages: a stack in which both can be compared. */
static int join_stacks(const lavdm_data *images, const double *average, int64_t m, const lavdm_options *how,
                       lavdm_stack **out, lavdm_error *error) {
  int64_t n = images->n, p = images->p;
  float *all = malloc((size_t)((n + m) * p) * sizeof *all);
  if (!all)
    return average_fail(error, LAVDM_ERROR_MEMORY, "out of memory for %lld images and %lld landmarks",
                        (long long)n, (long long)m);
#pragma omp parallel for num_threads((int)how->threads) schedule(static)
  for (int64_t i = 0; i < n; i++) copy_row(images, i, all + i * p);
#pragma omp parallel for num_threads((int)how->threads) schedule(static)
  for (int64_t k = 0; k < m * p; k++) all[n * p + k] = (float)average[k];
  lavdm_data both = {
      .points = all, .n = n + m, .p = p, .type = LAVDM_F32, .height = images->height, .width = images->width};
  int status = lavdm_stack_new(&both, how, out, error);
  free(all);
  return status;
}

int landmarks_join(const lavdm_data *images, const lavdm_stack *stack, const int64_t *drawn,
                   const nearest_t *members, const lavdm_options *how, nearest_t *joined,
                   lavdm_error *error) {
  int64_t n = images->n, m = members->count, p = images->p;
  lavdm_stack *both = NULL;
  int64_t *row = malloc((size_t)(n + m) * sizeof *row);
  double *average = malloc((size_t)(m * p) * sizeof *average);
  lavdm_options same = *how;
  if (how->noise < 0) same.noise = lavdm_stack_info(stack)->noise;
  int status = row && average ? nearest_average(stack, drawn, members, average, error)
                              : average_fail(error, LAVDM_ERROR_MEMORY, "out of memory for %lld landmarks",
                                             (long long)m);
  if (status >= 0) status = join_stacks(images, average, m, &same, &both, error);
  free(average);
  for (int64_t i = 0; i < n + m && status >= 0; i++) row[i] = i;
  if (status >= 0)
    status = lavdm_stack_neighbours(both, row, n, row + n, m, joined->k, joined->index, joined->distance,
                                    joined->angle, joined->reflected, error);
  lavdm_stack_free(both);
  free(row);
  return status;
}
