/*
 * The largest of four moments, in bytes, from what each stage says of itself:
 *     operator       points, frames and scalings; what is needed to make the matrix
 *     spectrum       the same; the matrix, and the vectors of the solver
 *     eigenvectors   the same and degrees, eigenvectors (twice in files)
 *     end            order, degrees, points, frames in both orders, eigenvectors
 * With landmarks the matrix is G; without, every pair has a block, a weight and a
 * column.
 */
#include "engine/cpu/cpu.h"
#include "graph/shared.h"
#include "graph/square.h"
#include "spectrum/spectrum.h"

#include <math.h>

static const double PROGRAM = 14e6, PER_THREAD = 3e6; /* code, libraries; buffers */
static const double KEPT_SHARE = 0.25;                /* of the memory that is left, for weights */

/* Bytes while the matrix is made, of the matrix, and of the solver. */
typedef struct {
  double made, kept, solver;
} matrix_t;

static matrix_t matrix_bytes(const sizes_t *s) {
  if (s->square) {
    int64_t size = s->n * s->q;
    double solver = spectrum_bytes(size, s->m * s->q, s->r) + 8 * (double)s->r * (double)size;
    double making = s->m > s->n ? shared_making_bytes(s->q) : square_making_bytes(s->q);
    return (matrix_t){s->pairs * making, s->pairs * bsr_block_bytes(s->q), solver};
  }
  gram_need gram = REAL(gram_bytes)(s->n, s->m, s->q, s->pairs, s->d, s->threads);
  return (matrix_t){gram.making, gram.kept, spectrum_bytes(s->m * s->q, s->m * s->q, s->r)};
}

/* What is held while images and signals are expanded. */
static double expansion_bytes(const sizes_t *s) {
  if (!s->height) return 0;
  return REAL(objects_basis_bytes)(s->height, s->width) +
         REAL(objects_batch_bytes)(s->n, s->height * s->width, s->sampled, s->limit);
}

need_t REAL(cpu_need)(const sizes_t *s) {
  double n = (double)s->n, x = (double)s->p * sizeof(real_t), frames = frames_row_bytes(s->p, s->d);
  double u = (double)(s->q * s->r) * sizeof(real_t), degree = 8;
  double points = tiles_row_bytes(s->p) + frames + (s->square ? 2 * degree : SCALING_ROW_BYTES);
  double fields = points + degree + u * (s->files ? 2 : 1);
  double end = 8 + 2 * frames + u + degree + (s->files ? 4 : 0) + (s->d > 0 || s->square ? x : 0);
  matrix_t matrix = matrix_bytes(s);
  /* the points of other ranks, and their frames */
  double others = s->square ? (double)(s->m - s->n) * (tiles_row_bytes(s->p) + frames) : 0;
  double base = PROGRAM + PER_THREAD * s->threads + others, pca = 8 * n * (double)s->pca;
  double passes = points + SCALING_PASS_BYTES;
  double arrays = n * fmax(fmax(fields, end), passes) + pca;
  double memory = fmax(fmax(n * passes + matrix.made, n * points + matrix.kept + matrix.solver),
                       n * fmax(fields, end) + matrix.kept);
  double edges = s->stored ? n * s->pairs * bsr_block_bytes(s->q) : 0, expansion = expansion_bytes(s);
  memory = fmax(memory + edges, n * x + expansion) + base + pca;
  if (s->files) { /* all of it is kept to half of the limit (run.c), but for what is mapped between two looks
                   */
    double rest = base + edges + expansion + matrix.kept + fmax(matrix.made - matrix.kept, matrix.solver);
    double most = fmax(rest, 0.5 * (double)s->limit) + 0.1 * (double)s->limit;
    memory = fmin(rest + arrays, most);
  }
  double kept = REAL(kept_bytes)(s->n, s->p, s->m);
  bool keep = !s->square && !s->files && !s->stored && REAL(kept_expected)(s->p, s->m, s->pairs);
  if (keep && kept <= KEPT_SHARE * ((double)s->limit - memory)) memory += kept;
  return (need_t){need_bytes(memory), need_bytes(s->files ? arrays : 0)};
}

/* Frames and degrees are there once more in the order of the data; the blocks too, of dm, vdm and stored
 * edges, which have weights. */
double REAL(cpu_rows_bytes)(const run_t *run, const cpu_rows *rows, int64_t blocks) {
  int64_t p = cpu_is_given(rows) ? 0 : rows->base.p, d = rows->frames.d, q = rows->spec.q;
  int64_t pca = run->options.pca > 0 && !cpu_is_given(rows) && !cpu_is_stack(rows) ? run->options.pca : 0;
  bool stored = rows->given.graph.start != NULL;
  double block = rows->spec.square ? bsr_block_bytes(q) - 8 : stored ? bsr_block_bytes(q) : 0;
  double row = tiles_row_bytes(p) + 2 * frames_row_bytes(p, d) + SCALING_ROW_BYTES + 8 + 8 * (double)pca;
  double kept = rows->kept.w ? REAL(kept_bytes)(rows->base.n, p, rows->graph.m) : 0;
  return PROGRAM + PER_THREAD * run->threads + (double)blocks * block + (double)rows->base.n * row + kept;
}
