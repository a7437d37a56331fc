/* _midpool.c - the extension module: its exceptions, arrays that are lent, and the lists of what there is.
 * SPDX-License-Identifier: MIT */
#include "_midpool.h"

#include "data/archive.h"

#include <limits.h>
#include <string.h>

/* ---- exceptions ---- */

PyObject *mp_py_impossible;
static PyObject *error[MP_ERR_STOPPED + 1]; /* by status; [0]: what all of them are */

/* One of them is a `midpool.Error` and what Python has for the like. */
static const struct {
    const char *name, *about, *like;
} kinds[MP_ERR_STOPPED + 1] = {
    [MP_OK] = { "midpool.Error", "Something went wrong inside the library; the text says what.", NULL },
    [MP_ERR_USAGE] = { "midpool.UsageError", "An argument, an option or a configuration is wrong.", "ValueError" },
    [MP_ERR_INPUT] = { "midpool.InputError", "A file or an array says something impossible.", "ValueError" },
    [MP_ERR_IO] = { "midpool.FileError", "The system refused: no file, no space, no permission.", "OSError" },
    [MP_ERR_DIVERGED] = { "midpool.DivergedError", "Training met NaN or infinity.", "ArithmeticError" },
    [MP_ERR_LIMIT] = { "midpool.LimitError", "More memory or larger counts than there are.", "MemoryError" },
    [MP_ERR_BUSY] = { "midpool.BusyError", "Another program is using it: the same may work later.", NULL },
    [MP_ERR_STOPPED] = { "midpool.StoppedError", "Whoever was asked wanted no more.", NULL },
};

static PyObject *bases_of(const char *like)
{
    if (!error[MP_OK]) return Py_NewRef(PyExc_Exception);
    if (!like) return Py_NewRef(error[MP_OK]);
    PyObject *builtins = PyImport_ImportModule("builtins");
    PyObject *other = builtins ? PyObject_GetAttrString(builtins, like) : NULL;
    PyObject *both = other ? PyTuple_Pack(2, error[MP_OK], other) : NULL;
    Py_XDECREF(other);
    Py_XDECREF(builtins);
    return both;
}

bool mp_py_errors(PyObject *module)
{
    for (int i = 0; i <= MP_ERR_STOPPED; i++) {
        PyObject *bases = bases_of(kinds[i].like);
        if (!bases) return false;
        error[i] = PyErr_NewExceptionWithDoc(kinds[i].name, kinds[i].about, bases, NULL);
        Py_DECREF(bases);
        if (!error[i] || PyModule_AddObjectRef(module, strchr(kinds[i].name, '.') + 1, error[i]) < 0) return false;
    }
    mp_py_impossible = error[MP_ERR_INPUT];
    return true;
}

PyObject *mp_py_fail(mp_err e)
{
    bool known = e > MP_OK && e <= MP_ERR_STOPPED;
    PyErr_SetString(error[known ? e : MP_OK], mp_message());
    return NULL;
}

/* ---- arrays ---- */

bool mp_py_take(PyObject *o, char format, bool writable, const char *name, mp_py_array *out)
{
    memset(out, 0, sizeof *out);
    if (o == Py_None) return true;
    int flags = PyBUF_C_CONTIGUOUS | PyBUF_FORMAT | (writable ? PyBUF_WRITABLE : 0);
    if (PyObject_GetBuffer(o, &out->view, flags) < 0) return false;
    out->held = true;
    const char *has = out->view.format;
    if (!has || has[0] != format || has[1] != '\0') {
        PyErr_Format(PyExc_TypeError, "%s: expected an array of '%c', got '%s'", name, format, has ? has : "bytes");
        return false;
    }
    out->p = out->view.buf;
    out->n = out->view.len / out->view.itemsize;
    if (out->n <= INT_MAX || format != 'i') return true;
    PyErr_Format(error[MP_ERR_LIMIT], "%s: %zd numbers are too many", name, out->n);
    return false;
}

bool mp_py_room(const mp_py_array *a, Py_ssize_t wanted, const char *name)
{
    if (!a->held || a->n == wanted) return true;
    PyErr_Format(mp_py_impossible, "%s: expected %zd numbers, got %zd", name, wanted, a->n);
    return false;
}

void mp_py_drop(mp_py_array *list, int n)
{
    for (int i = 0; i < n; i++)
        if (list[i].held) PyBuffer_Release(&list[i].view);
}

bool mp_py_which(PyObject *o, mp_py_array *out)
{
    return mp_py_take(o, 'i', false, "indices of graphs", out);
}

/* ---- what there is ---- */

static PyObject *version(PyObject *self, PyObject *unused)
{
    (void)self, (void)unused;
    return PyUnicode_FromString(mp_version());
}

static PyObject *entries(PyObject *self, PyObject *args)
{
    int kind;
    mp_entry e;
    (void)self;
    if (!PyArg_ParseTuple(args, "i", &kind)) return NULL;
    PyObject *list = PyList_New(0);
    for (int i = 0; list && mp_entry_at((mp_kind)kind, i, &e); i++) {
        PyObject *row = Py_BuildValue("{s:s,s:s,s:s,s:z,s:z,s:d,s:d,s:O}", "name", e.name, "title", e.title, "about",
                                      e.about, "initial", e.initial, "choices", e.choices, "lo", e.lo, "hi", e.hi,
                                      "larger", e.larger ? Py_True : Py_False);
        if (!row || PyList_Append(list, row) < 0) Py_CLEAR(list);
        Py_XDECREF(row);
    }
    return list;
}

static PyObject *method_has(PyObject *self, PyObject *args)
{
    const char *method, *option;
    (void)self;
    if (!PyArg_ParseTuple(args, "ss", &method, &option)) return NULL;
    return PyBool_FromLong(mp_method_has(method, option));
}

static PyMethodDef own_methods[] = {
    { "version", version, METH_NOARGS, NULL },
    { "entries", entries, METH_VARARGS, NULL },
    { "method_has", method_has, METH_VARARGS, NULL },
    { NULL, NULL, 0, NULL },
};

static const struct {
    const char *name;
    int value;
} kind_names[] = {
    { "OPERATORS", MP_OPERATORS }, { "BASELINES", MP_BASELINES }, { "CONVOLUTIONS", MP_CONVOLUTIONS },
    { "TASKS", MP_TASKS },         { "METRICS", MP_METRICS },     { "PRESETS", MP_PRESETS },
    { "OPTIONS", MP_OPTIONS },
};

PyMODINIT_FUNC PyInit__midpool(void);

PyMODINIT_FUNC PyInit__midpool(void)
{
    static struct PyModuleDef definition = {
        PyModuleDef_HEAD_INIT, "midpool._midpool", NULL, -1, own_methods, NULL, NULL, NULL, NULL
    };
    PyObject *m = PyModule_Create(&definition);
    if (!m) return NULL;
    bool done = mp_py_errors(m) && PyModule_AddFunctions(m, mp_py_data_methods) == 0 &&
                PyModule_AddFunctions(m, mp_py_model_methods) == 0;
    for (size_t i = 0; done && i < sizeof kind_names / sizeof *kind_names; i++)
        done = PyModule_AddIntConstant(m, kind_names[i].name, kind_names[i].value) == 0;
    if (!done) Py_CLEAR(m);
    mp_unpack_with(&mp_libarchive); /* as the program does: sets lie in archives */
    return m;
}
