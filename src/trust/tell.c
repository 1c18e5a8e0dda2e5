/* What a user should know, as warnings. */
#include "base/options.h"
#include "trust/parts.h"

#include <inttypes.h>
#include <math.h>

/* Share of the short cuts above which the slow modes run over them. Over the shapes of studies/real/shapes.py
 * that are tuned on. */
static const double CUTS = 0.2;

void tell_shortcuts(trust_t *t) {
  if (!(t->facts[FACT_SHORTCUTS] > CUTS)) return;
  bool landmarks = has_landmarks(&t->run->options);
  run_warn(t->run,
           "the graph takes short cuts between sheets near row %" PRId64
           ": %.2g %% of what the slow modes feel; give a smaller epsilon%s",
           (int64_t)t->facts[FACT_SHORTCUT_ROW] + 1, 100 * t->facts[FACT_SHORTCUTS],
           landmarks ? " with more landmarks" : ", or edges knn");
}
