/* Work on graphs: the operator as a matrix, synchronisation. */
#include "core.h"
#include "lavdm/sync.h"

static void drop_sync(PyObject *capsule) {
  lavdm_sync_free(PyCapsule_GetPointer(capsule, "sync"));
}

/* One component, as a dict. */
static PyObject *part_of(PyObject *owner, const lavdm_sync_t *s, const lavdm_sync_component *part) {
  PyObject *d = Py_BuildValue("{sLsLsLsdsdsdsL}", "nodes", (long long)part->nodes, "edges",
                              (long long)part->edges, "first", (long long)part->first, "gap", part->gap,
                              "median", part->median, "most", part->most, "steps", (long long)part->steps);
  if (d && put(d, "eigenvalues", array_new(owner, LAVDM_F64, 1, &s->values, part->eigenvalues))) return d;
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
      put(d, "position",
          s->position ? array_new(owner, LAVDM_F64, 2, square, s->position) : Py_NewRef(Py_None)) &&
      put(d, "residual", array_new(owner, LAVDM_F64, 1, &s->edges, s->residual)) &&
      put(d, "trust", array_new(owner, LAVDM_F64, 1, &s->edges, s->trust)) &&
      put(d, "part", parts_of(owner, s)) && put(d, "warnings", texts_of(s->warning, s->warnings)) &&
      put(d, "timings", timings_of(s->timing, s->timings)))
    return d;
  Py_XDECREF(d);
  return NULL;
}

/* Options of lavdm_sync_options, by their names, from a dict. */
static int take_sync(PyObject *how, const request_t *r, lavdm_sync_options *o, buffer_t b[3]) {
  static const char *const groups[] = {"auto", "z2", "cyclic", "so", "o", NULL};
  int group = LAVDM_GROUP_AUTO;
  int64_t refine = 1;
  PyObject *seed = item_of(how, "seed");
  const int64_t sizes[] = {1, 1, 2, r->edges.q, 3}, size = sizes[r->edges.kind]; /* of a group's matrices */
  lavdm_sync_default(o);
  if (word_of(how, "group", groups, &group) || whole_of(how, "order", &o->order) ||
      whole_of(how, "refine", &refine) || whole_of(how, "rounds", &o->rounds) ||
      whole_of(how, "threads", &o->threads))
    return -1;
  o->group = (lavdm_group)group;
  o->refine = refine != 0;
  if (seed) o->seed = PyLong_AsUnsignedLongLong(seed);
  if (PyErr_Occurred()) return -1;
  o->nodes = buffer_open(&b[0], item_of(how, "nodes"), LAVDM_I64, -1, WANT_READ, "nodes");
  o->node_count = buffer_count(&b[0]);
  if (!PyErr_Occurred())
    o->shift = buffer_open(&b[1], item_of(how, "shift"), LAVDM_F64, entries(r->edges.count, size, 1),
                           WANT_READ, "shift");
  if (!PyErr_Occurred())
    o->shift_weight = buffer_open(&b[2], item_of(how, "shift_weight"), LAVDM_F64, r->edges.count, WANT_READ,
                                  "shift_weight");
  o->progress = report_progress;
  o->progress_user = r->talk;
  return PyErr_Occurred() ? -1 : 0;
}

static PyObject *synchronize(PyObject *self, PyObject *args) {
  PyObject *data, *options, *how, *result = NULL;
  request_t r;
  buffer_t b[3] = {{.open = false}};
  lavdm_sync_options o;
  lavdm_sync_t *found = NULL;
  lavdm_error error;
  int status = 0;
  (void)self;
  if (!PyArg_ParseTuple(args, "O!O!O!:sync", &PyDict_Type, &data, &PyDict_Type, &options, &PyDict_Type, &how))
    return NULL;
  if (!request_open(&r, data, options) && !take_sync(how, &r, &o, b)) {
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
  for (int k = 0; k < 3; k++) buffer_close(&b[k]);
  request_close(&r);
  return result;
}

/* --------------------------------------------------------------- the operator */

static void drop_operator(PyObject *capsule) {
  lavdm_operator_free(PyCapsule_GetPointer(capsule, "operator"));
}

static PyObject *operator_dict(PyObject *owner, const lavdm_operator_t *o) {
  const int64_t blocks[] = {o->blocks, o->q, o->q}, next = o->n + 1;
  PyObject *d = Py_BuildValue("{sLsLsL}", "n", (long long)o->n, "m", (long long)o->m, "q", (long long)o->q);
  if (d && put(d, "start", array_new(owner, LAVDM_I64, 1, &next, o->start)) &&
      put(d, "col", array_int32(owner, o->blocks, o->col)) &&
      put(d, "block", array_new(owner, LAVDM_F64, 3, blocks, o->block)) &&
      put(d, "degrees", array_new(owner, LAVDM_F64, 1, &o->n, o->degree)) &&
      put(d, "nodes", array_new(owner, LAVDM_I64, 1, &o->n, o->node)) &&
      put(d, "frames", array_of(owner, o->frames)) && put(d, "landmarks", array_of(owner, o->landmarks)) &&
      put(d, "chosen", options_of(o->chosen)) &&
      put(d, "warnings", texts_of(o->info->warning, o->info->warnings)))
    return d;
  Py_XDECREF(d);
  return NULL;
}

/* (data, options) -> dict. */
static PyObject *make_operator(PyObject *self, PyObject *args) {
  PyObject *data, *options, *result = NULL;
  request_t r;
  lavdm_operator_t *found = NULL;
  lavdm_error error;
  int status = 0;
  (void)self;
  if (!PyArg_ParseTuple(args, "O!O!:operator", &PyDict_Type, &data, &PyDict_Type, &options)) return NULL;
  if (!request_open(&r, data, options)) {
    UNLOCKED(status = lavdm_operator(&r.data, &r.options, &found, &error));
    if (request_done(r.talk, status, &error)) {
      PyObject *owner = PyCapsule_New(found, "operator", drop_operator);
      if (owner)
        result = operator_dict(owner, found);
      else
        lavdm_operator_free(found);
      Py_XDECREF(owner);
    } else {
      lavdm_operator_free(found);
    }
  }
  request_close(&r);
  return result;
}

PyMethodDef graph_functions[] = {
    {"operator", make_operator, METH_VARARGS, "operator(data, options) -> dict"},
    {"sync", synchronize, METH_VARARGS, "sync(data, options, how) -> dict"},
    {0},
};
