/* test_away.c - the server of a store goes away when a study can do nothing without it: it waits, and loses nothing. Run by
 * tests/rig/postgres.sh.
 * SPDX-License-Identifier: MIT */
#include "study/study.h"
#include "tiny.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

enum { SEEDS = 3, AWAY_SECONDS = 3 };

typedef struct witness {
    const char *when; /* how the text begins at which the server goes; "": before all; NULL: when progress ends */
    bool gone;
    int waited; /* times that the study said so */
    pid_t helper;
} witness;

static void server(const char *what)
{
    char command[512];
    snprintf(command, sizeof command, "%s/tests/rig/postgres.sh %s", getenv("MIDPOOL_SOURCE"), what);
    if (system(command) != 0) abort();
}

/* It comes back by itself. */
static void send_away(witness *w)
{
    w->gone = true;
    server("stop");
    fflush(NULL);
    w->helper = fork();
    if (w->helper != 0) return;
    sleep(AWAY_SECONDS);
    server("start");
    _exit(0);
}

static void on_now(void *state, const char *text)
{
    witness *w = state;
    w->waited += strncmp(text, "waiting: ", 9) == 0;
    if (!w->gone && w->when && strncmp(text, w->when, strlen(w->when)) == 0) send_away(w);
}

static void on_end(void *state)
{
    witness *w = state;
    if (!w->gone && !w->when) send_away(w);
}

/* `epochs`: a number of its own makes other runs in the same store. */
static void a_study_waits(const char *when, int epochs)
{
    char path[256], folder[] = "/tmp/midpool_away_XXXXXX";
    witness w = { .when = when };
    mp_arena *a = mp_arena_new(1 << 20);
    mp_dataset d;
    mp_folds f;
    mp_config c = tiny_config();
    assert_non_null(mkdtemp(folder));
    assert_int_equal(chdir(folder), 0);
    snprintf(path, sizeof path, "postgresql://midpool@/lab?host=%s", getenv("MIDPOOL_POSTGRES"));
    assert_int_equal(tiny_make(a, false, &d, &f), MP_OK);
    mp_study s = { .arena = a,
                   .store_path = path,
                   .command = "again",
                   .seeds = SEEDS,
                   .jobs = 1,
                   .threads = 1,
                   .listener = { .state = &w, .now = on_now, .end = on_end } };
    mp_study_row *row;
    c.epochs = epochs;
    assert_int_equal(mp_study_add(&s, &d, &f, &c, MP_GRID_NONE, NULL), MP_OK);
    if (when && !*when) send_away(&w);
    if (mp_study_run(&s) != MP_OK) fail_msg("%s", mp_message());
    assert_true(w.gone);
    assert_true(w.waited > 0);
    row = &s.row[0];
    assert_int_equal(row->runs, SEEDS);
    for (int i = 0; i < SEEDS; i++) assert_non_null(mp_study_result(&s, row, i));
    assert_int_equal(waitpid(w.helper, NULL, 0), w.helper);
    assert_int_equal(chdir("/"), 0);
    assert_int_equal(rmdir(folder), 0); /* nothing unfinished is left */
    mp_arena_free(a);
}

static void who_begins_waits_for_the_server(void **state)
{
    (void)state;
    a_study_waits("", 1);
}

static void who_looks_for_finished_runs_waits_for_the_server(void **state)
{
    (void)state;
    a_study_waits("looking for finished runs: 2 of 3", 2);
}

static void who_reads_results_back_waits_for_the_server(void **state)
{
    (void)state;
    a_study_waits(NULL, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_begins_waits_for_the_server),
        cmocka_unit_test(who_looks_for_finished_runs_waits_for_the_server),
        cmocka_unit_test(who_reads_results_back_waits_for_the_server),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
