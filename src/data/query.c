/* query.c - see query.h.
 * SPDX-License-Identifier: MIT */
#include "data/query.h"
#include "base/guard.h"
#include "data/edge_values.h"
#include "data/features.h"

#include <limits.h>
#include <math.h>

int mp_recipe_attributes(const mp_recipe *r)
{
    return r->attributes ? r->skip_attributes + r->attributes : 0;
}

static mp_err check_labels(const char *what, const int *label, int rows, int columns, const int *min, const int *count)
{
    for (int v = 0; v < rows; v++)
        for (int k = 0; k < columns; k++, label++)
            if (*label < min[k] || (int64_t)*label - min[k] >= count[k])
                return mp_fail(MP_ERR_INPUT, "%s %d has label %d; the model knows %d to %d", what, v, *label, min[k],
                               min[k] + count[k] - 1);
    return MP_OK;
}

static mp_err check_structure(const mp_query *in)
{
    if (in->nodes < 1) return mp_fail(MP_ERR_INPUT, "a graph needs at least one node");
    if (in->nodes > MP_MOST_COUNT) return mp_fail(MP_ERR_LIMIT, "%d nodes are too many", in->nodes);
    if (in->edges < 0 || in->edges > MP_MOST_COUNT / 2)
        return mp_fail(MP_ERR_INPUT, "%d edges are not possible", in->edges);
    if (in->edges > 0 && (!in->from || !in->to))
        return mp_fail(MP_ERR_INPUT, "%d edges, but no numbers of nodes", in->edges);
    for (int e = 0; e < in->edges; e++) {
        bool inside = in->from[e] >= 0 && in->from[e] < in->nodes && in->to[e] >= 0 && in->to[e] < in->nodes;
        if (!inside)
            return mp_fail(MP_ERR_INPUT, "edge %d joins nodes %d and %d, but nodes are 0 to %d", e, in->from[e],
                           in->to[e], in->nodes - 1);
    }
    return MP_OK;
}

static mp_err check_edge_values(const mp_recipe *r, const mp_query *in)
{
    if (in->edges == 0) return MP_OK;
    if (r->edge_attributes && !in->edge_attributes)
        return mp_fail(MP_ERR_INPUT, "the model needs %d attributes of edges", r->edge_attributes);
    if (r->edge_label_columns && !in->edge_labels)
        return mp_fail(MP_ERR_INPUT, "the model needs %d labels of edges", r->edge_label_columns);
    return check_labels("edge", in->edge_labels, in->edges, r->edge_label_columns, r->edge_label_min,
                        r->edge_label_count);
}

mp_err mp_query_check(const mp_recipe *r, const mp_query *in)
{
    MP_TRY(check_structure(in));
    if (!r) return MP_OK;
    MP_TRY(check_edge_values(r, in));
    if (in->x) return MP_OK;
    if (mp_recipe_attributes(r) && !in->attributes)
        return mp_fail(MP_ERR_INPUT, "the model needs %d node attributes", mp_recipe_attributes(r));
    if (r->label_columns && !in->labels)
        return mp_fail(MP_ERR_INPUT, "the model needs %d node labels", r->label_columns);
    return check_labels("node", in->labels, in->nodes, r->label_columns, r->label_min, r->label_count);
}

/* Where lists of nodes begin, one for each node: its neighbours, those that are listed twice included. */
static int *count_ends(const mp_query *in, mp_arena *a)
{
    int *ptr = MP_NEW(a, int, in->nodes + 1);
    for (int e = 0; e < in->edges; e++) {
        bool loop = in->from[e] == in->to[e];
        ptr[in->from[e] + 1] += !loop;
        ptr[in->to[e] + 1] += !loop;
    }
    for (int v = 0; v < in->nodes; v++) ptr[v + 1] += ptr[v];
    return ptr;
}

static int *places(const int *ptr, int n, mp_arena *a)
{
    int *at = MP_NEW_RAW(a, int, n);
    for (int v = 0; v < n; v++) at[v] = ptr[v];
    return at;
}

/* Rows of columns: every node's list first, in any order; read node by node they fill the rows in ascending order. */
static void fill_rows(const mp_query *in, const int *ptr, mp_arena *a, int *col)
{
    int *list = MP_NEW_RAW(a, int, ptr[in->nodes]), *at = places(ptr, in->nodes, a);
    for (int e = 0; e < in->edges; e++) {
        if (in->from[e] == in->to[e]) continue;
        list[at[in->from[e]]++] = in->to[e];
        list[at[in->to[e]]++] = in->from[e];
    }
    for (int v = 0; v < in->nodes; v++) at[v] = ptr[v];
    for (int v = 0; v < in->nodes; v++)
        for (int i = ptr[v]; i < ptr[v + 1]; i++) col[at[list[i]]++] = v;
}

/* Equal columns, which lie side by side, become one. */
static void drop_repeats(int nodes, int *ptr, int *col)
{
    int kept = 0, first = 0;
    for (int v = 0; v < nodes; v++) {
        int end = ptr[v + 1];
        for (int i = first; i < end; i++)
            if (i == first || col[i] != col[i - 1]) col[kept++] = col[i];
        first = end;
        ptr[v + 1] = kept;
    }
}

/* Rows of edges that are listed in the order of rows and columns, as matrices have them, without self loops. False: they are not. */
static bool take_rows(const mp_query *in, int *ptr, int *col)
{
    int n = 0, row = 0;
    for (int e = 0; e < in->edges; e++) {
        int from = in->from[e], to = in->to[e];
        if (from == to) continue;
        if (from < row || (n > ptr[row] && from == row && to <= col[n - 1])) return false;
        while (row < from) ptr[++row] = n;
        col[n++] = to;
    }
    while (row < in->nodes) ptr[++row] = n;
    return true;
}

/* Both directions of every edge, sorted by (row, column), without repeats and self loops. */
void mp_query_graph(const mp_query *in, mp_arena *a, mp_graph *g)
{
    int *node_ptr = MP_NEW(a, int, 2);
    node_ptr[1] = in->nodes;
    mp_arena_mark before = mp_arena_here(a);
    int *ptr = MP_NEW(a, int, in->nodes + 1), *col = MP_NEW_RAW(a, int, in->edges),
        *rev = MP_NEW_RAW(a, int, in->edges);
    if (!take_rows(in, ptr, col) || !mp_graph_reverse(in->nodes, ptr, col, rev)) { /* not from both ends */
        mp_arena_back(a, before);
        ptr = count_ends(in, a);
        col = MP_NEW_RAW(a, int, ptr[in->nodes]);
        mp_arena_mark columns = mp_arena_here(a);
        fill_rows(in, ptr, a, col);
        mp_arena_back(a, columns);
        drop_repeats(in->nodes, ptr, col);
        rev = MP_NEW_RAW(a, int, ptr[in->nodes]);
        bool symmetric = mp_graph_reverse(in->nodes, ptr, col, rev);
        mp_assert(symmetric);
    }
    *g = mp_graph_of(a, 1, node_ptr, ptr, col, rev);
}

mp_err mp_sparse_of(const float *v, int rows, int cols, const char *what, mp_arena *a, mp_sparse *out)
{
    size_t n = (size_t)rows * (size_t)cols, used = 0;
    if (n > MP_MOST_COUNT) return mp_fail(MP_ERR_LIMIT, "%d x %d %s are too many", rows, cols, what);
    size_t stored = 0;
    for (size_t i = 0; i < n; i++) stored += v[i] != 0;
    int *ptr = MP_NEW(a, int, rows + 1), *col = MP_NEW_RAW(a, int, stored);
    mp_real *val = MP_NEW_RAW(a, mp_real, stored);
    for (int r = 0; r < rows; r++) {
        for (int c = 0; c < cols; c++) {
            float f = v[(size_t)r * (size_t)cols + (size_t)c];
            if (!isfinite(f)) return mp_fail(MP_ERR_INPUT, "%s %d: column %d is not finite", what, r, c);
            if (f == 0) continue;
            col[used] = c;
            val[used++] = (mp_real)f;
        }
        ptr[r + 1] = (int)used;
    }
    *out = (mp_sparse){ .rows = rows, .cols = cols, .ptr = ptr, .col = col, .val = val };
    return MP_OK;
}

static mp_err build_features(const mp_recipe *r, const mp_query *in, const mp_graph *g, mp_arena *a, mp_sparse *x,
                             int *unseen)
{
    *unseen = 0;
    if (in->x) return mp_sparse_of(in->x, in->nodes, mp_recipe_columns(r), "features of node", a, x);
    mp_raw raw = { .name = "graph", .graphs = *g, .label_columns = r->label_columns, .labels = in->labels };
    MP_TRY(mp_sparse_of(in->attributes, in->nodes, mp_recipe_attributes(r), "attributes of node", a, &raw.attributes));
    return mp_features_apply(r, &raw, a, x, unseen);
}

mp_err mp_query_edge_values(const mp_query *in, int attributes, int label_columns, mp_arena *scratch, mp_arena *a,
                            mp_raw *raw)
{
    mp_edge_list list = {
        .n = in->edges, .from = in->from, .to = in->to, .label_columns = label_columns, .labels = in->edge_labels
    };
    mp_edge_clash clash;
    if (attributes)
        MP_TRY(
            mp_sparse_of(in->edge_attributes, in->edges, attributes, "attributes of edge", scratch, &list.attributes));
    if (mp_edge_values(&list, scratch, a, raw, &clash)) return MP_OK;
    return mp_fail(MP_ERR_INPUT, "edges %d and %d join the same nodes, %d and %d, with other %s", clash.before,
                   clash.here, in->from[clash.here], in->to[clash.here], clash.labels ? "labels" : "attributes");
}

/* Of the graph, whose edge_x it becomes. */
static mp_err build_edge_features(const mp_recipe *r, const mp_query *in, mp_arena *a, mp_graph *g)
{
    mp_raw raw = { .name = "graph", .graphs = *g };
    mp_sparse *edge_x = MP_NEW(a, mp_sparse, 1);
    MP_TRY(mp_query_edge_values(in, in->edges ? r->edge_attributes : 0, r->edge_label_columns, a, a, &raw));
    MP_TRY(mp_edge_features_apply(r, &raw, a, edge_x));
    g->edge_x = edge_x;
    return MP_OK;
}

mp_err mp_query_build(const mp_recipe *r, const mp_query *in, mp_arena *a, mp_graph *g, mp_sparse *x, int *unseen)
{
    MP_TRY(mp_query_check(r, in));
    mp_query_graph(in, a, g);
    if (mp_recipe_edge_columns(r)) MP_TRY(build_edge_features(r, in, a, g));
    return build_features(r, in, g, a, x, unseen);
}
