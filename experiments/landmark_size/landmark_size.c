#include "experiment.h"
static int run(session_t *s) {
  (void)s;
  return 0;
}
static void row(const session_t *s, FILE *f) {
  (void)s;
  (void)f;
}
static const char *const figures[] = {NULL};
const experiment landmark_size_experiment = {"landmark_size", "4.2 Landmark size", figures, run, row, row};
