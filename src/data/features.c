/* features.c - the recipe for x and its application. See features.h and math.md 1.7.
 *
 * x is kept sparse: zeros are not stored, and when every stored number is 1 (labels, degrees, colours) `val`
 * is NULL and the first layer only gathers rows of its weights.
 * SPDX-License-Identifier: MIT */
#include "data/features.h"
#include "base/guard.h"
#include "data/known.h"

#include <limits.h>
#include <math.h>

#define ONE_HOT_BELOW   1000   /* the largest degree that still gets a column of its own, plus one */
#define MAX_LABEL_RANGE 100000 /* columns one label column may make: more is an id, not a label */

int mp_recipe_columns(const mp_recipe *r)
{
    int columns = r->attributes;
    for (int k = 0; k < r->label_columns; k++) columns += r->label_count[k];
    if (r->degree == MP_DEGREE_ONE_HOT) columns += r->degree_max + 1;
    if (r->degree == MP_DEGREE_NORMALISED) columns += 1;
    return columns;
}

int mp_recipe_edge_columns(const mp_recipe *r)
{
    int columns = r->edge_attributes;
    for (int k = 0; k < r->edge_label_columns; k++) columns += r->edge_label_count[k];
    return columns;
}

static int degree(const mp_raw *raw, int v)
{
    return raw->graphs.row_ptr[v + 1] - raw->graphs.row_ptr[v];
}

/* Labels of nodes or edges: rows x columns, the smallest and the number of values of each column. `range_of`: as in mp_raw. */
static mp_err fit_labels(const char *name, const char *what, const int *labels, int rows, int columns,
                         const int *range_of, int *min, int *count)
{
    for (int k = 0; k < columns; k++) {
        int lo = INT_MAX, hi = INT_MIN;
        if (range_of) {
            min[k] = 0;
            count[k] = range_of[k];
            continue;
        }
        for (int i = 0; i < rows; i++) {
            int label = labels[(size_t)i * (size_t)columns + (size_t)k];
            if (label < lo) lo = label;
            if (label > hi) hi = label;
        }
        int64_t range = rows ? (int64_t)hi - lo + 1 : 0;
        if (range > MAX_LABEL_RANGE)
            return mp_fail(MP_ERR_LIMIT, "%s: %s labels from %d to %d would need %lld columns", name, what, lo, hi,
                           (long long)range);
        min[k] = rows ? lo : 0;
        count[k] = (int)range;
    }
    return MP_OK;
}

static void fit_degree(const mp_raw *raw, int forced_max, mp_recipe *r)
{
    int nodes = raw->graphs.nodes, most = 0;
    for (int v = 0; v < nodes; v++)
        if (degree(raw, v) > most) most = degree(raw, v);
    if (forced_max || most < ONE_HOT_BELOW) {
        r->degree = MP_DEGREE_ONE_HOT;
        r->degree_max = forced_max ? forced_max : most;
        return;
    }
    double mean = (double)raw->graphs.edges / nodes, sum = 0;
    for (int v = 0; v < nodes; v++) sum += (degree(raw, v) - mean) * (degree(raw, v) - mean);
    double std = sqrt(sum / (nodes - 1));
    r->degree = MP_DEGREE_NORMALISED;
    r->degree_mean = mean;
    r->degree_std = std > 0 ? std : 1;
}

mp_err mp_recipe_fit(const mp_raw *raw, mp_recipe *out)
{
    const mp_known *known = mp_known_find(raw->name);
    *out = (mp_recipe){ 0 };
    out->skip_attributes = known ? known->skip_attributes : 0;
    if (out->skip_attributes > raw->attributes.cols) out->skip_attributes = raw->attributes.cols;
    out->attributes = raw->attributes.cols - out->skip_attributes;
    out->label_columns = raw->label_columns;
    MP_TRY(fit_labels(raw->name, "node", raw->labels, raw->graphs.nodes, raw->label_columns,
                      known && known->labels && raw->label_columns == 1 ? &known->labels : raw->label_range,
                      out->label_min, out->label_count));
    out->edge_attributes = raw->edge_attributes.cols;
    out->edge_label_columns = raw->edge_label_columns;
    MP_TRY(fit_labels(raw->name, "edge", raw->edge_labels, raw->graphs.edges, raw->edge_label_columns,
                      raw->edge_label_range, out->edge_label_min, out->edge_label_count));
    if (out->attributes == 0 && out->label_columns == 0) fit_degree(raw, known ? known->degree_max : 0, out);
    return MP_OK;
}

static mp_err check_columns(const mp_recipe *r, const mp_raw *raw)
{
    if (r->attributes && raw->attributes.cols != r->skip_attributes + r->attributes)
        return mp_fail(MP_ERR_INPUT, "%s: %d node attributes, the model needs %d", raw->name, raw->attributes.cols,
                       r->skip_attributes + r->attributes);
    if (r->label_columns && raw->label_columns != r->label_columns)
        return mp_fail(MP_ERR_INPUT, "%s: %d node label columns, the model needs %d", raw->name, raw->label_columns,
                       r->label_columns);
    return MP_OK;
}

typedef struct filling { /* x on its way */
    int count;
    int *col;
    mp_real *val;
    bool all_one;
} filling;

static void put(filling *f, int col, mp_real val)
{
    f->col[f->count] = col;
    f->val[f->count++] = val;
    f->all_one = f->all_one && val == 1;
}

/* Row i, without the columns before `skip`. */
static void put_attributes(const mp_sparse *x, int i, int skip, filling *f)
{
    for (int k = x->ptr[i]; k < x->ptr[i + 1]; k++)
        if (x->col[k] >= skip) put(f, x->col[k] - skip, x->val ? x->val[k] : 1);
}

static int graph_of(const mp_graph *g, int v)
{
    int b = 0;
    while (g->node_ptr[b + 1] <= v) b++;
    return b;
}

static mp_err put_labels(const mp_recipe *r, const mp_raw *raw, int v, filling *f)
{
    int first = r->attributes;
    for (int k = 0; k < r->label_columns; k++) {
        int label = raw->labels[(size_t)v * (size_t)raw->label_columns + (size_t)k];
        int64_t at = (int64_t)label - r->label_min[k];
        if (at < 0 || at >= r->label_count[k])
            return mp_fail(MP_ERR_INPUT, "%s_node_labels.txt:%d: graph %d has node label %d; the model knows %d to %d",
                           raw->name, v + 1, graph_of(&raw->graphs, v), label, r->label_min[k],
                           r->label_min[k] + r->label_count[k] - 1);
        put(f, first + (int)at, 1);
        first += r->label_count[k];
    }
    return MP_OK;
}

static void put_degree(const mp_recipe *r, int deg, filling *f, int *unseen)
{
    if (r->degree == MP_DEGREE_NORMALISED) {
        mp_real v = (mp_real)((deg - r->degree_mean) / r->degree_std);
        if (v != 0) put(f, 0, v);
    } else if (deg <= r->degree_max) {
        put(f, deg, 1);
    } else {
        ++*unseen;
    }
}

/* Room for `most` values of `rows` rows. Values are given back when all turn out to be 1. */
typedef struct making {
    filling f;
    int rows, *ptr;
    mp_arena_mark before_values;
} making;

static mp_err make(making *m, const char *name, int rows, int64_t most, mp_arena *a)
{
    if (most > MP_MOST_COUNT) return mp_fail(MP_ERR_LIMIT, "%s: more than %d feature values", name, MP_MOST_COUNT);
    *m = (making){ .f = { 0, MP_NEW_RAW(a, int, most), NULL, true }, .rows = rows, .ptr = MP_NEW(a, int, rows + 1) };
    m->before_values = mp_arena_here(a);
    m->f.val = MP_NEW_RAW(a, mp_real, most);
    return MP_OK;
}

static mp_sparse made(const making *m, int columns, mp_arena *a)
{
    if (m->f.all_one) mp_arena_back(a, m->before_values);
    return (mp_sparse){
        .rows = m->rows, .cols = columns, .ptr = m->ptr, .col = m->f.col, .val = m->f.all_one ? NULL : m->f.val
    };
}

mp_err mp_features_apply(const mp_recipe *r, const mp_raw *raw, mp_arena *a, mp_sparse *out, int *unseen)
{
    MP_TRY(check_columns(r, raw));
    int nodes = raw->graphs.nodes;
    int64_t most = r->attributes ? raw->attributes.ptr[nodes] : 0;
    most += (int64_t)nodes * (r->label_columns + (r->degree != MP_DEGREE_NONE));
    making m;
    MP_TRY(make(&m, raw->name, nodes, most, a));
    *unseen = 0;
    for (int v = 0; v < nodes; v++) {
        if (r->attributes) put_attributes(&raw->attributes, v, r->skip_attributes, &m.f);
        MP_TRY(put_labels(r, raw, v, &m.f));
        if (r->degree != MP_DEGREE_NONE) put_degree(r, degree(raw, v), &m.f, unseen);
        m.ptr[v + 1] = m.f.count;
    }
    *out = made(&m, mp_recipe_columns(r), a);
    return MP_OK;
}

const mp_real *mp_features_aim(const mp_recipe *r, const mp_raw *raw, mp_arena *a)
{
    const mp_sparse *x = &raw->attributes;
    if (r->skip_attributes != 1 || !x->ptr) return NULL;
    mp_real *aim = MP_NEW(a, mp_real, x->rows);
    for (int v = 0; v < x->rows; v++)
        if (x->ptr[v] < x->ptr[v + 1] && x->col[x->ptr[v]] == 0) aim[v] = x->val ? x->val[x->ptr[v]] : 1;
    return aim;
}

static mp_err put_edge_labels(const mp_recipe *r, const mp_raw *raw, int v, int e, filling *f)
{
    int first = r->edge_attributes;
    for (int k = 0; k < r->edge_label_columns; k++) {
        int label = raw->edge_labels[(size_t)e * (size_t)raw->edge_label_columns + (size_t)k];
        int64_t at = (int64_t)label - r->edge_label_min[k];
        if (at < 0 || at >= r->edge_label_count[k]) {
            int b = graph_of(&raw->graphs, v), before = raw->graphs.node_ptr[b];
            return mp_fail(MP_ERR_INPUT,
                           "%s: graph %d: the edge of its nodes %d and %d has label %d; the model knows %d to %d",
                           raw->name, b, v - before, raw->graphs.col[e] - before, label, r->edge_label_min[k],
                           r->edge_label_min[k] + r->edge_label_count[k] - 1);
        }
        put(f, first + (int)at, 1);
        first += r->edge_label_count[k];
    }
    return MP_OK;
}

static mp_err check_edge_columns(const mp_recipe *r, const mp_raw *raw)
{
    if (raw->edge_attributes.cols != r->edge_attributes)
        return mp_fail(MP_ERR_INPUT, "%s: %d attributes of edges, the model needs %d", raw->name,
                       raw->edge_attributes.cols, r->edge_attributes);
    if (raw->edge_label_columns != r->edge_label_columns)
        return mp_fail(MP_ERR_INPUT, "%s: %d label columns of edges, the model needs %d", raw->name,
                       raw->edge_label_columns, r->edge_label_columns);
    return MP_OK;
}

mp_err mp_edge_features_apply(const mp_recipe *r, const mp_raw *raw, mp_arena *a, mp_sparse *out)
{
    const mp_graph *g = &raw->graphs;
    making m;
    if (g->edges) MP_TRY(check_edge_columns(r, raw)); /* without a line there are no columns */
    int64_t most = (int64_t)g->edges * r->edge_label_columns;
    MP_TRY(make(&m, raw->name, g->edges,
                most + (r->edge_attributes && g->edges ? raw->edge_attributes.ptr[g->edges] : 0), a));
    for (int v = 0; v < g->nodes; v++)
        for (int e = g->row_ptr[v]; e < g->row_ptr[v + 1]; e++) {
            if (r->edge_attributes) put_attributes(&raw->edge_attributes, e, 0, &m.f);
            MP_TRY(put_edge_labels(r, raw, v, e, &m.f));
            m.ptr[e + 1] = m.f.count;
        }
    *out = made(&m, mp_recipe_edge_columns(r), a);
    return MP_OK;
}
