/* test_stores.c - several stores are read as one: every run once, and no run with two results.
 * SPDX-License-Identifier: MIT */
#include "store_fixture.h"
#include "store/stores.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static mp_arena *paths;

/* A store with the runs (seed, fold) of a list that ends in 0; a negative seed is a run that failed. */
static const char *made(const int *list)
{
    const char *path = mp_arena_printf(paths, "%s", fresh());
    mp_store *s = open_store(path, MP_STORE_WRITE);
    for (; *list; list += 2) {
        mp_run_key k = key_of(abs(list[0]), list[1]);
        mp_run_result r = result_of(abs(list[0]), list[1]);
        mp_err e = list[0] > 0 ? mp_store_put(s, &k, &r, NULL) : mp_store_put_failed(s, &k, "it broke");
        assert_int_equal(e, MP_OK);
    }
    mp_store_close(s);
    return path;
}

static mp_stores *opened(const char *const *path, int n)
{
    mp_stores *s;
    if (mp_stores_open(path, n, &s) != MP_OK) fail_msg("%s", mp_message());
    return s;
}

static mp_err note(void *context, const mp_stored *run)
{
    mp_buf_printf(context, " %s%d/%d", run->status == MP_RUN_DONE ? "" : "-", run->key.config.seed, run->key.fold);
    return MP_OK;
}

static void walk_is(mp_stores *s, const mp_store_filter *f, const char *want)
{
    mp_buf text = { 0 };
    mp_buf_puts(&text, "");
    if (mp_stores_each(s, f, note, &text) != MP_OK) fail_msg("%s", mp_message());
    assert_string_equal(text.p, want);
    mp_buf_free(&text);
}

static void load_is(mp_stores *s, const char *want)
{
    mp_buf text = { 0 };
    mp_arena *a = mp_arena_new(0);
    const mp_stored *run;
    int n;
    mp_buf_puts(&text, "");
    if (mp_stores_load(s, NULL, a, &run, &n) != MP_OK) fail_msg("%s", mp_message());
    for (int i = 0; i < n; i++) assert_int_equal(note(&text, &run[i]), MP_OK);
    assert_string_equal(text.p, want);
    mp_buf_free(&text);
    mp_arena_free(a);
}

static void every_run_of_all_stores_is_read_once(void **state)
{
    (void)state;
    const char *path[] = { made((const int[]){ 43, 1, 42, 2, 0 }), made((const int[]){ 42, 1, 42, 2, 44, 1, 0 }),
                           made((const int[]){ 44, 1, 0 }) };
    mp_stores *s = opened(path, 3);
    walk_is(s, NULL, " 42/2 43/1 42/1 44/1");
    walk_is(s, NULL, " 42/2 43/1 42/1 44/1");
    load_is(s, " 42/1 42/2 43/1 44/1");
    walk_is(s, NULL, " 42/2 43/1 42/1 44/1");
    mp_stores_close(s);
    s = opened((const char *const[]){ path[0], path[0] }, 2);
    walk_is(s, NULL, " 42/2 43/1");
    load_is(s, " 42/2 43/1");
    mp_stores_close(s);
    s = opened(path, 1);
    walk_is(s, NULL, " 42/2 43/1");
    load_is(s, " 42/2 43/1");
    mp_stores_close(s);
}

static void a_finished_run_counts_before_one_that_failed(void **state)
{
    (void)state;
    const char *path[] = { made((const int[]){ -42, 1, -43, 1, 0 }), made((const int[]){ 42, 1, -43, 1, 0 }) };
    const char *back[] = { path[1], path[0] };
    for (int i = 0; i < 2; i++) {
        mp_stores *s = opened(i ? back : path, 2);
        load_is(s, " 42/1 -43/1");
        walk_is(s, NULL, i ? " 42/1 -43/1" : " -43/1 42/1");
        walk_is(s, &(mp_store_filter){ .status = MP_RUN_FAILED }, " -43/1");
        mp_stores_close(s);
    }
}

/* `change` is SQL for the second of two equal stores. */
static mp_err read_changed(const char *change)
{
    const char *path[] = { made((const int[]){ 42, 1, 42, 2, 43, 1, 0 }), made((const int[]){ 42, 2, 43, 1, 0 }) };
    mp_store *s = open_store(path[1], MP_STORE_WRITE);
    assert_int_equal(mp_db_exec(s, change, "changing"), MP_OK);
    mp_store_close(s);
    mp_arena *a = mp_arena_new(0);
    mp_stores *both = opened(path, 2);
    const mp_stored *run;
    int n;
    mp_buf text = { 0 };
    mp_err load = mp_stores_load(both, NULL, a, &run, &n), each = mp_stores_each(both, NULL, note, &text);
    assert_int_equal(load, each);
    mp_stores_close(both);
    mp_buf_free(&text);
    mp_arena_free(a);
    return each;
}

static void two_results_of_one_run_are_refused_by_name(void **state)
{
    (void)state;
    static const struct {
        const char *change, *says;
    } cases[] = {
        { "UPDATE run SET test_metric = 0.5 WHERE seed = 43",
          "different results of one run (MUTAG, sag, seed 43, fold 1, key " },
        { "UPDATE run SET test_metric = 0.5 WHERE seed = 43", "...): test_metric 0.02272727273 and 0.5" },
        { "UPDATE run SET test_metric = NULL WHERE seed = 43", "test_metric 0.02272727273 and nan" },
        { "UPDATE run SET epochs = 39 WHERE seed = 43", "epochs 40 and 39" },
        { "UPDATE run SET val_loss = 0.4", "val_loss 0.5 and 0.4; 2 runs differ" },
        { "UPDATE run SET model_sha256 = replace(model_sha256, 'aa', 'ab')",
          "model_sha256 aaaaaaaa... and abababab..." },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(read_changed(cases[i].change), MP_ERR_INPUT);
        if (!strstr(mp_message(), cases[i].says)) fail_msg("no '%s' in '%s'", cases[i].says, mp_message());
    }
}

static void times_memory_and_what_older_stores_lack_may_differ(void **state)
{
    (void)state;
    assert_int_equal(
        read_changed("UPDATE run SET seconds = 99, seconds_per_epoch = 7, peak_bytes = 1, finished = '2020',"
                     " version = '0.0.1', large_c_metric = 0.5"),
        MP_OK);
    assert_int_equal(read_changed("UPDATE run SET model_sha256 = ''"), MP_OK);
    assert_int_equal(read_changed("DELETE FROM metric"), MP_OK);
}

static void a_second_walk_gives_what_the_first_gave(void **state)
{
    (void)state;
    const char *path[] = { made((const int[]){ 42, 1, 0 }), made((const int[]){ 43, 1, 0 }) };
    for (int n = 1; n <= 2; n++) {
        mp_stores *s = opened(path, n);
        walk_is(s, NULL, n == 1 ? " 42/1" : " 42/1 42/2 43/1");
        mp_store *writer = open_store(path[0], MP_STORE_WRITE);
        assert_int_equal(put(writer, 42, n + 1, NULL), MP_OK);
        mp_store_close(writer);
        walk_is(s, NULL, n == 1 ? " 42/1" : " 42/1 42/2 43/1");
        mp_stores_close(s);
    }
}

static void a_walk_with_a_filter_comes_first_too(void **state)
{
    (void)state;
    const char *path = made((const int[]){ 42, 1, -43, 1, 0 });
    mp_stores *s = opened(&path, 1);
    walk_is(s, &(mp_store_filter){ .status = MP_RUN_FAILED }, " -43/1");
    walk_is(s, NULL, " 42/1 -43/1");
    mp_stores_close(s);
}

/* More than the register has room for at first. */
static void many_runs_are_found_again(void **state)
{
    (void)state;
    enum { MANY = 700 };
    int list[2 * MANY + 1] = { 0 };
    for (int i = 0; i < MANY; i++) list[2 * i] = i + 1, list[2 * i + 1] = 1;
    const char *path[] = { made(list), made(list + 200) };
    mp_stores *s = opened(path, 2);
    mp_buf text = { 0 };
    assert_int_equal(mp_stores_each(s, NULL, note, &text), MP_OK);
    int runs = 0;
    for (const char *p = text.p; *p; p++) runs += *p == ' ';
    assert_int_equal(runs, MANY);
    mp_buf_free(&text);
    mp_stores_close(s);
}

static void what_is_declared_in_several_stores_is_there_once(void **state)
{
    (void)state;
    const char *path[] = { made((const int[]){ 42, 1, 0 }), made((const int[]){ 43, 1, 0 }) };
    mp_declared d[] = { { .key = key_of(42, 1) }, { .key = key_of(42, 1) } };
    d[1].key.config.hidden = 64;
    for (int i = 0; i < 2; i++) {
        mp_store *s = open_store(path[i], MP_STORE_WRITE);
        d[0].key.config.seed = 42 + i;
        assert_int_equal(mp_store_declare(s, d, i + 1), MP_OK);
        mp_store_close(s);
    }
    mp_stores *s = opened(path, 2);
    mp_arena *a = mp_arena_new(0);
    const mp_declared *all;
    int n;
    assert_int_equal(mp_stores_declared(s, a, &all, &n), MP_OK);
    assert_int_equal(n, 2);
    mp_stores_close(s);
    mp_arena_free(a);
}

/* Rows that were chosen among other points, or in another way, are two. */
static void lists_of_points_are_told_apart(void **state)
{
    (void)state;
    mp_config point[3];
    const mp_opt *const lr[] = { mp_conf_find(mp_config_table, "lr") };
    for (int i = 0; i < 3; i++) {
        point[i] = key_of(42, 1).config;
        point[i].lr = 0.001 * (i + 1);
    }
    mp_declared d = { .key = key_of(42, 1), .grid = MP_GRID_LIST };
    d.points = (mp_points){ .grid = MP_GRID_LIST, .count = 2, .at = point, .options = 1, .option = lr };
    mp_declared other[] = { d, d, d };
    other[0].points.at = point + 1;
    other[1].points.count = 3;
    other[2].rule.retrain = 2;
    for (int i = 0; i < 4; i++) {
        const char *path[] = { made((const int[]){ 42, 1, 0 }), made((const int[]){ 43, 1, 0 }) };
        for (int k = 0; k < 2; k++) {
            mp_store *s = open_store(path[k], MP_STORE_WRITE);
            if (mp_store_declare(s, k == 1 && i < 3 ? &other[i] : &d, 1) != MP_OK) fail_msg("%s", mp_message());
            mp_store_close(s);
        }
        mp_stores *s = opened(path, 2);
        mp_arena *a = mp_arena_new(0);
        const mp_declared *all;
        int n;
        assert_int_equal(mp_stores_declared(s, a, &all, &n), MP_OK);
        if (n != (i < 3 ? 2 : 1)) fail_msg("case %d: %d rows", i, n);
        mp_stores_close(s);
        mp_arena_free(a);
    }
}

static void a_store_that_cannot_be_opened_is_named_and_so_are_all_in_short(void **state)
{
    (void)state;
    const char *path[] = { made((const int[]){ 42, 1, 0 }), "/no/such.db", "c.db" };
    mp_stores *s;
    assert_int_equal(mp_stores_open(path, 2, &s), MP_ERR_IO);
    assert_null(s);
    assert_non_null(strstr(mp_message(), "/no/such.db"));
    path[1] = path[2] = path[0];
    s = opened(path, 3);
    assert_non_null(strstr(mp_stores_name(s), ".db and 2 more"));
    mp_stores_close(s);
    s = opened(path, 1);
    assert_string_equal(mp_stores_name(s), path[0]);
    mp_stores_close(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_run_of_all_stores_is_read_once),
        cmocka_unit_test(a_finished_run_counts_before_one_that_failed),
        cmocka_unit_test(two_results_of_one_run_are_refused_by_name),
        cmocka_unit_test(times_memory_and_what_older_stores_lack_may_differ),
        cmocka_unit_test(a_second_walk_gives_what_the_first_gave),
        cmocka_unit_test(a_walk_with_a_filter_comes_first_too),
        cmocka_unit_test(many_runs_are_found_again),
        cmocka_unit_test(what_is_declared_in_several_stores_is_there_once),
        cmocka_unit_test(lists_of_points_are_told_apart),
        cmocka_unit_test(a_store_that_cannot_be_opened_is_named_and_so_are_all_in_short),
    };
    paths = mp_arena_new(0);
    fixture_begin();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    fixture_end();
    mp_arena_free(paths);
    return failed;
}
