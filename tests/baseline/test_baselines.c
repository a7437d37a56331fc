/* test_baselines.c - what must hold for every baseline of the table. A new baseline is covered when it gets
 * its row.
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

#include "nets.h"
#include "sanitized.h"
#include "train/engine.h"

/* Log-probabilities of the listed graphs of a collection. */
static mp_real *predict(mp_rig *r, net *n, const mp_graph *all, const mp_sparse *x, const int *which, int count)
{
    mp_engine *e = mp_engine_new(n->model, 1);
    mp_batch b = { .all = all, .x = x, .which = which, .n = count };
    mp_real *out = MP_NEW(r->memory, mp_real, count * NET_OUTPUTS);
    mp_err err = mp_engine_predict(e, &b, out);
    mp_engine_free(e);
    if (err != MP_OK) fail_msg("%s: %s", n->what, mp_message());
    for (int i = 0; i < count * NET_OUTPUTS; i++)
        if (!isfinite(out[i])) fail_msg("%s: output %d is %g", n->what, i, (double)out[i]);
    return out;
}

static int *counting(mp_rig *r, int n)
{
    int *v = MP_NEW(r->memory, int, n);
    for (int i = 0; i < n; i++) v[i] = i;
    return v;
}

/* ---- numbering of nodes */

/* A bias that keeps the last ReLU open: nodes that are zero in the last channel tie in SortPool's order, and
 * ties go to the lower index. Dense graphs for the same reason: the only edge into a node has EdgePool's
 * largest score, whatever the features. */
static void open_relu(mp_model *m)
{
    mp_params *p = mp_model_params(m);
    const mp_param *last = NULL;
    for (int i = 0; i < p->count; i++) {
        const mp_param *q = &p->list[i];
        bool bias = strlen(q->name) > 5 && strcmp(q->name + strlen(q->name) - 5, ".bias") == 0;
        if (bias && strncmp(q->name, "convs", 5) == 0) last = q;
    }
    for (int k = 0; last && k < last->rows * last->cols; k++) p->theta[last->offset + (size_t)k] += 3;
}

static void renumber(mp_rig *r, net *n, void *state)
{
    static const int sizes[] = { 8, 1, 11 };
    (void)state;
    if (!n->invariant) return;
    open_relu(n->model);
    mp_graph g = mp_rig_graph(r, 3, sizes, 0.5, 0);
    mp_sparse x = net_features(r, g.nodes);
    int *to = counting(r, g.nodes), *all = counting(r, 3);
    for (int b = 0; b < 3; b++) mp_rng_shuffle(&r->rng, to + g.node_ptr[b], sizes[b]);
    mp_graph h = mp_rig_renumber(r, &g, to);
    int *col = MP_NEW(r->memory, int, g.nodes);
    mp_real *value = MP_NEW(r->memory, mp_real, g.nodes);
    for (int v = 0; v < g.nodes; v++) {
        col[to[v]] = x.col[v];
        value[to[v]] = x.val[v];
    }
    mp_sparse y = { .rows = x.rows, .cols = x.cols, .ptr = x.ptr, .col = col, .val = value };
    const mp_real *a = predict(r, n, &g, &x, all, 3), *b = predict(r, n, &h, &y, all, 3);
    for (int i = 0; i < 3 * NET_OUTPUTS; i++)
        if (!(fabs((double)a[i] - (double)b[i]) <= 1e-4 * fmax(1, fabs((double)a[i]))))
            fail_msg("%s: output %g became %g when nodes were renumbered", n->what, (double)a[i], (double)b[i]);
}

static void renumbered_nodes_give_the_same_outputs(void **state)
{
    (void)state;
    net_each(renumber, NULL);
}

/* ---- batches */

static void alone(mp_rig *r, net *n, void *state)
{
    (void)state;
    mp_graph g = net_batch(r);
    mp_sparse x = net_features(r, g.nodes);
    const int *all = counting(r, g.graphs);
    const mp_real *together = predict(r, n, &g, &x, all, g.graphs);
    for (int b = 0; b < g.graphs; b++) {
        const mp_real *own = predict(r, n, &g, &x, all + b, 1);
        if (memcmp(own, together + b * NET_OUTPUTS, NET_OUTPUTS * sizeof *own) != 0)
            fail_msg("%s: graph %d depends on the rest of the batch", n->what, b);
    }
}

static void a_graph_ignores_its_batch(void **state)
{
    (void)state;
    net_each(alone, NULL);
}

/* ---- edges of the domain */

static void train_some(net *n, const mp_graph *g, const mp_sparse *x, const int *which, int count, int threads,
                       int steps)
{
    static const double label[] = { 0, 2, 1, 2, 0, 1, 1, 0 };
    mp_engine *e = mp_engine_new(n->model, threads);
    mp_batch b = { .all = g, .x = x, .which = which, .n = count, .labels = { .columns = 1, .v = label } };
    for (int s = 0; s < steps; s++) {
        double loss, aux;
        if (mp_engine_train(e, &b, (mp_draw){ 3, 0, 1, (uint64_t)s }, &loss, &aux) != MP_OK)
            fail_msg("%s: %s", n->what, mp_message());
    }
    mp_engine_free(e);
    const mp_params *p = mp_model_params(n->model);
    for (size_t i = 0; i < p->size; i++)
        if (!isfinite(p->theta[i])) fail_msg("%s: a weight is not finite", n->what);
}

static void strange(mp_rig *r, net *n, void *state)
{
    static const struct {
        int graphs, sizes[4];
        double density, loops;
    } cases[] = {
        { 1, { 1 }, 0, 0 },    { 1, { 1 }, 0, 1 },          { 4, { 1, 1, 1, 1 }, 0, 0 }, { 3, { 3, 1, 4 }, 0, 0 },
        { 2, { 2, 2 }, 1, 0 }, { 4, { 1, 1, 4, 2 }, 1, 1 }, { 2, { 12, 9 }, 0.08, 0 },   { 1, { 45 }, 1, 0 },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mp_graph g = mp_rig_graph(r, cases[i].graphs, cases[i].sizes, cases[i].density, cases[i].loops);
        mp_sparse x = net_features(r, g.nodes);
        const int *all = counting(r, g.graphs);
        predict(r, n, &g, &x, all, g.graphs);
        train_some(n, &g, &x, all, g.graphs, 1, 2);
    }
    /* All nodes alike: every score ties. */
    mp_graph g = net_batch(r);
    int *zero = MP_NEW(r->memory, int, g.nodes);
    mp_sparse x = { .rows = g.nodes, .cols = NET_FEATURES, .ptr = counting(r, g.nodes + 1), .col = zero };
    train_some(n, &g, &x, counting(r, g.graphs), g.graphs, 1, 2);
}

static void one_node_no_edges_loops_and_ties(void **state)
{
    (void)state;
    net_each(strange, NULL);
}

/* A data set of single nodes: one cluster, one seed, nothing to contract; alone in a batch and together. */
static void singles(mp_rig *r, net *n, void *state)
{
    (void)state;
    mp_graph g = net_singles(r);
    mp_sparse x = net_features(r, g.nodes);
    const int *all = counting(r, g.graphs);
    train_some(n, &g, &x, all, g.graphs, 2, 3);
    train_some(n, &g, &x, all, 1, 1, 2);
    const mp_real *out = predict(r, n, &g, &x, all, g.graphs);
    double apart = 0;
    for (int i = 0; i < g.graphs * NET_OUTPUTS; i++) apart += fabs((double)out[i] - (double)out[i % NET_OUTPUTS]);
    if (!(apart > 0)) fail_msg("%s: nodes with different features give the same outputs", n->what);
}

static void a_data_set_of_single_nodes_trains(void **state)
{
    (void)state;
    net_each_small(singles, NULL);
}

/* ---- the head */

static const mp_param *param_named(const mp_params *p, const char *name)
{
    for (int i = 0; i < p->count; i++)
        if (strcmp(p->list[i].name, name) == 0) return &p->list[i];
    fail_msg("there is no %s", name);
    return NULL;
}

/* hidden, half of it, outputs; half of one channel is one. */
static void the_second_layer_of_the_head_is_half_as_wide_and_never_empty(void **state)
{
    (void)state;
    static const int cases[][2] = { { 1, 1 }, { 2, 1 }, { 3, 1 }, { 5, 2 }, { 16, 8 } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int hidden = cases[i][0], half = cases[i][1];
        mp_rig r = mp_rig_new(1);
        mp_config conf;
        mp_model *m;
        mp_config_init(&conf);
        strcpy(conf.pool, "set2set");
        conf.hidden = hidden;
        mp_inputs in = { .features = NET_FEATURES, .outputs = NET_OUTPUTS };
        assert_int_equal(mp_model_new(r.memory, &conf, in, &m), MP_OK);
        const mp_params *p = mp_model_params(m);
        const mp_param *two = param_named(p, "lin2.weight"), *three = param_named(p, "lin3.weight");
        assert_int_equal(two->rows * two->cols, hidden * half);
        assert_int_equal(three->rows * three->cols, half * NET_OUTPUTS);
        assert_int_equal(param_named(p, "lin2.bias")->cols * param_named(p, "lin2.bias")->rows, half);
        mp_rig_free(&r);
    }
}

/* ---- the same bits */

typedef struct machine {
    const char *isa;
    int threads;
} machine;

static void repeat(mp_rig *r, net *n, void *state)
{
    static const machine machines[] = { { "base", 1 }, { "base", 2 }, { "base", 5 }, { "v3", 1 },  { "v3", 2 },
                                        { "v4", 1 },   { "v4", 5 },   { "neon", 1 }, { "neon", 5 } };
    (void)state;
    int sizes[60], which[60];
    double *label = MP_NEW(r->memory, double, 60);
    for (int b = 0; b < 60; b++) { /* enough nodes for three shards */
        sizes[b] = 20 + b;
        which[b] = 59 - b;
        label[b] = b % NET_OUTPUTS;
    }
    mp_graph g = mp_rig_graph(r, 60, sizes, 0.1, 0);
    mp_sparse x = net_features(r, g.nodes);
    mp_params *p = mp_model_params(n->model);
    mp_real *first = NULL;
    for (size_t i = 0; i < sizeof machines / sizeof *machines; i++) {
        if (!mp_kernels_named(machines[i].isa) || (SANITIZED && i % 2)) continue;
        setenv("MIDPOOL_ISA", machines[i].isa, 1);
        mp_params_init(p, 5, 0);
        mp_engine *e = mp_engine_new(n->model, machines[i].threads);
        mp_batch b = { .all = &g, .x = &x, .which = which, .n = 60, .labels = { .columns = 1, .v = label } };
        for (int s = 0; s < 3; s++) {
            double loss, aux;
            if (mp_engine_train(e, &b, (mp_draw){ 3, 0, 1, (uint64_t)s }, &loss, &aux) != MP_OK)
                fail_msg("%s: %s", n->what, mp_message());
        }
        mp_engine_free(e);
        if (!first) {
            first = MP_NEW(r->memory, mp_real, p->size);
            memcpy(first, p->theta, p->size * sizeof *first);
        } else if (memcmp(first, p->theta, p->size * sizeof *first) != 0) {
            fail_msg("%s: other weights with kernels %s and %d threads", n->what, machines[i].isa, machines[i].threads);
        }
    }
    unsetenv("MIDPOOL_ISA");
}

static void threads_and_instruction_sets_change_no_bit(void **state)
{
    (void)state;
    net_each(repeat, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(renumbered_nodes_give_the_same_outputs),
        cmocka_unit_test(a_graph_ignores_its_batch),
        cmocka_unit_test(one_node_no_edges_loops_and_ties),
        cmocka_unit_test(a_data_set_of_single_nodes_trains),
        cmocka_unit_test(the_second_layer_of_the_head_is_half_as_wide_and_never_empty),
        cmocka_unit_test(threads_and_instruction_sets_change_no_bit),
    };
    return cmocka_run_group_tests_name("baselines", tests, NULL, NULL);
}
