/* Arrays under construction: sizes that cannot overflow, lists, storage order. */
#include "io/formats.h"
#include "io/room.h"

#include <stdlib.h>
#include <string.h>

int64_t checked_product(int64_t a, int64_t b) {
  if (a < 0 || b < 0) return -1;
  if (a && b > INT64_MAX / 16 / a) return -1;
  return a * b;
}

int64_t type_size(io_type type) {
  return type == IO_TEXT ? 1 : type == IO_SINGLE ? 4 : 8;
}

/* Also of an empty shape the other sizes must have a product. */
int64_t shape_count(int rank, const int64_t *shape) {
  int64_t count = 1;
  bool empty = false;
  if (rank < 0 || rank > IO_RANK) return -1;
  for (int i = 0; i < rank && count >= 0; i++) {
    empty |= shape[i] == 0;
    count = checked_product(count, shape[i] ? shape[i] : 1);
  }
  return count < 0 ? -1 : empty ? 0 : count;
}

int64_t io_array_count(const io_array *array) {
  return shape_count(array->rank, array->shape);
}

int64_t item_count(const io_item *item) {
  return shape_count(item->rank, item->shape);
}

void io_array_free(io_array *array) {
  if (!array) return;
  free(array->name);
  free(array->data);
  memset(array, 0, sizeof *array);
}

bool array_describe(io_array *array, const char *name, io_type type, int rank, const int64_t *shape) {
  memset(array, 0, sizeof *array);
  if (name) {
    size_t bytes = strlen(name) + 1;
    array->name = malloc(bytes);
    if (!array->name) return false;
    memcpy(array->name, name, bytes);
  }
  array->type = type;
  array->rank = rank;
  for (int i = 0; i < rank; i++) array->shape[i] = shape[i];
  return true;
}

int array_allocate(io_array *array, const char *label, int64_t held, lavdm_error *error) {
  int64_t bytes = checked_product(io_array_count(array), type_size(array->type));
  int status = bytes < 0 ? io_memory(error, label, INT64_MAX) : room_check(label, array, held, bytes, error);
  if (status >= 0 && !(array->data = malloc((size_t)bytes + 8))) status = io_memory(error, label, bytes);
  if (status >= 0)
    memset((char *)array->data + bytes, 0, 8);
  else
    io_array_free(array);
  return status;
}

bool array_text(io_array *array, const char *name, char *text, int64_t bytes) {
  if (!array_describe(array, name, IO_TEXT, 1, &bytes)) {
    free(text);
    return false;
  }
  array->data = text;
  return true;
}

io_array *list_add(io_list *list) {
  if (list->count == list->room) {
    int room = list->room ? 2 * list->room : 8;
    io_array *array = realloc(list->array, (size_t)room * sizeof *array);
    if (!array) return NULL;
    list->array = array;
    list->room = room;
  }
  io_array *last = &list->array[list->count++];
  memset(last, 0, sizeof *last);
  return last;
}

void list_free(io_list *list) {
  for (int i = 0; i < list->count; i++) io_array_free(&list->array[i]);
  free(list->array);
  memset(list, 0, sizeof *list);
}

column_walk column_start(io_type type, int rank, const int64_t *shape) {
  column_walk walk = {.size = type_size(type), .rank = rank ? rank : 1};
  walk.shape[0] = 1;
  for (int i = 0; i < rank; i++) walk.shape[i] = shape[i];
  int64_t stride = 1;
  for (int i = walk.rank - 1; i >= 0; i--) {
    walk.stride[i] = stride;
    stride *= walk.shape[i];
  }
  return walk;
}

/* Moves `run` elements along axis 0, then on to the next column. */
static void column_advance(column_walk *walk, int64_t run) {
  walk->index[0] += run;
  walk->at += run * walk->stride[0];
  for (int i = 0; walk->index[i] == walk->shape[i]; i++) {
    walk->at -= walk->shape[i] * walk->stride[i];
    walk->index[i] = 0;
    if (i + 1 == walk->rank) return;
    walk->index[i + 1]++;
    walk->at += walk->stride[i + 1];
  }
}

static int64_t column_run(const column_walk *walk, int64_t count) {
  int64_t run = walk->shape[0] - walk->index[0];
  return run < count ? run : count;
}

/* Elements of 4 or 8 bytes, so many bytes apart on either side. */
static void copy_run(char *to, int64_t to_step, const char *from, int64_t from_step, int64_t size,
                     int64_t count) {
  if (size == 8)
    for (int64_t i = 0; i < count; i++) memcpy(to + i * to_step, from + i * from_step, 8);
  else
    for (int64_t i = 0; i < count; i++) memcpy(to + i * to_step, from + i * from_step, 4);
}

void column_put(column_walk *walk, void *array, const void *values, int64_t count) {
  const char *from = values;
  while (count > 0) {
    int64_t size = walk->size, run = column_run(walk, count);
    copy_run((char *)array + size * walk->at, size * walk->stride[0], from, size, size, run);
    column_advance(walk, run);
    from += size * run;
    count -= run;
  }
}

void column_get(column_walk *walk, const void *array, void *values, int64_t count) {
  char *to = values;
  while (count > 0) {
    int64_t size = walk->size, run = column_run(walk, count);
    copy_run(to, size, (const char *)array + size * walk->at, size * walk->stride[0], size, run);
    column_advance(walk, run);
    to += size * run;
    count -= run;
  }
}
