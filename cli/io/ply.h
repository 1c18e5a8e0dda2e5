/*
 * The header of a PLY file: elements (vertex, face, ...) of so many rows each, a
 * row being one number or one list of numbers for each property. The data follow
 * in this order, as lines of text or as bytes.
 */
#ifndef LAVDM_CLI_IO_PLY_H
#define LAVDM_CLI_IO_PLY_H

#include "io/formats.h"

typedef struct {
  const char *from, *to; /* its name, in the text */
  number_format number;  /* of the number, or of the items of the list */
  number_format length;  /* of a list; size 0: one number */
  int axis;              /* 0, 1, 2 for x, y, z of the vertices, else -1 */
} ply_property;

typedef struct {
  const char *from, *to; /* its name, in the text */
  int64_t count;
  int first, properties; /* in the list of all */
  bool lists;
  int64_t width; /* bytes of a row at least; exactly, if there are no lists */
} ply_element;

typedef struct {
  text_lines in; /* after the header: at its data */
  bool text, swapped;
  ply_element *element;
  int elements, element_room;
  ply_property *property;
  int properties, property_room;
  int vertex; /* which element, or -1 */
} ply_file;

/* Of an open file, otherwise zeroed. */
int ply_read_header(ply_file *f);

#endif
