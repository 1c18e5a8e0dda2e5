/*
 * OpenBLAS starts threads while it is loaded, before main: each maps a buffer of 128 MiB, asking for ever
 * where there is no room, and one that cannot be started ends the program. Under such limits it begins
 * with one; the library starts those that there is room for.
 */
#include "lavdm.h"

#include <limits.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

int openblas_num_threads_env(void);

static int limited(int what) {
  struct rlimit limit;
  return !getrlimit(what, &limit) && limit.rlim_cur != RLIM_INFINITY;
}

/* In place of OpenBLAS's own: the number in the environment, 0 without. Weak, for a static OpenBLAS has it.
 */
__attribute__((weak, visibility("default"))) int openblas_num_threads_env(void) {
  const char *text = getenv("OPENBLAS_NUM_THREADS");
  long asked = text ? strtol(text, NULL, 10) : 0, most = sysconf(_SC_NPROCESSORS_ONLN);
  if (asked > 0 && asked < most) most = asked;
  if (limited(RLIMIT_AS) || limited(RLIMIT_DATA) || lavdm_threads(most, NULL) < most) return 1;
  return asked > 0 && asked < INT_MAX ? (int)asked : 0;
}
