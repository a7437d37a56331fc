/* induce.c - see induce.h.
 *
 * Rows with ascending columns come for free when the new columns are visited in ascending order and each is
 * appended to the rows it touches: that is how graphs are built here, and on kept nodes in math/plain_keep.c.
 * SPDX-License-Identifier: MIT */
#include "graph/induce.h"
#include "base/guard.h"
#include "graph/twins.h"
#include "math/kernels.h"

#include <string.h>

void mp_take_attributes(mp_arena *a, const mp_graph *g, const int *from, mp_graph *out)
{
    out->edge_x = g->edge_x;
    out->edge_from = from;
    if (!g->edge_from) return;
    int *first = MP_NEW_RAW(a, int, out->edges);
    for (int e = 0; e < out->edges; e++) first[e] = g->edge_from[from[e]];
    out->edge_from = first;
}

void mp_induce(const mp_site *s, const mp_graph *g, const int *keep, const int *keep_ptr, mp_graph *out,
               const int **edge_of)
{
    int kept = keep_ptr[g->graphs], *rev = NULL, *from = NULL;
    int *row_ptr = MP_NEW_RAW(s->elements, int, kept + 1), *place = MP_NEW_RAW(s->elements, int, g->nodes);
    mp_csr on = mp_graph_csr(g);
    s->k->induce_rows(row_ptr, place, &on, keep, kept);
    int edges = mp_count_or(s, row_ptr + kept, g->edges), *col = MP_NEW_RAW(s->elements, int, (size_t)edges + 1);
    if (!g->sums_only) {
        rev = MP_NEW_RAW(s->elements, int, edges);
        from = MP_NEW_RAW(s->elements, int, (size_t)edges + 1);
    }
    int *work = MP_NEW_RAW(s->elements, int, (size_t)kept + 1 + (rev ? (size_t)g->edges : 0));
    s->k->induce_edges(col, rev, from, work, row_ptr, place, &on, keep, kept);
    int *node_ptr = MP_NEW_RAW(s->arena, int, g->graphs + 1);
    memcpy(node_ptr, keep_ptr, (size_t)(g->graphs + 1) * sizeof(int));
    *out = (mp_graph){ g->graphs, kept, edges, node_ptr, row_ptr, col, rev, .norm = MP_NEW(s->arena, mp_norm, 1) };
    /* Only twins that were asked for: whether the collection knew them must make no difference further on. Of a graph for
     * sums only they are part of its structure: its edges may be there as classes alone. */
    bool asked = g->norm && g->norm->twins && (g->norm->ready || g->sums_only);
    if (asked) out->norm->twins = mp_twins_keep(s, g, g->norm->twins, keep, keep_ptr);
    out->loopless = g->loopless;
    out->sums_only = g->sums_only;
    if (g->edge_x && from) mp_take_attributes(s->arena, g, from, out);
    if (edge_of) *edge_of = from;
}

void mp_with_loops(const mp_site *s, const mp_graph *g, mp_graph *out, const int **edge_of)
{
    int room = mp_count((int64_t)g->edges + g->nodes, "edges with self loops");
    int *row_ptr = MP_NEW_RAW(s->elements, int, g->nodes + 1), *from = MP_NEW_RAW(s->elements, int, room);
    int *col = MP_NEW_RAW(s->elements, int, room), *rev = MP_NEW_RAW(s->elements, int, room);
    mp_csr on = mp_graph_csr(g);
    s->k->loop_rows(row_ptr, &on);
    s->k->loop_edges(col, rev, from, row_ptr, &on, room);
    int edges = mp_count_or(s, row_ptr + g->nodes, room);
    *out =
        (mp_graph){ g->graphs, g->nodes, edges, g->node_ptr, row_ptr, col, rev, .norm = MP_NEW(s->arena, mp_norm, 1) };
    *edge_of = from;
}

/* Marks what lies within two hops of v, v itself excepted; calls it once per node found. */
static int two_hop_row(const mp_graph *g, int v, int *mark, int *found)
{
    int n = 0;
    mark[v] = v;
    for (int e = g->row_ptr[v]; e < g->row_ptr[v + 1]; e++) {
        int u = g->col[e];
        if (mark[u] != v) {
            mark[u] = v;
            found[n++] = u;
        }
        for (int f = g->row_ptr[u]; f < g->row_ptr[u + 1]; f++) {
            if (mark[g->col[f]] == v) continue;
            mark[g->col[f]] = v;
            found[n++] = g->col[f];
        }
    }
    return n;
}

#define TWO_HOP_EDGES "or more edges between nodes up to two hops apart"

/* Fewer than there are: the neighbours of a graph's busiest node are two hops apart from each other. Counting all takes a
 * step for each, which for a graph that is far too large would take long. */
static int64_t least_two_hop_edges(const mp_graph *g)
{
    int64_t sum = 0;
    for (int b = 0; b < g->graphs; b++) {
        int64_t most = 0;
        for (int v = g->node_ptr[b]; v < g->node_ptr[b + 1]; v++) {
            int64_t degree = g->row_ptr[v + 1] - g->row_ptr[v];
            most = degree > most ? degree : most;
        }
        sum += most * (most - 1);
    }
    return sum;
}

void mp_two_hop(mp_arena *a, const mp_graph *g, mp_graph *out)
{
    int *row_ptr = MP_NEW(a, int, g->nodes + 1), *next = MP_NEW_RAW(a, int, g->nodes);
    int *mark = MP_NEW_RAW(a, int, g->nodes), *found = MP_NEW_RAW(a, int, g->nodes);
    memset(mark, -1, (size_t)g->nodes * sizeof(int));
    mp_count(least_two_hop_edges(g), TWO_HOP_EDGES);
    for (int v = 0; v < g->nodes; v++) {
        row_ptr[v + 1] = mp_count((int64_t)row_ptr[v] + two_hop_row(g, v, mark, found), TWO_HOP_EDGES);
        next[v] = row_ptr[v];
    }
    int edges = row_ptr[g->nodes];
    int *col = MP_NEW_RAW(a, int, edges), *rev = MP_NEW_RAW(a, int, edges);
    memset(mark, -1, (size_t)g->nodes * sizeof(int));
    for (int v = 0; v < g->nodes; v++) {
        int n = two_hop_row(g, v, mark, found);
        for (int i = 0; i < n; i++) col[next[found[i]]++] = v;
    }
    bool symmetric = mp_graph_reverse(g->nodes, row_ptr, col, rev);
    mp_assert(symmetric);
    *out = mp_graph_of(a, g->graphs, g->node_ptr, row_ptr, col, rev);
}
