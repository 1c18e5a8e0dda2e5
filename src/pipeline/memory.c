/*
 * The largest of four moments, in bytes (per point: R bytes of a coordinate):
 *     operator       points in tile order p R and their order 8, frames d p R, two
 *                    scalings and a label 24; what is needed to make the matrix
 *     spectrum       the same; the matrix, and the vectors of the solver
 *     eigenvectors   the same and degrees 8, eigenvectors q r R (twice in files)
 *     end            order 8, degrees 8, points, frames in both orders, eigenvectors
 * With landmarks the matrix is G: a block for every pair of landmarks that a point
 * reaches together, some 2^d times as many for each as a point reaches; each thread
 * adds up a G of its own. Without, every pair has a block, a weight and a column;
 * the directed graph and its transpose exist besides while it is made.
 */
#include "pipeline/memory.h"

#include "base/memory.h"
#include "base/options.h"
#include "neighbours/rows.h"
#include "pipeline/choose.h"
#include "pipeline/objects.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

static const double PROGRAM = 14e6, PER_THREAD = 3e6; /* code, libraries; buffers */

static double larger(double a, double b) {
  return a > b ? a : b;
}

/* Bytes while the matrix is made, of the matrix, and of the solver. */
typedef struct {
  double made, kept, solver;
} matrix_t;

static double solver_bytes(const sizes_t *s, double size) {
  double columns = larger(3 * (double)s->r + 40, 80) + (size < 20000 ? 60 : 0) + 40;
  return 8 * size * columns;
}

static matrix_t landmark_matrix(const sizes_t *s) {
  double q = (double)s->q, m = (double)s->m, size = m * q, threads = s->threads;
  double reach = s->pairs * pow(2, s->d > 0 ? (double)s->d : 2), row = reach < m ? reach : m;
  double fill = s->pairs / m, dense = 8 * size * size, sparse = (8 * q * q + 4) * m * row;
  double solver = size > 1000 ? solver_bytes(s, size) : 2 * dense;
  double panel = fmin(64e6, (double)s->n * q * size * (double)s->real); /* gram.c */
  if (fill > 0.2) return (matrix_t){dense + panel, dense, solver};
  if (size <= 600 || fill > 0.06) return (matrix_t){dense * threads, dense, solver};
  return (matrix_t){sparse * (1 + 0.7 * threads), sparse, solver};
}

static matrix_t square_matrix(const sizes_t *s) {
  double q = (double)s->q, blocks = s->pairs * (12 + 8 * q * q), size = (double)s->n * q;
  /* while it is made symmetric, columns and weights are there three times, and blocks not yet */
  double made = s->pairs * larger(36, 16 + 8 * q * q);
  return (matrix_t){made, blocks, solver_bytes(s, size) + 8 * (double)s->r * size};
}

need_t memory_need(const sizes_t *s) {
  double n = (double)s->n, real = (double)s->real, x = (double)s->p * real, frames = (double)s->d * x;
  double u = (double)(s->q * s->r) * real, points = x + 8 + frames + (s->square ? 16 : 24);
  double fields = points + 8 + u * (s->files ? 2 : 1), end = 8 + 2 * frames + u + 8 + (s->files ? 4 : 0);
  if (s->d > 0 || s->square) end += x;
  matrix_t matrix = s->square ? square_matrix(s) : landmark_matrix(s);
  double base = PROGRAM + PER_THREAD * s->threads, pca = 8 * n * (double)s->pca;
  double arrays = n * larger(larger(fields, end), points + 16) + pca;
  double memory = larger(larger(n * (points + 16) + matrix.made, n * points + matrix.kept + matrix.solver),
                         n * larger(fields, end) + matrix.kept);
  /* a stored edge: weight, column, block; and batches of pixels while coefficients are made */
  double edges = s->stored ? n * s->pairs * (12 + 8 * (double)(s->q * s->q)) : 0;
  memory = larger(memory + edges, n * x + (double)s->raw * real);
  memory += base + pca;
  if (s->files) { /* all of it is kept to half of the limit (run.c), but for what is mapped between two looks
                   */
    double rest =
        base + edges + (double)s->raw * real + matrix.kept + larger(matrix.made - matrix.kept, matrix.solver);
    double most = larger(rest, 0.5 * (double)s->limit) + 0.1 * (double)s->limit;
    memory = rest + arrays < most ? rest + arrays : most;
  }
  /* weights that are kept (graph/kept.h) */
  double kept = real * (double)s->m * (n + (double)s->p);
  bool keep = !s->square && !s->files && !s->stored && s->p >= 32 && s->pairs >= 0.25 * (double)s->m;
  if (keep && kept <= 0.25 * ((double)s->limit - memory)) memory += kept;
  double disk = s->files ? arrays : 0;
  return (need_t){memory < 9e18 ? (int64_t)memory : INT64_MAX, disk < 9e18 ? (int64_t)disk : INT64_MAX};
}

/* Points, frames and scalings of the pipeline; frames and degrees once more, and where rows start, in the
 * order of the data; the blocks, which dm, vdm and stored edges (with weights) have a second time. */
int64_t memory_blocks(const sizes_t *s, int64_t blocks) {
  double x = (double)s->p * (double)s->real, frames = (double)s->d * x;
  double block = 8 * (double)(s->q * s->q), stored = s->square ? block + 4 : s->stored ? block + 12 : 0;
  double memory = PROGRAM + PER_THREAD * s->threads + (double)blocks * (block + 4 + stored) +
                  (double)s->n * (x + 8 + 2 * frames + 24 + 16 + 8 * (double)s->pca);
  return memory < 9e18 ? (int64_t)memory : INT64_MAX;
}

static int64_t or_else(int64_t value, double otherwise, double most) {
  return value > 0 ? value : (int64_t)(otherwise < most ? otherwise : most);
}

/* Pairs closer than the cut-off, from some points against some others. */
static double ball_pairs(const lavdm_options *o, const lavdm_data *data) {
  enum { QUERIES = 100, OTHERS = 10000 };
  int64_t n = data->n, row = data->row_stride ? data->row_stride : data->p,
          col = data->col_stride ? data->col_stride : 1;
  int64_t queries = n < QUERIES ? n : QUERIES, others = n < OTHERS ? n : OTHERS, found = 0;
  rows_t rows = {.points = data->points, .type = data->type, .row = row, .col = col};
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

double memory_basis(int64_t height, int64_t width) {
  double side = (double)(height < width ? height : width);
  return 2.5 * side * side * side * side;
}

/* Objects that turn: coefficients in place of points, two numbers each and about as many as half of the
 * pixels; fewer with principal components, which are made from a sample. */
static void guess_turned(const lavdm_options *o, const lavdm_data *data, sizes_t *s) {
  const double sample = 20000, batch = 64e6;
  bool reduced = o->noise != 0 || o->pca > 0,
       plain = o->method == LAVDM_METHOD_DM || o->method == LAVDM_METHOD_ROSELAND;
  double n = (double)data->n, p = (double)data->p;
  s->q = plain ? 1 : 2;
  s->p = o->pca > 0 ? 2 * o->pca : reduced ? data->p / 4 + 1 : data->p;
  s->pca = 0;
  s->stored = !s->square;
  s->raw = (int64_t)((3 * batch + memory_basis(data->height, data->width)) / (double)s->real +
                     (reduced ? fmin(fmin(n, sample) * p, (double)o->max_memory / 8 / (double)s->real) : 0));
  double knn = s->square ? fmax(12, fmin(50, n / 100)) : fmax(8, fmin(50, (double)s->m / 25));
  if (o->knn > 0) knn = (double)o->knn;
  knn = fmin(knn, (double)s->m);
  if (s->square && o->edges != LAVDM_EDGES_BALL && o->edges != LAVDM_EDGES_COMPLETE)
    s->pairs = 1.5 * n * (knn + 1);
  if (!s->square)
    s->pairs = o->edges == LAVDM_EDGES_BALL || o->edges == LAVDM_EDGES_COMPLETE ? (double)s->m : knn;
}

sizes_t memory_guess(const run_t *run, const lavdm_data *data) {
  const lavdm_options *o = &run->options;
  bool landmarks = method_has_landmarks(o->method);
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
  s.pairs = landmarks ? fmin(30, (double)s.m) : 1.15 * n * (knn + 1);
  /* a ball of three times the distance to the knn-th neighbour, or of the radius given */
  bool ball = o->edges == LAVDM_EDGES_BALL || (o->edges == LAVDM_EDGES_AUTO && data->n <= BALL_POINTS);
  if (!landmarks && ball) s.pairs = n * fmin(n, knn * pow(3, o->dim > 0 ? (double)o->dim : fmin(p, 2)));
  if (!landmarks && ball && o->epsilon > 0 && data->points && data->p <= 64 && !has_turns(o))
    s.pairs = ball_pairs(o, data);
  if (!landmarks && o->edges == LAVDM_EDGES_COMPLETE) s.pairs = n * n;
  /* where distances concentrate, epsilon=auto lets every landmark be reached */
  if (o->method == LAVDM_METHOD_ROSELAND && s.p >= 32) s.pairs = (double)s.m;
  if (has_turns(o)) guess_turned(o, data, &s);
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
  if (access(large_folder(), W_OK | X_OK))
    return fail(run->error, LAVDM_ERROR_MEMORY,
                "temporary files cannot be made in %s (%s): set TMPDIR to a folder that can be written",
                large_folder(), strerror(errno));
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
  bool landmarks = method_has_landmarks(o->method);
  double gb = 1e9;
  return fail(
      run->error, LAVDM_ERROR_MEMORY,
      "about %.3g GB of memory are needed and %.3g GB may be used: take fewer landmarks, components or "
      "neighbours, %sraise max_memory",
      (double)needed / gb, (double)o->max_memory / gb,
      landmarks && !run->large.files ? "use stream or single precision, or " : "or ");
}
