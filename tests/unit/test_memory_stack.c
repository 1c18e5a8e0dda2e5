/* Every allocation of a stack of images or signals fails in turn, and of what is asked of one. */
#include "memory_support.h"
#include "lavdm/images.h"

enum { IMAGES = 12, SIDE = 5, PIXELS = SIDE * SIDE };

typedef struct {
  lavdm_data data;
  lavdm_options options;
} stack_job;

static int stack(const void *context, lavdm_error *error) {
  const stack_job *job = context;
  lavdm_stack *made = (lavdm_stack *)error;
  int status = lavdm_stack_new(&job->data, &job->options, &made, error);
  assert_int_equal(made == NULL, status < 0);
  lavdm_stack_free(made);
  return status;
}

static int stack_calls(const void *context, lavdm_error *error) {
  int64_t index[IMAGES * 2], objects[] = {1, 2, 3}, others[] = {3, 4, 5}, first[] = {0, 1, 3};
  double distance[IMAGES * 2], angle[IMAGES * 2] = {0}, out[3 * PIXELS];
  int status = lavdm_stack_neighbours(context, NULL, 0, NULL, 0, 2, index, distance, angle, NULL, error);
  if (status >= 0) status = lavdm_stack_pairs(context, objects, others, 3, distance, angle, NULL, error);
  if (status >= 0) status = lavdm_stack_average(context, first, 2, objects, angle, NULL, NULL, out, error);
  return status;
}

static void test_stacks(void **state) {
  (void)state;
  double x[IMAGES * PIXELS];
  fill_normal(x, IMAGES * PIXELS, 2);
  for (lavdm_precision precision = LAVDM_PRECISION_DOUBLE; precision <= LAVDM_PRECISION_SINGLE; precision++)
    for (lavdm_bundle bundle = LAVDM_BUNDLE_ROTATION; bundle <= LAVDM_BUNDLE_SHIFT; bundle++) {
      stack_job job = {.data = {.points = x, .n = IMAGES, .p = PIXELS}};
      lavdm_options_default(&job.options);
      job.options.bundle = bundle, job.options.threads = 1;
      job.options.precision = precision, job.options.noise = 0.5;
      job.options.reflections = LAVDM_REFLECTIONS_YES;
      in_turn(stack, &job, 1);
      lavdm_stack *made;
      assert_int_equal(lavdm_stack_new(&job.data, &job.options, &made, NULL), 0);
      in_turn(stack_calls, made, 1);
      lavdm_stack_free(made);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_stacks)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
