/*
 * A result to look at: fit, and write one page of HTML that shows the points, their embedding, the spectrum
 * and the eigenvector fields. It opens by a double click, and needs no network.
 *
 *     cc page.c $(pkg-config --cflags --libs lavdm) -lm -o page && ./page sphere.html
 */
#include <lavdm/report.h>
#include <lavdm/sample.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS = 1000, MOST_ITEMS = 64 };

static void check(int status, const lavdm_error *error) {
  if (status >= 0) return;
  fprintf(stderr, "page: %s\n", error->message);
  exit(1);
}

/* Every array of the model, under its name. */
static int add_arrays(const lavdm_model *model, lavdm_item *items, int count) {
  for (int i = 0; i < lavdm_array_count(model) && count < MOST_ITEMS; i++) {
    const lavdm_array *a = lavdm_array_at(model, i);
    lavdm_item *item = &items[count++];
    *item = (lavdm_item){.name = a->name, .rank = a->rank, .data = a->data};
    item->type = a->type == LAVDM_F32   ? LAVDM_ITEM_SINGLE
                 : a->type == LAVDM_I64 ? LAVDM_ITEM_INTEGER
                                        : LAVDM_ITEM_REAL;
    memcpy(item->shape, a->shape, (size_t)a->rank * sizeof *a->shape);
  }
  return count;
}

static lavdm_item text(const char *name, const char *text) {
  return (lavdm_item){name, LAVDM_ITEM_TEXT, 1, {(int64_t)strlen(text)}, text};
}

int main(int argc, char **argv) {
  static double x[POINTS][3], height[POINTS];
  static char labels[8 * POINTS];
  const char *path = argc > 1 ? argv[1] : "page.html";
  lavdm_error error;
  check(lavdm_sample("sphere", POINTS, 2, NULL, 0, 1, &x[0][0], NULL, NULL, &error), &error);

  lavdm_options options;
  lavdm_options_default(&options);
  options.dim = 2, options.components = 12;
  lavdm_data data = {.points = x, .n = POINTS, .p = 3};
  lavdm_model *model;
  check(lavdm_fit(&data, &options, &model, &error), &error);

  /* What to colour by: one label a line, and numbers of any name. */
  size_t used = 0;
  for (int i = 0; i < POINTS; i++) {
    used += (size_t)sprintf(labels + used, "%s\n", x[i][2] > 0 ? "north" : "south");
    height[i] = x[i][2];
  }
  lavdm_item items[MOST_ITEMS] = {text("labels", labels),
                                  text("label_name", "hemisphere"),
                                  {"height", LAVDM_ITEM_REAL, 1, {POINTS}, height}};
  int count = add_arrays(model, items, 3);

  lavdm_report_options how;
  lavdm_report_default(&how);
  how.title = "A sphere", how.data = &data;
  check(lavdm_report_write(path, items, count, &how, &error), &error);
  printf("%s shows %d points and %d arrays\n", path, POINTS, lavdm_array_count(model));
  lavdm_free(model);
  return 0;
}
