/* test_edge_networks.c - networks that read attributes of edges: what they ask for, and that batches, shards, poolings and
 * model files carry the attributes along.
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "model/checkpoint.h"
#include "option.h"
#include "world.h"

#define GRAPHS  60
#define COLUMNS 3
#define OUTPUTS 3

static const mp_inputs with_edges = { .features = FEATURES, .edge_features = COLUMNS, .outputs = OUTPUTS };

static void give_edges(world *w, mp_rig_kind kind)
{
    w->all.edge_x = mp_rig_attributes(&w->rig, &w->all, COLUMNS, kind);
}

/* A world whose graphs have attributes, and a model that takes them. */
static void edge_world(world *w, const char *options, mp_rig_kind kind)
{
    world_init(w, "pool=topk", GRAPHS, 14, OUTPUTS);
    give_edges(w, kind);
    mp_config_init(&w->conf);
    bench_set(&w->conf, options);
    mp_err e = mp_model_new(w->rig.memory, &w->conf, with_edges, &w->model);
    if (e != MP_OK) fail_msg("%s: %s", options, mp_message());
    w->params = mp_model_params(w->model);
    mp_rig_params(&w->rig, w->params);
    for (int id = 0; id < w->params->count; id++) { /* running variances are positive */
        const mp_param *q = &w->params->list[id];
        for (int i = 0; q->buffer && i < q->cols; i++) w->params->theta[q->offset + (size_t)i] = (mp_real)(1 + 0.1 * i);
    }
}

static mp_mat *forward(world *w, mp_arena *a, const int *which, int n)
{
    mp_ctx c = { .arena = a, .k = mp_kernels_get() };
    mp_graph *g = MP_NEW(a, mp_graph, 1);
    mp_sparse *x = MP_NEW(a, mp_sparse, 1);
    mp_params_bind(w->params, &c, NULL);
    mp_graph_gather(a, &w->all, &w->x, which, n, mp_model_sums_only(w->model), g, x);
    return mp_model_forward(w->model, &c, g, x, NULL, NULL, NULL);
}

static int count_named(const mp_params *p, const char *name)
{
    int n = 0;
    for (int id = 0; id < p->count; id++) n += strcmp(p->list[id].name, name) == 0;
    return n;
}

static void a_convolution_that_needs_attributes_says_so(void **state)
{
    (void)state;
    mp_arena *a = mp_arena_new(1 << 16);
    mp_config c;
    mp_model *m;
    static const char *const convs[] = { "gine", "ogb-gcn", "ogb-gin" };
    for (int i = 0; i < 3; i++) {
        char options[64], want[128];
        mp_config_init(&c);
        snprintf(options, sizeof options, "conv=%s pool=%s", convs[i], i == 1 ? "set2set" : "topk");
        bench_set(&c, options);
        assert_true(mp_config_uses_edges(&c));
        assert_int_equal(mp_model_plan(a, &c, (mp_inputs){ .features = 4, .outputs = 2 }, &m), MP_ERR_USAGE);
        snprintf(want, sizeof want, "conv: %s needs attributes of edges, and there are none", convs[i]);
        assert_string_equal(mp_message(), want);
        assert_int_equal(mp_model_plan(a, &c, with_edges, &m), MP_OK);
        assert_int_equal(mp_model_edge_features(m), COLUMNS);
    }
    mp_arena_free(a);
}

static void who_reads_no_attributes_does_not_ask_for_them(void **state)
{
    (void)state;
    mp_arena *a = mp_arena_new(1 << 16);
    static const char *const sets[] = { "conv=gcn", "conv=graphconv pool=sag", "pool=diff clusters=3 conv=gine",
                                        "pool=sort sort-form=dgcnn conv=gine sort-k=10" };
    for (int i = 0; i < 4; i++) {
        mp_config c;
        mp_model *m;
        mp_config_init(&c);
        bench_set(&c, sets[i]);
        assert_false(mp_config_uses_edges(&c));
        assert_int_equal(mp_model_plan(a, &c, with_edges, &m), MP_OK);
        assert_int_equal(mp_model_edge_features(m), 0);
        for (int id = 0; id < mp_model_params(m)->count; id++)
            assert_null(strstr(mp_model_params(m)->list[id].name, "edge.weight"));
    }
    mp_arena_free(a);
}

/* Answers to a graph do not depend on those beside it: every edge finds its own attributes, in every block. */
static void a_graph_alone_gets_the_answer_it_gets_in_a_batch(void **state)
{
    (void)state;
    char options[128];
    for (const mp_pool_op *op = mp_pool_ops(); op->name; op++) {
        for (int kind = 0; kind < MP_RIG_KINDS; kind++) {
            static const char *const convs[] = { "gine", "ogb-gcn", "ogb-gin" };
            world w;
            snprintf(options, sizeof options, "pool=%s conv=%s hidden=6 layers=3", op->name, convs[kind]);
            edge_world(&w, options, (mp_rig_kind)kind);
            static const int order[] = { 7, 3, 50, 21, 9 };
            mp_arena *a = mp_arena_new(1 << 16);
            mp_mat *all = forward(&w, a, order, 5);
            for (int i = 0; i < 5; i++) {
                mp_mat *one = forward(&w, a, order + i, 1);
                for (int k = 0; k < OUTPUTS; k++)
                    if (!(fabs(one->v[k] - all->v[i * OUTPUTS + k]) <= 1e-9))
                        fail_msg("%s: graph %d", options, order[i]);
            }
            mp_arena_free(a);
            world_free(&w);
        }
    }
}

/* With other attributes there are other answers. Where edges are taken along, those of the last block count as well. */
static void attributes_reach_the_blocks_that_the_rows_say(void **state)
{
    (void)state;
    char options[128];
    for (const mp_pool_op *op = mp_pool_ops(); op->name; op++) {
        world w;
        snprintf(options, sizeof options, "pool=%s conv=gine hidden=6 layers=3", op->name);
        edge_world(&w, options, MP_RIG_SPARSE);
        mp_pool *pool = mp_pool_new(w.rig.memory, op, &w.conf, &(mp_params){ .arena = w.rig.memory }, "p", 6);
        bool taken = mp_pool_edges(pool) == MP_EDGES_TAKEN;
        assert_int_equal(count_named(w.params, "convs.0.edge.weight"), 1);
        assert_int_equal(count_named(w.params, "convs.1.edge.weight"), taken);
        assert_int_equal(count_named(w.params, "convs.2.edge.weight"), taken);
        assert_int_equal(count_named(w.params, "convs.1.lin.weight"), !taken);
        world_free(&w);
    }
}

static void baselines_read_attributes_before_they_pool(void **state)
{
    (void)state;
    static const struct {
        const char *options;
        int layers; /* that read them */
    } rows[] = {
        { "pool=set2set", 3 }, { "pool=gmt clusters=3", 3 }, { "pool=edge", 1 }, { "pool=haar haar-levels=2", 2 }
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        world w;
        char options[128], name[32];
        snprintf(options, sizeof options, "%s conv=ogb-gcn hidden=6 layers=3", rows[i].options);
        edge_world(&w, options, MP_RIG_ONES);
        for (int l = 0; l < 3; l++) {
            snprintf(name, sizeof name, "convs.%d.edge.weight", l);
            assert_int_equal(count_named(w.params, name), l < rows[i].layers);
        }
        mp_arena *a = mp_arena_new(1 << 16);
        mp_mat *before = forward(&w, a, w.order, GRAPHS);
        give_edges(&w, MP_RIG_SPARSE);
        mp_mat *after = forward(&w, a, w.order, GRAPHS);
        double change = 0;
        for (int k = 0; k < GRAPHS * OUTPUTS; k++) change = fmax(change, fabs(before->v[k] - after->v[k]));
        assert_true(change > 1e-6);
        mp_arena_free(a);
        world_free(&w);
    }
}

/* An engine cuts the batch; BatchNorm must see all of it. */
static void shards_carry_attributes_and_batch_norm_forbids_them(void **state)
{
    (void)state;
    static const char *const convs[] = { "gine", "ogb-gcn", "ogb-gin" };
    for (int i = 0; i < 3; i++) {
        world w;
        char options[128];
        snprintf(options, sizeof options, "pool=topk conv=%s hidden=6 layers=2", convs[i]);
        edge_world(&w, options, MP_RIG_SPARSE);
        static int many[40 * GRAPHS];
        for (int k = 0; k < 40 * GRAPHS; k++) many[k] = k % GRAPHS;
        mp_batch b = { .all = &w.all,
                       .x = &w.x,
                       .which = many,
                       .n = 40 * GRAPHS,
                       .labels = { .columns = 1, .v = w.class } },
                 largest;
        mp_engine *e = mp_engine_new(w.model, 2);
        int shards = mp_engine_cut(e, &b, &largest);
        assert_int_equal(mp_model_whole_batch(w.model), i == 2);
        assert_true(i == 2 ? shards == 1 : shards > 4);
        mp_real *out = MP_NEW(w.rig.memory, mp_real, b.n * OUTPUTS);
        assert_int_equal(mp_engine_predict(e, &b, out), MP_OK);
        mp_arena *a = mp_arena_new(1 << 16);
        mp_mat *y = forward(&w, a, w.order, GRAPHS);
        for (int k = 0; k < b.n; k++) { /* log-probabilities: differences of outputs */
            const mp_real *p = out + k * OUTPUTS, *q = y->v + many[k] * OUTPUTS;
            assert_true(fabs((p[1] - p[0]) - (q[1] - q[0])) <= 1e-9);
        }
        mp_arena_free(a);
        mp_engine_free(e);
        world_free(&w);
    }
}

static void graphs_without_the_attributes_are_refused(void **state)
{
    (void)state;
    world w;
    edge_world(&w, "pool=topk conv=gine hidden=4 layers=2", MP_RIG_ONES);
    mp_engine *e = mp_engine_new(w.model, 1);
    mp_batch b = batch_of(&w, 0, GRAPHS);
    mp_real *out = MP_NEW(w.rig.memory, mp_real, GRAPHS * OUTPUTS);
    double loss, aux;
    size_t bytes;
    assert_int_equal(mp_engine_predict(e, &b, out), MP_OK);
    const mp_sparse *other = mp_rig_attributes(&w.rig, &w.all, COLUMNS + 1, MP_RIG_ONES);
    for (int i = 0; i < 2; i++) {
        char want[128];
        w.all.edge_x = i ? other : NULL;
        snprintf(want, sizeof want, "the model reads 3 columns of attributes of edges, and the graphs have %d", 4 * i);
        assert_int_equal(mp_engine_predict(e, &b, out), MP_ERR_INPUT);
        assert_string_equal(mp_message(), want);
        assert_int_equal(mp_engine_train(e, &b, (mp_draw){ 1, 0, 0, 0 }, &loss, &aux), MP_ERR_INPUT);
        assert_int_equal(mp_engine_try(e, &b, false, &bytes), MP_ERR_INPUT);
    }
    mp_engine_free(e);
    world_free(&w);
}

/* Of networks that do not read them, attributes change no bit and cost no copy. */
static void attributes_that_nobody_reads_change_nothing(void **state)
{
    (void)state;
    static const char *const sets[] = { "pool=sag conv=gcn", "pool=sag conv=sage", "pool=att" };
    for (int i = 0; i < 3; i++) {
        world w;
        char options[128];
        snprintf(options, sizeof options, "%s hidden=6 layers=2", sets[i]);
        edge_world(&w, options, MP_RIG_SPARSE);
        mp_arena *a = mp_arena_new(1 << 16);
        mp_mat *with = forward(&w, a, w.order, GRAPHS);
        w.all.edge_x = NULL;
        mp_mat *without = forward(&w, a, w.order, GRAPHS);
        assert_memory_equal(with->v, without->v, sizeof(mp_real) * GRAPHS * OUTPUTS);
        mp_arena_free(a);
        world_free(&w);
    }
}

static void model_files_keep_the_number_of_columns(void **state)
{
    (void)state;
    world w;
    edge_world(&w, "pool=topk conv=gine hidden=4 layers=2", MP_RIG_ONES);
    static const int64_t classes[] = { 0, 1, 2 };
    mp_about about = { .classes = OUTPUTS, .class_value = classes, .dataset = "d", .version = "v" };
    about.recipe.attributes = FEATURES;
    about.recipe.edge_attributes = COLUMNS;
    mp_buf bytes = { 0 };
    mp_model *m;
    mp_checkpoint_write(w.model, &about, &bytes);
    mp_err e = mp_checkpoint_parse((mp_span){ bytes.p, bytes.n }, "m", w.rig.memory, &m, &about);
    if (e != MP_OK) fail_msg("%s", mp_message());
    assert_int_equal(mp_model_edge_features(m), COLUMNS);
    mp_buf_free(&bytes);
    world_free(&w);
}

/* Each column of labels is a table with a bound of its own (math.md 6.3). */
static void tables_are_drawn_within_their_own_bounds(void **state)
{
    (void)state;
    mp_arena *a = mp_arena_new(65536);
    mp_recipe r = {
        .label_columns = 3, .label_count = { 100, 2, 1 }, .edge_label_columns = 2, .edge_label_count = { 1, 60 }
    };
    static const int nodes[] = { 100, 2, 1 }, edges[] = { 1, 60 };
    mp_config c;
    mp_model *m;
    mp_config_init(&c);
    option_set(&c, "conv", "ogb-gcn");
    option_set(&c, "encoder", "embed");
    assert_int_equal(mp_model_new(a, &c, mp_inputs_of(&r, 2), &m), MP_OK);
    mp_params *p = mp_model_params(m);
    mp_params_init(p, 1, 0);
    for (int id = 0; id < p->count; id++) {
        const mp_param *q = &p->list[id];
        bool node = strcmp(q->name, "encoder.weight") == 0;
        if (!node && strcmp(q->name, "convs.0.edge.weight") != 0) continue;
        const mp_real *w = p->theta + q->offset;
        for (int t = 0; t < (node ? 3 : 2); t++) {
            int n = (node ? nodes : edges)[t] * q->cols;
            double bound = sqrt(6.0 / ((node ? nodes : edges)[t] + q->cols)), most = 0;
            for (int i = 0; i < n; i++) most = fmax(most, fabs((double)w[i]));
            assert_true(most <= bound && most > 0.9 * bound);
            w += n;
        }
    }
    mp_arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_are_drawn_within_their_own_bounds),
        cmocka_unit_test(a_convolution_that_needs_attributes_says_so),
        cmocka_unit_test(who_reads_no_attributes_does_not_ask_for_them),
        cmocka_unit_test(a_graph_alone_gets_the_answer_it_gets_in_a_batch),
        cmocka_unit_test(attributes_reach_the_blocks_that_the_rows_say),
        cmocka_unit_test(baselines_read_attributes_before_they_pool),
        cmocka_unit_test(shards_carry_attributes_and_batch_norm_forbids_them),
        cmocka_unit_test(graphs_without_the_attributes_are_refused),
        cmocka_unit_test(attributes_that_nobody_reads_change_nothing),
        cmocka_unit_test(model_files_keep_the_number_of_columns),
    };
    return cmocka_run_group_tests_name("networks and attributes of edges", tests, NULL, NULL);
}
