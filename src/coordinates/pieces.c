/*
 * In a graph of c components the eigenvalue 1 comes c times, and its eigenvectors, constant on each
 * component, are any basis. Of v (c x c), their values on the components, v' M v = I with the masses M: M_a =
 * 1 / |v_a|^2. The basis taken instead is t_0 = 1 on all,   t_k = s on component k-1, -s' on all after it, 0
 * on those before, orthonormal in M as well: its t_k tells component k-1 from the smaller ones. With Q = v' M
 * t, orthogonal, the first c columns of the eigenvectors are multiplied by Q, wherever the model has them.
 */
#include "coordinates/coordinates.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

/* What is not constant to this part of it mixes with slower eigenvectors, and stays. */
static const double CONSTANT = 1e-6;

static double at(const lavdm_array *array, int64_t k) {
  return array->type == LAVDM_F64 ? ((const double *)array->data)[k] : ((const float *)array->data)[k];
}

/* v: the rows of the first points of the components. False if other points have others. */
static bool values_of(const lavdm_array *vectors, const int64_t *label, int64_t r, int64_t c, double *v) {
  for (int64_t i = vectors->shape[0] - 1; i >= 0; i--)
    for (int64_t l = 0; l < c && label[i] >= 0; l++) v[label[i] * c + l] = at(vectors, i * r + l);
  for (int64_t i = 0; i < vectors->shape[0]; i++) {
    if (label[i] < 0) continue;
    const double *row = v + label[i] * c;
    double own = 0, apart = 0;
    for (int64_t l = 0; l < c; l++) {
      double x = at(vectors, i * r + l) - row[l];
      own += row[l] * row[l], apart += x * x;
    }
    if (!(own > 0) || !(apart <= CONSTANT * CONSTANT * own)) return false;
  }
  return true;
}

/* q (c x c) = v' M t, column by column; mass: 2 c, M and what is left of it from each component on. */
static void turn_of(const double *v, int64_t c, double *mass, double *q) {
  double *from = mass + c;
  for (int64_t a = c - 1; a >= 0; a--) {
    double norm = 0;
    for (int64_t l = 0; l < c; l++) norm += v[a * c + l] * v[a * c + l];
    mass[a] = 1 / norm;
    from[a] = mass[a] + (a + 1 < c ? from[a + 1] : 0);
  }
  memset(q, 0, (size_t)(c * c) * sizeof *q);
  for (int64_t k = 0; k < c; k++) {
    /* on component k-1 and on those after it; t_0: the same on all */
    double on = 0, off = 1 / sqrt(from[0]);
    if (k) {
      double own = mass[k - 1], after = from[k];
      on = sqrt(after / (own * (own + after)));
      off = -sqrt(own / (after * (own + after)));
    }
    for (int64_t a = k ? k - 1 : 0; a < c; a++) {
      double t = k && a == k - 1 ? on : off;
      for (int64_t l = 0; l < c; l++) q[l * c + k] += v[a * c + l] * mass[a] * t;
    }
  }
}

/* The first c of r columns, times q; space: c. */
static void turn_columns(const lavdm_array *array, int64_t r, int64_t c, const double *q, double *space) {
  int64_t rows = array->shape[0] * array->shape[1];
  for (int64_t i = 0; i < rows; i++) {
    for (int64_t k = 0; k < c; k++) {
      space[k] = 0;
      for (int64_t l = 0; l < c; l++) space[k] += at(array, i * r + l) * q[l * c + k];
    }
    for (int64_t k = 0; k < c; k++)
      if (array->type == LAVDM_F64)
        ((double *)array->data)[i * r + k] = space[k];
      else
        ((float *)array->data)[i * r + k] = (float)space[k];
  }
}

/* How many components have this share of the points; they are numbered from the largest on. */
static int64_t large_ones(const int64_t *label, int64_t n, int64_t c, double share, int64_t *count) {
  int64_t found = 0;
  for (int64_t i = 0; i < n; i++)
    if (label[i] >= 0) count[label[i]]++;
  while (found < c && (double)count[found] >= share * (double)n) found++;
  return found;
}

int pieces_turn(run_t *run, lavdm_model *model, double share, int64_t *large) {
  const lavdm_array *vectors = lavdm_get(model, "eigenvectors"),
                    *labels = lavdm_get(model, "graph_component"),
                    *other = lavdm_get(model, "landmark_vectors");
  int64_t c = model->info.graph_components, r = run->options.components;
  *large = 0;
  if (c < 2 || c > r || !labels || vectors->shape[1] != 1) return LAVDM_OK;
  double *v = NEW(double, c *c), *q = NEW(double, c *c), *mass = NEW(double, 2 * c);
  int64_t *count = NEW(int64_t, c);
  bool room = v && q && mass && count;
  if (room && values_of(vectors, labels->data, r, c, v)) {
    turn_of(v, c, mass, q);
    turn_columns(vectors, r, c, q, mass);
    if (other) turn_columns(other, r, c, q, mass);
    *large = large_ones(labels->data, labels->shape[0], c, share, count);
  }
  mem_free(v);
  mem_free(q);
  mem_free(mass);
  mem_free(count);
  return room ? LAVDM_OK : fail_memory(run->error, "the components of the graph");
}
