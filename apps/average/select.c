/* The header says what is computed: products of tiles of rows, and the greatest of each row kept in a heap.
 */
#include "average/select.h"
#include "average/support.h"

#include <cblas.h>
#include <math.h>
#include <stdlib.h>

enum { ROWS = 256, COLUMNS = 4096 };

void select_space_free(select_space *space) {
  free(space->value);
  *space = (select_space){0};
}

static double entry(const lavdm_array *array, int64_t at) {
  return array->type == LAVDM_F32 ? (double)((const float *)array->data)[at]
                                  : ((const double *)array->data)[at];
}

int select_space_new(const lavdm_model *model, double t, int64_t first, int64_t rank, select_space *out,
                     lavdm_error *error) {
  const lavdm_array *u = lavdm_get(model, "eigenvectors");
  const double *lambda = lavdm_info(model)->eigenvalues;
  int64_t n = u->shape[0], q = u->shape[1], r = u->shape[2];
  if (q > 2 || first < 0 || rank < 1 || first + rank > r)
    return average_fail(error, LAVDM_ERROR_ARGUMENT,
                        "the model has %lld components of %lld numbers, not %lld of 1 or 2", (long long)r,
                        (long long)q, (long long)(first + rank));
  *out = (select_space){n, q, rank, (int)lavdm_info(model)->chosen->threads,
                        calloc((size_t)(2 * n * rank), sizeof(float))};
  double *weight = calloc((size_t)rank, sizeof *weight);
  if (!out->value || !weight) {
    free(weight);
    select_space_free(out);
    return average_fail(error, LAVDM_ERROR_MEMORY, "out of memory for the embedding of %lld nodes",
                        (long long)n);
  }
  for (int64_t l = 0; l < rank; l++) weight[l] = pow(fmax(lambda[first + l], 0), t);
#pragma omp parallel for num_threads(out->threads) schedule(static)
  for (int64_t i = 0; i < n; i++) {
    double square = 0;
    for (int64_t k = 0; k < q * rank; k++) {
      double x = entry(u, (i * q + k / rank) * r + first + k % rank) * weight[k % rank];
      square += x * x;
    }
    double scale = square > 0 ? 1 / sqrt(square) : 0; /* NaN: no eigenvectors */
    for (int64_t k = 0; k < q * rank; k++)
      if (scale > 0)
        out->value[2 * i * rank + k] =
            (float)(entry(u, (i * q + k / rank) * r + first + k % rank) * weight[k % rank] * scale);
  }
  free(weight);
  return LAVDM_OK;
}

/* The least of k kept at the root. */
typedef struct {
  float *value;
  int32_t *node;
  int64_t size;
} heap_t;

static void sift(heap_t *heap, int64_t k, float value, int32_t node) {
  int64_t at = 0, child;
  while ((child = 2 * at + 1) < k) {
    if (child + 1 < k && heap->value[child + 1] < heap->value[child]) child++;
    if (heap->value[child] >= value) break;
    heap->value[at] = heap->value[child], heap->node[at] = heap->node[child];
    at = child;
  }
  heap->value[at] = value, heap->node[at] = node;
}

typedef struct {
  const select_space *space;
  const int64_t *nodes;
  int64_t k;
  bool reflections;
  float *rows;    /* 2 ROWS x r */
  float *product; /* 2 ROWS x 2 COLUMNS */
  float *value;   /* ROWS x k: heaps */
  int32_t *node;
} work_t;

static int64_t node_at(const work_t *w, int64_t row) {
  return w->nodes ? w->nodes[row] : row;
}

/* |a|^2 or |b|^2 of a pair, whichever counts. */
static float square_affinity(const float *top, const float *bottom, const work_t *w, bool *by_reflection) {
  if (w->space->q == 1) return *by_reflection = false, top[0] > 0 ? top[0] * top[0] : 0;
  float ax = top[0] + bottom[1], ay = bottom[0] - top[1], bx = top[0] - bottom[1], by = bottom[0] + top[1];
  float a = ax * ax + ay * ay, b = bx * bx + by * by;
  *by_reflection = w->reflections && b > a;
  return *by_reflection ? b : a;
}

static void keep_greatest(work_t *w, int64_t row, int64_t first, int64_t columns, int64_t self) {
  heap_t heap = {w->value + row * w->k, w->node + row * w->k, w->k};
  const float *top = w->product + 2 * row * 2 * COLUMNS, *bottom = top + 2 * COLUMNS;
  for (int64_t c = 0; c < columns; c++) {
    bool reflected;
    float square = square_affinity(top + 2 * c, bottom + 2 * c, w, &reflected);
    if (square > heap.value[0] && first + c != self) sift(&heap, w->k, square, (int32_t)(first + c));
  }
}

/* The heap of a row as a descending list, and the turns of its nodes. */
static void unload(work_t *w, int64_t row, int64_t self, int64_t *index, double *affinity, double *angle,
                   signed char *reflected) {
  int64_t r = w->space->r, k = w->k;
  heap_t heap = {w->value + row * k, w->node + row * k, k};
  for (int64_t last = k - 1; last >= 0; last--) {
    int32_t node = heap.node[0];
    bool found = heap.value[0] > 0, by_reflection = false;
    double turn = NAN;
    if (found) {
      const float *x = w->space->value + 2 * self * r, *y = w->space->value + 2 * (int64_t)node * r;
      int width = (int)r;
      float top[2] = {cblas_sdot(width, x, 1, y, 1), cblas_sdot(width, x, 1, y + r, 1)};
      float bottom[2] = {cblas_sdot(width, x + r, 1, y, 1), cblas_sdot(width, x + r, 1, y + r, 1)};
      square_affinity(top, bottom, w, &by_reflection);
      turn = by_reflection ? atan2(bottom[0] + top[1], top[0] - bottom[1])
                           : atan2(bottom[0] - top[1], top[0] + bottom[1]);
    }
    index[last] = found ? node : -1;
    affinity[last] = found ? sqrt((double)heap.value[0]) : NAN;
    angle[last] = turn;
    if (reflected) reflected[last] = by_reflection;
    sift(&heap, last, heap.value[last], heap.node[last]);
  }
}

static int work_new(work_t *w, lavdm_error *error) {
  w->rows = malloc(2 * ROWS * (size_t)w->space->r * sizeof(float));
  w->product = malloc(2 * ROWS * 2 * (size_t)COLUMNS * sizeof(float));
  w->value = malloc(ROWS * (size_t)w->k * sizeof(float));
  w->node = malloc(ROWS * (size_t)w->k * sizeof(int32_t));
  if (w->rows && w->product && w->value && w->node) return LAVDM_OK;
  return average_fail(error, LAVDM_ERROR_MEMORY, "out of memory for the search among %lld nodes",
                      (long long)w->space->n);
}

static void search_rows(work_t *w, int64_t first_row, int64_t rows) {
  int64_t n = w->space->n, r = w->space->r;
  for (int64_t row = 0; row < rows; row++) {
    const float *from = w->space->value + 2 * node_at(w, first_row + row) * r;
    for (int64_t k = 0; k < 2 * r; k++) w->rows[2 * row * r + k] = from[k];
    for (int64_t k = 0; k < w->k; k++) w->value[row * w->k + k] = 0, w->node[row * w->k + k] = -1;
  }
  for (int64_t first = 0; first < n; first += COLUMNS) {
    int64_t columns = n - first < COLUMNS ? n - first : COLUMNS;
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)(2 * rows), (int)(2 * columns), (int)r, 1,
                w->rows, (int)r, w->space->value + 2 * first * r, (int)r, 0, w->product, 2 * COLUMNS);
#pragma omp parallel for num_threads(w->space->threads) schedule(static)
    for (int64_t row = 0; row < rows; row++)
      keep_greatest(w, row, first, columns, node_at(w, first_row + row));
  }
}

int select_nearest(const select_space *space, const int64_t *nodes, int64_t count, int64_t k,
                   const lavdm_options *how, int64_t *index, double *affinity, double *angle,
                   signed char *reflected, lavdm_error *error) {
  if (k < 1 || space->n > INT32_MAX)
    return average_fail(error, LAVDM_ERROR_ARGUMENT, "%lld neighbours of %lld nodes cannot be found",
                        (long long)k, (long long)space->n);
  work_t w = {.space = space, .nodes = nodes, .k = k, .reflections = reflected != NULL};
  int status = work_new(&w, error);
  if (!nodes) count = space->n;
  for (int64_t first = 0; first < count && status >= 0; first += ROWS) {
    int64_t rows = count - first < ROWS ? count - first : ROWS;
    search_rows(&w, first, rows);
    for (int64_t row = 0; row < rows; row++) {
      int64_t at = (first + row) * k;
      unload(&w, row, node_at(&w, first + row), index + at, affinity + at, angle + at,
             reflected ? reflected + at : NULL);
    }
    status = average_progress(how, "neighbours", (double)(first + rows) / (double)count, error);
  }
  free(w.rows), free(w.product), free(w.value), free(w.node);
  return status;
}

void select_agreement(const select_space *space, const int64_t *row, const int64_t *col, const double *angle,
                      const signed char *reflected, int64_t count, double *out) {
  int64_t r = space->r;
#pragma omp parallel for num_threads(space->threads) schedule(static)
  for (int64_t e = 0; e < count; e++) {
    float along = 0, across = 0, sign = reflected && reflected[e] ? -1 : 1;
    if (col[e] >= 0) {
      const float *x = space->value + 2 * row[e] * r, *y = space->value + 2 * col[e] * r;
      for (int64_t k = 0; k < r; k++) {
        along += x[k] * y[k] + sign * x[r + k] * y[r + k];
        across += x[r + k] * y[k] - sign * x[k] * y[r + k];
      }
    }
    out[e] = col[e] < 0 ? NAN : along * cos(angle[e]) + across * sin(angle[e]);
  }
}
