/*
 * The functions are prolate ones, R_kq(r) e^(ik phi), band-limited to 0.8 of the
 * Nyquist frequency of the pixels, in descending order of the energy that they keep in
 * the disk. One is taken if it keeps 0.02 of it and if, sampled on the pixels, at
 * least half of its squared norm is new, beyond those taken before it: so white noise
 * stays nearly white, and turning holds for images that do not vanish at the rim.
 * (With the full band and half of the energy, what smooth images do not vanish by at
 * the rim is lost: patches of 7x7 to 33x33 then turn with 5 to 12 % of error, not 2 to 5.)
 *
 * Those of a band are made orthonormal on the pixels (cosine and sine on average), and
 * coefficients are least squares: G^-1 S' M x for pixels x folded to a quarter, S the
 * sampled functions, M how many pixels a point of the quarter stands for, G = S' M S.
 */
#include "steer/disk.h"

#include "base/memory.h"
#include "steer/prolate.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double BAND_LIMIT = 0.8, LEAST_ENERGY = 0.02, LEAST_NEW = 0.5;

/* A function that may be taken. */
typedef struct {
  double lambda;
  int64_t k, q, row; /* row of `radial` */
  bool taken;
} candidate_t;

typedef struct {
  int64_t points, count, room;
  double *x, *angle, *weight; /* points: radius in [0, 1], angle, pixels that it stands for */
  candidate_t *list;          /* count */
  double *radial;             /* count x points */
} choice_t;

static int part_of(int64_t k, bool sine) {
  return (sine ? 2 : 0) + (int)(k & 1);
}

static bool quarter(disk_t *disk, choice_t *choice, int64_t height, int64_t width) {
  int64_t rows = (height + 1) / 2, cols = (width + 1) / 2, size = height < width ? height : width;
  disk->place = NEW(int64_t, 4 * rows * cols);
  choice->x = NEW(double, rows *cols);
  choice->angle = NEW(double, rows *cols);
  choice->weight = NEW(double, rows *cols);
  if (!disk->place || !choice->x || !choice->angle || !choice->weight) return false;
  for (int64_t i = 0; i < rows; i++)
    for (int64_t j = 0; j < cols; j++) {
      int64_t y = 2 * i - (height - 1), x = 2 * j - (width - 1), p = disk->points;
      if (x * x + y * y > size * size) continue;
      int64_t down = height - 1 - i, right = width - 1 - j, *place = disk->place + 4 * p;
      place[0] = i * width + j, place[1] = i * width + right;
      place[2] = down * width + j, place[3] = down * width + right;
      choice->x[p] = sqrt((double)(x * x + y * y)) / (double)size;
      choice->angle[p] = atan2((double)y, (double)x);
      choice->weight[p] = (y ? 2 : 1) * (x ? 2 : 1);
      disk->points++;
      disk->pixels += (y ? 2 : 1) * (x ? 2 : 1);
    }
  choice->points = disk->points;
  return true;
}

static bool add_band(choice_t *choice, const prolate_t *band) {
  int64_t need = choice->count + band->count;
  if (need > choice->room) {
    int64_t room = 2 * need;
    candidate_t *list = RESIZE(candidate_t, choice->list, room);
    if (list) choice->list = list;
    double *radial = RESIZE(double, choice->radial, room * choice->points);
    if (radial) choice->radial = radial;
    if (!list || !radial) return false;
    choice->room = room;
  }
  if (!choice->list) return true; /* nothing asked for yet */
  if (!prolate_values(band, choice->x, choice->points, choice->radial + choice->count * choice->points))
    return false;
  for (int64_t q = 0; q < band->count; q++)
    choice->list[choice->count + q] = (candidate_t){band->lambda[q], band->k, q, choice->count + q, false};
  choice->count = need;
  return true;
}

/* All functions with enough energy. */
static bool candidates(choice_t *choice, double c) {
  for (int64_t k = 0;; k++) {
    prolate_t band;
    if (!prolate_new(c, k, LEAST_ENERGY, &band)) return false;
    int64_t found = band.count;
    bool added = !found || add_band(choice, &band);
    prolate_free(&band);
    if (!added) return false;
    if (!found) return true;
  }
}

static int by_energy(const void *a, const void *b) {
  const candidate_t *f = a, *g = b;
  if (f->lambda != g->lambda) return f->lambda > g->lambda ? -1 : 1;
  return f->row < g->row ? -1 : f->row > g->row;
}

static int by_band(const void *a, const void *b) {
  const candidate_t *f = a, *g = b;
  return f->row < g->row ? -1 : f->row > g->row;
}

/* out = the function at the points: sqrt 2 R cos(k phi), or -sqrt 2 R sin(k phi), or R. */
static void sample(const choice_t *choice, const candidate_t *f, bool sine, double *out) {
  const double *radial = choice->radial + f->row * choice->points;
  for (int64_t p = 0; p < choice->points; p++) {
    double phase = (double)f->k * choice->angle[p];
    out[p] = radial[p] * (f->k ? M_SQRT2 * (sine ? -sin(phase) : cos(phase)) : 1);
  }
}

static double norm2(const choice_t *choice, const candidate_t *f) {
  const double *radial = choice->radial + f->row * choice->points;
  double sum = 0;
  for (int64_t p = 0; p < choice->points; p++) sum += choice->weight[p] * radial[p] * radial[p];
  return sum;
}

/* One part: functions that were asked for, and the Cholesky factor of those taken. */
typedef struct {
  int64_t asked, taken, room;
  int64_t *kept; /* which of those asked for were taken */
  double *gram, *factor, *row;
} part_t;

/* gram = products of the part's candidates, in their order. */
static bool part_gram(const choice_t *choice, int part, part_t *out) {
  int64_t points = choice->points, room = 0;
  for (int64_t i = 0; i < choice->count; i++)
    room += choice->list[i].k || part < 2 ? part_of(choice->list[i].k, part >= 2) == part : 0;
  *out = (part_t){.room = room,
                  .kept = NEW(int64_t, room),
                  .gram = NEW(double, room *room),
                  .factor = NEW(double, room *room),
                  .row = NEW(double, room)};
  double *sampled = NEW(double, room *points);
  bool made = out->kept && out->gram && out->factor && out->row && sampled;
  for (int64_t i = 0, at = 0; made && i < choice->count; i++) {
    const candidate_t *f = &choice->list[i];
    if (part_of(f->k, part >= 2) != part || (!f->k && part >= 2)) continue;
    double size = norm2(choice, f), *s = sampled + at++ * points;
    sample(choice, f, part >= 2, s);
    for (int64_t p = 0; p < points; p++) s[p] *= size > 1e-12 ? sqrt(choice->weight[p] / size) : 0;
  }
  if (made && room)
    cblas_dsyrk(CblasRowMajor, CblasLower, CblasNoTrans, (int)room, (int)points, 1, sampled, (int)points, 0,
                out->gram, (int)room);
  mem_free(sampled);
  return made;
}

/* The squared norm of the next candidate beyond those taken; part->row = its row of the factor. */
static double beyond_taken(part_t *part) {
  const double *gram = part->gram + part->asked * part->room;
  for (int64_t i = 0; i < part->taken; i++) part->row[i] = gram[part->kept[i]];
  if (part->taken)
    cblas_dtrsv(CblasRowMajor, CblasLower, CblasNoTrans, CblasNonUnit, (int)part->taken, part->factor,
                (int)part->room, part->row, 1);
  return gram[part->asked] - cblas_ddot((int)part->taken, part->row, 1, part->row, 1);
}

static void take(part_t *part, double pivot) {
  double *row = part->factor + part->taken * part->room;
  memcpy(row, part->row, (size_t)part->taken * sizeof *row);
  row[part->taken] = sqrt(pivot);
  part->kept[part->taken++] = part->asked;
}

/* Marks the functions that the pixels tell apart, best first. */
static bool choose(choice_t *choice) {
  part_t part[PARTS] = {{0}};
  bool made = true;
  if (!choice->list) return false; /* there is always one: the constant */
  qsort(choice->list, (size_t)choice->count, sizeof *choice->list, by_energy);
  for (int i = 0; i < PARTS && made; i++) made = part_gram(choice, i, &part[i]);
  for (int64_t i = 0; i < choice->count && made; i++) {
    candidate_t *f = &choice->list[i];
    part_t *cosine = &part[part_of(f->k, false)], *sine = f->k ? &part[part_of(f->k, true)] : NULL;
    double first = beyond_taken(cosine), second = sine ? beyond_taken(sine) : 1;
    f->taken = i == 0 || (first >= LEAST_NEW && second >= LEAST_NEW);
    if (f->taken) take(cosine, first);
    if (f->taken && sine) take(sine, second);
    cosine->asked++;
    if (sine) sine->asked++;
  }
  for (int i = 0; i < PARTS; i++) {
    mem_free(part[i].kept);
    mem_free(part[i].gram);
    mem_free(part[i].factor);
    mem_free(part[i].row);
  }
  qsort(choice->list, (size_t)choice->count, sizeof *choice->list, by_band);
  return made;
}

/* Only those taken are left, in bands. */
static bool settle(disk_t *disk, choice_t *choice) {
  int64_t kept = 0, points = choice->points;
  for (int64_t i = 0; i < choice->count; i++)
    if (choice->list[i].taken) {
      memmove(choice->radial + kept * points, choice->radial + choice->list[i].row * points,
              (size_t)points * sizeof(double));
      choice->list[kept] = choice->list[i];
      choice->list[kept].row = kept;
      kept++;
    }
  choice->count = kept;
  disk->bands = (steer_bands){.bands = choice->list[kept - 1].k + 1, .size = kept};
  disk->bands.first = NEW(int64_t, disk->bands.bands + 1);
  if (!disk->bands.first) return false;
  for (int64_t i = 0; i < kept; i++) disk->bands.first[choice->list[i].k + 1]++;
  disk->white = NEW(double *, disk->bands.bands);
  for (int64_t k = 0; k < disk->bands.bands; k++) {
    int64_t s = disk->bands.first[k + 1];
    disk->bands.first[k + 1] += disk->bands.first[k];
    if (!disk->white || !(disk->white[k] = NEW(double, s *s))) return false;
  }
  return true;
}

/* Radial functions of every band orthonormal in the weights: L^-1 R for R M R' = L L'. */
static bool orthonormal(const disk_t *disk, choice_t *choice) {
  int64_t points = choice->points;
  double *weighted = NEW(double, choice->count *points), *gram = NEW(double, choice->count * choice->count);
  bool made = weighted && gram;
  for (int64_t i = 0; made && i < choice->count * points; i++)
    weighted[i] = choice->radial[i] * choice->weight[i % points];
  for (int64_t k = 0; made && k < disk->bands.bands; k++) {
    int64_t first = disk->bands.first[k], count = disk->bands.first[k + 1] - first;
    if (!count) continue;
    int n = (int)count, m = (int)points;
    double *radial = choice->radial + first * points;
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, n, n, m, 1, radial, m, weighted + first * points, m,
                0, gram, n);
    made = !LAPACKE_dpotrf_work(LAPACK_ROW_MAJOR, 'L', n, gram, n);
    if (made)
      cblas_dtrsm(CblasRowMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, n, m, 1, gram, n, radial,
                  m);
  }
  mem_free(weighted);
  mem_free(gram);
  return made;
}

/* Adds the part's share of the covariance of white noise: the blocks of G^-1, from the factor of G. */
static bool add_white(disk_t *disk, int part, double *gram) {
  int n = (int)disk->count[part];
  if (LAPACKE_dpotri_work(LAPACK_ROW_MAJOR, 'L', n, gram, n)) return false;
  for (int64_t at = 0, k = part & 1; k < disk->bands.bands; k += 2) {
    int64_t s = disk->bands.first[k + 1] - disk->bands.first[k];
    if (!k && part >= 2) continue;
    for (int64_t a = 0; a < s; a++)
      for (int64_t b = 0; b < s; b++) {
        int64_t row = at + (a > b ? a : b), col = at + (a > b ? b : a);
        disk->white[k][a * s + b] += (k ? 0.5 : 1) * gram[row * n + col];
      }
    at += s;
  }
  return true;
}

/* expand = (S M S')^-1 S M for the rows S of the part. */
static bool invert(disk_t *disk, const choice_t *choice, int part) {
  int n = (int)disk->count[part], m = (int)disk->points;
  double *gram = NEW(double, (int64_t)n *n), *value = disk->value[part], *expand = disk->expand[part];
  bool made = gram != NULL;
  for (int64_t i = 0; made && i < (int64_t)n * m; i++) expand[i] = value[i] * choice->weight[i % m];
  if (made && n) {
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, n, n, m, 1, value, m, expand, m, 0, gram, n);
    made = !LAPACKE_dpotrf_work(LAPACK_ROW_MAJOR, 'L', n, gram, n);
  }
  for (int pass = 0; made && n && pass < 2; pass++)
    cblas_dtrsm(CblasRowMajor, CblasLeft, CblasLower, pass ? CblasTrans : CblasNoTrans, CblasNonUnit, n, m, 1,
                gram, n, expand, m);
  if (made && n) made = add_white(disk, part, gram);
  mem_free(gram);
  return made;
}

static bool part_matrices(disk_t *disk, const choice_t *choice, int part) {
  int64_t points = disk->points, most = choice->count;
  disk->target[part] = NEW(int64_t, most);
  for (int64_t i = 0; i < most; i++)
    disk->count[part] += part_of(choice->list[i].k, part >= 2) == part && (choice->list[i].k || part < 2);
  disk->value[part] = NEW(double, disk->count[part] * points);
  disk->expand[part] = NEW(double, disk->count[part] * points);
  if (!disk->target[part] || !disk->value[part] || !disk->expand[part]) return false;
  for (int64_t i = 0, at = 0; i < most; i++) {
    const candidate_t *f = &choice->list[i];
    if (part_of(f->k, part >= 2) != part || (!f->k && part >= 2)) continue;
    disk->target[part][at] = 2 * i + (part >= 2);
    sample(choice, f, part >= 2, disk->value[part] + at * points);
    at++;
  }
  return invert(disk, choice, part);
}

disk_t *disk_new(int64_t height, int64_t width) {
  disk_t *disk = NEW(disk_t, 1);
  choice_t choice = {0};
  double size = (double)(height < width ? height : width);
  bool made = disk && quarter(disk, &choice, height, width) &&
              candidates(&choice, BAND_LIMIT * M_PI * size / 2) && choose(&choice) && settle(disk, &choice) &&
              orthonormal(disk, &choice);
  for (int part = 0; part < PARTS && made; part++) made = part_matrices(disk, &choice, part);
  mem_free(choice.x);
  mem_free(choice.angle);
  mem_free(choice.weight);
  mem_free(choice.list);
  mem_free(choice.radial);
  if (made) return disk;
  disk_free(disk);
  return NULL;
}

void disk_free(disk_t *disk) {
  if (!disk) return;
  mem_free(disk->place);
  mem_free(disk->bands.first);
  for (int64_t k = 0; disk->white && k < disk->bands.bands; k++) mem_free(disk->white[k]);
  mem_free(disk->white);
  for (int part = 0; part < PARTS; part++) {
    mem_free(disk->target[part]);
    mem_free(disk->value[part]);
    mem_free(disk->expand[part]);
  }
  mem_free(disk);
}
