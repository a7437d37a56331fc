/* test_limits.c - counts that an input drives past what an int holds are refused, not wrapped. Structures are crafted where
 * a real one of that size would take gigabytes.
 * SPDX-License-Identifier: MIT */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/guard.h"
#include "grad/coarse.h"
#include "graph/haar.h"
#include "graph/induce.h"
#include "graph/join.h"
#include "nn/params.h"
#include "pool/pool.h"
#include "train/engine.h"
#include "option.h"

#define HALF ((MP_MOST_COUNT) / 2 + 1) /* two of these are too many */

static int set_up(void **state)
{
    *state = mp_arena_new(1 << 16);
    return 0;
}

static int tear_down(void **state)
{
    mp_arena_free(*state);
    return 0;
}

typedef struct call { /* anything with an arena */
    mp_arena *a;
    const void *in;
} call;

static void refused(mp_err (*work)(void *), mp_arena *a, const void *in, const char *words)
{
    assert_int_equal(mp_guarded(work, &(call){ a, in }), MP_ERR_LIMIT);
    if (!strstr(mp_message(), words)) fail_msg("message '%s' does not hold '%s'", mp_message(), words);
}

/* Node 0 joined to all others; with `before` a graph of one edge precedes it. */
static mp_graph star(mp_arena *a, int nodes, bool before)
{
    int graphs = 1 + before, first = before ? 2 : 0, edges = 2 * (nodes - 1) + first, e = 0;
    int *node_ptr = MP_NEW(a, int, graphs + 1), *src = MP_NEW(a, int, edges), *dst = MP_NEW(a, int, edges);
    if (before) {
        node_ptr[1] = 2;
        src[0] = dst[1] = 0;
        dst[0] = src[1] = 1;
        e = 2;
    }
    node_ptr[graphs] = first + nodes;
    for (int v = 1; v < nodes; v++, e += 2) {
        src[e] = dst[e + 1] = first;
        dst[e] = src[e + 1] = first + v;
    }
    mp_graph g;
    assert_int_equal(mp_graph_from_edges(a, graphs, node_ptr, edges, src, dst, &g, NULL), MP_OK);
    return g;
}

static mp_err two_hop(void *arg)
{
    const call *c = arg;
    mp_graph out;
    mp_two_hop(c->a, c->in, &out);
    return MP_OK;
}

static void a_star_of_two_hops_has_too_many_edges(void **state)
{
    mp_graph g = star(*state, 65537, false), small = star(*state, 50, true), out;
    refused(two_hop, *state, &g, "4294901760 or more edges between nodes up to two hops apart");
    mp_two_hop(*state, &small, &out);
    assert_int_equal(out.edges, 2 + 50 * 49); /* all pairs of the star */
}

static mp_err with_loops(void *arg)
{
    const call *c = arg;
    mp_graph out;
    const int *from;
    mp_site here = mp_site_in(c->a);
    mp_with_loops(&here, c->in, &out, &from);
    return MP_OK;
}

static void self_loops_beside_all_edges_are_counted(void **state)
{
    mp_graph g = { .graphs = 1, .nodes = HALF, .edges = HALF };
    refused(with_loops, *state, &g, "edges with self loops");
}

static mp_err join(void *arg)
{
    const call *c = arg;
    mp_graph out;
    mp_sparse x, none[2] = { { 0 } };
    mp_graph_join(c->a, c->in, none, 2, &out, &x);
    return MP_OK;
}

static void graphs_together_have_too_many_nodes_or_edges(void **state)
{
    mp_graph nodes[2] = { { .graphs = 1, .nodes = HALF }, { .graphs = 1, .nodes = HALF } };
    mp_graph edges[2] = { { .graphs = 1, .edges = HALF }, { .graphs = 1, .edges = HALF } };
    refused(join, *state, nodes, "2147483584 nodes");
    refused(join, *state, edges, "2147483584 edges");
}

static mp_err list_one_more(void *arg)
{
    mp_lists l = { .arena = ((call *)arg)->a, .count = MP_MOST_COUNT, .cap = MP_MOST_COUNT };
    mp_lists_reserve(&l, 1);
    return MP_OK;
}

static mp_err list_many(void *arg)
{
    mp_lists l = { .arena = ((call *)arg)->a, .count = HALF, .cap = HALF };
    mp_lists_reserve(&l, HALF);
    return MP_OK;
}

static void lists_of_edges_do_not_grow_past_the_limit(void **state)
{
    refused(list_one_more, *state, NULL, "edges of the pooled graph");
    refused(list_many, *state, NULL, "edges of the pooled graph");
}

/* An operator on a graph of 100,000 nodes without edges, of which it keeps half: 2,500,000,000 pairs. */
static mp_err pool_lonely_nodes(void *arg)
{
    const call *what = arg;
    mp_arena *a = what->a;
    int n = 100000, node_ptr[] = { 0, n };
    mp_graph g = mp_graph_of(a, 1, node_ptr, MP_NEW(a, int, n + 1), NULL, NULL);
    mp_config conf;
    mp_config_init(&conf);
    option_set(&conf, "vip-adj", "literal");
    mp_params params = { .arena = a };
    mp_pool *pool = mp_pool_new(a, mp_pool_find(what->in), &conf, &params, "pool", 1);
    mp_params_alloc(&params);
    mp_params_init(&params, 1, 0);
    mp_ctx c = { .arena = a, .k = mp_kernels_get() };
    mp_params_bind(&params, &c, NULL);
    mp_mat x = { .rows = n, .cols = 1, .v = MP_NEW(a, mp_real, n) };
    for (int v = 0; v < n; v++) x.v[v] = (mp_real)v / (mp_real)n;
    mp_pool_run(pool, &c, &(mp_pooling){ .g = &g, .x = &x });
    return MP_OK;
}

static void pairs_of_nodes_and_kept_nodes_are_counted(void **state)
{
    refused(pool_lonely_nodes, *state, "vip", "pairs of a node and a kept node");
    refused(pool_lonely_nodes, *state, "rep", "pairs of a node and a kept node");
}

static mp_err even_pieces(void *arg)
{
    mp_even_ptr(&(mp_ctx){ .arena = ((call *)arg)->a }, 65536, 65536);
    return MP_OK;
}

/* 65,536 empty graphs with 65,536 clusters each. */
static mp_err clusters_of_many(void *arg)
{
    mp_arena *a = ((call *)arg)->a;
    mp_ctx c = { .arena = a, .k = mp_kernels_get() };
    mp_mat s = { .cols = 65536 }, x = { .cols = 1 };
    mp_block_gram(&c, &s, &x, MP_NEW(a, int, 65537), 65536);
    return MP_OK;
}

static mp_err seeds_of_many(void *arg)
{
    mp_arena *a = ((call *)arg)->a;
    mp_ctx c = { .arena = a, .k = mp_kernels_get() };
    mp_mat q = { .rows = 65536, .cols = 1, .v = MP_NEW(a, mp_real, 65536) }, k = { .cols = 1 };
    mp_mha(&c, &q, NULL, &k, &k, MP_NEW(a, int, 65537), 65536, 1, false);
    return MP_OK;
}

static void rows_of_dense_batches_are_counted(void **state)
{
    refused(even_pieces, *state, NULL, "4294967296 entries");
    refused(clusters_of_many, *state, NULL, "4294967296 clusters of a batch");
    refused(seeds_of_many, *state, NULL, "4294967296 queries of a batch");
}

/* All vectors of one cluster of 70,000 nodes. */
static mp_err large_basis(void *arg)
{
    mp_arena *a = ((call *)arg)->a;
    int size[] = { 70000, 1 };
    const int *parent[] = { MP_NEW(a, int, 70000) };
    mp_haar out;
    mp_haar_basis(a, &(mp_chain){ 1, size, parent }, 0, 70000, &out);
    return MP_OK;
}

static void the_entries_of_a_haar_basis_are_counted(void **state)
{
    refused(large_basis, *state, NULL, "entries of a Haar basis");
}

static mp_err claim_many(void *arg)
{
    mp_params p = { .arena = ((call *)arg)->a };
    for (int i = 0; i < 100; i++) mp_param_plain(&p, "", "w", INT_MAX, INT_MAX, MP_INIT_ZERO, 0);
    return MP_OK;
}

static void more_weights_than_can_be_counted_are_refused(void **state)
{
    refused(claim_many, *state, NULL, "asks for more than 1099511627776 weights");
}

/* ---- as a status of the engine */

static void the_engine_names_the_graph_that_is_too_large(void **state)
{
    mp_arena *a = *state;
    mp_graph g = star(a, 65537, true);
    mp_sparse x = { .rows = g.nodes, .cols = 1, .val = MP_NEW(a, mp_real, g.nodes) };
    mp_config conf;
    mp_config_init(&conf);
    strcpy(conf.pool, "topk");
    conf.adj_power = 2;
    conf.hidden = 2;
    conf.layers = 2;
    mp_model *m;
    assert_int_equal(mp_model_new(a, &conf, (mp_inputs){ .features = 1, .outputs = 2 }, &m), MP_OK);
    mp_params *p = mp_model_params(m);
    mp_params_init(p, 1, 0);
    mp_real *before = MP_NEW(a, mp_real, p->size), out[4];
    memcpy(before, p->theta, p->size * sizeof *before);
    mp_engine *e = mp_engine_new(m, 2);
    static const int which[] = { 0, 1 };
    static const double label[] = { 0, 1 };
    mp_batch b = { .all = &g, .x = &x, .which = which, .n = 2, .labels = { .columns = 1, .v = label } }, small = b;
    small.n = 1;
    double loss, aux;
    static const char words[] = "graph 1 (65537 nodes, 65536 edges): 4294901760 or more edges";
    assert_int_equal(mp_engine_predict(e, &b, out), MP_ERR_LIMIT);
    assert_true(strncmp(mp_message(), words, strlen(words)) == 0);
    assert_int_equal(mp_engine_train(e, &b, (mp_draw){ 0 }, &loss, &aux), MP_ERR_LIMIT);
    assert_true(strncmp(mp_message(), words, strlen(words)) == 0);
    assert_memory_equal(p->theta, before, p->size * sizeof *before);
    assert_int_equal(mp_engine_predict(e, &small, out), MP_OK);
    assert_int_equal(mp_engine_train(e, &small, (mp_draw){ 0 }, &loss, &aux), MP_OK);
    mp_engine_free(e);
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_star_of_two_hops_has_too_many_edges),        CASE(self_loops_beside_all_edges_are_counted),
        CASE(graphs_together_have_too_many_nodes_or_edges), CASE(lists_of_edges_do_not_grow_past_the_limit),
        CASE(pairs_of_nodes_and_kept_nodes_are_counted),    CASE(rows_of_dense_batches_are_counted),
        CASE(the_entries_of_a_haar_basis_are_counted),      CASE(more_weights_than_can_be_counted_are_refused),
        CASE(the_engine_names_the_graph_that_is_too_large),
    };
    return cmocka_run_group_tests_name("limits", tests, NULL, NULL);
}
