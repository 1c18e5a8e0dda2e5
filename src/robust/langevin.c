/*
 * Noise on a group, the Langevin distribution: density e^(-kappa (q - tr M)) / Z against the even one, with
 *     Z = e^-x I0(x)              on SO(2), x = 2 kappa,
 *     Z = e^-x (I0(x) - I1(x))    on SO(3).
 * In flat space Z would be (pi / kappa)^(d/2) / V, d = q(q-1)/2, V the product of the volumes of the spheres
 * S^1 .. S^(q-1); groups bend away from that where noise is wide. On O(q) both are half of these.
 */
#include "robust/robust.h"

#include <math.h>

enum { TERMS = 6 };

static const double near = 20, away = 1e5; /* x of powers of x, of 1/x, and of flat space to 4e-6 */

/* I0(x) and I1(x) by their powers. */
static void powers(double x, double value[2]) {
  double square = x * x / 4, even = 1, odd = x / 2;
  value[0] = value[1] = 0;
  for (int t = 1; even > 1e-9 * value[0]; t++) {
    value[0] += even, value[1] += odd;
    even *= square / ((double)t * t), odd *= square / ((double)t * (t + 1));
  }
}

/* Of e^-x I_k(x) sqrt(2 pi x): sum over t of prod_s ((2s - 1)^2 - 4 k^2) / (8 s x), s = 1 .. t. */
static void tails(double x, double value[2]) {
  for (int k = 0; k < 2; k++) {
    double term = value[k] = 1;
    for (int t = 1; t <= TERMS; t++)
      value[k] += term *= ((2.0 * t - 1) * (2.0 * t - 1) - 4 * k) / (8 * t * x);
  }
}

double langevin_flat(const group_t *group, double kappa) {
  double sum = (double)(group->q * (group->q - 1)) / 4 * log(M_PI / kappa);
  if (group->group == LAVDM_GROUP_O) sum -= log(2);
  for (int64_t k = 2; k <= group->q; k++) /* V, by that of S^(k-1) */
    sum -= log(2) + (double)k / 2 * log(M_PI) - lgamma((double)k / 2);
  return sum;
}

double langevin_bend(const group_t *group, double kappa) {
  double x = 2 * kappa, value[2], scale = x < near ? log(2 * M_PI * x) / 2 - x : 0;
  if (group->q < 2 || group->q > 3 || x > away) return 0;
  if (x < near)
    powers(x, value);
  else
    tails(x, value);
  return scale + (group->q == 2 ? log(value[0]) : log(2 * x) + log(value[0] - value[1]));
}
