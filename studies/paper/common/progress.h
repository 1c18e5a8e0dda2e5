/* Progress of the experiments on a terminal, with the time left; Ctrl-C. */
#ifndef LAVDM_EXPERIMENTS_PROGRESS_H
#define LAVDM_EXPERIMENTS_PROGRESS_H

typedef struct {
  const char *experiment;
  int number, of;           /* which experiment of how many */
  int done, todo, existing; /* repetitions: of this run, of all, found in the file */
  double began;             /* seconds */
} progress_t;

/* Takes over SIGINT and SIGTERM: the repetition under way is given up. */
void progress_start(void);
int progress_interrupted(void);

/* The callback for lavdm_options.progress; user is a progress_t. */
int progress_report(const char *stage, double fraction, void *user);
void progress_clear(void);

/* Monotonic. */
double seconds_now(void);

#endif
