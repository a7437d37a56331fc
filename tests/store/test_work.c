/* test_work.c - programs that share a store: a run is claimed by one of them, claims of the dead are free, and all can be seen.
 * SPDX-License-Identifier: MIT */
#include "store_fixture.h"
#include "store/work.h"

#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

static const mp_work_plan plan = { "midpool cv MUTAG", "abc", 10, 2 };

static mp_store *at_work(const char *path)
{
    mp_store *s = open_store(path, MP_STORE_WRITE);
    if (mp_store_work_begin(s, &plan) != MP_OK) fail_msg("%s", mp_message());
    return s;
}

static void leave(mp_store *s)
{
    assert_int_equal(mp_store_work_end(s), MP_OK);
    mp_store_close(s);
}

static mp_claim claim(mp_store *s, int seed, int fold, bool again)
{
    mp_run_key k = key_of(seed, fold);
    mp_claim c;
    if (mp_store_claim(s, &k, again, &c) != MP_OK) fail_msg("%s", mp_message());
    return c;
}

static int64_t ask(mp_store *s, const char *sql)
{
    int64_t v;
    if (mp_db_int(s, sql, &v) != MP_OK) fail_msg("%s", mp_message());
    return v;
}

static void must(mp_store *s, const char *sql)
{
    if (mp_db_exec(s, sql, "test") != MP_OK) fail_msg("%s", mp_message());
}

/* A program of its own that is at work on the store, has claimed (42, 1), and lives until it is killed. */
static pid_t other_program(const char *path)
{
    int told[2];
    char byte;
    assert_int_equal(pipe(told), 0);
    pid_t pid = fork();
    if (pid == 0) {
        mp_store *s = at_work(path);
        if (claim(s, 42, 1, false) != MP_CLAIM_MINE || write(told[1], "x", 1) != 1) _exit(1);
        for (;;) pause();
    }
    assert_int_equal(read(told[0], &byte, 1), 1);
    close(told[0]);
    close(told[1]);
    return pid;
}

static void end(pid_t pid)
{
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}

static void a_run_is_claimed_by_one_until_it_is_released(void **state)
{
    (void)state;
    const char *path = fresh();
    pid_t other = other_program(path);
    mp_store *s = at_work(path);
    mp_run_key k = key_of(42, 2);
    assert_int_equal(claim(s, 42, 1, false), MP_CLAIM_HELD);
    assert_int_equal(claim(s, 42, 1, true), MP_CLAIM_HELD);
    assert_int_equal(claim(s, 42, 2, false), MP_CLAIM_MINE);
    assert_int_equal(claim(s, 42, 2, false), MP_CLAIM_MINE); /* it is mine already */
    assert_int_equal(mp_store_release(s, &k), MP_OK);
    assert_int_equal(ask(s, "SELECT count(*) FROM lease"), 1);
    end(other);
    leave(s);
}

static void a_stored_run_ends_its_claim_and_is_done_for_all(void **state)
{
    (void)state;
    const char *path = fresh();
    mp_store *s = at_work(path);
    assert_int_equal(claim(s, 42, 1, false), MP_CLAIM_MINE);
    assert_int_equal(put(s, 42, 1, NULL), MP_OK);
    assert_int_equal(ask(s, "SELECT count(*) FROM lease"), 0);
    assert_int_equal(claim(s, 42, 1, false), MP_CLAIM_DONE);
    assert_int_equal(ask(s, "SELECT count(*) FROM lease"), 0);
    assert_int_equal(claim(s, 42, 1, true), MP_CLAIM_MINE);
    assert_int_equal(put(s, 42, 1, NULL), MP_OK); /* was there: the claim ends all the same */
    assert_int_equal(ask(s, "SELECT count(*) FROM lease"), 0);
    leave(s);
    assert_sound(path);
}

/* Not with the next sign of life: whoever counts the runs of a store expects them in the rows of workers too. */
static void a_stored_run_is_counted_at_once_for_its_worker(void **state)
{
    (void)state;
    mp_store *s = at_work(fresh());
    mp_run_key bad = key_of(42, 2);
    int64_t before = ask(s, "SELECT finished FROM worker");
    assert_int_equal(claim(s, 42, 1, false), MP_CLAIM_MINE);
    assert_int_equal(put(s, 42, 1, NULL), MP_OK);
    assert_int_equal(ask(s, "SELECT finished FROM worker"), before + 1);
    assert_int_equal(put(s, 42, 1, NULL), MP_OK); /* was there */
    assert_int_equal(claim(s, 42, 2, false), MP_CLAIM_MINE);
    assert_int_equal(mp_store_put_failed(s, &bad, "it diverged"), MP_OK);
    assert_int_equal(claim(s, 42, 3, false), MP_CLAIM_MINE);
    bad.fold = 3;
    assert_int_equal(mp_store_release(s, &bad), MP_OK);
    assert_int_equal(ask(s, "SELECT finished FROM worker"), before + 1);
    assert_int_equal(ask(s, "SELECT count(*) FROM lease"), 0);
    leave(s);
}

/* Of a run that failed before the work began nobody knows why: it is tried again. */
static void a_run_that_failed_since_the_work_began_is_not_tried_by_everybody(void **state)
{
    (void)state;
    mp_store *s = open_store(fresh(), MP_STORE_WRITE);
    mp_run_key k = key_of(42, 1);
    assert_int_equal(mp_store_put_failed(s, &k, "it diverged"), MP_OK);
    must(s, "UPDATE run SET finished = '2020-01-01T00:00:00Z'");
    assert_int_equal(mp_store_work_begin(s, &plan), MP_OK);
    assert_int_equal(claim(s, 42, 1, false), MP_CLAIM_MINE);
    assert_int_equal(mp_store_put_failed(s, &k, "it diverged"), MP_OK);
    assert_int_equal(ask(s, "SELECT count(*) FROM lease"), 0);
    must(s, "UPDATE run SET finished = '2999-01-01T00:00:00Z'");
    assert_int_equal(claim(s, 42, 1, false), MP_CLAIM_FAILED);
    assert_int_equal(ask(s, "SELECT count(*) FROM lease"), 0);
    leave(s);
}

static void a_killed_program_of_this_host_loses_its_claims_at_once(void **state)
{
    (void)state;
    const char *path = fresh();
    pid_t other = other_program(path);
    mp_store *s = at_work(path);
    assert_int_equal(claim(s, 42, 1, false), MP_CLAIM_HELD);
    kill(other, SIGKILL);
    siginfo_t info;
    assert_int_equal(waitid(P_PID, (id_t)other, &info, WEXITED | WNOWAIT), 0); /* dead, but its parent has not asked */
    assert_int_equal(claim(s, 42, 1, false), MP_CLAIM_MINE);
    waitpid(other, NULL, 0);
    leave(s);
}

static void a_number_that_is_used_again_is_another_process(void **state)
{
    (void)state;
    const char *path = fresh();
    pid_t other = other_program(path);
    mp_store *s = at_work(path);
    must(s, "UPDATE worker SET birth = birth - 1");
    assert_int_equal(claim(s, 42, 1, false), MP_CLAIM_MINE);
    end(other);
    leave(s);
}

/* Of another host, another boot or another space of numbers nothing is known but the sign of life. */
static void a_program_elsewhere_is_dead_after_a_minute_of_silence(void **state)
{
    (void)state;
    static const char *const elsewhere[] = { "UPDATE worker SET host = 'elsewhere', pid = 1, birth = 1",
                                             "UPDATE worker SET boot = 'another', pid = 1, birth = 1" };
    for (int i = 0; i < 2; i++) {
        const char *path = fresh();
        end(other_program(path));
        mp_store *s = open_store(path, MP_STORE_WRITE);
        must(s, elsewhere[i]);
        assert_int_equal(mp_store_work_begin(s, &plan), MP_OK);
        assert_int_equal(claim(s, 42, 1, false), MP_CLAIM_HELD);
        must(s, "UPDATE worker SET beat = beat - 50");
        assert_int_equal(claim(s, 42, 1, false), MP_CLAIM_HELD);
        must(s, "UPDATE worker SET beat = beat - 20");
        assert_int_equal(claim(s, 42, 1, false), MP_CLAIM_MINE);
        leave(s);
    }
}

static void the_dead_are_buried_when_the_next_begins(void **state)
{
    (void)state;
    const char *path = fresh();
    end(other_program(path));
    mp_store *s = open_store(path, MP_STORE_WRITE);
    assert_int_equal(ask(s, "SELECT count(*) FROM worker"), 1);
    assert_int_equal(mp_store_work_begin(s, &plan), MP_OK);
    assert_int_equal(ask(s, "SELECT count(*) FROM worker"), 1);
    assert_int_equal(ask(s, "SELECT count(*) FROM lease"), 0);
    leave(s);
    s = open_store(path, MP_STORE_READ);
    assert_int_equal(ask(s, "SELECT count(*) FROM worker"), 0);
    mp_store_close(s);
}

static void a_beat_brings_back_who_was_taken_for_dead(void **state)
{
    (void)state;
    mp_store *s = at_work(fresh());
    mp_run_key k[2] = { key_of(42, 1), key_of(42, 2) };
    mp_claim_news news[2] = { { &k[0], 3, 100, 0.5 }, { &k[1], 4, 100, 0.25 } };
    assert_int_equal(claim(s, 42, 1, false), MP_CLAIM_MINE);
    assert_int_equal(claim(s, 42, 2, false), MP_CLAIM_MINE);
    must(s, "DELETE FROM worker");
    assert_int_equal(ask(s, "SELECT count(*) FROM lease"), 0);
    must(s, "INSERT INTO worker SELECT 'other', 'h', 'b', 1, 1, 'c', 0, 0, 'p', 1, 1");
    must(s, "UPDATE worker SET beat = 1e12");
    char hash[65], sql[512];
    mp_run_key_hash(&k[1], hash);
    snprintf(sql, sizeof sql, "INSERT INTO lease VALUES ('%s', 'other', 'MUTAG', 'sag', 42, 2, 0, 0, 0, NULL)", hash);
    must(s, sql);
    assert_int_equal(mp_store_beat(s, 7, news, 2), MP_OK);
    assert_int_equal(ask(s, "SELECT finished FROM worker WHERE id <> 'other'"), 7);
    assert_int_equal(ask(s, "SELECT total FROM worker WHERE id <> 'other'"), 10);
    assert_int_equal(ask(s, "SELECT CAST(sum(epoch) AS BIGINT) FROM lease WHERE worker <> 'other'"),
                     3); /* the other's stays the other's */
    assert_int_equal(ask(s, "SELECT count(*) FROM lease WHERE worker = 'other' AND epoch = 0"), 1);
    leave(s);
}

static void all_who_are_at_work_can_be_seen(void **state)
{
    (void)state;
    const char *path = fresh();
    pid_t other = other_program(path);
    mp_store *s = at_work(path);
    mp_run_key k = key_of(43, 5);
    mp_arena *a = mp_arena_new(0);
    const mp_store_worker *w;
    int n;
    assert_int_equal(claim(s, 43, 5, false), MP_CLAIM_MINE);
    assert_int_equal(claim(s, 43, 6, false), MP_CLAIM_MINE);
    assert_int_equal(mp_store_beat(s, 6, &(mp_claim_news){ &k, 12, 300, 0.75 }, 1), MP_OK);
    end(other);
    mp_store *reader = open_store(path, MP_STORE_READ);
    assert_int_equal(mp_store_workers(reader, a, &w, &n), MP_OK);
    mp_store_close(reader);
    assert_int_equal(n, 2);
    assert_true(w[0].dead && w[0].process.pid == other && w[0].leases == 1 && w[0].finished == 2);
    assert_true(isnan(w[0].lease[0].loss));
    assert_true(!w[1].dead && w[1].process.pid == getpid() && w[1].leases == 2);
    assert_true(w[1].total == 10 && w[1].finished == 6);
    assert_string_equal(w[1].command, "midpool cv MUTAG");
    assert_string_equal(w[1].plan, "abc");
    assert_true(w[1].silent >= 0 && w[1].silent < 30 && w[1].seconds >= w[1].silent && w[1].seconds < 30);
    const mp_store_lease *l = &w[1].lease[0];
    assert_string_equal(l->dataset, "MUTAG");
    assert_string_equal(l->pool, k.config.pool);
    assert_true(l->seed == 43 && l->fold == 5 && l->epoch == 12 && l->epochs == 300 && l->loss == 0.75);
    assert_true(l->seconds >= 0 && l->seconds < 30);
    leave(s);
    mp_arena_free(a);
}

/* Every run is trained by one, whoever asks first. */
static void programs_that_claim_at_once_share_the_work(void **state)
{
    (void)state;
    enum { WORKERS = 4, RUNS = 40 };
    const char *path = fresh();
    pid_t child[WORKERS];
    for (int w = 0; w < WORKERS; w++) {
        child[w] = fork();
        if (child[w] != 0) continue;
        int mine = 0;
        mp_store *s = at_work(path);
        for (int i = 0; i < RUNS; i++) {
            mp_claim c = claim(s, 42, i + 1, false);
            mine += c == MP_CLAIM_MINE;
            bool added = false;
            if (c == MP_CLAIM_MINE && (put(s, 42, i + 1, &added) != MP_OK || !added)) _exit(200);
        }
        leave(s);
        _exit(mine);
    }
    int total = 0, status;
    for (int w = 0; w < WORKERS; w++) {
        waitpid(child[w], &status, 0);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) < 200);
        total += WEXITSTATUS(status);
    }
    assert_int_equal(total, RUNS);
    assert_sound(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_is_claimed_by_one_until_it_is_released),
        cmocka_unit_test(a_stored_run_ends_its_claim_and_is_done_for_all),
        cmocka_unit_test(a_stored_run_is_counted_at_once_for_its_worker),
        cmocka_unit_test(a_run_that_failed_since_the_work_began_is_not_tried_by_everybody),
        cmocka_unit_test(a_killed_program_of_this_host_loses_its_claims_at_once),
        cmocka_unit_test(a_number_that_is_used_again_is_another_process),
        cmocka_unit_test(a_program_elsewhere_is_dead_after_a_minute_of_silence),
        cmocka_unit_test(the_dead_are_buried_when_the_next_begins),
        cmocka_unit_test(a_beat_brings_back_who_was_taken_for_dead),
        cmocka_unit_test(all_who_are_at_work_can_be_seen),
        cmocka_unit_test(programs_that_claim_at_once_share_the_work),
    };
    fixture_begin();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    fixture_end();
    return failed != 0;
}
