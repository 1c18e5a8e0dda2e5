/* Memory is asked for before it is taken, in parts that can be counted; and text that a terminal may see. */
#include "io_containers.h"
#include "io/room.h"
#include "picture_support.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/resource.h>

/* --------------------------------------------------------------- memory */

enum { SIDE = 300 };

/* A file of each kind, of SIDE x SIDE numbers or as many vertices. */
static void write_kind(const char *path, const double *value) {
  const char *end = strrchr(path, '.');
  io_item item = {"points", IO_REAL, 2, {SIDE, SIDE}, value};
  picture_t p = {
      .height = SIDE, .width = SIDE, .channels = 1, .bits = 8, .value = (double *)(uintptr_t)value};
  bool picture = !strcmp(end, ".png") || !strcmp(end, ".tif") || !strcmp(end, ".pgm");
  bool mesh = !strcmp(end, ".ply") || !strcmp(end, ".obj");
  int status = LAVDM_OK;
  if (mesh) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    if (end[1] == 'p')
      fprintf(file,
              "ply\nformat ascii 1.0\nelement vertex %d\nproperty float x\nproperty float y\n"
              "property float z\nend_header\n",
              SIDE * SIDE);
    for (int i = 0; i < SIDE * SIDE; i++) fprintf(file, "%s1 2 3\n", end[1] == 'p' ? "" : "v ");
    assert_int_equal(fclose(file), 0);
  } else {
    status = picture ? picture_write(path, &p, NULL) : io_write(path, &item, 1, NULL);
  }
  assert_int_equal(status, LAVDM_OK);
}

static void sizes_are_compared_with_max_memory(void **state) {
  (void)state;
  const char *const names[] = {"a.npy", "a.npz", "a.csv", "a.mat", "a.h5", "a.mrc",
                               "a.png", "a.tif", "a.pgm", "a.ply", "a.obj"};
  double *value = calloc(SIDE * SIDE, sizeof *value);
  assert_non_null(value);
  for (int k = 0; k < 11; k++) {
    io_array a;
    const char *path = in(names[k]);
    write_kind(path, value);
    room_allow(SIDE * SIDE * 8 / 2);
    for (int inside = 0; inside < 2; inside++) {
      isolate_inside = inside;
      refused(path, LAVDM_ERROR_MEMORY, "max_memory is 1 MB: allow more");
    }
    isolate_inside = false;
    room_allow(SIDE * SIDE * 8 * 6); /* vertices are three numbers each */
    a = take(path);
    io_array_free(&a);
    room_allow(0);
    a = take(path);
    io_array_free(&a);
  }
  room_allow(SIDE * SIDE * 8 / 2);
  refused(in("a.npz"), LAVDM_ERROR_MEMORY,
          "a.npz:points: holds 300 x 300 numbers, which need 1 MB of memory");
  room_allow(0);
  free(value);
}

/* Arrays that are each small enough, but not together. */
static void sizes_of_several_arrays_are_added(void **state) {
  (void)state;
  enum { ARRAYS = 10 };
  static double value[1000];
  static char name[ARRAYS][8];
  io_item items[ARRAYS];
  io_array *all;
  int count;
  lavdm_error error = {0};
  for (int i = 0; i < ARRAYS; i++) {
    snprintf(name[i], sizeof name[i], "x%d", i);
    items[i] = (io_item){name[i], IO_REAL, 1, {1000}, value};
  }
  const char *const names[] = {"s.npz", "s.mat", "s.h5"};
  for (int k = 0; k < 3; k++) {
    assert_int_equal(io_write(in(names[k]), items, ARRAYS, NULL), LAVDM_OK);
    room_allow(5 * sizeof value);
    assert_int_equal(io_read_all(in(names[k]), &all, &count, &error), LAVDM_ERROR_MEMORY);
    assert_non_null(strstr(error.message, "x5"));
    room_allow(ARRAYS * sizeof value);
    assert_int_equal(io_read_all(in(names[k]), &all, &count, &error), LAVDM_OK);
    free_all(all, count);
  }
  room_allow(0);
}

/* The header alone tells: the file is of any size and takes no room. */
static void what_the_machine_has_not_is_refused(void **state) {
  (void)state;
  static const char header[] =
      "\x93NUMPY\1\0\x76\0{'descr': '<f8', 'fortran_order': False, 'shape': (200000, 1000000), }";
  char head[128];
  memset(head, ' ', sizeof head);
  memcpy(head, header, sizeof header - 1);
  head[127] = '\n';
  save(in("huge.npy"), head, sizeof head);
  if (truncate(in("huge.npy"), 128 + INT64_C(1600000000000))) skip(); /* no sparse files here */
  refused(in("huge.npy"), LAVDM_ERROR_MEMORY, "holds 200000 x 1000000 numbers, which need 1600 GB of memory");
}

/* Also an address space that a batch system has made small. */
static void the_address_space_is_counted(void **state) {
  (void)state;
  int64_t before = lavdm_available();
  assert_true(before > 0);
  struct rlimit limit, small;
  assert_int_equal(getrlimit(RLIMIT_AS, &limit), 0);
  small = limit;
  FILE *file = fopen("/proc/self/statm", "r");
  long long pages = 0;
  assert_true(file && fscanf(file, "%lld", &pages) == 1);
  fclose(file);
  small.rlim_cur = (rlim_t)(pages * sysconf(_SC_PAGESIZE) + (64 << 20));
  assert_int_equal(setrlimit(RLIMIT_AS, &small), 0);
  int64_t after = lavdm_available();
  assert_int_equal(setrlimit(RLIMIT_AS, &limit), 0);
  assert_in_range(after, 1, 65 << 20);
}

/* ---------------------------------------------------------------- parts */

static int64_t pulled, largest;

static int64_t count_only(source *s, void *buffer, int64_t most) {
  (void)s, (void)buffer;
  if (most > largest) largest = most;
  pulled += most;
  return most;
}

/* 9 GiB that no memory is behind, as the array of a file. */
static void no_part_is_above_a_gigabyte(void **state) {
  (void)state;
  const int64_t bytes = INT64_C(9) << 30;
  void *space =
      mmap(NULL, (size_t)bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (space == MAP_FAILED) skip();
  lavdm_error error = {0};
  source s = {.label = "file", .left = bytes, .pull = count_only, .error = &error};
  io_array array = {.type = IO_REAL, .rank = 1, .shape = {bytes / 8}, .data = space};
  assert_int_equal(read_numbers(&s, (number_format){'f', 8, false}, false, &array), LAVDM_OK);
  assert_int_equal(pulled, bytes);
  assert_int_equal(largest, SOURCE_MOST);
  munmap(space, (size_t)bytes);
}

/* ----------------------------------------------------------------- text */

static void text_is_shown_safely(void **state) {
  (void)state;
  const struct {
    const char *from, *to;
  } cases[] = {
      {"", ""},
      {"plain: h\xC3\xA9llo \xE2\x82\xAC \xF0\x9F\x98\x80",
       "plain: h\xC3\xA9llo \xE2\x82\xAC \xF0\x9F\x98\x80"},
      {"\x1b[31m\n\t\r\x7f\a", "\\x1b[31m\\x0a\\x09\\x0d\\x7f\\x07"},
      {"\xff\xfe\x80", "\\xff\\xfe\\x80"},
      {"\xC2\x9B"
       "31m",
       "\\xc2\\x9b31m"}, /* CSI in one character */
      {"\xE2\x80\xAE"
       "gpj.x",
       "\\xe2\\x80\\xaegpj.x"},                                /* right to left from here */
      {"\xC0\xAF \xED\xA0\x80", "\\xc0\\xaf \\xed\\xa0\\x80"}, /* longer than need be; a surrogate */
      {"a\xC3", "a\\xc3"},
      {"\\x1b", "\\x1b"},
  };
  char text[100], again[100];
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    text_show(text, sizeof text, cases[i].from);
    assert_string_equal(text, cases[i].to);
    text_show(again, sizeof again, text);
    assert_string_equal(again, text);
    assert_string_equal(shown(cases[i].from), cases[i].to);
  }
  for (size_t size = 1; size < 12; size++) { /* cut between characters */
    text_show(text, size, "a\xC3\xA9\x1bz");
    assert_true(strlen(text) < size);
    assert_int_equal(strncmp("a\xC3\xA9\\x1bz", text, strlen(text)), 0);
    assert_true(strlen(text) != 2 && (strlen(text) < 4 || strlen(text) > 6));
  }
  assert_int_equal(text_cut("a\xC3\xA9z", 2), 1);
  assert_int_equal(text_cut("a\xC3\xA9z", 3), 3);
  assert_int_equal(text_cut("abc", 3), 3);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sizes_are_compared_with_max_memory),
      cmocka_unit_test(sizes_of_several_arrays_are_added),
      cmocka_unit_test(what_the_machine_has_not_is_refused),
      cmocka_unit_test(the_address_space_is_counted),
      cmocka_unit_test(no_part_is_above_a_gigabyte),
      cmocka_unit_test(text_is_shown_safely),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
