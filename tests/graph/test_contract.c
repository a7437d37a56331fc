/* test_contract.c - sorting, contracted edges and the graph of clusters agree with the plain way of doing it.
 * SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "graph/contract.h"
#include "graph/order.h"
#include "rig.h"

static void items_fall_and_equal_ones_keep_their_order(void **state)
{
    (void)state;
    mp_rig r = mp_rig_new(1);
    for (int n = 0; n < 200; n++) {
        mp_item *item = MP_NEW(r.memory, mp_item, n), *spare = MP_NEW(r.memory, mp_item, n);
        bool *seen = MP_NEW(r.memory, bool, n + 1);
        for (int i = 0; i < n; i++) item[i] = (mp_item){ (mp_real)(mp_rng_below(&r.rng, n / 3 + 1) - n / 6), i };
        mp_order_falling(item, n, spare);
        for (int i = 0; i < n; i++) {
            assert_false(seen[item[i].id]);
            seen[item[i].id] = true;
            if (i)
                assert_true(item[i - 1].key > item[i].key ||
                            (item[i - 1].key == item[i].key && item[i - 1].id < item[i].id));
        }
    }
    mp_rig_free(&r);
}

typedef struct listed { /* a directed edge as the reference lists it: by source, then target */
    int src, dst, place;
    mp_real score;
} listed;

static int best_first(const void *a, const void *b)
{
    const listed *x = a, *y = b;
    if (x->score != y->score) return x->score > y->score ? -1 : 1;
    return x->src != y->src ? x->src - y->src : x->dst - y->dst;
}

/* All directed edges of the batch sorted at once, taken one by one. Cluster numbers as in contract.h. */
static void plain_way(mp_rig *r, const mp_graph *g, const mp_real *score, int *cluster, int *edge)
{
    listed *list = MP_NEW(r->memory, listed, g->edges + 1);
    int *order = MP_NEW(r->memory, int, g->nodes), taken = 0, next = 0;
    for (int v = 0; v < g->nodes; v++) {
        edge[v] = cluster[v] = -1;
        for (int e = g->row_ptr[v]; e < g->row_ptr[v + 1]; e++) list[e] = (listed){ g->col[e], v, e, score[e] };
    }
    qsort(list, (size_t)g->edges, sizeof *list, best_first);
    for (int i = 0; i < g->edges; i++) {
        if (edge[list[i].src] >= 0 || edge[list[i].dst] >= 0) continue;
        edge[list[i].src] = edge[list[i].dst] = list[i].place;
        order[taken++] = i;
    }
    for (int b = 0; b < g->graphs; b++) {
        for (int k = 0; k < taken; k++) {
            int u = list[order[k]].src, v = list[order[k]].dst;
            if (u < g->node_ptr[b] || u >= g->node_ptr[b + 1]) continue;
            cluster[u] = cluster[v] = next++;
        }
        for (int v = g->node_ptr[b]; v < g->node_ptr[b + 1]; v++)
            if (cluster[v] < 0) cluster[v] = next++;
    }
}

static void check_graph(mp_rig *r, const mp_graph *g, const int *cluster, const int *graph_ptr, bool loops)
{
    mp_graph out;
    mp_cluster_graph(r->memory, g, cluster, graph_ptr, loops, &out);
    assert_int_equal(mp_graph_check(&out), MP_OK);
    int K = out.nodes, edges = 0;
    bool *joined = MP_NEW(r->memory, bool, K *K + 1);
    for (int v = 0; v < g->nodes; v++)
        for (int e = g->row_ptr[v]; e < g->row_ptr[v + 1]; e++)
            if (loops || cluster[v] != cluster[g->col[e]]) joined[cluster[v] * K + cluster[g->col[e]]] = true;
    for (int i = 0; i < K * K; i++) edges += joined[i];
    assert_int_equal(out.edges, edges);
    for (int p = 0; p < K; p++)
        for (int e = out.row_ptr[p]; e < out.row_ptr[p + 1]; e++) assert_true(joined[p * K + out.col[e]]);
}

static void contraction_is_the_plain_one(void **state)
{
    (void)state;
    mp_rig r = mp_rig_new(2);
    for (int round = 0; round < 200; round++) {
        int sizes[] = { 1 + round % 7, 12, 1, 25 };
        mp_graph g = mp_rig_graph(&r, 4, sizes, 0.02 * (round % 20), round % 3 ? 0.2 : 0);
        mp_real *score = MP_NEW(r.memory, mp_real, g.edges + 1);
        for (int e = 0; e < g.edges; e++) /* few different scores: many ties */
            score[e] = (mp_real)mp_rng_below(&r.rng, round % 2 ? 4 : 1000);
        mp_contraction k;
        bool nan = false;
        mp_contract_edges(r.memory, &g, score, &k, &nan);
        assert_false(nan);
        int *cluster = MP_NEW(r.memory, int, g.nodes), *edge = MP_NEW(r.memory, int, g.nodes);
        plain_way(&r, &g, score, cluster, edge);
        assert_memory_equal(cluster, k.cluster, (size_t)g.nodes * sizeof(int));
        assert_memory_equal(edge, k.edge, (size_t)g.nodes * sizeof(int));
        check_graph(&r, &g, k.cluster, k.graph_ptr, true);
        check_graph(&r, &g, k.cluster, k.graph_ptr, false);
        mp_arena_reset(r.memory);
    }
    mp_rig_free(&r);
}

static void a_score_that_is_no_number_is_told(void **state)
{
    (void)state;
    mp_rig r = mp_rig_new(3);
    static const int sizes[] = { 9 };
    mp_graph g = mp_rig_graph(&r, 1, sizes, 0.5, 0);
    mp_real *score = MP_NEW(r.memory, mp_real, g.edges + 1);
    mp_contraction k;
    bool nan = false;
    score[3] = (mp_real)strtod("nan", NULL);
    mp_contract_edges(r.memory, &g, score, &k, &nan);
    assert_true(nan);
    mp_rig_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(items_fall_and_equal_ones_keep_their_order),
        cmocka_unit_test(contraction_is_the_plain_one),
        cmocka_unit_test(a_score_that_is_no_number_is_told),
    };
    return cmocka_run_group_tests_name("contraction", tests, NULL, NULL);
}
