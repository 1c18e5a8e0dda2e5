#include "drawn.h"

#include "base/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double determinant(int64_t q, const double *o) {
  double a[64], det = 1;
  memcpy(a, o, (size_t)(q * q) * sizeof *a);
  for (int64_t k = 0; k < q; k++) {
    int64_t best = k;
    for (int64_t i = k + 1; i < q; i++)
      if (fabs(a[i * q + k]) > fabs(a[best * q + k])) best = i;
    for (int64_t j = 0; j < q && best != k; j++) {
      double t = a[k * q + j];
      a[k * q + j] = a[best * q + j], a[best * q + j] = t;
    }
    det *= (best != k ? -1 : 1) * a[k * q + k];
    for (int64_t i = k + 1; i < q; i++)
      for (int64_t j = q - 1; j >= k; j--) a[i * q + j] -= a[i * q + k] / a[k * q + k] * a[k * q + j];
  }
  return det;
}

void drawn_element(void *random, int64_t q, double noise, bool reflections, double *o) {
  double middle = noise > 10 ? 0 : 1;
  if (q == 1) {
    o[0] = random_uniform(random) < (noise > 10 ? 0.5 : noise) ? -1 : 1;
    return;
  }
  for (int64_t i = 0; i < q; i++) {
    for (int64_t j = 0; j < q; j++) o[i * q + j] = noise * random_normal(random) + (i == j ? middle : 0);
    for (int pass = 0; pass < 2; pass++) {
      double norm = 0;
      for (int64_t k = 0; k < i; k++) {
        double dot = 0;
        for (int64_t j = 0; j < q; j++) dot += o[i * q + j] * o[k * q + j];
        for (int64_t j = 0; j < q; j++) o[i * q + j] -= dot * o[k * q + j];
      }
      for (int64_t j = 0; j < q; j++) norm += o[i * q + j] * o[i * q + j];
      for (int64_t j = 0; j < q; j++) o[i * q + j] /= sqrt(norm);
    }
  }
  if (!reflections && determinant(q, o) < 0)
    for (int64_t j = 0; j < q; j++) o[j] = -o[j];
}

/* Edge from i to k: O = R_i R_k' N, shift = R_i (p_k - p_i) + noise. */
static void add(drawn_t *d, const drawn_kind *kind, random_t *random, int64_t i, int64_t k) {
  int64_t q = kind->q, e = d->part.m++;
  double noise[64], *o = d->o + e * q * q;
  drawn_element(random, q, kind->noise, false, noise);
  d->row[e] = (int32_t)i, d->col[e] = (int32_t)k;
  for (int64_t a = 0; a < q; a++)
    for (int64_t b = 0; b < q; b++) {
      o[a * q + b] = 0;
      for (int64_t l = 0; l < q; l++)
        for (int64_t c = 0; c < q; c++)
          o[a * q + b] += d->r[(i * q + a) * q + l] * d->r[(k * q + c) * q + l] * noise[c * q + b];
    }
  d->part.weight[e] = exp(log(kind->spread) * random_uniform(random));
  if (!kind->shifts) return;
  d->tau[e] = exp(log(kind->spread) * random_uniform(random));
  for (int64_t a = 0; a < q; a++) {
    d->shift[e * q + a] = kind->noise * random_normal(random);
    for (int64_t l = 0; l < q; l++)
      d->shift[e * q + a] += d->r[(i * q + a) * q + l] * (d->p[k * q + l] - d->p[i * q + l]);
  }
}

static void join(drawn_t *d, const drawn_kind *kind, random_t *random) {
  int64_t n = kind->n, side = lround(sqrt((double)n));
  for (int64_t i = 0; i < n && kind->shape == DRAWN_COMPLETE; i++)
    for (int64_t k = i + 1; k < n; k++) add(d, kind, random, (i + k) & 1 ? k : i, (i + k) & 1 ? i : k);
  for (int64_t i = 0; i < n && kind->shape == DRAWN_RING; i++) add(d, kind, random, i, (i + 1) % n);
  for (int64_t i = 0; i < n && kind->shape == DRAWN_GRID; i++) {
    if (i % side + 1 < side) add(d, kind, random, i, i + 1);
    if (i + side < n) add(d, kind, random, i + side, i);
  }
  for (int64_t i = 0; i + 1 < n && kind->shape == DRAWN_RANDOM; i++) {
    int64_t k = random_below(random, n);
    add(d, kind, random, i, i + 1);
    if (k != i) add(d, kind, random, k, i);
  }
}

drawn_t *drawn_new(const drawn_kind *kind) {
  drawn_t *d = calloc(1, sizeof *d);
  random_t random = random_start(kind->seed, 11);
  int64_t n = kind->n, q = kind->q, side = lround(sqrt((double)n));
  int64_t most = kind->shape == DRAWN_COMPLETE ? n * (n - 1) / 2 : 2 * n;
  d->r = calloc((size_t)(n * q * q), sizeof *d->r);
  d->p = kind->shifts ? calloc((size_t)(n * q), sizeof *d->p) : NULL;
  d->row = calloc((size_t)most, sizeof *d->row), d->col = calloc((size_t)most, sizeof *d->col);
  d->o = calloc((size_t)(most * q * q), sizeof *d->o);
  d->shift = calloc((size_t)(most * q), sizeof *d->shift);
  d->tau = calloc((size_t)most, sizeof *d->tau);
  d->part = (part_t){.n = n, .q = q, .row = d->row, .col = d->col, .o = d->o};
  d->part.weight = calloc((size_t)most, sizeof(double));
  d->group = (group_t){q == 1 ? LAVDM_GROUP_Z2 : kind->reflections ? LAVDM_GROUP_O : LAVDM_GROUP_SO, 0, q};
  for (int64_t i = 0; i < n; i++) {
    drawn_element(&random, q, 100, kind->reflections, d->r + i * q * q);
    for (int64_t l = 0; l < q && kind->shifts; l++)
      d->p[i * q + l] = (double)(l == 0 ? i % side : l == 1 ? i / side : 0) + 0.1 * random_normal(&random);
  }
  join(d, kind, &random);
  run_t run = {.threads = 1};
  part_links(&run, &d->part);
  d->problem = (likelihood_t){&d->part, kind->shifts ? d->shift : NULL, kind->shifts ? d->tau : NULL};
  return d;
}

void drawn_free(drawn_t *d) {
  part_free(&d->part);
  free(d->part.weight);
  void *all[] = {d->r, d->p, d->row, d->col, d->o, d->shift, d->tau, d};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
}
