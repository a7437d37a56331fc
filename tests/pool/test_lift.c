/* test_lift.c - the way back from a pooled graph is the transpose of the way there, gates left out: <lift(u), v> is
 * <u, what the pooling makes of v> for random u and v. Where rows are kept, and for HaarPool, it is the pseudo-inverse too.
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "baseline/dense.h"
#include "baseline/edge.h"
#include "baseline/haar.h"
#include "model/model.h"
#include "property.h"

#define C 5

static double inner(const mp_mat *a, const mp_mat *b)
{
    double sum = 0;
    assert_true(a->rows == b->rows && a->cols == b->cols);
    for (int i = 0; i < a->rows * a->cols; i++) sum += a->v[i] * b->v[i];
    return sum;
}

static void close_to(const char *what, double got, double want)
{
    if (!(fabs(got - want) <= 1e-10 * (1 + fabs(want)))) fail_msg("%s: %.15g, expected %.15g", what, got, want);
}

static mp_ctx context(mp_arena *a)
{
    return (mp_ctx){ .arena = a, .k = mp_kernels_get() };
}

/* Row v of x times the gate of row rows[v] (NULL: of v). */
static mp_mat *gated(mp_rig *r, const mp_pooling *p, const mp_mat *x, const int *rows)
{
    mp_mat *y = mp_rig_mat(r, x->rows, x->cols), *f = mp_rig_mat(r, p->score->rows, 1);
    mp_kernels_get()->act_fwd(f->v, p->score->v, p->pool->gate, (size_t)f->rows);
    for (int v = 0; v < x->rows; v++)
        for (int k = 0; k < x->cols; k++)
            y->v[v * C + k] = x->v[v * C + k] * (p->pool->ungated ? 1 : f->v[rows ? rows[v] : v]);
    return y;
}

/* What a pooling computes from features: it keeps rows of p->x and gates them; ASAP keeps rows of what it collected from
 * the x that came in; AttPool and RepPool gate rows of p->x before they collect them. */
static void lift_is_the_transpose(bench *b)
{
    for (int weighted = 0; weighted < 2; weighted++) {
        mp_graph g = bench_mixed(b, weighted);
        mp_mat *x = mp_rig_mat(&b->rig, g.nodes, C);
        mp_pooling p = bench_run(b, &g, x);
        int K = p.keep_ptr[g.graphs];
        mp_ctx c = context(b->step);
        mp_mat *u = mp_rig_mat(&b->rig, K, C), *there = NULL, *way = u;
        bool collects = p.lift.kind == MP_LIFT_MEMBERS, asap = strcmp(b->op->name, "asap") == 0;
        assert_int_equal(p.lift.kind, b->op->coarsener->lift);
        if (collects && !asap) {
            there = gated(&b->rig, &p, p.x, NULL);
        } else {
            there = asap ? x : p.x;
            way = gated(&b->rig, &p, u, p.keep);
        }
        mp_mat *back = mp_pool_lift(&p, &c, way);
        assert_int_equal(back->rows, g.nodes);
        close_to(b->op->name, inner(back, there), inner(u, p.out_x));
    }
}

static void the_way_back_is_the_transpose_of_the_way_there(void **state)
{
    (void)state;
    static const char *const settings[] = { "ratio=0.5", "ratio=0.3 gate=sigmoid", "ratio=0.7 variant=authors",
                                            "ratio=1 variant=pyg" };
    uint64_t seed = 1;
    for (const mp_pool_op *op = mp_pool_ops(); op->name; op++, seed += 4)
        bench_settings(lift_is_the_transpose, op, settings, 4, C, seed);
}

/* Rows that were kept come back as they were, other nodes get zeros; whatever the number of columns. */
static void rows_come_back_where_they_were(bench *b)
{
    mp_graph g = bench_mixed(b, false);
    mp_pooling p = bench_run(b, &g, mp_rig_mat(&b->rig, g.nodes, C));
    if (p.lift.kind != MP_LIFT_ROWS) return;
    mp_ctx c = context(b->step);
    int K = p.keep_ptr[g.graphs], *place = MP_NEW(b->rig.memory, int, g.nodes);
    mp_mat *u = mp_rig_mat(&b->rig, K, 2 * C), *back = mp_pool_lift(&p, &c, u);
    for (int i = 0; i < K; i++) place[p.keep[i]] = i + 1;
    for (int v = 0; v < g.nodes; v++)
        for (int k = 0; k < 2 * C; k++)
            assert_true(back->v[v * 2 * C + k] == (place[v] ? u->v[(place[v] - 1) * 2 * C + k] : 0));
    mp_mat *again = mp_pick(&c, back, p.keep, K);
    assert_memory_equal(again->v, u->v, sizeof(mp_real) * (size_t)(K * 2 * C));
}

static void kept_rows_come_back_and_others_are_zero(void **state)
{
    (void)state;
    static const char *const settings[] = { "score-dim=1", "score-dim=3 flip=true" };
    uint64_t seed = 50;
    for (const mp_pool_op *op = mp_pool_ops(); op->name; op++, seed += 2)
        bench_settings(rows_come_back_where_they_were, op, settings, 2, C, seed);
}

/* ---- baselines */

static const int sizes[] = { 7, 1, 9 };

static void dense_clusterings_go_back_by_their_shares(void **state)
{
    (void)state;
    mp_rig r = mp_rig_new(4);
    mp_ctx c = context(r.memory);
    mp_graph g = mp_rig_graph(&r, 3, sizes, 0.4, 0);
    mp_mat *x = mp_rig_mat(&r, g.nodes, C), *logits = mp_rig_mat(&r, g.nodes, 4);
    mp_mat *u = mp_rig_mat(&r, 3 * 4, C);
    mp_pooled diff = mp_diff_pool(&c, &g, x, logits, false, 0);
    close_to("diff", inner(mp_lift_run(&diff.lift, &c, u), x), inner(u, diff.x));
    mp_adjacency a = { .sparse = &g, .ptr = g.node_ptr, .graphs = 3 };
    mp_pooled cut = mp_mincut_pool(&c, &a, x, logits);
    close_to("mincut", inner(mp_lift_run(&cut.lift, &c, u), x), inner(u, cut.x));
    mp_params p = { .arena = r.memory };
    mp_mem mem = mp_mem_init(&p, "mem", C, C, 2, 4);
    mp_rig_params(&r, &p);
    for (int i = 0; i < C * C; i++) p.theta[p.list[mem.lin.w].offset + (size_t)i] = i % (C + 1) == 0; /* W = I */
    mp_params_bind(&p, &c, NULL);
    mp_mat *s, *pooled = mp_mem_run(&mem, &c, x, g.node_ptr, 3, &s);
    mp_lift back = mp_lift_blocks(s, g.node_ptr, 3);
    close_to("mem", inner(mp_lift_run(&back, &c, u), x), inner(u, pooled));
    mp_rig_free(&r);
}

static void haar_goes_back_by_its_basis_which_is_the_pseudo_inverse(void **state)
{
    (void)state;
    mp_rig r = mp_rig_new(5);
    mp_ctx c = context(r.memory);
    mp_graph g = mp_rig_graph(&r, 3, sizes, 0.4, 0);
    mp_haar_graph graph[3];
    const mp_haar_graph *basis[3];
    for (int b = 0; b < 3; b++) {
        mp_chain_make(r.memory, r.memory, &g, b, 2, &graph[b].chain);
        graph[b].phi = mp_haar_phis(r.memory, r.memory, &graph[b].chain);
        basis[b] = &graph[b];
    }
    mp_mat *x = mp_rig_mat(&r, g.nodes, C);
    mp_haar_pooled p = mp_haar_pool_run(&c, basis, 0, &g, x);
    mp_mat *u = mp_rig_mat(&r, p.x->rows, C), *back = mp_lift_run(&p.lift, &c, u);
    close_to("haar", inner(back, x), inner(u, p.x));
    mp_mat *again = mp_haar_pool_run(&c, basis, 0, &g, back).x;
    for (int i = 0; i < u->rows * C; i++) close_to("haar there again", again->v[i], u->v[i]);
    mp_rig_free(&r);
}

static void contracted_nodes_get_the_row_of_their_cluster(void **state)
{
    (void)state;
    mp_rig r = mp_rig_new(6);
    mp_ctx c = context(r.memory);
    mp_graph g = mp_rig_graph(&r, 3, sizes, 0.4, 0);
    mp_params p = { .arena = r.memory };
    mp_edge_pool e = mp_edge_pool_init(&p, "pool", C, 0);
    mp_rig_params(&r, &p);
    mp_params_bind(&p, &c, NULL);
    mp_edge_pooled out = mp_edge_pool_run(&e, &c, &g, mp_rig_mat(&r, g.nodes, C));
    mp_mat *u = mp_rig_mat(&r, out.x->rows, C), *back = mp_lift_run(&out.lift, &c, u);
    assert_true(out.x->rows < g.nodes);
    for (int v = 0; v < g.nodes; v++)
        assert_memory_equal(back->v + v * C, u->v + out.clusters.cluster[v] * C, C * sizeof(mp_real));
    mp_rig_free(&r);
}

/* ---- networks */

static void autoencoders_say_what_they_cannot_be_built_of(void **state)
{
    (void)state;
    mp_arena *a = mp_arena_new(1 << 16);
    mp_config conf;
    mp_model *m;
    mp_inputs in = { .features = 4, .outputs = 4 };
    mp_config_init(&conf);
    bench_set(&conf, "arch=autoencoder pool=topk conv=gine");
    assert_int_equal(mp_model_new(a, &conf, in, &m), MP_ERR_USAGE);
    assert_string_equal(mp_message(), "conv: gine needs attributes of edges, and there are none");
    in.edge_features = 2;
    assert_int_equal(mp_model_new(a, &conf, in, &m), MP_OK);
    assert_false(mp_model_whole_batch(m));
    bench_set(&conf, "conv=ogb-gin");
    assert_int_equal(mp_model_new(a, &conf, in, &m), MP_OK);
    assert_true(mp_model_whole_batch(m));
    mp_arena_free(a);
}

/* Widths of math.md 6.4: F-32-32, pool, 32h-32-32-F. */
static void autoencoders_have_the_widths_of_the_specification(void **state)
{
    (void)state;
    static const int widths[5][2] = { { 28, 32 }, { 32, 32 }, { 96, 32 }, { 32, 32 }, { 32, 28 } };
    mp_arena *a = mp_arena_new(1 << 16);
    mp_config conf;
    mp_model *m;
    mp_config_init(&conf);
    bench_set(&conf, "arch=autoencoder pool=topk hidden=32 score-dim=3");
    assert_int_equal(mp_model_new(a, &conf, (mp_inputs){ .features = 28, .outputs = 28 }, &m), MP_OK);
    const mp_params *p = mp_model_params(m);
    for (int l = 0; l < 5; l++) {
        char name[32];
        int found = 0;
        snprintf(name, sizeof name, "convs.%d.lin.weight", l);
        for (int id = 0; id < p->count; id++) {
            if (strcmp(p->list[id].name, name) != 0) continue;
            assert_int_equal(p->list[id].rows, widths[l][0]);
            assert_int_equal(p->list[id].cols, widths[l][1]);
            found++;
        }
        assert_int_equal(found, 1);
    }
    mp_arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_way_back_is_the_transpose_of_the_way_there),
        cmocka_unit_test(kept_rows_come_back_and_others_are_zero),
        cmocka_unit_test(dense_clusterings_go_back_by_their_shares),
        cmocka_unit_test(haar_goes_back_by_its_basis_which_is_the_pseudo_inverse),
        cmocka_unit_test(contracted_nodes_get_the_row_of_their_cluster),
        cmocka_unit_test(autoencoders_say_what_they_cannot_be_built_of),
        cmocka_unit_test(autoencoders_have_the_widths_of_the_specification),
    };
    return cmocka_run_group_tests_name("the way back", tests, NULL, NULL);
}
