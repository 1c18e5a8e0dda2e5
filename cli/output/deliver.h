/* The end of a run: result file, summary or JSON, warnings. */
#ifndef LAVDM_CLI_DELIVER_H
#define LAVDM_CLI_DELIVER_H

#include "output/result.h"
#include "output/summary.h"

/* Writes the file if there is to be one, then says what was done as --json and
 * --quiet ask. */
int deliver(const arguments *a, run_facts *facts, const result_extras *extras, lavdm_error *error);

#endif
