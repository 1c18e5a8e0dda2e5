/*
 * Writes a store (hdf5.h). Everything but the data is small and comes first; its
 * length depends on the names and texts alone. So the data are written behind
 * room for it, with their checksums taken on the way, and it is filled in last.
 */
#include "file/atomic.h"
#include "file/hdf5.h"
#include "file/sentence.h"

#include "base/memory.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------- the pen */

/* Writes bytes one after the other; with no room it only counts them. */
typedef struct {
  unsigned char *room; /* or NULL */
  int64_t at;
  int64_t header; /* where the object header under way begins */
} pen_t;

static void put(pen_t *pen, const void *data, int64_t bytes) {
  if (pen->room && bytes) memcpy(pen->room + pen->at, data, (size_t)bytes);
  pen->at += bytes;
}

static void put_number(pen_t *pen, uint64_t value, int bytes) {
  put(pen, &value, bytes); /* little-endian */
}

static void put_zeros(pen_t *pen, int64_t bytes) {
  pen->at += bytes; /* the room is zeroed */
}

static void put_sum(pen_t *pen, int64_t from) {
  put_number(pen, pen->room ? lookup3(pen->room + from, (size_t)(pen->at - from)) : 0, 4);
}

/* The lengths of headers are written when they are known. */
static void begin_header(pen_t *pen) {
  put_zeros(pen, -pen->at & 7);
  pen->header = pen->at;
  put(pen, "OHDR", 4);
  put_number(pen, 2, 1);
  put_number(pen, OHDR_LIMITS | 2, 1); /* the length has 4 bytes */
  put_number(pen, MESSAGE_MOST, 2);    /* attributes stay in the header, however many */
  put_number(pen, 0, 2);
  put_zeros(pen, 4);
}

static void end_header(pen_t *pen) {
  enum { BEFORE = 14 }; /* bytes before the messages */
  uint32_t length = (uint32_t)(pen->at - pen->header - BEFORE);
  if (pen->room) memcpy(pen->room + pen->header + BEFORE - 4, &length, 4);
  put_sum(pen, pen->header);
}

static void begin_message(pen_t *pen, int type, int64_t bytes) {
  put_number(pen, (uint64_t)type, 1);
  put_number(pen, (uint64_t)bytes, 2);
  put_number(pen, 0, 1);
}

static int64_t space_bytes(int rank) {
  return 4 + 8 * rank;
}

static void put_space(pen_t *pen, int rank, const int64_t *shape) {
  const unsigned char start[] = {2, (unsigned char)rank, 0, rank > 0};
  put(pen, start, 4);
  for (int i = 0; i < rank; i++) put_number(pen, (uint64_t)shape[i], 8);
}

/* What is listed in this header, and nowhere else. */
static void put_listed_here(pen_t *pen, int type) {
  begin_message(pen, type, LISTED_BYTES);
  put_number(pen, 0, 2);
  put_number(pen, UNDEFINED, 8);
  put_number(pen, UNDEFINED, 8);
}

/* A scalar attribute; its value follows. */
static void begin_attribute(pen_t *pen, const char *name, const hdf5_type *type) {
  int64_t length = (int64_t)strlen(name) + 1;
  begin_message(pen, MESSAGE_ATTRIBUTE, 9 + length + type->bytes + space_bytes(0) + type->size);
  put_number(pen, 3, 1);
  put_number(pen, 0, 1);
  put_number(pen, (uint64_t)length, 2);
  put_number(pen, (uint64_t)type->bytes, 2);
  put_number(pen, (uint64_t)space_bytes(0), 2);
  put_number(pen, 1, 1); /* the name is UTF-8 */
  put(pen, name, length);
  put(pen, type->code, type->bytes);
  put_space(pen, 0, NULL);
}

static void put_checksum(pen_t *pen, uint64_t sum) {
  char text[SUM_BYTES + 1];
  hdf5_sum_text(sum, text);
  begin_attribute(pen, "checksum", hdf5_sum_type());
  put(pen, text, SUM_BYTES);
}

/* ------------------------------------------------------------ the plan */

/* Where the parts of an item are. */
typedef struct {
  int64_t header, data; /* of an array; data 0: it is empty */
  int64_t bytes;        /* of the data, or of a text */
  uint64_t sum;
} place_t;

typedef struct {
  const store_item *items;
  place_t *place;
  int count;
  int64_t heap, heap_bytes; /* 0: no text */
  int64_t front, end;       /* bytes before the data, and of the whole */
  uint64_t heap_sum;
} plan_t;

static bool is_array(const store_item *item) {
  return item->type != STORE_TEXT && item->rank > 0;
}

static int64_t padded(int64_t bytes, int64_t to) {
  return (bytes + to - 1) / to * to;
}

static void put_superblock(const plan_t *plan, pen_t *pen, int64_t root) {
  put(pen, SIGNATURE, 8);
  put_number(pen, 2, 1);
  put_number(pen, 8, 1);
  put_number(pen, 8, 1);
  put_number(pen, 0, 1);
  put_number(pen, 0, 8);
  put_number(pen, UNDEFINED, 8);
  put_number(pen, (uint64_t)plan->end, 8);
  put_number(pen, (uint64_t)root, 8);
  put_sum(pen, 0);
}

static void put_link(pen_t *pen, const char *name, int64_t header) {
  int64_t length = (int64_t)strlen(name);
  begin_message(pen, MESSAGE_LINK, 4 + length + 8);
  put_number(pen, 1, 1);
  put_number(pen, 0x10, 1); /* the character set is given, and 1 byte for the length */
  put_number(pen, 1, 1);
  put_number(pen, (uint64_t)length, 1);
  put(pen, name, length);
  put_number(pen, (uint64_t)header, 8);
}

/* Texts are numbered from 1; an empty one is in no heap. */
static void put_attribute(const plan_t *plan, pen_t *pen, int i, int *texts) {
  const store_item *item = &plan->items[i];
  const hdf5_type *type = hdf5_type_of(item->type);
  begin_attribute(pen, item->name, type);
  if (item->type != STORE_TEXT) {
    put(pen, item->data, type->size);
    return;
  }
  int64_t bytes = plan->place[i].bytes;
  put_number(pen, (uint64_t)bytes, 4);
  put_number(pen, bytes ? (uint64_t)plan->heap : 0, 8);
  put_number(pen, bytes ? (uint64_t)++ * texts : 0, 4);
}

static void put_root(const plan_t *plan, pen_t *pen) {
  int texts = 0;
  begin_header(pen);
  put_listed_here(pen, MESSAGE_LINK_INFO);
  begin_message(pen, MESSAGE_GROUP_INFO, 6);
  put_number(pen, 0x0100, 2);
  put_number(pen, MESSAGE_MOST, 2); /* however many they are */
  put_number(pen, 0, 2);
  put_listed_here(pen, MESSAGE_ATTRIBUTE_INFO);
  for (int i = 0; i < plan->count; i++)
    if (is_array(&plan->items[i])) put_link(pen, plan->items[i].name, plan->place[i].header);
  for (int i = 0; i < plan->count; i++)
    if (!is_array(&plan->items[i])) put_attribute(plan, pen, i, &texts);
  put_checksum(pen, plan->heap_sum);
  end_header(pen);
}

static void put_array(pen_t *pen, const store_item *item, const place_t *place) {
  const hdf5_type *type = hdf5_type_of(item->type);
  begin_header(pen);
  begin_message(pen, MESSAGE_SPACE, space_bytes(item->rank));
  put_space(pen, item->rank, item->shape);
  begin_message(pen, MESSAGE_TYPE, type->bytes);
  put(pen, type->code, type->bytes);
  begin_message(pen, MESSAGE_FILL, 2);
  put_number(pen, 0x0603, 2); /* version 3; space made late, never filled */
  begin_message(pen, MESSAGE_LAYOUT, 18);
  put_number(pen, 0x0103, 2); /* version 3; contiguous */
  put_number(pen, place->bytes ? (uint64_t)place->data : UNDEFINED, 8);
  put_number(pen, (uint64_t)place->bytes, 8);
  put_listed_here(pen, MESSAGE_ATTRIBUTE_INFO);
  put_checksum(pen, place->sum);
  end_header(pen);
}

static void put_heap(const plan_t *plan, pen_t *pen) {
  int64_t from = pen->at;
  int texts = 0;
  put(pen, "GCOL", 4);
  put_number(pen, 1, 4);
  put_number(pen, (uint64_t)plan->heap_bytes, 8);
  for (int i = 0; i < plan->count; i++) {
    int64_t bytes = plan->place[i].bytes;
    if (plan->items[i].type != STORE_TEXT || !bytes) continue;
    put_number(pen, (uint64_t)++texts, 2);
    put_number(pen, 1, 2); /* used once */
    put_zeros(pen, 4);
    put_number(pen, (uint64_t)bytes, 8);
    put(pen, plan->items[i].data, bytes);
    put_zeros(pen, -bytes & 7);
  }
  put_zeros(pen, 8); /* number 0 is what is left */
  put_number(pen, (uint64_t)(from + plan->heap_bytes - pen->at + 8), 8);
  pen->at = from + plan->heap_bytes;
}

/* All that comes before the data. Without room: only where the parts will be. */
static void put_front(plan_t *plan, pen_t *pen) {
  put_superblock(plan, pen, SUPERBLOCK_BYTES);
  put_root(plan, pen);
  for (int i = 0; i < plan->count; i++) {
    if (!is_array(&plan->items[i])) continue;
    put_zeros(pen, -pen->at & 7);
    plan->place[i].header = pen->at;
    put_array(pen, &plan->items[i], &plan->place[i]);
  }
  put_zeros(pen, -pen->at & 7);
  if (plan->heap_bytes) {
    plan->heap = pen->at;
    put_heap(plan, pen);
  }
}

static void make_plan(plan_t *plan) {
  int64_t texts = HEAP_HEADER + HEAP_OBJECT;
  for (int i = 0; i < plan->count; i++) {
    const store_item *item = &plan->items[i];
    place_t *place = &plan->place[i];
    if (item->type == STORE_TEXT) {
      place->bytes = (int64_t)strlen(item->data);
      texts += place->bytes ? HEAP_OBJECT + padded(place->bytes, 8) : 0;
    } else if (is_array(item)) {
      place->bytes = store_bytes(item);
    }
  }
  if (texts > HEAP_HEADER + HEAP_OBJECT) plan->heap_bytes = texts < HEAP_LEAST ? HEAP_LEAST : texts;
  pen_t pen = {0};
  put_front(plan, &pen);
  plan->front = plan->end = pen.at;
  for (int i = 0; i < plan->count; i++) {
    if (!is_array(&plan->items[i]) || !plan->place[i].bytes) continue;
    plan->place[i].data = padded(plan->end, ALIGNMENT);
    plan->end = plan->place[i].data + plan->place[i].bytes;
  }
}

/* ------------------------------------------------------------ the file */

static int by_name(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int check_names(const char *path, const store_item *items, int count, lavdm_error *error) {
  const char **names = NEW(const char *, count);
  if (!names) return file_memory(error, path, 0);
  for (int i = 0; i < count; i++) names[i] = items[i].name;
  qsort(names, (size_t)count, sizeof *names, by_name);
  int status = LAVDM_OK;
  for (int i = 1; i < count && !status; i++)
    if (!strcmp(names[i - 1], names[i]))
      status = file_fail(error, LAVDM_ERROR_ARGUMENT, path, "two arrays are called '%s'", names[i]);
  mem_free(names);
  return status;
}

static int check_items(const char *path, const store_item *items, int count, lavdm_error *error) {
  if (count < 0 || count > STORE_ITEMS)
    return file_fail(error, LAVDM_ERROR_ARGUMENT, path, "a file holds at most %d arrays", STORE_ITEMS);
  double whole = 0;
  for (int i = 0; i < count; i++) {
    const store_item *a = &items[i];
    if (!a->name || !a->name[0] || strlen(a->name) > STORE_NAME || strchr(a->name, '/') ||
        !strcmp(a->name, ".") || !strcmp(a->name, "checksum"))
      return file_fail(error, LAVDM_ERROR_ARGUMENT, path, "an array has no proper name");
    int64_t elements = a->type == STORE_TEXT ? 0 : store_elements(a->rank, a->shape);
    if (elements < 0 || (!a->data && (elements > 0 || a->type == STORE_TEXT)))
      return file_fail(error, LAVDM_ERROR_ARGUMENT, path, "'%s' has an impossible shape", a->name);
    if (a->type == STORE_TEXT && strlen(a->data) > INT32_MAX)
      return file_fail(error, LAVDM_ERROR_ARGUMENT, path, "the text '%s' is too long", a->name);
    whole += 8 * (double)elements;
  }
  if (whole > 4e18) return file_fail(error, LAVDM_ERROR_ARGUMENT, path, "the arrays are too large");
  return check_names(path, items, count, error);
}

/* Zeros until the file has so many bytes. */
static int fill_up(atomic_file *file, int64_t *at, int64_t to) {
  static const char zero[4096];
  int status = LAVDM_OK;
  while (*at < to && status >= 0) {
    int64_t part = to - *at < (int64_t)sizeof zero ? to - *at : (int64_t)sizeof zero;
    status = atomic_write(file, zero, (size_t)part);
    *at += part;
  }
  return status;
}

static int write_data(atomic_file *file, const crc64_t *crc, const void *data, place_t *place) {
  int status = LAVDM_OK;
  for (int64_t at = 0; at < place->bytes && status >= 0; at += SLICE) {
    int64_t part = place->bytes - at < SLICE ? place->bytes - at : SLICE;
    const char *slice = (const char *)data + at;
    place->sum = crc64(crc, place->sum, slice, (size_t)part);
    status = atomic_write(file, slice, (size_t)part);
    atomic_trim(file);
  }
  return status;
}

static int write_plan(plan_t *plan, atomic_file *file, const crc64_t *crc, unsigned char *room) {
  int64_t at = 0;
  int status = fill_up(file, &at, plan->front);
  for (int i = 0; i < plan->count && status >= 0; i++) {
    place_t *place = &plan->place[i];
    if (!place->data) continue;
    status = fill_up(file, &at, place->data);
    if (status >= 0) status = write_data(file, crc, plan->items[i].data, place);
    at += place->bytes;
  }
  if (status < 0) return status;
  pen_t heap = {.room = room, .at = plan->heap};
  if (plan->heap_bytes) {
    put_heap(plan, &heap);
    plan->heap_sum = crc64(crc, 0, room + plan->heap, (size_t)plan->heap_bytes);
  }
  pen_t pen = {.room = room};
  put_front(plan, &pen);
  return atomic_patch(file, room, (size_t)plan->front);
}

int store_write(const char *path, const store_item *items, int count, const store_trim *trim,
                lavdm_error *error) {
  int status = check_items(path, items, count, error);
  if (status < 0) return status;
  plan_t plan = {.items = items, .count = count, .place = NEW(place_t, count)};
  crc64_t *crc = NEW(crc64_t, 1);
  atomic_file *file = NEW(atomic_file, 1);
  unsigned char *room = NULL;
  if (plan.place && crc && file) {
    make_plan(&plan);
    room = NEW(unsigned char, plan.front);
  }
  if (!room) {
    status = file_memory(error, path, 0);
  } else {
    crc64_start(crc);
    status = atomic_begin(file, path, error);
    if (status >= 0) {
      file->trim = trim;
      status = atomic_end(file, write_plan(&plan, file, crc, room));
    }
  }
  mem_free(room);
  mem_free(file);
  mem_free(crc);
  mem_free(plan.place);
  return status;
}
