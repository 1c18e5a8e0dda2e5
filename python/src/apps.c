/* Applications: denoising and class averaging. */
#include "core.h"

#include "lavdm/average.h"
#include "lavdm/denoise.h"

/* ----------------------------------------------------------------- denoising */

static int take_denoise(PyObject *how, const request_t *r, lavdm_denoise_options *o) {
  int method, average;
  lavdm_denoise_default(o);
  method = (int)o->method, average = (int)o->average;
  if (word_of(how, "method", lavdm_denoise_methods(), &method) ||
      word_of(how, "average", lavdm_denoise_averages(), &average) || real_of(how, "sigma", &o->sigma) ||
      real_of(how, "bandwidth", &o->bandwidth) || whole_of(how, "passes", &o->passes) ||
      whole_of(how, "patch", &o->patch) || whole_of(how, "window", &o->window) ||
      whole_of(how, "neighbours", &o->neighbours) || whole_of(how, "step", &o->step) ||
      whole_of(how, "turned", &o->turned))
    return -1;
  o->method = (lavdm_denoise_method)method;
  o->average = (lavdm_denoise_average)average;
  if (r->options.landmarks > 0) o->landmarks = r->options.landmarks;
  o->seed = r->options.seed;
  o->threads = r->options.threads;
  o->progress = report_progress;
  o->progress_user = r->talk;
  return 0;
}

/* (picture, height, width, channels, options, how, out) -> dict. */
static PyObject *denoise(PyObject *self, PyObject *args) {
  PyObject *object[2], *options, *how, *result = NULL;
  buffer_t b[2] = {{.open = false}};
  request_t r;
  lavdm_denoise_options o;
  lavdm_denoise_info facts = {0};
  long long height, width, channels;
  lavdm_error error;
  int status = 0;
  (void)self;
  if (!PyArg_ParseTuple(args, "OLLLO!O!O:denoise", &object[0], &height, &width, &channels, &PyDict_Type,
                        &options, &PyDict_Type, &how, &object[1]))
    return NULL;
  if (!request_open(&r, NULL, options) && !take_denoise(how, &r, &o)) {
    int64_t count = entries(height, width, channels);
    const double *from = buffer_need(&b[0], object[0], LAVDM_F64, count, WANT_READ, "picture");
    double *to = from ? buffer_need(&b[1], object[1], LAVDM_F64, count, WANT_WRITE, "out") : NULL;
    if (to) {
      UNLOCKED(status = lavdm_denoise(from, height, width, channels, &o, to, &facts, &error));
      if (request_done(r.talk, status, &error))
        result = Py_BuildValue("{sdsLsLsLsLsL}", "sigma", facts.sigma, "patches", (long long)facts.patches,
                               "turned", (long long)facts.turned, "patch", (long long)facts.patch, "window",
                               (long long)facts.window, "neighbours", (long long)facts.neighbours);
    }
  }
  for (int k = 0; k < 2; k++) buffer_close(&b[k]);
  request_close(&r);
  return result;
}

/* (picture, height, width, channels) -> sigma. */
static PyObject *noise_level(PyObject *self, PyObject *args) {
  PyObject *object;
  buffer_t b = {.open = false};
  long long height, width, channels;
  double sigma = 0;
  lavdm_error error;
  int status = 0;
  (void)self;
  if (!PyArg_ParseTuple(args, "OLLL:noise_level", &object, &height, &width, &channels)) return NULL;
  const double *from =
      buffer_need(&b, object, LAVDM_F64, entries(height, width, channels), WANT_READ, "picture");
  if (from) UNLOCKED(status = lavdm_denoise_sigma(from, height, width, channels, &sigma, &error));
  buffer_close(&b);
  if (!from || !request_done(NULL, status, &error)) return NULL;
  return PyFloat_FromDouble(sigma);
}

/* (height, width, seed, sigma, out): values 0 .. 255 and noise. */
static PyObject *example_picture(PyObject *self, PyObject *args) {
  PyObject *object;
  buffer_t b = {.open = false};
  long long height, width;
  unsigned long long seed;
  double sigma;
  (void)self;
  if (!PyArg_ParseTuple(args, "LLKdO:example_picture", &height, &width, &seed, &sigma, &object)) return NULL;
  double *to = buffer_need(&b, object, LAVDM_F64, entries(height, width, 1), WANT_WRITE, "out");
  if (to) UNLOCKED(lavdm_denoise_example(height, width, seed, sigma, to));
  buffer_close(&b);
  if (!to) return NULL;
  Py_RETURN_NONE;
}

/* ------------------------------------------------------------ class averages */

static void drop_average(PyObject *capsule) {
  lavdm_average_t *r = PyCapsule_GetPointer(capsule, "average");
  lavdm_average_free(r);
}

static int take_average(PyObject *how, const request_t *r, lavdm_average_options *o) {
  int method = LAVDM_AVERAGE_AUTO;
  lavdm_average_default(o);
  if (word_of(how, "method", lavdm_average_methods(), &method) ||
      whole_of(how, "neighbours", &o->neighbours) || whole_of(how, "edges", &o->edges) ||
      whole_of(how, "rounds", &o->rounds) || whole_of(how, "classes", &o->classes))
    return -1;
  o->method = (lavdm_average_method)method;
  o->how = &r->options;
  return 0;
}

/* reflected as bytes, for NumPy to make booleans of. */
static PyObject *flags_of(const signed char *flag, int64_t count) {
  return flag ? PyBytes_FromStringAndSize((const char *)flag, (Py_ssize_t)count) : Py_NewRef(Py_None);
}

static PyObject *average_dict(PyObject *owner, const lavdm_average_t *a) {
  const int64_t table[] = {a->count, a->k}, images[] = {a->count, a->height, a->width};
  PyObject *d = Py_BuildValue("{sssdsLsLsLss}", "method", lavdm_average_methods()[a->method], "noise",
                              a->noise, "landmarks", (long long)a->landmarks, "edges", (long long)a->edges,
                              "components", (long long)a->components, "warning", a->warning);
  if (d && put(d, "images", array_new(owner, LAVDM_I64, 1, table, a->centre)) &&
      put(d, "neighbours", array_new(owner, LAVDM_I64, 2, table, a->index)) &&
      put(d, "angles", array_new(owner, LAVDM_F64, 2, table, a->angle)) &&
      put(d, "distances", array_new(owner, LAVDM_F64, 2, table, a->distance)) &&
      put(d, "averages", array_new(owner, LAVDM_F64, 3, images, a->average)) &&
      put(d, "reflected", flags_of(a->reflected, a->count * a->k)))
    return d;
  Py_XDECREF(d);
  return NULL;
}

/* (data, options, how) -> dict. */
static PyObject *class_average(PyObject *self, PyObject *args) {
  PyObject *data, *options, *how, *result = NULL;
  request_t r;
  lavdm_average_options o;
  lavdm_error error;
  int status = 0;
  (void)self;
  if (!PyArg_ParseTuple(args, "O!O!O!:class_average", &PyDict_Type, &data, &PyDict_Type, &options,
                        &PyDict_Type, &how))
    return NULL;
  lavdm_average_t *found = NULL;
  if (!request_open(&r, data, options) && !take_average(how, &r, &o)) {
    UNLOCKED(status = lavdm_average(&r.data, &o, &found, &error));
    PyObject *owner = found ? PyCapsule_New(found, "average", drop_average) : NULL;
    if (found && !owner) lavdm_average_free(found);
    if (request_done(r.talk, status, &error) && owner) result = average_dict(owner, found);
    Py_XDECREF(owner);
  }
  request_close(&r);
  return result;
}

PyMethodDef app_functions[] = {
    {"denoise", denoise, METH_VARARGS,
     "denoise(picture, height, width, channels, options, how, out) -> dict"},
    {"noise_level", noise_level, METH_VARARGS, "noise_level(picture, height, width, channels) -> sigma"},
    {"example_picture", example_picture, METH_VARARGS, "example_picture(height, width, seed, sigma, out)"},
    {"class_average", class_average, METH_VARARGS, "class_average(data, options, how) -> dict"},
    {0},
};
