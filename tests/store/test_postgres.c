/* test_postgres.c - stores in a PostgreSQL server: names without passwords, databases of others, connections that break.
 * SPDX-License-Identifier: MIT */
#include "store_fixture.h"
#include "store/work.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static void passwords_are_never_shown(void **state)
{
    (void)state;
    static const char *const url[][3] = {
        { "postgresql://me:geheim@host:5433/lab", "postgresql://me@host:5433/lab", "lab@host" },
        { "postgres://me:geheim@host/lab?sslmode=require&password=geheim", "postgres://me@host/lab?sslmode=require",
          "lab@host" },
        { "postgresql://me@/lab?host=/run/x&passfile=geheim&options=-cx%3D1",
          "postgresql://me@/lab?host=/run/x&options=-cx%3D1", "lab@local" },
        { "postgresql://me:ge@he/im@host/lab", "postgresql://me@host/lab", "lab@host" },
        { "postgresql:///lab", "postgresql:///lab", "lab@local" },
        { "postgresql://host", "postgresql://host", "midpool@host" },
        { "runs/midpool.db", "runs/midpool.db", "runs/midpool.db" },
    };
    mp_arena *a = mp_arena_new(0);
    for (size_t i = 0; i < sizeof url / sizeof *url; i++) {
        assert_string_equal(mp_store_shown(url[i][0], a), url[i][1]);
        assert_string_equal(mp_store_beside(url[i][0], a), url[i][2]);
        char word[160];
        snprintf(word, sizeof word, "--store=%s", url[i][0]);
        mp_store_hide(word);
        assert_null(strstr(word, "geheim"));
        assert_string_equal(word + strlen("--store="), url[i][1]);
    }
    mp_arena_free(a);
}

static void a_server_that_is_not_there_is_named_without_the_password(void **state)
{
    (void)state;
    static const char *const url[] = { "postgresql://me:geheim@/lab?host=/nowhere", "postgresql://me:geheim@[x/lab",
                                       "postgresql://me:geheim@/lab?host=/nowhere&connect_timeout=x" };
    mp_store *s;
    for (int i = 0; i < 3; i++) {
        assert_int_not_equal(mp_store_open(url[i], MP_STORE_WRITE, &s), MP_OK);
        assert_null(strstr(mp_message(), "geheim"));
        assert_null(strchr(mp_message(), '\n'));
        assert_int_equal(strncmp(mp_message(), "postgresql://me@", 16), 0);
    }
}

static void refuse(const char *path, const char *sql, const char *part)
{
    mp_store *s = open_store(path, MP_STORE_WRITE);
    if (mp_db_exec(s, sql, "test") != MP_OK) fail_msg("%s", mp_message());
    mp_store_close(s);
    for (int mode = MP_STORE_READ; mode <= MP_STORE_WRITE; mode++) {
        assert_int_equal(mp_store_open(path, (mp_store_mode)mode, &s), MP_ERR_INPUT);
        if (!strstr(mp_message(), part)) fail_msg("%s: %s", sql, mp_message());
    }
}

static void databases_of_others_are_refused(void **state)
{
    (void)state;
    if (!in_server()) skip();
    refuse(fresh(), "UPDATE midpool_store SET version = 99", "written by a newer midpool (store version 99");
    refuse(fresh(), "DROP TABLE midpool_store", "it has tables of the same names");
    refuse(fresh(), "ALTER TABLE curve ADD COLUMN more TEXT", "table 'curve' has other columns");
    refuse(fresh(), "ALTER TABLE metric ALTER COLUMN val TYPE TEXT", "table 'metric' has other columns");
    refuse(fresh(), "DROP TABLE study", "table 'study' is missing");
    refuse(fresh(), "ALTER TABLE measure RENAME TO was; CREATE VIEW measure AS SELECT * FROM was",
           "table 'measure' is missing");
    refuse(fresh(), "CREATE RULE r AS ON INSERT TO run DO ALSO DELETE FROM curve", "table 'run' has triggers, rules");
    refuse(fresh(), "ALTER TABLE run ENABLE ROW LEVEL SECURITY", "table 'run' has triggers, rules");
    refuse(fresh(),
           "CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'; CREATE TRIGGER t BEFORE"
           " INSERT ON lease FOR EACH ROW EXECUTE FUNCTION f()",
           "table 'lease' has triggers, rules");
}

static void an_empty_database_is_no_store_to_read(void **state)
{
    (void)state;
    if (!in_server()) skip();
    mp_store *s;
    assert_int_equal(mp_store_open(fresh(), MP_STORE_READ, &s), MP_ERR_INPUT);
    assert_non_null(strstr(mp_message(), "the database has none"));
}

static void a_reader_writes_nothing(void **state)
{
    (void)state;
    if (!in_server()) skip();
    const char *path = fresh();
    mp_store_close(open_store(path, MP_STORE_WRITE));
    mp_store *s = open_store(path, MP_STORE_READ);
    assert_int_not_equal(put(s, 42, 1, NULL), MP_OK);
    mp_store_close(s);
}

static void every_option_can_be_queried(void **state)
{
    (void)state;
    if (!in_server()) skip();
    mp_store *s = open_store(fresh(), MP_STORE_WRITE);
    assert_int_equal(put(s, 42, 1, NULL), MP_OK);
    for (const mp_opt *o = mp_config_table; o->name; o++) {
        char sql[160];
        int64_t n;
        snprintf(sql, sizeof sql, "SELECT count(*) FROM runs WHERE \"%s\" IS NOT NULL", o->name);
        assert_int_equal(mp_db_int(s, sql, &n), MP_OK);
        assert_int_equal(n, 1);
    }
    mp_store_close(s);
}

static void a_full_disk_is_told_in_those_words(void **state)
{
    (void)state;
    if (!in_server()) skip();
    mp_store *s = open_store(fresh(), MP_STORE_WRITE);
    static const char raise[] = "DO $$ BEGIN RAISE EXCEPTION 'any words' USING ERRCODE = '%s'; END $$";
    char sql[160];
    snprintf(sql, sizeof sql, raise, "53100");
    assert_int_equal(mp_db_exec(s, sql, "a run"), MP_ERR_IO);
    assert_non_null(strstr(mp_message(), ": a run: no space left"));
    snprintf(sql, sizeof sql, raise, "53000");
    assert_int_equal(mp_db_exec(s, sql, "a run"), MP_ERR_IO);
    assert_null(strstr(mp_message(), "no space left"));
    snprintf(sql, sizeof sql, raise, "55P03");
    assert_int_equal(mp_db_exec(s, sql, "a run"), MP_ERR_BUSY);
    mp_store_close(s);
}

static void whole_numbers_of_any_width_have_their_sign(void **state)
{
    (void)state;
    if (!in_server()) skip();
    mp_store *s = open_store(fresh(), MP_STORE_WRITE);
    static const char *const sql[] = { "SELECT -3::int2", "SELECT -3::int4", "SELECT -3::int8", "SELECT -3.0::float8" };
    for (int i = 0; i < 4; i++) {
        int64_t v;
        assert_int_equal(mp_db_int(s, sql[i], &v), MP_OK);
        assert_int_equal(v, -3);
    }
    mp_store_close(s);
}

static void server(const char *what)
{
    char command[512];
    snprintf(command, sizeof command, "%s/tests/rig/postgres.sh %s", getenv("MIDPOOL_SOURCE"), what);
    assert_int_equal(system(command), 0);
}

/* The server crashes; what is put meanwhile is told to come again, and does, on the same handle. */
static void a_server_that_comes_back_is_met_again(void **state)
{
    (void)state;
    if (!in_server()) skip();
    const char *path = fresh();
    mp_store *s = open_store(path, MP_STORE_WRITE);
    mp_run_key k = key_of(42, 2);
    mp_claim c;
    assert_int_equal(mp_store_work_begin(s, &(mp_work_plan){ "test", "abc", 3, 0 }), MP_OK);
    assert_int_equal(put(s, 42, 1, NULL), MP_OK);
    server("stop");
    for (int i = 0; i < 3; i++) {
        assert_int_equal(put(s, 42, 2, NULL), MP_ERR_BUSY);
        if (mp_store_claim(s, &k, false, &c) != MP_ERR_BUSY) fail_msg("%s", mp_message());
        assert_int_equal(mp_store_beat(s, 1, NULL, 0), MP_ERR_BUSY);
    }
    assert_null(strchr(mp_message(), '\n'));
    server("start");
    mp_err e = MP_ERR_BUSY;
    for (int i = 0; i < 50 && e == MP_ERR_BUSY; i++) {
        e = put(s, 42, 2, NULL);
        usleep(100000);
    }
    assert_int_equal(e, MP_OK);
    assert_int_equal(status_of(s, 42, 1), MP_RUN_DONE);
    assert_int_equal(mp_store_claim(s, &k, false, &c), MP_OK);
    assert_int_equal(c, MP_CLAIM_DONE);
    server("stop"); /* between two transactions nobody notices, when it is back in time */
    server("start");
    assert_int_equal(put(s, 42, 3, NULL), MP_OK);
    mp_store_close(s);
    assert_sound(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(passwords_are_never_shown),
        cmocka_unit_test(a_server_that_is_not_there_is_named_without_the_password),
        cmocka_unit_test(databases_of_others_are_refused),
        cmocka_unit_test(an_empty_database_is_no_store_to_read),
        cmocka_unit_test(a_reader_writes_nothing),
        cmocka_unit_test(every_option_can_be_queried),
        cmocka_unit_test(a_full_disk_is_told_in_those_words),
        cmocka_unit_test(whole_numbers_of_any_width_have_their_sign),
        cmocka_unit_test(a_server_that_comes_back_is_met_again),
    };
    fixture_begin();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    fixture_end();
    return failed != 0;
}
