/* What readers of meshes and clouds of points share. */
#ifndef LAVDM_CLI_IO_VERTICES_H
#define LAVDM_CLI_IO_VERTICES_H

#include "io/formats.h"

typedef struct {
  double *xyz; /* count x 3 */
  int64_t count, room;
} vertex_list;

/* One more; `held` bytes are held for the file besides (room.h). */
int vertex_add(vertex_list *list, const double *xyz, const char *path, int64_t held, lavdm_error *error);

/* A list of names for a sentence: "red, green", as far as it fits. */
enum { NAMES_SIZE = 200 };
void names_add(char names[NAMES_SIZE], const char *from, const char *to);

/* Those that are equal become one, where the first of them was. */
int vertices_merge(vertex_list *list, const char *path, int64_t held, lavdm_error *error);

/* The list as an array (n,3), which takes its memory over; with a negative status nothing. Returns the
 * status. */
int vertices_end(vertex_list *list, int status, io_array *out);

#endif
