/* What a run will take, before it starts. */
#ifndef LAVDM_CLI_ESTIMATE_H
#define LAVDM_CLI_ESTIMATE_H

#include "base/arguments.h"

/* Bytes that the run may take: max_memory, or what the machine could still
 * give; -1 if it does not say. */
double memory_allowed(const lavdm_options *options);

/* The library's estimate; zeros if it has none, as for data that the run
 * itself is to refuse. */
lavdm_plan_t estimate(const lavdm_data *data, const lavdm_options *options);

/* The estimate on stderr, unless --quiet or --json ask for silence. */
void estimate_print(const arguments *a, const lavdm_data *data, const lavdm_options *options);

#endif
