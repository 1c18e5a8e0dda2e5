#define _POSIX_C_SOURCE 200809L
#include "base/cgroup.h"

#include <stdio.h>
#include <string.h>

enum { PATH = 4096 };

/* Names of version 1, below memory/, and of version 2. */
typedef struct {
  const char *folder, *limit, *used, *idle;
} names_t;
static const names_t first = {"/memory", "memory.limit_in_bytes", "memory.usage_in_bytes",
                              "total_inactive_file"};
static const names_t second = {"", "memory.max", "memory.current", "inactive_file"};

/* The number that a file begins with, or that follows a word at the start of a line; -1: there is none. */
static int64_t number_in(const char *folder, const char *file, const char *word) {
  char path[PATH], line[256];
  long long value = -1;
  if (snprintf(path, sizeof path, "%s/%s", folder, file) >= (int)sizeof path) return -1;
  FILE *f = fopen(path, "r");
  while (f && fgets(line, sizeof line, f))
    if (!strncmp(line, word, strlen(word)) && sscanf(line + strlen(word), "%lld", &value) == 1) break;
  if (f) fclose(f);
  return value;
}

/* Pages of files that were not used lately are given back before a group is full. */
static int64_t free_in(const char *folder, const names_t *name) {
  int64_t limit = number_in(folder, name->limit, ""), used = number_in(folder, name->used, "");
  if (limit < 0 || used < 0) return INT64_MAX;
  int64_t idle = number_in(folder, "memory.stat", name->idle), held = used - (idle > 0 ? idle : 0);
  return limit > held ? limit - held : 0;
}

/* The least of a group and of those above it. */
static int64_t free_above(const char *root, const char *group, const names_t *name) {
  char folder[PATH];
  int64_t least = INT64_MAX;
  if (snprintf(folder, sizeof folder, "%s%s%s", root, name->folder, group) >= (int)sizeof folder)
    return least;
  size_t top = strlen(root) + strlen(name->folder);
  for (;;) {
    int64_t here = free_in(folder, name);
    if (here < least) least = here;
    char *end = strlen(folder) > top ? strrchr(folder + top, '/') : NULL;
    if (!end) return least;
    *end = 0;
  }
}

int64_t cgroup_free(const char *list, const char *root) {
  char line[PATH];
  int64_t least = INT64_MAX;
  FILE *f = fopen(list, "r");
  while (f && fgets(line, sizeof line, f)) {
    line[strcspn(line, "\n")] = 0;
    const char *kinds = strchr(line, ':'), *group = kinds ? strchr(kinds + 1, ':') : NULL;
    if (!group) continue;
    const names_t *name = !strncmp(kinds, "::", 2) ? &second : !strncmp(kinds, ":memory:", 8) ? &first : NULL;
    int64_t here = name ? free_above(root, group + 1, name) : INT64_MAX;
    if (here < least) least = here;
  }
  if (f) fclose(f);
  return least;
}
