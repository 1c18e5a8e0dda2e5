/* What the parts of the reader share: a file under examination. Nothing in it
 * is trusted before it is checked: no offset, no length, no number. */
#ifndef LAVDM_FILE_STORE_READ_H
#define LAVDM_FILE_STORE_READ_H

#include "base/large.h"
#include "file/hdf5.h"
#include "file/sentence.h"

#include <stdbool.h>

struct store {
  large_t large;      /* how the copy was made */
  unsigned char *map; /* the copy */
  int64_t length;
  int count;
  store_item *items;
};

/* Bytes that belong to one part of the file and to no other. */
typedef struct {
  int64_t from, to;
} extent_t;

typedef struct {
  const char *path;
  lavdm_error *error;
  store_t *store;
  crc64_t *crc;
  extent_t *extents;
  int extent_count;
  int64_t heap, heap_bytes; /* 0: not met yet */
  int64_t *text;            /* HEAP_NUMBERS: where text number i begins in the heap, 0 if there is none */
  int64_t *text_bytes;
  const unsigned char **sums; /* of item i, as the file has it; NULL if it is no array */
} reading_t;

enum { HEAP_NUMBERS = 65536 };

/* The messages of an object header, and the one that is looked at. */
typedef struct {
  int64_t next, end;
  int type;
  int64_t at, bytes; /* the content */
} messages_t;

/* An attribute: its name, datatype and value, which is scalar. */
typedef struct {
  const char *name;
  bool scalar;
  const unsigned char *type, *value;
  int64_t type_bytes, value_bytes;
} attribute_t;

uint64_t number_at(const reading_t *r, int64_t at, int bytes);

int store_damaged(reading_t *r, const char *what);
int store_foreign(reading_t *r);
#ifdef LAVDM_ANALYSE
#define store_damaged(r, what) (store_damaged(r, what), LAVDM_ERROR_FILE)
#define store_foreign(r)       (store_foreign(r), LAVDM_ERROR_FILE)
#endif

/* Checks the header at this address and its lookup3; its extent is noted. */
int messages_open(reading_t *r, uint64_t address, messages_t *m);

/* 1, or 0 after the last message, or an error. */
int messages_next(reading_t *r, messages_t *m);

/* Link info or attribute info: those that are listed elsewhere are none of ours. */
int listed_here(reading_t *r, const messages_t *m);

int attribute_read(reading_t *r, const messages_t *m, attribute_t *a);
bool attribute_is(const attribute_t *a, const hdf5_type *type);

/* A text's bytes, in a heap that is noted and indexed when it is first met. */
int heap_text(reading_t *r, const unsigned char *value, store_item *item);

/* The array whose header is at this address; it becomes item store->count. */
int array_read(reading_t *r, uint64_t address, store_item *item);

#endif
