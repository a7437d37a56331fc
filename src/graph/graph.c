/* graph.c - building and checking block-diagonal graphs.
 * SPDX-License-Identifier: MIT */
#include "graph/graph.h"
#include "graph/twins.h"
#include "math/kernels.h"

#include <string.h>

/* One pass over rising v. Edges from v to lower nodes u come in the order in which row u lists its higher neighbours, so
 * each row needs only the place of the next one not yet met. That place is kept in rev of the row's last edge, which is met
 * last. */
bool mp_graph_reverse(int nodes, const int *row_ptr, const int *col, int *rev)
{
    int open = 0; /* edges to a higher node that still wait for their reverse */
    for (int v = 0; v < nodes; v++) {
        int e = row_ptr[v], end = row_ptr[v + 1];
        for (; e < end && col[e] < v; e++) {
            int u = col[e], last = row_ptr[u + 1] - 1;
            int r = last < row_ptr[u] ? -1 : rev[last];
            if (r < row_ptr[u] || r > last || col[r] != v) return false;
            if (r < last) rev[last] = r + 1;
            rev[r] = e;
            rev[e] = r;
            open--;
        }
        if (e < end && col[e] == v) {
            rev[e] = e;
            e++;
        }
        if (e < end) rev[end - 1] = e;
        open += end - e;
    }
    return open == 0;
}

static mp_err check_rows(const mp_graph *g, int b)
{
    for (int v = g->node_ptr[b]; v < g->node_ptr[b + 1]; v++) {
        if (g->row_ptr[v + 1] < g->row_ptr[v]) return mp_fail(MP_ERR_INPUT, "row %d has a negative length", v);
        for (int e = g->row_ptr[v]; e < g->row_ptr[v + 1]; e++) {
            if (g->col[e] < g->node_ptr[b] || g->col[e] >= g->node_ptr[b + 1])
                return mp_fail(MP_ERR_INPUT, "edge %d of node %d leaves its graph %d", e, v, b);
            if (e > g->row_ptr[v] && g->col[e] <= g->col[e - 1])
                return mp_fail(MP_ERR_INPUT, "the edges of node %d do not ascend", v);
            int r = g->rev[e];
            if (r < 0 || r >= g->edges || g->col[r] != v || g->rev[r] != e || r < g->row_ptr[g->col[e]] ||
                r >= g->row_ptr[g->col[e] + 1])
                return mp_fail(MP_ERR_INPUT, "edge %d of node %d has no reverse", e, v);
        }
    }
    return MP_OK;
}

int mp_graph_edge(const mp_graph *g, int u, int v)
{
    int from = g->row_ptr[v], to = g->row_ptr[v + 1];
    while (from < to) {
        int middle = from + (to - from) / 2;
        if (g->col[middle] < u)
            from = middle + 1;
        else
            to = middle;
    }
    return from < g->row_ptr[v + 1] && g->col[from] == u ? from : -1;
}

bool mp_graph_is_loopless(const mp_graph *g)
{
    for (int v = 0; v < g->nodes; v++)
        for (int e = g->row_ptr[v]; e < g->row_ptr[v + 1]; e++)
            if (g->col[e] == v) return false;
    return true;
}

mp_site mp_site_in(mp_arena *a)
{
    return (mp_site){ a, a, mp_kernels_get(), false };
}

mp_graph mp_graph_of(mp_arena *a, int graphs, const int *node_ptr, const int *row_ptr, const int *col, const int *rev)
{
    int nodes = node_ptr[graphs];
    return (mp_graph){ .graphs = graphs,
                       .nodes = nodes,
                       .edges = row_ptr[nodes],
                       .node_ptr = node_ptr,
                       .row_ptr = row_ptr,
                       .col = col,
                       .rev = rev,
                       .norm = MP_NEW(a, mp_norm, 1) };
}

mp_err mp_graph_check(const mp_graph *g)
{
    if (g->graphs < 0 || g->nodes < 0 || g->edges < 0) return mp_fail(MP_ERR_INPUT, "negative count");
    if (g->node_ptr[0] != 0 || g->node_ptr[g->graphs] != g->nodes || g->row_ptr[0] != 0 ||
        g->row_ptr[g->nodes] != g->edges)
        return mp_fail(MP_ERR_INPUT, "ranges do not cover the nodes or edges");
    if (g->edge_x && !g->edge_from && g->edge_x->rows != g->edges)
        return mp_fail(MP_ERR_INPUT, "attributes of edges do not fit");
    if (g->w && (g->w->rows != g->edges || g->w->cols != 1)) return mp_fail(MP_ERR_INPUT, "weights do not fit");
    for (int b = 0; b < g->graphs; b++) {
        if (g->node_ptr[b + 1] < g->node_ptr[b]) return mp_fail(MP_ERR_INPUT, "graph %d has a negative size", b);
        MP_TRY(check_rows(g, b));
    }
    return MP_OK;
}

static mp_err check_edge(int graphs, const int *node_ptr, int e, int src, int dst)
{
    int nodes = node_ptr[graphs];
    if (src < 0 || src >= nodes || dst < 0 || dst >= nodes)
        return mp_fail(MP_ERR_INPUT, "edge %d (%d, %d) is outside 0..%d", e, src, dst, nodes - 1);
    int lo = 0, hi = graphs; /* the graph of src: the last b with node_ptr[b] <= src */
    while (hi - lo > 1) {
        int mid = lo + (hi - lo) / 2;
        if (node_ptr[mid] <= src)
            lo = mid;
        else
            hi = mid;
    }
    if (dst < node_ptr[lo] || dst >= node_ptr[lo + 1])
        return mp_fail(MP_ERR_INPUT, "edge %d (%d, %d) crosses graphs", e, src, dst);
    return MP_OK;
}

mp_err mp_graph_from_edges(mp_arena *a, int graphs, const int *node_ptr, int edges, const int *src, const int *dst,
                           mp_graph *out, int *slot)
{
    int nodes = node_ptr[graphs];
    for (int e = 0; e < edges; e++) MP_TRY(check_edge(graphs, node_ptr, e, src[e], dst[e]));
    int *row_ptr = MP_NEW(a, int, nodes + 1), *col = MP_NEW(a, int, edges), *rev = MP_NEW(a, int, edges);
    int *by_src = MP_NEW(a, int, nodes + 2), *order = MP_NEW(a, int, edges), *next = MP_NEW(a, int, nodes);
    /* Two stable counting sorts: by source, then by target; columns come out ascending within a row. */
    for (int e = 0; e < edges; e++) by_src[src[e] + 1]++;
    for (int v = 0; v < nodes; v++) by_src[v + 1] += by_src[v];
    for (int e = 0; e < edges; e++) order[by_src[src[e]]++] = e;
    for (int e = 0; e < edges; e++) row_ptr[dst[e] + 1]++;
    for (int v = 0; v < nodes; v++) row_ptr[v + 1] += row_ptr[v];
    memcpy(next, row_ptr, (size_t)nodes * sizeof(int));
    for (int i = 0; i < edges; i++) {
        int e = order[i], at = next[dst[e]]++;
        if (at > row_ptr[dst[e]] && col[at - 1] == src[e])
            return mp_fail(MP_ERR_INPUT, "edge %d (%d, %d) is repeated", e, src[e], dst[e]);
        col[at] = src[e];
        if (slot) slot[e] = at;
    }
    if (!mp_graph_reverse(nodes, row_ptr, col, rev)) return mp_fail(MP_ERR_INPUT, "an edge has no reverse");
    *out = mp_graph_of(a, graphs, node_ptr, row_ptr, col, rev);
    return MP_OK;
}

static bool is_everything(const mp_graph *all, const int *which, int n)
{
    if (n != all->graphs) return false;
    for (int i = 0; i < n; i++)
        if (which[i] != i) return false;
    return true;
}

/* Structure of one graph after the other; columns and reverses move by where the graph lands. */
static void gather_graphs(mp_arena *a, const mp_graph *all, const int *which, int n, bool sums_only, mp_graph *out)
{
    const mp_twins *without = sums_only && all->norm ? all->norm->twins : NULL;
    int nodes = 0, edges = 0, e = 0;
    int *node_ptr = MP_NEW_RAW(a, int, n + 1), *count = MP_NEW_RAW(a, int, n);
    node_ptr[0] = 0;
    for (int i = 0; i < n; i++) {
        int b = which[i], first = all->node_ptr[b], end = all->node_ptr[b + 1];
        bool left_out = without && without->class_ptr[b] < without->class_ptr[b + 1];
        count[i] = left_out ? 0 : all->row_ptr[end] - all->row_ptr[first];
        node_ptr[i + 1] = nodes += end - first;
        edges += count[i];
    }
    int *row_ptr = MP_NEW(a, int, nodes + 1), *col = MP_NEW_RAW(a, int, edges);
    int *rev = sums_only ? NULL : MP_NEW_RAW(a, int, edges);
    for (int i = 0; i < n; i++) {
        int first = all->node_ptr[which[i]], end = all->node_ptr[which[i] + 1], shift = node_ptr[i] - first;
        int from = all->row_ptr[first];
        for (int v = first; v < end; v++) row_ptr[v + shift + 1] = e + (count[i] ? all->row_ptr[v + 1] - from : 0);
        mp_shifted(col + e, all->col + from, count[i], shift);
        if (rev) mp_shifted(rev + e, all->rev + from, count[i], e - from);
        e += count[i];
    }
    *out = mp_graph_of(a, n, node_ptr, row_ptr, col, rev);
    out->which = which;
    out->extra = all->extra;
    out->loopless = all->loopless;
    out->sums_only = sums_only;
}

typedef struct rows_of { /* which rows of a matrix belong to a graph: its nodes or its edges */
    const mp_graph *all;
    bool edges;
} rows_of;

static int first_row(const rows_of *of, int b)
{
    int node = of->all->node_ptr[b];
    return of->edges ? of->all->row_ptr[node] : node;
}

static void gather_dense(mp_arena *a, const rows_of *of, const mp_sparse *x, const int *which, int n, mp_sparse *out)
{
    size_t cols = (size_t)x->cols, at = 0;
    mp_real *val = MP_NEW_RAW(a, mp_real, (size_t)out->rows * cols);
    for (int i = 0; i < n; i++) {
        size_t first = (size_t)first_row(of, which[i]), count = (size_t)first_row(of, which[i] + 1) - first;
        memcpy(val + at, x->val + first * cols, count * cols * sizeof *val);
        at += count * cols;
    }
    out->val = val;
}

static void gather_sparse(mp_arena *a, const rows_of *of, const mp_sparse *x, const int *which, int n, mp_sparse *out)
{
    int nonzero = 0, z = 0, v = 0;
    for (int i = 0; i < n; i++) nonzero += x->ptr[first_row(of, which[i] + 1)] - x->ptr[first_row(of, which[i])];
    int *ptr = MP_NEW_RAW(a, int, out->rows + 1), *col = MP_NEW_RAW(a, int, nonzero);
    mp_real *val = x->val ? MP_NEW_RAW(a, mp_real, nonzero) : NULL;
    ptr[0] = 0;
    for (int i = 0; i < n; i++) {
        int first = first_row(of, which[i]), end = first_row(of, which[i] + 1), from = x->ptr[first];
        size_t count = (size_t)(x->ptr[end] - from);
        for (int u = first; u < end; u++) ptr[++v] = x->ptr[u + 1] - from + z;
        if (count) memcpy(col + z, x->col + from, count * sizeof *col);
        if (count && val) memcpy(val + z, x->val + from, count * sizeof *val);
        z += (int)count;
    }
    out->ptr = ptr;
    out->col = col;
    out->val = val;
}

static void gather_kinds(mp_arena *a, const rows_of *of, const mp_sparse *x, const int *which, int n, mp_sparse *out)
{
    int *kind = MP_NEW_RAW(a, int, out->rows), at = 0;
    for (int i = 0; i < n; i++)
        for (int v = first_row(of, which[i]), end = first_row(of, which[i] + 1); v < end; v++) kind[at++] = x->kind[v];
    out->kind = kind;
    out->kinds = x->kinds;
}

static mp_sparse gather_rows(mp_arena *a, rows_of of, const mp_sparse *x, const int *which, int n, int rows)
{
    mp_sparse out = { .rows = rows, .cols = x->cols };
    if (x->ptr)
        gather_sparse(a, &of, x, which, n, &out);
    else
        gather_dense(a, &of, x, which, n, &out);
    if (x->kind) gather_kinds(a, &of, x, which, n, &out);
    return out;
}

mp_sparse mp_sparse_pick(mp_arena *a, const mp_sparse *x, const int *which, int n)
{
    mp_sparse out = { .rows = n, .cols = x->cols };
    size_t cols = (size_t)x->cols;
    int nonzero = 0;
    if (!x->ptr) {
        mp_real *val = MP_NEW(a, mp_real, (size_t)n * cols);
        for (int i = 0; i < n; i++)
            if (which[i] >= 0 && cols)
                memcpy(val + (size_t)i * cols, x->val + (size_t)which[i] * cols, cols * sizeof *val);
        out.val = val;
        return out;
    }
    int *ptr = MP_NEW_RAW(a, int, n + 1);
    ptr[0] = 0;
    for (int i = 0; i < n; i++) ptr[i + 1] = nonzero += which[i] < 0 ? 0 : x->ptr[which[i] + 1] - x->ptr[which[i]];
    int *col = MP_NEW_RAW(a, int, nonzero);
    mp_real *val = x->val ? MP_NEW_RAW(a, mp_real, nonzero) : NULL;
    for (int i = 0; i < n; i++) {
        for (int z = ptr[i]; z < ptr[i + 1]; z++) {
            int from = x->ptr[which[i]] + z - ptr[i];
            col[z] = x->col[from];
            if (val) val[z] = x->val[from];
        }
    }
    out.ptr = ptr;
    out.col = col;
    out.val = val;
    return out;
}

void mp_graph_gather(mp_arena *a, const mp_graph *all, const mp_sparse *all_x, const int *which, int n, bool sums_only,
                     mp_graph *out, mp_sparse *out_x)
{
    if (!is_everything(all, which, n)) {
        mp_graph_gather_copy(a, all, all_x, which, n, sums_only, out, out_x);
        return;
    }
    mp_assert(!all->edge_from); /* one huge graph: no second copy */
    *out = *all;
    out->norm = MP_NEW(a, mp_norm, 1);
    out->norm->twins = all->norm ? all->norm->twins : NULL;
    out->sums_only = sums_only;
    out->which = which;
    *out_x = *all_x;
}

void mp_graph_gather_copy(mp_arena *a, const mp_graph *all, const mp_sparse *all_x, const int *which, int n,
                          bool sums_only, mp_graph *out, mp_sparse *out_x)
{
    const mp_twins *twins = all->norm ? all->norm->twins : NULL;
    mp_assert(!all->edge_from); /* a collection has its attributes in the order of its edges */
    gather_graphs(a, all, which, n, sums_only, out);
    if (all->aim) {
        const mp_sparse column = { .rows = all->nodes, .cols = 1, .val = all->aim };
        out->aim = gather_rows(a, (rows_of){ all, false }, &column, which, n, out->nodes).val;
    }
    if (twins) out->norm->twins = mp_twins_gather(a, all, twins, which, n, out->node_ptr);
    *out_x = gather_rows(a, (rows_of){ all, false }, all_x, which, n, out->nodes);
    if (!all->edge_x || sums_only) return;
    mp_sparse *edge_x = MP_NEW(a, mp_sparse, 1);
    *edge_x = gather_rows(a, (rows_of){ all, true }, all->edge_x, which, n, out->edges);
    out->edge_x = edge_x;
}
