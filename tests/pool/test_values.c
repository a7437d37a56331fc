/* test_values.c - numbers and facts that the specification prints: check values (math.md 8), and what the paper says about
 * scores.
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "property.h"

#define C 6

/* ---- what the paper says about scores */

static void projections_are_trapped(void **state)
{
    (void)state;
    bench b;
    bench_init(&b, mp_pool_find("topk"), "", C, 1);
    static const int sizes[] = { 40 };
    mp_graph g = mp_rig_graph(&b.rig, 1, sizes, 0.1, 0);
    mp_mat *x = mp_rig_mat(&b.rig, 40, C);
    mp_pooling p = bench_run(&b, &g, x);
    for (int u = 0; u < 40; u++) {
        for (int v = 0; v < u; v++) {
            double square = 0;
            for (int c = 0; c < C; c++) square += pow((double)x->v[u * C + c] - (double)x->v[v * C + c], 2);
            assert_true(fabs((double)p.score->v[u] - (double)p.score->v[v]) <= sqrt(square) * (1 + 1e-6));
        }
    }
    bench_free(&b);
}

static mp_graph two_triangles(bench *b)
{
    static const int src[] = { 0, 1, 1, 2, 2, 0, 3, 4, 4, 5, 5, 3 }, dst[] = { 1, 0, 2, 1, 0, 2, 4, 3, 5, 4, 3, 5 };
    static const int node_ptr[] = { 0, 6 };
    mp_graph g;
    mp_err e = mp_graph_from_edges(b->rig.memory, 1, node_ptr, 12, src, dst, &g, NULL);
    assert_int_equal(e, MP_OK);
    return g;
}

/* Colour refinement cannot tell a 6-cycle from two triangles, and neither can the first pooling. */
static void what_refinement_cannot_tell_apart_pools_alike(void **state)
{
    (void)state;
    static const char *const names[] = { "topk", "sag", "gsa", "asap" };
    for (int i = 0; i < 4; i++) {
        bench b;
        bench_init(&b, mp_pool_find(names[i]), "score-dim=3 flip=true drop=0.3", C, 1);
        mp_graph ring = bench_cycle(&b, 6), pair = two_triangles(&b);
        mp_mat *x = bench_constant(&b, 6, C);
        mp_pooling p = bench_run(&b, &ring, x), q = bench_run(&b, &pair, x);
        assert_memory_equal(p.score->v, q.score->v, 18 * sizeof *p.score->v);
        for (int k = 0; k < 3; k++) assert_true(p.keep[k] == k && q.keep[k] == k);
        assert_memory_equal(p.out_x->v, q.out_x->v,
                            (size_t)(3 * p.out_x->cols) * sizeof *p.out_x->v); /* so are readouts */
        bool moved = false;
        b.training = true;
        for (b.draw = 1; b.draw < 10; b.draw++) moved |= bench_run(&b, &ring, x).keep[0] != 0;
        assert_true(moved);
        bench_free(&b);
    }
}

/* Twins: the same closed neighbourhood. Their sums have the same terms in the same order. */
static void twins_have_equal_scores_and_the_lower_one_wins(void **state)
{
    (void)state;
    static const char *const names[] = { "sag", "asap" };
    for (int i = 0; i < 2; i++) {
        bench b;
        bench_init(&b, mp_pool_find(names[i]), "score-dim=3", C, 4 + (uint64_t)i);
        static const int sizes[] = { 14 };
        int found = 0;
        for (int round = 0; round < 200; round++) {
            mp_graph g = mp_rig_graph(&b.rig, 1, sizes, 0.5, 0);
            int twin_of[14], *src = MP_NEW(b.rig.memory, int, 400), *dst = MP_NEW(b.rig.memory, int, 400), n = 0;
            for (int v = 0; v < 14; v++) twin_of[v] = v % 7; /* nodes 7..13 copy 0..6, and are joined to them */
            for (int v = 0; v < 14; v++)
                for (int u = 0; u < 14; u++) {
                    bool joined = twin_of[u] == twin_of[v] && u != v;
                    for (int e = g.row_ptr[twin_of[v]]; e < g.row_ptr[twin_of[v] + 1]; e++)
                        joined |= g.col[e] < 7 && g.col[e] == twin_of[u] && twin_of[u] != twin_of[v];
                    if (!joined) continue;
                    src[n] = u;
                    dst[n++] = v;
                }
            mp_graph h;
            mp_err e = mp_graph_from_edges(b.rig.memory, 1, g.node_ptr, n, src, dst, &h, NULL);
            assert_int_equal(e, MP_OK);
            mp_pooling p = bench_run(&b, &h, mp_rig_mat(&b.rig, 14, C));
            for (int v = 0; v < 7; v++) {
                assert_memory_equal(p.score->v + 3 * v, p.score->v + 3 * (v + 7), 3 * sizeof *p.score->v);
                int at = -1, twin_at = -1;
                for (int k = 0; k < p.keep_ptr[1]; k++) {
                    if (p.keep[k] == v) at = k;
                    if (p.keep[k] == v + 7) twin_at = k;
                }
                assert_true(twin_at < 0 || (at >= 0 && at < twin_at));
                found += twin_at >= 0;
            }
        }
        assert_true(found > 100);
        bench_free(&b);
    }
}

/* math.md 8, value 7. */
static void the_key_of_the_specification(void **state)
{
    (void)state;
    static mp_real scores[] = { 1, -3, 2, 1, -2, -2 };
    static const int sizes[] = { 3 };
    for (int flip = 0; flip < 2; flip++) {
        bench b;
        bench_init(&b, mp_pool_find("topk"), flip ? "score-dim=2 flip=true" : "score-dim=2", C, 1);
        mp_graph g = mp_rig_graph(&b.rig, 1, sizes, 0.5, 0);
        mp_ctx c = { .arena = b.step, .k = mp_kernels_get() };
        mp_pooling p = { .g = &g, .score = mp_mat_of(&c, scores, 3, 2) };
        mp_mid_key(b.pool, &c, &p);
        b.pool->selector->run(b.pool, NULL, &c, &p);
        static const mp_real want[2][3] = { { -2, 3, -4 }, { 4, 3, 4 } };
        static const int keep[2][2] = { { 1, 0 }, { 0, 2 } };
        assert_memory_equal(p.key, want[flip], sizeof want[0]);
        assert_int_equal(p.keep_ptr[1], 2);
        assert_memory_equal(p.keep, keep[flip], sizeof keep[0]);
        bench_free(&b);
    }
}

/* ---- values of the specification */

static void gcn_of_the_path(void **state) /* math.md 8, value 1 */
{
    (void)state;
    static const int src[] = { 0, 1, 1, 2 }, dst[] = { 1, 0, 2, 1 }, node_ptr[] = { 0, 3 };
    static mp_real x[] = { 1, 2, 3 };
    mp_arena *a = mp_arena_new(0);
    mp_graph g;
    mp_err e = mp_graph_from_edges(a, 1, node_ptr, 4, src, dst, &g, NULL);
    assert_int_equal(e, MP_OK);
    mp_ctx c = { .arena = a, .k = mp_kernels_get() };
    mp_mat *y = mp_agg(&c, &g, MP_AGG_GCN, mp_mat_of(&c, x, 3, 1), NULL, false);
    static const double want[] = { 1.316497, 2.299660, 2.316497 };
    for (int i = 0; i < 3; i++) assert_true(fabs((double)y->v[i] - want[i]) < 1e-6);
    mp_arena_free(a);
}

static long parameters(const char *options)
{
    mp_arena *a = mp_arena_new(0);
    mp_config conf;
    mp_model *m;
    mp_config_init(&conf);
    bench_set(&conf, options);
    mp_err e = mp_model_new(a, &conf, (mp_inputs){ .features = 7, .outputs = 2 }, &m);
    assert_int_equal(e, MP_OK);
    long n = 0;
    for (int i = 0; i < mp_model_params(m)->count; i++)
        n += (long)mp_model_params(m)->list[i].rows * mp_model_params(m)->list[i].cols;
    mp_arena_free(a);
    return n;
}

static void networks_have_the_published_number_of_weights(void **state) /* math.md 8, value 3 */
{
    (void)state;
    assert_int_equal(parameters("pool=sag hidden=128"), 75717);
    assert_int_equal(parameters("pool=sag hidden=128 score-dim=5 flip=true"), 339409);
    assert_int_equal(parameters("pool=sag hidden=128 score-dim=9 flip=true"), 603101);
}

static void sparsemax_of_the_specification(void **state) /* math.md 8, value 2 */
{
    (void)state;
    static mp_real z[] = { 1, 0.5f, -0.2f, 0.3f, 0.2f, 0.1f };
    static const int ptr[] = { 0, 3, 6 };
    static const double want[] = { 0.75, 0.25, 0, 0.433333, 0.333333, 0.233333 };
    mp_arena *a = mp_arena_new(0);
    mp_ctx c = { .arena = a, .k = mp_kernels_get() };
    mp_mat *p = mp_sparsemax(&c, mp_mat_of(&c, z, 6, 1), ptr, 2);
    for (int i = 0; i < 6; i++) assert_true(fabs((double)p->v[i] - want[i]) < 1e-6);
    mp_arena_free(a);
}

static void spaced_ranks_of_the_specification(void **state) /* math.md 8, value 6 */
{
    (void)state;
    static const struct {
        int n, want[3];
        const char *ratio;
    } rows[] = { { 5, { 0, 2, 4 }, "ratio=0.5" }, { 10, { 0, 3, 6 }, "ratio=0.3" } };
    for (int i = 0; i < 2; i++) {
        bench b;
        bench_init(&b, mp_pool_find("ug"), rows[i].ratio, C, 1);
        mp_graph g = bench_cycle(&b, rows[i].n);
        mp_ctx c = { .arena = b.step, .k = mp_kernels_get() };
        mp_real falling[10];
        for (int v = 0; v < 10; v++) falling[v] = (mp_real)(10 - v);
        mp_pooling p = { .g = &g, .key = falling };
        b.pool->selector->run(b.pool, NULL, &c, &p);
        assert_int_equal(p.keep_ptr[1], 3);
        assert_memory_equal(p.keep, rows[i].want, sizeof rows[i].want);
        bench_free(&b);
    }
}

static void representatives_of_the_specification(void **state) /* math.md 8, value 8 */
{
    (void)state;
    static const int src[] = { 0, 1, 1, 2, 2, 3, 3, 4 }, dst[] = { 1, 0, 2, 1, 3, 2, 4, 3 }, node_ptr[] = { 0, 5 };
    static const mp_real key[] = { 0.5f, 0.6f, 0.9f, 0.6f, 0.5f };
    static const int far[] = { 2, 0, 4 }, best[] = { 2, 1, 3 };
    bench b;
    bench_init(&b, mp_pool_find("rep"), "ratio=0.6", C, 1);
    mp_graph g;
    mp_err e = mp_graph_from_edges(b.rig.memory, 1, node_ptr, 8, src, dst, &g, NULL);
    assert_int_equal(e, MP_OK);
    mp_ctx c = { .arena = b.step, .k = mp_kernels_get() };
    mp_pooling p = { .g = &g, .key = key };
    mp_select_far.run(b.pool, NULL, &c, &p);
    assert_memory_equal(p.keep, far, sizeof far);
    mp_select_ratio.run(b.pool, NULL, &c, &p);
    assert_memory_equal(p.keep, best, sizeof best);
    bench_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_key_of_the_specification),
        cmocka_unit_test(projections_are_trapped),
        cmocka_unit_test(what_refinement_cannot_tell_apart_pools_alike),
        cmocka_unit_test(twins_have_equal_scores_and_the_lower_one_wins),
        cmocka_unit_test(gcn_of_the_path),
        cmocka_unit_test(networks_have_the_published_number_of_weights),
        cmocka_unit_test(sparsemax_of_the_specification),
        cmocka_unit_test(spaced_ranks_of_the_specification),
        cmocka_unit_test(representatives_of_the_specification),
    };
    return cmocka_run_group_tests_name("values of the specification", tests, NULL, NULL);
}
