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

static int degree(const mp_raw *raw, int v)
{
    return raw->graphs.row_ptr[v + 1] - raw->graphs.row_ptr[v];
}

static mp_err fit_labels(const mp_raw *raw, mp_recipe *r)
{
    r->label_columns = raw->label_columns;
    for (int k = 0; k < raw->label_columns; k++) {
        int lo = INT_MAX, hi = INT_MIN;
        for (int v = 0; v < raw->graphs.nodes; v++) {
            int label = raw->labels[(size_t)v * (size_t)raw->label_columns + (size_t)k];
            if (label < lo) lo = label;
            if (label > hi) hi = label;
        }
        int64_t range = (int64_t)hi - lo + 1;
        if (range > MAX_LABEL_RANGE)
            return mp_fail(MP_ERR_LIMIT, "%s_node_labels.txt: labels from %d to %d would need %lld columns", raw->name,
                           lo, hi, (long long)range);
        r->label_min[k] = lo;
        r->label_count[k] = (int)range;
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
    MP_TRY(fit_labels(raw, out));
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

static void put_attributes(const mp_recipe *r, const mp_raw *raw, int v, filling *f)
{
    const mp_sparse *x = &raw->attributes;
    for (int i = x->ptr[v]; i < x->ptr[v + 1]; i++)
        if (x->col[i] >= r->skip_attributes) put(f, x->col[i] - r->skip_attributes, x->val ? x->val[i] : 1);
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

mp_err mp_features_apply(const mp_recipe *r, const mp_raw *raw, mp_arena *a, mp_sparse *out, int *unseen)
{
    MP_TRY(check_columns(r, raw));
    int nodes = raw->graphs.nodes;
    int64_t most = r->attributes ? raw->attributes.ptr[nodes] : 0;
    most += (int64_t)nodes * (r->label_columns + (r->degree != MP_DEGREE_NONE));
    if (most > MP_MOST_COUNT) return mp_fail(MP_ERR_LIMIT, "%s: more than %d feature values", raw->name, MP_MOST_COUNT);
    filling f = { 0, MP_NEW_RAW(a, int, most), NULL, true };
    int *ptr = MP_NEW(a, int, nodes + 1);
    mp_arena_mark before_values = mp_arena_here(a); /* given back when all values turn out to be 1 */
    f.val = MP_NEW_RAW(a, mp_real, most);
    *unseen = 0;
    for (int v = 0; v < nodes; v++) {
        if (r->attributes) put_attributes(r, raw, v, &f);
        MP_TRY(put_labels(r, raw, v, &f));
        if (r->degree != MP_DEGREE_NONE) put_degree(r, degree(raw, v), &f, unseen);
        ptr[v + 1] = f.count;
    }
    if (f.all_one) mp_arena_back(a, before_values);
    *out = (mp_sparse){ nodes, mp_recipe_columns(r), ptr, f.col, f.all_one ? NULL : f.val };
    return MP_OK;
}
