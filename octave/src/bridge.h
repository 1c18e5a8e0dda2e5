/*
 * What the files of the MEX function share: arguments in, library called, structs out.
 *
 * Any call of the MEX API may end the whole call by jumping out of it (an error, memory that is
 * out). Arrays that the API made are then freed by Octave and MATLAB themselves; all else lies in
 * `held`, where the next call finds it, or the end of the session.
 */
#ifndef LAVDM_BRIDGE_H
#define LAVDM_BRIDGE_H

#include <lavdm.h>
#include <lavdm/sync.h>
#include <mex.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* --------------------------------------------------------------- trouble */

typedef struct {
  lavdm_model *model, *extension;
  lavdm_sync_t *sync;
  char *file;   /* a temporary file, to be removed */
  FILE *stream; /* to be closed */
  struct piece *scratch;
} held_t;

extern held_t held;
void held_release(void);

/* Ends the call with an error whose identifier follows from the status (lavdm:argument ...). */
_Noreturn void trouble(int status, const char *format, ...);
/* The same with the library's sentence, if the status is negative. */
void check(int status, const lavdm_error *error);

/* Zeroed memory for this call, released by itself at its end, or the latest of it before. */
void *scratch(int64_t count, size_t size);
void scratch_drop(void);
#define SCRATCH(type, count) ((type *)scratch((count), sizeof(type)))

/* ------------------------------------------------------------- arguments */

/* `name` is what the argument is called in an error. */
double take_number(const mxArray *a, const char *name);
int64_t take_whole(const mxArray *a, const char *name, int64_t least, int64_t most);
bool take_flag(const mxArray *a, const char *name);
char *take_text(const mxArray *a, const char *name);

/* Refuses what is not a full real array of numbers or logicals. */
void take_real(const mxArray *a, const char *name);
/* Its elements as doubles, in their order: its own memory where it is of that class. */
const double *take_doubles(const mxArray *a, const char *name);
int64_t take_size(const mxArray *a, int axis); /* 1 beyond the last axis */
int64_t take_count(const mxArray *a);

/* Whole numbers from 1 to most (0: no bound) as numbers from 0. */
int64_t *take_indices(const mxArray *a, const char *name, int64_t most);

/* n x p, or h x w x n: images. With `turned` these are handed on row by row, as the library
 * wants them for the bundle rotation; otherwise as they lie in memory. */
void take_points(const mxArray *a, const char *name, bool turned, lavdm_data *out);
/* (rows, columns) as a row-major copy. */
double *take_rows(const mxArray *a, const char *name, int64_t rows, int64_t columns);

/* A struct of edges. `poses`: may have shift and shift_weight. */
typedef struct {
  lavdm_edges edges;
  const double *shift, *shift_weight;
} graph_t;
/* `kind` (or NULL) is what one number on an edge is, unless the struct says so; `steps`: of a cyclic
 * group of this order, whole numbers are its steps. */
void take_graph(const mxArray *a, const char *kind, int64_t steps, bool poses, graph_t *out);

/* -------------------------------------------------------------- settings */

/* One pair of name and value; false: it is not known. */
typedef bool (*setting_function)(void *user, const char *name, const mxArray *value);

/* Pairs 'name', value and structs of them. `own` lists, with '|' between, the names that `set`
 * knows besides the options of the library: for the suggestion when there is none by a name. */
void settings_each(int count, const mxArray *arguments[], const char *own, setting_function set, void *user);
/* Sets an option of the library's table; false if there is none by that name. */
bool settings_option(lavdm_options *options, const char *name, const mxArray *value);

/* ------------------------------------------------------------ the running */

/* lavdm_options.progress: stops when the user asked to, and prints a line a stage if `user`, a
 * watch_t, says so. */
typedef struct {
  bool show;
  char stage[64];
} watch_t;
int watch(const char *stage, double fraction, void *user);

/* --------------------------------------------------------------- results */

mxArray *give_struct(void);
void give(mxArray *s, const char *name, mxArray *value);
void give_number(mxArray *s, const char *name, double value);
void give_text(mxArray *s, const char *name, const char *text);
void give_lines(mxArray *s, const char *name, const char *const *line, int count);
mxArray *give_empty(void);
/* A row-major array (n,a,b) as n x a x b. */
mxArray *give_reals(const double *data, int64_t n, int64_t a, int64_t b);
/* A row-major array (count,q,q) of matrices as q x q x count. */
mxArray *give_matrices(const double *data, int64_t count, int64_t q);
/* Numbers from 0 as numbers from 1. */
mxArray *give_indices(const int64_t *data, int64_t count);
mxArray *give_array(const lavdm_array *array);
/* What embed and extend return. */
typedef struct {
  bool ambient, embedding, model, compact;
} wanted_t;
mxArray *give_model(const lavdm_model *model, wanted_t wanted);

/* A model as the bytes of its file, and back: from them, a struct that has them as field `model`, or
 * the name of a file. It is left in held.model. */
mxArray *model_bytes(const lavdm_model *model, bool compact);
const lavdm_model *model_open(const mxArray *a);

/* ------------------------------------------------------------- functions */

void embed(int nlhs, mxArray *plhs[], int nrhs, const mxArray *prhs[]);
void extend(int nlhs, mxArray *plhs[], int nrhs, const mxArray *prhs[]);
void distance(int nlhs, mxArray *plhs[], int nrhs, const mxArray *prhs[]);
void synchronise(int nlhs, mxArray *plhs[], int nrhs, const mxArray *prhs[]);
void sample(int nlhs, mxArray *plhs[], int nrhs, const mxArray *prhs[]);

#endif
