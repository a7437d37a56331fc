/* reference_select.c - the selectors of the reference (reference.h): TOP_k, 1DPool, SEL_k, iPool's local
 * rule.
 * SPDX-License-Identifier: MIT */
#include "reference.h"

#include <math.h>
#include <string.h>

typedef struct ranking { /* of one graph: the nodes that may be selected by falling key, then the dropped ones
                          */
    int first, n, live, k;
    int order[REF_NODES];
} ranking;

static ranking rank_of(ref_work *k, int b)
{
    const ref_graph *g = &k->in->g;
    ranking r = { .first = g->ptr[b], .n = g->ptr[b + 1] - g->ptr[b] };
    int m = 0;
    for (int v = r.first; v < g->ptr[b + 1]; v++)
        if (!k->in->drop[v]) r.order[m++] = v;
    r.live = m;
    for (int v = r.first; v < g->ptr[b + 1]; v++)
        if (k->in->drop[v]) r.order[m++] = v;
    for (int i = 0; i < r.live; i++)
        for (int j = i + 1; j < r.live; j++)
            if (k->out->key[r.order[j]] > k->out->key[r.order[i]]) {
                int t = r.order[i];
                r.order[i] = r.order[j];
                r.order[j] = t;
            }
    for (int i = 1; i < r.live; i++) ref_near(k, k->out->key[r.order[i - 1]] - k->out->key[r.order[i]]);
    r.k = (int)ceil(k->in->o.ratio * r.n - 1e-9);
    return r;
}

static void keep_node(ref_result *out, int v)
{
    out->keep[out->k++] = v;
}

void ref_select_top(ref_work *k)
{
    for (int b = 0; b < k->in->g.graphs; b++) {
        ranking r = rank_of(k, b);
        for (int q = 0; q < r.k; q++) keep_node(k->out, r.order[q]);
        k->out->ptr[b + 1] = k->out->k;
    }
}

/* Ranks floor(q n' / (ratio n)) (3.8). */
void ref_select_spaced(ref_work *k)
{
    for (int b = 0; b < k->in->g.graphs; b++) {
        ranking r = rank_of(k, b);
        for (int q = 0; q < r.k; q++) {
            int rank = (int)floor(q * r.live / (k->in->o.ratio * r.n) + 1e-9);
            keep_node(k->out, r.order[r.live < r.k ? q : rank]);
        }
        k->out->ptr[b + 1] = k->out->k;
    }
}

/* dist of 3.7: hops over the largest of the graph; unreachable pairs count n. */
static void measure(const ref_graph *g, ref_square dist)
{
    int hops[REF_NODES][REF_NODES];
    ref_hops(g, hops);
    for (int b = 0; b < g->graphs; b++) {
        double most = 0;
        for (int i = g->ptr[b]; i < g->ptr[b + 1]; i++) {
            for (int j = g->ptr[b]; j < g->ptr[b + 1]; j++) {
                dist[i][j] = hops[i][j] < 0 ? g->ptr[b + 1] - g->ptr[b] : hops[i][j];
                most = fmax(most, dist[i][j]);
            }
        }
        for (int i = g->ptr[b]; i < g->ptr[b + 1]; i++)
            for (int j = g->ptr[b]; j < g->ptr[b + 1]; j++) dist[i][j] /= most > 0 ? most : 1;
    }
}

/* The node with the largest value among those not taken; the gap to the next one is noted. */
static int best_of(ref_work *k, const ranking *r, const double *value, const bool *taken)
{
    int best = -1;
    double second = -HUGE_VAL;
    for (int v = r->first; v < r->first + r->n; v++) {
        if (taken[v] || k->in->drop[v]) continue;
        if (best < 0 || value[v] > value[best]) {
            if (best >= 0) second = value[best];
            best = v;
        } else {
            second = fmax(second, value[v]);
        }
    }
    ref_near(k, value[best] - second);
    return best;
}

static void far_one_at_a_time(ref_work *k, const ranking *r, ref_square dist)
{
    bool taken[REF_NODES] = { false };
    double delta[REF_NODES], value[REF_NODES];
    for (int v = 0; v < k->in->g.n; v++) {
        delta[v] = HUGE_VAL;
        value[v] = k->out->key[v];
    }
    for (int q = 0; q < r->k; q++) {
        int v = q < r->live ? best_of(k, r, value, taken) : r->order[q];
        taken[v] = true;
        keep_node(k->out, v);
        for (int u = r->first; u < r->first + r->n; u++) {
            delta[u] = fmin(delta[u], dist[v][u]);
            value[u] = k->out->key[u] * delta[u];
        }
    }
}

/* sele_method 0: key times the distance to the nearest node with a larger key; nodes without one count n
 * hops. */
static void far_at_once(ref_work *k, const ranking *r, ref_square dist)
{
    double peak[REF_NODES];
    bool taken[REF_NODES] = { false };
    for (int v = r->first; v < r->first + r->n; v++) {
        double nearest = 1e9;
        for (int u = r->first; u < r->first + r->n; u++)
            if (k->out->key[u] > k->out->key[v]) nearest = fmin(nearest, dist[v][u]);
        peak[v] = k->out->key[v] * nearest;
    }
    for (int q = 0; q < r->k; q++) {
        int v = q < r->live ? best_of(k, r, peak, taken) : r->order[q];
        taken[v] = true;
        keep_node(k->out, v);
    }
}

void ref_select_far(ref_work *k)
{
    ref_square dist;
    if (k->in->g.measured)
        memcpy(dist, k->in->g.dist, sizeof dist);
    else
        measure(&k->in->g, dist);
    for (int b = 0; b < k->in->g.graphs; b++) {
        ranking r = rank_of(k, b);
        if (k->in->o.peak)
            far_at_once(k, &r, dist);
        else
            far_one_at_a_time(k, &r, dist);
        k->out->ptr[b + 1] = k->out->k;
    }
    k->out->g.measured = true;
    for (int p = 0; p < k->out->k; p++)
        for (int q = 0; q < k->out->k; q++) k->out->g.dist[p][q] = dist[k->out->keep[p]][k->out->keep[q]];
}

/* iPool local: the best candidate, then neither it nor its neighbours; all unchosen again when none is left
 * (3.12). */
void ref_select_apart(ref_work *k)
{
    if (!k->in->o.apart) {
        ref_select_top(k);
        return;
    }
    for (int b = 0; b < k->in->g.graphs; b++) {
        ranking r = rank_of(k, b);
        bool chosen[REF_NODES] = { false }, candidate[REF_NODES] = { false };
        for (int q = 0; q < r.k; q++) {
            int v = -1;
            for (int i = 0; v < 0 && i < r.live; i++)
                if (candidate[r.order[i]]) v = r.order[i];
            if (v < 0 && q < r.live) {
                for (int i = 0; i < r.live; i++) candidate[r.order[i]] = !chosen[r.order[i]];
                q--;
                continue;
            }
            if (v < 0) v = r.order[q]; /* only dropped nodes are left */
            chosen[v] = true;
            candidate[v] = false;
            for (int u = r.first; u < r.first + r.n; u++)
                if (k->in->g.edge[v][u]) candidate[u] = false;
            keep_node(k->out, v);
        }
        k->out->ptr[b + 1] = k->out->k;
    }
}
