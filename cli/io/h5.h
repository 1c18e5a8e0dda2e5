/* What the parts of the HDF5 reader and writer share. All of it runs in a child. */
#ifndef LAVDM_CLI_IO_H5_H
#define LAVDM_CLI_IO_H5_H

#include "io/formats.h"

#include <hdf5.h>

enum { H5_PART = 1 << 18, H5_NAME = 1024 }; /* elements passed at a time; bytes of a name */

typedef struct {
  const char *path, *name;
  bool data, matlab;
  bool texts;     /* a dataset may hold several */
  int64_t length; /* of the file */

  sender *to;
  lavdm_error *error;
  hid_t file;
  char label[IO_LABEL];
} h5_reading;

/* What is known of a dataset or attribute before its data. */
typedef struct {
  io_array array;            /* name is borrowed */
  hid_t id, type, space, as; /* as: the type in memory */
  bool attribute, chunked;
  hsize_t chunk; /* rows of a chunk */
  bool check;    /* unsigned, may pass INT64_MAX */
  int64_t count;
  size_t size; /* bytes of an element in the file */
} h5_entry;

/* In a child: opens r->path; later, an object inside by its path, which leads to no other
 * file: -1 with the error set if it does, or cannot be opened; -2 if there is none. */
int h5_open_file(h5_reading *r);
hid_t h5_open_inside(h5_reading *r, const char *name);

int h5_damaged(h5_reading *r);
int h5_refuse(h5_reading *r, const char *what);
int h5_memory(h5_reading *r, int64_t bytes);

/* Type, shape and size of e->id; refuses what is not numbers or one string. */
int h5_describe(h5_reading *r, h5_entry *e);
void h5_close(h5_entry *e);

herr_t h5_fetch(const h5_entry *e, hid_t as, void *out); /* all values */
int h5_send(h5_reading *r, h5_entry *e);                 /* the array and all values */

/* A walk through an array in the file's order: the next elements, H5_PART at
 * most, that make a box, and the step beyond it. */
int64_t h5_next_box(int rank, const hsize_t *size, hsize_t *start, hsize_t *count);
void h5_pass_box(int rank, const hsize_t *size, hsize_t *start, const hsize_t *count);

#endif
