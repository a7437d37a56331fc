/* _data.c - data sets for Python: from files and arrays, and back to arrays and files.
 * SPDX-License-Identifier: MIT */
#include "_midpool.h"

#include <stdlib.h>
#include <string.h>

#define DATA "midpool.data"

static void free_data(PyObject *capsule)
{
    mp_data_free(PyCapsule_GetPointer(capsule, DATA));
}

static PyObject *new_data(mp_data *d)
{
    PyObject *capsule = PyCapsule_New(d, DATA, free_data);
    if (!capsule) mp_data_free(d);
    return capsule;
}

mp_data *mp_py_data(PyObject *capsule)
{
    return PyCapsule_GetPointer(capsule, DATA);
}

static PyObject *data_load(PyObject *self, PyObject *args)
{
    const char *name, *folder;
    mp_data_columns columns;
    mp_data *d;
    mp_err e;
    (void)self;
    if (!PyArg_ParseTuple(args, "szzz", &name, &folder, &columns.label, &columns.ignore)) return NULL;
    Py_BEGIN_ALLOW_THREADS;
    e = mp_data_load_columns(name, folder, &columns, &d);
    Py_END_ALLOW_THREADS;
    return e == MP_OK ? new_data(d) : mp_py_fail(e);
}

/* ---- from arrays ---- */

enum { PTR, FROM, TO, NODE_LABEL, NODE_ATTRIBUTE, EDGE_LABEL, EDGE_ATTRIBUTE, LABEL, NODE_RANGE, EDGE_RANGE, ARRAYS };
static const struct {
    const char *name;
    char format;
} tables[ARRAYS] = {
    [PTR] = { "node_ptr", 'i' },
    [FROM] = { "from", 'i' },
    [TO] = { "to", 'i' },
    [NODE_LABEL] = { "node_labels", 'i' },
    [NODE_ATTRIBUTE] = { "node_attributes", 'f' },
    [EDGE_LABEL] = { "edge_labels", 'i' },
    [EDGE_ATTRIBUTE] = { "edge_attributes", 'f' },
    [LABEL] = { "y", 'd' },
    [NODE_RANGE] = { "node_label_range", 'i' },
    [EDGE_RANGE] = { "edge_label_range", 'i' },
};

static int columns_of(const mp_py_array *a)
{
    return a->held && a->view.ndim == 2 ? (int)a->view.shape[1] : 0;
}

/* Tables are two-dimensional and have the rows they must have: midpool.h takes the caller's word for it. */
static bool fits(const mp_py_array *a, const mp_arrays *in, int nodes)
{
    const Py_ssize_t rows[ARRAYS] = { [NODE_LABEL] = nodes,
                                      [NODE_ATTRIBUTE] = nodes,
                                      [EDGE_LABEL] = in->edges,
                                      [EDGE_ATTRIBUTE] = in->edges,
                                      [LABEL] = in->graphs };
    for (int k = NODE_LABEL; k <= LABEL; k++) {
        if (!a[k].held || (a[k].view.ndim == 2 && a[k].view.shape[0] == rows[k])) continue;
        PyErr_Format(mp_py_impossible, "%s: expected a table of %zd rows", tables[k].name, rows[k]);
        return false;
    }
    return mp_py_room(&a[TO], a[FROM].n, "to") && mp_py_room(&a[NODE_RANGE], in->node_labels, "node_label_range") &&
           mp_py_room(&a[EDGE_RANGE], in->edge_labels, "edge_label_range");
}

static bool describe(const mp_py_array *a, const char *name, mp_arrays *in)
{
    const int *ptr = a[PTR].p;
    if (!ptr || a[PTR].n < 1 || !a[FROM].held || !a[TO].held) {
        PyErr_SetString(mp_py_impossible, "node_ptr, from and to must be there");
        return false;
    }
    *in = (mp_arrays){ .name = name,
                       .graphs = (int)a[PTR].n - 1,
                       .edges = (int)a[FROM].n,
                       .node_ptr = ptr,
                       .from = a[FROM].p,
                       .to = a[TO].p,
                       .node_labels = columns_of(&a[NODE_LABEL]),
                       .node_attributes = columns_of(&a[NODE_ATTRIBUTE]),
                       .edge_labels = columns_of(&a[EDGE_LABEL]),
                       .edge_attributes = columns_of(&a[EDGE_ATTRIBUTE]),
                       .node_label = a[NODE_LABEL].p,
                       .node_attribute = a[NODE_ATTRIBUTE].p,
                       .edge_label = a[EDGE_LABEL].p,
                       .edge_attribute = a[EDGE_ATTRIBUTE].p,
                       .targets = columns_of(&a[LABEL]),
                       .label = a[LABEL].p,
                       .node_label_range = a[NODE_RANGE].p,
                       .edge_label_range = a[EDGE_RANGE].p };
    return fits(a, in, ptr[in->graphs]);
}

/* Texts of a tuple, which live as long as it does; NULL with an exception. */
static const char **texts_of(PyObject *tuple)
{
    Py_ssize_t n = PyTuple_Size(tuple);
    const char **text = n < 0 ? NULL : PyMem_Calloc((size_t)n + 1, sizeof *text);
    if (!text && n >= 0) PyErr_NoMemory();
    for (Py_ssize_t i = 0; text && i < n; i++) {
        text[i] = PyUnicode_AsUTF8AndSize(PyTuple_GetItem(tuple, i), NULL);
        if (text[i]) continue;
        PyMem_Free(text);
        text = NULL;
    }
    return text;
}

static mp_data *make(const mp_py_array *a, const char *name, const char **names, int count)
{
    mp_arrays in;
    mp_data *d = NULL;
    mp_err e;
    if (!describe(a, name, &in)) return NULL;
    in.class_names = count;
    in.class_name = count ? names : NULL;
    Py_BEGIN_ALLOW_THREADS;
    e = mp_data_make(&in, &d);
    Py_END_ALLOW_THREADS;
    if (e != MP_OK) mp_py_fail(e);
    return e == MP_OK ? d : NULL;
}

static PyObject *data_make(PyObject *self, PyObject *args)
{
    const char *name;
    PyObject *o[ARRAYS], *classes;
    mp_py_array a[ARRAYS];
    bool good = true;
    memset(a, 0, sizeof a);
    (void)self;
    if (!PyArg_ParseTuple(args, "sO!OOOOOOOOOO", &name, &PyTuple_Type, &classes, &o[0], &o[1], &o[2], &o[3], &o[4],
                          &o[5], &o[6], &o[7], &o[8], &o[9]))
        return NULL;
    for (int k = 0; k < ARRAYS && good; k++) good = mp_py_take(o[k], tables[k].format, false, tables[k].name, &a[k]);
    const char **names = good ? texts_of(classes) : NULL;
    mp_data *d = names ? make(a, name, names, (int)PyTuple_Size(classes)) : NULL;
    PyMem_Free(names);
    mp_py_drop(a, ARRAYS);
    return d ? new_data(d) : NULL;
}

/* ---- and back ---- */

static PyObject *range_of(const int *range, int columns)
{
    if (!range) return Py_NewRef(Py_None);
    PyObject *list = PyList_New(0);
    for (int k = 0; list && k < columns; k++) {
        PyObject *number = PyLong_FromLong(range[k]);
        if (!number || PyList_Append(list, number) < 0) Py_CLEAR(list);
        Py_XDECREF(number);
    }
    return list;
}

static PyObject *data_about(PyObject *self, PyObject *capsule)
{
    mp_data_info i;
    const mp_data *d = mp_py_data(capsule);
    (void)self;
    if (!d) return NULL;
    mp_data_about(d, &i);
    PyObject *names = PyList_New(0);
    for (int c = 0; names && c < i.class_names; c++) {
        PyObject *name = PyUnicode_FromString(mp_data_class(d, c));
        if (!name || PyList_Append(names, name) < 0) Py_CLEAR(names);
        Py_XDECREF(name);
    }
    if (!names) return NULL;
    return Py_BuildValue("{s:s,s:i,s:i,s:i,s:i,s:i,s:i,s:i,s:i,s:z,s:s,s:N,s:O,s:N,s:N}", "name", i.name, "graphs",
                         i.graphs, "nodes", i.nodes, "edges", i.edges, "node_labels", i.node_labels, "node_attributes",
                         i.node_attributes, "edge_labels", i.edge_labels, "edge_attributes", i.edge_attributes,
                         "targets", i.targets, "origin", i.origin, "task", i.task, "class_names", names, "split",
                         i.split ? Py_True : Py_False, "node_label_range", range_of(i.node_label_range, i.node_labels),
                         "edge_label_range", range_of(i.edge_label_range, i.edge_labels));
}

static PyObject *data_size(PyObject *self, PyObject *args)
{
    PyObject *capsule, *o;
    mp_py_array which;
    int nodes = 0, edges = 0;
    (void)self;
    if (!PyArg_ParseTuple(args, "OO", &capsule, &o) || !mp_py_data(capsule)) return NULL;
    mp_err e = MP_OK;
    bool good = mp_py_which(o, &which);
    if (good) e = mp_data_size(mp_py_data(capsule), which.p, (int)which.n, &nodes, &edges);
    mp_py_drop(&which, 1);
    if (!good) return NULL;
    return e == MP_OK ? Py_BuildValue("ii", nodes, edges) : mp_py_fail(e);
}

/* The arrays that are there have the room they need. */
static bool has_room(const mp_data *d, const mp_py_array *which, const mp_py_array *a)
{
    int nodes, edges;
    mp_data_info i;
    mp_data_about(d, &i);
    mp_err e = mp_data_size(d, which->p, (int)which->n, &nodes, &edges);
    if (e != MP_OK) return mp_py_fail(e) != NULL;
    Py_ssize_t n = which->held ? which->n : i.graphs;
    const Py_ssize_t wanted[ARRAYS] = { [PTR] = n + 1,
                                        [FROM] = edges,
                                        [TO] = edges,
                                        [NODE_LABEL] = (Py_ssize_t)nodes * i.node_labels,
                                        [NODE_ATTRIBUTE] = (Py_ssize_t)nodes * i.node_attributes,
                                        [EDGE_LABEL] = (Py_ssize_t)edges * i.edge_labels,
                                        [EDGE_ATTRIBUTE] = (Py_ssize_t)edges * i.edge_attributes,
                                        [LABEL] = n * i.targets };
    for (int k = 0; k <= LABEL; k++)
        if (!mp_py_room(&a[k], wanted[k], tables[k].name)) return false;
    return true;
}

static PyObject *data_read(PyObject *self, PyObject *args)
{
    PyObject *capsule, *o[LABEL + 1], *indices;
    mp_py_array a[LABEL + 2], *which = &a[LABEL + 1];
    mp_err e = MP_OK;
    memset(a, 0, sizeof a);
    (void)self;
    if (!PyArg_ParseTuple(args, "OOOOOOOOOO", &capsule, &indices, &o[0], &o[1], &o[2], &o[3], &o[4], &o[5], &o[6],
                          &o[7]))
        return NULL;
    const mp_data *d = mp_py_data(capsule);
    bool good = d && mp_py_which(indices, which);
    for (int k = 0; k <= LABEL && good; k++) good = mp_py_take(o[k], tables[k].format, true, tables[k].name, &a[k]);
    if (good && has_room(d, which, a)) {
        mp_arrays_out out = {
            a[PTR].p,  a[FROM].p, a[TO].p, a[NODE_LABEL].p, a[EDGE_LABEL].p, a[NODE_ATTRIBUTE].p, a[EDGE_ATTRIBUTE].p,
            a[LABEL].p
        };
        Py_BEGIN_ALLOW_THREADS;
        e = mp_data_read(d, which->p, (int)which->n, &out);
        Py_END_ALLOW_THREADS;
    }
    mp_py_drop(a, LABEL + 2);
    if (PyErr_Occurred()) return NULL;
    return e == MP_OK ? Py_NewRef(Py_None) : mp_py_fail(e);
}

static PyObject *data_fold(PyObject *self, PyObject *args)
{
    PyObject *capsule, *o;
    int folds, number, count = 0;
    mp_py_array part;
    mp_data_info i;
    mp_err e = MP_OK;
    (void)self;
    if (!PyArg_ParseTuple(args, "OiiO", &capsule, &folds, &number, &o)) return NULL;
    const mp_data *d = mp_py_data(capsule);
    if (!d) return NULL;
    mp_data_about(d, &i);
    bool good = mp_py_take(o, 'i', true, "part", &part) && mp_py_room(&part, i.graphs, "part");
    if (good) {
        Py_BEGIN_ALLOW_THREADS;
        e = mp_data_fold(d, folds, number, part.p, &count);
        Py_END_ALLOW_THREADS;
    }
    mp_py_drop(&part, 1);
    if (!good) return NULL;
    return e == MP_OK ? PyLong_FromLong(count) : mp_py_fail(e);
}

static PyObject *data_fingerprint(PyObject *self, PyObject *capsule)
{
    char text[17];
    mp_err e;
    const mp_data *d = mp_py_data(capsule);
    (void)self;
    if (!d) return NULL;
    Py_BEGIN_ALLOW_THREADS;
    e = mp_data_fingerprint(d, text);
    Py_END_ALLOW_THREADS;
    return e == MP_OK ? PyUnicode_FromString(text) : mp_py_fail(e);
}

static PyObject *data_write(PyObject *self, PyObject *args)
{
    PyObject *capsule;
    const char *path;
    mp_err e;
    (void)self;
    if (!PyArg_ParseTuple(args, "Os", &capsule, &path)) return NULL;
    const mp_data *d = mp_py_data(capsule);
    if (!d) return NULL;
    Py_BEGIN_ALLOW_THREADS;
    e = mp_data_write(d, path);
    Py_END_ALLOW_THREADS;
    return e == MP_OK ? Py_NewRef(Py_None) : mp_py_fail(e);
}

PyMethodDef mp_py_data_methods[] = {
    { "data_load", data_load, METH_VARARGS, NULL },
    { "data_make", data_make, METH_VARARGS, NULL },
    { "data_about", data_about, METH_O, NULL },
    { "data_size", data_size, METH_VARARGS, NULL },
    { "data_read", data_read, METH_VARARGS, NULL },
    { "data_fold", data_fold, METH_VARARGS, NULL },
    { "data_fingerprint", data_fingerprint, METH_O, NULL },
    { "data_write", data_write, METH_VARARGS, NULL },
    { NULL, NULL, 0, NULL },
};
