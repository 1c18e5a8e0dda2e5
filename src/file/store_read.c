/* Object headers, attributes, texts and arrays of a store (hdf5.h), each checked before it is used. */
#include "file/store_read.h"

#include "base/memory.h"

#include <string.h>

uint64_t number_at(const reading_t *r, int64_t at, int bytes) {
  uint64_t value = 0;
  memcpy(&value, r->store->map + at, (size_t)bytes);
  return value;
}

int(store_damaged)(reading_t *r, const char *what) {
  return file_fail(r->error, LAVDM_ERROR_FILE, r->path, "is damaged (%s): restore it, or make it again",
                   what);
}

int(store_foreign)(reading_t *r) {
  return file_fail(r->error, LAVDM_ERROR_FILE, r->path,
                   "is HDF5 but not a lavdm model; lavdm embed DATA -o FILE.h5 and lavdm_save write one");
}

static void note_extent(reading_t *r, int64_t from, int64_t bytes) {
  r->extents[r->extent_count++] = (extent_t){from, from + bytes};
}

/* Whether [at, at + bytes) is in the file. */
static bool inside(const reading_t *r, uint64_t at, uint64_t bytes) {
  uint64_t length = (uint64_t)r->store->length;
  return at <= length && bytes <= length - at;
}

/* ------------------------------------------------------------- headers */

int messages_open(reading_t *r, uint64_t address, messages_t *m) {
  *m = (messages_t){0};
  enum { BEFORE = 14, SUM = 4 };
  if (!inside(r, address, BEFORE + SUM)) return store_damaged(r, "a header lies outside of it");
  int64_t at = (int64_t)address;
  if (memcmp(r->store->map + at, "OHDR", 4)) return store_damaged(r, "a header is missing");
  if (number_at(r, at + 4, 1) != 2 || number_at(r, at + 5, 1) != (OHDR_LIMITS | 2)) return store_foreign(r);
  uint64_t length = number_at(r, at + 10, 4);
  if (!inside(r, address, BEFORE + length + SUM)) return store_damaged(r, "a header reaches beyond its end");
  *m = (messages_t){.next = at + BEFORE, .end = at + BEFORE + (int64_t)length};
  if (number_at(r, m->end, SUM) != lookup3(r->store->map + at, (size_t)(m->end - at)))
    return store_damaged(r, "the checksum of a header does not fit");
  note_extent(r, at, m->end + SUM - at);
  return LAVDM_OK;
}

int messages_next(reading_t *r, messages_t *m) {
  enum { BEFORE = 4 };
  if (m->next == m->end) return 0;
  if (m->end - m->next < BEFORE) return store_foreign(r);
  m->type = (int)number_at(r, m->next, 1);
  m->bytes = (int64_t)number_at(r, m->next + 1, 2);
  m->at = m->next + BEFORE;
  if (number_at(r, m->next + 3, 1)) return store_foreign(r); /* shared, or with conditions */
  if (m->bytes > m->end - m->at) return store_damaged(r, "a message is too long");
  m->next = m->at + m->bytes;
  return 1;
}

int listed_here(reading_t *r, const messages_t *m) {
  bool here = m->bytes == LISTED_BYTES && !number_at(r, m->at, 2) &&
              number_at(r, m->at + 2, 8) == UNDEFINED && number_at(r, m->at + 10, 8) == UNDEFINED;
  return here ? LAVDM_OK : store_foreign(r);
}

int attribute_read(reading_t *r, const messages_t *m, attribute_t *a) {
  enum { BEFORE = 9 };
  static const unsigned char scalar[] = {2, 0, 0, 0};
  if (m->bytes < BEFORE || number_at(r, m->at, 2) != 3) return store_foreign(r);
  int64_t name = (int64_t)number_at(r, m->at + 2, 2), type = (int64_t)number_at(r, m->at + 4, 2);
  int64_t space = (int64_t)number_at(r, m->at + 6, 2), used = BEFORE + name + type + space;
  if (used > m->bytes || name < 2) return store_damaged(r, "an attribute is too long");
  const unsigned char *at = r->store->map + m->at + BEFORE;
  *a = (attribute_t){.name = (const char *)at,
                     .type = at + name,
                     .type_bytes = type,
                     .value = at + name + type + space,
                     .value_bytes = m->bytes - used};
  if (memchr(at, 0, (size_t)name) != at + name - 1) return store_damaged(r, "a name has no end");
  a->scalar = space == 4 && !memcmp(at + name + type, scalar, 4);
  return LAVDM_OK;
}

bool attribute_is(const attribute_t *a, const hdf5_type *type) {
  return a->scalar && a->type_bytes == type->bytes && a->value_bytes == type->size &&
         !memcmp(a->type, type->code, (size_t)type->bytes);
}

/* --------------------------------------------------------------- texts */

static int heap_open(reading_t *r, uint64_t address) {
  if (!inside(r, address, HEAP_HEADER)) return store_damaged(r, "its texts lie outside of it");
  int64_t heap = (int64_t)address;
  if (memcmp(r->store->map + heap, "GCOL\1\0\0\0", 8)) return store_damaged(r, "its texts are missing");
  uint64_t bytes = number_at(r, heap + 8, 8);
  if (bytes < HEAP_HEADER || !inside(r, address, bytes))
    return store_damaged(r, "its texts reach beyond its end");
  r->heap = heap;
  r->heap_bytes = (int64_t)bytes;
  note_extent(r, heap, r->heap_bytes);
  r->text = NEW(int64_t, HEAP_NUMBERS);
  r->text_bytes = NEW(int64_t, HEAP_NUMBERS);
  if (!r->text || !r->text_bytes) return file_memory(r->error, r->path, 0);
  for (int64_t at = HEAP_HEADER; at <= r->heap_bytes - HEAP_OBJECT;) {
    uint64_t number = number_at(r, heap + at, 2), size = number_at(r, heap + at + 8, 8);
    int64_t left = r->heap_bytes - at - HEAP_OBJECT; /* behind it */
    if (!number)
      return size == (uint64_t)(left + HEAP_OBJECT) ? LAVDM_OK : store_damaged(r, "its texts overlap");
    /* a zero is to be put behind each text */
    if (size >= (uint64_t)left || r->text[number]) return store_damaged(r, "its texts overlap");
    r->text[number] = heap + at + HEAP_OBJECT;
    r->text_bytes[number] = (int64_t)size;
    at += HEAP_OBJECT + ((int64_t)size + 7) / 8 * 8;
  }
  return store_damaged(r, "its texts have no end");
}

int heap_text(reading_t *r, const unsigned char *value, store_item *item) {
  uint32_t bytes, number;
  uint64_t address;
  memcpy(&bytes, value, 4);
  memcpy(&address, value + 4, 8);
  memcpy(&number, value + 12, 4);
  item->shape[0] = (int64_t)bytes;
  item->data = "";
  if (!bytes) return address || number ? store_damaged(r, "a text is not where it should be") : LAVDM_OK;
  int status = r->heap ? LAVDM_OK : heap_open(r, address);
  if (status < 0) return status;
  if (address != (uint64_t)r->heap) return store_foreign(r);
  if (number >= HEAP_NUMBERS || !r->text[number] || r->text_bytes[number] != (int64_t)bytes)
    return store_damaged(r, "a text is not where it should be");
  item->data = r->store->map + r->text[number];
  r->text[number] = 0; /* it belongs to nobody else */
  return memchr(item->data, 0, bytes) ? store_damaged(r, "a text ends too early") : LAVDM_OK;
}

/* -------------------------------------------------------------- arrays */

/* What the header of an array says. */
typedef struct {
  bool space, type, layout;
  uint64_t data, bytes;
  const unsigned char *sum;
} array_t;

static int read_space(reading_t *r, const messages_t *m, array_t *a, store_item *item) {
  if (m->bytes < 4 || number_at(r, m->at, 1) != 2 || number_at(r, m->at + 2, 2) != 0x0100)
    return store_foreign(r);
  int64_t rank = (int64_t)number_at(r, m->at + 1, 1);
  if (rank < 1 || rank > STORE_RANK || m->bytes != 4 + 8 * rank) return store_foreign(r);
  item->rank = (int)rank;
  for (int i = 0; i < item->rank; i++) {
    uint64_t size = number_at(r, m->at + 4 + 8 * i, 8);
    item->shape[i] = size > INT64_MAX ? -1 : (int64_t)size;
  }
  if (a->space || store_elements(item->rank, item->shape) < 0)
    return store_damaged(r, "an array has an impossible shape");
  a->space = true;
  return LAVDM_OK;
}

static int read_type(reading_t *r, const messages_t *m, array_t *a, store_item *item) {
  static const store_type known[] = {STORE_REAL, STORE_INTEGER, STORE_SINGLE};
  if (a->type) return store_damaged(r, "an array has two types");
  for (int i = 0; i < 3 && !a->type; i++) {
    const hdf5_type *type = hdf5_type_of(known[i]);
    item->type = known[i];
    a->type = m->bytes == type->bytes && !memcmp(r->store->map + m->at, type->code, (size_t)type->bytes);
  }
  return a->type ? LAVDM_OK : store_foreign(r);
}

static int read_layout(reading_t *r, const messages_t *m, array_t *a) {
  if (m->bytes != 18 || number_at(r, m->at, 2) != 0x0103) return store_foreign(r);
  if (a->layout) return store_damaged(r, "an array lies in two places");
  a->data = number_at(r, m->at + 2, 8);
  a->bytes = number_at(r, m->at + 10, 8);
  a->layout = true;
  return LAVDM_OK;
}

static int read_sum(reading_t *r, const messages_t *m, array_t *a) {
  attribute_t attribute = {0};
  int status = attribute_read(r, m, &attribute);
  if (status < 0 || strcmp(attribute.name, "checksum")) return status;
  if (a->sum || !attribute_is(&attribute, hdf5_sum_type())) return store_foreign(r);
  a->sum = attribute.value;
  return LAVDM_OK;
}

static int read_message(reading_t *r, const messages_t *m, array_t *a, store_item *item) {
  switch (m->type) {
  case MESSAGE_SPACE:
    return read_space(r, m, a, item);
  case MESSAGE_TYPE:
    return read_type(r, m, a, item);
  case MESSAGE_LAYOUT:
    return read_layout(r, m, a);
  case MESSAGE_ATTRIBUTE:
    return read_sum(r, m, a);
  case MESSAGE_ATTRIBUTE_INFO:
    return listed_here(r, m);
  case MESSAGE_NIL:
  case MESSAGE_FILL:
    return LAVDM_OK;
  default:
    return store_foreign(r);
  }
}

static int check_place(reading_t *r, const array_t *a, store_item *item) {
  int64_t bytes = store_bytes(item);
  if (a->bytes != (uint64_t)bytes) return store_damaged(r, "an array has another size than its shape says");
  item->data = r->store->map;
  if (!bytes && a->data != UNDEFINED) return store_damaged(r, "an array without elements has a place");
  if (!bytes) return LAVDM_OK;
  if (a->data % ALIGNMENT || !inside(r, a->data, a->bytes))
    return store_damaged(r, "an array is not where it should be");
  note_extent(r, (int64_t)a->data, bytes);
  item->data = r->store->map + a->data;
  return LAVDM_OK;
}

int array_read(reading_t *r, uint64_t address, store_item *item) {
  messages_t m;
  array_t a = {0};
  int status = messages_open(r, address, &m);
  if (status < 0) return status;
  while ((status = messages_next(r, &m)) > 0)
    if ((status = read_message(r, &m, &a, item)) < 0) return status;
  if (status < 0) return status;
  if (!a.space || !a.type || !a.layout || !a.sum) return store_foreign(r);
  r->sums[r->store->count] = a.sum;
  return check_place(r, &a, item);
}
