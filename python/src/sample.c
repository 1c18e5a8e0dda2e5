/* Manifolds and projections to try things on. */
#include "core.h"
#include "lavdm/projections.h"
#include "lavdm/sample.h"

static PyObject *shapes(PyObject *self, PyObject *unused) {
  PyObject *list = PyList_New(0);
  (void)self, (void)unused;
  for (int k = 0; list && k < lavdm_shape_count(); k++) {
    const lavdm_shape *s = lavdm_shape_at(k);
    PyObject *one = Py_BuildValue("(sss)", s->name, s->densities, s->help);
    if (!one || PyList_Append(list, one)) Py_CLEAR(list);
    Py_XDECREF(one);
  }
  return list;
}

static PyObject *shape_size(PyObject *self, PyObject *args) {
  const char *shape;
  long long dim;
  int64_t p, d;
  lavdm_error error;
  (void)self;
  if (!PyArg_ParseTuple(args, "sL:shape_size", &shape, &dim)) return NULL;
  if (!request_done(NULL, lavdm_shape_size(shape, dim, &p, &d, &error), &error)) return NULL;
  return Py_BuildValue("(LL)", (long long)p, (long long)d);
}

/* (shape, n, dim, density, noise, seed, points, frames, parameters). */
static PyObject *sample(PyObject *self, PyObject *args) {
  const char *shape, *density;
  PyObject *object[3];
  buffer_t b[3] = {{.open = false}};
  long long n, dim;
  unsigned long long seed;
  double noise;
  lavdm_error error;
  int64_t p, d;
  int status = 0;
  (void)self;
  if (!PyArg_ParseTuple(args, "sLLzdKOOO:sample", &shape, &n, &dim, &density, &noise, &seed, &object[0],
                        &object[1], &object[2]))
    return NULL;
  if (!request_done(NULL, lavdm_shape_size(shape, dim, &p, &d, &error), &error)) return NULL;
  double *points = buffer_need(&b[0], object[0], LAVDM_F64, entries(n, p, 1), WANT_WRITE, "points"),
         *frames = NULL, *parameters = NULL;
  if (points) frames = buffer_open(&b[1], object[1], LAVDM_F64, entries(n, p, d), WANT_WRITE, "frames");
  if (!PyErr_Occurred())
    parameters = buffer_open(&b[2], object[2], LAVDM_F64, entries(n, d, 1), WANT_WRITE, "parameters");
  bool ready = !PyErr_Occurred();
  if (ready)
    UNLOCKED(status = lavdm_sample(shape, n, dim, density, noise, seed, points, frames, parameters, &error));
  for (int k = 0; k < 3; k++) buffer_close(&b[k]);
  if (!ready || !request_done(NULL, status, &error)) return NULL;
  Py_RETURN_NONE;
}

static int project(long long n, long long size, long long blobs, unsigned long long seed, double snr,
                   double *images, double *rotations, double *sigma, lavdm_error *error) {
  lavdm_blob *blob = PyMem_RawCalloc((size_t)(blobs > 0 ? blobs : 1), sizeof *blob);
  if (!blob) {
    snprintf(error->message, sizeof error->message, "out of memory for the volume");
    return LAVDM_ERROR_MEMORY;
  }
  lavdm_volume volume = {.blobs = blob, .blob_count = blobs};
  int status = lavdm_blobs(blobs, seed, blob, error);
  if (status >= 0) status = lavdm_rotations(n, seed, rotations, error);
  if (status >= 0) status = lavdm_project(&volume, rotations, n, size, images, error);
  if (status >= 0 && snr > 0) status = lavdm_add_noise(images, n, size * size, snr, seed, sigma, error);
  PyMem_RawFree(blob);
  return status;
}

/* (n, size, blobs, seed, snr, images, rotations) -> sigma; snr 0: no noise. */
static PyObject *projections(PyObject *self, PyObject *args) {
  PyObject *object[2];
  buffer_t b[2] = {{.open = false}};
  long long n, size, blobs;
  unsigned long long seed;
  double snr, sigma = 0;
  lavdm_error error;
  int status = 0;
  (void)self;
  if (!PyArg_ParseTuple(args, "LLLKdOO:projections", &n, &size, &blobs, &seed, &snr, &object[0], &object[1]))
    return NULL;
  double *images = buffer_need(&b[0], object[0], LAVDM_F64, entries(n, size, size), WANT_WRITE, "images");
  double *rotations =
      images ? buffer_need(&b[1], object[1], LAVDM_F64, entries(n, 9, 1), WANT_WRITE, "rotations") : NULL;
  if (rotations) UNLOCKED(status = project(n, size, blobs, seed, snr, images, rotations, &sigma, &error));
  for (int k = 0; k < 2; k++) buffer_close(&b[k]);
  if (!rotations || !request_done(NULL, status, &error)) return NULL;
  return PyFloat_FromDouble(sigma);
}

/* (rotations, i, j, viewing, turn). */
static PyObject *rotation_pairs(PyObject *self, PyObject *args) {
  PyObject *object[5];
  buffer_t b[5] = {{.open = false}};
  lavdm_error error;
  int status = 0;
  (void)self;
  if (!PyArg_ParseTuple(args, "OOOOO:rotation_pairs", &object[0], &object[1], &object[2], &object[3],
                        &object[4]))
    return NULL;
  const double *rotations = buffer_need(&b[0], object[0], LAVDM_F64, -1, WANT_READ, "rotations");
  const int64_t *i = rotations ? buffer_need(&b[1], object[1], LAVDM_I64, -1, WANT_READ, "i") : NULL,
                *j = NULL;
  int64_t count = buffer_count(&b[1]);
  double *viewing = NULL, *turn = NULL;
  if (i) j = buffer_need(&b[2], object[2], LAVDM_I64, count, WANT_READ, "j");
  if (j) viewing = buffer_need(&b[3], object[3], LAVDM_F64, count, WANT_WRITE, "viewing");
  if (viewing) turn = buffer_need(&b[4], object[4], LAVDM_F64, count, WANT_WRITE, "turn");
  if (turn)
    UNLOCKED(status = lavdm_rotation_pairs(rotations, buffer_count(&b[0]) / 9, i, j, NULL, count, viewing,
                                           turn, &error));
  for (int k = 0; k < 5; k++) buffer_close(&b[k]);
  if (!turn || !request_done(NULL, status, &error)) return NULL;
  Py_RETURN_NONE;
}

PyMethodDef sample_functions[] = {
    {"shapes", shapes, METH_NOARGS, "shapes() -> [(name, densities, help)]"},
    {"shape_size", shape_size, METH_VARARGS, "shape_size(shape, dim) -> (p, d)"},
    {"sample", sample, METH_VARARGS,
     "sample(shape, n, dim, density, noise, seed, points, frames, parameters)"},
    {"projections", projections, METH_VARARGS,
     "projections(n, size, blobs, seed, snr, images, rotations) -> sigma"},
    {"rotation_pairs", rotation_pairs, METH_VARARGS, "rotation_pairs(rotations, i, j, viewing, turn)"},
    {0},
};
