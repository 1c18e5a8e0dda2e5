/*
 * The checksum of the data is taken of the points as doubles, of each stripe of
 * rows and then of these checksums, so that it does not depend on the threads, on
 * strides, or on whether the points are in memory; and of landmarks and edges.
 */
#include "checkpoint/identity.h"

#include "base/memory.h"
#include "file/checksum.h"
#include "neighbours/rows.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *const NOT_COUNTED[] = {"time", "delta", "max_memory", "stream", "trust"};

bool identity_counts(const char *option) {
  for (size_t i = 0; i < sizeof NOT_COUNTED / sizeof *NOT_COUNTED; i++)
    if (!strcmp(option, NOT_COUNTED[i])) return false;
  return true;
}

/* -------------------------------------------------------------- the data */

typedef struct {
  crc64_t crc;
  int64_t p;
  uint64_t stripe[STRIPES];
} sums_t;

static void add_rows(void *context, int stripe, const strided_t *rows, int64_t first, int64_t count) {
  (void)first;
  enum { BLOCK = 1024 };
  sums_t *sums = context;
  double block[BLOCK];
  int used = 0;
  for (int64_t i = 0; i < count; i++)
    for (int64_t j = 0; j < sums->p; j++) {
      block[used++] = rows_value(rows, i, j);
      bool last = i + 1 == count && j + 1 == sums->p;
      if (used < BLOCK && !last) continue;
      sums->stripe[stripe] = crc64(&sums->crc, sums->stripe[stripe], block, (size_t)used * sizeof *block);
      used = 0;
    }
}

/* `count` numbers of 8 bytes, and how many they are; -1 if there are none. */
static uint64_t add_array(const sums_t *sums, uint64_t sum, const void *data, int64_t count) {
  int64_t length = data ? count : -1;
  sum = crc64(&sums->crc, sum, &length, sizeof length);
  return data ? crc64(&sums->crc, sum, data, (size_t)count * 8) : sum;
}

/* Numbers that an edge carries. Edges are checked later on: what is unfit counts as none. */
static int64_t element_size(const lavdm_edges *edges) {
  enum { MOST_Q = 64 };
  switch (edges->kind) {
  case LAVDM_ELEMENT_SIGN:
  case LAVDM_ELEMENT_ANGLE:
    return 1;
  case LAVDM_ELEMENT_QUATERNION:
    return 4;
  case LAVDM_ELEMENT_MATRIX:
    return edges->q > 0 && edges->q <= MOST_Q ? edges->q * edges->q : 0;
  default:
    return 0;
  }
}

static uint64_t add_edges(const sums_t *sums, uint64_t sum, const lavdm_edges *edges) {
  int64_t count = edges->count > 0 ? edges->count : 0, size = element_size(edges);
  int64_t kind = (int64_t)edges->kind + 100 * (int64_t)edges->ends;
  sum = add_array(sums, sum, &kind, 1);
  sum = add_array(sums, sum, edges->row, count);
  sum = add_array(sums, sum, edges->col, count);
  sum = add_array(sums, sum, edges->weight, count);
  return add_array(sums, sum, edges->element, count * size);
}

static uint64_t add_distances(const sums_t *sums, uint64_t sum, const lavdm_distances *given) {
  int64_t size = given->type == LAVDM_F32 ? sizeof(float) : sizeof(double);
  const char *value = given->value;
  sum = add_array(sums, sum, given->index ? given->start : NULL, given->rows + 1);
  if (given->index) {
    sum = add_array(sums, sum, given->index, given->start[given->rows]);
    return crc64(&sums->crc, sum, value, (size_t)(given->start[given->rows] * size));
  }
  for (int64_t i = 0; i < given->rows; i++)
    sum = crc64(&sums->crc, sum, value + i * given->row_stride * size, (size_t)(given->cols * size));
  return sum;
}

static int checksum_data(run_t *run, const lavdm_data *data, uint64_t *out) {
  sums_t *sums = NEW(sums_t, 1);
  if (!sums) return fail_memory(run->error, "the checkpoint");
  crc64_start(&sums->crc);
  sums->p = data->p;
  int status = data->points || data->read ? REAL(rows_pass)(run, data, NULL, add_rows, sums) : LAVDM_OK;
  *out = add_array(sums, 0, sums->stripe, STRIPES);
  int64_t landmarks = data->landmark_index || data->landmark_points ? data->landmark_count : 0;
  *out = add_array(sums, *out, data->landmark_index, landmarks);
  if (!data->landmark_index) *out = add_array(sums, *out, data->landmark_points, landmarks * data->p);
  if (data->edges) *out = add_edges(sums, *out, data->edges);
  if (data->distances) *out = add_distances(sums, *out, data->distances);
  mem_free(sums);
  return status;
}

/* --------------------------------------------------------------- the text */

static size_t add_line(char text[IDENTITY_SIZE], size_t used, const char *name, const char *value) {
  int length = snprintf(text + used, IDENTITY_SIZE - used, "%s %s\n", name, value);
  size_t next = used + (size_t)(length > 0 ? length : 0);
  return next < IDENTITY_SIZE ? next : IDENTITY_SIZE - 1;
}

static size_t add_number(char text[IDENTITY_SIZE], size_t used, const char *name, int64_t number) {
  char value[32];
  snprintf(value, sizeof value, "%" PRId64, number);
  return add_line(text, used, name, value);
}

size_t identity_options(const lavdm_options *options, char text[IDENTITY_SIZE], size_t used) {
  for (int i = 0; i < lavdm_option_count(); i++) {
    const char *name = lavdm_option_at(i)->name;
    char value[64];
    if (!identity_counts(name) || lavdm_option_text(options, name, value, sizeof value) < 0) continue;
    used = add_line(text, used, name, value);
  }
  return used;
}

int identity_of(run_t *run, const lavdm_data *data, char text[IDENTITY_SIZE]) {
  uint64_t sum = 0;
  int status = checksum_data(run, data, &sum);
  if (status < 0) return status;
  char value[32];
  size_t used = add_line(text, 0, "version", lavdm_version());
  used = identity_options(&run->options, text, used);
  used = add_number(text, used, "points", data->n);
  used = add_number(text, used, "coordinates", data->p);
  if (run->options.bundle == LAVDM_BUNDLE_ROTATION) used = add_number(text, used, "width", data->width);
  snprintf(value, sizeof value, "%016" PRIx64, sum);
  add_line(text, used, "data", value);
  return LAVDM_OK;
}

/* ------------------------------------------------------------- comparison */

/* The line at `text` as a name and a value; returns where the next one starts, NULL
 * at the end or where a line is not one. */
static const char *next_line(const char *text, char name[64], char value[64]) {
  size_t length = strcspn(text, "\n"), first = strcspn(text, " \n");
  if (!text[length] || first >= length || first >= 64 || length - first - 1 >= 64) return NULL;
  memcpy(name, text, first);
  name[first] = 0;
  memcpy(value, text + first + 1, length - first - 1);
  value[length - first - 1] = 0;
  return text + length + 1;
}

int identity_compare(const char *saved, const char *now, const char *path, lavdm_error *error) {
  const char *cure = "give the same data and options as before, or remove the file to start anew";
  while (strcmp(saved, now)) {
    char name[2][64] = {"", ""}, value[2][64] = {"", ""};
    saved = next_line(saved, name[0], value[0]);
    now = next_line(now, name[1], value[1]);
    if (!saved || !now || strcmp(name[0], name[1]))
      return fail(error, LAVDM_ERROR_ARGUMENT, "the checkpoint %.200s is of another kind of run: %s", path,
                  cure);
    if (!strcmp(value[0], value[1])) continue;
    if (!strcmp(name[0], "data"))
      return fail(error, LAVDM_ERROR_ARGUMENT, "the checkpoint %.200s is of other data: %s", path, cure);
    return fail(error, LAVDM_ERROR_ARGUMENT,
                "the checkpoint %.200s is of another run, %s%s was %s and is now %s: %s", path,
                lavdm_option_find(name[0]) ? "option " : "", name[0], value[0], value[1], cure);
  }
  return LAVDM_OK;
}

int identity_restore(const char *text, lavdm_options *options, lavdm_error *error) {
  char name[64], value[64];
  while (text && *text) {
    text = next_line(text, name, value);
    if (!text) return LAVDM_ERROR_ARGUMENT;
    if (!identity_counts(name)) continue;
    int status = lavdm_option_set(options, name, value, error);
    if (status < 0) return status;
  }
  return LAVDM_OK;
}
