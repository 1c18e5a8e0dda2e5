/*
 * Trustworthiness and continuity (Venna and Kaski): with ranks r(i,j) of j among the others by
 * distance from i in space, and U(i) those of the k nearest in the embedding that are not among
 * the k nearest in space,
 *     T = 1 - 2/(n k (2n - 3k - 1)) sum over i and j in U(i) of r(i,j) - k,
 * and continuity the same with space and embedding exchanged. Ties go to the smaller number.
 */
#include "base/memory.h"
#include "base/options.h"
#include "trust/parts.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

/* The indices of the k least of the row, i left out. */
static void nearest(const double *d2, int64_t n, int64_t i, int64_t k, int64_t *out) {
  int64_t found = 0;
  for (int64_t j = 0; j < n; j++) {
    if (j == i || (found == k && !(d2[j] < d2[out[k - 1]]))) continue;
    int64_t at = found < k ? found++ : k - 1;
    while (at > 0 && d2[j] < d2[out[at - 1]]) {
      out[at] = out[at - 1];
      at--;
    }
    out[at] = j;
  }
}

/* The rank of j, from 1. */
static int64_t rank_of(const double *d2, int64_t n, int64_t i, int64_t j) {
  int64_t rank = 1;
  for (int64_t l = 0; l < n; l++) rank += l != i && l != j && (d2[l] < d2[j] || (l < j && d2[l] == d2[j]));
  return rank;
}

/* Over the k nearest by `by`, how far beyond the k-th they are by `in`. */
static double excess(const double *by, const double *in, int64_t n, int64_t k) {
  double sum = 0;
  for (int64_t i = 0; i < n; i++) {
    int64_t near[NEIGHBOURS];
    nearest(by + i * n, n, i, k, near);
    for (int64_t l = 0; l < k; l++) {
      int64_t rank = rank_of(in + i * n, n, i, near[l]);
      if (rank > k) sum += (double)(rank - k);
    }
  }
  return sum;
}

double trustworthiness(const double *truth, const double *d2, int64_t n, int64_t k, double *continuity) {
  double scale = 2 / ((double)n * (double)k * (2 * (double)n - 3 * (double)k - 1));
  *continuity = 1 - scale * excess(truth, d2, n, k);
  return 1 - scale * excess(d2, truth, n, k);
}

static bool is_scalar(const lavdm_options *o) {
  return o->method == LAVDM_METHOD_DM || o->method == LAVDM_METHOD_ROSELAND ||
         o->bundle == LAVDM_BUNDLE_TRIVIAL;
}

/*
 * Squared distances of the rows in space and in the embedding, from <V_i, V_j> = the squared norm of
 * sum over l of lambda_l^2t u_l[i] u_l[j]', or that number itself if the model is scalar. u has the
 * factors lambda^t in it; dots: q x n q.
 */
static void distances(const trust_t *t, const some_t *some, const double *u, double *dots, double *space,
                      double *embedded) {
  int64_t n = some->n, q = t->q, width = q * t->r;
  bool scalar = is_scalar(&t->run->options);
  for (int64_t i = 0; i < n; i++) {
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)q, (int)((i + 1) * q), (int)t->r, 1,
                u + i * width, (int)t->r, u, (int)t->r, 0, dots, (int)(n * q));
    for (int64_t j = 0; j <= i; j++) {
      double sum = 0;
      for (int64_t a = 0; a < q; a++)
        for (int64_t b = 0; b < q; b++) {
          double dot = dots[a * n * q + j * q + b];
          sum += scalar ? dot : dot * dot;
        }
      embedded[i * n + j] = sum;
      space[i * n + j] = space[j * n + i] = some_distance(t, some->x + i * t->p, some->x + j * t->p);
    }
  }
  for (int64_t i = 0; i < n; i++) /* the diagonal is needed to the end */
    for (int64_t j = 0; j < i; j++)
      embedded[i * n + j] = embedded[j * n + i] =
          embedded[i * n + i] + embedded[j * n + j] - 2 * embedded[i * n + j];
}

/* Rows of u, each with the factors lambda^t of the components that the embedding keeps. */
static void weighed_rows(const trust_t *t, const some_t *some, double *u) {
  const lavdm_options *o = &t->run->options;
  int64_t width = t->q * t->r;
  for (int64_t i = 0; i < some->n; i++) {
    const double *row = model_row(t->vectors, some->row[i], width, u + i * width);
    for (int64_t k = 0; k < width; k++) {
      double share = fmax(t->values[k % t->r] / t->values[0], 0);
      bool kept = pow(share, 2 * o->time) > o->delta;
      u[i * width + k] = kept ? row[k] * pow(share, o->time) : 0;
    }
  }
}

int embedding_judge(trust_t *t) {
  run_t *run = t->run;
  some_t some = {0};
  int64_t n = t->n < EMBEDDED ? t->n : EMBEDDED;
  some_forget(t);
  int status = some_take(t, n, &some);
  n = some.n;
  double *u = NEW(double, n * t->q * t->r), *dots = NEW(double, n * t->q * t->q), *space = NEW(double, n *n),
         *embedded = NEW(double, n *n);
  if (!status && !(u && dots && space && embedded)) status = fail_memory(run->error, "a sample");
  if (!status && n > 4 * NEIGHBOURS) {
    int before = blas_threads(1);
    weighed_rows(t, &some, u);
    distances(t, &some, u, dots, space, embedded);
    blas_threads(before);
    t->facts[FACT_ROWS] = (double)n;
    t->facts[FACT_NEIGHBOURS] = NEIGHBOURS;
    t->facts[FACT_TRUSTWORTHINESS] =
        trustworthiness(space, embedded, n, NEIGHBOURS, &t->facts[FACT_CONTINUITY]);
  }
  mem_free(u);
  mem_free(dots);
  mem_free(space);
  mem_free(embedded);
  some_free(&some);
  return status < 0 ? status : run_status(run);
}
