/* The stages of a fit and its checkpoint. Without a checkpoint nothing is saved and
 * nothing is done. */
#ifndef LAVDM_FIT_STAGES_H
#define LAVDM_FIT_STAGES_H

#include "fit/fit.h"

/* Before the first stage: the choices that an earlier run has made. */
int stages_start(fit_t *f);

/* True if an earlier run has saved this stage, or a later one. */
bool stage_saved(const fit_t *f, checkpoint_stage stage);

/* Sets what the stage would have made. With the last one that was saved come its
 * warnings, reasons and timings, in place of those so far. */
int stage_take(fit_t *f, checkpoint_stage stage);

/* After the stage: writes all that the later ones need. A file that cannot be
 * written costs a warning, not the run. */
int stage_save(fit_t *f, checkpoint_stage stage);

/* Whether an earlier run kept the weights (graph/kept.h), which decides bits: 1 or
 * 0, -1 if it had not come that far. */
int stage_kept(const fit_t *f);

#endif
