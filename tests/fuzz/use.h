/* A model is asked everything; chance says whether it is extended with reference points, and kept. */
#ifndef LAVDM_FUZZ_USE_H
#define LAVDM_FUZZ_USE_H

#include "lavdm.h"

void use_model(const lavdm_model *model, unsigned chance);

#endif
