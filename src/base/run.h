/*
 * One run of the pipeline: what every stage is handed besides its data.
 * Stages return 0 or a negative status with run->error written.
 */
#ifndef LAVDM_BASE_RUN_H
#define LAVDM_BASE_RUN_H

#include "base/large.h"
#include "base/status.h"
#include "base/team.h"
#include "base/threads.h"

#include <stdatomic.h>
#include <stdbool.h>

enum { MAX_TIMINGS = 16, MAX_WARNINGS = 16, MAX_REASONS = 16, WARNING_SIZE = 320 };

typedef struct {
  lavdm_options options; /* AUTO values are replaced as they are chosen */
  int threads;           /* resolved; >= 1 */
  lavdm_error *error;    /* may be NULL */
  const void *frames; /* tangent frames that are known (n x p x d reals, in the order of the data), or NULL */
  const double *weights;            /* how many points each row stands for (reduce/places.h); NULL: one */
  const int64_t *rows;              /* the user's number of each row, from 0; NULL: they are the user's own */
  const team_t *team;               /* those who share the rows; NULL: all rows are here */
  const lavdm_distances *distances; /* of the metric precomputed: a point is the number of its row; or NULL */
  bool uneven;                      /* they are symmetric, or zero where they should be, but for rounding */
  bool sample; /* rows are some of those of a run: they were checked, and are on the sphere if need be */
  int64_t first, total; /* rows of the ranks before this one, and of all: 0 and n without a team */

  large_t large; /* where arrays of one entry per point live */

  atomic_bool stop; /* set once the callback asked to stop */
  const char *stage;
  double stage_began, last_report, last_trim;
  double part_begin, part_share; /* of the stage that loops report on */

  int timings;
  lavdm_timing timing[MAX_TIMINGS];
  int warnings;
  char warning[MAX_WARNINGS][WARNING_SIZE];
  int reasons;
  char reason[MAX_REASONS][WARNING_SIZE];
} run_t;

/* Monotonic seconds. */
double run_clock(void);

/* Ends the stage under way, if any, and starts the named one (a literal).
 * NULL only ends. */
void run_stage(run_t *run, const char *stage);

/* Adds to the time of a stage (a literal). */
void run_time(run_t *run, const char *stage, double seconds);

/*
 * Reports done/total of the stage and asks whether to stop. May be called by
 * any thread inside a parallel loop, as often as it likes: only the thread
 * that owns the run reports, ten times a second. True: leave the loop.
 */
bool run_stopped(run_t *run, int64_t done, int64_t total);

/* What follows is this part of the stage: from `begin`, `share` of it. */
void run_part(run_t *run, double begin, double share);

/* After a loop: the status of an interrupted run, or 0. */
int run_status(run_t *run);

/* The threads of the run: those asked for (AUTO: all that are available), or as many as the limits of the
 * process leave room for; an error if there is none for one. */
int run_threads(run_t *run, int64_t asked);

/* An error that says how many bytes are needed, if they are more than max_memory allows. */
int run_room(run_t *run, double bytes);

/* The user's number of row i, from 0. */
static inline int64_t run_row(const run_t *run, int64_t i) {
  return run->rows ? run->rows[i] : i;
}

/* Adds a sentence to the run's warnings. */
void run_warn(run_t *run, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Says why an option got the value that was chosen for it, in place of what was said of it before. */
void run_reason(run_t *run, const char *option, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
