#include "lavdm/sync.h"

#include <math.h>

enum { MOST = 3 };

/* The trace of the inverse of a symmetric matrix (k <= 3) that is positive definite; else 0. */
static double inverse_trace(int64_t k, double a[MOST][MOST]) {
  double factor[MOST][MOST] = {{0}}, trace = 0;
  for (int64_t j = 0; j < k; j++)
    for (int64_t i = j; i < k; i++) {
      double sum = a[i][j];
      for (int64_t l = 0; l < j; l++) sum -= factor[i][l] * factor[j][l];
      if (i == j && !(sum > 0)) return 0;
      factor[i][j] = i == j ? sqrt(sum) : sum / factor[j][j];
    }
  for (int64_t c = 0; c < k; c++) { /* column c of the inverse of the factor */
    double x[MOST] = {0};
    for (int64_t i = c; i < k; i++) {
      double sum = i == c;
      for (int64_t l = c; l < i; l++) sum -= factor[i][l] * x[l];
      x[i] = sum / factor[i][i];
      trace += x[i] * x[i];
    }
  }
  return trace;
}

int lavdm_pose_weights(int64_t q, const double *information, double *kappa, double *tau) {
  if ((q != 2 && q != 3) || !information || !kappa || !tau) return LAVDM_ERROR_ARGUMENT;
  int64_t d = q == 2 ? 3 : 6, turns = d - q;
  double move[MOST][MOST], turn[MOST][MOST];
  for (int64_t i = 0, at = 0; i < d; i++)
    for (int64_t j = i; j < d; j++, at++) {
      if (j < q) move[i][j] = move[j][i] = information[at];
      if (i >= q) turn[i - q][j - q] = turn[j - q][i - q] = information[at];
    }
  double of_move = inverse_trace(q, move), of_turn = inverse_trace(turns, turn);
  if (!(of_move > 0 && of_turn > 0 && isfinite(of_move) && isfinite(of_turn))) return LAVDM_ERROR_DATA;
  *tau = (double)q / of_move;
  *kappa = (q == 2 ? 1 : 1.5) / of_turn;
  return LAVDM_OK;
}
