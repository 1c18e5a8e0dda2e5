/* Models: fitted, opened, extended, asked. */
#include "core.h"

typedef struct {
  PyObject_HEAD lavdm_model *model;
  PyObject *keep; /* what its kernel asks back, or NULL */
} model_t;

PyObject *model_wrap(lavdm_model *model, PyObject *keep) {
  model_t *m = PyObject_GC_New(model_t, &model_type);
  if (!m) {
    lavdm_free(model);
    Py_XDECREF(keep);
    return NULL;
  }
  m->model = model;
  m->keep = keep;
  lavdm_set_progress(model, report_to_listener, NULL);
  PyObject_GC_Track(m);
  return (PyObject *)m;
}

static int model_traverse(PyObject *self, visitproc visit, void *arg) {
  Py_VISIT(((model_t *)self)->keep);
  return 0;
}

static void model_free(PyObject *self) {
  PyObject_GC_UnTrack(self);
  lavdm_free(((model_t *)self)->model);
  Py_XDECREF(((model_t *)self)->keep);
  Py_TYPE(self)->tp_free(self);
}

static lavdm_model *model_of(PyObject *self) {
  return ((model_t *)self)->model;
}

/* ------------------------------------------------------------ to get a model */

static PyObject *fit(PyObject *self, PyObject *args) {
  PyObject *data, *options, *result = NULL;
  request_t r;
  lavdm_model *model = NULL;
  lavdm_error error;
  int status = 0;
  (void)self;
  if (!PyArg_ParseTuple(args, "O!O!:fit", &PyDict_Type, &data, &PyDict_Type, &options)) return NULL;
  if (!request_open(&r, data, options)) {
    UNLOCKED(status = lavdm_fit(&r.data, &r.options, &model, &error));
    if (request_done(r.talk, status, &error))
      result = model_wrap(model, talk_keep(&r));
    else
      lavdm_free(model);
  }
  request_close(&r);
  return result;
}

static PyObject *plan(PyObject *self, PyObject *args) {
  PyObject *data, *options, *result = NULL;
  request_t r;
  lavdm_plan_t found = {0};
  lavdm_error error;
  (void)self;
  if (!PyArg_ParseTuple(args, "O!O!:plan", &PyDict_Type, &data, &PyDict_Type, &options)) return NULL;
  if (!request_open(&r, data, options) &&
      request_done(r.talk, lavdm_plan(&r.data, &r.options, &found, &error), &error))
    result = Py_BuildValue("{sLsLsOsL}", "memory", (long long)found.memory, "disk", (long long)found.disk,
                           "stream", found.stream ? Py_True : Py_False, "address", (long long)found.address);
  request_close(&r);
  return result;
}

static PyObject *load(PyObject *self, PyObject *args) {
  PyObject *path, *result = NULL;
  lavdm_model *model = NULL;
  lavdm_error error;
  int status;
  (void)self;
  if (!PyArg_ParseTuple(args, "O&:load", PyUnicode_FSConverter, &path)) return NULL;
  UNLOCKED(status = lavdm_load(PyBytes_AS_STRING(path), &model, &error));
  if (request_done(NULL, status, &error)) result = model_wrap(model, NULL);
  Py_DECREF(path);
  return result;
}

static PyObject *orient(PyObject *self, PyObject *args) {
  PyObject *data, *options, *out, *result = NULL;
  request_t r;
  buffer_t signs = {.open = false};
  lavdm_orientation v = {.size = sizeof v};
  lavdm_model *model = NULL;
  lavdm_error error;
  int status = 0;
  (void)self;
  if (!PyArg_ParseTuple(args, "O!O!O:orient", &PyDict_Type, &data, &PyDict_Type, &options, &out)) return NULL;
  if (!request_open(&r, data, options)) {
    double *to = buffer_need(&signs, out, LAVDM_F64, entries(r.data.n, 1, 1), WANT_WRITE, "signs");
    if (to) {
      UNLOCKED(status = lavdm_orient(&r.data, &r.options, &v, to, &model, &error));
      if (request_done(r.talk, status, &error)) {
        result = Py_BuildValue(
            "({sOsLsdsdsdsdsdsLsdsdsdsdsdsdsdsLsd}N)", "orientable", v.orientable ? Py_True : Py_False,
            "verdict", (long long)v.verdict, "confidence", v.confidence, "eigenvalue", v.eigenvalue,
            "trivial_eigenvalue", v.trivial_eigenvalue, "ratio", v.ratio, "mean_magnitude", v.mean_magnitude,
            "graph_components", (long long)v.graph_components, "doubt", v.doubt, "odd", v.odd, "spread",
            v.spread, "frustrated", v.frustrated, "turn", v.turn, "gap", v.gap, "margin", v.margin,
            "frame_knn", (long long)v.frame_knn, "growth", v.growth, model_wrap(model, talk_keep(&r)));
      } else {
        lavdm_free(model);
      }
    }
  }
  buffer_close(&signs);
  request_close(&r);
  return result;
}

PyMethodDef model_functions[] = {
    {"fit", fit, METH_VARARGS, "fit(data, options) -> Model"},
    {"plan", plan, METH_VARARGS, "plan(data, options) -> dict"},
    {"load", load, METH_VARARGS, "load(path) -> Model"},
    {"orient", orient, METH_VARARGS, "orient(data, options, signs) -> (dict, Model)"},
    {0},
};

/* ------------------------------------------------------------- to ask a model */

/* The columns of what is known of the groups, and the rest; None if nothing is. */
static PyObject *trust_of(PyObject *self, const lavdm_trust_t *t) {
  if (!t) Py_RETURN_NONE;
  int64_t ends = t->groups + 1;
  PyObject *d =
      Py_BuildValue("{sLsLsLsLsLsLsdsdsdsLsd}", "unit", (long long)t->unit, "sample", (long long)t->sample,
                    "landmarks", (long long)t->landmarks, "reproduced", (long long)t->reproduced, "rows",
                    (long long)t->rows, "neighbours", (long long)t->neighbours, "trustworthiness",
                    t->trustworthiness, "continuity", t->continuity, "shortcuts", t->shortcuts,
                    "shortcut_row", (long long)t->shortcut_row, "noise", t->noise);
  const struct {
    const char *name;
    const double *values;
  } columns[] = {{"rate", t->rate}, {"ratio", t->ratio},   {"low", t->low},
                 {"high", t->high}, {"spread", t->spread}, {"drift", t->drift},
                 {"bias", t->bias}, {"angle", t->angle},   {"agreement", t->agreement}};
  bool whole = d && put(d, "first", array_new(self, LAVDM_I64, 1, &ends, t->first));
  for (size_t k = 0; whole && k < sizeof columns / sizeof *columns; k++)
    whole = put(d, columns[k].name, array_new(self, LAVDM_F64, 1, &t->groups, columns[k].values));
  if (whole) return d;
  Py_XDECREF(d);
  return NULL;
}

static PyObject *info(PyObject *self, PyObject *unused) {
  const lavdm_info_t *i = lavdm_info(model_of(self));
  (void)unused;
  PyObject *d = Py_BuildValue("{sLsLsLsLsLsLsLsdsLsLsdsLsOsz}", "n", (long long)i->n, "p", (long long)i->p,
                              "m", (long long)i->m, "q", (long long)i->q, "edges", (long long)i->edges,
                              "graph_components", (long long)i->graph_components, "far_points",
                              (long long)i->far_points, "radius", i->radius, "degenerate_frames",
                              (long long)i->degenerate_frames, "ill_aligned", (long long)i->ill_aligned,
                              "seconds", i->seconds, "memory_needed", (long long)i->memory_needed, "streamed",
                              i->streamed ? Py_True : Py_False, "resumed", i->resumed);
  if (d && put(d, "chosen", options_of(i->chosen)) && put(d, "warnings", texts_of(i->warning, i->warnings)) &&
      put(d, "reasons", texts_of(i->reason, i->reasons)) &&
      put(d, "timings", timings_of(i->timing, i->timings)) && put(d, "trust", trust_of(self, i->trust)) &&
      put(d, "isolated", array_new(self, LAVDM_I64, 1, &i->isolated, i->isolated_index)))
    return d;
  Py_XDECREF(d);
  return NULL;
}

static PyObject *array(PyObject *self, PyObject *name) {
  const char *text = text_of(name);
  return text ? array_of(self, lavdm_get(model_of(self), text)) : NULL;
}

static PyObject *names(PyObject *self, PyObject *unused) {
  int count = lavdm_array_count(model_of(self));
  (void)unused;
  PyObject *list = PyList_New(count);
  for (int k = 0; list && k < count; k++) {
    PyObject *one = PyUnicode_FromString(lavdm_array_at(model_of(self), k)->name);
    if (!one) Py_CLEAR(list);
    if (one) PyList_SET_ITEM(list, k, one);
  }
  return list;
}

static PyObject *rank(PyObject *self, PyObject *args) {
  double t, delta;
  if (!PyArg_ParseTuple(args, "dd:rank", &t, &delta)) return NULL;
  return PyLong_FromLongLong(lavdm_embedding_rank(model_of(self), t, delta));
}

/* embedding and coordinates: (t, rank, out). */
static PyObject *fill(PyObject *self, PyObject *args, bool pairs,
                      int work(const lavdm_model *, double, int64_t, double *, lavdm_error *)) {
  const lavdm_model *model = model_of(self);
  PyObject *object;
  long long r;
  double t;
  buffer_t out = {.open = false};
  lavdm_error error;
  int status = 0;
  if (!PyArg_ParseTuple(args, "dLO", &t, &r, &object)) return NULL;
  int64_t n = lavdm_info(model)->n, columns = !pairs || r < 0 ? r : r < INT32_MAX ? r * (r + 1) / 2 : -1;
  double *to = buffer_need(&out, object, LAVDM_F64, entries(n, columns, 1), WANT_WRITE, "out");
  if (to) UNLOCKED(status = work(model, t, r, to, &error));
  buffer_close(&out);
  if (!to || !request_done(NULL, status, &error)) return NULL;
  Py_RETURN_NONE;
}

static PyObject *embedding(PyObject *self, PyObject *args) {
  return fill(self, args, true, lavdm_embedding);
}

static PyObject *coordinates(PyObject *self, PyObject *args) {
  return fill(self, args, false, lavdm_coordinates);
}

static PyObject *ambient(PyObject *self, PyObject *object) {
  const lavdm_info_t *i = lavdm_info(model_of(self));
  buffer_t out = {.open = false};
  lavdm_error error;
  int status = 0;
  double *to =
      buffer_need(&out, object, LAVDM_F64, entries(i->n, i->p, i->chosen->components), WANT_WRITE, "out");
  if (to) UNLOCKED(status = lavdm_ambient(model_of(self), to, &error));
  buffer_close(&out);
  if (!to || !request_done(NULL, status, &error)) return NULL;
  Py_RETURN_NONE;
}

/* (i, j, t, rank, diffusion, distance, alignment): the two last to write to, or None. */
static PyObject *pairs(PyObject *self, PyObject *args) {
  const lavdm_model *model = model_of(self);
  PyObject *object[4];
  buffer_t b[4] = {{.open = false}};
  long long r;
  double t;
  int diffusion, status = 0;
  lavdm_error error;
  if (!PyArg_ParseTuple(args, "OOdLpOO:pairs", &object[0], &object[1], &t, &r, &diffusion, &object[2],
                        &object[3]))
    return NULL;
  int64_t q = lavdm_info(model)->q;
  const int64_t *i = buffer_need(&b[0], object[0], LAVDM_I64, -1, WANT_READ, "i"),
                count = buffer_count(&b[0]);
  const int64_t *j = i ? buffer_need(&b[1], object[1], LAVDM_I64, count, WANT_READ, "j") : NULL;
  double *distance = j ? buffer_open(&b[2], object[2], LAVDM_F64, count, WANT_WRITE, "distance") : NULL;
  double *alignment = PyErr_Occurred() ? NULL
                                       : buffer_open(&b[3], object[3], LAVDM_F64, entries(count, q, q),
                                                     WANT_WRITE, "alignment");
  bool ready = !PyErr_Occurred();
  if (ready)
    UNLOCKED(status = (diffusion ? lavdm_diffusion_pairs : lavdm_pairs)(model, t, r, i, j, count, distance,
                                                                        alignment, &error));
  for (int k = 0; k < 4; k++) buffer_close(&b[k]);
  if (!ready || !request_done(NULL, status, &error)) return NULL;
  Py_RETURN_NONE;
}

/* (progress, points, k, t, rank, diffusion, index, distance, alignment). */
static PyObject *neighbours(PyObject *self, PyObject *args) {
  const lavdm_model *model = model_of(self);
  const lavdm_info_t *facts = lavdm_info(model);
  PyObject *progress, *object[4];
  buffer_t b[4] = {{.open = false}};
  long long k, r;
  double t;
  int diffusion, status = 0;
  lavdm_error error;
  if (!PyArg_ParseTuple(args, "OOLdLpOOO:neighbours", &progress, &object[0], &k, &t, &r, &diffusion,
                        &object[1], &object[2], &object[3]))
    return NULL;
  const int64_t *points = buffer_open(&b[0], object[0], LAVDM_I64, -1, WANT_READ, "points");
  int64_t count = points ? buffer_count(&b[0]) : facts->n, q = facts->q;
  int64_t *index = NULL;
  double *distance = NULL, *alignment = NULL;
  if (!PyErr_Occurred())
    index = buffer_need(&b[1], object[1], LAVDM_I64, entries(count, k, 1), WANT_WRITE, "index");
  if (index)
    distance = buffer_need(&b[2], object[2], LAVDM_F64, entries(count, k, 1), WANT_WRITE, "distance");
  if (distance)
    alignment = buffer_open(&b[3], object[3], LAVDM_F64, entries(entries(count, k, 1), q, q), WANT_WRITE,
                            "alignment");
  bool ready = !PyErr_Occurred();
  talk_t talk = talk_to(progress), *before = listen(&talk);
  if (ready)
    UNLOCKED(status = (diffusion ? lavdm_diffusion_neighbours : lavdm_neighbours)(
                 model, t, r, points, count, k, index, distance, alignment, &error));
  for (int c = 0; c < 4; c++) buffer_close(&b[c]);
  listen(before);
  if (!ready || !request_done(&talk, status, &error)) return NULL;
  Py_RETURN_NONE;
}

static PyObject *save(PyObject *self, PyObject *args) {
  PyObject *path;
  lavdm_error error;
  int compact, status;
  if (!PyArg_ParseTuple(args, "O&p:save", PyUnicode_FSConverter, &path, &compact)) return NULL;
  UNLOCKED(status = lavdm_save(model_of(self), PyBytes_AS_STRING(path), compact, &error));
  Py_DECREF(path);
  if (!request_done(NULL, status, &error)) return NULL;
  Py_RETURN_NONE;
}

/* (data, reference or None, options). */
static PyObject *extend(PyObject *self, PyObject *args) {
  PyObject *data, *reference, *options, *result = NULL;
  request_t r = {0}, other = {0};
  lavdm_model *extension = NULL;
  lavdm_error error;
  int status = 0;
  if (!PyArg_ParseTuple(args, "O!OO!:extend", &PyDict_Type, &data, &reference, &PyDict_Type, &options))
    return NULL;
  bool more = reference != Py_None;
  PyObject *keep = ((model_t *)self)->keep;
  if (!request_open(&r, data, options) && !request_open(&other, more ? reference : NULL, NULL)) {
    UNLOCKED(status = lavdm_extend(model_of(self), &r.data, more ? &other.data : NULL, &r.options, &extension,
                                   &error));
    if ((!keep || request_done(talk_of(keep), 0, &error)) && request_done(other.talk, 0, &error) &&
        request_done(r.talk, status, &error))
      result = model_wrap(extension, Py_XNewRef(keep));
    else
      lavdm_free(extension);
  }
  request_close(&r);
  request_close(&other);
  return result;
}

/* (data, t, rank, options, coordinates, eigenvalues, parity) -> the caveat, or None. */
static PyObject *cover(PyObject *self, PyObject *args) {
  PyObject *data, *options, *object[3], *result = NULL;
  buffer_t b[3] = {{.open = false}};
  request_t r;
  long long rank;
  double t;
  lavdm_error error;
  int status = 0;
  if (!PyArg_ParseTuple(args, "O!dLO!OOO:cover", &PyDict_Type, &data, &t, &rank, &PyDict_Type, &options,
                        &object[0], &object[1], &object[2]))
    return NULL;
  int *parity = PyMem_New(int, (size_t)(rank > 0 ? rank : 1));
  if (!parity) return PyErr_NoMemory();
  if (!request_open(&r, data, options)) {
    double *to =
        buffer_need(&b[0], object[0], LAVDM_F64, entries(2, r.data.n, rank), WANT_WRITE, "coordinates");
    double *values = to ? buffer_need(&b[1], object[1], LAVDM_F64, rank, WANT_WRITE, "eigenvalues") : NULL;
    int64_t *sheet = values ? buffer_need(&b[2], object[2], LAVDM_I64, rank, WANT_WRITE, "parity") : NULL;
    if (sheet) {
      UNLOCKED(status =
                   lavdm_cover(&r.data, model_of(self), &r.options, t, rank, to, values, parity, &error));
      if (request_done(r.talk, status, &error)) {
        for (long long k = 0; k < rank; k++) sheet[k] = parity[k];
        result = Py_BuildValue("z", status > 0 ? error.message : NULL);
      }
    }
  }
  PyMem_Free(parity);
  for (int k = 0; k < 3; k++) buffer_close(&b[k]);
  request_close(&r);
  return result;
}

static PyObject *set_threads(PyObject *self, PyObject *number) {
  long long threads = PyLong_AsLongLong(number);
  if (threads == -1 && PyErr_Occurred()) return NULL;
  lavdm_set_threads(model_of(self), threads);
  Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    {"info", info, METH_NOARGS, "info() -> dict"},
    {"array", array, METH_O, "array(name) -> Array or None"},
    {"names", names, METH_NOARGS, "names() -> list"},
    {"rank", rank, METH_VARARGS, "rank(t, delta) -> int"},
    {"embedding", embedding, METH_VARARGS, "embedding(t, rank, out)"},
    {"coordinates", coordinates, METH_VARARGS, "coordinates(t, rank, out)"},
    {"ambient", ambient, METH_O, "ambient(out)"},
    {"pairs", pairs, METH_VARARGS, "pairs(i, j, t, rank, diffusion, distance, alignment)"},
    {"neighbours", neighbours, METH_VARARGS,
     "neighbours(progress, points, k, t, rank, diffusion, index, distance, alignment)"},
    {"save", save, METH_VARARGS, "save(path, compact)"},
    {"extend", extend, METH_VARARGS, "extend(data, reference, options) -> Model"},
    {"cover", cover, METH_VARARGS, "cover(data, t, rank, options, coordinates, eigenvalues, parity)"},
    {"set_threads", set_threads, METH_O, "set_threads(number)"},
    {0},
};

PyTypeObject model_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "lavdm._core.Model",
    .tp_doc = "A model of the library.",
    .tp_basicsize = sizeof(model_t),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_dealloc = model_free,
    .tp_traverse = model_traverse,
    .tp_methods = methods,
};
