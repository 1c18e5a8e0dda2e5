#include "spectrum/residual.h"

#include "base/memory.h"

#include <math.h>

enum { WIDTH = 16 };

static int64_t columns_at(const measure_t *room, panel_t v, int64_t first) {
  return v.columns - first < room->width ? v.columns - first : room->width;
}

/* x = `count` columns of v from `first` on, y = A x */
static int multiply(run_t *run, const operator_t *op, const measure_t *room, panel_t v, int64_t first,
                    panel_t *x, panel_t *y) {
  if (operator_stopped(run, op, first, v.columns)) return run_status(run);
  int64_t count = columns_at(room, v, first);
  *x = (panel_t){room->x, v.rows, count, count};
  *y = (panel_t){room->y, v.rows, count, count};
  panel_copy(run->threads, panel_columns(v, first, count), *x);
  return op->apply(run, op->context, room->x, room->y, count);
}

/* residuals = |y - values x| over the rows of all ranks. */
static int distances(run_t *run, const operator_t *op, const measure_t *room, const double *values, panel_t x,
                     panel_t y, double *residuals) {
  panel_distances(run->threads, values, x, y, residuals, room->scratch);
  if (!op->team) return LAVDM_OK;
  for (int64_t l = 0; l < x.columns; l++) residuals[l] *= residuals[l];
  int status = team_sum(op->team, residuals, x.columns);
  for (int64_t l = 0; l < x.columns; l++) residuals[l] = sqrt(residuals[l]);
  return status;
}

int measure_pairs(run_t *run, const operator_t *op, const measure_t *room, panel_t v, const double *values,
                  double *residuals) {
  panel_t x = {0}, y = {0};
  for (int64_t first = 0; first < v.columns; first += room->width) {
    int status = multiply(run, op, room, v, first, &x, &y);
    if (!status) status = distances(run, op, room, values + first, x, y, residuals + first);
    if (status < 0) return status;
  }
  return LAVDM_OK;
}

int measure_vectors(run_t *run, const operator_t *op, const measure_t *room, panel_t v, double *values,
                    double *residuals) {
  panel_t x = {0}, y = {0};
  for (int64_t first = 0; first < v.columns; first += room->width) {
    int status = multiply(run, op, room, v, first, &x, &y);
    if (status < 0) return status;
    panel_dots(run->threads, x, y, values + first, room->scratch);
    status = team_sum(op->team, values + first, x.columns);
    if (!status) status = distances(run, op, room, values + first, x, y, residuals + first);
    if (status < 0) return status;
  }
  return LAVDM_OK;
}

int solve_residuals(run_t *run, const operator_t *op, int64_t r, const double *values, const double *vectors,
                    double *residuals) {
  int64_t n = op->size, width = r < WIDTH ? r : WIDTH;
  measure_t room = {width, NEW(double, n *width), NEW(double, n *width),
                    NEW(double, panel_inner_scratch(n, 1, width))};
  int status = room.x && room.y && room.scratch
                   ? LAVDM_OK
                   : fail_memory(run->error, "the residuals of the eigenvectors");
  status = team_agree(op->team, status);
  if (!status)
    status = measure_pairs(run, op, &room, (panel_t){(double *)vectors, n, r, r}, values, residuals);
  mem_free(room.x);
  mem_free(room.y);
  mem_free(room.scratch);
  return status;
}
