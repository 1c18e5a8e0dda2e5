/*
 * Bundle adjustment in the large: cameras, points and observations, then a row `camera point x y` for each
 * observation, then of each camera 9 numbers (the first three turn * axis of the rotation from the world to
 * the camera), then of each point 3. Two cameras that see SHARED points or more in common, each counted once,
 * are joined by the rotation between them.
 */
#include "io/pose_formats.h"
#include "io/pose_lines.h"
#include "io/room.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHARED = 10 };
static const int64_t most_pairs = 1000000000; /* of observations of the same point: a minute */

typedef struct {
  text_lines text;
  const char *word; /* what is left of the line under way */
  int64_t cameras, points, observations;
  int64_t found, expected; /* numbers; 0 expected: the header is not read yet */
  int64_t *first;          /* points + 1: where the cameras of a point begin in `camera` */
  int32_t *camera;
  double *rotation; /* cameras x 4 */
} bal;

static int fail_short(const bal *b) {
  const text_lines *t = &b->text;
  if (!b->expected)
    return io_fail(t->error, LAVDM_ERROR_DATA, t->path, "ends too early, within its header of 3 numbers");
  return io_fail(t->error, LAVDM_ERROR_DATA, t->path,
                 "ends too early, after line %lld: %lld cameras, %lld points and %lld observations take %lld "
                 "numbers, and there are %lld; the file was cut off, or its first line is wrong",
                 (long long)t->line, (long long)b->cameras, (long long)b->points, (long long)b->observations,
                 (long long)b->expected, (long long)b->found);
}

/* The next number, on whichever line. */
static int next_number(bal *b, double *x) {
  text_lines *t = &b->text;
  const char *from, *to;
  while (!next_word(&b->word, t->stop, &from, &to)) {
    if (!lines_next(t)) return fail_short(b);
    b->word = t->start;
  }
  b->found++;
  pose_line l = {t->path, "a number of BAL", from, to, t->line, t->error};
  return pose_line_values(&l, 1, x);
}

static int next_whole(bal *b, int64_t most, const char *what, int64_t *out) {
  double x;
  int status = next_number(b, &x);
  if (status < 0) return status;
  if (x >= 0 && x <= (double)most && x == floor(x)) {
    *out = (int64_t)x;
    return LAVDM_OK;
  }
  return io_fail(b->text.error, LAVDM_ERROR_DATA, b->text.path,
                 "line %lld: %s must be from 0 to %lld, and is %g", (long long)b->text.line, what,
                 (long long)most, x);
}

/* The header, which the length of the file bounds: an observation takes 8 bytes, a number 2. */
static int read_header(bal *b) {
  int64_t length = b->text.end - b->text.text;
  int status = next_whole(b, INT32_MAX, "the number of cameras", &b->cameras);
  if (status >= 0) status = next_whole(b, INT32_MAX, "the number of points", &b->points);
  if (status >= 0) status = next_whole(b, INT64_MAX / 64, "the number of observations", &b->observations);
  if (status < 0) return status;
  int64_t numbers = 3 + 4 * b->observations + 9 * b->cameras + 3 * b->points;
  if (18 * b->cameras + 6 * b->points + 8 * b->observations > length + 8)
    return io_fail(b->text.error, LAVDM_ERROR_DATA, b->text.path,
                   "line 1: %lld cameras, %lld points and %lld observations take %lld numbers, more than the "
                   "file has room for: it was cut off, or the line is wrong",
                   (long long)b->cameras, (long long)b->points, (long long)b->observations,
                   (long long)numbers);
  b->expected = numbers;
  int64_t bytes = 8 * (b->points + 2) + 20 * b->observations + 32 * b->cameras;
  status = room_check(b->text.path, NULL, length, bytes, b->text.error);
  if (status < 0) return status;
  b->first = calloc((size_t)b->points + 2, sizeof *b->first);
  b->camera = calloc((size_t)b->observations + 1, sizeof *b->camera);
  b->rotation = calloc((size_t)(4 * b->cameras) + 1, sizeof *b->rotation);
  return b->first && b->camera && b->rotation ? LAVDM_OK : io_memory(b->text.error, b->text.path, bytes);
}

/* The cameras of every point: observations sorted by point, by counting. */
static int read_observations(bal *b) {
  int64_t(*seen)[2] = calloc((size_t)b->observations + 1, sizeof *seen);
  int status = seen ? LAVDM_OK : io_memory(b->text.error, b->text.path, 16 * b->observations);
  for (int64_t i = 0; i < b->observations && status >= 0; i++) {
    double unused;
    status = next_whole(b, b->cameras - 1, "a camera", &seen[i][0]);
    if (status >= 0) status = next_whole(b, b->points - 1, "a point", &seen[i][1]);
    for (int k = 0; k < 2 && status >= 0; k++) status = next_number(b, &unused);
    if (status >= 0) b->first[seen[i][1] + 2]++;
  }
  for (int64_t p = 0; p < b->points && status >= 0; p++) b->first[p + 2] += b->first[p + 1];
  for (int64_t i = 0; i < b->observations && status >= 0; i++)
    b->camera[b->first[seen[i][1] + 1]++] = (int32_t)seen[i][0];
  free(seen);
  return status;
}

static int read_cameras(bal *b) {
  int status = LAVDM_OK;
  for (int64_t c = 0; c < b->cameras && status >= 0; c++) {
    double x[9];
    for (int k = 0; k < 9 && status >= 0; k++) status = next_number(b, &x[k]);
    if (status < 0) return status;
    double angle = hypot(hypot(x[0], x[1]), x[2]), f = angle > 0 ? sin(angle / 2) / angle : 0.5;
    if (!isfinite(angle))
      return io_fail(b->text.error, LAVDM_ERROR_DATA, b->text.path, "camera %lld turns by %g radians",
                     (long long)c, angle);
    b->rotation[4 * c] = cos(angle / 2);
    for (int k = 0; k < 3; k++) b->rotation[4 * c + 1 + k] = f * x[k];
  }
  return status;
}

/* Nothing comes after the points. */
static int check_end(bal *b) {
  text_lines *t = &b->text;
  const char *from, *to;
  while (!next_word(&b->word, t->stop, &from, &to)) {
    if (!lines_next(t)) return LAVDM_OK;
    b->word = t->start;
  }
  return io_fail(t->error, LAVDM_ERROR_DATA, t->path,
                 "goes on at line %lld after all of its %lld cameras, %lld points and %lld observations; its "
                 "first line is wrong",
                 (long long)t->line, (long long)b->cameras, (long long)b->points, (long long)b->observations);
}

/* Points are found anew; they must be there all the same. */
static int read_points(bal *b) {
  double unused;
  int status = LAVDM_OK;
  while (b->found < b->expected && status >= 0) status = next_number(b, &unused);
  return status >= 0 ? check_end(b) : status;
}

/* ----------------------------------------------------------------- pairs */

static int by_camera(const void *a, const void *b) {
  int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
  return (x > y) - (x < y);
}

/* The cameras of every point in ascending order, each once. */
static void count_cameras_once(bal *b) {
  int64_t kept = 0, from = 0;
  for (int64_t p = 0; p < b->points; p++) {
    int64_t begin = kept, stop = b->first[p + 1];
    qsort(b->camera + from, (size_t)(stop - from), sizeof *b->camera, by_camera);
    for (; from < stop; from++)
      if (kept == begin || b->camera[kept - 1] != b->camera[from]) b->camera[kept++] = b->camera[from];
    b->first[p + 1] = kept;
  }
}

/* How often pairs of cameras came, by open addressing; key 0 is free. */
typedef struct {
  uint64_t *key; /* a * cameras + b + 1 for a < b */
  int64_t *times;
  int64_t room, count; /* room is a power of 2 */
} pair_table;

static int64_t slot_of(const pair_table *t, uint64_t key) {
  int64_t at = (int64_t)(key * 0x9E3779B97F4A7C15u >> 20) & (t->room - 1);
  while (t->key[at] && t->key[at] != key) at = (at + 1) & (t->room - 1);
  return at;
}

static bool pair_grow(pair_table *t) {
  pair_table larger = {.room = t->room ? 2 * t->room : 1 << 10, .count = t->count};
  larger.key = calloc((size_t)larger.room, sizeof *larger.key);
  larger.times = calloc((size_t)larger.room, sizeof *larger.times);
  bool made = larger.key && larger.times;
  for (int64_t i = 0; i < t->room && made; i++)
    if (t->key[i]) {
      int64_t at = slot_of(&larger, t->key[i]);
      larger.key[at] = t->key[i], larger.times[at] = t->times[i];
    }
  free(made ? t->key : larger.key);
  free(made ? t->times : larger.times);
  if (made) *t = larger;
  return made;
}

static bool count_pair(pair_table *t, uint64_t key) {
  if (2 * t->count >= t->room && !pair_grow(t)) return false;
  int64_t at = slot_of(t, key);
  t->count += !t->key[at];
  t->key[at] = key;
  t->times[at]++;
  return true;
}

static int count_pairs(const bal *b, pair_table *t) {
  double pairs = 0;
  for (int64_t p = 0; p < b->points; p++) {
    double seen = (double)(b->first[p + 1] - b->first[p]);
    pairs += seen * (seen - 1) / 2;
  }
  if (pairs > (double)most_pairs)
    return io_fail(b->text.error, LAVDM_ERROR_DATA, b->text.path,
                   "its points make %g pairs of cameras; at most %g are counted", pairs, (double)most_pairs);
  for (int64_t p = 0; p < b->points; p++)
    for (int64_t i = b->first[p]; i < b->first[p + 1]; i++)
      for (int64_t k = i + 1; k < b->first[p + 1]; k++) {
        uint64_t low = (uint64_t)b->camera[i], high = (uint64_t)b->camera[k];
        if (!count_pair(t, low * (uint64_t)b->cameras + high + 1))
          return io_memory(b->text.error, b->text.path, 32 * t->room);
      }
  return LAVDM_OK;
}

typedef struct {
  uint64_t key;
  int64_t times;
} pair_count;

static int by_key(const void *x, const void *y) {
  const pair_count *a = x, *b = y;
  return (a->key > b->key) - (a->key < b->key);
}

/* R_i R_k' of the two cameras, i < k. */
static void take_pair(const bal *b, const pair_count *pair, int64_t e, pose_graph *g) {
  int64_t i = (int64_t)((pair->key - 1) / (uint64_t)b->cameras),
          k = (int64_t)((pair->key - 1) % (uint64_t)b->cameras);
  const double *x = b->rotation + 4 * i, *y = b->rotation + 4 * k;
  double *to = g->rotation + 4 * e;
  g->from[e] = i, g->to[e] = k;
  g->turn_weight[e] = (double)pair->times;
  to[0] = x[0] * y[0] + x[1] * y[1] + x[2] * y[2] + x[3] * y[3];
  to[1] = -x[0] * y[1] + x[1] * y[0] - x[2] * y[3] + x[3] * y[2];
  to[2] = -x[0] * y[2] + x[1] * y[3] + x[2] * y[0] - x[3] * y[1];
  to[3] = -x[0] * y[3] - x[1] * y[2] + x[2] * y[1] + x[3] * y[0];
}

/* Pairs that share enough, in the order of their cameras. */
static int join_cameras(const bal *b, pair_table *t, pose_graph *g) {
  int64_t kept = 0;
  pair_count *all = calloc((size_t)t->count + 1, sizeof *all);
  if (!all) return io_memory(b->text.error, b->text.path, 16 * t->count);
  for (int64_t i = 0; i < t->room; i++)
    if (t->times[i] >= SHARED) all[kept++] = (pair_count){t->key[i], t->times[i]};
  qsort(all, (size_t)kept, sizeof *all, by_key);
  int status = LAVDM_OK;
  if (!kept)
    status = io_fail(b->text.error, LAVDM_ERROR_DATA, b->text.path, "no two cameras share %d points", SHARED);
  else if (!pose_graph_edges(g, 3, kept, true))
    status = io_memory(b->text.error, b->text.path, 64 * kept);
  for (int64_t e = 0; e < kept && status >= 0; e++) take_pair(b, &all[e], e, g);
  if (status >= 0)
    pose_graph_tell(g,
                    "rotations between the file's own cameras; %lld pairs with fewer than %d points left out",
                    (long long)(t->count - kept), SHARED);
  free(all);
  return status;
}

/* Every camera is a node. */
static int list_cameras(const bal *b, pose_graph *g) {
  g->vertex = calloc((size_t)b->cameras, sizeof *g->vertex);
  if (!g->vertex) return io_memory(b->text.error, b->text.path, 8 * b->cameras);
  for (int64_t c = 0; c < b->cameras; c++) g->vertex[c] = c;
  g->vertices = b->cameras;
  return LAVDM_OK;
}

int bal_read(const char *path, pose_graph *g, lavdm_error *error) {
  bal b = {0};
  pair_table t = {0};
  int status = lines_open(path, &b.text, error);
  b.word = b.text.stop = b.text.start = b.text.at;
  if (status >= 0) status = read_header(&b);
  if (status >= 0) status = read_observations(&b);
  if (status >= 0) status = read_cameras(&b);
  if (status >= 0) status = read_points(&b);
  if (status >= 0) count_cameras_once(&b);
  if (status >= 0) status = count_pairs(&b, &t);
  if (status >= 0) status = join_cameras(&b, &t, g);
  if (status >= 0) status = list_cameras(&b, g);
  free(t.key);
  free(t.times);
  free(b.first);
  free(b.camera);
  free(b.rotation);
  lines_close(&b.text);
  return status;
}
