/*
 * One line on stderr, redrawn, on a terminal alone:
 *   beta (2 of 4)  repetition 7 of 30  1:02 elapsed, 3:31 left  spectrum
 * The time left is that of the repetitions so far in this run, carried on.
 */
#define _POSIX_C_SOURCE 200809L
#include "common/progress.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t interrupted;
static int drawn;

double seconds_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void on_signal(int number) {
  (void)number;
  interrupted = 1;
}

void progress_start(void) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = on_signal;
  action.sa_flags = (int)SA_RESETHAND | SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
}

int progress_interrupted(void) {
  return interrupted;
}

static const char *clock_text(double seconds, char text[32]) {
  long s = seconds > 0 && seconds < 1e9 ? (long)seconds : 0;
  snprintf(text, 32, "%ld:%02ld", s / 60, s % 60);
  return text;
}

int progress_report(const char *stage, double fraction, void *user) {
  const progress_t *p = user;
  if (!isatty(STDERR_FILENO)) return interrupted;
  double spent = seconds_now() - p->began;
  char gone[32], left[32] = "?";
  if (p->done > 0) clock_text(spent * (p->todo - p->existing) / p->done - spent, left);
  fprintf(stderr, "\r\033[K%s (%d of %d)  repetition %d of %d  %s elapsed, %s left  %s %.0f%%%s",
          p->experiment, p->number, p->of, p->existing + p->done + 1, p->todo, clock_text(spent, gone), left,
          stage ? stage : "", 100 * fraction, interrupted ? " (stopping)" : "");
  fflush(stderr);
  drawn = 1;
  return interrupted;
}

void progress_clear(void) {
  if (drawn) fputs("\r\033[K", stderr);
  drawn = 0;
}
