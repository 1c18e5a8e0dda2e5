/* What a user should know, as warnings. */
#include "base/options.h"
#include "trust/parts.h"

#include <inttypes.h>

static void tell_shortcuts(trust_t *t) {
  bool landmarks = has_landmarks(&t->run->options);
  run_warn(t->run,
           "the graph takes short cuts between sheets near row %" PRId64
           ", which make up %.2g%% of what slow modes see: give a smaller epsilon%s",
           (int64_t)t->facts[FACT_SHORTCUT_ROW] + 1, 100 * t->facts[FACT_SHORTCUTS],
           landmarks ? " and more landmarks" : ", or edges knn");
}

static void tell_noise(trust_t *t) {
  run_warn(t->run,
           "noise of about %.2g hides the tangent planes at this scale: coordinates beyond %" PRId64
           " are noise; give a larger frame_knn, or pca",
           t->facts[FACT_NOISE], (int64_t)t->facts[FACT_REPRODUCED]);
}

/* `sure`: eigenvectors before the first group that is lost. */
static void tell_lost(trust_t *t, int64_t sure) {
  run_warn(t->run,
           "samples of %" PRId64 " points do not agree on the eigenvectors beyond %" PRId64
           ": rely on no coordinate beyond; more points%s would tell",
           t->half[0].n, sure, has_landmarks(&t->run->options) ? " or landmarks" : "");
}

void trust_tell(trust_t *t) {
  const double much = 0.3, enough = 0.5;
  if (shortcuts_matter(t)) tell_shortcuts(t);
  if (planes_hidden(t)) {
    tell_noise(t);
    return;
  }
  /* the slowest modes, up to the unit: that faster ones are lost is no news */
  for (int64_t g = 0; g <= t->unit; g++)
    if (t->lost[g] > much && t->table[TRUST_AGREEMENT][g] < enough) {
      tell_lost(t, t->first[g]);
      return;
    }
}
