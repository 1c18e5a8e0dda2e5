/*
 * From pixels to coefficients and back. Images: four products with the matrices of
 * disk.c, on pixels folded to a quarter of the disk. Signals x_s, s < p: with
 * X_k = sum over s of x_s e^(-2 pi i k s/p),
 *     a_0 = X_0/sqrt p,   a_k = sqrt(2/p) X_k,   and a_p/2 = X_p/2/sqrt p for even p.
 */
#include "steer/fourier.h"

#include "base/memory.h"
#include "steer/disk.h"

#include <cblas.h>
#include <math.h>
#include <omp.h>
#include <string.h>

enum { BATCH = 64 }; /* objects that a thread works on at a time */

struct steer_basis {
  int64_t length; /* numbers of a row of pixels */
  disk_t *disk;   /* NULL: signals */
  real_t *value[PARTS], *expand[PARTS];
  int64_t most; /* functions of the largest part */
  steer_bands bands;
  steer_fourier *fourier;
};

static real_t *as_reals(const double *x, int64_t count) {
  real_t *out = NEW(real_t, count);
  for (int64_t i = 0; out && i < count; i++) out[i] = (real_t)x[i];
  return out;
}

steer_basis *steer_disk(int64_t height, int64_t width) {
  steer_basis *basis = NEW(steer_basis, 1);
  if (!basis) return NULL;
  basis->length = height * width;
  bool made = (basis->disk = disk_new(height, width));
  for (int part = 0; part < PARTS && made; part++) {
    disk_t *disk = basis->disk;
    int64_t size = disk->count[part] * disk->points;
    if (disk->count[part] > basis->most) basis->most = disk->count[part];
    basis->value[part] = as_reals(disk->value[part], size);
    basis->expand[part] = as_reals(disk->expand[part], size);
    mem_free(disk->value[part]);
    mem_free(disk->expand[part]);
    disk->value[part] = disk->expand[part] = NULL;
    made = basis->value[part] && basis->expand[part];
  }
  if (made) return basis;
  steer_basis_free(basis);
  return NULL;
}

steer_basis *steer_circle(int64_t samples) {
  steer_basis *basis = NEW(steer_basis, 1);
  if (!basis) return NULL;
  int64_t bands = samples / 2 + 1;
  basis->length = samples;
  basis->bands = (steer_bands){bands, NEW(int64_t, bands + 1), bands};
  basis->fourier = fourier_new(samples);
  if (!basis->bands.first || !basis->fourier) {
    steer_basis_free(basis);
    return NULL;
  }
  for (int64_t k = 0; k <= bands; k++) basis->bands.first[k] = k;
  return basis;
}

void steer_basis_free(steer_basis *basis) {
  if (!basis) return;
  disk_free(basis->disk);
  for (int part = 0; part < PARTS; part++) {
    mem_free(basis->value[part]);
    mem_free(basis->expand[part]);
  }
  mem_free(basis->bands.first);
  fourier_free(basis->fourier);
  mem_free(basis);
}

const steer_bands *steer_basis_bands(const steer_basis *basis) {
  return basis->disk ? &basis->disk->bands : &basis->bands;
}

const double *const *steer_basis_white(const steer_basis *basis) {
  return basis->disk ? (const double *const *)basis->disk->white : NULL;
}

int64_t steer_basis_pixels(const steer_basis *basis) {
  return basis->disk ? basis->disk->pixels : basis->length;
}

/* ------------------------------------------------------------------ images */

/* out (count x points) = the share of the pixels that changes with the signs of the part. */
static void fold(const disk_t *disk, int part, const real_t *pixels, int64_t length, int64_t count,
                 real_t *out) {
  real_t right = (real_t)disk_flip_columns(part), down = (real_t)disk_flip_rows(part);
  for (int64_t i = 0; i < count; i++) {
    const real_t *x = pixels + i * length;
    real_t *u = out + i * disk->points;
    for (int64_t p = 0; p < disk->points; p++) {
      const int64_t *at = disk->place + 4 * p;
      u[p] = (real_t)0.25 * (x[at[0]] + right * x[at[1]] + down * (x[at[2]] + right * x[at[3]]));
    }
  }
}

static void unfold(const disk_t *disk, int part, const real_t *u, int64_t length, int64_t count,
                   real_t *pixels) {
  real_t right = (real_t)disk_flip_columns(part), down = (real_t)disk_flip_rows(part);
  for (int64_t i = 0; i < count; i++) {
    real_t *x = pixels + i * length;
    for (int64_t p = 0; p < disk->points; p++) {
      const int64_t *at = disk->place + 4 * p;
      real_t v = u[i * disk->points + p];
      x[at[0]] += v;
      if (at[1] != at[0]) x[at[1]] += right * v;
      if (at[2] != at[0]) x[at[2]] += down * v;
      if (at[3] != at[1] && at[3] != at[2]) x[at[3]] += down * right * v;
    }
  }
}

/* Up to BATCH images; room for BATCH x (points + most). */
static void expand_images(const steer_basis *basis, const real_t *pixels, int64_t count, real_t *room,
                          real_t *out) {
  const disk_t *disk = basis->disk;
  int64_t size = disk->bands.size;
  real_t *folded = room, *found = room + BATCH * disk->points;
  memset(out, 0, (size_t)(count * 2 * size) * sizeof *out);
  for (int part = 0; part < PARTS; part++) {
    int n = (int)disk->count[part], m = (int)disk->points;
    if (!n) continue;
    fold(disk, part, pixels, basis->length, count, folded);
    cblas_gemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)count, n, m, 1, folded, m, basis->expand[part],
               m, 0, found, n);
    for (int64_t i = 0; i < count; i++)
      for (int64_t c = 0; c < n; c++) out[i * 2 * size + disk->target[part][c]] = found[i * n + c];
  }
}

static void synthesise_images(const steer_basis *basis, const real_t *value, int64_t count, real_t *room,
                              real_t *pixels) {
  const disk_t *disk = basis->disk;
  int64_t size = disk->bands.size;
  real_t *folded = room, *given = room + BATCH * disk->points;
  memset(pixels, 0, (size_t)(count * basis->length) * sizeof *pixels);
  for (int part = 0; part < PARTS; part++) {
    int n = (int)disk->count[part], m = (int)disk->points;
    if (!n) continue;
    for (int64_t i = 0; i < count; i++)
      for (int64_t c = 0; c < n; c++) given[i * n + c] = value[i * 2 * size + disk->target[part][c]];
    cblas_gemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)count, m, n, 1, given, n, basis->value[part],
               m, 0, folded, m);
    unfold(disk, part, folded, basis->length, count, pixels);
  }
}

/* ----------------------------------------------------------------- signals */

/* Bands 0 and p/2 are not doubled. */
static real_t circle_scale(const steer_basis *basis, int64_t k) {
  return (real_t)sqrt((k == 0 || 2 * k == basis->length ? 1 : 2) / (double)basis->length);
}

static void expand_signals(const steer_basis *basis, const real_t *pixels, int64_t count, real_t *room,
                           real_t *out) {
  int64_t p = basis->length, bands = basis->bands.bands;
  for (int64_t i = 0; i < count; i++) {
    real_t *a = out + i * 2 * bands;
    memcpy(room, pixels + i * p, (size_t)p * sizeof *room);
    fourier_forward(basis->fourier, room, a);
    for (int64_t k = 0; k < bands; k++)
      a[2 * k] *= circle_scale(basis, k), a[2 * k + 1] *= circle_scale(basis, k);
  }
}

/* x_s = a_0/sqrt p + sum of sqrt(2/p) Re(a_k e^(2 pi i k s/p)), of which the transform adds k and -k. */
static void synthesise_signals(const steer_basis *basis, const real_t *value, int64_t count, real_t *room,
                               real_t *pixels) {
  int64_t p = basis->length, bands = basis->bands.bands;
  for (int64_t i = 0; i < count; i++) {
    for (int64_t k = 0; k < bands; k++) {
      real_t scale = circle_scale(basis, k) / (k == 0 || 2 * k == p ? 1 : 2);
      room[2 * k] = scale * value[i * 2 * bands + 2 * k];
      room[2 * k + 1] = k == 0 || 2 * k == p ? 0 : scale * value[i * 2 * bands + 2 * k + 1];
    }
    fourier_back(basis->fourier, room, pixels + i * p);
  }
}

/* -------------------------------------------------------------------- both */

typedef void (*batch_step)(const steer_basis *, const real_t *, int64_t, real_t *, real_t *);

/* step for all batches: `from` and `to` numbers of an object. */
static int in_batches(const steer_basis *basis, batch_step step, const real_t *in, int64_t from,
                      int64_t count, int threads, real_t *out, int64_t to) {
  int64_t batches = (count + BATCH - 1) / BATCH;
  int used = (int)(batches < threads ? (batches ? batches : 1) : threads);
  int64_t room = basis->disk ? BATCH * (basis->disk->points + basis->most) : 2 * basis->length + 2;
  real_t *all = NEW(real_t, used * room);
  if (!all) return LAVDM_ERROR_MEMORY;
  int before = blas_threads(1);
#pragma omp parallel for num_threads(used) schedule(dynamic, 1) if (used > 1)
  for (int64_t b = 0; b < batches; b++) {
    int64_t first = b * BATCH, some = count - first < BATCH ? count - first : BATCH;
    step(basis, in + first * from, some, all + (used > 1 ? omp_get_thread_num() : 0) * room,
         out + first * to);
  }
  blas_threads(before);
  mem_free(all);
  return LAVDM_OK;
}

int steer_expand(const steer_basis *basis, const real_t *pixels, int64_t count, int threads, real_t *out) {
  return in_batches(basis, basis->disk ? expand_images : expand_signals, pixels, basis->length, count,
                    threads, out, 2 * steer_basis_bands(basis)->size);
}

int steer_synthesise(const steer_basis *basis, const real_t *value, int64_t count, int threads,
                     real_t *pixels) {
  return in_batches(basis, basis->disk ? synthesise_images : synthesise_signals, value,
                    2 * steer_basis_bands(basis)->size, count, threads, pixels, basis->length);
}
