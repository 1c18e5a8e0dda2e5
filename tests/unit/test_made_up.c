/* Files made up of a model's items under right checksums: what cannot be a model is refused. */
#include "model/trust.h"

#include "save_support.h"

static void refuse_model(const char *path, const char *words) {
  lavdm_model *model = (lavdm_model *)(uintptr_t)path;
  lavdm_error error;
  int status = lavdm_load(path, &model, &error);
  if (!strstr(error.message, words)) fail_msg("'%s' does not say '%s'", error.message, words);
  assert_int_equal(status, LAVDM_ERROR_FILE);
  assert_int_equal(error.status, LAVDM_ERROR_FILE);
  assert_null(model);
  assert_int_equal(lavdm_load(path, &model, NULL), LAVDM_ERROR_FILE);
}

/* A model's items, to be changed and written again under right checksums. */
typedef struct {
  store_t *store;
  store_item item[200];
  int count;
} made_up;

static made_up start(const char *path) {
  made_up m = {0};
  assert_int_equal(store_open(path, &m.store, NULL), LAVDM_OK);
  m.count = store_count(m.store);
  assert_in_range(m.count, 1, 199);
  for (int i = 0; i < m.count; i++) m.item[i] = *store_at(m.store, i);
  return m;
}

static store_item *item_of(made_up *m, const char *name) {
  for (int i = 0; i < m->count; i++)
    if (!strcmp(m->item[i].name, name)) return &m->item[i];
  m->item[m->count] = (store_item){.name = name};
  return &m->item[m->count++];
}

static const char *finish(made_up *m) {
  lavdm_error error;
  if (store_write(in("made-up.h5"), m->item, m->count, NULL, &error)) fail_msg("%s", error.message);
  store_close(m->store);
  return in("made-up.h5");
}

static void refuse_item(const char *from, store_item item, const char *words) {
  made_up m = start(from);
  *item_of(&m, item.name) = item;
  refuse_model(finish(&m), words);
}

static void refuse_text(const char *name, const char *text, const char *words) {
  refuse_item(in("whole.h5"), (store_item){name, STORE_TEXT, 1, {0}, text}, words);
}

static void refuse_number(const char *name, int64_t value, const char *words) {
  refuse_item(in("whole.h5"), (store_item){name, STORE_INTEGER, 0, {0}, &value}, words);
}

static void refuse_without(const char *from, const char *name, const char *words) {
  made_up m = start(from);
  *item_of(&m, name) = m.item[m.count - 1];
  m.count--;
  refuse_model(finish(&m), words);
}

static void versions(void **state) {
  (void)state;
  made_up m = start(in("whole.h5"));
  static const double more[24] = {7};
  *item_of(&m, "format_version") = (store_item){"format_version", STORE_TEXT, 1, {0}, "1.7"};
  *item_of(&m, "option_of_tomorrow") = (store_item){"option_of_tomorrow", STORE_TEXT, 1, {0}, "yes"};
  *item_of(&m, "array_of_tomorrow") = (store_item){"array_of_tomorrow", STORE_REAL, 3, {2, 3, 4}, more};
  *item_of(&m, "too_deep") = (store_item){"too_deep", STORE_REAL, 4, {2, 3, 4, 1}, more};
  lavdm_model *back = open_model(finish(&m));
  const lavdm_array *a = lavdm_get(back, "array_of_tomorrow");
  assert_non_null(a);
  assert_int_equal(a->shape[2], 4);
  assert_true(*(const double *)a->data == 7);
  assert_null(lavdm_get(back, "too_deep"));
  keep(back, in("again.h5"), 0);
  lavdm_free(back);
  back = open_model(in("again.h5"));
  assert_non_null(lavdm_get(back, "array_of_tomorrow"));
  lavdm_free(back);
  refuse_text("format_version", "2.0", "newer lavdm");
  refuse_text("format_version", "1", "format_version");
  refuse_text("format_version", "1.0x", "format_version");
  refuse_text("format_version", "0.9", "format_version");
  refuse_text("format_version", "", "format_version");
  refuse_text("format_version", "1.-2", "format_version");
  refuse_text("format", "lavdm sample", "not a lavdm model");
  const store_item item = {"points", STORE_REAL, 1, {24}, more};
  assert_int_equal(store_write(in("sample.h5"), &item, 1, NULL, NULL), LAVDM_OK);
  refuse_model(in("sample.h5"), "is HDF5 but not a lavdm model");
  refuse_model(in("nowhere.h5"), "no such file");
}

static void many_more_arrays(void **state) {
  (void)state;
  static char name[100][16];
  static const double zero;
  made_up m = start(in("whole.h5"));
  for (int i = 0; i < 100; i++) {
    snprintf(name[i], sizeof name[i], "a%d", i);
    *item_of(&m, name[i]) = (store_item){name[i], STORE_REAL, 1, {1}, &zero};
  }
  lavdm_model *back = open_model(finish(&m)), *whole = open_model(in("whole.h5"));
  assert_int_equal(lavdm_array_count(back), MAX_ARRAYS);
  same_results(whole, back);
  lavdm_free(back), lavdm_free(whole);
}

static void impossible_numbers(void **state) {
  (void)state;
  const int64_t odd[] = {-1, INT64_MIN, INT64_MAX, 1 << 20};
  const char *const sizes[] = {"n", "p", "m", "q"};
  for (int i = 0; i < 4; i++)
    for (int k = 0; k < 4; k++) refuse_number(sizes[k], odd[i], "cannot be used");
  refuse_number("n", 0, "'n'");
  refuse_number("n", N - 1, "cannot be used");
  refuse_number("isolated", N + 1, "isolated");
  refuse_number("isolated", 0, "isolated_points");
  refuse_number("graph_components", 1, "graph_component");
  refuse_number("graph_components", N + 1, "graph_components");
  refuse_number("streamed", 2, "streamed");
  refuse_number("compact", 1, "compact"); /* with all that the points got */
  refuse_item(in("whole.h5"), (store_item){"radius", STORE_REAL, 0, {0}, &(double){NAN}}, "radius");
  refuse_item(in("whole.h5"), (store_item){"radius", STORE_INTEGER, 0, {0}, &(int64_t){0}}, "radius");
  refuse_item(in("dm.h5"), (store_item){"m", STORE_INTEGER, 0, {0}, &(int64_t){5}}, "'m'");
  const char *const every[] = {"n", "edges", "fit_seconds", "compact", "format", "format_version"};
  for (int i = 0; i < 6; i++) refuse_without(in("whole.h5"), every[i], "");
}

static void impossible_options(void **state) {
  (void)state;
  refuse_text("option_epsilon", "-3", "option_epsilon");
  refuse_text("option_epsilon", "nan", "option_epsilon");
  refuse_text("option_epsilon", "auto", "epsilon");
  refuse_text("option_cutoff", "auto", "cutoff");
  refuse_text("option_alpha", "auto", "alpha");
  refuse_text("option_beta", "auto", "beta");
  refuse_text("option_components", "auto", "components");
  refuse_text("option_components", "6", "cannot be used");
  refuse_text("option_components", "100000", "components");
  refuse_text("option_bundle", "auto", "bundle");
  refuse_text("option_bundle", "orientation", "cannot be used");
  refuse_text("option_method", "dm", "cannot be used");
  refuse_text("option_method", "tsne", "option_method");
  refuse_text("option_dim", "3", "cannot be used");
  refuse_text("option_dim", "auto", "option_dim");
  refuse_text("option_dim", "4", "option_dim");
  refuse_text("option_threads", "0", "option_threads");
  refuse_text("option_threads", "100000", "option_threads");
  static char text[5000];
  memset(text, '1', sizeof text - 1);
  refuse_text("option_seed", text, "option_seed");
  made_up m = start(in("whole.h5"));
  *item_of(&m, "option_threads") = (store_item){"option_threads", STORE_TEXT, 1, {0}, "4096"};
  lavdm_model *back = open_model(finish(&m)), *whole = open_model(in("whole.h5"));
  assert_in_range(lavdm_info(back)->chosen->threads, 1, 256);
  lavdm_free(back), lavdm_free(whole);
}

static void wrong_shapes(void **state) {
  (void)state;
  static const double zero[N * 100];
  static const float small[N * 100];
  static const int64_t whole[N * 100];
  lavdm_model *model = open_model(in("whole.h5"));
  for (int i = 0; i < lavdm_array_count(model); i++) {
    const lavdm_array *a = lavdm_array_at(model, i);
    bool integer = a->type == LAVDM_I64;
    const void *data = integer ? (const void *)whole : zero;
    store_item item = {a->name, integer ? STORE_INTEGER : STORE_REAL, a->rank, {0}, data};
    memcpy(item.shape, a->shape, sizeof a->shape);
    for (int k = 0; k < a->rank; k++)
      for (int by = -1; by <= 1; by += 2) {
        store_item other = item;
        other.shape[k] += by;
        refuse_item(in("whole.h5"), other, a->name);
        other.shape[k] = 0;
        refuse_item(in("whole.h5"), other, a->name);
      }
    store_item other = item;
    other.shape[other.rank++] = 1;
    refuse_item(in("whole.h5"), other, a->name);
    other = item, other.type = integer ? STORE_REAL : STORE_INTEGER;
    refuse_item(in("whole.h5"), other, a->name);
  }
  lavdm_free(model);
  const char *const needed[] = {"eigenvalues", "residuals", "eigenvectors",   "degrees",
                                "frames",      "landmarks", "landmark_frames"};
  for (int i = 0; i < 7; i++) refuse_without(in("whole.h5"), needed[i], needed[i]);
  refuse_without(in("compact.h5"), "landmarks", "landmarks");
  /* arrays that a model may have besides, of the wrong shape or type */
  const store_item others[] = {
      {"points", STORE_REAL, 2, {N, 4}, zero},
      {"points", STORE_INTEGER, 2, {N, 3}, whole},
      {"centre", STORE_REAL, 1, {2}, zero},
      {"centre", STORE_SINGLE, 1, {3}, small},
      {"far_points", STORE_REAL, 2, {5, 2}, zero},
      {"landmark_vectors", STORE_REAL, 3, {40, 2, 4}, zero},
      {"landmark_scale", STORE_REAL, 1, {39}, zero},
      {"landmark_mass", STORE_SINGLE, 1, {40}, small},
      {"landmark_inflow", STORE_REAL, 1, {41}, zero},
      {"densities", STORE_REAL, 1, {N + 1}, zero},
      {"nodes", STORE_REAL, 1, {N}, zero},
      {"landmark_nodes", STORE_INTEGER, 1, {N}, whole},
      {"pca_basis", STORE_REAL, 2, {9, 2}, zero},
  };
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    refuse_item(in("whole.h5"), others[i], others[i].name);
  made_up m = start(in("whole.h5"));
  *item_of(&m, "pca_basis") = (store_item){"pca_basis", STORE_REAL, 2, {9, 3}, zero};
  *item_of(&m, "pca_mean") = (store_item){"pca_mean", STORE_REAL, 1, {8}, zero};
  refuse_model(finish(&m), "pca_mean");
  refuse_item(in("whole.h5"), (store_item){"pca_basis", STORE_REAL, 2, {9, 3}, zero}, "no 'pca_mean'");
  refuse_item(in("whole.h5"), (store_item){"pca_mean", STORE_REAL, 1, {9}, zero}, "no 'pca_basis'");
  m = start(in("whole.h5"));
  *item_of(&m, "pca_basis") = (store_item){"pca_basis", STORE_REAL, 2, {2, 3}, zero};
  *item_of(&m, "pca_mean") = (store_item){"pca_mean", STORE_REAL, 1, {2}, zero};
  refuse_model(finish(&m), "more columns than rows");
}

/* The array of a model with one value changed. */
static void refuse_value(const char *name, int64_t at, double value, const char *words) {
  made_up m = start(in("whole.h5"));
  store_item *item = item_of(&m, name);
  void *data = (void *)(uintptr_t)item->data; /* a private mapping */
  if (item->type == STORE_INTEGER)
    ((int64_t *)data)[at] = (int64_t)value;
  else
    ((double *)data)[at] = value;
  refuse_model(finish(&m), words);
}

static void wrong_values(void **state) {
  (void)state;
  refuse_value("landmark_index", 3, N, "landmark_index");
  refuse_value("landmark_index", 0, -1, "landmark_index");
  refuse_value("graph_component", 5, -2, "graph_component");
  refuse_value("graph_component", 5, 2, "graph_component");
  refuse_value("isolated_points", 0, N, "isolated_points");
  refuse_value("isolated_points", 0, -1, "isolated_points");
  const double no_points = 17;
  refuse_item(in("whole.h5"), (store_item){"isolated_points", STORE_REAL, 1, {1}, &no_points},
              "isolated_points");
  const int64_t twice[] = {17, 17};
  made_up m = start(in("whole.h5"));
  *item_of(&m, "isolated") = (store_item){"isolated", STORE_INTEGER, 0, {0}, &(int64_t){2}};
  *item_of(&m, "isolated_points") = (store_item){"isolated_points", STORE_INTEGER, 1, {2}, twice};
  refuse_model(finish(&m), "isolated_points");
  const char *const real[] = {"eigenvalues", "eigenvectors", "degrees",
                              "frames",      "landmarks",    "landmark_frames"};
  for (int i = 0; i < 6; i++) {
    refuse_value(real[i], 2, NAN, real[i]);
    refuse_value(real[i], 4, -INFINITY, real[i]);
  }
}

/* A table of trust of two groups: 0 to 2 and 2 to 5. */
typedef struct {
  int64_t first[3];
  double table[TRUST_COLUMNS * 2], facts[TRUST_FACTS];
} trust_t;

static const trust_t believable = {
    {0, 2, 5}, {[TRUST_RATIO * 2 + 1] = 0.75}, {[FACT_SAMPLE] = 50, [FACT_NOISE] = 0.5}};

static made_up with_trust(const trust_t *t) {
  made_up m = start(in("whole.h5"));
  *item_of(&m, "trust_groups") = (store_item){"trust_groups", STORE_INTEGER, 1, {3}, t->first};
  *item_of(&m, "trust_table") = (store_item){"trust_table", STORE_REAL, 2, {TRUST_COLUMNS, 2}, t->table};
  *item_of(&m, "trust_facts") = (store_item){"trust_facts", STORE_REAL, 1, {TRUST_FACTS}, t->facts};
  return m;
}

static void refuse_groups(int64_t a, int64_t b, int64_t c) {
  trust_t t = believable;
  t.first[0] = a, t.first[1] = b, t.first[2] = c;
  made_up m = with_trust(&t);
  refuse_model(finish(&m), a < 0 ? "trust_groups" : "trust_table");
}

static void impossible_trust(void **state) {
  (void)state;
  made_up m = with_trust(&believable);
  lavdm_model *back = open_model(finish(&m));
  const lavdm_trust_t *t = lavdm_info(back)->trust;
  assert_non_null(t);
  assert_int_equal(t->groups, 2);
  assert_int_equal(t->sample, 50);
  assert_true(t->first[1] == 2 && t->ratio[1] == 0.75 && t->noise == 0.5);
  lavdm_free(back);
  refuse_groups(0, 2, 2);
  refuse_groups(1, 2, 5);
  refuse_groups(0, 2, 6); /* of five eigenvalues */
  refuse_groups(-1, 2, 5);
  const int whole[] = {FACT_SAMPLE, FACT_LANDMARKS,  FACT_UNIT,        FACT_REPRODUCED,
                       FACT_ROWS,   FACT_NEIGHBOURS, FACT_SHORTCUT_ROW};
  const double odd[] = {0.5, -2, 1e300, NAN};
  for (int i = 0; i < 7; i++)
    for (int k = 0; k < 4; k++) {
      trust_t other = believable;
      other.facts[whole[i]] = odd[k];
      m = with_trust(&other);
      refuse_model(finish(&m), "trust_table");
    }
  const char *const names[] = {"trust_groups", "trust_table", "trust_facts"};
  const store_item less[] = {{"trust_groups", STORE_INTEGER, 1, {1}, believable.first},
                             {"trust_table", STORE_REAL, 2, {TRUST_COLUMNS - 1, 2}, believable.table},
                             {"trust_table", STORE_REAL, 2, {TRUST_COLUMNS, 1}, believable.table},
                             {"trust_facts", STORE_REAL, 1, {TRUST_FACTS - 1}, believable.facts}};
  for (int i = 0; i < 4; i++) {
    m = with_trust(&believable);
    *item_of(&m, less[i].name) = less[i];
    refuse_model(finish(&m), "trust_table");
  }
  for (int i = 0; i < 3; i++) { /* one of them is missing */
    m = with_trust(&believable);
    *item_of(&m, names[i]) = m.item[m.count - 1];
    m.count--;
    refuse_model(finish(&m), "trust_table");
  }
}

/* Lines beyond those there is room for are left out; a time that is none, too. */
static void many_lines(void **state) {
  (void)state;
  enum { LINES = 200 };
  static char text[3][LINES * 16];
  for (int i = 0; i < LINES; i++)
    for (int k = 0; k < 3; k++)
      snprintf(text[k] + strlen(text[k]), 16, i % 50 ? "stage%d %d\n" : "stage%d -%d\n", i, i);
  const char *const names[] = {"warnings", "reasons", "timings"};
  made_up m = start(in("whole.h5"));
  for (int k = 0; k < 3; k++) *item_of(&m, names[k]) = (store_item){names[k], STORE_TEXT, 1, {0}, text[k]};
  lavdm_model *back = open_model(finish(&m));
  const lavdm_info_t *info = lavdm_info(back);
  assert_int_equal(info->warnings, MAX_WARNINGS);
  assert_int_equal(info->reasons, MAX_REASONS);
  assert_string_equal(info->warning[1], "stage1 1");
  assert_string_equal(info->reason[2], "stage2 2");
  assert_int_equal(info->timings, MAX_TIMINGS);
  for (int i = 0; i < info->timings; i++) assert_true(info->timing[i].seconds >= 0);
  assert_true(info->timing[1].seconds == 1);
  lavdm_free(back);
}

/* An extension has eigenvectors and no landmarks: it opens, and cannot be extended again. */
static void extensions(void **state) {
  (void)state;
  double *x = points(3);
  x[7] += 100;
  lavdm_data data = {.points = x, .n = N, .p = 3};
  lavdm_model *model = open_model(in("whole.h5")), *extension, *again;
  lavdm_error error;
  assert_int_equal(lavdm_extend(model, &data, NULL, NULL, &extension, &error), LAVDM_WARNING);
  keep(extension, in("extension.h5"), 0);
  lavdm_model *back = open_model(in("extension.h5"));
  const double *u = lavdm_get(extension, "eigenvectors")->data, *v = lavdm_get(back, "eigenvectors")->data;
  assert_memory_equal(u, v, (size_t)(N * 2 * 5) * sizeof *u);
  assert_true(isnan(v[2 * 10]));
  assert_int_equal(lavdm_info(back)->isolated_index[0], 2);
  assert_int_equal(lavdm_extend(back, &data, NULL, NULL, &again, &error), LAVDM_ERROR_ARGUMENT);
  lavdm_free(back), lavdm_free(extension), lavdm_free(model);
  free(x);
}

/* Values that are possible, but pass all bounds when they are used. */
static void values_that_overflow(void **state) {
  (void)state;
  made_up m = start(in("whole.h5"));
  double *u = (double *)(uintptr_t)item_of(&m, "eigenvectors")->data;
  for (int i = 0; i < 50; i++) u[i] = 1e300;
  lavdm_model *back = open_model(finish(&m));
  int64_t i[3 * N];
  double d[3 * N];
  lavdm_error error;
  assert_int_equal(lavdm_neighbours(back, 1, 3, NULL, 0, 3, i, d, NULL, &error), LAVDM_ERROR_NUMERICS);
  lavdm_free(back);
}

/* ---------------------------------------------------------- at random */

static int64_t any_number(random_t *r) {
  static const int64_t pool[] = {0,  1,     2, 3,     4,     5,  6,         39,       40,
                                 41, N - 1, N, N + 1, 2 * N, -1, INT64_MIN, INT64_MAX};
  return pool[random_below(r, sizeof pool / sizeof *pool)];
}

static const char *any_text(random_t *r) {
  static const char *const pool[] = {"auto",        "dm",    "vdm",  "roseland", "lavdm",   "tangent",
                                     "trivial",     "0",     "1",    "2",        "3",       "5",
                                     "1e-9",        "given", "ball", "single",   "120",     "40",
                                     "orientation", "yes",   "",     "knn",      "complete"};
  return pool[random_below(r, sizeof pool / sizeof *pool)];
}

/* Another shape, no larger, so that the data still suffice. */
static void change_shape(random_t *r, store_item *item) {
  int64_t most = 1, count = 1;
  for (int k = 0; k < item->rank; k++) most *= item->shape[k];
  int rank = 1 + (int)random_below(r, 3), axis = (int)random_below(r, rank);
  if (random_below(r, 2)) rank = item->rank, axis = (int)random_below(r, rank);
  store_item other = *item;
  for (int k = item->rank; k < rank; k++) other.shape[k] = 1;
  other.rank = rank;
  int64_t size = any_number(r);
  other.shape[axis] = size < 0 || size > 1000 ? 7 : size;
  for (int k = 0; k < rank; k++) count *= other.shape[k];
  if (count <= most) *item = other;
}

static void change_item(random_t *r, made_up *m, int64_t *number) {
  store_item *item = &m->item[random_below(r, m->count)];
  if (item->type == STORE_TEXT) {
    item->data = any_text(r);
  } else if (item->rank == 0 && item->type == STORE_INTEGER) {
    *number = any_number(r);
    item->data = number;
  } else if (item->rank > 0 && random_below(r, 3)) {
    change_shape(r, item);
  } else if (item->rank > 0 && item->shape[0] > 0) {
    int64_t *value = (int64_t *)(uintptr_t)item->data; /* a private mapping */
    if (item->type != STORE_SINGLE) value[0] = any_number(r);
  }
  if (random_below(r, 4)) return;
  m->item[random_below(r, m->count)] = m->item[m->count - 1];
  m->count--;
}

/* Whatever was opened can be used without harm. */
static void use_model(const lavdm_model *model) {
  const lavdm_info_t *info = lavdm_info(model);
  int64_t n = info->n, r = info->chosen->components, rank = r < 4 ? r : 4, index[3], point = n - 1;
  double distance[3], x[30] = {0};
  if (lavdm_get(model, "eigenvectors")) {
    double *out = numbers(n * r * (r + 1) + n * info->p * r + 1);
    lavdm_embedding(model, 1, r, out, NULL);
    lavdm_coordinates(model, 1, r, out, NULL);
    lavdm_ambient(model, out, NULL);
    free(out);
  }
  lavdm_distance(model, 0, n - 1, 1, rank, distance, NULL);
  lavdm_embedding_rank(model, 1, 0.1);
  if (n > 3) lavdm_neighbours(model, 1, rank, &point, 1, 3, index, distance, NULL, NULL);
  lavdm_data data = {.points = x, .n = 5, .p = info->p > 0 && info->p <= 6 ? info->p : 3};
  lavdm_model *extension = NULL;
  lavdm_extend(model, &data, NULL, NULL, &extension, NULL);
  lavdm_free(extension);
  for (int64_t i = 0; i < info->isolated; i++) assert_in_range(info->isolated_index[i], 0, n - 1);
}

static void made_up_at_random(void **state) {
  (void)state;
  const char *const from[] = {"whole.h5", "compact.h5", "dm.h5"};
  random_t r = random_start(11, 12);
  int opened = 0;
  enum { TIMES = 600 };
  for (int t = 0; t < TIMES; t++) {
    made_up m = start(in(from[t % 3]));
    int64_t number[4];
    for (int64_t k = random_below(&r, 3); k >= 0; k--) change_item(&r, &m, &number[k]);
    bool written = !store_write(in("made-up.h5"), m.item, m.count, NULL, NULL);
    store_close(m.store);
    lavdm_model *model;
    if (!written || lavdm_load(in("made-up.h5"), &model, NULL)) continue;
    use_model(model);
    lavdm_free(model);
    opened++;
  }
  assert_in_range(opened, TIMES / 50, TIMES / 2);
}

static void bad_arguments(void **state) {
  (void)state;
  lavdm_model *model = open_model(in("whole.h5")), *other = model;
  lavdm_error error;
  assert_int_equal(lavdm_save(NULL, in("x.h5"), 0, &error), LAVDM_ERROR_ARGUMENT);
  assert_int_equal(lavdm_save(model, NULL, 0, &error), LAVDM_ERROR_ARGUMENT);
  const lavdm_item more = {
      .name = "more", .type = LAVDM_ITEM_REAL, .rank = 1, .shape = {1}, .data = &(double){3}};
  assert_int_equal(lavdm_save_with(model, in("x.h5"), 0, &more, -1, &error), LAVDM_ERROR_ARGUMENT);
  assert_int_equal(lavdm_save_with(model, in("x.h5"), 0, &more, 1 << 20, &error), LAVDM_ERROR_ARGUMENT);
  assert_int_equal(lavdm_save_with(model, in("x.h5"), 0, NULL, 1, &error), LAVDM_ERROR_ARGUMENT);
  assert_non_null(strstr(error.message, "1 further items"));
  assert_int_equal(lavdm_load(NULL, &other, &error), LAVDM_ERROR_ARGUMENT);
  assert_int_equal(lavdm_load(in("whole.h5"), NULL, &error), LAVDM_ERROR_ARGUMENT);
  assert_int_equal(lavdm_save(model, "/nowhere/at/all/x.h5", 0, &error), LAVDM_ERROR_FILE);
  assert_non_null(strstr(error.message, "No such file or directory"));
  assert_int_equal(lavdm_save(model, in("whole.h5"), 0, &error),
                   LAVDM_OK); /* over itself, while it is open */
  lavdm_free(model);
  model = open_model(in("whole.h5"));
  lavdm_free(model);
}
int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(versions),           cmocka_unit_test(many_more_arrays),
      cmocka_unit_test(impossible_numbers), cmocka_unit_test(impossible_options),
      cmocka_unit_test(wrong_shapes),       cmocka_unit_test(wrong_values),
      cmocka_unit_test(extensions),         cmocka_unit_test(values_that_overflow),
      cmocka_unit_test(made_up_at_random),  cmocka_unit_test(bad_arguments),
      cmocka_unit_test(impossible_trust),   cmocka_unit_test(many_lines),
  };
  return cmocka_run_group_tests(tests, make_models, remove_folder);
}
