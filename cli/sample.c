/* lavdm sample: points, tangent frames and parameters of a manifold that is known exactly. */
#define _POSIX_C_SOURCE 200809L
#include "base/command.h"
#include "io/io.h"
#include "base/progress.h"
#include "sample_graph.h"
#include "sample_projections.h"
#include "lavdm/sample.h"
#include "io/sentence.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum { POINTS, FRAMES, PARAMETERS, ARRAYS };

static const char *const names[ARRAYS] = {"points", "frames", "parameters"};

static const char projections[] = "projections";

typedef struct {
  const char *shape, *density, *path;
  int64_t n, dim, p, d;
  double noise;
  bool wanted[ARRAYS];
  bool container, text; /* what `path` is */
  double *data[ARRAYS]; /* owned */
  char *beside[ARRAYS]; /* owned; the file of an array that has its own */
  io_item item[ARRAYS]; /* shape and data of each */
} job;

static void job_free(job *j) {
  for (int k = 0; k < ARRAYS; k++) {
    free(j->data[k]);
    free(j->beside[k]);
  }
}

/* A whole number, "1000000" or "1e6". */
static int read_whole(const char *flag_shown, const char *text, int64_t *out, lavdm_error *error) {
  char *end;
  double value = strtod(text, &end);
  if (end == text || *end || !(fabs(value) < 1e15) || value != floor(value))
    return refuse(error, STATUS_USAGE, "%s is '%s': it must be a whole number", flag_shown, text);
  *out = (int64_t)value;
  return LAVDM_OK;
}

static int read_arguments(const arguments *a, job *j, lavdm_error *error) {
  const char *n = arguments_value(a, "number"), *dim = arguments_value(a, "dim");
  const char *noise = arguments_value(a, "noise");
  if (!a->operands) return refuse(error, STATUS_USAGE, "which shape? lavdm sample --list shows them");
  if (!n) return refuse(error, STATUS_USAGE, "how many points? Give -n N");
  j->shape = a->operand[0];
  j->density = arguments_value(a, "density");
  j->path = arguments_value(a, "output");
  if (!j->path) return refuse(error, STATUS_USAGE, "where to? Give -o FILE, say -o %.60s.npy", j->shape);
  if (read_whole("-n", n, &j->n, error) < 0) return STATUS_USAGE;
  if (dim && read_whole("-d", dim, &j->dim, error) < 0) return STATUS_USAGE;
  if (dim && j->dim < 1) return refuse(error, STATUS_USAGE, "-d is '%s': it must be 1 or more", dim);
  if (noise) {
    char *end;
    j->noise = strtod(noise, &end);
    if (end == noise || *end)
      return refuse(error, STATUS_USAGE, "--noise is '%s': it must be a number", noise);
  }
  j->wanted[POINTS] = true;
  j->wanted[FRAMES] = arguments_value(a, "frames");
  j->wanted[PARAMETERS] = arguments_value(a, "parameters");
  return LAVDM_OK;
}

/* "dir/name.npy" as "dir/name-frames.npy". Owned. */
static char *name_beside(const char *path, const char *array) {
  const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
  size_t stem = dot ? (size_t)(dot - path) : strlen(path), size = strlen(path) + strlen(array) + 2;
  char *name = calloc(size, 1);
  if (name) snprintf(name, size, "%.*s-%s%s", (int)stem, path, array, path + stem);
  return name;
}

/* Kinds of file and shapes of the arrays; refuses what no machine could hold. */
static int plan(job *j, lavdm_error *error) {
  int status = lavdm_shape_size(j->shape, j->dim, &j->p, &j->d, error);
  if (status < 0) return status;
  if (j->n < 1) return refuse(error, STATUS_USAGE, "-n is %lld: it must be 1 or more", (long long)j->n);
  j->container = io_can_write(j->path, true, NULL);
  if (!j->container && !io_can_write(j->path, false, error)) return LAVDM_ERROR_ARGUMENT;
  j->text = !j->container && strcasecmp(io_extension(j->path), ".npy");
  if (io_is_pipe(j->path) && (j->wanted[FRAMES] || j->wanted[PARAMETERS]))
    return refuse(error, STATUS_USAGE, "-o - writes the points alone; --frames and --parameters need a file");

  j->item[POINTS] = (io_item){.rank = 2, .shape = {j->n, j->p}};
  j->item[FRAMES] = (io_item){.rank = 3, .shape = {j->n, j->p, j->d}};
  j->item[PARAMETERS] = (io_item){.rank = 2, .shape = {j->n, j->d}};
  if (j->text) j->item[FRAMES] = (io_item){.rank = 2, .shape = {j->n, j->p * j->d}};

  double need = 0, have = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
  const double width[ARRAYS] = {(double)j->p, (double)(j->p * j->d), (double)j->d};
  for (int k = 0; k < ARRAYS; k++)
    if (j->wanted[k]) need += 8 * (double)j->n * width[k];
  if (need > have)
    return refuse(error, LAVDM_ERROR_MEMORY, "the sample needs %.1f GiB, and the machine has %.1f GiB",
                  need / 0x1p30, have / 0x1p30);
  return LAVDM_OK;
}

static int allocate(job *j, lavdm_error *error) {
  for (int k = 0; k < ARRAYS; k++) {
    if (!j->wanted[k]) continue;
    io_item *item = &j->item[k];
    size_t count = 1;
    for (int i = 0; i < item->rank; i++) count *= (size_t)item->shape[i];
    j->data[k] = calloc(count, sizeof(double));
    bool apart = k != POINTS && !j->container;
    if (apart) j->beside[k] = name_beside(j->path, names[k]);
    if (!j->data[k] || (apart && !j->beside[k]))
      return refuse(error, LAVDM_ERROR_MEMORY, "out of memory for the %s", names[k]);
    item->name = names[k];
    item->type = IO_REAL;
    item->data = j->data[k];
  }
  return LAVDM_OK;
}

static const char *file_of(const job *j, int k) {
  return j->beside[k] ? j->beside[k] : j->path;
}

/* One container, or one file for each array: the points last, so that the
 * file that was asked for appears when all is done. */
static int write_files(const job *j, lavdm_error *error) {
  io_item all[ARRAYS];
  int count = 0, status = LAVDM_OK;
  for (int k = 0; k < ARRAYS; k++)
    if (j->wanted[k]) all[count++] = j->item[k];
  if (j->container) status = io_write(j->path, all, count, error);
  for (int k = ARRAYS - 1; k >= 0 && !j->container && status >= 0; k--)
    if (j->wanted[k]) status = io_write(file_of(j, k), &j->item[k], 1, error);
  return status >= 0 || status == LAVDM_ERROR_MEMORY ? status : STATUS_WRITE;
}

/* "wrote klein.npy: points 2000 x 4; klein-frames.npy: frames 2000 x 4 x 2" */
static void report(const job *j) {
  fputs("wrote", stderr);
  for (int k = 0; k < ARRAYS; k++) {
    if (!j->wanted[k]) continue;
    if (!j->container || k == POINTS) fprintf(stderr, "%s %s:", k ? ";" : "", shown(file_of(j, k)));
    fprintf(stderr, "%s %s", j->container && k ? "," : "", names[k]);
    for (int i = 0; i < j->item[k].rank; i++)
      fprintf(stderr, "%s%lld", i ? " x " : " ", (long long)j->item[k].shape[i]);
  }
  fputc('\n', stderr);
}

static int list_shapes(void) {
  for (int i = 0; i < lavdm_shape_count(); i++) {
    const lavdm_shape *shape = lavdm_shape_at(i);
    printf("%-17s %s\n%-17s density: %s\n", shape->name, shape->help, "", shape->densities);
  }
  printf("%-17s images of a volume from random directions, as in cryo-electron microscopy\n", projections);
  return LAVDM_OK;
}

static int run_sample(const arguments *a, lavdm_error *error) {
  if (arguments_value(a, "list")) return list_shapes();
  bool apart = a->operands && (!strcmp(a->operand[0], "graph") || !strcmp(a->operand[0], projections));
  if (apart && arguments_value(a, "output") && io_is_pipe(arguments_value(a, "output")))
    return refuse(error, STATUS_USAGE, "sample %s writes files of their own kinds: give -o FILE",
                  a->operand[0]);
  if (a->operands && !strcmp(a->operand[0], "graph")) return sample_graph(a, error);
  if (a->operands && !strcmp(a->operand[0], projections)) return sample_projections(a, error);
  static const char *const others[] = {"size", "snr", "volume", "rotations", "clean"};
  for (size_t k = 0; k < sizeof others / sizeof *others; k++)
    if (arguments_value(a, others[k]))
      return refuse(error, STATUS_USAGE, "--%s is for sample projections", others[k]);
  job j = {0};
  int status = read_arguments(a, &j, error);
  if (status >= 0) status = plan(&j, error);
  if (status >= 0) status = allocate(&j, error);
  if (status >= 0)
    status = lavdm_sample(j.shape, j.n, j.dim, j.density, j.noise, a->options.seed, j.data[POINTS],
                          j.data[FRAMES], j.data[PARAMETERS], error);
  progress_enter(PHASE_WRITE, NULL, NULL);
  if (status >= 0) status = write_files(&j, error);
  if (status >= 0 && !arguments_value(a, "quiet")) report(&j);
  job_free(&j);
  return status;
}

static bool takes_option(const char *option) {
  return !strcmp(option, "seed");
}

static const flag flags[] = {
    {"output", 'o', "FILE", "where to: .npy .npz .h5 .mat .csv .tsv; projections: .mrcs .npy .h5 and others"},
    {"format", 0, "csv|npy", "of -o -, the standard output [csv]"},
    {"number", 'n', "N", "number of points"},
    {"dim", 'd', "D", "dimension of a sphere [2]"},
    {"density", 0, "NAME",
     "how points are spread: uniform (by area), or another that --list shows [uniform]"},
    {"noise", 0, "S", "standard deviation of Gaussian noise in each coordinate of space [0]"},
    {"frames", 0, NULL, "also orthonormal tangent frames, N x p x d, of the points before noise"},
    {"parameters", 0, NULL, "also the parameters of the points on the manifold, N x d"},
    {"group", 0, "GROUP", "of `graph`: z2, c4 (any ck), so2, so3, se2 or se3 [so3]"},
    {"degree", 0, "K", "of `graph`: edges at a node, on average [10]"},
    {"layout", 0, "NAME",
     "of `graph`: random, grid, ring, tree, trajectory, sphere, torus, city or garage [random]"},
    {"spread", 0, "D",
     "of `graph`: decades that the information of poses extends over, the noise with it [0]"},
    {"skew", 0, NULL, "of `graph`: information of poses that is not isotropic, the noise with it"},
    {"outliers", 0, "P", "of `graph`: share of edges that say nothing [0]"},
    {"size", 0, "S", "projections: pixels a side [64]"},
    {"snr", 0, "R", "projections: variance of all pixels over that of the noise, say 1/20 [no noise]"},
    {"volume", 0, "FILE",
     "projections: of this cube of numbers, .mrc .npy [15 Gaussians drawn from the seed]"},
    {"rotations", 0, "FILE",
     "projections: also the true rotations, N x 3 x 3: columns a, b and viewing direction"},
    {"clean", 0, "FILE", "projections: also the images without noise"},
    {"list", 0, NULL, "show the shapes and their densities"},
    {"quiet", 'q', NULL, "do not say what was written"},
    {0},
};

const command sample_command = {
    .name = "sample",
    .usage = "SHAPE -n N -o FILE [options]",
    .summary = "draw points from a known manifold",
    .about =
        "Draws points from a manifold that is known exactly: the Klein bottle and the distorted sphere of "
        "the LA-VDM paper, spheres, tori, the projective plane and others; --list shows them all. "
        "A point depends on the seed and its own number alone, so a longer sample begins with the "
        "shorter one.\n\n"
        "A file .npz, .h5 or .mat holds the arrays points, frames and parameters. With FILE.npy (or .csv, "
        ".tsv) frames go to FILE-frames.npy and parameters to FILE-parameters.npy beside it; in a text "
        "file a frame is one row of p x d numbers.\n\n"
        "`graph` draws a graph to synchronise (lavdm sync) instead: rows `i k weight element...`, or a pose "
        "graph .g2o, with --noise in radians, and the true elements in FILE-truth.\n\n"
        "sample projections makes images as cryo-electron microscopy does: line integrals of a volume from "
        "uniformly random rotations (a b v) along the viewing direction v, x along a growing with columns "
        "and y "
        "along b growing with rows. 15 Gaussians are projected exactly, the voxels of a file by linear "
        "interpolation along rays, to a relative error of about a tenth of the squared ratio of a voxel to "
        "the "
        "width of the finest detail.",
    .example = "@ sample klein -n 2000 --frames --parameters -o klein.npz\n"
               "@ sample sphere -d 3 -n 1000 --noise 0.05 --seed 7 -o sphere.csv\n"
               "@ sample graph --group so3 -n 1000 --degree 10 --noise 0.1 --outliers 0.2 -o edges.csv\n"
               "@ sample projections -n 500 --size 32 --snr 1/2 --rotations true.npy -o stack.mrcs",
    .flags = flags,
    .takes = takes_option,
    .most = 1,
    .run = run_sample,
};
