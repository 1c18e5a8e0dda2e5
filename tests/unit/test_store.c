/* Files of named arrays: what is written comes back, and no damage gets through. */
#include "io_support.h"

#include "file/atomic.h"
#include "file/hdf5.h"
#include "io/formats.h"

static int64_t elements(const store_item *item) {
  int64_t count = 1;
  for (int i = 0; i < item->rank; i++) count *= item->shape[i];
  return count;
}

static size_t bytes_of(const store_item *item) {
  size_t size = item->type == STORE_TEXT ? 1 : item->type == STORE_SINGLE ? 4 : 8;
  return item->type == STORE_TEXT ? strlen(item->data) : (size_t)elements(item) * size;
}

/* Whether the store has this item, to the last bit. */
static bool holds(const store_t *store, const store_item *want) {
  const store_item *got = store_find(store, want->name);
  if (!got || got->type != want->type || got->rank != want->rank) return false;
  if (want->type == STORE_TEXT)
    return got->shape[0] == (int64_t)strlen(want->data) && !strcmp(got->data, want->data);
  for (int i = 0; i < want->rank; i++)
    if (got->shape[i] != want->shape[i]) return false;
  if (!bytes_of(want)) return got->data != NULL;
  return (want->rank == 0 || (uintptr_t)got->data % 64 == 0) && (uintptr_t)got->data % 4 == 0 &&
         !memcmp(got->data, want->data, bytes_of(want));
}

static void check_items(const char *path, const store_item *items, int count) {
  store_t *store;
  lavdm_error error = {0};
  if (store_open(path, &store, &error)) fail_msg("%s", error.message);
  assert_int_equal(store_count(store), count);
  for (int i = 0; i < count; i++)
    if (!holds(store, &items[i])) fail_msg("'%s' is not what it was", items[i].name);
  assert_null(store_find(store, "no such item"));
  assert_null(store_find(store, "checksum"));
  assert_null(store_at(store, -1));
  assert_null(store_at(store, count));
  store_close(store);
}

static void refuse_file(const char *path, const char *words) {
  store_t *store = (store_t *)(uintptr_t)path;
  lavdm_error error = {0};
  int status = store_open(path, &store, &error);
  if (!strstr(error.message, words)) fail_msg("'%s' does not say '%s'", error.message, words);
  assert_int_equal(status, LAVDM_ERROR_FILE);
  assert_int_equal(error.status, LAVDM_ERROR_FILE);
  assert_null(store);
  assert_int_equal(store_open(path, &store, NULL), LAVDM_ERROR_FILE);
}

static double real[1000];
static float single[1000];
static int64_t whole[1000];

static const store_item every[] = {
    {"real", STORE_REAL, 1, {1000}, real},
    {"whole", STORE_INTEGER, 2, {10, 100}, whole},
    {"single", STORE_SINGLE, 3, {3, 5, 7}, single},
    {"four", STORE_REAL, 4, {2, 3, 4, 5}, real},
    {"none", STORE_REAL, 1, {0}, real},
    {"nothing", STORE_SINGLE, 3, {7, 0, 1000000000000}, NULL},
    {"epsilon", STORE_REAL, 0, {0}, real + 3},
    {"seed", STORE_INTEGER, 0, {0}, whole + 3},
    {"part", STORE_SINGLE, 0, {0}, single + 3},
    {"h\xC3\xA9", STORE_TEXT, 1, {0}, "\xE2\x82\xAC 1"},
    {"blank", STORE_TEXT, 1, {0}, ""},
    {"eight", STORE_TEXT, 1, {0}, "12345678"},
};
enum { EVERY = sizeof every / sizeof *every };

static int fill(void **state) {
  for (int i = 0; i < 1000; i++) {
    real[i] = 1.0 / (i + 1);
    single[i] = 1.0f / (float)(i + 3);
    whole[i] = (int64_t)(i - 500) * INT64_C(12345678901234567);
  }
  strcpy(folder,
         "/dev/shm/lavdm-store-XXXXXX"); /* thousands of files: in memory, if there is such a folder */
  return mkdtemp(folder) ? 0 : make_folder(state);
}

/* ------------------------------------------------------------ round trips */

static void every_type_and_rank(void **state) {
  (void)state;
  for (int count = 0; count <= EVERY; count++) {
    assert_int_equal(store_write(in("a.h5"), every, count, NULL, NULL), LAVDM_OK);
    check_items(in("a.h5"), every, count);
  }
  for (int i = 0; i < EVERY; i++) {
    assert_int_equal(store_write(in("a.h5"), every + i, 1, NULL, NULL), LAVDM_OK);
    check_items(in("a.h5"), every + i, 1);
  }
}

static void checksums_are_the_known_ones(void **state) {
  (void)state;
  crc64_t *crc = calloc(1, sizeof *crc);
  assert_non_null(crc);
  crc64_start(crc);
  assert_true(crc64(crc, 0, "123456789", 9) == 0x995DC9BBDF1939FAu);
  assert_true(crc64(crc, crc64(crc, 0, "1234", 4), "56789", 5) == 0x995DC9BBDF1939FAu);
  const char *text = "Four score and seven years ago, our fathers brought forth";
  uint64_t slow = 0;
  for (size_t i = 0; i < strlen(text); i++) slow = crc64(crc, slow, text + i, 1);
  assert_true(crc64(crc, 0, text, strlen(text)) == slow);
  assert_int_equal(lookup3("", 0), 0xdeadbeef);
  assert_int_equal(lookup3("Four score and seven years ago", 30), 0x17770551);
  free(crc);
}

static void the_same_items_give_the_same_bytes(void **state) {
  (void)state;
  assert_int_equal(store_write(in("a.h5"), every, EVERY, NULL, NULL), LAVDM_OK);
  assert_int_equal(store_write(in("b.h5"), every, EVERY, NULL, NULL), LAVDM_OK);
  bytes_t a = load(in("a.h5")), b = load(in("b.h5"));
  assert_int_equal(a.size, b.size);
  assert_memory_equal(a.data, b.data, a.size);
  drop(&a), drop(&b);
}

/* More items than fit in compact storage of a group, and texts longer than a message. */
static void many_items_and_long_texts(void **state) {
  (void)state;
  enum { MANY = 900, LONG = 300000 };
  static char name[MANY][16];
  store_item *items = calloc(MANY, sizeof *items);
  char *text = malloc(LONG + 1);
  assert_non_null(items);
  assert_non_null(text);
  memset(text, 'x', LONG);
  text[LONG] = 0;
  for (int i = 0; i < MANY; i++) {
    snprintf(name[i], sizeof name[i], "item %d", i);
    items[i] = (store_item){name[i], STORE_INTEGER, 1, {i % 5}, whole + i};
    if (i % 3 == 1) items[i] = (store_item){name[i], STORE_TEXT, 1, {0}, text + LONG - i * i % 700};
    if (i % 3 == 2) items[i] = (store_item){name[i], STORE_REAL, 0, {0}, real + i};
  }
  items[1].data = text;
  assert_int_equal(store_write(in("many.h5"), items, MANY, NULL, NULL), LAVDM_OK);
  check_items(in("many.h5"), items, MANY);
  io_array *all;
  int count, found = 0;
  assert_int_equal(io_read_all(in("many.h5"), &all, &count, NULL), LAVDM_OK); /* by the HDF5 library */
  assert_int_equal(count, MANY);
  for (int i = 0; i < count; i++)
    for (int j = 0; j < MANY; j++)
      if (!strcmp(all[i].name, items[j].name)) {
        found++;
        assert_int_equal(all[i].type, items[j].type);
        assert_memory_equal(all[i].data, items[j].data, bytes_of(&items[j]));
      }
  assert_int_equal(found, MANY);
  for (int i = 0; i < count; i++) io_array_free(&all[i]);
  free(all);
  free(items);
  free(text);
}

static void count_calls(const void *user) {
  ++*(int *)(uintptr_t)user;
}

static void trimmed_between_slices(void **state) {
  (void)state;
  int64_t n = 3 * SLICE / 8 + 5;
  double *x = calloc((size_t)n, sizeof *x);
  assert_non_null(x);
  x[0] = 1, x[n - 1] = 2;
  int calls = 0;
  store_trim trim = {count_calls, &calls};
  store_item item = {"x", STORE_REAL, 1, {n}, x};
  assert_int_equal(store_write(in("big.h5"), &item, 1, &trim, NULL), LAVDM_OK);
  assert_int_equal(calls, 4);
  check_items(in("big.h5"), &item, 1);
  free(x);
}

static void the_copy_is_private(void **state) {
  (void)state;
  store_t *store;
  assert_int_equal(store_write(in("a.h5"), every, EVERY, NULL, NULL), LAVDM_OK);
  assert_int_equal(store_open(in("a.h5"), &store, NULL), LAVDM_OK);
  memset((void *)(uintptr_t)store_find(store, "real")->data, 7, 8000);
  check_items(in("a.h5"), every, EVERY);
  assert_int_equal(store_write(in("a.h5"), every, 1, NULL, NULL), LAVDM_OK); /* replaced while open */
  assert_true(holds(store, &every[1]));
  store_close(store);
}

/* Cut short, overwritten or removed while it is open: in memory, and in a file without a name. */
static void whatever_becomes_of_the_file(void **state) {
  (void)state;
  enum { MANY = 1 << 20 };
  double *x = calloc(MANY, sizeof *x);
  assert_non_null(x);
  for (int i = 0; i < MANY; i++) x[i] = i;
  const store_item item = {"x", STORE_REAL, 1, {MANY}, x};
  for (int in_file = 0; in_file < 2; in_file++) {
    store_t *store;
    assert_int_equal(store_write(in("long.h5"), &item, 1, NULL, NULL), LAVDM_OK);
    assert_int_equal(store_open_within(in("long.h5"), in_file ? 0 : INT64_MAX, &store, NULL), LAVDM_OK);
    assert_int_equal(truncate(in("long.h5"), 100), 0);
    assert_true(holds(store, &item));
    store_let_go(store);
    assert_true(holds(store, &item));
    assert_int_equal(truncate(in("long.h5"), 0), 0);
    assert_true(holds(store, &item));
    assert_int_equal(unlink(in("long.h5")), 0);
    assert_true(holds(store, &item));
    store_close(store);
  }
  free(x);
}

/* ---------------------------------------------------------------- refusals */

static void items_that_cannot_be(void **state) {
  (void)state;
  lavdm_error error;
  store_item twice[] = {every[0], every[0]}, odd = every[0];
  assert_int_equal(store_write(in("no.h5"), twice, 2, NULL, &error), LAVDM_ERROR_ARGUMENT);
  assert_non_null(strstr(error.message, "two arrays are called 'real'"));
  static char name[STORE_NAME + 2];
  memset(name, 'n', STORE_NAME + 1);
  const char *const names[] = {NULL, "", "a/b", "checksum", ".", name};
  for (int i = 0; i < 6; i++) {
    odd.name = names[i];
    assert_int_equal(store_write(in("no.h5"), &odd, 1, NULL, &error), LAVDM_ERROR_ARGUMENT);
  }
  odd = every[0], odd.shape[0] = -1;
  assert_int_equal(store_write(in("no.h5"), &odd, 1, NULL, &error), LAVDM_ERROR_ARGUMENT);
  odd.rank = 5;
  assert_int_equal(store_write(in("no.h5"), &odd, 1, NULL, &error), LAVDM_ERROR_ARGUMENT);
  odd = (store_item){"x", STORE_REAL, 3, {1 << 30, 1 << 30, 1 << 30}, real};
  assert_int_equal(store_write(in("no.h5"), &odd, 1, NULL, &error), LAVDM_ERROR_ARGUMENT);
  assert_int_equal(count_files("no"), 0);
  name[STORE_NAME] = 0;
  odd = every[0], odd.name = name;
  assert_int_equal(store_write(in("a.h5"), &odd, 1, NULL, &error), LAVDM_OK);
  check_items(in("a.h5"), &odd, 1);
}

static void write_foreign(const char *path) {
  static const unsigned char old[] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n', 0, 0, 0, 0, 0, 8, 8, 0};
  unsigned char block[200] = {0};
  memcpy(block, old, sizeof old);
  save(path, block, sizeof block);
}

static void files_of_other_kinds(void **state) {
  (void)state;
  refuse_file(in("nowhere.h5"), "no such file");
  refuse_file(folder, "is a folder");
  save(in("empty.h5"), "", 0);
  refuse_file(in("empty.h5"), "is empty");
  save(in("text.h5"), "a,b\n1,2\n", 8);
  refuse_file(in("text.h5"), "is not HDF5");
  save(in("t.h5"), "a", 1);
  refuse_file(in("t.h5"), "is not HDF5");
  write_foreign(in("old.h5"));
  refuse_file(in("old.h5"), "is HDF5 but not a lavdm model");
  assert_int_equal(mkfifo(in("pipe.h5"), 0666), 0);
  refuse_file(in("pipe.h5"), "not a regular file");
}

static const store_item small[] = {
    {"x", STORE_REAL, 2, {2, 3}, real},     {"i", STORE_INTEGER, 1, {3}, whole},
    {"e", STORE_REAL, 1, {0}, real},        {"seed", STORE_INTEGER, 0, {0}, whole + 3},
    {"word", STORE_TEXT, 1, {0}, "kmeans"}, {"eight", STORE_TEXT, 1, {0}, "12345678"},
};
enum { SMALL = sizeof small / sizeof *small };

/* An error, or all items as they were. */
static bool survives(const bytes_t *b) {
  store_t *store;
  lavdm_error error = {0};
  save(in("damaged.h5"), b->data, b->size);
  int status = store_open(in("damaged.h5"), &store, &error);
  if (status < 0) {
    assert_int_equal(status, LAVDM_ERROR_FILE);
    assert_true(strstr(error.message, "damaged.h5: ") != NULL);
    assert_null(store);
    return false;
  }
  assert_int_equal(store_count(store), SMALL);
  for (int i = 0; i < SMALL; i++) assert_true(holds(store, &small[i]));
  store_close(store);
  return true;
}

static void every_byte_counts(void **state) {
  (void)state;
  assert_int_equal(store_write(in("s.h5"), small, SMALL, NULL, NULL), LAVDM_OK);
  bytes_t b = load(in("s.h5"));
  assert_true(survives(&b));
  int padding = 0;
  for (size_t i = 0; i < b.size; i++) {
    b.data[i] ^= (unsigned char)(1 << i % 8);
    padding += survives(&b);
    b.data[i] ^= (unsigned char)(1 << i % 8);
  }
  assert_in_range(padding, 1, 200); /* what is between the parts */
  drop(&b);
}

static void every_truncation(void **state) {
  (void)state;
  assert_int_equal(store_write(in("s.h5"), small, SMALL, NULL, NULL), LAVDM_OK);
  bytes_t b = load(in("s.h5"));
  size_t whole_size = b.size;
  for (b.size = 0; b.size < whole_size; b.size++) assert_false(survives(&b));
  save(in("damaged.h5"), b.data, whole_size - 1);
  refuse_file(in("damaged.h5"), "is cut short");
  add(&b, "more", 4);
  assert_false(survives(&b));
  drop(&b);
}

/* Makes the checksums of the headers right again, as far as they can be found. */
static void mend(bytes_t *b) {
  uint32_t sum = lookup3(b->data, 44);
  if (b->size >= 48) memcpy(b->data + 44, &sum, 4);
  for (size_t at = 48; at + 18 < b->size; at++) {
    uint32_t length;
    if (memcmp(b->data + at, "OHDR", 4)) continue;
    memcpy(&length, b->data + at + 10, 4);
    if (length > b->size - at - 18) continue;
    sum = lookup3(b->data + at, 14 + (size_t)length);
    memcpy(b->data + at + 14 + length, &sum, 4);
  }
}

/* Damage with the checksums of the headers mended: the structure has to stand alone. */
static void damage_under_mended_checksums(void **state) {
  (void)state;
  assert_int_equal(store_write(in("s.h5"), small, SMALL, NULL, NULL), LAVDM_OK);
  bytes_t whole_file = load(in("s.h5")), b = {0};
  random_t r = random_start(5, 6);
  int refused_count = 0;
  uint64_t read = 0;
  for (int t = 0; t < 4000; t++) {
    b.size = 0;
    add(&b, whole_file.data, whole_file.size);
    int64_t reach = t % 2 ? (int64_t)b.size : 900;
    for (int64_t k = random_below(&r, 3); k >= 0; k--) {
      unsigned char *at = b.data + random_below(&r, reach);
      int64_t length = 1 + random_below(&r, 9), from = random_below(&r, (int64_t)b.size - 16);
      if (at + length > b.data + b.size) length = 1;
      switch (random_below(&r, 4)) {
      case 0:
        *at = (unsigned char)random_below(&r, 256);
        break;
      case 1:
        memset(at, random_below(&r, 2) ? 0xFF : 0, (size_t)length);
        break;
      case 2:
        memmove(at, b.data + from, (size_t)length);
        break;
      default:
        *at ^= (unsigned char)(1 << random_below(&r, 8));
      }
    }
    mend(&b);
    store_t *store;
    save(in("m.h5"), b.data, b.size);
    int status = store_open(in("m.h5"), &store, NULL);
    refused_count += status < 0;
    for (int i = 0; status >= 0 && i < store_count(store); i++) {
      const store_item *item = store_at(store, i);
      uint64_t sum = strlen(item->name);
      for (size_t j = 0; j < bytes_of(item); j++) sum += ((const unsigned char *)item->data)[j];
      read += sum;
    }
    if (status >= 0) store_close(store);
  }
  assert_true(refused_count > 2000 && read > 0);
  drop(&whole_file), drop(&b);
}

/* The place of the first `text` behind `from`. */
static size_t place_of(const bytes_t *b, const char *text, size_t bytes, size_t from) {
  for (size_t i = from; i + bytes <= b->size; i++)
    if (!memcmp(b->data + i, text, bytes)) return i;
  fail_msg("not found");
  return 0;
}

/* The file with eight bytes at a place replaced, under right checksums, is refused so. */
static void refuse_with(const bytes_t *b, size_t at, uint64_t value, int bytes, const char *words) {
  bytes_t c = {0};
  add(&c, b->data, b->size);
  memcpy(c.data + at, &value, (size_t)bytes);
  mend(&c);
  save(in("m.h5"), c.data, c.size);
  refuse_file(in("m.h5"), words);
  drop(&c);
}

static void lies_under_right_checksums(void **state) {
  (void)state;
  assert_int_equal(store_write(in("s.h5"), small, SMALL, NULL, NULL), LAVDM_OK);
  bytes_t b = load(in("s.h5"));
  size_t header = place_of(&b, "OHDR", 4, 52), space = header + 14,
         layout = place_of(&b, "\x08\x12\0\0\x03\x01", 6, header);
  size_t second = place_of(&b, "OHDR", 4, header + 4);
  size_t other = place_of(&b, "\x08\x12\0\0\x03\x01", 6, second);
  uint64_t data;
  memcpy(&data, b.data + layout + 6, 8);
  refuse_with(&b, space + 8, UINT64_MAX, 8, "impossible shape");
  refuse_with(&b, space + 8, UINT64_C(1) << 62, 8, "impossible shape");
  refuse_with(&b, space + 8, 3, 8, "another size");
  refuse_with(&b, layout + 14, 40, 8, "another size");
  refuse_with(&b, layout + 6, data + 8, 8, "not where it should be");
  refuse_with(&b, layout + 6, UINT64_MAX - 63, 8, "not where it should be");
  refuse_with(&b, layout + 6, UINT64_C(1) << 63, 8, "not where it should be");
  refuse_with(&b, layout + 6, 0, 8, "overlap");
  refuse_with(&b, other + 6, data, 8, "overlap");
  size_t link = place_of(&b, "i", 1, place_of(&b, "\x06\x0d", 2, place_of(&b, "x", 1, 60)));
  refuse_with(&b, link, 'x', 1, "a name occurs twice");
  refuse_with(&b, link + 1, header, 8, "overlap");
  refuse_with(&b, link + 1, 48, 8, "damaged");
  refuse_with(&b, link + 1, UINT64_MAX, 8, "outside");
  refuse_with(&b, link + 1, b.size - 4, 8, "outside");
  size_t heap = place_of(&b, "GCOL", 4, 0);
  refuse_with(&b, heap + 8, UINT64_MAX, 8, "beyond its end");
  refuse_with(&b, heap + 8, 40, 8, "texts");
  refuse_with(&b, heap + 16 + 8, UINT64_MAX, 8, "texts");
  refuse_with(&b, heap + 16 + 8, 5, 8, "text");
  refuse_with(&b, heap + 32, 'K', 1, "checksum of its texts");
  refuse_with(&b, data, 1, 1, "checksum of 'x'");
  drop(&b);
}

/* What a later version may add: attributes of other types, on the root and on arrays, in any order. */
static void additions_are_passed_over(void **state) {
  (void)state;
  assert_int_equal(store_write(in("s.h5"), small, SMALL, NULL, NULL), LAVDM_OK);
  bytes_t b = load(in("s.h5"));
  /* "seed" becomes unsigned, which we never write: it is left out, and all else stays */
  size_t seed = place_of(&b, "seed", 5, 0);
  assert_int_equal(b.data[seed + 5], 0x10);
  b.data[seed + 6] = 0;
  mend(&b);
  store_t *store;
  save(in("m.h5"), b.data, b.size);
  assert_int_equal(store_open(in("m.h5"), &store, NULL), LAVDM_OK);
  assert_int_equal(store_count(store), SMALL - 1);
  assert_null(store_find(store, "seed"));
  store_close(store);
  drop(&b);
}

/* ---------------------------------------------------------- whole or not */

static void a_killed_writer_leaves_the_old_file(void **state) {
  (void)state;
  assert_int_equal(store_write(in("k.h5"), small, SMALL, NULL, NULL), LAVDM_OK);
  assert_int_equal(store_write(in("other.h5"), small, SMALL, NULL, NULL), LAVDM_OK);
  for (int t = 0; t < 3; t++) {
    pid_t pid = fork();
    if (pid == 0) {
      atomic_file file;
      if (atomic_begin(&file, in(t == 2 ? "other.h5" : "k.h5"), NULL) < 0) _exit(1);
      atomic_write(&file, real, sizeof real);
      kill(getpid(), SIGKILL);
    }
    int end;
    assert_int_equal(waitpid(pid, &end, 0), pid);
    assert_true(WIFSIGNALED(end));
    check_items(in("k.h5"), small, SMALL);
    assert_int_equal(count_files(".lavdm-"), t == 2 ? 2 : 1); /* the second try removed what the first left */
  }
  assert_int_equal(store_write(in("k.h5"), every, EVERY, NULL, NULL), LAVDM_OK);
  check_items(in("k.h5"), every, EVERY);
  assert_int_equal(count_files(".lavdm-"), 1); /* what is left of the other target is not ours */
  assert_int_equal(store_write(in("other.h5"), every, EVERY, NULL, NULL), LAVDM_OK);
  assert_int_equal(count_files(".lavdm-"), 0);
}

static void a_live_writer_is_left_alone(void **state) {
  (void)state;
  atomic_file *file = calloc(1, sizeof *file);
  assert_non_null(file);
  assert_int_equal(atomic_begin(file, in("k.h5"), NULL), LAVDM_OK);
  assert_int_equal(store_write(in("k.h5"), small, SMALL, NULL, NULL), LAVDM_OK);
  assert_int_equal(count_files(".lavdm-"), 1);
  assert_int_equal(atomic_end(file, LAVDM_ERROR_FILE), LAVDM_ERROR_FILE);
  assert_int_equal(count_files(".lavdm-"), 0);
  check_items(in("k.h5"), small, SMALL);
  free(file);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_type_and_rank),
      cmocka_unit_test(checksums_are_the_known_ones),
      cmocka_unit_test(the_same_items_give_the_same_bytes),
      cmocka_unit_test(many_items_and_long_texts),
      cmocka_unit_test(trimmed_between_slices),
      cmocka_unit_test(the_copy_is_private),
      cmocka_unit_test(whatever_becomes_of_the_file),
      cmocka_unit_test(items_that_cannot_be),
      cmocka_unit_test(files_of_other_kinds),
      cmocka_unit_test(every_byte_counts),
      cmocka_unit_test(every_truncation),
      cmocka_unit_test(damage_under_mended_checksums),
      cmocka_unit_test(lies_under_right_checksums),
      cmocka_unit_test(additions_are_passed_over),
      cmocka_unit_test(a_killed_writer_leaves_the_old_file),
      cmocka_unit_test(a_live_writer_is_left_alone),
  };
  return cmocka_run_group_tests(tests, fill, remove_folder);
}
