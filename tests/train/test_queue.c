/* test_queue.c - a study beside other programs: what they have is left to them, what they finish is known, what they leave is done.
 * SPDX-License-Identifier: MIT */
#include "train/crossval.h"
#include "tiny.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>
#include <cmocka.h>

#define MOST 16

typedef struct world { /* a store that others use: what it says of each run of the plan */
    const mp_cv_plan *plan;
    mp_claim answer[MOST]; /* when a run is asked for ... */
    mp_claim after[MOST];  /* ... and when it is asked for again */
    int asked[MOST], put[MOST], order[MOST], n_order;
    char model[MOST][65]; /* of what was put */
    int begun, ended, beats, waits, notes;
    int answers; /* that it gives before it falls silent; negative: as many as are asked for */
    char note[1200];
} world;

typedef struct fixture {
    mp_arena *a;
    mp_dataset d;
    mp_folds f;
    mp_cv_plan plan;
    world w;
} fixture;

static int set_up(void **state)
{
    static fixture f;
    memset(&f, 0, sizeof f);
    f.a = mp_arena_new(1 << 20);
    f.plan.arena = f.a;
    *state = &f;
    if (tiny_make(f.a, false, &f.d, &f.f) != MP_OK || mp_folds_stratified(&f.d, 3, f.a, &f.f) != MP_OK) return -1;
    mp_config c = tiny_config();
    c.epochs = 2;
    mp_cv_add(&f.plan, &f.d, &f.f, &c, 2, NULL);
    f.w.plan = &f.plan;
    f.w.answers = -1;
    return 0;
}

static int tear_down(void **state)
{
    mp_arena_free(((fixture *)*state)->a);
    return 0;
}

static int place_of(const world *w, const mp_run_key *key)
{
    for (int i = 0; i < w->plan->count; i++)
        if (w->plan->run[i].key.config.seed == key->config.seed && w->plan->run[i].key.fold == key->fold) return i;
    fail_msg("a run that is not in the plan");
    return -1;
}

static mp_err has(void *state, const mp_run_key *key, bool *known)
{
    (void)state;
    (void)key;
    *known = false;
    return MP_OK;
}

static mp_err put(void *state, const mp_run_key *key, const mp_run_result *r)
{
    world *w = state;
    int at = place_of(w, key);
    w->put[at]++;
    memcpy(w->model[at], r->model_sha256, sizeof w->model[at]);
    return MP_OK;
}

static mp_err put_failed(void *state, const mp_run_key *key, const char *message)
{
    (void)state;
    (void)key;
    fail_msg("%s", message);
    return MP_OK;
}

static mp_err begin(void *state, const mp_cv_count *c)
{
    assert_int_equal(c->total, 6);
    ((world *)state)->begun++;
    return MP_OK;
}

static mp_err claim(void *state, const mp_run_key *key, mp_claim *out)
{
    world *w = state;
    int at = place_of(w, key);
    assert_true(w->begun == 1 && w->ended == 0);
    if (w->answers == 0) return mp_fail(MP_ERR_BUSY, "nobody answers");
    w->answers--;
    *out = w->asked[at]++ ? w->after[at] : w->answer[at];
    if (*out == MP_CLAIM_MINE) w->order[w->n_order++] = at;
    return MP_OK;
}

static void beat(void *state, const mp_cv_count *c, const mp_claim_news *news, int n)
{
    world *w = state;
    assert_int_equal(n, c->running);
    for (int i = 0; i < n; i++) assert_true(place_of(w, news[i].key) >= 0);
    w->beats++;
}

static void waiting(void *state, const mp_cv_count *c)
{
    assert_true(c->waiting > 0 && c->running == 0);
    ((world *)state)->waits++;
}

static void end(void *state)
{
    ((world *)state)->ended++;
}

static void on_note(void *state, const mp_run_key *key, const char *line)
{
    world *w = state;
    (void)key;
    w->notes++;
    snprintf(w->note, sizeof w->note, "%s", line);
}

static mp_cv_options options(world *w)
{
    return (mp_cv_options){ .jobs = 2,
                            .threads = 1,
                            .state = w,
                            .wait = 5,
                            .has = has,
                            .put = put,
                            .put_failed = put_failed,
                            .begin = begin,
                            .claim = claim,
                            .beat = beat,
                            .waiting = waiting,
                            .end = end,
                            .note = on_note };
}

static void runs_are_trained_by_whoever_claims_them(void **state)
{
    fixture *f = *state;
    mp_cv_count c;
    mp_cv_options o = options(&f->w);
    assert_int_equal(mp_cv_go(&f->plan, &o, &c), MP_OK);
    assert_int_equal(c.done, 6);
    assert_true(f->w.begun == 1 && f->w.ended == 1 && f->w.waits == 0 && f->w.notes == 0);
    for (int i = 0; i < 6; i++) assert_true(f->w.put[i] == 1 && f->w.order[i] == i);
}

static void what_others_finish_is_known_and_what_they_leave_is_done_last(void **state)
{
    fixture *f = *state;
    world *w = &f->w;
    mp_cv_count c;
    mp_cv_options o = options(w);
    w->answer[0] = w->answer[2] = w->answer[3] = MP_CLAIM_HELD;
    w->answer[4] = MP_CLAIM_DONE;
    w->after[0] = MP_CLAIM_DONE; /* its holder finished it */
    w->after[2] = MP_CLAIM_MINE; /* its holder died */
    w->after[3] = MP_CLAIM_FAILED;
    assert_int_equal(mp_cv_go(&f->plan, &o, &c), MP_OK);
    assert_true(c.total == 6 && c.known == 2 && c.elsewhere == 2 && c.done == 3 && c.failed == 1);
    assert_true(c.waiting == 0 && c.running == 0);
    static const int put_want[] = { 0, 1, 1, 0, 0, 1 }, order[] = { 1, 5, 2 };
    assert_memory_equal(w->put, put_want, sizeof put_want);
    assert_memory_equal(w->order, order, sizeof order);
    assert_int_equal(w->notes, 1);
    assert_non_null(strstr(w->note, "failed in another program"));
}

static void a_study_with_nothing_left_waits_for_others_and_says_so(void **state)
{
    fixture *f = *state;
    world *w = &f->w;
    mp_cv_count c;
    mp_cv_options o = options(w);
    for (int i = 0; i < 6; i++) {
        w->answer[i] = MP_CLAIM_HELD;
        w->after[i] = MP_CLAIM_DONE;
    }
    w->asked[5] = -1; /* held twice */
    w->after[5] = MP_CLAIM_HELD;
    w->answer[5] = MP_CLAIM_DONE;
    assert_int_equal(mp_cv_go(&f->plan, &o, &c), MP_OK);
    assert_true(c.known == 6 && c.elsewhere == 6 && c.done == 0);
    assert_true(w->waits >= 1);
    assert_int_equal(w->asked[5], 1);
}

/* In another order, and each is still itself. */
static void runs_go_on_while_the_store_cannot_be_asked(void **state)
{
    fixture *f = *state;
    world *w = &f->w;
    static world asked;
    mp_cv_count c;
    asked = *w;
    mp_cv_options o = options(&asked);
    o.jobs = 1;
    assert_int_equal(mp_cv_go(&f->plan, &o, &c), MP_OK);
    o = options(w);
    o.jobs = 1; /* whose worker is there before anything is put in another order */
    w->answers = 1;
    assert_int_equal(mp_cv_go(&f->plan, &o, &c), MP_OK);
    assert_int_equal(c.done, 6);
    for (int i = 0; i < 6; i++) assert_int_equal(w->put[i], 1);
    for (int i = 0; i < 6; i++) assert_string_equal(w->model[i], asked.model[i]);
    assert_int_equal(w->notes, 1);
    assert_non_null(strstr(w->note, "nobody answers"));
}

static void a_store_that_does_not_answer_any_more_ends_the_wait(void **state)
{
    fixture *f = *state;
    world *w = &f->w;
    mp_cv_count c;
    mp_cv_options o = options(w);
    o.wait = 0.5;
    w->answers = 6; /* one for each run, then silence */
    for (int i = 0; i < 6; i++) w->answer[i] = i == 2 ? MP_CLAIM_MINE : MP_CLAIM_HELD;
    assert_int_equal(mp_cv_go(&f->plan, &o, &c), MP_ERR_IO);
    assert_non_null(strstr(mp_message(), "5 runs are left"));
    assert_non_null(strstr(mp_message(), "nobody answers"));
    assert_true(c.done == 1 && w->put[2] == 1 && w->ended == 1);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(runs_are_trained_by_whoever_claims_them),
        TEST(what_others_finish_is_known_and_what_they_leave_is_done_last),
        TEST(a_study_with_nothing_left_waits_for_others_and_says_so),
        TEST(runs_go_on_while_the_store_cannot_be_asked),
        TEST(a_store_that_does_not_answer_any_more_ends_the_wait),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
