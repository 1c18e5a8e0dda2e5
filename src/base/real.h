/*
 * The precision of a run. The stages from the points to the tiles of the graph
 * (neighbours to operator, and engine/cpu) are compiled twice:
 * with real_t = double, and, with LAVDM_SINGLE, real_t = float. real_t is the
 * type of coordinates, frames, weights and blocks of a tile, and of eigenvectors;
 * sums over tiles (degrees, G) and the whole spectrum are double in both.
 *
 * C has one name space for functions, so what both builds define is called
 * REAL(name): double_name or single_name. A function of a stage that is not written
 * so is "multiply defined" at link. Code outside of the stages, which is compiled
 * once, gets the double ones.
 */
#ifndef LAVDM_BASE_REAL_H
#define LAVDM_BASE_REAL_H

#include "lavdm.h"

#include <float.h>

#ifndef LAVDM_SINGLE

typedef double real_t;
typedef int64_t real_bits_t;
#define REAL_TYPE    LAVDM_F64
#define REAL_EPSILON DBL_EPSILON
#define REAL_LEAST   DBL_MIN

#define REAL(name)   double_##name
#define BLAS(name)   cblas_d##name
#define LAPACK(name) LAPACKE_d##name

#else

typedef float real_t;
typedef int32_t real_bits_t;
#define REAL_TYPE    LAVDM_F32
#define REAL_EPSILON FLT_EPSILON
#define REAL_LEAST   FLT_MIN

#define REAL(name)   single_##name
#define BLAS(name)   cblas_s##name
#define LAPACK(name) LAPACKE_s##name

#endif

/* 64 bytes of numbers at once; the compiler maps them to what the machine has. */
enum { LANES = 64 / sizeof(real_t) };
typedef real_t lanes_t __attribute__((vector_size(64), may_alias));
typedef real_bits_t lane_mask_t __attribute__((vector_size(64), may_alias));

#endif
