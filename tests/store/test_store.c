/* test_store.c - a run is stored once and comes back as it was; what is no store is refused.
 * SPDX-License-Identifier: MIT */
#include "store_fixture.h"
#include "model/options.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <sqlite3.h>
#include <cmocka.h>

static void a_run_comes_back_as_it_was_put(void **state)
{
    (void)state;
    const char *path = fresh();
    mp_store *s = open_store(path, MP_STORE_WRITE);
    mp_run_key k = key_of(44, 3);
    k.config.ratio = 0.1;
    k.config.variant = MP_VARIANT_PYG;
    k.config.flip = 1;
    strcpy(k.config.pool, "gsa");
    strcpy(k.dataset, "a'\"<b>\\");
    mp_run_result r = result_of(44, 3);
    bool added;
    assert_int_equal(mp_store_put(s, &k, &r, &added), MP_OK);
    assert_true(added);
    mp_store_close(s);

    mp_arena *a = mp_arena_new(0);
    const mp_stored *run;
    int n;
    s = open_store(path, MP_STORE_READ);
    assert_int_equal(mp_store_load(s, &(mp_store_filter){ .curves = true }, a, &run, &n), MP_OK);
    assert_int_equal(n, 1);
    char hash[65];
    mp_run_key_hash(&k, hash);
    assert_string_equal(run->hash, hash);
    assert_memory_equal(&run->key.config, &k.config, sizeof k.config);
    assert_string_equal(run->key.dataset, k.dataset);
    assert_true(run->key.fingerprint == k.fingerprint && run->key.fold == 3 && run->key.folds == 10);
    assert_true(run->status == MP_RUN_DONE && run->result.test_metric == 1.0 / 45 && isnan(run->result.large_metric));
    assert_true(run->result.peak_bytes == 1ULL << 40 && run->result.hit_cap == 1 && run->result.best_epoch == 7);
    assert_string_equal(run->version, MP_VERSION);
    assert_int_equal(run->result.curve_len, CURVE);
    for (int i = 0; i < CURVE; i++) {
        assert_true(run->result.curve[i].val_loss == points[i].val_loss);
        assert_int_equal(isnan(run->result.curve[i].val_metric), isnan(points[i].val_metric));
    }
    mp_store_close(s);
    mp_arena_free(a);
}

static void the_same_run_is_stored_once(void **state)
{
    (void)state;
    const char *path = fresh();
    mp_store *s = open_store(path, MP_STORE_WRITE);
    bool added;
    assert_int_equal(status_of(s, 42, 1), MP_RUN_ABSENT);
    assert_int_equal(put(s, 42, 1, &added), MP_OK);
    assert_true(added);
    assert_int_equal(put(s, 42, 1, &added), MP_OK);
    assert_false(added);
    assert_int_equal(put(s, 42, 1, NULL), MP_OK);
    assert_int_equal(status_of(s, 42, 1), MP_RUN_DONE);
    assert_int_equal(status_of(s, 42, 2), MP_RUN_ABSENT);
    mp_store_close(s);
    assert_sound(path);
}

static void a_failed_run_makes_way_for_a_finished_one(void **state)
{
    (void)state;
    mp_store *s = open_store(fresh(), MP_STORE_WRITE);
    mp_run_key k = key_of(42, 1);
    bool added;
    assert_int_equal(mp_store_put_failed(s, &k, "loss is not finite"), MP_OK);
    assert_int_equal(status_of(s, 42, 1), MP_RUN_FAILED);
    assert_int_equal(mp_store_put_failed(s, &k, "again"), MP_OK);
    assert_int_equal(put(s, 42, 1, &added), MP_OK);
    assert_true(added);
    assert_int_equal(mp_store_put_failed(s, &k, "late"), MP_OK);
    assert_int_equal(status_of(s, 42, 1), MP_RUN_DONE);
    mp_store_close(s);
}

static mp_err note(void *context, const mp_stored *run)
{
    mp_buf_printf(context, " %s/%d/%d", run->key.dataset, run->key.config.seed, run->key.fold);
    return MP_OK;
}

static mp_err stop(void *context, const mp_stored *run)
{
    (void)run;
    ++*(int *)context;
    return mp_fail(MP_ERR_LIMIT, "enough");
}

static void runs_are_listed_in_one_order_and_can_be_filtered(void **state)
{
    (void)state;
    mp_store *s = open_store(fresh(), MP_STORE_WRITE);
    mp_run_key other = key_of(1, 1);
    strcpy(other.dataset, "DD");
    strcpy(other.config.pool, "topk");
    assert_int_equal(put(s, 43, 1, NULL), MP_OK);
    assert_int_equal(put(s, 42, 2, NULL), MP_OK);
    assert_int_equal(put(s, 42, 1, NULL), MP_OK);
    assert_int_equal(mp_store_put_failed(s, &other, "x"), MP_OK);
    static const struct {
        mp_store_filter filter;
        const char *runs;
    } cases[] = {
        { { 0 }, " DD/1/1 MUTAG/42/1 MUTAG/42/2 MUTAG/43/1" },
        { { .status = MP_RUN_DONE }, " MUTAG/42/1 MUTAG/42/2 MUTAG/43/1" },
        { { .status = MP_RUN_FAILED }, " DD/1/1" },
        { { .dataset = "DD" }, " DD/1/1" },
        { { .pool = "topk" }, " DD/1/1" },
        { { .pool = "sag", .dataset = "DD" }, "" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mp_buf b = { 0 };
        mp_buf_puts(&b, "");
        assert_int_equal(mp_store_each(s, &cases[i].filter, note, &b), MP_OK);
        assert_string_equal(b.p, cases[i].runs);
        mp_buf_free(&b);
    }
    int calls = 0;
    assert_int_equal(mp_store_each(s, NULL, stop, &calls), MP_ERR_LIMIT);
    assert_int_equal(calls, 1);
    mp_store_close(s);
}

/* Another value of an option than it has. */
static void change(const mp_opt *o, mp_config *c)
{
    static const char *const tries[] = { "0.25", "2", "3", "true", "false", NULL };
    mp_config was = *c;
    for (int i = 0; tries[i] && mp_conf_same(o, c, &was); i++)
        if (mp_conf_set(mp_config_table, c, o->name, tries[i], o->name) != MP_OK) *c = was;
    const char *last = o->kind == MP_OPT_CHOICE ? strrchr(o->choices, '|') + 1 : NULL;
    if (last) assert_int_equal(mp_conf_set(mp_config_table, c, o->name, last, o->name), MP_OK);
    assert_false(mp_conf_same(o, c, &was));
}

static void the_key_depends_on_what_the_parts_look_at(void **state)
{
    (void)state;
    mp_run_key base = key_of(42, 1);
    char a[65], b[65];
    int used = 0, unused = 0;
    mp_run_key_hash(&base, a);
    for (const mp_opt *o = mp_config_table; o->name; o++) {
        if (strcmp(o->name, "pool") == 0) continue;
        mp_run_key k = base;
        change(o, &k.config);
        mp_run_key_hash(&k, b);
        bool looked_at = mp_config_uses(&k.config, o->name) == MP_USED;
        if ((strcmp(a, b) != 0) != looked_at) fail_msg("--%s %s the key", o->name, looked_at ? "leaves" : "changes");
        looked_at ? used++ : unused++;
    }
    assert_true(used > 20 && unused > 20);
    mp_run_key k = base;
    k.fold = 2;
    mp_run_key_hash(&k, b);
    assert_string_not_equal(a, b);
    k = base;
    k.fingerprint++;
    mp_run_key_hash(&k, b);
    assert_string_not_equal(a, b);
    k = base;
    strcpy(k.folds_from, "stratified");
    mp_run_key_hash(&k, b);
    assert_string_not_equal(a, b);
}

/* What stores and keys of runs made before lr-drop took several epochs have. */
static void an_option_with_one_number_is_stored_as_a_number(void **state)
{
    (void)state;
    static const char *const text[][2] = { { "280", "\"lr-drop\":280," }, { "85,95", "\"lr-drop\":\"85,95\"," } };
    mp_arena *a = mp_arena_new(4096);
    for (int i = 0; i < 2; i++) {
        mp_config c, d;
        mp_buf json = { 0 }, again = { 0 };
        mp_config_init(&c);
        assert_int_equal(mp_conf_set(mp_config_table, &c, "lr-drop", text[i][0], "lr-drop"), MP_OK);
        mp_config_to_json(&c, &json);
        assert_non_null(strstr(json.p, text[i][1]));
        assert_int_equal(mp_config_from_json((mp_span){ json.p, json.n }, "store", a, &d), MP_OK);
        mp_config_to_json(&d, &again);
        assert_string_equal(again.p, json.p);
        mp_buf_free(&json);
        mp_buf_free(&again);
    }
    mp_arena_free(a);
}

/* By people, with a program of their own: the store itself uses no view. */
static void every_option_can_be_queried(void **state)
{
    (void)state;
    FILES_ONLY();
    const char *path = fresh();
    mp_store *s = open_store(path, MP_STORE_WRITE);
    sqlite3 *db;
    assert_int_equal(put(s, 42, 1, NULL), MP_OK);
    mp_store_close(s);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    for (const mp_opt *o = mp_config_table; o->name; o++) {
        char *sql = sqlite3_mprintf("SELECT count(*) FROM runs WHERE \"%w\" IS NOT NULL", o->name);
        sqlite3_stmt *stmt;
        assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &stmt, NULL), SQLITE_OK);
        assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
        assert_int_equal(sqlite3_column_int(stmt, 0), 1);
        sqlite3_finalize(stmt);
        sqlite3_free(sql);
    }
    sqlite3_close(db);
}

static void write_text(const char *path, const char *text, size_t n)
{
    assert_int_equal(mp_write_file(path, text, n), MP_OK);
}

static void refuse(const char *path, mp_store_mode mode, const char *message)
{
    mp_store *s;
    if (mp_store_open(path, mode, &s) == MP_OK) fail_msg("%s: opened", path);
    assert_null(s);
    if (!strstr(mp_message(), message)) fail_msg("'%s' does not say '%s'", mp_message(), message);
}

static void what_is_no_store_is_refused_and_left_alone(void **state)
{
    (void)state;
    FILES_ONLY();
    refuse(fresh(), MP_STORE_READ, "No such file");
    refuse("/no/such/folder/r.db", MP_STORE_WRITE, "unable to open");
    refuse(fixture_folder(), MP_STORE_WRITE, "unable to open");
    const char *path = fresh(),
               text[] = "this is a text, and long enough to be told from a database by its first bytes";
    write_text(path, text, sizeof text);
    refuse(path, MP_STORE_WRITE, "not a midpool store");
    refuse(path, MP_STORE_READ, "not a midpool store");
    mp_arena *a = mp_arena_new(0);
    mp_span after;
    assert_int_equal(mp_slurp(path, 0, a, &after), MP_OK);
    assert_int_equal(after.n, sizeof text);
    mp_arena_free(a);

    path = fresh();
    write_text(path, "", 0);
    refuse(path, MP_STORE_READ, "the file is empty");

    path = fresh();
    sqlite3 *db;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "CREATE TABLE mine (x)", NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
    refuse(path, MP_STORE_WRITE, "not a midpool store");
    refuse(path, MP_STORE_READ, "not a midpool store");
}

static void a_store_of_a_newer_version_is_refused(void **state)
{
    (void)state;
    FILES_ONLY();
    const char *path = fresh();
    mp_store *s = open_store(path, MP_STORE_WRITE);
    assert_int_equal(mp_db_exec(s, "PRAGMA user_version = 99", "test"), MP_OK);
    mp_store_close(s);
    refuse(path, MP_STORE_READ, "newer midpool (store version 99");
    refuse(path, MP_STORE_WRITE, "newer midpool (store version 99");
}

static void a_store_in_a_read_only_folder_can_be_read(void **state)
{
    (void)state;
    FILES_ONLY();
    char sub[160], path[200];
    snprintf(sub, sizeof sub, "%s/a folder?#%%", fixture_folder());
    snprintf(path, sizeof path, "%s/r.db", sub);
    assert_int_equal(mkdir(sub, 0777), 0);
    mp_store *s = open_store(path, MP_STORE_WRITE);
    assert_int_equal(put(s, 42, 1, NULL), MP_OK);
    mp_store_close(s);
    pid_t child = fork();
    if (child == 0) { /* as a user whom the permissions bind */
        chmod(sub, 0555);
        if (geteuid() == 0 && setuid(65534) != 0) _exit(0);
        mp_store *r, *w;
        if (mp_store_open(path, MP_STORE_READ, &r) != MP_OK) _exit(1);
        if (status_of(r, 42, 1) != MP_RUN_DONE) _exit(2);
        mp_store_close(r);
        if (mp_store_open(path, MP_STORE_WRITE, &w) == MP_OK) _exit(3);
        _exit(0);
    }
    int status;
    waitpid(child, &status, 0);
    chmod(sub, 0755);
    assert_int_equal(status, 0);
}

static void odd_names_of_files_are_files(void **state)
{
    (void)state;
    FILES_ONLY();
    char before[4096];
    assert_non_null(getcwd(before, sizeof before));
    assert_int_equal(chdir(fixture_folder()), 0);
    mp_store_close(open_store(":memory:", MP_STORE_WRITE));
    assert_int_equal(access(":memory:", F_OK), 0);
    assert_int_equal(chdir(before), 0);
}

static void a_store_on_a_network_is_read_but_not_written(void **state)
{
    (void)state;
    FILES_ONLY();
    const char *path = fresh();
    mp_store *s = open_store(path, MP_STORE_WRITE);
    assert_int_equal(put(s, 42, 1, NULL), MP_OK);
    mp_store_close(s);
    setenv("MIDPOOL_FILE_SYSTEM", "0x6969", 1);
    assert_int_equal(mp_store_open(path, MP_STORE_WRITE, &s), MP_ERR_USAGE);
    static const char *const ways[] = { "(NFS)", "postgresql://", "--part", "midpool merge", "MPI" };
    for (int i = 0; i < 5; i++) assert_non_null(strstr(mp_message(), ways[i]));
    assert_int_equal(mp_store_open("only-a-name.db", MP_STORE_WRITE, &s), MP_ERR_USAGE);
    assert_int_equal(mp_store_open(".only-a-name.db", MP_STORE_WRITE, &s), MP_ERR_USAGE);
    assert_int_not_equal(access("only-a-name.db", F_OK), 0);
    s = open_store(path, MP_STORE_READ);
    assert_int_equal(status_of(s, 42, 1), MP_RUN_DONE);
    mp_store_close(s);
    setenv("MIDPOOL_FILE_SYSTEM", "0xEF53", 1); /* ext4 */
    mp_store_close(open_store(path, MP_STORE_WRITE));
    unsetenv("MIDPOOL_FILE_SYSTEM");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_comes_back_as_it_was_put),
        cmocka_unit_test(the_same_run_is_stored_once),
        cmocka_unit_test(a_failed_run_makes_way_for_a_finished_one),
        cmocka_unit_test(runs_are_listed_in_one_order_and_can_be_filtered),
        cmocka_unit_test(the_key_depends_on_what_the_parts_look_at),
        cmocka_unit_test(an_option_with_one_number_is_stored_as_a_number),
        cmocka_unit_test(every_option_can_be_queried),
        cmocka_unit_test(what_is_no_store_is_refused_and_left_alone),
        cmocka_unit_test(a_store_of_a_newer_version_is_refused),
        cmocka_unit_test(a_store_in_a_read_only_folder_can_be_read),
        cmocka_unit_test(odd_names_of_files_are_files),
        cmocka_unit_test(a_store_on_a_network_is_read_but_not_written),
    };
    fixture_begin();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    fixture_end();
    return failed != 0;
}
