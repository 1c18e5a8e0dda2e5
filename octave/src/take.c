/* Arguments: numbers, texts, arrays of any class of numbers, points. */
#include "bridge.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Whole numbers beyond are not exact in a double. */
#define EXACT 9007199254740992.0

int64_t take_count(const mxArray *a) {
  return (int64_t)mxGetNumberOfElements(a);
}

int64_t take_size(const mxArray *a, int axis) {
  return axis < (int)mxGetNumberOfDimensions(a) ? (int64_t)mxGetDimensions(a)[axis] : 1;
}

void take_real(const mxArray *a, const char *name) {
  if (mxIsSparse(a))
    trouble(LAVDM_ERROR_ARGUMENT, "%s is sparse: use full(...), or give a graph as a struct of edges", name);
  if (!mxIsNumeric(a) && !mxIsLogical(a))
    trouble(LAVDM_ERROR_ARGUMENT, "%s must be an array of numbers, and is of class %.40s", name,
            mxGetClassName(a));
  if (mxIsComplex(a))
    trouble(LAVDM_ERROR_ARGUMENT, "%s is complex: give real and imaginary parts as columns of their own",
            name);
}

double take_number(const mxArray *a, const char *name) {
  take_real(a, name);
  if (take_count(a) != 1)
    trouble(LAVDM_ERROR_ARGUMENT, "%s must be one number, and has %" PRId64 " elements", name, take_count(a));
  return mxGetScalar(a);
}

int64_t take_whole(const mxArray *a, const char *name, int64_t least, int64_t most) {
  double x = take_number(a, name);
  if (!(x >= (double)least && x <= (double)most && x == floor(x)))
    trouble(LAVDM_ERROR_ARGUMENT, "%s is %g: it must be a whole number from %" PRId64 " to %" PRId64, name, x,
            least, most);
  return (int64_t)x;
}

bool take_flag(const mxArray *a, const char *name) {
  double x = take_number(a, name);
  if (x != 0 && x != 1) trouble(LAVDM_ERROR_ARGUMENT, "%s is %g: it must be true or false", name, x);
  return x == 1;
}

char *take_text(const mxArray *a, const char *name) {
  if (!mxIsChar(a) || (take_count(a) > 0 && take_size(a, 0) != 1))
    trouble(LAVDM_ERROR_ARGUMENT, "%s must be a text, and is of class %.40s", name, mxGetClassName(a));
  char *text = mxArrayToString(a);
  if (!text) trouble(LAVDM_ERROR_MEMORY, "out of memory for a text");
  return text;
}

/* x[i] = source[i] for the classes that are not double. */
#define CONVERT(type)                                                                                        \
  for (int64_t i = 0; i < count; i++) x[i] = (double)((const type *)source)[i];                              \
  break

const double *take_doubles(const mxArray *a, const char *name) {
  take_real(a, name);
  const void *source = mxGetData(a);
  int64_t count = take_count(a);
  if (mxIsDouble(a)) return source;
  double *x = SCRATCH(double, count);
  switch (mxGetClassID(a)) {
  case mxSINGLE_CLASS:
    CONVERT(float);
  case mxINT8_CLASS:
    CONVERT(int8_t);
  case mxUINT8_CLASS:
    CONVERT(uint8_t);
  case mxINT16_CLASS:
    CONVERT(int16_t);
  case mxUINT16_CLASS:
    CONVERT(uint16_t);
  case mxINT32_CLASS:
    CONVERT(int32_t);
  case mxUINT32_CLASS:
    CONVERT(uint32_t);
  case mxINT64_CLASS:
    CONVERT(int64_t);
  case mxUINT64_CLASS:
    CONVERT(uint64_t);
  case mxLOGICAL_CLASS:
    CONVERT(mxLogical);
  default:
    trouble(LAVDM_ERROR_ARGUMENT, "%s is of class %.40s", name, mxGetClassName(a));
  }
  return x;
}

int64_t *take_indices(const mxArray *a, const char *name, int64_t most) {
  const double *x = take_doubles(a, name);
  int64_t count = take_count(a), *out = SCRATCH(int64_t, count);
  for (int64_t i = 0; i < count; i++) {
    if (!(x[i] >= 1 && x[i] <= EXACT && x[i] == floor(x[i])))
      trouble(LAVDM_ERROR_DATA, "element %" PRId64 " of %s is %.17g: it must be a whole number from 1 on",
              i + 1, name, x[i]);
    if (most && x[i] > (double)most)
      trouble(LAVDM_ERROR_DATA, "element %" PRId64 " of %s is %.17g, but there are %" PRId64 " points", i + 1,
              name, x[i], most);
    out[i] = (int64_t)x[i] - 1;
  }
  return out;
}

double *take_rows(const mxArray *a, const char *name, int64_t rows, int64_t columns) {
  const double *x = take_doubles(a, name);
  double *out = SCRATCH(double, rows *columns);
  for (int64_t i = 0; i < rows; i++)
    for (int64_t j = 0; j < columns; j++) out[i * columns + j] = x[i + j * rows];
  return out;
}

/* Images h x w x n, each column by column, to rows of pixels, row by row. */
static void turn_images(const char *from, char *to, size_t size, int64_t h, int64_t w, int64_t n) {
  for (int64_t i = 0; i < n; i++, from += (size_t)(h * w) * size)
    for (int64_t r = 0; r < h; r++)
      for (int64_t c = 0; c < w; c++, to += size) memcpy(to, from + (size_t)(r + c * h) * size, size);
}

void take_points(const mxArray *a, const char *name, bool turned, lavdm_data *out) {
  take_real(a, name);
  bool single = mxIsSingle(a), images = mxGetNumberOfDimensions(a) == 3;
  const void *x = single ? mxGetData(a) : take_doubles(a, name);
  size_t size = single ? sizeof(float) : sizeof(double);
  int64_t h = take_size(a, 0), w = take_size(a, 1), n = take_size(a, 2);
  if (mxGetNumberOfDimensions(a) > 3)
    trouble(LAVDM_ERROR_ARGUMENT, "%s has %d dimensions: it must be n x p, or images h x w x n", name,
            (int)mxGetNumberOfDimensions(a));
  out->type = single ? LAVDM_F32 : LAVDM_F64;
  if (!images) {
    out->points = x;
    out->n = h, out->p = w;
    out->row_stride = 1, out->col_stride = h > 0 ? h : 1;
    return;
  }
  out->n = n, out->p = h * w;
  out->height = h, out->width = w;
  if (turned) {
    void *rows = scratch(n * h * w, size);
    turn_images(x, rows, size, h, w, n);
    out->points = rows;
  } else {
    out->points = x;
    out->row_stride = h * w, out->col_stride = 1;
  }
}
