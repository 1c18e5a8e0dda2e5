/*
 * A checkpoint of other data or options, a damaged one, or no checkpoint at all:
 * refused, and left as it is. One that cannot be written: a warning.
 */
#include "checkpoint_support.h"

/* The bytes of the file, and how many. */
static char *slurp(size_t *bytes) {
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  fseek(file, 0, SEEK_END);
  *bytes = (size_t)ftell(file);
  rewind(file);
  char *data = malloc(*bytes + 1);
  assert_non_null(data);
  assert_int_equal(fread(data, 1, *bytes, file), *bytes);
  fclose(file);
  return data;
}

static void spill(const char *data, size_t bytes) {
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(data, 1, bytes, file), bytes);
  assert_int_equal(fclose(file), 0);
}

/* Refused with these words, the file as it was. */
static void refused(const lavdm_data *data, lavdm_options o, const char *words) {
  size_t before, after;
  char *old = slurp(&before);
  lavdm_model *model = (lavdm_model *)&o;
  lavdm_error error;
  o.checkpoint = path;
  int status = lavdm_fit(data, &o, &model, &error);
  assert_true(status < 0);
  assert_null(model);
  assert_int_equal(error.status, status);
  if (!strstr(error.message, words)) fail_msg("'%s' does not say '%s'", error.message, words);
  char *new = slurp(&after);
  assert_int_equal(before, after);
  assert_memory_equal(old, new, before);
  free(old), free(new);
}

static void test_other_options(void **state) {
  (void)state;
  lavdm_data data = {.points = points, .n = N, .p = P};
  lavdm_options o = defaults(LAVDM_METHOD_LAVDM), other;
  assert_true(stopped(&data, o, "operator"));
  for (int i = 0; i < lavdm_option_count(); i++) {
    const lavdm_option *row = lavdm_option_at(i);
    static const char *const others[][2] = {{"method", "vdm"},
                                            {"bundle", "orientation"},
                                            {"pca", "2"},
                                            {"dim", "1"},
                                            {"landmarks", "30"},
                                            {"design", "random"},
                                            {"epsilon", "0.31"},
                                            {"alpha", "0.5"},
                                            {"beta", "0.25"},
                                            {"kernel", "ball"},
                                            {"cutoff", "2"},
                                            {"edges", "knn"},
                                            {"knn", "7"},
                                            {"hood", "radius"},
                                            {"components", "5"},
                                            {"tolerance", "1e-6"},
                                            {"seed", "2"},
                                            {"threads", "2"},
                                            {"precision", "single"},
                                            {"signals", "phase"},
                                            {"reflections", "yes"},
                                            {"noise", "0.5"},
                                            {"engine", "reference"},
                                            {"frame_knn", "7"},
                                            {"frames", "lowpass"},
                                            {"bandwidth", "local"},
                                            {"normalise", "sinkhorn"},
                                            {"metric", "cosine"}};
    const char *value = NULL;
    for (size_t k = 0; k < sizeof others / sizeof *others; k++)
      if (!strcmp(others[k][0], row->name)) value = others[k][1];
    assert_int_equal(value == NULL, !identity_counts(row->name));
    if (!value) continue;
    other = o;
    assert_int_equal(lavdm_option_set(&other, row->name, value, NULL), LAVDM_OK);
    char words[96];
    bool unfit = !strcmp(value, "local") || !strcmp(value, "sinkhorn") ||
                 !strcmp(value, "cosine"); /* for lavdm, whatever the file */
    snprintf(words, sizeof words, "%s %s ", row->name, unfit ? "is" : "was");
    refused(&data, other, strcmp(row->name, "method") ? words : "method was lavdm and is now vdm");
  }
  /* these change nothing that is saved */
  lavdm_model *whole = fit_or_fail(&data, &o);
  o.time = 3, o.delta = 0.1, o.max_memory = 1000000000, o.stream = LAVDM_STREAM_YES;
  finish(&data, o, whole, "degrees");
  lavdm_free(whole);
  unlink(path);
}

static void test_other_data(void **state) {
  (void)state;
  lavdm_data data = {.points = points, .n = N, .p = P}, other = data;
  lavdm_options o = defaults(LAVDM_METHOD_LAVDM);
  assert_true(stopped(&data, o, "operator"));
  double *copy = numbers(N * P);
  memcpy(copy, points, sizeof points);
  other.points = copy;
  copy[N * P - 1] += 1e-12;
  refused(&other, o, "other data");
  copy[N * P - 1] = points[N * P - 1];
  copy[0] = points[P], copy[P] = points[0]; /* the same numbers, elsewhere */
  refused(&other, o, "other data");
  other = data, other.n = N - 1;
  refused(&other, o, "points was 260 and is now 259");
  unlink(path);
  other = data, other.landmark_points = copy, other.landmark_count = 40;
  assert_true(stopped(&other, o, "operator"));
  copy[7] += 1e-9;
  refused(&other, o, "other data");
  unlink(path);
  int64_t row[] = {0, 1, 2, 3}, col[] = {1, 2, 3, 0};
  double weight[] = {1, 1, 1, 1}, sign[] = {1, 1, -1, 1};
  lavdm_edges edges = {.count = 4,
                       .row = row,
                       .col = col,
                       .weight = weight,
                       .element = sign,
                       .kind = LAVDM_ELEMENT_SIGN,
                       .q = 0};
  lavdm_data graph = {.edges = &edges};
  o = defaults(LAVDM_METHOD_VDM), o.components = 2, o.dim = LAVDM_AUTO, o.epsilon = LAVDM_AUTO;
  assert_true(stopped(&graph, o, "spectrum"));
  sign[1] = -1;
  refused(&graph, o, "other data");
  sign[1] = 1, weight[3] = 2;
  refused(&graph, o, "other data");
  weight[3] = 1, col[3] = 1;
  refused(&graph, o, "other data");
  unlink(path);
  free(copy);
}

/* Bytes changed here and there, a file cut short, and files of other kinds. */
static void test_damaged(void **state) {
  (void)state;
  lavdm_data data = {.points = points, .n = N, .p = P};
  lavdm_options o = defaults(LAVDM_METHOD_LAVDM);
  assert_true(stopped(&data, o, "spectrum"));
  size_t bytes;
  char *whole = slurp(&bytes);
  for (size_t k = 0; k < 40; k++) {
    size_t at = k * (bytes - 1) / 39;
    whole[at] ^= 0x20;
    spill(whole, bytes);
    refused(&data, o, path);
    whole[at] ^= 0x20;
  }
  for (size_t k = 0; k < 10; k++) {
    spill(whole, k * bytes / 10);
    refused(&data, o, path);
  }
  spill("not a checkpoint at all\n", 24);
  refused(&data, o, path);
  free(whole);
  int64_t one = 1;
  store_item item = {.name = "kind", .type = STORE_INTEGER, .rank = 0, .data = &one};
  assert_int_equal(store_write(path, &item, 1, NULL, NULL), LAVDM_OK);
  refused(&data, o, "not a checkpoint");
  unlink(path);
}

/* A file that is whole but lacks an item, or has one that is out of bounds. */
static void test_incomplete(void **state) {
  (void)state;
  lavdm_data data = {.points = points, .n = N, .p = P};
  lavdm_options o = defaults(LAVDM_METHOD_LAVDM);
  const char *stops[] = {"spectrum", "eigenvectors"};
  for (int s = 0; s < 2; s++) {
    assert_true(stopped(&data, o, stops[s]));
    store_t *store;
    assert_int_equal(store_open(path, &store, NULL), LAVDM_OK);
    int count = store_count(store);
    store_item *items = calloc((size_t)count, sizeof *items);
    assert_non_null(items);
    for (int skip = 0; skip < count; skip++) {
      const char *name = store_at(store, skip)->name;
      const char *spare = "|warnings|reasons|timing_stages|timings|memory_needed|kept|";
      char key[64];
      snprintf(key, sizeof key, "|%s|", name);
      if (strstr(spare, key)) continue;
      for (int i = 0; i < count; i++) items[i - (i > skip)] = *store_at(store, i);
      assert_int_equal(store_write(path, items, count - 1, NULL, NULL), LAVDM_OK);
      refused(&data, o, path);
      const store_item *full = store_at(store, skip);
      if (full->type != STORE_INTEGER || full->rank == 0) continue;
      int64_t *wrong = calloc((size_t)full->shape[0], sizeof *wrong);
      assert_non_null(wrong);
      memcpy(wrong, full->data, (size_t)full->shape[0] * sizeof *wrong);
      wrong[full->shape[0] / 2] = INT64_C(1) << 40;
      items[count - 1] = *full;
      items[count - 1].data = wrong;
      assert_int_equal(store_write(path, items, count, NULL, NULL), LAVDM_OK);
      refused(&data, o, path);
      free(wrong);
    }
    free(items);
    store_close(store);
    unlink(path);
  }
}

static void test_folder(void **state) {
  (void)state;
  lavdm_data data = {.points = points, .n = N, .p = P};
  lavdm_options o = defaults(LAVDM_METHOD_LAVDM);
  lavdm_model *model;
  lavdm_error error;
  const char *bad[] = {"", "no/such/folder/file.h5", folder};
  for (int i = 0; i < 3; i++) {
    o.checkpoint = bad[i];
    assert_true(lavdm_fit(&data, &o, &model, &error) < 0);
    assert_null(model);
    assert_non_null(strstr(error.message, i ? bad[i] : "checkpoint"));
  }
}

/* The folder goes away while the run is under way. */
static int remove_folder(const char *stage, double fraction, void *user) {
  (void)fraction;
  if (!strcmp(stage, "order")) rmdir(user);
  return 0;
}

static void test_save_fails(void **state) {
  (void)state;
  lavdm_data data = {.points = points, .n = N, .p = P};
  lavdm_options o = defaults(LAVDM_METHOD_LAVDM);
  lavdm_model *whole = fit_or_fail(&data, &o);
  char gone[96], file[128];
  snprintf(gone, sizeof gone, "%s/gone", folder);
  snprintf(file, sizeof file, "%s/run.h5", gone);
  assert_int_equal(mkdir(gone, 0777), 0);
  o.checkpoint = file;
  o.progress = remove_folder, o.progress_user = gone;
  lavdm_model *model = fit_or_fail(&data, &o);
  const lavdm_info_t *info = lavdm_info(model);
  assert_int_equal(info->warnings, lavdm_info(whole)->warnings + 1);
  assert_non_null(strstr(info->warning[0], "no checkpoint was saved after the stage"));
  assert_non_null(strstr(info->warning[0], file));
  lavdm_free(model);
  lavdm_free(whole);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(test_other_options, fresh), cmocka_unit_test_setup(test_other_data, fresh),
      cmocka_unit_test_setup(test_damaged, fresh),       cmocka_unit_test_setup(test_incomplete, fresh),
      cmocka_unit_test_setup(test_folder, fresh),        cmocka_unit_test_setup(test_save_fails, fresh),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
