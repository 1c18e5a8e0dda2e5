/*
 * Models of every kind with one number, or one option, changed and all checksums right: each is refused with
 * a sentence, or does all its work and gives finite numbers. One change in LAVDM_SHARE (default 97) is tried;
 * 1 tries them all.
 */
#include "save_support.h"

enum { FEW = 60, WIDE = 5, NEW_POINTS = 7, SIDE = 9 };

typedef struct {
  lavdm_method method;
  lavdm_bundle bundle;
  int64_t pca;
  bool compact, lowpass, local, knn;
  lavdm_metric metric;
} kind_t;

#define EUCLIDEAN LAVDM_METRIC_EUCLIDEAN
static const kind_t kinds[] = {
    {LAVDM_METHOD_DM, LAVDM_BUNDLE_TRIVIAL, 0, false, false, false, false, EUCLIDEAN},
    {LAVDM_METHOD_DM, LAVDM_BUNDLE_TRIVIAL, 3, false, false, true, false, EUCLIDEAN},
    {LAVDM_METHOD_VDM, LAVDM_BUNDLE_TANGENT, 0, false, false, false, false, EUCLIDEAN},
    {LAVDM_METHOD_VDM, LAVDM_BUNDLE_TANGENT, 3, false, true, false, false, EUCLIDEAN},
    {LAVDM_METHOD_VDM, LAVDM_BUNDLE_TANGENT, 0, false, false, true, true, EUCLIDEAN},
    {LAVDM_METHOD_VDM, LAVDM_BUNDLE_TRIVIAL, 3, false, false, false, true, EUCLIDEAN},
    {LAVDM_METHOD_VDM, LAVDM_BUNDLE_ORIENTATION, 0, false, false, false, false, EUCLIDEAN},
    {LAVDM_METHOD_VDM, LAVDM_BUNDLE_SHIFT, 0, false, false, false, true, EUCLIDEAN},
    {LAVDM_METHOD_VDM, LAVDM_BUNDLE_ROTATION, 0, false, false, false, false, EUCLIDEAN},
    {LAVDM_METHOD_LAVDM, LAVDM_BUNDLE_TANGENT, 0, false, false, false, false, EUCLIDEAN},
    {LAVDM_METHOD_LAVDM, LAVDM_BUNDLE_TANGENT, 3, false, false, false, false, EUCLIDEAN},
    {LAVDM_METHOD_LAVDM, LAVDM_BUNDLE_TANGENT, 3, true, false, false, false, EUCLIDEAN},
    {LAVDM_METHOD_LAVDM, LAVDM_BUNDLE_TANGENT, 0, true, true, false, false, EUCLIDEAN},
    {LAVDM_METHOD_LAVDM, LAVDM_BUNDLE_TANGENT, 0, false, true, false, false, EUCLIDEAN},
    {LAVDM_METHOD_LAVDM, LAVDM_BUNDLE_TRIVIAL, 0, true, false, false, false, EUCLIDEAN},
    {LAVDM_METHOD_LAVDM, LAVDM_BUNDLE_ORIENTATION, 3, false, false, false, false, EUCLIDEAN},
    {LAVDM_METHOD_LAVDM, LAVDM_BUNDLE_SHIFT, 0, false, false, false, false, EUCLIDEAN},
    {LAVDM_METHOD_LAVDM, LAVDM_BUNDLE_ROTATION, 0, true, false, false, false, EUCLIDEAN},
    {LAVDM_METHOD_ROSELAND, LAVDM_BUNDLE_TRIVIAL, 0, false, false, false, false, EUCLIDEAN},
    {LAVDM_METHOD_ROSELAND, LAVDM_BUNDLE_TRIVIAL, 3, true, false, false, false, EUCLIDEAN},
    {LAVDM_METHOD_NYSTROM, LAVDM_BUNDLE_TANGENT, 0, false, false, false, false, EUCLIDEAN},
    {LAVDM_METHOD_NYSTROM, LAVDM_BUNDLE_TANGENT, 3, true, false, false, false, EUCLIDEAN},
    {LAVDM_METHOD_NYSTROM, LAVDM_BUNDLE_ORIENTATION, 0, true, false, false, false, EUCLIDEAN},
    {LAVDM_METHOD_NYSTROM, LAVDM_BUNDLE_TRIVIAL, 3, false, false, false, false, EUCLIDEAN},
    {LAVDM_METHOD_DM, LAVDM_BUNDLE_TRIVIAL, 0, false, false, false, true, LAVDM_METRIC_PRECOMPUTED},
    {LAVDM_METHOD_DM, LAVDM_BUNDLE_TRIVIAL, 0, false, false, true, false, LAVDM_METRIC_PRECOMPUTED},
    {LAVDM_METHOD_ROSELAND, LAVDM_BUNDLE_TRIVIAL, 0, true, false, false, false, LAVDM_METRIC_PRECOMPUTED},
    {LAVDM_METHOD_DM, LAVDM_BUNDLE_TRIVIAL, 0, false, false, false, true, LAVDM_METRIC_COSINE},
    {LAVDM_METHOD_ROSELAND, LAVDM_BUNDLE_TRIVIAL, 3, false, false, false, false, LAVDM_METRIC_MANHATTAN},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* ---------------------------------------------------------- the models */

static double points_x[FEW * SIDE * SIDE];
static int64_t points_p;

/* The same as distances: of all points, whose first rows serve as new ones. */
static double points_d[FEW * FEW];
static lavdm_distances distances = {.rows = FEW, .cols = FEW, .value = points_d};

static void make_distances(void) {
  for (int64_t i = 0; i < FEW; i++)
    for (int64_t j = 0; j < FEW; j++) {
      double *d = &points_d[i * FEW + j];
      *d = 0;
      for (int64_t c = 0; c < points_p; c++)
        *d += fabs(points_x[i * points_p + c] - points_x[j * points_p + c]);
    }
}

/* A sphere in 5 dimensions, or smooth images or signals. */
static void make_points(const kind_t *kind) {
  bool turns = kind->bundle == LAVDM_BUNDLE_SHIFT || kind->bundle == LAVDM_BUNDLE_ROTATION;
  static double sphere[FEW * 3];
  assert_int_equal(lavdm_sample("sphere", FEW, 0, NULL, 0, 3, sphere, NULL, NULL, NULL), 0);
  points_p = turns ? SIDE * SIDE : WIDE;
  for (int64_t i = 0; i < FEW; i++)
    for (int64_t j = 0; j < points_p; j++) {
      const double *s = sphere + 3 * i;
      double y = (double)(j / SIDE), x = (double)(j % SIDE);
      points_x[i * points_p + j] = turns
                                       ? exp(-0.1 * pow(x - 4 - 2 * s[0], 2) - 0.2 * pow(y - 4 - 2 * s[1], 2))
                                       : s[j % 3] * (j < 3 ? 1 : 0.5);
    }
}

static const char *make_model(const kind_t *kind, lavdm_precision precision) {
  lavdm_options o;
  lavdm_options_default(&o);
  o.method = kind->method, o.bundle = kind->bundle, o.precision = precision;
  o.pca = kind->pca, o.components = 4, o.threads = 1;
  if (kind->bundle != LAVDM_BUNDLE_SHIFT && kind->bundle != LAVDM_BUNDLE_ROTATION) o.dim = 2;
  if (kind->method >= LAVDM_METHOD_ROSELAND) o.landmarks = 15;
  if (kind->lowpass) o.frames = LAVDM_FRAMES_LOWPASS;
  if (kind->local) o.bandwidth = LAVDM_BANDWIDTH_LOCAL;
  if (kind->knn) o.edges = LAVDM_EDGES_KNN;
  o.metric = kind->metric;
  make_points(kind);
  make_distances();
  lavdm_data data = {.points = points_x, .n = FEW, .p = points_p};
  if (kind->metric == LAVDM_METRIC_PRECOMPUTED)
    data = (lavdm_data){.size = sizeof data, .distances = &distances};
  lavdm_model *model = fit(&data, &o);
  keep(model, in("kept.h5"), kind->compact);
  lavdm_free(model);
  return in("kept.h5");
}

/* --------------------------------------------------------- the changes */

typedef struct {
  store_t *store;
  store_item item[200];
  int count;
} items_t;

static const double reals[] = {0,    -1,   NAN,   INFINITY, -INFINITY, 1e40,   -1e40,
                               1e18, 1e19, 1e-40, 1e-320,   1e308,     -1e308, 2147483648.0};
static const int64_t wholes[] = {
    0, -1, 1, 2, 7, 1000, INT32_MAX, (int64_t)INT32_MAX + 1, INT64_C(1) << 40, INT64_MAX, INT64_MIN};
static const char *const texts[] = {
    "",       "auto",   "0",           "-1",       "1",          "3",          "60",
    "nan",    "inf",    "1e308",       "1e-280",   "2147483647", "4294967296", "9223372036854775807",
    "yes",    "knn",    "dm",          "vdm",      "lavdm",      "nystrom",    "single",
    "double", "given",  "tangent",     "trivial",  "rotation",   "shift",      "lowpass",
    "local",  "cosine", "precomputed", "haversine"};
#define COUNT(list) ((int64_t)(sizeof(list) / sizeof *(list)))

static int64_t elements(const store_item *item) {
  int64_t count = 1;
  for (int i = 0; i < item->rank; i++) count *= item->shape[i];
  return count;
}

/* How many changes an item has: places in it times values. */
static int64_t changes_of(const store_item *item) {
  if (item->type == STORE_TEXT) return COUNT(texts);
  int64_t places = elements(item) < 3 ? elements(item) : 3;
  return places * (item->type == STORE_INTEGER ? COUNT(wholes) : COUNT(reals));
}

/* Makes change k of an item in `space`, to which its data go. */
static void change(store_item *item, int64_t k, void *space) {
  if (item->type == STORE_TEXT) {
    item->data = texts[k];
    return;
  }
  int64_t count = elements(item), values = item->type == STORE_INTEGER ? COUNT(wholes) : COUNT(reals);
  int64_t place = k / values == 0 ? 0 : k / values == 1 ? count - 1 : count / 2;
  size_t size = item->type == STORE_SINGLE ? sizeof(float) : sizeof(double);
  memcpy(space, item->data, (size_t)count * size);
  if (item->type == STORE_INTEGER)
    ((int64_t *)space)[place] = wholes[k % values];
  else if (item->type == STORE_SINGLE)
    ((float *)space)[place] = (float)reals[k % values];
  else
    ((double *)space)[place] = reals[k % values];
  item->data = space;
}

/* ------------------------------------------------------------- the use */

static char what[300];
static int64_t tried, turned_away, worked;

static void judge(int status, const lavdm_error *error, const char *where) {
  if (status < 0 && strlen(error->message) < 10) fail_msg("%s: %s says '%s'", what, where, error->message);
}

static void all_finite(const char *where, const double *x, int64_t count) {
  for (int64_t i = 0; i < count; i++)
    if (!isfinite(x[i])) fail_msg("%s: %s has %g at %lld", what, where, x[i], (long long)i);
}

/* Arrays of an extension: finite, but where a point is too far from all others. */
static void check_extension(const lavdm_model *e) {
  const double *degree = lavdm_get(e, "degrees")->data;
  for (int k = 0; k < lavdm_array_count(e); k++) {
    const lavdm_array *a = lavdm_array_at(e, k);
    if (a->type == LAVDM_I64 || a->shape[0] != NEW_POINTS || !strcmp(a->name, "residuals")) continue;
    int64_t width = a->shape[1] * a->shape[2];
    for (int64_t i = 0; i < NEW_POINTS * width; i++) {
      double x = a->type == LAVDM_F64 ? ((const double *)a->data)[i] : (double)((const float *)a->data)[i];
      if (!isfinite(x) && degree[i / width] > 0) fail_msg("%s: %s of the extension is %g", what, a->name, x);
    }
  }
}

static void extend_model(const lavdm_model *model) {
  lavdm_error error = {0};
  lavdm_data whole = {.points = points_x, .n = FEW, .p = points_p}, data = whole;
  lavdm_model *extension = NULL;
  data.n = NEW_POINTS;
  lavdm_distances few = distances;
  few.rows = NEW_POINTS;
  if (lavdm_info(model)->chosen->metric == LAVDM_METRIC_PRECOMPUTED)
    data = (lavdm_data){.size = sizeof data, .distances = &few};
  int status = lavdm_extend(model, &data, NULL, NULL, &extension, &error);
  judge(status, &error, "extend");
  if (status >= 0) check_extension(extension);
  lavdm_free(extension);
  status = lavdm_extend(model, &data, &whole, NULL, &extension, &error);
  judge(status, &error, "extend with a reference");
  if (status >= 0) check_extension(extension);
  lavdm_free(extension);
}

static void use(const lavdm_model *model) {
  const lavdm_info_t *info = lavdm_info(model);
  int64_t n = info->n, r = info->chosen->components, index[3], point = n - 1;
  lavdm_error error = {0};
  double d = 0, three[3];
  extend_model(model);
  if (!lavdm_get(model, "eigenvectors")) return;
  double *out = numbers(n * r * (r + 1) + n * info->p * r + 1);
  int status = lavdm_embedding(model, 1, r, out, &error);
  judge(status, &error, "embedding");
  status = lavdm_coordinates(model, 1, r, out, &error);
  judge(status, &error, "coordinates");
  status = lavdm_ambient(model, out, &error);
  judge(status, &error, "ambient");
  free(out);
  status = lavdm_distance(model, 0, n - 1, 1, r, &d, &error);
  judge(status, &error, "distance");
  if (n > 3) {
    status = lavdm_neighbours(model, 1, r, &point, 1, 3, index, three, NULL, &error);
    judge(status, &error, "neighbours");
    for (int i = 0; i < 3 && status >= 0; i++) assert_in_range(index[i], 0, n - 1);
    if (status >= 0) all_finite("neighbours", three, 3);
  }
}

static void try_one(const items_t *from, int i, int64_t k, void *space) {
  static store_item item[200];
  memcpy(item, from->item, sizeof item);
  change(&item[i], k, space);
  snprintf(what, sizeof what, "%.200s, change %lld", item[i].name, (long long)k);
  lavdm_error error = {0};
  if (store_write(in("changed.h5"), item, from->count, NULL, &error)) fail_msg("%s", error.message);
  lavdm_model *model;
  int status = lavdm_load(in("changed.h5"), &model, &error);
  judge(status, &error, "load");
  tried++;
  turned_away += status < 0;
  worked += status >= 0;
  if (status < 0) return;
  use(model);
  lavdm_free(model);
}

static int64_t share(void) {
  const char *text = getenv("LAVDM_SHARE");
  int64_t number = text ? atoll(text) : 97;
  return number > 0 ? number : 97;
}

static void changed_numbers(void **state) {
  (void)state;
  static double space[FEW * SIDE * SIDE * 64];
  int64_t turn = 0;
  for (int k = 0; k < KINDS; k++)
    for (int single = 0; single < 2; single++) {
      items_t from = {0};
      assert_int_equal(
          store_open(make_model(&kinds[k], single ? LAVDM_PRECISION_SINGLE : LAVDM_PRECISION_DOUBLE),
                     &from.store, NULL),
          0);
      from.count = store_count(from.store);
      assert_in_range(from.count, 1, 200);
      for (int i = 0; i < from.count; i++) from.item[i] = *store_at(from.store, i);
      for (int i = 0; i < from.count; i++)
        for (int64_t c = 0; c < changes_of(&from.item[i]); c++)
          if (turn++ % share() == 0) try_one(&from, i, c, space);
      store_close(from.store);
    }
  print_message("%lld changes of %lld: %lld refused, %lld worked\n", (long long)tried, (long long)turn,
                (long long)turned_away, (long long)worked);
  assert_true(tried > 100 && turned_away > tried / 10 && worked > tried / 20);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(changed_numbers)};
  return cmocka_run_group_tests(tests, make_models, remove_folder);
}
