/* build.c - a weighted graph from edges that come in the order of their source.
 * SPDX-License-Identifier: MIT */
#include "pool/pool.h"

void mp_builder_add(mp_builder *b, int from, int to, mp_real weight)
{
    if (b->count == b->cap) {
        b->cap = mp_room(b->cap, (int64_t)b->count + 1, 1024, "edges of the pooled graph");
        MP_MORE(b->arena, b->from, b->count, b->cap);
        MP_MORE(b->arena, b->to, b->count, b->cap);
        MP_MORE(b->arena, b->weight, b->count, b->cap);
    }
    b->from[b->count] = from;
    b->to[b->count] = to;
    b->weight[b->count++] = weight;
}

const mp_graph *mp_builder_end(mp_builder *b, mp_ctx *c, int graphs, const int *node_ptr)
{
    int nodes = node_ptr[graphs], edges = b->count;
    int *row_ptr = MP_NEW(c->arena, int, nodes + 2), *col = MP_NEW_RAW(c->arena, int, edges);
    int *rev = MP_NEW_RAW(c->arena, int, edges);
    mp_real *w = MP_NEW_RAW(c->arena, mp_real, edges);
    for (int i = 0; i < edges; i++) row_ptr[b->to[i] + 2]++;
    for (int v = 0; v < nodes; v++) row_ptr[v + 2] += row_ptr[v + 1];
    for (int i = 0; i < edges; i++) {
        int at = row_ptr[b->to[i] + 1]++;
        col[at] = b->from[i];
        w[at] = b->weight[i];
    }
    bool symmetric = mp_graph_reverse(nodes, row_ptr, col, rev);
    mp_assert(symmetric);
    mp_graph *out = MP_NEW(c->arena, mp_graph, 1);
    *out = mp_graph_of(c->arena, graphs, node_ptr, row_ptr, col, rev);
    out->w = mp_mat_of(c, w, edges, 1);
    mp_mark(c->profile, "build graph");
    return out;
}
