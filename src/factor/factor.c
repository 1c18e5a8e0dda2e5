#include "factor/parts.h"

#include "base/memory.h"

#include <math.h>
#include <omp.h>
#include <string.h>

/* Below so many operations BLAS has one thread: more would take longer, and change the last bits. Grids of
 * 5,000 poses (SE(2) and SE(3)) are below. */
static const double threaded = 2e9;

void triangle_free(triangle_t *matrix) {
  mem_free(matrix->start);
  mem_free(matrix->row);
  mem_free(matrix->value);
  *matrix = (triangle_t){0};
}

void factor_free(factor_t *f) {
  if (!f) return;
  cholmod_l_free_dense(&f->solution, &f->common);
  cholmod_l_free_dense(&f->work, &f->common);
  cholmod_l_free_dense(&f->more, &f->common);
  cholmod_l_free_factor(&f->factor, &f->common);
  cholmod_l_finish(&f->common);
  mem_free(f);
}

double factor_entries(const factor_t *f) {
  return f->entries;
}

double factor_operations(const factor_t *f) {
  return f->operations;
}

/* What CHOLMOD says went wrong, as a status. */
static int told(run_t *run, const factor_t *f, const char *what) {
  if (f->common.status == CHOLMOD_OUT_OF_MEMORY || f->common.status == CHOLMOD_TOO_LARGE)
    return fail_memory(run->error, what);
  return fail(run->error, LAVDM_ERROR_NUMERICS, "%s failed (CHOLMOD's status %d)", what, f->common.status);
}

static cholmod_sparse view(const triangle_t *a) {
  return (cholmod_sparse){.nrow = (size_t)a->n,
                          .ncol = (size_t)a->n,
                          .nzmax = (size_t)a->start[a->n],
                          .p = a->start,
                          .i = a->row,
                          .x = a->value,
                          .stype = -1,
                          .itype = CHOLMOD_LONG,
                          .xtype = a->value ? CHOLMOD_REAL : CHOLMOD_PATTERN,
                          .dtype = CHOLMOD_DOUBLE,
                          .sorted = 1,
                          .packed = 1};
}

/* CHOLMOD's own loops ask for four threads whatever there are: they get one. Returns what to give back. */
static int loops_alone(void) {
  int levels = omp_get_max_active_levels();
  omp_set_max_active_levels(0);
  return levels;
}

/* The graph of the blocks: the pattern of the first column of each. */
static int block_graph(run_t *run, const triangle_t *a, const int64_t *first, int64_t blocks,
                       triangle_t *out) {
  int64_t *block_of = NEW(int64_t, a->n), count = 0;
  *out = (triangle_t){.n = blocks, .start = NEW(int64_t, blocks + 1)};
  for (int64_t b = 0; b < blocks; b++) count += a->start[first[b] + 1] - a->start[first[b]];
  out->row = NEW(int64_t, count);
  int status =
      block_of && out->start && out->row ? LAVDM_OK : fail_memory(run->error, "the order of elimination");
  for (int64_t b = 0; b < blocks && !status; b++)
    for (int64_t i = first[b]; i < first[b + 1]; i++) block_of[i] = b;
  int64_t at = 0;
  for (int64_t b = 0; b < blocks && !status; b++) {
    int64_t last = -1;
    for (int64_t k = a->start[first[b]]; k < a->start[first[b] + 1]; k++) {
      if (block_of[a->row[k]] != last) out->row[at++] = last = block_of[a->row[k]];
    }
    out->start[b + 1] = at;
  }
  mem_free(block_of);
  if (status < 0) triangle_free(out);
  return status;
}

/* An order of the rows from the order of the blocks. */
static int order_rows(run_t *run, factor_t *f, const triangle_t *a, const int64_t *first, int64_t blocks,
                      int64_t *order) {
  triangle_t graph = {0};
  int status = block_graph(run, a, first, blocks, &graph);
  if (status < 0) return status;
  cholmod_sparse blocks_of = view(&graph);
  cholmod_factor *rough = cholmod_l_analyze(&blocks_of, &f->common);
  if (!rough) status = told(run, f, "the order of elimination");
  const int64_t *perm = rough ? rough->Perm : NULL;
  for (int64_t b = 0, at = 0; b < blocks && !status; b++)
    for (int64_t i = first[perm[b]]; i < first[perm[b] + 1]; i++) order[at++] = i;
  cholmod_l_free_factor(&rough, &f->common);
  triangle_free(&graph);
  return status;
}

static int analyse(run_t *run, factor_t *f, const triangle_t *a, const int64_t *first, int64_t blocks) {
  cholmod_sparse matrix = view(a);
  int64_t *order = first ? NEW(int64_t, a->n) : NULL;
  if (first && !order) return fail_memory(run->error, "the order of elimination");
  int status = first ? order_rows(run, f, a, first, blocks, order) : LAVDM_OK;
  if (!status && first) {
    f->common.nmethods = 1;
    f->common.method[0].ordering = CHOLMOD_GIVEN;
    f->common.postorder = 1;
    f->factor = cholmod_l_analyze_p(&matrix, order, NULL, 0, &f->common);
  } else if (!status)
    f->factor = cholmod_l_analyze(&matrix, &f->common);
  mem_free(order);
  if (!status && !f->factor) status = told(run, f, "the order of elimination");
  if (!status) f->entries = f->factor->is_super ? (double)f->factor->xsize : f->common.lnz;
  f->operations = f->common.fl;
  return status;
}

int factor_analyse(run_t *run, const triangle_t *matrix, const int64_t *first, int64_t blocks, double most,
                   factor_t **out) {
  factor_t *f = NEW(factor_t, 1);
  *out = NULL;
  if (!f) return fail_memory(run->error, "the factorisation");
  if (!cholmod_l_start(&f->common)) {
    mem_free(f);
    return fail_memory(run->error, "the factorisation");
  }
  f->common.print = 0;
  f->common.error_handler = NULL;
  f->common.final_ll = 1; /* LDL' would take negative numbers */
  f->common.quick_return_if_not_posdef = 1;
  int status = analyse(run, f, matrix, first, blocks);
  if (status < 0 || f->entries * (double)sizeof(double) > most)
    factor_free(f);
  else
    *out = f;
  return status;
}

int factor_compute(run_t *run, factor_t *f, const triangle_t *a, bool *positive) {
  cholmod_sparse matrix = view(a);
  int before = blas_threads(f->operations > threaded ? run->threads : 1);
  int levels = loops_alone();
  cholmod_l_factorize(&matrix, f->factor, &f->common);
  omp_set_max_active_levels(levels);
  blas_threads(before);
  *positive = f->common.status == CHOLMOD_OK && f->factor->minor == f->factor->n;
  bool known = f->common.status == CHOLMOD_OK || f->common.status == CHOLMOD_NOT_POSDEF;
  return known ? LAVDM_OK : told(run, f, "the factorisation");
}

/* L_jj of the columns of a factor, by the order of elimination. */
static void diagonal_of(const cholmod_factor *l, double *out) {
  const double *value = l->x;
  if (!l->is_super) {
    const int64_t *start = l->p;
    for (size_t j = 0; j < l->n; j++) out[j] = value[start[j]];
    return;
  }
  const int64_t *super = l->super, *row_start = l->pi, *value_start = l->px;
  for (size_t s = 0; s < l->nsuper; s++)
    for (int64_t j = 0; j < super[s + 1] - super[s]; j++)
      out[super[s] + j] = value[value_start[s] + j * (row_start[s + 1] - row_start[s]) + j];
}

int factor_least_left(run_t *run, const factor_t *f, const triangle_t *a, double *least) {
  const int64_t *perm = f->factor->Perm;
  double *diagonal = NEW(double, a->n);
  *least = INFINITY;
  if (!diagonal) return fail_memory(run->error, "the factorisation");
  diagonal_of(f->factor, diagonal);
  for (int64_t j = 0; j < a->n; j++)
    *least = fmin(*least, diagonal[j] * diagonal[j] / a->value[a->start[perm[j]]]);
  mem_free(diagonal);
  return LAVDM_OK;
}

int factor_solve(run_t *run, factor_t *f, int64_t columns, double *x) {
  cholmod_dense sides = {.nrow = f->factor->n,
                         .ncol = (size_t)columns,
                         .nzmax = f->factor->n * (size_t)columns,
                         .d = f->factor->n,
                         .x = x,
                         .xtype = CHOLMOD_REAL,
                         .dtype = CHOLMOD_DOUBLE};
  int before = blas_threads(1);
  int done = cholmod_l_solve2(CHOLMOD_A, f->factor, &sides, NULL, &f->solution, NULL, &f->work, &f->more,
                              &f->common);
  blas_threads(before);
  if (!done) return told(run, f, "a solution with the factor");
  memcpy(x, f->solution->x, (size_t)columns * f->factor->n * sizeof *x);
  return LAVDM_OK;
}

/* The same where columns are kept in supernodes, dense ones that share their rows. */
static double form_of_supernodes(const cholmod_factor *l, const double *x) {
  const int64_t *super = l->super, *row_start = l->pi, *value_start = l->px, *row = l->s, *perm = l->Perm;
  const double *value = l->x;
  double sum = 0;
  for (size_t s = 0; s < l->nsuper; s++) {
    int64_t rows = row_start[s + 1] - row_start[s];
    for (int64_t j = 0; j < super[s + 1] - super[s]; j++) {
      double dot = 0;
      for (int64_t k = j; k < rows; k++)
        dot += value[value_start[s] + j * rows + k] * x[perm[row[row_start[s] + k]]];
      sum += dot * dot;
    }
  }
  return sum;
}

double factor_form(const factor_t *f, const double *x) {
  const cholmod_factor *l = f->factor;
  if (l->is_super) return form_of_supernodes(l, x);
  const int64_t *start = l->p, *row = l->i, *count = l->nz, *perm = l->Perm;
  const double *value = l->x;
  double sum = 0;
  for (size_t j = 0; j < l->n; j++) {
    double dot = 0;
    for (int64_t k = start[j]; k < start[j] + count[j]; k++) dot += value[k] * x[perm[row[k]]];
    sum += dot * dot;
  }
  return sum;
}
