#define _GNU_SOURCE
#include "picture/drawing.h"
#include "base/command.h"
#include "base/progress.h"
#include "io/output.h"
#include "output/result.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static bool ends_in(const char *path, const char *end) {
  size_t length = strlen(path), own = strlen(end);
  return length > own && !strcmp(path + length - own, end);
}

int drawing_check(const char *path, const char *option, const char *input, lavdm_error *error) {
  if (!path || !(ends_in(path, ".pdf") || ends_in(path, ".svg") || ends_in(path, ".png")))
    return refuse(error, STATUS_USAGE, "%s must name the picture: a file that ends in .pdf, .svg or .png",
                  option);
  if (result_same(path, input))
    return refuse(error, LAVDM_ERROR_ARGUMENT, "%.200s is the input; the picture would overwrite it", path);
  int status = folder_check(path, error);
  if (status < 0) return status;
  if (system("gnuplot --version >/dev/null 2>&1"))
    return refuse(error, STATUS_WRITE, "%.200s: pictures are drawn by gnuplot, which is not installed", path);
  return LAVDM_OK;
}

/* Units of the terminals of gnuplot 5.4, as measured: fonts of cairo are 4/3 of their number, lines and dots
 * of .pdf have units of their own, and dots of .svg grow with the font. */
static void set_terminal(drawing *p, const paper_t *paper) {
  const double pixel = paper->dots / 72;
  if (ends_in(p->path, ".pdf")) {
    p->font = 1, p->line = 2, p->dot = 1 / 3.15;
    fprintf(p->script, "set terminal pdfcairo size %.4fin,%.4fin fontscale 0.75", paper->width,
            paper->height);
  } else if (ends_in(p->path, ".svg")) {
    p->font = p->line = 96 / 72.0, p->dot = 1 / (0.375 * paper->points);
    fprintf(p->script, "set terminal svg size %.0f,%.0f background rgb 'white'", paper->width * 96,
            paper->height * 96);
  } else {
    p->font = 0.75 * pixel, p->line = pixel, p->dot = pixel / 3.5;
    fprintf(p->script, "set terminal pngcairo size %.0f,%.0f", paper->width * paper->dots,
            paper->height * paper->dots);
  }
  fprintf(p->script, " noenhanced font '%s,%.4g'\n", paper->font, paper->points * p->font);
}

int drawing_begin(drawing *p, const char *path, const paper_t *paper, lavdm_error *error) {
  int fd = memfd_create("gnuplot", 0);
  p->path = path;
  p->script = fd >= 0 ? fdopen(fd, "w") : NULL;
  if (!p->script) {
    if (fd >= 0) close(fd);
    return refuse(error, LAVDM_ERROR_MEMORY, "out of memory for the picture");
  }
  fprintf(p->script, "set encoding utf8\n");
  set_terminal(p, paper);
  return LAVDM_OK;
}

/* Whether a picture has its end: gnuplot does not say if it lost a part of it. */
static bool has_end(const char *path, const char *tail, size_t bytes) {
  const char *end = ends_in(path, ".svg")   ? "</svg>\n"
                    : ends_in(path, ".pdf") ? "%%EOF\n"
                                            : "IEND\xae\x42\x60\x82";
  size_t own = strlen(end);
  while (bytes > own && tail[bytes - 2] == '\n') bytes--; /* of more new lines, one */
  return bytes >= own && !memcmp(tail + bytes - own, end, own);
}

/* What gnuplot makes of the script, as it comes. */
static int take_picture(const drawing *p, FILE *picture, output_file *file, lavdm_error *error) {
  char part[4096], tail[16] = "";
  int status = LAVDM_OK;
  for (size_t bytes; status >= 0 && (bytes = fread(part, 1, sizeof part, picture)) > 0;) {
    size_t last = bytes < sizeof tail ? bytes : sizeof tail;
    memmove(tail, tail + last, sizeof tail - last);
    memcpy(tail + sizeof tail - last, part + bytes - last, last);
    status = output_write(file, part, bytes);
  }
  bool broken = ferror(picture) || !has_end(p->path, tail, sizeof tail);
  bool bad = pclose(picture) || broken;
  if (bad && progress_interrupted()) return LAVDM_ERROR_INTERRUPTED; /* it was for both of us */
  if (bad && status >= 0) status = refuse(error, STATUS_WRITE, "%.200s: gnuplot could not draw it", p->path);
  return status;
}

static int draw(const drawing *p, lavdm_error *error) {
  char words[64];
  output_file file;
  progress_enter(PHASE_WRITE, NULL, NULL);
  int status = output_begin(&file, p->path, error);
  if (status < 0) return status;
  snprintf(words, sizeof words, "gnuplot /dev/fd/%d 2>/dev/null", fileno(p->script));
  FILE *picture = popen(words, "r");
  status = picture ? take_picture(p, picture, &file, error)
                   : refuse(error, STATUS_WRITE, "%.200s: gnuplot could not be started: %s", p->path,
                            strerror(errno));
  return output_end(&file, status);
}

int drawing_end(drawing *p, int status, lavdm_error *error) {
  if (status >= 0 && (fflush(p->script) || ferror(p->script)))
    status = refuse(error, LAVDM_ERROR_MEMORY, "out of memory for the picture");
  if (status >= 0) {
    status = draw(p, error);
    bool other = status != LAVDM_ERROR_MEMORY && status != LAVDM_ERROR_INTERRUPTED;
    if (status < 0 && other) status = STATUS_WRITE;
  }
  fclose(p->script);
  return status;
}

/* Of ]]> gnuplot makes SVG that is none. */
void drawing_plain(const char *text, char *to, size_t size) {
  size_t used = 0;
  for (; *text && used + 1 < size; text++)
    to[used++] = (unsigned char)*text < ' ' || strchr("\\\"'`$@^_{}~", *text) || !strncmp(text, "]]>", 3)
                     ? ' '
                     : *text;
  while (used > 0 && used + 1 == size && ((unsigned char)to[used - 1] & 0x80)) used--; /* cut within UTF-8 */
  to[used] = 0;
}

void drawing_title(const char *name, char title[DRAWING_TITLE]) {
  const char *base = strrchr(name, '/');
  drawing_plain(base ? base + 1 : name, title, DRAWING_TITLE);
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
