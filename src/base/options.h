/* The options table and its checks. */
#ifndef LAVDM_BASE_OPTIONS_H
#define LAVDM_BASE_OPTIONS_H

#include "base/status.h"

#include <stdbool.h>

/* Every value within the table's bounds; the sentence names the option. */
int options_check(const lavdm_options *options, lavdm_error *error);

/* Whether the method goes through landmarks. */
static inline bool method_has_landmarks(lavdm_method method) {
  return method != LAVDM_METHOD_DM && method != LAVDM_METHOD_VDM;
}

/* The name of a choice, such as "kmeans". */
const char *option_choice(const char *option, int value, char *text, size_t size);

#endif
