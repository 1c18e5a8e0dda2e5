/*
 * Takahashi's recursion. With A = L L' (rows and columns in the order of elimination) and Z = A^-1, the
 * columns J of a panel, whose rows below are I, have
 *     Y = L_IJ L_JJ^-1,   Z_IJ = -Z_II Y,   Z_JJ = L_JJ^-T L_JJ^-1 - Y' Z_IJ,
 * from the last panel to the first. Of Z it needs only what has the pattern of L: the rows I of a panel are
 * also rows of the panels in which they are columns.
 */
#include "factor/inverse.h"

#include "base/memory.h"
#include "factor/parts.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

/* Columns first .. first + width - 1; the first `width` of its rows are those. */
typedef struct {
  int64_t first, width, rows;
  const int64_t *row;
  const double *l; /* rows x width, by columns */
  double *z;
} panel_of_t;

struct inverse {
  int64_t n, panels;
  panel_of_t *panel;
  int64_t *of;      /* n: the panel of a column */
  int64_t *row_all; /* rows of all panels */
  int64_t *order;   /* n: the place of a row in the order of elimination */
  double *z;
};

typedef struct {
  double *zii, *y, *l, *jj;
  int64_t *at;
} recursion_t;

void inverse_free(inverse_t *v) {
  if (!v) return;
  void *all[] = {v->panel, v->of, v->row_all, v->order, v->z};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) mem_free(all[i]);
  mem_free(v);
}

/* Panel k of the factor: a supernode, or a column. */
static panel_of_t panel_at(const cholmod_factor *l, int64_t k) {
  if (l->is_super) {
    const int64_t *super = l->super, *start = l->pi, *value = l->px, *row = l->s;
    return (panel_of_t){.first = super[k],
                        .width = super[k + 1] - super[k],
                        .rows = start[k + 1] - start[k],
                        .row = row + start[k],
                        .l = (const double *)l->x + value[k]};
  }
  const int64_t *start = l->p, *count = l->nz, *row = l->i;
  return (panel_of_t){k, 1, count[k], row + start[k], (const double *)l->x + start[k], NULL};
}

static int lay_out(run_t *run, const cholmod_factor *l, inverse_t *v) {
  v->n = (int64_t)l->n, v->panels = l->is_super ? (int64_t)l->nsuper : v->n;
  v->panel = NEW(panel_of_t, v->panels), v->of = NEW(int64_t, v->n), v->order = NEW(int64_t, v->n);
  if (!v->panel || !v->of || !v->order) return fail_memory(run->error, "the inverse");
  int64_t rows = 0, values = 0;
  const int64_t *perm = l->Perm;
  for (int64_t i = 0; i < v->n; i++) v->order[perm[i]] = i;
  for (int64_t k = 0; k < v->panels; k++) {
    panel_of_t *p = &v->panel[k];
    *p = panel_at(l, k);
    for (int64_t c = 0; c < p->width; c++) v->of[p->first + c] = k;
    rows += p->rows, values += p->rows * p->width;
  }
  v->row_all = NEW(int64_t, rows), v->z = NEW(double, values);
  if (!v->row_all || !v->z) return fail_memory(run->error, "the inverse");
  rows = values = 0;
  for (int64_t k = 0; k < v->panels; k++) {
    panel_of_t *p = &v->panel[k];
    p->row = memcpy(v->row_all + rows, p->row, (size_t)p->rows * sizeof *p->row);
    p->z = v->z + values;
    rows += p->rows, values += p->rows * p->width;
  }
  return LAVDM_OK;
}

/* zii (m x m): Z at the rows of a panel that are below it, from the panels where they are columns. */
static void gather(const inverse_t *v, const panel_of_t *p, recursion_t *w) {
  int64_t m = p->rows - p->width;
  const int64_t *row = p->row + p->width;
  for (int64_t c = 0; c < m;) {
    const panel_of_t *from = &v->panel[v->of[row[c]]];
    for (int64_t r = c, at = 0; r < m; r++) {
      while (from->row[at] != row[r]) at++;
      w->at[r] = at;
    }
    for (; c < m && row[c] < from->first + from->width; c++) {
      const double *column = from->z + (row[c] - from->first) * from->rows;
      for (int64_t r = c; r < m; r++) w->zii[c * m + r] = w->zii[r * m + c] = column[w->at[r]];
    }
  }
}

static int solve_panel(run_t *run, const inverse_t *v, panel_of_t *p, recursion_t *w) {
  int64_t m = p->rows - p->width, k = p->width;
  int mi = (int)m, ki = (int)k, rows = (int)p->rows;
  for (int64_t c = 0; c < k; c++) {
    for (int64_t r = 0; r < k; r++) w->l[c * k + r] = r >= c ? p->l[c * p->rows + r] : 0;
    memcpy(w->y + c * m, p->l + c * p->rows + k, (size_t)m * sizeof *w->y);
  }
  if (LAPACKE_dtrtri_work(LAPACK_COL_MAJOR, 'L', 'N', ki, w->l, ki))
    return fail(run->error, LAVDM_ERROR_NUMERICS, "the factor has no inverse");
  cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, ki, ki, ki, 1, w->l, ki, w->l, ki, 0, w->jj, ki);
  if (m) {
    gather(v, p, w);
    cblas_dtrmm(CblasColMajor, CblasRight, CblasLower, CblasNoTrans, CblasNonUnit, mi, ki, 1, w->l, ki, w->y,
                mi);
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, mi, ki, mi, -1, w->zii, mi, w->y, mi, 0, p->z + k,
                rows);
    cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, ki, ki, mi, -1, w->y, mi, p->z + k, rows, 1, w->jj,
                ki);
  }
  for (int64_t c = 0; c < k; c++) memcpy(p->z + c * p->rows, w->jj + c * k, (size_t)k * sizeof *p->z);
  return LAVDM_OK;
}

static int recur(run_t *run, inverse_t *v) {
  int64_t below = 0, wide = 0, area = 0;
  for (int64_t k = 0; k < v->panels; k++) {
    const panel_of_t *p = &v->panel[k];
    int64_t m = p->rows - p->width;
    if (m > below) below = m;
    if (p->width > wide) wide = p->width;
    if (m * p->width > area) area = m * p->width;
  }
  recursion_t w = {NEW(double, below *below), NEW(double, area), NEW(double, wide *wide),
                   NEW(double, wide *wide), NEW(int64_t, below)};
  int status = w.zii && w.y && w.l && w.jj && w.at ? LAVDM_OK : fail_memory(run->error, "the inverse");
  int before = blas_threads(below * wide > 20000 ? run->threads : 1);
  for (int64_t k = v->panels - 1; k >= 0 && !status; k--) {
    status = solve_panel(run, v, &v->panel[k], &w);
    if (!status && run_stopped(run, v->panels - k, v->panels)) status = run_status(run);
  }
  blas_threads(before);
  double *all[] = {w.zii, w.y, w.l, w.jj};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) mem_free(all[i]);
  mem_free(w.at);
  return status;
}

int inverse_new(run_t *run, const factor_t *factor, inverse_t **out) {
  inverse_t *v = *out = NEW(inverse_t, 1);
  int status = v ? lay_out(run, factor->factor, v) : fail_memory(run->error, "the inverse");
  if (!status) status = recur(run, v);
  for (int64_t k = 0; k < (status ? 0 : v->panels); k++) v->panel[k].l = NULL;
  if (status < 0) inverse_free(v), *out = NULL;
  return status;
}

double inverse_entry(const inverse_t *v, int64_t i, int64_t j) {
  int64_t row = v->order[i], col = v->order[j];
  if (row < col) row = v->order[j], col = v->order[i];
  const panel_of_t *p = &v->panel[v->of[col]];
  int64_t low = 0, high = p->rows;
  while (low < high) {
    int64_t middle = (low + high) / 2;
    if (p->row[middle] < row)
      low = middle + 1;
    else
      high = middle;
  }
  return low < p->rows && p->row[low] == row ? p->z[(col - p->first) * p->rows + low] : NAN;
}
