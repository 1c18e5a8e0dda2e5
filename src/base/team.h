/*
 * The only thing that the core knows of other machines. The rows of a run may be
 * shared by several ranks, each with rows of its own; what is added up over all
 * rows goes through this table, and comes out as the same bits on every rank.
 * Without a team (NULL) a run has all the rows, and nothing below does anything.
 *
 * Every rank makes the same calls in the same order. A function returns 0 or a
 * negative status.
 */
#ifndef LAVDM_BASE_TEAM_H
#define LAVDM_BASE_TEAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct team {
  int rank, ranks;
  void *context;
  /* In place, over the ranks in a fixed order. */
  int (*sum)(void *context, double *x, int64_t count);
  int (*sum_integers)(void *context, int64_t *x, int64_t count);
  int (*extreme)(void *context, double *x, int64_t count, bool largest);
  /* `bytes` of each rank one after the other, from rank 0 on, to every rank. counts (ranks): the bytes of
   * each, known before: a rank that does not know them asks by sum_integers. */
  int (*gather)(void *context, const void *mine, int64_t bytes, void *all, const int64_t *counts);
  /* Rows of `row` bytes to and from every rank: send[k] of them go to rank k, one after the other, and
   * receive[k] come from it. */
  int (*exchange)(void *context, const void *out, const int64_t *send, void *in, const int64_t *receive,
                  size_t row);
  /* The worst status of all ranks. */
  int (*agree)(void *context, int status);
} team_t;

/* Each does nothing, and returns 0, without a team. */
int team_sum(const team_t *team, double *x, int64_t count);
int team_count(const team_t *team, int64_t *x, int64_t count);
int team_extreme(const team_t *team, double *x, int64_t count, bool largest);

/* What rank 0 has, to all: eigenvectors of one matrix are the same up to a basis only, if they are found
 * twice. */
int team_share_first(const team_t *team, double *x, int64_t count);

/* The worst of the ranks' statuses, so that all leave together; `status` without a team. */
int team_agree(const team_t *team, int status);
#ifdef LAVDM_ANALYSE /* one's own error is everybody's */
#define team_agree(team, status) ((status) < 0 ? (status) : team_agree(team, status))
#endif

/* Rows of `row` bytes of all ranks below each other: `mine` are `count` of them; *first receives where those
 * of this rank begin and *total how many there are. The caller frees what is returned (mem_free); NULL if
 * there is no memory or the team failed. */
void *team_rows(const team_t *team, const void *mine, int64_t count, size_t row, int64_t *first,
                int64_t *total);

/* How many rows the ranks before this one have, and all of them. */
int team_share(const team_t *team, int64_t count, int64_t *first, int64_t *total);

#endif
