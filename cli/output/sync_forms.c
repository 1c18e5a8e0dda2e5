#include "output/sync_forms.h"
#include "base/command.h"

#include <math.h>
#include <stdlib.h>

static double entry(const double *r, int64_t q, int64_t a, int64_t b, bool turned) {
  return turned ? r[b * q + a] : r[a * q + b];
}

static double angle_of(const double *r, bool turned) {
  double angle = atan2(entry(r, 2, 1, 0, turned), r[0]);
  return angle >= M_PI ? -M_PI : angle;
}

/* w x y z with w >= 0 of a rotation: the row of x x' (x the quaternion) with the largest diagonal. */
static void quaternion_of(const double *r, bool turned, double *x) {
  double m[9], square[4];
  for (int64_t i = 0; i < 9; i++) m[i] = entry(r, 3, i / 3, i % 3, turned);
  square[0] = 1 + m[0] + m[4] + m[8];
  for (int k = 0; k < 3; k++) square[k + 1] = 1 + 2 * m[4 * k] - m[0] - m[4] - m[8];
  int best = 0;
  for (int k = 1; k < 4; k++)
    if (square[k] > square[best]) best = k;
  const double products[4][4] = {{square[0], m[7] - m[5], m[2] - m[6], m[3] - m[1]},
                                 {m[7] - m[5], square[1], m[1] + m[3], m[2] + m[6]},
                                 {m[2] - m[6], m[1] + m[3], square[2], m[5] + m[7]},
                                 {m[3] - m[1], m[2] + m[6], m[5] + m[7], square[3]}};
  double norm = 0;
  for (int k = 0; k < 4; k++) norm += products[best][k] * products[best][k];
  double f = (products[best][0] < 0 ? -1 : 1) / sqrt(norm);
  for (int k = 0; k < 4; k++) x[k] = f * products[best][k] + 0.0;
}

static int64_t whole_of(const lavdm_sync_t *sync, const double *r) {
  if (sync->group == LAVDM_GROUP_Z2) return r[0] < 0 ? -1 : 1;
  int64_t s = (int64_t)lround(atan2(r[2], r[0]) * (double)sync->order / (2 * M_PI));
  return (s + sync->order) % sync->order;
}

void forms_free(forms *f) {
  free(f->whole);
  free(f->real);
}

int forms_new(const sync_facts *facts, lavdm_error *error, forms *f) {
  const lavdm_sync_t *sync = facts->sync;
  lavdm_element kind = facts->file->edges.kind;
  int64_t n = sync->n, q = sync->q;
  bool poses = facts->file->poses, g2o = facts->output && facts->poses;
  bool whole = (sync->group == LAVDM_GROUP_Z2 || sync->group == LAVDM_GROUP_CYCLIC) && !g2o;
  bool angle = q == 2 && (g2o || kind == LAVDM_ELEMENT_ANGLE);
  bool quaternion = q == 3 && (g2o || kind == LAVDM_ELEMENT_QUATERNION);
  *f = (forms){whole || angle ? 1 : quaternion ? 4 : q * q, NULL, NULL};
  if (whole)
    f->whole = calloc((size_t)n, sizeof *f->whole);
  else
    f->real = calloc((size_t)(n * f->width), sizeof *f->real);
  if (!f->whole && !f->real) return refuse(error, LAVDM_ERROR_MEMORY, "out of memory for the elements");
  for (int64_t i = 0; i < n; i++) {
    const double *r = sync->element + i * q * q;
    bool turned = poses || g2o;
    if (whole)
      f->whole[i] = whole_of(sync, r);
    else if (angle)
      f->real[i] = angle_of(r, turned);
    else if (quaternion)
      quaternion_of(r, turned, f->real + 4 * i);
    else
      for (int64_t k = 0; k < q * q; k++) f->real[i * q * q + k] = entry(r, q, k / q, k % q, turned);
  }
  return LAVDM_OK;
}
