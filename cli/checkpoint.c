#define _POSIX_C_SOURCE 200809L
#include "checkpoint.h"
#include "base/command.h"
#include "output/result.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* The folder of a path; true if it can be looked at. */
static bool folder_of(const char *path, struct stat *out) {
  char folder[4096];
  const char *slash = strrchr(path, '/');
  size_t length = slash ? (size_t)(slash - path) + 1 : 0;
  if (length + 2 > sizeof folder) return false;
  memcpy(folder, path, length);
  memcpy(folder + length, ".", 2);
  return !stat(folder, out);
}

/* One file, whether it is there already or not. */
static bool one_file(const char *a, const char *b) {
  const char *end_a = strrchr(a, '/'), *end_b = strrchr(b, '/');
  struct stat folder_a, folder_b;
  if (result_same(a, b)) return true;
  if (strcmp(end_a ? end_a + 1 : a, end_b ? end_b + 1 : b)) return false;
  return folder_of(a, &folder_a) && folder_of(b, &folder_b) && folder_a.st_dev == folder_b.st_dev &&
         folder_a.st_ino == folder_b.st_ino;
}

/* "14:02", with the day if that is not today. */
static void moment(time_t at, char text[32]) {
  time_t now = time(NULL);
  struct tm then, today;
  text[0] = 0;
  if (!localtime_r(&at, &then) || !localtime_r(&now, &today)) return;
  bool same_day = then.tm_year == today.tm_year && then.tm_yday == today.tm_yday;
  strftime(text, 32, same_day ? "%H:%M" : "%Y-%m-%d %H:%M", &then);
}

int checkpoint_check(const arguments *a, char saved[32], lavdm_error *error) {
  const char *path = arguments_value(a, "checkpoint");
  const char *others[] = {arguments_value(a, "output"), arguments_value(a, "graph"), a->design_file};
  struct stat there;
  saved[0] = 0;
  if (!path) return LAVDM_OK;
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    if (others[i] && one_file(path, others[i]))
      return refuse(error, STATUS_USAGE,
                    "--checkpoint %.200s is the %s of the run: it needs a file of its own", path,
                    i == 0 ? "output" : "input");
  for (int i = 0; i < a->operands; i++)
    if (one_file(path, a->operand[i]))
      return refuse(error, STATUS_USAGE,
                    "--checkpoint %.200s is the input of the run: it needs a file of its own", path);
  if (!stat(path, &there)) {
    if (S_ISDIR(there.st_mode))
      return refuse(error, STATUS_USAGE, "--checkpoint %.200s is a folder; give the name of a file", path);
    moment(there.st_mtime, saved);
  }
  if (!folder_of(path, &there))
    return refuse(error, STATUS_WRITE, "cannot write %.200s: %s", path, strerror(errno));
  return LAVDM_OK;
}

void checkpoint_remove(const arguments *a) {
  const char *path = arguments_value(a, "checkpoint");
  if (path && !fflush(stdout) && !ferror(stdout)) unlink(path);
}
