/* test_nodes.c - networks whose outputs are rows of nodes: what is learned, what the loss is, what a run of it gives.
 * SPDX-License-Identifier: MIT */
#include "data/generate.h"
#include "data/load.h"
#include "data/seal.h"
#include "model/checkpoint.h"
#include "train/once.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#define KINDS 5

typedef struct fixture {
    mp_arena *a;
    mp_raw raw;
    mp_config c;
} fixture;

/* Graphs of 12 nodes, with two numbers a node. */
static int set_up(void **state)
{
    static fixture f;
    f.a = mp_arena_new(1 << 20);
    mp_config_init(&f.c);
    *state = &f;
    return mp_generate_er(&(mp_er_options){ 0, 300, 12, 14, 2 }, f.a, &f.raw) == MP_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    mp_arena_free(((fixture *)*state)->a);
    return 0;
}

static void set(mp_config *c, const char *settings)
{
    assert_int_equal(mp_conf_set_all(mp_config_table, c, settings, "test"), MP_OK);
}

/* The same graphs with a label a node instead: 3 .. 3 + KINDS - 1. */
static void label_nodes(fixture *f)
{
    int *label = MP_NEW(f->a, int, f->raw.graphs.nodes);
    for (int v = 0; v < f->raw.graphs.nodes; v++) label[v] = 3 + (v * v + v / 12) % KINDS;
    f->raw.labels = label;
    f->raw.label_columns = 1;
    f->raw.attributes = (mp_sparse){ 0 };
}

static void build(fixture *f, mp_dataset *d)
{
    mp_dataset_as as = mp_config_as(&f->c);
    assert_int_equal(mp_dataset_build(&f->raw, &as, f->a, d), MP_OK);
}

static mp_model *model_of(fixture *f, const mp_dataset *d)
{
    mp_model *m;
    if (mp_run_plan(d, &f->c, f->a, &m) != MP_OK) fail_msg("%s", mp_message());
    mp_params_alloc(mp_model_params(m));
    return m;
}

static mp_err run(fixture *f, const mp_dataset *d, int threads, mp_run_result *r, mp_model **m)
{
    static const mp_fit_options nothing;
    mp_folds folds;
    MP_TRY(mp_folds_load(d, NULL, 0, f->a, &folds));
    mp_run_key key = mp_run_key_of(d, &folds, &folds.split[0], &f->c);
    return mp_run_once(d, &folds.split[0], &key, threads, &nothing, f->a, r, m);
}

static void the_features_of_nodes_decide_what_an_autoencoder_learns(void **state)
{
    fixture *f = *state;
    mp_dataset d;
    set(&f->c, "arch=autoencoder");
    build(f, &d);
    assert_ptr_equal(d.task, &mp_task_node_numbers);
    assert_int_equal(d.targets, 2);
    mp_labels labels = mp_seal_break(d.seal);
    for (int v = 0; v < d.graphs.nodes; v++)
        for (int k = 0; k < 2; k++) assert_true(labels.v[2 * v + k] == (double)f->raw.attributes.val[2 * v + k]);
    label_nodes(f);
    build(f, &d);
    assert_ptr_equal(d.task, &mp_task_node_labels);
    assert_int_equal(d.classes, KINDS);
    labels = mp_seal_break(d.seal);
    for (int v = 0; v < d.graphs.nodes; v++) assert_int_equal(d.class_value[(int)labels.v[v]], f->raw.labels[v]);
}

/* Without weights all outputs are 0: every class is as likely, and the error of a number is the number. */
static void the_loss_is_a_mean_over_nodes(void **state)
{
    fixture *f = *state;
    static const int which[] = { 5, 0, 7 };
    mp_dataset d;
    double loss, aux, squares = 0;
    set(&f->c, "arch=autoencoder hidden=4 lr=0");
    build(f, &d);
    mp_batch b = { &d.graphs, &d.x, which, 3, mp_seal_break(d.seal) };
    mp_engine *e = mp_engine_new(model_of(f, &d), 2);
    assert_int_equal(mp_engine_train(e, &b, (mp_draw){ 1, 0, 1, 0 }, &loss, &aux), MP_OK);
    mp_engine_free(e);
    for (int i = 0; i < 3; i++)
        for (int v = 24 * which[i]; v < 24 * (which[i] + 1); v++)
            squares += (double)f->raw.attributes.val[v] * (double)f->raw.attributes.val[v];
    assert_float_equal(loss, squares / (3 * 24), 1e-5);
    label_nodes(f);
    build(f, &d);
    b = (mp_batch){ &d.graphs, &d.x, which, 3, mp_seal_break(d.seal) };
    e = mp_engine_new(model_of(f, &d), 2);
    assert_int_equal(mp_engine_train(e, &b, (mp_draw){ 1, 0, 1, 0 }, &loss, &aux), MP_OK);
    mp_engine_free(e);
    assert_float_equal(loss, log(KINDS), 1e-5);
}

/* Whatever the cut into shards: rows of a list of graphs are those of its graphs, one after the other. */
static void outputs_come_in_the_order_of_the_list(void **state)
{
    fixture *f = *state;
    mp_dataset d;
    set(&f->c, "arch=autoencoder-literal hidden=16 pool=sag");
    build(f, &d);
    mp_model *m = model_of(f, &d);
    mp_params_init(mp_model_params(m), 1, 0);
    mp_engine *e = mp_engine_new(m, 3);
    int order[300];
    for (int i = 0; i < 300; i++) order[i] = (i * 7 + 3) % 300;
    mp_batch all = { .all = &d.graphs, .x = &d.x, .which = order, .n = 300 };
    assert_int_equal(mp_batch_rows(&all, m), 300 * 12);
    mp_real *out = MP_NEW(f->a, mp_real, 300 * 24), one[24];
    assert_int_equal(mp_engine_predict(e, &all, out), MP_OK);
    int below = 0; /* the last convolution has no ReLU */
    for (int i = 0; i < 300 * 24; i++) below += out[i] < 0;
    assert_true(below > 0);
    for (int i = 0; i < 300; i += 13) {
        mp_batch alone = { .all = &d.graphs, .x = &d.x, .which = order + i, .n = 1 };
        assert_int_equal(mp_engine_predict(e, &alone, one), MP_OK);
        assert_memory_equal(one, out + 24 * i, sizeof one);
    }
    mp_engine_free(e);
}

static void training_gives_the_same_bits_on_any_number_of_threads_and_the_loss_falls(void **state)
{
    fixture *f = *state;
    mp_dataset d;
    mp_run_result one, three;
    label_nodes(f);
    set(&f->c, "arch=autoencoder hidden=16 pool=topk epochs=8 batch-size=200 lr=0.01 drop=0.1 flip=true score-dim=2");
    build(f, &d);
    assert_int_equal(run(f, &d, 1, &one, NULL), MP_OK);
    assert_int_equal(run(f, &d, 3, &three, NULL), MP_OK);
    assert_string_equal(one.model_sha256, three.model_sha256);
    assert_memory_equal(one.curve, three.curve, sizeof *one.curve * 8);
    assert_string_equal(one.task, "node-labels");
    assert_string_equal(one.metric, "accuracy");
    assert_true(one.curve[7].train_loss < 0.9 * one.curve[0].train_loss);
    assert_true(one.test_metric > 1.2 / KINDS && one.test_metric <= 1);
}

static void one_graph_trains_and_validates_and_stops_by_its_training_loss(void **state)
{
    fixture *f = *state;
    mp_dataset d;
    mp_run_result r;
    mp_model *m;
    assert_int_equal(mp_generate_er(&(mp_er_options){ 3, 1, 30, 60, 2 }, f->a, &f->raw), MP_OK);
    set(&f->c, "arch=autoencoder hidden=8 pool=sag epochs=400 patience=3 lr=0.02 weight-decay=0 stop-on=train-loss");
    build(f, &d);
    assert_int_equal(run(f, &d, 1, &r, &m), MP_OK);
    int best = 0, seen = 0; /* the first of the smallest; patience + 1 epochs behind it */
    for (int i = 1; i < r.curve_len; i++)
        if (r.curve[i].train_loss < r.curve[best].train_loss) best = i;
    for (int i = 0; i < r.curve_len; i++) seen += r.curve[i].val_loss < r.curve[best].val_loss;
    assert_int_equal(r.best_epoch, best + 1);
    assert_int_equal(r.epochs, best + 1 + 4);
    assert_false(r.hit_cap);
    assert_true(seen > 0); /* another epoch than the validation loss would have chosen */
    assert_true(isnan(r.test_metric));
    /* the loss of training is that of the weights before the step: with those of the epoch before */
    assert_true(fabs(r.curve[4].train_loss - r.curve[3].val_loss) < 1e-5);
    assert_true(fabs(r.val_loss - r.val_metric) < 1e-6); /* mse is the loss */
}

static void labels_of_test_nodes_stay_sealed(void **state)
{
    fixture *f = *state;
    static const int train[] = { 2 }, val[] = { 0 };
    mp_dataset d;
    set(&f->c, "arch=autoencoder");
    build(f, &d);
    mp_labels open = mp_seal_open(d.seal, f->a, train, 1, val, 1);
    for (int v = 0; v < d.graphs.nodes; v++)
        for (int k = 0; k < 2; k++) assert_int_equal(!isnan(open.v[2 * v + k]), v / 12 == 0 || v / 12 == 2);
    assert_int_equal(mp_labels_known(&open, train, 1), 24);
}

static void task_and_network_must_go_together(void **state)
{
    fixture *f = *state;
    mp_dataset d;
    set(&f->c, "arch=autoencoder task=classify");
    build(f, &d);
    assert_int_equal(mp_run_check(&d, &f->c), MP_ERR_USAGE);
    assert_string_equal(mp_message(), "arch: an autoencoder has outputs for nodes, and task classify is about graphs");
    set(&f->c, "arch=tu task=node-numbers");
    build(f, &d);
    assert_int_equal(mp_run_check(&d, &f->c), MP_ERR_USAGE);
    assert_string_equal(mp_message(), "task: node-numbers is about nodes; its outputs are those of --arch autoencoder");
    mp_dataset_as as = { .task = &mp_task_node_labels };
    assert_int_equal(mp_dataset_build(&f->raw, &as, f->a, &d), MP_ERR_INPUT);
    assert_string_equal(mp_message(),
                        "ER: task node-labels takes one label a node as features and nothing else; it has 2 columns");
    label_nodes(f);
    as.task = &mp_task_node_numbers;
    assert_int_equal(mp_dataset_build(&f->raw, &as, f->a, &d), MP_ERR_INPUT);
}

static void a_saved_network_of_nodes_comes_back(void **state)
{
    fixture *f = *state;
    mp_dataset d, again;
    mp_model *back;
    mp_about about;
    label_nodes(f);
    set(&f->c, "arch=autoencoder hidden=8 pool=sag");
    build(f, &d);
    mp_model *m = model_of(f, &d);
    mp_params_init(mp_model_params(m), 1, 0);
    mp_buf bytes = { 0 };
    mp_about mine = mp_about_of(&d, m);
    mp_checkpoint_write(m, &mine, &bytes);
    if (mp_checkpoint_parse((mp_span){ bytes.p, bytes.n }, "m", f->a, &back, &about) != MP_OK)
        fail_msg("%s", mp_message());
    mp_buf_free(&bytes);
    assert_ptr_equal(mp_model_goal(back)->task, &mp_task_node_labels);
    mp_dataset_as as = mp_about_as(back, &about);
    assert_int_equal(mp_dataset_build(&f->raw, &as, f->a, &again), MP_OK);
    assert_true(again.fingerprint == d.fingerprint);
    assert_int_equal(mp_task_of_graphs(mp_model_goal(back)->task, "m"), MP_ERR_USAGE);
    assert_string_equal(mp_message(),
                        "m: task node-labels has answers for nodes, and here there is one answer a graph");
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(the_features_of_nodes_decide_what_an_autoencoder_learns),
        CASE(the_loss_is_a_mean_over_nodes),
        CASE(outputs_come_in_the_order_of_the_list),
        CASE(training_gives_the_same_bits_on_any_number_of_threads_and_the_loss_falls),
        CASE(one_graph_trains_and_validates_and_stops_by_its_training_loss),
        CASE(labels_of_test_nodes_stay_sealed),
        CASE(task_and_network_must_go_together),
        CASE(a_saved_network_of_nodes_comes_back),
    };
    return cmocka_run_group_tests_name("nodes", tests, NULL, NULL);
}
