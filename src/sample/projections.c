/*
 * Projections of a volume f from rotations R = (a b v): I(x,y) = integral f(x a + y b + z v) dz.
 *
 * A Gaussian h exp(-|s - c|^2 / 2w^2) projects to
 *     h w sqrt(2 pi) exp(-((x - a.c)^2 + (y - b.c)^2) / 2w^2),
 * a product of one factor for the column and one for the row. Voxels are interpolated
 * linearly at points one voxel apart on each ray.
 */
#include "lavdm/projections.h"

#include "base/door.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/threads.h"

#include <math.h>

enum { SIZE_MOST = 4096, SIDE_MOST = 1024 };

/* Independent uses of a seed; image i takes the stream i further. */
static const uint64_t rotation_stream = (uint64_t)1 << 41, noise_stream = (uint64_t)1 << 42,
                      blob_stream = (uint64_t)1 << 43;

static const double blob_reach = 0.65, blob_thin = 0.05, blob_thick = 0.1;
static const double two_pi = 6.283185307179586476925;

/* The centre of pixel or voxel k of `size` in [-1,1]. */
static double centre(int64_t k, int64_t size) {
  return (double)(2 * k + 1) / (double)size - 1;
}

int lavdm_blobs(int64_t count, uint64_t seed, lavdm_blob *blobs, lavdm_error *error) {
  if (count < 1 || !blobs)
    return fail(error, LAVDM_ERROR_ARGUMENT, "a volume needs at least one Gaussian and an array for them");
  for (int64_t k = 0; k < count; k++) {
    random_t r = random_start(seed, blob_stream + (uint64_t)k);
    double square;
    do {
      square = 0;
      for (int d = 0; d < 3; d++) {
        blobs[k].centre[d] = blob_reach * (2 * random_uniform(&r) - 1);
        square += blobs[k].centre[d] * blobs[k].centre[d];
      }
    } while (square > blob_reach * blob_reach);
    blobs[k].width = blob_thin + (blob_thick - blob_thin) * random_uniform(&r);
    blobs[k].height = 0.5 + random_uniform(&r);
  }
  return LAVDM_OK;
}

static int check_blobs(const lavdm_blob *blobs, int64_t count, lavdm_error *error) {
  if (!blobs || count < 1) return fail(error, LAVDM_ERROR_ARGUMENT, "the volume has no Gaussians");
  for (int64_t k = 0; k < count; k++) {
    const lavdm_blob *b = &blobs[k];
    double all = b->centre[0] + b->centre[1] + b->centre[2] + b->height + b->width;
    if (!isfinite(all) || !(b->width > 0))
      return fail(error, LAVDM_ERROR_DATA,
                  "Gaussian %lld must have a width above 0 and finite numbers throughout", (long long)k);
  }
  return LAVDM_OK;
}

int lavdm_blob_voxels(const lavdm_blob *blobs, int64_t count, int64_t side, double *voxels,
                      lavdm_error *error) {
  int status = check_blobs(blobs, count, error);
  if (status < 0) return status;
  if (side < 1 || side > SIDE_MOST || !voxels)
    return fail(error, LAVDM_ERROR_ARGUMENT, "a volume has 1 to %d voxels a side, not %lld", SIDE_MOST,
                (long long)side);
#pragma omp parallel for num_threads(threads_startable(LAVDM_AUTO)) schedule(static)
  for (int64_t row = 0; row < side * side; row++) {
    double y = centre(row % side, side), z = centre(row / side, side);
    for (int64_t col = 0; col < side; col++) {
      double sum = 0, x = centre(col, side);
      for (int64_t k = 0; k < count; k++) {
        const lavdm_blob *b = &blobs[k];
        double dx = x - b->centre[0], dy = y - b->centre[1], dz = z - b->centre[2];
        sum += b->height * exp(-(dx * dx + dy * dy + dz * dz) / (2 * b->width * b->width));
      }
      voxels[row * side + col] = sum;
    }
  }
  return LAVDM_OK;
}

int lavdm_rotations(int64_t n, uint64_t seed, double *rotations, lavdm_error *error) {
  if (n < 1 || !rotations)
    return fail(error, LAVDM_ERROR_ARGUMENT, "how many rotations, and where to? At least one is needed");
#pragma omp parallel for num_threads(threads_startable(LAVDM_AUTO)) schedule(static)
  for (int64_t i = 0; i < n; i++) {
    random_t r = random_start(seed, rotation_stream + (uint64_t)i);
    double q[4], square;
    do {
      square = 0;
      for (int k = 0; k < 4; k++) {
        q[k] = random_normal(&r);
        square += q[k] * q[k];
      }
    } while (!(square > 0));
    double s = 2 / square, w = q[0], x = q[1], y = q[2], z = q[3], *out = rotations + 9 * i;
    out[0] = 1 - s * (y * y + z * z), out[1] = s * (x * y - w * z), out[2] = s * (x * z + w * y);
    out[3] = s * (x * y + w * z), out[4] = 1 - s * (x * x + z * z), out[5] = s * (y * z - w * x);
    out[6] = s * (x * z - w * y), out[7] = s * (y * z + w * x), out[8] = 1 - s * (x * x + y * y);
  }
  return LAVDM_OK;
}

static double dot3(const double *rotation, int column, const double *c) {
  return rotation[column] * c[0] + rotation[3 + column] * c[1] + rotation[6 + column] * c[2];
}

/* factor: 2 size numbers of scratch. */
static void project_blobs(const lavdm_volume *volume, const double *rotation, int64_t size, double *factor,
                          double *image) {
  double *across = factor, *down = factor + size;
  for (int64_t k = 0; k < size * size; k++) image[k] = 0;
  for (int64_t k = 0; k < volume->blob_count; k++) {
    const lavdm_blob *b = &volume->blobs[k];
    double x = dot3(rotation, 0, b->centre), y = dot3(rotation, 1, b->centre);
    double mass = b->height * b->width * sqrt(two_pi), narrow = 1 / (2 * b->width * b->width);
    for (int64_t col = 0; col < size; col++) {
      double dx = centre(col, size) - x, dy = centre(col, size) - y;
      across[col] = mass * exp(-dx * dx * narrow);
      down[col] = exp(-dy * dy * narrow);
    }
    for (int64_t row = 0; row < size; row++)
      for (int64_t col = 0; col < size; col++) image[row * size + col] += down[row] * across[col];
  }
}

/* The value between voxels at s, in units of voxels from the centre of the first. */
static double interpolate(const double *voxels, int64_t side, const double s[3]) {
  int64_t low[3];
  double part[3], sum = 0;
  for (int d = 0; d < 3; d++) {
    if (!(s[d] > -1 && s[d] < (double)side)) return 0;
    low[d] = (int64_t)floor(s[d]);
    part[d] = s[d] - (double)low[d];
  }
  for (int corner = 0; corner < 8; corner++) {
    int64_t at = 0;
    double weight = 1;
    for (int d = 2; d >= 0; d--) {
      int64_t k = low[d] + (corner >> d & 1);
      if (k < 0 || k >= side) weight = 0;
      weight *= corner >> d & 1 ? part[d] : 1 - part[d];
      at = at * side + k;
    }
    if (weight != 0) sum += weight * voxels[at];
  }
  return sum;
}

static void project_voxels(const lavdm_volume *volume, const double *rotation, int64_t size, double *image) {
  int64_t side = volume->side;
  double half = (double)side / 2, step = 1 / half;
  for (int64_t k = 0; k < size * size; k++) {
    double x = centre(k % size, size), y = centre(k / size, size), sum = 0, left = 3 - x * x - y * y;
    int64_t reach = left > 0 ? (int64_t)ceil(sqrt(left) * half) : 0;
    for (int64_t j = -reach; j <= reach; j++) {
      double s[3], z = (double)j * step;
      for (int d = 0; d < 3; d++) {
        const double *axes = rotation + 3 * d;
        s[d] = (x * axes[0] + y * axes[1] + z * axes[2]) * half + half - 0.5;
      }
      sum += interpolate(volume->voxels, side, s);
    }
    image[k] = sum * step;
  }
}

static int check_rotations(const double *rotations, int64_t n, lavdm_error *error) {
  if (!rotations || n < 1) return fail(error, LAVDM_ERROR_ARGUMENT, "there are no rotations");
  for (int64_t i = 0; i < n; i++)
    for (int k = 0; k < 9; k++) {
      const double *a = rotations + 9 * i + k / 3, *b = rotations + 9 * i + k % 3;
      double product = a[0] * b[0] + a[3] * b[3] + a[6] * b[6];
      if (!(fabs(product - (k / 3 == k % 3)) < 1e-6))
        return fail(error, LAVDM_ERROR_DATA,
                    "rotation %lld is not an orthogonal matrix: its columns must be orthonormal",
                    (long long)i);
    }
  return LAVDM_OK;
}

static int check_volume(const lavdm_volume *volume, lavdm_error *error) {
  if (!volume) return fail(error, LAVDM_ERROR_ARGUMENT, "there is no volume");
  if (!volume->voxels) return check_blobs(volume->blobs, volume->blob_count, error);
  if (volume->side < 1 || volume->side > SIDE_MOST)
    return fail(error, LAVDM_ERROR_ARGUMENT, "a volume has 1 to %d voxels a side, not %lld", SIDE_MOST,
                (long long)volume->side);
  for (int64_t k = 0; k < volume->side * volume->side * volume->side; k++)
    if (!isfinite(volume->voxels[k]))
      return fail(error, LAVDM_ERROR_DATA, "voxel %lld of the volume is not a finite number", (long long)k);
  return LAVDM_OK;
}

enum { VOLUME_0_2 = SIZE_TO(lavdm_volume, side) };

int lavdm_project(const lavdm_volume *volume, const double *rotations, int64_t n, int64_t size,
                  double *images, lavdm_error *error) {
  static const door_kind kind = {"the volume", VOLUME_0_2, sizeof(lavdm_volume)};
  lavdm_volume own = {0};
  int status = volume ? door_take(&kind, volume, &own, error) : LAVDM_OK;
  if (status >= 0) status = check_volume(volume ? &own : NULL, error);
  volume = &own;
  if (status >= 0) status = check_rotations(rotations, n, error);
  if (status < 0) return status;
  if (size < 1 || size > SIZE_MOST || !images)
    return fail(error, LAVDM_ERROR_ARGUMENT, "images have 1 to %d pixels a side, not %lld", SIZE_MOST,
                (long long)size);
  int failed = 0;
#pragma omp parallel num_threads(threads_startable(LAVDM_AUTO))
  {
    double *factor = NEW(double, 2 * size);
    if (!factor) {
#pragma omp atomic write
      failed = 1;
    }
#pragma omp for schedule(dynamic, 16)
    for (int64_t i = 0; i < n; i++) {
      const double *rotation = rotations + 9 * i;
      double *image = images + i * size * size;
      if (volume->voxels)
        project_voxels(volume, rotation, size, image);
      else if (factor)
        project_blobs(volume, rotation, size, factor, image);
    }
    mem_free(factor);
  }
  return failed ? fail_memory(error, "the projections") : LAVDM_OK;
}

/* The variance of all values about their mean. */
static double variance(const double *x, int64_t count) {
  double mean = 0, square = 0;
#pragma omp parallel for num_threads(threads_startable(LAVDM_AUTO)) schedule(static) reduction(+ : mean)
  for (int64_t k = 0; k < count; k++) mean += x[k];
  mean /= (double)count;
#pragma omp parallel for num_threads(threads_startable(LAVDM_AUTO)) schedule(static) reduction(+ : square)
  for (int64_t k = 0; k < count; k++) square += (x[k] - mean) * (x[k] - mean);
  return square / (double)count;
}

int lavdm_add_noise(double *images, int64_t n, int64_t pixels, double snr, uint64_t seed, double *sigma,
                    lavdm_error *error) {
  if (!images || n < 1 || pixels < 1) return fail(error, LAVDM_ERROR_ARGUMENT, "there are no images");
  if (!(snr > 0))
    return fail(error, LAVDM_ERROR_ARGUMENT, "the signal-to-noise ratio must be above 0, not %g", snr);
  double deviation = sqrt(variance(images, n * pixels) / snr);
  if (!isfinite(deviation))
    return fail(error, LAVDM_ERROR_DATA, "the images hold numbers that are not finite, or too large");
#pragma omp parallel for num_threads(threads_startable(LAVDM_AUTO)) schedule(static)
  for (int64_t i = 0; i < n; i++) {
    random_t r = random_start(seed, noise_stream + (uint64_t)i);
    double *image = images + i * pixels;
    for (int64_t k = 0; k < pixels; k++) image[k] += deviation * random_normal(&r);
  }
  if (sigma) *sigma = deviation;
  return LAVDM_OK;
}

/* M = R_i' R_j, with the second and third column of R_j negated if j is reflected. */
static void truth(const double *ri, const double *rj, int reflected, double *viewing, double *turn) {
  double m[3][3], across = 0, sign = reflected ? -1 : 1;
  for (int a = 0; a < 3; a++)
    for (int b = 0; b < 3; b++)
      m[a][b] = (b ? sign : 1) * (ri[a] * rj[b] + ri[3 + a] * rj[3 + b] + ri[6 + a] * rj[6 + b]);
  across = hypot(m[0][2], m[1][2]);
  if (viewing) *viewing = atan2(across, m[2][2]);
  if (turn) *turn = atan2(m[1][0] - m[0][1], m[0][0] + m[1][1]);
}

int lavdm_rotation_pairs(const double *rotations, int64_t n, const int64_t *i, const int64_t *j,
                         const signed char *reflected, int64_t count, double *viewing, double *turn,
                         lavdm_error *error) {
  int status = check_rotations(rotations, n, error);
  if (status < 0) return status;
  for (int64_t k = 0; k < count; k++) {
    if (i[k] < 0 || i[k] >= n || j[k] < 0 || j[k] >= n)
      return fail(error, LAVDM_ERROR_ARGUMENT, "pair %lld names a rotation that is not among the %lld",
                  (long long)k, (long long)n);
    truth(rotations + 9 * i[k], rotations + 9 * j[k], reflected && reflected[k], viewing ? viewing + k : NULL,
          turn ? turn + k : NULL);
  }
  return LAVDM_OK;
}
