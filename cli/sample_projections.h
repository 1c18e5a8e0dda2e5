/* Images of a volume, for `sample`: the "shape" called projections. */
#ifndef LAVDM_CLI_SAMPLE_PROJECTIONS_H
#define LAVDM_CLI_SAMPLE_PROJECTIONS_H

#include "base/command.h"

int sample_projections(const arguments *a, lavdm_error *error);

#endif
