/*
 * The slow, obvious version of everything: dense matrices, formulas as written,
 * LAPACK for what is left. The library is compared with it, never with itself.
 */
#ifndef LAVDM_TESTS_ORACLE_H
#define LAVDM_TESTS_ORACLE_H

#include "lavdm.h"
#include "lavdm/sample.h"

typedef struct {
  int64_t n, m, p, d, q;
  const double *x, *z;            /* n x p, m x p */
  const double *frames, *zframes; /* (n,p,d), (m,p,d), or NULL */
  lavdm_bundle bundle;
  lavdm_kernel kernel;
  double epsilon, radius;
  double alpha, beta;
  const unsigned char *linked; /* n x m: which pairs may be joined; NULL: all */
} oracle_problem;

typedef struct {
  int64_t size;    /* n q */
  double *degree;  /* n */
  double *values;  /* size, descending */
  double *vectors; /* size x size: column l is the l-th eigenvector */
} oracle_result;

double *numbers(int64_t count); /* zeroed, or the test fails */

/* K(sqrt(d2/epsilon)), 0 beyond radius. */
double oracle_kernel(lavdm_kernel kernel, double epsilon, double radius, double d2);

/* O (q x q) joining a point with frame b to a reference with frame c, both (p,d). */
void oracle_element(lavdm_bundle bundle, int64_t p, int64_t d, const double *b, const double *c, double *o);

/* The two-step operator through z, and the one-step operator with z = x. */
oracle_result oracle_landmarks(const oracle_problem *problem);
oracle_result oracle_square(const oracle_problem *problem);
void oracle_free(oracle_result *result);

/* All eigenpairs of the symmetric a (size x size), values descending. */
void oracle_eigen(int64_t size, double *a, double *values);

/* |P - Q| for the projectors on the first k columns of u (size x ru) and v
 * (size x rv), both orthonormal. */
double projector_distance(int64_t size, int64_t k, const double *u, int64_t ru, const double *v, int64_t rv);

/* A copy of a model's array of numbers of either precision; NULL if there is none. */
double *model_doubles(const lavdm_model *model, const char *name);

/* The model's eigenvectors times sqrt(degree): orthonormal, (n q) x r. */
double *model_orthonormal(const lavdm_model *model);

/* Fits, and fails the test with the library's message if there is no result. */
lavdm_model *fit_or_fail(const lavdm_data *data, const lavdm_options *options);

/* Standard normal numbers from a seed. */
void fill_normal(double *x, int64_t count, uint64_t seed);

/* lavdm_distance; NaN if it is refused. */
double model_distance(const lavdm_model *model, int64_t i, int64_t j, double t, int64_t rank);

#endif
