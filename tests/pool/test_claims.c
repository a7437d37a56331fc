/* test_claims.c - what can be proved about scores: those of TopKPool are trapped by features, and graphs that colour refinement
 * cannot tell apart get equal scores, so that the choice of nodes is a tie until dropscore breaks it.
 * SPDX-License-Identifier: MIT */
#include "property.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

enum { C = 5, N = 40, DRAWS = 40 };

/* |s_u - s_v| <= |x_u - x_v|: a unit direction lengthens nothing. Along the direction itself the two are equal. */
static void scores_of_topk_differ_by_no_more_than_features(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        bench b;
        bench_init(&b, mp_pool_find("topk"), "score-dim=3", C, seed);
        mp_graph g = mp_rig_graph(&b.rig, 1, (int[]){ N }, 0.1, 0);
        mp_mat *x = mp_rig_mat(&b.rig, N, C);
        const mp_real *P = b.params.theta;
        for (int c = 0; c < C; c++) x->v[C + c] = x->v[c] + 3 * P[c * 3]; /* node 1: node 0 moved along column 0 */
        mp_pooling p = bench_run(&b, &g, x);
        double tightest = 0;
        for (int u = 0; u < N; u++)
            for (int v = 0; v < u; v++) {
                double square = 0;
                for (int c = 0; c < C; c++) {
                    double d = (double)x->v[u * C + c] - (double)x->v[v * C + c];
                    square += d * d;
                }
                for (int d = 0; d < 3; d++) {
                    double far = fabs((double)p.score->v[u * 3 + d] - (double)p.score->v[v * 3 + d]) / sqrt(square);
                    assert_true(far <= 1 + 1e-5);
                    tightest = fmax(tightest, far);
                }
            }
        assert_true(tightest > 1 - 1e-5);
        bench_free(&b);
    }
}

/* Six nodes in two triangles. */
static mp_graph triangles(bench *b)
{
    static const int src[] = { 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5 }, dst[] = { 1, 2, 0, 2, 0, 1, 4, 5, 3, 5, 3, 4 };
    int *node_ptr = MP_NEW(b->rig.memory, int, 2);
    mp_graph g;
    node_ptr[1] = 6;
    assert_int_equal(mp_graph_from_edges(b->rig.memory, 1, node_ptr, 12, src, dst, &g, NULL), MP_OK);
    return g;
}

static bool same_rows(const mp_mat *a, const mp_mat *b)
{
    for (int r = 0; r < a->rows; r++)
        for (int s = 0; s < b->rows; s++)
            if (memcmp(a->v + r * a->cols, b->v + s * b->cols, (size_t)a->cols * sizeof *a->v) != 0) return false;
    return true;
}

static void same_readout(bench *b, const mp_pooling *p, const mp_pooling *q)
{
    mp_ctx c = { .arena = b->step, .k = mp_kernels_get() };
    const mp_mat *r = mp_readout(&c, p->out_x, p->out_g->node_ptr, 1, MP_READ_MAXMEAN);
    const mp_mat *s = mp_readout(&c, q->out_x, q->out_g->node_ptr, 1, MP_READ_MAXMEAN);
    assert_memory_equal(r->v, s->v, (size_t)r->cols * sizeof *r->v);
}

/* Every node of both has two neighbours and the same features. */
static void a_ring_of_six_and_two_triangles_have_equal_scores_and_readouts(void **state)
{
    (void)state;
    static const char *const names[] = { "topk", "sag", "gsa", "asap" };
    static const char *const options[] = { "", "score-dim=3 flip=true" };
    for (int i = 0; i < 8; i++) {
        bench b;
        bench_init(&b, mp_pool_find(names[i / 2]), options[i % 2], C, (uint64_t)i + 1);
        mp_graph ring = bench_cycle(&b, 6), two = triangles(&b);
        mp_mat *x = bench_constant(&b, 6, C);
        mp_pooling p = bench_run(&b, &ring, x), q = bench_run(&b, &two, x);
        assert_true(same_rows(p.score, q.score));
        for (int k = 0; k < 3; k++) assert_true(p.keep[k] == k && q.keep[k] == k); /* ties: the lower numbers */
        assert_int_equal(p.keep_ptr[1], 3);
        assert_int_equal(q.keep_ptr[1], 3);
        assert_true(same_rows(p.out_x, q.out_x));
        same_readout(&b, &p, &q);
        bench_free(&b);
    }
}

/* In evaluation it is off: the tie stands. */
static void dropscore_keeps_other_nodes_from_draw_to_draw(void **state)
{
    (void)state;
    bench b;
    unsigned sets[DRAWS], all = 0;
    int different = 0;
    bench_init(&b, mp_pool_find("sag"), "drop=0.4", C, 1);
    mp_graph two = triangles(&b);
    mp_mat *x = bench_constant(&b, 6, C);
    b.training = true;
    for (b.draw = 0; b.draw < DRAWS; b.draw++) {
        mp_pooling p = bench_run(&b, &two, x);
        unsigned set = 0;
        bool seen = false;
        for (int k = 0; k < 3; k++) set |= 1u << p.keep[k];
        for (uint64_t i = 0; i < b.draw; i++) seen |= sets[i] == set;
        sets[b.draw] = set;
        different += !seen;
        all |= set;
    }
    assert_int_equal(all, 63); /* every node is kept at times */
    assert_true(different > 5);
    b.training = false;
    for (b.draw = 0; b.draw < DRAWS; b.draw++) {
        mp_pooling p = bench_run(&b, &two, x);
        assert_true(p.keep[0] == 0 && p.keep[1] == 1 && p.keep[2] == 2);
    }
    bench_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scores_of_topk_differ_by_no_more_than_features),
        cmocka_unit_test(a_ring_of_six_and_two_triangles_have_equal_scores_and_readouts),
        cmocka_unit_test(dropscore_keeps_other_nodes_from_draw_to_draw),
    };
    return cmocka_run_group_tests_name("claims about scores", tests, NULL, NULL);
}
