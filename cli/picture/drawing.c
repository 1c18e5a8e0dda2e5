#define _POSIX_C_SOURCE 200809L
#include "picture/drawing.h"
#include "base/command.h"
#include "output/result.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool ends_in(const char *path, const char *end) {
  size_t length = strlen(path), own = strlen(end);
  return length > own && !strcmp(path + length - own, end);
}

int drawing_check(const char *path, const char *option, const char *input, lavdm_error *error) {
  if (!path || !(ends_in(path, ".png") || ends_in(path, ".svg")))
    return refuse(error, STATUS_USAGE, "%s must name the picture: a file that ends in .png or .svg", option);
  if (strchr(path, '\'') || strchr(path, '\n'))
    return refuse(error, LAVDM_ERROR_ARGUMENT, "the name of a picture may not contain ' or a new line");
  if (strlen(path) + 32 > DRAWING_PATH)
    return refuse(error, LAVDM_ERROR_ARGUMENT, "the name of the picture is too long");
  if (result_same(path, input))
    return refuse(error, LAVDM_ERROR_ARGUMENT, "%.200s is the input; the picture would overwrite it", path);
  int status = folder_check(path, error);
  if (status < 0) return status;
  if (system("gnuplot --version >/dev/null 2>&1"))
    return refuse(error, STATUS_WRITE, "%.200s: pictures are drawn by gnuplot, which is not installed", path);
  return LAVDM_OK;
}

int drawing_begin(drawing *p, const char *path, int width, int height, lavdm_error *error) {
  const char *dot = strrchr(path, '.');
  bool svg = ends_in(path, ".svg");
  p->path = path;
  snprintf(p->temporary, sizeof p->temporary, "%.*s.part-%ld%s", (int)(dot - path), path, (long)getpid(),
           dot);
  p->script = popen("gnuplot 2>/dev/null", "w");
  if (!p->script) return refuse(error, STATUS_WRITE, "could not start gnuplot");
  fprintf(p->script, "set encoding utf8\nset terminal %s size %d,%d font 'DejaVu Sans,%d'\nset output '%s'\n",
          svg ? "svg" : "pngcairo", svg ? width : width * 3 / 2, svg ? height : height * 3 / 2, svg ? 12 : 17,
          p->temporary);
  return LAVDM_OK;
}

int drawing_end(drawing *p, int status, lavdm_error *error) {
  int code = pclose(p->script);
  if (status >= 0 && (code || access(p->temporary, R_OK)))
    status = refuse(error, STATUS_WRITE,
                    "%s: gnuplot could not draw it; is gnuplot installed, and the folder writable?", p->path);
  else if (status >= 0 && rename(p->temporary, p->path))
    status = refuse(error, STATUS_WRITE, "%s: %s", p->path, strerror(errno));
  if (status < 0) unlink(p->temporary);
  return status;
}

void drawing_title(const char *name, char title[DRAWING_TITLE]) {
  const char *base = strrchr(name, '/');
  size_t used = 0;
  for (base = base ? base + 1 : name; *base && used + 1 < DRAWING_TITLE; base++)
    title[used++] = (unsigned char)*base < ' ' || strchr("\\\"'`$@^_{}~", *base) ? ' ' : *base;
  title[used] = 0;
}

static double dot(const double *x, const double *y, int64_t width) {
  double sum = 0;
  for (int64_t j = 0; j < width; j++) sum += x[j] * y[j];
  return sum;
}

/* Orthogonal iteration. */
bool principal_axes(double *x, int64_t n, int64_t width, int count, double *axis) {
  double *next = calloc((size_t)width, sizeof *next), largest = 0;
  if (!next) return false;
  for (int64_t j = 0; j < width; j++) {
    double mean = 0;
    for (int64_t i = 0; i < n; i++) mean += x[i * width + j] / (double)n;
    for (int64_t i = 0; i < n; i++) x[i * width + j] -= mean;
  }
  for (int64_t k = 0; k < count * width; k++) axis[k] = 1 + 0.37 * sin(1.7 * (double)k);
  for (int step = 0; step < 60; step++)
    for (int a = 0; a < count; a++) {
      double *v = axis + a * width;
      memset(next, 0, (size_t)width * sizeof *next);
      for (int64_t i = 0; i < n; i += 1 + n / 4000) {
        double along = dot(x + i * width, v, width);
        for (int64_t j = 0; j < width; j++) next[j] += along * x[i * width + j];
      }
      for (int b = 0; b < a; b++) {
        double along = dot(next, axis + b * width, width);
        for (int64_t j = 0; j < width; j++) next[j] -= along * axis[b * width + j];
      }
      double norm = sqrt(dot(next, next, width));
      largest = fmax(largest, norm);
      for (int64_t j = 0; j < width; j++) v[j] = norm > 1e-12 * largest ? next[j] / norm : 0;
    }
  free(next);
  return true;
}
