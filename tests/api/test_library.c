/* test_library.c - what midpool.h promises, seen from outside: the shared library and its header, nothing else.
 * SPDX-License-Identifier: MIT */
#include "world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

typedef struct fixture {
    world w;
    mp_data *data;
    mp_trained *model; /* sag with MID */
    mp_result result;
    char folder[64];
} fixture;

static const char *const usual[] = { "pool=sag", "preset=mid", FEW, NULL };

static void must(mp_err e)
{
    if (e != MP_OK) fail_msg("status %d: %s", (int)e, mp_message());
}

static int set_up(void **state)
{
    static fixture f;
    *state = &f;
    make_world(&f.w);
    strcpy(f.folder, "/tmp/midpool-library-XXXXXX");
    if (!mkdtemp(f.folder)) return -1;
    if (mp_data_make(&f.w.arrays, &f.data) != MP_OK) return -1;
    return mp_train(f.data, usual, NULL, &f.model, &f.result) == MP_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    char command[128];
    mp_trained_free(f->model);
    mp_data_free(f->data);
    snprintf(command, sizeof command, "rm -r '%s'", f->folder);
    return system(command);
}

static void fails(mp_err want, const char *words, mp_err e)
{
    if (e != want) fail_msg("status %d in place of %d: %s", (int)e, (int)want, mp_message());
    if (mp_status() != want) fail_msg("mp_status is %d, the call returned %d", (int)mp_status(), (int)want);
    if (!strstr(mp_message(), words)) fail_msg("'%s' does not hold '%s'", mp_message(), words);
}

/* ---- data ---- */

static void arrays_become_a_data_set(void **state)
{
    fixture *f = *state;
    mp_data_info info;
    mp_data_about(f->data, &info);
    assert_string_equal(info.name, "WORLD");
    assert_int_equal(info.graphs, GRAPHS);
    assert_int_equal(info.nodes, f->w.node_ptr[GRAPHS]);
    assert_int_equal(info.edges, f->w.arrays.edges);
    assert_int_equal(info.node_labels, 1);
    assert_int_equal(info.targets, 1);
}

static void impossible_arrays_are_refused_by_name(void **state)
{
    fixture *f = *state;
    mp_data *d = NULL;
    mp_arrays a = f->w.arrays;
    int ptr[] = { 0, 3, 3 }, from[] = { 0, 2 }, to[] = { 1, 3 };
    double label[] = { 0, (double)INFINITY };
    float attribute[8] = { [5] = NAN };
    const char *part[] = { "train", "later" };
    mp_arrays two = { .graphs = 2, .node_ptr = ptr };
    a.graphs = 0;
    fails(MP_ERR_INPUT, "at least one", mp_data_make(&a, &d));
    fails(MP_ERR_INPUT, "node_ptr[2]: 3, expected more than 3", mp_data_make(&two, &d));
    ptr[2] = 4;
    two.edges = 2;
    fails(MP_ERR_INPUT, "no numbers of nodes", mp_data_make(&two, &d));
    two.from = from;
    two.to = to;
    fails(MP_ERR_INPUT, "edge 1 joins node 2 of graph 0 and node 3 of graph 1", mp_data_make(&two, &d));
    to[1] = 4;
    fails(MP_ERR_INPUT, "edge 1 joins nodes 2 and 4, but nodes are 0 to 3", mp_data_make(&two, &d));
    two.edges = 1;
    two.targets = 1;
    fails(MP_ERR_USAGE, "label: 1 columns, but no values", mp_data_make(&two, &d));
    two.label = label;
    fails(MP_ERR_INPUT, "graph 1 has an infinite one", mp_data_make(&two, &d));
    label[1] = 1;
    two.node_attributes = 2;
    two.node_attribute = attribute;
    fails(MP_ERR_INPUT, "attributes of node 2: column 1 is not finite", mp_data_make(&two, &d));
    attribute[5] = 0;
    two.part = part;
    fails(MP_ERR_INPUT, "part[1]: expected train, val, test or NULL, got 'later'", mp_data_make(&two, &d));
    assert_null(d);
    fails(MP_ERR_USAGE, "mp_data_make: an argument is NULL", mp_data_make(NULL, &d));
    fails(MP_ERR_INPUT, "no data set 'NOSUCH'", mp_data_load("NOSUCH", NULL, &d));
    fails(MP_ERR_IO, "no such folder or file", mp_data_load("/nowhere/at/all", NULL, &d));
}

static void put(const char *folder, const char *name, const char *text)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    fputs(text, out);
    fclose(out);
}

static void files_give_what_the_same_arrays_give(void **state)
{
    fixture *f = *state;
    const world *w = &f->w;
    char folder[80], *edges = NULL, *owner = NULL, *nodes = NULL, *labels = NULL, *lines = NULL;
    size_t n;
    FILE *a = open_memstream(&edges, &n), *i = open_memstream(&owner, &n), *l = open_memstream(&nodes, &n),
         *y = open_memstream(&labels, &n), *j = open_memstream(&lines, &n);
    for (int e = 0; e < w->arrays.edges; e++) fprintf(a, "%d, %d\n", w->from[e] + 1, w->to[e] + 1);
    for (int b = 0; b < GRAPHS; b++) {
        int from[32], to[32];
        mp_query q = graph_of(w, b, from, to);
        fprintf(y, "%d\n", (int)w->class[b]);
        fprintf(j, "{\"nodes\":%d,\"edges\":[", q.nodes);
        for (int e = 0; e < q.edges; e++) fprintf(j, "%s[%d,%d]", e ? "," : "", from[e], to[e]);
        fprintf(j, "],\"labels\":[");
        for (int v = 0; v < q.nodes; v++) {
            fprintf(i, "%d\n", b + 1);
            fprintf(l, "%d\n", q.labels[v]);
            fprintf(j, "%s%d", v ? "," : "", q.labels[v]);
        }
        fprintf(j, "],\"y\":%d}\n", (int)w->class[b]);
    }
    fclose(a), fclose(i), fclose(l), fclose(y), fclose(j);
    snprintf(folder, sizeof folder, "%s/WORLD", f->folder);
    assert_int_equal(mkdir(folder, 0700), 0);
    put(folder, "WORLD_A.txt", edges);
    put(folder, "WORLD_graph_indicator.txt", owner);
    put(folder, "WORLD_node_labels.txt", nodes);
    put(folder, "WORLD_graph_labels.txt", labels);
    put(f->folder, "world.jsonl", lines);
    free(edges), free(owner), free(nodes), free(labels), free(lines);

    mp_arrays plain = w->arrays;
    plain.part = NULL; /* files without a split: folds */
    mp_data *from[3];
    mp_result r[3];
    char path[128];
    snprintf(path, sizeof path, "%s/world.jsonl", f->folder);
    must(mp_data_make(&plain, &from[0]));
    must(mp_data_load("WORLD", f->folder, &from[1]));
    must(mp_data_load(path, NULL, &from[2]));
    for (int k = 0; k < 3; k++) {
        static const char *const options[] = { "pool=topk", "fold=2", "folds=5", FEW, NULL };
        mp_trained *m;
        must(mp_train(from[k], options, NULL, &m, &r[k]));
        assert_int_equal(r[k].test_graphs, 12);
        mp_trained_free(m);
        mp_data_free(from[k]);
    }
    for (int k = 1; k < 3; k++) {
        assert_memory_equal(&r[k].val_loss, &r[0].val_loss, sizeof r[0].val_loss);
        assert_memory_equal(r[k].val, r[0].val, sizeof r[0].val);
    }
    fails(MP_ERR_IO, "no folder", mp_data_load("WORLD", "/nowhere", &from[0]));
}

static void archives_are_left_to_the_program(void **state)
{
    fixture *f = *state;
    mp_data *d;
    char path[128];
    snprintf(path, sizeof path, "%s/some.zip", f->folder);
    put(f->folder, "some.zip", "PK\3\4");
    fails(MP_ERR_INPUT, "the library reads no archives", mp_data_load(path, NULL, &d));
}

/* ---- training ---- */

static mp_err train_with(const fixture *f, const char *one, const char *two)
{
    const char *options[] = { FEW, one, two, NULL };
    mp_trained *m;
    mp_err e = mp_train(f->data, options, NULL, &m, NULL);
    if (e == MP_OK) mp_trained_free(m);
    return e;
}

static void options_are_checked_as_the_program_checks_them(void **state)
{
    fixture *f = *state;
    fails(MP_ERR_USAGE, "rato: no such option; did you mean 'ratio'?", train_with(f, "rato=0.5", NULL));
    fails(MP_ERR_USAGE, "ratio: expected a number from 1e-06 to 1, got '2'", train_with(f, "ratio=2", NULL));
    fails(MP_ERR_USAGE, "expected a text such as 'ratio=0.25', got 'ratio'", train_with(f, "ratio", NULL));
    fails(MP_ERR_USAGE, "alpha: not used by topk", train_with(f, "pool=topk", "alpha=0.3"));
    fails(MP_ERR_USAGE, "'sagg'", train_with(f, "pool=sagg", NULL));
    fails(MP_ERR_USAGE, "no preset 'midd'", train_with(f, "preset=midd", NULL));
    fails(MP_ERR_USAGE, "fold: WORLD has 1 fold", train_with(f, "fold=3", NULL));
    fails(MP_ERR_USAGE, "mae", train_with(f, "metric=mae", NULL));
    fails(MP_ERR_USAGE, "mp_train: an argument is NULL", mp_train(NULL, usual, NULL, &f->model, NULL));
}

static void a_result_has_every_metric(void **state)
{
    fixture *f = *state;
    const mp_result *r = &f->result;
    assert_string_equal(r->task, "classify");
    assert_string_equal(r->metric, "accuracy");
    assert_int_equal(r->train_graphs, 36);
    assert_int_equal(r->val_graphs, 12);
    assert_int_equal(r->test_graphs, 12);
    assert_true(r->epochs == 6 && r->best_epoch >= 1 && r->metrics >= 4);
    assert_true(r->val[0].value == r->val_metric && r->test[0].value == r->test_metric);
}

typedef struct watcher {
    int calls, at;
    mp_verdict then;
} watcher;

static mp_verdict on_epoch(void *state, const mp_news *n)
{
    watcher *w = state;
    assert_int_equal(n->epoch, ++w->calls);
    assert_int_equal(n->epochs, 6);
    assert_string_equal(n->metric, "accuracy");
    return n->epoch == w->at ? w->then : MP_GO_ON;
}

static void a_watcher_hears_of_every_epoch_and_may_end_it(void **state)
{
    fixture *f = *state;
    watcher w = { .at = 99 };
    mp_watch watch = { on_epoch, &w };
    mp_result r;
    mp_trained *m = NULL;
    must(mp_train(f->data, usual, &watch, &m, &r));
    assert_int_equal(w.calls, 6);
    assert_string_equal(r.sha256, f->result.sha256);
    mp_trained_free(m);
    w = (watcher){ .at = 2, .then = MP_ENOUGH };
    must(mp_train(f->data, usual, &watch, &m, &r));
    assert_int_equal(r.epochs, 2);
    mp_trained_free(m);
    w = (watcher){ .at = 2, .then = MP_CANCEL };
    m = NULL;
    fails(MP_ERR_STOPPED, "training was stopped", mp_train(f->data, usual, &watch, &m, &r));
    assert_null(m);
    assert_int_equal(w.calls, 2);
}

typedef struct case_of {
    const char *const *options;
    const char *task, *metric;
    int targets;
    const double *label;
} case_of;

static void other_tasks_and_values_of_edges_are_learned(void **state)
{
    fixture *f = *state;
    static const char *const regress[] = { FEW, "task=regress", "loss=huber", NULL };
    static const char *const binary[] = { FEW, "task=binary", "metric=average_precision", NULL };
    static const char *const gine[] = { FEW, "conv=gine", NULL };
    const case_of cases[] = { { regress, "regress", "mae", 2, f->w.two },
                              { binary, "binary", "average_precision", 2, f->w.yes },
                              { gine, "classify", "accuracy", 1, f->w.class },
                              { gine, "classify", "accuracy", 1, f->w.class } };
    for (int i = 0; i < 4; i++) {
        mp_arrays a = f->w.arrays;
        a.targets = cases[i].targets;
        a.label = cases[i].label;
        a.edge_labels = i < 3; /* the last has one number an edge */
        a.edge_attributes = 1;
        a.edge_label = f->w.edge_label;
        a.edge_attribute = f->w.edge_attribute;
        a.node_attributes = 2;
        a.node_attribute = f->w.node_attribute;
        mp_data *d;
        mp_trained *m;
        mp_result r;
        mp_trained_info info;
        double answer[2 * GRAPHS];
        must(mp_data_make(&a, &d));
        must(mp_train(d, cases[i].options, NULL, &m, &r));
        assert_string_equal(r.task, cases[i].task);
        assert_string_equal(r.metric, cases[i].metric);
        mp_trained_about(m, &info);
        assert_int_equal(info.targets, cases[i].targets);
        assert_int_equal(info.node_attributes, 2);
        assert_true(info.edge_labels == (i == 2) && info.edge_attributes == (i >= 2));
        must(mp_predict_data(m, d, NULL, 0, 2, NULL, answer));
        mp_predictor *p;
        mp_explanation why;
        must(mp_predictor_new(m, &p));
        for (int b = 0; b < GRAPHS; b++) { /* alone and together: the same answers */
            must(mp_explain_data(p, d, b, &why));
            assert_int_equal(why.levels, 2);
            for (int t = 0; t < why.answer.targets; t++)
                assert_true(fabs(why.answer.answer[t] - answer[b * cases[i].targets + t]) < 1e-4);
        }
        mp_predictor_free(p);
        mp_trained_free(m);
        mp_data_free(d);
    }
}

/* ---- trained models ---- */

typedef struct bytes {
    char *p;
    size_t n;
} bytes;

static mp_err take(void *state, const void *p, size_t n)
{
    bytes *b = state;
    b->p = malloc(n);
    b->n = n;
    memcpy(b->p, p, n);
    return MP_OK;
}

static void a_model_survives_its_file(void **state)
{
    fixture *f = *state;
    char path[128], text[32], other[2];
    bytes b, again;
    mp_trained *m[2];
    mp_trained_info info;
    int64_t value;
    const char *name;
    snprintf(path, sizeof path, "%s/m.safetensors", f->folder);
    must(mp_trained_save(f->model, path));
    must(mp_trained_write(f->model, take, &b));
    must(mp_trained_load(path, &m[0]));
    must(mp_trained_from(b.p, b.n, &m[1]));
    for (int i = 0; i < 2; i++) {
        must(mp_trained_write(m[i], take, &again));
        assert_int_equal(again.n, b.n);
        assert_memory_equal(again.p, b.p, b.n);
        free(again.p);
        mp_trained_about(m[i], &info);
        assert_string_equal(info.method, "sag");
        assert_string_equal(info.dataset, "WORLD");
        assert_int_equal(info.features, 3);
        assert_int_equal(info.classes, 2);
        assert_int_equal(info.outputs, 2);
        must(mp_trained_class(m[i], 1, &value, &name));
        assert_true(value == 7 && !name);
        must(mp_trained_option(m[i], "score-dim", text, sizeof text));
        assert_string_equal(text, "5");
        mp_trained_free(m[i]);
    }
    fails(MP_ERR_USAGE, "there is no class 2", mp_trained_class(f->model, 2, &value, NULL));
    fails(MP_ERR_USAGE, "no such option", mp_trained_option(f->model, "score-dims", text, sizeof text));
    fails(MP_ERR_LIMIT, "needs more room", mp_trained_option(f->model, "pool", other, sizeof other));
    fails(MP_ERR_IO, "/nowhere", mp_trained_save(f->model, "/nowhere/m.safetensors"));
    fails(MP_ERR_IO, "/nowhere", mp_trained_load("/nowhere/m.safetensors", &m[0]));
    b.p[b.n - 3] ^= 1;
    fails(MP_ERR_INPUT, "", mp_trained_from(b.p, b.n, &m[0]));
    free(b.p);
}

static void one_graph_and_many_get_the_same_answers(void **state)
{
    fixture *f = *state;
    float value[2 * GRAPHS], some[4];
    double answer[GRAPHS];
    static const int which[] = { 41, 2 };
    mp_predictor *p;
    must(mp_predict_data(f->model, f->data, NULL, 0, 2, value, answer));
    must(mp_predict_data(f->model, f->data, which, 2, 1, some, NULL));
    assert_memory_equal(some, value + 82, 2 * sizeof *some);
    assert_memory_equal(some + 2, value + 4, 2 * sizeof *some);
    must(mp_predictor_new(f->model, &p));
    for (int b = 0; b < GRAPHS; b++) {
        int from[32], to[32];
        mp_query q = graph_of(&f->w, b, from, to);
        mp_answer a;
        assert_true(mp_predict(p, &q, &a));
        assert_true(a.outputs == 2 && a.targets == 1);
        assert_true(fabsf(a.value[0] - value[2 * b]) < 1e-6f && fabsf(a.value[1] - value[2 * b + 1]) < 1e-6f);
        assert_int_equal(a.class_index, (int)answer[b]);
        assert_int_equal(a.label, answer[b] == 0 ? 3 : 7);
    }
    mp_predictor_free(p);
    static const int wrong[] = { GRAPHS };
    fails(MP_ERR_USAGE, "there is no graph 60", mp_predict_data(f->model, f->data, wrong, 1, 1, value, NULL));
    fails(MP_ERR_USAGE, "threads: expected 0 to 256, got -1",
          mp_predict_data(f->model, f->data, NULL, 0, -1, value, NULL));
}

static void evaluation_repeats_what_training_said(void **state)
{
    fixture *f = *state;
    int test[12], n;
    mp_metric_value m[MP_METRICS_ROOM];
    for (int i = 0; i < 12; i++) test[i] = 48 + i;
    must(mp_evaluate(f->model, f->data, test, 12, 2, m, &n));
    assert_int_equal(n, f->result.metrics);
    for (int i = 0; i < n; i++) {
        assert_string_equal(m[i].name, f->result.test[i].name);
        assert_memory_equal(&m[i].value, &f->result.test[i].value, sizeof m[i].value);
    }
    mp_arrays a = f->w.arrays;
    mp_data *d;
    a.targets = 0;
    a.label = NULL;
    must(mp_data_make(&a, &d));
    fails(MP_ERR_INPUT, "no labels of graphs", mp_evaluate(f->model, d, NULL, 0, 1, m, &n));
    must(mp_predict_data(f->model, d, NULL, 0, 1, NULL, NULL));
    mp_data_free(d);
}

static void an_explanation_names_the_nodes_that_were_kept(void **state)
{
    fixture *f = *state;
    int from[32], to[32];
    mp_query q = graph_of(&f->w, 6, from, to); /* a ring of 11 */
    mp_explanation why;
    mp_predictor *p;
    must(mp_predictor_new(f->model, &p));
    must(mp_explain(p, &q, &why));
    assert_int_equal(why.levels, 2);
    assert_int_equal(why.level[0].nodes, 11);
    assert_int_equal(why.level[0].keep, 6);
    assert_int_equal(why.level[0].columns, 5);
    assert_int_equal(why.level[0].edges, 11);
    assert_int_equal(why.level[1].nodes, 6);
    assert_int_equal(why.level[1].keep, 3);
    for (int i = 0; i < 6; i++) {
        int v = why.level[0].order[i];
        assert_int_equal(why.level[1].node[i], v);
        assert_true(why.level[0].kept[v]);
        if (i) assert_true(why.level[0].key[why.level[0].order[i - 1]] >= why.level[0].key[v]);
    }
    mp_answer a;
    float before = why.answer.value[0];
    assert_true(mp_predict(p, &q, &a));
    assert_true(a.value[0] == before);
    fails(MP_ERR_USAGE, "there is no graph -1", mp_explain_data(p, f->data, -1, &why));
    mp_predictor_free(p);
}

static void outputs_that_are_not_finite_are_no_answer(void **state)
{
    fixture *f = *state;
    static const char *const options[] = { FEW, "conv=gin", "pool=set2set",
                                           NULL }; /* no scores that are looked at before */
    static const float huge[] = { 3e38f, 3e38f, 3e38f, 3e38f };
    static const int from[] = { 0 }, to[] = { 1 };
    mp_arrays arrays = f->w.arrays;
    arrays.node_attributes = 2;
    arrays.node_attribute = f->w.node_attribute;
    mp_data *d;
    mp_trained *m;
    mp_predictor *p;
    mp_answer a;
    mp_explanation why;
    must(mp_data_make(&arrays, &d));
    must(mp_train(d, options, NULL, &m, NULL));
    must(mp_predictor_new(m, &p));
    mp_query q = { .nodes = 2, .edges = 1, .from = from, .to = to, .labels = f->w.node_label, .attributes = huge };
    assert_false(mp_predict(p, &q, &a));
    fails(MP_ERR_DIVERGED, "the model's output is not finite", mp_explain(p, &q, &why));
    mp_predictor_free(p);
    mp_trained_free(m);
    mp_data_free(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(outputs_that_are_not_finite_are_no_answer),
        cmocka_unit_test(arrays_become_a_data_set),
        cmocka_unit_test(impossible_arrays_are_refused_by_name),
        cmocka_unit_test(files_give_what_the_same_arrays_give),
        cmocka_unit_test(archives_are_left_to_the_program),
        cmocka_unit_test(options_are_checked_as_the_program_checks_them),
        cmocka_unit_test(a_result_has_every_metric),
        cmocka_unit_test(a_watcher_hears_of_every_epoch_and_may_end_it),
        cmocka_unit_test(other_tasks_and_values_of_edges_are_learned),
        cmocka_unit_test(a_model_survives_its_file),
        cmocka_unit_test(one_graph_and_many_get_the_same_answers),
        cmocka_unit_test(evaluation_repeats_what_training_said),
        cmocka_unit_test(an_explanation_names_the_nodes_that_were_kept),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
