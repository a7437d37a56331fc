/* test_rank.c - what keys and weights decide about structure agrees with the plain way: ranks, nodes that lie far apart,
 * pairs within two hops, edges that are not 0, graphs from lists.
 * SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "graph/far.h"
#include "graph/lists.h"
#include "graph/nonzero.h"
#include "graph/rank.h"
#include "rig.h"

#define SEEDS 40

static mp_graph some_graph(mp_rig *r)
{
    int sizes[3] = { 1 + mp_rng_below(&r->rng, 12), 0, 60 + mp_rng_below(&r->rng, 20) };
    return mp_rig_graph(r, 3, sizes, 0.02 + 0.1 * mp_rng_unit(&r->rng), 0.1);
}

/* Few values, so that ties are met. */
static mp_real *some_keys(mp_rig *r, int n)
{
    mp_real *key = MP_NEW(r->memory, mp_real, n);
    for (int i = 0; i < n; i++) key[i] = (mp_real)(mp_rng_below(&r->rng, 7) - 3);
    return key;
}

static int *some_dropped(mp_rig *r, int n)
{
    int *dropped = MP_NEW(r->memory, int, n);
    for (int i = 0; i < n; i++) dropped[i] = mp_rng_unit(&r->rng) < 0.3 ? n - i : 0;
    return dropped;
}

static bool before(const mp_real *key, const int *dropped, int a, int b)
{
    if (!dropped[a] != !dropped[b]) return !dropped[a];
    if (dropped[a]) return dropped[a] < dropped[b];
    return key[a] > key[b] || (key[a] == key[b] && a < b);
}

static void nodes_rank_by_falling_key_and_dropped_ones_come_last(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        mp_rig r = mp_rig_new(seed);
        mp_graph g = some_graph(&r);
        mp_real *key = some_keys(&r, g.nodes);
        int *dropped = some_dropped(&r, g.nodes), *keep = MP_NEW(r.memory, int, g.nodes);
        mp_site site = mp_site_in(r.memory);
        mp_rank_nodes(&site, key, dropped, g.node_ptr, g.graphs, g.node_ptr, keep);
        for (int b = 0; b < g.graphs; b++)
            for (int i = g.node_ptr[b] + 1; i < g.node_ptr[b + 1]; i++)
                assert_true(before(key, dropped, keep[i - 1], keep[i]));
        mp_rig_free(&r);
    }
}

static void above_a_threshold_one_node_always_counts(void **state)
{
    (void)state;
    static const mp_real key[] = { 3, 1, 2, 1, 1, 5 };
    static const int ptr[] = { 0, 3, 3, 5, 6 }, dropped[] = { 1, 0, 0, 0, 0, 1 };
    int counts[4];
    mp_rank_above(key, NULL, ptr, 4, (mp_real)1.5, counts);
    assert_int_equal(counts[0], 2);
    assert_int_equal(counts[1], 0);
    assert_int_equal(counts[2], 2); /* both are the largest */
    mp_rank_above(key, dropped, ptr, 4, 9, counts);
    assert_int_equal(counts[0], 1);
    assert_int_equal(counts[3], 1); /* all dropped: one all the same */
}

/* Hops between all pairs of a graph's nodes; as many as it has nodes where there is no path. */
static int *all_hops(mp_rig *r, const mp_graph *g)
{
    int n = g->nodes, *hops = MP_NEW(r->memory, int, (size_t)n *(size_t)n);
    for (int b = 0; b < g->graphs; b++) {
        int first = g->node_ptr[b], end = g->node_ptr[b + 1];
        for (int u = first; u < end; u++) {
            for (int v = first; v < end; v++) hops[u * n + v] = u == v ? 0 : end - first;
            for (int e = g->row_ptr[u]; e < g->row_ptr[u + 1]; e++)
                if (g->col[e] != u) hops[u * n + g->col[e]] = 1;
        }
        for (int m = first; m < end; m++)
            for (int u = first; u < end; u++)
                for (int v = first; v < end; v++)
                    if (hops[u * n + m] + hops[m * n + v] < hops[u * n + v])
                        hops[u * n + v] = hops[u * n + m] + hops[m * n + v];
    }
    return hops;
}

static void far_nodes_have_the_largest_key_times_distance_each_time(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        mp_rig r = mp_rig_new(seed);
        mp_graph g = some_graph(&r);
        int n = g.nodes, *hops = all_hops(&r, &g), *dropped = some_dropped(&r, n), *keep = MP_NEW(r.memory, int, n);
        mp_real *key = MP_NEW(r.memory, mp_real, n);
        for (int v = 0; v < n; v++) key[v] = (mp_real)mp_rng_unit(&r.rng);
        mp_far_nodes(r.memory, &(mp_far){ &g, &g, NULL, key, dropped }, g.node_ptr, keep);
        for (int b = 0; b < g.graphs; b++) {
            int live = 0, first = g.node_ptr[b];
            for (int v = first; v < g.node_ptr[b + 1]; v++) live += !dropped[v];
            for (int i = 0; i < live; i++) {
                int best = -1;
                double most = -1;
                for (int v = first; v < g.node_ptr[b + 1]; v++) {
                    int near = i ? n : 1;
                    bool taken = dropped[v] != 0;
                    for (int j = 0; j < i; j++) {
                        taken |= keep[first + j] == v;
                        if (hops[keep[first + j] * n + v] < near) near = hops[keep[first + j] * n + v];
                    }
                    if (taken || !((double)key[v] * near > most)) continue;
                    most = (double)key[v] * near;
                    best = v;
                }
                assert_int_equal(keep[first + i], best);
            }
        }
        mp_rig_free(&r);
    }
}

static void peaks_are_keys_times_the_distance_to_a_larger_one(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        mp_rig r = mp_rig_new(seed);
        mp_graph g = some_graph(&r);
        int n = g.nodes, *hops = all_hops(&r, &g);
        mp_real *key = some_keys(&r, n), *peak = MP_NEW(r.memory, mp_real, n);
        mp_far_peaks(r.memory, &(mp_far){ &g, &g, NULL, key, NULL }, peak);
        for (int b = 0; b < g.graphs; b++) {
            for (int v = g.node_ptr[b]; v < g.node_ptr[b + 1]; v++) {
                int near = g.node_ptr[b + 1] - g.node_ptr[b];
                for (int u = g.node_ptr[b]; u < g.node_ptr[b + 1]; u++)
                    if (key[u] > key[v] && hops[v * n + u] < near) near = hops[v * n + u];
                assert_true(peak[v] == key[v] * (mp_real)near);
            }
        }
        mp_rig_free(&r);
    }
}

static void lists_in_any_order_become_their_graph(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        mp_rig r = mp_rig_new(seed);
        mp_graph g = some_graph(&r);
        mp_lists l = mp_lists_new(r.memory, g.nodes, true);
        for (int p = 0; p < g.nodes; p++) { /* what leaves p, backwards */
            mp_lists_reserve(&l, g.row_ptr[p + 1] - g.row_ptr[p]);
            for (int e = g.row_ptr[p + 1] - 1; e >= g.row_ptr[p]; e--) {
                l.weight[l.count] = (mp_real)g.rev[e];
                l.to[l.count++] = g.col[e];
            }
            l.ptr[p + 1] = l.count;
        }
        int *col = MP_NEW(r.memory, int, l.count), *from = MP_NEW(r.memory, int, l.count);
        mp_lists_turn(&l, g.nodes, col, from);
        mp_graph made = mp_lists_graph(&l, g.graphs, g.node_ptr, col);
        assert_int_equal(mp_graph_check(&made), MP_OK);
        assert_int_equal(made.edges, g.edges);
        assert_memory_equal(made.col, g.col, (size_t)g.edges * sizeof(int));
        assert_memory_equal(made.rev, g.rev, (size_t)g.edges * sizeof(int));
        for (int e = 0; e < g.edges; e++) assert_true(l.weight[from[e]] == (mp_real)e);
        mp_rig_free(&r);
    }
}

/* Positive weights, and zeros: one way or both. */
static mp_mat *holed_weights(mp_rig *r, const mp_graph *g)
{
    mp_mat *w = mp_rig_weights(r, g);
    for (int e = 0; e < g->edges; e++)
        if (mp_rng_unit(&r->rng) < 0.4) w->v[e] = 0;
    return w;
}

static void edges_that_are_zero_both_ways_are_left_out(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        mp_rig r = mp_rig_new(seed);
        mp_graph g = some_graph(&r), out;
        const mp_real *w = holed_weights(&r, &g)->v;
        const int *from;
        int n = 0;
        mp_nonzero_edges(r.memory, &g, w, &out, &from);
        assert_int_equal(mp_graph_check(&out), MP_OK);
        for (int e = 0; e < g.edges; e++) {
            if (w[e] == 0 && w[g.rev[e]] == 0) continue;
            assert_int_equal(from[n], e);
            assert_int_equal(out.col[n], g.col[e]);
            n++;
        }
        assert_int_equal(out.edges, n);
        mp_rig_free(&r);
    }
}

static void pairs_are_the_positive_entries_of_a_matrix_and_its_square(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        mp_rig r = mp_rig_new(seed);
        mp_graph g = some_graph(&r);
        bool near_only = seed % 4 == 0;
        g.w = holed_weights(&r, &g);
        int n = g.nodes, *keep = MP_NEW(r.memory, int, n), keep_ptr[4] = { 0 };
        bool *has = MP_NEW(r.memory, bool, (size_t)n *(size_t)n);
        for (int v = 0; v < n; v++)
            for (int e = g.row_ptr[v]; e < g.row_ptr[v + 1]; e++) has[g.col[e] * n + v] = g.w->v[e] > 0;
        for (int b = 0; b < g.graphs; b++) {
            keep_ptr[b + 1] = keep_ptr[b];
            for (int v = g.node_ptr[b]; v < g.node_ptr[b + 1]; v += 3) keep[keep_ptr[b + 1]++] = v;
        }
        mp_assign t;
        const int *code;
        mp_nonzero_pairs(r.memory, &g, keep, keep_ptr, near_only, &t, &code);
        for (int b = 0, at = 0; b < g.graphs; b++) {
            for (int v = g.node_ptr[b]; v < g.node_ptr[b + 1]; v++) {
                int start = at;
                for (int q = keep_ptr[b]; q < keep_ptr[b + 1]; q++) {
                    int u = keep[q], how = has[v * n + u];
                    for (int m = 0; m < n && !near_only; m++)
                        if (has[v * n + m] && has[m * n + u]) how |= 2;
                    if (!how) continue;
                    assert_true(at < t.node_ptr[v + 1]);
                    assert_int_equal(t.owner[at], q);
                    assert_int_equal(code[at], how);
                    at++;
                }
                if (at == start) { /* none: all of the graph's */
                    assert_int_equal(t.node_ptr[v + 1] - start, keep_ptr[b + 1] - keep_ptr[b]);
                    for (; at < t.node_ptr[v + 1]; at++) {
                        assert_int_equal(t.owner[at], keep_ptr[b] + at - start);
                        assert_int_equal(code[at], 0);
                    }
                }
                assert_int_equal(at, t.node_ptr[v + 1]);
            }
        }
        mp_rig_free(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_rank_by_falling_key_and_dropped_ones_come_last),
        cmocka_unit_test(above_a_threshold_one_node_always_counts),
        cmocka_unit_test(far_nodes_have_the_largest_key_times_distance_each_time),
        cmocka_unit_test(peaks_are_keys_times_the_distance_to_a_larger_one),
        cmocka_unit_test(lists_in_any_order_become_their_graph),
        cmocka_unit_test(edges_that_are_zero_both_ways_are_left_out),
        cmocka_unit_test(pairs_are_the_positive_entries_of_a_matrix_and_its_square),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
