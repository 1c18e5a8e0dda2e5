/*
 * The contract of an experiment, and what it may use.
 *
 * To add one: a folder in studies/paper/ with a .c file that defines an `experiment` and a .gp file
 * for each of its figures; a row in the table of main.c; the paper's numbers, if it has
 * any, in paper.csv; a check in tests/paper/check.py. Programs here use include/lavdm.h
 * alone.
 *
 * run   computes what is missing of the raw numbers, NAME.csv (see repeat), then
 *       NAME_summary.csv (table_summarise), which the figures and the page are made from
 * row   writes its line or lines of the summary table of the page
 * page  writes its section of the page, from the CSVs alone
 */
#ifndef LAVDM_EXPERIMENTS_EXPERIMENT_H
#define LAVDM_EXPERIMENTS_EXPERIMENT_H

#include "common/progress.h"
#include "common/table.h"
#include "common/text.h"

#include <lavdm.h>
#include <stdio.h>

typedef struct {
  const char *folder; /* of CSVs and figures */
  int quick;          /* three repetitions of a smaller problem, for tests */
  int again;          /* forget what is there */
  int repetitions;    /* 30, or 3, or as told */
  progress_t progress;
} session_t;

typedef struct {
  const char *name;           /* on the command line, and the stem of its files */
  const char *title;          /* of its section */
  const char *const *figures; /* their names, up to NULL: figure F is drawn by F.gp as F.png and F.svg */
  int (*run)(session_t *session);
  void (*row)(const session_t *session, FILE *page);
  void (*page)(const session_t *session, FILE *page);
} experiment;

/* The raw numbers of an experiment. */
typedef struct {
  const char *name;     /* the file is NAME.csv */
  const char *columns;  /* "repetition,seed,...": each row starts with these two */
  const char *settings; /* all that the numbers depend on: another text starts the file afresh */
  int rows;             /* that a repetition adds */
  int repetitions;      /* 0: those of the session */
  int (*one)(session_t *session, int repetition, uint64_t seed, text_t *rows, void *user);
  void *user;
} series_t;

/*
 * Runs the repetitions 0, 1, ... (with seed 1, 2, ...) that the file lacks; each is
 * written at once, with all of its rows, and synced. Stops at the first failure, or
 * negative status, of `one`. What a run that was cut short left unfinished is dropped.
 */
int repeat(session_t *session, const series_t *series);

/* NAME.csv or NAME_summary.csv of the session, or paper.csv, read; the program ends if
 * it is not there. */
table_t read_raw(const session_t *session, const char *name);
table_t read_summary(const session_t *session, const char *name);
table_t read_paper(void);

/* Writes NAME_summary.csv from NAME.csv. */
void summarise(const session_t *session, const char *name, const char *keys);

/* "0.123 ± 0.045" of the columns `column` and `column`_mad; "-" if there is none. */
const char *plus_minus(char text[64], const table_t *table, const char *column, const char *where);

/* printf into text, for `where` and the like. */
const char *say(char text[128], const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The picture of a figure, with its caption. */
void show_figure(const session_t *session, FILE *page, const char *figure, const char *caption);

#endif
