#include "io/pose_lines.h"
#include "lavdm/sync.h"

#include <math.h>
#include <string.h>

bool pose_lines_next(text_lines *t) {
  while (lines_next_row(t)) {
    const char *at = t->start, *from, *to;
    if (next_word(&at, t->stop, &from, &to) && *from != '#') return true;
  }
  return false;
}

int pose_line_fail(const pose_line *l, const char *what, double value) {
  return io_fail(l->error, LAVDM_ERROR_DATA, l->path, "line %lld: %s %.15g", (long long)l->line, what, value);
}

int pose_line_values(const pose_line *l, int count, double *value) {
  const char *at = l->at, *from, *to;
  int64_t whole;
  char word[SHOWN_WORD];
  int found = 0;
  while (next_word(&at, l->stop, &from, &to) && *from != '#') {
    if (found < count) {
      cell_kind kind = decimal_parse(from, to, &whole, &value[found]);
      if (kind == CELL_TEXT || kind == CELL_EMPTY || !isfinite(value[found])) {
        shown_word(from, to, word);
        return io_fail(l->error, LAVDM_ERROR_DATA, l->path, "line %lld: '%s' is not a finite number",
                       (long long)l->line, word);
      }
    }
    found++;
  }
  if (found == count) return LAVDM_OK;
  return io_fail(l->error, LAVDM_ERROR_DATA, l->path, "line %lld: %s takes %d numbers, and there are %d",
                 (long long)l->line, l->tag, count, found);
}

int pose_line_node(const pose_line *l, double value, int64_t *node) {
  const double end = 9007199254740992.0; /* two whole numbers may be read as this one, none as one below */
  if (!(value >= 0 && value < end && value == floor(value)))
    return pose_line_fail(l, "a node must be a whole number from 0 to 9007199254740991, and is", value);
  *node = (int64_t)value;
  return LAVDM_OK;
}

int pose_line_quaternion(const pose_line *l, const double *x, double *out) {
  double norm = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + x[3] * x[3]);
  if (!(fabs(norm - 1) <= 1e-2)) return pose_line_fail(l, "the quaternion must have length 1, and has", norm);
  out[0] = x[3] / norm;
  for (int k = 0; k < 3; k++) out[k + 1] = x[k] / norm;
  return LAVDM_OK;
}

/* ---------------------------------------------------------- information */

enum { MOST = 6 };

/* The least pivot of a Cholesky factorisation of D^-1/2 A D^-1/2, D being the diagonal of A, which must be
 * positive (rows of zeros aside, which count as pivots of 0). Files keep six digits or so: pivots down to
 * -1e-6 count as zero. */
static const double digits = 1e-6;

static double least_pivot(int d, const double *half) {
  double a[MOST][MOST] = {{0}}, least = 1;
  for (int i = 0, at = 0; i < d; i++)
    for (int k = i; k < d; k++) a[k][i] = half[at++];
  for (int i = 0; i < d; i++)
    if (a[i][i] < 0) return -1;
  for (int i = d - 1; i >= 0; i--)
    for (int k = 0; k < i; k++) {
      double scale = sqrt(a[i][i]) * sqrt(a[k][k]);
      if (!(fabs(a[i][k]) <= (1 + digits) * scale)) return -1;
      a[i][k] = scale > 0 ? a[i][k] / scale : 0;
    }
  for (int i = 0; i < d; i++) a[i][i] = a[i][i] > 0;
  for (int j = 0; j < d; j++) {
    double pivot = a[j][j];
    least = fmin(least, pivot);
    if (!(pivot > digits)) continue; /* what is left of its column is no larger than rounding allows */
    for (int i = j + 1; i < d; i++)
      for (int k = j + 1; k <= i; k++) a[i][k] -= a[i][j] * a[k][j] / pivot;
  }
  return least;
}

static bool is_diagonal(int d, const double *half) {
  for (int i = 0, at = 0; i < d; i++, at++)
    for (int k = i + 1; k < d; k++)
      if (half[++at] != 0) return false;
  return true;
}

static int fail_indefinite(const pose_line *l) {
  return io_fail(l->error, LAVDM_ERROR_DATA, l->path,
                 "line %lld: the information matrix is indefinite: it has a negative eigenvalue",
                 (long long)l->line);
}

/* Which of the two blocks is at fault. */
static int fail_block(const pose_line *l, int dim, const double *information) {
  double half[21], kappa, tau;
  int d = dim == 2 ? 3 : 6;
  for (int i = 0, at = 0; i < d; i++)
    for (int k = i; k < d; k++, at++) half[at] = i >= dim ? i == k : information[at];
  bool move = lavdm_pose_weights(dim, half, &kappa, &tau) < 0;
  return io_fail(l->error, LAVDM_ERROR_DATA, l->path,
                 "line %lld: the information about the %s is not positive definite", (long long)l->line,
                 move ? "translation" : "rotation");
}

int pose_line_weights(const pose_line *l, int dim, const double *information, double *kappa, double *tau) {
  const double most = 1e100;
  int d = dim == 2 ? 3 : 6;
  if (lavdm_pose_weights(dim, information, kappa, tau) < 0) return fail_block(l, dim, information);
  double move = 0, turn = 0; /* the largest on the diagonal, which no harmonic mean of eigenvalues exceeds */
  for (int i = 0, at = 0; i < d; at += d - i, i++)
    if (i < dim)
      move = fmax(move, information[at]);
    else
      turn = fmax(turn, information[at]);
  if (!(*kappa > 0 && turn <= most))
    return pose_line_fail(l, "the information about the rotation must be above 0 and at most 1e100, and is",
                          turn);
  if (!(*tau > 0 && move <= most))
    return pose_line_fail(
        l, "the information about the translation must be above 0 and at most 1e100, and is", move);
  *kappa = fmin(*kappa, turn), *tau = fmin(*tau, move);
  if (is_diagonal(d, information) || least_pivot(d, information) >= -digits) return LAVDM_OK;
  return fail_indefinite(l);
}

int pose_line_semidefinite(const pose_line *l, int d, const double *half) {
  double most = 0;
  for (int i = 0; i < d * (d + 1) / 2; i++) most = fmax(most, fabs(half[i]));
  if (most > 1e100) return pose_line_fail(l, "information must be at most 1e100, and is", most);
  if (!(most > 0))
    return io_fail(l->error, LAVDM_ERROR_DATA, l->path, "line %lld: the information matrix is zero",
                   (long long)l->line);
  if (least_pivot(d, half) >= -digits) return LAVDM_OK;
  return fail_indefinite(l);
}

/* ------------------------------------------------------------- rotations */

void pose_matrix(int dim, const double *rotation, bool back, double *out) {
  if (dim == 2) {
    double c = cos(rotation[0]), s = back ? -sin(rotation[0]) : sin(rotation[0]);
    memcpy(out, (double[]){c, -s, s, c}, 4 * sizeof *out);
    return;
  }
  double w = back ? -rotation[0] : rotation[0], x = rotation[1], y = rotation[2], z = rotation[3];
  const double m[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
                       2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                       2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
  memcpy(out, m, sizeof m);
}

static const double loose = 1e-2;

/* The largest entry of |M M' - 1|, or NAN. */
static double rotation_error(const double *m) {
  double worst = 0;
  for (int a = 0; a < 3; a++)
    for (int b = a; b < 3; b++) {
      double sum = a == b ? -1 : 0;
      for (int k = 0; k < 3; k++) sum += m[3 * a + k] * m[3 * b + k];
      if (isnan(sum)) return NAN;
      worst = fmax(worst, fabs(sum));
    }
  return worst;
}

static double determinant(const double *m) {
  return m[0] * (m[4] * m[8] - m[5] * m[7]) - m[1] * (m[3] * m[8] - m[5] * m[6]) +
         m[2] * (m[3] * m[7] - m[4] * m[6]);
}

bool pose_is_rotation(const double *m) {
  return rotation_error(m) <= loose && determinant(m) > 0;
}

bool pose_is_unit(const double *x) {
  return fabs(x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + x[3] * x[3] - 1) <= loose;
}

int pose_line_rotation(const pose_line *l, const double *m, double *out) {
  double worst = rotation_error(m), square[4], norm = 0;
  if (!(worst <= loose))
    return pose_line_fail(l, "the matrix is not orthogonal: M M' differs from the identity by", worst);
  if (!(determinant(m) > 0))
    return pose_line_fail(l, "the matrix is a reflection: its determinant is", determinant(m));
  square[0] = 1 + m[0] + m[4] + m[8];
  for (int k = 0; k < 3; k++) square[k + 1] = 1 + 2 * m[4 * k] - m[0] - m[4] - m[8];
  int best = 0;
  for (int k = 1; k < 4; k++)
    if (square[k] > square[best]) best = k;
  /* 4 x x' for the quaternion x: the row with the largest diagonal */
  const double row[4][4] = {{square[0], m[7] - m[5], m[2] - m[6], m[3] - m[1]},
                            {m[7] - m[5], square[1], m[1] + m[3], m[2] + m[6]},
                            {m[2] - m[6], m[1] + m[3], square[2], m[5] + m[7]},
                            {m[3] - m[1], m[2] + m[6], m[5] + m[7], square[3]}};
  for (int k = 0; k < 4; k++) norm += row[best][k] * row[best][k];
  double f = (row[best][0] < 0 ? -1 : 1) / sqrt(norm);
  for (int k = 0; k < 4; k++) out[k] = f * row[best][k];
  return LAVDM_OK;
}
