/* test_properties.c - what must hold for every pooling operator of the table, plain and with MID. A new operator is
 * covered when it gets its row.
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "property.h"

#define C 6

static const char *const settings[] = { "score-dim=1", "score-dim=3 flip=true", "score-dim=5 width=multihead",
                                        "score-dim=2 flip=true ratio=0.8 variant=authors" };
#define SETTINGS 4
/* Calls f for every operator in every setting. */
static void everywhere(void (*f)(bench *b))
{
    uint64_t seed = 1;
    for (const mp_pool_op *op = mp_pool_ops(); op->name; op++, seed += SETTINGS)
        bench_settings(f, op, settings, SETTINGS, C, seed);
}

/* ---- renumbered nodes */

static double weight_between(const mp_graph *g, int to, int from)
{
    for (int e = g->row_ptr[to]; e < g->row_ptr[to + 1]; e++)
        if (g->col[e] == from) return g->w ? (double)g->w->v[e] : 1;
    return 0;
}

static void compare_renumbered(const bench *b, const mp_pooling *p, const mp_pooling *q, const int *to)
{
    int K = p->keep_ptr[p->g->graphs];
    assert_memory_equal(p->keep_ptr, q->keep_ptr, (size_t)(p->g->graphs + 1) * sizeof(int));
    for (int i = 0; i < K; i++) {
        if (to[p->keep[i]] != q->keep[i]) fail_msg("%s: another node is kept when nodes are renumbered", b->op->name);
        for (int c = 0; c < p->out_x->cols; c++) {
            double x = (double)p->out_x->v[i * p->out_x->cols + c], y = (double)q->out_x->v[i * q->out_x->cols + c];
            if (!(fabs(x - y) <= 1e-4 * fmax(1, fabs(x)))) fail_msg("%s: feature %g became %g", b->op->name, x, y);
        }
    }
    for (int g = 0; g < p->g->graphs; g++) {
        for (int i = p->keep_ptr[g]; i < p->keep_ptr[g + 1]; i++) {
            for (int j = p->keep_ptr[g]; j < p->keep_ptr[g + 1]; j++) {
                double x = weight_between(p->out_g, i, j), y = weight_between(q->out_g, i, j);
                if (!(fabs(x - y) <= 1e-4 * fmax(1, fabs(x)))) fail_msg("%s: edge %g became %g", b->op->name, x, y);
            }
        }
    }
}

static void renumber(bench *b)
{
    for (int weighted = 0; weighted < 2; weighted++) {
        mp_pooling p;
        mp_graph g;
        mp_mat *x;
        int sizes[] = { 9, 1, 12 }, draws = 0;
        do { /* ties go to the lower index and rounding may turn near ties: take keys apart */
            if (draws++ == 3000) fail_msg("%s: no batch with keys apart", b->op->name);
            g = mp_rig_graph(&b->rig, 3, sizes, 0.3, weighted ? 0.2 : 0);
            if (weighted) g.w = mp_rig_weights(&b->rig, &g);
            x = mp_rig_mat(&b->rig, g.nodes, C);
            p = bench_run(b, &g, x);
        } while (!bench_apart(&p, 1e-5));
        int *to = MP_NEW(b->rig.memory, int, g.nodes);
        for (int v = 0; v < g.nodes; v++) to[v] = v;
        for (int i = 0; i < 3; i++) mp_rng_shuffle(&b->rig.rng, to + g.node_ptr[i], sizes[i]);
        mp_graph h = mp_rig_renumber(&b->rig, &g, to);
        mp_mat *y = mp_rig_mat(&b->rig, g.nodes, C);
        for (int v = 0; v < g.nodes; v++) memcpy(y->v + to[v] * C, x->v + v * C, C * sizeof *y->v);
        mp_pooling q = bench_run(b, &h, y);
        compare_renumbered(b, &p, &q, to);
    }
}

static void renumbered_nodes_renumber_the_result(void **state)
{
    (void)state;
    everywhere(renumber);
    bench_thresholds(renumber, C);
}

/* ---- batches */

static void alone(bench *b)
{
    for (int weighted = 0; weighted < 2; weighted++) {
        mp_graph g = bench_mixed(b, weighted);
        mp_mat *x = mp_rig_mat(&b->rig, g.nodes, C), *own;
        mp_pooling all = bench_run(b, &g, x);
        for (int i = 0; i < g.graphs; i++) {
            mp_graph one = bench_alone(b, &g, i, x, &own);
            mp_pooling p = bench_run(b, &one, own), part = bench_part(b, &all, i);
            const char *what = bench_differs(&p, &part);
            if (what) fail_msg("%s, graph %d: %s depends on the rest of the batch", b->op->name, i, what);
        }
    }
}

static void a_graph_ignores_its_batch(void **state)
{
    (void)state;
    everywhere(alone);
    bench_thresholds(alone, C);
}

/* ---- how many */

static void counts(bench *b)
{
    static const int sizes[] = { 1, 2, 3, 17, 25, 100 }; /* 0.07 * 100 is more than 7 in double numbers */
    static const double ratios[] = { 0.5, 0.25, 0.3, 0.6, 0.8, 1, 0.07 };
    if (b->conf.variant == MP_VARIANT_AUTHORS && strcmp(b->op->name, "topk") == 0) return; /* max(2, floor) */
    for (int r = 0; r < 7; r++) {
        b->conf.ratio = ratios[r];
        mp_graph g = mp_rig_graph(&b->rig, 6, sizes, 0.2, 0);
        mp_pooling p = bench_run(b, &g, mp_rig_mat(&b->rig, g.nodes, C));
        for (int i = 0; i < 6; i++) {
            int want = 1; /* the smallest k with k >= ratio n, counted in millionths to stay exact */
            while ((int64_t)want * 1000000 < (int64_t)llround(ratios[r] * 1e6) * sizes[i]) want++;
            assert_int_equal(p.keep_ptr[i + 1] - p.keep_ptr[i], want);
            for (int k = p.keep_ptr[i]; k < p.keep_ptr[i + 1]; k++) {
                assert_in_range(p.keep[k], g.node_ptr[i], g.node_ptr[i + 1] - 1);
                for (int j = p.keep_ptr[i]; j < k; j++) assert_int_not_equal(p.keep[j], p.keep[k]);
            }
        }
    }
}

static void every_graph_keeps_the_promised_number(void **state)
{
    (void)state;
    everywhere(counts);
    assert_int_equal(mp_kept_count(0.5, 1), 1);
    assert_int_equal(mp_kept_count(0.5, 2), 1);
    assert_int_equal(mp_kept_count(0.5, 3), 2);
    assert_int_equal(mp_kept_count(0.5, 17), 9);
    assert_int_equal(mp_kept_count(0.25, 25), 7);
    assert_int_equal(mp_kept_count(0.1, 17), 2);
    assert_int_equal(mp_kept_count(0.2, 5), 1);
    assert_int_equal(mp_kept_count(0.3, 50), 15);
    assert_int_equal(mp_kept_count(0.07, 100), 7);
    assert_int_equal(mp_kept_count(0.55, 20), 11);
    assert_int_equal(mp_kept_count(1, 7), 7);
    assert_int_equal(mp_kept_count(0.5, 0), 0);
}

/* Where the selector takes the best: kept nodes fall by key, equal keys rise by number, and no better node is left out. */
static void best_first(bench *b)
{
    if (b->pool->selector != &mp_select_ratio && b->pool->selector != &mp_select_floor) return;
    static const int sizes[] = { 7, 48, 49, 300 }; /* both ways of sorting */
    mp_graph g = mp_rig_graph(&b->rig, 4, sizes, 0.02, 0);
    mp_pooling p = bench_run(b, &g, mp_rig_mat(&b->rig, g.nodes, C));
    bool *kept = MP_NEW(b->rig.memory, bool, g.nodes);
    for (int i = 0; i < p.keep_ptr[4]; i++) kept[p.keep[i]] = true;
    for (int i = 0; i < 4; i++) {
        int last = p.keep[p.keep_ptr[i + 1] - 1];
        for (int k = p.keep_ptr[i] + 1; k < p.keep_ptr[i + 1]; k++) {
            int u = p.keep[k - 1], v = p.keep[k];
            assert_true(p.key[u] > p.key[v] || (p.key[u] == p.key[v] && u < v));
        }
        for (int v = g.node_ptr[i]; v < g.node_ptr[i + 1]; v++)
            assert_true(kept[v] || p.key[v] < p.key[last] || (p.key[v] == p.key[last] && v > last));
    }
}

static void the_best_are_kept_in_falling_order(void **state)
{
    (void)state;
    everywhere(best_first);
}

static void topk_of_the_authors_keeps_floor_but_two(void **state)
{
    (void)state;
    bench b;
    bench_init(&b, mp_pool_find("topk"), "variant=authors ratio=0.5", C, 1);
    static const int sizes[] = { 1, 2, 3, 17, 4 }, want[] = { 1, 2, 2, 8, 2 };
    mp_graph g = mp_rig_graph(&b.rig, 5, sizes, 0.3, 0);
    mp_pooling p = bench_run(&b, &g, mp_rig_mat(&b.rig, g.nodes, C));
    for (int i = 0; i < 5; i++) assert_int_equal(p.keep_ptr[i + 1] - p.keep_ptr[i], want[i]);
    bench_free(&b);
}

/* ---- MID off */

static void mid_switched_off_is_the_plain_operator(void **state)
{
    (void)state;
    static const char *const off[] = { "width=multihead", "width=repeat", "drop-mode=bernoulli",
                                       "dropped=zero",    "combine=max",  "flip=false drop=0" };
    for (const mp_pool_op *op = mp_pool_ops(); op->name; op++) {
        bench plain;
        bench_init(&plain, op, "", C, 5);
        mp_graph g = bench_mixed(&plain, false);
        mp_mat *x = mp_rig_mat(&plain.rig, g.nodes, C);
        mp_pooling want = bench_run(&plain, &g, x);
        for (int i = 0; i < 6; i++) {
            bench b;
            bench_init(&b, op, off[i], C, 5); /* the same seed: the same weights */
            for (int training = 0; training < 2; training++) {
                b.training = training;
                mp_pooling p = bench_run(&b, &g, x);
                const char *what = bench_differs(&want, &p);
                if (what) fail_msg("%s with %s: %s differs", op->name, off[i], what);
            }
            bench_free(&b);
        }
        bench_free(&plain);
    }
}

/* ---- edges of the domain */

static void strange_graphs(bench *b)
{
    static const int one[] = { 1 }, few[] = { 1, 1, 4, 2 }, none[] = { 3, 0, 2 };
    mp_graph g = mp_rig_graph(&b->rig, 1, one, 0, 0);
    mp_pooling p = bench_run(b, &g, mp_rig_mat(&b->rig, 1, C));
    assert_int_equal(p.keep_ptr[1], 1);
    assert_int_equal(p.keep[0], 0);
    g = mp_rig_graph(&b->rig, 1, one, 0, 1); /* one node with a loop */
    bench_run(b, &g, mp_rig_mat(&b->rig, 1, C));
    g = mp_rig_graph(&b->rig, 4, few, 0, 0); /* no edges at all */
    p = bench_run(b, &g, mp_rig_mat(&b->rig, g.nodes, C));
    for (int i = 0; i < p.out_x->rows * p.out_x->cols; i++) assert_true(isfinite(p.out_x->v[i]));
    g = mp_rig_graph(&b->rig, 4, few, 1, 1); /* all edges and all loops */
    p = bench_run(b, &g, mp_rig_mat(&b->rig, g.nodes, C));
    for (int i = 0; i < p.out_x->rows * p.out_x->cols; i++) assert_true(isfinite(p.out_x->v[i]));
    g = mp_rig_graph(&b->rig, 3, none, 0.5, 0); /* a graph without nodes keeps none */
    p = bench_run(b, &g, mp_rig_mat(&b->rig, g.nodes, C));
    assert_int_equal(p.keep_ptr[2] - p.keep_ptr[1], 0);
    b->conf.ratio = 1;
    g = bench_mixed(b, false);
    p = bench_run(b, &g, mp_rig_mat(&b->rig, g.nodes, C));
    assert_int_equal(p.keep_ptr[g.graphs], g.nodes); /* and, as no node is kept twice, all are */
}

static void one_node_no_edges_loops_and_ratio_one(void **state)
{
    (void)state;
    everywhere(strange_graphs);
}

static void all_equal(bench *b)
{
    mp_graph g = bench_cycle(b, 60); /* more than the 48 that are sorted by insertion */
    mp_pooling p = bench_run(b, &g, bench_constant(b, 60, C));
    for (int v = 1; v < 60; v++) assert_true(p.key[v] == p.key[0]);
    bool best_first = b->pool->selector == &mp_select_ratio || b->pool->selector == &mp_select_floor ||
                      b->pool->selector == &mp_select_local;
    for (int i = 0; best_first && i < p.keep_ptr[1]; i++) assert_int_equal(p.keep[i], i);
}

static void equal_scores_keep_the_lower_numbers(void **state)
{
    (void)state;
    everywhere(all_equal);
}

/* ---- the last layer of a network */

static void last(bench *b)
{
    mp_graph g = bench_mixed(b, false);
    mp_mat *x = mp_rig_mat(&b->rig, g.nodes, C);
    mp_pooling p = bench_run(b, &g, x);
    mp_pool_ends(b->pool);
    mp_pooling q = bench_run(b, &g, x);
    assert_true(p.out_g->edges > 0);
    assert_int_equal(q.out_g->edges, b->op->coarsener->kept_rows ? 0 : p.out_g->edges);
    q.out_g = p.out_g;
    assert_null(bench_differs(&p, &q));
}

static void the_last_layer_gives_the_same_rows_without_edges(void **state)
{
    (void)state;
    everywhere(last);
    bench_thresholds(last, C);
}

/* ---- randomness */

static void same_seed(bench *b)
{
    b->training = true;
    b->conf.drop = 0.3;
    mp_graph g = bench_mixed(b, false);
    mp_mat *x = mp_rig_mat(&b->rig, g.nodes, C);
    mp_pooling p = bench_run(b, &g, x), q = bench_run(b, &g, x);
    assert_null(bench_differs(&p, &q));
    bool moved = false;
    for (b->draw = 1; b->draw < 6; b->draw++) {
        q = bench_run(b, &g, x);
        moved |= bench_differs(&p, &q) != NULL;
    }
    assert_true(moved);
}

static void one_seed_twice_gives_the_same_bits(void **state)
{
    (void)state;
    everywhere(same_seed);
    bench_thresholds(same_seed, C);
}

static void drops(bench *b)
{
    static const int sizes[] = { 17, 5, 1, 40 };
    static const double shares[] = { 0.1, 0.2, 0.5, 0.9 };
    b->training = true;
    for (int i = 0; i < 4; i++) {
        b->conf.drop = shares[i];
        b->draw++;
        mp_graph g = mp_rig_graph(&b->rig, 4, sizes, 0.2, 0);
        mp_pooling p = bench_run(b, &g, mp_rig_mat(&b->rig, g.nodes, C));
        assert_non_null(p.dropped);
        for (int k = 0; k < 4; k++) {
            int out = 0, kept_out = 0, kept = p.keep_ptr[k + 1] - p.keep_ptr[k];
            bool seen[41] = { false };
            for (int v = g.node_ptr[k]; v < g.node_ptr[k + 1]; v++) {
                if (!p.dropped[v]) continue;
                out++;
                assert_in_range(p.dropped[v], 1, sizes[k]);
                assert_false(seen[p.dropped[v]]); /* places in the draw, each once */
                seen[p.dropped[v]] = true;
            }
            assert_int_equal(out, (int)ceil(shares[i] * sizes[k] - 1e-9));
            int last = 0;
            for (int j = p.keep_ptr[k]; j < p.keep_ptr[k + 1]; j++) {
                kept_out += p.dropped[p.keep[j]] != 0;
                if (!p.dropped[p.keep[j]]) continue;
                assert_true(p.dropped[p.keep[j]] > last); /* they fill up in the order drawn */
                last = p.dropped[p.keep[j]];
            }
            int live = sizes[k] - out;
            assert_int_equal(kept_out, kept > live ? kept - live : 0);
        }
    }
}

static void dropscore_drops_the_exact_share(void **state)
{
    (void)state;
    everywhere(drops);
}

static void evaluation_drops_nothing(void **state)
{
    (void)state;
    bench b;
    bench_init(&b, mp_pool_find("sag"), "score-dim=3 flip=true drop=0.5", C, 1);
    mp_graph g = bench_mixed(&b, false);
    mp_pooling p = bench_run(&b, &g, mp_rig_mat(&b.rig, g.nodes, C));
    assert_null(p.dropped);
    bench_free(&b);
}

static void bernoulli_drops_each_node_by_itself(void **state)
{
    (void)state;
    bench b;
    bench_init(&b, mp_pool_find("sag"), "drop=0.3 drop-mode=bernoulli", C, 1);
    b.training = true;
    static const int sizes[] = { 100 };
    mp_graph g = mp_rig_graph(&b.rig, 1, sizes, 0.05, 0);
    mp_mat *x = mp_rig_mat(&b.rig, 100, C);
    int total = 0, different = 0, before = -1;
    for (b.draw = 0; b.draw < 200; b.draw++) {
        mp_pooling p = bench_run(&b, &g, x);
        int n = 0;
        for (int v = 0; v < 100; v++) n += p.dropped[v] != 0;
        different += n != before;
        before = n;
        total += n;
        for (int i = 0; i < p.keep_ptr[1]; i++) assert_false(p.dropped[p.keep[i]]); /* enough others are left */
    }
    assert_true(total > 5600 && total < 6400 && different > 100); /* 20,000 draws: five deviations are 324 */
    bench_free(&b);
}

static void dropped_zero_ranks_by_a_key_of_zero(void **state)
{
    (void)state;
    bench b;
    bench_init(&b, mp_pool_find("topk"), "drop=0.5 dropped=zero ratio=0.5", C, 1);
    b.training = true;
    static const int sizes[] = { 20 };
    mp_graph g = mp_rig_graph(&b.rig, 1, sizes, 0.2, 0);
    mp_pooling p = bench_run(&b, &g, mp_rig_mat(&b.rig, 20, C));
    int dropped_kept = 0;
    for (int v = 0; v < 20; v++) assert_true(!p.dropped[v] || p.key[v] == 0);
    for (int i = 0; i < 10; i++) {
        dropped_kept += p.dropped[p.keep[i]] != 0;
        if (i == 0) continue;
        int u = p.keep[i - 1], v = p.keep[i];
        assert_true(p.key[u] > p.key[v] || (p.key[u] == p.key[v] && u < v));
    }
    assert_true(dropped_kept > 0); /* without flipscore they come before negative scores */
    bench_free(&b);
}

/* ---- keys */

static void keys(bench *b)
{
    static const char *const ways[] = { "combine=sum flip=false", "combine=sum flip=true", "combine=max flip=false",
                                        "combine=max flip=true", "combine=l2 flip=true" };
    if (b->pool->selector != &mp_select_ratio) return;
    for (int i = 0; i < 5; i++) {
        bench_set(&b->conf, ways[i]);
        b->pool->rank_activated = false;
        mp_graph g = bench_mixed(b, false);
        mp_pooling p = bench_run(b, &g, mp_rig_mat(&b->rig, g.nodes, C));
        int D = p.score->cols;
        for (int v = 0; v < g.nodes; v++) {
            double key = i == 2 || i == 3 ? -1e300 : 0;
            for (int d = 0; d < D; d++) {
                double s = (double)p.score->v[v * D + d], f = i % 2 ? fabs(s) : s;
                key = i < 2 ? key + f : i < 4 ? fmax(key, f) : key + s * s;
            }
            assert_true(fabs(key - (double)p.key[v]) <= 1e-5 * fmax(1, fabs(key)));
        }
    }
}

static void keys_combine_the_columns(void **state)
{
    (void)state;
    everywhere(keys);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(renumbered_nodes_renumber_the_result),
        cmocka_unit_test(a_graph_ignores_its_batch),
        cmocka_unit_test(every_graph_keeps_the_promised_number),
        cmocka_unit_test(the_best_are_kept_in_falling_order),
        cmocka_unit_test(topk_of_the_authors_keeps_floor_but_two),
        cmocka_unit_test(mid_switched_off_is_the_plain_operator),
        cmocka_unit_test(one_node_no_edges_loops_and_ratio_one),
        cmocka_unit_test(equal_scores_keep_the_lower_numbers),
        cmocka_unit_test(the_last_layer_gives_the_same_rows_without_edges),
        cmocka_unit_test(one_seed_twice_gives_the_same_bits),
        cmocka_unit_test(dropscore_drops_the_exact_share),
        cmocka_unit_test(evaluation_drops_nothing),
        cmocka_unit_test(bernoulli_drops_each_node_by_itself),
        cmocka_unit_test(dropped_zero_ranks_by_a_key_of_zero),
        cmocka_unit_test(keys_combine_the_columns),
    };
    return cmocka_run_group_tests_name("properties of every operator", tests, NULL, NULL);
}
