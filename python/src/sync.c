/* Synchronisation: poses, proofs, surveys. */
#include "core.h"
#include "lavdm/sync.h"

static const char *const robust_words[] = {"no", "auto", "weights", "cycles", "gradual", NULL};

static void drop_sync(PyObject *capsule) {
  lavdm_sync_free(PyCapsule_GetPointer(capsule, "sync"));
}

static PyObject *text_or_none(const char *text) {
  return text ? PyUnicode_FromString(text) : Py_NewRef(Py_None);
}

/* One component, as a dict. */
static PyObject *part_of(PyObject *owner, const lavdm_sync_t *s, const lavdm_sync_component *part) {
  PyObject *d = Py_BuildValue("{sLsLsLsdsdsdsLsdsdsLsL}", "nodes", (long long)part->nodes, "edges",
                              (long long)part->edges, "first", (long long)part->first, "gap", part->gap,
                              "median", part->median, "most", part->most, "steps", (long long)part->steps,
                              "cost", part->cost, "bound", part->bound, "rank", (long long)part->rank,
                              "iterations", (long long)part->iterations);
  if (d && put(d, "converged", PyBool_FromLong(part->converged)) &&
      put(d, "certified", PyBool_FromLong(part->certified)) &&
      put(d, "verdict", text_or_none(part->verdict)) &&
      put(d, "robust", PyUnicode_FromString(robust_words[part->robust])) &&
      put(d, "eigenvalues", array_new(owner, LAVDM_F64, 1, &s->values, part->eigenvalues)))
    return d;
  Py_XDECREF(d);
  return NULL;
}

static PyObject *parts_of(PyObject *owner, const lavdm_sync_t *s) {
  PyObject *list = PyList_New((Py_ssize_t)s->components);
  for (int64_t k = 0; list && k < s->components; k++) {
    PyObject *one = part_of(owner, s, s->part[k]);
    if (!one) Py_CLEAR(list);
    if (one) PyList_SET_ITEM(list, (Py_ssize_t)k, one);
  }
  return list;
}

static PyObject *array_or_none(PyObject *owner, lavdm_type type, int rank, const int64_t *shape,
                               const void *data) {
  return data ? array_new(owner, type, rank, shape, data) : Py_NewRef(Py_None);
}

static bool put_outcome(PyObject *d, const lavdm_sync_t *s) {
  return put(d, "cost", PyFloat_FromDouble(s->cost)) && put(d, "bound", PyFloat_FromDouble(s->bound)) &&
         put(d, "certified", PyBool_FromLong(s->certified)) &&
         put(d, "converged", PyBool_FromLong(s->converged)) && put(d, "verdict", text_or_none(s->verdict)) &&
         put(d, "robust", PyUnicode_FromString(robust_words[s->robust])) &&
         put(d, "robust_reason", text_or_none(s->robust_reason)) &&
         put(d, "chi2", PyFloat_FromDouble(s->chi2));
}

static bool put_survey(PyObject *d, PyObject *owner, const lavdm_sync_t *s) {
  const int64_t q = s->q, freedom = q + q * (q - 1) / 2, points[] = {s->points, q, q};
  return put(d, "covariance",
             array_or_none(owner, LAVDM_F64, 3, (int64_t[]){s->n, freedom, freedom}, s->covariance)) &&
         put(d, "point", array_or_none(owner, LAVDM_I64, 1, points, s->point)) &&
         put(d, "point_position", array_or_none(owner, LAVDM_F64, 2, points, s->point_position)) &&
         put(d, "point_covariance", array_or_none(owner, LAVDM_F64, 3, points, s->point_covariance));
}

static PyObject *sync_dict(PyObject *owner, const lavdm_sync_t *s) {
  static const char *const groups[] = {"auto", "z2", "cyclic", "so", "o"};
  const int64_t square[] = {s->n, s->q, s->q};
  PyObject *d =
      Py_BuildValue("{sssLsLsLsLsLsdsdsLsd}", "group", groups[s->group], "order", (long long)s->order, "q",
                    (long long)s->q, "components", (long long)s->components, "isolated",
                    (long long)s->isolated, "loops", (long long)s->loops, "median", s->median, "most",
                    s->most, "flips", (long long)s->flips, "seconds", s->seconds);
  if (d && put(d, "node", array_new(owner, LAVDM_I64, 1, square, s->node)) &&
      put(d, "element", array_new(owner, LAVDM_F64, 3, square, s->element)) &&
      put(d, "component", array_new(owner, LAVDM_I64, 1, square, s->component)) &&
      put(d, "position", array_or_none(owner, LAVDM_F64, 2, square, s->position)) && put_outcome(d, s) &&
      put_survey(d, owner, s) && put(d, "residual", array_new(owner, LAVDM_F64, 1, &s->edges, s->residual)) &&
      put(d, "trust", array_new(owner, LAVDM_F64, 1, &s->edges, s->trust)) &&
      put(d, "part", parts_of(owner, s)) && put(d, "warnings", texts_of(s->warning, s->warnings)) &&
      put(d, "timings", timings_of(s->timing, s->timings)))
    return d;
  Py_XDECREF(d);
  return NULL;
}

/* Buffers that the options point into. */
enum { SYNC_BUFFERS = 16 };
typedef struct {
  buffer_t open[SYNC_BUFFERS];
  int count;
} buffers_t;

/* The numbers of a key, or NULL if it is missing; of `count` entries, or any number (-1). */
static const void *numbers_of(PyObject *how, const char *key, lavdm_type type, int64_t count, buffers_t *b) {
  if (PyErr_Occurred()) return NULL;
  return buffer_open(&b->open[b->count++], item_of(how, key), type, count, WANT_READ, key);
}

/* Of the upper half of an information matrix; of other q there is none. */
static int64_t half_of(int64_t q) {
  return q == 2 ? 6 : q == 3 ? 21 : 0;
}

static int take_survey(PyObject *how, int64_t q, lavdm_survey *s, buffers_t *b) {
  const int64_t half = half_of(q), point = q == 2 ? 3 : q == 3 ? 6 : 0;
  s->fixed_node = numbers_of(how, "fixed_node", LAVDM_I64, -1, b);
  s->fixed = buffer_count(&b->open[b->count - 1]);
  s->fixed_element = numbers_of(how, "fixed_element", LAVDM_F64, entries(s->fixed, q, q), b);
  s->fixed_position = numbers_of(how, "fixed_position", LAVDM_F64, entries(s->fixed, q, 1), b);
  s->prior_node = numbers_of(how, "prior_node", LAVDM_I64, -1, b);
  s->priors = buffer_count(&b->open[b->count - 1]);
  s->prior_element = numbers_of(how, "prior_element", LAVDM_F64, entries(s->priors, q, q), b);
  s->prior_position = numbers_of(how, "prior_position", LAVDM_F64, entries(s->priors, q, 1), b);
  s->prior_information = numbers_of(how, "prior_information", LAVDM_F64, entries(s->priors, half, 1), b);
  s->sighted_node = numbers_of(how, "sighted_node", LAVDM_I64, -1, b);
  s->sightings = buffer_count(&b->open[b->count - 1]);
  s->sighted_point = numbers_of(how, "sighted_point", LAVDM_I64, s->sightings, b);
  s->sighted = numbers_of(how, "sighted", LAVDM_F64, entries(s->sightings, q, 1), b);
  s->sighted_information =
      numbers_of(how, "sighted_information", LAVDM_F64, entries(s->sightings, point, 1), b);
  if (PyErr_Occurred()) return -1;
  bool whole = (!s->fixed || (s->fixed_element && s->fixed_position)) &&
               (!s->priors || (s->prior_element && s->prior_position && s->prior_information)) &&
               (!s->sightings || (s->sighted_point && s->sighted && s->sighted_information));
  if (whole) return 0;
  PyErr_SetString(PyExc_ValueError, "fixed, priors or sightings: an array is missing");
  return -1;
}

/* Numbers and words of lavdm_sync_options, by their names, from a dict. */
static int take_words(PyObject *how, lavdm_sync_options *o) {
  static const char *const groups[] = {"auto", "z2", "cyclic", "so", "o", NULL};
  static const char *const proofs[] = {"auto", "no", "yes", NULL};
  int group = LAVDM_GROUP_AUTO, robust = LAVDM_ROBUST_NO, certify = LAVDM_CERTIFY_AUTO;
  int64_t refine = 1, full = 0, covariance = 0;
  PyObject *seed = item_of(how, "seed");
  if (word_of(how, "group", groups, &group) || whole_of(how, "order", &o->order) ||
      whole_of(how, "refine", &refine) || whole_of(how, "rounds", &o->rounds) ||
      whole_of(how, "threads", &o->threads) || word_of(how, "robust", robust_words, &robust) ||
      word_of(how, "certify", proofs, &certify) || whole_of(how, "full", &full) ||
      whole_of(how, "covariance", &covariance))
    return -1;
  o->group = (lavdm_group)group;
  o->robust = (lavdm_robust)robust, o->certify = (lavdm_certify)certify;
  o->refine = refine != 0, o->full = full != 0, o->covariance = covariance != 0;
  if (seed) o->seed = PyLong_AsUnsignedLongLong(seed);
  return PyErr_Occurred() ? -1 : 0;
}

static int take_sync(PyObject *how, const request_t *r, lavdm_sync_options *o, lavdm_survey *survey,
                     buffers_t *b) {
  const int64_t sizes[] = {1, 1, 2, r->edges.q, 3}, q = sizes[r->edges.kind]; /* of a group's matrices */
  const int64_t m = r->edges.count;
  lavdm_sync_default(o);
  if (take_words(how, o)) return -1;
  o->nodes = numbers_of(how, "nodes", LAVDM_I64, -1, b);
  o->node_count = buffer_count(&b->open[0]);
  o->shift = numbers_of(how, "shift", LAVDM_F64, entries(m, q, 1), b);
  o->shift_weight = numbers_of(how, "shift_weight", LAVDM_F64, m, b);
  o->information = numbers_of(how, "information", LAVDM_F64, entries(m, half_of(q), 1), b);
  if (PyErr_Occurred() || take_survey(how, q, survey, b)) return -1;
  if (survey->fixed || survey->priors || survey->sightings) o->survey = survey;
  o->progress = report_progress;
  o->progress_user = r->talk;
  return 0;
}

/* (q, information of m edges, room for m kappa, for m tau). */
static PyObject *pose_weights(PyObject *self, PyObject *args) {
  long long q;
  PyObject *given, *kappa, *tau;
  buffer_t b[3] = {{.open = false}};
  (void)self;
  if (!PyArg_ParseTuple(args, "LOOO:pose_weights", &q, &given, &kappa, &tau)) return NULL;
  if (q != 2 && q != 3) return PyErr_Format(PyExc_ValueError, "q is %lld: it must be 2 or 3", q);
  double *k = buffer_need(&b[0], kappa, LAVDM_F64, -1, WANT_WRITE, "kappa");
  int64_t m = buffer_count(&b[0]), half = half_of(q), bad = -1;
  double *t = k ? buffer_need(&b[1], tau, LAVDM_F64, m, WANT_WRITE, "tau") : NULL;
  const double *from =
      t ? buffer_need(&b[2], given, LAVDM_F64, entries(m, half, 1), WANT_READ, "information") : NULL;
  for (int64_t e = 0; from && e < m && bad < 0; e++)
    if (lavdm_pose_weights(q, from + e * half, k + e, t + e) < 0) bad = e;
  for (int i = 0; i < 3; i++) buffer_close(&b[i]);
  if (bad >= 0)
    return PyErr_Format(PyExc_ValueError, "information: that of edge %lld is not positive definite",
                        (long long)bad);
  return PyErr_Occurred() ? NULL : Py_NewRef(Py_None);
}

static PyObject *synchronize(PyObject *self, PyObject *args) {
  PyObject *data, *options, *how, *result = NULL;
  request_t r;
  buffers_t b = {.count = 0};
  lavdm_survey survey = {0};
  lavdm_sync_options o;
  lavdm_sync_t *found = NULL;
  lavdm_error error;
  int status = 0;
  (void)self;
  if (!PyArg_ParseTuple(args, "O!O!O!:sync", &PyDict_Type, &data, &PyDict_Type, &options, &PyDict_Type, &how))
    return NULL;
  if (!request_open(&r, data, options) && !take_sync(how, &r, &o, &survey, &b)) {
    UNLOCKED(status = lavdm_sync(&r.edges, &o, &found, &error));
    if (request_done(r.talk, status, &error)) {
      PyObject *owner = PyCapsule_New(found, "sync", drop_sync);
      if (owner)
        result = sync_dict(owner, found);
      else
        lavdm_sync_free(found);
      Py_XDECREF(owner);
    } else {
      lavdm_sync_free(found);
    }
  }
  for (int k = 0; k < b.count; k++) buffer_close(&b.open[k]);
  request_close(&r);
  return result;
}

PyMethodDef sync_functions[] = {
    {"sync", synchronize, METH_VARARGS, "sync(data, options, how) -> dict"},
    {"pose_weights", pose_weights, METH_VARARGS, "pose_weights(q, information, kappa, tau)"},
    {0},
};
