/*
 * With the orientation bundle (O = sign of the determinant) the top eigenvalue is 1, with an
 * eigenvector of constant magnitude, if signs can be given to the frames that agree along every
 * edge: the manifold is orientable. Otherwise it is lambda = exp(-c mu), mu > 0 the first
 * eigenvalue of the twisted Laplacian, to be compared with the first non-zero eigenvalue of
 * the ordinary one at the same c: ratio = log lambda / log lambda_trivial. It is 0 if
 * orientable; 1/3 on RP2, 1/4 on a Moebius band, 1 on the flat Klein bottle. The magnitude
 * |v| / rms |v| averages 1 if orientable, about .9 if not.
 *
 * The verdict comes from signs around cycles (evidence.h), which need no bandwidth; the fit gives
 * the eigenvector, and is made again if it reaches across a handle or its planes are too wide.
 */
#include "orient/piece.h"

#include "base/memory.h"
#include "base/status.h"
#include "model/model.h"
#include "orient/evidence.h"
#include "orient/twin.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum {
  PLENTY = 100,     /* points on which the evidence counts in full */
  MOST_VDM = 100000 /* points that are all references, where landmarks do not do */
};

/* Log-odds of what is true of every manifold of that kind, if that is what it is; and those below which
 * a verdict is not given: 4 in 5. */
static const double certain = 4.6, least = 1.386;

/*
 * Where the dimension is in doubt, as numbers of neighbours grow by half a power more than an automatic d
 * (noise does so as well), no verdict is more than 17 in 20 sure. Of the tuned shapes that were taken for
 * curves 40 of 58 are orientable. Chosen on these, as the margin from which planes stand out and the growth
 * of a curve.
 */
static const double doubt_from = 0.5, in_doubt = 1.735, perhaps_curve = 0.8, stands_out = 0.7,
                    surely_curve = 1.25;

/* Numbers of neighbours grow as the radius to the power d, faster if there is noise, slower by a little if d
 * is large. An automatic d above 1.25 times that power and 0.3 is that of the space that the points span. */
static const double most_growth = 1.25, and_more = 0.3;

/* How much ratio (against 0.1) and magnitude (against 0.95) speak for the guess; below 0: against it. */
static double support(const lavdm_orientation *o) {
  double score = 2 * log(0.1 / fmax(o->ratio, 1e-6)) + fmax((o->mean_magnitude - 0.95) / 0.008, -25);
  return o->orientable ? score : -score;
}

/* The share of edges with |det(B_i' B_k)| < 0.1^d, over 0.1^d: about what planes at
 * random have. A few such edges mean nothing. */
static double doubt(const lavdm_info_t *info) {
  double ill = fmax((double)info->ill_aligned - 3, 0) / fmax((double)info->edges, 1);
  return fmin(ill / pow(0.1, (double)info->chosen->dim), 1);
}

static void measure(const lavdm_model *model, double trivial, lavdm_orientation *out, double *leading) {
  const lavdm_array *u = lavdm_get(model, "eigenvectors");
  int64_t n = model->info.n, r = model->chosen.components, used = n - model->info.isolated;
  double sum = 0, square = 0;
  for (int64_t i = 0; i < n; i++) {
    double v =
        u->type == LAVDM_F32 ? (double)((const float *)u->data)[i * r] : ((const double *)u->data)[i * r];
    leading[i] = isfinite(v) ? v : 0;
    sum += fabs(leading[i]);
    square += leading[i] * leading[i];
  }
  for (int64_t i = 0; i < n && square > 0; i++) leading[i] *= sqrt((double)used / square);
  out->eigenvalue = model->info.eigenvalues[0];
  out->trivial_eigenvalue = trivial;
  double bottom = fmin(log(fmin(fmax(trivial, 1e-300), 1)), -1e-12);
  out->ratio = fabs(log(fmin(fmax(out->eigenvalue, 1e-300), 1)) / bottom);
  out->mean_magnitude = square > 0 ? sum / sqrt(square * (double)used) : 0;
  out->doubt = doubt(&model->info);
}

int piece_fit(const lavdm_data *data, const lavdm_options *options, piece_t *piece, lavdm_error *error) {
  lavdm_options o = *options;
  o.checkpoint = NULL; /* there are several fits */
  o.trust = LAVDM_TRUST_NO;
  o.bundle = LAVDM_BUNDLE_ORIENTATION;
  /* the sign is sure only between nearby planes: short steps, and no tails */
  if (o.cutoff == LAVDM_AUTO && o.kernel == LAVDM_KERNEL_GAUSSIAN) o.cutoff = 1.5;
  bool given = data->landmark_points || data->landmark_index;
  if (o.landmarks == LAVDM_AUTO && !given && o.method == LAVDM_METHOD_LAVDM && data->n > 0)
    o.landmarks = (int64_t)fmin(6 * sqrt((double)data->n), (double)data->n);
  int status = lavdm_fit(data, &o, &piece->model, error);
  if (status < 0) return status;
  lavdm_model *trivial;
  int second = fit_twin(data, piece->model, options, 2, &trivial, error);
  if (second < 0) {
    lavdm_free(piece->model);
    piece->model = NULL;
    return second;
  }
  double value = lavdm_info(trivial)->chosen->components == 2 ? lavdm_info(trivial)->eigenvalues[1] : 0;
  lavdm_free(trivial);
  measure(piece->model, value, &piece->found, piece->leading);
  return status;
}

/* ---------------------------------------------------------------- verdict */

static void conclude(piece_t *piece) {
  lavdm_orientation *o = &piece->found;
  o->orientable = piece->odds > 0;
  o->confidence = 1 / (1 + exp(-fabs(piece->odds)));
  o->verdict = fabs(piece->odds) < least ? -1 : o->orientable;
}

/*
 * Of points that were taken for a curve, from planes of two dimensions: it is one if numbers of neighbours
 * grow like that. If the planes stand out after all, it is a thin band or tube; if not, a band as wide as the
 * noise looks the same as a curve.
 */
static double thin_odds(const evidence_t *e) {
  double odds = evidence_odds(e);
  if (e->growth < surely_curve) return certain;
  if (odds < -least) return 0;
  return e->margin > stands_out ? fmin(odds, in_doubt) : perhaps_curve;
}

static int weigh(const lavdm_data *data, const lavdm_options *options, piece_t *piece, lavdm_error *error) {
  int64_t d = piece->model->chosen.dim, p = piece->model->info.p, n = data->n;
  lavdm_orientation *o = &piece->found;
  piece->odds = 0;
  bool thin = d < 2 && options->dim == LAVDM_AUTO;      /* a curve, or a thin band? */
  if (n < EVIDENCE_LEAST || n < 4 * d) return LAVDM_OK; /* as good as nothing */
  if (p < 3 || (d < 2 && !thin)) {                      /* there is nothing else there */
    piece->odds = certain;
    return LAVDM_OK;
  }
  if (d >= p) return LAVDM_OK; /* all frames span the whole space: they tell nothing */
  evidence_t e;
  int status = evidence_find(data, piece->model, options, thin ? 2 : d, options->frame_knn, &e, error);
  if (status < 0) return status;
  o->growth = e.growth;
  if (thin) {
    piece->odds = thin_odds(&e);
    return LAVDM_OK;
  }
  o->odd = e.odd, o->spread = e.spread, o->frustrated = e.frustrated, o->turn = e.turn;
  o->gap = e.gap, o->margin = e.margin, o->frame_knn = e.neighbours;
  piece->odds = evidence_odds(&e);
  if (options->dim == LAVDM_AUTO && e.growth > (double)d + doubt_from)
    piece->odds = fmin(fmax(piece->odds, -in_doubt), in_doubt);
  return LAVDM_OK;
}

/* Fits again with other options; kept if its graph is in one piece and, unless `anyway`, it speaks more for
 * the verdict. */
static int try_again(const lavdm_data *data, const lavdm_options *options, bool anyway, piece_t *piece,
                     lavdm_error *error) {
  piece_t other = {.found = piece->found, .odds = piece->odds, .leading = NEW(double, data->n)};
  int status = other.leading ? piece_fit(data, options, &other, error) : fail_memory(error, "another fit");
  if (status >= 0 && (anyway || support(&other.found) > support(&piece->found)) &&
      other.model->info.graph_components == 1) {
    lavdm_free(piece->model);
    piece->model = other.model, other.model = NULL;
    piece->found = other.found;
    memcpy(piece->leading, other.leading, (size_t)data->n * sizeof *piece->leading);
  }
  lavdm_free(other.model);
  mem_free(other.leading);
  return status;
}

/* Of an automatic d that is too large, by the dimension in which numbers of neighbours grow instead. */
static int lower_dimension(const lavdm_data *data, const lavdm_options *options, piece_t *piece,
                           lavdm_error *error) {
  int64_t d = piece->model->chosen.dim;
  double growth = piece->found.growth;
  if (options->dim != LAVDM_AUTO || !(growth > 0) || (double)d <= most_growth * growth + and_more)
    return LAVDM_OK;
  lavdm_options o = *options;
  o.dim = growth < 1.5 ? 1 : (int64_t)(growth + 0.5);
  piece->odds = 0;
  int status = try_again(data, &o, true, piece, error);
  return status < 0 || piece->model->chosen.dim == d ? status : weigh(data, &o, piece, error);
}

/* Whether all points can be references: there are not too many, and there is room. */
static bool room_for_all(const lavdm_data *data, const lavdm_options *o) {
  lavdm_plan_t plan = {0};
  int64_t most = o->max_memory > 0 ? o->max_memory : mem_available();
  return data->n <= MOST_VDM && o->stream != LAVDM_STREAM_YES && lavdm_plan(data, o, &plan, NULL) >= 0 &&
         plan.memory <= most;
}

int piece_judge(const lavdm_data *data, const lavdm_options *options, piece_t *piece, lavdm_error *error) {
  double share = fmin((double)data->n / PLENTY, 1);
  int status = weigh(data, options, piece, error);
  if (status >= 0) status = lower_dimension(data, options, piece, error);
  if (status < 0) return status;
  piece->odds *= share * share;
  conclude(piece);
  lavdm_options o = *options;
  bool other = piece->found.verdict >= 0 && support(&piece->found) < 0;
  o.dim = piece->model->chosen.dim;
  if (o.frame_knn == LAVDM_AUTO)
    o.frame_knn = piece->found.frame_knn > 0 ? piece->found.frame_knn : LAVDM_AUTO;
  if (other && o.frame_knn != options->frame_knn) status = try_again(data, &o, false, piece, error);
  if (status < 0 || !other || support(&piece->found) >= 0 || o.method != LAVDM_METHOD_LAVDM) return status;
  o.method = LAVDM_METHOD_VDM;
  o.edges = LAVDM_EDGES_KNN;
  if (o.knn == LAVDM_AUTO) o.knn = 3 * o.dim; /* not across a thin handle */
  if (o.design == LAVDM_DESIGN_GIVEN) o.design = LAVDM_DESIGN_KMEANS;
  o.landmarks = LAVDM_AUTO;
  o.epsilon = LAVDM_AUTO;
  lavdm_data all = *data;
  all.landmark_points = NULL, all.landmark_index = NULL, all.landmark_count = 0;
  return room_for_all(&all, &o) ? try_again(&all, &o, false, piece, error) : status;
}
