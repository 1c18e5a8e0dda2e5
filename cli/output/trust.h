/* How far a result can be believed, for people and as JSON. */
#ifndef LAVDM_CLI_OUTPUT_TRUST_H
#define LAVDM_CLI_OUTPUT_TRUST_H

#include "base/json.h"
#include "io/io.h"
#include "lavdm.h"

/* Lines of the summary. Accepts NULL. */
void trust_print(const lavdm_trust_t *trust);

/* "trust": an object, or null. */
void trust_put(json_builder *b, const lavdm_trust_t *trust);

/* From the arrays of a result file; false if it has none. */
bool trust_of(const io_array *arrays, int count, lavdm_trust_t *trust);

#endif
