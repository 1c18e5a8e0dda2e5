/* Stacks of images and signals that turn. */
#include "core.h"
#include "lavdm/images.h"

typedef struct {
  PyObject_HEAD lavdm_stack *stack;
} turning_t;

static const lavdm_stack *stack_of(PyObject *self) {
  return ((turning_t *)self)->stack;
}

static void stack_free(PyObject *self) {
  lavdm_stack_free(((turning_t *)self)->stack);
  Py_TYPE(self)->tp_free(self);
}

static PyObject *stack_new(PyTypeObject *type, PyObject *args, PyObject *keywords) {
  PyObject *data, *options, *result = NULL;
  request_t r;
  lavdm_stack *stack = NULL;
  lavdm_error error;
  int status = 0;
  (void)keywords;
  if (!PyArg_ParseTuple(args, "O!O!:Stack", &PyDict_Type, &data, &PyDict_Type, &options)) return NULL;
  if (!request_open(&r, data, options)) {
    r.options.progress = report_to_listener;
    r.options.progress_user = NULL;
    talk_t *before = listen(r.talk);
    UNLOCKED(status = lavdm_stack_new(&r.data, &r.options, &stack, &error));
    listen(before);
    if (request_done(r.talk, status, &error)) result = type->tp_alloc(type, 0);
    if (result)
      ((turning_t *)result)->stack = stack;
    else
      lavdm_stack_free(stack);
  }
  request_close(&r);
  return result;
}

static PyObject *info(PyObject *self, PyObject *unused) {
  static const char *const signals[] = {"periodic", "windowed", "phase"};
  const lavdm_stack_info_t *i = lavdm_stack_info(stack_of(self));
  (void)unused;
  return Py_BuildValue("{sLsLsLsLsLsLsLsdss}", "n", (long long)i->n, "height", (long long)i->height, "width",
                       (long long)i->width, "pixels", (long long)i->pixels, "bands", (long long)i->bands,
                       "coefficients", (long long)i->coefficients, "compared", (long long)i->compared,
                       "noise", i->noise, "signals", signals[i->signals]);
}

/* A buffer of signed bytes, `count` of them. */
static signed char *flags_open(buffer_t *b, PyObject *object, int64_t count, want_t want) {
  if (PyObject_GetBuffer(object, &b->view, PyBUF_C_CONTIGUOUS | (want == WANT_WRITE ? PyBUF_WRITABLE : 0)))
    return NULL;
  b->open = true;
  if (b->view.len == count) return b->view.buf;
  PyErr_SetString(PyExc_ValueError, "reflected: one byte for each is needed");
  return NULL;
}

/* (progress, i, j, distance, angle, reflected). */
static PyObject *pairs(PyObject *self, PyObject *args) {
  PyObject *progress, *object[5];
  buffer_t b[5] = {{.open = false}};
  double *distance = NULL, *angle = NULL;
  const int64_t *i, *j = NULL;
  signed char *reflected = NULL;
  lavdm_error error;
  int status = 0;
  if (!PyArg_ParseTuple(args, "OOOOOO:pairs", &progress, &object[0], &object[1], &object[2], &object[3],
                        &object[4]))
    return NULL;
  i = buffer_need(&b[0], object[0], LAVDM_I64, -1, WANT_READ, "i");
  int64_t count = buffer_count(&b[0]);
  if (i) j = buffer_need(&b[1], object[1], LAVDM_I64, count, WANT_READ, "j");
  if (j) distance = buffer_need(&b[2], object[2], LAVDM_F64, count, WANT_WRITE, "distance");
  if (distance) angle = buffer_need(&b[3], object[3], LAVDM_F64, count, WANT_WRITE, "angle");
  if (angle) reflected = flags_open(&b[4], object[4], count, WANT_WRITE);
  talk_t talk = talk_to(progress), *before = listen(&talk);
  if (reflected)
    UNLOCKED(status = lavdm_stack_pairs(stack_of(self), i, j, count, distance, angle, reflected, &error));
  for (int k = 0; k < 5; k++) buffer_close(&b[k]);
  listen(before);
  if (!reflected || !request_done(&talk, status, &error)) return NULL;
  Py_RETURN_NONE;
}

/* (progress, objects or None, references or None, k, index, distance, angle, reflected). */
static PyObject *neighbours(PyObject *self, PyObject *args) {
  PyObject *progress, *object[6];
  buffer_t b[6] = {{.open = false}};
  const int64_t *objects = NULL, *references = NULL;
  int64_t *index = NULL;
  double *distance = NULL, *angle = NULL;
  signed char *reflected = NULL;
  long long k;
  lavdm_error error;
  int status = 0;
  if (!PyArg_ParseTuple(args, "OOOLOOOO:neighbours", &progress, &object[0], &object[1], &k, &object[2],
                        &object[3], &object[4], &object[5]))
    return NULL;
  int64_t n = lavdm_stack_info(stack_of(self))->n;
  objects = buffer_open(&b[0], object[0], LAVDM_I64, -1, WANT_READ, "objects");
  if (!PyErr_Occurred()) references = buffer_open(&b[1], object[1], LAVDM_I64, -1, WANT_READ, "references");
  int64_t count = objects ? buffer_count(&b[0]) : n, others = references ? buffer_count(&b[1]) : n;
  if (!PyErr_Occurred())
    index = buffer_need(&b[2], object[2], LAVDM_I64, entries(count, k, 1), WANT_WRITE, "index");
  if (index)
    distance = buffer_need(&b[3], object[3], LAVDM_F64, entries(count, k, 1), WANT_WRITE, "distance");
  if (distance) angle = buffer_need(&b[4], object[4], LAVDM_F64, entries(count, k, 1), WANT_WRITE, "angle");
  if (angle) reflected = flags_open(&b[5], object[5], entries(count, k, 1), WANT_WRITE);
  talk_t talk = talk_to(progress), *before = listen(&talk);
  if (reflected)
    UNLOCKED(status = lavdm_stack_neighbours(stack_of(self), objects, count, references, others, k, index,
                                             distance, angle, reflected, &error));
  for (int c = 0; c < 6; c++) buffer_close(&b[c]);
  listen(before);
  if (!reflected || !request_done(&talk, status, &error)) return NULL;
  Py_RETURN_NONE;
}

/* (progress, objects, angle, reflected, out). */
static PyObject *turn(PyObject *self, PyObject *args) {
  const lavdm_stack_info_t *facts = lavdm_stack_info(stack_of(self));
  PyObject *progress, *object[4];
  buffer_t b[4] = {{.open = false}};
  const double *angle = NULL;
  signed char *reflected = NULL;
  double *out = NULL;
  lavdm_error error;
  int status = 0;
  if (!PyArg_ParseTuple(args, "OOOOO:turn", &progress, &object[0], &object[1], &object[2], &object[3]))
    return NULL;
  const int64_t *objects = buffer_need(&b[0], object[0], LAVDM_I64, -1, WANT_READ, "objects");
  int64_t count = buffer_count(&b[0]), size = facts->height * facts->width;
  if (objects) angle = buffer_need(&b[1], object[1], LAVDM_F64, count, WANT_READ, "angle");
  if (angle) reflected = flags_open(&b[2], object[2], count, WANT_READ);
  if (reflected) out = buffer_need(&b[3], object[3], LAVDM_F64, entries(count, size, 1), WANT_WRITE, "out");
  talk_t talk = talk_to(progress), *before = listen(&talk);
  if (out) UNLOCKED(status = lavdm_stack_turn(stack_of(self), objects, angle, reflected, count, out, &error));
  for (int k = 0; k < 4; k++) buffer_close(&b[k]);
  listen(before);
  if (!out || !request_done(&talk, status, &error)) return NULL;
  Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    {"info", info, METH_NOARGS, "info() -> dict"},
    {"pairs", pairs, METH_VARARGS, "pairs(progress, i, j, distance, angle, reflected)"},
    {"neighbours", neighbours, METH_VARARGS,
     "neighbours(progress, objects, references, k, index, distance, angle, reflected)"},
    {"turn", turn, METH_VARARGS, "turn(progress, objects, angle, reflected, out)"},
    {0},
};

PyTypeObject stack_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "lavdm._core.Stack",
    .tp_doc = "Stack(data, options): images or signals, expanded in functions that turn.",
    .tp_basicsize = sizeof(turning_t),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = stack_new,
    .tp_dealloc = stack_free,
    .tp_methods = methods,
};
