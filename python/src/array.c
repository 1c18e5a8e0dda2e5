/* Arrays out (views of memory that an owner holds) and in (buffers). */
#include "core.h"

#include <string.h>

typedef struct {
  PyObject_HEAD PyObject *owner;
  const void *data;
  const char *format;
  int rank;
  Py_ssize_t item, shape[MOST_AXES], strides[MOST_AXES];
} array_t;

static const char *format_of(lavdm_type type) {
  return type == LAVDM_F64 ? "d" : type == LAVDM_F32 ? "f" : sizeof(long) == sizeof(int64_t) ? "l" : "q";
}

static Py_ssize_t size_of(lavdm_type type) {
  return type == LAVDM_F32 ? 4 : 8;
}

static int array_buffer(PyObject *object, Py_buffer *view, int flags) {
  array_t *a = (array_t *)object;
  static const double nothing;
  if (flags & PyBUF_WRITABLE) {
    PyErr_SetString(PyExc_BufferError, "results of lavdm are read-only: copy the array to change it");
    return -1;
  }
  if ((flags & PyBUF_F_CONTIGUOUS) == PyBUF_F_CONTIGUOUS && a->rank > 1) {
    PyErr_SetString(PyExc_BufferError, "results of lavdm are stored by rows");
    return -1;
  }
  Py_ssize_t bytes = a->item;
  for (int k = 0; k < a->rank; k++) bytes *= a->shape[k];
  *view = (Py_buffer){.buf = (void *)(a->data ? a->data : &nothing),
                      .obj = object,
                      .len = bytes,
                      .readonly = 1,
                      .itemsize = a->item,
                      .format = flags & PyBUF_FORMAT ? (char *)a->format : NULL,
                      .ndim = a->rank,
                      .shape = flags & PyBUF_ND ? a->shape : NULL,
                      .strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES ? a->strides : NULL};
  Py_INCREF(object);
  return 0;
}

static int array_traverse(PyObject *object, visitproc visit, void *arg) {
  Py_VISIT(((array_t *)object)->owner);
  return 0;
}

static void array_free(PyObject *object) {
  PyObject_GC_UnTrack(object);
  Py_XDECREF(((array_t *)object)->owner);
  Py_TYPE(object)->tp_free(object);
}

static PyBufferProcs array_buffers = {.bf_getbuffer = array_buffer};

PyTypeObject array_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "lavdm._core.Array",
    .tp_doc = "A view of memory of the library, through the buffer protocol.",
    .tp_basicsize = sizeof(array_t),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_dealloc = array_free,
    .tp_traverse = array_traverse,
    .tp_as_buffer = &array_buffers,
};

static PyObject *view_of(PyObject *owner, const char *format, Py_ssize_t item, int rank, const int64_t *shape,
                         const void *data) {
  int64_t count = 1;
  for (int k = 0; k < rank; k++) count *= shape[k];
  if (!data && count) Py_RETURN_NONE;
  array_t *a = PyObject_GC_New(array_t, &array_type);
  if (!a) return NULL;
  Py_INCREF(owner);
  a->owner = owner;
  a->data = data;
  a->format = format;
  a->rank = rank;
  a->item = item;
  Py_ssize_t stride = a->item;
  for (int k = rank - 1; k >= 0; k--) {
    a->shape[k] = (Py_ssize_t)shape[k];
    a->strides[k] = stride;
    stride *= a->shape[k];
  }
  PyObject_GC_Track(a);
  return (PyObject *)a;
}

PyObject *array_new(PyObject *owner, lavdm_type type, int rank, const int64_t *shape, const void *data) {
  return view_of(owner, format_of(type), size_of(type), rank, shape, data);
}

PyObject *array_int32(PyObject *owner, int64_t count, const int32_t *data) {
  return view_of(owner, "i", sizeof *data, 1, &count, data);
}

PyObject *array_of(PyObject *owner, const lavdm_array *array) {
  if (!array) Py_RETURN_NONE;
  return array_new(owner, array->type, array->rank, array->shape, array->data);
}

/* int64_t is `long` on some machines and `long long` on others. */
static bool is_format(const char *format, Py_ssize_t item, lavdm_type type) {
  if (!format || item != size_of(type)) return false;
  if (*format == '@' || *format == '=') format++;
  if (strlen(format) != 1) return false;
  return type == LAVDM_I64 ? *format == 'l' || *format == 'q' : *format == *format_of(type);
}

void *buffer_open(buffer_t *buffer, PyObject *object, lavdm_type type, int64_t count, want_t want,
                  const char *name) {
  if (!object || object == Py_None) return NULL;
  int flags = PyBUF_FORMAT | PyBUF_C_CONTIGUOUS | (want == WANT_WRITE ? PyBUF_WRITABLE : 0);
  if (PyObject_GetBuffer(object, &buffer->view, flags)) return NULL;
  buffer->open = true;
  if (!is_format(buffer->view.format, buffer->view.itemsize, type)) {
    PyErr_Format(PyExc_TypeError, "%s: numbers of the format '%s' are needed, and these are '%s'", name,
                 format_of(type), buffer->view.format);
    return NULL;
  }
  if ((uintptr_t)buffer->view.buf % (size_t)buffer->view.itemsize) {
    PyErr_Format(PyExc_TypeError, "%s: numbers are needed at addresses that suit their type", name);
    return NULL;
  }
  if (count >= 0 && buffer_count(buffer) != count) {
    PyErr_Format(PyExc_ValueError, "%s: %lld entries are needed, and there are %lld", name, (long long)count,
                 (long long)buffer_count(buffer));
    return NULL;
  }
  return buffer->view.buf;
}

void *buffer_need(buffer_t *buffer, PyObject *object, lavdm_type type, int64_t count, want_t want,
                  const char *name) {
  void *data = buffer_open(buffer, object, type, count, want, name);
  if (!data && !PyErr_Occurred()) PyErr_Format(PyExc_TypeError, "%s: numbers are needed", name);
  return data;
}

int64_t entries(int64_t a, int64_t b, int64_t c) {
  int64_t product;
  bool possible = a >= 0 && b >= 0 && c >= 0 && !__builtin_mul_overflow(a, b, &product) &&
                  !__builtin_mul_overflow(product, c, &product);
  return possible ? product : INT64_MAX;
}

int64_t buffer_count(const buffer_t *buffer) {
  return buffer->open ? buffer->view.len / buffer->view.itemsize : 0;
}

void buffer_close(buffer_t *buffer) {
  if (buffer->open) PyBuffer_Release(&buffer->view);
  buffer->open = false;
}
