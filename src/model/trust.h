/* What trust/ found, as arrays of a model: trust_groups (g + 1), trust_table (columns x g) and trust_facts.
 */
#ifndef LAVDM_MODEL_TRUST_H
#define LAVDM_MODEL_TRUST_H

#include "model/model.h"

enum {
  TRUST_RATE,
  TRUST_RATIO,
  TRUST_LOW,
  TRUST_HIGH,
  TRUST_SPREAD,
  TRUST_DRIFT,
  TRUST_BIAS,
  TRUST_ANGLE,
  TRUST_AGREEMENT,
  TRUST_COLUMNS
};

enum {
  FACT_SAMPLE,
  FACT_LANDMARKS,
  FACT_UNIT,
  FACT_REPRODUCED,
  FACT_ROWS,
  FACT_NEIGHBOURS,
  FACT_TRUSTWORTHINESS,
  FACT_CONTINUITY,
  FACT_SHORTCUTS,
  FACT_SHORTCUT_ROW,
  FACT_NOISE,
  TRUST_FACTS
};

/* Sets info.trust from the arrays, if they are there. False: they do not fit each other. */
bool model_trust(lavdm_model *model);

#endif
