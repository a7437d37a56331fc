/* test_data_rules.c - splits and folds by rule, against cases done by hand and what must hold for all.
 * SPDX-License-Identifier: MIT */
#include "fixture.h"

#include "base/rng.h"
#include "data/rules.h"

/* Graphs of one node, with a class and a note each. */
static void make_set(int graphs, const int64_t *label, const char *const *note, mp_arena *a, mp_raw *raw, mp_dataset *d)
{
    static const char *const name[] = { "lab" };
    int *node_ptr = MP_NEW(a, int, graphs + 1), *row_ptr = MP_NEW(a, int, graphs + 1);
    for (int b = 0; b < graphs; b++) node_ptr[b + 1] = b + 1;
    *raw = (mp_raw){ .name = "S",
                     .graphs = mp_graph_of(a, graphs, node_ptr, row_ptr, MP_NEW(a, int, 1), MP_NEW(a, int, 1)),
                     .graph_label = label,
                     .notes = note ? 1 : 0,
                     .note_name = name,
                     .note = note };
    WORKS(mp_dataset_build(raw, NULL, a, d));
}

static void is_list(const int *list, int n, const char *wanted, mp_arena *a)
{
    const char *got = "";
    for (int i = 0; i < n; i++) got = mp_arena_printf(a, "%s%s%d", got, i ? " " : "", list[i]);
    assert_string_equal(got, wanted);
}

static void is_split(const mp_split *s, const char *train, const char *val, const char *test, mp_arena *a)
{
    is_list(s->train, s->n_train, train, a);
    is_list(s->val, s->n_val, val, a);
    is_list(s->test, s->n_test, test, a);
}

static const int64_t ten_classes[] = { 0, 1, 0, 1, 0, 1, 0, 1, 0, 1 };

/* Groups a: 0 1 2 3, b: 4 5 6, c: 7 8, d: 9. Dealt by size to the smallest of three folds: a to 1, b to 2, c to 3, d to 3. */
static void groups_go_to_the_fold_with_the_fewest_graphs(void **state)
{
    static const char *const lab[] = { "a", "a", "a", "a", "b", "b", "b", "c", "c", "d" };
    mp_arena *a = *state;
    mp_raw raw;
    mp_dataset d;
    mp_folds f;
    make_set(10, ten_classes, lab, a, &raw, &d);
    WORKS(mp_rule_folds("group:lab", 3, &raw, &d, a, &f));
    assert_int_equal(f.count, 3);
    is_split(&f.split[0], "4 5 6", "7 8 9", "0 1 2 3", a);
    is_split(&f.split[1], "7 8 9", "0 1 2 3", "4 5 6", a);
    is_split(&f.split[2], "0 1 2 3", "4 5 6", "7 8 9", a);
    /* Two folds: a and d, b and c; the second group of the half that trains validates. */
    WORKS(mp_rule_folds("group:lab", 2, &raw, &d, a, &f));
    is_split(&f.split[0], "4 5 6", "7 8", "0 1 2 3 9", a);
    is_split(&f.split[1], "0 1 2 3", "9", "4 5 6 7 8", a);
    FAILS(mp_rule_folds("group:lab", 5, &raw, &d, a, &f), "S: 4 groups are too few for 5 folds");
    FAILS(mp_rule_folds("group:who", 3, &raw, &d, a, &f), "nothing of its graphs is called 'who'; there is lab");
}

/* Eight of ten train: b, a and c fill 8, d is the ninth, e the tenth. */
static void one_fold_by_group_fills_training_first(void **state)
{
    static const char *const lab[] = { "a", "a", "a", "b", "b", "b", "b", "c", "d", "e" };
    mp_arena *a = *state;
    mp_raw raw;
    mp_dataset d;
    mp_folds f;
    make_set(10, ten_classes, lab, a, &raw, &d);
    WORKS(mp_rule_folds("group:lab", 1, &raw, &d, a, &f));
    is_split(&f.split[0], "0 1 2 3 4 5 6 9", "8", "7", a); /* of groups of one the later graph comes first */
    static const char *const one[] = { "a", "a", "a", "a", "a", "a", "a", "a", "a", "a" };
    make_set(10, ten_classes, one, a, &raw, &d);
    FAILS(mp_rule_folds("group:lab", 1, &raw, &d, a, &f), "fold 1 has no graphs left to train");
}

/* In their order: 9 8 ... 0. Three folds: five runs of two. */
static void later_graphs_test(void **state)
{
    static const char *const year[] = {
        "2019", "2018", "2017", "2016", "2015", "2014", "2013", "2012", "2011", "2010"
    };
    static const char *const date[] = { "2021-03-09", "2021-03", "2020-12-31T12:00" };
    static const char *const odd[] = { "2021", "soon", "2020" };
    mp_arena *a = *state;
    mp_raw raw;
    mp_dataset d;
    mp_folds f;
    make_set(10, ten_classes, year, a, &raw, &d);
    WORKS(mp_rule_folds("time:lab", 0, &raw, &d, a, &f));
    assert_int_equal(f.count, 1);
    is_split(&f.split[0], "2 3 4 5 6 7 8 9", "1", "0", a);
    WORKS(mp_rule_folds("time:lab", 3, &raw, &d, a, &f));
    is_split(&f.split[0], "8 9", "6 7", "4 5", a);
    is_split(&f.split[1], "6 7 8 9", "4 5", "2 3", a);
    is_split(&f.split[2], "4 5 6 7 8 9", "2 3", "0 1", a);
    make_set(3, ten_classes, date, a, &raw, &d);
    FAILS(mp_rule_folds("time:lab", 2, &raw, &d, a, &f),
          "too few graphs"); /* they are dates, but three do not make four runs */
    make_set(3, ten_classes, odd, a, &raw, &d);
    FAILS(mp_rule_folds("time:lab", 1, &raw, &d, a, &f),
          "S: graph 1: column 'lab': expected a number, as before, got 'soon'");
    raw.note = (const char *const[]){ "1", "", "2" };
    FAILS(mp_rule_folds("time:lab", 1, &raw, &d, a, &f), "S: graph 1: column 'lab' is empty");
}

/* Whatever the rule: every graph tests at most once and is in one part of a fold; groups are whole; the past comes before the test. */
static void what_must_hold_of_all_rules(void **state)
{
    static const char *const rules[] = { "random", "random:3", "stratified", "stratified:4", "group:lab", "time:lab" };
    mp_rng r = mp_rng_stream(11, MP_FOR_TEST, 0, 0, 0);
    (void)state;
    for (int run = 0; run < 120; run++) {
        mp_arena *a = mp_arena_new(1 << 16);
        int graphs = 40 + mp_rng_below(&r, 40), count = 1 + mp_rng_below(&r, 10), kind = run % 6;
        int64_t *label = MP_NEW(a, int64_t, graphs);
        const char **note = MP_NEW(a, const char *, graphs);
        int *number = MP_NEW(a, int, graphs), *tested = MP_NEW(a, int, graphs);
        for (int b = 0; b < graphs; b++) {
            label[b] = mp_rng_below(&r, 3);
            number[b] = mp_rng_below(&r, 30);
            note[b] = mp_arena_printf(a, "%d", number[b]);
        }
        mp_raw raw;
        mp_dataset d;
        mp_folds f, again;
        make_set(graphs, label, note, a, &raw, &d);
        WORKS(mp_rule_folds(rules[kind], count, &raw, &d, a, &f));
        WORKS(mp_rule_folds(rules[kind], count, &raw, &d, a, &again));
        assert_int_equal(f.count, count);
        for (int i = 0; i < count; i++) {
            const mp_split *s = &f.split[i];
            int *part = MP_NEW(a, int, graphs), *part_of_group = MP_NEW(a, int, 30), first_test = 1000;
            const int *list[] = { s->train, s->val, s->test }, n[] = { s->n_train, s->n_val, s->n_test };
            assert_true(n[0] > 0 && n[1] > 0 && n[2] > 0);
            assert_int_equal(n[2], again.split[i].n_test);
            assert_memory_equal(s->test, again.split[i].test, sizeof *s->test * (size_t)n[2]);
            for (int k = 0; k < 3; k++)
                for (int x = 0; x < n[k]; x++) {
                    int b = list[k][x], *group = &part_of_group[number[b]];
                    assert_int_equal(part[b], 0);
                    part[b] = k + 1;
                    if (kind == 4) assert_true(*group == 0 || *group == k + 1);
                    *group = k + 1;
                    if (k == 2) tested[b]++;
                    if (k == 2 && number[b] < first_test) first_test = number[b];
                }
            for (int b = 0; b < graphs; b++) {
                if (kind == 5 && part[b] && part[b] < 3) assert_true(number[b] <= first_test);
                if (kind != 5) assert_true(part[b] > 0);
            }
        }
        for (int b = 0; b < graphs; b++) {
            assert_true(tested[b] <= 1);
            if (kind != 5 && count > 1) assert_int_equal(tested[b], 1);
        }
        mp_arena_free(a);
    }
}

static void stratified_folds_are_those_that_commands_make_by_themselves(void **state)
{
    mp_arena *a = *state;
    int64_t *label = MP_NEW(a, int64_t, 50);
    mp_raw raw;
    mp_dataset d;
    mp_folds mine, theirs, other;
    for (int b = 0; b < 50; b++) label[b] = b % 7 == 0;
    make_set(50, label, NULL, a, &raw, &d);
    WORKS(mp_rule_folds("stratified", 5, &raw, &d, a, &mine));
    WORKS(mp_folds_stratified(&d, 5, a, &theirs));
    WORKS(mp_rule_folds("stratified:1", 5, &raw, &d, a, &other));
    bool differs = false;
    for (int f = 0; f < 5; f++) {
        assert_int_equal(mine.split[f].n_test, theirs.split[f].n_test);
        assert_memory_equal(mine.split[f].test, theirs.split[f].test, sizeof(int) * 10);
        assert_memory_equal(mine.split[f].val, theirs.split[f].val, sizeof(int) * 10);
        differs = differs || memcmp(mine.split[f].test, other.split[f].test, sizeof(int) * 10) != 0;
    }
    assert_true(differs);
    FAILS(mp_rule_folds("scaffold", 1, &raw, &d, a, &mine), "it has no SMILES");
}

static void rules_are_told_from_other_words(void **state)
{
    static const char *const bad[] = {
        "scaffolds", "group", "group:", "time", "random:x", "random:-1", "scaffold:1", ""
    };
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        FAILS(mp_rule_check("--by", bad[i]), "--by: expected scaffold, random");
    WORKS(mp_rule_check("--by", "group:a:b"));
    assert_string_equal(mp_rule_column("group:a:b"), "a:b");
    assert_null(mp_rule_column("random:3"));
}

/* What is written is what --folds-from reads. */
static void folds_are_read_back_from_json(void **state)
{
    static const char *const lab[] = { "a", "a", "a", "a", "b", "b", "b", "c", "c", "d" };
    mp_arena *a = *state;
    mp_buf b = { 0 };
    mp_raw raw;
    mp_dataset d;
    mp_folds f, again;
    make_set(10, ten_classes, lab, a, &raw, &d);
    WORKS(mp_rule_folds("group:lab", 3, &raw, &d, a, &f));
    mp_buf_puts(&b, "{\"folds\":");
    mp_folds_json(&f, &b);
    mp_buf_puts(&b, "}");
    WORKS(mp_folds_parse_json(mp_span_of(b.p), "f.json", 10, a, &again));
    is_split(&again.split[1], "7 8 9", "0 1 2 3", "4 5 6", a);
    mp_buf_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(groups_go_to_the_fold_with_the_fewest_graphs),
        CASE(one_fold_by_group_fills_training_first),
        CASE(later_graphs_test),
        CASE(what_must_hold_of_all_rules),
        CASE(stratified_folds_are_those_that_commands_make_by_themselves),
        CASE(rules_are_told_from_other_words),
        CASE(folds_are_read_back_from_json),
    };
    return cmocka_run_group_tests_name("data_rules", tests, NULL, NULL);
}
