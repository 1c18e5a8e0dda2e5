/*
 * One case, one JSON line: generates the points in memory, fits `repeat` times,
 * and reports the fastest run with its stages.
 *
 *     lavdm_bench CASE N [repeat=R] [dump=FOLDER] [OPTION=VALUE ...]
 *
 * Cases: klein (sqrt(n) random landmarks, epsilon 0.025 (1e6/n)^0.263,
 * cut-off 5, d = 2, 50 neighbours, beta 1/2, alpha 0, 20 components), and the
 * same recipe on distorted-sphere, s3 (in R^10), torus50 (noisy, in R^50).
 * With dump=FOLDER the points and landmarks are left there for a peer.
 */
#include "io/io.h"
#include "lavdm.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

typedef struct {
  const char *name, *shape;
  int64_t dim, p; /* p: rotated into this many coordinates; 0: as sampled */
  double noise, epsilon, exponent;
} bench_case;

static const bench_case cases[] = {
    {"klein", "klein", 2, 0, 0, 0.025, 0.263},
    {"distorted-sphere", "distorted-sphere", 2, 0, 0, 0.012, 0.263},
    {"s3", "sphere", 3, 10, 0, 0.06, 0.2},
    {"torus50", "torus", 2, 50, 0.01, 0.1, 0.263},
};

static void stop(const char *message) {
  fprintf(stderr, "lavdm_bench: %s\n", message);
  exit(1);
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

static double *draw(const bench_case *c, int64_t n, int64_t *p) {
  int64_t d;
  lavdm_error error;
  int64_t dim = strcmp(c->shape, "sphere") ? 0 : c->dim;
  if (lavdm_shape_size(c->shape, dim, p, &d, &error) < 0) stop(error.message);
  double *x = malloc((size_t)(n * *p) * sizeof *x);
  if (!x) stop("out of memory");
  if (lavdm_sample(c->shape, n, dim, NULL, c->p ? 0 : c->noise, 1, x, NULL, NULL, &error) < 0)
    stop(error.message);
  if (!c->p) return x;
  double *wide = widen(x, n, *p, c->p);
  free(x);
  *p = c->p;
  uint64_t state = 88172645463325252u; /* noise: a sum of uniforms is normal enough here */
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

static void write_array(const char *folder, const char *file, const double *x, int64_t rows, int64_t cols) {
  char path[4096];
  lavdm_error error;
  snprintf(path, sizeof path, "%s/%s", folder, file);
  io_item item = {"x", IO_REAL, 2, {rows, cols}, x};
  if (io_write(path, &item, 1, &error) < 0) stop(error.message);
}

static void print_result(const bench_case *c, const lavdm_info_t *info, double rss) {
  printf("{\"case\":\"%s\",\"n\":%lld,\"p\":%lld,\"m\":%lld,\"q\":%lld,\"epsilon\":%.17g,\"cutoff\":%g,"
         "\"knn\":%lld,"
         "\"threads\":%lld,\"edges\":%lld,\"memory_needed\":%lld,\"peak_memory\":%.0f,\"seconds\":{",
         c->name, (long long)info->n, (long long)info->p, (long long)info->m, (long long)info->q,
         info->chosen.epsilon, info->chosen.cutoff, (long long)info->chosen.knn,
         (long long)info->chosen.threads, (long long)info->edges, (long long)info->memory_needed, rss);
  for (int i = 0; i < info->timings; i++)
    printf("\"%s\":%.6f,", info->timing[i].stage, info->timing[i].seconds);
  printf("\"total\":%.6f},\"eigenvalues\":[", info->seconds);
  for (int64_t l = 0; l < info->chosen.components; l++) printf("%s%.17g", l ? "," : "", info->eigenvalues[l]);
  printf("],\"warnings\":%d}\n", info->warnings);
}

int main(int argc, char **argv) {
  if (argc < 3) stop("usage: lavdm_bench CASE N [repeat=R] [dump=FOLDER] [OPTION=VALUE ...]");
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
  const char *dump = NULL;
  lavdm_error error;
  for (int i = 3; i < argc; i++) {
    char *equals = strchr(argv[i], '=');
    if (!equals) stop("options are OPTION=VALUE");
    *equals = 0;
    if (!strcmp(argv[i], "repeat"))
      repeat = atoi(equals + 1);
    else if (!strcmp(argv[i], "dump"))
      dump = equals + 1;
    else if (lavdm_option_set(&o, argv[i], equals + 1, &error) < 0)
      stop(error.message);
  }
  double *x = draw(c, n, &p);
  lavdm_data data = {.points = x, .n = n, .p = p};
  lavdm_model *best = NULL;
  for (int k = 0; k < repeat; k++) {
    lavdm_model *model;
    if (lavdm_fit(&data, &o, &model, &error) < 0) stop(error.message);
    bool faster = !best || lavdm_info(model)->seconds < lavdm_info(best)->seconds;
    lavdm_free(faster ? best : model);
    if (faster) best = model;
  }
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  print_result(c, lavdm_info(best), (double)usage.ru_maxrss * 1024);
  if (dump) {
    write_array(dump, "points.npy", x, n, p);
    const lavdm_array *z = lavdm_get(best, "landmarks");
    write_array(dump, "landmarks.npy", z->data, z->shape[0], z->shape[1]);
  }
  lavdm_free(best);
  free(x);
  return 0;
}
