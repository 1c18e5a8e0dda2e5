/*
 * Opens a store: a copy of the file, the superblock, the root group and what it leads
 * to. Names and texts get their terminating zeros in the copy when all checksums
 * have been taken.
 */
#define _GNU_SOURCE
#include "file/store_read.h"

#include "base/memory.h"
#include "file/atomic.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ----------------------------------------------------------- the copy */

static int read_bytes(const char *path, int fd, store_t *store, lavdm_error *error) {
  for (int64_t at = 0; at < store->length;) {
    int64_t left = store->length - at;
    ssize_t got = read(fd, store->map + at, (size_t)(left < SLICE ? left : SLICE));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return file_fail(error, LAVDM_ERROR_FILE, path, "cannot be read: %s", strerror(errno));
    if (!got)
      return file_fail(error, LAVDM_ERROR_FILE, path,
                       "was cut short while it was read: %" PRId64 " of %" PRId64
                       " bytes were there; copy it again, or make it again",
                       at, store->length);
    at += got;
    if (store->large.files) large_trim(store->map);
  }
  return LAVDM_OK;
}

static int copy_file(const char *path, int fd, int64_t most, store_t *store, lavdm_error *error) {
  struct stat info;
  if (fstat(fd, &info))
    return file_fail(error, LAVDM_ERROR_FILE, path, "cannot be read: %s", strerror(errno));
  if (S_ISDIR(info.st_mode)) return file_fail(error, LAVDM_ERROR_FILE, path, "is a folder, not a file");
  if (!S_ISREG(info.st_mode)) return file_fail(error, LAVDM_ERROR_FILE, path, "is not a regular file");
  if (!info.st_size) return file_fail(error, LAVDM_ERROR_FILE, path, "is empty");
  store->length = (int64_t)info.st_size;
  large_start(&store->large, store->length > most);
  store->map = LARGE(&store->large, unsigned char, store->length);
  return store->map ? read_bytes(path, fd, store, error) : file_memory(error, path, store->length);
}

static int copy_path(const char *path, int64_t most, store_t *store, lavdm_error *error) {
  /* O_NONBLOCK: a pipe without a writer must not hang before it is refused */
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0 && errno == ENOENT) return file_fail(error, LAVDM_ERROR_FILE, path, "no such file");
  if (fd < 0) return file_fail(error, LAVDM_ERROR_FILE, path, "cannot be opened: %s", strerror(errno));
  int status = copy_file(path, fd, most, store, error);
  close(fd);
  return status;
}

/* The address of the root group. */
static int read_superblock(reading_t *r, uint64_t *root) {
  const store_t *s = r->store;
  int64_t shown = s->length < 8 ? s->length : 8;
  if (memcmp(s->map, SIGNATURE, (size_t)shown))
    return file_fail(
        r->error, LAVDM_ERROR_FILE, r->path,
        "is not HDF5, and so not a lavdm model; lavdm embed DATA -o FILE.h5 and lavdm_save write one");
  if (s->length < 9) return store_damaged(r, "it is cut short");
  if (number_at(r, 8, 1) != 2) return store_foreign(r);
  if (s->length < SUPERBLOCK_BYTES) return store_damaged(r, "it is cut short");
  if (number_at(r, SUPERBLOCK_BYTES - 4, 4) != lookup3(s->map, SUPERBLOCK_BYTES - 4))
    return store_damaged(r, "the checksum of its beginning does not fit");
  if (number_at(r, 9, 3) != 0x000808 || number_at(r, 12, 8) || number_at(r, 20, 8) != UNDEFINED)
    return store_foreign(r);
  uint64_t end = number_at(r, 28, 8);
  if (end > (uint64_t)s->length)
    return file_fail(r->error, LAVDM_ERROR_FILE, r->path,
                     "is cut short: %" PRId64 " of %" PRIu64
                     " bytes are there; copy it again, or make it again",
                     s->length, end);
  if (end < (uint64_t)s->length) return store_damaged(r, "it is longer than it should be");
  *root = number_at(r, 36, 8);
  return LAVDM_OK;
}

/* ------------------------------------------------------ the root group */

static int count_messages(reading_t *r, messages_t m, int *count) {
  int status;
  while ((status = messages_next(r, &m)) > 0) *count += m.type == MESSAGE_LINK || m.type == MESSAGE_ATTRIBUTE;
  return status;
}

static int read_link(reading_t *r, const messages_t *m, store_item *item) {
  if (m->bytes < 12 || number_at(r, m->at, 2) != 0x1001) return store_foreign(r);
  int64_t length = (int64_t)number_at(r, m->at + 3, 1);
  if (length < 1 || m->bytes != 4 + length + 8) return store_foreign(r);
  unsigned char *name = r->store->map + m->at + 4;
  uint64_t address = number_at(r, m->at + 4 + length, 8);
  if (memchr(name, 0, (size_t)length)) return store_damaged(r, "a name ends too early");
  name[length] = 0; /* over the address */
  item->name = (const char *)name;
  return array_read(r, address, item);
}

/* One number or text; what is of another type is left out. */
static int read_attribute(reading_t *r, const messages_t *m, store_item *item, const unsigned char **sum) {
  static const store_type known[] = {STORE_REAL, STORE_INTEGER, STORE_TEXT, STORE_SINGLE};
  attribute_t a;
  int status = attribute_read(r, m, &a);
  if (status < 0) return status;
  if (!strcmp(a.name, "checksum")) {
    if (*sum || !attribute_is(&a, hdf5_sum_type())) return store_foreign(r);
    *sum = a.value;
    return LAVDM_OK;
  }
  for (int i = 0; i < 4; i++) {
    if (!attribute_is(&a, hdf5_type_of(known[i]))) continue;
    *item = (store_item){.name = a.name, .type = known[i], .data = a.value};
    if (known[i] == STORE_TEXT) item->rank = 1, status = heap_text(r, a.value, item);
  }
  return status;
}

static int read_root_message(reading_t *r, const messages_t *m, const unsigned char **sum) {
  store_item *item = &r->store->items[r->store->count];
  int status = LAVDM_OK;
  *item = (store_item){0};
  switch (m->type) {
  case MESSAGE_LINK:
    status = read_link(r, m, item);
    break;
  case MESSAGE_ATTRIBUTE:
    status = read_attribute(r, m, item, sum);
    break;
  case MESSAGE_LINK_INFO:
  case MESSAGE_ATTRIBUTE_INFO:
    return listed_here(r, m);
  case MESSAGE_NIL:
  case MESSAGE_GROUP_INFO:
    break;
  default:
    return store_foreign(r);
  }
  if (item->name) r->store->count++;
  return status;
}

/* Numbers were left where they are; as they are read, they must be aligned. */
static void align_numbers(store_t *s) {
  for (int i = 0; i < s->count; i++) {
    store_item *item = &s->items[i];
    if (item->rank > 0) continue;
    int64_t size = hdf5_type_of(item->type)->size;
    unsigned char *value = s->map + ((const unsigned char *)item->data - s->map);
    unsigned char *aligned = value - (uintptr_t)value % (uintptr_t)size;
    memmove(aligned, value, (size_t)size); /* over its own dataspace and type */
    item->data = aligned;
  }
}

static void end_texts(store_t *s) {
  for (int i = 0; i < s->count; i++) {
    const store_item *item = &s->items[i];
    if (item->type == STORE_TEXT && item->shape[0])
      s->map[(const unsigned char *)item->data - s->map + item->shape[0]] = 0;
  }
}

static int read_root(reading_t *r, uint64_t root) {
  messages_t m;
  int count = 0;
  const unsigned char *sum = NULL;
  int status = messages_open(r, root, &m);
  if (status >= 0) status = count_messages(r, m, &count);
  if (status < 0) return status;
  r->store->items = NEW(store_item, count + 1);
  extent_t *extents = RESIZE(extent_t, r->extents, 2 * (int64_t)count + 4);
  if (extents) r->extents = extents;
  r->sums = NEW(const unsigned char *, count + 1);
  if (!r->store->items || !extents || !r->sums) return file_memory(r->error, r->path, 0);
  while ((status = messages_next(r, &m)) > 0)
    if ((status = read_root_message(r, &m, &sum)) < 0) return status;
  if (status < 0) return status;
  if (!sum) return store_foreign(r);
  char text[SUM_BYTES + 1];
  hdf5_sum_text(crc64(r->crc, 0, r->store->map + r->heap, (size_t)r->heap_bytes), text);
  return memcmp(text, sum, SUM_BYTES) ? store_damaged(r, "the checksum of its texts does not fit") : LAVDM_OK;
}

/* ------------------------------------------------------------ the whole */

static int by_place(const void *a, const void *b) {
  const extent_t *x = a, *y = b;
  return (x->from > y->from) - (x->from < y->from);
}

static int by_name(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int check_apart(reading_t *r) {
  store_t *s = r->store;
  qsort(r->extents, (size_t)r->extent_count, sizeof *r->extents, by_place);
  for (int i = 1; i < r->extent_count; i++)
    if (r->extents[i].from < r->extents[i - 1].to) return store_damaged(r, "parts of it overlap");
  const char **names = NEW(const char *, s->count);
  if (!names) return file_memory(r->error, r->path, 0);
  for (int i = 0; i < s->count; i++) names[i] = s->items[i].name;
  qsort(names, (size_t)s->count, sizeof *names, by_name);
  bool twice = false;
  for (int i = 1; i < s->count; i++) twice |= !strcmp(names[i - 1], names[i]);
  mem_free(names);
  return twice ? store_damaged(r, "a name occurs twice") : LAVDM_OK;
}

static uint64_t array_sum(const reading_t *r, const store_item *item) {
  uint64_t sum = 0;
  for (int64_t at = 0, bytes = store_bytes(item); at < bytes; at += SLICE) {
    int64_t part = bytes - at < SLICE ? bytes - at : SLICE;
    sum = crc64(r->crc, sum, (const char *)item->data + at, (size_t)part);
    store_let_go(r->store);
  }
  return sum;
}

static int check_sums(reading_t *r) {
  for (int i = 0; i < r->store->count; i++) {
    const store_item *item = &r->store->items[i];
    char text[SUM_BYTES + 1], what[STORE_NAME + 64];
    if (!r->sums[i]) continue;
    hdf5_sum_text(array_sum(r, item), text);
    if (!memcmp(text, r->sums[i], SUM_BYTES)) continue;
    snprintf(what, sizeof what, "the checksum of '%.*s' does not fit", STORE_NAME, item->name);
    return store_damaged(r, what);
  }
  return LAVDM_OK;
}

static int read_store(reading_t *r) {
  uint64_t root = 0;
  r->crc = NEW(crc64_t, 1);
  r->extents = NEW(extent_t, 2);
  if (!r->crc || !r->extents) return file_memory(r->error, r->path, 0);
  crc64_start(r->crc);
  int status = read_superblock(r, &root);
  if (status < 0) return status;
  r->extents[r->extent_count++] = (extent_t){0, SUPERBLOCK_BYTES};
  status = read_root(r, root);
  if (status >= 0) status = check_apart(r);
  if (status >= 0) status = check_sums(r);
  if (status < 0) return status;
  align_numbers(r->store);
  end_texts(r->store);
  return LAVDM_OK;
}

int store_open_within(const char *path, int64_t most, store_t **out, lavdm_error *error) {
  *out = NULL;
  store_t *store = NEW(store_t, 1);
  if (!store) return file_memory(error, path, 0);
  reading_t r = {.path = path, .error = error, .store = store};
  int status = copy_path(path, most, store, error);
  if (status >= 0) status = read_store(&r);
  mem_free(r.crc);
  mem_free(r.sums);
  mem_free(r.extents);
  mem_free(r.text);
  mem_free(r.text_bytes);
  if (status < 0)
    store_close(store);
  else
    *out = store;
  return status;
}

int store_open(const char *path, store_t **out, lavdm_error *error) {
  return store_open_within(path, mem_available() / 2, out, error);
}

int store_count(const store_t *store) {
  return store->count;
}

const store_item *store_at(const store_t *store, int i) {
  return i >= 0 && i < store->count ? &store->items[i] : NULL;
}

const store_item *store_find(const store_t *store, const char *name) {
  for (int i = 0; name && i < store->count; i++)
    if (!strcmp(store->items[i].name, name)) return &store->items[i];
  return NULL;
}

void store_let_go(const store_t *store) {
  large_trim(store->map);
}

void store_close(store_t *store) {
  if (!store) return;
  large_free(store->map);
  mem_free(store->items);
  mem_free(store);
}
