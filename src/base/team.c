#include "base/team.h"

#include "base/memory.h"

int team_sum(const team_t *team, double *x, int64_t count) {
  return team ? team->sum(team->context, x, count) : 0;
}

int team_count(const team_t *team, int64_t *x, int64_t count) {
  return team ? team->sum_integers(team->context, x, count) : 0;
}

int team_extreme(const team_t *team, double *x, int64_t count, bool largest) {
  return team ? team->extreme(team->context, x, count, largest) : 0;
}

int team_share_first(const team_t *team, double *x, int64_t count) {
  for (int64_t i = 0; team && team->rank && i < count; i++) x[i] = 0;
  return team_sum(team, x, count);
}

int(team_agree)(const team_t *team, int status) {
  return team ? team->agree(team->context, status) : status;
}

/* counts (ranks): how many rows each rank has. NULL: no memory, or the team failed. */
static int64_t *all_counts(const team_t *team, int64_t count) {
  int64_t *counts = NEW(int64_t, team->ranks);
  if (counts) counts[team->rank] = count;
  if (team_agree(team, counts ? 0 : -1) >= 0 && team_count(team, counts, team->ranks) >= 0) return counts;
  mem_free(counts);
  return NULL;
}

int team_share(const team_t *team, int64_t count, int64_t *first, int64_t *total) {
  *first = 0, *total = count;
  if (!team) return 0;
  int64_t *counts = all_counts(team, count);
  if (!counts) return -1;
  *total = 0;
  for (int k = 0; k < team->ranks; k++) {
    if (k == team->rank) *first = *total;
    *total += counts[k];
  }
  mem_free(counts);
  return 0;
}

void *team_rows(const team_t *team, const void *mine, int64_t count, size_t row, int64_t *first,
                int64_t *total) {
  int64_t *counts = all_counts(team, count);
  if (!counts) return NULL;
  *total = 0;
  for (int k = 0; k < team->ranks; k++) {
    if (k == team->rank) *first = *total;
    *total += counts[k];
    counts[k] *= (int64_t)row;
  }
  void *all = mem_new(*total, row);
  bool whole = team_agree(team, all ? 0 : -1) >= 0 &&
               team->gather(team->context, mine, count * (int64_t)row, all, counts) >= 0;
  mem_free(counts);
  if (whole) return all;
  mem_free(all);
  return NULL;
}
