/* select_ratio.c - the k best nodes of each graph, k = ceil(ratio n); or all nodes above a threshold.
 *
 * Kept nodes are numbered by falling key, ties by the lower index (math.md 1.3). A key and its index are packed into one
 * integer whose order is that rule, so the ranking is a sort of integers.
 * SPDX-License-Identifier: MIT */
#include "pool/pool.h"

#include <math.h>
#include <string.h>

/* A key and, below it, the node: small ranks first. */
#ifdef MP_DOUBLE
__extension__ typedef unsigned __int128 item;
#define KEY_BITS 64
#else
typedef uint64_t item;
#define KEY_BITS 32
#endif

static item packed(uint64_t key, int node)
{
    return (item)key << 32 | (uint32_t)node;
}

static int node_of(item x)
{
    return (int)(uint32_t)x;
}

/* Falling order of reals as rising order of integers. Adding 0 makes -0 into +0. */
static uint64_t falling(mp_real x)
{
    x += 0;
#ifdef MP_DOUBLE
    uint64_t u;
    memcpy(&u, &x, sizeof u);
    return u >> 63 ? u : ~u & ~((uint64_t)1 << 63);
#else
    uint32_t u;
    memcpy(&u, &x, sizeof u);
    return u >> 31 ? u : ~u & 0x7fffffffu;
#endif
}

/* Sorts items that come in node order, so a stable sort of the keys is enough. */
static void sort_items(item *it, int n, item *spare)
{
    if (n > 48) {
        for (int shift = 32; shift < 32 + KEY_BITS; shift += 8) { /* radix; an even number of passes ends in `it` */
            int count[257] = { 0 };
            for (int i = 0; i < n; i++) count[((it[i] >> shift) & 255) + 1]++;
            for (int i = 0; i < 256; i++) count[i + 1] += count[i];
            for (int i = 0; i < n; i++) spare[count[(it[i] >> shift) & 255]++] = it[i];
            item *t = it;
            it = spare;
            spare = t;
        }
        return;
    }
    for (int i = 1; i < n; i++) {
        item x = it[i];
        int j = i;
        for (; j > 0 && x < it[j - 1]; j--) it[j] = it[j - 1];
        it[j] = x;
    }
}

void mp_rank(mp_ctx *c, mp_pooling *p, const int *counts)
{
    const mp_graph *g = p->g;
    int *keep_ptr = MP_NEW_RAW(c->arena, int, g->graphs + 1), most = 0;
    keep_ptr[0] = 0;
    for (int b = 0; b < g->graphs; b++) {
        int n = g->node_ptr[b + 1] - g->node_ptr[b];
        mp_assert(counts[b] >= 0 && counts[b] <= n);
        keep_ptr[b + 1] = keep_ptr[b] + counts[b];
        most = n > most ? n : most;
    }
    int *keep = MP_NEW_RAW(c->arena, int, keep_ptr[g->graphs]);
    item *live = MP_NEW_RAW(c->arena, item, most), *spare = MP_NEW_RAW(c->arena, item, most);
    item *out = MP_NEW_RAW(c->arena, item, p->dropped ? most : 0);
    for (int b = 0; b < g->graphs; b++) {
        int n = 0, m = 0;
        for (int v = g->node_ptr[b]; v < g->node_ptr[b + 1]; v++) {
            if (p->dropped && p->dropped[v])
                out[m++] = packed((uint64_t)p->dropped[v], v);
            else
                live[n++] = packed(falling(p->key[v]), v);
        }
        sort_items(live, n, spare);
        if (n < counts[b]) sort_items(out, m, spare); /* too few are left: the dropped fill up in the order drawn */
        for (int i = 0; i < counts[b]; i++) keep[keep_ptr[b] + i] = node_of(i < n ? live[i] : out[i - n]);
    }
    p->keep = keep;
    p->keep_ptr = keep_ptr;
}

/* With dropped = zero, dropped nodes stay in the ranking with key 0. */
static void rank_counts(const mp_pool *pool, mp_ctx *c, mp_pooling *p, const int *counts)
{
    const int *dropped = p->dropped;
    if (pool->conf->dropped == MP_DROPPED_ZERO) p->dropped = NULL;
    mp_rank(c, p, counts);
    p->dropped = dropped;
}

/* As many as the pooling's selector counts. */
static void best_run(const mp_pool *pool, const void *state, mp_ctx *c, mp_pooling *p)
{
    (void)state;
    int *counts = MP_NEW_RAW(c->arena, int, p->g->graphs);
    for (int b = 0; b < p->g->graphs; b++)
        counts[b] = pool->selector->count(pool->conf, p->g->node_ptr[b + 1] - p->g->node_ptr[b]);
    rank_counts(pool, c, p, counts);
}

int mp_count_ratio(const mp_config *conf, int n)
{
    return mp_kept_count(conf->ratio, n);
}

const mp_selector mp_select_ratio = { .name = "TOP_k",
                                      .formula = "k = ceil(ratio n) largest keys",
                                      .options = "ratio:min-score=0",
                                      .run = best_run,
                                      .sums_only = mp_sums_only_always,
                                      .count = mp_count_ratio };

/* Graph U-Nets' released code. */
static int count_floor(const mp_config *conf, int n)
{
    int k = (int)floor(conf->ratio * n + 1e-9);
    return k > 2 ? k : n < 2 ? n : 2;
}

const mp_selector mp_select_floor = { .name = "TOP_k",
                                      .formula = "k = max(2, floor(ratio n)) largest keys",
                                      .options = "ratio:min-score=0",
                                      .run = best_run,
                                      .sums_only = mp_sums_only_always,
                                      .count = count_floor };

/* Scores are a softmax over the graph: keep those above min(a, largest - 1e-7), so that one always survives. */
static void threshold_run(const mp_pool *pool, const void *state, mp_ctx *c, mp_pooling *p)
{
    (void)state;
    int *counts = MP_NEW(c->arena, int, p->g->graphs);
    for (int b = 0; b < p->g->graphs; b++) {
        mp_real most = -(mp_real)INFINITY, limit;
        for (int v = p->g->node_ptr[b]; v < p->g->node_ptr[b + 1]; v++)
            if (!(p->dropped && p->dropped[v]) && p->key[v] > most) most = p->key[v];
        limit = most - (mp_real)1e-7;
        if ((mp_real)pool->conf->min_score < limit) limit = (mp_real)pool->conf->min_score;
        for (int v = p->g->node_ptr[b]; v < p->g->node_ptr[b + 1]; v++)
            counts[b] += !(p->dropped && p->dropped[v]) && p->key[v] > limit;
        if (counts[b] == 0 && p->g->node_ptr[b + 1] > p->g->node_ptr[b]) counts[b] = 1;
    }
    rank_counts(pool, c, p, counts);
}

const mp_selector mp_select_threshold = { .name = "threshold",
                                          .formula = "share of the graph above min-score",
                                          .options = "min-score",
                                          .run = threshold_run,
                                          .sums_only = mp_sums_only_always };
