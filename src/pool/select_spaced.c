/* select_spaced.c - selectors that do not simply take the best: UGPool's evenly spaced ranks, RepPool's trade of score
 * against distance, iPool's best nodes that are not neighbours.
 * SPDX-License-Identifier: MIT */
#include "graph/far.h"
#include "pool/pool.h"

#include <math.h>

enum { MP_PICK_GREEDY, MP_PICK_LOCAL };
typedef struct local_options {
    int pick;
} local_options;
/* clang-format off */
static const mp_opt local_rows[] = {
    { "pick", MP_OPT_CHOICE, offsetof(local_options, pick), "greedy", 0, 0, "greedy|local", "ipool: best nodes, or best nodes that are not neighbours" },
    { 0 },
};
/* clang-format on */
MP_OPTION_SET(static, local_set, local_options, local_rows);

enum { MP_REP_GREEDY, MP_REP_PEAK };
typedef struct far_options {
    int rep_select;
} far_options;
/* clang-format off */
static const mp_opt far_rows[] = {
    { "rep-select", MP_OPT_CHOICE, offsetof(far_options, rep_select), "greedy", 0, 0, "greedy|peak", "rep: one node at a time, or score times distance to a higher score" },
    { 0 },
};
/* clang-format on */
MP_OPTION_SET(static, far_set, far_options, far_rows);

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
    if (MP_OWN(pool->conf, local_set, local_options)->pick == MP_PICK_GREEDY) {
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

const mp_selector mp_select_local = { .own = &local_set,
                                      .name = "TOP_k",
                                      .formula = "k = ceil(ratio n) largest keys",
                                      .options = "ratio pick",
                                      .run = local_run,
                                      .count = mp_count_ratio };

/* ---- SEL_k: first the best score; then, k-1 times, the largest score x distance to what is selected (math.md 3.7), in hops
 * of the graph the nodes came from first. rep-select = peak: key x distance to the nearest node with a larger key; the best
 * k of that. */
static void far_run(const mp_pool *pool, const void *state, mp_ctx *c, mp_pooling *p)
{
    const mp_graph *g = p->g;
    mp_far f = { g, g->origin ? g->origin : g, g->origin ? g->origin_node : NULL, p->key, NULL };
    if (MP_OWN(pool->conf, far_set, far_options)->rep_select == MP_REP_PEAK) {
        mp_real *key = MP_NEW_RAW(mp_elements(c), mp_real, g->nodes);
        mp_far_peaks(c->arena, &f, key);
        p->key = key;
        mp_select_ratio.run(pool, state, c, p);
        return;
    }
    const int *dropped = rank_all(pool, c, p), *order = p->keep; /* the order in which dropped nodes fill up */
    int *keep = room(pool, c, p);
    f.dropped = p->dropped;
    mp_far_nodes(c->arena, &f, p->keep_ptr, keep);
    for (int b = 0; b < g->graphs; b++) {
        int k = p->keep_ptr[b + 1] - p->keep_ptr[b], live = g->node_ptr[b + 1] - g->node_ptr[b] - count_out(p, b);
        for (int i = live; i < k; i++) keep[p->keep_ptr[b] + i] = order[g->node_ptr[b] + i];
    }
    p->keep = keep;
    p->dropped = dropped;
}

const mp_selector mp_select_far = { .own = &far_set,
                                    .name = "SEL_k",
                                    .formula = "largest score x distance to what is selected",
                                    .options = "ratio rep-select",
                                    .run = far_run,
                                    .count = mp_count_ratio };
