/* test_twins.c - classes of twins say what A + I says, wherever they come from; and networks that get only them learn the
 * same bits as networks that get all edges.
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "grad/ops.h"
#include "graph/induce.h"
#include "graph/twins.h"
#include "world.h"

#define ROUNDS 200

/* Unions of cliques, now and then random graphs with self loops. */
static mp_graph some_cliques(mp_rig *r)
{
    int graphs = 1 + mp_rng_below(&r->rng, 6), sizes[6];
    for (int b = 0; b < graphs; b++) sizes[b] = mp_rng_below(&r->rng, 25);
    if (mp_rng_unit(&r->rng) < 0.2) return mp_rig_graph(r, graphs, sizes, 0.4, 0.1);
    return mp_rig_cliques(r, graphs, sizes, 1 + mp_rng_below(&r->rng, 5), mp_rng_between(&r->rng, 0.2, 1));
}

/* P Q P^T, and 1 in the rows of nodes that runs cover: bytes of nodes x nodes; each node must be in just one place. */
static char *spread(mp_rig *r, const mp_twins *t, int nodes, bool *plain)
{
    char *at = MP_NEW(r->memory, char, nodes *nodes);
    int *seen = MP_NEW(r->memory, int, nodes);
    for (int k = 0; k < t->classes; k++) {
        for (int i = t->member_ptr[k]; i < t->member_ptr[k + 1]; i++) {
            seen[t->member[i]]++;
            assert_true(i == t->member_ptr[k] || t->member[i] > t->member[i - 1]);
            for (int e = t->row_ptr[k]; e < t->row_ptr[k + 1]; e++) {
                int q = t->col[e];
                for (int j = t->member_ptr[q]; j < t->member_ptr[q + 1]; j++) at[t->member[i] * nodes + t->member[j]]++;
            }
        }
    }
    for (int i = 0; i < t->runs; i++) {
        for (int v = t->run[2 * i]; v < t->run[2 * i + 1]; v++) {
            seen[v]++;
            plain[v] = true;
        }
    }
    for (int v = 0; v < nodes; v++) assert_int_equal(seen[v], 1);
    assert_int_equal(t->links, t->row_ptr[t->classes]);
    return at;
}

/* The classes against the edges of g; returns how many nodes have a class. */
static int must_say(mp_rig *r, const mp_twins *t, const mp_graph *g)
{
    bool *plain = MP_NEW(r->memory, bool, g->nodes);
    const char *have = spread(r, t, g->nodes, plain);
    const int *want = mp_rig_dense(r, g);
    int classed = 0;
    for (int v = 0; v < g->nodes; v++) {
        classed += !plain[v];
        for (int u = 0; u < g->nodes && !plain[v]; u++)
            assert_int_equal(have[v * g->nodes + u], u == v || want[v * g->nodes + u] >= 0);
    }
    return classed;
}

static void must_equal(const mp_twins *a, const mp_twins *b, int graphs)
{
    assert_int_equal(a->classes, b->classes);
    assert_int_equal(a->links, b->links);
    assert_int_equal(a->runs, b->runs);
    assert_memory_equal(a->class_ptr, b->class_ptr, (size_t)(graphs + 1) * sizeof(int));
    assert_memory_equal(a->member_ptr, b->member_ptr, (size_t)(a->classes + 1) * sizeof(int));
    assert_memory_equal(a->row_ptr, b->row_ptr, (size_t)(a->classes + 1) * sizeof(int));
    if (a->classes) {
        assert_memory_equal(a->member, b->member, (size_t)a->member_ptr[a->classes] * sizeof(int));
        assert_memory_equal(a->col, b->col, (size_t)a->links * sizeof(int));
    }
    if (a->runs) assert_memory_equal(a->run, b->run, (size_t)(2 * a->runs) * sizeof(int));
}

static void classes_say_what_the_closed_graph_says(void **state)
{
    (void)state;
    mp_rig r = mp_rig_new(31);
    int classed = 0, nodes = 0;
    for (int i = 0; i < ROUNDS; i++) {
        mp_graph g = some_cliques(&r);
        classed += must_say(&r, mp_twins_find(r.memory, r.memory, &g), &g);
        nodes += g.nodes;
        mp_arena_reset(r.memory);
    }
    assert_true(classed > nodes / 3 && classed < nodes); /* or this test would show little */
    mp_rig_free(&r);
}

static void a_clique_is_one_class_and_a_path_has_none(void **state)
{
    (void)state;
    mp_rig r = mp_rig_new(32);
    mp_graph clique = mp_rig_graph(&r, 1, (int[]){ 30 }, 1, 0), looped = mp_rig_graph(&r, 1, (int[]){ 30 }, 1, 0.2);
    int src[] = { 0, 1, 1, 2, 2, 3 }, dst[] = { 1, 0, 2, 1, 3, 2 }, node_ptr[] = { 0, 4 };
    mp_graph path;
    assert_int_equal(mp_graph_from_edges(r.memory, 1, node_ptr, 6, src, dst, &path, NULL), MP_OK);
    const mp_twins *one = mp_twins_find(r.memory, r.memory, &clique);
    assert_int_equal(one->classes, 1);
    assert_int_equal(one->links, 1);
    assert_int_equal(one->runs, 0);
    assert_int_equal(mp_twins_find(r.memory, r.memory, &path)->classes, 0);
    assert_int_equal(mp_twins_find(r.memory, r.memory, &looped)->classes, 0);
    mp_rig_free(&r);
}

static void gathered_classes_are_those_of_the_gathered_graphs(void **state)
{
    (void)state;
    mp_rig r = mp_rig_new(33);
    for (int i = 0; i < ROUNDS; i++) {
        mp_graph g = some_cliques(&r), out;
        mp_sparse x = { .rows = g.nodes, .cols = 1, .ptr = MP_NEW(r.memory, int, g.nodes + 1) }, out_x;
        int which[8], n = 1 + mp_rng_below(&r.rng, 8);
        for (int k = 0; k < n; k++) which[k] = mp_rng_below(&r.rng, g.graphs);
        const mp_twins *all = mp_twins_find(r.memory, r.memory, &g);
        mp_graph_gather(r.memory, &g, &x, which, n, false, &out, &out_x);
        const mp_twins *want = mp_twins_find(r.memory, r.memory, &out);
        must_equal(mp_twins_gather(r.memory, &g, all, which, n, out.node_ptr), want, n);
        g.norm->twins = all; /* the same through the gathering of graphs, where edges stay behind */
        mp_graph_gather(r.memory, &g, &x, which, n, true, &out, &out_x);
        must_equal(out.norm->twins, want, n);
        if (out.row_ptr != g.row_ptr) /* all of them in their order: taken as they are */
            for (int k = 0; k < n; k++)
                if (want->class_ptr[k] < want->class_ptr[k + 1])
                    assert_int_equal(out.row_ptr[out.node_ptr[k]], out.row_ptr[out.node_ptr[k + 1]]);
        mp_arena_reset(r.memory);
    }
    mp_rig_free(&r);
}

static void kept_twins_are_twins_of_the_induced_graph(void **state)
{
    (void)state;
    mp_rig r = mp_rig_new(34);
    for (int i = 0; i < ROUNDS; i++) {
        mp_graph g = some_cliques(&r), out;
        int *keep = MP_NEW(r.memory, int, g.nodes), *keep_ptr = MP_NEW(r.memory, int, g.graphs + 1), n = 0;
        for (int b = 0; b < g.graphs; b++) {
            int first = n;
            for (int v = g.node_ptr[b]; v < g.node_ptr[b + 1]; v++)
                if (mp_rng_unit(&r.rng) < 0.5) keep[n++] = v;
            mp_rng_shuffle(&r.rng, keep + first, n - first);
            keep_ptr[b + 1] = n;
        }
        const mp_twins *t = mp_twins_find(r.memory, r.memory, &g);
        mp_site site = mp_site_in(r.memory);
        mp_induce(&site, &g, keep, keep_ptr, &out, NULL);
        must_say(&r, mp_twins_keep(&site, &g, t, keep, keep_ptr), &out);
        mp_arena_reset(r.memory);
    }
    mp_rig_free(&r);
}

/* The GCN sum in double, edge by edge. */
static double plain_sum(const mp_graph *g, const mp_real *z, int C, int v, int c)
{
    double own = g->row_ptr[v + 1] - g->row_ptr[v] + 1, sum = (double)z[v * C + c] / own;
    for (int e = g->row_ptr[v]; e < g->row_ptr[v + 1]; e++) {
        int u = g->col[e];
        sum += (double)z[u * C + c] / sqrt(own * (g->row_ptr[u + 1] - g->row_ptr[u] + 1));
    }
    return sum;
}

static void sums_by_classes_are_sums_over_neighbours(void **state)
{
    (void)state;
    mp_rig r = mp_rig_new(35);
    static const int widths[] = { 1, 5, 16, 131 };
    for (int i = 0; i < ROUNDS; i++) {
        int C = widths[i % 4], sizes[3] = { 20, 7, 13 };
        mp_graph g = mp_rig_cliques(&r, 3, sizes, 3, 0.5);
        mp_ctx c = { .arena = r.memory, .k = mp_kernels_get(), .record = true };
        mp_mat *z = mp_rig_mat(&r, g.nodes, C), *y = mp_agg(&c, &g, MP_AGG_GCN, z, NULL, false);
        mp_rig_fill(&r, mp_grad_zeroed(&c, y), (size_t)g.nodes * (size_t)C);
        mp_tape_back(&c);
        for (int v = 0; v < g.nodes; v++) {
            for (int k = 0; k < C; k++) {
                assert_true(fabs((double)y->v[v * C + k] - plain_sum(&g, z->v, C, v, k)) < 2e-6);
                assert_true(fabs((double)z->g[v * C + k] - plain_sum(&g, y->g, C, v, k)) < 2e-6); /* symmetric */
            }
        }
        mp_arena_reset(r.memory);
    }
    mp_rig_free(&r);
}

#define GRAPHS 130 /* of 15 nodes: the first batch is two shards */

/* Weights after two steps on unions of cliques, and what the network then says of all graphs but one (of all, nothing is
 * gathered); `known`: classes come with the collection. */
static mp_real *learned(const char *options, bool known, size_t *n)
{
    world w;
    world_init(&w, options, GRAPHS, 30, 2);
    int sizes[GRAPHS];
    for (int b = 0; b < GRAPHS; b++) sizes[b] = w.all.node_ptr[b + 1] - w.all.node_ptr[b];
    w.all = mp_rig_cliques(&w.rig, GRAPHS, sizes, 4, 0.4);
    if (known) w.all.norm->twins = mp_twins_find(w.rig.memory, w.rig.memory, &w.all);
    if (known) assert_true(w.all.norm->twins->classes > GRAPHS);
    mp_engine *e = mp_engine_new(w.model, 1);
    mp_batch b = batch_of(&w, 0, 120), largest;
    assert_int_equal(mp_engine_cut(e, &b, &largest), 2);
    train(&w, e, 0, 1, 120, 5);
    *n = w.params->size + 2 * (GRAPHS - 1);
    mp_real *out = malloc(*n * sizeof *out);
    assert_non_null(out);
    memcpy(out, w.params->theta, w.params->size * sizeof *out);
    b = batch_of(&w, 0, GRAPHS - 1);
    assert_int_equal(mp_engine_predict(e, &b, out + w.params->size), MP_OK);
    mp_engine_free(e);
    world_free(&w);
    return out;
}

static void networks_learn_the_same_without_edges(void **state)
{
    (void)state;
    static const char *const ways[] = { "",
                                        "score-dim=3 flip=true drop=0.2",
                                        "conv=graphconv",
                                        "variant=pyg",
                                        "variant=authors",
                                        "score-conv=sage",
                                        "score-conv=gat",
                                        "fusion=gat",
                                        "fusion=raw",
                                        "fusion=none",
                                        "adj-power=2",
                                        "layers=1" };
    for (const mp_pool_op *op = mp_pool_ops(); op->name; op++) {
        for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
            char options[128];
            snprintf(options, sizeof options, "pool=%s hidden=24 %s", op->name, ways[i]);
            size_t n, m;
            mp_real *with = learned(options, false, &n), *without = learned(options, true, &m);
            assert_int_equal(n, m);
            assert_true(with[n - 1] != with[n - 3]); /* two graphs: a network that died would show nothing */
            if (memcmp(with, without, n * sizeof *with) != 0) fail_msg("%s", options);
            free(with);
            free(without);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(classes_say_what_the_closed_graph_says),
        cmocka_unit_test(a_clique_is_one_class_and_a_path_has_none),
        cmocka_unit_test(gathered_classes_are_those_of_the_gathered_graphs),
        cmocka_unit_test(kept_twins_are_twins_of_the_induced_graph),
        cmocka_unit_test(sums_by_classes_are_sums_over_neighbours),
        cmocka_unit_test(networks_learn_the_same_without_edges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
