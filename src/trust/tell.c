/* What a user should know, as warnings. */
#include "base/options.h"
#include "trust/parts.h"

#include <inttypes.h>
#include <math.h>

static void tell_shortcuts(trust_t *t) {
  bool landmarks = has_landmarks(&t->run->options);
  run_warn(t->run,
           "the graph takes short cuts between sheets near row %" PRId64
           ", which make up %.2g%% of what slow modes see: give a smaller epsilon%s",
           (int64_t)t->facts[FACT_SHORTCUT_ROW] + 1, 100 * t->facts[FACT_SHORTCUTS],
           landmarks ? " and more landmarks" : ", or edges knn");
}

/* Whether noise is a good part of the distances across the planes within sqrt(epsilon). */
static bool is_noisy(const trust_t *t) {
  const double part = 0.05;
  double noise = t->facts[FACT_NOISE], across = (double)(t->p - t->d);
  return t->d && 2 * noise * noise * across > part * t->run->options.epsilon;
}

static void tell_lost(trust_t *t) {
  int64_t sure = (int64_t)t->facts[FACT_REPRODUCED];
  if (is_noisy(t))
    run_warn(t->run,
             "noise of about %.2g hides the tangent planes at this scale: coordinates beyond %" PRId64
             " are noise; give a larger frame_knn, or pca",
             t->facts[FACT_NOISE], sure);
  else
    run_warn(t->run,
             "samples of %" PRId64 " points do not agree on the eigenvectors beyond %" PRId64
             ": rely on no coordinate beyond; more points%s would tell",
             t->half[0].n, sure, has_landmarks(&t->run->options) ? " or landmarks" : "");
}

void trust_tell(trust_t *t) {
  if (shortcuts_matter(t)) tell_shortcuts(t);
  /* the slowest modes, up to the unit: that faster ones are lost is no news */
  if (t->fitted[1] && t->unit >= 0 && t->facts[FACT_REPRODUCED] < (double)t->first[t->unit + 1]) tell_lost(t);
}
