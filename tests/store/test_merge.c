/* test_merge.c - stores joined: everything comes along, once, and what contradicts is refused by name.
 * SPDX-License-Identifier: MIT */
#include "store_fixture.h"
#include "store/merge.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static mp_arena *names;

static const char *keep(const char *path)
{
    return mp_arena_text(names, path, strlen(path)); /* the fixture's is overwritten by the next */
}

/* Seed 42, folds `from` to `to`. */
static const char *store_of(int from, int to)
{
    const char *path = keep(fresh());
    mp_store *s = open_store(path, MP_STORE_WRITE);
    for (int fold = from; fold <= to; fold++) assert_int_equal(put(s, 42, fold, NULL), MP_OK);
    mp_store_close(s);
    return path;
}

static void change(const char *path, const char *sql)
{
    mp_store *s = open_store(path, MP_STORE_WRITE);
    if (mp_db_exec(s, sql, "test") != MP_OK) fail_msg("%s", mp_message());
    mp_store_close(s);
}

static mp_err join(const char *out, const char *in, mp_merge_count *c)
{
    mp_merge *m;
    MP_TRY(mp_merge_begin(out, &m));
    mp_err e = mp_merge_add(m, in, c);
    mp_merge_end(m);
    return e;
}

static int64_t count(const char *path, const char *sql)
{
    int64_t v;
    mp_store *s = open_store(path, MP_STORE_READ);
    if (mp_db_int(s, sql, &v) != MP_OK) fail_msg("%s", mp_message());
    mp_store_close(s);
    return v;
}

static void everything_of_a_store_comes_along_once(void **state)
{
    (void)state;
    const char *a = store_of(1, 3), *b = store_of(3, 5), *out = keep(fresh());
    mp_store *s = open_store(b, MP_STORE_WRITE);
    mp_declared d = { .key = key_of(42, 1), .grid = MP_GRID_CODE };
    assert_int_equal(mp_store_declare(s, &d, 1), MP_OK);
    assert_int_equal(mp_store_measure_put(s, "{\"of\":1}", "[1,2]"), MP_OK);
    mp_store_close(s);
    change(b, "UPDATE run SET seconds = 99, peak_bytes = 7, finished = '2020-01-01T00:00:00Z'");
    mp_merge_count c;
    assert_int_equal(join(out, a, &c), MP_OK);
    assert_true(c.added == 3 && c.known == 0);
    for (int i = 0; i < 2; i++) { /* the second time changes nothing */
        assert_int_equal(join(out, b, &c), MP_OK);
        assert_true(c.added == (i ? 0 : 2) && c.known == (i ? 3 : 1) && c.studies == !i && c.measures == !i);
    }
    assert_int_equal(count(out, "SELECT count(*) FROM run"), 5);
    assert_int_equal(count(out, "SELECT count(*) FROM curve"), 5 * CURVE);
    assert_int_equal(count(out, "SELECT count(*) FROM calibration"),
                     count(a, "SELECT count(*) FROM calibration") +
                         count(b, "SELECT count(*) FROM calibration WHERE run IN (SELECT id FROM run WHERE fold > 3)"));
    assert_int_equal(count(out, "SELECT count(*) FROM run WHERE finished = '2020-01-01T00:00:00Z'"), 2);
    assert_int_equal(count(out, "SELECT count(*) FROM study"), 1);
    assert_int_equal(count(out, "SELECT count(*) FROM measure WHERE value = '[1,2]'"), 1);
    assert_sound(out);
}

static void a_run_that_failed_gives_way_to_a_finished_one(void **state)
{
    (void)state;
    const char *done = store_of(1, 1), *failed = keep(fresh()), *out = keep(fresh());
    mp_store *s = open_store(failed, MP_STORE_WRITE);
    mp_run_key k[2] = { key_of(42, 1), key_of(42, 2) };
    for (int i = 0; i < 2; i++) assert_int_equal(mp_store_put_failed(s, &k[i], "it diverged"), MP_OK);
    mp_store_close(s);
    mp_merge_count c;
    assert_int_equal(join(out, failed, &c), MP_OK);
    assert_true(c.failed == 2 && c.added == 0);
    assert_int_equal(join(out, done, &c), MP_OK);
    assert_true(c.failed == 0 && c.added == 1);
    assert_int_equal(join(out, failed, &c), MP_OK);
    assert_true(c.failed == 0 && c.added == 0);
    assert_int_equal(count(out, "SELECT count(*) FROM run WHERE status = 'done'"), 1);
    assert_int_equal(count(out, "SELECT count(*) FROM run WHERE status = 'failed' AND message = 'it diverged'"), 1);
}

/* All of the input or nothing. */
static void refuse(const char *sql, const char *part)
{
    const char *out = store_of(3, 4), *in = store_of(1, 4);
    mp_merge_count c;
    change(in, sql);
    assert_int_equal(join(out, in, &c), MP_ERR_INPUT);
    if (!strstr(mp_message(), part)) fail_msg("%s", mp_message());
    assert_int_equal(count(out, "SELECT count(*) FROM run"), 2);
}

static void what_contradicts_is_refused_by_name(void **state)
{
    (void)state;
    refuse("UPDATE run SET test_metric = 0.125 WHERE fold = 4", "one run (MUTAG, sag, seed 42, fold 4, key ");
    refuse("UPDATE run SET val_loss = 9 WHERE fold > 2", "2 runs differ");
    refuse("UPDATE run SET fingerprint = '0123456789abcdef' WHERE fold < 3",
           "its data set MUTAG is another than that of");
    refuse("UPDATE run SET version = '0.0.9' WHERE fold < 3", "has runs of midpool 0.0.9");
    refuse("UPDATE run SET version = '99.0.0' WHERE fold < 3", "has runs of midpool 99.0.0");
}

/* Between a file and a server, there and back: the same bits. */
static void kinds_of_stores_are_joined_in_any_direction(void **state)
{
    (void)state;
    if (!in_server()) skip();
    char file[2][160];
    const char *server = keep(fresh());
    mp_merge_count c;
    for (int i = 0; i < 2; i++) snprintf(file[i], sizeof file[i], "%s/file%d.db", fixture_folder(), i);
    mp_store *s = open_store(file[0], MP_STORE_WRITE);
    for (int fold = 1; fold <= 3; fold++) assert_int_equal(put(s, 42, fold, NULL), MP_OK);
    mp_store_close(s);
    assert_int_equal(join(server, file[0], &c), MP_OK);
    assert_int_equal(c.added, 3);
    assert_int_equal(join(file[1], server, &c), MP_OK);
    assert_int_equal(c.added, 3);
    assert_int_equal(join(file[0], server, &c), MP_OK);
    assert_int_equal(c.known, 3);
    mp_arena *a = mp_arena_new(0);
    const mp_stored *run[2];
    int n[2];
    for (int i = 0; i < 2; i++) {
        s = open_store(file[i], MP_STORE_READ);
        assert_int_equal(mp_store_load(s, &(mp_store_filter){ .curves = true }, a, &run[i], &n[i]), MP_OK);
        assert_int_equal(n[i], 3);
        mp_store_close(s);
    }
    for (int i = 0; i < 3; i++) {
        const mp_run_result *x = &run[0][i].result, *y = &run[1][i].result;
        assert_string_equal(run[0][i].finished, run[1][i].finished);
        assert_memory_equal(&x->calibration, &y->calibration, sizeof x->calibration);
        assert_memory_equal(&x->seconds, &y->seconds, sizeof x->seconds);
        assert_true(x->test_metric == y->test_metric && x->curve_len == CURVE && y->curve_len == CURVE);
        for (int k = 1; k < CURVE; k++) assert_memory_equal(&x->curve[k], &y->curve[k], sizeof x->curve[k]);
    }
    mp_arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_of_a_store_comes_along_once),
        cmocka_unit_test(a_run_that_failed_gives_way_to_a_finished_one),
        cmocka_unit_test(what_contradicts_is_refused_by_name),
        cmocka_unit_test(kinds_of_stores_are_joined_in_any_direction),
    };
    fixture_begin();
    names = mp_arena_new(0);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    mp_arena_free(names);
    fixture_end();
    return failed != 0;
}
