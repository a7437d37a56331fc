/* contract.c - see contract.h.
 *
 * Of the two directions of an edge only the better one can ever be taken: when its turn came and went, one of
 * its ends was taken. So one direction a pair is sorted. The reverse of an edge is its place in the order of
 * (source, target).
 * SPDX-License-Identifier: MIT */
#include "graph/contract.h"
#include "graph/order.h"

/* The better direction of every edge of graph b, in the order of (source, target). Item ids are places in
 * that order. */
static int candidates(const mp_graph *g, const mp_real *score, int b, mp_item *item, bool *nan)
{
    int n = 0;
    for (int v = g->node_ptr[b]; v < g->node_ptr[b + 1]; v++) {
        for (int e = g->row_ptr[v]; e < g->row_ptr[v + 1]; e++) { /* number e of that order: v -> col[e] */
            mp_real mine = score[g->rev[e]], other = score[e];
            if (mine != mine) *nan = true;
            if (v < g->col[e] ? other > mine : v > g->col[e] && !(mine > other)) continue;
            item[n++] = (mp_item){ mine, e };
        }
    }
    return n;
}

static int take(const mp_graph *g, const mp_item *item, int n, int next, int *cluster, int *edge)
{
    for (int i = 0; i < n; i++) {
        int e = g->rev[item[i].id], u = g->col[e], v = g->col[item[i].id]; /* u -> v */
        if (cluster[u] >= 0 || cluster[v] >= 0) continue;
        cluster[u] = cluster[v] = next++;
        edge[u] = edge[v] = e;
    }
    return next;
}

void mp_contract_edges(mp_arena *a, const mp_graph *g, const mp_real *score, mp_contraction *out, bool *nan)
{
    int *graph_ptr = MP_NEW_RAW(a, int, g->graphs + 1), *cluster = MP_NEW_RAW(a, int, g->nodes);
    int *edge = MP_NEW_RAW(a, int, g->nodes), most = 0, next = 0;
    for (int v = 0; v < g->nodes; v++) cluster[v] = edge[v] = -1;
    for (int b = 0; b < g->graphs; b++) {
        int n = g->row_ptr[g->node_ptr[b + 1]] - g->row_ptr[g->node_ptr[b]];
        most = n > most ? n : most;
    }
    mp_arena_mark here = mp_arena_here(a);
    mp_item *item = MP_NEW_RAW(a, mp_item, 2 * (size_t)most);
    for (int b = 0; b < g->graphs; b++) {
        int n = candidates(g, score, b, item, nan);
        mp_order_falling(item, n, item + n);
        graph_ptr[b] = next;
        next = take(g, item, n, next, cluster, edge);
        for (int v = g->node_ptr[b]; v < g->node_ptr[b + 1]; v++)
            if (cluster[v] < 0) cluster[v] = next++;
    }
    mp_arena_back(a, here);
    graph_ptr[g->graphs] = next;
    *out = (mp_contraction){ next, graph_ptr, cluster, edge };
}

/* Nodes by cluster: cluster q has list[ptr[q]] .. list[ptr[q+1]-1], ascending. */
static void by_cluster(mp_arena *a, const int *cluster, int nodes, int clusters, const int **out_ptr,
                       const int **out_list)
{
    int *ptr = MP_NEW(a, int, clusters + 2), *list = MP_NEW_RAW(a, int, nodes);
    for (int v = 0; v < nodes; v++) ptr[cluster[v] + 2]++;
    for (int q = 0; q < clusters; q++) ptr[q + 2] += ptr[q + 1];
    for (int v = 0; v < nodes; v++) list[ptr[cluster[v] + 1]++] = v;
    *out_ptr = ptr;
    *out_list = list;
}

void mp_cluster_graph(mp_arena *a, const mp_graph *g, const int *cluster, const int *graph_ptr, bool loops,
                      mp_graph *out)
{
    int K = graph_ptr[g->graphs], n = 0;
    const int *ptr, *list;
    by_cluster(a, cluster, g->nodes, K, &ptr, &list);
    int *row_ptr = MP_NEW(a, int, K + 1), *mark = MP_NEW_RAW(a, int, K), *met = MP_NEW_RAW(a, int, g->edges);
    for (int q = 0; q < K; q++) mark[q] = -1;
    for (int p = 0; p < K; p++) { /* mark[q] = p: cluster q is among those that p meets */
        if (!loops) mark[p] = p;
        for (int i = ptr[p]; i < ptr[p + 1]; i++) {
            for (int e = g->row_ptr[list[i]]; e < g->row_ptr[list[i] + 1]; e++) {
                int q = cluster[g->col[e]];
                if (mark[q] == p) continue;
                mark[q] = p;
                met[n++] = q;
            }
        }
        row_ptr[p + 1] = n;
    }
    int *col = MP_NEW_RAW(a, int, n), *rev = MP_NEW_RAW(a, int, n), *next = mark;
    for (int q = 0; q < K; q++) next[q] = row_ptr[q];
    for (int p = 0; p < K; p++) /* symmetric: what p meets is row p, and p is in the rows of what it meets */
        for (int i = row_ptr[p]; i < row_ptr[p + 1]; i++) col[next[met[i]]++] = p;
    bool symmetric = mp_graph_reverse(K, row_ptr, col, rev);
    mp_assert(symmetric);
    *out = mp_graph_of(a, g->graphs, graph_ptr, row_ptr, col, rev);
}
