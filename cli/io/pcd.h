/*
 * The header of a PCD file (Point Cloud Library): fields of so many numbers of one kind each, the number of
 * points, and how these follow: as lines of text, as bytes point by point, or compressed field by field.
 */
#ifndef LAVDM_CLI_IO_PCD_H
#define LAVDM_CLI_IO_PCD_H

#include "io/formats.h"

enum { PCD_FIELDS = 64 };

typedef struct {
  const char *from, *to; /* its name, in the text */
  number_format number;
  int64_t count;  /* numbers of a point */
  int64_t column; /* numbers and bytes of a point before it */
  int64_t offset;
} pcd_field;

typedef enum { PCD_TEXT, PCD_BYTES, PCD_COMPRESSED } pcd_form;

typedef struct {
  text_lines in; /* after the header: at its data */
  pcd_field field[PCD_FIELDS];
  int fields, axis[3];            /* which fields are x, y, z */
  int64_t points, columns, width; /* numbers and bytes of a point */
  pcd_form form;
} pcd_file;

/* Of an open file, otherwise zeroed. */
int pcd_read_header(pcd_file *f);

/* LZF; false unless it gives exactly `room` bytes. */
bool lzf_expand(const unsigned char *from, int64_t length, unsigned char *to, int64_t room);

#endif
