/* test_jobs.c - forked workers and threads: results, failures, crashes, signals, and the death of the parent.
 * SPDX-License-Identifier: MIT */
#include "train/jobs.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#define JOBS 40

typedef struct record {
    int done[JOBS], failed[JOBS], notes, news;
    char message[256], note[256];
    int *shared; /* counters that workers write: [0] times job 7 was begun; [1] workers alive */
    int asked, ticks, order[JOBS], n_order;
} record;

static void pause_ms(int ms)
{
    struct timespec t = { ms / 1000, (ms % 1000) * 1000000L };
    nanosleep(&t, NULL);
}

static mp_err square(void *state, int job, mp_worker *w, mp_buf *answer)
{
    (void)state;
    mp_worker_tell(w, &job, sizeof job);
    mp_buf_printf(answer, "%d", job * job);
    return MP_OK;
}

static mp_err on_done(void *state, int job, mp_span answer)
{
    record *r = state;
    int64_t v;
    assert_true(mp_to_int(answer, &v));
    assert_int_equal(v, job * job);
    r->done[job]++;
    return MP_OK;
}

static mp_err on_failed(void *state, int job, mp_err why, const char *message)
{
    record *r = state;
    (void)why;
    r->failed[job]++;
    snprintf(r->message, sizeof r->message, "%s", message);
    return MP_OK;
}

static void on_news(void *state, int job, mp_span what)
{
    record *r = state;
    int said;
    assert_int_equal(what.n, sizeof said);
    memcpy(&said, what.p, sizeof said);
    assert_int_equal(said, job);
    r->news++;
}

static void on_note(void *state, int job, const char *line)
{
    record *r = state;
    (void)job;
    r->notes++;
    snprintf(r->note, sizeof r->note, "%s", line);
}

static mp_jobs plan(record *r, int workers, mp_err (*work)(void *, int, mp_worker *, mp_buf *))
{
    return (mp_jobs){ .count = JOBS,
                      .workers = workers,
                      .state = r,
                      .work = work,
                      .done = on_done,
                      .failed = on_failed,
                      .news = on_news,
                      .note = on_note };
}

static void every_job_is_done_once_whatever_the_number_of_workers(void **state)
{
    (void)state;
    for (int i = 0; i < 16; i++) {
        record r = { 0 };
        mp_jobs_count c;
        mp_jobs j = plan(&r, i / 2 + 1, square);
        j.threads = i % 2;
        assert_int_equal(mp_jobs_run(&j, &c), MP_OK);
        assert_int_equal(c.done, JOBS);
        assert_int_equal(r.news, JOBS);
        for (int k = 0; k < JOBS; k++) assert_int_equal(r.done[k], 1);
    }
}

static mp_err mark_the_record(void *state, int job, mp_worker *w, mp_buf *answer)
{
    record *r = state;
    (void)w;
    r->asked |= 1; /* a copy of the parent would not change it here */
    mp_buf_printf(answer, "%d", job * job);
    return MP_OK;
}

static void threads_share_the_memory_of_the_parent_and_forked_workers_do_not(void **state)
{
    (void)state;
    for (int threads = 0; threads < 2; threads++) {
        record r = { 0 };
        mp_jobs_count c;
        mp_jobs j = plan(&r, 3, mark_the_record);
        j.threads = threads;
        assert_int_equal(mp_jobs_run(&j, &c), MP_OK);
        assert_int_equal(c.done, JOBS);
        assert_int_equal(r.asked, threads);
    }
}

static mp_err wait_or_fail(void *state, int job, mp_worker *w, mp_buf *answer)
{
    if (job == 0) return square(state, job, w, answer);
    for (int i = 0; i < 1000 && !*mp_worker_stop(w); i++) pause_ms(10);
    return mp_fail(MP_ERR_IO, "stopped");
}

static mp_err no_room(void *state, int job, mp_span answer)
{
    (void)state, (void)job, (void)answer;
    return mp_fail(MP_ERR_IO, "the disk is full");
}

static mp_err ask_to_stop(void *state, int job, mp_worker *w, mp_buf *answer)
{
    if (job == 0) kill(getpid(), SIGINT);
    return wait_or_fail(state, job + 1, w, answer);
}

static void threads_are_told_to_stop_when_a_study_ends_early(void **state)
{
    (void)state;
    record r = { 0 };
    mp_jobs_count c;
    mp_jobs j = plan(&r, 3, wait_or_fail);
    j.threads = true;
    j.done = no_room;
    assert_int_equal(mp_jobs_run(&j, &c), MP_ERR_IO);
    assert_string_equal(mp_message(), "the disk is full");
    j = plan(&r, 3, ask_to_stop);
    j.threads = true;
    assert_int_equal(mp_jobs_run(&j, &c), MP_OK);
    assert_true(c.interrupted);
    assert_int_equal(c.done + c.failed, 0);
}

static mp_err fail_at_3(void *state, int job, mp_worker *w, mp_buf *answer)
{
    if (job == 3) return mp_fail(MP_ERR_DIVERGED, "epoch 9: the loss is not finite");
    return square(state, job, w, answer);
}

static void a_failure_travels_with_its_message_and_is_not_tried_again(void **state)
{
    (void)state;
    record r = { 0 };
    mp_jobs_count c;
    mp_jobs j = plan(&r, 2, fail_at_3);
    assert_int_equal(mp_jobs_run(&j, &c), MP_OK);
    assert_int_equal(c.done, JOBS - 1);
    assert_int_equal(c.failed, 1);
    assert_int_equal(c.retried, 0);
    assert_int_equal(r.failed[3], 1);
    assert_string_equal(r.message, "epoch 9: the loss is not finite");
}

static mp_err crash_at_7_once(void *state, int job, mp_worker *w, mp_buf *answer)
{
    record *r = state;
    if (job == 7 && r->shared[0]++ == 0) raise(SIGKILL);
    return square(state, job, w, answer);
}

static void a_worker_that_dies_costs_its_job_one_more_try(void **state)
{
    record r = { .shared = *state };
    mp_jobs_count c;
    mp_jobs j = plan(&r, 2, crash_at_7_once);
    r.shared[0] = 0;
    assert_int_equal(mp_jobs_run(&j, &c), MP_OK);
    assert_int_equal(c.done, JOBS);
    assert_int_equal(c.retried, 1);
    assert_int_equal(r.shared[0], 2);
    assert_int_equal(r.notes, 1);
    assert_non_null(strstr(r.note, "signal 9"));
    for (int i = 0; i < JOBS; i++) assert_int_equal(r.done[i], 1);
}

static mp_err crash_at_7(void *state, int job, mp_worker *w, mp_buf *answer)
{
    if (job == 7) _exit(3);
    return square(state, job, w, answer);
}

static void a_job_that_kills_two_workers_fails_and_the_others_go_on(void **state)
{
    (void)state;
    record r = { 0 };
    mp_jobs_count c;
    mp_jobs j = plan(&r, 3, crash_at_7);
    assert_int_equal(mp_jobs_run(&j, &c), MP_OK);
    assert_int_equal(c.done, JOBS - 1);
    assert_int_equal(r.failed[7], 1);
    assert_non_null(strstr(r.message, "status 3"));
}

static mp_err refuse(void *state, int job, mp_span answer)
{
    (void)state;
    (void)job;
    (void)answer;
    return mp_fail(MP_ERR_IO, "the disk is full");
}

static void a_result_that_cannot_be_kept_ends_the_study(void **state)
{
    (void)state;
    record r = { 0 };
    mp_jobs_count c;
    mp_jobs j = plan(&r, 2, square);
    j.done = refuse;
    assert_int_equal(mp_jobs_run(&j, &c), MP_ERR_IO);
    assert_string_equal(mp_message(), "the disk is full");
}

static mp_err wait_for_stop(void *state, int job, mp_worker *w, mp_buf *answer)
{
    record *r = state;
    (void)job;
    (void)answer;
    if (r->shared[1] == 0) {
        r->shared[1] = 1;
        kill(getppid(), SIGINT); /* as Ctrl-C does, once a job is under way */
    }
    for (int i = 0; i < 1000 && !*mp_worker_stop(w); i++) pause_ms(10);
    r->shared[2]++;
    return mp_fail(MP_ERR_IO, "stopped");
}

static void the_first_signal_lets_workers_save_and_stop(void **state)
{
    record r = { .shared = *state };
    memset(r.shared, 0, 4 * sizeof(int));
    mp_jobs_count c;
    mp_jobs j = plan(&r, 2, wait_for_stop);
    assert_int_equal(mp_jobs_run(&j, &c), MP_OK);
    assert_true(c.interrupted);
    assert_int_equal(c.done + c.failed, 0);
    assert_in_range(r.shared[2], 1, 2);
}

static mp_err say_pid_and_wait(void *state, int job, mp_worker *w, mp_buf *answer)
{
    record *r = state;
    (void)w;
    (void)answer;
    r->shared[2 + job] = getpid();
    for (;;) pause_ms(1000);
    return MP_OK;
}

static void workers_die_with_the_parent(void **state)
{
    record r = { .shared = *state };
    memset(r.shared, 0, 4 * sizeof(int));
    pid_t parent = fork();
    assert_true(parent >= 0);
    if (parent == 0) {
        mp_jobs_count c;
        mp_jobs j = plan(&r, 2, say_pid_and_wait);
        j.count = 2;
        mp_err e = mp_jobs_run(&j, &c);
        _exit(e == MP_OK ? 0 : 1);
    }
    for (int i = 0; i < 500 && !(r.shared[2] && r.shared[3]); i++) pause_ms(10);
    assert_true(r.shared[2] > 0 && r.shared[3] > 0);
    kill(parent, SIGKILL);
    waitpid(parent, NULL, 0);
    for (int k = 2; k < 4; k++) { /* gone, or a zombie of whoever inherits orphans */
        char path[64], text[256] = "";
        for (int i = 0; i < 500; i++) {
            snprintf(path, sizeof path, "/proc/%d/stat", r.shared[k]);
            FILE *f = fopen(path, "r");
            if (!f) break;
            size_t n = fread(text, 1, sizeof text - 1, f);
            text[n] = '\0';
            fclose(f);
            if (strstr(text, ") Z ")) break;
            pause_ms(10);
            assert_true(i < 499);
        }
    }
}

static void no_jobs_are_no_work(void **state)
{
    (void)state;
    record r = { 0 };
    mp_jobs_count c;
    mp_jobs j = plan(&r, 2, square);
    j.count = 0;
    assert_int_equal(mp_jobs_run(&j, &c), MP_OK);
    assert_int_equal(c.done, 0);
}

/* Odd jobs, from the last: the others are somebody else's. Once all are out, more of them come free, two ticks later. */
static int odd_from_the_end(void *state)
{
    record *r = state;
    int job = JOBS - 1 - 2 * r->asked;
    if (job < 0) return MP_JOBS_NONE;
    if (job < JOBS / 2 && r->ticks < 2) return MP_JOBS_LATER;
    r->asked++;
    r->order[r->n_order++] = job;
    return job;
}

static void on_tick(void *state)
{
    record *r = state;
    r->ticks += r->n_order >= JOBS / 4;
}

static void the_parent_says_which_job_is_next_and_may_ask_to_wait(void **state)
{
    (void)state;
    for (int workers = 1; workers <= 4; workers++) {
        record r = { 0 };
        mp_jobs_count c;
        mp_jobs j = plan(&r, workers, square);
        j.next = odd_from_the_end;
        j.tick = on_tick;
        assert_int_equal(mp_jobs_run(&j, &c), MP_OK);
        assert_int_equal(c.done, JOBS / 2);
        assert_true(r.ticks >= 2);
        for (int i = 0; i < JOBS; i++) assert_int_equal(r.done[i], i % 2);
        for (int i = 0; i < JOBS / 2; i++) assert_int_equal(r.order[i], JOBS - 1 - 2 * i);
    }
}

static int nothing_yet(void *state)
{
    record *r = state;
    if (r->asked++ == 1) kill(getpid(), SIGINT);
    return r->asked < 20 ? MP_JOBS_LATER : MP_JOBS_NONE;
}

static void a_signal_ends_waiting(void **state)
{
    (void)state;
    record r = { 0 };
    mp_jobs_count c;
    mp_jobs j = plan(&r, 2, square);
    j.next = nothing_yet;
    assert_int_equal(mp_jobs_run(&j, &c), MP_OK);
    assert_true(c.interrupted);
    assert_int_equal(c.done, 0);
    assert_true(r.asked < 20);
}

static int share_memory(void **state)
{
    *state = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return *state == MAP_FAILED;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_job_is_done_once_whatever_the_number_of_workers),
        cmocka_unit_test(threads_share_the_memory_of_the_parent_and_forked_workers_do_not),
        cmocka_unit_test(threads_are_told_to_stop_when_a_study_ends_early),
        cmocka_unit_test(a_failure_travels_with_its_message_and_is_not_tried_again),
        cmocka_unit_test(a_worker_that_dies_costs_its_job_one_more_try),
        cmocka_unit_test(a_job_that_kills_two_workers_fails_and_the_others_go_on),
        cmocka_unit_test(a_result_that_cannot_be_kept_ends_the_study),
        cmocka_unit_test(the_first_signal_lets_workers_save_and_stop),
        cmocka_unit_test(workers_die_with_the_parent),
        cmocka_unit_test(no_jobs_are_no_work),
        cmocka_unit_test(the_parent_says_which_job_is_next_and_may_ask_to_wait),
        cmocka_unit_test(a_signal_ends_waiting),
    };
    return cmocka_run_group_tests(tests, share_memory, NULL);
}
