/* test_gain.c - lambda_SEL by hand, and against dense matrices on three levels.
 * SPDX-License-Identifier: MIT */
#include "hand.h"
#include "experiment/gain.h"
#include "world.h"

/* A path a - b - c with the features 0, 1, 3, of which c and b are kept:
 *     printed  ((3-1)^2 + (1-0 + 1-3)^2) / 2 edges,  edge  ((3-1)^2 + (1-0)^2 + (1-3)^2) / 2 */
static void a_path_by_hand(void **state)
{
    (void)state;
    hand h;
    mp_gain g;
    static const mp_real x[] = { 0, 1, 3 };
    hand_init(&h, 1, (int[]){ 3 }, 2, (const int[][2]){ { 0, 1 }, { 1, 2 } }, 1, 1, 0.5, x);
    assert_int_equal(mp_gain_find(&h.s, false, h.rig.memory, &g), MP_OK);
    assert_int_equal(g.levels, 1);
    assert_int_equal(g.graphs[0], 1);
    assert_true(hand_near(g.printed[0], 2.5) && hand_near(g.edge[0], 4.5));
    assert_int_equal(mp_gain_find(&h.s, true, h.rig.memory, &g), MP_OK);
    assert_true(hand_near(g.printed[0], 2.5 / 9) && hand_near(g.edge[0], 4.5 / 9));
    hand_free(&h);
}

/* The second channel is constant and the first goes from 0 to 4 over both graphs; the third graph has no edge. */
static void channels_are_scaled_over_all_graphs_and_graphs_without_edges_left_out(void **state)
{
    (void)state;
    hand h;
    mp_gain g;
    static const mp_real x[] = { 0, 5, 1, 5, /**/ 4, 5, 2, 5, /**/ 3, 5 };
    hand_init(&h, 3, (int[]){ 2, 2, 1 }, 2, (const int[][2]){ { 0, 1 }, { 2, 3 } }, 2, 1, 0.5, x);
    assert_int_equal(mp_gain_find(&h.s, true, h.rig.memory, &g), MP_OK);
    assert_int_equal(g.graphs[0], 2);
    double want = ((1.0 / 16) / 2 + (4.0 / 16) / 2) / 2; /* one node kept of each, two channels */
    assert_true(hand_near(g.printed[0], want) && hand_near(g.edge[0], want));
    hand_free(&h);
}

/* The same from one pass over all graphs at once and a dense matrix of edges a graph. */
static void dense(const world *w, const mp_pooling *p, bool scaled, double *printed, double *edge, int *graphs)
{
    int C = p->in->cols;
    *printed = *edge = *graphs = 0;
    for (int b = 0; b < p->g->graphs; b++) {
        int first = p->g->node_ptr[b], n = p->g->node_ptr[b + 1] - first, edges = 0;
        double *A = MP_NEW(w->rig.memory, double, n *n), a = 0, s = 0;
        for (int v = 0; v < n; v++)
            for (int e = p->g->row_ptr[first + v]; e < p->g->row_ptr[first + v + 1]; e++) {
                A[v * n + p->g->col[e] - first] = 1;
                edges++;
            }
        if (edges == 0) continue;
        ++*graphs;
        for (int c = 0; c < C; c++) {
            double lo = 1e300, hi = -1e300;
            for (int v = 0; v < p->g->nodes; v++) {
                lo = fmin(lo, (double)p->in->v[v * C + c]);
                hi = fmax(hi, (double)p->in->v[v * C + c]);
            }
            double by = !scaled ? 1 : hi > lo ? hi - lo : (double)INFINITY;
            for (int k = p->keep_ptr[b]; k < p->keep_ptr[b + 1]; k++) {
                int v = p->keep[k] - first;
                double sum = 0;
                for (int u = 0; u < n; u++) {
                    double d = (double)(p->in->v[(first + v) * C + c] - p->in->v[(first + u) * C + c]) / by;
                    sum += A[v * n + u] * d;
                    s += A[v * n + u] * d * d;
                }
                a += sum * sum;
            }
        }
        *printed += a / (edges / 2 * (double)C);
        *edge += s / (edges / 2 * (double)C);
    }
    *printed /= *graphs;
    *edge /= *graphs;
}

/* GSAPool puts other features in the place of those that enter it: the ones that entered count. */
static void every_level_agrees_with_dense_matrices_on_any_number_of_threads(void **state)
{
    (void)state;
    static const char *const options[] = { "pool=sag hidden=6 ratio=0.6", "pool=gsa hidden=6 score-dim=2 flip=true" };
    for (int i = 0; i < 4; i++) {
        world w;
        mp_gain one, three;
        world_init(&w, options[i / 2], 9, 14, 2);
        mp_ctx c = { .arena = w.rig.memory, .k = mp_kernels_get() };
        mp_params_bind(w.params, &c, NULL);
        mp_trail trail;
        mp_model_forward(w.model, &c, &w.all, &w.x, NULL, &trail, NULL);
        mp_subject s = { w.model, &w.all, &w.x, w.order, 9, 1 };
        assert_int_equal(mp_gain_find(&s, i % 2, w.rig.memory, &one), MP_OK);
        s.threads = 3;
        assert_int_equal(mp_gain_find(&s, i % 2, w.rig.memory, &three), MP_OK);
        assert_memory_equal(&one, &three, sizeof one);
        assert_int_equal(one.levels, 3);
        for (int l = 0; l < 3; l++) {
            double printed, edge;
            int graphs;
            dense(&w, trail.level[l], i % 2, &printed, &edge, &graphs);
            assert_int_equal(one.graphs[l], graphs);
            assert_true(graphs > 0 && printed > 0);
            assert_true(fabs(one.printed[l] - printed) <= 1e-5 * printed && fabs(one.edge[l] - edge) <= 1e-5 * edge);
        }
        world_free(&w);
    }
}

static void a_model_that_drops_no_nodes_is_refused(void **state)
{
    (void)state;
    world w;
    mp_gain g;
    world_init(&w, "pool=set2set hidden=4", 3, 6, 2);
    mp_subject s = { w.model, &w.all, &w.x, w.order, 3, 1 };
    assert_int_equal(mp_gain_find(&s, true, w.rig.memory, &g), MP_ERR_USAGE);
    assert_string_equal(mp_message(), "graph 0: set2set drops no nodes: there is nothing to look at");
    world_free(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_path_by_hand),
        cmocka_unit_test(channels_are_scaled_over_all_graphs_and_graphs_without_edges_left_out),
        cmocka_unit_test(every_level_agrees_with_dense_matrices_on_any_number_of_threads),
        cmocka_unit_test(a_model_that_drops_no_nodes_is_refused),
    };
    return cmocka_run_group_tests_name("information gain", tests, NULL, NULL);
}
