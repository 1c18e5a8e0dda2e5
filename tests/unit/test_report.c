/*
 * The page of a result, taken apart again: its JSON is JSON, whatever bytes texts have; its blocks inflate to
 * the numbers that went in; the sample of points is fair and the same each time; no allocation that fails
 * leaves a file.
 */
#include "lavdm/report.h"
#include "lavdm/sample.h"

#include "memory_support.h" /* cmocka, after the library */

#include <jansson.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>

enum { N = 60, Q = 2, R = 3, P = 5, M = 7, D = 2 };

static char path[] = "/tmp/lavdm-report-XXXXXX.html";

static void assert_near(double found, double expected, double most) {
  if (!(fabs(found - expected) <= most)) fail_msg("%.17g, and not %.17g to %g", found, expected, most);
}

/* ------------------------------------------------------------------- pages */

typedef struct {
  char *text;
  json_t *json;
} page;

static page open_page(void) {
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  fseek(file, 0, SEEK_END);
  long size = ftell(file);
  rewind(file);
  page p = {.text = calloc((size_t)size + 1, 1)};
  assert_int_equal(fread(p.text, 1, (size_t)size, file), size);
  fclose(file);
  char *from = strstr(p.text, "id=\"page\">");
  assert_non_null(from);
  char *end = strstr(from, "</script>");
  from += strlen("id=\"page\">");
  json_error_t error;
  p.json = json_loadb(from, (size_t)(end - from), 0, &error);
  if (!p.json) fail_msg("%s at %d", error.text, error.position);
  return p;
}

static void close_page(page *p) {
  json_decref(p->json);
  free(p->text);
}

static const json_t *array_of(const page *p, const char *name) {
  return json_object_get(json_object_get(p->json, "arrays"), name);
}

static int digit(char c) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const char *at = strchr(digits, c);
  return at && c ? (int)(at - digits) : -1;
}

/* The bytes of a block, which are as many as `size`. */
static unsigned char *inflated(const page *p, int64_t number, size_t size) {
  char mark[32];
  snprintf(mark, sizeof mark, "id=\"b%lld\">", (long long)number);
  const char *from = strstr(p->text, mark);
  assert_non_null(from);
  from += strlen(mark);
  size_t length = strcspn(from, "<"), used = 0;
  assert_int_equal(length % 4, 0);
  unsigned char *packed = calloc(length + 1, 1), *out = calloc(size + 1, 1);
  for (size_t i = 0; i < length; i += 4) {
    int d[4];
    for (int k = 0; k < 4; k++) d[k] = from[i + (size_t)k] == '=' ? 0 : digit(from[i + (size_t)k]);
    assert_true(d[0] >= 0 && d[1] >= 0 && d[2] >= 0 && d[3] >= 0);
    packed[used++] = (unsigned char)(d[0] << 2 | d[1] >> 4);
    if (from[i + 2] != '=') packed[used++] = (unsigned char)((d[1] & 15) << 4 | d[2] >> 2);
    if (from[i + 3] != '=') packed[used++] = (unsigned char)((d[2] & 3) << 6 | d[3]);
  }
  uLongf found = size + 1;
  assert_int_equal(uncompress(out, &found, packed, used), Z_OK);
  assert_int_equal(found, size);
  free(packed);
  return out;
}

/* Column j of an array, as doubles; the caller frees. */
static double *column(const page *p, const char *name, size_t j, int64_t rows) {
  const json_t *a = array_of(p, name);
  assert_non_null(a);
  assert_int_equal(json_integer_value(json_array_get(json_object_get(a, "shape"), 0)), rows);
  const char *type = json_string_value(json_object_get(a, "type"));
  int64_t number = json_integer_value(json_array_get(json_object_get(a, "blocks"), j));
  bool two = !strcmp(type, "u16");
  size_t n = (size_t)rows, size = n * (two ? 2 : 4);
  unsigned char *bytes = inflated(p, number, size);
  double *out = calloc(n + 1, sizeof *out);
  double low = json_number_value(json_array_get(json_object_get(a, "low"), j));
  double high = json_number_value(json_array_get(json_object_get(a, "high"), j));
  for (size_t i = 0; i < n; i++) {
    if (two) {
      unsigned code = bytes[2 * i] | (unsigned)bytes[2 * i + 1] << 8;
      out[i] = code == 65535 ? NAN : low + (high - low) * code / 65534;
      continue;
    }
    uint32_t word = 0; /* all first bytes, all second ones, ... */
    for (size_t k = 0; k < 4; k++) word |= (uint32_t)bytes[k * n + i] << (8 * k);
    float value;
    memcpy(&value, &word, sizeof value);
    out[i] = !strcmp(type, "i32") ? (double)(int32_t)word : (double)value;
  }
  free(bytes);
  return out;
}

/* ------------------------------------------------------------------ results */

typedef struct {
  double *values, *vectors, *points, *frames, *landmarks, *landmark_frames, *degrees;
  int64_t nodes[N];
  lavdm_item items[16];
  int count;
} result;

static void add(result *r, const char *name, lavdm_item_type type, int rank, const int64_t *shape,
                const void *data) {
  lavdm_item *item = &r->items[r->count++];
  *item = (lavdm_item){.name = name, .type = type, .rank = rank, .data = data};
  for (int k = 0; k < rank; k++) item->shape[k] = shape[k];
}

static void add_text(result *r, const char *name, const char *text) {
  add(r, name, LAVDM_ITEM_TEXT, 1, &(int64_t){(int64_t)strlen(text)}, text);
}

/* Frames of orthonormal columns: two axes, turned. */
static void fill_frames(double *frames, int64_t count) {
  for (int64_t i = 0; i < count; i++) {
    double angle = 0.1 * (double)i;
    memset(frames + i * P * D, 0, P * D * sizeof *frames);
    frames[i * P * D] = cos(angle), frames[i * P * D + 2 * D] = sin(angle);
    frames[i * P * D + D + 1] = 1;
  }
}

static result made(int64_t n) {
  result r = {.count = 0};
  r.values = numbers(R), r.vectors = numbers(n * Q * R), r.points = numbers(n * P), r.degrees = numbers(n);
  r.frames = numbers(n * P * D), r.landmarks = numbers(M * P), r.landmark_frames = numbers(M * P * D);
  fill_normal(r.vectors, n * Q * R, 1);
  fill_normal(r.points, n * P, 2);
  fill_normal(r.degrees, n, 3);
  fill_normal(r.landmarks, M * P, 4);
  fill_frames(r.frames, n);
  fill_frames(r.landmark_frames, M);
  for (int k = 0; k < R; k++) r.values[k] = 1 - 0.1 * k;
  add(&r, "eigenvalues", LAVDM_ITEM_REAL, 1, (int64_t[]){R}, r.values);
  add(&r, "eigenvectors", LAVDM_ITEM_REAL, 3, (int64_t[]){n, Q, R}, r.vectors);
  add(&r, "points", LAVDM_ITEM_REAL, 2, (int64_t[]){n, P}, r.points);
  add(&r, "frames", LAVDM_ITEM_REAL, 3, (int64_t[]){n, P, D}, r.frames);
  add(&r, "landmarks", LAVDM_ITEM_REAL, 2, (int64_t[]){M, P}, r.landmarks);
  add(&r, "landmark_frames", LAVDM_ITEM_REAL, 3, (int64_t[]){M, P, D}, r.landmark_frames);
  add(&r, "degrees", LAVDM_ITEM_REAL, 1, &n, r.degrees);
  return r;
}

static void result_free(result *r) {
  free(r->values), free(r->vectors), free(r->points), free(r->frames), free(r->landmarks),
      free(r->landmark_frames);
  free(r->degrees);
}

static page written(const result *r, const lavdm_report_options *options) {
  lavdm_error error;
  int status = lavdm_report_write(path, r->items, r->count, options, &error);
  if (status) fail_msg("%s", error.message);
  return open_page();
}

/* -------------------------------------------------------------------- tests */

static void test_numbers(void **state) {
  (void)state;
  result r = made(N);
  r.degrees[3] = INFINITY, r.degrees[4] = NAN, r.degrees[5] = 1e300;
  page p = written(&r, NULL);
  assert_string_equal(json_string_value(json_object_get(p.json, "kind")), "embed");
  for (size_t c = 0; c < Q * R; c++) {
    double *x = column(&p, "eigenvectors", c, N);
    for (size_t i = 0; i < N; i++) assert_near(x[i], (float)r.vectors[i * Q * R + c], 0);
    free(x);
  }
  double *x = column(&p, "degrees", 0, N);
  for (size_t i = 0; i < N; i++) {
    if (i >= 3 && i <= 5)
      assert_true(isnan(x[i]));
    else
      assert_near(x[i], (float)r.degrees[i], 0);
  }
  free(x);
  const json_t *values = json_object_get(array_of(&p, "eigenvalues"), "values");
  for (size_t k = 0; k < R; k++) assert_near(json_number_value(json_array_get(values, k)), r.values[k], 0);
  close_page(&p);
  result_free(&r);
}

/* Along the principal axes squared distances of the points are those of their projection, and frames turn
 * with them: x + B c lies at y + F c. */
static void check_axes(uint64_t seed) {
  result r = made(N);
  fill_normal(r.points, N * P, seed);
  for (int i = 0; i < N; i++) r.points[i * P + 3] = r.points[i * P + 4] = 2; /* three dimensions in five */
  page p = written(&r, NULL);
  double *y[3], *f[3 * D];
  for (size_t a = 0; a < 3; a++) y[a] = column(&p, "principal", a, N);
  for (size_t a = 0; a < 3 * D; a++) f[a] = column(&p, "principal_frames", a, N);
  double variance[3] = {0};
  for (int i = 1; i < N; i++) {
    double straight = 0, seen = 0;
    for (int k = 0; k < P; k++) straight += pow(r.points[i * P + k] - r.points[k], 2);
    for (int a = 0; a < 3; a++) seen += pow(y[a][i] - y[a][0], 2), variance[a] += y[a][i] * y[a][i];
    assert_near(seen, straight, 1e-5 * straight);
    double length = 0;
    for (int a = 0; a < 3; a++) length += pow(f[a * D][i], 2); /* the first column is within the three */
    assert_near(length, 1, 1e-6);
  }
  assert_true(variance[0] >= variance[1] && variance[1] >= variance[2]);
  for (int a = 0; a < 3; a++) free(y[a]);
  for (int a = 0; a < 3 * D; a++) free(f[a]);
  close_page(&p);
  result_free(&r);
}

static void test_axes(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 8; seed++) check_axes(seed);
}

/* The least singular value of B'C with the nearest landmark: frames turned by an angle agree by its cosine.
 */
static void test_alignment(void **state) {
  (void)state;
  result r = made(N);
  page p = written(&r, NULL);
  double *x = column(&p, "alignment", 0, N);
  for (int i = 0; i < N; i++) {
    int near = 0;
    double least = INFINITY;
    for (int k = 0; k < M; k++) {
      double square = 0;
      for (int c = 0; c < P; c++) square += pow(r.points[i * P + c] - r.landmarks[k * P + c], 2);
      if (square < least) least = square, near = k;
    }
    assert_near(x[i], fabs(cos(0.1 * (i - near))), 1e-5);
  }
  free(x);
  close_page(&p);
  result_free(&r);
}

/* Many rows: 16 bits, half a step off at most; and what is no number is none. */
static void test_large(void **state) {
  (void)state;
  int64_t n = 200001;
  double *x = numbers(n), *u = numbers(n), one = 1;
  fill_normal(x, n, 5);
  fill_normal(u, n, 6);
  x[7] = NAN, x[8] = -INFINITY;
  const lavdm_item items[] = {{"eigenvalues", LAVDM_ITEM_REAL, 1, {1}, &one},
                              {"eigenvectors", LAVDM_ITEM_REAL, 3, {n, 1, 1}, u},
                              {"degrees", LAVDM_ITEM_REAL, 1, {n}, x}};
  assert_int_equal(lavdm_report_write(path, items, 3, NULL, NULL), 0);
  page p = open_page();
  double *y = column(&p, "degrees", 0, n), low = INFINITY, high = -INFINITY;
  for (int64_t i = 0; i < n; i++)
    if (isfinite(x[i])) low = fmin(low, x[i]), high = fmax(high, x[i]);
  for (int64_t i = 0; i < n; i++) {
    if (isfinite(x[i]))
      assert_near(y[i], x[i], (high - low) / 65534 * 0.500001);
    else
      assert_true(isnan(y[i]));
  }
  free(y), free(x), free(u);
  close_page(&p);
}

/* Which of n rows are shown. */
static double *rows_shown(int64_t n, int64_t shown, uint64_t seed) {
  double *u = numbers(n), one = 1;
  const lavdm_item items[] = {{"eigenvalues", LAVDM_ITEM_REAL, 1, {1}, &one},
                              {"eigenvectors", LAVDM_ITEM_REAL, 3, {n, 1, 1}, u}};
  lavdm_report_options options;
  lavdm_report_default(&options);
  options.points = shown, options.seed = seed;
  assert_int_equal(lavdm_report_write(path, items, 2, &options, NULL), 0);
  page p = open_page();
  assert_int_equal(json_array_size(json_object_get(p.json, "notes")), 1);
  double *rows = column(&p, "row", 0, shown);
  close_page(&p);
  free(u);
  return rows;
}

/* Every row is shown as often as any other, over many seeds; one seed always shows the same. */
static void test_sample(void **state) {
  (void)state;
  enum { ALL = 40, SHOWN = 10, SEEDS = 800 };
  int times[ALL] = {0};
  for (uint64_t seed = 0; seed < SEEDS; seed++) {
    double *rows = rows_shown(ALL, SHOWN, seed);
    for (int i = 0; i < SHOWN; i++) {
      assert_true(i == 0 || rows[i] > rows[i - 1]);
      times[(int)rows[i]]++;
    }
    free(rows);
  }
  double mean = (double)SEEDS * SHOWN / ALL, deviation = sqrt(mean * (1 - (double)SHOWN / ALL));
  for (int i = 0; i < ALL; i++) assert_near(times[i], mean, 5 * deviation);
  double *first = rows_shown(ALL, SHOWN, 3), *again = rows_shown(ALL, SHOWN, 3);
  assert_memory_equal(first, again, SHOWN * sizeof *first);
  free(first), free(again);
}

/* Rows that are left out take their eigenvectors, ids and labels with them. */
static void test_sampled_rows(void **state) {
  (void)state;
  result r = made(N);
  char labels[8 * N] = "";
  for (int i = 0; i < N; i++) sprintf(labels + strlen(labels), "%sgroup%d", i ? "\n" : "", i % 3);
  add_text(&r, "labels", labels);
  lavdm_report_options options;
  lavdm_report_default(&options);
  options.points = 20;
  page p = written(&r, &options);
  double *row = column(&p, "row", 0, 20), *u = column(&p, "eigenvectors", 1, 20),
         *code = column(&p, "labels", 0, 20);
  for (int i = 0; i < 20; i++) {
    int k = (int)row[i];
    assert_near(u[i], (float)r.vectors[k * Q * R + 1], 0);
    const json_t *levels = json_object_get(array_of(&p, "labels"), "levels");
    char name[16];
    snprintf(name, sizeof name, "group%d", k % 3);
    assert_string_equal(json_string_value(json_array_get(levels, (size_t)code[i])), name);
  }
  free(row), free(u), free(code);
  close_page(&p);
  result_free(&r);
}

/* Texts of any bytes: the block of JSON ends where it should, and says what they are. */
static void test_texts(void **state) {
  (void)state;
  static const char *const texts[] = {"</script><script>alert(1)</script>",
                                      "<!--",
                                      "]]>",
                                      "\xe2\x80\xa8\xe2\x80\xa9",
                                      "\"\\\n\t\x01\x7f",
                                      "\xff\xfe\xed\xa0\x80",
                                      "\xf0\x9f\x90\x8d",
                                      "&lt;",
                                      ""};
  static const char *const shown[] = {"</script><script>alert(1)</script>",
                                      "<!--",
                                      "]]>",
                                      "\xe2\x80\xa8\xe2\x80\xa9",
                                      "\"\\\n\t\x01\x7f",
                                      "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd",
                                      "\xf0\x9f\x90\x8d",
                                      "&lt;",
                                      ""};
  for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
    result r = made(N);
    lavdm_report_options options;
    lavdm_report_default(&options);
    options.title = texts[k];
    add_text(&r, "input", texts[k]);
    add(&r, texts[k][0] ? texts[k] : "none", LAVDM_ITEM_REAL, 1, (int64_t[]){N}, r.degrees);
    page p = written(&r, &options);
    assert_string_equal(json_string_value(json_object_get(p.json, "title")), shown[k]);
    assert_string_equal(json_string_value(json_object_get(json_object_get(p.json, "facts"), "input")),
                        shown[k]);
    if (shown[k][0]) assert_non_null(array_of(&p, shown[k]));
    assert_null(strstr(p.text, "alert(1)</"));
    close_page(&p);
    result_free(&r);
  }
}

/* Shapes that do not fit are refused, and leave no file. */
static void test_refused(void **state) {
  (void)state;
  static const struct {
    const char *name;
    int rank;
    int64_t shape[3];
  } lies[] = {{"eigenvectors", 3, {N, Q, R + 1}},
              {"eigenvectors", 2, {N, Q}},
              {"points", 2, {N - 1, P}},
              {"frames", 3, {N, P + 1, D}},
              {"landmarks", 2, {M, P - 1}},
              {"landmark_frames", 3, {M - 1, P, D}},
              {"eigenvectors", 3, {0, Q, R}},
              {"eigenvectors", 3, {N, 0, R}},
              {"points", 2, {N, 0}},
              {"eigenvalues", 1, {0}},
              {"eigenvectors", 3, {INT64_MAX, 2, 2}}};
  for (size_t k = 0; k < sizeof lies / sizeof *lies; k++) {
    result r = made(N);
    lavdm_error error;
    for (int i = 0; i < r.count; i++)
      if (!strcmp(r.items[i].name, lies[k].name)) {
        r.items[i].rank = lies[k].rank;
        memcpy(r.items[i].shape, lies[k].shape, sizeof lies[k].shape);
      }
    remove(path);
    int status = lavdm_report_write(path, r.items, r.count, NULL, &error);
    if (status != LAVDM_ERROR_DATA && status != LAVDM_ERROR_ARGUMENT) fail_msg("lie %zu: %d", k, status);
    assert_true(strlen(error.message) > 10);
    assert_int_not_equal(access(path, F_OK), 0);
    result_free(&r);
  }
  assert_int_equal(lavdm_report_write(path, NULL, 0, NULL, NULL), LAVDM_ERROR_DATA);
}

/* AUTO is -1, and other numbers below 1 are none. */
static void test_options(void **state) {
  (void)state;
  result r = made(N);
  for (int k = 0; k < 4; k++) {
    lavdm_report_options options;
    lavdm_error error;
    lavdm_report_default(&options);
    *(k < 2 ? &options.points : &options.vector_bytes) = k % 2 ? -7 : 0;
    assert_int_equal(lavdm_report_write(path, r.items, r.count, &options, &error), LAVDM_ERROR_ARGUMENT);
    assert_non_null(strstr(error.message, k < 2 ? "points is" : "vector_bytes is"));
  }
  result_free(&r);
}

/* Nodes without numbers have no order, and are refused. */
static void test_nodes(void **state) {
  (void)state;
  double nodes[] = {0, NAN, 2, NAN}, elements[] = {1, 1, 1, 1};
  int64_t edges[] = {0, 2};
  const lavdm_item graph[] = {{"nodes", LAVDM_ITEM_REAL, 1, {4}, nodes},
                              {"elements", LAVDM_ITEM_REAL, 1, {4}, elements},
                              {"edges", LAVDM_ITEM_INTEGER, 2, {1, 2}, edges}};
  lavdm_error error;
  assert_int_equal(lavdm_report_write(path, graph, 3, NULL, &error), LAVDM_ERROR_DATA);
  assert_string_equal(error.message, "node 1 has no number");
}

/* A program whose numbers have commas writes the same page; and reads "fit 1.5" as a number. */
static void test_locale(void **state) {
  (void)state;
  const char *const comma[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE.utf8", "nl_NL.UTF-8"};
  result r = made(N);
  add_text(&r, "timings", "fit 1.5");
  page plain = written(&r, NULL);
  bool found = false;
  for (int i = 0; i < 4 && !found; i++) found = setlocale(LC_ALL, comma[i]) != NULL;
  page p = written(&r, NULL);
  setlocale(LC_ALL, "C");
  const json_t *times = json_object_get(json_object_get(p.json, "facts"), "timings");
  assert_near(json_number_value(json_object_get(times, "fit")), 1.5, 0);
  assert_string_equal(p.text, plain.text);
  close_page(&plain);
  close_page(&p);
  result_free(&r);
}

/* A text without bytes may have no data. */
static void test_empty_text(void **state) {
  (void)state;
  double one = 1;
  const lavdm_item items[] = {{"eigenvalues", LAVDM_ITEM_REAL, 1, {1}, &one},
                              {"eigenvectors", LAVDM_ITEM_REAL, 3, {1, 1, 1}, &one},
                              {"ids", LAVDM_ITEM_TEXT, 1, {0}, NULL},
                              {"labels", LAVDM_ITEM_TEXT, 1, {0}, NULL},
                              {"notes", LAVDM_ITEM_TEXT, 1, {0}, NULL}};
  assert_int_equal(lavdm_report_write(path, items, 5, NULL, NULL), 0);
}

static int stop(const char *stage, double fraction, void *user) {
  (void)stage, (void)fraction;
  return --*(int *)user < 0;
}

static void test_interrupted(void **state) {
  (void)state;
  result r = made(N);
  lavdm_report_options options;
  lavdm_report_default(&options);
  int more = 3;
  options.progress = stop, options.progress_user = &more;
  remove(path);
  assert_int_equal(lavdm_report_write(path, r.items, r.count, &options, NULL), LAVDM_ERROR_INTERRUPTED);
  assert_int_not_equal(access(path, F_OK), 0);
  result_free(&r);
}

/* ----------------------------------------------------------------- memory */

typedef struct {
  const lavdm_item *items;
  int count;
  lavdm_report_options options;
} job;

static int write_job(const void *context, lavdm_error *error) {
  const job *j = context;
  remove(path);
  int status = lavdm_report_write(path, j->items, j->count, &j->options, error);
  assert_int_equal(access(path, F_OK) == 0, status >= 0);
  return status;
}

static void test_memory(void **state) {
  (void)state;
  result r = made(N);
  int64_t edges[] = {0, 1, 1, 2, 2, 3, 3, 0, 4, 5}, nodes[] = {0, 1, 2, 3, 4, 5},
          component[] = {0, 0, 0, 0, 1, 1};
  double elements[] = {1, 1, 1, 1, 1, 1}, residuals[5] = {0};
  const lavdm_item graph[] = {{"nodes", LAVDM_ITEM_INTEGER, 1, {6}, nodes},
                              {"elements", LAVDM_ITEM_REAL, 1, {6}, elements},
                              {"component", LAVDM_ITEM_INTEGER, 1, {6}, component},
                              {"edges", LAVDM_ITEM_INTEGER, 2, {5, 2}, edges},
                              {"residuals", LAVDM_ITEM_REAL, 1, {5}, residuals}};
  double images[N * 12], cover[2 * N * 3];
  fill_normal(images, N * 12, 7);
  fill_normal(cover, 2 * N * 3, 8);
  char ids[4 * N] = "";
  for (int i = 0; i < N; i++) sprintf(ids + strlen(ids), "%s%d", i ? "\n" : "", i % 50);
  add_text(&r, "ids", ids);
  add_text(&r, "labels", ids);
  add_text(&r, "timings", "fit 1.5\nread 2");
  add(&r, "cover", LAVDM_ITEM_REAL, 2, (int64_t[]){2 * N, 3}, cover);
  lavdm_data stack = {.points = images, .n = N, .p = 12, .height = 3, .width = 4};
  job one = {r.items, r.count, {0}}, two = {graph, 5, {0}};
  lavdm_report_default(&one.options);
  lavdm_report_default(&two.options);
  one.options.threads = two.options.threads = 1;
  one.options.points = 40, one.options.images = &stack;
  in_turn(write_job, &one, 1);
  in_turn(write_job, &two, 1);
  result_free(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_numbers),     cmocka_unit_test(test_axes),    cmocka_unit_test(test_alignment),
      cmocka_unit_test(test_large),       cmocka_unit_test(test_sample),  cmocka_unit_test(test_sampled_rows),
      cmocka_unit_test(test_texts),       cmocka_unit_test(test_refused), cmocka_unit_test(test_options),
      cmocka_unit_test(test_nodes),       cmocka_unit_test(test_locale),  cmocka_unit_test(test_empty_text),
      cmocka_unit_test(test_interrupted), cmocka_unit_test(test_memory)};
  int fd = mkstemps(path, 5);
  if (fd < 0) return 1;
  close(fd);
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  remove(path);
  return failed;
}
