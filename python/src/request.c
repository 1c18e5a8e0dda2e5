/*
 * What the package hands over, as the library wants it. The dict of the data has
 *   points            buffer (n,p) of doubles or floats, any strides, read where it lies; or
 *   read              callable (first, count) -> contiguous buffer, with n, p and single (bool)
 *   sparse            {rows, cols, start, index, value}, as lavdm_sparse has them
 *   height, width     of images
 *   landmark_points   (m,p), landmark_index (m)
 *   edges             {row, col, weight, element, kind, q}
 *   distances         {value}: (n,m) of doubles or floats, plain rows; or {value, start, index, rows, cols}:
 * lists
 */
#include "core.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---------------------------------------------------------------- the talk */

static void keep_exception(talk_t *talk) {
  if (talk->type)
    PyErr_Clear();
  else
    PyErr_Fetch(&talk->type, &talk->value, &talk->trace);
}

int report_progress(const char *stage, double fraction, void *user) {
  talk_t *talk = user;
  PyGILState_STATE lock = PyGILState_Ensure();
  if (!talk->type && PyErr_CheckSignals()) keep_exception(talk);
  if (!talk->type && talk->progress) {
    PyObject *answer = PyObject_CallFunction(talk->progress, "sd", stage, fraction);
    if (!answer) keep_exception(talk);
    Py_XDECREF(answer);
  }
  int stop = talk->type != NULL;
  PyGILState_Release(lock);
  return stop;
}

static _Thread_local talk_t *listener;

int report_to_listener(const char *stage, double fraction, void *unused) {
  (void)unused;
  return listener ? report_progress(stage, fraction, listener) : 0;
}

talk_t *listen(talk_t *talk) {
  talk_t *before = listener;
  listener = talk;
  return before;
}

talk_t talk_to(PyObject *progress) {
  return (talk_t){.progress = progress == Py_None ? NULL : progress};
}

static double call_kernel(double t, void *user) {
  talk_t *talk = user;
  double value = NAN;
  PyGILState_STATE lock = PyGILState_Ensure();
  if (!talk->type && talk->kernel) {
    PyObject *answer = PyObject_CallFunction(talk->kernel, "d", t);
    if (answer) value = PyFloat_AsDouble(answer);
    if (answer && !PyErr_Occurred() && !(value >= 0 && value <= DBL_MAX)) {
      PyObject *place = PyFloat_FromDouble(t);
      if (place)
        PyErr_Format(PyExc_ValueError, "kernel(%R) is %R: it must be finite and never negative", place,
                     answer);
      Py_XDECREF(place);
    }
    Py_XDECREF(answer);
    if (PyErr_Occurred()) keep_exception(talk);
  }
  PyGILState_Release(lock);
  return value;
}

static int call_read(void *user, int64_t first, int64_t count, void *rows) {
  talk_t *talk = user;
  buffer_t buffer = {.open = false};
  PyGILState_STATE lock = PyGILState_Ensure();
  int status = LAVDM_ERROR_DATA;
  if (!talk->type) {
    PyObject *answer = PyObject_CallFunction(talk->read, "LL", (long long)first, (long long)count);
    const void *from = answer
                           ? buffer_open(&buffer, answer, talk->row_type, entries(count, talk->row_length, 1),
                                         WANT_READ, "rows that were read")
                           : NULL;
    if (from) {
      memcpy(rows, from, (size_t)count * talk->row_bytes);
      status = LAVDM_OK;
    } else if (!PyErr_Occurred()) {
      PyErr_SetString(PyExc_ValueError, "rows that were read: there are none");
    }
    buffer_close(&buffer);
    Py_XDECREF(answer);
    if (PyErr_Occurred()) keep_exception(talk);
  }
  PyGILState_Release(lock);
  return status;
}

bool request_done(talk_t *talk, int status, const lavdm_error *error) {
  if (talk && talk->type) {
    PyErr_Restore(talk->type, talk->value, talk->trace);
    talk->type = talk->value = talk->trace = NULL;
    return false;
  }
  if (status >= 0) return true;
  PyObject *type = PyExc_ValueError;
  if (status == LAVDM_ERROR_MEMORY) type = PyExc_MemoryError;
  if (status == LAVDM_ERROR_INTERRUPTED) type = PyExc_KeyboardInterrupt;
  if (status == LAVDM_ERROR_NUMERICS) type = PyExc_ArithmeticError;
  if (status == LAVDM_ERROR_FILE) type = PyExc_OSError;
  /* sentences hold the names of files, and these any bytes */
  PyObject *text = PyUnicode_DecodeUTF8(error->message, (Py_ssize_t)strlen(error->message), "replace");
  if (text) PyErr_SetObject(type, text);
  Py_XDECREF(text);
  return false;
}

/* ------------------------------------------------------------------- dicts */

PyObject *item_of(PyObject *dict, const char *key) {
  PyObject *value = PyDict_GetItemString(dict, key);
  return value == Py_None ? NULL : value;
}

int whole_of(PyObject *dict, const char *key, int64_t *out) {
  PyObject *value = item_of(dict, key);
  if (!value) return 0;
  long long number = PyLong_AsLongLong(value);
  if (number == -1 && PyErr_Occurred()) return -1;
  return *out = number, 0;
}

int real_of(PyObject *dict, const char *key, double *out) {
  PyObject *value = item_of(dict, key);
  if (!value) return 0;
  double number = PyFloat_AsDouble(value);
  if (number == -1 && PyErr_Occurred()) return -1;
  return *out = number, 0;
}

const char *text_of(PyObject *object) {
  if (!PyUnicode_Check(object)) {
    PyErr_Format(PyExc_TypeError, "a text is needed, and this is %s", Py_TYPE(object)->tp_name);
    return NULL;
  }
  Py_ssize_t size;
  const char *text = PyUnicode_AsUTF8AndSize(object, &size);
  if (text && strlen(text) != (size_t)size) {
    PyErr_Format(PyExc_ValueError, "there is a zero character in %R", object);
    return NULL;
  }
  return text;
}

int word_of(PyObject *dict, const char *key, const char *const *words, int *out) {
  PyObject *value = item_of(dict, key);
  const char *text = value ? text_of(value) : NULL;
  if (!value || !text) return value ? -1 : 0;
  for (int k = 0; words[k]; k++)
    if (!strcmp(text, words[k])) return *out = k, 0;
  char list[256];
  size_t used = 0;
  for (int k = 0; words[k] && used < sizeof list; k++)
    used += (size_t)snprintf(list + used, sizeof list - used, "%s%s",
                             !k             ? ""
                             : words[k + 1] ? ", "
                                            : " or ",
                             words[k]);
  PyErr_Format(PyExc_ValueError, "%s is '%s': it must be %s", key, text, list);
  return -1;
}

bool put(PyObject *dict, const char *key, PyObject *value) {
  bool done = value && !PyDict_SetItemString(dict, key, value);
  Py_XDECREF(value);
  return done;
}

PyObject *texts_of(const char *const *text, int count) {
  PyObject *list = PyList_New(count);
  for (int k = 0; list && k < count; k++) {
    PyObject *one = PyUnicode_DecodeUTF8(text[k], (Py_ssize_t)strlen(text[k]), "replace");
    if (!one) Py_CLEAR(list);
    if (one) PyList_SET_ITEM(list, k, one);
  }
  return list;
}

PyObject *timings_of(const lavdm_timing *timing, int count) {
  PyObject *list = PyList_New(count);
  for (int k = 0; list && k < count; k++) {
    PyObject *one = Py_BuildValue("(sd)", timing[k].stage, timing[k].seconds);
    if (!one) Py_CLEAR(list);
    if (one) PyList_SET_ITEM(list, k, one);
  }
  return list;
}

PyObject *options_of(const lavdm_options *options) {
  PyObject *dict = PyDict_New();
  char text[128];
  for (int k = 0; dict && k < lavdm_option_count(); k++) {
    const char *name = lavdm_option_at(k)->name;
    lavdm_option_text(options, name, text, sizeof text);
    if (!put(dict, name, PyUnicode_FromString(text))) Py_CLEAR(dict);
  }
  return dict;
}

/* ----------------------------------------------------------------- options */

static int take_options(request_t *r, PyObject *options) {
  PyObject *key, *value;
  Py_ssize_t at = 0;
  while (PyDict_Next(options, &at, &key, &value)) {
    const char *name = text_of(key);
    if (!name) return -1;
    if (!strcmp(name, "progress")) {
      r->talk->progress = value == Py_None ? NULL : value;
    } else if (!strcmp(name, "kernel_function")) {
      if (value != Py_None) r->talk->kernel = Py_NewRef(value);
    } else if (!strcmp(name, "checkpoint")) {
      char *path = NULL;
      if (value != Py_None && PyBytes_AsStringAndSize(value, &path, NULL)) return -1;
      r->options.checkpoint = path;
    } else {
      const char *text = text_of(value);
      lavdm_error error;
      int status = text ? lavdm_option_set(&r->options, name, text, &error) : 0;
      if (!text || !request_done(NULL, status, &error)) return -1;
    }
  }
  if (r->talk->kernel) {
    r->options.kernel = LAVDM_KERNEL_CALLBACK;
    r->options.kernel_function = call_kernel;
    r->options.kernel_user = r->talk;
  }
  r->options.progress = report_progress;
  r->options.progress_user = r->talk;
  return 0;
}

/* -------------------------------------------------------------------- data */

static int take_points(request_t *r, PyObject *object) {
  Py_buffer *view = &r->points.view;
  if (PyObject_GetBuffer(object, view, PyBUF_FORMAT | PyBUF_STRIDES)) return -1;
  r->points.open = true;
  bool single = view->format && !strcmp(view->format, "f");
  bool whole = view->ndim == 2 && view->format && (single || !strcmp(view->format, "d")) &&
               (uintptr_t)view->buf % (size_t)view->itemsize == 0;
  for (int k = 0; k < 2 && whole; k++) /* the library takes strides of 0 for those of plain rows */
    whole = view->strides[k] % view->itemsize == 0 && (view->strides[k] || view->shape[k] < 2 || !view->len);
  if (!whole) {
    PyErr_SetString(PyExc_TypeError, "points: rows of floats or doubles are needed, at whole strides");
    return -1;
  }
  r->data.points = view->buf;
  r->data.n = view->shape[0];
  r->data.p = view->shape[1];
  r->data.type = single ? LAVDM_F32 : LAVDM_F64;
  r->data.row_stride = view->strides[0] / view->itemsize;
  r->data.col_stride = view->strides[1] / view->itemsize;
  return 0;
}

static int take_edges(request_t *r, PyObject *dict) {
  static const char *const kinds[] = {"none", "sign", "angle", "matrix", "quaternion", NULL};
  static const char *const all_ends[] = {"auto", "nodes", "landmarks", NULL};
  int kind = LAVDM_ELEMENT_NONE, ends = LAVDM_ENDS_AUTO;
  lavdm_edges *e = &r->edges;
  if (word_of(dict, "kind", kinds, &kind) || word_of(dict, "ends", all_ends, &ends) ||
      whole_of(dict, "q", &e->q) || (!r->data.points && whole_of(dict, "n", &r->data.n)))
    return -1;
  e->size = sizeof *e;
  e->kind = (lavdm_element)kind;
  e->ends = (lavdm_ends)ends;
  e->row = buffer_open(&r->row, item_of(dict, "row"), LAVDM_I64, -1, WANT_READ, "row");
  if (!e->row && PyErr_Occurred()) return -1;
  e->count = buffer_count(&r->row);
  int64_t size = kind == LAVDM_ELEMENT_MATRIX       ? entries(e->q, e->q, 1)
                 : kind == LAVDM_ELEMENT_QUATERNION ? 4
                                                    : 1;
  e->col = buffer_open(&r->col, item_of(dict, "col"), LAVDM_I64, e->count, WANT_READ, "col");
  e->weight = e->col
                  ? buffer_open(&r->weight, item_of(dict, "weight"), LAVDM_F64, e->count, WANT_READ, "weight")
                  : NULL;
  if (PyErr_Occurred()) return -1;
  if (kind != LAVDM_ELEMENT_NONE)
    e->element = buffer_open(&r->element, item_of(dict, "element"), LAVDM_F64, entries(e->count, size, 1),
                             WANT_READ, "element");
  return PyErr_Occurred() ? -1 : 0;
}

/* A matrix of plain rows, or the distances of all lists, which start and index go with. */
static int take_distances(request_t *r, PyObject *dict) {
  PyObject *value = item_of(dict, "value"), *start = item_of(dict, "start"), *index = item_of(dict, "index");
  Py_buffer *view = &r->distances.view;
  lavdm_distances *g = &r->given;
  if (!value || PyObject_GetBuffer(value, view, PyBUF_FORMAT | PyBUF_C_CONTIGUOUS)) {
    if (!PyErr_Occurred()) PyErr_SetString(PyExc_TypeError, "distances: there are no values");
    return -1;
  }
  r->distances.open = true;
  bool single = view->format && !strcmp(view->format, "f");
  if (!view->format || (!single && strcmp(view->format, "d")) || view->ndim != (index ? 1 : 2) ||
      (uintptr_t)view->buf % (size_t)view->itemsize) {
    PyErr_SetString(PyExc_TypeError, "distances: plain rows of floats or doubles are needed");
    return -1;
  }
  g->value = view->buf;
  g->type = single ? LAVDM_F32 : LAVDM_F64;
  r->data.distances = g;
  if (!index) return g->rows = view->shape[0], g->cols = view->shape[1], 0;
  if (whole_of(dict, "rows", &g->rows) || whole_of(dict, "cols", &g->cols)) return -1;
  g->start = start ? buffer_need(&r->row, start, LAVDM_I64, g->rows < 0 ? 0 : g->rows + 1, WANT_READ, "start")
                   : NULL;
  g->index = g->start ? buffer_need(&r->col, index, LAVDM_I64, view->shape[0], WANT_READ, "index") : NULL;
  if (!g->index) {
    if (!PyErr_Occurred()) PyErr_SetString(PyExc_TypeError, "distances: lists need start and index");
    return -1;
  }
  for (int64_t i = 0; i <= g->rows; i++)
    if (g->start[i] < 0 || g->start[i] > view->shape[0]) {
      PyErr_SetString(PyExc_ValueError, "distances: a list begins or ends beyond the distances");
      return -1;
    }
  return 0;
}

static int take_reader(request_t *r, PyObject *dict, PyObject *read) {
  int64_t single = 0;
  if (whole_of(dict, "n", &r->data.n) || whole_of(dict, "p", &r->data.p) || whole_of(dict, "single", &single))
    return -1;
  r->talk->read = read;
  r->talk->row_type = r->data.type = single ? LAVDM_F32 : LAVDM_F64;
  r->talk->row_length = r->data.p;
  r->talk->row_bytes = (size_t)r->data.p * (single ? sizeof(float) : sizeof(double));
  r->data.read = call_read;
  r->data.read_user = r->talk;
  return 0;
}

static int take_sparse(request_t *r, PyObject *dict) {
  lavdm_sparse *s = &r->sparse;
  if (whole_of(dict, "rows", &s->rows) || whole_of(dict, "cols", &s->cols)) return -1;
  int64_t starts = entries(s->rows, 1, 1);
  s->start = buffer_need(&r->start, item_of(dict, "start"), LAVDM_I64,
                         starts < INT64_MAX ? starts + 1 : starts, WANT_READ, "start");
  if (!s->start) return -1;
  int64_t count = s->start[s->rows];
  if (count < 0) {
    PyErr_SetString(PyExc_ValueError, "start: the number of entries is negative");
    return -1;
  }
  s->index = buffer_need(&r->index, item_of(dict, "index"), LAVDM_I64, count, WANT_READ, "index");
  if (s->index)
    s->value = buffer_need(&r->value, item_of(dict, "value"), LAVDM_F64, count, WANT_READ, "value");
  if (!s->index || !s->value) return -1;
  r->data.size = sizeof r->data;
  r->data.sparse = s;
  r->data.n = s->rows, r->data.p = s->cols;
  return 0;
}

static int take_data(request_t *r, PyObject *dict) {
  PyObject *points = item_of(dict, "points"), *edges = item_of(dict, "edges"), *read = item_of(dict, "read");
  if (points && take_points(r, points)) return -1;
  if (read && take_reader(r, dict, read)) return -1;
  PyObject *sparse = item_of(dict, "sparse");
  if (sparse && take_sparse(r, sparse)) return -1;
  if (whole_of(dict, "height", &r->data.height) || whole_of(dict, "width", &r->data.width)) return -1;
  PyObject *marks = item_of(dict, "landmark_points"), *index = item_of(dict, "landmark_index");
  if (marks) {
    r->data.landmark_points =
        buffer_need(&r->landmark_points, marks, LAVDM_F64, -1, WANT_READ, "landmark_points");
    if (!r->data.landmark_points) return -1;
    const Py_buffer *view = &r->landmark_points.view;
    if (view->ndim != 2 || view->shape[1] != r->data.p) {
      PyErr_SetString(PyExc_ValueError, "landmark_points: rows as long as those of the points are needed");
      return -1;
    }
    r->data.landmark_count = view->shape[0];
  }
  if (index) {
    r->data.landmark_index =
        buffer_need(&r->landmark_index, index, LAVDM_I64, -1, WANT_READ, "landmark_index");
    if (!r->data.landmark_index) return -1;
    r->data.landmark_count = buffer_count(&r->landmark_index);
  }
  PyObject *distances = item_of(dict, "distances");
  if (distances && take_distances(r, distances)) return -1;
  if (edges) {
    if (take_edges(r, edges)) return -1;
    r->data.edges = &r->edges;
  }
  return 0;
}

typedef struct {
  PyObject_HEAD talk_t talk;
} talking_t;

talk_t *talk_of(PyObject *talking) {
  return &((talking_t *)talking)->talk;
}

/* A kernel may hold the model that holds it: the collector has to see that. */
static int talk_traverse(PyObject *self, visitproc visit, void *arg) {
  talk_t *talk = talk_of(self);
  Py_VISIT(talk->kernel);
  Py_VISIT(talk->type);
  Py_VISIT(talk->value);
  Py_VISIT(talk->trace);
  return 0;
}

static int talk_clear(PyObject *self) {
  talk_t *talk = talk_of(self);
  Py_CLEAR(talk->kernel);
  Py_CLEAR(talk->type);
  Py_CLEAR(talk->value);
  Py_CLEAR(talk->trace);
  return 0;
}

static void talk_free(PyObject *self) {
  PyObject_GC_UnTrack(self);
  talk_clear(self);
  PyObject_GC_Del(self);
}

PyTypeObject talk_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "lavdm._core.Talk",
    .tp_doc = "What the library asks back.",
    .tp_basicsize = sizeof(talking_t),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_dealloc = talk_free,
    .tp_traverse = talk_traverse,
    .tp_clear = talk_clear,
};

PyObject *talk_keep(request_t *r) {
  r->talk->progress = r->talk->read = NULL;
  return Py_NewRef(r->talking);
}

int request_open(request_t *r, PyObject *data, PyObject *options) {
  *r = (request_t){.data = {.size = sizeof r->data}};
  lavdm_options_default(&r->options);
  talking_t *talking = PyObject_GC_New(talking_t, &talk_type);
  if (!talking) return -1;
  talking->talk = (talk_t){0};
  r->talking = (PyObject *)talking;
  r->talk = &talking->talk;
  PyObject_GC_Track(talking);
  if (options && take_options(r, options)) return -1;
  return data ? take_data(r, data) : 0;
}

void request_close(request_t *r) {
  buffer_t *all[] = {&r->points, &r->landmark_points, &r->landmark_index, &r->row,
                     &r->col,    &r->weight,          &r->element,        &r->start,
                     &r->index,  &r->value,           &r->distances};
  for (size_t k = 0; k < sizeof all / sizeof *all; k++) buffer_close(all[k]);
  if (r->talk) {
    Py_CLEAR(r->talk->type);
    Py_CLEAR(r->talk->value);
    Py_CLEAR(r->talk->trace);
  }
  Py_CLEAR(r->talking);
}
