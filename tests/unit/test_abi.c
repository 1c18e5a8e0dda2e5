/* Structs that a program allocates, as programs of other versions have them. */
#include "base/door.h"
#include "lavdm/average.h"
#include "lavdm/denoise.h"
#include "lavdm/images.h"
#include "lavdm/projections.h"
#include "lavdm/sample.h"
#include "lavdm/sync.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { N = 60, BEHIND = 64 };

/* A struct at the end of its memory, so that the sanitizer sees a step behind it. */
static void *at_the_end(const void *from, size_t size) {
  void *own = malloc(size);
  assert_non_null(own);
  return memcpy(own, from, size);
}

static double points[N * 3];

static lavdm_data sphere(void) {
  assert_int_equal(lavdm_sample("sphere", N, 2, NULL, 0, 1, points, NULL, NULL, NULL), LAVDM_OK);
  return (lavdm_data){.points = points, .n = N, .p = 3};
}

static lavdm_options usual(void) {
  lavdm_options o;
  lavdm_options_default(&o);
  o.components = 4, o.threads = 1;
  return o;
}

static double top(const lavdm_data *data, const lavdm_options *options) {
  lavdm_model *model;
  lavdm_error error = {0};
  if (lavdm_fit(data, options, &model, &error) < 0) fail_msg("%s", error.message);
  double value = lavdm_info(model)->eigenvalues[0];
  lavdm_free(model);
  return value;
}

/* No struct has padding behind its last field, and each begins with its size. */
static void test_layout(void **state) {
  (void)state;
  assert_int_equal(offsetof(lavdm_options, size), 0);
  assert_int_equal(offsetof(lavdm_data, size), 0);
  assert_int_equal(offsetof(lavdm_edges, size), 0);
  assert_int_equal(offsetof(lavdm_plan_t, size), 0);
  assert_int_equal(offsetof(lavdm_orientation, size), 0);
  assert_int_equal(offsetof(lavdm_sync_options, size), 0);
  assert_int_equal(offsetof(lavdm_volume, size), 0);
  assert_int_equal(offsetof(lavdm_average_options, size), 0);
  assert_int_equal(offsetof(lavdm_denoise_options, size), 0);
  assert_int_equal(offsetof(lavdm_denoise_info, size), 0);
  assert_int_equal(OPTIONS_0_2 % 8, 0);
  assert_int_equal(DATA_0_2 % 8, 0);
  assert_int_equal(EDGES_0_2 % 8, 0);
  assert_int_equal(PLAN_0_2 % 8, 0);
  assert_int_equal(ORIENTATION_0_2 % 8, 0);
}

/* The layout of 0.2, by size 0 or its own, gives what the whole gives; nothing behind it is read. */
static void test_first_layout(void **state) {
  (void)state;
  lavdm_data data = sphere(), whole = data;
  lavdm_options options = usual();
  whole.size = sizeof whole;
  double value = top(&whole, &options);
  assert_true(value > 0.5 && value < 1);
  for (int k = 0; k < 2; k++) {
    data.size = k ? DATA_0_2 : 0;
    lavdm_options first = options;
    first.size = OPTIONS_0_2;
    lavdm_data *small = at_the_end(&data, DATA_0_2);
    lavdm_options *few = at_the_end(&first, OPTIONS_0_2);
    assert_true(top(small, few) == value);
    free(small), free(few);
  }
}

/* A struct that has grown: programs that know two fields of three, and whose memory behind them is theirs. */
static void test_grown(void **state) {
  (void)state;
  typedef struct {
    size_t size;
    int64_t old, later, last;
  } grown;
  const door_kind kind = {"the struct", offsetof(grown, later), sizeof(grown)};
  const grown initial = {.old = 1, .later = 2, .last = 3};
  for (int k = 0; k < 3; k++) {
    grown given = {.old = 10, .later = 20, .last = 30}, own = initial, poison;
    size_t known = k == 2 ? offsetof(grown, last) : offsetof(grown, later);
    given.size = k ? known : 0;
    memset((char *)&given + known, 0xA5, sizeof given - known);
    poison = given;
    assert_int_equal(door_take(&kind, &given, &own, NULL), LAVDM_OK);
    assert_int_equal(own.size, sizeof own);
    assert_int_equal(own.old, 10);
    assert_int_equal(own.later, k == 2 ? 20 : 2);
    assert_int_equal(own.last, 3);
    own.old = 5, own.later = 6, own.last = 7;
    door_give(&kind, &own, &given);
    assert_int_equal(given.size, k ? known : 0);
    assert_int_equal(given.old, 5);
    if (k == 2) assert_int_equal(given.later, 6);
    assert_memory_equal((char *)&given + known, (char *)&poison + known, sizeof given - known);
  }
}

static void refused(int status, const lavdm_error *error, const char *says) {
  assert_int_equal(status, LAVDM_ERROR_ARGUMENT);
  if (!strstr(error->message, says)) fail_msg("'%s' does not say '%s'", error->message, says);
}

/* Sizes that are larger than those of this library, smaller than any, and options that nobody filled. */
static void test_refusals(void **state) {
  (void)state;
  lavdm_data data = sphere(), bad = data;
  lavdm_options options = usual(), never, other = options;
  lavdm_model *model;
  lavdm_operator_t *op;
  lavdm_stack *stack;
  lavdm_error error;
  double signs[N];
  memset(&never, 0, sizeof never);
  for (int k = 0; k < 3; k++) {
    const char *says = k == 0 ? "newer lavdm" : k == 1 ? "less than" : "never set";
    other.size = k == 0 ? sizeof other + 8 : 16;
    const lavdm_options *o = k == 2 ? &never : &other;
    lavdm_plan_t plan = {0};
    lavdm_orientation verdict = {0};
    refused(lavdm_fit(&data, o, &model, &error), &error, says);
    assert_null(model);
    refused(lavdm_plan(&data, o, &plan, &error), &error, says);
    refused(lavdm_operator(&data, o, &op, &error), &error, says);
    refused(lavdm_stack_new(&data, o, &stack, &error), &error, says);
    refused(lavdm_orient(&data, o, &verdict, signs, NULL, &error), &error, says);
    if (k == 2) break;
    bad.size = k == 0 ? sizeof bad + 8 : 8;
    refused(lavdm_fit(&bad, &options, &model, &error), &error, says);
    lavdm_edges edges = {.size = k == 0 ? sizeof edges + 8 : 8};
    lavdm_data given = {.edges = &edges};
    refused(lavdm_fit(&given, &options, &model, &error), &error, says);
    plan.size = k == 0 ? sizeof plan + 1 : 9;
    refused(lavdm_plan(&data, &options, &plan, &error), &error, says);
    verdict.size = k == 0 ? sizeof verdict + 1 : 9;
    refused(lavdm_orient(&data, &options, &verdict, signs, NULL, &error), &error, says);
  }
  refused(lavdm_option_set(&never, "dim", "2", &error), &error, "never set");
}

/* The doors that follow a model: extension and cover. */
static void test_later_doors(void **state) {
  (void)state;
  lavdm_data data = sphere(), bad = data;
  lavdm_options options = usual(), large = options;
  lavdm_model *model, *extension;
  lavdm_error error;
  double coordinates[2 * N];
  options.bundle = LAVDM_BUNDLE_ORIENTATION;
  bad.size = sizeof bad + 1, large.size = sizeof large + 1;
  assert_true(lavdm_fit(&data, &options, &model, &error) >= 0);
  refused(lavdm_extend(model, &bad, NULL, NULL, &extension, &error), &error, "newer");
  refused(lavdm_extend(model, &data, &bad, NULL, &extension, &error), &error, "newer");
  refused(lavdm_extend(model, &data, NULL, &large, &extension, &error), &error, "newer");
  refused(lavdm_cover(&bad, model, NULL, 1, 1, coordinates, NULL, NULL, &error), &error, "newer");
  refused(lavdm_cover(&data, model, &large, 1, 1, coordinates, NULL, NULL, &error), &error, "newer");
  assert_true(lavdm_extend(model, &data, NULL, lavdm_info(model)->chosen, &extension, &error) >= 0);
  lavdm_free(extension);
  lavdm_free(model);
}

/* Results go no further than the program's struct, whose size stays. */
static void test_results(void **state) {
  (void)state;
  lavdm_data data = sphere();
  lavdm_options options = usual();
  double signs[N];
  for (int k = 0; k < 2; k++) {
    unsigned char room[sizeof(lavdm_orientation) + BEHIND];
    memset(room, 0xA5, sizeof room);
    size_t size = k ? PLAN_0_2 : 0;
    memcpy(room, &size, sizeof size);
    assert_true(lavdm_plan(&data, &options, (lavdm_plan_t *)(void *)room, NULL) >= 0);
    for (size_t i = PLAN_0_2; i < sizeof room; i++) assert_int_equal(room[i], 0xA5);
    assert_memory_equal(room, &size, sizeof size);
    assert_true(((lavdm_plan_t *)(void *)room)->memory > 0);
    memset(room, 0xA5, sizeof room);
    size = k ? ORIENTATION_0_2 : 0;
    memcpy(room, &size, sizeof size);
    assert_true(lavdm_orient(&data, &options, (lavdm_orientation *)(void *)room, signs, NULL, NULL) >= 0);
    for (size_t i = ORIENTATION_0_2; i < sizeof room; i++) assert_int_equal(room[i], 0xA5);
    assert_memory_equal(room, &size, sizeof size);
    assert_int_equal(((lavdm_orientation *)(void *)room)->orientable, 1);
  }
}

/* Options of programs that know less, and more. */
static void test_options(void **state) {
  (void)state;
  lavdm_options whole, back;
  unsigned char room[sizeof(lavdm_options) + BEHIND];
  lavdm_options *o = (lavdm_options *)(void *)room;
  char text[64];
  lavdm_options_default(&whole);
  assert_int_equal(whole.size, sizeof whole);
  /* one that knows the fields before `signals` */
  const size_t few = offsetof(lavdm_options, signals);
  memset(room, 0xA5, sizeof room);
  lavdm_options_init(o, few);
  for (size_t i = few; i < sizeof room; i++) assert_int_equal(room[i], 0xA5);
  assert_int_equal(o->size, few);
  assert_memory_equal(room + sizeof(size_t), (unsigned char *)&whole + sizeof(size_t), few - sizeof(size_t));
  lavdm_error error;
  assert_int_equal(lavdm_option_set(o, "dim", "3", &error), LAVDM_OK);
  refused(lavdm_option_set(o, "signals", "phase", &error), &error, "older lavdm");
  refused(lavdm_option_set(o, "noise", "1", &error), &error, "older lavdm");
  for (size_t i = few; i < sizeof room; i++) assert_int_equal(room[i], 0xA5);
  assert_int_equal(lavdm_option_text(o, "noise", text, sizeof text), LAVDM_OK);
  assert_string_equal(text, "auto"); /* the default, since the program knows no other */
  assert_int_equal(lavdm_option_text(o, "dim", text, sizeof text), LAVDM_OK);
  assert_string_equal(text, "3");
  /* one that knows more: what is known here has its default, the rest is zero */
  memset(room, 0xA5, sizeof room);
  lavdm_options_init(o, sizeof room);
  for (size_t i = sizeof(lavdm_options); i < sizeof room; i++) assert_int_equal(room[i], 0);
  assert_int_equal(o->size, sizeof room);
  /* copies have the size that their owner knows */
  whole.dim = 7, whole.noise = 2;
  memset(room, 0xA5, sizeof room);
  assert_int_equal(lavdm_options_take(o, few, &whole, &error), LAVDM_OK);
  assert_int_equal(o->size, few);
  assert_int_equal(o->dim, 7);
  for (size_t i = few; i < sizeof room; i++) assert_int_equal(room[i], 0xA5);
  assert_int_equal(lavdm_options_copy(&back, &whole, &error), LAVDM_OK);
  assert_memory_equal(&back, &whole, sizeof whole);
  whole.size = sizeof whole + 1;
  refused(lavdm_options_copy(&back, &whole, &error), &error, "newer");
  assert_int_equal(lavdm_options_copy(&back, NULL, &error), LAVDM_OK);
  assert_int_equal(back.dim, LAVDM_AUTO);
}

/* Chosen options keep the whole size, so that they can be given to another fit as they are. */
static void test_chosen(void **state) {
  (void)state;
  lavdm_data data = sphere();
  lavdm_options options = usual();
  lavdm_model *one, *two;
  options.size = OPTIONS_0_2;
  assert_true(lavdm_fit(&data, &options, &one, NULL) >= 0);
  assert_int_equal(lavdm_info(one)->chosen->size, sizeof(lavdm_options));
  assert_true(lavdm_fit(&data, lavdm_info(one)->chosen, &two, NULL) >= 0);
  assert_true(lavdm_info(one)->eigenvalues[0] == lavdm_info(two)->eigenvalues[0]);
  lavdm_free(one);
  lavdm_free(two);
}

static void test_other_structs(void **state) {
  (void)state;
  lavdm_error error;
  const int64_t row[] = {0, 1}, col[] = {1, 2};
  const double angle[] = {0.1, 0.2};
  lavdm_edges edges = {.count = 2, .row = row, .col = col, .element = angle, .kind = LAVDM_ELEMENT_ANGLE};
  lavdm_sync_options sync_options;
  lavdm_sync_t *sync;
  lavdm_sync_default(&sync_options);
  assert_true(lavdm_sync(&edges, &sync_options, &sync, &error) >= 0);
  assert_true(fabs(acos(sync->element[4]) - 0.1) < 1e-12);
  lavdm_sync_free(sync);
  sync_options.size += 8;
  refused(lavdm_sync(&edges, &sync_options, &sync, &error), &error, "newer");
  sync_options.size = 0;
  refused(lavdm_sync(&edges, &sync_options, &sync, &error), &error, "never set");
  lavdm_sync_default(&sync_options);
  edges.size = 1000;
  refused(lavdm_sync(&edges, &sync_options, &sync, &error), &error, "newer");

  lavdm_blob blob = {.width = 0.2, .height = 1};
  lavdm_volume volume = {.size = 1000, .blobs = &blob, .blob_count = 1};
  double rotation[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, image[16];
  refused(lavdm_project(&volume, rotation, 1, 4, image, &error), &error, "newer");
  volume.size = 0;
  assert_int_equal(lavdm_project(&volume, rotation, 1, 4, image, &error), LAVDM_OK);

  lavdm_average_options average_options;
  lavdm_average_t *average;
  lavdm_options bad = {.size = 1000};
  double images[40 * 16] = {0};
  lavdm_data data = {.points = images, .n = 40, .p = 16};
  lavdm_average_default(&average_options);
  average_options.how = &bad;
  refused(lavdm_average(&data, &average_options, &average, &error), &error, "newer");
  assert_null(average);
  average_options.size = 0;
  refused(lavdm_average(&data, &average_options, &average, &error), &error, "never set");
  average_options.size = 1000;
  refused(lavdm_average(&data, &average_options, &average, &error), &error, "newer");

  lavdm_denoise_options how;
  lavdm_denoise_info info = {.size = 1000};
  double out[16];
  lavdm_denoise_default(&how);
  how.sigma = 0;
  refused(lavdm_denoise(image, 4, 4, 1, &how, out, &info, &error), &error, "newer");
  info.size = 0;
  assert_int_equal(lavdm_denoise(image, 4, 4, 1, &how, out, &info, &error), LAVDM_OK);
  assert_int_equal(info.passes, 2);
  how.size = 0;
  refused(lavdm_denoise(image, 4, 4, 1, &how, out, &info, &error), &error, "never set");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_layout),       cmocka_unit_test(test_first_layout),
                                     cmocka_unit_test(test_grown),        cmocka_unit_test(test_refusals),
                                     cmocka_unit_test(test_later_doors),  cmocka_unit_test(test_results),
                                     cmocka_unit_test(test_options),      cmocka_unit_test(test_chosen),
                                     cmocka_unit_test(test_other_structs)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
