/*
 * A model that is kept: fit once, save, and later, in another program, load it,
 * embed new points, ask for distances and neighbours.
 *
 *     cc keep.c $(pkg-config --cflags --libs lavdm) -lm -o keep && ./keep
 *
 * Points of the sphere stand for the data. Their vector diffusion map sees the
 * tangent planes; the first six eigenvectors are vector fields on the sphere.
 */
#include <lavdm.h>
#include <lavdm/sample.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { OLD = 2000, NEW = 5, NEAREST = 3 };

/* Every status below zero comes with a sentence. */
static void check(int status, const lavdm_error *error) {
  if (status >= 0) return;
  fprintf(stderr, "keep: %s\n", error->message);
  exit(1);
}

/* Today: fit, and keep what was learnt in a file. */
static void fit_and_save(const char *path) {
  static double x[OLD][3];
  lavdm_error error;
  check(lavdm_sample("sphere", OLD, 2, NULL, 0, 1, &x[0][0], NULL, NULL, &error), &error);

  lavdm_options options;
  lavdm_options_default(&options);
  options.dim = 2;
  options.components = 16;

  lavdm_data data = {.points = x, .n = OLD, .p = 3};
  lavdm_model *model;
  check(lavdm_fit(&data, &options, &model, &error), &error);
  check(lavdm_save(model, path, 0, &error), &error);
  printf("fitted %d points through %lld landmarks, saved\n", OLD, (long long)lavdm_info(model)->m);
  lavdm_free(model);
}

/* The embedding is cheap: one model, many diffusion times. */
static void embed_at_times(const lavdm_model *model) {
  lavdm_error error;
  for (double t = 1; t <= 16; t *= 4) {
    int64_t rank = lavdm_embedding_rank(model, t, 0.1), width = rank * (rank + 1) / 2;
    double *embedding = malloc((size_t)(OLD * width) * sizeof *embedding);
    if (!embedding) exit(1);
    double distance;
    check(lavdm_embedding(model, t, rank, embedding, &error), &error);
    check(lavdm_distance(model, 0, 1, t, rank, &distance, &error), &error);
    printf("t = %2.0f: %lld components, so %lld coordinates; the first two points are %.4f apart\n", t,
           (long long)rank, (long long)width, distance);
    free(embedding);
  }
}

/* Who is near point 0, and how does a vector there look from here? */
static void ask_neighbours(const lavdm_model *model) {
  int64_t point = 0, index[NEAREST];
  double distance[NEAREST], alignment[NEAREST][2][2];
  lavdm_error error;
  check(lavdm_neighbours(model, 1, 6, &point, 1, NEAREST, index, distance, &alignment[0][0][0], &error),
        &error);
  for (int i = 0; i < NEAREST; i++)
    printf("neighbour %lld of point 0 at %.4f, its frame turned by %.1f degrees%s\n", (long long)index[i],
           distance[i], atan2(alignment[i][1][0], alignment[i][0][0]) * 180 / acos(-1),
           alignment[i][0][0] * alignment[i][1][1] < alignment[i][0][1] * alignment[i][1][0] ? ", reflected"
                                                                                             : "");
}

/* New points get eigenvectors and coordinates of their own, without a new fit. */
static void apply_to_new(const lavdm_model *model) {
  double x[NEW][3], fields[NEW][3][16];
  lavdm_error error;
  check(lavdm_sample("sphere", NEW, 2, NULL, 0, 2, &x[0][0], NULL, NULL, &error), &error);
  for (int j = 0; j < 3; j++) x[NEW - 1][j] *= 10; /* one that belongs nowhere */

  lavdm_data data = {.points = x, .n = NEW, .p = 3};
  lavdm_model *extension;
  int status = lavdm_extend(model, &data, NULL, NULL, &extension, &error);
  check(status, &error);
  const lavdm_info_t *info = lavdm_info(extension);
  if (status == LAVDM_WARNING) printf("%s\n", info->warning[0]);
  check(lavdm_ambient(extension, &fields[0][0][0], &error), &error);
  for (int i = 0; i < NEW; i++) {
    const double *u = &fields[i][0][0], outward = x[i][0] * u[0] + x[i][1] * u[16] + x[i][2] * u[32];
    if (!isnan(u[0]))
      printf("new point %d: first field (%.3f, %.3f, %.3f), %.0e of it off the tangent plane\n", i, u[0],
             u[16], u[32], fabs(outward) / sqrt(u[0] * u[0] + u[16] * u[16] + u[32] * u[32]));
  }
  lavdm_free(extension);
}

int main(int argc, char **argv) {
  const char *path = argc > 1 ? argv[1] : "keep.h5";
  fit_and_save(path);

  lavdm_model *model;
  lavdm_error error;
  check(lavdm_load(path, &model, &error), &error);
  embed_at_times(model);
  ask_neighbours(model);
  apply_to_new(model);
  lavdm_free(model);
  return 0;
}
