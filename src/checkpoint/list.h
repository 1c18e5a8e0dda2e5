/* The arrays of a checkpoint, as they are gathered before it is written. */
#ifndef LAVDM_CHECKPOINT_LIST_H
#define LAVDM_CHECKPOINT_LIST_H

#include "file/store.h"

enum { LIST_ITEMS = 64, LIST_NUMBERS = 24, LIST_OWNED = 8 };

typedef struct {
  store_item item[LIST_ITEMS];
  int count;
  int64_t number[LIST_NUMBERS]; /* whole numbers, and reals by their bits */
  int numbers;
  void *owned[LIST_OWNED]; /* arrays that were made for the list */
  int owns;
} checkpoint_list;

/* `count` entries, which must stay where they are; none if data is NULL or count 0. */
void checkpoint_add(checkpoint_list *list, const char *name, store_type type, int64_t count,
                    const void *data);
void checkpoint_text(checkpoint_list *list, const char *name, const char *text);
void checkpoint_integer(checkpoint_list *list, const char *name, int64_t value);
void checkpoint_real(checkpoint_list *list, const char *name, double value);

/* An array of `count` whole numbers that the list frees, to be filled in; NULL: no memory. */
int64_t *checkpoint_integers(checkpoint_list *list, const char *name, int64_t count);

void checkpoint_free(checkpoint_list *list); /* accepts NULL */

#endif
