/* test_store_versions.c - stores of earlier versions: they are read as they are, and brought up to date when
 * written to; studies declare themselves once.
 * SPDX-License-Identifier: MIT */
#include "store_fixture.h"
#include "option.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sqlite3.h>
#include <cmocka.h>

/* The schema of version 1, as the program made it then. */
static const char version_1[] =
    "CREATE TABLE run (id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE,"
    " status TEXT NOT NULL CHECK (status IN ('done', 'failed')), dataset TEXT NOT NULL, fingerprint TEXT NOT NULL,"
    " folds_from TEXT NOT NULL, fold INTEGER NOT NULL, folds INTEGER NOT NULL, seed INTEGER NOT NULL,"
    " config TEXT NOT NULL CHECK (json_valid(config)), epochs INTEGER NOT NULL DEFAULT 0,"
    " best_epoch INTEGER NOT NULL DEFAULT 0, hit_cap INTEGER NOT NULL DEFAULT 0, train_loss REAL, val_loss REAL,"
    " val_metric REAL, test_metric REAL, large_metric REAL, seconds REAL, seconds_per_epoch REAL,"
    " peak_bytes INTEGER NOT NULL DEFAULT 0, model_sha256 TEXT NOT NULL DEFAULT '', message TEXT NOT NULL DEFAULT '',"
    " version TEXT NOT NULL, finished TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%SZ', 'now')));"
    "CREATE INDEX run_by_dataset ON run (dataset, seed, fold);"
    "CREATE TABLE curve (run INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE, epoch INTEGER NOT NULL,"
    " train_loss REAL, val_loss REAL, val_metric REAL, PRIMARY KEY (run, epoch)) WITHOUT ROWID;"
    "CREATE VIEW runs AS SELECT run.*, json_extract(config, '$.\"pool\"') AS \"pool\" FROM run;"
    "PRAGMA application_id = 1836085100; PRAGMA user_version = 1; PRAGMA journal_mode = WAL;";

/* What version 2 added. */
static const char version_2[] =
    "CREATE TABLE study (id INTEGER PRIMARY KEY, dataset TEXT NOT NULL, fingerprint TEXT NOT NULL,"
    " folds_from TEXT NOT NULL, folds INTEGER NOT NULL, grid TEXT NOT NULL,"
    " config TEXT NOT NULL CHECK (json_valid(config)),"
    " UNIQUE (dataset, fingerprint, folds_from, folds, grid, config)); PRAGMA user_version = 2;";

static void must(sqlite3 *db, const char *sql)
{
    char *why = NULL;
    if (sqlite3_exec(db, sql, NULL, NULL, &why) != SQLITE_OK) fail_msg("%s: %s", why, sql);
}

/* A store of version 1 with two finished runs, with options that the program had then. */
static const char *old_store(void)
{
    const char *path = fresh();
    sqlite3 *db;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    must(db, version_1);
    for (int fold = 1; fold <= 2; fold++) {
        mp_run_key k = key_of(42, fold);
        char hash[65];
        mp_run_key_hash(&k, hash);
        char *sql = sqlite3_mprintf(
            "INSERT INTO run (key, status, dataset, fingerprint, folds_from, fold, folds, seed, config, epochs,"
            " val_metric, test_metric, version) VALUES (%Q, 'done', 'MUTAG', 'fedcba9876543210', 'files', %d, 10, 42,"
            " '{\"pool\":\"sag\",\"seed\":42}', 1, 0.5, 0.75, '0.1.0');"
            "INSERT INTO curve VALUES (last_insert_rowid(), 1, 1, 1, 0.5)",
            hash, fold);
        must(db, sql);
        sqlite3_free(sql);
    }
    sqlite3_close(db);
    return path;
}

static int64_t ask(mp_store *s, const char *sql)
{
    int64_t v;
    if (mp_db_int(s, sql, &v) != MP_OK) fail_msg("%s", mp_message());
    return v;
}

/* A store of version 2: keys hashed every option, also those that nobody looks at, and the metric had no name. */
static const char *store_of_version_2(void)
{
    static const struct {
        const char *dataset, *config;
    } runs[] = { { "MUTAG", "{\"pool\":\"sag\",\"alpha\":0.6,\"seed\":42}" },
                 { "COLORS-3", "{\"pool\":\"gsa\",\"alpha\":0.3,\"seed\":42}" },
                 { "MUTAG", "{\"pool\":\"topk\",\"alpha\":0.3,\"seed\":42}" },
                 { "MUTAG", "{\"pool\":\"topk\",\"seed\":42}" } }; /* the same run once more */
    const char *path = fresh();
    sqlite3 *db;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    must(db, version_1);
    must(db, version_2);
    for (int i = 0; i < 4; i++) {
        char *sql = sqlite3_mprintf(
            "INSERT INTO run (key, status, dataset, fingerprint, folds_from, fold, folds, seed, config, epochs,"
            " val_metric, test_metric, version) VALUES ('%064d', 'done', %Q, 'fedcba9876543210', 'files', 1, 10, 42,"
            " %Q, 0, 0.5, 0.75, '0.1.0')",
            i, runs[i].dataset, runs[i].config);
        must(db, sql);
        sqlite3_free(sql);
    }
    sqlite3_close(db);
    return path;
}

static mp_run_key key_on(const char *dataset, const char *pool, const char *alpha)
{
    mp_run_key k = key_of(42, 1);
    strcpy(k.dataset, dataset);
    option_set(&k.config, "pool", pool);
    option_set(&k.config, "alpha", alpha);
    return k;
}

static void assert_version_2_runs(mp_store *s)
{
    mp_arena *a = mp_arena_new(0);
    const mp_stored *run;
    int n;
    char line[512];
    assert_int_equal(mp_store_load(s, NULL, a, &run, &n), MP_OK);
    assert_int_equal(n, 3); /* of the two that are one run, the first */
    assert_true(mp_store_left_out(s, line, sizeof line));
    assert_non_null(strstr(line, "another row has the same run"));
    for (int i = 0; i < n; i++) {
        bool count = strcmp(run[i].key.dataset, "COLORS-3") == 0;
        const mp_run_result *r = &run[i].result;
        assert_string_equal(r->task, count ? "count" : "classify");
        assert_string_equal(r->metric, count ? "count_accuracy" : "accuracy");
        assert_int_equal(r->measures, 1);
        assert_string_equal(r->measure[0].name, r->metric);
        assert_true(r->measure[0].val == 0.5 && r->measure[0].test == 0.75 && isnan(r->measure[0].large));
    }
    mp_arena_free(a);
}

static void a_store_of_version_2_keeps_its_runs(void **state)
{
    (void)state;
    FILES_ONLY();
    const char *path = store_of_version_2();
    mp_store *s = open_store(path, MP_STORE_READ);
    assert_version_2_runs(s);
    mp_store_close(s);
    s = open_store(path, MP_STORE_WRITE);
    assert_version_2_runs(s);
    const mp_run_key known[] = { key_on("MUTAG", "sag", "0.6"), key_on("MUTAG", "sag", "0.1"),
                                 key_on("COLORS-3", "gsa", "0.3"), key_on("MUTAG", "topk", "0.5") };
    mp_run_status status;
    for (int i = 0; i < 4; i++) {
        assert_int_equal(mp_store_has(s, &known[i], &status), MP_OK);
        assert_int_equal(status, MP_RUN_DONE);
    }
    mp_run_key other = key_on("COLORS-3", "gsa", "0.6");
    assert_int_equal(mp_store_has(s, &other, &status), MP_OK);
    assert_int_equal(status, MP_RUN_ABSENT);
    assert_int_equal(ask(s, "SELECT count(*) FROM metric"), 4);
    mp_store_close(s);
    assert_sound(path);
}

static void every_metric_of_a_run_comes_back(void **state)
{
    (void)state;
    mp_store *s = open_store(fresh(), MP_STORE_WRITE);
    mp_run_key k = key_of(42, 1);
    mp_run_result r = result_of(42, 1);
    mp_arena *a = mp_arena_new(0);
    const mp_stored *run;
    int n;
    strcpy(r.task, "regress");
    strcpy(r.metric, "mae");
    r.val_metric = 12.5;
    r.measures = 2;
    r.measure[0] = (mp_measured){ "mae", 12.5, 14, (double)NAN, (double)NAN };
    r.measure[1] = (mp_measured){ "r2", -3, (double)NAN, 0.5, 0.25 };
    r.large_c_metric = 0.125;
    assert_int_equal(mp_store_put(s, &k, &r, NULL), MP_OK);
    assert_int_equal(mp_store_load(s, NULL, a, &run, &n), MP_OK);
    assert_int_equal(n, 1);
    assert_string_equal(run[0].result.task, "regress");
    assert_string_equal(run[0].result.metric, "mae");
    assert_int_equal(run[0].result.measures, 2);
    assert_string_equal(run[0].result.measure[0].name, "mae");
    assert_true(run[0].result.val_metric == 12.5 && run[0].result.measure[0].test == 14);
    assert_true(run[0].result.measure[1].val == -3 && isnan(run[0].result.measure[1].test));
    assert_true(run[0].result.measure[1].large == 0.5 && run[0].result.measure[1].large_c == 0.25);
    assert_true(run[0].result.large_c_metric == 0.125 && isnan(run[0].result.measure[0].large_c));
    mp_store_close(s);
    mp_arena_free(a);
}

static void every_bin_of_a_run_comes_back(void **state)
{
    (void)state;
    mp_store *s = open_store(fresh(), MP_STORE_WRITE);
    mp_arena *a = mp_arena_new(0);
    const mp_stored *run;
    int n;
    for (int i = 0; i < 2; i++) { /* the second has none */
        mp_run_key k = key_of(42, 1 + i);
        mp_run_result r = result_of(42, 1 + i);
        if (i == 1) r.calibration = (mp_calibration){ 0 };
        if (i == 0) mp_calibration_add(&r.calibration, 1, 0);
        assert_int_equal(mp_store_put(s, &k, &r, NULL), MP_OK);
        assert_int_equal(mp_store_load(s, NULL, a, &run, &n), MP_OK);
        assert_memory_equal(&run[i].result.calibration, &r.calibration, sizeof r.calibration);
    }
    assert_int_equal(ask(s, "SELECT count(*) FROM calibration"), 3); /* empty bins are no rows */
    mp_store_close(s);
    mp_arena_free(a);
}

/* What later versions added is gone. */
static const char without_6[] = "DROP TABLE lease; DROP TABLE worker; ALTER TABLE run DROP COLUMN large_c_metric; "
                                "ALTER TABLE metric DROP COLUMN large_c;"
                                "PRAGMA user_version = 5";

/* A value stays as it was put first; a store of version 4 has none and takes them when it is written to. */
static void measurements_are_kept_under_what_they_are_of(void **state)
{
    (void)state;
    const char *path = fresh(), *value;
    mp_arena *a = mp_arena_new(0);
    mp_store *s = open_store(path, MP_STORE_WRITE);
    if (!in_server()) {
        assert_int_equal(mp_db_exec(s, without_6, "test"), MP_OK);
        assert_int_equal(mp_db_exec(s, "DROP TABLE measure; PRAGMA user_version = 4", "test"), MP_OK);
    }
    mp_store_close(s);
    s = open_store(path, MP_STORE_READ);
    assert_int_equal(mp_store_measure_get(s, "{\"of\":1}", a, &value), MP_OK);
    assert_null(value);
    mp_store_close(s);
    s = open_store(path, MP_STORE_WRITE);
    assert_int_equal(mp_store_measure_put(s, "{\"of\":1}", "[1,2]"), MP_OK);
    assert_int_equal(mp_store_measure_put(s, "{\"of\":2}", "\"two\""), MP_OK);
    assert_int_equal(mp_store_measure_put(s, "{\"of\":1}", "[3]"), MP_OK);
    assert_int_not_equal(mp_store_measure_put(s, "{\"of\":3}", "no JSON"), MP_OK);
    assert_int_equal(mp_store_measure_get(s, "{\"of\":1}", a, &value), MP_OK);
    assert_string_equal(value, "[1,2]");
    assert_int_equal(mp_store_measure_get(s, "{\"of\":2}", a, &value), MP_OK);
    assert_string_equal(value, "\"two\"");
    assert_int_equal(mp_store_measure_get(s, "{\"of\":3}", a, &value), MP_OK);
    assert_null(value);
    mp_store_close(s);
    assert_sound(path);
    mp_arena_free(a);
}

static void a_store_of_version_5_has_no_third_test_and_gets_it(void **state)
{
    (void)state;
    FILES_ONLY();
    const char *path = fresh();
    mp_arena *a = mp_arena_new(0);
    const mp_stored *run;
    int n;
    mp_store *s = open_store(path, MP_STORE_WRITE);
    mp_run_key k = key_of(42, 1);
    mp_run_result r = result_of(42, 1);
    r.measures = 1;
    r.measure[0] = (mp_measured){ "accuracy", 0.5, 0.25, 0.125, 0.75 };
    r.large_metric = 0.125;
    r.large_c_metric = 0.75;
    assert_int_equal(mp_store_put(s, &k, &r, NULL), MP_OK);
    assert_int_equal(mp_db_exec(s, without_6, "test"), MP_OK);
    mp_store_close(s);
    for (int writing = 0; writing < 2; writing++) { /* as it is, and brought up to date */
        s = open_store(path, writing ? MP_STORE_WRITE : MP_STORE_READ);
        assert_int_equal(ask(s, "PRAGMA user_version"), writing ? MP_STORE_VERSION : 5);
        assert_int_equal(mp_store_load(s, NULL, a, &run, &n), MP_OK);
        assert_true(n == 1 && run[0].result.large_metric == 0.125 && isnan(run[0].result.large_c_metric));
        assert_true(run[0].result.measure[0].large == 0.125 && isnan(run[0].result.measure[0].large_c));
        if (!writing) mp_store_close(s);
    }
    k = key_of(43, 1);
    assert_int_equal(mp_store_put(s, &k, &r, NULL), MP_OK);
    assert_int_equal(mp_store_load(s, NULL, a, &run, &n), MP_OK);
    assert_true(n == 2 && run[1].result.large_c_metric == 0.75 && run[1].result.measure[0].large_c == 0.75);
    mp_store_close(s);
    assert_sound(path);
    mp_arena_free(a);
}

/* As version 3 left it: all that version 4 added is gone. */
static void a_store_of_version_3_has_no_calibrations_and_gets_them(void **state)
{
    (void)state;
    FILES_ONLY();
    const char *path = fresh();
    mp_arena *a = mp_arena_new(0);
    const mp_stored *run;
    int n;
    mp_store *s = open_store(path, MP_STORE_WRITE);
    assert_int_equal(put(s, 42, 1, NULL), MP_OK);
    assert_int_equal(mp_db_exec(s, without_6, "test"), MP_OK);
    assert_int_equal(mp_db_exec(s, "DROP TABLE calibration; DROP TABLE measure; PRAGMA user_version = 3", "test"),
                     MP_OK);
    mp_store_close(s);
    s = open_store(path, MP_STORE_READ);
    assert_int_equal(mp_store_load(s, NULL, a, &run, &n), MP_OK);
    assert_true(n == 1 && mp_calibration_count(&run[0].result.calibration) == 0);
    mp_store_close(s);
    s = open_store(path, MP_STORE_WRITE);
    assert_int_equal(ask(s, "PRAGMA user_version"), MP_STORE_VERSION);
    assert_int_equal(status_of(s, 42, 1), MP_RUN_DONE);
    assert_int_equal(put(s, 43, 1, NULL), MP_OK);
    assert_int_equal(mp_store_load(s, NULL, a, &run, &n), MP_OK);
    assert_true(n == 2 && mp_calibration_count(&run[0].result.calibration) == 0);
    assert_int_equal(mp_calibration_count(&run[1].result.calibration), 2);
    mp_store_close(s);
    assert_sound(path);
    mp_arena_free(a);
}

static void assert_old_runs(mp_store *s)
{
    mp_arena *a = mp_arena_new(0);
    const mp_stored *run;
    int n;
    assert_int_equal(mp_store_load(s, &(mp_store_filter){ .curves = true }, a, &run, &n), MP_OK);
    assert_int_equal(n, 2);
    assert_true(run[1].key.fold == 2 && run[1].result.test_metric == 0.75 && run[1].result.curve_len == 1);
    assert_int_equal(status_of(s, 42, 1), MP_RUN_DONE);
    mp_arena_free(a);
}

static void a_store_of_version_1_is_read_as_it_is(void **state)
{
    (void)state;
    FILES_ONLY();
    const char *path = old_store();
    mp_arena *a = mp_arena_new(0);
    const mp_declared *d;
    int n = -1;
    mp_store *s = open_store(path, MP_STORE_READ);
    assert_old_runs(s);
    assert_int_equal(mp_store_declared(s, a, &d, &n), MP_OK);
    assert_int_equal(n, 0);
    mp_store_close(s);
    s = open_store(path, MP_STORE_READ);
    assert_int_equal(ask(s, "PRAGMA user_version"), 1);
    mp_store_close(s);
    mp_arena_free(a);
}

static void a_store_of_version_1_is_brought_up_to_date_when_written_to(void **state)
{
    (void)state;
    FILES_ONLY();
    const char *path = old_store();
    mp_store *s = open_store(path, MP_STORE_WRITE);
    assert_int_equal(ask(s, "PRAGMA user_version"), MP_STORE_VERSION);
    assert_old_runs(s);
    mp_declared d = { .key = key_of(42, 1), .grid = MP_GRID_CODE };
    assert_int_equal(mp_store_declare(s, &d, 1), MP_OK);
    assert_int_equal(put(s, 43, 1, NULL), MP_OK);
    mp_store_close(s);
    s = open_store(path, MP_STORE_WRITE); /* once more changes nothing */
    assert_int_equal(ask(s, "SELECT count(*) FROM run"), 3);
    assert_int_equal(ask(s, "SELECT count(*) FROM study"), 1);
    mp_store_close(s);
    assert_sound(path);

    mp_store *fresh_one = open_store(fresh(), MP_STORE_WRITE); /* has the same tables as the old one now has */
    s = open_store(path, MP_STORE_READ);
    static const char tables[] = "SELECT count(*) FROM sqlite_master WHERE type = 'table'";
    assert_int_equal(ask(s, tables), ask(fresh_one, tables));
    mp_store_close(s);
    mp_store_close(fresh_one);
}

static void a_store_without_a_version_is_none(void **state)
{
    (void)state;
    FILES_ONLY();
    static const char *const stamps[] = { "PRAGMA user_version = 0", "PRAGMA user_version = -1000000" };
    for (int i = 0; i < 2; i++) {
        const char *path = old_store();
        sqlite3 *db;
        mp_store *s;
        assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
        must(db, stamps[i]);
        sqlite3_close(db);
        assert_int_equal(mp_store_open(path, MP_STORE_WRITE, &s), MP_ERR_INPUT);
        assert_int_equal(mp_store_open(path, MP_STORE_READ, &s), MP_ERR_INPUT);
    }
}

static void a_study_is_declared_once_and_without_what_varies_in_it(void **state)
{
    (void)state;
    mp_store *s = open_store(fresh(), MP_STORE_WRITE);
    mp_declared d[4];
    for (int i = 0; i < 4; i++) {
        d[i] = (mp_declared){ .key = key_of(42 + i, i),
                              .grid = i < 2 ? MP_GRID_NONE : MP_GRID_PAPER }; /* seeds and folds differ */
        d[i].key.config.score_dim = 5 + (i == 3);
        d[i].key.config.ratio = 0.25;
    }
    assert_int_equal(mp_store_declare(s, d, 4), MP_OK);
    assert_int_equal(mp_store_declare(s, d, 4), MP_OK);
    mp_arena *a = mp_arena_new(0);
    const mp_declared *back;
    int n;
    assert_int_equal(mp_store_declared(s, a, &back, &n), MP_OK);
    assert_int_equal(n, 2);
    assert_true(back[0].grid == MP_GRID_NONE && back[0].key.config.score_dim == 5 && back[0].key.config.ratio == 0.25);
    assert_true(back[1].grid == MP_GRID_PAPER && back[1].key.config.ratio == 0.25);
    assert_string_equal(back[1].key.dataset, "MUTAG");
    assert_true(back[1].key.fingerprint == d[0].key.fingerprint && back[1].key.folds == 10);
    static const char *const varies[] = { "seed", "flip", "drop", "score-dim" };
    for (int i = 0; i < 4; i++) {
        char sql[160];
        snprintf(sql, sizeof sql, "SELECT count(*) FROM study WHERE grid = 'paper' AND config NOT LIKE '%%\"%s\":%%'",
                 varies[i]);
        assert_int_equal(ask(s, sql), 1);
    }
    assert_int_equal(mp_db_exec(s,
                                "INSERT INTO study (dataset, fingerprint, folds_from, folds, grid, config) VALUES"
                                " ('A', 'x', 'f', 1, 'none', '{\"ratio\":7}'), ('A', 'x', 'f', 1, 'odd', '{}')",
                                "test"),
                     MP_OK);
    assert_int_equal(mp_store_declared(s, a, &back, &n), MP_OK); /* what cannot be read is left out */
    assert_int_equal(n, 2);
    mp_arena_free(a);
    mp_store_close(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_store_of_version_1_is_read_as_it_is),
        cmocka_unit_test(a_store_of_version_1_is_brought_up_to_date_when_written_to),
        cmocka_unit_test(a_store_of_version_2_keeps_its_runs),
        cmocka_unit_test(every_metric_of_a_run_comes_back),
        cmocka_unit_test(every_bin_of_a_run_comes_back),
        cmocka_unit_test(measurements_are_kept_under_what_they_are_of),
        cmocka_unit_test(a_store_of_version_5_has_no_third_test_and_gets_it),
        cmocka_unit_test(a_store_of_version_3_has_no_calibrations_and_gets_them),
        cmocka_unit_test(a_store_without_a_version_is_none),
        cmocka_unit_test(a_study_is_declared_once_and_without_what_varies_in_it),
    };
    fixture_begin();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    fixture_end();
    return failed != 0;
}
