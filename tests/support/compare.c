#include "compare.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/*
 * How near the oracle a run comes. In single precision weights and blocks carry
 * errors of 6e-8 and a few roundings follow; an eigenvector turns by such an error over
 * the gap, and one with a small eigenvalue by more, as it is divided by it.
 */
typedef struct {
  double degree, value, gap, projector;
} nearness_t;

static const nearness_t nearness[] = {
    [LAVDM_PRECISION_DOUBLE] = {1e-11, 1e-11, 1e-4, 1e-6},
    [LAVDM_PRECISION_SINGLE] = {3e-6, 5e-6, 1e-2, 1e-4},
};

double *sheet(int64_t n, int64_t p, int64_t d, uint64_t seed) {
  double *t = numbers(n * d), *a = numbers(d * p), *x = numbers(n * p);
  fill_normal(t, n * d, seed);
  fill_normal(a, d * p, seed + 1);
  for (int64_t i = 0; i < n; i++)
    for (int64_t j = 0; j < p; j++) {
      for (int64_t k = 0; k < d; k++) x[i * p + j] += a[k * p + j] * sin(t[i * d + k] + 0.3 * (double)j);
      x[i * p + j] /= sqrt((double)p);
    }
  free(t), free(a);
  return x;
}

lavdm_options oracle_options(lavdm_method method) {
  lavdm_options o;
  lavdm_options_default(&o);
  o.method = method;
  o.components = 6;
  o.pca = 0; /* the oracle's coordinates are those of the points */
  o.trust = LAVDM_TRUST_NO;
  return o;
}

/* Which pairs the k-NN rule joins, by brute force; ties do not occur. */
static unsigned char *knn_pairs(const double *x, int64_t n, int64_t p, int64_t k) {
  unsigned char *linked = calloc((size_t)(n * n), 1);
  double *d2 = numbers(n * n);
  for (int64_t i = 0; i < n * n; i++)
    for (int64_t c = 0; c < p; c++) d2[i] += pow(x[i / n * p + c] - x[i % n * p + c], 2);
  for (int64_t i = 0; i < n; i++)
    for (int64_t j = 0; j < n; j++) {
      int64_t closer = 0;
      for (int64_t l = 0; l < n; l++) closer += l != i && d2[i * n + l] < d2[i * n + j];
      if (i == j || closer < k) linked[i * n + j] = linked[j * n + i] = 1;
    }
  free(d2);
  return linked;
}

static void compare(const lavdm_model *model, const oracle_result *truth) {
  const lavdm_info_t *info = lavdm_info(model);
  const nearness_t *near = &nearness[info->chosen->precision];
  const double *degrees = lavdm_get(model, "degrees")->data;
  int64_t r = info->chosen->components, size = info->n * info->q;
  for (int64_t i = 0; i < info->n; i++)
    assert_true(fabs(degrees[i] - truth->degree[i]) <= near->degree * fabs(truth->degree[i]));
  for (int64_t l = 0; l < r; l++) {
    assert_true(fabs(info->eigenvalues[l] - truth->values[l]) < near->value);
    assert_true(info->residuals[l] < 1e-8);
  }
  double *u = model_orthonormal(model);
  int compared = 0;
  for (int64_t k = 1; k <= r; k++) {
    if (truth->values[k - 1] - truth->values[k] < near->gap) continue;
    assert_true(projector_distance(size, k, u, r, truth->vectors, size) < near->projector);
    compared++;
  }
  assert_true(compared > 0);
  free(u);
}

/* The oracle's problem from what the library chose. */
typedef struct {
  oracle_problem problem;
  double *z, *frames, *zframes;
  unsigned char *linked;
  bool square;
} posed_t;

static posed_t pose(const lavdm_model *model, const double *x) {
  const lavdm_info_t *info = lavdm_info(model);
  const lavdm_options *o = info->chosen;
  bool square = o->method == LAVDM_METHOD_DM || o->method == LAVDM_METHOD_VDM;
  posed_t posed = {.square = square,
                   .z = square ? NULL : model_doubles(model, "landmarks"),
                   .frames = model_doubles(model, "frames"),
                   .zframes = model_doubles(model, square ? "frames" : "landmark_frames")};
  if (square && o->edges == LAVDM_EDGES_KNN) posed.linked = knn_pairs(x, info->n, info->p, o->knn);
  posed.problem = (oracle_problem){.n = info->n,
                                   .m = info->m,
                                   .p = info->p,
                                   .d = o->dim > 0 ? o->dim : 1,
                                   .q = info->q,
                                   .x = x,
                                   .z = square ? x : posed.z,
                                   .frames = posed.frames,
                                   .zframes = posed.zframes,
                                   .bundle = o->bundle,
                                   .kernel = o->kernel,
                                   .epsilon = o->epsilon,
                                   .radius = o->cutoff * sqrt(o->epsilon),
                                   .alpha = o->alpha,
                                   .beta = o->beta,
                                   .linked = posed.linked};
  return posed;
}

static void posed_free(posed_t *posed) {
  free(posed->z), free(posed->frames), free(posed->zframes), free(posed->linked);
}

static bool same_numbers(const double *a, const double *b, int64_t count) {
  return a == b || (a && b && !memcmp(a, b, (size_t)count * sizeof *a));
}

/* Whether two posed problems have one solution. */
static bool same_problem(const posed_t *a, const posed_t *b) {
  const oracle_problem *s = &a->problem, *t = &b->problem;
  int64_t frame = s->p * s->d;
  return s->m == t->m && s->q == t->q && s->d == t->d && s->epsilon == t->epsilon && s->radius == t->radius &&
         s->alpha == t->alpha && s->beta == t->beta && same_numbers(a->z, b->z, s->m * s->p) &&
         same_numbers(a->frames, b->frames, s->n * frame) &&
         same_numbers(a->zframes, b->zframes, s->m * frame);
}

void check_oracle(const lavdm_options *options, const double *x, int64_t n, int64_t p,
                  const double *landmarks, int64_t count) {
  lavdm_data data = {.points = x, .n = n, .p = p, .landmark_points = landmarks, .landmark_count = count};
  posed_t before = {0};
  oracle_result truth = {0};
  for (int run = 0; run < 4; run++) {
    lavdm_options o = *options;
    o.precision = run < 2 ? LAVDM_PRECISION_DOUBLE : LAVDM_PRECISION_SINGLE;
    o.threads = 1 + run % 2;
    lavdm_model *model = fit_or_fail(&data, &o);
    assert_int_equal(lavdm_info(model)->isolated, 0);
    assert_int_equal(lavdm_info(model)->far_points, 0);
    posed_t posed = pose(model, x);
    bool same = run > 0 && same_problem(&before, &posed);
    if (o.threads == 2) assert_true(same); /* places and frames do not depend on the threads */
    if (!same) {
      oracle_free(&truth);
      truth = posed.square ? oracle_square(&posed.problem) : oracle_landmarks(&posed.problem);
    }
    compare(model, &truth);
    posed_free(&before);
    before = posed;
    lavdm_free(model);
  }
  posed_free(&before);
  oracle_free(&truth);
}
