/* How large a run will be, from data and options alone; and whether its large arrays go to files. */
#include "base/address.h"
#include "base/memory.h"
#include "base/options.h"
#include "choose/choose.h"
#include "neighbours/rows.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

static int64_t or_else(int64_t value, int64_t otherwise) {
  return value > 0 ? value : otherwise;
}

/* Pairs closer than the cut-off, from some points against some others. */
static double ball_pairs(const lavdm_options *o, const lavdm_data *data) {
  enum { QUERIES = 100, OTHERS = 10000 };
  int64_t n = data->n, row = data->row_stride ? data->row_stride : data->p,
          col = data->col_stride ? data->col_stride : 1;
  int64_t queries = n < QUERIES ? n : QUERIES, others = n < OTHERS ? n : OTHERS, found = 0;
  strided_t rows = {.points = data->points, .type = data->type, .row = row, .col = col};
  double cutoff = o->cutoff > 0 ? o->cutoff : o->kernel == LAVDM_KERNEL_GAUSSIAN ? 3 : 1;
  for (int64_t q = 0; q < queries; q++)
    for (int64_t k = 0; k < others; k++) {
      double d2 = 0;
      for (int64_t j = 0; j < data->p; j++) {
        double gap = rows_value(&rows, q * (n / queries), j) - rows_value(&rows, k * (n / others), j);
        d2 += gap * gap;
      }
      found += d2 <= cutoff * cutoff * o->epsilon;
    }
  return (double)n + (double)n * (double)n * (double)found / ((double)queries * (double)others);
}

/* Images and signals: coefficients in place of points, two numbers each and about as many as half of the
 * pixels; fewer with principal components. */
static void guess_turned(const lavdm_options *o, const lavdm_data *data, sizes_t *s) {
  bool plain = o->method == LAVDM_METHOD_DM || o->method == LAVDM_METHOD_ROSELAND;
  bool all = o->edges == LAVDM_EDGES_BALL || o->edges == LAVDM_EDGES_COMPLETE;
  s->sampled = o->noise != 0 || o->pca > 0;
  s->q = plain ? 1 : 2;
  s->p = o->pca > 0 ? 2 * o->pca : s->sampled ? data->p / 4 + 1 : data->p;
  s->pca = 0;
  s->stored = !s->square;
  s->height = data->height, s->width = data->width;
  int64_t knn = or_else(o->knn, s->square ? usual_turned_neighbours(data->n) : usual_joined(s->m));
  if (knn > s->m) knn = s->m;
  if (s->square && !all) s->pairs = 1.5 * (double)data->n * (double)(knn + 1);
  if (!s->square) s->pairs = (double)(all ? s->m : knn);
}

sizes_t choose_sizes(const run_t *run, const lavdm_data *data) {
  const lavdm_options *o = &run->options;
  bool landmarks = has_landmarks(o);
  double n = (double)data->n;
  sizes_t s = {.n = data->n,
               .p = or_else(o->pca, data->p),
               .pca = (o->pca > 0 ? o->pca : 0) + (on_sphere(o->metric) ? or_else(o->pca, data->p) : 0),
               .square = !landmarks,
               .threads = run->threads,
               .files = run->large.files,
               .limit = o->max_memory};
  int64_t d = s.p <= 4 ? 2 : 3;
  s.d = has_frames(o) ? or_else(o->dim, d < s.p ? d : s.p) : 0;
  s.q = o->bundle == LAVDM_BUNDLE_TANGENT ? s.d : 1;
  s.m = !landmarks                 ? (run->total > s.n ? run->total : s.n)
        : data->landmark_count > 0 ? data->landmark_count
                                   : or_else(o->landmarks, usual_landmarks(s.n));
  s.r = or_else(o->components, usual_components(s.m));
  int64_t knn = or_else(o->knn, usual_neighbours(s.n));
  s.pairs = landmarks ? fmin(30, (double)s.m) : 1.15 * n * (double)(knn + 1);
  /* a ball of three times the distance to the knn-th neighbour, or of the radius given */
  bool ball = o->edges == LAVDM_EDGES_BALL || (o->edges == LAVDM_EDGES_AUTO && data->n <= BALL_POINTS);
  double wide = pow(3, o->dim > 0 ? (double)o->dim : fmin((double)s.p, 2));
  if (!landmarks && ball) s.pairs = n * fmin(n, (double)knn * wide);
  if (!landmarks && ball && o->epsilon > 0 && data->points && data->p <= 64 && !has_turns(o) &&
      o->metric == LAVDM_METRIC_EUCLIDEAN)
    s.pairs = ball_pairs(o, data);
  if (!landmarks && o->edges == LAVDM_EDGES_COMPLETE) s.pairs = n * n;
  /* where distances concentrate, epsilon=auto lets every landmark be reached */
  if (o->method == LAVDM_METHOD_ROSELAND && s.p >= 32) s.pairs = (double)s.m;
  if (has_turns(o)) guess_turned(o, data, &s);
  return s;
}

int choose_stream(run_t *run, const lavdm_data *data, need_t *need) {
  lavdm_options *o = &run->options;
  const engine_ops *ops = engine_find(run);
  if (o->max_memory == LAVDM_AUTO) o->max_memory = mem_available();
  large_start(&run->large, false);
  *need = (need_t){0};
  if (data->edges) return LAVDM_OK;
  sizes_t sizes = choose_sizes(run, data);
  *need = ops->need(&sizes);
  bool files = o->stream == LAVDM_STREAM_YES ||
               (o->stream == LAVDM_STREAM_AUTO && !sizes.square && need->memory > o->max_memory);
  o->stream = files ? LAVDM_STREAM_YES : LAVDM_STREAM_NO;
  if (!files) return LAVDM_OK; /* refused, if at all, when more is known */
  large_start(&run->large, true);
  sizes.files = true;
  *need = ops->need(&sizes);
  if (access(large_folder(), W_OK | X_OK))
    return fail(run->error, LAVDM_ERROR_MEMORY,
                "temporary files cannot be made in %s (%s): set TMPDIR to a folder that can be written",
                large_folder(), strerror(errno));
  double mapped = (double)need->memory + (double)need->disk;
  if (address_limited() && !address_free(mapped, true))
    return fail(run->error, LAVDM_ERROR_MEMORY,
                "about %.3g GB of address space are needed, temporary files included, and the limit of this "
                "process leaves %.3g GB: raise it (ulimit -v), or take fewer points",
                mapped / 1e9, address_left() / 1e9);
  int64_t space = large_free_space();
  if (need->disk > space)
    return fail(
        run->error, LAVDM_ERROR_MEMORY,
        "about %.3g GB of temporary files are needed, and %s has room for %.3g GB: set TMPDIR to a folder "
        "with more",
        (double)need->disk / 1e9, large_folder(), (double)space / 1e9);
  return LAVDM_OK;
}
