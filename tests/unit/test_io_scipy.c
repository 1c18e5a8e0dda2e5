/* Sparse matrices by rows, by columns and by entries: the same matrix; and lists that lie. */
#include "io_support.h"
#include "io/formats.h"
#include "io/scipy.h"

enum { ROWS = 7, COLS = 5, ENTRIES = 40 };

static io_array whole_list(const int64_t *values, int64_t count) {
  io_array a = {0};
  assert_true(array_describe(&a, NULL, IO_INTEGER, 1, &count));
  assert_true(array_allocate(&a, "list", 0, NULL) >= 0);
  memcpy(a.data, values, (size_t)count * 8);
  return a;
}

static io_array real_list(const double *values, int64_t count) {
  io_array a = whole_list((const int64_t *)(const void *)values, count);
  a.type = IO_REAL;
  return a;
}

/* Entries at random, some places twice; the matrix that they add up to. */
typedef struct {
  int64_t row[ENTRIES], col[ENTRIES];
  double value[ENTRIES], dense[ROWS][COLS];
} entries_t;

static entries_t some(uint64_t seed) {
  entries_t e = {0};
  lavdm_random random;
  lavdm_random_start(&random, seed, 1);
  for (int i = 0; i < ENTRIES; i++) {
    e.row[i] = lavdm_random_below(&random, ROWS);
    e.col[i] = lavdm_random_below(&random, COLS);
    e.value[i] = (double)lavdm_random_below(&random, 100) - 50;
    e.dense[e.row[i]][e.col[i]] += e.value[i];
  }
  return e;
}

static void check(const io_sparse *s, const entries_t *e) {
  double dense[ROWS][COLS] = {0};
  assert_int_equal(s->rows, ROWS);
  assert_int_equal(s->cols, COLS);
  assert_int_equal(s->start[0], 0);
  assert_int_equal(s->start[ROWS], s->count);
  for (int64_t i = 0; i < ROWS; i++)
    for (int64_t k = s->start[i]; k < s->start[i + 1]; k++) {
      assert_true(k == s->start[i] || s->index[k] > s->index[k - 1]);
      dense[i][s->index[k]] = s->value[k];
    }
  assert_memory_equal(dense, e->dense, sizeof dense);
}

/* The entries in the order of their rows, or columns, and where each begins. */
static void compressed(const entries_t *e, const int64_t *major, int64_t count, const int64_t *minor,
                       int64_t *start, int64_t *index, double *value) {
  int64_t at = 0;
  for (int64_t i = 0; i < count; i++) {
    start[i] = at;
    for (int k = 0; k < ENTRIES; k++)
      if (major[k] == i) index[at] = minor[k], value[at++] = e->value[k];
  }
  start[count] = at;
}

static void every_format_is_the_same_matrix(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 20; seed++) {
    entries_t e = some(seed);
    int64_t start[ROWS + 1], index[ENTRIES];
    double value[ENTRIES];
    io_sparse s;
    lavdm_error error = {0};
    io_array v = real_list(e.value, ENTRIES), c = whole_list(e.col, ENTRIES), r = whole_list(e.row, ENTRIES);
    assert_int_equal(sparse_make("coo", "coo", ROWS, COLS, &v, &c, &r, &s, &error), LAVDM_OK);
    check(&s, &e);
    io_sparse_free(&s);

    compressed(&e, e.row, ROWS, e.col, start, index, value);
    v = real_list(value, ENTRIES), c = whole_list(index, ENTRIES), r = whole_list(start, ROWS + 1);
    assert_int_equal(sparse_make("csr", "csr", ROWS, COLS, &v, &c, &r, &s, &error), LAVDM_OK);
    check(&s, &e);
    io_sparse_free(&s);

    compressed(&e, e.col, COLS, e.row, start, index, value);
    v = real_list(value, ENTRIES), c = whole_list(index, ENTRIES), r = whole_list(start, COLS + 1);
    assert_int_equal(sparse_make("csc", "csc", ROWS, COLS, &v, &c, &r, &s, &error), LAVDM_OK);
    check(&s, &e);
    io_sparse_free(&s);
  }
}

/* One list of a matrix is not what it should be: the sentence names it. */
static void lies(const char *format, int64_t rows, int64_t cols, io_array v, io_array c, io_array r,
                 const char *word) {
  io_sparse s;
  lavdm_error error = {0};
  int status = sparse_make("x.npz", format, rows, cols, &v, &c, &r, &s, &error);
  assert_int_equal(status, LAVDM_ERROR_DATA);
  assert_non_null(strstr(error.message, "x.npz"));
  if (!strstr(error.message, word)) print_error("%s\n", error.message);
  assert_non_null(strstr(error.message, word));
  assert_null(s.start);
}

static void lists_that_lie(void **state) {
  (void)state;
  const double two[2] = {1, 2};
  const int64_t start[3] = {0, 1, 2}, falls[3] = {0, 2, 1}, late[3] = {1, 1, 2}, many[3] = {0, 1, 3};
  const int64_t at[2] = {0, 1}, beyond[2] = {0, 2}, before[2] = {-1, 0};
#define V real_list(two, 2)
#define I whole_list(at, 2)
#define S whole_list(start, 3)
  lies("csr", 2, 2, V, whole_list(beyond, 2), S, "'indices' is 2; they are numbered 0 to 1");
  lies("csr", 2, 2, V, whole_list(before, 2), S, "'indices' is -1");
  lies("csc", 2, 2, V, whole_list(beyond, 2), S, "'indices'");
  lies("csr", 2, 2, V, I, whole_list(falls, 3), "'indptr' falls at entry 3");
  lies("csr", 2, 2, V, I, whole_list(late, 3), "begins with 1");
  lies("csr", 2, 2, V, I, whole_list(many, 3), "counts 3 entries, and there are 2");
  lies("csr", 3, 2, V, I, S, "'indptr' has 3 entries");
  lies("csr", 2, 2, real_list(two, 1), I, S, "1 and 2 entries");
  lies("csr", 2, 2, V, V, S, "'indices' is not a list of whole numbers");
  lies("csr", -1, 2, V, I, S, "shape");
  lies("coo", 2, INT64_MAX, V, I, I, "shape");
  lies("coo", 2, 2, V, whole_list(beyond, 2), I, "'col'");
  lies("coo", 2, 2, V, I, whole_list(beyond, 2), "'row'");
  lies("coo", 2, 2, V, I, S, "'row' has 3 entries");
#undef V
#undef I
#undef S
}

/* A matrix of no entries, of no rows; zeros that are listed stay. */
static void small_ones(void **state) {
  (void)state;
  const int64_t none[1] = {0}, start[2] = {0, 1};
  const double zero[1] = {0};
  io_sparse s;
  lavdm_error error = {0};
  io_array v = real_list(zero, 0), c = whole_list(none, 0), r = whole_list(none, 1);
  assert_int_equal(sparse_make("x", "csr", 0, 3, &v, &c, &r, &s, &error), LAVDM_OK);
  assert_int_equal(s.count, 0);
  io_sparse_free(&s);
  v = real_list(zero, 1), c = whole_list(none, 1), r = whole_list(start, 2);
  assert_int_equal(sparse_make("x", "csr", 1, 3, &v, &c, &r, &s, &error), LAVDM_OK);
  assert_int_equal(s.count, 1);
  io_sparse_free(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_format_is_the_same_matrix),
      cmocka_unit_test(lists_that_lie),
      cmocka_unit_test(small_ones),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
