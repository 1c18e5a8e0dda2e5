/*
 * Models of every kind from whose file one array is gone, all checksums right: each is refused with a
 * sentence that names it, or applied to new points as the whole model is.
 */
#include "save_support.h"

#include "file/store.h"

typedef struct {
  const char *name;
  lavdm_method method;
  lavdm_bundle bundle;
  void (*change)(lavdm_options *o);
} kind_t;

static void by_knn(lavdm_options *o) {
  o->edges = LAVDM_EDGES_KNN;
}

static void with_local(lavdm_options *o) {
  o->bandwidth = LAVDM_BANDWIDTH_LOCAL, o->epsilon = LAVDM_AUTO;
}

static void with_lowpass(lavdm_options *o) {
  o->frames = LAVDM_FRAMES_LOWPASS, o->dim = 2;
}

static void with_pca(lavdm_options *o) {
  o->pca = 2;
}

static void in_single(lavdm_options *o) {
  o->precision = LAVDM_PRECISION_SINGLE;
}

static const kind_t kinds[] = {
    {"dm", LAVDM_METHOD_DM, LAVDM_BUNDLE_TRIVIAL, NULL},
    {"dm by knn", LAVDM_METHOD_DM, LAVDM_BUNDLE_TRIVIAL, by_knn},
    {"dm of local bandwidths", LAVDM_METHOD_DM, LAVDM_BUNDLE_TRIVIAL, with_local},
    {"vdm", LAVDM_METHOD_VDM, LAVDM_BUNDLE_TANGENT, NULL},
    {"roseland with pca", LAVDM_METHOD_ROSELAND, LAVDM_BUNDLE_TRIVIAL, with_pca},
    {"lavdm", LAVDM_METHOD_LAVDM, LAVDM_BUNDLE_TANGENT, NULL},
    {"lavdm with lowpass", LAVDM_METHOD_LAVDM, LAVDM_BUNDLE_TANGENT, with_lowpass},
    {"lavdm in single precision", LAVDM_METHOD_LAVDM, LAVDM_BUNDLE_TANGENT, in_single},
    {"nystrom", LAVDM_METHOD_NYSTROM, LAVDM_BUNDLE_TRIVIAL, NULL},
};
enum { KINDS = sizeof kinds / sizeof *kinds, FRESH = 5 };

/* The file `path` without the item `name`, as gone.h5. */
static void leave_out(const char *path, const char *name) {
  enum { MOST = 200 };
  store_t *store;
  store_item item[MOST];
  int count = 0;
  lavdm_error error;
  assert_int_equal(store_open(path, &store, NULL), LAVDM_OK);
  assert_in_range(store_count(store), 1, MOST);
  for (int i = 0; i < store_count(store); i++)
    if (strcmp(store_at(store, i)->name, name)) item[count++] = *store_at(store, i);
  if (store_write(in("gone.h5"), item, count, NULL, &error)) fail_msg("%s", error.message);
  store_close(store);
}

static void check_without(const kind_t *kind, const char *name, const lavdm_data *fresh,
                          const lavdm_model *whole) {
  lavdm_model *model = NULL, *extension = NULL;
  lavdm_error error = {0};
  leave_out(in("kind.h5"), name);
  int status = lavdm_load(in("gone.h5"), &model, &error);
  if (status >= 0) status = lavdm_extend(model, fresh, NULL, NULL, &extension, &error);
  /* what a model without one of these is taken for */
  bool other = strstr(error.message, "is itself an extension") || strstr(error.message, "a compact model");
  if (status < 0 && !strstr(error.message, name) && !other)
    fail_msg("%s without %s: '%s'", kind->name, name, error.message);
  if (status >= 0 && strcmp(name, "centre")) { /* which says where the numbers begin */
    same_array(lavdm_get(whole, "eigenvectors"), lavdm_get(extension, "eigenvectors"));
    same_array(lavdm_get(whole, "degrees"), lavdm_get(extension, "degrees"));
  }
  lavdm_free(extension), lavdm_free(model);
}

static void every_array(void **state) {
  (void)state;
  double *x = points(1);
  lavdm_data data = {.points = x, .n = N - FRESH, .p = 3},
             fresh = {.points = x + 3 * (N - FRESH), .n = FRESH, .p = 3};
  for (int k = 0; k < KINDS; k++) {
    lavdm_options o = options_of(kinds[k].method, kinds[k].bundle);
    o.trust = LAVDM_TRUST_NO;
    if (kinds[k].change) kinds[k].change(&o);
    lavdm_model *model = fit(&data, &o), *whole;
    lavdm_error error;
    if (lavdm_extend(model, &fresh, NULL, NULL, &whole, &error) < 0)
      fail_msg("%s: %s", kinds[k].name, error.message);
    keep(model, in("kind.h5"), 0);
    for (int i = 0; i < lavdm_array_count(model); i++)
      check_without(&kinds[k], lavdm_array_at(model, i)->name, &fresh, whole);
    lavdm_free(whole), lavdm_free(model);
  }
  free(x);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_array)};
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
