/*
 * Streaming: arrays in files and points read on demand give the same bits as
 * memory; readers that fail, disks that are missing, and the plan before the work.
 */
#include "oracle.h"

#include <dirent.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

/* Points, frames and eigenvectors of MANY points are large enough for files (4 MB). */
enum { FEW = 500, MANY = 45000, P = 12 };

/* A sphere, turned into R^P by fixed numbers. */
static double *points(int64_t n) {
  double *s = numbers(3 * n), *x = numbers(n * P);
  assert_int_equal(lavdm_sample("sphere", n, 2, NULL, 0, 7, s, NULL, NULL, NULL), 0);
  for (int64_t i = 0; i < n; i++)
    for (int64_t j = 0; j < P; j++)
      for (int64_t c = 0; c < 3; c++) x[i * P + j] += s[3 * i + c] * sin((double)(3 * j + c));
  free(s);
  return x;
}

static float *floats(const double *x, int64_t count) {
  float *y = calloc((size_t)count, sizeof *y);
  assert_non_null(y);
  for (int64_t i = 0; i < count; i++) y[i] = (float)x[i];
  return y;
}

/* A reader of rows in memory that fails at one call, if fail_at >= 0. */
typedef struct {
  const char *rows;
  size_t width;
  int64_t n, calls, fail_at;
  int status;
  atomic_int inside; /* calls under way */
} reader_t;

static int read_rows(void *user, int64_t first, int64_t count, void *rows) {
  reader_t *r = user;
  if (atomic_fetch_add(&r->inside, 1) || first < 0 || count < 1 || first + count > r->n) abort();
  int status = r->calls++ == r->fail_at ? r->status : 0;
  if (!status) memcpy(rows, r->rows + (size_t)first * r->width, (size_t)count * r->width);
  atomic_fetch_sub(&r->inside, 1);
  return status;
}

static reader_t reader(const void *rows, lavdm_type type, int64_t n) {
  size_t size = type == LAVDM_F32 ? sizeof(float) : sizeof(double);
  return (reader_t){.rows = rows, .width = P * size, .n = n, .fail_at = -1};
}

static lavdm_data read_from(reader_t *r, lavdm_type type) {
  return (lavdm_data){.n = r->n, .p = P, .type = type, .read = read_rows, .read_user = r};
}

static lavdm_options defaults(int method, int precision, int design, int stream) {
  lavdm_options o;
  lavdm_options_default(&o);
  o.method = (lavdm_method)method, o.precision = (lavdm_precision)precision;
  o.design = (lavdm_design)design, o.stream = (lavdm_stream)stream;
  o.landmarks = 60, o.components = 12, o.threads = 2;
  o.pca = 0, o.frames = LAVDM_FRAMES_LOCAL, o.frame_knn = 20,
  o.trust = LAVDM_TRUST_NO; /* what is for points in memory */
  if (method == LAVDM_METHOD_LAVDM || method == LAVDM_METHOD_VDM) o.dim = 2;
  return o;
}

static size_t bytes_of(const lavdm_array *a) {
  return (size_t)(a->shape[0] * a->shape[1] * a->shape[2]) *
         (a->type == LAVDM_F32 ? sizeof(float) : sizeof(double));
}

static void same_bits(const lavdm_model *a, const lavdm_model *b) {
  assert_int_equal(lavdm_array_count(a), lavdm_array_count(b));
  for (int i = 0; i < lavdm_array_count(a); i++) {
    const lavdm_array *x = lavdm_array_at(a, i), *y = lavdm_get(b, x->name);
    assert_non_null(y);
    assert_int_equal(x->type, y->type);
    assert_memory_equal(x->shape, y->shape, sizeof x->shape);
    assert_memory_equal(x->data, y->data, bytes_of(x));
  }
}

/* ------------------------------------------------------- the same as memory */

static void test_few(void **state) {
  (void)state;
  double *x = points(FEW);
  lavdm_data data = {.points = x, .n = FEW, .p = P};
  for (int precision = 0; precision < 2; precision++)
    for (int method = LAVDM_METHOD_ROSELAND; method <= LAVDM_METHOD_LAVDM; method++)
      for (int design = LAVDM_DESIGN_KMEANS; design <= LAVDM_DESIGN_RANDOM; design++) {
        lavdm_options no = defaults(method, precision, design, LAVDM_STREAM_NO);
        lavdm_options yes = defaults(method, precision, design, LAVDM_STREAM_YES);
        lavdm_model *a = fit_or_fail(&data, &no), *b = fit_or_fail(&data, &yes);
        assert_int_equal(lavdm_info(a)->streamed, 0);
        assert_int_equal(lavdm_info(b)->streamed, 1);
        assert_int_equal(lavdm_get(a, "eigenvectors")->type, precision ? LAVDM_F32 : LAVDM_F64);
        same_bits(a, b);
        lavdm_free(a), lavdm_free(b);
      }
  free(x);
}

/* Points of either type by a reader, streamed or not, against the same in memory. */
static void test_readers(void **state) {
  (void)state;
  double *x = points(FEW);
  float *y = floats(x, FEW * P);
  int64_t index[] = {3, 77, 499, 0, 250, 100};
  for (int type = LAVDM_F64; type <= LAVDM_F32; type++)
    for (int precision = 0; precision < 2; precision++)
      for (int given = 0; given < 2; given++) {
        const void *rows = type == LAVDM_F32 ? (const void *)y : x;
        lavdm_data memory = {.points = rows, .n = FEW, .p = P, .type = (lavdm_type)type};
        reader_t r = reader(rows, (lavdm_type)type, FEW);
        lavdm_data demand = read_from(&r, (lavdm_type)type);
        lavdm_options o = defaults(LAVDM_METHOD_LAVDM, precision, LAVDM_DESIGN_KMEANS, LAVDM_STREAM_NO);
        if (given) {
          memory.landmark_index = demand.landmark_index = index;
          memory.landmark_count = demand.landmark_count = 6;
          o.landmarks = LAVDM_AUTO, o.components = 6;
        }
        lavdm_model *a = fit_or_fail(&memory, &o), *b = fit_or_fail(&demand, &o);
        same_bits(a, b);
        lavdm_free(b);
        o.stream = LAVDM_STREAM_YES;
        b = fit_or_fail(&demand, &o);
        same_bits(a, b);
        assert_true(r.calls > 0);
        lavdm_free(a), lavdm_free(b);
      }
  free(x), free(y);
}

static int files_in(const char *folder) {
  DIR *d = opendir(folder);
  int count = 0;
  assert_non_null(d);
  for (struct dirent *e; (e = readdir(d));) count += e->d_name[0] != '.';
  closedir(d);
  return count;
}

/* Several parts, arrays in files that no one sees, and so little memory that they are
 * trimmed all the time. */
static void test_many(void **state) {
  (void)state;
  double *x = points(MANY);
  char folder[] = "stream-XXXXXX", before[4096] = "";
  if (getenv("TMPDIR")) snprintf(before, sizeof before, "%s", getenv("TMPDIR"));
  assert_non_null(mkdtemp(folder));
  setenv("TMPDIR", folder, 1);
  for (int c = 0; c < 4; c++) {
    int method = c < 2 ? LAVDM_METHOD_LAVDM : LAVDM_METHOD_ROSELAND;
    int design = c < 2 ? LAVDM_DESIGN_RANDOM : c == 2 ? LAVDM_DESIGN_KMEANS : LAVDM_DESIGN_FARTHEST;
    lavdm_options o = defaults(method, c % 2, design, LAVDM_STREAM_NO);
    lavdm_data memory = {.points = x, .n = MANY, .p = P};
    lavdm_model *a = fit_or_fail(&memory, &o);
    reader_t r = reader(x, LAVDM_F64, MANY);
    lavdm_data demand = read_from(&r, LAVDM_F64);
    o.stream = LAVDM_STREAM_YES, o.max_memory = 110000000;
    lavdm_model *b = fit_or_fail(c % 2 ? &demand : &memory, &o);
    same_bits(a, b);
    lavdm_trim(b), lavdm_trim(a);
    same_bits(a, b);
    assert_int_equal(files_in(folder), 0);
    lavdm_free(a), lavdm_free(b);
  }
  if (*before)
    setenv("TMPDIR", before, 1);
  else
    unsetenv("TMPDIR");
  rmdir(folder);
  free(x);
}

/* ------------------------------------------------------------ what fails */

static void test_failing_reader(void **state) {
  (void)state;
  double *x = points(FEW);
  for (int threads = 1; threads <= 2; threads++)
    for (int precision = 0; precision < 2; precision++) {
      reader_t r = reader(x, LAVDM_F64, FEW);
      lavdm_data data = read_from(&r, LAVDM_F64);
      lavdm_options o = defaults(LAVDM_METHOD_LAVDM, precision, LAVDM_DESIGN_RANDOM, LAVDM_STREAM_YES);
      o.threads = threads;
      lavdm_free(fit_or_fail(&data, &o));
      int64_t all = r.calls;
      for (int64_t part = 0; part <= 9; part++) { /* the first call, the last, and some between */
        int64_t k = (all - 1) * part / 9;
        lavdm_model *model = (lavdm_model *)&data;
        lavdm_error error;
        r.calls = 0, r.fail_at = k, r.status = k % 2 ? LAVDM_ERROR_DATA : -42;
        assert_int_equal(lavdm_fit(&data, &o, &model, &error), r.status);
        assert_null(model);
        assert_int_equal(error.status, r.status);
        assert_true(strlen(error.message) > 0);
      }
    }
  free(x);
}

static void test_bad_value(void **state) {
  (void)state;
  double *x = points(FEW);
  x[123 * P + 4] = NAN, x[400 * P] = INFINITY;
  float *y = floats(x, FEW * P);
  for (int type = LAVDM_F64; type <= LAVDM_F32; type++) {
    reader_t r = reader(type == LAVDM_F32 ? (const void *)y : x, (lavdm_type)type, FEW);
    lavdm_data data = read_from(&r, (lavdm_type)type);
    lavdm_options o = defaults(LAVDM_METHOD_LAVDM, 0, LAVDM_DESIGN_KMEANS, LAVDM_STREAM_AUTO);
    lavdm_model *model;
    lavdm_error error;
    assert_int_equal(lavdm_fit(&data, &o, &model, &error), LAVDM_ERROR_DATA);
    assert_null(model);
    assert_non_null(strstr(error.message, "row 124, column 5 is"));
  }
  free(x), free(y);
}

static void test_refused(void **state) {
  (void)state;
  double *x = points(FEW);
  reader_t r = reader(x, LAVDM_F64, FEW);
  for (int method = LAVDM_METHOD_DM; method <= LAVDM_METHOD_VDM; method++)
    for (int demand = 0; demand < 2; demand++) {
      lavdm_data data = {.points = x, .n = FEW, .p = P};
      if (demand) data = read_from(&r, LAVDM_F64);
      lavdm_options o = defaults(method, 0, LAVDM_DESIGN_KMEANS, demand ? LAVDM_STREAM_NO : LAVDM_STREAM_YES);
      lavdm_model *model;
      lavdm_plan_t plan = {0};
      lavdm_error error;
      assert_int_equal(lavdm_fit(&data, &o, &model, &error), LAVDM_ERROR_ARGUMENT);
      assert_null(model);
      assert_non_null(strstr(error.message, "landmarks"));
      assert_int_equal(lavdm_plan(&data, &o, &plan, &error), LAVDM_ERROR_ARGUMENT);
    }
  assert_int_equal(r.calls, 0);
  free(x);
}

static void test_missing_folder(void **state) {
  (void)state;
  double *x = points(FEW);
  char before[4096] = "";
  if (getenv("TMPDIR")) snprintf(before, sizeof before, "%s", getenv("TMPDIR"));
  setenv("TMPDIR", "/missing/folder", 1);
  lavdm_data data = {.points = x, .n = FEW, .p = P};
  lavdm_options o = defaults(LAVDM_METHOD_LAVDM, 0, LAVDM_DESIGN_KMEANS, LAVDM_STREAM_YES);
  lavdm_model *model;
  lavdm_error error;
  assert_int_equal(lavdm_fit(&data, &o, &model, &error), LAVDM_ERROR_MEMORY);
  assert_null(model);
  assert_non_null(strstr(error.message, "/missing/folder"));
  assert_non_null(strstr(error.message, "TMPDIR"));
  o.stream = LAVDM_STREAM_NO;
  lavdm_free(fit_or_fail(&data, &o));
  if (*before)
    setenv("TMPDIR", before, 1);
  else
    unsetenv("TMPDIR");
  free(x);
}

/* --------------------------------------------------------------- the plan */

static int never(void *user, int64_t first, int64_t count, void *rows) {
  (void)user, (void)first, (void)count, (void)rows;
  return -99;
}

static lavdm_plan_t plan_of(int64_t n, const lavdm_options *o) {
  lavdm_data data = {.n = n, .p = P, .read = never};
  lavdm_plan_t plan = {0};
  lavdm_error error;
  assert_int_equal(lavdm_plan(&data, o, &plan, &error), 0);
  return plan;
}

static void test_plan(void **state) {
  (void)state;
  for (int precision = 0; precision < 2; precision++) {
    lavdm_options no = defaults(LAVDM_METHOD_LAVDM, precision, 0, LAVDM_STREAM_NO), some = no;
    some.stream = LAVDM_STREAM_AUTO;
    int64_t before = 0;
    for (int64_t n = 1000; n <= 100000000; n *= 10) {
      lavdm_plan_t plan = plan_of(n, &no);
      assert_true(plan.memory > before);
      assert_int_equal(plan.stream, 0);
      assert_int_equal(plan.disk, 0);
      before = plan.memory;
    }
    int64_t need = plan_of(1000000, &no).memory;
    some.max_memory = need + 1;
    assert_int_equal(plan_of(1000000, &some).stream, 0);
    some.max_memory = need - 1;
    lavdm_plan_t small = plan_of(1000000, &some);
    assert_int_equal(small.stream, 1);
    assert_true(small.memory > 0 && small.memory < need);
    assert_true(small.disk > 0);
    some.stream = LAVDM_STREAM_YES, some.max_memory = LAVDM_AUTO;
    assert_int_equal(plan_of(1000, &some).stream, 1);
  }
  lavdm_options single = defaults(LAVDM_METHOD_LAVDM, 1, 0, LAVDM_STREAM_NO), twice = single;
  twice.precision = LAVDM_PRECISION_DOUBLE;
  assert_true(plan_of(10000000, &single).memory < plan_of(10000000, &twice).memory);
}

/* More than any disk holds is refused before the work. */
static void test_full_disk(void **state) {
  (void)state;
  lavdm_options o = defaults(LAVDM_METHOD_LAVDM, 0, 0, LAVDM_STREAM_YES);
  lavdm_data data = {.n = (int64_t)1 << 50, .p = P, .read = never};
  lavdm_plan_t plan = {0};
  lavdm_error error;
  assert_int_equal(lavdm_plan(&data, &o, &plan, &error), LAVDM_ERROR_MEMORY);
  assert_non_null(strstr(error.message, "TMPDIR"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_few),
      cmocka_unit_test(test_readers),
      cmocka_unit_test(test_many),
      cmocka_unit_test(test_refused),
      cmocka_unit_test(test_failing_reader),
      cmocka_unit_test(test_bad_value),
      cmocka_unit_test(test_missing_folder),
      cmocka_unit_test(test_plan),
      cmocka_unit_test(test_full_disk),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
