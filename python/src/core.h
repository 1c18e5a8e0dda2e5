/*
 * The extension module lavdm._core: the public C API for the package around it.
 *
 * It is strict and says little: the package has turned its arguments into dicts,
 * texts and buffers of the right type and shape, and asks here for the work. Arrays
 * come in as buffers and are read where they lie; results go out as Array objects,
 * buffers that keep their owner alive, or into buffers that the package made. The
 * interpreter's lock is released while the library works, and taken again to
 * report progress, when signals (Ctrl-C) are noticed.
 */
#ifndef LAVDM_PYTHON_CORE_H
#define LAVDM_PYTHON_CORE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "lavdm.h"

#include <stdbool.h>

/* ------------------------------------------------------------------ arrays */

enum { MOST_AXES = 3 };

/* A read-only view of memory that `owner` holds: for NumPy to wrap. None if data is NULL and
 * there is anything to point to. */
PyObject *array_new(PyObject *owner, lavdm_type type, int rank, const int64_t *shape, const void *data);
PyObject *array_of(PyObject *owner, const lavdm_array *array); /* None if array is NULL */
PyObject *array_int32(PyObject *owner, int64_t count, const int32_t *data);
extern PyTypeObject array_type;

/* A buffer of contiguous numbers of one type. `count` entries are needed (-1: any number). */
typedef enum { WANT_READ, WANT_WRITE } want_t;
typedef struct {
  Py_buffer view;
  bool open;
} buffer_t;

/* None leaves *buffer closed and returns NULL without an exception. */
void *buffer_open(buffer_t *buffer, PyObject *object, lavdm_type type, int64_t count, want_t want,
                  const char *name);
void *buffer_need(buffer_t *buffer, PyObject *object, lavdm_type type, int64_t count, want_t want,
                  const char *name); /* an exception for None too */
int64_t buffer_count(const buffer_t *buffer);

/* a b c for buffer_open; where one is negative or there cannot be so many, a number that no buffer has. */
int64_t entries(int64_t a, int64_t b, int64_t c);
void buffer_close(buffer_t *buffer);

/* -------------------------------------------------------------- one request */

/* What the library may ask back while it works. An exception there ends the work, and is kept here
 * until the lock is held again by the thread that asked. Models with a kernel of the user's own go on
 * asking: they hold the object that owns it. */
typedef struct {
  PyObject *progress; /* callable (stage, fraction), or NULL */
  PyObject *kernel;   /* callable (t), owned, or NULL */
  PyObject *read;     /* callable (first, count) that gives a buffer of rows, or NULL */
  size_t row_bytes;   /* of those rows */
  lavdm_type row_type;
  int64_t row_length;
  PyObject *type, *value, *trace;
} talk_t;

/* All of it, from the dicts that the package hands over; closed in one place. */
typedef struct {
  PyObject *talking; /* owns the talk */
  talk_t *talk;
  lavdm_options options;
  lavdm_data data;
  lavdm_edges edges;
  lavdm_sparse sparse;
  lavdm_distances given;
  buffer_t points, landmark_points, landmark_index, row, col, weight, element, start, index, value, distances;
} request_t;

/* options: {name: text}, with `progress`, `kernel_function` and `checkpoint` besides; data: a dict, see
 * request.c. Either may be NULL. -1 with an exception; close it in any case. */
int request_open(request_t *request, PyObject *data, PyObject *options);
void request_close(request_t *request);

/* The talk of its owner, and the owner for an object that outlives the request: it forgets what
 * only the request holds. */
extern PyTypeObject talk_type;
talk_t *talk_of(PyObject *talking);
PyObject *talk_keep(request_t *request);

int report_progress(const char *stage, double fraction, void *talk);

/* Models and stacks are asked many times, by several threads at once, and know one function to report to:
 * this one, which passes it on to whom the call of its own thread was made for. `listen` says who that is
 * from now on and returns who it was, for a call within a report. */
int report_to_listener(const char *stage, double fraction, void *unused);
talk_t *listen(talk_t *talk);
talk_t talk_to(PyObject *progress); /* for one call */

/* After the work: an exception if status is negative (NULL), or if one was kept. true: all is well. */
bool request_done(talk_t *talk, int status, const lavdm_error *error);

/* Wraps a call that may take long: the lock is released around it. */
#define UNLOCKED(call)                                                                                       \
  do {                                                                                                       \
    Py_BEGIN_ALLOW_THREADS(call);                                                                            \
    Py_END_ALLOW_THREADS                                                                                     \
  } while (0)

/* The value of a key; NULL, without an exception, if it is missing or None. */
PyObject *item_of(PyObject *dict, const char *key);
int whole_of(PyObject *dict, const char *key, int64_t *out); /* left as it is if missing or None */
int real_of(PyObject *dict, const char *key, double *out);
const char *text_of(PyObject *object); /* NULL with an exception; no zero byte is hidden in it */
int word_of(PyObject *dict, const char *key, const char *const *words, int *out);

/* dict[key] = value, taking the value over. False with an exception. */
bool put(PyObject *dict, const char *key, PyObject *value);

/* A list of texts; of (stage, seconds). */
PyObject *texts_of(const char *const *text, int count);
PyObject *timings_of(const lavdm_timing *timing, int count);

/* {name: text} of every option of the table. */
PyObject *options_of(const lavdm_options *options);

/* ------------------------------------------------------------- what there is */

extern PyTypeObject model_type, stack_type;
/* Takes the model over; `keep` (or NULL) lives as long as it does, and is taken over too. */
PyObject *model_wrap(lavdm_model *model, PyObject *keep);

extern PyMethodDef model_functions[], graph_functions[], sync_functions[], app_functions[],
    sample_functions[], report_functions[];

#endif
