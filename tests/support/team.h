/* A team of threads of one process, for tests of what ranks share. */
#ifndef LAVDM_TESTS_TEAM_H
#define LAVDM_TESTS_TEAM_H

#include "base/team.h"

typedef struct thread_team thread_team;

/* NULL: no memory. */
thread_team *thread_team_new(int ranks);
void thread_team_free(thread_team *team);

/* The table of one rank; used by one thread. */
const team_t *thread_team_rank(thread_team *team, int rank);

/* How many sums, gathers and the like the ranks have made together. */
int64_t thread_team_calls(const thread_team *team);

#endif
