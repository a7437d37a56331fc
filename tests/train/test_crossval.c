/* test_crossval.c - studies: plans, grids, any number of workers, continuing.
 * SPDX-License-Identifier: MIT */
#include "train/crossval.h"
#include "train/once.h"
#include "tiny.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#define MOST 64

typedef struct memory { /* a store for tests */
    int count, failures, refuse_after, notes;
    int busy; /* puts that find the store locked before one succeeds */
    mp_err refusal;
    mp_run_key key[MOST];
    mp_run_result result[MOST];
} memory;

typedef struct fixture {
    mp_arena *a;
    mp_dataset d;
    mp_folds f;
    mp_cv_plan plan;
    memory kept;
} fixture;

static int set_up(void **state)
{
    static fixture f;
    memset(&f, 0, sizeof f);
    f.a = mp_arena_new(1 << 20);
    f.plan.arena = f.a;
    *state = &f;
    if (tiny_make(f.a, false, &f.d, &f.f) != MP_OK) return -1;
    return mp_folds_stratified(&f.d, 3, f.a, &f.f) == MP_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    mp_arena_free(f->a);
    return 0;
}

static int find(const memory *m, const mp_run_key *key)
{
    char wanted[65], here[65];
    mp_run_identity(key, wanted);
    for (int i = 0; i < m->count; i++) {
        mp_run_identity(&m->key[i], here);
        if (strcmp(wanted, here) == 0) return i;
    }
    return -1;
}

static mp_err has(void *state, const mp_run_key *key, bool *known)
{
    *known = find(state, key) >= 0;
    return MP_OK;
}

static mp_err put(void *state, const mp_run_key *key, const mp_run_result *r)
{
    memory *m = state;
    assert_true(find(m, key) < 0); /* never twice */
    if (m->refuse_after && m->count == m->refuse_after) return mp_fail(MP_ERR_IO, "the disk is full");
    if (m->busy > 0 && m->busy--) return mp_fail(m->refusal, "somebody is writing");
    m->key[m->count] = *key;
    m->result[m->count++] = *r;
    return MP_OK;
}

static mp_err put_failed(void *state, const mp_run_key *key, const char *message)
{
    memory *m = state;
    (void)key;
    (void)message;
    m->failures++;
    return MP_OK;
}

static mp_cv_options options(memory *m, int jobs)
{
    return (mp_cv_options){ .jobs = jobs, .threads = 1, .state = m, .has = has, .put = put, .put_failed = put_failed };
}

static void plan_it(fixture *f, int seeds)
{
    mp_config c = tiny_config();
    mp_cv_add(&f->plan, &f->d, &f->f, &c, seeds, NULL);
}

static void a_plan_has_seeds_times_folds_and_nothing_twice(void **state)
{
    fixture *f = *state;
    plan_it(f, 2);
    assert_int_equal(f->plan.count, 6);
    assert_int_equal(f->plan.run[0].key.config.seed, 42);
    assert_int_equal(f->plan.run[5].key.config.seed, 43);
    assert_int_equal(f->plan.run[5].key.fold, 3);
    plan_it(f, 3);
    assert_int_equal(f->plan.count, 9);
}

static void a_plan_says_where_the_runs_of_each_model_are(void **state)
{
    fixture *f = *state;
    mp_config c = tiny_config();
    int first[6], second[6];
    mp_cv_add(&f->plan, &f->d, &f->f, &c, 2, first);
    c.seed++;
    mp_cv_add(&f->plan, &f->d, &f->f, &c, 2, second); /* its first seed is there already */
    assert_int_equal(f->plan.count, 9);
    for (int i = 0; i < 6; i++) {
        assert_int_equal(f->plan.run[first[i]].key.config.seed, 42 + i / 3);
        assert_int_equal(f->plan.run[second[i]].key.config.seed, 43 + i / 3);
        assert_int_equal(f->plan.run[second[i]].key.fold, 1 + i % 3);
    }
    assert_memory_equal(second, first + 3, 3 * sizeof *first);
    c.ratio = 0.75;
    mp_cv_add(&f->plan, &f->d, &f->f, &c, 2, second);
    assert_int_equal(f->plan.count, 15);
    assert_true(f->plan.run[second[0]].key.config.ratio == 0.75);
}

/* Where each run is compared with all before it, this takes minutes. */
static void a_plan_of_many_runs_takes_no_time(void **state)
{
    fixture *f = *state;
    clock_t start = clock();
    plan_it(f, 40000);
    plan_it(f, 40001);
    assert_int_equal(f->plan.count, 3 * 40001);
    assert_true((double)(clock() - start) / CLOCKS_PER_SEC < 5);
}

static void grids_are_those_of_the_code_and_of_the_paper(void **state)
{
    (void)state;
    mp_config c = tiny_config(), point[MP_GRID_MOST];
    assert_int_equal(mp_grid_points(MP_GRID_NONE, &c, point), 1);
    assert_int_equal(point[0].flip, 0);
    assert_int_equal(mp_grid_points(MP_GRID_CODE, &c, point), 9);
    assert_int_equal(point[0].score_dim, 1);
    assert_int_equal(point[0].flip, 1);
    assert_true(point[0].drop == 0);
    assert_int_equal(point[8].score_dim, 9);
    assert_true(point[8].drop == 0.2);
    assert_int_equal(mp_grid_points(MP_GRID_PAPER, &c, point), 4);
    assert_int_equal(point[0].score_dim, 5);
    assert_true(point[0].drop == 0.1);
}

static void same_runs(const memory *p, const memory *q)
{
    assert_int_equal(p->count, q->count);
    for (int i = 0; i < p->count; i++) {
        int j = find(q, &p->key[i]);
        assert_true(j >= 0);
        assert_string_equal(p->result[i].model_sha256, q->result[j].model_sha256);
        assert_true(p->result[i].test_metric == q->result[j].test_metric);
        assert_true(p->result[i].val_loss == q->result[j].val_loss);
        assert_memory_equal(&p->result[i].calibration, &q->result[j].calibration, sizeof p->result[i].calibration);
    }
}

static void any_number_of_workers_gives_the_same_numbers(void **state)
{
    fixture *f = *state;
    static memory one, two;
    mp_cv_count c;
    memset(&one, 0, sizeof one);
    memset(&two, 0, sizeof two);
    plan_it(f, 2);
    mp_cv_options o = options(&one, 1), p = options(&two, 2);
    assert_int_equal(mp_cv_go(&f->plan, &o, &c), MP_OK);
    assert_int_equal(c.done, 6);
    assert_int_equal(c.known, 0);
    assert_int_equal(mp_cv_go(&f->plan, &p, &c), MP_OK);
    same_runs(&one, &two);
    for (int i = 0; i < one.count; i++) { /* of test graphs, each of which was said something of once */
        const mp_cv_run *r = &f->plan.run[0];
        while (strcmp(r->key.dataset, one.key[i].dataset) != 0 || r->key.fold != one.key[i].fold) r++;
        assert_int_equal(mp_calibration_count(&one.result[i].calibration), r->split->n_test);
    }
}

static void a_study_that_broke_off_continues_to_the_same_numbers(void **state)
{
    fixture *f = *state;
    static memory whole, parts;
    mp_cv_count c;
    memset(&whole, 0, sizeof whole);
    memset(&parts, 0, sizeof parts);
    plan_it(f, 2);
    mp_cv_options o = options(&whole, 2), p = options(&parts, 2);
    assert_int_equal(mp_cv_go(&f->plan, &o, &c), MP_OK);
    parts.refuse_after = 3;
    assert_int_equal(mp_cv_go(&f->plan, &p, &c), MP_ERR_IO);
    assert_int_equal(parts.count, 3);
    parts.refuse_after = 0;
    assert_int_equal(mp_cv_go(&f->plan, &p, &c), MP_OK);
    assert_int_equal(c.known, 3);
    assert_int_equal(c.done, 3);
    same_runs(&whole, &parts);
    assert_int_equal(mp_cv_go(&f->plan, &p, &c), MP_OK);
    assert_int_equal(c.known, 6);
    assert_int_equal(c.done, 0);
}

static void on_note(void *state, const mp_run_key *key, const char *line)
{
    memory *m = state;
    (void)key;
    (void)line;
    m->notes++;
}

/* The numbers of this study without any trouble. */
static const memory *without_trouble(fixture *f)
{
    static memory m;
    mp_cv_count c;
    memset(&m, 0, sizeof m);
    plan_it(f, 2);
    mp_cv_options o = options(&m, 2);
    assert_int_equal(mp_cv_go(&f->plan, &o, &c), MP_OK);
    return &m;
}

static void results_wait_for_a_store_that_is_locked_for_a_while(void **state)
{
    fixture *f = *state;
    static memory m;
    mp_cv_count c;
    const memory *whole = without_trouble(f);
    memset(&m, 0, sizeof m);
    m.busy = 8;
    m.refusal = MP_ERR_BUSY;
    mp_cv_options o = options(&m, 2); /* no folder: in memory alone */
    o.wait = 20;
    o.note = on_note;
    assert_int_equal(mp_cv_go(&f->plan, &o, &c), MP_OK);
    assert_int_equal(c.done, 6);
    assert_int_equal(c.aside, 0);
    assert_int_equal(m.notes, 2); /* the first that waits; that the study waits */
    same_runs(whole, &m);
}

static int files_in(const char *folder)
{
    char line[256];
    int n = -1;
    snprintf(line, sizeof line, "ls '%s' 2>/dev/null | grep -c '[.]done$'", folder);
    FILE *p = popen(line, "r");
    assert_non_null(p);
    assert_int_equal(fscanf(p, "%d", &n), 1);
    pclose(p);
    return n;
}

/* Whether the store is locked or refuses for another reason. */
static void results_that_cannot_be_stored_are_stored_by_the_next_start(void **state)
{
    fixture *f = *state;
    static memory m;
    mp_cv_count c;
    char folder[64], path[160], identity[65];
    const memory *whole = without_trouble(f);
    snprintf(folder, sizeof folder, "/tmp/midpool_cv_%ld", (long)getpid());
    static const mp_err refusals[] = { MP_ERR_BUSY, MP_ERR_IO };
    for (int i = 0; i < 2; i++) {
        memset(&m, 0, sizeof m);
        m.busy = 1000;
        m.refusal = refusals[i];
        mp_cv_options o = options(&m, 2);
        o.resume_dir = folder;
        o.note = on_note;
        assert_int_equal(mp_cv_go(&f->plan, &o, &c), refusals[i]);
        assert_non_null(strstr(mp_message(), "6 finished runs are kept in /tmp/"));
        assert_int_equal(c.aside, 6);
        assert_int_equal(files_in(folder), 6);
        mp_run_identity(&f->plan.run[2].key, identity);
        snprintf(path, sizeof path, "%s/%.24s.done", folder, identity);
        assert_int_equal(mp_write_file(path, "noise", 5), MP_OK); /* one is damaged: that run is done again */
        m.busy = m.notes = 0;
        assert_int_equal(mp_cv_go(&f->plan, &o, &c), MP_OK);
        assert_int_equal(c.known, 5);
        assert_int_equal(c.done, 1);
        assert_int_equal(m.notes, 1);
        same_runs(whole, &m);
        assert_int_not_equal(access(folder, F_OK), 0);
    }
}

static void only_the_files_of_its_own_runs_are_removed(void **state)
{
    fixture *f = *state;
    static memory m;
    mp_cv_count c;
    char folder[64], mine[160], theirs[160], identity[65];
    memset(&m, 0, sizeof m);
    plan_it(f, 1);
    snprintf(folder, sizeof folder, "/tmp/midpool_cv_%ld", (long)getpid());
    mp_run_identity(&f->plan.run[0].key, identity);
    snprintf(mine, sizeof mine, "%s/%.24s.part", folder, identity);
    snprintf(theirs, sizeof theirs, "%s/another.part", folder);
    assert_int_equal(mkdir(folder, 0777), 0);
    assert_int_equal(mp_write_file(mine, "x", 1), MP_OK);
    assert_int_equal(mp_write_file(theirs, "x", 1), MP_OK);
    mp_cv_options o = options(&m, 2);
    o.resume_dir = folder;
    assert_int_equal(mp_cv_go(&f->plan, &o, &c), MP_OK);
    assert_int_equal(c.done, 3);
    assert_int_not_equal(access(mine, F_OK), 0);
    assert_int_equal(unlink(theirs), 0);
    assert_int_equal(rmdir(folder), 0);
}

static void a_run_that_cannot_work_fails_alone(void **state)
{
    fixture *f = *state;
    static memory m;
    mp_cv_count c;
    memset(&m, 0, sizeof m);
    plan_it(f, 1);
    strcpy(f->plan.run[1].key.config.pool, "nothing");
    mp_cv_options o = options(&m, 2);
    assert_int_equal(mp_cv_go(&f->plan, &o, &c), MP_OK);
    assert_int_equal(c.done, 2);
    assert_int_equal(c.failed, 1);
    assert_int_equal(m.failures, 1);
}

static void results_survive_packing(void **state)
{
    fixture *f = *state;
    static const mp_epoch curve[] = { { 1, 2, 3 }, { 4, 5, 6 } };
    mp_run_result r = { .epochs = 2, .val_loss = 0.5, .curve_len = 2, .curve = curve }, back;
    mp_buf b = { 0 };
    strcpy(r.model_sha256, "abc");
    mp_run_result_pack(&r, &b);
    assert_int_equal(mp_run_result_unpack((mp_span){ b.p, b.n }, f->a, &back), MP_OK);
    assert_memory_equal(back.curve, curve, sizeof curve);
    assert_string_equal(back.model_sha256, "abc");
    assert_int_equal(mp_run_result_unpack((mp_span){ b.p, b.n - 1 }, f->a, &back), MP_ERR_INPUT);
    assert_int_equal(mp_run_result_unpack((mp_span){ b.p, 3 }, f->a, &back), MP_ERR_INPUT);
    mp_buf_free(&b);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_plan_has_seeds_times_folds_and_nothing_twice),
        TEST(a_plan_says_where_the_runs_of_each_model_are),
        TEST(a_plan_of_many_runs_takes_no_time),
        TEST(grids_are_those_of_the_code_and_of_the_paper),
        TEST(any_number_of_workers_gives_the_same_numbers),
        TEST(a_study_that_broke_off_continues_to_the_same_numbers),
        TEST(results_wait_for_a_store_that_is_locked_for_a_while),
        TEST(results_that_cannot_be_stored_are_stored_by_the_next_start),
        TEST(only_the_files_of_its_own_runs_are_removed),
        TEST(a_run_that_cannot_work_fails_alone),
        TEST(results_survive_packing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
