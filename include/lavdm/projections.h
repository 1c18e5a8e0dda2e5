/* Volumes seen from random directions, as in cryo-EM, and the truth about them. */
#ifndef LAVDM_PROJECTIONS_H
#define LAVDM_PROJECTIONS_H

#include "../lavdm.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A volume in the cube [-1,1]^3, seen from a rotation R (3 x 3, row-major, of columns
 * a, b, v): the image is the integral along the viewing direction v,
 *     I(x,y) = integral over z of f(x a + y b + z v),
 * x growing with columns and y with rows; the centre of pixel (row, col) of size x size
 * is at y = (2 row + 1)/size - 1 and x = (2 col + 1)/size - 1. Two images of one
 * direction differ by a turn alone: image i is image j turned by the angle theta with
 * R_i' R_j = rotation by theta about the third axis. Seen from -v an image is reflected.
 */
typedef struct {
  double centre[3];
  double width;  /* standard deviation */
  double height; /* at the centre */
} lavdm_blob;

typedef struct {
  size_t size;             /* 0, or sizeof(lavdm_volume) */
  const lavdm_blob *blobs; /* a sum of Gaussians: projected exactly; or NULL and ... */
  int64_t blob_count;
  const double *voxels; /* ... side^3 values, z slowest, x fastest, centres as those of pixels, 0 outside: */
  int64_t side;         /* interpolated linearly and summed along rays, one sample a voxel */
} lavdm_volume;

/* `count` Gaussians drawn from the seed, with no symmetry: centres in the ball of radius
 * 0.55, widths 0.05 to 0.13, heights 0.5 to 1.5. */
LAVDM_API int lavdm_blobs(int64_t count, uint64_t seed, lavdm_blob *blobs, lavdm_error *error);

/* Voxels (side^3) of a sum of Gaussians: its values at their centres. */
LAVDM_API int lavdm_blob_voxels(const lavdm_blob *blobs, int64_t count, int64_t side, double *voxels,
                                lavdm_error *error);

/* Uniformly random rotations: out (n,3,3). That of image i depends on the seed and i alone. */
LAVDM_API int lavdm_rotations(int64_t n, uint64_t seed, double *rotations, lavdm_error *error);

/* images (n,size,size) of the volume from the given rotations (n,3,3), without noise. */
LAVDM_API int lavdm_project(const lavdm_volume *volume, const double *rotations, int64_t n, int64_t size,
                            double *images, lavdm_error *error);

/*
 * Adds white Gaussian noise to images (n, pixels) at a signal-to-noise ratio: the
 * variance of all their pixels over that of the noise, whose standard deviation goes
 * to *sigma (or NULL). That of image i depends on the seed and i alone.
 */
LAVDM_API int lavdm_add_noise(double *images, int64_t n, int64_t pixels, double snr, uint64_t seed,
                              double *sigma, lavdm_error *error);

/*
 * The truth about `count` pairs of rotations: the angle between the viewing directions
 * (radians), and the turn of j that brings its image closest to that of i, exact where
 * the directions agree and between them the angle of the rotation about the third axis
 * that is nearest to R_i' R_j. With reflected (NULL: none is) not 0 at a pair, j is
 * taken as its mirror image, seen from -v_j. Either result may be NULL.
 */
LAVDM_API int lavdm_rotation_pairs(const double *rotations, int64_t n, const int64_t *i, const int64_t *j,
                                   const signed char *reflected, int64_t count, double *viewing, double *turn,
                                   lavdm_error *error);

#ifdef __cplusplus
}
#endif
#endif
