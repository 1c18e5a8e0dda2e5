/*
 * What the arrays of a model look like: one table. Sizes are n points, p
 * coordinates, m references, q the fibre, r eigenpairs, d the dimension, c the
 * components of the graph, P the coordinates of the data before --pca, l the landmarks
 * of frames=lowpass, 2 itself.
 */
#include "model/save.h"

#include "base/options.h"
#include "file/sentence.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
  F64 = 1 << LAVDM_F64,
  F32 = 1 << LAVDM_F32,
  I64 = 1 << LAVDM_I64,

  OWN = 1,     /* a result of the points themselves, not of the references */
  FINITE = 2,  /* no infinity, no NaN ... */
  OR_NAN = 32, /* ... or NaN, at new points out of reach */
  NEEDED = 4,  /* in every model ... */
  FRAMES = 8,  /* ... with the tangent or orientation bundle */
  LANDMARKS = 16 /* ... with landmarks in space, unless it is an extension, which has none */,
  TURNS = 64, /* ... of images or signals, extensions aside */

  /* what finite numbers are, beyond that: */
  PLACE = 128,     /* coordinates: no larger than those of data in the precision of the model, times 100 */
  UNIT = 256,      /* entries of orthonormal columns */
  NOT_BELOW = 512, /* not below 0 */
};

/* One row an array; '*' stands for any size. Whole numbers are indices: at least
 * `least`, and below the size `below` if there is one. */
typedef struct {
  const char *name;
  int types;
  const char *shape;
  int flags;
  int least;
  char below;
} known_array;

static const known_array known[] = {
    {"eigenvalues", F64, "r", FINITE | NEEDED, 0, 0},
    {"residuals", F64, "r", NEEDED, 0, 0},
    {"degrees", F64, "n", OWN | FINITE | NOT_BELOW | NEEDED, 0, 0},
    {"eigenvectors", F64 | F32, "nqr", OWN | FINITE | OR_NAN | NEEDED, 0, 0},
    {"frames", F64 | F32, "npd", OWN | FINITE | UNIT | NEEDED | FRAMES, 0, 0},
    {"graph_component", I64, "n", OWN, -1, 'c'},
    {"leading", F64, "n", OWN | FINITE, 0, 0},
    {"component_orientable", I64, "c", 0, -1, 0},
    {"component_confidence", F64, "c", FINITE, 0, 0},
    {"nodes", I64, "n", OWN, 0, 0},
    {"points", F64 | F32, "np", OWN | FINITE | PLACE, 0, 0},
    {"densities", F64, "n", OWN | FINITE | NOT_BELOW, 0, 0},
    {"centre", F64, "p", FINITE | PLACE, 0, 0},
    {"far_points", F64 | F32, "*p", FINITE | PLACE, 0, 0},
    {"smooth_points", F64 | F32, "np", OWN | FINITE | PLACE, 0, 0},
    {"smooth_landmarks", F64, "lp", FINITE | PLACE, 0, 0},
    {"smooth_values", F64, "lp", FINITE | PLACE, 0, 0},
    {"smooth_weights", F64, "l2", FINITE, 0, 0},
    {"smooth_kernel", F64, "2", FINITE, 0, 0},
    {"landmarks", F64, "mp", FINITE | PLACE | NEEDED | LANDMARKS, 0, 0},
    {"landmark_index", I64, "m", 0, 0, 'n'},
    {"landmark_nodes", I64, "m", 0, 0, 0},
    {"landmark_frames", F64 | F32, "mpd", FINITE | UNIT | NEEDED | FRAMES | LANDMARKS, 0, 0},
    {"landmark_vectors", F64, "mqr", FINITE | NEEDED | LANDMARKS, 0, 0},
    {"landmark_scale", F64, "m", FINITE | NOT_BELOW | NEEDED | LANDMARKS, 0, 0},
    {"landmark_mass", F64, "m", FINITE | NOT_BELOW | NEEDED | LANDMARKS, 0, 0},
    {"landmark_inflow", F64, "m", FINITE | NOT_BELOW | NEEDED | LANDMARKS, 0, 0},
    {"pca_basis", F64, "Pp", FINITE | UNIT, 0, 0},
    {"pca_mean", F64, "P", FINITE | PLACE, 0, 0},
    {"image_shape", I64, "2", NEEDED | TURNS, 1, 0},
    {"band_components", I64, "*", NEEDED | TURNS, 0, 0},
    {"band_matrices", F64, "*", FINITE, 0, 0},
    {"coefficients", F64 | F32, "n*2", OWN | FINITE | PLACE, 0, 0},
    {"knn_distances", F64, "n", OWN | FINITE | NOT_BELOW, 0, 0},
    {"coordinate_index", I64, "*", 0, 0, 'r'},
    {"coordinate_lead", I64, "*", 0, 0, 0},
    {"coordinate_residuals", F64, "r", 0, 0, 0},
    {"trust_groups", I64, "*", 0, 0, 0},
    {"trust_table", F64, "**", 0, 0, 0},
    {"trust_facts", F64, "*", 0, 0, 0},
};
enum { KNOWN = sizeof known / sizeof *known };

static const known_array *find(const char *name) {
  for (int i = 0; i < KNOWN; i++)
    if (!strcmp(known[i].name, name)) return &known[i];
  return NULL;
}

bool model_is_known(const char *name) {
  return find(name) != NULL;
}

bool model_is_pointwise(const char *name) {
  const known_array *row = find(name);
  return row && row->flags & OWN;
}

/* --------------------------------------------------------------- checks */

typedef struct {
  const lavdm_model *model;
  const char *path;
  lavdm_error *error;
  int64_t wide;   /* P, once it is known; else -1 */
  int64_t smooth; /* l, likewise */
} checking_t;

/* The size that a symbol stands for; -1 if there is none. */
static int64_t size_of(const checking_t *c, char symbol) {
  const lavdm_info_t *info = &c->model->info;
  switch (symbol) {
  case 'n':
    return info->n;
  case 'p':
    return info->p;
  case 'm':
    return info->m;
  case 'q':
    return info->q;
  case 'r':
    return info->chosen->components;
  case 'd':
    return info->chosen->dim;
  case 'c':
    return info->graph_components;
  case '2':
    return 2;
  case 'l':
    return c->smooth;
  default:
    return c->wide;
  }
}

static int bad_shape(const checking_t *c, const known_array *row, const lavdm_array *a) {
  char found[80] = "", wanted[80] = "";
  for (int i = 0; i < a->rank; i++)
    snprintf(found + strlen(found), sizeof found - strlen(found), "%s%" PRId64, i ? " x " : "", a->shape[i]);
  for (const char *s = row->shape; *s; s++) {
    int64_t size = size_of(c, *s);
    size_t used = strlen(wanted);
    if (*s == '*' || size < 0)
      snprintf(wanted + used, sizeof wanted - used, "%sany", used ? " x " : "");
    else
      snprintf(wanted + used, sizeof wanted - used, "%s%" PRId64, used ? " x " : "", size);
  }
  return file_fail(c->error, LAVDM_ERROR_FILE, c->path,
                   "cannot be used: '%s' is %s where the model asks for %s", row->name, found, wanted);
}

static int check_shape(checking_t *c, const known_array *row, const lavdm_array *a) {
  if (!(row->types >> a->type & 1))
    return file_fail(c->error, LAVDM_ERROR_FILE, c->path,
                     "cannot be used: '%s' has numbers of the wrong type", row->name);
  if (a->rank != (int)strlen(row->shape)) return bad_shape(c, row, a);
  for (int i = 0; i < a->rank; i++) {
    if (row->shape[i] == '*') continue;
    if (row->shape[i] == 'P' && c->wide < 0) c->wide = a->shape[i];
    if (row->shape[i] == 'l' && c->smooth < 0) c->smooth = a->shape[i];
    if (a->shape[i] != size_of(c, row->shape[i])) return bad_shape(c, row, a);
  }
  return LAVDM_OK;
}

static int64_t elements(const lavdm_array *a) {
  int64_t count = 1;
  for (int i = 0; i < a->rank; i++) count *= a->shape[i];
  return count;
}

enum {
  SLICE = 1 << 20
}; /* numbers of an array that lives in a file that are looked at before it is let go */

static double value_of(const lavdm_array *a, int64_t i) {
  return a->type == LAVDM_F64 ? ((const double *)a->data)[i] : (double)((const float *)a->data)[i];
}

static int64_t width_of(const lavdm_array *a) {
  return a->shape[0] > 0 ? elements(a) / a->shape[0] : 1;
}

/* The finite numbers that a real array may have: from *low to *high. */
static void range_of(const lavdm_model *model, const known_array *row, double *low, double *high) {
  const double rounding = 1e-3;
  *high = row->flags & PLACE  ? 100 * largest_value(&model->chosen)
          : row->flags & UNIT ? 1 + rounding
                              : DBL_MAX;
  *low = row->flags & NOT_BELOW ? 0 : -*high;
}

/* Where the first number of an array is that it may not have; -1: nowhere. Where the degree of a point is 0,
 * some rows may be NaN. */
static int64_t first_bad(const lavdm_model *model, const known_array *row, const lavdm_array *a) {
  double low, high;
  const double *degree = row->flags & OR_NAN ? model_data(model, "degrees") : NULL;
  int64_t count = elements(a), width = width_of(a);
  range_of(model, row, &low, &high);
  for (int64_t i = 0; row->flags & FINITE && i < count; i++) {
    double x = value_of(a, i);
    if (i % SLICE == SLICE - 1) large_trim(model->owned[a - model->array]);
    if (!(x >= low && x <= high) && !(isnan(x) && degree && degree[i / width] == 0)) return i;
  }
  return -1;
}

static int bad_number(const checking_t *c, const known_array *row, const lavdm_array *a, int64_t bad) {
  double low, high, x = value_of(a, bad);
  int64_t width = width_of(a);
  range_of(c->model, row, &low, &high);
  char where[64], why[96] = "is not a finite number";
  snprintf(where, sizeof where, "row %" PRId64 ", number %" PRId64, bad / width + 1, bad % width + 1);
  if (isfinite(x))
    snprintf(why, sizeof why, "is out of range, which in %s precision is %g to %g",
             c->model->chosen.precision == LAVDM_PRECISION_SINGLE ? "single" : "double", low, high);
  return file_fail(c->error, LAVDM_ERROR_FILE, c->path,
                   "cannot be used: '%s' (%s) %s: %g; fit the model again", row->name, where, why, x);
}

static bool all_within(const lavdm_array *a, int64_t least, int64_t below) {
  const int64_t *index = a->data;
  int64_t count = elements(a), bad = 0;
  for (int64_t i = 0; i < count; i++) bad += index[i] < least || index[i] >= below;
  return !bad;
}

static int check_array(checking_t *c, const known_array *row, const lavdm_array *a) {
  int status = check_shape(c, row, a);
  if (status < 0) return status;
  int64_t bad = first_bad(c->model, row, a);
  if (bad >= 0) return bad_number(c, row, a, bad);
  if (row->types == I64 && !all_within(a, row->least, row->below ? size_of(c, row->below) : INT64_MAX))
    return file_fail(c->error, LAVDM_ERROR_FILE, c->path, "cannot be used: '%s' has indices out of range",
                     row->name);
  return LAVDM_OK;
}

/* Whether a model of this kind must have the array. */
static bool is_needed(const checking_t *c, const known_array *row, bool compact) {
  const lavdm_options *o = &c->model->chosen;
  bool frames = o->bundle == LAVDM_BUNDLE_TANGENT || o->bundle == LAVDM_BUNDLE_ORIENTATION;
  bool landmarks = model_has_landmarks(c->model) && o->bundle != LAVDM_BUNDLE_GIVEN;
  bool extension = landmarks && !lavdm_get(c->model, "landmarks") && !lavdm_get(c->model, "landmark_vectors");
  landmarks &= !extension;
  bool turns = o->bundle == LAVDM_BUNDLE_ROTATION || o->bundle == LAVDM_BUNDLE_SHIFT;
  if (row->flags & TURNS && (!turns || !(landmarks || lavdm_get(c->model, "coefficients")))) return false;
  return row->flags & NEEDED && !(compact && !extension && row->flags & OWN) &&
         (frames || !(row->flags & FRAMES)) && (landmarks || !(row->flags & LANDMARKS));
}

/* The principal axes come with their origin, and are no more than the coordinates. */
static int check_axes(const checking_t *c) {
  const lavdm_array *basis = lavdm_get(c->model, "pca_basis"), *mean = lavdm_get(c->model, "pca_mean");
  if (!basis != !mean)
    return file_fail(c->error, LAVDM_ERROR_FILE, c->path, "cannot be used: there is no '%s'",
                     basis ? "pca_mean" : "pca_basis");
  if (basis && c->wide < c->model->info.p)
    return file_fail(c->error, LAVDM_ERROR_FILE, c->path,
                     "cannot be used: 'pca_basis' has more columns than rows");
  return LAVDM_OK;
}

/* Points of precomputed distances, and landmarks, are numbers of rows. */
static int check_rows(const checking_t *c) {
  static const char *const names[] = {"points", "landmarks"};
  if (c->model->chosen.metric != LAVDM_METRIC_PRECOMPUTED) return LAVDM_OK;
  if (lavdm_get(c->model, "pca_basis"))
    return file_fail(c->error, LAVDM_ERROR_FILE, c->path, "cannot be used: distances have no 'pca_basis'");
  for (int k = 0; k < 2; k++) {
    const lavdm_array *a = lavdm_get(c->model, names[k]);
    for (int64_t i = 0; a && i < a->shape[0]; i++) {
      double x = value_of(a, i);
      bool row = k ? x >= 0 && x < (double)c->model->info.n && x == floor(x) : x == (double)i;
      if (!row)
        return file_fail(c->error, LAVDM_ERROR_FILE, c->path,
                         "cannot be used: '%s' has %g, where row numbers of distances are needed", names[k],
                         x);
    }
  }
  return LAVDM_OK;
}

int model_check(const lavdm_model *model, const char *path, bool compact, lavdm_error *error) {
  checking_t c = {.model = model, .path = path, .error = error, .wide = -1, .smooth = -1};
  for (int i = 0; i < KNOWN; i++) {
    const lavdm_array *a = lavdm_get(model, known[i].name);
    if (!a && is_needed(&c, &known[i], compact))
      return file_fail(error, LAVDM_ERROR_FILE, path, "cannot be used: there is no '%s'", known[i].name);
    int status = a ? check_array(&c, &known[i], a) : LAVDM_OK;
    if (status < 0) return status;
  }
  int status = check_rows(&c);
  return status < 0 ? status : check_axes(&c);
}

int model_check_results(const lavdm_model *model, lavdm_error *error) {
  for (int i = 0; i < KNOWN; i++) {
    const lavdm_array *a = lavdm_get(model, known[i].name);
    int64_t bad = a ? first_bad(model, &known[i], a) : -1;
    if (bad < 0) continue;
    return fail(error, LAVDM_ERROR_NUMERICS,
                "the result has no numbers: %s came out as %g in row %" PRId64
                "; the distances or weights there are beyond what %s precision holds",
                known[i].name, value_of(a, bad), bad / width_of(a) + 1,
                model->chosen.precision == LAVDM_PRECISION_SINGLE ? "single" : "double");
  }
  return LAVDM_OK;
}
