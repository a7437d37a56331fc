/* test_choose.c - the five ways to choose a grid point, on cases worked out by hand.
 * SPDX-License-Identifier: MIT */
#include "train/choose.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define NONE (double)NAN, (double)NAN /* neither of the larger tests */

static mp_arena *arena;

/* Two seeds, two folds, three grid points. Means over folds, val (test):
 *             (1, 0)        (5, 0.1)      (5, 0.2)
 *   seed 42   0.70 (0.60)   0.80 (0.50)   0.75 (0.90)
 *   seed 43   0.80 (0.80)   0.60 (0.70)   0.75 (0.65)
 *   both      0.75 (0.70)   0.70 (0.60)   0.75 (0.775)  */
static const mp_choice_run study[] = {
    { 42, 1, 2, 0, 0, 0, 0.50, 0.60, 0.50, NONE }, { 42, 2, 2, 0, 0, 0, 0.50, 0.80, 0.70, NONE },
    { 42, 1, 2, 1, 0, 0, 0.40, 0.80, 0.40, NONE }, { 42, 2, 2, 1, 0, 0, 0.40, 0.80, 0.60, NONE },
    { 42, 1, 2, 2, 0, 0, 0.60, 0.70, 0.90, NONE }, { 42, 2, 2, 2, 0, 0, 0.60, 0.80, 0.90, NONE },
    { 43, 1, 2, 0, 0, 0, 0.50, 0.70, 0.70, NONE }, { 43, 2, 2, 0, 0, 0, 0.50, 0.90, 0.90, NONE },
    { 43, 1, 2, 1, 0, 0, 0.40, 0.50, 0.60, NONE }, { 43, 2, 2, 1, 0, 0, 0.40, 0.70, 0.80, NONE },
    { 43, 1, 2, 2, 0, 0, 0.30, 0.80, 0.65, NONE }, { 43, 2, 2, 2, 0, 0, 0.30, 0.70, 0.65, NONE },
};
#define STUDY ((int)(sizeof study / sizeof *study))

static bool near(double a, double b)
{
    return fabs(a - b) < 1e-12;
}

/* A row that has as many points as the last of its runs says. */
static mp_choice_set set_of(const mp_choice_run *run, int n)
{
    mp_choice_set set = { .run = run, .runs = n };
    for (int i = 0; i < n; i++)
        if (run[i].point >= set.points) set.points = run[i].point + 1;
    return set;
}

static mp_choice choose(const mp_choice_run *run, int n, mp_select mode)
{
    mp_choice c;
    mp_choice_set set = set_of(run, n);
    if (mp_choose(&set, mode, 1, arena, &c) != MP_OK) fail_msg("%s", mp_message());
    return c;
}

static void each_mode_gives_the_number_worked_out_by_hand(void **state)
{
    (void)state;
    static const struct {
        mp_select mode;
        int chosen[2];
        double mean, std_seeds, std_folds;
    } cases[] = {
        { MP_SELECT_VAL, { 1, 0 }, 0.65, 0.15, 0.1 },          /* 0.5, 0.8; folds 0.4 0.6 and 0.7 0.9 */
        { MP_SELECT_VAL_GLOBAL, { 2, 2 }, 0.775, 0.125, 0 },   /* tie 0.75 with (1, 0): loss 0.45 < 0.5 */
        { MP_SELECT_PAPER, { 2, 0 }, 0.85, 0.05, 0.05 },       /* 0.9, 0.8 */
        { MP_SELECT_PAPER_GLOBAL, { 2, 2 }, 0.775, 0.125, 0 }, /* 0.775 > 0.70 > 0.60 */
        { MP_SELECT_FIXED, { 1, 1 }, 0.6, 0.1, 0.1 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mp_choice c = choose(study, STUDY, cases[i].mode);
        assert_int_equal(c.grid.seeds, 2);
        assert_int_equal(c.grid.points, 3);
        for (int f = 0; f < 2; f++) {
            assert_int_equal(mp_choice_at(&c, 0, f), cases[i].chosen[0]);
            assert_int_equal(mp_choice_at(&c, 1, f), cases[i].chosen[1]);
        }
        if (!near(c.test.mean, cases[i].mean) || !near(c.test.std_seeds, cases[i].std_seeds) ||
            !near(c.test.std_folds, cases[i].std_folds))
            fail_msg("%s: %.15g %.15g %.15g", mp_select_name[cases[i].mode], c.test.mean, c.test.std_seeds,
                     c.test.std_folds);
        assert_true(c.missing == 0 && c.seeds_left_out == 0 && c.test.seeds == 2 && c.test.folds == 2);
        assert_true(isnan(c.large.mean));
    }
}

static void the_order_of_the_runs_does_not_matter(void **state)
{
    (void)state;
    mp_choice_run back[STUDY];
    for (int i = 0; i < STUDY; i++) back[i] = study[STUDY - 1 - i];
    for (mp_select mode = 0; mode < MP_SELECT_MODES; mode++) {
        mp_choice a = choose(study, STUDY, mode), b = choose(back, STUDY, mode);
        assert_true(near(a.test.mean, b.test.mean) && mp_choice_at(&a, 0, 0) == mp_choice_at(&b, 0, 0) &&
                    mp_choice_at(&a, 1, 1) == mp_choice_at(&b, 1, 1));
    }
}

static void what_a_choice_took_is_one_point_a_seed(void **state)
{
    (void)state;
    mp_choice c = choose(study, STUDY, MP_SELECT_VAL);
    mp_choice_set set = set_of(study, STUDY);
    for (int i = 0; i < STUDY; i++)
        assert_int_equal(mp_choice_took(&c, &set, &study[i]), study[i].point == (study[i].seed == 42 ? 1 : 0));
    mp_choice_run other = study[2];
    other.seed = 44;
    assert_false(mp_choice_took(&c, &set, &other));
    const double *value = mp_choice_values(&c, &set, arena);
    assert_true(near(value[0 * c.grid.folds + 1], 0.6) && near(value[1 * c.grid.folds + 0], 0.7));
    c = choose(study, 1, MP_SELECT_VAL); /* a seed that lacks a fold does not count */
    assert_false(mp_choice_took(&c, &set, &study[0]));
    assert_true(isnan(mp_choice_values(&c, &set, arena)[0]));
    c = choose(study, 0, MP_SELECT_VAL);
    assert_false(mp_choice_took(&c, &set, &study[0]));
}

static void ties_go_to_lower_loss_then_to_the_earlier_point(void **state)
{
    (void)state;
    static const struct {
        mp_choice_run run[3];
        int val, paper; /* the chosen point */
    } cases[] = {
        /* equal accuracy: lower loss wins although it is later; on test the earlier */
        { { { 1, 1, 1, 2, 0, 0, 0.2, 0.5, 0.5, NONE },
            { 1, 1, 1, 1, 0, 0, 0.3, 0.5, 0.5, NONE },
            { 1, 1, 1, 0, 0, 0, 0.3, 0.4, 0.4, NONE } },
          2,
          1 },
        /* equal accuracy and loss: the earlier */
        { { { 1, 1, 1, 1, 0, 0, 0.2, 0.5, 0.5, NONE },
            { 1, 1, 1, 0, 0, 0, 0.2, 0.5, 0.5, NONE },
            { 1, 1, 1, 2, 0, 0, 0.2, 0.5, 0.5, NONE } },
          0,
          0 },
        /* whatever the order of runs */
        { { { 1, 1, 1, 2, 0, 0, 0.2, 0.5, 0.5, NONE },
            { 1, 1, 1, 1, 0, 0, 0.2, 0.5, 0.5, NONE },
            { 1, 1, 1, 0, 0, 0, 0.2, 0.4, 0.4, NONE } },
          1,
          1 },
        /* accuracy before loss */
        { { { 1, 1, 1, 0, 0, 0, 0.1, 0.5, 0.5, NONE },
            { 1, 1, 1, 1, 0, 0, 0.9, 0.6, 0.4, NONE },
            { 1, 1, 1, 2, 0, 0, 0.1, 0.5, 0.5, NONE } },
          1,
          0 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(choose(cases[i].run, 3, MP_SELECT_VAL).chosen[0], cases[i].val);
        assert_int_equal(choose(cases[i].run, 3, MP_SELECT_VAL_GLOBAL).chosen[0], cases[i].val);
        assert_int_equal(choose(cases[i].run, 3, MP_SELECT_PAPER).chosen[0], cases[i].paper);
        assert_int_equal(choose(cases[i].run, 3, MP_SELECT_PAPER_GLOBAL).chosen[0], cases[i].paper);
    }
}

static void the_order_of_a_sum_does_not_break_a_tie(void **state)
{
    (void)state;
    /* 0.1 + 0.2 + 0.3 and 0.3 + 0.2 + 0.1 differ in the last bit; the loss must decide. */
    const mp_choice_run run[] = {
        { 1, 1, 3, 0, 0, 0, 0.5, 0.1, 0, NONE }, { 1, 2, 3, 0, 0, 0, 0.5, 0.2, 0, NONE },
        { 1, 3, 3, 0, 0, 0, 0.5, 0.3, 0, NONE }, { 1, 1, 3, 1, 0, 0, 0.4, 0.3, 0, NONE },
        { 1, 2, 3, 1, 0, 0, 0.4, 0.2, 0, NONE }, { 1, 3, 3, 1, 0, 0, 0.4, 0.1, 0, NONE },
    };
    assert_int_equal(choose(run, 6, MP_SELECT_VAL).chosen[0], 1);
    mp_choice_run other[6];
    memcpy(other, run, sizeof run);
    for (int i = 0; i < 6; i++) other[i].val_loss = 1 - run[i].val_loss;
    assert_int_equal(choose(other, 6, MP_SELECT_VAL).chosen[0], 0);
}

static void honest_choices_do_not_move_with_the_test_metric(void **state)
{
    (void)state;
    mp_choice_run changed[STUDY];
    memcpy(changed, study, sizeof study);
    for (int i = 0; i < STUDY; i++) changed[i].test_metric = 1 - study[i].test_metric;
    for (mp_select mode = MP_SELECT_VAL; mode <= MP_SELECT_VAL_GLOBAL; mode++) {
        mp_choice a = choose(study, STUDY, mode), b = choose(changed, STUDY, mode);
        assert_true(mp_choice_at(&a, 0, 0) == mp_choice_at(&b, 0, 0) &&
                    mp_choice_at(&a, 1, 1) == mp_choice_at(&b, 1, 1));
    }
}

static void incomplete_grids_are_counted_and_left_out(void **state)
{
    (void)state;
    /* seed 42 lacks fold 2 of (5, 0.1), its best point; seed 43 lacks everything but one fold of each */
    mp_choice_run part[STUDY];
    int n = 0;
    for (int i = 0; i < STUDY; i++) {
        bool drop = (study[i].seed == 42 && study[i].fold == 2 && study[i].point == 1) ||
                    (study[i].seed == 43 && study[i].fold == 2);
        if (!drop) part[n++] = study[i];
    }
    mp_choice c = choose(part, n, MP_SELECT_VAL);
    assert_int_equal(c.missing, 4);
    assert_int_equal(c.seeds_left_out, 1);
    assert_int_equal(mp_choice_at(&c, 0, 0), 2); /* 0.75 beats 0.70; the 0.80 does not count */
    assert_int_equal(mp_choice_at(&c, 1, 0), MP_NO_POINT);
    assert_int_equal(c.test.seeds, 1);
    assert_true(near(c.test.mean, 0.9) && near(c.test.std_seeds, 0));
    c = choose(part, n, MP_SELECT_FIXED); /* (5, 0.1) is whole for no seed */
    assert_int_equal(c.seeds_left_out, 2);
    assert_true(isnan(c.test.mean) && c.test.seeds == 0);
}

static void no_runs_give_no_number(void **state)
{
    (void)state;
    mp_choice c = choose(NULL, 0, MP_SELECT_VAL);
    assert_true(isnan(c.test.mean) && c.runs == 0 && c.missing == 0);
}

static void a_fixed_split_is_one_fold_and_may_have_a_larger_test(void **state)
{
    (void)state;
    mp_choice_run run[] = { { 1, 0, 0, 0, 0, 0, 0.5, 0.9, 0.8, 0.4, 0.1 },
                            { 2, 0, 0, 0, 0, 0, 0.5, 0.9, 0.6, 0.6, 0.5 } };
    mp_choice c = choose(run, 2, MP_SELECT_VAL);
    assert_true(c.test.folds == 1 && near(c.test.mean, 0.7) && near(c.test.std_seeds, 0.1) && c.test.std_folds == 0);
    assert_true(near(c.large.mean, 0.5) && near(c.large.std_seeds, 0.1));
    assert_true(near(c.large_c.mean, 0.3) && near(c.large_c.std_seeds, 0.2));
    run[1].large_c_metric = (double)NAN; /* a run that was not tested so: no mean of the others */
    c = choose(run, 2, MP_SELECT_VAL);
    assert_true(near(c.large.mean, 0.5) && isnan(c.large_c.mean));
}

static void contradictions_are_errors(void **state)
{
    (void)state;
    mp_choice c;
    mp_choice_run twice[] = { study[0], study[0] }, mixed[] = { study[0], study[1] };
    mp_choice_set set = set_of(twice, 2);
    assert_int_equal(mp_choose(&set, MP_SELECT_VAL, 0, arena, &c), MP_ERR_INPUT);
    assert_string_equal(mp_message(), "seed 42, fold 1 of point 1 is there twice");
    set = set_of(mixed, 2);
    mixed[1].folds = 10;
    assert_int_equal(mp_choose(&set, MP_SELECT_VAL, 0, arena, &c), MP_ERR_INPUT);
    mixed[1].folds = 2;
    mixed[1].fold = 3;
    assert_int_equal(mp_choose(&set, MP_SELECT_VAL, 0, arena, &c), MP_ERR_INPUT);
    set = set_of(study, STUDY);
    assert_int_equal(mp_choose(&set, MP_SELECT_FIXED, MP_NO_POINT, arena, &c), MP_OK); /* it is not in the grid */
    assert_true(isnan(c.test.mean) && c.seeds_left_out == 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_mode_gives_the_number_worked_out_by_hand),
        cmocka_unit_test(the_order_of_the_runs_does_not_matter),
        cmocka_unit_test(what_a_choice_took_is_one_point_a_seed),
        cmocka_unit_test(ties_go_to_lower_loss_then_to_the_earlier_point),
        cmocka_unit_test(the_order_of_a_sum_does_not_break_a_tie),
        cmocka_unit_test(honest_choices_do_not_move_with_the_test_metric),
        cmocka_unit_test(incomplete_grids_are_counted_and_left_out),
        cmocka_unit_test(no_runs_give_no_number),
        cmocka_unit_test(a_fixed_split_is_one_fold_and_may_have_a_larger_test),
        cmocka_unit_test(contradictions_are_errors),
    };
    arena = mp_arena_new(1 << 16);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    mp_arena_free(arena);
    return failed != 0;
}
