/*
 * The first repetition on the (u,v) plane.
 *   landmark_size_map_METRIC.csv  u, v, and for each l and m the metric at the point
 *                                 nearest to phi(u,v), on a grid
 *   landmark_size_arrows.csv      u, v, and for each l and m (0: VDM) the field at that
 *                                 point pulled back, the longest of VDM of length 1
 */
#include "landmark_size/landmark_size.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { GRID = 60, ARROWS = 14 };

static const char *const files[METRICS] = {"error", "angle", "magnitude"};
static const double two_pi = 6.283185307179586477;

/* phi of the paper, with + in y. */
static void klein(double u, double v, double x[4]) {
  const double R = 2, P = 1, g = 0.1;
  double h = P * (1 + g * sin(v));
  x[0] = R * (cos(u / 2) * cos(v) - sin(u / 2) * sin(2 * v));
  x[1] = R * (sin(u / 2) * cos(v) + cos(u / 2) * sin(2 * v));
  x[2] = h * cos(u);
  x[3] = h * sin(u);
}

/* The components (a,b) of the tangent vector t: t = a phi_u + b phi_v, by least squares;
 * derivatives by central differences. */
static void pull_back(const double *uv, const double *t, double out[2]) {
  const double step = 1e-5;
  double low[4], high[4], d[2][4], g[3] = {0}, r[2] = {0};
  for (int k = 0; k < 2; k++) {
    klein(uv[0] - (k == 0) * step, uv[1] - (k == 1) * step, low);
    klein(uv[0] + (k == 0) * step, uv[1] + (k == 1) * step, high);
    for (int j = 0; j < 4; j++) d[k][j] = (high[j] - low[j]) / (2 * step);
  }
  for (int j = 0; j < 4; j++) {
    g[0] += d[0][j] * d[0][j], g[1] += d[0][j] * d[1][j], g[2] += d[1][j] * d[1][j];
    r[0] += d[0][j] * t[j], r[1] += d[1][j] * t[j];
  }
  double determinant = g[0] * g[2] - g[1] * g[1];
  out[0] = (g[2] * r[0] - g[1] * r[1]) / determinant;
  out[1] = (g[0] * r[1] - g[1] * r[0]) / determinant;
}

/* For each cell of a size x size grid of (u,v) the point nearest to its centre. */
static int64_t *nearest_points(const double *x, int64_t n, int size) {
  int64_t *nearest = room((int64_t)size * size, sizeof *nearest);
  for (int c = 0; c < size * size; c++) {
    double centre[4], least = INFINITY;
    klein((c / size + 0.5) * two_pi / size, (c % size + 0.5) * two_pi / size, centre);
    for (int64_t i = 0; i < n; i++) {
      double square = 0;
      for (int j = 0; j < 4; j++) square += (x[i * 4 + j] - centre[j]) * (x[i * 4 + j] - centre[j]);
      if (square < least) least = square, nearest[c] = i;
    }
  }
  return nearest;
}

static void write_table(const session_t *session, const char *name, text_t *text) {
  char path[4096];
  snprintf(path, sizeof path, "%s/landmark_size_%s.csv", session->folder, name);
  write_whole(path, text->data, text->size);
  text_free(text);
}

static void write_metric(const session_t *session, const fields_t *fit, const fields_t *reference,
                         const int64_t *nearest, int metric) {
  text_t text = {0};
  double *values = room((int64_t)SHOWN * TABLE * reference->n, sizeof *values);
  char name[128];
  text_add(&text, "u,v");
  for (int c = 0; c < SHOWN * TABLE; c++) {
    double *at = values + c * reference->n;
    int64_t l = landmark_shown[c / TABLE];
    pointwise(field(&fit[c % TABLE], l - 1), field(reference, l - 1), reference->n, reference->q,
              metric == 0 ? at : NULL, metric == 1 ? at : NULL, metric == 2 ? at : NULL);
    text_add(&text, ",l%lld_m%d", (long long)l, c % TABLE + 1);
  }
  text_add(&text, "\n");
  for (int g = 0; g < GRID * GRID; g++) {
    text_add(&text, "%.4f,%.4f", (g / GRID + 0.5) * two_pi / GRID, (g % GRID + 0.5) * two_pi / GRID);
    for (int c = 0; c < SHOWN * TABLE; c++) text_add(&text, ",%.3g", values[c * reference->n + nearest[g]]);
    text_add(&text, "\n");
  }
  free(values);
  write_table(session, say(name, "map_%s", files[metric]), &text);
}

/* The ambient vector l of a fit at point i, its sign that of the reference. */
static void field_at(const fields_t *fit, const fields_t *reference, int64_t l, int64_t i, double t[4]) {
  int64_t size = fit->n * fit->q, r = fit->r;
  double dot = 0, norm = 0;
  for (int64_t k = 0; k < size; k++) dot += fit->vectors[l * size + k] * reference->vectors[l * size + k];
  for (int64_t k = 0; k < fit->n * 4; k++) norm += fit->ambient[k * r + l] * fit->ambient[k * r + l];
  for (int j = 0; j < 4; j++) t[j] = fit->ambient[(i * 4 + j) * r + l] / sqrt(norm) * (dot < 0 ? -1 : 1);
}

static void write_arrows(const session_t *session, const fields_t *fit, const fields_t *reference,
                         const int64_t *nearest, const double *uv) {
  text_t text = {0};
  int64_t cells = ARROWS * ARROWS;
  double *arrow = room(SHOWN * (TABLE + 1) * cells * 2, sizeof *arrow);
  text_add(&text, "u,v");
  for (int s = 0; s < SHOWN; s++) {
    double longest = 0;
    for (int k = 0; k <= TABLE; k++) {
      double *out = arrow + (s * (TABLE + 1) + k) * cells * 2;
      text_add(&text, ",l%d_u%d,l%d_v%d", (int)landmark_shown[s], k, (int)landmark_shown[s], k);
      for (int64_t c = 0; c < cells; c++) {
        double t[4];
        field_at(k ? &fit[k - 1] : reference, reference, landmark_shown[s] - 1, nearest[c], t);
        pull_back(uv + 2 * nearest[c], t, out + 2 * c);
        if (k == 0) longest = fmax(longest, hypot(out[2 * c], out[2 * c + 1]));
      }
    }
    for (int64_t c = 0; c < (TABLE + 1) * cells * 2; c++) arrow[s * (TABLE + 1) * cells * 2 + c] /= longest;
  }
  text_add(&text, "\n");
  for (int64_t c = 0; c < cells; c++) {
    text_add(&text, "%.4f,%.4f", uv[2 * nearest[c]], uv[2 * nearest[c] + 1]);
    for (int k = 0; k < SHOWN * (TABLE + 1); k++)
      text_add(&text, ",%.3g,%.3g", arrow[(k * cells + c) * 2], arrow[(k * cells + c) * 2 + 1]);
    text_add(&text, "\n");
  }
  free(arrow);
  write_table(session, "arrows", &text);
}

int write_maps(session_t *session) {
  char last[4096];
  sizes_t sizes = landmark_sizes(session);
  snprintf(last, sizeof last, "%s/landmark_size_arrows.csv", session->folder);
  if (!session->again && !access(last, R_OK)) return 0;
  double *x, *uv;
  fields_t reference, fit[TABLE] = {{0}};
  klein_points(sizes.n, 1, &x, &uv);
  lavdm_data data = {.points = x, .n = sizes.n, .p = 4};
  int status = fields_fit(session, &data, klein_options(session, LAVDM_METHOD_VDM, 0, 1), 1, &reference);
  for (int k = 0; k < TABLE && status >= 0; k++)
    status =
        fields_fit(session, &data, klein_options(session, LAVDM_METHOD_LAVDM, sizes.map[k], 1), 1, &fit[k]);
  if (status >= 0) {
    int64_t *cells = nearest_points(x, sizes.n, GRID), *arrows = nearest_points(x, sizes.n, ARROWS);
    for (int k = 0; k < METRICS; k++) write_metric(session, fit, &reference, cells, k);
    write_arrows(session, fit, &reference, arrows, uv);
    free(cells), free(arrows);
  }
  for (int k = 0; k < TABLE; k++) fields_free(&fit[k]);
  fields_free(&reference);
  free(x), free(uv);
  return status;
}
