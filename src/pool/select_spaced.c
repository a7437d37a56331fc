/* select_spaced.c - selectors that do not simply take the best: UGPool's evenly spaced ranks, RepPool's trade of score
 * against distance, iPool's best nodes that are not neighbours.
 * SPDX-License-Identifier: MIT */
#include "pool/pool.h"

#include <math.h>
#include <string.h>

void mp_rank_all(mp_ctx *c, mp_pooling *p)
{
    int *counts = MP_NEW_RAW(c->arena, int, p->g->graphs);
    for (int b = 0; b < p->g->graphs; b++) counts[b] = p->g->node_ptr[b + 1] - p->g->node_ptr[b];
    mp_rank(c, p, counts);
}

/* All nodes of each graph in the order of mp_rank. With dropped = zero, dropped nodes stay in the ranking with key 0: the
 * selectors below are to see none as dropped, until they put back what this returns. */
static const int *rank_all(const mp_pool *pool, mp_ctx *c, mp_pooling *p)
{
    const int *dropped = p->dropped;
    if (pool->conf->dropped == MP_DROPPED_ZERO) p->dropped = NULL;
    mp_rank_all(c, p);
    return dropped;
}

static bool is_out(const mp_pooling *p, int v)
{
    return p->dropped && p->dropped[v];
}

static int count_out(const mp_pooling *p, int b)
{
    int n = 0;
    for (int v = p->g->node_ptr[b]; v < p->g->node_ptr[b + 1]; v++) n += is_out(p, v);
    return n;
}

/* keep_ptr for the nodes that the selector counts of each graph, and room for them. */
static int *room(const mp_pool *pool, mp_ctx *c, mp_pooling *p)
{
    int *keep_ptr = MP_NEW(c->arena, int, p->g->graphs + 1);
    for (int b = 0; b < p->g->graphs; b++)
        keep_ptr[b + 1] = keep_ptr[b] + pool->selector->count(pool->conf, p->g->node_ptr[b + 1] - p->g->node_ptr[b]);
    p->keep_ptr = keep_ptr;
    return MP_NEW_RAW(c->arena, int, keep_ptr[p->g->graphs]);
}

/* ---- 1DPool: ranks floor(q n'/(ratio n)), q = 0..k-1, of the n' nodes that dropscore left       (math.md 3.8) */
static void spaced_run(const mp_pool *pool, const void *state, mp_ctx *c, mp_pooling *p)
{
    (void)state;
    const int *dropped = rank_all(pool, c, p), *order = p->keep;
    int *keep = room(pool, c, p);
    for (int b = 0; b < p->g->graphs; b++) {
        int first = p->g->node_ptr[b], n = p->g->node_ptr[b + 1] - first, left = n - count_out(p, b);
        int k = p->keep_ptr[b + 1] - p->keep_ptr[b];
        for (int q = 0; q < k; q++) {
            int rank = left < k ? q : (int)floor(q * (double)left / (pool->conf->ratio * n) + 1e-9);
            keep[p->keep_ptr[b] + q] = order[first + (rank < n ? rank : n - 1)];
        }
    }
    p->keep = keep;
    p->dropped = dropped;
}

const mp_selector mp_select_spaced = { .name = "1DPool",
                                       .formula = "ranks floor(q / ratio)",
                                       .options = "ratio:min-score=0",
                                       .run = spaced_run,
                                       .sums_only = mp_sums_only_always,
                                       .count = mp_count_ratio };

/* ---- iPool local: take the best candidate, strike it and its neighbours out; start over when none is left */
static void local_run(const mp_pool *pool, const void *state, mp_ctx *c, mp_pooling *p)
{
    if (pool->conf->pick == MP_PICK_GREEDY) {
        mp_select_ratio.run(pool, state, c, p);
        return;
    }
    const int *dropped = rank_all(pool, c, p), *order = p->keep;
    int *keep = room(pool, c, p), *round = MP_NEW(c->arena, int, p->g->nodes);
    bool *taken = MP_NEW(c->arena, bool, p->g->nodes);
    for (int b = 0, turn = 0; b < p->g->graphs; b++) {
        int first = p->g->node_ptr[b], live = p->g->node_ptr[b + 1] - first - count_out(p, b);
        int n = 0, k = p->keep_ptr[b + 1] - p->keep_ptr[b], *into = keep + p->keep_ptr[b];
        while (n < k && n < live) { /* a turn walks the ranking once; struck-out nodes carry its number */
            turn++;
            for (int i = 0; i < live && n < k; i++) {
                int v = order[first + i];
                if (taken[v] || round[v] == turn) continue;
                taken[v] = true;
                into[n++] = v;
                for (int e = p->g->row_ptr[v]; e < p->g->row_ptr[v + 1]; e++) round[p->g->col[e]] = turn;
            }
        }
        for (; n < k; n++) into[n] = order[first + n]; /* dropped nodes fill up; they come last in the ranking */
    }
    p->keep = keep;
    p->dropped = dropped;
}

const mp_selector mp_select_local = { .name = "TOP_k",
                                      .formula = "k = ceil(ratio n) largest keys",
                                      .options = "ratio pick",
                                      .run = local_run,
                                      .count = mp_count_ratio };

/* ---- SEL_k: first the best score; then, k-1 times, the largest score x distance to what is selected (math.md 3.7).
 *
 * Distances are hops in the graph the nodes came from first. Dividing them by the largest of the graph, as the method
 * does, changes no comparison, so it is left out. A search from a new node stops where it is not closer than what was
 * known, and the best product is found in a heap whose entries are refreshed when they come up: products only fall. */
typedef struct far {
    const mp_graph *g; /* where hops are counted */
    int *hops;         /* of its nodes: to the nearest selected one */
    int *queue;
    int *heap, size; /* positions in the level's graph */
    double *value;   /* of a position: key x hops when it was put in */
} far;

static bool above(const far *f, int a, int b)
{
    return f->value[a] > f->value[b] || (f->value[a] == f->value[b] && a < b);
}

static void sink(far *f, int i)
{
    for (;;) {
        int best = i, l = 2 * i + 1;
        if (l < f->size && above(f, f->heap[l], f->heap[best])) best = l;
        if (l + 1 < f->size && above(f, f->heap[l + 1], f->heap[best])) best = l + 1;
        if (best == i) return;
        int t = f->heap[i];
        f->heap[i] = f->heap[best];
        f->heap[best] = t;
        i = best;
    }
}

static void spread_from(far *f, int start)
{
    int head = 0, tail = 0;
    f->hops[start] = 0;
    f->queue[tail++] = start;
    while (head < tail) {
        int v = f->queue[head++];
        for (int e = f->g->row_ptr[v]; e < f->g->row_ptr[v + 1]; e++) {
            int u = f->g->col[e];
            if (f->hops[u] <= f->hops[v] + 1) continue;
            f->hops[u] = f->hops[v] + 1;
            f->queue[tail++] = u;
        }
    }
}

static int origin_of(const mp_graph *g, int v)
{
    return g->origin ? g->origin_node[v] : v;
}

/* One graph: k nodes into keep. */
static void select_far(const mp_pooling *p, far *f, int b, int k, int *keep)
{
    const mp_graph *g = p->g;
    f->size = 0;
    for (int v = g->node_ptr[b]; v < g->node_ptr[b + 1]; v++) {
        if (is_out(p, v)) continue;
        f->value[v] = (double)p->key[v];
        f->heap[f->size++] = v;
    }
    for (int i = f->size / 2 - 1; i >= 0; i--) sink(f, i);
    for (int n = 0; n < k && f->size > 0;) {
        int v = f->heap[0];
        double now = n ? (double)p->key[v] * f->hops[origin_of(g, v)] : (double)p->key[v];
        if (n && now < f->value[v]) { /* out of date: put it where it belongs */
            f->value[v] = now;
            sink(f, 0);
            continue;
        }
        f->heap[0] = f->heap[--f->size];
        sink(f, 0);
        keep[n++] = v;
        spread_from(f, origin_of(g, v));
        if (n > 1) continue;
        for (int i = 0; i < f->size; i++) /* from here on entries are products */
            f->value[f->heap[i]] = (double)p->key[f->heap[i]] * f->hops[origin_of(g, f->heap[i])];
        for (int i = f->size / 2 - 1; i >= 0; i--) sink(f, i);
    }
}

/* rep-select = peak: key x distance to the nearest node with a larger key; the best k of that. */
static const mp_real *peaks(mp_ctx *c, const mp_pooling *p, far *f)
{
    mp_real *key = MP_NEW_RAW(c->arena, mp_real, p->g->nodes);
    int *seen = MP_NEW(c->arena, int, f->g->nodes), *place = MP_NEW(c->arena, int, f->g->nodes);
    for (int v = 0; v < p->g->nodes; v++) place[origin_of(p->g, v)] = v + 1;
    for (int b = 0; b < p->g->graphs; b++) {
        int alone = f->g->node_ptr[b + 1] - f->g->node_ptr[b];
        for (int v = p->g->node_ptr[b]; v < p->g->node_ptr[b + 1]; v++) {
            int head = 0, tail = 0, best = alone;
            f->queue[tail++] = origin_of(p->g, v);
            seen[origin_of(p->g, v)] = v + 1;
            f->hops[origin_of(p->g, v)] = 0;
            while (head < tail && best == alone) {
                int u = f->queue[head++], at = place[u] - 1;
                if (at >= 0 && p->key[at] > p->key[v]) best = f->hops[u];
                for (int e = f->g->row_ptr[u]; e < f->g->row_ptr[u + 1]; e++) {
                    int w = f->g->col[e];
                    if (seen[w] == v + 1) continue;
                    seen[w] = v + 1;
                    f->hops[w] = f->hops[u] + 1;
                    f->queue[tail++] = w;
                }
            }
            key[v] = p->key[v] * (mp_real)best;
        }
    }
    return key;
}

static void far_run(const mp_pool *pool, const void *state, mp_ctx *c, mp_pooling *p)
{
    const mp_graph *g = p->g, *on = g->origin ? g->origin : g;
    far f = { on,
              MP_NEW_RAW(c->arena, int, on->nodes),
              MP_NEW_RAW(c->arena, int, on->nodes),
              MP_NEW_RAW(c->arena, int, g->nodes),
              0,
              MP_NEW_RAW(c->arena, double, g->nodes) };
    if (pool->conf->rep_select == MP_REP_PEAK) {
        p->key = peaks(c, p, &f);
        mp_select_ratio.run(pool, state, c, p);
        return;
    }
    const int *dropped = rank_all(pool, c, p), *order = p->keep; /* the order in which dropped nodes fill up */
    int *keep = room(pool, c, p);
    for (int b = 0; b < g->graphs; b++) {
        int k = p->keep_ptr[b + 1] - p->keep_ptr[b], n = g->node_ptr[b + 1] - g->node_ptr[b],
            live = n - count_out(p, b);
        for (int v = on->node_ptr[b]; v < on->node_ptr[b + 1]; v++) f.hops[v] = on->node_ptr[b + 1] - on->node_ptr[b];
        select_far(p, &f, b, k, keep + p->keep_ptr[b]);
        for (int i = live; i < k; i++) keep[p->keep_ptr[b] + i] = order[g->node_ptr[b] + i];
    }
    p->keep = keep;
    p->dropped = dropped;
}

const mp_selector mp_select_far = { .name = "SEL_k",
                                    .formula = "largest score x distance to what is selected",
                                    .options = "ratio rep-select",
                                    .run = far_run,
                                    .count = mp_count_ratio };
