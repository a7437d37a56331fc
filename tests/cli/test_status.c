/* test_status.c - midpool status from outside: what is done, who is at work, who is gone, what failed, how long it will take.
 * SPDX-License-Identifier: MIT */
#include "base/json.h"
#include "cli/spawn.h"
#include "store/store_fixture.h"
#include "store/work.h"

#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

static mp_arena *arena;

static int begin(void **state)
{
    (void)state;
    arena = mp_arena_new(1 << 16);
    fixture_begin();
    return 0;
}

static int end(void **state)
{
    (void)state;
    mp_arena_free(arena);
    fixture_end();
    mp_spawn_clean();
    return 0;
}

/* The same store in words that mp_spawn leaves alone. */
static const char *named(const char *path)
{
    static const char user[] = "postgresql://midpool@/lab?";
    if (strncmp(path, user, strlen(user)) != 0) return path;
    return mp_arena_printf(arena, "postgresql:///lab?user=midpool&%s", path + strlen(user));
}

static char *status(const char *path, const char *more)
{
    mp_spawned s = mp_spawn(mp_arena_printf(arena, "status %s %s", named(path), more));
    if (s.code != 0) fail_msg("exit %d: %s", s.code, s.err.p);
    char *text = mp_arena_text(arena, s.out.p, s.out.n);
    mp_spawn_free(&s);
    return text;
}

static const mp_json *json(const char *path)
{
    const mp_json *v = NULL;
    if (mp_json_parse(mp_span_of(status(path, "--json")), "status", arena, &v) != MP_OK) fail_msg("%s", mp_message());
    return v;
}

static void work(mp_store *s, const mp_work_plan *plan, int seed, int fold, int epoch)
{
    mp_run_key key = key_of(seed, fold);
    mp_claim c;
    assert_int_equal(mp_store_work_begin(s, plan), MP_OK);
    assert_int_equal(mp_store_claim(s, &key, false, &c), MP_OK);
    assert_int_equal(c, MP_CLAIM_MINE);
    mp_claim_news news = { &key, epoch, 500, 0.625 };
    assert_int_equal(mp_store_beat(s, plan->finished, &news, 1), MP_OK);
}

/* A program that begins work, claims a run and is gone without a word, or stays until it is killed. */
static pid_t other(const char *path, const mp_work_plan *plan, int fold, bool stay)
{
    int told[2];
    char byte;
    assert_int_equal(pipe(told), 0);
    pid_t pid = fork();
    if (pid == 0) {
        work(open_store(path, MP_STORE_WRITE), plan, 43, fold, 3);
        if (write(told[1], "x", 1) != 1) _exit(1);
        while (stay) pause();
        _exit(0);
    }
    assert_int_equal(read(told[0], &byte, 1), 1);
    close(told[0]);
    close(told[1]);
    if (!stay) waitpid(pid, NULL, 0);
    return pid;
}

static void a_store_at_rest_has_its_runs_and_nobody(void **state)
{
    (void)state;
    const char *path = fresh();
    mp_store *s = open_store(path, MP_STORE_WRITE);
    for (int i = 1; i <= 3; i++) assert_int_equal(put(s, 42, i, NULL), MP_OK);
    mp_store_close(s);
    assert_string_equal(status(path, ""),
                        mp_arena_printf(arena, "%s: 3 runs done, 0 failed, nobody is at work\n", named(path)));
    const mp_json *v = json(path);
    assert_int_equal(mp_json_int(v, "done", -1), 3);
    assert_int_equal(mp_json_int(v, "left", -1), 0);
    assert_int_equal(mp_json_get(v, "workers")->count, 0);
    assert_true(isnan(mp_json_real(v, "seconds_left", (double)NAN)));
}

static void who_is_at_work_is_there_with_what_it_trains(void **state)
{
    (void)state;
    const char *path = mp_arena_printf(arena, "%s", fresh());
    static const mp_work_plan mine = { "midpool cv MUTAG --pool sag", "abc", 40, 10 },
                              same = { "midpool cv MUTAG --pool sag", "abc", 40, 12 },
                              another = { "midpool cv PROTEINS", "def", 7, 5 };
    mp_store *s = open_store(path, MP_STORE_WRITE);
    for (int i = 1; i <= 4; i++) assert_int_equal(put(s, 42, i, NULL), MP_OK);
    pid_t gone = other(path, &another, 7, false); /* the next to begin clears it away ... */
    work(s, &mine, 42, 5, 120);
    pid_t pid = other(path, &same, 6, true);
    gone = other(path, &another, 7, false); /* ... this one nobody did yet */
    const mp_json *v = json(path), *workers = mp_json_get(v, "workers");
    assert_int_equal(mp_json_int(v, "running", -1), 2);
    assert_int_equal(mp_json_int(v, "left", -1), 28); /* one plan for both: the one that knows more says what is left */
    assert_int_equal(workers->count, 3);
    const mp_json *first = mp_json_at(workers, 0), *run = mp_json_at(mp_json_get(first, "running"), 0);
    assert_int_equal(mp_json_int(first, "process", -1), getpid());
    assert_true(mp_json_flag(first, "alive", false));
    assert_string_equal(mp_json_text(first, "command", ""), mine.command);
    assert_string_equal(mp_json_text(run, "dataset", ""), "MUTAG");
    assert_int_equal(mp_json_int(run, "seed", -1), 42);
    assert_int_equal(mp_json_int(run, "fold", -1), 5);
    assert_int_equal(mp_json_int(run, "epoch", -1), 120);
    assert_int_equal(mp_json_int(run, "epochs", -1), 500);
    assert_true(fabs(mp_json_real(run, "train_loss", -1) - 0.625) < 1e-12);
    assert_false(mp_json_flag(mp_json_at(workers, 2), "alive", true));
    double left = mp_json_real(v, "seconds_left", -1), rate = mp_json_real(v, "runs_per_hour", -1);
    assert_true(rate > 0 && fabs(left - 28 * 3600 / rate) < 1e-6 * left);
    const char *text = status(path, "");
    assert_non_null(strstr(text, "4 runs done, 0 failed, 2 running, 28 to go, "));
    assert_non_null(strstr(text, " left\n"));
    assert_non_null(strstr(text, "120 of at most 500"));
    assert_non_null(strstr(text, mp_arena_printf(arena, " %d: 5 of 7 runs done, gone, last heard of ", (int)gone)));
    assert_non_null(strstr(text, "its 1 unfinished run is free"));
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    assert_int_equal(mp_store_work_end(s), MP_OK);
    mp_store_close(s);
}

/* Twelve runs in the last hour, whatever was there before: 100 to go take more than eight hours. */
static void the_time_left_is_that_of_runs_that_came_lately(void **state)
{
    (void)state;
    const char *path = mp_arena_printf(arena, "%s", fresh());
    static const mp_work_plan plan = { "midpool cv MUTAG", "abc", 112, 12 };
    mp_store *s = open_store(path, MP_STORE_WRITE);
    for (int i = 1; i <= 30; i++) assert_int_equal(put(s, 42 + i, 1, NULL), MP_OK);
    work(s, &plan, 42, 5, 1);
    char then[32];
    time_t moment = time(NULL) - 100;
    strftime(then, sizeof then, "%Y-%m-%dT%H:%M:%SZ", gmtime(&moment));
    const char *sql = mp_arena_printf(arena,
                                      "UPDATE run SET finished = CASE WHEN seed > 60 THEN '%s' ELSE "
                                      "'2020-01-01T00:00:00Z' END; UPDATE worker SET started = started - 20000",
                                      then);
    assert_int_equal(mp_db_exec(s, sql, "test"), MP_OK);
    const mp_json *v = json(path);
    assert_true(fabs(mp_json_real(v, "runs_per_hour", -1) - 12) < 0.1);
    assert_true(fabs(mp_json_real(v, "seconds_left", -1) - 30000) < 100);
    assert_non_null(strstr(status(path, ""), "about 8 h 20 min left"));
    /* with none yet, the length of earlier runs: 1.5 s each, one at a time */
    assert_int_equal(mp_db_exec(s, "UPDATE run SET finished = '2020-01-01T00:00:00Z'", "test"), MP_OK);
    assert_true(fabs(mp_json_real(json(path), "seconds_left", -1) - 150) < 1e-6);
    assert_int_equal(mp_store_work_end(s), MP_OK);
    mp_store_close(s);
}

/* A store from elsewhere draws nothing on the terminal and forges no line. */
static void failures_are_grouped_and_cannot_draw(void **state)
{
    (void)state;
    const char *path = mp_arena_printf(arena, "%s", fresh());
    mp_store *s = open_store(path, MP_STORE_WRITE);
    for (int i = 1; i <= 5; i++) {
        mp_run_key key = key_of(42, i);
        const char *why = i == 2 ? "\033[2Jcleared\nforged: 0 failed" : "the loss is not finite";
        assert_int_equal(mp_store_put_failed(s, &key, why), MP_OK);
    }
    mp_store_close(s);
    const char *text = status(path, "");
    assert_non_null(strstr(text, "     4  the loss is not finite (MUTAG, seed 42, fold 1)\n"));
    assert_non_null(strstr(text, "     1  ?[2Jcleared?forged: 0 failed (MUTAG, seed 42, fold 2)\n"));
    assert_null(strchr(text, '\033'));
    const mp_json *v = json(path), *f = mp_json_get(v, "failures");
    assert_int_equal(mp_json_int(v, "failed", -1), 5);
    assert_int_equal(f->count, 2);
    assert_int_equal(mp_json_int(mp_json_at(f, 0), "runs", -1), 4);
    assert_string_equal(mp_json_text(mp_json_at(f, 1), "message", ""), "\033[2Jcleared\nforged: 0 failed");
}

static void old_stores_and_copies_tell_what_they_know(void **state)
{
    (void)state;
    if (in_server()) skip(); /* there are no copies, and no old ones */
    const char *path = mp_arena_printf(arena, "%s", fresh()), *copy = mp_arena_printf(arena, "%s", fresh());
    mp_store *s = open_store(path, MP_STORE_WRITE);
    assert_int_equal(put(s, 42, 1, NULL), MP_OK);
    mp_store_close(s);
    assert_int_equal(system(mp_arena_printf(arena, "cp %s %s && chmod 444 %s", path, copy, copy)), 0);
    assert_non_null(strstr(status(copy, ""), ": 1 run done, 0 failed, nobody is at work\n"));
    s = open_store(path, MP_STORE_WRITE);
    assert_int_equal(mp_db_exec(s, "DROP TABLE lease; DROP TABLE worker; PRAGMA user_version = 6", "test"), MP_OK);
    mp_store_close(s);
    assert_non_null(strstr(status(path, ""), ": 1 run done, 0 failed, nobody is at work\n"));
    mp_spawned none = mp_spawn("status @/nowhere.db");
    assert_int_equal(none.code, 1);
    assert_non_null(strstr(none.err.p, "nowhere.db: No such file"));
    mp_spawn_free(&none);
}

/* It goes on until it is told to stop, and sees what others wrote meanwhile. */
static void watching_sees_what_comes(void **state)
{
    (void)state;
    const char *path = mp_arena_printf(arena, "%s", fresh()),
               *seen = mp_arena_printf(arena, "%s/seen", fixture_folder());
    mp_store *s = open_store(path, MP_STORE_WRITE);
    assert_int_equal(put(s, 42, 1, NULL), MP_OK);
    pid_t pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* where the test fails, nobody else would end it */
        if (!freopen(seen, "w", stdout)) _exit(9);
        execl(getenv("MIDPOOL_BIN"), "midpool", "status", path, "--watch", (char *)NULL);
        _exit(9);
    }
    const char *text = "";
    for (int i = 0; i < 1200 && !strstr(text, "2 runs done"); i++) {
        mp_span bytes = { 0 };
        usleep(50000);
        if (mp_slurp(seen, 0, arena, &bytes) == MP_OK) text = mp_arena_text(arena, bytes.p, bytes.n);
        if (strstr(text, ": 1 run done") && i < 1198) assert_int_equal(put(s, 42, 2, NULL), MP_OK);
    }
    assert_non_null(strstr(text, ": 1 run done"));
    assert_non_null(strstr(text, ": 2 runs done"));
    int code;
    kill(pid, SIGINT);
    waitpid(pid, &code, 0);
    assert_true(WIFSIGNALED(code) && WTERMSIG(code) == SIGINT); /* a shell says 130 */
    mp_store_close(s);
}

/* The counts of all inputs together, which a store of its own does not tell. */
static void merge_counts_what_failed_in_every_store(void **state)
{
    (void)state;
    const char *from[2] = { mp_arena_printf(arena, "%s", fresh()), mp_arena_printf(arena, "%s", fresh()) };
    const char *into = mp_arena_printf(arena, "%s", fresh());
    for (int i = 0; i < 2; i++) {
        mp_store *s = open_store(from[i], MP_STORE_WRITE);
        for (int k = 1; k <= 2 + i; k++) {
            mp_run_key key = key_of(42 + i, k);
            assert_int_equal(mp_store_put_failed(s, &key, "the loss is not finite"), MP_OK);
        }
        mp_store_close(s);
    }
    mp_spawned s = mp_spawn(mp_arena_printf(arena, "merge %s %s %s", named(into), named(from[0]), named(from[1])));
    assert_int_equal(s.code, 0);
    assert_non_null(strstr(s.out.p, ": 0 runs added, 0 were there, 5 failed; 0 studies, 0 measurements added\n"));
    mp_spawn_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_store_at_rest_has_its_runs_and_nobody),
        cmocka_unit_test(who_is_at_work_is_there_with_what_it_trains),
        cmocka_unit_test(the_time_left_is_that_of_runs_that_came_lately),
        cmocka_unit_test(failures_are_grouped_and_cannot_draw),
        cmocka_unit_test(merge_counts_what_failed_in_every_store),
        cmocka_unit_test(old_stores_and_copies_tell_what_they_know),
        cmocka_unit_test(watching_sees_what_comes),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
