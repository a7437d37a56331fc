/* test_graph.c - graphs and what is made of them agree with dense matrices, on 200 random batches each.
 * SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "graph/induce.h"
#include "rig.h"

#define ROUNDS 200

static mp_graph some_batch(mp_rig *r, double loops)
{
    int graphs = 1 + mp_rng_below(&r->rng, 4), sizes[4];
    for (int b = 0; b < graphs; b++) sizes[b] = mp_rng_below(&r->rng, 12);
    return mp_rig_graph(r, graphs, sizes, mp_rng_unit(&r->rng), loops);
}

static void must_hold(const mp_graph *g)
{
    if (mp_graph_check(g) != MP_OK) fail_msg("%s", mp_message());
}

static void edges_in_any_order_give_the_same_graph(void **state)
{
    (void)state;
    mp_rig r = mp_rig_new(1);
    for (int i = 0; i < ROUNDS; i++) {
        mp_graph g = some_batch(&r, 0.3), h;
        int *order = MP_NEW(r.memory, int, g.edges), *src = MP_NEW(r.memory, int, g.edges);
        int *dst = MP_NEW(r.memory, int, g.edges), *slot = MP_NEW(r.memory, int, g.edges);
        must_hold(&g);
        for (int e = 0; e < g.edges; e++) order[e] = e;
        mp_rng_shuffle(&r.rng, order, g.edges);
        for (int v = 0; v < g.nodes; v++)
            for (int e = g.row_ptr[v]; e < g.row_ptr[v + 1]; e++) {
                src[order[e]] = g.col[e];
                dst[order[e]] = v;
            }
        assert_int_equal(mp_graph_from_edges(r.memory, g.graphs, g.node_ptr, g.edges, src, dst, &h, slot), MP_OK);
        must_hold(&h);
        assert_int_equal(h.edges, g.edges);
        for (int v = 0; v <= g.nodes; v++) assert_int_equal(g.row_ptr[v], h.row_ptr[v]);
        for (int e = 0; e < g.edges; e++) {
            assert_int_equal(g.col[e], h.col[e]);
            assert_int_equal(g.rev[e], h.rev[e]);
            assert_int_equal(slot[order[e]], e);
        }
        mp_arena_reset(r.memory);
    }
    mp_rig_free(&r);
}

static void bad_edges_are_refused_with_a_reason(void **state)
{
    (void)state;
    static const int node_ptr[] = { 0, 2, 2, 5 };
    static const struct {
        int n, src[4], dst[4];
        const char *says;
    } rows[] = {
        { 1, { 0 }, { 1 }, "reverse" },        { 2, { 0, 5 }, { 1, 0 }, "outside" },
        { 1, { -1 }, { 0 }, "outside" },       { 1, { 0 }, { 5 }, "outside" },
        { 1, { 0 }, { -7 }, "outside" },       { 2, { 1, 2 }, { 2, 1 }, "crosses" },
        { 2, { 0, 4 }, { 4, 0 }, "crosses" },  { 3, { 0, 1, 0 }, { 1, 0, 1 }, "repeated" },
        { 2, { 3, 3 }, { 3, 3 }, "repeated" }, { 4, { 2, 3, 3, 4 }, { 3, 2, 4, 2 }, "reverse" },
    };
    mp_arena *a = mp_arena_new(0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        mp_graph g;
        assert_int_equal(mp_graph_from_edges(a, 3, node_ptr, rows[i].n, rows[i].src, rows[i].dst, &g, NULL),
                         MP_ERR_INPUT);
        assert_non_null(strstr(mp_message(), rows[i].says));
    }
    mp_graph g;
    static const int loop[] = { 3 };
    assert_int_equal(mp_graph_from_edges(a, 3, node_ptr, 1, loop, loop, &g, NULL),
                     MP_OK); /* a loop is its own reverse */
    must_hold(&g);
    assert_int_equal(mp_graph_from_edges(a, 3, node_ptr, 0, NULL, NULL, &g, NULL), MP_OK);
    must_hold(&g);
    mp_arena_free(a);
}

static void every_broken_invariant_is_noticed(void **state)
{
    (void)state;
    mp_rig r = mp_rig_new(2);
    static const int sizes[] = { 6, 5 };
    mp_graph g = mp_rig_graph(&r, 2, sizes, 0.7, 0.2);
    must_hold(&g);
    for (int i = 0; i < 9; i++) {
        mp_graph bad = g;
        int *node_ptr = MP_NEW(r.memory, int, 3), *row_ptr = MP_NEW(r.memory, int, 12),
            *col = MP_NEW(r.memory, int, g.edges);
        int *rev = MP_NEW(r.memory, int, g.edges);
        memcpy(node_ptr, g.node_ptr, 3 * sizeof(int));
        memcpy(row_ptr, g.row_ptr, 12 * sizeof(int));
        memcpy(col, g.col, (size_t)g.edges * sizeof(int));
        memcpy(rev, g.rev, (size_t)g.edges * sizeof(int));
        bad.node_ptr = node_ptr;
        bad.row_ptr = row_ptr;
        bad.col = col;
        bad.rev = rev;
        mp_mat w = { .rows = g.edges - 1, .cols = 1 };
        switch (i) {
        case 0:
            node_ptr[0] = 1;
            break;
        case 1:
            node_ptr[2] = 10;
            break;
        case 2:
            row_ptr[11]--;
            break;
        case 3:
            col[0] = 9;
            break; /* another graph */
        case 4:
            col[0] = -1;
            break;
        case 5:
            col[1] = col[0];
            break;
        case 6:
            rev[0] = g.edges;
            break;
        case 7:
            rev[0] = rev[1];
            break;
        case 8:
            bad.w = &w;
            break;
        }
        assert_int_equal(mp_graph_check(&bad), MP_ERR_INPUT);
        assert_true(strlen(mp_message()) > 0);
    }
    mp_rig_free(&r);
}

/* The features of row v as dense numbers. */
static void dense_row(const mp_sparse *x, int v, mp_real *out)
{
    memset(out, 0, (size_t)x->cols * sizeof *out);
    if (!x->ptr) {
        memcpy(out, x->val + (size_t)v * (size_t)x->cols, (size_t)x->cols * sizeof *out);
        return;
    }
    for (int z = x->ptr[v]; z < x->ptr[v + 1]; z++) out[x->col[z]] = x->val ? x->val[z] : 1;
}

static mp_sparse some_features(mp_rig *r, int rows, int kind)
{
    int *ptr = MP_NEW(r->memory, int, rows + 1), *col = MP_NEW(r->memory, int, 5 * rows);
    mp_real *val = MP_NEW(r->memory, mp_real, 5 * rows);
    mp_rig_fill(r, val, (size_t)(5 * rows));
    for (int v = 0; v < rows; v++) {
        ptr[v + 1] = ptr[v];
        for (int c = 0; c < 5; c++)
            if (mp_rng_unit(&r->rng) < 0.4) col[ptr[v + 1]++] = c;
    }
    if (kind == 2) return (mp_sparse){ .rows = rows, .cols = 5, .val = val };
    return (mp_sparse){ .rows = rows, .cols = 5, .ptr = ptr, .col = col, .val = kind ? val : NULL };
}

static void gathered_graphs_are_those_of_the_collection(void **state)
{
    (void)state;
    mp_rig r = mp_rig_new(3);
    for (int i = 0; i < ROUNDS; i++) {
        mp_graph g = some_batch(&r, 0.2), out;
        mp_sparse x = some_features(&r, g.nodes, i % 3), out_x;
        int which[8], n = 1 + mp_rng_below(&r.rng, 8);
        for (int k = 0; k < n; k++) which[k] = i % 10 ? mp_rng_below(&r.rng, g.graphs) : k % g.graphs; /* repeats too */
        g.loopless = mp_graph_is_loopless(&g);
        mp_sparse edge_x = some_features(&r, g.edges, i % 3);
        g.edge_x = &edge_x;
        mp_graph_gather(r.memory, &g, &x, which, n, false, &out, &out_x);
        must_hold(&out);
        assert_true(out.loopless == g.loopless);
        assert_int_equal(out.graphs, n);
        assert_int_equal(out_x.rows, out.nodes);
        int *from = mp_rig_dense(&r, &g), *to = mp_rig_dense(&r, &out);
        for (int k = 0; k < n; k++) {
            int a = g.node_ptr[which[k]], b = out.node_ptr[k], size = g.node_ptr[which[k] + 1] - a;
            assert_int_equal(out.node_ptr[k + 1] - b, size);
            for (int v = 0; v < size; v++) {
                mp_real p[5], q[5];
                dense_row(&x, a + v, p);
                dense_row(&out_x, b + v, q);
                assert_memory_equal(p, q, sizeof p);
                for (int u = 0; u < size; u++) {
                    int old = from[(a + v) * g.nodes + a + u], now = to[(b + v) * out.nodes + b + u];
                    assert_true((old >= 0) == (now >= 0));
                    if (old < 0) continue;
                    dense_row(&edge_x, old, p);
                    dense_row(out.edge_x, now, q);
                    assert_memory_equal(p, q, sizeof p);
                }
            }
        }
        mp_arena_reset(r.memory);
    }
    mp_rig_free(&r);
}

static void picked_rows_are_those_of_the_matrix(void **state)
{
    (void)state;
    mp_rig r = mp_rig_new(8);
    for (int i = 0; i < ROUNDS; i++) {
        int rows = 1 + mp_rng_below(&r.rng, 9), n = mp_rng_below(&r.rng, 12), which[12];
        mp_sparse x = some_features(&r, rows, i % 3);
        for (int k = 0; k < n; k++) which[k] = mp_rng_below(&r.rng, rows + 1) - 1;
        mp_sparse y = mp_sparse_pick(r.memory, &x, which, n);
        assert_int_equal(y.rows, n);
        assert_int_equal(y.cols, 5);
        for (int k = 0; k < n; k++) {
            mp_real want[5] = { 0 }, got[5];
            if (which[k] >= 0) dense_row(&x, which[k], want);
            dense_row(&y, k, got);
            assert_memory_equal(want, got, sizeof got);
        }
        mp_arena_reset(r.memory);
    }
    mp_rig_free(&r);
}

static void induced_edges_are_those_between_kept_nodes(void **state)
{
    (void)state;
    mp_rig r = mp_rig_new(4);
    for (int i = 0; i < ROUNDS; i++) {
        mp_graph g = some_batch(&r, 0.2), out;
        int *keep = MP_NEW(r.memory, int, g.nodes), *keep_ptr = MP_NEW(r.memory, int, g.graphs + 1), n = 0;
        for (int b = 0; b < g.graphs; b++) {
            int first = n;
            for (int v = g.node_ptr[b]; v < g.node_ptr[b + 1]; v++)
                if (mp_rng_unit(&r.rng) < 0.6) keep[n++] = v;
            mp_rng_shuffle(&r.rng, keep + first, n - first);
            keep_ptr[b + 1] = n;
        }
        const int *edge_of;
        g.loopless = mp_graph_is_loopless(&g);
        mp_sparse edge_x = some_features(&r, g.edges, 1);
        int *earlier = MP_NEW(r.memory, int, g.edges); /* as if edges had been numbered otherwise before */
        for (int e = 0; e < g.edges; e++) earlier[e] = g.edges - 1 - e;
        if (i % 3) g.edge_x = &edge_x;
        if (i % 3 == 2) g.edge_from = earlier;
        mp_site site = mp_site_in(r.memory);
        mp_induce(&site, &g, keep, keep_ptr, &out, &edge_of);
        assert_ptr_equal(out.edge_x, g.edge_x);
        for (int e = 0; e < out.edges && i % 3; e++)
            assert_int_equal(out.edge_from[e], i % 3 == 2 ? earlier[edge_of[e]] : edge_of[e]);
        must_hold(&out);
        assert_true(out.loopless == g.loopless);
        assert_null(out.w);
        int *from = mp_rig_dense(&r, &g), *to = mp_rig_dense(&r, &out);
        for (int p = 0; p < n; p++) {
            for (int q = 0; q < n; q++) {
                int old = from[keep[p] * g.nodes + keep[q]], now = to[p * n + q];
                assert_true((old >= 0) == (now >= 0));
                if (now >= 0) assert_int_equal(edge_of[now], old);
            }
        }
        mp_arena_reset(r.memory);
    }
    mp_rig_free(&r);
}

static void loops_are_added_where_there_are_none(void **state)
{
    (void)state;
    mp_rig r = mp_rig_new(5);
    for (int i = 0; i < ROUNDS; i++) {
        mp_graph g = some_batch(&r, 0.3), out;
        const int *edge_of;
        mp_site here = mp_site_in(r.memory);
        mp_with_loops(&here, &g, &out, &edge_of);
        must_hold(&out);
        int *from = mp_rig_dense(&r, &g), *to = mp_rig_dense(&r, &out);
        for (int p = 0; p < g.nodes; p++) {
            for (int q = 0; q < g.nodes; q++) {
                int old = from[p * g.nodes + q], now = to[p * g.nodes + q];
                assert_true((old >= 0 || p == q) == (now >= 0));
                if (now >= 0) assert_int_equal(edge_of[now], old);
            }
        }
        mp_arena_reset(r.memory);
    }
    mp_rig_free(&r);
}

static void two_hops_are_the_square_of_the_matrix(void **state)
{
    (void)state;
    mp_rig r = mp_rig_new(6);
    for (int i = 0; i < ROUNDS; i++) {
        mp_graph g = some_batch(&r, 0.2), out;
        mp_two_hop(r.memory, &g, &out);
        must_hold(&out);
        int *one = mp_rig_dense(&r, &g), *two = mp_rig_dense(&r, &out), n = g.nodes;
        for (int p = 0; p < n; p++) {
            for (int q = 0; q < n; q++) {
                bool joined = one[p * n + q] >= 0;
                for (int k = 0; k < n; k++) joined |= one[p * n + k] >= 0 && one[k * n + q] >= 0;
                assert_true((two[p * n + q] >= 0) == (joined && p != q));
            }
        }
        mp_arena_reset(r.memory);
    }
    mp_rig_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(edges_in_any_order_give_the_same_graph),
        cmocka_unit_test(bad_edges_are_refused_with_a_reason),
        cmocka_unit_test(every_broken_invariant_is_noticed),
        cmocka_unit_test(picked_rows_are_those_of_the_matrix),
        cmocka_unit_test(gathered_graphs_are_those_of_the_collection),
        cmocka_unit_test(induced_edges_are_those_between_kept_nodes),
        cmocka_unit_test(loops_are_added_where_there_are_none),
        cmocka_unit_test(two_hops_are_the_square_of_the_matrix),
    };
    return cmocka_run_group_tests_name("graphs", tests, NULL, NULL);
}
