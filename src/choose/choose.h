/* What AUTO stands for. Each function replaces its AUTO in run->options. */
#ifndef LAVDM_CHOOSE_CHOOSE_H
#define LAVDM_CHOOSE_CHOOSE_H

#include "engine/engine.h"

enum { BALL_POINTS = 20000 }; /* up to here dm and vdm use the ball graph */

/* Whether points without landmarks will be joined by the k-NN rule. */
static inline bool knn_edges(const lavdm_options *o, int64_t n) {
  return o->edges == LAVDM_EDGES_KNN || (o->edges == LAVDM_EDGES_AUTO && n > BALL_POINTS);
}

/* The formulas, before anything is known of the data but its size. */
int64_t usual_neighbours(int64_t n); /* knn: 0.4 sqrt(n) within 8..50, from n/40 on if that is less than 8 */
int64_t usual_turned_neighbours(int64_t n); /* of images and signals: n/100 within 12..50 */
int64_t usual_landmarks(int64_t n); /* landmarks: 8 sqrt(n) from 500 to 2000, 2 sqrt(n) if that is more */
int64_t usual_joined(int64_t m);    /* landmarks that an image is joined to: m/25 within 8..50 */
int64_t usual_components(int64_t most);

/* knn, at least 2d+2 if d is given, at most n-1; of images and signals through landmarks, those that each is
 * joined to. */
void choose_neighbours(run_t *run, int64_t n);

/* knn once more, where many points are copies of each other: doubled until the
 * knn-th neighbour of a typical point is in another place, or is hopeless. */
int choose_past_copies(engine_t *engine, const rows_t *rows);

/* landmarks, of the n points of all ranks: more than usual where the data bends between them. After dim. */
int choose_landmarks(engine_t *engine, const rows_t *rows, int64_t n);
void choose_turned_landmarks(run_t *run, int64_t n); /* of images and signals: 2 sqrt(n) */

/* pca, and noise if components are left out; before any engine is there. */
int choose_principal(run_t *run, const lavdm_data *data);

/* pca of sparse points: that of a sample of them, or, if nothing stands out, the usual number. */
int choose_sparse_principal(run_t *run, const lavdm_sparse *sparse);
int64_t usual_principal(const lavdm_sparse *sparse);

/* dim, then the neighbours of a frame, and noise. */
int choose_dimension(engine_t *engine, const rows_t *rows);
int choose_frame_neighbours(engine_t *engine, const rows_t *rows);

/* How much the data bends within reach of the k nearest of a point; from which on it is too much. After dim.
 */
/* dim where distances are not made of coordinates: from how those to neighbours grow. */
int choose_growth(engine_t *engine, const rows_t *rows);

int choose_bend(engine_t *engine, const rows_t *rows, int64_t k, double *bend);
double most_bend(int64_t d);
#define LITTLE_BEND 0.04

/* alpha and beta, from the method, the design and d. Landmarks that are all n
 * points have their density, whatever the design. */
void choose_normalisation(run_t *run, int64_t n);

/* normalise and bandwidth, and alpha where normalise decides it; before anything is known of the data. */
void choose_density(lavdm_options *o);
void choose_local(run_t *run, const lavdm_data *data); /* bandwidth, once n is known */

/* Bandwidths from the distances to the knn-th neighbours (reach, n), in units of their geometric mean: rho
 * (n) is at least LEAST_RHO, where that many are copies. An error if all are 0. */
typedef struct {
  double unit; /* the geometric mean */
  double step; /* the least rho^2 */
  double most; /* the largest rho */
} bandwidths_t;
int choose_bandwidths(run_t *run, const double *reach, int64_t n, double *rho, bandwidths_t *out);
double bandwidth_of(const bandwidths_t *bandwidths, double reach);

/* The radius of local PCA: the median over a sample of points of the distance to
 * the knn-th neighbour. */
int choose_radius(engine_t *engine, const rows_t *rows, double *radius);

/* frames, and of lowpass the number r of eigenvectors (else 0); if free_k, frame_knn once more. `rows` are
 * those of `data` less `centre`. */
int choose_frames(engine_t *engine, const rows_t *rows, const lavdm_data *data, const double *centre,
                  bool free_k, int64_t *r);

/*
 * epsilon: the median over a sample of points of the squared distance to the
 * knn-th neighbour; on the k-NN graph, where it only evens out the weights, what
 * 99 of 100 points are within. With landmarks it is at least so large that
 * sqrt(epsilon) reaches two landmarks from a typical point and one from nearly
 * every point, and, if d is not given and distances concentrate (many
 * dimensions), the squared distance of a typical point and landmark.
 */
int choose_bandwidth(engine_t *engine, const rows_t *rows, const rows_t *landmarks);

/* The same for images and signals, after choose_edges: a typical one has four landmarks within sqrt(epsilon),
 * nearly every one two. */
int choose_turned_bandwidth(engine_t *engine, const rows_t *rows, const rows_t *landmarks);

/* edges and cutoff, for n points, `chosen`: and an epsilon that is not the user's; and the kernel that they
 * describe. */
void choose_edges(run_t *run, int64_t n, bool chosen);
double chosen_cutoff(const lavdm_options *o); /* with an epsilon that is chosen */
kernel_t chosen_kernel(const lavdm_options *o);

/* components: 20 or `most`, whichever is less; an error if more were asked for. */
int choose_components(run_t *run, int64_t most);

/* The sizes as far as data and options tell; the rest is guessed. */
sizes_t choose_sizes(const run_t *run, const lavdm_data *data);

/* Decides whether the run streams (run->large), and refuses one that cannot fit. */
int choose_stream(run_t *run, const lavdm_data *data, need_t *need);

#endif
