/* Vertices of meshes and clouds of points, as they are read; and those that are equal as one. */
#include "io/vertices.h"
#include "io/room.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int vertex_add(vertex_list *list, const double *xyz, const char *path, int64_t held, lavdm_error *error) {
  if (list->count == list->room) {
    int64_t room = list->room ? 2 * list->room : 1024;
    int status = room_check(path, NULL, held, 24 * room, error);
    if (status < 0) return status;
    double *grown = realloc(list->xyz, (size_t)(3 * room) * sizeof *grown);
    if (!grown) return io_memory(error, path, 24 * room);
    list->xyz = grown;
    list->room = room;
  }
  memcpy(list->xyz + 3 * list->count++, xyz, 3 * sizeof *xyz);
  return LAVDM_OK;
}

int vertices_end(vertex_list *list, int status, io_array *out) {
  double *fit = status < 0 ? NULL : realloc(list->xyz, (size_t)(3 * list->count + 1) * sizeof *fit);
  if (fit) list->xyz = fit;
  if (status < 0)
    free(list->xyz);
  else
    *out = (io_array){.type = IO_REAL, .rank = 2, .shape = {list->count, 3}, .data = list->xyz};
  *list = (vertex_list){0};
  return status;
}

void names_add(char names[NAMES_SIZE], const char *from, const char *to) {
  char name[SHOWN_WORD];
  size_t used = strlen(names);
  shown_word(from, to, name);
  if (used + strlen(name) + 3 < NAMES_SIZE)
    snprintf(names + used, NAMES_SIZE - used, "%s%s", used ? ", " : "", name);
}

/* ---------------------------------------------------------------- merging */

typedef struct {
  double xyz[3];
  int64_t index;
} corner;

/* By their bits, then by their number. */
static int compare(const void *a, const void *b) {
  const corner *x = a, *y = b;
  int order = memcmp(x->xyz, y->xyz, sizeof x->xyz);
  return order ? order : (x->index > y->index) - (x->index < y->index);
}

int vertices_merge(vertex_list *list, const char *path, int64_t held, lavdm_error *error) {
  int64_t n = list->count, kept = 0;
  int status = room_check(path, NULL, held + 24 * n, n * (2 * (int64_t)sizeof(corner) + 1), error);
  if (status < 0) return status;
  corner *sorted = malloc((size_t)n * sizeof *sorted + 1);
  char *again = calloc((size_t)n + 1, 1);
  if (!sorted || !again) {
    free(sorted);
    free(again);
    return io_memory(error, path, n * (int64_t)sizeof *sorted);
  }
  for (int64_t i = 0; i < n; i++) {
    for (int a = 0; a < 3; a++) sorted[i].xyz[a] = list->xyz[3 * i + a] + 0.0; /* -0 is 0 */
    sorted[i].index = i;
  }
  qsort(sorted, (size_t)n, sizeof *sorted, compare);
  for (int64_t i = 1; i < n; i++)
    again[sorted[i].index] = !memcmp(sorted[i].xyz, sorted[i - 1].xyz, sizeof sorted->xyz);
  for (int64_t i = 0; i < n; i++)
    if (!again[i]) memmove(list->xyz + 3 * kept++, list->xyz + 3 * i, 3 * sizeof *list->xyz);
  list->count = kept;
  free(sorted);
  free(again);
  return LAVDM_OK;
}
