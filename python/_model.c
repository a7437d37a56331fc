/* _model.c - trained models for Python: training, files, weights, answers, explanations.
 * SPDX-License-Identifier: MIT */
#include "_midpool.h"

#include <string.h>
#include <time.h>

#define TRAINED "midpool.trained"

static void free_trained(PyObject *capsule)
{
    mp_trained_free(PyCapsule_GetPointer(capsule, TRAINED));
}

PyObject *mp_py_new_trained(mp_trained *m)
{
    PyObject *capsule = PyCapsule_New(m, TRAINED, free_trained);
    if (!capsule) mp_trained_free(m);
    return capsule;
}

mp_trained *mp_py_trained(PyObject *capsule)
{
    return PyCapsule_GetPointer(capsule, TRAINED);
}

static PyObject *numbers(const mp_metric_value *v, int n)
{
    PyObject *dict = PyDict_New();
    for (int i = 0; dict && i < n; i++) {
        PyObject *number = PyFloat_FromDouble(v[i].value);
        if (!number || PyDict_SetItemString(dict, v[i].name, number) < 0) Py_CLEAR(dict);
        Py_XDECREF(number);
    }
    return dict;
}

/* ---- training ---- */

typedef struct watching { /* from the thread of the call, which has let go of the interpreter */
    PyThreadState *thread;
    PyObject *told; /* called after each epoch, or None */
    double last;    /* when signals were looked at */
    bool failed;    /* with an exception set */
} watching;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static mp_verdict tell(const watching *w, const mp_news *n)
{
    PyObject *answer = PyObject_CallFunction(w->told, "{s:i,s:i,s:i,s:d,s:d,s:d,s:s}", "epoch", n->epoch, "epochs",
                                             n->epochs, "best_epoch", n->best_epoch, "train_loss", n->train_loss,
                                             "val_loss", n->val_loss, "val_metric", n->val_metric, "metric", n->metric);
    int enough = answer ? PyObject_IsTrue(answer) : -1;
    Py_XDECREF(answer);
    return enough < 0 ? MP_CANCEL : enough ? MP_ENOUGH : MP_GO_ON;
}

/* Epochs can be shorter than it takes to get the interpreter: without a listener it is asked for twenty times a second. */
static mp_verdict on_epoch(void *state, const mp_news *news)
{
    watching *w = state;
    mp_verdict v = MP_GO_ON;
    if (w->told == Py_None && now() - w->last < 0.05) return MP_GO_ON;
    PyEval_RestoreThread(w->thread);
    if (PyErr_CheckSignals() < 0)
        v = MP_CANCEL;
    else if (w->told != Py_None)
        v = tell(w, news);
    w->failed = v == MP_CANCEL;
    w->thread = PyEval_SaveThread();
    w->last = now();
    return v;
}

static PyObject *result_of(const mp_result *r)
{
    return Py_BuildValue("{s:s,s:s,s:i,s:i,s:i,s:i,s:i,s:d,s:d,s:d,s:d,s:d,s:s,s:N,s:N}", "task", r->task, "metric",
                         r->metric, "epochs", r->epochs, "best_epoch", r->best_epoch, "train_graphs", r->train_graphs,
                         "val_graphs", r->val_graphs, "test_graphs", r->test_graphs, "train_loss", r->train_loss,
                         "val_loss", r->val_loss, "val_metric", r->val_metric, "test_metric", r->test_metric, "seconds",
                         r->seconds, "sha256", r->sha256, "val", numbers(r->val, r->metrics), "test",
                         numbers(r->test, r->metrics));
}

enum { MOST_OPTIONS = 512 };

/* Options are the texts of a tuple. */
static bool options_of(PyObject *tuple, const char *option[MOST_OPTIONS + 1])
{
    Py_ssize_t n = PyTuple_Size(tuple);
    if (n > MOST_OPTIONS) {
        PyErr_Format(PyExc_ValueError, "%zd options", n);
        return false;
    }
    for (Py_ssize_t i = 0; i < n; i++)
        if (!(option[i] = PyUnicode_AsUTF8AndSize(PyTuple_GetItem(tuple, i), NULL))) return false;
    option[n] = NULL;
    return true;
}

static PyObject *run_training(const mp_data *d, const mp_parts *parts, const char *const *options, PyObject *told)
{
    watching w = { .told = told, .last = now() };
    mp_watch watch = { on_epoch, &w };
    mp_trained *m;
    mp_result result;
    w.thread = PyEval_SaveThread();
    mp_err e =
        parts ? mp_train_parts(d, parts, options, &watch, &m, &result) : mp_train(d, options, &watch, &m, &result);
    PyEval_RestoreThread(w.thread);
    if (e != MP_OK) return w.failed ? NULL : mp_py_fail(e);
    PyObject *capsule = mp_py_new_trained(m), *about = capsule ? result_of(&result) : NULL;
    if (about) return Py_BuildValue("NN", capsule, about);
    Py_XDECREF(capsule);
    return NULL;
}

static PyObject *train(PyObject *self, PyObject *args)
{
    static const char *const name[] = { "train", "val", "test" };
    PyObject *capsule, *options, *told, *o[3], *made = NULL;
    mp_py_array a[3];
    const char *option[MOST_OPTIONS + 1];
    bool good = true;
    memset(a, 0, sizeof a);
    (void)self;
    if (!PyArg_ParseTuple(args, "OO!OOOO", &capsule, &PyTuple_Type, &options, &o[0], &o[1], &o[2], &told)) return NULL;
    const mp_data *d = mp_py_data(capsule);
    if (!d || !options_of(options, option)) return NULL;
    for (int k = 0; k < 3 && good; k++) good = mp_py_take(o[k], 'i', false, name[k], &a[k]);
    mp_parts parts = { a[0].p, a[1].p, a[2].p, (int)a[0].n, (int)a[1].n, (int)a[2].n };
    if (good) made = run_training(d, a[0].held ? &parts : NULL, option, told);
    mp_py_drop(a, 3);
    return made;
}

/* ---- files ---- */

static PyObject *trained_load(PyObject *self, PyObject *args)
{
    const char *path;
    mp_trained *m;
    mp_err e;
    (void)self;
    if (!PyArg_ParseTuple(args, "s", &path)) return NULL;
    Py_BEGIN_ALLOW_THREADS;
    e = mp_trained_load(path, &m);
    Py_END_ALLOW_THREADS;
    return e == MP_OK ? mp_py_new_trained(m) : mp_py_fail(e);
}

static PyObject *trained_from(PyObject *self, PyObject *args)
{
    const char *bytes;
    Py_ssize_t n;
    mp_trained *m;
    (void)self;
    if (!PyArg_ParseTuple(args, "y#", &bytes, &n)) return NULL;
    mp_err e = mp_trained_from(bytes, (size_t)n, &m);
    return e == MP_OK ? mp_py_new_trained(m) : mp_py_fail(e);
}

static PyObject *trained_save(PyObject *self, PyObject *args)
{
    PyObject *capsule;
    const char *path;
    mp_err e;
    (void)self;
    if (!PyArg_ParseTuple(args, "Os", &capsule, &path)) return NULL;
    const mp_trained *m = mp_py_trained(capsule);
    if (!m) return NULL;
    Py_BEGIN_ALLOW_THREADS;
    e = mp_trained_save(m, path);
    Py_END_ALLOW_THREADS;
    return e == MP_OK ? Py_NewRef(Py_None) : mp_py_fail(e);
}

static mp_err to_bytes(void *state, const void *bytes, size_t n)
{
    *(PyObject **)state = PyBytes_FromStringAndSize(bytes, (Py_ssize_t)n);
    return MP_OK;
}

static PyObject *trained_bytes(PyObject *self, PyObject *capsule)
{
    PyObject *bytes = NULL;
    const mp_trained *m = mp_py_trained(capsule);
    (void)self;
    if (!m) return NULL;
    mp_err e = mp_trained_write(m, to_bytes, &bytes);
    return e == MP_OK ? bytes : mp_py_fail(e);
}

/* ---- what it knows ---- */

static PyObject *classes_of(const mp_trained *m)
{
    PyObject *list = PyList_New(0);
    int64_t value;
    const char *name;
    for (int i = 0; list && mp_trained_class(m, i, &value, &name) == MP_OK; i++) {
        PyObject *c = name ? PyUnicode_FromString(name) : PyLong_FromLongLong(value);
        if (!c || PyList_Append(list, c) < 0) Py_CLEAR(list);
        Py_XDECREF(c);
    }
    return list;
}

static PyObject *trained_about(PyObject *self, PyObject *capsule)
{
    mp_trained_info i;
    const mp_trained *m = mp_py_trained(capsule);
    (void)self;
    if (!m) return NULL;
    mp_trained_about(m, &i);
    return Py_BuildValue("{s:s,s:s,s:s,s:s,s:i,s:i,s:i,s:i,s:i,s:i,s:i,s:L,s:N}", "task", i.task, "metric", i.metric,
                         "pool", i.method, "dataset", i.dataset, "features", i.features, "node_labels", i.node_labels,
                         "node_attributes", i.node_attributes, "edge_labels", i.edge_labels, "edge_attributes",
                         i.edge_attributes, "outputs", i.outputs, "targets", i.targets, "weights", (long long)i.weights,
                         "classes", classes_of(m));
}

static PyObject *trained_option(PyObject *self, PyObject *args)
{
    PyObject *capsule;
    const char *name;
    char text[256];
    (void)self;
    if (!PyArg_ParseTuple(args, "Os", &capsule, &name)) return NULL;
    const mp_trained *m = mp_py_trained(capsule);
    if (!m) return NULL;
    mp_err e = mp_trained_option(m, name, text, sizeof text);
    return e == MP_OK ? PyUnicode_FromString(text) : mp_py_fail(e);
}

static PyObject *shape_of(const mp_weight *w)
{
    PyObject *shape = PyTuple_New(w->dims);
    for (int k = 0; shape && k < w->dims; k++)
        if (PyTuple_SetItem(shape, k, PyLong_FromLong(w->shape[k])) < 0) Py_CLEAR(shape);
    return shape;
}

/* [(name, shape, bytes of float32)], in the order of the file. */
static PyObject *trained_weights(PyObject *self, PyObject *capsule)
{
    const mp_trained *m = mp_py_trained(capsule);
    mp_weight w;
    (void)self;
    PyObject *list = m ? PyList_New(0) : NULL;
    for (int i = 0; list && mp_trained_weight(m, i, &w); i++) {
        PyObject *bytes = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(w.count * sizeof(float)));
        mp_err e = bytes ? mp_trained_values(m, i, (float *)(void *)PyBytes_AsString(bytes)) : MP_OK;
        PyObject *row = bytes && e == MP_OK ? Py_BuildValue("sNN", w.name, shape_of(&w), bytes) : NULL;
        if (e != MP_OK) mp_py_fail(e);
        if (!row || PyList_Append(list, row) < 0) Py_CLEAR(list);
        Py_XDECREF(row);
    }
    return list;
}

/* ---- answers ---- */

static PyObject *predict(PyObject *self, PyObject *args)
{
    PyObject *model, *data, *o[3];
    int threads;
    mp_py_array a[3]; /* which, values, answers */
    mp_err e = MP_OK;
    memset(a, 0, sizeof a);
    (void)self;
    if (!PyArg_ParseTuple(args, "OOOiOO", &model, &data, &o[0], &threads, &o[1], &o[2])) return NULL;
    const mp_trained *m = mp_py_trained(model);
    const mp_data *d = m ? mp_py_data(data) : NULL;
    bool good = d && mp_py_which(o[0], &a[0]) && mp_py_take(o[1], 'f', true, "values", &a[1]) &&
                mp_py_take(o[2], 'd', true, "answers", &a[2]);
    if (good) {
        mp_trained_info about;
        mp_data_info set;
        mp_trained_about(m, &about);
        mp_data_about(d, &set);
        Py_ssize_t n = a[0].held ? a[0].n : set.graphs;
        good = mp_py_room(&a[1], n * about.outputs, "values") && mp_py_room(&a[2], n * about.targets, "answers");
    }
    if (good) {
        Py_BEGIN_ALLOW_THREADS;
        e = mp_predict_data(m, d, a[0].p, (int)a[0].n, threads, a[1].p, a[2].p);
        Py_END_ALLOW_THREADS;
    }
    mp_py_drop(a, 3);
    if (!good) return NULL;
    return e == MP_OK ? Py_NewRef(Py_None) : mp_py_fail(e);
}

static PyObject *evaluate(PyObject *self, PyObject *args)
{
    PyObject *model, *data, *o;
    int threads, count = 0;
    mp_py_array which;
    mp_metric_value v[MP_METRICS_ROOM];
    mp_err e;
    (void)self;
    if (!PyArg_ParseTuple(args, "OOOi", &model, &data, &o, &threads)) return NULL;
    const mp_trained *m = mp_py_trained(model);
    const mp_data *d = m ? mp_py_data(data) : NULL;
    if (!d || !mp_py_which(o, &which)) return NULL;
    Py_BEGIN_ALLOW_THREADS;
    e = mp_evaluate(m, d, which.p, (int)which.n, threads, v, &count);
    Py_END_ALLOW_THREADS;
    mp_py_drop(&which, 1);
    return e == MP_OK ? numbers(v, count) : mp_py_fail(e);
}

/* ---- explanations ---- */

static PyObject *bytes_of(const void *p, size_t items, size_t size)
{
    return PyBytes_FromStringAndSize(p, (Py_ssize_t)(items * size));
}

static PyObject *level_of(const mp_level *l)
{
    size_t n = (size_t)l->nodes, scores = n * (size_t)l->columns, edges = (size_t)l->edges;
    return Py_BuildValue("{s:i,s:N,s:N,s:N,s:N,s:N,s:N,s:N,s:N}", "columns", l->columns, "node",
                         bytes_of(l->node, n, sizeof(int)), "score", bytes_of(l->score, scores, sizeof(double)), "gate",
                         bytes_of(l->gate, scores, sizeof(double)), "key", bytes_of(l->key, n, sizeof(double)),
                         "is_kept", bytes_of(l->kept, n, 1), "kept", bytes_of(l->order, (size_t)l->keep, sizeof(int)),
                         "from", bytes_of(l->from, edges, sizeof(int)), "to", bytes_of(l->to, edges, sizeof(int)));
}

static PyObject *levels_of(const mp_explanation *why)
{
    PyObject *list = PyList_New(0);
    for (int i = 0; list && i < why->levels; i++) {
        PyObject *level = level_of(&why->level[i]);
        if (!level || PyList_Append(list, level) < 0) Py_CLEAR(list);
        Py_XDECREF(level);
    }
    return list;
}

/* (levels, bytes of the outputs as float32, picture) */
static PyObject *explained(mp_predictor *p, const mp_data *d, int graph, const char *title)
{
    mp_explanation why;
    const char *svg;
    mp_err e;
    Py_BEGIN_ALLOW_THREADS;
    e = mp_explain_data(p, d, graph, &why);
    Py_END_ALLOW_THREADS;
    if (e != MP_OK) return mp_py_fail(e);
    PyObject *levels = levels_of(&why);
    PyObject *value = levels ? bytes_of(why.answer.value, (size_t)why.answer.outputs, sizeof(float)) : NULL;
    Py_BEGIN_ALLOW_THREADS;
    e = mp_explain_svg(p, d, graph, title, &svg);
    Py_END_ALLOW_THREADS;
    if (value && e == MP_OK) return Py_BuildValue("NNs", levels, value, svg);
    Py_XDECREF(levels);
    Py_XDECREF(value);
    return e == MP_OK ? NULL : mp_py_fail(e);
}

static PyObject *explain(PyObject *self, PyObject *args)
{
    PyObject *model, *data;
    int graph;
    const char *title;
    mp_predictor *p;
    (void)self;
    if (!PyArg_ParseTuple(args, "OOiz", &model, &data, &graph, &title)) return NULL;
    const mp_trained *m = mp_py_trained(model);
    const mp_data *d = m ? mp_py_data(data) : NULL;
    if (!d) return NULL;
    mp_err e = mp_predictor_new(m, &p);
    if (e != MP_OK) return mp_py_fail(e);
    PyObject *out = explained(p, d, graph, title);
    mp_predictor_free(p);
    return out;
}

PyMethodDef mp_py_model_methods[] = {
    { "train", train, METH_VARARGS, NULL },
    { "trained_load", trained_load, METH_VARARGS, NULL },
    { "trained_from", trained_from, METH_VARARGS, NULL },
    { "trained_save", trained_save, METH_VARARGS, NULL },
    { "trained_bytes", trained_bytes, METH_O, NULL },
    { "trained_about", trained_about, METH_O, NULL },
    { "trained_option", trained_option, METH_VARARGS, NULL },
    { "trained_weights", trained_weights, METH_O, NULL },
    { "predict", predict, METH_VARARGS, NULL },
    { "evaluate", evaluate, METH_VARARGS, NULL },
    { "explain", explain, METH_VARARGS, NULL },
    { NULL, NULL, 0, NULL },
};
