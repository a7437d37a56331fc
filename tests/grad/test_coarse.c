/* test_coarse.c - coarse adjacencies made pair by pair, as a device must that nobody looks at, have the edges and the bits of those
 * whose structure is looked at first.
 * SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/flush.h"
#include "grad/coarse.h"
#include "graph/induce.h"
#include "rig/rig.h"

enum { TRIES = 300, GRAPHS = 4 };

typedef struct result { /* of one way */
    mp_graph out;
    mp_real *dalpha, *dw;
} result;

static result coarse(mp_rig *r, const mp_graph *g, const mp_assign *t, mp_mat *alpha, const int *cluster_ptr,
                     mp_diagonal how, bool unseen)
{
    mp_ctx c = { .arena = r->memory, .k = mp_kernels_get(), .record = true, .unseen = unseen };
    result y = { .dalpha = NULL };
    alpha->live = false;
    if (g->w) g->w->live = false;
    mp_coarse_of(&c, g, t, alpha, cluster_ptr, how, &y.out);
    int edges = y.out.row_ptr[y.out.nodes];
    for (int e = 0; e < edges; e++) y.out.w->g[e] = (mp_real)(((e * 37) % 101) - 50) / 64;
    y.out.w->live = true;
    alpha->g = MP_NEW(r->memory, mp_real, alpha->rows);
    if (g->w) g->w->g = MP_NEW(r->memory, mp_real, g->edges);
    mp_tape_back(&c);
    y.dalpha = alpha->g;
    y.dw = g->w ? g->w->g : NULL;
    return y;
}

static void must_be_equal(const void *a, const void *b, size_t bytes)
{
    if (bytes) assert_memory_equal(a, b, bytes);
}

static void same(const result *a, const result *b, int strengths, int edges)
{
    int n = a->out.nodes, e = a->out.row_ptr[n];
    assert_int_equal(n, b->out.nodes);
    must_be_equal(a->out.node_ptr, b->out.node_ptr, (GRAPHS + 1) * sizeof(int));
    must_be_equal(a->out.row_ptr, b->out.row_ptr, ((size_t)n + 1) * sizeof(int));
    must_be_equal(a->out.col, b->out.col, (size_t)e * sizeof(int));
    must_be_equal(a->out.rev, b->out.rev, (size_t)e * sizeof(int));
    must_be_equal(a->out.w->v, b->out.w->v, (size_t)e * sizeof(mp_real));
    assert_true(b->out.edges >= e);
    must_be_equal(a->dalpha, b->dalpha, (size_t)strengths * sizeof(mp_real));
    if (a->dw) must_be_equal(a->dw, b->dw, (size_t)edges * sizeof(mp_real));
}

static void who_cannot_look_gets_the_same_coarse_graph(void **state)
{
    (void)state;
    int dense = 0, narrow = 0, all = 0;
    mp_rig r = mp_rig_new(5);
    unsigned before = mp_flush_on();
    for (int i = 0; i < TRIES; i++) {
        int sizes[GRAPHS], keep_ptr[GRAPHS + 1];
        for (int b = 0; b < GRAPHS; b++) sizes[b] = mp_rng_below(&r.rng, b == 0 ? 2 : 12 << b % 3);
        mp_graph g = mp_rig_graph(&r, GRAPHS, sizes, mp_rng_between(&r.rng, 0, 0.4), 0.2), looped;
        mp_site here = mp_site_in(r.memory);
        const int *from;
        mp_with_loops(&here, &g, &looped, &from);
        if (i % 2) looped.w = mp_rig_weights(&r, &looped);
        int *keep = MP_NEW(r.memory, int, g.nodes + 1);
        mp_rig_keep(&r, &looped, mp_rng_between(&r.rng, 0.1, 1), keep, keep_ptr);
        mp_assign t;
        mp_assign_rows(&here, &looped, keep, keep_ptr[GRAPHS], &t);
        mp_mat *alpha = mp_rig_mat(&r, looped.edges, 1);
        mp_coarsening look = { .g = &looped, .t = t, .cluster_ptr = keep_ptr };
        for (int b = 0; b < GRAPHS; b++) {
            bool is = mp_coarse_is_dense(&look, b);
            dense += is;
            narrow += is && keep_ptr[b + 1] - keep_ptr[b] <= MP_NARROW;
            all++;
        }
        mp_diagonal how = (mp_diagonal)(i % 3);
        result a = coarse(&r, &looped, &t, alpha, keep_ptr, how, false);
        result b = coarse(&r, &looped, &t, alpha, keep_ptr, how, true);
        same(&a, &b, alpha->rows, looped.edges);
        mp_arena_reset(r.memory);
    }
    mp_flush_off(before);
    assert_in_range(dense, all / 10, all * 9 / 10); /* both ways, and products of few columns and of many, were met */
    assert_in_range(narrow, dense / 10, dense * 9 / 10);
    mp_rig_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_cannot_look_gets_the_same_coarse_graph),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
