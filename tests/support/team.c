#define _POSIX_C_SOURCE 200809L
#include "team.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  thread_team *team;
  team_t table;
} seat_t;

struct thread_team {
  int ranks;
  pthread_barrier_t barrier;
  const void **shown; /* ranks: what each rank lets the others see */
  seat_t *seat;
  int64_t calls;
};

/* Shows `mine` to all; after `meet` once more nobody looks at it. */
static void meet(seat_t *seat, const void *mine) {
  if (mine) seat->team->shown[seat->table.rank] = mine;
  pthread_barrier_wait(&seat->team->barrier);
  if (mine && seat->table.rank == 0) seat->team->calls++;
}

static int sum(void *context, double *x, int64_t count) {
  seat_t *seat = context;
  double *total = calloc((size_t)count + 1, sizeof *total);
  meet(seat, x);
  for (int r = 0; total && r < seat->team->ranks; r++)
    for (int64_t i = 0; i < count; i++) total[i] += ((const double *)seat->team->shown[r])[i];
  meet(seat, NULL);
  if (total) memcpy(x, total, (size_t)count * sizeof *x);
  free(total);
  return total ? 0 : -1;
}

static int sum_integers(void *context, int64_t *x, int64_t count) {
  seat_t *seat = context;
  int64_t *total = calloc((size_t)count + 1, sizeof *total);
  meet(seat, x);
  for (int r = 0; total && r < seat->team->ranks; r++)
    for (int64_t i = 0; i < count; i++) total[i] += ((const int64_t *)seat->team->shown[r])[i];
  meet(seat, NULL);
  if (total) memcpy(x, total, (size_t)count * sizeof *x);
  free(total);
  return total ? 0 : -1;
}

static int extreme(void *context, double *x, int64_t count, bool largest) {
  seat_t *seat = context;
  double *found = malloc(((size_t)count + 1) * sizeof *found);
  meet(seat, x);
  for (int64_t i = 0; found && i < count; i++) found[i] = x[i];
  for (int r = 0; found && r < seat->team->ranks; r++)
    for (int64_t i = 0; i < count; i++) {
      double other = ((const double *)seat->team->shown[r])[i];
      if (largest ? other > found[i] : other < found[i]) found[i] = other;
    }
  meet(seat, NULL);
  if (found) memcpy(x, found, (size_t)count * sizeof *x);
  free(found);
  return found ? 0 : -1;
}

static int gather(void *context, const void *mine, int64_t bytes, void *all, const int64_t *counts) {
  seat_t *seat = context;
  (void)bytes;
  meet(seat, mine);
  char *to = all;
  for (int r = 0; r < seat->team->ranks; to += counts[r++])
    memcpy(to, seat->team->shown[r], (size_t)counts[r]);
  meet(seat, NULL);
  return 0;
}

typedef struct {
  const char *out;
  const int64_t *send;
} parcel_t;

static int exchange(void *context, const void *out, const int64_t *send, void *in, const int64_t *receive,
                    size_t row) {
  seat_t *seat = context;
  parcel_t mine = {out, send};
  meet(seat, &mine);
  char *to = in;
  for (int r = 0; r < seat->team->ranks; r++) {
    const parcel_t *from = seat->team->shown[r];
    int64_t before = 0;
    for (int k = 0; k < seat->table.rank; k++) before += from->send[k];
    memcpy(to, from->out + (size_t)before * row, (size_t)receive[r] * row);
    to += (size_t)receive[r] * row;
  }
  meet(seat, NULL);
  return 0;
}

static int agree(void *context, int status) {
  seat_t *seat = context;
  int worst = status;
  meet(seat, &status);
  for (int r = 0; r < seat->team->ranks; r++) {
    int other = *(const int *)seat->team->shown[r];
    if (other < worst) worst = other;
  }
  meet(seat, NULL);
  return worst;
}

thread_team *thread_team_new(int ranks) {
  thread_team *team = calloc(1, sizeof *team);
  if (!team) return NULL;
  team->ranks = ranks;
  team->shown = calloc((size_t)ranks, sizeof *team->shown);
  team->seat = calloc((size_t)ranks, sizeof *team->seat);
  pthread_barrier_init(&team->barrier, NULL, (unsigned)ranks);
  for (int r = 0; team->shown && team->seat && r < ranks; r++)
    team->seat[r] =
        (seat_t){team, {r, ranks, &team->seat[r], sum, sum_integers, extreme, gather, exchange, agree}};
  return team;
}

void thread_team_free(thread_team *team) {
  if (!team) return;
  pthread_barrier_destroy(&team->barrier);
  free(team->shown);
  free(team->seat);
  free(team);
}

const team_t *thread_team_rank(thread_team *team, int rank) {
  return &team->seat[rank].table;
}

int64_t thread_team_calls(const thread_team *team) {
  return team->calls;
}
