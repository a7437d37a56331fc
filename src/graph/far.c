/* far.c - see far.h.
 *
 * Dividing distances by the largest of the graph, as the method does, changes no comparison, so it is left out. A search
 * from a new node stops where it is not closer than what was known, and the best product is found in a heap whose entries
 * are refreshed when they come up: products only fall.
 * SPDX-License-Identifier: MIT */
#include "graph/far.h"

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

static int place_of(const mp_far *p, int v)
{
    return p->where ? p->where[v] : v;
}

/* One graph: up to k nodes into keep. */
static void select_far(const mp_far *p, far *f, int b, int k, int *keep)
{
    const mp_graph *g = p->g;
    f->size = 0;
    for (int v = g->node_ptr[b]; v < g->node_ptr[b + 1]; v++) {
        if (p->dropped && p->dropped[v]) continue;
        f->value[v] = (double)p->key[v];
        f->heap[f->size++] = v;
    }
    for (int i = f->size / 2 - 1; i >= 0; i--) sink(f, i);
    for (int n = 0; n < k && f->size > 0;) {
        int v = f->heap[0];
        double now = n ? (double)p->key[v] * f->hops[place_of(p, v)] : (double)p->key[v];
        if (n && now < f->value[v]) { /* out of date: put it where it belongs */
            f->value[v] = now;
            sink(f, 0);
            continue;
        }
        f->heap[0] = f->heap[--f->size];
        sink(f, 0);
        keep[n++] = v;
        spread_from(f, place_of(p, v));
        if (n > 1) continue;
        for (int i = 0; i < f->size; i++) /* from here on entries are products */
            f->value[f->heap[i]] = (double)p->key[f->heap[i]] * f->hops[place_of(p, f->heap[i])];
        for (int i = f->size / 2 - 1; i >= 0; i--) sink(f, i);
    }
}

static far far_new(mp_arena *a, const mp_far *p)
{
    return (far){
        p->on, MP_NEW_RAW(a, int, p->on->nodes),  MP_NEW_RAW(a, int, p->on->nodes), MP_NEW_RAW(a, int, p->g->nodes),
        0,     MP_NEW_RAW(a, double, p->g->nodes)
    };
}

void mp_far_nodes(mp_arena *a, const mp_far *p, const int *keep_ptr, int *keep)
{
    const mp_graph *on = p->on;
    far f = far_new(a, p);
    for (int b = 0; b < p->g->graphs; b++) {
        for (int v = on->node_ptr[b]; v < on->node_ptr[b + 1]; v++) f.hops[v] = on->node_ptr[b + 1] - on->node_ptr[b];
        select_far(p, &f, b, keep_ptr[b + 1] - keep_ptr[b], keep + keep_ptr[b]);
    }
}

void mp_far_peaks(mp_arena *a, const mp_far *p, mp_real *out)
{
    const mp_graph *g = p->g, *on = p->on;
    far f = far_new(a, p);
    int *seen = MP_NEW(a, int, on->nodes), *place = MP_NEW(a, int, on->nodes);
    for (int v = 0; v < g->nodes; v++) place[place_of(p, v)] = v + 1;
    for (int b = 0; b < g->graphs; b++) {
        int alone = on->node_ptr[b + 1] - on->node_ptr[b];
        for (int v = g->node_ptr[b]; v < g->node_ptr[b + 1]; v++) {
            int head = 0, tail = 0, best = alone;
            f.queue[tail++] = place_of(p, v);
            seen[place_of(p, v)] = v + 1;
            f.hops[place_of(p, v)] = 0;
            while (head < tail && best == alone) {
                int u = f.queue[head++], at = place[u] - 1;
                if (at >= 0 && p->key[at] > p->key[v]) best = f.hops[u];
                for (int e = on->row_ptr[u]; e < on->row_ptr[u + 1]; e++) {
                    int w = on->col[e];
                    if (seen[w] == v + 1) continue;
                    seen[w] = v + 1;
                    f.hops[w] = f.hops[u] + 1;
                    f.queue[tail++] = w;
                }
            }
            out[v] = p->key[v] * (mp_real)best;
        }
    }
}
