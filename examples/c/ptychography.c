/*
 * Ptychography: overlapping frames of one complex object, each known up to a phase of its
 * own, brought to one phase by synchronisation over U(1).
 *
 *     cc ptychography.c $(pkg-config --cflags --libs lavdm) -lm -o ptychography && ./ptychography [FOLDER]
 *
 * Frame j at x_j is f_j(x) = exp(i phi_j) P_j(x - x_j) O(x) + noise, with the probe P_j (its
 * shape times the brightness of that shot) known and phi_j unknown. For two that overlap,
 *     c_jk = sum over x of conj(P_j(x - x_j)) f_j(x) P_k(x - x_k) conj(f_k(x))
 * has about the phase phi_j - phi_k: an edge with weight |c_jk| and the rotation by arg c_jk.
 * The top eigenvector has the phases phi_j, up to one that no measurement can tell, and
 *     O(x) = sum_j exp(-i phi_j) conj(P_j(x - x_j)) f_j(x) / sum_j |P_j(x - x_j)|^2.
 */
#include <lavdm.h>

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIZE = 160, FRAME = 32, STEP = 8, ACROSS = (SIZE - FRAME) / STEP + 1, FRAMES = ACROSS * ACROSS };
enum { PIXELS = FRAME * FRAME, EDGES = FRAMES * 24 }; /* at most 24 frames come after one and overlap it */

static const double pi = 3.14159265358979, noise = 0.5;
static double complex object[SIZE][SIZE], probe[FRAME][FRAME], frame[FRAMES][FRAME][FRAME];
static double phase[FRAMES], bright[FRAMES];
static int64_t row[EDGES], col[EDGES], count;
static double weight[EDGES], angle[EDGES];

static double uniform(void) {
  static uint64_t state = 1;
  state = state * 6364136223846793005u + 1442695040888963407u;
  return ((double)(state >> 12) + 0.5) / 4503599627370496.0;
}

/* Complex noise of variance 1. */
static double complex normal(void) {
  return sqrt(-log(uniform())) * cexp(2 * I * pi * uniform());
}

/* A star of 16 rays on a lens; a Gaussian probe with a curved front. */
static void prepare(void) {
  for (int z = 0; z < SIZE * SIZE; z++) {
    double u = 2.0 * (z % SIZE) / SIZE - 1, v = 2.0 * (z / SIZE) / SIZE - 1, r = hypot(u, v);
    int ray = r > 0.08 && r < 0.85 && sin(16 * atan2(v, u)) > 0;
    object[z / SIZE][z % SIZE] = (1 - 0.3 * ray) * cexp(I * (1.8 * ray + 1.5 * (u * u - v) - 0.5));
  }
  for (int z = 0; z < PIXELS; z++) {
    double u = (z % FRAME + 0.5) / FRAME - 0.5, v = (z / FRAME + 0.5) / FRAME - 0.5;
    probe[z / FRAME][z % FRAME] = cexp(-(8 + 6 * I) * (u * u + v * v));
  }
}

static int top(int j) {
  return j / ACROSS * STEP;
}

static int left(int j) {
  return j % ACROSS * STEP;
}

static void measure(void) {
  for (int j = 0; j < FRAMES; j++) {
    phase[j] = 2 * pi * uniform();
    bright[j] = uniform() < 0.1 ? 0.05 : 1; /* a shot in ten is all but dark */
    for (int z = 0; z < PIXELS; z++) {
      int y = z / FRAME, x = z % FRAME;
      double complex light = bright[j] * probe[y][x] * object[top(j) + y][left(j) + x];
      frame[j][y][x] = cexp(I * phase[j]) * light + noise * normal();
    }
  }
}

/* c_jk, 0 without an overlap; (y,x) in frame j is (v,u) in frame k. */
static double complex overlap(int j, int k) {
  double complex c = 0;
  for (int z = 0; z < PIXELS; z++) {
    int y = z / FRAME, x = z % FRAME, v = y + top(j) - top(k), u = x + left(j) - left(k);
    if (v >= 0 && v < FRAME && u >= 0 && u < FRAME)
      c += conj(probe[y][x]) * frame[j][y][x] * probe[v][u] * conj(frame[k][v][u]);
  }
  return bright[j] * bright[k] * c;
}

static void synchronise(double *estimate) {
  lavdm_options options;
  lavdm_options_default(&options);
  options.method = LAVDM_METHOD_VDM;
  options.alpha = 0, options.components = 2;
  lavdm_edges edges = {.count = count, .row = row, .col = col, .kind = LAVDM_ELEMENT_ANGLE};
  edges.weight = weight, edges.element = angle;
  lavdm_data data = {.edges = &edges};
  lavdm_model *model;
  lavdm_error error;
  if (lavdm_fit(&data, &options, &model, &error) < 0) exit((puts(error.message), 1));
  const double(*u)[2][2] = lavdm_get(model, "eigenvectors")->data; /* frame, coordinate, component */
  for (int j = 0; j < FRAMES; j++) estimate[j] = atan2(u[j][1][0], u[j][0][0]);
  lavdm_free(model);
}

/* The object from all frames with these phases; its error relative to the true one, which it
 * is turned to fit, where pixels count as much as light fell on them. */
static double assemble(const char *name, const double *estimate, const char *folder) {
  static double complex sum[SIZE][SIZE];
  static double light[SIZE][SIZE];
  double complex fit = 0;
  double error = 0, norm = 0;
  for (int z = 0; z < SIZE * SIZE; z++) sum[z / SIZE][z % SIZE] = 0, light[z / SIZE][z % SIZE] = 0;
  for (int j = 0; j < FRAMES; j++)
    for (int z = 0; z < PIXELS; z++) {
      int y = z / FRAME, x = z % FRAME;
      double complex p = bright[j] * probe[y][x];
      sum[top(j) + y][left(j) + x] += cexp(-I * estimate[j]) * conj(p) * frame[j][y][x];
      light[top(j) + y][left(j) + x] += creal(p * conj(p));
    }
  for (int z = 0; z < SIZE * SIZE; z++) fit += sum[z / SIZE][z % SIZE] * conj(object[z / SIZE][z % SIZE]);
  char path[1000];
  snprintf(path, sizeof path, "%s/ptychography_%s.txt", folder, name);
  FILE *file = *folder ? fopen(path, "w") : NULL;
  for (int z = 0; z < SIZE * SIZE; z++) {
    int y = z / SIZE, x = z % SIZE;
    double complex o = sum[y][x] / light[y][x] / (fit / cabs(fit));
    error += light[y][x] * pow(cabs(o - object[y][x]), 2);
    norm += light[y][x] * pow(cabs(object[y][x]), 2);
    if (file) fprintf(file, "%d %d %g\n", x, y, carg(o));
  }
  if (file) fclose(file);
  printf("phases %-12s error of the object %.3f\n", name, sqrt(error / norm));
  return sqrt(error / norm);
}

int main(int argc, char **argv) {
  double found[FRAMES] = {0}, chained[FRAMES] = {0}, synchronised[FRAMES];
  const char *folder = argc > 1 ? argv[1] : "";
  prepare();
  measure();
  for (int j = 0; j < FRAMES; j++)
    for (int k = j + 1; k < FRAMES; k++) {
      double complex c = overlap(j, k);
      if (c == 0) continue;
      row[count] = j, col[count] = k, weight[count] = cabs(c), angle[count++] = carg(c);
      if (k == j + 1 || (k == j + ACROSS && k % ACROSS == 0)) chained[k] = chained[j] - carg(c); /* naive */
    }
  printf("%d frames, %d overlaps\n", FRAMES, (int)count);
  synchronise(synchronised);
  double best = assemble("true", phase, folder);
  assemble("found", found, folder);
  double naive = assemble("chained", chained, folder);
  return assemble("synchronised", synchronised, folder) > 1.1 * best || naive < 1.5 * best;
}
