/* test_op_edges.c - what ops promise where no gradient check looks: random streams that go on, columns of zeros, counts of work.
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "grad/ops.h"
#include "graph/twins.h"
#include "rig.h"

static mp_ctx context(mp_rig *r)
{
    return (mp_ctx){ .arena = r->memory,
                     .k = mp_kernels_get(),
                     .rng = mp_rng_stream(3, MP_FOR_STEP, 0, 0, 0),
                     .training = true,
                     .record = true };
}

/* One random number serves two elements. The next draw begins behind the last number that was used. */
static void dropout_uses_no_random_number_twice(void **state)
{
    (void)state;
    mp_rig r = mp_rig_new(1);
    for (int n = 1; n <= 9; n++) {
        mp_ctx c = context(&r);
        uint64_t before = c.rng.count;
        mp_dropout(&c, mp_rig_mat(&r, n, 1), 0.5);
        assert_int_equal(c.rng.count - before, (n + 1) / 2);
    }
    mp_rig_free(&r);
}

static void a_column_of_zeros_stays_zero_and_gets_no_gradient(void **state)
{
    (void)state;
    mp_rig r = mp_rig_new(2);
    mp_ctx c = context(&r);
    mp_mat *p = mp_rig_mat(&r, 4, 2);
    for (int i = 0; i < 4; i++) p->v[2 * i + 1] = 0;
    mp_mat *q = mp_unit_cols(&c, p);
    mp_real *dq = mp_grad_zeroed(&c, q);
    for (int i = 0; i < 8; i++) dq[i] = (mp_real)(i + 1);
    mp_tape_back(&c);
    double norm = 0;
    for (int i = 0; i < 4; i++) {
        norm += pow((double)q->v[2 * i], 2);
        assert_true(q->v[2 * i + 1] == 0 && p->g[2 * i + 1] == 0);
        assert_true(isfinite((double)p->g[2 * i]) && p->g[2 * i] != 0);
    }
    assert_true(fabs(norm - 1) < 1e-6);
    mp_rig_free(&r);
}

/* The limits that bench epoch prints rest on these counts: rows of neighbours and of nodes, read or written. */
static void sums_over_neighbours_count_the_bytes_they_move(void **state)
{
    (void)state;
    mp_rig r = mp_rig_new(3);
    mp_graph g = mp_rig_graph(&r, 2, (int[]){ 9, 6 }, 0.4, 0);
    mp_mat *x = mp_rig_mat(&r, g.nodes, 5), *q = mp_rig_mat(&r, g.edges, 5);
    double row = 5.0 * (double)sizeof(mp_real), N = g.nodes, E = g.edges;
    assert_true(g.edges != g.nodes);
    mp_ctx c = context(&r);
    mp_mat *y = mp_agg(&c, &g, MP_AGG_SUM, x, NULL, false);
    assert_true(c.moved == (E + N) * row);
    mp_grad_zeroed(&c, y);
    mp_tape_back(&c);
    assert_true(c.moved == 2 * (E + N) * row);
    c = context(&r);
    y = mp_agg(&c, &g, MP_AGG_GCN, x, NULL, false); /* a node is its own neighbour too */
    assert_true(c.moved == (E + 2 * N) * row);
    c = context(&r);
    y = mp_edge_message(&c, &g, (mp_shared){ .rows = x }, (mp_shared){ .rows = q }, NULL, NULL, false);
    assert_true(c.moved == (2 * E + N) * row);
    mp_grad_zeroed(&c, y);
    mp_tape_back(&c);
    assert_true(c.moved == 3 * (2 * E + N) * row);
    mp_graph clique = mp_rig_graph(&r, 1, (int[]){ 15 }, 1, 0); /* one class: a link, and twice its members */
    clique.norm = MP_NEW(r.memory, mp_norm, 1);
    clique.norm->twins = mp_twins_find(r.memory, r.memory, &clique);
    c = context(&r);
    mp_agg(&c, &clique, MP_AGG_GCN, x, NULL, false);
    assert_true(c.moved == (1 + 2 + 2 * 15) * row);
    mp_rig_free(&r);
}

static void dense_products_count_two_operations_a_term(void **state)
{
    (void)state;
    mp_rig r = mp_rig_new(4);
    mp_ctx c = context(&r);
    mp_mat *y = mp_linear(&c, mp_rig_mat(&r, 7, 5), mp_rig_mat(&r, 5, 3), NULL, false);
    assert_true(c.flops == 2 * 7 * 5 * 3);
    mp_grad_zeroed(&c, y);
    mp_tape_back(&c);
    assert_true(c.flops == 3 * 2 * 7 * 5 * 3); /* for both factors */
    c = context(&r);
    y = mp_conv1d(&c, mp_rig_mat(&r, 4, 2 * 11), 2, mp_rig_mat(&r, 2 * 3, 5), mp_rig_mat(&r, 1, 5), 2, false);
    assert_int_equal(y->cols, 5 * 5); /* places 0, 2 .. 8 */
    assert_true(c.flops == 2 * 4 * 5 * 5 * 6);
    mp_grad_zeroed(&c, y);
    mp_tape_back(&c);
    assert_true(c.flops == 3 * 2 * 4 * 5 * 5 * 6);
    mp_rig_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dropout_uses_no_random_number_twice),
        cmocka_unit_test(a_column_of_zeros_stays_zero_and_gets_no_gradient),
        cmocka_unit_test(sums_over_neighbours_count_the_bytes_they_move),
        cmocka_unit_test(dense_products_count_two_operations_a_term),
    };
    return cmocka_run_group_tests_name("ops at their edges", tests, NULL, NULL);
}
