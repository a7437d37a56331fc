/* test_store_hostile.c - stores that are damaged or come from somebody who means harm: what is sound in them is read, the
 * rest is left out and named, nothing in them runs.
 * SPDX-License-Identifier: MIT */
#include "base/rng.h"
#include "report/report.h"
#include "store_damage.h"
#include "store_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sqlite3.h>
#include <cmocka.h>

static void harm(const char *path, const char *sql)
{
    sqlite3 *db;
    char *why = NULL;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "PRAGMA synchronous = OFF", NULL, NULL, NULL), SQLITE_OK);
    if (sqlite3_exec(db, sql, NULL, NULL, &why) != SQLITE_OK) fail_msg("%s: %s", sql, why);
    sqlite3_close(db);
}

#define LOOSE                                                                                                          \
    "CREATE TABLE kept AS SELECT sql FROM sqlite_master WHERE name = 'run'; PRAGMA writable_schema = ON;"              \
    "UPDATE sqlite_master SET sql = replace(sql, 'NOT NULL', '') WHERE name = 'run'"
#define TIGHT                                                                                                          \
    "PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql = (SELECT kept.sql FROM kept) WHERE name = 'run';"      \
    "DROP TABLE kept"

static mp_arena *arena;

/* The bytes of a store; made once, because every put waits for the disk. */
static mp_span three_runs(const char *path)
{
    static mp_span good;
    if (good.p) return good;
    mp_store *s = open_store(path, MP_STORE_WRITE);
    for (int fold = 1; fold <= 3; fold++) assert_int_equal(put(s, 42, fold, NULL), MP_OK);
    mp_store_close(s);
    assert_int_equal(mp_slurp(path, 0, arena, &good), MP_OK);
    return good;
}

/* Three runs (ids 1 to 3); in the second, column = value, past the constraints of the schema. */
static const char *store_with(const char *assignment)
{
    const char *path = fresh();
    char *sql = sqlite3_mprintf("PRAGMA ignore_check_constraints = ON; UPDATE run SET %s WHERE id = 2", assignment);
    mp_span good = three_runs(path);
    FILE *f = fopen(path, "wb");
    assert_true(f && fwrite(good.p, 1, good.n, f) == good.n && fclose(f) == 0);
    harm(path, LOOSE);
    harm(path, sql);
    harm(path, TIGHT);
    sqlite3_free(sql);
    return path;
}

static mp_err count(void *context, const mp_stored *run)
{
    (void)run;
    ++*(int *)context;
    return MP_OK;
}

static void a_value_that_cannot_be_leaves_its_row_out_and_no_other(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        { "epochs = -16", "run 2: epochs: expected a whole number from 0 to 2147483647, got -16" },
        { "epochs = 1e3 + 0.5", "epochs: expected a whole number" },
        { "epochs = NULL", "epochs: is missing" },
        { "best_epoch = 41", "best_epoch: 41 of 40" },
        { "status = NULL", "status: is missing" },
        { "status = 'gone'", "status: expected done or failed, got 'gone'" },
        { "status = x'646f6e65'", "status: expected a text" },
        { "key = 'short'", "key: a text of 5 bytes, expected 64 to 64" },
        { "dataset = hex(zeroblob(40))", "dataset: a text of 80 bytes, expected 1 to 63" },
        { "dataset = CAST(x'410042' AS TEXT)", "dataset: a zero byte within the text" },
        { "fingerprint = 'xyzxyzxyzxyzxyzx'", "fingerprint: expected 16 hexadecimal digits" },
        { "folds = 2147483647", "folds: expected a whole number from 0 to 100" },
        { "fold = 11", "fold: 11 of 10" },
        { "seed = -2147483648", "seed: expected a whole number from 0 to 2147483647" },
        { "seed = 7", "seed: 7, and 42 in config" },
        { "config = '{\"ratio\":7}'", "expected a number from" },
        { "config = '{\"nosuch\":1}'", "unknown option" },
        { "config = '{\"ratio\":null}'", "cannot be null" },
        { "config = '[1]'", "must be an object" },
        { "config = '{,'", "config:1" },
        { "config = hex(zeroblob(1000000))", "config: a text of 2000000 bytes" },
        { "test_metric = 1e308", "test_metric: expected a number from 0 to 1" },
        { "val_metric = 'high'", "val_metric: expected a number" },
        { "seconds = -1", "seconds: expected a number from 0" },
        { "peak_bytes = -1", "peak_bytes: expected a whole number" },
        { "model_sha256 = hex(zeroblob(33))", "model_sha256: a text of 66 bytes" },
        { "message = hex(zeroblob(10000))", "message: a text of 20000 bytes" },
        { "config = (SELECT config FROM run WHERE id = 1), fold = 1", "another row has the same run" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *path = store_with(cases[i][0]);
        mp_store *s = open_store(path, MP_STORE_WRITE);
        char line[1024] = "";
        int n = 0;
        assert_int_equal(mp_store_each(s, &(mp_store_filter){ .curves = true }, count, &n), MP_OK);
        if (n != 2) fail_msg("%s: %d runs", cases[i][0], n);
        assert_true(mp_store_left_out(s, line, sizeof line));
        if (!strstr(line, cases[i][1])) fail_msg("%s: '%s' does not say '%s'", cases[i][0], line, cases[i][1]);
        assert_int_equal(put(s, 42, 2, NULL), MP_OK); /* the run is done again and takes its place */
        assert_int_equal(status_of(s, 42, 2), MP_RUN_DONE);
        n = 0;
        assert_int_equal(mp_store_each(s, NULL, count, &n), MP_OK);
        assert_int_equal(n, 3);
        mp_store_close(s);
    }
}

static void many_bad_rows_are_one_line(void **state)
{
    (void)state;
    const char *path = fresh();
    mp_store *s = open_store(path, MP_STORE_WRITE);
    char line[1024];
    int n = 0;
    for (int fold = 1; fold <= 9; fold++) assert_int_equal(put(s, 42, fold, NULL), MP_OK);
    assert_int_equal(mp_db_exec(s, "UPDATE run SET epochs = -id WHERE id <> 7", "test"), MP_OK);
    assert_int_equal(mp_store_each(s, NULL, count, &n), MP_OK);
    assert_int_equal(n, 1);
    assert_true(mp_store_left_out(s, line, sizeof line));
    assert_non_null(strstr(line, "8 rows cannot be read and are left out, the first: run 1: epochs"));
    mp_store_close(s);
}

static mp_err curve_of_second(void *context, const mp_stored *run)
{
    if (run->key.fold == 2) *(int *)context = run->result.curve_len;
    return MP_OK;
}

/* Sized by `epochs` the copy of these points would end far beyond its memory. */
static void a_curve_that_does_not_fit_its_run_is_left_out_alone(void **state)
{
    (void)state;
    static const char *const harms[] = {
        ("WITH RECURSIVE n(i) AS (SELECT 41 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)"
         " INSERT INTO curve SELECT 2, i, 1, 1, 1 FROM n"),
        "UPDATE curve SET epoch = epoch + 1000000 WHERE run = 2",
        "UPDATE curve SET epoch = 'x' WHERE run = 2 AND epoch = 1",
        "UPDATE curve SET val_loss = 'x' WHERE run = 2",
        "DELETE FROM curve WHERE run = 2 AND epoch = 3",
    };
    for (size_t i = 0; i < sizeof harms / sizeof *harms; i++) {
        const char *path = store_with("epochs = epochs");
        harm(path, harms[i]);
        mp_store *s = open_store(path, MP_STORE_READ);
        char line[1024];
        int n = -1;
        assert_int_equal(mp_store_each(s, &(mp_store_filter){ .curves = true }, curve_of_second, &n), MP_OK);
        assert_int_equal(n, 0);
        assert_true(mp_store_left_out(s, line, sizeof line));
        assert_non_null(strstr(line, "run 2: its learning curve is not one of 40 epochs"));
        mp_store_close(s);
    }
}

static mp_err calibration_of_second(void *context, const mp_stored *run)
{
    if (run->key.fold == 2) *(int64_t *)context = mp_calibration_count(&run->result.calibration);
    return MP_OK;
}

static void a_calibration_that_cannot_be_is_left_out_alone(void **state)
{
    (void)state;
    static const char *const harms[] = {
        "UPDATE calibration SET bin = bin + 10 WHERE run = 2",
        "UPDATE calibration SET count = 0 WHERE run = 2",
        "UPDATE calibration SET count = 'x' WHERE run = 2",
        "UPDATE calibration SET said = 2.5 WHERE run = 2",
        "UPDATE calibration SET held = -1 WHERE run = 2",
        "UPDATE calibration SET squares = 9e999 WHERE run = 2",
        "UPDATE calibration SET count = 9223372036854775807 WHERE run = 2",
    };
    for (size_t i = 0; i < sizeof harms / sizeof *harms; i++) {
        const char *path = store_with("epochs = epochs");
        harm(path, harms[i]);
        mp_store *s = open_store(path, MP_STORE_READ);
        char line[1024];
        int64_t n = -1;
        assert_int_equal(mp_store_each(s, NULL, calibration_of_second, &n), MP_OK);
        assert_int_equal(n, 0);
        assert_true(mp_store_left_out(s, line, sizeof line));
        assert_non_null(strstr(line, "run 2: its calibration is not one of 10 bins"));
        mp_store_close(s);
    }
}

static void what_the_schema_wants_to_do_is_not_done(void **state)
{
    (void)state;
    static const char *const plants[] = {
        "CREATE TRIGGER t AFTER INSERT ON run BEGIN UPDATE run SET test_metric = 1; END",
        "CREATE TRIGGER t AFTER UPDATE ON run BEGIN DELETE FROM curve; END",
        "CREATE TRIGGER t BEFORE INSERT ON run BEGIN SELECT RAISE(ABORT, 'no'); END",
        "CREATE TRIGGER t AFTER INSERT ON curve BEGIN DELETE FROM run; END",
    };
    for (size_t i = 0; i < sizeof plants / sizeof *plants; i++) {
        const char *path = store_with("epochs = epochs");
        harm(path, plants[i]);
        mp_store *s = open_store(path, MP_STORE_WRITE);
        int64_t n;
        assert_int_equal(put(s, 42, 4, NULL), MP_OK);
        assert_int_equal(mp_db_int(s, "SELECT count(*) FROM run WHERE test_metric < 0.5", &n), MP_OK);
        assert_int_equal(n, 4);
        assert_int_equal(mp_db_int(s, "SELECT count(*) FROM curve", &n), MP_OK);
        assert_int_equal(n, 4 * CURVE);
        mp_store_close(s);
    }
}

static void tables_that_are_not_ours_are_refused(void **state)
{
    (void)state;
    static const char *const harms[][2] = {
        { "DROP TABLE curve", "its table 'curve' is missing" },
        { "ALTER TABLE run RENAME TO r; CREATE VIEW run AS SELECT * FROM r", "its table 'run' is missing" },
        { "DROP TABLE curve; CREATE TABLE curve (run, epoch)", "its table 'curve' has other columns" },
        { "ALTER TABLE run ADD COLUMN more AS (zeroblob(1000000000))", "its table 'run' has other columns" },
    };
    for (size_t i = 0; i < sizeof harms / sizeof *harms; i++) {
        const char *path = store_with("epochs = epochs");
        harm(path, harms[i][0]);
        for (int mode = MP_STORE_READ; mode <= MP_STORE_WRITE; mode++) {
            mp_store *s;
            assert_int_equal(mp_store_open(path, (mp_store_mode)mode, &s), MP_ERR_INPUT);
            if (!strstr(mp_message(), harms[i][1])) fail_msg("'%s' does not say '%s'", mp_message(), harms[i][1]);
        }
    }
}

static void losses_of_any_size_are_reported(void **state)
{
    (void)state;
    static const char *const losses[] = { "1e308",  "-1e308",
                                          "9e999",  "CASE epoch % 2 WHEN 0 THEN 1e308 ELSE -1e308 END",
                                          "1e-320", "NULL" };
    char page[160];
    snprintf(page, sizeof page, "%s/page.html", fixture_folder());
    for (size_t i = 0; i < sizeof losses / sizeof *losses; i++) {
        const char *path = store_with("val_loss = 1e308");
        char *sql = sqlite3_mprintf("UPDATE curve SET val_loss = %s, train_loss = -1 * %s", losses[i], losses[i]);
        mp_report_options o = { .select = MP_SELECT_VAL };
        harm(path, sql);
        sqlite3_free(sql);
        if (mp_report_write(&path, 1, page, &o, NULL, NULL) != MP_OK) fail_msg("%s: %s", losses[i], mp_message());
    }
}

static void the_page_says_what_was_left_out(void **state)
{
    (void)state;
    const char *path = store_with("epochs = -16");
    char page[160];
    mp_report_options o = { .select = MP_SELECT_VAL };
    mp_arena *a = mp_arena_new(0);
    mp_span html;
    snprintf(page, sizeof page, "%s/page.html", fixture_folder());
    assert_int_equal(mp_report_write(&path, 1, page, &o, NULL, NULL), MP_OK);
    assert_int_equal(mp_slurp(page, 0, a, &html), MP_OK);
    assert_non_null(strstr(html.p, "run 2: epochs: expected a whole number"));
    mp_arena_free(a);
}

/* A short form of fuzz/fuzz_store.c. */
static void random_damage_neither_crashes_nor_lies(void **state)
{
    (void)state;
    char path[160], page[160];
    bool quick = access("/dev/shm", W_OK) == 0; /* needs no disk */
    snprintf(path, sizeof path, "%s/midpool_damage_%ld.db", quick ? "/dev/shm" : "/tmp", (long)getpid());
    snprintf(page, sizeof page, "%s/damaged.html", fixture_folder());
    for (uint64_t round = 0; round < 150; round++) {
        uint8_t data[40];
        mp_rng r = mp_rng_stream(round, MP_FOR_SHUFFLE, 0, 0, 0);
        for (size_t i = 0; i < sizeof data; i++) data[i] = (uint8_t)(mp_rng_bits(&r) >> 32);
        damage_make(path, data, sizeof data);
        damage_use(path, page);
    }
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_value_that_cannot_be_leaves_its_row_out_and_no_other),
        cmocka_unit_test(many_bad_rows_are_one_line),
        cmocka_unit_test(a_curve_that_does_not_fit_its_run_is_left_out_alone),
        cmocka_unit_test(a_calibration_that_cannot_be_is_left_out_alone),
        cmocka_unit_test(what_the_schema_wants_to_do_is_not_done),
        cmocka_unit_test(tables_that_are_not_ours_are_refused),
        cmocka_unit_test(losses_of_any_size_are_reported),
        cmocka_unit_test(the_page_says_what_was_left_out),
        cmocka_unit_test(random_damage_neither_crashes_nor_lies),
    };
    fixture_begin();
    arena = mp_arena_new(0);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    mp_arena_free(arena);
    fixture_end();
    return failed != 0;
}
