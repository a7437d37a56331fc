/* select_ratio.c - the k best nodes of each graph, k = ceil(ratio n); or all nodes above a threshold.
 *
 * Kept nodes are numbered by falling key, ties by the lower index (math.md 1.3).
 * SPDX-License-Identifier: MIT */
#include "graph/rank.h"
#include "pool/pool.h"

#include <math.h>

void mp_rank(mp_ctx *c, mp_pooling *p, const int *counts)
{
    const mp_graph *g = p->g;
    int *keep_ptr = MP_NEW_RAW(c->arena, int, g->graphs + 1);
    keep_ptr[0] = 0;
    for (int b = 0; b < g->graphs; b++) {
        mp_assert(counts[b] >= 0 && counts[b] <= g->node_ptr[b + 1] - g->node_ptr[b]);
        keep_ptr[b + 1] = keep_ptr[b] + counts[b];
    }
    int *keep = MP_NEW_RAW(mp_elements(c), int, keep_ptr[g->graphs]);
    mp_site here = mp_site_of(c);
    mp_rank_nodes(&here, p->key, p->dropped, g->node_ptr, g->graphs, keep_ptr, keep);
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
                                      .unseen = mp_unseen_always,
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
                                      .unseen = mp_unseen_always,
                                      .sums_only = mp_sums_only_always,
                                      .count = count_floor };

/* Scores are a softmax over the graph: keep those above min(a, largest - 1e-7), so that one always survives. */
static void threshold_run(const mp_pool *pool, const void *state, mp_ctx *c, mp_pooling *p)
{
    (void)state;
    int *counts = MP_NEW_RAW(c->arena, int, p->g->graphs);
    mp_rank_above(p->key, p->dropped, p->g->node_ptr, p->g->graphs, (mp_real)pool->conf->min_score, counts);
    rank_counts(pool, c, p, counts);
}

const mp_selector mp_select_threshold = { .name = "threshold",
                                          .formula = "share of the graph above min-score",
                                          .options = "min-score",
                                          .run = threshold_run,
                                          .sums_only = mp_sums_only_always };
