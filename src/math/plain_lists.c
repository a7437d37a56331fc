/* plain_lists.c - structure made of structure (plain.h): self loops, clusters that are rows, lists seen from the other side.
 * SPDX-License-Identifier: MIT */
#include "math/one.h"

#include <string.h>

MP_PLAIN_LIST(MP_PLAIN_DECLARE)

/* Rows are short, and all of them are read soon: looking along them is quicker than halving them. */
void mp_plain_loop_rows(int *row_ptr, const mp_csr *g)
{
    row_ptr[0] = 0;
    for (int v = 0; v < g->nodes; v++) {
        int e = g->row_ptr[v], end = g->row_ptr[v + 1], n = end - e;
        while (e < end && g->col[e] < v) e++;
        row_ptr[v + 1] = row_ptr[v] + n + (e == end || g->col[e] > v);
    }
}

/* An edge e of g from u to v: its place, where it was, and the place of its reverse, which ends in u. A new loop of a row comes before
 * edges from higher nodes. */
static void put_edge(int *col, int *rev, int *from, const int *row_ptr, const mp_csr *g, int v, int e, int at)
{
    int u = g->col[e], shift = row_ptr[u] - g->row_ptr[u], more = row_ptr[u + 1] - g->row_ptr[u + 1] - shift;
    col[at] = u;
    from[at] = e;
    rev[at] = g->rev[e] + shift + (v > u ? more : 0);
}

void mp_plain_loop_edges(int *col, int *rev, int *from, const int *row_ptr, const mp_csr *g, int room)
{
    for (int v = 0; v < g->nodes; v++) {
        int e = g->row_ptr[v], end = g->row_ptr[v + 1], at = row_ptr[v];
        for (; e < end && g->col[e] < v; e++, at++) put_edge(col, rev, from, row_ptr, g, v, e, at);
        bool stored = e < end && g->col[e] == v;
        col[at] = v;
        from[at] = stored ? e : -1;
        rev[at] = at;
        for (e += stored, at++; e < end; e++, at++) put_edge(col, rev, from, row_ptr, g, v, e, at);
    }
    for (int i = row_ptr[g->nodes]; i < room; i++) from[i] = -1;
}

void mp_plain_row_clusters(int *cluster_ptr, const mp_csr *g, const int *keep, int K)
{
    cluster_ptr[0] = 0;
    for (int q = 0; q < K; q++) cluster_ptr[q + 1] = cluster_ptr[q] + g->row_ptr[keep[q] + 1] - g->row_ptr[keep[q]];
}

void mp_plain_row_members(int *member, int *member_at, const int *cluster_ptr, const mp_csr *g, const int *keep, int K)
{
    for (int q = 0; q < K; q++) {
        for (int e = g->row_ptr[keep[q]], i = cluster_ptr[q]; i < cluster_ptr[q + 1]; e++, i++) {
            member[i] = g->col[e];
            member_at[i] = e;
        }
    }
}

/* A counting sort, which keeps both sides ascending. */
void mp_plain_turn_lists(int *out_ptr, int *out_row, int *out_at, int *work, const int *ptr, const int *item,
                         const int *at, int rows, int items)
{
    (void)work;
    memset(out_ptr, 0, ((size_t)items + 2) * sizeof *out_ptr);
    for (int i = ptr[0]; i < ptr[rows]; i++) out_ptr[item[i] + 2]++;
    for (int k = 0; k < items; k++) out_ptr[k + 2] += out_ptr[k + 1];
    for (int r = 0; r < rows; r++) {
        for (int i = ptr[r]; i < ptr[r + 1]; i++) {
            int to = out_ptr[item[i] + 1]++;
            out_row[to] = r;
            out_at[to] = at ? at[i] : i;
        }
    }
}

void mp_plain_edges_give(mp_real *dw, const mp_real *dout, const int *from, int n)
{
    for (int e = 0; e < n; e++)
        if (from[e] >= 0) dw[from[e]] += dout[e];
}
