/* test_data_split.c - folds: dealt out, from index files, from JSON, fixed; and the seal over labels.
 * SPDX-License-Identifier: MIT */
#include "fixture.h"

#include "data/seal.h"
#include "data/split.h"

#include <math.h>

/* A set of `graphs` graphs of which split.c only needs the labels. Class sizes are uneven on purpose. */
static mp_dataset labelled(int graphs, int classes, mp_arena *a)
{
    double *label = MP_NEW(a, double, graphs);
    for (int b = 0; b < graphs; b++) label[b] = b * b % 7 % classes;
    return (mp_dataset){ .name = "T",
                         .graphs = { .graphs = graphs },
                         .task = &mp_task_classify,
                         .targets = 1,
                         .classes = classes,
                         .seal = mp_seal_new(a, graphs, (mp_labels){ .columns = 1, .v = label }) };
}

static void count_into(int *times, const int *list, int n)
{
    for (int i = 0; i < n; i++) {
        if (i) assert_true(list[i] > list[i - 1]);
        times[list[i]]++;
    }
}

/* Every graph tests once, and in each fold has exactly one role. */
static void stratified_folds_partition_the_set_for_any_number_of_folds(void **state)
{
    enum { GRAPHS = 137 };
    mp_dataset d = labelled(GRAPHS, 3, *state);
    for (int count = 2; count <= MP_MAX_FOLDS; count++) {
        mp_folds f;
        int tested[GRAPHS] = { 0 };
        WORKS(mp_folds_stratified(&d, count, *state, &f));
        assert_int_equal(f.count, count);
        assert_string_equal(f.from, "stratified");
        for (int i = 0; i < count; i++) {
            const mp_split *s = &f.split[i];
            int roles[GRAPHS] = { 0 };
            count_into(tested, s->test, s->n_test);
            count_into(roles, s->train, s->n_train);
            count_into(roles, s->val, s->n_val);
            count_into(roles, s->test, s->n_test);
            for (int b = 0; b < GRAPHS; b++) assert_int_equal(roles[b], 1);
            assert_int_equal(s->fold, i + 1);
            assert_true(s->n_train > 0 && s->n_val > 0);
        }
        for (int b = 0; b < GRAPHS; b++) assert_int_equal(tested[b], 1);
    }
}

static void stratified_folds_of_a_class_differ_by_at_most_one_graph(void **state)
{
    enum { GRAPHS = 200, CLASSES = 4, FOLDS = 10 };
    mp_dataset d = labelled(GRAPHS, CLASSES, *state);
    const double *label = mp_seal_break(d.seal).v;
    mp_folds f;
    WORKS(mp_folds_stratified(&d, FOLDS, *state, &f));
    for (int c = 0; c < CLASSES; c++) {
        int least = GRAPHS, most = 0;
        for (int i = 0; i < FOLDS; i++) {
            int n = 0;
            for (int k = 0; k < f.split[i].n_test; k++) n += label[f.split[i].test[k]] == c;
            if (n < least) least = n;
            if (n > most) most = n;
        }
        assert_true(most - least <= 1);
    }
    for (int i = 0; i < FOLDS; i++) assert_int_equal(f.split[i].n_test, GRAPHS / FOLDS);
}

static void validation_is_the_previous_test_fold(void **state)
{
    mp_dataset d = labelled(50, 2, *state);
    mp_folds f;
    WORKS(mp_folds_stratified(&d, 5, *state, &f));
    for (int i = 0; i < 5; i++) {
        const mp_split *before = &f.split[(i + 4) % 5];
        assert_int_equal(f.split[i].n_val, before->n_test);
        assert_memory_equal(f.split[i].val, before->test, sizeof(int) * (size_t)before->n_test);
    }
}

static void too_many_or_too_few_folds_are_refused(void **state)
{
    mp_dataset d = labelled(6, 2, *state);
    mp_folds f;
    FAILS(mp_folds_stratified(&d, 1, *state, &f), "expected 2 to 100");
    FAILS(mp_folds_stratified(&d, 101, *state, &f), "expected 2 to 100");
    FAILS(mp_folds_stratified(&d, 7, *state, &f), "6 graphs are too few for 7 folds");
}

static mp_fold_text three_folds(void)
{
    mp_fold_text t = { .where = "F" };
    t.train[0] = mp_span_of("5\n2\n3\n4\n6\n");
    t.test[0] = mp_span_of("1\n0\n");
    t.train[1] = mp_span_of("0\n1\n4\n5\n6");
    t.test[1] = mp_span_of("2\n3\n");
    t.train[2] = mp_span_of("0\n1\n2\n3\n6\n");
    t.test[2] = mp_span_of("4\n5\n");
    return t;
}

/* Graph 6 is in no test set, as some graphs of the published folds are. */
static void index_files_give_the_folds_of_the_authors_rule(void **state)
{
    mp_fold_text t = three_folds();
    mp_folds f;
    WORKS(mp_folds_parse(&t, 7, *state, &f));
    assert_int_equal(f.count, 3);
    assert_string_equal(f.from, "files");
    static const int train[] = { 2, 3, 6 }, val[] = { 4, 5 }, test[] = { 0, 1 };
    assert_int_equal(f.split[0].n_train, 3);
    assert_memory_equal(f.split[0].train, train, sizeof train);
    assert_memory_equal(f.split[0].val, val, sizeof val);
    assert_memory_equal(f.split[0].test, test, sizeof test);
}

static void bad_index_files_fail_with_name_and_line(void **state)
{
    static const struct {
        const char *train, *test, *message;
    } cases[] = {
        { "0\n1\n7\n", "2\n3\n", "F: train_idx-2.txt:3: graph 7 is outside 0..6" },
        { "0\n1\n-1\n", "2\n3\n", "F: train_idx-2.txt:3: graph -1 is outside 0..6" },
        { "0\n1\n0\n", "2\n3\n", "F: train_idx-2.txt:3: graph 0 is there twice" },
        { "0\nx\n", "2\n3\n", "F: train_idx-2.txt:2: expected a graph index, got 'x'" },
        { "0 1\n", "2\n3\n", "F: train_idx-2.txt:1: expected one graph index" },
        { "0\n3\n", "2\n3\n", "F: test_idx-2.txt:2: graph 3 is in the training set too" },
        { "0\n4\n", "", "F: test_idx-2.txt: empty" },
        { NULL, "2\n3\n", "F: train_idx-2.txt: missing" },
        { "0\n1\n", "2\n3\n", "F: fold 2 has no graphs left to train on" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mp_fold_text t = three_folds();
        mp_folds f;
        t.train[1] = cases[i].train ? mp_span_of(cases[i].train) : (mp_span){ NULL, 0 };
        t.test[1] = mp_span_of(cases[i].test);
        FAILS(mp_folds_parse(&t, 7, *state, &f), cases[i].message);
    }
}

static void index_files_may_bring_their_own_validation(void **state)
{
    mp_fold_text t = three_folds();
    mp_folds f;
    t.val[1] = mp_span_of("6\n");
    FAILS(mp_folds_parse(&t, 7, *state, &f), "F: val_idx-2.txt:1: graph 6 is in the training set too");
    t.train[1] = mp_span_of("0\n1\n4\n5\n");
    WORKS(mp_folds_parse(&t, 7, *state, &f));
    assert_int_equal(f.split[1].n_train, 4);
    assert_int_equal(f.split[1].n_val, 1);
    assert_int_equal(f.split[1].val[0], 6);
    t.val[1] = mp_span_of("3\n");
    FAILS(mp_folds_parse(&t, 7, *state, &f), "F: test_idx-2.txt:2: graph 3 is in the validation set too");
}

static void json_folds_may_bring_their_own_validation(void **state)
{
    const char *text = "{\"folds\": [{\"train\": [0, 1, 2], \"test\": [4], \"val\": [3]},\n"
                       "{\"train\": [0, 1, 4, 3], \"test\": [2]}]}";
    mp_folds f;
    WORKS(mp_folds_parse_json(mp_span_of(text), "f.json", 5, *state, &f));
    assert_int_equal(f.count, 2);
    assert_int_equal(f.split[0].n_train, 3);
    assert_int_equal(f.split[0].val[0], 3);
    assert_int_equal(f.split[1].val[0], 4);
    assert_int_equal(f.split[1].n_train, 3);
}

static void bad_json_folds_are_refused(void **state)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        { "{\"folds\": [{\"train\": [0], \"test\": [1, 2]", "f.json:1:" },
        { "{\"fold\": []}", "no such key 'fold'; did you mean 'folds'?" },
        { "{}", "'folds' is missing" },
        { "{\"folds\": []}", "0 folds" },
        { "{\"folds\": [{\"train\": [0, 1]}]}", "'test'" },
        { "{\"folds\": [{\"train\": [0, 5], \"test\": [1]}]}", "f.json:1" },
        { "{\"folds\": [{\"train\": [0, 1], \"test\": [1], \"val\": [2]}]}", "graph 1 is in 'train' and in 'test'" },
        { "{\"folds\": [{\"train\": [0, 1], \"test\": [2], \"val\": [2]}]}", "graph 2 is in 'val' and in 'test'" },
        { "{\"folds\": [{\"train\": [0, 1], \"test\": [2], \"val\": [1]}]}", "graph 1 is in 'train' and in 'val'" },
        { "{\"folds\": [{\"train\": [0, 1], \"test\": [2]}]}",
          "graph 2 is in the validation and the test set of fold 1" },
        { "{\"folds\": [{\"train\": [0], \"test\": [2],\n\"vall\": [1]}]}",
          "f.json:2: no such key 'vall'; did you mean 'val'?" },
        { "{\"folds\": [{\"train\": [0], \"test\": [2]}],\n\"seed\": 1}", "f.json:2: no such key 'seed'" },
        { "{\"folds\": [{\"train\": [0, 0], \"test\": [2], \"val\": [1]}]}", "graph 0 is in 'train' twice" },
        { "{\"folds\": [{\"train\": [], \"test\": [2], \"val\": [1]}]}", "'train' is empty" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mp_folds f;
        FAILS(mp_folds_parse_json(mp_span_of(cases[i].text), "f.json", 5, *state, &f), cases[i].message);
    }
}

static void a_fixed_split_is_one_fold(void **state)
{
    mp_dataset d = labelled(10, 2, *state);
    assert_false(mp_dataset_is_fixed(&d));
    static const int fixed[4][2] = { { 0, 5 }, { 5, 7 }, { 7, 9 }, { 9, 10 } };
    memcpy(d.fixed, fixed, sizeof fixed);
    mp_folds f;
    int n;
    mp_folds_fixed(&d, *state, &f);
    assert_int_equal(f.count, 1);
    assert_int_equal(f.split[0].fold, 0);
    assert_int_equal(f.split[0].n_train, 5);
    assert_int_equal(f.split[0].test[1], 8);
    assert_int_equal(mp_fixed_part(&d, 3, *state, &n)[0], 9);
    assert_int_equal(n, 1);
    mp_fixed_part(&d, 4, *state, &n);
    assert_int_equal(n, 0);
}

static void the_seal_shows_training_and_validation_labels_only(void **state)
{
    static const double label[] = { 0, 1, 0, 1, 1 };
    static const int train[] = { 0, 3 }, val[] = { 1 }, test[] = { 2, 4 };
    static const mp_real told[] = { -0.1f, -2, -0.1f, -2 }; /* class 0, twice */
    mp_goal goal = mp_goal_plain(2, false);
    const mp_metric *accuracy = mp_metric_find("accuracy");
    mp_seal *s = mp_seal_new(*state, 5, (mp_labels){ .columns = 1, .v = label });
    mp_labels o = mp_seal_open(s, *state, train, 2, val, 1);
    assert_true(o.v[0] == 0 && o.v[1] == 1 && isnan(o.v[2]) && o.v[3] == 1 && isnan(o.v[4]));
    assert_true(mp_seal_measure(s, accuracy, &goal, test, 2, told) == 0.5);
    assert_true(isnan(mp_seal_measure(s, accuracy, &goal, test, 0, told)));
}

static void every_column_of_a_sealed_graph_is_closed_and_missing_labels_stay_missing(void **state)
{
    static const double label[] = { 2, -1.5, 7, (double)NAN, 4, 5 };
    static const int train[] = { 1 }, test[] = { 0, 2 };
    static const mp_real told[] = { 2.5f, -1.5f, 4, 6 };
    mp_goal goal = { .task = &mp_task_regress, .columns = 2 };
    mp_seal *s = mp_seal_new(*state, 3, (mp_labels){ .columns = 2, .v = label });
    mp_labels o = mp_seal_open(s, *state, train, 1, NULL, 0);
    assert_int_equal(o.columns, 2);
    assert_true(isnan(o.v[0]) && isnan(o.v[1]) && o.v[2] == 7 && isnan(o.v[3]) && isnan(o.v[4]) && isnan(o.v[5]));
    assert_true(mp_seal_measure(s, mp_metric_find("mae"), &goal, test, 2, told) == (0.25 + 0.5) / 2);
    assert_int_equal(mp_seal_known(s, (const int[]){ 0, 1, 2 }, 3), 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(stratified_folds_partition_the_set_for_any_number_of_folds),
        CASE(stratified_folds_of_a_class_differ_by_at_most_one_graph),
        CASE(validation_is_the_previous_test_fold),
        CASE(too_many_or_too_few_folds_are_refused),
        CASE(index_files_give_the_folds_of_the_authors_rule),
        CASE(bad_index_files_fail_with_name_and_line),
        CASE(index_files_may_bring_their_own_validation),
        CASE(json_folds_may_bring_their_own_validation),
        CASE(bad_json_folds_are_refused),
        CASE(a_fixed_split_is_one_fold),
        CASE(the_seal_shows_training_and_validation_labels_only),
        CASE(every_column_of_a_sealed_graph_is_closed_and_missing_labels_stay_missing),
    };
    return cmocka_run_group_tests_name("data_split", tests, NULL, NULL);
}
