/*
 * Bytes at the peak, per point (R bytes of a coordinate):
 *     points in tile order p R and their order 8, frames d p R, two scalings and
 *     a label 24, degrees 8, eigenvectors q r R (twice in files);
 *     at the end, frames in both orders instead of points and scalings.
 * With landmarks, G has a block for every pair of landmarks that a point reaches
 * together, some 2^d times as many for each as a point reaches; each thread adds
 * up a G of its own. Without, every pair has a block, a weight and a column, and
 * for a while the directed graph and its transpose exist besides. The solver
 * holds some 3 r + 200 vectors of the size of its matrix.
 */
#include "pipeline/memory.h"

#include "base/memory.h"

#include <inttypes.h>
#include <math.h>

static const double PROGRAM = 20e6, PER_THREAD = 6e6; /* code, libraries; buffers */

static double larger(double a, double b) {
  return a > b ? a : b;
}

/* G and what the solver needs for it. */
static double landmark_matrix(const sizes_t *s) {
  double q = (double)s->q, size = (double)s->m * q, threads = s->threads;
  double reach = s->pairs * pow(2, s->d > 0 ? (double)s->d : 2),
         row = reach < (double)s->m ? reach : (double)s->m;
  double fill = s->pairs / (double)s->m, vectors = 3 * (double)s->r + 200;
  double dense = 8 * size * size, sparse = (8 * q * q + 4) * (double)s->m * row;
  double solver = size > 1000 ? 8 * vectors * size : 2 * dense;
  if (size <= 600 || fill > 0.06)
    return dense * (fill > 0.2 ? 1 : threads) + solver + (fill > 0.2 ? 64e6 : 0);
  return sparse * (1 + 0.7 * threads) + solver;
}

static double square_matrix(const sizes_t *s) {
  double q = (double)s->q, size = (double)s->n * q, blocks = s->pairs * (12 + 8 * q * q);
  double solver = 8 * (3 * (double)s->r + 120) * size + 8 * (double)s->r * size;
  return blocks + larger(solver, 20 * s->pairs);
}

need_t memory_need(const sizes_t *s) {
  double n = (double)s->n, real = (double)s->real, x = (double)s->p * real, frames = (double)s->d * x;
  double u = (double)(s->q * s->r) * real;
  double fields = x + 8 + frames + 24 + 8 + u * (s->files ? 2 : 1);
  double end = 8 + 2 * frames + u + 8 + (s->files ? 4 : 0), scaling = x + 8 + frames + 40;
  double arrays = n * (larger(larger(fields, end), scaling) + 8 * (double)s->pca);
  double rest = PROGRAM + PER_THREAD * s->threads + (s->square ? square_matrix(s) : landmark_matrix(s));
  double mapped = s->files ? 0.55 * (double)s->limit : 0; /* see run.c; some more between two looks */
  double memory = rest + (s->files ? (arrays < mapped ? arrays : mapped) + 2 * n / 100 : arrays);
  /* weights that are kept (graph/kept.h) */
  double kept = real * (double)s->m * (n + (double)s->p);
  bool keep = !s->square && !s->files && s->p >= 32 && s->pairs >= 0.25 * (double)s->m;
  if (keep && kept <= 0.25 * ((double)s->limit - memory)) memory += kept;
  double disk = s->files ? arrays : 0;
  return (need_t){memory < 9e18 ? (int64_t)memory : INT64_MAX, disk < 9e18 ? (int64_t)disk : INT64_MAX};
}

static int64_t or_else(int64_t value, double otherwise, double most) {
  return value > 0 ? value : (int64_t)(otherwise < most ? otherwise : most);
}

sizes_t memory_guess(const run_t *run, const lavdm_data *data) {
  const lavdm_options *o = &run->options;
  bool landmarks = o->method == LAVDM_METHOD_LAVDM || o->method == LAVDM_METHOD_ROSELAND;
  bool frames = o->bundle == LAVDM_BUNDLE_TANGENT || o->bundle == LAVDM_BUNDLE_ORIENTATION;
  double n = (double)data->n, p = (double)(o->pca > 0 ? o->pca : data->p);
  sizes_t s = {.n = data->n,
               .p = o->pca > 0 ? o->pca : data->p,
               .pca = o->pca > 0 ? o->pca : 0,
               .square = !landmarks,
               .real = o->precision == LAVDM_PRECISION_SINGLE ? sizeof(float) : sizeof(double),
               .threads = run->threads,
               .files = run->large.files,
               .limit = o->max_memory};
  s.d = frames ? or_else(o->dim, p <= 4 ? 2 : 3, p) : 0;
  s.q = o->bundle == LAVDM_BUNDLE_TANGENT ? s.d : 1;
  s.m = !landmarks                 ? s.n
        : data->landmark_count > 0 ? data->landmark_count
                                   : or_else(o->landmarks, 2 * sqrt(n), n);
  s.r = or_else(o->components, 20, (double)s.m);
  double knn = (double)or_else(o->knn, n / 100 < 12 ? 12 : n / 100 > 50 ? 50 : n / 100, n);
  s.pairs = landmarks ? fmin(30, (double)s.m) : 1.5 * n * (knn + 1);
  /* where distances concentrate, epsilon=auto lets every landmark be reached */
  if (o->method == LAVDM_METHOD_ROSELAND && s.p >= 32) s.pairs = (double)s.m;
  return s;
}

int memory_start(run_t *run, const lavdm_data *data, need_t *need) {
  lavdm_options *o = &run->options;
  if (o->max_memory == LAVDM_AUTO) o->max_memory = mem_available();
  large_start(&run->large, false);
  *need = (need_t){0};
  if (data->edges) return LAVDM_OK;
  sizes_t sizes = memory_guess(run, data);
  *need = memory_need(&sizes);
  bool files = o->stream == LAVDM_STREAM_YES ||
               (o->stream == LAVDM_STREAM_AUTO && !sizes.square && need->memory > o->max_memory);
  o->stream = files ? LAVDM_STREAM_YES : LAVDM_STREAM_NO;
  if (!files) return LAVDM_OK; /* refused, if at all, when more is known */
  large_start(&run->large, true);
  sizes.files = true;
  *need = memory_need(&sizes);
  int64_t space = large_free_space();
  if (need->disk > space)
    return fail(
        run->error, LAVDM_ERROR_MEMORY,
        "about %.3g GB of temporary files are needed, and %s has room for %.3g GB: set TMPDIR to a folder "
        "with more",
        (double)need->disk / 1e9, large_folder(), (double)space / 1e9);
  return LAVDM_OK;
}

int memory_check(run_t *run, int64_t needed) {
  lavdm_options *o = &run->options;
  if (o->max_memory == LAVDM_AUTO) o->max_memory = mem_available();
  if (needed <= o->max_memory) return LAVDM_OK;
  bool landmarks = o->method == LAVDM_METHOD_LAVDM || o->method == LAVDM_METHOD_ROSELAND;
  double gb = 1e9;
  return fail(
      run->error, LAVDM_ERROR_MEMORY,
      "about %.3g GB of memory are needed and %.3g GB may be used: take fewer landmarks, components or "
      "neighbours, %sraise max_memory",
      (double)needed / gb, (double)o->max_memory / gb,
      landmarks && !run->large.files ? "use stream or single precision, or " : "or ");
}
