/* A file that replaces its target at the end, or leaves no trace. */
#ifndef LAVDM_FILE_ATOMIC_H
#define LAVDM_FILE_ATOMIC_H

#include "file/store.h"

#include <stddef.h>
#include <sys/types.h>

typedef struct atomic_file {
  const char *path;         /* as the caller named it */
  char *target, *temp;      /* the file behind links; what is written meanwhile */
  int fd;                   /* of temp */
  pid_t process;            /* that writes it */
  struct atomic_file *next; /* that is open */
  mode_t mode;
  const store_trim *trim; /* or NULL */
  lavdm_error *error;
  size_t used;
  char buffer[1 << 16];
} atomic_file;

int atomic_begin(atomic_file *file, const char *path, lavdm_error *error);
int atomic_write(atomic_file *file, const void *data, size_t bytes);

/* Data of any size, a slice at a time; between slices they may be dropped. */
enum { SLICE = 1 << 22 };
int atomic_write_slices(atomic_file *file, const void *data, int64_t bytes);
void atomic_trim(const atomic_file *file);

/* Overwrites the first bytes of what has been written. */
int atomic_patch(atomic_file *file, const void *data, size_t bytes);

/* Renames over the target if status >= 0, else removes; always frees. */
int atomic_end(atomic_file *file, int status);

/* Removes what processes that were killed have left of this target beside it. */
void atomic_clean(const char *path);

/* The sentence for a write that failed with this errno. */
int write_fail(lavdm_error *error, const char *path, int reason);

#endif
