/* Progress on a terminal, and Ctrl-C. */
#ifndef LAVDM_CLI_PROGRESS_H
#define LAVDM_CLI_PROGRESS_H

#include <stdbool.h>

/* What an interrupt does: end the program at once while nothing is being
 * written, or ask the run, or the writer, to end. */
typedef enum { PHASE_READ, PHASE_RUN, PHASE_WRITE } progress_phase;

/* Takes over SIGINT and SIGTERM, unless they are ignored, in the phase of
 * reading. A second signal kills. */
void progress_start(void);

/* From now on draws on stderr, if that is a terminal. */
void progress_show(void);

/* Enters a phase; `what` ("reading"; or NULL) and the file are shown until the
 * next report. */
void progress_enter(progress_phase phase, const char *what, const char *file);

/* The library's progress callback: one line, redrawn. Non-zero if interrupted. */
int progress_report(const char *stage, double fraction, void *user);

/* Wipes the line. */
void progress_clear(void);

bool progress_interrupted(void);

/* Monotonic seconds. */
double seconds_now(void);

#endif
