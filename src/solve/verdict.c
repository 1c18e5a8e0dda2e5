#include "solve/solve.h"

#include <inttypes.h>
#include <stdio.h>

/* The component that speaks for all is the first that is not certified, or the largest. */
void solve_verdict(const lavdm_sync_component *part, int64_t count, char *verdict) {
  int64_t certified = 0, trusted = 0, first = -1;
  for (int64_t c = 0; c < count; c++) {
    certified += part[c].certified, trusted += part[c].robust != LAVDM_ROBUST_NO;
    if (!part[c].certified && first < 0) first = c;
  }
  if (!count)
    snprintf(verdict, SOLVE_VERDICT_SIZE, "not certified: there is nothing to prove");
  else if (count == 1)
    snprintf(verdict, SOLVE_VERDICT_SIZE, "%s", part->verdict);
  else if (first < 0)
    snprintf(verdict, SOLVE_VERDICT_SIZE, "globally optimal: all %" PRId64 " components%s; the largest: %s",
             count, trusted ? ", with edges as they are trusted" : "", part->verdict);
  else
    snprintf(verdict, SOLVE_VERDICT_SIZE,
             "%" PRId64 " of %" PRId64 " components certified; component %" PRId64 " is %s", certified, count,
             first, part[first].verdict);
}
