/* Results in .h5, .npz and .mat, whole and damaged; files that HDF5 wrote, and
 * what HDF5 and matio make of ours. */
#include "io_containers.h"

#include <matio.h>

/* ------------------------------------------------------------------- HDF5 */

static void h5_attribute(hid_t file, const char *name, hid_t type, const void *data) {
  hid_t space = H5Screate(H5S_SCALAR), id = H5Acreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
  CHECK(id >= 0 && H5Awrite(id, type, data) >= 0);
}

static void h5_dataset(hid_t file, const char *name, hid_t type, int rank, const hsize_t *size, hid_t plist,
                       hid_t memory, const void *data) {
  hid_t space = rank ? H5Screate_simple(rank, size, NULL) : H5Screate(H5S_SCALAR);
  hid_t id = H5Dcreate2(file, name, type, space, H5P_DEFAULT, plist, H5P_DEFAULT);
  CHECK(id >= 0 && (!data || H5Dwrite(id, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0));
}

/* name of the dataset: its type; all hold 0, 1, ... 23 in 2 x 3 x 4 */
static const char *const h5_type_name[] = {"f4", "f8", "F4", "F8", "i1", "i2",
                                           "I4", "i8", "u1", "U2", "u4", "u8"};

static void write_h5_types(const char *path) {
  const hid_t type[] = {H5T_IEEE_F32LE, H5T_IEEE_F64LE, H5T_IEEE_F32BE, H5T_IEEE_F64BE,
                        H5T_STD_I8LE,   H5T_STD_I16LE,  H5T_STD_I32BE,  H5T_STD_I64LE,
                        H5T_STD_U8LE,   H5T_STD_U16BE,  H5T_STD_U32LE,  H5T_STD_U64LE};
  const hsize_t size[] = {2, 3, 4}, chunk[] = {1, 2, 4};
  double data[24];
  for (int i = 0; i < 24; i++) data[i] = i;
  hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  hid_t packed = H5Pcreate(H5P_DATASET_CREATE);
  CHECK(H5Pset_chunk(packed, 3, chunk) >= 0 && H5Pset_shuffle(packed) >= 0 && H5Pset_deflate(packed, 6) >= 0);
  hid_t group = H5Gcreate2(file, "packed", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  for (int i = 0; i < 12; i++) {
    h5_dataset(file, h5_type_name[i], type[i], 3, size, H5P_DEFAULT, H5T_NATIVE_DOUBLE, data);
    h5_dataset(group, h5_type_name[i], type[i], 3, size, packed, H5T_NATIVE_DOUBLE, data);
  }
  CHECK(H5Fclose(file) >= 0);
}

static void h5_numbers_of_every_type(void **state) {
  (void)state;
  in_child(write_h5_types, in("t.h5"));
  for (int i = 0; i < 12; i++)
    for (int k = 0; k < 3; k++) {
      const char *const before[] = {"", "/", "/packed/"};
      char spec[300];
      snprintf(spec, sizeof spec, "%s:%s%s", in("t.h5"), before[k], h5_type_name[i]);
      io_array a = take(spec);
      assert_int_equal(a.type, i < 4 ? IO_REAL : IO_INTEGER);
      assert_string_equal(a.name, h5_type_name[i]);
      assert_int_equal(a.rank, 3);
      assert_int_equal(a.shape[2], 4);
      for (int j = 0; j < 24; j++) assert_true(value(&a, j) == j);
      io_array_free(&a);
    }
}

static void write_h5_odd(const char *path) {
  const hsize_t three = 3, none = 0, five[] = {1, 1, 1, 1, 1};
  const double data[3] = {1, 2, 3};
  const uint64_t big[3] = {1, 2, UINT64_MAX};
  const char *text = "h\xC3\xA9llo", *texts[] = {"a", "b", "c"};
  hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  hid_t string = H5Tcopy(H5T_C_S1), fixed = H5Tcopy(H5T_C_S1), pair = H5Tcreate(H5T_COMPOUND, 16);
  H5Tset_size(string, H5T_VARIABLE);
  H5Tset_size(fixed, 8);
  H5Tset_strpad(fixed, H5T_STR_SPACEPAD);
  H5Tinsert(pair, "r", 0, H5T_NATIVE_DOUBLE);
  H5Tinsert(pair, "i", 8, H5T_NATIVE_DOUBLE);
  h5_dataset(file, "X", H5T_IEEE_F64LE, 1, &three, H5P_DEFAULT, H5T_NATIVE_DOUBLE, data);
  h5_dataset(file, "other", H5T_IEEE_F64LE, 1, &three, H5P_DEFAULT, H5T_NATIVE_DOUBLE, data);
  h5_dataset(file, "scalar", H5T_IEEE_F64LE, 0, NULL, H5P_DEFAULT, H5T_NATIVE_DOUBLE, data);
  h5_dataset(file, "empty", H5T_IEEE_F64LE, 1, &none, H5P_DEFAULT, H5T_NATIVE_DOUBLE, NULL);
  h5_dataset(file, "never", H5T_IEEE_F64LE, 1, &three, H5P_DEFAULT, H5T_NATIVE_DOUBLE, NULL);
  h5_dataset(file, "complex", pair, 1, &none, H5P_DEFAULT, pair, NULL);
  h5_dataset(file, "deep", H5T_IEEE_F64LE, 5, five, H5P_DEFAULT, H5T_NATIVE_DOUBLE, data);
  h5_dataset(file, "texts", string, 1, &three, H5P_DEFAULT, string, texts);
  h5_dataset(file, "note", string, 0, NULL, H5P_DEFAULT, string, &text);
  hid_t group = H5Gcreate2(file, "group", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  h5_dataset(group, "big", H5T_STD_U64LE, 1, &three, H5P_DEFAULT, H5T_NATIVE_UINT64, big);
  CHECK(H5Lcreate_soft("/X", file, "soft", H5P_DEFAULT, H5P_DEFAULT) >= 0);
  CHECK(H5Lcreate_soft("/gone", file, "loose", H5P_DEFAULT, H5P_DEFAULT) >= 0);
  CHECK(H5Lcreate_external(path, "/X", file, "away", H5P_DEFAULT, H5P_DEFAULT) >= 0);
  h5_attribute(file, "title", string, &text);
  h5_attribute(file, "fixed", fixed, "abc     ");
  h5_attribute(file, "seed", H5T_NATIVE_INT, &(int){42});
  h5_attribute(file, "pair", pair, data);
  CHECK(H5Fclose(file) >= 0);
}

static void h5_what_is_there(void **state) {
  (void)state;
  io_array *all;
  int count;
  in_child(write_h5_odd, in("odd.h5"));
  io_array a = take(in("odd.h5"));
  assert_string_equal(a.name, "X");
  io_array_free(&a);
  a = take(in("odd.h5:soft"));
  assert_true(value(&a, 2) == 3);
  io_array_free(&a);
  refused(in("odd.h5:complex"), LAVDM_ERROR_DATA, "complex");
  refused(in("odd.h5:deep"), LAVDM_ERROR_DATA, "5 dimensions");
  refused(in("odd.h5:texts"), LAVDM_ERROR_DATA, "several strings");
  refused(in("odd.h5:note"), LAVDM_ERROR_DATA, "text");
  refused(in("odd.h5:never"), LAVDM_ERROR_DATA, "never filled");
  refused(in("odd.h5:group"), LAVDM_ERROR_DATA, "is a group");
  refused(in("odd.h5:/group/big"), LAVDM_ERROR_DATA, "above 9223372036854775807");
  refused(in("odd.h5:/group/none"), LAVDM_ERROR_ARGUMENT, "has no array '/group/none'; it holds X (3), ");
  refused(in("odd.h5:loose"), LAVDM_ERROR_DATA, "link to nowhere");
  refused(in("odd.h5:away"), LAVDM_ERROR_DATA, "link to another file");
  assert_int_equal(io_read_all(in("odd.h5"), &all, &count, NULL), LAVDM_OK);
  assert_int_equal(count, 9);
  assert_true(value(find(all, count, "scalar"), 0) == 1);
  assert_int_equal(find(all, count, "scalar")->rank, 0);
  assert_int_equal(find(all, count, "empty")->shape[0], 0);
  assert_string_equal(find(all, count, "note")->data, "h\xC3\xA9llo");
  assert_string_equal(find(all, count, "title")->data, "h\xC3\xA9llo");
  assert_memory_equal(find(all, count, "fixed")->data, "abc", 3);
  assert_int_equal(*(int64_t *)find(all, count, "seed")->data, 42);
  free_all(all, count);
}

/* ---------------------------------------------------------------- results */

/* What is read equals what was written; .mat has no fewer than two dimensions. */
static void check_result(const char *path, bool matlab) {
  io_array *all;
  int count;
  lavdm_error error;
  if (io_read_all(path, &all, &count, &error) < 0) fail_msg("%s", error.message);
  assert_int_equal(count, RESULTS);
  for (int i = 0; i < RESULTS; i++) {
    io_item want = result[i];
    if (matlab && want.rank < 2 && want.type != IO_TEXT) {
      want.shape[0] = want.rank ? want.shape[0] : 1;
      want.shape[1] = 1;
      want.rank = 2;
    }
    same(find(all, count, want.name), &want);
  }
  free_all(all, count);
}

static void results_come_back(void **state) {
  (void)state;
  const char *const names[] = {"r.h5", "r.hdf5", "r.npz", "r.mat"};
  for (int i = 0; i < 4; i++) {
    assert_int_equal(io_write(in(names[i]), result, RESULTS, NULL), LAVDM_OK);
    check_result(in(names[i]), i == 3);
  }
  output_file file;
  assert_int_equal(output_begin(&file, in("r73.mat"), NULL), LAVDM_OK);
  assert_int_equal(output_end(&file, mat_write(&file, result, RESULTS, 100)), LAVDM_OK);
  check_result(in("r73.mat"), true);
  assert_int_equal(count_files(".lavdm-"), 0);
}

static void check_with_hdf5(const char *path) {
  double back[60];
  char *text = NULL;
  hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT), id = H5Dopen2(file, "points", H5P_DEFAULT);
  CHECK(id >= 0 && H5Pget_layout(H5Dget_create_plist(id)) == H5D_CONTIGUOUS);
  CHECK(H5Dread(id, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, back) >= 0);
  CHECK(memcmp(back, real, sizeof back) == 0);
  hid_t attribute = H5Aopen(file, "command", H5P_DEFAULT);
  hid_t type = H5Aget_type(attribute);
  CHECK(H5Tis_variable_str(type) > 0 && H5Aread(attribute, type, &text) >= 0 &&
        strcmp(text, "lavdm \xC3\xBC") == 0);
  attribute = H5Aopen(file, "epsilon", H5P_DEFAULT);
  CHECK(H5Aread(attribute, H5T_NATIVE_DOUBLE, back) >= 0 && back[0] == real[7]);
}

static void check_with_matio(const char *path) {
  mat_t *mat = Mat_Open(path, MAT_ACC_RDONLY);
  CHECK(mat);
  matvar_t *points = Mat_VarRead(mat, "points"), *four = Mat_VarRead(mat, "four"),
           *none = Mat_VarRead(mat, "none");
  CHECK(points && points->rank == 2 && points->dims[0] == 20 && points->class_type == MAT_C_DOUBLE);
  for (int i = 0; i < 20; i++)
    for (int j = 0; j < 3; j++) CHECK(((double *)points->data)[j * 20 + i] == real[i * 3 + j]);
  CHECK(four && four->rank == 4 && four->dims[3] == 5 && four->class_type == MAT_C_INT64);
  CHECK(((int64_t *)four->data)[1] == integer[30] && ((int64_t *)four->data)[2] == integer[10]);
  CHECK(none && none->dims[0] == 0 && none->dims[1] == 1);
  matvar_t *command = Mat_VarRead(mat, "command");
  CHECK(command && command->class_type == MAT_C_CHAR && command->dims[0] == 1 && command->dims[1] == 7);
  Mat_Close(mat);
}

static void libraries_read_results(void **state) {
  (void)state;
  in_child(check_with_hdf5, in("r.h5"));
  in_child(check_with_matio, in("r.mat"));
  in_child(check_with_matio, in("r73.mat"));
}

static void the_same_items_give_the_same_bytes(void **state) {
  (void)state;
  const char *const names[] = {"s.h5", "s.npz", "s.mat"};
  bytes_t before[3];
  for (int i = 0; i < 3; i++) {
    assert_int_equal(io_write(in(names[i]), result, RESULTS, NULL), LAVDM_OK);
    before[i] = load(in(names[i]));
  }
  usleep(1100000); /* dates in files count seconds */
  for (int i = 0; i < 3; i++) {
    assert_int_equal(io_write(in(names[i]), result, RESULTS, NULL), LAVDM_OK);
    bytes_t after = load(in(names[i]));
    assert_int_equal(before[i].size, after.size);
    assert_memory_equal(before[i].data, after.data, after.size);
    drop(&before[i]);
    drop(&after);
  }
}

/* ----------------------------------------------------------------- damage */

static void truncations_are_refused(void **state) {
  (void)state;
  const char *const names[] = {"r.mat", "r.h5", "r73.mat"};
  for (int k = 0; k < 3; k++) {
    bytes_t b = load(in(names[k]));
    const char *cut = k == 1 ? in("cut.h5") : in("cut.mat");
    char spec[300];
    snprintf(spec, sizeof spec, "%s:command", cut);
    for (size_t size = 0; size < b.size; size += k ? 1 + b.size / 25 : 7) {
      save(cut, b.data, size);
      io_array *all;
      int count;
      lavdm_error error = {0};
      if (io_read_all(cut, &all, &count, &error) < 0) {
        assert_int_equal(error.status, LAVDM_ERROR_DATA);
        assert_non_null(strstr(error.message, "cut."));
      } else { /* cut between two variables: whole ones only */
        assert_int_equal(k, 0);
        assert_true(count < RESULTS);
        free_all(all, count);
      }
    }
    drop(&b);
  }
}

static void write_points(const char *path) {
  hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  hsize_t size[] = {20, 3};
  h5_dataset(file, "points", H5T_IEEE_F64LE, 2, size, H5P_DEFAULT, H5T_NATIVE_DOUBLE, real);
  h5_attribute(file, "seed", H5T_NATIVE_INT, &(int){42});
  CHECK(H5Fclose(file) >= 0);
}

static void write_huge(const char *path) {
  hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT),
        packed = H5Pcreate(H5P_DATASET_CREATE);
  hsize_t size[] = {INT64_C(1) << 40, 64}, chunk[] = {1, 64}, one[] = {1, 64}, start[] = {0, 0};
  CHECK(H5Pset_chunk(packed, 2, chunk) >= 0);
  hid_t space = H5Screate_simple(2, size, NULL), memory = H5Screate_simple(2, one, NULL);
  hid_t id = H5Dcreate2(file, "points", H5T_IEEE_F64LE, space, H5P_DEFAULT, packed, H5P_DEFAULT);
  H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, one, NULL);
  double row[64] = {0};
  CHECK(H5Dwrite(id, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, row) >= 0 && H5Fclose(file) >= 0);
}

static void huge_shapes_are_refused(void **state) {
  (void)state;
  in_child(write_huge, in("huge.h5"));
  refused(in("huge.h5"), LAVDM_ERROR_DATA, "damaged");
}

static void damage_at_random(void **state) {
  (void)state;
  in_child(write_points, in("v.h5"));
  mutate(in("v.h5"), "points", 240);
  mutate(in("r73.mat"), "points", 60);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(h5_numbers_of_every_type),
      cmocka_unit_test(h5_what_is_there),
      cmocka_unit_test(results_come_back),
      cmocka_unit_test(libraries_read_results),
      cmocka_unit_test(the_same_items_give_the_same_bytes),
      cmocka_unit_test(truncations_are_refused),
      cmocka_unit_test(huge_shapes_are_refused),
      cmocka_unit_test(damage_at_random),
  };
  return cmocka_run_group_tests(tests, fill_result, remove_folder);
}
