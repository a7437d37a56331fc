/* test_edges.c - what becomes of edges in a pooling is what its coarsener says: taken along with weights and attributes, or
 * made anew without.
 * SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "property.h"

#define CHANNELS 4
#define COLUMNS  3

/* Edge e of `out` was an edge of `first` between the nodes that its ends were there; node[i] is node i of `out` there. */
static void comes_from(const char *what, const mp_graph *first, const mp_graph *out, const int *node)
{
    assert_ptr_equal(out->edge_x, first->edge_x);
    assert_non_null(out->edge_from);
    for (int v = 0; v < out->nodes; v++) {
        for (int e = out->row_ptr[v]; e < out->row_ptr[v + 1]; e++) {
            int old = mp_graph_edge(first, node[out->col[e]], node[v]);
            if (old < 0 || out->edge_from[e] != old)
                fail_msg("%s: edge %d says it was %d, it was %d", what, e, out->edge_from[e], old);
            if (first->w && out->w->v[e] != first->w->v[old]) fail_msg("%s: edge %d has another weight", what, e);
        }
    }
}

static void says_what_becomes(const mp_pool_op *op, const char *options, bool weighted, int *count)
{
    bench b;
    char what[256];
    snprintf(what, sizeof what, "%s %s", op->name, options);
    bench_init(&b, op, options, CHANNELS, 3);
    mp_graph g = bench_mixed(&b, weighted);
    g.edge_x = mp_rig_attributes(&b.rig, &g, COLUMNS, MP_RIG_SPARSE);
    mp_pooling p = bench_run(&b, &g, mp_rig_mat(&b.rig, g.nodes, CHANNELS));
    mp_edges says = mp_pool_edges(b.pool);
    count[says]++;
    if (says == MP_EDGES_TAKEN) {
        comes_from(what, &g, p.out_g, p.keep);
        /* A second level still names edges of the first graph. */
        mp_pooling second = bench_run(&b, p.out_g, mp_rig_mat(&b.rig, p.out_g->nodes, CHANNELS));
        int *node = MP_NEW(b.rig.memory, int, second.out_g->nodes);
        for (int i = 0; i < second.out_g->nodes; i++) node[i] = p.keep[second.keep[i]];
        comes_from(what, &g, second.out_g, node);
    } else {
        if (p.out_g->edge_x || p.out_g->edge_from) fail_msg("%s: new edges have attributes", what);
        assert_true(says != MP_EDGES_NONE);
    }
    /* Convolutions with attributes go on after the first, and only there. */
    const mp_conv_kind *next = mp_pool_next_conv(b.pool, &mp_conv_gine);
    assert_true(next->edge_x == (says == MP_EDGES_TAKEN));
    if (says != MP_EDGES_TAKEN)
        assert_ptr_equal(next, strcmp(op->name, "hgpsl") == 0 ? &mp_conv_gcn_noloop : &mp_conv_gcn);
    mp_pool_ends(b.pool);
    if (b.pool->coarsener->kept_rows) {
        assert_int_equal(mp_pool_edges(b.pool), MP_EDGES_NONE);
        assert_int_equal(bench_run(&b, &g, mp_rig_mat(&b.rig, g.nodes, CHANNELS)).out_g->edges, 0);
    }
    bench_free(&b);
}

static void every_coarsener_says_what_becomes_of_edges(void **state)
{
    (void)state;
    int count[4] = { 0 };
    for (const mp_pool_op *op = mp_pool_ops(); op->name; op++) {
        for (int weighted = 0; weighted < 2; weighted++) {
            says_what_becomes(op, "ratio=0.7", weighted, count);
            says_what_becomes(op, "ratio=0.7 variant=authors", weighted, count);
            says_what_becomes(op, "ratio=0.7 adj-power=2", weighted, count);
            says_what_becomes(op, "ratio=0.7 vip-adj=induced", weighted, count);
        }
    }
    assert_true(count[MP_EDGES_TAKEN] && count[MP_EDGES_NEW] && count[MP_EDGES_SUMMED]);
}

/* The table of math.md 6.3. */
static void operators_take_edges_along_or_not_as_documented(void **state)
{
    (void)state;
    static const char *const taken[] = { "topk", "sag", "gsa", "cgi", "tap" };
    for (const mp_pool_op *op = mp_pool_ops(); op->name; op++) {
        bool want = false;
        for (size_t i = 0; i < sizeof taken / sizeof *taken; i++) want |= strcmp(op->name, taken[i]) == 0;
        bench b;
        bench_init(&b, op, "", CHANNELS, 3);
        if ((mp_pool_edges(b.pool) == MP_EDGES_TAKEN) != want) fail_msg("%s", op->name);
        bench_free(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_coarsener_says_what_becomes_of_edges),
        cmocka_unit_test(operators_take_edges_along_or_not_as_documented),
    };
    return cmocka_run_group_tests_name("what becomes of edges", tests, NULL, NULL);
}
