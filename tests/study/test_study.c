/* test_study.c - studies and the limit on memory as a program without a terminal uses them: what happens reaches the
 * listener, what fails is a status.
 * SPDX-License-Identifier: MIT */
#include "study/estimate.h"
#include "study/memory.h"
#include "study/prepare.h"
#include "study/share.h"
#include "study/study.h"
#include "tiny.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

typedef struct heard {
    int models, lines, nows, ends, news, done, bad;
    char line[512], now[512], bad_text[512]; /* the last of each */
    bool bad_run;                            /* the last bad news was of a run */
} heard;

typedef struct fixture {
    mp_arena *a;
    mp_dataset d;
    mp_folds f;
    mp_study s;
    heard heard;
    char folder[64];
} fixture;

static void on_model(void *state, const mp_config *c)
{
    assert_string_equal(c->pool, "topk");
    ((heard *)state)->models++;
}

static void on_line(void *state, const char *text)
{
    heard *h = state;
    h->lines++;
    snprintf(h->line, sizeof h->line, "%s", text);
}

static void on_now(void *state, const char *text)
{
    heard *h = state;
    h->nows++;
    snprintf(h->now, sizeof h->now, "%s", text);
}

static void on_end(void *state)
{
    ((heard *)state)->ends++;
}

static void on_news(void *state, const mp_run_key *key, const mp_fit_news *n, const mp_cv_count *c)
{
    assert_string_equal(key->dataset, "TINY");
    assert_true(n->epoch >= 1 && c->total == 4);
    ((heard *)state)->news++;
}

static void on_done(void *state, const mp_run_key *key, const mp_run_result *r, const mp_cv_count *c)
{
    heard *h = state;
    assert_string_equal(key->dataset, "TINY");
    assert_string_equal(r->metric, "accuracy");
    assert_int_equal(c->done, ++h->done);
}

static void on_bad(void *state, const mp_run_key *key, const char *text)
{
    heard *h = state;
    h->bad++;
    h->bad_run = key != NULL;
    snprintf(h->bad_text, sizeof h->bad_text, "%s", text);
}

static mp_study new_study(fixture *f)
{
    return (mp_study){ .arena = f->a,
                       .store_path = mp_arena_printf(f->a, "%s/runs.db", f->folder),
                       .command = "again",
                       .seeds = 2,
                       .jobs = 1,
                       .threads = 1,
                       .listener = { &f->heard, on_model, on_line, on_now, on_news, on_end, on_done, on_bad } };
}

static int set_up(void **state)
{
    static fixture f;
    memset(&f, 0, sizeof f);
    f.a = mp_arena_new(1 << 20);
    strcpy(f.folder, "/tmp/midpool_study_XXXXXX");
    *state = &f;
    if (!mkdtemp(f.folder) || tiny_make(f.a, false, &f.d, &f.f) != MP_OK) return -1;
    setenv("XDG_CACHE_HOME", f.folder, 1);
    f.s = new_study(&f);
    return mp_folds_stratified(&f.d, 2, f.a, &f.f) == MP_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    const char *command = mp_arena_printf(f->a, "rm -r '%s'", f->folder);
    int code = system(command);
    mp_arena_free(f->a);
    return code;
}

static mp_err run_with(fixture *f, double lr)
{
    mp_config c = tiny_config();
    c.epochs = 3;
    c.lr = lr;
    MP_TRY(mp_study_add(&f->s, &f->d, &f->f, &c, MP_GRID_NONE, NULL));
    MP_TRY(mp_study_prepare(&f->s));
    return mp_study_run(&f->s);
}

static void a_listener_hears_models_epochs_and_results(void **state)
{
    fixture *f = *state;
    const heard *h = &f->heard;
    assert_int_equal(run_with(f, 0.01), MP_OK);
    assert_int_equal(h->models, 1);
    assert_int_equal(h->done, 4);
    assert_true(h->news >= 1); /* not of every epoch: they are short */
    assert_true(h->ends >= 1);
    assert_int_equal(h->nows, 4); /* runs looked for */
    assert_non_null(strstr(h->now, "looking for finished runs: 4 of 4\t in "));
    assert_int_equal(h->lines + h->bad, 0);
    assert_string_equal(mp_study_metric(&f->s.row[0])->name, "accuracy");
}

static void a_study_that_nobody_hears_gives_the_same(void **state)
{
    fixture *f = *state;
    mp_choice first, second;
    assert_int_equal(run_with(f, 0.01), MP_OK);
    assert_int_equal(mp_study_choose(&f->s, &f->s.row[0], MP_SELECT_FIXED, &first), MP_OK);
    unlink(f->s.store_path);
    memset(&f->heard, 0, sizeof f->heard);
    f->s = new_study(f);
    f->s.listener = (mp_listener){ 0 };
    assert_int_equal(run_with(f, 0.01), MP_OK);
    assert_int_equal(f->s.count.done, 4);
    assert_int_equal(f->heard.models + f->heard.nows + f->heard.done, 0);
    assert_int_equal(mp_study_choose(&f->s, &f->s.row[0], MP_SELECT_FIXED, &second), MP_OK);
    assert_int_equal(second.runs, 4);
    assert_memory_equal(&first.test.mean, &second.test.mean, sizeof first.test.mean);
}

static void runs_of_the_store_are_told_and_not_done_again(void **state)
{
    fixture *f = *state;
    const heard *h = &f->heard;
    assert_int_equal(run_with(f, 0.01), MP_OK);
    memset(&f->heard, 0, sizeof f->heard);
    f->s = new_study(f);
    assert_int_equal(run_with(f, 0.01), MP_OK);
    assert_int_equal(h->done + h->news + h->bad, 0);
    assert_int_equal(h->lines, 1);
    assert_non_null(strstr(h->line, "4 of 4 runs were in "));
}

static void runs_that_fail_are_bad_news(void **state)
{
    fixture *f = *state;
    const heard *h = &f->heard;
    f->s.keep_models = true; /* where a model cannot be written, its run fails */
    mp_config c = tiny_config();
    c.epochs = 1;
    assert_int_equal(mp_study_add(&f->s, &f->d, &f->f, &c, MP_GRID_NONE, NULL), MP_OK);
    for (int i = 0; i < f->s.plan.count; i++) {
        const char *path = mp_study_model_path(&f->s, &f->s.plan.run[i].key, f->a);
        const char *command = mp_arena_printf(f->a, "mkdir -p '%s'", path); /* a folder has the model's name */
        assert_int_equal(system(command), 0);
    }
    assert_int_equal(mp_study_run(&f->s), MP_OK);
    assert_int_equal(f->s.count.failed, 4);
    assert_true(h->bad > 1); /* of runs, then of the study */
    assert_false(h->bad_run);
    assert_string_equal(h->bad_text, "4 of 4 runs failed and are left out");
}

/* From the runs that are there: seconds of an epoch, epochs of a run, and what the others will take. */
static void the_time_of_runs_to_come_is_estimated_from_those_that_are_there(void **state)
{
    fixture *f = *state;
    mp_config c = tiny_config();
    mp_estimate e;
    f->s.seeds = 1;
    f->s.listener = (mp_listener){ 0 };
    assert_int_equal(run_with(f, 0.01), MP_OK);
    f->s = new_study(f);
    c.epochs = 3;
    c.lr = 0.01;
    assert_int_equal(mp_study_add(&f->s, &f->d, &f->f, &c, MP_GRID_NONE, NULL), MP_OK);
    assert_int_equal(mp_study_prepare(&f->s), MP_OK);
    assert_int_equal(mp_study_read(&f->s), MP_OK);
    const mp_study_row *row = &f->s.row[0];
    double seconds = 0;
    int there = 0;
    for (int i = 0; i < row->runs; i++) {
        const mp_run_result *r = mp_study_result(&f->s, row, i);
        if (r) seconds += r->seconds, there++;
    }
    assert_int_equal(there, 2);
    assert_true(seconds > 0);
    assert_int_equal(mp_study_estimate(&f->s, row, &e), MP_OK);
    assert_true(e.runs == 4 && e.there == 2 && e.epochs == 3);
    assert_true(fabs(e.seconds - seconds / 6) <= 1e-12 * seconds);
    assert_true(fabs(e.minutes - e.seconds * 3 * 2 / 60) <= 1e-12 * e.seconds);
}

/* A line once, and how it stands each time. */
static void waiting_for_other_programs_is_told_once(void **state)
{
    fixture *f = *state;
    mp_cv_options o = { 0 };
    mp_cv_count c = { .total = 9, .known = 3, .done = 2, .failed = 1, .waiting = 3 };
    mp_study_share(&o);
    o.waiting(&f->s, &c);
    assert_int_equal(f->heard.lines, 1);
    assert_non_null(strstr(f->heard.line, "waiting for runs that other programs are training, 3 now; they are in "));
    c.waiting = 2;
    c.known = 4;
    o.waiting(&f->s, &c);
    assert_int_equal(f->heard.lines, 1);
    assert_int_equal(f->heard.nows, 2);
    assert_non_null(strstr(f->heard.now, "7/9 waiting for 2 of other programs\t in "));
}

static void preparing_is_told_and_ends(void **state)
{
    fixture *f = *state;
    const heard *h = &f->heard;
    mp_config c = tiny_config();
    strcpy(c.pool, "haar");
    assert_int_equal(mp_conf_set_all(mp_config_table, &c, "haar-levels=2", "test"), MP_OK);
    assert_int_equal(mp_study_prepare_data(&f->d, &c, 1, &f->s.listener, f->a), MP_OK);
    assert_string_equal(h->now, "preparing HaarPool: 140 of 140 graphs\t of TINY");
    assert_int_equal(h->ends, 1);
    assert_int_equal(h->lines, 0);
    strcpy(c.pool, "topk");
    assert_int_equal(mp_study_prepare_data(&f->d, &c, 1, &f->s.listener, f->a), MP_OK);
    assert_int_equal(h->ends, 1); /* nothing to prepare, nothing to tell */
}

static void what_cannot_be_kept_is_told(void **state)
{
    fixture *f = *state;
    const heard *h = &f->heard;
    mp_config c = tiny_config();
    strcpy(c.pool, "haar");
    assert_int_equal(mp_conf_set_all(mp_config_table, &c, "haar-levels=2", "test"), MP_OK);
    assert_int_equal(mp_study_prepare_data(&f->d, &c, 1, NULL, f->a), MP_OK);
    /* The file that was kept becomes a folder: it can be neither read nor written. */
    const char *command =
        mp_arena_printf(f->a, "cd '%s/midpool' && for f in *; do rm \"$f\" && mkdir \"$f\"; done", f->folder);
    assert_int_equal(system(command), 0);
    assert_int_equal(tiny_make(f->a, false, &f->d, &f->f), MP_OK); /* the set again, not prepared yet */
    assert_int_equal(mp_study_prepare_data(&f->d, &c, 1, &f->s.listener, f->a), MP_OK);
    assert_int_equal(h->lines, 1);
    assert_non_null(strstr(h->line, "TINY: not kept for the next time: "));
}

static void a_limit_on_memory_that_is_no_number_is_refused(void **state)
{
    (void)state;
    setenv("MIDPOOL_MEMORY", "much", 1);
    assert_int_equal(mp_memory_guard(), MP_ERR_USAGE);
    assert_non_null(strstr(mp_message(), "MIDPOOL_MEMORY: expected a number of MiB, got 'much'"));
    assert_true(mp_memory_free() == 0);
    setenv("MIDPOOL_MEMORY", "100", 1);
    assert_int_equal(mp_memory_guard(), MP_OK);
    assert_true(mp_memory_free() > 0 && mp_memory_free() <= (size_t)100 << 20);
    unsetenv("MIDPOOL_MEMORY");
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_listener_hears_models_epochs_and_results),
        TEST(a_study_that_nobody_hears_gives_the_same),
        TEST(runs_of_the_store_are_told_and_not_done_again),
        TEST(runs_that_fail_are_bad_news),
        TEST(the_time_of_runs_to_come_is_estimated_from_those_that_are_there),
        TEST(waiting_for_other_programs_is_told_once),
        TEST(preparing_is_told_and_ends),
        TEST(what_cannot_be_kept_is_told),
        cmocka_unit_test(a_limit_on_memory_that_is_no_number_is_refused), /* last: its limit stays */
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
