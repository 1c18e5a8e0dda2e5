/*
 * The page of a result whose items are made of bytes: names of results and others, shapes that mostly fit,
 * any numbers and texts. It is a page whose JSON is JSON, or a refusal that leaves no file.
 */
#include "fuzz.h"
#include "bytes.h"
#include "lavdm/report.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ITEMS = 12, NUMBERS = 512, TEXT = 64, AXIS = 7 };

typedef struct {
  lavdm_item item[ITEMS];
  char name[ITEMS][TEXT + 1], text[ITEMS][TEXT + 1];
  double real[ITEMS][NUMBERS];
  float single[ITEMS][NUMBERS];
  int64_t whole[ITEMS][NUMBERS];
  double points[NUMBERS];
  int count;
} problem;

static const char *const names[] = {"eigenvalues",
                                    "eigenvectors",
                                    "points",
                                    "frames",
                                    "landmarks",
                                    "landmark_frames",
                                    "degrees",
                                    "labels",
                                    "ids",
                                    "columns",
                                    "nodes",
                                    "elements",
                                    "edges",
                                    "residuals",
                                    "trust",
                                    "positions",
                                    "component",
                                    "neighbours",
                                    "angles",
                                    "images",
                                    "averages",
                                    "cover",
                                    "cover_index",
                                    "signs",
                                    "model",
                                    "options",
                                    "timings",
                                    "warnings",
                                    "pca_basis",
                                    "pca_mean",
                                    "trust_table",
                                    "centre",
                                    "page_notes",
                                    "isolated_points",
                                    "graph_component",
                                    "option_dim",
                                    "coordinate_index",
                                    "reflected",
                                    "distances",
                                    "landmark_index"};

static void take_text(bytes_t *b, char *to) {
  int length = bytes_below(b, TEXT);
  for (int i = 0; i < length; i++)
    to[i] = (char)(bytes_below(b, 4) ? "ab<>/!-&\n \"\\="[bytes_below(b, 13)] : bytes_below(b, 256));
}

/* An axis is n for the most part. */
static int64_t take_axis(bytes_t *b, int n) {
  return bytes_below(b, 4) ? n : bytes_below(b, AXIS + 1);
}

static void take_item(bytes_t *b, problem *p, int n) {
  int k = p->count++;
  lavdm_item *item = &p->item[k];
  int which = bytes_below(b, 48), known = sizeof names / sizeof *names;
  if (which >= known) take_text(b, p->name[k]);
  item->name = which < known ? names[which] : p->name[k];
  item->type = (lavdm_item_type)bytes_below(b, 4);
  if (item->type == LAVDM_ITEM_TEXT) {
    take_text(b, p->text[k]);
    item->rank = 1, item->shape[0] = (int64_t)strlen(p->text[k]), item->data = p->text[k];
    return;
  }
  int64_t count = 1;
  item->rank = bytes_below(b, 4);
  for (int a = 0; a < item->rank; a++) count *= item->shape[a] = a ? bytes_below(b, AXIS) : take_axis(b, n);
  int different = 1 + bytes_below(b, 8);
  double number[8];
  for (int i = 0; i < different; i++) number[i] = bytes_number(b);
  for (int64_t i = 0; i < count; i++) {
    double x = number[i % different];
    p->real[k][i] = x, p->single[k][i] = (float)x;
    p->whole[k][i] = x > -1e15 && x < 1e15 ? (int64_t)x : 0;
  }
  item->data = item->type == LAVDM_ITEM_REAL     ? (void *)p->real[k]
               : item->type == LAVDM_ITEM_SINGLE ? (void *)p->single[k]
                                                 : (void *)p->whole[k];
}

static void check_page(const char *path) {
  static char text[1 << 22];
  FILE *file = fopen(path, "rb");
  PROMISE(file, "a page is written");
  size_t size = fread(text, 1, sizeof text - 1, file);
  fclose(file);
  text[size] = 0;
  const char *from = strstr(text, "id=\"page\">"), *end = from ? strstr(from, "</script>") : NULL;
  PROMISE(end, "the page has a block of JSON");
  from += strlen("id=\"page\">");
  PROMISE(!memchr(from, '<', (size_t)(end - from)), "nothing in it is a tag");
  json_t *json = json_loadb(from, (size_t)(end - from), 0, NULL);
  PROMISE(json, "it is JSON");
  json_decref(json);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static problem p;
  bytes_t b = {data, size};
  lavdm_error error = {0};
  lavdm_report_options options;
  memset(&p, 0, sizeof p);
  const char *path = fuzz_disk(".html", data, 0);
  int n = 1 + bytes_below(&b, AXIS), width = 1 + bytes_below(&b, AXIS);
  lavdm_data points = {.points = p.points, .n = n, .p = width, .height = 1, .width = width};
  lavdm_report_default(&options);
  options.threads = 1;
  if (bytes_below(&b, 2)) options.points = 1 + bytes_below(&b, AXIS);
  if (!bytes_below(&b, 3)) options.data = &points;
  if (!bytes_below(&b, 3)) options.images = &points;
  for (int i = 0; i < n * width; i++) p.points[i] = bytes_number(&b);
  while (b.left > 0 && p.count < ITEMS) take_item(&b, &p, n);
  unlink(path);
  int status = lavdm_report_write(path, p.item, p.count, &options, &error);
  fuzz_check_error(status, &error);
  PROMISE((status >= 0) == !access(path, F_OK), "there is a page or an error");
  if (status >= 0) check_page(path);
  return 0;
}
