/*
 * One line on stderr, redrawn: stage, share done, time gone and left. Drawn
 * only on a terminal. The same callback tells the library to stop after
 * SIGINT or SIGTERM, so that a run ends with exit code 3 and no file.
 */
#define _POSIX_C_SOURCE 200809L
#include "base/progress.h"
#include "io/sentence.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* A process has one terminal and one set of signals, and so one of each here. */
static volatile sig_atomic_t interrupted, phase, drawn;
static bool drawing;
static const char *stage_name;
static double stage_began, run_began;

double seconds_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void end_now(void) {
  static const char message[] = "\nlavdm: interrupted\n";
  ssize_t ignored = write(STDERR_FILENO, message + !drawn, sizeof message - 1 - !drawn);
  (void)ignored;
  _exit(3);
}

static void on_signal(int number) {
  (void)number;
  interrupted = 1;
  if (phase == PHASE_READ) end_now();
}

static void take_over(int number) {
  struct sigaction before, action;
  if (sigaction(number, NULL, &before) || before.sa_handler == SIG_IGN) return;
  memset(&action, 0, sizeof action);
  action.sa_handler = on_signal;
  action.sa_flags = (int)SA_RESETHAND | SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(number, &action, NULL);
}

void progress_start(void) {
  phase = PHASE_READ;
  run_began = seconds_now();
  take_over(SIGINT);
  take_over(SIGTERM);
  take_over(SIGXCPU); /* ulimit -t: a second one ends it at once */
}

void progress_show(void) {
  drawing = isatty(STDERR_FILENO);
}

void progress_clear(void) {
  if (drawn) fputs("\r\033[K", stderr);
  drawn = 0;
}

void progress_enter(progress_phase next, const char *what, const char *file) {
  phase = (sig_atomic_t)next;
  if (next == PHASE_READ && interrupted) end_now();
  if (!drawing || !what) return;
  fprintf(stderr, "\r\033[Klavdm: %s %.60s", what, file ? shown(file) : "");
  fflush(stderr);
  drawn = 1;
}

/* Seconds as 1:02 or 1:02:03. */
static const char *clock_text(double seconds, char text[32]) {
  long s = seconds > 0 && seconds < 1e9 ? (long)seconds : 0;
  if (s >= 3600)
    snprintf(text, 32, "%ld:%02ld:%02ld", s / 3600, s / 60 % 60, s % 60);
  else
    snprintf(text, 32, "%ld:%02ld", s / 60, s % 60);
  return text;
}

int progress_report(const char *stage, double fraction, void *user) {
  (void)user;
  if (!drawing) return interrupted;
  double now = seconds_now();
  char gone[32], left[32] = "?";
  if (stage != stage_name) {
    stage_name = stage;
    stage_began = now;
  }
  double spent = now - stage_began;
  if (fraction > 0.01 && spent > 0.5) clock_text(spent * (1 - fraction) / fraction, left);
  fprintf(stderr, "\r\033[Klavdm: %-20s %3.0f%%  %s elapsed, %s left in this stage%s", stage ? stage : "",
          100 * fraction, clock_text(now - run_began, gone), left, interrupted ? " (stopping)" : "");
  fflush(stderr);
  drawn = 1;
  return interrupted;
}

bool progress_interrupted(void) {
  return interrupted;
}
