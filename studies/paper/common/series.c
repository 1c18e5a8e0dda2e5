/*
 * The raw numbers of an experiment in a file that grows by a repetition at a time:
 *   # settings, # machine, names of columns, rows
 */
#define _POSIX_C_SOURCE 200809L
#include "common/experiment.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH_SIZE = 4096 };

static const char *path_of(const session_t *session, const char *name, const char *suffix,
                           char path[PATH_SIZE]) {
  if (snprintf(path, PATH_SIZE, "%s/%s%s.csv", session->folder, name, suffix) >= PATH_SIZE)
    give_up("%s: the name of the folder is too long", session->folder);
  return path;
}

/* "2 of AMD EPYC 7763": processors available, and their model. */
static void machine(char *text, size_t size) {
  char line[512], model[256] = "a processor";
  FILE *file = fopen("/proc/cpuinfo", "r");
  while (file && fgets(line, sizeof line, file)) {
    char *colon = strchr(line, ':');
    if (strncmp(line, "model name", 10) || !colon) continue;
    snprintf(model, sizeof model, "%.*s", (int)strcspn(colon + 2, "\n"), colon + 2);
    break;
  }
  if (file) fclose(file);
  snprintf(text, size, "%ld cores of %s", sysconf(_SC_NPROCESSORS_ONLN), model);
}

static int rows_of(const table_t *table, int repetition) {
  int count = 0;
  for (int64_t i = 0; i < table->rows; i++) count += (int)table_number(table, i, 0) == repetition;
  return count;
}

/* Are the columns those in "repetition,seed,..."? */
static int same_columns(const table_t *table, const char *columns) {
  for (int c = 0; c < table->columns; c++) {
    size_t length = strcspn(columns, ",");
    if (strlen(table->name[c]) != length || strncmp(table->name[c], columns, length)) return 0;
    columns += length + (columns[length] == ',');
  }
  return !*columns;
}

/* The head of the file and the repetitions that are complete, those beyond the number
 * asked for too. done[k]: k is. */
static void keep_complete(const session_t *session, const series_t *series, int repetitions, text_t *text,
                          char *done) {
  char path[PATH_SIZE], about[400];
  table_t old = {0};
  machine(about, sizeof about);
  if (!session->again) table_read(path_of(session, series->name, "", path), &old);
  text_add(text, "# %s\n", series->settings);
  int kept =
      old.remarks > 1 && !strcmp(old.remark[0], series->settings) && same_columns(&old, series->columns);
  text_add(text, "# %s\n%s\n", kept ? old.remark[1] : about, series->columns);
  int count = 0;
  for (int64_t i = 0; kept && i < old.rows; i++) count = (int)fmax(count, table_number(&old, i, 0) + 1);
  for (int k = 0; k < count; k++) {
    int complete = rows_of(&old, k) == series->rows;
    if (k < repetitions) done[k] = (char)complete;
    for (int64_t i = 0; complete && i < old.rows; i++) {
      if ((int)table_number(&old, i, 0) != k) continue;
      for (int c = 0; c < old.columns; c++)
        text_add(text, "%s%c", table_word(&old, i, c), c + 1 < old.columns ? ',' : '\n');
    }
  }
  table_free(&old);
}

static void append(const char *path, const text_t *rows) {
  int file = open(path, O_WRONLY | O_APPEND);
  if (file < 0) give_up("%s: %s", path, strerror(errno));
  for (size_t at = 0; at < rows->size;) {
    ssize_t wrote = write(file, rows->data + at, rows->size - at);
    if (wrote < 0 && errno != EINTR) give_up("%s: %s", path, strerror(errno));
    at += wrote > 0 ? (size_t)wrote : 0;
  }
  if (fsync(file) || close(file)) give_up("%s: %s", path, strerror(errno));
}

int repeat(session_t *session, const series_t *series) {
  int repetitions = series->repetitions ? series->repetitions : session->repetitions, status = 0;
  char path[PATH_SIZE], *done = room(repetitions, 1);
  text_t text = {0};
  keep_complete(session, series, repetitions, &text, done);
  write_whole(path_of(session, series->name, "", path), text.data, text.size);
  text_free(&text);

  progress_t *progress = &session->progress;
  progress->done = progress->existing = 0;
  progress->todo = repetitions;
  progress->began = seconds_now();
  for (int k = 0; k < repetitions; k++) progress->existing += done[k];
  for (int k = 0; k < repetitions && status >= 0; k++) {
    if (done[k]) continue;
    status = progress_interrupted() ? LAVDM_ERROR_INTERRUPTED
                                    : series->one(session, k, (uint64_t)k + 1, &text, series->user);
    if (status >= 0) append(path, &text), progress->done++;
    text_free(&text);
  }
  progress_clear();
  free(done);
  return status;
}

static table_t read_or_end(const char *path) {
  table_t table;
  if (!table_read(path, &table)) give_up("%s: there is no such file; run the experiment first", path);
  return table;
}

table_t read_raw(const session_t *session, const char *name) {
  char path[PATH_SIZE];
  return read_or_end(path_of(session, name, "", path));
}

table_t read_summary(const session_t *session, const char *name) {
  char path[PATH_SIZE];
  return read_or_end(path_of(session, name, "_summary", path));
}

table_t read_paper(void) {
  return read_or_end(PAPER_SOURCE "/paper.csv");
}

void summarise(const session_t *session, const char *name, const char *keys) {
  char path[PATH_SIZE];
  table_t raw = read_raw(session, name);
  table_summarise(&raw, keys, path_of(session, name, "_summary", path));
  table_free(&raw);
}

const char *say(char text[128], const char *format, ...) {
  va_list list;
  va_start(list, format);
  vsnprintf(text, 128, format, list);
  va_end(list);
  return text;
}

const char *plus_minus(char text[64], const table_t *table, const char *column, const char *where) {
  char mad[64];
  snprintf(mad, sizeof mad, "%s_mad", column);
  double middle = table_at(table, column, where), spread = table_at(table, mad, where);
  if (!(middle == middle)) return "-";
  snprintf(text, 64, spread == spread ? "%.3f ± %.3f" : "%.3f", middle, spread);
  return text;
}

void show_figure(const session_t *session, FILE *page, const char *figure, const char *caption) {
  const char *folder = strrchr(session->folder, '/');
  fprintf(page, "![%s](%s/%s.svg)\n\n%s\n\n", figure, folder ? folder + 1 : session->folder, figure, caption);
}
