/* _midpool.h - what the files of the extension module share. The module wraps midpool.h and does nothing else: objects are
 * capsules, arrays come and go through the buffer protocol, and python/midpool makes classes of them.
 *
 * A call that computes lets other Python threads run meanwhile. What it reads is held by its arguments: capsules and buffers.
 * SPDX-License-Identifier: MIT */
#ifndef MP_PYTHON_H
#define MP_PYTHON_H

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030b0000 /* 3.11: the first that has buffers; one file for it and all later ones */
#include <Python.h>

#include "midpool.h"

#include <stdbool.h>

/* NULL, with the exception of a status and mp_message. */
PyObject *mp_py_fail(mp_err e);
extern PyObject *mp_py_impossible;   /* midpool.InputError, for arrays that do not fit together */
bool mp_py_errors(PyObject *module); /* makes the exceptions */

/* An array that a caller lends: C-contiguous, of items with this format of the struct module; None: p NULL. */
typedef struct mp_py_array {
    Py_buffer view;
    void *p;
    Py_ssize_t n; /* items */
    bool held;
} mp_py_array;
bool mp_py_take(PyObject *o, char format, bool writable, const char *name, mp_py_array *out);
bool mp_py_room(const mp_py_array *a, Py_ssize_t wanted, const char *name); /* it has that many items, or is None */
void mp_py_drop(mp_py_array *list, int n);

/* Indices of graphs; None: all of them. */
bool mp_py_which(PyObject *o, mp_py_array *out);

mp_data *mp_py_data(PyObject *capsule);       /* NULL, with an exception: it is none */
mp_trained *mp_py_trained(PyObject *capsule); /* likewise */
PyObject *mp_py_new_trained(mp_trained *m);

extern PyMethodDef mp_py_data_methods[], mp_py_model_methods[];

#endif
