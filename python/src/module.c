/* The module lavdm._core, and the table of options. */
#include "core.h"

#include <omp.h>

static PyObject *number_or_none(double value, bool given) {
  return given ? PyFloat_FromDouble(value) : Py_NewRef(Py_None);
}

static PyObject *option_dict(const lavdm_option *o) {
  static const char *const types[] = {"choice", "integer", "real", "bytes"};
  bool number = o->type != LAVDM_TYPE_CHOICE;
  return Py_BuildValue("{sssssssssssNsNsz}", "name", o->name, "type", types[o->type], "initial", o->initial,
                       "help", o->help, "more", o->more, "least", number_or_none(o->least, number), "most",
                       number_or_none(o->most, number), "choices", o->choices);
}

static PyObject *options(PyObject *self, PyObject *unused) {
  int count = lavdm_option_count();
  (void)self, (void)unused;
  PyObject *list = PyList_New(count);
  for (int k = 0; list && k < count; k++) {
    PyObject *one = option_dict(lavdm_option_at(k));
    if (!one) Py_CLEAR(list);
    if (one) PyList_SET_ITEM(list, k, one);
  }
  return list;
}

/* For a child process: the thread that forked has a pool of threads that are not there, and would wait for
 * them for ever. With no level of parallelism every region is run by the one thread that reaches it, whatever
 * number of threads it asks for; other threads of the child make pools of their own. */
static PyObject *one_thread(PyObject *self, PyObject *unused) {
  (void)self, (void)unused;
  omp_set_max_active_levels(0);
  Py_RETURN_NONE;
}

static PyMethodDef option_functions[] = {
    {"one_thread", one_thread, METH_NOARGS, "one_thread(): the calling thread works alone from now on"},
    {"options", options, METH_NOARGS, "options() -> list of dicts: the table of options"},
    {0},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "lavdm._core",
    .m_doc = "The C library of lavdm.",
    .m_size = -1,
};

PyMODINIT_FUNC PyInit__core(void) {
  PyMethodDef *functions[] = {option_functions, model_functions,  graph_functions, sync_functions,
                              app_functions,    sample_functions, report_functions};
  PyTypeObject *hidden[] = {&array_type, &talk_type, &model_type};
  PyObject *module = PyModule_Create(&definition);
  bool good = module != NULL;
  for (size_t k = 0; good && k < sizeof functions / sizeof *functions; k++)
    good = !PyModule_AddFunctions(module, functions[k]);
  for (size_t k = 0; good && k < sizeof hidden / sizeof *hidden; k++) good = !PyType_Ready(hidden[k]);
  good = good && !PyType_Ready(&stack_type) &&
         !PyModule_AddObjectRef(module, "Stack", (PyObject *)&stack_type) &&
         !PyModule_AddObjectRef(module, "Model", (PyObject *)&model_type) &&
         !PyModule_AddStringConstant(module, "version", lavdm_version());
  if (good) return module;
  Py_XDECREF(module);
  return NULL;
}
