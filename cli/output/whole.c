#include "output/whole.h"
#include "base/command.h"
#include "io/io.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

int whole_parse(const char *name, const char *text, int64_t *out, lavdm_error *error) {
  char *end;
  errno = 0;
  long long value = strtoll(text, &end, 10);
  if (end == text || *end || errno || value < 1)
    return refuse(error, STATUS_USAGE, "%s is '%.100s': it must be a whole number of at least 1", name, text);
  *out = value;
  return LAVDM_OK;
}

static int no_memory(const char *spec, lavdm_error *error) {
  return refuse(error, LAVDM_ERROR_MEMORY, "out of memory for the numbers of %.200s", spec);
}

/* Reals that are whole become integers, in place. */
static int make_whole(io_array *a, const char *spec, int64_t columns, lavdm_error *error) {
  if (a->type == IO_INTEGER) return LAVDM_OK;
  char *bytes = a->data;
  for (int64_t i = 0; i < io_array_count(a); i++) {
    double real;
    memcpy(&real, bytes + 8 * i, 8);
    if (!(fabs(real) < 1e15 && real == floor(real)))
      return refuse(error, LAVDM_ERROR_DATA,
                    "%.200s: row %" PRId64 ", column %" PRId64
                    " is %g, and points are numbered by whole numbers from 0",
                    spec, i / columns + 1, i % columns + 1, real);
    int64_t whole = (int64_t)real;
    memcpy(bytes + 8 * i, &whole, 8);
  }
  a->type = IO_INTEGER;
  return LAVDM_OK;
}

int whole_read(const char *spec, int64_t wanted, whole_table *out, lavdm_error *error) {
  io_array a = {0};
  *out = (whole_table){0};
  int status = io_read(spec, &a, error);
  int64_t rows = a.rank > 0 ? a.shape[0] : 1, columns = 1, count = status < 0 ? 0 : io_array_count(&a);
  for (int k = 1; k < a.rank && status >= 0; k++) columns *= a.shape[k];
  if (wanted == 1 && rows == 1) rows = columns, columns = 1;
  if (status >= 0 && a.type == IO_TEXT)
    status = refuse(error, LAVDM_ERROR_DATA, "%.200s holds text, not numbers", spec);
  if (status >= 0 && count < 1) status = refuse(error, LAVDM_ERROR_DATA, "%.200s holds no numbers", spec);
  if (status >= 0 && columns != wanted)
    status = refuse(
        error, LAVDM_ERROR_DATA, "%.200s has %" PRId64 " rows and %" PRId64 " columns: %s", spec, rows,
        columns, wanted == 1 ? "points are listed in one row or one column" : "a pair is two points a row");
  if (status >= 0) status = make_whole(&a, spec, columns, error);
  if (status >= 0) {
    *out = (whole_table){rows, columns, a.data};
    a.data = NULL;
  }
  io_array_free(&a);
  return status;
}

int whole_list(const char *text, whole_table *out, lavdm_error *error) {
  if (text[strspn(text, "0123456789,- ")]) return whole_read(text, 1, out, error);
  *out = (whole_table){.columns = 1, .values = calloc(strlen(text) + 1, sizeof *out->values)};
  if (!out->values) return no_memory(text, error);
  const char *at = text;
  do {
    char *end;
    errno = 0;
    out->values[out->rows++] = strtoll(at, &end, 10);
    bool good = end > at && !errno;
    end += strspn(end, " ");
    if (!good || (*end && *end != ','))
      return refuse(error, STATUS_USAGE, "'%.100s' is no list of points: write 0,5,17 or name a file", text);
    at = *end ? end + 1 : end;
  } while (*at || at[-1] == ',');
  return LAVDM_OK;
}
