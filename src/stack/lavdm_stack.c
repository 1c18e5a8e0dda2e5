/* The doors lavdm_stack_*: everything is checked here, and done in the precision of the stack. */
#include "base/door.h"
#include "base/memory.h"
#include "base/options.h"
#include "stack/stack.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>

extern const stack_calls_t double_stack_calls, single_stack_calls;

static int start_run(run_t *run, const lavdm_options *options, lavdm_error *error) {
  run->options = *options;
  run->options.checkpoint = NULL;
  run->error = error;
  large_start(&run->large, false);
  return run_threads(run, options->threads);
}

static int check_shape(const lavdm_data *data, lavdm_bundle bundle, lavdm_stack_info_t *info,
                       lavdm_error *error) {
  if (bundle == LAVDM_BUNDLE_SHIFT) {
    info->height = 1, info->width = data->p;
    return LAVDM_OK;
  }
  int64_t h = data->height, w = data->width;
  if (h < 0 || w < 0 || (h == 0) != (w == 0))
    return fail(error, LAVDM_ERROR_ARGUMENT,
                "an image of %" PRId64 " by %" PRId64 " pixels: give both height and width, or neither for a "
                "square one",
                h, w);
  if (!h) {
    h = w = (int64_t)llround(sqrt((double)data->p));
    if (h * w != data->p)
      return fail(error, LAVDM_ERROR_ARGUMENT,
                  "images of %" PRId64 " pixels are not square: give their height and width", data->p);
  }
  if (data->p % h || data->p / h != w)
    return fail(error, LAVDM_ERROR_ARGUMENT,
                "height %" PRId64 " times width %" PRId64 " is not the %" PRId64 " pixels that a row has", h,
                w, data->p);
  info->height = h, info->width = w;
  return LAVDM_OK;
}

static int check_data(const lavdm_data *data, const lavdm_options *how, lavdm_stack_info_t *info,
                      lavdm_error *error) {
  int status = options_check(how, error);
  if (status < 0) return status;
  if (how->bundle != LAVDM_BUNDLE_ROTATION && how->bundle != LAVDM_BUNDLE_SHIFT)
    return fail(error, LAVDM_ERROR_ARGUMENT,
                "a stack is of images (bundle rotation) or of periodic signals (bundle shift)");
  if (!data->points && !data->read) return fail(error, LAVDM_ERROR_DATA, "there are no points");
  if (data->n < 1 || data->p < 1)
    return fail(error, LAVDM_ERROR_DATA,
                "the data has %" PRId64 " objects of %" PRId64 " numbers: nothing to expand", data->n,
                data->p);
  if (data->p > INT_MAX / 8)
    return fail(error, LAVDM_ERROR_DATA, "objects of %" PRId64 " numbers are too large", data->p);
  if (data->type != LAVDM_F64 && data->type != LAVDM_F32)
    return fail(error, LAVDM_ERROR_ARGUMENT, "points must be of type LAVDM_F64 or LAVDM_F32");
  info->n = data->n;
  return check_shape(data, how->bundle, info, error);
}

int lavdm_stack_new(const lavdm_data *data, const lavdm_options *how, lavdm_stack **stack,
                    lavdm_error *error) {
  if (error) *error = (lavdm_error){0};
  if (!stack) return fail(error, LAVDM_ERROR_ARGUMENT, "there is no place for the stack (NULL)");
  *stack = NULL;
  if (!data || !how) return fail(error, LAVDM_ERROR_ARGUMENT, "data or options are missing (NULL)");
  lavdm_stack_info_t info = {0};
  door_t door;
  int status = door_open(&door, data, how, error);
  if (status >= 0) status = door_dense(&door, "lavdm_stack_new", error);
  if (status < 0) return status;
  data = &door.data, how = &door.options;
  status = check_data(data, how, &info, error);
  if (status < 0) return status;
  run_t *run = NEW(run_t, 1);
  lavdm_stack *made = NEW(lavdm_stack, 1);
  status = run && made ? LAVDM_OK : fail_memory(error, "the stack");
  if (status >= 0) {
    lavdm_data own = *data;
    if (!own.row_stride && !own.col_stride) own.row_stride = own.p, own.col_stride = 1;
    status = start_run(run, how, error);
    made->info = info;
    made->options = run->options;
    made->options.threads = run->threads;
    made->calls = how->precision == LAVDM_PRECISION_SINGLE ? &single_stack_calls : &double_stack_calls;
    if (!status) status = made->calls->build(run, &own, made);
    run_stage(run, NULL);
    large_end(&run->large);
  }
  mem_free(run);
  if (status < 0)
    lavdm_stack_free(made);
  else
    *stack = made;
  return status;
}

void lavdm_stack_free(lavdm_stack *stack) {
  if (!stack) return;
  if (stack->calls) stack->calls->free(stack->body);
  mem_free(stack);
}

const lavdm_stack_info_t *lavdm_stack_info(const lavdm_stack *stack) {
  return stack ? &stack->info : NULL;
}

/* `what` are numbers of objects, all of them in the stack. */
static int check_objects(const lavdm_stack *stack, const int64_t *objects, int64_t count, const char *what,
                         lavdm_error *error) {
  for (int64_t e = 0; objects && e < count; e++)
    if (objects[e] < 0 || objects[e] >= stack->info.n)
      return fail(error, LAVDM_ERROR_ARGUMENT,
                  "%s %" PRId64 " (entry %" PRId64 ") is not in the stack, which has %" PRId64
                  " objects (counted from 0)",
                  what, objects[e], e, stack->info.n);
  return LAVDM_OK;
}

static int check_start(const lavdm_stack *stack, int64_t count, bool complete, lavdm_error *error) {
  if (error) *error = (lavdm_error){0};
  if (!stack || (count > 0 && !complete))
    return fail(error, LAVDM_ERROR_ARGUMENT, "an argument is missing (NULL)");
  if (count < 0) return fail(error, LAVDM_ERROR_ARGUMENT, "%" PRId64 " is not a number of objects", count);
  return LAVDM_OK;
}

/* A run for one call; NULL with an error. */
static run_t *call_run(const lavdm_stack *stack, lavdm_error *error) {
  run_t *run = NEW(run_t, 1);
  if (!run) fail_memory(error, "the run");
  if (!run || start_run(run, &stack->options, error) >= 0) return run;
  mem_free(run);
  return NULL;
}

static int call_end(run_t *run, int status) {
  run_stage(run, NULL);
  large_end(&run->large);
  mem_free(run);
  return status;
}

int lavdm_stack_pairs(const lavdm_stack *stack, const int64_t *i, const int64_t *j, int64_t count,
                      double *distance, double *angle, signed char *reflected, lavdm_error *error) {
  int status = check_start(stack, count, i && j, error);
  if (status >= 0) status = check_objects(stack, i, count, "object", error);
  if (status >= 0) status = check_objects(stack, j, count, "object", error);
  if (status < 0 || !count) return status;
  run_t *run = call_run(stack, error);
  if (!run) return LAVDM_ERROR_MEMORY;
  return call_end(run, stack->calls->pairs(run, stack, i, j, count, distance, angle, reflected));
}

int lavdm_stack_neighbours(const lavdm_stack *stack, const int64_t *objects, int64_t count,
                           const int64_t *references, int64_t reference_count, int64_t k, int64_t *index,
                           double *distance, double *angle, signed char *reflected, lavdm_error *error) {
  if (stack && !objects) count = stack->info.n;
  int status = check_start(stack, count, index, error);
  if (status >= 0 && k < 1)
    status = fail(error, LAVDM_ERROR_ARGUMENT, "%" PRId64 " neighbours: ask for one at least", k);
  if (status >= 0 && references && reference_count < 0)
    status = fail(error, LAVDM_ERROR_ARGUMENT, "%" PRId64 " is not a number of references", reference_count);
  if (status >= 0) status = check_objects(stack, objects, count, "object", error);
  if (status >= 0) status = check_objects(stack, references, reference_count, "reference", error);
  if (status < 0 || !count) return status;
  run_t *run = call_run(stack, error);
  if (!run) return LAVDM_ERROR_MEMORY;
  stack_query query = {objects, references, count, reference_count, k, index, distance, angle, reflected};
  return call_end(run, stack->calls->nearest(run, stack, &query));
}

static int average(const lavdm_stack *stack, const stack_groups *groups, int64_t entries, double *out,
                   lavdm_error *error) {
  int status = check_objects(stack, groups->objects, entries, "object", error);
  for (int64_t e = 0; status >= 0 && e < entries; e++)
    if (!isfinite(groups->angle[e]) || (groups->weight && !isfinite(groups->weight[e])))
      status = fail(error, LAVDM_ERROR_ARGUMENT, "entry %" PRId64 ": %s is not a finite number", e,
                    isfinite(groups->angle[e]) ? "its weight" : "its angle");
  if (status < 0 || !groups->count) return status;
  run_t *run = call_run(stack, error);
  if (!run) return LAVDM_ERROR_MEMORY;
  return call_end(run, stack->calls->average(run, stack, groups, out));
}

int lavdm_stack_turn(const lavdm_stack *stack, const int64_t *objects, const double *angle,
                     const signed char *reflected, int64_t count, double *out, lavdm_error *error) {
  int status = check_start(stack, count, objects && angle && out, error);
  stack_groups groups = {.count = count, .objects = objects, .angle = angle, .reflected = reflected};
  return status < 0 ? status : average(stack, &groups, count, out, error);
}

int lavdm_stack_average(const lavdm_stack *stack, const int64_t *first, int64_t count, const int64_t *objects,
                        const double *angle, const signed char *reflected, const double *weight, double *out,
                        lavdm_error *error) {
  int status = check_start(stack, count, first && out, error);
  if (status < 0 || !count) return status;
  for (int64_t g = 0; g < count; g++)
    if (first[g] < 0 || first[g + 1] < first[g])
      return fail(error, LAVDM_ERROR_ARGUMENT,
                  "group %" PRId64 " is made of the entries %" PRId64 " to %" PRId64
                  ": they must not go backwards",
                  g, first[g], first[g + 1] - 1);
  if (first[count] > 0 && (!objects || !angle))
    return fail(error, LAVDM_ERROR_ARGUMENT, "an argument is missing (NULL)");
  stack_groups groups = {first, count, objects, angle, reflected, weight};
  return average(stack, &groups, first[count], out, error);
}
