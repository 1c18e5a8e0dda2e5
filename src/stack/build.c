/* A stack from the data: pixels are read in batches, checked and expanded; then the components that
 * distances are made of. */
#include "stack/stack.h"

#include "base/memory.h"
#include "neighbours/rows.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { BATCH = 64 };

/* Beyond these, the bounds on a correlation overflow. */
static const double LARGEST = sizeof(real_t) == sizeof(float) ? 1e12 : 1e130;

typedef struct {
  const steer_basis *basis;
  steer_stack *stack;
  int64_t p;
  int64_t bad[STRIPES]; /* the first number of each stripe that cannot be used, or INT64_MAX */
  double worst[STRIPES];
  bool short_of_memory[STRIPES];
} reader_t;

static void look(reader_t *reader, int stripe, const real_t *pixels, int64_t first, int64_t count) {
  for (int64_t e = 0; e < count * reader->p; e++)
    if (!(fabs((double)pixels[e]) <= LARGEST) && first * reader->p + e < reader->bad[stripe]) {
      reader->bad[stripe] = first * reader->p + e;
      reader->worst[stripe] = (double)pixels[e];
      return;
    }
}

static double squares(const real_t *value, int64_t count) {
  double sum = 0;
  for (int64_t c = 0; c < count; c++) sum += (double)value[c] * (double)value[c];
  return sum;
}

static void take(void *context, int stripe, const strided_t *rows, int64_t first, int64_t count) {
  reader_t *reader = context;
  int64_t p = reader->p, width = 2 * reader->stack->bands->size;
  real_t *pixels = NEW(real_t, (count < BATCH ? count : BATCH) * p);
  for (int64_t i = 0; pixels && i < count; i += BATCH) {
    int64_t some = count - i < BATCH ? count - i : BATCH;
    for (int64_t j = 0; j < some; j++)
      for (int64_t c = 0; c < p; c++) pixels[j * p + c] = rows_value(rows, i + j, c);
    look(reader, stripe, pixels, first + i, some);
    real_t *out = reader->stack->value + (first + i) * width;
    if (REAL(steer_expand)(reader->basis, pixels, some, 1, out) < 0) reader->short_of_memory[stripe] = true;
    for (int64_t j = 0; j < some; j++) reader->stack->norm2[first + i + j] = squares(out + j * width, width);
  }
  if (!pixels) reader->short_of_memory[stripe] = true;
  mem_free(pixels);
}

static int refuse(run_t *run, const lavdm_stack *stack, int64_t at, double value) {
  int64_t p = stack->info.height * stack->info.width, pixel = at % p;
  const char *hint = isfinite(value) ? "it is too large" : "remove or fill it first";
  if (stack->options.bundle == LAVDM_BUNDLE_SHIFT)
    return fail(run->error, LAVDM_ERROR_DATA,
                "signal %" PRId64 ", sample %" PRId64 " is %g: every value must be a finite number; %s",
                at / p + 1, pixel + 1, value, hint);
  return fail(run->error, LAVDM_ERROR_DATA,
              "image %" PRId64 ", row %" PRId64 ", column %" PRId64
              " is %g: every value must be a finite number; %s",
              at / p + 1, pixel / stack->info.width + 1, pixel % stack->info.width + 1, value, hint);
}

static int expand_all(run_t *run, const lavdm_data *data, lavdm_stack *stack) {
  stack_body *body = stack->body;
  reader_t *reader = NEW(reader_t, 1);
  if (!reader) return fail_memory(run->error, "the images");
  *reader = (reader_t){.basis = body->basis, .stack = &body->full, .p = data->p};
  for (int s = 0; s < STRIPES; s++) reader->bad[s] = INT64_MAX;
  run_stage(run, "expansion");
  int before = blas_threads(1), worst = 0;
  int status = REAL(rows_pass)(run, data, NULL, take, reader);
  blas_threads(before);
  for (int s = 0; s < STRIPES && status >= 0; s++) {
    if (reader->short_of_memory[s]) status = fail_memory(run->error, "the images");
    if (reader->bad[s] < reader->bad[worst]) worst = s;
  }
  if (status >= 0 && reader->bad[worst] < INT64_MAX)
    status = refuse(run, stack, reader->bad[worst], reader->worst[worst]);
  mem_free(reader);
  return status;
}

static int room(run_t *run, steer_stack *stack, const steer_bands *bands, int64_t n) {
  *stack = (steer_stack){.n = n, .bands = bands};
  stack->value = LARGE(&run->large, real_t, n * 2 * bands->size);
  stack->norm2 = NEW(double, n);
  return stack->value && stack->norm2 ? LAVDM_OK : fail_memory(run->error, "the coefficients of the images");
}

static int reduce(run_t *run, stack_body *body) {
  const lavdm_options *o = &run->options;
  int64_t keep = o->pca > 0 ? o->pca : 0, n = body->full.n;
  if (o->noise == 0 && !keep) return LAVDM_OK;
  run_stage(run, "pca");
  body->pca = REAL(steer_pca_fit)(&body->full, o->noise < 0 ? -1 : o->noise, keep, run);
  int status = run_status(run);
  if (status < 0) return status;
  if (!body->pca) return fail_memory(run->error, "the principal components");
  if (!(body->pca->noise > 0) && !keep) return LAVDM_OK;
  status = room(run, &body->reduced, &body->pca->to, n);
  if (status < 0) return status;
  if (REAL(steer_pca_apply)(body->pca, body->full.value, n, run->threads, body->reduced.value) < 0)
    return fail_memory(run->error, "the principal components");
  int64_t width = 2 * body->pca->to.size;
  for (int64_t i = 0; i < n; i++) body->reduced.norm2[i] = squares(body->reduced.value + i * width, width);
  body->compared = &body->reduced;
  return LAVDM_OK;
}

static int enough_memory(run_t *run, double bytes) {
  lavdm_options *o = &run->options;
  if (o->max_memory == LAVDM_AUTO) o->max_memory = mem_available();
  if (bytes <= (double)o->max_memory) return LAVDM_OK;
  return fail(run->error, LAVDM_ERROR_MEMORY,
              "about %.3g GB of memory are needed and %.3g GB may be used: take fewer or smaller images, use "
              "single precision, or raise max_memory",
              bytes / 1e9, (double)o->max_memory / 1e9);
}

int REAL(stack_build)(run_t *run, const lavdm_data *data, lavdm_stack *stack) {
  stack_body *body = stack->body = NEW(stack_body, 1);
  if (!body) return fail_memory(run->error, "the stack");
  bool images = stack->options.bundle == LAVDM_BUNDLE_ROTATION;
  double side = (double)(stack->info.height < stack->info.width ? stack->info.height : stack->info.width);
  run_stage(run, "basis");
  int status = enough_memory(run, images ? 2.5 * side * side * side * side : 32 * (double)data->p);
  if (status < 0) return status;
  int before = blas_threads(run->threads);
  body->basis = images ? REAL(steer_disk)(stack->info.height, stack->info.width)
                       : REAL(steer_circle)(data->p, run->options.signals);
  blas_threads(before);
  if (!body->basis) return fail_memory(run->error, "the basis");
  const steer_bands *bands = REAL(steer_basis_bands)(body->basis);
  if (run->options.pca > bands->size)
    return fail(run->error, LAVDM_ERROR_ARGUMENT,
                "pca is %" PRId64 ", but an object has only %" PRId64 " coefficients", run->options.pca,
                bands->size);
  bool both = run->options.noise != 0 || run->options.pca > 0;
  status =
      enough_memory(run, (double)data->n * (16 + (both ? 4. : 2.) * (double)bands->size * sizeof(real_t)));
  if (status >= 0) status = room(run, &body->full, bands, data->n);
  body->full.white = REAL(steer_basis_white)(body->basis);
  body->compared = &body->full;
  if (status >= 0) status = expand_all(run, data, stack);
  if (status >= 0) status = reduce(run, body);
  if (status < 0) return status;
  stack->info.pixels = REAL(steer_basis_pixels)(body->basis);
  stack->info.bands = body->compared->bands->bands;
  stack->info.coefficients = bands->size;
  stack->info.compared = body->compared->bands->size;
  stack->info.noise = body->pca ? body->pca->noise : 0;
  return LAVDM_OK;
}
