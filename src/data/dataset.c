/* dataset.c - from what the files say to a data set: features, classes, the seal and the fingerprint.
 *
 * The fingerprint is 64-bit FNV-1a with whole numbers instead of bytes and a shift between steps, over, in
 * this order: counts, node ranges, row ranges, columns; feature columns, ranges, columns, values (as
 * doubles); the same of the edges where they have features; 0 and the classes, or the number of label columns and 1; labels.
 * It depends on neither the machine's byte order nor the name of
 * the set.
 * SPDX-License-Identifier: MIT */
#include "data/dataset.h"
#include "data/features.h"
#include "data/known.h"
#include "data/names.h"
#include "data/seal.h"
#include "data/tu.h"
#include "graph/twins.h"
#include "task/metric.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint64_t step(uint64_t h, uint64_t word)
{
    h = (h ^ word) * 0x100000001b3u;
    return h ^ (h >> 32);
}

static uint64_t over_ints(uint64_t h, const int *p, int n)
{
    for (int i = 0; i < n; i++) h = step(h, (uint32_t)p[i]);
    return h;
}

static uint64_t over_real(uint64_t h, double v)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    return step(h, bits);
}

static uint64_t over_features(uint64_t h, const mp_sparse *x)
{
    h = step(h, (uint32_t)x->cols);
    h = over_ints(h, x->ptr, x->rows + 1);
    h = over_ints(h, x->col, x->ptr[x->rows]);
    for (int i = 0; x->val && i < x->ptr[x->rows]; i++) h = over_real(h, (double)x->val[i]);
    return h;
}

static uint64_t fingerprint(const mp_dataset *d)
{
    const mp_graph *g = &d->graphs;
    uint64_t h = 0xcbf29ce484222325u;
    h = step(step(step(h, (uint32_t)g->graphs), (uint32_t)g->nodes), (uint32_t)g->edges);
    h = over_ints(h, g->node_ptr, g->graphs + 1);
    h = over_ints(h, g->row_ptr, g->nodes + 1);
    h = over_ints(h, g->col, g->edges);
    h = over_features(h, &d->x);
    if (d->edge_x.cols) h = over_features(h, &d->edge_x);
    h = step(step(h, d->task->classes ? 0 : (uint32_t)d->targets), d->task->classes ? (uint32_t)d->classes : 1);
    for (int c = 0; d->class_value && c < d->classes; c++) h = step(h, (uint64_t)d->class_value[c]);
    mp_labels labels = d->seal ? mp_seal_break(d->seal) : (mp_labels){ 0 };
    for (int i = 0; i < mp_labels_row(&labels, g->graphs) * labels.columns; i++)
        h = d->task->classes ? step(h, (uint32_t)(int)labels.v[i]) : over_real(h, labels.v[i]);
    return h;
}

static int by_value(const void *p, const void *q)
{
    int64_t x = *(const int64_t *)p, y = *(const int64_t *)q;
    return (x > y) - (x < y);
}

/* The distinct label values in ascending order: the place in this list is the class. */
static const int64_t *distinct(const int64_t *value, int n, mp_arena *a, int *count)
{
    int64_t *sorted = MP_NEW_RAW(a, int64_t, n);
    memcpy(sorted, value, (size_t)n * sizeof *sorted);
    qsort(sorted, (size_t)n, sizeof *sorted, by_value);
    int kept = 0;
    for (int i = 0; i < n; i++)
        if (i == 0 || sorted[i] != sorted[i - 1]) sorted[kept++] = sorted[i];
    *count = kept;
    return sorted;
}

int mp_class_of(const int64_t *class_value, int classes, int64_t value)
{
    const int64_t *at = bsearch(&value, class_value, (size_t)classes, sizeof value, by_value);
    return at ? (int)(at - class_value) : -1;
}

bool mp_dataset_wants_edges(const mp_dataset_as *as)
{
    if (!as || !as->recipe) return as && as->edges;
    return mp_recipe_edge_columns(as->recipe) > 0;
}

bool mp_dataset_wants_bonds(const mp_dataset_as *as)
{
    return mp_dataset_wants_edges(as) || (as && !as->recipe && as->bonds);
}

bool mp_dataset_wants_all(const mp_dataset_as *as)
{
    return as && as->edges && !as->recipe;
}

/* A few are listed, of many the first and the last. */
static const char *list_classes(const mp_dataset *d, mp_arena *a)
{
    if (d->classes > 8)
        return mp_arena_printf(a, "%lld to %lld", (long long)d->class_value[0],
                               (long long)d->class_value[d->classes - 1]);
    const char *list = "";
    for (int c = 0; c < d->classes; c++)
        list = mp_arena_printf(a, "%s%s%lld", list, c ? ", " : "", (long long)d->class_value[c]);
    return list;
}

typedef struct place { /* of labels: the file, and the line of the first graph, or that of each */
    const char *file;
    int first;
    const int *line;
    const char *const *file_of;
} place;

static int line_of(place where, int graph)
{
    return where.line ? where.line[graph] : where.first + graph;
}

static const char *file_of(place where, int graph)
{
    return where.file_of ? where.file_of[graph] : where.file;
}

/* Classes of the label values, which are whole numbers. Those of the data set hold if it has any. */
static mp_err seal_classes(place where, const int64_t *value, mp_arena *a, mp_dataset *d)
{
    int graphs = d->graphs.graphs;
    if (!d->classes) d->class_value = distinct(value, graphs, a, &d->classes);
    double *label = MP_NEW_RAW(a, double, graphs + 1);
    for (int b = 0; b < graphs; b++) {
        int class = mp_class_of(d->class_value, d->classes, value[b]);
        if (class < 0)
            return mp_fail(MP_ERR_INPUT, "%s:%d: class %lld; the model knows %s", file_of(where, b), line_of(where, b),
                           (long long)value[b], list_classes(d, a));
        label[b] = class;
    }
    d->seal = mp_seal_new(a, graphs, (mp_labels){ .columns = 1, .v = label });
    return MP_OK;
}

static mp_err seal_numbers(place where, const double *target, int columns, mp_arena *a, mp_dataset *d)
{
    int graphs = d->graphs.graphs;
    if (d->targets && d->targets != columns)
        return mp_fail(MP_ERR_INPUT, "%s: %d numbers a graph; the model knows %d", where.file, columns, d->targets);
    d->targets = columns;
    for (int i = 0; d->task->fits && i < graphs * columns; i++)
        if (!d->task->fits(target[i]))
            return mp_fail(MP_ERR_INPUT, "%s:%d: %g cannot be learned as %s: %s", file_of(where, i / columns),
                           line_of(where, i / columns), target[i], d->task->name, d->task->help);
    d->seal = mp_seal_new(a, graphs, (mp_labels){ .columns = columns, .v = target });
    return MP_OK;
}

/* Numbers as class values; NULL where one is missing or not whole. */
static const int64_t *whole_numbers(const double *target, int n, mp_arena *a)
{
    int64_t *value = MP_NEW_RAW(a, int64_t, n + 1);
    for (int i = 0; i < n; i++) {
        if (!(fabs(target[i]) < 9e15) || target[i] != rint(target[i])) return NULL;
        value[i] = (int64_t)target[i];
    }
    return value;
}

static const double *as_numbers(const int64_t *value, int n, mp_arena *a)
{
    double *out = MP_NEW_RAW(a, double, n + 1);
    for (int i = 0; i < n; i++) out[i] = (double)value[i];
    return out;
}

/* Labels as the task of the data set takes them: class values (NULL: none), or numbers. */
static mp_err seal_labels(place where, const int64_t *value, const double *target, int columns, mp_arena *a,
                          mp_dataset *d)
{
    int graphs = d->graphs.graphs;
    if (!value && !target) return MP_OK;
    if (!d->task->classes)
        return seal_numbers(where, value ? as_numbers(value, graphs, a) : target, value ? 1 : columns, a, d);
    d->targets = 1;
    if (!value && columns == 1) value = whole_numbers(target, graphs, a);
    if (!value) return mp_fail(MP_ERR_INPUT, "%s: classes must be one whole number a graph", where.file);
    return seal_classes(where, value, a, d);
}

static mp_err no_inputs(const mp_dataset *d, const char *expected)
{
    return mp_fail(MP_ERR_INPUT, "%s: task %s takes %s a node as features and nothing else; it has %d columns", d->name,
                   d->task->name, expected, d->x.cols);
}

/* A node that has none of the labels which a recipe knows has a label that is not known. */
static mp_err seal_node_labels(mp_arena *a, mp_dataset *d)
{
    const mp_recipe *r = &d->recipe;
    if (r->label_columns != 1 || d->x.cols != r->label_count[0]) return no_inputs(d, "one label");
    int64_t *value = MP_NEW_RAW(a, int64_t, d->x.cols);
    double *label = MP_NEW_RAW(a, double, d->x.rows + 1);
    for (int c = 0; c < d->x.cols; c++) value[c] = (int64_t)r->label_min[0] + c;
    for (int v = 0; v < d->x.rows; v++) {
        bool known = d->x.ptr[v] < d->x.ptr[v + 1];
        label[v] = known ? d->x.col[d->x.ptr[v]] : (double)NAN;
    }
    d->targets = 1;
    d->classes = d->x.cols;
    d->class_value = value;
    d->seal = mp_seal_new(a, d->graphs.graphs, (mp_labels){ 1, label, d->graphs.node_ptr });
    return MP_OK;
}

static mp_err seal_node_numbers(mp_arena *a, mp_dataset *d)
{
    const mp_sparse *x = &d->x;
    if (d->recipe.attributes < 1 || x->cols != d->recipe.attributes) return no_inputs(d, "numbers");
    double *number = MP_NEW(a, double, (size_t)x->rows *(size_t)x->cols + 1);
    for (int v = 0; v < x->rows; v++)
        for (int i = x->ptr[v]; i < x->ptr[v + 1]; i++)
            number[(size_t)v * (size_t)x->cols + (size_t)x->col[i]] = x->val ? (double)x->val[i] : 1;
    d->targets = x->cols;
    d->seal = mp_seal_new(a, d->graphs.graphs, (mp_labels){ x->cols, number, d->graphs.node_ptr });
    return MP_OK;
}

/* What is to be rebuilt of a node is what it has for an input; labels of graphs have no part in it. */
static mp_err seal_nodes(mp_arena *a, mp_dataset *d)
{
    d->classes = d->targets = 0;
    d->class_value = NULL;
    d->class_names = 0;
    d->class_name = d->target_name = NULL;
    return d->task->classes ? seal_node_labels(a, d) : seal_node_numbers(a, d);
}

int mp_dataset_as_names(const mp_dataset_as *as)
{
    if (!as || !as->class_name) return 0;
    return as->classes ? as->classes : 2;
}

/* Names have an order, but no distance. */
static mp_err names_fit(const mp_dataset *d, const mp_task *task)
{
    if (!d->class_names || task->nodes || task->classes) return MP_OK;
    if (task->yes_no && d->class_names == 2) return MP_OK;
    if (task->yes_no)
        return mp_fail(MP_ERR_INPUT, "%s: its labels are %d name%s; to be learned as %s they must be two", d->name,
                       d->class_names, mp_plural(d->class_names), task->name);
    return mp_fail(MP_ERR_INPUT, "%s: its classes are names, which cannot be learned as %s", d->name, task->name);
}

static bool all_yes_no(const mp_raw *raw)
{
    for (int i = 0; i < raw->graphs.graphs * raw->target_columns; i++)
        if (!mp_task_binary.fits(raw->target[i])) return false;
    return true;
}

static const mp_task *task_of(const mp_raw *raw, const mp_known *known, const mp_dataset_as *as)
{
    if (as && as->task) return as->task;
    if (as && as->nodes) return raw->attributes.cols ? &mp_task_node_numbers : &mp_task_node_labels;
    if (known && known->task) return known->task;
    if (raw->graph_label || !raw->target) return &mp_task_classify;
    return all_yes_no(raw) ? &mp_task_binary : &mp_task_regress;
}

const mp_task *mp_raw_task(const mp_raw *raw)
{
    return task_of(raw, mp_known_find(raw->name), NULL);
}

/* Two classes are no and yes, in their order; other classes are their numbers. */
static const double *numbers_of_classes(const mp_dataset *d, const mp_task *task, mp_arena *a)
{
    mp_labels labels = mp_seal_break(d->seal);
    double *out = MP_NEW_RAW(a, double, d->graphs.graphs + 1);
    for (int b = 0; b < d->graphs.graphs; b++)
        out[b] = task->yes_no && d->classes == 2 ? labels.v[b] : (double)d->class_value[(int)labels.v[b]];
    return out;
}

mp_err mp_dataset_retask(const mp_dataset *d, const mp_task *task, mp_arena *a, mp_dataset *out)
{
    *out = *d;
    if (!task || task == d->task) return MP_OK;
    MP_TRY(names_fit(d, task));
    out->task = task;
    if (task->nodes) {
        MP_TRY(seal_nodes(a, out));
        out->fingerprint = fingerprint(out);
        return MP_OK;
    }
    if (d->task->nodes)
        return mp_fail(MP_ERR_INPUT, "%s: labels of nodes cannot be learned as %s", d->name, task->name);
    out->classes = out->targets = 0;
    out->class_value = NULL;
    if (!task->yes_no) {
        out->class_name = NULL;
        out->class_names = 0;
    }
    if (!d->seal) return MP_OK;
    mp_labels labels = mp_seal_break(d->seal);
    const double *target = d->task->classes ? numbers_of_classes(d, task, a) : labels.v;
    MP_TRY(seal_labels((place){ d->name, 1, NULL, NULL }, NULL, target, labels.columns, a, out));
    out->fingerprint = fingerprint(out);
    return MP_OK;
}

mp_err mp_dataset_goal(const mp_dataset *d, const mp_config *c, mp_goal *out)
{
    *out = (mp_goal){ .task = d->task, .columns = d->targets, .classes = d->classes };
    if (d->task->aim) d->task->aim(c, out);
    if (d->task->classes && d->classes < 2)
        return mp_fail(MP_ERR_INPUT, "%s has %d class, so there is nothing to tell apart", d->name, d->classes);
    return mp_metric_lead(d->task, c->metric, &out->metric);
}

static int last_end(const int fixed[5][2])
{
    int end = 0;
    for (int i = 0; i < 5; i++)
        if (fixed[i][1] > end) end = fixed[i][1];
    return end;
}

/* A split written beside the files wins; the published one fits only the published number of graphs. */
static void take_fixed(const mp_raw *raw, const mp_known *known, mp_dataset *d)
{
    if (last_end(raw->fixed)) {
        memcpy(d->fixed, raw->fixed, sizeof d->fixed);
        memcpy(d->fixed_name, raw->fixed_name, sizeof d->fixed_name);
        d->fixed_list = raw->fixed_list;
    } else if (known && last_end(known->fixed) == raw->graphs.graphs) {
        memcpy(d->fixed, known->fixed, sizeof d->fixed);
        memcpy(d->fixed_name, known->fixed_name, sizeof d->fixed_name);
    }
}

mp_err mp_dataset_seal(const mp_raw *raw, const mp_dataset_as *as, mp_arena *a, mp_dataset *out)
{
    out->task = task_of(raw, mp_known_find(raw->name), as);
    if (out->task->nodes) return seal_nodes(a, out);
    out->class_name = raw->class_name;
    out->class_names = raw->class_names;
    MP_TRY(names_fit(out, out->task));
    if (as) {
        out->classes = as->classes;
        out->class_value = as->class_value;
        out->targets = as->targets;
    }
    const char *file =
        mp_arena_printf(a, "%s%s", raw->name, raw->graph_label ? "_graph_labels.txt" : "_graph_attributes.txt");
    place where = { raw->file ? raw->file : file, raw->file ? raw->first_line : 1, raw->line, raw->file_of };
    return seal_labels(where, raw->graph_label, raw->target, raw->target_columns, a, out);
}

/* The copy that the graphs point to lies in the arena, so that a data set can be copied. */
static mp_err take_edge_x(const mp_raw *raw, mp_arena *a, mp_dataset *d)
{
    mp_sparse *edge_x = MP_NEW(a, mp_sparse, 1);
    MP_TRY(mp_edge_features_apply(&d->recipe, raw, a, edge_x));
    mp_sparse_know(a, edge_x);
    d->edge_x = *edge_x;
    d->graphs.edge_x = edge_x;
    return MP_OK;
}

mp_err mp_dataset_piece(const mp_raw *files, const mp_dataset_as *as, mp_arena *a, mp_dataset *out)
{
    mp_raw named;
    MP_TRY(mp_names_match(files, as, a, &named));
    const mp_raw *raw = &named;
    *out = (mp_dataset){ .name = raw->name,
                         .graphs = raw->graphs,
                         .origin = "memory",
                         .self_loops = raw->self_loops,
                         .repeated_edges = raw->repeated_edges,
                         .added_reverse = raw->added_reverse };
    if (as && as->recipe)
        out->recipe = *as->recipe;
    else
        MP_TRY(mp_recipe_fit(raw, &out->recipe));
    out->graphs.aim = mp_features_aim(&out->recipe, raw, a);
    MP_TRY(mp_features_apply(&out->recipe, raw, a, &out->x, &out->unseen_nodes));
    if (out->recipe.label_columns > 1) mp_sparse_know(a, &out->x); /* things of several properties, as atoms are */
    out->unused_edge_columns = raw->edge_columns_unread;
    if (mp_recipe_edge_columns(&out->recipe))
        MP_TRY(take_edge_x(raw, a, out));
    else
        out->unused_edge_columns += raw->edge_attributes.cols + raw->edge_label_columns;
    out->unused_labels = raw->label_columns && !out->recipe.label_columns;
    out->unused_attributes = raw->attributes.cols && !out->recipe.attributes;
    out->fold_text = raw->fold_text;
    out->target_name = raw->target_name;
    out->smiles = raw->smiles;
    out->names = raw->names;
    out->edge_names = raw->edge_names;
    out->left = raw->left;
    out->preset = mp_raw_is_molecules(raw) ? "ogb" : NULL;
    return mp_dataset_seal(raw, as, a, out);
}

mp_err mp_dataset_build(const mp_raw *raw, const mp_dataset_as *as, mp_arena *a, mp_dataset *out)
{
    MP_TRY(mp_dataset_piece(raw, as, a, out));
    take_fixed(raw, mp_known_find(raw->name), out);
    out->fingerprint = fingerprint(out);
    mp_graph_know(a, &out->graphs);
    return MP_OK;
}
