/*
 * Readers that stand on libraries of others (HDF5, libtiff, libpng, libzip, zlib)
 * run in a child process, which sends what it finds through a pipe:
 *
 *     record, name                              an array is announced
 *     length, bytes, length, bytes, ...         its elements, if it has any
 *     -1                                        instead: there will be no more
 *     record, message                           the end
 *
 * A record of an array has its type and shape; the elements come in row-major or
 * column-major order, 8 bytes each, or those of a text. The parent trusts none of it.
 */
#ifndef LAVDM_CLI_IO_ISOLATE_H
#define LAVDM_CLI_IO_ISOLATE_H

#include "io/formats.h"

typedef enum { RECORD_ARRAY = 0x4c41, RECORD_END } record_kind;

typedef struct {
  int32_t kind, status; /* status: of the end */
  int32_t type, rank, columns, data;
  int64_t shape[IO_RANK];
  int64_t name; /* bytes that follow, of a name or a message */
} record;

enum { BROKEN_OFF = -1 }; /* in place of a length */

struct sender {
  int pipe;     /* -1: the work is done in this process */
  int64_t owed; /* bytes of the array under way that are still to come */

  /* In the child: address space and seconds of work that are allowed so far. */
  int64_t memory, seconds;

  /* In this process: where arrays go, and how the one under way is filled. */
  io_list *list;
  lavdm_error *error;
  const char *label;
  bool columns;
  column_walk walk;
  int failed;
};

/* The child: runs the work within the terms, and ends. */
_Noreturn void isolated_child(int pipe, const isolate_terms *terms, isolated_work work, void *user);

/*
 * What a reader may do from here on, as far as the kernel can hold it to that:
 * compute, take memory within its limits, read `path` and what is open, write to
 * what is open. No file can be made, written to, or opened but that one, once; no
 * socket, no process, no program, no signal to another. Files that are open, but
 * for `keep` and the standard three, are closed.
 */
void sandbox_enter(const char *path, int keep);

#endif
