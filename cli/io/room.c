#define _POSIX_C_SOURCE 200809L
#include "io/room.h"
#include "io/sentence.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static int64_t asked; /* max_memory, or 0 */

void room_allow(int64_t bytes) {
  asked = bytes > 0 ? bytes : 0;
}

int64_t room_most(void) {
  const int64_t most = INT64_MAX / 16;
  int64_t built = (int64_t)sysconf(_SC_PHYS_PAGES) * (int64_t)sysconf(_SC_PAGESIZE);
  int64_t room = asked ? asked : built;
  return room > 0 && room < most ? room : most;
}

const char *size_text(double bytes, char text[SIZE_TEXT]) {
  if (bytes < 1e8)
    snprintf(text, SIZE_TEXT, "%.0f MB", bytes < 1e6 ? 1 : bytes / 1e6);
  else
    snprintf(text, SIZE_TEXT, "%.*f GB", bytes < 1e9 ? 2 : bytes < 1e10 ? 1 : 0, bytes / 1e9);
  return text;
}

/* ---------------------------------------------------------- the machine */

/* The number after `key` in a file of lines "KEY NUMBER", or at its start if the
 * key is ""; -1 if there is none. */
static int64_t number_in(const char *path, const char *key) {
  char line[256];
  int64_t value = -1;
  size_t length = strlen(key);
  FILE *file = fopen(path, "r");
  while (file && value < 0 && fgets(line, sizeof line, file))
    if (!strncmp(line, key, length) && sscanf(line + length, "%" SCNd64, &value) != 1) value = -1;
  if (file) fclose(file);
  return value;
}

static int64_t lesser(int64_t a, int64_t b) {
  return a < 0 || (b >= 0 && b < a) ? b : a;
}

static int64_t address_space_left(void) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_AS, &limit) || limit.rlim_cur == RLIM_INFINITY) return -1;
  int64_t pages = number_in("/proc/self/statm", ""), used = pages * (int64_t)sysconf(_SC_PAGESIZE);
  int64_t most = limit.rlim_cur > INT64_MAX ? INT64_MAX : (int64_t)limit.rlim_cur;
  return pages < 0 ? -1 : most > used ? most - used : 0;
}

/* What a control group has left: its cache of files goes when memory is short. */
static int64_t group_left(const char *folder, bool second) {
  char path[PATH_MAX + 64];
  snprintf(path, sizeof path, "%s/%s", folder, second ? "memory.max" : "memory.limit_in_bytes");
  int64_t most = number_in(path, "");
  snprintf(path, sizeof path, "%s/%s", folder, second ? "memory.current" : "memory.usage_in_bytes");
  int64_t used = number_in(path, "");
  if (most < 0 || used < 0) return -1;
  snprintf(path, sizeof path, "%s/memory.stat", folder);
  int64_t cache = number_in(path, second ? "inactive_file " : "total_inactive_file ");
  used -= cache > 0 ? cache : 0;
  return most > used ? most - used : 0;
}

/* Of every group that the process is in: one of version 2 ("0::/a/b") or that of
 * memory in version 1 ("9:memory:/a/b"), and those around it. */
static int64_t groups_left(void) {
  char line[PATH_MAX], folder[PATH_MAX + 32];
  int64_t left = -1;
  FILE *file = fopen("/proc/self/cgroup", "r");
  while (file && fgets(line, sizeof line, file)) {
    line[strcspn(line, "\n")] = 0;
    bool second = !strncmp(line, "0::", 3);
    const char *first = strstr(line, ":memory:");
    if (!second && !first) continue;
    const char *base = second ? "/sys/fs/cgroup" : "/sys/fs/cgroup/memory";
    snprintf(folder, sizeof folder, "%s%s", base, second ? line + 3 : first + 8);
    for (char *end; strlen(folder) >= strlen(base); *end = 0) {
      left = lesser(left, group_left(folder, second));
      if (!(end = strrchr(folder, '/'))) break;
    }
  }
  if (file) fclose(file);
  return left;
}

int64_t room_available(void) {
  int64_t free_memory = number_in("/proc/meminfo", "MemAvailable:");
  if (free_memory >= 0) free_memory *= 1024;
  return lesser(lesser(free_memory, address_space_left()), groups_left());
}

/* ---------------------------------------------------------- the question */

/* "30000 x 30000 numbers"; one page and one channel go without saying. */
static void shape_words(const io_array *array, char *text, size_t size) {
  size_t used = 0;
  for (int i = 0; i < array->rank && used < size; i++)
    if (array->rank < 3 || array->shape[i] != 1)
      used += (size_t)snprintf(text + used, size - used, "%s%" PRId64, used ? " x " : "", array->shape[i]);
  if (used < size) snprintf(text + used, size - used, array->type == IO_TEXT ? " characters" : " numbers");
}

int room_check(const char *label, const io_array *array, int64_t held, int64_t bytes, lavdm_error *error) {
  /* the machine is asked each time that so much more is wanted */
  const int64_t step = 16 << 20;
  if (!asked && (held + bytes) / step == held / step) return LAVDM_OK;
  int64_t allowed = asked ? asked : room_available();
  if (allowed < 0 || (asked ? held + bytes : bytes) <= allowed) return LAVDM_OK;
  char need[SIZE_TEXT], most[SIZE_TEXT], shape[128] = "too much";
  size_text((double)(asked ? held + bytes : bytes), need);
  size_text((double)allowed, most);
  if (array) shape_words(array, shape, sizeof shape);
  if (asked)
    return io_fail(error, LAVDM_ERROR_MEMORY, label,
                   "holds %s, which need%s %s of memory; max_memory is %s: allow more, or save points as "
                   ".npy, of which --stream yes reads a part at a time",
                   shape, array ? "" : "s", need, most);
  return io_fail(
      error, LAVDM_ERROR_MEMORY, label,
      "holds %s, which need%s %s of memory, and the machine has %s left: free some, or save points "
      "as .npy, of which --stream yes reads a part at a time",
      shape, array ? "" : "s", need, most);
}
