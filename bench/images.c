/*
 * Rotation-invariant distances of n images to m landmarks, one JSON line: seconds to
 * expand the images and to compare all pairs, pairs per second, and beside them a direct
 * rotate-and-compare.
 *
 *     lavdm_bench_images N M SIZE [precision=single] [noise=auto] [repeat=R]
 *
 * Images are a mixture of two out of 64 drawings (Gaussian blobs) and noise; they are made when read. With
 * noise=auto, distances are between steerable principal components.
 *
 * The direct way turns every landmark once to as many angles as two for each band, by bilinear interpolation,
 * and compares by products of matrices: |x|^2 + |y|^2 - 2 x'y on the pixels of the disk. It is timed on 64
 * landmarks and no more than 2,000 images. (Turning by pixels for every pair instead takes some ten times
 * as long.) Its angle is that of the grid; ours is exact to rounding.
 *
 * match_cpu are the seconds of all threads together, which other programs disturb less.
 *
 * floor: the operations of the products, 8 for each coefficient that is compared, and of the transforms,
 * 2.5 G log2 G for a grid of G angles, over the rate of a product of matrices.
 */
#include "lavdm/images.h"
#include "match_rate.h"

#include <cblas.h>
#include <math.h>
#include <omp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { DRAWINGS = 64, NOISE = 1 << 16, LANDMARKS = 64, MOST = 2000 };

typedef struct {
  int64_t size;
  float *drawing, *noise;
} source_t;

static void stop(const char *message) {
  fprintf(stderr, "lavdm_bench: %s\n", message);
  exit(1);
}

static void *room(int64_t count, size_t size) {
  void *p = calloc((size_t)count, size);
  if (!p) stop("out of memory");
  return p;
}

static uint64_t mix(uint64_t x) {
  x = (x ^ (x >> 31)) * 0x7fb5d329728ea185u;
  x = (x ^ (x >> 27)) * 0x81dadef4bc2dd44du;
  return x ^ (x >> 33);
}

static double uniform(uint64_t *state) {
  return (double)(mix(*state += 0x9e3779b97f4a7c15u) >> 11) * 0x1p-53;
}

static source_t source_of(int64_t size) {
  source_t s = {size, room(DRAWINGS * size * size, sizeof(float)), room(NOISE + size * size, sizeof(float))};
  uint64_t state = 1;
  double half = 0.5 * (double)(size - 1);
  for (int d = 0; d < DRAWINGS; d++)
    for (int blob = 0; blob < 6; blob++) {
      double r = 0.6 * half * sqrt(uniform(&state)), phi = 2 * M_PI * uniform(&state);
      double width = 1.5 + 0.04 * (double)size * uniform(&state);
      for (int64_t p = 0; p < size * size; p++) {
        double x = (double)(p % size) - half - r * cos(phi), y = (double)(p / size) - half - r * sin(phi);
        s.drawing[d * size * size + p] += (float)exp(-(x * x + y * y) / (2 * width * width));
      }
    }
  for (int64_t i = 0; i < NOISE + size * size; i++) {
    double sum = -6;
    for (int k = 0; k < 12; k++) sum += uniform(&state);
    s.noise[i] = (float)(0.5 * sum);
  }
  return s;
}

static int read_images(void *user, int64_t first, int64_t count, void *rows) {
  const source_t *s = user;
  int64_t p = s->size * s->size;
  for (int64_t i = 0; i < count; i++) {
    uint64_t bits = mix((uint64_t)(first + i) + 12345);
    const float *a = s->drawing + (int64_t)(bits % DRAWINGS) * p;
    const float *b = s->drawing + (int64_t)(bits / DRAWINGS % DRAWINGS) * p;
    const float *noise = s->noise + (int64_t)((bits >> 20) % NOISE);
    float *out = (float *)rows + i * p, share = (float)(bits >> 40) * 0x1p-24f;
    for (int64_t c = 0; c < p; c++) out[c] = share * a[c] + (1 - share) * b[c] + noise[c];
  }
  return 0;
}

/* Pixels of the disk, by rows. */
static int64_t *disk(int64_t size, int64_t *count) {
  int64_t *pixel = room(size * size, sizeof *pixel);
  *count = 0;
  for (int64_t p = 0; p < size * size; p++) {
    int64_t y = 2 * (p / size) - (size - 1), x = 2 * (p % size) - (size - 1);
    if (x * x + y * y <= size * size) pixel[(*count)++] = p;
  }
  return pixel;
}

static float bilinear(const float *image, int64_t size, double y, double x) {
  double most = (double)size - 1.000001;
  y = y < 0 ? 0 : y > most ? most : y, x = x < 0 ? 0 : x > most ? most : x;
  int64_t i = (int64_t)y, j = (int64_t)x;
  double u = y - (double)i, v = x - (double)j;
  const float *at = image + i * size + j;
  return (float)((1 - u) * ((1 - v) * at[0] + v * at[1]) + u * ((1 - v) * at[size] + v * at[size + 1]));
}

/* Pairs per second of the direct way. */
static double direct_rate(const source_t *source, int64_t n, int64_t angles) {
  int64_t size = source->size, p = size * size, pixels, *pixel = disk(size, &pixels);
  if (n > MOST) n = MOST;
  float *x = room(n * p, sizeof *x), *on_disk = room(n * pixels, sizeof *x), *image = room(p, sizeof *x);
  float *turned = room(angles * pixels, sizeof *x), *dot = room(n * angles, sizeof *x),
        *best = room(n, sizeof *x);
  read_images((void *)(uintptr_t)source, 0, n, x);
  for (int64_t e = 0; e < n * pixels; e++) on_disk[e] = x[e / pixels * p + pixel[e % pixels]];
  double began = omp_get_wtime(), half = 0.5 * (double)(size - 1);
  for (int64_t k = 0; k < LANDMARKS; k++) {
    read_images((void *)(uintptr_t)source, n + k, 1, image);
#pragma omp parallel for
    for (int64_t a = 0; a < angles; a++) {
      double c = cos(2 * M_PI * (double)a / (double)angles), s = sin(2 * M_PI * (double)a / (double)angles);
      for (int64_t e = 0; e < pixels; e++) {
        double v = (double)(pixel[e] / size) - half, u = (double)(pixel[e] % size) - half;
        turned[a * pixels + e] = bilinear(image, size, half - s * u + c * v, half + c * u + s * v);
      }
    }
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)n, (int)angles, (int)pixels, 1, on_disk,
                (int)pixels, turned, (int)pixels, 0, dot, (int)angles);
    for (int64_t i = 0; i < n; i++)
      for (int64_t a = 0; a < angles; a++) best[i] = fmaxf(best[i], dot[i * angles + a]);
  }
  double seconds = omp_get_wtime() - began;
  free(pixel), free(x), free(on_disk), free(image), free(turned), free(dot), free(best);
  return (double)(n * LANDMARKS) / seconds;
}

/* Operations per second of a product of matrices. */
static double multiply_rate(bool single) {
  enum { SIZE = 1024 };
  void *a = room(SIZE * SIZE, sizeof(double)), *b = room(SIZE * SIZE, sizeof(double)),
       *c = room(SIZE * SIZE, sizeof(double));
  double best = INFINITY;
  for (int k = 0; k < 6; k++) {
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

int main(int argc, char **argv) {
  if (argc < 4) stop("usage: lavdm_bench_images N M SIZE [precision=single] [noise=auto] [repeat=R]");
  int64_t n = atoll(argv[1]), m = atoll(argv[2]), size = atoll(argv[3]), repeat = 3;
  lavdm_options o;
  lavdm_error error;
  lavdm_options_default(&o);
  o.bundle = LAVDM_BUNDLE_ROTATION, o.noise = 0;
  for (int a = 4; a < argc; a++) {
    char *equals = strchr(argv[a], '=');
    if (!equals) stop("an option is NAME=VALUE");
    *equals = 0;
    if (!strcmp(argv[a], "repeat"))
      repeat = atoll(equals + 1);
    else if (lavdm_option_set(&o, argv[a], equals + 1, &error) < 0)
      stop(error.message);
  }
  if (n < 1 || m < 1 || size < 2) stop("N and M must be at least 1, SIZE at least 2");
  source_t source = source_of(size);
  lavdm_data data = {
      .read = read_images, .read_user = &source, .n = n + m, .p = size * size, .type = LAVDM_F32};
  lavdm_stack *stack;
  bool single = o.precision == LAVDM_PRECISION_SINGLE;
  double began = omp_get_wtime(), best = INFINITY, cpu = INFINITY;
  if (lavdm_stack_new(&data, &o, &stack, &error) < 0) stop(error.message);
  double expansion = omp_get_wtime() - began;
  for (int64_t r = 0; r < repeat; r++) {
    clock_t before = clock();
    double took = (single ? single_match_seconds : double_match_seconds)(stack, n, m);
    if (took < 0) stop("out of memory");
    best = fmin(best, took);
    cpu = fmin(cpu, (double)(clock() - before) / CLOCKS_PER_SEC);
  }
  const lavdm_stack_info_t *info = lavdm_stack_info(stack);
  double grid = (double)match_grid(stack), pairs = (double)n * (double)m, rate = multiply_rate(single);
  double products = 8 * (double)info->compared * pairs / rate,
         transforms = 2.5 * grid * log2(grid) * pairs / rate;
  double direct = direct_rate(&source, n, 2 * info->bands);
  printf("{\"case\":\"images\",\"n\":%lld,\"m\":%lld,\"size\":%lld,\"precision\":\"%s\",\"noise\":%.4g,"
         "\"coefficients\":%lld,\"compared\":%lld,\"bands\":%lld,\"grid\":%.0f,\"expansion\":%.3f,"
         "\"match\":%.3f,\"match_cpu\":%.3f,\"pairs_per_second\":%.4g,\"floor_products\":%.4g,\"floor_"
         "transforms\":%.4g,"
         "\"direct_pairs_per_second\":%.4g,\"direct_angles\":%lld}\n",
         (long long)n, (long long)m, (long long)size, single ? "single" : "double", info->noise,
         (long long)info->coefficients, (long long)info->compared, (long long)info->bands, grid, expansion,
         best, cpu, pairs / best, products, transforms, direct, (long long)(2 * info->bands));
  lavdm_stack_free(stack);
  free(source.drawing), free(source.noise);
  return 0;
}
