/*
 * Images to look at: grey, at most 32 x 32 pixels each (means of what one pixel stands for) or 256 samples of
 * a signal, 256 of them a block. Grey goes from `low` to `high`, which are such that one pixel in 200 is
 * beyond either; of signals they are the extremes.
 */
#include "report/rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_IMAGES = 20000, SIDE = 32, SAMPLES = 256, PER_BLOCK = 256, JUDGED = 400 };

typedef struct {
  int64_t height, width;  /* of an image */
  int64_t rows, columns;  /* of what is shown of it */
  int64_t step_y, step_x; /* pixels that one stands for */
  float *small;           /* count x rows x columns */
} strip;

static void take_image(void *user, int64_t k, const double *x) {
  strip *s = user;
  float *to = s->small + k * s->rows * s->columns;
  for (int64_t a = 0; a < s->rows; a++)
    for (int64_t b = 0; b < s->columns; b++) {
      double sum = 0;
      int64_t count = 0;
      for (int64_t y = a * s->step_y; y < (a + 1) * s->step_y && y < s->height; y++)
        for (int64_t z = b * s->step_x; z < (b + 1) * s->step_x && z < s->width; z++)
          if (isfinite(x[y * s->width + z])) sum += x[y * s->width + z], count++;
      to[a * s->columns + b] = count ? (float)(sum / (double)count) : NAN;
    }
}

static int by_value(const void *a, const void *b) {
  float x = *(const float *)a, y = *(const float *)b;
  return (x > y) - (x < y);
}

/* Black and white, from the pixels of some images. */
static void find_range(report_page *p, const strip *s, int64_t count, double *low, double *high) {
  int64_t size = s->rows * s->columns, judged = count < JUDGED ? count : JUDGED, used = 0;
  bool signal = s->rows == 1;
  if (signal) judged = count;
  float *all = malloc((size_t)(judged * size) * sizeof *all + 1);
  *low = 0, *high = 1;
  if (!all) {
    report_no_memory(p, "images");
    return;
  }
  for (int64_t k = 0; k < judged; k++)
    for (int64_t i = 0; i < size; i++) {
      float x = s->small[k * count / judged * size + i];
      if (isfinite(x)) all[used++] = x;
    }
  qsort(all, (size_t)used, sizeof *all, by_value);
  int64_t cut = signal ? 0 : used / 200;
  if (used) *low = (double)all[cut], *high = (double)all[used - 1 - cut];
  if (used && !(*high > *low)) *low = (double)all[0], *high = (double)all[used - 1];
  if (!(*high > *low)) *high = *low + 1;
  free(all);
}

static void put_strip(report_page *p, const char *name, const strip *s, int64_t count) {
  int64_t size = s->rows * s->columns;
  double low, high;
  report_text blocks = {0};
  unsigned char *grey = malloc((size_t)(PER_BLOCK * size));
  if (!grey) report_no_memory(p, name);
  find_range(p, s, count, &low, &high);
  for (int64_t first = 0; first < count && report_goes_on(p, name, (double)first / (double)count);
       first += PER_BLOCK) {
    int64_t here = count - first < PER_BLOCK ? count - first : PER_BLOCK;
    for (int64_t i = 0; i < here * size; i++) {
      double share = ((double)s->small[first * size + i] - low) / (high - low);
      grey[i] = (unsigned char)lround(255 * (share > 0 ? share < 1 ? share : 1 : 0)); /* NaN is black */
    }
    report_text_comma(&blocks);
    report_text_whole(&blocks, report_block(p, grey, (size_t)(here * size)));
  }
  if (p->status >= 0) {
    report_begin(p, name, 3, (int64_t[]){count, s->rows, s->columns});
    report_text_put(&p->arrays, ",\"type\":\"u8\",\"per\":256,\"low\":");
    report_text_number(&p->arrays, low);
    report_text_put(&p->arrays, ",\"high\":");
    report_text_number(&p->arrays, high);
    report_text_put(&p->arrays, ",\"blocks\":[");
    report_text_add(&p->arrays, blocks.data, blocks.used);
    report_text_put(&p->arrays, "]");
    report_end(p);
  }
  if (blocks.failed) report_no_memory(p, name);
  report_text_free(&blocks);
  free(grey);
}

/* The first `count` of some rows, as images of that height and width. */
static void put_images(report_page *p, const char *name, const report_rows *from, const int64_t *row,
                       int64_t count, int64_t height, int64_t width) {
  int64_t most = height == 1 ? SAMPLES : SIDE, larger = height > width ? height : width;
  int64_t step = (larger + most - 1) / most;
  int64_t half = (height + 1) / 2; /* an image of one row would be a signal */
  strip s = {.height = height, .width = width, .step_x = step, .step_y = step < half ? step : half};
  s.rows = (height + s.step_y - 1) / s.step_y, s.columns = (width + step - 1) / step;
  s.small = malloc((size_t)(count * s.rows * s.columns) * sizeof *s.small + 1);
  if (!s.small) report_no_memory(p, name);
  report_rows_each(p, from, row, count, take_image, &s);
  if (p->status >= 0) put_strip(p, name, &s, count);
  free(s.small);
}

static void put_thumbs(report_page *p, bool stack) {
  report_rows from;
  if (!report_rows_of(p, p->options.images, "the stack of images", stack ? -1 : p->n, &from)) return;
  int64_t height = from.data.height, width = from.data.width, rows = stack ? from.data.n : p->rows;
  if (height < 1 || width < 1 || height > from.data.p || width > from.data.p ||
      height * width != from.data.p) {
    report_fail(p, LAVDM_ERROR_DATA, "images of %lld x %lld pixels do not have %lld numbers",
                (long long)height, (long long)width, (long long)from.data.p);
    return;
  }
  if (rows > MOST_IMAGES)
    report_note(p, "the images of the first %d of %lld are in the page", MOST_IMAGES, (long long)rows);
  put_images(p, "thumbs", &from, stack ? NULL : p->row, rows < MOST_IMAGES ? rows : MOST_IMAGES, height,
             width);
}

static void put_averages(report_page *p) {
  lavdm_item any;
  const lavdm_item *a = report_array(p, "averages", 3, p->n, &any);
  if (!a) return;
  if (a->shape[1] < 1 || a->shape[2] < 1) {
    report_fail(p, LAVDM_ERROR_DATA, "averages have no pixels");
    return;
  }
  report_rows from;
  if (!report_rows_in(p, a, &from)) return;
  put_images(p, "averages", &from, p->row, p->rows < MOST_IMAGES ? p->rows : MOST_IMAGES, a->shape[1],
             a->shape[2]);
}

void report_images(report_page *p) {
  bool average = !strcmp(p->kind, "average");
  if (p->options.images) put_thumbs(p, average);
  if (average) put_averages(p);
}

void report_averages(report_page *p) {
  static const char *const tables[] = {"neighbours", "angles", "reflected", "distances", NULL};
  lavdm_item any;
  const lavdm_item *list = report_array(p, "images", 1, p->n, &any);
  if (list) report_points(p, list);
  for (int k = 0; tables[k]; k++) {
    const lavdm_item *table = report_array(p, tables[k], 2, p->n, &any);
    if (table) report_points(p, table);
  }
}
