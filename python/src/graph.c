/* Work on graphs: the operator as a matrix. */
#include "core.h"

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
    {0},
};
