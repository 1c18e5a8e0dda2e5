/*
 * The one table of options. It feeds the defaults of lavdm_options, the checks
 * at the door, the command's parser and --help, the bindings and docs/options.md.
 * To add an option: a field in include/lavdm.h, a row here.
 */
#include "base/options.h"

#include "base/door.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef struct {
  lavdm_option row;
  size_t offset;
} entry;

#define MANY      9e18
#define AT(field) offsetof(lavdm_options, field)
#define CHOICE(field, choices, initial, help, more)                                                          \
  { {#field, LAVDM_TYPE_CHOICE, choices, initial, 0, 0, "NAME", help, more}, AT(field) }
#define NUMBER(field, type, initial, least, most, metavar, help, more)                                       \
  { {#field, type, NULL, initial, least, most, metavar, help, more}, AT(field) }
#define INTEGER(field, ...) NUMBER(field, LAVDM_TYPE_INTEGER, __VA_ARGS__)
#define REAL(field, ...)    NUMBER(field, LAVDM_TYPE_REAL, __VA_ARGS__)
#define BYTES(field, ...)   NUMBER(field, LAVDM_TYPE_BYTES, __VA_ARGS__)

static const entry table[] = {
    CHOICE(
        method, "dm|vdm|roseland|lavdm|nystrom", "lavdm", "which member of the family",
        "`dm` and `vdm` diffuse between the points themselves; `roseland` and `lavdm` diffuse through "
        "landmarks and cost far less. `dm` and `roseland` see similarity alone; `vdm` and `lavdm` also carry "
        "a frame along every edge. Each is a preset of the options below. `nystrom`, for comparison: `vdm` "
        "(`dm` "
        "with the trivial bundle) of the landmarks alone, and the Nystrom extension of its eigenvectors to "
        "all "
        "points."),
    CHOICE(
        bundle, "auto|trivial|tangent|orientation|given|rotation|shift", "auto",
        "where the connection comes from",
        "`auto`: `trivial` for dm and roseland, `tangent` for vdm and lavdm, `given` if there are edges. "
        "`tangent` estimates frames by local PCA and aligns them (q = d). `orientation` keeps only the sign "
        "of the alignment's determinant (q = 1). `given` takes the user's own edges and elements. "
        "`rotation`: "
        "the points are images, distances are those after the best turn, which is the connection (q = 2); "
        "`shift`: the same for periodic signals."),
    INTEGER(
        pca, "auto", 0, 1e6, "K", "replace the points by K principal coordinates; 0: do not",
        "The mean is removed and the coordinates along the K leading eigenvectors of the covariance are "
        "taken; everything else, frames and landmarks included, then lives in R^K. `auto`: from six "
        "coordinates on, the components that stand out of noise, by 1.3 times the Marchenko-Pastur edge of "
        "those below them, or the rank of points that lie in a subspace; 0 where nothing stands out, or all "
        "do. The result holds `pca_basis` (p, K) and `pca_mean` (p). For the bundles rotation and shift: the "
        "K leading steerable principal components, and `auto` is 0. Sparse points always become principal "
        "coordinates, 50 of them where nothing stands out."),
    INTEGER(dim, "auto", 1, 1e6, "D", "dimension d of the manifold",
            "`auto`: where local variances fall most from one axis to the next, on average over 25, 50, ... "
            "400 neighbours (no more than a tenth of the points; 100 from 64 coordinates on) of a sample, 10 "
            "at most. A warning tells if another gap is nearly as large, and if there is none and the points "
            "fill all their coordinates. Not looked for where nothing depends on it."),
    INTEGER(landmarks, "auto", 1, MANY, "M", "number of landmarks",
            "`auto`: 8 sqrt(n), at least 500 and at most 2000, with the tangent bundle 2400/d, or 2 sqrt(n) "
            "if that is more; up to 8 sqrt(n) where the data bends too much between them; at most n. "
            "2 sqrt(n) for images and signals. The cost of the Gram matrix grows as m in the sparse regime "
            "and as m squared at worst. With landmarks of your own their number is taken."),
    CHOICE(
        design, "kmeans|farthest|random|given", "kmeans", "how landmarks are chosen from the points",
        "`kmeans` centres snapped to data points, `farthest` point by point, a `random` subset, or `given`. "
        "A designed landmark does the work of several random ones."),
    REAL(
        epsilon, "auto", 1e-280, 1e280, "E", "bandwidth: w = K(distance / sqrt(E))",
        "A squared distance. `auto`: that to the knn-th neighbour at a typical point, and to the knn/2-th "
        "at 95 of 100 points (on the k-NN graph with one bandwidth: to the knn-th at 99). With landmarks at "
        "least 2^(-2/d) times that to the fourth nearest of them at a typical point, and to the second at 95 "
        "of 100 points. Then less where the data bends too much within the cut-off, while 4 d^2 points stay "
        "there; more, up to 40 points or n/12, where it bends little; and never so narrow that noise alone "
        "decides, or that more than one point in 100 reaches no other or no landmark. For images and "
        "signals as with landmarks above, without the factor and the rest. Two steps of E through landmarks "
        "act like one step of 2 E."),
    REAL(alpha, "auto", 0, 1, "A", "removes the density of the points: 0 not at all, 1 fully",
         "`auto`: 0 for roseland, 1 for the others."),
    REAL(beta, "auto", 0, 1, "B", "removes the density of the landmarks",
         "`auto`: 0 for roseland; for lavdm the value s/(1+s) that cancels landmarks of density p^s: 1/2 for "
         "random and given, 0 for farthest, d/(2d+2) for kmeans (1/2 for images and signals, whose d is not "
         "looked for), and 1/2 where every point is a landmark. At 1 alpha has no effect."),
    CHOICE(
        kernel, "gaussian|epanechnikov|ball|callback", "gaussian", "kernel K(t)",
        "gaussian exp(-t^2); epanechnikov 1-t^2 and ball 1, both zero beyond t = 1; callback: a function of "
        "the C API."),
    REAL(cutoff, "auto", 1e-6, 1e6, "C", "no edge beyond C sqrt(epsilon)",
         "`auto` for the gaussian kernel: 1.75 if epsilon is chosen too, 3 with local bandwidths; if it is "
         "given 3, and 2 + sqrt(d/2) from three dimensions on, 5 for roseland. 1 for epanechnikov and ball; "
         "none on the k-NN and the complete graph, that of images and their landmarks included."),
    CHOICE(edges, "auto|ball|knn|complete", "auto", "which pairs of points, for dm and vdm, and for images",
           "`ball`: closer than the cut-off; `knn`: one among the knn nearest of the other; `complete`: all. "
           "`auto`: ball up to 20,000 points, knn beyond. With the bundles rotation and shift it says as "
           "well which landmarks a point is joined to (`knn`: its knn nearest ones), and `auto` is knn: "
           "between noisy images all distances are much the same, and no radius would tell near from far."),
    INTEGER(
        knn, "auto", 1, MANY, "K", "neighbours of a point: epsilon, k-NN graph",
        "`auto`: 0.4 sqrt(n), at least 8 (of few points n/40, but 4), 2d + 2 if dim is given, and at most "
        "50; more where many points are copies of each other. If it is given, frame_knn is the same "
        "unless that is given too. Images and signals: n/100, from 12 to 50; with landmarks, how many of "
        "these one is joined to, by default m/25, from 8 to 50."),
    CHOICE(hood, "knn|radius", "knn", "local PCA over the frame_knn nearest points, or all within a radius",
           "`radius` is the distance to the frame_knn-th neighbour at a typical point, the same for all: "
           "faster, but where points are sparse frames see few of them."),
    INTEGER(components, "auto", 1, 1e6, "R", "eigenpairs to compute",
            "`auto`: 20, or as many as exist: m q with landmarks, n q for dm and vdm. How many of them lead, "
            "by a "
            "gap of -log lambda, and which are coordinates, is told with the reasons."),
    REAL(time, "1", 0, 1e6, "T", "diffusion time of the embedding", ""),
    REAL(delta, "0", 0, 1, "DELTA", "embedding drops components with (lambda/lambda_1)^(2T) <= DELTA",
         "0 keeps every component."),
    REAL(tolerance, "1e-8", 1e-15, 1, "TOL", "residual above which an eigenpair is warned about", ""),
    INTEGER(seed, "1", 0, MANY, "S", "seed of the random numbers",
            "The same data, options, seed and number of threads give the same result to the last bit."),
    INTEGER(threads, "auto", 1, 4096, "N", "threads", "`auto`: all that are available (OMP_NUM_THREADS)."),
    BYTES(max_memory, "auto", 1, MANY, "BYTES", "stop beforehand if more memory than this is needed",
          "A number with an optional suffix K, M, G or T. `auto`: what the machine has free."),
    CHOICE(
        precision, "double|single", "double", "of coordinates, frames and eigenvectors",
        "`single` takes half the memory and about half the time; eigenvalues, which are always computed in "
        "double precision from the Gram matrix, are then good to about 1e-7. Edges of your own are always "
        "treated in double precision."),
    CHOICE(stream, "auto|no|yes", "auto", "keep large arrays in files instead of memory",
           "For more points than fit in memory, with landmarks; the files are made in TMPDIR (or /tmp) and "
           "leave no trace. The same results, but for what needs the points in memory: of a file that is "
           "read bit by bit pca=auto is 0, and frames=auto is local of any points that are streamed. `auto`: "
           "if the run would need more than max_memory."),
    CHOICE(reflections, "no|yes", "no", "images and signals: a mirror image is a copy too",
           "For the bundles rotation and shift: distances are minima over reflections as well as turns, and "
           "elements are in O(2)."),
    CHOICE(signals, "periodic|windowed|phase", "periodic", "what a turn of a signal is, for the bundle shift",
           "`periodic`: a shift, and what leaves at the end comes in at the start. `windowed`: a shift of a "
           "stretch of something longer, taken under a Hann window and between as many zeros. `phase`: for "
           "narrow-band signals, a turn of the phase of the analytic signal, all frequencies by the same "
           "angle."),
    REAL(
        noise, "auto", 0, 1e280, "SIGMA", "standard deviation of the noise in a coordinate or pixel",
        "Points: epsilon is no narrower than it allows, and does not take it for a bend of the data. `auto`: "
        "of the principal components that pca=auto leaves out, or else of what local variances across the "
        "manifold tend to at small scales. For the bundles rotation and shift: above 0, distances are "
        "between the steerable principal components that stand out of such noise, shrunk as it asks; "
        "`auto`: estimated, 0 where there are too few images to tell."),
    CHOICE(
        engine, "auto|cpu|reference", "auto", "where the work is done",
        "`cpu`: by threads of this machine, and `auto` is that. `reference`: by the formulas as they read, "
        "with dense matrices and one thread; slow, for up to 5,000 points, without images, signals, "
        "single precision, streaming and checkpoints. Other engines are compared with it."),
    INTEGER(
        frame_knn, "auto", 1, MANY, "K", "neighbours that a tangent frame is made from",
        "`auto`: knn, if that is given. Otherwise, of 12 to 400 (no more than a quarter of the points; 100 "
        "from 64 coordinates on), with the largest k / (k + 2 d^2) times the variance along the last tangent "
        "direction by the largest across: among fewer noise turns the planes, among more curvature does. "
        "Where that is more than 25, those whose planes in one half of the points agree best with planes in "
        "the other."),
    CHOICE(
        frames, "auto|local|lowpass", "auto", "what tangent frames are made from",
        "`local`: local PCA of the points. `lowpass`: local PCA of the points without what varies fast along "
        "the data, x^ = sum over l <= r of u_l u_l' D x, where u_l are the r slowest eigenvectors of a "
        "scalar "
        "diffusion on the same points, with landmarks and a bandwidth of its own; the weights of edges stay "
        "those of the points. r is chosen by evidence: the points are dealt out to two halves, and planes "
        "that are made from one half should agree with those that a few neighbours in the other give. Where "
        "noise turns planes, frame_knn is chosen by the same evidence. `auto`: local, unless noise turns the "
        "planes of local PCA by more than .05 and the evidence is for lowpass. lowpass is refused to points "
        "that are streamed or shared by ranks. A model of it keeps the low-passed points (`smooth_points`), "
        "and what new points are low-passed by."),
    CHOICE(bandwidth, "auto|global|local", "auto", "one epsilon for all points, or one for each",
           "`global`: the same everywhere. `local`, for dm and vdm: w = K(distance / sqrt(E r r')), r and r' "
           "the distances of either point to its knn-th neighbour, by their geometric mean; normalised so "
           "that alpha means what it does with one bandwidth, and in steps as short as the least r allows. "
           "For density that varies much, above all on the k-NN graph, whose reach follows the density "
           "anyway. `auto`: local on the k-NN "
           "graph of points, with the gaussian kernel and an epsilon that is not given; global elsewhere."),
    CHOICE(normalise, "auto|degree|sinkhorn", "auto", "how the diffusion is normalised",
           "`degree`: by row sums, as alpha and beta say. `sinkhorn`: for dm, vdm and nystrom, so that every "
           "row of weights sums to 1 in a symmetric matrix without diagonal. Where noise differs from point "
           "to point and coordinates are many it keeps what degrees lose; without noise it is less accurate. "
           "It leaves alpha no use. Diffusion through landmarks withstands such noise as it is. `auto`: "
           "degree."),
    CHOICE(
        trust, "no|yes", "yes", "put the result to the test",
        "`yes`: two disjoint samples of the points are fitted with what the run chose, one of them once more "
        "with a wider kernel, and the result says how far they agree: for each group of eigenvalues an "
        "interval and the angle between the eigenspaces; trustworthiness and continuity of the embedding; "
        "short cuts of the graph; and warnings of what should not be relied on. The result itself stays the "
        "same to the last bit, and the run takes up to half as long again. Not for images, signals, edges of "
        "your own, lists of distances and fewer than 200 points."),
    CHOICE(
        metric, "euclidean|cosine|correlation|manhattan|chebyshev|hamming|jaccard|haversine|precomputed",
        "euclidean", "how far apart points are, for dm, roseland and nystrom",
        "The kernel and epsilon act on these distances, by the names and definitions of SciPy and "
        "scikit-learn. `cosine`: 1 - cos of the angle between two rows; `correlation`: the same of rows less "
        "their means; `manhattan`: the sum, `chebyshev`: the largest of the differences; `hamming`: the "
        "share of coordinates that differ; `jaccard`: the same of those where either is not 0; "
        "`haversine`: rows are latitude and longitude in radians, the distance is the angle between them. "
        "`precomputed`: the input is the distances themselves, a square matrix, or for dm and the k-NN graph "
        "those of each row to its neighbours. Frames need euclidean ones: vdm and lavdm take no others. "
        "Where there are no coordinates (manhattan to jaccard, precomputed) dim is chosen by how the "
        "distances to neighbours grow with their number, and of precomputed distances landmarks are chosen "
        "farthest, not by k-means; k-means looks at coordinates as they are. pca=auto is 0, noise and bends "
        "are not looked for."),
};

enum { COUNT = sizeof table / sizeof *table };

int lavdm_option_count(void) {
  return COUNT;
}

const lavdm_option *lavdm_option_at(int i) {
  return i >= 0 && i < COUNT ? &table[i].row : NULL;
}

static const entry *find(const char *name) {
  for (int i = 0; name && i < COUNT; i++)
    if (!strcmp(table[i].row.name, name)) return &table[i];
  return NULL;
}

const lavdm_option *lavdm_option_find(const char *name) {
  const entry *e = find(name);
  return e ? &e->row : NULL;
}

/* Bytes of a value of this type. */
static size_t width_of(lavdm_option_type type) {
  return type == LAVDM_TYPE_CHOICE ? sizeof(int) : 8;
}

/* Whether the program knows the option: it lies within the size of the struct. */
static bool reaches(const lavdm_options *options, const entry *e) {
  return e->offset + width_of(e->row.type) <= options->size;
}

static bool allows_auto(const lavdm_option *row) {
  return !strcmp(row->initial, "auto");
}

/* The place of `value` in "a|b|c", or -1. */
static int choice_index(const char *choices, const char *value) {
  size_t length = strlen(value);
  int i = 0;
  for (const char *c = choices;; i++) {
    size_t size = strcspn(c, "|");
    if (size == length && !strncasecmp(c, value, size)) return i;
    if (!c[size]) return -1;
    c += size + 1;
  }
}

const char *option_choice(const char *option, int value, char *text, size_t size) {
  const entry *e = find(option);
  const char *c = e && e->row.choices ? e->row.choices : "";
  for (; value > 0 && *c; value--) {
    c += strcspn(c, "|");
    c += *c == '|';
  }
  snprintf(text, size, "%.*s", (int)strcspn(c, "|"), c);
  return text;
}

/* A whole number of bytes with an optional suffix; NaN if it is none. */
static double parse_bytes(const char *value) {
  char *end;
  double number = strtod(value, &end);
  const char *suffix = "KMGT";
  const char *at = isalpha((unsigned char)*end) ? strchr(suffix, toupper((unsigned char)*end)) : NULL;
  if (end == value) return NAN;
  if (at) {
    number = ldexp(number, (int)(10 * (at - suffix + 1)));
    end++;
    if (*end == 'i') end++;
  }
  if (*end == 'B' || *end == 'b') end++;
  return *end ? NAN : number;
}

static int bad_number(const lavdm_option *row, const char *value, lavdm_error *error) {
  return fail(error, LAVDM_ERROR_ARGUMENT, "%s is '%s': it must be %s from %g to %g%s", row->name, value,
              row->type == LAVDM_TYPE_INTEGER ? "a whole number" : "a number", row->least, row->most,
              allows_auto(row) ? ", or auto" : "");
}

int lavdm_option_set(lavdm_options *options, const char *name, const char *value, lavdm_error *error) {
  const entry *e = find(name);
  if (!e) return fail(error, LAVDM_ERROR_ARGUMENT, "there is no option '%s'", name ? name : "(null)");
  if (!value) return fail(error, LAVDM_ERROR_ARGUMENT, "%s needs a value", name);
  if (!options->size)
    return fail(error, LAVDM_ERROR_ARGUMENT, "the options were never set: lavdm_options_default comes first");
  if (!reaches(options, e))
    return fail(error, LAVDM_ERROR_ARGUMENT, "the program was made for an older lavdm, without the option %s",
                name);
  const lavdm_option *row = &e->row;
  char *field = (char *)options + e->offset, *end = NULL;
  bool automatic = allows_auto(row) && !strcasecmp(value, "auto");
  switch (row->type) {
  case LAVDM_TYPE_CHOICE: {
    int choice = choice_index(row->choices, value);
    if (choice < 0)
      return fail(error, LAVDM_ERROR_ARGUMENT, "%s is '%s': it must be one of %s", name, value, row->choices);
    memcpy(field, &choice, sizeof choice);
    return LAVDM_OK;
  }
  case LAVDM_TYPE_INTEGER: {
    errno = 0;
    int64_t number = automatic ? LAVDM_AUTO : strtoll(value, &end, 10);
    double real = (double)number;
    /* 1e6 is a whole number too */
    if (!automatic && (*end == '.' || *end == 'e' || *end == 'E')) {
      real = strtod(value, &end);
      number = fabs(real) <= MANY && real == floor(real) ? (int64_t)real : INT64_MIN;
    }
    if (!automatic &&
        (end == value || *end || errno || real < row->least || real > row->most || number == INT64_MIN))
      return bad_number(row, value, error);
    memcpy(field, &number, sizeof number);
    return LAVDM_OK;
  }
  case LAVDM_TYPE_REAL: {
    double number = automatic ? LAVDM_AUTO : strtod(value, &end);
    if (!automatic && (end == value || *end || !(number >= row->least && number <= row->most)))
      return bad_number(row, value, error);
    memcpy(field, &number, sizeof number);
    return LAVDM_OK;
  }
  case LAVDM_TYPE_BYTES: {
    double number = automatic ? LAVDM_AUTO : parse_bytes(value);
    if (!automatic && !(number >= row->least && number <= row->most)) return bad_number(row, value, error);
    int64_t bytes = (int64_t)number;
    memcpy(field, &bytes, sizeof bytes);
    return LAVDM_OK;
  }
  }
  return fail(error, LAVDM_ERROR_ARGUMENT, "there is no option '%s'", name);
}

int lavdm_option_text(const lavdm_options *options, const char *name, char *text, size_t size) {
  const entry *e = find(name);
  if (!e) return LAVDM_ERROR_ARGUMENT;
  if (!reaches(options, e)) { /* such options have their defaults */
    snprintf(text, size, "%s", e->row.initial);
    return LAVDM_OK;
  }
  const char *field = (const char *)options + e->offset;
  int choice;
  int64_t whole;
  double real;
  switch (e->row.type) {
  case LAVDM_TYPE_CHOICE:
    memcpy(&choice, field, sizeof choice);
    option_choice(name, choice, text, size);
    break;
  case LAVDM_TYPE_INTEGER:
  case LAVDM_TYPE_BYTES:
    memcpy(&whole, field, sizeof whole);
    if (whole == LAVDM_AUTO && allows_auto(&e->row))
      snprintf(text, size, "auto");
    else
      snprintf(text, size, "%" PRId64, whole);
    break;
  case LAVDM_TYPE_REAL:
    memcpy(&real, field, sizeof real);
    if (real == LAVDM_AUTO && allows_auto(&e->row)) {
      snprintf(text, size, "auto");
      break;
    }
    /* the shortest text that reads back the same */
    for (int digits = 6; digits <= 17; digits++) {
      snprintf(text, size, "%.*g", digits, real);
      if (strtod(text, NULL) == real) break;
    }
    break;
  }
  return LAVDM_OK;
}

void lavdm_options_init(lavdm_options *options, size_t size) {
  lavdm_options own = {.size = sizeof own};
  for (int i = 0; i < COUNT; i++) lavdm_option_set(&own, table[i].row.name, table[i].row.initial, NULL);
  door_fill(&own, sizeof own, options, size);
}

int options_check(const lavdm_options *options, lavdm_error *error) {
  for (int i = 0; i < COUNT; i++) {
    const lavdm_option *row = &table[i].row;
    const char *field = (const char *)options + table[i].offset;
    char text[64] = "";
    lavdm_option_text(options, row->name, text, sizeof text);
    if (row->type == LAVDM_TYPE_CHOICE) {
      int choice;
      memcpy(&choice, field, sizeof choice);
      if (choice < 0 || !*text)
        return fail(error, LAVDM_ERROR_ARGUMENT, "%s is %d: it must be one of %s", row->name, choice,
                    row->choices);
      continue;
    }
    if (!strcmp(text, "auto")) continue;
    double number;
    if (row->type == LAVDM_TYPE_REAL) {
      memcpy(&number, field, sizeof number);
    } else {
      int64_t whole;
      memcpy(&whole, field, sizeof whole);
      number = (double)whole;
    }
    if (!(number >= row->least && number <= row->most)) return bad_number(row, text, error);
  }
  return LAVDM_OK;
}
