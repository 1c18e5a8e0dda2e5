/*
 * The first bytes are options, a name and a value each; the next say what the data
 * are: points of a known manifold or of the bytes, some of them copies of each other,
 * with a number here and there that is odd, huge, tiny or not finite.
 */
#include "problem.h"
#include "fuzz.h"
#include "lavdm/sample.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A word of "a|b|c", or the text itself where it has no bars. */
static void take_word(bytes_t *b, const char *words, char text[64]) {
  int count = 1, chosen;
  for (const char *c = words; *c; c++) count += *c == '|';
  chosen = bytes_below(b, count);
  while (chosen-- > 0) words = strchr(words, '|') + 1;
  size_t length = strcspn(words, "|");
  snprintf(text, 64, "%.*s", length < 60 ? (int)length : 60, words);
}

void problem_options(bytes_t *b, lavdm_options *options) {
  lavdm_error error;
  lavdm_options_default(options);
  for (int count = bytes_below(b, 16); count > 0; count--) {
    const lavdm_option *o = lavdm_option_at(bytes_below(b, lavdm_option_count()));
    char text[64] = "auto";
    int kind = bytes_below(b, 8);
    if (o->choices)
      take_word(b, o->choices, text);
    else if (kind < 5)
      snprintf(text, sizeof text, "%d", bytes_below(b, 64));
    else if (kind < 7)
      snprintf(text, sizeof text, "%.9g", bytes_number(b));
    lavdm_option_set(options, o->name, text, &error); /* what it refuses stays as it was */
  }
  options->threads = 1;
  options->engine = bytes_below(b, 8) ? LAVDM_ENGINE_AUTO : LAVDM_ENGINE_REFERENCE;
}

static void take_points(bytes_t *b, problem_t *p) {
  lavdm_data *d = &p->data;
  int shape = bytes_below(b, 2 * lavdm_shape_count()), odd = bytes_below(b, 6), copies = bytes_below(b, 8);
  double scale = bytes_below(b, 4) ? 1 : fabs(bytes_number(b));
  int64_t n = 1 + bytes_below(b, PROBLEM_POINTS), width = 0, own = 0;
  lavdm_error error;
  if (shape < lavdm_shape_count()) {
    const char *name = lavdm_shape_at(shape)->name;
    bool fits = lavdm_shape_size(name, 0, &width, &own, &error) >= 0 && n * width <= PROBLEM_NUMBERS;
    if (fits) fits = lavdm_sample(name, n, 0, NULL, 0, (uint64_t)shape, p->x, NULL, NULL, &error) >= 0;
    if (!fits) width = 0;
  }
  if (!width) {
    width = 1 + bytes_below(b, PROBLEM_NUMBERS / PROBLEM_POINTS);
    for (int64_t i = 0; i < n * width; i++) p->x[i] = bytes_number(b);
  }
  for (int64_t i = 0; i < n * width; i++) p->x[i] *= scale;
  for (int i = 0; i < copies; i++) {
    int64_t to = bytes_below(b, (int)n), from = bytes_below(b, (int)n);
    memmove(p->x + to * width, p->x + from * width, (size_t)width * sizeof *p->x);
  }
  for (int i = 1; i < odd; i++) p->x[bytes_below(b, 256) % (n * width)] = bytes_number(b);
  d->n = n, d->p = width, d->points = p->x;
}

/* Turns of images: squares of side 4 or 5. */
static void take_images(bytes_t *b, problem_t *p) {
  int64_t side = 4 + bytes_below(b, 2), n = 2 + bytes_below(b, 36);
  for (int64_t i = 0; i < n * side * side; i++)
    p->x[i] = b->left ? bytes_number(b) : sin((double)(i * i % 97));
  p->data.n = n, p->data.p = side * side, p->data.points = p->x;
  p->data.height = bytes_below(b, 4) ? side : bytes_below(b, 8), p->data.width = side;
}

static void take_edges(bytes_t *b, problem_t *p) {
  lavdm_edges *e = &p->edges;
  e->kind = (lavdm_element)bytes_below(b, 3);
  e->count = 1 + bytes_below(b, PROBLEM_LINKS);
  for (int64_t i = 0; i < e->count; i++) {
    p->row[i] = bytes_below(b, PROBLEM_POINTS + 1);
    p->col[i] = bytes_below(b, PROBLEM_POINTS + 1);
    p->weight[i] = bytes_below(b, 8) ? 1 : bytes_number(b);
    p->element[i] = e->kind == LAVDM_ELEMENT_SIGN ? (bytes_below(b, 2) ? 1 : -1) : bytes_number(b);
  }
  e->row = p->row, e->col = p->col, e->weight = p->weight, e->element = e->kind ? p->element : NULL;
  p->data.edges = e;
}

/* Distances between the points, or what the bytes say; all of them, or lists of those to some. */
static void take_distances(bytes_t *b, problem_t *p) {
  int64_t n = p->data.n < PROBLEM_ROWS ? p->data.n : PROBLEM_ROWS, k = 1 + bytes_below(b, (int)n);
  lavdm_distances *g = &p->distances;
  for (int64_t i = 0; i < n; i++)
    for (int64_t j = 0; j < n; j++) {
      double *d = &p->distance[i * n + j];
      for (int64_t c = 0; c < p->data.p; c++) *d += fabs(p->x[i * p->data.p + c] - p->x[j * p->data.p + c]);
    }
  for (int odd = bytes_below(b, 4); odd > 0; odd--)
    p->distance[bytes_below(b, (int)(n * n))] = bytes_number(b);
  *g = (lavdm_distances){.rows = n, .cols = n, .value = p->distance};
  if (bytes_below(b, 2)) {
    for (int64_t i = 0; i <= n; i++) p->start[i] = i * k;
    for (int64_t e = 0; e < n * k; e++)
      p->list[e] = bytes_below(b, 16) ? (e / k + e % k) % n : bytes_below(b, 256);
    g->start = p->start, g->index = p->list;
  }
  p->data = (lavdm_data){.size = sizeof p->data, .distances = g};
  p->options.metric = LAVDM_METRIC_PRECOMPUTED;
  if (bytes_below(b, 4)) p->options.method = bytes_below(b, 2) ? LAVDM_METHOD_DM : LAVDM_METHOD_ROSELAND;
}

static void take_landmarks(bytes_t *b, problem_t *p) {
  int64_t width = p->data.p, count = 1 + bytes_below(b, 16);
  if (bytes_below(b, 2)) {
    for (int64_t i = 0; i < count; i++) p->index[i] = bytes_below(b, PROBLEM_POINTS + 1);
    p->data.landmark_index = p->index;
  } else if (width > 0 && count * width <= PROBLEM_LINKS) {
    for (int64_t i = 0; i < count * width; i++) p->landmark[i] = bytes_number(b);
    p->data.landmark_points = p->landmark;
  } else {
    return;
  }
  p->data.landmark_count = count;
  p->options.design = LAVDM_DESIGN_GIVEN;
}

void problem_take(bytes_t *b, problem_t *p) {
  memset(p, 0, sizeof *p);
  problem_options(b, &p->options);
  int what = bytes_below(b, 16);
  if (what < 3)
    take_images(b, p);
  else
    take_points(b, p);
  if (what == 4 || what == 5) take_edges(b, p);
  if (what == 5) p->data.points = NULL, p->data.n = p->data.p = 0;
  if (what == 6 || what == 7) take_landmarks(b, p);
  if (what == 9 || what == 10) take_distances(b, p);
  if (what == 8 && p->data.points) {
    for (int i = 0; i < PROBLEM_NUMBERS; i++) p->single[i] = fabs(p->x[i]) < 3e38 ? (float)p->x[i] : 0;
    p->data.points = p->single, p->data.type = LAVDM_F32;
  }
}
