/* read.c - a data set of midpool.h given back: as arrays, as files, as a fingerprint.
 * SPDX-License-Identifier: MIT */
#include "api/api.h"
#include "base/guard.h"
#include "data/format.h"
#include "data/load.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *mp_data_class(const mp_data *d, int i)
{
    bool there = d && d->raw.class_name && i >= 0 && i < d->raw.class_names;
    return there ? d->raw.class_name[i] : NULL;
}

/* ---- arrays ---- */

typedef struct chosen { /* graphs which[0..n-1] of a set, or all */
    const mp_data *d;
    const int *which;
    int n;
} chosen;

static mp_err check(chosen *c)
{
    int graphs = c->d->raw.graphs.graphs;
    if (!c->which) c->n = graphs;
    if (c->n < 0) return mp_fail(MP_ERR_USAGE, "%d graphs were asked for", c->n);
    for (int i = 0; c->which && i < c->n; i++)
        if (c->which[i] < 0 || c->which[i] >= graphs)
            return mp_fail(MP_ERR_USAGE, "there is no graph %d; %s has graphs 0 to %d", c->which[i], c->d->raw.name,
                           graphs - 1);
    return MP_OK;
}

static int at(const chosen *c, int i)
{
    return c->which ? c->which[i] : i;
}

mp_err mp_data_size(const mp_data *d, const int *which, int n, int *nodes, int *edges)
{
    MP_TRY(mp_api_need(d, "mp_data_size"));
    chosen c = { d, which, n };
    int64_t all_nodes = 0, all_edges = 0;
    const int *ptr = d->raw.graphs.node_ptr;
    MP_TRY(check(&c));
    for (int i = 0; i < c.n; i++) {
        all_nodes += ptr[at(&c, i) + 1] - ptr[at(&c, i)];
        all_edges += mp_raw_edge_count(&d->raw, at(&c, i));
    }
    if (all_nodes > MP_MOST_COUNT || all_edges > MP_MOST_COUNT / 2)
        return mp_fail(MP_ERR_LIMIT, "%lld nodes and %lld edges are too many", (long long)all_nodes,
                       (long long)all_edges);
    if (nodes) *nodes = (int)all_nodes;
    if (edges) *edges = (int)all_edges;
    return MP_OK;
}

static void put_dense(const mp_sparse *x, int row, float *out)
{
    memset(out, 0, (size_t)x->cols * sizeof *out);
    for (int k = x->ptr[row]; k < x->ptr[row + 1]; k++) out[x->col[k]] = x->val ? (float)x->val[k] : 1;
}

/* Rows first .. first + rows - 1 of what nodes have, to row `to`. */
static void put_nodes(const mp_raw *raw, const mp_arrays_out *out, int first, int rows, int to)
{
    size_t labels = (size_t)raw->label_columns, attributes = (size_t)raw->attributes.cols;
    if (out->node_label && labels)
        memcpy(out->node_label + (size_t)to * labels, raw->labels + (size_t)first * labels,
               (size_t)rows * labels * sizeof(int));
    for (int v = 0; out->node_attribute && attributes && v < rows; v++)
        put_dense(&raw->attributes, first + v, out->node_attribute + (size_t)(to + v) * attributes);
}

/* The edge in place e of the columns, whose graph's nodes move by `shift`, to row `to`. */
static void put_edge(const mp_raw *raw, const mp_arrays_out *out, int e, int shift, int to)
{
    size_t labels = (size_t)raw->edge_label_columns, attributes = (size_t)raw->edge_attributes.cols;
    if (out->from) out->from[to] = raw->graphs.col[e] + shift;
    if (out->to) out->to[to] = raw->graphs.col[raw->graphs.rev[e]] + shift;
    if (out->edge_label && labels)
        memcpy(out->edge_label + (size_t)to * labels, raw->edge_labels + (size_t)e * labels, labels * sizeof(int));
    if (out->edge_attribute && attributes)
        put_dense(&raw->edge_attributes, e, out->edge_attribute + (size_t)to * attributes);
}

/* In the order of mp_raw_edges, which would list the edges of all graphs. */
static int put_edges(const mp_raw *raw, const mp_arrays_out *out, int graph, int shift, int to)
{
    const mp_graph *g = &raw->graphs;
    int first = g->row_ptr[g->node_ptr[graph]] / 2, n = mp_raw_edge_count(raw, graph);
    for (int i = 0; raw->edge_list && i < n; i++) put_edge(raw, out, raw->edge_list[first + i], shift, to + i);
    if (raw->edge_list) return to + n;
    for (int v = g->node_ptr[graph]; v < g->node_ptr[graph + 1]; v++)
        for (int e = g->row_ptr[v]; e < g->row_ptr[v + 1]; e++)
            if (g->col[e] > v) put_edge(raw, out, g->rev[e], shift, to++);
    return to;
}

static void put_label(const mp_raw *raw, int graph, double *out)
{
    for (int k = 0; k < raw->target_columns && !raw->graph_label && raw->target; k++)
        out[k] = raw->target[(size_t)graph * (size_t)raw->target_columns + (size_t)k];
    if (raw->graph_label) out[0] = (double)raw->graph_label[graph];
}

mp_err mp_data_read(const mp_data *d, const int *which, int n, const mp_arrays_out *out)
{
    MP_TRY(mp_api_need(d && out, "mp_data_read"));
    chosen c = { d, which, n };
    const mp_raw *raw = &d->raw;
    const int *ptr = raw->graphs.node_ptr;
    int nodes = 0, edges = 0;
    mp_data_info about;
    mp_data_about(d, &about);
    MP_TRY(mp_data_size(d, which, n, NULL, NULL));
    MP_TRY(check(&c));
    for (int i = 0; i < c.n; i++) {
        int b = at(&c, i), rows = ptr[b + 1] - ptr[b];
        if (out->node_ptr) out->node_ptr[i] = nodes;
        if (out->label && about.targets) put_label(raw, b, out->label + (size_t)i * (size_t)about.targets);
        put_nodes(raw, out, ptr[b], rows, nodes);
        if (out->from || out->to || out->edge_label || out->edge_attribute)
            edges = put_edges(raw, out, b, nodes - ptr[b], edges);
        nodes += rows;
    }
    if (out->node_ptr) out->node_ptr[c.n] = nodes;
    return MP_OK;
}

/* ---- folds ---- */

mp_err mp_api_folds(const mp_dataset *d, int count, mp_arena *a, mp_folds *out)
{
    if (mp_dataset_is_fixed(d)) {
        mp_folds_fixed(d, a, out);
        return MP_OK;
    }
    if (d->origin) return mp_folds_load(d, NULL, count, a, out);
    return mp_folds_stratified(d, count ? count : 10, a, out);
}

typedef struct folding {
    const mp_data *d;
    int folds, fold, *part, *count;
} folding;

static void put_part(int *part, const int *graphs, int n, int what)
{
    for (int i = 0; i < n; i++) part[graphs[i]] = what;
}

static mp_err fold_in(const folding *f, mp_arena *a)
{
    mp_dataset set;
    mp_folds folds;
    MP_TRY(mp_api_build(f->d, NULL, a, &set));
    MP_TRY(mp_api_folds(&set, f->folds, a, &folds));
    if (f->fold < 1 || f->fold > folds.count)
        return mp_fail(MP_ERR_USAGE, "fold %d: %s has %d fold%s", f->fold, set.name, folds.count,
                       mp_plural(folds.count));
    const mp_split *s = &folds.split[f->fold - 1];
    if (f->count) *f->count = folds.count;
    if (!f->part) return MP_OK;
    for (int b = 0; b < set.graphs.graphs; b++) f->part[b] = -1;
    put_part(f->part, s->train, s->n_train, 0);
    put_part(f->part, s->val, s->n_val, 1);
    put_part(f->part, s->test, s->n_test, 2);
    return MP_OK;
}

static mp_err fold(void *arg)
{
    mp_arena *a = mp_arena_new(1 << 16);
    mp_err e = fold_in(arg, a);
    mp_arena_free(a);
    return e;
}

mp_err mp_data_fold(const mp_data *d, int folds, int number, int *part, int *count)
{
    MP_TRY(mp_api_need(d, "mp_data_fold"));
    return mp_guarded(fold, &(folding){ d, folds, number, part, count });
}

/* ---- files and fingerprints ---- */

typedef struct giving {
    const mp_data *d;
    const char *path;
    uint64_t fingerprint;
} giving;

static mp_err write_file(void *arg)
{
    const giving *g = arg;
    const mp_data_format *f = mp_format_for(g->path);
    if (!f) return mp_fail(MP_ERR_USAGE, "%s: its ending names no format; .jsonl does, and a folder has none", g->path);
    if (!f->write) return mp_fail(MP_ERR_USAGE, "%s: %s cannot be written", g->path, f->title);
    return f->write(&g->d->raw, NULL, g->path);
}

mp_err mp_data_write(const mp_data *d, const char *path)
{
    MP_TRY(mp_api_need(d && path, "mp_data_write"));
    return mp_guarded(write_file, &(giving){ .d = d, .path = path });
}

static mp_err build(void *arg)
{
    giving *g = arg;
    mp_dataset set;
    mp_arena *a = mp_arena_new(1 << 16);
    mp_err e = mp_api_build(g->d, NULL, a, &set);
    if (e == MP_OK) g->fingerprint = set.fingerprint;
    mp_arena_free(a);
    return e;
}

mp_err mp_data_fingerprint(const mp_data *d, char out[17])
{
    MP_TRY(mp_api_need(d && out, "mp_data_fingerprint"));
    giving g = { .d = d };
    MP_TRY(mp_guarded(build, &g));
    snprintf(out, 17, "%016llx", (unsigned long long)g.fingerprint);
    return MP_OK;
}
