/* test_edge_loss.c - edges that go missing at the entrance of a pooling: how many, which, where they are missed and where not.
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

#include "graph/thin.h"
#include "world.h"

#define C 4

/* Undirected edges of graph b, loops left out. */
static int pairs(const mp_graph *g, int b)
{
    int n = 0;
    for (int v = g->node_ptr[b]; v < g->node_ptr[b + 1]; v++)
        for (int e = g->row_ptr[v]; e < g->row_ptr[v + 1]; e++) n += g->col[e] > v;
    return n;
}

static int loops(const mp_graph *g)
{
    int n = 0;
    for (int v = 0; v < g->nodes; v++)
        for (int e = g->row_ptr[v]; e < g->row_ptr[v + 1]; e++) n += g->col[e] == v;
    return n;
}

static void every_graph_loses_the_floor_of_its_share(void **state)
{
    (void)state;
    static const int sizes[] = { 12, 1, 5, 0, 2, 30 };
    static const double rates[] = { 0.1, 0.25, 0.3, 0.5, 0.7, 0.9 };
    for (int r = 0; r < 6; r++) {
        mp_rig rig = mp_rig_new((uint64_t)r);
        mp_graph g = mp_rig_graph(&rig, 6, sizes, 0.4, 0.3), thin;
        const int *from;
        mp_rng stream[6];
        g.edge_x = mp_rig_attributes(&rig, &g, 3, MP_RIG_DENSE);
        for (int b = 0; b < 6; b++) stream[b] = mp_rng_stream(1, MP_FOR_TEST, (uint64_t)b, 0, 0);
        mp_thin(rig.memory, &g, rates[r], stream, &thin, &from);
        assert_int_equal(mp_graph_check(&thin), MP_OK); /* both directions of an edge go together */
        assert_int_equal(loops(&thin), loops(&g));
        for (int b = 0; b < 6; b++) {
            int m = pairs(&g, b), hundredths = (int)lround(100 * rates[r]);
            assert_int_equal(pairs(&thin, b), m - hundredths * m / 100);
        }
        for (int v = 0; v < g.nodes; v++)
            for (int e = thin.row_ptr[v]; e < thin.row_ptr[v + 1]; e++) {
                assert_true(from[e] >= g.row_ptr[v] && from[e] < g.row_ptr[v + 1]);
                assert_int_equal(thin.col[e], g.col[from[e]]);
                assert_int_equal(thin.edge_from[e], from[e]); /* its attributes */
            }
        mp_rig_free(&rig);
    }
}

/* Six edges, three of which go: twenty triples, all as likely. The sum over them of (seen - expected)^2 / expected is above
 * 43.8 once in a thousand. */
static void every_choice_of_edges_is_as_likely(void **state)
{
    (void)state;
    enum { DRAWS = 20000 };
    static const int one[] = { 4 };
    int seen[64] = { 0 };
    mp_rig rig = mp_rig_new(3);
    mp_graph g = mp_rig_graph(&rig, 1, one, 1, 0);
    uint64_t name;
    mp_graph_names(&g, &name);
    for (int i = 0; i < DRAWS; i++) { /* streams as epochs name them */
        mp_arena *a = mp_arena_new(4096);
        mp_rng stream = mp_rng_stream(42, MP_FOR_EDGES, (uint64_t)i, name, 0);
        mp_graph thin;
        const int *from;
        int mask = 0;
        mp_thin(a, &g, 0.5, &stream, &thin, &from);
        for (int v = 0, place = 0; v < 4; v++)
            for (int u = v + 1; u < 4; u++, place++) mask |= (mp_graph_edge(&thin, u, v) >= 0) << place;
        seen[mask]++;
        mp_arena_free(a);
    }
    double expected = DRAWS / 20.0, sum = 0;
    int kinds = 0;
    for (int mask = 0; mask < 64; mask++) {
        if (!seen[mask]) continue;
        kinds++;
        sum += (seen[mask] - expected) * (seen[mask] - expected) / expected;
    }
    assert_int_equal(kinds, 20);
    if (!(sum < 43.8)) fail_msg("chi square %g of 19 degrees of freedom", sum);
    mp_rig_free(&rig);
}

static void graphs_are_named_by_what_they_are(void **state)
{
    (void)state;
    static const int sizes[] = { 7, 7, 3, 0, 1 };
    bench b;
    uint64_t name[5], alone;
    bench_init(&b, mp_pool_find("topk"), "", C, 1);
    mp_graph g = mp_rig_graph(&b.rig, 5, sizes, 0.5, 0);
    mp_graph_names(&g, name);
    for (int i = 0; i < 5; i++) {
        mp_graph one = bench_alone(&b, &g, i, NULL, NULL);
        mp_graph_names(&one, &alone);
        assert_true(alone == name[i]);
        for (int k = 0; k < i; k++) assert_true(name[k] != name[i]);
    }
    bench_free(&b);
}

/* ---- in a pooling */

static void lossy(bench *b)
{
    for (int weighted = 0; weighted < 2; weighted++) {
        mp_graph g = bench_mixed(b, weighted);
        mp_mat *x = mp_rig_mat(&b->rig, g.nodes, C), *own;
        mp_pooling all = bench_run(b, &g, x);
        for (int i = 0; i < g.graphs; i++) {
            assert_int_equal(pairs(all.g, i), pairs(&g, i) - 4 * pairs(&g, i) / 10);
            mp_graph one = bench_alone(b, &g, i, x, &own);
            mp_pooling p = bench_run(b, &one, own), part = bench_part(b, &all, i);
            const char *what = bench_differs(&p, &part);
            if (what) fail_msg("%s, graph %d: %s depends on the rest of the batch", b->op->name, i, what);
        }
        for (int e = 0; weighted && e < all.g->edges; e++) {
            bool found = false;
            for (int k = 0; k < g.edges; k++) found |= g.w->v[k] == all.g->w->v[e];
            assert_true(found); /* no two weights are alike */
        }
    }
}

static void every_operator_loses_edges_graph_by_graph(void **state)
{
    (void)state;
    static const char *const settings[] = { "edge-loss=0.4", "edge-loss=0.4 score-dim=3 flip=true" };
    for (const mp_pool_op *op = mp_pool_ops(); op->name; op++) bench_settings(lossy, op, settings, 2, C, 1);
}

static void a_share_too_small_for_one_edge_changes_no_bit(void **state)
{
    (void)state;
    for (const mp_pool_op *op = mp_pool_ops(); op->name; op++) {
        bench plain, small;
        bench_init(&plain, op, "", C, 5);
        bench_init(&small, op, "edge-loss=0.001", C, 5);
        mp_graph g = bench_mixed(&plain, true);
        mp_mat *x = mp_rig_mat(&plain.rig, g.nodes, C);
        mp_pooling p = bench_run(&plain, &g, x), q = bench_run(&small, &g, x);
        const char *what = bench_differs(&p, &q);
        if (what) fail_msg("%s: %s differs", op->name, what);
        assert_ptr_not_equal(p.g, q.g);
        bench_free(&small);
        bench_free(&plain);
    }
}

/* Shortcuts are for graphs that stay as they are. */
static void who_loses_no_edges_keeps_the_shortcuts(void **state)
{
    (void)state;
    static const char *const rate[] = { "edge-loss=0", "edge-loss=0.001" };
    for (int lost = 0; lost < 2; lost++) {
        bench b;
        bench_init(&b, mp_pool_find("topk"), rate[lost], C, 1);
        assert_int_equal(mp_loses_edges(&b.conf), lost);
        assert_int_equal(mp_pool_sums_only(b.pool), !lost);
        assert_int_equal(mp_pool_unseen(b.pool), !lost);
        bench_free(&b);
    }
}

/* ---- in training */

#define GRAPHS 90
static const char lossless[] = "pool=sag hidden=8 layers=2 dropout=0";
static const char often[] = "pool=sag hidden=8 layers=2 dropout=0 edge-loss=0.5";
static const char at_test[] = "pool=sag hidden=8 layers=2 dropout=0 edge-loss=0.5 edge-loss-in=test";

typedef struct outcome {
    mp_real theta[4096], val[2 * GRAPHS], test[2 * GRAPHS];
    size_t n;
} outcome;

/* Two epochs, then all graphs as validation meets them and as a test does, in batches of `batch`. */
static void run(const char *options, int threads, int batch, outcome *o)
{
    world w;
    memset(o, 0, sizeof *o);
    world_init(&w, options, GRAPHS, 30, 2);
    mp_engine *e = mp_engine_new(w.model, threads);
    train(&w, e, 1, 3, 60, 7);
    for (int i = 0; i < GRAPHS; i++) w.order[i] = i;
    for (int at = 0; at < GRAPHS; at += batch) {
        mp_batch b = batch_of(&w, at, batch);
        assert_int_equal(mp_engine_validate(e, &b, o->val + 2 * at), MP_OK);
        assert_int_equal(mp_engine_predict(e, &b, o->test + 2 * at), MP_OK);
    }
    o->n = w.params->size;
    assert_true(o->n <= sizeof o->theta / sizeof *o->theta);
    memcpy(o->theta, w.params->theta, o->n * sizeof *o->theta);
    mp_engine_free(e);
    world_free(&w);
}

static outcome one, two;

static void training_and_testing_do_not_depend_on_threads_or_batches(void **state)
{
    (void)state;
    static const char *const options[] = { often, at_test };
    for (int i = 0; i < 2; i++) {
        run(options[i], 1, GRAPHS, &one);
        for (int threads = 2; threads <= 5; threads += 3) {
            run(options[i], threads, threads == 2 ? 1 : 18, &two);
            assert_memory_equal(&one, &two, sizeof one);
        }
    }
}

static void loss_in_tests_alone_leaves_training_and_validation_as_they_are(void **state)
{
    (void)state;
    run(lossless, 1, GRAPHS, &one);
    assert_memory_equal(one.val, one.test, sizeof one.val);
    run(at_test, 1, GRAPHS, &two);
    assert_memory_equal(one.theta, two.theta, sizeof one.theta);
    assert_memory_equal(one.val, two.val, sizeof one.val);
    assert_memory_not_equal(one.test, two.test, sizeof one.test);
    run(often, 1, GRAPHS, &two);
    assert_memory_not_equal(one.theta, two.theta, sizeof one.theta);
    assert_memory_equal(two.val, two.test, sizeof two.val);
}

/* The convolution before a pooling has all edges, the scores of that pooling do not. */
static void the_convolution_before_sees_the_intact_graph(void **state)
{
    (void)state;
    mp_trail trail[2];
    world w[2];
    mp_arena *a = mp_arena_new(1 << 20);
    for (int i = 0; i < 2; i++) {
        world_init(&w[i], i ? often : lossless, 1, 30, 2);
        mp_ctx c = { .arena = a, .k = mp_kernels_get() };
        mp_params_bind(w[i].params, &c, NULL);
        mp_model_forward(w[i].model, &c, &w[i].all, &w[i].x, NULL, &trail[i], NULL);
    }
    const mp_pooling *p = trail[0].level[0], *q = trail[1].level[0];
    int m = pairs(&w[0].all, 0);
    assert_true(m > 3);
    assert_memory_equal(p->x->v, q->x->v, (size_t)p->x->rows * (size_t)p->x->cols * sizeof(mp_real));
    assert_int_equal(pairs(p->g, 0), m);
    assert_int_equal(pairs(q->g, 0), m - m / 2);
    assert_memory_not_equal(p->score->v, q->score->v, (size_t)p->score->rows * sizeof(mp_real));
    m = pairs(q->out_g, 0);
    assert_int_equal(pairs(trail[1].level[1]->g, 0), m - m / 2); /* and again at the next one */
    for (int i = 0; i < 2; i++) world_free(&w[i]);
    mp_arena_free(a);
}

/* TopKPool's scores ask for no edges: without those that it loses it keeps the same rows, and the way back has them all. */
static void the_way_back_has_the_intact_graph(void **state)
{
    (void)state;
    static const char *const options[] = { "pool=topk arch=autoencoder hidden=8",
                                           "pool=topk arch=autoencoder hidden=8 edge-loss=0.5" };
    mp_mat *y[2];
    world w[2];
    mp_arena *a = mp_arena_new(1 << 20);
    for (int i = 0; i < 2; i++) {
        world_init(&w[i], options[i], 5, 30, 2);
        mp_ctx c = { .arena = a, .k = mp_kernels_get() };
        mp_params_bind(w[i].params, &c, NULL);
        y[i] = mp_model_forward(w[i].model, &c, &w[i].all, &w[i].x, NULL, NULL, NULL);
    }
    assert_int_equal(y[0]->rows, w[0].all.nodes);
    assert_memory_equal(y[0]->v, y[1]->v, (size_t)y[0]->rows * (size_t)y[0]->cols * sizeof(mp_real));
    for (int i = 0; i < 2; i++) world_free(&w[i]);
    mp_arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_graph_loses_the_floor_of_its_share),
        cmocka_unit_test(every_choice_of_edges_is_as_likely),
        cmocka_unit_test(graphs_are_named_by_what_they_are),
        cmocka_unit_test(every_operator_loses_edges_graph_by_graph),
        cmocka_unit_test(a_share_too_small_for_one_edge_changes_no_bit),
        cmocka_unit_test(who_loses_no_edges_keeps_the_shortcuts),
        cmocka_unit_test(training_and_testing_do_not_depend_on_threads_or_batches),
        cmocka_unit_test(loss_in_tests_alone_leaves_training_and_validation_as_they_are),
        cmocka_unit_test(the_convolution_before_sees_the_intact_graph),
        cmocka_unit_test(the_way_back_has_the_intact_graph),
    };
    return cmocka_run_group_tests_name("edges lost at the entrance of a pooling", tests, NULL, NULL);
}
