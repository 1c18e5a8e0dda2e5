/*
 * The contract between the pipeline and an engine, on one page.
 *
 * An engine is where the work of a run is done: threads of this machine (cpu), the
 * formulas as they read (reference), a device. The pipeline (fit/, extend/, choose/)
 * decides what is done and in which order, and knows nothing of where it is done:
 *
 *   rows        points, frames, graph, scales and fields belong to the engine, wherever
 *               they live and in whichever order, behind a rows_t. They leave through
 *               `fetch` alone. With a team (base/team.h) they are the rows of one rank,
 *               and what is added up over rows is added up over the ranks inside.
 *   references  the landmarks, or the points themselves (with a team those of all ranks, in
 *               the order of the ranks, on every one of them): a rows_t as well. Arrays of
 *               one entry for each landmark are the pipeline's, in host memory, in the
 *               engine's order of the references (ROWS_ORDER); G and its eigenvectors too.
 *   what        is to be built is data (graph_spec), never a function, but for a kernel of
 *               the user's own, which an engine may refuse.
 *
 * An engine is a folder and an engine_ops. Every function returns 0 or a negative
 * status with run->error written, looks at run_stopped() now and then, and agrees
 * with the reference engine to rounding. "reals" are of the precision of the run.
 */
#ifndef LAVDM_ENGINE_ENGINE_H
#define LAVDM_ENGINE_ENGINE_H

#include "checkpoint/checkpoint.h"
#include "engine/need.h"
#include "graph/kernel.h"
#include "model/model.h"
#include "operator/blocks.h"
#include "operator/product.h"

/* What rows have, and fetch and put speak of; for each row: */
typedef enum {
  ROWS_POINTS,       /* p reals, as the engine has them: less the centre */
  ROWS_FRAMES,       /* p x d reals */
  ROWS_DENSITIES,    /* a double: row sums of a square graph */
  ROWS_DEGREES,      /* a double: D; 0 if isolated */
  ROWS_COMPONENTS,   /* an int64_t: of the graph, from the largest on; -1 if isolated */
  ROWS_VECTORS,      /* q x r doubles: eigenvectors of the operator of a square graph */
  ROWS_FIELDS,       /* q x r reals: eigenvectors of the diffusion */
  ROWS_NODES,        /* an int64_t: the user's number, of given edges */
  ROWS_COEFFICIENTS, /* 2 x size reals: what distances of images and signals are made of */
  ROWS_REACH,   /* a double: distance to the knn-th neighbour, of images, signals, precomputed distances */
  ROWS_WEIGHTS, /* a double: how many points it stands for in sums over rows; 1 unless it is put */
  /* and of all of them */
  ROWS_ORDER,      /* an int64_t: which row of the data is the i-th in the engine's order */
  ROWS_FAR,        /* p reals for each of the rows that no reference's cut-off reaches, info.far of them */
  ROWS_REFERENCES, /* an int64_t: the user's numbers of the landmarks, of given edges. Put to the rows of a
                      square graph: which of them, options.landmarks, become its landmarks, ascending
                      (graph/given.h) */
} rows_what;

/* The part of rows that the pipeline sees; an engine's own begin with it. */
typedef struct {
  int64_t n;    /* rows */
  int64_t p;    /* numbers of each: coordinates; coefficients of images and signals, both parts */
  int64_t m, q; /* of given edges: references and fibre */
} rows_t;

/* One run on one engine; an engine's own begins with it. */
typedef struct engine_ops engine_ops;
typedef struct {
  const engine_ops *ops;
  run_t *run;
} engine_t;

typedef enum { ROLE_POINTS, ROLE_LANDMARKS, ROLE_NEW } rows_role;

/* How the graph between rows and references is made. */
typedef struct {
  lavdm_bundle
      bundle; /* where the transports come from: trivial, tangent, orientation, given, rotation, shift */
  int64_t q, d;
  kernel_t kernel;
  widths_t local;        /* square: rows and references in the engine's order, which outlive the rows */
  lavdm_edge_rule edges; /* between points; and between images and landmarks */
  int64_t knn;
  bool square;      /* the references are the rows themselves */
  bool balanced;    /* its row sums are to become 1, and nothing is joined to itself */
  bool reflections; /* images and signals */
  bool resumed;     /* what is stored of it comes from a checkpoint */
  double spare;     /* bytes that may be spent on weights that are kept from one pass to the next */
  int kept;         /* whether an earlier run kept them, which decides bits; -1: there was none */
} graph_spec;

/* What was found in it. */
typedef struct {
  /* over all ranks */
  int64_t edges;      /* pairs with a weight */
  int64_t ill;        /* heavy edges whose alignment is nearly singular */
  int64_t components; /* isolated rows not counted */
  double unbalanced;  /* of a balanced graph: how far a row sum is from 1, at most, ... */
  /* of the rows here */
  int64_t isolated;
  int64_t far;            /* beyond the cut-off of every landmark, joined to their nearest */
  int64_t unbalanced_row; /* ... and which row of the data that is; -1 if it is not here */
} graph_info;

/* The landmarks' part of the normalisation (operator/scaling.h); m each. */
typedef struct {
  double *column, *mass, *inflow;
} landmark_scaling;

/* What the references of a model have become (operator/extension.h). */
typedef struct {
  int64_t r;
  double alpha;
  const double *mass, *inflow; /* m */
  const double *field;         /* m x q x r */
  const double *values;        /* r: eigenvalues, of a graph with local bandwidths */
  const void *known;           /* known_count x p reals: rows beyond every cut-off that the fit took in */
  int64_t known_count;
  bool take_far; /* all such rows are taken in */
} fields_spec;

struct engine_ops {
  const char *name;

  /* Refuses by name what it cannot honour of run->options. */
  int (*open)(run_t *run, engine_t **out);
  void (*close)(engine_t *engine); /* accepts NULL */
  /* Bytes, before any work. */
  need_t (*need)(const sizes_t *sizes);

  /* The origin (p) that coordinates are best taken from; NULL: the one they have. */
  int (*centre)(engine_t *engine, const lavdm_data *data, double *out);
  /* Points (less `centre`, or NULL), images and signals, or edges, as data and options say. `among`: of
   * ROLE_NEW, how many rows their neighbours are looked for among. Without points there is room for n rows,
   * which `put` fills. Edges of ROLE_NEW lead to data->landmark_index, the numbers of all references. */
  int (*load)(engine_t *engine, const lavdm_data *data, const double *centre, rows_role role, int64_t among,
              rows_t **out);
  void (*unload)(engine_t *engine, rows_t *rows);               /* accepts NULL */
  void (*drop)(engine_t *engine, rows_t *rows, rows_what what); /* makes room: it is not asked for any more */
  /* Images and signals: the functions that they are expanded in, to a model and back. NULL: it has none. */
  int (*keep_basis)(engine_t *engine, lavdm_model *model);
  int (*take_basis)(engine_t *engine, const lavdm_model *model);

  /* What automatic choices ask. `count` rows evenly spread over the engine's order are looked at. */
  int (*sample)(engine_t *engine, const rows_t *rows, int64_t count, double *x); /* count x p */
  /* d2 (count): squared distance to the k-th of `among`; if those are the rows themselves, other than it.
   * With count = n it is for every row, in the engine's order. */
  int (*nearest)(engine_t *engine, const rows_t *rows, int64_t count, const rows_t *among, int64_t k,
                 double *d2);
  /* The mean number of those within `radius`. */
  int (*within)(engine_t *engine, const rows_t *rows, int64_t count, const rows_t *among, double radius,
                double *reach);
  /* Rows that are copies of the one stored before them. */
  int (*copies)(engine_t *engine, const rows_t *rows, int64_t *count);
  /* values (count x (most + 1)): the variances of the k nearest along their principal axes, the `most`
   * largest, descending, zero where there are fewer, and the sum of all. */
  int (*spectra)(engine_t *engine, const rows_t *rows, int64_t count, int64_t k, int64_t most,
                 double *values);

  /* index (m): rows of the data that the design chooses. */
  int (*landmarks)(engine_t *engine, const rows_t *rows, lavdm_design design, int64_t m, int64_t *index);
  /* Tangent frames at the rows from their neighbours among `around`: the knn nearest, or, if radius > 0, all
   * within it. *degenerate: how many span fewer than d dimensions. */
  int (*frames)(engine_t *engine, rows_t *rows, const rows_t *around, int64_t d, int64_t knn, double radius,
                int64_t *degenerate);

  /* The graph between rows and references, stored or to be made again in every pass. */
  int (*graph)(engine_t *engine, rows_t *rows, const rows_t *references, const graph_spec *spec,
               graph_info *info);
  /* Normalises it: edges, components, degrees, each those of all points that a row stands for. `landmarks`:
   * NULL for a square graph. One that is balanced (operator/square.h) has no use for alpha and beta; one with
   * local bandwidths: operator/local.h. */
  int (*scale)(engine_t *engine, rows_t *rows, double alpha, double beta, landmark_scaling *landmarks,
               graph_info *info);
  /* With landmarks: G = A'A. */
  int (*gram)(engine_t *engine, rows_t *rows, symmetric_t *out, graph_info *info);
  /* Square: y = N x, blocks of `count` vectors, rows in the engine's order; with a team of the rows here, by
   * all ranks together, and with one status. */
  int (*apply)(engine_t *engine, const rows_t *rows, const double *x, double *y, int64_t count);
  /* Top eigenpairs: of G, with vectors (m q x r); or, where G is NULL, of the square graph of the rows, whose
   * vectors stay with them. NULL: the pipeline's own solver, over `apply`. */
  int (*spectrum)(engine_t *engine, rows_t *rows, const symmetric_t *gram, int64_t r, double *values,
                  double *vectors, double *residuals);
  /* Eigenvectors at the rows: from those of G, or of the square graph (v NULL). */
  int (*fields)(engine_t *engine, rows_t *rows, const double *v, const double *values, int64_t r);
  /* Eigenvectors (n x q x r reals) and degrees (n) at rows that were not in the fit, in the order of the
   * data; where nothing reaches a row, NaN and 0. */
  int (*extend)(engine_t *engine, rows_t *rows, const fields_spec *spec, void *fields, double *degrees,
                graph_info *info);
  /* The operator itself, rows and columns in the order of the data; large arrays. NULL: not handed out. */
  int (*blocks)(engine_t *engine, rows_t *rows, blocks_t *out, graph_info *info);

  /* Rows index[0..count) of the data, or, if NULL, first .. first+count-1; and the way back, for all rows. */
  int (*fetch)(engine_t *engine, const rows_t *rows, rows_what what, const int64_t *index, int64_t first,
               int64_t count, void *out);
  int (*put)(engine_t *engine, rows_t *rows, rows_what what, const void *from);

  /* Arrays of the rows that a stage has made, for a checkpoint, and from it. NULL: it cannot be resumed. */
  int (*save)(engine_t *engine, const rows_t *rows, const rows_t *references, checkpoint_stage stage,
              checkpoint_list *list);
  int (*resume)(engine_t *engine, rows_t *rows, rows_t *references, checkpoint_stage stage,
                const checkpoint_t *from, graph_info *info);
};

/* What AUTO is. */
void engine_choose(lavdm_options *options);

/* The engine that the options name, in their precision. */
const engine_ops *engine_find(const run_t *run);

/* Opens it; an error names what it cannot honour. */
int engine_open(run_t *run, engine_t **out);
void engine_close(engine_t *engine); /* accepts NULL */

/* The type of its reals. */
lavdm_type engine_real(const run_t *run);

#endif
