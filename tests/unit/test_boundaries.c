/*
 * The pipeline against the oracle on both sides of every size at which it goes
 * another way: tiles of 64 points, lanes of 8 and 16 numbers, coordinates that
 * other loops are for, dense and sparse matrices, the two solvers.
 */
#include "compare.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#define COUNT(list) (sizeof(list) / sizeof *(list))

/* n points along a closed curve in R^3, evenly but for `jitter` steps. */
static double *curve(int64_t n, double jitter, uint64_t seed) {
  double *x = numbers(3 * n), *noise = numbers(n);
  fill_normal(noise, n, seed);
  for (int64_t i = 0; i < n; i++) {
    double t = 2 * M_PI * ((double)i + jitter * noise[i]) / (double)n;
    x[3 * i] = cos(t), x[3 * i + 1] = sin(t), x[3 * i + 2] = 0.3 * sin(2 * t);
  }
  free(noise);
  return x;
}

/* One tile, two, and four: the last point of one and the first of the next. */
static void test_points(void **state) {
  (void)state;
  const int64_t sizes[] = {2, 3, 63, 64, 65, 127, 128, 129, 255, 256, 257};
  for (size_t a = 0; a < COUNT(sizes); a++) {
    int64_t n = sizes[a];
    double *x = sheet(n, 3, 2, 5);
    lavdm_options o = oracle_options(LAVDM_METHOD_LAVDM);
    o.dim = n > 3 ? 2 : 1, o.epsilon = 1, o.cutoff = 6, o.landmarks = n < 20 ? n : 20,
    o.design = (lavdm_design)(a % 3);
    o.components = n < 6 ? 1 : 6;
    check_oracle(&o, x, n, 3, NULL, 0);
    if (n > 129) {
      free(x);
      continue;
    }
    o = oracle_options(LAVDM_METHOD_VDM);
    o.dim = n > 3 ? 2 : 1, o.epsilon = 1, o.components = n < 6 ? 1 : 6;
    o.edges = a % 2 ? LAVDM_EDGES_COMPLETE : LAVDM_EDGES_BALL;
    check_oracle(&o, x, n, 3, NULL, 0);
    free(x);
  }
}

/* Landmarks around their tiles of 8, and around the points in number. */
static void test_landmarks(void **state) {
  (void)state;
  const int64_t sizes[] = {1, 2, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 69, 70};
  double *x = sheet(70, 4, 2, 6);
  for (size_t a = 0; a < COUNT(sizes); a++) {
    lavdm_options o = oracle_options(a % 2 ? LAVDM_METHOD_LAVDM : LAVDM_METHOD_ROSELAND);
    if (a % 2) o.dim = 2;
    o.epsilon = 2, o.cutoff = 6, o.landmarks = sizes[a], o.design = (lavdm_design)(a % 3);
    o.components = sizes[a] < 6 ? sizes[a] * (a % 2 ? 2 : 1) : 6;
    check_oracle(&o, x, 70, 4, NULL, 0);
  }
  free(x);
}

/* k around the lanes: neighbours of the k-NN graph, places of the local PCA. */
static void test_neighbours(void **state) {
  (void)state;
  const int64_t ks[] = {6, 7, 8, 9, 14, 15, 16, 17, 30, 31, 32, 33, 62, 63, 64, 65, 98, 99};
  double *x = sheet(100, 3, 2, 7);
  for (size_t a = 0; a < COUNT(ks); a++) {
    lavdm_options o = oracle_options(LAVDM_METHOD_VDM);
    o.dim = 2, o.epsilon = 1.2, o.edges = LAVDM_EDGES_KNN, o.knn = ks[a];
    check_oracle(&o, x, 100, 3, NULL, 0);
  }
  free(x);
}

/* Coordinates: the small PCA up to 12, products in the graph from 16 on, among the
 * neighbours from 20 on where they pay, and always from 128 on. */
static void test_coordinates(void **state) {
  (void)state;
  const int64_t ps[] = {11, 12, 13, 15, 16, 17, 19, 20, 21, 127, 128, 129};
  for (size_t a = 0; a < COUNT(ps); a++) {
    int64_t p = ps[a];
    double *x = sheet(70, p, 3, 9);
    lavdm_options o = oracle_options(LAVDM_METHOD_LAVDM);
    o.dim = 2, o.epsilon = 2, o.landmarks = 25;
    check_oracle(&o, x, 70, p, NULL, 0);
    o = oracle_options(LAVDM_METHOD_VDM);
    o.dim = 3, o.epsilon = 1.5, o.edges = LAVDM_EDGES_KNN, o.knn = 20;
    check_oracle(&o, x, 70, p, NULL, 0);
    free(x);
  }
}

/* G around the sizes 600 and 1000, full: landmarks may outnumber the points. */
static void test_dense_gram(void **state) {
  (void)state;
  double *x = sheet(130, 3, 2, 21), *z = sheet(1001, 3, 2, 22);
  const int64_t plain[] = {600, 601, 1000, 1001}, blocks[] = {300, 301, 501};
  for (size_t a = 0; a < COUNT(plain); a++) {
    lavdm_options o = oracle_options(LAVDM_METHOD_ROSELAND);
    o.epsilon = 0.3, o.components = 10;
    check_oracle(&o, x, 130, 3, z, plain[a]);
  }
  for (size_t a = 0; a < COUNT(blocks); a++) {
    lavdm_options o = oracle_options(LAVDM_METHOD_LAVDM);
    o.dim = 2, o.epsilon = 0.5, o.components = 10;
    check_oracle(&o, x, 130, 3, z, blocks[a]);
  }
  free(x), free(z);
}

/* G around the same sizes where a tile of points reaches few of the landmarks. */
static void test_sparse_gram(void **state) {
  (void)state;
  int64_t n = 1025;
  double *x = curve(n, 0.2, 1);
  const int64_t sizes[] = {600, 601, 1000, 1001};
  for (size_t a = 0; a < COUNT(sizes); a++) {
    double *z = curve(sizes[a], 0.1, 2);
    lavdm_options o = oracle_options(LAVDM_METHOD_ROSELAND);
    o.epsilon = 8e-4, o.cutoff = 3, o.components = 45;
    check_oracle(&o, x, n, 3, z, sizes[a]);
    free(z);
  }
  free(x);
}

/* The stored graph around the size from which the solver is iterative. */
static void test_square(void **state) {
  (void)state;
  for (int64_t n = 1000; n <= 1001; n++) {
    double *x = curve(n, 0.2, 3);
    lavdm_options o = oracle_options(LAVDM_METHOD_DM);
    o.epsilon = 1e-2, o.edges = LAVDM_EDGES_BALL;
    check_oracle(&o, x, n, 3, NULL, 0);
    free(x);
  }
  double *x = sheet(501, 3, 2, 21);
  lavdm_options o = oracle_options(LAVDM_METHOD_VDM);
  o.dim = 2, o.epsilon = 0.2, o.edges = LAVDM_EDGES_BALL, o.components = 10;
  check_oracle(&o, x, 501, 3, NULL, 0);
  free(x);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_points),     cmocka_unit_test(test_landmarks),
      cmocka_unit_test(test_neighbours), cmocka_unit_test(test_coordinates),
      cmocka_unit_test(test_dense_gram), cmocka_unit_test(test_sparse_gram),
      cmocka_unit_test(test_square),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
