/* --checkpoint FILE: what the command does about it besides lavdm_options.checkpoint. */
#ifndef LAVDM_CLI_CHECKPOINT_H
#define LAVDM_CLI_CHECKPOINT_H

#include "base/arguments.h"

/* Before the work: the file is none of the run's others, and its folder is there.
 * `saved` receives when it was written, as text; "" if it is not there. */
int checkpoint_check(const arguments *a, char saved[32], lavdm_error *error);

/* After the result has been delivered: it has no use any more. */
void checkpoint_remove(const arguments *a);

#endif
