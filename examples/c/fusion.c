/*
 * Two sensors watch one phenomenon, each with a disturbance of its own: what they have
 * in common, found by diffusion from one sensor to the other through landmarks.
 *
 *     cc fusion.c $(pkg-config --cflags --libs lavdm) -lm -o fusion && ./fusion [FOLDER]
 *
 * The common angle theta_i and the disturbances phi_i, psi_i are independent. Sensor 1
 * sees (theta, phi) and sensor 2 sees (theta, psi), both with the disturbance twice as
 * large. With landmarks k among the points and kernels K1, K2 of the two sensors,
 *     w_ik = sum over landmarks j of K1(i,j) K2(j,k):
 * a step that keeps (theta, phi) and forgets psi, then one that forgets phi. ROSELAND
 * on these weights sees theta alone.
 */
#include <lavdm.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 1500, M = 300, P = 4 }; /* points, landmarks (the first M points), coordinates of a sensor */

static const double pi = 3.14159265358979, width = 0.5, noise = 0.05;
static double sensor[2][N][P], both[N][2 * P], theta[N], weight[N * M];
static int64_t row[N * M], col[N * M], landmark[M];

static double uniform(void) {
  static uint64_t state = 1;
  state = state * 6364136223846793005u + 1442695040888963407u;
  return ((double)(state >> 12) + 0.5) / 4503599627370496.0;
}

static double normal(void) {
  return sqrt(-2 * log(uniform())) * cos(2 * pi * uniform());
}

static void observe(void) {
  for (int i = 0; i < N; i++) {
    theta[i] = 2 * pi * uniform();
    for (int s = 0; s < 2; s++) {
      double disturbance = 2 * pi * uniform(), *x = sensor[s][i];
      x[0] = cos(theta[i]), x[1] = sin(theta[i]);
      x[2] = 2 * cos(disturbance), x[3] = 2 * sin(disturbance);
      for (int j = 0; j < P; j++) both[i][s * P + j] = x[j] += noise * normal();
    }
  }
  for (int k = 0; k < M; k++) landmark[k] = k;
}

/* exp(-|x_i - x_k|^2 / width^2) in one sensor. */
static double kernel(int s, int i, int k) {
  double d2 = 0;
  for (int j = 0; j < P; j++) d2 += pow(sensor[s][i][j] - sensor[s][k][j], 2);
  return exp(-d2 / (width * width));
}

/* w = K1 K2 from points (rows) to landmarks (columns). */
static void alternate(void) {
  static double second[M][M];
  for (int j = 0; j < M; j++)
    for (int k = 0; k < M; k++) second[j][k] = kernel(1, j, k);
  for (int i = 0; i < N; i++) {
    double *w = weight + i * M;
    for (int k = 0; k < M; k++) row[i * M + k] = i, col[i * M + k] = k, w[k] = 1e-30;
    for (int j = 0; j < M; j++) {
      double first = kernel(0, i, j);
      for (int k = 0; k < M; k++) w[k] += first * second[j][k];
    }
  }
}

/*
 * The angle of the first two coordinates after the constant one, beside theta: the
 * circular correlation |mean of exp(i (angle -+ theta))|, for the better sign. 1 if
 * they are the same but for a rotation and the direction, about 0 if unrelated.
 */
static double recovered(const char *name, const lavdm_data *data, const char *folder) {
  static double x[N][3];
  char path[1000];
  lavdm_options options;
  lavdm_options_default(&options);
  options.method = LAVDM_METHOD_ROSELAND;
  options.components = 3;
  lavdm_model *model;
  lavdm_error error;
  if (lavdm_fit(data, &options, &model, &error) < 0 || lavdm_coordinates(model, 1, 3, &x[0][0], &error) < 0) {
    fprintf(stderr, "fusion: %s\n", error.message);
    exit(1);
  }
  const double *lambda = lavdm_info(model)->eigenvalues;
  double sum[2][2] = {{0}}, best = 0;
  for (int i = 0; i < N; i++)
    for (int s = 0; s < 2; s++) {
      double a = atan2(x[i][2], x[i][1]) + (s ? theta[i] : -theta[i]);
      sum[s][0] += cos(a) / N, sum[s][1] += sin(a) / N;
    }
  best = fmax(hypot(sum[0][0], sum[0][1]), hypot(sum[1][0], sum[1][1]));
  printf("%-12s correlation with the common angle %.3f   eigenvalues %.3f %.3f\n", name, best, lambda[1],
         lambda[2]);
  lavdm_free(model);
  snprintf(path, sizeof path, "%s/fusion_%s.txt", folder, name);
  FILE *file = *folder ? fopen(path, "w") : NULL;
  for (int i = 0; file && i < N; i++) fprintf(file, "%g %g %g\n", x[i][1], x[i][2], theta[i]);
  if (file) fclose(file);
  return best;
}

int main(int argc, char **argv) {
  const char *folder = argc > 1 ? argv[1] : "";
  observe();
  alternate();
  lavdm_data one = {.points = sensor[0], .n = N, .p = P, .landmark_index = landmark, .landmark_count = M};
  lavdm_data two = one, joined = one;
  two.points = sensor[1];
  joined.points = both, joined.p = 2 * P;
  lavdm_edges edges = {.count = N * M, .row = row, .col = col, .weight = weight};
  lavdm_data fused = {.edges = &edges};
  double alone = recovered("sensor_1", &one, folder);
  alone = fmax(alone, recovered("sensor_2", &two, folder));
  alone = fmax(alone, recovered("both", &joined, folder));
  return recovered("fused", &fused, folder) < 0.95 || alone > 0.3;
}
