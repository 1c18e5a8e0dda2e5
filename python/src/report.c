/* The page of a result: lavdm/report.h. */
#include "core.h"

#include "lavdm/report.h"

/* Items and what holds them while the page is written. */
typedef struct {
  lavdm_item *item;
  buffer_t *buffer;
  double *number; /* of items that are one */
  int count;
} items_t;

static void items_free(items_t *all) {
  for (int i = 0; all->buffer && i < all->count; i++) buffer_close(&all->buffer[i]);
  PyMem_Free(all->item);
  PyMem_Free(all->buffer);
  PyMem_Free(all->number);
}

/* An array of doubles, floats or int64_t; bytes are a text; a number is itself. */
static int take_item(items_t *all, int i, PyObject *pair) {
  PyObject *value;
  lavdm_item *item = &all->item[i];
  buffer_t *buffer = &all->buffer[i];
  if (!PyArg_ParseTuple(pair, "yO:item", &item->name, &value)) return -1;
  if (PyBytes_Check(value)) {
    item->type = LAVDM_ITEM_TEXT, item->rank = 1;
    item->shape[0] = PyBytes_GET_SIZE(value), item->data = PyBytes_AS_STRING(value);
    return 0;
  }
  if (PyFloat_Check(value) || PyLong_Check(value)) {
    all->number[i] = PyFloat_AsDouble(value);
    item->type = LAVDM_ITEM_REAL, item->data = &all->number[i];
    return PyErr_Occurred() ? -1 : 0;
  }
  static const struct {
    lavdm_type number;
    lavdm_item_type type;
  } kinds[] = {{LAVDM_F64, LAVDM_ITEM_REAL}, {LAVDM_F32, LAVDM_ITEM_SINGLE}, {LAVDM_I64, LAVDM_ITEM_INTEGER}};
  for (int k = 0; k < 3 && !item->data; k++) {
    buffer_close(buffer);
    PyErr_Clear();
    item->data = buffer_need(buffer, value, kinds[k].number, -1, WANT_READ, item->name);
    item->type = kinds[k].type;
  }
  if (!item->data) return -1;
  item->rank = buffer->view.ndim;
  if (item->rank > LAVDM_ITEM_RANK) {
    PyErr_Format(PyExc_ValueError, "%s: at most %d axes", item->name, LAVDM_ITEM_RANK);
    return -1;
  }
  for (int k = 0; k < item->rank; k++) item->shape[k] = buffer->view.shape[k];
  return 0;
}

static int take_items(items_t *all, PyObject *list) {
  all->count = (int)PyList_GET_SIZE(list);
  size_t room = (size_t)all->count + 1;
  all->item = PyMem_Calloc(room, sizeof *all->item);
  all->buffer = PyMem_Calloc(room, sizeof *all->buffer);
  all->number = PyMem_Calloc(room, sizeof *all->number);
  if (!all->item || !all->buffer || !all->number) return PyErr_NoMemory(), -1;
  for (int i = 0; i < all->count; i++)
    if (take_item(all, i, PyList_GET_ITEM(list, i))) return -1;
  return 0;
}

/* (path, title, items: list of (name, array, bytes or number), data or None, images or None, options). */
static PyObject *report(PyObject *self, PyObject *args) {
  PyObject *path = NULL, *list, *data, *images, *options, *result = NULL;
  const char *title;
  items_t items = {0};
  request_t r = {0}, other = {0};
  lavdm_report_options how;
  lavdm_error error;
  int status = 0;
  (void)self;
  if (!PyArg_ParseTuple(args, "O&yO!OOO!:report", PyUnicode_FSConverter, &path, &title, &PyList_Type, &list,
                        &data, &images, &PyDict_Type, &options))
    return NULL;
  bool good = !request_open(&r, data == Py_None ? NULL : data, options) &&
              !request_open(&other, images == Py_None ? NULL : images, NULL) && !take_items(&items, list);
  if (good) {
    lavdm_report_default(&how);
    how.title = title;
    how.data = data == Py_None ? NULL : &r.data;
    how.images = images == Py_None ? NULL : &other.data;
    how.seed = r.options.seed, how.threads = r.options.threads;
    how.progress = report_progress, how.progress_user = r.talk;
    UNLOCKED(status = lavdm_report_write(PyBytes_AS_STRING(path), items.item, items.count, &how, &error));
    if (request_done(other.talk, 0, &error) && request_done(r.talk, status, &error))
      result = Py_NewRef(Py_None);
  }
  items_free(&items);
  request_close(&r);
  request_close(&other);
  Py_DECREF(path);
  return result;
}

PyMethodDef report_functions[] = {
    {"report", report, METH_VARARGS, "report(path, title, items, data, images, options)"},
    {0},
};
