/* test_threshold.c - selection by a threshold instead of a ratio: which scores it sees, and what it keeps.
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "property.h"

#define C 6

static const mp_real *weights_called(const bench *b, const char *name)
{
    for (int i = 0; i < b->params.count; i++)
        if (strcmp(b->params.list[i].name, name) == 0) return b->params.theta + b->params.list[i].offset;
    fail_msg("%s has no %s", b->op->name, name);
    return NULL;
}

/* Scores of the ratio are <x, p> / |p|, so a threshold's are the softmax of |p| times them. */
static void a_threshold_sees_scores_with_their_length(void **state)
{
    (void)state;
    static const struct {
        const char *op, *setting, *direction;
        int rows, cols;
    } rows[] = {
        { "topk", "variant=paper", "pool.P", C, 1 },
        { "topk", "score-dim=3", "pool.P", C, 3 },
        { "topk", "variant=pyg", "pool.select.weight", C, 1 },
        { "sag", "variant=pyg", "pool.select.weight", 1, 1 },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bench b, plain; /* one seed: the same weights */
        int D = rows[i].cols;
        char setting[80];
        snprintf(setting, sizeof setting, "min-score=0.1 %s", rows[i].setting);
        bench_init(&b, mp_pool_find(rows[i].op), setting, C, 31);
        bench_init(&plain, mp_pool_find(rows[i].op), rows[i].setting, C, 31);
        mp_graph g = bench_mixed(&b, false);
        mp_mat *x = mp_rig_mat(&b.rig, g.nodes, C);
        const mp_real *p = weights_called(&b, rows[i].direction);
        mp_pooling got = bench_run(&b, &g, x), raw = bench_run(&plain, &g, x);
        for (int d = 0; d < D; d++) {
            double square = 0;
            for (int k = d; k < rows[i].rows * D; k += D) square += (double)p[k] * (double)p[k];
            for (int n = 0; n < g.graphs; n++) {
                double sum = 0;
                for (int v = g.node_ptr[n]; v < g.node_ptr[n + 1]; v++)
                    sum += exp(sqrt(square) * (double)raw.score->v[v * D + d]);
                for (int v = g.node_ptr[n]; v < g.node_ptr[n + 1]; v++) {
                    double want = exp(sqrt(square) * (double)raw.score->v[v * D + d]) / sum;
                    assert_true(fabs((double)got.score->v[v * D + d] - want) <= 1e-5 * want);
                }
            }
        }
        bench_free(&plain);
        bench_free(&b);
    }
}

/* Kept: whatever is in the ranking and above min(threshold, best of them - 1e-7), by falling key. */
static void above_threshold(bench *b)
{
    static const double drop[] = { 0, 0.3, 0.9 };
    int several = 0, forced = 0;
    b->training = true;
    for (int i = 0; i < 9; i++) {
        b->conf.drop = drop[i % 3];
        b->conf.dropped = i < 6 ? MP_DROPPED_EXCLUDED : MP_DROPPED_ZERO;
        b->draw++;
        mp_graph g = bench_mixed(b, i % 2);
        mp_pooling p = bench_run(b, &g, mp_rig_mat(&b->rig, g.nodes, C));
        for (int n = 0; n < g.graphs; n++) {
            double most = -1, sum = 0;
            int want = 0;
            for (int v = g.node_ptr[n]; v < g.node_ptr[n + 1]; v++) {
                bool out = p.dropped && p.dropped[v];
                if (!out && (double)p.key[v] > most) most = (double)p.key[v];
                sum += (double)p.key[v];
            }
            for (int v = g.node_ptr[n]; v < g.node_ptr[n + 1]; v++)
                want += !(p.dropped && p.dropped[v]) && (double)p.key[v] > fmin(b->conf.min_score, most - 1e-7);
            if (!p.dropped) assert_true(fabs(sum - 1) < 1e-5); /* keys are shares of the graph */
            forced += most < b->conf.min_score;
            assert_int_equal(p.keep_ptr[n + 1] - p.keep_ptr[n], want ? want : 1); /* all dropped: one fills up */
            several += want > 1;
            for (int k = p.keep_ptr[n]; want && k < p.keep_ptr[n + 1]; k++) {
                assert_false(p.dropped && p.dropped[p.keep[k]]);
                assert_true(k == p.keep_ptr[n] || p.key[p.keep[k - 1]] >= p.key[p.keep[k]]);
            }
        }
    }
    assert_true(several > 0 && forced > 0);
}

static void a_threshold_keeps_what_is_above_it_and_at_least_one(void **state)
{
    (void)state;
    bench_thresholds(above_threshold, C);
}

/* Shares are never negative: flipscore has nothing to flip. */
static void flipscore_changes_no_threshold(void **state)
{
    (void)state;
    for (int cols = 1; cols <= 3; cols += 2) {
        mp_pooling p[2];
        bench b[2];
        for (int flip = 0; flip < 2; flip++) {
            char options[80];
            snprintf(options, sizeof options, "min-score=0.05 score-dim=%d flip=%s", cols, flip ? "true" : "false");
            bench_init(&b[flip], mp_pool_find("sag"), options, C, 7);
            mp_graph g = bench_mixed(&b[flip], false);
            p[flip] = bench_run(&b[flip], &g, mp_rig_mat(&b[flip].rig, g.nodes, C));
        }
        assert_null(bench_differs(&p[0], &p[1]));
        bench_free(&b[0]);
        bench_free(&b[1]);
    }
}

static void equal_shares(bench *b)
{
    static const int sizes[] = { 1, 60, 3 };
    mp_graph g = mp_rig_graph(&b->rig, 3, sizes, 1, 0); /* complete graphs of equal nodes: nobody is ahead */
    mp_pooling p = bench_run(b, &g, bench_constant(b, 64, C));
    for (int n = 0; n < 3; n++) {
        for (int v = g.node_ptr[n]; v < g.node_ptr[n + 1]; v++) {
            assert_true(fabs((double)p.key[v] * sizes[n] - 1) < 1e-5);
            assert_int_equal(p.keep[v], v);
        }
    }
    assert_int_equal(p.keep_ptr[3], 64);
}

static void a_threshold_keeps_all_of_equal_scores(void **state)
{
    (void)state;
    bench_thresholds(equal_shares, C);
}

static void only_operators_with_raw_scores_have_thresholds(void **state)
{
    (void)state;
    for (const mp_pool_op *op = mp_pool_ops(); op->name; op++) {
        mp_config c;
        mp_config_init(&c);
        bench_set(&c, "min-score=0.1 score-dim=3");
        snprintf(c.pool, sizeof c.pool, "%s", op->name);
        bool has = strcmp(op->name, "topk") == 0 || strcmp(op->name, "sag") == 0;
        assert_int_equal(mp_config_check(&c), has ? MP_OK : MP_ERR_USAGE);
        c.gate = MP_GATE_TANH; /* a gate of its own would have no effect */
        assert_int_equal(mp_config_check(&c), MP_ERR_USAGE);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_threshold_sees_scores_with_their_length),
        cmocka_unit_test(a_threshold_keeps_what_is_above_it_and_at_least_one),
        cmocka_unit_test(flipscore_changes_no_threshold),
        cmocka_unit_test(a_threshold_keeps_all_of_equal_scores),
        cmocka_unit_test(only_operators_with_raw_scores_have_thresholds),
    };
    return cmocka_run_group_tests_name("thresholds", tests, NULL, NULL);
}
