/* test_lab.c - experiments in rounds: what is asked for is trained and measured once, later questions may depend on earlier
 * answers, and what cannot be had is left out with a word.
 * SPDX-License-Identifier: MIT */
#include "experiment/figures.h"
#include "experiment/lab.h"
#include "experiment/machine.h"
#include "experiment/tiny_folder.h"
#include "store/db.h"
#include "study/epoch_time.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static int calls, probed;

static int make_folder(void **state)
{
    calls = probed = 0;
    return make_tiny(state, 40, 15, 15);
}

static void count_done(void *state, const mp_run_key *key, const mp_run_result *r, const mp_cv_count *c)
{
    (void)key;
    (void)r;
    (void)c;
    ++*(int *)state;
}

static mp_lab_options options(mp_arena *a, int *trained)
{
    return (mp_lab_options){ .store_path = mp_arena_printf(a, "%s/r.db", folder),
                             .data_dir = folder,
                             .command = "again",
                             .folds = 2,
                             .seeds = 1,
                             .jobs = 2,
                             .threads = 1,
                             .listener = { .state = trained, .done = count_done } };
}

#define SMALL "hidden=8 layers=2 batch-size=16 epochs=3 patience=0"

static double test_of(mp_lab *lab, const char *pool, const char *settings, mp_section *out)
{
    int row;
    mp_choice c;
    mp_ask ask = { .dataset = "TINY", .pool = pool, .settings = mp_arena_printf(out->arena, SMALL " %s", settings) };
    assert_int_equal(mp_lab_row(lab, &ask, &row), MP_OK);
    assert_true(row >= 0);
    assert_int_equal(mp_lab_choose(lab, row, MP_SELECT_VAL, &c), MP_OK);
    return c.test.mean;
}

/* The second question is asked when the first one is answered. */
static mp_err make_two(mp_lab *lab, mp_section *out)
{
    calls++;
    double first = test_of(lab, "topk", "", out);
    if (isnan(first)) return MP_OK;
    double second = test_of(lab, "topk", first > 0.5 ? "ratio=0.4" : "ratio=0.6", out);
    mp_section_para(out, "%.6f %.6f", first, second);
    return MP_OK;
}

/* As trained by the same call again: the answer of the first call is in the store. */
static void later_questions_follow_from_earlier_answers_and_nothing_is_trained_twice(void **state)
{
    mp_arena *a = *state;
    static const mp_experiment two = { "two", "Two", "", make_two };
    const mp_experiment *const x[] = { &two };
    mp_section first, second, shown;
    int trained = 0;
    mp_lab_options o = options(a, &trained);
    assert_int_equal(mp_lab_make(mp_lab_new(&o, a), x, 1, &first), MP_OK);
    assert_int_equal(trained, 4); /* two folds of two rows */
    assert_int_equal(calls, 3);
    assert_int_equal(first.pieces, 1);
    assert_null(strstr(first.piece[0].text, "nan"));
    assert_int_equal(mp_lab_make(mp_lab_new(&o, a), x, 1, &second), MP_OK);
    assert_int_equal(trained, 4);
    assert_string_equal(first.piece[0].text, second.piece[0].text);
    o.still = true;
    assert_int_equal(mp_lab_make(mp_lab_new(&o, a), x, 1, &shown), MP_OK);
    assert_string_equal(first.piece[0].text, shown.piece[0].text);
}

static void a_still_lab_trains_nothing_and_a_plan_says_what_it_would(void **state)
{
    mp_arena *a = *state;
    static const mp_experiment two = { "two", "Two", "", make_two };
    const mp_experiment *const x[] = { &two };
    mp_section s;
    int trained = 0;
    mp_lab_options o = options(a, &trained);
    o.still = true;
    assert_int_equal(mp_lab_make(mp_lab_new(&o, a), x, 1, &s), MP_OK);
    assert_true(trained == 0 && s.pieces == 0);
    assert_int_not_equal(access(o.store_path, F_OK), 0);
    o.plan = true;
    assert_int_equal(mp_lab_plan(mp_lab_new(&o, a), x, 1, &s), MP_OK);
    assert_int_equal(trained, 0);
    assert_int_equal(mp_table_rows(&s.piece[0].table), 1);
    assert_string_equal(mp_table_cell(&s.piece[0].table, 0, 0), "TINY");
    assert_string_equal(mp_table_cell(&s.piece[0].table, 0, 3), "2"); /* runs */
    assert_string_equal(mp_table_cell(&s.piece[0].table, 0, 4), "0"); /* there */
    assert_string_equal(mp_table_cell(&s.piece[0].table, 0, 5), "3"); /* epochs */
}

static mp_err make_absent(mp_lab *lab, mp_section *out)
{
    int row = 0;
    (void)out;
    MP_TRY(mp_lab_row(lab, &(mp_ask){ .dataset = "NOWHERE", .pool = "sag" }, &row));
    assert_int_equal(row, -1);
    MP_TRY(mp_lab_row(lab, &(mp_ask){ .dataset = "TINY", .pool = "sag", .settings = "conv=gine" }, &row));
    assert_int_equal(row, -1); /* there are no attributes of edges */
    assert_int_equal(mp_lab_runs(lab, row), 0);
    return MP_OK;
}

static void what_cannot_be_had_is_left_out_with_a_word(void **state)
{
    mp_arena *a = *state;
    static const mp_experiment absent = { "absent", "Absent", "", make_absent };
    const mp_experiment *const x[] = { &absent };
    mp_section s;
    int trained = 0;
    mp_lab_options o = options(a, &trained);
    assert_int_equal(mp_lab_make(mp_lab_new(&o, a), x, 1, &s), MP_OK);
    assert_int_equal(s.pieces, 2);
    assert_non_null(strstr(s.piece[0].text, "NOWHERE"));
    assert_non_null(strstr(s.piece[1].text, "sag on TINY"));
}

/* The number of test graphs, and the number it is given; of a model it must be given one. */
static mp_err probe(const mp_probe_in *in, mp_arena *a, mp_buf *json)
{
    (void)a;
    if (!in->model != !in->run) return mp_fail(MP_ERR_INPUT, "a run without a model");
    mp_json_open(json, '{');
    mp_json_add_int(json, "graphs", in->run ? in->run->split->n_test : -1);
    mp_json_add_int(json, "weights", in->model ? (int)mp_model_params(in->model)->size : -1);
    mp_json_add_int(json, "given", mp_json_int(in->arg, "n", -1));
    mp_json_close(json, '}');
    return MP_OK;
}

static mp_err probe_fails(const mp_probe_in *in, mp_arena *a, mp_buf *json)
{
    (void)in;
    (void)a;
    (void)json;
    return mp_fail(MP_ERR_INPUT, "it broke");
}

static mp_err make_measured(mp_lab *lab, mp_section *out)
{
    static const mp_probe p = { .name = "count", .run = probe },
                          alone = { .name = "alone", .alone = true, .run = probe },
                          broken = { .name = "broken", .run = probe_fails };
    const mp_json *v;
    int row;
    mp_ask ask = { .dataset = "TINY", .pool = "topk", .settings = SMALL, .models = true };
    calls++;
    MP_TRY(mp_lab_row(lab, &ask, &row));
    for (int i = 0; i < mp_lab_runs(lab, row); i++) {
        MP_TRY(mp_lab_measure(lab, &p, mp_lab_run_at(lab, row, i).run, "{\"n\":5}", &v));
        if (!v) continue;
        probed++;
        mp_section_para(out, "%d %d %d", (int)mp_json_int(v, "graphs", 0), (int)mp_json_int(v, "weights", 0) > 0,
                        (int)mp_json_int(v, "given", 0));
    }
    MP_TRY(mp_lab_measure(lab, &alone, NULL, NULL, &v));
    if (v) mp_section_para(out, "alone %d", (int)mp_json_int(v, "given", 0));
    MP_TRY(mp_lab_measure(lab, &broken, NULL, NULL, &v));
    assert_null(v);
    return MP_OK;
}

static void count_bad(void *state, const mp_run_key *key, const char *text)
{
    (void)key;
    if (strstr(text, "it broke")) ++*(int *)state;
}

static void measurements_are_made_once_and_a_broken_one_is_told(void **state)
{
    mp_arena *a = *state;
    static const mp_experiment measured = { "measured", "Measured", "", make_measured };
    const mp_experiment *const x[] = { &measured };
    mp_section s;
    int bad = 0;
    mp_lab_options o = options(a, &bad);
    o.listener = (mp_listener){ .state = &bad, .bad = count_bad };
    assert_int_equal(mp_lab_make(mp_lab_new(&o, a), x, 1, &s), MP_OK);
    assert_int_equal(s.pieces, 3); /* two folds, and the one alone */
    assert_string_equal(s.piece[0].text, "35 1 5");
    assert_string_equal(s.piece[2].text, "alone -1");
    assert_int_equal(bad, 1);
    /* without its models a stored measurement is still known */
    mp_lab_options again = o;
    again.still = true;
    assert_int_equal(system(mp_arena_printf(a, "rm -rf %s.models", o.store_path)), 0);
    assert_int_equal(mp_lab_make(mp_lab_new(&again, a), x, 1, &s), MP_OK);
    assert_string_equal(s.piece[0].text, "35 1 5");
}

/* Parts of one store: what each makes is its share, and the whole finds everything made. */
static void parts_train_and_measure_each_thing_once(void **state)
{
    mp_arena *a = *state;
    static const mp_experiment measured = { "measured", "Measured", "", make_measured };
    const mp_experiment *const x[] = { &measured };
    mp_section s;
    int trained = 0, runs = 0;
    mp_lab_options o = options(a, &trained);
    o.seeds = 3;
    for (int i = 1; i <= 3; i++) {
        mp_buf text = { 0 };
        int share = -1, of = -1, before = trained;
        o.part = (mp_part){ i, 3 };
        mp_lab *lab = mp_lab_new(&o, a);
        assert_int_equal(mp_lab_make(lab, x, 1, &s), MP_OK);
        mp_lab_tell_part(lab, &text);
        const char *line = strchr(text.p, '\n');
        assert_int_equal(sscanf(line ? line : "", "%d of %d runs whose models are kept", &share, &of), 2);
        assert_int_equal(share, trained - before);
        assert_int_equal(of, 6);
        runs += share;
        line = strstr(text.p, "kept are its share");
        line = line ? strchr(line, '\n') : "";
        int there = -1, measures = -1;
        assert_int_equal(sscanf(line, "%d of 8 measurements are its share, %d of them are there", &measures, &there),
                         2);
        assert_true(there <= measures && there >= share); /* those of its runs, perhaps the one of no run */
        mp_buf_free(&text);
    }
    assert_int_equal(runs, 6);
    assert_int_equal(s.pieces, 7); /* the last part reads what the others measured */
    o.part = (mp_part){ 0 };
    o.still = true;
    assert_int_equal(mp_lab_make(mp_lab_new(&o, a), x, 1, &s), MP_OK);
    assert_int_equal(s.pieces, 7);
    assert_int_equal(trained, 6);
}

/* Every experiment of a store without runs: words, but no picture and no row. */
static void experiments_without_runs_show_nothing(void **state)
{
    mp_arena *a = *state;
    int unused = 0;
    mp_lab_options o = options(a, &unused);
    o.quick = o.still = true;
    o.datasets = "TINY";
    for (const mp_experiment *x = mp_experiments; x->name; x++) {
        mp_section s;
        if (!strcmp(x->name, "case-studies")) continue; /* has graphs of its own, which need no runs */
        if (mp_lab_make(mp_lab_new(&o, a), &x, 1, &s) != MP_OK) fail_msg("%s: %s", x->name, mp_message());
        for (int i = 0; i < s.pieces; i++) {
            if (s.piece[i].kind == MP_PASSAGE_PICTURE)
                fail_msg("%s: a picture '%s'", x->name, s.piece[i].picture.title);
            if (s.piece[i].kind == MP_PASSAGE_TABLE && mp_table_rows(&s.piece[i].table))
                fail_msg("%s: a row of '%s'", x->name, mp_table_cell(&s.piece[i].table, 0, 0));
        }
    }
}

static void figures_without_a_number_are_left_out(void **state)
{
    mp_arena *a = *state;
    static const double none[] = { (double)NAN, (double)NAN }, one[] = { (double)NAN, 3 }, x[] = { 1, 2 };
    static const char *const group[] = { "a", "b" };
    for (int shown = 0; shown < 2; shown++) {
        mp_section s = { .arena = a };
        mp_svg_series line[] = { { .name = "l", .colour = "#000000", .n = 2, .x = x, .y = none },
                                 { .name = "m", .colour = "#000000", .n = 2, .x = x, .y = shown ? one : none } };
        mp_svg_bar bar[] = { { .name = "l", .value = none }, { .name = "m", .value = shown ? one : none } };
        mp_figure_chart(&s, "chart", NULL,
                        &(mp_svg_chart_spec){ .x_label = "x", .y_label = "y", .series = 2, .line = line });
        assert_int_equal(s.pieces, shown);
        mp_figure_bars(&s, "bars", NULL,
                       &(mp_svg_bars_spec){ .label = "v", .groups = 2, .series = 2, .group = group, .bar = bar });
        assert_int_equal(s.pieces, 2 * shown);
    }
}

static mp_err make_machine(mp_lab *lab, mp_section *out)
{
    const char *name;
    MP_TRY(mp_lab_machine(lab, 1, &name));
    mp_section_para(out, "%s", name);
    return MP_OK;
}

/* Times of a store are of the machine it came from, whoever shows it. New ones are of this machine. */
static void a_still_lab_names_the_machine_of_the_store(void **state)
{
    mp_arena *a = *state;
    static const mp_experiment machine = { "machine", "Machine", "", make_machine };
    const mp_experiment *const x[] = { &machine };
    const char *here = mp_machine_name(1, a);
    mp_section s;
    mp_store *store;
    int unused = 0;
    mp_lab_options o = options(a, &unused);
    assert_int_equal(mp_lab_make(mp_lab_new(&o, a), x, 1, &s), MP_OK);
    assert_string_equal(s.piece[0].text, here);
    assert_int_equal(mp_store_open(o.store_path, MP_STORE_WRITE, &store), MP_OK);
    assert_int_equal(mp_db_exec(store, "UPDATE measure SET value = '\"another machine\"'", "test"), MP_OK);
    mp_store_close(store);
    assert_int_equal(mp_lab_make(mp_lab_new(&o, a), x, 1, &s), MP_OK);
    assert_string_equal(s.piece[0].text, here);
    o.still = true;
    assert_int_equal(mp_lab_make(mp_lab_new(&o, a), x, 1, &s), MP_OK);
    assert_string_equal(s.piece[0].text, "another machine");
}

static void lists_and_seeds_are_the_users_where_given(void **state)
{
    mp_arena *a = *state;
    int n, unused = 0;
    mp_lab_options o = options(a, &unused);
    o.quick = true;
    mp_lab *lab = mp_lab_new(&o, a);
    assert_string_equal(mp_lab_sets(lab, "A,B", "C", &n)[0], "C");
    assert_int_equal(n, 1);
    assert_int_equal(mp_lab_seeds(lab, 10, 2), 1);
    o.seeds = 0;
    o.datasets = "X,Y,";
    o.pools = "sag";
    lab = mp_lab_new(&o, a);
    assert_string_equal(mp_lab_sets(lab, "A,B", "C", &n)[1], "Y");
    assert_int_equal(n, 2);
    assert_int_equal(mp_lab_seeds(lab, 10, 2), 2);
    assert_string_equal(mp_lab_pools(lab, "A,B", "C", &n)[0], "sag");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(later_questions_follow_from_earlier_answers_and_nothing_is_trained_twice,
                                        make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(a_still_lab_trains_nothing_and_a_plan_says_what_it_would, make_folder,
                                        remove_folder),
        cmocka_unit_test_setup_teardown(what_cannot_be_had_is_left_out_with_a_word, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(measurements_are_made_once_and_a_broken_one_is_told, make_folder,
                                        remove_folder),
        cmocka_unit_test_setup_teardown(parts_train_and_measure_each_thing_once, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(experiments_without_runs_show_nothing, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(figures_without_a_number_are_left_out, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(a_still_lab_names_the_machine_of_the_store, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(lists_and_seeds_are_the_users_where_given, make_folder, remove_folder),
    };
    return cmocka_run_group_tests_name("lab", tests, NULL, NULL);
}
