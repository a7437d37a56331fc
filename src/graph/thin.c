/* thin.c - see thin.h.
 * SPDX-License-Identifier: MIT */
#include "graph/thin.h"
#include "graph/induce.h"

#include <math.h>

void mp_graph_names(const mp_graph *g, uint64_t *name)
{
    for (int b = 0; b < g->graphs; b++) {
        int first = g->node_ptr[b], end = g->node_ptr[b + 1];
        uint64_t h = mp_rng_mix((uint64_t)(end - first) + MP_RNG_GOLDEN);
        for (int v = first; v < end; v++) {
            h = mp_rng_mix(h + (uint64_t)(g->row_ptr[v + 1] - g->row_ptr[v]));
            for (int e = g->row_ptr[v]; e < g->row_ptr[v + 1]; e++)
                h = h * MP_RNG_GOLDEN + (uint64_t)(g->col[e] - first);
        }
        name[b] = mp_rng_mix(h);
    }
}

/* Marks the edges of graph b that go. `list` has room for all edges. */
static void draw(const mp_graph *g, int b, double rate, mp_rng *r, int *list, bool *gone)
{
    int m = 0;
    for (int v = g->node_ptr[b]; v < g->node_ptr[b + 1]; v++)
        for (int e = g->row_ptr[v]; e < g->row_ptr[v + 1]; e++)
            if (g->col[e] > v) list[m++] = e;
    int n = (int)floor(rate * m + 1e-9); /* 0.3 of 10 is 3 */
    for (int i = 0; i < n; i++) {
        int j = i + mp_rng_below(r, m - i), e = list[j];
        list[j] = list[i];
        gone[e] = gone[g->rev[e]] = true;
    }
}

void mp_thin(mp_arena *a, const mp_graph *g, double rate, mp_rng *stream, mp_graph *out, const int **edge_of)
{
    mp_assert(!g->sums_only);
    bool *gone = MP_NEW(a, bool, g->edges);
    int *now = MP_NEW_RAW(a, int, g->edges), n = 0; /* place of an edge that stays; a list of edges before that */
    for (int b = 0; b < g->graphs; b++) draw(g, b, rate, &stream[b], now, gone);
    int *row_ptr = MP_NEW_RAW(a, int, g->nodes + 1), *col = MP_NEW_RAW(a, int, (size_t)g->edges + 1);
    int *rev = MP_NEW_RAW(a, int, g->edges), *from = MP_NEW_RAW(a, int, (size_t)g->edges + 1);
    row_ptr[0] = 0;
    for (int v = 0; v < g->nodes; v++) {
        for (int e = g->row_ptr[v]; e < g->row_ptr[v + 1]; e++) {
            if (gone[e]) continue;
            now[e] = n;
            col[n] = g->col[e];
            from[n++] = e;
        }
        row_ptr[v + 1] = n;
    }
    for (int k = 0; k < n; k++) rev[k] = now[g->rev[from[k]]];
    *out = mp_graph_of(a, g->graphs, g->node_ptr, row_ptr, col, rev);
    out->loopless = g->loopless;
    out->origin = g->origin;
    out->origin_node = g->origin_node;
    out->which = g->which;
    out->extra = g->extra;
    if (g->edge_x) mp_take_attributes(a, g, from, out);
    *edge_of = from;
}
