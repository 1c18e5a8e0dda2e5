/*
 * Every allocation of cli/io fails in turn: each must lead to the status of
 * memory and nothing left behind.
 */
#include "io_support.h"
#include "io/formats.h"
#include "io/mtx.h"
#include "io/picture.h"
#include "io/pose_formats.h"
#include "io/scipy.h"
#include "io/table.h"

#include <errno.h>
#include <sys/mman.h>

/* Allocations until one fails, counted across parent and child; -1: never. */
static int *until;

static bool fails(void) {
  if (!until || *until < 0 || (*until)-- > 0) return false;
  errno = ENOMEM;
  return true;
}

#include "memory_wrapped.h"

/* ------------------------------------------------------------------ cases */

static double real[60];
static const io_item items[] = {{"points", IO_REAL, 2, {20, 3}, real},
                                {"other", IO_REAL, 3, {5, 3, 4}, real},
                                {"text", IO_TEXT, 1, {0}, "h\xC3\xA9llo"},
                                {"scalar", IO_REAL, 0, {0}, real},
                                {"none", IO_REAL, 2, {0, 3}, real}};

static int write_old(const char *path) {
  bool one = strstr(path, ".npy") || strstr(path, ".csv") || strstr(path, ".mrc");
  return io_write(path, items, one ? 1 : 5, NULL);
}

static int write_new(const char *path) {
  output_file file;
  if (!strstr(path, "73")) return write_old(path);
  int status = output_begin(&file, path, NULL);
  return status < 0 ? status : output_end(&file, mat_write(&file, items, 5, 10));
}

static int read_one(const char *path) {
  io_array a;
  int status = io_read(path, &a, NULL);
  if (status >= 0) io_array_free(&a);
  return status;
}

static int read_every(const char *path) {
  io_array *all;
  int count, status = io_read_all(path, &all, &count, NULL);
  for (int i = 0; status >= 0 && i < count; i++) io_array_free(&all[i]);
  if (status >= 0) free(all);
  return status;
}

static int write_picture(const char *path) {
  const picture_t p = {20, 3, 1, 8, false, real};
  return picture_write(path, &p, NULL);
}

static int read_picture(const char *path) {
  picture_t p;
  int status = picture_read(path, &p, NULL);
  picture_free(&p);
  return status;
}

/* Tables and cells, with all that may be asked of them. */
static int read_table(const char *path) {
  io_table t = {0};
  io_texts texts = {0};
  int status = io_table_read(path, &t, NULL);
  if (status >= 0) status = io_table_texts(&t, 0, &texts, NULL);
  if (status >= 0 && io_texts_distinct(&texts) < 0) status = LAVDM_ERROR_MEMORY;
  io_texts_free(&texts);
  io_table_free(&t);
  return status;
}

static int read_cells(const char *path) {
  io_cells c = {0};
  int status = io_cells_read(path, "kind", "note", &c, NULL);
  if (status >= 0) status = io_cells_dense(path, &c, NULL);
  io_cells_free(&c);
  return status;
}

static int write_cells(const char *path) {
  const io_diffmap map = {.rows = 4, .rank = 2, .vectors = real, .values = real};
  char out[500];
  snprintf(out, sizeof out, "%s-out.h5ad", path);
  return io_cells_write(out, path, &map, NULL);
}

static int write_rows(const char *path) {
  char names[] = "one\ntwo", ids[] = "a\nb,\n\"c\"";
  const io_texts rows = {.count = 3, .bytes = sizeof ids - 1, .text = ids};
  const io_rows_table t = {.ids = &rows,
                           .labels = &rows,
                           .names = {.count = 2, .bytes = sizeof names - 1, .text = names},
                           .values = {"points", IO_REAL, 2, {3, 2}, real}};
  return io_write_rows(path, &t, NULL, NULL);
}

static int read_mtx(const char *path) {
  mtx_file m = {0};
  int status = mtx_read(path, &m, NULL);
  mtx_free(&m);
  return status;
}

static int read_scipy(const char *path) {
  io_sparse s = {0};
  int status = scipy_is(path, NULL);
  if (status >= 0) status = scipy_read(path, &s, NULL);
  io_sparse_free(&s);
  return status;
}

static int read_mat_sparse(const char *path) {
  io_sparse s = {0};
  int status = mat_read_sparse(path, "x", &s, NULL);
  io_sparse_free(&s);
  return status < 0 ? status : LAVDM_OK;
}

static pose_format poses_as;

static int read_poses(const char *path) {
  pose_graph graph;
  int status = poses_read(path, poses_as, 1, &graph, NULL);
  pose_graph_free(&graph);
  return status;
}

static int write_poses(const char *path) {
  const int64_t node[2] = {0, 1};
  const pose_result result = {3,    2,    node, (const double[]){1, 0, 0, 0, 0, 1, 0, 0}, real, 0,
                              NULL, NULL, NULL};
  return poses_write(path, poses_as, &result, NULL, NULL);
}

/* Fails allocation 0, 1, 2, ... of a call until it gets through. */
static void fail_each(int (*call)(const char *path), const char *path) {
  int n = 0, status;
  int64_t before = live_count();
  do {
    *until = n++;
    status = call(path);
    bool failed = *until < 0;
    *until = -1;
    assert_int_equal(live_count(), before);
    if (failed && status != LAVDM_ERROR_MEMORY) {
      /* giving back what is too much may fail without harm */
      if (status < 0) fail_msg("%s, allocation %d: status %d", path, n - 1, status);
      continue;
    }
    if (!failed && status != LAVDM_OK) fail_msg("%s: status %d", path, status);
    if (!failed) break;
  } while (n < 1000);
  assert_in_range(n, 2, 999);
  assert_int_equal(count_files(".lavdm-"), 0);
}

static int begin(void **state) {
  until = mmap(NULL, sizeof *until, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (until == MAP_FAILED) return -1;
  *until = -1;
  for (int i = 0; i < 60; i++) real[i] = i / 7.0;
  return make_folder(state);
}

static void every_allocation_may_fail(void **state) {
  (void)state;
  const char *const names[] = {"a.npy", "a.npz", "a.csv", "a.mat", "73.mat", "a.h5", "a.mrc"};
  for (int i = 0; i < 7; i++) {
    fail_each(write_new, in(names[i]));
    fail_each(read_one, in(names[i]));
    fail_each(read_every, in(names[i]));
  }
  static const char ply[] =
      "ply\nformat ascii 1.0\nelement vertex 1\nproperty int x\nproperty int y\nproperty int z\n"
      "end_header\n1 2 3\n",
                    obj[] = "v 1 2 3\nv 4 5 6\n";
  save(in("a.ply"), ply, strlen(ply));
  save(in("a.obj"), obj, strlen(obj));
  fail_each(read_one, in("a.ply"));
  fail_each(read_one, in("a.obj"));
  const char *const pictures[] = {"p.png", "p.tif", "p.pgm", "p.ppm", "p.npy"};
  for (int i = 0; i < 5; i++) {
    fail_each(write_picture, in(pictures[i]));
    fail_each(read_picture, in(pictures[i]));
    fail_each(read_one, in(pictures[i]));
  }
  fail_each(read_one, in("a.npz:other"));
  fail_each(read_one, in("a.mat:other"));
  fail_each(read_one, in("a.h5:other"));
}

/* Files of other programs, from the seeds of the fuzzer. */
static void readers_of_other_files(void **state) {
  (void)state;
  static const struct {
    const char *seed, *as;
    int (*call)(const char *path);
  } cases[] = {
      {"csv/pandas", "t.csv", read_table},  {"csv/packed", "t.csv.gz", read_table},
      {"csv/commas", "u.csv", read_one},    {"h5ad/dense", "c.h5ad", read_cells},
      {"h5ad/csr", "r.h5ad", read_cells},   {"h5ad/csc", "s.h5ad", read_cells},
      {"h5ad/csr", "w.h5ad", write_cells},  {"stl/text", "t.stl", read_one},
      {"stl/bytes", "b.stl", read_one},     {"off/coff", "t.off", read_one},
      {"xyz/molecule", "m.xyz", read_one},  {"xyz/columns", "g.asc", read_one},
      {"pcd/text", "t.pcd", read_one},      {"pcd/bytes", "b.pcd", read_one},
      {"pcd/packed", "p.pcd", read_one},    {"las/one_4", "l.las", read_one},
      {"mtx/symmetric", "s.mtx", read_mtx}, {"mtx/array", "a.mtx", read_mtx},
      {"scipy/csr", "r.npz", read_scipy},   {"scipy/csc", "c.npz", read_scipy},
      {"scipy/twice", "t.npz", read_scipy}, {"mat/sparse", "s.mat", read_mat_sparse},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char from[500];
    snprintf(from, sizeof from, TEST_SEEDS "/%s", cases[i].seed);
    bytes_t b = load(from);
    save(in(cases[i].as), b.data, b.size);
    drop(&b);
    fail_each(cases[i].call, in(cases[i].as));
  }
  fail_each(write_rows, in("rows.csv"));
  fail_each(write_rows, in("rows.tsv"));
}

/* The first byte of a seed says which format it is. */
static void files_of_poses(void **state) {
  (void)state;
  const char *const seeds[] = {"g2o-plane", "g2o-space",    "toro-plane",  "toro-space", "kitti-two",
                               "tum-two",   "colmap-pairs", "1dsfm-pairs", "bal-shared"};
  for (size_t i = 0; i < sizeof seeds / sizeof *seeds; i++) {
    char from[500], name[40];
    snprintf(from, sizeof from, TEST_SEEDS "/poses/%s", seeds[i]);
    bytes_t b = load(from);
    poses_as = (pose_format)(POSES_G2O + b.data[0]);
    snprintf(name, sizeof name, "%s.%s", seeds[i], i < 2 ? "g2o" : i < 4 ? "graph" : "txt");
    save(in(name), b.data + 1, b.size - 1);
    drop(&b);
    fail_each(read_poses, in(name));
    if (i < 8) fail_each(write_poses, in(i < 2 ? "out.g2o" : i < 4 ? "out.graph" : "out.txt"));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_allocation_may_fail),
                                     cmocka_unit_test(readers_of_other_files),
                                     cmocka_unit_test(files_of_poses)};
  return cmocka_run_group_tests(tests, begin, remove_folder);
}
