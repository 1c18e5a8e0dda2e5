/* The options table and its checks. */
#ifndef LAVDM_BASE_OPTIONS_H
#define LAVDM_BASE_OPTIONS_H

#include "base/status.h"

#include <stdbool.h>

/* Every value within the table's bounds; the sentence names the option. */
int options_check(const lavdm_options *options, lavdm_error *error);

/* Whether the method goes through landmarks. */
static inline bool method_has_landmarks(lavdm_method method) {
  return method != LAVDM_METHOD_DM && method != LAVDM_METHOD_VDM;
}

static inline bool has_landmarks(const lavdm_options *o) {
  return method_has_landmarks(o->method);
}

/* Whether the bundle is made from tangent frames; and whether points are images or signals. */
static inline bool has_frames(const lavdm_options *o) {
  return o->bundle == LAVDM_BUNDLE_TANGENT || o->bundle == LAVDM_BUNDLE_ORIENTATION;
}

static inline bool has_turns(const lavdm_options *o) {
  return o->bundle == LAVDM_BUNDLE_ROTATION || o->bundle == LAVDM_BUNDLE_SHIFT;
}

/* Neighbours that a frame is made from; files of older versions know knn alone. */
static inline int64_t frame_neighbours(const lavdm_options *o) {
  return o->frame_knn > 0 ? o->frame_knn : o->knn;
}

/* Whether each point has a bandwidth of its own. */
static inline bool has_local(const lavdm_options *o) {
  return o->bandwidth == LAVDM_BANDWIDTH_LOCAL;
}

/* Whether distances are those of points on a sphere: rows are taken there first (reduce/sphere.h), and
 * searched by their Euclidean distances. */
static inline bool on_sphere(lavdm_metric metric) {
  return metric == LAVDM_METRIC_COSINE || metric == LAVDM_METRIC_CORRELATION ||
         metric == LAVDM_METRIC_HAVERSINE;
}

/* Whether differences of coordinates are what distances are made of, so that variances tell a dimension. */
static inline bool has_shape(const lavdm_options *o) {
  return o->metric == LAVDM_METRIC_EUCLIDEAN || on_sphere(o->metric);
}

/*
 * Values that squared distances can be made of: none larger than largest_value, in as many as 10^7
 * coordinates; and points no closer together, all of them, than least_spread, so that those of neighbours a
 * thousand times closer have all their digits. Within these bounds points times a power of 2 give the same
 * bits (tests/unit/test_scale.c); epsilon, in double precision, is from 1e-280 to 1e280.
 */
static inline double largest_value(const lavdm_options *o) {
  return o->precision == LAVDM_PRECISION_SINGLE ? 1e15 : 1e130;
}

static inline double least_spread(const lavdm_options *o) {
  return o->precision == LAVDM_PRECISION_SINGLE ? 1e-12 : 1e-130;
}

/* The power of D_X that new points are extended by (operator/extension.h). */
static inline double extension_power(const lavdm_options *o) {
  return o->normalise == LAVDM_NORMALISE_SINKHORN ? 1 : o->alpha;
}

/* The name of a choice, such as "kmeans". */
const char *option_choice(const char *option, int value, char *text, size_t size);

#endif
