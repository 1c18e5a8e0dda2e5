/*
 * Positions for rotations that are known: least squares of p_col - p_row = R_row' shift
 * with weights w, one Laplacian of the graph for each of the q coordinates:
 *     (L p)_i = sum over edges into i of w R_row' shift - sum over edges out of i.
 */
#include "sync/sync.h"

#include "base/memory.h"

#include <string.h>

static const double tolerance = 1e-10;

static void add_side(const part_t *part, const double *r, const double *shift, const double *weight,
                     int64_t e, double *side) {
  int64_t q = part->q, i = part->row[e], k = part->col[e];
  for (int64_t b = 0; b < q; b++) {
    double sum = 0;
    for (int64_t a = 0; a < q; a++) sum += r[(i * q + a) * q + b] * shift[e * q + a];
    side[k * q + b] += weight[e] * sum;
    side[i * q + b] -= weight[e] * sum;
  }
}

int place_nodes(run_t *run, const part_t *part, const double *r, const double *shift, const double *weight,
                double *position) {
  laplacian_t matrix = {0};
  multigrid_t *grid = NULL;
  int64_t n = part->n, q = part->q;
  double *side = NEW(double, n *q);
  int status =
      side ? laplacian_new(run, part, true, weight, &matrix) : fail_memory(run->error, "the positions");
  if (!status) status = multigrid_new(run, &matrix, q, NULL, &grid);
  if (!status) {
    for (int64_t e = 0; e < part->m; e++) add_side(part, r, shift, weight, e, side);
    for (int64_t i = 0; i < n * q; i++) side[i] /= matrix.size[i / q];
    status = multigrid_solve(run, &matrix, grid, (panel_t){side, n, q, q}, (panel_t){position, n, q, q},
                             tolerance);
  }
  for (int64_t i = 0; i < n * q && !status; i++) position[i] /= matrix.size[i / q];
  for (int64_t i = n * q - 1; i >= 0 && !status; i--) position[i] -= position[i % q];
  multigrid_free(grid);
  laplacian_free(&matrix);
  mem_free(side);
  return status;
}
