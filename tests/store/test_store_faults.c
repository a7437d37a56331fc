/* test_store_faults.c - a run is stored whole or not at all, whatever happens to the disk or the program.
 * SPDX-License-Identifier: MIT */
#include "fault_vfs.h"
#include "store_fixture.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

/* Every write, sync and truncation fails once, alone and for good. */
static void no_failing_call_leaves_half_a_run(void **state)
{
    (void)state;
    for (int stay = 0; stay < 2; stay++) {
        int n = 0, done = 0;
        while (!done) {
            const char *path = fresh();
            bool kept[3] = { false };
            mp_store *s;
            fault_vfs_arm(++n, stay);
            if (mp_store_open(path, MP_STORE_WRITE, &s) == MP_OK) {
                for (int i = 0; i < 3; i++) kept[i] = put(s, 42, i + 1, NULL) == MP_OK;
                for (int i = 0; i < 3; i++)
                    if (!kept[i]) assert_true(strlen(mp_message()) > 0);
                mp_store_close(s);
            }
            done = fault_vfs_calls() < n;
            fault_vfs_arm(0, 0);
            s = open_store(path, MP_STORE_WRITE); /* whatever is there can be opened, or made anew */
            for (int i = 0; i < 3; i++)
                if (kept[i]) assert_int_equal(status_of(s, 42, i + 1), MP_RUN_DONE);
            assert_int_equal(put(s, 42, 1, NULL), MP_OK);
            mp_store_close(s);
            assert_sound(path);
        }
        assert_true(n > 10);
    }
}

static void a_full_disk_is_an_error_that_says_so(void **state)
{
    (void)state;
    const char *path = fresh();
    mp_store *s = open_store(path, MP_STORE_WRITE);
    assert_int_equal(put(s, 42, 1, NULL), MP_OK);
    assert_int_equal(mp_db_exec(s, "PRAGMA max_page_count = 1", "test"), MP_OK); /* no more pages than there are */
    mp_err e = MP_OK;
    int fold = 1;
    while (e == MP_OK && fold < 1000) e = put(s, 42, ++fold, NULL);
    assert_int_equal(e, MP_ERR_IO);
    assert_non_null(strstr(mp_message(), "no space left"));
    assert_int_equal(status_of(s, 42, fold), MP_RUN_ABSENT);
    assert_int_equal(mp_db_exec(s, "PRAGMA max_page_count = 1000000", "test"), MP_OK);
    assert_int_equal(put(s, 42, fold, NULL), MP_OK); /* room again: the same handle goes on */
    mp_store_close(s);
    assert_sound(path);
}

static void a_file_that_may_not_grow_is_an_error(void **state)
{
    (void)state;
    const char *path = fresh();
    pid_t child = fork();
    if (child == 0) {
        mp_store *s;
        signal(SIGXFSZ, SIG_IGN);
        if (mp_store_open(path, MP_STORE_WRITE, &s) != MP_OK) _exit(1);
        setrlimit(RLIMIT_FSIZE, &(struct rlimit){ 300000, 300000 });
        for (int fold = 1; fold < 1000; fold++)
            if (put(s, 42, fold, NULL) != MP_OK) _exit(fold > 1 && strlen(mp_message()) > 0 ? 0 : 2);
        _exit(3);
    }
    int status;
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
    assert_sound(path);
}

static void programs_that_write_at_once_share_the_work(void **state)
{
    (void)state;
    enum { WRITERS = 4, RUNS = 20 };
    const char *path = fresh();
    pid_t child[WRITERS];
    for (int w = 0; w < WRITERS; w++) {
        child[w] = fork();
        if (child[w] == 0) {
            int added = 0;
            mp_store *s;
            if (mp_store_open(path, MP_STORE_WRITE, &s) != MP_OK) _exit(200);
            for (int i = 0; i < RUNS; i++) {
                bool mine;
                if (put(s, 42, (i * 7 + w * 5) % RUNS, &mine) != MP_OK) _exit(201);
                added += mine;
            }
            mp_store_close(s);
            _exit(added);
        }
    }
    int total = 0, status;
    for (int w = 0; w < WRITERS; w++) {
        waitpid(child[w], &status, 0);
        assert_true(WIFEXITED(status));
        total += WEXITSTATUS(status);
    }
    assert_int_equal(total, RUNS);
    assert_sound(path);
}

static void a_killed_writer_loses_nothing_that_was_put(void **state)
{
    (void)state;
    for (int round = 0; round < 5; round++) {
        const char *path = fresh();
        int tell[2];
        assert_int_equal(pipe(tell), 0);
        pid_t child = fork();
        if (child == 0) {
            mp_store *s;
            if (mp_store_open(path, MP_STORE_WRITE, &s) != MP_OK) _exit(1);
            for (int fold = 1;; fold++)
                if (put(s, 42, fold, NULL) != MP_OK || write(tell[1], "x", 1) != 1) _exit(1);
        }
        close(tell[1]);
        char room[64];
        int told = 0;
        while (told < 3 + 4 * round) { /* killed at some point of a later put */
            ssize_t got = read(tell[0], room, 1);
            assert_true(got == 1);
            told++;
        }
        usleep((useconds_t)(500 * round));
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
        for (ssize_t got; (got = read(tell[0], room, sizeof room)) > 0;) told += (int)got;
        close(tell[0]);
        mp_store *s = open_store(path, MP_STORE_WRITE);
        for (int fold = 1; fold <= told; fold++) assert_int_equal(status_of(s, 42, fold), MP_RUN_DONE);
        mp_store_close(s);
        assert_sound(path);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_failing_call_leaves_half_a_run),
        cmocka_unit_test(a_full_disk_is_an_error_that_says_so),
        cmocka_unit_test(a_file_that_may_not_grow_is_an_error),
        cmocka_unit_test(programs_that_write_at_once_share_the_work),
        cmocka_unit_test(a_killed_writer_loses_nothing_that_was_put),
    };
    fixture_begin();
    fault_vfs_install();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    fixture_end();
    return failed != 0;
}
