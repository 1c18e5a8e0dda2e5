/*
 * Files that appear whole or not at all, and results that are kept in the file of a model
 * or in one of their own: HDF5, written without its library, under checksums.
 */
#ifndef LAVDM_FILE_H
#define LAVDM_FILE_H

#include "../lavdm.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The text "format" of a file that lavdm_save wrote. */
#define LAVDM_MODEL_FORMAT "lavdm model"

#define LAVDM_ITEM_RANK 4 /* axes, at most */

typedef enum {
  LAVDM_ITEM_REAL,    /* double */
  LAVDM_ITEM_INTEGER, /* int64_t */
  LAVDM_ITEM_TEXT,    /* char */
  LAVDM_ITEM_SINGLE   /* float */
} lavdm_item_type;

/* One array, row-major; a number, which has rank 0; or a text, of rank 1, with shape[0]
 * bytes and a zero behind them. */
typedef struct {
  const char *name;
  lavdm_item_type type;
  int rank;
  int64_t shape[LAVDM_ITEM_RANK];
  const void *data;
} lavdm_item;

/* Called again and again while arrays are written, each time that some megabytes of them
 * have been read: they need not stay in memory (lavdm_trim). */
typedef void (*lavdm_trim_function)(const void *user);

/*
 * Writes items to an HDF5 file: arrays become datasets of the root group, numbers and
 * texts its attributes. Names are not empty, have no '/', differ, and are not "checksum";
 * a text ends at its first zero. The same items give the same bytes. trim may be NULL.
 */
LAVDM_API int lavdm_write(const char *path, const lavdm_item *items, int count, lavdm_trim_function trim,
                          const void *trim_user, lavdm_error *error);

/* lavdm_save with items of the program's own beside the model's; those whose names the
 * model uses itself are left out. */
LAVDM_API int lavdm_save_with(const lavdm_model *model, const char *path, int compact,
                              const lavdm_item *items, int count, lavdm_error *error);

/*
 * A file of any kind that replaces its target when it is closed, or leaves no trace. It is
 * written under a name of its own in the same folder, synced, and renamed; links are
 * followed, and permissions are those of the file that is replaced.
 */
typedef struct lavdm_file lavdm_file;

/* On a negative status *file is NULL. The error is also that of lavdm_file_write and
 * lavdm_file_close, so that it must live as long as the file. */
LAVDM_API int lavdm_file_open(const char *path, lavdm_file **file, lavdm_error *error);
LAVDM_API int lavdm_file_write(lavdm_file *file, const void *data, size_t bytes);

/* What the file is called until it is closed, for libraries that write to files by name. */
LAVDM_API const char *lavdm_file_name(const lavdm_file *file);

/* Puts the file in its place if status is not negative, else removes it; frees it in any
 * case, and returns status or what went wrong meanwhile. Accepts NULL. */
LAVDM_API int lavdm_file_close(lavdm_file *file, int status);

#ifdef __cplusplus
}
#endif
#endif
