/* .npy and .npz: every type, order and version; files that lie; round trips. */
#include "io_support.h"
#include "io/formats.h"

#include <math.h>
#include <zip.h>

/* ------------------------------------------------------ making .npy files */

static bytes_t npy_dictionary(int version, const char *dictionary, const void *data, size_t size) {
  bytes_t b = {0};
  size_t length = strlen(dictionary);
  unsigned char head[12] = {0x93, 'N', 'U', 'M', 'P', 'Y', (unsigned char)version, 0};
  for (int i = 0; i < 4; i++) head[8 + i] = (unsigned char)(length >> (8 * i));
  add(&b, head, version == 1 ? 10 : 12);
  add(&b, dictionary, length);
  add(&b, data, size);
  return b;
}

static bytes_t npy(const char *descr, bool columns, const char *shape, const void *data, size_t size) {
  char dictionary[300];
  snprintf(dictionary, sizeof dictionary, "{'descr': '%s', 'fortran_order': %s, 'shape': %s, }   \n", descr,
           columns ? "True" : "False", shape);
  return npy_dictionary(1, dictionary, data, size);
}

static void save_npy(const char *descr, bool columns, const char *shape, const void *data, size_t size) {
  bytes_t b = npy(descr, columns, shape, data, size);
  save(in("a.npy"), b.data, b.size);
  drop(&b);
}

/* ------------------------------------------------------------------ types */

static const struct {
  const char *descr;
  int size;
  bool real;
} types[] = {{"f4", 4, true},  {"f8", 8, true},  {"i1", 1, false}, {"i2", 2, false}, {"i4", 4, false},
             {"i8", 8, false}, {"u1", 1, false}, {"u2", 2, false}, {"u4", 4, false}, {"u8", 8, false}};

/* Element i of the array in the file, as value 3 i - 20 (or 3 i if unsigned). */
static void put(unsigned char *to, const char *descr, int size, int64_t value, bool big) {
  unsigned char raw[8];
  float f4 = (float)value;
  double f8 = (double)value;
  for (int i = 0; i < size; i++) raw[i] = (unsigned char)((uint64_t)value >> (8 * i));
  if (strcmp(descr, "f4") == 0) memcpy(raw, &f4, 4);
  if (strcmp(descr, "f8") == 0) memcpy(raw, &f8, 8);
  for (int i = 0; i < size; i++) to[i] = raw[big ? size - 1 - i : i];
}

static void every_type_and_order(void **state) {
  (void)state;
  static const int shape[4] = {2, 3, 2, 4};
  for (size_t t = 0; t < sizeof types / sizeof *types; t++)
    for (int variant = 0; variant < 4 * 5; variant++) {
      bool big = variant & 1, columns = variant & 2;
      int rank = variant / 4, count = 1;
      char text[64] = "(", descr[8];
      unsigned char data[48 * 8];
      for (int i = 0; i < rank; i++) {
        count *= shape[i];
        sprintf(text + strlen(text), "%d, ", shape[i]);
      }
      strcat(text, ")");
      int64_t least = types[t].descr[0] == 'u' ? 0 : -20;
      for (int i = 0; i < count; i++) {
        /* where row-major element i stands in the file */
        int place = 0, rest = i, index[4] = {0};
        for (int k = rank - 1; k >= 0; k--) {
          index[k] = rest % shape[k];
          rest /= shape[k];
        }
        for (int k = rank - 1; k >= 0; k--) place = place * shape[k] + index[k];
        put(data + (columns ? place : i) * types[t].size, types[t].descr, types[t].size, 2 * i + least, big);
      }
      snprintf(descr, sizeof descr, "%c%s", big ? '>' : '<', types[t].descr);
      save_npy(descr, columns, text, data, (size_t)(count * types[t].size));
      io_array a = take(in("a.npy"));
      assert_int_equal(a.rank, rank);
      assert_int_equal(a.type, types[t].real ? IO_REAL : IO_INTEGER);
      for (int k = 0; k < rank; k++) assert_int_equal(a.shape[k], shape[k]);
      for (int i = 0; i < count; i++) {
        double got = a.type == IO_REAL ? ((double *)a.data)[i] : (double)((int64_t *)a.data)[i];
        assert_true(got == (double)(2 * i + least));
      }
      io_array_free(&a);
    }
}

static void booleans_and_halves(void **state) {
  (void)state;
  save_npy("|b1", false, "(3,)", "\1\0\1", 3);
  io_array a = take(in("a.npy"));
  assert_int_equal(a.type, IO_INTEGER);
  assert_int_equal(((int64_t *)a.data)[0], 1);
  assert_int_equal(((int64_t *)a.data)[1], 0);
  io_array_free(&a);
  const uint16_t half[] = {0x3C00, 0xC000, 0x7BFF, 0x0001, 0x8000, 0x7C00, 0xFC00, 0x7E00, 0x3555};
  const double value[] = {1, -2, 65504, 0x1p-24, -0.0, INFINITY, -INFINITY, NAN, 0x1.554p-2};
  save_npy("<f2", false, "(9,)", half, sizeof half);
  a = take(in("a.npy"));
  for (int i = 0; i < 9; i++) {
    double got = ((double *)a.data)[i];
    assert_true(isnan(value[i]) ? isnan(got) : got == value[i] && !signbit(got) == !signbit(value[i]));
  }
  io_array_free(&a);
}

static void large_arrays_cross_blocks(void **state) {
  (void)state;
  enum { ROWS = 3001, COLUMNS = 5 };
  float *data = malloc(ROWS * COLUMNS * sizeof *data);
  assert_non_null(data);
  for (int j = 0; j < COLUMNS; j++)
    for (int i = 0; i < ROWS; i++) data[j * ROWS + i] = (float)(i * COLUMNS + j);
  save_npy("<f4", true, "(3001, 5)", data, ROWS * COLUMNS * sizeof *data);
  io_array a = take(in("a.npy"));
  for (int i = 0; i < ROWS * COLUMNS; i++) assert_true(((double *)a.data)[i] == i);
  io_array_free(&a);
  free(data);
}

/* ---------------------------------------------------------------- headers */

static void every_version_and_spelling(void **state) {
  (void)state;
  const double data[2] = {1.5, -2};
  const char *const spelling[] = {
      "{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }",
      "{\"shape\":(2,),\"fortran_order\":True,\"descr\":\"<f8\"}\n",
      "  { 'shape' : ( 2L , ) , 'descr' : '=f8' , 'fortran_order' : False }  \n",
      "{'descr': '<f8', 'fortran_order': False, 'shape': (2)}",
  };
  for (int version = 1; version <= 3; version++)
    for (int s = 0; s < 4; s++) {
      bytes_t b = npy_dictionary(version, spelling[s], data, sizeof data);
      save(in("b.NPY"), b.data, b.size);
      io_array a = take(in("b.NPY"));
      assert_int_equal(a.rank, 1);
      assert_int_equal(a.shape[0], 2);
      assert_memory_equal(a.data, data, sizeof data);
      io_array_free(&a);
      drop(&b);
    }
}

static void refused_npy(const char *descr, const char *shape, size_t size, const char *words) {
  char data[256] = {0};
  save_npy(descr, false, shape, data, size);
  refused(in("a.npy"), LAVDM_ERROR_DATA, words);
}

static void what_is_not_numbers_is_refused(void **state) {
  (void)state;
  refused_npy("|O", "(2,)", 16, "Python objects");
  refused_npy("<c16", "(2,)", 32, "complex numbers");
  refused_npy("<U4", "(2,)", 32, "text");
  refused_npy("|S4", "(2,)", 8, "text");
  refused_npy("<U4", "()", 16, "text");
  refused_npy("<M8[ns]", "(2,)", 16, "M8[ns]");
  refused_npy("<f16", "(2,)", 32, "f16");
  refused_npy("|V8", "(2,)", 16, "V8");
  refused_npy("", "(2,)", 16, "type ''");
  refused_npy("<f8", "(1, 1, 1, 1, 1)", 8, "5 dimensions");
  bytes_t b = npy_dictionary(1, "{'descr': [('x', '<f8')], 'fortran_order': False, 'shape': (2,)}", "", 0);
  save(in("a.npy"), b.data, b.size);
  refused(in("a.npy"), LAVDM_ERROR_DATA, "records");
  drop(&b);
}

static void headers_that_lie_are_refused(void **state) {
  (void)state;
  refused_npy("<f8", "(3, 4)", 95, "more data than the file holds");
  refused_npy("<f8", "(3, 4)", 97, "1 bytes beyond");
  refused_npy("<f8", "(0, 4)", 8, "8 bytes beyond");
  refused_npy("<f8", "(4611686018427387904, 8)", 8, "more data");
  refused_npy("<f8", "(2305843009213693952,)", 8, "more data");
  refused_npy("|i1", "(4294967296, 4294967296)", 8, "more data");
  refused_npy("<f8", "(0, 4611686018427387904, 4)", 0, "more data");
  refused_npy("<f8", "(99999999999999999999999,)", 8, "cannot be understood");
  refused_npy("<f8", "(-1,)", 8, "cannot be understood");
  refused_npy("<f8", "(1,,)", 8, "cannot be understood");
  refused_npy("<f8", "1", 8, "cannot be understood");
  const char *const broken[] = {"",
                                "{",
                                "{}",
                                "{'descr': '<f8', 'shape': (1,)}",
                                "{'descr': '<f8'",
                                "{'descr: }",
                                "{'descr': '<f8', 'fortran_order': Maybe, 'shape': (1,)}",
                                "{'descr': '<f8', 'fortran_order': False, 'shape': (1,)} trailing",
                                "{'descr': '<f8', 'fortran_order': False, 'shape': (1,), 'more': 1}"};
  for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
    bytes_t b = npy_dictionary(1, broken[i], "12345678", 8);
    save(in("a.npy"), b.data, b.size);
    refused(in("a.npy"), LAVDM_ERROR_DATA, "cannot be understood");
    drop(&b);
  }
  bytes_t b = npy("<f8", false, "(1,)", "12345678", 8);
  b.data[6] = 9;
  save(in("a.npy"), b.data, b.size);
  refused(in("a.npy"), LAVDM_ERROR_DATA, "version 9");
  b.data[6] = 1;
  b.data[9] = 0xFF;
  save(in("a.npy"), b.data, b.size);
  refused(in("a.npy"), LAVDM_ERROR_DATA, "header is longer");
  b.data[1] = 'n';
  save(in("a.npy"), b.data, b.size);
  refused(in("a.npy"), LAVDM_ERROR_DATA, "is not an .npy file");
  drop(&b);
  uint64_t big[] = {1, (uint64_t)INT64_MAX + 1};
  save_npy("<u8", false, "(2,)", big, sizeof big);
  refused(in("a.npy"), LAVDM_ERROR_DATA, "above 9223372036854775807");
}

static void every_truncation_is_refused(void **state) {
  (void)state;
  double data[6] = {1, 2, 3, 4, 5, 6};
  bytes_t b = npy("<f8", true, "(2, 3)", data, sizeof data);
  for (size_t size = 0; size < b.size; size++) {
    save(in("a.npy"), b.data, size);
    refused(in("a.npy"), LAVDM_ERROR_DATA, "a.npy: ");
  }
  drop(&b);
}

/* ------------------------------------------------------------- round trips */

static void what_is_written_is_read(void **state) {
  (void)state;
  double real[24];
  int64_t integer[24];
  for (int i = 0; i < 24; i++) {
    real[i] = sin(i) * pow(10, i - 12);
    integer[i] = (int64_t)i * INT64_C(400000000000000000) - INT64_MAX / 2;
  }
  real[3] = NAN, real[4] = -INFINITY, real[5] = -0.0;
  const io_item shapes[] = {{.rank = 0},
                            {.rank = 1, .shape = {24}},
                            {.rank = 2, .shape = {6, 4}},
                            {.rank = 3, .shape = {2, 3, 4}},
                            {.rank = 4, .shape = {2, 3, 2, 2}},
                            {.rank = 1, .shape = {0}},
                            {.rank = 2, .shape = {0, 3}}};
  for (int s = 0; s < 7; s++)
    for (int type = IO_REAL; type <= IO_INTEGER; type++) {
      io_item item = shapes[s];
      item.name = "points";
      item.type = (io_type)type;
      item.data = type == IO_REAL ? (void *)real : integer;
      const char *const names[] = {"r.npy", "r.npz", "r.npz:points"};
      for (int k = 0; k < 3; k++) {
        if (k < 2) assert_int_equal(io_write(in(names[k]), &item, 1, NULL), LAVDM_OK);
        io_array a = take(in(names[k]));
        same(&a, &item);
        io_array_free(&a);
      }
    }
  assert_int_equal(count_files(".lavdm-"), 0);
}

/* ------------------------------------------------------------------- .npz */

static void save_npz(const char *path, int count, const char *const *names, const bytes_t *files,
                     bool deflate) {
  int reason;
  zip_t *zip = zip_open(path, ZIP_CREATE | ZIP_TRUNCATE, &reason);
  assert_non_null(zip);
  for (int i = 0; i < count; i++) {
    zip_source_t *s = zip_source_buffer(zip, files[i].data, files[i].size, 0);
    zip_int64_t at = zip_file_add(zip, names[i], s, ZIP_FL_OVERWRITE);
    assert_true(at >= 0);
    zip_set_file_compression(zip, (zip_uint64_t)at, deflate ? ZIP_CM_DEFLATE : ZIP_CM_STORE, 0);
  }
  assert_int_equal(zip_close(zip), 0);
}

static void members_are_found(void **state) {
  (void)state;
  double data[600];
  for (int i = 0; i < 600; i++) data[i] = i % 7;
  const char *const names[] = {"a.npy", "t.npy", "x.npy", "z.npy", "text.npy", "readme.txt", "DATA.npy"};
  bytes_t files[] = {npy("<f8", false, "(200, 3)", data, sizeof data),
                     npy("<f8", false, "()", data, 8),
                     npy("<f8", true, "(3, 2)", data, 48),
                     npy("<c16", false, "(1,)", data, 16),
                     npy("<U3", false, "()", "h\0\0\0\xE9\0\0\0\0\0\0\0", 12),
                     npy("<f8", false, "()", data, 8),
                     npy("<i2", false, "(2,)", "\1\0\2\0", 4)};
  for (int deflate = 0; deflate < 2; deflate++) {
    save_npz(in("m.npz"), 1, names, files, deflate);
    io_array a = take(in("m.npz"));
    assert_string_equal(a.name, "a");
    assert_memory_equal(a.data, data, sizeof data);
    io_array_free(&a);
    save_npz(in("m.npz"), 2, names, files, deflate); /* the scalar does not count */
    a = take(in("m.npz"));
    assert_string_equal(a.name, "a");
    io_array_free(&a);
    save_npz(in("m.npz"), 6, names, files, deflate);
    a = take(in("m.npz"));
    assert_string_equal(a.name, "x");
    io_array_free(&a);
    a = take(in("m.npz:a.npy"));
    assert_int_equal(a.shape[0], 200);
    io_array_free(&a);
    save_npz(in("m.npz"), 7, names, files, deflate);
    a = take(in("m.npz"));
    assert_string_equal(a.name, "DATA");
    io_array_free(&a);
    refused(in("m.npz:nope"), LAVDM_ERROR_ARGUMENT,
            "has no array 'nope'; it holds a (200 x 3), t, x (3 x 2), text");
    refused(in("m.npz:z"), LAVDM_ERROR_DATA, "complex");
    refused(in("m.npz:text"), LAVDM_ERROR_DATA, "text");
    refused(in("m.npz:"), LAVDM_ERROR_ARGUMENT, "missing after ':'");
    io_array *all;
    int count;
    assert_int_equal(io_read_all(in("m.npz"), &all, &count, NULL), LAVDM_OK);
    assert_int_equal(count, 5);
    assert_string_equal(all[3].data, "h\xC3\xA9");
    for (int i = 0; i < count; i++) io_array_free(&all[i]);
    free(all);
  }
  save_npz(in("n.npz"), 2, (const char *[]){"u.npy", "v.npy"}, (bytes_t[]){files[0], files[2]}, false);
  refused(in("n.npz"), LAVDM_ERROR_ARGUMENT,
          "which array? add :NAME to the file; it holds u (200 x 3), v (3 x 2)");
  save_npz(in("n.npz"), 1, names + 5, files, false);
  refused(in("n.npz"), LAVDM_ERROR_DATA, "holds no array of real numbers");
  for (int i = 0; i < 7; i++) drop(&files[i]);
}

static void damaged_archives_are_refused(void **state) {
  (void)state;
  double data[30] = {1, 2, 3};
  bytes_t file = npy("<f8", false, "(10, 3)", data, sizeof data), zip;
  const char *const names[] = {"points.npy"};
  for (int deflate = 0; deflate < 2; deflate++) {
    save_npz(in("d.npz"), 1, names, &file, deflate);
    zip = load(in("d.npz"));
    for (size_t size = 0; size < zip.size; size += 1 + size / 40) {
      save(in("d.npz"), zip.data, size);
      refused(in("d.npz"), LAVDM_ERROR_DATA, "d.npz: is not a readable .npz file");
    }
    size_t at = deflate ? 60 : 30 + 10 + 150; /* in the data of the member */
    zip.data[at] ^= 0x55;
    save(in("d.npz"), zip.data, zip.size);
    refused(in("d.npz:points"), LAVDM_ERROR_DATA, "d.npz:points: ");
    drop(&zip);
  }
  save_npz(in("d.npz"), 1, names, &file, true);
  zip = load(in("d.npz"));
  for (size_t i = 0; i + 46 < zip.size; i++)
    if (memcmp(zip.data + i, "PK\1\2", 4) == 0)
      memset(zip.data + i + 24, 0x7F, 4); /* 2 GB, says the directory */
  save(in("d.npz"), zip.data, zip.size);
  refused(in("d.npz:points"), LAVDM_ERROR_DATA, "d.npz");
  drop(&zip);
  drop(&file);
}

static void names_and_extensions(void **state) {
  (void)state;
  double one = 1;
  refused(in("none.npy"), LAVDM_ERROR_ARGUMENT, "no such file");
  refused(in("none.npz"), LAVDM_ERROR_ARGUMENT, "no such file");
  refused(in("none.abc"), LAVDM_ERROR_ARGUMENT, "no such file");
  refused("", LAVDM_ERROR_ARGUMENT, "no such file");
  refused(".npy", LAVDM_ERROR_ARGUMENT, "no such file");
  save(in("some.abc"), "1 2", 3);
  refused(in("some.abc"), LAVDM_ERROR_ARGUMENT, "no known kind; known are .npy, .npz,");
  save(in("some"), "1 2", 3);
  refused(in("some"), LAVDM_ERROR_ARGUMENT, "no known kind");
  refused(in("a.npy:x"), LAVDM_ERROR_ARGUMENT, "one array without a name");
  assert_int_equal(mkdir(in("folder.npy"), 0777), 0);
  refused(in("folder.npy"), LAVDM_ERROR_ARGUMENT, "is a folder");
  assert_int_equal(mkfifo(in("pipe.npy"), 0666), 0);
  refused(in("pipe.npy"), LAVDM_ERROR_ARGUMENT, "not a regular file");
  io_item item = {.name = "x", .type = IO_REAL, .rank = 0, .data = &one};
  assert_int_equal(io_write(in("odd:name.npz:x.npz"), &item, 1, NULL), LAVDM_OK);
  io_array a = take(in("odd:name.npz:x.npz"));
  io_array_free(&a);
  a = take(in("odd:name.npz:x.npz:x"));
  io_array_free(&a);
}

static void damage_at_random(void **state) {
  (void)state;
  double data[60];
  for (int i = 0; i < 60; i++) data[i] = i;
  bytes_t file = npy("<f8", false, "(20, 3)", data, sizeof data);
  save(in("v.npy"), file.data, file.size);
  mutate(in("v.npy"), NULL, 4000);
  const char *const names[] = {"points.npy", "t.npy"};
  const bytes_t two[] = {file, file};
  save_npz(in("v.npz"), 2, names, two, true);
  isolate_inside = true; /* a crash is not to pass for a refusal */
  mutate(in("v.npz"), "points", 2000);
  save_npz(in("v.npz"), 2, names, two, false);
  mutate(in("v.npz"), NULL, 2000);
  isolate_inside = false;
  mutate(in("v.npz"), NULL, 50);
  drop(&file);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_type_and_order),
      cmocka_unit_test(booleans_and_halves),
      cmocka_unit_test(large_arrays_cross_blocks),
      cmocka_unit_test(every_version_and_spelling),
      cmocka_unit_test(what_is_not_numbers_is_refused),
      cmocka_unit_test(headers_that_lie_are_refused),
      cmocka_unit_test(every_truncation_is_refused),
      cmocka_unit_test(what_is_written_is_read),
      cmocka_unit_test(members_are_found),
      cmocka_unit_test(damaged_archives_are_refused),
      cmocka_unit_test(names_and_extensions),
      cmocka_unit_test(damage_at_random),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
