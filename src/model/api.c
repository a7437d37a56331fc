/* api.c - the public interface of midpool.h: a model file on one side, arrays on the other.
 *
 * Every call empties one arena and fills it again, so after the largest graph nothing is allocated.
 * SPDX-License-Identifier: MIT */
#include "base/flush.h"
#include "midpool.h"
#include "data/features.h"
#include "model/checkpoint.h"

#include <limits.h>
#include <math.h>
#include <string.h>

struct mp_predictor {
    mp_arena *keep; /* the model */
    mp_arena *step; /* one graph */
    mp_model *model;
    mp_about about;
    const mp_kernels *kernels;
    float *value;
};

static mp_err open_in(mp_predictor *p, mp_span bytes, const char *path)
{
    p->kernels = mp_kernels_get();
    if (!p->kernels) return mp_fail(MP_ERR_USAGE, "MIDPOOL_ISA: this machine does not have these instructions");
    if (path)
        MP_TRY(mp_checkpoint_load(path, p->keep, &p->model, &p->about));
    else
        MP_TRY(mp_checkpoint_parse(bytes, "model", p->keep, &p->model, &p->about));
    p->value = MP_NEW(p->keep, float, mp_model_outputs(p->model));
    return MP_OK;
}

static mp_predictor *open_any(mp_span bytes, const char *path)
{
    mp_arena *keep = mp_arena_new(65536);
    mp_predictor *p = MP_NEW(keep, mp_predictor, 1);
    p->keep = keep;
    p->step = mp_arena_new(65536);
    if (open_in(p, bytes, path) == MP_OK) return p;
    mp_predictor_free(p);
    return NULL;
}

mp_predictor *mp_predictor_load(const char *path)
{
    return open_any((mp_span){ NULL, 0 }, path);
}

mp_predictor *mp_predictor_from(const void *bytes, size_t n)
{
    return open_any((mp_span){ bytes, n }, NULL);
}

void mp_predictor_free(mp_predictor *p)
{
    if (!p) return;
    mp_arena_free(p->step);
    mp_arena_free(p->keep); /* p itself is in it */
}

const char *mp_predictor_error(void)
{
    return mp_message();
}

int mp_predictor_features(const mp_predictor *p)
{
    return mp_model_features(p->model);
}

int mp_predictor_attributes(const mp_predictor *p)
{
    return p->about.recipe.skip_attributes + p->about.recipe.attributes;
}

int mp_predictor_label_columns(const mp_predictor *p)
{
    return p->about.recipe.label_columns;
}

int mp_predictor_classes(const mp_predictor *p)
{
    return p->about.classes;
}

int64_t mp_predictor_class(const mp_predictor *p, int i)
{
    mp_assert(i >= 0 && i < p->about.classes);
    return p->about.class_value[i];
}

/* ---- the graph ---- */

static mp_err check(const mp_predictor *p, const mp_query *in)
{
    if (in->nodes < 1) return mp_fail(MP_ERR_INPUT, "a graph needs at least one node");
    if (in->edges < 0 || in->edges > INT_MAX / 2) return mp_fail(MP_ERR_INPUT, "%d edges are not possible", in->edges);
    for (int e = 0; e < in->edges; e++) {
        bool inside = in->from[e] >= 0 && in->from[e] < in->nodes && in->to[e] >= 0 && in->to[e] < in->nodes;
        if (!inside)
            return mp_fail(MP_ERR_INPUT, "edge %d joins nodes %d and %d, but nodes are 0 to %d", e, in->from[e],
                           in->to[e], in->nodes - 1);
    }
    if (in->x) return MP_OK;
    if (mp_predictor_attributes(p) && !in->attributes)
        return mp_fail(MP_ERR_INPUT, "the model needs %d node attributes", mp_predictor_attributes(p));
    if (p->about.recipe.label_columns && !in->labels)
        return mp_fail(MP_ERR_INPUT, "the model needs %d node labels", p->about.recipe.label_columns);
    return MP_OK;
}

/* Stable counting sort of n pairs by `by`; the other half follows. */
static void sort_pairs(mp_arena *a, int nodes, int n, const int *by, const int *with, int *out_by, int *out_with)
{
    int *at = MP_NEW(a, int, nodes + 1);
    for (int i = 0; i < n; i++) at[by[i] + 1]++;
    for (int v = 0; v < nodes; v++) at[v + 1] += at[v];
    for (int i = 0; i < n; i++) {
        int to = at[by[i]]++;
        out_by[to] = by[i];
        out_with[to] = with[i];
    }
}

/* Both directions of every edge, sorted by (row, column), without repeats and self loops. */
static void build_graph(mp_arena *a, const mp_query *in, mp_graph *g)
{
    int n = 0, room = 2 * in->edges;
    int *src = MP_NEW_RAW(a, int, room), *dst = MP_NEW_RAW(a, int, room);
    int *by_col = MP_NEW_RAW(a, int, room), *its_row = MP_NEW_RAW(a, int, room);
    for (int e = 0; e < in->edges; e++) {
        if (in->from[e] == in->to[e]) continue;
        src[n] = dst[n + 1] = in->from[e];
        dst[n] = src[n + 1] = in->to[e];
        n += 2;
    }
    sort_pairs(a, in->nodes, n, dst, src, by_col, its_row);
    sort_pairs(a, in->nodes, n, its_row, by_col, src, dst);
    int *row_ptr = MP_NEW(a, int, in->nodes + 1), *node_ptr = MP_NEW(a, int, 2), kept = 0;
    for (int i = 0; i < n; i++) {
        if (kept && src[kept - 1] == src[i] && dst[kept - 1] == dst[i]) continue;
        src[kept] = src[i];
        dst[kept++] = dst[i];
        row_ptr[src[i] + 1]++;
    }
    for (int v = 0; v < in->nodes; v++) row_ptr[v + 1] += row_ptr[v];
    node_ptr[1] = in->nodes;
    int *rev = MP_NEW_RAW(a, int, kept);
    bool symmetric = mp_graph_reverse(in->nodes, row_ptr, dst, rev);
    mp_assert(symmetric);
    *g = (mp_graph){
        .graphs = 1, .nodes = in->nodes, .edges = kept, .node_ptr = node_ptr, .row_ptr = row_ptr, .col = dst, .rev = rev
    };
}

/* A dense array without its zeros. */
static mp_err sparse_of(mp_arena *a, const float *v, int rows, int cols, const char *what, mp_sparse *out)
{
    size_t n = (size_t)rows * (size_t)cols, used = 0;
    if (n > INT_MAX) return mp_fail(MP_ERR_LIMIT, "%d x %d %s are too many", rows, cols, what);
    int *ptr = MP_NEW(a, int, rows + 1), *col = MP_NEW_RAW(a, int, n);
    mp_real *val = MP_NEW_RAW(a, mp_real, n);
    for (int r = 0; r < rows; r++) {
        for (int c = 0; c < cols; c++) {
            float f = v[(size_t)r * (size_t)cols + (size_t)c];
            if (!isfinite(f)) return mp_fail(MP_ERR_INPUT, "%s of node %d: column %d is not finite", what, r, c);
            if (f == 0) continue;
            col[used] = c;
            val[used++] = (mp_real)f;
        }
        ptr[r + 1] = (int)used;
    }
    *out = (mp_sparse){ rows, cols, ptr, col, val };
    return MP_OK;
}

static mp_err build_features(mp_predictor *p, const mp_query *in, const mp_graph *g, mp_sparse *x)
{
    mp_arena *a = p->step;
    if (in->x) return sparse_of(a, in->x, in->nodes, mp_model_features(p->model), "features", x);
    mp_raw raw = {
        .name = "graph", .graphs = *g, .label_columns = p->about.recipe.label_columns, .labels = in->labels
    };
    int unseen;
    MP_TRY(sparse_of(a, in->attributes, in->nodes, mp_predictor_attributes(p), "attributes", &raw.attributes));
    return mp_features_apply(&p->about.recipe, &raw, a, x, &unseen);
}

/* ---- the answer ---- */

static void answer_from(mp_predictor *p, const mp_mat *raw, mp_answer *out)
{
    int n = mp_model_outputs(p->model), best = 0;
    bool classify = p->about.task == MP_CLASSIFY;
    mp_real *v = MP_NEW_RAW(p->step, mp_real, n);
    if (classify)
        p->kernels->log_softmax(v, raw->v, 1, n);
    else
        memcpy(v, raw->v, sizeof *v * (size_t)n);
    for (int i = 0; i < n; i++) {
        p->value[i] = classify ? (float)exp((double)v[i]) : (float)v[i];
        if (v[i] > v[best]) best = i;
    }
    *out = (mp_answer){ .class_index = classify ? best : -1, .outputs = n, .value = p->value };
    out->label = classify ? p->about.class_value[best] : (int64_t)rint((double)v[0]);
}

static mp_err predict_in(mp_predictor *p, const mp_query *in, mp_answer *out)
{
    mp_graph g;
    mp_sparse x;
    mp_arena_reset(p->step);
    MP_TRY(check(p, in));
    build_graph(p->step, in, &g);
    MP_TRY(build_features(p, in, &g, &x));
    mp_ctx c = { .arena = p->step, .k = p->kernels };
    mp_params_bind(mp_model_params(p->model), &c, NULL);
    unsigned before = mp_flush_on();
    mp_mat *raw = mp_model_forward(p->model, &c, &g, &x, NULL, NULL, NULL);
    mp_flush_off(before);
    if (c.diverged || !isfinite(raw->v[0])) return mp_fail(MP_ERR_DIVERGED, "the model's output is not finite");
    answer_from(p, raw, out);
    return MP_OK;
}

bool mp_predict(mp_predictor *p, const mp_query *graph, mp_answer *out)
{
    return predict_in(p, graph, out) == MP_OK;
}
