/* dataset.c - from what the files say to a data set: features, classes, the seal and the fingerprint.
 *
 * The fingerprint is 64-bit FNV-1a with whole numbers instead of bytes and a shift between steps, over, in
 * this order: counts, node ranges, row ranges, columns; feature columns, ranges, columns, values (as
 * doubles); the same of the edges where they have features; task, classes, labels or targets. It depends on neither the machine's byte order nor the name of
 * the set.
 * SPDX-License-Identifier: MIT */
#include "data/dataset.h"
#include "data/features.h"
#include "data/known.h"
#include "data/seal.h"
#include "data/tu.h"
#include "graph/twins.h"

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
    h = step(step(h, (uint32_t)d->task), (uint32_t)d->classes);
    for (int c = 0; d->class_value && c < d->classes; c++) h = step(h, (uint64_t)d->class_value[c]);
    const int *label = d->seal ? mp_seal_break_labels(d->seal) : NULL;
    const double *target = d->seal ? mp_seal_break_targets(d->seal) : NULL;
    if (label) h = over_ints(h, label, g->graphs);
    for (int b = 0; target && b < g->graphs; b++) h = over_real(h, target[b]);
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

static mp_err seal_classes(const mp_raw *raw, const mp_dataset_as *as, mp_arena *a, mp_dataset *d)
{
    int graphs = raw->graphs.graphs;
    if (as && as->classes) {
        d->classes = as->classes;
        d->class_value = as->class_value;
    } else if (raw->graph_label) {
        d->class_value = distinct(raw->graph_label, graphs, a, &d->classes);
    }
    if (!raw->graph_label) return MP_OK;
    int *label = MP_NEW_RAW(a, int, graphs);
    for (int b = 0; b < graphs; b++) {
        label[b] = mp_class_of(d->class_value, d->classes, raw->graph_label[b]);
        if (label[b] < 0)
            return mp_fail(MP_ERR_INPUT, "%s_graph_labels.txt:%d: class %lld; the model knows %s", raw->name, b + 1,
                           (long long)raw->graph_label[b], list_classes(d, a));
    }
    d->seal = mp_seal_new(a, graphs, label, NULL);
    return MP_OK;
}

static mp_err seal_targets(const mp_raw *raw, mp_arena *a, mp_dataset *d)
{
    int graphs = raw->graphs.graphs;
    d->classes = 1;
    if (!raw->graph_label && !raw->target) return MP_OK;
    if (!raw->graph_label && raw->target_columns != 1)
        return mp_fail(MP_ERR_INPUT, "%s: %d targets a graph; one can be learned", raw->name, raw->target_columns);
    double *target = MP_NEW_RAW(a, double, graphs);
    for (int b = 0; b < graphs; b++) {
        target[b] = raw->graph_label ? (double)raw->graph_label[b] : raw->target[b];
        if (isnan(target[b])) return mp_fail(MP_ERR_INPUT, "%s: graph %d has no target", raw->name, b);
    }
    d->seal = mp_seal_new(a, graphs, NULL, target);
    return MP_OK;
}

static mp_task task_of(const mp_raw *raw, const mp_known *known, const mp_dataset_as *as)
{
    if (as && as->classes) return as->task;
    if (known) return known->task;
    return raw->graph_label || !raw->target ? MP_CLASSIFY : MP_REGRESS;
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
    } else if (known && last_end(known->fixed) == raw->graphs.graphs) {
        memcpy(d->fixed, known->fixed, sizeof d->fixed);
        memcpy(d->fixed_name, known->fixed_name, sizeof d->fixed_name);
    }
}

/* The copy that the graphs point to lies in the arena, so that a data set can be copied. */
static mp_err take_edge_x(const mp_raw *raw, mp_arena *a, mp_dataset *d)
{
    mp_sparse *edge_x = MP_NEW(a, mp_sparse, 1);
    MP_TRY(mp_edge_features_apply(&d->recipe, raw, a, edge_x));
    d->edge_x = *edge_x;
    d->graphs.edge_x = edge_x;
    return MP_OK;
}

mp_err mp_dataset_piece(const mp_raw *raw, const mp_dataset_as *as, mp_arena *a, mp_dataset *out)
{
    *out = (mp_dataset){ .name = raw->name,
                         .graphs = raw->graphs,
                         .task = task_of(raw, mp_known_find(raw->name), as),
                         .origin = "memory",
                         .self_loops = raw->self_loops,
                         .repeated_edges = raw->repeated_edges,
                         .added_reverse = raw->added_reverse };
    if (as && as->recipe)
        out->recipe = *as->recipe;
    else
        MP_TRY(mp_recipe_fit(raw, &out->recipe));
    MP_TRY(mp_features_apply(&out->recipe, raw, a, &out->x, &out->unseen_nodes));
    out->unused_edge_columns = raw->edge_columns_unread;
    if (mp_recipe_edge_columns(&out->recipe))
        MP_TRY(take_edge_x(raw, a, out));
    else
        out->unused_edge_columns += raw->edge_attributes.cols + raw->edge_label_columns;
    out->unused_labels = raw->label_columns && !out->recipe.label_columns;
    out->unused_attributes = raw->attributes.cols && !out->recipe.attributes;
    out->class_name = raw->class_name;
    return out->task == MP_CLASSIFY ? seal_classes(raw, as, a, out) : seal_targets(raw, a, out);
}

mp_err mp_dataset_build(const mp_raw *raw, const mp_dataset_as *as, mp_arena *a, mp_dataset *out)
{
    MP_TRY(mp_dataset_piece(raw, as, a, out));
    take_fixed(raw, mp_known_find(raw->name), out);
    out->fingerprint = fingerprint(out);
    mp_graph_know(a, &out->graphs);
    return MP_OK;
}
