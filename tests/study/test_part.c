/* test_part.c - parts of a study: each run is in exactly one of them, and a study of a part trains that alone.
 * SPDX-License-Identifier: MIT */
#include "study/part.h"
#include "study/study.h"
#include "tiny.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

static void a_part_is_read_or_refused(void **state)
{
    (void)state;
    mp_part p;
    assert_int_equal(mp_part_read("3/100", &p), MP_OK);
    assert_true(p.i == 3 && p.n == 100);
    assert_int_equal(mp_part_read(NULL, &p), MP_OK);
    assert_int_equal(p.n, 0);
    static const char *const wrong[] = { "",     "3",   "0/3",   "4/3",  "-1/3",     "1/0",
                                         "/3",   "1/",  "1/2/3", "a/3",  "1.5/3",    "1/1000001",
                                         "1 /x", "1:3", "2//3",  "1/3/", "1/3 of it" };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(mp_part_read(wrong[i], &p), MP_ERR_USAGE);
        assert_non_null(strstr(mp_message(), "--part: expected I/N"));
    }
}

/* The rule itself: other machines, and other versions, have to cut the same study in the same places. */
static void the_first_eight_bytes_decide(void **state)
{
    (void)state;
    char hash[65];
    memset(hash, '0', 64);
    hash[64] = 0;
    assert_true(mp_part_has((mp_part){ 1, 3 }, hash));
    memcpy(hash, "0000000000000005", 16);
    assert_true(mp_part_has((mp_part){ 3, 3 }, hash) && mp_part_has((mp_part){ 6, 7 }, hash));
    memcpy(hash, "ffffffffffffffff", 16); /* 2^64 - 1 = 5 mod 10, 0 mod 3 */
    assert_true(mp_part_has((mp_part){ 6, 10 }, hash) && mp_part_has((mp_part){ 1, 3 }, hash));
    hash[16] = 'f';
    assert_true(mp_part_has((mp_part){ 6, 10 }, hash));
    assert_true(mp_part_has((mp_part){ 0, 0 }, hash));
}

static void add(mp_study *s, mp_dataset *d, const mp_folds *f, double lr)
{
    mp_config c = tiny_config();
    c.epochs = 1;
    c.lr = lr;
    assert_int_equal(mp_study_add(s, d, f, &c, MP_GRID_NONE, NULL), MP_OK);
}

static void every_run_is_in_exactly_one_part(void **state)
{
    (void)state;
    mp_arena *a = mp_arena_new(1 << 20);
    mp_dataset d;
    mp_folds f;
    assert_int_equal(tiny_make(a, false, &d, &f), MP_OK);
    assert_int_equal(mp_folds_stratified(&d, 5, a, &f), MP_OK);
    mp_study s = { .arena = a, .seeds = 40, .jobs = 1, .threads = 1 };
    add(&s, &d, &f, 0.01);
    add(&s, &d, &f, 0.02);
    assert_int_equal(s.plan.count, 400);
    static const int parts[] = { 1, 2, 3, 7, 50 };
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
        int seen = 0, least = 400, most = 0, *times = MP_NEW(a, int, 400);
        for (int i = 1; i <= parts[k]; i++) {
            mp_cv_plan share = mp_part_plan((mp_part){ i, parts[k] }, &s.plan, a);
            int at = 0;
            for (int r = 0; r < share.count; r++, at++) { /* in the order of the plan */
                while (at < 400 && memcmp(&s.plan.run[at], &share.run[r], sizeof share.run[r]) != 0) at++;
                assert_true(at < 400);
                times[at]++;
            }
            seen += share.count;
            least = share.count < least ? share.count : least;
            most = share.count > most ? share.count : most;
        }
        assert_int_equal(seen, 400);
        for (int i = 0; i < 400; i++) assert_int_equal(times[i], 1);
        if (parts[k] <= 7) assert_true(least > 400 / parts[k] / 2 && most < 400 * 2 / parts[k] + 1);
    }
    mp_arena_free(a);
}

static void ranges_follow_each_other_and_are_as_long(void **state)
{
    (void)state;
    static const int64_t counts[] = { 0, 1, 2, 6, 7, 8, 100, INT64_C(100000000) };
    static const int parts[] = { 1, 3, 7 };
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++)
        for (size_t n = 0; n < 3; n++) {
            int64_t from, to, end = 0;
            for (int i = 1; i <= parts[n]; i++, end = to) {
                mp_part_range((mp_part){ i, parts[n] }, counts[k], &from, &to);
                assert_true(from == end && to >= from);
                int64_t longer = to - from - counts[k] / parts[n];
                assert_true(longer == 0 || longer == 1);
            }
            assert_true(end == counts[k]);
        }
    int64_t from, to;
    mp_part_range((mp_part){ 0, 0 }, 5, &from, &to);
    assert_true(from == 0 && to == 5);
}

/* ---- a study of a part ---- */

static int done;

static void on_done(void *state, const mp_run_key *key, const mp_run_result *r, const mp_cv_count *c)
{
    (void)state;
    (void)key;
    (void)r;
    done++;
    assert_true(c->known + c->done <= c->total);
}

static mp_study part_of(mp_arena *a, const char *store, int i, int n)
{
    return (mp_study){ .arena = a,
                       .store_path = store,
                       .command = "again",
                       .seeds = 3,
                       .jobs = 1,
                       .threads = 1,
                       .part = { i, n },
                       .listener = { .done = on_done } };
}

/* One store after the other has the runs of its part, one store for all has everything, and rows are whole with the last. */
static void a_part_trains_its_share_and_waits_for_no_other(void **state)
{
    (void)state;
    char folder[] = "/tmp/midpool_part_XXXXXX";
    mp_arena *a = mp_arena_new(1 << 20);
    mp_dataset d;
    mp_folds f;
    assert_non_null(mkdtemp(folder));
    assert_int_equal(tiny_make(a, false, &d, &f), MP_OK);
    assert_int_equal(mp_folds_stratified(&d, 3, a, &f), MP_OK);
    const char *store = mp_arena_printf(a, "%s/all.db", folder);
    int before = 0;
    for (int i = 1; i <= 3; i++) {
        mp_study s = part_of(a, store, i, 3);
        add(&s, &d, &f, 0.01);
        assert_int_equal(mp_study_run(&s), MP_OK);
        assert_int_equal(s.plan.count, 9);
        assert_true(s.share.count > 0 && s.share.count < 9); /* else this test shows nothing */
        assert_int_equal(s.count.total, s.share.count);
        assert_int_equal(s.count.done, s.share.count);
        before += s.share.count;
        assert_int_equal(done, before);
        assert_int_equal(mp_study_whole(&s, &s.row[0]), i == 3);
        int there = 0;
        for (int k = 0; k < 9; k++) there += mp_study_result(&s, &s.row[0], k) != NULL;
        assert_int_equal(there, before); /* what other parts left here is read */
    }
    assert_int_equal(before, 9);
    mp_study all = part_of(a, store, 0, 0);
    add(&all, &d, &f, 0.01);
    assert_int_equal(mp_study_run(&all), MP_OK);
    assert_int_equal(all.count.known, 9);
    assert_int_equal(done, 9);
    assert_int_equal(system(mp_arena_printf(a, "rm -r '%s'", folder)), 0);
    mp_arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_part_is_read_or_refused),
        cmocka_unit_test(the_first_eight_bytes_decide),
        cmocka_unit_test(every_run_is_in_exactly_one_part),
        cmocka_unit_test(ranges_follow_each_other_and_are_as_long),
        cmocka_unit_test(a_part_trains_its_share_and_waits_for_no_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
