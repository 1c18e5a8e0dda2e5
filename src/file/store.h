/*
 * A file of named arrays and facts: HDF5 (any program that reads HDF5 reads it),
 * written and read here without the HDF5 library.
 *
 * Arrays are contiguous little-endian datasets of the root group, their first
 * byte at a multiple of 64; numbers of rank 0 and texts are attributes of the
 * root group (texts in a heap of the file, so they may be long). Every byte that
 * counts is under a checksum, and the same items give the same bytes.
 */
#ifndef LAVDM_FILE_STORE_H
#define LAVDM_FILE_STORE_H

#include "lavdm/file.h"

enum {
  STORE_RANK = LAVDM_ITEM_RANK,
  STORE_NAME = 200,
  STORE_ITEMS = 10000
}; /* most axes, bytes of a name, items */

/* One array, number or text (lavdm/file.h). */
typedef lavdm_item store_item;
typedef lavdm_item_type store_type;
#define STORE_REAL    LAVDM_ITEM_REAL
#define STORE_INTEGER LAVDM_ITEM_INTEGER
#define STORE_TEXT    LAVDM_ITEM_TEXT
#define STORE_SINGLE  LAVDM_ITEM_SINGLE

/* Called between slices of arrays that are written, which need not stay in memory. */
typedef struct {
  lavdm_trim_function call;
  const void *user;
} store_trim;

/* Writes all items: the file appears whole or not at all. trim may be NULL.
 * Names are not empty, have no '/', differ, and are not "checksum"; a text ends
 * at its first zero. */
int store_write(const char *path, const store_item *items, int count, const store_trim *trim,
                lavdm_error *error);

typedef struct store store_t;

/*
 * Opens a file that store_write wrote, or a later version of it with more in
 * it: copies it and checks its structure and every checksum. The items lie in the
 * copy and are valid until store_close; whatever becomes of the file, they stay as
 * they are. A file of more than `most` bytes, or of half the memory there is, is copied to
 * a temporary one without a name (base/large.h), which memory does not have to hold.
 */
int store_open(const char *path, store_t **out, lavdm_error *error);
int store_open_within(const char *path, int64_t most, store_t **out, lavdm_error *error);
void store_let_go(const store_t *store); /* what memory holds of such a file, until it is looked at again */
int store_count(const store_t *store);
const store_item *store_at(const store_t *store, int i);              /* NULL outside 0..count-1 */
const store_item *store_find(const store_t *store, const char *name); /* NULL if there is none */
void store_close(store_t *store);                                     /* accepts NULL */

#endif
