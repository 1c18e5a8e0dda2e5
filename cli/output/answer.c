#include "output/answer.h"
#include "base/command.h"
#include "io/io.h"
#include "base/json.h"
#include "output/result.h"
#include "io/sentence.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { ITEMS = 8, SHOWN = 20 };

void answer_free(answer *a) {
  free(a->points);
  free(a->index);
  free(a->distance);
  free(a->alignment);
  *a = (answer){0};
}

int64_t answer_lines(const answer *a) {
  return a->kind == ANSWER_PAIRS ? a->count : a->count * a->k;
}

static bool is_table(const answer *a) {
  return a->output && result_alone(a->output) && a->kind != ANSWER_TO_ALL;
}

double answer_bytes(const answer *a) {
  double q2 = (double)a->q * (double)a->q, lines = (double)a->count * (double)a->k;
  double line = a->kind == ANSWER_TO_ALL ? 1 : 2 + q2;
  return 8 * lines * (line + (is_table(a) ? 3 + q2 : 0));
}

/* The two points of a line. */
static void line_points(const answer *a, int64_t line, int64_t *one, int64_t *other) {
  bool pairs = a->kind == ANSWER_PAIRS;
  *one = a->points[pairs ? 2 * line : line / a->k];
  *other = pairs ? a->points[2 * line + 1] : a->kind == ANSWER_TO_ALL ? line % a->k : a->index[line];
}

/* Everything by name; returns how many. */
static int collect(const answer *a, io_item items[ITEMS]) {
  int count = 0;
  int64_t n = a->count, k = a->k, q = a->q;
  if (a->kind == ANSWER_PAIRS) {
    items[count++] = (io_item){"pairs", IO_INTEGER, 2, {n, 2}, a->points};
    items[count++] = (io_item){"distance", IO_REAL, 1, {n}, a->distance};
    items[count++] = (io_item){"alignment", IO_REAL, 3, {n, q, q}, a->alignment};
  } else {
    items[count++] = (io_item){"points", IO_INTEGER, 1, {n}, a->points};
    if (a->index) items[count++] = (io_item){"index", IO_INTEGER, 2, {n, k}, a->index};
    items[count++] = (io_item){"distance", IO_REAL, 2, {n, k}, a->distance};
    if (a->alignment) items[count++] = (io_item){"alignment", IO_REAL, 4, {n, k, q, q}, a->alignment};
  }
  items[count++] = (io_item){.name = "time", .type = IO_REAL, .data = &a->time};
  items[count++] = (io_item){.name = "rank", .type = IO_INTEGER, .data = &a->rank};
  return count;
}

/* Lines of: the two points, distance, alignment row by row. */
static int write_table(const answer *a, lavdm_error *error) {
  int64_t lines = answer_lines(a), q2 = a->q * a->q, width = 3 + q2;
  double *table = calloc((size_t)(lines * width), sizeof *table);
  if (!table) return refuse(error, LAVDM_ERROR_MEMORY, "out of memory for the table of the result");
  for (int64_t i = 0; i < lines; i++) {
    int64_t one, other;
    line_points(a, i, &one, &other);
    double *to = table + i * width;
    to[0] = (double)one, to[1] = (double)other, to[2] = a->distance[i];
    for (int64_t e = 0; e < q2; e++) to[3 + e] = a->alignment[i * q2 + e];
  }
  io_item item = {"distance", IO_REAL, 2, {lines, width}, table};
  int status = io_write(a->output, &item, 1, error);
  free(table);
  return status;
}

int answer_write(const answer *a, lavdm_error *error) {
  io_item items[ITEMS];
  int count = collect(a, items), status;
  if (is_table(a))
    status = write_table(a, error);
  else if (result_alone(a->output))
    status = io_write(a->output, &items[1], 1, error); /* distances to all */
  else
    status = io_write(a->output, items, count, error);
  bool other = status != LAVDM_ERROR_MEMORY && status != LAVDM_ERROR_INTERRUPTED;
  return status < 0 && other ? STATUS_WRITE : status;
}

/* Axes from `axis` on of an item, its numbers from *at on. */
static json_t *nested(const io_item *item, int axis, int64_t *at, bool *failed) {
  if (axis == item->rank || axis == IO_RANK) {
    int64_t i = (*at)++;
    return item->type == IO_INTEGER ? json_integer(((const int64_t *)item->data)[i])
                                    : json_number(((const double *)item->data)[i]);
  }
  json_t *list = json_array();
  for (int64_t i = 0; i < item->shape[axis] && list; i++)
    if (json_array_append_new(list, nested(item, axis + 1, at, failed))) *failed = true;
  return list;
}

int answer_json(const answer *a, double seconds, lavdm_error *error) {
  io_item items[ITEMS];
  int count = collect(a, items);
  json_builder object = {0};
  json_start(&object);
  json_put_text(&object, "model", a->model);
  json_put_text(&object, "output", a->output);
  json_put_whole(&object, "n", a->n);
  json_put_whole(&object, "q", a->q);
  json_put_text(&object, "kind", a->diffusion ? "diffusion" : "vector diffusion");
  if (a->kind == ANSWER_NEIGHBOURS) json_put_whole(&object, "k", a->k);
  for (int i = 0; i < count; i++) {
    int64_t at = 0;
    if (items[i].rank == 0 || !a->output)
      json_put(&object, items[i].name, nested(&items[i], 0, &at, &object.failed));
  }
  json_put_real(&object, "seconds", seconds);
  int status = json_print(&object, error);
  json_free(&object);
  return status;
}

void answer_print(const answer *a) {
  int64_t lines = answer_lines(a), q2 = a->q * a->q;
  bool aligned = a->alignment && a->q <= 3;
  printf("%s: %" PRId64 " points, time %g, rank %" PRId64 "\n\n", shown(a->model), a->n, a->time, a->rank);
  printf("%10s %10s  %-12s%s\n", "point", a->kind == ANSWER_NEIGHBOURS ? "neighbour" : "point", "distance",
         aligned ? "  alignment, row by row" : "");
  for (int64_t i = 0; i < lines && i < SHOWN; i++) {
    int64_t one, other;
    line_points(a, i, &one, &other);
    printf("%10" PRId64 " %10" PRId64 "  %-12.6g", one, other, a->distance[i]);
    for (int64_t e = 0; e < q2 && aligned; e++) printf(" %8.4f", a->alignment[i * q2 + e]);
    putchar('\n');
  }
  if (lines > SHOWN) printf("\n%" PRId64 " lines more; -o OUTPUT writes them all\n", lines - SHOWN);
}
