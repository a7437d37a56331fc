/* nonzero.c - see nonzero.h.
 * SPDX-License-Identifier: MIT */
#include "graph/nonzero.h"
#include "base/guard.h"

#include <string.h>

static bool is_edge(const mp_graph *g, const mp_real *w, int e)
{
    return !w || w[e] != 0 || w[g->rev[e]] != 0;
}

int mp_nonzero_reach(const mp_graph *g, int v, int hops, int *mark, int *depth, int *queue)
{
    const mp_real *w = g->w ? g->w->v : NULL;
    int head = 0, tail = 0;
    mark[v] = v;
    depth[v] = 0;
    queue[tail++] = v;
    while (head < tail) {
        int u = queue[head++];
        if (depth[u] == hops) continue;
        for (int e = g->row_ptr[u]; e < g->row_ptr[u + 1]; e++) {
            int to = g->col[e];
            if (mark[to] == v || !is_edge(g, w, e)) continue;
            mark[to] = v;
            depth[to] = depth[u] + 1;
            queue[tail++] = to;
        }
    }
    return tail;
}

void mp_nonzero_edges(mp_arena *a, const mp_graph *g, const mp_real *w, mp_graph *out, const int **from)
{
    int *row_ptr = MP_NEW(a, int, g->nodes + 1), *now = MP_NEW_RAW(a, int, g->edges),
        *was = MP_NEW_RAW(a, int, g->edges);
    int *col = MP_NEW_RAW(a, int, g->edges), *rev = MP_NEW_RAW(a, int, g->edges), n = 0;
    for (int v = 0; v < g->nodes; v++) {
        for (int e = g->row_ptr[v]; e < g->row_ptr[v + 1]; e++) {
            if (!is_edge(g, w, e)) continue;
            col[n] = g->col[e];
            was[n] = e;
            now[e] = n++;
        }
        row_ptr[v + 1] = n;
    }
    for (int k = 0; k < n; k++) rev[k] = now[g->rev[was[k]]];
    *out = mp_graph_of(a, g->graphs, g->node_ptr, row_ptr, col, rev);
    *from = was;
}

/* ---- pairs */
#define PAIRS "pairs of a node and a kept node"
enum { NEAR = 1, SECOND = 2 };

typedef struct reach { /* a growing list: nodes within two hops of a kept node, and how they are */
    mp_arena *arena;
    int *node, *code, count, cap;
} reach;

static void reach_add(reach *r, int v, int code)
{
    if (r->count == r->cap) {
        r->cap = mp_room(r->cap, (int64_t)r->count + 1, 1024, PAIRS);
        MP_MORE(r->arena, r->node, r->count, r->cap);
        MP_MORE(r->arena, r->code, r->count, r->cap);
    }
    r->node[r->count] = v;
    r->code[r->count++] = code;
}

/* How many nodes the connected component of each node has. */
static const int *component_sizes(mp_arena *a, const mp_graph *g)
{
    int *size = MP_NEW(a, int, g->nodes), *queue = MP_NEW_RAW(a, int, g->nodes);
    for (int v = 0; v < g->nodes; v++) {
        int head = 0, tail = 0;
        if (size[v]) continue;
        queue[tail++] = v;
        size[v] = 1;
        while (head < tail) {
            int u = queue[head++];
            for (int e = g->row_ptr[u]; e < g->row_ptr[u + 1]; e++) {
                if (size[g->col[e]]) continue;
                size[g->col[e]] = 1;
                queue[tail++] = g->col[e];
            }
        }
        while (head > 0) size[queue[--head]] = tail;
    }
    return size;
}

typedef struct sight { /* what is known about a node while we look from kept node u */
    int first, second; /* the u that saw it within one hop, and by two steps; -1: none */
    int at;            /* its place in the list */
} sight;

/* The nodes v that see kept node u. Row u lists what enters u, so the entries of column u are the weights of its row.
 * `left`: nodes within reach that two steps have not seen yet; at none the search ends, which in a nearly full graph is
 * after a row or two. */
static void see(const mp_graph *g, int u, int left, bool near_only, sight *seen, reach *r)
{
    const mp_real *w = g->w->v;
    for (int e = g->row_ptr[u]; e < g->row_ptr[u + 1]; e++) {
        if (!(w[e] > 0)) continue;
        seen[g->col[e]].first = u;
        seen[g->col[e]].at = r->count;
        reach_add(r, g->col[e], NEAR);
    }
    for (int e = g->row_ptr[u]; !near_only && left > 0 && e < g->row_ptr[u + 1]; e++) {
        int l = g->col[e];
        for (int f = g->row_ptr[l]; w[e] > 0 && f < g->row_ptr[l + 1]; f++) {
            int v = g->col[f];
            if (!(w[f] > 0) || seen[v].second == u) continue;
            seen[v].second = u;
            left--;
            if (seen[v].first == u)
                r->code[seen[v].at] |= SECOND;
            else
                reach_add(r, v, SECOND);
        }
    }
}

/* Lists by kept node come first; a counting sort turns them, and leaves each node's kept nodes ascending. */
void mp_nonzero_pairs(mp_arena *a, const mp_graph *g, const int *keep, const int *keep_ptr, bool near_only,
                      mp_assign *out, const int **code)
{
    int K = keep_ptr[g->graphs], n = 0;
    int64_t all = 0;
    const int *within = component_sizes(a, g);
    sight *seen = MP_NEW_RAW(a, sight, g->nodes);
    int *from = MP_NEW(a, int, K + 1), *node_ptr = MP_NEW(a, int, g->nodes + 1), *next = MP_NEW_RAW(a, int, g->nodes);
    memset(seen, -1, (size_t)g->nodes * sizeof *seen);
    reach r = { .arena = a };
    for (int q = 0; q < K; q++) {
        see(g, keep[q], within[keep[q]], near_only, seen, &r);
        from[q + 1] = r.count;
    }
    for (int i = 0; i < r.count; i++) node_ptr[r.node[i] + 1]++;
    for (int b = 0; b < g->graphs; b++) {
        for (int v = g->node_ptr[b]; v < g->node_ptr[b + 1]; v++) {
            int own = node_ptr[v + 1];
            next[v] = own ? n : -1;
            all += own ? own : keep_ptr[b + 1] - keep_ptr[b];
            node_ptr[v + 1] = n = mp_count(all, PAIRS);
        }
    }
    int *owner = MP_NEW_RAW(a, int, n), *how = MP_NEW(a, int, n);
    for (int b = 0; b < g->graphs; b++) /* sees none: spread over all */
        for (int v = g->node_ptr[b]; v < g->node_ptr[b + 1]; v++)
            for (int k = node_ptr[v]; next[v] < 0 && k < node_ptr[v + 1]; k++) owner[k] = keep_ptr[b] + k - node_ptr[v];
    for (int q = 0; q < K; q++) {
        for (int i = from[q]; i < from[q + 1]; i++) {
            owner[next[r.node[i]]] = q;
            how[next[r.node[i]]++] = r.code[i];
        }
    }
    mp_assign_nodes(a, g->nodes, K, node_ptr, owner, out);
    *code = how;
}
