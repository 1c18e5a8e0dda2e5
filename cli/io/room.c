#define _POSIX_C_SOURCE 200809L
#include "io/room.h"
#include "io/sentence.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

static int64_t asked; /* max_memory, or 0 */

void room_allow(int64_t bytes) {
  asked = bytes > 0 ? bytes : 0;
}

void room_leave_to_parent(void) {
  if (!asked) asked = INT64_MAX;
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
  int64_t allowed = asked ? asked : lavdm_available();
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
