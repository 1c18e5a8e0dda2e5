/*
 * A struct of edges: row, col (numbers of nodes, from 1), and where they are needed weight, element,
 * kind, shift (count x q) and shift_weight. The element is empty (none), a vector of count numbers
 * (signs, angles, steps), count x 4 (quaternions w x y z) or q x q x count (matrices).
 */
#include "bridge.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define TWO_PI 6.28318530717958647693

static const char *const kinds[] = {"none", "sign", "angle", "matrix", "quaternion"};
enum { KINDS = 5 };

static const mxArray *field(const mxArray *a, const char *name) {
  const mxArray *value = mxGetField(a, 0, name);
  return value && take_count(value) > 0 ? value : NULL;
}

/* A misspelt field must not be taken for one that was left out. */
static void check_fields(const mxArray *a, bool poses) {
  static const char *const known[] = {"row", "col", "weight", "element", "kind", "shift", "shift_weight"};
  if (!mxIsStruct(a) || take_count(a) != 1)
    trouble(LAVDM_ERROR_ARGUMENT, "edges must be one struct with the fields row, col, weight and element");
  for (int k = 0; k < mxGetNumberOfFields(a); k++) {
    const char *name = mxGetFieldNameByNumber(a, k);
    bool found = false;
    for (int i = 0; i < (poses ? 7 : 5); i++) found |= !strcmp(name, known[i]);
    if (!found)
      trouble(LAVDM_ERROR_ARGUMENT,
              "edges have no field '%.60s': there are row, col, weight, element, kind%s", name,
              poses ? ", shift and shift_weight" : "");
  }
}

static bool is_vector(const mxArray *a) {
  return mxGetNumberOfDimensions(a) == 2 && (take_size(a, 0) == 1 || take_size(a, 1) == 1);
}

static const mxArray *vector(const mxArray *a, const char *name, int64_t count) {
  const mxArray *value = field(a, name);
  if (value && !is_vector(value)) trouble(LAVDM_ERROR_DATA, "the field %s must be a vector", name);
  if (value && take_count(value) != count)
    trouble(LAVDM_ERROR_DATA, "edges have %" PRId64 " rows, and the field %s has %" PRId64 " elements", count,
            name, take_count(value));
  return value;
}

static bool is_size(const mxArray *a, int64_t x, int64_t y, int64_t z) {
  return mxGetNumberOfDimensions(a) <= 3 && take_size(a, 0) == x && take_size(a, 1) == y &&
         take_size(a, 2) == z;
}

/* What the shape of the elements says they are: NONE for one number, whatever it means. */
static lavdm_element shape_of(const mxArray *element, int64_t count) {
  int64_t q = take_size(element, 0);
  if (is_vector(element) && take_count(element) == count) return LAVDM_ELEMENT_NONE;
  if (is_size(element, count, 4, 1)) return LAVDM_ELEMENT_QUATERNION;
  if (!is_size(element, q, q, count))
    trouble(LAVDM_ERROR_DATA,
            "the elements of %" PRId64 " edges must be %" PRId64 " x 1, %" PRId64 " x 4 or q x q x %" PRId64
            ", and are %" PRId64 " x %" PRId64 " x %" PRId64,
            count, count, count, count, q, take_size(element, 1), take_size(element, 2));
  return LAVDM_ELEMENT_MATRIX;
}

static bool all_signs(const double *x, int64_t count) {
  for (int64_t e = 0; e < count; e++)
    if (fabs(x[e]) != 1) return false;
  return true;
}

static bool all_whole(const double *x, int64_t count) {
  for (int64_t e = 0; e < count; e++)
    if (x[e] != floor(x[e])) return false;
  return true;
}

/* One number on each edge. */
static void take_single(const mxArray *element, const char *kind, int64_t steps, bool named,
                        lavdm_edges *out) {
  const double *x = take_doubles(element, "the field element");
  bool turns = steps && (!named || !strcmp(kind, "step")) && all_whole(x, out->count);
  if (kind && !strcmp(kind, "step") && !turns)
    trouble(LAVDM_ERROR_DATA, "steps must be whole numbers, and the group must be a cyclic one, say 'c4'");
  if (turns) {
    double *angle = SCRATCH(double, out->count);
    for (int64_t e = 0; e < out->count; e++) angle[e] = TWO_PI * fmod(x[e], (double)steps) / (double)steps;
    x = angle, kind = "angle";
  }
  bool sign = kind ? !strcmp(kind, "sign") : all_signs(x, out->count);
  out->kind = sign ? LAVDM_ELEMENT_SIGN : LAVDM_ELEMENT_ANGLE;
  out->element = x;
}

static double *turned(const mxArray *element, int64_t q, int64_t count) {
  const double *x = take_doubles(element, "the field element");
  double *out = SCRATCH(double, q *q *count);
  for (int64_t e = 0; e < count; e++)
    for (int64_t a = 0; a < q; a++)
      for (int64_t b = 0; b < q; b++) out[(e * q + a) * q + b] = x[(e * q + b) * q + a];
  return out;
}

static void take_elements(const mxArray *element, const char *implied, const char *named, int64_t steps,
                          lavdm_edges *out) {
  int wanted = -1;
  for (int k = 0; named && k < KINDS; k++)
    if (!strcmp(named, kinds[k])) wanted = k;
  if (named && wanted < 0 && strcmp(named, "step"))
    trouble(LAVDM_ERROR_ARGUMENT,
            "the kind is '%.60s': it must be none, sign, angle, step, matrix or quaternion", named);
  if (wanted == LAVDM_ELEMENT_NONE || (!element && !named)) return; /* every element is +1 */
  if (!element) trouble(LAVDM_ERROR_DATA, "the kind is '%s', but there are no elements", named);
  lavdm_element found = shape_of(element, out->count);
  bool single = wanted < 0 || wanted == LAVDM_ELEMENT_SIGN || wanted == LAVDM_ELEMENT_ANGLE;
  /* of one edge, 1 x 1 x 1 is a matrix too */
  bool tiny = wanted == LAVDM_ELEMENT_MATRIX && out->count == 1 && take_count(element) == 1;
  if (named && !tiny && (found == LAVDM_ELEMENT_NONE ? !single : (int)found != wanted))
    trouble(LAVDM_ERROR_DATA, "the kind is '%s', but the elements have the shape of %s", named,
            found == LAVDM_ELEMENT_NONE         ? "one number an edge"
            : found == LAVDM_ELEMENT_QUATERNION ? "quaternions"
                                                : "matrices");
  if (found == LAVDM_ELEMENT_NONE && !tiny) {
    take_single(element, named ? named : implied, steps, named != NULL, out);
    return;
  }
  out->kind = tiny ? LAVDM_ELEMENT_MATRIX : found;
  out->q = out->kind == LAVDM_ELEMENT_MATRIX ? take_size(element, 0) : 0;
  out->element = out->kind == LAVDM_ELEMENT_MATRIX ? turned(element, out->q, out->count)
                                                   : take_rows(element, "the field element", out->count, 4);
}

/* Size of the group's matrices. */
static int64_t fibre(const lavdm_edges *edges) {
  const int64_t q[] = {1, 1, 2, edges->q, 3};
  return q[edges->kind];
}

void take_graph(const mxArray *a, const char *kind, int64_t steps, bool poses, graph_t *out) {
  check_fields(a, poses);
  *out = (graph_t){0};
  lavdm_edges *edges = &out->edges;
  const mxArray *row = field(a, "row"), *named = field(a, "kind");
  if (!row || !field(a, "col"))
    trouble(LAVDM_ERROR_DATA, "there are no edges: the fields row and col are needed");
  edges->count = take_count(row);
  edges->row = take_indices(vector(a, "row", edges->count), "the field row", 0);
  edges->col = take_indices(vector(a, "col", edges->count), "the field col", 0);
  const mxArray *weight = vector(a, "weight", edges->count);
  if (weight) edges->weight = take_doubles(weight, "the field weight");
  take_elements(field(a, "element"), kind, named ? take_text(named, "the kind") : NULL, steps, edges);

  const mxArray *shift = poses ? field(a, "shift") : NULL;
  if (!shift) return;
  int64_t q = fibre(edges);
  if (!is_size(shift, edges->count, q, 1))
    trouble(LAVDM_ERROR_DATA,
            "the field shift must be %" PRId64 " x %" PRId64 ", and is %" PRId64 " x %" PRId64, edges->count,
            q, take_size(shift, 0), take_size(shift, 1));
  out->shift = take_rows(shift, "the field shift", edges->count, q);
  weight = vector(a, "shift_weight", edges->count);
  if (weight) out->shift_weight = take_doubles(weight, "the field shift_weight");
}
