/*
 * A thousand recordings of one periodic signal, each with a phase of its own, in noise and with a
 * stretch that was lost: their phases, from all pairs together and from one pair each.
 *
 *     cc phases.c $(pkg-config --cflags --libs lavdm) -lm -o phases && ./phases [FOLDER]
 *
 * Recording i is f(s - theta_i) + noise, zero over a random stretch of samples. The bundle `shift`
 * joins recordings by the shift that brings them closest; the top eigenvector of LA-VDM has, at i, a
 * vector of the plane at the angle theta_i, up to one rotation of all. The naive answer is the best
 * shift of each recording against the first.
 *
 * How well a phase can be known: with f given, no unbiased estimate from the samples that are left has
 * a smaller standard deviation than sigma / |f'| over them (Cramer and Rao).
 */
#include <lavdm.h>
#include <lavdm/images.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 1000, P = 64, LOST = 6, LEVELS = 6, SHOWN = 100 };

static const double pi = 3.14159265358979;
static double signals[N][P], theta[N];

static double uniform(void) {
  static uint64_t state = 1;
  state = state * 6364136223846793005u + 1442695040888963407u;
  return ((double)(state >> 12) + 0.5) / 4503599627370496.0;
}

static double normal(void) {
  return sqrt(-2 * log(uniform())) * cos(2 * pi * uniform());
}

/* A few harmonics; periodic in 2 pi. */
static double wave(double at) {
  return cos(at) + 0.5 * cos(2 * at + 1) + 0.3 * cos(3 * at + 2) + 0.3 * cos(5 * at);
}

/* Recordings with noise of standard deviation sigma; returns the bound on the error of a phase. */
static double record(double sigma, int lost) {
  double information = 0;
  for (int i = 0; i < N; i++) {
    theta[i] = 2 * pi * uniform();
    for (int s = 0; s < P; s++) signals[i][s] = wave(2 * pi * s / P - theta[i]) + sigma * normal();
    int from = (int)(P * uniform());
    for (int s = 0; s < lost; s++) signals[i][(from + s) % P] = 0;
  }
  for (int s = 0; s < P; s++)
    information += pow(wave(2 * pi * s / P + 1e-5) - wave(2 * pi * s / P - 1e-5), 2);
  return sigma / sqrt(information / 4e-10 * (P - lost) / P);
}

static void stop(const lavdm_error *error) {
  fprintf(stderr, "phases: %s\n", error->message);
  exit(1);
}

/* Shifts against the first recording. */
static void from_first(const lavdm_data *data, lavdm_options options, double *angle) {
  int64_t all[N], first[N] = {0};
  lavdm_stack *stack;
  lavdm_error error;
  options.noise = 0;
  for (int i = 0; i < N; i++) all[i] = i;
  if (lavdm_stack_new(data, &options, &stack, &error) < 0) stop(&error);
  if (lavdm_stack_pairs(stack, all, first, N, NULL, angle, NULL, &error) < 0) stop(&error);
  lavdm_stack_free(stack);
}

/* From the top eigenvector of all of them. */
static void from_all(const lavdm_data *data, const lavdm_options *options, double *angle) {
  lavdm_model *model;
  lavdm_error error;
  if (lavdm_fit(data, options, &model, &error) < 0) stop(&error);
  const double *u = lavdm_get(model, "eigenvectors")->data; /* (n,2,r) */
  int64_t r = lavdm_info(model)->chosen->components;
  for (int i = 0; i < N; i++) angle[i] = atan2(u[(2 * i + 1) * r], u[2 * i * r]);
  lavdm_free(model);
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* The error that two thirds of the phases stay below, once all are turned as suits them best. */
static double error_of(const double *angle) {
  double at = 0, sorted[N];
  for (int round = 0; round < 20; round++) { /* the median of the differences, on the circle */
    for (int i = 0; i < N; i++) sorted[i] = remainder(angle[i] - theta[i] - at, 2 * pi);
    qsort(sorted, N, sizeof *sorted, ascending);
    at += sorted[N / 2];
  }
  for (int i = 0; i < N; i++) sorted[i] = fabs(remainder(angle[i] - theta[i] - at, 2 * pi));
  qsort(sorted, N, sizeof *sorted, ascending);
  return sorted[(int)(0.683 * N)];
}

/* Recordings as they are, and each turned back by its phase: rows `place sample value turned`. */
static void write_recordings(const char *folder, const double *angle) {
  char path[1000];
  snprintf(path, sizeof path, "%s/phases_recordings.txt", folder);
  FILE *file = fopen(path, "w");
  for (int i = 0; i < SHOWN && file; i++)
    for (int s = 0; s < P; s++) {
      int from = (s + (int)lround(P * (angle[i] / (2 * pi) + 2))) % P;
      fprintf(file, "%d %d %g %g%s\n", i, s, signals[i][s], signals[i][from], s + 1 < P ? "" : "\n");
    }
  if (file) fclose(file);
}

int main(int argc, char **argv) {
  static double together[N], first[N];
  const double sigma[LEVELS] = {0.1, 0.2, 0.3, 0.6, 1, 1.5}, degrees = 180 / pi;
  char path[1000];
  snprintf(path, sizeof path, "%s/phases_errors.txt", argc > 1 ? argv[1] : ".");
  FILE *file = argc > 1 ? fopen(path, "w") : NULL;
  int bad = 0;
  lavdm_options options;
  lavdm_options_default(&options);
  options.bundle = LAVDM_BUNDLE_SHIFT;
  options.components = 4;
  options.landmarks = 200;
  options.knn = 100; /* few neighbours would be those that lost the same stretch */
  lavdm_data data = {.points = signals, .n = N, .p = P};
  printf("Error of the phase in degrees: two thirds are below\n");
  for (int lost = 0; lost <= LOST; lost += LOST) {
    printf("%d of %d samples lost\n  noise  least possible  together  against the first\n", lost, P);
    for (int l = 0; l < LEVELS; l++) {
      double bound = degrees * record(sigma[l], lost);
      from_all(&data, &options, together);
      from_first(&data, options, first);
      double all = degrees * error_of(together), one = degrees * error_of(first);
      printf("  %4.1f %12.2f %12.2f %12.2f\n", sigma[l], bound, all, one);
      if (file) fprintf(file, "%d %g %g %g %g\n", lost, sigma[l], bound, all, one);
      if (argc > 1 && lost && sigma[l] == 0.6) write_recordings(argv[1], together);
      bad |= !(all < one) || (!lost && sigma[l] < 1 && !(all < 1.15 * bound));
    }
    if (file) fprintf(file, "\n\n");
  }
  if (file) fclose(file);
  return bad;
}
