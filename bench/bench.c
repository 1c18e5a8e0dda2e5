/*
 * One case, one JSON line: generates the points in memory, fits `repeat` times,
 * and reports the fastest run with its stages.
 *
 *     lavdm_bench CASE N [repeat=R] [new=COUNT] [dump=FOLDER] [OPTION=VALUE ...]
 *     lavdm_bench machine
 *
 * Cases: klein (sqrt(n) random landmarks, epsilon 0.025 (1e6/n)^0.263,
 * cut-off 5, d = 2, 50 neighbours, beta 1/2, alpha 0, 20 components), and the
 * same recipe on distorted-sphere, torus, s3 (in R^10), torus50 (noisy, in
 * R^50). With new=COUNT the model is then applied to so many new points of the
 * same shape, `repeat` times, and the fastest is reported. With dump=FOLDER the points, landmarks and
 * eigenvectors are left there for a peer. `machine` measures what the floors are counted in: the bandwidth of
 * memory, and the rate of multiplications and additions.
 */
#include "io/io.h"
#include "lavdm/sample.h"

#include <cblas.h>
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  const char *name, *shape;
  int64_t dim, p; /* p: rotated into this many coordinates; 0: as sampled */
  double noise, epsilon, exponent;
} bench_case;

static const bench_case cases[] = {
    {"klein", "klein", 2, 0, 0, 0.025, 0.263},
    {"distorted-sphere", "distorted-sphere", 2, 0, 0, 0.012, 0.263},
    {"torus", "torus", 2, 0, 0, 0.025, 0.263},
    {"s3", "sphere", 3, 10, 0, 0.06, 0.2},
    {"torus50", "torus", 2, 50, 0.01, 0.1, 0.263},
};

static void stop(const char *message) {
  fprintf(stderr, "lavdm_bench: %s\n", message);
  exit(1);
}

/* Bytes per second of a = b + s c over arrays far larger than any cache, the
 * fastest of ten; the lines that a write first reads are not counted. */
static double bandwidth(void) {
  const int64_t size = 1 << 25;
  double *a = malloc((size_t)size * sizeof *a), *b = malloc((size_t)size * sizeof *b);
  double *c = malloc((size_t)size * sizeof *c), best = INFINITY;
  if (!a || !b || !c) stop("out of memory");
#pragma omp parallel for schedule(static)
  for (int64_t i = 0; i < size; i++) a[i] = 0, b[i] = 1, c[i] = 2;
  for (int k = 0; k < 10; k++) {
    double began = omp_get_wtime();
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < size; i++) a[i] = b[i] + (double)k * c[i];
    best = fmin(best, omp_get_wtime() - began);
  }
  free(a), free(b), free(c);
  return 3 * (double)size * sizeof(double) / best;
}

/* Operations per second of a product of square matrices, the
 * fastest of ten. */
static double multiply_rate(bool single) {
  enum { SIZE = 1536 };
  const size_t count = (size_t)SIZE * SIZE;
  void *a = calloc(count, sizeof(double)), *b = calloc(count, sizeof(double)),
       *c = calloc(count, sizeof(double));
  double best = INFINITY;
  if (!a || !b || !c) stop("out of memory");
  for (int k = 0; k < 10; k++) {
    double began = omp_get_wtime();
    if (single)
      cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, SIZE, SIZE, SIZE, 1, a, SIZE, b, SIZE, 0, c,
                  SIZE);
    else
      cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, SIZE, SIZE, SIZE, 1, a, SIZE, b, SIZE, 0, c,
                  SIZE);
    best = fmin(best, omp_get_wtime() - began);
  }
  free(a), free(b), free(c);
  return 2.0 * SIZE * SIZE * SIZE / best;
}

static void print_machine(void) {
  printf("{\"threads\":%d,\"bandwidth\":%.4g,\"double\":%.4g,\"single\":%.4g}\n", omp_get_max_threads(),
         bandwidth(), multiply_rate(false), multiply_rate(true));
}

/* x (n x p) spread over `wide` coordinates by a fixed orthogonal map. */
static double *widen(const double *x, int64_t n, int64_t p, int64_t wide) {
  double *out = calloc((size_t)(n * wide), sizeof *out);
  double *basis = calloc((size_t)(p * wide), sizeof *basis);
  if (!out || !basis) stop("out of memory");
  for (int64_t a = 0; a < p; a++) /* rows of a cosine transform are orthonormal */
    for (int64_t j = 0; j < wide; j++)
      basis[a * wide + j] =
          sqrt(2.0 / (double)wide) * cos(M_PI * ((double)j + 0.5) * (double)(a + 1) / (double)wide);
  for (int64_t i = 0; i < n; i++)
    for (int64_t a = 0; a < p; a++)
      for (int64_t j = 0; j < wide; j++) out[i * wide + j] += x[i * p + a] * basis[a * wide + j];
  free(basis);
  return out;
}

static double *draw(const bench_case *c, int64_t n, uint64_t seed, int64_t *p) {
  int64_t d;
  lavdm_error error;
  int64_t dim = strcmp(c->shape, "sphere") ? 0 : c->dim;
  if (lavdm_shape_size(c->shape, dim, p, &d, &error) < 0) stop(error.message);
  double *x = malloc((size_t)(n * *p) * sizeof *x);
  if (!x) stop("out of memory");
  if (lavdm_sample(c->shape, n, dim, NULL, c->p ? 0 : c->noise, seed, x, NULL, NULL, &error) < 0)
    stop(error.message);
  if (!c->p) return x;
  double *wide = widen(x, n, *p, c->p);
  free(x);
  *p = c->p;
  uint64_t state = 88172645463325252u * seed; /* noise: a sum of uniforms is normal enough here */
  for (int64_t i = 0; c->noise > 0 && i < n * *p; i++) {
    double sum = -2;
    for (int k = 0; k < 4; k++) {
      state ^= state << 13, state ^= state >> 7, state ^= state << 17;
      sum += (double)(state >> 11) * 0x1p-53;
    }
    wide[i] += c->noise * sqrt(3) * sum;
  }
  return wide;
}

/* Writes rows x cols numbers to a file in the folder, as doubles. */
static void write_array(const char *folder, const char *file, lavdm_type type, const void *data, int64_t rows,
                        int64_t cols) {
  char path[4096];
  lavdm_error error;
  double *wide = NULL;
  if (type == LAVDM_F32) {
    if (!(wide = malloc((size_t)(rows * cols) * sizeof *wide))) stop("out of memory");
    for (int64_t i = 0; i < rows * cols; i++) wide[i] = ((const float *)data)[i];
  }
  snprintf(path, sizeof path, "%s/%s", folder, file);
  io_item item = {"x", IO_REAL, 2, {rows, cols}, wide ? wide : data};
  if (io_write(path, &item, 1, &error) < 0) stop(error.message);
  free(wide);
}

static void dump_arrays(const char *folder, const lavdm_data *data, const lavdm_model *model) {
  const lavdm_array *z = lavdm_get(model, "landmarks"), *u = lavdm_get(model, "eigenvectors");
  write_array(folder, "points.npy", data->type, data->points, data->n, data->p);
  if (z) write_array(folder, "landmarks.npy", z->type, z->data, z->shape[0], z->shape[1]);
  if (u) write_array(folder, "eigenvectors.npy", u->type, u->data, u->shape[0], u->shape[1] * u->shape[2]);
}

/* Bytes that this program has held at most; getrusage would add what its parent held. */
static double peak_memory(void) {
  char line[256];
  double kilobytes = 0;
  FILE *status = fopen("/proc/self/status", "r");
  while (status && fgets(line, sizeof line, status))
    if (sscanf(line, "VmHWM: %lf", &kilobytes) == 1) break;
  if (status) fclose(status);
  return kilobytes * 1024;
}

/* Seconds to apply the model to `count` new points, the fastest of `repeat`. */
static double extend(const bench_case *c, const lavdm_model *model, int64_t count, int repeat) {
  int64_t p;
  double *x = draw(c, count, 2, &p), best = INFINITY;
  lavdm_data data = {.points = x, .n = count, .p = p};
  lavdm_error error;
  for (int k = 0; k < repeat; k++) {
    lavdm_model *extension;
    if (lavdm_extend(model, &data, NULL, NULL, &extension, &error) < 0) stop(error.message);
    best = fmin(best, lavdm_info(extension)->seconds);
    lavdm_free(extension);
  }
  free(x);
  return best;
}

static void print_result(const bench_case *c, const lavdm_info_t *info, double peak, int64_t fresh,
                         double seconds) {
  printf("{\"case\":\"%s\",\"n\":%lld,\"p\":%lld,\"m\":%lld,\"q\":%lld,\"epsilon\":%.17g,\"cutoff\":%g,"
         "\"knn\":%lld,"
         "\"threads\":%lld,\"edges\":%lld,\"memory_needed\":%lld,\"peak_memory\":%.0f,\"seconds\":{",
         c->name, (long long)info->n, (long long)info->p, (long long)info->m, (long long)info->q,
         info->chosen->epsilon, info->chosen->cutoff, (long long)info->chosen->knn,
         (long long)info->chosen->threads, (long long)info->edges, (long long)info->memory_needed, peak);
  for (int i = 0; i < info->timings; i++)
    printf("\"%s\":%.6f,", info->timing[i].stage, info->timing[i].seconds);
  printf("\"total\":%.6f},", info->seconds);
  if (fresh) printf("\"extension\":{\"n\":%lld,\"seconds\":%.6f},", (long long)fresh, seconds);
  printf("\"eigenvalues\":[");
  for (int64_t l = 0; l < info->chosen->components; l++)
    printf("%s%.17g", l ? "," : "", info->eigenvalues[l]);
  printf("],\"warnings\":%d}\n", info->warnings);
}

int main(int argc, char **argv) {
  if (argc == 2 && !strcmp(argv[1], "machine")) return print_machine(), 0;
  if (argc < 3) stop("usage: lavdm_bench CASE N [repeat=R] [new=COUNT] [dump=FOLDER] [OPTION=VALUE ...]");
  const bench_case *c = NULL;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    if (!strcmp(cases[i].name, argv[1])) c = &cases[i];
  int64_t n = (int64_t)atof(argv[2]), p;
  if (!c || n < 2) stop("no such case, or too few points");
  lavdm_options o;
  lavdm_options_default(&o);
  o.dim = c->dim, o.knn = 50, o.landmarks = (int64_t)sqrt((double)n), o.design = LAVDM_DESIGN_RANDOM;
  o.epsilon = c->epsilon * pow(1e6 / (double)n, c->exponent);
  o.cutoff = 5, o.beta = 0.5, o.alpha = 0, o.components = 20;
  int repeat = 3;
  int64_t fresh = 0;
  const char *dump = NULL;
  lavdm_error error;
  for (int i = 3; i < argc; i++) {
    char *equals = strchr(argv[i], '=');
    if (!equals) stop("options are OPTION=VALUE");
    *equals = 0;
    if (!strcmp(argv[i], "repeat"))
      repeat = atoi(equals + 1);
    else if (!strcmp(argv[i], "new"))
      fresh = (int64_t)atof(equals + 1);
    else if (!strcmp(argv[i], "dump"))
      dump = equals + 1;
    else if (lavdm_option_set(&o, argv[i], equals + 1, &error) < 0)
      stop(error.message);
  }
  double *x = draw(c, n, 1, &p);
  lavdm_data data = {.points = x, .n = n, .p = p};
  lavdm_model *best = NULL;
  double peak = 0; /* of one fit: later ones stand beside the best so far */
  for (int k = 0; k < repeat; k++) {
    lavdm_model *model;
    if (lavdm_fit(&data, &o, &model, &error) < 0) stop(error.message);
    if (k == 0) peak = peak_memory();
    bool faster = !best || lavdm_info(model)->seconds < lavdm_info(best)->seconds;
    lavdm_free(faster ? best : model);
    if (faster) best = model;
  }
  print_result(c, lavdm_info(best), peak, fresh, fresh > 0 ? extend(c, best, fresh, repeat) : 0);
  if (dump) dump_arrays(dump, &data, best);
  lavdm_free(best);
  free(x);
  return 0;
}
