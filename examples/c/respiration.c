/*
 * Respiration from an ECG: six signals that breathing leaves in it, each with a phase of its
 * own, brought to one phase by the connection Laplacian and added up.
 *     cc respiration.c $(pkg-config --cflags --libs lavdm) -lm -o respiration
 *     ./respiration [FOLDER [ECG]]       ECG: 300 s at 360 Hz, a number per line; else simulated
 * Their parts from 0.1 to 0.5 Hz have phases p_k(t); z_k = exp(i p_k). In a window w of 30 s,
 * c = mean of z_k conj(z_l) tells by how much k leads l, arg c, and how surely: edges of weight
 * |c|^2 join the nodes (k,w) and (l,w), and edges of angle 0 (k,w) and (k,w-1). The top eigenvector
 * has the phases a_kw; respiration is the sum over k of degree_kw exp(i (a_00 - a_kw)) z_k(t).
 */
#include <lavdm.h>

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { RATE = 360, SECONDS = 300, N = RATE * SECONDS, GRID = 4, T = GRID * SECONDS, MOST = 2000 };
enum { K = 6, HOP = 15 * GRID, WINDOWS = T / HOP - 1, EDGES = WINDOWS * K * K };

static const char *name[] = {"height", "upslope", "downslope", "area", "level", "interval", "mean", "fused"};
static double ecg[N], when[MOST], signal[K][MOST]; /* times of beats, and the signals there */
static double complex z[K + 2][T], *mean = z[K], *fused = z[K + 1], truth[T];

static double noise(void) {
  static uint64_t state = 1;
  return (double)((state = state * 6364136223846793005u + 1442695040888963407u) >> 11) * 0x1p-53 - 0.5;
}

/* About 15 breaths a minute; R, S, level and interval follow, each with its own lag. */
static void simulate(void) {
  double x = 0, jitter = 0; /* x: time from the nearest beat */
  for (int i = 0; i < N; i++) {
    double t = i / (double)RATE, b = 2 * M_PI * (t / 4 + 0.8 * sin(2 * M_PI * t / 60));
    double interval = 0.7 + jitter + (t > 100 && t < 170 ? 0 : 0.05 * cos(b + 2.7));
    if ((x += 1.0 / RATE) > interval / 2) x -= interval, jitter = 0.08 * noise();
    ecg[i] = (1.2 + 0.09 * cos(b)) * exp(-pow(x / (0.012 + 0.0015 * cos(b + 2.6)), 2)) + /* R */
             (-0.4 - 0.12 * cos(b - 1.6)) * exp(-pow((x - 0.03) / 0.012, 2)) +           /* S */
             0.3 * exp(-pow((x - 0.25) / 0.05, 2)) + 0.03 * cos(b - 1.9) + 0.25 * noise();
    if (i * GRID % RATE == 0) truth[i * GRID / RATE] = cexp(I * b);
  }
}

/* R peaks: the highest within a quarter of a second, and half as high as those before. */
static int find_beats(int *beat) {
  double sum = 0;
  int w = RATE / 4, n = 0;
  for (int i = w; i < N - w && n < MOST; i++) {
    double above = 0, top = ecg[i];
    for (int j = i - w; j <= i + w; j++) above += ecg[i] - ecg[j], top = fmax(top, ecg[j]);
    if (top == ecg[i] && above * n >= sum / 2) beat[n++] = i, sum += above;
  }
  return n;
}

/* The signals at the beats, but for extra beats, whose QRS is far wider than those before. */
static int derive(const int *beat, int n) {
  double sum = 0, interval = 0.7 * RATE;
  int kept = 0, last = 0;
  for (int b = 1; b < n; b++) {
    const double *x = ecg + beat[b];
    double level = 0, area = 0, size = 0, up = 0, down = 0;
    for (int i = -30; i < -18; i++) level += x[i] / 12;
    for (int i = -18; i <= 18; i++) area += x[i] - level, size += fabs(x[i] - level);
    for (int i = -18; i <= 18; i++) up = fmax(up, x[i] - x[i - 4]), down = fmax(down, x[i - 4] - x[i]);
    double width = size / (x[0] - level);
    if (width * b > 1.25 * (sum += width)) continue;
    if (last == b - 1) interval = beat[b] - beat[b - 1];
    const double value[K] = {x[0] - level, up, down, area, level, interval};
    for (int k = 0; k < K; k++) signal[k][kept] = value[k];
    when[kept++] = beat[b] / (double)RATE, last = b;
  }
  return kept;
}

/* The phase of the part of a signal from 0.1 to 0.5 Hz, by a Fourier sum over the beats. */
static void analyse(const double *s, int n, double complex *out) {
  for (int f = SECONDS / 10; f <= SECONDS / 2; f++) {
    double complex c = 0;
    for (int b = 1; b < n - 1; b++)
      c += (s[b] - s[0]) * (when[b + 1] - when[b - 1]) * cexp(-2 * M_PI * I * f * when[b] / SECONDS);
    for (int t = 0; t < T; t++) out[t] += c * cexp(2 * M_PI * I * f * t / T);
  }
  for (int t = 0; t < T; t++) out[t] /= cabs(out[t]), mean[t] += out[t] / K;
}

/* <x, y> / (|x| |y|) over n samples. */
static double complex coherence(const double complex *x, const double complex *y, int n) {
  double complex c = 0, xx = 0, yy = 0;
  for (int t = 0; t < n; t++) c += x[t] * conj(y[t]), xx += x[t] * conj(x[t]), yy += y[t] * conj(y[t]);
  return c / csqrt(xx * yy);
}

static void fuse(void) {
  int64_t row[EDGES], col[EDGES], count = 0;
  double weight[EDGES], angle[EDGES], agreement = 0;
  for (int e = 0; e < EDGES; e++) { /* all (w,k,l): l < k is a pair, l = k a step back in time */
    int w = e / K / K, k = e / K % K, l = e % K;
    if (l > k || (l == k && !w)) continue;
    double complex c = l < k ? coherence(z[k] + w * HOP, z[l] + w * HOP, 2 * HOP) : 1;
    row[count] = w * K + k, col[count] = l < k ? w * K + l : (w - 1) * K + k;
    weight[count] = pow(cabs(c), 2), angle[count++] = carg(c);
    agreement += l < k ? pow(cabs(c), 2) / (WINDOWS * K * (K - 1) / 2) : 0;
  }
  printf("the signals agree to %.2f\n", agreement);
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
  const double(*u)[2][2] = lavdm_get(model, "eigenvectors")->data; /* node, coordinate, component */
  const double *g = lavdm_get(model, "degrees")->data;
  for (int i = 0; i < WINDOWS * K; i++) {
    double complex turn = g[i] * cexp(I * (atan2(u[0][1][0], u[0][0][0]) - atan2(u[i][1][0], u[i][0][0])));
    for (int t = 0; t < 2 * HOP; t++) /* windows fade into each other */
      fused[i / K * HOP + t] += pow(sin(M_PI * t / 2 / HOP), 2) * turn * z[i % K][i / K * HOP + t];
  }
  lavdm_free(model);
}

int main(int argc, char **argv) {
  int beat[MOST], n, kept, real = argc > 2;
  double r[K + 2];
  if (real && !freopen(argv[2], "r", stdin)) exit((puts("there is no such ECG"), 1));
  for (int i = 0; real && i < N; i++)
    if (scanf("%lf", &ecg[i]) != 1) exit((puts("the ECG is too short"), 1));
  if (!real) simulate();
  n = find_beats(beat), kept = derive(beat, n);
  printf("%d beats, %d of them regular\n", n, kept);
  for (int k = 0; k < K; k++) analyse(signal[k], kept, z[k]);
  fuse();
  for (int k = 0; k < K + 2; k++) {
    double complex c = coherence(z[k] + HOP, (real ? fused : truth) + HOP, T - 2 * HOP);
    printf("%-10s correlation %.2f, phase %5.2f\n", name[k], r[k] = cabs(c), carg(c));
    for (int t = 0; k == K + 1 && t < T; t++) fused[t] *= conj(c);
  }
  char path[1000];
  snprintf(path, sizeof path, "%s/respiration_%s.txt", argc > 1 ? argv[1] : "", real ? "real" : "simulated");
  FILE *out = argc > 1 ? fopen(path, "w") : NULL;
  for (int t = 0; out && t < T; t++) {
    fprintf(out, "%g %g", t / (double)GRID, creal(truth[t]));
    for (int k = 0; k < K + 2; k++) fprintf(out, k < K + 1 ? " %g" : " %g\n", creal(z[k][t]));
  }
  return (out && fclose(out)) || (!real && (r[K + 1] < 0.9 || r[K + 1] < r[K] + 0.1));
}
