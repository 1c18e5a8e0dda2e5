/*
 * lavdm: diffusion maps, vector diffusion maps, ROSELAND and LA-VDM.
 *
 * One pipeline over one object, a connection graph: n points by m references
 * (landmarks, or the points themselves), where the pair (i,k) carries a weight
 * w_ik > 0 and an orthogonal q x q matrix O_ik.
 *
 *     lavdm_options options;
 *     lavdm_options_default(&options);
 *     lavdm_data data = {.points = x, .n = n, .p = p};
 *     lavdm_model *model;
 *     lavdm_error error;
 *     if (lavdm_fit(&data, &options, &model, &error) < 0) puts(error.message);
 *     ... lavdm_info, lavdm_get, lavdm_embedding, lavdm_distance ...
 *     lavdm_free(model);
 *
 * The library never prints, exits, traps signals or keeps state of its own:
 * it speaks through return values, lavdm_error and the progress callback. Two
 * fits may run in two threads; one fit uses `threads` of its own. BLAS has one
 * number of threads for the whole process, so that what fits find side by side is
 * the same to rounding; to the bit if BLAS and each of them have one thread.
 *
 * Every status is zero (done), positive (done, with a caveat that
 * lavdm_info()->warning spells out) or negative (no result, see lavdm_error).
 *
 * This is the core. Beside it:
 *     lavdm/images.h       stacks of images and signals that turn
 *     lavdm/sync.h         group synchronisation
 *     lavdm/average.h      class averages of images
 *     lavdm/denoise.h      pictures without their noise
 *     lavdm/sample.h       points of known manifolds
 *     lavdm/projections.h  volumes seen from random directions
 *     lavdm/file.h         files that appear whole; results in a model's file
 *     lavdm/report.h       a result as a page to look at
 *
 * A program goes on to work, without being compiled again, with every later version
 * of the library that has the same major version (while that is 0: the same minor
 * one, which is why it is in the name of the shared library). To that end
 *   - a struct that the program allocates begins with `size`, and new fields come at
 *     its end. 0 stands for the fields of version 0.2, so that
 *     `lavdm_data data = {.points = x, .n = n, .p = p};` stays right for ever; a program
 *     that uses fields of later versions says `.size = sizeof data`. The library reads
 *     and writes no further, takes defaults for the rest, and refuses a size that is
 *     larger than its own. A struct that receives results is zeroed (or has its size)
 *     before the call. Options are the exception: lavdm_options_default fills them, with
 *     their size, and those that nobody filled are refused;
 *   - a struct that the library allocates is handed out by its address, and grows at
 *     its end: read it there, and do not copy it. lavdm_options_copy copies options;
 *   - lavdm_error, lavdm_timing, lavdm_blob, lavdm_item and lavdm_random, of which
 *     programs hold arrays or copies, never change;
 *   - enums get new values at their end.
 */
#ifndef LAVDM_H
#define LAVDM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LAVDM_VERSION_MAJOR 0
#define LAVDM_VERSION_MINOR 2
#define LAVDM_VERSION_PATCH 0

/* What a program may call. Nothing else of the library is visible from outside. */
#if defined(__GNUC__)
#define LAVDM_API __attribute__((visibility("default")))
#else
#define LAVDM_API
#endif

/* The version of the library that is linked, "major.minor.patch". */
LAVDM_API const char *lavdm_version(void);

/* ---------------------------------------------------------------- status */

enum {
  LAVDM_OK = 0,
  LAVDM_WARNING = 1,            /* a result with a caveat */
  LAVDM_ERROR_ARGUMENT = -1,    /* an option or argument that cannot be used */
  LAVDM_ERROR_DATA = -2,        /* data that cannot be used: NaN, no points */
  LAVDM_ERROR_MEMORY = -3,      /* out of memory, or more than max_memory */
  LAVDM_ERROR_INTERRUPTED = -4, /* the progress callback asked to stop */
  LAVDM_ERROR_NUMERICS = -5,    /* a decomposition failed */
  LAVDM_ERROR_FILE = -6         /* a file that cannot be read, written or trusted */
};

#define LAVDM_MESSAGE_SIZE 512

/* What went wrong and what to do, in one sentence. Always optional (NULL). */
typedef struct {
  int status;
  char message[LAVDM_MESSAGE_SIZE];
} lavdm_error;

/* --------------------------------------------------------------- options */

#define LAVDM_AUTO (-1) /* for any number below: chosen from the data */

typedef enum {
  LAVDM_METHOD_DM,
  LAVDM_METHOD_VDM,
  LAVDM_METHOD_ROSELAND,
  LAVDM_METHOD_LAVDM,
  LAVDM_METHOD_NYSTROM /* dm or vdm of the landmarks alone, extended to the points */
} lavdm_method;

typedef enum {
  LAVDM_BUNDLE_AUTO, /* the method's: trivial, tangent, or given with edges */
  LAVDM_BUNDLE_TRIVIAL,
  LAVDM_BUNDLE_TANGENT,
  LAVDM_BUNDLE_ORIENTATION,
  LAVDM_BUNDLE_GIVEN,
  LAVDM_BUNDLE_ROTATION, /* images: the turn that brings one closest to another */
  LAVDM_BUNDLE_SHIFT     /* periodic signals: the shift that does */
} lavdm_bundle;

typedef enum {
  LAVDM_DESIGN_KMEANS,
  LAVDM_DESIGN_FARTHEST,
  LAVDM_DESIGN_RANDOM,
  LAVDM_DESIGN_GIVEN /* lavdm_data.landmark_points or .landmark_index */
} lavdm_design;

typedef enum {
  LAVDM_KERNEL_GAUSSIAN,     /* exp(-t^2) */
  LAVDM_KERNEL_EPANECHNIKOV, /* 1 - t^2 for t < 1 */
  LAVDM_KERNEL_BALL,         /* 1 for t <= 1 */
  LAVDM_KERNEL_CALLBACK      /* lavdm_options.kernel_function */
} lavdm_kernel;

typedef enum {
  LAVDM_EDGES_AUTO,
  LAVDM_EDGES_BALL,    /* pairs no further apart than cutoff * sqrt(epsilon) */
  LAVDM_EDGES_KNN,     /* i among the knn nearest of k, or k among those of i */
  LAVDM_EDGES_COMPLETE /* every pair */
} lavdm_edge_rule;

typedef enum {
  LAVDM_HOOD_KNN,   /* the knn nearest points */
  LAVDM_HOOD_RADIUS /* all points as near as the knn-th of a typical point */
} lavdm_hood;

typedef enum {
  LAVDM_PRECISION_DOUBLE,
  LAVDM_PRECISION_SINGLE /* coordinates, frames and eigenvectors are float */
} lavdm_precision;

typedef enum {
  LAVDM_ENGINE_AUTO,
  LAVDM_ENGINE_CPU,      /* threads of this machine */
  LAVDM_ENGINE_REFERENCE /* the formulas as they read: dense, slow, up to 5000 points */
} lavdm_engine;

typedef enum { LAVDM_REFLECTIONS_NO, LAVDM_REFLECTIONS_YES } lavdm_reflections;

typedef enum {
  LAVDM_FRAMES_AUTO,
  LAVDM_FRAMES_LOCAL,  /* local PCA of the points */
  LAVDM_FRAMES_LOWPASS /* local PCA of the points without what varies fast along the data */
} lavdm_frame_rule;

typedef enum {
  LAVDM_BANDWIDTH_AUTO,
  LAVDM_BANDWIDTH_GLOBAL, /* epsilon is the same everywhere */
  LAVDM_BANDWIDTH_LOCAL   /* epsilon follows the distance to a near neighbour of either end */
} lavdm_bandwidth;

typedef enum {
  LAVDM_NORMALISE_AUTO,
  LAVDM_NORMALISE_DEGREE,  /* by row sums, as alpha and beta say */
  LAVDM_NORMALISE_SINKHORN /* all row sums of the diffusion are 1, its diagonal 0 */
} lavdm_normalise;

typedef enum { LAVDM_TRUST_NO, LAVDM_TRUST_YES } lavdm_trust;

/* How far apart two points are (docs/options.md); by the names and definitions of SciPy. */
typedef enum {
  LAVDM_METRIC_EUCLIDEAN,
  LAVDM_METRIC_COSINE,      /* 1 - cos of the angle between the rows */
  LAVDM_METRIC_CORRELATION, /* the same of the rows less their means */
  LAVDM_METRIC_MANHATTAN,
  LAVDM_METRIC_CHEBYSHEV,
  LAVDM_METRIC_HAMMING,    /* the share of coordinates that differ */
  LAVDM_METRIC_JACCARD,    /* the same of those where either is not 0 */
  LAVDM_METRIC_HAVERSINE,  /* latitude and longitude in radians: the angle between the places */
  LAVDM_METRIC_PRECOMPUTED /* lavdm_data.distances */
} lavdm_metric;

typedef enum {
  LAVDM_SIGNALS_PERIODIC, /* one period: what leaves at the end comes in at the start */
  LAVDM_SIGNALS_WINDOWED, /* a stretch of something longer: under a Hann window, between zeros */
  LAVDM_SIGNALS_PHASE     /* narrow-band: turns of the phase of the analytic signal */
} lavdm_signals;

typedef enum {
  LAVDM_STREAM_AUTO, /* if the run would not fit in max_memory */
  LAVDM_STREAM_NO,
  LAVDM_STREAM_YES
} lavdm_stream;

/* A kernel K(t), t = distance / sqrt(epsilon); finite, never negative, zero
 * beyond the cut-off. Called from several threads at once. */
typedef double (*lavdm_kernel_function)(double t, void *user);

/* Called on the thread that called lavdm_fit, some ten times a second.
 * `fraction` of the named stage is done. Return non-zero to stop the run. */
typedef int (*lavdm_progress_function)(const char *stage, double fraction, void *user);

/*
 * The options: plain values, the same in every build. lavdm_options_default
 * fills them; docs/options.md, generated from the same table, explains each.
 */
typedef struct {
  size_t size; /* as lavdm_options_default sets it */
  lavdm_method method;
  lavdm_bundle bundle;
  int64_t pca;         /* principal coordinates that replace the points; 0: none do; AUTO */
  int64_t dim;         /* d: dimension of the manifold; AUTO */
  int64_t landmarks;   /* m: number of landmarks; AUTO = about 8 sqrt(n) */
  lavdm_design design; /* how landmarks are chosen */
  double epsilon;      /* bandwidth, a squared distance; AUTO */
  double alpha;        /* density normalisation of the data; AUTO */
  double beta;         /* density normalisation of the landmarks; AUTO */
  lavdm_kernel kernel;
  double cutoff;         /* no edge beyond cutoff * sqrt(epsilon); AUTO */
  lavdm_edge_rule edges; /* which pairs, for dm and vdm; which landmarks, for images and signals */
  int64_t knn;           /* neighbours of a point: epsilon, k-NN graph; AUTO */
  lavdm_hood hood;       /* local PCA over the frame_knn nearest, or within a radius */
  int64_t components;    /* r: eigenpairs wanted; AUTO = 20 */
  double time;           /* t: diffusion time of the embedding */
  double delta;          /* embedding keeps l with (lambda_l/lambda_1)^(2t) > delta */
  double tolerance;      /* largest residual of an eigenpair without a warning */
  uint64_t seed;
  int64_t threads;    /* AUTO = all that are available */
  int64_t max_memory; /* bytes; AUTO = what the machine has free */
  lavdm_precision precision;
  lavdm_stream stream;           /* large arrays in files instead of memory */
  lavdm_reflections reflections; /* images and signals: mirror images count as copies too */
  lavdm_signals signals;         /* what a turn of a signal is */
  double noise;                  /* images and signals: standard deviation of a pixel's noise; AUTO */

  /* Not in the table: what only a program can give. */
  lavdm_kernel_function kernel_function;
  void *kernel_user;
  lavdm_progress_function progress;
  void *progress_user;

  /*
   * A file, or NULL: after each expensive stage all that the later ones need is
   * saved there, and a fit of the same data and options that finds it goes on
   * from there, to the same bits. Replaced as a whole, never removed; refused if
   * it is of other data or options (a kernel_function cannot be compared), or no
   * checkpoint at all. Not read after lavdm_fit, and not used by lavdm_orient or
   * lavdm_operator.
   */
  const char *checkpoint;

  lavdm_engine engine; /* where the work is done */

  int64_t frame_knn;         /* neighbours of local PCA; AUTO */
  lavdm_frame_rule frames;   /* what tangent frames are made from */
  lavdm_bandwidth bandwidth; /* one epsilon, or one for each point */
  lavdm_normalise normalise; /* how the diffusion is normalised */
  lavdm_trust trust;         /* whether the result is put to the test */
  lavdm_metric metric;       /* distances between points */
  int32_t unused;            /* 0 */
} lavdm_options;

/* Fills the first `size` bytes, which is what the program knows of the struct. */
LAVDM_API void lavdm_options_init(lavdm_options *options, size_t size);
#define lavdm_options_default(options) lavdm_options_init((options), sizeof(lavdm_options))

/* The same with the values of others, such as lavdm_info()->chosen (NULL: with defaults):
 * what the program knows of them. `*to = *from` would leave the size of `from` behind. */
LAVDM_API int lavdm_options_take(lavdm_options *to, size_t size, const lavdm_options *from,
                                 lavdm_error *error);
#define lavdm_options_copy(to, from, error) lavdm_options_take((to), sizeof(lavdm_options), (from), (error))

/* The table behind the options, for commands, bindings and documents. */
typedef enum { LAVDM_TYPE_CHOICE, LAVDM_TYPE_INTEGER, LAVDM_TYPE_REAL, LAVDM_TYPE_BYTES } lavdm_option_type;

typedef struct {
  const char *name;       /* as in lavdm_options */
  lavdm_option_type type; /* CHOICE: `choices`, in the order of the enum */
  const char *choices;    /* "dm|vdm|..." or NULL */
  const char *initial;    /* the default, as text */
  double least, most;     /* bounds of a number, both included */
  const char *metavar;    /* what --help calls the value */
  const char *help;       /* one line */
  const char *more;       /* for the reference page; may be "" */
} lavdm_option;

LAVDM_API int lavdm_option_count(void);                            /* rows of the table */
LAVDM_API const lavdm_option *lavdm_option_at(int i);              /* NULL outside 0..count-1 */
LAVDM_API const lavdm_option *lavdm_option_find(const char *name); /* NULL if there is none */

/* Sets an option from text ("auto", "0.2", "kmeans", "4G"); checks it. */
LAVDM_API int lavdm_option_set(lavdm_options *options, const char *name, const char *value,
                               lavdm_error *error);

/* Writes an option as text that lavdm_option_set reads back to the same value. */
LAVDM_API int lavdm_option_text(const lavdm_options *options, const char *name, char *text, size_t size);

/* ------------------------------------------------------------------ data */

typedef enum { LAVDM_F64, LAVDM_F32, LAVDM_I64 } lavdm_type;

typedef enum {
  LAVDM_ELEMENT_NONE,      /* q = 1, every element +1 */
  LAVDM_ELEMENT_SIGN,      /* q = 1, one number: +1 or -1 */
  LAVDM_ELEMENT_ANGLE,     /* q = 2, one number: rotation by that many radians */
  LAVDM_ELEMENT_MATRIX,    /* q x q numbers, row-major, orthogonal */
  LAVDM_ELEMENT_QUATERNION /* q = 3, four numbers w x y z of unit length */
} lavdm_element;

/* What the second numbers of edges name. */
typedef enum {
  LAVDM_ENDS_AUTO,     /* nodes for dm and vdm, and if landmarks are asked for (landmarks, design, or
                          landmark_index); else landmarks */
  LAVDM_ENDS_NODES,    /* the same nodes as the first: the graph is square */
  LAVDM_ENDS_LANDMARKS /* landmarks, with numbers of their own: roseland and lavdm */
} lavdm_ends;

/*
 * A connection graph of the user's own. Edge e joins row[e] and col[e] with
 * weight[e] and O = element e, meaning that a vector v at col is O v at row.
 * In a square graph both numbers name nodes, and the edge (k,i) with O' is
 * understood: an edge may be listed once or in both directions (which are then
 * averaged). For roseland and lavdm landmarks are then chosen among the nodes, as
 * `landmarks` and `design` say or by lavdm_data.landmark_index (numbers of nodes);
 * or, where `ends` says so, `col` names landmarks. Edges listed twice in one
 * direction add up. Numbers may have gaps: unless lavdm_data.n says how many nodes there
 * are (0 .. n-1), they are those that occur, in ascending order (array "nodes").
 */
typedef struct {
  size_t size; /* 0, or sizeof(lavdm_edges) */
  int64_t count;
  const int64_t *row, *col;
  const double *weight;  /* count, or NULL for ones */
  const double *element; /* count x (0, 1, 1, q*q or 4) */
  lavdm_element kind;
  int64_t q; /* for LAVDM_ELEMENT_MATRIX */
  lavdm_ends ends;
} lavdm_edges;

/*
 * Points most of whose coordinates are zero: row i has value[e] in column index[e], for e
 * from start[i] to start[i+1]-1, with ascending columns. They are replaced by principal
 * coordinates (options.pca = K, or AUTO) and never made dense.
 */
typedef struct {
  size_t size; /* 0, or sizeof(lavdm_sparse) */
  int64_t rows, cols;
  const int64_t *start; /* rows + 1, from 0 on */
  const int64_t *index; /* start[rows] */
  const double *value;  /* start[rows] */
} lavdm_sparse;

/*
 * Distances in place of points, for the metric precomputed: all of them, or for each row those to its
 * neighbours, in any order, with or without itself (index not NULL). For a fit rows and cols are the points;
 * to extend a model the rows are new points and the cols those of the fit, all of them. A matrix of a fit is
 * symmetric to 1e-6, with zeros on its diagonal.
 */
typedef struct {
  size_t size; /* 0, or sizeof(lavdm_distances) */
  int64_t rows, cols;
  const void *value;    /* (i,j) at i*row_stride + j; or that to index[e] at e */
  lavdm_type type;      /* LAVDM_F64 (0) or LAVDM_F32 */
  int64_t row_stride;   /* 0: cols */
  const int64_t *start; /* lists: rows + 1, that of row i is start[i] .. start[i+1]-1 */
  const int64_t *index; /* ... and the cols in it; NULL: all distances */
} lavdm_distances;

/*
 * What is embedded. The library only reads it, and never after lavdm_fit.
 * Element (i,j) of the points is at i*row_stride + j*col_stride (in elements
 * of `type`); strides of 0 stand for a plain row-major array.
 */
typedef struct {
  size_t size;        /* 0, or sizeof(lavdm_data) */
  const void *points; /* n x p; may be NULL with edges, and n then be 0 */
  int64_t n, p;
  lavdm_type type; /* LAVDM_F64 (0) or LAVDM_F32 */
  int64_t row_stride, col_stride;

  /*
   * Points that are not in memory (points NULL), for methods with landmarks:
   * copies rows first .. first+count-1, plain rows of `type`, to `rows`, and
   * returns 0, or a negative status to end the run. Called by one thread at a
   * time, and for every row several times.
   */
  int (*read)(void *user, int64_t first, int64_t count, void *rows);
  void *read_user;

  const double *landmark_points; /* landmark_count x p, row-major; or NULL */
  const int64_t *landmark_index; /* landmark_count rows of points; or NULL */
  int64_t landmark_count;

  const lavdm_edges *edges; /* for LAVDM_BUNDLE_GIVEN */

  int64_t height, width; /* for LAVDM_BUNDLE_ROTATION: a point is an image, row by row, p = height * width;
                            0: it is square */

  const lavdm_sparse *sparse;       /* or NULL: in place of points, n and p, for lavdm_fit, lavdm_plan,
                                       lavdm_operator and lavdm_extend; size must be set */
  const lavdm_distances *distances; /* for LAVDM_METRIC_PRECOMPUTED, in place of points: points NULL, n and p
                                       0, and size that of the struct */
} lavdm_data;

/* ------------------------------------------------------------- the model */

typedef struct lavdm_model lavdm_model;

/* What a fit would take. */
typedef struct {
  size_t size;     /* 0, or sizeof(lavdm_plan_t) */
  int64_t memory;  /* bytes at the peak, without the data itself */
  int64_t disk;    /* bytes of temporary files, if streamed */
  int64_t stream;  /* whether large arrays would live in files */
  int64_t address; /* bytes of address space: memory, what is mapped of files, stacks, and the buffers that
                      BLAS maps and hardly touches */
} lavdm_plan_t;

/* Bytes of memory that this process could still get: of the machine, of its control group, within its limits.
 * What max_memory = AUTO is. */
LAVDM_API int64_t lavdm_available(void);

/* An estimate before any work, from the sizes of the data and the options. */
LAVDM_API int lavdm_plan(const lavdm_data *data, const lavdm_options *options, lavdm_plan_t *plan,
                         lavdm_error *error);

/*
 * Fits a model. On a negative status *model is NULL. Every option that was
 * AUTO and that the run used has the value chosen in lavdm_info()->chosen.
 */
LAVDM_API int lavdm_fit(const lavdm_data *data, const lavdm_options *options, lavdm_model **model,
                        lavdm_error *error);

/*
 * Keeps a model in a file, which appears whole or not at all: HDF5, readable by
 * any program that reads it, with the arrays of lavdm_get as datasets and what
 * lavdm_info tells as attributes (docs/manual.md). The same model gives the same
 * bytes. compact != 0 leaves out what the points themselves got (eigenvectors,
 * degrees, frames, graph_component, points, nodes, densities): enough to
 * extend the model, and small. For dm and vdm the references are the points:
 * nothing can be left out, and compact makes no difference. A kernel of the
 * program's own (kernel_function) cannot be kept.
 */
LAVDM_API int lavdm_save(const lavdm_model *model, const char *path, int compact, lavdm_error *error);

/*
 * Opens a model that lavdm_save or `lavdm embed -o FILE.h5` wrote. It is checked
 * as a whole (checksums, shapes, options, indices), so that a damaged or made-up
 * file is refused; then it behaves as the fitted one, to the last bit, but that
 * chosen->threads is no more than there are here and that arrays which are not in
 * a compact file are missing: functions that need them say so. Arrays are copies,
 * in memory or, if that is short, in a temporary file without a name: whatever
 * becomes of the file, the model stays as it is. A file of a later minor version opens, one of a later major
 * version does not. On a negative status *model is NULL.
 */
LAVDM_API int lavdm_load(const char *path, lavdm_model **model, lavdm_error *error);

/* Accepts NULL. */
LAVDM_API void lavdm_free(lavdm_model *model);

typedef struct {
  const char *stage;
  double seconds;
} lavdm_timing;

/*
 * How far a result can be believed (options.trust; docs/manual.md). Two disjoint samples of the
 * points were fitted with what the run chose, one of them once more with a wider kernel. The
 * rate of an eigenvalue is -log lambda, in the limit a multiple of the Laplacian's eigenvalue;
 * eigenvalues without a gap between their rates are a group. Entries are NaN where the samples
 * cannot tell. Owned by the model.
 */
typedef struct {
  int64_t groups;
  const int64_t *first;      /* groups + 1: group g has the eigenvalues first[g] .. first[g+1]-1 */
  int64_t unit;              /* the first group whose rate is not zero, which ratios are taken by */
  const double *rate;        /* groups, as are all of these: mean rate */
  const double *ratio;       /* rate by that of the unit */
  const double *low, *high;  /* 90 % interval of the Laplacian's ratio: scatter and finite epsilon */
  const double *spread;      /* of the ratio, as a share of it: standard deviation between the samples, ... */
  const double *drift;       /* ... their mean less the run's, ... */
  const double *bias;        /* ... and how it changes if epsilon is doubled */
  const double *angle;       /* largest principal angle between the samples' eigenspaces, degrees */
  const double *agreement;   /* mean squared cosine of those angles: 1 the same space, 0 none in common */
  int64_t sample, landmarks; /* points of each sample, and its landmarks (0: none) */
  int64_t reproduced;        /* leading eigenvalues whose eigenspaces the samples agree on */
  int64_t rows,
      neighbours;         /* points whose neighbours in space and embedding were compared: their k nearest */
  double trustworthiness; /* 1 if neighbours in the embedding are neighbours in space ... */
  double continuity;      /* ... and the other way round */
  double shortcuts;       /* share of near pairs that are far apart along the points */
  int64_t shortcut_row;   /* one of the points of the worst of them, or -1 */
  double noise;           /* of a coordinate, across the tangent planes; NaN without frames */
} lavdm_trust_t;

/* What was chosen, found and measured. Owned by the model. */
typedef struct {
  int64_t n, p, m, q;                    /* points, coordinates (those of pca), references, fibre */
  const lavdm_options *chosen;           /* AUTO is left only where the run had no use for the option */
  int64_t edges;                         /* pairs with a weight, over all points */
  const double *eigenvalues, *residuals; /* chosen->components of each */
  int64_t isolated;                      /* points that no reference reaches ... */
  const int64_t *isolated_index;         /* ... and which they are */
  int64_t graph_components;              /* of the graph, isolated points not counted */
  int64_t far_points;                    /* points beyond the cut-off of every landmark,
                                            joined to their nearest ones instead */
  double radius;                         /* of local PCA; 0 if over the knn nearest */
  int64_t degenerate_frames;             /* frames whose neighbours span too little */
  int64_t ill_aligned;                   /* heavy edges whose alignment is nearly singular */
  int warnings;
  const char *const *warning;
  int timings;
  const lavdm_timing *timing;
  double seconds;             /* all of it */
  int64_t memory_needed;      /* bytes, as estimated before the work */
  int streamed;               /* the large arrays live in files */
  const char *resumed;        /* the last stage that was taken from a checkpoint, with the times that
                                 it and those before took then; or NULL */
  int reasons;                /* why automatic choices are what they are: ... */
  const char *const *reason;  /* ... "epsilon: ...", one for each option that was looked into */
  const lavdm_trust_t *trust; /* how far it can be believed; NULL if that was not asked or cannot be told */
} lavdm_info_t;

/* Of any model: fitted, loaded, or an extension. Never NULL. */
LAVDM_API const lavdm_info_t *lavdm_info(const lavdm_model *model);

/* An array of a model, row-major, owned by the model. */
typedef struct {
  const char *name;
  lavdm_type type;
  int rank;
  int64_t shape[3];
  const void *data;
} lavdm_array;

/*
 * The arrays of a model by name, the same names as in result files:
 *   eigenvalues (r), residuals (r), eigenvectors (n,q,r), degrees (n),
 *   and where they exist frames (n,p,d), landmarks (m,p), landmark_index (m),
 *   landmark_frames (m,p,d), graph_component (n), nodes (n).
 * With options.pca = K the points are pca_basis' (x - pca_mean), and p is K in
 * frames, landmarks and landmark_frames; pca_basis (P,K) and pca_mean (P) lead
 * back to the P coordinates of the data.
 * For applying the model to new points (lavdm_extend): points (n,p) where frames or
 * the method need them; with landmarks landmark_vectors (m,q,r), the right singular
 * vectors (for nystrom the eigenvectors at the landmarks over the roots of the eigenvalues), landmark_scale,
 * landmark_mass and landmark_inflow (m), the normalisation, and far_points (k,p), those of the data that no
 * landmark's cut-off reaches; for dm and vdm densities (n), and knn_distances (n) with local bandwidths.
 * Eigenvectors, frames, points and far_points are LAVDM_F32 in single precision, the two last with `centre`
 * (p) taken away. NULL if there is none by that name. Of images and signals: image_shape (2), height and
 * width; band_components, how many coefficients of each band are compared, and, where these are principal
 * components, band_matrices, which make them of those in the basis, band after band; for dm and vdm
 * coefficients (n,c,2), real and imaginary parts, and on the k-NN graph knn_distances (n).
 * Where eigenvectors are functions (dm, roseland, the trivial bundle, edges with weights alone):
 * coordinate_index, which of them, from 0, tell large components of the graph apart, and then which are no
 * functions of slower ones; coordinate_lead (1), how many of that list come before a gap (all, if there is
 * none); coordinate_residuals (r) (docs/manual.md).
 * With options.trust, what lavdm_info()->trust has: trust_groups (first), trust_table (rate, ratio, low,
 * high, spread, drift, bias, angle, agreement; a row each) and trust_facts (sample, landmarks, unit,
 * reproduced, rows, neighbours, trustworthiness, continuity, shortcuts, shortcut_row, noise). Their landmarks
 * and far_points are pixels; `centre` is one number, over and over, in both precisions.
 */
LAVDM_API const lavdm_array *lavdm_get(const lavdm_model *model, const char *name);
LAVDM_API int lavdm_array_count(const lavdm_model *model);
LAVDM_API const lavdm_array *lavdm_array_at(const lavdm_model *model, int i);

/* Gives back the memory that reading the arrays of a streamed model took; they
 * stay as they are. For loops over large arrays. */
LAVDM_API void lavdm_trim(const lavdm_model *model);

/* How many threads functions of this model use from now on; AUTO = all that are
 * available. Without, as many as its fit. */
LAVDM_API void lavdm_set_threads(lavdm_model *model, int64_t threads);

/*
 * How many of the threads asked for (AUTO: all that are available) functions get, at least 1: fewer where the
 * limits of the process (ulimit -u, ulimit -v) leave no room for their stacks and for the buffers of BLAS, of
 * 128 MiB for each thread and each one that BLAS starts itself. LAVDM_ERROR_MEMORY if there is no room for
 * one.
 */
LAVDM_API int lavdm_threads(int64_t asked, lavdm_error *error);

/* Whom lavdm_neighbours and lavdm_diffusion_neighbours report to from now on, on the thread
 * that called them, and who may stop them (LAVDM_ERROR_INTERRUPTED); NULL: nobody. */
LAVDM_API void lavdm_set_progress(lavdm_model *model, lavdm_progress_function progress, void *user);

/* Eigenvectors as vectors in the space of the points: out (n,p,r) = B_i u_l[i].
 * Only for the tangent bundle. */
LAVDM_API int lavdm_ambient(const lavdm_model *model, double *out, lavdm_error *error);

/* How many components the embedding at time t keeps: those with
 * (lambda_l/lambda_1)^(2t) > delta. */
LAVDM_API int64_t lavdm_embedding_rank(const lavdm_model *model, double t, double delta);

/*
 * The embedding at diffusion time t of the first `rank` components:
 * out (n, rank(rank+1)/2), for l <= s in the order (0,0) (0,1) ... (1,1) ...,
 * (lambda_l lambda_s)^t <u_l[i], u_s[i]>, times sqrt(2) where l < s, so that
 * Euclidean distance between rows is vector diffusion distance. Eigenvalues
 * below zero count as zero.
 */
LAVDM_API int lavdm_embedding(const lavdm_model *model, double t, int64_t rank, double *out,
                              lavdm_error *error);

/* Classical coordinates lambda_l^t u_l[i] of a model with q = 1: out (n,rank). */
LAVDM_API int lavdm_coordinates(const lavdm_model *model, double t, int64_t rank, double *out,
                                lavdm_error *error);

/* Vector diffusion distance between points i and j at time t, over the first
 * `rank` components; NaN on a negative status. */
LAVDM_API int lavdm_distance(const lavdm_model *model, int64_t i, int64_t j, double t, int64_t rank,
                             double *distance, lavdm_error *error);

/*
 * The same for `count` pairs of points (rows of the data, from 0): distance
 * (count), and alignment (count,q,q), the orthogonal matrix that takes a vector at
 * j to one at i: the polar factor of the sum of lambda_l^(2t) u_l[i] u_l[j]'.
 * Either may be NULL. A point that has no eigenvectors (NaN) has NaN for both; an
 * isolated one, whose eigenvectors are zero, is aligned by the identity.
 */
LAVDM_API int lavdm_pairs(const lavdm_model *model, double t, int64_t rank, const int64_t *i,
                          const int64_t *j, int64_t count, double *distance, double *alignment,
                          lavdm_error *error);

/*
 * The k nearest neighbours by vector diffusion distance at time t, over the first
 * `rank` components, of `count` points (rows of the data, from 0), or of all if
 * points is NULL: index and distance (count,k), ascending, the point itself left
 * out, exact; alignment (count,k,q,q), if not NULL, as for lavdm_pairs. Points
 * with NaN are nobody's neighbours; they themselves, and places that no point is
 * left for, have index -1 and NaN. Holds up to 35 numbers for each point of the
 * data at a time, never the embedding, and refuses if max_memory is less.
 */
LAVDM_API int lavdm_neighbours(const lavdm_model *model, double t, int64_t rank, const int64_t *points,
                               int64_t count, int64_t k, int64_t *index, double *distance, double *alignment,
                               lavdm_error *error);

/* The same two by diffusion distance, that between rows of lavdm_coordinates, for
 * models with q = 1; alignments are the signs that make u[j] most like u[i]. */
LAVDM_API int lavdm_diffusion_pairs(const lavdm_model *model, double t, int64_t rank, const int64_t *i,
                                    const int64_t *j, int64_t count, double *distance, double *alignment,
                                    lavdm_error *error);
LAVDM_API int lavdm_diffusion_neighbours(const lavdm_model *model, double t, int64_t rank,
                                         const int64_t *points, int64_t count, int64_t k, int64_t *index,
                                         double *distance, double *alignment, lavdm_error *error);

/* ------------------------------------------------------------ new points */

/*
 * Applies a model to points that were not in its data (or were: they come back as
 * they are in the model). *extension is a model of the new points: eigenvalues,
 * eigenvectors (n,q,r), degrees and, where the bundle has them, frames (n,p,d), for
 * lavdm_embedding, lavdm_coordinates, lavdm_ambient, lavdm_distance and
 * lavdm_neighbours. A new point that no landmark's cut-off reaches (for dm and vdm: no
 * point of the model) has NaN, and is named in info: isolated, isolated_index.
 *
 * Tangent frames of new points are estimated from the points around them: those that
 * the model keeps, or, if it is not NULL, those of `reference`, which replace them: the
 * same data for a compact model, or a larger sample of the same manifold. The new points
 * themselves have no say, so that what becomes of one does not depend on the others.
 *
 * A model of edges is applied to new nodes by their edges, data->edges: `row` names new nodes (0 .. data->n-1
 * if that is not 0, else those that occur: array "nodes") and `col` nodes of the model; with landmarks those
 * among them count. A node of the model that is given its own edges, as the fit had them, comes back as it
 * is.
 *
 * Of `how` (NULL for defaults) threads, max_memory, stream, engine and progress are used, and
 * time and delta become those of the extension (NULL: they are the model's). Points are worked on in batches:
 * with data->read, more of them than fit in memory.
 */
LAVDM_API int lavdm_extend(const lavdm_model *model, const lavdm_data *data, const lavdm_data *reference,
                           const lavdm_options *how, lavdm_model **extension, lavdm_error *error);

/* ---------------------------------------------------------- the operator */

/*
 * The matrix whose eigenpairs lavdm_fit finds, in blocks of q x q numbers: row i holds
 * blocks start[i] .. start[i+1]-1. Rows are the points of the data, in their order; a
 * block (i,k) takes a vector at k to one at i.
 *   dm, vdm          N = D^-1/2 S D^-1/2, n x n and symmetric: S is the weights, after the
 *                    normalisation by alpha, times the elements; D is the sums of its weights.
 *                    Balanced (normalise sinkhorn): without a diagonal, and D = 1. With local
 *                    bandwidths there is a part that stays on the diagonal (docs/manual.md).
 *   roseland, lavdm  A, n x m, with N = A A'. Columns are the landmarks, in the order of
 *                    the array "landmarks" of the model:
 *                    A = D^-1/2 D_X^-alpha S D_Z^-beta/2 (docs/manual.md).
 * The eigenvalues of N are those of the model. With D = degree and u the column l of the
 * model's "eigenvectors", N (D^1/2 u) = lambda (D^1/2 u); D^-1/2 N D^1/2 is the diffusion
 * itself, of which u is an eigenvector, and 1 - N the normalised connection Laplacian. With
 * landmarks A' (D^1/2 u) = sqrt(lambda) v, where v is the column l of "landmark_vectors".
 * An isolated point has degree 0 and no blocks, so that N has rows of zeros there.
 */
typedef struct {
  int64_t n, m, q; /* rows and columns, in blocks; m = n for dm and vdm */
  int64_t blocks;
  const int64_t *start; /* n + 1 */
  const int32_t *col;   /* blocks, ascending within a row */
  const double *block;  /* (blocks,q,q), row-major: double in both precisions */
  const double *degree; /* n; 0 for an isolated point */

  /* With edges, the nodes that are the rows (n), and with landmarks the columns (m); or NULL. */
  const int64_t *node, *landmark_node;

  /* As lavdm_get has them of the model, or NULL. The tangent elements join these frames. */
  const lavdm_array *landmarks, *landmark_index, *frames, *landmark_frames;

  const lavdm_options *chosen; /* as in lavdm_info; components is not used */
  const lavdm_info_t *info;    /* isolated and far points, warnings, timings; no eigenvalues (NULL) */
} lavdm_operator_t;

/*
 * Makes it, with the same frames, landmarks, weights and choices as lavdm_fit with the same
 * data and options, to the bit, if no two points are equal (lavdm_fit takes copies for one place
 * that counts as often as they are, and the operator has a row for each); options.checkpoint is not used.
 * With landmarks that is up to n m blocks: it is refused if they would not fit in max_memory, and in a
 * streamed run they live in files. nystrom is refused: it diffuses among the landmarks
 * alone. On a negative status *op is NULL.
 */
LAVDM_API int lavdm_operator(const lavdm_data *data, const lavdm_options *options, lavdm_operator_t **op,
                             lavdm_error *error);
LAVDM_API void lavdm_operator_free(lavdm_operator_t *op); /* accepts NULL */

/* ----------------------------------------------------------- orientation */

typedef struct {
  size_t size; /* 0, or sizeof(lavdm_orientation) */
  int orientable;
  double confidence;         /* 0.5 (a guess) to 1: the share of such answers that are right */
  double eigenvalue;         /* top eigenvalue with the orientation bundle */
  double trivial_eigenvalue; /* second eigenvalue with the trivial bundle */
  double ratio;              /* log eigenvalue / log trivial_eigenvalue; 0 if orientable */
  double mean_magnitude;     /* mean of |v| sqrt(n); 1 if orientable */
  int64_t graph_components;  /* each of 20 points or more was judged; the worst is reported above */
  double doubt;              /* 0 if planes of neighbours agree, 1 if as little as planes at random */

  int64_t verdict; /* 1: orientable, 0: not, -1: cannot tell (orientable and confidence are then a guess) */
  double odd;      /* how strong cycles are around which signs disagree: 0 if orientable, 1 if not */
  double spread;   /* by how much five looks at it differ: at three scales, and in each half of the points */
  double frustrated; /* share of triangles of neighbours whose signs disagree: noise, or few points */
  double turn;       /* mean of 1 - |det| of neighbouring planes */
  double gap;        /* mean of log(l_d / l_(d+1)) of the planes: how far they stand out */
  double margin;     /* by how much it is more than that of d - 1 and d + 1 dimensions */
  int64_t frame_knn; /* neighbours that planes of the largest gap are made from */
  double growth;     /* the dimension by which numbers of neighbours grow with the radius */
} lavdm_orientation;

/*
 * Is the manifold that the points lie on orientable? signs (n) receives +1 or
 * -1 for each point: whether its frame is to be reflected, 0 if isolated or in a
 * component that was not judged. The verdict comes from signs around cycles of
 * neighbours, whose planes are taken at the scale where they stand out best; the
 * confidence is the share of verdicts like this one that were right on other shapes
 * (docs/orient.md), less from fewer than 100 points. It cannot tell where that is below 0.8, with fewer than
 * 20 points, and if d = p > 2, where frames tell nothing. Uses `options` but for the bundle; AUTO landmarks
 * are 6 sqrt(n) and the AUTO cut-off is 1.5, because signs are sure between nearby planes only. A fit whose
 * top eigenvector contradicts the verdict is made again with those planes, then by vdm on k-NN edges.
 * `model`, if not NULL, receives the orientation-bundle model of the whole data, with the arrays `leading`
 * (n), the top eigenvector of each point's component with mean square 1 there, and for the components
 * `component_orientable` (1, 0; -1: not judged, or cannot tell) and `component_confidence` (0: not judged).
 */
LAVDM_API int lavdm_orient(const lavdm_data *data, const lavdm_options *options, lavdm_orientation *verdict,
                           double *signs, lavdm_model **model, lavdm_error *error);

/*
 * Diffusion coordinates of the orientable double cover: 2n points, one for each
 * point of the data and orientation of its tangent space. On a manifold that is
 * not orientable they are those of its connected cover (the sphere for RP2); on
 * an orientable one the cover is two copies of it, and the first odd eigenvalue
 * is 1. `orientation` is a model of `data` with the orientation bundle, from
 * lavdm_fit or lavdm_orient; a second fit finds what is missing, with threads,
 * max_memory and progress of `how` (NULL: the model's threads, no progress).
 *
 * coordinates (2n,rank): lambda_l^t u_l, first at the n points with the orientation
 * of their own frames, then with the other; u of length 1 in the degrees of the 2n
 * points, as if fitted to them, and descending eigenvalues without the constant.
 * eigenvalues and parity (rank, or NULL): the parity is +1 if u_l is the same on
 * both sheets and -1 if opposite. A rank up to the model's components always
 * works; beyond, until its last odd eigenvalue. With a positive status the
 * caveat is in `error`.
 */
LAVDM_API int lavdm_cover(const lavdm_data *data, const lavdm_model *orientation, const lavdm_options *how,
                          double t, int64_t rank, double *coordinates, double *eigenvalues, int *parity,
                          lavdm_error *error);

#ifdef __cplusplus
}
#endif
#endif
