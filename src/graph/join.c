/* join.c - see join.h.
 * SPDX-License-Identifier: MIT */
#include "graph/join.h"
#include "base/guard.h"

static void join_graphs(mp_arena *a, const mp_graph *g, int n, mp_graph *out)
{
    int64_t all_graphs = 0, all_nodes = 0, all_edges = 0;
    for (int i = 0; i < n; i++) {
        all_graphs += g[i].graphs;
        all_nodes += g[i].nodes;
        all_edges += g[i].edges;
    }
    int graphs = mp_count(all_graphs, "graphs"), nodes = mp_count(all_nodes, "nodes");
    int edges = mp_count(all_edges, "edges");
    int *node_ptr = MP_NEW(a, int, graphs + 1), *row_ptr = MP_NEW(a, int, nodes + 1);
    int *col = MP_NEW_RAW(a, int, edges), *rev = MP_NEW_RAW(a, int, edges), b = 0, v = 0, e = 0;
    for (int i = 0; i < n; i++) {
        mp_shifted(node_ptr + b + 1, g[i].node_ptr + 1, g[i].graphs, v);
        mp_shifted(row_ptr + v + 1, g[i].row_ptr + 1, g[i].nodes, e);
        mp_shifted(col + e, g[i].col, g[i].edges, v);
        mp_shifted(rev + e, g[i].rev, g[i].edges, e);
        b += g[i].graphs;
        v += g[i].nodes;
        e += g[i].edges;
    }
    *out = mp_graph_of(a, graphs, node_ptr, row_ptr, col, rev);
}

void mp_sparse_join(mp_arena *a, const mp_sparse *x, int n, int rows, mp_sparse *out)
{
    int64_t all_values = 0;
    bool values = false;
    for (int i = 0; i < n; i++) {
        all_values += x[i].ptr[x[i].rows];
        values = values || x[i].val;
    }
    int count = mp_count(all_values, "feature values"), v = 0, z = 0;
    int *ptr = MP_NEW(a, int, rows + 1), *col = MP_NEW_RAW(a, int, count);
    mp_real *val = values ? MP_NEW_RAW(a, mp_real, count) : NULL;
    for (int i = 0; i < n; i++) {
        int mine = x[i].ptr[x[i].rows];
        mp_shifted(ptr + v + 1, x[i].ptr + 1, x[i].rows, z);
        mp_shifted(col + z, x[i].col, mine, 0);
        for (int k = 0; values && k < mine; k++) val[z + k] = x[i].val ? x[i].val[k] : 1;
        v += x[i].rows;
        z += mine;
    }
    *out = (mp_sparse){ .rows = rows, .cols = n ? x[0].cols : 0, .ptr = ptr, .col = col, .val = val };
}

void mp_graph_join(mp_arena *a, const mp_graph *g, const mp_sparse *x, int n, mp_graph *out, mp_sparse *out_x)
{
    join_graphs(a, g, n, out);
    mp_sparse_join(a, x, n, out->nodes, out_x);
}
