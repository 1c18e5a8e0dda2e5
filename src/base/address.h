/* Address space, which limits of a process count (ulimit -v, ulimit -d) whether it is used or not. */
#ifndef LAVDM_BASE_ADDRESS_H
#define LAVDM_BASE_ADDRESS_H

#include <stdbool.h>

/* Whether there is a limit: of the process, or a kernel that promises no more than it can keep. */
bool address_limited(void);

/* Whether the system gives this many bytes now; `mapped`: of a file, which not every limit counts. */
bool address_free(double bytes, bool mapped);

/* How many it gives, to a thousandth or 0.1 MB. */
double address_left(void);

#endif
