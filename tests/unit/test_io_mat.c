/* .mat: files that matio wrote in every class, version and compression. */
#include "io_containers.h"

#include <matio.h>

static const struct {
  enum matio_classes class;
  enum matio_types type;
  const char *name;
  int size;
} mat_class[] = {
    {MAT_C_DOUBLE, MAT_T_DOUBLE, "f8", 8}, {MAT_C_SINGLE, MAT_T_SINGLE, "f4", 4},
    {MAT_C_INT8, MAT_T_INT8, "i1", 1},     {MAT_C_INT16, MAT_T_INT16, "i2", 2},
    {MAT_C_INT32, MAT_T_INT32, "i4", 4},   {MAT_C_INT64, MAT_T_INT64, "i8", 8},
    {MAT_C_UINT8, MAT_T_UINT8, "u1", 1},   {MAT_C_UINT16, MAT_T_UINT16, "u2", 2},
    {MAT_C_UINT32, MAT_T_UINT32, "u4", 4}, {MAT_C_UINT64, MAT_T_UINT64, "u8", 8},
};
enum { CLASSES = sizeof mat_class / sizeof *mat_class };

static enum mat_ft mat_version;
static enum matio_compression mat_compression;

static void mat_put(mat_t *mat, matvar_t *v) {
  CHECK(v && Mat_VarWrite(mat, v, mat_compression) == 0);
}

/* Every class, as 3 x 2 x 2 numbered in MATLAB's order, and what is refused. */
static void write_mat(const char *path) {
  mat_t *mat = Mat_CreateVer(path, NULL, mat_version);
  size_t size[5] = {3, 2, 2, 1, 1}, flat[2] = {1, 5};
  CHECK(mat);
  for (int c = 0; c < CLASSES; c++) {
    unsigned char data[12 * 8];
    for (int i = 0; i < 12; i++) {
      union {
        double f8;
        float f4;
        int64_t whole;
      } number;
      if (c == 0)
        number.f8 = i;
      else if (c == 1)
        number.f4 = (float)i;
      else
        number.whole = i;
      memcpy(data + i * mat_class[c].size, &number, (size_t)mat_class[c].size);
    }
    mat_put(mat, Mat_VarCreate(mat_class[c].name, mat_class[c].class, mat_class[c].type, 3, size, data, 0));
  }
  double data[12] = {1, 2, 3};
  uint8_t yes[5] = {1, 0, 1, 1, 0};
  mat_complex_split_t split = {data, data};
  mat_put(mat, Mat_VarCreate("logical", MAT_C_UINT8, MAT_T_UINT8, 2, flat, yes, MAT_F_LOGICAL));
  mat_put(mat, Mat_VarCreate("text", MAT_C_CHAR, MAT_T_UINT8, 2, flat, "hello", 0));
  mat_put(mat, Mat_VarCreate("complex", MAT_C_DOUBLE, MAT_T_DOUBLE, 2, flat, &split, MAT_F_COMPLEX));
  matvar_t *cell[] = {Mat_VarCreate(NULL, MAT_C_DOUBLE, MAT_T_DOUBLE, 2, flat, data, 0)};
  mat_put(mat, Mat_VarCreate("cell", MAT_C_CELL, MAT_T_CELL, 2, (size_t[]){1, 1}, cell, 0));
  mat_put(mat, Mat_VarCreateStruct2("struct", 2, (size_t[]){1, 1}, (const char *[]){"a", NULL}));
  uint32_t rows[] = {0, 1}, starts[] = {0, 1, 2};
  mat_sparse_t sparse = {.nzmax = 2, .ir = rows, .nir = 2, .jc = starts, .njc = 3, .ndata = 2, .data = data};
  mat_put(mat, Mat_VarCreate("sparse", MAT_C_SPARSE, MAT_T_DOUBLE, 2, (size_t[]){2, 2}, &sparse,
                             MAT_F_DONT_COPY_DATA));
  mat_put(mat, Mat_VarCreate("deep", MAT_C_DOUBLE, MAT_T_DOUBLE, 5, (size_t[]){1, 1, 1, 2, 2}, data, 0));
  CHECK(Mat_Close(mat) == 0);
}

static void mat_files_of_matio(void **state) {
  (void)state;
  for (int k = 0; k < 3; k++) {
    mat_version = k < 2 ? MAT_FT_MAT5 : MAT_FT_MAT73;
    mat_compression = k == 1 ? MAT_COMPRESSION_ZLIB : MAT_COMPRESSION_NONE;
    in_child(write_mat, in("m.mat"));
    for (int c = 0; c < CLASSES; c++) {
      char spec[300];
      snprintf(spec, sizeof spec, "%s:%s", in("m.mat"), mat_class[c].name);
      io_array a = take(spec);
      assert_int_equal(a.type, c < 2 ? IO_REAL : IO_INTEGER);
      assert_int_equal(a.rank, 3);
      for (int i = 0; i < 12; i++) /* row-major (x,y,z) is x + 3 y + 6 z of MATLAB */
        assert_true(value(&a, i) == i / 4 + 3 * (i / 2 % 2) + 6 * (i % 2));
      io_array_free(&a);
    }
    io_array a = take(in("m.mat:logical"));
    assert_int_equal(a.type, IO_INTEGER);
    assert_int_equal(a.shape[0], 1);
    assert_int_equal(a.shape[1], 5);
    io_array_free(&a);
    const char *const bad[] = {"text", "complex", "cell", "struct", "sparse"};
    for (int i = 0; i < 5; i++) {
      char spec[300];
      snprintf(spec, sizeof spec, "%s:%s", in("m.mat"), bad[i]);
      refused(spec, LAVDM_ERROR_DATA, bad[i]);
    }
    refused(in("m.mat:deep"), LAVDM_ERROR_DATA, "5 dimensions");
    refused(in("m.mat:nope"), LAVDM_ERROR_ARGUMENT, "has no array 'nope'; it holds ");
    refused(in("m.mat"), LAVDM_ERROR_ARGUMENT, "which array?");
    io_array *all;
    int count;
    assert_int_equal(io_read_all(in("m.mat"), &all, &count, NULL), LAVDM_OK);
    assert_int_equal(count, CLASSES + 2);
    assert_string_equal(find(all, count, "text")->data, "hello");
    free_all(all, count);
  }
}

/* A big-endian file with a double array that is kept as bytes, made by hand. */
static void mat_files_of_the_other_byte_order(void **state) {
  (void)state;
  bytes_t b = {0};
  char header[128] = "MATLAB 5.0 MAT-file";
  memcpy(header + 124, "\1\0MI", 4);
  add(&b, header, 128);
  add(&b, "\0\0\0\16\0\0\0\60", 8);                 /* matrix, 48 bytes */
  add(&b, "\0\0\0\6\0\0\0\10\0\0\0\6\0\0\0\0", 16); /* double */
  add(&b, "\0\0\0\5\0\0\0\10\0\0\0\1\0\0\0\4", 16); /* 1 x 4 */
  add(&b, "\0\1\0\1x\0\0\0\0\4\0\2\1\2\3\377", 16); /* "x", bytes 1 2 3 255 */
  save(in("big.mat"), b.data, b.size);
  io_array a = take(in("big.mat"));
  assert_int_equal(a.type, IO_REAL);
  assert_int_equal(a.shape[1], 4);
  assert_true(value(&a, 0) == 1 && value(&a, 3) == 255);
  io_array_free(&a);
  b.data[128 + 8 + 16 + 15] = 5; /* says 1 x 5 */
  save(in("big.mat"), b.data, b.size);
  refused(in("big.mat"), LAVDM_ERROR_DATA, "damaged");
  drop(&b);
}

/* ----------------------------------------------------------------- damage */

static void write_small_mat(const char *path) {
  mat_t *mat = Mat_CreateVer(path, NULL, MAT_FT_MAT5);
  CHECK(mat);
  mat_put(mat, Mat_VarCreate("points", MAT_C_DOUBLE, MAT_T_DOUBLE, 2, (size_t[]){20, 3}, real, 0));
  mat_put(mat, Mat_VarCreate("text", MAT_C_CHAR, MAT_T_UINT8, 2, (size_t[]){1, 5}, "hello", 0));
  mat_put(mat, Mat_VarCreate("t", MAT_C_DOUBLE, MAT_T_DOUBLE, 2, (size_t[]){1, 1}, real, 0));
  CHECK(Mat_Close(mat) == 0);
}

static void damage_at_random(void **state) {
  (void)state;
  mat_compression = MAT_COMPRESSION_NONE;
  in_child(write_small_mat, in("v.mat"));
  isolate_inside = true; /* a crash is not to pass for a refusal */
  mutate(in("v.mat"), NULL, 3000);
  mat_compression = MAT_COMPRESSION_ZLIB;
  in_child(write_small_mat, in("v.mat"));
  mutate(in("v.mat"), "points", 3000);
  isolate_inside = false;
  mutate(in("v.mat"), "points", 50);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(mat_files_of_matio),
      cmocka_unit_test(mat_files_of_the_other_byte_order),
      cmocka_unit_test(damage_at_random),
  };
  return cmocka_run_group_tests(tests, fill_result, remove_folder);
}
