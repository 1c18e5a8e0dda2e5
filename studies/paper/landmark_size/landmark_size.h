/* Section 4.2: the sizes of the problem, and its maps on (u,v). */
#ifndef LAVDM_EXPERIMENTS_LANDMARK_SIZE_H
#define LAVDM_EXPERIMENTS_LANDMARK_SIZE_H

#include "common/fields.h"

enum { SHOWN = 3, TABLE = 3, MOST = 11, DESIGNS = 2, METRICS = 3 };

typedef struct {
  int64_t n;
  int count;
  int64_t m[MOST];
  int64_t table[TABLE]; /* the m of the table */
  int64_t map[TABLE];   /* the m of the maps */
} sizes_t;

sizes_t landmark_sizes(const session_t *session);

extern const int64_t landmark_shown[SHOWN]; /* eigenvectors, from 1 */
extern const char *const landmark_designs[DESIGNS];

/* Points of the Klein bottle, uniform in (u,v): x (n,4), uv (n,2). To be freed. */
void klein_points(int64_t n, uint64_t seed, double **x, double **uv);

/* VDM and LA-VDM with random landmarks as in the paper. */
lavdm_options klein_options(session_t *session, lavdm_method method, int64_t m, uint64_t seed);

/* Writes the maps of the first repetition, unless they are there: the pointwise metrics
 * on a grid of (u,v) and the fields pulled back to it. */
int write_maps(session_t *session);

void landmark_size_row(const session_t *session, FILE *page);
void landmark_size_page(const session_t *session, FILE *page);

#endif
