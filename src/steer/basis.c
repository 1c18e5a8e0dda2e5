/*
 * From pixels to coefficients and back. Images: four products with the matrices of
 * disk.c, on pixels folded to a quarter of the disk. Signals x_s, s < p: with
 * X_k = sum over s of x_s e^(-2 pi i k s/p),
 *     a_0 = X_0/sqrt p,   a_k = sqrt(2/p) X_k,   and a_p/2 = X_p/2/sqrt p for even p,
 * each a band; the same of twice the samples, half of them zero, under a window of mean square 2; or, for
 * phases, all k in band 1 but 0 and p/2, whose phase does not turn and which are band 0.
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
  int64_t transform;  /* samples with the zeros */
  int64_t *frequency; /* of each coefficient */
  real_t *window;     /* length, or NULL */
  steer_fourier *fourier;
};

static real_t *as_reals(const double *x, int64_t count) {
  real_t *out = NEW(real_t, count);
  for (int64_t i = 0; out && i < count; i++) out[i] = (real_t)x[i];
  return out;
}

steer_basis *REAL(steer_disk)(int64_t height, int64_t width) {
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
  REAL(steer_basis_free)(basis);
  return NULL;
}

/* sin^2, zero just outside of the samples, of mean square 2. */
static void hann_window(real_t *window, int64_t samples) {
  double sum = 0;
  for (int64_t s = 0; s < samples; s++) sum += pow(sin(M_PI * (double)(s + 1) / (double)(samples + 1)), 4);
  double scale = sqrt(2 * (double)samples / sum);
  for (int64_t s = 0; s < samples; s++)
    window[s] = (real_t)(scale * pow(sin(M_PI * (double)(s + 1) / (double)(samples + 1)), 2));
}

/* Frequencies of the coefficients in the order of their bands. */
static void list_frequencies(steer_basis *basis, bool phases) {
  int64_t *first = basis->bands.first, count = basis->bands.size, still = basis->transform % 2 ? 1 : 2;
  for (int64_t c = 0; c < count; c++)
    basis->frequency[c] = !phases || c == 0 ? c : c < still ? count - 1 : c - still + 1;
  for (int64_t k = 0; k <= basis->bands.bands; k++)
    first[k] = !phases ? k : k == 0 ? 0 : k == 1 ? (count < still ? count : still) : count;
}

steer_basis *REAL(steer_circle)(int64_t samples, lavdm_signals kind) {
  steer_basis *basis = NEW(steer_basis, 1);
  if (!basis) return NULL;
  bool phases = kind == LAVDM_SIGNALS_PHASE, windowed = kind == LAVDM_SIGNALS_WINDOWED;
  basis->length = samples;
  basis->transform = windowed ? 2 * samples : samples;
  int64_t count = basis->transform / 2 + 1, bands = phases ? 2 : count;
  basis->bands = (steer_bands){bands, NEW(int64_t, bands + 1), count};
  basis->frequency = NEW(int64_t, count);
  basis->window = windowed ? NEW(real_t, samples) : NULL;
  basis->fourier = REAL(fourier_new)(basis->transform);
  if (!basis->bands.first || !basis->frequency || (windowed && !basis->window) || !basis->fourier) {
    REAL(steer_basis_free)(basis);
    return NULL;
  }
  if (windowed) hann_window(basis->window, samples);
  list_frequencies(basis, phases);
  return basis;
}

void REAL(steer_basis_free)(steer_basis *basis) {
  if (!basis) return;
  disk_free(basis->disk);
  for (int part = 0; part < PARTS; part++) {
    mem_free(basis->value[part]);
    mem_free(basis->expand[part]);
  }
  mem_free(basis->bands.first);
  mem_free(basis->frequency);
  mem_free(basis->window);
  REAL(fourier_free)(basis->fourier);
  mem_free(basis);
}

const steer_bands *REAL(steer_basis_bands)(const steer_basis *basis) {
  return basis->disk ? &basis->disk->bands : &basis->bands;
}

const double *const *REAL(steer_basis_white)(const steer_basis *basis) {
  return basis->disk ? (const double *const *)basis->disk->white : NULL;
}

int64_t REAL(steer_basis_pixels)(const steer_basis *basis) {
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
    BLAS(gemm)
    (CblasRowMajor, CblasNoTrans, CblasTrans, (int)count, n, m, 1, folded, m, basis->expand[part], m, 0,
     found, n);
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
    BLAS(gemm)
    (CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)count, m, n, 1, given, n, basis->value[part], m, 0,
     folded, m);
    unfold(disk, part, folded, basis->length, count, pixels);
  }
}

/* ----------------------------------------------------------------- signals */

/* Frequencies 0 and p/2 are not doubled. */
static bool is_alone(const steer_basis *basis, int64_t k) {
  return k == 0 || 2 * k == basis->transform;
}

static real_t circle_scale(const steer_basis *basis, int64_t k) {
  return (real_t)sqrt((is_alone(basis, k) ? 1 : 2) / (double)basis->transform);
}

static void expand_signals(const steer_basis *basis, const real_t *pixels, int64_t count, real_t *room,
                           real_t *out) {
  int64_t p = basis->length, size = basis->bands.size;
  real_t *found = room + basis->transform;
  for (int64_t i = 0; i < count; i++) {
    real_t *a = out + i * 2 * size;
    for (int64_t s = 0; s < basis->transform; s++) room[s] = s < p ? pixels[i * p + s] : 0;
    for (int64_t s = 0; s < p && basis->window; s++) room[s] *= basis->window[s];
    REAL(fourier_forward)(basis->fourier, room, found);
    for (int64_t c = 0; c < size; c++) {
      int64_t k = basis->frequency[c];
      real_t scale = circle_scale(basis, k);
      a[2 * c] = scale * found[2 * k], a[2 * c + 1] = scale * found[2 * k + 1];
    }
  }
}

/* x_s = a_0/sqrt p + sum of sqrt(2/p) Re(a_k e^(2 pi i k s/p)), of which the transform adds k and -k. */
static void synthesise_signals(const steer_basis *basis, const real_t *value, int64_t count, real_t *room,
                               real_t *pixels) {
  int64_t p = basis->length, size = basis->bands.size;
  real_t *made = room + 2 * size;
  for (int64_t i = 0; i < count; i++) {
    for (int64_t c = 0; c < size; c++) {
      int64_t k = basis->frequency[c];
      real_t scale = circle_scale(basis, k) / (is_alone(basis, k) ? 1 : 2);
      room[2 * k] = scale * value[2 * (i * size + c)];
      room[2 * k + 1] = is_alone(basis, k) ? 0 : scale * value[2 * (i * size + c) + 1];
    }
    REAL(fourier_back)(basis->fourier, room, made);
    memcpy(pixels + i * p, made, (size_t)p * sizeof *made);
  }
}

/* -------------------------------------------------------------------- both */

typedef void (*batch_step)(const steer_basis *, const real_t *, int64_t, real_t *, real_t *);

/* step for all batches: `from` and `to` numbers of an object. */
static int in_batches(const steer_basis *basis, batch_step step, const real_t *in, int64_t from,
                      int64_t count, int threads, real_t *out, int64_t to) {
  int64_t batches = (count + BATCH - 1) / BATCH;
  int used = (int)(batches < threads ? (batches ? batches : 1) : threads);
  int64_t room = basis->disk ? BATCH * (basis->disk->points + basis->most) : 2 * basis->transform + 4;
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

int REAL(steer_expand)(const steer_basis *basis, const real_t *pixels, int64_t count, int threads,
                       real_t *out) {
  return in_batches(basis, basis->disk ? expand_images : expand_signals, pixels, basis->length, count,
                    threads, out, 2 * REAL(steer_basis_bands)(basis)->size);
}

int REAL(steer_synthesise)(const steer_basis *basis, const real_t *value, int64_t count, int threads,
                           real_t *pixels) {
  return in_batches(basis, basis->disk ? synthesise_images : synthesise_signals, value,
                    2 * REAL(steer_basis_bands)(basis)->size, count, threads, pixels, basis->length);
}
