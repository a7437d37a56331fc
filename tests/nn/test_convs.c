/* test_convs.c - the rows of convolutions: each agrees with a dense reference, each is a choice of the options, and what
 * rows say about themselves is true.
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "dense_convs.h"
#include "nn/conv.h"
#include "rig.h"

#define IN   4
#define OUT  3
#define EDGE 3 /* columns of the attributes of edges */

typedef struct bench {
    mp_rig rig;
    mp_ctx ctx;
    mp_graph g;
    mp_params params;
    mp_conv conv;
    mp_mat *x;
    mp_config conf;
    int chebygin[3]; /* its order, whether it sums, its layers */
} bench;

static bench bench_with(const mp_conv_kind *kind, uint64_t seed, bool weighted, double loops, const char *options)
{
    static const int sizes[] = { 9 };
    bench b = { .rig = mp_rig_new(seed) };
    b.g = mp_rig_graph(&b.rig, 1, sizes, 0.4, loops);
    if (weighted) b.g.w = mp_rig_weights(&b.rig, &b.g);
    b.params.arena = b.rig.memory;
    b.g.edge_x = mp_rig_attributes(&b.rig, &b.g, EDGE, (mp_rig_kind)(seed % MP_RIG_KINDS));
    mp_conv_setup how = { .params = &b.params, .prefix = "", .in = IN, .out = OUT, .edge_in = EDGE };
    mp_config_init(&b.conf);
    if (options) assert_int_equal(mp_conf_set_all(mp_config_table, &b.conf, options, "test"), MP_OK);
    if (options) how.conf = &b.conf;
    b.conv = mp_conv_new(kind, &how);
    mp_rig_params(&b.rig, &b.params);
    b.x = mp_rig_mat(&b.rig, b.g.nodes, IN);
    b.ctx = (mp_ctx){ .arena = mp_arena_new(1 << 16), .k = mp_kernels_get(), .training = true };
    mp_params_bind(&b.params, &b.ctx, NULL);
    return b;
}

static bench bench_new(const mp_conv_kind *kind, uint64_t seed, bool weighted, double loops)
{
    return bench_with(kind, seed, weighted, loops, NULL);
}

static void bench_free(bench *b)
{
    mp_arena_free(b->ctx.arena);
    mp_rig_free(&b->rig);
}

static const double *weight_of(const void *from, const char *name)
{
    const mp_params *p = from;
    for (int i = 0; i < p->count; i++)
        if (strcmp(p->list[i].name, name) == 0) return p->theta + p->list[i].offset;
    fail_msg("the convolution has no weight '%s'", name);
    return NULL;
}

static double attribute(const mp_sparse *x, int row, int col)
{
    if (!x->ptr) return x->val[row * x->cols + col];
    for (int z = x->ptr[row]; z < x->ptr[row + 1]; z++)
        if (x->col[z] == col) return x->val ? x->val[z] : 1;
    return 0;
}

static void compare(bench *b, const mp_conv_kind *kind, bool relu)
{
    int n = b->g.nodes, *on = MP_NEW(b->rig.memory, int, n *n), *at = mp_rig_dense(&b->rig, &b->g);
    double *a = MP_NEW(b->rig.memory, double, n *n), *truth = MP_NEW(b->rig.memory, double, n *OUT);
    double *attributes = MP_NEW(b->rig.memory, double, n *n *EDGE);
    for (int i = 0; i < n * n; i++) {
        on[i] = at[i] >= 0;
        a[i] = on[i] ? (b->g.w ? b->g.w->v[at[i]] : 1) : 0;
        for (int k = 0; k < EDGE && on[i]; k++) attributes[i * EDGE + k] = attribute(b->g.edge_x, at[i], k);
    }
    dense_graph d = { .n = n, .in = IN, .out = OUT, .on = on, .a = a, .x = b->x->v, .e = attributes, .edge_in = EDGE };
    d.from = &b->params;
    d.weight = weight_of;
    d.order = b->chebygin[0];
    d.sum = b->chebygin[1];
    d.layers = b->chebygin[2];
    if (!dense_conv(kind->name, &d, truth)) fail_msg("%s has no dense reference", kind->name);
    mp_mat *y = mp_conv_run(&b->conv, &b->ctx, &b->g, MP_DENSE(b->x), relu);
    assert_int_equal(y->cols, OUT);
    for (int i = 0; i < n * OUT; i++) {
        double want = relu && truth[i] < 0 ? 0 : truth[i];
        if (!(fabs(y->v[i] - want) <= 1e-12 * (1 + fabs(want))))
            fail_msg("%s: output %d is %.15g, the reference has %.15g", kind->name, i, y->v[i], want);
    }
}

static void every_convolution_agrees_with_dense_matrices(void **state)
{
    (void)state;
    for (const mp_conv_kind *const *k = mp_conv_kinds(); *k; k++) {
        for (int how = 0; how < 32; how++) {
            bench b = bench_new(*k, (uint64_t)how, how & 1, how & 2 ? 0.4 : 0);
            compare(&b, *k, how & 4);
            bench_free(&b);
        }
    }
}

static void chebygin_agrees_at_every_order(void **state)
{
    (void)state;
    for (int how = 0; how < 64; how++) {
        char options[96];
        int order = 1 + how % 8, sum = how / 8 % 2, layers = 1 + how / 16 % 2;
        snprintf(options, sizeof options, "conv=chebygin cheb-order=%d cheb-agg=%s cheb-layers=%d", order,
                 sum ? "sum" : "mean", layers);
        bench b = bench_with(&mp_conv_chebygin, (uint64_t)how, false, how / 32 ? 0.3 : 0, options);
        b.chebygin[0] = order;
        b.chebygin[1] = sum;
        b.chebygin[2] = layers;
        compare(&b, &mp_conv_chebygin, how & 1);
        bench_free(&b);
    }
}

/* ---- options */

static bool is_choice(const char *option, const char *name)
{
    const char *list = mp_conf_find(mp_config_table, option)->choices;
    size_t n = strlen(name);
    for (const char *at = list; at; at = strchr(at, '|') ? strchr(at, '|') + 1 : NULL)
        if (strncmp(at, name, n) == 0 && (at[n] == '|' || !at[n])) return true;
    return false;
}

static int count_choices(const char *option)
{
    int n = 1;
    for (const char *p = mp_conf_find(mp_config_table, option)->choices; *p; p++) n += *p == '|';
    return n;
}

static void every_convolution_is_a_choice_and_every_choice_a_convolution(void **state)
{
    (void)state;
    static const char *const options[] = { "conv", "score-conv" };
    for (int o = 0; o < 2; o++) {
        int rows = 0;
        for (const mp_conv_kind *const *k = mp_conv_kinds(); *k; k++) {
            /* Scores use no attributes of edges, and a batch may be cut where they are computed. */
            bool offered = o == 0 || (!(*k)->edge_x && !(*k)->whole_batch);
            if (is_choice(options[o], (*k)->name) != offered)
                fail_msg("--%s %s %s", options[o], offered ? "does not offer" : "offers", (*k)->name);
            rows += offered;
        }
        assert_true(is_choice(options[o], "auto"));
        assert_int_equal(count_choices(options[o]), rows + 1);
    }
}

/* Numbers of choices are in stored runs and model files. */
static void choices_that_were_first_stay_first(void **state)
{
    (void)state;
    const char *conv = mp_conf_find(mp_config_table, "conv")->choices;
    const char *score = mp_conf_find(mp_config_table, "score-conv")->choices;
    assert_int_equal(strncmp(conv, "auto|gcn|graphconv|gin|sage|", 28), 0);
    assert_int_equal(strncmp(score, "auto|gcn|graphconv|sage|gat|cheb|", 33), 0);
}

static void names_choose_rows(void **state)
{
    (void)state;
    mp_config c;
    mp_config_init(&c);
    assert_ptr_equal(mp_conv_chosen(&c, "conv", &mp_conv_gin), &mp_conv_gin);
    for (const mp_conv_kind *const *k = mp_conv_kinds(); *k; k++) {
        assert_int_equal(mp_conf_set(mp_config_table, &c, "conv", (*k)->name, "test"), MP_OK);
        assert_ptr_equal(mp_conv_chosen(&c, "conv", &mp_conv_gin), *k);
        assert_ptr_equal(mp_conv_find((*k)->name), *k);
    }
    assert_null(mp_conv_find("gnc"));
}

/* ---- what rows say */

/* Where edges are new something takes their place that needs no attributes. */
static void convolutions_with_attributes_say_who_takes_their_place(void **state)
{
    (void)state;
    for (const mp_conv_kind *const *k = mp_conv_kinds(); *k; k++) {
        if ((*k)->edge_x) assert_true((*k)->without && !(*k)->without->edge_x && !(*k)->without->whole_batch);
        if (!(*k)->edge_x) assert_null((*k)->without);
    }
}

/* Edges that were taken along name rows of the first graph's attributes. */
static void edges_find_their_attributes_by_number(void **state)
{
    (void)state;
    for (const mp_conv_kind *const *k = mp_conv_kinds(); *k; k++) {
        for (uint64_t seed = 0; seed < MP_RIG_KINDS && (*k)->edge_x; seed++) {
            bench b = bench_new(*k, seed, false, 0);
            int *place = MP_NEW(b.rig.memory, int, b.g.edges), *back = MP_NEW(b.rig.memory, int, b.g.edges);
            for (int e = 0; e < b.g.edges; e++) place[e] = e;
            mp_rng_shuffle(&b.rig.rng, place, b.g.edges);
            for (int e = 0; e < b.g.edges; e++) back[place[e]] = e;
            mp_sparse moved = mp_sparse_pick(b.rig.memory, b.g.edge_x, back, b.g.edges);
            mp_graph g = b.g;
            g.edge_x = &moved;
            g.edge_from = place;
            mp_mat *y = mp_conv_run(&b.conv, &b.ctx, &b.g, MP_DENSE(b.x), false);
            mp_mat *same = mp_conv_run(&b.conv, &b.ctx, &g, MP_DENSE(b.x), false);
            assert_memory_equal(y->v, same->v, sizeof(mp_real) * (size_t)(y->rows * y->cols));
            bench_free(&b);
        }
    }
}

/* Without reverses and stored classes, as mp_graph_gather hands graphs to those that ask for sums only. */
static void sums_only_convolutions_do_without_reverses(void **state)
{
    (void)state;
    int said = 0;
    for (const mp_conv_kind *const *k = mp_conv_kinds(); *k; k++) {
        if (!(*k)->sums_only) continue;
        bench b = bench_new(*k, 5, false, 0);
        mp_mat *whole = mp_conv_run(&b.conv, &b.ctx, &b.g, MP_DENSE(b.x), true);
        mp_graph g = b.g;
        g.rev = NULL;
        g.norm = MP_NEW(b.rig.memory, mp_norm, 1);
        mp_mat *without = mp_conv_run(&b.conv, &b.ctx, &g, MP_DENSE(b.x), true);
        assert_memory_equal(whole->v, without->v, sizeof(mp_real) * (size_t)(whole->rows * whole->cols));
        bench_free(&b);
        said++;
    }
    assert_true(said >= 1);
}

/* The gradient of the weights stays the same when the input's gradient takes the place of its values. */
static void convolutions_that_read_once_may_lose_their_input(void **state)
{
    (void)state;
    int said = 0;
    for (const mp_conv_kind *const *k = mp_conv_kinds(); *k; k++) {
        if (!(*k)->reads_once) continue;
        mp_real *grad[2];
        bench b = bench_new(*k, 6, false, 0);
        b.ctx.record = true;
        for (int spent = 0; spent < 2; spent++) {
            grad[spent] = MP_NEW(b.rig.memory, mp_real, b.params.size);
            mp_params_bind(&b.params, &b.ctx, grad[spent]);
            mp_mat *x = mp_mix(&b.ctx, 1, b.x, 0, NULL);
            mp_mat *y = mp_conv_run(&b.conv, &b.ctx, &b.g, MP_DENSE(x), false);
            if (spent) mp_mat_spent(&b.ctx, x);
            mp_real *dy = mp_grad_zeroed(&b.ctx, y);
            for (int i = 0; i < y->rows * y->cols; i++) dy[i] = (mp_real)(i % 7 - 3);
            mp_tape_back(&b.ctx);
        }
        assert_memory_equal(grad[0], grad[1], sizeof(mp_real) * b.params.size);
        bench_free(&b);
        said++;
    }
    assert_true(said >= 1);
}

static void a_convolution_of_ones_own_is_chosen_like_others(void **state)
{
    (void)state;
    mp_conv_kind own = mp_conv_gin;
    mp_config c;
    own.name = "own-gin";
    mp_config_init(&c);
    assert_int_not_equal(mp_conf_set(mp_config_table, &c, "conv", "own-gin", "conv"), MP_OK);
    assert_int_equal(mp_conv_add(&own), MP_OK);
    for (int i = 0; i < 2; i++) {
        const char *option = i ? "score-conv" : "conv";
        assert_int_equal(mp_conf_set(mp_config_table, &c, option, "own-gin", option), MP_OK);
        assert_ptr_equal(mp_conv_chosen(&c, option, &mp_conv_gcn), &own);
        assert_int_equal(mp_conf_set(mp_config_table, &c, option, "gcn", option), MP_OK);
        assert_ptr_equal(mp_conv_chosen(&c, option, &own), &mp_conv_gcn);
    }
    assert_int_equal(mp_conv_add(&own), MP_ERR_USAGE);
    mp_conv_kind edges = mp_conv_gine;
    edges.name = "own-gine";
    assert_int_equal(mp_conv_add(&edges), MP_OK);
    assert_int_equal(mp_conf_set(mp_config_table, &c, "conv", "own-gine", "conv"), MP_OK);
    assert_int_not_equal(mp_conf_set(mp_config_table, &c, "score-conv", "own-gine", "score-conv"), MP_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_convolution_agrees_with_dense_matrices),
        cmocka_unit_test(chebygin_agrees_at_every_order),
        cmocka_unit_test(every_convolution_is_a_choice_and_every_choice_a_convolution),
        cmocka_unit_test(choices_that_were_first_stay_first),
        cmocka_unit_test(names_choose_rows),
        cmocka_unit_test(convolutions_with_attributes_say_who_takes_their_place),
        cmocka_unit_test(edges_find_their_attributes_by_number),
        cmocka_unit_test(sums_only_convolutions_do_without_reverses),
        cmocka_unit_test(convolutions_that_read_once_may_lose_their_input),
        cmocka_unit_test(a_convolution_of_ones_own_is_chosen_like_others), /* last: it stays in the list */
    };
    return cmocka_run_group_tests_name("convolutions", tests, NULL, NULL);
}
