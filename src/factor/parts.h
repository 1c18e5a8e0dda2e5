/* A factor, as the files of this folder see it. */
#ifndef LAVDM_FACTOR_PARTS_H
#define LAVDM_FACTOR_PARTS_H

#include "factor/factor.h"

#include <suitesparse/cholmod.h>

struct factor {
  cholmod_common common;
  cholmod_factor *factor;
  cholmod_dense *solution, *work, *more; /* kept between solutions */
  double entries, operations;
};

#endif
